// Attention of torch.nn in a trace: what projects query, keys and values at once reads sizes as numbers of Python, so
// the length of the keys becomes a constant, whatever dynamic_axes says. Models run with other lengths, exported with
// torch 2.6 and 2.14, and without that with 1.13; threads tell of it from torch 2.1 on.

#include "base/limits.h"
#include "python/rules/forward/forward_values.h"

static const PyCall *made_by(const ShapeWalk *walk, const PyArgument *argument)
{
  const PyModel *model = walk->export->model;
  return argument ? py_model_call(model, py_model_resolve(model, argument->value)) : NULL;
}

/// Where the length is: 0, or 1 with batch_first; -1 if that is not known.
static int length_axis(const PyModel *model, const PyCall *layer, uint32_t position)
{
  const PyArgument *first = py_model_argument(model, layer, position, "batch_first");
  PyNodeKind kind = first ? py_kind(&model->tree, py_model_resolve(model, first->value)) : PYK_FALSE;
  return layer->has_dictionary_splat ? -1 : kind == PYK_TRUE ? 1 : kind == PYK_FALSE ? 0 : -1;
}

static void freeze(ShapeWalk *walk, PyRef where, const Followed *keys, int axis)
{
  if (axis < 0 || keys->kind != FOLLOWED_TENSOR || keys->shape.rank != 3 || keys->shape.sizes[axis] < DIM_FACTOR ||
      walk->why.len > 0)
    return;
  walk->is_frozen = true;
  forward_refuse(walk, where, STR("is attention of torch.nn, which makes a constant of a length"));
}

static bool is_frozen_there(const ShapeWalk *walk)
{
  return walk->is_of_trace && export_torch_is_from(walk->export->file, 2, 1);
}

/// Position of batch_first among the arguments of the layers.
enum { LAYER_BATCH_FIRST = 6, ATTENTION_BATCH_FIRST = 8 };

void forward_check_encoder(ShapeWalk *walk, PyRef where, const PyCall *layer, const Followed *given)
{
  const PyModel *model = walk->export->model;
  if (!is_frozen_there(walk))
    return;
  if (str_equal(layer_name(layer), STR("TransformerEncoder")))
    layer = made_by(walk, py_model_argument(model, layer, 0, "encoder_layer"));
  if (layer && str_equal(layer_name(layer), STR("TransformerEncoderLayer")))
    freeze(walk, where, given, length_axis(model, layer, LAYER_BATCH_FIRST));
}

/// `self.attn(q, k, k)`: one tensor for keys and values, of as many features as the query.
static bool is_projected_at_once(const PyModel *model, const PyCall *layer, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  const PyArgument *key = py_model_argument(model, call, 1, "key"), *value = py_model_argument(model, call, 2, "value");
  return key && value && py_kind(tree, key->value) == PYK_IDENTIFIER &&
         str_equal(py_text(tree, key->value), py_text(tree, value->value)) &&
         !py_model_argument(model, layer, 6, "kdim") && !py_model_argument(model, layer, 7, "vdim");
}

/// Queries and keys come from one batch.
static void check_batches(ShapeWalk *walk, PyRef where, const Followed *query, const Followed *keys, int length_at)
{
  Arena *arena = walk->export->sink->arena;
  if (length_at < 0 || query->kind != FOLLOWED_TENSOR || keys->kind != FOLLOWED_TENSOR || query->shape.rank != 3 ||
      keys->shape.rank != 3 || (walk->trial && !walk->is_of_trace))
    return;
  int64_t first = query->shape.sizes[1 - length_at], second = keys->shape.sizes[1 - length_at];
  if (first > 0 && second > 0 && first != second)
    forward_refuse(walk, where,
                   arena_printf(arena, "gives attention queries of shape %.*s and keys of shape %.*s, of other batches",
                                STR_ARG(shape_text(&query->shape, arena)), STR_ARG(shape_text(&keys->shape, arena))));
}

void forward_check_attention(ShapeWalk *walk, ShapeFrame *frame, const PyCall *layer, const PyCall *call,
                             const Followed *given, int depth)
{
  const PyModel *model = walk->export->model;
  Str name = layer_name(layer);
  bool is_attention = str_equal(name, STR("MultiheadAttention"));
  const PyArgument *other = py_model_argument(model, call, 1, NULL);
  if (str_equal(name, STR("TransformerDecoder")))
    layer = made_by(walk, py_model_argument(model, layer, 0, "decoder_layer"));
  bool is_decoder = layer && str_equal(layer_name(layer), STR("TransformerDecoderLayer"));
  bool is_whole = str_equal(name, STR("Transformer"));
  if (!is_decoder && !is_whole && !is_attention)
    return;
  int axis = length_axis(model, layer,
                         is_attention ? ATTENTION_BATCH_FIRST
                         : is_decoder ? LAYER_BATCH_FIRST
                                      : PY_ABSENT);
  Followed second = other ? forward_value(walk, frame, other->value, depth) : (Followed){ 0 };
  check_batches(walk, call->node, given, &second, axis);
  if (!is_frozen_there(walk) || (is_attention && !is_projected_at_once(model, layer, call)))
    return;
  freeze(walk, call->node, &second, axis);
  if (!is_attention)  // It attends to itself first.
    freeze(walk, call->node, given, axis);
}
