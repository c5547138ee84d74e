#include "layout/layout.h"

#include "layout/layout_private.h"

enum { RANK_GAP = 40, RANK_ROOM = 80, PART_GAP = 48, PORT_INSET = 12 };

/// A rank from its upper to its lower side.
typedef struct Band {
  int32_t top;
  int32_t bottom;
} Band;

static Band *make_bands(const LayoutNode *nodes, uint32_t node_count, uint32_t rank_count, Arena *arena)
{
  Band *bands = ARENA_ARRAY(arena, Band, rank_count);
  for (uint32_t i = 0; i < node_count; i++) {
    Band *band = &bands[nodes[i].rank];
    if (nodes[i].height > band->bottom)
      band->bottom = nodes[i].height;
  }
  int32_t y = 0;
  for (uint32_t rank = 0; rank < rank_count; rank++) {
    bands[rank].top = y;
    bands[rank].bottom += y;
    y = bands[rank].bottom + RANK_GAP;
  }
  return bands;
}

/// Moves everything so that it begins at 0; the width of all.
static int32_t shift_places(const Layering *layering)
{
  int32_t left = INT32_MAX;
  int32_t right = INT32_MIN;
  for (uint32_t place = 0; place < layering->place_count; place++) {
    int32_t half = layering_is_bend(layering, place) ? 0 : (layering->nodes[place].width + 1) / 2;
    left = layering->x[place] - half < left ? layering->x[place] - half : left;
    right = layering->x[place] + half > right ? layering->x[place] + half : right;
  }
  for (uint32_t place = 0; place < layering->place_count; place++)
    layering->x[place] -= left;
  return right - left;
}

// --- Edges ---

/// A way is found from its end up, so points are written from the last one.
typedef struct Points {
  LayoutPoint *items;
  uint32_t count;
} Points;

/// A point in the middle of a straight line says nothing.
static void add_point(Points *points, int32_t x, int32_t y)
{
  uint32_t n = points->count;
  if (n >= 2 && points->items[n - 1].x == x && points->items[n - 2].x == x)
    points->count--;
  points->items[points->count++] = (LayoutPoint){ x, y };
}

static void turn_round(Points *points)
{
  for (uint32_t i = 0; i < points->count / 2; i++) {
    LayoutPoint point = points->items[i];
    points->items[i] = points->items[points->count - 1 - i];
    points->items[points->count - 1 - i] = point;
  }
}

/// How far from its middle lines may end at the side of a node.
static int32_t reach_of(const LayoutNode *node)
{
  return node->width > 2 * PORT_INSET ? node->width / 2 - PORT_INSET : 0;
}

static int32_t clamp(int32_t x, int32_t least, int32_t most)
{
  return x < least ? least : x > most ? most : x;
}

/// Where a line to what lies `reach` around `x` ends at the side of a node: as near as can be, so that lines are short,
/// and the same place from both ends, so that they are upright wherever they can be.
static int32_t port_towards(const LayoutNode *node, int32_t x, int32_t reach)
{
  int32_t own_reach = reach_of(node);
  int32_t left = node->x - own_reach;
  int32_t right = node->x + own_reach;
  int32_t shared_left = left > x - reach ? left : x - reach;
  int32_t shared_right = right < x + reach ? right : x + reach;
  return clamp(shared_left + (shared_right - shared_left) / 2, left, right);
}

/// Lines pass ranks upright, so that they never touch what is beside them.
static void write_edge(const Layering *layering, const Band *bands, uint32_t edge, Points *points)
{
  const LayoutNode *upper = &layering->nodes[layering_upper(layering, edge)];
  const LayoutNode *lower = &layering->nodes[layering_lower(layering, edge)];
  uint32_t bend = layering->last_bends[edge];
  int32_t x = bend == NO_PLACE ? lower->x : layering->x[bend];
  int32_t end = bend == NO_PLACE ? port_towards(lower, upper->x, reach_of(upper)) : port_towards(lower, x, 0);
  points->count = 0;
  add_point(points, end, lower->y - lower->height / 2);
  for (; bend != NO_PLACE && layering_is_bend(layering, bend);
       bend = layering->way_above[bend - layering->node_count]) {
    x = layering->x[bend];
    add_point(points, x, bands[layering->ranks[bend]].bottom);
    add_point(points, x, bands[layering->ranks[bend]].top);
  }
  int32_t begin = points->count == 1 ? port_towards(upper, lower->x, reach_of(lower)) : port_towards(upper, x, 0);
  add_point(points, begin, upper->y + upper->height / 2);
  if (!layering->is_reversed[edge])
    turn_round(points);
}

// --- Parts ---

/// Nodes that edges hold together are laid out alone, and nodes without edges as one more part.
typedef struct Part {
  Layering layering;
  const uint32_t *nodes;  ///< Those of the whole graph, by its own numbers.
  const uint32_t *edges;
  int32_t width;
  int32_t left;
  uint32_t first_rank;
} Part;

static uint32_t root_of(uint32_t *roots, uint32_t node)
{
  while (roots[node] != node)
    node = roots[node] = roots[roots[node]];
  return node;
}

/// By node: the number of its part, in the order of their first nodes; returns how many there are.
static uint32_t number_parts(uint32_t node_count, const LayoutEdge *edges, uint32_t edge_count, Arena *arena,
                             uint32_t *ret_parts)
{
  uint32_t *roots = ARENA_ARRAY(arena, uint32_t, node_count);
  uint32_t *sizes = ARENA_ARRAY(arena, uint32_t, node_count);
  uint32_t *numbers = ARENA_ARRAY(arena, uint32_t, node_count);
  for (uint32_t i = 0; i < node_count; i++)
    roots[i] = i;
  for (uint32_t i = 0; i < edge_count; i++) {
    uint32_t a = root_of(roots, edges[i].from);
    uint32_t b = root_of(roots, edges[i].to);
    roots[a > b ? a : b] = a < b ? a : b;
  }
  for (uint32_t i = 0; i < node_count; i++)
    sizes[root_of(roots, i)]++;
  uint32_t count = 0;
  uint32_t alone = NO_PLACE;
  for (uint32_t i = 0; i < node_count; i++) {
    if (roots[i] == i && sizes[i] > 1)
      numbers[i] = count++;
  }
  for (uint32_t i = 0; i < node_count; i++) {
    bool is_alone = sizes[roots[i]] == 1;
    alone = is_alone && alone == NO_PLACE ? count++ : alone;
    ret_parts[i] = is_alone ? alone : numbers[roots[i]];
  }
  return count;
}

/// Lays the part out with numbers of its own.
static void lay_out_part(Part *part, const LayoutNode *nodes, uint32_t node_count, const LayoutEdge *edges,
                         uint32_t edge_count, const uint32_t *inner, Arena *arena)
{
  Layering *layering = &part->layering;
  LayoutNode *own_nodes = ARENA_ARRAY(arena, LayoutNode, node_count);
  LayoutEdge *own_edges = ARENA_ARRAY(arena, LayoutEdge, edge_count);
  for (uint32_t i = 0; i < node_count; i++)
    own_nodes[i] = nodes[part->nodes[i]];
  for (uint32_t i = 0; i < edge_count; i++) {
    own_edges[i] = edges[part->edges[i]];
    own_edges[i].from = inner[own_edges[i].from];
    own_edges[i].to = inner[own_edges[i].to];
  }
  *layering = (Layering){
    .nodes = own_nodes, .edges = own_edges, .node_count = node_count, .edge_count = edge_count, .arena = arena
  };
  layering_rank(layering);
  layering_bend(layering);
  layering_order(layering);
  layering_place(layering);
  part->width = shift_places(layering);
}

/// Puts parts beside each other, and below where that gets too wide; returns the number of ranks of all.
static uint32_t pack_parts(Part *parts, uint32_t count)
{
  uint64_t area = 0;
  uint64_t widest = 0;
  for (uint32_t i = 0; i < count; i++) {
    area += (uint64_t)(parts[i].width + PART_GAP) * parts[i].layering.rank_count * RANK_ROOM;
    widest = (uint64_t)parts[i].width > widest ? (uint64_t)parts[i].width : widest;
  }
  uint64_t room = widest;
  while (room * room < 2 * area)
    room += room / 8 + 1;
  uint32_t first_rank = 0;
  uint32_t next_rank = 0;
  int32_t left = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (left > 0 && (uint64_t)left + (uint64_t)parts[i].width > room) {
      first_rank = next_rank;
      left = 0;
    }
    parts[i].left = left;
    parts[i].first_rank = first_rank;
    left += parts[i].width + PART_GAP;
    if (first_rank + parts[i].layering.rank_count > next_rank)
      next_rank = first_rank + parts[i].layering.rank_count;
  }
  return next_rank;
}

static void move_part(Part *part)
{
  Layering *layering = &part->layering;
  for (uint32_t place = 0; place < layering->place_count; place++) {
    layering->ranks[place] += part->first_rank;
    layering->x[place] += part->left;
  }
}

static void write_nodes(const Part *part, LayoutNode *nodes)
{
  for (uint32_t i = 0; i < part->layering.node_count; i++) {
    nodes[part->nodes[i]].x = part->layering.x[i];
    nodes[part->nodes[i]].rank = part->layering.ranks[i];
  }
}

static void write_heights(const Part *part, LayoutNode *nodes, const Band *bands)
{
  for (uint32_t i = 0; i < part->layering.node_count; i++) {
    LayoutNode *node = &nodes[part->nodes[i]];
    node->y = bands[node->rank].top + (bands[node->rank].bottom - bands[node->rank].top) / 2;
    part->layering.nodes[i] = *node;
  }
}

static void write_edges(const Part *part, LayoutEdge *edges, const Band *bands, Arena *arena)
{
  const Layering *layering = &part->layering;
  Points points = { ARENA_ARRAY(layering->arena, LayoutPoint, 2 * (size_t)layering->rank_count + 2), 0 };
  for (uint32_t i = 0; i < layering->edge_count; i++) {
    LayoutEdge *edge = &edges[part->edges[i]];
    edge->is_stub = layering->edges[i].is_stub;
    edge->point_count = 0;
    edge->points = NULL;
    if (edge->is_stub)
      continue;
    write_edge(layering, bands, i, &points);
    LayoutPoint *copy = ARENA_ARRAY(arena, LayoutPoint, points.count);
    memcpy(copy, points.items, points.count * sizeof(*copy));
    edge->points = copy;
    edge->point_count = points.count;
  }
}

static LayoutSize write_parts(Part *parts, uint32_t count, LayoutNode *nodes, uint32_t node_count, LayoutEdge *edges,
                              Arena *scratch, Arena *arena)
{
  uint32_t ranks = pack_parts(parts, count);
  LayoutSize size = { 0, 0 };
  for (uint32_t i = 0; i < count; i++) {
    move_part(&parts[i]);
    write_nodes(&parts[i], nodes);
    if (parts[i].left + parts[i].width > size.width)
      size.width = parts[i].left + parts[i].width;
  }
  const Band *bands = make_bands(nodes, node_count, ranks, scratch);
  for (uint32_t i = 0; i < count; i++) {
    write_heights(&parts[i], nodes, bands);
    write_edges(&parts[i], edges, bands, arena);
  }
  size.height = bands[ranks - 1].bottom;
  return size;
}

LayoutSize layout_graph(LayoutNode *nodes, uint32_t node_count, LayoutEdge *edges, uint32_t edge_count, Arena *arena)
{
  if (node_count == 0)
    return (LayoutSize){ 0, 0 };
  Arena scratch = { 0 };
  uint32_t *part_of = ARENA_ARRAY(&scratch, uint32_t, node_count);
  uint32_t *edge_part_of = ARENA_ARRAY(&scratch, uint32_t, edge_count);
  uint32_t *inner = ARENA_ARRAY(&scratch, uint32_t, node_count);
  uint32_t count = number_parts(node_count, edges, edge_count, &scratch, part_of);
  for (uint32_t i = 0; i < edge_count; i++)
    edge_part_of[i] = part_of[edges[i].from];
  Groups nodes_of = groups_make(part_of, node_count, count, &scratch);
  Groups edges_of = groups_make(edge_part_of, edge_count, count, &scratch);
  Part *parts = ARENA_ARRAY(&scratch, Part, count);
  for (uint32_t i = 0; i < count; i++) {
    parts[i].nodes = nodes_of.items + nodes_of.starts[i];
    parts[i].edges = edges_of.items + edges_of.starts[i];
    for (uint32_t k = 0; k < groups_size(&nodes_of, i); k++)
      inner[parts[i].nodes[k]] = k;
    lay_out_part(&parts[i], nodes, groups_size(&nodes_of, i), edges, groups_size(&edges_of, i), inner, &scratch);
  }
  LayoutSize size = write_parts(parts, count, nodes, node_count, edges, &scratch, arena);
  arena_done(&scratch);
  return size;
}
