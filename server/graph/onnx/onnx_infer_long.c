// Constants of more numbers than are followed, where an operator takes a few: how many they are says enough.

#include "base/limits.h"
#include "graph/onnx/onnx_flow.h"

typedef enum Taken {
  TAKES_FEW,   ///< No more than two for each dimension of the first input.
  TAKES_ONE,   ///< A single one.
  TAKES_LIST,  ///< Of any length.
} Taken;

static const struct {
  const char *op;
  uint32_t since, until;  ///< The first version, and the first that is none of these.
  uint32_t input;
  Taken taken;
} takers[] = {
  { "CenterCropPad", 18, UINT32_MAX, 1, TAKES_FEW }, { "Expand", 8, UINT32_MAX, 1, TAKES_LIST },
  { "Pad", 11, UINT32_MAX, 1, TAKES_FEW },           { "Resize", 10, 11, 1, TAKES_FEW },
  { "Resize", 11, UINT32_MAX, 2, TAKES_FEW },        { "Split", 13, UINT32_MAX, 1, TAKES_LIST },
  { "Squeeze", 13, UINT32_MAX, 1, TAKES_FEW },       { "Tile", 6, UINT32_MAX, 1, TAKES_LIST },
  { "TopK", 10, UINT32_MAX, 1, TAKES_ONE },          { "Unsqueeze", 13, UINT32_MAX, 1, TAKES_FEW },
  { "Upsample", 9, UINT32_MAX, 1, TAKES_FEW },
};

/// How many numbers a constant has that nobody reads; 0 for any other.
static uint64_t length_of(const OnnxInfer *infer, uint32_t i)
{
  const OnnxType *type = onnx_is_constant(infer, i) && !onnx_is_external(infer, i) ? onnx_shaped(infer, i) : NULL;
  uint64_t count = 1;
  for (uint32_t k = 0; type && k < type->rank; k++) {
    if (!onnx_is_size(type->dims[k]) || type->dims[k].value < 0 ||
        __builtin_mul_overflow(count, (uint64_t)type->dims[k].value, &count))
      return 0;
  }
  uint64_t followed = type && type->element == ELEM_FLOAT ? MODEL_VALUES_SHOWN : ONNX_VALUES_LIMIT;
  return type && count > followed ? count : 0;
}

/// False after a report.
static bool check_taken(OnnxInfer *infer, uint32_t input, Taken taken)
{
  uint64_t count = length_of(infer, input);
  const OnnxType *first = onnx_shaped(infer, 0);
  if (count == 0)
    return true;
  uint32_t rank = onnx_shaped(infer, input)->rank;
  if (taken == TAKES_LIST)
    return rank == 1 ||
           onnx_infer_fail(infer, onnx_infer_at(infer, input), "`%.*s` wants a list here, and this is of rank %u.",
                           STR_ARG(infer->node->op), rank);
  if (taken == TAKES_FEW && (!first || count <= 2 * (uint64_t)first->rank))
    return true;
  return onnx_infer_fail(infer, onnx_infer_at(infer, input), "`%.*s` takes no %llu numbers here.",
                         STR_ARG(infer->node->op), (unsigned long long)count);
}

bool onnx_infer_long(OnnxInfer *infer)
{
  uint32_t since = infer->schema->since;
  bool is_good = true;
  if (infer->node->domain.len > 0)
    return true;
  for (size_t i = 0; i < COUNT(takers) && is_good; i++) {
    if (takers[i].op[0] == infer->node->op.data[0] && str_compare_word(takers[i].op, infer->node->op) == 0 &&
        since >= takers[i].since && since < takers[i].until && onnx_has_input(infer, takers[i].input))
      is_good = check_taken(infer, takers[i].input, takers[i].taken);
  }
  return is_good;
}
