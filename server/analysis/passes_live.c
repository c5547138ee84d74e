// Dead code elimination: is a node needed? Its results are followed from use to use, first uses first, until one
// reaches an output.

#include "analysis/passes_private.h"

/// True if the value was not seen before.
static bool see(Passes *passes, Place definition)
{
  uint64_t key = ((uint64_t)definition.chunk << 32 | definition.occurrence) + 1;
  size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) % SEEN_SIZE;
  while (passes->seen[at] != 0 && passes->seen[at] != key)
    at = (at + 1) % SEEN_SIZE;
  if (passes->seen[at] == key)
    return false;
  passes->seen[at] = key;
  passes->seen_count++;
  return true;
}

/// Puts a value on the way. False if the way is too long: then the node counts as live.
static bool push_value(Passes *passes, Place definition)
{
  if (!see(passes, definition))
    return true;
  if (passes->seen_count > LIVE_BUDGET)
    return false;
  vec_push(&passes->steps, (LiveStep){ definition, dump_uses_behind(passes->walk.dump, definition) });
  return true;
}

static bool push_outputs(Passes *passes, Place node)
{
  for (uint32_t i = walk_item(&passes->walk, node)->def_count; i-- > 0;) {
    if (!push_value(passes, walk_definition(&passes->walk, node, i)))
      return false;
  }
  return true;
}

/// Does a node's body hold something that dead code elimination keeps?
static bool body_is_kept(Passes *passes, Place owner)
{
  uint16_t indent = walk_item(&passes->walk, owner)->indent;
  Place at = owner;
  for (uint32_t budget = BODY_BUDGET; budget > 0 && walk_next(&passes->walk, at, &at); budget--) {
    const Item *item = walk_item(&passes->walk, at);
    if (item->indent <= indent || item->kind == ITEM_RETURN)
      return false;
    if (item->kind == ITEM_STATEMENT && works_in_place(passes, walk_op(&passes->walk, at)) &&
        !is_in_dead_block(passes, at))
      return true;
  }
  return false;
}

/// A value that a block returns lives on as an output of the node around it: of an If the same one, else any.
/// Returns true if that makes it live.
static bool follow_block_return(Passes *passes, Place use)
{
  const GraphWalk *walk = &passes->walk;
  Place header;
  Place owner;
  if (!walk_enclosing_header(walk, use, &header) || !walk_owner(walk, header, &owner))
    return true;
  uint32_t i = use.occurrence - walk_item(walk, use)->first_occurrence;
  if (!is_if(passes, owner))
    return !push_outputs(passes, owner) || body_is_kept(passes, owner);
  return i < walk_item(walk, owner)->def_count && !push_value(passes, walk_definition(walk, owner, i));
}

/// Does the use make what it uses live? If not, the values that it leads to are on the way now.
static bool follow_use(Passes *passes, Place use)
{
  if (is_in_dead_block(passes, use))
    return false;
  switch ((ItemKind)walk_item(&passes->walk, use)->kind) {
  case ITEM_STATEMENT:
    return works_in_place(passes, walk_op(&passes->walk, use)) || !push_outputs(passes, use) ||
           (has_blocks(passes, use) && body_is_kept(passes, use));
  case ITEM_BLOCK_RETURN:
    return follow_block_return(passes, use);
  default:
    return true;
  }
}

bool is_live(Passes *passes, Place node)
{
  const Graph *graph = &passes->walk.dump->graphs[walk_graph(&passes->walk, node)];
  if (!(graph->flags & SEGMENT_RETURN) || works_in_place(passes, walk_op(&passes->walk, node)))
    return true;  // A dump that was cut off does not show what its end needs.
  memset(passes->seen, 0, sizeof(passes->seen));
  passes->seen_count = 0;
  vec_clear(&passes->steps);
  bool live = !push_outputs(passes, node);
  while (passes->steps.count > 0 && !live) {
    LiveStep *step = vec_last(&passes->steps);
    Place definition = step->definition;
    Place use;
    if (walk_next_use(&passes->walk, definition, &step->uses, &use))
      live = follow_use(passes, use);
    else
      passes->steps.count--;
  }
  return live;
}
