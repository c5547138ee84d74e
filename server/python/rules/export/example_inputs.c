// The example inputs of an export, and what is known of their shapes.

#include "python/rules/export/example_inputs.h"

#include "base/limits.h"
#include "python/model/keys_set.h"
#include "python/rules/written_items.h"

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
    PyRef key = py_tree_key(tree, pair);
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

static bool is_tuple(const ExportCall *export, PyRef args)
{
  PyNodeKind kind = py_kind(&export->model->tree, args);
  return kind == PYK_TUPLE || kind == PYK_EXPRESSION_LIST || written_copy(export->model, args, "tuple");
}

/// Of `(x, *rest)`, of which nobody knows how many there are, what stands before.
static void give_elements(const ExportCall *export, const ExportModel *made, ExampleInputs *inputs, Str rest,
                          PyRef tuple)
{
  WrittenItems *items = ARENA_NEW(export->sink->arena, WrittenItems);
  size_t plain = plain_count(made, inputs);
  bool is_all = written_items(export->model, tuple, items);
  inputs->is_known &= is_all;
  for (size_t i = 0; i < items->count; i++) {
    PyRef item = items->items[i];
    // torch.onnx.export() takes a dict at the end for keyword arguments.
    if (is_all && !export->is_capture && i + 1 == items->count && may_be_dictionary(export, item)) {
      give_dictionary(export, inputs, item);
      return;
    }
    give_positional(export, inputs, plain, rest, item);
  }
}

static void give_args(const ExportCall *export, const ExportModel *made, ExampleInputs *inputs, Str rest)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  if (!args) {
    inputs->is_known &= export_argument(export, "kwargs") != NULL;
  } else if (py_kind(tree, args) == PYK_DICTIONARY && export->kind == EXPORT_TRACES) {
    give_dictionary(export, inputs, args);
  } else if (is_tuple(export, args)) {
    give_elements(export, made, inputs, rest, args);
  } else {
    inputs->is_known &= export_is_tensor(export->model, args);
    give_positional(export, inputs, plain_count(made, inputs), rest, args);
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
    const PyArgument *argument = &py_model_arguments(export->model, call)[i];
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
    const PyCall *call = py_model_call(export->model, keywords);
    give_call_keywords(export, inputs, call);
    return;
  }
  for (PyRef pair = inputs->is_known ? py_first_child(tree, keywords) : 0; pair; pair = py_next_sibling(tree, pair)) {
    PyRef key = py_tree_key(tree, pair);
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
  inputs->is_known = inputs->has_parameters && !export->call->has_splat &&
                     !keys_may_give(export->model, export->call, "args") &&
                     !keys_may_give(export->model, export->call, "kwargs");
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

// --- dynamic_shapes ---

/// The value under a key of a dict that is written out; 0.
static PyRef value_of_key(const PyModel *model, PyRef dictionary, Str name, int64_t number, Arena *arena)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_CHILD(tree, pair, dictionary)) {
    PyRef key = py_tree_key(tree, pair);
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

PyRef example_shapes_of(const ExportCall *export, const ExampleInput *input)
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
  PyRef spec = example_shapes_of(export, input);
  spec = spec ? py_model_resolve(model, spec) : 0;
  PyNodeKind kind = spec ? py_kind(&model->tree, spec) : PYK_OTHER;
  if (kind == PYK_TUPLE || kind == PYK_LIST)
    return element_at(&model->tree, spec, (size_t)axis);
  if (kind != PYK_DICTIONARY)
    return 0;
  PyRef entry = value_of_key(model, spec, (Str){ 0 }, axis, export->sink->arena);
  return entry ? entry : value_of_key(model, spec, (Str){ 0 }, axis - rank, export->sink->arena);
}
