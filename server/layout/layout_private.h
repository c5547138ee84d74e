/// What the steps of a layout share.
///
/// A *place* is a node, or a bend: a point in a rank that a longer edge goes through. Numbers below node_count are
/// nodes. A *link* joins places of neighbouring ranks.
///
/// Ownership: everything lives in the scratch arena of layout_graph().
/// Units:     as in layout.h.
/// Threads:   one thread.
#pragma once

#include "base/groups.h"
#include "layout/layout.h"

typedef struct Layering {
  LayoutNode *nodes;
  LayoutEdge *edges;
  uint32_t node_count;
  uint32_t edge_count;
  Arena *arena;       ///< Scratch.
  bool *is_reversed;  ///< By edge: it closes a cycle, so it counts as the other way round.
  uint32_t span;      ///< Longer edges are stubs.
  bool shares_ways;   ///< Edges of one value go the same way.

  uint32_t place_count;
  uint32_t *ranks;  ///< By place.
  uint32_t rank_count;
  uint32_t *last_bends;  ///< By edge: the last bend on its way down; NO_PLACE if it has none or is a stub.
  uint32_t *way_above;   ///< By bend, less node_count: the bend or node before it on the way down.

  Groups rows;        ///< By rank: its places from left to right.
  uint32_t *columns;  ///< By place: where it is in its row.
  Groups above;       ///< By place: what it is linked to in the rank above...
  Groups below;       ///< ...and in the one below.
  int32_t *x;         ///< By place: the centre.
} Layering;

#define NO_PLACE NO_GROUP

static inline bool layering_is_bend(const Layering *layering, uint32_t place)
{
  return place >= layering->node_count;
}

/// The upper and the lower end of an edge, cycles broken.
static inline uint32_t layering_upper(const Layering *layering, uint32_t edge)
{
  const LayoutEdge *e = &layering->edges[edge];
  return layering->is_reversed[edge] ? e->to : e->from;
}

static inline uint32_t layering_lower(const Layering *layering, uint32_t edge)
{
  const LayoutEdge *e = &layering->edges[edge];
  return layering->is_reversed[edge] ? e->from : e->to;
}

static inline uint32_t *layering_row(const Layering *layering, uint32_t rank, uint32_t *ret_count)
{
  const Groups *rows = &layering->rows;
  *ret_count = rows->starts[rank + 1] - rows->starts[rank];
  return rows->items + rows->starts[rank];
}

/// Breaks cycles and gives each node its rank.
void layering_rank(Layering *layering);
/// Makes all edges together as short as they can be, as far as work allows; nodes are linked and have ranks.
void layering_shorten(Layering *layering, const Groups *in, const Groups *out);
/// Says which edges are stubs, puts bends into the ranks that the others pass, and links neighbours.
void layering_bend(Layering *layering);
/// Orders the ranks.
void layering_order(Layering *layering);
/// Gives each place its x.
void layering_place(Layering *layering);
