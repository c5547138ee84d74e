// Scripted models that the TorchScript exporter gets. Each was run with torch 1.13, 2.6 and 2.14.

#include "python/rules/jit_script.h"

static void say(const ExportCall *export, PyRef node, const char *words)
{
  if (sink_wants(export->sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR))
    py_say(export->sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR, node, str_from(words), NULL);
}

static const char *refused_output(PyNodeKind kind)
{
  return kind == PYK_DICTIONARY
             ? "The TorchScript exporter fails on a dict that a scripted model gives: return a tuple."
         : kind == PYK_STRING
             ? "The TorchScript exporter fails on a string that a scripted model gives: return tensors only."
             : NULL;
}

static void check_returns(const ExportCall *export, uint32_t index)
{
  const PyTree *tree = &export->model->tree;
  PyRef body = export->model->functions.items[index].body;
  for (PyRef node = body; node && node < tree->nodes[body].next; node++) {
    PyRef value = py_kind(tree, node) == PYK_RETURN_STATEMENT ? py_first_child(tree, node) : 0;
    if (py_runs_elsewhere(py_kind(tree, node)))
      node = tree->nodes[node].next - 1;
    if (!value)
      continue;
    value = py_tree_strip(tree, value);
    if (refused_output(py_kind(tree, value)))
      say(export, value, refused_output(py_kind(tree, value)));
    bool is_tuple = py_kind(tree, value) == PYK_TUPLE || py_kind(tree, value) == PYK_EXPRESSION_LIST;
    for (PyRef item = is_tuple ? py_tree_first_element(tree, value) : 0; item;
         item = py_tree_next_element(tree, item)) {
      if (refused_output(py_kind(tree, item)))
        say(export, item, refused_output(py_kind(tree, item)));
    }
  }
}

static bool is_dict_annotation(Str text)
{
  static const char *const dicts[] = { "Dict[", "dict[", "typing.Dict[" };
  for (size_t i = 0; i < COUNT(dicts); i++) {
    if (str_starts_with(text, str_from(dicts[i])))
      return true;
  }
  return false;
}

static void check_params(const ExportCall *export, uint32_t index)
{
  const PyModel *model = export->model;
  for (PY_EACH_PARAM(model, param, &model->functions.items[index])) {
    if (param->annotation && is_dict_annotation(py_text(&model->tree, param->annotation)))
      say(export, param->node,
          "The TorchScript exporter can't give a scripted model a dict: take the tensors one by one.");
  }
}

/// `torch.jit.script(Net())` that is exported; NULL.
static const PyCall *scripted(const ExportCall *export)
{
  const PyArgument *argument = export->kind == EXPORT_TRACES ? export_argument(export, "model") : NULL;
  const PyCall *call =
      argument ? py_model_call(export->model, export_model_made(export->model, argument->value)) : NULL;
  return call && str_equal(call->qualified, STR("torch.jit.script")) ? call : NULL;
}

void jit_script_check_exports(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool *is_said = ARENA_ARRAY(sink->arena, bool, model->functions.count);
  for (size_t i = 0; i < export_call_count(model); i++) {
    ExportCall export = export_call(sink, i);
    const PyCall *script = scripted(&export);
    uint32_t index = script ? jit_script_compiled(model, script) : PY_ABSENT;
    if (index == PY_ABSENT || py_tree_try_around(&model->tree, export.call->node))
      continue;
    if (!is_said[index]) {
      check_returns(&export, index);
      check_params(&export, index);
    }
    is_said[index] = true;
  }
}
