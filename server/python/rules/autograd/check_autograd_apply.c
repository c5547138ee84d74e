// autograd-apply: calls of a torch.autograd.Function, and whether forward() and symbolic() take what they give.

#include "base/limits.h"
#include "python/rules/autograd/autograd_params.h"
#include "python/rules/python_edit.h"

/// The autograd function of this file that an expression names; 0.
static PyRef autograd_class(const PyModel *model, PyRef node)
{
  PyRef class_node = node ? py_model_class_named(model, py_tree_strip(&model->tree, node)) : 0;
  const PyClass *class = py_model_class_at(model, class_node);
  return class && class->is_autograd ? class_node : 0;
}

/// `Class.apply(x, 3)`, where forward(ctx, x, factor=2) takes as many and symbolic(g, x) doesn't, or the other way
/// round: what a call leaves to a default of forward() is not passed.
static void check_applied_count(DiagSink *sink, const PyCall *call, PyRef class_node)
{
  const PyModel *model = sink_python(sink)->model;
  PyAutograd autograd = { class_node, py_model_class_function(model, class_node, STR("symbolic")),
                          py_model_class_function(model, class_node, STR("forward")) };
  if (autograd.symbolic == PY_ABSENT || autograd.forward == PY_ABSENT)
    return;
  const PyFunction *symbolic = &model->functions.items[autograd.symbolic];
  const PyFunction *forward = &model->functions.items[autograd.forward];
  AutogradParams taken, own;
  if (!symbolic->is_static || symbolic->has_unknown_decorator || forward->has_unknown_decorator ||
      !autograd_params_read(model, &autograd, &taken, &own) || autograd_params_differ(taken, own))
    return;
  uint32_t count = 0;
  for (; count < call->argument_count; count++) {
    const PyArgument *argument = &py_model_arguments(model, call)[count];
    if (argument->keyword.len > 0 || argument->is_splat || argument->is_dictionary_splat)
      return;
  }
  bool fits = count >= own.required && (count <= own.count || own.has_args);
  bool runs = count >= taken.required && (count <= taken.count || taken.has_args);
  if (!runs && sink_wants(sink, RULE_AUTOGRAD_APPLY, OWN))
    py_say(sink, RULE_AUTOGRAD_APPLY, OWN, call->function_node,
           arena_printf(sink->arena, "apply() passes %u argument%s on to forward(), which takes %.*s after ctx.", count,
                        count == 1 ? "" : "s", STR_ARG(autograd_param_list(sink, taken))),
           NULL);
  if (fits || !runs || !sink_wants(sink, RULE_AUTOGRAD_PARAMETERS, OWN))
    return;
  Str message =
      arena_printf(sink->arena,
                   "symbolic() takes %.*s after the graph, and is called with what apply() gets: %u argument%s. "
                   "What forward() has as a default is not passed.",
                   STR_ARG(autograd_param_list(sink, own)), count, count == 1 ? "" : "s");
  autograd_say_params(sink, call->function_node, symbolic, STR("symbolic() is defined here."), message);
}

/// Whether a list that is written out has a parameter of forward() in it, which is a tensor, or part of one.
static bool holds_input(const PyModel *model, PyRef list)
{
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, list);
  if (kind != PYK_LIST && kind != PYK_TUPLE)
    return false;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    const PyBinding *binding = py_model_binding_at(model, item);
    const PyFunction *function =
        binding && binding->kind == PY_BIND_PARAM ? &model->functions.items[binding->scope] : NULL;
    const PyClass *class = function ? py_model_class_at(model, function->class_node) : NULL;
    if (class && class->is_module && str_equal(function->name, STR("forward")) &&
        binding->index != function->first_param)
      return true;
  }
  return false;
}

/// `Class.apply([a, b])`: a trace sees no tensors in a list, and the export ends with "unordered_map::at". Run with
/// torch 1.13, 2.6 and 2.14.
static void check_applied_lists(DiagSink *sink, const PyCall *call, PyRef class_node)
{
  const PyModel *model = sink_python(sink)->model;
  if (py_model_class_function(model, class_node, STR("symbolic")) == PY_ABSENT)
    return;
  for (uint32_t i = 0; i < call->argument_count && i < PY_KEYWORD_LIMIT; i++) {
    PyRef value = py_model_arguments(model, call)[i].value;
    if (holds_input(model, py_model_resolve(model, value)) && sink_wants(sink, RULE_AUTOGRAD_APPLY, OWN))
      py_say(sink, RULE_AUTOGRAD_APPLY, OWN, value,
             STR("A trace sees no tensors in a list: pass them to apply() one by one, and take them as *args."), NULL);
  }
}

static bool is_in_branch(const PyTree *tree, PyRef node)
{
  for (; node && !py_runs_elsewhere(py_kind(tree, node)); node = tree->nodes[node].parent) {
    if (py_kind(tree, node) == PYK_IF_STATEMENT)
      return true;
  }
  return false;
}

/// `if self.kind == "v2": self.run(x)`, where a branch of `__init__()` has `self.run = V1.apply`: perhaps of another
/// kind.
static bool may_be_another(const PyModel *model, const PyCall *call, PyRef function)
{
  return function != call->function_node && is_in_branch(&model->tree, call->node) &&
         is_in_branch(&model->tree, function);
}

/// `Class.apply(x, factor=2)`, and `Class()(x)`.
static void check_apply(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef function = py_model_resolve(model, call->function_node);
  const PyCall *made = py_model_call(model, function);
  bool is_apply = str_equal(py_tree_member_name(&model->tree, function), STR("apply"));
  PyRef class_node = made       ? autograd_class(model, made->function_node)
                     : is_apply ? autograd_class(model, py_tree_object(&model->tree, function))
                                : 0;
  if (may_be_another(model, call, function))
    return;
  const PyArgument *keyword = NULL;
  for (uint32_t i = 0; class_node && is_apply && i < call->argument_count && !keyword; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    keyword = argument->keyword.len > 0 && !argument->is_dictionary_splat ? argument : NULL;
  }
  if (class_node && is_apply)
    check_applied_count(sink, call, class_node);
  if (class_node && is_apply)
    check_applied_lists(sink, call, class_node);
  if (!class_node || (is_apply && (!keyword || !py_file_torch_is_before(sink_python(sink), (TorchRelease){ 2, 9 }))) ||
      !sink_wants(sink, RULE_AUTOGRAD_APPLY, OWN))
    return;
  if (keyword)
    py_say(sink, RULE_AUTOGRAD_APPLY, OWN, keyword->node,
           arena_printf(sink->arena, "apply() takes its arguments by position only, without '%.*s='.",
                        STR_ARG(keyword->keyword)),
           NULL);
  else
    py_say(sink, RULE_AUTOGRAD_APPLY, OWN, call->function_node,
           STR("An object of a torch.autograd.Function can't be called any more: call apply() of its class."), NULL);
}

/// `Class(x)`: every Function takes any arguments and makes an object of nothing. Run with torch 1.13, 2.6 and 2.14.
static void check_construction(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef class_node = call->argument_count > 0 ? autograd_class(model, call->function_node) : 0;
  uint32_t forward = class_node ? py_model_class_function(model, class_node, STR("forward")) : PY_ABSENT;
  PyNodeKind around = py_kind(tree, tree->nodes[call->node].parent);
  if (forward == PY_ABSENT || !model->functions.items[forward].is_static || around == PYK_ATTRIBUTE ||
      around == PYK_CALL || py_model_class_function(model, class_node, STR("__init__")) != PY_ABSENT ||
      !sink_wants(sink, RULE_AUTOGRAD_APPLY, OWN))
    return;
  Str name = py_text(tree, call->function_node);
  py_say(sink, RULE_AUTOGRAD_APPLY, OWN, call->function_node,
         arena_printf(sink->arena, "This makes an object of %.*s and computes nothing: write %.*s.apply(...).",
                      STR_ARG(name), STR_ARG(name)),
         py_edit_after(sink, false, STR("Call apply()"), call->function_node, STR(".apply")));
}

/// `Class.forward(ctx, x)` in a model: what it does is traced, and symbolic() is never asked.
static void check_forward(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  if (!str_equal(py_tree_member_name(tree, call->function_node), STR("forward")) || call->scope == PY_ABSENT)
    return;
  PyRef class_node = autograd_class(model, py_tree_object(tree, call->function_node));
  PyRef around = model->functions.items[call->scope].class_node;
  const PyClass *caller = py_model_class_at(model, around);
  if (!class_node || !caller || caller->is_autograd || py_model_method(model, around, STR("forward")) != call->scope ||
      py_model_class_function(model, class_node, STR("symbolic")) == PY_ABSENT ||
      !sink_wants(sink, RULE_AUTOGRAD_APPLY, SEVERITY_WARNING))
    return;
  Str name = py_text(tree, py_tree_object(tree, call->function_node));
  py_say(sink, RULE_AUTOGRAD_APPLY, SEVERITY_WARNING, call->function_node,
         arena_printf(sink->arena,
                      "This runs forward() itself, so that symbolic() is never called: write %.*s.apply(...).",
                      STR_ARG(name)),
         NULL);
}

/// `Class.symbolic(x, 2.0)` in forward() of a module, which has no graph to give.
static void check_symbolic(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  const PyFunction *around = call->scope == PY_ABSENT ? NULL : &model->functions.items[call->scope];
  const PyClass *class = around ? py_model_class_at(model, around->class_node) : NULL;
  if (!class || !class->is_module || !str_is(around->name, "forward") ||
      !str_is(py_tree_member_name(tree, call->function_node), "symbolic") ||
      !autograd_class(model, py_tree_object(tree, call->function_node)) || !sink_wants(sink, RULE_AUTOGRAD_APPLY, OWN))
    return;
  PyRef name = py_tree_member(tree, call->function_node);
  py_say(sink, RULE_AUTOGRAD_APPLY, OWN, call->function_node,
         STR("symbolic() is for the exporter, which gives it the graph first: a model calls apply()."),
         py_edit_replace(sink, false, name, STR("apply")));
}

void check_python_autograd_apply(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool any = false;
  for (size_t i = 0; i < model->classes.count; i++)
    any |= model->classes.items[i].is_autograd;
  for (size_t i = 0; i < model->calls.count && any; i++) {
    check_apply(sink, &model->calls.items[i]);
    check_construction(sink, &model->calls.items[i]);
    check_forward(sink, &model->calls.items[i]);
    check_symbolic(sink, &model->calls.items[i]);
  }
}
