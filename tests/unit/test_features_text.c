// What features read off the text of lines and types, and how they find source files.

#include "describe/markup.h"
#include "describe/type_text.h"
#include "feature_text.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_tail.h"
#include "graph/features/source_path.h"

#define assert_str(actual, expected)                                                                                   \
  do {                                                                                                                 \
    Str actual_ = (actual);                                                                                            \
    Str expected_ = str_from(expected);                                                                                \
    if (!str_equal(actual_, expected_)) {                                                                              \
      print_error("'%.*s' is not '%.*s'\n", STR_ARG(actual_), STR_ARG(expected_));                                     \
      fail();                                                                                                          \
    }                                                                                                                  \
  } while (0)

static void test_line_tail(void **state)
{
  (void)state;
  LineTail tail = line_tail(STR("  %7 : Tensor = aten::add(%a, %b), scope: A::/b.C::c # /usr/x y.py:12:3"));
  assert_str(tail.scope, "A::/b.C::c");
  assert_str(tail.location, "/usr/x y.py:12:3");
  assert_str(tail.file, "/usr/x y.py");
  assert_int_equal(tail.file_line, 12);
  assert_int_equal(tail.file_column, 3);

  tail = line_tail(STR("  %7 : Tensor = aten::add(%a, %b) # C:\\x\\y.py:1:0  "));
  assert_str(tail.file, "C:\\x\\y.py");
  assert_int_equal(tail.scope.len, 0);

  tail = line_tail(STR("  %7 = f(), scope: __module.a"));
  assert_str(tail.scope, "__module.a");
  assert_int_equal(tail.location.len, 0);

  // A comment that is not a location, numbers that are none, and an attribute that looks like a tail.
  assert_int_equal(line_tail(STR("  %7 = f() # todo: 12:")).location.len, 0);
  assert_int_equal(line_tail(STR("  %7 = f() # a.py:12:99999999999")).location.len, 0);
  assert_int_equal(line_tail(STR("# a.py:1:2")).location.len, 0);
  assert_int_equal(line_tail(STR("")).location.len, 0);
  tail = line_tail(STR("  %7 = f[s=\"x # a.py:1:2\"](%b)"));
  assert_int_equal(tail.location.len, 0);
  assert_str(line_tail(STR("  %7 = f(), scope: A::b # not a place")).scope, "A::b");
}

static void test_scope_parts(void **state)
{
  (void)state;
  ScopePart parts[SCOPE_PART_LIMIT];
  assert_int_equal(
      line_tail_scope_parts(STR("AlexNet::/torch.nn.Sequential::features/torch.nn.Conv2d::features.0"), parts), 3);
  assert_str(parts[0].type, "AlexNet");
  assert_int_equal(parts[0].path.len, 0);
  assert_str(parts[2].type, "torch.nn.Conv2d");
  assert_str(parts[2].path, "features.0");
  assert_int_equal(line_tail_scope_parts(STR("__module.layer1/__module.layer1.0"), parts), 2);
  assert_str(parts[1].path, "layer1.0");
  assert_int_equal(parts[1].type.len, 0);
  assert_int_equal(line_tail_scope_parts(STR("AlexNet/Sequential[features]/Conv2d[0]"), parts), 3);
  assert_str(parts[2].type, "Conv2d");
  assert_str(parts[2].path, "0");
  assert_int_equal(line_tail_scope_parts(STR("///"), parts), 0);
  assert_int_equal(line_tail_scope_parts(STR(""), parts), 0);
  Str many = STR("a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a");
  assert_int_equal(line_tail_scope_parts(many, parts), SCOPE_PART_LIMIT);
}

static void test_type_after(void **state)
{
  (void)state;
  assert_str(line_tail_type(STR(" : Float(1, 2), %b : int = f()")), "Float(1, 2)");
  assert_str(line_tail_type(STR(" : NamedTuple(x : Tensor, y : int[]?) = f()")), "NamedTuple(x : Tensor, y : int[]?)");
  assert_str(line_tail_type(STR(" : Tensor):")), "Tensor");
  assert_str(line_tail_type(STR("[FLOAT, 1x3]")), "[FLOAT, 1x3]");
  assert_str(line_tail_type(STR(" = f()")), "");
  assert_str(line_tail_type(STR("")), "");
}

static void test_type_explain(void **state)
{
  (void)state;
  static const struct {
    const char *type;
    const char *words;
  } cases[] = {
    { "Float(1, 3, 224, 224, strides=[150528, 50176, 224, 1], requires_grad=0, device=cpu)",
      "float32 tensor of shape [1, 3, 224, 224] (150,528 elements, 588 KiB), contiguous, on cpu" },
    { "Float(2, 4, 5, 6, strides=[120, 1, 24, 4], requires_grad=1, device=cuda:0)",
      "float32 tensor of shape [2, 4, 5, 6] (240 elements), channels last, on cuda:0, requires gradients" },
    { "Float(2, 3, strides=[1, 2], requires_grad=0, device=cpu)",
      "float32 tensor of shape [2, 3] (6 elements), not contiguous, on cpu" },
    { "Float(*, 3, *, strides=[9, 3, 1], requires_grad=0, device=cpu)",
      "float32 tensor of shape [*, 3, *], dimensions 0 and 2 are dynamic, on cpu" },
    { "Long(requires_grad=0, device=cpu)", "int64 scalar tensor (rank 0), on cpu" },
    { "Long()", "int64 scalar tensor (rank 0)" },
    { "FloatTensor", "float32 tensor of unknown shape" },
    { "Tensor(2, *)", "tensor of shape [2, *], dimension 1 is dynamic, of unknown dtype" },
    { "Tensor(requires_grad=0)", "tensor of unknown dtype and shape" },
    { "Dynamic", "tensor of unknown dtype and shape" },
    { "Float(1:150528, 3:50176, 224:224, 224:1, requires_grad=0, device=cpu)",
      "float32 tensor of shape [1, 3, 224, 224] (150,528 elements, 588 KiB), on cpu" },
    { "Float(SS(-1), 3)", "float32 tensor of shape [SS(-1), 3], dimension 0 is dynamic" },
    { "Float(0, 3, strides=[3, 1])", "float32 tensor of shape [0, 3] (0 elements), contiguous" },
    { "int[]", "list of int" },
    { "Tensor?[]", "list of optional tensors of unknown dtype and shape" },
    { "int[]?", "list of int, or None" },
    { "int[][]", "list of lists of int" },
    { "(Tensor, int, ())", "tuple of 3: Tensor, int, ()" },
    { "()", "empty tuple" },
    { "NamedTuple(x : Tensor, y : int[]?)", "named tuple with x, y" },
    { "Dict(str, Tensor[])", "dictionary from str to Tensor[]" },
    { "Future[Tensor]", "result of a task that may still run: Tensor" },
    { "__torch__.torch.nn.modules.conv.___torch_mangle_12.Conv2d",
      "module or script class torch.nn.modules.conv.Conv2d" },
    { "[FLOAT, 1x3xN]", "float32 tensor of shape [1, 3, N], dimension 2 is dynamic" },
    { "[INT64, scalar]", "int64 scalar tensor (rank 0)" },
    { "int", "" },
    { "Float(1, 2", "" },
    { "", "" },
  };
  Arena arena = { 0 };
  for (size_t i = 0; i < COUNT(cases); i++)
    assert_str(type_explain(str_from(cases[i].type), &arena), cases[i].words);
  static const struct {
    const char *type;
    const char *words;
  } of_models[] = {
    { "float[N,3]", "float32 tensor of shape [N, 3], dimension 0 is dynamic" },
    { "float", "float32 scalar tensor (rank 0)" },
    { "float[]", "float32 tensor of unknown shape" },
    { "INT64,[2,3]", "int64 tensor of shape [2, 3] (6 elements)" },
    { "INT64,[]", "int64 scalar tensor (rank 0)" },
    { "INT4,?", "int4 tensor of unknown shape" },
    { "seq(float[2])", "sequence of float32 tensors of shape [2] (2 elements)" },
    { "optional(seq(int64[]))", "sequence of int64 tensors of unknown shape, or nothing" },
    { "map(int64, float[])", "map from int64 to float32 tensors of unknown shape" },
    { "sparse_tensor(double[4])", "sparse float64 tensor of shape [4] (4 elements)" },
    { "int[]", "" },
    { "float[2", "" },
    { "FLOAT,", "" },
    { "?", "" },
  };
  for (size_t i = 0; i < COUNT(of_models); i++)
    assert_str(type_explain_onnx(str_from(of_models[i].type), &arena), of_models[i].words);
  Str huge = arena_printf(&arena, "Float(%0999d, 99999999, 99999999, 99999999)", 1);
  assert_true(type_explain(huge, &arena).len < 600);
  assert_str(type_brief(STR("Float(1, 3, strides=[3, 1], requires_grad=0, device=cpu)"), &arena), "Float(1, 3)");
  assert_str(type_brief(STR("Tensor(device=cpu)"), &arena), "Tensor");
  assert_str(type_brief(STR("Long(device=cpu)"), &arena), "Long()");
  assert_str(type_brief(STR("__torch__.a.___torch_mangle_1.B"), &arena), "B");
  arena_done(&arena);
}

static void test_markup(void **state)
{
  (void)state;
  Markup markup = { 0 };
  Arena arena = { 0 };
  Hover hover;
  markup_block(&markup, "", STR("a ``` b"));
  markup_paragraph(&markup);
  markup_text(&markup, "shape [1, *] of a_b, _c_ <b> [x](y) %s", "100%");
  markup_item(&markup);
  markup_code(&markup, STR("`tick"));
  markup_item(&markup);
  markup_prose(&markup, STR("the `axis` of a * b"));
  markup_paragraph(&markup);
  markup_link(&markup, STR("f.py:3"), STR("/x y/f.py"), 3, &arena);
  assert_true(markup_finish(&markup, &arena, (Range){ 1, 2 }, &hover));
  assert_str(hover.markdown,
             "````\na ``` b\n````\n\nshape [1, \\*] of a_b, \\_c\\_ \\<b> [x\\](y) 100%\n\n- `` `tick ``\n"
             "- the `axis` of a \\* b\n\n[`f.py:3`](file:///x%20y/f.py#L3)");
  assert_str(hover.plain, "a ``` b\nshape [1, *] of a_b, _c_ <b> [x](y) 100%\n`tick\nthe axis of a * b\nf.py:3");
  assert_false(markup_finish(&markup, &arena, (Range){ 1, 2 }, &hover));
  assert_str(markup_shorten(STR("abc\xC3\xA9"), 4, &arena), "abc\xE2\x80\xA6");
  assert_str(markup_group_digits(1234567, &arena), "1,234,567");
  assert_str(markup_group_digits(0, &arena), "0");
  arena_done(&arena);
}

static void find_source(const FeatureText *text, const char *file, const char *expected)
{
  Str path = { 0 };
  bool found = source_path_find(&text->context, str_from(file), &path);
  assert_int_equal(found, expected != NULL);
  assert_str(path, expected ? expected : "");
}

static void test_source_path(void **state)
{
  (void)state;
  const Str roots[] = { STR("/home/me/model"), STR("/opt/lib") };
  const PathMapping mappings[] = { { STR("/build/src"), STR("/home/me/src") },
                                   { STR("C:\\work"), STR("/home/me/work") } };
  Target target = { .torch = STR("2.14"),
                    .opset = 17,
                    .source_roots = roots,
                    .source_root_count = 2,
                    .path_mappings = mappings,
                    .path_mapping_count = 2 };
  FeatureText text;
  open_feature_text(&text, STR("graph(%x : Tensor):\n  return (%x)\n"), CHUNK_TARGET, &target);
  pretended_files = "\n/home/me/src/a.py\n/home/me/work/b/c.py\n/abs/d.py\n/home/me/model/net/e.py\n/opt/lib/f.py\n"
                    "/home/me/secret.py\n/home/me/srcs/a.py\n";
  find_source(&text, "/build/src/a.py", "/home/me/src/a.py");
  find_source(&text, "/build/src/./x/../a.py", "/home/me/src/a.py");
  find_source(&text, "/build/srcs/a.py", NULL);
  find_source(&text, "C:\\work\\b\\c.py", "/home/me/work/b/c.py");
  find_source(&text, "/abs/d.py", "/abs/d.py");
  find_source(&text, "net/e.py", "/home/me/model/net/e.py");
  find_source(&text, "/other/machine/net/e.py", "/home/me/model/net/e.py");
  find_source(&text, "D:/somewhere/f.py", "/opt/lib/f.py");
  find_source(&text, "/build/src/f.py", "/opt/lib/f.py");
  find_source(&text, "../secret.py", NULL);
  find_source(&text, "<string>", NULL);
  find_source(&text, "", NULL);
  find_source(&text, "missing.py", NULL);
  pretended_files = "\n";
  close_feature_text(&text);
}

static bool read_model(Str path, Arena *arena, Str *ret_text)
{
  (void)arena;
  *ret_text = STR("import torch\n\nclass Nets:\n  pass\n\n class Net(torch.nn.Module):\n  pass\n");
  return str_equal(path, STR("/src/nets/model.py"));
}

/// The class of a module, in a file that may have gone since somebody saw it.
static void test_type_definition(void **state)
{
  (void)state;
  const Str roots[] = { STR("/src") };
  Target target = { .torch = STR("2.14"), .opset = 17, .source_roots = roots, .source_root_count = 1 };
  Str bytes = STR("graph(%x : Tensor):\n  %1 : Tensor = aten::relu(%x), scope: nets.model.Net::\n"
                  "  %2 : Tensor = aten::relu(%1), scope: nets.gone.Net::\n  return (%2)\n");
  FeatureText text;
  open_feature_text(&text, bytes, CHUNK_TARGET, &target);
  text.context.read_file = read_model;
  pretended_files = "\n/src/nets/model.py\n/src/nets/gone.py\n";
  LocationList found = graph_type_definition(&text.context, find_nth(bytes, "Net::", 0));
  assert_int_equal(found.count, 1);
  assert_str(found.items[0].path, "/src/nets/model.py");
  assert_int_equal(found.items[0].line, 5);
  assert_int_equal(found.items[0].column, 7);
  assert_int_equal(graph_type_definition(&text.context, find_nth(bytes, "Net::", 1)).count, 0);
  text.context.read_file = NULL;
  assert_int_equal(graph_type_definition(&text.context, find_nth(bytes, "Net::", 0)).count, 0);
  pretended_files = "\n";
  close_feature_text(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_line_tail),       cmocka_unit_test(test_scope_parts), cmocka_unit_test(test_type_after),
    cmocka_unit_test(test_type_explain),    cmocka_unit_test(test_markup),      cmocka_unit_test(test_source_path),
    cmocka_unit_test(test_type_definition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
