// Tuples that hold tensors in forward(), and their parts.

#include "python/rules/forward/forward_tuples.h"

#include "base/limits.h"

/// Functions of torch and methods that give several tensors; max() and min() do with an axis.
static bool gives_tensors(Str name, uint32_t axes)
{
  static const char *const names[] = {
    "topk",     "sort",     "chunk",      "split",      "unbind",    "kthvalue",
    "std_mean", "var_mean", "max_pool1d", "max_pool2d", "max_pool3d"
  };  // With return_indices, as these are unpacked.
  return str_is_one_of(name, names, COUNT(names)) ||
         (axes > 0 && (str_equal(name, STR("max")) || str_equal(name, STR("min"))));
}

/// `self.pool(x)` of a pool with return_indices, which is unpacked, and `self.rnn(x)`: whether that part is a tensor.
static bool layer_gives_tensor(Forward *forward, const PyCall *call, uint32_t position, int depth)
{
  const PyModel *model = forward->model;
  const PyCall *maker = py_model_call(model, forward_own_part(forward, call->function_node));
  Str name = maker ? maker->qualified : (Str){ 0 };
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  bool is_pool =
      str_starts_with(name, STR("torch.nn.MaxPool")) || str_starts_with(name, STR("torch.nn.AdaptiveMaxPool"));
  // Of a recurrent layer the first part, and the second where that is no tuple.
  bool is_layer =
      is_pool || str_equal(name, STR("torch.nn.GRU")) || str_equal(name, STR("torch.nn.RNN")) ||
      (position == 0 && (str_equal(name, STR("torch.nn.LSTM")) || str_equal(name, STR("torch.nn.MultiheadAttention"))));
  return is_layer && first &&
         (forward_comes_from_input(forward, first->value) || forward_is_tensor(forward, first->value, depth));
}

/// `x.topk(3)`, `torch.max(x, 1)`
static bool has_several(const PyModel *model, const PyCall *call)
{
  bool is_torch = str_starts_with(call->qualified, STR("torch."));
  PyRef method = py_tree_member(&model->tree, call->function_node);
  return method && call->argument_count >= is_torch &&
         gives_tensors(py_text(&model->tree, method), call->argument_count - is_torch);
}

/// `y, is_sure = self.judge(x)`, where the function returns once, and a tuple.
static bool is_part_of_result(Forward *forward, const PyCall *call, uint32_t position, int depth)
{
  const PyTree *tree = &forward->model->tree;
  uint32_t skip, before = forward->function;
  uint32_t callee = forward->tensor_results && depth > 0 ? forward_called(forward, call, &skip) : PY_ABSENT;
  const PyFunction *function = callee == PY_ABSENT ? NULL : &forward->model->functions.items[callee];
  PyRef value =
      function && function->return_count == 1 && function->returned ? py_tree_strip(tree, function->returned) : 0;
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  if (kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST)
    return false;
  forward->function = callee;
  bool is_one = forward_is_tensor_part(forward, value, position, depth - 1);
  forward->function = before;
  return is_one;
}

bool forward_is_tensor_part(Forward *forward, PyRef value, uint32_t position, int depth)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  value = py_tree_strip(tree, value);
  PyNodeKind kind = py_kind(tree, value);
  if (kind == PYK_TUPLE || kind == PYK_LIST || kind == PYK_EXPRESSION_LIST) {
    PyRef item = py_tree_first_element(tree, value);
    while (item && position-- > 0)
      item = py_tree_next_element(tree, item);
    return item && forward_is_tensor(forward, item, depth);
  }
  if (kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION)
    return depth > 0 && forward_is_tensor(forward, py_first_child(tree, value), depth - 1);
  const PyCall *call = py_model_call(model, value);
  if (!call)
    return forward_is_tensor(forward, value, depth);
  if (is_part_of_result(forward, call, position, depth))
    return true;
  PyRef function = call->function_node;
  bool is_torch = str_starts_with(call->qualified, STR("torch."));
  PyRef method = py_tree_member(tree, function);
  const PyArgument *first = is_torch ? py_model_argument(model, call, 0, NULL) : NULL;
  PyRef object = is_torch ? (first ? first->value : 0) : method ? py_tree_object(tree, function) : 0;
  if (object && has_several(model, call))
    return forward_comes_from_input(forward, object) || forward_is_tensor(forward, object, depth);
  return layer_gives_tensor(forward, call, position, depth) || forward_is_tensor(forward, value, depth);
}

/// What a name surely stands for, or the expression itself.
static PyRef without_name(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  node = py_tree_strip(tree, node);
  PyRef value = py_kind(tree, node) == PYK_IDENTIFIER ? forward_value_of_name(forward, node) : 0;
  return value ? py_tree_strip(tree, value) : node;
}

bool forward_is_named_part(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  Str name = py_tree_member_name(&model->tree, node);
  bool is_second = str_equal(name, STR("indices"));
  if (depth <= 0 || (!is_second && !str_equal(name, STR("values"))))
    return false;
  const PyCall *call = py_model_call(model, without_name(forward, py_tree_object(&model->tree, node)));
  return call && has_several(model, call) && forward_is_tensor_part(forward, call->node, is_second ? 1 : 0, depth);
}

bool forward_is_indexed_part(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef object = py_child(tree, node, PY_F_VALUE);
  PyRef value = object && depth > 0 ? without_name(forward, object) : 0;
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  int64_t at;
  if (kind == PYK_DICTIONARY) {
    PyRef part = py_model_element(model, value, py_child(tree, node, PY_F_SUBSCRIPT));
    return part && forward_is_tensor(forward, part, depth);
  }
  return (kind == PYK_CALL || kind == PYK_TUPLE || kind == PYK_LIST) &&
         py_model_int(model, py_child(tree, node, PY_F_SUBSCRIPT), &at) && at >= 0 && at < PY_SHAPE_TURN_LIMIT &&
         forward_is_tensor_part(forward, value, (uint32_t)at, depth);
}

bool forward_is_list_of_tensors(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef list = py_tree_strip(tree, node);
  for (int depth = 0; list && depth < PY_EXPRESSION_DEPTH; depth++) {
    PyNodeKind kind = py_kind(tree, list);
    if (kind == PYK_LIST_COMPREHENSION)
      return forward_is_tensor(forward, py_first_child(tree, list), PY_EXPRESSION_DEPTH);
    if (kind != PYK_LIST && kind != PYK_TUPLE)
      return false;
    PyRef inner = 0;
    for (PY_EACH_ELEMENT(tree, item, list)) {
      if (forward_is_tensor(forward, item, PY_EXPRESSION_DEPTH))
        return true;
      PyNodeKind of = py_kind(tree, py_tree_strip(tree, item));
      if (!inner && (of == PYK_LIST || of == PYK_TUPLE))
        inner = py_tree_strip(tree, item);
    }
    list = inner;
  }
  return false;
}
