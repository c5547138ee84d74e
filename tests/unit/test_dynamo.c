// What the dynamo exporter does with an overload: by its function, by its parts, by its arguments.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "describe/dynamo_words.h"
#include "outcome/outcome.h"

static DynamoFate ask(const char *name, const char *overload, Truth is_complex, int opset, NodeView *view, Arena *arena)
{
  const SymbolicsDb *db = symbolics_embedded();
  TorchChoice choice;
  assert_true(symbolics_resolve_torch(db, STR("2.14"), &choice));
  DynamoQuestion question = { .db = db,
                              .torch = choice.torch,
                              .opset = opset,
                              .name = str_from(name),
                              .overload = str_from(overload),
                              .is_complex = is_complex,
                              .view = view };
  return dynamo_fate(&question, arena);
}

static void by_function_and_by_parts(void **state)
{
  static const struct {
    const char *name, *overload;
    Truth is_complex;
    int opset;
    DynamoVerdict verdict;
    const char *part;
  } cases[] = {
    { "aten::add", "Tensor", TRUTH_NO, 18, DYNAMO_TRANSLATED, "" },
    { "aten::add_", "Tensor", TRUTH_NO, 18, DYNAMO_TRANSLATED, "" },
    { "aten::add", "nope", TRUTH_NO, 18, DYNAMO_REFUSED, "aten::add.nope" },
    { "aten::special_i0e", "default", TRUTH_NO, 0, DYNAMO_REFUSED, "prims::bessel_i0e" },
    { "aten::special_i0e", "", TRUTH_UNKNOWN, 13, DYNAMO_REFUSED, "prims::bessel_i0e" },
    { "aten::geqrf", "", TRUTH_NO, 23, DYNAMO_REFUSED, "aten::geqrf" },
    { "aten::adaptive_max_pool2d", "", TRUTH_NO, 18, DYNAMO_DEPENDS, "aten::adaptive_max_pool2d" },
    { "aten::resize_as_", "", TRUTH_NO, 18, DYNAMO_REFUSED, "aten::resize" },
    { "aten::rms_norm", "", TRUTH_NO, 18, DYNAMO_DECOMPOSED, "" },
    { "aten::rms_norm", "", TRUTH_NO, 23, DYNAMO_TRANSLATED, "" },
    { "aten::rms_norm", "", TRUTH_NO, 99, DYNAMO_TRANSLATED, "" },
    { "aten::cos", "", TRUTH_YES, 18, DYNAMO_REFUSED, "aten::cos" },
    { "aten::_fft_c2r", "", TRUTH_NO, 18, DYNAMO_REFUSED, "aten::_fft_c2r" },
    { "aten::_fft_c2r", "", TRUTH_UNKNOWN, 18, DYNAMO_TRANSLATED, "" },
    { "aten::_assert_scalar", "", TRUTH_NO, 18, DYNAMO_DECOMPOSED, "" },
    { "aten::linalg_matrix_norm", "str_ord", TRUTH_NO, 18, DYNAMO_DEPENDS, "aten::_linalg_svd" },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    Arena arena = { 0 };
    DynamoFate fate = ask(cases[i].name, cases[i].overload, cases[i].is_complex, cases[i].opset, NULL, &arena);
    if (fate.verdict != cases[i].verdict || !str_equal(fate.part, str_from(cases[i].part)))
      fail_msg("%s.%s: verdict %d, part %.*s", cases[i].name, cases[i].overload, fate.verdict, STR_ARG(fate.part));
    arena_done(&arena);
  }
}

/// A view in which the second argument is this text.
static Str second_text;

static const ArgumentFacts *second_argument(NodeView *view, uint32_t number, uint32_t element)
{
  static ArgumentFacts facts;
  facts = (ArgumentFacts){ .is_none = TRUTH_NO, .rank = RANK_UNKNOWN };
  if (number == 1 && element == WHOLE_ARGUMENT)
    facts.value = (Value){ .kind = VALUE_TEXT, .text = second_text };
  return &facts;
}

static void by_arguments(void **state)
{
  Arena arena = { 0 };
  NodeView view = { .argument_count = 5, .argument = second_argument };
  second_text = STR("fro");
  DynamoFate fate = ask("aten::linalg_matrix_norm", "str_ord", TRUTH_NO, 18, &view, &arena);
  assert_int_equal(fate.verdict, DYNAMO_DECOMPOSED);
  assert_false(fate.by_arguments);
  second_text = STR("nuc");
  fate = ask("aten::linalg_matrix_norm", "str_ord", TRUTH_NO, 18, &view, &arena);
  assert_int_equal(fate.verdict, DYNAMO_REFUSED);
  fate = ask("aten::linalg_matrix_norm", "str_ord", TRUTH_YES, 18, NULL, &arena);
  assert_int_equal(fate.verdict, DYNAMO_REFUSED);
  assert_true(fate.by_arguments);
  arena_done(&arena);
}

static void unknown_versions(void **state)
{
  Arena arena = { 0 };
  DynamoQuestion question = { .db = symbolics_embedded(), .torch = 0, .name = STR("aten::add") };
  assert_int_equal(dynamo_fate(&question, &arena).verdict, DYNAMO_NOT_KNOWN);
  arena_done(&arena);
}

static void in_the_exporters_words(void **state)
{
  static const char *const cases[][2] = {
    { "prims::bessel_i0e", "prims.bessel_i0e.default" },
    { "aten::add.Tensor", "aten.add.Tensor" },
    { "higher_order::cond", "higher_order.cond" },
    { "_operator::add", "_operator.add" },
    { "cond", "cond" },
  };
  Arena arena = { 0 };
  for (size_t i = 0; i < COUNT(cases); i++) {
    if (!str_equal(dynamo_overload_words(str_from(cases[i][0]), &arena), str_from(cases[i][1])))
      fail_msg("%s", cases[i][0]);
  }
  arena_done(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(by_function_and_by_parts),
    cmocka_unit_test(by_arguments),
    cmocka_unit_test(unknown_versions),
    cmocka_unit_test(in_the_exporters_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
