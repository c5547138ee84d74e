/// Which part of one graph is which of the other: by structure, never by names.
///
/// Parts whose hashes say that they are the same, with all that comes before and after them, come first. They are the
/// anchors: from these it goes along values to what else is the same, then to what is nearly so.
///
/// Ownership: the lists are the diff's.
/// Threads:   pure.
/// Sources:   docs/diff.md, "How parts are matched".
#pragma once

#include "diff/diff_hash.h"
#include "diff/graph_diff.h"

/// Fills in `to_a` and `to_b`.
void diff_match(GraphDiff *diff, const PartHashes *a, const PartHashes *b);
