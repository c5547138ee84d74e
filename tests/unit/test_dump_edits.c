// Edits that once left something of the snapshot before: whatever the chunks, the snapshot made from it equals a fresh
// one. test_dump_random.c finds such edits.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dump_flat.h"
#include "text/document_internal.h"

static Snapshot *make_snapshot(Document *document, const Snapshot *previous)
{
  Target values = { .torch = STR("2.14"), .exporter = EXPORTER_TORCHSCRIPT, .opset = 13 };
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  Target *target = target_new(&values);
  SnapshotInput input = { .uri = STR("file:///edit.txt"), .version = 1, .document = document, .target = target };
  Snapshot *snapshot = snapshot_new(&input, previous);
  target_release(target);
  return snapshot;
}

/// The text with `from` made `to`, cut into chunks of about so many bytes.
static void check_edit(const char *text, const char *from, const char *to, uint32_t chunk_target)
{
  Document *before, *after, *fresh;
  size_t start = str_find(str_from(text), str_from(from), 0);
  assert_int_equal(document_new_with_target(str_from(text), chunk_target, &before), OK);
  TextChange change = { .start = document_position(before, start, POS_UTF8),
                        .end = document_position(before, start + strlen(from), POS_UTF8),
                        .text = str_from(to) };
  assert_int_equal(document_apply(before, &change, 1, POS_UTF8, &after), OK);
  Arena arena = { 0 };
  Str whole = document_slice(after, (Range){ 0, document_length(after) }, &arena);
  assert_int_equal(document_new_with_target(whole, CHUNK_TARGET, &fresh), OK);
  Snapshot *first = make_snapshot(before, NULL);
  Snapshot *second = make_snapshot(after, first);
  Snapshot *alone = make_snapshot(fresh, NULL);
  Buffer got = { 0 };
  Buffer expected = { 0 };
  flat_snapshot(&got, second);
  flat_snapshot(&expected, alone);
  assert_true(flat_same(buffer_str(&got), buffer_str(&expected)));
  buffer_done(&got);
  buffer_done(&expected);
  snapshot_release(first);
  snapshot_release(second);
  snapshot_release(alone);
  document_release(before);
  document_release(after);
  document_release(fresh);
  arena_done(&arena);
}

static void check_in_all_chunks(const char *text, const char *from, const char *to)
{
  static const uint32_t targets[] = { 1, 40, 100, CHUNK_TARGET };
  for (size_t i = 0; i < COUNT(targets); i++)
    check_edit(text, from, to, targets[i]);
}

static void the_first_use_goes_from_a_further_line_of_a_statement(void **state)
{
  check_in_all_chunks("%4 : Float(2) = aten::lgamma()\n%8 : Tensor = aten::add(%x,\n  %4,\n# comment\n\n    %4\n)\n",
                      "%4,", "%142,");
}

static void the_first_use_comes_to_a_further_line_of_a_statement(void **state)
{
  check_in_all_chunks("%4 : Float(2) = aten::lgamma()\n%8 : Tensor = aten::add(%x,\n  %142,\n    %4\n)\n", "%142,",
                      "%4,");
}

/// Nodes that use a changed name are judged again where it stands for an argument that a condition looks at.
static void an_argument_is_another_value(void **state)
{
  check_in_all_chunks("graph(%x : Tensor, %n : Long()):\n  %0 : int = prim::Constant[value=0]()\n"
                      "  %1 : int = aten::Int(%n)\n  %1 : int = prim::Constant[value=1]()\n"
                      "  %y : Tensor = aten::transpose(%x, %0, %1)\n  return (%y)\n",
                      "%1 : int = prim", "%2 : int = prim");
}

static void an_argument_has_another_type(void **state)
{
  check_in_all_chunks("graph(%x : Float(2, 3)):\n  %y : Float(2, 3) = aten::relu(%x)\n"
                      "  %z : Tensor = aten::exp(%y)\n  return (%z)\n",
                      "%y : Float", "%y : Bool");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_first_use_goes_from_a_further_line_of_a_statement),
    cmocka_unit_test(the_first_use_comes_to_a_further_line_of_a_statement),
    cmocka_unit_test(an_argument_is_another_value),
    cmocka_unit_test(an_argument_has_another_type),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
