/// Numbers for the names of a model, so that tables by name are arrays.
///
/// Ownership: the table is the caller's until onnx_symbols_done(); texts are borrowed.
/// Threads:   one thread at a time.
#pragma once

#include "base/memory.h"
#include "base/vec.h"

typedef struct OnnxSymbols {
  Vec(Str) texts;
  uint32_t *slots;  ///< Symbol + 1; 0 is free.
  uint32_t size;    ///< A power of two, or 0.
} OnnxSymbols;

void onnx_symbols_done(OnnxSymbols *symbols);
/// The number of a name; the next free one if it is new.
uint32_t onnx_symbol_of(OnnxSymbols *symbols, Str text);
