/// Names whose meaning an edit may have changed, and which lines of a chunk depend on them at a glance.
///
/// Ownership: the caller owns the vecs.
/// Units:     hashes as in DumpSymbol; items of one chunk.
/// Errors:    hashes are not compared further, so a line may be named that does not depend on any of them.
/// Threads:   pure.
#pragma once

#include "graph/model/trace.h"
#include "graph/model/view_glance.h"

typedef Vec(uint32_t) HashVec;
typedef Vec(uint32_t) ItemVec;
typedef Vec(ChunkChange) ChangeVec;

/// Finds what became of the chunks that are not those of `previous`, and the names that are concerned: those that mean
/// something else now, and those that changed lines define. False if lines came or went, or too many changed.
bool changed_names_find(const Dump *dump, const Dump *previous, ChangeVec *changes, HashVec *names);

/// Appends the lines that use one of the names, or a list that is made of one, in order: those which use it for one of
/// the arguments that `looked_at` has of their operator, by operators of the chunk. `before` is the chunk before the
/// edit, which reads the same: where a name was gone or is, the faults there or here name its users.
void changed_names_add_users(const HashVec *names, const ChunkState *chunk, const ChunkState *before,
                             const ArgumentBits *looked_at, ItemVec *items);
