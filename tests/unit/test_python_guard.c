// At which opsets a place in Python is reached. Each text has one `HERE`, which is asked for.

#include "base/buffer.h"
#include "feature_text.h"
#include "python/model/python_file.h"

enum { LAST = 63 };

/// Opsets [first, last].
static uint64_t from_to(int first, int last)
{
  uint64_t set = 0;
  for (int n = first; n <= last; n++)
    set |= UINT64_C(1) << n;
  return set;
}

static void open_python(FeatureText *text, Str bytes)
{
  Target values = { .torch = STR("2.6"), .opset = 17 };
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  *text = (FeatureText){ 0 };
  text->target = target_new(&values);
  assert_int_equal(document_new(bytes, &text->document), OK);
  SnapshotInput input = { .uri = STR("file:///test.py"),
                          .version = 1,
                          .language_id = STR("python"),
                          .document = text->document,
                          .target = text->target };
  text->snapshot = snapshot_new(&input, NULL);
  assert_non_null(py_file_of_snapshot(text->snapshot));
}

typedef struct Guard {
  const char *code;
  int first, last;  ///< The opsets that reach HERE; first > last for none.
  bool is_unsure;
} Guard;

static void check_guard(const Guard *guard, uint64_t want)
{
  FeatureText text;
  Buffer code = { 0 };
  buffer_printf(&code, "import torch.onnx\nLATE = 13\ndef f(g, x, how):\n    %s\n", guard->code);
  open_python(&text, buffer_str(&code));
  const PyFile *file = py_file_of_snapshot(text.snapshot);
  const PyModel *model = file->model;
  bool is_unsure = false;
  uint64_t got =
      py_file_opset_guard(file, py_node_at(&model->tree, find_nth(buffer_str(&code), "HERE", 0) + 2), &is_unsure);
  if (got != want || is_unsure != guard->is_unsure)
    fail_msg("%s: %llx, wanted %llx; unsure %d", guard->code, (unsigned long long)got, (unsigned long long)want,
             is_unsure);
  close_feature_text(&text);
  buffer_done(&code);
}

static void check_all(const Guard *guards, size_t count)
{
  for (size_t i = 0; i < count; i++)
    check_guard(&guards[i], from_to(guards[i].first, guards[i].last));
}

#define CHECK(...)                                                                                                     \
  do {                                                                                                                 \
    static const Guard guards[] = { __VA_ARGS__ };                                                                     \
    check_all(guards, COUNT(guards));                                                                                  \
  } while (0)

/// Each sign, with the opset on either side.
static void test_signs(void **state)
{
  (void)state;
  CHECK({ "if g.opset < 13: HERE", 0, 12, false }, { "if g.opset <= 13: HERE", 0, 13, false },
        { "if g.opset > 13: HERE", 14, LAST, false }, { "if g.opset >= 13: HERE", 13, LAST, false },
        { "if g.opset == 13: HERE", 13, 13, false }, { "if 13 < g.opset: HERE", 14, LAST, false },
        { "if 13 <= g.opset: HERE", 13, LAST, false }, { "if 13 > g.opset: HERE", 0, 12, false },
        { "if 13 >= g.opset: HERE", 0, 13, false }, { "if 13 == g.opset: HERE", 13, 13, false },
        { "if 9 <= g.opset < 13: HERE", 9, 12, false }, { "if 13 > g.opset >= 9: HERE", 9, 12, false },
        { "if g.opset >= LATE: HERE", 13, LAST, false }, { "if (g.opset) >= (13): HERE", 13, LAST, false });
  check_guard(&(Guard){ .code = "if g.opset != 13: HERE" }, ~(UINT64_C(1) << 13));
  check_guard(&(Guard){ .code = "if g.opset == 13: pass\n    else: HERE" }, ~(UINT64_C(1) << 13));
}

static void test_words(void **state)
{
  (void)state;
  CHECK({ "if not g.opset >= 13: HERE", 0, 12, false }, { "if g.opset >= 9 and g.opset < 13: HERE", 9, 12, false },
        { "if how and g.opset < 13: HERE", 0, 12, false }, { "if how or g.opset < 13: HERE", 0, LAST, false },
        { "if g.opset < 13 or g.opset < 15: HERE", 0, 14, false },
        { "if g.opset < 9 or g.opset > 13: pass\n    else: HERE", 9, 13, false },
        { "if how and g.opset < 13: pass\n    else: HERE", 0, LAST, false },
        { "if how or g.opset < 13: pass\n    else: HERE", 13, LAST, false });
}

static void test_branches(void **state)
{
  (void)state;
  CHECK({ "if g.opset < 9: pass\n    elif g.opset < 13: HERE", 9, 12, false },
        { "if g.opset < 9: pass\n    elif g.opset < 13: pass\n    else: HERE", 13, LAST, false },
        { "if g.opset < 9: pass\n    elif g.opset < 13: pass\n    elif g.opset < 15: HERE", 13, 14, false },
        { "if g.opset < 9: pass\n    elif HERE: pass", 9, LAST, false },
        { "if HERE and g.opset < 13: pass", 0, LAST, false }, { "how = HERE if g.opset < 13 else 0", 0, 12, false },
        { "how = 0 if g.opset < 13 else HERE", 13, LAST, false }, { "how = g.opset < 13 and HERE", 0, 12, false },
        { "how = g.opset < 13 or HERE", 13, LAST, false },
        { "if g.opset < 15:\n        if how:\n            if g.opset > 9: HERE", 10, 14, false },
        { "for i in x:\n        if g.opset < 13: HERE", 0, 12, false },
        { "if g.opset < 13:\n        def inner(): HERE", 0, LAST, false });
}

/// What statements before the place leave.
static void test_exits(void **state)
{
  (void)state;
  CHECK({ "if g.opset < 13: return x\n    HERE", 13, LAST, false },
        { "if g.opset < 13: raise x\n    HERE", 13, LAST, false },
        { "if g.opset < 13: how = 1\n    HERE", 0, LAST, false }, { "assert g.opset >= 13\n    HERE", 13, LAST, false },
        { "if g.opset < 13: pass\n    else: return x\n    HERE", 0, 12, false },
        { "HERE\n    if g.opset < 13: return x", 0, LAST, false }, { "HERE\n    assert g.opset >= 13", 0, LAST, false },
        { "if g.opset < 9: return x\n    if g.opset > 13: return x\n    HERE", 9, 13, false },
        { "if how:\n        assert g.opset >= 13\n    HERE", 0, LAST, false });
}

/// Conditions that ask for the opset in a way that is not read.
static void test_unsure(void **state)
{
  (void)state;
  CHECK({ "if how: HERE", 0, LAST, false }, { "if supports_opset(13): HERE", 0, LAST, true },
        { "if g.opset in (11, 12): HERE", 0, LAST, true }, { "if g.opset + 1 > 13: HERE", 0, LAST, true },
        { "if g.opset >= how: HERE", 0, LAST, true }, { "while g.opset < how: HERE", 0, LAST, true },
        { "while g.opset < how: pass\n    HERE", 0, LAST, true },
        { "late = g.opset >= how\n    if late: HERE", 0, LAST, true },
        { "late = g.opset >= 13\n    if late: HERE", 13, LAST, false },
        { "if torch.onnx.utils.is_caffe2_aten_fallback(): HERE", 1, 0, false });
}

/// Conditions that ask which torch it runs with.
static void test_versions(void **state)
{
  (void)state;
  static const struct {
    const char *code;
    bool asks;
  } cases[] = {
    { "HERE", false },
    { "if how: HERE", false },
    { "if torch.__version__ >= '2': HERE", true },
    { "if torch.__version__ >= '2': pass\n    else: HERE", true },
    { "if how: pass\n    elif hasattr(torch, 'x'): HERE", true },
    { "if how: HERE\n    elif hasattr(torch, 'x'): pass", false },
    { "if TORCH_2: HERE", true },
    { "if opset_version >= 9: HERE", false },
    { "if torch.__version__ >= '2': return x\n    HERE", true },
    { "if torch.__version__ >= '2': how = 1\n    HERE", false },
    { "HERE\n    if torch.__version__ >= '2': return x", false },
    { "try: HERE\n    except ImportError: pass", true },
    { "try: HERE\n    except ValueError: pass", false },
    { "how = HERE if hasattr(torch, 'x') else 0", true },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    FeatureText text;
    Buffer code = { 0 };
    buffer_printf(&code, "import torch.onnx\ndef f(g, x, how):\n    %s\n", cases[i].code);
    open_python(&text, buffer_str(&code));
    const PyFile *file = py_file_of_snapshot(text.snapshot);
    const PyModel *model = file->model;
    PyRef node = py_node_at(&model->tree, find_nth(buffer_str(&code), "HERE", 0) + 2);
    if (py_file_asks_version(file, node) != cases[i].asks)
      fail_msg("%s: wanted %d", cases[i].code, cases[i].asks);
    close_feature_text(&text);
    buffer_done(&code);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_signs), cmocka_unit_test(test_words),  cmocka_unit_test(test_branches),
    cmocka_unit_test(test_exits), cmocka_unit_test(test_unsure), cmocka_unit_test(test_versions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
