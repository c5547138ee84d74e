// Lists that scripted functions change where the exporter has no operator for it yet. Run with torch 1.13 and 2.6: one
// that is appended to beside its making is made anew with the value, and so is one in a branch that a constant decides;
// in a loop it is not.

#include "base/limits.h"
#include "core/workspace.h"
#include "python/rules/script/jit_script.h"

/// The loop of the function around a node that the list is made before; a comprehension is one, too.
static bool is_in_loop_after(const PyModel *model, PyRef node, PyRef list)
{
  const PyTree *tree = &model->tree;
  const PyBinding *binding = py_model_binding_at(model, list);
  int left = PY_CHAIN_LIMIT;
  PyRef around = tree->nodes[node].parent;
  while (around && left-- > 0 && py_kind(tree, around) != PYK_FUNCTION_DEFINITION) {
    PyNodeKind kind = py_kind(tree, around);
    if (kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT)
      return binding && binding->node < around;
    around = tree->nodes[around].parent;
  }
  return false;
}

/// Whether the name is given a list that is written out, and nothing else.
static bool is_list(const PyModel *model, PyRef name)
{
  const PyBinding *binding = py_model_binding_at(model, name);
  PyRef made = py_binding_is_only(binding, PY_BIND_ASSIGN) ? binding->value : 0;
  PyNodeKind kind = made ? py_kind(&model->tree, py_tree_strip(&model->tree, made)) : PYK_OTHER;
  return kind == PYK_LIST || kind == PYK_LIST_COMPREHENSION;
}

/// What the node becomes that changes a list, and the list; NULL for others.
static const char *operator_of(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, node);
  if (kind == PYK_LIST_COMPREHENSION)
    return "aten::append";
  if (kind == PYK_DELETE_STATEMENT) {
    PyRef item = py_first_child(tree, node);
    PyRef list = py_kind(tree, item) == PYK_SUBSCRIPT ? py_child(tree, item, PY_F_VALUE) : 0;
    return list && is_list(model, list) ? "aten::Delete" : NULL;
  }
  const PyCall *call = py_model_call(model, node);
  PyRef list = call ? py_tree_object(tree, call->function_node) : 0;
  if (!list || !is_list(model, list))
    return NULL;
  Str name = py_tree_member_name(tree, call->function_node);
  if (str_equal(name, STR("pop")))
    return "aten::pop";
  bool is_looped = is_in_loop_after(model, node, list);
  return is_looped && str_equal(name, STR("append"))   ? "aten::append"
         : is_looped && str_equal(name, STR("insert")) ? "aten::insert"
                                                       : NULL;
}

void jit_script_check_list(Forward *forward, PyRef node)
{
  const PyFile *file = sink_python(forward->sink);
  int opset = file->export_opset;
  const char *op = opset > 0 ? operator_of(forward->model, node) : NULL;
  int since = 0;
  for (PY_EACH_TORCH(file, torch)) {
    SupportAnswer answer = { 0 };
    if (op)
      answer = workspace_support(file->target->workspace, file->db, torch, str_from(op), opset);
    if (answer.status != SUPPORT_NEWER)
      return;
    since = answer.since > since ? answer.since : since;
  }
  if (since == 0 || py_file_registration_use(file).kind == EXPORT_DYNAMO ||
      !sink_wants(forward->sink, RULE_OP_NEEDS_NEWER_OPSET, OWN))
    return;
  py_say(forward->sink, RULE_OP_NEEDS_NEWER_OPSET, OWN, node,
         arena_printf(forward->sink->arena,
                      "Scripted, this becomes '%s', which the TorchScript exporter can convert from opset %d on; the "
                      "export is for opset %d.",
                      op, since, opset),
         NULL);
}
