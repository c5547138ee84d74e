/// What the attributes of a file's modules are: `self.layer = torch.nn.Linear(3, 4)`, and `table = {...}` in the class.
/// Private to rules/.
///
/// Ownership: lists lie in the arena that is given.
/// Units:     nodes of the model.
/// Errors:    0 for what is bound nowhere in sight, or more than once.
/// Threads:   pure.
/// Sources:   torch.nn of torch 1.13 to 2.14: which modules give one tensor.
#pragma once

#include "python/model/python_model.h"

typedef struct ModulePart {
  PyRef class_node;
  Str name;
  PyRef value;  ///< 0 if it is bound again.
  bool is_buffer;
  bool is_summed;  ///< `self.width *= 2` changes it.
} ModulePart;

/// `model.fc = nn.Linear(512, 10)`
typedef struct ModuleOuterPart {
  PyRef object;  ///< A name, but not `self`.
  Str name;
  PyRef value;
} ModuleOuterPart;

typedef struct ModuleParts {
  ModulePart *items;  ///< Sorted by class and name.
  size_t count;
  ModuleOuterPart *outer;  ///< What is assigned outside of classes, by position.
  size_t outer_count;
} ModuleParts;

ModuleParts module_parts(const PyModel *model, Arena *arena);
/// By class: the call that makes an object of it; NULL for none, or several.
const PyCall *const *module_makers(const PyModel *model, Arena *arena);
/// Whether a method of the class sets `self.name`, whatever to.
bool module_parts_sets(const ModuleParts *parts, PyRef class_node, Str name);
/// Whether it is bound more than once, or changed by `+=`: a number is not what it is made as.
bool module_parts_changes(const ModuleParts *parts, PyRef class_node, Str name);
/// What `self.name` is made as in methods of the class.
PyRef module_parts_value(const ModuleParts *parts, PyRef class_node, Str name);
/// The same of what nothing changes after that: 0 if it is assigned elsewhere, gets another weight or is appended to.
PyRef module_parts_unchanged(const ModuleParts *parts, const PyModel *model, PyRef class_node, Str name);
/// Whether a method of the class, but the constructor, assigns the member.
bool module_parts_assigned_later(const PyModel *model, PyRef class_node, const PyFunction *init, Str own);
/// What the only assignment outside of classes makes `name` of the object that the call makes, `model.fc =
/// nn.Linear(512, 10)`, surely and before anything else can come to it; 0 if nothing of the file changes it otherwise.
PyRef module_parts_replaced(const ModuleParts *parts, const PyModel *model, const PyCall *made, Str name);
/// Whether that is a parameter or a buffer, which is no constant of a trace as other tensors are.
bool module_parts_is_state(const ModuleParts *parts, const PyModel *model, PyRef class_node, Str name);
/// Whether the expression makes a module of torch.nn that gives one tensor: torch.nn.Linear(3, 4).
bool module_part_gives_tensor(const PyModel *model, PyRef value);
/// Whether it is a tensor itself: a Parameter, or a buffer.
bool module_part_is_tensor(const PyModel *model, PyRef value);
/// What makes each layer of `torch.nn.Sequential(*[Block(4) for _ in range(3)])`; 0 for others.
PyRef module_part_repeated(const PyModel *model, const PyCall *sequence);
