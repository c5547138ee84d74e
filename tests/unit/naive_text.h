/// A document as one flat buffer, edited and measured in the most obvious way: the yardstick for text/document.h.
///
/// It shares no code with the server's text layer: its UTF-8 is a table of byte ranges, its lines are found byte by
/// byte.
///
/// Ownership: NaiveText owns its bytes.
/// Units:     as text/document.h.
/// Errors:    a difference prints what differs and aborts.
/// Threads:   one thread at a time.
/// Sources:   The Unicode Standard, table 3-7; LSP 3.17 "Position".
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "text/document_internal.h"

#define NAIVE_CHECK(condition)                                                                                         \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                        \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

typedef struct NaiveText {
  char *data;
  size_t len;
} NaiveText;

static inline NaiveText naive_new(Str text)
{
  return (NaiveText){ xstrdup_str(text), text.len };
}

static inline void naive_done(NaiveText *naive)
{
  free(naive->data);
  *naive = (NaiveText){ 0 };
}

/// Bytes of the code point at `at`; 1 for a byte that is not part of a well-formed sequence.
static inline size_t naive_code_point_len(const NaiveText *naive, size_t at)
{
  static const unsigned char rows[][9] = {
    // bytes, first from..to, second from..to, third from..to, fourth from..to
    { 2, 0xC2, 0xDF, 0x80, 0xBF, 0, 0, 0, 0 },
    { 3, 0xE0, 0xE0, 0xA0, 0xBF, 0x80, 0xBF, 0, 0 },
    { 3, 0xE1, 0xEC, 0x80, 0xBF, 0x80, 0xBF, 0, 0 },
    { 3, 0xED, 0xED, 0x80, 0x9F, 0x80, 0xBF, 0, 0 },
    { 3, 0xEE, 0xEF, 0x80, 0xBF, 0x80, 0xBF, 0, 0 },
    { 4, 0xF0, 0xF0, 0x90, 0xBF, 0x80, 0xBF, 0x80, 0xBF },
    { 4, 0xF1, 0xF3, 0x80, 0xBF, 0x80, 0xBF, 0x80, 0xBF },
    { 4, 0xF4, 0xF4, 0x80, 0x8F, 0x80, 0xBF, 0x80, 0xBF },
  };
  if ((unsigned char)naive->data[at] < 0x80)
    return 1;
  for (size_t row = 0; row < COUNT(rows); row++) {
    size_t len = rows[row][0];
    bool fits = len <= naive->len - at;
    for (size_t i = 0; fits && i < len; i++) {
      unsigned char byte = (unsigned char)naive->data[at + i];
      fits = byte >= rows[row][1 + 2 * i] && byte <= rows[row][2 + 2 * i];
    }
    if (fits)
      return len;
  }
  return 1;
}

static inline uint32_t naive_units(size_t code_point_len, PosEncoding encoding)
{
  if (encoding == POS_UTF8)
    return (uint32_t)code_point_len;
  return encoding == POS_UTF16 && code_point_len == 4 ? 2 : 1;
}

/// Length of the line ending at `at`; 0 if there is none.
static inline size_t naive_ending(const NaiveText *naive, size_t at)
{
  if (at >= naive->len)
    return 0;
  if (naive->data[at] == '\r')
    return at + 1 < naive->len && naive->data[at + 1] == '\n' ? 2 : 1;
  return naive->data[at] == '\n' ? 1 : 0;
}

/// The start of the line; the length of the text if there is no such line.
static inline size_t naive_line_start(const NaiveText *naive, uint32_t line)
{
  size_t at = 0;
  while (line > 0 && at < naive->len) {
    size_t ending = naive_ending(naive, at);
    at += ending > 0 ? ending : 1;
    line -= ending > 0;
  }
  return at;
}

static inline size_t naive_offset(const NaiveText *naive, Position position, PosEncoding encoding)
{
  size_t at = naive_line_start(naive, position.line);
  uint32_t left = position.character;
  while (at < naive->len && naive_ending(naive, at) == 0) {
    size_t len = naive_code_point_len(naive, at);
    if (naive_units(len, encoding) > left)
      break;
    left -= naive_units(len, encoding);
    at += len;
  }
  return at;
}

static inline Position naive_position(const NaiveText *naive, size_t offset, PosEncoding encoding)
{
  Position position = { 0 };
  for (size_t at = 0; at < offset;) {
    size_t ending = naive_ending(naive, at);
    size_t len = ending > 0 ? ending : naive_code_point_len(naive, at);
    if (at + len > offset)
      break;  // Inside a code point or a "\r\n".
    position.character += naive_units(len, encoding);
    if (ending > 0)
      position = (Position){ position.line + 1, 0 };
    at += len;
  }
  return position;
}

static inline Status naive_apply(NaiveText *naive, const TextChange *change, PosEncoding encoding)
{
  size_t start = change->is_full ? 0 : naive_offset(naive, change->start, encoding);
  size_t end = change->is_full ? naive->len : naive_offset(naive, change->end, encoding);
  if (end < start)
    return ERR_FORMAT;
  NaiveText after = { xmalloc(naive->len - (end - start) + change->text.len + 1), 0 };
  const Str parts[] = { { naive->data, start }, change->text, { naive->data + end, naive->len - end } };
  for (size_t i = 0; i < 3; i++) {
    if (parts[i].len > 0)
      memcpy(after.data + after.len, parts[i].data, parts[i].len);
    after.len += parts[i].len;
  }
  naive_done(naive);
  *naive = after;
  return OK;
}

/// Every promise that document.h makes about chunks, and the same bytes.
static inline void naive_check_text(const NaiveText *naive, const Document *document)
{
  NAIVE_CHECK(document->chunk_count >= 1);
  NAIVE_CHECK(document_length(document) == naive->len);
  NAIVE_CHECK(document->chunk_offsets[0] == 0 && document->chunk_lines[0] == 0);
  for (uint32_t i = 0; i < document->chunk_count; i++) {
    const TextChunk *chunk = document->chunks[i];
    bool is_last = i + 1 == document->chunk_count;
    size_t start = document->chunk_offsets[i];
    NAIVE_CHECK(document->chunk_offsets[i + 1] == start + chunk->len);
    NAIVE_CHECK(document->chunk_lines[i + 1] == document->chunk_lines[i] + chunk->line_count);
    NAIVE_CHECK(chunk->line_count >= 1 && chunk->starts[0] == 0);
    NAIVE_CHECK(chunk->len > 0 || document->chunk_count == 1);
    NAIVE_CHECK(memcmp(chunk->text, naive->data + start, chunk->len) == 0);
    NAIVE_CHECK(chunk->text[chunk->len] == '\0');
    if (is_last)
      continue;
    char last = chunk->text[chunk->len - 1];
    NAIVE_CHECK(last == '\n' || (last == '\r' && document->chunks[i + 1]->text[0] != '\n'));
  }
}

/// Line starts equal those of a fresh scan, and each line is what is between them.
static inline void naive_check_lines(const NaiveText *naive, const Document *document)
{
  uint32_t line = 0;
  size_t start = 0;
  for (size_t at = 0;;) {
    size_t ending = naive_ending(naive, at);
    if (ending == 0 && at < naive->len) {
      at++;
      continue;
    }
    NAIVE_CHECK(line < document_line_count(document));
    NAIVE_CHECK(document_line_start(document, line) == start);
    NAIVE_CHECK(str_equal(document_line(document, line), str_make(naive->data + start, at - start)));
    NAIVE_CHECK(document_line_of(document, start) == line);
    NAIVE_CHECK(document_line_of(document, at) == line);
    line++;
    at += ending;
    start = at;
    if (ending == 0)
      break;
  }
  NAIVE_CHECK(document_line_count(document) == line);
  NAIVE_CHECK(document_line_start(document, line) == naive->len);
}

/// `offset` and back in every encoding, and the neighbourhood as a slice.
static inline void naive_check_offset(const NaiveText *naive, const Document *document, size_t offset)
{
  for (PosEncoding encoding = POS_UTF8; encoding <= POS_UTF32; encoding++) {
    Position expected = naive_position(naive, offset, encoding);
    Position position = document_position(document, offset, encoding);
    NAIVE_CHECK(position.line == expected.line && position.character == expected.character);
    size_t back = document_offset(document, position, encoding);
    NAIVE_CHECK(back == naive_offset(naive, position, encoding) && back <= offset);
    // What was rounded down once stays where it is.
    Position again = document_position(document, back, encoding);
    NAIVE_CHECK(again.line == position.line && again.character == position.character);
  }
  Arena arena = { 0 };
  Range range = { offset / 2, offset };
  Str slice = document_slice(document, range, &arena);
  NAIVE_CHECK(str_equal(slice, str_make(naive->data + range.start, range.end - range.start)));
  arena_done(&arena);
}

/// Chunks well away from a single ranged edit are the same objects before and after it.
static inline void naive_check_sharing(const Document *before, const Document *after, Range edited)
{
  uint32_t first = document_locate(before, edited.start).chunk;
  uint32_t last = document_locate(before, edited.end).chunk;
  for (uint32_t i = 0; i + 1 < first; i++)
    NAIVE_CHECK(after->chunks[i] == before->chunks[i]);
  for (uint32_t from_end = 1; before->chunk_count - from_end > last + 1; from_end++)
    NAIVE_CHECK(after->chunks[after->chunk_count - from_end] == before->chunks[before->chunk_count - from_end]);
}

/// Applies the changes to both, compares everything, and puts the new document in the place of the old one.
static inline void naive_step(NaiveText *naive, Document **document, const TextChange *changes, size_t count,
                              PosEncoding encoding)
{
  NaiveText after = naive_new(str_make(naive->data, naive->len));
  Status expected = OK;
  for (size_t i = 0; i < count && expected == OK; i++)
    expected = naive_apply(&after, &changes[i], encoding);

  Document *edited = NULL;
  NAIVE_CHECK(document_apply(*document, changes, count, encoding, &edited) == expected);
  naive_check_text(naive, *document);  // The old version is what it was, whatever it shares with the new one.
  if (expected != OK) {
    NAIVE_CHECK(!edited);
    naive_done(&after);
    return;
  }
  naive_check_text(&after, edited);
  naive_check_lines(&after, edited);
  if (count == 1 && !changes[0].is_full) {
    Range range = { naive_offset(naive, changes[0].start, encoding), naive_offset(naive, changes[0].end, encoding) };
    naive_check_sharing(*document, edited, range);
  }
  document_release(*document);
  *document = edited;
  naive_done(naive);
  *naive = after;
}
