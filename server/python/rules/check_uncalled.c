// Questions of torch that are not asked: `if torch.onnx.is_in_onnx_export:` is a function, which is always true, and so
// is `if symbolic_helper._is_none:`.

#include "base/limits.h"
#include "python/rules/python_edit.h"

static bool is_condition(const PyTree *tree, PyRef node)
{
  PyRef parent = tree->nodes[node].parent;
  switch (py_kind(tree, parent)) {
  case PYK_NOT_OPERATOR:
  case PYK_BOOLEAN_OPERATOR:
    return true;
  case PYK_IF_STATEMENT:
  case PYK_ELIF_CLAUSE:
  case PYK_WHILE_STATEMENT:
    return tree->nodes[node].field == PY_F_CONDITION;
  case PYK_CONDITIONAL_EXPRESSION: {
    PyRef value = py_first_child(tree, parent);
    return value != node && py_next_sibling(tree, value) == node;
  }
  default:
    return false;
  }
}

/// Functions that answer yes or no, and take nothing.
static bool is_question(Str name)
{
  static const char *const questions[] = { "torch.compiler.is_compiling", "torch.compiler.is_exporting",
                                           "torch.jit.is_scripting", "torch.jit.is_tracing",
                                           "torch.onnx.is_in_onnx_export" };
  return str_is_one_of(name, questions, COUNT(questions));
}

/// Functions of symbolic_helper that answer yes or no about a value.
static bool is_question_of_value(Str name)
{
  static const char *const questions[] = { "_is_bool",          "_is_constant",    "_is_fp",          "_is_none",
                                           "_is_onnx_constant", "_is_packed_list", "_is_tensor_list", "_is_value",
                                           "is_complex_value",  "_is_tensor" };
  Str module = STR("torch.onnx.symbolic_helper.");
  return str_starts_with(name, module) &&
         str_is_one_of(str_slice(name, module.len, name.len), questions, COUNT(questions));
}

void check_python_uncalled(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  static const char *const names[] = { "is_compiling", "is_exporting",    "is_in_onnx_export",
                                       "is_scripting", "symbolic_helper", "is_tracing" };
  if (!py_model_mentions_one_of(model, names, COUNT(names)))
    return;
  for (PyRef node = 1; node < tree->count; node++) {
    PyNodeKind kind = py_kind(tree, node);
    if ((kind != PYK_IDENTIFIER && kind != PYK_ATTRIBUTE) || !is_condition(tree, node))
      continue;
    Str last = py_text(tree, py_tree_last_name(tree, node));
    if (!str_starts_with(last, STR("_is_")) && !str_starts_with(last, STR("is_")))
      continue;
    Str name = py_model_qualified(model, node, sink->arena), text = py_text(tree, node);
    bool asks_value = is_question_of_value(name);
    if ((!asks_value && !is_question(name)) || !sink_wants(sink, RULE_HELPER_CALL, SEVERITY_WARNING))
      continue;
    if (asks_value) {
      py_say(sink, RULE_HELPER_CALL, SEVERITY_WARNING, node,
             arena_printf(sink->arena, "This is the function itself, which is always true: write %.*s(value).",
                          STR_ARG(text)),
             NULL);
      continue;
    }
    py_say(sink, RULE_HELPER_CALL, SEVERITY_WARNING, node,
           arena_printf(sink->arena, "This is the function itself, which is always true: write %.*s().", STR_ARG(text)),
           py_edit_replace(sink, true, node, arena_printf(sink->arena, "%.*s()", STR_ARG(text))));
  }
}
