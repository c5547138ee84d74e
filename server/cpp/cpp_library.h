/// Operators that C++ defines for PyTorch: m.def() and m.impl() below TORCH_LIBRARY, TORCH_LIBRARY_FRAGMENT,
/// TORCH_LIBRARY_IMPL and their STABLE_ twins.
///
/// Ownership: the list and its strings live in the arena.
/// Units:     offsets in bytes of the text.
/// Errors:    what is not written out there is left out: a name space that a macro makes, a schema in a variable.
/// Threads:   pure.
/// Sources:   torch/library.h, torch/csrc/stable/library.h: the macros make a string of their first argument.
#pragma once

#include "core/defined_operators.h"

typedef struct CppOperators {
  const DefinedOperator *items;  ///< In order of position.
  size_t count;
} CppOperators;

/// False if the text can define none.
bool cpp_library_is_relevant(Str text);
CppOperators cpp_library_operators(Str text, Arena *arena);
