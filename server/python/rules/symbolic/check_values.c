// Values of the graph that are used as if they were Python's: python-operation-on-value, none-check-on-value.

#include "python/rules/export/export_call.h"
#include "python/rules/symbolic/value_check.h"

bool value_is_of_graph(DiagSink *sink, PyRef node)
{
  return node && py_file_is_only(py_file_value(sink_python(sink), node), PY_VALUE);
}

int value_graph_values(DiagSink *sink, PyRef node)
{
  PyValue value = py_file_value(sink_python(sink), node);
  return py_file_is_only(value, PY_LIST) && value.elements == PY_VALUE ? value.length : -1;
}

bool value_is_in_autograd(const PyFile *file, PyRef node)
{
  const PyModel *model = file->model;
  uint32_t scope = py_model_scope_of(model, node);
  while (scope != PY_ABSENT && (model->functions.items[scope].roles & PY_ROLE_AUTOGRAD) == 0)
    scope = model->functions.items[scope].parent;
  return scope != PY_ABSENT;
}

void value_say(DiagSink *sink, PyRef node, PyRef value, Severity severity, const char *what)
{
  if (!sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, severity))
    return;
  Str text = str_slice(py_text(&sink_python(sink)->model->tree, value), 0, 40);
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, severity, node,
         arena_printf(sink->arena, "'%.*s' %s; Python can't %s. Make a node with g.op(), or %s.", STR_ARG(text),
                      value_is_of_graph(sink, value) ? "is a graph value" : "holds graph values", what,
                      value_is_in_autograd(sink_python(sink), node) ? "pass a Python value to apply()"
                                                                    : "parse a constant with @parse_args"),
         NULL);
}

/// The letter of the next mark of a `%` template from `*at` on, and moves past it; 0 at its end, and for what takes
/// its width from the values or names them.
static char next_mark(Str text, size_t *at)
{
  while (*at < text.len) {
    if (text.data[(*at)++] != '%')
      continue;
    while (*at < text.len && strchr("0123456789.+-# ", text.data[*at]))
      (*at)++;
    char letter = *at < text.len ? text.data[(*at)++] : 0;
    if (letter != '%')
      return letter == '*' || letter == '(' ? 0 : letter;
  }
  return 0;
}

/// `"%d" % value`
static void check_template(DiagSink *sink, PyRef left, PyRef right)
{
  const PyModel *model = sink_python(sink)->model;
  Str text;
  right = py_tree_strip(&model->tree, right);
  bool is_tuple = py_kind(&model->tree, right) == PYK_TUPLE;
  PyRef item = is_tuple ? py_tree_first_element(&model->tree, right) : right;
  if (!py_model_string(model, left, sink->arena, &text))
    return;
  size_t at = 0;
  for (char letter = next_mark(text, &at); letter && item; letter = next_mark(text, &at)) {
    if (strchr("diouxXeEfFgG", letter) && value_is_of_graph(sink, item))
      value_say(sink, item, item, OWN, "write it as a number");
    item = is_tuple && !py_tree_is_splat(&model->tree, item) ? py_tree_next_element(&model->tree, item) : 0;
  }
}

/// What Python or the exporter passes: nothing that knows how to compute with a value of the graph.
static bool is_parameter(const PyModel *model, PyRef node)
{
  const PyBinding *binding = py_model_binding_at(model, node);
  return py_binding_is_only(binding, PY_BIND_PARAM) &&
         (model->functions.items[binding->scope].roles & (PY_ROLE_AUTOGRAD | PY_ROLE_REGISTERED));
}

static void check_binary(DiagSink *sink, PyRef node)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT);
  PyRef right = py_child(tree, node, PY_F_RIGHT);
  PyRef value = value_is_of_graph(sink, left) ? left : value_is_of_graph(sink, right) ? right : 0;
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  if (sign && str_starts_with(py_text(tree, sign), STR("%")) &&
      py_file_is_only(py_file_value(sink_python(sink), left), PY_STRING)) {
    check_template(sink, left, right);
    return;
  }
  if (!value)
    return;
  // A class of its own may know what to do.
  PyRef other = value == left ? right : left;
  PyValue of_other = py_file_value(sink_python(sink), other);
  bool is_passed = of_other.kinds == 0 && is_parameter(sink_python(sink)->model, other);
  if (!is_passed && !py_file_is_only(of_other, PY_VALUE | PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_NONE | PY_LIST))
    return;
  value_say(sink, node, value, OWN, "compute with it");
}

static bool is_ordering(Str op)
{
  return op.len > 0 && (op.data[0] == '<' || op.data[0] == '>') && op.len <= 2 && !str_equal(op, STR("<>"));
}

/// The name of `symbolic_helper` in this file; empty if it is not imported.
static Str helper_module(const PyModel *model, Arena *arena)
{
  for (size_t i = 0; i < model->bindings.count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    if (binding->kind == PY_BIND_IMPORT && str_ends_with(binding->qualified, STR("onnx.symbolic_helper")))
      return binding->name;
    if (binding->kind == PY_BIND_IMPORT && str_equal(binding->qualified, STR("torch")))
      return arena_printf(arena, "%.*s.onnx.symbolic_helper", STR_ARG(binding->name));
  }
  return (Str){ 0 };
}

/// Whether the function asks the right way, too: `_is_none(x)`, `x.node().mustBeNone()`.
static bool asks_rightly(const PyModel *model, uint32_t function, Str name)
{
  const PyTree *tree = &model->tree;
  PyRef node = model->functions.items[function].node;
  for (PY_EACH_NODE(tree, at, node)) {
    if (py_kind(tree, at) != PYK_IDENTIFIER || !str_equal(py_text(tree, at), name))
      continue;
    PyRef parent = tree->nodes[at].parent;
    if (str_equal(py_tree_member_name(tree, parent), STR("node")))
      return true;
    const PyCall *call = py_model_call_of_list(model, parent);
    if (call && str_ends_with(call->qualified, STR("_is_none")))
      return true;
  }
  return false;
}

/// Whether the argument may be None in a call of the operator.
static bool is_optional(const TorchOperator *op, uint32_t position)
{
  for (uint32_t i = 0; i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (position < overload->argument_count &&
        str_find_char(overload->arguments[position].type, '?', 0) != STR_NOT_FOUND)
      return true;
  }
  return false;
}

/// A parameter that no model passes None for, as the schemas tell: asking is of no use, and does no harm.
static bool is_never_none(DiagSink *sink, uint32_t function, Str name)
{
  const PyFile *file = sink_python(sink);
  uint32_t count;
  uint32_t first = py_file_input_params(file, function, &count);
  uint32_t position = 0;
  while (position < count && !str_equal(file->model->params.items[first + position].name, name))
    position++;
  PyNames names = py_file_registered_names(file, function, sink->arena);
  for (size_t i = 0; i < names.count; i++) {
    const TorchOperator *op = py_file_torch_operator(file, names.items[i]);
    if (!op || position == count || is_optional(op, position))
      return false;
  }
  return names.count > 0;
}

static void check_none(DiagSink *sink, PyRef node, PyRef value, Str op)
{
  const PyModel *model = sink_python(sink)->model;
  PyNodeKind kind = py_kind(&model->tree, value);
  if (kind != PYK_IDENTIFIER || !value_is_of_graph(sink, value))
    return;
  uint32_t scope = py_model_scope_of(model, value);
  // Somebody may call the function with a real None, as torch does with symbolic() of an autograd function.
  if (scope == PY_ABSENT || (model->functions.items[scope].roles & (PY_ROLE_CALLED | PY_ROLE_AUTOGRAD)) != 0 ||
      asks_rightly(model, scope, py_text(&model->tree, value)) ||
      is_never_none(sink, scope, py_text(&model->tree, value)))
    return;
  if (!sink_wants(sink, RULE_NONE_CHECK_ON_VALUE, OWN))
    return;
  Str name = py_text(&model->tree, value);
  Str module = helper_module(model, sink->arena);
  bool is_not = str_equal(op, STR("is not")) || str_equal(op, STR("!="));
  const Fix *fix = NULL;
  if (module.len > 0) {
    Str text = arena_printf(sink->arena, "%s%.*s._is_none(%.*s)", is_not ? "not " : "", STR_ARG(module), STR_ARG(name));
    fix = py_fix(sink, true, STR("Use symbolic_helper._is_none()"), py_range(sink, node), text);
  }
  Str message = arena_printf(
      sink->arena, "'%.*s' is a graph value, also where the model passes None; use symbolic_helper._is_none(%.*s).",
      STR_ARG(name), STR_ARG(name));
  py_say(sink, RULE_NONE_CHECK_ON_VALUE, OWN, node, message, fix);
}

/// `x.type().scalarType() == torch.float16`: a name of a type is never equal to a type.
static void check_type_comparison(DiagSink *sink, PyRef node, PyRef left, PyRef right)
{
  const PyFile *file = sink_python(sink);
  PyValue a = py_file_value(file, left);
  PyValue b = py_file_value(file, right);
  bool is_text_first = py_file_is_only(a, PY_STRING | PY_NONE) && (a.kinds & PY_STRING) && py_file_is_only(b, PY_DTYPE);
  bool is_text_last = py_file_is_only(b, PY_STRING | PY_NONE) && (b.kinds & PY_STRING) && py_file_is_only(a, PY_DTYPE);
  if ((!is_text_first && !is_text_last) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, SEVERITY_WARNING))
    return;
  Str text = str_slice(py_text(&file->model->tree, is_text_first ? left : right), 0, 60);
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, SEVERITY_WARNING, node,
         arena_printf(sink->arena,
                      "'%.*s' is a Python string, such as 'Float' or 'Half', which is never equal to a torch.dtype.",
                      STR_ARG(text)),
         NULL);
}

static void check_comparison(DiagSink *sink, PyRef node)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef left = 0;
  Str op = { 0 };
  for (PY_EACH_CHILD(tree, child, node)) {
    if (py_kind(tree, child) == PYK_OPERATOR) {
      op = py_text(tree, child);
      continue;
    }
    bool asks_none = left && py_kind(tree, child) == PYK_NONE;
    if (asks_none && (str_starts_with(op, STR("is")) || str_equal(op, STR("==")) || str_equal(op, STR("!=")))) {
      check_none(sink, node, left, op);
    } else if (left && is_ordering(op)) {
      PyRef value = value_is_of_graph(sink, left) ? left : value_is_of_graph(sink, child) ? child : 0;
      if (value)
        value_say(sink, node, value, OWN, "compare it");
    } else if (left && (str_equal(op, STR("==")) || str_equal(op, STR("!=")))) {
      check_type_comparison(sink, node, left, child);
    }
    left = child;
  }
}

/// The object of a call of a method that takes nothing, and its name; 0 for what is none.
static PyRef object_asked(const PyModel *model, PyRef node, Str *ret_method)
{
  const PyCall *call = py_model_call(model, node);
  PyRef function = call ? call->function_node : 0;
  bool is_asked = call && call->argument_count == 0;
  *ret_method = is_asked ? py_tree_member_name(&model->tree, function) : (Str){ 0 };
  return is_asked ? py_tree_object(&model->tree, function) : 0;
}

bool value_is_node(DiagSink *sink, PyRef node)
{
  Str method;
  PyRef asked = object_asked(sink_python(sink)->model, node, &method);
  return asked && str_equal(method, STR("node")) && value_is_of_graph(sink, asked);
}

bool value_check_node_values(DiagSink *sink, PyRef node, PyRef iterator, const char *what)
{
  const PyModel *model = sink_python(sink)->model;
  Str method;
  PyRef asked = object_asked(model, py_model_resolve(model, iterator), &method);
  bool is_one = asked && (str_equal(method, STR("inputs")) || str_equal(method, STR("outputs"))) &&
                value_is_node(sink, py_model_resolve(model, asked));
  if (is_one)
    py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, node,
           arena_printf(sink->arena, "%.*s() of a node gives an iterator, which has no %s: make a list of it.",
                        STR_ARG(method), what),
           NULL);
  return is_one;
}

static void check_conversion(DiagSink *sink, const PyCall *call)
{
  static const char *const names[] = { "int", "float", "len", "range", "list", "tuple" };
  if (call->argument_count != 1 || !str_is_one_of(call->qualified, names, COUNT(names)))
    return;
  const PyArgument *argument = py_model_argument(sink_python(sink)->model, call, 0, NULL);
  if (argument && value_is_of_graph(sink, argument->value))
    value_say(sink, call->node, argument->value, OWN, "convert it");
  else if (argument && str_equal(call->qualified, STR("len")))
    value_check_node_values(sink, call->node, argument->value, "length");
}

/// Whether all of these are types of Python: `int`, `(int, float)`.
static bool are_python_types(const PyModel *model, PyRef types)
{
  static const char *const names[] = { "int", "float", "str", "bool", "list", "tuple", "dict", "complex" };
  const PyTree *tree = &model->tree;
  PyRef list = py_model_resolve(model, types);
  bool is_list = py_kind(tree, list) == PYK_TUPLE;
  PyRef item = is_list ? py_tree_first_element(tree, list) : list;
  bool any = false;
  for (; item; item = is_list ? py_tree_next_element(tree, item) : 0) {
    any = py_kind(tree, item) == PYK_IDENTIFIER && str_is_one_of(py_text(tree, item), names, COUNT(names)) &&
          py_model_name_at(model, item) == PY_ABSENT;
    if (!any)
      return false;
  }
  return any;
}

/// `isinstance(x, torch.Tensor)`, `isinstance(x, int)`
static void check_instance(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  if (!str_equal(call->qualified, STR("isinstance")))
    return;
  const PyArgument *value = py_model_argument(model, call, 0, NULL);
  const PyArgument *type = py_model_argument(model, call, 1, NULL);
  if (!value || !type || !value_is_of_graph(sink, value->value))
    return;
  bool is_tensor = str_equal(py_model_qualified(model, type->value, sink->arena), STR("torch.Tensor"));
  bool is_python = !is_tensor && !value_may_be_python(sink, value->value) && are_python_types(model, type->value);
  if ((!is_tensor && !is_python) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, SEVERITY_WARNING))
    return;
  Str name = str_slice(py_text(&model->tree, value->value), 0, 40);
  Str types = is_tensor ? STR("torch.Tensor") : str_slice(py_text(&model->tree, type->value), 0, 40);
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, SEVERITY_WARNING, call->node,
         arena_printf(sink->arena, "'%.*s' is a graph value, and never a%s %.*s%s.", STR_ARG(name),
                      !is_tensor && types.data[0] == 'i' ? "n" : "", STR_ARG(types),
                      is_tensor ? "" : ": @parse_args or symbolic_helper._maybe_get_const() reads what is constant"),
         NULL);
}

/// What people ask graph values, tensors and arrays.
static bool asks_tensor(Str name)
{
  static const char *const names[] = { "shape",  "dtype", "ndim", "item",  "tolist", "numel",
                                       "device", "size",  "dim",  "sizes", "data" };
  return str_is_one_of(name, names, COUNT(names));
}

/// `result.values` of a node with several outputs, which are a tuple.
static bool asks_outputs(PyValue value, Str member)
{
  static const char *const names[] = { "values", "indices", "output", "outputs", "first", "get" };
  return py_file_is_only(value, PY_LIST) && value.elements == PY_VALUE && value.length > 1 &&
         str_is_one_of(member, names, COUNT(names));
}

/// `table.kind` of a dict, whose keys are none of its members.
static bool lacks_key(PyValue value, Str member)
{
  static const char *const names[] = { "clear",      "copy", "default_factory", "fromkeys",   "get",    "items",
                                       "keys",       "pop",  "popitem",         "setdefault", "update", "values",
                                       "move_to_end" };
  return py_file_is_only(value, PY_DICT) && !str_is_one_of(member, names, COUNT(names));
}

/// `axis.item()`, `dims.type()`: what @parse_args read is no value of the graph any more.
static void check_python_member(DiagSink *sink, PyRef object, PyRef name, Str member)
{
  const PyFile *file = sink_python(sink);
  PyValue value = py_file_value(file, object);
  uint32_t scope = py_model_scope_of(file->model, name);
  const uint32_t symbolic = PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_HELPER;
  if (scope == PY_ABSENT || !(file->model->functions.items[scope].roles & symbolic) ||
      !py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL | PY_LIST | PY_STRING | PY_NONE | PY_DICT) ||
      (!asks_tensor(member) && !py_file_is_value_method(member) && !asks_outputs(value, member) &&
       !lacks_key(value, member)) ||
      str_starts_with(member, STR("_")) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, name,
         arena_printf(sink->arena, "'%.*s' is %.*s, which has no '%.*s'.",
                      STR_ARG(str_slice(py_text(&file->model->tree, object), 0, 40)),
                      STR_ARG(py_file_value_text(value, sink->arena)), STR_ARG(member)),
         NULL);
}

static void check_member(DiagSink *sink, PyRef object, PyRef name, Str member)
{
  if (!value_is_of_graph(sink, object)) {
    check_python_member(sink, object, name, member);
    return;
  }
  if (py_file_is_value_method(member) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  Str text = str_slice(py_text(&sink_python(sink)->model->tree, object), 0, 40);
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, name,
         arena_printf(sink->arena, "'%.*s' is a graph value, which has no '%.*s'; %s.", STR_ARG(text), STR_ARG(member),
                      asks_tensor(member) ? "ask its type(), or symbolic_helper._get_tensor_sizes()"
                                          : "make a node with g.op()"),
         NULL);
}

/// What torch._C.Node has in torch 1.13, 2.6 and 2.14, as far as people ask for it: `x.node().get("value")`.
static bool is_strange_of_node(Str name)
{
  static const char *const names[] = { "get",  "attributes", "attribute", "attrs",  "name",   "op_type", "op",
                                       "type", "shape",      "dtype",     "item",   "value",  "val",     "toIValue",
                                       "size", "sizes",      "dim",       "values", "ivalue", "tensor" };
  return str_is_one_of(name, names, COUNT(names));
}

static void check_node_member(DiagSink *sink, PyRef object, PyRef name, Str member)
{
  if (!is_strange_of_node(member) || !value_is_node(sink, object) ||
      !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, name,
         arena_printf(sink->arena,
                      "A node of the graph has no '%.*s'; symbolic_helper._maybe_get_const() reads what is constant.",
                      STR_ARG(member)),
         NULL);
}

/// `g.graph.op(...)`: the graph inside of the context had op() until torch 1.13.
static void check_inner_graph(DiagSink *sink, PyRef object, PyRef name, Str member)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  PyRef outer = py_tree_object(tree, object);
  if (!outer || (!str_equal(member, STR("op")) && !str_equal(member, STR("at"))) ||
      !str_equal(py_tree_member_name(tree, object), STR("graph")) ||
      !py_file_is_only(py_file_value(file, outer), PY_GRAPH) || !export_torch_is_from(file, 2, 0) ||
      !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  Str right = py_text(tree, outer);
  py_say(
      sink, RULE_HELPER_CALL, OWN, name,
      arena_printf(sink->arena, "Since torch 2.0 the graph itself has no %.*s(): write %.*s.%.*s().", STR_ARG(member),
                   STR_ARG(right), STR_ARG(member)),
      py_fix(sink, true, arena_printf(sink->arena, "Replace by %.*s", STR_ARG(right)), py_range(sink, object), right));
}

static void check_attribute(DiagSink *sink, PyRef node)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef name = py_tree_member(tree, node);
  PyRef object = py_tree_object(tree, node);
  if (!name || !object)
    return;
  check_member(sink, object, name, py_text(tree, name));
  check_node_member(sink, object, name, py_text(tree, name));
  check_inner_graph(sink, object, name, py_text(tree, name));
}

/// `getattr(x, "shape")`
static void check_getattr(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  Str member;
  if (call->argument_count != 2 || call->has_splat || !str_equal(call->qualified, STR("getattr")))
    return;
  const PyArgument *object = py_model_arguments(model, call);
  if (py_model_string(model, object[1].value, sink->arena, &member))
    check_member(sink, object->value, object[1].value, member);
}

/// What an f-string asks of a graph value in vain, as the end of a sentence; empty if it gets it.
static Str refused_field(const PyModel *model, PyRef node, const PyFormatField *field, Arena *arena)
{
  static const char *const functions[] = { "int", "float", "len", "abs", "round", "sum", "max", "min" };
  if (field->specification.len > 0)
    return arena_printf(arena, "; Python can't format it as '%.*s'", STR_ARG(str_slice(field->specification, 0, 40)));
  if (field->member.len > 0 && !py_file_is_value_method(field->member))
    return arena_printf(arena, ", which has no '%.*s'", STR_ARG(field->member));
  bool is_builtin = str_is_one_of(field->function, functions, COUNT(functions)) &&
                    py_model_lookup(model, py_model_scope_of(model, node), field->function) == PY_ABSENT;
  return is_builtin ? arena_printf(arena, "; Python can't convert it by %.*s()", STR_ARG(field->function)) : (Str){ 0 };
}

/// `f"{value:.3f}"`, `f"{value.shape}"`, `f"{float(value)}"`
static void check_format(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  uint32_t values = py_file_value(sink_python(sink), node).elements;
  PyFormatField field;
  size_t at = 0;
  for (; values != 0 && py_format_field_next(py_text(&model->tree, node), &at, &field); values >>= 1) {
    Str refused = (values & 1) ? refused_field(model, node, &field, sink->arena) : (Str){ 0 };
    if (refused.len == 0)
      continue;
    py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, node,
           arena_printf(sink->arena, "'%.*s' is a graph value%.*s.", STR_ARG(field.name), STR_ARG(refused)), NULL);
    return;
  }
}

/// `y, z, w = g.op(..., outputs=2)`, `r[2]`: how many there are is known, and it is another number.
void value_say_count(DiagSink *sink, PyRef node, PyRef value, int count)
{
  if (!sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  Str text = str_slice(py_text(&sink_python(sink)->model->tree, value), 0, 40);
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, node,
         arena_printf(sink->arena, "'%.*s' are %d graph values; `outputs=` says how many g.op() makes.", STR_ARG(text),
                      count),
         NULL);
}

static void check_node(DiagSink *sink, PyRef node)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  switch (py_kind(tree, node)) {
  case PYK_BINARY_OPERATOR:
  case PYK_AUGMENTED_ASSIGNMENT:
    check_binary(sink, node);
    break;
  case PYK_COMPARISON_OPERATOR:
    check_comparison(sink, node);
    value_check_texts(sink, node);
    break;
  case PYK_ATTRIBUTE:
    check_attribute(sink, node);
    value_check_graph_member(sink, node);
    value_check_type_member(sink, node);
    value_check_helper_name(sink, node);
    value_check_module(sink, node);
    value_check_type_name(sink, node);
    break;
  case PYK_UNARY_OPERATOR:
    if (value_is_of_graph(sink, py_child(tree, node, PY_F_ARGUMENT)))
      value_say(sink, node, py_child(tree, node, PY_F_ARGUMENT), OWN, "compute with it");
    break;
  case PYK_STRING:
    check_format(sink, node);
    break;
  case PYK_IDENTIFIER:
    value_check_unbound(sink, node);
    break;
  case PYK_SUBSCRIPT:
    value_check_index(sink, node);
    break;
  default:
    break;
  }
  value_check_uses(sink, node);
}

/// Files without symbolic functions name types, too: `make_tensor_value_info("x", TensorProto.FLOAT32, [1])`.
static void check_type_names(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (PyRef node = 1; node < model->tree.count && py_model_mentions(model, "TensorProto"); node++) {
    if (py_kind(&model->tree, node) == PYK_ATTRIBUTE)
      value_check_type_name(sink, node);
  }
}

void check_python_values(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool any = false;
  for (size_t i = 0; i < model->functions.count && !any; i++)
    any = (model->functions.items[i].roles & (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_HELPER)) != 0;
  if (!any) {
    check_type_names(sink);
    return;
  }
  for (PyRef node = 1; node < model->tree.count; node++)
    check_node(sink, node);
  for (size_t i = 0; i < model->calls.count; i++) {
    check_conversion(sink, &model->calls.items[i]);
    check_instance(sink, &model->calls.items[i]);
    check_getattr(sink, &model->calls.items[i]);
  }
  value_check_calls(sink);
}
