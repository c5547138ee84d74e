/// Operators that a file defines by torch.library: @custom_op, define(), Library.define(). Private to rules/.
///
/// Ownership: lists lie in the sink's arena.
/// Units:     nodes and functions of the sink's Python file.
/// Errors:    an operator whose name can't be told is left out; one without `has_schema` takes what nobody knows.
/// Threads:   as DiagSink.
/// Sources:   torch.library of torch 2.6 and 2.14.
#pragma once

#include "python/rules/python_report.h"

typedef struct LibraryOperator {
  Str name;              ///< "mylib::foo"
  TorchOverload schema;  ///< `schema.schema` is for people.
  bool has_schema;
  PyRef node;         ///< The name, where it is defined.
  uint32_t call;      ///< Of @custom_op; PY_ABSENT for those that are defined by a schema.
  uint32_t function;  ///< The function below @custom_op; PY_ABSENT.
  bool has_fake;      ///< Something may give it one.
  uint32_t fake;      ///< That function, if it is known; PY_ABSENT.
} LibraryOperator;

typedef struct LibraryOperators {
  LibraryOperator *items;
  size_t count;
} LibraryOperators;

const LibraryOperators *library_operators(DiagSink *sink);
/// NULL if the file defines none of that name.
const LibraryOperator *library_operator_named(const LibraryOperators *operators, Str name);
