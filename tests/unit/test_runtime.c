// Runtimes as people name them, which measured version counts for them, and which outcomes are about it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "facts/runtime.h"
#include "outcome/outcome.h"

static void names_are_read(void **state)
{
  static const struct {
    const char *text, *version, *measured;
    bool is_exact, is_before;
  } cases[] = {
    { "onnxruntime 1.21", "1.21", "1.21", true, false },
    { "onnxruntime==1.21.1", "1.21", "1.21", true, false },
    { "onnxruntime-1.23.2", "1.23", "1.23", true, false },
    { " onnxruntime 1.22.0 ", "1.22", "1.21", false, false },
    { "onnxruntime 1.99", "1.99", "1.23", false, false },
    { "onnxruntime 1.9", "1.9", "1.21", false, true },
    { "onnxruntime", "", "", true, false },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    RuntimeChoice choice;
    assert_true(symbolics_resolve_runtime(symbolics_embedded(), str_from(cases[i].text), &choice));
    assert_true(str_equal(choice.name, STR("onnxruntime")));
    assert_true(str_equal(choice.version, str_from(cases[i].version)));
    assert_true(str_equal(choice.measured, str_from(cases[i].measured)));
    assert_int_equal(choice.is_exact, cases[i].is_exact);
    assert_int_equal(choice.is_before, cases[i].is_before);
  }
}

static void limits_are_of_any_tried_version(void **state)
{
  static const struct {
    const char *text, *version;
    int opset, ir;
  } cases[] = {
    { "onnxruntime 1.20.1", "1.20", 21, 10 }, { "onnxruntime 1.22", "1.22", 22, 10 },
    { "onnxruntime 1.24", "1.24", 25, 13 },   { "onnxruntime 1.9", "1.10", 15, 8 },
    { "onnxruntime 1.99", "1.30", 26, 13 },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    RuntimeChoice choice;
    assert_true(symbolics_resolve_runtime(symbolics_embedded(), str_from(cases[i].text), &choice));
    assert_true(str_equal(choice.limits->version, str_from(cases[i].version)));
    assert_int_equal(choice.limits->opset, cases[i].opset);
    assert_int_equal(choice.limits->ir, cases[i].ir);
  }
  RuntimeChoice any;
  assert_true(symbolics_resolve_runtime(symbolics_embedded(), STR("onnxruntime"), &any));
  assert_null(any.limits);
}

static void other_words_are_refused(void **state)
{
  static const char *const texts[] = { "",
                                       "1.21",
                                       "tensorrt 10",
                                       "onnxruntime x",
                                       "onnxruntime 1",
                                       "onnxruntime1.21",
                                       "onnxruntime 1.21x",
                                       "onnxruntime 1.21 cuda" };
  for (size_t i = 0; i < COUNT(texts); i++) {
    RuntimeChoice choice;
    assert_false(symbolics_resolve_runtime(symbolics_embedded(), str_from(texts[i]), &choice));
  }
}

static bool applies(const char *runtimes, const char *asked)
{
  TorchOutcome outcome = { .torch_versions = 2, .opsets = 1 << 17, .runtime = str_from(runtimes) };
  return outcome_applies(&outcome, 1, 17, str_from(asked));
}

static void outcomes_name_versions(void **state)
{
  assert_true(applies("", ""));
  assert_true(applies("", "1.21"));
  assert_false(applies("onnxruntime-1.21", ""));
  assert_true(applies("onnxruntime-1.21", "1.21"));
  assert_false(applies("onnxruntime-1.21", "1.2"));
  assert_false(applies("onnxruntime-1.21", "1.23"));
  assert_true(applies("onnxruntime-1.21,1.23", "1.23"));
  assert_true(applies("onnxruntime-1.21,1.23", "1.21"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_are_read),
    cmocka_unit_test(limits_are_of_any_tried_version),
    cmocka_unit_test(other_words_are_refused),
    cmocka_unit_test(outcomes_name_versions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
