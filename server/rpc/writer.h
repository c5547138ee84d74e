/// Writes JSON straight into a buffer, in order, without building a tree: an answer may have millions of numbers.
///
/// Ownership: borrows the buffer.
/// Errors:    text that is not UTF-8 gets U+FFFD for each bad byte.
/// Threads:   one thread at a time.
/// Sources:   RFC 8259.
#pragma once

#include "base/buffer.h"

typedef struct Writer {
  Buffer *out;
  bool needs_comma;
} Writer;

/// Begins an object or an array: '{' or '['.
void writer_open(Writer *writer, char bracket);
/// Ends it: '}' or ']'.
void writer_close(Writer *writer, char bracket);
/// The name of the member whose value comes next; plain ASCII without quotes.
void writer_key(Writer *writer, const char *key);
/// The same for any text.
void writer_key_str(Writer *writer, Str key);
void writer_str(Writer *writer, Str text);
void writer_int(Writer *writer, int64_t number);
void writer_bool(Writer *writer, bool is_true);
void writer_null(Writer *writer);
/// A value that is JSON already.
void writer_raw(Writer *writer, Str json);

/// key and value in one.
void writer_member_str(Writer *writer, const char *key, Str text);
void writer_member_int(Writer *writer, const char *key, int64_t number);
void writer_member_bool(Writer *writer, const char *key, bool is_true);
/// The same, null for an empty text and for a number that isn't above 0: what is not known.
void writer_member_known_str(Writer *writer, const char *key, Str text);
void writer_member_known_int(Writer *writer, const char *key, int64_t number);
