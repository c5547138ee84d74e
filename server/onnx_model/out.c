#include "onnx_model/out.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "onnx_model/schema.h"
#include "text/marker.h"
#include "text/utf.h"

enum {
  VALUES_WIDTH = 120,
  LINE_WIDTH = 1000,
  BAD_BYTES_SHOWN = 16,
};

void out_done(Out *out)
{
  buffer_done(&out->notes);
}

static bool is_writing(const Out *out)
{
  return !out->is_muted && out->status == OK;
}

void out_put(Out *out, Str s)
{
  if (!is_writing(out) || s.len == 0)
    return;
  unsigned steps = out->wants_indent ? out->indent + (out->is_wrapped ? 2 : 0) : 0;
  for (; steps > 0; steps--) {
    buffer_append(out->text, STR("   "));
    out->column += 3;
  }
  out->wants_indent = out->is_wrapped = false;
  buffer_append(out->text, s);
  out->column += s.len;
  out->ends_with_return = false;
}

void out_number(Out *out, int64_t number)
{
  char room[STR_INT_ROOM];
  out_put(out, str_from_int(number, room));
}

/// Text of any kind.
static void put_text(Out *out, Str s)
{
  if (!is_writing(out) || s.len == 0)
    return;
  bool is_one_line = !memchr(s.data, '\n', s.len) && !memchr(s.data, '\r', s.len);
  if (is_one_line) {
    out->column += s.len;
    out->ends_with_return = false;
  }
  for (size_t i = 0; !is_one_line && i < s.len; i++) {
    char c = s.data[i];
    bool ends_line = c == '\r' || (c == '\n' && !out->ends_with_return);
    out->line += ends_line;
    out->column = c == '\r' || c == '\n' ? 0 : out->column + 1;
    out->ends_with_return = c == '\r';
  }
  buffer_append(out->text, s);
}

static void drain(Out *out)
{
  if (out->drain && out->status == OK && out->text->len >= MODEL_TEXT_PIECE)
    out->status = out->drain(out->context, out->text);
}

/// What a model says is no comment of ours, that would switch rules off: in quotes the marker is none.
static void put_comment(Out *out, Str line)
{
  for (size_t at; (at = marker_find(line, 0)) != STR_NOT_FOUND;
       line = str_slice(line, at + sizeof(MARKER) - 1, line.len)) {
    out_put(out, str_slice(line, 0, at));
    out_put(out, STR("\"" MARKER "\""));
  }
  out_put(out, line);
}

void out_line(Out *out)
{
  if (!is_writing(out))
    return;
  while (out->text->len > 0 && out->text->data[out->text->len - 1] == ' ')
    out->text->len--;
  if (out->notes.len > 0) {
    out_put(out, STR("  # "));
    put_comment(out, buffer_str(&out->notes));
    out->notes.len = 0;
  }
  buffer_append_char(out->text, '\n');
  out->line++;
  out->column = 0;
  out->wants_indent = true;
  drain(out);
}

void out_fresh(Out *out)
{
  if (out->column > 0)
    out_line(out);
}

static void wrap(Out *out, size_t width)
{
  if (out->column < width)
    return;
  out_line(out);
  out->is_wrapped = true;
}

void out_wrap_values(Out *out)
{
  wrap(out, VALUES_WIDTH);
}

void out_wrap(Out *out)
{
  wrap(out, LINE_WIDTH);
}

void out_note(Out *out, const char *format, ...)
{
  char text[512];
  if (!is_writing(out))
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  if (out->notes.len > 0)
    buffer_append(&out->notes, STR("; "));
  buffer_append(&out->notes, str_from(text));
}

void out_refused(Out *out, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  out_note(out, "%s%s", out->is_passed ? "" : OUT_REFUSED, text);
}

/// What a piece of a string may end with: not the first bytes of a character.
static size_t whole_characters(const char *data, size_t len, bool is_last)
{
  if (is_last)
    return len;
  size_t end = len;
  for (size_t back = 0; back < UTF_MAX_BYTES - 1 && end > 0 && ((uint8_t)data[end - 1] & 0xC0) == 0x80; back++)
    end--;
  if (end > 0 && (uint8_t)data[end - 1] >= 0xC0)
    return end - 1;
  return len;
}

/// The next piece of a string: at most MODEL_WINDOW / 2 bytes, whole characters; empty at its end.
static Str next_piece(Source *source, const Field *field, uint64_t *at)
{
  uint64_t rest = field ? field->value - *at : 0;
  if (rest == 0)
    return STR("");
  size_t want = rest < MODEL_WINDOW / 2 ? (size_t)rest : MODEL_WINDOW / 2;
  size_t len;
  const char *data = source_at(source, field->start + *at, want, &len);
  if (len < want)
    return STR("");
  len = whole_characters(data, want, want == rest);
  *at += len;
  return str_make(data, len);
}

static void put_escaped(Out *out, Str s)
{
  size_t start = 0;
  bool is_plain = !memchr(s.data, '"', s.len) && !memchr(s.data, '\\', s.len);
  for (size_t i = 0; !is_plain && i < s.len; i++) {
    if (s.data[i] != '"' && s.data[i] != '\\')
      continue;
    put_text(out, str_slice(s, start, i));
    out_put(out, STR("\\"));
    start = i;
  }
  put_text(out, str_slice(s, start, s.len));
}

static bool is_bad_byte(Str s, size_t i, size_t *ret_len)
{
  bool is_ill_formed = utf_decode(s, i, ret_len) == UTF_REPLACEMENT && *ret_len == 1;
  return is_ill_formed || s.data[i] == '\0';
}

static void put_repaired(Out *out, Str s)
{
  size_t start = 0;
  size_t len;
  for (size_t i = 0; i < s.len; i += len) {
    if (!is_bad_byte(s, i, &len))
      continue;
    put_escaped(out, str_slice(s, start, i));
    out_put(out, STR("\xEF\xBF\xBD"));
    start = i + 1;
  }
  put_escaped(out, str_slice(s, start, s.len));
}

/// Text is UTF-8, and ends at a NUL for the official parser. What can't be in it is shown as U+FFFD, and its bytes
/// are in a note.
static void note_bad_bytes(Out *out, Str s, const char *what)
{
  char hex[3 * BAD_BYTES_SHOWN + 1] = "";
  size_t count = 0;
  for (size_t i = 0; i < s.len;) {
    size_t len;
    bool is_bad = is_bad_byte(s, i, &len);
    if (is_bad && count < BAD_BYTES_SHOWN)
      snprintf(hex + 3 * count, 4, " %02x", (unsigned)(uint8_t)s.data[i]);
    count += is_bad;
    i += len;
  }
  out_note(out, "%s, shown as U+FFFD (%zu):%s%s", what, count, hex, count > BAD_BYTES_SHOWN ? " ..." : "");
}

// Source: google.protobuf in Python decodes what it reads; onnx in C++ and sessions take any bytes (onnx 1.20, tried).
#define BAD_BYTES "bytes that text can't have"
#define NO_UTF8   OUT_REFUSED "text that is no UTF-8, which Python's protobuf does not read"

static void put_quoted(Out *out, const Field *field, const char *what_if_ill_formed)
{
  if (!is_writing(out))
    return;
  uint64_t at = 0;
  out_put(out, STR("\""));
  for (Str piece; (piece = next_piece(out->source, field, &at)).len > 0;) {
    bool is_valid = utf_is_valid(piece);
    if (is_valid && !memchr(piece.data, 0, piece.len)) {
      put_escaped(out, piece);
    } else {
      put_repaired(out, piece);
      note_bad_bytes(out, piece, is_valid ? BAD_BYTES : what_if_ill_formed);
    }
  }
  out_put(out, STR("\""));
}

void out_quoted(Out *out, const Field *field)
{
  put_quoted(out, field, NO_UTF8);
}

void out_quoted_bytes(Out *out, const Field *field)
{
  put_quoted(out, field, BAD_BYTES);
}

static bool is_identifier(Str s)
{
  if (s.len == 0 || ascii_is_digit(s.data[0]))
    return false;
  for (size_t i = 0; i < s.len; i++) {
    if (!ascii_is_word(s.data[i]))
      return false;
  }
  return true;
}

/// A name that is short enough to be looked at in one go; longer ones are quoted.
static Str short_name(Source *source, const Field *field)
{
  uint64_t at = 0;
  if (!field || field->value > MODEL_JUMP_READ)
    return STR("");
  return next_piece(source, field, &at);
}

void out_name(Out *out, const Field *field)
{
  if (!is_writing(out))
    return;
  Str name = short_name(out->source, field);
  if (is_identifier(name) && !schema_is_type_word(name))
    out_put(out, name);
  else
    out_quoted(out, field);
}

void out_word(Out *out, const Field *field)
{
  Str name = is_writing(out) ? short_name(out->source, field) : STR("");
  if (is_identifier(name))
    out_put(out, name);
  else
    out_quoted(out, field);
}

/// Words that the official parser takes for a number where a graph's name may be.
static bool is_float_word(Str s)
{
  return str_equal_ignore_case(s, STR("inf")) || str_equal_ignore_case(s, STR("infinity")) ||
         str_equal_ignore_case(s, STR("nan"));
}

void out_label(Out *out, const Field *field, const char *what, bool is_graph)
{
  if (!is_writing(out) || (!is_graph && (!field || field->value == 0)))
    return;
  Str name = short_name(out->source, field);
  if (is_identifier(name) && !(is_graph && (schema_is_type_word(name) || is_float_word(name)))) {
    out_put(out, name);
    return;
  }
  out_put(out, STR("_"));
  for (size_t i = 0; i < name.len; i++)
    out_put(out, ascii_is_word(name.data[i]) ? str_slice(name, i, i + 1) : STR("_"));
  out_note_string(out, what, field);
}

/// Makes text fit for a comment: one line, nothing that a terminal or an editor acts on.
static void append_harmless(Buffer *buffer, Str s)
{
  for (size_t i = 0; i < s.len; i++) {
    uint8_t c = (uint8_t)s.data[i];
    if ((c < 0x20 && c != '\t') || c == 0x7F)
      buffer_append(buffer, STR("\xEF\xBF\xBD"));
    else
      buffer_append_char(buffer, (char)c);
  }
}

void out_note_string(Out *out, const char *what, const Field *field)
{
  if (!is_writing(out))
    return;
  Arena arena = { 0 };
  uint64_t at = 0;
  Field shown = field ? *field : (Field){ 0 };
  bool is_cut = shown.value > MODEL_JUMP_READ;
  if (is_cut)
    shown.value = MODEL_JUMP_READ;
  out_note(out, "%s \"", what);
  Str piece = next_piece(out->source, &shown, &at);
  append_harmless(&out->notes, utf_repair(piece, &arena));
  buffer_append(&out->notes, is_cut ? STR("\"...") : STR("\""));
  if (!utf_is_valid(piece))
    note_bad_bytes(out, piece, NO_UTF8);
  arena_done(&arena);
}

/// Lines of one comment, put together from pieces.
typedef struct Comment {
  Out *out;
  Buffer line;
  size_t lines;
  bool is_ill_formed;
} Comment;

static void end_comment_line(Comment *comment)
{
  Str line = buffer_str(&comment->line);
  while (line.len > 0 && (line.data[line.len - 1] == ' ' || line.data[line.len - 1] == '\t'))
    line.len--;
  if (comment->lines < MODEL_COMMENT_LINES) {
    put_comment(comment->out, line);
    out_line(comment->out);
  } else if (comment->lines == MODEL_COMMENT_LINES) {
    out_put(comment->out, STR("# ... more lines are left out"));
    out_line(comment->out);
  }
  comment->lines++;
  comment->line.len = 0;
}

static void add_comment_text(Comment *comment, Str text)
{
  for (size_t i = 0; i < text.len;) {
    size_t end = i;
    while (end < text.len && text.data[end] != '\n' && text.data[end] != '\r')
      end++;
    append_harmless(&comment->line, str_slice(text, i, end));
    if (end < text.len) {
      end_comment_line(comment);
      buffer_append(&comment->line, STR("#    "));
      bool is_pair = text.data[end] == '\r' && end + 1 < text.len && text.data[end + 1] == '\n';
      end += is_pair ? 2 : 1;
    }
    i = end;
  }
}

static void add_comment_field(Comment *comment, const Field *field)
{
  uint64_t at = 0;
  for (Str piece; (piece = next_piece(comment->out->source, field, &at)).len > 0;) {
    Arena arena = { 0 };
    Str repaired = utf_repair(piece, &arena);
    comment->is_ill_formed |= repaired.data != piece.data;
    add_comment_text(comment, repaired);
    arena_done(&arena);
  }
}

static void end_comment(Comment *comment)
{
  end_comment_line(comment);
  if (comment->is_ill_formed) {
    out_put(comment->out, STR("# " NO_UTF8));
    out_line(comment->out);
  }
  buffer_done(&comment->line);
}

void out_comment(Out *out, const char *label, const Field *field)
{
  if (!is_writing(out))
    return;
  Comment comment = { .out = out };
  buffer_printf(&comment.line, "# %s", label);
  add_comment_field(&comment, field);
  end_comment(&comment);
}

void out_comment_entry(Out *out, const Field *key, const Field *value)
{
  if (!is_writing(out))
    return;
  Comment comment = { .out = out };
  buffer_append(&comment.line, STR("# "));
  add_comment_field(&comment, key);
  buffer_append(&comment.line, STR(": "));
  add_comment_field(&comment, value);
  end_comment(&comment);
}
