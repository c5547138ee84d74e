// Opsets of onnxscript that are imported or made: whether there is such a one, and whether it gets what it takes.

#include "base/limits.h"
#include "python/rules/python_edit.h"

/// The last one that the package itself has, in all releases up to 0.7.2; onnxscript.onnx_opset has more.
enum { LAST_OF_PACKAGE = 23 };

/// `from onnxscript import opset24`
static void check_import(DiagSink *sink, const PyBinding *binding)
{
  Str prefix = STR("onnxscript.opset");
  uint64_t opset;
  if (!str_starts_with(binding->qualified, prefix) ||
      !str_to_uint(str_slice(binding->qualified, prefix.len, binding->qualified.len), 1000, &opset) ||
      (opset >= 1 && opset <= LAST_OF_PACKAGE) || py_file_asks_version(sink_python(sink), binding->node) ||
      py_tree_try_around(&sink_python(sink)->model->tree, binding->node) ||
      !sink_wants(sink, RULE_SCRIPT_PYTHON, SEVERITY_WARNING))
    return;
  py_say(sink, RULE_SCRIPT_PYTHON, SEVERITY_WARNING, binding->node,
         arena_printf(sink->arena,
                      "onnxscript has opset1 to opset%d; newer ones that a release has are in onnxscript.onnx_opset.",
                      LAST_OF_PACKAGE),
         NULL);
}

/// `from onnxscript import FLOAT32`: types have the names of ONNX, in all releases.
static void check_type_name(DiagSink *sink, const PyBinding *binding)
{
  static const struct {
    const char *wrong, *right;
  } names[] = { { "onnxscript.FLOAT32", "FLOAT" }, { "onnxscript.FLOAT64", "DOUBLE" }, { "onnxscript.HALF", "FLOAT16" },
                { "onnxscript.INT", "INT64" },     { "onnxscript.LONG", "INT64" },     { "onnxscript.STR", "STRING" } };
  for (size_t i = 0; i < COUNT(names); i++) {
    if (str_equal(binding->qualified, str_from(names[i].wrong)) && sink_wants(sink, RULE_SCRIPT_PYTHON, OWN))
      py_say(sink, RULE_SCRIPT_PYTHON, OWN, binding->node,
             arena_printf(sink->arena, "onnxscript has no such type: it is called %s.", names[i].right), NULL);
  }
}

/// `from onnxscript import opset_18`
static void check_misspelt(DiagSink *sink, const PyBinding *binding)
{
  uint64_t opset;
  Str prefix = STR("onnxscript.opset_");
  if (!str_starts_with(binding->qualified, prefix) ||
      !str_to_uint(str_slice(binding->qualified, prefix.len, binding->qualified.len), 1000, &opset) ||
      !sink_wants(sink, RULE_SCRIPT_PYTHON, OWN))
    return;
  py_say(sink, RULE_SCRIPT_PYTHON, OWN, binding->node,
         arena_printf(sink->arena, "onnxscript has no 'opset_%d': did you mean 'opset%d'?", (int)opset, (int)opset),
         NULL);
}

/// `onnxscript.values.Opset("my.domain")`
static void check_made(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  if (!str_equal(call->qualified, STR("onnxscript.values.Opset")) || call->has_splat || call->has_dictionary_splat ||
      model->tree.nodes[call->node].has_error || !sink_wants(sink, RULE_SCRIPT_PYTHON, OWN))
    return;
  bool has_domain = py_model_argument(model, call, 0, "domain");
  if (has_domain && py_model_argument(model, call, 1, "version"))
    return;
  py_say(sink, RULE_SCRIPT_PYTHON, OWN, call->node,
         arena_printf(sink->arena,
                      "Opset() takes a domain and its version, and '%s' is missing: Opset(\"my.domain\", 1).",
                      has_domain ? "version" : "domain"),
         NULL);
}

void check_python_script_names(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool is_there = false;
  for (size_t i = 0; i < model->bindings.count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    bool is_of_it = binding->kind == PY_BIND_IMPORT && str_starts_with(binding->qualified, STR("onnxscript"));
    is_there |= is_of_it;
    if (is_of_it) {
      check_import(sink, binding);
      check_misspelt(sink, binding);
      check_type_name(sink, binding);
    }
  }
  if (!is_there)
    return;
  for (size_t i = 0; i < model->calls.count; i++)
    check_made(sink, &model->calls.items[i]);
}
