#include "graph/torchscript/torchscript_parser.h"

#include "base/limits.h"
#include "graph/torchscript/written_line.h"
#include "syntax/bounded_parse.h"
#include "text/lines.h"

const TSLanguage *tree_sitter_torch_ir(void);

enum { SYMBOL_SLOTS = 512 };

struct SyntaxParser {
  uint8_t kinds[SYMBOL_SLOTS];  ///< NodeKind by tree-sitter symbol.
  SyntaxNodes nodes;
  Vec(Unread) unread;
  uint32_t base;  ///< Offset of the text that tree-sitter is given, added to its offsets.
};

SyntaxParser *torchscript_parser_new(void)
{
  const TSLanguage *language = tree_sitter_torch_ir();
  SyntaxParser *parser = xcalloc(1, sizeof(*parser));
  for (int kind = NODE_MISSING + 1; kind < NODE_KIND_COUNT; kind++) {
    Str name = str_from(syntax_kind_name((NodeKind)kind));
    TSSymbol symbol = ts_language_symbol_for_name(language, name.data, (uint32_t)name.len, true);
    if (symbol != 0 && symbol < SYMBOL_SLOTS)
      parser->kinds[symbol] = (uint8_t)kind;
  }
  return parser;
}

void torchscript_parser_free(SyntaxParser *parser)
{
  if (!parser)
    return;
  vec_free(&parser->nodes);
  vec_free(&parser->unread);
  free(parser);
}

static NodeKind kind_of(const SyntaxParser *parser, TSNode node)
{
  if (ts_node_is_missing(node))
    return NODE_MISSING;
  TSSymbol symbol = ts_node_symbol(node);
  if (symbol == (TSSymbol)-1)
    return NODE_ERROR;
  return symbol < SYMBOL_SLOTS ? (NodeKind)parser->kinds[symbol] : NODE_OTHER;
}

/// Appends the node under the cursor; punctuation is dropped.
static void append_node(SyntaxParser *parser, TSNode node, uint16_t depth, uint32_t base)
{
  NodeKind kind = kind_of(parser, node);
  if (kind == NODE_OTHER)
    return;
  vec_push(&parser->nodes, (SyntaxNode){
                               .kind = (uint8_t)kind,
                               .state = ts_node_has_error(node) ? SYNTAX_BROKEN : SYNTAX_READ,
                               .depth = depth,
                               .start = parser->base + base + ts_node_start_byte(node),
                               .end = parser->base + base + ts_node_end_byte(node),
                           });
}

/// Says once of each line that something in it is not among the nodes.
static void note_too_deep(SyntaxParser *parser, uint32_t start, uint32_t end)
{
  const Unread *last = parser->unread.count > 0 ? vec_last(&parser->unread) : NULL;
  if (!last || last->start != start)
    vec_push(&parser->unread, (Unread){ start, end, UNREAD_TOO_DEEP });
}

/// Appends the subtree under the cursor in pre-order and leaves the cursor where it was.
static void append_subtree(SyntaxParser *parser, TSTreeCursor *cursor, uint32_t base)
{
  size_t first = parser->nodes.count;
  uint16_t depth = 1;
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(cursor);
    append_node(parser, node, depth, base);
    if (depth < DUMP_DEPTH_LIMIT && ts_tree_cursor_goto_first_child(cursor)) {
      depth++;
      continue;
    }
    if (depth == DUMP_DEPTH_LIMIT && ts_node_named_child_count(node) > 0)
      note_too_deep(parser, parser->nodes.items[first].start, parser->nodes.items[first].end);
    while (depth > 1 && !ts_tree_cursor_goto_next_sibling(cursor)) {
      ts_tree_cursor_goto_parent(cursor);
      depth--;
    }
    if (depth == 1)
      return;
  }
}

static size_t line_start_before(Str text, size_t offset)
{
  while (offset > 0 && text.data[offset - 1] != '\n' && text.data[offset - 1] != '\r')
    offset--;
  return offset;
}

/// The length of the line that ends before `next`, without its ending.
static size_t line_length(Str text, size_t start, size_t next)
{
  while (next > start && (text.data[next - 1] == '\n' || text.data[next - 1] == '\r'))
    next--;
  return next - start;
}

/// Parses one line on its own and appends what it holds.
static void append_line(SyntaxParser *parser, Str text, size_t start, size_t end)
{
  TSTree *tree = bounded_parse(tree_sitter_torch_ir(), str_slice(text, start, end));
  if (!tree) {
    uint32_t base = parser->base + (uint32_t)start;
    uint32_t line_end = base + (uint32_t)line_length(text, start, end);
    vec_push(&parser->nodes, (SyntaxNode){ NODE_ERROR, SYNTAX_BROKEN, 1, base, line_end });
    vec_push(&parser->unread, (Unread){ base, line_end, UNREAD_TOO_MUCH_WORK });
    return;
  }
  TSNode root = ts_tree_root_node(tree);
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  // When nothing could be made of the line the root itself is the error.
  if (kind_of(parser, root) == NODE_ERROR)
    append_subtree(parser, &cursor, (uint32_t)start);
  else if (ts_tree_cursor_goto_first_child(&cursor)) {
    do
      append_subtree(parser, &cursor, (uint32_t)start);
    while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  ts_tree_delete(tree);
}

/// Replaces what was found from the line of `start` on by the lines up to that of `end`, each parsed alone.
/// Returns the offset after the last of them.
static size_t append_lines_again(SyntaxParser *parser, Str text, size_t start, size_t end)
{
  size_t line = line_start_before(text, start);
  while (parser->nodes.count > 0 && vec_last(&parser->nodes)->start >= parser->base + line)
    parser->nodes.count--;
  while (parser->unread.count > 0 && vec_last(&parser->unread)->start >= parser->base + line)
    parser->unread.count--;
  while (line < text.len && line < end) {
    size_t next = lines_next(text, line);
    append_line(parser, text, line, next);
    line = next;
  }
  return line;
}

/// Walks the lines of the tree; lines with an error are parsed again one by one.
static void append_tree(SyntaxParser *parser, TSTree *tree, Str text)
{
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  size_t done = 0;  // Everything before this offset is settled.
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      TSNode node = ts_tree_cursor_current_node(&cursor);
      size_t start = ts_node_start_byte(node);
      size_t end = ts_node_end_byte(node);
      if (end <= done && done > 0)
        continue;
      if (start < done || ts_node_has_error(node)) {
        size_t from = start < done ? done : start;
        done = append_lines_again(parser, text, from, end > from ? end : from + 1);
      } else {
        append_subtree(parser, &cursor, 0);
      }
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
}

/// Parses whole lines with the grammar; `text` begins at parser->base of the whole.
static void append_by_grammar(SyntaxParser *parser, Str text)
{
  TSTree *tree = text.len > DUMP_WHOLE_LIMIT ? NULL : bounded_parse(tree_sitter_torch_ir(), text);
  if (!tree || kind_of(parser, ts_tree_root_node(tree)) == NODE_ERROR)
    append_lines_again(parser, text, 0, text.len);
  else
    append_tree(parser, tree, text);
  if (tree)
    ts_tree_delete(tree);
}

static SyntaxList list_of(const SyntaxParser *parser)
{
  return (SyntaxList){
    .nodes = parser->nodes.items,
    .count = parser->nodes.count,
    .unread = parser->unread.items,
    .unread_count = parser->unread.count,
  };
}

SyntaxList torchscript_parse_by_grammar(SyntaxParser *parser, Str text)
{
  vec_clear(&parser->nodes);
  vec_clear(&parser->unread);
  parser->base = 0;
  append_by_grammar(parser, text);
  return list_of(parser);
}

/// The grammar reads text[start, end), a run of lines that are not plain.
static void append_run(SyntaxParser *parser, Str text, size_t start, size_t end)
{
  if (start == end)
    return;
  parser->base = (uint32_t)start;
  append_by_grammar(parser, str_slice(text, start, end));
}

/// Reads what begins at `line` without the grammar, if that can be done. Returns the offset of the line after it, or 0.
static size_t append_without_grammar(SyntaxParser *parser, Str text, size_t line, size_t next)
{
  WrittenFault ignored;
  if (plain_line_parse(str_make(text.data + line, line_length(text, line, next)), (uint32_t)line, &parser->nodes))
    return next;
  uint32_t end = written_line_parse(text, (uint32_t)line, false, &parser->nodes, &ignored);
  return end == 0 ? 0 : lines_next(text, end);
}

SyntaxList torchscript_parse(SyntaxParser *parser, Str text)
{
  vec_clear(&parser->nodes);
  vec_clear(&parser->unread);
  size_t run = 0;  // Where the lines begin that wait for the grammar.
  for (size_t line = 0; line < text.len;) {
    size_t next = lines_next(text, line);
    // The nodes of the lines before must come first, so a line is only tried where none are waiting...
    size_t count = parser->nodes.count;
    size_t read_to = append_without_grammar(parser, text, line, next);
    if (read_to != 0) {
      if (run < line) {
        // ...or it is read again after them.
        parser->nodes.count = count;
        append_run(parser, text, run, line);
        append_without_grammar(parser, text, line, next);
      }
      run = next = read_to;
    }
    line = next;
  }
  append_run(parser, text, run, text.len);
  return list_of(parser);
}
