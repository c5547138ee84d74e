// Constant indices that a session looks at when it loads a model.

#include "graph/onnx/onnx_flow.h"

/// Whether an index is one of a size, counted from either end; reports if not.
static bool is_inside(OnnxInfer *infer, uint32_t input, int64_t index, int64_t size)
{
  if (index >= -size && index < size)
    return true;
  onnx_refuse_folded(infer, onnx_infer_at(infer, input), "`%.*s` has %lld to choose from, and an index is %lld.",
                     STR_ARG(infer->node->op), (long long)size, (long long)index);
  return false;
}

static void check_indices(OnnxInfer *infer, uint32_t input, int64_t size)
{
  const OnnxNumbers *indices = onnx_given(infer, input);
  for (uint32_t i = 0; indices && i < indices->count && is_inside(infer, input, indices->items[i], size); i++) {
  }
}

void onnx_fold_gather(OnnxInfer *infer)
{
  const OnnxType *data = onnx_sized(infer, 0);
  int64_t axis;
  uint32_t at;
  if (data && onnx_attr_int(infer, "axis", 0, &axis) && onnx_fold_axis(infer, "axis", axis, data->rank, &at))
    check_indices(infer, 1, onnx_size_at(data, at));
}

/// Where it begins and ends.
void onnx_fold_slice(OnnxInfer *infer)
{
  enum { ENDS = 2 };
  for (uint32_t i = 1; i <= ENDS && infer->schema->since >= 10; i++) {
    const OnnxType *list = onnx_shaped(infer, i);
    if (!list || list->rank == 1)
      continue;
    onnx_refuse_folded(infer, onnx_infer_at(infer, i), "`Slice` wants a list here, and this is of rank %u.",
                       list->rank);
    return;
  }
}

void onnx_fold_one_hot(OnnxInfer *infer)
{
  const OnnxNumbers *depth = onnx_given(infer, 1);
  if (depth && depth->count > 0 && depth->items[0] <= 0)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "`OneHot` wants a depth above 0, and this is %lld.",
                       (long long)depth->items[0]);
}

/// How many are cut off at one end; 0 where some are added.
static int64_t cut(int64_t pad)
{
  return pad > 0 ? 0 : pad < INT32_MIN ? INT32_MAX : -pad;
}

/// What is cut off has to be there, whatever is added at the other end.
static void check_cuts(OnnxInfer *infer, OnnxSpan at, const int64_t *pads, uint32_t count, const OnnxNumbers *axes)
{
  const OnnxType *type = onnx_sized(infer, 0);
  uint32_t padded = type && !axes ? type->rank : axes ? axes->count : 0;
  for (uint32_t i = 0; type && count == 2 * padded && i < padded; i++) {
    int64_t axis = !axes ? i : axes->items[i] < 0 ? axes->items[i] + type->rank : axes->items[i];
    if (axis < 0 || axis >= type->rank)
      return;
    int64_t size = onnx_size_at(type, (uint32_t)axis);
    if (cut(pads[i]) + cut(pads[i + padded]) <= size)
      continue;
    onnx_refuse_folded(infer, at, "`Pad` can't cut so much off a dimension of %lld.", (long long)size);
    return;
  }
}

static void fold_cuts(OnnxInfer *infer)
{
  enum { AXES = 3 };
  const int64_t *pads;
  uint32_t count;
  const OnnxNumbers *given = infer->schema->since >= 11 ? onnx_given(infer, 1) : NULL;
  const OnnxNumbers *axes = onnx_given(infer, AXES);
  if (given && (axes || !onnx_has_input(infer, AXES)))
    check_cuts(infer, onnx_infer_at(infer, 1), given->items, given->count, axes);
  else if (infer->schema->since < 11 && onnx_attr_ints(infer, "pads", &pads, &count))
    check_cuts(infer, onnx_infer_at_attr(infer, "pads"), pads, count, NULL);
}

/// What it is filled with, and what it cuts off.
void onnx_fold_pad(OnnxInfer *infer)
{
  enum { FILLING = 2 };
  fold_cuts(infer);
  const OnnxType *filling = infer->schema->since >= 11 ? onnx_sized(infer, FILLING) : NULL;
  for (uint32_t i = 0; filling && i < filling->rank; i++) {
    if (onnx_size_at(filling, i) == 1)
      continue;
    onnx_refuse_folded(infer, onnx_infer_at(infer, FILLING),
                       "`Pad` fills with one value, and here are other than one.");
    return;
  }
}

static bool are_of_rank(OnnxInfer *infer, uint32_t input, const OnnxType *type, uint32_t rank)
{
  if (type->rank == rank)
    return true;
  onnx_refuse_folded(infer, onnx_infer_at(infer, input), "`%.*s` wants as many dimensions here as the data has, %u.",
                     STR_ARG(infer->node->op), rank);
  return false;
}

/// Beside the axis, indices reach no further than the data.
static bool are_within(OnnxInfer *infer, const OnnxType *data, const OnnxType *indices, uint32_t axis)
{
  for (uint32_t i = 0; i < data->rank; i++) {
    if (i == axis || onnx_size_at(indices, i) <= onnx_size_at(data, i))
      continue;
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1),
                       "Dimension %u of the indices is %lld, and that of the data of `%.*s` %lld.", i,
                       (long long)onnx_size_at(indices, i), STR_ARG(infer->node->op), (long long)onnx_size_at(data, i));
    return false;
  }
  return true;
}

void onnx_fold_gather_elements(OnnxInfer *infer)
{
  const OnnxType *data = onnx_sized(infer, 0);
  const OnnxType *indices = onnx_sized(infer, 1);
  int64_t axis;
  uint32_t at;
  if (data && indices && onnx_attr_int(infer, "axis", 0, &axis) &&
      onnx_fold_axis(infer, "axis", axis, data->rank, &at) && are_of_rank(infer, 1, indices, data->rank) &&
      are_within(infer, data, indices, at))
    check_indices(infer, 1, onnx_size_at(data, at));
}

void onnx_fold_scatter(OnnxInfer *infer)
{
  const OnnxType *data = onnx_sized(infer, 0);
  const OnnxType *indices = onnx_sized(infer, 1);
  const OnnxType *updates = onnx_sized(infer, 2);
  int64_t axis;
  uint32_t at;
  if (!data || !indices || !updates || !onnx_attr_int(infer, "axis", 0, &axis) ||
      !onnx_fold_axis(infer, "axis", axis, data->rank, &at) || !are_of_rank(infer, 1, indices, data->rank) ||
      !are_of_rank(infer, 2, updates, data->rank))
    return;
  for (uint32_t i = 0; i < data->rank; i++) {
    if (onnx_size_at(indices, i) != onnx_size_at(updates, i))
      onnx_refuse_folded(infer, onnx_infer_at(infer, 2),
                         "Dimension %u of the updates is %lld, and of the indices %lld.", i,
                         (long long)onnx_size_at(updates, i), (long long)onnx_size_at(indices, i));
  }
  if (are_within(infer, data, indices, at))
    check_indices(infer, 1, onnx_size_at(data, at));
}

/// Rows of indices, each of them for as many dimensions of the data from `first` on.
static void check_rows(OnnxInfer *infer, const OnnxType *data, const OnnxType *indices, uint32_t first)
{
  const OnnxNumbers *numbers = onnx_given(infer, 1);
  int64_t count = onnx_size_at(indices, indices->rank - 1);
  for (uint32_t i = 0; numbers && count > 0 && i < numbers->count; i++) {
    if (!is_inside(infer, 1, numbers->items[i], onnx_size_at(data, first + (uint32_t)(i % count))))
      return;
  }
}

/// Both have dimensions, and the data as many as a row of indices is long.
static bool have_rows(OnnxInfer *infer, const OnnxType *data, const OnnxType *indices, int64_t batch)
{
  if (data->rank > 0 && indices->rank > 0 && batch >= 0 && batch < data->rank && batch < indices->rank &&
      onnx_size_at(indices, indices->rank - 1) <= data->rank - batch)
    return true;
  onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "`%.*s` finds no such element in data of rank %u.",
                     STR_ARG(infer->node->op), data->rank);
  return false;
}

void onnx_fold_gather_nd(OnnxInfer *infer)
{
  const OnnxType *data = onnx_sized(infer, 0);
  const OnnxType *indices = onnx_sized(infer, 1);
  int64_t batch;
  if (!data || !indices || !onnx_attr_int(infer, "batch_dims", 0, &batch) || !have_rows(infer, data, indices, batch))
    return;
  for (int64_t i = 0; i < batch; i++) {
    if (onnx_size_at(data, (uint32_t)i) != onnx_size_at(indices, (uint32_t)i))
      onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "Dimension %lld of the indices is not that of the data.",
                         (long long)i);
  }
  check_rows(infer, data, indices, (uint32_t)batch);
}

void onnx_fold_scatter_nd(OnnxInfer *infer)
{
  const OnnxType *data = onnx_sized(infer, 0);
  const OnnxType *indices = onnx_sized(infer, 1);
  const OnnxType *updates = onnx_sized(infer, 2);
  if (!data || !indices || !updates || !have_rows(infer, data, indices, 0))
    return;
  uint32_t rows = indices->rank - 1;
  uint32_t length = (uint32_t)onnx_size_at(indices, rows);
  bool fits = updates->rank == rows + data->rank - length;
  for (uint32_t i = 0; fits && i < updates->rank; i++)
    fits = onnx_size_at(updates, i) == (i < rows ? onnx_size_at(indices, i) : onnx_size_at(data, length + i - rows));
  if (fits)
    check_rows(infer, data, indices, 0);
  else
    onnx_refuse_folded(infer, onnx_infer_at(infer, 2),
                       "The updates of `ScatterND` are not of the sizes that follow from the data and the indices.");
}
