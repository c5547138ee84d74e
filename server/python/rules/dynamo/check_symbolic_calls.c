// torch.onnx.ops.symbolic() and symbolic_multi_out(), which make an ONNX node inside of the model (torch 2.8 and
// newer).

#include "base/limits.h"
#include "python/rules/python_edit.h"

static void say(DiagSink *sink, PyRef node, Severity severity, Str message)
{
  py_say(sink, RULE_SYMBOLIC_CALL, severity, node, message, NULL);
}

/// A literal in a place where it can't be right.
static bool is_one_of_kinds(const PyModel *model, const PyArgument *argument, const PyNodeKind *kinds, size_t count)
{
  PyRef value = argument ? py_model_resolve(model, argument->value) : 0;
  for (size_t i = 0; value && i < count; i++) {
    if (py_kind(&model->tree, value) == kinds[i])
      return true;
  }
  return false;
}

static void check_kinds(DiagSink *sink, const PyCall *call, bool is_multi)
{
  static const PyNodeKind no_names[] = { PYK_TUPLE, PYK_LIST, PYK_INTEGER, PYK_NONE, PYK_DICTIONARY };
  static const PyNodeKind no_shapes[] = { PYK_INTEGER, PYK_FLOAT, PYK_NONE, PYK_STRING };
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *name = py_model_argument(model, call, 0, "");
  const PyArgument *shape = py_model_argument(model, call, PY_ABSENT, is_multi ? "shapes" : "shape");
  if (is_one_of_kinds(model, name, no_names, COUNT(no_names)))
    say(sink, name->value, OWN, STR("The operator is a string: \"my.domain::Name\", or \"Name\" for one of ONNX."));
  static const PyNodeKind no_versions[] = { PYK_STRING, PYK_FLOAT, PYK_LIST, PYK_TUPLE, PYK_DICTIONARY };
  static const PyNodeKind no_attrs[] = { PYK_LIST, PYK_TUPLE, PYK_SET, PYK_STRING, PYK_INTEGER };
  const PyArgument *version = py_model_argument(model, call, PY_ABSENT, "version");
  const PyArgument *attrs = py_model_argument(model, call, 2, "attrs");
  if (is_one_of_kinds(model, attrs, no_attrs, COUNT(no_attrs)))
    say(sink, attrs->value, OWN, STR("The attributes are a dict by name: {\"alpha\": 1.0}."));
  if (is_one_of_kinds(model, version, no_versions, COUNT(no_versions)))
    say(sink, version->value, OWN, STR("The version of the domain is an int."));
  if (is_one_of_kinds(model, shape, no_shapes, COUNT(no_shapes)))
    say(sink, shape->value, OWN,
        is_multi ? STR("The shapes are a list with a shape for each output.")
                 : STR("The shape is a tuple or list of sizes; `()` for a single number."));
}

/// Types of torch that ONNX has none for.
static void check_dtype(DiagSink *sink, PyRef node)
{
  static const char *const types[] = { "torch.quint8",   "torch.qint8",     "torch.qint32", "torch.quint4x2",
                                       "torch.quint2x4", "torch.complex32", "torch.chalf" };
  const PyModel *model = sink_python(sink)->model;
  PyRef value = py_model_resolve(model, node);
  Str name = value ? py_model_qualified(model, value, sink->arena) : (Str){ 0 };
  PyNodeKind kind = value ? py_kind(&model->tree, value) : PYK_OTHER;
  bool is_python = value && py_kind(&model->tree, value) == PYK_IDENTIFIER &&
                   (str_equal(name, STR("float")) || str_equal(name, STR("int")) || str_equal(name, STR("bool")));
  if (kind == PYK_STRING || kind == PYK_FLOAT || kind == PYK_NONE || is_python || str_starts_with(name, STR("numpy.")))
    say(sink, node, OWN, STR("The type has to be one of torch: torch.float32, or x.dtype."));
  else if (str_is_one_of(name, types, COUNT(types)))
    say(sink, node, OWN, arena_printf(sink->arena, "ONNX has no type for %.*s.", STR_ARG(name)));
}

static void check_dtypes(DiagSink *sink, const PyCall *call, bool is_multi)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  const PyArgument *argument = py_model_argument(model, call, PY_ABSENT, is_multi ? "dtypes" : "dtype");
  PyRef value = argument ? py_model_resolve(model, argument->value) : 0;
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  if (argument && !is_multi)
    check_dtype(sink, argument->value);
  if (!is_multi || (kind != PYK_TUPLE && kind != PYK_LIST))
    return;
  for (PY_EACH_ELEMENT(tree, item, value))
    check_dtype(sink, item);
}

/// Elements of a written tuple or list; -1 if they can't be counted.
static int count_of(const PyModel *model, const PyCall *call, const char *name)
{
  const PyTree *tree = &model->tree;
  const PyArgument *argument = py_model_argument(model, call, PY_ABSENT, name);
  PyRef list = argument ? py_model_resolve(model, argument->value) : 0;
  PyNodeKind kind = list ? py_kind(tree, list) : PYK_OTHER;
  if (kind != PYK_TUPLE && kind != PYK_LIST)
    return -1;
  int count = 0;
  for (PyRef item = py_tree_first_element(tree, list); item; item = py_tree_next_element(tree, item), count++) {
    if (py_kind(tree, item) == PYK_LIST_SPLAT)
      return -1;
  }
  return count;
}

static void check_counts(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  int dtypes = count_of(model, call, "dtypes");
  int shapes = count_of(model, call, "shapes");
  if (dtypes >= 0 && shapes >= 0 && dtypes != shapes)
    say(sink, py_model_argument(model, call, PY_ABSENT, "shapes")->value, OWN,
        arena_printf(sink->arena, "There %s %d shape%s for %d type%s: each output has one of both.",
                     shapes == 1 ? "is" : "are", shapes, shapes == 1 ? "" : "s", dtypes, dtypes == 1 ? "" : "s"));
}

// --- Attributes ---

/// None among the elements of a list.
static PyRef none_in(const PyTree *tree, PyRef list)
{
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (py_kind(tree, item) == PYK_NONE)
      return item;
  }
  return 0;
}

static void check_value(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef value = py_model_resolve(model, node);
  PyNodeKind kind = py_kind(&model->tree, value);
  const PyCall *call = py_model_call(model, value);
  if (kind == PYK_NONE)
    say(sink, node, OWN, STR("None is no value of an attribute: leave the attribute out."));
  else if ((kind == PYK_LIST || kind == PYK_TUPLE) && !py_first_child(&model->tree, value))
    say(sink, node, OWN, STR("An empty list has no type, so it can't be the value of an attribute."));
  else if ((kind == PYK_LIST || kind == PYK_TUPLE) && none_in(&model->tree, value))
    say(sink, node, OWN, STR("None is no value of an attribute, nor of an element of it."));
  else if (kind == PYK_DICTIONARY || kind == PYK_SET || kind == PYK_LAMBDA)
    say(sink, node, OWN, STR("An attribute is a number, a string, a bool, or a list of them."));
  else if (call && py_file_is_only(py_file_value(sink_python(sink), node), PY_TENSOR))
    say(sink, node, OWN,
        STR("A tensor can't be the value of an attribute here: make it an input, or a list of numbers."));
}

/// `alpha_f`: a suffix that only g.op() takes off.
static void check_name(DiagSink *sink, PyRef node, Str name)
{
  Str suffix = str_slice(name, name.len > 2 ? name.len - 2 : 0, name.len);
  static const char *const suffixes[] = { "_f", "_i", "_s" };
  if (str_is_one_of(suffix, suffixes, COUNT(suffixes)))
    say(sink, node, SEVERITY_INFO,
        arena_printf(sink->arena, "No suffix is taken off here, as g.op() does: the attribute will be called '%.*s'.",
                     STR_ARG(name)));
}

static void check_attributes(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  const PyArgument *argument = py_model_argument(model, call, 2, "attrs");
  PyRef attributes = argument ? py_model_resolve(model, argument->value) : 0;
  const PyCall *made = py_model_call(model, attributes);
  if (made && str_equal(made->qualified, STR("dict"))) {
    const PyCall *dict = made;
    for (uint32_t i = 0; i < dict->argument_count && i < PY_KEYWORD_LIMIT; i++) {
      const PyArgument *item = &py_model_arguments(model, dict)[i];
      if (item->keyword.len == 0)
        continue;
      check_name(sink, item->node, item->keyword);
      check_value(sink, item->value);
    }
  }
  if (!attributes || py_kind(tree, attributes) != PYK_DICTIONARY)
    return;
  for (PY_EACH_CHILD(tree, pair, attributes)) {
    PyRef key = py_tree_key(tree, pair);
    PyRef value = key ? py_child(tree, pair, PY_F_VALUE) : 0;
    Str name;
    if (value && py_model_string(model, key, sink->arena, &name)) {
      check_name(sink, key, name);
      check_value(sink, value);
    }
  }
}

void check_python_symbolic_calls(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    bool is_multi = str_equal(call->qualified, STR("torch.onnx.ops.symbolic_multi_out"));
    if (!is_multi && !str_equal(call->qualified, STR("torch.onnx.ops.symbolic")))
      continue;
    check_kinds(sink, call, is_multi);
    check_dtypes(sink, call, is_multi);
    if (is_multi)
      check_counts(sink, call);
    check_attributes(sink, call);
  }
}
