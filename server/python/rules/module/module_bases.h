/// Modules of the file that derive from a layer of torch.nn: `class ConvBNReLU(nn.Sequential)`. Private to rules/.
///
/// Ownership: as module_maker.h; calls lie in the arena.
/// Units:     nodes of the model.
/// Errors:    NULL for other classes, and where it is not known how the layer is made.
/// Threads:   pure.
#pragma once

#include "python/rules/module/module_maker.h"

/// The layer as it is made: the call of `super().__init__()` in the constructor, or without one that of the class, with
/// the layer for its name. `ret_maker` has the names that its arguments use.
const PyCall *module_base_layer(const ModuleMaker *maker, Arena *arena, const ModuleMaker **ret_maker);
/// Whether an expression is `super()`, or `super(Net, self)`.
bool module_is_super(const PyModel *model, PyRef node);
