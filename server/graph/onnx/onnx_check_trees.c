// Trees of ai.onnx.ml that no session is made for, though onnx passes them: their nodes have to be those that are
// named.

#include "base/sort.h"
#include "graph/onnx/onnx_rules.h"

typedef struct TreeNode {
  int64_t tree;
  int64_t node;
} TreeNode;

/// The nodes of an operator, in the order of the attributes.
typedef struct Trees {
  OnnxCheck *check;
  const OnnxNode *node;
  TreeNode *sorted;
  uint64_t count;
} Trees;

static int compare(const void *a, const void *b)
{
  const TreeNode *x = a;
  const TreeNode *y = b;
  if (x->tree != y->tree)
    return x->tree < y->tree ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/// A list of whole numbers that is written; NULL if it is none, or not as long.
static const OnnxAttr *numbers_of(const OnnxNode *node, const char *name, uint64_t count)
{
  const OnnxAttr *attr = onnx_node_attr(node, str_from(name));
  bool is_list = attr && attr->type == ONNX_INTS && !attr->is_reference && attr->numbers;
  return is_list && (count == 0 || attr->count == count) ? attr : NULL;
}

static void refuse(const Trees *trees, const OnnxAttr *attr, const char *what, TreeNode which)
{
  onnx_report(trees->check, attr->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(trees->check),
              "`%.*s` of `%.*s` %s node %lld of tree %lld; onnx passes this, and ONNX Runtime refuses it.",
              STR_ARG(attr->name.text), STR_ARG(trees->node->op), what, (long long)which.node, (long long)which.tree);
}

static bool has_node(const Trees *trees, TreeNode which)
{
  return bsearch(&which, trees->sorted, trees->count, sizeof(which), compare);
}

/// The modes of nodes, one after the other; false once there are no more that can be read.
static bool next_mode(Str *list, Str *ret_mode)
{
  return onnx_next_string(list, ret_mode) && str_find_char(*ret_mode, '\\', 0) == STR_NOT_FOUND;
}

/// Releases before 1.23 take other words for one of these.
static bool are_modes_known(const Trees *trees, const OnnxAttr *modes)
{
  enum { OPSET_OF_FIRST_THAT_ASKS = 23 };
  static const char *const known[] = { "BRANCH_EQ", "BRANCH_GT",  "BRANCH_GTE", "BRANCH_LEQ",
                                       "BRANCH_LT", "BRANCH_NEQ", "LEAF" };
  const OnnxCheck *check = trees->check;
  Str list = str_slice(check->model->text, modes->value_at.start, modes->value_at.end);
  bool asks = !check->runtime.limits || check->runtime.limits->opset >= OPSET_OF_FIRST_THAT_ASKS;
  for (Str mode; asks && next_mode(&list, &mode);) {
    if (str_is_one_of(mode, known, COUNT(known)))
      continue;
    onnx_report(trees->check, modes->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(trees->check),
                "`%.*s` is no mode of a node; onnx passes this, and ONNX Runtime refuses it since 1.23.",
                STR_ARG(mode));
    return false;
  }
  return true;
}

/// Nodes that branch go on to nodes of their own tree.
static bool are_branches_there(const Trees *trees, const OnnxAttr *tree_ids, const OnnxAttr *modes, const char *name)
{
  const OnnxAttr *next = numbers_of(trees->node, name, trees->count);
  Str list = str_slice(trees->check->model->text, modes->value_at.start, modes->value_at.end);
  Str mode;
  for (uint64_t i = 0; next && i < trees->count && next_mode(&list, &mode); i++) {
    TreeNode which = { tree_ids->numbers[i], next->numbers[i] };
    if (str_equal(mode, STR("LEAF")) || has_node(trees, which))
      continue;
    refuse(trees, next, "goes on to", which);
    return false;
  }
  return true;
}

/// What leaves give belongs to nodes that there are.
static void check_leaves(const Trees *trees, const char *tree_name, const char *node_name)
{
  const OnnxAttr *tree_ids = numbers_of(trees->node, tree_name, 0);
  const OnnxAttr *nodes = tree_ids ? numbers_of(trees->node, node_name, tree_ids->count) : NULL;
  for (uint64_t i = 0; nodes && i < nodes->count; i++) {
    TreeNode which = { tree_ids->numbers[i], nodes->numbers[i] };
    if (has_node(trees, which))
      continue;
    refuse(trees, nodes, "names", which);
    return;
  }
}

/// False after a report: two nodes of one number.
static bool are_nodes_apart(const Trees *trees, const OnnxAttr *node_ids)
{
  for (uint64_t i = 1; i < trees->count; i++) {
    if (compare(&trees->sorted[i - 1], &trees->sorted[i]) != 0)
      continue;
    refuse(trees, node_ids, "has twice", trees->sorted[i]);
    return false;
  }
  return true;
}

static void check_trees(Trees *trees, const OnnxAttr *tree_ids, const OnnxAttr *node_ids)
{
  const OnnxAttr *modes = onnx_node_attr(trees->node, STR("nodes_modes"));
  for (uint64_t i = 0; i < trees->count; i++)
    trees->sorted[i] = (TreeNode){ tree_ids->numbers[i], node_ids->numbers[i] };
  sort_stable(trees->sorted, trees->count, sizeof(*trees->sorted), compare);
  bool has_modes = modes && modes->type == ONNX_STRINGS && !modes->is_reference && modes->count == trees->count;
  if (!are_nodes_apart(trees, node_ids) || !has_modes || !are_modes_known(trees, modes) ||
      !are_branches_there(trees, tree_ids, modes, "nodes_truenodeids") ||
      !are_branches_there(trees, tree_ids, modes, "nodes_falsenodeids"))
    return;
  check_leaves(trees, "class_treeids", "class_nodeids");
  check_leaves(trees, "target_treeids", "target_nodeids");
}

// Source: tried with onnxruntime 1.21 and 1.23.
void onnx_check_trees(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *tree_ids = numbers_of(node, "nodes_treeids", 0);
  const OnnxAttr *node_ids = tree_ids ? numbers_of(node, "nodes_nodeids", tree_ids->count) : NULL;
  if (!node_ids || node_ids->count == 0)
    return;
  Trees trees = { .check = check, .node = node, .count = node_ids->count };
  trees.sorted = xcalloc(trees.count, sizeof(*trees.sorted));
  check_trees(&trees, tree_ids, node_ids);
  free(trees.sorted);
}
