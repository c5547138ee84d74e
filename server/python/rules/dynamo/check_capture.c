// What torch.export can't capture of forward(): decisions of Python that depend on the values of tensors. Checked with
// torch 2.14: `if x.sum() > 0` fails, x.sum().item() alone does not.

#include "base/limits.h"
#include "python/rules/dynamo/capture_calls.h"
#include "python/rules/dynamo/capture_containers.h"
#include "python/rules/dynamo/capture_writes.h"
#include "python/rules/dynamo/dimension.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/export/exported_code.h"
#include "python/rules/forward/forward_conditions.h"
#include "python/rules/forward/forward_outputs.h"
#include "python/rules/forward/forward_sizes.h"

/// `range(n.item())`
static bool is_range_of_data(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyCall *call = py_model_call(model, node);
  for (uint32_t i = 0; call && str_equal(call->qualified, STR("range")) && i < call->argument_count; i++) {
    PyRef value = py_model_arguments(model, call)[i].value;
    if (forward_is_data_dependent(forward, value) || forward_is_tensor(forward, value, PY_EXPRESSION_DEPTH))
      return true;
  }
  return false;
}

/// `x[::n.item()]`: the third part of a slice is a number that is known, or nobody knows the size.
static PyRef step_of_slice(const PyTree *tree, PyRef slice)
{
  PyRef last = 0;
  for (PY_EACH_CHILD(tree, child, slice))
    last = child;
  int colons = 0;
  size_t at = tree->nodes[slice].start;
  for (PyRef child = py_first_child(tree, slice); last && child; child = py_next_sibling(tree, child)) {
    for (; at < tree->nodes[child].start; at++)
      colons += tree->text.data[at] == ':';
    at = tree->nodes[child].end;
  }
  return colons == 2 ? last : 0;
}

/// `while len(x) > 0: ... x = x[x > 0]`: after the first turn nobody knows how long x is.
static bool shrinks_by_data(Forward *forward, PyRef loop)
{
  const PyTree *tree = &forward->model->tree;
  PyRef condition = py_child(tree, loop, PY_F_CONDITION), body = py_child(tree, loop, PY_F_BODY);
  for (PyRef statement = body ? py_first_child(tree, body) : 0; statement;
       statement = py_next_sibling(tree, statement)) {
    PyRef assignment = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
    bool is_one = assignment && py_kind(tree, assignment) == PYK_ASSIGNMENT;
    PyRef name = is_one ? py_child(tree, assignment, PY_F_LEFT) : 0;
    PyRef value = name ? py_child(tree, assignment, PY_F_RIGHT) : 0;
    if (value && py_kind(tree, name) == PYK_IDENTIFIER && forward_asks_size_of(tree, condition, py_text(tree, name)) &&
        forward_has_unknown_size(forward, value))
      return true;
  }
  return false;
}

static void check_node(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef asked = forward_condition(tree, node);
  if (py_kind(tree, node) == PYK_FOR_STATEMENT) {
    PyRef turns = py_child(tree, node, PY_F_RIGHT);
    if (is_range_of_data(forward, turns) || (turns && forward_has_unknown_size(forward, turns)))
      capture_say(forward, turns, "The number of turns depends on the values of a tensor");
  }
  PyRef step = py_kind(tree, node) == PYK_SLICE ? step_of_slice(tree, node) : 0;
  if (step && forward_is_data_dependent(forward, step))
    capture_say(forward, step, "The step of a slice comes out of a tensor");
  if (py_kind(tree, node) == PYK_WHILE_STATEMENT && shrinks_by_data(forward, node))
    capture_say(forward, py_child(tree, node, PY_F_CONDITION), "The number of turns depends on the values of a tensor");
  if (py_kind(tree, node) == PYK_SUBSCRIPT)
    capture_check_choice(forward, node);
  PyNodeKind around = py_kind(tree, tree->nodes[node].parent);
  if (tree->nodes[node].field == PY_F_LEFT && (around == PYK_ASSIGNMENT || around == PYK_AUGMENTED_ASSIGNMENT))
    capture_writes_check(forward, node);
  const PyCall *call = py_model_call(forward->model, node);
  if (call)
    capture_writes_check_call(forward, call);
  if (py_kind(tree, node) == PYK_CALL)
    capture_check_call(forward, node);
  if (py_kind(tree, node) == PYK_ATTRIBUTE)
    capture_check_data(forward, node);
  if (py_kind(tree, node) == PYK_COMPARISON_OPERATOR && forward_searches_tensor(forward, node))
    capture_say(forward, node, "`in` compares the values of a tensor");
  if (py_kind(tree, node) == PYK_STRING || py_kind(tree, node) == PYK_BINARY_OPERATOR)
    capture_check_format(forward, node);
  if (py_kind(tree, node) == PYK_BINARY_OPERATOR)
    capture_check_repetition(forward, node);
  if (py_kind(tree, node) == PYK_ASSERT_STATEMENT)
    capture_check_assert(forward, node);
  if (!asked)
    asked = forward_asked_by_value(forward, node);
  PyRef matched = py_kind(tree, node) == PYK_MATCH_STATEMENT ? py_first_child(tree, node) : 0;
  if (matched && forward_is_data_dependent(forward, matched))
    capture_say(forward, matched, "This decision depends on the values of a tensor");
  if (asked && forward_is_decided_by_data(forward, asked))
    capture_say(forward, asked, "This decision depends on the values of a tensor");
}

/// What the exporter fails on when it looks for its name in the graph; NULL if it is not surely that.
static const char *bad_output(PyNodeKind kind)
{
  switch (kind) {
  case PYK_STRING:
    return "a string";
  case PYK_INTEGER:
  case PYK_FLOAT:
  case PYK_TRUE:
  case PYK_FALSE:
    return "a number";
  default:
    return NULL;
  }
}

static void check_output(Forward *forward, PyRef value)
{
  const char *what = bad_output(py_kind(&forward->model->tree, value));
  if (what && forward->is_for_onnx && sink_wants(forward->sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR) &&
      !forward_is_conditional(forward, value))
    py_say(forward->sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR, value,
           arena_printf(forward->sink->arena, "The dynamo exporter fails on %s among the outputs: return tensors only.",
                        what),
           NULL);
}

static void check_result(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef value = py_kind(tree, node) == PYK_RETURN_STATEMENT ? py_first_child(tree, node) : 0;
  if (!value)
    return;
  if (py_kind(tree, value) == PYK_DICTIONARY) {
    for (PY_EACH_CHILD(tree, pair, value)) {
      PyRef held = py_kind(tree, pair) == PYK_PAIR ? py_child(tree, pair, PY_F_VALUE) : 0;
      if (held)
        check_output(forward, held);
      if (held)
        forward_check_output(forward, held);
    }
    return;
  }
  forward_check_output(forward, value);
  PyNodeKind kind = py_kind(tree, value);
  if (kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST) {
    if (kind != PYK_STRING)
      check_output(forward, value);
    return;
  }
  for (PY_EACH_ELEMENT(tree, item, value)) {
    check_output(forward, item);
    forward_check_output(forward, item);
  }
}

/// An `if` that an export may leave forward() by.
static bool is_exit_of_export(const PyTree *tree, PyRef node)
{
  PyRef condition = py_kind(tree, node) == PYK_IF_STATEMENT ? py_child(tree, node, PY_F_CONDITION) : 0;
  return condition && forward_asks_about_export(py_text(tree, condition));
}

/// `is_model`: it is called by the export itself.
static void check_forward(Forward forward, uint32_t function, bool is_model)
{
  const PyModel *model = forward.model;
  forward.function = function;
  PyRef body = model->functions.items[function].body;
  uint32_t seen = 0;
  bool may_have_left = false;
  if (is_model)
    forward_check_generator(&forward);
  for (PyRef node = body; node && node < model->tree.nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    if (py_runs_elsewhere(kind)) {
      node = model->tree.nodes[node].next - 1;  // A function in it runs elsewhere.
      continue;
    }
    check_node(&forward, node);
    may_have_left |= is_exit_of_export(&model->tree, node);
    if (is_model && !may_have_left && model->tree.nodes[node].parent == body)
      check_result(&forward, node);
  }
}

static bool is_captured(const ExportCall *export)
{
  return export->kind == EXPORT_DYNAMO &&
         (export->says_dynamo || !py_file_asks_version(export->file, export->call->node));
}

/// By PyModel.params: what the examples are.
typedef struct Given {
  bool *tensors;
  bool *masks;
  uint32_t *open_axes;
} Given;

/// Of an export to ONNX: the axes that dynamic_axes or dynamic_shapes leave open.
static void note_axes(const ExportCall *export, const ExportModel *made, uint32_t *open_axes)
{
  const PyModel *model = export->model;
  ExportCall known = *export;
  known.inputs = example_inputs(export, made);
  const PyFunction *forward = &model->functions.items[made->forward];
  forward_note_axes(export, made, open_axes);
  for (uint32_t i = 1; i < forward->param_count; i++) {
    const ExampleInput *input = example_input_named(known.inputs, py_model_params(model, forward)[i].name);
    int rank = input && input->value && !input->is_rest ? example_shape(model, input->node).rank : 0;
    for (int axis = 0; axis < rank && axis < PY_OPEN_AXIS_LIMIT; axis++) {
      PyRef entry = example_dimension(&known, input, axis, rank);
      Dimension dimension = entry ? dimension_read(model, entry, export->sink->arena) : (Dimension){ 0 };
      bool is_hint = dimension.kind == DIM_HINT && !str_equal(dimension.name, STR("STATIC"));
      if (dimension.kind == DIM_NAMED || dimension.kind == DIM_STRING || is_hint)
        open_axes[forward->first_param + i] |= UINT32_C(1) << axis;
    }
  }
}

static void note_masks(const ExportCall *export, const ExportModel *made, bool *masks)
{
  const PyModel *model = export->model;
  const ExampleInputs *inputs = example_inputs(export, made);
  const PyFunction *forward = &model->functions.items[made->forward];
  for (uint32_t i = 1; i < forward->param_count; i++) {
    const ExampleInput *input = example_input_named(inputs, py_model_params(model, forward)[i].name);
    if (input && input->value && !input->is_rest && example_is_mask(model, input->value, export->sink->arena))
      masks[forward->first_param + i] = true;
  }
}

static void add_method(const ExportCall *export, const Given *given, ExportedFunctions *methods)
{
  ExportModel made = export_model(export);
  if (made.forward == PY_ABSENT)
    return;
  forward_note_tensors(export, &made, given->tensors);
  note_masks(export, &made, given->masks);
  if (!export->is_capture)
    note_axes(export, &made, given->open_axes);
  exported_code_add(methods, made.forward);
}

/// The forward() of what is exported, `whole` of them by the export itself, and then what these call.
static void check_methods(DiagSink *sink, const Given *given, ExportedFunctions *methods, ExportedReach reach)
{
  const PyModel *model = sink_python(sink)->model;
  ModuleParts parts = module_parts(model, sink->arena);
  Forward forward = { .sink = sink,
                      .model = model,
                      .tensor_params = given->tensors,
                      .mask_params = given->masks,
                      .open_axes = given->open_axes,
                      .parts = &parts,
                      .has_own_tensors = true,
                      .is_for_onnx = (reach.runs & MODEL_FOR_ONNX) != 0 || py_model_mentions(model, "onnx"),
                      .sets_validation = py_model_mentions(model, "set_default_validate_args"),
                      .has_translations = py_model_mentions(model, "custom_translation_table"),
                      .steps = PY_TRACING_WORK };
  exported_code_follow(&forward, given->tensors, NULL, methods);
  for (size_t i = 0; i < methods->count; i++)
    check_forward(forward, methods->items[i], i < reach.whole);
}

/// Of each export that surely takes the dynamo exporter, and each captured program, the model, if its class is in this
/// file.
void check_python_capture(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  const Given given = { ARENA_ARRAY(sink->arena, bool, model->params.count),
                        ARENA_ARRAY(sink->arena, bool, model->params.count),
                        ARENA_ARRAY(sink->arena, uint32_t, model->params.count) };
  ExportedFunctions methods = { 0 };
  for (size_t i = 0; i < export_call_count(model); i++) {
    ExportCall export = export_call(sink, i);
    if (is_captured(&export))
      add_method(&export, &given, &methods);
  }
  for (size_t i = 0; i < model->calls.count && methods.count < PY_EXPORT_LIMIT; i++) {
    ExportCall export;
    if (export_capture(sink, &model->calls.items[i], &export) && !export.is_draft)
      add_method(&export, &given, &methods);
  }
  ExportedReach reach = { .whole = methods.count };
  exported_code_reach(sink, MODEL_CAPTURED, given.tensors, &methods, &reach);
  for (size_t i = 0; i < export_call_count(model); i++) {
    ExportCall export = export_call(sink, i);
    if (is_captured(&export))
      exported_code_add_sequence(&export, given.tensors, &methods);
  }
  if (methods.count > 0 && !exported_code_may_be_replaced(model))
    check_methods(sink, &given, &methods, reach);
  vec_free(&methods);
}
