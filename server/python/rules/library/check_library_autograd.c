// register_autograd() of an operator that the file defines: how torch calls setup_context() and backward(), and how
// many gradients the latter has to give. Run with torch 2.6 and 2.14.

#include "base/limits.h"
#include "python/rules/export/export_call.h"

static void say(DiagSink *sink, PyRef node, Str message)
{
  py_say(sink, RULE_CUSTOM_OP, SEVERITY_ERROR, node, message, NULL);
}

static const PyFunction *function_of(const PyModel *model, const PyArgument *argument)
{
  uint32_t index = argument ? py_model_callable(model, argument->value).function : PY_ABSENT;
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  bool is_plain = function && function->name.len > 0 && !function->class_node && !function->has_unknown_decorator &&
                  function->bound_count == 0;
  return is_plain ? function : NULL;
}

/// Inputs that get a gradient each. False for lists of tensors, whose gradients are lists.
static bool count_inputs(const TorchOverload *schema, uint32_t *ret_least, uint32_t *ret_most)
{
  *ret_least = 0;
  *ret_most = 0;
  for (uint32_t i = 0; i < schema->argument_count; i++) {
    const TorchArgument *argument = &schema->arguments[i];
    if (str_starts_with(argument->type, STR("Tensor")) && str_contains(argument->type, STR("[")))
      return false;
    *ret_most += !argument->is_kwarg_only;
    *ret_least += !argument->is_kwarg_only && !argument->has_default;
  }
  for (uint32_t i = 0; i < schema->return_count; i++) {
    if (!str_equal(schema->returns[i].type, STR("Tensor")))
      return false;
  }
  return schema->return_count > 0 && *ret_most > 0 && !schema->has_varargs && !schema->has_varreturns;
}

// --- setup_context() ---

/// It is called with keywords: ctx, inputs and output, and keyword_only_inputs if the schema has such.
static void check_setup(DiagSink *sink, const PyFunction *setup, const TorchOverload *schema)
{
  static const char *const names[] = { "ctx", "inputs", "output", "keyword_only_inputs" };
  const PyModel *model = sink_python(sink)->model;
  size_t count = 3;
  for (uint32_t i = 0; i < schema->argument_count; i++)
    count = schema->arguments[i].is_kwarg_only ? 4 : count;
  bool has[COUNT(names)] = { false };
  bool takes_all = false;
  PyRef strange = 0;
  for (PY_EACH_PARAM(model, param, setup)) {
    bool is_known = param->kind == PY_PARAM_ARGS || param->kind == PY_PARAM_KWARGS || param->default_value;
    takes_all |= param->kind == PY_PARAM_KWARGS;
    for (size_t k = 0; k < count; k++) {
      bool is_it = str_equal(param->name, str_from(names[k]));
      has[k] |= is_it;
      is_known |= is_it;
    }
    strange = strange || is_known ? strange : param->node;
  }
  bool lacks = false;
  for (size_t k = 0; k < count; k++)
    lacks |= !has[k] && !takes_all;
  if (strange || lacks)
    say(sink, strange ? strange : setup->name_node,
        arena_printf(sink->arena, "torch calls this by keywords, as setup_context(ctx, inputs%s, output).",
                     count == 4 ? ", keyword_only_inputs" : ""));
}

// --- backward() ---

static void check_gradients_taken(DiagSink *sink, const PyFunction *backward, uint32_t results)
{
  const PyModel *model = sink_python(sink)->model;
  uint32_t least = 0;
  uint32_t most = 0;
  for (PY_EACH_PARAM(model, param, backward)) {
    if (param->kind == PY_PARAM_ARGS)
      most = UINT32_MAX;
    if (param->kind != PY_PARAM_PLAIN || most == UINT32_MAX)
      continue;
    most++;
    least += !param->default_value;
  }
  if (results + 1 < least || results + 1 > most)
    say(sink, backward->name_node,
        arena_printf(sink->arena, "torch calls this with ctx and %u gradient%s, one for each result of the operator.",
                     results, results == 1 ? "" : "s"));
}

/// Whether it is computed of a gradient, or a list of several: either counts as one.
static bool is_one(const PyModel *model, uint32_t function, PyRef value)
{
  const PyTree *tree = &model->tree;
  for (int depth = 0; depth < PY_EXPRESSION_DEPTH; depth++) {
    value = py_tree_strip(tree, value);
    if (py_kind(tree, value) != PYK_BINARY_OPERATOR)
      break;
    value = py_child(tree, value, PY_F_LEFT);
  }
  if (py_kind(tree, value) == PYK_LIST || export_is_tensor(model, value))
    return true;
  const PyBinding *binding =
      py_kind(tree, value) == PYK_IDENTIFIER ? py_model_binding_of(model, function, value) : NULL;
  return py_binding_is_only(binding, PY_BIND_PARAM) && binding->scope == function &&
         binding->index > model->functions.items[function].first_param &&
         model->params.items[binding->index].kind == PY_PARAM_PLAIN;
}

/// How many gradients a `return` gives; 0 if that is not known.
static uint32_t gradients_of(const PyModel *model, const PyFunction *backward)
{
  const PyTree *tree = &model->tree;
  uint32_t index = (uint32_t)(backward - model->functions.items);
  PyRef value = backward->return_count == 1 && backward->returned ? py_tree_strip(tree, backward->returned) : 0;
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  if (kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST)
    return value && is_one(model, index, value) ? 1 : 0;
  uint32_t count = 0;
  for (PyRef item = py_tree_first_element(tree, value); item; item = py_tree_next_element(tree, item), count++) {
    if (py_tree_is_splat(tree, item))
      return 0;
  }
  return count;
}

/// Up to some version too many were fine if they were None.
static void check_gradients_given(DiagSink *sink, const PyFunction *backward, uint32_t least, uint32_t most)
{
  const PyFile *file = sink_python(sink);
  uint32_t given = gradients_of(file->model, backward);
  bool is_wrong = given > 0 && (given < least || (given > most && export_torch_is_from(file, 2, 14)));
  if (is_wrong)
    say(sink, backward->returned,
        arena_printf(sink->arena,
                     "backward() gives %u gradient%s, and the operator takes %u input%s: give one for each, None where "
                     "there is none.",
                     given, given == 1 ? "" : "s", most, most == 1 ? "" : "s"));
}

// --- The call ---

/// The operator of `foo.register_autograd(...)` and `torch.library.register_autograd("mylib::foo", ...)`; NULL.
static const PyLibraryOperator *operator_of(DiagSink *sink, const PyCall *call, uint32_t *ret_backward)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  const PyArgument *op = NULL;
  *ret_backward = 1;
  if (str_equal(call->qualified, STR("torch.library.register_autograd")))
    op = py_model_argument(file->model, call, 0, "op");
  PyRef node = op ? op->value : 0;
  PyRef callee = call->function_node;
  if (!op && str_equal(py_tree_member_name(tree, callee), STR("register_autograd"))) {
    node = py_tree_object(tree, callee);
    *ret_backward = 0;
  }
  return node ? py_library_named(file->model, &file->library, node, sink->arena) : NULL;
}

void check_python_library_autograd(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  for (size_t i = 0; file->library.count > 0 && i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    uint32_t position;
    const PyLibraryOperator *op = operator_of(sink, call, &position);
    if (!op || op->schema.schema.len == 0 || call->has_splat || call->has_dictionary_splat)
      continue;
    const PyFunction *backward = function_of(model, py_model_argument(model, call, position, "backward"));
    const PyFunction *setup = function_of(model, py_model_argument(model, call, PY_ABSENT, "setup_context"));
    uint32_t least, most;
    if (setup)
      check_setup(sink, setup, &op->schema);
    if (!backward || !count_inputs(&op->schema, &least, &most))
      continue;
    check_gradients_taken(sink, backward, op->schema.return_count);
    check_gradients_given(sink, backward, least, most);
  }
}
