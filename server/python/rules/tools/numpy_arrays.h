/// Arrays of numpy, as far as what makes them says how large they are and what they hold. Private to rules/.
///
/// Units:     elements along an axis; types by their names in numpy, "float32".
/// Errors:    what is not known is -1, or empty.
/// Threads:   pure.
/// Sources:   numpy's documentation, and run with numpy 1.24 and 2.2: numbers of Python make no array wider, and `/`
///            makes float64 of integers.
#pragma once

#include "python/rules/export/example_inputs.h"

typedef struct MadeArray {
  ExampleShape shape;
  Str type;
} MadeArray;

/// An array that has the sizes and the type of nothing that is known.
MadeArray numpy_unknown(void);
/// What `transpose(2, 0, 1)`, `expand_dims(0)` and their like, methods or functions, make of an array; their arguments
/// begin at `first`. False for other names.
bool numpy_moved(const PyModel *model, const PyCall *call, Str name, uint32_t first, MadeArray *array);
/// What `x[None, :, 3]` takes of an array; unknown sizes where indexes are arrays.
MadeArray numpy_indexed(const PyModel *model, PyRef subscript, MadeArray array);
/// `a + b` of arrays; `number` is PY_INT or PY_FLOAT where one of them is such a number of Python, which `b` is then.
MadeArray numpy_computed(Str sign, const MadeArray *a, const MadeArray *b, uint32_t number, Arena *arena);
/// "int64" of `numpy.int64`, `int` and "int64"; empty for others.
Str numpy_type_named(const PyModel *model, PyRef node, Arena *arena);
/// Of numbers that are written out, in lists or not: "int64" or "float64".
Str numpy_type_written(const PyTree *tree, PyRef data);
