// symbolic() of torch.autograd.Function: it is called with what forward() is called with.

#include "base/limits.h"
#include "base/vec.h"
#include "python/rules/autograd/autograd_params.h"
#include "python/rules/python_edit.h"

/// How many arguments a method takes, after the first one that it gets from somewhere else.
static AutogradParams shape_of(const PyModel *model, const PyFunction *function, uint32_t skipped)
{
  AutogradParams shape = { .first = function->first_param + skipped };
  for (uint32_t i = skipped; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    shape.has_args |= param->kind == PY_PARAM_ARGS;
    if (param->kind != PY_PARAM_PLAIN)
      continue;
    shape.count++;
    if (!param->default_value)
      shape.required = shape.count;
  }
  return shape;
}

/// Where something is said of a function.
static PyRef title_node(const PyFunction *function)
{
  return function->name_node ? function->name_node : function->node;
}

// --- ctx ---

static bool is_graph_name(Str name)
{
  return str_equal(name, STR("g")) || str_equal(name, STR("graph")) || str_equal(name, STR("g_ctx"));
}

static bool is_used(const PyModel *model, const PyFunction *function, Str name)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_NODE(tree, node, function->body)) {
    if (py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), name))
      return true;
  }
  return false;
}

/// Calls `name.op(...)`, so that this is the graph, whatever it is called.
static bool makes_nodes_with(const PyModel *model, const PyFunction *function, Str name)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_NODE(tree, node, function->body)) {
    PyRef object = py_tree_object(tree, node);
    if (object && py_kind(tree, object) == PYK_IDENTIFIER && str_equal(py_text(tree, object), name) &&
        str_equal(py_tree_member_name(tree, node), STR("op")))
      return true;
  }
  return false;
}

/// `symbolic(ctx, g, x)`: a first parameter under another name is fine, one before the graph is not.
static bool check_context(DiagSink *sink, const PyFunction *symbolic)
{
  const PyModel *model = sink_python(sink)->model;
  if (symbolic->param_count < 2 || symbolic->is_class_method)
    return false;
  const PyParam *first = py_model_params(model, symbolic);
  const PyParam *second = first + 1;
  if (is_graph_name(first->name) || !is_graph_name(second->name) || first->kind != PY_PARAM_PLAIN ||
      makes_nodes_with(model, symbolic, first->name))
    return false;
  if (!sink_wants(sink, RULE_AUTOGRAD_CONTEXT, OWN))
    return true;
  Str message =
      arena_printf(sink->arena, "symbolic() is called with the graph first, there is no '%.*s': leave it out.",
                   STR_ARG(first->name));
  Range range = { py_range(sink, first->node).start, py_range(sink, second->node).start };
  const Fix *fix = is_used(model, symbolic, first->name)
                       ? NULL
                       : py_fix(sink, symbolic->is_static,
                                arena_printf(sink->arena, "Remove '%.*s'", STR_ARG(first->name)), range, STR(""));
  py_say(sink, RULE_AUTOGRAD_CONTEXT, OWN, first->name_node, message, fix);
  return true;
}

static void check_static(DiagSink *sink, const PyFunction *symbolic)
{
  const PyModel *model = sink_python(sink)->model;
  if (symbolic->is_static || symbolic->has_unknown_decorator || !sink_wants(sink, RULE_AUTOGRAD_NOT_STATIC, OWN))
    return;
  if (symbolic->is_class_method) {
    py_say(sink, RULE_AUTOGRAD_NOT_STATIC, OWN, symbolic->name_node,
           STR("symbolic() is a class method; it works, but PyTorch documents a @staticmethod."), NULL);
    return;
  }
  size_t start = py_range(sink, symbolic->outer).start;
  size_t line = start;
  while (line > 0 && model->tree.text.data[line - 1] != '\n')
    line--;
  Str indent = str_slice(model->tree.text, line, start);
  const Fix *fix = NULL;
  if (str_trim(indent).len == 0)
    fix = py_fix(sink, true, STR("Add @staticmethod"), (Range){ start, start },
                 arena_printf(sink->arena, "@staticmethod\n%.*s", STR_ARG(indent)));
  py_say(sink, RULE_AUTOGRAD_NOT_STATIC, OWN, symbolic->name_node,
         STR("symbolic() is called without an instance: make it a @staticmethod."), fix);
}

// --- Parameters ---

/// Whether no call can satisfy both.
bool autograd_params_differ(AutogradParams forward, AutogradParams symbolic)
{
  return (symbolic.required > forward.count && !forward.has_args) ||
         (forward.required > symbolic.count && !symbolic.has_args);
}

/// What both functions of a class take; false if one begins with `*args`.
bool autograd_params_read(const PyModel *model, const PyAutograd *autograd, AutogradParams *ret_forward,
                          AutogradParams *ret_symbolic)
{
  const PyFunction *forward = &model->functions.items[autograd->forward];
  const PyFunction *symbolic = &model->functions.items[autograd->symbolic];
  // With setup_context() beside it, forward() gets no ctx.
  bool has_context = py_model_class_function(model, autograd->class_node, STR("setup_context")) == PY_ABSENT;
  *ret_forward = shape_of(model, forward, has_context ? 1 : 0);
  *ret_symbolic = shape_of(model, symbolic, symbolic->is_class_method ? 2 : 1);
  bool is_open = has_context && forward->param_count > 0 && py_model_params(model, forward)->kind != PY_PARAM_PLAIN;
  return !is_open && (symbolic->param_count == 0 || py_model_params(model, symbolic)->kind == PY_PARAM_PLAIN);
}

/// `defined` is the function whose parameters don't fit.
void autograd_say_params(DiagSink *sink, PyRef node, const PyFunction *defined, Str where, Str message)
{
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, title_node(defined)), where };
  py_report(sink, RULE_AUTOGRAD_PARAMETERS, OWN, node,
            (Diagnostic){ .message = message, .related = related, .related_count = 1 });
}

/// `@parse_args("v", "i")` of `symbolic(g, x, bits, name)`: it wants a letter for each.
static void check_letters(DiagSink *sink, const PyFunction *symbolic)
{
  const PyModel *model = sink_python(sink)->model;
  AutogradParams own = shape_of(model, symbolic, symbolic->is_class_method ? 2 : 1);
  if (symbolic->parse_args == PY_ABSENT || !symbolic->descriptors_known || own.has_args ||
      symbolic->descriptor_count >= own.required || !sink_wants(sink, RULE_PARSE_ARGS_TOO_FEW, OWN))
    return;
  py_say(sink, RULE_PARSE_ARGS_TOO_FEW, OWN, model->calls.items[symbolic->parse_args].node,
         arena_printf(sink->arena,
                      "%u descriptor%s for the %u arguments that apply() gives symbolic(); each needs one.",
                      symbolic->descriptor_count, symbolic->descriptor_count == 1 ? "" : "s", own.required),
         NULL);
}

/// `@parse_args("v", "f")` of `symbolic(g, x, scale)`, which a call gives a weight.
static void check_read(DiagSink *sink, const PyFunction *symbolic)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  uint32_t count = symbolic->descriptors_known && !symbolic->is_class_method ? symbolic->descriptor_count : 0;
  for (uint32_t i = 0; i < count && i + 1 < symbolic->param_count; i++) {
    PyRef node = model->descriptors.items[symbolic->first_descriptor + i];
    const PyParam *param = &py_model_params(model, symbolic)[i + 1];
    Str letter = str_slice(py_text(&model->tree, node), 1, py_text(&model->tree, node).len - 1);
    bool is_read =
        export_api_descriptor(file->db, letter) && !str_equal(letter, STR("v")) && !str_equal(letter, STR("none"));
    if (!is_read || (file->argument_kinds[symbolic->first_param + i + 1] & PY_TRACED) == 0 ||
        !sink_wants(sink, RULE_PARSE_ARGS_TYPE, OWN))
      continue;
    py_say(sink, RULE_PARSE_ARGS_TYPE, OWN, node,
           arena_printf(sink->arena,
                        "apply() gives '%.*s' a tensor of the model, and \"%.*s\" reads only what is constant: write "
                        "\"v\", and make it an input.",
                        STR_ARG(param->name), STR_ARG(letter)),
           NULL);
  }
}

static void check_params(DiagSink *sink, const PyAutograd *autograd)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *forward_function = &model->functions.items[autograd->forward];
  const PyFunction *symbolic = &model->functions.items[autograd->symbolic];
  AutogradParams forward, own;
  if (!autograd_params_read(model, autograd, &forward, &own))
    return;
  if (!autograd_params_differ(forward, own)) {
    autograd_check_names(sink, symbolic, forward, own);
    return;
  }
  if (!sink_wants(sink, RULE_AUTOGRAD_PARAMETERS, OWN))
    return;
  Str message =
      arena_printf(sink->arena,
                   "symbolic() takes %.*s after the graph, but is called with what forward() takes after ctx: "
                   "%.*s.",
                   STR_ARG(autograd_param_list(sink, own)), STR_ARG(autograd_param_list(sink, forward)));
  autograd_say_params(sink, title_node(symbolic), forward_function, STR("forward() is defined here."), message);
}

// --- Outputs ---

/// Elements of a tuple that is written out; 0 if it is none, or may hold more or other things.
static int tuple_length(const PyTree *tree, PyRef node)
{
  node = py_tree_strip(tree, node);
  if (py_kind(tree, node) != PYK_TUPLE && py_kind(tree, node) != PYK_EXPRESSION_LIST)
    return 0;
  int length = 0;
  for (PyRef item = py_tree_first_element(tree, node); item; item = py_tree_next_element(tree, item), length++) {
    PyNodeKind kind = py_kind(tree, item);
    if (kind == PYK_LIST_SPLAT || kind == PYK_NONE)
      return 0;
  }
  return length;
}

/// How many values an expression surely gives; 0 if that is not known.
static int value_count(const PyFile *file, PyRef node)
{
  const PyModel *model = file->model;
  int length = tuple_length(&model->tree, node);
  if (length > 0)
    return length;
  PyValue value = py_file_value(file, node);
  if (py_file_is_only(value, PY_VALUE))
    return 1;
  return py_file_is_only(value, PY_LIST) && value.length > 0 ? value.length : 0;
}

/// `relu` of `x.relu()`, torch.relu(x) and torch.nn.functional.relu(x); empty for other calls.
static Str torch_name(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  PyRef function = call ? call->function_node : 0;
  if (!call || py_kind(&model->tree, function) != PYK_ATTRIBUTE)
    return (Str){ 0 };
  bool is_torch = str_starts_with(call->qualified, STR("torch."));
  bool is_method = call->qualified.len == 0;
  return is_torch || is_method ? py_tree_member_name(&model->tree, function) : (Str){ 0 };
}

/// Those that do not are of TorchScript's numbers and lists, if others do: forward() never gets there.
static bool takes_tensor(const TorchOverload *overload)
{
  return overload->argument_count > 0 && str_starts_with(overload->arguments[0].type, STR("Tensor"));
}

/// Does the operator give one tensor, in all its overloads?
static bool gives_one_tensor(const PyFile *file, Str name)
{
  char text[64];
  if (name.len == 0 || name.len + 6 > sizeof(text))
    return false;
  memcpy(text, "aten::", 6);
  memcpy(text + 6, name.data, name.len);
  const TorchOperator *op = symbolics_torch_operator(file->db, str_make(text, name.len + 6));
  bool is_of_tensors = false;
  for (uint32_t i = 0; op && i < op->overload_count; i++)
    is_of_tensors |= takes_tensor(&op->overloads[i]);
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (is_of_tensors && !takes_tensor(overload))
      continue;
    if (overload->return_count != 1 || !str_starts_with(overload->returns[0].type, STR("Tensor")) ||
        str_ends_with(overload->returns[0].type, STR("]")))
      return false;
  }
  return op != NULL;
}

/// What a function of the file gives back, if the node is a call of it; 0.
static PyRef given_back(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  const PyFunction *function = call && call->function != PY_ABSENT ? &model->functions.items[call->function] : NULL;
  return function && !function->has_unknown_decorator ? function->returned : 0;
}

/// How many values forward() surely returns there; 0 if that is not known.
static int returned_count(const PyFile *file, PyRef value)
{
  const PyModel *model = file->model;
  PyRef known = py_model_resolve(model, value);
  for (int i = 0; i < PY_ALIAS_LIMIT && (value = given_back(model, known)) != 0; i++)
    known = py_model_resolve(model, value);
  int length = tuple_length(&model->tree, known);
  if (length > 0)
    return length;
  PyNodeKind kind = py_kind(&model->tree, known);
  if (kind == PYK_CALL)
    return gives_one_tensor(file, torch_name(model, known));
  // A sequence plus a sequence is one, too.
  PyRef left = kind == PYK_BINARY_OPERATOR ? py_child(&model->tree, known, PY_F_LEFT) : 0;
  bool is_number = left && py_kind(&model->tree, left) != PYK_TUPLE && py_kind(&model->tree, left) != PYK_LIST;
  return is_number || kind == PYK_UNARY_OPERATOR;
}

/// What all `return`s of forward() have: 0 if they differ or one is not known.
static int forward_outputs(const PyFile *file, const PyFunction *forward)
{
  const PyModel *model = file->model;
  const PyTree *tree = &model->tree;
  uint32_t index = py_model_function_at(model, forward->node);
  int count = 0;
  for (PY_EACH_NODE(tree, node, forward->body)) {
    if (py_kind(tree, node) != PYK_RETURN_STATEMENT || py_model_scope_of(model, node) != index)
      continue;
    PyRef value = py_first_child(tree, node);
    int length = value ? returned_count(file, value) : 0;
    if (length == 0 || (count != 0 && length != count))
      return 0;
    count = length;
  }
  return count;
}

/// Whether it is surely a list, and no tuple: written so, or given back by a function of the file that writes it so.
static bool is_list(const PyModel *model, PyRef value)
{
  PyRef known = py_model_resolve(model, value);
  const PyCall *call = py_model_call(model, known);
  uint32_t callee = call ? call->function : PY_ABSENT;
  if (callee != PY_ABSENT && model->functions.items[callee].returned &&
      !model->functions.items[callee].has_unknown_decorator)
    known = py_model_resolve(model, model->functions.items[callee].returned);
  PyNodeKind kind = py_kind(&model->tree, known);
  return kind == PYK_LIST || kind == PYK_LIST_COMPREHENSION;
}

/// torch 1.13, 2.6 and 2.14 give up on it with "INTERNAL ASSERT FAILED".
static void check_returned_lists(DiagSink *sink, const PyFunction *forward)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  uint32_t index = py_model_function_at(model, forward->node);
  for (PY_EACH_NODE(tree, node, forward->body)) {
    PyRef value = py_kind(tree, node) == PYK_RETURN_STATEMENT && py_model_scope_of(model, node) == index
                      ? py_first_child(tree, node)
                      : 0;
    if (!value || !is_list(model, value) || !sink_wants(sink, RULE_AUTOGRAD_OUTPUTS, OWN))
      continue;
    py_say(
        sink, RULE_AUTOGRAD_OUTPUTS, OWN, value,
        STR("forward() returns a list, on which the TorchScript exporter fails with an internal error: return a "
            "tuple."),
        py_edit_replace(sink, false, value, arena_printf(sink->arena, "tuple(%.*s)", STR_ARG(py_text(tree, value)))));
  }
}

static void check_outputs(DiagSink *sink, const PyFunction *forward, const PyFunction *symbolic)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  check_returned_lists(sink, forward);
  int expected = forward_outputs(sink_python(sink), forward);
  uint32_t index = py_model_function_at(model, symbolic->node);
  for (PyRef node = symbolic->body; expected > 0 && node && node < tree->nodes[symbolic->body].next; node++) {
    if (py_kind(tree, node) != PYK_RETURN_STATEMENT || py_model_scope_of(model, node) != index)
      continue;
    PyRef value = py_first_child(tree, node);
    int count = value ? value_count(sink_python(sink), value) : 0;
    if (count == 0 || count == expected || !sink_wants(sink, RULE_AUTOGRAD_OUTPUTS, OWN))
      continue;
    Str message = arena_printf(sink->arena, "symbolic() returns %d value%s, but forward() returns %d.", count,
                               count == 1 ? "" : "s", expected);
    py_say(sink, RULE_AUTOGRAD_OUTPUTS, OWN, value, message, NULL);
  }
}

// --- Other names ---

/// Whether nothing in the file says the name but the definition.
static bool is_only_defined(const PyModel *model, const PyFunction *function)
{
  for (PyRef node = 1; node < model->tree.count; node++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    if ((kind == PYK_IDENTIFIER || kind == PYK_STRING) && node != function->name_node &&
        str_contains(py_text(&model->tree, node), function->name))
      return false;
  }
  return true;
}

/// `def symbolc(g, x)`: the exporter asks for `symbolic` alone, and else traces forward().
static void check_name(DiagSink *sink, const PyFunction *function, int *looked)
{
  const PyModel *model = sink_python(sink)->model;
  const PyClass *class = py_model_class_at(model, function->class_node);
  static const char *const others[] = { "forward", "backward", "jvp", "vmap", "setup_context", "symbolic" };
  if (!class || !class->is_autograd || function->param_count == 0 ||
      str_is_one_of(function->name, others, COUNT(others)) || function->has_unknown_decorator ||
      function->first_call != PY_ABSENT || function->first_method_call != PY_ABSENT ||
      function->first_registration != PY_ABSENT)
    return;
  const PyParam *first = py_model_params(model, function);
  if (!makes_nodes_with(model, function, first->name) || py_model_method(model, class->node, STR("op")) != PY_ABSENT ||
      py_model_class_function(model, class->node, STR("symbolic")) != PY_ABSENT ||
      py_model_member_is_set_elsewhere(model, class->node, STR("symbolic")) || (*looked)++ >= PY_IDLE_LIMIT ||
      !is_only_defined(model, function) || !sink_wants(sink, RULE_UNREGISTERED_SYMBOLIC, SEVERITY_WARNING))
    return;
  py_say(sink, RULE_UNREGISTERED_SYMBOLIC, SEVERITY_WARNING, function->name_node,
         arena_printf(sink->arena,
                      "Nothing calls '%.*s': the exporter asks a torch.autograd.Function for 'symbolic', and traces "
                      "forward() if it has none.",
                      STR_ARG(function->name)),
         py_edit_replace(sink, false, function->name_node, STR("symbolic")));
}

/// `def forward(self, ctx, x)`: apply() calls it with ctx first, and without an object. True after a report.
static bool check_forward_object(DiagSink *sink, const PyFunction *forward)
{
  const PyParam *first = &sink_python(sink)->model->params.items[forward->first_param];
  if (forward->param_count < 2 || !str_equal(first->name, STR("self")) || !str_equal(first[1].name, STR("ctx")) ||
      !sink_wants(sink, RULE_AUTOGRAD_CONTEXT, OWN))
    return false;
  py_say(sink, RULE_AUTOGRAD_CONTEXT, OWN, first->name_node,
         STR("forward() is called with ctx first, and there is no 'self': make it a @staticmethod without it."), NULL);
  return true;
}

static void check_function(DiagSink *sink, const PyAutograd *autograd)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *symbolic = &model->functions.items[autograd->symbolic];
  const PyFunction *forward = autograd->forward == PY_ABSENT ? NULL : &model->functions.items[autograd->forward];
  if (symbolic->has_unknown_decorator || check_context(sink, symbolic))
    return;
  if (symbolic->class_node)
    check_static(sink, symbolic);
  check_letters(sink, symbolic);
  check_read(sink, symbolic);
  if (forward && !forward->has_unknown_decorator && !check_forward_object(sink, forward)) {
    check_params(sink, autograd);
    check_outputs(sink, forward, symbolic);
  }
}

void check_python_autograd(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool any = false;
  for (size_t i = 0; i < model->classes.count; i++)
    any |= model->classes.items[i].is_autograd;
  for (size_t i = 0; i < model->autograds.count && i < PY_METHOD_LIMIT; i++)
    check_function(sink, &model->autograds.items[i]);
  int looked = 0;
  for (size_t i = 0; i < model->functions.count && any; i++)
    check_name(sink, &model->functions.items[i], &looked);
}
