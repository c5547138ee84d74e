// How a graph language's text becomes a model: each chunk is lowered alone, then names are linked across all of them.

#include "graph/graph_language.h"

#include "base/idle_pool.h"
#include "core/snapshot.h"
#include "graph/features/picture_tree.h"
#include "graph/model/other_graphs.h"
#include "graph/model/snapshot_dump.h"

typedef struct GraphModel {
  Dump *dump;
  Refusals *refusals;
  const Target *target;  ///< The snapshot's.
  PictureSlot picture;   ///< Made when somebody asks for it.
} GraphModel;

typedef struct GraphPlan {
  const Snapshot *snapshot;
  const GraphModel *previous;  ///< May be NULL.
  const GraphDialect *dialect;
  uint32_t chunk_count;  ///< Of the document; none are read where rules read the text themselves, and nobody else does.
  DumpIndex **indexes;   ///< By chunk; NULL where it has yet to be lowered.
  uint32_t *todo;        ///< Chunks to lower.
  uint32_t todo_count;
} GraphPlan;

// --- Scratch memory of lowering, shared by all threads ---

static IdlePool lowerings = IDLE_POOL_INIT;

static Lowering *take_lowering(const GraphDialect *dialect)
{
  Lowering *lowering = idle_pool_take(&lowerings, dialect);
  return lowering ? lowering : lowering_new(dialect);
}

static void give_lowering(const GraphDialect *dialect, Lowering *lowering)
{
  if (!idle_pool_give(&lowerings, dialect, lowering))
    lowering_free(lowering);
}

void graph_free_scratch(void)
{
  for (size_t i = 0; languages[i]; i++) {
    const GraphDialect *dialect = languages[i]->model == &graph_model ? languages[i]->dialect : NULL;
    for (Lowering *lowering; dialect && (lowering = idle_pool_take(&lowerings, dialect));)
      lowering_free(lowering);
    if (dialect)
      dialect_free_parsers(dialect);
  }
}

// --- Plans ---

/// Takes over the indexes of chunks that both documents share. Chunks keep their order, and one made by the edit is
/// younger than every chunk of the old document, so one walk over both finds every pair.
static void reuse_indexes(GraphPlan *plan)
{
  const Document *document = snapshot_document(plan->snapshot);
  const Dump *old = plan->previous ? plan->previous->dump : NULL;
  uint32_t old_count = old ? old->chunk_count : 0;
  uint64_t youngest = 0;
  for (uint32_t i = 0; i < old_count; i++) {
    if (old->chunks[i]->text->serial > youngest)
      youngest = old->chunks[i]->text->serial;
  }
  uint32_t at = 0;
  for (uint32_t c = 0; c < plan->chunk_count; c++) {
    const TextChunk *chunk = document->chunks[c];
    uint32_t hit = at;
    while (chunk->serial <= youngest && hit < old_count && old->chunks[hit]->text != chunk)
      hit++;
    if (chunk->serial <= youngest && hit < old_count) {
      plan->indexes[c] = dump_index_retain(old->chunks[hit]->index);
      at = hit + 1;
    } else {
      plan->todo[plan->todo_count++] = c;
    }
  }
}

static void *plan_graph(const Snapshot *snapshot, const void *previous)
{
  GraphPlan *plan = xcalloc(1, sizeof(*plan));
  plan->snapshot = snapshot;
  plan->previous = previous;
  plan->dialect = snapshot_language(snapshot)->dialect;
  bool needs_no_index = plan->dialect->read_model && snapshot_needs_no_lines(snapshot);
  plan->chunk_count = needs_no_index ? 0 : snapshot_document(snapshot)->chunk_count;
  plan->indexes = xcalloc(plan->chunk_count, sizeof(DumpIndex *));
  plan->todo = xcalloc(plan->chunk_count, sizeof(uint32_t));
  reuse_indexes(plan);
  return plan;
}

static uint32_t count_pieces(const void *model_plan)
{
  const GraphPlan *plan = model_plan;
  return plan->todo_count;
}

static size_t count_bytes(const void *model_plan)
{
  const GraphPlan *plan = model_plan;
  size_t bytes = 0;
  for (uint32_t i = 0; i < plan->todo_count; i++)
    bytes += snapshot_document(plan->snapshot)->chunks[plan->todo[i]]->len;
  return bytes;
}

static void run_piece(void *model_plan, uint32_t piece)
{
  GraphPlan *plan = model_plan;
  uint32_t c = plan->todo[piece];
  const TextChunk *chunk = snapshot_document(plan->snapshot)->chunks[c];
  Lowering *lowering = take_lowering(plan->dialect);
  plan->indexes[c] = dump_lower(lowering, str_make(chunk->text, chunk->len), chunk->starts, chunk->line_count);
  give_lowering(plan->dialect, lowering);
}

static void free_plan(void *model_plan)
{
  GraphPlan *plan = model_plan;
  for (uint32_t c = 0; c < plan->chunk_count; c++)
    dump_index_release(plan->indexes[c]);
  free(plan->indexes);
  free(plan->todo);
  free(plan);
}

/// True when both targets ask the same of the exporter.
static bool same_question(const Target *a, const Target *b)
{
  return a->facts == b->facts && a->workspace == b->workspace && a->exporter == b->exporter && a->opset == b->opset &&
         a->dynamo_opset == b->dynamo_opset && str_equal(a->torch, b->torch) && str_equal(a->onnxscript, b->onnxscript);
}

static void *finish_plan(void *model_plan)
{
  GraphPlan *plan = model_plan;
  for (uint32_t i = 0; i < plan->todo_count; i++) {
    if (!plan->indexes[plan->todo[i]])
      run_piece(plan, i);
  }
  const Document *document = snapshot_document(plan->snapshot);
  const GraphModel *previous = plan->previous;
  const Dump *old = previous ? previous->dump : NULL;
  GraphModel *model = xcalloc(1, sizeof(*model));
  model->target = snapshot_target(plan->snapshot);
  model->dump = dump_new(document->chunks, plan->indexes, plan->chunk_count, old);
  bool can_keep = previous && same_question(model->target, previous->target);
  model->refusals = refusals_new(model->dump, plan->dialect, model->target, can_keep ? previous->refusals : NULL, old);
  free_plan(plan);
  return model;
}

static void free_model(void *graph)
{
  GraphModel *model = graph;
  picture_tree_free(atomic_load(&model->picture));
  refusals_free(model->refusals);
  dump_free(model->dump);
  free(model);
}

const LanguageModel graph_model = {
  .plan = plan_graph,
  .plan_count = count_pieces,
  .plan_bytes = count_bytes,
  .plan_run = run_piece,
  .plan_finish = finish_plan,
  .plan_free = free_plan,
  .free = free_model,
};

// --- What others see of it ---

static const GraphModel *model_of(const Snapshot *snapshot)
{
  const Language *language = snapshot_language(snapshot);
  return language && language->model == &graph_model ? snapshot_model(snapshot) : NULL;
}

const Dump *snapshot_dump(const Snapshot *snapshot)
{
  const GraphModel *model = model_of(snapshot);
  return model ? model->dump : NULL;
}

const Refusals *snapshot_refusals(const Snapshot *snapshot)
{
  const GraphModel *model = model_of(snapshot);
  return model ? model->refusals : NULL;
}

PictureSlot *snapshot_picture_slot(const Snapshot *snapshot)
{
  const GraphModel *model = model_of(snapshot);
  return model ? (PictureSlot *)&model->picture : NULL;
}

const GraphDialect *snapshot_dialect(const Snapshot *snapshot)
{
  return model_of(snapshot) ? snapshot_language(snapshot)->dialect : NULL;
}

void graph_each_unread(const Snapshot *snapshot, UnreadVisitor *visit, void *context)
{
  const Dump *dump = snapshot_dump(snapshot);
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    size_t base = snapshot_document(snapshot)->chunk_offsets[c];
    for (uint32_t i = 0; i < index->unread_count; i++) {
      if (index->unread[i].reason != UNREAD_OTHER_LANGUAGE)
        visit(base + index->unread[i].start, base + index->unread[i].end, index->unread[i].reason, context);
    }
  }
  Arena arena = { 0 };
  OtherGraphs others = other_graphs_find(snapshot, &arena);
  for (size_t i = 0; i < others.count; i++)
    visit(others.items[i].start, others.items[i].end, UNREAD_OTHER_LANGUAGE, context);
  arena_done(&arena);
}

bool graph_has_content(const Snapshot *snapshot)
{
  const Dump *dump = snapshot_dump(snapshot);
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    if (index->item_count + index->problem_count + index->unread_count > 0)
      return true;
  }
  return false;
}
