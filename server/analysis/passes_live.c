// Dead code elimination: is a node needed? Its results are followed from use to use until one reaches an output.

#include "analysis/passes_private.h"

typedef struct LiveSearch {
  Passes *passes;
  PlaceStack stack;  ///< Definitions whose uses are still to be looked at.
  Map *seen;
  bool is_live;
} LiveSearch;

static Str key_of(const Place *definition)
{
  return str_make((const char *)definition, sizeof(*definition));
}

static void push_definition(LiveSearch *search, Place definition)
{
  if (map_get(search->passes->live, key_of(&definition)))
    search->is_live = true;
  else if (!map_put(search->seen, key_of(&definition), search))
    vec_push(&search->stack, definition);
}

static void push_outputs(LiveSearch *search, Place node)
{
  const GraphWalk *walk = &search->passes->walk;
  for (uint32_t i = walk_item(walk, node)->def_count; i-- > 0;)
    push_definition(search, walk_definition(walk, node, i));
}

/// Does a node's body hold something that dead code elimination keeps?
static bool body_is_kept(Passes *passes, Place owner)
{
  uint16_t indent = walk_item(&passes->walk, owner)->indent;
  Place at = owner;
  for (uint32_t budget = LIVE_BUDGET; budget > 0 && walk_next(&passes->walk, at, &at); budget--) {
    const Item *item = walk_item(&passes->walk, at);
    if (item->indent <= indent || item->kind == ITEM_RETURN)
      return false;
    if (item->kind == ITEM_STATEMENT && works_in_place(walk_op(&passes->walk, at)) && !is_in_dead_block(passes, at))
      return true;
  }
  return false;
}

/// A value that a block returns lives on as an output of the node around it: of an If the same one, else any.
static void follow_block_return(LiveSearch *search, Place use)
{
  const GraphWalk *walk = &search->passes->walk;
  Place header;
  Place owner;
  if (!walk_enclosing_header(walk, use, &header) || !walk_owner(walk, header, &owner)) {
    search->is_live = true;
    return;
  }
  uint32_t i = use.occurrence - walk_item(walk, use)->first_occurrence;
  if (!is_if(search->passes, owner)) {
    push_outputs(search, owner);
    search->is_live |= body_is_kept(search->passes, owner);
  } else if (i < walk_item(walk, owner)->def_count) {
    push_definition(search, walk_definition(walk, owner, i));
  }
}

static bool follow_use(Place use, bool is_definition, void *context)
{
  LiveSearch *search = context;
  Passes *passes = search->passes;
  if (is_definition || is_in_dead_block(passes, use))
    return true;
  switch ((ItemKind)walk_item(&passes->walk, use)->kind) {
  case ITEM_STATEMENT:
    search->is_live |= works_in_place(walk_op(&passes->walk, use));
    push_outputs(search, use);
    if (has_blocks(passes, use))
      search->is_live |= body_is_kept(passes, use);
    break;
  case ITEM_BLOCK_RETURN:
    follow_block_return(search, use);
    break;
  default:
    search->is_live = true;
    break;
  }
  return !search->is_live;
}

bool is_live(Passes *passes, Place node)
{
  const Graph *graph = &passes->walk.dump->graphs[walk_graph(&passes->walk, node)];
  if (!(graph->flags & SEGMENT_RETURN) || works_in_place(walk_op(&passes->walk, node)))
    return true;  // A dump that was cut off does not show what its end needs.
  LiveSearch search = { .passes = passes, .seen = map_new() };
  push_outputs(&search, node);
  uint32_t budget = LIVE_BUDGET;
  while (search.stack.count > 0 && !search.is_live) {
    Place definition = search.stack.items[--search.stack.count];
    dump_each_occurrence(passes->walk.dump, walk_graph(&passes->walk, definition), walk_name(&passes->walk, definition),
                         follow_use, &search);
    search.is_live |= budget-- == 0;
  }
  for (uint32_t i = 0; search.is_live && i < walk_item(&passes->walk, node)->def_count; i++) {
    Place definition = walk_definition(&passes->walk, node, i);
    map_put(passes->live, key_of(&definition), passes);
  }
  map_free(search.seen);
  vec_free(&search.stack);
  return search.is_live;
}
