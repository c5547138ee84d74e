// Bodies of If and Loop: what makes the blocks of a node, and what is done with them.
//
// Source: add_op_with_blocks() of torch/onnx/_internal/jit_utils.py, _add_block() of torch/onnx/utils.py; run with
// torch 1.13, 2.6 and 2.14.

#include "python/rules/symbolic/value_check.h"

enum { BLOCKS_OF_IF = 2, BLOCK_RESULTS = 3 };

/// `add_op_with_blocks(g, "If", condition)`, which makes one block if it is not told.
static void check_block_count(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *name = py_model_argument(model, call, 1, "opname");
  const PyArgument *blocks = py_model_argument(model, call, PY_ABSENT, "n_blocks");
  int64_t count = 1;
  Str op;
  if (!name || call->has_splat || call->has_dictionary_splat ||
      (blocks && !py_model_int(model, blocks->value, &count)) ||
      !py_model_string(model, name->value, sink->arena, &op) || !str_equal(op, STR("If")) || count == BLOCKS_OF_IF)
    return;
  py_say(sink, RULE_HELPER_CALL, OWN, blocks ? blocks->node : name->value,
         arena_printf(sink->arena, "'If' needs two blocks, and this makes %lld: write n_blocks=2.", (long long)count),
         NULL);
}

/// `value, blocks = add_op_with_blocks(...)`: it gives back three, of which the first is a value if there is one
/// output.
static void check_block_results(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef assignment = tree->nodes[call->node].parent;
  PyRef left = py_kind(tree, assignment) == PYK_ASSIGNMENT ? py_child(tree, assignment, PY_F_LEFT) : 0;
  PyNodeKind kind = left ? py_kind(tree, left) : PYK_OTHER;
  if (kind != PYK_PATTERN_LIST && kind != PYK_TUPLE_PATTERN)
    return;
  int count = 0;
  for (PY_EACH_CHILD(tree, target, left)) {
    if (py_kind(tree, target) == PYK_LIST_SPLAT_PATTERN)
      return;
    count++;
  }
  if (count != BLOCK_RESULTS) {
    py_say(
        sink, RULE_HELPER_CALL, OWN, left,
        arena_printf(sink->arena,
                     "add_op_with_blocks() gives back three, the outputs, the contexts of the blocks and the node, and "
                     "%d are taken.",
                     count),
        NULL);
    return;
  }
  PyRef first = py_first_child(tree, left);
  PyNodeKind inner = py_kind(tree, first);
  bool is_one = !py_model_argument(model, call, PY_ABSENT, "outputs") && !call->has_dictionary_splat;
  if (is_one && (inner == PYK_TUPLE_PATTERN || inner == PYK_LIST_PATTERN || inner == PYK_PATTERN_LIST))
    py_say(sink, RULE_HELPER_CALL, OWN, first, STR("With one output this is a graph value, which can't be unpacked."),
           NULL);
}

/// `_add_block(value)`
static void check_block_node(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  const PyArgument *node = py_model_argument(file->model, call, 0, "node");
  if (!node || !node->value || !value_is_of_graph(sink, node->value) || value_may_be_python(sink, call->node))
    return;
  Str text = str_slice(py_text(&file->model->tree, node->value), 0, 40);
  py_say(sink, RULE_HELPER_CALL, OWN, node->value,
         arena_printf(sink->arena, "_add_block() takes a node, and this is a graph value: write %.*s.node().",
                      STR_ARG(text)),
         NULL);
}

void value_check_blocks(DiagSink *sink, const PyCall *call)
{
  bool makes_blocks = str_ends_with(call->qualified, STR("jit_utils.add_op_with_blocks"));
  bool adds_block = str_equal(call->qualified, STR("torch.onnx._add_block"));
  if ((!makes_blocks && !adds_block) || py_is_torch_itself(sink_python(sink)->model))
    return;
  if (adds_block) {
    check_block_node(sink, call);
    return;
  }
  check_block_count(sink, call);
  check_block_results(sink, call);
}
