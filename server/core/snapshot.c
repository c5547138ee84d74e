#include "core/snapshot.h"

#include <pthread.h>

#include "python/model/python_file.h"
#include "graph/model/snapshot_dump.h"
#include "base/vec.h"

struct Snapshot {
  atomic_uint references;
  Str uri;
  int64_t version;
  Str language_id;
  DocumentKind kind;
  Document *document;
  Target *target;
  Dump *dump;  ///< Only for DOC_TORCH_IR, as the next.
  Refusals *refusals;
  PySyntax *python_syntax;  ///< Only for DOC_PYTHON with something of ours in it, as the next.
  PyFile *python;
  Arena arena;  ///< Holds the strings.
};

struct SnapshotPlan {
  Snapshot *snapshot;        ///< Being built; its dump comes last.
  const Snapshot *previous;  ///< Retained; may be NULL.
  DumpIndex **indexes;       ///< By chunk of the document; NULL where it has yet to be lowered.
  uint32_t *todo;            ///< Chunks to lower.
  uint32_t todo_count;
  PySyntaxPlan *python;  ///< NULL if this is no Python file of ours.
};

// --- Lowering scratch, shared by all threads ---

static struct {
  pthread_mutex_t mutex;
  Vec(Lowering *) idle;
} lowerings = { .mutex = PTHREAD_MUTEX_INITIALIZER };

enum { IDLE_LOWERINGS = 4 };

static Lowering *take_lowering(void)
{
  pthread_mutex_lock(&lowerings.mutex);
  Lowering *lowering = lowerings.idle.count > 0 ? lowerings.idle.items[--lowerings.idle.count] : NULL;
  pthread_mutex_unlock(&lowerings.mutex);
  return lowering ? lowering : lowering_new();
}

static void give_lowering(Lowering *lowering)
{
  pthread_mutex_lock(&lowerings.mutex);
  bool keep = lowerings.idle.count < IDLE_LOWERINGS;
  if (keep)
    vec_push(&lowerings.idle, lowering);
  pthread_mutex_unlock(&lowerings.mutex);
  if (!keep)
    lowering_free(lowering);
}

void snapshot_free_scratch(void)
{
  pthread_mutex_lock(&lowerings.mutex);
  for (size_t i = 0; i < lowerings.idle.count; i++)
    lowering_free(lowerings.idle.items[i]);
  vec_free(&lowerings.idle);
  pthread_mutex_unlock(&lowerings.mutex);
}

// --- Plans ---

/// Nothing changed that the kind is found by?
static bool same_kind(const SnapshotInput *input, const Snapshot *previous)
{
  if (!str_equal(previous->language_id, input->language_id) || !str_equal(previous->uri, input->uri))
    return false;
  const Document *document = input->document;
  uint32_t count = document_kind_chunks(document);
  if (count > previous->document->chunk_count)
    return false;
  // Where the text ends within those chunks, so must the text before.
  if (count == document->chunk_count && count != previous->document->chunk_count)
    return false;
  return memcmp(document->chunks, previous->document->chunks, count * sizeof(TextChunk *)) == 0;
}

static Snapshot *begin_snapshot(const SnapshotInput *input, const Snapshot *previous)
{
  Snapshot *snapshot = xcalloc(1, sizeof(*snapshot));
  snapshot->references = 1;
  snapshot->uri = arena_copy(&snapshot->arena, input->uri);
  snapshot->language_id = arena_copy(&snapshot->arena, input->language_id);
  snapshot->version = input->version;
  snapshot->document = document_retain(input->document);
  snapshot->target = target_retain(input->target);
  snapshot->kind = previous && same_kind(input, previous)
                       ? previous->kind
                       : document_kind(input->document, input->language_id, input->uri);
  return snapshot;
}

/// Takes over the indexes of chunks that both documents share. Chunks keep their order, and one made by the edit is
/// younger than every chunk of the old document, so one walk over both finds every pair.
static void reuse_indexes(SnapshotPlan *plan)
{
  const Document *document = plan->snapshot->document;
  const Dump *old = plan->previous ? plan->previous->dump : NULL;
  uint32_t old_count = old ? old->chunk_count : 0;
  uint64_t youngest = 0;
  for (uint32_t i = 0; i < old_count; i++) {
    if (old->chunks[i]->text->serial > youngest)
      youngest = old->chunks[i]->text->serial;
  }
  uint32_t at = 0;
  for (uint32_t c = 0; c < document->chunk_count; c++) {
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

static PySyntaxPlan *plan_python(const Snapshot *snapshot, const Snapshot *previous)
{
  Arena arena = { 0 };
  PySyntaxPlan *plan = NULL;
  Str text = document_slice(snapshot->document, (Range){ 0, document_length(snapshot->document) }, &arena);
  if (python_is_relevant(text))
    plan = py_syntax_plan(text, previous ? previous->python_syntax : NULL);
  arena_done(&arena);
  return plan;
}

SnapshotPlan *snapshot_plan(const SnapshotInput *input, const Snapshot *previous)
{
  SnapshotPlan *plan = xcalloc(1, sizeof(*plan));
  plan->snapshot = begin_snapshot(input, previous);
  plan->previous = previous ? snapshot_retain(previous) : NULL;
  if (plan->snapshot->kind == DOC_TORCH_IR) {
    plan->indexes = xcalloc(input->document->chunk_count, sizeof(DumpIndex *));
    plan->todo = xcalloc(input->document->chunk_count, sizeof(uint32_t));
    reuse_indexes(plan);
  } else if (plan->snapshot->kind == DOC_PYTHON) {
    plan->python = plan_python(plan->snapshot, previous);
  }
  return plan;
}

uint32_t snapshot_plan_count(const SnapshotPlan *plan)
{
  return plan->python ? py_syntax_plan_count(plan->python) : plan->todo_count;
}

size_t snapshot_plan_bytes(const SnapshotPlan *plan)
{
  size_t bytes = plan->python ? py_syntax_plan_bytes(plan->python) : 0;
  for (uint32_t i = 0; i < plan->todo_count; i++)
    bytes += plan->snapshot->document->chunks[plan->todo[i]]->len;
  return bytes;
}

void snapshot_plan_run(SnapshotPlan *plan, uint32_t i)
{
  if (plan->python) {
    py_syntax_plan_run(plan->python, i);
    return;
  }
  uint32_t c = plan->todo[i];
  const TextChunk *chunk = plan->snapshot->document->chunks[c];
  Lowering *lowering = take_lowering();
  plan->indexes[c] = dump_lower(lowering, str_make(chunk->text, chunk->len), chunk->starts, chunk->line_count);
  give_lowering(lowering);
}

void snapshot_plan_free(SnapshotPlan *plan)
{
  if (!plan)
    return;
  for (uint32_t c = 0; plan->indexes && c < plan->snapshot->document->chunk_count; c++)
    dump_index_release(plan->indexes[c]);
  free(plan->indexes);
  free(plan->todo);
  py_syntax_plan_free(plan->python);
  snapshot_release(plan->snapshot);
  snapshot_release((Snapshot *)plan->previous);
  free(plan);
}

/// Do both targets ask the same of the exporter?
static bool same_question(const Target *a, const Target *b)
{
  return a->facts == b->facts && a->workspace == b->workspace && a->exporter == b->exporter && a->opset == b->opset &&
         str_equal(a->torch, b->torch);
}

static void finish_dump(Snapshot *snapshot, DumpIndex *const *indexes, const Snapshot *previous)
{
  const Document *document = snapshot->document;
  const Dump *old = previous ? previous->dump : NULL;
  snapshot->dump = dump_new(document->chunks, indexes, document->chunk_count, old);
  bool can_keep = old && same_question(snapshot->target, previous->target);
  snapshot->refusals = refusals_new(snapshot->dump, snapshot->target, can_keep ? previous->refusals : NULL, old);
}

static void finish_python(Snapshot *snapshot, PySyntaxPlan *plan)
{
  snapshot->python_syntax = py_syntax_plan_finish(plan);
  snapshot->python = python_file_new(python_lower(snapshot->python_syntax, snapshot->uri), snapshot->target);
}

Snapshot *snapshot_plan_finish(SnapshotPlan *plan)
{
  Snapshot *snapshot = plan->snapshot;
  for (uint32_t i = 0; i < plan->todo_count; i++) {
    if (!plan->indexes[plan->todo[i]])
      snapshot_plan_run(plan, i);
  }
  if (snapshot->kind == DOC_TORCH_IR)
    finish_dump(snapshot, plan->indexes, plan->previous);
  else if (plan->python)
    finish_python(snapshot, plan->python);
  plan->python = NULL;
  snapshot_retain(snapshot);
  snapshot_plan_free(plan);
  return snapshot;
}

Snapshot *snapshot_new(const SnapshotInput *input, const Snapshot *previous)
{
  return snapshot_plan_finish(snapshot_plan(input, previous));
}

// --- Snapshots ---

Snapshot *snapshot_retain(const Snapshot *snapshot)
{
  Snapshot *counted = (Snapshot *)snapshot;
  atomic_fetch_add(&counted->references, 1);
  return counted;
}

void snapshot_release(Snapshot *snapshot)
{
  if (!snapshot || atomic_fetch_sub(&snapshot->references, 1) != 1)
    return;
  refusals_free(snapshot->refusals);
  dump_free(snapshot->dump);
  python_file_free(snapshot->python);
  py_syntax_release(snapshot->python_syntax);
  document_release(snapshot->document);
  target_release(snapshot->target);
  arena_done(&snapshot->arena);
  free(snapshot);
}

Str snapshot_uri(const Snapshot *snapshot)
{
  return snapshot->uri;
}

int64_t snapshot_version(const Snapshot *snapshot)
{
  return snapshot->version;
}

DocumentKind snapshot_kind(const Snapshot *snapshot)
{
  return snapshot->kind;
}

const Document *snapshot_document(const Snapshot *snapshot)
{
  return snapshot->document;
}

const Target *snapshot_target(const Snapshot *snapshot)
{
  return snapshot->target;
}

const Dump *snapshot_dump(const Snapshot *snapshot)
{
  return snapshot->dump;
}

const Refusals *snapshot_refusals(const Snapshot *snapshot)
{
  return snapshot->refusals;
}

const PyFile *snapshot_python(const Snapshot *snapshot)
{
  return snapshot->python;
}
