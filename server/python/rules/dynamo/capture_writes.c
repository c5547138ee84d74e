#include "python/rules/dynamo/capture_writes.h"

#include "python/rules/forward/forward_result.h"
#include "python/rules/trace/traced_weights.h"

/// `self.k` of `self.k[0]`, `self.k[:, 1:]` and `self.k.data`, which share what they hold; 0 for what is a copy.
static PyRef root_of(const PyTree *tree, PyRef node)
{
  for (int depth = 0; depth < PY_EXPRESSION_DEPTH; depth++) {
    PyNodeKind kind = py_kind(tree, node);
    PyRef index = kind == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
    PyNodeKind by = index ? py_kind(tree, index) : PYK_OTHER;
    bool is_data = kind == PYK_ATTRIBUTE && str_equal(py_tree_member_name(tree, node), STR("data"));
    if (index && by != PYK_INTEGER && by != PYK_SLICE)
      return 0;
    if (!index && !is_data)
      return node;
    node = py_child(tree, node, index ? PY_F_VALUE : PY_F_OBJECT);
  }
  return 0;
}

/// What makes the tensor that the file keeps outside of all functions under that name; 0.
static PyRef made_of_name(const Forward *forward, PyRef name)
{
  const PyModel *model = forward->model;
  const PyBinding *binding = py_model_binding_of(model, forward->function, name);
  bool is_outer = py_binding_is_only(binding, PY_BIND_ASSIGN) && binding->scope == PY_ABSENT;
  return is_outer && export_is_tensor(model, binding->value) ? binding->value : 0;
}

/// The assignment that is a statement of its own, `self.k = torch.zeros(3)`, of what it assigns; 0.
static PyRef assignment_of(const PyTree *tree, PyRef value)
{
  PyRef assignment = tree->nodes[value].parent;
  bool is_plain = py_kind(tree, assignment) == PYK_ASSIGNMENT && py_child(tree, assignment, PY_F_RIGHT) == value &&
                  py_kind(tree, tree->nodes[assignment].parent) == PYK_EXPRESSION_STATEMENT;
  return is_plain ? assignment : 0;
}

static void say_constant(Forward *forward, PyRef node, Str name, PyRef made)
{
  DiagSink *sink = forward->sink;
  const PyTree *tree = &forward->model->tree;
  PyRef assignment = py_model_scope_of(forward->model, made) == PY_ABSENT ? 0 : assignment_of(tree, made);
  const Fix *fix = NULL;
  if (assignment)
    fix = py_fix(
        sink, true, STR("Make it a buffer"), py_range(sink, assignment),
        arena_printf(sink->arena, "self.register_buffer(\"%.*s\", %.*s)", STR_ARG(name), STR_ARG(py_text(tree, made))));
  py_say(
      sink, RULE_UNREGISTERED_WEIGHTS, OWN, node,
      arena_printf(sink->arena,
                   "The dynamo exporter fails on a write into '%.*s', which is neither a buffer nor an input: make it "
                   "a buffer with register_buffer(), or write into a copy.",
                   STR_ARG(name)),
      fix);
}

/// Whether nothing in the file keeps parameters from needing a gradient.
static bool needs_gradients(const PyModel *model)
{
  static const char *const words[] = { "requires_grad", "no_grad", "inference_mode", "set_grad_enabled" };
  return !py_model_mentions_one_of(model, words, COUNT(words));
}

/// `torch.nn.Parameter(...)` that needs a gradient.
static bool is_parameter(const PyModel *model, PyRef made)
{
  const PyCall *call = py_model_call(model, made);
  return call && str_equal(call->qualified, STR("torch.nn.Parameter")) && !call->has_dictionary_splat &&
         needs_gradients(model);
}

/// `self.fc.weight` of a layer.
static bool is_weight_of_layer(Forward *forward, PyRef target)
{
  static const char *const weights[] = { "weight", "bias" };
  const PyTree *tree = &forward->model->tree;
  PyRef layer = py_kind(tree, target) == PYK_ATTRIBUTE ? py_tree_object(tree, target) : 0;
  if (!layer || !str_is_one_of(py_tree_member_name(tree, target), weights, COUNT(weights)))
    return false;
  const PyCall *made = py_model_call(forward->model, forward_own_part(forward, layer));
  return made && traced_weights_is_layer(made) && needs_gradients(forward->model);
}

/// `node` is what is reported, `written` what it writes into.
static void check(Forward *forward, PyRef node, PyRef written)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef root = root_of(tree, py_tree_strip(tree, written));
  const PyBinding *binding = root && py_kind(tree, root) == PYK_IDENTIFIER ? forward_only_binding(forward, root) : NULL;
  PyRef target = binding && binding->kind == PY_BIND_ASSIGN ? py_tree_strip(tree, binding->value) : root;
  if (!target || !forward_runs_always(forward, node) || !sink_wants(forward->sink, RULE_UNREGISTERED_WEIGHTS, OWN))
    return;
  Str name = forward_own_name(forward, target);
  PyRef class_node = model->functions.items[forward->function].class_node;
  PyRef part = name.len > 0 ? module_parts_value(forward->parts, class_node, name) : 0;
  PyRef outer = py_kind(tree, target) == PYK_IDENTIFIER ? made_of_name(forward, target) : 0;
  bool is_data = str_contains(py_text(tree, written), STR(".data"));
  bool is_weight = (part && is_parameter(model, part)) || is_weight_of_layer(forward, target);
  if (outer && forward->is_for_onnx)
    say_constant(forward, node, py_text(tree, target), outer);
  else if (part && forward->is_for_onnx && !module_parts_is_state(forward->parts, model, class_node, name) &&
           export_is_tensor(model, part))
    say_constant(forward, node, name, part);
  else if (is_weight && !is_data)
    py_say(
        forward->sink, RULE_UNREGISTERED_WEIGHTS, OWN, node,
        STR("torch.export fails on a write into a parameter that needs a gradient: compute a new tensor, or make it a "
            "buffer."),
        NULL);
}

void capture_writes_check(Forward *forward, PyRef target)
{
  const PyTree *tree = &forward->model->tree;
  bool is_update = py_kind(tree, tree->nodes[target].parent) == PYK_AUGMENTED_ASSIGNMENT;
  if (py_kind(tree, target) == PYK_SUBSCRIPT)
    check(forward, target, py_child(tree, target, PY_F_VALUE));
  else if (is_update && py_kind(tree, target) == PYK_ATTRIBUTE)
    check(forward, target, target);
}

void capture_writes_check_call(Forward *forward, const PyCall *call)
{
  static const char *const others[] = { "requires_grad_", "detach_", "share_memory_", "__setitem__" };
  const PyTree *tree = &forward->model->tree;
  PyRef function = call->function_node;
  bool is_method = py_kind(tree, function) == PYK_ATTRIBUTE;
  Str name = is_method ? py_tree_member_name(tree, function) : (Str){ 0 };
  const PyArgument *out = py_model_argument(forward->model, call, PY_ABSENT, "out");
  if (str_ends_with(name, STR("_")) && !str_ends_with(name, STR("__")) && !str_is_one_of(name, others, COUNT(others)))
    check(forward, function, py_tree_object(tree, function));
  else if (out && str_starts_with(call->qualified, STR("torch.")))
    check(forward, out->node, out->value);
}
