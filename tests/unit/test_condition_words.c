// Conditions in words: each operator, opposites, brackets, and names of arguments.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "describe/condition_words.h"

static ArgumentNames names_of(const char *op)
{
  return (ArgumentNames){ symbolics_torch_operator(symbolics_embedded(), str_from(op)), UINT32_MAX };
}

static void assert_words(const char *op, const char *text, const char *want)
{
  Arena arena = { 0 };
  Condition condition;
  Str message;
  assert_true(condition_parse(str_from(text), &arena, &condition, &message));
  Str have = condition_words(&condition, names_of(op), &arena);
  if (!str_equal(have, str_from(want)))
    fail_msg("'%s': have '%.*s', want '%s'", text, STR_ARG(have), want);
  arena_done(&arena);
}

static void single_clauses(void **state)
{
  static const char *const cases[][2] = {
    { "always", "always" },
    { "not is_const($1)", "`alpha` is computed in the graph" },
    { "is_none($1)", "`alpha` is None" },
    { "not is_none(sizes($0)[2])", "the size of dimension 2 of `self` is known" },
    { "is_none(outputs())", "the result is not unpacked at once" },
    { "rank($0) == 1", "`self` has 1 dimension" },
    { "len(sizes($0)) <= 0", "`self` has no dimensions" },
    { "len(sizes($0)) > 0", "`self` has dimensions" },
    { "len($1) < 3", "`alpha` has fewer than 3 elements" },
    { "not (len($1) < 3)", "`alpha` has at least 3 elements" },
    { "numel($1) != 1", "`alpha` doesn't have 1 element" },
    { "ndim($1) == 0", "`alpha` is a single number" },
    { "count == 4", "the call has 4 arguments" },
    { "$1 == -inf", "`alpha` is minus infinity" },
    { "$1 >= 2 * ($2 - 1)", "`alpha` is at least 2 times (`scale` minus 1)" },
    { "$1[0] % 2 != 0", "element 0 of `alpha` modulo 2 is not 0" },
    { "not $1", "`alpha` is false, 0 or empty" },
    { "$1 == \"max\"", "`alpha` is 'max'" },
    { "$1 in [1, 2]", "`alpha` is 1 or 2" },
    { "$1 == [1, 2]", "`alpha` is (1, 2)" },
    { "not (0 in sizes($0))", "the shape of `self` doesn't contain 0" },
    { "dtype($0) in [\"Half\", \"Long\"]", "`self` is Half or Long" },
    { "not (dtype($0) == \"Half\")", "`self` is not Half" },
    { "min($1, $2) > 1", "the smaller of `alpha` and `scale` is more than 1" },
  };
  for (size_t i = 0; i < COUNT(cases); i++)
    assert_words("aten::elu", cases[i][0], cases[i][1]);
}

static void clauses_are_joined(void **state)
{
  assert_words("aten::elu", "is_const($1) and is_const($2) and $3 == 0",
               "`input_scale` is 0 and `alpha` and `scale` are constant");
  assert_words("aten::elu", "$1 == 0 or $2 == 0", "`alpha` is 0 or `scale` is 0");
  assert_words("aten::elu", "$3 == 1 and ($1 == 0 or $2 == 0)",
               "`input_scale` is 1 and (`alpha` is 0 or `scale` is 0)");
  assert_words("aten::elu", "not ($1 == 0 and $2 > 1)", "`alpha` is not 0 or `scale` is at most 1");
  assert_words("aten::elu", "not ($1 == 0 and ($2 == 0 or $3 == 0))",
               "`alpha` is not 0 or (`scale` is not 0 and `input_scale` is not 0)");
}

static void arguments_have_the_names_of_the_schemas(void **state)
{
  assert_words("aten::no_such", "is_none($1)", "argument 2 is None");
  assert_words("aten::gru", "is_none($4)", "argument 5 is None");  // Two overloads don't agree.
  assert_words("aten::mul", "is_none($1)", "`other` is None");     // Those of numbers call it `b`.
}

static void reasons_name_what_a_node_has(void **state)
{
  Arena arena = { 0 };
  Str message;
  TorchOutcome outcome = { .reason = STR(
                               "it is {0.dtype}, {1} of the input's {0.sizes}; the input, {0.sizes}, and {2.dtype}{") };
  assert_true(condition_parse(STR("dtype($0) in [\"Half\", \"Bool\"]"), &arena, &outcome.condition, &message));
  Str have = condition_reason(&outcome, names_of("aten::elu"), &arena);
  const char *want =
      "it is Half or Bool, `alpha` of the input's shape; the input, with its shape, and of that element type{";
  if (!str_equal(have, str_from(want)))
    fail_msg("have '%.*s'", STR_ARG(have));
  arena_done(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(single_clauses),
    cmocka_unit_test(clauses_are_joined),
    cmocka_unit_test(arguments_have_the_names_of_the_schemas),
    cmocka_unit_test(reasons_name_what_a_node_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
