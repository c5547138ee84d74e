// Which language a text is in, by what it holds alone: without a name, and from an editor that doesn't know.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/language.h"
#include "core/target.h"

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

/// Graphs that only the dynamo exporter takes are judged at its opset, all others at the target's.
static void test_opsets(void **state)
{
  (void)state;
  const Language *dump = language_of_id(STR("torch-ir"));
  const Language *program = language_of_id(STR("fx-graph"));
  Target target = { .exporter = EXPORTER_TORCHSCRIPT, .opset = 13, .dynamo_opset = 18 };
  assert_int_equal(language_opset(dump, &target), 13);
  assert_int_equal(language_opset(NULL, &target), 13);
  assert_int_equal(language_opset(program, &target), 18);
  target.dynamo_opset = 0;
  assert_int_equal(language_opset(program, &target), 13);
  target = (Target){ .exporter = EXPORTER_DYNAMO, .opset = 20, .dynamo_opset = 20 };
  assert_int_equal(language_exporter(dump, &target), EXPORTER_DYNAMO);
  assert_int_equal(language_opset(program, &target), 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_by_content), cmocka_unit_test(test_opsets) };
  return cmocka_run_group_tests_name("languages by content", tests, NULL, NULL);
}
