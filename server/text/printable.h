/// What may be shown to people as it is. A file, its name or an argument may hold any byte; some move a terminal's
/// cursor, ring its bell, or turn the order of what is read around, so that a line looks like another one.
///
/// Ownership: texts are appended to the caller's buffer.
/// Units:     code points; a byte that is not UTF-8 counts as one.
/// Threads:   pure.
/// Sources:   ECMA-48 (C0 and C1), Unicode's UAX #9 (bidirectional formatting characters).
#pragma once

#include "base/buffer.h"

/// A control character, a separator of lines or a mark that changes the direction of text: not to be shown.
bool printable_is_control(uint32_t c);
/// The text on one line: white space is a blank, what is not to be shown a replacement character.
void printable_append_line(Buffer *out, Str text);
/// The same of lines: line ends and tabs stay.
void printable_append_lines(Buffer *out, Str text);
