/// Whether what a model gives needs a gradient, so that numpy takes it only after detach(). Private to rules/.
///
/// Ownership: as PyModel.
/// Units:     nodes of the model.
/// Errors:    false where that is not sure.
/// Threads:   pure.
/// Sources:   torch 1.13, 2.6 and 2.14, run.
#pragma once

#include "python/rules/module/module_parts.h"

/// Whether the expression, outside of forward(), is surely computed by layers that have weights, where nothing in the
/// file keeps these from needing a gradient: `model(x)`, `torch.softmax(net(x), 1)[0]`.
bool result_needs_gradient(const PyModel *model, const ModuleParts *parts, PyRef node, Arena *arena);
