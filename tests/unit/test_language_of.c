// Which language a text is in, by what it holds and by its name; and what it is judged against.
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

static void check_language(const char *text, const char *id, const char *path, const char *wanted)
{
  Document *document;
  assert_int_equal(document_new(str_from(text), &document), OK);
  const Language *language = language_of(document, str_from(id), str_from(path));
  const char *name = language ? language->name : "none";
  if (strcmp(name, wanted ? wanted : "none") != 0)
    fail_msg("%s with the id '%s' and the name %s is taken for %s, not for %s", text, id, path, name, wanted);
  document_release(document);
}

static void test_by_content(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(texts); i++)
    check_language(texts[i].text, "", "x.txt", texts[i].language);
}

/// Python may quote any graph, so either of its names is enough.
static void test_by_name(void **state)
{
  (void)state;
  static const char quoting[] = "text = \"\"\"\ngraph(%x : Tensor):\n  return (%x)\n\"\"\"\n";
  check_language(quoting, "", "x.txt", "torch-ir");
  check_language(quoting, "python", "x.txt", "python");
  check_language(quoting, "", "x.py", "python");
  check_language(quoting, "python", "x.py", "python");
  check_language("x\n", "torch-ir", "x.txt", "torch-ir");
  check_language("x\n", "", "x.torchir", "torch-ir");
}

/// Targets that differ in one setting, and the one that they differ from.
static void test_settings(void **state)
{
  (void)state;
  static const Str roots[] = { STR_INIT("/a") };
  static const PathMapping mappings[] = { { STR_INIT("/a"), STR_INIT("/b") } };
  const Target targets[] = {
    { .opset = 13 },
    { .opset = 14 },
    { .opset = 13, .torch = STR("2.6") },
    { .opset = 13, .torch_origin = STR("--torch") },
    { .opset = 13, .exporter_origin = STR("--exporter") },
    { .opset = 13, .opset_origin = STR("--opset") },
    { .opset = 13, .runtime = STR("onnxruntime 1.22") },
    { .opset = 13, .runtime_origin = STR("--runtime") },
    { .opset = 13, .onnxscript = STR("0.7.1") },
    { .opset = 13, .onnxscript_origin = STR("requirements.txt") },
    { .opset = 13, .onnxscript_needed = STR("0.5") },
    { .opset = 13, .torch_is_default = true },
    { .opset = 13, .torch_is_between = true },
    { .opset = 13, .torch_is_before = true },
    { .opset = 13, .exporter = EXPORTER_DYNAMO },
    { .opset = 13, .dynamo_opset = 18 },
    { .opset = 13, .opset_is_default = true },
    { .opset = 13, .severities = { [TARGET_RULE_LIMIT - 1] = SEVERITY_DEFAULT } },
    { .opset = 13, .max_diagnostics = 1 },
    { .opset = 13, .groups = true },
    { .opset = 13, .hides_argument_names = true },
    { .opset = 13, .hides_constant_values = true },
    { .opset = 13, .hides_input_names = true },
    { .opset = 13, .hides_opsets = true },
    { .opset = 13, .source_roots = roots, .source_root_count = 1 },
    { .opset = 13, .path_mappings = mappings, .path_mapping_count = 1 },
  };
  char digests[COUNT(targets)][2 * SHA256_BYTES + 1];
  for (size_t i = 0; i < COUNT(targets); i++) {
    Sha256 sha;
    sha256_init(&sha);
    target_digest(&targets[i], &sha);
    sha256_hex(&sha, digests[i]);
    for (size_t k = 0; k <= i; k++) {
      if (target_same_settings(&targets[i], &targets[k]) != (i == k) ||
          (strcmp(digests[i], digests[k]) == 0) != (i == k))
        fail_msg("targets %zu and %zu", i, k);
    }
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
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_by_content),
    cmocka_unit_test(test_by_name),
    cmocka_unit_test(test_settings),
    cmocka_unit_test(test_opsets),
  };
  return cmocka_run_group_tests_name("languages and targets", tests, NULL, NULL);
}
