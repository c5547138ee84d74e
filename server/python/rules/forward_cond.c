#include "python/rules/forward_cond.h"

#include "base/limits.h"

static void bind(ShapeFrame *frame, Str name, Value value)
{
  NamedValue *named = forward_named(frame, name);
  if (!named && frame->count < PY_SHAPE_NAME_LIMIT)
    named = &frame->names[frame->count++];
  if (named)
    *named = (NamedValue){ name, value };
}

/// Gives the names of a lambda, or the parameters of a function, the operands in their order; false if they are others.
static bool bind_operands(ShapeWalk *walk, ShapeFrame *outer, ShapeFrame *inner, const Str *names, uint32_t count,
                          PyRef operands, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef item = py_tree_first_element(tree, operands);
  for (uint32_t i = 0; i < count; i++, item = py_tree_next_element(tree, item)) {
    if (item && py_tree_is_splat(tree, item))
      return false;
    if (!item)
      break;
    bind(inner, names[i], forward_value(walk, outer, item, depth));
  }
  uint32_t given = 0;
  for (item = py_tree_first_element(tree, operands); item; item = py_tree_next_element(tree, item), given++) {
    if (py_tree_is_splat(tree, item))
      return false;
  }
  return given == count;
}

static Value run_lambda(ShapeWalk *walk, ShapeFrame *outer, ShapeFrame *inner, PyRef lambda, PyRef operands, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  Str names[PY_SHAPE_RANK_LIMIT];
  uint32_t count = 0;
  PyRef body = 0;
  for (PY_EACH_CHILD(tree, child, lambda)) {
    body = child;
    if (py_kind(tree, child) != PYK_LAMBDA_PARAMETERS)
      continue;
    for (PY_EACH_CHILD(tree, name, child)) {
      if (py_kind(tree, name) != PYK_IDENTIFIER || count == COUNT(names))
        return (Value){ 0 };
      names[count++] = py_text(tree, name);
    }
  }
  return bind_operands(walk, outer, inner, names, count, operands, depth) ? forward_value(walk, inner, body, depth)
                                                                          : (Value){ 0 };
}

static Value run_function(ShapeWalk *walk, ShapeFrame *outer, ShapeFrame *inner, uint32_t index, PyRef operands,
                          int depth)
{
  const PyModel *model = walk->export->model;
  const PyFunction *function = &model->functions.items[index];
  Str names[PY_SHAPE_RANK_LIMIT];
  uint32_t skipped = function->class_node != 0 && !function->is_static;
  uint32_t count = function->param_count - (function->param_count > 0 ? skipped : 0);
  if (count > COUNT(names) || walk->depth == PY_SHAPE_CALL_DEPTH)
    return (Value){ 0 };
  for (uint32_t i = 0; i < count; i++) {
    const PyParam *param = &model->params.items[function->first_param + skipped + i];
    if (param->kind != PY_PARAM_PLAIN || param->default_value)
      return (Value){ 0 };
    names[i] = param->name;
  }
  inner->function = index;
  if (!bind_operands(walk, outer, inner, names, count, operands, depth))
    return (Value){ 0 };
  walk->depth++;
  Value result = forward_shapes_run(walk, inner);
  walk->depth--;
  return result;
}

/// A branch sees the names around it, if it stands in forward().
static Value run_branch(ShapeWalk *walk, ShapeFrame *frame, PyRef branch, PyRef operands, int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  ShapeFrame *inner = ARENA_NEW(walk->export->sink->arena, ShapeFrame);
  branch = py_tree_strip(tree, branch);
  *inner = *frame;
  if (py_kind(tree, branch) == PYK_LAMBDA)
    return run_lambda(walk, frame, inner, branch, operands, depth);
  bool is_own = py_kind(tree, branch) == PYK_ATTRIBUTE &&
                str_equal(py_text(tree, py_child(tree, branch, PY_F_OBJECT)), STR("self"));
  uint32_t function = is_own ? export_method_named(model, frame->maker->class_node,
                                                   py_text(tree, py_child(tree, branch, PY_F_ATTRIBUTE)))
                             : py_model_callable(model, branch).function;
  if (function == PY_ABSENT)
    return (Value){ 0 };
  if (model->functions.items[function].parent == PY_ABSENT)
    inner->count = 0;
  return run_function(walk, frame, inner, function, operands, depth);
}

/// torch.export.export() that is not strict: what is, in torch 2.6 without a word, and the exporter to ONNX, which
/// tries that at last, don't look at the condition.
static bool is_run_plainly(const ExportCall *export)
{
  const PyArgument *strict = py_model_argument(export->model, export->call, PY_ABSENT, "strict");
  bool is_said =
      strict && py_kind(&export->model->tree, py_tree_strip(&export->model->tree, strict->value)) != PYK_FALSE;
  return export->is_capture && !is_said && !export->call->has_dictionary_splat &&
         export_torch_is_from(export->file, 2, 9);
}

/// What is asked has one element, whatever its rank.
static void check_predicate(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  Value asked = forward_value(walk, frame, node, depth);
  int64_t most = 1;
  for (int i = 0; asked.kind == VALUE_TENSOR && i < asked.shape.rank; i++)
    most = asked.shape.sizes[i] > most ? asked.shape.sizes[i] : most;
  if (most > 1 && !walk->trial && is_run_plainly(walk->export))
    forward_refuse(walk, node,
                   arena_printf(walk->export->sink->arena,
                                "asks torch.cond() for a tensor of shape %.*s, which has to be of one element",
                                STR_ARG(shape_text(&asked.shape, walk->export->sink->arena))));
}

Value forward_cond(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  const PyArgument *branches[] = { py_model_argument(model, call, 1, "true_fn"),
                                   py_model_argument(model, call, 2, "false_fn") };
  const PyArgument *given = py_model_argument(model, call, 3, "operands");
  PyRef operands = given ? py_tree_strip(tree, given->value) : 0;
  PyNodeKind kind = operands ? py_kind(tree, operands) : PYK_OTHER;
  if (!branches[0] || !branches[1] || (kind != PYK_TUPLE && kind != PYK_LIST))
    return (Value){ 0 };
  const PyArgument *asked = py_model_argument(model, call, 0, "pred");
  if (asked)
    check_predicate(walk, frame, asked->value, depth);
  Value yes = run_branch(walk, frame, branches[0]->value, operands, depth);
  Value no = run_branch(walk, frame, branches[1]->value, operands, depth);
  if (yes.kind != VALUE_TENSOR || no.kind != VALUE_TENSOR)
    return (Value){ 0 };
  if (yes.shape.rank != no.shape.rank) {
    Arena *arena = walk->export->sink->arena;
    forward_refuse(walk, call->node,
                   arena_printf(arena,
                                "gets tensors of shapes %.*s and %.*s from the two branches of torch.cond(), "
                                "which have to be of one rank",
                                STR_ARG(shape_text(&yes.shape, arena)), STR_ARG(shape_text(&no.shape, arena))));
    return (Value){ 0 };
  }
  if (yes.element.len > 0 && no.element.len > 0 && !str_equal(yes.element, no.element)) {
    forward_refuse(
        walk, call->node,
        arena_printf(walk->export->sink->arena,
                     "gets %.*s and %.*s from the two branches of torch.cond(), which have to be of one type",
                     STR_ARG(yes.element), STR_ARG(no.element)));
    return (Value){ 0 };
  }
  for (int i = 0; i < yes.shape.rank; i++) {
    if (yes.shape.sizes[i] != no.shape.sizes[i])
      yes.shape.sizes[i] = -1;
  }
  return yes;
}
