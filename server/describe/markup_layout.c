// Plain text for a terminal: what is between tabs in neighbouring lines is lined up, and long lines are broken.
#include "base/vec.h"
#include "describe/markup.h"
#include "text/utf.h"

enum {
  COLUMN_LIMIT = 6,
  CELL_LIMIT = 30,  ///< A wider cell pushes its own line to the right, not the whole column.
  CODE_INDENT = 4,  ///< Lines indented as deep as this are code and never broken.
  LEAST_WIDTH = 30,
};

typedef struct Layout {
  Buffer out;
  size_t width;
  size_t columns[COLUMN_LIMIT];  ///< Where columns end in the table at hand.
} Layout;

static size_t columns_of(Str s)
{
  return utf_units(s, POS_UTF32);
}

static bool has_columns(Str line)
{
  return str_find_char(line, '\t', 0) != STR_NOT_FOUND;
}

/// Measures the lines from here on that have columns.
static void measure(Layout *layout, Str rest)
{
  memset(layout->columns, 0, sizeof(layout->columns));
  while (rest.len > 0) {
    Str line = str_take(&rest, '\n');
    if (!has_columns(line))
      return;
    for (size_t i = 0; i < COLUMN_LIMIT && has_columns(line); i++) {
      size_t width = columns_of(str_take(&line, '\t'));
      if (width > layout->columns[i] && width <= CELL_LIMIT)
        layout->columns[i] = width;
    }
  }
}

/// Breaks `text` at spaces; lines after the first begin at `indent`. The cursor is at column `at`.
static void append_wrapped(Layout *layout, Str text, size_t at, size_t indent)
{
  size_t room = layout->width > indent + LEAST_WIDTH ? layout->width : indent + LEAST_WIDTH;
  bool is_first = true;
  while (text.len > 0) {
    size_t end = str_find_char(text, ' ', 0);
    Str word = str_slice(text, 0, end);
    text = str_slice(text, end == STR_NOT_FOUND ? text.len : end + 1, text.len);
    size_t width = columns_of(word);
    if (!is_first && at + 1 + width > room) {
      buffer_append_char(&layout->out, '\n');
      buffer_append_spaces(&layout->out, indent);
      at = indent;
    } else if (!is_first) {
      buffer_append_char(&layout->out, ' ');
      at++;
    }
    buffer_append(&layout->out, word);
    at += width;
    is_first = false;
  }
}

/// The last cell is broken within its column; those before it are padded.
static void append_row(Layout *layout, Str line)
{
  size_t at = 0;
  size_t indent = 0;
  for (size_t i = 0; i < COLUMN_LIMIT && has_columns(line); i++) {
    Str cell = str_take(&line, '\t');
    size_t end = indent + layout->columns[i] + 2;
    buffer_append(&layout->out, cell);
    at += columns_of(cell);
    size_t gap = at + 2 > end ? 2 : end - at;
    if (line.len > 0)
      buffer_append_spaces(&layout->out, gap);
    at += gap;
    indent = end;
  }
  append_wrapped(layout, line, at, indent);
}

static void append_line(Layout *layout, Str line)
{
  size_t indent = 0;
  while (indent < line.len && line.data[indent] == ' ')
    indent++;
  if (indent >= CODE_INDENT) {
    buffer_append(&layout->out, line);
    return;
  }
  buffer_append_spaces(&layout->out, indent);
  append_wrapped(layout, str_slice(line, indent, line.len), indent, indent);
}

Str markup_layout(Str text, size_t width, Arena *arena)
{
  Layout layout = { .width = width };
  bool in_table = false;
  while (text.len > 0) {
    if (!in_table)
      measure(&layout, text);
    Str line = str_take(&text, '\n');
    in_table = has_columns(line);
    if (in_table)
      append_row(&layout, line);
    else
      append_line(&layout, line);
    buffer_append_char(&layout.out, '\n');
  }
  Str laid_out = arena_copy(arena, buffer_str(&layout.out));
  buffer_done(&layout.out);
  return laid_out;
}
