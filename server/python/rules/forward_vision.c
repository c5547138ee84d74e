// What models of torchvision make of the images that forward() gives them.

#include "python/rules/forward_vision.h"

#include "python/rules/vision_models.h"

/// Whether a member of that name is what the model was made with.
static bool keeps(const PyModel *model, const char *member)
{
  return !py_model_member_is_set_elsewhere(model, 0, str_from(member)) && !py_model_mentions(model, "setattr");
}

/// Whether the first layer of the model is still the one that takes colours: nothing in the file replaces it.
static bool keeps_first_layer(const PyModel *model)
{
  static const char *const members[] = {
    "conv1", "features", "conv_proj", "stem", "layers", "Conv2d_1a_3x3", "forward"
  };
  for (size_t i = 0; i < COUNT(members); i++) {
    if (!keeps(model, members[i]))
      return false;
  }
  return !py_model_mentions(model, "_modules");
}

/// Whether its weights are for other sizes of images than those without.
static bool has_other_weights(const PyModel *model, const PyCall *made)
{
  const PyArgument *weights = py_model_argument(model, made, 0, "weights");
  PyNodeKind kind = weights ? py_kind(&model->tree, py_model_resolve(model, weights->value)) : PYK_NONE;
  return kind != PYK_NONE && kind != PYK_TRUE && kind != PYK_FALSE &&
         !str_ends_with(py_text(&model->tree, weights->value), STR("DEFAULT"));
}

static void check_image(ShapeWalk *walk, const VisionModel *vision, const PyCall *made, PyRef where, const Shape *given)
{
  enum { RANK = 4, COLOURS = 3 };
  const PyModel *model = walk->export->model;
  Arena *arena = walk->export->sink->arena;
  Str shape = shape_text(given, arena), why = { 0 };
  if (given->rank != RANK)
    why = arena_printf(arena, "gives torchvision's %s, which takes %d axes, a tensor of shape %.*s", vision->name, RANK,
                       STR_ARG(shape));
  else if (given->sizes[1] >= 0 && given->sizes[1] != COLOURS && keeps_first_layer(model))
    why = arena_printf(arena, "gives torchvision's %s, which takes %d channels, a tensor of shape %.*s", vision->name,
                       COLOURS, STR_ARG(shape));
  for (int i = 2; why.len == 0 && vision->size > 0 && i < RANK && !has_other_weights(model, made); i++) {
    if (given->sizes[i] >= 0 && given->sizes[i] != vision->size)
      why = arena_printf(arena, "gives torchvision's %s, which takes images of %d by %d, a tensor of shape %.*s",
                         vision->name, vision->size, vision->size, STR_ARG(shape));
  }
  // Of a model that is one of these no line calls it.
  const PyArgument *args = where == walk->export->call->function_node ? export_argument(walk->export, "args") : NULL;
  if (why.len > 0)
    forward_refuse_shape(walk, args ? args->value : where, why, given);
}

bool forward_through_vision(ShapeWalk *walk, const ModuleMaker *maker, const PyCall *made, PyRef where,
                            const Followed *given, Followed *ret_value)
{
  enum { CLASSES = 1000 };
  const PyModel *model = walk->export->model;
  const VisionModel *vision = vision_model_made(model, made, walk->export->sink->arena);
  *ret_value = (Followed){ 0 };
  if (!vision)
    return false;
  if (walk->trial || !keeps(model, "forward"))
    return true;
  check_image(walk, vision, made, where, &given->shape);
  Shape shape = { .rank = 2, .sizes = { given->shape.sizes[0], -1 } };
  if (keeps(model, vision->head) && !py_model_mentions(model, "_modules"))
    shape.sizes[1] = module_maker_size(maker, made, PY_ABSENT, "num_classes", CLASSES);
  if (!vision->gives_more && given->shape.rank > 0)
    *ret_value = forward_of_element(forward_tensor(shape), given->element);
  return true;
}
