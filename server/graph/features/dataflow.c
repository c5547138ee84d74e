// textDocument/prepareCallHierarchy, callHierarchy/incomingCalls and outgoingCalls in graphs: what flows into a node
// from which others, and which ones take what it makes, whatever module or block they are in. What a block returns is
// made by the node that the block belongs to, and what a block is given comes from there.

#include "base/limits.h"
#include "base/vec.h"
#include "describe/markup.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_tail.h"
#include "graph/features/line_view.h"
#include "graph/model/graph_walk.h"

/// LSP SymbolKind.
enum { KIND_VARIABLE = 13, KIND_OPERATOR = 25, NAME_SHOWN = 120 };

typedef struct Flow {
  const FeatureContext *context;
  GraphWalk walk;
  Vec(CallEdge) edges;
  Vec(Place) ends;  ///< Of each edge the node at its other end.
} Flow;

static bool is_input(const Flow *flow, Place place)
{
  ItemKind kind = (ItemKind)walk_item(&flow->walk, place)->kind;
  return kind == ITEM_GRAPH_HEADER || kind == ITEM_PRINTABLE_HEADER || kind == ITEM_PARAMETERS || kind == ITEM_SECTION;
}

/// The node that a line stands for: of a line of a block the one that the block belongs to. Of an input of the graph
/// the occurrence counts, of every other line it does not.
static Place node_of(const Flow *flow, Place place)
{
  place = walk_statement(&flow->walk, place);
  Place header = place;
  Place owner;
  ItemKind kind = (ItemKind)walk_item(&flow->walk, place)->kind;
  bool is_return = kind == ITEM_BLOCK_RETURN && walk_enclosing_header(&flow->walk, place, &header);
  if ((is_return || kind == ITEM_BLOCK_HEADER) && walk_owner(&flow->walk, header, &owner))
    place = owner;
  if (!is_input(flow, place))
    place.occurrence = walk_item(&flow->walk, place)->first_occurrence;
  return place;
}

// --- Items ---

/// The module that the node is in, and what it makes.
static Str say_detail(const Flow *flow, Place node, Arena *arena)
{
  const Snapshot *snapshot = flow->context->snapshot;
  if (is_input(flow, node))
    return STR("input of the graph");
  ScopePart parts[SCOPE_PART_LIMIT];
  size_t count = line_tail_scope_parts(line_origin(snapshot, dump_place_line(snapshot, node)).scope, parts);
  if (count == 0)
    return (Str){ 0 };
  Str type = line_tail_dotted(parts[count - 1].type);
  Str path = parts[count - 1].path;
  const char *gap = path.len > 0 && type.len > 0 ? ": " : "";
  return markup_shorten(arena_printf(arena, "%.*s%s%.*s", STR_ARG(path), gap, STR_ARG(type)), NAME_SHOWN, arena);
}

/// `%3 aten::relu`, `%x`, `return`.
static Str say_name(const Flow *flow, Place node, Arena *arena)
{
  const Item *item = walk_item(&flow->walk, node);
  if (item->kind == ITEM_RETURN)
    return STR("return");
  Str op = dialect_operator_word(snapshot_dialect(flow->context->snapshot), walk_op(&flow->walk, node), arena);
  Str name = item->def_count > 0 ? walk_name(&flow->walk, node) : (Str){ 0 };
  const char *gap = op.len > 0 && name.len > 0 && !is_input(flow, node) ? " " : "";
  if (is_input(flow, node))
    op = (Str){ 0 };
  return markup_shorten(arena_printf(arena, "%.*s%s%.*s", STR_ARG(name), gap, STR_ARG(op)), NAME_SHOWN, arena);
}

/// Where asking finds a node without a name again: its operator, as what the line begins with may be a value.
static Range operator_range(const Flow *flow, Place node, Range line)
{
  LineView view =
      line_view(flow->context->snapshot, dump_place_line(flow->context->snapshot, node), flow->context->arena);
  size_t op = line_view_find(&view, NODE_OP_KIND, 0);
  return op == NO_NODE ? line : line_view_range(&view, op);
}

static CallItem make_item(const Flow *flow, Place node)
{
  const Snapshot *snapshot = flow->context->snapshot;
  Arena *arena = flow->context->arena;
  const Item *item = walk_item(&flow->walk, node);
  CallItem made = { .name = say_name(flow, node, arena), .detail = say_detail(flow, node, arena) };
  made.range = dump_line_content(snapshot_document(snapshot), dump_place_line(snapshot, node));
  bool has_name = item->def_count > 0 || is_input(flow, node);
  made.selection = has_name ? dump_place_range(snapshot, node) : operator_range(flow, node, made.range);
  made.kind = item->op == NO_OP ? KIND_VARIABLE : KIND_OPERATOR;
  return made;
}

// --- Where the cursor is ---

static bool begin(Flow *flow, const FeatureContext *context, size_t offset, Place *ret_node)
{
  *flow = (Flow){ .context = context, .walk = { .dump = snapshot_dump(context->snapshot) } };
  NameAt name;
  Place place;
  if (name_at(context->snapshot, offset, &name)) {
    bool is_found = name.is_definition || name_at_definition(flow->walk.dump, &name, &place);
    *ret_node = node_of(flow, name.is_definition || !is_found ? name.place : place);
    return is_found;
  }
  if (!dump_place_at(context->snapshot, offset, &place))
    return false;
  const Item *item = walk_item(&flow->walk, place);
  place.occurrence = item->first_occurrence;
  if (item->kind != ITEM_STATEMENT && item->kind != ITEM_RETURN)
    return false;
  *ret_node = node_of(flow, place);
  return true;
}

CallItemList graph_call_items(const FeatureContext *context, size_t offset)
{
  Flow flow;
  Place node;
  if (!begin(&flow, context, offset, &node))
    return (CallItemList){ 0 };
  CallItem *item = ARENA_NEW(context->arena, CallItem);
  *item = make_item(&flow, node);
  return (CallItemList){ item, 1 };
}

// --- Edges ---

static bool is_same_node(Place a, Place b)
{
  return a.chunk == b.chunk && a.item == b.item && a.occurrence == b.occurrence;
}

/// The edge to that node, or a new one; NULL if there are too many. `place` is where the value is named.
static void add_edge(Flow *flow, Place end, Place place)
{
  size_t i = 0;
  while (i < flow->ends.count && !is_same_node(flow->ends.items[i], end))
    i++;
  if (i == CALL_EDGE_LIMIT)
    return;
  if (i == flow->ends.count) {
    vec_push(&flow->ends, end);
    vec_push(&flow->edges, (CallEdge){ .item = make_item(flow, end) });
  }
  CallEdge *edge = &flow->edges.items[i];
  Range range = dump_place_range(flow->context->snapshot, place);
  for (size_t k = 0; k < edge->place_count; k++) {
    if (edge->places[k].start == range.start)
      return;
  }
  Range *places = ARENA_ARRAY(flow->context->arena, Range, edge->place_count + 1);
  if (edge->place_count > 0)
    memcpy(places, edge->places, edge->place_count * sizeof(*places));
  places[edge->place_count++] = range;
  edge->places = places;
}

static CallEdgeList finish(Flow *flow)
{
  size_t count = flow->edges.count;
  const CallEdge *edges = vec_copy(&flow->edges, flow->context->arena);
  vec_free(&flow->edges);
  vec_free(&flow->ends);
  return (CallEdgeList){ edges, count };
}

/// Who makes what a statement uses, where it is named there.
static void add_producers(Flow *flow, Place statement)
{
  Place line = statement;
  do {
    for (uint32_t i = 0; i < walk_use_count(&flow->walk, line) && !feature_is_cancelled(flow->context); i++) {
      Place definition;
      if (walk_find_definition(&flow->walk, walk_use(&flow->walk, line, i), &definition))
        add_edge(flow, node_of(flow, definition), definition);
    }
  } while (walk_rest(&flow->walk, statement, line, &line));
}

CallEdgeList graph_incoming_calls(const FeatureContext *context, size_t offset)
{
  Flow flow;
  Place node;
  if (!begin(&flow, context, offset, &node) || is_input(&flow, node))
    return (CallEdgeList){ 0 };
  add_producers(&flow, node);
  Place block_return;
  for (uint32_t number = 0; walk_block_return(&flow.walk, node, number, &block_return); number++)
    add_producers(&flow, block_return);
  return finish(&flow);
}

/// Who takes the value, and the name of the value here.
static void add_uses(Flow *flow, Place definition)
{
  UseCursor cursor = dump_uses_after(flow->walk.dump, definition);
  Place use;
  while (flow->ends.count < CALL_EDGE_LIMIT && !feature_is_cancelled(flow->context) &&
         walk_next_use(&flow->walk, definition, &cursor, &use))
    add_edge(flow, node_of(flow, use), definition);
}

/// Who takes what a line defines.
static void add_consumers(Flow *flow, Place line)
{
  for (uint32_t i = 0; i < walk_item(&flow->walk, line)->def_count; i++)
    add_uses(flow, walk_definition(&flow->walk, line, i));
}

CallEdgeList graph_outgoing_calls(const FeatureContext *context, size_t offset)
{
  Flow flow;
  Place node;
  if (!begin(&flow, context, offset, &node))
    return (CallEdgeList){ 0 };
  if (is_input(&flow, node)) {
    add_uses(&flow, node);
    return finish(&flow);
  }
  add_consumers(&flow, node);
  Place inner, header;
  for (uint32_t number = 0; walk_block_return(&flow.walk, node, number, &inner); number++) {
    if (walk_enclosing_header(&flow.walk, inner, &header))
      add_consumers(&flow, header);
  }
  return finish(&flow);
}
