#include "python/rules/unconverted.h"

#include "base/memory.h"

enum {
  TORCHSCRIPT = 1 << EXPORTER_TORCHSCRIPT,
  DYNAMO = 1 << EXPORTER_DYNAMO,
  BOTH = TORCHSCRIPT | DYNAMO,
};

static const struct {
  const char *name;
  unsigned exporters;
} measured[] = {
  { "acosh", TORCHSCRIPT },
  { "addcdiv", TORCHSCRIPT },
  { "argwhere", TORCHSCRIPT },
  { "asinh", TORCHSCRIPT },
  { "atanh", TORCHSCRIPT },
  { "bincount", TORCHSCRIPT },
  { "bitwise_xor", TORCHSCRIPT },
  { "block_diag", TORCHSCRIPT },
  { "cartesian_prod", TORCHSCRIPT },
  { "cholesky_inverse", BOTH },
  { "cholesky_solve", BOTH },
  { "combinations", TORCHSCRIPT },
  { "complex", TORCHSCRIPT },
  { "copysign", BOTH },
  { "cosh", TORCHSCRIPT },
  { "cummax", BOTH },
  { "cummin", BOTH },
  { "diag_embed", TORCHSCRIPT },
  { "diagflat", TORCHSCRIPT },
  { "dstack", TORCHSCRIPT },
  { "erfc", TORCHSCRIPT },
  { "erfinv", BOTH },
  { "exp2", TORCHSCRIPT },
  { "expm1", TORCHSCRIPT },
  { "fft_fft2", TORCHSCRIPT },
  { "fft_hfft", TORCHSCRIPT },
  { "fft_ifft", TORCHSCRIPT },
  { "fft_ifftn", TORCHSCRIPT },
  { "fft_irfft", TORCHSCRIPT },
  { "fft_irfft2", TORCHSCRIPT },
  { "fft_rfft", TORCHSCRIPT },
  { "fft_rfft2", TORCHSCRIPT },
  { "fft_rfftn", TORCHSCRIPT },
  { "fliplr", TORCHSCRIPT },
  { "flipud", TORCHSCRIPT },
  { "float_power", TORCHSCRIPT },
  { "fmax", BOTH },
  { "fmin", BOTH },
  { "frac", TORCHSCRIPT },
  { "frexp", BOTH },
  { "gcd", BOTH },
  { "geqrf", DYNAMO },
  { "histc", TORCHSCRIPT },
  { "histogram", BOTH },
  { "hypot", BOTH },
  { "igamma", DYNAMO },
  { "igammac", DYNAMO },
  { "imag", TORCHSCRIPT },
  { "index_reduce", BOTH },
  { "inner", TORCHSCRIPT },
  { "isclose", TORCHSCRIPT },
  { "isposinf", TORCHSCRIPT },
  { "istft", TORCHSCRIPT },
  { "kron", TORCHSCRIPT },
  { "kthvalue", BOTH },
  { "lgamma", BOTH },
  { "linalg_eig", BOTH },
  { "linalg_eigh", BOTH },
  { "linalg_eigvals", BOTH },
  { "linalg_inv", BOTH },
  { "linalg_inv_ex", DYNAMO },
  { "linalg_lstsq", TORCHSCRIPT },
  { "linalg_lu", BOTH },
  { "linalg_matrix_power", TORCHSCRIPT },
  { "linalg_multi_dot", TORCHSCRIPT },
  { "linalg_slogdet", BOTH },
  { "linalg_solve", BOTH },
  { "linalg_solve_triangular", DYNAMO },
  { "linalg_svd", BOTH },
  { "linalg_svdvals", BOTH },
  { "logaddexp", TORCHSCRIPT },
  { "logcumsumexp", TORCHSCRIPT },
  { "masked_select", DYNAMO },
  { "median", BOTH },
  { "mode", BOTH },
  { "msort", TORCHSCRIPT },
  { "nanmean", TORCHSCRIPT },
  { "nanmedian", BOTH },
  { "nanquantile", TORCHSCRIPT },
  { "nansum", TORCHSCRIPT },
  { "nextafter", BOTH },
  { "nonzero_static", DYNAMO },
  { "polygamma", BOTH },
  { "positive", TORCHSCRIPT },
  { "put", DYNAMO },
  { "quantile", TORCHSCRIPT },
  { "ravel", TORCHSCRIPT },
  { "searchsorted", BOTH },
  { "sgn", TORCHSCRIPT },
  { "sinc", TORCHSCRIPT },
  { "special_airy_ai", DYNAMO },
  { "special_bessel_j1", DYNAMO },
  { "special_i0e", DYNAMO },
  { "special_i1", DYNAMO },
  { "special_i1e", DYNAMO },
  { "svd", TORCHSCRIPT },
  { "take_along_dim", TORCHSCRIPT },
  { "trace", TORCHSCRIPT },
  { "trapezoid", TORCHSCRIPT },
  { "trapz", TORCHSCRIPT },
  { "trunc", TORCHSCRIPT },
  { "unique_consecutive", TORCHSCRIPT },
  { "vdot", TORCHSCRIPT },
  { "vsplit", TORCHSCRIPT },
  { "xlogy", TORCHSCRIPT },
};

Str unconverted_name(const PyCall *call, Arena *arena)
{
  Str prefix = STR("torch.");
  if (!str_starts_with(call->qualified, prefix))
    return (Str){ 0 };
  Str name = str_slice(call->qualified, prefix.len, call->qualified.len);
  size_t dot = str_find_char(name, '.', 0);
  if (dot == STR_NOT_FOUND)
    return name;
  return arena_printf(arena, "%.*s_%.*s", STR_ARG(str_slice(name, 0, dot)),
                      STR_ARG(str_slice(name, dot + 1, name.len)));
}

bool unconverted_is_measured(Str name, Exporter exporter)
{
  for (size_t i = 0; i < COUNT(measured); i++) {
    if (str_equal(name, str_from(measured[i].name)))
      return measured[i].exporters >> exporter & 1;
  }
  return false;
}
