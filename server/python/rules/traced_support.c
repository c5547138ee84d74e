// Functions of torch in forward() whose operator the TorchScript exporter has no symbolic function for.

#include "python/rules/traced_support.h"
#include "base/limits.h"
#include "core/workspace.h"
#include "python/rules/unconverted.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

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
    if (forward_gets_tensor(forward, function->first_param + i))
      return true;
  }
  return false;
}

/// The operator that a function becomes in each trace: those that have a symbolic function from some opset on. Run with
/// torch 2.6 at opsets 9 to 17.
static const char *traced_as(Str function)
{
  static const struct {
    const char *function;
    const char *op;
  } known[] = {
    { "torch.argsort", "aten::argsort" },
    { "torch.det", "aten::linalg_det" },
    { "torch.einsum", "aten::einsum" },
    { "torch.fmod", "aten::fmod" },
    { "torch.isfinite", "aten::isfinite" },
    { "torch.isinf", "aten::isinf" },
    { "torch.logdet", "aten::logdet" },
    { "torch.nn.functional.affine_grid", "aten::affine_grid_generator" },
    { "torch.nn.functional.celu", "aten::celu" },
    { "torch.nn.functional.cross_entropy", "aten::cross_entropy_loss" },
    { "torch.nn.functional.fold", "aten::col2im" },
    { "torch.nn.functional.grid_sample", "aten::grid_sampler" },
    { "torch.nn.functional.nll_loss", "aten::nll_loss_nd" },
    { "torch.nn.functional.scaled_dot_product_attention", "aten::scaled_dot_product_attention" },
    { "torch.nn.functional.unfold", "aten::im2col" },
    { "torch.outer", "aten::outer" },
    { "torch.stft", "aten::stft" },
    { "torch.tile", "aten::tile" },
    { "torch.tril", "aten::tril" },
    { "torch.triu", "aten::triu" },
    { "torch.unflatten", "aten::unflatten" },
  };
  for (size_t i = 0; i < COUNT(known); i++) {
    if (str_equal(function, str_from(known[i].function)))
      return known[i].op;
  }
  return NULL;
}

/// The newest opset that an export of the file names, if each names one; 0.
static int newest_opset(const PyFile *file)
{
  int newest = 0;
  for (size_t i = 0; i < file->model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    int opset = py_file_opset_named(file, &file->model->calls.items[file->model->exports.items[i]]);
    if (opset == 0)
      return 0;
    newest = opset > newest ? opset : newest;
  }
  return newest;
}

/// From which opset on the exporter has the operator in each of the file's torch versions, if it lacks it at this one;
/// 0 for others.
static int needed_opset(const PyFile *file, Str op, int opset)
{
  int since = 0;
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) == 0)
      continue;
    SupportAnswer answer = workspace_support(file->target->workspace, file->db, torch, op, opset);
    if (answer.status != SUPPORT_NEWER)
      return 0;
    since = answer.since > since ? answer.since : since;
  }
  return since;
}

static void check_opset(Forward *forward, const PyCall *call)
{
  DiagSink *sink = forward->sink;
  const PyFile *file = sink_python(sink);
  const char *op = traced_as(call->qualified);
  int opset = op ? newest_opset(file) : 0;
  if (opset == 0 || !is_surely_called(forward) || !forward_has_tensor_argument(forward, call) ||
      file->model->registrations.count > 0 || !are_exports_plain(sink))
    return;
  int since = needed_opset(file, str_from(op), opset);
  if (since > 0 && sink_wants(sink, RULE_OP_NEEDS_NEWER_OPSET, OWN))
    py_say(sink, RULE_OP_NEEDS_NEWER_OPSET, OWN, call->function_node,
           arena_printf(sink->arena,
                        "This becomes '%s', which the TorchScript exporter can convert from opset %d on; the export is "
                        "for opset %d.",
                        op, since, opset),
           NULL);
}

void traced_support_check(Forward *forward, const PyCall *call)
{
  DiagSink *sink = forward->sink;
  const PyFile *file = sink_python(sink);
  check_opset(forward, call);
  Str name = unconverted_name(call, sink->arena);
  if (!unconverted_is_measured(name, EXPORTER_TORCHSCRIPT) || !is_surely_called(forward) ||
      !forward_has_tensor_argument(forward, call) || file->model->registrations.count > 0 || !are_exports_plain(sink))
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
