#include "base/str.h"

#include <limits.h>

#include "base/ascii.h"

int str_compare(Str a, Str b)
{
  size_t common = a.len < b.len ? a.len : b.len;
  int order = common == 0 ? 0 : (unsigned char)a.data[0] - (unsigned char)b.data[0];  // Which mostly tells.
  if (order == 0 && common > 1)
    order = memcmp(a.data + 1, b.data + 1, common - 1);
  if (order != 0)
    return order;
  return (a.len > b.len) - (a.len < b.len);
}

int str_compare_items(const void *a, const void *b)
{
  return str_compare(*(const Str *)a, *(const Str *)b);
}

size_t str_find_char(Str s, char c, size_t from)
{
  if (from >= s.len)
    return STR_NOT_FOUND;
  const char *hit = memchr(s.data + from, c, s.len - from);
  return hit ? (size_t)(hit - s.data) : STR_NOT_FOUND;
}

size_t str_rfind_char(Str s, char c)
{
  const uint64_t ones = UINT64_C(0x0101010101010101);
  size_t end = s.len;
  // Eight at a time as long as none of them is it: a byte that becomes 0 borrows from its highest bit.
  for (uint64_t word; end >= sizeof(word); end -= sizeof(word)) {
    memcpy(&word, s.data + end - sizeof(word), sizeof(word));
    word ^= ones * (unsigned char)c;
    if ((word - ones) & ~word & ones << 7)
      break;
  }
  while (end-- > 0) {
    if (s.data[end] == c)
      return end;
  }
  return STR_NOT_FOUND;
}

/// How common each ASCII byte is in Python and in printed graphs: the binary logarithm of its share. Others are rare.
static const char commonness[] = "0000000000600000"
                                 "0000000000000000"
                                 "9043050355106365"
                                 "4554434333600520"
                                 "0213223202002232"
                                 "2022311000040406"
                                 "2746685557146677"
                                 "6377764335220100";

enum {
  RAREST_OF = 8,   ///< To look at more costs more than it saves.
  FEW_PLACES = 32  ///< What begins at so few places is looked for at each of them.
};

/// Offset of the byte of a text, near its beginning, that is the rarest in others.
static size_t rarest_byte(Str s)
{
  size_t best = 0;
  char least = CHAR_MAX;
  for (size_t i = 0; i < s.len && i < RAREST_OF; i++) {
    unsigned char byte = (unsigned char)s.data[i];
    char common = byte < sizeof commonness - 1 ? commonness[byte] : '0';
    if (common < least) {
      least = common;
      best = i;
    }
  }
  return best;
}

static size_t find_at_each(Str s, Str needle, size_t from)
{
  for (size_t last = s.len - needle.len; from <= last; from++) {
    if (s.data[from] == needle.data[0] && memcmp(s.data + from, needle.data, needle.len) == 0)
      return from;
  }
  return STR_NOT_FOUND;
}

size_t str_find(Str s, Str needle, size_t from)
{
  if (from + needle.len > s.len)
    return STR_NOT_FOUND;
  if (needle.len == 0)
    return from;
  if (s.len - from < FEW_PLACES)
    return find_at_each(s, needle, from);
  size_t rare = rarest_byte(needle);
  while (from + needle.len <= s.len) {
    const char *hit = memchr(s.data + from + rare, needle.data[rare], s.len - needle.len - from + 1);
    if (!hit)
      break;
    from = (size_t)(hit - s.data) - rare;
    if (s.data[from] == needle.data[0] && memcmp(s.data + from, needle.data, needle.len) == 0)
      return from;
    from++;
  }
  return STR_NOT_FOUND;
}

enum { COMPARED_AT_ONCE = 32 };  ///< As long as so many bytes are the same.

size_t str_common_prefix(Str a, Str b)
{
  size_t limit = a.len < b.len ? a.len : b.len;
  size_t same = 0;
  while (limit - same >= COMPARED_AT_ONCE && memcmp(a.data + same, b.data + same, COMPARED_AT_ONCE) == 0)
    same += COMPARED_AT_ONCE;
  while (same < limit && a.data[same] == b.data[same])
    same++;
  return same;
}

size_t str_common_suffix(Str a, Str b)
{
  size_t limit = a.len < b.len ? a.len : b.len;
  const char *first = a.data + a.len - limit, *second = b.data + b.len - limit;
  size_t same = limit;
  while (same >= COMPARED_AT_ONCE &&
         memcmp(first + same - COMPARED_AT_ONCE, second + same - COMPARED_AT_ONCE, COMPARED_AT_ONCE) == 0)
    same -= COMPARED_AT_ONCE;
  while (same > 0 && first[same - 1] == second[same - 1])
    same--;
  return limit - same;
}

bool str_is_one_of(Str s, const char *const *words, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (str_is(s, words[i]))
      return true;
  }
  return false;
}

bool str_contains_one_of(Str s, const char *const *words, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (str_contains(s, str_from(words[i])))
      return true;
  }
  return false;
}

Str str_from_int(int64_t number, char *room)
{
  size_t at = STR_INT_ROOM - 1;
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  room[at] = '\0';
  do {
    room[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (number < 0)
    room[--at] = '-';
  return str_make(room + at, STR_INT_ROOM - 1 - at);
}

Str str_trim(Str s)
{
  while (s.len > 0 && ascii_is_space(s.data[0])) {
    s.data++;
    s.len--;
  }
  while (s.len > 0 && ascii_is_space(s.data[s.len - 1]))
    s.len--;
  return s;
}

bool str_equal_ignore_case(Str a, Str b)
{
  if (a.len != b.len)
    return false;
  for (size_t i = 0; i < a.len; i++) {
    if (ascii_to_lower(a.data[i]) != ascii_to_lower(b.data[i]))
      return false;
  }
  return true;
}

bool str_to_uint(Str s, uint64_t max, uint64_t *ret_value)
{
  if (s.len == 0)
    return false;
  uint64_t value = 0;
  for (size_t i = 0; i < s.len; i++) {
    if (!ascii_is_digit(s.data[i]))
      return false;
    uint64_t digit = (uint64_t)(s.data[i] - '0');
    if (value > (max - digit) / 10 || digit > max)
      return false;
    value = value * 10 + digit;
  }
  *ret_value = value;
  return true;
}

static uint32_t load_half(const char *bytes)
{
  uint32_t half;
  memcpy(&half, bytes, sizeof(half));
  return half;
}

/// Fewer than eight bytes from `at` on, in reads of a fixed size that may overlap.
static uint64_t load_tail(Str s, size_t at)
{
  size_t len = s.len - at;
  if (len >= 4)
    return load_half(s.data + at) | (uint64_t)load_half(s.data + s.len - 4) << (8 * (len - 4));
  if (len == 0)
    return 0;
  const unsigned char *b = (const unsigned char *)s.data + at;
  return b[0] | (uint64_t)b[len / 2] << (8 * (len / 2)) | (uint64_t)b[len - 1] << (8 * (len - 1));
}

uint32_t str_hash(Str s)
{
  // Eight bytes a step, mixed by a multiply and a fold: names are short and hashed by the million.
  uint64_t hash = 0x9E3779B97F4A7C15u ^ s.len;
  size_t i = 0;
  for (; i + 8 <= s.len; i += 8) {
    uint64_t word;
    memcpy(&word, s.data + i, 8);
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  hash = (hash ^ load_tail(s, i)) * 0xD6E8FEB86659FD93u;
  hash ^= hash >> 29;
  hash *= 0x9FB21C651E98DF25u;
  return (uint32_t)(hash >> 32);
}
