/// What the files that complete share: a job that collects items.
///
/// Ownership: a CompletionJob borrows the context; what items hold lives in its arena.
/// Units:     as in features.h.
/// Threads:   one job belongs to one thread.
#pragma once

#include "base/vec.h"
#include "core/features.h"

struct CompletionJob {
  const FeatureContext *context;
  Arena *arena;
  const Snapshot *snapshot;
  const Document *document;
  size_t offset;
  Str trigger;  ///< The character that was typed; empty if somebody asked for completion.
  Vec(CompletionItem) items;
  bool is_incomplete;
};
