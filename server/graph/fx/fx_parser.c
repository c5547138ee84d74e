#include "graph/fx/fx_parser.h"

#include "graph/fx/fx_scan.h"
#include "graph/model/source_comment.h"

struct SyntaxParser {
  FxNodes nodes;
};

SyntaxParser *fx_parser_new(void)
{
  return xcalloc(1, sizeof(SyntaxParser));
}

void fx_parser_free(SyntaxParser *parser)
{
  if (!parser)
    return;
  vec_free(&parser->nodes);
  free(parser);
}

// --- Log prefixes ---

static bool has_digits(Str s, size_t from, size_t count)
{
  for (size_t i = from; i < from + count; i++) {
    if (i >= s.len || s.data[i] < '0' || s.data[i] > '9')
      return false;
  }
  return true;
}

/// After the next `] ` or a `]` that ends the line, or 0.
static size_t after_bracket(Str line, size_t from)
{
  size_t at = str_find(line, STR("] "), from);
  if (at != STR_NOT_FOUND)
    return at + 2;
  return line.len > from && line.data[line.len - 1] == ']' ? line.len : 0;
}

size_t fx_log_prefix(Str line)
{
  static const char levels[] = "VDIWEC";
  size_t end = 0;
  if (line.len > 5 && memchr(levels, line.data[0], sizeof(levels) - 1) && has_digits(line, 1, 4) && line.data[5] == ' ')
    end = after_bracket(line, 5);
  else if (line.len > 11 && line.data[0] == '[' && has_digits(line, 1, 4) && line.data[5] == '-')
    end = after_bracket(line, 6);
  else if (line.len > 20 && has_digits(line, 0, 4) && line.data[4] == '-' && line.data[10] == 'T')
    end = str_find_char(line, ' ', 10) + 1;
  while (end > 0 && end < line.len && line.data[end] == '[' && after_bracket(line, end) > 0)
    end = after_bracket(line, end);
  return end;
}

// --- Lines ---

/// A comment that says where the lines below came from is not a text in which something may be left out.
static void add_comment(FxScan *scan)
{
  Str line = fx_rest(scan);
  bool is_ours = source_comment_speaks(line);
  size_t node = fx_open_line(scan, is_ours ? NODE_COMMENT : NODE_TEXT_LINE);
  SourceComment comment;
  if (is_ours && source_comment_read(line, &comment)) {
    uint32_t start = fx_offset(scan, comment.location.data);
    scan->at = start + (uint32_t)comment.location.len;
    fx_add(scan, NODE_SOURCE_LOCATION, 2, start);
  }
  scan->at = scan->end;
  fx_close(scan, node);
}

typedef bool LineReader(FxScan *scan);

/// Lets one reader try; what it added counts only if the line is one of its own.
static bool try_reader(FxScan *scan, LineReader *reader)
{
  size_t count = scan->nodes->count;
  uint32_t start = scan->at;
  scan->is_broken = false;
  if (reader(scan))
    return true;
  scan->nodes->count = count;
  scan->at = start;
  return false;
}

/// The first letters say who may try, so that most lines are read once.
static bool read_line(FxScan *scan)
{
  Str line = fx_rest(scan);
  switch (line.data[0]) {
  case '%':
    return try_reader(scan, fx_read_listed);
  case ')':
    return try_reader(scan, fx_read_parameter);
  case 'c':
  case '/':
  case '<':
    if (try_reader(scan, fx_read_class))
      return true;
    break;
  case 'd':
    if (try_reader(scan, fx_read_function))
      return true;
    break;
  case 'r':
    if (try_reader(scan, fx_read_return))
      return true;
    break;
  default:
    break;
  }
  if (try_reader(scan, fx_read_parameter) || try_reader(scan, fx_read_statement))
    return true;
  return try_reader(scan, fx_read_row) || try_reader(scan, fx_read_listing_header);
}

/// A line of a result that goes over several; each is told by itself, as any line may be read alone.
static bool read_result_line(FxScan *scan)
{
  return try_reader(scan, fx_read_result) || try_reader(scan, fx_read_return_opening) ||
         try_reader(scan, fx_read_return_end);
}

/// Dynamo traces what people wrote, and logs their lines.
static bool is_traced_source(Str prefix)
{
  return str_contains(prefix, STR("[__trace_"));
}

/// The dashes between a table's head and its rows.
static bool is_ruling(Str line)
{
  size_t at = 0;
  while (at < line.len && (line.data[at] == '-' || line.data[at] == ' '))
    at++;
  return at == line.len;
}

static void parse_line(SyntaxParser *parser, Str text, size_t start, size_t end)
{
  FxScan scan = { .text = text, .at = (uint32_t)start, .end = (uint32_t)end, .nodes = &parser->nodes };
  scan.ends_text = end == text.len;
  while (scan.end > scan.at && (text.data[scan.end - 1] == ' ' || text.data[scan.end - 1] == '\t'))
    scan.end--;
  fx_skip_blanks(&scan);
  scan.first = scan.prefix_end = scan.at;
  size_t prefix = scan.at == start ? fx_log_prefix(fx_rest(&scan)) : 0;
  scan.at = scan.prefix_end = scan.at + (uint32_t)prefix;
  fx_skip_blanks(&scan);
  if (scan.at >= scan.end)
    return;
  if (fx_peek(&scan) == '#') {
    add_comment(&scan);
  } else if (is_ruling(fx_rest(&scan))) {
    return;
  } else if (is_traced_source(str_slice(text, scan.first, scan.prefix_end)) ||
             (!read_result_line(&scan) && !read_line(&scan))) {
    size_t node = fx_open_line(&scan, NODE_TEXT_LINE);
    parser->nodes.items[node].end = scan.end;
  }
}

SyntaxList fx_parse(SyntaxParser *parser, Str text)
{
  vec_clear(&parser->nodes);
  for (size_t line = 0; line < text.len;) {
    size_t end = line;
    while (end < text.len && text.data[end] != '\n' && text.data[end] != '\r')
      end++;
    parse_line(parser, text, line, end);
    line = end + 1;
  }
  return (SyntaxList){ .nodes = parser->nodes.items, .count = parser->nodes.count };
}
