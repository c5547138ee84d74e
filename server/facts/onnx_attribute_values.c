#include "facts/onnx_attribute_values.h"

#include "base/memory.h"

#define ALWAYS 1, UINT8_MAX
#define COORDINATES                                                                                                    \
  "half_pixel half_pixel_symmetric pytorch_half_pixel align_corners asymmetric tf_half_pixel_for_nn tf_crop_and_resize"

/// A row without an operator is about every operator that has such an attribute. `taken_as` is what ONNX Runtime
/// computes for a word that is not listed; it refuses the others.
static const struct {
  const char *op, *attribute;
  uint8_t first, last;
  const char *values;
  const char *taken_as;
} rows[] = {
  { "", "auto_pad", ALWAYS, "NOTSET SAME_UPPER SAME_LOWER VALID", "" },
  { "", "kernel_type", ALWAYS, "LINEAR POLY RBF SIGMOID", "" },
  { "", "post_transform", ALWAYS, "NONE SOFTMAX LOGISTIC SOFTMAX_ZERO PROBIT", "" },
  { "BitShift", "direction", ALWAYS, "LEFT RIGHT", "" },
  { "DepthToSpace", "mode", ALWAYS, "DCR CRD", "" },
  { "GRU", "direction", ALWAYS, "forward reverse bidirectional", "" },
  { "Gelu", "approximate", ALWAYS, "none tanh", "" },
  { "GridSample", "mode", 1, 19, "bilinear nearest bicubic", "" },
  { "GridSample", "mode", 20, UINT8_MAX, "linear nearest cubic", "" },
  { "GridSample", "padding_mode", ALWAYS, "zeros border reflection", "" },
  { "LSTM", "direction", ALWAYS, "forward reverse bidirectional", "" },
  { "NegativeLogLikelihoodLoss", "reduction", ALWAYS, "none mean sum", "sum" },
  { "Normalizer", "norm", ALWAYS, "MAX L1 L2", "" },
  { "Pad", "mode", ALWAYS, "constant reflect edge wrap", "" },
  { "RNN", "direction", ALWAYS, "forward reverse bidirectional", "" },
  { "Resize", "coordinate_transformation_mode", ALWAYS, COORDINATES, "" },
  { "Resize", "keep_aspect_ratio_policy", ALWAYS, "stretch not_larger not_smaller", "" },
  { "Resize", "mode", ALWAYS, "nearest linear cubic", "" },
  { "Resize", "nearest_mode", ALWAYS, "round_prefer_floor round_prefer_ceil floor ceil", "" },
  { "RoiAlign", "coordinate_transformation_mode", ALWAYS, "half_pixel output_half_pixel", "output_half_pixel" },
  { "RoiAlign", "mode", ALWAYS, "avg max", "" },
  { "ScatterElements", "reduction", ALWAYS, "none add mul max min", "none" },
  { "ScatterND", "reduction", ALWAYS, "none add mul max min", "none" },
  { "SoftmaxCrossEntropyLoss", "reduction", ALWAYS, "none mean sum", "sum" },
  { "StringNormalizer", "case_change_action", ALWAYS, "LOWER UPPER NONE", "" },
  { "TfIdfVectorizer", "mode", ALWAYS, "TF IDF TFIDF", "" },
  { "TreeEnsembleRegressor", "aggregate_function", ALWAYS, "AVERAGE SUM MIN MAX", "" },
  { "Upsample", "mode", ALWAYS, "nearest linear cubic", "" },
};

OnnxAttributeWords onnx_attribute_values(Str op, Str attribute, uint32_t opset)
{
  for (size_t i = 0; i < COUNT(rows); i++) {
    bool is_op = rows[i].op[0] == '\0' || str_equal(op, str_from(rows[i].op));
    if (is_op && str_equal(attribute, str_from(rows[i].attribute)) && opset >= rows[i].first && opset <= rows[i].last)
      return (OnnxAttributeWords){ str_from(rows[i].values), str_from(rows[i].taken_as) };
  }
  return (OnnxAttributeWords){ 0 };
}

bool onnx_attribute_has_value(OnnxAttributeWords words, Str value)
{
  for (Str one; onnx_attribute_next_value(&words.values, &one);) {
    if (str_equal(one, value))
      return true;
  }
  return false;
}

Str onnx_attribute_list(OnnxAttributeWords words, Arena *arena)
{
  Str text = { 0 };
  for (Str one; onnx_attribute_next_value(&words.values, &one);) {
    const char *between = text.len == 0 ? "" : words.values.len == 0 ? " or " : ", ";
    text = arena_printf(arena, "%.*s%s%.*s", STR_ARG(text), between, STR_ARG(one));
  }
  return text;
}

bool onnx_attribute_next_value(Str *values, Str *ret_value)
{
  if (values->len == 0)
    return false;
  size_t end = str_find_char(*values, ' ', 0);
  bool is_last = end == STR_NOT_FOUND;
  *ret_value = str_slice(*values, 0, is_last ? values->len : end);
  *values = str_slice(*values, is_last ? values->len : end + 1, values->len);
  return true;
}
