/// LSP positions: reading them, and writing many of them fast.
///
/// Ownership: a cursor borrows its document.
/// Units:     `offset` is bytes from the start of the document; a position is in the session's encoding.
/// Errors:    reading refuses what is not a position with false.
/// Threads:   one thread at a time for a cursor.
/// Sources:   LSP 3.17 "Position", "Range".
#pragma once

#include "core/cells.h"
#include "core/workspace.h"
#include "rpc/value.h"
#include "rpc/writer.h"
#include "text/document.h"

typedef struct PositionRange {
  Position start;
  Position end;
} PositionRange;

/// Turns offsets into positions. Going forward costs only what lies between two offsets, so that a line of 10 MB
/// with a million names does not get counted a million times; going back is fine too, and slower.
typedef struct PositionCursor {
  const Document *document;
  const CellMap *cells;  ///< Positions are those of a cell's own document; NULL if there are no cells.
  PosEncoding encoding;
  size_t line_start;
  Str line_text;      ///< Without its ending.
  size_t offset;      ///< Within the line.
  Position position;  ///< Of that offset.
  bool has_line;
} PositionCursor;

PositionCursor position_cursor(const Document *document, PosEncoding encoding);
/// The same for the document of a snapshot, which may be made of cells.
PositionCursor position_cursor_in(const Snapshot *snapshot, PosEncoding encoding);
Position position_cursor_at(PositionCursor *cursor, size_t offset);

bool position_read(const Value *value, Position *ret_position);
bool position_read_range(const Value *value, PositionRange *ret_range);

void position_write(Writer *writer, Position position);
void position_write_range(Writer *writer, PositionCursor *cursor, Range range);
/// "key": range
void position_write_range_member(Writer *writer, const char *key, PositionCursor *cursor, Range range);
/// The range of a place in another file.
void position_write_place(Writer *writer, PosEncoding encoding, const WorkspacePlace *place);
/// The empty range there.
void position_write_point(Writer *writer, Position position);
