/// Nearly all Python is plain: names, calls, operators and statements that can be read in one way only.
///
/// A text that is plain as a whole is read here without the parser, in a tenth of the time, and gives exactly the nodes
/// that the grammar gives; tests/unit/test_plain_python.c and a fuzz target hold the two together. Whatever is the
/// least bit unusual (a mistake, `match`, what Python 2 printed, letters beyond ASCII in a name, a line that is
/// indented in no usual way) is left to the grammar, which alone decides what is right.
///
/// Ownership: appends to the caller's nodes, and only if the whole text is plain; plain_python_done() frees what is
///            kept from text to text.
/// Units:     offsets are bytes from the start of the text.
/// Errors:    false means that the text is not plain.
/// Threads:   a PlainPython is used by one thread.
/// Sources:   tree-sitter-python's grammar and scanner, and what its parser does where they are ambiguous.
#pragma once

#include "python/syntax/python_tree.h"

#include "base/vec.h"

typedef Vec(PyNode) PyNodes;

/// A node after the nodes below it. Private to the reader, as are the next ones.
typedef struct PlainNode {
  uint8_t kind;    ///< A PyNodeKind.
  uint8_t field;   ///< A PyField.
  uint32_t first;  ///< Where its subtree begins.
  uint32_t start;
  uint32_t end;
} PlainNode;

/// A line with nothing but a comment.
typedef struct PlainComment {
  uint32_t indent;
  uint32_t end;
} PlainComment;

/// Room that the reading of a text needs; zeroed at first.
typedef struct PlainPython {
  Vec(PlainNode) nodes;
  Vec(PlainComment) comments;
  Vec(PlainNode) open;
} PlainPython;

bool plain_python_read(PlainPython *room, Str text, PyNodes *nodes);
void plain_python_done(PlainPython *room);
