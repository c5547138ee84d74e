// Inputs of g.op() that are no values of the graph.

#include <limits.h>

#include "base/limits.h"
#include "python/rules/symbolic/op.h"
#include "python/rules/symbolic/value_check.h"

/// `tensor` is the expression of its value.
static const Fix *fix_to_constant(OpCheck *check, const PyArgument *input, Str tensor)
{
  const PyTree *tree = &check->model->tree;
  PyRef graph = py_model_graph_of(check->model, check->op);
  return py_fix(check->sink, false, STR("Make a constant of it"), py_range(check->sink, input->value),
                arena_printf(check->sink->arena, "%.*s.op(\"Constant\", value_t=%.*s)", STR_ARG(py_text(tree, graph)),
                             STR_ARG(tensor)));
}

static bool is_of_numbers(PyValue list)
{
  const uint32_t numbers = PY_INT | PY_FLOAT | PY_BOOL;
  return py_file_is_only(list, PY_LIST) && list.elements != 0 && (list.elements & ~numbers) == 0;
}

/// The most inputs that the operator takes at any of the opsets in force; INT_MAX if that is not known.
static int most_inputs(const OpCheck *check)
{
  int most = -1;
  for (int opset = 0; opset <= OPSET_LIMIT; opset++) {
    const OnnxSchema *schema = check->schemas[opset];
    if (schema && (schema->max_input == ONNX_NO_LIMIT || (int)schema->max_input > most))
      most = schema->max_input == ONNX_NO_LIMIT ? INT_MAX : (int)schema->max_input;
  }
  return most < 0 ? INT_MAX : most;
}

/// The fix for an input that is a Python value.
static const Fix *input_fix(OpCheck *check, const PyArgument *input, PyValue value)
{
  DiagSink *sink = check->sink;
  Str text = py_text(&check->model->tree, input->value);
  Range range = py_range(sink, input->value);
  PyNodeKind kind = py_kind(&check->model->tree, input->value);
  if (py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL) && (int)check->op->input_count > most_inputs(check))
    return NULL;  // It is no input at all: an attribute without its name, most likely.
  if (py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL))
    return fix_to_constant(check, input, arena_printf(sink->arena, "torch.tensor(%.*s)", STR_ARG(text)));
  if (is_of_numbers(value))
    return fix_to_constant(check, input, arena_printf(sink->arena, "torch.tensor(%.*s)", STR_ARG(text)));
  if (py_file_is_only(value, PY_LIST) && value.elements == PY_VALUE && value.length > most_inputs(check) &&
      (kind == PYK_IDENTIFIER || kind == PYK_CALL) && check->op->input_count == 1)
    return py_fix(sink, false, STR("Pass the first"), range, arena_printf(sink->arena, "%.*s[0]", STR_ARG(text)));
  if (py_file_is_only(value, PY_LIST) && kind == PYK_IDENTIFIER)
    return py_fix(sink, true, STR("Pass its elements"), range, arena_printf(sink->arena, "*%.*s", STR_ARG(text)));
  if (py_file_is_only(value, PY_LIST) && (kind == PYK_LIST || kind == PYK_TUPLE) && text.len > 2 && value.length > 0)
    return py_fix(sink, true, STR("Pass its elements"), range, str_trim(str_slice(text, 1, text.len - 1)));
  return NULL;
}

static Str input_message(OpCheck *check, uint32_t position, const PyArgument *input, PyValue value)
{
  Arena *arena = check->sink->arena;
  Str name = check->op->full_name;
  Str text = str_slice(py_text(&check->model->tree, input->value), 0, 40);
  if (py_file_is_only(value, PY_NONE))
    return arena_printf(arena,
                        "Input %u of '%.*s' is None, which crashes the exporter; use "
                        "symbolic_helper._optional_input_placeholder_tensor(g).",
                        position + 1, STR_ARG(name));
  if (is_of_numbers(value))
    return arena_printf(arena,
                        "Input %u of '%.*s' is a Python list of numbers; write g.op(\"Constant\", "
                        "value_t=torch.tensor(%.*s)).",
                        position + 1, STR_ARG(name), STR_ARG(text));
  if (py_file_is_only(value, PY_LIST))
    return arena_printf(arena, "Input %u of '%.*s' is a Python list; pass its elements as separate arguments.",
                        position + 1, STR_ARG(name));
  if (py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL))
    return arena_printf(arena, "Input %u of '%.*s' is %.*s; write g.op(\"Constant\", value_t=torch.tensor(%.*s)).",
                        position + 1, STR_ARG(name), STR_ARG(py_file_value_text(value, arena)), STR_ARG(text));
  return arena_printf(arena, "Input %u of '%.*s' is %.*s; an input has to be a graph value or a torch.Tensor.",
                      position + 1, STR_ARG(name), STR_ARG(py_file_value_text(value, arena)));
}

/// The number of elements of the list that such a call is given; -1 if that is not known.
static int made_length(const PyModel *model, PyRef node, const char *const *makers, size_t count)
{
  const PyCall *call = py_model_call(model, py_model_resolve(model, node));
  const PyArgument *data = call ? py_model_argument(model, call, 0, "data") : NULL;
  if (!data || !str_is_one_of(call->qualified, makers, count))
    return -1;
  PyRef list = py_model_resolve(model, data->value);
  if (py_kind(&model->tree, list) != PYK_LIST && py_kind(&model->tree, list) != PYK_TUPLE)
    return -1;
  int length = 0;
  for (PyRef item = py_tree_first_element(&model->tree, list); item && length < PY_ELEMENT_LIMIT;
       item = py_tree_next_element(&model->tree, item), length++) {
    PyNodeKind kind = py_kind(&model->tree, item);
    if (kind == PYK_LIST_SPLAT || kind == PYK_LIST || kind == PYK_TUPLE)
      return -1;
  }
  return length;
}

/// The number of elements of `torch.zeros(2, 3)`, as far as its sizes are written; -1.
static int filled_length(const PyModel *model, PyRef node)
{
  static const char *const makers[] = { "torch.zeros", "torch.ones", "torch.empty", "torch.rand", "torch.randn" };
  const PyCall *call = py_model_call(model, py_model_resolve(model, node));
  if (!call || !str_is_one_of(call->qualified, makers, COUNT(makers)) || call->has_splat)
    return -1;
  int64_t length = 1;
  uint32_t count = 0;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    int64_t size;
    if (argument->keyword.len > 0)
      continue;
    if (!py_model_int(model, argument->value, &size) || size < 0 || size > PY_ELEMENT_LIMIT)
      return -1;
    length = length > PY_ELEMENT_LIMIT ? length : length * size;
    count++;
  }
  return count > 0 && length <= PY_ELEMENT_LIMIT ? (int)length : -1;
}

int op_tensor_length(const PyModel *model, PyRef node)
{
  static const char *const makers[] = { "torch.tensor",      "torch.as_tensor", "torch.LongTensor",
                                        "torch.FloatTensor", "torch.IntTensor", "torch.Tensor" };
  int length = made_length(model, node, makers, COUNT(makers));
  return length >= 0 ? length : filled_length(model, node);
}

int op_array_length(const PyModel *model, PyRef node)
{
  static const char *const makers[] = { "numpy.array", "numpy.asarray" };
  return made_length(model, node, makers, COUNT(makers));
}

/// g.op() stores a tensor that it is given as a constant of one value, of rank 0.
static void check_tensor(OpCheck *check, uint32_t position, const PyArgument *input)
{
  DiagSink *sink = check->sink;
  int length = op_tensor_length(check->model, input->value);
  if (length < 0 || length == 1 || !sink_wants(sink, RULE_PYTHON_VALUE_AS_INPUT, OWN))
    return;
  const Fix *fix = fix_to_constant(check, input, py_text(&check->model->tree, input->value));
  py_report(sink, RULE_PYTHON_VALUE_AS_INPUT, OWN, input->value,
            (Diagnostic){
                .message = arena_printf(sink->arena,
                                        "Input %u of '%.*s' is a tensor of %d values, and g.op() makes a constant only "
                                        "of a tensor with one; write g.op(\"Constant\", value_t=...).",
                                        position + 1, STR_ARG(check->op->full_name), length),
                .fixes = fix,
                .fix_count = 1,
            });
}

/// What no input can be.
enum {
  NO_INPUT = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_NONE | PY_LIST | PY_DTYPE | PY_DICT | PY_FUNCTION | PY_ARRAY |
             PY_OBJECT | PY_GRAPH | PY_TYPE | PY_ITERABLE,
};

/// `*[x, weight, None]`: an element that no input can be.
static void check_spread_literal(OpCheck *check, PyRef list)
{
  DiagSink *sink = check->sink;
  int count = 0;
  for (PyRef item = list; item && count < PY_ELEMENT_LIMIT;
       item = py_tree_next_element(&check->model->tree, item), count++) {
    PyValue value = py_file_value(check->file, item);
    if (!py_file_is_only(value, NO_INPUT) || py_tree_is_splat(&check->model->tree, item))
      continue;
    check->has_bad_input = true;
    py_say(sink, RULE_PYTHON_VALUE_AS_INPUT, OWN, item,
           arena_printf(sink->arena, "This input of '%.*s' is %.*s; it has to be a graph value or a torch.Tensor.",
                        STR_ARG(check->op->full_name), STR_ARG(py_file_value_text(value, sink->arena))),
           NULL);
    return;
  }
}

/// `*pairs`: each element is an input.
static void check_spread(OpCheck *check, const PyArgument *input)
{
  DiagSink *sink = check->sink;
  const PyTree *tree = &check->model->tree;
  PyRef list = py_model_resolve(check->model, input->value);
  const PyBinding *binding = py_model_binding_at(check->model, input->value);
  bool is_literal = py_kind(tree, list) == PYK_LIST || py_kind(tree, list) == PYK_TUPLE;
  if (is_literal && !(binding && binding->is_changed)) {
    check_spread_literal(check, py_tree_first_element(tree, list));
    return;
  }
  PyValue value = py_file_value(check->file, input->value);
  PyValue element = { .kinds = value.elements, .length = -1 };
  if (!py_file_is_only(value, PY_LIST | PY_ITERABLE) || !py_file_is_only(element, NO_INPUT))
    return;
  check->has_bad_input = true;
  py_say(sink, RULE_PYTHON_VALUE_AS_INPUT, OWN, input->node,
         arena_printf(sink->arena,
                      "Each element of '%.*s' is %.*s; an input of '%.*s' has to be a graph value or a torch.Tensor.",
                      STR_ARG(str_slice(py_text(&check->model->tree, input->value), 0, 40)),
                      STR_ARG(py_file_value_text(element, sink->arena)), STR_ARG(check->op->full_name)),
         NULL);
}

/// `_maybe_get_const(dim, "i")` of an argument that is a number for PyTorch, and so one in nearly every model.
static bool reads_number(const OpCheck *check, const PyArgument *input, PyValue value)
{
  const PyModel *model = check->model;
  const PyCall *call = py_model_call(model, py_model_resolve(model, input->value));
  const PyArgument *read = call && str_ends_with(call->qualified, STR("symbolic_helper._maybe_get_const"))
                               ? py_model_argument(model, call, 0, "value")
                               : NULL;
  return read && (value.kinds & PY_VALUE) && (value.kinds & NO_INPUT) &&
         value_is_number_param(check->file, read->value);
}

static void check_read(OpCheck *check, uint32_t position, const PyArgument *input)
{
  DiagSink *sink = check->sink;
  if (!sink_wants(sink, RULE_PYTHON_VALUE_AS_INPUT, SEVERITY_WARNING))
    return;
  Str text = str_slice(py_text(&check->model->tree, input->value), 0, 40);
  py_say(sink, RULE_PYTHON_VALUE_AS_INPUT, SEVERITY_WARNING, input->value,
         arena_printf(sink->arena,
                      "Input %u of '%.*s' is a value of Python wherever the model gives a number, and no graph value: "
                      "write g.op(\"Constant\", value_t=torch.tensor(%.*s)) then.",
                      position + 1, STR_ARG(check->op->full_name), STR_ARG(text)),
         NULL);
}

/// `g.op("Concat", g.op("prim::ListConstruct", a, b), axis_i=0)`: lists of the graph are for symbolic functions, and
/// the exporter crashes or stops where a node gets one. Run with torch 1.13, 2.6 and 2.14.
static void check_graph_list(OpCheck *check, const PyArgument *input)
{
  static const char *const makers[] = { "prim::ListConstruct", "prim::TupleConstruct" };
  DiagSink *sink = check->sink;
  const PyOp *maker = py_model_op_at(check->model, py_file_made(check->file, input->value));
  bool is_list = maker && maker->kind == PY_OP_GRAPH && str_is_one_of(maker->full_name, makers, COUNT(makers));
  if (!is_list || !check->op->name_known || str_equal(check->op->domain, STR("prim")) ||
      str_equal(check->op->domain, STR("aten")) || !sink_wants(sink, RULE_PYTHON_VALUE_AS_INPUT, OWN))
    return;
  py_say(
      sink, RULE_PYTHON_VALUE_AS_INPUT, OWN, input->value,
      arena_printf(sink->arena,
                   "'%.*s' makes a list for symbolic functions, and no node can take one, which ends the export: pass "
                   "its elements to '%.*s'.",
                   STR_ARG(maker->full_name), STR_ARG(check->op->full_name)),
      NULL);
}

void op_check_inputs(OpCheck *check)
{
  DiagSink *sink = check->sink;
  for (uint32_t i = 0; i < check->op->input_count; i++) {
    const PyArgument *input = &check->model->arguments.items[check->op->first_input + i];
    if (input->is_splat && input->value && check->op->name_node)  // Else the name is among them.
      check_spread(check, input);
    if (input->is_splat || !input->value)
      continue;
    PyValue value = py_file_value(check->file, input->value);
    check_graph_list(check, input);
    if (py_file_is_only(value, PY_TENSOR))
      check_tensor(check, i, input);
    if (reads_number(check, input, value))
      check_read(check, i, input);
    if (!py_file_is_only(value, NO_INPUT))
      continue;
    check->has_bad_input = true;
    if (!sink_wants(sink, RULE_PYTHON_VALUE_AS_INPUT, OWN))
      continue;
    const Fix *fix = input_fix(check, input, value);
    py_report(sink, RULE_PYTHON_VALUE_AS_INPUT, OWN, input->value,
              (Diagnostic){
                  .message = input_message(check, i, input, value),
                  .fixes = fix,
                  .fix_count = fix ? 1 : 0,
              });
  }
}
