/// Line endings: "\n", "\r\n" and a lone "\r".
///
/// Ownership: borrows the text; lines_scan_starts() grows a vec that the caller owns.
/// Units:     byte offsets.
/// Threads:   pure functions.
/// Sources:   LSP 3.17 "Text Documents": EOL.
#pragma once

#include "base/vec.h"

typedef Vec(uint32_t) LineStarts;

/// The first "\n" or "\r" at or after `from`; the length of the text if there is none.
size_t lines_find_break(Str text, size_t from);
/// Where the line that holds the byte at `from` is over: after its ending, or the length of the text.
size_t lines_next(Str text, size_t from);
/// Appends the start of each line: 0, then the offset after each ending, which may be the length of the text.
void lines_scan_starts(Str text, LineStarts *starts);
/// True when the line at `start` looks as if a statement of a graph began further up and goes on here: nothing, a
/// comment, names and commas, `name = value`, a bracket that closes. No chunk begins with such a line.
bool line_may_continue(Str text, size_t start);
/// Without the line ending at its end, if there is one.
Str lines_trim_ending(Str line);

static inline bool is_line_break(char c)
{
  return c == '\n' || c == '\r';
}
