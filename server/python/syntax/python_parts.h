/// Where a Python file can be cut, so that each part can be read alone: at its top-level definitions, and in large
/// classes at their methods.
///
/// Only strings, comments and brackets are looked at. A definition at the start of a line ends whatever is open above
/// it, so a bracket that somebody has yet to close spoils its own part and no other.
///
/// Ownership: the array is the caller's, from vec_free().
/// Units:     bytes from the start of the text.
/// Errors:    any bytes have at least one part.
/// Threads:   any; no state.
/// Sources:   the Python language reference, 2 (lexical analysis).
#pragma once

#include "base/ascii.h"
#include "base/vec.h"

/// True for what names are made of, letters of other scripts included.
static inline bool py_is_name_char(char c)
{
  return ascii_is_word(c) || (unsigned char)c >= 0x80;
}

/// The name that begins at `at`; empty if none does.
static inline Str py_name_at(Str text, size_t at)
{
  size_t end = at;
  while (end < text.len && py_is_name_char(text.data[end]))
    end++;
  return str_slice(text, at, end);
}

typedef struct PyPart {
  uint32_t start;
  bool is_inner;  ///< It goes on with the class of the part before it.
} PyPart;

typedef Vec(PyPart) PyParts;

/// Appends the parts; the first one starts at 0, and each ends where the next one starts. A top-level definition with
/// its decorators is one part, with what follows it up to the next one. Other statements, and methods, share a part
/// until it is large.
void py_parts_find(Str text, PyParts *ret_parts);

/// Where the string whose quote is at `at` ends; one that its line does not end has ended there.
size_t py_parts_string_end(Str text, size_t at);
/// Where the line of a comment ends.
size_t py_parts_comment_end(Str text, size_t at);
