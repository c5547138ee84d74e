// Functions of torch in forward() whose operator the TorchScript exporter has no symbolic function for.

#include "python/rules/traced_support.h"
#include "base/limits.h"
#include "core/workspace.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

/// Those of which PyTorch's database of operators has no sample that torch 1.13, 2.6 or 2.14 could export at opset 9,
/// 13, 17 or 20, each refused under this very name: a trace records others under names of their parts.
static const char *const measured[] = {
  "acosh",
  "addcdiv",
  "argwhere",
  "asinh",
  "atanh",
  "bincount",
  "bitwise_xor",
  "block_diag",
  "cartesian_prod",
  "cholesky_inverse",
  "cholesky_solve",
  "combinations",
  "complex",
  "copysign",
  "cosh",
  "cummax",
  "cummin",
  "diag_embed",
  "diagflat",
  "dstack",
  "erfc",
  "erfinv",
  "exp2",
  "expm1",
  "fft_fft2",
  "fft_hfft",
  "fft_ifft",
  "fft_ifftn",
  "fft_irfft",
  "fft_irfft2",
  "fft_rfft",
  "fft_rfft2",
  "fft_rfftn",
  "fliplr",
  "flipud",
  "float_power",
  "fmax",
  "fmin",
  "frac",
  "frexp",
  "gcd",
  "histc",
  "histogram",
  "hypot",
  "imag",
  "index_reduce",
  "inner",
  "isclose",
  "isposinf",
  "istft",
  "kron",
  "kthvalue",
  "lgamma",
  "linalg_eig",
  "linalg_eigh",
  "linalg_eigvals",
  "linalg_inv",
  "linalg_lstsq",
  "linalg_lu",
  "linalg_matrix_power",
  "linalg_multi_dot",
  "linalg_slogdet",
  "linalg_solve",
  "linalg_svd",
  "linalg_svdvals",
  "logaddexp",
  "logcumsumexp",
  "median",
  "mode",
  "msort",
  "nanmean",
  "nanmedian",
  "nanquantile",
  "nansum",
  "nextafter",
  "polygamma",
  "positive",
  "quantile",
  "ravel",
  "searchsorted",
  "sgn",
  "sinc",
  "svd",
  "take_along_dim",
  "trace",
  "trapezoid",
  "trapz",
  "trunc",
  "unique_consecutive",
  "vdot",
  "vsplit",
  "xlogy",
};

/// "fft_rfft" of torch.fft.rfft(x); empty for what is none of these.
static Str called_name(Forward *forward, const PyCall *call)
{
  Str prefix = STR("torch.");
  if (!str_starts_with(call->qualified, prefix))
    return (Str){ 0 };
  Str name = str_slice(call->qualified, prefix.len, call->qualified.len);
  size_t dot = str_find_char(name, '.', 0);
  if (dot != STR_NOT_FOUND)
    name = arena_printf(forward->sink->arena, "%.*s_%.*s", STR_ARG(str_slice(name, 0, dot)),
                        STR_ARG(str_slice(name, dot + 1, name.len)));
  return str_is_one_of(name, measured, COUNT(measured)) ? name : (Str){ 0 };
}

/// Whether a statement of somebody's own surrounds an export, `with RewriterContext():`, which may register functions.
static bool is_in_context(const PyTree *tree, PyRef node)
{
  for (; node; node = tree->nodes[node].parent) {
    if (py_kind(tree, node) != PYK_WITH_STATEMENT)
      continue;
    for (PY_EACH_CHILD(tree, item, py_first_child(tree, node))) {
      if (py_kind(tree, item) == PYK_WITH_ITEM && !str_starts_with(py_text(tree, item), STR("torch.")))
        return true;
    }
  }
  return false;
}

/// Whether each export of the file surely takes the TorchScript exporter, and asks for no other kind of nodes.
static bool are_exports_plain(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    if (export.kind != EXPORT_TRACES || export.call->has_dictionary_splat ||
        export_argument(&export, "operator_export_type") || is_in_context(&model->tree, export.call->node) ||
        py_file_asks_version(export.file, export.call->node))
      return false;
  }
  return model->exports.count > 0;
}

static bool is_refused(const PyFile *file, Str kind)
{
  OpsetRange range;
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) == 0)
      continue;
    // Functions that files of the workspace register count.
    if (!symbolics_opset_range(file->db, torch, EXPORTER_TORCHSCRIPT, &range) ||
        workspace_support(file->target->workspace, file->db, torch, kind, range.max).status != SUPPORT_NEVER)
      return false;
  }
  return file->torches != 0;
}

/// Whether an exported model surely calls the function that is looked at, and gives it a tensor.
static bool is_surely_called(const Forward *forward)
{
  const PyFunction *function = &forward->model->functions.items[forward->function];
  for (uint32_t i = 0; i < function->param_count; i++) {
    if (forward->tensor_params && forward->tensor_params[function->first_param + i])
      return true;
  }
  return false;
}

void traced_support_check(Forward *forward, const PyCall *call)
{
  DiagSink *sink = forward->sink;
  const PyFile *file = sink_python(sink);
  Str name = called_name(forward, call);
  if (name.len == 0 || !is_surely_called(forward) || !forward_has_tensor_argument(forward, call) ||
      file->model->registrations.count > 0 || !are_exports_plain(sink))
    return;
  Str kind = arena_printf(sink->arena, "aten::%.*s", STR_ARG(name));
  if (is_refused(file, kind) && sink_wants(sink, RULE_UNSUPPORTED_OP, OWN))
    py_say(sink, RULE_UNSUPPORTED_OP, OWN, call->function_node,
           arena_printf(sink->arena,
                        "The TorchScript exporter has no symbolic function for '%.*s' at any opset: rewrite it with "
                        "other operators, or register one.",
                        STR_ARG(kind)),
           NULL);
}
