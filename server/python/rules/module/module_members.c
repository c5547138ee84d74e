// Which members the modules of a file have.

#include "python/rules/module/module_members.h"

#include "python/rules/export/export_call.h"
#include "python/rules/module/module_build.h"

bool module_members_are_plain(const PyModel *model, PyRef class_node, Arena *arena)
{
  const PyTree *tree = &model->tree;
  PyRef bases = py_child(tree, class_node, PY_F_SUPERCLASSES);
  PyRef base = bases ? py_first_child(tree, bases) : 0;
  return base && !py_next_sibling(tree, base) &&
         py_kind(tree, tree->nodes[class_node].parent) != PYK_DECORATED_DEFINITION &&
         str_equal(py_model_qualified(model, base, arena), STR("torch.nn.Module"));
}

/// `self.register_buffer(name, ...)`, where the name is not written out, and `module.register_buffer("mean", ...)`.
static bool has_open_buffer(const PyModel *model, Arena *arena)
{
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (!str_equal(py_tree_member_name(&model->tree, call->function_node), STR("register_buffer")))
      continue;
    const PyArgument *name = py_model_argument(model, call, 0, "name");
    Str ignored;
    bool is_own = py_tree_own_name(&model->tree, call->function_node).len > 0;
    if (!is_own || !name || !py_model_string(model, name->value, arena, &ignored))
      return true;
  }
  return false;
}

bool module_members_may_come(const PyModel *model, Arena *arena)
{
  static const char *const words[] = {
    "setattr(",  "__getattr__", "__dict__", "add_module(",     "register_module(", "register_parameter(",
    "__slots__", "vars(",       "exec(",    "__getattribute__"
  };
  return py_model_mentions_one_of(model, words, COUNT(words)) ||
         (py_model_mentions(model, "register_buffer") && has_open_buffer(model, arena));
}

/// Whether a branch of the constructor makes it.
static bool is_in_branch(const PyTree *tree, PyRef made, PyRef body)
{
  int depth = 0;
  for (PyRef at = made; at && at != body && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    if (py_kind(tree, at) == PYK_IF_STATEMENT)
      return true;
  }
  return false;
}

bool module_members_lack(const ModuleMaker *maker, PyRef made, Str name, Arena *arena)
{
  const PyModel *model = maker->model;
  uint32_t init = maker->class_node ? export_method_named(model, maker->class_node, STR("__init__")) : PY_ABSENT;
  return init != PY_ABSENT && maker->call && py_model_scope_of(model, made) == init &&
         is_in_branch(&model->tree, made, model->functions.items[init].body) &&
         module_members_are_plain(model, maker->class_node, arena) && module_build_lacks(maker, name, arena);
}
