/// What a layer of torch.nn gives of the sizes that it gets. Private to rules/.
///
/// Ownership: messages lie in the arena that is given.
/// Units:     elements along an axis.
/// Errors:    what can't be told is unknown.
/// Threads:   pure.
/// Sources:   torch.nn of torch 1.13 to 2.14; refusals run with 2.6 and 2.14.
#pragma once

#include "python/rules/forward/shapes.h"
#include "python/rules/module/module_maker.h"

/// What `call`, such as `nn.Conv2d(3, 8, 3)`, makes of a tensor. Where it refuses it, `ret_why` says so: "gives
/// torch.nn.Linear ... ".
Shape layer_shape(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why);
/// Why torch can't make the layer at all: "runs torch.nn.GroupNorm of 16 channels, ..."; empty if it can, or that is
/// not known.
Str layer_made_refusal(const ModuleMaker *maker, const PyCall *call, Arena *arena);
/// The same of a pooling function: the window is in the arguments after the first one.
Shape layer_pool_shape(const ModuleMaker *maker, const PyCall *call, Str name, const Shape *given, Arena *arena,
                       Str *ret_why);
/// How many states a recurrent layer has, by layers and directions; -1.
int64_t layer_state_count(const ModuleMaker *maker, const PyCall *call);
/// Where its input has the batch; -1 if that is not known.
int layer_batch_axis(const ModuleMaker *maker, const PyCall *call);
/// Of a recurrent layer that is the first of two things that it gives.
bool layer_is_recurrent(Str name);
/// Whether it has other inputs beside its first: states, or keys and values.
bool layer_takes_others(Str name);
/// Whether it takes only tensors of the type of its weights.
bool layer_is_strict(Str name);
/// The same while torch.export captures it: of some it does not compare the types. Run with torch 2.6 and 2.14.
bool layer_is_strict_when_captured(Str name);
/// "Linear" of a call of torch.nn.Linear(); empty for others.
Str layer_name(const PyCall *call);
/// Whether it keeps sizes: the name of a layer, a function or a method.
bool layer_keeps_shape(Str name);
/// Why the TorchScript exporter does not take a layer or a function of that name, although it runs: adaptive pools, of
/// which it has those alone that are plain ones (adaptive_pool in torch/onnx/symbolic_opset9.py). Empty if it does, or
/// that is not known.
Str layer_traced_refusal(Str name, const Shape *given, const Shape *made, Arena *arena);
/// The same where sizes from `open` on are not known to the exporter: then it has those pools alone that give one
/// element. `name` is that of a layer or a function.
Str layer_open_refusal(Str name, const Shape *given, const Shape *made, int64_t open, Arena *arena);
