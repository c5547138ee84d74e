/// Weights that forward() uses and the module does not know as its own: a trace takes them for constants, and fails on
/// those that need a gradient. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes of the sink's Python file.
/// Errors:    what may be a part of the module in another way is not spoken of.
/// Threads:   as DiagSink.
/// Sources:   torch.nn.Module of torch 1.13 to 2.14; each case was run with 1.13, 2.6 and 2.14.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// What was found out of a file's attributes, in the sink's arena.
struct TracedWeights {
  PyRef *mentions;  ///< All `x.name` of the file, by name; NULL before somebody asks.
  size_t mention_count;
  PyRef *names;  ///< All identifiers, by name.
  size_t name_count;
  const PyCall *const *makers;  ///< By class: the only call that makes an object of it; NULL.
  int8_t *is_alone;             ///< By binding: nothing else knows its module; 0 if nobody asked.
  bool *is_said;                ///< By node: what makes these weights has its finding.
  int8_t *has_weights;          ///< By class: it surely makes some; 0 if nobody asked.
  int8_t *is_odd;  ///< By function: it may make them known, or keep them from needing a gradient; 0 if nobody asked.
};

/// `self.layers` and `self.scale` in a forward() that the TorchScript exporter runs.
void traced_weights_check(Forward *forward, PyRef attribute);
/// Has the lists ready.
void traced_weights_begin(const Forward *forward);
/// The call that makes the only object of a class; NULL.
const PyCall *traced_weights_maker(const Forward *forward, PyRef class_node);
/// Whether the call makes a module whose weights need a gradient.
bool traced_weights_are_in(const Forward *forward, PyRef made);
/// Whether the call makes a layer of torch.nn that has weights.
bool traced_weights_is_layer(const PyCall *call);
/// Whether it makes a parameter that needs one,
bool traced_weights_is_parameter(const PyModel *model, PyRef node);
/// or any tensor that does.
bool traced_weights_is_tensor(const PyModel *model, PyRef made);
/// Whether a function registers what it has, or keeps it from needing a gradient.
bool traced_weights_is_odd(const Forward *forward, uint32_t function);
/// Says `words` of `made`, once; `use` is where forward() uses it.
void traced_weights_say(Forward *forward, PyRef use, PyRef made, Str words, const Fix *fix);
