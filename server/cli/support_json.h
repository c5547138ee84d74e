/// What is known of an operator as JSON, the same in every command that prints it.
///
/// Ownership: writes into the writer's buffer.
/// Units:     a set has bit n for opset n.
/// Threads:   one thread at a time.
/// Sources:   docs/explain.md, docs/ops.md.
#pragma once

#include "describe/operator_conditions.h"
#include "rpc/writer.h"

/// [9,10,11]
void support_json_opsets(Writer *writer, OpsetSet set);
/// ["1.13","2.6"]
void support_json_torch_list(Writer *writer, const SymbolicsDb *db, uint32_t set);
/// "kind", "when", "reason", "instead", "runtime" of an object that is open.
void support_json_condition(Writer *writer, const OperatorCondition *condition);
/// The object of one torch version: "torchscript", "blocked", "dynamo" and what belongs to it, "pass".
void support_json_version(Writer *writer, const OperatorVersion *version, Arena *arena);
