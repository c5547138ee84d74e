// How many diagnostics a document gets: serious ones before hints, and the rest are counted; and one for many nodes.

#include "base/buffer.h"
#include "base/limits.h"
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

/// What stands between two graphs is inside of neither, wherever chunks are cut.
static void test_text_between(void **state)
{
  (void)state;
  Str bytes = STR("graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n"
                  "What comes next is another graph.\n"
                  "graph(%a : Tensor):\n  %b : Tensor = aten::relu(%a)\n  return (%b)\n");
  for (uint32_t target = 1; target <= bytes.len; target++) {
    FeatureText text;
    open_feature_text(&text, bytes, target, NULL);
    DiagnosticList list = diagnostics_of(text.snapshot, &text.arena);
    if (list.count > 0)
      fail_msg("chunks of %u bytes: %.*s", target, STR_ARG(list.items[0].message));
    close_feature_text(&text);
  }
}

/// A line that defines a name anew uses what the name meant before, and the lines after it what it means now, wherever
/// chunks are cut.
static void test_name_made_anew(void **state)
{
  (void)state;
  Str bytes = STR("graph(%x : Float(2, 3), %m : Float(3, 2)):\n"
                  "  %1 : int = prim::Constant[value=1]()\n"
                  "  %2 : int = prim::Constant[value=0]()\n"
                  "  %1 : Float(3, 2) = aten::transpose(%x, %1, %2)\n"
                  "  %4 : Tensor = aten::transpose(%m, %1, %2)\n"
                  "  return (%4)\n");
  Target target = { .torch = STR("2.6"), .opset = 17 };
  memset(target.severities, SEVERITY_DEFAULT, sizeof(target.severities));
  for (uint32_t chunk_target = 1; chunk_target <= bytes.len; chunk_target++) {
    FeatureText text;
    open_feature_text(&text, bytes, chunk_target, &target);
    DiagnosticList list = diagnostics_of(text.snapshot, &text.arena);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].rule, RULE_DUPLICATE_VALUE);
    assert_int_equal(list.items[1].rule, RULE_REFUSED_CALL);
    assert_int_equal(list.items[1].range.start, find_nth(bytes, "aten::transpose", 1));
    close_feature_text(&text);
  }
}

static void assert_text(Str have, const char *want)
{
  if (!str_equal(have, str_from(want)))
    fail_msg("have '%.*s', want '%s'", STR_ARG(have), want);
}

/// The shortest words are words, and what is left out of a long list is counted.
static void test_group(void **state)
{
  (void)state;
  static Diagnostic items[GROUP_PLACE_LIMIT + 3];
  for (size_t i = 0; i < COUNT(items); i++)
    items[i] = (Diagnostic){ .range = { i, i + 1 }, .common = STR("c"), .scope = i % 2 == 1 ? STR("m") : STR("") };
  DiagnosticList list = { .items = items, .count = COUNT(items) };
  Arena arena = { 0 };
  DiagnosticList grouped = diagnostics_group(&list, &arena);
  assert_int_equal(grouped.count, 1);
  const Diagnostic *only = &grouped.items[0];
  assert_int_equal(only->node_count, GROUP_PLACE_LIMIT + 3);
  assert_text(only->message, "103 nodes: c");
  assert_int_equal(only->related_count, GROUP_PLACE_LIMIT);
  assert_text(only->related[0].message, "In m.");
  assert_text(only->related[1].message, "Here, too.");
  assert_text(only->related[GROUP_PLACE_LIMIT - 2].message, "In m.");
  assert_text(only->related[GROUP_PLACE_LIMIT - 1].message, "Here, too. 2 more follow.");

  // As many as there is room for.
  list.count = GROUP_PLACE_LIMIT + 1;
  grouped = diagnostics_group(&list, &arena);
  assert_int_equal(grouped.items[0].related_count, GROUP_PLACE_LIMIT);
  assert_text(grouped.items[0].related[GROUP_PLACE_LIMIT - 1].message, "Here, too.");
  arena_done(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_limit),
    cmocka_unit_test(test_text_between),
    cmocka_unit_test(test_name_made_anew),
    cmocka_unit_test(test_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
