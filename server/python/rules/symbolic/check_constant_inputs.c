// Constants of one number where an operator takes a list of them: `starts` of Slice, the shape of Reshape.
//
// The exporter folds constants before it writes a model, and takes the first dimension of such a list: without one it
// ends with "IndexError: Dimension specified as 0 but tensor has no dimensions". What it lets pass no session takes,
// but for `axes` of Unsqueeze, which is not listed here. Each was tried with torch 2.6 and ONNX Runtime 1.21.

#include "python/rules/python_edit.h"
#include "python/rules/symbolic/op.h"

typedef struct ListInput {
  const char *op;
  const char *input;
  bool is_passed;  ///< The exporter passes a number; sessions don't.
} ListInput;

static const ListInput lists[] = {
  // Keep alphabetized.
  { "ConstantOfShape", "input", false },
  { "Expand", "shape", false },
  { "Pad", "pads", true },
  { "ReduceSum", "axes", true },
  { "Reshape", "shape", false },
  { "Slice", "axes", false },
  { "Slice", "ends", false },
  { "Slice", "starts", false },
  { "Slice", "steps", false },
  { "Squeeze", "axes", true },
  { "Tile", "repeats", false },
  { "TopK", "K", true },
};

/// An input of an operator, by its number.
typedef struct InputAt {
  Str op;
  uint32_t position;
} InputAt;

static const ListInput *list_at(const OnnxSchema *schema, const InputAt *at)
{
  for (size_t i = 0; i < COUNT(lists) && at->position < schema->input_count; i++) {
    if (str_is(at->op, lists[i].op) && str_is(schema->inputs[at->position].name, lists[i].input))
      return &lists[i];
  }
  return NULL;
}

static bool takes_list(const OnnxSchema *schema, const void *context)
{
  return list_at(schema, context) != NULL;
}

PyRef op_constant_tensor(const PyModel *model, PyRef node)
{
  const PyOp *op = py_model_op_at(model, node);
  if (!op || !str_equal(op->full_name, STR("Constant")) || op->attribute_count != 1)
    return 0;
  const PyAttribute *value = &model->attributes.items[op->first_attribute];
  return str_equal(value->keyword, STR("value_t")) ? py_model_resolve(model, value->value) : 0;
}

/// The number that `torch.tensor(1)` is made of; 0 if it is a list, or nobody can tell.
static PyRef number_of_tensor(const PyFile *file, PyRef tensor)
{
  const PyCall *call = py_model_call(file->model, tensor);
  if (!call || !str_equal(call->qualified, STR("torch.tensor")))
    return 0;
  const PyArgument *data = py_model_argument(file->model, call, 0, "data");
  bool is_number = data && data->value && !data->is_splat &&
                   py_file_is_only(py_file_value(file, data->value), PY_INT | PY_FLOAT | PY_BOOL);
  return is_number ? data->value : 0;
}

/// The same where a function of the file makes the constant: the argument of `const(1)`, of
/// `const = lambda n: g.op("Constant", value_t=torch.tensor(n))`.
static PyRef number_of_call(const PyFile *file, PyRef node)
{
  const PyModel *model = file->model;
  const PyCall *call = py_model_op_at(model, node) ? NULL : py_model_call(model, node);
  PyCallable callable = call ? py_model_callable(model, call->function_node) : (PyCallable){ .function = PY_ABSENT };
  if (callable.function == PY_ABSENT || callable.partial != PY_ABSENT || callable.is_bound || call->has_splat)
    return 0;
  const PyFunction *function = &model->functions.items[callable.function];
  PyRef made = function->name_node ? function->returned : function->body;
  PyRef tensor = made ? op_constant_tensor(model, py_model_resolve(model, made)) : 0;
  const PyCall *maker = py_model_call(model, tensor);
  const PyArgument *data =
      !maker || !str_equal(maker->qualified, STR("torch.tensor")) ? NULL : py_model_argument(model, maker, 0, "data");
  const PyBinding *binding = data ? py_model_binding_of(model, callable.function, data->value) : NULL;
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->scope != callable.function ||
      model->params.items[binding->index].kind == PY_PARAM_ARGS)
    return 0;
  const PyArgument *given = py_model_argument_of(model, call, binding->index - function->first_param, binding->name);
  bool is_number =
      given && given->value && py_file_is_only(py_file_value(file, given->value), PY_INT | PY_FLOAT | PY_BOOL);
  return is_number ? given->value : 0;
}

/// `torch.LongTensor(sizes)` of a list.
static bool is_of_list(const PyFile *file, PyRef node)
{
  static const char *const makers[] = { "torch.tensor", "torch.as_tensor", "torch.LongTensor" };
  const PyCall *call = py_model_call(file->model, py_model_resolve(file->model, node));
  const PyArgument *data = call ? py_model_argument(file->model, call, 0, "data") : NULL;
  return data && data->value && str_is_one_of(call->qualified, makers, COUNT(makers)) &&
         py_file_is_only(py_file_value(file, data->value), PY_LIST);
}

/// `torch.tensor([1])` as the input itself: g.op() makes a constant of rank 0 of it.
static void check_tensor(OpCheck *check, const PyArgument *input, const InputAt *at, OpsetSet wrong)
{
  DiagSink *sink = check->sink;
  const PyModel *model = check->model;
  const ListInput *list = list_at(check->schemas[op_check_first_wrong(check, wrong)], at);
  Severity severity = list->is_passed ? SEVERITY_WARNING : OWN;
  bool is_unknown = op_tensor_length(model, input->value) < 0 && is_of_list(check->file, input->value);
  if ((op_tensor_length(model, input->value) != 1 && !is_unknown) || !sink_wants(sink, RULE_CONSTANT_VALUE, severity))
    return;
  Str text = py_text(&model->tree, input->value);
  PyRef graph = py_model_graph_of(model, check->op);
  py_say(sink, RULE_CONSTANT_VALUE, severity, input->value,
         arena_printf(sink->arena,
                      "'%s' of '%.*s' is a list, and of a tensor that is an input g.op() makes a number%s; write "
                      "%.*s.op(\"Constant\", value_t=...).",
                      list->input, STR_ARG(check->op->name), list->is_passed ? ", which no session takes" : "",
                      STR_ARG(py_text(&model->tree, graph))),
         py_fix(sink, true, STR("Make a constant of it"), py_range(sink, input->value),
                arena_printf(sink->arena, "%.*s.op(\"Constant\", value_t=%.*s)", STR_ARG(py_text(&model->tree, graph)),
                             STR_ARG(text))));
}

/// Whether the input is a number that the operator gets, `k` of aten::topk: a value of the graph of rank 0.
static bool is_number_of_graph(const OpCheck *check, PyRef value)
{
  const PyFile *file = check->file;
  const PyBinding *binding = py_model_binding_at(file->model, value);
  return py_binding_is_only(binding, PY_BIND_PARAM) && binding->scope != PY_ABSENT &&
         py_file_is_only(py_file_value(file, value), PY_VALUE) &&
         py_file_param_type_is(file, binding->scope, binding->name, STR("int"));
}

static void say_number_of_graph(OpCheck *check, PyRef value, const ListInput *list)
{
  DiagSink *sink = check->sink;
  Severity severity = list->is_passed ? SEVERITY_WARNING : OWN;
  Str text = py_text(&check->model->tree, value);
  Str graph = py_text(&check->model->tree, py_model_graph_of(check->model, check->op));
  if (!sink_wants(sink, RULE_CONSTANT_VALUE, severity))
    return;
  Str right =
      arena_printf(sink->arena, "symbolic_helper._unsqueeze_helper(%.*s, %.*s, [0])", STR_ARG(graph), STR_ARG(text));
  py_say(sink, RULE_CONSTANT_VALUE, severity, value,
         arena_printf(sink->arena, "'%s' of '%.*s' has to be a list, and this is a number of the graph%s; write %.*s.",
                      list->input, STR_ARG(check->op->name), list->is_passed ? ", which no session takes" : "",
                      STR_ARG(right)),
         NULL);
}

static void check_input(OpCheck *check, const PyArgument *input, const InputAt *at)
{
  DiagSink *sink = check->sink;
  const PyModel *model = check->model;
  OpsetSet wrong = op_check_wrong(check, takes_list, at);
  if (wrong && py_file_opsets_wrong(check->opsets, wrong))
    check_tensor(check, input, at, wrong);
  PyRef value = wrong ? py_file_made(check->file, input->value) : 0;
  PyRef number = value ? number_of_tensor(check->file, op_constant_tensor(model, value)) : 0;
  number = number ? number : number_of_call(check->file, value);
  bool is_of_graph = wrong && is_number_of_graph(check, value);
  if (!(number || is_of_graph) || !py_file_opsets_wrong(check->opsets, wrong))
    return;
  const ListInput *list = list_at(check->schemas[op_check_first_wrong(check, wrong)], at);
  if (is_of_graph) {
    say_number_of_graph(check, value, list);
    return;
  }
  Severity severity = list->is_passed ? SEVERITY_WARNING : OWN;
  if (!sink_wants(sink, RULE_CONSTANT_VALUE, severity))
    return;
  Str text = py_text(&model->tree, number);
  Str right = arena_printf(sink->arena, "[%.*s]", STR_ARG(text));
  py_say(sink, RULE_CONSTANT_VALUE, severity, number,
         arena_printf(sink->arena,
                      "'%s' of '%.*s' has to be a list of one, and this is a number%s; write torch.tensor(%.*s).",
                      list->input, STR_ARG(check->op->name), list->is_passed ? ", which no session takes" : "",
                      STR_ARG(str_slice(right, 0, 60))),
         py_edit_replace(sink, false, number, right));
}

/// `value_t=torch.tensor(0.0)` of ConstantOfShape: of rank 1 it has to be, says onnx's inference of shapes.
static void check_fill(const OpCheck *check)
{
  DiagSink *sink = check->sink;
  const PyModel *model = check->model;
  for (uint32_t i = 0; i < check->op->attribute_count; i++) {
    const PyAttribute *attribute = &model->attributes.items[check->op->first_attribute + i];
    bool is_fill = str_equal(check->op->full_name, STR("ConstantOfShape")) && attribute->value &&
                   str_equal(attribute->keyword, STR("value_t"));
    PyRef number = is_fill ? number_of_tensor(check->file, py_model_resolve(model, attribute->value)) : 0;
    if (!number || !sink_wants(sink, RULE_CONSTANT_VALUE, SEVERITY_WARNING))
      continue;
    Str right = arena_printf(sink->arena, "[%.*s]", STR_ARG(py_text(&model->tree, number)));
    py_say(sink, RULE_CONSTANT_VALUE, SEVERITY_WARNING, number,
           arena_printf(sink->arena,
                        "'value' of 'ConstantOfShape' has to be a list of one, and this is a number, which the "
                        "checker refuses; write torch.tensor(%.*s).",
                        STR_ARG(str_slice(right, 0, 60))),
           py_edit_replace(sink, false, number, right));
  }
}

static bool has_lists(Str op)
{
  for (size_t i = 0; i < COUNT(lists); i++) {
    if (str_is(op, lists[i].op))
      return true;
  }
  return false;
}

void op_check_constant_inputs(OpCheck *check)
{
  const PyOp *op = check->op;
  if (op->kind != PY_OP_GRAPH || op->has_splat_input || !has_lists(op->name))
    return;
  check_fill(check);
  for (uint32_t i = 0; i < op->input_count; i++) {
    const PyArgument *input = &check->model->arguments.items[op->first_input + i];
    if (input->value)
      check_input(check, input, &(InputAt){ op->name, i });
  }
}
