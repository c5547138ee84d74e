/// Classes of ASCII characters whatever the locale is, and runs of them. Bytes from 0x80 on belong to no class.
///
/// Units:     offsets in bytes.
/// Threads:   pure.
#pragma once

#include "base/str.h"

static inline bool ascii_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static inline bool ascii_is_upper(char c)
{
  return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || ascii_is_upper(c);
}

/// For each byte ASCII_WORD if it is a letter, a digit or '_', and ASCII_NAME_START if it is no digit.
extern const uint8_t ascii_classes[UINT8_MAX + 1];
enum { ASCII_WORD = 1, ASCII_NAME_START = 2 };

/// True for a letter, a digit or '_': what most languages make names of.
static inline bool ascii_is_word(char c)
{
  return (ascii_classes[(unsigned char)c] & ASCII_WORD) != 0;
}

/// True for a letter or '_'.
static inline bool ascii_is_name_start(char c)
{
  return (ascii_classes[(unsigned char)c] & ASCII_NAME_START) != 0;
}

/// True for what names with dots in them are made of.
static inline bool ascii_is_dotted(char c)
{
  return ascii_is_word(c) || c == '.';
}

/// True for a space or a tab, which stay on their line.
static inline bool ascii_is_blank(char c)
{
  return c == ' ' || c == '\t';
}

/// True for a blank, the ends of lines, and the two tabs and feeds that nobody means.
static inline bool ascii_is_space(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char ascii_to_lower(char c)
{
  return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static inline char ascii_to_upper(char c)
{
  return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/// The value of a hexadecimal digit; -1 for anything else.
static inline int ascii_hex_value(char c)
{
  if (ascii_is_digit(c))
    return c - '0';
  c = ascii_to_lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Where the blanks from `at` on end.
static inline size_t ascii_blanks_end(Str s, size_t at)
{
  while (at < s.len && ascii_is_blank(s.data[at]))
    at++;
  return at;
}

/// Where the blanks before `end` start.
static inline size_t ascii_blanks_start(Str s, size_t end)
{
  while (end > 0 && ascii_is_blank(s.data[end - 1]))
    end--;
  return end;
}

/// Where the digits from `at` on end.
static inline size_t ascii_digits_end(Str s, size_t at)
{
  while (at < s.len && ascii_is_digit(s.data[at]))
    at++;
  return at;
}

/// Where the digits before `end` start.
static inline size_t ascii_digits_start(Str s, size_t end)
{
  while (end > 0 && ascii_is_digit(s.data[end - 1]))
    end--;
  return end;
}

/// After the closing quotation mark of the literal that opens at `at`, in which a backslash keeps the next byte from
/// closing it; STR_NOT_FOUND if nothing closes it.
static inline size_t ascii_literal_end(Str s, size_t at)
{
  char quote = s.data[at];
  for (size_t i = at + 1; i < s.len; i += s.data[i] == '\\' ? 2 : 1) {
    if (s.data[i] == quote)
      return i + 1;
  }
  return STR_NOT_FOUND;
}

/// The length of a colour of a terminal that a text begins with: `\x1b[2m`; 0 if there is none.
static inline size_t ascii_colour_length(Str s)
{
  size_t end = s.len > 0 && s.data[0] == '\x1b' ? str_find_char(str_slice(s, 0, 16), 'm', 0) : STR_NOT_FOUND;
  return end == STR_NOT_FOUND ? 0 : end + 1;
}
