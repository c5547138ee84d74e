#include "lsp/position.h"

#include "text/utf.h"

PositionCursor position_cursor(const Document *document, PosEncoding encoding)
{
  return (PositionCursor){ .document = document, .encoding = encoding };
}

PositionCursor position_cursor_in(const Snapshot *snapshot, PosEncoding encoding)
{
  PositionCursor cursor = position_cursor(snapshot_document(snapshot), encoding);
  cursor.cells = snapshot_cells(snapshot);
  return cursor;
}

static void enter_line_of(PositionCursor *cursor, size_t offset)
{
  uint32_t line = document_line_of(cursor->document, offset);
  cursor->line_start = document_line_start(cursor->document, line);
  cursor->line_text = document_line(cursor->document, line);
  cursor->offset = 0;
  const Cell *cell = cells_at_line(cursor->cells, line);
  cursor->position = (Position){ .line = cell ? line - cell->first_line : line };
  cursor->has_line = true;
}

Position position_cursor_at(PositionCursor *cursor, size_t offset)
{
  if (offset > document_length(cursor->document))
    offset = document_length(cursor->document);
  size_t line_end = cursor->line_start + cursor->line_text.len;
  bool is_in_line = cursor->has_line && offset >= cursor->line_start && offset <= line_end;
  if (!is_in_line)
    enter_line_of(cursor, offset);
  size_t within = offset - cursor->line_start;
  if (within > cursor->line_text.len)
    within = cursor->line_text.len;  // Inside the line ending.
  if (within < cursor->offset) {
    cursor->offset = 0;
    cursor->position.character = 0;
  }
  Str between = str_slice(cursor->line_text, cursor->offset, within);
  cursor->position.character += (uint32_t)utf_units(between, cursor->encoding);
  cursor->offset = within;
  return cursor->position;
}

// A column after the end of the line means its end, and clients write the largest number they know for that.
static bool read_uint(const Value *value, uint32_t *ret_number)
{
  int64_t number;
  if (!value_to_int(value, &number) || number < 0)
    return false;
  *ret_number = number > INT32_MAX ? INT32_MAX : (uint32_t)number;
  return true;
}

bool position_read(const Value *value, Position *ret_position)
{
  return read_uint(value_get(value, "line"), &ret_position->line) &&
         read_uint(value_get(value, "character"), &ret_position->character);
}

bool position_read_range(const Value *value, PositionRange *ret_range)
{
  return position_read(value_get(value, "start"), &ret_range->start) &&
         position_read(value_get(value, "end"), &ret_range->end);
}

void position_write(Writer *writer, Position position)
{
  writer_open(writer, '{');
  writer_member_int(writer, "line", position.line);
  writer_member_int(writer, "character", position.character);
  writer_close(writer, '}');
}

/// What goes on in the next cell ends with its own: a range has one document.
static Range keep_in_cell(const PositionCursor *cursor, Range range)
{
  const Cell *cell = cells_at_line(cursor->cells, document_line_of(cursor->document, range.start));
  const Cell *last = cells_at_line(cursor->cells, document_line_of(cursor->document, range.end));
  if (cell != last && range.end > range.start)
    range.end = document_line_start(cursor->document, cell[1].first_line) - 1;
  return range;
}

void position_write_range(Writer *writer, PositionCursor *cursor, Range range)
{
  if (cursor->cells)
    range = keep_in_cell(cursor, range);
  writer_open(writer, '{');
  writer_key(writer, "start");
  position_write(writer, position_cursor_at(cursor, range.start));
  writer_key(writer, "end");
  position_write(writer, position_cursor_at(cursor, range.end));
  writer_close(writer, '}');
}

void position_write_range_member(Writer *writer, const char *key, PositionCursor *cursor, Range range)
{
  writer_key(writer, key);
  position_write_range(writer, cursor, range);
}

static void write_line_range(Writer *writer, uint32_t line, uint32_t start, uint32_t end)
{
  writer_open(writer, '{');
  writer_key(writer, "start");
  position_write(writer, (Position){ line, start });
  writer_key(writer, "end");
  position_write(writer, (Position){ line, end });
  writer_close(writer, '}');
}

void position_write_place(Writer *writer, PosEncoding encoding, const WorkspacePlace *place)
{
  write_line_range(writer, place->line, place->start[encoding], place->end[encoding]);
}

void position_write_point(Writer *writer, Position position)
{
  write_line_range(writer, position.line, position.character, position.character);
}
