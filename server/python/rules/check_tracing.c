// What a trace can't see: Python values that are taken out of tensors in forward(), and structures that it flattens.
// Only what surely is a tensor counts: parameters that are annotated so, and what PyTorch makes of them or of other
// parameters.

#include "base/limits.h"
#include "base/vec.h"
#include "python/rules/export_call.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

// --- Tensors ---

/// Methods and functions of torch that make one tensor of a tensor.
static bool makes_tensor(Str name)
{
  static const char *const names[] = {
    "abs",     "add",    "all",     "any",    "argmax",    "argmin",    "bmm",  "cat",     "ceil",
    "clamp",   "clone",  "cos",     "cumsum", "detach",    "div",       "exp",  "expand",  "flatten",
    "floor",   "gather", "log",     "matmul", "mean",      "mm",        "mul",  "norm",    "permute",
    "pow",     "relu",   "reshape", "round",  "rsqrt",     "sigmoid",   "sin",  "softmax", "sqrt",
    "squeeze", "sub",    "sum",     "tanh",   "transpose", "unsqueeze", "view", "where",
  };
  return str_is_one_of(name, names, COUNT(names));
}

/// Functions that take nothing but a tensor, or a list of them, and make one tensor of it: what is given is one, too.
static bool wants_tensor(Str name)
{
  static const char *const names[] = {
    "abs",     "all",       "any",         "argmax",  "argmin", "bmm",       "cat",         "ceil",
    "clamp",   "clone",     "cos",         "cumsum",  "exp",    "flatten",   "floor",       "gather",
    "isnan",   "isinf",     "isfinite",    "log",     "matmul", "mean",      "mm",          "nonzero",
    "permute", "relu",      "reshape",     "round",   "rsqrt",  "sigmoid",   "sin",         "softmax",
    "sqrt",    "squeeze",   "stack",       "sum",     "tanh",   "transpose", "unsqueeze",   "count_nonzero",
    "gelu",    "normalize", "log_softmax", "one_hot", "linear", "conv2d",    "interpolate", "grid_sample",
  };
  return str_is_one_of(name, names, COUNT(names));
}

static bool is_tensor_annotation(const PyModel *model, PyRef annotation)
{
  PyRef type = annotation ? py_first_child(&model->tree, annotation) : 0;
  if (!type)
    return false;
  Arena arena = { 0 };
  Str name = py_model_qualified(model, type, &arena);
  bool found = str_equal(name, STR("torch.Tensor"));
  arena_done(&arena);
  return found;
}

/// The forward() that is looked at.
typedef struct Forward {
  DiagSink *sink;
  const PyModel *model;
  uint32_t function;
  uint32_t names[PY_EXPRESSION_DEPTH];  ///< First bindings of the names that are being looked at: `x = x + 1` asks for
                                        ///< itself.
  int name_count;
  int steps;  ///< How many expressions may still be looked at.
} Forward;

static bool is_tensor(Forward *forward, PyRef node, int depth);

static bool are_tensors(Forward *forward, uint32_t at, int depth)
{
  const PyModel *model = forward->model;
  for (; at != PY_ABSENT; at = model->bindings.items[at].next) {
    const PyBinding *binding = &model->bindings.items[at];
    bool is_one = false;
    if (binding->kind == PY_BIND_PARAM)
      is_one = is_tensor_annotation(model, model->params.items[binding->index].annotation);
    else if (binding->kind == PY_BIND_ASSIGN && binding->value)
      is_one = is_tensor(forward, binding->value, depth);
    if (!is_one)
      return false;
  }
  return true;
}

/// A name that is only ever bound to tensors.
static bool is_tensor_name(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  uint32_t first = py_model_lookup(model, forward->function, py_text(&model->tree, node));
  if (first == PY_ABSENT || model->bindings.items[first].scope != forward->function)
    return false;
  for (int i = 0; i < forward->name_count; i++) {
    if (forward->names[i] == first)
      return true;
  }
  if (forward->name_count == PY_EXPRESSION_DEPTH)
    return false;
  forward->names[forward->name_count++] = first;
  bool yes = are_tensors(forward, first, depth - 1);
  forward->name_count--;
  return yes;
}

/// Whether a call of torch takes its axis. Then torch.max() gives a pair.
static bool has_one_argument(const PyCall *call)
{
  return call->argument_count == 1 && !call->has_splat && !call->has_dictionary_splat;
}

/// Whether the expression is made of a parameter of forward(), whatever it is: the name, a part of it, a method's
/// result, a list that begins with it.
static bool comes_from_input(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  for (int depth = 0; depth < PY_EXPRESSION_DEPTH && forward->steps-- > 0; depth++) {
    node = node ? py_tree_strip(tree, node) : 0;
    switch (py_kind(tree, node)) {
    case PYK_IDENTIFIER: {
      uint32_t at = py_model_lookup(model, forward->function, py_text(tree, node));
      if (at == PY_ABSENT || model->bindings.items[at].scope != forward->function ||
          model->bindings.items[at].kind != PY_BIND_PARAM)
        return false;
      uint32_t param = model->bindings.items[at].index;
      // What has a default may not be given in an export.
      return param != model->functions.items[forward->function].first_param &&
             !model->params.items[param].default_value;
    }
    case PYK_SUBSCRIPT:
      node = py_child(tree, node, PY_F_VALUE);
      break;
    case PYK_CALL: {
      PyRef function = py_child(tree, node, PY_F_FUNCTION);
      node = function && py_kind(tree, function) == PYK_ATTRIBUTE ? py_child(tree, function, PY_F_OBJECT) : 0;
      break;
    }
    case PYK_BINARY_OPERATOR:
      node = py_child(tree, node, PY_F_LEFT);
      break;
    case PYK_COMPARISON_OPERATOR:
    case PYK_LIST:
    case PYK_TUPLE:
      node = py_tree_first_element(tree, node);
      break;
    default:
      return false;
    }
  }
  return false;
}

/// Whether it is a function of torch that gives a tensor, made of something that an input gives.
static bool is_torch_result(Forward *forward, const PyCall *call, int depth)
{
  Str name = call->qualified;
  Str functional = STR("torch.nn.functional.");
  bool is_functional = str_starts_with(name, functional);
  if (!is_functional && !str_starts_with(name, STR("torch.")))
    return false;
  name = str_slice(name, is_functional ? functional.len : STR("torch.").len, name.len);
  const PyArgument *first = py_model_argument(forward->model, call, 0, NULL);
  bool is_extreme = has_one_argument(call) && (str_equal(name, STR("max")) || str_equal(name, STR("min")));
  // With as_tuple, it is a tuple.
  bool is_several = str_equal(name, STR("nonzero")) && !has_one_argument(call);
  if (!first || is_several)
    return false;
  if (is_extreme || wants_tensor(name))
    return comes_from_input(forward, first->value) || is_tensor(forward, first->value, depth - 1);
  return makes_tensor(name) && is_tensor(forward, first->value, depth - 1);
}

/// Methods that only tensors have, as far as what a model is called with goes: what they give is one.
static bool is_tensor_method(Str name)
{
  static const char *const names[] = { "abs",  "all",     "any",       "argmax",  "argmin",    "cumsum", "exp",
                                       "mean", "permute", "reshape",   "sigmoid", "softmax",   "sqrt",   "squeeze",
                                       "sum",  "tanh",    "transpose", "view",    "unsqueeze", "clamp" };
  return str_is_one_of(name, names, COUNT(names));
}

static bool is_tensor_call(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  uint32_t index = py_model_call_at(model, node);
  if (index == PY_ABSENT)
    return false;
  const PyCall *call = &model->calls.items[index];
  if (str_starts_with(call->qualified, STR("torch.")))
    return is_torch_result(forward, call, depth);
  if (py_kind(tree, call->function_node) != PYK_ATTRIBUTE)
    return false;
  PyRef object = py_child(tree, call->function_node, PY_F_OBJECT);
  PyRef method = py_child(tree, call->function_node, PY_F_ATTRIBUTE);
  if (!object || !method)
    return false;
  // With an axis, these give a pair.
  Str text = py_text(tree, method);
  bool reduces = call->argument_count == 0 && (str_equal(text, STR("max")) || str_equal(text, STR("min")));
  if ((reduces || is_tensor_method(text)) && comes_from_input(forward, object))
    return true;
  return (reduces || makes_tensor(text)) && is_tensor(forward, object, depth - 1);
}

static bool is_tensor(Forward *forward, PyRef node, int depth)
{
  const PyTree *tree = &forward->model->tree;
  if (depth <= 0 || forward->steps-- <= 0)
    return false;
  node = py_tree_strip(tree, node);
  switch (py_kind(tree, node)) {
  case PYK_IDENTIFIER:
    return is_tensor_name(forward, node, depth);
  case PYK_CALL:
    return is_tensor_call(forward, node, depth);
  case PYK_BINARY_OPERATOR:
    return is_tensor(forward, py_child(tree, node, PY_F_LEFT), depth - 1);
  case PYK_COMPARISON_OPERATOR: {
    PyRef sign = py_child(tree, node, PY_F_OPERATORS);
    Str text = sign ? py_text(tree, sign) : (Str){ 0 };
    bool compares =
        text.len > 0 && (text.data[0] == '<' || text.data[0] == '>' || text.data[0] == '=' || text.data[0] == '!');
    return compares && is_tensor(forward, py_first_child(tree, node), depth - 1);
  }
  case PYK_SUBSCRIPT:
    return is_tensor(forward, py_child(tree, node, PY_F_VALUE), depth - 1);
  default:
    return false;
  }
}

// --- traced-constant ---

static void say_frozen(Forward *forward, PyRef node, const char *what)
{
  if (sink_wants(forward->sink, RULE_TRACED_CONSTANT, OWN))
    py_say(forward->sink, RULE_TRACED_CONSTANT, OWN, node,
           arena_printf(forward->sink->arena, "%s: the trace keeps what this run gives, for all inputs.", what), NULL);
}

static void check_tracing_call(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  uint32_t index = py_model_call_at(model, node);
  const PyCall *call = index == PY_ABSENT ? NULL : &model->calls.items[index];
  if (!call)
    return;
  static const struct {
    const char *name;
    const char *what;
  } functions[] = {
    { "int", "int() takes a number out of a tensor" },
    { "float", "float() takes a number out of a tensor" },
    { "bool", "bool() takes a truth value out of a tensor" },
    { "len", "len() takes the size out of a tensor; use x.shape[0]" },
  }, methods[] = {
    { "item", "item() takes a number out of a tensor" },
    { "tolist", "tolist() takes numbers out of a tensor" },
    { "numpy", "numpy() leaves PyTorch" },
  };
  for (size_t i = 0; i < COUNT(functions) && call->argument_count == 1; i++) {
    if (str_equal(call->qualified, str_from(functions[i].name)) &&
        is_tensor(forward, model->arguments.items[call->first_argument].value, PY_EXPRESSION_DEPTH))
      say_frozen(forward, node, functions[i].what);
  }
  PyRef function = call->function_node;
  PyRef object = py_kind(tree, function) == PYK_ATTRIBUTE ? py_child(tree, function, PY_F_OBJECT) : 0;
  PyRef method = object ? py_child(tree, function, PY_F_ATTRIBUTE) : 0;
  for (size_t i = 0; i < COUNT(methods) && method; i++) {
    if (str_equal(py_text(tree, method), str_from(methods[i].name)) && is_tensor(forward, object, PY_EXPRESSION_DEPTH))
      say_frozen(forward, node, methods[i].what);
  }
}

/// Whether a condition asks if this is an export, or training: `torch.onnx.is_in_onnx_export()` and the like.
static bool asks_about_export(Str condition)
{
  static const char *const words[] = { "is_in_onnx_export", "is_tracing", "is_scripting", "is_exporting",
                                       "is_compiling",      "training",   "onnx",         "export" };
  condition = str_slice(condition, 0, PY_CONDITION_LIMIT);
  return str_contains_one_of(condition, words, COUNT(words));
}

/// Only printed or checked: nothing of the graph depends on it.
static bool is_only_told(const PyTree *tree, PyRef node)
{
  PyNodeKind kind = py_kind(tree, node);
  PyRef function = kind == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
  Str name = function ? py_text(tree, function) : (Str){ 0 };
  return kind == PYK_ASSERT_STATEMENT || kind == PYK_RAISE_STATEMENT || str_equal(name, STR("print")) ||
         str_find(name, STR("log"), 0) == 0 || str_find(name, STR("warn"), 0) != STR_NOT_FOUND;
}

/// Whether the node is run only outside of an export, or made for it.
static bool is_conditional(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef function = forward->model->functions.items[forward->function].node;
  int depth = 0;
  for (PyRef at = node; at != function && at != 0 && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    PyRef condition = kind == PYK_IF_STATEMENT || kind == PYK_ELIF_CLAUSE ? py_child(tree, at, PY_F_CONDITION) : 0;
    Str text = condition                            ? py_text(tree, condition)
               : kind == PYK_CONDITIONAL_EXPRESSION ? py_text(tree, at)
                                                    : (Str){ 0 };
    if ((text.len > 0 && asks_about_export(text)) || is_only_told(tree, at))
      return true;
  }
  return false;
}

/// What decides in `not t` and `t and ...`: the part that is always asked.
static PyRef first_asked(const PyTree *tree, PyRef condition)
{
  for (int depth = 0; condition && depth < PY_EXPRESSION_DEPTH; depth++) {
    condition = py_tree_strip(tree, condition);
    PyNodeKind kind = py_kind(tree, condition);
    if (kind == PYK_NOT_OPERATOR)
      condition = py_child(tree, condition, PY_F_ARGUMENT);
    else if (kind == PYK_BOOLEAN_OPERATOR)
      condition = py_child(tree, condition, PY_F_LEFT);
    else
      return condition;
  }
  return condition;
}

static void check_tracing_node(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef value;
  switch (py_kind(tree, node)) {
  case PYK_CALL:
    if (!is_conditional(forward, node))
      check_tracing_call(forward, node);
    break;
  case PYK_IF_STATEMENT:
  case PYK_ELIF_CLAUSE:
  case PYK_WHILE_STATEMENT:
    value = first_asked(tree, py_child(tree, node, PY_F_CONDITION));
    if (value && is_tensor(forward, value, PY_EXPRESSION_DEPTH) && !is_conditional(forward, node))
      say_frozen(forward, value, "A branch depends on a tensor");
    break;
  case PYK_FOR_STATEMENT:
    value = py_child(tree, node, PY_F_RIGHT);
    if (value && is_tensor(forward, value, PY_EXPRESSION_DEPTH) && !is_conditional(forward, node))
      say_frozen(forward, value, "A loop runs over a tensor, and is unrolled");
    break;
  default:
    break;
  }
}

static void check_forward(DiagSink *sink, uint32_t function)
{
  const PyModel *model = sink_python(sink)->model;
  Forward forward = { .sink = sink, .model = model, .function = function, .steps = PY_TRACING_WORK };
  PyRef body = model->functions.items[function].body;
  uint32_t seen = 0;
  for (PyRef node = body; node && node < model->tree.nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    if (kind == PYK_FUNCTION_DEFINITION || kind == PYK_LAMBDA || kind == PYK_CLASS_DEFINITION)
      node = model->tree.nodes[node].next - 1;  // A function in it runs elsewhere.
    else
      check_tracing_node(&forward, node);
  }
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
  return str_find(model->tree.text, STR("jit.script"), 0) != STR_NOT_FOUND;
}

/// A module that is there for training only, as far as its name tells: it is not what a file exports.
static bool is_for_training(const PyModel *model, PyRef class_node)
{
  static const char *const words[] = { "Loss", "loss", "Criterion", "Metric", "Trainer" };
  PyRef name = py_child(&model->tree, class_node, PY_F_NAME);
  return name && str_contains_one_of(py_text(&model->tree, name), words, COUNT(words));
}

static void check_modules(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  const bool *reached = export_reached_classes(sink);
  int checked = 0;
  for (uint32_t i = 0; i < model->functions.count && checked < PY_EXPORT_LIMIT; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (!function->class_node || !str_equal(function->name, STR("forward")) || function->outer != function->node ||
        !is_exported(model, function->class_node, reached) || is_for_training(model, function->class_node))
      continue;
    check_forward(sink, i);
    checked++;
  }
}

// --- export-structure ---

static void say_structure(DiagSink *sink, PyRef node, Str message)
{
  if (sink_wants(sink, RULE_EXPORT_STRUCTURE, OWN))
    py_say(sink, RULE_EXPORT_STRUCTURE, OWN, node, message, NULL);
}

/// One value that forward() returns, or the tuple of them.
static void check_output(const ExportCall *export, PyRef value, bool is_element)
{
  const PyTree *tree = &export->model->tree;
  PyRef known = py_model_resolve(export->model, value);
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
  for (PyRef node = body ? py_first_child(tree, body) : 0; node; node = py_next_sibling(tree, node)) {
    PyRef condition = py_kind(tree, node) == PYK_IF_STATEMENT ? py_child(tree, node, PY_F_CONDITION) : 0;
    if (condition && asks_about_export(py_text(tree, condition)))
      return;  // An export may leave there.
    PyRef value = py_kind(tree, node) == PYK_RETURN_STATEMENT ? py_first_child(tree, node) : 0;
    value = value ? py_tree_strip(tree, value) : 0;
    if (!value)
      continue;
    if (py_kind(tree, value) != PYK_TUPLE && py_kind(tree, value) != PYK_EXPRESSION_LIST) {
      check_output(export, value, false);
      continue;
    }
    for (PyRef item = py_tree_first_element(tree, value); item; item = py_tree_next_element(tree, item))
      check_output(export, item, true);
  }
}

static void check_arguments(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  if (!args || py_kind(tree, args) != PYK_TUPLE)
    return;
  for (PyRef item = py_tree_first_element(tree, args); item; item = py_tree_next_element(tree, item)) {
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
  Vec(uint32_t) said = { 0 };  // Methods whose results were looked at: a class may be exported again and again.
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    if (export.kind == EXPORT_DYNAMO)
      continue;
    traces = true;
    ExportModel made = export_model(&export);
    bool is_new = made.forward != PY_ABSENT;
    for (size_t k = 0; k < said.count; k++)
      is_new &= said.items[k] != made.forward;
    if (is_new) {
      vec_push(&said, made.forward);
      check_result(&export, &made);
    }
    check_arguments(&export);
  }
  vec_free(&said);
  if (traces && !has_scripting(model))
    check_modules(sink);
}
