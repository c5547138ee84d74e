/// Models of torchvision while shapes are followed. Private to rules/.
///
/// Ownership: as ShapeWalk.
/// Units:     elements along an axis.
/// Errors:    what can't be told is unknown.
/// Threads:   as DiagSink.
/// Sources:   torchvision 0.21 and 0.29, run.
#pragma once

#include "python/rules/forward/forward_elements.h"
#include "python/rules/forward/forward_values.h"

/// What the model that `made` makes gives of a tensor; false if it is none of torchvision.
bool forward_through_vision(ShapeWalk *walk, const ModuleMaker *maker, const PyCall *made, PyRef where,
                            const Followed *given, Followed *ret_value);
/// What a splat of the first children of such a model gives in a Sequential, `*list(net.children())[:-1]`; false for
/// other expressions.
bool forward_through_children(ShapeWalk *walk, PyRef node, const Followed *given, Followed *ret_value);
