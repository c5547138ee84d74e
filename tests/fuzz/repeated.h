/// Texts that nest deeper than the few KB that a fuzzer tries would allow: in the input, 0xFD, a length and a count of
/// two bytes come before a piece that is repeated, 2 to 131,072 times. Half of all counts are small, and each one bit
/// at the end of the first byte doubles them: a fuzzer that changes bytes by chance seldom makes a text that takes
/// seconds.
///
/// Ownership: the text is the caller's buffer.
/// Units:     bytes.
/// Errors:    none; what is cut off or too large is left out.
/// Threads:   pure.
#pragma once

#include "base/buffer.h"

enum {
  REPEATED_TEXT_LIMIT = 140 * 1024,  ///< Past 65,536 of one or two characters; more takes sanitizers too long.
  REPEATED_HEAD = 4,
};

/// How often two bytes ask for a piece.
static inline size_t repeated_count(const unsigned char *bytes)
{
  size_t count = 2 * (bytes[1] + (size_t)1);
  for (unsigned ones = bytes[0]; ones & 1; ones >>= 1)
    count *= 2;
  return count;
}

static inline Buffer repeated_text(Str input)
{
  Buffer text = { 0 };
  for (size_t at = 0; at < input.len && text.len < REPEATED_TEXT_LIMIT;) {
    const unsigned char *head = (const unsigned char *)input.data + at;
    if (head[0] != 0xFD || input.len - at < REPEATED_HEAD) {
      buffer_append_char(&text, input.data[at++]);
      continue;
    }
    Str piece = str_slice(input, at + REPEATED_HEAD, at + REPEATED_HEAD + head[1]);
    size_t count = repeated_count(head + 2);
    for (size_t i = 0; i < count && text.len + piece.len <= REPEATED_TEXT_LIMIT; i++)
      buffer_append(&text, piece);
    at += REPEATED_HEAD + piece.len;
  }
  return text;
}
