#include "python/rules/forward/vision_operators.h"

Str vision_operator_refused(const Forward *forward, const PyCall *call, Exporter exporter)
{
  static const struct {
    const char *function, *layer;
    Str name;
    bool is_traced, is_captured;  ///< Which exporters refuse it.
  } operators[] = {
    { "deform_conv2d", "DeformConv2d", STR_INIT("torchvision::deform_conv2d"), true, false },
    { "ps_roi_align", "PSRoIAlign", STR_INIT("torchvision::ps_roi_align"), true, true },
    { "ps_roi_pool", "PSRoIPool", STR_INIT("torchvision::ps_roi_pool"), true, true },
    // torchlib has a function, which takes other arguments than there are.
    { "roi_pool", "RoIPool", STR_INIT("torchvision::roi_pool"), false, true },
  };
  const PyModel *model = forward->model;
  PyRef part = forward_own_part(forward, call->function_node);  // `self.layer`, or `self.function`
  const PyCall *maker = py_model_call(model, part);
  Str name = maker ? maker->qualified : part ? py_model_qualified(model, part, forward->sink->arena) : call->qualified;
  if (!str_starts_with(name, STR("torchvision.ops.")) && !str_starts_with(name, STR("torch.ops.torchvision.")))
    return (Str){ 0 };
  for (size_t dot; (dot = str_find_char(name, '.', 0)) != STR_NOT_FOUND;)
    name = str_slice(name, dot + 1, name.len);
  for (size_t i = 0; i < COUNT(operators); i++) {
    bool is_refused = exporter == EXPORTER_DYNAMO ? operators[i].is_captured : operators[i].is_traced;
    if (is_refused && str_equal(name, str_from(maker ? operators[i].layer : operators[i].function)))
      return operators[i].name;
  }
  return (Str){ 0 };
}
