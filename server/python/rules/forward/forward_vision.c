// What models of torchvision make of the images that forward() gives them.

#include "python/rules/forward/forward_vision.h"

#include "python/rules/forward/vision_models.h"
#include "python/rules/written_items.h"

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

/// The number of children that `list(net.children())[:-2]` leaves out of a ResNet of torchvision, whose last ones are a
/// pool and `fc`; 0 for other expressions.
static int64_t children_left_out(ShapeWalk *walk, PyRef node, const VisionModel **ret_vision)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  static const char *const families[] = { "resnet", "resnext", "wide_resnet" };
  PyRef part = py_model_resolve(model, node);
  PyRef list = py_kind(tree, part) == PYK_SUBSCRIPT ? py_child(tree, part, PY_F_VALUE) : 0;
  PyRef slice = list ? py_child(tree, part, PY_F_SUBSCRIPT) : 0, end = slice ? py_first_child(tree, slice) : 0;
  const PyCall *copy = list ? written_copy(model, py_model_resolve(model, list), "list") : NULL;
  const PyCall *call = copy ? py_model_call(model, py_model_arguments(model, copy)->value) : NULL;
  PyRef net = call && str_equal(py_tree_member_name(tree, call->function_node), STR("children"))
                  ? py_tree_object(tree, call->function_node)
                  : 0;
  const PyCall *made = net ? py_model_call(model, export_module_made(model, net)) : NULL;
  int64_t count;
  *ret_vision = made ? vision_model_made(model, made, walk->export->sink->arena) : NULL;
  if (!*ret_vision || py_kind(tree, slice) != PYK_SLICE || !str_starts_with(py_text(tree, slice), STR(":-")) ||
      py_next_sibling(tree, end) || !py_model_int(model, end, &count))
    return 0;
  for (size_t i = 0; i < COUNT(families); i++) {
    if (str_starts_with(str_from((*ret_vision)->name), str_from(families[i])))
      return -count;
  }
  return 0;
}

bool forward_through_children(ShapeWalk *walk, PyRef node, const Followed *given, Followed *ret_value)
{
  enum { RANK = 4, STRIDE = 32, WITHOUT_POOL = 2 };
  const VisionModel *vision;
  int64_t left_out = children_left_out(walk, node, &vision);
  if (left_out < 1 || left_out > WITHOUT_POOL)
    return false;
  bool is_known = given->kind == FOLLOWED_TENSOR && given->shape.rank == RANK && !walk->trial;
  Shape shape = { .rank = RANK, .sizes = { given->shape.sizes[0], vision->features, 1, 1 } };
  for (int i = 2; i < RANK && left_out == WITHOUT_POOL; i++)
    shape.sizes[i] = given->shape.sizes[i] > 0 ? (given->shape.sizes[i] + STRIDE - 1) / STRIDE : -1;
  *ret_value = is_known ? forward_of_element(forward_tensor(shape), given->element) : (Followed){ 0 };
  return true;
}
