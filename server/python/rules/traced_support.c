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
  // Passes make another operator of what is written in place.
  if (str_ends_with(kind, STR("_")))
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
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) == 0)
      continue;
    SupportAnswer answer = workspace_support(file->target->workspace, file->db, torch, op, opset);
    if (symbolics_pass(file->db, torch, op) || answer.status != SUPPORT_NEWER)
      return 0;
    since = answer.since > since ? answer.since : since;
  }
  return since;
}

/// Says `words` of a call; only warns where a registration whose name is not known may be for the operator.
static void say(Forward *forward, PyRef node, RuleId rule, Str words)
{
  DiagSink *sink = forward->sink;
  const WorkspaceSymbolic *unknown = forward->support->unknown;
  ForwardReturn returned = forward_returned(forward, node);
  Severity severity = returned != RETURNED_ALWAYS ? SEVERITY_INFO : unknown ? SEVERITY_WARNING : OWN;
  if (returned == RETURNED_NEVER || !sink_wants(sink, rule, severity))
    return;
  const Str parts[] = { words, unknown ? unknown_registration_words(unknown, sink->arena) : (Str){ 0 } };
  py_say(sink, rule, severity, node, arena_join(sink->arena, parts, COUNT(parts)), NULL);
}

/// Says the first thing that keeps the exporter from converting the function.
static bool check_name(Forward *forward, PyRef node, Str name)
{
  const PyFile *file = sink_python(forward->sink);
  Arena *arena = forward->sink->arena;
  int opset = forward->support->opset;
  Str operators = called_name_operators(file, EXPORTER_TORCHSCRIPT, name);
  Str kind;
  while (functions_next(&operators, &kind)) {
    int since = opset > 0 ? needed_opset(file, kind, opset) : 0;
    bool is_never = is_refused(file, kind);
    if ((since == 0 && !is_never) || !called_name_has(file, EXPORTER_TORCHSCRIPT, name, kind))
      continue;
    if (is_never)
      say(forward, node, RULE_UNSUPPORTED_OP,
          arena_printf(arena,
                       "The TorchScript exporter has no symbolic function for '%.*s' at any opset: rewrite it with "
                       "other operators, or register one.",
                       STR_ARG(kind)));
    else
      say(forward, node, RULE_OP_NEEDS_NEWER_OPSET,
          arena_printf(arena,
                       "This becomes '%.*s', which the TorchScript exporter can convert from opset %d on; the export "
                       "is for opset %d.",
                       STR_ARG(kind), since, opset));
    return true;
  }
  return false;
}

/// Whether the file makes functions known in ways, or by names, that are not counted.
static bool has_open_registration(const PyModel *model)
{
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    if (registration->kind != PY_REG_CUSTOM || !registration->name_known)
      return true;
  }
  return false;
}

TracedSupport traced_support(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  if (has_open_registration(file->model) || !are_exports_plain(sink))
    return (TracedSupport){ 0 };
  int opset = newest_opset(file);
  return (TracedSupport){ .is_judged = true,
                          .opset = opset,
                          .unknown =
                              unknown_registration_near(file->target->workspace, snapshot_uri(sink->snapshot), 0,
                                                        opset > 0 ? opset : 1, opset > 0 ? opset : OPSET_LIMIT) };
}

void traced_support_check(Forward *forward, const PyCall *call)
{
  if (!forward->support->is_judged)
    return;
  CalledNames names = called_names(forward, call, EXPORTER_TORCHSCRIPT);
  if (names.count == 0 || !is_surely_called(forward))
    return;
  for (size_t i = 0; i < names.count && !check_name(forward, call->function_node, names.items[i]); i++) {
  }
}
