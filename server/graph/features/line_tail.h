/// What can be read off the text of a line without a parse: its module scope, its source location, a value's type.
///
/// Scope and location are searched for from the line's end, so they are found on broken lines too, and fast enough for
/// every line of a dump.
///
/// Ownership: borrows the line.
/// Units:     byte offsets from the start of the line; the location's line counts from 1 and its column from 0, as
///            printed.
/// Errors:    empty strings where there is none.
/// Threads:   pure.
/// Sources:   torch/csrc/jit/ir/ir.cpp, Node::print; older spellings of scopes from 1.x dumps; source_comment.h.
#pragma once

#include "core/snapshot.h"

typedef struct LineTail {
  Str scope;             ///< Without `, scope: `.
  Str location;          ///< `file.py:12:3`
  Str file;              ///< `file.py`
  uint32_t file_line;    ///< From 1.
  uint32_t file_column;  ///< From 0.
} LineTail;

LineTail line_tail(Str line);
/// Where the node of a line came from: that line's own tail, or of a language in which places come first the comment
/// above it.
LineTail line_origin(const Snapshot *snapshot, uint32_t line);

/// The type of a value, given the line's text after its name; empty if none is printed.
Str line_tail_type(Str rest);

/// One module on the way to a node.
typedef struct ScopePart {
  Str type;  ///< `torch.nn.modules.conv.Conv2d`, `Conv2d`; empty if the dump does not say.
  Str path;  ///< `features.0`, `layer1`; empty for the root.
} ScopePart;

/// Splits a scope into modules, outermost first; at most SCOPE_PART_LIMIT of them.
/// `A::/b.C::c/d.E::c.0`, `__module.c/__module.c.0` and the old `A/B[c]/E[0]` are known.
size_t line_tail_scope_parts(Str scope, ScopePart *ret_parts);
/// The last name of a dotted path.
Str line_tail_dotted(Str path);
