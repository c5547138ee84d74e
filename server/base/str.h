/// Borrowed byte slices. A Str is not NUL-terminated and may hold any byte.
///
/// Ownership: borrows; a comment at each field says from whom.
/// Units:     bytes.
/// Errors:    searches answer STR_NOT_FOUND.
/// Threads:   plain values.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Str {
  const char *data;
  size_t len;
} Str;

/// A Str of a string literal.
#define STR(literal) ((Str){ (literal), sizeof(literal) - 1 })
/// The same for static initializers.
#define STR_INIT(literal)                                                                                              \
  {                                                                                                                    \
    (literal), sizeof(literal) - 1                                                                                     \
  }
/// Arguments for "%.*s".
#define STR_ARG(s) (int)(s).len, (s).data

#define STR_NOT_FOUND SIZE_MAX

static inline Str str_make(const char *data, size_t len)
{
  return (Str){ data, len };
}

enum { STR_WORD = 8 };

/// Eight bytes of which the first is the lowest, whatever the machine's byte order.
static inline uint64_t str_load_word(const char *bytes)
{
  uint64_t word;
  memcpy(&word, bytes, STR_WORD);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

enum { STR_INT_ROOM = 24 };

/// The decimal digits in `room` of STR_INT_ROOM bytes, with a NUL after them. Safe in a signal handler.
Str str_from_int(int64_t number, char *room);

/// A Str of a NUL-terminated string; NULL gives the empty Str.
static inline Str str_from(const char *text)
{
  return (Str){ text, text ? strlen(text) : 0 };
}

static inline bool str_equal(Str a, Str b)
{
  return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/// True when `s` is the word. Nearly all others begin with another letter.
static inline bool str_is(Str s, const char *word)
{
  return word[0] == (s.len > 0 ? s.data[0] : '\0') && str_equal(s, str_from(word));
}

static inline bool str_starts_with(Str s, Str prefix)
{
  if (s.len < prefix.len || prefix.len == 0)
    return prefix.len == 0;
  return s.data[0] == prefix.data[0] && memcmp(s.data, prefix.data, prefix.len) == 0;  // The first mostly isn't.
}

static inline bool str_ends_with(Str s, Str suffix)
{
  if (s.len < suffix.len || suffix.len == 0)
    return suffix.len == 0;
  bool may_be = s.data[s.len - 1] == suffix.data[suffix.len - 1];  // It mostly isn't.
  return may_be && memcmp(s.data + s.len - suffix.len, suffix.data, suffix.len) == 0;
}

/// The bytes [start, end); both are clamped to the length.
static inline Str str_slice(Str s, size_t start, size_t end)
{
  if (end > s.len)
    end = s.len;
  if (start > end)
    start = end;
  return (Str){ s.data ? s.data + start : NULL, end - start };
}

/// The byte there; 0 after the end.
static inline char str_at(Str s, size_t at)
{
  return at < s.len ? s.data[at] : '\0';
}

/// Three-way comparison by bytes, shorter first on a common prefix.
int str_compare(Str a, Str b);
/// The same of two Str that these point to, for sort_stable().
int str_compare_items(const void *a, const void *b);
/// The same of a word of a table, which mostly differs in its first byte; its length is not needed.
static inline int str_compare_word(const char *word, Str s)
{
  for (size_t i = 0; i < s.len; i++) {
    if (word[i] != s.data[i] || word[i] == '\0')
      return word[i] == '\0' ? -1 : (unsigned char)word[i] - (unsigned char)s.data[i];
  }
  return (unsigned char)word[s.len];
}

/// Offset of the first `c` at or after `from`.
size_t str_find_char(Str s, char c, size_t from);
/// Offset of the last `c`.
size_t str_rfind_char(Str s, char c);
/// Offset of the first `needle` at or after `from`. Looks for its rarest byte, which makes it fast in large texts.
size_t str_find(Str s, Str needle, size_t from);

/// How many bytes at the beginnings, or at the ends, are the same.
size_t str_common_prefix(Str a, Str b);
size_t str_common_suffix(Str a, Str b);

/// What comes after the last `c`: all if there is none.
static inline Str str_after_last(Str s, char c)
{
  return str_slice(s, str_rfind_char(s, c) + 1, s.len);
}

/// The "\n" that ends the line at `at`; the length of the text if none does.
static inline size_t str_line_end(Str s, size_t at)
{
  size_t end = str_find_char(s, '\n', at);
  return end == STR_NOT_FOUND ? s.len : end;
}

/// Where the line at `at` begins.
static inline size_t str_line_start(Str s, size_t at)
{
  while (at > 0 && s.data[at - 1] != '\n')
    at--;
  return at;
}

/// Takes away what comes before the first `c`, and that: all if there is none.
static inline Str str_take(Str *rest, char c)
{
  Str taken = str_slice(*rest, 0, str_find_char(*rest, c, 0));
  *rest = str_slice(*rest, taken.len + 1, rest->len);
  return taken;
}

static inline bool str_contains(Str s, Str needle)
{
  return str_find(s, needle, 0) != STR_NOT_FOUND;
}
/// True when `s` is one of the words.
bool str_is_one_of(Str s, const char *const *words, size_t count);
/// True when one of the words is somewhere in `s`.
bool str_contains_one_of(Str s, const char *const *words, size_t count);
/// Without ASCII white space at both ends.
Str str_trim(Str s);
/// ASCII case is ignored.
bool str_equal_ignore_case(Str a, Str b);
/// A decimal number without sign that is all of `s` and at most `max`.
bool str_to_uint(Str s, uint64_t max, uint64_t *ret_value);
/// A 32-bit hash, the same in every run. Not for tables whose keys an enemy picks without a probe limit.
uint32_t str_hash(Str s);
