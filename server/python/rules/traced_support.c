// Functions of torch in forward() whose operator the TorchScript exporter has no symbolic function for.

#include "python/rules/traced_support.h"
#include "base/limits.h"
#include "core/unknown_registration.h"
#include "core/workspace.h"
#include "facts/functions.h"
#include "python/rules/called_names.h"
#include "python/rules/forward_result.h"

/// Whether each export of the file surely takes the TorchScript exporter, and asks for no other kind of nodes.
static bool are_exports_plain(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    if (export.kind != EXPORT_TRACES || export.call->has_dictionary_splat ||
        export_argument(&export, "operator_export_type") || export_is_in_context(&export, STR("")) ||
        py_file_asks_version(export.file, export.call->node))
      return false;
  }
  return model->exports.count > 0;
}

static bool is_refused(const PyFile *file, Str kind)
{
  OpsetRange range;
  // Passes make another operator of what is written in place; a registration may be for this one.
  if (str_ends_with(kind, STR("_")) || workspace_opsets(file->target->workspace, STR(UNKNOWN_REGISTRATION)) != 0)
    return false;
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) == 0)
      continue;
    // Functions that files of the workspace register count.
    if (symbolics_pass(file->db, torch, kind) ||
        !symbolics_opset_range(file->db, torch, EXPORTER_TORCHSCRIPT, &range) ||
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
  if (workspace_opsets(file->target->workspace, STR(UNKNOWN_REGISTRATION)) != 0)
    return 0;
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

static void say_never(DiagSink *sink, PyRef node, Severity severity, Str kind)
{
  if (sink_wants(sink, RULE_UNSUPPORTED_OP, severity))
    py_say(sink, RULE_UNSUPPORTED_OP, severity, node,
           arena_printf(sink->arena,
                        "The TorchScript exporter has no symbolic function for '%.*s' at any opset: rewrite it with "
                        "other operators, or register one.",
                        STR_ARG(kind)),
           NULL);
}

static void say_newer(DiagSink *sink, PyRef node, Severity severity, Str kind, int since, int opset)
{
  if (sink_wants(sink, RULE_OP_NEEDS_NEWER_OPSET, severity))
    py_say(
        sink, RULE_OP_NEEDS_NEWER_OPSET, severity, node,
        arena_printf(sink->arena,
                     "This becomes '%.*s', which the TorchScript exporter can convert from opset %d on; the export is "
                     "for opset %d.",
                     STR_ARG(kind), since, opset),
        NULL);
}

/// Says the first thing that keeps the exporter from converting the function.
static bool check_name(Forward *forward, PyRef node, Str name, int opset)
{
  const PyFile *file = sink_python(forward->sink);
  Str operators = called_name_operators(file, EXPORTER_TORCHSCRIPT, name);
  Str kind;
  while (functions_next(&operators, &kind)) {
    int since = opset > 0 ? needed_opset(file, kind, opset) : 0;
    bool is_never = is_refused(file, kind);
    if ((since == 0 && !is_never) || !called_name_has(file, EXPORTER_TORCHSCRIPT, name, kind))
      continue;
    ForwardReturn returned = forward_returned(forward, node);
    Severity severity = returned == RETURNED_ALWAYS ? OWN : SEVERITY_INFO;
    if (returned != RETURNED_NEVER && is_never)
      say_never(forward->sink, node, severity, kind);
    else if (returned != RETURNED_NEVER)
      say_newer(forward->sink, node, severity, kind, since, opset);
    return true;
  }
  return false;
}

void traced_support_check(Forward *forward, const PyCall *call)
{
  DiagSink *sink = forward->sink;
  const PyFile *file = sink_python(sink);
  CalledNames names = called_names(forward, call, EXPORTER_TORCHSCRIPT);
  if (names.count == 0 || !is_surely_called(forward) || file->model->registrations.count > 0 ||
      !are_exports_plain(sink))
    return;
  int opset = newest_opset(file);
  for (size_t i = 0; i < names.count && !check_name(forward, call->function_node, names.items[i], opset); i++) {
  }
}
