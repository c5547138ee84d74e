// Scripted models that the TorchScript exporter gets. Each was run with torch 1.13, 2.6 and 2.14.

#include "python/rules/export/example_inputs.h"
#include "python/rules/script/jit_script.h"

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

/// What the function says it gives: `-> Dict[str, Tensor]`, whatever the name is that it returns.
static void check_result(const ExportCall *export, uint32_t index)
{
  const PyTree *tree = &export->model->tree;
  const PyFunction *function = &export->model->functions.items[index];
  Str header = function->body
                   ? str_slice(tree->text, tree->nodes[function->node].start, tree->nodes[function->body].start)
                   : (Str){ 0 };
  size_t arrow = str_find(header, STR("->"), 0);
  bool is_dict = arrow != STR_NOT_FOUND && is_dict_annotation(str_trim(str_slice(header, arrow + 2, header.len)));
  for (PyRef node = function->body; is_dict && node < tree->nodes[function->body].next; node++) {
    PyRef value = py_kind(tree, node) == PYK_RETURN_STATEMENT ? py_first_child(tree, node) : 0;
    if (value && py_kind(tree, py_tree_strip(tree, value)) == PYK_IDENTIFIER)
      say(export, value, refused_output(PYK_DICTIONARY));
  }
}

/// `self.cache[key] = x` with `self.cache: Dict[str, Tensor] = {}`: one that is only read is folded.
static void check_members(const ExportCall *export, const ModuleParts *parts, uint32_t index)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  const PyFunction *function = &model->functions.items[index];
  for (PyRef node = function->body; node && node < tree->nodes[function->body].next; node++) {
    PyRef subscript = tree->nodes[node].parent;
    bool is_written = py_kind(tree, subscript) == PYK_SUBSCRIPT && tree->nodes[subscript].field == PY_F_LEFT &&
                      py_kind(tree, tree->nodes[subscript].parent) == PYK_ASSIGNMENT &&
                      py_child(tree, subscript, PY_F_VALUE) == node;
    Str name = is_written ? py_tree_own_name(tree, node) : (Str){ 0 };
    PyRef made = name.len > 0 ? module_parts_value(parts, function->class_node, name) : 0;
    if (!made || py_kind(tree, made) != PYK_DICTIONARY)
      continue;
    say(export, node,
        "The TorchScript exporter can't convert a dict that a scripted model changes: compute it again, or keep tensors "
        "in attributes of their own.");
    return;
  }
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

/// How many inputs the scripted forward() gets, where that ends in an assertion of torch.
static void check_count(const ExportCall *export, uint32_t index)
{
  const PyArgument *args = export_argument(export, "args");
  ExportModel made = { .forward = index, .has_params = true };
  made.params = export_params(export->model, index, export->sink->arena, &made.param_count);
  const ExampleInputs *inputs = example_inputs(export, &made);
  uint32_t given = inputs->positional_given;
  bool is_less = given < inputs->positional_least;
  if (!args || !inputs->is_known || inputs->is_by_name || export_argument(export, "kwargs") ||
      (!is_less && given <= inputs->positional_most) || !sink_wants(export->sink, RULE_EXPORT_ARGS_COUNT, OWN))
    return;
  uint32_t wanted = is_less ? inputs->positional_least : inputs->positional_most;
  py_say(export->sink, RULE_EXPORT_ARGS_COUNT, OWN, args->value,
         arena_printf(export->sink->arena, "The scripted model takes %u input%s, and %s given.", wanted,
                      wanted == 1 ? "" : "s",
                      given == 1 ? "1 is" : arena_printf(export->sink->arena, "%u are", given).data),
         NULL);
}

/// `net = Net()` and, in the same block, `net = torch.jit.script(net)`: the first value, if a name has these two and
/// no other; 0.
static PyRef value_before_script(const PyModel *model, PyRef name)
{
  const PyTree *tree = &model->tree;
  uint32_t scope = py_model_scope_of(model, name);
  uint32_t at = py_kind(tree, name) == PYK_IDENTIFIER ? py_model_lookup(model, scope, py_text(tree, name)) : PY_ABSENT;
  const PyBinding *first = at == PY_ABSENT ? NULL : &model->bindings.items[at];
  const PyBinding *then = first && first->next != PY_ABSENT ? &model->bindings.items[first->next] : NULL;
  if (!then || then->next != PY_ABSENT || first->scope != scope || then->scope != scope || then->node > name ||
      first->kind != PY_BIND_ASSIGN || then->kind != PY_BIND_ASSIGN)
    return 0;
  const PyCall *script = py_model_call(model, py_tree_strip(tree, then->value));
  const PyArgument *scripted = script && str_equal(script->qualified, STR("torch.jit.script"))
                                   ? py_model_argument(model, script, 0, "obj")
                                   : NULL;
  PyRef block = tree->nodes[tree->nodes[tree->nodes[first->node].parent].parent].parent;
  bool is_one_block = tree->nodes[tree->nodes[tree->nodes[then->node].parent].parent].parent == block;
  return scripted && is_one_block && str_equal(py_text(tree, scripted->value), py_text(tree, name)) ? first->value : 0;
}

/// The forward() of `torch.jit.script(Net())` that is exported; PY_ABSENT.
static uint32_t scripted(const ExportCall *export)
{
  const PyModel *model = export->model;
  const PyArgument *argument = export->kind == EXPORT_TRACES ? export_argument(export, "model") : NULL;
  if (!argument)
    return PY_ABSENT;
  PyRef before = value_before_script(model, argument->value);
  if (before)
    return export_forward_made(model, export_module_made(model, before));
  const PyCall *call = py_model_call(model, export_model_made(model, argument->value));
  return call && str_equal(call->qualified, STR("torch.jit.script")) ? jit_script_compiled(model, call) : PY_ABSENT;
}

void jit_script_check_exports(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool *is_said = ARENA_ARRAY(sink->arena, bool, model->functions.count);
  ModuleParts parts = module_parts(model, sink->arena);
  for (size_t i = 0; i < export_call_count(model); i++) {
    ExportCall export = export_call(sink, i);
    uint32_t index = scripted(&export);
    if (index == PY_ABSENT || py_tree_try_around(&model->tree, export.call->node))
      continue;
    check_count(&export, index);
    if (!is_said[index]) {
      check_returns(&export, index);
      check_result(&export, index);
      check_members(&export, &parts, index);
      check_params(&export, index);
    }
    is_said[index] = true;
  }
}
