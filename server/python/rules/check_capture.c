// What torch.export can't capture of forward(): decisions of Python that depend on the values of tensors. Checked with
// torch 2.14: `if x.sum() > 0` fails, x.sum().item() alone does not.

#include "base/limits.h"
#include "base/vec.h"
#include "python/rules/forward_tensors.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

static bool is_data_dependent(Forward *forward, PyRef node, int depth);

/// `torch.where(x > 0)`: the places where it holds, in a tuple.
static bool is_where_of_condition(Forward *forward, PyRef node, int depth)
{
  uint32_t index = py_model_call_at(forward->model, py_tree_strip(&forward->model->tree, node));
  const PyCall *call = index == PY_ABSENT ? NULL : &forward->model->calls.items[index];
  return call && call->argument_count == 1 && str_equal(call->qualified, STR("torch.where")) &&
         forward_is_tensor(forward, forward->model->arguments.items[call->first_argument].value, depth);
}

/// A call whose result has as many elements as the values of its input say: nonzero(), masked_select(), unique().
static bool has_unknown_size(Forward *forward, PyRef node, int depth)
{
  static const char *const makers[] = { "nonzero", "masked_select", "unique", "argwhere" };
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  node = py_tree_strip(tree, node);
  if (depth <= 0 || forward->steps-- <= 0)
    return false;
  if (py_kind(tree, node) == PYK_IDENTIFIER) {
    PyRef value = forward_value_of_name(forward, node);
    return value && has_unknown_size(forward, value, depth - 1);
  }
  if (py_kind(tree, node) == PYK_SUBSCRIPT) {
    PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
    PyRef object = py_child(tree, node, PY_F_VALUE);
    if (object && is_where_of_condition(forward, object, depth - 1))
      return true;
    return index && object && py_kind(tree, index) == PYK_COMPARISON_OPERATOR &&
           forward_is_tensor(forward, index, depth - 1) && forward_is_tensor(forward, object, depth - 1);
  }
  uint32_t index = py_model_call_at(model, node);
  const PyCall *call = index == PY_ABSENT ? NULL : &model->calls.items[index];
  if (!call)
    return false;
  Str name = call->qualified;
  if (str_starts_with(name, STR("torch.")))
    return call->argument_count > 0 && !py_model_argument(model, call, PY_ABSENT, "as_tuple") &&
           str_is_one_of(str_slice(name, 6, name.len), makers, COUNT(makers)) &&
           forward_is_tensor(forward, model->arguments.items[call->first_argument].value, depth - 1);
  PyRef object =
      py_kind(tree, call->function_node) == PYK_ATTRIBUTE ? py_child(tree, call->function_node, PY_F_OBJECT) : 0;
  return object && !py_model_argument(model, call, PY_ABSENT, "as_tuple") &&
         str_is_one_of(py_text(tree, py_child(tree, call->function_node, PY_F_ATTRIBUTE)), makers, COUNT(makers)) &&
         forward_is_tensor(forward, object, depth - 1);
}

static bool is_number_out_of_tensor(Forward *forward, const PyCall *call, int depth)
{
  static const char *const functions[] = {
    "int", "float", "bool", "torch.equal", "torch.allclose", "torch.is_nonzero"
  };
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef first = call->argument_count > 0 ? model->arguments.items[call->first_argument].value : 0;
  if (first && str_is_one_of(call->qualified, functions, COUNT(functions)))
    return forward_is_tensor(forward, first, depth) || is_data_dependent(forward, first, depth);
  if (first && str_equal(call->qualified, STR("len")))
    return has_unknown_size(forward, first, depth);
  PyRef function = call->function_node;
  PyRef object = py_kind(tree, function) == PYK_ATTRIBUTE ? py_child(tree, function, PY_F_OBJECT) : 0;
  Str method = object ? py_text(tree, py_child(tree, function, PY_F_ATTRIBUTE)) : (Str){ 0 };
  if (str_equal(method, STR("item")) && call->argument_count == 0)
    return forward_is_tensor(forward, object, depth);
  return (str_equal(method, STR("numel")) || str_equal(method, STR("size"))) &&
         has_unknown_size(forward, object, depth);
}

/// A Python number that depends on values of tensors, or a tensor itself where Python asks for its truth.
static bool is_data_dependent(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  if (depth <= 0 || forward->steps-- <= 0)
    return false;
  node = py_tree_strip(tree, node);
  uint32_t call = py_model_call_at(model, node);
  PyRef value;
  switch (py_kind(tree, node)) {
  case PYK_IDENTIFIER:
    value = forward_value_of_name(forward, node);
    return value && is_data_dependent(forward, value, depth - 1);
  case PYK_CALL:
    return call != PY_ABSENT && is_number_out_of_tensor(forward, &model->calls.items[call], depth - 1);
  case PYK_SUBSCRIPT:
    value = py_child(tree, node, PY_F_VALUE);
    return value && py_kind(tree, value) == PYK_ATTRIBUTE &&
           str_equal(py_text(tree, py_child(tree, value, PY_F_ATTRIBUTE)), STR("shape")) &&
           str_equal(py_text(tree, py_child(tree, node, PY_F_SUBSCRIPT)), STR("0")) &&
           has_unknown_size(forward, py_child(tree, value, PY_F_OBJECT), depth - 1);
  case PYK_BINARY_OPERATOR:
    return is_data_dependent(forward, py_child(tree, node, PY_F_LEFT), depth - 1) ||
           is_data_dependent(forward, py_child(tree, node, PY_F_RIGHT), depth - 1);
  default:
    return false;
  }
}

static bool compares(const PyTree *tree, PyRef node)
{
  PyRef sign = py_child(tree, node, PY_F_OPERATORS);
  Str text = sign ? py_text(tree, sign) : (Str){ 0 };
  return text.len > 0 && (text.data[0] == '<' || text.data[0] == '>' || text.data[0] == '=' || text.data[0] == '!');
}

/// Whether Python has to know the value of a tensor to decide.
static bool is_decided_by_data(Forward *forward, PyRef condition)
{
  const PyTree *tree = &forward->model->tree;
  if (!condition)
    return false;
  condition = py_tree_strip(tree, forward_first_asked(tree, condition));
  if (py_kind(tree, condition) != PYK_COMPARISON_OPERATOR)
    return forward_is_tensor(forward, condition, PY_EXPRESSION_DEPTH) ||
           is_data_dependent(forward, condition, PY_EXPRESSION_DEPTH);
  if (!compares(tree, condition))
    return false;
  for (PY_EACH_CHILD(tree, side, condition)) {
    if (py_kind(tree, side) != PYK_OPERATOR && (forward_is_tensor(forward, side, PY_EXPRESSION_DEPTH) ||
                                                is_data_dependent(forward, side, PY_EXPRESSION_DEPTH)))
      return true;
  }
  return false;
}

/// Before torch 2.9 the exporter tried torch.jit.trace at last, which freezes the decision.
static Severity severity_of(const Forward *forward)
{
  return export_torch_is_from(sink_python(forward->sink), 2, 9) ? OWN : SEVERITY_WARNING;
}

static void say(Forward *forward, PyRef node, const char *what)
{
  Severity severity = severity_of(forward);
  if (sink_wants(forward->sink, RULE_DATA_DEPENDENT, severity) && !forward_is_conditional(forward, node))
    py_say(forward->sink, RULE_DATA_DEPENDENT, severity, node,
           arena_printf(forward->sink->arena,
                        "%s, and torch.export knows no values: use torch.where() or torch.cond(), or take it out of "
                        "forward().",
                        what),
           NULL);
}

/// `range(n.item())`
static bool is_range_of_data(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  uint32_t index = node ? py_model_call_at(model, node) : PY_ABSENT;
  const PyCall *call = index == PY_ABSENT ? NULL : &model->calls.items[index];
  for (uint32_t i = 0; call && str_equal(call->qualified, STR("range")) && i < call->argument_count; i++) {
    if (is_data_dependent(forward, model->arguments.items[call->first_argument + i].value, PY_EXPRESSION_DEPTH))
      return true;
  }
  return false;
}

/// `y.split(n)` and `torch.chunk(y, n)` where nobody knows how long y is: how many parts come depends on it.
static bool parts_unknown_size(Forward *forward, const PyCall *call)
{
  static const char *const functions[] = { "torch.split", "torch.chunk" };
  static const char *const methods[] = { "split", "chunk" };
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  bool is_function = str_is_one_of(call->qualified, functions, COUNT(functions));
  PyRef object =
      py_kind(tree, call->function_node) == PYK_ATTRIBUTE ? py_child(tree, call->function_node, PY_F_OBJECT) : 0;
  bool is_method =
      !is_function && object &&
      str_is_one_of(py_text(tree, py_child(tree, call->function_node, PY_F_ATTRIBUTE)), methods, COUNT(methods));
  if ((!is_function && !is_method) || call->argument_count != (is_function ? 2u : 1u))
    return false;
  const PyArgument *arguments = &model->arguments.items[call->first_argument];
  PyNodeKind parts = py_kind(tree, py_tree_strip(tree, arguments[call->argument_count - 1].value));
  return parts != PYK_LIST && parts != PYK_TUPLE &&
         has_unknown_size(forward, is_function ? arguments[0].value : object, PY_EXPRESSION_DEPTH);
}

static void check_call(Forward *forward, PyRef node)
{
  static const char *const of_math[] = { "math.sqrt", "math.floor", "math.ceil", "math.exp", "math.log",
                                         "math.log2", "math.log10", "math.sin",  "math.cos", "math.pow" };
  uint32_t index = py_model_call_at(forward->model, node);
  const PyCall *call = index == PY_ABSENT ? NULL : &forward->model->calls.items[index];
  if (!call)
    return;
  if (str_is_one_of(call->qualified, of_math, COUNT(of_math)) && forward_has_tensor_argument(forward, call))
    say(forward, node, "A function of math wants the value of a tensor");
  else if (forward_asks_truth(forward, call))
    say(forward, node, "any(), all() and sorted() of Python decide by the values of a tensor");
  else if (parts_unknown_size(forward, call))
    say(forward, node, "The number of parts depends on the values of a tensor");
  else if (forward_draws_numbers(call) && sink_wants(forward->sink, RULE_TRACED_CONSTANT, OWN) &&
           !forward_is_conditional(forward, node))
    py_say(forward->sink, RULE_TRACED_CONSTANT, OWN, node,
           STR("Random numbers of Python are drawn once: the graph keeps what this run gives, for all inputs."), NULL);
}

/// `[a, b][n.item()]` and `{True: a, False: b}[bool(t)]`, of a list or dict that is written there or bound to a name.
static void check_choice(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef object = py_child(tree, node, PY_F_VALUE);
  PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
  object = object ? py_tree_strip(tree, object) : 0;
  if (object && py_kind(tree, object) == PYK_IDENTIFIER)
    object = forward_value_of_name(forward, object);
  PyNodeKind kind = object ? py_kind(tree, object) : PYK_NONE;
  bool is_list = kind == PYK_LIST || kind == PYK_TUPLE;
  if (!index || (!is_list && kind != PYK_DICTIONARY))
    return;
  if (is_data_dependent(forward, index, PY_EXPRESSION_DEPTH) ||
      (is_list && forward_is_tensor(forward, index, PY_EXPRESSION_DEPTH)))
    say(forward, node, "Which of these it is depends on the values of a tensor");
}

static void check_node(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef asked = forward_condition(tree, node);
  if (py_kind(tree, node) == PYK_FOR_STATEMENT) {
    PyRef turns = py_child(tree, node, PY_F_RIGHT);
    if (is_range_of_data(forward, turns) || (turns && has_unknown_size(forward, turns, PY_EXPRESSION_DEPTH)))
      say(forward, turns, "The number of turns depends on the values of a tensor");
  }
  if (py_kind(tree, node) == PYK_SUBSCRIPT)
    check_choice(forward, node);
  if (py_kind(tree, node) == PYK_CALL)
    check_call(forward, node);
  if (py_kind(tree, node) == PYK_COMPARISON_OPERATOR && forward_searches_tensor(forward, node))
    say(forward, node, "`in` compares the values of a tensor");
  if (asked && is_decided_by_data(forward, asked))
    say(forward, asked, "This decision depends on the values of a tensor");
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
  if (what && sink_wants(forward->sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR) &&
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
  PyNodeKind kind = py_kind(tree, value);
  if (kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST) {
    if (kind != PYK_STRING)
      check_output(forward, value);
    return;
  }
  for (PyRef item = py_tree_first_element(tree, value); item; item = py_tree_next_element(tree, item))
    check_output(forward, item);
}

/// An `if` that an export may leave forward() by.
static bool is_exit_of_export(const PyTree *tree, PyRef node)
{
  PyRef condition = py_kind(tree, node) == PYK_IF_STATEMENT ? py_child(tree, node, PY_F_CONDITION) : 0;
  return condition && forward_asks_about_export(py_text(tree, condition));
}

static void check_forward(DiagSink *sink, uint32_t function, const bool *tensor_params)
{
  const PyModel *model = sink_python(sink)->model;
  Forward forward = {
    .sink = sink, .model = model, .function = function, .tensor_params = tensor_params, .steps = PY_TRACING_WORK
  };
  PyRef body = model->functions.items[function].body;
  uint32_t seen = 0;
  bool may_have_left = false;
  for (PyRef node = body; node && node < model->tree.nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    if (kind == PYK_FUNCTION_DEFINITION || kind == PYK_LAMBDA || kind == PYK_CLASS_DEFINITION) {
      node = model->tree.nodes[node].next - 1;  // A function in it runs elsewhere.
      continue;
    }
    check_node(&forward, node);
    may_have_left |= is_exit_of_export(&model->tree, node);
    if (!may_have_left && model->tree.nodes[node].parent == body)
      check_result(&forward, node);
  }
}

typedef Vec(uint32_t) Methods;

/// Whether another forward() may be captured than the one that is written: `model.forward = ...`, or tools that rewrite
/// control flow.
static bool may_replace_forward(const PyModel *model)
{
  static const char *const words[] = { ".forward = ", "ewrite" };
  return str_contains_one_of(model->tree.text, words, COUNT(words));
}

static void add_method(const ExportCall *export, bool *tensor_params, Methods *methods)
{
  ExportModel made = export_model(export);
  if (made.forward == PY_ABSENT)
    return;
  forward_note_tensors(export, &made, tensor_params);
  for (size_t k = 0; k < methods->count; k++) {
    if (methods->items[k] == made.forward)
      return;
  }
  vec_push(methods, made.forward);
}

/// Of each export that surely takes the dynamo exporter, and each captured program, the model, if its class is in this
/// file.
void check_python_capture(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool *tensor_params = ARENA_ARRAY(sink->arena, bool, model->params.count);
  Methods methods = { 0 };
  if (may_replace_forward(model))
    return;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    if (export.kind == EXPORT_DYNAMO &&
        (export.says_dynamo || !py_file_asks_version(sink_python(sink), export.call->node)))
      add_method(&export, tensor_params, &methods);
  }
  for (size_t i = 0; i < model->calls.count && methods.count < PY_EXPORT_LIMIT; i++) {
    ExportCall export;
    if (export_capture(sink, &model->calls.items[i], &export))
      add_method(&export, tensor_params, &methods);
  }
  for (size_t i = 0; i < methods.count; i++)
    check_forward(sink, methods.items[i], tensor_params);
  vec_free(&methods);
}
