/// Rows while they are made: of loops (python_rows.c), of calls of the function around (python_call_rows.c), and of
/// what classes hold (python_rows_members.c). Private to these.
///
/// Ownership: a Rows is its maker's; nodes belong to the model.
/// Units:     nodes of the model.
/// Errors:    what is not known makes an empty row.
/// Threads:   a model is one thread's while it is made.
#pragma once

#include "python/model/python_model_private.h"

typedef struct Rows {
  PyModel *model;
  PyRowMaker *make;
  void *context;
  int left;   ///< So many may still be made.
  int depth;  ///< Functions that pass on what they are given, and comprehensions in each other, so far.
} Rows;

/// A row that waits for what loops or calls around it give.
typedef struct WaitingRow {
  Rows *rows;
  PyRow row;
} WaitingRow;

/// Counts one more. Many functions may register what many calls pass: together no more than a large file has in truth.
bool python_rows_take(Rows *rows);
/// What the values of a row are with what a loop around them, `inner`, gives its names.
void python_row_within(PyModel *model, const PyRow *inner, PyRow *row);
/// Gives the names of a target the value, or the elements of a tuple; false if they don't match.
bool python_row_takes(const PyTree *tree, PyRef target, PyRef value, PyRow *row);
/// Makes the row, once for each that loops and calls around its node give.
void python_rows_around(Rows *rows, WaitingRow *row);
/// Those of a loop over what functions of the file collect. False if it is none.
bool python_rows_of_collection(Rows *rows, PyRef target, PyRef iterable);
/// Those of a loop over what a class of the file holds. False if it is none.
bool python_rows_of_members(Rows *rows, PyRef target, PyRef iterable);
/// The same of `"elu,celu".split(",")`, whose parts are texts.
bool python_rows_of_split(Rows *rows, PyRef target, PyRef iterable);
/// One for each class that derives from that of the function, if it is __init_subclass__().
void python_rows_of_subclasses(Rows *rows, uint32_t function);
/// Those of the loops around `node` that give values to names in `used`; else of calls, or one that is empty.
void python_rows_of_loops(Rows *rows, PyRef node, const PyRef *used, size_t used_count);
/// Those of the calls of the function around `node`, if `used` names its parameters. True if there was one.
bool python_rows_of_calls(Rows *rows, PyRef node, const PyRef *used, size_t used_count);
