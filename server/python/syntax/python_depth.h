/// What nests deeper than Python itself takes: the parser's work would go into that, and none of it is a program.
///
/// Ownership: the copy is the caller's, for free().
/// Units:     bytes from the start of the text.
/// Errors:    any bytes will do; a bracket that nobody closes stays open.
/// Threads:   any; no state.
/// Sources:   CPython: MAXLEVEL in Parser/tokenizer.h, "too many nested parentheses"; the grammar's recursion limit,
///            MAXSTACK in Parser/parser.c, which 6,000 signs reach.
#pragma once

#include "base/str.h"
#include "syntax/unread.h"

/// A copy in which blanks take the place of what is deeper than PY_DEPTH_LIMIT: brackets inside of each other, and
/// signs before one value. Line ends stay, and so do all offsets. NULL if nothing is.
char *py_without_depth(Str text, Unread *ret_left_out);
