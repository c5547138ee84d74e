#include "core/snapshot.h"

#include <stdatomic.h>
#include <stdlib.h>

struct Snapshot {
  atomic_uint references;
  Str uri;
  int64_t version;
  Str language_id;
  const Language *language;  ///< NULL if it is none that is known.
  Document *document;
  Target *target;
  CellMap *cells;
  bool needs_no_lines;
  bool is_misnamed;
  bool is_unnamed;
  bool is_imported;
  void *model;  ///< Owned by the language's functions; NULL if there is nothing for us.
  Arena arena;  ///< Holds the strings.
};

struct SnapshotPlan {
  Snapshot *snapshot;        ///< Being built; its model comes last.
  const Snapshot *previous;  ///< Retained; may be NULL.
  void *model;               ///< The language's plan; NULL if it has nothing to do.
};

// --- Plans ---

/// True when nothing changed that the language is found by.
static bool has_same_language(const SnapshotInput *input, const Snapshot *previous)
{
  if (!str_equal(previous->language_id, input->language_id) || !str_equal(previous->uri, input->uri))
    return false;
  const Document *document = input->document;
  uint32_t count = language_chunks(document);
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
  snapshot->cells = cells_retain(input->cells);
  snapshot->needs_no_lines = input->needs_no_lines;
  snapshot->is_misnamed = input->is_misnamed;
  snapshot->is_unnamed = input->is_unnamed;
  snapshot->is_imported = input->is_imported;
  snapshot->language = input->language ? input->language
                       : previous && has_same_language(input, previous)
                           ? previous->language
                           : language_of(input->document, input->language_id, input->uri);
  return snapshot;
}

/// The functions that make the plan's model; only where it has one.
static const LanguageModel *maker(const SnapshotPlan *plan)
{
  return plan->snapshot->language->model;
}

SnapshotPlan *snapshot_plan(const SnapshotInput *input, const Snapshot *previous)
{
  SnapshotPlan *plan = xcalloc(1, sizeof(*plan));
  plan->snapshot = begin_snapshot(input, previous);
  plan->previous = previous ? snapshot_retain(previous) : NULL;
  const Language *language = plan->snapshot->language;
  const void *old = previous && previous->language == language ? previous->model : NULL;
  if (language && language->model)
    plan->model = language->model->plan(plan->snapshot, old);
  return plan;
}

uint32_t snapshot_plan_count(const SnapshotPlan *plan)
{
  return plan->model ? maker(plan)->plan_count(plan->model) : 0;
}

size_t snapshot_plan_bytes(const SnapshotPlan *plan)
{
  return plan->model ? maker(plan)->plan_bytes(plan->model) : 0;
}

const Language *snapshot_plan_language(const SnapshotPlan *plan)
{
  return plan->snapshot->language;
}

void snapshot_plan_run(SnapshotPlan *plan, uint32_t i)
{
  maker(plan)->plan_run(plan->model, i);
}

void snapshot_plan_free(SnapshotPlan *plan)
{
  if (!plan)
    return;
  if (plan->model)
    maker(plan)->plan_free(plan->model);
  snapshot_release(plan->snapshot);
  snapshot_release((Snapshot *)plan->previous);
  free(plan);
}

Snapshot *snapshot_plan_finish(SnapshotPlan *plan)
{
  Snapshot *snapshot = snapshot_retain(plan->snapshot);
  if (plan->model)
    snapshot->model = maker(plan)->plan_finish(plan->model);
  plan->model = NULL;
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
  if (snapshot->model)
    snapshot->language->model->free(snapshot->model);
  document_release(snapshot->document);
  target_release(snapshot->target);
  cells_release(snapshot->cells);
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

const CellMap *snapshot_cells(const Snapshot *snapshot)
{
  return snapshot->cells;
}

const Language *snapshot_language(const Snapshot *snapshot)
{
  return snapshot->language;
}

bool snapshot_is_in(const Snapshot *snapshot, unsigned sets)
{
  return snapshot->language && (snapshot->language->sets & sets) != 0;
}

bool snapshot_needs_no_lines(const Snapshot *snapshot)
{
  return snapshot->needs_no_lines;
}

bool snapshot_is_misnamed(const Snapshot *snapshot)
{
  return snapshot->is_misnamed;
}

bool snapshot_is_unnamed(const Snapshot *snapshot)
{
  return snapshot->is_unnamed;
}

bool snapshot_is_imported(const Snapshot *snapshot)
{
  return snapshot->is_imported;
}

const void *snapshot_model(const Snapshot *snapshot)
{
  return snapshot->model;
}

const Document *snapshot_document(const Snapshot *snapshot)
{
  return snapshot->document;
}

const Target *snapshot_target(const Snapshot *snapshot)
{
  return snapshot->target;
}
