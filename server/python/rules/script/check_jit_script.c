// Functions and modules that torch.jit.script() compiles: Python that its front end refuses, wherever it stands in
// them. Each was run with torch 2.6.

#include "base/limits.h"
#include "python/rules/script/jit_script_types.h"
#include "python/rules/trace/traced_applied.h"

// Of a statement over several lines its first line is meant.
void jit_script_say(const Forward *forward, PyRef node, const char *what)
{
  DiagSink *sink = forward->sink;
  Range range = py_range(sink, node);
  size_t line_end = str_find_char(py_text(&forward->model->tree, node), '\n', 0);
  if (!sink_wants(sink, RULE_SCRIPT_PYTHON, OWN))
    return;
  if (line_end != STR_NOT_FOUND)
    range.end = range.start + line_end;
  Str message = arena_printf(sink->arena, "torch.jit.script() can't compile this: %s.", what);
  sink_add_at(sink, range, OWN, (Diagnostic){ .rule = RULE_SCRIPT_PYTHON, .message = message });
}

// --- Syntax ---

static const char *refused_syntax(PyNodeKind kind)
{
  switch (kind) {
  case PYK_TRY_STATEMENT:
    return "it knows no try";
  case PYK_LAMBDA:
    return "it knows no lambda; call a function of the module";
  case PYK_FUNCTION_DEFINITION:
    return "a function can't stand in another one";
  case PYK_CLASS_DEFINITION:
    return "a class can't stand in a function";
  case PYK_YIELD:
    return "it knows no generators";
  case PYK_GLOBAL_STATEMENT:
  case PYK_NONLOCAL_STATEMENT:
    return "only names of the function can be assigned to";
  case PYK_IMPORT_STATEMENT:
  case PYK_IMPORT_FROM_STATEMENT:
    return "import before the function";
  case PYK_NAMED_EXPRESSION:
    return "write an assignment before it";
  case PYK_SET:
  case PYK_SET_COMPREHENSION:
    return "it knows no sets; use a list or a dict";
  case PYK_MATCH_STATEMENT:
    return "write if and else for match";
  default:
    return NULL;
  }
}

/// `[x for x in y if x > 0]`, `[x + y for x in a for y in b]`
static bool is_wide_comprehension(const PyTree *tree, PyRef node)
{
  uint32_t loops = 0;
  bool has_condition = false;
  for (PY_EACH_CHILD(tree, child, node)) {
    loops += py_kind(tree, child) == PYK_FOR_IN_CLAUSE;
    has_condition |= py_kind(tree, child) == PYK_IF_CLAUSE;
  }
  return loops > 1 || has_condition;
}

static bool has_loop_else(const PyTree *tree, PyRef node)
{
  for (PY_EACH_CHILD(tree, child, node)) {
    if (py_kind(tree, child) == PYK_ELSE_CLAUSE)
      return true;
  }
  return false;
}

// --- Types ---

static bool is_literal_but_none(PyNodeKind kind)
{
  return kind == PYK_INTEGER || kind == PYK_FLOAT || kind == PYK_STRING || kind == PYK_TRUE || kind == PYK_FALSE;
}

/// What is surely no tensor: a literal, also of a list, and a turn of range().
static bool is_plain_value(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  node = py_tree_strip(tree, node);
  PyNodeKind kind = py_kind(tree, node);
  if (is_literal_but_none(kind) || kind == PYK_DICTIONARY || kind == PYK_LIST || kind == PYK_TUPLE)
    return true;
  JitType type = jit_script_type(forward, node, PY_EXPRESSION_DEPTH);
  return type != JIT_UNKNOWN && type != JIT_NONE;
}

/// `parts.append(1)` with `parts = []`: an empty list is one of tensors.
static void check_append(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef function = call->function_node;
  PyRef list = py_tree_object(tree, function);
  if (!list || py_kind(tree, list) != PYK_IDENTIFIER || call->argument_count != 1 ||
      !str_equal(py_tree_member_name(tree, function), STR("append")))
    return;
  const PyBinding *binding = forward_only_binding(forward, list);
  PyRef made = binding && binding->kind == PY_BIND_ASSIGN ? binding->value : 0;
  if (made && py_kind(tree, made) == PYK_LIST && !py_tree_first_element(tree, made) &&
      !py_child(tree, tree->nodes[made].parent, PY_F_TYPE) &&
      is_plain_value(forward, py_model_arguments(model, call)->value))
    jit_script_say(forward, call->node, "an empty list is one of tensors; say what it holds, such as List[int]");
}

/// Types stand in comments before Python 3.
static bool has_type_comments(const PyModel *model)
{
  return py_model_mentions(model, "# type:");
}

static void check_parameters(const Forward *forward)
{
  const PyModel *model = forward->model;
  const PyFunction *function = &model->functions.items[forward->function];
  for (PY_EACH_PARAM(model, param, function)) {
    PyNodeKind given = param->default_value ? py_kind(&model->tree, param->default_value) : PYK_NONE;
    if (param->kind == PY_PARAM_ARGS || param->kind == PY_PARAM_KWARGS)
      jit_script_say(forward, param->node, "a function takes a fixed number of arguments");
    else if (param->kind == PY_PARAM_KEYWORD_ONLY && param->default_value)
      jit_script_say(forward, param->node, "an argument that is given by keyword only has no default");
    else if (is_literal_but_none(given) && !param->annotation && !has_type_comments(model))
      jit_script_say(forward, param->node, "without an annotation a parameter is a tensor, and its default is none");
  }
}

// --- Calls ---

static const char *type_of_literal(PyNodeKind kind)
{
  return kind == PYK_INTEGER ? "int" : kind == PYK_FLOAT ? "float" : kind == PYK_STRING ? "str" : "bool";
}

static void check_argument(const Forward *forward, const PyParam *param, PyRef given)
{
  DiagSink *sink = forward->sink;
  const PyTree *tree = &forward->model->tree;
  PyNodeKind kind = py_kind(tree, py_tree_strip(tree, given));
  bool is_literal = is_literal_but_none(kind);
  bool is_plain = is_literal || kind == PYK_DICTIONARY || kind == PYK_LIST || kind == PYK_TUPLE;
  if (!is_plain || py_tree_try_around(tree, given) != 0 || !sink_wants(sink, RULE_SCRIPT_PYTHON, OWN))
    return;
  Str such =
      is_literal ? arena_printf(sink->arena, ", '%.*s: %s'", STR_ARG(param->name), type_of_literal(kind)) : (Str){ 0 };
  py_say(sink, RULE_SCRIPT_PYTHON, OWN, given,
         arena_printf(sink->arena,
                      "'%.*s' has no annotation, so the scripted function takes a tensor for it: say its type%.*s.",
                      STR_ARG(param->name), STR_ARG(such)),
         NULL);
}

/// What the calls of a function give to parameters that are tensors for want of an annotation.
static void check_calls(const Forward *forward)
{
  const PyModel *model = forward->model;
  const PyFunction *function = &model->functions.items[forward->function];
  for (uint32_t at = function->first_call; at != PY_ABSENT; at = model->calls.items[at].next) {
    const PyCall *call = &model->calls.items[at];
    for (uint32_t i = 0; i < function->param_count && !call->has_splat && !has_type_comments(model); i++) {
      const PyParam *param = &py_model_params(model, function)[i];
      const PyArgument *given = py_model_argument_of(model, call, i, param->name);
      if (given && !param->annotation && param->kind != PY_PARAM_ARGS && param->kind != PY_PARAM_KWARGS)
        check_argument(forward, param, given->value);
    }
  }
}

// --- What is compiled ---

static void check_node(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, node);
  const char *syntax = refused_syntax(kind);
  const PyCall *call = py_model_call(model, node);
  if (kind == PYK_STRING)
    jit_script_check_format(forward, node);
  if (forward_is_conditional(forward, node))
    return;
  if (syntax)
    jit_script_say(forward, node, syntax);
  else if (kind == PYK_LIST_COMPREHENSION && is_wide_comprehension(tree, node))
    jit_script_say(forward, node, "a comprehension has one for, and no if");
  else if ((kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT) && has_loop_else(tree, node))
    jit_script_say(forward, node, "a loop has no else");
  else if (call && traced_applied_class(model, call->function_node))
    jit_script_say(
        forward, call->function_node,
        "it refuses torch.autograd.Function, or, in torch 2.6, makes of it what can't be exported; trace the "
        "model");
  else if (call)
    check_append(forward, call);
  jit_script_check_value(forward, node);
  jit_script_check_types(forward, node);
  jit_script_check_list(forward, node);
}

static void check_function(Forward *forward)
{
  const PyTree *tree = &forward->model->tree;
  PyRef body = forward->model->functions.items[forward->function].body;
  uint32_t seen = 0;
  check_parameters(forward);
  jit_script_check_returns(forward);
  for (PyRef node = body; node && node < tree->nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    PyNodeKind kind = py_kind(tree, node);
    check_node(forward, node);
    if (py_runs_elsewhere(kind))
      node = tree->nodes[node].next - 1;
  }
}

uint32_t jit_script_compiled(const PyModel *model, const PyCall *call)
{
  const PyArgument *first = py_model_argument(model, call, 0, "obj");
  if (!first || call->has_splat || call->has_dictionary_splat)
    return PY_ABSENT;
  PyRef made = export_module_made(model, first->value);
  if (py_kind(&model->tree, made) == PYK_IDENTIFIER) {
    const PyBinding *binding = py_model_binding_of(model, call->scope, made);
    bool is_function = py_binding_is_only(binding, PY_BIND_FUNCTION);
    return is_function && model->functions.items[binding->index].outer == model->functions.items[binding->index].node
               ? binding->index
               : PY_ABSENT;
  }
  return export_forward_made(model, made);
}

/// Whether an export of this file, or of another one, has to do with what is in it.
static bool is_exported(const DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool is_it = model->exports.count > 0;
  for (size_t i = 0; i < model->classes.count && !is_it; i++)
    is_it =
        workspace_reach(sink->target->workspace, snapshot_uri(sink->snapshot), model->classes.items[i].name) != NULL;
  return is_it;
}

void check_python_jit_script(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  ExportedFunctions functions = { 0 };
  if (!is_exported(sink))
    return;
  jit_script_check_exports(sink);
  for (uint32_t i = 0; i < model->functions.count; i++) {
    if (export_is_scripted(model, i, sink->arena))
      exported_code_add(&functions, i);
  }
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    uint32_t function =
        str_equal(call->qualified, STR("torch.jit.script")) ? jit_script_compiled(model, call) : PY_ABSENT;
    if (function != PY_ABSENT)
      exported_code_add(&functions, function);
  }
  if (functions.count > 0) {
    bool *tensor_params = ARENA_ARRAY(sink->arena, bool, model->params.count);
    ModuleParts parts = module_parts(model, sink->arena);
    Forward forward = { .sink = sink, .model = model, .parts = &parts, .steps = PY_TRACING_WORK };
    forward.tensor_params = tensor_params;
    exported_code_follow(&forward, tensor_params, NULL, &functions);
    for (size_t i = 0; i < functions.count; i++) {
      forward.function = functions.items[i];
      check_function(&forward);
      if (export_is_scripted(model, forward.function, sink->arena))
        check_calls(&forward);
    }
  }
  vec_free(&functions);
}
