// The classifiers of torchvision.

#include "python/rules/forward/vision_models.h"

#include "base/memory.h"
#include "base/search.h"

/// Sorted by name.
static const VisionModel models[] = {
  { "alexnet", "classifier", 9216, false, { 1, 4, 6 }, { 9216, 4096, 4096 }, 0, false },
  { "convnext_base", "classifier", 0, false, { 2 }, { 1024 }, 0, false },
  { "convnext_large", "classifier", 0, false, { 2 }, { 1536 }, 0, false },
  { "convnext_small", "classifier", 0, false, { 2 }, { 768 }, 0, false },
  { "convnext_tiny", "classifier", 0, false, { 2 }, { 768 }, 0, false },
  { "densenet121", "classifier", 1024, true, { 0 }, { 0 }, 0, false },
  { "densenet161", "classifier", 2208, true, { 0 }, { 0 }, 0, false },
  { "densenet169", "classifier", 1664, true, { 0 }, { 0 }, 0, false },
  { "densenet201", "classifier", 1920, true, { 0 }, { 0 }, 0, false },
  { "efficientnet_b0", "classifier", 1280, false, { 1 }, { 1280 }, 0, false },
  { "efficientnet_b1", "classifier", 1280, false, { 1 }, { 1280 }, 0, false },
  { "efficientnet_b2", "classifier", 1408, false, { 1 }, { 1408 }, 0, false },
  { "efficientnet_b3", "classifier", 1536, false, { 1 }, { 1536 }, 0, false },
  { "efficientnet_b4", "classifier", 1792, false, { 1 }, { 1792 }, 0, false },
  { "efficientnet_b5", "classifier", 2048, false, { 1 }, { 2048 }, 0, false },
  { "efficientnet_b6", "classifier", 2304, false, { 1 }, { 2304 }, 0, false },
  { "efficientnet_b7", "classifier", 2560, false, { 1 }, { 2560 }, 0, false },
  { "efficientnet_v2_l", "classifier", 1280, false, { 1 }, { 1280 }, 0, false },
  { "efficientnet_v2_m", "classifier", 1280, false, { 1 }, { 1280 }, 0, false },
  { "efficientnet_v2_s", "classifier", 1280, false, { 1 }, { 1280 }, 0, false },
  { "googlenet", "fc", 1024, true, { 0 }, { 0 }, 0, true },
  { "inception_v3", "fc", 2048, true, { 0 }, { 0 }, 0, true },
  { "mnasnet0_5", "classifier", 1280, false, { 1 }, { 1280 }, 0, false },
  { "mnasnet0_75", "classifier", 1280, false, { 1 }, { 1280 }, 0, false },
  { "mnasnet1_0", "classifier", 1280, false, { 1 }, { 1280 }, 0, false },
  { "mnasnet1_3", "classifier", 1280, false, { 1 }, { 1280 }, 0, false },
  { "mobilenet_v2", "classifier", 1280, false, { 1 }, { 1280 }, 0, false },
  { "mobilenet_v3_large", "classifier", 960, false, { 0, 3 }, { 960, 1280 }, 0, false },
  { "mobilenet_v3_small", "classifier", 576, false, { 0, 3 }, { 576, 1024 }, 0, false },
  { "regnet_x_16gf", "fc", 2048, true, { 0 }, { 0 }, 0, false },
  { "regnet_x_1_6gf", "fc", 912, true, { 0 }, { 0 }, 0, false },
  { "regnet_x_32gf", "fc", 2520, true, { 0 }, { 0 }, 0, false },
  { "regnet_x_3_2gf", "fc", 1008, true, { 0 }, { 0 }, 0, false },
  { "regnet_x_400mf", "fc", 400, true, { 0 }, { 0 }, 0, false },
  { "regnet_x_800mf", "fc", 672, true, { 0 }, { 0 }, 0, false },
  { "regnet_x_8gf", "fc", 1920, true, { 0 }, { 0 }, 0, false },
  { "regnet_y_128gf", "fc", 7392, true, { 0 }, { 0 }, 0, false },
  { "regnet_y_16gf", "fc", 3024, true, { 0 }, { 0 }, 0, false },
  { "regnet_y_1_6gf", "fc", 888, true, { 0 }, { 0 }, 0, false },
  { "regnet_y_32gf", "fc", 3712, true, { 0 }, { 0 }, 0, false },
  { "regnet_y_3_2gf", "fc", 1512, true, { 0 }, { 0 }, 0, false },
  { "regnet_y_400mf", "fc", 440, true, { 0 }, { 0 }, 0, false },
  { "regnet_y_800mf", "fc", 784, true, { 0 }, { 0 }, 0, false },
  { "regnet_y_8gf", "fc", 2016, true, { 0 }, { 0 }, 0, false },
  { "resnet101", "fc", 2048, true, { 0 }, { 0 }, 0, false },
  { "resnet152", "fc", 2048, true, { 0 }, { 0 }, 0, false },
  { "resnet18", "fc", 512, true, { 0 }, { 0 }, 0, false },
  { "resnet34", "fc", 512, true, { 0 }, { 0 }, 0, false },
  { "resnet50", "fc", 2048, true, { 0 }, { 0 }, 0, false },
  { "resnext101_32x8d", "fc", 2048, true, { 0 }, { 0 }, 0, false },
  { "resnext101_64x4d", "fc", 2048, true, { 0 }, { 0 }, 0, false },
  { "resnext50_32x4d", "fc", 2048, true, { 0 }, { 0 }, 0, false },
  { "shufflenet_v2_x0_5", "fc", 1024, true, { 0 }, { 0 }, 0, false },
  { "shufflenet_v2_x1_0", "fc", 1024, true, { 0 }, { 0 }, 0, false },
  { "shufflenet_v2_x1_5", "fc", 1024, true, { 0 }, { 0 }, 0, false },
  { "shufflenet_v2_x2_0", "fc", 2048, true, { 0 }, { 0 }, 0, false },
  { "swin_b", "head", 1024, true, { 0 }, { 0 }, 0, false },
  { "swin_s", "head", 768, true, { 0 }, { 0 }, 0, false },
  { "swin_t", "head", 768, true, { 0 }, { 0 }, 0, false },
  { "swin_v2_b", "head", 1024, true, { 0 }, { 0 }, 0, false },
  { "swin_v2_s", "head", 768, true, { 0 }, { 0 }, 0, false },
  { "swin_v2_t", "head", 768, true, { 0 }, { 0 }, 0, false },
  { "vgg11", "classifier", 25088, false, { 0, 3, 6 }, { 25088, 4096, 4096 }, 0, false },
  { "vgg11_bn", "classifier", 25088, false, { 0, 3, 6 }, { 25088, 4096, 4096 }, 0, false },
  { "vgg13", "classifier", 25088, false, { 0, 3, 6 }, { 25088, 4096, 4096 }, 0, false },
  { "vgg13_bn", "classifier", 25088, false, { 0, 3, 6 }, { 25088, 4096, 4096 }, 0, false },
  { "vgg16", "classifier", 25088, false, { 0, 3, 6 }, { 25088, 4096, 4096 }, 0, false },
  { "vgg16_bn", "classifier", 25088, false, { 0, 3, 6 }, { 25088, 4096, 4096 }, 0, false },
  { "vgg19", "classifier", 25088, false, { 0, 3, 6 }, { 25088, 4096, 4096 }, 0, false },
  { "vgg19_bn", "classifier", 25088, false, { 0, 3, 6 }, { 25088, 4096, 4096 }, 0, false },
  { "vit_b_16", "heads", 768, false, { 0 }, { 768 }, 224, false },
  { "vit_b_32", "heads", 768, false, { 0 }, { 768 }, 224, false },
  { "vit_h_14", "heads", 1280, false, { 0 }, { 1280 }, 224, false },
  { "vit_l_16", "heads", 1024, false, { 0 }, { 1024 }, 224, false },
  { "vit_l_32", "heads", 1024, false, { 0 }, { 1024 }, 224, false },
  { "wide_resnet101_2", "fc", 2048, true, { 0 }, { 0 }, 0, false },
  { "wide_resnet50_2", "fc", 2048, true, { 0 }, { 0 }, 0, false },
};

static const VisionModel *model_named(Str name)
{
  size_t at;
  SEARCH_FIRST(at, 0, COUNT(models), str_compare(str_from(models[at].name), name) < 0);
  return at < COUNT(models) && str_equal(str_from(models[at].name), name) ? &models[at] : NULL;
}

/// "resnet18" of the only name that `torch.hub.load("pytorch/vision:v0.10.0", "resnet18")` gives.
static Str name_in_hub(const PyModel *model, const PyCall *call, Arena *arena)
{
  const PyArgument *from = py_model_argument(model, call, 0, "repo_or_dir");
  const PyArgument *what = py_model_argument(model, call, 1, "model");
  Str text, name;
  bool is_vision = str_equal(call->qualified, STR("torch.hub.load")) && from && what &&
                   py_model_string(model, from->value, arena, &text) && str_starts_with(text, STR("pytorch/vision")) &&
                   py_model_string(model, what->value, arena, &name);
  return is_vision ? name : (Str){ 0 };
}

/// With nothing that makes other layers: `resnet18(replace_stride_with_dilation=...)`.
static bool is_plain(const PyModel *model, const PyCall *call)
{
  static const char *const plain[] = { "weights",     "pretrained", "progress",       "num_classes",
                                       "repo_or_dir", "model",      "source",         "force_reload",
                                       "trust_repo",  "verbose",    "skip_validation" };
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->is_splat || (argument->keyword.len > 0 && !str_is_one_of(argument->keyword, plain, COUNT(plain))))
      return false;
  }
  return !call->has_dictionary_splat;
}

const VisionModel *vision_model_made(const PyModel *model, const PyCall *call, Arena *arena)
{
  if (!call || !is_plain(model, call))
    return NULL;
  Str name =
      str_starts_with(call->qualified, STR("torchvision.models.")) ? call->qualified : name_in_hub(model, call, arena);
  size_t dot = str_rfind_char(name, '.');
  return model_named(dot == STR_NOT_FOUND ? name : str_slice(name, dot + 1, name.len));
}

int vision_layer_features(const VisionModel *vision, int64_t at)
{
  for (int i = 0; i < VISION_LAYERS; i++) {
    if (vision->of_layer[i] > 0 && vision->at[i] == at)
      return vision->of_layer[i];
  }
  return 0;
}

typedef struct VisionMember {
  const char *name;
  const char *families[8];  ///< Beginnings of the names of models whose classes have it.
} VisionMember;

static const VisionMember members[] = {
  { "fc", { "resnet", "resnext", "wide_resnet", "googlenet", "inception", "regnet", "shufflenet" } },
  { "classifier", { "alexnet", "convnext", "densenet", "efficientnet", "mnasnet", "mobilenet", "vgg" } },
  { "head", { "swin" } },
  { "heads", { "vit" } },
  { "features", { "alexnet", "convnext", "densenet", "efficientnet", "mobilenet", "vgg", "swin" } },
  { "layer4", { "resnet", "resnext", "wide_resnet" } },
};

bool vision_is_member(Str name)
{
  for (size_t i = 0; i < COUNT(members); i++) {
    if (str_equal(name, str_from(members[i].name)))
      return true;
  }
  return false;
}

bool vision_has_member(const VisionModel *vision, Str name)
{
  for (size_t i = 0; i < COUNT(members); i++) {
    if (!str_equal(name, str_from(members[i].name)))
      continue;
    for (size_t k = 0; k < COUNT(members[i].families) && members[i].families[k]; k++) {
      if (str_starts_with(str_from(vision->name), str_from(members[i].families[k])))
        return true;
    }
  }
  return false;
}
