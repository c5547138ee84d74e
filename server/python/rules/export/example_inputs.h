/// The example inputs of an export, each with the parameter of forward() that it is for. Private to rules/.
///
/// Ownership: lists lie in the sink's arena.
/// Units:     nodes of the sink's Python file; sizes are elements along an axis.
/// Errors:    what is not known is said by a flag, or is -1.
/// Threads:   as DiagSink.
/// Sources:   torch.onnx.export and torch.export of torch 2.6 and 2.14.
#pragma once

#include "python/rules/export/export_call.h"

typedef struct ExampleInput {
  Str name;         ///< The parameter; of what `*args` takes, that of it.
  PyRef value;      ///< Resolved; 0 if it is not given.
  PyRef node;       ///< As written at the call.
  bool is_rest;     ///< `*args` takes it.
  bool is_default;  ///< It is not given, and has a default.
  bool is_part;     ///< Of a tuple or list that the parameter takes.
} ExampleInput;

typedef struct ExampleInputs {
  ExampleInput items[PY_EXAMPLE_LIMIT];  ///< In the order of the parameters, then those of `**kwargs`.
  size_t count;
  uint32_t positional_given, positional_least, positional_most;
  bool has_parameters;  ///< The parameters of forward() are known.
  bool is_known;        ///< Which of them are given is known, too.
  bool is_by_name;      ///< A dict at the end of args gives some, and all that are wanted are there.
  bool takes_any_name;  ///< forward() has `**kwargs`.
  PyRef unknown_name;   ///< The key in `kwargs` that is none; 0.
  PyRef given_twice;    ///< The key in `kwargs` of a parameter that `args` gives, too; 0.
} ExampleInputs;

ExampleInputs *example_inputs(const ExportCall *export, const ExportModel *made);
/// NULL if there is none of that name.
const ExampleInput *example_input_named(const ExampleInputs *inputs, Str name);
/// The one whose axes dynamic_axes names under `key`: by input_names (`names`), else by the parameters; NULL.
const ExampleInput *example_input_of_axes(const ExampleInputs *inputs, const ExportNames *names, Str key);
/// "x, y and mask"
Str example_input_names(const ExampleInputs *inputs, Arena *arena);

typedef struct ExampleShape {
  int rank;                         ///< -1 if unknown.
  int64_t sizes[PY_EXAMPLE_LIMIT];  ///< -1 where unknown.
} ExampleShape;

/// Of an expression that makes a tensor, such as `torch.randn(2, 3)`.
ExampleShape example_shape(const PyModel *model, PyRef node);
/// Of one that makes an array: `numpy.zeros((2, 3))`, `x.numpy()`, maybe with astype().
ExampleShape example_array_shape(const PyModel *model, PyRef node);
/// "float64" of `torch.from_numpy(numpy.random.rand(2, 3))`, "float16" of `x.half()`; empty if it is not known, or
/// none.
Str example_float_type(const PyModel *model, PyRef node, Arena *arena);
/// Whether it makes a tensor of bools: `torch.ones(3, dtype=torch.bool)`, `x > 0`, `x.bool()`.
bool example_is_mask(const PyModel *model, PyRef node, Arena *arena);
/// "int64" of an expression that makes an array: `numpy.ones((2, 3), dtype=numpy.int64)`, `x.numpy()`; empty.
Str example_array_type(const PyModel *model, PyRef node, Arena *arena);
/// The type of the exported model's weights: "float32" if nothing in the file gives them another one, and "float16" of
/// `model.half()`; empty if that is not known. What `example` does is its own.
Str example_weights_type(const ExportCall *export, const ExportModel *made, PyRef example);
/// Whether a call of the file may give the model, with its buffers, another type.
bool example_may_be_converted(const ExportCall *export);
/// Sizes of 1 in the example inputs on axes that dynamic_axes names; `names` are the input_names.
void example_inputs_check_sizes(const ExportCall *export, const ExportNames *names);
/// dynamic_shapes against the inputs; whether something was reported.
bool example_inputs_check_shapes(const ExportCall *export, const ExportModel *made);
/// What dynamic_shapes has for the input; 0.
PyRef example_shapes_of(const ExportCall *export, const ExampleInput *input);
/// What dynamic_shapes has for an axis of the input, which has `rank` axes; 0.
PyRef example_dimension(const ExportCall *export, const ExampleInput *input, int axis, int rank);
