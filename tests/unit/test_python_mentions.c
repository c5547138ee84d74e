// Words that a Python file has: what is known of an older version of it may not differ from a search in the new one.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "python/model/python_model.h"
#include "random_numbers.h"

enum { TEXTS = 200, EDITS = 20, LONGEST = 80 };

static const char *const words[] = { "a", "ab", "aba", "bb", "a b", "abab", "c", "bca" };

static PyModel *lower(Str text, const PyModel *before)
{
  PySyntax *syntax = py_syntax_new(text, NULL);
  PyModel *model = python_lower(syntax, STR("x.py"), NULL, before);
  py_syntax_release(syntax);
  return model;
}

static void append_random(Buffer *text, size_t count)
{
  for (size_t i = 0; i < count; i++)
    buffer_append_char(text, "aabb c"[random_below(6)]);
}

/// Some bytes taken out somewhere and others put in.
static void edit(Buffer *text)
{
  Buffer edited = { 0 };
  Str old = buffer_str(text);
  size_t start = random_below(old.len + 1);
  size_t end = start + random_below(4);
  buffer_append(&edited, str_slice(old, 0, start));
  append_random(&edited, random_below(4));
  buffer_append(&edited, str_slice(old, end < old.len ? end : old.len, old.len));
  buffer_done(text);
  *text = edited;
}

static void assert_words(const PyModel *model, Str text)
{
  for (size_t i = 0; i < COUNT(words); i++) {
    if (random_below(4) > 0)
      assert_int_equal(py_model_mentions(model, words[i]), str_contains(text, str_from(words[i])));
  }
}

static void test_edits(void **state)
{
  for (size_t i = 0; i < random_share(TEXTS); i++) {
    Buffer text = { 0 };
    append_random(&text, i == 0 ? 0 : random_below(LONGEST));
    PyModel *model = lower(buffer_str(&text), NULL);
    for (size_t k = 0; k < EDITS; k++) {
      assert_words(model, buffer_str(&text));
      edit(&text);
      PyModel *edited = lower(buffer_str(&text), model);
      python_free(model);
      model = edited;
    }
    assert_words(model, buffer_str(&text));
    python_free(model);
    buffer_done(&text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_edits) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
