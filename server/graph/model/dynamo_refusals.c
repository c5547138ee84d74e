// Nodes of an FX graph that the dynamo exporter has no function for, and what they become before it looks.

#include <stdlib.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/map.h"
#include "core/workspace_operators.h"
#include "graph/model/call_view.h"
#include "graph/model/refusals.h"
#include "outcome/dynamo_fate.h"
#include "outcome/outcome.h"

/// What becomes of an operator, found out once: with real inputs, with complex ones, and if nobody knows.
typedef struct KnownFate {
  bool is_judged;  ///< It is an operator that is looked up at all.
  OperatorName name;
  DynamoFate fates[3];  ///< By Truth of having complex inputs.
  bool is_asked[3];
  const TorchOutcome **outcomes;  ///< Those that are about the target.
  uint32_t outcome_count;
} KnownFate;

typedef Vec(NodeOutcome) NodeOutcomes;

struct DynamoFinder {
  GraphWalk walk;
  const GraphDialect *dialect;
  const SymbolicsDb *db;
  const Workspace *workspace;  ///< Whose tables and operators count.
  uint32_t torch;
  Str onnxscript;
  int opset;
  Str runtime;
  TypesShown types;
  Map *known;  ///< KnownFate by the operator's text.
  Arena arena;
  Arena scratch;  ///< Of one node.
};

DynamoFinder *dynamo_finder_new(const Dump *dump, const GraphDialect *dialect, const Target *target, TypesShown types,
                                Trace *trace)
{
  TorchChoice choice;
  if (!symbolics_resolve_torch(target_db(target), target->torch, &choice))
    return NULL;
  DynamoFinder *finder = xcalloc(1, sizeof(*finder));
  *finder = (DynamoFinder){ .walk = { dump, trace },
                            .dialect = dialect,
                            .db = target_db(target),
                            .workspace = target->workspace,
                            .torch = choice.torch,
                            .onnxscript = target->onnxscript,
                            .opset = target->dynamo_opset,
                            .runtime = target->measured_runtime,
                            .types = types,
                            .known = map_new() };
  return finder;
}

void dynamo_finder_free(DynamoFinder *finder)
{
  if (!finder)
    return;
  map_free(finder->known);
  arena_done(&finder->arena);
  arena_done(&finder->scratch);
  free(finder);
}

// --- What the facts say ---

/// Higher-order operators are rewritten or inlined in ways of their own; those with a function are few, and the others
/// say nothing here.
static bool is_looked_up(Str text, Str name)
{
  return str_starts_with(text, STR("torch.ops.")) && str_find(name, STR("::"), 0) != STR_NOT_FOUND &&
         !str_starts_with(name, STR("higher_order::"));
}

static void keep_outcomes(DynamoFinder *finder, KnownFate *known, Str name, Str overload)
{
  uint32_t count;
  const TorchOutcome *all = symbolics_dynamo_outcomes(finder->db, name, &count);
  const TorchOutcome **kept = ARENA_ARRAY(&finder->arena, const TorchOutcome *, known->outcome_count + count);
  for (uint32_t i = 0; i < known->outcome_count; i++)
    kept[i] = known->outcomes[i];
  known->outcomes = kept;
  for (uint32_t i = 0; i < count; i++) {
    if (outcome_applies(&all[i], finder->torch, finder->opset, finder->runtime) &&
        (all[i].overload.len == 0 || str_equal(all[i].overload, overload)))
      kept[known->outcome_count++] = &all[i];
  }
}

/// Keeps the outcomes of the operator, and those of the plain one if it works in place.
static void ask_outcomes(DynamoFinder *finder, KnownFate *known, Str overload)
{
  Str name = known->name.name;
  keep_outcomes(finder, known, name, overload);
  if (str_ends_with(name, STR("_")))
    keep_outcomes(finder, known, str_slice(name, 0, name.len - 1), overload);
}

static KnownFate *known_fate(DynamoFinder *finder, Str text)
{
  KnownFate *known = map_get(finder->known, text);
  if (known)
    return known;
  known = ARENA_NEW(&finder->arena, KnownFate);
  known->name = dialect_operator_name(finder->dialect, text, &finder->arena);
  Str overload = known->name.overload.len > 0 ? known->name.overload : STR("default");
  known->is_judged =
      is_looked_up(text, known->name.name) && !workspace_translates(finder->workspace, known->name.name, overload);
  if (known->is_judged)
    ask_outcomes(finder, known, overload);
  map_put(finder->known, text, known);
  return known;
}

static const DynamoFate *fate_of(DynamoFinder *finder, KnownFate *known, Truth is_complex)
{
  if (!known->is_asked[is_complex]) {
    DynamoQuestion question = { .db = finder->db,
                                .torch = finder->torch,
                                .onnxscript = finder->onnxscript,
                                .opset = finder->opset,
                                .name = known->name.name,
                                .overload = known->name.overload,
                                .is_complex = is_complex };
    known->fates[is_complex] = dynamo_fate(&question, &finder->arena);
    known->is_asked[is_complex] = true;
  }
  return &known->fates[is_complex];
}

static const TorchOverload *overload_of(const DynamoFinder *finder, const OperatorName *name)
{
  const TorchOperator *op = workspace_torch_operator(finder->workspace, finder->db, name->name);
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    if (str_equal(op->overloads[i].overload, name->overload) && op->overloads[i].torch_versions >> finder->torch & 1)
      return &op->overloads[i];
  }
  return NULL;
}

static void begin_view(DynamoFinder *finder, const KnownFate *known, Place node, CallView *view)
{
  call_view_begin(view, &finder->walk, finder->dialect, node, overload_of(finder, &known->name), &finder->scratch);
}

/// The same with what the node's line shows of its arguments.
static DynamoFate fate_of_call(DynamoFinder *finder, const KnownFate *known, Truth is_complex, Place node)
{
  CallView view;
  begin_view(finder, known, node, &view);
  DynamoQuestion question = { .db = finder->db,
                              .torch = finder->torch,
                              .onnxscript = finder->onnxscript,
                              .opset = finder->opset,
                              .name = known->name.name,
                              .overload = known->name.overload,
                              .is_complex = is_complex,
                              .view = &view.view };
  return dynamo_fate(&question, &finder->scratch);
}

static bool is_refusal(const DynamoFate *fate)
{
  return fate->verdict == DYNAMO_REFUSED || fate->verdict == DYNAMO_DEPENDS;
}

// --- Types ---

/// "c64[2, 3]"
static bool is_complex_type(Str type)
{
  type = str_slice(type, ascii_colour_length(type), type.len);
  return type.len > 1 && type.data[0] == 'c' && ascii_is_digit(type.data[1]);
}

static Truth has_complex_inputs(const DynamoFinder *finder, Place node)
{
  if (!(finder->types & TYPES_SHOWN))
    return TRUTH_UNKNOWN;
  uint32_t count = finder->types & TYPES_COMPLEX ? walk_use_count(&finder->walk, node) : 0;
  for (uint32_t i = 0; i < count && i < LINE_ARGUMENT_LIMIT; i++) {
    Place definition;
    if (walk_find_definition(&finder->walk, walk_use(&finder->walk, node, i), &definition) &&
        is_complex_type(call_view_printed_type(&finder->walk, finder->dialect, definition)))
      return TRUTH_YES;
  }
  return TRUTH_NO;
}

// --- Nodes ---

/// What nobody uses is dropped before functions are looked up, unless it has no result at all, or works in place.
static bool finds_first_use(const DynamoFinder *finder, Place node, Str op, Refusal *refusal)
{
  if (str_ends_with(op, STR("_")) || walk_item(&finder->walk, node)->def_count == 0)
    return true;
  Place definition = walk_definition(&finder->walk, node, 0);
  UseCursor cursor = dump_uses_after(finder->walk.dump, definition);
  refusal->has_use = walk_next_use(&finder->walk, definition, &cursor, &refusal->first_use);
  return refusal->has_use || walk_item(&finder->walk, node)->def_count > 1;
}

static SupportStatus status_of(const DynamoFinder *finder, const KnownFate *known, const DynamoFate *fate)
{
  if (fate->since > 0 && fate->parts == NULL && !fate->is_complex)
    return SUPPORT_NEWER;
  return symbolics_torch_operator(finder->db, known->name.name) ? SUPPORT_NEVER : SUPPORT_UNKNOWN_NAMESPACE;
}

static bool judge(DynamoFinder *finder, Place node, KnownFate *known, Arena *arena, Refusal *ret_refusal)
{
  Truth is_complex = has_complex_inputs(finder, node);
  const DynamoFate *fate = fate_of(finder, known, is_complex);
  Refusal refusal = { .item = node.item };
  DynamoFate of_call;
  arena_done(&finder->scratch);
  if (fate->by_arguments && is_refusal(fate)) {
    of_call = fate_of_call(finder, known, is_complex, node);
    fate = &of_call;
  }
  if (!is_refusal(fate) || !finds_first_use(finder, node, known->name.name, &refusal))
    return false;
  refusal.fate = fate->verdict == DYNAMO_REFUSED ? FATE_CONVERTED : FATE_UNSURE;
  refusal.answer.status = status_of(finder, known, fate);
  refusal.answer.since = refusal.answer.status == SUPPORT_NEWER ? fate->since : 0;
  refusal.part = arena_copy(arena, fate->part);
  refusal.is_complex = fate->is_complex;
  refusal.onnxscript = fate->onnxscript;
  *ret_refusal = refusal;
  return true;
}

DynamoFate refusal_fate(const Refusal *refusal)
{
  return (DynamoFate){ .verdict = refusal->fate == FATE_CONVERTED ? DYNAMO_REFUSED : DYNAMO_DEPENDS,
                       .part = refusal->part,
                       .is_complex = refusal->is_complex,
                       .onnxscript = refusal->onnxscript,
                       .since = refusal->answer.since };
}

/// What becomes of a call that is not refused. One of each group says enough of it.
static void judge_outcomes(DynamoFinder *finder, Place node, const KnownFate *known, Arena *arena, NodeOutcomes *found)
{
  CallView view;
  uint32_t groups = 0;
  arena_done(&finder->scratch);
  if (known->outcome_count > 0)
    begin_view(finder, known, node, &view);
  for (uint32_t i = 0; i < known->outcome_count; i++) {
    const TorchOutcome *outcome = known->outcomes[i];
    if ((groups >> outcome_group(outcome) & 1) || outcome_condition_holds(&outcome->condition, &view.view) != TRUTH_YES)
      continue;
    groups |= 1u << outcome_group(outcome);
    vec_push(found, (NodeOutcome){ .item = node.item,
                                   .fate = FATE_CONVERTED,
                                   .outcome = outcome,
                                   .reason = outcome_reason(outcome, &view.view, arena) });
  }
}

/// Asks for each operator of a chunk; false if all of them are fine.
static bool may_refuse(DynamoFinder *finder, const ChunkState *chunk)
{
  for (uint32_t i = 0; i < chunk->index->op_count; i++) {
    KnownFate *known = known_fate(finder, dump_op_name(chunk->index, chunk_text(chunk), i));
    if (known->outcome_count > 0)
      return true;
    if (known->is_judged && (is_refusal(fate_of(finder, known, TRUTH_NO)) ||
                             (finder->types & TYPES_COMPLEX && is_refusal(fate_of(finder, known, TRUTH_YES)))))
      return true;
  }
  return false;
}

RefusalList *dynamo_finder_find(DynamoFinder *finder, uint32_t c)
{
  const ChunkState *chunk = finder->walk.dump->chunks[c];
  if (!may_refuse(finder, chunk))
    return NULL;
  Vec(Refusal) refusals = { 0 };
  NodeOutcomes outcomes = { 0 };
  RefusalList *list = xcalloc(1, sizeof(*list));
  trace_clear(finder->walk.trace);
  for (uint32_t i = 0; i < chunk->index->item_count; i++) {
    const Item *item = &chunk->index->items[i];
    Refusal refusal;
    if (item->op == NO_OP || item->kind != ITEM_STATEMENT)
      continue;
    KnownFate *known = known_fate(finder, dump_op_name(chunk->index, chunk_text(chunk), item->op));
    if (known->is_judged && judge(finder, (Place){ c, i, 0 }, known, &list->arena, &refusal))
      vec_push(&refusals, refusal);
    else
      judge_outcomes(finder, (Place){ c, i, 0 }, known, &list->arena, &outcomes);
  }
  list->references = 1;
  list->count = (uint32_t)refusals.count;
  list->items = vec_take(&refusals);
  list->outcome_count = (uint32_t)outcomes.count;
  list->outcomes = vec_take(&outcomes);
  trace_take(finder->walk.trace, &list->trace);
  return list;
}
