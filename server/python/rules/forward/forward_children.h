/// The children of modules of the file, as a Sequential takes them: `*list(net.children())[:-1]`. Private to rules/.
///
/// Ownership: parts lie in the arena.
/// Units:     nodes of the model.
/// Errors:    false where not all that the constructor assigns is known.
/// Threads:   pure.
/// Sources:   torch.nn.Module of torch 1.13 to 2.14: children come in the order in which they were assigned first.
#pragma once

#include "python/rules/module/module_build.h"

bool forward_own_children(const ModuleMaker *maker, PyRef node, Arena *arena, BuiltParts *parts);
