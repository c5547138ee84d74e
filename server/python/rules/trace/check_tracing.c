// What a trace can't see: Python values that are taken out of tensors in forward(), and structures that it flattens.

#include "base/limits.h"
#include "python/rules/export/exported_code.h"
#include "python/rules/forward/forward_conditions.h"
#include "python/rules/forward/forward_data.h"
#include "python/rules/forward/forward_outputs.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/forward/forward_sizes.h"
#include "python/rules/forward/forward_tuples.h"
#include "python/rules/module/module_calls.h"
#include "python/rules/module/module_maker.h"
#include "python/rules/trace/tensor_indexing.h"
#include "python/rules/trace/traced_arguments.h"
#include "python/rules/trace/traced_foreign.h"
#include "python/rules/trace/traced_state.h"
#include "python/rules/trace/traced_support.h"
#include "python/rules/trace/traced_weights.h"
#include "python/rules/trace/traced_writes.h"

// --- traced-constant ---

static void say_frozen(Forward *forward, PyRef node, const char *what)
{
  py_say(forward->sink, RULE_TRACED_CONSTANT, OWN, node,
         arena_printf(forward->sink->arena, "%s: the trace keeps what this run gives, for all inputs.", what), NULL);
}

/// `torch.tensor([a, b])` of tensors; of one tensor alone it is traced.
static bool makes_tensor_of_list(Forward *forward, const PyCall *call)
{
  static const char *const makers[] = { "torch.tensor", "torch.as_tensor", "torch.asarray", "torch.FloatTensor" };
  return call->argument_count > 0 && str_is_one_of(call->qualified, makers, COUNT(makers)) &&
         forward_is_list_of_tensors(forward, py_model_arguments(forward->model, call)->value);
}

/// Functions of torch that give a bool and no tensor.
static bool is_truth_of_torch(Str name)
{
  static const char *const names[] = { "torch.equal", "torch.allclose", "torch.is_nonzero" };
  return str_is_one_of(name, names, COUNT(names));
}

/// Functions of Python that know nothing of a trace.
static void check_python_call(Forward *forward, PyRef node, const PyCall *call)
{
  Str name = call->qualified;
  if (forward_draws_numbers(call) && forward_is_in_no_branch(forward, node))
    say_frozen(forward, node, "Random numbers of Python are drawn once");
  else if (str_starts_with(name, STR("math.")) && forward_has_tensor_argument(forward, call))
    say_frozen(forward, node, "A function of math takes a number out of a tensor");
  else if ((str_equal(name, STR("max")) || str_equal(name, STR("min"))) && call->argument_count > 1 &&
           forward_has_tensor_argument(forward, call))
    say_frozen(forward, node,
               "Python's max() and min() decide between tensors; use torch.maximum() or torch.minimum()");
  else if (forward_asks_truth(forward, call))
    say_frozen(forward, node, "any(), all() and sorted() of Python ask tensors for their truth; use those of torch");
  else if (is_truth_of_torch(name) && forward_has_tensor_argument(forward, call))
    say_frozen(forward, node, "It gives a truth value of Python");
  else if (str_equal(name, STR("copy.deepcopy")) && forward_has_tensor_argument(forward, call))
    say_frozen(forward, node, "copy.deepcopy() leaves the trace; use clone()");
  else if (makes_tensor_of_list(forward, call))
    say_frozen(forward, node, "A list of tensors becomes a constant; use torch.stack()");
}

/// `torch.add(x, y, out=buffer)`: the symbolic functions take no such argument. Run with 36 functions, torch 2.6.
static void check_out(Forward *forward, const PyCall *call)
{
  static const char *const names[] = {
    "abs",     "add",  "addmm", "amax", "argmax", "bmm",  "cat",         "clamp",         "cumsum",       "div",
    "eq",      "exp",  "floor", "gt",   "gather", "log",  "logical_not", "masked_select", "index_select", "matmul",
    "maximum", "mean", "mm",    "mul",  "neg",    "norm", "pow",         "round",         "sigmoid",      "sin",
    "softmax", "sqrt", "stack", "sub",  "sum",    "tanh", "where",
  };
  const PyArgument *out = py_model_argument(forward->model, call, PY_ABSENT, "out");
  Str prefix = STR("torch.");
  bool is_none = out && py_kind(&forward->model->tree, py_tree_strip(&forward->model->tree, out->value)) == PYK_NONE;
  if (out && !is_none && str_starts_with(call->qualified, prefix) &&
      str_is_one_of(str_slice(call->qualified, prefix.len, call->qualified.len), names, COUNT(names)) &&
      sink_wants(forward->sink, RULE_REFUSED_CALL, OWN))
    py_say(forward->sink, RULE_REFUSED_CALL, OWN, out->node,
           STR("The TorchScript exporter fails on `out`: use the result."), NULL);
}

/// What makes numbers of Python, which a trace keeps.
/// A function or method that takes something out of its tensor, and what it does.
typedef struct Taker {
  const char *name;
  const char *what;
} Taker;

static void check_taken(Forward *forward, PyRef node, const Taker *takers, size_t count, Str name, PyRef tensor)
{
  for (size_t i = 0; i < count && tensor; i++) {
    if (str_equal(name, str_from(takers[i].name)) && forward_is_tensor(forward, tensor, PY_EXPRESSION_DEPTH))
      say_frozen(forward, node, takers[i].what);
  }
}

static void check_numbers(Forward *forward, PyRef node, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  static const Taker functions[] = {
    { "int", "int() takes a number out of a tensor" },
    { "float", "float() takes a number out of a tensor" },
    { "bool", "bool() takes a truth value out of a tensor" },
  }, methods[] = {
    { "item", "item() takes a number out of a tensor" },
    { "tolist", "tolist() takes numbers out of a tensor" },
    { "numpy", "numpy() leaves PyTorch" },
    { "equal", "equal() gives a truth value of Python" },
    { "allclose", "allclose() gives a truth value of Python" },
    { "is_nonzero", "is_nonzero() gives a truth value of Python" },
    { "resize_", "resize_() is not recorded; use reshape()" },
  };
  PyRef only = call->argument_count == 1 ? py_model_arguments(model, call)->value : 0;
  if (only && str_equal(call->qualified, STR("len")) &&
      (forward_has_unknown_size(forward, only) ||
       (forward->has_dynamic_axes && forward_is_tensor(forward, only, PY_EXPRESSION_DEPTH))))
    say_frozen(forward, node, "len() takes the size out of a tensor; use x.shape[0]");
  check_taken(forward, node, functions, COUNT(functions), call->qualified, only);
  check_taken(forward, node, methods, COUNT(methods), py_tree_member_name(tree, call->function_node),
              py_tree_object(tree, call->function_node));
  const char *frozen = forward_frozen_size(forward, call);
  if (frozen)
    say_frozen(forward, node, frozen);
  else
    check_python_call(forward, node, call);
}

static void check_size_argument(Forward *forward, const PyCall *call)
{
  DiagSink *sink = forward->sink;
  Str function;
  PyRef size = forward->support->is_judged ? forward_refused_size(forward, call, &function) : 0;
  if (!size || !forward_runs_always(forward, call->node) || !sink_wants(sink, RULE_REFUSED_CALL, OWN))
    return;
  const PyTree *tree = &forward->model->tree;
  // Of an open axis the number would be that of the example.
  bool is_fixed_by_int =
      !forward->has_dynamic_axes && !str_equal(function, STR("layer_norm")) && !tree->nodes[size].has_error;
  py_say(
      sink, RULE_REFUSED_CALL, OWN, size,
      arena_printf(sink->arena,
                   "A size of a tensor is a tensor in the trace, and the TorchScript exporter takes only numbers for "
                   "%.*s() here: write them out, or make one of it with int(), which the trace keeps.",
                   STR_ARG(function)),
      is_fixed_by_int ? py_fix(sink, false, STR("Make a number of it"), py_range(sink, size),
                               arena_printf(sink->arena, "int(%.*s)", STR_ARG(py_text(tree, size))))
                      : NULL);
}

static void check_call(Forward *forward, PyRef node)
{
  const PyCall *call = py_model_call(forward->model, node);
  if (!call)
    return;
  check_numbers(forward, node, call);
  if (!forward->is_captured)
    module_call_check(forward, call);
  traced_support_check(forward, call);
  traced_arguments_check(forward, call);
  check_size_argument(forward, call);
  check_out(forward, call);
  traced_writes_check_call(forward, call);
}

/// A loop over a tensor whose length an export leaves open, or that values decide.
static bool is_loop_over_rows(Forward *forward, PyRef loop, PyRef over)
{
  if (forward_has_unknown_size(forward, over))
    return true;
  PyRef name = py_child(&forward->model->tree, loop, PY_F_LEFT);
  PyRef looped = name && py_kind(&forward->model->tree, name) == PYK_IDENTIFIER ? over : 0;
  for (PyRef part = name ? py_first_child(&forward->model->tree, name) : 0; part && !looped;
       part = py_next_sibling(&forward->model->tree, part))
    looped = forward_looped_over(forward, part);
  return forward->has_dynamic_axes && looped && forward_is_tensor(forward, looped, PY_EXPRESSION_DEPTH);
}

static void check_attribute(Forward *forward, PyRef node)
{
  if (forward_takes_data(forward, node))
    say_frozen(forward, node, "`data` leaves the trace; use detach()");
  else if (forward_is_data_of_open(forward, node))
    say_frozen(forward, node, "`data` leaves the trace, and its sizes are numbers; use those of the tensor");
  traced_arguments_check_attribute(forward, node);
  traced_weights_check(forward, node);
}

/// `if ...: raise ...`, which a run that goes on does not come to.
static bool is_guard(const PyTree *tree, PyRef node)
{
  PyRef block = py_kind(tree, node) == PYK_IF_STATEMENT ? py_child(tree, node, PY_F_CONSEQUENCE) : 0;
  PyRef last = block && !py_child(tree, node, PY_F_ALTERNATIVE) ? py_first_child(tree, block) : 0;
  while (last && py_next_sibling(tree, last))
    last = py_next_sibling(tree, last);
  return last && py_kind(tree, last) == PYK_RAISE_STATEMENT;
}

static void check_branch(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef value = forward_first_asked(tree, forward_condition(tree, node));
  if (value && forward_is_tensor(forward, value, PY_EXPRESSION_DEPTH))
    say_frozen(forward, value, "A branch depends on a tensor");
  else if (value && forward_is_decided_by_size(forward, value))
    say_frozen(forward, value, "A branch depends on a size that values of a tensor decide");
  else if (value && forward_asks_open_size(forward, value) && !is_guard(tree, node))
    say_frozen(forward, value, "A branch depends on a size that dynamic_axes leaves open");
}

static void check_loop(Forward *forward, PyRef node)
{
  PyRef over = py_child(&forward->model->tree, node, PY_F_RIGHT);
  if (over && forward_is_open_range(forward, over))
    say_frozen(forward, over, "A loop goes by a size that dynamic_axes leaves open, and is unrolled");
  else if (over && is_loop_over_rows(forward, node, over))
    say_frozen(forward, over, "A loop runs over a tensor, and is unrolled");
}

static void check_state(Forward *forward, PyRef assignment)
{
  PyRef read = traced_state_kept(forward, assignment);
  if (read)
    say_frozen(forward, read, "What the model keeps from one run to the next is no output");
}

static void check_subscript(Forward *forward, PyRef node)
{
  tensor_indexing_check(forward, node);
  traced_writes_check(forward, node);
  if (!forward_is_conditional(forward, node))
    traced_support_check_write(forward, node);
}

static void check_tracing_node(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  switch (py_kind(tree, node)) {
  case PYK_CALL:
    if (!forward_is_conditional(forward, node))
      check_call(forward, node);
    break;
  case PYK_IF_CLAUSE:
  case PYK_IF_STATEMENT:
  case PYK_ELIF_CLAUSE:
  case PYK_WHILE_STATEMENT:
  case PYK_CONDITIONAL_EXPRESSION:
    if (!forward_is_conditional(forward, node))
      check_branch(forward, node);
    break;
  case PYK_COMPARISON_OPERATOR:
    if (forward_searches_tensor(forward, node) && !forward_is_conditional(forward, node))
      say_frozen(forward, node, "`in` compares tensors as Python does");
    break;
  case PYK_FOR_STATEMENT:
  case PYK_FOR_IN_CLAUSE:
    if (!forward_is_conditional(forward, node))
      check_loop(forward, node);
    break;
  case PYK_ATTRIBUTE:
    if (!forward_is_conditional(forward, node))
      check_attribute(forward, node);
    break;
  case PYK_IDENTIFIER:
    if (!forward_is_conditional(forward, node))
      traced_foreign_check_name(forward, node);
    break;
  case PYK_ASSIGNMENT:
    check_state(forward, node);
    break;
  case PYK_AUGMENTED_ASSIGNMENT:
    traced_writes_check_sum(forward, node);
    break;
  case PYK_SUBSCRIPT:
    check_subscript(forward, node);
    break;
  default:
    break;
  }
}

static void check_forward(Forward forward, uint32_t function)
{
  const PyModel *model = forward.model;
  forward.function = function;
  PyRef body = model->functions.items[function].body;
  uint32_t seen = 0;
  for (PyRef node = body; node && node < model->tree.nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    if (py_runs_elsewhere(kind))
      node = model->tree.nodes[node].next - 1;  // A function in it runs elsewhere.
    else
      check_tracing_node(&forward, node);
  }
}

/// A class in a function is exported by what calls the function: is there an export in it, or does anything name it?
static bool may_leave_function(const PyModel *model, PyRef class_node)
{
  uint32_t outer = PY_ABSENT;
  for (uint32_t scope = py_model_scope_of(model, class_node); scope != PY_ABSENT;
       scope = model->functions.items[scope].parent)
    outer = scope;
  if (outer == PY_ABSENT)
    return true;
  const PyFunction *function = &model->functions.items[outer];
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    PyRef node = model->calls.items[model->exports.items[i]].node;
    if (node > function->node && node < model->tree.nodes[function->node].next)
      return true;
  }
  Str text = model->tree.text;
  size_t first = str_find(text, function->name, 0);
  return first == STR_NOT_FOUND || str_find(text, function->name, first + 1) != STR_NOT_FOUND;
}

/// Is it a module that an export reaches?
static bool is_exported(const PyModel *model, PyRef class_node, const bool *reached)
{
  for (size_t i = 0; i < model->classes.count; i++) {
    if (model->classes.items[i].node == class_node)
      return model->classes.items[i].is_module && reached[i];
  }
  return false;
}

/// Whether the file scripts models. Then nothing is certain about tracing.
static bool has_scripting(const PyModel *model)
{
  return py_model_mentions(model, "jit.script");
}

/// A module that is there for training only, as far as its name tells: it is not what a file exports.
static bool is_for_training(const PyModel *model, PyRef class_node)
{
  static const char *const words[] = { "Loss", "loss", "Criterion", "Metric", "Trainer" };
  PyRef name = py_child(&model->tree, class_node, PY_F_NAME);
  return name && str_contains_one_of(py_text(&model->tree, name), words, COUNT(words));
}

static bool has_dynamic_axes(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    if (export_may_have(&export, "dynamic_axes"))
      return true;
  }
  return false;
}

/// Whether all exports leave it to the TorchScript exporter that the model is not trained.
static bool is_evaluated(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    if (export.kind != EXPORT_TRACES || export_may_have(&export, "training"))
      return false;
  }
  return model->exports.count > 0;
}

/// Whether torch.export runs models of the file, too.
static bool has_captures(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    if (export_call(sink, i).kind == EXPORT_DYNAMO)
      return true;
  }
  return false;
}

static void check_modules(DiagSink *sink, bool *tensor_params, const bool *flag_params, uint32_t *open_axes,
                          ExportedFunctions *functions, ExportedReach reach)
{
  const PyModel *model = sink_python(sink)->model;
  const bool *reached = export_reached_classes(sink, EXPORT_DYNAMO);
  ModuleParts parts = module_parts(model, sink->arena);
  TracedSupport support = traced_support(sink, &reach);
  TracedWeights weights = { 0 };
  Forward forward = { .sink = sink,
                      .model = model,
                      .support = &support,
                      .weights = &weights,
                      .tensor_params = tensor_params,
                      .flag_params = flag_params,
                      .open_axes = open_axes,
                      .is_traced = true,
                      .is_evaluated = is_evaluated(sink),
                      .is_captured = has_captures(sink),
                      .parts = &parts,
                      .has_dynamic_axes = (reach.runs & MODEL_HAS_AXES) != 0 || has_dynamic_axes(sink),
                      .steps = PY_TRACING_WORK };
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->class_node && str_equal(function->name, STR("forward")) && function->outer == function->node &&
        is_exported(model, function->class_node, reached) && !is_for_training(model, function->class_node) &&
        may_leave_function(model, function->class_node))
      exported_code_add(functions, i);
  }
  exported_code_follow(&forward, tensor_params, open_axes, functions);
  for (size_t i = 0; i < functions->count; i++) {
    if (!exported_code_has_symbolic(&forward, functions->items[i]))
      check_forward(forward, functions->items[i]);
  }
}

// --- export-structure ---

static void say_structure(DiagSink *sink, PyRef node, Str message)
{
  py_say(sink, RULE_EXPORT_STRUCTURE, OWN, node, message, NULL);
}

/// `3`, `len(self.layers)`, `x.sum().item()`: a number of Python. Run with torch 1.13 and 2.6; x.shape[0] is a tensor
/// in a trace.
static bool is_number(const PyModel *model, PyRef node)
{
  static const char *const functions[] = { "len", "int", "float", "bool" };
  PyNodeKind kind = py_kind(&model->tree, node);
  if (kind == PYK_INTEGER || kind == PYK_FLOAT || kind == PYK_TRUE || kind == PYK_FALSE)
    return true;
  const PyCall *call = py_model_call(model, node);
  if (!call || call->has_splat || call->has_dictionary_splat)
    return false;
  if (py_kind(&model->tree, call->function_node) == PYK_IDENTIFIER)
    return call->argument_count == 1 && str_is_one_of(call->qualified, functions, COUNT(functions));
  Str method = py_tree_member_name(&model->tree, call->function_node);
  return call->argument_count == 0 && str_equal(method, STR("item"));
}

/// `tuple(int(s) for s in x.shape)` and `[int(s) for s in x.shape]`
static bool are_numbers(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, node);
  bool is_copy = call && (str_equal(call->qualified, STR("tuple")) || str_equal(call->qualified, STR("list")));
  for (PY_EACH_CHILD(tree, child, is_copy ? node : 0)) {
    if (py_kind(tree, child) == PYK_GENERATOR_EXPRESSION)
      node = child;
  }
  PyNodeKind kind = py_kind(tree, node);
  return (kind == PYK_GENERATOR_EXPRESSION || kind == PYK_LIST_COMPREHENSION) &&
         is_number(model, py_first_child(tree, node));
}

/// `self.classes` of a model that was made with a number for it.
static bool is_own_number(const ExportCall *export, const ExportModel *made, PyRef value)
{
  const PyModel *model = export->model;
  Str name = py_tree_own_name(&model->tree, value);
  PyRef part = name.len > 0 && export->parts ? module_parts_unchanged(export->parts, model, made->class_node, name) : 0;
  ModuleMaker outer = { .model = model, .parts = export->parts };
  ModuleMaker maker = {
    .model = model, .parts = export->parts, .call = made->made, .class_node = made->class_node, .outer = &outer
  };
  int64_t number;
  return part && (is_number(model, part) || module_maker_int(&maker, value, &number));
}

static void check_number(const ExportCall *export, const ExportModel *made, PyRef value, PyRef known)
{
  if (is_number(export->model, known) || are_numbers(export->model, known) || is_own_number(export, made, value))
    py_say(export->sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR, value,
           STR("The TorchScript exporter fails on a number among the outputs: return tensors only."), NULL);
}

/// What is in a tuple, a list or a dict that is one of the outputs, and in those in it.
static void check_parts(const ExportCall *export, const ExportModel *made, PyRef container)
{
  const PyTree *tree = &export->model->tree;
  for (PyRef node = container + 1; node < tree->nodes[container].next; node++) {
    PyNodeKind kind = py_kind(tree, node);
    PyNodeKind around = py_kind(tree, tree->nodes[node].parent);
    bool is_key = around == PYK_PAIR && tree->nodes[node].field == PY_F_KEY;
    if (!is_key && (kind == PYK_TUPLE || kind == PYK_LIST || kind == PYK_DICTIONARY || kind == PYK_PAIR))
      continue;
    if (!is_key)
      check_number(export, made, node, py_model_resolve(export->model, node));
    node = tree->nodes[node].next - 1;
  }
}

/// One value that forward() returns, or the tuple of them.
static void check_output(const ExportCall *export, const ExportModel *made, PyRef value, bool is_element)
{
  const PyTree *tree = &export->model->tree;
  PyRef known = py_model_resolve(export->model, value);
  check_number(export, made, value, known);
  PyNodeKind kind = py_kind(tree, value);
  if (kind == PYK_TUPLE || kind == PYK_LIST || kind == PYK_DICTIONARY)
    check_parts(export, made, value);
  switch (py_kind(tree, known)) {
  case PYK_DICTIONARY:
    say_structure(export->sink, value,
                  STR("The dict is flattened: the exported model has its values as outputs, and the keys are lost."));
    break;
  case PYK_STRING:
  case PYK_NONE:
    if (is_element)
      say_structure(export->sink, value,
                    arena_printf(export->sink->arena,
                                 "%s is left out: only tensors become outputs of the exported model.",
                                 py_kind(tree, known) == PYK_NONE ? "None" : "The string"));
    break;
  default:
    break;
  }
}

/// What forward() surely returns, if its class is the one that is exported: a `return` that no condition decides on.
static void check_result(const ExportCall *export, const ExportModel *made)
{
  const PyTree *tree = &export->model->tree;
  PyRef body = made->forward == PY_ABSENT ? 0 : export->model->functions.items[made->forward].body;
  Forward forward = { .sink = export->sink, .model = export->model, .function = made->forward };
  if (body)
    forward_check_generator(&forward);
  for (PyRef node = body ? py_first_child(tree, body) : 0; node; node = py_next_sibling(tree, node)) {
    PyRef condition = py_kind(tree, node) == PYK_IF_STATEMENT ? py_child(tree, node, PY_F_CONDITION) : 0;
    if (condition && forward_asks_about_export(py_text(tree, condition)))
      return;  // An export may leave there.
    PyRef value = py_kind(tree, node) == PYK_RETURN_STATEMENT ? py_first_child(tree, node) : 0;
    value = value ? py_tree_strip(tree, value) : 0;
    if (!value)
      continue;
    forward_check_output(&forward, value);
    if (py_kind(tree, value) != PYK_TUPLE && py_kind(tree, value) != PYK_EXPRESSION_LIST) {
      check_output(export, made, value, false);
      continue;
    }
    for (PY_EACH_ELEMENT(tree, item, value)) {
      check_output(export, made, item, true);
      forward_check_output(&forward, item);
    }
  }
}

static void check_arguments(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  if (!args || py_kind(tree, args) != PYK_TUPLE)
    return;
  for (PY_EACH_ELEMENT(tree, item, args)) {
    PyNodeKind kind = py_kind(tree, item);
    if (kind == PYK_STRING || kind == PYK_NONE)
      say_structure(export->sink, item,
                    arena_printf(export->sink->arena,
                                 "The exported model has no input for %s: its value here is built in.",
                                 kind == PYK_NONE ? "None" : "a string"));
  }
}

void check_python_tracing(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool traces = false;
  bool *tensor_params = ARENA_ARRAY(sink->arena, bool, model->params.count);
  bool *flag_params = ARENA_ARRAY(sink->arena, bool, model->params.count);
  uint32_t *open_axes = ARENA_ARRAY(sink->arena, uint32_t, model->params.count);
  ExportedFunctions functions = { 0 };
  ModuleParts parts = { 0 };
  for (size_t i = 0; i < export_call_count(model); i++) {
    ExportCall export = export_call(sink, i);
    if (export.kind == EXPORT_DYNAMO)
      continue;
    parts = traces ? parts : module_parts(model, sink->arena);
    export.parts = &parts;
    traces = true;
    ExportModel made = export_model(&export);
    size_t before = functions.count;
    if (made.forward != PY_ABSENT) {
      forward_note_tensors(&export, &made, tensor_params);
      forward_note_axes(&export, &made, open_axes);
      traced_arguments_note_flags(&export, &made, flag_params);
      exported_code_add(&functions, made.forward);
    }
    if (functions.count > before)  // A class may be exported again and again.
      check_result(&export, &made);
    check_arguments(&export);
  }
  ExportedReach reach = { 0 };
  exported_code_reach(sink, MODEL_TRACED, tensor_params, &functions, &reach);
  for (size_t i = 0; i < export_call_count(model); i++) {
    ExportCall export = export_call(sink, i);
    if (export.kind != EXPORT_DYNAMO)
      exported_code_add_sequence(&export, tensor_params, &functions);
  }
  if ((traces || functions.count > 0) && !has_scripting(model))
    check_modules(sink, tensor_params, flag_params, open_axes, &functions, reach);
  vec_free(&functions);
}
