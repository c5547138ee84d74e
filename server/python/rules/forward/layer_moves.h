/// What layers and functions that stretch, surround and rearrange make of sizes. Private to rules/.
///
/// Ownership: messages lie in the arena that is given.
/// Units:     elements along an axis.
/// Errors:    what can't be told is unknown.
/// Threads:   pure.
/// Sources:   torch.nn.functional; refusals run with torch 1.13, 2.6 and 2.14.
#pragma once

#include "python/rules/forward/layer_shapes.h"

/// Of a layer that is one of these; false for others.
bool layer_moved(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Shape *ret_shape,
                 Str *ret_why);
/// "in mode 'bilinear', which is for 4 axes, ..." of other tensors; empty where it fits.
Str layer_mode_refusal(Str mode, const Shape *given, Arena *arena);
/// pixel_shuffle(), and back.
Shape layer_shuffled(const Shape *given, int64_t factor, bool is_back, Arena *arena, Str *ret_why);
/// Padded by `count` numbers, from the last axis on.
Shape layer_padded(const Shape *given, const int64_t *numbers, int count, Str mode, Arena *arena, Str *ret_why);
