#include "rpc/frame.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/memory.h"

static const Str content_length = STR_INIT("content-length");

static const FrameEvent no_event = { .kind = FRAME_MORE };

enum {
  LINE_KEPT = 128,           // Of an endless line; more than the longest header that matters.
  BODY_FIRST = 1024 * 1024,  // Grown from here, so that a length that lies costs nothing.
  HEADER_TAIL = 64,          // How far before a line end a swallowed header is looked for.
};

void frame_decoder_init(FrameDecoder *decoder, size_t limit)
{
  *decoder = (FrameDecoder){ .limit = limit };
}

void frame_decoder_done(FrameDecoder *decoder)
{
  free(decoder->body);
  *decoder = (FrameDecoder){ 0 };
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static bool is_name_char(char c)
{
  return ascii_is_letter(c) || ascii_is_digit(c) || c == '-' || c == '_';
}

static size_t skip_blanks_back(Str s, size_t end)
{
  while (end > 0 && is_blank(s.data[end - 1]))
    end--;
  return end;
}

// A number too large for 64 bits is as good as the largest.
static uint64_t parse_length(Str digits)
{
  uint64_t value = 0;
  for (size_t i = 0; i < digits.len; i++) {
    if (value > (UINT64_MAX - 9) / 10)
      return UINT64_MAX;
    value = value * 10 + (uint64_t)(digits.data[i] - '0');
  }
  return value;
}

// Finds "Content-Length: N" at the end of a line, whatever comes before it; returns where it starts.
static size_t find_length_header(Str line, uint64_t *ret_length)
{
  size_t digits_end = skip_blanks_back(line, line.len);
  size_t digits = digits_end;
  while (digits > 0 && ascii_is_digit(line.data[digits - 1]))
    digits--;
  if (digits == digits_end)
    return STR_NOT_FOUND;
  size_t colon = skip_blanks_back(line, digits);
  if (colon == 0 || line.data[colon - 1] != ':')
    return STR_NOT_FOUND;
  size_t name_end = skip_blanks_back(line, colon - 1);
  if (name_end < content_length.len)
    return STR_NOT_FOUND;
  size_t name = name_end - content_length.len;
  if (!str_equal_ignore_case(str_slice(line, name, name_end), content_length))
    return STR_NOT_FOUND;
  if (name > 0 && is_name_char(line.data[name - 1]))
    return STR_NOT_FOUND;  // X-Content-Length is something else.
  *ret_length = parse_length(str_slice(line, digits, digits_end));
  return name;
}

// "Name: value" with a name as HTTP has it.
static bool is_header_line(Str line)
{
  size_t colon = str_find_char(line, ':', 0);
  if (colon == STR_NOT_FOUND || colon == 0)
    return false;
  for (size_t i = 0; i < colon; i++) {
    if (!is_name_char(line.data[i]))
      return false;
  }
  return true;
}

static bool is_length_name(Str line)
{
  Str name = str_trim(str_slice(line, 0, str_find_char(line, ':', 0)));
  return str_equal_ignore_case(name, content_length);
}

static FrameEvent problem(FrameDecoder *decoder, FrameProblem what, uint64_t length)
{
  if (decoder->is_resyncing)
    return no_event;
  decoder->is_resyncing = true;
  return (FrameEvent){ .kind = FRAME_PROBLEM, .problem = what, .length = length };
}

static void expect_header(FrameDecoder *decoder)
{
  decoder->state = FRAME_IN_HEADER;
  decoder->has_header = false;
  decoder->has_length = false;
  decoder->line_len = 0;
}

static FrameEvent finish_body(FrameDecoder *decoder)
{
  FrameEvent event = { .kind = FRAME_BODY, .body = decoder->body, .body_len = decoder->body_len };
  decoder->body = NULL;
  decoder->body_len = 0;
  decoder->body_capacity = 0;
  return event;
}

static void keep_line(FrameDecoder *decoder, Str part)
{
  if (decoder->line_len + part.len > FRAME_LINE_SIZE) {
    size_t kept = decoder->line_len < LINE_KEPT ? decoder->line_len : LINE_KEPT;
    memmove(decoder->line, decoder->line + decoder->line_len - kept, kept);
    decoder->line_len = kept;
    part = str_slice(part, part.len > LINE_KEPT ? part.len - LINE_KEPT : 0, part.len);
  }
  if (part.len > 0)
    memcpy(decoder->line + decoder->line_len, part.data, part.len);
  decoder->line_len += part.len;
}

// Takes bytes up to and with the next line end into `line`; false if there was none.
static bool take_line(FrameDecoder *decoder, Str *input, size_t limit)
{
  Str window = str_slice(*input, 0, limit);
  size_t newline = str_find_char(window, '\n', 0);
  bool is_whole = newline != STR_NOT_FOUND;
  keep_line(decoder, str_slice(window, 0, is_whole ? newline : window.len));
  size_t used = is_whole ? newline + 1 : window.len;
  *input = str_slice(*input, used, input->len);
  return is_whole;
}

// The blank line after the headers.
static FrameEvent end_of_headers(FrameDecoder *decoder)
{
  if (!decoder->has_length) {
    bool had_header = decoder->has_header;
    expect_header(decoder);
    return had_header ? problem(decoder, FRAME_NO_LENGTH, 0) : no_event;
  }
  uint64_t length = decoder->length;
  decoder->is_resyncing = false;
  decoder->missing = length;
  expect_header(decoder);
  if (length > decoder->limit) {
    decoder->state = FRAME_IN_SKIP;
    return problem(decoder, FRAME_TOO_LARGE, length);
  }
  decoder->state = FRAME_IN_BODY;
  decoder->body_capacity = length < BODY_FIRST ? (size_t)length : BODY_FIRST;
  decoder->body = xmalloc(decoder->body_capacity);
  if (length > 0)
    return no_event;
  expect_header(decoder);
  return finish_body(decoder);
}

static void start_headers_with_length(FrameDecoder *decoder, uint64_t length)
{
  expect_header(decoder);
  decoder->has_header = true;
  decoder->has_length = true;
  decoder->length = length;
}

static FrameEvent end_of_header_line(FrameDecoder *decoder)
{
  Str line = str_make(decoder->line, decoder->line_len);
  decoder->line_len = 0;
  if (str_trim(line).len == 0)
    return end_of_headers(decoder);

  uint64_t length = 0;
  size_t start = find_length_header(line, &length);
  if (start != STR_NOT_FOUND) {
    bool has_garbage = str_trim(str_slice(line, 0, start)).len > 0;
    start_headers_with_length(decoder, length);
    return has_garbage ? problem(decoder, FRAME_GARBAGE, 0) : no_event;
  }
  if (!is_header_line(line))
    return problem(decoder, FRAME_GARBAGE, 0);
  decoder->has_header = true;
  if (!is_length_name(line))
    return no_event;
  decoder->has_length = false;
  return problem(decoder, FRAME_BAD_LENGTH, 0);
}

static FrameEvent read_header(FrameDecoder *decoder, Str *input)
{
  if (!take_line(decoder, input, input->len))
    return no_event;
  return end_of_header_line(decoder);
}

static void append_to_body(FrameDecoder *decoder, Str part)
{
  size_t need = decoder->body_len + part.len;
  if (need > decoder->body_capacity) {
    size_t grown = decoder->body_capacity * 2;
    size_t whole = decoder->body_len + (size_t)decoder->missing;
    decoder->body_capacity = grown < need ? need : grown > whole ? whole : grown;
    decoder->body = xrealloc(decoder->body, decoder->body_capacity);
  }
  memcpy(decoder->body + decoder->body_len, part.data, part.len);
  decoder->body_len = need;
}

// A length that was too large by a few bytes ends within the next message's header: finds the part of it that was
// taken.
static Str find_swallowed_header(Str bytes)
{
  Str tail = str_slice(bytes, bytes.len > HEADER_TAIL ? bytes.len - HEADER_TAIL : 0, bytes.len);
  size_t brace = str_rfind_char(tail, '}');
  Str rest = brace == STR_NOT_FOUND ? STR("") : str_slice(tail, brace + 1, tail.len);
  Str start = str_slice(str_trim(rest), 0, content_length.len);
  return str_equal_ignore_case(start, str_slice(content_length, 0, start.len)) ? rest : STR("");
}

static FrameEvent read_body(FrameDecoder *decoder, Str *input)
{
  Str window = str_slice(*input, 0, decoder->missing < input->len ? (size_t)decoder->missing : input->len);
  size_t newline = str_find_char(window, '\n', 0);
  Str part = str_slice(window, 0, newline == STR_NOT_FOUND ? window.len : newline + 1);
  append_to_body(decoder, part);
  decoder->missing -= part.len;
  *input = str_slice(*input, part.len, input->len);

  if (newline != STR_NOT_FOUND) {
    Str body = str_make(decoder->body, decoder->body_len - 1);
    Str tail = str_slice(body, body.len > HEADER_TAIL ? body.len - HEADER_TAIL : 0, body.len);
    uint64_t length = 0;
    size_t start = find_length_header(tail, &length);
    if (start != STR_NOT_FOUND) {
      decoder->body_len = (size_t)(tail.data + start - decoder->body);
      start_headers_with_length(decoder, length);
      return finish_body(decoder);
    }
  }
  if (decoder->missing > 0)
    return no_event;
  expect_header(decoder);
  Str header = find_swallowed_header(str_make(decoder->body, decoder->body_len));
  keep_line(decoder, str_trim(header));
  decoder->body_len -= header.len;
  return finish_body(decoder);
}

// Passes over a body that is too large, or over what a wrong length called one.
static void read_skipped(FrameDecoder *decoder, Str *input)
{
  size_t before = input->len;
  bool is_whole = take_line(decoder, input, decoder->missing < input->len ? (size_t)decoder->missing : input->len);
  decoder->missing -= before - input->len;
  if (is_whole) {
    uint64_t length = 0;
    size_t start = find_length_header(str_make(decoder->line, decoder->line_len), &length);
    decoder->line_len = 0;
    if (start != STR_NOT_FOUND) {
      start_headers_with_length(decoder, length);
      return;
    }
  }
  if (decoder->missing > 0)
    return;
  Str header = str_trim(find_swallowed_header(str_make(decoder->line, decoder->line_len)));
  memmove(decoder->line, header.data, header.len);
  expect_header(decoder);
  decoder->line_len = header.len;
}

FrameEvent frame_decoder_next(FrameDecoder *decoder, Str *input)
{
  while (input->len > 0) {
    FrameEvent event = no_event;
    switch (decoder->state) {
    case FRAME_IN_HEADER:
      event = read_header(decoder, input);
      break;
    case FRAME_IN_BODY:
      event = read_body(decoder, input);
      break;
    case FRAME_IN_SKIP:
      read_skipped(decoder, input);
      break;
    }
    if (event.kind != FRAME_MORE)
      return event;
  }
  return no_event;
}
