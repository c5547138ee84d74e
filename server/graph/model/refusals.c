#include "graph/model/refusals.h"

#include <stdlib.h>

#include "base/search.h"
#include "core/workspace.h"
#include "graph/model/changed_names.h"
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
  Vec(KnownAnswer) answers;  ///< By operator of the chunk; in one that is judged again, of those that were needed.
  Vec(uint8_t) work;         ///< By operator of the chunk: NodeWork.
  OutcomeFinder outcomes;
  Trace trace;  ///< Of refusals and fates.
  Trace outcome_trace;
  ItemVec judged;
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

/// Keeps what becomes of a node that the registry takes.
static void judge_node(Finder *finder, Place node, const OutcomeSet *set)
{
  if (!outcome_finder_may_judge(&finder->outcomes, set, node) || !is_torch_node(finder, node.chunk, node.item))
    return;
  vec_push(&finder->judged, node.item);
  outcome_finder_judge(&finder->outcomes, passes_of(finder), set, node);
}

/// Keeps what becomes of a node with work to do.
static void examine_node(Finder *finder, Place node, uint8_t work, RefusalVec *refusals)
{
  uint32_t op = finder->dump->chunks[node.chunk]->index->items[node.item].op;
  Refusal refusal;
  if ((work & WORK_REFUSED) && is_torch_node(finder, node.chunk, node.item) &&
      examine(finder, node.chunk, node.item, finder->answers.items[op].answer, &refusal))
    vec_push(refusals, refusal);
  else if (work & WORK_JUDGED)
    judge_node(finder, node, &finder->answers.items[op].outcomes);
}

static void reverse(Refusal *items, size_t count)
{
  for (size_t i = 0; i < count / 2; i++) {
    Refusal item = items[i];
    items[i] = items[count - 1 - i];
    items[count - 1 - i] = item;
  }
}

/// `before` is what the new list takes answers from, or NULL.
static void begin_list(Finder *finder, const RefusalList *before)
{
  trace_clear(&finder->trace);
  trace_clear(&finder->outcome_trace);
  vec_clear(&finder->judged);
  if (finder->passes)
    passes_forget(finder->passes);
  outcome_finder_judge_few(&finder->outcomes, before != NULL);
  if (before) {
    trace_add_all(&finder->trace, &before->trace);
    trace_add_all(&finder->outcome_trace, &before->outcome_trace);
  }
}

/// Without what its nodes are looked at for.
static RefusalList *end_list(Finder *finder)
{
  RefusalList *list = xcalloc(1, sizeof(*list));
  list->references = 1;
  trace_take(&finder->trace, &list->trace);
  trace_take(&finder->outcome_trace, &list->outcome_trace);
  list->judged_count = (uint32_t)finder->judged.count;
  list->judged = xmalloc((finder->judged.count + 1) * sizeof(*list->judged));
  if (finder->judged.count > 0)
    memcpy(list->judged, finder->judged.items, finder->judged.count * sizeof(*list->judged));
  return list;
}

/// A list without items still says by its trace when to look again. What is near the outputs is asked first: nodes
/// before it mostly lead there.
static RefusalList *find_refusals(Finder *finder, uint32_t c)
{
  const ChunkState *chunk = finder->dump->chunks[c];
  if (!ask_operators(finder, chunk))
    return NULL;
  RefusalVec refusals = { 0 };
  begin_list(finder, NULL);
  bool is_complex = chunk->index->types & TYPES_COMPLEX;
  for (uint32_t i = chunk->index->item_count; i-- > 0;) {
    uint32_t op = chunk->index->items[i].op;
    uint8_t work = op == NO_OP ? 0 : finder->work.items[op];
    if (work != 0)
      examine_node(finder, (Place){ c, i, 0 }, work, &refusals);
    if (is_complex)
      examine_complex(finder, c, i);
  }
  reverse(refusals.items, refusals.count);
  RefusalList *list = end_list(finder);
  uint32_t op_count = chunk->index->op_count;
  list->looked_at = xmalloc(op_count + 1);
  for (uint32_t i = 0; i < op_count; i++)
    list->looked_at[i] = finder->answers.items[i].outcomes.tests.arguments;
  list->count = (uint32_t)refusals.count;
  list->items = vec_take(&refusals);
  list->outcomes = outcome_finder_take(&finder->outcomes, &list->outcome_count);
  return list;
}

// --- After an edit ---

/// What an edit changed for the lists of the snapshot before.
typedef struct Edit {
  const Refusals *previous;
  ChangeVec changes;
  HashVec names;
  bool is_small;  ///< `names` are all that nodes may depend on at a glance.
} Edit;

static bool still_holds(const Trace *trace, const Dump *dump, const Edit *edit)
{
  for (size_t i = 0; i < edit->changes.count; i++) {
    if (!trace_holds(trace, edit->changes.items[i]))
      return false;
  }
  for (uint32_t i = 0; i < dump->changed_count; i++) {
    if (trace_has_name(trace, dump->changed_names[i]))
      return false;
  }
  return true;
}

/// The nodes to judge again, from first to last: those that use a changed name, and those that took more than a glance.
static void find_again(const RefusalList *list, const ChunkState *chunk, const ChunkState *before, const Edit *edit,
                       ItemVec *again)
{
  ItemVec users = { 0 };
  changed_names_add_users(&edit->names, chunk, before, list->looked_at, &users);
  size_t user = 0;
  for (uint32_t k = list->judged_count; k-- > 0;) {
    while (user < users.count && users.items[user] < list->judged[k])
      vec_push(again, users.items[user++]);
    if (user < users.count && users.items[user] == list->judged[k])
      user++;
    vec_push(again, list->judged[k]);
  }
  vec_append(again, users.items + user, users.count - user);
  vec_free(&users);
}

typedef Vec(NodeOutcome) NodeOutcomeVec;

/// Those of `before` but for the nodes that were judged again, and what came out for these.
static void merge_outcomes(RefusalList *list, const RefusalList *before, const ItemVec *again, const NodeOutcome *found,
                           uint32_t found_count)
{
  NodeOutcomeVec merged = { 0 };
  uint32_t next = 0;
  size_t at = 0;
  for (uint32_t i = 0; i < before->outcome_count; i++) {
    uint32_t item = before->outcomes[i].item;
    while (at < again->count && again->items[at] < item)
      at++;
    while (next < found_count && found[next].item < item)
      vec_push(&merged, found[next++]);
    if (at == again->count || again->items[at] != item)
      vec_push(&merged, before->outcomes[i]);
  }
  vec_append(&merged, found + next, found_count - next);
  list->outcome_count = (uint32_t)merged.count;
  list->outcomes = vec_take(&merged);
}

static bool has_refusal(const RefusalList *list, uint32_t item)
{
  uint32_t at;
  SEARCH_FIRST(at, 0, list->count, list->items[at].item < item);
  return at < list->count && list->items[at].item == item;
}

/// The outcomes of an operator of a chunk that is judged again.
static const OutcomeSet *outcomes_again(Finder *finder, const ChunkState *chunk, uint32_t op)
{
  while (finder->answers.count < chunk->index->op_count)
    vec_push(&finder->answers, (KnownAnswer){ 0 });
  KnownAnswer *known = &finder->answers.items[op];
  if (known->op.len == 0)
    *known = answer_for(finder, dump_op_name(chunk->index, chunk_text(chunk), op));
  return &known->outcomes;
}

/// The list after an edit that its refusals don't depend on; NULL if nothing is to be judged again.
static RefusalList *judge_again(Finder *finder, uint32_t c, const Edit *edit, const Dump *previous_dump)
{
  const RefusalList *before = edit->previous->chunks[c];
  const ChunkState *chunk = finder->dump->chunks[c];
  ItemVec again = { 0 };
  find_again(before, chunk, previous_dump->chunks[c], edit, &again);
  RefusalList *list = NULL;
  if (again.count > 0) {
    vec_clear(&finder->answers);
    begin_list(finder, before);
    for (size_t i = again.count; i-- > 0;) {
      uint32_t op = chunk->index->items[again.items[i]].op;
      if (op != NO_OP && !has_refusal(before, again.items[i]))
        judge_node(finder, (Place){ c, again.items[i], 0 }, outcomes_again(finder, chunk, op));
    }
    list = end_list(finder);
    list->looked_at = memcpy(xmalloc(chunk->index->op_count + 1), before->looked_at, chunk->index->op_count);
    RefusalVec refusals = { 0 };
    vec_append(&refusals, before->items, before->count);
    list->count = before->count;
    list->items = vec_take(&refusals);
    uint32_t found_count;
    const NodeOutcome *found = outcome_finder_take(&finder->outcomes, &found_count);
    merge_outcomes(list, before, &again, found, found_count);
    free((NodeOutcome *)found);
  }
  vec_free(&again);
  return list;
}

static RefusalList *keep_list(RefusalList *list)
{
  if (list)
    atomic_fetch_add_explicit(&list->references, 1, memory_order_relaxed);
  return list;
}

static bool is_kept(const RefusalList *list, const Dump *dump, const Edit *edit)
{
  return !list || (still_holds(&list->trace, dump, edit) && still_holds(&list->outcome_trace, dump, edit));
}

/// Takes over the lists of chunks for which nothing changed; `is_known` says which these are.
static void keep_lists(Refusals *refusals, const Dump *dump, const Dump *previous_dump, const Edit *edit,
                       bool *is_known)
{
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    RefusalList *list = edit->previous->chunks[c];
    is_known[c] = dump->chunks[c]->index == previous_dump->chunks[c]->index && is_kept(list, dump, edit);
    if (is_known[c])
      refusals->chunks[c] = keep_list(list);
  }
}

/// Whether the refusals of a list are still right, and only some of its outcomes may not be.
static bool can_judge_again(const Finder *finder, uint32_t c, const Edit *edit, const Dump *previous_dump)
{
  const DumpIndex *index = finder->dump->chunks[c]->index;
  const RefusalList *list = edit->previous ? edit->previous->chunks[c] : NULL;
  return list && edit->is_small && index == previous_dump->chunks[c]->index && !(index->types & TYPES_COMPLEX) &&
         !list->outcome_trace.is_everything && still_holds(&list->trace, finder->dump, edit);
}

static void find_torchscript(Refusals *refusals, const Dump *dump, const Target *target, const bool *is_known,
                             const Edit *edit, const Dump *previous_dump)
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
    outcome_finder_init(&finder->outcomes, dump, finder->db, choice.torch, target, &finder->outcome_trace);
    for (uint32_t c = 0; c < dump->chunk_count; c++) {
      if (is_known[c])
        continue;
      bool is_same = can_judge_again(finder, c, edit, previous_dump);
      RefusalList *list = is_same ? judge_again(finder, c, edit, previous_dump) : find_refusals(finder, c);
      refusals->chunks[c] = is_same && !list ? keep_list(edit->previous->chunks[c]) : list;
    }
  }
  passes_free(finder->passes);
  outcome_finder_done(&finder->outcomes);
  vec_free(&finder->answers);
  vec_free(&finder->work);
  vec_free(&finder->judged);
  trace_done(&finder->trace);
  trace_done(&finder->outcome_trace);
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
  Edit edit = { 0 };
  if (previous && dump->is_patched && previous->types == refusals->types) {
    edit.previous = previous;
    edit.is_small = changed_names_find(dump, previous_dump, &edit.changes, &edit.names);
    keep_lists(refusals, dump, previous_dump, &edit, is_known);
  }
  // The dynamo exporter starts from an FX graph, and takes many operators of a TorchScript graph apart before it looks
  // for functions: such a text does not tell what it would refuse.
  // Operators of a model are exported already.
  if (dialect->exporter == EXPORTER_DYNAMO)
    find_dynamo(refusals, dump, dialect, target, is_known);
  else if (target->exporter == EXPORTER_TORCHSCRIPT && !dialect->is_model)
    find_torchscript(refusals, dump, target, is_known, &edit, previous_dump);
  vec_free(&edit.changes);
  vec_free(&edit.names);
  free(is_known);
  return refusals;
}

static void list_release(RefusalList *list)
{
  if (!list || atomic_fetch_sub_explicit(&list->references, 1, memory_order_acq_rel) != 1)
    return;
  trace_done(&list->trace);
  trace_done(&list->outcome_trace);
  free(list->judged);
  free(list->looked_at);
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
