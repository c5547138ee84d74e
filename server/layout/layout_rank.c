// Ranks: cycles are broken, each node comes below those before it, and then moves to where its edges are short.

#include "base/limits.h"
#include "layout/layout_private.h"

enum { TIGHTEN_ROUNDS = 8 };

// --- Cycles ---

typedef struct Visit {
  uint32_t node;
  uint32_t next;  ///< Of its edges, the one to look at.
} Visit;

typedef enum Mark {
  MARK_NEW,
  MARK_OPEN,  ///< On the way from the root.
  MARK_DONE,
} Mark;

/// Follows edges from a root; one that leads back to a node on the way closes a cycle.
static void break_cycles_from(Layering *layering, const Groups *out, uint32_t root, uint8_t *marks, Visit *stack)
{
  uint32_t depth = 0;
  stack[depth++] = (Visit){ root, out->starts[root] };
  marks[root] = MARK_OPEN;
  while (depth > 0) {
    Visit *visit = &stack[depth - 1];
    if (visit->next == out->starts[visit->node + 1]) {
      marks[visit->node] = MARK_DONE;
      depth--;
      continue;
    }
    uint32_t edge = out->items[visit->next++];
    uint32_t to = layering->edges[edge].to;
    if (marks[to] == MARK_OPEN)
      layering->is_reversed[edge] = true;
    else if (marks[to] == MARK_NEW)
      stack[depth++] = (Visit){ to, out->starts[to] };
    if (marks[to] == MARK_NEW)
      marks[to] = MARK_OPEN;
  }
}

/// The edges of each node, by the end that `end` names; without those within a node.
static Groups edges_by(const Layering *layering, uint32_t (*end)(const Layering *layering, uint32_t edge))
{
  uint32_t *ends = ARENA_ARRAY(layering->arena, uint32_t, layering->edge_count);
  for (uint32_t i = 0; i < layering->edge_count; i++)
    ends[i] = layering->edges[i].from == layering->edges[i].to ? NO_PLACE : end(layering, i);
  return groups_make(ends, layering->edge_count, layering->node_count, layering->arena);
}

static void break_cycles(Layering *layering)
{
  Groups out = edges_by(layering, layering_upper);
  uint8_t *marks = ARENA_ARRAY(layering->arena, uint8_t, layering->node_count);
  Visit *stack = ARENA_ARRAY(layering->arena, Visit, layering->node_count);
  for (uint32_t node = 0; node < layering->node_count; node++) {
    if (marks[node] == MARK_NEW)
      break_cycles_from(layering, &out, node, marks, stack);
  }
}

// --- Ranks ---

typedef struct Ranking {
  Layering *layering;
  Groups in;        ///< Edges by lower end.
  Groups out;       ///< Edges by upper end.
  uint32_t *order;  ///< Nodes, each after those above it.
} Ranking;

static void push_down(Ranking *ranking, uint32_t edge)
{
  Layering *layering = ranking->layering;
  uint32_t least = layering->ranks[layering_upper(layering, edge)] + 1;
  uint32_t *rank = &layering->ranks[layering_lower(layering, edge)];
  if (*rank < least)
    *rank = least;
}

/// Each node one below the lowest of those above it.
static void rank_by_longest_way(Ranking *ranking)
{
  Layering *layering = ranking->layering;
  uint32_t *waiting = ARENA_ARRAY(layering->arena, uint32_t, layering->node_count);
  uint32_t end = 0;
  for (uint32_t node = 0; node < layering->node_count; node++) {
    waiting[node] = groups_size(&ranking->in, node);
    if (waiting[node] == 0)
      ranking->order[end++] = node;
  }
  for (uint32_t at = 0; at < end; at++) {
    uint32_t node = ranking->order[at];
    for (uint32_t i = ranking->out.starts[node]; i < ranking->out.starts[node + 1]; i++) {
      uint32_t edge = ranking->out.items[i];
      uint32_t lower = layering_lower(layering, edge);
      push_down(ranking, edge);
      if (--waiting[lower] == 0)
        ranking->order[end++] = lower;
    }
  }
}

/// The ranks that a node may have while its neighbours stay.
static void rank_room(const Ranking *ranking, uint32_t node, uint32_t *ret_least, uint32_t *ret_most)
{
  const Layering *layering = ranking->layering;
  *ret_least = 0;
  *ret_most = UINT32_MAX;
  for (uint32_t i = ranking->in.starts[node]; i < ranking->in.starts[node + 1]; i++) {
    uint32_t rank = layering->ranks[layering_upper(layering, ranking->in.items[i])];
    if (rank + 1 > *ret_least)
      *ret_least = rank + 1;
  }
  for (uint32_t i = ranking->out.starts[node]; i < ranking->out.starts[node + 1]; i++) {
    uint32_t rank = layering->ranks[layering_lower(layering, ranking->out.items[i])];
    if (rank - 1 < *ret_most)
      *ret_most = rank - 1;
  }
}

/// Moves a node towards the side where it has more edges: each rank makes all of them shorter.
static void tighten(Ranking *ranking, uint32_t node)
{
  uint32_t in = groups_size(&ranking->in, node);
  uint32_t out = groups_size(&ranking->out, node);
  uint32_t least;
  uint32_t most;
  rank_room(ranking, node, &least, &most);
  if (in > out)
    ranking->layering->ranks[node] = least;
  else if (out > in)
    ranking->layering->ranks[node] = most;
}

static void tighten_all(Ranking *ranking)
{
  for (int round = 0; round < TIGHTEN_ROUNDS; round++) {
    for (uint32_t i = 0; i < ranking->layering->node_count; i++) {
      uint32_t last = ranking->layering->node_count - 1;
      tighten(ranking, ranking->order[round % 2 == 0 ? last - i : i]);
    }
  }
}

/// A node with as many edges above as below may lie anywhere between its neighbours: it goes to where the fewest are,
/// so that ranks are narrow.
static void spread_ranks(Ranking *ranking)
{
  Layering *layering = ranking->layering;
  uint32_t *sizes = ARENA_ARRAY(layering->arena, uint32_t, (size_t)layering->node_count + 1);
  for (uint32_t node = 0; node < layering->node_count; node++)
    sizes[layering->ranks[node]]++;
  for (uint32_t i = 0; i < layering->node_count; i++) {
    uint32_t node = ranking->order[i];
    uint32_t in = groups_size(&ranking->in, node);
    uint32_t least;
    uint32_t most;
    if (in == 0 || in != groups_size(&ranking->out, node))
      continue;
    rank_room(ranking, node, &least, &most);
    uint32_t best = layering->ranks[node];
    sizes[best]--;
    for (uint32_t rank = least; rank <= most && rank - least < LAYOUT_SPAN_LIMIT; rank++)
      best = sizes[rank] < sizes[best] ? rank : best;
    sizes[best]++;
    layering->ranks[node] = best;
  }
}

/// Nodes without edges would make one endless row; they get rows of their own below, together about a square.
static void rank_alone(Ranking *ranking)
{
  Layering *layering = ranking->layering;
  uint32_t alone = 0;
  uint32_t lowest = 0;
  for (uint32_t node = 0; node < layering->node_count; node++) {
    bool is_alone = groups_size(&ranking->in, node) + groups_size(&ranking->out, node) == 0;
    alone += is_alone;
    if (!is_alone && layering->ranks[node] + 1 > lowest)
      lowest = layering->ranks[node] + 1;
  }
  uint32_t row = 1;
  while ((uint64_t)row * row < alone)
    row++;
  for (uint32_t node = 0, seen = 0; node < layering->node_count; node++) {
    if (groups_size(&ranking->in, node) + groups_size(&ranking->out, node) == 0)
      layering->ranks[node] = lowest + seen++ / row;
  }
}

/// Leaves out ranks that are empty.
static void close_ranks(Layering *layering)
{
  uint32_t count = 0;
  for (uint32_t node = 0; node < layering->node_count; node++)
    count = layering->ranks[node] + 1 > count ? layering->ranks[node] + 1 : count;
  uint32_t *numbers = ARENA_ARRAY(layering->arena, uint32_t, count);
  for (uint32_t node = 0; node < layering->node_count; node++)
    numbers[layering->ranks[node]] = 1;
  uint32_t used = 0;
  for (uint32_t rank = 0; rank < count; rank++)
    numbers[rank] = numbers[rank] ? used++ : 0;
  for (uint32_t node = 0; node < layering->node_count; node++)
    layering->ranks[node] = numbers[layering->ranks[node]];
  layering->rank_count = used;
}

void layering_rank(Layering *layering)
{
  layering->is_reversed = ARENA_ARRAY(layering->arena, bool, layering->edge_count);
  layering->ranks = ARENA_ARRAY(layering->arena, uint32_t, layering->node_count);
  break_cycles(layering);
  Ranking ranking = {
    .layering = layering,
    .in = edges_by(layering, layering_lower),
    .out = edges_by(layering, layering_upper),
    .order = ARENA_ARRAY(layering->arena, uint32_t, layering->node_count),
  };
  rank_by_longest_way(&ranking);
  tighten_all(&ranking);
  if (ranking.in.starts[layering->node_count] > 0)
    layering_shorten(layering, &ranking.in, &ranking.out);
  spread_ranks(&ranking);
  rank_alone(&ranking);
  close_ranks(layering);
}
