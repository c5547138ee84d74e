// The type that a text shows after a value's name: what is one, and what only begins like one; and how many sizes it
// has.

#include "feature_text.h"
#include "graph/model/glance_names.h"
#include "graph/model/snapshot_dump.h"
#include "outcome/outcome.h"

static int element_type(const char *name)
{
  return SHOWN_FIRST + outcome_scalar_type_number(str_from(name));
}

static void tensors_have_types(void **state)
{
  assert_int_equal(shown_type_after(STR(" : Float(2, 3) = ")), element_type("Float"));
  assert_int_equal(shown_type_after(STR(" : BFloat16")), element_type("BFloat16"));
  assert_int_equal(shown_type_after(STR(" : ComplexHalf, %4")), element_type("ComplexHalf"));
  assert_int_equal(shown_type_after(STR(" : Tensor = ")), SHOWN_TENSOR);
  assert_int_equal(shown_type_after(STR(" : Tensor(2)\n")), SHOWN_TENSOR);
}

static void others_are_open(void **state)
{
  static const Str texts[] = { STR_INIT(""),
                               STR_INIT(" : "),
                               STR_INIT(" : int = "),
                               STR_INIT(" : Tensor? = "),
                               STR_INIT(" : Tensor[] = "),
                               STR_INIT(" : Float[]"),
                               STR_INIT(" : Floats "),
                               STR_INIT(" : Device"),
                               STR_INIT(" = aten::Float"),
                               STR_INIT(": Float") };
  for (size_t i = 0; i < COUNT(texts); i++)
    assert_int_equal(shown_type_after(texts[i]), SHOWN_OPEN);
}

static void sizes_are_counted(void **state)
{
  static const struct {
    const char *type;
    int rank;
  } types[] = {
    { "Float(2, 3)", 2 },       { "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)", 2 },
    { "Long(*, 3:1, 4)", 3 },   { "Half(7)", 1 },
    { "Double()", 0 },          { "Float", RANK_UNKNOWN },
    { "Tensor", RANK_UNKNOWN }, { "int", RANK_UNKNOWN },
  };
  for (size_t i = 0; i < COUNT(types); i++) {
    Arena arena = { 0 };
    FeatureText text;
    open_feature_text(&text, arena_printf(&arena, "%%y : %s = aten::relu(%%x)\n", types[i].type), CHUNK_TARGET, NULL);
    const ChunkState *chunk = snapshot_dump(text.snapshot)->chunks[0];
    uint32_t symbol = 0;
    while ((chunk->index->symbols[symbol].flags & SYMBOL_DEFINED) == 0)
      symbol++;
    Glance glance = { .rank = RANK_UNASKED };
    glance_names_read_rank(chunk, symbol, &glance);
    if (glance.rank != types[i].rank)
      fail_msg("%s has rank %d, not %d", types[i].type, glance.rank, types[i].rank);
    close_feature_text(&text);
    arena_done(&arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(tensors_have_types),
    cmocka_unit_test(others_are_open),
    cmocka_unit_test(sizes_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
