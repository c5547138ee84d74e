/// The compact index of one chunk of a dump: lines, names, operators and problems, without the syntax tree.
///
/// An index depends on the chunk's text alone. What lies outside the chunk (an enclosing graph, open blocks, values
/// defined elsewhere) is left open here and resolved by graph/model/dump.h from the indexes of all chunks.
///
/// A chunk is divided into *segments*: segment 0 continues the graph that was open before the chunk (it may be
/// empty); each graph header, and the first line of a graph's body after the end of another graph, begins the next.
/// Names belong to a segment, because each graph is a name space of its own.
///
/// Nesting is read off the indentation, as TorchScript prints it: a block holds the lines after its header that are
/// indented deeper. That heals a damaged header or `->` line by itself.
///
/// Ownership: one allocation, reference-counted; names and operators are offsets into the chunk's text.
/// Units:     offsets are bytes from the start of the chunk; lines are 0-based within the chunk.
/// Errors:    broken lines become SyntaxProblems, those that take too much work are Unread as well.
/// Threads:   immutable.
/// Sources:   docs/architecture.md, "Chunks".
#pragma once

#include <stdatomic.h>

#include "graph/model/shown_type.h"
#include "graph/model/syntax.h"

typedef enum ItemKind {
  ITEM_STATEMENT,
  ITEM_GRAPH_HEADER,      ///< Begins a segment; its definitions are the graph's inputs.
  ITEM_PRINTABLE_HEADER,  ///< The same for a printable graph.
  ITEM_PARAMETERS,        ///< More inputs, or initializers of a printable graph.
  ITEM_SECTION,           ///< `) initializers (` of a printable graph.
  ITEM_BLOCK_HEADER,      ///< Its definitions are the block's inputs and belong to the block.
  ITEM_BLOCK_RETURN,
  ITEM_RETURN,        ///< Ends the graph.
  ITEM_CONTINUATION,  ///< The last line of a PythonOp whose arguments span lines.
  ITEM_GAP,           ///< A line that says that something was left out.
} ItemKind;

/// Whether the item's indentation says which blocks are open.
static inline bool item_nests(ItemKind kind)
{
  return kind == ITEM_STATEMENT || kind == ITEM_BLOCK_HEADER || kind == ITEM_BLOCK_RETURN || kind == ITEM_RETURN;
}

#define NO_OP     UINT32_MAX
#define NO_TEXT   UINT32_MAX
#define NO_SYMBOL UINT32_MAX

/// What a text shows of the types of values.
typedef enum TypesShown {
  TYPES_SHOWN = 1,
  TYPES_COMPLEX = 2,  ///< Some value is complex.
} TypesShown;

/// One line that is part of a graph, in order.
typedef struct Item {
  uint32_t line;
  uint32_t first_occurrence;  ///< Definitions first, then uses; up to the next item's first_occurrence.
  uint32_t def_count;
  uint32_t op;      ///< Index into ops, or NO_OP.
  uint16_t indent;  ///< Columns before the line's first token, after a log prefix; capped.
  uint8_t kind;     ///< ItemKind.
  bool is_python_op : 1;
  bool has_attributes : 1;
  uint8_t shown_type
      : SHOWN_TYPE_BITS;  ///< ShownType of the first definition. Read here, as nobody has the text at hand later.
} Item;

static inline bool item_is_header(const Item *item)
{
  return item->kind == ITEM_GRAPH_HEADER || item->kind == ITEM_PRINTABLE_HEADER;
}

/// A name where it is.
typedef struct Occurrence {
  uint32_t symbol;
  uint32_t start;  ///< Offset of the `%`.
} Occurrence;

enum {
  SYMBOL_DEFINED = 1,  ///< At least one definition in this segment.
  SYMBOL_DEFINED_TWICE = 2,
  SYMBOL_USED = 4,
  SYMBOL_IMPORTED = 8,  ///< Used where it is not certain that a definition of this segment is visible.
};

/// INDENT_GRAPH: no block, so nothing ends the visibility. Deeper lines than INDENT_LIMIT count as if they stood there.
enum { INDENT_GRAPH = -1 };

/// A distinct name of a segment.
///
/// Blocks that were open before the segment are not known here, but for what ends one of them: a line that is indented
/// less than all lines before it. So `outer` says which blocks around the segment held a definition, had they been
/// open: those with a header indented less than that.
typedef struct DumpSymbol {
  uint32_t hash;
  uint32_t start;  ///< Offset of its first definition, or of its first use if there is none.
  uint32_t len;    ///< With the `%`.
  uint32_t use_count;
  uint32_t flags : 4;
  int32_t open : 14;   ///< Indent of the outermost open block of this segment that defines it, or INDENT_GRAPH.
  int32_t outer : 14;  ///< Least indent of the segment up to the last definition in no block of it, or INDENT_GRAPH.
} DumpSymbol;

enum {
  SEGMENT_HEADER = 1,  ///< Begins with a header: its inputs are known.
  SEGMENT_PRINTABLE = 2,
  SEGMENT_RETURN = 4,  ///< Holds the graph's end.
  SEGMENT_GAP = 8,
  SEGMENT_UNINDENTED = 16,    ///< A block's body is not indented deeper: nesting is unknown.
  SEGMENT_LOWERED = 32,       ///< Holds nodes that are ONNX already.
  SEGMENT_OPEN_EMPTY = 64,    ///< Ends with the header of a block that no line follows.
  SEGMENT_HEADER_OPEN = 128,  ///< Ends before its graph's header does.
  SEGMENT_HEADER_END = 256,   ///< Begins inside of a header and holds the end of it.
  SEGMENT_BRACE_FIRST = 512,  ///< A closing brace comes before everything else.
};

/// The header of a block that is still open at the end of its segment.
typedef struct OpenHeader {
  uint32_t item;
  int16_t indent;
} OpenHeader;

typedef struct Segment {
  uint32_t first_item;
  uint32_t item_count;
  uint32_t first_symbol;  ///< Symbols of a segment are sorted by hash.
  uint32_t symbol_count;
  uint16_t flags;
  int16_t min_indent;    ///< The least indent of any item that nests; INDENT_LIMIT if there is none.
  int16_t first_indent;  ///< That of the first one; INDENT_LIMIT if there is none.
  uint32_t text_before;  ///< The first line that is nothing of a graph, before all items of the segment, or NO_TEXT...
  uint32_t text_inside;  ///< ...between two of them...
  uint32_t text_after;   ///< ...and after the last one, if the graph may go on in the next chunk. Offsets.
  uint32_t first_open;   ///< Blocks of this segment that are still open at its end, outermost first: by indent.
  uint32_t open_count;
} Segment;

typedef struct OpName {
  uint32_t start;
  uint32_t len;
  uint32_t count;  ///< Items in this chunk with it.
} OpName;

typedef struct SyntaxProblem {
  uint32_t start;
  uint32_t end;
  bool is_missing;  ///< Something should be at `start`.
} SyntaxProblem;

/// What a feature found in the text of a chunk and keeps as long as that: an edit then costs only new chunks.
typedef struct ChunkNotes {
  Arena arena;        ///< Of all that they hold.
  const void *found;  ///< Graphs and modules (graph_landmarks.c).
} ChunkNotes;

typedef struct DumpIndex {
  atomic_uint references;
  uint32_t item_count;
  uint32_t occurrence_count;
  uint32_t symbol_count;
  uint32_t segment_count;  ///< At least 1.
  uint32_t open_count;
  uint32_t op_count;
  uint32_t problem_count;
  uint32_t comment_count;
  uint32_t unread_count;
  TypesShown types;
  bool has_traceback;  ///< TRACEBACK_HEAD is in the text.
  const Item *items;   ///< item_count + 1: the last one only ends the occurrences.
  const Occurrence *occurrences;
  const DumpSymbol *symbols;
  const Segment *segments;
  const OpenHeader *open_headers;
  const OpName *ops;  ///< Distinct spellings, in order of first appearance.
  const SyntaxProblem *problems;
  const uint32_t *comments;     ///< Offsets of each `#` of a `# onnxls:` that is a comment, not part of a string.
  const Unread *unread;         ///< Lines that limits left out, each a problem, too, and lines of other languages.
  _Atomic(ChunkNotes *) notes;  ///< Made when somebody asks; NULL until then.
} DumpIndex;

/// Scratch memory of one lowering thread.
typedef struct GraphDialect GraphDialect;  // graph/model/dialect.h
typedef struct Lowering Lowering;
Lowering *lowering_new(const GraphDialect *dialect);
void lowering_free(Lowering *lowering);

/// Parses and lowers a chunk of a dump. `text` is whole lines that begin at `starts`; nothing of it is kept.
DumpIndex *dump_lower(Lowering *lowering, Str text, const uint32_t *starts, uint32_t line_count);

/// NULL is fine.
void chunk_notes_free(ChunkNotes *notes);
DumpIndex *dump_index_retain(DumpIndex *index);
void dump_index_release(DumpIndex *index);

/// The symbol of that name in a segment, or NO_SYMBOL. `name` has its `%`, `hash` is str_hash(name).
uint32_t dump_index_find(const DumpIndex *index, Str text, uint32_t segment, Str name, uint32_t hash);
/// The segment that holds an item.
uint32_t dump_index_segment_of(const DumpIndex *index, uint32_t item);
/// The item that holds an occurrence.
uint32_t dump_index_item_of(const DumpIndex *index, uint32_t occurrence);
/// The first item on a line, or NO_ITEM.
#define NO_ITEM UINT32_MAX
uint32_t dump_index_item_at(const DumpIndex *index, uint32_t line);

static inline Str dump_symbol_name(const DumpIndex *index, Str text, uint32_t symbol)
{
  const DumpSymbol *s = &index->symbols[symbol];
  return str_slice(text, s->start, (size_t)s->start + s->len);
}

static inline Str dump_op_name(const DumpIndex *index, Str text, uint32_t op)
{
  return str_slice(text, index->ops[op].start, (size_t)index->ops[op].start + index->ops[op].len);
}
