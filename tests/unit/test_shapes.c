// Sizes of tensors as they go through operators, by torch's rules: what fits, what does not, and what stays unknown.

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "python/rules/forward/shapes.h"

#define SHAPE(...)                                                                                                     \
  ((Shape){ .rank = (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), .sizes = { __VA_ARGS__ } })

static void expect(Shape given, Shape wanted)
{
  assert_int_equal(given.rank, wanted.rank);
  for (int i = 0; i < wanted.rank; i++)
    assert_int_equal(given.sizes[i], wanted.sizes[i]);
}

static void test_broadcast(void **state)
{
  (void)state;
  Shape made;
  assert_true(shape_broadcast(&SHAPE(2, 1, 4), &SHAPE(3, 1), &made));
  expect(made, SHAPE(2, 3, 4));
  assert_false(shape_broadcast(&SHAPE(2, 3), &SHAPE(2, 4), &made));
  assert_true(shape_broadcast(&SHAPE(2, -1), &SHAPE(5), &made));
  expect(made, SHAPE(2, 5));
  assert_true(shape_broadcast(&SHAPE(1), &SHAPE(0), &made));
  expect(made, SHAPE(0));
  Shape unknown = shape_unknown();
  assert_true(shape_broadcast(&SHAPE(2), &unknown, &made));
  assert_int_equal(made.rank, -1);
}

static void test_matmul(void **state)
{
  (void)state;
  Shape made;
  assert_true(shape_matmul(&SHAPE(5, 2, 3), &SHAPE(3, 4), &made));
  expect(made, SHAPE(5, 2, 4));
  assert_false(shape_matmul(&SHAPE(2, 3), &SHAPE(4, 3), &made));
  assert_false(shape_matmul(&SHAPE(2, 2, 3), &SHAPE(3, 3, 4), &made));
  assert_true(shape_matmul(&SHAPE(2, 3), &SHAPE(3), &made));
  assert_false(shape_matmul(&SHAPE(2, 3), &SHAPE(2), &made));
}

static void test_join(void **state)
{
  (void)state;
  Shape sum = SHAPE(1, 8, 4);
  assert_true(shape_join(&sum, &SHAPE(1, 3, 4), -2));
  expect(sum, SHAPE(1, 11, 4));
  assert_false(shape_join(&sum, &SHAPE(1, 3, 5), 1));
  sum = SHAPE(1, -1);
  assert_true(shape_join(&sum, &SHAPE(1, 3), 1));
  expect(sum, SHAPE(1, -1));
  assert_false(shape_join(&sum, &SHAPE(1, 3, 4), 1));
  assert_false(shape_join(&sum, &SHAPE(3), 0));
  assert_true(shape_join(&sum, &SHAPE(0), 0));  // Of other ranks only this is taken.
  assert_int_equal(sum.rank, -1);
  assert_true(shape_join(&sum, &SHAPE(1, 3), 0));
}

static void test_reshape(void **state)
{
  (void)state;
  Shape made;
  bool known[PY_SHAPE_RANK_LIMIT] = { false }, first[PY_SHAPE_RANK_LIMIT] = { true };
  assert_true(shape_reshape(&SHAPE(2, 6), &SHAPE(-1, 4), known, &made));
  expect(made, SHAPE(3, 4));
  assert_false(shape_reshape(&SHAPE(2, 6), &SHAPE(-1, 5), known, &made));
  assert_false(shape_reshape(&SHAPE(2, 6), &SHAPE(2, 5), known, &made));
  assert_true(shape_reshape(&SHAPE(2, 6), &SHAPE(0, 5), first, &made));
  expect(made, SHAPE(-1, 5));
  assert_true(shape_reshape(&SHAPE(-1, 6), &SHAPE(2, 5), known, &made));
  assert_true(shape_reshape(&SHAPE(0, 6), &SHAPE(2, 0), known, &made));
}

static void test_axes(void **state)
{
  (void)state;
  expect(shape_flatten(&SHAPE(2, 3, 4, 5), 1, -1), SHAPE(2, 60));
  expect(shape_flatten(&SHAPE(2, 3, 4, 5), 1, 2), SHAPE(2, 12, 5));
  assert_int_equal(shape_flatten(&SHAPE(2), 1, -1).rank, -1);
  expect(shape_transpose(&SHAPE(2, 3, 4), 0, -1), SHAPE(4, 3, 2));
  expect(shape_reduce(&SHAPE(2, 3, 4), 1, false), SHAPE(2, 4));
  expect(shape_reduce(&SHAPE(2, 3, 4), -1, true), SHAPE(2, 3, 1));
  expect(shape_unsqueeze(&SHAPE(2, 3), 0), SHAPE(1, 2, 3));
  expect(shape_unsqueeze(&SHAPE(2, 3), -1), SHAPE(2, 3, 1));
  assert_int_equal(shape_unsqueeze(&SHAPE(2, 3), 4).rank, -1);
}

static void test_windows(void **state)
{
  (void)state;
  assert_int_equal(shape_window(32, &(ShapeWindow){ 3, 2, 1, 1 }), 16);
  assert_int_equal(shape_window(28, &(ShapeWindow){ 5, 1, 0, 1 }), 24);
  assert_int_equal(shape_window(10, &(ShapeWindow){ 3, 1, 0, 2 }), 6);
  assert_int_equal(shape_window(2, &(ShapeWindow){ 5, 1, 0, 1 }), -1);
  assert_int_equal(shape_window(8, &(ShapeWindow){ 3, -1, 0, 1 }), -1);
  assert_int_equal(shape_window_back(16, &(ShapeWindow){ 2, 2, 0, 1 }, 0), 32);
  assert_int_equal(shape_window_back(7, &(ShapeWindow){ 3, 2, 1, 1 }, 1), 14);
}

static void test_limits(void **state)
{
  (void)state;
  int64_t most = PY_DIM_NUMBER_LIMIT;
  Shape sum = SHAPE(most);
  assert_true(shape_join(&sum, &SHAPE(most), 0));
  expect(sum, SHAPE(-1));
  expect(shape_flatten(&SHAPE(2, most, most, most, most), 1, -1), SHAPE(2, -1));
  Arena arena = { 0 };
  assert_true(str_equal(shape_text(&SHAPE(1, -1), &arena), STR("(1, ?)")));
  assert_true(str_equal(shape_text(&SHAPE(3), &arena), STR("(3,)")));
  arena_done(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_broadcast), cmocka_unit_test(test_matmul), cmocka_unit_test(test_join),
    cmocka_unit_test(test_reshape),   cmocka_unit_test(test_axes),   cmocka_unit_test(test_windows),
    cmocka_unit_test(test_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
