// One row for each function of torch, and method of tensors, of which something is known that is asked by its name.

#include "python/rules/forward/tensor_makers.h"

#include "base/memory.h"
#include "base/search.h"

enum {
  TAKES_ONE = 1,     ///< It makes one tensor of a tensor.
  WANTS_ONE = 2,     ///< It takes nothing but a tensor, or a list of them.
  KEEPS_FLOATS = 4,  ///< Of floats it gives floats of that type, and of other numbers something else, or nothing.
  KEEPS_TYPE = 8,    ///< It gives the type that it gets.
  KEEPS_SIZES = 16,  ///< It gives the sizes that it gets.
};

typedef struct TensorMaker {
  const char *name;
  uint8_t is;
} TensorMaker;

/// Sorted by name.
static const TensorMaker known_functions[] = {
  { "abs", TAKES_ONE | WANTS_ONE | KEEPS_TYPE | KEEPS_SIZES },
  { "acos", KEEPS_SIZES },
  { "add", TAKES_ONE },
  { "add_", KEEPS_SIZES },
  { "all", TAKES_ONE | WANTS_ONE },
  { "amax", TAKES_ONE | KEEPS_TYPE },
  { "amin", TAKES_ONE | KEEPS_TYPE },
  { "any", TAKES_ONE | WANTS_ONE },
  { "argmax", TAKES_ONE | WANTS_ONE },
  { "argmin", TAKES_ONE | WANTS_ONE },
  { "asin", KEEPS_SIZES },
  { "atan", KEEPS_SIZES },
  { "bmm", TAKES_ONE | WANTS_ONE },
  { "bool", TAKES_ONE | KEEPS_SIZES },
  { "cat", TAKES_ONE | WANTS_ONE },
  { "ceil", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "celu", KEEPS_SIZES },
  { "clamp", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "clamp_", KEEPS_SIZES },
  { "clamp_max", KEEPS_SIZES },
  { "clamp_min", KEEPS_SIZES },
  { "clip", TAKES_ONE | KEEPS_SIZES },
  { "clone", TAKES_ONE | WANTS_ONE | KEEPS_TYPE | KEEPS_SIZES },
  { "contiguous", TAKES_ONE | KEEPS_TYPE | KEEPS_SIZES },
  { "conv2d", WANTS_ONE },
  { "cos", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "cosh", KEEPS_SIZES },
  { "count_nonzero", WANTS_ONE },
  { "cpu", TAKES_ONE | KEEPS_SIZES },
  { "cumsum", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "detach", TAKES_ONE | KEEPS_TYPE | KEEPS_SIZES },
  { "diag", TAKES_ONE },
  { "diagonal", TAKES_ONE },
  { "div", TAKES_ONE },
  { "div_", KEEPS_SIZES },
  { "double", TAKES_ONE | KEEPS_SIZES },
  { "dropout", KEEPS_FLOATS | KEEPS_SIZES },
  { "elu", KEEPS_FLOATS | KEEPS_SIZES },
  { "eq", TAKES_ONE },
  { "erf", KEEPS_SIZES },
  { "exp", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "expand", TAKES_ONE | KEEPS_TYPE },
  { "expand_as", TAKES_ONE | KEEPS_TYPE },
  { "expm1", KEEPS_SIZES },
  { "fill_", KEEPS_SIZES },
  { "flatten", TAKES_ONE | WANTS_ONE | KEEPS_TYPE },
  { "flip", TAKES_ONE | KEEPS_TYPE | KEEPS_SIZES },
  { "float", TAKES_ONE | KEEPS_SIZES },
  { "floor", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "gather", TAKES_ONE | WANTS_ONE | KEEPS_TYPE },
  { "ge", TAKES_ONE },
  { "gelu", WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "grid_sample", WANTS_ONE },
  { "gt", TAKES_ONE },
  { "half", TAKES_ONE | KEEPS_SIZES },
  { "hardshrink", KEEPS_SIZES },
  { "hardsigmoid", KEEPS_FLOATS | KEEPS_SIZES },
  { "hardswish", KEEPS_FLOATS | KEEPS_SIZES },
  { "hardtanh", KEEPS_FLOATS | KEEPS_SIZES },
  { "index_select", TAKES_ONE | KEEPS_TYPE },
  { "instance_norm", KEEPS_SIZES },
  { "int", TAKES_ONE | KEEPS_SIZES },
  { "interpolate", WANTS_ONE | KEEPS_FLOATS },
  { "isfinite", TAKES_ONE | WANTS_ONE },
  { "isinf", TAKES_ONE | WANTS_ONE },
  { "isnan", TAKES_ONE | WANTS_ONE },
  { "layer_norm", KEEPS_FLOATS | KEEPS_SIZES },
  { "le", TAKES_ONE },
  { "leaky_relu", KEEPS_FLOATS | KEEPS_SIZES },
  { "linear", WANTS_ONE },
  { "log", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "log10", TAKES_ONE | KEEPS_SIZES },
  { "log1p", TAKES_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "log2", TAKES_ONE | KEEPS_SIZES },
  { "log_softmax", WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "logical_and", TAKES_ONE },
  { "logical_not", TAKES_ONE },
  { "logical_or", TAKES_ONE },
  { "logsigmoid", KEEPS_SIZES },
  { "logsumexp", TAKES_ONE },
  { "long", TAKES_ONE | KEEPS_SIZES },
  { "lt", TAKES_ONE },
  { "masked_fill", TAKES_ONE | KEEPS_TYPE },
  { "masked_fill_", KEEPS_SIZES },
  { "masked_select", TAKES_ONE },
  { "matmul", TAKES_ONE | WANTS_ONE },
  { "maximum", TAKES_ONE },
  { "mean", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS },
  { "minimum", TAKES_ONE },
  { "mish", KEEPS_FLOATS | KEEPS_SIZES },
  { "mm", TAKES_ONE | WANTS_ONE },
  { "moveaxis", KEEPS_TYPE },
  { "movedim", TAKES_ONE | KEEPS_TYPE },
  { "mul", TAKES_ONE },
  { "mul_", KEEPS_SIZES },
  { "nan_to_num", TAKES_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "narrow", TAKES_ONE | KEEPS_TYPE },
  { "ne", TAKES_ONE },
  { "neg", TAKES_ONE | KEEPS_TYPE | KEEPS_SIZES },
  { "nonzero", WANTS_ONE },
  { "norm", TAKES_ONE },
  { "normalize", WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "one_hot", WANTS_ONE },
  { "ones_like", KEEPS_TYPE | KEEPS_SIZES },
  { "pad", KEEPS_TYPE },
  { "permute", TAKES_ONE | WANTS_ONE | KEEPS_TYPE },
  { "pixel_shuffle", KEEPS_TYPE },
  { "pixel_unshuffle", KEEPS_TYPE },
  { "pow", TAKES_ONE },
  { "prod", TAKES_ONE | KEEPS_FLOATS },
  { "reciprocal", TAKES_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "relu", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "relu6", KEEPS_FLOATS | KEEPS_SIZES },
  { "relu_", KEEPS_SIZES },
  { "repeat", TAKES_ONE | KEEPS_TYPE },
  { "reshape", TAKES_ONE | WANTS_ONE | KEEPS_TYPE },
  { "reshape_as", TAKES_ONE },
  { "roll", TAKES_ONE | KEEPS_TYPE },
  { "round", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "rsqrt", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "select", TAKES_ONE | KEEPS_TYPE },
  { "selu", KEEPS_FLOATS | KEEPS_SIZES },
  { "sigmoid", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "sigmoid_", KEEPS_SIZES },
  { "sign", TAKES_ONE | KEEPS_SIZES },
  { "silu", KEEPS_FLOATS | KEEPS_SIZES },
  { "sin", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "sinh", KEEPS_SIZES },
  { "softmax", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "softmin", KEEPS_SIZES },
  { "softplus", KEEPS_FLOATS | KEEPS_SIZES },
  { "softsign", KEEPS_SIZES },
  { "sqrt", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "square", TAKES_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "squeeze", TAKES_ONE | WANTS_ONE | KEEPS_TYPE },
  { "stack", WANTS_ONE },
  { "std", TAKES_ONE | KEEPS_FLOATS },
  { "sub", TAKES_ONE },
  { "sub_", KEEPS_SIZES },
  { "sum", TAKES_ONE | WANTS_ONE },
  { "swapaxes", TAKES_ONE },
  { "t", TAKES_ONE | KEEPS_TYPE },
  { "tan", TAKES_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "tanh", TAKES_ONE | WANTS_ONE | KEEPS_FLOATS | KEEPS_SIZES },
  { "tanh_", KEEPS_SIZES },
  { "tanhshrink", KEEPS_SIZES },
  { "to", TAKES_ONE | KEEPS_SIZES },
  { "transpose", TAKES_ONE | WANTS_ONE | KEEPS_TYPE },
  { "tril", TAKES_ONE | KEEPS_TYPE | KEEPS_SIZES },
  { "triu", TAKES_ONE | KEEPS_TYPE | KEEPS_SIZES },
  { "trunc", KEEPS_SIZES },
  { "type_as", TAKES_ONE },
  { "unflatten", TAKES_ONE },
  { "unfold", TAKES_ONE | KEEPS_TYPE },
  { "unsqueeze", TAKES_ONE | WANTS_ONE | KEEPS_TYPE },
  { "var", TAKES_ONE | KEEPS_FLOATS },
  { "view", TAKES_ONE | KEEPS_TYPE },
  { "view_as", TAKES_ONE },
  { "where", TAKES_ONE },
  { "zero_", KEEPS_SIZES },
  { "zeros_like", KEEPS_TYPE | KEEPS_SIZES },
};

static bool is_one(Str name, uint8_t what)
{
  size_t at;
  SEARCH_FIRST(at, 0, COUNT(known_functions), str_compare_word(known_functions[at].name, name) < 0);
  return at < COUNT(known_functions) && (known_functions[at].is & what) != 0 &&
         str_equal(str_from(known_functions[at].name), name);
}

bool tensor_maker_takes_one(Str name)
{
  return is_one(name, TAKES_ONE);
}

bool tensor_maker_wants_one(Str name)
{
  return is_one(name, WANTS_ONE);
}

bool tensor_maker_keeps_floats(Str name)
{
  return is_one(name, KEEPS_FLOATS);
}

bool tensor_maker_keeps_type(Str name)
{
  return is_one(name, KEEPS_TYPE);
}

bool tensor_maker_keeps_sizes(Str name)
{
  return is_one(name, KEEPS_SIZES);
}

bool tensor_maker_takes_sizes(Str name)
{
  static const char *const names[] = { "rand",    "randn",    "zeros",  "ones", "full",    "empty",
                                       "randint", "randperm", "arange", "eye",  "linspace" };
  return str_is_one_of(name, names, COUNT(names)) || str_ends_with(name, STR("s_like")) ||
         str_ends_with(name, STR("rand_like")) || str_ends_with(name, STR("randn_like"));
}

bool tensor_maker_is_member(Str name)
{
  static const char *const members[] = { "T", "mT", "H", "mH", "real", "imag" };
  return str_is_one_of(name, members, COUNT(members));
}
