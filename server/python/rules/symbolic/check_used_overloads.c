// The number of parameters of a symbolic function against the overloads of its operator that models in the file use:
// the exporter passes all arguments of the schema. Run with torch 1.13, 2.6 and 2.14.

#include "base/limits.h"
#include "base/search.h"
#include "facts/functions.h"
#include "python/rules/forward/called_names.h"
#include "python/rules/symbolic/used_overloads.h"

static int compare_uses(const void *a, const void *b)
{
  const OperatorUse *x = a, *y = b;
  int order = str_compare(x->name, y->name);
  return order != 0 ? order : (x->call > y->call) - (x->call < y->call);
}

/// The class of a module whose forward() the call stands in, and that an export may trace.
static bool is_traced(const DiagSink *sink, const bool *reached, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *function = call->scope == PY_ABSENT ? NULL : &model->functions.items[call->scope];
  const PyClass *class =
      function && str_equal(function->name, STR("forward")) ? py_model_class_at(model, function->class_node) : NULL;
  return class && class->is_module && reached[class - model->classes.items];
}

/// `MODEL = lambda x: torch.all(x, 1)` of the module, which what imports the file wraps and exports: its parameters are
/// tensors.
static bool is_lambda_model(const PyModel *model, uint32_t index)
{
  const PyTree *tree = &model->tree;
  const PyFunction *function = &model->functions.items[index];
  PyRef up = function->name_node ? 0 : tree->nodes[function->node].parent;
  return up && function->parent == PY_ABSENT && py_kind(tree, up) == PYK_ASSIGNMENT &&
         py_kind(tree, tree->nodes[up].parent) == PYK_EXPRESSION_STATEMENT &&
         (function->roles & (PY_ROLE_REGISTERED | PY_ROLE_HELPER | PY_ROLE_AUTOGRAD)) == 0 &&
         function->plain_count == function->param_count;
}

/// The calls in such lambdas, of a file that exports nothing itself.
static void read_lambdas(DiagSink *sink, OperatorUses *uses)
{
  const PyModel *model = sink_python(sink)->model;
  uses->parts = module_parts(model, sink->arena);
  uses->tensor_params = ARENA_ARRAY(sink->arena, bool, model->params.count);
  uses->items = ARENA_ARRAY(sink->arena, OperatorUse, model->calls.count);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    Str name = py_tree_member_name(&model->tree, call->function_node);
    if (name.len == 0 || call->scope == PY_ABSENT || !is_lambda_model(model, call->scope))
      continue;
    const PyFunction *function = &model->functions.items[call->scope];
    for (uint32_t k = 0; k < function->param_count; k++)
      uses->tensor_params[function->first_param + k] = true;
    uses->items[uses->count++] = (OperatorUse){ name, call };
  }
  if (uses->count > 0)
    sort_stable(uses->items, uses->count, sizeof(*uses->items), compare_uses);
}

/// Which parameters of forward() get tensors in the examples of exports.
static bool *tensors_given(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool *params = ARENA_ARRAY(sink->arena, bool, model->params.count);
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    ExportModel made = export_model(&export);
    if (made.forward != PY_ABSENT)
      forward_note_tensors(&export, &made, params);
  }
  return params;
}

static void read_uses(DiagSink *sink, OperatorUses *uses)
{
  const PyModel *model = sink_python(sink)->model;
  uses->is_read = true;
  if (model->exports.count == 0) {
    read_lambdas(sink, uses);
    return;
  }
  const bool *reached = export_reached_classes(sink, EXPORT_DYNAMO);
  uses->parts = module_parts(model, sink->arena);
  uses->tensor_params = tensors_given(sink);
  uses->items = ARENA_ARRAY(sink->arena, OperatorUse, model->calls.count);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    Str name = py_tree_member_name(&model->tree, call->function_node);
    if (name.len > 0 && is_traced(sink, reached, call))
      uses->items[uses->count++] = (OperatorUse){ name, call };
  }
  if (uses->count > 0)
    sort_stable(uses->items, uses->count, sizeof(*uses->items), compare_uses);
}

/// Whether the function may have returned before that place.
static bool may_be_left(const PyModel *model, PyRef body, PyRef place)
{
  for (PyRef node = body; node < place; node++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    if (kind == PYK_RETURN_STATEMENT || kind == PYK_RAISE_STATEMENT)
      return true;
  }
  return false;
}

/// Whether the call is run whenever its function is.
static bool is_surely_run(const PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  PyRef body = model->functions.items[call->scope].body, at = tree->nodes[call->node].parent;
  PyRef statement = call->node;
  if (call->node == body)
    return true;
  for (int i = 0; at && at != body && i < PY_NESTING_LIMIT; i++) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_IF_STATEMENT || kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT ||
        kind == PYK_TRY_STATEMENT || kind == PYK_CONDITIONAL_EXPRESSION || kind == PYK_BOOLEAN_OPERATOR ||
        kind == PYK_LAMBDA || py_kind_is_comprehension(kind))
      return false;
    statement = at;
    at = tree->nodes[at].parent;
  }
  return at == body && statement - body <= PY_METHOD_NODE_LIMIT && !may_be_left(model, body, statement);
}

/// Whether a call with so many arguments by position, the tensor that it is a method of among them, may be of the
/// overload.
static bool may_be(const PyModel *model, const PyCall *call, uint32_t given, const TorchOverload *overload)
{
  uint32_t named = 0, needed = 0;
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    const TorchArgument *argument = &overload->arguments[i];
    bool is_named = py_model_argument_of(model, call, PY_ABSENT, argument->name) != NULL;
    bool is_given = i < given && !argument->is_kwarg_only;
    if (is_named && is_given)
      return false;
    named += is_named;
    needed += !is_named && !is_given && !argument->has_default;
  }
  uint32_t plain = 0;
  while (plain < overload->argument_count && !overload->arguments[plain].is_kwarg_only)
    plain++;
  return needed == 0 && given <= plain && named == call->argument_count - py_model_positional_count(model, call);
}

/// Whether the exporter passes the function another number of arguments than it takes. @parse_args wants a letter for
/// each.
static bool is_refused(const FunctionCheck *check, const TorchOverload *overload)
{
  bool has_letters = check->function->parse_args != PY_ABSENT;
  return has_letters
             ? check->function->descriptors_known && overload->argument_count > check->function->descriptor_count
             : !function_takes(check, overload);
}

/// The overload of the call if the function is refused by all that it may be of; NULL.
static const TorchOverload *refused_overload(const FunctionCheck *check, const PyCall *call, bool is_method)
{
  const TorchOverload *found = NULL;
  uint32_t given = py_model_positional_count(check->model, call) + is_method;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    const TorchOverload *overload = check->overloads[i];
    if (!may_be(check->model, call, given, overload))
      continue;
    if (!is_refused(check, overload))
      return NULL;
    found = found ? found : overload;
  }
  return found;
}

/// Whether the call surely becomes that operator, and no other.
static bool becomes(const FunctionCheck *check, OperatorUses *uses, const PyCall *call)
{
  Forward forward = { .sink = check->sink,
                      .model = check->model,
                      .function = call->scope,
                      .parts = &uses->parts,
                      .tensor_params = uses->tensor_params,
                      .is_traced = true,
                      .steps = PY_TRACING_WORK };
  CalledNames names = called_names(&forward, call, EXPORTER_TORCHSCRIPT);
  Str operators =
      names.count == 1 ? called_name_operators(check->file, EXPORTER_TORCHSCRIPT, names.items[0]) : (Str){ 0 };
  Str kind, rest = operators;
  return functions_next(&rest, &kind) && rest.len == 0 && str_equal(kind, check->name);
}

static void say(const FunctionCheck *check, const PyCall *call, const TorchOverload *overload)
{
  DiagSink *sink = check->sink;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ .range = py_range(sink, call->node), .message = STR("This is the call.") };
  py_report(sink, RULE_PARAMETER_COUNT, OWN, function_place(check),
            (Diagnostic){ .message = arena_printf(sink->arena,
                                                  "The exporter passes %u arguments after g, %.*s, where a model of "
                                                  "this file calls it, and this function takes %u.",
                                                  overload->argument_count,
                                                  STR_ARG(function_signature(check, overload)), check->param_count),
                          .related = related,
                          .related_count = 1 });
}

bool check_used_overloads(const FunctionCheck *check, OperatorUses *uses)
{
  Str name = str_after_last(check->name, ':');
  size_t at = 0;
  if (!check->any_fits || check->overload_count < 2 || check->has_args)
    return true;
  if (!uses->is_read)
    read_uses(check->sink, uses);
  SEARCH_FIRST(at, 0, uses->count, str_compare(uses->items[at].name, name) < 0);
  for (size_t seen = 0; at < uses->count && str_equal(uses->items[at].name, name) && seen < PY_CALLER_LIMIT;
       at++, seen++) {
    const PyCall *call = uses->items[at].call;
    bool is_method = !str_starts_with(call->qualified, STR("torch."));
    const TorchOverload *overload =
        call->has_splat || call->has_dictionary_splat ? NULL : refused_overload(check, call, is_method);
    if (!overload || !is_surely_run(check->model, call) || !becomes(check, uses, call))
      continue;
    if (sink_wants(check->sink, RULE_PARAMETER_COUNT, OWN))
      say(check, call, overload);
    return false;
  }
  return true;
}

// --- Constants ---

/// `_get_const(by, "f", "by")` of a parameter; 0. Of the letters of @parse_args parse-args-type speaks.
static PyRef constant_read(const FunctionCheck *check, uint32_t position)
{
  const PyModel *model = check->model;
  const PyTree *tree = &model->tree;
  const PyFunction *function = check->function;
  size_t at;
  SEARCH_FIRST(at, 0, model->calls.count, model->calls.items[at].node < function->body);
  for (; at < model->calls.count && model->calls.items[at].node < tree->nodes[function->body].next; at++) {
    const PyCall *call = &model->calls.items[at];
    const PyArgument *value = str_equal(call->qualified, STR("torch.onnx.symbolic_helper._get_const"))
                                  ? py_model_argument(model, call, 0, "value")
                                  : NULL;
    const PyBinding *param = value ? py_model_binding_at(model, value->value) : NULL;
    if (py_binding_is_only(param, PY_BIND_PARAM) && str_equal(param->name, check->params[position].name) &&
        call->scope == check->index && is_surely_run(model, call))
      return value->value;
  }
  return 0;
}

/// Whether the argument is an input of the model that gets a tensor.
static bool is_input(const OperatorUses *uses, const PyModel *model, PyRef value)
{
  const PyBinding *param = py_model_binding_at(model, py_tree_strip(&model->tree, value));
  return py_binding_is_only(param, PY_BIND_PARAM) && uses->tensor_params[param->index];
}

static void check_constants_of(const FunctionCheck *check, const OperatorUses *uses, const PyCall *call)
{
  for (uint32_t i = 0; i < check->param_count; i++) {
    const PyArgument *given = py_model_argument(check->model, call, i, NULL);
    PyRef read = given && is_input(uses, check->model, given->value) ? constant_read(check, i) : 0;
    if (!read || !sink_wants(check->sink, RULE_HELPER_CALL, OWN))
      continue;
    RelatedLocation *related = ARENA_NEW(check->sink->arena, RelatedLocation);
    *related = (RelatedLocation){ py_range(check->sink, given->node), STR("This is the input.") };
    py_report(check->sink, RULE_HELPER_CALL, OWN, read,
              (Diagnostic){ .message = arena_printf(check->sink->arena,
                                                    "'%.*s' is read as a constant here, and a model of this file gives "
                                                    "it one of its inputs.",
                                                    STR_ARG(check->params[i].name)),
                            .related = related,
                            .related_count = 1 });
  }
}

void check_used_constants(const FunctionCheck *check, OperatorUses *uses)
{
  Str name = str_after_last(check->name, ':');
  size_t at = 0, colon = str_find(check->name, STR("::"), 0);
  if (check->model->exports.count == 0 || colon == STR_NOT_FOUND || !check->function->body ||
      str_starts_with(check->name, STR("aten::")))
    return;
  if (!uses->is_read)
    read_uses(check->sink, uses);
  Str wanted = arena_printf(check->sink->arena, "torch.ops.%.*s.%.*s", (int)colon, check->name.data, STR_ARG(name));
  SEARCH_FIRST(at, 0, uses->count, str_compare(uses->items[at].name, name) < 0);
  for (size_t seen = 0; at < uses->count && str_equal(uses->items[at].name, name) && seen < PY_CALLER_LIMIT;
       at++, seen++) {
    const PyCall *call = uses->items[at].call;
    if (!call->has_splat && str_equal(call->qualified, wanted) && is_surely_run(check->model, call)) {
      check_constants_of(check, uses, call);
      return;
    }
  }
}
