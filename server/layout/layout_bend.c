// Bends: an edge that passes ranks gets a point in each of them, which edges of the same value share. Edges over too
// many ranks become stubs.

#include "base/limits.h"
#include "base/sort.h"
#include "layout/layout_private.h"

enum { BENDS_AT_LEAST = 4096, BENDS_PER_EDGE = 4, BENDS_ALONE = 1000 };

static uint32_t span_of(const Layering *layering, uint32_t edge)
{
  return layering->ranks[layering_lower(layering, edge)] - layering->ranks[layering_upper(layering, edge)];
}

static bool is_within(const Layering *layering, uint32_t edge)
{
  return layering->edges[edge].from == layering->edges[edge].to;
}

static uint32_t sort_key(const Layering *layering, uint32_t edge, int pass)
{
  return pass == 0 ? span_of(layering, edge) : pass == 1 ? layering->edges[edge].value : layering_upper(layering, edge);
}

/// Edges of one value one after the other, the shorter ones first.
static uint32_t *sort_edges(const Layering *layering)
{
  uint32_t count = layering->edge_count;
  uint32_t *order = ARENA_ARRAY(layering->arena, uint32_t, count);
  uint64_t *keys = ARENA_ARRAY(layering->arena, uint64_t, (size_t)count * 2);
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  for (int pass = 0; pass < 3; pass++) {
    for (uint32_t i = 0; i < count; i++)
      keys[i] = (uint64_t)sort_key(layering, order[i], pass) << 32 | order[i];
    sort_by_high_half(keys, keys + count, count);
    for (uint32_t i = 0; i < count; i++)
      order[i] = (uint32_t)keys[i];
  }
  return order;
}

static bool share_way(const Layering *layering, uint32_t a, uint32_t b)
{
  return layering->shares_ways && layering_upper(layering, a) == layering_upper(layering, b) &&
         layering->edges[a].value == layering->edges[b].value && !layering->is_reversed[a] && !layering->is_reversed[b];
}

/// The way down that edges of a value share, as far as it is made.
typedef struct Way {
  uint32_t edge;    ///< The last one on it, or NO_PLACE.
  uint32_t length;  ///< Bends.
  uint32_t last;    ///< The last bend, or the node that it begins at.
} Way;

/// Makes the way of the edge as long as it has to be; `adds` is called for each new bend.
static void lengthen(Layering *layering, uint32_t edge, Way *way, bool is_counting)
{
  if (way->edge == NO_PLACE || !share_way(layering, way->edge, edge))
    *way = (Way){ .last = layering_upper(layering, edge) };
  way->edge = edge;
  uint32_t upper_rank = layering->ranks[layering_upper(layering, edge)];
  for (uint32_t span = span_of(layering, edge); way->length + 1 < span; way->length++) {
    uint32_t bend = layering->place_count++;
    if (is_counting)
      continue;
    layering->way_above[bend - layering->node_count] = way->last;
    layering->ranks[bend] = upper_rank + way->length + 1;
    way->last = bend;
  }
}

static void make_ways(Layering *layering, const uint32_t *order, bool is_counting)
{
  Way way = { .edge = NO_PLACE };
  layering->place_count = layering->node_count;
  for (uint32_t i = 0; i < layering->edge_count; i++) {
    uint32_t edge = order[i];
    if (is_within(layering, edge) || span_of(layering, edge) > layering->span) {
      layering->edges[edge].is_stub = true;
      continue;
    }
    layering->edges[edge].is_stub = false;
    lengthen(layering, edge, &way, is_counting);
    if (!is_counting && span_of(layering, edge) > 1)
      layering->last_bends[edge] = way.last;
  }
}

/// Fewer ranks than usual where most edges are long.
static void choose_span(Layering *layering, const uint32_t *order)
{
  uint64_t most = BENDS_AT_LEAST + BENDS_PER_EDGE * ((uint64_t)layering->edge_count + layering->node_count);
  layering->span = LAYOUT_SPAN_LIMIT;
  make_ways(layering, order, true);
  // Ways of their own cross less, but there may be many more of them.
  layering->shares_ways = layering->place_count - layering->node_count > BENDS_ALONE;
  make_ways(layering, order, true);
  while (layering->place_count - layering->node_count > most && layering->span > 2) {
    layering->span /= 2;
    make_ways(layering, order, true);
  }
}

// --- Links ---

/// Link i of a layering: those of bends come first, then one for each drawn edge.
static void link_ends(const Layering *layering, uint32_t link, uint32_t *ret_upper, uint32_t *ret_lower)
{
  uint32_t bends = layering->place_count - layering->node_count;
  uint32_t edge = link - bends;
  if (link < bends) {
    *ret_upper = layering->way_above[link];
    *ret_lower = layering->node_count + link;
  } else if (layering->edges[edge].is_stub) {
    *ret_upper = *ret_lower = NO_PLACE;
  } else {
    uint32_t bend = layering->last_bends[edge];
    *ret_upper = bend == NO_PLACE ? layering_upper(layering, edge) : bend;
    *ret_lower = layering_lower(layering, edge);
  }
}

static void link_places(Layering *layering)
{
  uint32_t count = layering->place_count - layering->node_count + layering->edge_count;
  uint32_t *upper = ARENA_ARRAY(layering->arena, uint32_t, count);
  uint32_t *lower = ARENA_ARRAY(layering->arena, uint32_t, count);
  for (uint32_t i = 0; i < count; i++)
    link_ends(layering, i, &upper[i], &lower[i]);
  layering->below = groups_make(upper, count, layering->place_count, layering->arena);
  layering->above = groups_make(lower, count, layering->place_count, layering->arena);
  for (uint32_t i = 0; i < layering->below.starts[layering->place_count]; i++) {
    layering->below.items[i] = lower[layering->below.items[i]];
    layering->above.items[i] = upper[layering->above.items[i]];
  }
}

void layering_bend(Layering *layering)
{
  uint32_t *order = sort_edges(layering);
  choose_span(layering, order);
  uint32_t *node_ranks = layering->ranks;
  uint32_t bends = layering->place_count - layering->node_count;
  layering->ranks = ARENA_ARRAY(layering->arena, uint32_t, layering->place_count);
  memcpy(layering->ranks, node_ranks, layering->node_count * sizeof(*node_ranks));
  layering->way_above = ARENA_ARRAY(layering->arena, uint32_t, bends);
  layering->last_bends = ARENA_ARRAY(layering->arena, uint32_t, layering->edge_count);
  for (uint32_t i = 0; i < layering->edge_count; i++)
    layering->last_bends[i] = NO_PLACE;
  make_ways(layering, order, false);
  link_places(layering);
}
