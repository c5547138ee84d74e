// Sizes of tensors as they go through operators.

#include "python/rules/forward/shapes.h"

Shape shape_unknown(void)
{
  return (Shape){ .rank = -1 };
}

/// A size that can be computed with.
static int64_t known_size(int64_t size)
{
  return size < 0 || size > PY_DIM_NUMBER_LIMIT ? -1 : size;
}

Str shape_text(const Shape *shape, Arena *arena)
{
  Str text = { 0 };
  for (int i = 0; i < shape->rank; i++)
    text = shape->sizes[i] < 0
               ? arena_printf(arena, "%.*s%s?", STR_ARG(text), i > 0 ? ", " : "")
               : arena_printf(arena, "%.*s%s%lld", STR_ARG(text), i > 0 ? ", " : "", (long long)shape->sizes[i]);
  return arena_printf(arena, "(%.*s%s)", STR_ARG(text), shape->rank == 1 ? "," : "");
}

int shape_axis(const Shape *shape, int64_t axis)
{
  int64_t found = axis < 0 ? axis + shape->rank : axis;
  return found >= 0 && found < shape->rank ? (int)found : -1;
}

/// Of one axis; false if they don't go together.
static bool broadcast_size(int64_t a, int64_t b, int64_t *ret_size)
{
  if (a > 1 && b > 1 && a != b)
    return false;
  *ret_size = a == 1 ? b : b == 1 || a > 1 ? a : b > 1 ? b : a == 0 || b == 0 ? 0 : -1;
  return true;
}

bool shape_broadcast(const Shape *a, const Shape *b, Shape *ret_shape)
{
  *ret_shape = shape_unknown();
  if (a->rank < 0 || b->rank < 0)
    return true;
  Shape joined = { .rank = a->rank > b->rank ? a->rank : b->rank };
  for (int i = 1; i <= joined.rank; i++) {
    int64_t first = i <= a->rank ? a->sizes[a->rank - i] : 1;
    int64_t second = i <= b->rank ? b->sizes[b->rank - i] : 1;
    if (!broadcast_size(first, second, &joined.sizes[joined.rank - i]))
      return false;
  }
  *ret_shape = joined;
  return true;
}

bool shape_matmul(const Shape *a, const Shape *b, Shape *ret_shape)
{
  *ret_shape = shape_unknown();
  if (a->rank < 1 || b->rank < 1)
    return true;
  int64_t inner = a->sizes[a->rank - 1];
  int64_t other = b->sizes[b->rank == 1 ? 0 : b->rank - 2];
  if (inner >= 0 && other >= 0 && inner != other)
    return false;
  if (a->rank < 2 || b->rank < 2)
    return true;
  Shape first = { .rank = a->rank - 2 }, second = { .rank = b->rank - 2 };
  for (int i = 0; i < first.rank; i++)
    first.sizes[i] = a->sizes[i];
  for (int i = 0; i < second.rank; i++)
    second.sizes[i] = b->sizes[i];
  Shape batch;
  if (!shape_broadcast(&first, &second, &batch))
    return false;
  batch.sizes[batch.rank++] = a->sizes[a->rank - 2];
  batch.sizes[batch.rank++] = b->sizes[b->rank - 1];
  *ret_shape = batch;
  return true;
}

/// torch leaves out an empty vector, whatever it is joined to.
static bool may_be_left_out(const Shape *shape)
{
  return shape->rank < 0 || (shape->rank == 1 && shape->sizes[0] <= 0);
}

bool shape_join(Shape *joined, const Shape *other, int64_t axis)
{
  if (joined->rank != other->rank && !may_be_left_out(joined) && !may_be_left_out(other))
    return false;
  if (joined->rank != other->rank || joined->rank < 0) {
    *joined = shape_unknown();
    return true;
  }
  int along = shape_axis(joined, axis);
  for (int i = 0; i < joined->rank; i++) {
    int64_t a = joined->sizes[i], b = other->sizes[i];
    if (along < 0 || i == along) {
      joined->sizes[i] = a < 0 || b < 0 || along < 0 ? -1 : known_size(a + b);
      continue;
    }
    if (a >= 0 && b >= 0 && a != b)
      return false;
    joined->sizes[i] = a < 0 ? b : a;
  }
  return true;
}

/// How many elements there are; -1 if that is not known.
static int64_t count_elements(const Shape *shape)
{
  int64_t count = shape->rank < 0 ? -1 : 1;
  for (int i = 0; i < shape->rank && count >= 0; i++)
    count =
        shape->sizes[i] < 0 || (count > 0 && shape->sizes[i] > INT64_MAX / 2 / count) ? -1 : count * shape->sizes[i];
  return count;
}

bool shape_reshape(const Shape *shape, const Shape *wanted, const bool *unknown, Shape *ret_shape)
{
  int64_t count = count_elements(shape);
  int64_t known = 1;
  int rest = -1;
  bool is_known = true;
  *ret_shape = *wanted;
  for (int i = 0; i < wanted->rank; i++) {
    if (unknown[i]) {
      is_known = false;
      ret_shape->sizes[i] = -1;
    } else if (wanted->sizes[i] < 0) {
      rest = i;
    } else if (wanted->sizes[i] > 0 && known > INT64_MAX / 2 / wanted->sizes[i]) {
      is_known = false;
    } else {
      known *= wanted->sizes[i];
    }
  }
  if (count <= 0 || known <= 0 || !is_known)
    return true;
  if (rest < 0)
    return count == known;
  ret_shape->sizes[rest] = known_size(count / known);
  return count % known == 0;
}

Shape shape_flatten(const Shape *shape, int64_t start, int64_t end)
{
  int first = shape_axis(shape, start), last = shape_axis(shape, end);
  if (shape->rank < 1 || first < 0 || last < first)
    return shape_unknown();
  Shape flat = { .rank = shape->rank - (last - first) };
  Shape part = { .rank = last - first + 1 };
  for (int i = 0; i < part.rank; i++)
    part.sizes[i] = shape->sizes[first + i];
  for (int i = 0; i < flat.rank; i++)
    flat.sizes[i] = i < first    ? shape->sizes[i]
                    : i == first ? known_size(count_elements(&part))
                                 : shape->sizes[last + i - first];
  return flat;
}

Shape shape_transpose(const Shape *shape, int64_t a, int64_t b)
{
  int first = shape_axis(shape, a), second = shape_axis(shape, b);
  if (shape->rank < 0 || first < 0 || second < 0)
    return shape_unknown();
  Shape turned = *shape;
  turned.sizes[first] = shape->sizes[second];
  turned.sizes[second] = shape->sizes[first];
  return turned;
}

Shape shape_reduce(const Shape *shape, int64_t axis, bool keeps)
{
  int at = shape->rank < 0 ? -1 : shape_axis(shape, axis);
  if (at < 0)
    return shape_unknown();
  Shape less = *shape;
  if (keeps) {
    less.sizes[at] = 1;
    return less;
  }
  less.rank--;
  for (int i = at; i < less.rank; i++)
    less.sizes[i] = shape->sizes[i + 1];
  return less;
}

Shape shape_unsqueeze(const Shape *shape, int64_t axis)
{
  if (shape->rank < 0 || shape->rank == PY_SHAPE_RANK_LIMIT)
    return shape_unknown();
  Shape more = { .rank = shape->rank + 1 };
  int at = shape_axis(&more, axis);
  for (int i = 0; i < more.rank && at >= 0; i++)
    more.sizes[i] = i < at ? shape->sizes[i] : i == at ? 1 : shape->sizes[i - 1];
  return at < 0 ? shape_unknown() : more;
}

static bool is_window(const ShapeWindow *window)
{
  return window->kernel > 0 && window->stride > 0 && window->padding >= 0 && window->dilation > 0;
}

/// How far the window can move; negative where it is larger than the padded axis.
static int64_t room_of(int64_t size, const ShapeWindow *window)
{
  return size + 2 * window->padding - window->dilation * (window->kernel - 1) - 1;
}

bool shape_window_is_too_large(int64_t size, const ShapeWindow *window)
{
  return size >= 0 && is_window(window) && room_of(size, window) < 0;
}

int64_t shape_window(int64_t size, const ShapeWindow *window)
{
  bool is_known = size >= 0 && is_window(window) && room_of(size, window) >= 0;
  return is_known ? known_size(room_of(size, window) / window->stride + 1) : -1;
}

int64_t shape_window_back(int64_t size, const ShapeWindow *window, int64_t output_padding)
{
  if (size < 1 || !is_window(window) || output_padding < 0)
    return -1;
  return known_size((size - 1) * window->stride - 2 * window->padding + window->dilation * (window->kernel - 1) +
                    output_padding + 1);
}

/// The elements of an axis and of all after it; -1 if that is not known, or too many.
static int64_t elements_from(const Shape *shape, const bool *unknown, int axis)
{
  int64_t count = 1;
  for (int i = axis; i < shape->rank; i++) {
    if ((unknown && unknown[i]) || shape->sizes[i] <= 0 || __builtin_mul_overflow(count, shape->sizes[i], &count))
      return -1;
  }
  return count;
}

int shape_kept_axis(const Shape *given, const Shape *wanted, const bool *unknown, int64_t factor)
{
  for (int i = 0; i < given->rank && i < wanted->rank && !unknown[i]; i++) {
    bool is_scaled = given->sizes[i] > 0 && given->sizes[i] % factor == 0;
    if (is_scaled && wanted->sizes[i] == given->sizes[i] / factor)
      return i + 1;
    if (wanted->sizes[i] != given->sizes[i]) {
      int64_t asked = elements_from(wanted, unknown, i);
      return is_scaled && asked > 0 && asked == elements_from(given, NULL, i) / factor ? i + 1 : 0;
    }
  }
  return 0;
}
