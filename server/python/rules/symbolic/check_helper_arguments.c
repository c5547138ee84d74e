// What functions of symbolic_helper take: lists, values of the graph, letters.

#include "facts/export_api.h"
#include "python/rules/symbolic/value_check.h"

/// `_unsqueeze_helper(g, x, 0)`: what they take is a list, of one number, too; they go through it in every version.
static void check_lists(DiagSink *sink, const PyCall *call, Str helper)
{
  static const struct {
    const char *helper, *parameter;
    uint32_t position;
  } lists[] = {
    { "_unsqueeze_helper", "axes_i", 2 }, { "_squeeze_helper", "axes_i", 2 }, { "_reshape_helper", "shape", 2 },
    { "_slice_helper", "axes", 2 },       { "_slice_helper", "starts", 3 },   { "_slice_helper", "ends", 4 },
  };
  const PyFile *file = sink_python(sink);
  for (size_t i = 0; i < COUNT(lists); i++) {
    if (!str_is(helper, lists[i].helper))
      continue;
    const PyArgument *argument = py_model_argument(file->model, call, lists[i].position, lists[i].parameter);
    bool is_number = argument && py_file_is_only(py_file_value(file, argument->value), PY_INT | PY_FLOAT);
    if (!is_number || !sink_wants(sink, RULE_HELPER_CALL, OWN))
      continue;
    Str text = str_slice(py_text(&file->model->tree, argument->value), 0, 40);
    Str list = arena_printf(sink->arena, "[%.*s]", STR_ARG(text));
    const Fix *fix = py_fix(sink, true, STR("Make a list of it"), py_range(sink, argument->value), list);
    py_say(sink, RULE_HELPER_CALL, OWN, argument->value,
           arena_printf(sink->arena, "'%s' of %.*s is a list, and this is a number; write %.*s.", lists[i].parameter,
                        STR_ARG(helper), STR_ARG(list)),
           text.len < 40 ? fix : NULL);
  }
}

/// `_get_tensor_sizes(alpha)` of what @parse_args has read: they ask the value for its type, or its node, or make a
/// node of it.
static void check_graph_values(DiagSink *sink, const PyCall *call, Str helper)
{
  static const struct {
    const char *helper, *parameter;
    uint32_t position;
  } takers[] = {
    // Keep alphabetized.
    { "_get_tensor_dim_size", "x", 0 },     { "_get_tensor_rank", "x", 0 },      { "_get_tensor_sizes", "x", 0 },
    { "_is_packed_list", "list_value", 0 }, { "_reducesum_helper", "input", 1 }, { "_reshape_helper", "input", 1 },
    { "_slice_helper", "input", 1 },        { "_squeeze_helper", "input", 1 },   { "_unpack_list", "list_value", 0 },
    { "_unpack_tuple", "tuple_value", 0 },  { "_unsqueeze_helper", "input", 1 },
  };
  const uint32_t others = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_LIST;
  const PyFile *file = sink_python(sink);
  for (size_t i = 0; i < COUNT(takers); i++) {
    if (!str_is(helper, takers[i].helper))
      continue;
    const PyArgument *argument = py_model_argument(file->model, call, takers[i].position, takers[i].parameter);
    PyValue value = argument && argument->value ? py_file_value(file, argument->value) : (PyValue){ 0 };
    // With no graph before it, it is told that the graph comes first.
    const PyArgument *first = takers[i].position > 0 ? py_model_argument(file->model, call, 0, "g") : NULL;
    bool is_shifted = first && !py_file_is_only(py_file_value(file, first->value), PY_GRAPH);
    if (is_shifted || !py_file_is_only(value, others) || value_may_be_python(sink, call->node) ||
        !sink_wants(sink, RULE_HELPER_CALL, OWN))
      continue;
    py_say(sink, RULE_HELPER_CALL, OWN, argument->value,
           arena_printf(sink->arena, "%.*s() takes a value of the graph, and this is %.*s.", STR_ARG(helper),
                        STR_ARG(py_file_value_text(value, sink->arena))),
           NULL);
  }
}

bool value_is_number_param(const PyFile *file, PyRef name)
{
  static const char *const types[] = { "int", "float", "bool", "Scalar", "int?", "float?", "bool?", "Scalar?" };
  const PyModel *model = file->model;
  const PyBinding *binding = py_model_binding_at(model, name);
  const PyBinding *again = binding && binding->next != PY_ABSENT ? &model->bindings.items[binding->next] : NULL;
  // `alpha = _get_const(alpha, ...)` reads the parameter, too.
  bool is_param =
      binding && binding->kind == PY_BIND_PARAM &&
      (!again || name < again->node || (name >= again->value && name < model->tree.nodes[again->value].next));
  for (size_t i = 0; is_param && i < COUNT(types); i++) {
    if (py_file_param_type_is(file, binding->scope, binding->name, str_from(types[i])))
      return true;
  }
  return false;
}

/// `_get_const(alpha, "fs", "alpha")` of one number
static void check_descriptor_length(DiagSink *sink, const PyCall *call, const PyArgument *descriptor, Str letter)
{
  const PyArgument *read = py_model_argument(sink_python(sink)->model, call, 0, "value");
  if ((!str_equal(letter, STR("is")) && !str_equal(letter, STR("fs"))) || !read ||
      !value_is_number_param(sink_python(sink), read->value) || !sink_wants(sink, RULE_PARSE_ARGS_TYPE, OWN))
    return;
  Str name = py_text(&sink_python(sink)->model->tree, read->value);
  Str one = str_slice(letter, 0, 1);
  py_say(sink, RULE_PARSE_ARGS_TYPE, OWN, descriptor->value,
         arena_printf(sink->arena, "'%.*s' is one number, and \"%.*s\" reads a list of them: write \"%.*s\".",
                      STR_ARG(name), STR_ARG(letter), STR_ARG(one)),
         py_edit_string(sink, true, descriptor->value, one));
}

/// `_get_const(alpha, float, "alpha")`
static void check_descriptor_type(DiagSink *sink, const PyArgument *argument, Str helper)
{
  const PyFile *file = sink_python(sink);
  PyValue value = py_file_value(file, argument->value);
  bool is_type = value_is_builtin_type(file->model, argument->value);
  const uint32_t others = PY_INT | PY_FLOAT | PY_DTYPE | PY_NONE | PY_VALUE | PY_GRAPH | PY_LIST | PY_TENSOR;
  if ((!is_type && !py_file_is_only(value, others)) || !sink_wants(sink, RULE_PARSE_ARGS_UNKNOWN, OWN))
    return;
  py_say(sink, RULE_PARSE_ARGS_UNKNOWN, OWN, argument->value,
         arena_printf(sink->arena, "%.*s() takes a descriptor as a string, such as \"f\".", STR_ARG(helper)), NULL);
}

/// `_get_const(alpha, "q", "alpha")`: the letters are those of @parse_args.
static void check_descriptor(DiagSink *sink, const PyCall *call, Str helper)
{
  static const char *const readers[] = { "_get_const", "_maybe_get_const", "_parse_arg" };
  const PyFile *file = sink_python(sink);
  const PyArgument *argument =
      str_is_one_of(helper, readers, COUNT(readers)) ? py_model_argument(file->model, call, 1, "desc") : NULL;
  Str letter;
  if (argument && argument->value)
    check_descriptor_type(sink, argument, helper);
  if (!argument || !argument->value || !py_model_string(file->model, argument->value, sink->arena, &letter))
    return;
  check_descriptor_length(sink, call, argument, letter);
  if (export_api_descriptor(file->db, letter) || !sink_wants(sink, RULE_PARSE_ARGS_UNKNOWN, OWN))
    return;
  py_say(sink, RULE_PARSE_ARGS_UNKNOWN, OWN, argument->value,
         arena_printf(sink->arena,
                      "'%.*s' is not a descriptor that %.*s() knows; there are v, i, is, f, fs, b, s, t and none.",
                      STR_ARG(letter), STR_ARG(helper)),
         NULL);
}

void value_check_helper_arguments(DiagSink *sink, const PyCall *call, Str helper)
{
  check_lists(sink, call, helper);
  check_graph_values(sink, call, helper);
  check_descriptor(sink, call, helper);
}
