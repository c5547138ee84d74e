// What a session computes when it loads a model: nodes that take nothing else than constants. Where the kernel refuses
// what it takes, the model is not loaded, and onnx has passed it. Each was tried with onnxruntime 1.21 and 1.23.

#include "base/limits.h"
#include "base/search.h"
#include "graph/onnx/onnx_flow.h"

void onnx_refuse_folded(OnnxInfer *infer, OnnxSpan at, const char *format, ...)
{
  OnnxFlow *flow = infer->flow;
  OnnxCheck *check = flow->check;
  bool is_told = flow->later && flow->follows != ONNX_FOLLOWS_CONSTANT_SIZES;
  if (is_told || infer->is_refused)
    return;
  infer->is_refused = true;
  va_list args;
  va_start(args, format);
  Str message = arena_vprintf(check->arena, format, args);
  va_end(args);
  bool is_named = check->runtime.limits != NULL;
  DiagSink *sink = check->sink;
  check->sink = flow->later ? flow->later : sink;
  onnx_report(check, at, is_named ? RULE_RUNTIME_REFUSES_MODEL : RULE_SHAPE_MISMATCH, onnx_refused_severity(check),
              "%.*s %.*s finds that when it computes what is constant, and refuses the model.", STR_ARG(message),
              STR_ARG(is_named ? onnx_runtime_words(check) : STR("ONNX Runtime")));
  check->sink = sink;
  flow->told += flow->later != NULL;
}

static const OnnxKnown *known_at(const OnnxInfer *infer, uint32_t i)
{
  return onnx_has_input(infer, i) ? &infer->flow->known[infer->node->inputs.items[i].symbol] : NULL;
}

const OnnxType *onnx_sized(const OnnxInfer *infer, uint32_t i)
{
  const OnnxType *type = onnx_shaped(infer, i);
  for (uint32_t k = 0; type && k < type->rank; k++) {
    if (!onnx_is_size(type->dims[k]) || type->dims[k].value < 0)
      return NULL;
  }
  return type;
}

const OnnxNumbers *onnx_given(const OnnxInfer *infer, uint32_t i)
{
  const OnnxKnown *known = known_at(infer, i);
  return known && known->numbers && !known->numbers->misfits ? known->numbers : NULL;
}

const OnnxData *onnx_texts(const OnnxInfer *infer, uint32_t i)
{
  const OnnxKnown *known = known_at(infer, i);
  return known ? known->texts : NULL;
}

bool onnx_fold_axis(OnnxInfer *infer, const char *name, int64_t axis, uint32_t rank, uint32_t *ret_axis)
{
  if (axis < -(int64_t)rank || axis >= (int64_t)rank) {
    onnx_refuse_folded(infer, onnx_infer_at_attr(infer, name),
                       "`%s` is %lld, and `%.*s` has a tensor of rank %u to choose from.", name, (long long)axis,
                       STR_ARG(infer->node->op), rank);
    return false;
  }
  *ret_axis = (uint32_t)(axis < 0 ? axis + rank : axis);
  return true;
}

/// Sessions have no kernel for it: they compute it as float, from when all that is constant has been computed.
static bool is_converted(const OnnxInfer *infer)
{
  static const char *const ops[] = { "CumSum", "Einsum", "Gemm", "OneHot", "Pad", "Tile" };
  const OnnxNode *node = infer->node;
  uint32_t data = str_equal(node->op, STR("OneHot")) ? 2 : 0;
  return node->domain.len == 0 && onnx_element(infer, data) == ELEM_FLOAT16 && str_is_one_of(node->op, ops, COUNT(ops));
}

bool onnx_is_folded(const OnnxInfer *infer)
{
  static const char *const never[] = { "DequantizeLinear", "Multinomial",   "RandomNormal",
                                       "RandomNormalLike", "RandomUniform", "RandomUniformLike" };
  const OnnxNode *node = infer->node;
  if (node->domain.len == 0 && str_equal(node->op, STR("Constant")))
    return true;
  if (node->domain.len == 0 && str_equal(node->op, STR("Shape")) && onnx_sized(infer, 0))
    return true;
  if (node->inputs.count == 0 || (node->domain.len == 0 && str_is_one_of(node->op, never, COUNT(never))))
    return false;
  for (const OnnxAttr *attr = node->attrs; attr; attr = attr->next) {
    if (attr->type == ONNX_GRAPH || attr->is_reference)
      return false;
  }
  for (uint32_t i = 0; i < node->inputs.count; i++) {
    const OnnxKnown *known = known_at(infer, i);
    if (known && !known->is_folded)
      return false;
  }
  return !is_converted(infer);
}

// --- One axis ---

static void fold_axis(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  bool is_from_end = infer->schema->since >= 13 || str_equal(infer->node->op, STR("LpNormalization"));
  int64_t axis;
  uint32_t at;
  if (type && onnx_attr_int(infer, "axis", is_from_end ? -1 : 1, &axis))
    onnx_fold_axis(infer, "axis", axis, type->rank, &at);
}

/// Where the axis is, if none is given, is always one; and nobody asks for that of a scalar.
static void fold_chosen_axis(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t axis;
  uint32_t at;
  if (type && type->rank > 0 && onnx_attr(infer, "axis") && onnx_attr_int(infer, "axis", 0, &axis))
    onnx_fold_axis(infer, "axis", axis, type->rank, &at);
}

static void fold_given_axis(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t axis;
  uint32_t at;
  if (type && onnx_attr(infer, "axis") && onnx_attr_int(infer, "axis", 0, &axis))
    onnx_fold_axis(infer, "axis", axis, type->rank, &at);
}

/// Without axes it may be told to do nothing, which the kernel only does with a list of none.
static void refuse_whole(OnnxInfer *infer, const OnnxType *type)
{
  int64_t is_nothing;
  const OnnxType *sized = onnx_sized(infer, 0);
  if (type && sized && !onnx_has_input(infer, 1) && onnx_count_of(sized) > 1 &&
      onnx_attr_int(infer, "noop_with_empty_axes", 0, &is_nothing) && is_nothing == 1)
    onnx_refuse_folded(infer, onnx_infer_at_attr(infer, "noop_with_empty_axes"),
                       "`%.*s` has no axes, and its kernel takes that for all of them.", STR_ARG(infer->node->op));
}

static void fold_axes(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const OnnxType *list = onnx_shaped(infer, 1);
  const int64_t *axes;
  uint32_t count;
  uint32_t at;
  if (list && list->rank != 1)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "Axes are a list; this is of rank %u.", list->rank);
  refuse_whole(infer, type);
  if (!type || type->rank == 0 || !onnx_attr_ints(infer, "axes", &axes, &count))
    return;  // Nobody asks what is left out of a scalar.
  for (uint32_t i = 0; i < count; i++) {
    if (!onnx_fold_axis(infer, "axes", axes[i], type->rank, &at))
      return;
  }
}

// --- The table ---

/// Sorted by name.
static const struct {
  const char *op;
  OnnxFoldFunction *function;
} rows[] = {
  { "AffineGrid", onnx_fold_affine_grid },
  { "ArgMax", fold_chosen_axis },
  { "ArgMin", fold_chosen_axis },
  { "BatchNormalization", onnx_fold_batch_norm },
  { "Cast", onnx_fold_cast },
  { "Clip", onnx_fold_clip },
  { "Compress", fold_given_axis },
  { "Concat", fold_given_axis },
  { "ConstantOfShape", onnx_fold_constant_of_shape },
  { "Conv", onnx_fold_conv },
  { "ConvInteger", onnx_fold_conv_integer },
  { "ConvTranspose", onnx_fold_conv_transpose },
  { "CumSum", onnx_fold_cumsum },
  { "DFT", onnx_fold_dft },
  { "DepthToSpace", onnx_fold_depth },
  { "Einsum", onnx_fold_einsum },
  { "Expand", onnx_fold_expand },
  { "Gather", onnx_fold_gather },
  { "GatherElements", onnx_fold_gather_elements },
  { "GatherND", onnx_fold_gather_nd },
  { "Gelu", onnx_fold_gelu },
  { "Gemm", onnx_fold_gemm },
  { "GlobalAveragePool", onnx_fold_global_pool },
  { "GlobalLpPool", onnx_fold_global_pool },
  { "GlobalMaxPool", onnx_fold_global_pool },
  { "Hardmax", fold_axis },
  { "InstanceNormalization", onnx_fold_instance_norm },
  { "LRN", onnx_fold_lrn },
  { "LayerNormalization", onnx_fold_layer_norm },
  { "LogSoftmax", fold_axis },
  { "LpNormalization", fold_axis },
  { "MatMulInteger", onnx_fold_matmul_integer },
  { "Max", onnx_fold_alike },
  { "Mean", onnx_fold_alike },
  { "MeanVarianceNormalization", onnx_fold_mean_variance },
  { "Min", onnx_fold_alike },
  { "Mod", onnx_fold_mod },
  { "NonMaxSuppression", onnx_fold_boxes },
  { "OneHot", onnx_fold_one_hot },
  { "Optional", onnx_fold_optional },
  { "PRelu", onnx_fold_prelu },
  { "Pad", onnx_fold_pad },
  { "QLinearMatMul", onnx_fold_qlinear_matmul },
  { "QuantizeLinear", onnx_fold_quantize },
  { "RMSNormalization", onnx_fold_layer_norm },
  { "Range", onnx_fold_range },
  { "ReduceL1", fold_axes },
  { "ReduceL2", fold_axes },
  { "ReduceLogSum", fold_axes },
  { "ReduceLogSumExp", fold_axes },
  { "ReduceMax", fold_axes },
  { "ReduceMean", fold_axes },
  { "ReduceMin", fold_axes },
  { "ReduceProd", fold_axes },
  { "ReduceSum", fold_axes },
  { "ReduceSumSquare", fold_axes },
  { "Reshape", onnx_fold_reshape },
  { "ReverseSequence", onnx_fold_sequence_lengths },
  { "RotaryEmbedding", onnx_fold_rotary },
  { "STFT", onnx_fold_stft },
  { "Scatter", onnx_fold_scatter },
  { "ScatterElements", onnx_fold_scatter },
  { "ScatterND", onnx_fold_scatter_nd },
  { "Slice", onnx_fold_slice },
  { "Softmax", fold_axis },
  { "SpaceToDepth", onnx_fold_depth },
  { "Squeeze", onnx_fold_squeeze },
  { "Sum", onnx_fold_alike },
  { "Tile", onnx_fold_tile },
  { "TopK", onnx_fold_topk },
  { "Transpose", onnx_fold_transpose },
  { "Trilu", onnx_fold_trilu },
  { "Unsqueeze", onnx_fold_unsqueeze },
};

void onnx_check_folded(OnnxInfer *infer)
{
  if (infer->has_failed || infer->node->domain.len > 0)
    return;
  size_t i;
  SEARCH_FIRST(i, 0, COUNT(rows), str_compare_word(rows[i].op, infer->node->op) < 0);
  if (i < COUNT(rows) && str_equal(infer->node->op, str_from(rows[i].op)))
    rows[i].function(infer);
}
