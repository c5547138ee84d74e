// Branches of torch.cond() that give back what they got.

#include "python/rules/capture_branches.h"

#include "base/limits.h"

/// A branch: a function of the file, or a lambda.
typedef struct Branch {
  const PyModel *model;
  uint32_t function;  ///< PY_ABSENT for a lambda.
  PyRef parameters;   ///< Of the lambda.
} Branch;

static bool is_operand(const Branch *branch, PyRef node)
{
  const PyModel *model = branch->model;
  const PyTree *tree = &model->tree;
  Str name = py_text(tree, node);
  if (py_kind(tree, node) != PYK_IDENTIFIER)
    return false;
  if (branch->function == PY_ABSENT) {
    for (PY_EACH_CHILD(tree, parameter, branch->parameters)) {
      if (str_equal(py_text(tree, parameter), name))
        return true;
    }
    return false;
  }
  uint32_t at = py_model_lookup(model, branch->function, name);
  const PyBinding *binding = at == PY_ABSENT ? NULL : &model->bindings.items[at];
  return binding && binding->scope == branch->function && binding->kind == PY_BIND_PARAM && binding->next == PY_ABSENT;
}

/// `x`, `x[:2]`, `x.view(4)`
static bool is_alias(const Branch *branch, PyRef node)
{
  static const char *const views[] = {
    "view", "squeeze", "unsqueeze", "transpose", "permute", "t", "expand", "detach"
  };
  const PyTree *tree = &branch->model->tree;
  node = py_tree_strip(tree, node);
  PyRef object = 0;
  if (py_kind(tree, node) == PYK_SUBSCRIPT) {
    PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
    PyNodeKind kind = index ? py_kind(tree, index) : PYK_OTHER;
    object = kind == PYK_SLICE || kind == PYK_INTEGER ? py_child(tree, node, PY_F_VALUE) : 0;
  } else if (py_kind(tree, node) == PYK_CALL) {
    PyRef function = py_child(tree, node, PY_F_FUNCTION);
    bool is_view = function && py_kind(tree, function) == PYK_ATTRIBUTE &&
                   str_is_one_of(py_text(tree, py_child(tree, function, PY_F_ATTRIBUTE)), views, COUNT(views));
    object = is_view ? py_child(tree, function, PY_F_OBJECT) : 0;
  }
  return is_operand(branch, object ? object : node);
}

static PyRef alias_in(const Branch *branch, PyRef result)
{
  const PyTree *tree = &branch->model->tree;
  PyRef value = result ? py_tree_strip(tree, result) : 0;
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  if (kind != PYK_TUPLE && kind != PYK_LIST && kind != PYK_EXPRESSION_LIST)
    return value && is_alias(branch, value) ? value : 0;
  for (PyRef item = py_tree_first_element(tree, value); item; item = py_tree_next_element(tree, item)) {
    if (is_alias(branch, item))
      return item;
  }
  return 0;
}

static PyRef alias_of_branch(const Branch *branch, PyRef body)
{
  const PyTree *tree = &branch->model->tree;
  if (branch->function == PY_ABSENT)
    return alias_in(branch, body);
  for (PyRef node = body ? py_first_child(tree, body) : 0; node; node = py_next_sibling(tree, node)) {
    PyRef alias = py_kind(tree, node) == PYK_RETURN_STATEMENT ? alias_in(branch, py_first_child(tree, node)) : 0;
    if (alias)
      return alias;
  }
  return 0;
}

/// `x.add_(1)` of an operand in the body of the branch, which may be a lambda.
static PyRef change_in(const Branch *branch, PyRef body)
{
  const PyTree *tree = &branch->model->tree;
  for (PyRef node = body; body && node < tree->nodes[body].next; node++) {
    PyRef function = py_kind(tree, node) == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
    bool is_method = function && py_kind(tree, function) == PYK_ATTRIBUTE;
    PyRef name = is_method ? py_child(tree, function, PY_F_ATTRIBUTE) : 0;
    Str text = name ? py_text(tree, name) : (Str){ 0 };
    if (str_ends_with(text, STR("_")) && !str_ends_with(text, STR("__")) && !str_starts_with(text, STR("_")) &&
        !str_equal(text, STR("requires_grad_")) && is_operand(branch, py_child(tree, function, PY_F_OBJECT)))
      return name;
  }
  return 0;
}

/// Reads a branch as the argument names it; false if it is not in the file. The body is that of the function, or of the
/// lambda.
static bool read_branch(const Forward *forward, PyRef value, Branch *ret_branch, PyRef *ret_body)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  value = py_tree_strip(tree, value);
  *ret_branch = (Branch){ model, PY_ABSENT, 0 };
  if (py_kind(tree, value) == PYK_LAMBDA) {
    for (PY_EACH_CHILD(tree, child, value)) {
      if (py_kind(tree, child) == PYK_LAMBDA_PARAMETERS)
        ret_branch->parameters = child;
      *ret_body = child;
    }
    return ret_branch->parameters != 0;
  }
  Str own = forward_own_name(forward, value);
  ret_branch->function = own.len > 0
                             ? export_method_named(model, model->functions.items[forward->function].class_node, own)
                             : py_model_callable(model, value).function;
  if (ret_branch->function == PY_ABSENT)
    return false;
  *ret_body = model->functions.items[ret_branch->function].body;
  return true;
}

/// What `find` finds in the first branch of torch.cond() that has it; 0.
static PyRef find_in_branches(const Forward *forward, const PyCall *call, PyRef (*find)(const Branch *, PyRef body))
{
  static const char *const keywords[] = { NULL, "true_fn", "false_fn" };
  PyRef found = 0;
  for (uint32_t i = 1; i <= 2 && !found && str_equal(call->qualified, STR("torch.cond")) && !call->has_splat; i++) {
    const PyArgument *argument = py_model_argument(forward->model, call, i, keywords[i]);
    Branch branch;
    PyRef body = 0;
    if (argument && read_branch(forward, argument->value, &branch, &body))
      found = find(&branch, body);
  }
  return found;
}

PyRef capture_branches_alias(const Forward *forward, const PyCall *call)
{
  return find_in_branches(forward, call, alias_of_branch);
}

PyRef capture_branches_change(const Forward *forward, const PyCall *call)
{
  return find_in_branches(forward, call, change_in);
}
