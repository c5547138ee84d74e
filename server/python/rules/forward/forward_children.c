// What `list(net.children())` holds of a module of the file: what its constructor assigns, in that order.

#include "python/rules/forward/forward_children.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/written_items.h"

/// `net` of `net.children()`, also in `list()` and with `[:-1]`, whose ends are written; 0 for other expressions.
static PyRef net_of(const PyModel *model, PyRef node, int64_t *ret_first, int64_t *ret_end)
{
  const PyTree *tree = &model->tree;
  node = py_model_resolve(model, node);
  PyRef slice = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
  *ret_first = 0;
  *ret_end = INT32_MAX;
  if (slice) {
    PyRef number = py_kind(tree, slice) == PYK_SLICE ? py_first_child(tree, slice) : 0;
    bool is_end = number && str_starts_with(py_text(tree, slice), STR(":"));
    if (!number || py_next_sibling(tree, number) || !py_model_int(model, number, is_end ? ret_end : ret_first))
      return 0;
    node = py_model_resolve(model, py_child(tree, node, PY_F_VALUE));
  }
  const PyCall *copy = written_copy(model, node, "list");
  const PyCall *call = py_model_call(model, copy ? py_model_arguments(model, copy)->value : node);
  bool is_children =
      call && call->argument_count == 0 && str_equal(py_tree_member_name(tree, call->function_node), STR("children"));
  return is_children ? py_tree_object(tree, call->function_node) : 0;
}

typedef enum Made { MADE_MODULE, MADE_OTHER, MADE_UNKNOWN } Made;

/// What kind of value `self.name = value` gives the module.
static Made kind_made(const ModuleMaker *maker, PyRef value)
{
  static const char *const states[] = { "torch.nn.Parameter", "torch.nn.Buffer" };
  const PyModel *model = maker->model;
  PyNodeKind kind = py_kind(&model->tree, value);
  const PyCall *call = py_model_call(model, value);
  int64_t number;
  if (!call) {
    bool is_literal = kind == PYK_INTEGER || kind == PYK_FLOAT || kind == PYK_STRING || kind == PYK_NONE ||
                      kind == PYK_TRUE || kind == PYK_FALSE;
    return is_literal || module_maker_int(maker, value, &number) ? MADE_OTHER : MADE_UNKNOWN;
  }
  Str prefix = STR("torch.nn.");
  PyRef class_node = export_class_made(model, call);
  const PyClass *own = py_model_class_at(model, class_node);
  if (own)
    return own->is_module ? MADE_MODULE : MADE_UNKNOWN;
  if (str_is_one_of(call->qualified, states, COUNT(states)))
    return MADE_OTHER;
  bool is_layer = str_starts_with(call->qualified, prefix) && call->qualified.len > prefix.len &&
                  ascii_is_upper(call->qualified.data[prefix.len]);
  return is_layer ? MADE_MODULE : MADE_UNKNOWN;
}

/// Adds what one statement of the constructor makes a child; false if that is not known.
static bool add_statement(const ModuleMaker *maker, PyRef statement, BuiltParts *parts)
{
  const PyModel *model = maker->model;
  const PyTree *tree = &model->tree;
  PyRef inner = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
  Str text = py_text(tree, statement);
  if (!inner || py_kind(tree, inner) != PYK_ASSIGNMENT)
    return str_starts_with(text, STR("super(")) || str_starts_with(text, STR("self.register_buffer(")) ||
           !str_contains(text, STR("self"));
  PyRef left = py_child(tree, inner, PY_F_LEFT), value = py_child(tree, inner, PY_F_RIGHT);
  Str name = left ? py_tree_own_name(tree, left) : (Str){ 0 };
  if (name.len == 0)
    return !str_contains(py_text(tree, left), STR("self"));
  Made made = value ? kind_made(maker, py_tree_strip(tree, value)) : MADE_UNKNOWN;
  if (made != MADE_MODULE)
    return made == MADE_OTHER;
  // Of what is assigned again, or elsewhere, nobody knows which one it is.
  if (parts->count == PY_BUILT_PART_LIMIT || !module_parts_unchanged(maker->parts, model, maker->class_node, name))
    return false;
  parts->items[parts->count++] = (BuiltPart){ value, maker };
  return true;
}

/// All children of the module, in order.
static bool all_children(const ModuleMaker *maker, BuiltParts *parts)
{
  const PyModel *model = maker->model;
  const PyClass *own = py_model_class_at(model, maker->class_node);
  uint32_t init = own && own->is_module && own->base == PY_ABSENT
                      ? export_method_named(model, maker->class_node, STR("__init__"))
                      : PY_ABSENT;
  PyRef body = init == PY_ABSENT ? 0 : model->functions.items[init].body;
  bool is_known = body != 0;
  for (PyRef at = is_known ? py_first_child(&model->tree, body) : 0; at && is_known;
       at = py_next_sibling(&model->tree, at))
    is_known = add_statement(maker, at, parts);
  return is_known;
}

bool forward_own_children(const ModuleMaker *maker, PyRef node, Arena *arena, BuiltParts *parts)
{
  const PyModel *model = maker->model;
  int64_t first, end;
  PyRef net = net_of(model, node, &first, &end);
  const PyCall *made = net ? py_model_call(model, export_module_made(model, net)) : NULL;
  PyRef class_node = made ? export_class_made(model, made) : 0;
  BuiltParts *children = ARENA_NEW(arena, BuiltParts);
  ModuleMaker *inner = ARENA_NEW(arena, ModuleMaker);
  *inner =
      (ModuleMaker){ .model = model, .parts = maker->parts, .call = made, .class_node = class_node, .outer = maker };
  if (!class_node || !all_children(inner, children))
    return false;
  int64_t count = (int64_t)children->count;
  first = first < 0 ? first + count : first;
  end = end < 0 ? end + count : end < count ? end : count;
  for (int64_t i = first > 0 ? first : 0; i < end; i++) {
    if (parts->count == PY_BUILT_PART_LIMIT)
      return false;
    parts->items[parts->count++] = children->items[i];
  }
  return true;
}
