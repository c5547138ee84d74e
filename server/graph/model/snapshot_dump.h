/// The dump inside a snapshot, for rules and features.
///
/// Ownership: borrowed from the snapshot.
/// Units:     as in dump.h.
/// Errors:    none.
/// Threads:   immutable.
/// Sources:   none.
#pragma once

#include "graph/model/refusals.h"
#include "core/snapshot.h"

/// NULL unless the snapshot's kind is DOC_TORCH_IR.
const Dump *snapshot_dump(const Snapshot *snapshot);
/// What the exporter of the snapshot's target refuses; NULL as above.
const Refusals *snapshot_refusals(const Snapshot *snapshot);
