#include "python/rules/trace/tensor_indexing.h"

#include "base/limits.h"

/// The elements of a list that is an index by itself, or of the one that a call such as torch.tensor() makes an index
/// of; 0 if it is neither.
static PyRef index_list(Forward *forward, PyRef node)
{
  static const char *const makers[] = { "torch.tensor", "torch.as_tensor", "torch.LongTensor" };
  const PyModel *model = forward->model;
  node = py_tree_strip(&model->tree, node);
  if (py_kind(&model->tree, node) == PYK_IDENTIFIER) {
    PyRef value = forward_value_of_name(forward, node);
    node = value ? py_tree_strip(&model->tree, value) : node;
  }
  const PyCall *call = py_model_call(model, node);
  if (call && call->argument_count > 0 && str_is_one_of(call->qualified, makers, COUNT(makers)))
    node = py_tree_strip(&model->tree, py_model_arguments(model, call)->value);
  return py_kind(&model->tree, node) == PYK_LIST ? node : 0;
}

/// Nested lists count, too.
static bool has_negative_number(const PyTree *tree, PyRef list)
{
  PyRef end = tree->nodes[list].next;
  uint32_t seen = 0;
  for (PyRef node = list; node < end && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    if (py_kind(tree, node) == PYK_UNARY_OPERATOR && py_text(tree, node).data[0] == '-')
      return true;
  }
  return false;
}

static bool is_written(const PyTree *tree, PyRef subscript)
{
  PyRef parent = tree->nodes[subscript].parent;
  PyNodeKind kind = py_kind(tree, parent);
  return (kind == PYK_ASSIGNMENT || kind == PYK_AUGMENTED_ASSIGNMENT) && py_child(tree, parent, PY_F_LEFT) == subscript;
}

/// What the parts of an index are, from left to right.
typedef struct IndexParts {
  uint32_t tensors;
  bool has_gap;    ///< A slice lies between two tensors.
  PyRef negative;  ///< A tensor with a negative number after another tensor; 0.
} IndexParts;

static IndexParts read_parts(Forward *forward, PyRef subscript)
{
  const PyTree *tree = &forward->model->tree;
  PyRef object = py_child(tree, subscript, PY_F_VALUE);
  IndexParts parts = { 0 };
  bool slice_after_tensor = false;
  for (PY_EACH_CHILD(tree, part, subscript)) {
    if (part == object)
      continue;
    PyRef list = index_list(forward, part);
    if (!list) {
      slice_after_tensor |= parts.tensors > 0 && py_kind(tree, part) == PYK_SLICE;
      continue;
    }
    parts.has_gap |= slice_after_tensor;
    if (parts.tensors > 0 && has_negative_number(tree, list))
      parts.negative = part;
    parts.tensors++;
  }
  return parts;
}

static void say(Forward *forward, PyRef node, Severity severity, Str message)
{
  if (sink_wants(forward->sink, RULE_TENSOR_INDEXING, severity) && !forward_is_conditional(forward, node))
    py_say(forward->sink, RULE_TENSOR_INDEXING, severity, node, message, NULL);
}

void tensor_indexing_check(Forward *forward, PyRef subscript)
{
  const PyTree *tree = &forward->model->tree;
  PyRef object = py_child(tree, subscript, PY_F_VALUE);
  IndexParts parts = read_parts(forward, subscript);
  bool writes = is_written(tree, subscript);
  bool is_bad = writes ? parts.has_gap : parts.negative != 0;
  if (!is_bad || !object || !forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH))
    return;
  if (writes)
    say(forward, subscript, (Severity)SEVERITY_DEFAULT,
        STR("The TorchScript exporter fails on a write through tensor indices with a slice between them: transpose so "
            "that they come one after the other."));
  else
    say(forward, parts.negative, SEVERITY_WARNING,
        STR("The exported model reads other elements: with several tensor indices, negative numbers count only in the "
            "first. Add the size of the axis to them."));
}
