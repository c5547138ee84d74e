// What is done with the ONNXProgram that torch.onnx.export() gives back, or with the None of the TorchScript exporter.

#include "base/limits.h"
#include "base/nearest.h"
#include "python/rules/export_call.h"

/// Members of torch.onnx.ONNXProgram in torch 2.6 and 2.14, as dir() of a program gives them.
static const char *const members[] = {
  "apply_weights", "call_reference", "compute_values", "exported_program", "initialize_inference_session",
  "model",         "model_proto",    "optimize",       "release",          "rename_axes",
  "save",
};

/// Those of them that can't be called.
static const char *const values[] = { "exported_program", "model", "model_proto" };

/// What the methods take: `params` in order, of which the first `positional` may go without their names. Those of torch
/// 2.6 and 2.14 are the same.
typedef struct ProgramMethod {
  const char *name;
  uint32_t required, positional;
  const char *params[4];
} ProgramMethod;

static const ProgramMethod methods[] = {
  { "apply_weights", 1, 1, { "state_dict" } },
  { "compute_values", 1, 3, { "value_names", "args", "kwargs" } },
  { "initialize_inference_session", 0, 1, { "initializer" } },
  { "optimize", 0, 0, { NULL } },
  { "release", 0, 0, { NULL } },
  { "rename_axes", 1, 1, { "rename_mapping" } },
  { "save", 1, 1, { "destination", "include_initializers", "keep_initializers_as_inputs", "external_data" } },
};

/// The name that the result of the call alone is bound to; 0.
static PyRef bound_name(const PyModel *model, const PyCall *call, uint32_t *ret_binding)
{
  const PyTree *tree = &model->tree;
  PyRef assignment = tree->nodes[call->node].parent;
  PyRef name = py_kind(tree, assignment) == PYK_ASSIGNMENT ? py_child(tree, assignment, PY_F_LEFT) : 0;
  if (!name || py_kind(tree, name) != PYK_IDENTIFIER)
    return 0;
  *ret_binding = py_model_lookup(model, call->scope, py_text(tree, name));
  const PyBinding *binding = *ret_binding == PY_ABSENT ? NULL : &model->bindings.items[*ret_binding];
  return binding && binding->node == name && binding->next == PY_ABSENT ? name : 0;
}

static void say(const ExportCall *export, PyRef node, Str message, const Fix *fix)
{
  if (sink_wants(export->sink, RULE_UNSTABLE_API, SEVERITY_ERROR))
    py_say(export->sink, RULE_UNSTABLE_API, SEVERITY_ERROR, node, message, fix);
}

static const ProgramMethod *method_named(Str name)
{
  for (size_t i = 0; i < COUNT(methods); i++) {
    if (str_equal(name, str_from(methods[i].name)))
      return &methods[i];
  }
  return NULL;
}

static bool is_param(const ProgramMethod *method, Str name)
{
  for (size_t i = 0; i < COUNT(method->params) && method->params[i]; i++) {
    if (str_equal(name, str_from(method->params[i])))
      return true;
  }
  return false;
}

static void say_unknown_keyword(const ExportCall *export, const ProgramMethod *method, const PyArgument *argument)
{
  Arena *arena = export->sink->arena;
  size_t count = 0;
  while (count < COUNT(method->params) && method->params[count])
    count++;
  const char *near = nearest_word(arena_copy(arena, argument->keyword).data, method->params, count);
  say(export, argument->node,
      arena_printf(arena, "%s() of an ONNXProgram has no argument '%.*s'%s%s%s", method->name,
                   STR_ARG(argument->keyword), near ? ": did you mean '" : ".", near ? near : "", near ? "'?" : ""),
      NULL);
}

/// `program.apply_weights("w.pt")`: it takes the items of the state_dict itself.
static void check_weights(const ExportCall *export, const PyArgument *weights)
{
  PyNodeKind kind = py_kind(&export->model->tree, py_model_resolve(export->model, weights->value));
  if (kind == PYK_STRING || kind == PYK_CONCATENATED_STRING || kind == PYK_LIST || kind == PYK_TUPLE)
    say(export, weights->value, STR("apply_weights() takes a state_dict, of which it reads the items: load it first."),
        NULL);
}

/// `program.save("m.onnx", use_external_data=True)`.
static void check_method_call(const ExportCall *export, const ProgramMethod *method, const PyCall *call)
{
  const PyModel *model = export->model;
  Arena *arena = export->sink->arena;
  uint32_t positional = 0;
  if (call->has_splat || call->has_dictionary_splat)
    return;
  for (uint32_t i = 0; i < call->argument_count; i++) {
    const PyArgument *argument = &model->arguments.items[call->first_argument + i];
    positional += argument->keyword.len == 0;
    if (argument->keyword.len > 0 && !is_param(method, argument->keyword)) {
      say_unknown_keyword(export, method, argument);
      return;
    }
  }
  if (positional > method->positional)
    say(export, call->function_node,
        arena_printf(arena, "%s() of an ONNXProgram takes %u argument%s by position, and this gives %u.", method->name,
                     method->positional, method->positional == 1 ? "" : "s", positional),
        NULL);
  else if (method->required > 0 && !py_model_argument(model, call, 0, method->params[0]))
    say(export, call->function_node,
        arena_printf(arena, "'%s' is missing, which %s() of an ONNXProgram needs.", method->params[0], method->name),
        NULL);
  else if (str_equal(str_from(method->name), STR("apply_weights")))
    check_weights(export, py_model_argument(model, call, 0, method->params[0]));
}

/// `program.save_model`, where `attribute` stands.
static void check_member(const ExportCall *export, PyRef attribute)
{
  const PyTree *tree = &export->model->tree;
  Arena *arena = export->sink->arena;
  PyRef name = py_child(tree, attribute, PY_F_ATTRIBUTE);
  Str text = py_text(tree, name);
  PyRef parent = tree->nodes[attribute].parent;
  bool is_called = py_kind(tree, parent) == PYK_CALL && py_child(tree, parent, PY_F_FUNCTION) == attribute;
  bool is_set = py_kind(tree, parent) == PYK_ASSIGNMENT && py_child(tree, parent, PY_F_LEFT) == attribute;
  bool is_private = text.len > 0 && text.data[0] == '_';
  if (is_called && str_is_one_of(text, values, COUNT(values)) && !str_equal(text, STR("exported_program"))) {
    PyRef list = py_child(tree, parent, PY_F_ARGUMENTS);
    bool is_empty = list && !py_first_child(tree, list);
    say(export, name, arena_printf(arena, "'%.*s' is a value of the ONNXProgram, no method.", STR_ARG(text)),
        is_empty ? py_edit_replace(export->sink, true, parent, py_text(tree, attribute)) : NULL);
  } else if (!is_set && !is_private && !str_is_one_of(text, members, COUNT(members))) {
    const char *near = nearest_word(arena_copy(arena, text).data, members, COUNT(members));
    if (!near && str_starts_with(text, STR("save")))
      near = "save";
    say(export, name,
        arena_printf(arena, "An ONNXProgram has no member '%.*s'%s%s%s", STR_ARG(text), near ? ": did you mean '" : ".",
                     near ? near : "", near ? "'?" : ""),
        near ? py_edit_replace(export->sink, false, name, str_from(near)) : NULL);
  } else if (is_called && method_named(text)) {
    uint32_t call = py_model_call_at(export->model, parent);
    if (call != PY_ABSENT)
      check_method_call(export, method_named(text), &export->model->calls.items[call]);
  }
}

/// `onnx.checker.check_model(program)`, where `program` stands.
static void check_none_argument(const ExportCall *export, PyRef node)
{
  const PyModel *model = export->model;
  PyRef list = model->tree.nodes[node].parent;
  uint32_t call = py_kind(&model->tree, list) == PYK_ARGUMENT_LIST
                      ? py_model_call_at(model, model->tree.nodes[list].parent)
                      : PY_ABSENT;
  Str name = call == PY_ABSENT ? (Str){ 0 } : model->calls.items[call].qualified;
  if (str_starts_with(name, STR("onnx.")) || str_starts_with(name, STR("onnxruntime.")))
    say(export, node,
        STR("This is None: the TorchScript exporter writes the file, and gives nothing back. Load the file."), NULL);
}

/// One use of what the call gave.
static void check_use(const ExportCall *export, PyRef node)
{
  const PyTree *tree = &export->model->tree;
  PyRef parent = tree->nodes[node].parent;
  bool is_object = py_kind(tree, parent) == PYK_ATTRIBUTE && py_child(tree, parent, PY_F_OBJECT) == node;
  if (is_object && export->kind == EXPORT_DYNAMO)
    check_member(export, parent);
  else if (is_object && !str_starts_with(py_text(tree, py_child(tree, parent, PY_F_ATTRIBUTE)), STR("__")))
    say(export, py_child(tree, parent, PY_F_ATTRIBUTE),
        STR("The TorchScript exporter writes the file, and gives None back; with dynamo=True it is an ONNXProgram."),
        NULL);
  else if (export->kind != EXPORT_DYNAMO)
    check_none_argument(export, node);
}

/// Whether it is sure what the call gives.
static bool is_known(const ExportCall *export)
{
  if (export->is_capture || py_file_asks_version(export->file, export->call->node))
    return false;
  if (export->kind == EXPORT_DYNAMO)
    return export_torch_is_from(export->file, 2, 6);
  bool is_said = export->says_dynamo || !export->file->target->torch_is_default;
  return export->kind == EXPORT_TRACES && is_said && !export->is_exported_program &&
         str_equal(export->call->qualified, STR("torch.onnx.export"));
}

/// Calls `visit` with the call, and with each name that stands for what it gave.
static void each_use(const ExportCall *export, void (*visit)(const ExportCall *, PyRef))
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  uint32_t binding = PY_ABSENT;
  visit(export, export->call->node);
  PyRef bound = bound_name(model, export->call, &binding);
  Str name = bound ? py_text(tree, bound) : (Str){ 0 };
  uint32_t steps = 0;
  for (PyRef node = export->call->node; bound && node < tree->count && steps < PY_METHOD_NODE_LIMIT; node++, steps++) {
    if (py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), name) &&
        py_model_scope_of(model, node) == export->call->scope &&
        py_model_lookup(model, export->call->scope, name) == binding)
      visit(export, node);
  }
}

void export_check_program(const ExportCall *export)
{
  if (is_known(export))
    each_use(export, check_use);
}

// --- What torch.export.export() gives ---

/// Members of torch.export.ExportedProgram in torch 2.6 and 2.14, as dir() of one gives them.
static const char *const captured_members[] = {
  "buffers",           "call_spec",         "constants",
  "dialect",           "example_inputs",    "graph",
  "graph_module",      "graph_signature",   "module",
  "module_call_graph", "named_buffers",     "named_parameters",
  "parameters",        "range_constraints", "run_decompositions",
  "state_dict",        "tensor_constants",  "validate",
  "verifier",          "verifiers",
};

/// What only modules have.
static bool is_of_module(Str name)
{
  static const char *const names[] = { "eval", "train", "to", "cuda", "cpu", "half", "float", "forward", "modules" };
  return str_is_one_of(name, names, COUNT(names));
}

static void check_captured_use(const ExportCall *export, PyRef node)
{
  const PyTree *tree = &export->model->tree;
  Arena *arena = export->sink->arena;
  PyRef parent = tree->nodes[node].parent;
  if (py_kind(tree, parent) == PYK_CALL && py_child(tree, parent, PY_F_FUNCTION) == node) {
    say(export, node, STR("An ExportedProgram can't be called: call what its module() gives."),
        py_edit_after(export->sink, true, STR("Add .module()"), node, STR(".module()")));
    return;
  }
  if (py_kind(tree, parent) != PYK_ATTRIBUTE || py_child(tree, parent, PY_F_OBJECT) != node)
    return;
  PyRef name = py_child(tree, parent, PY_F_ATTRIBUTE);
  PyRef around = tree->nodes[parent].parent;
  bool is_set = py_kind(tree, around) == PYK_ASSIGNMENT && py_child(tree, around, PY_F_LEFT) == parent;
  Str text = py_text(tree, name);
  if (is_set || text.len == 0 || text.data[0] == '_' || str_is_one_of(text, captured_members, COUNT(captured_members)))
    return;
  const char *near = nearest_word(arena_copy(arena, text).data, captured_members, COUNT(captured_members));
  Str then = is_of_module(text) ? STR(": it is no module, module() gives one.")
             : near             ? arena_printf(arena, ": did you mean '%s'?", near)
                                : STR(".");
  say(export, name, arena_printf(arena, "An ExportedProgram has no member '%.*s'%.*s", STR_ARG(text), STR_ARG(then)),
      NULL);
}

void export_check_captured(const ExportCall *export)
{
  if (!py_file_asks_version(export->file, export->call->node))
    each_use(export, check_captured_use);
}
