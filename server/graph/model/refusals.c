#include "graph/model/refusals.h"

#include <stdlib.h>

#include "core/workspace.h"
#include "graph/model/node_outcomes.h"

enum { ANSWER_SLOTS = 1024 };  ///< A power of two, more than a dump has operators.

/// What the registry said of an operator, so that it is not asked in every chunk.
typedef struct KnownAnswer {
  Str op;  ///< In a chunk of the dump; empty if free.
  SupportAnswer answer;
  OutcomeSet outcomes;
} KnownAnswer;

/// What there is to do for the nodes of an operator; most lines have none, and cost no more than to see that.
typedef enum NodeWork {
  WORK_REFUSED = 1,  ///< The registry does not take it.
  WORK_JUDGED = 2,   ///< It has outcomes.
} NodeWork;

typedef Vec(Refusal) RefusalVec;

typedef struct Finder {
  const Dump *dump;
  const SymbolicsDb *db;
  const Workspace *workspace;
  uint32_t torch;
  int opset;
  Passes *passes;  ///< Made when the first node needs it.
  KnownAnswer known[ANSWER_SLOTS];
  uint32_t known_count;
  Vec(KnownAnswer) answers;  ///< By operator of the chunk.
  Vec(uint8_t) work;         ///< By operator of the chunk: NodeWork.
  OutcomeFinder outcomes;
  Trace trace;
} Finder;

// --- The registry ---

static bool is_refused(SupportStatus status)
{
  return status == SUPPORT_NEVER || status == SUPPORT_NEWER || status == SUPPORT_BLOCKED ||
         status == SUPPORT_UNKNOWN_NAMESPACE;
}

/// What the registry says of an operator; SUPPORT_YES where there is nothing to say.
static SupportAnswer ask_registry(const Finder *finder, Str op)
{
  static const SupportAnswer fine = { .status = SUPPORT_YES };
  if (str_find(op, STR("::"), 0) == STR_NOT_FOUND || op.data[0] == '^')
    return fine;  // Printable graphs and PythonOps name no registered operator.
  SupportAnswer answer = workspace_support(finder->workspace, finder->db, finder->torch, op, finder->opset);
  if (!is_refused(answer.status) || (answer.pass && answer.pass->condition == PASS_ALWAYS))
    return fine;
  return answer;
}

static KnownAnswer answer_for(Finder *finder, Str op)
{
  uint32_t at = str_hash(op) % ANSWER_SLOTS;
  for (; finder->known[at].op.len > 0; at = (at + 1) % ANSWER_SLOTS) {
    if (str_equal(finder->known[at].op, op))
      return finder->known[at];
  }
  KnownAnswer known = { .op = op, .answer = ask_registry(finder, op) };
  bool is_taken = known.answer.status == SUPPORT_YES || known.answer.pass;  // By the pass, which may refuse, too.
  if (is_taken && !workspace_replaces(finder->workspace, finder->db, finder->torch, op, finder->opset))
    known.outcomes = outcome_finder_ask(&finder->outcomes, op);
  if (finder->known_count < ANSWER_SLOTS / 2) {
    finder->known[at] = known;
    finder->known_count++;
  }
  return known;
}

/// Asks for each operator of a chunk; false if all of them are fine.
static bool ask_operators(Finder *finder, const ChunkState *chunk)
{
  bool any = false;
  for (uint32_t i = 0; i < chunk->index->segment_count; i++)
    any |= (chunk->index->segments[i].flags & (SEGMENT_HEADER | SEGMENT_HEADER_END)) != 0;
  vec_clear(&finder->answers);
  vec_clear(&finder->work);
  for (uint32_t i = 0; i < chunk->index->op_count; i++) {
    KnownAnswer known = answer_for(finder, dump_op_name(chunk->index, chunk_text(chunk), i));
    uint8_t work = known.answer.status != SUPPORT_YES ? WORK_REFUSED : 0;
    work |= known.outcomes.count > 0 ? WORK_JUDGED : 0;
    any |= work != 0;
    vec_push(&finder->answers, known);
    vec_push(&finder->work, work);
  }
  return any;
}

// --- Nodes ---

static uint16_t graph_flags(const Finder *finder, uint32_t chunk, uint32_t item)
{
  uint32_t segment = dump_index_segment_of(finder->dump->chunks[chunk]->index, item);
  return finder->dump->graphs[dump_graph_of(finder->dump, chunk, segment)].flags;
}

/// Headers (`with prim::X_0 = graph(`) name operators too, and a printable graph holds ONNX nodes alone.
static bool is_torch_node(const Finder *finder, uint32_t chunk, uint32_t item)
{
  return finder->dump->chunks[chunk]->index->items[item].kind == ITEM_STATEMENT &&
         !(graph_flags(finder, chunk, item) & SEGMENT_PRINTABLE);
}

static void find_first_use(Finder *finder, uint32_t chunk, Refusal *refusal)
{
  const Item *item = &finder->dump->chunks[chunk]->index->items[refusal->item];
  if (item->def_count == 0)
    return;
  GraphWalk walk = { finder->dump, &finder->trace };
  Place definition = { chunk, refusal->item, item->first_occurrence };
  UseCursor cursor = dump_uses_after(finder->dump, definition);
  refusal->has_use = walk_next_use(&walk, definition, &cursor, &refusal->first_use);
}

static Passes *passes_of(Finder *finder)
{
  if (!finder->passes) {
    finder->passes = passes_new(finder->dump, finder->db);
    passes_keep_trace(finder->passes, &finder->trace);
  }
  return finder->passes;
}

/// True if the node gets as far as the registry, which refuses it.
static bool examine(Finder *finder, uint32_t chunk, uint32_t item, SupportAnswer answer, Refusal *ret_refusal)
{
  if (answer.status == SUPPORT_UNKNOWN_NAMESPACE && (graph_flags(finder, chunk, item) & SEGMENT_LOWERED))
    return false;  // A node of a custom domain in a graph that was converted already.
  NodeFate fate = passes_fate(passes_of(finder), (Place){ chunk, item, 0 }, answer.pass);
  if (fate == FATE_REMOVED)
    return false;
  *ret_refusal = (Refusal){ .item = item, .fate = fate, .answer = answer };
  find_first_use(finder, chunk, ret_refusal);
  return true;
}

/// In a chunk that has complex values: those of inputs of a graph, which are in its header, and of constants.
static void examine_complex(Finder *finder, uint32_t c, uint32_t i)
{
  const Item *item = &finder->dump->chunks[c]->index->items[i];
  Place place = { c, i, 0 };
  if (item->def_count == 0)
    return;
  if (item->kind != ITEM_STATEMENT && item->op == NO_OP)
    outcome_finder_judge_inputs(&finder->outcomes, passes_of(finder), place);
  else if (item->kind == ITEM_STATEMENT && item->op != NO_OP)
    outcome_finder_judge_constant(&finder->outcomes, passes_of(finder), place);
}

/// Keeps what becomes of a node with work to do.
static void examine_node(Finder *finder, uint32_t c, uint32_t i, uint8_t work, RefusalVec *refusals)
{
  const KnownAnswer *known = &finder->answers.items[finder->dump->chunks[c]->index->items[i].op];
  Place place = { c, i, 0 };
  Refusal refusal;
  if ((work & WORK_REFUSED) && is_torch_node(finder, c, i) && examine(finder, c, i, known->answer, &refusal))
    vec_push(refusals, refusal);
  else if ((work & WORK_JUDGED) && outcome_finder_may_judge(&finder->outcomes, &known->outcomes, place) &&
           is_torch_node(finder, c, i))
    outcome_finder_judge(&finder->outcomes, passes_of(finder), &known->outcomes, place);
}

static void reverse(Refusal *items, size_t count)
{
  for (size_t i = 0; i < count / 2; i++) {
    Refusal item = items[i];
    items[i] = items[count - 1 - i];
    items[count - 1 - i] = item;
  }
}

/// A list without items still says by its trace when to look again. What is near the outputs is asked first: nodes
/// before it mostly lead there.
static RefusalList *find_refusals(Finder *finder, uint32_t c)
{
  const ChunkState *chunk = finder->dump->chunks[c];
  if (!ask_operators(finder, chunk))
    return NULL;
  RefusalVec refusals = { 0 };
  trace_clear(&finder->trace);
  if (finder->passes)
    passes_forget(finder->passes);
  bool is_complex = chunk->index->types & TYPES_COMPLEX;
  for (uint32_t i = chunk->index->item_count; i-- > 0;) {
    uint32_t op = chunk->index->items[i].op;
    uint8_t work = op == NO_OP ? 0 : finder->work.items[op];
    if (work != 0)
      examine_node(finder, c, i, work, &refusals);
    if (is_complex)
      examine_complex(finder, c, i);
  }
  reverse(refusals.items, refusals.count);
  RefusalList *list = xcalloc(1, sizeof(*list));
  list->references = 1;
  list->count = (uint32_t)refusals.count;
  list->items = vec_take(&refusals);
  list->outcomes = outcome_finder_take(&finder->outcomes, &list->outcome_count);
  trace_take(&finder->trace, &list->trace);
  return list;
}

// --- After an edit ---

static bool still_holds(const RefusalList *list, const Dump *dump, const ChunkChange *changes, size_t change_count)
{
  for (size_t i = 0; i < change_count; i++) {
    if (!trace_holds(&list->trace, changes[i]))
      return false;
  }
  for (uint32_t i = 0; i < dump->changed_count; i++) {
    if (trace_has_name(&list->trace, dump->changed_names[i]))
      return false;
  }
  return true;
}

/// Takes over the lists of chunks for which nothing changed; `is_known` says which these are.
static void keep_lists(Refusals *refusals, const Dump *dump, const Refusals *previous, const Dump *previous_dump,
                       bool *is_known)
{
  Vec(ChunkChange) changes = { 0 };
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    if (dump->chunks[c]->index != previous_dump->chunks[c]->index)
      vec_push(&changes, trace_chunk_change(previous_dump->chunks[c], dump->chunks[c], c));
  }
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    RefusalList *list = previous->chunks[c];
    if (dump->chunks[c]->index != previous_dump->chunks[c]->index ||
        (list && !still_holds(list, dump, changes.items, changes.count)))
      continue;
    is_known[c] = true;
    refusals->chunks[c] = list;
    if (list)
      atomic_fetch_add_explicit(&list->references, 1, memory_order_relaxed);
  }
  vec_free(&changes);
}

static void find_torchscript(Refusals *refusals, const Dump *dump, const Target *target, const bool *is_known)
{
  Finder *finder = xcalloc(1, sizeof(*finder));
  *finder = (Finder){
    .dump = dump,
    .db = target_db(target),
    .workspace = target->workspace,
    .opset = target->opset,
  };
  TorchChoice choice;
  if (symbolics_resolve_torch(finder->db, target->torch, &choice)) {
    finder->torch = choice.torch;
    outcome_finder_init(&finder->outcomes, dump, finder->db, choice.torch, target, &finder->trace);
    for (uint32_t c = 0; c < dump->chunk_count; c++) {
      if (!is_known[c])
        refusals->chunks[c] = find_refusals(finder, c);
    }
  }
  passes_free(finder->passes);
  outcome_finder_done(&finder->outcomes);
  vec_free(&finder->answers);
  vec_free(&finder->work);
  trace_done(&finder->trace);
  free(finder);
}

static void find_dynamo(Refusals *refusals, const Dump *dump, const GraphDialect *dialect, const Target *target,
                        const bool *is_known)
{
  Trace trace = { 0 };
  DynamoFinder *finder = dynamo_finder_new(dump, dialect, target, refusals->types, &trace);
  for (uint32_t c = 0; finder && c < dump->chunk_count; c++) {
    if (!is_known[c])
      refusals->chunks[c] = dynamo_finder_find(finder, c);
  }
  dynamo_finder_free(finder);
  trace_done(&trace);
}

Refusals *refusals_new(const Dump *dump, const GraphDialect *dialect, const Target *target, const Refusals *previous,
                       const Dump *previous_dump)
{
  Refusals *refusals = xcalloc(1, sizeof(*refusals));
  refusals->chunk_count = dump->chunk_count;
  refusals->chunks = xcalloc(dump->chunk_count, sizeof(*refusals->chunks));
  for (uint32_t c = 0; c < dump->chunk_count; c++)
    refusals->types |= dump->chunks[c]->index->types;
  bool *is_known = xcalloc(dump->chunk_count, sizeof(*is_known));
  if (previous && dump->is_patched && previous->types == refusals->types)
    keep_lists(refusals, dump, previous, previous_dump, is_known);
  // The dynamo exporter starts from an FX graph, and takes many operators of a TorchScript graph apart before it looks
  // for functions: such a text does not tell what it would refuse.
  // Operators of a model are exported already.
  if (dialect->exporter == EXPORTER_DYNAMO)
    find_dynamo(refusals, dump, dialect, target, is_known);
  else if (target->exporter == EXPORTER_TORCHSCRIPT && !dialect->is_model)
    find_torchscript(refusals, dump, target, is_known);
  free(is_known);
  return refusals;
}

static void list_release(RefusalList *list)
{
  if (!list || atomic_fetch_sub_explicit(&list->references, 1, memory_order_acq_rel) != 1)
    return;
  trace_done(&list->trace);
  arena_done(&list->arena);
  free((Refusal *)list->items);
  free((NodeOutcome *)list->outcomes);
  free(list);
}

void refusals_free(Refusals *refusals)
{
  if (!refusals)
    return;
  for (uint32_t c = 0; c < refusals->chunk_count; c++)
    list_release(refusals->chunks[c]);
  free(refusals->chunks);
  free(refusals);
}
