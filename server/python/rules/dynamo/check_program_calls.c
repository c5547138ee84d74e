// What an ONNXProgram is called with, against the export that made it. Run with torch 2.6 and 2.14: it takes tensors,
// and its session refuses what the model has no room for. More of them than inputs are left unused.

#include "base/limits.h"
#include "python/rules/forward/forward_elements.h"
#include "python/rules/public_objects.h"
#include "python/rules/tools/session_axes.h"

typedef struct ProgramCall {
  DiagSink *sink;
  const PyModel *model;
  const PyCall *call;
  ExportCall export;
  ExportModel made;
} ProgramCall;

static void say(const ProgramCall *program, PyRef node, Str message)
{
  py_say(program->sink, RULE_SESSION_RUN, OWN, node, message, NULL);
}

/// The export that gave what the name stands for.
static bool find_export(ProgramCall *program)
{
  const PyModel *model = program->model;
  uint32_t index = py_model_call_at(model, export_resolve(model, program->call->function_node));
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    if (index == PY_ABSENT || model->exports.items[i] != index)
      continue;
    program->export = export_call(program->sink, i);
    program->made = export_model(&program->export);
    program->export.inputs = example_inputs(&program->export, &program->made);
    return program->export.call->scope == program->call->scope && program->export.call->node < program->call->node;
  }
  return false;
}

/// A number of Python becomes a tensor of the type that torch gives it.
static Str element_given(const ProgramCall *program, PyRef node, PyRef value)
{
  PyValue number = py_file_value(sink_python(program->sink), node);
  return py_file_is_only(number, PY_INT)     ? STR("int64")
         : py_file_is_only(number, PY_FLOAT) ? STR("float32")
         : py_file_is_only(number, PY_BOOL)  ? STR("bool")
                                             : element_made(program->model, value, program->sink->arena);
}

static void check_value(const ProgramCall *program, const ExampleInput *input, PyRef node)
{
  Arena *arena = program->sink->arena;
  if (py_file_is_only(py_file_value(sink_python(program->sink), node), PY_ARRAY)) {
    say(program, node, STR("An ONNXProgram takes tensors of torch, and this is an array: write torch.from_numpy()."));
    return;
  }
  PyRef value = input ? export_resolve(program->model, node) : 0;
  if (!value || !input->value)
    return;
  ExampleShape given = example_shape(program->model, value);
  Str wrong = session_wrong_shape(&program->export, input, input->name, &given);
  if (wrong.len == 0)
    wrong = session_wrong_type(element_made(program->model, input->value, arena), element_given(program, node, value),
                               arena);
  if (wrong.len > 0)
    say(program, node, wrong);
}

/// The dynamo exporter keeps all inputs that are tensors.
static void check_count(const ProgramCall *program)
{
  const ExampleInputs *inputs = program->export.inputs;
  int wanted = export_input_count(&program->export);
  uint32_t given = program->call->argument_count;
  const ExampleInput *missing = given < (uint32_t)PY_EXAMPLE_LIMIT ? session_input_at(inputs, given) : NULL;
  for (PY_EACH_ARGUMENT(program->model, argument, program->call)) {
    // A list or a tuple may hold several.
    if (argument->keyword.len > 0 || !export_is_tensor(program->model, argument->value))
      return;
  }
  if (inputs->is_known && wanted > 0 && given < (uint32_t)wanted && missing)
    say(program, program->call->node,
        arena_printf(program->sink->arena, "The model takes '%.*s', too.", STR_ARG(missing->name)));
}

static void check_call(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  ProgramCall program = { .sink = sink, .model = model, .call = call };
  const PyBinding *binding = py_kind(&model->tree, call->function_node) == PYK_IDENTIFIER
                                 ? py_model_binding_at(model, call->function_node)
                                 : NULL;
  if (!binding || binding->kind != PY_BIND_ASSIGN || call->has_splat || call->has_dictionary_splat ||
      !str_equal(public_class_of(sink, call->function_node), STR("torch.onnx.ONNXProgram")) || !find_export(&program))
    return;
  size_t place = 0;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->keyword.len == 0)
      check_value(&program, session_input_at(program.export.inputs, place++), argument->value);
  }
  check_count(&program);
}

/// `program(x).argmax(-1)`, also by a name: what a program gives is a tuple, or a list in torch 2.6.
static void check_result(DiagSink *sink, PyRef node)
{
  static const char *const members[] = { "argmax", "cpu",   "detach",    "dtype", "float",   "item",    "max",
                                         "mean",   "numpy", "reshape",   "shape", "softmax", "squeeze", "sum",
                                         "tolist", "to",    "unsqueeze", "view",  "flatten", "permute" };
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef object = py_tree_object(tree, node);
  const PyCall *call = object && str_is_one_of(py_tree_member_name(tree, node), members, COUNT(members))
                           ? py_model_call(model, py_model_resolve(model, object))
                           : NULL;
  if (call && py_kind(tree, call->function_node) == PYK_IDENTIFIER &&
      str_equal(public_class_of(sink, call->function_node), STR("torch.onnx.ONNXProgram")))
    py_say(sink, RULE_SESSION_RUN, OWN, py_tree_member(tree, node),
           STR("An ONNXProgram gives its outputs in a tuple: take one by its number, `[0]`."), NULL);
}

void check_python_program_calls(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  if (model->exports.count == 0 || !sink_wants(sink, RULE_SESSION_RUN, OWN))
    return;
  for (size_t i = 0; i < model->calls.count; i++)
    check_call(sink, &model->calls.items[i]);
  for (PyRef node = 1; node < model->tree.count; node++) {
    if (py_kind(&model->tree, node) == PYK_ATTRIBUTE)
      check_result(sink, node);
  }
}
