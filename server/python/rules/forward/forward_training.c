// Layers that need several values to normalize by, while shapes are followed. Run with torch 1.13, 2.6 and 2.14.

#include "python/rules/forward/forward_values.h"

/// Whether the file may set the model, or a part of it, to evaluation.
static bool is_evaluated_somewhere(const PyModel *model)
{
  static const char *const words[] = { ".eval", "train(", ".training =", "load(" };
  return py_model_mentions_one_of(model, words, COUNT(words));
}

int forward_trains(const ShapeWalk *walk)
{
  const ExportCall *export = walk->export;
  const PyModel *model = export->model;
  PyRef mode = export_value(export, "training");
  Str given = mode ? py_text(&model->tree, mode) : (Str){ 0 };
  bool is_as_made = export->kind == EXPORT_DYNAMO && export_torch_is_from(export->file, 2, 9);
  if (export->is_capture || !walk->made || !walk->made->made || export->kind == EXPORT_EITHER)
    return -1;
  if (export->kind == EXPORT_TRACES && !mode)
    return export_argument(export, "training") ? -1 : 0;
  if (export->kind == EXPORT_TRACES && str_ends_with(given, STR("TrainingMode.EVAL")))
    return 0;
  if (export->kind == EXPORT_TRACES && str_ends_with(given, STR("TrainingMode.TRAINING")))
    return 1;
  is_as_made |= export->kind == EXPORT_TRACES && str_ends_with(given, STR("TrainingMode.PRESERVE"));
  return is_as_made && !is_evaluated_somewhere(model) ? 1 : -1;
}

/// How many elements an axis has besides `except`, all together; -1 if one is not known.
static int64_t elements_without(const Shape *shape, int except, int first)
{
  int64_t count = 1;
  for (int i = first; i < shape->rank; i++) {
    if (shape->sizes[i] <= 0)
      return -1;
    count *= i == except || count > PY_DIM_NUMBER_LIMIT ? 1 : shape->sizes[i];
  }
  return shape->rank > first ? count : -1;
}

void forward_check_training(ShapeWalk *walk, const ModuleMaker *maker, PyRef node, const PyCall *layer,
                            const Followed *given)
{
  Str name = layer_name(layer);
  const Shape *shape = &given->shape;
  bool is_instance = str_starts_with(name, STR("InstanceNorm"));
  if (walk->trial || given->kind != FOLLOWED_TENSOR || shape->rank < 2 ||
      (!is_instance && !str_starts_with(name, STR("BatchNorm"))))
    return;
  if (is_instance) {
    int first = shape->rank - (name.data[name.len - 2] - '0');
    bool is_plain = !py_model_argument(maker->model, layer, 4, "track_running_stats") && first > 0;
    if (is_plain && elements_without(shape, -1, first) == 1)
      forward_refuse(walk, node,
                     arena_printf(walk->export->sink->arena,
                                  "gives torch.nn.%.*s one element of each channel, and it wants more", STR_ARG(name)));
  } else if (elements_without(shape, 1, 0) == 1 && forward_trains(walk) == 1) {
    forward_refuse(walk, node,
                   arena_printf(walk->export->sink->arena,
                                "gives torch.nn.%.*s, which trains as nothing called eval(), one element of each "
                                "channel, and it wants more",
                                STR_ARG(name)));
  }
}
