// Python numbers and sizes that depend on the values of tensors.

#include "python/rules/forward/forward_data.h"

#include "base/limits.h"
#include "python/rules/forward/forward_conditions.h"

static bool is_data_dependent(Forward *forward, PyRef node, int depth);
static bool is_list_of_data(Forward *forward, PyRef node, int depth);

/// What names stand for, through names that stand for others: an expression; 0 if that is not known or takes too long.
static PyRef without_names(Forward *forward, PyRef node, int *depth)
{
  const PyTree *tree = &forward->model->tree;
  for (; node; node = forward_value_of_name(forward, node), (*depth)--) {
    node = py_tree_strip(tree, node);
    if (*depth <= 0 || forward->steps-- <= 0)
      return 0;
    if (py_kind(tree, node) != PYK_IDENTIFIER)
      return node;
  }
  return 0;
}

/// The object of a call of a method, and the name of that; 0 for another call.
static PyRef object_of_method(const PyModel *model, const PyCall *call, Str *ret_method)
{
  PyRef function = call->function_node;
  PyRef object = py_tree_object(&model->tree, function);
  *ret_method = object ? py_tree_member_name(&model->tree, function) : (Str){ 0 };
  return object;
}

/// `torch.where(x > 0)`: the places where it holds, in a tuple.
static bool is_where_of_condition(Forward *forward, PyRef node, int depth)
{
  const PyCall *call = py_model_call(forward->model, py_tree_strip(&forward->model->tree, node));
  return call && call->argument_count == 1 && str_equal(call->qualified, STR("torch.where")) &&
         forward_is_tensor(forward, py_model_arguments(forward->model, call)->value, depth);
}

/// An input of bools, as the example says.
static bool is_mask_input(const Forward *forward, PyRef node)
{
  node = node ? py_tree_strip(&forward->model->tree, node) : 0;
  if (!node || !forward->mask_params || py_kind(&forward->model->tree, node) != PYK_IDENTIFIER)
    return false;
  const PyBinding *binding = forward_only_binding(forward, node);
  return binding && binding->kind == PY_BIND_PARAM && forward->mask_params[binding->index];
}

/// A tensor of bools: `x > 0`, `~mask`, `a & b`, `x.bool()`, torch.isnan(x), also by a name.
static bool is_mask(Forward *forward, PyRef node, int depth)
{
  static const char *const makers[] = {
    "bool", "isnan", "isinf", "isfinite", "logical_not", "logical_and", "logical_or"
  };
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  while (!is_mask_input(forward, node)) {
    node = without_names(forward, node, &depth);
    if (!node)
      return false;
    PyNodeKind kind = py_kind(tree, node);
    PyRef function = kind == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
    PyRef name = py_tree_member(tree, function);
    if (kind == PYK_COMPARISON_OPERATOR || (name && str_is_one_of(py_text(tree, name), makers, COUNT(makers))))
      return forward_is_tensor(forward, node, depth);
    if (kind != PYK_BINARY_OPERATOR && kind != PYK_UNARY_OPERATOR)
      return false;
    PyRef sign = py_child(tree, node, PY_F_OPERATOR);
    Str text = sign ? py_text(tree, sign) : (Str){ 0 };
    static const char *const of_bools[] = { "&", "|", "~" };
    if (!str_is_one_of(text, of_bools, COUNT(of_bools)))
      return false;
    node = py_child(tree, node, kind == PYK_UNARY_OPERATOR ? PY_F_ARGUMENT : PY_F_LEFT);
  }
  return true;
}

/// The call that a name is a part of (`a, b = f()`), and which part; NULL if it is none, or not surely that.
static const PyCall *unpacked_call(Forward *forward, PyRef name, uint32_t *ret_part)
{
  const PyModel *model = forward->model;
  const PyBinding *binding = forward_only_binding(forward, name);
  bool is_part = binding && binding->unpack != PY_ABSENT && binding->value;
  const PyCall *call = is_part ? py_model_call(model, binding->value) : NULL;
  if (!call)
    return NULL;
  *ret_part = binding->unpack;
  return call;
}

/// `torch.nonzero(x, as_tuple=True)` and `x.nonzero(as_tuple=True)`
static bool makes_tuple_of_places(Forward *forward, const PyCall *call, int depth)
{
  const PyModel *model = forward->model;
  const PyArgument *in_tuple = py_model_argument(model, call, PY_ABSENT, "as_tuple");
  if (!in_tuple || py_kind(&model->tree, in_tuple->value) != PYK_TRUE)
    return false;
  if (str_equal(call->qualified, STR("torch.nonzero")))
    return forward_is_tensor(forward, py_model_arguments(model, call)->value, depth);
  Str method;
  PyRef object = object_of_method(model, call, &method);
  return str_equal(method, STR("nonzero")) && forward_is_tensor(forward, object, depth);
}

/// `u` of `u, inverse = torch.unique(x, return_inverse=True)`, `rows` of `rows, columns = x.nonzero(as_tuple=True)`.
static bool is_part_of_unknown_size(Forward *forward, PyRef name, int depth)
{
  const PyModel *model = forward->model;
  uint32_t part;
  const PyCall *call = unpacked_call(forward, name, &part);
  if (!call)
    return false;
  if (part == 0 && call->argument_count > 1 && str_equal(call->qualified, STR("torch.unique")))
    return forward_is_tensor(forward, py_model_arguments(model, call)->value, depth);
  return is_where_of_condition(forward, call->node, depth) || makes_tuple_of_places(forward, call, depth);
}

/// `part` of `for part in x.split(sizes.tolist())`.
static bool is_part_of_split(Forward *forward, PyRef name, int depth)
{
  const PyModel *model = forward->model;
  PyRef over = forward_only_loop(forward, name);
  over = over ? without_names(forward, over, &depth) : 0;
  const PyCall *call = py_model_call(model, over);
  if (!call)
    return false;
  Str method;
  object_of_method(model, call, &method);
  bool is_function = str_equal(call->qualified, STR("torch.split"));
  const PyArgument *sizes = is_function || str_equal(method, STR("split"))
                                ? py_model_argument(model, call, is_function ? 1 : 0, "split_size_or_sections")
                                : NULL;
  return sizes && is_list_of_data(forward, sizes->value, depth - 1);
}

/// A call whose result has as many elements as the values of its input say: nonzero(), masked_select(), unique().
static bool has_unknown_size(Forward *forward, PyRef node, int depth)
{
  static const char *const makers[] = { "nonzero",  "masked_select", "unique",
                                        "argwhere", "bincount",      "unique_consecutive" };
  static const char *const keeping[] = {
    "squeeze", "flatten", "long", "int", "float", "to", "clone", "detach", "tolist"
  };
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  if (is_part_of_unknown_size(forward, py_tree_strip(tree, node), depth) ||
      is_part_of_split(forward, py_tree_strip(tree, node), depth))
    return true;
  node = without_names(forward, node, &depth);
  if (!node)
    return false;
  if (py_kind(tree, node) == PYK_SUBSCRIPT) {
    PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
    PyRef object = py_child(tree, node, PY_F_VALUE);
    if (object && is_where_of_condition(forward, object, depth - 1))
      return true;
    if (index && object && has_unknown_size(forward, index, depth - 1) && forward_is_tensor(forward, object, depth - 1))
      return true;
    return index && object && is_mask(forward, index, depth - 1) && forward_is_tensor(forward, object, depth - 1);
  }
  const PyCall *call = py_model_call(model, node);
  if (!call)
    return false;
  Str name = call->qualified;
  if (str_starts_with(name, STR("torch.")))
    return call->argument_count > 0 && !py_model_argument(model, call, PY_ABSENT, "as_tuple") &&
           str_is_one_of(str_slice(name, 6, name.len), makers, COUNT(makers)) &&
           forward_is_tensor(forward, py_model_arguments(model, call)->value, depth - 1);
  Str method;
  PyRef object = object_of_method(model, call, &method);
  if (object && str_is_one_of(method, keeping, COUNT(keeping)))
    return has_unknown_size(forward, object, depth - 1);
  return object && !py_model_argument(model, call, PY_ABSENT, "as_tuple") &&
         str_is_one_of(method, makers, COUNT(makers)) && forward_is_tensor(forward, object, depth - 1);
}

/// Whether the k-th axis of `x[:, :n.item()]` is as long as a value of a tensor says.
static bool is_cut_by_data(Forward *forward, PyRef node, int64_t axis, int depth)
{
  const PyTree *tree = &forward->model->tree;
  node = without_names(forward, node, &depth);
  if (!node || depth <= 0 || py_kind(tree, node) != PYK_SUBSCRIPT ||
      !forward_is_tensor(forward, py_child(tree, node, PY_F_VALUE), depth - 1))
    return false;
  for (PY_EACH_CHILD(tree, part, node)) {
    if (tree->nodes[part].field != PY_F_SUBSCRIPT)
      continue;
    if (py_kind(tree, part) != PYK_SLICE)
      return false;  // It may take an axis away.
    bool is_data = false;
    for (PY_EACH_CHILD(tree, bound, part))
      is_data |= is_data_dependent(forward, bound, depth - 1);
    if (axis-- == 0)
      return is_data;
  }
  return false;
}

/// `x.tolist()`, also by a name.
static bool is_list_of_data(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  node = without_names(forward, node, &depth);
  const PyCall *call = py_model_call(model, node);
  if (!call)
    return false;
  Str method;
  PyRef object = object_of_method(model, call, &method);
  return object && str_equal(method, STR("tolist")) && forward_is_tensor(forward, object, depth - 1);
}

static bool is_number_out_of_tensor(Forward *forward, const PyCall *call, int depth)
{
  static const char *const functions[] = {
    "int", "float", "bool", "torch.equal", "torch.allclose", "torch.is_nonzero"
  };
  const PyModel *model = forward->model;
  PyRef first = call->argument_count > 0 ? py_model_arguments(model, call)->value : 0;
  if (first && str_is_one_of(call->qualified, functions, COUNT(functions)))
    return forward_is_tensor(forward, first, depth) || is_data_dependent(forward, first, depth);
  if (first && str_equal(call->qualified, STR("len")))
    return has_unknown_size(forward, first, depth);
  Str method;
  PyRef object = object_of_method(model, call, &method);
  static const char *const asking[] = { "equal", "allclose", "is_nonzero" };
  bool asks = str_is_one_of(method, asking, COUNT(asking));
  if (asks || (str_equal(method, STR("item")) && call->argument_count == 0))
    return forward_is_tensor(forward, object, depth);
  int64_t axis;
  if (str_equal(method, STR("size")) && call->argument_count == 1 && py_model_int(model, first, &axis) &&
      is_cut_by_data(forward, object, axis, depth))
    return true;
  return (str_equal(method, STR("numel")) || str_equal(method, STR("size"))) &&
         has_unknown_size(forward, object, depth);
}

/// `largest(x)`, where the function returns once, and such a number.
static bool is_number_of_function(Forward *forward, const PyCall *call, int depth)
{
  uint32_t skip, before = forward->function;
  uint32_t callee = forward->tensor_results && depth > 0 ? forward_called(forward, call, &skip) : PY_ABSENT;
  const PyFunction *function = callee == PY_ABSENT ? NULL : &forward->model->functions.items[callee];
  if (!function || function->return_count != 1 || !function->returned)
    return false;
  forward->function = callee;
  bool is_number = is_data_dependent(forward, function->returned, depth - 1);
  forward->function = before;
  return is_number;
}

/// `v` of `for v in x.tolist()`.
static bool is_turn_of_data(Forward *forward, PyRef name, int depth)
{
  PyRef over = forward_only_loop(forward, name);
  return over && is_list_of_data(forward, over, depth);
}

/// A Python number that depends on values of tensors, or a tensor itself where Python asks for its truth.
static bool is_data_dependent(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  if (depth <= 0 || forward->steps-- <= 0)
    return false;
  node = py_tree_strip(tree, node);
  const PyCall *call = py_model_call(model, node);
  PyRef value;
  int64_t axis;
  switch (py_kind(tree, node)) {
  case PYK_IDENTIFIER:
    value = forward_value_of_name(forward, node);
    return value ? is_data_dependent(forward, value, depth - 1) : is_turn_of_data(forward, node, depth - 1);
  case PYK_CALL:
    return call &&
           (is_number_out_of_tensor(forward, call, depth - 1) || is_number_of_function(forward, call, depth - 1));
  case PYK_SUBSCRIPT:
    value = py_child(tree, node, PY_F_VALUE);
    if (value && is_list_of_data(forward, value, depth - 1))
      return true;
    if (value && py_model_int(model, py_child(tree, node, PY_F_SUBSCRIPT), &axis) &&
        str_equal(py_tree_member_name(tree, value), STR("shape")) &&
        is_cut_by_data(forward, py_tree_object(tree, value), axis, depth - 1))
      return true;
    return value && str_equal(py_tree_member_name(tree, value), STR("shape")) &&
           str_equal(py_text(tree, py_child(tree, node, PY_F_SUBSCRIPT)), STR("0")) &&
           has_unknown_size(forward, py_tree_object(tree, value), depth - 1);
  case PYK_BINARY_OPERATOR:
    return is_data_dependent(forward, py_child(tree, node, PY_F_LEFT), depth - 1) ||
           is_data_dependent(forward, py_child(tree, node, PY_F_RIGHT), depth - 1);
  default:
    return false;
  }
}

/// What `x is not None and ...` asks of a tensor x, which is there; or the condition.
static PyRef asked_of_given(Forward *forward, PyRef condition)
{
  const PyTree *tree = &forward->model->tree;
  condition = py_tree_strip(tree, condition);
  if (py_kind(tree, condition) != PYK_BOOLEAN_OPERATOR)
    return condition;
  PyRef sign = py_child(tree, condition, PY_F_OPERATOR);
  PyRef left = py_tree_strip(tree, py_child(tree, condition, PY_F_LEFT));
  PyRef is_not = py_kind(tree, left) == PYK_COMPARISON_OPERATOR ? py_child(tree, left, PY_F_OPERATORS) : 0;
  bool asks_none =
      sign && str_equal(py_text(tree, sign), STR("and")) && is_not && str_equal(py_text(tree, is_not), STR("is not"));
  return asks_none && forward_is_tensor(forward, py_first_child(tree, left), PY_EXPRESSION_DEPTH)
             ? py_child(tree, condition, PY_F_RIGHT)
             : condition;
}

/// Whether a test holds for the condition, or for one of the sides of its comparison.
static bool is_decided(Forward *forward, PyRef condition, bool (*test)(Forward *forward, PyRef node))
{
  const PyTree *tree = &forward->model->tree;
  if (!condition)
    return false;
  condition = py_tree_strip(tree, forward_first_asked(tree, asked_of_given(forward, condition)));
  if (py_kind(tree, condition) != PYK_COMPARISON_OPERATOR)
    return test(forward, condition);
  if (!py_tree_compares(tree, condition))
    return false;
  for (PY_EACH_CHILD(tree, side, condition)) {
    if (py_kind(tree, side) != PYK_OPERATOR && test(forward, side))
      return true;
  }
  return false;
}

bool forward_is_tensor_or_data(Forward *forward, PyRef node)
{
  return forward_is_tensor(forward, node, PY_EXPRESSION_DEPTH) || forward_is_data_dependent(forward, node);
}

static bool is_unknown_size(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  node = py_tree_strip(tree, node);
  if (py_kind(tree, node) == PYK_IDENTIFIER)
    node = forward_value_of_name(forward, node);
  node = node ? py_tree_strip(tree, node) : 0;
  const PyCall *call = py_model_call(model, node);
  Str method = call ? py_tree_member_name(tree, call->function_node) : (Str){ 0 };
  bool is_size = !call || str_equal(method, STR("numel")) || str_equal(method, STR("size")) ||
                 str_equal(call->qualified, STR("len"));
  bool is_shape = node && py_kind(tree, node) == PYK_SUBSCRIPT;
  return node && (is_shape || call) && is_size && forward_is_data_dependent(forward, node);
}

bool forward_has_unknown_size(Forward *forward, PyRef node)
{
  return has_unknown_size(forward, node, PY_EXPRESSION_DEPTH);
}

bool forward_is_data_dependent(Forward *forward, PyRef node)
{
  return is_data_dependent(forward, node, PY_EXPRESSION_DEPTH);
}

bool forward_is_list_of_data(Forward *forward, PyRef node)
{
  return is_list_of_data(forward, node, PY_EXPRESSION_DEPTH);
}

bool forward_is_decided_by_data(Forward *forward, PyRef condition)
{
  return is_decided(forward, condition, forward_is_tensor_or_data);
}

bool forward_is_decided_by_size(Forward *forward, PyRef condition)
{
  return is_decided(forward, condition, is_unknown_size);
}

bool forward_asks_size_of(const PyTree *tree, PyRef condition, Str name)
{
  static const char *const ends[] = { ".numel()", ".shape[0]", ".size(0)" };
  PyRef side = condition ? py_tree_strip(tree, condition) : 0;
  if (side && py_kind(tree, side) == PYK_COMPARISON_OPERATOR && py_tree_compares(tree, side))
    side = py_first_child(tree, side);
  Str text = side ? py_text(tree, side) : (Str){ 0 };
  Str len = STR("len(");
  if (str_starts_with(text, len) && str_ends_with(text, STR(")")))
    return str_equal(str_slice(text, len.len, text.len - 1), name);
  bool is_size = str_starts_with(text, name) && text.len > name.len;
  return is_size && str_is_one_of(str_slice(text, name.len, text.len), ends, COUNT(ends));
}
