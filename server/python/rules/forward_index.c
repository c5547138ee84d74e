// What indexes make of tensors, sizes and tuples while shapes are followed.

#include "python/rules/forward_index.h"

#include "base/limits.h"

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
  int64_t ends[2] = { 0, size };
  if (!parts.at[0] && !parts.at[1] && !parts.at[2])
    return size;
  if (parts.at[2] || size < 0)
    return -1;
  for (int i = 0; i < 2; i++) {
    if (parts.at[i] && !forward_int(walk, frame, parts.at[i], depth, &ends[i]))
      return -1;
    if (walk->trial && (ends[i] > size || ends[i] < -size || ends[i] >= DIM_FACTOR))
      return -1;
    ends[i] = ends[i] < 0 ? ends[i] + size : ends[i];
    ends[i] = ends[i] < 0 ? 0 : ends[i] > size ? size : ends[i];
  }
  return ends[1] > ends[0] ? ends[1] - ends[0] : 0;
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

static Followed index_tensor(ShapeWalk *walk, ShapeFrame *frame, PyRef node, const Followed *of, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef object = py_child(tree, node, PY_F_VALUE);
  Shape made = { 0 };
  int axis = 0;
  int rest = of->shape.rank - (int)count_parts(tree, node, object);
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
    } else {
      return (Followed){ 0 };
    }
  }
  while (axis < of->shape.rank)
    made.sizes[made.rank++] = of->shape.sizes[axis++];
  Followed value = forward_tensor(made);
  value.element = of->element;
  return value;
}

/// The sizes of what `x.shape` and `x.size()` are asked of; unknown for other expressions.
static Followed sized(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  bool is_shape = str_equal(py_tree_member_name(tree, node), STR("shape"));
  return is_shape ? forward_value(walk, frame, py_tree_object(tree, node), depth) : (Followed){ 0 };
}

Followed forward_subscript(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  PyRef object = py_child(tree, node, PY_F_VALUE), index = py_child(tree, node, PY_F_SUBSCRIPT);
  int64_t at;
  if (!object || !index)
    return (Followed){ 0 };
  Followed of = sized(walk, frame, object, depth);
  if (of.kind == FOLLOWED_TENSOR) {
    int axis = py_model_int(model, index, &at) ? shape_axis(&of.shape, at) : -1;
    int64_t size = axis < 0 ? -1 : of.shape.sizes[axis];
    return size < 0 || size > PY_DIM_NUMBER_LIMIT ? (Followed){ 0 }
                                                  : (Followed){ .kind = FOLLOWED_INT, .number = size };
  }
  of = forward_value(walk, frame, object, depth);
  if (of.kind == FOLLOWED_TENSOR)
    return index_tensor(walk, frame, node, &of, depth);
  bool is_item = of.kind == FOLLOWED_TUPLE && py_model_int(model, index, &at) && at < of.number && at >= -of.number;
  return is_item ? of.items[at < 0 ? at + of.number : at] : (Followed){ 0 };
}

Followed forward_taken_apart(ShapeWalk *walk, PyRef node, const Shape *given, int64_t at)
{
  int axis = shape_axis(given, at);
  int64_t size = axis < 0 ? -1 : given->sizes[axis];
  if (walk->trial && size > 0 && size % DIM_FACTOR == 0)
    forward_refuse(walk, node, STR("takes apart an axis that has to be of one size then"));
  if (size <= 0 || size > PY_SHAPE_RANK_LIMIT)
    return (Followed){ 0 };
  Followed *items = ARENA_ARRAY(walk->export->sink->arena, Followed, (size_t)size);
  for (int64_t i = 0; i < size; i++)
    items[i] = forward_tensor(shape_reduce(given, at, false));
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = size, .items = items };
}
