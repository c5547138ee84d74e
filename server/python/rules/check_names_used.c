// Names that Python does not have where they are used, as far as they concern an export: a module that is not imported
// in a symbolic function, and a context of torch that is not made: `with torch.no_grad:`.

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/symbolic/value_check.h"

// --- Modules ---

bool value_is_usual_module(Str name)
{
  static const char *const names[] = { "math", "np", "numpy", "functools", "itertools", "os", "sys" };
  return str_is_one_of(name, names, COUNT(names));
}

bool value_has_unseen_names(const PyModel *model)
{
  static const char *const words[] = { "globals()", "exec(", "__builtins__", "builtins." };
  return model->star_imports.count > 0 || py_model_mentions_one_of(model, words, COUNT(words));
}

/// `g.op(...)` where the function calls its graph something else, and nothing is called g.
static void check_graph(DiagSink *sink, PyRef name, uint32_t scope)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *function = &model->functions.items[scope];
  const uint32_t symbolic = PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD;
  Str first = function->param_count > 0 ? py_model_params(model, function)->name : (Str){ 0 };
  if (first.len == 0 || str_equal(first, STR("g")) || (function->roles & symbolic) == 0 ||
      !str_equal(py_text(&model->tree, name), STR("g")) || py_model_lookup(model, scope, STR("g")) != PY_ABSENT ||
      value_has_unseen_names(model) || !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(sink, RULE_HELPER_CALL, OWN, name,
         arena_printf(sink->arena, "Nothing is called 'g' here, which raises a NameError: the graph is '%.*s'.",
                      STR_ARG(first)),
         py_edit_replace(sink, false, name, first));
}

void value_check_module(DiagSink *sink, PyRef attribute)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  const uint32_t symbolic = PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_HELPER;
  PyRef name = py_tree_object(tree, attribute);
  uint32_t scope = py_model_scope_of(model, attribute);
  if (scope == PY_ABSENT || py_kind(tree, name) != PYK_IDENTIFIER)
    return;
  if (py_text(tree, name).len == 1)
    check_graph(sink, name, scope);
  if (!value_is_usual_module(py_text(tree, name)) || (model->functions.items[scope].roles & symbolic) == 0 ||
      py_model_lookup(model, scope, py_text(tree, name)) != PY_ABSENT || value_has_unseen_names(model) ||
      !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(sink, RULE_HELPER_CALL, OWN, name,
         arena_printf(sink->arena, "The file does not import '%.*s': this raises a NameError.",
                      STR_ARG(py_text(tree, name))),
         NULL);
}

// --- Functions that call themselves ---

/// Whether the function runs the node whenever it is called: nothing decides it, and nothing before may leave.
static bool is_surely_run(const PyTree *tree, PyRef body, PyRef node)
{
  PyRef at = node;
  for (int depth = 0; tree->nodes[at].parent != body; depth++) {
    at = tree->nodes[at].parent;
    PyNodeKind kind = py_kind(tree, at);
    bool is_plain = kind == PYK_EXPRESSION_STATEMENT || kind == PYK_RETURN_STATEMENT || kind == PYK_ASSIGNMENT ||
                    kind == PYK_CALL || kind == PYK_ARGUMENT_LIST || kind == PYK_ATTRIBUTE ||
                    kind == PYK_KEYWORD_ARGUMENT;
    if (!at || depth == PY_EXPRESSION_DEPTH || !is_plain)
      return false;
  }
  for (PyRef before = py_first_child(tree, body); before && before < at; before = py_next_sibling(tree, before)) {
    if (py_kind(tree, before) != PYK_EXPRESSION_STATEMENT && py_kind(tree, before) != PYK_ASSERT_STATEMENT)
      return false;
  }
  return true;
}

/// `from torch.onnx.symbolic_opset9 import gelu`, and then `def gelu(g, x): return gelu(g, x)`.
void value_check_recursion(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  if (call->scope == PY_ABSENT || py_kind(&model->tree, call->function_node) != PYK_IDENTIFIER)
    return;
  const PyFunction *function = &model->functions.items[call->scope];
  if (function->class_node || function->parent != PY_ABSENT || !function->body || function->param_count == 0 ||
      !str_equal(py_text(&model->tree, call->function_node), function->name) ||
      !str_equal(py_model_params(model, function)->name, STR("g")))
    return;
  uint32_t last = py_model_lookup(model, call->scope, function->name);
  while (last != PY_ABSENT && model->bindings.items[last].next != PY_ABSENT)
    last = model->bindings.items[last].next;
  if (last == PY_ABSENT || model->bindings.items[last].node != function->name_node ||
      !is_surely_run(&model->tree, function->body, call->node) || !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(
      sink, RULE_HELPER_CALL, OWN, call->function_node,
      arena_printf(sink->arena,
                   "'%.*s' is this function itself, which calls itself without end: what is meant needs another name.",
                   STR_ARG(function->name)),
      NULL);
}

// --- Contexts ---

/// `with torch.no_grad:`, which is the class.
static void check_context(DiagSink *sink, PyRef item)
{
  static const char *const classes[] = {
    "torch.no_grad",          "torch.enable_grad",          "torch.inference_mode",
    "torch.autograd.no_grad", "torch.autograd.enable_grad", "torch.autograd.inference_mode"
  };
  const PyModel *model = sink_python(sink)->model;
  PyRef value = py_kind(&model->tree, item) == PYK_WITH_ITEM ? py_first_child(&model->tree, item) : item;
  if (!value || py_kind(&model->tree, value) != PYK_ATTRIBUTE)
    return;
  Str name = py_model_qualified(model, value, sink->arena);
  if (!str_is_one_of(name, classes, COUNT(classes)) || !sink_wants(sink, RULE_UNSTABLE_API, SEVERITY_ERROR))
    return;
  py_say(sink, RULE_UNSTABLE_API, SEVERITY_ERROR, value,
         arena_printf(sink->arena, "%.*s is a class, and `with` takes an object of it: write %.*s().", STR_ARG(name),
                      STR_ARG(py_text(&model->tree, value))),
         py_edit_after(sink, true, STR("Make one"), value, STR("()")));
}

void export_check_contexts(DiagSink *sink, PyRef node)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  int depth = 0;
  for (PyRef at = node; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyRef first = py_kind(tree, at) == PYK_WITH_STATEMENT ? py_first_child(tree, at) : 0;
    PyRef item = first && py_kind(tree, first) == PYK_WITH_CLAUSE ? py_first_child(tree, first) : 0;
    for (; item; item = py_next_sibling(tree, item))
      check_context(sink, item);
  }
}
