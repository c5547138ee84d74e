/// Operators of PyTorch that sources define by a schema, read and put together as facts like those of torch itself.
///
/// Ownership: what is read lives in the arena; a table borrows the definitions that it is made of.
/// Units:     offsets in bytes of the text that defines.
/// Errors:    what is no name or no schema is left out; an overload with two different schemas has none.
/// Threads:   pure.
/// Sources:   torch/csrc/jit/frontend/function_schema_parser.cpp: white space is free in a schema.
#pragma once

#include "facts/symbolics.h"
#include "text/position.h"

typedef struct DefinedOperator {
  Str name;      ///< "mylib::foo"
  Str overload;  ///< "" for the default one.
  Str schema;    ///< "mylib::foo(Tensor x) -> Tensor"; empty if what it takes can't be told.
  Range place;
  bool is_kernel;  ///< What an operator does, which may be defined elsewhere: m.impl(), @torch.library.impl.
} DefinedOperator;

/// Reads "foo.out(Tensor x) -> Tensor" of the name space, or "ns::foo" with one of its own; false if it is neither.
bool defined_operator_read(Str space, Str text, Arena *arena, DefinedOperator *ret_defined);

/// Operators by name. Their schemas hold in every version of torch.
typedef struct OperatorTable {
  const TorchOperator *items;
  size_t count;
} OperatorTable;

/// Sorts `definitions`.
OperatorTable operator_table_make(const DefinedOperator **definitions, size_t count, Arena *arena);
/// NULL if nothing is known of it.
const TorchOperator *operator_table_find(const OperatorTable *table, Str name);
