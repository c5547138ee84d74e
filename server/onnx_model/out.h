/// Writing ONNX text: lines and their numbers, names and strings, notes at the end of a line, comments.
///
/// Ownership: appends to the caller's buffer; owns the notes that wait for the end of their line.
/// Units:     lines are counted from 0, as an editor counts them ("\n", "\r\n" and a lone "\r" end one).
/// Errors:    `status` is what `drain` said; nothing is written after that.
/// Threads:   one thread at a time.
/// Sources:   onnx/defs/parser.cc of 1.20 and 1.22: only '"' and '\' are escaped in a string, an identifier is
///            [A-Za-z_][A-Za-z0-9_]*, '#' begins a comment.
#pragma once

#include "base/buffer.h"
#include "onnx_model/onnx_wire.h"

typedef struct Out {
  Buffer *text;
  Source *source;
  Buffer notes;
  uint64_t line;
  size_t column;  ///< Bytes since the line began.
  unsigned indent;
  bool is_muted;   ///< Nothing is written: another graph was asked for.
  bool is_passed;  ///< No checker looks at what is written now, so nothing of it is refused.
  bool ends_with_return;
  bool wants_indent;  ///< Before the next text of this line.
  bool is_wrapped;    ///< Then by two steps more.
  Status status;
  void *context;
  Status (*drain)(void *context, Buffer *text);  ///< NULL: the text stays in the buffer.
} Out;

void out_done(Out *out);
/// Text without line ends.
void out_put(Out *out, Str s);
void out_number(Out *out, int64_t number);
/// Ends the line, after the notes; what comes next is indented.
void out_line(Out *out);
/// The same, unless nothing is on this line yet.
void out_fresh(Out *out);
/// As out_line(), if this one is full: in a list of values, or in a statement, which people look for by its line.
void out_wrap_values(Out *out);
void out_wrap(Out *out);
/// A comment for the end of this line.
void out_note(Out *out, const char *format, ...) PRINTF_LIKE(2, 3);
/// The same about what no checker of ONNX takes and the text has no words for: the note begins with OUT_REFUSED.
void out_refused(Out *out, const char *format, ...) PRINTF_LIKE(2, 3);
#define OUT_REFUSED "refused: "
/// The same as out_note() with a quoted string of the model.
void out_note_string(Out *out, const char *what, const Field *field);

/// A string of the model in quotes; NULL is empty.
void out_quoted(Out *out, const Field *field);
/// The same of a field that may hold any bytes.
void out_quoted_bytes(Out *out, const Field *field);
/// A name: as it is if the syntax takes it so, else in quotes.
void out_name(Out *out, const Field *field);
/// The same where the syntax has no types, so their words are names like others: operators, attributes.
void out_word(Out *out, const Field *field);
/// A name where the official parser takes no quotes and to which nothing refers: made an identifier, with a note. An
/// empty one is left out.
void out_label(Out *out, const Field *field, const char *what, bool may_be_empty);
/// Lines of comment: `label`, then the string, line by line. `label` may hold no line end.
void out_comment(Out *out, const char *label, const Field *field);
/// The same with a label that comes from the model, too.
void out_comment_entry(Out *out, const Field *key, const Field *value);
