// Dead code elimination: is a node needed? Its results are followed from use to use, first uses first, until one
// reaches an output. What is found out about the values on the way is kept for the nodes that are asked for next, so
// that a chain of such nodes is walked once.

#include "base/limits.h"
#include "graph/model/passes_private.h"

typedef enum ValueMark {
  VALUE_UNKNOWN,
  VALUE_ON_WAY,  ///< Its uses are being followed.
  VALUE_LEFT,    ///< All of its uses were followed in this walk, in vain.
  VALUE_DEAD,
  VALUE_LIVE,
} ValueMark;

static ValueMark mark_of(const Passes *passes, Place definition)
{
  return (ValueMark)marks_get(&passes->values, definition.chunk, definition.occurrence);
}

static void mark(Passes *passes, Place definition, ValueMark value_mark)
{
  marks_set(&passes->values, definition.chunk, definition.occurrence, value_mark);
}

/// Puts values on the way that one line defines, side by side: from output `first` on, `count` of them.
static void push_outputs(Passes *passes, Place node, uint32_t first, uint32_t count)
{
  LiveStep step = { .definition = walk_definition(&passes->walk, node, first) };
  step.end = step.definition.occurrence + count;
  vec_push(&passes->steps, step);
}

static uint32_t output_count(const Passes *passes, Place node)
{
  return walk_item(&passes->walk, node)->def_count;
}

/// Whether a node's body holds something that dead code elimination keeps.
static bool body_is_kept(Passes *passes, Place owner)
{
  uint16_t indent = walk_item(&passes->walk, owner)->indent;
  Place at = owner;
  for (uint32_t budget = PASS_BODY_BUDGET; budget > 0 && walk_next(&passes->walk, at, &at); budget--) {
    const Item *item = walk_item(&passes->walk, at);
    if (item->indent <= indent || item->kind == ITEM_RETURN)
      return false;
    if (item->kind == ITEM_STATEMENT && passes_works_in_place(passes, at) && !passes_is_in_dead_block(passes, at))
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
  if (!passes_is_if(passes, owner)) {
    push_outputs(passes, owner, 0, output_count(passes, owner));
    return body_is_kept(passes, owner);
  }
  if (i < output_count(passes, owner))
    push_outputs(passes, owner, i, 1);
  return false;
}

/// Whether the use makes what it uses live. If not, the values that it leads to are on the way now.
static bool follow_use(Passes *passes, Place use)
{
  if (passes_is_in_dead_block(passes, use))
    return false;
  switch ((ItemKind)walk_item(&passes->walk, use)->kind) {
  case ITEM_STATEMENT:
    push_outputs(passes, use, 0, output_count(passes, use));
    return passes_works_in_place(passes, use) || (passes_has_blocks(passes, use) && body_is_kept(passes, use));
  case ITEM_BLOCK_RETURN:
    return follow_block_return(passes, use);
  default:
    return true;
  }
}

/// Begins with the step's next value. True if that one is live, which it also is if the way is too long.
static bool enter_value(Passes *passes, LiveStep *step)
{
  switch (mark_of(passes, step->definition)) {
  case VALUE_LIVE:
    return true;
  case VALUE_ON_WAY:
    passes->has_circle = true;
    break;
  case VALUE_UNKNOWN:
    step->is_entered = true;
    step->uses = dump_uses_after(passes->walk.dump, step->definition);
    mark(passes, step->definition, VALUE_ON_WAY);
    vec_push(&passes->met, step->definition);
    return passes->met.count > PASS_LIVE_BUDGET;
  case VALUE_LEFT:
  case VALUE_DEAD:
    break;
  }
  step->definition.occurrence++;
  return false;
}

/// One use further. True if that makes the node live.
static bool go_on(Passes *passes)
{
  LiveStep *step = vec_last(&passes->steps);
  if (!step->is_entered) {
    if (step->definition.occurrence < step->end)
      return enter_value(passes, step);
    passes->steps.count--;
    return false;
  }
  Place use;
  if (walk_next_use(&passes->walk, step->definition, &step->uses, &use))
    return follow_use(passes, use);
  mark(passes, step->definition, VALUE_LEFT);
  step->is_entered = false;
  step->definition.occurrence++;
  return false;
}

/// Values that the way still leads over share its end. Those that were left are dead, unless they lead back to one
/// that was not left yet, which only text does that is not a graph.
static void keep_marks(Passes *passes, bool passes_is_live)
{
  ValueMark left = passes_is_live && passes->has_circle ? VALUE_UNKNOWN : VALUE_DEAD;
  for (size_t i = 0; i < passes->met.count; i++) {
    Place definition = passes->met.items[i];
    mark(passes, definition, mark_of(passes, definition) == VALUE_ON_WAY ? VALUE_LIVE : left);
  }
}

bool passes_is_live(Passes *passes, Place node)
{
  const Graph *graph = &passes->walk.dump->graphs[walk_graph(&passes->walk, node)];
  if (!(graph->flags & SEGMENT_RETURN) || passes_works_in_place(passes, node))
    return true;  // A dump that was cut off does not show what its end needs.
  vec_clear(&passes->met);
  vec_clear(&passes->steps);
  passes->has_circle = false;
  push_outputs(passes, node, 0, output_count(passes, node));
  bool live = false;
  while (passes->steps.count > 0 && !live)
    live = go_on(passes);
  keep_marks(passes, live);
  return live;
}
