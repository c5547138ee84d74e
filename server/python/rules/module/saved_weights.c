// What a file saves with torch.save() and loads again.

#include "python/rules/module/saved_weights.h"

#include "python/rules/forward/forward_tensors.h"

/// What the file saves under that path; 0 if it does not, or that is not known.
static PyRef saved_as(const PyModel *model, Str path, Arena *arena)
{
  PyRef found = 0;
  Str other;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (!str_equal(call->qualified, STR("torch.save")))
      continue;
    const PyArgument *what = py_model_argument(model, call, 0, "obj");
    const PyArgument *where = py_model_argument(model, call, 1, "f");
    if (!what || !where || !py_model_string(model, where->value, arena, &other) || !str_equal(other, path))
      continue;
    if (found)
      return 0;
    found = py_model_resolve(model, what->value);
  }
  return found;
}

PyRef saved_and_loaded(const PyModel *model, const PyCall *load, Arena *arena)
{
  bool is_load = load && str_equal(load->qualified, STR("torch.load"));
  const PyArgument *file = is_load ? py_model_argument(model, load, 0, "f") : NULL;
  Str path;
  return file && py_model_string(model, file->value, arena, &path) ? saved_as(model, path, arena) : 0;
}

/// Whether a use of a name of weights leaves them as they are: `weights["epoch"]`, `weights.keys()`, `load(weights)`.
static bool is_harmless(const PyTree *tree, PyRef name)
{
  static const char *const readers[] = { "keys", "items", "values", "get" };
  static const char *const takers[] = { "print", "len", "load_state_dict", "type", "isinstance" };
  PyRef up = tree->nodes[name].parent;
  switch (py_kind(tree, up)) {
  case PYK_SUBSCRIPT: {
    PyRef around = tree->nodes[up].parent;
    PyNodeKind kind = py_kind(tree, around);
    return kind != PYK_DELETE_STATEMENT && kind != PYK_EXPRESSION_LIST && kind != PYK_PATTERN_LIST &&
           (kind != PYK_ASSIGNMENT || py_child(tree, around, PY_F_LEFT) != up);
  }
  case PYK_ATTRIBUTE:
    return str_is_one_of(py_tree_member_name(tree, up), readers, COUNT(readers));
  case PYK_ASSIGNMENT:
    return py_child(tree, up, PY_F_LEFT) == name;
  case PYK_ARGUMENT_LIST: {
    PyRef callee = py_tree_callee(tree, tree->nodes[up].parent);
    Str called = callee && py_kind(tree, callee) == PYK_ATTRIBUTE ? py_tree_member_name(tree, callee)
                 : callee                                         ? py_text(tree, callee)
                                                                  : (Str){ 0 };
    return str_is_one_of(called, takers, COUNT(takers));
  }
  default:
    return false;
  }
}

/// Whether nothing in the scope of a name may change what it stands for.
static bool is_untouched(const PyModel *model, PyRef name)
{
  const PyTree *tree = &model->tree;
  uint32_t scope = py_model_scope_of(model, name);
  PyRef first = scope == PY_ABSENT ? 1 : model->functions.items[scope].node;
  PyRef end = scope == PY_ABSENT ? tree->count : tree->nodes[first].next;
  for (PyRef node = first; node < end; node++) {
    if (py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), py_text(tree, name)) &&
        !is_harmless(tree, node))
      return false;
  }
  return true;
}

/// What a name stands for at that place; the node itself for others.
static PyRef value_of(const PyModel *model, PyRef node)
{
  node = py_tree_strip(&model->tree, node);
  if (py_kind(&model->tree, node) != PYK_IDENTIFIER)
    return node;
  PyRef value = forward_value_in_force(model, node);
  value = value ? value : py_model_resolve(model, node);
  return value != node && !is_untouched(model, node) ? 0 : py_tree_strip(&model->tree, value);
}

PyRef saved_weights(const PyModel *model, PyRef node, Arena *arena)
{
  const PyTree *tree = &model->tree;
  node = value_of(model, node);
  bool is_member = node && py_kind(tree, node) == PYK_SUBSCRIPT;
  PyRef whole = is_member ? value_of(model, py_child(tree, node, PY_F_VALUE)) : node;
  const PyCall *load = whole ? py_model_call(model, whole) : NULL;
  if (!load || !str_equal(load->qualified, STR("torch.load")))
    return is_member ? 0 : node;
  PyRef saved = saved_and_loaded(model, load, arena);
  if (!is_member || !saved || py_kind(tree, saved) != PYK_DICTIONARY)
    return is_member ? 0 : saved;
  PyRef part = py_model_element(model, saved, py_child(tree, node, PY_F_SUBSCRIPT));
  return part ? py_model_resolve(model, part) : 0;
}

PyRef saved_key_missing(const PyModel *model, PyRef node, Arena *arena)
{
  const PyTree *tree = &model->tree;
  node = value_of(model, node);
  bool is_member = node && py_kind(tree, node) == PYK_SUBSCRIPT;
  PyRef whole = is_member ? value_of(model, py_child(tree, node, PY_F_VALUE)) : 0;
  PyRef saved = whole ? saved_and_loaded(model, py_model_call(model, whole), arena) : 0;
  PyRef key = saved && py_kind(tree, saved) == PYK_DICTIONARY ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
  Str wanted, name;
  if (!key || !py_model_string(model, key, arena, &wanted))
    return 0;
  for (PY_EACH_ELEMENT(tree, pair, saved)) {
    PyRef other = py_tree_key(tree, pair);
    if (!other || !py_model_string(model, other, arena, &name) || str_equal(name, wanted))
      return 0;
  }
  return key;
}
