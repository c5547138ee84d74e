// Lists, dicts and sets of Python in forward() that want values of tensors.

#include "python/rules/dynamo/capture_containers.h"

#include "base/limits.h"
#include "python/rules/dynamo/capture_calls.h"

// --- Order and sets ---

/// What a name is assigned, if that is its only binding in the function: what is done to the value later does not
/// count. 0 for other names.
static PyRef only_value(const Forward *forward, PyRef name)
{
  const PyBinding *only = forward_only_binding(forward, name);
  return only && only->kind == PY_BIND_ASSIGN ? only->value : 0;
}

/// `list(x)`, `[x[i] for i in range(3)]`, [a, b], also by a name.
static bool is_list_of_tensors(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  node = py_tree_strip(tree, node);
  if (py_kind(tree, node) == PYK_IDENTIFIER) {
    PyRef only = only_value(forward, node);
    PyRef value = only ? only : forward_value_of_name(forward, node);
    node = value ? py_tree_strip(tree, value) : 0;
  }
  const PyCall *call = py_model_call(model, node);
  PyNodeKind kind = node ? py_kind(tree, node) : PYK_OTHER;
  PyRef one = 0;
  if (call && call->argument_count == 1 && str_equal(call->qualified, STR("list")))
    one = py_model_arguments(model, call)->value;
  else if (kind == PYK_LIST_COMPREHENSION)
    one = py_first_child(tree, node);
  else if (kind == PYK_LIST || kind == PYK_TUPLE)
    one = py_tree_first_element(tree, node);
  return one && forward_is_tensor(forward, one, PY_EXPRESSION_DEPTH);
}

/// Whether the body of `lambda row: row.sum()` gives a tensor, or a number out of one, where the row is a tensor.
static bool computes_of_parameter(const PyTree *tree, PyRef body, Str parameter)
{
  static const char *const sizes[] = { "size", "dim", "numel", "shape", "ndim" };
  bool is_computed = false;
  for (int depth = 0; body && depth < PY_EXPRESSION_DEPTH; depth++) {
    PyRef name = 0;
    body = py_tree_strip(tree, body);
    switch (py_kind(tree, body)) {
    case PYK_IDENTIFIER:
      return is_computed && str_equal(py_text(tree, body), parameter);
    case PYK_UNARY_OPERATOR:
      body = py_child(tree, body, PY_F_ARGUMENT);
      break;
    case PYK_SUBSCRIPT:
      body = py_child(tree, body, PY_F_VALUE);
      break;
    case PYK_CALL:
      body = py_child(tree, body, PY_F_FUNCTION);
      name = py_tree_member(tree, body);
      if (!name || str_is_one_of(py_text(tree, name), sizes, COUNT(sizes)))
        return false;
      body = py_tree_object(tree, body);
      break;
    default:
      return false;
    }
    is_computed = true;
  }
  return false;
}

/// What is sorted: the list before `.sort()`, or the first argument of sorted(); 0.
static PyRef sorted_list(const PyModel *model, const PyCall *call)
{
  static const char *const names[] = { "sorted", "min", "max" };
  const PyTree *tree = &model->tree;
  PyRef function = call->function_node;
  if (str_is_one_of(call->qualified, names, COUNT(names)))
    return call->argument_count > 0 ? py_model_arguments(model, call)->value : 0;
  bool is_sort = str_equal(py_tree_member_name(tree, function), STR("sort"));
  return is_sort ? py_tree_object(tree, function) : 0;
}

/// `sorted(range(3), key=lambda i: t[i])`, `sorted(rows, key=lambda row: row.sum())`, and min(), max() and list.sort()
/// so.
static bool sorts_by_data(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  const PyArgument *key = py_model_argument(forward->model, call, PY_ABSENT, "key");
  PyRef list = sorted_list(forward->model, call);
  PyRef body = 0, parameters = 0;
  if (!key || py_kind(tree, key->value) != PYK_LAMBDA || !list)
    return false;
  for (PY_EACH_CHILD(tree, child, key->value)) {
    if (py_kind(tree, child) == PYK_LAMBDA_PARAMETERS)
      parameters = child;
    body = child;
  }
  if (!body || body == parameters)
    return false;
  return forward_is_tensor(forward, body, PY_EXPRESSION_DEPTH) || forward_is_data_dependent(forward, body) ||
         (parameters && computes_of_parameter(tree, body, py_text(tree, parameters)) &&
          is_list_of_tensors(forward, list));
}

/// `sorted(x.tolist())`, sorted(x)
bool capture_sorts_data(Forward *forward, const PyCall *call)
{
  PyRef what = str_equal(call->qualified, STR("sorted")) && call->argument_count > 0
                   ? py_model_arguments(forward->model, call)->value
                   : 0;
  bool has_key = py_model_argument(forward->model, call, PY_ABSENT, "key");
  return sorts_by_data(forward, call) ||
         (what && (forward_is_list_of_data(forward, what) ||
                   (!has_key && forward_is_tensor(forward, what, PY_EXPRESSION_DEPTH))));
}

bool capture_asks_rows(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyArgument *arguments = py_model_arguments(model, call);
  return call->argument_count == 2 && !call->has_splat && str_equal(call->qualified, STR("map")) &&
         str_equal(py_text(&model->tree, arguments[0].value), STR("bool")) &&
         forward_is_tensor(forward, arguments[1].value, PY_EXPRESSION_DEPTH);
}

bool capture_makes_set_of_data(Forward *forward, const PyCall *call)
{
  return call->argument_count == 1 && str_equal(call->qualified, STR("set")) &&
         forward_is_list_of_data(forward, py_model_arguments(forward->model, call)->value);
}

// --- Choices ---

bool capture_looks_up_data(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  Str name = py_tree_member_name(tree, call->function_node);
  const PyArgument *key = str_equal(name, STR("get")) ? py_model_argument(forward->model, call, 0, NULL) : NULL;
  return key && !key->is_splat && call->argument_count <= 2 && forward_is_data_dependent(forward, key->value);
}

/// Whether the value is a call of the class.
static bool is_made_by(const PyModel *model, PyRef value, Str qualified)
{
  const PyCall *call = py_model_call(model, value);
  return call && str_equal(call->qualified, qualified);
}

/// A name that is bound once in the function, to a dict: its keys are hashed, which a number of a capture is not.
static bool is_own_dictionary(const Forward *forward, PyRef name)
{
  const PyTree *tree = &forward->model->tree;
  PyRef value = only_value(forward, name);
  return value && py_kind(tree, py_tree_strip(tree, value)) == PYK_DICTIONARY;
}

/// `f"{n.item()}"`, and `f"k{n}"` of a number that comes out of a tensor.
static bool is_format_of_data(Forward *forward, PyRef node)
{
  static const char *const numbers[] = { "int", "float", "bool" };
  const PyModel *model = forward->model;
  PyFormatField field;
  size_t at = 0;
  for (int i = 0; i < PY_SHAPE_RANK_LIMIT && py_format_field_next(py_text(&model->tree, node), &at, &field); i++) {
    const PyBinding *binding = py_model_binding_named(model, forward->function, field.name);
    if (!binding || binding->scope != forward->function || binding->next != PY_ABSENT)
      continue;
    bool is_number = binding->kind == PY_BIND_ASSIGN && forward_is_data_dependent(forward, binding->value);
    bool asks_value = str_equal(field.member, STR("item")) || str_is_one_of(field.function, numbers, COUNT(numbers));
    bool is_tensor =
        asks_value &&
        ((binding->kind == PY_BIND_PARAM && forward_gets_tensor(forward, binding->index)) ||
         (binding->kind == PY_BIND_ASSIGN && forward_is_tensor(forward, binding->value, PY_EXPRESSION_DEPTH)));
    if ((is_number && field.member.len == 0) || is_tensor)
      return true;
  }
  return false;
}

/// `str(n.item())`, which is the name of a symbol while torch.export runs.
static bool is_text_of_data(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  node = py_tree_strip(&model->tree, node);
  if (py_kind(&model->tree, node) == PYK_STRING)
    return is_format_of_data(forward, node);
  const PyCall *call = py_model_call(model, node);
  return call && str_equal(call->qualified, STR("str")) && call->argument_count == 1 &&
         forward_is_data_dependent(forward, py_model_arguments(model, call)->value);
}

/// `x.unbind(0)`, `torch.chunk(x, 2)`, `list(x)`: what they give are tuples and lists of tensors.
static bool gives_parts(const PyModel *model, PyRef object)
{
  static const char *const names[] = { "unbind", "chunk", "split", "tensor_split", "list", "tuple" };
  const PyCall *call = object ? py_model_call(model, object) : NULL;
  Str function = call ? py_text(&model->tree, call->function_node) : (Str){ 0 };
  return call && call->argument_count > 0 && str_is_one_of(str_after_last(function, '.'), names, COUNT(names));
}

/// `x[:, n.tolist()]`
static bool has_list_of_data(Forward *forward, PyRef index)
{
  for (; index; index = py_next_sibling(&forward->model->tree, index)) {
    if (forward_is_list_of_data(forward, index))
      return true;
  }
  return false;
}

/// `[a, b][n.item()]` and `{True: a, False: b}[bool(t)]`, of a list or dict that is written there or bound to a
/// name or an attribute of the model.
void capture_check_choice(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef object = py_child(tree, node, PY_F_VALUE);
  PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
  object = object ? py_tree_strip(tree, object) : 0;
  if (object && index && py_kind(tree, object) == PYK_IDENTIFIER && is_own_dictionary(forward, object) &&
      forward_is_data_dependent(forward, index)) {
    capture_say(forward, node, "The key of a dict comes out of a tensor");
    return;
  }
  if (object && py_kind(tree, object) == PYK_IDENTIFIER) {
    PyRef own = forward_value_of_name(forward, object);
    object = own ? own : py_model_resolve(forward->model, object);
  }
  if (object && py_kind(tree, object) == PYK_ATTRIBUTE)
    object = forward_own_part(forward, object);
  PyNodeKind kind = object ? py_kind(tree, object) : PYK_NONE;
  if (index && has_list_of_data(forward, index) && forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH)) {
    capture_say(forward, node, "The list that this is indexed by comes out of a tensor");
    return;
  }
  bool is_list = kind == PYK_LIST || gives_parts(forward->model, object) || kind == PYK_TUPLE ||
                 kind == PYK_LIST_COMPREHENSION || is_made_by(forward->model, object, STR("torch.nn.ModuleList"));
  bool is_dictionary = kind == PYK_DICTIONARY || is_made_by(forward->model, object, STR("torch.nn.ModuleDict"));
  if (!index || (!is_list && !is_dictionary))
    return;
  if ((is_dictionary && is_text_of_data(forward, index)) || forward_is_data_dependent(forward, index) ||
      (is_list && forward_is_tensor(forward, index, PY_EXPRESSION_DEPTH)))
    capture_say(forward, node, "Which of these it is depends on the values of a tensor");
}
