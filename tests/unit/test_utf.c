#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "text/lines.h"
#include "text/utf.h"

/// A copy without anything after it, so that the address sanitizer sees a read past the end; to free().
static Str tight_copy(Str s)
{
  char *bytes = malloc(s.len > 0 ? s.len : 1);
  assert_non_null(bytes);
  if (s.len > 0)
    memcpy(bytes, s.data, s.len);
  return str_make(bytes, s.len);
}

static void every_code_point_round_trips(void **state)
{
  (void)state;
  for (uint32_t code_point = 0; code_point <= 0x110000; code_point++) {
    char bytes[UTF_MAX_BYTES];
    size_t len;
    size_t written = utf_encode(code_point, bytes);
    bool is_scalar = code_point < 0xD800 || (code_point > 0xDFFF && code_point <= 0x10FFFF);
    assert_int_equal(utf_decode(str_make(bytes, written), 0, &len), is_scalar ? code_point : UTF_REPLACEMENT);
    assert_int_equal(len, written);
    assert_int_equal(utf_units(str_make(bytes, written), POS_UTF16), is_scalar && code_point > 0xFFFF ? 2 : 1);
    assert_int_equal(utf_units(str_make(bytes, written), POS_UTF32), 1);
    assert_true(utf_is_valid(str_make(bytes, written)));
  }
}

static void ill_formed_bytes_count_one_by_one(void **state)
{
  (void)state;
  static const Str ill_formed[] = {
    STR_INIT("\x80"),              // A continuation byte alone.
    STR_INIT("\xC0\x80"),          // Too long for what it says.
    STR_INIT("\xC1\xBF"),          //
    STR_INIT("\xE0\x9F\xBF"),      //
    STR_INIT("\xF0\x8F\xBF\xBF"),  //
    STR_INIT("\xED\xA0\x80"),      // Surrogates.
    STR_INIT("\xED\xBF\xBF"),      //
    STR_INIT("\xF4\x90\x80\x80"),  // Over U+10FFFF.
    STR_INIT("\xF5\x80\x80\x80"),  //
    STR_INIT("\xFF"),              //
    STR_INIT("\xC3"),              // Cut off.
    STR_INIT("\xE6\xBC"),          //
    STR_INIT("\xF0\x9F\x98"),      //
  };
  for (size_t i = 0; i < COUNT(ill_formed); i++) {
    Str s = tight_copy(ill_formed[i]);
    assert_false(utf_is_valid(s));
    for (PosEncoding encoding = POS_UTF8; encoding <= POS_UTF32; encoding++) {
      assert_int_equal(utf_units(s, encoding), s.len);
      for (size_t units = 0; units <= s.len; units++)
        assert_int_equal(utf_offset(s, units, encoding), units);
    }
    for (size_t offset = 0; offset < s.len; offset++) {
      size_t len;
      assert_int_equal(utf_decode(s, offset, &len), UTF_REPLACEMENT);
      assert_int_equal(len, 1);
      assert_int_equal(utf_floor(s, offset), offset);
    }
    free((char *)s.data);
  }
}

/// Offsets of every column, counted from the start each time, at every alignment of the eight-byte steps.
static void columns_at_every_alignment(void **state)
{
  (void)state;
  Str tail = STR("\xC3\xA9 plain ascii text \xF0\x9F\x98\x80\xE2\x80\x8D more of it\xFF\xF0\x9F\x98\x80");
  for (size_t pad = 0; pad < 20; pad++) {
    char bytes[128];
    memset(bytes, 'x', pad);
    memcpy(bytes + pad, tail.data, tail.len);
    Str s = tight_copy(str_make(bytes, pad + tail.len));
    size_t utf16 = 0;
    size_t utf32 = 0;
    for (size_t at = 0; at < s.len;) {
      size_t len;
      utf_decode(s, at, &len);
      assert_int_equal(utf_units(str_slice(s, 0, at), POS_UTF16), utf16);
      assert_int_equal(utf_offset(s, utf16, POS_UTF16), at);
      assert_int_equal(utf_offset(s, utf32, POS_UTF32), at);
      if (len == 4)
        assert_int_equal(utf_offset(s, utf16 + 1, POS_UTF16), at);
      for (size_t inside = at; inside < at + len; inside++) {
        assert_int_equal(utf_floor(s, inside), at);
        assert_int_equal(utf_offset(s, inside, POS_UTF8), at);
      }
      at += len;
      utf16 += len == 4 ? 2 : 1;
      utf32++;
    }
    assert_int_equal(utf_units(s, POS_UTF16), utf16);
    assert_int_equal(utf_units(s, POS_UTF32), utf32);
    for (PosEncoding encoding = POS_UTF8; encoding <= POS_UTF32; encoding++)
      assert_int_equal(utf_offset(s, SIZE_MAX, encoding), s.len);
    assert_int_equal(utf_floor(s, s.len), s.len);
    free((char *)s.data);
  }
}

static void empty_text(void **state)
{
  (void)state;
  for (PosEncoding encoding = POS_UTF8; encoding <= POS_UTF32; encoding++) {
    assert_int_equal(utf_units((Str){ 0 }, encoding), 0);
    assert_int_equal(utf_offset((Str){ 0 }, 3, encoding), 0);
  }
  assert_true(utf_is_valid((Str){ 0 }));
}

static void repair(void **state)
{
  (void)state;
  Arena arena = { 0 };
  Str fine = STR("caf\xC3\xA9 au lait au pair");
  assert_true(utf_is_valid(STR("exactly8")));
  assert_ptr_equal(utf_repair(fine, &arena).data, fine.data);
  Str repaired = utf_repair(STR("a\xFF\xC3\xA9\xE6\xBC"), &arena);
  assert_true(str_equal(repaired, STR("a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD")));
  arena_done(&arena);
}

/// The scan in eight-byte steps against one byte at a time, for every place of a break near its neighbours.
static void line_breaks_at_every_alignment(void **state)
{
  (void)state;
  // 0x09, 0x0B, 0x0C, 0x0E and bytes from 0x80 on are not breaks; 0x8A and 0x8D differ from breaks by their top bit.
  static const char others[] = { 'x', '\t', '\v', '\f', 0x0E, '\0', (char)0x8A, (char)0x8D, (char)0xFF };
  for (size_t other = 0; other < sizeof(others); other++) {
    for (size_t at = 0; at < 24; at++) {
      char bytes[24];
      memset(bytes, others[other], sizeof(bytes));
      Str s = tight_copy(str_make(bytes, sizeof(bytes)));
      assert_int_equal(lines_find_break(s, at), s.len);
      assert_int_equal(lines_next(s, at), s.len);
      for (size_t from = 0; from <= at; from++) {
        ((char *)s.data)[at] = '\n';
        assert_int_equal(lines_find_break(s, from), at);
        ((char *)s.data)[at] = '\r';
        assert_int_equal(lines_find_break(s, from), at);
        assert_int_equal(lines_next(s, from), at + 1);
      }
      free((char *)s.data);
    }
  }
}

static void line_starts(void **state)
{
  (void)state;
  LineStarts starts = { 0 };
  lines_scan_starts(STR("a\r\n\r\r\nb\n\r"), &starts);
  static const uint32_t expected[] = { 0, 3, 4, 6, 8, 9 };
  assert_int_equal(starts.count, 6);
  assert_memory_equal(starts.items, expected, sizeof(expected));
  vec_clear(&starts);
  lines_scan_starts((Str){ 0 }, &starts);
  assert_int_equal(starts.count, 1);
  vec_free(&starts);
  assert_int_equal(lines_trim_ending(STR("a\r\n")).len, 1);
  assert_int_equal(lines_trim_ending(STR("a\r")).len, 1);
  assert_int_equal(lines_trim_ending(STR("a\n")).len, 1);
  assert_int_equal(lines_trim_ending(STR("a")).len, 1);
  assert_int_equal(lines_trim_ending(STR("\r\n")).len, 0);
  assert_int_equal(lines_trim_ending((Str){ 0 }).len, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_code_point_round_trips),
    cmocka_unit_test(ill_formed_bytes_count_one_by_one),
    cmocka_unit_test(columns_at_every_alignment),
    cmocka_unit_test(empty_text),
    cmocka_unit_test(repair),
    cmocka_unit_test(line_breaks_at_every_alignment),
    cmocka_unit_test(line_starts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
