// Hover on an operator: its schema, and which exporter of which torch version converts it at which opset.

#include "base/limits.h"
#include "core/workspace.h"
#include "describe/describe.h"
#include "graph/features/hover_private.h"
#include "graph/model/snapshot_dump.h"
#include "text/uri.h"

/// How many schemas are shown.
enum { SCHEMA_LIMIT = 4 };

// --- Schemas ---

typedef struct SchemaList {
  const TorchOverload *items[SCHEMA_LIMIT];
  size_t count;
  size_t hidden;
} SchemaList;

static void add_schema(SchemaList *list, const TorchOverload *overload)
{
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i] == overload)
      return;
  }
  if (list->count < SCHEMA_LIMIT)
    list->items[list->count++] = overload;
  else
    list->hidden++;
}

static bool holds_in(const TorchOverload *overload, uint32_t torch)
{
  return overload->torch_versions & (1u << torch);
}

/// What fits the call first, then the others of the torch version; those of other versions only if it has none.
static SchemaList choose_schemas(const OperatorContext *job, const TorchOperator *op, const LineView *view, Place place)
{
  SchemaList list = { 0 };
  const TorchOverload *best = fitting_overload(job, view, place);
  if (best)
    add_schema(&list, best);
  size_t count = line_view_arguments(view, 0, NULL);
  for (int pass = 0; pass < 3; pass++) {
    for (uint32_t i = 0; i < op->overload_count; i++) {
      const TorchOverload *overload = &op->overloads[i];
      bool holds = holds_in(overload, job->torch);
      bool fits = overload_takes(overload, count);
      if (pass == 0 ? holds && fits : pass == 1 ? holds && !fits : !holds && list.count == 0)
        add_schema(&list, overload);
    }
  }
  return list;
}

static void write_schemas(OperatorContext *job, const TorchOperator *op, const LineView *view, Place place)
{
  SchemaList list = choose_schemas(job, op, view, place);
  Buffer code = { 0 };
  for (size_t i = 0; i < list.count; i++) {
    buffer_append(&code, i > 0 ? STR("\n") : STR(""));
    buffer_append(&code, shorten(list.items[i]->schema, HOVER_TEXT_LIMIT, job->arena));
  }
  markup_block(&job->markup, "", buffer_str(&code));
  buffer_done(&code);
  if (list.hidden > 0) {
    markup_paragraph(&job->markup);
    markup_text(&job->markup, "and %zu more overload%s", list.hidden, list.hidden == 1 ? "" : "s");
  }
}

// --- Support ---

static void write_refusal(OperatorContext *job, SupportAnswer answer, Str who)
{
  int opset = job->target->opset;
  if (answer.status == SUPPORT_UNKNOWN_NAMESPACE)
    markup_text(&job->markup, "A custom operator: %.*s needs a symbolic function registered for it.", STR_ARG(who));
  else if (answer.since > opset)
    markup_text(&job->markup, "Not converted at opset %d by %.*s: needs opset %d.", opset, STR_ARG(who), answer.since);
  else if (job->target->exporter == EXPORTER_DYNAMO)
    markup_text(&job->markup, "No function of its own in %.*s: converted only if torch.export takes it apart.",
                STR_ARG(who));
  else
    markup_text(&job->markup, "Not converted by %.*s at any opset.", STR_ARG(who));
}

/// The snapshot's refusal of a node; NULL if it has none.
static const Refusal *refusal_at(const OperatorContext *job, Place place)
{
  const RefusalList *list = snapshot_refusals(job->snapshot)->chunks[place.chunk];
  for (uint32_t i = 0; list && i < list->count; i++) {
    if (list->items[i].item == place.item)
      return &list->items[i];
  }
  return NULL;
}

static uint16_t graph_flags(const OperatorContext *job, Place place)
{
  uint32_t segment = dump_index_segment_of(snapshot_dump(job->snapshot)->chunks[place.chunk]->index, place.item);
  return snapshot_dump(job->snapshot)->graphs[dump_graph_of(snapshot_dump(job->snapshot), place.chunk, segment)].flags;
}

/// A refused operator may still be harmless: a pass takes many nodes away before functions are looked up. What
/// diagnostics found out counts here, too.
static void write_fate(OperatorContext *job, SupportAnswer answer, Place place)
{
  const Item *item = &snapshot_dump(job->snapshot)->chunks[place.chunk]->index->items[place.item];
  const Refusal *refusal = refusal_at(job, place);
  if (item->kind != ITEM_STATEMENT || (refusal && refusal->fate == FATE_CONVERTED))
    return;
  // Of a custom operator only a registration is unsure, which was said already.
  if (refusal && answer.status == SUPPORT_UNKNOWN_NAMESPACE)
    return;
  markup_text(&job->markup, refusal ? " But it may never get there: " : " But it never gets there: ");
  if (answer.pass)
    markup_prose(&job->markup, arena_printf(job->arena, "%.*s.", STR_ARG(answer.pass->reason)));
  else
    markup_text(&job->markup, "a pass before %s it.", refusal ? "may remove or fold" : "removes or folds");
}

/// The answer for the target, in a sentence. False if other versions have no answer of interest.
static bool write_verdict(OperatorContext *job, Str op, Place place)
{
  const Target *target = job->target;
  SymbolicsExporter exporter = (SymbolicsExporter)target->exporter;
  SupportAnswer answer = exporter == SYMBOLICS_TORCHSCRIPT
                             ? workspace_support(target->workspace, job->db, job->torch, op, target->opset)
                             : symbolics_support(job->db, job->torch, exporter, op, target->opset);
  const char *name = target->exporter == EXPORTER_DYNAMO ? "dynamo" : "TorchScript";
  Str who = arena_printf(job->arena, "the %s exporter of torch %.*s", name, STR_ARG(target->torch));
  bool is_prim = str_starts_with(op, STR("prim::"));
  bool is_converted = (graph_flags(job, place) & (SEGMENT_LOWERED | SEGMENT_PRINTABLE)) != 0;
  if (answer.status == SUPPORT_NO_FACTS || answer.status == SUPPORT_ONNX)
    return true;
  if (answer.status == SUPPORT_YES && is_prim)
    return false;
  if (answer.status == SUPPORT_UNKNOWN_NAMESPACE && is_converted)
    return false;  // Nothing has to convert it any more.
  markup_paragraph(&job->markup);
  if (answer.pass && answer.pass->condition == PASS_ALWAYS) {
    markup_text(&job->markup, "Gone before %.*s converts: ", STR_ARG(who));
    markup_prose(&job->markup, answer.pass->reason);
    markup_text(&job->markup, ".");
    return false;
  }
  if (answer.status == SUPPORT_YES) {
    markup_text(&job->markup, "Converted at opset %d by %.*s.", target->opset, STR_ARG(who));
  } else if (answer.status == SUPPORT_DECOMPOSED) {
    markup_text(&job->markup, "Taken apart first: %.*s has to convert the parts.", STR_ARG(who));
  } else {
    write_refusal(job, answer, who);
    if (exporter == SYMBOLICS_TORCHSCRIPT && !(graph_flags(job, place) & SEGMENT_PRINTABLE))
      write_fate(job, answer, place);
  }
  return answer.status != SUPPORT_UNKNOWN_NAMESPACE;
}

// --- Registrations ---

/// A file as seen from the folder that it has in common with the dump; its whole path if there is none.
static Str shown_path(const OperatorContext *job, Str uri)
{
  Str path = uri_to_path(uri, job->arena);
  Str here = uri_to_path(snapshot_uri(job->snapshot), job->arena);
  size_t common = 0;
  for (size_t i = 0; i < path.len && i < here.len && path.data[i] == here.data[i]; i++)
    common = path.data[i] == '/' ? i + 1 : common;
  if (path.len == 0)
    return uri;
  return common > 1 ? str_slice(path, common, path.len) : path;
}

typedef struct Registrations {
  OperatorContext *job;
  uint64_t opsets;
} Registrations;

static bool write_registration(const WorkspaceSymbolic *symbolic, void *context)
{
  Registrations *all = context;
  OperatorContext *job = all->job;
  if (symbolic->is_builtin)
    return true;
  all->opsets |= symbolic->opsets;
  markup_item(&job->markup);
  markup_text(&job->markup, "Registered for opset %.*s in ", STR_ARG(opset_set_text(symbolic->opsets, job->arena)));
  markup_code(&job->markup, arena_printf(job->arena, "%.*s:%u", STR_ARG(shown_path(job, symbolic->uri)),
                                         symbolic->registration.line + 1));
  return true;
}

/// Where the workspace registers symbolic functions for the operator, and whether an export takes another one.
static void hover_registrations(OperatorContext *job, Str op)
{
  const FeatureContext *context = job->context;
  const Workspace *workspace = context->workspace ? context->workspace : job->target->workspace;
  Registrations all = { .job = job };
  workspace_each_symbolic(workspace, op, write_registration, &all);
  uint64_t own = symbolics_support_marks(job->db, job->torch, SYMBOLICS_TORCHSCRIPT, op).registered;
  int chosen = opset_set_dispatch(all.opsets | own, job->target->opset);
  if (all.opsets == 0 || job->target->exporter != EXPORTER_TORCHSCRIPT || chosen == 0 ||
      (all.opsets >> chosen & 1) != 0)
    return;
  markup_paragraph(&job->markup);
  markup_text(&job->markup, "An export to opset %d takes torch's own function, that of opset %d.", job->target->opset,
              chosen);
}

// --- Kinds of operators ---

static void hover_python_op(OperatorContext *job, Str op)
{
  markup_code(&job->markup, shorten(op, 200, job->arena));
  markup_text(&job->markup,
              ": a Python function kept as one node, usually of a torch.autograd.Function. The exporter asks its "
              "symbolic method, else a function registered for prim::PythonOp, else it puts its body in its place.");
}

void hover_operator(OperatorContext *job, const LineView *view, size_t node, Place place)
{
  Str op = line_view_text(view, node);
  Str domain;
  Str name;
  if (view->nodes[node].kind == NODE_PYTHON_OP) {
    hover_python_op(job, op);
    return;
  }
  if (operator_is_onnx(job, op, place, &domain, &name)) {
    operator_write_onnx(job, domain, name);
    return;
  }
  Str words = prim_words(op);
  const TorchOperator *torch = symbolics_torch_operator(job->db, op);
  if (torch)
    write_schemas(job, torch, view, place);
  else
    markup_code(&job->markup, shorten(op, 200, job->arena));
  if (!torch && str_starts_with(op, STR("aten::")))
    markup_text(&job->markup, ": no torch version that is known here has an operator of this name");
  if (words.len > 0) {
    markup_paragraph(&job->markup);
    markup_text(&job->markup, "%.*s", STR_ARG(words));
  }
  if (write_verdict(job, op, place) && torch)
    operator_write_versions(job, op);
  hover_registrations(job, op);
}
