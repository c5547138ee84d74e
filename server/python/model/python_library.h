/// Operators that a Python file defines: @custom_op, define(), Library.define(), TORCH_LIBRARY in C++ of load_inline().
///
/// Ownership: lists lie in the arena.
/// Units:     nodes and functions of the model.
/// Errors:    an operator whose name can't be told is left out; one without a schema takes what nobody knows.
/// Threads:   pure.
/// Sources:   torch.library and torch.utils.cpp_extension of torch 2.6 and 2.14.
#pragma once

#include "core/defined_operators.h"
#include "python/model/python_model.h"

typedef struct PyLibraryOperator {
  DefinedOperator defined;
  TorchOverload schema;  ///< Of the first one that is defined; without `schema.schema` nothing is known.
  PyRef node;            ///< The name, where it is defined.
  uint32_t call;         ///< Of @custom_op; PY_ABSENT for those that are defined by a schema.
  uint32_t function;     ///< The function below @custom_op, whose name is the operator then; PY_ABSENT.
  uint32_t body;         ///< The same, or what custom_op() is given as `fn`; PY_ABSENT.
  bool is_inferred;      ///< Its schema comes from that function.
  bool is_cpp;           ///< Of load_inline(): its kernels are out of sight.
  bool has_fake;         ///< Something may give it one.
  bool is_composite;     ///< An export may see what its kernel calls instead, as that is for all keys.
  uint32_t fake;         ///< That function, if it is known; PY_ABSENT.
} PyLibraryOperator;

typedef struct PyLibrary {
  PyLibraryOperator *items;  ///< Definitions in order of position, then kernels.
  size_t count;
  bool is_open;  ///< The file defines others, too, whose names can't be told.
} PyLibrary;

PyLibrary py_library_operators(const PyModel *model, Arena *arena);
/// NULL if the file defines none of that name.
const PyLibraryOperator *py_library_find(const PyLibrary *library, Str name);
/// The one that an expression names, by a string or by the function below @custom_op; NULL.
const PyLibraryOperator *py_library_named(const PyModel *model, const PyLibrary *library, PyRef node, Arena *arena);
/// "mylib::foo" and "default" of the expression torch.ops.mylib.foo.default, followed through names; false for others.
/// The overload is empty if there is none.
bool py_library_overload_name(const PyModel *model, PyRef node, Arena *arena, Str *ret_name, Str *ret_overload);
/// The operator that a call runs, by torch.ops or by the function below @custom_op; false for others.
bool py_library_called(const PyModel *model, const PyLibrary *library, const PyCall *call, Arena *arena, Str *ret_name,
                       Str *ret_overload);
