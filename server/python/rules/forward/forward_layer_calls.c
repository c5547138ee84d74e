// What calls of layers are given beside their input, while shapes are followed: states, masks and offsets.

#include "base/limits.h"
#include "python/rules/forward/forward_values.h"

/// `self.lstm(x, (h, c))`: the states have an axis of layers, the batch, and the features.
static void check_state(ShapeWalk *walk, ShapeFrame *frame, const ModuleMaker *maker, const PyCall *layer,
                        const PyCall *call, const Followed *given, int depth)
{
  const PyModel *model = walk->export->model;
  const PyArgument *state = layer_is_recurrent(layer_name(layer)) ? py_model_argument(model, call, 1, "hx") : NULL;
  Followed value = state && given->kind == FOLLOWED_TENSOR && given->shape.rank == 3
                       ? forward_value(walk, frame, state->value, depth)
                       : (Followed){ 0 };
  const Followed *first = value.kind == FOLLOWED_TUPLE && value.number > 0 ? &value.items[0] : &value;
  int64_t layers = layer_state_count(maker, layer), hidden = module_maker_size(maker, layer, 1, "hidden_size", -1);
  int batch_at = layer_batch_axis(maker, layer);
  if (first->kind == FOLLOWED_TENSOR && first->shape.rank >= 0 && first->shape.rank != 3 && !walk->trial)
    forward_refuse(walk, call->node,
                   arena_printf(walk->export->sink->arena,
                                "gives torch.nn.%.*s a batch and a state of shape %.*s, which has to have 3 axes",
                                STR_ARG(layer_name(layer)),
                                STR_ARG(shape_text(&first->shape, walk->export->sink->arena))));
  if (first->kind != FOLLOWED_TENSOR || first->shape.rank != 3 || (walk->trial && !walk->is_of_trace) || batch_at < 0 ||
      py_model_argument(model, layer, PY_ABSENT, "proj_size"))
    return;
  const int64_t wanted[] = { layers, given->shape.sizes[batch_at], hidden };
  for (int i = 0; i < 3; i++) {
    if (wanted[i] <= 0 || first->shape.sizes[i] <= 0 || first->shape.sizes[i] == wanted[i])
      continue;
    Arena *arena = walk->export->sink->arena;
    forward_refuse(
        walk, call->node,
        arena_printf(arena, "gives torch.nn.%.*s a state of shape %.*s, and it takes %lld elements on axis %d",
                     STR_ARG(layer_name(layer)), STR_ARG(shape_text(&first->shape, arena)), (long long)wanted[i], i));
    return;
  }
}

static void check_mask(ShapeWalk *walk, PyRef node, const char *name, const Followed *mask, int64_t rows,
                       int64_t columns)
{
  Arena *arena = walk->export->sink->arena;
  const int64_t wanted[] = { rows, columns };
  if (mask->kind == FOLLOWED_TENSOR && str_starts_with(mask->element, STR("int")))
    forward_refuse(walk, node,
                   arena_printf(arena, "gives attention an %s of %.*s, and it takes one of bool or of floats", name,
                                STR_ARG(mask->element)));
  for (int i = 0; i < 2 && mask->kind == FOLLOWED_TENSOR && mask->shape.rank == 2; i++) {
    if (wanted[i] > 0 && mask->shape.sizes[i] > 0 && mask->shape.sizes[i] != wanted[i])
      forward_refuse(walk, node,
                     arena_printf(arena,
                                  "gives attention an %s of shape %.*s, which has to have %lld elements on axis %d",
                                  name, STR_ARG(shape_text(&mask->shape, arena)), (long long)wanted[i], i));
  }
}

/// `self.attn(q, k, v, key_padding_mask=pad, attn_mask=mask)`: by the batch and by the keys, and by queries and keys.
static void check_masks(ShapeWalk *walk, ShapeFrame *frame, const PyCall *layer, const PyCall *call,
                        const Followed *query, int depth)
{
  enum { PADDING = 3, MASK = 5 };
  const PyModel *model = walk->export->model;
  const PyArgument *key = py_model_argument(model, call, 1, "key");
  const PyArgument *padding = py_model_argument(model, call, PADDING, "key_padding_mask");
  const PyArgument *mask = py_model_argument(model, call, MASK, "attn_mask");
  const PyArgument *first = py_model_argument(model, layer, PY_ABSENT, "batch_first");
  if (!str_equal(layer_name(layer), STR("MultiheadAttention")) || !key || (!padding && !mask) || walk->trial ||
      query->kind != FOLLOWED_TENSOR || query->shape.rank != 3)
    return;
  PyNodeKind kind = first ? py_kind(&model->tree, py_model_resolve(model, first->value)) : PYK_FALSE;
  Followed keys = forward_value(walk, frame, key->value, depth);
  if ((kind != PYK_TRUE && kind != PYK_FALSE) || keys.kind != FOLLOWED_TENSOR || keys.shape.rank != 3)
    return;
  int length_at = kind == PYK_TRUE ? 1 : 0;
  int64_t length = keys.shape.sizes[length_at];
  Followed value = padding ? forward_value(walk, frame, padding->value, depth) : (Followed){ 0 };
  check_mask(walk, call->node, "key_padding_mask", &value, query->shape.sizes[1 - length_at], length);
  value = mask ? forward_value(walk, frame, mask->value, depth) : (Followed){ 0 };
  check_mask(walk, call->node, "attn_mask", &value, query->shape.sizes[length_at], length);
}

/// torch.nn.EmbeddingBag of rows takes no offsets.
static void check_offsets(ShapeWalk *walk, const PyCall *layer, const PyCall *call, const Followed *given)
{
  const PyModel *model = walk->export->model;
  const PyArgument *offsets = py_model_argument(model, call, 1, "offsets");
  if (str_equal(layer_name(layer), STR("EmbeddingBag")) && offsets && given->kind == FOLLOWED_TENSOR &&
      given->shape.rank == 2 && py_kind(&model->tree, py_tree_strip(&model->tree, offsets->value)) != PYK_NONE)
    forward_refuse(walk, call->node,
                   STR("gives torch.nn.EmbeddingBag rows of indices and offsets, which are for one row"));
}

void forward_check_layer_call(ShapeWalk *walk, ShapeFrame *frame, const ModuleMaker *maker, const PyCall *layer,
                              const PyCall *call, const Followed *given, int depth)
{
  check_state(walk, frame, maker, layer, call, given, depth);
  check_masks(walk, frame, layer, call, given, depth);
  check_offsets(walk, layer, call, given);
}
