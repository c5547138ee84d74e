/// Texts of Python into nodes, by tree-sitter. Private to syntax/.
///
/// Ownership: py_reader_begin() makes what py_reader_end() frees; the nodes are the caller's.
/// Units:     offsets are bytes from the start of the text that was read; times are microseconds.
/// Errors:    none; see py_read().
/// Threads:   a reader is used by one thread.
/// Sources:   tree-sitter-python's node types.
#pragma once

#include "base/vec.h"
#include "python/syntax/python_tree.h"

struct TSParser;

typedef struct PyReader {
  struct TSParser *parser;
  Vec(PyNode) nodes;  ///< Number 0 is a module.
  Vec(PyRef) open;    ///< The kept nodes above the one that is read.
  uint64_t deadline;  ///< What recovery makes of garbage may take tree-sitter's cursor the square of its size.
  unsigned steps;
} PyReader;

/// A clock for deadlines.
uint64_t micros_now(void);

void py_reader_begin(PyReader *reader);
/// Appends the nodes of a text; the parent of its statements is 0. What takes longer than until `deadline` is one
/// PYK_ERROR. False if something in the text is broken.
bool py_read(PyReader *reader, Str text, uint64_t deadline);
/// The nodes of all texts.
PyNode *py_reader_end(PyReader *reader);
