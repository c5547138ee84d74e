// Models of torchvision that get another head: the layer has to take what the model gives it, and the head has to be
// where that model has it.

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/forward/vision_models.h"
#include "python/rules/module/module_maker.h"

typedef struct VisionCheck {
  DiagSink *sink;
  const PyModel *model;
  ModuleParts parts;
} VisionCheck;

static void say(const VisionCheck *check, PyRef node, Str message)
{
  py_say(check->sink, RULE_EXPORT_ARGS_COUNT, OWN, node, message, NULL);
}

/// The model that an object surely is: `model`, `self.backbone`.
static const VisionModel *model_of(const VisionCheck *check, PyRef object)
{
  const PyModel *model = check->model;
  const PyTree *tree = &model->tree;
  Str own = object ? py_tree_own_name(tree, object) : (Str){ 0 };
  PyRef made = 0;
  if (own.len > 0)
    made = module_parts_value(&check->parts, py_model_class_of_object(model, py_tree_object(tree, object)), own);
  else if (object && py_kind(tree, object) == PYK_IDENTIFIER)
    made = export_model_made(model, object);
  made = made ? export_module_made(model, made) : 0;
  return vision_model_made(model, py_model_call(model, made), check->sink->arena);
}

/// `model.classifier[6]` is the object `model`, its member "classifier", and 6; -1 for the member itself.
static bool member_of(const VisionCheck *check, PyRef node, PyRef *ret_object, Str *ret_member, int64_t *ret_at)
{
  const PyTree *tree = &check->model->tree;
  *ret_at = -1;
  if (py_kind(tree, node) == PYK_SUBSCRIPT) {
    PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
    PyRef minus = index && py_kind(tree, index) == PYK_UNARY_OPERATOR ? index : 0;
    if (minus || !index || !py_model_int(check->model, index, ret_at))
      return false;
    node = py_tree_strip(tree, py_child(tree, node, PY_F_VALUE));
  }
  *ret_object = py_tree_object(tree, node);
  *ret_member = py_tree_member_name(tree, node);
  PyRef around = *ret_object ? py_tree_strip(tree, *ret_object) : 0;
  if (around && *ret_at < 0 && str_equal(*ret_member, STR("head")) &&
      str_equal(py_tree_member_name(tree, around), STR("heads"))) {  // The only layer of that.
    *ret_at = 0;
    *ret_object = py_tree_object(tree, around);
    *ret_member = STR("heads");
  }
  return *ret_object && ret_member->len > 0;
}

/// The first torch.nn.Linear that gets what the expression gets, after layers that keep the features; NULL.
static const PyCall *first_linear(const PyModel *model, PyRef value)
{
  static const char *const passing[] = { "torch.nn.Dropout",  "torch.nn.ReLU",    "torch.nn.GELU",
                                         "torch.nn.Identity", "torch.nn.Flatten", "torch.nn.BatchNorm1d" };
  const PyCall *made = py_model_call(model, py_model_resolve(model, value));
  if (!made || !str_equal(made->qualified, STR("torch.nn.Sequential")))
    return made && str_equal(made->qualified, STR("torch.nn.Linear")) ? made : NULL;
  for (PY_EACH_ARGUMENT(model, argument, made)) {
    const PyCall *layer = argument->is_splat ? NULL : py_model_call(model, py_model_resolve(model, argument->value));
    if (!layer || str_equal(layer->qualified, STR("torch.nn.Linear")))
      return layer;
    if (!str_is_one_of(layer->qualified, passing, COUNT(passing)))
      return NULL;
  }
  return NULL;
}

/// `model.fc = nn.Linear(512, 10)`
static void check_head(const VisionCheck *check, PyRef assignment)
{
  const PyModel *model = check->model;
  const PyTree *tree = &model->tree;
  PyRef target = py_child(tree, assignment, PY_F_LEFT), value = py_child(tree, assignment, PY_F_RIGHT), object;
  Str member;
  int64_t at;
  if (!target || !value || !member_of(check, py_tree_strip(tree, target), &object, &member, &at))
    return;
  const VisionModel *vision = vision_is_member(member) ? model_of(check, object) : NULL;
  const PyCall *linear = vision && str_equal(member, str_from(vision->head)) ? first_linear(model, value) : NULL;
  int given = !linear ? 0 : at < 0 ? vision->features : vision_layer_features(vision, at);
  uint32_t scope = py_model_scope_of(model, assignment);
  ModuleMaker maker = { .model = model, .parts = &check->parts };
  maker.class_node = scope == PY_ABSENT ? 0 : model->functions.items[scope].class_node;
  int64_t taken = given > 0 ? module_maker_size(&maker, linear, 0, "in_features", -1) : -1;
  if (taken > 0 && taken != given)
    say(check, linear->node,
        arena_printf(check->sink->arena, "torchvision's %s gives '%.*s' %d features, and this layer takes %lld.",
                     vision->name, STR_ARG(py_text(tree, target)), given, (long long)taken));
}

/// `model.fc.in_features` of a model whose head is another member, or no single layer.
static void check_read(const VisionCheck *check, PyRef node)
{
  const PyModel *model = check->model;
  const PyTree *tree = &model->tree;
  Arena *arena = check->sink->arena;
  PyRef part = py_tree_strip(tree, py_tree_object(tree, node)), object;
  Str member;
  int64_t at;
  if (!member_of(check, part, &object, &member, &at) || !vision_is_member(member))
    return;
  const VisionModel *vision = model_of(check, object);
  if (!vision || py_model_member_is_set_elsewhere(model, 0, member))
    return;
  bool is_head = str_equal(member, str_from(vision->head));
  if (!vision_has_member(vision, member))
    say(check, part,
        arena_printf(arena, "torchvision's %s has no '%.*s': its head is '%s'.", vision->name, STR_ARG(member),
                     vision->head));
  else if (is_head && at < 0 && !vision->is_layer)
    say(check, node,
        arena_printf(arena, "'%s' of torchvision's %s is a Sequential, which has no %.*s: take one of its layers.",
                     vision->head, vision->name, STR_ARG(py_tree_member_name(tree, node))));
  else if (is_head && at >= 0 && vision->is_layer)
    say(check, part,
        arena_printf(arena, "'%s' of torchvision's %s is a torch.nn.Linear, which has no layers.", vision->head,
                     vision->name));
}

/// What the head is given is only known of a model that keeps its other parts, and its forward().
static bool is_rebuilt(const PyModel *model)
{
  static const char *const words[] = { "children",         "_modules",           "avgpool",
                                       "forward_features", "feature_extraction", "IntermediateLayerGetter",
                                       "setattr" };
  return py_model_mentions_one_of(model, words, COUNT(words));
}

void check_python_vision_models(DiagSink *sink)
{
  static const char *const words[] = { "torchvision", "pytorch/vision" };
  const PyModel *model = sink_python(sink)->model;
  if (!py_model_mentions_one_of(model, words, COUNT(words)) || !sink_wants(sink, RULE_EXPORT_ARGS_COUNT, OWN))
    return;
  VisionCheck check = { sink, model, module_parts(model, sink->arena) };
  bool keeps_parts = !is_rebuilt(model);
  for (PyRef node = 1; node < model->tree.count; node++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    Str name = kind == PYK_ATTRIBUTE ? py_tree_member_name(&model->tree, node) : (Str){ 0 };
    if (kind == PYK_ASSIGNMENT && keeps_parts)
      check_head(&check, node);
    else if (str_equal(name, STR("in_features")) || str_equal(name, STR("out_features")))
      check_read(&check, node);
  }
}
