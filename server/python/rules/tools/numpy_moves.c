// What functions and methods of numpy that move, add or take axes make of an array, and what sums of arrays hold.

#include <string.h>

#include "base/limits.h"
#include "python/rules/export/example_sizes.h"
#include "python/rules/tools/numpy_arrays.h"

MadeArray numpy_unknown(void)
{
  return (MadeArray){ .shape = example_no_shape() };
}

// --- Types ---

Str numpy_type_named(const PyModel *model, PyRef node, Arena *arena)
{
  static const char *const types[] = { "int8",   "int16",   "int32",   "int64",   "uint8", "uint16",
                                       "uint32", "float16", "float32", "float64", "bool" };
  static const struct {
    const char *name, *type;
  } others[] = { { "int", "int64" },    { "float", "float64" },  { "single", "float32" },
                 { "half", "float16" }, { "double", "float64" }, { "int_", "int64" },
                 { "bool_", "bool" },   { "ubyte", "uint8" },    { "longlong", "int64" } };
  Str name;
  if (!py_model_string(model, node, arena, &name)) {
    name = py_model_qualified(model, node, arena);
    if (str_starts_with(name, STR("numpy.")))
      name = str_slice(name, STR("numpy.").len, name.len);
  }
  for (size_t i = 0; i < COUNT(others); i++) {
    if (str_equal(name, str_from(others[i].name)))
      return str_from(others[i].type);
  }
  return str_is_one_of(name, types, COUNT(types)) ? name : (Str){ 0 };
}

Str numpy_type_written(const PyTree *tree, PyRef data)
{
  bool has_numbers = false, has_floats = false;
  PyRef end = tree->nodes[data].next;
  for (PyRef node = data; node < end; node++) {
    PyNodeKind kind = py_kind(tree, node);
    has_numbers |= kind == PYK_INTEGER || kind == PYK_FLOAT;
    has_floats |= kind == PYK_FLOAT;
    if (kind != PYK_INTEGER && kind != PYK_FLOAT && kind != PYK_LIST && kind != PYK_TUPLE &&
        kind != PYK_UNARY_OPERATOR && kind != PYK_OPERATOR)
      return (Str){ 0 };
  }
  return !has_numbers ? (Str){ 0 } : has_floats ? STR("float64") : STR("int64");
}

/// A type as its first letter and its bits; 0 bits for none.
typedef struct TypeParts {
  char kind;
  int bits;
} TypeParts;

static TypeParts parts_of(Str type)
{
  static const struct {
    const char *end;
    int bits;
  } sizes[] = { { "8", 8 }, { "16", 16 }, { "32", 32 }, { "64", 64 } };
  TypeParts parts = { type.len > 0 ? type.data[0] : 0, 0 };
  for (size_t i = 0; i < COUNT(sizes); i++)
    parts.bits = str_ends_with(type, str_from(sizes[i].end)) ? sizes[i].bits : parts.bits;
  return str_equal(type, STR("bool")) ? (TypeParts){ 'b', 8 } : parts;
}

static int larger(int a, int b)
{
  return a > b ? a : b;
}

/// Of an integer of so many bits and a float.
static int float_bits(int bits)
{
  return bits <= 8 ? 16 : bits <= 16 ? 32 : 64;
}

/// The type that holds what both hold. Run with numpy 1.24 and 2.2.
static Str promoted(Str a, Str b, Arena *arena)
{
  TypeParts x = parts_of(a), y = parts_of(b);
  if (x.kind == 'b' || y.kind == 'b' || str_equal(a, b))
    return x.kind == 'b' ? b : a;
  if (x.kind == y.kind)
    return x.bits >= y.bits ? a : b;
  if (x.kind == 'f' || y.kind == 'f') {
    int bits = x.kind == 'f' ? larger(x.bits, float_bits(y.bits)) : larger(y.bits, float_bits(x.bits));
    return arena_printf(arena, "float%d", bits);
  }
  TypeParts with_sign = x.kind == 'i' ? x : y, without = x.kind == 'i' ? y : x;
  int bits = with_sign.bits > without.bits ? with_sign.bits : 2 * without.bits;
  return bits > 64 ? STR("float64") : arena_printf(arena, "int%d", bits);
}

static Str type_of_two(Str sign, const MadeArray *a, const MadeArray *b, uint32_t number, Arena *arena)
{
  bool is_quotient = str_equal(sign, STR("/")), is_bits = sign.len == 1 && strchr("&|^", sign.data[0]) != NULL;
  if (a->type.len == 0 || (number == 0 && b->type.len == 0)) {
    // Whatever is computed with a float64 is one, too.
    bool is_double =
        number == 0 && !is_bits && (str_equal(a->type, STR("float64")) || str_equal(b->type, STR("float64")));
    return is_double ? STR("float64") : (Str){ 0 };
  }
  Str type = number == 0 ? promoted(a->type, b->type, arena) : a->type;
  bool is_float = parts_of(type).kind == 'f';
  if (is_float)
    return type;
  if (is_quotient || (number & PY_FLOAT) != 0)
    return STR("float64");
  return parts_of(type).kind == 'b' ? (Str){ 0 } : type;
}

static ExampleShape broadcast(const ExampleShape *a, const ExampleShape *b)
{
  ExampleShape made = a->rank >= b->rank ? *a : *b;
  const ExampleShape *shorter = a->rank >= b->rank ? b : a;
  if (a->rank < 0 || b->rank < 0)
    return example_no_shape();
  for (int i = 0; i < shorter->rank; i++) {
    int64_t *size = &made.sizes[made.rank - shorter->rank + i];
    int64_t other = shorter->sizes[i];
    *size = *size == 1 ? other : other == 1 || other == *size ? *size : *size < 0 && other > 1 ? other : *size;
  }
  return made;
}

MadeArray numpy_computed(Str sign, const MadeArray *a, const MadeArray *b, uint32_t number, Arena *arena)
{
  if (str_equal(sign, STR("@")) || str_equal(sign, STR("**")))
    return numpy_unknown();
  MadeArray made = { .shape = number != 0 ? a->shape : broadcast(&a->shape, &b->shape) };
  // What has no axes may make others no wider.
  bool is_plain = a->shape.rank != 0 && (number != 0 || b->shape.rank != 0);
  made.type = is_plain && arena ? type_of_two(sign, a, b, number, arena) : (Str){ 0 };
  return made;
}

// --- Axes ---

static int axis_of(int rank, int64_t axis)
{
  axis += axis < 0 ? rank : 0;
  return axis >= 0 && axis < rank ? (int)axis : -1;
}

/// `transpose()`, `transpose(2, 0, 1)` and `transpose((2, 0, 1))`.
static ExampleShape transposed(const PyModel *model, const PyCall *call, uint32_t first, ExampleShape shape)
{
  ExampleShape made = shape;
  const PyArgument *given = py_model_arguments(model, call);
  PyRef list = call->argument_count == first + 1 ? py_model_resolve(model, given[first].value) : 0;
  int64_t axes[PY_EXAMPLE_LIMIT];
  int count = 0;
  if (shape.rank < 0)
    return shape;
  if (list && example_is_sequence(model, list)) {
    for (PY_EACH_ELEMENT(&model->tree, item, list)) {
      if (count == shape.rank || !py_model_int(model, item, &axes[count++]))
        return example_no_shape();
    }
  } else {
    for (uint32_t i = first; i < call->argument_count; i++) {
      if (count == shape.rank || !py_model_int(model, given[i].value, &axes[count++]))
        return example_no_shape();
    }
  }
  for (int i = 0; i < shape.rank; i++) {
    int from = count == 0 ? shape.rank - 1 - i : axis_of(shape.rank, axes[i]);
    if (from < 0 || (count > 0 && count != shape.rank))
      return example_no_shape();
    made.sizes[i] = shape.sizes[from];
  }
  return made;
}

/// `squeeze()` of sizes that are all known, and `squeeze(0)`.
static ExampleShape squeezed(const PyModel *model, const PyCall *call, uint32_t first, ExampleShape shape)
{
  const PyArgument *axis = py_model_argument(model, call, first, "axis");
  ExampleShape made = { 0 };
  int64_t number = 0;
  if (axis && !py_model_int(model, axis->value, &number))
    return example_no_shape();
  for (int i = 0; i < shape.rank; i++) {
    if (!axis && shape.sizes[i] < 0)
      return example_no_shape();
    if (axis ? i != axis_of(shape.rank, number) : shape.sizes[i] != 1)
      made.sizes[made.rank++] = shape.sizes[i];
  }
  return shape.rank < 0 ? shape : made;
}

/// `swapaxes(0, 2)` and `moveaxis(x, -1, 0)`
static ExampleShape moved(const PyModel *model, const PyCall *call, Str name, uint32_t first, ExampleShape shape)
{
  const PyArgument *a = py_model_argument(model, call, first, NULL),
                   *b = py_model_argument(model, call, first + 1, NULL);
  int64_t numbers[2];
  if (shape.rank < 0 || !a || !b || !py_model_int(model, a->value, &numbers[0]) ||
      !py_model_int(model, b->value, &numbers[1]))
    return example_no_shape();
  int from = axis_of(shape.rank, numbers[0]), to = axis_of(shape.rank, numbers[1]);
  if (from < 0 || to < 0)
    return example_no_shape();
  int64_t size = shape.sizes[from];
  if (str_equal(name, STR("swapaxes"))) {
    shape.sizes[from] = shape.sizes[to];
  } else {
    for (int step = from < to ? 1 : -1; from != to; from += step)
      shape.sizes[from] = shape.sizes[from + step];
  }
  shape.sizes[to] = size;
  return shape;
}

bool numpy_moved(const PyModel *model, const PyCall *call, Str name, uint32_t first, MadeArray *array)
{
  static const char *const keeping[] = { "copy", "clip", "ascontiguousarray", "flip", "fliplr", "flipud" };
  static const char *const of_type[] = { "flatten", "ravel", "repeat", "tile", "pad", "rot90", "resize" };
  const PyArgument *axis = py_model_argument(model, call, first, "axis");
  int64_t number;
  if (str_is_one_of(name, keeping, COUNT(keeping)))
    return true;
  if (str_is_one_of(name, of_type, COUNT(of_type)))
    array->shape = example_no_shape();
  else if (str_equal(name, STR("transpose")))
    array->shape = transposed(model, call, first, array->shape);
  else if (str_equal(name, STR("squeeze")))
    array->shape = squeezed(model, call, first, array->shape);
  else if (str_equal(name, STR("swapaxes")) || str_equal(name, STR("moveaxis")))
    array->shape = moved(model, call, name, first, array->shape);
  else if (str_equal(name, STR("expand_dims")))
    array->shape = axis && py_model_int(model, axis->value, &number) ? example_with_axis(array->shape, number)
                                                                     : example_no_shape();
  else if (str_equal(name, STR("reshape")))
    array->shape = first == 0 ? example_sizes_written(model, call) : example_no_shape();
  else
    return false;
  return true;
}

// --- Indexes ---

static bool is_new_axis(const PyTree *tree, PyRef part)
{
  return py_kind(tree, part) == PYK_NONE || str_equal(py_tree_member_name(tree, part), STR("newaxis"));
}

static bool is_ellipsis(const PyTree *tree, PyRef part)
{
  return str_equal(py_text(tree, part), STR("..."));
}

/// Whether a slice takes all, be it in another order: `:`, `::-1`.
static bool takes_all(const PyTree *tree, PyRef slice)
{
  Str text = str_trim(py_text(tree, slice));
  return str_equal(text, STR(":")) || str_equal(text, STR("::-1"));
}

MadeArray numpy_indexed(const PyModel *model, PyRef subscript, MadeArray array)
{
  const PyTree *tree = &model->tree;
  PyRef object = py_child(tree, subscript, PY_F_VALUE);
  ExampleShape made = { 0 };
  int axis = 0, taken = 0, picked = 0;
  int64_t number;
  for (PY_EACH_CHILD(tree, part, subscript)) {
    PyNodeKind kind = py_kind(tree, part);
    bool is_known =
        is_new_axis(tree, part) || is_ellipsis(tree, part) || kind == PYK_SLICE || py_model_int(model, part, &number);
    if (part != object && !is_known)
      return (MadeArray){ .shape = example_no_shape(), .type = array.type };
    bool is_taken = part != object && !is_new_axis(tree, part) && !is_ellipsis(tree, part);
    taken += is_taken;
    picked += is_taken && kind != PYK_SLICE;
  }
  for (PY_EACH_CHILD(tree, part, subscript)) {
    if (part == object || array.shape.rank < taken || made.rank + array.shape.rank >= PY_EXAMPLE_LIMIT)
      continue;
    if (is_new_axis(tree, part))
      made.sizes[made.rank++] = 1;
    else if (is_ellipsis(tree, part))
      for (int rest = array.shape.rank - taken; rest > 0; rest--)
        made.sizes[made.rank++] = array.shape.sizes[axis++];
    else if (py_kind(tree, part) != PYK_SLICE)
      axis++;
    else
      made.sizes[made.rank++] = takes_all(tree, part) ? array.shape.sizes[axis++] : (axis++, -1);
  }
  while (axis < array.shape.rank)
    made.sizes[made.rank++] = array.shape.sizes[axis++];
  // An element of an array without further axes is a number.
  bool is_known = array.shape.rank >= taken && array.shape.rank >= 0 && made.rank > 0;
  array.shape = is_known ? made : example_no_shape();
  array.type = !is_known && picked > 0 ? (Str){ 0 } : array.type;
  return array;
}
