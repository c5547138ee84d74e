// The example inputs of an export, and what is known of their shapes.

#include "python/rules/example_inputs.h"

#include "base/limits.h"

// --- Parameters ---

static ExampleInput *add_input(ExampleInputs *inputs, Str name)
{
  if (inputs->count == PY_EXAMPLE_LIMIT) {
    inputs->is_known = false;
    return NULL;
  }
  ExampleInput *input = &inputs->items[inputs->count++];
  *input = (ExampleInput){ .name = name };
  return input;
}

/// The parameters; `ret_rest` is the name of `*args`.
static void add_parameters(const ExportModel *made, ExampleInputs *inputs, Str *ret_rest)
{
  // All of these call it so.
  if (export_module_fact(made) || str_equal(made->torch_class, STR("Sequential"))) {
    inputs->has_parameters = true;
    add_input(inputs, STR("input"));
  }
  inputs->has_parameters |= made->has_params;
  for (size_t i = 0; i < made->param_count; i++) {
    const WorkspaceParam *param = &made->params[i];
    if (param->kind == PY_PARAM_ARGS) {
      *ret_rest = param->name;
    } else if (param->kind == PY_PARAM_KWARGS) {
      inputs->takes_any_name = true;
    } else {
      ExampleInput *input = add_input(inputs, param->name);
      if (input)
        input->is_default = param->has_default;
    }
  }
}

// --- What is given ---

static void give(const ExportCall *export, ExampleInput *input, PyRef node)
{
  if (!input)
    return;
  input->node = node;
  input->value = export_resolve(export->model, node);
  input->is_default = false;
}

static void give_positional(const ExportCall *export, ExampleInputs *inputs, size_t plain, Str rest, PyRef node)
{
  if (inputs->positional_given < plain) {
    give(export, &inputs->items[inputs->positional_given], node);
  } else if (rest.len > 0) {
    ExampleInput *input = add_input(inputs, rest);
    give(export, input, node);
    if (input)
      input->is_rest = true;
  }
  inputs->positional_given++;
}

/// How many of the parameters take a positional argument.
static size_t plain_count(const ExportModel *made, const ExampleInputs *inputs)
{
  if (!made->has_params)
    return inputs->count;
  size_t count = 0;
  for (size_t i = 0; i < made->param_count; i++)
    count += made->params[i].kind == PY_PARAM_PLAIN;
  return count < inputs->count ? count : inputs->count;
}

static bool may_be_dictionary(const ExportCall *export, PyRef node)
{
  PyNodeKind kind = py_kind(&export->model->tree, py_model_resolve(export->model, node));
  bool is_literal = kind == PYK_NONE || kind == PYK_INTEGER || kind == PYK_FLOAT || kind == PYK_TRUE ||
                    kind == PYK_FALSE || kind == PYK_LIST || kind == PYK_TUPLE || kind == PYK_STRING ||
                    kind == PYK_LIST_COMPREHENSION;
  return !is_literal && !export_is_tensor(export->model, node) &&
         !export_is_unknown_object(export->model, py_model_resolve(export->model, node), export->sink->arena) &&
         !py_file_is_only(py_file_value(export->file, node), PY_ARRAY);
}

static void give_keyword(const ExportCall *export, ExampleInputs *inputs, PyRef key, Str name, PyRef value);

/// A dict at the end of args, whose keys are parameters; what is wrong with it is told elsewhere.
static void give_dictionary(const ExportCall *export, ExampleInputs *inputs, PyRef dictionary)
{
  const PyTree *tree = &export->model->tree;
  dictionary = export_resolve(export->model, dictionary);
  inputs->is_known &= py_kind(tree, dictionary) == PYK_DICTIONARY && !export_argument(export, "kwargs");
  for (PyRef pair = inputs->is_known ? py_first_child(tree, dictionary) : 0; pair && inputs->is_known;
       pair = py_next_sibling(tree, pair)) {
    PyRef key = py_kind(tree, pair) == PYK_PAIR ? py_child(tree, pair, PY_F_KEY) : 0;
    PyRef value = key ? py_child(tree, pair, PY_F_VALUE) : 0;
    Str name;
    inputs->is_known = value && py_model_string(export->model, key, export->sink->arena, &name);
    if (inputs->is_known)
      give_keyword(export, inputs, key, name, value);
  }
  inputs->is_known &= !inputs->unknown_name && !inputs->given_twice;
  for (size_t i = 0; i < inputs->count; i++)
    inputs->is_known &= inputs->items[i].value != 0 || inputs->items[i].is_default;
  inputs->unknown_name = inputs->given_twice = 0;
  inputs->is_by_name = inputs->is_known;
}

static void give_args(const ExportCall *export, const ExportModel *made, ExampleInputs *inputs, Str rest)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  size_t plain = plain_count(made, inputs);
  if (!args) {
    inputs->is_known &= export_argument(export, "kwargs") != NULL;
  } else if (py_kind(tree, args) == PYK_DICTIONARY && export->kind == EXPORT_TRACES) {
    give_dictionary(export, inputs, args);
  } else if (py_kind(tree, args) != PYK_TUPLE && py_kind(tree, args) != PYK_EXPRESSION_LIST) {
    inputs->is_known &= export_is_tensor(export->model, args);
    give_positional(export, inputs, plain, rest, args);
  } else {
    for (PyRef item = py_tree_first_element(tree, args); item; item = py_tree_next_element(tree, item)) {
      // torch.onnx.export() takes a dict at the end for keyword arguments.
      if (py_kind(tree, item) == PYK_LIST_SPLAT) {
        inputs->is_known = false;
        return;
      }
      if (!export->is_capture && !py_tree_next_element(tree, item) && may_be_dictionary(export, item)) {
        give_dictionary(export, inputs, item);
        return;
      }
      give_positional(export, inputs, plain, rest, item);
    }
  }
}

static void count_positional(const ExportModel *made, ExampleInputs *inputs, Str rest)
{
  size_t plain = plain_count(made, inputs);
  inputs->positional_most = rest.len > 0 ? UINT32_MAX : (uint32_t)plain;
  for (size_t i = 0; i < plain; i++)
    inputs->positional_least += !inputs->items[i].is_default;
}

static ExampleInput *find_input(ExampleInputs *inputs, Str name)
{
  for (size_t i = 0; i < inputs->count; i++) {
    if (str_equal(inputs->items[i].name, name))
      return &inputs->items[i];
  }
  return NULL;
}

/// `key` is where the name stands.
static void give_keyword(const ExportCall *export, ExampleInputs *inputs, PyRef key, Str name, PyRef value)
{
  ExampleInput *input = find_input(inputs, name);
  if (input && input->value)
    inputs->given_twice = key;
  if (input || inputs->takes_any_name)
    give(export, input ? input : add_input(inputs, name), value);
  else
    inputs->unknown_name = key;
}

/// `dict(mask=mask)`
static void give_call_keywords(const ExportCall *export, ExampleInputs *inputs, const PyCall *call)
{
  inputs->is_known &= call && str_equal(call->qualified, STR("dict"));
  for (uint32_t i = 0; inputs->is_known && i < call->argument_count; i++) {
    const PyArgument *argument = &export->model->arguments.items[call->first_argument + i];
    inputs->is_known = argument->keyword.len > 0;
    if (inputs->is_known)
      give_keyword(export, inputs, argument->node, argument->keyword, argument->value);
  }
}

static void give_keywords(const ExportCall *export, ExampleInputs *inputs)
{
  const PyTree *tree = &export->model->tree;
  PyRef keywords = export_value(export, "kwargs");
  if (!keywords)
    return;
  if (py_kind(tree, keywords) != PYK_DICTIONARY) {
    uint32_t call = py_model_call_at(export->model, keywords);
    give_call_keywords(export, inputs, call == PY_ABSENT ? NULL : &export->model->calls.items[call]);
    return;
  }
  for (PyRef pair = inputs->is_known ? py_first_child(tree, keywords) : 0; pair; pair = py_next_sibling(tree, pair)) {
    PyRef key = py_kind(tree, pair) == PYK_PAIR ? py_child(tree, pair, PY_F_KEY) : 0;
    PyRef value = key ? py_child(tree, pair, PY_F_VALUE) : 0;
    Str name;
    if (!value || !py_model_string(export->model, key, export->sink->arena, &name)) {
      inputs->is_known = false;
      return;
    }
    give_keyword(export, inputs, key, name, value);
  }
}

ExampleInputs *example_inputs(const ExportCall *export, const ExportModel *made)
{
  ExampleInputs *inputs = ARENA_NEW(export->sink->arena, ExampleInputs);
  Str rest = { 0 };
  add_parameters(made, inputs, &rest);
  inputs->is_known = inputs->has_parameters && !export->call->has_splat && !export->call->has_dictionary_splat;
  if (inputs->has_parameters) {
    count_positional(made, inputs, rest);
    give_args(export, made, inputs, rest);
    give_keywords(export, inputs);
  }
  return inputs;
}

const ExampleInput *example_input_named(const ExampleInputs *inputs, Str name)
{
  return find_input((ExampleInputs *)inputs, name);
}

const ExampleInput *example_input_of_axes(const ExampleInputs *inputs, const ExportNames *names, Str key)
{
  for (size_t i = 0; i < names->count && i < inputs->count; i++) {
    if (str_equal(names->items[i], key))
      return &inputs->items[i];
  }
  return names->node ? NULL : example_input_named(inputs, key);
}

Str example_input_names(const ExampleInputs *inputs, Arena *arena)
{
  Str text = { 0 };
  for (size_t i = 0; i < inputs->count; i++) {
    const char *before = i == 0 ? "" : i + 1 == inputs->count ? " and " : ", ";
    text = arena_printf(arena, "%.*s%s%.*s", STR_ARG(text), before, STR_ARG(inputs->items[i].name));
  }
  return text;
}

// --- Shapes ---

static const ExampleShape no_shape = { .rank = -1 };

/// What a size stands for, or a list of them: also `args.size`, which the command line leaves at its default.
static PyRef size_resolved(const PyModel *model, PyRef node)
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
      py_model_int(model, node, &size) || py_model_int(model, size_resolved(model, node), &size) ? size : -1;
}

static bool is_sequence(const PyModel *model, PyRef node)
{
  PyNodeKind kind = py_kind(&model->tree, node);
  return kind == PYK_TUPLE || kind == PYK_LIST;
}

/// `*size` with the size (2, 3); false if it is not known, or has such parts itself.
static bool add_splat(const PyModel *model, ExampleShape *shape, PyRef splat)
{
  PyRef list = size_resolved(model, py_first_child(&model->tree, splat));
  if (!is_sequence(model, list))
    return false;
  for (PyRef item = py_tree_first_element(&model->tree, list); item; item = py_tree_next_element(&model->tree, item)) {
    if (py_tree_is_splat(&model->tree, item))
      return false;
    add_size(model, shape, item);
  }
  return true;
}

/// `(2, 3)` and `[2, 3]`
static ExampleShape shape_of_sizes(const PyModel *model, PyRef list)
{
  ExampleShape shape = { 0 };
  for (PyRef item = py_tree_first_element(&model->tree, list); item; item = py_tree_next_element(&model->tree, item)) {
    if (!py_tree_is_splat(&model->tree, item))
      add_size(model, &shape, item);
    else if (!add_splat(model, &shape, item))
      return no_shape;
  }
  return shape;
}

/// The sizes are one argument or several: `torch.randn(2, 3)`, `torch.zeros((2, 3))`.
static ExampleShape shape_of_arguments(const PyModel *model, const PyCall *call)
{
  ExampleShape shape = { 0 };
  for (uint32_t i = 0; i < call->argument_count; i++) {
    const PyArgument *argument = &model->arguments.items[call->first_argument + i];
    if (argument->keyword.len > 0)
      continue;
    if (argument->is_splat) {
      if (!add_splat(model, &shape, argument->node))
        return no_shape;
      continue;
    }
    PyRef value = size_resolved(model, argument->value);
    int64_t size;
    if (shape.rank == 0 && is_sequence(model, value))
      return shape_of_sizes(model, value);
    if (shape.rank == 0 && !py_model_int(model, value, &size) && call->argument_count == 1)
      return no_shape;  // It may be a tuple.
    add_size(model, &shape, value);
  }
  return shape.rank > 0 ? shape : no_shape;
}

/// `torch.tensor([[1, 2], [3, 4]])`
static ExampleShape shape_of_data(const PyModel *model, PyRef data)
{
  ExampleShape shape = { 0 };
  while (shape.rank < PY_EXAMPLE_LIMIT && is_sequence(model, data)) {
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
    const PyArgument *argument = &model->arguments.items[call->first_argument + i];
    PyRef value = argument->keyword.len > 0 ? 0 : py_model_resolve(model, argument->value);
    if (value && is_sequence(model, value))
      shape = shape_of_sizes(model, value);
  }
  return shape;
}

/// The x of `x.unsqueeze(0)`, and where that puts an axis; 0 for other expressions.
static PyRef unsqueezed(const PyModel *model, PyRef node, int64_t *ret_axis)
{
  const PyTree *tree = &model->tree;
  uint32_t index = py_model_call_at(model, export_resolve(model, node));
  const PyCall *call = index == PY_ABSENT ? NULL : &model->calls.items[index];
  const PyArgument *axis = call && call->argument_count == 1 ? py_model_argument(model, call, 0, "dim") : NULL;
  bool is_method =
      axis && py_kind(tree, call->function_node) == PYK_ATTRIBUTE && !str_starts_with(call->qualified, STR("torch."));
  return is_method && str_equal(py_text(tree, py_child(tree, call->function_node, PY_F_ATTRIBUTE)), STR("unsqueeze")) &&
                 py_model_int(model, axis->value, ret_axis)
             ? py_child(tree, call->function_node, PY_F_OBJECT)
             : 0;
}

static ExampleShape with_axis(ExampleShape shape, int64_t axis)
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

/// `torch.arange(12.).view(1, 3, 4)`, with no -1 in it; unknown for other expressions.
static ExampleShape shape_read(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  uint32_t index = py_model_call_at(model, export_module_made(model, node));
  const PyCall *call = index == PY_ABSENT ? NULL : &model->calls.items[index];
  PyRef object = call && !call->has_splat && py_kind(tree, call->function_node) == PYK_ATTRIBUTE &&
                         !str_starts_with(call->qualified, STR("torch."))
                     ? py_child(tree, call->function_node, PY_F_OBJECT)
                     : 0;
  Str name = object ? py_text(tree, py_child(tree, call->function_node, PY_F_ATTRIBUTE)) : (Str){ 0 };
  if ((!str_equal(name, STR("view")) && !str_equal(name, STR("reshape"))) || !export_is_tensor(model, object))
    return no_shape;
  ExampleShape shape = shape_of_arguments(model, call);
  for (int i = 0; i < shape.rank; i++) {
    if (shape.sizes[i] < 0)
      return no_shape;
  }
  return shape;
}

ExampleShape example_shape(const PyModel *model, PyRef node)
{
  int64_t axes[4];
  size_t count = 0;
  PyRef inner;
  while (count < COUNT(axes) && (inner = unsqueezed(model, node, &axes[count])) != 0) {
    node = inner;
    count++;
  }
  ExampleShape shape = shape_of_maker(model, node);
  shape = shape.rank < 0 ? shape_read(model, node) : shape;
  while (count > 0)
    shape = with_axis(shape, axes[--count]);
  return shape;
}

/// `numpy.random.rand(1, 3)` and `numpy.zeros((1, 3))`, maybe with astype().
static ExampleShape shape_of_array(const PyModel *model, PyRef node)
{
  static const char *const sized[] = { "numpy.random.rand", "numpy.random.randn",
                                       "numpy.zeros",       "numpy.ones",
                                       "numpy.empty",       "numpy.random.random",
                                       "numpy.full",        "numpy.random.random_sample" };
  const PyTree *tree = &model->tree;
  for (int i = 0; i < PY_CHAIN_LIMIT; i++) {
    node = export_resolve(model, node);
    uint32_t index = py_model_call_at(model, node);
    const PyCall *call = index == PY_ABSENT ? NULL : &model->calls.items[index];
    if (!call || call->has_splat)
      return no_shape;
    if (str_is_one_of(call->qualified, sized, COUNT(sized))) {
      const PyArgument *first = py_model_argument(model, call, 0, NULL);
      bool is_list =
          first && !str_ends_with(call->qualified, STR("rand")) && !str_ends_with(call->qualified, STR("randn"));
      PyRef list = is_list ? size_resolved(model, first->value) : 0;
      return !is_list                   ? shape_of_arguments(model, call)
             : is_sequence(model, list) ? shape_of_sizes(model, list)
                                        : no_shape;
    }
    PyRef object =
        py_kind(tree, call->function_node) == PYK_ATTRIBUTE ? py_child(tree, call->function_node, PY_F_OBJECT) : 0;
    if (!object || !str_equal(py_text(tree, py_child(tree, call->function_node, PY_F_ATTRIBUTE)), STR("astype")))
      return no_shape;
    node = object;
  }
  return no_shape;
}

/// `torch.FloatTensor(1, 3)` and `torch.FloatTensor([[1, 2]])`.
static ExampleShape shape_of_class(const PyModel *model, const PyCall *call)
{
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  PyRef value = first ? py_model_resolve(model, first->value) : 0;
  int64_t size;
  if (value && is_sequence(model, value) && call->argument_count == 1)
    return shape_of_data(model, value);
  return first && py_model_int(model, size_resolved(model, first->value), &size) ? shape_of_arguments(model, call)
                                                                                 : no_shape;
}

static ExampleShape shape_of_maker(const PyModel *model, PyRef node)
{
  static const char *const arrays[] = { "torch.from_numpy", "torch.as_tensor" };
  static const char *const sized[] = { "torch.randn", "torch.rand", "torch.zeros", "torch.ones", "torch.empty" };
  uint32_t index = export_tensor_call(model, node);
  const PyCall *call = index == PY_ABSENT ? NULL : &model->calls.items[index];
  if (!call || (call->has_splat && !str_is_one_of(call->qualified, sized, COUNT(sized))))
    return no_shape;
  const PyArgument *size = py_model_argument(model, call, PY_ABSENT, "size");
  PyRef sizes = size ? py_model_resolve(model, size->value) : 0;
  if (sizes)
    return is_sequence(model, sizes) ? shape_of_sizes(model, sizes) : no_shape;
  if (str_is_one_of(call->qualified, sized, COUNT(sized)))
    return shape_of_arguments(model, call);
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  PyRef value = first ? py_model_resolve(model, first->value) : 0;
  Str class = str_slice(call->qualified, STR("torch.").len, call->qualified.len);
  if (value && str_is_one_of(call->qualified, arrays, COUNT(arrays)))
    return shape_of_array(model, value);
  if (export_is_tensor_class(class))
    return shape_of_class(model, call);
  if (value && str_equal(call->qualified, STR("torch.tensor"))) {
    ExampleShape shape = shape_of_data(model, value);
    return shape.rank < 0 ? shape_of_array(model, value) : shape;
  }
  if (value && str_equal(call->qualified, STR("torch.full")))
    return is_sequence(model, value) ? shape_of_sizes(model, value) : no_shape;
  return str_equal(call->qualified, STR("torch.randint")) ? shape_of_last(model, call) : no_shape;
}

// --- dynamic_shapes ---

/// The value under a key of a dict that is written out; 0.
static PyRef value_of_key(const PyModel *model, PyRef dictionary, Str name, int64_t number, Arena *arena)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_CHILD(tree, pair, dictionary)) {
    PyRef key = py_kind(tree, pair) == PYK_PAIR ? py_child(tree, pair, PY_F_KEY) : 0;
    Str text;
    int64_t given;
    if (key && (name.len > 0 ? py_model_string(model, key, arena, &text) && str_equal(text, name)
                             : py_model_int(model, key, &given) && given == number))
      return py_child(tree, pair, PY_F_VALUE);
  }
  return 0;
}

static PyRef element_at(const PyTree *tree, PyRef list, size_t position)
{
  PyRef item = py_tree_first_element(tree, list);
  for (; item && position > 0 && !py_tree_is_splat(tree, item); position--)
    item = py_tree_next_element(tree, item);
  return position > 0 || (item && py_tree_is_splat(tree, item)) ? 0 : item;
}

/// What dynamic_shapes has for the input, by its name or its place among those that are given; 0.
static PyRef shapes_of_input(const ExportCall *export, const ExampleInput *input)
{
  const PyModel *model = export->model;
  const ExampleInputs *inputs = export->inputs;
  PyRef shapes = export_value(export, "dynamic_shapes");
  PyNodeKind kind = shapes ? py_kind(&model->tree, shapes) : PYK_OTHER;
  size_t position = 0;
  if (kind == PYK_DICTIONARY)
    return value_of_key(model, shapes, input->name, 0, export->sink->arena);
  if (kind != PYK_TUPLE && kind != PYK_LIST)
    return 0;
  for (size_t i = 0; i < inputs->count && !str_equal(inputs->items[i].name, input->name); i++)
    position += inputs->items[i].value != 0;
  return element_at(&model->tree, shapes, position);
}

PyRef example_dimension(const ExportCall *export, const ExampleInput *input, int axis, int rank)
{
  const PyModel *model = export->model;
  PyRef spec = shapes_of_input(export, input);
  spec = spec ? py_model_resolve(model, spec) : 0;
  PyNodeKind kind = spec ? py_kind(&model->tree, spec) : PYK_OTHER;
  if (kind == PYK_TUPLE || kind == PYK_LIST)
    return element_at(&model->tree, spec, (size_t)axis);
  if (kind != PYK_DICTIONARY)
    return 0;
  PyRef entry = value_of_key(model, spec, (Str){ 0 }, axis, export->sink->arena);
  return entry ? entry : value_of_key(model, spec, (Str){ 0 }, axis - rank, export->sink->arena);
}
