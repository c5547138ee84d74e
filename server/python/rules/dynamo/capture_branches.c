// Functions that torch.cond() and loops run, and that give back what they got.

#include "python/rules/dynamo/capture_branches.h"

#include "base/limits.h"
#include "python/rules/forward/forward_data.h"

/// A branch: a function of the file, or a lambda.
typedef struct Branch {
  Forward *forward;
  const PyModel *model;
  uint32_t function;  ///< PY_ABSENT for a lambda.
  PyRef parameters;   ///< Of the lambda.
  PyRef carried;      ///< What a loop begins with, of which some may be numbers; 0 where all are tensors.
} Branch;

/// Whether the parameter surely stands for a tensor.
static bool is_of_tensor(const Branch *branch, uint32_t position)
{
  const PyTree *tree = &branch->model->tree;
  PyRef item = branch->carried ? py_tree_first_element(tree, branch->carried) : 0;
  for (; item && position > 0; position--)
    item = py_tree_next_element(tree, item);
  return !branch->carried || (item && forward_is_tensor(branch->forward, item, PY_EXPRESSION_DEPTH));
}

static bool is_operand(const Branch *branch, PyRef node)
{
  const PyModel *model = branch->model;
  const PyTree *tree = &model->tree;
  Str name = py_text(tree, node);
  if (py_kind(tree, node) != PYK_IDENTIFIER)
    return false;
  if (branch->function == PY_ABSENT) {
    uint32_t position = 0;
    for (PY_EACH_CHILD(tree, parameter, branch->parameters)) {
      if (str_equal(py_text(tree, parameter), name))
        return is_of_tensor(branch, position);
      position++;
    }
    return false;
  }
  const PyBinding *binding = py_model_binding_named(model, branch->function, name);
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->scope != branch->function)
    return false;
  const PyFunction *function = &model->functions.items[branch->function];
  uint32_t skipped = function->class_node != 0 && !function->is_static;
  return is_of_tensor(branch, binding->index - function->first_param - skipped);
}

/// What the only assignment of the function gives a name; else the node itself.
static PyRef value_of_local(const Branch *branch, PyRef node)
{
  const PyBinding *binding =
      branch->function == PY_ABSENT ? NULL : py_model_binding_of(branch->model, branch->function, node);
  bool is_one = py_binding_is_only(binding, PY_BIND_ASSIGN) && binding->scope == branch->function && binding->value;
  return is_one ? binding->value : node;
}

/// `x`, `x[:2]`, `x.view(4)`, x.T
static bool is_alias(const Branch *branch, PyRef node)
{
  static const char *const views[] = {
    "view", "squeeze", "unsqueeze", "transpose", "permute", "t", "expand", "detach"
  };
  static const char *const members[] = { "T", "mT" };
  const PyTree *tree = &branch->model->tree;
  node = py_tree_strip(tree, value_of_local(branch, node));
  PyRef object = 0;
  if (py_kind(tree, node) == PYK_SUBSCRIPT) {
    PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
    PyNodeKind kind = index ? py_kind(tree, index) : PYK_OTHER;
    object = kind == PYK_SLICE || kind == PYK_INTEGER ? py_child(tree, node, PY_F_VALUE) : 0;
  } else if (py_kind(tree, node) == PYK_ATTRIBUTE) {
    object = str_is_one_of(py_tree_member_name(tree, node), members, COUNT(members)) ? py_tree_object(tree, node) : 0;
  } else if (py_kind(tree, node) == PYK_CALL) {
    PyRef function = py_child(tree, node, PY_F_FUNCTION);
    bool is_view = str_is_one_of(py_tree_member_name(tree, function), views, COUNT(views));
    object = is_view ? py_tree_object(tree, function) : 0;
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
  for (PY_EACH_ELEMENT(tree, item, value)) {
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

/// An operand, a buffer or a parameter of the module, or a tensor of the function around the branch.
static bool is_from_outside(const Branch *branch, PyRef node)
{
  const Forward *forward = branch->forward;
  const PyTree *tree = &branch->model->tree;
  node = node ? py_tree_strip(tree, node) : 0;
  if (!node || py_kind(tree, node) != PYK_IDENTIFIER) {
    Str own = node ? py_tree_own_name(tree, node) : (Str){ 0 };
    PyRef class_node = branch->model->functions.items[forward->function].class_node;
    return own.len > 0 && module_part_is_tensor(branch->model, module_parts_value(forward->parts, class_node, own));
  }
  bool is_local =
      branch->function != PY_ABSENT && py_model_binding_named(branch->model, branch->function, py_text(tree, node)) &&
      py_model_binding_named(branch->model, branch->function, py_text(tree, node))->scope == branch->function;
  return is_operand(branch, node) ||
         (!is_local && branch->function != PY_ABSENT && forward_is_tensor(branch->forward, node, PY_EXPRESSION_DEPTH));
}

/// What `x.add_(1)` changes; 0.
static PyRef changed_by_call(const Branch *branch, PyRef node)
{
  const PyTree *tree = &branch->model->tree;
  PyRef function = py_tree_callee(tree, node);
  Str text = py_tree_member_name(tree, function);
  bool is_change = str_ends_with(text, STR("_")) && !str_ends_with(text, STR("__")) &&
                   !str_starts_with(text, STR("_")) && !str_equal(text, STR("requires_grad_"));
  return is_change && is_from_outside(branch, py_tree_object(tree, function)) ? py_tree_member(tree, function) : 0;
}

/// An operand that `x += 1` alone binds again.
static bool is_updated_operand(const Branch *branch, PyRef name)
{
  const PyModel *model = branch->model;
  if (branch->function == PY_ABSENT)
    return false;
  const PyFunction *function = &model->functions.items[branch->function];
  const PyBinding *binding = py_model_binding_named(model, branch->function, py_text(&model->tree, name));
  if (!binding || binding->kind != PY_BIND_PARAM || binding->scope != branch->function)
    return false;
  uint32_t skipped = function->class_node != 0 && !function->is_static, param = binding->index;
  for (uint32_t at = binding->next; at != PY_ABSENT; at = binding->next) {
    binding = &model->bindings.items[at];
    if (py_kind(&model->tree, model->tree.nodes[binding->node].parent) != PYK_AUGMENTED_ASSIGNMENT)
      return false;
  }
  return is_of_tensor(branch, param - function->first_param - skipped);
}

/// What `x[0] = 1`, `x += 1` and `self.steps = n` change; 0.
static PyRef changed_by_assignment(const Branch *branch, PyRef node)
{
  const PyTree *tree = &branch->model->tree;
  PyRef target = py_child(tree, node, PY_F_LEFT);
  PyNodeKind kind = target ? py_kind(tree, target) : PYK_OTHER;
  bool is_update = py_kind(tree, node) == PYK_AUGMENTED_ASSIGNMENT;
  if (kind == PYK_SUBSCRIPT)
    return is_from_outside(branch, py_child(tree, target, PY_F_VALUE)) ? target : 0;
  bool is_own = kind == PYK_ATTRIBUTE && py_tree_own_name(tree, target).len > 0;
  return is_own || (is_update && kind == PYK_IDENTIFIER && is_updated_operand(branch, target)) ? target : 0;
}

/// What the body of the branch, which may be a lambda, changes of what it has from outside; 0.
static PyRef change_in(const Branch *branch, PyRef body)
{
  const PyTree *tree = &branch->model->tree;
  for (PY_EACH_NODE(tree, node, body)) {
    PyNodeKind kind = py_kind(tree, node);
    bool is_assignment = kind == PYK_ASSIGNMENT || kind == PYK_AUGMENTED_ASSIGNMENT;
    PyRef changed = is_assignment ? changed_by_assignment(branch, node) : changed_by_call(branch, node);
    if (changed)
      return changed;
  }
  return 0;
}

/// Reads a branch as the argument names it; false if it is not in the file. The body is that of the function, or of the
/// lambda.
static bool read_branch(Forward *forward, PyRef value, Branch *ret_branch, PyRef *ret_body)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  value = py_tree_strip(tree, value);
  *ret_branch = (Branch){ .forward = forward, .model = model, .function = PY_ABSENT };
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

enum { WHILE_LOOP = 1 };

static bool is_list(PyNodeKind kind)
{
  return kind == PYK_TUPLE || kind == PYK_LIST;
}

/// Where a call has the functions that it runs, and what it is called.
static const struct {
  const char *name, *shown;
  const char *keywords[3];  ///< By position; NULL for what is no function.
} runners[] = {
  { "torch.cond", "torch.cond()", { NULL, "true_fn", "false_fn" } },
  { ".while_loop", "while_loop()", { NULL, "body_fn", NULL } },
  { ".scan", "scan()", { "combine_fn", NULL, NULL } },
};

/// `torch.cond(x.shape[0] > 4, ...)` where no size is dynamic: a constant of Python, of which torch runs one function
/// as it stands. Run with torch 2.6 and 2.14.
static bool is_decided_by_constant(Forward *forward, const PyCall *call)
{
  static const char *const dynamic[] = { "dynamic_shapes", "dynamic_axes" };
  static const char *const members[] = { "shape", "size", "numel", "dim", "ndim" };
  const PyModel *model = forward->model;
  const PyArgument *argument = py_model_argument(model, call, 0, "pred");
  PyRef condition = argument ? py_model_resolve(model, argument->value) : 0;
  bool asks_size = false;
  if (!condition || py_kind(&model->tree, condition) != PYK_COMPARISON_OPERATOR ||
      py_model_mentions_one_of(model, dynamic, COUNT(dynamic)) || forward_is_decided_by_size(forward, condition) ||
      forward_is_decided_by_data(forward, condition))
    return false;
  for (PY_EACH_NODE(&model->tree, node, condition))
    asks_size |= str_is_one_of(py_tree_member_name(&model->tree, node), members, COUNT(members));
  return asks_size;
}

/// What `find` finds in the first function that the call runs and that has it; 0.
static PyRef find_in_branches(Forward *forward, const PyCall *call, PyRef (*find)(const Branch *, PyRef body),
                              const char **ret_runner)
{
  PyRef found = 0;
  if (call->has_splat || !str_starts_with(call->qualified, STR("torch.")) ||
      (str_equal(call->qualified, STR("torch.cond")) && is_decided_by_constant(forward, call)))
    return 0;
  for (size_t k = 0; k < COUNT(runners); k++) {
    Str name = str_from(runners[k].name);
    bool is_loop = name.data[0] == '.';
    if (is_loop ? !str_ends_with(call->qualified, name) || !str_contains(call->qualified, STR("_higher_order_ops"))
                : !str_equal(call->qualified, name))
      continue;
    *ret_runner = runners[k].shown;
    const PyArgument *begin = k == WHILE_LOOP ? py_model_argument(forward->model, call, 2, "carried_inputs") : NULL;
    PyRef carried = begin ? py_tree_strip(&forward->model->tree, begin->value) : 0;
    bool is_written = carried && is_list(py_kind(&forward->model->tree, carried));
    if (k == WHILE_LOOP && !is_written)
      return 0;
    for (uint32_t i = 0; i < COUNT(runners[k].keywords) && !found; i++) {
      const char *keyword = runners[k].keywords[i];
      const PyArgument *argument = keyword ? py_model_argument(forward->model, call, i, keyword) : NULL;
      Branch branch;
      PyRef body = 0;
      if (!argument || !read_branch(forward, argument->value, &branch, &body))
        continue;
      branch.carried = carried;
      found = find(&branch, body);
    }
  }
  return found;
}

PyRef capture_branches_alias(Forward *forward, const PyCall *call, const char **ret_runner)
{
  return find_in_branches(forward, call, alias_of_branch, ret_runner);
}

PyRef capture_branches_change(Forward *forward, const PyCall *call, const char **ret_runner)
{
  return find_in_branches(forward, call, change_in, ret_runner);
}
