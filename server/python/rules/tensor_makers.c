#include "python/rules/tensor_makers.h"

#include "base/memory.h"

bool tensor_maker_takes_one(Str name)
{
  static const char *const names[] = {
    "abs",        "add",        "all",     "amax",      "amin",         "any",           "argmax",      "argmin",
    "bmm",        "bool",       "cat",     "ceil",      "clamp",        "clip",          "clone",       "contiguous",
    "cos",        "cpu",        "cumsum",  "detach",    "diag",         "diagonal",      "div",         "double",
    "eq",         "exp",        "expand",  "expand_as", "flatten",      "flip",          "float",       "floor",
    "gather",     "ge",         "gt",      "half",      "index_select", "int",           "isfinite",    "isinf",
    "isnan",      "le",         "log",     "log10",     "log1p",        "log2",          "logical_and", "logical_not",
    "logical_or", "logsumexp",  "long",    "lt",        "masked_fill",  "masked_select", "matmul",      "maximum",
    "mean",       "minimum",    "mm",      "movedim",   "mul",          "nan_to_num",    "narrow",      "ne",
    "neg",        "norm",       "permute", "pow",       "prod",         "reciprocal",    "relu",        "repeat",
    "reshape",    "reshape_as", "roll",    "round",     "rsqrt",        "select",        "sigmoid",     "sign",
    "sin",        "softmax",    "sqrt",    "square",    "squeeze",      "std",           "sub",         "sum",
    "swapaxes",   "t",          "tan",     "tanh",      "to",           "transpose",     "tril",        "triu",
    "type_as",    "unflatten",  "unfold",  "unsqueeze", "var",          "view",          "view_as",     "where"
  };
  return str_is_one_of(name, names, COUNT(names));
}

bool tensor_maker_wants_one(Str name)
{
  static const char *const names[] = {
    "abs",     "all",       "any",         "argmax",  "argmin", "bmm",       "cat",         "ceil",
    "clamp",   "clone",     "cos",         "cumsum",  "exp",    "flatten",   "floor",       "gather",
    "isnan",   "isinf",     "isfinite",    "log",     "matmul", "mean",      "mm",          "nonzero",
    "permute", "relu",      "reshape",     "round",   "rsqrt",  "sigmoid",   "sin",         "softmax",
    "sqrt",    "squeeze",   "stack",       "sum",     "tanh",   "transpose", "unsqueeze",   "count_nonzero",
    "gelu",    "normalize", "log_softmax", "one_hot", "linear", "conv2d",    "interpolate", "grid_sample",
  };
  return str_is_one_of(name, names, COUNT(names));
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
