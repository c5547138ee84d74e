/// Reading an .ipynb file: its code as one Python text, and what its cells wrote.
///
/// Images and other data are passed over where they lie. No recursion, and one pass over the bytes.
///
/// Ownership: notebook_read() borrows the file's text until notebook_done().
/// Units:     offsets are bytes of the file; cells count from 1.
/// Errors:    a file that is no JSON has an error, and the cells before it.
/// Threads:   one thread at a time while it is read, then any.
/// Sources:   nbformat, "The Notebook file format" (3 and 4); RFC 8259; IPython, "Built-in magic commands".
#pragma once

#include "core/cells.h"
#include "notebook/notebook_text.h"

typedef struct NotebookCell {
  uint32_t number;
  size_t start;  ///< In the code; the cell ends where the next one starts.
} NotebookCell;

/// What the outputs of one cell say.
typedef struct NotebookOutput {
  uint32_t number;       ///< Of the cell.
  NotebookText printed;  ///< Streams and results.
  NotebookText failed;   ///< Tracebacks.
} NotebookOutput;

typedef struct Notebook {
  NotebookText code;        ///< Of all code cells, with what is IPython's and not Python's neutralised.
  Vec(NotebookCell) cells;  ///< Those with code.
  Vec(NotebookOutput) outputs;
  uint32_t cell_count;  ///< Of all kinds.
  int64_t format;       ///< "nbformat"; 0 if the file doesn't say.
  Range language;       ///< Of the kernel, in the file; empty if the file doesn't say.
  const char *error;    ///< Why it is no JSON, as the end of a sentence; NULL if it is.
  size_t error_at;
} Notebook;

void notebook_read(Str file, Notebook *ret_notebook);
void notebook_done(Notebook *notebook);
/// True when the kernel's language is another one than Python.
bool notebook_is_foreign(const Notebook *notebook);
