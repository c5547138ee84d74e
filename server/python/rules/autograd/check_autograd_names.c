// The names of the parameters of symbolic() against those of forward(), which are passed by position.

#include "python/rules/autograd/autograd_params.h"
#include "python/rules/python_edit.h"

Str autograd_param_list(const DiagSink *sink, AutogradParams shape)
{
  const PyModel *model = sink_python(sink)->model;
  Str text = STR("(");
  for (uint32_t i = 0; i < shape.count && i < 12; i++)
    text = arena_printf(sink->arena, "%.*s%s%.*s", STR_ARG(text), i > 0 ? ", " : "",
                        STR_ARG(model->params.items[shape.first + i].name));
  return arena_printf(sink->arena, "%.*s%s)", STR_ARG(text), shape.count > 12 ? ", ..." : "");
}

static uint32_t position_of(const PyModel *model, AutogradParams shape, Str name)
{
  uint32_t i = 0;
  while (i < shape.count && !str_equal(model->params.items[shape.first + i].name, name))
    i++;
  return i;
}

/// The same names in another order: the parameter that gets another one's argument; 0 if they are not the same.
static PyRef misplaced(const PyModel *model, AutogradParams forward, AutogradParams own)
{
  PyRef first = 0;
  for (uint32_t i = 0; i < own.count; i++) {
    const PyParam *param = &model->params.items[own.first + i];
    uint32_t position = position_of(model, forward, param->name);
    if (position == forward.count || position_of(model, own, model->params.items[forward.first + i].name) == own.count)
      return 0;
    first = first == 0 && position != i ? param->name_node : first;
  }
  return first;
}

void autograd_check_names(DiagSink *sink, const PyFunction *symbolic, AutogradParams forward, AutogradParams own)
{
  const PyModel *model = sink_python(sink)->model;
  if (forward.has_args || own.has_args || forward.count != own.count)
    return;
  bool is_different = false;
  for (uint32_t i = 0; i < own.count; i++) {
    Str a = model->params.items[forward.first + i].name;
    Str b = model->params.items[own.first + i].name;
    is_different |= !str_equal(a, b) && !str_starts_with(a, STR("_")) && !str_starts_with(b, STR("_"));
  }
  PyRef swapped = is_different ? misplaced(model, forward, own) : 0;
  if (swapped && sink_wants(sink, RULE_AUTOGRAD_NAMES, SEVERITY_WARNING)) {
    py_say(
        sink, RULE_AUTOGRAD_NAMES, SEVERITY_WARNING, swapped,
        arena_printf(sink->arena,
                     "forward() takes %.*s, and symbolic() the same in another order: they are passed by position, so "
                     "'%.*s' gets another one's argument.",
                     STR_ARG(autograd_param_list(sink, forward)), STR_ARG(py_text(&model->tree, swapped))),
        NULL);
    return;
  }
  if (!is_different || !sink_wants(sink, RULE_AUTOGRAD_NAMES, OWN))
    return;
  Str message = arena_printf(sink->arena,
                             "The parameters %.*s have other names than those of forward(), %.*s: they are passed by "
                             "position, so check the order.",
                             STR_ARG(autograd_param_list(sink, own)), STR_ARG(autograd_param_list(sink, forward)));
  py_say(sink, RULE_AUTOGRAD_NAMES, OWN, symbolic->name_node ? symbolic->name_node : symbolic->node, message, NULL);
}
