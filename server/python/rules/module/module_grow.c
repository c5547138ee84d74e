// Lists of modules that names of a constructor hold, while it runs: a module that is made of one has what it holds at
// that moment, not what comes later, or in the next turn of a loop.

#include <string.h>

#include "base/limits.h"
#include "python/rules/module/module_build_private.h"

/// Whether a value is a list that may hold modules: an empty one, or one whose first element is made there.
static bool holds_modules(const Build *build, PyRef value)
{
  const PyModel *model = build->maker->model;
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, value);
  PyRef first = 0;
  switch (py_kind(tree, value)) {
  case PYK_CALL:
    return call && (str_equal(call->qualified, STR("torch.nn.ModuleList")) ||
                    str_equal(call->qualified, STR("torch.nn.Sequential")));
  case PYK_LIST:
    first = py_tree_first_element(tree, value);
    return !first || py_kind(tree, first) == PYK_CALL || py_tree_is_splat(tree, first);
  case PYK_LIST_COMPREHENSION:
    return py_kind(tree, py_first_child(tree, value)) == PYK_CALL;
  default:
    return false;
  }
}

bool build_grow(Build *build, MadeName *list, PyRef what, bool is_list)
{
  if (!list)
    return false;
  Str name = list->name;
  BuiltParts *outer = build->parts, *parts = list->parts;
  if (parts->count != list->part_count) {
    parts = ARENA_NEW(build->arena, BuiltParts);
    *parts = *list->parts;
    parts->count = list->part_count;
  }
  build->parts = parts;
  bool is_known = is_list ? build_add_list(build, what) : build_add_part(build, what);
  build->parts = outer;
  list = build_name(build, name);
  if (list && is_known)
    *list = (MadeName){ .name = name, .parts = parts, .part_count = parts->count };
  return list && is_known;
}

void build_begin_list(Build *build, PyRef target, PyRef value)
{
  value = py_tree_strip(build_tree(build), value);
  MadeName *list = holds_modules(build, value) ? build_name(build, py_text(build_tree(build), target)) : NULL;
  if (!list || build->steps < PY_MADE_LIST_LIMIT)
    return;
  build->steps -= PY_MADE_LIST_LIMIT;
  MadeName before = *list;
  list->parts = ARENA_NEW(build->arena, BuiltParts);
  list->part_count = 0;
  bool is_known = build_grow(build, list, value, true);
  list = build_name(build, before.name);
  if (list && !is_known)
    *list = before;
  else if (list)
    list->node = before.node;  // A Sequential is a module, too.
}

MadeName *build_list_named(Build *build, PyRef node)
{
  const PyTree *tree = build_tree(build);
  for (size_t i = 0; node && py_kind(tree, node) == PYK_IDENTIFIER && i < build->name_count; i++) {
    if (build->names[i].parts && str_equal(build->names[i].name, py_text(tree, node)))
      return &build->names[i];
  }
  return NULL;
}

bool build_take_list(const ModuleMaker *maker, PyRef name, BuiltParts *parts)
{
  Str text = py_text(&maker->model->tree, name);
  for (size_t i = 0; i < maker->name_count; i++) {
    const MadeName *made = &maker->names[i];
    if (!made->parts || !str_equal(made->name, text) || made->part_count + parts->count > PY_BUILT_PART_LIMIT)
      continue;
    memcpy(parts->items + parts->count, made->parts->items, made->part_count * sizeof(*parts->items));
    parts->count += made->part_count;
    return true;
  }
  return false;
}

/// Whether what is done with a name there only reads it: `*layers`, `layers[0]`, `nn.ModuleList(layers)`,
/// `len(layers)`.
static bool only_reads(const Build *build, PyRef name)
{
  static const char *const readers[] = { "len", "enumerate", "zip", "reversed", "list", "tuple" };
  const PyModel *model = build->maker->model;
  const PyTree *tree = &model->tree;
  PyRef parent = tree->nodes[name].parent, around = tree->nodes[parent].parent;
  PyNodeKind kind = py_kind(tree, parent);
  const PyCall *call = py_model_call(model, kind == PYK_CALL ? parent : around);
  if (kind == PYK_SUBSCRIPT || kind == PYK_FOR_IN_CLAUSE || py_tree_is_splat(tree, parent))
    return true;
  return call && (str_starts_with(call->qualified, STR("torch.nn.")) ||
                  str_is_one_of(call->qualified, readers, COUNT(readers)));
}

bool build_lets_go(Build *build, PyRef node)
{
  const PyTree *tree = build_tree(build);
  for (PY_EACH_NODE(tree, at, node)) {
    PyNodeKind kind = py_kind(tree, at);
    if ((kind != PYK_IDENTIFIER && kind != PYK_ATTRIBUTE) || only_reads(build, at))
      continue;
    if (build->name.len > 0 && str_equal(py_text(tree, at), build->name))
      return false;
    MadeName *list = build_list_named(build, at);
    if (list)
      *list = (MadeName){ .name = list->name };
  }
  return true;
}
