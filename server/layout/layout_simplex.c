// The ranks with the least total length of edges: a network simplex over a spanning tree of edges that are as short as
// they can be. An edge of the tree whose removal would let both halves move so that more edges get shorter than longer
// gives its place to another one. Each exchange looks at the whole graph, so there is a limit of work; ranks are good
// in between, too.

#include "base/limits.h"
#include "layout/layout_private.h"

typedef struct Simplex {
  const Layering *layering;
  const Groups *in;
  const Groups *out;
  int64_t *ranks;
  bool *is_in_tree;       ///< By edge.
  uint32_t *parent_edge;  ///< By node; NO_PLACE for the root.
  uint32_t *order;        ///< Nodes, each after its parent in the tree...
  uint32_t *numbers;      ///< ...by node, where it is in there...
  uint32_t *ends;         ///< ...and where its subtree ends.
  int64_t *balances;      ///< By node: edges that leave its subtree, less those that enter it.
  uint64_t work;          ///< Left.
} Simplex;

static int64_t slack_of(const Simplex *simplex, uint32_t edge)
{
  return simplex->ranks[layering_lower(simplex->layering, edge)] -
         simplex->ranks[layering_upper(simplex->layering, edge)] - 1;
}

static bool spend(Simplex *simplex)
{
  uint64_t cost = (uint64_t)simplex->layering->node_count + simplex->layering->edge_count;
  bool has_enough = simplex->work >= cost;
  simplex->work -= has_enough ? cost : simplex->work;
  return has_enough;
}

static uint32_t other_end(const Layering *layering, uint32_t edge, uint32_t node)
{
  uint32_t upper = layering_upper(layering, edge);
  return upper == node ? layering_lower(layering, edge) : upper;
}

// --- The first tree ---

/// Takes tight edges into the tree from `node` on; `stack` has room for all nodes. Returns how many nodes it found.
static uint32_t grow_tree(Simplex *simplex, bool *is_reached, uint32_t *stack, uint32_t node)
{
  uint32_t depth = 0;
  uint32_t found = 1;
  stack[depth++] = node;
  is_reached[node] = true;
  while (depth > 0) {
    uint32_t at = stack[--depth];
    const Groups *sides[] = { simplex->in, simplex->out };
    for (int side = 0; side < 2; side++) {
      for (uint32_t i = sides[side]->starts[at]; i < sides[side]->starts[at + 1]; i++) {
        uint32_t edge = sides[side]->items[i];
        uint32_t other = other_end(simplex->layering, edge, at);
        if (is_reached[other] || slack_of(simplex, edge) != 0)
          continue;
        simplex->is_in_tree[edge] = true;
        is_reached[other] = true;
        stack[depth++] = other;
        found++;
      }
    }
  }
  return found;
}

/// The shortest edge between what was reached and the rest; NO_PLACE if there is none.
static uint32_t shortest_bridge(const Simplex *simplex, const bool *is_reached)
{
  const Layering *layering = simplex->layering;
  uint32_t best = NO_PLACE;
  for (uint32_t edge = 0; edge < layering->edge_count; edge++) {
    bool is_bridge = is_reached[layering_upper(layering, edge)] != is_reached[layering_lower(layering, edge)];
    if (is_bridge && (best == NO_PLACE || slack_of(simplex, edge) < slack_of(simplex, best)))
      best = edge;
  }
  return best;
}

/// Makes a spanning tree of tight edges; false if it took too much work.
static bool make_tree(Simplex *simplex, Arena *arena)
{
  const Layering *layering = simplex->layering;
  bool *is_reached = ARENA_ARRAY(arena, bool, layering->node_count);
  uint32_t *stack = ARENA_ARRAY(arena, uint32_t, layering->node_count);
  uint32_t found = grow_tree(simplex, is_reached, stack, 0);
  while (found < layering->node_count) {
    uint32_t bridge = shortest_bridge(simplex, is_reached);
    if (bridge == NO_PLACE || !spend(simplex))
      return false;
    bool has_upper = is_reached[layering_upper(layering, bridge)];
    int64_t shift = has_upper ? slack_of(simplex, bridge) : -slack_of(simplex, bridge);
    for (uint32_t node = 0; node < layering->node_count; node++)
      simplex->ranks[node] += is_reached[node] ? shift : 0;
    uint32_t outside = has_upper ? layering_lower(layering, bridge) : layering_upper(layering, bridge);
    simplex->is_in_tree[bridge] = true;
    found += grow_tree(simplex, is_reached, stack, outside);
  }
  return true;
}

// --- Exchanges ---

/// Numbers the tree from its root, and finds the balance of each subtree.
static void walk_tree(Simplex *simplex, uint32_t *stack)
{
  const Layering *layering = simplex->layering;
  const Groups *sides[] = { simplex->in, simplex->out };
  uint32_t depth = 0;
  uint32_t count = 0;
  stack[depth++] = 0;
  simplex->parent_edge[0] = NO_PLACE;
  while (depth > 0) {
    uint32_t node = stack[--depth];
    simplex->order[count] = node;
    simplex->numbers[node] = count++;
    simplex->ends[node] = simplex->numbers[node] + 1;
    simplex->balances[node] = (int64_t)groups_size(simplex->out, node) - groups_size(simplex->in, node);
    for (int side = 0; side < 2; side++) {
      for (uint32_t i = sides[side]->starts[node]; i < sides[side]->starts[node + 1]; i++) {
        uint32_t edge = sides[side]->items[i];
        if (!simplex->is_in_tree[edge] || edge == simplex->parent_edge[node])
          continue;
        uint32_t other = other_end(layering, edge, node);
        simplex->parent_edge[other] = edge;
        stack[depth++] = other;
      }
    }
  }
  for (uint32_t i = count; i-- > 1;) {
    uint32_t node = simplex->order[i];
    uint32_t parent = other_end(layering, simplex->parent_edge[node], node);
    simplex->balances[parent] += simplex->balances[node];
    if (simplex->ends[node] > simplex->ends[parent])
      simplex->ends[parent] = simplex->ends[node];
  }
}

static bool is_below(const Simplex *simplex, uint32_t node, uint32_t root)
{
  return simplex->numbers[node] >= simplex->numbers[root] && simplex->numbers[node] < simplex->ends[root];
}

/// True when the subtree lies at the upper end of the edge that holds it.
static bool hangs_upwards(const Simplex *simplex, uint32_t root)
{
  return layering_upper(simplex->layering, simplex->parent_edge[root]) == root;
}

/// A subtree that gains by moving away from its parent, looked for from where the last one was; NO_PLACE for none.
static uint32_t find_subtree(const Simplex *simplex, uint32_t *next)
{
  uint32_t count = simplex->layering->node_count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t node = simplex->order[(*next + i) % count];
    if (simplex->parent_edge[node] == NO_PLACE)
      continue;
    int64_t cut = hangs_upwards(simplex, node) ? simplex->balances[node] : -simplex->balances[node];
    if (cut >= 0)
      continue;
    *next = (*next + i) % count;
    return node;
  }
  return NO_PLACE;
}

/// The shortest edge that leads the other way between the subtree and the rest: it stops the movement.
static uint32_t find_entering(const Simplex *simplex, uint32_t root)
{
  const Layering *layering = simplex->layering;
  bool is_upwards = hangs_upwards(simplex, root);
  uint32_t best = NO_PLACE;
  for (uint32_t edge = 0; edge < layering->edge_count; edge++) {
    bool has_upper = is_below(simplex, layering_upper(layering, edge), root);
    bool has_lower = is_below(simplex, layering_lower(layering, edge), root);
    if (has_upper == has_lower || has_upper == is_upwards)
      continue;
    if (best == NO_PLACE || slack_of(simplex, edge) < slack_of(simplex, best))
      best = edge;
  }
  return best;
}

static void exchange(Simplex *simplex, uint32_t root, uint32_t entering)
{
  int64_t slack = slack_of(simplex, entering);
  int64_t shift = hangs_upwards(simplex, root) ? -slack : slack;
  for (uint32_t i = simplex->numbers[root]; i < simplex->ends[root]; i++)
    simplex->ranks[simplex->order[i]] += shift;
  simplex->is_in_tree[simplex->parent_edge[root]] = false;
  simplex->is_in_tree[entering] = true;
}

static void write_ranks(const Simplex *simplex, uint32_t *ranks)
{
  int64_t least = INT64_MAX;
  for (uint32_t node = 0; node < simplex->layering->node_count; node++)
    least = simplex->ranks[node] < least ? simplex->ranks[node] : least;
  for (uint32_t node = 0; node < simplex->layering->node_count; node++)
    ranks[node] = (uint32_t)(simplex->ranks[node] - least);
}

void layering_shorten(Layering *layering, const Groups *in, const Groups *out)
{
  Arena *arena = layering->arena;
  uint32_t count = layering->node_count;
  Simplex simplex = {
    .layering = layering,
    .in = in,
    .out = out,
    .ranks = ARENA_ARRAY(arena, int64_t, count),
    .is_in_tree = ARENA_ARRAY(arena, bool, layering->edge_count),
    .parent_edge = ARENA_ARRAY(arena, uint32_t, count),
    .order = ARENA_ARRAY(arena, uint32_t, count),
    .numbers = ARENA_ARRAY(arena, uint32_t, count),
    .ends = ARENA_ARRAY(arena, uint32_t, count),
    .balances = ARENA_ARRAY(arena, int64_t, count),
    .work = LAYOUT_RANK_WORK,
  };
  uint32_t *stack = ARENA_ARRAY(arena, uint32_t, count);
  for (uint32_t node = 0; node < count; node++)
    simplex.ranks[node] = layering->ranks[node];
  uint32_t next = 0;
  bool has_tree = make_tree(&simplex, arena);
  while (has_tree && spend(&simplex)) {
    walk_tree(&simplex, stack);
    uint32_t root = find_subtree(&simplex, &next);
    uint32_t entering = root == NO_PLACE ? NO_PLACE : find_entering(&simplex, root);
    if (entering == NO_PLACE)
      break;
    exchange(&simplex, root, entering);
  }
  write_ranks(&simplex, layering->ranks);
}
