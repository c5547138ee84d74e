/// Sizes of the model's inputs that dynamic_axes leaves open, and what a trace makes constants of. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     axes as sets: bit n for axis n; by PyModel.params.
/// Errors:    what is not surely an open size is none.
/// Threads:   as DiagSink.
/// Sources:   traced with torch 2.6 and 2.14, and run with other sizes.
#pragma once

#include "python/rules/export/example_inputs.h"
#include "python/rules/forward/forward_tensors.h"

/// `node` is what names the axis: `2: "height"`.
typedef void OpenAxisVisitor(void *context, const ExampleInput *input, int axis, PyRef node);

/// Visits the axes of inputs that dynamic_axes names, counted from the front.
void forward_each_open_axis(const ExportCall *export, const ExportModel *made, OpenAxisVisitor *visit, void *context);
/// Notes the axes of the parameters of the exported model that dynamic_axes names: bit n for axis n, and
/// from PY_OPEN_AXIS_LIMIT on how many axes the example has, 0 if that is not known.
void forward_note_axes(const ExportCall *export, const ExportModel *made, uint32_t *open_axes);
/// What of an open size the trace keeps as a constant at that call: "int() takes ..."; NULL.
const char *forward_frozen_size(Forward *forward, const PyCall *call);
bool forward_is_data_of_open(const Forward *forward, PyRef attribute);
/// Whether it is a size that a trace has as a tensor, or a number that is computed of one: `x.shape[2] // 2`.
bool forward_is_traced_size(Forward *forward, PyRef node);
/// Whether it is a size that dynamic_axes leaves open, or a number that is computed of one.
bool forward_is_open_size(Forward *forward, PyRef node);
/// The open axes of a name that is a parameter there, as forward_note_axes() has them; 0 for others.
uint32_t forward_open_axes(const Forward *forward, PyRef node);
/// Whether it is `range(x.shape[1])`: a loop that is unrolled.
bool forward_is_open_range(Forward *forward, PyRef node);
/// Whether a condition asks for an open size: `x.shape[2] % 8 != 0`, `h > w`. What asks for 0 elements does not count.
bool forward_asks_open_size(Forward *forward, PyRef condition);
/// The argument of a call of a pool, unfold() or layer_norm() that is made of sizes of a tensor: in a trace these are
/// tensors, and the TorchScript exporter wants numbers there. 0 if there is none. Run with torch 1.13, 2.6 and 2.14: a
/// list of them goes where no axis is open, a size by itself only in newer releases.
PyRef forward_refused_size(Forward *forward, const PyCall *call, Str *ret_function);
/// Whether a call gets a tensor that a trace has as one: what is computed of the inputs, a parameter or a buffer of the
/// model, or what is made of sizes of a tensor. Other tensors are constants, which are folded. Run with torch 1.13.
bool forward_has_traced_argument(Forward *forward, const PyCall *call);
/// `torch.ones(n, n)` of a size n, and a name for it.
bool forward_is_made_of_sizes(Forward *forward, PyRef node);
