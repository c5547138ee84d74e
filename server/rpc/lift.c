#include "rpc/lift.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "text/utf.h"

// No client has a reason to send a string that starts like this, and if one does it gets one of its own texts.
static const Str placeholder_prefix = STR_INIT("\0text ");

void lifted_done(Lifted *lifted)
{
  if (!lifted)
    return;
  buffer_done(&lifted->json);
  vec_free(&lifted->texts);
}

bool lifted_find(const Lifted *lifted, Str string, Str *ret_text)
{
  uint64_t number;
  if (lifted->texts.count == 0 || !str_starts_with(string, placeholder_prefix) ||
      !str_to_uint(str_slice(string, placeholder_prefix.len, string.len), lifted->texts.count - 1, &number))
    return false;
  *ret_text = lifted->texts.items[number];
  return true;
}

// How many of eight bytes come before the first that is a quote, a backslash, a control character or not ASCII.
static size_t plain_bytes(uint64_t word)
{
  const uint64_t ones = 0x0101010101010101u;
  const uint64_t tops = 0x8080808080808080u;
  uint64_t quote = word ^ (ones * '"');
  uint64_t slash = word ^ (ones * '\\');
  // The lowest bit is right: a byte only spoils those above it, and only if it is such a byte itself.
  uint64_t special = ((word - ones * 0x20) | (quote - ones) | (slash - ones) | word) & tops;
  return special == 0 ? STR_WORD : (size_t)__builtin_ctzll(special) / 8;
}

// The four digits after "\u"; negative if they are none.
static int32_t read_unit(const char *body, size_t len, size_t at)
{
  if (len < 4 || at > len - 4)
    return -1;
  int32_t unit = 0;
  for (size_t i = at; i < at + 4; i++) {
    int digit = ascii_hex_value(body[i]);
    if (digit < 0)
      return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

static bool is_high_surrogate(int32_t unit)
{
  return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low_surrogate(int32_t unit)
{
  return unit >= 0xdc00 && unit <= 0xdfff;
}

// The unit of an escape "\uXXXX" at `at`; negative if none is there.
static int32_t read_escape_unit(const char *body, size_t len, size_t at)
{
  bool is_escape = at + 1 < len && body[at] == '\\' && body[at + 1] == 'u';
  return is_escape ? read_unit(body, len, at + 2) : -1;
}

// Decodes the escape at `*at`, which is a backslash, to `out`; returns how many bytes it wrote, 0 if it is none.
static size_t decode_escape(const char *body, size_t len, size_t *at, char *out)
{
  static const char from[] = "\"\\/bfnrt";
  static const char to[] = "\"\\/\b\f\n\r\t";
  if (*at + 1 >= len || body[*at + 1] == '\0')
    return 0;
  const char *simple = strchr(from, body[*at + 1]);
  if (simple) {
    *at += 2;
    out[0] = to[simple - from];
    return 1;
  }
  int32_t unit = read_escape_unit(body, len, *at);
  if (unit < 0)
    return 0;
  *at += 6;
  if (is_high_surrogate(unit)) {
    int32_t low = read_escape_unit(body, len, *at);
    if (is_low_surrogate(low)) {
      *at += 6;
      return utf_encode(0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00), out);
    }
  }
  return utf_encode((uint32_t)unit, out);  // An unpaired surrogate is written as U+FFFD.
}

/// Decodes the JSON string whose opening quote comes before `from`, in place: the result starts at `from`.
/// Returns the offset of the closing quote, or STR_NOT_FOUND.
static size_t decode_string(char *body, size_t len, size_t from, size_t *ret_decoded_len)
{
  size_t in = from;
  size_t out = from;
  while (in < len) {
    // The result is never longer than what was read, so writing ahead of reading can't happen.
    size_t plain = STR_WORD;
    while (plain == STR_WORD && len - in >= STR_WORD) {
      plain = plain_bytes(str_load_word(body + in));
      memmove(body + out, body + in, plain);
      in += plain;
      out += plain;
    }
    if (in == len)
      break;
    unsigned char c = (unsigned char)body[in];
    if (c == '"') {
      *ret_decoded_len = out - from;
      return in;
    }
    if (c == '\\') {
      size_t written = decode_escape(body, len, &in, body + out);
      if (written == 0)
        return STR_NOT_FOUND;
      out += written;
      continue;
    }
    size_t sequence;
    if (c < 0x20 || (utf_decode(str_make(body, len), in, &sequence) == UTF_REPLACEMENT && sequence == 1))
      return STR_NOT_FOUND;
    memmove(body + out, body + in, sequence);
    in += sequence;
    out += sequence;
  }
  return STR_NOT_FOUND;
}

// Writes \ufffd over an unpaired surrogate; returns the offset after the escape at `at`.
static size_t repair_escape(char *body, size_t len, size_t at)
{
  int32_t unit = read_escape_unit(body, len, at);
  if (!is_high_surrogate(unit) && !is_low_surrogate(unit))
    return at + 2;
  if (is_high_surrogate(unit) && is_low_surrogate(read_escape_unit(body, len, at + 6)))
    return at + 12;
  memcpy(body + at, "\\ufffd", 6);
  return at + 6;
}

// Returns the offset after the closing quote, or `len`.
static size_t skip_string(char *body, size_t len, size_t from)
{
  size_t at = from;
  while (at < len && body[at] != '"')
    at = body[at] == '\\' ? repair_escape(body, len, at) : at + 1;
  return at < len ? at + 1 : len;
}

static bool is_json_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Whether `"text":` comes before the quote at `quote`.
static bool is_text_value(const char *body, size_t quote)
{
  static const Str key = STR_INIT("\"text\"");
  size_t at = quote;
  while (at > 0 && is_json_space(body[at - 1]))
    at--;
  if (at == 0 || body[at - 1] != ':')
    return false;
  at--;
  while (at > 0 && is_json_space(body[at - 1]))
    at--;
  return at >= key.len && memcmp(body + at - key.len, key.data, key.len) == 0;
}

static bool lift_one(char *body, size_t len, size_t *at, size_t *copied, Lifted *lifted)
{
  size_t decoded_len = 0;
  size_t start = *at + 1;
  size_t end = decode_string(body, len, start, &decoded_len);
  if (end == STR_NOT_FOUND)
    return false;
  buffer_append(&lifted->json, str_make(body + *copied, start - *copied));
  buffer_printf(&lifted->json, "\\u0000text %zu", lifted->texts.count);
  vec_push(&lifted->texts, str_make(body + start, decoded_len));
  *copied = end;
  *at = end + 1;
  return true;
}

LiftResult lift_texts(char *body, size_t len, Lifted *lifted)
{
  size_t depth = 0;
  size_t values = 0;
  size_t copied = 0;
  for (size_t at = 0; at < len;) {
    char c = body[at];
    if (c == '"') {
      if (!is_text_value(body, at))
        at = skip_string(body, len, at + 1);
      else if (!lift_one(body, len, &at, &copied, lifted))
        return LIFT_BAD_STRING;
      continue;
    }
    at++;
    if (c == '{' || c == '[')
      depth++;
    else if ((c == '}' || c == ']') && depth > 0)
      depth--;
    if (depth > LIFT_DEPTH_LIMIT)
      return LIFT_TOO_DEEP;
    values += c == ',' || c == '[' || c == '{';
    if (values > LIFT_VALUE_LIMIT)
      return LIFT_TOO_MANY;
  }
  if (lifted->texts.count > 0)
    buffer_append(&lifted->json, str_make(body + copied, len - copied));
  return LIFT_OK;
}
