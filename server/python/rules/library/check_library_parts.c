// Parts that the schema of an operator lacks, which is given as text: types and names. Run with torch 2.6
// and 2.14.

#include "base/ascii.h"
#include "python/rules/python_edit.h"

/// Whether a parameter is a type alone, or a name: "Tensor(a!)", "iou".
static bool is_alone(Str part)
{
  size_t end = 0;
  while (end < part.len && (ascii_is_word(part.data[end]) || part.data[end] == '.'))
    end++;
  return end > 0 && str_trim(str_slice(part, end, part.len)).len == 0;
}

/// `Tensor x, int y=(1, 2)`
static void check_parts(DiagSink *sink, PyRef node, Str list)
{
  int depth = 0;
  size_t start = 0;
  bool is_quoted = false;
  for (size_t i = 0; i <= list.len; i++) {
    char c = i < list.len ? list.data[i] : ',';
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    is_quoted ^= c == '\'' || c == '"';
    if (c != ',' || ((depth > 0 || is_quoted) && i < list.len))
      continue;
    Str part = str_trim(str_slice(list, start, i));
    if (is_alone(part)) {
      py_say(sink, RULE_CUSTOM_OP, SEVERITY_ERROR, node,
             arena_printf(sink->arena, "In this schema '%.*s' has no type, or no name.", STR_ARG(part)), NULL);
      return;
    }
    start = i + 1;
  }
}

/// Of what is no schema at all others tell.
static void check_schema(DiagSink *sink, PyRef node, Str schema)
{
  size_t arrow = str_find(schema, STR("->"), 0);
  size_t open = str_find_char(schema, '(', 0);
  size_t close = arrow == STR_NOT_FOUND ? STR_NOT_FOUND : str_rfind_char(str_slice(schema, 0, arrow), ')');
  if (open != STR_NOT_FOUND && close != STR_NOT_FOUND && close > open)
    check_parts(sink, node, str_slice(schema, open + 1, close));
}

/// The schema that a call gives an operator; 0.
static PyRef schema_given(const PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  const PyArgument *argument = NULL;
  PyRef object = py_tree_object(tree, call->function_node);
  const PyCall *made = object && str_equal(py_tree_member_name(tree, call->function_node), STR("define"))
                           ? py_model_call(model, py_model_resolve(model, object))
                           : NULL;
  if (made && str_equal(made->qualified, STR("torch.library.Library")))
    argument = py_model_argument(model, call, 0, "schema");
  else if (str_equal(call->qualified, STR("torch.library.define")))
    argument = py_model_argument(model, call, 1, "schema");
  else if (str_equal(call->qualified, STR("torch.library.custom_op")))
    argument = py_model_argument(model, call, PY_ABSENT, "schema");
  return argument ? argument->value : 0;
}

void check_python_library_parts(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  if (!py_model_mentions(model, "torch.library") && !py_model_mentions(model, "Library"))
    return;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    PyRef node = schema_given(model, call);
    Str schema;
    if (node && !py_tree_try_around(&model->tree, call->node) && py_model_string(model, node, sink->arena, &schema) &&
        sink_wants(sink, RULE_CUSTOM_OP, SEVERITY_ERROR))
      check_schema(sink, node, schema);
  }
}
