/// What runtimes refuse to load of an operator, in words.
///
/// Ownership: texts live in the arena.
/// Units:     versions of a schema and opsets are numbers; releases are those that were measured.
/// Threads:   pure.
/// Sources:   symbolics-db/records/onnx/kernels.txt.
#pragma once

#include "describe/markup.h"
#include "facts/messages.h"

/// "1.10 to 1.20, 1.30 on": a set of runtimes.
Str kernel_runtimes_words(const SymbolicsDb *db, uint32_t runtimes, Arena *arena);
/// The types of single constraints that releases lack, of a schema version or (0) of the newest that has gaps, in
/// models of an opset or (0) of any: "T double, bfloat16 (onnxruntime 1.10 on)". Empty if none is known.
Str kernel_types_words(const SymbolicsDb *db, Str op, uint32_t since, int64_t opset, Arena *arena);
/// A list of the gaps of a schema at an opset (0: any) under a heading; nothing if there are none.
void kernel_write_gaps(Markup *markup, const SymbolicsDb *db, Str op, uint32_t since, int64_t opset, Arena *arena);
