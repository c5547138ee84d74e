#include "python/rules/module/module_items.h"

#include "python/rules/export/export_call.h"

/// Where a list is filled, and by which name: `layers` in a function, or `self.layers` in __init__().
typedef struct Filling {
  const PyModel *model;
  uint32_t function;
  Str name;  ///< As it is written there.
  ModuleItems *items;
} Filling;

static void add_list(const PyModel *model, PyRef list, bool is_perhaps, int depth, ModuleItems *items);

static void add_item(ModuleItems *items, PyRef node, bool is_perhaps)
{
  items->has_others |= items->count == PY_MODULE_ITEM_LIMIT;
  if (items->count < PY_MODULE_ITEM_LIMIT)
    items->items[items->count++] = (ModuleItem){ node, is_perhaps };
}

/// Whether a condition stands around it in the function.
static bool is_conditional(const PyModel *model, PyRef node, PyRef body)
{
  const PyTree *tree = &model->tree;
  int depth = 0;
  for (PyRef at = tree->nodes[node].parent; at && at != body && depth < PY_NESTING_LIMIT;
       at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_IF_STATEMENT || kind == PYK_TRY_STATEMENT || kind == PYK_WHILE_STATEMENT ||
        kind == PYK_CONDITIONAL_EXPRESSION || kind == PYK_MATCH_STATEMENT)
      return true;
  }
  return false;
}

/// `layers.append(A())`, `layers.extend([A()])`, `layers.add_module("a", A())`.
static void add_of_call(const Filling *filling, const PyCall *call, int depth)
{
  const PyModel *model = filling->model;
  const PyTree *tree = &model->tree;
  PyRef object = py_tree_object(tree, call->function_node);
  if (!object || !str_equal(py_text(tree, object), filling->name))
    return;
  Str method = py_tree_member_name(tree, call->function_node);
  bool is_named = str_equal(method, STR("add_module"));
  const PyArgument *given = py_model_argument(model, call, is_named ? 1 : 0, NULL);
  bool is_perhaps = is_conditional(model, call->node, model->functions.items[filling->function].body);
  if (given && (is_named || str_equal(method, STR("append"))))
    add_item(filling->items, py_tree_strip(tree, given->value), is_perhaps);
  else if (given && str_equal(method, STR("extend")))
    add_list(model, given->value, is_perhaps, depth, filling->items);
  else
    filling->items->has_others = true;
}

/// `layers += [A()]`
static void add_of_sum(const Filling *filling, PyRef node, int depth)
{
  const PyTree *tree = &filling->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  if (left && right && str_equal(py_text(tree, left), filling->name))
    add_list(filling->model, right,
             is_conditional(filling->model, node, filling->model->functions.items[filling->function].body), depth,
             filling->items);
}

static void add_filled(const PyModel *model, uint32_t function, Str name, int depth, ModuleItems *items)
{
  Filling filling = { model, function, name, items };
  PyRef body = model->functions.items[function].body;
  uint32_t seen = 0;
  for (PyRef node = body; node && node < model->tree.nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    const PyCall *call = py_model_call(model, node);
    if (py_runs_elsewhere(kind))
      node = model->tree.nodes[node].next - 1;
    else if (call)
      add_of_call(&filling, call, depth);
    else if (kind == PYK_AUGMENTED_ASSIGNMENT)
      add_of_sum(&filling, node, depth);
  }
}

/// A name that the function binds once, to a list, and fills.
static void add_name(const PyModel *model, PyRef name, bool is_perhaps, int depth, ModuleItems *items)
{
  uint32_t scope = py_model_scope_of(model, name);
  Str text = py_text(&model->tree, name);
  uint32_t at = scope == PY_ABSENT ? PY_ABSENT : py_model_lookup(model, scope, text);
  const PyBinding *first = at == PY_ABSENT ? NULL : &model->bindings.items[at];
  bool is_one = first && first->scope == scope && first->kind == PY_BIND_ASSIGN;
  for (uint32_t next = is_one ? first->next : PY_ABSENT; next != PY_ABSENT && is_one;
       next = model->bindings.items[next].next) {
    PyNodeKind around = py_kind(&model->tree, model->tree.nodes[model->bindings.items[next].node].parent);
    is_one = around == PYK_AUGMENTED_ASSIGNMENT;
  }
  if (!is_one) {
    items->has_others = true;
    return;
  }
  add_list(model, first->value, is_perhaps, depth, items);
  add_filled(model, scope, text, depth, items);
}

static void add_parts(const PyModel *model, PyRef list, bool is_perhaps, int depth, ModuleItems *items)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (py_tree_is_splat(tree, item))
      add_list(model, py_first_child(tree, item), is_perhaps, depth, items);
    else
      add_item(items, py_tree_strip(tree, item), is_perhaps);
  }
}

static void add_call(const PyModel *model, const PyCall *call, bool is_perhaps, int depth, ModuleItems *items)
{
  bool is_sequence = str_equal(call->qualified, STR("torch.nn.Sequential"));
  bool is_list = str_equal(call->qualified, STR("torch.nn.ModuleList"));
  items->has_others |= (!is_sequence && !is_list) || call->has_dictionary_splat;
  for (uint32_t i = 0; (is_sequence || is_list) && i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (is_list || argument->is_splat)
      add_list(model, argument->value, is_perhaps, depth, items);
    else
      add_item(items, py_tree_strip(&model->tree, argument->value), is_perhaps);
  }
}

static void add_list(const PyModel *model, PyRef list, bool is_perhaps, int depth, ModuleItems *items)
{
  list = py_tree_strip(&model->tree, list);
  if (depth <= 0 || items->lists++ == PY_MODULE_LIST_LIMIT) {
    items->lists = PY_MODULE_LIST_LIMIT;
    items->has_others = true;
    return;
  }
  const PyCall *call = py_model_call(model, list);
  if (call && call->function != PY_ABSENT) {
    list = export_resolve(model, list);
    call = py_model_call(model, list);
  }
  switch (py_kind(&model->tree, list)) {
  case PYK_LIST:
  case PYK_TUPLE:
    add_parts(model, list, is_perhaps, depth - 1, items);
    break;
  case PYK_LIST_COMPREHENSION:
  case PYK_GENERATOR_EXPRESSION:
    add_item(items, py_first_child(&model->tree, list), is_perhaps);
    break;
  case PYK_IDENTIFIER:
    add_name(model, list, is_perhaps, depth - 1, items);
    break;
  case PYK_CALL:
    if (call)
      add_call(model, call, is_perhaps, depth - 1, items);
    else
      items->has_others = true;
    break;
  default:
    items->has_others = true;
    break;
  }
}

void module_items(const PyModel *model, PyRef made, PyRef class_node, Str own, ModuleItems *ret_items)
{
  enum { DEPTH = 6 };
  *ret_items = (ModuleItems){ .count = 0 };
  add_list(model, made, false, DEPTH, ret_items);
  uint32_t init = class_node && own.len > 0 ? export_method_named(model, class_node, STR("__init__")) : PY_ABSENT;
  const PyFunction *function = init == PY_ABSENT ? NULL : &model->functions.items[init];
  if (!function || function->param_count == 0)
    return;
  char text[PY_OWN_NAME_LIMIT];
  Str self = py_model_params(model, function)->name;
  if (self.len + own.len + 1 > sizeof(text))
    return;
  for (size_t i = 0; i < self.len + own.len + 1; i++)
    text[i] = i < self.len ? self.data[i] : i == self.len ? '.' : own.data[i - self.len - 1];
  add_filled(model, init, (Str){ text, self.len + own.len + 1 }, DEPTH, ret_items);
}
