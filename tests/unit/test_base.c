// Characters, words and searches: what many files share.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <ctype.h>

#include "base/ascii.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/spare.h"
#include "base/sparse.h"

/// Tests run in the locale "C", whose classes are those of ASCII.
static void classes_are_those_of_c(void **state)
{
  (void)state;
  for (int i = 0; i < 256; i++) {
    char c = (char)i;
    assert_int_equal(ascii_is_digit(c), isdigit(i) != 0);
    assert_int_equal(ascii_is_upper(c), isupper(i) != 0);
    assert_int_equal(ascii_is_letter(c), isalpha(i) != 0);
    assert_int_equal(ascii_is_word(c), isalnum(i) || i == '_');
    assert_int_equal(ascii_is_blank(c), isblank(i) != 0);
    assert_int_equal(ascii_is_space(c), isspace(i) != 0);
    assert_int_equal((unsigned char)ascii_to_lower(c), tolower(i));
    assert_int_equal((unsigned char)ascii_to_upper(c), toupper(i));
    char digit[] = { c, '\0' };
    assert_int_equal(ascii_hex_value(c), isxdigit(i) ? (int)strtol(digit, NULL, 16) : -1);
  }
}

static void runs_end_where_they_end(void **state)
{
  (void)state;
  assert_int_equal(ascii_blanks_end(STR("a \t\nb"), 1), 3);
  assert_int_equal(ascii_blanks_end(STR("a"), 0), 0);
  assert_int_equal(ascii_blanks_end(STR("  "), 0), 2);
  assert_int_equal(ascii_blanks_end(STR("  "), 5), 5);
  assert_int_equal(ascii_blanks_start(STR("a \tb"), 3), 1);
  assert_int_equal(ascii_blanks_start(STR("  "), 2), 0);
  assert_int_equal(ascii_digits_end(STR("a19b"), 1), 3);
  assert_int_equal(ascii_digits_end(STR("19"), 0), 2);
  assert_int_equal(ascii_digits_start(STR("a09"), 3), 1);
  assert_int_equal(ascii_digits_start(STR("09"), 2), 0);
}

static void literals_end_after_their_mark(void **state)
{
  (void)state;
  assert_int_equal(ascii_literal_end(STR("x = 'a' + 'b'"), 4), 7);
  assert_int_equal(ascii_literal_end(STR("''"), 0), 2);
  assert_int_equal(ascii_literal_end(STR("'\"'"), 0), 3);
  assert_int_equal(ascii_literal_end(STR("'a\\'b'"), 0), 6);
  assert_int_equal(ascii_literal_end(STR("'a\\\\'b'"), 0), 5);
  assert_int_equal(ascii_literal_end(STR("'a"), 0), STR_NOT_FOUND);
  assert_int_equal(ascii_literal_end(STR("'a\\'"), 0), STR_NOT_FOUND);
  assert_int_equal(ascii_literal_end(STR("'a\\"), 0), STR_NOT_FOUND);
  assert_int_equal(ascii_literal_end(STR("'"), 0), STR_NOT_FOUND);
}

static void words_are_whole_or_inside(void **state)
{
  (void)state;
  static const char *const words[] = { "one", "two" };
  assert_true(str_is_one_of(STR("two"), words, COUNT(words)));
  assert_false(str_is_one_of(STR("two"), words, 1));
  assert_false(str_is_one_of(STR("twos"), words, COUNT(words)));
  assert_false(str_is_one_of(STR("tw"), words, COUNT(words)));
  assert_false(str_is_one_of(STR("two\0"), words, COUNT(words)));
  assert_true(str_contains_one_of(STR("all two of them"), words, COUNT(words)));
  assert_false(str_contains_one_of(STR("tw"), words, COUNT(words)));
}

/// Against looking at each, for every length and every place, in all of an array and in parts of it.
static void a_search_finds_the_first_that_is_not_before(void **state)
{
  (void)state;
  const uint32_t sorted[] = { 2, 2, 3, 5, 5, 5, 8, 9 };
  for (uint32_t end = 0; end <= COUNT(sorted); end++) {
    for (uint32_t start = 0; start <= end; start++) {
      for (uint32_t wanted = 0; wanted < 11; wanted++) {
        uint32_t expected = start;
        while (expected < end && sorted[expected] < wanted)
          expected++;
        uint32_t at;
        SEARCH_FIRST(at, start, end, sorted[at] < wanted);
        assert_int_equal(at, expected);
      }
    }
  }
}

/// Bytes that differ from the wanted one in their highest or lowest bit, at every distance from the end.
static void the_last_character_is_found(void **state)
{
  (void)state;
  static const char others[] = { 'b', (char)('a' | 0x80), '`', '\0', (char)0xff };
  char text[40];
  for (size_t other = 0; other < sizeof(others); other++) {
    for (size_t len = 0; len <= sizeof(text); len++) {
      memset(text, others[other], sizeof(text));
      assert_int_equal(str_rfind_char((Str){ text, len }, 'a'), STR_NOT_FOUND);
      for (size_t at = 0; at < len; at++) {
        text[at] = 'a';
        assert_int_equal(str_rfind_char((Str){ text, len }, 'a'), at);
      }
    }
  }
}

static void an_arena_gives_zeroed_memory_of_its_own(void **state)
{
  (void)state;
  static const size_t sizes[] = { 1, 0, 40, 300, 5000, 7, 1100, 4096, 4097, 900, 20000, 16, 3000 };
  enum { ROUNDS = 20, COUNT_ALL = ROUNDS * COUNT(sizes) };
  unsigned char *memory[COUNT_ALL];
  Arena arena = { 0 };
  for (size_t i = 0; i < COUNT_ALL; i++) {
    memory[i] = arena_alloc(&arena, sizes[i % COUNT(sizes)]);
    assert_int_equal((uintptr_t)memory[i] % _Alignof(max_align_t), 0);
    for (size_t k = 0; k < sizes[i % COUNT(sizes)]; k++) {
      assert_int_equal(memory[i][k], 0);
      memory[i][k] = (unsigned char)i;
    }
  }
  for (size_t i = 0; i < COUNT_ALL; i++) {
    for (size_t k = 0; k < sizes[i % COUNT(sizes)]; k++)
      assert_int_equal(memory[i][k], (unsigned char)i);
  }
  arena_done(&arena);
}

/// There is one for each of thousands of files; and one with much in it needs few blocks.
static void an_arena_is_as_large_as_what_is_in_it(void **state)
{
  (void)state;
  Arena arena = { 0 };
  arena_alloc(&arena, 1);
  assert_true(arena.end - arena.next < 2048);
  const char *small = arena.next;
  arena_alloc(&arena, 100000);  // A block of its own.
  assert_ptr_equal(arena.next, small);
  size_t most = 0;
  for (size_t i = 0; i < 1000; i++) {
    arena_alloc(&arena, 64);
    size_t room = (size_t)(arena.end - arena.next);
    most = room > most ? room : most;
  }
  assert_true(most > 8192 && most < 32768);
  arena_done(&arena);
}

/// Wherever the needle's rarest byte is, wherever the needle, and if that byte comes before it, too; in short texts and
/// in longer ones.
static void find_goes_by_any_byte(void **state)
{
  static const Str needles[] = { STR_INIT("zee"), STR_INIT("eze"), STR_INIT("eez"), STR_INIT("e"),
                                 STR_INIT("\xC3\xA9") };
  static const Str before[] = { STR_INIT(""), STR_INIT("e"), STR_INIT("z"), STR_INIT("ez"), STR_INIT("zze\xC3") };
  (void)state;
  for (size_t i = 0; i < COUNT(needles); i++) {
    for (size_t j = 0; j < COUNT(before); j++) {
      char text[96];
      int len = snprintf(text, sizeof text, "%s%s%*s", before[j].data, needles[i].data, j % 2 ? 1 : 64, "e");
      size_t first = 0;
      while (strncmp(text + first, needles[i].data, needles[i].len) != 0)
        first++;
      Str all = str_make(text, (size_t)len);
      assert_int_equal(str_find(all, needles[i], 0), first);
      assert_int_equal(str_find(all, needles[i], first), first);
      assert_int_equal(str_find(str_slice(all, 0, needles[i].len - 1), needles[i], 0), STR_NOT_FOUND);
    }
  }
}

/// With one byte that differs, at every place, and none.
static void common_ends_are_as_long_as_they_are(void **state)
{
  (void)state;
  char a[600], b[600];
  memset(a, 'a', sizeof(a));
  for (size_t len = 0; len < sizeof(a); len += 7) {
    for (size_t at = 0; at <= len; at += 3) {
      memset(b, 'a', sizeof(b));
      if (at < len)
        b[at] = 'b';
      assert_int_equal(str_common_prefix((Str){ a, len }, (Str){ b, len }), at < len ? at : len);
      assert_int_equal(str_common_suffix((Str){ a, len }, (Str){ b, len }), at < len ? len - at - 1 : len);
    }
  }
  assert_int_equal(str_common_prefix((Str){ a, 300 }, (Str){ a, 299 }), 299);
  assert_int_equal(str_common_suffix((Str){ a + 1, 299 }, (Str){ a, 300 }), 299);
}

static void sparse_places_are_counted(void **state)
{
  (void)state;
  enum { PLACES = 300 };
  static const size_t set[] = { 0, 1, 62, 63, 64, 127, 128, 200, PLACES - 1 };
  Sparse sparse;
  sparse_start(&sparse, PLACES);
  for (size_t i = 0; i < COUNT(set); i++)
    sparse_set(&sparse, set[i]);
  sparse_count(&sparse);
  uint32_t count = 0;
  for (size_t place = 0; place < PLACES; place++) {
    bool is_set = set[count] == place;
    count += is_set;
    assert_int_equal(sparse_has(&sparse, place), is_set);
    assert_int_equal(sparse_upto(&sparse, place), count);
  }
  sparse_done(&sparse);
}

static void a_spare_block_is_large_enough(void **state)
{
  (void)state;
  static const size_t sizes[] = { 1000, 1010, 900, 100, 100000, 0, 50001 };
  for (size_t i = 0; i < COUNT(sizes); i++) {
    char *block = spare_take(sizes[i]);
    char *other = spare_take(sizes[i]);
    assert_true(block != other);
    memset(block, 1, sizes[i]);
    memset(other, 2, sizes[i]);
    assert_true(sizes[i] == 0 || block[sizes[i] - 1] == 1);
    spare_give(block);
    spare_give(other);
  }
  spare_give(NULL);
  spare_drop();
  spare_drop();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(find_goes_by_any_byte),
    cmocka_unit_test(common_ends_are_as_long_as_they_are),
    cmocka_unit_test(sparse_places_are_counted),
    cmocka_unit_test(a_spare_block_is_large_enough),
    cmocka_unit_test(classes_are_those_of_c),
    cmocka_unit_test(runs_end_where_they_end),
    cmocka_unit_test(literals_end_after_their_mark),
    cmocka_unit_test(words_are_whole_or_inside),
    cmocka_unit_test(the_last_character_is_found),
    cmocka_unit_test(a_search_finds_the_first_that_is_not_before),
    cmocka_unit_test(an_arena_gives_zeroed_memory_of_its_own),
    cmocka_unit_test(an_arena_is_as_large_as_what_is_in_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
