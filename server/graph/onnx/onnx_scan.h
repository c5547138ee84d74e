/// Characters, names, strings and numbers of ONNX text.
///
/// Ownership: borrows the text and the arena.
/// Units:     offsets are bytes from the start of the text.
/// Errors:    takers answer false and leave the place where it was; what is tolerated is a mistake of the model.
/// Threads:   one thread at a time.
/// Sources:   onnx/defs/parser.h and parser.cc of onnx 1.20.
#pragma once

#include "graph/onnx/onnx_tree.h"

typedef struct OnnxScan {
  OnnxModel *model;
  Arena *arena;
  Str text;
  uint32_t at;
  uint32_t bare_names;  ///< Names that must be quoted; the first is a mistake of its own.
  bool has_told_left_out;
  size_t bare_mistake;
  bool lacks_attrs;    ///< A comment before the node says that one of its attributes can't be written.
  OnnxSpan unwritten;  ///< What the comment says of it: `sparse_tensor(float[4,4]): sparse_value`.
  bool has_slashes;    ///< A `//` comment was met.
  bool is_silent;      ///< What is missing in this statement was reported: a string that has no end took it.
  bool never_closes;   ///< A bracket before here has no end, so brackets say nothing about where statements end.
} OnnxScan;

typedef enum OnnxNumberKind {
  ONNX_NUMBER_NONE,
  ONNX_NUMBER_INT,
  ONNX_NUMBER_FLOAT,
  ONNX_NUMBER_TOO_LARGE,
} OnnxNumberKind;

/// Adds a mistake; `damages` when something of the text is lost by it.
void onnx_scan_mistake(OnnxScan *scan, uint32_t start, uint32_t end, Str message, bool damages);

void onnx_skip_blanks(OnnxScan *scan);
/// White space and comments; mostly there are none.
static inline void onnx_skip_space(OnnxScan *scan)
{
  char c = scan->at < scan->text.len ? scan->text.data[scan->at] : '\0';
  if (c <= '#' || c == '/')
    onnx_skip_blanks(scan);
}
/// The next character after white space and comments; '\0' at the end.
static inline char onnx_peek(OnnxScan *scan)
{
  onnx_skip_space(scan);
  return scan->at < scan->text.len ? scan->text.data[scan->at] : '\0';
}
static inline bool onnx_take(OnnxScan *scan, char c)
{
  if (onnx_peek(scan) != c || scan->at >= scan->text.len)
    return false;
  scan->at++;
  return true;
}
/// `=>`
bool onnx_take_arrow(OnnxScan *scan);
/// `[A-Za-z_][A-Za-z0-9_]*`
bool onnx_take_word(OnnxScan *scan, Str *ret_word);
/// What a binary model has in its place may be no word, and is printed in quotes.
bool onnx_take_printed_word(OnnxScan *scan, Str *ret_word);
/// A word without moving on; empty if there is none.
Str onnx_peek_word(OnnxScan *scan);
/// A string in quotes, unescaped; a mistake if it never ends.
bool onnx_take_string(OnnxScan *scan, Str *ret_text);
/// A name of a value or a graph: a word, a string, or with a mistake what printers before onnx 1.18 wrote.
bool onnx_take_name(OnnxScan *scan, OnnxName *ret_name);
OnnxNumberKind onnx_take_number(OnnxScan *scan, int64_t *ret_int, double *ret_float);
bool onnx_float_fits(Str digits, bool is_double);
/// Passes over a damaged statement: to the line end after all brackets that it opens.
void onnx_skip_damage(OnnxScan *scan, uint32_t from);
/// What stands here, for a message.
Str onnx_quote(OnnxScan *scan);
