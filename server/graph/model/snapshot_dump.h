/// The dump inside a snapshot, for rules and features.
///
/// Ownership: borrowed from the snapshot.
/// Units:     as in dump.h.
/// Errors:    NULL unless the document is in a graph language.
/// Threads:   immutable.
#pragma once

#include "core/snapshot.h"
#include "graph/model/dialect.h"
#include "graph/model/refusals.h"

const Dump *snapshot_dump(const Snapshot *snapshot);
/// What the exporter of the snapshot's target refuses.
const Refusals *snapshot_refusals(const Snapshot *snapshot);
const GraphDialect *snapshot_dialect(const Snapshot *snapshot);
/// Where the tree that pictures are made from is kept: empty until it is asked for; any thread may put one there.
typedef _Atomic(struct PictureTree *) PictureSlot;
PictureSlot *snapshot_picture_slot(const Snapshot *snapshot);
