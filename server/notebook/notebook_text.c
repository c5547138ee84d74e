#include "notebook/notebook_text.h"

#include "base/ascii.h"
#include "text/utf.h"

void notebook_text_done(NotebookText *text)
{
  buffer_done(&text->text);
  vec_free(&text->pieces);
}

/// Four hexadecimal digits after `\u`; false if they are none.
static bool read_hex(Str file, size_t at, uint32_t *ret_code)
{
  uint32_t code = 0;
  for (size_t i = at; i < at + 4; i++) {
    int digit = i < file.len ? ascii_hex_value(file.data[i]) : -1;
    if (digit < 0)
      return false;
    code = code * 16 + (uint32_t)digit;
  }
  *ret_code = code;
  return true;
}

/// One character of a string, at `at`: what it stands for, and how many bytes the file spells it with.
typedef struct JsonCharacter {
  char bytes[UTF_MAX_BYTES];
  size_t count;
  size_t spelled;
} JsonCharacter;

static JsonCharacter read_unicode(Str file, size_t at)
{
  JsonCharacter character = { .spelled = 6 };
  uint32_t code;
  uint32_t low;
  if (!read_hex(file, at + 2, &code))
    return (JsonCharacter){ .bytes = "u", .count = 1, .spelled = 2 };
  bool is_high = code >= 0xd800 && code < 0xdc00 && str_starts_with(str_slice(file, at + 6, file.len), STR("\\u"));
  if (is_high && read_hex(file, at + 8, &low) && low >= 0xdc00 && low < 0xe000) {
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    character.spelled = 12;
  }
  character.count = utf_encode(code, character.bytes);
  return character;
}

static JsonCharacter read_character(Str file, size_t at)
{
  static const char escapes[] = "b\bf\fn\nr\rt\t";
  char c = file.data[at];
  if (c != '\\' || at + 1 >= file.len)
    return (JsonCharacter){ .bytes = { c }, .count = 1, .spelled = 1 };
  char name = file.data[at + 1];
  if (name == 'u')
    return read_unicode(file, at);
  for (size_t i = 0; i + 1 < sizeof(escapes) - 1; i += 2) {
    if (escapes[i] == name)
      return (JsonCharacter){ .bytes = { escapes[i + 1] }, .count = 1, .spelled = 2 };
  }
  return (JsonCharacter){ .bytes = { name }, .count = 1, .spelled = 2 };
}

void notebook_text_add(NotebookText *text, Range in_file)
{
  NotebookPiece piece = { .start = text->text.len, .in_file = { in_file.start, in_file.start } };
  for (size_t at = in_file.start; at < in_file.end;) {
    JsonCharacter character = read_character(text->file, at);
    buffer_append(&text->text, str_make(character.bytes, character.count));
    at += character.spelled;
    piece.in_file.end = at;
    if (character.bytes[0] == '\n') {
      vec_push(&text->pieces, piece);
      piece = (NotebookPiece){ .start = text->text.len, .in_file = { at, at } };
    }
  }
  if (piece.in_file.end > piece.in_file.start || text->pieces.count == 0)
    vec_push(&text->pieces, piece);
}

void notebook_text_end_line(NotebookText *text, size_t start)
{
  bool is_ended = text->text.len <= start || text->text.data[text->text.len - 1] == '\n';
  if (!is_ended)
    buffer_append_char(&text->text, '\n');
}

/// The last piece that starts at `offset` or before it.
static const NotebookPiece *piece_at(const NotebookText *text, size_t offset)
{
  size_t low = 0;
  size_t high = text->pieces.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (text->pieces.items[middle].start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &text->pieces.items[low - 1] : NULL;
}

/// Where the byte at `offset` is in the file, or the end of its piece.
static size_t walk_piece(const NotebookText *text, const NotebookPiece *piece, size_t offset)
{
  size_t at = piece->in_file.start;
  for (size_t decoded = piece->start; at < piece->in_file.end;) {
    JsonCharacter character = read_character(text->file, at);
    decoded += character.count;
    if (decoded > offset)
      break;
    at += character.spelled;
  }
  return at;
}

Range notebook_text_in_file(const NotebookText *text, Range range)
{
  const NotebookPiece *first = piece_at(text, range.start);
  if (!first)
    return (Range){ 0, 0 };
  size_t start = walk_piece(text, first, range.start);
  if (range.end <= range.start)
    return (Range){ start, start };
  const NotebookPiece *last = piece_at(text, range.end - 1);
  size_t end = walk_piece(text, last, range.end);
  return (Range){ start, end > start ? end : start };
}

/// Pieces are in the order of the file, too.
bool notebook_text_from_file(const NotebookText *text, size_t offset, size_t *ret_offset)
{
  size_t low = 0;
  size_t high = text->pieces.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (text->pieces.items[middle].in_file.start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  const NotebookPiece *piece = low > 0 ? &text->pieces.items[low - 1] : NULL;
  if (!piece || offset > piece->in_file.end)
    return false;
  *ret_offset = piece->start;
  for (size_t at = piece->in_file.start; at < offset;) {
    JsonCharacter character = read_character(text->file, at);
    at += character.spelled;
    if (at <= offset)
      *ret_offset += character.count;
  }
  return true;
}
