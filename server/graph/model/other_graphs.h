/// Graphs of other languages in a text that began with one of its own, as a log may hold that printed both.
///
/// Ownership: ranges live in the arena.
/// Units:     offsets in the document.
/// Threads:   pure.
/// Sources:   print() of torch.onnx.ONNXProgram of torch 2.14: the model, then the program that it was made from.
#pragma once

#include "core/snapshot.h"

typedef struct OtherGraphs {
  const Range *items;  ///< In order: from the line that tells the language up to the next graph of the text's own.
  size_t count;
} OtherGraphs;

OtherGraphs other_graphs_find(const Snapshot *snapshot, Arena *arena);
bool other_graphs_hold(const OtherGraphs *others, size_t offset);
