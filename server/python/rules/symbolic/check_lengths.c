// Lists of one operator that contradict each other: pads that are not two for each of the strides, axes that perm names
// twice, a shape with two -1.
//
// torch exports them all; shape inference and ONNX Runtime refuse the model, or a run of it. Each was tried with onnx
// 1.17 and ONNX Runtime 1.21, with and without a known shape.

#include "python/rules/python_edit.h"
#include "python/rules/symbolic/op.h"

/// A list whose numbers are written out, as far as they are.
typedef struct NumberList {
  PyRef node;   ///< What to point at.
  int length;   ///< -1 if it is not known.
  PyRef items;  ///< The list itself, if its elements are written out; 0.
} NumberList;

static PyRef literal_list(const PyModel *model, PyRef node)
{
  PyRef list = py_model_resolve(model, node);
  PyNodeKind kind = py_kind(&model->tree, list);
  return kind == PYK_LIST || kind == PYK_TUPLE ? list : 0;
}

static const PyAttribute *attribute_named(const OpCheck *check, const char *name)
{
  const PyOp *op = check->op;
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &check->model->attributes.items[op->first_attribute + i];
    if (str_is(attribute->name, name))
      return attribute;
  }
  return NULL;
}

static NumberList attribute_list(const OpCheck *check, const char *name)
{
  const PyAttribute *attribute = attribute_named(check, name);
  if (!attribute || !attribute->value)
    return (NumberList){ .length = -1 };
  PyValue value = py_file_value(check->file, attribute->value);
  return (NumberList){ attribute->value, py_file_is_only(value, PY_LIST) ? value.length : -1,
                       literal_list(check->model, attribute->value) };
}

/// How many numbers there are in a list that is put together, `torch.tensor([1] * 4)`; -1.
static int length_of_data(const OpCheck *check, PyRef data)
{
  PyValue value = py_file_value(check->file, data);
  const uint32_t numbers = PY_INT | PY_FLOAT | PY_BOOL;
  bool is_flat = py_file_is_only(value, PY_LIST) && value.elements != 0 && (value.elements & ~numbers) == 0;
  return is_flat ? value.length : -1;
}

/// The values of an input that is a constant, by its name in the schemas that are in force.
static NumberList constant_list(const OpCheck *check, const char *name)
{
  const PyOp *op = check->op;
  const OnnxSchema *schema = check->schemas[opset_set_first(check->opsets.set)];
  for (uint32_t i = 0; schema && !op->has_splat_input && i < op->input_count && i < schema->input_count; i++) {
    const PyArgument *input = &check->model->arguments.items[op->first_input + i];
    if (!input->value || !str_is(schema->inputs[i].name, name))
      continue;
    PyRef tensor = op_constant_tensor(check->model, py_file_made(check->file, input->value));
    const PyCall *call = py_model_call(check->model, tensor);
    const PyArgument *data = call ? py_model_argument(check->model, call, 0, "data") : NULL;
    int length = tensor ? op_tensor_length(check->model, tensor) : -1;
    if (length < 0 && data && str_equal(call->qualified, STR("torch.tensor")))
      length = length_of_data(check, data->value);
    return (NumberList){ input->value, length, data ? literal_list(check->model, data->value) : 0 };
  }
  return (NumberList){ .length = -1 };
}

/// An attribute, or since some opset an input.
static NumberList list_named(const OpCheck *check, const char *name)
{
  NumberList list = attribute_list(check, name);
  return list.node ? list : constant_list(check, name);
}

static void say(const OpCheck *check, PyRef node, Str message)
{
  py_say(check->sink, RULE_ATTRIBUTE_VALUE, SEVERITY_WARNING, node, message, NULL);
}

// --- Windows ---

typedef struct Sized {
  const char *name;
  int numbers;  ///< For each axis.
} Sized;

/// The first of those that most agree with says how many axes there are.
static const Sized of_windows[] = {
  { "kernel_shape", 1 }, { "strides", 1 }, { "dilations", 1 }, { "pads", 2 }, { "output_padding", 1 },
};

static int most_axes(const NumberList *lists)
{
  int best = -1;
  int best_votes = 0;
  for (size_t i = 0; i < COUNT(of_windows); i++) {
    int axes = lists[i].length >= 0 && lists[i].length % of_windows[i].numbers == 0
                   ? lists[i].length / of_windows[i].numbers
                   : -1;
    int votes = 0;
    for (size_t k = 0; k < COUNT(of_windows); k++)
      votes += lists[k].length == axes * of_windows[k].numbers;
    if (axes >= 0 && votes > best_votes) {
      best = axes;
      best_votes = votes;
    }
  }
  return best;
}

static void check_windows(const OpCheck *check)
{
  NumberList lists[COUNT(of_windows)];
  for (size_t i = 0; i < COUNT(of_windows); i++)
    lists[i] = attribute_list(check, of_windows[i].name);
  int axes = most_axes(lists);
  for (size_t i = 0; i < COUNT(of_windows); i++) {
    int wanted = axes * of_windows[i].numbers;
    if (axes < 0 || lists[i].length < 0 || lists[i].length == wanted)
      continue;
    say(check, lists[i].node,
        arena_printf(check->sink->arena,
                     "'%s' of '%.*s' has to have %d number%s by the other attributes, and this has %d: the export "
                     "succeeds, and no runtime runs the model.",
                     of_windows[i].name, STR_ARG(check->op->name), wanted, wanted == 1 ? "" : "s", lists[i].length));
    return;
  }
}

// --- Axes and shapes ---

static void check_perm(const OpCheck *check)
{
  const PyModel *model = check->model;
  NumberList perm = attribute_list(check, "perm");
  uint64_t seen = 0;
  for (PyRef item = perm.items ? py_tree_first_element(&model->tree, perm.items) : 0; item && perm.length > 0;
       item = py_tree_next_element(&model->tree, item)) {
    int64_t axis;
    if (!py_model_int(model, item, &axis))
      continue;
    bool is_axis = axis >= 0 && axis < perm.length && axis < 64;
    if (is_axis && (seen >> axis & 1) == 0) {
      seen |= (uint64_t)1 << axis;
      continue;
    }
    say(check, item,
        arena_printf(check->sink->arena,
                     "'perm' names each axis from 0 to %d once, and this is %d%s: the export succeeds, and no runtime "
                     "loads the model.",
                     perm.length - 1, (int)axis, is_axis ? " again" : ""));
    return;
  }
}

static void check_shape(const OpCheck *check)
{
  const PyModel *model = check->model;
  NumberList shape = constant_list(check, "shape");
  int open = 0;
  for (PyRef item = shape.items ? py_tree_first_element(&model->tree, shape.items) : 0; item;
       item = py_tree_next_element(&model->tree, item)) {
    int64_t size;
    bool is_known = py_model_int(model, item, &size);
    open += is_known && size == -1;
    if (!is_known || (size >= -1 && open < 2))
      continue;
    say(check, item,
        arena_printf(check->sink->arena,
                     "A shape has one -1 at most and nothing below it, and this is %s: the export succeeds, and no "
                     "runtime loads the model.",
                     size == -1 ? "the second -1" : "less"));
    return;
  }
}

static void check_pads(const OpCheck *check)
{
  NumberList pads = list_named(check, "pads");
  if (pads.length >= 0 && pads.length % 2 != 0)
    say(check, pads.node,
        arena_printf(check->sink->arena,
                     "'pads' has two numbers for each axis, first all before and then all after, and this has %d: the "
                     "export succeeds, and no runtime runs the model.",
                     pads.length));
}

static void check_slice(const OpCheck *check)
{
  static const char *const names[] = { "starts", "ends", "axes", "steps" };
  NumberList first = list_named(check, names[0]);
  for (size_t i = 1; i < COUNT(names) && first.length > 0; i++) {
    NumberList list = list_named(check, names[i]);
    if (list.length < 0 || list.length == first.length)
      continue;
    say(check, list.node,
        arena_printf(check->sink->arena,
                     "'starts' of 'Slice' has %d number%s, and '%s' %d: the export succeeds, and no runtime runs the "
                     "model.",
                     first.length, first.length == 1 ? "" : "s", names[i], list.length));
    return;
  }
}

static void check_split(const OpCheck *check)
{
  NumberList split = list_named(check, "split");
  int outputs = check->op->outputs;
  if (check->op->kind == PY_OP_GRAPH && split.length > 0 && outputs > 0 && split.length != outputs)
    say(check, split.node,
        arena_printf(check->sink->arena,
                     "'split' has %d number%s, and the operator %d output%s: the export succeeds, and no runtime runs "
                     "the model.",
                     split.length, split.length == 1 ? "" : "s", outputs, outputs == 1 ? "" : "s"));
}

/// One value fills the tensor; of several ONNX Runtime 1.21 makes a tensor of another shape.
static void check_fill(const OpCheck *check)
{
  const PyAttribute *value = attribute_named(check, "value");
  int length = value && value->value ? op_tensor_length(check->model, value->value) : -1;
  if (length > 1)
    say(check, value->value,
        arena_printf(check->sink->arena,
                     "'value' of 'ConstantOfShape' is one number, and this tensor has %d: the export succeeds, and the "
                     "model gives something else.",
                     length));
}

static void check_equation(const OpCheck *check)
{
  const PyAttribute *attribute = attribute_named(check, "equation");
  Str equation;
  if (!attribute || check->op->has_splat_input || !attribute->value ||
      !py_model_string(check->model, attribute->value, check->sink->arena, &equation) || equation.len == 0)
    return;
  size_t arrow = str_find(equation, STR("->"), 0);
  Str left = str_slice(equation, 0, arrow == STR_NOT_FOUND ? equation.len : arrow);
  uint32_t terms = 1;
  for (size_t i = 0; i < left.len; i++)
    terms += left.data[i] == ',';
  if (terms != check->op->input_count)
    say(check, attribute->value,
        arena_printf(
            check->sink->arena,
            "The equation is of %u input%s, and 'Einsum' gets %u: the export succeeds, and no runtime runs the "
            "model.",
            terms, terms == 1 ? "" : "s", check->op->input_count));
}

// --- The operators ---

static const struct {
  const char *op;
  void (*check)(const OpCheck *check);
} checks[] = {
  // Keep alphabetized.
  { "AveragePool", check_windows }, { "ConstantOfShape", check_fill },  { "Conv", check_windows },
  { "ConvInteger", check_windows }, { "ConvTranspose", check_windows }, { "Einsum", check_equation },
  { "LpPool", check_windows },      { "MaxPool", check_windows },       { "Pad", check_pads },
  { "QLinearConv", check_windows }, { "Reshape", check_shape },         { "Slice", check_slice },
  { "Split", check_split },         { "Transpose", check_perm },
};

void op_check_lengths(OpCheck *check)
{
  if (check->op->domain.len > 0 || !sink_wants(check->sink, RULE_ATTRIBUTE_VALUE, SEVERITY_WARNING))
    return;
  for (size_t i = 0; i < COUNT(checks); i++) {
    if (str_is(check->op->name, checks[i].op))
      checks[i].check(check);
  }
}
