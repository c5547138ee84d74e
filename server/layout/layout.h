/// Layered drawing of a directed graph: every node gets a place, every edge a way.
///
/// Nodes are put into ranks so that edges lead downwards, ranks are ordered so that few edges cross, and nodes are
/// moved to where their edges are short and straight (Sugiyama, Tagawa and Toda 1981; Gansner et al. 1993). An edge
/// over more than LAYOUT_SPAN_LIMIT ranks is not drawn: it becomes a stub at both of its ends, because a shape or a
/// constant that every layer uses would draw a line past all of them. Edges of one value share their way for as long as
/// they can.
///
/// The time grows with nodes and edges: sweeps end when their work is used up (LAYOUT_WORK).
///
/// Ownership: nodes and edges are the caller's; points live in the arena.
/// Units:     whole pixels, x to the right and y down; a node's place is its centre, the drawing begins at 0, 0.
/// Errors:    edges within a node become stubs, those of cycles are drawn against the direction.
/// Threads:   pure, and the same input gives the same drawing everywhere: there is no floating point in it.
/// Sources:   "A Technique for Drawing Directed Graphs" (Gansner, Koutsofios, North, Vo; TSE 19:3).
#pragma once

#include "base/memory.h"

typedef struct LayoutNode {
  int32_t width;
  int32_t height;
  int32_t x;      ///< Written.
  int32_t y;      ///< Written.
  uint32_t rank;  ///< Written; edges lead to higher ones.
} LayoutNode;

typedef struct LayoutPoint {
  int32_t x;
  int32_t y;
} LayoutPoint;

typedef struct LayoutEdge {
  uint32_t from;
  uint32_t to;
  uint32_t value;             ///< Edges of a node with the same value may share their way; the order counts, too.
  bool is_stub;               ///< Written: too long to draw.
  uint32_t point_count;       ///< Written: 0 for a stub, else at least 2.
  const LayoutPoint *points;  ///< Written: from the lower side of `from` to the upper side of `to`.
} LayoutEdge;

typedef struct LayoutSize {
  int32_t width;
  int32_t height;
} LayoutSize;

/// Writes the places of all nodes and the points of all edges.
LayoutSize layout_graph(LayoutNode *nodes, uint32_t node_count, LayoutEdge *edges, uint32_t edge_count, Arena *arena);

/// Drawings to look up, for those who draw many graphs of which few differ.
typedef struct LayoutMemo LayoutMemo;
LayoutMemo *layout_memo_new(void);
void layout_memo_free(LayoutMemo *memo);
/// The same as layout_graph(), taken from the memo if an equal graph was drawn before. Points live in the memo, or in
/// the arena if the memo is NULL or full.
LayoutSize layout_graph_like(LayoutMemo *memo, LayoutNode *nodes, uint32_t node_count, LayoutEdge *edges,
                             uint32_t edge_count, Arena *arena);
