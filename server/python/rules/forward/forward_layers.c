// What layers of torch.nn give while shapes are followed.

#include "base/limits.h"
#include "python/rules/forward/forward_elements.h"
#include "python/rules/forward/forward_values.h"
#include "python/rules/forward/layer_options.h"

static Arena *arena_of(const ShapeWalk *walk)
{
  return walk->export->sink->arena;
}

static Followed pair_of(ShapeWalk *walk, Followed first, Followed second)
{
  Followed *items = ARENA_ARRAY(arena_of(walk), Followed, 2);
  items[0] = first;
  items[1] = second;
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = 2, .items = items };
}

/// The states of a recurrent layer: as many as there are layers and directions.
static Followed state_of(ShapeWalk *walk, const ModuleMaker *maker, const PyCall *layer, const Followed *given)
{
  int batch_at = layer_batch_axis(maker, layer);
  int64_t hidden = module_maker_size(maker, layer, 1, "hidden_size", -1);
  if (given->shape.rank != 3 || batch_at < 0 || hidden < 0 ||
      py_model_argument(maker->model, layer, PY_ABSENT, "proj_size"))
    return (Followed){ 0 };
  Shape shape = { .rank = 3, .sizes = { layer_state_count(maker, layer), given->shape.sizes[batch_at], hidden } };
  Followed state = forward_of_element(forward_contiguous(forward_tensor(shape)), given->element);
  return str_equal(layer_name(layer), STR("LSTM")) ? pair_of(walk, state, state) : state;
}

/// What a layer gives beside, or instead of, one tensor.
static Followed with_others(ShapeWalk *walk, const ModuleMaker *maker, const PyCall *layer, const Followed *given,
                            Followed made)
{
  Str name = layer_name(layer);
  if (layer_is_recurrent(name))
    return pair_of(walk, made, state_of(walk, maker, layer, given));
  if (str_equal(name, STR("LSTMCell")))
    return pair_of(walk, made, made);
  return str_equal(name, STR("MultiheadAttention")) ? pair_of(walk, made, (Followed){ 0 }) : made;
}

/// "float32", of the model's layers; empty if that is not known.
static Str weights_type(ShapeWalk *walk)
{
  if (!walk->has_weights_type && walk->made)
    walk->weights_type = example_weights_type(walk->export, walk->made, 0);
  walk->has_weights_type = true;
  return walk->weights_type;
}

/// Such layers don't mix types. Run with torch 1.13, 2.6 and 2.14, whose torch.export lets some through, which onnx
/// refuses.
static void check_type(ShapeWalk *walk, PyRef node, const PyCall *layer, const Followed *given)
{
  Str name = layer_name(layer);
  bool is_index = str_starts_with(name, STR("Embedding"));
  bool is_float = str_starts_with(given->element, STR("float")) || str_starts_with(given->element, STR("bfloat"));
  // What a capture lets through may be run as it is; onnx refuses the model.
  bool is_strict = walk->export->is_capture ? layer_is_strict_when_captured(name) : layer_is_strict(name);
  if (given->element.len == 0 || walk->trial || (!is_index && !is_strict))
    return;
  if (is_index && is_float)
    forward_refuse(walk, node,
                   arena_printf(arena_of(walk), "gives torch.nn.%.*s a tensor of %.*s, and it takes int64 or int32",
                                STR_ARG(name), STR_ARG(given->element)));
  Str weights = is_index ? (Str){ 0 } : weights_type(walk);
  if (weights.len > 0 && !str_equal(weights, given->element))
    forward_refuse(walk, node,
                   arena_printf(arena_of(walk), "gives torch.nn.%.*s, whose weights are %.*s, a tensor of %.*s",
                                STR_ARG(name), STR_ARG(weights), STR_ARG(given->element)));
}

/// An LSTM with projections; where their size is written out, check_tracing.c says so.
static Str projection_refusal(const ModuleMaker *maker, const PyCall *layer)
{
  const PyArgument *size =
      str_equal(layer_name(layer), STR("LSTM")) ? py_model_argument(maker->model, layer, 7, "proj_size") : NULL;
  int64_t number;
  bool is_projected = size && !py_model_int(maker->model, size->value, &number) &&
                      module_maker_size(maker, layer, 7, "proj_size", 0) > 0;
  return is_projected ? STR("runs an LSTM with projections, which the TorchScript exporter can't convert") : (Str){ 0 };
}

static void check_exporter(ShapeWalk *walk, const ModuleMaker *maker, PyRef node, const PyCall *layer,
                           const Followed *given, const Shape *made)
{
  Str name = layer_name(layer), why = { 0 };
  if (!walk->trial)
    forward_refuse_for_exporter(walk, node, projection_refusal(maker, layer));
  if (walk->is_open)
    why = layer_open_refusal(name, &given->shape, made, DIM_FACTOR, arena_of(walk));
  else if (!walk->trial)
    why = layer_traced_refusal(name, &given->shape, made, arena_of(walk));
  forward_refuse_for_exporter(walk, node, why);
}

/// What a torch.nn.TransformerEncoder is made of; of other layers the layer itself.
static const PyCall *layer_inside(const ModuleMaker *maker, const PyCall *layer)
{
  const PyArgument *inside = str_equal(layer_name(layer), STR("TransformerEncoder"))
                                 ? py_model_argument(maker->model, layer, 0, "encoder_layer")
                                 : NULL;
  const PyCall *made = inside ? py_model_call(maker->model, py_model_resolve(maker->model, inside->value)) : NULL;
  return made ? made : layer;
}

/// How many numbers a list holds that a layer is made with.
static int written_count(void *context, PyRef node)
{
  const ModuleMaker *maker = context;
  const PyTree *tree = &maker->model->tree;
  PyRef list = module_maker_written(maker, node);
  PyNodeKind kind = list ? py_kind(tree, list) : PYK_OTHER;
  int count = kind == PYK_TUPLE || kind == PYK_LIST ? 0 : -1;
  for (PyRef item = count == 0 ? py_tree_first_element(tree, list) : 0; item; item = py_tree_next_element(tree, item)) {
    if (py_tree_is_splat(tree, item))
      return -1;
    count++;
  }
  return count;
}

Followed forward_through_layer(ShapeWalk *walk, const ModuleMaker *maker, PyRef node, const PyCall *layer,
                               const Followed *given)
{
  // Of a model that is a layer of torch.nn, or a Sequential, no line calls them.
  node = node == walk->export->call->function_node ? layer->node : node;
  Str name = layer_name(layer), why = layer_made_refusal(maker, layer_inside(maker, layer), arena_of(walk));
  // It can't even be made.
  if (why.len > 0 && !walk->trial)
    forward_refuse(walk, layer->node, why);
  ModuleMaker of_layer = *maker;
  why = layer_option_refusal(maker->model, layer, name, given->shape.rank, written_count, &of_layer, arena_of(walk));
  if (why.len > 0 && !walk->trial)
    forward_refuse(walk, node, why);
  why = (Str){ 0 };
  check_type(walk, node, layer, given);
  forward_check_kernel(walk, node, layer, name, given);
  forward_check_encoder(walk, node, layer, given);
  forward_check_training(walk, maker, node, layer, given);
  Shape shape = layer_shape(maker, layer, &given->shape, arena_of(walk), &why);
  if (why.len > 0)
    forward_refuse_shape(walk, node, why, &given->shape);
  check_exporter(walk, maker, node, layer, given, &shape);
  if (why.len == 0)
    forward_note_division(walk, &given->shape, &shape);
  Followed made = forward_is_contiguous(given) ? forward_contiguous(forward_tensor(shape)) : forward_tensor(shape);
  Str element = str_starts_with(name, STR("Embedding")) ? weights_type(walk) : given->element;
  return with_others(walk, maker, layer, given, forward_of_element(made, element));
}
