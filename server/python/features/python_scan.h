/// Where in a Python file the cursor is, found without a tree: the text before it is read as tokens.
///
/// People ask for help in the middle of a line that is not Python yet, `g.op("Elu", self, ` with nothing after it, and
/// a tree of such a text may have lost everything around it. Strings, comments and brackets can still be told apart.
///
/// Ownership: a scan borrows the text; its lists are its own.
/// Units:     bytes from the start of the text.
/// Errors:    a bracket that is still open where a statement must begin counts as closed.
/// Threads:   pure.
/// Sources:   The Python Language Reference, "Lexical analysis".
#pragma once

#include "base/vec.h"

typedef struct PyOpenBracket {
  char kind;  ///< One of `([{`.
  size_t at;
} PyOpenBracket;

/// A statement that begins in the first column, with its decorators, and all that is indented below it.
typedef struct PyPiece {
  size_t start;
  size_t end;
  bool is_definition;  ///< A function or a class.
} PyPiece;

/// A character that has to be put in somewhere before the offset, or after `resume`, for the text to be whole.
typedef struct PyInsertion {
  size_t at;
  char c;
} PyInsertion;

typedef struct PyScan {
  Str text;
  size_t offset;
  Vec(PyOpenBracket) open;  ///< Around the offset, the innermost last.
  bool in_comment;
  bool in_string;
  size_t quote;                 ///< Of the string: its first quotation mark; the content begins `quote_len` later.
  size_t quote_len;             ///< 1 or 3
  size_t content_end;           ///< Where the string ends, or where the line does if nobody closed it.
  size_t line;                  ///< Start of the logical line, at its first character.
  size_t resume;                ///< After the offset: where the next statement begins.
  Vec(PyPiece) pieces;          ///< The text up to the offset, and from `resume` on.
  size_t piece;                 ///< The one that holds the offset; its text after the offset goes on at `resume`.
  Vec(PyInsertion) insertions;  ///< In order of position.
  size_t last;                  ///< Private: after the last token that is neither white space nor a comment.
} PyScan;

/// With `all` the pieces after the offset are found, too.
void py_scan_init(PyScan *scan, Str text, size_t offset, bool all);
void py_scan_done(PyScan *scan);
/// Whether everything is closed up to the next statement, also what is open at the offset.
bool py_scan_is_whole(const PyScan *scan);

typedef struct PyScannedArgument {
  size_t start;
  size_t end;     ///< Without the white space around it.
  Str keyword;    ///< Of `keyword=value`.
  size_t value;   ///< Where the value begins.
  bool is_splat;  ///< `*x` or `**x`
} PyScannedArgument;

/// The call whose brackets hold the offset: the innermost, looking out through lists, dictionaries and groups.
typedef struct PyScannedCall {
  size_t open;                       ///< The bracket.
  Str callee;                        ///< "g.op", "torch.onnx.export": names and dots; empty if it is something else.
  bool is_direct;                    ///< No list, dictionary or group is between the call and the offset.
  Vec(PyScannedArgument) arguments;  ///< Up to the closing bracket. There is always one at the offset, maybe empty.
  size_t active;                     ///< The argument at the offset.
  size_t position;                   ///< How many positional arguments come before that.
  bool after_splat;                  ///< One of those is `*x`: the position is unknown.
} PyScannedCall;

/// False if the offset is in no call.
bool py_scan_call(const PyScan *scan, PyScannedCall *ret_call);
void py_scan_call_done(PyScannedCall *call);

/// The string that an argument begins with, as written between its quotation marks; false if it is none.
bool py_scan_string(Str text, const PyScannedArgument *argument, Str *ret_content);
