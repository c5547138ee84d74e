// Drawings that were made already: layers of a model look alike, so few of the scopes of a large one differ.

#include <stdlib.h>

#include "base/limits.h"
#include "base/map.h"
#include "layout/layout.h"

typedef struct Drawing {
  LayoutSize size;
  const LayoutNode *nodes;
  const LayoutEdge *edges;
} Drawing;

struct LayoutMemo {
  Map *drawings;  ///< By everything that they depend on.
  uint32_t room;  ///< Nodes and edges that it may still hold.
  Arena arena;
};

LayoutMemo *layout_memo_new(void)
{
  LayoutMemo *memo = xcalloc(1, sizeof(*memo));
  memo->drawings = map_new();
  memo->room = LAYOUT_MEMO_LIMIT;
  return memo;
}

void layout_memo_free(LayoutMemo *memo)
{
  if (!memo)
    return;
  map_free(memo->drawings);
  arena_done(&memo->arena);
  free(memo);
}

/// All numbers that a drawing depends on, as bytes.
static Str key_of(const LayoutNode *nodes, uint32_t node_count, const LayoutEdge *edges, uint32_t edge_count,
                  Arena *arena)
{
  size_t count = 1 + (size_t)node_count * 2 + (size_t)edge_count * 3;
  uint32_t *numbers = ARENA_ARRAY(arena, uint32_t, count);
  size_t at = 0;
  numbers[at++] = node_count;
  for (uint32_t i = 0; i < node_count; i++) {
    numbers[at++] = (uint32_t)nodes[i].width;
    numbers[at++] = (uint32_t)nodes[i].height;
  }
  for (uint32_t i = 0; i < edge_count; i++) {
    numbers[at++] = edges[i].from;
    numbers[at++] = edges[i].to;
    numbers[at++] = edges[i].value;
  }
  return (Str){ (const char *)numbers, count * sizeof(*numbers) };
}

static void copy(LayoutNode *to_nodes, const LayoutNode *nodes, uint32_t node_count, LayoutEdge *to_edges,
                 const LayoutEdge *edges, uint32_t edge_count)
{
  for (uint32_t i = 0; i < node_count; i++)
    to_nodes[i] = nodes[i];
  for (uint32_t i = 0; i < edge_count; i++)
    to_edges[i] = edges[i];
}

static void remember(LayoutMemo *memo, Str key, LayoutSize size, const LayoutNode *nodes, uint32_t node_count,
                     const LayoutEdge *edges, uint32_t edge_count)
{
  Drawing *drawing = ARENA_NEW(&memo->arena, Drawing);
  LayoutNode *own_nodes = ARENA_ARRAY(&memo->arena, LayoutNode, node_count);
  LayoutEdge *own_edges = ARENA_ARRAY(&memo->arena, LayoutEdge, edge_count);
  copy(own_nodes, nodes, node_count, own_edges, edges, edge_count);
  *drawing = (Drawing){ size, own_nodes, own_edges };
  map_put(memo->drawings, key, drawing);
  memo->room -= node_count + edge_count;
}

LayoutSize layout_graph_like(LayoutMemo *memo, LayoutNode *nodes, uint32_t node_count, LayoutEdge *edges,
                             uint32_t edge_count, Arena *arena)
{
  if (!memo || node_count == 0 || (uint64_t)node_count + edge_count > memo->room)
    return layout_graph(nodes, node_count, edges, edge_count, arena);
  Arena scratch = { 0 };
  Str key = key_of(nodes, node_count, edges, edge_count, &scratch);
  const Drawing *known = map_get(memo->drawings, key);
  LayoutSize size;
  if (known) {
    copy(nodes, known->nodes, node_count, edges, known->edges, edge_count);
    size = known->size;
  } else {
    size = layout_graph(nodes, node_count, edges, edge_count, &memo->arena);
    remember(memo, key, size, nodes, node_count, edges, edge_count);
  }
  arena_done(&scratch);
  return size;
}
