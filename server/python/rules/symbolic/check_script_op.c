// g.onnxscript_op(function, ...), by which symbolic functions put functions of onnxscript into the graph.

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/symbolic/value_check.h"

/// A function of the file that @onnxscript.script() has not compiled: it has no opset, and the call raises.
static void check_function(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  const PyBinding *binding = py_model_binding_at(model, node);
  const PyFunction *function =
      py_binding_is_only(binding, PY_BIND_FUNCTION) ? &model->functions.items[binding->index] : NULL;
  if (!function || function->outer != function->node || !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(
      sink, RULE_HELPER_CALL, OWN, node,
      arena_printf(sink->arena,
                   "onnxscript_op() takes what @onnxscript.script() makes of a function, and '%.*s' has no decorator.",
                   STR_ARG(function->name)),
      NULL);
}

/// `alpha=0.5`: attributes have the same suffixes as those of g.op().
static void check_attribute(DiagSink *sink, const PyArgument *argument)
{
  size_t underscore = str_rfind_char(argument->keyword, '_');
  Str suffix = underscore == STR_NOT_FOUND || underscore == 0
                   ? (Str){ 0 }
                   : str_slice(argument->keyword, underscore + 1, argument->keyword.len);
  static const char *const suffixes[] = { "i", "f", "s", "t", "g", "z", "ty" };
  bool has_suffix = str_is_one_of(suffix, suffixes, COUNT(suffixes));
  if (has_suffix || str_equal(argument->keyword, STR("outputs")) ||
      !sink_wants(sink, RULE_MISSING_ATTRIBUTE_SUFFIX, OWN))
    return;
  PyRef name = py_child(&sink_python(sink)->model->tree, argument->node, PY_F_NAME);
  uint32_t kinds = py_file_value(sink_python(sink), argument->value).kinds;
  const char *right = kinds == PY_FLOAT                                            ? "_f"
                      : kinds != 0 && (kinds & ~(uint32_t)(PY_INT | PY_BOOL)) == 0 ? "_i"
                      : kinds == PY_STRING                                         ? "_s"
                                                                                   : NULL;
  py_say(sink, RULE_MISSING_ATTRIBUTE_SUFFIX, OWN, name ? name : argument->node,
         arena_printf(sink->arena, "Attribute '%.*s' has no type suffix, as g.op() wants it%s%.*s%s.",
                      STR_ARG(argument->keyword), right ? "; write " : "", right ? (int)argument->keyword.len : 0,
                      argument->keyword.data, right ? right : ""),
         right && name
             ? py_edit_replace(sink, true, name, arena_printf(sink->arena, "%.*s%s", STR_ARG(argument->keyword), right))
             : NULL);
}

void value_check_script_op(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  if (call->op != PY_ABSENT)
    return;
  PyRef object = py_tree_object(tree, call->function_node);
  if (!object || !str_equal(py_tree_member_name(tree, call->function_node), STR("onnxscript_op")) ||
      !py_file_is_only(py_file_value(file, object), PY_GRAPH) || !export_torch_is_from(file, 2, 0))
    return;
  for (uint32_t i = 0; i < call->argument_count && i < PY_KEYWORD_LIMIT; i++) {
    const PyArgument *argument = &py_model_arguments(file->model, call)[i];
    if (argument->keyword.len > 0)
      check_attribute(sink, argument);
    else if (i == 0 && !argument->is_splat)
      check_function(sink, argument->value);
  }
}
