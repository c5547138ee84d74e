// Values in compiled functions that TorchScript has no type for, or does not know.

#include "base/limits.h"
#include "python/rules/script/jit_script.h"

/// What a name of the file stands for, which is a literal: TorchScript has no global values.
static bool is_global_literal(const Forward *forward, PyRef name)
{
  const PyModel *model = forward->model;
  const PyBinding *binding = py_model_binding_of(model, forward->function, name);
  bool is_outer =
      binding && binding->kind == PY_BIND_ASSIGN && binding->scope == PY_ABSENT && binding->next == PY_ABSENT;
  switch (is_outer ? py_kind(&model->tree, py_tree_strip(&model->tree, binding->value)) : PYK_OTHER) {
  case PYK_INTEGER:
  case PYK_FLOAT:
  case PYK_STRING:
  case PYK_LIST:
  case PYK_DICTIONARY:
    // `SCALE: Final = 2.0` and `SCALE: int = 2`
    return !py_child(&model->tree, model->tree.nodes[binding->value].parent, PY_F_TYPE);
  default:
    return false;
  }
}

static void check_name(Forward *forward, PyRef name)
{
  const PyTree *tree = &forward->model->tree;
  PyNodeKind around = py_kind(tree, tree->nodes[name].parent);
  bool is_value = around == PYK_BINARY_OPERATOR || around == PYK_ARGUMENT_LIST || around == PYK_COMPARISON_OPERATOR ||
                  around == PYK_RETURN_STATEMENT;
  if (is_value && is_global_literal(forward, name))
    jit_script_say(forward, name, "it knows no values of the file; pass it in, or keep it in the module");
}

static bool is_untyped_parameter(const Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyBinding *binding = forward_only_binding(forward, py_tree_strip(&model->tree, node));
  return binding && binding->kind == PY_BIND_PARAM && !model->params.items[binding->index].annotation &&
         !py_model_mentions(model, "# type:");
}

/// `x.shape`, `x.size()`
static bool is_shape(const PyTree *tree, PyRef node)
{
  node = py_tree_strip(tree, node);
  PyRef callee = py_tree_callee(tree, node);
  return str_equal(py_tree_member_name(tree, node), STR("shape")) ||
         (callee && str_equal(py_tree_member_name(tree, callee), STR("size")));
}

static void check_arguments(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->is_dictionary_splat)
      jit_script_say(forward, argument->node, "it knows no `**`; write the arguments out");
    else if (argument->is_splat && is_shape(&model->tree, argument->value))
      jit_script_say(forward, argument->node, "how many sizes there are is not known; write them out");
    else if (str_equal(call->qualified, STR("range")) && is_untyped_parameter(forward, argument->value))
      jit_script_say(forward, argument->value,
                     "without an annotation a parameter is a tensor, and range() takes an int");
  }
}

static void check_call(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  Str member = py_tree_member_name(tree, call->function_node);
  check_arguments(forward, call);
  if (str_starts_with(call->qualified, STR("numpy.")))
    jit_script_say(forward, call->function_node, "it knows no numpy; use torch, or math for numbers");
  else if (str_equal(member, STR("numpy")) && call->argument_count == 0)
    jit_script_say(forward, call->function_node, "its tensors have no numpy()");
}

/// What keeps an attribute of the module out of what is compiled; NULL.
static const char *why_no_attribute(const PyModel *model, PyRef made)
{
  const PyTree *tree = &model->tree;
  PyNodeKind first = PYK_OTHER;
  if (py_kind(tree, made) == PYK_LAMBDA)
    return "an attribute that is a lambda has no type; make a method of it";
  const PyCall *call = py_model_call(model, made);
  if (call && (str_equal(call->qualified, STR("numpy.array")) || str_equal(call->qualified, STR("numpy.zeros")) ||
               str_equal(call->qualified, STR("numpy.ones"))))
    return "an array of numpy has no type; make a buffer of it";
  for (PyRef pair = py_kind(tree, made) == PYK_DICTIONARY ? py_first_child(tree, made) : 0; pair;
       pair = py_next_sibling(tree, pair)) {
    PyRef value = py_tree_key(tree, pair) ? py_child(tree, pair, PY_F_VALUE) : 0;
    PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
    if (kind != PYK_INTEGER && kind != PYK_FLOAT && kind != PYK_STRING && kind != PYK_TRUE && kind != PYK_FALSE)
      return NULL;
    if (first != PYK_OTHER && kind != first && (kind == PYK_STRING || first == PYK_STRING))
      return "a dict of values of several types has none; keep them in attributes";
    first = kind;
  }
  return NULL;
}

/// `self.heads[name]` of a parameter: only a key that is written out says which module that is.
static bool is_open_key(const Forward *forward, PyRef made, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  const PyCall *call = py_model_call(forward->model, made);
  PyRef around = tree->nodes[node].parent;
  PyRef key = py_kind(tree, around) == PYK_SUBSCRIPT && py_child(tree, around, PY_F_VALUE) == node
                  ? py_child(tree, around, PY_F_SUBSCRIPT)
                  : 0;
  const PyBinding *binding = key && py_kind(tree, key) == PYK_IDENTIFIER ? forward_only_binding(forward, key) : NULL;
  return call && str_equal(call->qualified, STR("torch.nn.ModuleDict")) && binding && binding->kind == PY_BIND_PARAM;
}

/// `self.layers[i]`, where i is no literal.
static bool is_open_index(const PyModel *model, PyRef made, PyRef node)
{
  static const char *const lists[] = { "torch.nn.ModuleList", "torch.nn.Sequential" };
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, made);
  PyRef around = tree->nodes[node].parent;
  PyRef index = py_kind(tree, around) == PYK_SUBSCRIPT && py_child(tree, around, PY_F_VALUE) == node
                    ? py_child(tree, around, PY_F_SUBSCRIPT)
                    : 0;
  PyNodeKind kind = index ? py_kind(tree, index) : PYK_INTEGER;
  return call && str_is_one_of(call->qualified, lists, COUNT(lists)) &&
         (kind == PYK_IDENTIFIER || kind == PYK_CALL || kind == PYK_BINARY_OPERATOR || kind == PYK_ATTRIBUTE);
}

static void check_attribute(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  Str name = forward_own_name(forward, node);
  PyRef class_node = model->functions.items[forward->function].class_node;
  PyRef made = name.len > 0 ? module_parts_value(forward->parts, class_node, name) : 0;
  if (!made)
    return;
  const char *why = why_no_attribute(model, made);
  bool is_set = tree->nodes[node].field == PY_F_LEFT && py_kind(tree, tree->nodes[node].parent) == PYK_ASSIGNMENT;
  if (is_set && py_model_scope_of(model, made) == forward->function && !py_model_names_member(model, 0, name))
    jit_script_say(forward, node, "an attribute has to be there before; set it in __init__(), too");
  else if (!is_set && why)
    jit_script_say(forward, node, why);
  else if (is_open_key(forward, made, node))
    jit_script_say(forward, tree->nodes[node].parent,
                   "a dict of modules takes a key that is written out; go through its items()");
  else if (is_open_index(model, made, node))
    jit_script_say(forward, tree->nodes[node].parent,
                   "a list of modules takes a number that is written out; go through it");
}

/// Whether the function asks anywhere whether the parameter is None, which says what it is after that.
static bool is_asked_about(const Forward *forward, Str name)
{
  static const char *const forms[] = { "%.*s is ", "(%.*s)", "assert %.*s", "if %.*s", "not %.*s" };
  const PyModel *model = forward->model;
  Str body = py_text(&model->tree, model->functions.items[forward->function].body);
  for (size_t i = 0; i < COUNT(forms); i++) {
    if (str_find(body, arena_printf(forward->sink->arena, forms[i], STR_ARG(name)), 0) != STR_NOT_FOUND)
      return true;
  }
  return false;
}

/// `x + mask` and `mask.sum()` of `mask: Optional[Tensor]`, which nothing has told from None.
static void check_optional(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef around = tree->nodes[node].parent;
  bool is_operand = py_kind(tree, around) == PYK_BINARY_OPERATOR;
  bool is_object = py_kind(tree, around) == PYK_ATTRIBUTE && tree->nodes[node].field == PY_F_OBJECT;
  const PyBinding *binding = is_operand || is_object ? forward_only_binding(forward, node) : NULL;
  PyRef type = binding && binding->kind == PY_BIND_PARAM ? model->params.items[binding->index].annotation : 0;
  Str text = type ? py_text(tree, type) : (Str){ 0 };
  bool is_optional = str_starts_with(text, STR("Optional[")) || str_starts_with(text, STR("typing.Optional[")) ||
                     str_ends_with(text, STR("| None"));
  if (is_optional && binding->scope == forward->function && !is_asked_about(forward, binding->name))
    jit_script_say(forward, node, "this may be None, and nothing before asks `is not None`");
}

/// `[x.size(0), lengths.max()]`
static void check_mixed_list(Forward *forward, PyRef list)
{
  const PyTree *tree = &forward->model->tree;
  bool has_number = false;
  PyRef tensor = 0;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    PyRef callee = py_tree_callee(tree, item);
    Str method = callee ? py_tree_member_name(tree, callee) : (Str){ 0 };
    bool is_size = str_equal(method, STR("size")) || (callee && str_equal(py_text(tree, callee), STR("len")));
    has_number |= is_size || py_kind(tree, item) == PYK_INTEGER;
    tensor = !is_size && forward_is_tensor(forward, item, PY_EXPRESSION_DEPTH) ? item : tensor;
  }
  if (has_number && tensor)
    jit_script_say(forward, tensor, "a list holds values of one type, and this is a tensor among numbers: int() of it");
}

void jit_script_check_value(Forward *forward, PyRef node)
{
  const PyCall *call = py_model_call(forward->model, node);
  switch (py_kind(&forward->model->tree, node)) {
  case PYK_CALL:
    if (call)
      check_call(forward, call);
    break;
  case PYK_ATTRIBUTE:
    check_attribute(forward, node);
    break;
  case PYK_IDENTIFIER:
    check_name(forward, node);
    check_optional(forward, node);
    break;
  case PYK_LIST:
    check_mixed_list(forward, node);
    break;
  default:
    break;
  }
}
