/// Which functions of torch, and methods of tensors, give one tensor, and what that has of the one they get. Private to
/// rules/.
///
/// Units:     names without `torch.`, `torch.nn.functional.` or the object.
/// Threads:   pure.
/// Sources:   torch 1.13 to 2.14.
#pragma once

#include "base/str.h"

/// Methods and functions of torch that make one tensor of a tensor.
bool tensor_maker_takes_one(Str name);
/// Functions that take nothing but a tensor, or a list of them, and make one tensor of it: what is given is one, too.
bool tensor_maker_wants_one(Str name);
/// What of floats gives floats of that type, and of other numbers something else, or nothing.
bool tensor_maker_keeps_floats(Str name);
/// What gives the element type that it gets, and what the sizes.
bool tensor_maker_keeps_type(Str name);
bool tensor_maker_keeps_sizes(Str name);
/// Members of a tensor that are one, too, and part of a trace: `x.T`.
bool tensor_maker_is_member(Str name);
/// Functions of torch that make a tensor of sizes. torch.tensor() is none of them: an export knows what it holds.
bool tensor_maker_takes_sizes(Str name);
