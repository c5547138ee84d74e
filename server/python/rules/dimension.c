// What stands for a dimension in dynamic_shapes.

#include "python/rules/dimension.h"

static bool read_bound(const PyModel *model, const PyCall *call, const char *name, int64_t *bound)
{
  const PyArgument *argument = py_model_argument(model, call, PY_ABSENT, name);
  PyRef value = argument ? py_model_resolve(model, argument->value) : 0;
  return !value || py_kind(&model->tree, value) == PYK_NONE || py_model_int(model, value, bound);
}

static Dimension read_call(const PyModel *model, const PyCall *call, Arena *arena)
{
  Dimension dimension = { .kind = DIM_UNKNOWN };
  if (!str_equal(call->qualified, STR("torch.export.Dim")) &&
      !str_equal(call->qualified, STR("torch.export.dynamic_shapes.Dim")))
    return dimension;
  const PyArgument *name = py_model_argument(model, call, 0, "name");
  dimension = (Dimension){ .kind = DIM_NAMED, .max = INT64_MAX };
  if (name && py_model_string(model, name->value, arena, &dimension.name))
    dimension.name_node = name->value;
  dimension.has_bounds = !call->has_dictionary_splat && !call->has_splat &&
                         read_bound(model, call, "min", &dimension.min) &&
                         read_bound(model, call, "max", &dimension.max);
  return dimension;
}

Dimension dimension_read(const PyModel *model, PyRef node, Arena *arena)
{
  Dimension dimension = { .kind = DIM_UNKNOWN };
  node = py_model_resolve(model, node);
  uint32_t call = py_model_call_at(model, node);
  if (call != PY_ABSENT)
    return read_call(model, &model->calls.items[call], arena);
  PyNodeKind kind = py_kind(&model->tree, node);
  if (kind == PYK_NONE) {
    dimension.kind = DIM_NONE;
  } else if (kind == PYK_ATTRIBUTE) {
    if (str_starts_with(py_model_qualified(model, node, arena), STR("torch.export.Dim.")))
      dimension.kind = DIM_HINT;
  } else if (py_model_int(model, node, &dimension.min)) {
    dimension.kind = DIM_INT;
  } else if (py_model_string(model, node, arena, &dimension.name)) {
    dimension.kind = DIM_STRING;
  }
  return dimension;
}

Str dimension_bounds_text(const Dimension *dimension, Arena *arena)
{
  long long min = dimension->min;
  long long max = dimension->max;
  if (dimension->max == INT64_MAX)
    return arena_printf(arena, "%lld or more", min);
  return dimension->min == 0 ? arena_printf(arena, "%lld or less", max) : arena_printf(arena, "%lld to %lld", min, max);
}
