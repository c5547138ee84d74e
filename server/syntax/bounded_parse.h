/// One parse by tree-sitter that ends after a bounded amount of work. Private to syntax/.
///
/// The work is what the parser does for this text: its operations, the bytes that it looks at, again and again where
/// its scanner runs ahead, and the memory that it asks for, as recovery copies what it has so far. All of that is the
/// same each time, whatever the machine does besides and whatever was parsed before.
///
/// Ownership: the tree is the caller's, for ts_tree_delete(), which takes NULL.
/// Units:     see base/limits.h.
/// Errors:    NULL if the text takes more work than PARSE_WORK and PARSE_WORK_PER_BYTE allow.
/// Threads:   any.
/// Sources:   tree-sitter's C API, 0.25.
#pragma once

#include <tree_sitter/api.h>

#include "base/str.h"

TSTree *bounded_parse(const TSLanguage *language, Str text);
