// What is given to a session though it is a tensor of torch: one that the file makes, also by way of a loop, and what a
// DataLoader gives.

#include "base/limits.h"
#include "python/rules/tools/session_run.h"

/// The `for` around a use whose target has that name, if its body gives the name nothing else; 0.
static PyRef loop_of_name(const PyModel *model, PyRef use, PyRef *ret_target)
{
  const PyTree *tree = &model->tree;
  Str name = py_text(tree, use);
  PyRef at = tree->nodes[use].parent;
  for (int depth = 0; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    if (py_kind(tree, at) == PYK_FUNCTION_DEFINITION)
      return 0;
    if (py_kind(tree, at) != PYK_FOR_STATEMENT)
      continue;
    *ret_target = 0;
    PyRef left = py_child(tree, at, PY_F_LEFT), over = py_child(tree, at, PY_F_RIGHT);
    for (PY_EACH_NODE(tree, node, at)) {
      bool is_name = py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), name);
      PyRef up = tree->nodes[node].parent;
      if (is_name && left <= node && node < tree->nodes[left].next)
        *ret_target = node;
      else if (is_name && node > over && tree->nodes[node].field == PY_F_LEFT && py_kind(tree, up) != PYK_SUBSCRIPT)
        return 0;
    }
    if (*ret_target)
      return at;
  }
  return 0;
}

/// The place of a name in a target `a, b`; 0 for a target that is the name alone.
static bool place_in(const PyTree *tree, PyRef loop, PyRef target, size_t *ret_place)
{
  PyRef left = py_child(tree, loop, PY_F_LEFT);
  *ret_place = 0;
  if (left == target)
    return true;
  if (tree->nodes[target].parent != left)
    return false;
  for (PyRef at = py_first_child(tree, left); at != target; at = py_next_sibling(tree, at))
    ++*ret_place;
  return true;
}

static PyRef element_at(const PyTree *tree, PyRef list, size_t place)
{
  PyRef item =
      py_kind(tree, list) == PYK_TUPLE || py_kind(tree, list) == PYK_LIST ? py_tree_first_element(tree, list) : 0;
  for (; item && place > 0 && !py_tree_is_splat(tree, item); place--)
    item = py_tree_next_element(tree, item);
  return item && !py_tree_is_splat(tree, item) ? item : 0;
}

/// `for x, y in DataLoader(data)`: what puts samples together makes tensors of them, if nothing else is asked for.
static bool is_loader(const PyModel *model, PyRef over)
{
  static const char *const loaders[] = { "torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader" };
  const PyCall *call = py_model_call(model, export_module_made(model, over));
  return call && str_is_one_of(call->qualified, loaders, COUNT(loaders)) && !call->has_dictionary_splat &&
         !py_model_argument(model, call, PY_ABSENT, "collate_fn");
}

static bool is_made(const PyModel *model, PyRef made)
{
  static const char *const methods[] = { "to", "cuda", "cpu", "float", "half", "long", "unsqueeze", "detach" };
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, made);
  if (!call)
    return false;
  PyRef function = call->function_node;
  bool is_method = py_kind(tree, function) == PYK_ATTRIBUTE;
  return export_tensor_call(model, made) == call ||
         (is_method && export_is_tensor(model, made) && !str_contains(py_text(tree, made), STR("numpy")) &&
          str_is_one_of(py_tree_member_name(tree, function), methods, COUNT(methods)));
}

/// A name that each turn of a loop gives a tensor.
static bool is_of_loop(const PyModel *model, PyRef name)
{
  const PyTree *tree = &model->tree;
  PyRef target = 0, loop = py_kind(tree, name) == PYK_IDENTIFIER ? loop_of_name(model, name, &target) : 0;
  size_t place;
  if (!loop || !place_in(tree, loop, target, &place))
    return false;
  bool is_pair = py_child(tree, loop, PY_F_LEFT) != target;
  PyRef over = py_model_resolve(model, py_child(tree, loop, PY_F_RIGHT));
  if (is_pair && place == 0 && is_loader(model, over))
    return true;
  PyRef item =
      py_kind(tree, over) == PYK_LIST || py_kind(tree, over) == PYK_TUPLE ? py_tree_first_element(tree, over) : 0;
  bool is_all = item != 0;
  for (; item && is_all; item = py_tree_next_element(tree, item)) {
    PyRef value = is_pair ? element_at(tree, py_model_resolve(model, item), place) : item;
    is_all = value && !py_tree_is_splat(tree, value) && is_made(model, py_model_resolve(model, value));
  }
  return is_all;
}

bool session_is_tensor(const PyModel *model, PyRef value)
{
  static const char *const kept[] = { "to", "cuda", "cpu", "float", "unsqueeze" };
  const PyTree *tree = &model->tree;
  PyRef made = py_model_resolve(model, value);
  if (is_made(model, made) || is_of_loop(model, made))
    return true;
  // `x.to(device)` of such a name.
  const PyCall *call = py_model_call(model, made);
  PyRef function = call ? call->function_node : 0;
  return function && str_is_one_of(py_tree_member_name(tree, function), kept, COUNT(kept)) &&
         is_of_loop(model, py_tree_object(tree, function));
}
