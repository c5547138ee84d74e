// What differs between torch versions and between opsets, against counts that were taken from the dumps; and finding
// operators by what people call them.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "facts/facts_diff.h"
#include "facts/facts_find.h"

typedef struct Tally {
  size_t added[4], removed[4], changed[4];
  Str wanted;  ///< The name whose lines are kept.
  Buffer lines;
} Tally;

static bool tally_diff(const FactDiff *diff, void *context)
{
  Tally *tally = context;
  assert_true(diff->name.len > 0 && (diff->before.len > 0 || diff->after.len > 0));
  if (diff->before.len == 0)
    tally->added[diff->what]++;
  else if (diff->after.len == 0)
    tally->removed[diff->what]++;
  else
    tally->changed[diff->what]++;
  if (str_equal(diff->name, tally->wanted)) {
    buffer_printf(&tally->lines, "%d[%.*s][%.*s]", diff->what, STR_ARG(diff->before), STR_ARG(diff->after));
    for (uint32_t i = 0; i < diff->line_count; i++)
      buffer_printf(&tally->lines, "%.*s;", STR_ARG(diff->lines[i]));
  }
  return true;
}

static Tally diff_torch(uint32_t before, uint32_t after, const char *wanted)
{
  Tally tally = { .wanted = str_from(wanted) };
  FactsSide a = { .db = symbolics_embedded(), .torch = before }, b = { .db = symbolics_embedded(), .torch = after };
  facts_diff_torch(a, b, tally_diff, &tally);
  return tally;
}

static void assert_lines(Tally *tally, const char *want)
{
  buffer_append_char(&tally->lines, '\0');
  assert_string_equal(tally->lines.data, want);
  buffer_done(&tally->lines);
}

static void test_nothing_differs_from_itself(void **state)
{
  for (uint32_t torch = 0; torch < 3; torch++) {
    Tally tally = diff_torch(torch, torch, "");
    for (int what = 0; what < 4; what++)
      assert_int_equal(tally.added[what] + tally.removed[what] + tally.changed[what], 0);
  }
}

static void test_torch_versions(void **state)
{
  // 9 symbolic functions left between 2.6 and 2.14, none came or changed.
  Tally tally = diff_torch(1, 2, "aten::_cast_Int");
  assert_int_equal(tally.removed[DIFF_TORCHSCRIPT], 9);
  assert_int_equal(tally.added[DIFF_TORCHSCRIPT] + tally.changed[DIFF_TORCHSCRIPT], 0);
  assert_lines(&tally, "1[7-20][]");

  // The schemas of each version are the ones in common plus those that came or went.
  assert_int_equal(4482 + tally.added[DIFF_TORCH_SCHEMA] - tally.removed[DIFF_TORCH_SCHEMA], 4510);
  tally = diff_torch(0, 1, "aten::scaled_dot_product_attention");
  assert_int_equal(4165 + tally.added[DIFF_TORCH_SCHEMA] - tally.removed[DIFF_TORCH_SCHEMA], 4482);
  assert_lines(&tally,
               "0[][aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
               "float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor]"
               "1[][14-20]");
  tally = diff_torch(0, 1, "aten::arange");
  assert_lines(&tally, "1[9-17, blocked 7-8][9-20, blocked 7-8]");
}

static Tally diff_onnx(int64_t before, int64_t after, const char *domain, const char *wanted)
{
  Tally tally = { .wanted = str_from(wanted) };
  FactsSide a = { .db = symbolics_embedded(), .opset = before }, b = { .db = symbolics_embedded(), .opset = after };
  facts_diff_onnx(a, b, str_from(domain), tally_diff, &tally);
  return tally;
}

static void test_opsets(void **state)
{
  Tally tally = diff_onnx(12, 13, "ai.onnx", "Squeeze");
  assert_int_equal(tally.added[DIFF_ONNX], 0);
  assert_int_equal(tally.changed[DIFF_ONNX], 79);
  assert_lines(&tally,
               "3[11][13]`axes` is an input (optional), no longer an attribute;`data`, `squeezed`: also bfloat16;");
  tally = diff_onnx(19, 20, "", "Gelu");
  assert_int_equal(tally.added[DIFF_ONNX], 6);
  assert_int_equal(tally.changed[DIFF_ONNX], 7);
  assert_lines(&tally, "3[][20]");
  // Two steps at once: what lies between is not told twice.
  tally = diff_onnx(10, 13, "", "Clip");
  assert_lines(&tally, "3[6][13]`max` is an input (optional), no longer an attribute;`min` is an input (optional), no "
                       "longer an attribute;`input`, `output`: also bfloat16, int16, int32, int64, int8, uint16, "
                       "uint32, uint64 and 1 more;");
  tally = diff_onnx(1, 2, "ai.onnx.ml", "ai.onnx.ml::LabelEncoder");
  assert_int_equal(tally.changed[DIFF_ONNX], 1);
  buffer_done(&tally.lines);
}

static bool stop_at_once(const FactDiff *diff, void *context)
{
  ++*(size_t *)context;
  return false;
}

static void test_a_visitor_can_stop(void **state)
{
  size_t count = 0;
  FactsSide a = { .db = symbolics_embedded(), .torch = 0, .opset = 1 };
  FactsSide b = { .db = symbolics_embedded(), .torch = 2, .opset = 25 };
  facts_diff_torch(a, b, stop_at_once, &count);
  facts_diff_onnx(a, b, STR(""), stop_at_once, &count);
  assert_int_equal(count, 2);
}

static void assert_set(uint64_t opsets, const char *want)
{
  Arena arena = { 0 };
  Str text = opset_set_text(opsets, &arena);
  assert_true(str_equal(text, str_from(want)));
  arena_done(&arena);
}

static void test_sets_of_opsets(void **state)
{
  assert_set(0, "");
  assert_set(1, "0");
  assert_set(0x180, "7-8");
  assert_set(0x280, "7, 9");
  assert_set(~(uint64_t)0, "0-63");
  assert_set((uint64_t)1 << 63, "63");
  assert_set((uint64_t)3 << 62 | 0x700, "8-10, 62-63");
}

/// "Relu aten::relu prims::relu", with "#overload" after.
static void assert_found(const char *word, const char *want)
{
  Arena arena = { 0 };
  Buffer text = { 0 };
  const FoundOperator *found;
  size_t count = symbolics_find(symbolics_embedded(), str_from(word), &arena, &found);
  for (size_t i = 0; i < count; i++) {
    assert_true((found[i].onnx == NULL) != (found[i].torch == NULL));
    Str name = found[i].onnx ? found[i].onnx->name : found[i].torch->name;
    buffer_printf(&text, "%s%.*s", i > 0 ? " " : "", STR_ARG(name));
    if (found[i].overload.len > 0)
      buffer_printf(&text, "#%.*s", STR_ARG(found[i].overload));
  }
  buffer_append_char(&text, '\0');
  assert_string_equal(text.data, want);
  buffer_done(&text);
  arena_done(&arena);
}

static void test_finding(void **state)
{
  assert_found("Conv", "Conv");
  assert_found("conv", "Conv");
  assert_found("onnx::Conv", "Conv");
  assert_found("ai.onnx::Conv", "Conv");
  assert_found("::Conv", "Conv");
  assert_found("Scaler", "Scaler");
  assert_found("ai.onnx.ml::Scaler", "Scaler");
  assert_found("aten::elu", "aten::elu");
  assert_found("elu", "aten::elu quantized::elu");
  assert_found("ELU", "Elu aten::elu quantized::elu");
  assert_found("aten::add.Tensor", "aten::add#Tensor");
  assert_found("aten::add.nope", "");
  assert_found("aten::relu.default", "aten::relu#default");
  assert_found("no_such_operator", "");
  assert_found("", "");
  assert_found("::", "");
  assert_found(".", "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nothing_differs_from_itself),
    cmocka_unit_test(test_torch_versions),
    cmocka_unit_test(test_opsets),
    cmocka_unit_test(test_a_visitor_can_stop),
    cmocka_unit_test(test_sets_of_opsets),
    cmocka_unit_test(test_finding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
