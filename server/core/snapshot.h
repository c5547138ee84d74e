/// One immutable version of an open document with everything known about it.
///
/// A snapshot is made in three steps so that the middle one can run on several threads:
/// snapshot_plan() says which chunks of a dump, or parts of a Python file, are new; snapshot_plan_run() reads one of
/// them (any thread, each once); snapshot_plan_finish() links names across them and checks those whose answers may have
/// changed.
///
/// Ownership: reference-counted; a plan owns references to what it needs and is consumed by finish or free.
/// Units:     offsets are bytes from the start of the document.
/// Errors:    none; broken text gives problems, never a failure.
/// Threads:   a snapshot may be read by any thread; see above for a plan.
/// Sources:   docs/architecture.md, "A request's way".
#pragma once

#include "core/language.h"
#include "core/target.h"
#include "text/document.h"

typedef struct Snapshot Snapshot;
typedef struct SnapshotPlan SnapshotPlan;

typedef struct SnapshotInput {
  Str uri;               ///< Copied.
  int64_t version;       ///< The client's version; -1 if it gave none.
  Str language_id;       ///< As the client said, may be empty; copied.
  Document *document;    ///< Retained.
  const Target *target;  ///< Retained: what to check against.
} SnapshotInput;

/// `previous` may be NULL; what it shares with the input is not read again.
SnapshotPlan *snapshot_plan(const SnapshotInput *input, const Snapshot *previous);
/// How much has to be read: pieces, which may be 0, and the bytes of all of them.
uint32_t snapshot_plan_count(const SnapshotPlan *plan);
size_t snapshot_plan_bytes(const SnapshotPlan *plan);
/// Reads piece number `i`. Different pieces may run on different threads at once.
void snapshot_plan_run(SnapshotPlan *plan, uint32_t i);
/// Consumes the plan. Pieces that were not run yet are run now.
Snapshot *snapshot_plan_finish(SnapshotPlan *plan);
/// Gives up; NULL is fine.
void snapshot_plan_free(SnapshotPlan *plan);

/// All three steps on this thread.
Snapshot *snapshot_new(const SnapshotInput *input, const Snapshot *previous);

/// Frees the lowering scratch that idle threads left; call at the end of the process.
void snapshot_free_scratch(void);

Snapshot *snapshot_retain(const Snapshot *snapshot);
void snapshot_release(Snapshot *snapshot);

Str snapshot_uri(const Snapshot *snapshot);
int64_t snapshot_version(const Snapshot *snapshot);
DocumentKind snapshot_kind(const Snapshot *snapshot);
const Document *snapshot_document(const Snapshot *snapshot);
const Target *snapshot_target(const Snapshot *snapshot);
