/// What the parts of a PyFile share. Private to model/.
///
/// Ownership: as in python/model/python_file.h.
/// Units:     as in python/model/python_file.h.
/// Threads:   while the PyFile is made.
#pragma once

#include "core/workspace.h"
#include "python/model/python_file.h"

/// Fills in what follows from the target and the exports alone.
void python_apply_target(PyFile *file, const Target *target);
/// Fills PyFile.customs once the model has all registrations.
void python_index_customs(PyFile *file);
/// py_file_torch_operator(), of which python_index_customs() keeps what it asks for.
const TorchOperator *python_find_operator(const PyFile *file, Str name);
/// Fills in PyFile.registered.
void python_find_registered(PyFile *file);
/// Fills PyFile.argument_kinds.
void python_find_argument_kinds(PyFile *file);
/// Where calls of apply() show the kind of an argument, that is it.
void python_find_applied_kinds(PyFile *file);
/// Fills PyFile.shaped_functions.
void python_find_shaped_functions(PyFile *file);

/// Goes through all code and fills PyFile.flow; needs all of the above.
void python_interpret(PyFile *file);
/// NULL is fine.
void python_flow_free(struct PyFlow *flow);

/// By function: bit i is set if it asks its parameter i what only tensors have, whatever else it does.
const uint32_t *python_tensor_params(const PyModel *model, Arena *arena);
/// Fills in the overloads for which tables of the file have functions.
void python_add_translations(const PyFile *python, WorkspaceFile *file);
