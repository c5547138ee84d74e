/// Texts of Python into nodes: plain ones at once (python/syntax/plain_python.h), others by tree-sitter. Private to
/// syntax/.
///
/// Ownership: py_reader_begin() makes what py_reader_end() frees; the nodes are the caller's.
/// Units:     offsets are bytes from the start of the text that was read.
/// Errors:    see py_reader_read().
/// Threads:   a reader is used by one thread.
/// Sources:   tree-sitter-python's node types.
#pragma once

#include "base/vec.h"
#include "python/syntax/plain_python.h"
#include "python/syntax/python_tree.h"

typedef struct PyReader {
  PyNodes nodes;      ///< Number 0 is a module.
  Vec(PyRef) open;    ///< The kept nodes above the one that is read.
  PlainPython plain;  ///< Room for reading.
  Unread left_out;    ///< Of the text that was read last, within it; `end` is 0 for nothing.
} PyReader;

typedef enum PyReading {
  PY_READ,         ///< All of it is Python.
  PY_READ_BROKEN,  ///< Something in it is not, or it takes too much work and is one PYK_ERROR.
} PyReading;

void py_reader_begin(PyReader *reader);
/// Appends the nodes of a text; the parent of its statements is 0.
PyReading py_reader_read(PyReader *reader, Str text);
/// The same by the grammar alone.
PyReading py_reader_read_by_grammar(PyReader *reader, Str text);
/// The nodes of all texts.
PyNode *py_reader_end(PyReader *reader);
