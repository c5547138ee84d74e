// Hover on an operator: its schema, and which exporter of which torch version converts it at which opset.

#include "base/limits.h"
#include "core/workspace_operators.h"
#include "describe/describe.h"
#include "describe/dynamo_words.h"
#include "describe/operator_conditions.h"
#include "describe/operator_ways.h"
#include "graph/features/hover_private.h"
#include "graph/model/snapshot_dump.h"
#include "text/uri.h"

/// How many schemas are shown.
enum { SCHEMAS_SHOWN = 4 };

// --- Schemas ---

typedef struct SchemaList {
  const TorchOverload *items[SCHEMAS_SHOWN];
  size_t count;
  size_t hidden;
} SchemaList;

static void add_schema(SchemaList *list, const TorchOverload *overload)
{
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i] == overload)
      return;
  }
  if (list->count < SCHEMAS_SHOWN)
    list->items[list->count++] = overload;
  else
    list->hidden++;
}

/// What fits the call first, then the others of the torch version that graphs call; those of other versions only if it
/// has none.
static SchemaList choose_schemas(const OperatorContext *job, const TorchOperator *op, const LineView *view, Place place)
{
  SchemaList list = { 0 };
  const TorchOverload *best = hover_overload_that_fits(job, view, place);
  if (best)
    add_schema(&list, best);
  OperatorName called = dialect_operator_name(snapshot_dialect(job->snapshot), line_view_operator(view), job->arena);
  if (best && called.has_overload)
    return list;
  size_t count = line_view_arguments(view, 0, NULL);
  for (int pass = 0; pass < 3; pass++) {
    for (uint32_t i = 0; i < op->overload_count; i++) {
      const TorchOverload *overload = &op->overloads[i];
      bool is_usual = torch_overload_is_in(overload, job->torch) && !torch_overload_has_out(overload);
      bool fits = hover_overload_takes(overload, count);
      if (pass == 0 ? is_usual && fits : pass == 1 ? is_usual && !fits : list.count == 0)
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
    buffer_append(&code, markup_shorten(list.items[i]->schema, HOVER_TEXT_LIMIT, job->arena));
  }
  markup_block(&job->markup, "", buffer_str(&code));
  buffer_done(&code);
  if (list.hidden > 0) {
    markup_paragraph(&job->markup);
    markup_text(&job->markup, "and %zu more overload%s", list.hidden, list.hidden == 1 ? "" : "s");
  }
}

// --- Support ---

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
static void write_fate(OperatorContext *job, const OperatorFacts *facts, Place place)
{
  const Item *item = &snapshot_dump(job->snapshot)->chunks[place.chunk]->index->items[place.item];
  const Refusal *refusal = refusal_at(job, place);
  if (item->kind != ITEM_STATEMENT || (refusal && refusal->fate == FATE_CONVERTED))
    return;
  // Of a custom operator only a registration is unsure, which was said already.
  if (refusal && facts->verdict == VERDICT_CUSTOM)
    return;
  markup_text(&job->markup, refusal ? " But it may never get there: " : " But it never gets there: ");
  if (facts->version->pass)
    markup_prose(&job->markup, arena_printf(job->arena, "%.*s.", STR_ARG(facts->version->pass->reason)));
  else
    markup_text(&job->markup, "a pass before %s it.", refusal ? "may remove or fold" : "removes or folds");
}

static bool is_refused(Verdict verdict)
{
  return verdict == VERDICT_NOT_YET || verdict == VERDICT_BLOCKED || verdict == VERDICT_NEVER ||
         verdict == VERDICT_CUSTOM;
}

/// The exporter that is asked: the one that takes such a graph, if that is only one, else the target's.
static Exporter asked_exporter(const OperatorContext *job)
{
  Exporter taker = snapshot_dialect(job->snapshot)->exporter;
  return taker == EXPORTER_DYNAMO ? taker : job->target->exporter;
}

/// True where the answer goes without saying: nobody asks it of a prim node that is converted, nor of one whose graph
/// was converted already.
static bool needs_no_verdict(const OperatorFacts *facts, uint16_t flags)
{
  bool is_prim = facts->kind == OPERATOR_PRIM;
  bool is_lowered = (flags & (SEGMENT_LOWERED | SEGMENT_PRINTABLE)) != 0;
  return (is_prim && (facts->verdict == VERDICT_CONVERTED || facts->verdict == VERDICT_UNKNOWN)) ||
         (is_lowered && facts->verdict == VERDICT_CUSTOM);
}

/// What becomes of a node of a graph that the dynamo exporter takes: what diagnostics say of it, or what the facts say
/// of the overload.
static void write_dynamo_verdict(OperatorContext *job, const OperatorFacts *facts, Str overload, Place place)
{
  const Refusal *refusal = refusal_at(job, place);
  OperatorTarget target = operator_target(job);
  DynamoQuestion question = { .db = target.db,
                              .torch = target.torch,
                              .onnxscript = target.onnxscript,
                              .opset = job->target->dynamo_opset,
                              .name = facts->name,
                              .overload = overload,
                              .is_complex = TRUTH_UNKNOWN };
  DynamoFate fate = dynamo_fate(&question, job->arena);
  Str words = { 0 };
  if (refusal) {
    const Str name[] = { facts->name, STR("."), overload };
    fate = refusal_fate(refusal);
    words = dynamo_refusal_words(&target, arena_join(job->arena, name, overload.len > 0 ? 3 : 1), &fate, job->arena);
  } else if (fate.verdict != DYNAMO_REFUSED) {
    words = dynamo_fate_words(&target, &fate, job->target->dynamo_opset, job->arena);
  }
  if (words.len == 0)
    return;
  markup_paragraph(&job->markup);
  markup_prose(&job->markup, words);
}

static void write_verdict(OperatorContext *job, const OperatorFacts *facts, Place place)
{
  uint16_t flags = graph_flags(job, place);
  if (needs_no_verdict(facts, flags))
    return;
  markup_paragraph(&job->markup);
  markup_prose(&job->markup, operator_verdict_words(facts, job->arena));
  if (is_refused(facts->verdict) && facts->target.exporter == EXPORTER_TORCHSCRIPT && !(flags & SEGMENT_PRINTABLE))
    write_fate(job, facts, place);
}

/// Other versions have an answer of interest where exporters get to see the operator.
static bool wants_versions(const OperatorFacts *facts)
{
  bool is_usual_prim = facts->kind == OPERATOR_PRIM && facts->verdict == VERDICT_CONVERTED;
  return facts->torch_operator && !is_usual_prim && facts->verdict != VERDICT_REMOVED &&
         facts->verdict != VERDICT_CUSTOM;
}

/// The outcome by which a node is refused for certain; NULL if it has none.
static const TorchOutcome *refused_outcome_at(const OperatorContext *job, Place place)
{
  const RefusalList *list = snapshot_refusals(job->snapshot)->chunks[place.chunk];
  for (uint32_t i = 0; list && i < list->outcome_count; i++) {
    const NodeOutcome *found = &list->outcomes[i];
    if (found->item == place.item && found->fate == FATE_CONVERTED && found->outcome &&
        found->outcome->kind == OUTCOME_REFUSED)
      return found->outcome;
  }
  return NULL;
}

/// Only of a node that is refused: what a pass takes away needs none.
static void write_ways(OperatorContext *job, const OperatorFacts *facts, Place place)
{
  const TorchOutcome *refused = refused_outcome_at(job, place);
  if (refused || refusal_at(job, place))
    operator_ways_write(&job->markup, facts, refused, job->arena);
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

/// Where the workspace registers symbolic functions for the operator, and whether an export takes another one.
static void write_registrations(OperatorContext *job, const OperatorFacts *facts)
{
  if (snapshot_dialect(job->snapshot)->exporter != EXPORTER_TORCHSCRIPT)
    return;  // Symbolic functions are not for its nodes.
  for (size_t i = 0; i < facts->registration_count; i++) {
    const WorkspaceSymbolic *symbolic = facts->registrations[i];
    Str path = shown_path(job, symbolic->uri);
    markup_item(&job->markup);
    markup_text(&job->markup, "Registered for %.*s in ", STR_ARG(opset_set_phrase(symbolic->opsets, job->arena)));
    markup_code(&job->markup, arena_printf(job->arena, "%.*s:%u", STR_ARG(path), symbolic->registration.line + 1));
  }
  if (facts->shadowing == 0 || facts->target.exporter != EXPORTER_TORCHSCRIPT)
    return;
  markup_paragraph(&job->markup);
  markup_prose(&job->markup, operator_shadowing_words(facts, job->arena));
}

typedef struct DefinitionList {
  OperatorContext *job;
  Str name;
} DefinitionList;

static bool write_definition(const WorkspaceOperator *op, void *context)
{
  const DefinitionList *list = context;
  OperatorContext *job = list->job;
  if (op->defined.is_kernel || !str_equal(op->defined.name, list->name))
    return op->defined.name.len <= list->name.len;
  markup_item(&job->markup);
  markup_text(&job->markup, "Defined in ");
  markup_code(&job->markup, arena_printf(job->arena, "%.*s:%u", STR_ARG(shown_path(job, op->uri)), op->place.line + 1));
  return true;
}

// --- Kinds of operators ---

static void hover_python_op(OperatorContext *job, Str op)
{
  markup_code(&job->markup, markup_shorten(op, 200, job->arena));
  markup_text(&job->markup,
              ": a Python function kept as one node, usually of a torch.autograd.Function. The exporter asks its "
              "symbolic method, else a function registered for prim::PythonOp, else it puts its body in its place.");
}

static void hover_model_op(OperatorContext *job, Str op)
{
  markup_code(&job->markup, markup_shorten(op, 200, job->arena));
  markup_text(&job->markup, ": no operator of ONNX; a function of this model, or one that a runtime has to know.");
}

/// Of which exporter and opset the hover speaks.
static OperatorTarget hovered_target(const OperatorContext *job)
{
  OperatorTarget target = operator_target(job);
  target.exporter = asked_exporter(job);
  if (target.exporter == EXPORTER_DYNAMO && job->target->dynamo_opset > 0)
    target.opset = job->target->dynamo_opset;
  return target;
}

/// What it is called and takes, and what it is for.
static void write_introduction(OperatorContext *job, const OperatorFacts *facts, Str op, const LineView *view,
                               Place place)
{
  Str words = describe_prim(op);
  if (facts->torch_operator)
    write_schemas(job, facts->torch_operator, view, place);
  else
    markup_code(&job->markup, markup_shorten(op, 200, job->arena));
  if (!facts->torch_operator && facts->kind == OPERATOR_ATEN)
    markup_text(&job->markup, ": %.*s", STR_ARG(operator_unknown_words()));
  if (words.len > 0) {
    markup_paragraph(&job->markup);
    markup_text(&job->markup, "%.*s", STR_ARG(words));
  }
  describe_torch_summary(&job->markup, facts->torch_operator, job->arena);
}

static void hover_torch_operator(OperatorContext *job, OperatorName called, const LineView *view, Place place)
{
  Str op = called.name;
  OperatorTarget target = hovered_target(job);
  OperatorFacts facts = operator_facts(&target, op, false, job->arena);
  facts.overload = called.overload;
  write_introduction(job, &facts, op, view, place);
  if (!str_contains(op, STR("::")))
    return;  // A function of Python's.
  if (asked_exporter(job) == snapshot_dialect(job->snapshot)->exporter && target.exporter == EXPORTER_DYNAMO)
    write_dynamo_verdict(job, &facts, called.overload, place);
  else
    write_verdict(job, &facts, place);
  if (wants_versions(&facts))
    operator_context_write_versions(job, &facts);
  DefinitionList definitions = { job, op };
  workspace_each_operator(target.workspace, op, write_definition, &definitions);
  write_registrations(job, &facts);
  if (needs_no_verdict(&facts, graph_flags(job, place)))
    return;
  write_ways(job, &facts, place);
  operator_conditions_write(&job->markup, &facts, HOVER_CONDITIONS_SHOWN, job->arena);
}

void hover_operator(OperatorContext *job, const LineView *view, size_t node, Place place)
{
  Str domain;
  Str name;
  if (view->nodes[node].kind == NODE_PYTHON_OP) {
    hover_python_op(job, line_view_text(view, node));
    return;
  }
  OperatorName called = dialect_operator_name(snapshot_dialect(job->snapshot), line_view_text(view, node), job->arena);
  if (hover_operator_is_onnx(job, called.name, place, &domain, &name))
    operator_context_write_onnx(job, domain, name);
  else if (snapshot_dialect(job->snapshot)->is_model)
    hover_model_op(job, called.name);
  else
    hover_torch_operator(job, called, view, place);
}
