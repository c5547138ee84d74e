/// Walking a graph of a dump: from a value to its definition and uses, from a line to the block and node around it.
///
/// A walk may keep a trace of what it read, so that an answer can be kept for as long as none of that changes.
///
/// Ownership: borrows the dump and the trace.
/// Units:     places as in dump.h.
/// Errors:    what can't be found answers false.
/// Threads:   one walk belongs to one thread.
/// Sources:   TorchScript's printing of nodes with blocks.
#pragma once

#include "graph/model/trace.h"

typedef struct GraphWalk {
  const Dump *dump;
  Trace *trace;  ///< NULL if nobody wants to know.
} GraphWalk;

static inline const Item *walk_item(const GraphWalk *walk, Place place)
{
  return &walk->dump->chunks[place.chunk]->index->items[place.item];
}

/// "" if the line has no operator.
Str walk_op(const GraphWalk *walk, Place place);
/// The name at an occurrence.
Str walk_name(const GraphWalk *walk, Place place);
uint32_t walk_graph(const GraphWalk *walk, Place place);
/// How many values a line uses, and the i-th of them.
uint32_t walk_use_count(const GraphWalk *walk, Place place);
Place walk_use(const GraphWalk *walk, Place place, uint32_t i);
Place walk_definition(const GraphWalk *walk, Place place, uint32_t i);
/// The definition of the value used at `use`.
bool walk_find_definition(const GraphWalk *walk, Place use, Place *ret_definition);
/// The next use of the value defined at `definition`; the cursor is that of dump_uses_after().
bool walk_next_use(const GraphWalk *walk, Place definition, UseCursor *cursor, Place *ret_use);

/// The header of the innermost block that holds the line; false at the level of the graph.
bool walk_enclosing_header(const GraphWalk *walk, Place place, Place *ret_header);
/// The node that a block header belongs to.
bool walk_owner(const GraphWalk *walk, Place header, Place *ret_owner);
/// 0 for "block0".
uint32_t walk_block_number(const GraphWalk *walk, Place header);
/// The `-> (...)` line of block number `number` of a node.
bool walk_block_return(const GraphWalk *walk, Place owner, uint32_t number, Place *ret_return);
/// The next line of the same graph.
bool walk_next(const GraphWalk *walk, Place place, Place *ret_next);
/// The line after `place` of a statement that begins in the line `first`: more of what it takes.
bool walk_rest(const GraphWalk *walk, Place first, Place place, Place *ret_next);
/// The line that the statement at `place` begins in; `place` itself if none goes on there.
Place walk_statement(const GraphWalk *walk, Place place);

/// The type printed after the value defined at `definition`; "" if there is none.
Str walk_type(const GraphWalk *walk, Place definition);
/// The text between the brackets after the operator: `value=1`; "" if there is none.
Str walk_attributes(const GraphWalk *walk, Place place);
