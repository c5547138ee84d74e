/// The state of one lowering thread while it reads a chunk.
///
/// Ownership: a Lowering owns its tables; they are reused from chunk to chunk.
/// Units:     as in dump_index.h.
/// Threads:   one thread at a time.
#pragma once

#include "base/vec.h"
#include "graph/model/dialect.h"
#include "graph/model/dump_index.h"

/// An open block of the segment being read.
typedef struct OpenBlock {
  OpenHeader header;
  bool is_empty;      ///< No line of it was seen yet.
  uint32_t def_mark;  ///< Length of `visible_defs` when it began.
} OpenBlock;

typedef struct Slot {
  uint32_t stamp;  ///< The table's stamp when the slot was filled; older means free.
  uint32_t index;
} Slot;

/// Open addressing over entries that the caller compares; a new stamp empties it at once.
typedef struct SlotTable {
  Slot *slots;
  uint32_t size;  ///< A power of two, or 0.
  uint32_t used;
  uint32_t stamp;
} SlotTable;

struct Lowering {
  const GraphDialect *dialect;
  SyntaxParser *parser;
  Str text;
  const uint32_t *starts;
  uint32_t line_count;
  uint32_t line;  ///< Of the node being read.

  bool is_complex;  ///< A definition is followed by a complex type.

  Vec(Item) items;
  Vec(Occurrence) occurrences;
  Vec(Occurrence) line_defs;  ///< Of the line being read.
  uint8_t first_type;         ///< Of the first of these.
  Vec(Occurrence) line_uses;
  Vec(DumpSymbol) symbols;
  Vec(bool) is_visible;  ///< By symbol.
  Vec(Segment) segments;
  Vec(OpenHeader) open_headers;
  Vec(OpName) ops;
  Vec(SyntaxProblem) problems;
  Vec(uint32_t) comments;
  Vec(Unread) unread;
  Vec(OpenBlock) blocks;
  Vec(uint32_t) visible_defs;  ///< Symbols in the order in which they became visible.
  Vec(uint64_t) sort_keys;
  Vec(DumpSymbol) sorted;
  Vec(uint32_t) renumbered;
  SlotTable symbol_table;
  SlotTable op_table;
  uint32_t text_line;  ///< The first line since the last item that is nothing of a graph, or NO_TEXT.
  bool is_closed;      ///< The segment's graph has ended.
  bool is_body;        ///< A line of the segment's body was seen.
};

// lower_comments.c: comments that are meant for us.

/// Finds them all; `list` is the syntax of the chunk.
void lowering_find_comments(Lowering *lowering, SyntaxList list);

// lower_damage.c: lines that could not be read.

/// Reports what is wrong in a line, and takes what it defines and uses all the same.
void lowering_add_damaged_line(Lowering *lowering, const SyntaxNode *nodes, size_t count);
/// The second half of that: `rest` is the line without its indentation.
void lowering_add_damaged_names(Lowering *lowering, Str rest, const SyntaxNode *nodes, size_t count);

// lower_items.c: lines and the names in them.

/// A value's name in the text, with its sign.
typedef struct NameSpan {
  uint32_t start;
  uint32_t end;
} NameSpan;

/// The name that a node holds; the grammar may take a comma before it, too.
NameSpan lowering_name_of(const Lowering *lowering, const SyntaxNode *node);
uint32_t lowering_line_end(const Lowering *lowering, uint32_t line);
/// The line that is read, without the white space around it.
Str lowering_line_text(const Lowering *lowering);
/// White space from `offset` on. A statement without outputs is printed as ` = op`, one column further in.
int16_t lowering_indent(Str text, uint32_t offset);

/// Closes the blocks that a line at `indent` lies outside of.
void lowering_close_blocks(Lowering *lowering, int16_t indent);
/// Between these two, names of the line are added.
void lowering_begin_item(Lowering *lowering, Item *item);
/// What a line defines is visible after the line, so its uses come before.
void lowering_end_item(Lowering *lowering, Item *item);
void lowering_add_use(Lowering *lowering, NameSpan name);
void lowering_add_definition(Lowering *lowering, NameSpan name);
/// Once a line.
void lowering_add_problem(Lowering *lowering, const SyntaxNode *node);

// lower_tables.c: names, operators, segments.

/// The symbol of a name in the segment being read; made if it is new.
uint32_t lowering_add_symbol(Lowering *lowering, uint32_t start, uint32_t len);
/// The same for an operator of the chunk; counts it.
uint32_t lowering_add_op(Lowering *lowering, uint32_t start, uint32_t len);
/// Empties all tables for a new chunk and begins its segment 0.
void lowering_begin(Lowering *lowering, Str text, const uint32_t *starts, uint32_t line_count);
/// An item of the segment follows: says where the text before it stands.
void lowering_settle_text(Lowering *lowering);
/// Ends the segment being read and begins another with these SEGMENT_ flags.
void lowering_next_segment(Lowering *lowering, uint16_t flags);
/// Ends the last segment and copies all tables into one index.
DumpIndex *lowering_finish(Lowering *lowering);

static inline Segment *lowering_segment(Lowering *lowering)
{
  return vec_last(&lowering->segments);
}
