// What indexes make of tensors, sizes and tuples while shapes are followed.

#include "python/rules/forward/forward_index.h"

#include "base/limits.h"
#include "python/rules/forward/forward_elements.h"

/// The parts of a slice; 0 for those that are left out.
typedef struct SliceParts {
  PyRef at[3];
} SliceParts;

static SliceParts read_slice(const PyTree *tree, PyRef slice)
{
  SliceParts parts = { { 0 } };
  uint32_t from = tree->nodes[slice].start;
  size_t which = 0;
  for (PY_EACH_CHILD(tree, part, slice)) {
    for (uint32_t i = from; i < tree->nodes[part].start; i++)
      which += tree->text.data[i] == ':';
    if (which < COUNT(parts.at))
      parts.at[which] = part;
    from = tree->nodes[part].end;
  }
  return parts;
}

/// What a slice leaves of a size; -1 if that is not known. While sizes are tried it depends on them where it is cut.
static int64_t sliced(ShapeWalk *walk, ShapeFrame *frame, PyRef slice, int64_t size, int depth)
{
  SliceParts parts = read_slice(&walk->export->model->tree, slice);
  int64_t ends[2] = { 0, size }, step = 1;
  if (!parts.at[0] && !parts.at[1] && !parts.at[2])
    return size;
  if (size < 0 || (parts.at[2] && (walk->trial || !forward_int(walk, frame, parts.at[2], depth, &step))) || step < 1)
    return -1;
  for (int i = 0; i < 2; i++) {
    if (parts.at[i] && !forward_int(walk, frame, parts.at[i], depth, &ends[i]))
      return -1;
    if (walk->trial && (ends[i] > size || ends[i] < -size || ends[i] >= DIM_FACTOR))
      return -1;
    ends[i] = ends[i] < 0 ? ends[i] + size : ends[i];
    ends[i] = ends[i] < 0 ? 0 : ends[i] > size ? size : ends[i];
  }
  return ends[1] > ends[0] ? (ends[1] - ends[0] + step - 1) / step : 0;
}

static uint32_t count_parts(const PyTree *tree, PyRef node, PyRef object)
{
  uint32_t count = 0;
  for (PY_EACH_CHILD(tree, part, node)) {
    Str text = py_text(tree, part);
    count += part != object && py_kind(tree, part) != PYK_NONE && !str_equal(text, STR("..."));
  }
  return count;
}

/// `x[index]`, `x[:, index]` and `x[mask]`, the only one in the brackets that is a tensor: its axes are in the place of
/// the one that it picks along, or one of a size that values decide in that of all of a mask's. False for other parts.
static bool index_by_tensor(ShapeWalk *walk, ShapeFrame *frame, PyRef part, int depth, Shape *made, int *axis)
{
  Followed index = forward_value(walk, frame, part, depth);
  bool is_mask = str_equal(index.element, STR("bool"));
  if (index.kind == FOLLOWED_TENSOR && str_starts_with(index.element, STR("float")) && !walk->trial)
    forward_refuse(walk, part,
                   arena_printf(walk->export->sink->arena,
                                "takes elements by a tensor of %.*s, and indices are integers",
                                STR_ARG(index.element)));
  if (index.kind != FOLLOWED_TENSOR || (!is_mask && !forward_is_int_element(index.element)) || index.shape.rank == 0 ||
      str_equal(index.element, STR("uint8")) || made->rank + index.shape.rank >= PY_SHAPE_RANK_LIMIT)
    return false;
  for (int i = 0; i < index.shape.rank && !is_mask; i++)
    made->sizes[made->rank++] = index.shape.sizes[i];
  if (is_mask)
    made->sizes[made->rank++] = -1;
  *axis += is_mask ? index.shape.rank : 1;
  return true;
}

static Followed index_tensor(ShapeWalk *walk, ShapeFrame *frame, PyRef node, const Followed *of, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef object = py_child(tree, node, PY_F_VALUE);
  Shape made = { 0 };
  int axis = 0;
  int rest = of->shape.rank - (int)count_parts(tree, node, object);
  int numbers = 0, tensors = 0;
  if (rest < 0)
    return (Followed){ 0 };
  for (PY_EACH_CHILD(tree, part, node)) {
    PyNodeKind kind = py_kind(tree, part);
    Str text = py_text(tree, part);
    int64_t number;
    if (part == object)
      continue;
    if (made.rank + of->shape.rank - axis >= PY_SHAPE_RANK_LIMIT)
      return (Followed){ 0 };
    if (str_equal(text, STR("..."))) {
      for (; rest > 0; rest--)
        made.sizes[made.rank++] = of->shape.sizes[axis++];
    } else if (kind == PYK_NONE) {
      made.sizes[made.rank++] = 1;
    } else if (kind == PYK_SLICE) {
      made.sizes[made.rank++] = sliced(walk, frame, part, of->shape.sizes[axis], depth);
      axis++;
    } else if (forward_int(walk, frame, part, depth, &number)) {
      axis++;
      numbers++;
    } else if (tensors++ > 0 || !index_by_tensor(walk, frame, part, depth, &made, &axis)) {
      return (Followed){ 0 };
    }
  }
  if ((tensors > 0 && numbers > 0) || axis > of->shape.rank)
    return (Followed){ 0 };
  while (axis < of->shape.rank)
    made.sizes[made.rank++] = of->shape.sizes[axis++];
  Followed value = forward_tensor(made);
  value.element = of->element;
  return value;
}

/// `items[::-1]` and `items[::2]`
static Followed stepped_tuple(ShapeWalk *walk, const Followed *of, int64_t step)
{
  int64_t count = (of->number + (step < 0 ? 1 : step) - 1) / (step < 0 ? 1 : step);
  Followed *items = ARENA_ARRAY(walk->export->sink->arena, Followed, (size_t)(count > 0 ? count : 1));
  for (int64_t i = 0; i < count; i++)
    items[i] = of->items[step < 0 ? of->number - 1 - i : i * step];
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = count, .items = items, .is_list = of->is_list };
}

/// `items[1:]`
static Followed part_of_tuple(ShapeWalk *walk, ShapeFrame *frame, PyRef slice, const Followed *of, int depth)
{
  SliceParts parts = read_slice(&walk->export->model->tree, slice);
  int64_t ends[2] = { 0, of->number }, step = 1;
  if (parts.at[2]) {
    bool is_known = !parts.at[0] && !parts.at[1] && forward_int(walk, frame, parts.at[2], depth, &step);
    return is_known && (step == -1 || step > 0) ? stepped_tuple(walk, of, step) : (Followed){ 0 };
  }
  for (int i = 0; i < 2; i++) {
    if (parts.at[i] && !forward_int(walk, frame, parts.at[i], depth, &ends[i]))
      return (Followed){ 0 };
    ends[i] = ends[i] < 0 ? ends[i] + of->number : ends[i];
    ends[i] = ends[i] < 0 ? 0 : ends[i] > of->number ? of->number : ends[i];
  }
  Followed part = *of;
  part.items += ends[0];
  part.number = ends[1] > ends[0] ? ends[1] - ends[0] : 0;
  return part;
}

Followed forward_subscript(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef object = py_child(tree, node, PY_F_VALUE), index = py_child(tree, node, PY_F_SUBSCRIPT);
  int64_t at;
  if (!object || !index)
    return (Followed){ 0 };
  Followed of = forward_value(walk, frame, object, depth);
  forward_refuse_none(walk, node, STR("takes an element of"), &of, &of);
  if (of.kind == FOLLOWED_TENSOR)
    return index_tensor(walk, frame, node, &of, depth);
  if (of.kind == FOLLOWED_TUPLE && py_kind(tree, index) == PYK_SLICE)
    return part_of_tuple(walk, frame, index, &of, depth);
  bool is_item =
      of.kind == FOLLOWED_TUPLE && forward_int(walk, frame, index, depth, &at) && at < of.number && at >= -of.number;
  return is_item ? of.items[at < 0 ? at + of.number : at] : (Followed){ 0 };
}

Followed forward_taken_apart(ShapeWalk *walk, PyRef node, const Followed *given, int64_t at)
{
  int axis = shape_axis(&given->shape, at);
  int64_t size = axis < 0 ? -1 : given->shape.sizes[axis];
  if (walk->trial && size > 0 && size % DIM_FACTOR == 0)
    forward_refuse(walk, node, STR("takes apart an axis that has to be of one size then"));
  if (size <= 0 || size > PY_SHAPE_TURN_LIMIT)
    return (Followed){ 0 };
  Followed *items = ARENA_ARRAY(walk->export->sink->arena, Followed, (size_t)size);
  for (int64_t i = 0; i < size; i++)
    items[i] = forward_of_element(forward_tensor(shape_reduce(&given->shape, at, false)), given->element);
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = size, .items = items };
}

Followed forward_dictionary(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  for (PY_EACH_ELEMENT(tree, pair, node))
    forward_value(walk, frame, py_child(tree, pair, PY_F_VALUE), depth);
  return (Followed){ 0 };
}

Followed forward_data(const ShapeWalk *walk, PyRef data, Followed of)
{
  static const char *const asking[] = { "size", "shape" };
  const PyTree *tree = &walk->export->model->tree;
  PyRef parent = tree->nodes[data].parent;
  // Of an input check_tracing.c speaks.
  bool asks = !of.is_of_input && py_kind(tree, parent) == PYK_ATTRIBUTE &&
              str_is_one_of(py_tree_member_name(tree, parent), asking, COUNT(asking));
  for (int i = 0; asks && walk->trial && walk->is_of_trace && i < of.shape.rank; i++) {
    int64_t *size = &of.shape.sizes[i];
    if (*size >= DIM_FACTOR)
      *size = *size % DIM_FACTOR == 0 ? *size / DIM_FACTOR : -1;
  }
  return of;
}
