/// The classifiers of torchvision: what their heads are given, and which members they have. Private to rules/.
///
/// Ownership: facts are static.
/// Units:     nodes of the model.
/// Errors:    NULL for what is no such model, or one that is made with other options.
/// Threads:   pure.
/// Sources:   torchvision.models of torchvision 0.21 and 0.29, made and run.
#pragma once

#include "python/rules/module/module_parts.h"

enum { VISION_LAYERS = 3 };

typedef struct VisionModel {
  const char *name;
  const char *head;             ///< Its member: "fc".
  int features;                 ///< That this gets; 0 if it has axes beside them.
  bool is_layer;                ///< The head is one torch.nn.Linear, and no Sequential.
  int at[VISION_LAYERS];        ///< Where in it the layers of torch.nn.Linear are...
  int of_layer[VISION_LAYERS];  ///< ...and what they get; 0 for none.
  int size;                     ///< The height and width of images that it takes; 0 for any.
  bool gives_more;              ///< While it trains it gives more than one tensor.
} VisionModel;

/// What a call makes: `torchvision.models.resnet18()`, `torch.hub.load("pytorch/vision", "resnet18")`.
const VisionModel *vision_model_made(const PyModel *model, const PyCall *call, Arena *arena);
/// What the layer of the head at that place gets; 0 if that is no torch.nn.Linear, or not known.
int vision_layer_features(const VisionModel *vision, int64_t at);
/// Whether its class has a member of that name, which others of these have: "fc", "features".
bool vision_has_member(const VisionModel *vision, Str name);
/// Whether some of these models have it.
bool vision_is_member(Str name);
