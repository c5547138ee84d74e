// Modules of the file that derive from a layer of torch.nn.

#include "python/rules/module/module_bases.h"

#include "python/rules/export/export_call.h"

bool module_is_super(const PyModel *model, PyRef node)
{
  const PyCall *call = node ? py_model_call(model, py_tree_strip(&model->tree, node)) : NULL;
  return call && str_equal(py_text(&model->tree, call->function_node), STR("super"));
}

/// "torch.nn.Sequential", which is the only base of the class; empty for others.
static Str layer_of_class(const PyModel *model, PyRef class_node, Arena *arena)
{
  const PyTree *tree = &model->tree;
  PyRef bases = class_node ? py_child(tree, class_node, PY_F_SUPERCLASSES) : 0;
  PyRef base = bases ? py_first_child(tree, bases) : 0;
  Str name = base && !py_next_sibling(tree, base) ? py_model_qualified(model, base, arena) : (Str){ 0 };
  return str_starts_with(name, STR("torch.nn.")) && !str_equal(name, STR("torch.nn.Module")) ? name : (Str){ 0 };
}

/// The only call of `super().__init__()` in a constructor, which no branch decides on.
static const PyCall *call_of_super(const PyModel *model, const PyFunction *init)
{
  const PyTree *tree = &model->tree;
  const PyCall *found = NULL;
  for (PyRef statement = py_first_child(tree, init->body); statement; statement = py_next_sibling(tree, statement)) {
    const PyCall *call = py_model_call(model, py_first_child(tree, statement));
    if (!call || !str_equal(py_tree_member_name(tree, call->function_node), STR("__init__")) ||
        !module_is_super(model, py_tree_object(tree, call->function_node)))
      continue;
    if (found)
      return NULL;
    found = call;
  }
  return found;
}

/// Whether a constructor may give a Sequential more layers than the call of super(): `self.pool = nn.MaxPool2d(2)`.
static bool adds_layers(const ModuleMaker *maker, const PyFunction *init)
{
  const PyTree *tree = &maker->model->tree;
  for (PY_EACH_NODE(tree, node, init->body)) {
    PyNodeKind kind = py_kind(tree, node);
    PyRef target = kind == PYK_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
    PyRef called = kind == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
    int64_t number;
    if ((called && py_tree_own_name(tree, called).len > 0) ||
        (target && py_kind(tree, target) != PYK_IDENTIFIER &&
         !module_maker_int(maker, py_child(tree, node, PY_F_RIGHT), &number)))
      return true;
  }
  return false;
}

const PyCall *module_base_layer(const ModuleMaker *maker, Arena *arena, const ModuleMaker **ret_maker)
{
  const PyModel *model = maker->model;
  Str layer = layer_of_class(model, maker->class_node, arena);
  uint32_t init = layer.len > 0 ? py_model_own_method(model, maker->class_node, STR("__init__")) : PY_ABSENT;
  const PyCall *made = layer.len == 0      ? NULL
                       : init == PY_ABSENT ? maker->call
                                           : call_of_super(model, &model->functions.items[init]);
  *ret_maker = init == PY_ABSENT ? maker->outer : maker;
  bool is_sequence = str_equal(layer, STR("torch.nn.Sequential"));
  if (!made || !*ret_maker || (is_sequence && init != PY_ABSENT && adds_layers(maker, &model->functions.items[init])))
    return NULL;
  PyCall *meant = ARENA_NEW(arena, PyCall);
  *meant = *made;
  meant->qualified = layer;
  meant->function = meant->method = PY_ABSENT;
  return meant;
}
