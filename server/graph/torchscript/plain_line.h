/// Most lines of a dump are plain: `  %12 : Float(2, 3) = aten::add(%10, %11, %3), scope: M:: # m.py:12:3`.
///
/// A plain line is read here without the parser, in a tenth of the time, and gives exactly the nodes that the grammar
/// gives, the statement marked SYNTAX_PLAIN; tests/unit/test_plain_line.c and a fuzz target hold the two together.
/// Whatever is the least bit unusual is left to the grammar, which alone decides what is right.
///
/// Ownership: appends to the caller's nodes, and only if the whole line is plain.
/// Units:     offsets are bytes from the start of the line, plus `base`.
/// Errors:    false means that the line is not plain.
/// Threads:   pure.
/// Sources:   grammar/torch-ir.
#pragma once

#include "base/vec.h"
#include "graph/model/syntax.h"

typedef Vec(SyntaxNode) SyntaxNodes;

/// `line` is one line without its ending.
bool plain_line_parse(Str line, uint32_t base, SyntaxNodes *nodes);
