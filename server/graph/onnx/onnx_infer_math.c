// Operators that work element by element, reduce, or multiply matrices.

#include "graph/onnx/onnx_flow.h"

/// Nothing is known of what is made of a sequence.
static void like_tensor(OnnxInfer *infer, uint32_t element)
{
  if (onnx_tensor(infer, 0))
    onnx_out_like_first(infer, 0, element);
}

void onnx_infer_same(OnnxInfer *infer)
{
  like_tensor(infer, onnx_element(infer, 0));
}

void onnx_infer_bool_same(OnnxInfer *infer)
{
  like_tensor(infer, ELEM_BOOL);
}

void onnx_infer_identity(OnnxInfer *infer)
{
  if (onnx_has_output(infer, 0))
    infer->out[0] = onnx_input(infer, 0);
}

void onnx_infer_dropout(OnnxInfer *infer)
{
  onnx_infer_same(infer);
  const OnnxType *type = onnx_shaped(infer, 0);
  if (onnx_has_output(infer, 1) && infer->schema->since >= 10)
    onnx_out(infer, 1, ELEM_BOOL, type ? type->dims : NULL, type ? type->rank : ONNX_NO_RANK);
  for (uint32_t i = 1; i < 3 && infer->schema->since >= 12 && !infer->has_failed; i++) {
    const OnnxType *scalar = onnx_shaped(infer, i);
    if (scalar && scalar->rank != 0)
      onnx_infer_fail(infer, onnx_infer_at(infer, i), "`Dropout` wants a scalar here; this is of rank %u.",
                      scalar->rank);
  }
}

void onnx_infer_trilu(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  if (type && type->rank < 2)
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "`Trilu` wants a matrix or several; this is of rank %u.",
                    type->rank);
  onnx_infer_same(infer);
}

// --- Broadcasting ---

static void broadcast_to(OnnxInfer *infer, uint32_t first, uint32_t count, uint32_t element)
{
  enum { MANY = 64 };
  const OnnxType *types[MANY];
  OnnxDim *dims;
  uint32_t rank;
  bool is_known = count > 0 && count <= MANY;
  for (uint32_t i = 0; i < count && is_known; i++)
    is_known = (types[i] = onnx_shaped(infer, first + i)) != NULL;
  if (is_known && onnx_broadcast(infer, types, count, &dims, &rank))
    onnx_out(infer, 0, element, dims, rank);
  else
    onnx_out(infer, 0, element, NULL, ONNX_NO_RANK);
}

/// The first versions had attributes for it; their inference looks at the first input alone.
enum { NUMPY_BROADCAST = 7 };

void onnx_infer_broadcast(OnnxInfer *infer)
{
  if (infer->schema->since >= NUMPY_BROADCAST)
    broadcast_to(infer, 0, 2, onnx_element(infer, 0));
  else
    onnx_infer_same(infer);
}

void onnx_infer_compare(OnnxInfer *infer)
{
  if (infer->schema->since >= NUMPY_BROADCAST)
    broadcast_to(infer, 0, 2, ELEM_BOOL);
  else
    onnx_infer_bool_same(infer);
}

void onnx_infer_variadic(OnnxInfer *infer)
{
  if (infer->schema->since >= 8)
    broadcast_to(infer, 0, infer->node->inputs.count, onnx_element(infer, 0));
  else
    onnx_infer_same(infer);
}

void onnx_infer_where(OnnxInfer *infer)
{
  broadcast_to(infer, 0, 3, onnx_element(infer, 1));
}

// --- One axis ---

void onnx_infer_softmax(OnnxInfer *infer)
{
  int64_t axis;
  uint32_t at;
  onnx_infer_same(infer);
  const OnnxType *type = onnx_shaped(infer, 0);
  if (!type || !onnx_attr_int(infer, "axis", infer->schema->since >= 13 ? -1 : 1, &axis))
    return;
  if (infer->schema->since >= 11)
    onnx_axis(infer, axis, type->rank, "axis", &at);
}

// --- Types ---

void onnx_infer_cast(OnnxInfer *infer)
{
  enum { FIRST_WITH_NUMBERS = 6 };
  int64_t to;
  if (infer->schema->since < FIRST_WITH_NUMBERS)
    return;
  // Where the checker does not look: in a body that is called without it, or in a model without functions.
  if (!onnx_attr(infer, "to") && !infer->node->lacks_attrs)
    onnx_infer_fail(infer, infer->node->op_at, "`%.*s` is not told the element type, `to`.", STR_ARG(infer->node->op));
  else if (onnx_attr_element(infer, "to", 0, &to))
    like_tensor(infer, (uint32_t)to);
}

void onnx_infer_cast_like(OnnxInfer *infer)
{
  like_tensor(infer, onnx_element(infer, 1));
}

// --- Reductions ---

/// The first versions let axes pass that are none.
static bool checks_axes(const OnnxInfer *infer)
{
  bool is_late = str_equal(infer->node->op, STR("ReduceMax")) || str_equal(infer->node->op, STR("ReduceMin"));
  return infer->schema->since >= (is_late ? 12 : 11);
}

/// Which axes are reduced; false if that is unknown. An empty list means all of them.
static bool reduced_axes(OnnxInfer *infer, uint32_t rank, bool *ret_axes, bool *ret_all)
{
  const int64_t *items;
  uint32_t count;
  const OnnxNumbers *given = onnx_constant(infer, 1);
  *ret_all = false;
  if (onnx_has_input(infer, 1) && !given)
    return false;
  if (!onnx_attr_ints(infer, "axes", &items, &count))
    return false;
  if (given) {
    items = given->items;
    count = given->count;
  }
  int64_t is_noop;
  if (!onnx_attr_int(infer, "noop_with_empty_axes", 0, &is_noop))
    return false;
  *ret_all = count == 0 && is_noop == 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t axis;
    if (!checks_axes(infer) && (items[i] < -(int64_t)rank || items[i] >= (int64_t)rank))
      continue;
    if (!onnx_axis(infer, items[i], rank, "axes", &axis))
      return false;
    ret_axes[axis] = true;
  }
  return true;
}

void onnx_infer_reduce(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  uint32_t element = onnx_element(infer, 0);
  int64_t keeps;
  bool is_all;
  if (!type || !onnx_attr_int(infer, "keepdims", 1, &keeps))
    return;
  bool *axes = arena_alloc(infer->arena, type->rank + 1);
  if (!reduced_axes(infer, type->rank, axes, &is_all))
    return;
  OnnxDim *dims = onnx_dims(infer, type->rank);
  uint32_t rank = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    bool is_reduced = is_all || axes[i];
    if (!is_reduced || keeps == 1)
      dims[rank++] = is_reduced ? onnx_size(1) : type->dims[i];
  }
  onnx_out(infer, 0, element, dims, rank);
}

/// A session gives an attribute that is left out its default, which onnx's inference does not look at.
/// Source: Graph::VerifyNodeAndOpMatch of onnxruntime; tried with 1.21 and 1.23.
static void refuse_scalar(const OnnxInfer *infer)
{
  OnnxCheck *check = infer->flow->check;
  if (check->runtime.limits && infer->schema->since >= 11)
    onnx_report(check, onnx_infer_at(infer, 0), RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s takes no scalar here: without `axis` it is 0.", STR_ARG(onnx_runtime_words(check)));
}

void onnx_infer_arg(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t keeps;
  int64_t axis;
  uint32_t at;
  onnx_out(infer, 0, ELEM_INT64, NULL, ONNX_NO_RANK);
  if (!type || !onnx_attr_int(infer, "keepdims", 1, &keeps) || !onnx_attr_int(infer, "axis", 0, &axis))
    return;
  bool is_checked = infer->schema->since >= 11 && onnx_attr(infer, "axis");
  bool is_none = !is_checked && (axis < -(int64_t)type->rank || axis >= (int64_t)type->rank);
  if (is_none) {
    at = UINT32_MAX;
    refuse_scalar(infer);
  } else if (!onnx_axis(infer, axis, type->rank, "axis", &at)) {
    return;
  }
  OnnxDim *dims = onnx_dims(infer, type->rank);
  uint32_t rank = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (i != at || keeps == 1)
      dims[rank++] = i == at ? onnx_size(1) : type->dims[i];
  }
  onnx_out(infer, 0, ELEM_INT64, dims, rank);
}

// --- Matrices ---

static bool check_inner(OnnxInfer *infer, OnnxDim left, OnnxDim right)
{
  if (!onnx_is_size(left) || !onnx_is_size(right) || left.value == right.value)
    return true;
  return onnx_infer_fail(infer, onnx_infer_at(infer, 1), "`%.*s` multiplies rows of %lld with columns of %lld.",
                         STR_ARG(infer->node->op), (long long)left.value, (long long)right.value);
}

static bool has_scalar(OnnxInfer *infer, const OnnxType *a, const OnnxType *b, uint32_t second)
{
  if (a->rank > 0 && b->rank > 0)
    return false;
  onnx_infer_fail(infer, onnx_infer_at(infer, a->rank == 0 ? 0 : second), "`%.*s` can't multiply a scalar.",
                  STR_ARG(infer->node->op));
  return true;
}

void onnx_infer_product(OnnxInfer *infer, const OnnxType *a, const OnnxType *b, uint32_t second, uint32_t element)
{
  if (!a || !b || !onnx_has_output(infer, 0) || has_scalar(infer, a, b, second))
    return;
  OnnxDim inner = b->rank == 1 ? b->dims[0] : b->dims[b->rank - 2];
  if (!check_inner(infer, a->dims[a->rank - 1], inner))
    return;
  OnnxType left = *a;
  OnnxType right = *b;
  left.rank = a->rank >= 2 ? a->rank - 2 : 0;
  right.rank = b->rank >= 2 ? b->rank - 2 : 0;
  const OnnxType *stacks[] = { &left, &right };
  OnnxDim *dims;
  uint32_t rank;
  if (!onnx_broadcast(infer, stacks, 2, &dims, &rank))
    return;
  OnnxDim *all = onnx_dims(infer, rank + 2);
  if (rank > 0)
    memcpy(all, dims, rank * sizeof(*all));
  if (a->rank > 1)
    all[rank++] = a->dims[a->rank - 2];
  if (b->rank > 1)
    all[rank++] = b->dims[b->rank - 1];
  onnx_out(infer, 0, element, all, rank);
}

void onnx_infer_matmul(OnnxInfer *infer)
{
  bool is_quantized = str_starts_with(infer->node->op, STR("QLinear"));
  uint32_t second = is_quantized ? 3 : 1;
  uint32_t element = infer->out[0]  ? infer->out[0]->element
                     : is_quantized ? onnx_element(infer, 7)
                                    : onnx_element(infer, 0);
  onnx_infer_product(infer, onnx_shaped(infer, 0), onnx_shaped(infer, second), second, element);
}

void onnx_infer_gemm(OnnxInfer *infer)
{
  const OnnxType *a = onnx_shaped(infer, 0);
  const OnnxType *b = onnx_shaped(infer, 1);
  int64_t trans_a;
  int64_t trans_b;
  if (!a || !b || !onnx_attr_int(infer, "transA", 0, &trans_a) || !onnx_attr_int(infer, "transB", 0, &trans_b))
    return;
  const OnnxType *wrong = a->rank != 2 ? a : b->rank != 2 ? b : NULL;
  if (wrong) {
    onnx_infer_fail(infer, onnx_infer_at(infer, wrong == a ? 0 : 1), "`Gemm` wants matrices; this is of rank %u.",
                    wrong->rank);
    return;
  }
  OnnxDim dims[] = { a->dims[trans_a ? 1 : 0], b->dims[trans_b ? 0 : 1] };
  onnx_out(infer, 0, onnx_element(infer, 0), dims, 2);
}
