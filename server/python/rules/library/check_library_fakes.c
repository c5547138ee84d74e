// What a fake may ask of its tensors, which have no values. Run with torch 2.14: n.item() is fine, and stands for an
// unknown size; int(n.item()) and `if n > 0` fail.

#include "base/limits.h"
#include "python/rules/forward/forward_conditions.h"
#include "python/rules/forward/forward_data.h"

/// Whether the fake itself tries it.
static bool is_tried(const Forward *forward, PyRef node)
{
  PyRef body = forward->model->functions.items[forward->function].body;
  return py_tree_try_around(&forward->model->tree, node) > body;
}

static void say(Forward *forward, PyRef node, const char *message)
{
  if (sink_wants(forward->sink, RULE_CUSTOM_OP, SEVERITY_ERROR) && !forward_is_conditional(forward, node) &&
      !is_tried(forward, node))
    py_say(forward->sink, RULE_CUSTOM_OP, SEVERITY_ERROR, node, str_from(message), NULL);
}

static void check_call(Forward *forward, const PyCall *call)
{
  static const char *const numbers[] = { "int", "float", "bool" };
  const PyModel *model = forward->model;
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  PyRef callee = call->function_node;
  PyRef object = py_tree_object(&model->tree, callee);
  Str method = py_tree_member_name(&model->tree, callee);
  bool is_number = str_is_one_of(call->qualified, numbers, COUNT(numbers)) && first && call->argument_count == 1;
  if (is_number && (forward_is_tensor(forward, first->value, PY_EXPRESSION_DEPTH) ||
                    forward_is_data_dependent(forward, first->value)))
    say(forward, call->node,
        "A fake gets tensors without values: item() alone stands for one that is not known, and a size that only the "
        "operator knows is torch.library.get_ctx().new_dynamic_size().");
  else if (str_equal(method, STR("numpy")) && call->argument_count == 0 &&
           forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH))
    say(forward, call->node, "A fake gets tensors without values, which numpy() refuses: make its result by torch.");
}

static void check_body(Forward *forward)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef body = model->functions.items[forward->function].body;
  uint32_t seen = 0;
  for (PyRef node = body; node && node < tree->nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    PyNodeKind kind = py_kind(tree, node);
    if (py_runs_elsewhere(kind)) {
      node = tree->nodes[node].next - 1;
      continue;
    }
    const PyCall *call = py_model_call(model, node);
    PyRef asked = forward_condition(tree, node);
    if (call)
      check_call(forward, call);
    else if (asked && forward_is_decided_by_data(forward, asked))
      say(forward, asked, "A fake gets tensors without values, so it can't decide by them.");
  }
}

/// A fake that returns nothing, for an operator that has a result: what is computed with it fails on None.
static void check_result(Forward *forward, const PyLibraryOperator *op)
{
  const PyFile *file = sink_python(forward->sink);
  const PyTree *tree = &forward->model->tree;
  const PyFunction *fake = &forward->model->functions.items[op->fake];
  PyRef name = py_child(tree, fake->node, PY_F_NAME);
  bool is_none = fake->return_count == 0 && fake->body && py_file_ending(file, op->fake) == PY_FALLS_THROUGH;
  if (op->schema.return_count > 0 && is_none && name && sink_wants(forward->sink, RULE_CUSTOM_OP, SEVERITY_ERROR))
    py_say(forward->sink, RULE_CUSTOM_OP, SEVERITY_ERROR, name,
           arena_printf(forward->sink->arena,
                        "This fake returns nothing, and %.*s has a result: return a tensor of its shape and type, such "
                        "as torch.empty_like(x).",
                        STR_ARG(op->defined.name)),
           NULL);
}

/// Whether a call makes one tensor: `x.new_empty(...)`, `torch.empty_like(x)`.
static bool is_one_tensor(const PyFile *file, PyRef node)
{
  const PyTree *tree = &file->model->tree;
  const PyCall *call = py_model_call(file->model, node);
  if (!call)
    return false;
  PyRef called = call->function_node;
  PyRef method = py_tree_member(tree, called);
  return (method && str_starts_with(py_text(tree, method), STR("new_"))) ||
         py_file_is_only(py_file_value(file, node), PY_TENSOR);
}

/// A fake that returns one tensor, for an operator with several results.
static void check_result_count(Forward *forward, const PyLibraryOperator *op)
{
  const PyFile *file = sink_python(forward->sink);
  const PyFunction *fake = &forward->model->functions.items[op->fake];
  PyRef returned = fake->name.len > 0 ? fake->returned : fake->body;
  if (op->schema.return_count < 2 || !returned || !is_one_tensor(file, returned) ||
      !sink_wants(forward->sink, RULE_CUSTOM_OP, SEVERITY_ERROR))
    return;
  py_say(forward->sink, RULE_CUSTOM_OP, SEVERITY_ERROR, returned,
         arena_printf(forward->sink->arena, "This fake returns one tensor, and %.*s has %u results.",
                      STR_ARG(op->defined.name), op->schema.return_count),
         NULL);
}

void check_python_library_fakes(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  for (size_t i = 0; i < file->library.count; i++) {
    const PyLibraryOperator *op = &file->library.items[i];
    if (op->fake == PY_ABSENT || op->schema.schema.len == 0)
      continue;
    const PyFunction *fake = &model->functions.items[op->fake];
    bool *tensors = ARENA_ARRAY(sink->arena, bool, model->params.count);
    for (uint32_t k = 0; k < fake->param_count && k < op->schema.argument_count; k++)
      tensors[fake->first_param + k] = str_equal(op->schema.arguments[k].type, STR("Tensor"));
    ModuleParts parts = module_parts(model, sink->arena);
    Forward forward = { .sink = sink,
                        .model = model,
                        .function = op->fake,
                        .tensor_params = tensors,
                        .parts = &parts,
                        .steps = PY_TRACING_WORK };
    check_body(&forward);
    check_result(&forward, op);
    check_result_count(&forward, op);
  }
}
