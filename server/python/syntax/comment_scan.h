/// Finds the comments of Python code that are meant for us, without parsing it: a `#` in a string is none.
///
/// The scan goes from line to line and keeps only what crosses line ends, so a document's chunks are given to it one
/// after the other, and those without the marker `onnxls:` cost little more than a look at their quotes.
///
/// Ownership: plain data.
/// Units:     offsets are bytes from the start of the text given.
/// Errors:    a string that its line does not end has ended there, as Python sees it.
/// Threads:   one scan belongs to one thread.
/// Sources:   Python 3.14, "Lexical analysis": comments, string literals, line joining. Strings inside of the braces
///            of an f-string with its own quotes (3.12) count as ends of it, which comes to the same but for a `#`
///            in them.
#pragma once

#include "base/str.h"

/// Zeroed memory is where a file begins.
typedef struct CommentScan {
  char quote;      ///< Of the string that the text begins in; 0 for none.
  bool is_triple;  ///< With `quote`.
  bool has_code;   ///< Something other than comments and strings was seen.
} CommentScan;

typedef struct FoundComment {
  size_t hash;    ///< The `#`.
  size_t end;     ///< Its line's end.
  bool is_alone;  ///< Nothing but blanks before it.
  bool has_code;  ///< Code came before it in the file; strings that are alone, such as a docstring, are none.
} FoundComment;

/// Goes on from `*at` to the next comment that holds the marker; false at the end of the text.
bool comment_scan_next(CommentScan *scan, Str text, size_t *at, FoundComment *ret_comment);
