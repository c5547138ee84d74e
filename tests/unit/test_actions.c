// Actions and inlay hints on any text: edits lie in their documents, in order, and nothing crashes; what is inserted
// into settings keeps them JSON.

#include "base/buffer.h"
#include "core/action_job.h"
#include "describe/stub.h"
#include "feature_text.h"
#include "rpc/value.h"

enum { RANGES = 12, CHUNK = 700, DAMAGES = 40 };

// --- Any text ---

static void check_edits(const TextEdit *edits, size_t count, size_t length)
{
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    assert_true(edits[i].range.start >= at && edits[i].range.start <= edits[i].range.end);
    assert_true(edits[i].range.end <= length);
    at = edits[i].range.end;
  }
}

static bool read_nothing(Str path, Arena *arena, void *context, Str *ret_text)
{
  (void)path, (void)arena;
  *ret_text = *(Str *)context;
  return ret_text->data != NULL;
}

static void check_actions(FeatureText *text, Range range, const ActionWorld *world)
{
  size_t length = document_length(text->document);
  ActionList list = feature_actions(&text->context, world, range, 3);
  for (size_t i = 0; i < list.count; i++) {
    const Action *action = &list.items[i];
    assert_true(action->title.len > 0);
    assert_true(action->is_report || action->edit_count + action->file.edit_count > 0);
    check_edits(action->edits, action->edit_count, length);
    check_edits(action->file.edits, action->file.edit_count, action->file.text.len);
    assert_true(!action->file.is_new || (action->file.text.len == 0 && action->file.edit_count == 1));
  }
}

static void check_hints(FeatureText *text, Range range)
{
  InlayHintList hints = feature_inlay_hints(&text->context, range);
  for (size_t i = 0; i < hints.count; i++) {
    assert_true(hints.items[i].label.len > 0 && hints.items[i].offset <= document_length(text->document));
    assert_true(i == 0 || hints.items[i].offset >= hints.items[i - 1].offset);
  }
}

static void check_text(Str bytes)
{
  static Str settings = STR_INIT("{\"a\": 1}");
  ActionWorld nothing = { 0 };
  ActionWorld world = { .read_file = read_nothing, .read_file_context = &settings };
  world.settings_path = STR("/.onnxls.json");
  Target target = { .torch = STR("1.13"), .opset = 9 };
  memset(target.severities, SEVERITY_DEFAULT, sizeof(target.severities));
  FeatureText text;
  open_feature_text(&text, bytes, CHUNK, &target);
  size_t length = document_length(text.document);
  for (int i = 0; i < RANGES; i++) {
    Range range = { random_below(length + 1), 0 };
    range.end = range.start + random_below(i % 2 == 0 ? 80 : length - range.start + 1);
    range.end = range.end > length ? length : range.end;
    check_actions(&text, range, i % 3 == 0 ? &nothing : &world);
    check_hints(&text, range);
  }
  check_hints(&text, (Range){ 0, length });
  check_hints(&text, (Range){ length, 0 });
  feature_report(&text.context, STR("x"));
  close_feature_text(&text);
}

static void test_corpus(void **state)
{
  (void)state;
  PathList paths = { 0 };
  list_files(ONNXLS_TESTS_DIR "/corpus/torch-ir", &paths);
  qsort(paths.items, paths.count, sizeof(*paths.items), compare_paths);
  for (size_t i = 0; i < paths.count; i++) {
    Arena arena = { 0 };
    Str bytes = read_whole_file(paths.items[i], &arena);
    if (bytes.len < 100 * 1000 && random_is_sampled())
      check_text(bytes);
    free(paths.items[i]);
    arena_done(&arena);
  }
  vec_free(&paths);
}

static const Str sample = STR_INIT("graph(%x : Float(2, 3), %grid : Tensor):\n"
                                   "  %m : int = prim::Constant[value=0]()\n"
                                   "  %l : int[] = prim::ListConstruct(%m, %m)\n"
                                   "  %y : Float(2, 3) = aten::grid_sampler(%x, %grid, %m, %m, %m)\n"
                                   "  %v : Float(2), %i : Long(2) = aten::median(%y, %m, %m)\n"
                                   "  %all : Float() = aten::median(%v)\n"
                                   "  %z : Float(2, 3) = my_ops::my_op[a=1](%all, %l, %i)\n"
                                   "  %w : Float(2, 3) = aten::special_i0e_(%z)  # onnxls: ignore[syntax]\n"
                                   "  return (%w)\n");

static void test_damaged(void **state)
{
  (void)state;
  static const char bytes[] = "%:(),.=[]{}#\"\\ \n\r\tax1_\xff\xc3";
  for (int i = 0; i < DAMAGES; i++) {
    Arena arena = { 0 };
    Str copy = arena_copy(&arena, sample);
    for (int k = 0; k < 1 + i / 4; k++)
      ((char *)copy.data)[random_below(copy.len)] = bytes[random_below(sizeof(bytes) - 1)];
    check_text(copy);
    arena_done(&arena);
  }
}

// --- Safe fixes ---

static void test_safe_fixes(void **state)
{
  (void)state;
  static const TextEdit first[] = { { { 2, 4 }, STR_INIT("a") }, { { 9, 9 }, STR_INIT("b") } };
  static const TextEdit overlapping[] = { { { 3, 5 }, STR_INIT("c") } };
  static const TextEdit same_place[] = { { { 9, 9 }, STR_INIT("d") } };
  static const TextEdit between[] = { { { 4, 6 }, STR_INIT("e") } };
  static const TextEdit unsafe[] = { { { 20, 21 }, STR_INIT("f") } };
  const Fix fixes[] = {
    { STR("1"), first, 2, true },   { STR("2"), overlapping, 1, true }, { STR("3"), same_place, 1, true },
    { STR("4"), between, 1, true }, { STR("5"), unsafe, 1, false },
  };
  Diagnostic diagnostics[5] = { 0 };
  for (int i = 0; i < 5; i++) {
    diagnostics[i].fixes = &fixes[i];
    diagnostics[i].fix_count = 1;
  }
  Arena arena = { 0 };
  DiagnosticList list = { .items = diagnostics, .count = 5 };
  EditList edits = feature_safe_fixes(&list, &arena);
  assert_int_equal(edits.fix_count, 2);
  assert_int_equal(edits.count, 3);
  assert_int_equal(edits.items[0].range.start, 2);
  assert_int_equal(edits.items[1].range.start, 4);
  assert_int_equal(edits.items[2].range.start, 9);
  arena_done(&arena);
}

// --- Settings ---

static Str apply(Str text, const TextEdit *edits, size_t count, Arena *arena)
{
  Buffer out = { 0 };
  size_t at = 0;
  check_edits(edits, count, text.len);
  for (size_t i = 0; i < count; i++) {
    buffer_append(&out, str_slice(text, at, edits[i].range.start));
    buffer_append(&out, edits[i].text);
    at = edits[i].range.end;
  }
  buffer_append(&out, str_slice(text, at, text.len));
  Str result = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return result;
}

static void test_settings(void **state)
{
  (void)state;
  static const char bytes[] = "{}[]\":,\\ \n1aopset";
  const SettingChange changes[] = { { "opset", STR("17") }, { "exporter", STR("\"dynamo\"") } };
  size_t rounds = random_share(20000);
  size_t valid = 0;
  for (size_t i = 0; i < rounds; i++) {
    Arena arena = { 0 };
    Str text = arena_copy(&arena, STR("{ \"opset\": 9, \"a\": [1, {\"b\": \"}\\\"\"}], \"exporter\" : null }"));
    for (size_t k = random_below(4); k > 0; k--)
      ((char *)text.data)[random_below(text.len)] = bytes[random_below(sizeof(bytes) - 1)];
    text.len -= random_below(3) == 0 ? random_below(text.len) : 0;
    Value *before = NULL;
    ValueError error;
    bool was_valid = value_parse(text, &before, &error) == OK && value_kind(before) == VALUE_OBJECT;
    const TextEdit *edits;
    size_t count;
    bool is_changed = action_settings_edit_json(text, changes, 2, &arena, &edits, &count);
    assert_true(is_changed || !was_valid);
    if (is_changed && was_valid) {
      Value *after = NULL;
      int64_t opset = 0;
      Str exporter;
      assert_int_equal(value_parse(apply(text, edits, count, &arena), &after, &error), OK);
      assert_true(value_to_int(value_get(after, "opset"), &opset) && opset == 17);
      assert_true(value_to_str(value_get(after, "exporter"), &exporter) && str_equal(exporter, STR("dynamo")));
      value_release(after);
      valid++;
    }
    value_release(before);
    arena_done(&arena);
  }
  assert_true(valid > rounds / 20);
}

// --- Stubs ---

static void test_names(void **state)
{
  (void)state;
  static const char *const good[] = { "aten::add", "aten::add_", "my-ops::f_1", "aten::__and__", "a1::_x" };
  static const char *const bad[] = { "",       "add",        "aten::",  "::add",     "aten::1d", "a.b::c",
                                     "a::b.c", "onnx::Relu", "a::b::c", "aten::\"x", "_",        "a:: b" };
  for (size_t i = 0; i < COUNT(good); i++)
    assert_true(stub_can_register(str_from(good[i])));
  for (size_t i = 0; i < COUNT(bad); i++)
    assert_false(stub_can_register(str_from(bad[i])));
}

static void test_letters(void **state)
{
  (void)state;
  static const struct {
    const char *type;
    StubLetter constant, other;
  } rows[] = {
    { "Tensor", STUB_VALUE, STUB_VALUE },    { "Tensor?", STUB_VALUE, STUB_VALUE },
    { "Tensor[]", STUB_VALUE, STUB_VALUE },  { "Tensor?[]", STUB_VALUE, STUB_VALUE },
    { "int", STUB_INT, STUB_VALUE },         { "SymInt?", STUB_INT, STUB_VALUE },
    { "ScalarType?", STUB_INT, STUB_VALUE }, { "float", STUB_FLOAT, STUB_VALUE },
    { "Scalar", STUB_FLOAT, STUB_VALUE },    { "bool?", STUB_BOOL, STUB_VALUE },
    { "str", STUB_STRING, STUB_VALUE },      { "int[2]", STUB_INTS, STUB_VALUE },
    { "SymInt[1]?", STUB_INTS, STUB_VALUE }, { "float[]?", STUB_FLOATS, STUB_VALUE },
    { "bool[3]", STUB_VALUE, STUB_VALUE },   { "Generator?", STUB_UNUSED, STUB_UNUSED },
    { "Device?", STUB_UNUSED, STUB_UNUSED }, { "", STUB_VALUE, STUB_VALUE },
    { "Layout?", STUB_UNUSED, STUB_UNUSED }, { "]", STUB_VALUE, STUB_VALUE },
    { "?", STUB_VALUE, STUB_VALUE },
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    assert_int_equal(stub_letter(str_from(rows[i].type), true), rows[i].constant);
    assert_int_equal(stub_letter(str_from(rows[i].type), false), rows[i].other);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_corpus),   cmocka_unit_test(test_damaged), cmocka_unit_test(test_safe_fixes),
    cmocka_unit_test(test_settings), cmocka_unit_test(test_names),   cmocka_unit_test(test_letters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
