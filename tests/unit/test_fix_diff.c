// Differences as `diff -u` prints them: written out for small texts, and for random edits by applying them.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/fix.h"
#include "random_numbers.h"

enum { CONTEXT = 3 };

static void assert_diff(const char *before, const char *after, const char *want)
{
  Buffer out = { 0 };
  fix_diff(&out, "a.py", str_from(before), str_from(after));
  buffer_append_char(&out, '\0');
  assert_string_equal(out.data, want);
  buffer_done(&out);
}

#define HEAD "--- a.py\n+++ a.py\n"

static void test_one_change(void **state)
{
  (void)state;
  assert_diff("a\nb\n", "a\nb\n", "");
  assert_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
              HEAD "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  assert_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "one\n2\n3\n4\n5\n6\n7\n8\n", HEAD "@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n");
  assert_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\n6\n7\neight\n",
              HEAD "@@ -5,4 +5,4 @@\n 5\n 6\n 7\n-8\n+eight\n");
  assert_diff("1\n", "one\n", HEAD "@@ -1 +1 @@\n-1\n+one\n");
}

static void test_lines_that_come_and_go(void **state)
{
  (void)state;
  assert_diff("", "1\n2\n", HEAD "@@ -0,0 +1,2 @@\n+1\n+2\n");
  assert_diff("1\n2\n", "", HEAD "@@ -1,2 +0,0 @@\n-1\n-2\n");
  assert_diff("1\n2\n", "1\nnew\n2\n", HEAD "@@ -1,2 +1,3 @@\n 1\n+new\n 2\n");
  assert_diff("1\nold\n2\n", "1\n2\n", HEAD "@@ -1,3 +1,2 @@\n 1\n-old\n 2\n");
}

/// Up to six lines between two changes they share a hunk, as their contexts touch.
static void test_hunks_join(void **state)
{
  (void)state;
  assert_diff("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
              HEAD "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
  assert_diff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
              HEAD "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

static void test_last_line_without_end(void **state)
{
  (void)state;
  assert_diff("1\n2", "one\n2", HEAD "@@ -1,2 +1,2 @@\n-1\n+one\n 2\n\\ No newline at end of file\n");
  assert_diff("1\n2", "1\n2\n", HEAD "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n");
}

// --- Random edits ---

typedef struct Patch {
  Str before;
  Str diff;
  size_t line;  ///< Of `before`, from 0: what is copied so far.
  Buffer out;
} Patch;

static Str take_line(Str *text)
{
  size_t end = str_find_char(*text, '\n', 0);
  size_t len = end == STR_NOT_FOUND ? text->len : end + 1;
  Str line = str_slice(*text, 0, len);
  *text = str_slice(*text, len, text->len);
  return line;
}

static Str next_line(Patch *patch)
{
  patch->line++;
  return take_line(&patch->before);
}

/// The number after the sign in `@@ -12,3 +...`.
static size_t first_number(Str hunk)
{
  size_t value = 0;
  for (size_t i = 4; i < hunk.len && hunk.data[i] >= '0' && hunk.data[i] <= '9'; i++)
    value = value * 10 + (size_t)(hunk.data[i] - '0');
  return value;
}

/// One hunk; counts the unchanged lines at its beginning and its end.
static void apply_hunk(Patch *patch, size_t *ret_lead, size_t *ret_tail)
{
  size_t start = first_number(take_line(&patch->diff));
  while (patch->line + 1 < start)
    buffer_append(&patch->out, next_line(patch));
  bool has_changed = false;
  *ret_lead = *ret_tail = 0;
  while (patch->diff.len > 0 && patch->diff.data[0] != '@') {
    Str line = take_line(&patch->diff);
    Str rest = str_slice(line, 1, line.len);
    if (line.data[0] != '+')
      assert_true(str_equal(next_line(patch), rest));
    if (line.data[0] != '-')
      buffer_append(&patch->out, rest);
    *ret_lead += line.data[0] == ' ' && !has_changed;
    *ret_tail = line.data[0] == ' ' ? *ret_tail + 1 : 0;
    has_changed |= line.data[0] != ' ';
  }
  assert_true(has_changed);
}

static void check_patch(Str before, Str after)
{
  Buffer diff = { 0 };
  fix_diff(&diff, "x", before, after);
  Patch patch = { .before = before, .diff = buffer_str(&diff) };
  if (diff.len > 0) {
    take_line(&patch.diff);
    take_line(&patch.diff);
  }
  while (patch.diff.len > 0) {
    size_t lead;
    size_t tail;
    size_t start = first_number(patch.diff);
    apply_hunk(&patch, &lead, &tail);
    assert_true(lead == CONTEXT || start <= 1);
    assert_true(tail == CONTEXT || (tail < CONTEXT && patch.before.len == 0));
  }
  buffer_append(&patch.out, patch.before);
  assert_true(str_equal(buffer_str(&patch.out), after));
  buffer_done(&patch.out);
  buffer_done(&diff);
}

/// Lines of a few letters, so that many are equal; every third text has edits far from each other.
static void test_random_edits(void **state)
{
  (void)state;
  for (int round = 0; round < 500; round++) {
    Buffer before = { 0 };
    Buffer after = { 0 };
    size_t rarity = round % 3 == 0 ? 20 : 4;
    for (size_t i = random_below(60); i > 0; i--) {
      char letter = (char)('a' + random_below(6));
      buffer_printf(&before, "%c\n", letter);
      size_t what = random_below(rarity);
      if (what == 1)
        buffer_printf(&after, "%c%c\n", letter, letter);
      else if (what != 0)
        buffer_printf(&after, "%c\n", letter);
      if (what == 2)
        buffer_append(&after, STR("new\n"));
    }
    check_patch(buffer_str(&before), buffer_str(&after));
    buffer_done(&before);
    buffer_done(&after);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_change),   cmocka_unit_test(test_lines_that_come_and_go),
    cmocka_unit_test(test_hunks_join),   cmocka_unit_test(test_last_line_without_end),
    cmocka_unit_test(test_random_edits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
