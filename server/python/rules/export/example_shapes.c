// Shapes of example inputs, as far as what makes them says so.

#include "base/limits.h"
#include "python/rules/export/example_sizes.h"

static const ExampleShape no_shape = { .rank = -1 };

ExampleShape example_no_shape(void)
{
  return no_shape;
}

PyRef example_size_resolved(const PyModel *model, PyRef node)
{
  node = py_model_resolve(model, node);
  PyRef object = py_kind(&model->tree, node) == PYK_SUBSCRIPT ? py_child(&model->tree, node, PY_F_VALUE) : 0;
  PyRef standard = export_default_number(model, object ? py_model_resolve(model, object) : node);
  PyRef element =
      object && standard ? py_model_element(model, standard, py_child(&model->tree, node, PY_F_SUBSCRIPT)) : 0;
  return element ? element : standard && !object ? standard : node;
}

static void add_size(const PyModel *model, ExampleShape *shape, PyRef node)
{
  int64_t size;
  if (shape->rank == PY_EXAMPLE_LIMIT)
    return;
  shape->sizes[shape->rank++] =
      py_model_int(model, node, &size) || py_model_int(model, example_size_resolved(model, node), &size) ? size : -1;
}

bool example_is_sequence(const PyModel *model, PyRef node)
{
  PyNodeKind kind = py_kind(&model->tree, node);
  return kind == PYK_TUPLE || kind == PYK_LIST;
}

/// `*size` with the size (2, 3); false if it is not known, or has such parts itself.
static bool add_splat(const PyModel *model, ExampleShape *shape, PyRef splat)
{
  PyRef list = example_size_resolved(model, py_first_child(&model->tree, splat));
  if (!example_is_sequence(model, list))
    return false;
  for (PY_EACH_ELEMENT(&model->tree, item, list)) {
    if (py_tree_is_splat(&model->tree, item))
      return false;
    add_size(model, shape, item);
  }
  return true;
}

ExampleShape example_sizes_of_list(const PyModel *model, PyRef list)
{
  ExampleShape shape = { 0 };
  for (PY_EACH_ELEMENT(&model->tree, item, list)) {
    if (!py_tree_is_splat(&model->tree, item))
      add_size(model, &shape, item);
    else if (!add_splat(model, &shape, item))
      return no_shape;
  }
  return shape;
}

/// `torch.zeros(size, dtype=torch.int64)`: one value, which may be a number or a tuple of all sizes.
static bool has_one_value(const PyModel *model, const PyCall *call)
{
  uint32_t count = 0;
  for (PY_EACH_ARGUMENT(model, argument, call))
    count += argument->keyword.len == 0;
  return count == 1;
}

ExampleShape example_sizes_of_arguments(const PyModel *model, const PyCall *call)
{
  ExampleShape shape = { 0 };
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->keyword.len > 0)
      continue;
    if (argument->is_splat) {
      if (!add_splat(model, &shape, argument->node))
        return no_shape;
      continue;
    }
    PyRef value = example_size_resolved(model, argument->value);
    int64_t size;
    if (shape.rank == 0 && example_is_sequence(model, value))
      return example_sizes_of_list(model, value);
    if (shape.rank == 0 && !py_model_int(model, value, &size) && has_one_value(model, call))
      return no_shape;
    add_size(model, &shape, value);
  }
  return shape.rank > 0 ? shape : no_shape;
}

/// `torch.arange(8)`, `torch.linspace(0, 1, 8)`, `torch.eye(3)`; unknown for other calls.
static ExampleShape shape_of_numbers(const PyModel *model, const PyCall *call)
{
  bool is_square = str_equal(call->qualified, STR("torch.eye"));
  bool is_steps = str_equal(call->qualified, STR("torch.linspace"));
  bool is_range = str_equal(call->qualified, STR("torch.arange")) && !py_model_argument(model, call, 1, "end");
  const PyArgument *size = py_model_argument(model, call, is_steps ? 2 : 0,
                                             is_steps    ? "steps"
                                             : is_square ? "n"
                                                         : "end");
  const PyArgument *width = is_square ? py_model_argument(model, call, 1, "m") : NULL;
  ExampleShape shape = { 0 };
  if (!size || (!is_square && !is_steps && !is_range))
    return no_shape;
  add_size(model, &shape, example_size_resolved(model, size->value));
  if (is_square)
    add_size(model, &shape, example_size_resolved(model, width ? width->value : size->value));
  return shape;
}

ExampleShape example_sizes_of_data(const PyModel *model, PyRef data)
{
  ExampleShape shape = { 0 };
  while (shape.rank < PY_EXAMPLE_LIMIT && example_is_sequence(model, data)) {
    int64_t size = 0;
    PyRef first = py_tree_first_element(&model->tree, data);
    for (PyRef item = first; item; item = py_tree_next_element(&model->tree, item), size++) {
      if (py_kind(&model->tree, item) == PYK_LIST_SPLAT)
        return no_shape;
    }
    shape.sizes[shape.rank++] = size;
    data = first;
  }
  PyNodeKind kind = data ? py_kind(&model->tree, data) : PYK_OTHER;
  bool is_number = kind == PYK_INTEGER || kind == PYK_FLOAT || kind == PYK_TRUE || kind == PYK_FALSE;
  return is_number ? shape : no_shape;
}

/// `torch.randint(0, 10, (2, 3))`: the sizes are the last argument without a name.
static ExampleShape shape_of_last(const PyModel *model, const PyCall *call)
{
  ExampleShape shape = no_shape;
  for (uint32_t i = 0; i < call->argument_count && i < 3; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    PyRef value = argument->keyword.len > 0 ? 0 : py_model_resolve(model, argument->value);
    if (value && example_is_sequence(model, value))
      shape = example_sizes_of_list(model, value);
  }
  return shape;
}

/// The x of `x[None]`, `x * 2` and `x.abs()`, and whether that puts an axis in front of it; 0 for other expressions.
static PyRef same_shape(const PyModel *model, PyRef node, bool *ret_has_axis)
{
  static const char *const methods[] = { "abs",   "bernoulli_", "clamp",   "exp",  "fill_", "normal_", "random_",
                                         "round", "sigmoid",    "softmax", "sqrt", "tanh",  "tril",    "triu",
                                         "zero_", "uniform_",   "cumsum",  "cos",  "sin",   "clone" };
  const PyTree *tree = &model->tree;
  PyRef index = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
  *ret_has_axis = index && py_kind(tree, index) == PYK_NONE && !py_next_sibling(tree, index);
  if (*ret_has_axis)
    return py_child(tree, node, PY_F_VALUE);
  if (py_kind(tree, node) == PYK_BINARY_OPERATOR) {
    PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
    bool is_scaled = py_kind(tree, right) == PYK_INTEGER || py_kind(tree, right) == PYK_FLOAT;
    bool is_number = py_kind(tree, left) == PYK_INTEGER || py_kind(tree, left) == PYK_FLOAT;
    return is_scaled ? left : is_number ? right : 0;
  }
  PyRef function = py_tree_callee(tree, node);
  return str_is_one_of(py_tree_member_name(tree, function), methods, COUNT(methods)) ? py_tree_object(tree, function)
                                                                                     : 0;
}

/// The x of `x.unsqueeze(0)`, and where that puts an axis; 0 for other expressions.
static PyRef unsqueezed(const PyModel *model, PyRef node, int64_t *ret_axis)
{
  const PyTree *tree = &model->tree;
  node = export_module_made(model, node);
  bool has_axis;
  PyRef same = same_shape(model, node, &has_axis);
  *ret_axis = has_axis ? 0 : PY_EXAMPLE_LIMIT;
  if (same)
    return same;
  const PyCall *call = py_model_call(model, node);
  const PyArgument *axis = call && call->argument_count == 1 ? py_model_argument(model, call, 0, "dim") : NULL;
  bool is_method = axis && !str_starts_with(call->qualified, STR("torch."));
  return is_method && str_equal(py_tree_member_name(tree, call->function_node), STR("unsqueeze")) &&
                 py_model_int(model, axis->value, ret_axis)
             ? py_tree_object(tree, call->function_node)
             : 0;
}

ExampleShape example_with_axis(ExampleShape shape, int64_t axis)
{
  axis += axis < 0 ? shape.rank + 1 : 0;
  if (shape.rank < 0 || shape.rank == PY_EXAMPLE_LIMIT || axis < 0 || axis > shape.rank)
    return no_shape;
  for (int i = shape.rank; i > axis; i--)
    shape.sizes[i] = shape.sizes[i - 1];
  shape.sizes[axis] = 1;
  shape.rank++;
  return shape;
}

static ExampleShape shape_of_maker(const PyModel *model, PyRef node);

ExampleShape example_sizes_written(const PyModel *model, const PyCall *call)
{
  ExampleShape shape = example_sizes_of_arguments(model, call);
  for (int i = 0; i < shape.rank; i++) {
    if (shape.sizes[i] < 0)
      return no_shape;
  }
  return shape;
}

/// `torch.randn(1, 3).repeat(8, 1)`; unknown where a size is.
static ExampleShape shape_repeated(const PyModel *model, PyRef object, const PyCall *call)
{
  ExampleShape shape = shape_of_maker(model, object), times = example_sizes_written(model, call);
  if (shape.rank < 0 || times.rank < shape.rank)
    return no_shape;
  for (int i = 1; i <= shape.rank; i++) {
    int64_t size = shape.sizes[shape.rank - i], *made = &times.sizes[times.rank - i];
    if (size < 0 || size > PY_DIM_NUMBER_LIMIT || *made > PY_DIM_NUMBER_LIMIT)
      return no_shape;
    *made *= size;
  }
  return times;
}

/// `torch.arange(12.).view(1, 3, 4)`; unknown for other expressions.
static ExampleShape shape_read(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, export_module_made(model, node));
  bool is_method = call && !call->has_splat && !str_starts_with(call->qualified, STR("torch."));
  PyRef object = is_method ? py_tree_object(tree, call->function_node) : 0;
  Str name = object ? py_tree_member_name(tree, call->function_node) : (Str){ 0 };
  if (str_equal(name, STR("repeat")))
    return shape_repeated(model, object, call);
  if ((!str_equal(name, STR("view")) && !str_equal(name, STR("reshape"))) || !export_is_tensor(model, object))
    return no_shape;
  return example_sizes_written(model, call);
}

ExampleShape example_shape(const PyModel *model, PyRef node)
{
  int64_t axes[4];
  size_t count = 0;
  PyRef inner;
  for (int i = 0; count < COUNT(axes) && i < PY_CHAIN_LIMIT && (inner = unsqueezed(model, node, &axes[count])) != 0;
       i++) {
    node = inner;
    count += axes[count] != PY_EXAMPLE_LIMIT;
  }
  ExampleShape shape = shape_of_maker(model, node);
  shape = shape.rank < 0 ? shape_read(model, node) : shape;
  while (count > 0)
    shape = example_with_axis(shape, axes[--count]);
  return shape;
}

/// `torch.FloatTensor(1, 3)` and `torch.FloatTensor([[1, 2]])`.
static ExampleShape shape_of_class(const PyModel *model, const PyCall *call)
{
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  PyRef value = first ? py_model_resolve(model, first->value) : 0;
  int64_t size;
  if (value && example_is_sequence(model, value) && call->argument_count == 1)
    return example_sizes_of_data(model, value);
  return first && py_model_int(model, example_size_resolved(model, first->value), &size)
             ? example_sizes_of_arguments(model, call)
             : no_shape;
}

static ExampleShape shape_of_maker(const PyModel *model, PyRef node)
{
  static const char *const arrays[] = { "torch.from_numpy", "torch.as_tensor" };
  static const char *const sized[] = { "torch.randn", "torch.rand", "torch.zeros", "torch.ones", "torch.empty" };
  const PyCall *call = export_tensor_call(model, node);
  if (!call || (call->has_splat && !str_is_one_of(call->qualified, sized, COUNT(sized))))
    return no_shape;
  const PyArgument *size = py_model_argument(model, call, PY_ABSENT, "size");
  PyRef sizes = size ? py_model_resolve(model, size->value) : 0;
  if (sizes)
    return example_is_sequence(model, sizes) ? example_sizes_of_list(model, sizes) : no_shape;
  if (str_is_one_of(call->qualified, sized, COUNT(sized)))
    return example_sizes_of_arguments(model, call);
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  PyRef value = first ? py_model_resolve(model, first->value) : 0;
  Str class = str_slice(call->qualified, STR("torch.").len, call->qualified.len);
  if (value && str_is_one_of(call->qualified, arrays, COUNT(arrays)))
    return example_array_shape(model, value);
  if (export_is_tensor_class(class))
    return shape_of_class(model, call);
  if (value && str_equal(call->qualified, STR("torch.tensor"))) {
    ExampleShape shape = example_sizes_of_data(model, value);
    return shape.rank < 0 ? example_array_shape(model, value) : shape;
  }
  if (value && str_equal(call->qualified, STR("torch.full")))
    return example_is_sequence(model, value) ? example_sizes_of_list(model, value) : no_shape;
  return str_equal(call->qualified, STR("torch.randint")) ? shape_of_last(model, call) : shape_of_numbers(model, call);
}
