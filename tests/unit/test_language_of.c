// Which language a text is in, by what it holds alone: without a name, and from an editor that doesn't know.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/language.h"

static const struct {
  const char *text;
  const char *language;  ///< NULL for none.
} texts[] = {
  { "graph(%x : Tensor):\n", "torch-ir" },
  { "some log\n  graph(%x.1 : Float(2, 3)):\n", "torch-ir" },
  { "graph main_graph (\n", "torch-ir" },
  { "%3 : Tensor = aten::relu(%x)\n", "torch-ir" },
  { "%3 : int = prim::Constant[value=1]()\n", "torch-ir" },
  { "%3 : Tensor, %4 : Tensor = ^Halves(2)(%x)\n", "torch-ir" },
  { "%3 : Tensor\n", NULL },
  { "%3 = 4\n", NULL },
  { "%3 = aten::relu\n", NULL },
  { "x = aten::relu(%x)\n", NULL },
  { "%3 = add i32 %1, %2\n", NULL },
  { "%3 = call i32 @f(i32 1)\n", NULL },
  { "graph {\n", NULL },
  { "a graph(of something)\n", NULL },
  { "", NULL },
};

static void test_by_content(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(texts); i++) {
    Document *document;
    assert_int_equal(document_new(str_from(texts[i].text), &document), OK);
    const Language *language = language_of(document, STR(""), STR("x.txt"));
    const char *name = language ? language->name : "none";
    const char *wanted = texts[i].language ? texts[i].language : "none";
    if (strcmp(name, wanted) != 0)
      fail_msg("%s is of %s, and is taken for %s", texts[i].text, wanted, name);
    document_release(document);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_by_content) };
  return cmocka_run_group_tests_name("languages by content", tests, NULL, NULL);
}
