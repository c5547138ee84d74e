/// What a list of modules holds, however it is filled: written out, a comprehension, or by append() and its like where
/// it is made. Private to rules/.
///
/// Units:     nodes of the model.
/// Errors:    what is not known is not among the items, and is said by a flag.
/// Threads:   pure.
/// Sources:   torch.nn.ModuleList and torch.nn.Sequential of torch 1.13 to 2.14.
#pragma once

#include "base/limits.h"
#include "python/rules/module/module_parts.h"

typedef struct ModuleItem {
  PyRef node;       ///< The expression that makes the module.
  bool is_perhaps;  ///< A condition decides whether it is in the list.
} ModuleItem;

typedef struct ModuleItems {
  ModuleItem items[PY_MODULE_ITEM_LIMIT];  ///< In the order in which they are written; those of a loop come once.
  size_t count;
  uint32_t lists;   ///< So many were looked into.
  bool has_others;  ///< There are, or may be, more than these.
} ModuleItems;

/// Of what makes the list: `[A(), B()]`, `nn.ModuleList(...)`, `nn.Sequential(*layers)`, `layers`, `build(3)`. Where
/// `self.own` of the class is bound to it, what its __init__() appends counts, too.
void module_items(const PyModel *model, PyRef made, PyRef class_node, Str own, ModuleItems *ret_items);
