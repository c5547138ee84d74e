// Calls of torch.cond() and while_loop(): what they give the functions that they run, and what those give back.

#include "base/limits.h"
#include "python/rules/public_objects.h"

/// torch.cond(pred, true_fn, false_fn, operands) or while_loop(cond_fn, body_fn, carried_inputs).
typedef struct ControlFlow {
  DiagSink *sink;
  bool is_plain;  ///< Each call of the file runs as it is written.
  const PyCall *call;
  const char *name;
  PyRef operands;  ///< Resolved; 0 unless they are written out.
  uint32_t count;  ///< Of them; PY_ABSENT if it is not known.
} ControlFlow;

static void say(const ControlFlow *flow, PyRef node, Str message)
{
  py_say(flow->sink, RULE_EXPORT_ARGUMENT_TYPE, OWN, node, message, NULL);
}

static bool is_list(PyNodeKind kind)
{
  return kind == PYK_TUPLE || kind == PYK_LIST || kind == PYK_EXPRESSION_LIST;
}

/// How many elements are written out; PY_ABSENT.
static uint32_t length_of(const PyTree *tree, PyRef node)
{
  uint32_t count = 0;
  if (!node || !is_list(py_kind(tree, node)))
    return PY_ABSENT;
  for (PyRef item = py_tree_first_element(tree, node); item; item = py_tree_next_element(tree, item), count++) {
    if (py_tree_is_splat(tree, item))
      return PY_ABSENT;
  }
  return count;
}

// --- Operands ---

/// Whether each call of the file runs as it is written: strict captures, torch.compile(), and the exporter to ONNX,
/// which tries a strict one, too, take Python values. Run with torch 2.14.
static bool runs_plainly(DiagSink *sink)
{
  static const char *const words[] = { "strict=True", "compile", "onnx", "_dynamo" };
  const PyFile *file = sink_python(sink);
  return !py_model_mentions_one_of(file->model, words, COUNT(words)) && export_torch_is_from(file, 2, 9) &&
         !file->torch_is_before;
}

/// The first element that is surely no tensor, of a list in the list, too; 0.
static PyRef strange_operand(const ControlFlow *flow, PyRef list, uint32_t kinds, int depth)
{
  const PyFile *file = sink_python(flow->sink);
  const PyTree *tree = &file->model->tree;
  for (PyRef item = py_tree_first_element(tree, list); item && depth > 0; item = py_tree_next_element(tree, item)) {
    if (py_file_is_only(py_file_value(file, item), kinds))
      return item;
    PyRef found = is_list(py_kind(tree, item)) ? strange_operand(flow, item, kinds, depth - 1) : 0;
    if (found)
      return found;
  }
  return 0;
}

static void check_operands(const ControlFlow *flow, uint32_t kinds, const char *wanted)
{
  const PyFile *file = sink_python(flow->sink);
  PyRef strange = flow->operands && flow->is_plain ? strange_operand(flow, flow->operands, kinds, 4) : 0;
  if (strange)
    say(flow, strange,
        arena_printf(flow->sink->arena, "The operands of %s() are %s, and this is %.*s.", flow->name, wanted,
                     STR_ARG(py_file_value_text(py_file_value(file, strange), flow->sink->arena))));
}

// --- Functions ---

/// A lambda, or a function of the file; PY_ABSENT. `*ret_skip` parameters are not given by the operands.
static uint32_t function_of(const PyModel *model, PyRef node, uint32_t *ret_skip)
{
  node = py_tree_strip(&model->tree, node);
  *ret_skip = 0;
  if (py_kind(&model->tree, node) == PYK_LAMBDA)
    return py_model_function_at(model, node);
  PyCallable callable = py_model_callable(model, node);
  bool is_plain = callable.function != PY_ABSENT && callable.partial == PY_ABSENT && !callable.class_node &&
                  callable.parse_args == PY_ABSENT &&
                  !model->functions.items[callable.function].has_unknown_decorator &&
                  model->functions.items[callable.function].wrapper == PY_ABSENT;
  *ret_skip = callable.is_bound;
  return is_plain ? callable.function : PY_ABSENT;
}

static void check_count(const ControlFlow *flow, PyRef node)
{
  const PyModel *model = sink_python(flow->sink)->model;
  uint32_t skip, least = 0, most = 0;
  uint32_t index = flow->count == PY_ABSENT ? PY_ABSENT : function_of(model, node, &skip);
  if (index == PY_ABSENT)
    return;
  const PyFunction *function = &model->functions.items[index];
  for (uint32_t i = skip; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    if (param->kind == PY_PARAM_ARGS)
      return;
    most += param->kind == PY_PARAM_PLAIN;
    least += param->kind == PY_PARAM_PLAIN && !param->default_value;
  }
  if (flow->count < least || flow->count > most)
    say(flow, node,
        arena_printf(flow->sink->arena, "%s() gives this function %u operand%s, and it takes %u.", flow->name,
                     flow->count, flow->count == 1 ? "" : "s", flow->count < least ? least : most));
}

/// Whether it is one tensor: `x.sin()`, `torch.sin(x)`, as every overload of the operator gives one.
static bool gives_one(const PyFile *file, PyRef node)
{
  const PyCall *call = py_model_call(file->model, node);
  Str prefix = STR("torch.");
  Str name = call ? py_tree_member_name(&file->model->tree, call->function_node) : (Str){ 0 };
  bool is_of_torch = call && str_starts_with(call->qualified, prefix);
  PyRef object = call ? py_tree_object(&file->model->tree, call->function_node) : 0;
  const PyBinding *binding =
      object && py_kind(&file->model->tree, object) == PYK_IDENTIFIER ? py_model_binding_at(file->model, object) : NULL;
  // What the function is given are tensors.
  bool is_method = !is_of_torch && py_binding_is_only(binding, PY_BIND_PARAM) &&
                   binding->scope == py_model_scope_of(file->model, node);
  if (name.len == 0 || (!is_method && (!is_of_torch || call->qualified.len != prefix.len + name.len)))
    return false;
  Arena arena = { 0 };
  const TorchOperator *op = symbolics_torch_operator(file->db, arena_printf(&arena, "aten::%.*s", STR_ARG(name)));
  uint32_t seen = 0, ones = 0;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (overload->argument_count == 0 || !str_starts_with(overload->arguments[0].type, STR("Tensor")))
      continue;  // Of numbers.
    seen++;
    ones += overload->return_count == 1 && str_equal(overload->returns[0].type, STR("Tensor"));
  }
  arena_done(&arena);
  return seen > 0 && ones == seen;
}

/// A parameter of the function, which is given a tensor.
static bool is_operand(const PyModel *model, PyRef node)
{
  const PyBinding *binding = py_kind(&model->tree, node) == PYK_IDENTIFIER ? py_model_binding_at(model, node) : NULL;
  return py_binding_is_only(binding, PY_BIND_PARAM) && binding->scope == py_model_scope_of(model, node);
}

/// Whether it is one value: `i + 1`.
static bool is_one(const PyFile *file, PyRef node)
{
  const PyTree *tree = &file->model->tree;
  if (gives_one(file, node))
    return true;
  PyRef sign = py_kind(tree, node) == PYK_BINARY_OPERATOR ? py_child(tree, node, PY_F_OPERATOR) : 0;
  // `[x] * 2` is a list.
  if (!sign || (str_equal(py_text(tree, sign), STR("*")) && !is_operand(file->model, py_first_child(tree, node))))
    return false;
  PyNodeKind left = py_kind(tree, py_child(tree, node, PY_F_LEFT)),
             right = py_kind(tree, py_child(tree, node, PY_F_RIGHT));
  return left == PYK_INTEGER || left == PYK_FLOAT || right == PYK_INTEGER || right == PYK_FLOAT;
}

/// How many values a function gives; 0 if it has no result at all, PY_ABSENT if that is not known.
static uint32_t result_count(const PyFile *file, PyRef node, PyRef *ret_returned)
{
  const PyModel *model = file->model;
  uint32_t skip;
  uint32_t index = function_of(model, node, &skip);
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  *ret_returned = function && function->return_count <= 1 && function->returned
                      ? py_tree_strip(&model->tree, function->returned)
                      : 0;
  if (!*ret_returned) {
    *ret_returned = node;
    return function && function->return_count == 0 && function->body && py_file_ending(file, index) == PY_FALLS_THROUGH
               ? 0
               : PY_ABSENT;
  }
  uint32_t length = length_of(&model->tree, *ret_returned);
  return length == PY_ABSENT && is_one(file, *ret_returned) ? 1 : length;
}

/// Both branches give as many values.
static void check_branches(const ControlFlow *flow, PyRef yes, PyRef no)
{
  PyRef returned;
  uint32_t first = result_count(sink_python(flow->sink), yes, &returned);
  uint32_t second = result_count(sink_python(flow->sink), no, &returned);
  if (first != PY_ABSENT && second != PY_ABSENT && first != second)
    say(flow, returned,
        arena_printf(flow->sink->arena, "This branch of torch.cond() gives %u value%s, and the other one %u.", second,
                     second == 1 ? "" : "s", first));
}

/// The body of a loop gives what it is given in the next turn; torch 2.6 does not count.
static void check_carried(const ControlFlow *flow, PyRef body)
{
  PyRef returned;
  uint32_t given = flow->count == PY_ABSENT ? PY_ABSENT : result_count(sink_python(flow->sink), body, &returned);
  if (given != PY_ABSENT && given != flow->count)
    say(flow, returned,
        arena_printf(flow->sink->arena, "The body of %s() gives %u value%s, and the loop carries %u.", flow->name,
                     given, given == 1 ? "" : "s", flow->count));
}

static void check_call(DiagSink *sink, const PyCall *call, bool is_cond, bool is_plain)
{
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *first = py_model_argument(model, call, is_cond ? 1 : 0, is_cond ? "true_fn" : "cond_fn");
  const PyArgument *second = py_model_argument(model, call, is_cond ? 2 : 1, is_cond ? "false_fn" : "body_fn");
  const PyArgument *given = py_model_argument(model, call, is_cond ? 3 : 2, is_cond ? "operands" : "carried_inputs");
  ControlFlow flow = {
    sink, is_plain, call, is_cond ? "torch.cond" : "while_loop", 0, is_cond && !given ? 0 : PY_ABSENT
  };
  PyRef operands = given ? py_model_resolve(model, given->value) : 0;
  if (operands && is_list(py_kind(&model->tree, operands))) {
    flow.operands = operands;
    flow.count = length_of(&model->tree, operands);
  }
  uint32_t kinds = PY_NONE | PY_FLOAT | PY_STRING | PY_DTYPE;
  check_operands(&flow, is_cond ? kinds | PY_INT | PY_BOOL : kinds, is_cond ? "tensors" : "tensors or ints");
  if (first)
    check_count(&flow, first->value);
  if (second)
    check_count(&flow, second->value);
  if (first && second && is_cond)
    check_branches(&flow, first->value, second->value);
  if (second && !is_cond && export_torch_is_from(sink_python(sink), 2, 9))
    check_carried(&flow, second->value);
}

/// What scan() runs gives what it carries, and what is kept of the turn.
static void check_scan(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *body = py_model_argument(model, call, 0, "combine_fn");
  ControlFlow flow = { .sink = sink, .call = call, .name = "scan" };
  PyRef returned;
  uint32_t given = body ? result_count(sink_python(sink), body->value, &returned) : PY_ABSENT;
  if (given != PY_ABSENT && given != 2)
    say(&flow, returned,
        arena_printf(sink->arena,
                     "What scan() runs gives two values, the next carry and the output, and this gives %u.", given));
}

void check_python_control_flow(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool is_known = false;
  bool is_plain = false;
  if (py_is_torch_itself(model))
    return;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    bool is_cond = str_equal(call->qualified, STR("torch.cond"));
    bool is_loop = str_starts_with(call->qualified, STR("torch._higher_order_ops.")) &&
                   str_ends_with(call->qualified, STR(".while_loop"));
    if (str_starts_with(call->qualified, STR("torch._higher_order_ops.")) &&
        str_ends_with(call->qualified, STR(".scan")) && export_torch_is_from(sink_python(sink), 2, 9))
      check_scan(sink, call);
    if ((!is_cond && !is_loop) || call->has_splat || call->has_dictionary_splat)
      continue;
    is_plain = is_known ? is_plain : runs_plainly(sink);
    is_known = true;
    check_call(sink, call, is_cond, is_plain);
  }
}
