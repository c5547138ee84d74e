/// Which members the modules of a file have. Private to rules/.
///
/// Units:     nodes of the model.
/// Errors:    what is not sure may have any member.
/// Threads:   pure.
#pragma once

#include "python/rules/module/module_maker.h"

/// Whether the class has torch.nn.Module for its only base, and nothing decorates it.
bool module_members_are_plain(const PyModel *model, PyRef class_node, Arena *arena);
/// Whether members may come in other ways than by an assignment, such as setattr().
bool module_members_may_come(const PyModel *model, Arena *arena);
/// Whether the constructor sets the member, as `made`, in a branch alone that it does not go through for the numbers of
/// the maker.
bool module_members_lack(const ModuleMaker *maker, PyRef made, Str name, Arena *arena);
