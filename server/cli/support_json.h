/// Support as JSON, the same in every command that prints it.
///
/// Ownership: writes into the writer's buffer.
/// Units:     a set has bit n for opset n.
/// Threads:   one thread at a time.
/// Sources:   docs/explain.md, docs/ops.md.
#pragma once

#include "facts/symbolics.h"
#include "rpc/writer.h"

/// [9,10,11]
void support_json_opsets(Writer *writer, OpsetSet set);
/// The member "dynamo": can it convert the operator (null if that is not known)? And with it "dynamo_since" or
/// "dynamo_decomposes".
void support_json_dynamo(Writer *writer, const SymbolicsDb *db, uint32_t torch, Str op);
