/// One immutable version of an open document with everything known about it.
///
/// A snapshot is made in three steps so that the middle one can run on several threads:
/// snapshot_plan() says which pieces of the text are new; snapshot_plan_run() reads one of them (any thread, each
/// once); snapshot_plan_finish() puts the model together. What a piece is, and what the model, the document's language
/// knows.
///
/// Ownership: reference-counted; a plan owns references to what it needs and is consumed by finish or free.
/// Units:     offsets are bytes from the start of the document.
/// Errors:    broken text gives problems, never a failure.
/// Threads:   a snapshot may be read by any thread; see above for a plan.
/// Sources:   docs/architecture.md, "A request's way".
#pragma once

#include "core/cells.h"
#include "core/language.h"
#include "core/target.h"
#include "text/document.h"

typedef struct SnapshotPlan SnapshotPlan;

typedef struct SnapshotInput {
  Str uri;                   ///< Copied.
  int64_t version;           ///< The client's version; -1 if it gave none.
  Str language_id;           ///< As the client said, may be empty; copied.
  Document *document;        ///< Retained.
  const Target *target;      ///< Retained: what to check against.
  const Language *language;  ///< Not to be found out: of a part of a document; else NULL.
  const CellMap *cells;      ///< The cells that the document is made of, retained; NULL if it is no notebook.
  bool needs_no_lines;       ///< Nothing will ask for single lines: no feature, no comment that switches a rule off.
  bool is_misnamed;          ///< It has the name of a binary model, and is text.
  bool is_unnamed;           ///< No other file names what it defines, and rules are all that will be asked.
  bool is_imported;          ///< It has nothing for us but what its names stand for, and that is wanted.
} SnapshotInput;

/// `previous` may be NULL; what it shares with the input is not read again.
SnapshotPlan *snapshot_plan(const SnapshotInput *input, const Snapshot *previous);
/// How much has to be read: pieces, which may be 0, and the bytes of all of them.
uint32_t snapshot_plan_count(const SnapshotPlan *plan);
size_t snapshot_plan_bytes(const SnapshotPlan *plan);
/// NULL if the text is in no language that is known.
const Language *snapshot_plan_language(const SnapshotPlan *plan);
/// Reads piece number `i`. Different pieces may run on different threads at once.
void snapshot_plan_run(SnapshotPlan *plan, uint32_t i);
/// Consumes the plan. Pieces that were not run yet are run now.
Snapshot *snapshot_plan_finish(SnapshotPlan *plan);
/// Gives up; NULL is fine.
void snapshot_plan_free(SnapshotPlan *plan);

/// All three steps on this thread.
Snapshot *snapshot_new(const SnapshotInput *input, const Snapshot *previous);

Snapshot *snapshot_retain(const Snapshot *snapshot);
void snapshot_release(Snapshot *snapshot);

Str snapshot_uri(const Snapshot *snapshot);
int64_t snapshot_version(const Snapshot *snapshot);
/// NULL if the document is not made of cells.
const CellMap *snapshot_cells(const Snapshot *snapshot);
/// NULL if the text is in no language that is known.
const Language *snapshot_language(const Snapshot *snapshot);
/// True when the language is one of `sets`.
bool snapshot_is_in(const Snapshot *snapshot, unsigned sets);
/// As the input said: the model may lack what only features and comments need.
bool snapshot_needs_no_lines(const Snapshot *snapshot);
/// As the input said: what loads it takes it for something else.
bool snapshot_is_misnamed(const Snapshot *snapshot);
/// As the input said: what is passive in its language has no model.
bool snapshot_is_unnamed(const Snapshot *snapshot);
/// As the input said: there is a model, and its summary has constants only.
bool snapshot_is_imported(const Snapshot *snapshot);
/// What the language made of the text; NULL if it is not read, or has nothing for us.
const void *snapshot_model(const Snapshot *snapshot);
const Document *snapshot_document(const Snapshot *snapshot);
const Target *snapshot_target(const Snapshot *snapshot);
