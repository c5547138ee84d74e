#include "python/rules/forward/forward_cond.h"

#include "base/limits.h"
#include "python/rules/forward/forward_apply.h"

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
  Followed asked = forward_value(walk, frame, node, depth);
  int64_t most = 1;
  for (int i = 0; asked.kind == FOLLOWED_TENSOR && i < asked.shape.rank; i++)
    most = asked.shape.sizes[i] > most ? asked.shape.sizes[i] : most;
  if (most > 1 && !walk->trial && is_run_plainly(walk->export))
    forward_refuse(walk, node,
                   arena_printf(walk->export->sink->arena,
                                "asks torch.cond() for a tensor of shape %.*s, which has to be of one element",
                                STR_ARG(shape_text(&asked.shape, walk->export->sink->arena))));
}

/// Sizes are no operands: those of a capture that is run plainly are tensors.
static void check_operands(ShapeWalk *walk, PyRef operands, const Followed *given)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef item = py_tree_first_element(tree, operands);
  for (int64_t i = 0; i < given->number && item; i++, item = py_tree_next_element(tree, item)) {
    if (given->items[i].kind == FOLLOWED_INT && !walk->trial && is_run_plainly(walk->export))
      forward_refuse(walk, item, STR("gives torch.cond() a number, and its operands have to be tensors"));
  }
}

/// What two branches give in one place.
static Followed joined(ShapeWalk *walk, PyRef node, const Followed *yes, const Followed *no)
{
  Arena *arena = walk->export->sink->arena;
  Followed made = *yes;
  if (yes->kind != FOLLOWED_TENSOR || no->kind != FOLLOWED_TENSOR)
    return (Followed){ 0 };
  if (yes->shape.rank != no->shape.rank) {
    forward_refuse(walk, node,
                   arena_printf(arena,
                                "gets tensors of shapes %.*s and %.*s from the two branches of torch.cond(), "
                                "which have to be of one rank",
                                STR_ARG(shape_text(&yes->shape, arena)), STR_ARG(shape_text(&no->shape, arena))));
    return (Followed){ 0 };
  }
  if (yes->element.len > 0 && no->element.len > 0 && !str_equal(yes->element, no->element)) {
    forward_refuse(
        walk, node,
        arena_printf(arena, "gets %.*s and %.*s from the two branches of torch.cond(), which have to be of one type",
                     STR_ARG(yes->element), STR_ARG(no->element)));
    return (Followed){ 0 };
  }
  for (int i = 0; i < made.shape.rank; i++) {
    if (made.shape.sizes[i] != no->shape.sizes[i])
      made.shape.sizes[i] = -1;
  }
  return made;
}

Followed forward_cond(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyArgument *branches[] = { py_model_argument(model, call, 1, "true_fn"),
                                   py_model_argument(model, call, 2, "false_fn") };
  const PyArgument *given = py_model_argument(model, call, 3, "operands");
  const PyArgument *asked = py_model_argument(model, call, 0, "pred");
  if (!branches[0] || !branches[1] || !given)
    return (Followed){ 0 };
  PyRef list = py_tree_strip(&model->tree, given->value);
  Followed operands = forward_value(walk, frame, list, depth);
  if (operands.kind != FOLLOWED_TUPLE)
    return (Followed){ 0 };
  if (asked)
    check_predicate(walk, frame, asked->value, depth);
  check_operands(walk, list, &operands);
  Followed yes = forward_apply(walk, frame, branches[0]->value, &operands, depth);
  Followed no = forward_apply(walk, frame, branches[1]->value, &operands, depth);
  if (yes.kind != FOLLOWED_TUPLE || no.kind != FOLLOWED_TUPLE || yes.number != no.number)
    return joined(walk, call->node, &yes, &no);
  Followed *items = ARENA_ARRAY(walk->export->sink->arena, Followed, (size_t)yes.number);
  for (int64_t i = 0; i < yes.number; i++)
    items[i] = joined(walk, call->node, &yes.items[i], &no.items[i]);
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = yes.number, .items = items };
}
