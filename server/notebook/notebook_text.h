/// A text that strings of a JSON file make together, and where in the file each of its bytes is.
///
/// Ownership: owns its buffers until notebook_text_done(); borrows the file's text.
/// Units:     offsets are bytes: of the decoded text, or of the file where the name says so.
/// Threads:   one thread at a time while it is made, then any.
/// Sources:   RFC 8259, section 7.
#pragma once

#include "base/buffer.h"
#include "base/vec.h"
#include "text/position.h"

/// A decoded line, or the part of it that comes from one string.
typedef struct NotebookPiece {
  size_t start;   ///< In the decoded text; a piece ends where the next one starts.
  Range in_file;  ///< The same bytes as the file spells them.
} NotebookPiece;

typedef struct NotebookText {
  Str file;
  Buffer text;
  Vec(NotebookPiece) pieces;  ///< In order of the decoded text.
} NotebookText;

void notebook_text_done(NotebookText *text);
/// Appends what the inside of a JSON string stands for.
void notebook_text_add(NotebookText *text, Range in_file);
/// Appends a line end that the file doesn't have, unless the text from `start` on is empty or ends with one.
void notebook_text_end_line(NotebookText *text, size_t start);
/// Where a range of the decoded text is in the file.
Range notebook_text_in_file(const NotebookText *text, Range range);
/// Where the byte of the file at `offset` is in the decoded text; false if it is not in there.
bool notebook_text_from_file(const NotebookText *text, size_t offset, size_t *ret_offset);
