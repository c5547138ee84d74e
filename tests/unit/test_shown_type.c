// The type that a text shows after a value's name: what is one, and what only begins like one.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "graph/model/shown_type.h"
#include "outcome/outcome.h"

static int element_type(const char *name)
{
  return SHOWN_FIRST + outcome_scalar_type_number(str_from(name));
}

static void tensors_have_types(void **state)
{
  assert_int_equal(shown_type_after(STR(" : Float(2, 3) = ")), element_type("Float"));
  assert_int_equal(shown_type_after(STR(" : BFloat16")), element_type("BFloat16"));
  assert_int_equal(shown_type_after(STR(" : ComplexHalf, %4")), element_type("ComplexHalf"));
  assert_int_equal(shown_type_after(STR(" : Tensor = ")), SHOWN_TENSOR);
  assert_int_equal(shown_type_after(STR(" : Tensor(2)\n")), SHOWN_TENSOR);
}

static void others_are_open(void **state)
{
  static const Str texts[] = { STR_INIT(""),
                               STR_INIT(" : "),
                               STR_INIT(" : int = "),
                               STR_INIT(" : Tensor? = "),
                               STR_INIT(" : Tensor[] = "),
                               STR_INIT(" : Float[]"),
                               STR_INIT(" : Floats "),
                               STR_INIT(" : Device"),
                               STR_INIT(" = aten::Float"),
                               STR_INIT(": Float") };
  for (size_t i = 0; i < COUNT(texts); i++)
    assert_int_equal(shown_type_after(texts[i]), SHOWN_OPEN);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(tensors_have_types), cmocka_unit_test(others_are_open) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
