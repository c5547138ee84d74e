// How many diagnostics a document gets: serious ones before hints, and the rest are counted.

#include "base/buffer.h"
#include "feature_text.h"

enum { MOST = 4 };

/// Names that nothing defines are errors, results that nothing uses are hints; they take turns.
static void write_dump(Buffer *out, int errors, int hints)
{
  buffer_append(out, STR("graph(%x : Tensor):\n"));
  for (int i = 0; i < errors || i < hints; i++) {
    if (i < hints)
      buffer_printf(out, "  %%h%d : Tensor = aten::relu(%%x)\n", i);
    if (i < errors)
      buffer_printf(out, "  %%e%d : Tensor = aten::relu_(%%no%d)\n", i, i);
  }
  buffer_append(out, STR("  return (%x"));
  for (int i = 0; i < errors; i++)
    buffer_printf(out, ", %%e%d", i);
  buffer_append(out, STR(")\n"));
}

static void check_limit(int errors, int hints, uint32_t limit, uint32_t chunk_target)
{
  Target target = { .torch = STR("2.14"), .opset = 17, .max_diagnostics = limit };
  memset(target.severities, SEVERITY_DEFAULT, sizeof(target.severities));
  Buffer bytes = { 0 };
  FeatureText text;
  write_dump(&bytes, errors, hints);
  open_feature_text(&text, buffer_str(&bytes), chunk_target, &target);
  DiagnosticList list = diagnostics_of(text.snapshot, &text.arena);
  int most = limit == 0 ? errors + hints : (int)limit;
  int want_errors = errors < most ? errors : most;
  int want_hints = hints < most - want_errors ? hints : most - want_errors;
  int got[2] = { 0 };
  for (size_t i = 0; i < list.count; i++) {
    got[list.items[i].severity == SEVERITY_HINT]++;
    assert_true(i == 0 || list.items[i].range.start >= list.items[i - 1].range.start);
  }
  if (got[0] != want_errors || got[1] != want_hints ||
      list.hidden != (size_t)(errors + hints - want_errors - want_hints))
    fail_msg("%d errors and %d hints, at most %u: %d, %d and %zu hidden", errors, hints, limit, got[0], got[1],
             (size_t)list.hidden);
  close_feature_text(&text);
  buffer_done(&bytes);
}

static void test_limit(void **state)
{
  (void)state;
  static const uint32_t chunk_targets[] = { 1, 100, CHUNK_TARGET };
  for (int errors = 0; errors <= MOST; errors++) {
    for (int hints = 0; hints <= MOST; hints++) {
      for (uint32_t limit = 0; limit <= 2 * MOST + 1; limit++) {
        for (size_t i = 0; i < COUNT(chunk_targets); i++)
          check_limit(errors, hints, limit, chunk_targets[i]);
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
