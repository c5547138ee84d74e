// What names, attributes of `self` and calls in forward() stand for.

#include "base/limits.h"
#include "python/rules/forward_tensors.h"

// --- Loops ---

static bool is_pattern(PyNodeKind kind)
{
  return kind == PYK_PATTERN_LIST || kind == PYK_TUPLE_PATTERN || kind == PYK_LIST_PATTERN;
}

static uint32_t position_in(const PyTree *tree, PyRef list, PyRef node)
{
  uint32_t position = 0;
  for (PyRef item = py_first_child(tree, list); item && item != node; item = py_next_sibling(tree, item))
    position++;
  return position;
}

/// One level of `for i, (a, b) in enumerate(zip(x, y))`: what the part at that position goes over; 0.
static PyRef looped_part(const PyModel *model, PyRef over, uint32_t position)
{
  uint32_t index = py_model_call_at(model, py_tree_strip(&model->tree, over));
  const PyCall *call = index == PY_ABSENT ? NULL : &model->calls.items[index];
  if (!call || call->has_splat)
    return 0;
  bool is_zip = str_equal(call->qualified, STR("zip"));
  if (!is_zip && (!str_equal(call->qualified, STR("enumerate")) || position != 1))
    return 0;
  const PyArgument *argument = py_model_argument(model, call, is_zip ? position : 0, NULL);
  return argument ? argument->value : 0;
}

PyRef forward_looped_over(const Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  uint32_t positions[PY_CHAIN_LIMIT];
  size_t depth = 0;
  PyRef parent = tree->nodes[node].parent;
  for (; is_pattern(py_kind(tree, parent)) && depth < PY_CHAIN_LIMIT; parent = tree->nodes[node].parent) {
    positions[depth++] = position_in(tree, parent, node);
    node = parent;
  }
  PyNodeKind kind = py_kind(tree, parent);
  if ((kind != PYK_FOR_STATEMENT && kind != PYK_FOR_IN_CLAUSE) || py_child(tree, parent, PY_F_LEFT) != node)
    return 0;
  PyRef over = py_child(tree, parent, PY_F_RIGHT);
  while (over && depth > 0)
    over = looped_part(forward->model, over, positions[--depth]);
  return over;
}

// --- Attributes of the model, and what calls run ---

Str forward_own_name(const Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  const PyFunction *function = &forward->model->functions.items[forward->function];
  PyRef object = py_kind(tree, node) == PYK_ATTRIBUTE ? py_child(tree, node, PY_F_OBJECT) : 0;
  PyRef name = object ? py_child(tree, node, PY_F_ATTRIBUTE) : 0;
  bool is_self = name && py_kind(tree, object) == PYK_IDENTIFIER && function->class_node && function->param_count > 0 &&
                 str_equal(py_text(tree, object), forward->model->params.items[function->first_param].name);
  return is_self ? py_text(tree, name) : (Str){ 0 };
}

PyRef forward_own_part(const Forward *forward, PyRef node)
{
  Str name = forward_own_name(forward, node);
  return name.len > 0 && forward->parts
             ? module_parts_value(forward->parts, forward->model->functions.items[forward->function].class_node, name)
             : 0;
}

uint32_t forward_called(const Forward *forward, const PyCall *call, uint32_t *ret_skip)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef class_node = model->functions.items[forward->function].class_node;
  Str name = forward_own_name(forward, call->function_node);
  *ret_skip = 0;
  if (name.len == 0) {
    const PyFunction *function = call->function == PY_ABSENT ? NULL : &model->functions.items[call->function];
    bool is_plain = function && !function->class_node && function->outer == function->node &&
                    py_kind(tree, function->node) == PYK_FUNCTION_DEFINITION;
    return is_plain ? call->function : PY_ABSENT;
  }
  *ret_skip = 1;
  uint32_t method = export_method_named(model, class_node, name);
  PyRef made = module_parts_value(forward->parts, class_node, name);
  uint32_t index = made ? py_model_call_at(model, made) : PY_ABSENT;
  const PyCall *maker = index == PY_ABSENT ? NULL : &model->calls.items[index];
  if (method != PY_ABSENT || !maker)
    return method;
  PyRef part_class = export_class_named(model, maker->scope, maker->function_node);
  return part_class ? export_method_named(model, part_class, STR("forward")) : PY_ABSENT;
}

// --- Values ---

/// The expression at that position of `a, b`; 0 for what is not written out.
static PyRef written_part(const PyTree *tree, PyRef value, uint32_t position)
{
  PyNodeKind kind = py_kind(tree, value);
  PyRef item = kind == PYK_TUPLE || kind == PYK_EXPRESSION_LIST ? py_tree_first_element(tree, value) : 0;
  for (; item && !py_tree_is_splat(tree, item); item = py_tree_next_element(tree, item)) {
    if (position-- == 0)
      return item;
  }
  return 0;
}

/// The statement that a node is in, and its block.
static PyRef statement_of(const PyTree *tree, PyRef node, PyRef *ret_block)
{
  int depth = 0;
  for (PyRef at = node; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    *ret_block = tree->nodes[at].parent;
    if (*ret_block && py_kind(tree, *ret_block) == PYK_BLOCK)
      return at;
  }
  return 0;
}

static bool is_inside(const PyTree *tree, PyRef node, PyRef outer)
{
  return node >= outer && node < tree->nodes[outer].next;
}

/// Whether a loop goes through both, and not through `bound`, which comes before it.
static bool share_loop(const PyTree *tree, PyRef use, PyRef other, PyRef bound)
{
  int depth = 0;
  for (PyRef at = use; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    bool is_loop = kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT;
    if (is_loop && is_inside(tree, other, at) && !is_inside(tree, bound, at))
      return true;
  }
  return false;
}

bool forward_is_repeated(const Forward *forward, PyRef use, PyRef binding)
{
  PyRef body = forward->model->functions.items[forward->function].body;
  return share_loop(&forward->model->tree, use, binding, body);
}

/// Of several bindings of a name the one that is in force at a use: the last one before it, if no branch goes around
/// that. NULL if it is not sure.
static const PyBinding *binding_in_force(const PyModel *model, uint32_t first, PyRef use)
{
  const PyTree *tree = &model->tree;
  const PyBinding *last = NULL;
  for (uint32_t at = first; at != PY_ABSENT; at = model->bindings.items[at].next) {
    const PyBinding *binding = &model->bindings.items[at];
    PyRef block = 0;
    PyRef statement = statement_of(tree, binding->node, &block);
    if (binding->is_changed)
      return NULL;
    if (binding->kind == PY_BIND_PARAM || (statement && tree->nodes[statement].next <= use))
      last = binding;
  }
  PyRef block = 0;
  PyRef statement = last && last->kind != PY_BIND_PARAM ? statement_of(tree, last->node, &block) : 0;
  if (!statement || !is_inside(tree, use, block))
    return NULL;
  for (uint32_t at = first; at != PY_ABSENT; at = model->bindings.items[at].next) {
    if (share_loop(tree, use, model->bindings.items[at].node, last->node))
      return NULL;
  }
  return last;
}

PyRef forward_value_of_name(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  uint32_t at = py_model_lookup(model, forward->function, py_text(&model->tree, node));
  const PyBinding *binding = at == PY_ABSENT ? NULL : &model->bindings.items[at];
  if (binding && binding->next != PY_ABSENT && binding->scope == forward->function)
    binding = binding_in_force(model, at, node);
  else if (binding && (binding->scope != forward->function || binding->is_changed))
    binding = NULL;
  if (binding && binding->kind == PY_BIND_OTHER && binding->unpack != PY_ABSENT && binding->value)
    return written_part(&model->tree, py_tree_strip(&model->tree, binding->value), binding->unpack);
  return binding && binding->kind == PY_BIND_ASSIGN ? binding->value : 0;
}
