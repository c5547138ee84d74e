// Operators for which a session puts the nodes of their functions, and looks at the shapes of these. Tried with
// onnxruntime 1.21 and 1.23.

#include "base/limits.h"
#include "graph/onnx/onnx_flow.h"

/// How many elements an input has; -1 if that is unknown.
static int64_t count_of(const OnnxInfer *infer, uint32_t i)
{
  const OnnxType *type = onnx_shaped(infer, i);
  return type ? onnx_count_of(type) : -1;
}

/// Scale and bias come together.
static bool has_bad_groups(const OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t scale = count_of(infer, 1);
  int64_t bias = count_of(infer, 2);
  return (type && type->rank < 2) || (scale > 1 && bias > 1 && scale != bias);
}

/// The labels' sizes, with one of 1 for the class if `is_split`, and room for those of the weights.
static uint32_t label_dims(const OnnxInfer *infer, const OnnxType *labels, bool is_split, uint32_t room,
                           OnnxDim **ret_dims)
{
  OnnxDim *dims = onnx_dims(infer, labels->rank + 1 + room);
  uint32_t rank = 0;
  for (uint32_t i = 0; i < labels->rank; i++) {
    if (is_split && i == 1)
      dims[rank++] = onnx_size(1);
    dims[rank++] = labels->dims[i];
  }
  if (is_split && labels->rank == 1)
    dims[rank++] = onnx_size(1);
  *ret_dims = dims;
  return rank;
}

static bool broadcasts(const OnnxDim *a, uint32_t a_rank, const OnnxDim *b, uint32_t b_rank)
{
  for (uint32_t i = 1; i <= a_rank && i <= b_rank; i++) {
    OnnxDim left = a[a_rank - i];
    OnnxDim right = b[b_rank - i];
    if (onnx_is_size(left) && onnx_is_size(right) && left.value != right.value && left.value != 1 && right.value != 1)
      return false;
  }
  return true;
}

/// The weights of the labels come together with the losses; where one label is ignored, the dimension of the classes is
/// taken out after that.
static bool has_bad_weights(const OnnxInfer *infer, const OnnxType *labels, const OnnxType *weights)
{
  bool is_split = onnx_attr(infer, "ignore_index") != NULL;
  OnnxDim *losses;
  OnnxDim *chosen;
  uint32_t rank = label_dims(infer, labels, is_split, 0, &losses);
  uint32_t chosen_rank = label_dims(infer, labels, is_split, weights->rank, &chosen);
  for (uint32_t i = 1; i < weights->rank; i++)
    chosen[chosen_rank++] = weights->dims[i];
  if (!broadcasts(losses, rank, chosen, chosen_rank))
    return true;
  // Where more dimensions came in front, another one is in the place of the classes.
  uint32_t more = chosen_rank - rank;
  if (!is_split || more == 0)
    return false;
  OnnxDim out = chosen[1];
  OnnxDim loss = more <= 1 ? losses[1 - more] : onnx_size(1);
  return (onnx_is_size(out) && out.value > 1) || (onnx_is_size(loss) && loss.value > 1);
}

static bool has_bad_loss(const OnnxInfer *infer)
{
  const OnnxType *labels = onnx_shaped(infer, 1);
  const OnnxType *weights = onnx_shaped(infer, 2);
  if (!weights || weights->rank == 1)
    return false;
  return weights->rank == 0 || (labels && labels->rank > 0 && has_bad_weights(infer, labels, weights));
}

const char *onnx_wrong_when_inlined(const OnnxInfer *infer)
{
  Str op = infer->node->op;
  if (str_equal(op, STR("GroupNormalization")) && infer->schema->since >= 21 && has_bad_groups(infer))
    return "wants channels, and as many numbers to scale as to add,";
  if (str_equal(op, STR("SoftmaxCrossEntropyLoss")) && has_bad_loss(infer))
    return "wants a list of weights";
  return "";
}
