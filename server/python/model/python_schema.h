/// The schema that torch.library.custom_op() makes of a function's annotations, and what calls by a schema give.
///
/// Ownership: texts live in the arena.
/// Units:     functions as in python/model/python_model.h.
/// Errors:    types that can't be told are kept as they are written.
/// Threads:   pure.
/// Sources:   torch/_library/infer_schema.py of torch 2.14: SUPPORTED_PARAM_TYPES, SUPPORTED_RETURN_TYPES.
#pragma once

#include "facts/symbolics.h"
#include "python/model/python_model.h"

typedef enum PySchemaVerdict {
  PY_SCHEMA_TYPE,     ///< The type of the schema is known.
  PY_SCHEMA_UNKNOWN,  ///< A name that nothing here explains.
  PY_SCHEMA_REFUSED,  ///< torch raises an error.
} PySchemaVerdict;

/// How many arguments go by position.
typedef struct PyPositional {
  uint32_t least;  ///< Those without a default.
  uint32_t most;
} PyPositional;

PyPositional py_schema_positional(const TorchOverload *schema);

/// The text of an annotation without spaces and quotation marks around it: annotations may be strings.
Str py_schema_bare(Str text);
/// What a dotted name in an annotation's text stands for at the top of the file: "typing.Optional", "torch.Tensor". The
/// name itself if the file does not bind it; empty if that can't be told.
Str py_schema_qualified(const PyModel *model, Str name, Arena *arena);

/// "SymInt[]?" of `Optional[List[int]]`; what is written there unless that is known.
PySchemaVerdict py_schema_param_type(const PyModel *model, PyRef annotation, Arena *arena, Str *ret_type);
/// "(Tensor, Tensor)" of `tuple[Tensor, Tensor]`, "()" of None.
PySchemaVerdict py_schema_return_type(const PyModel *model, PyRef annotation, Arena *arena, Str *ret_type);

/// "mylib::foo(Tensor x, *, float a=1.5) -> Tensor"; false if it has parameters that no schema has (`*args`) or lacks
/// annotations. `mutates` is the argument mutates_args of the call; 0 if it is not given.
bool py_schema_infer(const PyModel *model, uint32_t function, Str name, PyRef mutates, Arena *arena, Str *ret_schema);
