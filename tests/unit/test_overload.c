// Which overload a line calls: the number of its arguments and their printed types tell.

#include "base/buffer.h"
#include "feature_text.h"
#include "graph/features/hover_private.h"

/// The values that lines may name.
#define VALUES                                                                                                          \
  "graph(%x : Float(2, 3), %s : Scalar, %i : int, %f : float, %b : bool, %l : int[], %t : Tensor[], %o, %str : str):\n" \
  "  %none : NoneType = prim::Constant()\n"

/// "-" if no overload takes the call.
static void assert_overload(const char *call, const char *want)
{
  FeatureText text;
  Buffer bytes = { 0 };
  Place place;
  buffer_append(&bytes, STR(VALUES));
  buffer_printf(&bytes, "  %%y : Tensor = %s\n  return (%%y)\n", call);
  open_feature_text(&text, buffer_str(&bytes), CHUNK_TARGET, NULL);
  OperatorContext job = operator_context(&text.context);
  size_t offset = find_nth(buffer_str(&bytes), call, 0);
  assert_true(dump_place_at(text.snapshot, offset, &place));
  LineView view = line_view(text.snapshot, dump_place_line(text.snapshot, place), &text.arena);
  const TorchOverload *overload = hover_overload_that_fits(&job, &view, place);
  Str got = overload ? overload->overload : STR("-");
  if (!str_equal(got, str_from(want)))
    fail_msg("%s is taken as '%.*s', not as '%s'", call, STR_ARG(got), want);
  close_feature_text(&text);
  buffer_done(&bytes);
}

static void test_number_of_arguments(void **state)
{
  (void)state;
  assert_overload("aten::relu(%x)", "");
  assert_overload("aten::relu(%x, %i, %i)", "-");
  assert_overload("aten::sum(%x, %none)", "");
  assert_overload("aten::sum(%x, %l, %b, %none)", "dim_IntList");
  assert_overload("aten::no_such_operator(%x)", "-");
}

static void test_types(void **state)
{
  (void)state;
  assert_overload("aten::add(%x, %x, %i)", "Tensor");
  assert_overload("aten::add(%x, %s, %i)", "Scalar");
  assert_overload("aten::add(%x, %f, %i)", "Scalar");
  assert_overload("aten::add(%i, %i)", "int");
  assert_overload("aten::add(%f, %f)", "float");
  assert_overload("aten::add(%f, %i)", "float_int");
  assert_overload("aten::add(%str, %str)", "str");
  assert_overload("aten::all(%x, %i, %b)", "dim");
  assert_overload("aten::all(%x, %l, %b)", "dims");
}

/// None fits what is optional, and nothing else.
static void test_none(void **state)
{
  (void)state;
  assert_overload("aten::all(%x, %none, %b)", "dims");
  assert_overload("aten::any(%x, %none, %b)", "dims");
  assert_overload("aten::clamp(%x, %none, %x)", "Tensor");
  assert_overload("aten::clamp(%x, %none, %i)", "");
}

/// What has no type, or one that says nothing, is no reason against an overload.
static void test_unknown_types(void **state)
{
  (void)state;
  assert_overload("aten::add(%o, %x, %i)", "Tensor");
  assert_overload("aten::add(%x, %o, %i)", "Scalar");
  assert_overload("aten::cat(%t, %i)", "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_number_of_arguments),
    cmocka_unit_test(test_types),
    cmocka_unit_test(test_none),
    cmocka_unit_test(test_unknown_types),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
