// What stands for a dimension in dynamic_shapes.

#include "python/rules/dynamo/dimension.h"

#include "base/limits.h"

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
  dimension = (Dimension){ .kind = DIM_NAMED, .max = INT64_MAX, .scale = 1 };
  if (name && py_model_string(model, name->value, arena, &dimension.name))
    dimension.name_node = name->value;
  dimension.has_bounds = !call->has_dictionary_splat && !call->has_splat &&
                         read_bound(model, call, "min", &dimension.min) &&
                         read_bound(model, call, "max", &dimension.max);
  return dimension;
}

/// `2 * half`, `half * 2`, `half + 1`, `half - 1`: one step of such an expression. Returns the other side; 0 for none.
static PyRef read_step(const PyModel *model, PyRef node, char *ret_sign, int64_t *ret_number)
{
  const PyTree *tree = &model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT);
  PyRef right = py_child(tree, node, PY_F_RIGHT);
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  Str text = sign ? py_text(tree, sign) : (Str){ 0 };
  if (!left || !right || text.len != 1)
    return 0;
  *ret_sign = text.data[0];
  bool is_number_right = py_model_int(model, right, ret_number);
  bool is_number_left = !is_number_right && *ret_sign != '-' && py_model_int(model, left, ret_number);
  bool is_small = *ret_number > -PY_DIM_NUMBER_LIMIT && *ret_number < PY_DIM_NUMBER_LIMIT;
  if ((!is_number_right && !is_number_left) || !is_small || (*ret_sign == '*' && *ret_number < 1))
    return 0;
  return *ret_sign == '*' || *ret_sign == '+' || *ret_sign == '-' ? (is_number_right ? left : right) : 0;
}

/// Puts the step around what was read of the Dim below it.
static bool take_step(Dimension *dimension, char sign, int64_t number)
{
  if (sign == '*') {
    dimension->scale *= number;
    dimension->offset *= number;
  } else {
    dimension->offset += sign == '+' ? number : -number;
  }
  return dimension->scale < PY_DIM_NUMBER_LIMIT && dimension->offset < PY_DIM_NUMBER_LIMIT &&
         dimension->offset > -PY_DIM_NUMBER_LIMIT;
}

/// `h` of `h, w = dims("h", "w", min=2)`
static Dimension read_unpacked(const PyModel *model, PyRef node, Arena *arena)
{
  Dimension dimension = { .kind = DIM_UNKNOWN };
  const PyBinding *binding = py_model_binding_at(model, node);
  bool is_unpacked = binding && binding->kind == PY_BIND_OTHER && binding->unpack != PY_ABSENT && binding->value &&
                     binding->next == PY_ABSENT;
  const PyCall *call = is_unpacked ? py_model_call(model, binding->value) : NULL;
  if (!call || call->has_splat ||
      (!str_equal(call->qualified, STR("torch.export.dims")) &&
       !str_equal(call->qualified, STR("torch.export.dynamic_shapes.dims"))))
    return dimension;
  const PyArgument *name = py_model_argument(model, call, binding->unpack, NULL);
  if (!name || !py_model_string(model, name->value, arena, &dimension.name))
    return dimension;
  dimension = (Dimension){ .kind = DIM_NAMED, .name = dimension.name, .max = INT64_MAX, .scale = 1 };
  dimension.has_bounds = !call->has_dictionary_splat && read_bound(model, call, "min", &dimension.min) &&
                         read_bound(model, call, "max", &dimension.max);
  return dimension;
}

/// torch.export takes such expressions of one Dim. Run with torch 2.14.
static Dimension read_derived(const PyModel *model, PyRef node, Arena *arena)
{
  static const Dimension unknown = { .kind = DIM_UNKNOWN };
  struct {
    char sign;
    int64_t number;
  } steps[PY_DIM_STEP_LIMIT];
  size_t count = 0;
  for (; py_kind(&model->tree, node) == PYK_BINARY_OPERATOR; node = py_model_resolve(model, node), count++) {
    if (count == PY_DIM_STEP_LIMIT)
      return unknown;
    node = read_step(model, node, &steps[count].sign, &steps[count].number);
    if (!node)
      return unknown;
  }
  const PyCall *call = py_model_call(model, node);
  Dimension dimension = call ? read_call(model, call, arena) : read_unpacked(model, node, arena);
  while (dimension.kind == DIM_NAMED && count-- > 0) {
    if (!take_step(&dimension, steps[count].sign, steps[count].number))
      return unknown;
  }
  return dimension;
}

int64_t dimension_root_size(const Dimension *dimension, int64_t size)
{
  int64_t rest = size - dimension->offset;
  return size >= 0 && rest >= 0 && rest % dimension->scale == 0 ? rest / dimension->scale : -1;
}

bool dimension_is_hint(Str name)
{
  return str_equal(name, STR("AUTO")) || str_equal(name, STR("DYNAMIC")) || str_equal(name, STR("STATIC"));
}

Dimension dimension_read(const PyModel *model, PyRef node, Arena *arena)
{
  Dimension dimension = { .kind = DIM_UNKNOWN };
  node = py_model_resolve(model, node);
  const PyCall *call = py_model_call(model, node);
  if (call)
    return read_call(model, call, arena);
  PyNodeKind kind = py_kind(&model->tree, node);
  if (kind == PYK_NONE) {
    dimension.kind = DIM_NONE;
  } else if (kind == PYK_BINARY_OPERATOR) {
    return read_derived(model, node, arena);
  } else if (kind == PYK_ATTRIBUTE) {
    Str name = py_model_qualified(model, node, arena);
    if (str_starts_with(name, STR("torch.export.Dim."))) {
      dimension.kind = DIM_HINT;
      dimension.name = str_after_last(name, '.');
    }
  } else if (py_model_int(model, node, &dimension.min)) {
    dimension.kind = DIM_INT;
  } else if (py_model_string(model, node, arena, &dimension.name)) {
    dimension.kind = DIM_STRING;
  } else if (kind == PYK_IDENTIFIER) {
    return read_unpacked(model, node, arena);
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
