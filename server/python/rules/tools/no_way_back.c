#include "python/rules/tools/no_way_back.h"

#include "base/memory.h"

// The versions of an operator that have no adapter to the one before.
static const struct {
  const char *name;
  unsigned char versions[4];
} rows[] = {
  { "Abs", { 13 } },
  { "Add", { 13, 14 } },
  { "ArgMax", { 13 } },
  { "ArgMin", { 13 } },
  { "AveragePool", { 10 } },
  { "BatchNormalization", { 14, 15 } },
  { "Cast", { 13 } },
  { "Ceil", { 13 } },
  { "Clip", { 11, 13 } },
  { "Compress", { 11 } },
  { "Concat", { 13 } },
  { "Constant", { 12 } },
  { "ConstantOfShape", { 20 } },
  { "CumSum", { 14 } },
  { "DepthToSpace", { 11, 13 } },
  { "DequantizeLinear", { 13 } },
  { "Div", { 13, 14 } },
  { "Dropout", { 12, 13 } },
  { "Equal", { 13 } },
  { "Erf", { 13 } },
  { "Exp", { 13 } },
  { "Expand", { 13 } },
  { "Flatten", { 13 } },
  { "Floor", { 13 } },
  { "Gather", { 11, 13 } },
  { "GatherElements", { 13 } },
  { "GatherND", { 12, 13 } },
  { "Gemm", { 11, 13 } },
  { "GlobalMaxPool", { 22 } },
  { "Greater", { 13 } },
  { "GreaterOrEqual", { 16 } },
  { "GridSample", { 20 } },
  { "GroupNormalization", { 21 } },
  { "Hardmax", { 11, 13 } },
  { "Identity", { 13, 14, 16 } },
  { "If", { 11, 13, 16 } },
  { "IsNaN", { 13 } },
  { "LRN", { 13 } },
  { "LeakyRelu", { 16 } },
  { "Less", { 13 } },
  { "LessOrEqual", { 16 } },
  { "Log", { 13 } },
  { "Loop", { 11, 13, 16 } },
  { "LpPool", { 11, 18 } },
  { "MatMul", { 13 } },
  { "Max", { 13 } },
  { "MaxPool", { 10 } },
  { "MaxUnpool", { 11 } },
  { "Mean", { 13 } },
  { "MeanVarianceNormalization", { 13 } },
  { "Min", { 13 } },
  { "Mod", { 13 } },
  { "Mul", { 13, 14 } },
  { "Neg", { 13 } },
  { "NegativeLogLikelihoodLoss", { 13 } },
  { "NonMaxSuppression", { 11 } },
  { "NonZero", { 13 } },
  { "OneHot", { 11 } },
  { "OptionalGetElement", { 18 } },
  { "OptionalHasElement", { 18 } },
  { "PRelu", { 16 } },
  { "Pad", { 11, 13, 18 } },
  { "Pow", { 12, 13, 15 } },
  { "QuantizeLinear", { 13 } },
  { "Reciprocal", { 13 } },
  { "ReduceL1", { 13 } },
  { "ReduceL2", { 13 } },
  { "ReduceLogSum", { 13 } },
  { "ReduceLogSumExp", { 13 } },
  { "ReduceMax", { 13 } },
  { "ReduceMean", { 13 } },
  { "ReduceMin", { 13 } },
  { "ReduceProd", { 13 } },
  { "ReduceSumSquare", { 13 } },
  { "Relu", { 13, 14 } },
  { "Reshape", { 13, 14 } },
  { "Resize", { 11, 13, 18 } },
  { "RoiAlign", { 16 } },
  { "Scan", { 11, 16 } },
  { "ScatterElements", { 13, 16, 18 } },
  { "ScatterND", { 13, 16, 18 } },
  { "Shape", { 13, 15 } },
  { "Sigmoid", { 13 } },
  { "Sign", { 13 } },
  { "Size", { 13 } },
  { "Slice", { 10, 11, 13 } },
  { "SoftmaxCrossEntropyLoss", { 13 } },
  { "SpaceToDepth", { 13 } },
  { "Split", { 11, 18 } },
  { "Sqrt", { 13 } },
  { "Squeeze", { 11 } },
  { "Sub", { 13, 14 } },
  { "Sum", { 13 } },
  { "Tanh", { 13 } },
  { "Tile", { 13 } },
  { "TopK", { 10, 11 } },
  { "Transpose", { 13 } },
  { "Where", { 16 } },
};

int onnx_no_way_back(Str operator_name, int64_t from, int64_t to)
{
  for (size_t i = 0; i < COUNT(rows); i++) {
    if (!str_equal(operator_name, str_from(rows[i].name)))
      continue;
    for (size_t k = 0; k < COUNT(rows[i].versions); k++) {
      int version = rows[i].versions[k];
      if (version > to && version <= from)
        return version;
    }
  }
  return 0;
}
