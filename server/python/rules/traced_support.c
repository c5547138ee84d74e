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

void traced_support_check(Forward *forward, const PyCall *call)
{
  DiagSink *sink = forward->sink;
  const PyFile *file = sink_python(sink);
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
