// Values of the graph in places where Python wants to iterate over them, count with them, or ask them for a truth
// value; and functions of torch called with what they don't take. torch 1.13, 2.6 and 2.14 agree on all.

#include "base/ascii.h"
#include "base/limits.h"
#include "python/rules/symbolic/value_check.h"

// --- Iteration ---

void value_check_number(DiagSink *sink, PyRef node)
{
  const PyFile *file = sink_python(sink);
  PyValue value = py_file_value(file, node);
  uint32_t scope = py_model_scope_of(file->model, node);
  const uint32_t symbolic = PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_HELPER;
  if (!py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL) || scope == PY_ABSENT ||
      !(file->model->functions.items[scope].roles & symbolic) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  Str text = str_slice(py_text(&file->model->tree, node), 0, 40);
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, node,
         arena_printf(sink->arena, "'%.*s' is %.*s, which has no elements.", STR_ARG(text),
                      STR_ARG(py_file_value_text(value, sink->arena))),
         NULL);
}

static void check_iterated(DiagSink *sink, PyRef iterable)
{
  value_check_number(sink, iterable);
  if (!value_is_of_graph(sink, iterable) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  Str text = str_slice(py_text(&sink_python(sink)->model->tree, iterable), 0, 40);
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, iterable,
         arena_printf(sink->arena,
                      "'%.*s' is a graph value, which Python can't go through; of a list, "
                      "symbolic_helper._unpack_list() gives the elements.",
                      STR_ARG(text)),
         NULL);
}

/// `a, b = values`, of which there are more or fewer.
static void check_unpacked(DiagSink *sink, PyRef pattern, PyRef value)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  int count = value_graph_values(sink, value);
  int names = 0;
  for (PY_EACH_CHILD(tree, child, pattern)) {
    if (str_starts_with(py_text(tree, child), STR("*")))
      return;
    names++;
  }
  PyNodeKind kind = py_kind(tree, py_tree_strip(tree, value));
  if (count >= 0 && names != count && kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST && kind != PYK_LIST)
    value_say_count(sink, pattern, value, count);
}

/// `a, b = value`, `[x for x in value]`, `for x in value`, `*value`
static void check_iteration(DiagSink *sink, PyRef node)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT);
  PyRef right = py_child(tree, node, PY_F_RIGHT);
  switch (py_kind(tree, node)) {
  case PYK_FOR_STATEMENT:
  case PYK_FOR_IN_CLAUSE:
    check_iterated(sink, right);
    return;
  case PYK_LIST_SPLAT:
    check_iterated(sink, py_first_child(tree, node));
    return;
  case PYK_ASSIGNMENT:
    if (left && right && (py_kind(tree, left) == PYK_PATTERN_LIST || py_kind(tree, left) == PYK_TUPLE_PATTERN))
      check_iterated(sink, right);
    if (left && right && (py_kind(tree, left) == PYK_PATTERN_LIST || py_kind(tree, left) == PYK_TUPLE_PATTERN))
      check_unpacked(sink, left, right);
    return;
  default:
    return;
  }
}

// --- Truth ---

/// torch's own functions call each other with Python's values, and so may others that are called; symbolic() of an
/// autograd function gets a real None.
bool value_may_be_python(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  uint32_t scope = py_model_scope_of(model, node);
  const uint32_t roles = PY_ROLE_CALLED | PY_ROLE_AUTOGRAD;
  return py_is_torch_itself(model) || scope == PY_ABSENT || (model->functions.items[scope].roles & roles) != 0;
}

static void say_silent(DiagSink *sink, PyRef node, PyRef value, const char *what)
{
  if (value_may_be_python(sink, value) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, SEVERITY_WARNING))
    return;
  Str text = str_slice(py_text(&sink_python(sink)->model->tree, value), 0, 40);
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, SEVERITY_WARNING, node,
         arena_printf(sink->arena, "'%.*s' is a graph value, %s whatever it stands for.", STR_ARG(text), what), NULL);
}

static void check_truth(DiagSink *sink, PyRef condition)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  condition = condition ? py_tree_strip(tree, condition) : 0;
  if (condition && py_kind(tree, condition) == PYK_NOT_OPERATOR)
    condition = py_tree_strip(tree, py_child(tree, condition, PY_F_ARGUMENT));
  if (condition && py_kind(tree, condition) == PYK_IDENTIFIER && value_is_of_graph(sink, condition))
    say_silent(sink, condition, condition, "which is true");
}

/// `approximate in ("tanh", "none")`
static void check_membership(DiagSink *sink, PyRef node, PyRef left, PyRef list)
{
  const uint32_t python = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING;
  PyValue value = py_file_value(sink_python(sink), list);
  if (py_file_is_only(value, PY_LIST) && value.elements != 0 && (value.elements & ~python) == 0 &&
      value_is_of_graph(sink, left))
    say_silent(sink, node, left, "which equals no Python value");
}

/// `alpha == 1.0`: a value of the graph equals nothing but itself.
static void check_equality(DiagSink *sink, PyRef node)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  PyComparison at = py_tree_comparison(tree, node);
  if (!at.right)
    return;
  Str op = py_text(tree, at.sign);
  if (str_equal(op, STR("in")) || str_equal(op, STR("not in"))) {
    check_membership(sink, node, at.left, at.right);
    return;
  }
  if (!str_equal(op, STR("==")) && !str_equal(op, STR("!=")))
    return;
  PyRef value = value_is_of_graph(sink, at.left) ? at.left : value_is_of_graph(sink, at.right) ? at.right : 0;
  PyRef other = value == at.left ? at.right : at.left;
  const uint32_t python = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING;
  if (value && py_file_is_only(py_file_value(file, other), python))
    say_silent(sink, node, value, str_equal(op, STR("==")) ? "which equals no Python value" : "which differs from it");
}

// --- Calls ---

/// Functions of torch that answer for any Python object.
static bool takes_anything(Str name)
{
  static const char *const names[] = { "is_tensor", "is_storage", "typename", "Size", "device", "dtype", "is_complex" };
  return str_is_one_of(name, names, COUNT(names));
}

static Str torch_function(Str qualified)
{
  static const char *const modules[] = { "torch.nn.functional.", "torch.special.", "torch.linalg.", "torch.fft.",
                                         "torch." };
  for (size_t i = 0; i < COUNT(modules); i++) {
    Str module = str_from(modules[i]);
    Str name = str_starts_with(qualified, module) ? str_slice(qualified, module.len, qualified.len) : (Str){ 0 };
    if (name.len > 0 && str_find_char(name, '.', 0) == STR_NOT_FOUND)
      return takes_anything(name) ? (Str){ 0 } : name;
  }
  return (Str){ 0 };
}

/// Whether it is a value of the graph, or a list with one in it, however deep the text shows that.
static bool holds_graph_value(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef list = py_model_resolve(model, node);
  if (value_is_of_graph(sink, node) || value_graph_values(sink, node) > 0)
    return true;
  for (PyRef at = list; at < tree->nodes[list].next && at - list < PY_ELEMENT_LIMIT;) {
    PyNodeKind kind = py_kind(tree, at);
    bool is_list = kind == PYK_LIST || kind == PYK_TUPLE;
    if (!is_list && at != list && value_is_of_graph(sink, at))
      return true;
    at = is_list ? at + 1 : tree->nodes[at].next;
  }
  return false;
}

/// `torch.relu(value)`: torch computes with tensors, which a value of the graph is not.
static void check_torch(DiagSink *sink, const PyCall *call, const PyArgument *first)
{
  Str name = torch_function(call->qualified);
  if (name.len == 0 || !holds_graph_value(sink, first->value))
    return;
  Str text = str_slice(py_text(&sink_python(sink)->model->tree, first->value), 0, 40);
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, call->node,
         arena_printf(sink->arena,
                      "%.*s() takes tensors, and '%.*s' is of the graph: make a node of the ONNX operator with g.op().",
                      STR_ARG(call->qualified), STR_ARG(text)),
         NULL);
}

/// `layer(value)`, where the layer is one of torch.nn's.
static void check_layer(DiagSink *sink, const PyCall *call, const PyArgument *first)
{
  const PyModel *model = sink_python(sink)->model;
  if (!value_is_of_graph(sink, first->value) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  const PyCall *made = py_model_call(model, py_model_resolve(model, call->function_node));
  Str name = made ? made->qualified : (Str){ 0 };
  size_t dot = str_rfind_char(name, '.');
  if (!str_starts_with(name, STR("torch.nn.")) || dot + 1 >= name.len || !ascii_is_upper(name.data[dot + 1]))
    return;
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, call->node,
         arena_printf(sink->arena,
                      "A layer takes tensors, and '%.*s' is of the graph: make nodes of ONNX operators with g.op().",
                      STR_ARG(str_slice(py_text(&model->tree, first->value), 0, 40))),
         NULL);
}

/// `layer(value)`, where a parameter of symbolic() is called: it is what apply() was given, a layer or a function of
/// tensors. One that makes nodes gets the graph, too.
static void check_parameter_called(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  const PyBinding *binding = py_model_binding_of(model, call->scope, call->function_node);
  bool has_value = false;
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->scope == PY_ABSENT ||
      (model->functions.items[binding->scope].roles & PY_ROLE_AUTOGRAD) == 0 || call->has_splat ||
      py_file_value(file, call->function_node).kinds != 0)
    return;
  for (uint32_t i = 0; i < call->argument_count && i < PY_KEYWORD_LIMIT; i++) {
    PyRef value = py_model_arguments(model, call)[i].value;
    has_value |= value_is_of_graph(sink, value);
    if (py_file_value(file, value).kinds & PY_GRAPH)
      return;
  }
  if (has_value && sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    py_say(
        sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, call->node,
        arena_printf(sink->arena,
                     "'%.*s' is what apply() was given, which takes tensors, and this gives it a value of the graph: "
                     "call it before apply(), or make nodes with g.op().",
                     STR_ARG(binding->name)),
        NULL);
}

/// Whether a builtin goes through its arguments: zip(), and sum() and max() of one.
static bool goes_through(Str name, uint32_t arguments)
{
  static const char *const sequences[] = { "zip", "enumerate", "set",    "reversed", "iter", "all",
                                           "any", "sum",       "sorted", "len",      "list", "tuple" };
  bool is_extreme = str_equal(name, STR("max")) || str_equal(name, STR("min"));
  return str_is_one_of(name, sequences, COUNT(sequences)) || (is_extreme && arguments == 1);
}

/// What is said of len(), list() and tuple() of a value of the graph is a conversion.
static bool is_conversion(Str name)
{
  static const char *const names[] = { "len", "list", "tuple" };
  return str_is_one_of(name, names, COUNT(names));
}

/// What a function of Python, math or numpy does with its arguments that a value of the graph can't; NULL if it can. Of
/// a list, `ret_least` is how many values fail; 0 if none do.
static const char *refused_use(Str name, uint32_t arguments, int *ret_least)
{
  static const char *const numbers[] = { "abs", "round", "divmod", "pow" };
  static const char *const arrays[] = { "sqrt",     "exp",     "log",     "log2",    "log10",   "floor",    "ceil",
                                        "round",    "rint",    "trunc",   "abs",     "power",   "add",      "subtract",
                                        "multiply", "divide",  "minimum", "maximum", "clip",    "mean",     "sin",
                                        "cos",      "tanh",    "float16", "float32", "float64", "int8",     "int16",
                                        "int32",    "int64",   "uint8",   "mod",     "sign",    "square",   "negative",
                                        "around",   "full",    "arange",  "zeros",   "ones",    "linspace", "exp2",
                                        "expm1",    "log1p",   "sinh",    "cosh",    "tan",     "arcsin",   "arccos",
                                        "arctan",   "arctan2", "fmod",    "hypot",   "matmul",  "dot" };
  bool is_extreme = str_equal(name, STR("max")) || str_equal(name, STR("min"));
  Str numpy = STR("numpy.");
  *ret_least = str_equal(name, STR("sum")) || str_starts_with(name, STR("math.")) ? 1
               : is_extreme || str_equal(name, STR("sorted"))                     ? 2
                                                                                  : 0;
  if (goes_through(name, arguments))
    return is_conversion(name) ? NULL : "go through it";
  bool computes =
      str_starts_with(name, STR("numpy.linalg.")) || is_extreme || str_is_one_of(name, numbers, COUNT(numbers)) ||
      str_starts_with(name, STR("math.")) ||
      (str_starts_with(name, numpy) && str_is_one_of(str_slice(name, numpy.len, name.len), arrays, COUNT(arrays)));
  static const char *const operators[] = { "operator.add", "operator.sub",      "operator.mul", "operator.truediv",
                                           "operator.neg", "operator.floordiv", "operator.pow", "operator.matmul",
                                           "operator.lt",  "operator.gt" };
  return computes || str_is_one_of(name, operators, COUNT(operators)) ? "compute with it" : NULL;
}

static void check_builtin(DiagSink *sink, const PyCall *call, const PyArgument *first)
{
  Str name = call->qualified.len > 0 ? call->qualified : py_text(&sink_python(sink)->model->tree, call->function_node);
  int least;
  const char *use = refused_use(name, call->argument_count, &least);
  if (goes_through(name, call->argument_count) && first->keyword.len == 0 && !first->is_splat &&
      py_model_lookup(sink_python(sink)->model, call->scope, name) == PY_ABSENT)
    value_check_number(sink, first->value);
  if (!use || py_model_lookup(sink_python(sink)->model, call->scope, name) != PY_ABSENT)
    return;
  for (uint32_t i = 0; i < call->argument_count && i < PY_KEYWORD_LIMIT; i++) {
    const PyArgument *argument = first + i;
    bool is_list = least > 0 && value_graph_values(sink, argument->value) >= least;
    if (argument->keyword.len > 0 || !(is_list || value_is_of_graph(sink, argument->value)))
      continue;
    if (is_list)
      value_say(sink, call->node, argument->value, OWN, "compute with its elements");
    else
      value_say(sink, call->node, argument->value, OWN, use);
    return;
  }
}

/// `map(float, values)`, `functools.reduce(operator.add, values)`
static void check_applied(DiagSink *sink, const PyCall *call, const PyArgument *first)
{
  static const char *const numbers[] = { "float", "int" };
  bool is_map = str_equal(call->qualified, STR("map"));
  if ((!is_map && !str_equal(call->qualified, STR("functools.reduce"))) || call->argument_count < 2)
    return;
  Arena *arena = sink->arena;
  PyRef list = first[1].value;
  PyValue value = py_file_value(sink_python(sink), list);
  Str name = py_model_qualified(sink_python(sink)->model, first->value, arena);
  int least;
  const char *use = refused_use(name, is_map ? 1 : 2, &least);
  bool is_number = is_map && str_is_one_of(name, numbers, COUNT(numbers));
  if ((use || is_number) && py_file_is_only(value, PY_LIST) && value.elements == PY_VALUE && value.length != 0)
    value_say(sink, call->node, list, OWN, "compute with its elements");
}

/// `"{:.2f}".format(value)`: a value of the graph is written without a format, and with no other.
static void check_formatted(DiagSink *sink, const PyCall *call, const PyArgument *first)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef function = call->function_node;
  PyRef object = py_tree_object(&model->tree, function);
  Str text;
  if (!object || !str_equal(py_tree_member_name(&model->tree, function), STR("format")) ||
      !py_model_string(model, object, sink->arena, &text))
    return;
  size_t open = 0;
  for (uint32_t i = 0; i < call->argument_count && i < PY_KEYWORD_LIMIT; i++, open++) {
    open = str_find_char(text, '{', open);
    // Only fields in order, of which none is named.
    if (open == STR_NOT_FOUND || open + 1 >= text.len || !strchr(":}", text.data[open + 1]))
      return;
    bool has_format = text.data[open + 1] == ':' && open + 2 < text.len && text.data[open + 2] != '}';
    if (has_format && first[i].keyword.len == 0 && value_is_of_graph(sink, first[i].value))
      value_say(sink, first[i].value, first[i].value, OWN, "write it as a number");
  }
}

/// `numpy.asarray(value)`: an array with that one object in it, which nothing can compute with.
static void check_array(DiagSink *sink, const PyCall *call, const PyArgument *first)
{
  bool makes_array = str_equal(call->qualified, STR("numpy.asarray")) || str_equal(call->qualified, STR("numpy.array"));
  if (makes_array && holds_graph_value(sink, first->value))
    value_say(sink, call->node, first->value, SEVERITY_WARNING, "make numbers of it");
}

static void check_call(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  value_check_helper(sink, call);
  value_check_blocks(sink, call);
  value_check_own_call(sink, call);
  value_check_recursion(sink, call);
  value_check_node_call(sink, call);
  if (call->argument_count == 0)
    return;
  value_check_script_op(sink, call);
  const PyArgument *first = py_model_arguments(model, call);
  if (first->keyword.len > 0 || first->is_splat || first->is_dictionary_splat)
    return;
  if (str_starts_with(call->qualified, STR("torch.")))
    check_torch(sink, call, first);
  else
    check_builtin(sink, call, first);
  check_applied(sink, call, first);
  check_formatted(sink, call, first);
  check_layer(sink, call, first);
  check_parameter_called(sink, call);
  check_array(sink, call, first);
  value_check_type_call(sink, call, first);
}

void value_check_uses(DiagSink *sink, PyRef node)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  switch (py_kind(tree, node)) {
  case PYK_FOR_STATEMENT:
  case PYK_FOR_IN_CLAUSE:
  case PYK_LIST_SPLAT:
  case PYK_ASSIGNMENT:
    check_iteration(sink, node);
    return;
  case PYK_IF_STATEMENT:
  case PYK_ELIF_CLAUSE:
  case PYK_WHILE_STATEMENT:
    check_truth(sink, py_child(tree, node, PY_F_CONDITION));
    return;
  case PYK_COMPARISON_OPERATOR:
    check_equality(sink, node);
    return;
  default:
    return;
  }
}

void value_check_calls(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->calls.count; i++)
    check_call(sink, &model->calls.items[i]);
}
