// Tables by name, in the order of the alphabet: what these operators take was tried, see the header.

#include "facts/torch_inputs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "facts/onnx_elements.h"

enum {
  FLOATS = 1 << ELEM_FLOAT | 1 << ELEM_DOUBLE | 1 << ELEM_FLOAT16 | 1 << ELEM_BFLOAT16,
  INTS = 1 << ELEM_UINT8 | 1 << ELEM_INT8 | 1 << ELEM_INT16 | 1 << ELEM_INT32 | 1 << ELEM_INT64,
};

static const char *const of_floats[] = {
  // Keep alphabetized.
  "adaptive_avg_pool1d",
  "adaptive_avg_pool2d",
  "adaptive_avg_pool3d",
  "adaptive_max_pool1d",
  "adaptive_max_pool2d",
  "adaptive_max_pool3d",
  "batch_norm",
  "cdist",
  "celu",
  "elu",
  "frac",
  "gelu",
  "glu",
  "grid_sampler",
  "group_norm",
  "hardshrink",
  "hardsigmoid",
  "hardswish",
  "instance_norm",
  "layer_norm",
  "leaky_relu",
  "log_sigmoid",
  "max_pool1d",
  "mish",
  "prelu",
  "rrelu",
  "selu",
  "silu",
  "softplus",
  "softshrink",
};

static const char *const of_numbers[] = {
  // Keep alphabetized.
  "abs",       "addmm",      "argmax",     "argmin",       "avg_pool1d", "avg_pool2d", "avg_pool3d",
  "baddbmm",   "bmm",        "ceil",       "conv1d",       "conv2d",     "conv3d",     "conv_transpose2d",
  "cross",     "dot",        "floor",      "floor_divide", "fmod",       "hardtanh",   "linear",
  "matmul",    "max_pool2d", "max_pool3d", "median",       "mm",         "mv",         "neg",
  "relu",      "relu6",      "remainder",  "round",        "rsub",       "sub",        "tanhshrink",
  "threshold", "topk",       "trunc",
};

/// They take bools and make floats of them, or add them up.
static const char *const numeric[] = {
  // Keep alphabetized.
  "acos",        "acosh",     "add",     "amax",  "amin",    "asin",        "asinh",         "atan",
  "atan2",       "atanh",     "clamp",   "cos",   "cosh",    "cumsum",      "div",           "erf",
  "erfc",        "erfinv",    "exp",     "expm1", "log",     "log10",       "log1p",         "log2",
  "log_softmax", "logsumexp", "maximum", "mean",  "minimum", "mul",         "pixel_shuffle", "pow",
  "reciprocal",  "rsqrt",     "sigmoid", "sign",  "sin",     "sinh",        "softmax",       "sqrt",
  "square",      "std",       "sum",     "tan",   "tanh",    "true_divide", "var",
};

static int compare(const void *key, const void *word)
{
  return str_compare(*(const Str *)key, str_from(*(const char *const *)word));
}

static bool is_among(Str name, const char *const *words, size_t count)
{
  Str space = STR("aten::");
  Str plain = str_slice(name, space.len, name.len);
  return str_starts_with(name, space) && bsearch(&plain, words, count, sizeof(*words), compare) != NULL;
}

uint32_t torch_input_elements(Str name)
{
  if (is_among(name, of_floats, COUNT(of_floats)))
    return FLOATS;
  return is_among(name, of_numbers, COUNT(of_numbers)) ? FLOATS | INTS : 0;
}

bool torch_input_is_numeric(Str name)
{
  return is_among(name, numeric, COUNT(numeric));
}
