/// The parts of a dump that hold lines: graphs, modules, statements with blocks, blocks; and the statements in them.
///
/// Modules are runs of statements with the same module in their scope. A part's lines hold those of its children.
///
/// Ownership: an Outline owns its list; texts borrow from the snapshot.
/// Units:     lines of the document.
/// Threads:   pure; one thread builds an outline.
#pragma once

#include "base/vec.h"
#include "graph/features/dump_at.h"
#include "graph/features/line_tail.h"

typedef enum PartKind {
  PART_GRAPH,
  PART_INPUTS,  ///< A line of a graph's header; a leaf.
  PART_MODULE,
  PART_NODE,  ///< A statement; has children if it has blocks.
  PART_BLOCK,
} PartKind;

typedef struct OutlinePart {
  PartKind kind;
  uint32_t depth;  ///< 0 for a graph.
  Place place;     ///< The first item.
  uint32_t first_line;
  uint32_t last_line;
  uint32_t header_end;  ///< PART_GRAPH: the last line of its header.
  uint32_t graph;       ///< Index into the dump's graphs.
  ScopePart module;     ///< PART_MODULE only.
} OutlinePart;

typedef struct Outline {
  Vec(OutlinePart) parts;  ///< In pre-order.
} Outline;

/// `keeps_leaf` says which header lines and statements without blocks to list; NULL for none.
void outline_build(const FeatureContext *context, bool (*keeps_leaf)(const Dump *dump, Place place),
                   Outline *ret_outline);
void outline_done(Outline *outline);

/// A part as lists show it; no PART_INPUTS. `owner` is the operator of the node that a block is in, else empty.
Symbol outline_symbol(const FeatureContext *context, const OutlinePart *part, Str owner);
