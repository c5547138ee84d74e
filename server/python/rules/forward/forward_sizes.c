// Sizes that an export leaves open and a trace freezes: a Python number that is made of one is that of the example.

#include "python/rules/forward/forward_sizes.h"

#include "base/limits.h"
#include "python/rules/export/axes_entries.h"

// --- Which axes are open ---

/// Visits what is in `{0: "batch"}` and `[0]`.
static void visit_axes(const ExampleInput *input, const PyModel *model, PyRef axes, OpenAxisVisitor *visit,
                       void *context)
{
  const PyTree *tree = &model->tree;
  axes = py_model_resolve(model, axes);
  bool is_dictionary = py_kind(tree, axes) == PYK_DICTIONARY;
  if (!is_dictionary && py_kind(tree, axes) != PYK_LIST)
    return;
  for (PY_EACH_CHILD(tree, item, axes)) {
    PyRef axis = is_dictionary && py_kind(tree, item) == PYK_PAIR ? py_child(tree, item, PY_F_KEY) : item;
    int64_t number;
    if (axis && py_model_int(model, axis, &number) && number >= 0 && number < PY_OPEN_AXIS_LIMIT)
      visit(context, input, (int)number, item);
  }
}

void forward_each_open_axis(const ExportCall *export, const ExportModel *made, OpenAxisVisitor *visit, void *context)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  PyRef axes = export_value(export, "dynamic_axes");
  if (!axes || made->forward == PY_ABSENT || py_kind(tree, axes) != PYK_DICTIONARY)
    return;
  const ExampleInputs *inputs = export->inputs ? export->inputs : example_inputs(export, made);
  ExportNames *names = ARENA_NEW(export->sink->arena, ExportNames);
  export_read_names(export, "input_names", names);
  for (PY_EACH_CHILD(tree, pair, axes)) {
    PyRef key = py_tree_key(tree, pair);
    Str name;
    if (!key || !names->is_known || !py_model_string(model, key, export->sink->arena, &name))
      continue;
    const ExampleInput *input = axes_entry_input(export, inputs, names, name);
    if (input && !input->is_rest)
      visit_axes(input, model, py_child(tree, pair, PY_F_VALUE), visit, context);
  }
}

typedef struct AxesNote {
  const PyModel *model;
  const PyFunction *forward;
  uint32_t *open_axes;
} AxesNote;

static void note_axis(void *context, const ExampleInput *input, int axis, PyRef node)
{
  (void)node;
  const AxesNote *note = context;
  for (uint32_t i = note->forward->first_param; i < note->forward->first_param + note->forward->param_count; i++) {
    if (str_equal(note->model->params.items[i].name, input->name)) {
      int rank = input->value ? example_shape(note->model, input->node).rank : 0;
      bool has_rank = rank > 0 && rank < PY_OPEN_AXIS_LIMIT;
      note->open_axes[i] |= UINT32_C(1) << axis | (has_rank ? (uint32_t)rank << PY_OPEN_AXIS_LIMIT : 0);
      return;
    }
  }
}

void forward_note_axes(const ExportCall *export, const ExportModel *made, uint32_t *open_axes)
{
  if (made->forward == PY_ABSENT)
    return;
  AxesNote note = { export->model, &export->model->functions.items[made->forward], open_axes };
  forward_each_open_axis(export, made, note_axis, &note);
}

// --- What is open ---

/// The open axes of `x`, where that is a parameter of the function, and is given nothing else before.
static uint32_t open_axes_of(const Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyBinding *binding = node && forward->open_axes ? py_model_binding_of(model, forward->function, node) : NULL;
  if (!binding || binding->scope != forward->function || binding->kind != PY_BIND_PARAM || binding->is_changed)
    return 0;
  uint32_t count = 0;
  for (uint32_t at = binding->next; at != PY_ABSENT; at = model->bindings.items[at].next) {
    if (count++ == PY_REBOUND_LIMIT)
      return 0;
    PyRef later = model->bindings.items[at].node;
    PyRef assignment = model->tree.nodes[later].parent;  // `x = x[:, :x.shape[1]]` reads it first.
    if ((later < node && node >= model->tree.nodes[assignment].next) || forward_is_repeated(forward, node, later))
      return 0;
  }
  return forward->open_axes[binding->index];
}

uint32_t forward_open_axes(const Forward *forward, PyRef node)
{
  node = py_tree_strip(&forward->model->tree, node);
  return py_kind(&forward->model->tree, node) == PYK_IDENTIFIER ? open_axes_of(forward, node) : 0;
}

/// Whether a name is a parameter, and nothing else, that gets such a size.
static bool is_size_param(const Forward *forward, PyRef name, uint8_t kind)
{
  const PyBinding *binding = forward->size_params ? forward_only_binding(forward, name) : NULL;
  return binding && binding->kind == PY_BIND_PARAM && (forward->size_params[binding->index] & kind) != 0;
}

/// The open axes of what `x.shape` and `x.size()` are all sizes of.
static uint32_t open_axes_of_sizes(const Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  static const Str names[] = { STR_INIT("shape"), STR_INIT("size") };
  bool is_call = py_kind(tree, node) == PYK_CALL;
  PyRef attribute = is_call ? py_child(tree, node, PY_F_FUNCTION) : node;
  const PyCall *call = is_call ? py_model_call(forward->model, node) : NULL;
  bool has_arguments = is_call && (!call || call->argument_count > 0);
  if (has_arguments || !attribute || !str_equal(py_tree_member_name(tree, attribute), names[is_call]))
    return 0;
  return open_axes_of(forward, py_tree_object(tree, attribute));
}

static bool is_open_axis(const Forward *forward, uint32_t axes, PyRef axis)
{
  int64_t number;
  if (axes == 0 || !py_model_int(forward->model, axis, &number))
    return false;
  number += number < 0 ? axes >> PY_OPEN_AXIS_LIMIT : 0;
  return number >= 0 && number < PY_OPEN_AXIS_LIMIT && (axes >> number & 1) != 0;
}

/// Where the sizes of `x.shape[2:]` and `x.shape[-2:]` begin; 0 of `x.shape`, -1 of other expressions. `ret_axes` are
/// the open axes of x.
static int first_size(const Forward *forward, PyRef node, uint32_t *ret_axes)
{
  const PyTree *tree = &forward->model->tree;
  node = py_tree_strip(tree, node);
  bool is_part = py_kind(tree, node) == PYK_SUBSCRIPT;
  PyRef slice = is_part ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
  *ret_axes = open_axes_of_sizes(forward, is_part ? py_child(tree, node, PY_F_VALUE) : node);
  if (!is_part)
    return 0;
  Str text = slice ? py_text(tree, slice) : (Str){ 0 };
  bool is_back = str_starts_with(text, STR("-"));
  text = str_slice(text, is_back ? 1 : 0, text.len);
  if (text.len != 2 || text.data[0] < '0' || text.data[0] > '9' || text.data[1] != ':')
    return -1;
  int first = text.data[0] - '0', rank = (int)(*ret_axes >> PY_OPEN_AXIS_LIMIT);
  return !is_back ? first : first <= rank ? rank - first : -1;
}

/// `h` of `b, c, h, w = x.shape` and of `h, w = x.shape[2:]`.
static bool is_unpacked_size(const Forward *forward, PyRef name)
{
  const PyBinding *binding = forward_binding_in_force(forward, name);
  uint32_t axes;
  if (!binding || binding->unpack == PY_ABSENT || binding->unpack >= PY_OPEN_AXIS_LIMIT || !binding->value)
    return false;
  int first = first_size(forward, binding->value, &axes);
  return first >= 0 && first + (int)binding->unpack < PY_OPEN_AXIS_LIMIT &&
         (axes >> (first + (int)binding->unpack) & 1) != 0;
}

/// `x.shape`, and `x.shape[1:]` with an open size in it.
static bool are_open_sizes(Forward *forward, PyRef node)
{
  uint32_t axes;
  int first = first_size(forward, node, &axes);
  return first >= 0 && (axes & ((UINT32_C(1) << PY_OPEN_AXIS_LIMIT) - 1)) >> first != 0;
}

/// A number that an open size is, or that is computed of one.
static bool is_open_size(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  if (depth <= 0 || forward->steps-- <= 0)
    return false;
  node = py_tree_strip(tree, node);
  PyNodeKind kind = py_kind(tree, node);
  if (kind == PYK_IDENTIFIER) {
    PyRef value = forward_value_of_name(forward, node), over = value ? 0 : forward_only_loop(forward, node);
    return (value && is_open_size(forward, value, depth - 1)) || is_unpacked_size(forward, node) ||
           is_size_param(forward, node, FORWARD_SIZE_OPEN) || (over && are_open_sizes(forward, over));
  }
  if (kind == PYK_SUBSCRIPT)
    return is_open_axis(forward, open_axes_of_sizes(forward, py_child(tree, node, PY_F_VALUE)),
                        py_child(tree, node, PY_F_SUBSCRIPT));
  if (kind == PYK_BINARY_OPERATOR)
    return is_open_size(forward, py_child(tree, node, PY_F_LEFT), depth - 1) ||
           is_open_size(forward, py_child(tree, node, PY_F_RIGHT), depth - 1);
  const PyCall *call = py_model_call(model, node);
  if (!call || call->argument_count != 1 || !str_equal(py_tree_member_name(tree, call->function_node), STR("size")))
    return false;
  return is_open_axis(forward, open_axes_of(forward, py_tree_object(tree, call->function_node)),
                      py_model_arguments(model, call)->value);
}

bool forward_is_open_size(Forward *forward, PyRef node)
{
  return forward->open_axes && is_open_size(forward, node, PY_EXPRESSION_DEPTH);
}

/// `[x.shape[3], x.shape[2]]`
static bool has_open_item(Forward *forward, PyRef list)
{
  const PyTree *tree = &forward->model->tree;
  list = py_tree_strip(tree, list);
  if (py_kind(tree, list) != PYK_LIST && py_kind(tree, list) != PYK_TUPLE)
    return false;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (is_open_size(forward, item, PY_EXPRESSION_DEPTH))
      return true;
  }
  return false;
}

/// `x.data.size()` and `x.data.shape` of a tensor with open axes: what leaves the trace has sizes of Python.
bool forward_is_data_of_open(const Forward *forward, PyRef attribute)
{
  const PyTree *tree = &forward->model->tree;
  PyRef object = py_tree_object(tree, attribute);
  Str name = py_tree_member_name(tree, attribute);
  return object && (str_equal(name, STR("shape")) || str_equal(name, STR("size"))) &&
         py_kind(tree, object) == PYK_ATTRIBUTE && str_equal(py_tree_member_name(tree, object), STR("data")) &&
         (open_axes_of(forward, py_tree_object(tree, object)) & ((UINT32_C(1) << PY_OPEN_AXIS_LIMIT) - 1)) != 0;
}

const char *forward_frozen_size(Forward *forward, const PyCall *call)
{
  static const char *const numbers[] = { "int", "float" };
  static const char *const makers[] = { "torch.tensor", "torch.as_tensor" };
  Str name = call->qualified;
  if (!forward->open_axes || call->argument_count == 0)
    return NULL;
  PyRef first = py_model_arguments(forward->model, call)->value;
  bool is_open = is_open_size(forward, first, PY_EXPRESSION_DEPTH);
  if (str_is_one_of(name, numbers, COUNT(numbers)) && is_open)
    return "int() and float() make a constant of a size that dynamic_axes leaves open";
  bool is_other = call->argument_count == 2 &&
                  is_open_size(forward, py_model_arguments(forward->model, call)[1].value, PY_EXPRESSION_DEPTH);
  if ((str_equal(name, STR("max")) || str_equal(name, STR("min"))) && call->argument_count == 2 &&
      (is_open || is_other))
    return "Python's max() and min() decide by a size that dynamic_axes leaves open";
  // The product of math.prod() stays one of traced sizes.
  if (str_starts_with(name, STR("math.")) && !str_equal(name, STR("math.prod")) && is_open)
    return "A function of math makes a constant of a size that dynamic_axes leaves open";
  if (str_starts_with(name, STR("numpy.")) &&
      (is_open || are_open_sizes(forward, first) || has_open_item(forward, first)))
    return "NumPy makes a constant of a size that dynamic_axes leaves open";
  if (str_is_one_of(name, makers, COUNT(makers)) && (are_open_sizes(forward, first) || has_open_item(forward, first)))
    return "torch.tensor() makes a constant of a list of sizes that dynamic_axes leaves open";
  return NULL;
}

bool forward_is_open_range(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyCall *call = py_model_call(model, py_tree_strip(&model->tree, node));
  for (uint32_t i = 0; call && str_equal(call->qualified, STR("range")) && i < call->argument_count; i++) {
    if (is_open_size(forward, py_model_arguments(model, call)[i].value, PY_EXPRESSION_DEPTH))
      return true;
  }
  return false;
}

/// `x.shape[0] > 0` and `n == 0`: no example has no elements.
static bool asks_for_none(const Forward *forward, PyRef size, PyRef other)
{
  int64_t number;
  return py_model_int(forward->model, other, &number) && number == 0 &&
         py_kind(&forward->model->tree, py_tree_strip(&forward->model->tree, size)) != PYK_BINARY_OPERATOR;
}

bool forward_asks_open_size(Forward *forward, PyRef condition)
{
  const PyTree *tree = &forward->model->tree;
  if (!forward->open_axes)
    return false;
  PyNodeKind kind = py_kind(tree, condition);
  if (kind == PYK_BINARY_OPERATOR)  // `if h % 8:`
    return is_open_size(forward, condition, PY_EXPRESSION_DEPTH);
  PyComparison at = kind == PYK_COMPARISON_OPERATOR ? py_tree_comparison(tree, condition) : (PyComparison){ 0 };
  if (!at.right || !py_tree_compares(tree, condition))
    return false;
  return (is_open_size(forward, at.left, PY_EXPRESSION_DEPTH) && !asks_for_none(forward, at.left, at.right)) ||
         (is_open_size(forward, at.right, PY_EXPRESSION_DEPTH) && !asks_for_none(forward, at.right, at.left)) ||
         are_open_sizes(forward, at.left);
}

// --- Sizes where numbers are wanted ---

/// `x.shape` and `x.size()` of a tensor.
static bool are_traced_sizes(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  node = py_tree_strip(tree, node);
  const PyCall *call = py_model_call(forward->model, node);
  bool is_call = call && call->argument_count == 0;
  PyRef attribute = is_call ? py_child(tree, node, PY_F_FUNCTION) : node;
  if (!str_equal(py_tree_member_name(tree, attribute), is_call ? STR("size") : STR("shape")))
    return false;
  return forward_is_tensor(forward, py_tree_object(tree, attribute), PY_EXPRESSION_DEPTH);
}

/// `x.shape[2:]`, and `x.shape`
static bool are_some_traced_sizes(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  node = py_tree_strip(tree, node);
  PyRef part = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
  return are_traced_sizes(forward, part && py_kind(tree, part) == PYK_SLICE ? py_child(tree, node, PY_F_VALUE) : node);
}

/// `h` of `b, c, h, w = x.shape` and of `for h in x.shape`.
static bool is_part_of_sizes(Forward *forward, PyRef name)
{
  const PyBinding *binding = forward_only_binding(forward, name);
  PyRef over = forward_only_loop(forward, name);
  return (binding && binding->unpack != PY_ABSENT && binding->value &&
          are_some_traced_sizes(forward, binding->value)) ||
         (over && are_some_traced_sizes(forward, over));
}

/// A size that a trace has as a tensor: `x.size(2)`, `x.shape[2] // 2`.
static bool is_traced_size(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  if (!node || depth <= 0 || forward->steps-- <= 0)
    return false;
  node = py_tree_strip(tree, node);
  PyNodeKind kind = py_kind(tree, node);
  if (kind == PYK_IDENTIFIER) {
    PyRef value = forward_value_of_name(forward, node);
    return (value && is_traced_size(forward, value, depth - 1)) || is_part_of_sizes(forward, node) ||
           is_size_param(forward, node, FORWARD_SIZE_TRACED);
  }
  if (kind == PYK_SUBSCRIPT) {
    PyRef axis = py_child(tree, node, PY_F_SUBSCRIPT);
    return axis && py_kind(tree, axis) != PYK_SLICE && are_traced_sizes(forward, py_child(tree, node, PY_F_VALUE));
  }
  if (kind == PYK_BINARY_OPERATOR)
    return is_traced_size(forward, py_child(tree, node, PY_F_LEFT), depth - 1) ||
           is_traced_size(forward, py_child(tree, node, PY_F_RIGHT), depth - 1);
  const PyCall *call = py_model_call(model, node);
  return call && call->argument_count == 1 && str_equal(py_tree_member_name(tree, call->function_node), STR("size")) &&
         forward_is_tensor(forward, py_tree_object(tree, call->function_node), PY_EXPRESSION_DEPTH);
}

bool forward_is_traced_size(Forward *forward, PyRef node)
{
  return is_traced_size(forward, node, PY_EXPRESSION_DEPTH);
}

/// `x.shape[2:]`, `(x.shape[2], 3)`.
static bool has_traced_size(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  node = py_tree_strip(tree, node);
  PyNodeKind kind = py_kind(tree, node);
  if (kind == PYK_SUBSCRIPT)
    return are_traced_sizes(forward, py_child(tree, node, PY_F_VALUE));
  if (kind != PYK_TUPLE && kind != PYK_LIST)
    return false;
  for (PY_EACH_ELEMENT(tree, item, node)) {
    if (is_traced_size(forward, item, PY_EXPRESSION_DEPTH))
      return true;
  }
  return false;
}

/// Whether torch refuses a size by itself there. Some functions take it apart in Python, which no tensor of one number
/// allows. The others are bound in C++: 1.13 wants numbers, 2.6 reads an empty list, and for a stride that is
/// none; 2.14 reads the number.
static bool is_number_refused(const Forward *forward, Str function, const PyArgument *argument, uint32_t number)
{
  static const char *const unpacking[] = { "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool2d",
                                           "adaptive_max_pool3d", "lp_pool2d",           "unfold" };
  const PyFile *file = sink_python(forward->sink);
  bool is_stride = argument->keyword.len > 0 ? str_equal(argument->keyword, STR("stride")) : number == 2;
  return str_is_one_of(function, unpacking, COUNT(unpacking)) ||
         py_file_torch_is_before(file, (TorchRelease){ 2, is_stride ? 6 : 14 });
}

/// `x.shape[-1:]` of an input with open axes: then the trace knows none of its sizes.
static bool are_sizes_of_open(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  node = py_tree_strip(tree, node);
  return py_kind(tree, node) == PYK_SUBSCRIPT && open_axes_of_sizes(forward, py_child(tree, node, PY_F_VALUE)) != 0;
}

static Str function_of_sizes(const PyCall *call)
{
  static const char *const names[] = {
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "unfold",
    "lp_pool2d",
    "layer_norm",
  };
  Str functional = STR("torch.nn.functional."), torch = STR("torch.");
  Str prefix = str_starts_with(call->qualified, functional) ? functional : torch;
  Str name = str_starts_with(call->qualified, prefix) ? str_slice(call->qualified, prefix.len, call->qualified.len)
                                                      : (Str){ 0 };
  return str_is_one_of(name, names, COUNT(names)) ? name : (Str){ 0 };
}

PyRef forward_refused_size(Forward *forward, const PyCall *call, Str *ret_function)
{
  const PyModel *model = forward->model;
  *ret_function = function_of_sizes(call);
  for (uint32_t i = 1; ret_function->len > 0 && i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    PyRef value = argument->value;
    bool is_norm = str_equal(*ret_function, STR("layer_norm"));
    bool is_refused = (forward->open_axes && (are_open_sizes(forward, value) || has_open_item(forward, value))) ||
                      (forward->open_axes && is_norm && are_sizes_of_open(forward, value)) ||
                      (!is_norm && is_number_refused(forward, *ret_function, argument, i) &&
                       is_traced_size(forward, value, PY_EXPRESSION_DEPTH));
    if (is_refused)
      return value;
  }
  return 0;
}

// --- Tensors that are none of the inputs ---

/// `torch.ones(n, n)` of a size n.
bool forward_is_made_of_sizes(Forward *forward, PyRef node)
{
  static const char *const makers[] = { "torch.ones",   "torch.zeros", "torch.full",
                                        "torch.arange", "torch.rand",  "torch.randn" };
  const PyModel *model = forward->model;
  node = py_tree_strip(&model->tree, node);
  PyRef value = py_kind(&model->tree, node) == PYK_IDENTIFIER ? forward_value_of_name(forward, node) : 0;
  const PyCall *call = py_model_call(model, value ? py_tree_strip(&model->tree, value) : node);
  for (uint32_t i = 0; call && str_is_one_of(call->qualified, makers, COUNT(makers)) && i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->keyword.len == 0 &&
        (is_traced_size(forward, argument->value, PY_EXPRESSION_DEPTH) || has_traced_size(forward, argument->value)))
      return true;
  }
  return false;
}

/// A tensor of the trace, by itself or among those of a list: `torch.vstack((x, y))`.
static bool is_traced_argument(Forward *forward, PyRef value)
{
  const PyModel *model = forward->model;
  PyRef class_node = model->functions.items[forward->function].class_node;
  value = py_tree_strip(&model->tree, value);
  PyNodeKind kind = py_kind(&model->tree, value);
  if (kind == PYK_LIST || kind == PYK_TUPLE) {
    for (PY_EACH_ELEMENT(&model->tree, item, value)) {
      if (forward_is_tensor(forward, item, PY_EXPRESSION_DEPTH))
        return true;
    }
    return false;
  }
  Str own = forward_own_name(forward, value);
  return (own.len > 0 && forward->parts && module_parts_is_state(forward->parts, model, class_node, own)) ||
         forward_is_made_of_sizes(forward, value);
}

bool forward_has_traced_argument(Forward *forward, const PyCall *call)
{
  if (forward_has_tensor_argument(forward, call))
    return true;
  for (uint32_t i = 0; i < call->argument_count; i++) {
    if (is_traced_argument(forward, py_model_arguments(forward->model, call)[i].value))
      return true;
  }
  return false;
}
