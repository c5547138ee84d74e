// What becomes of a node before it is converted: each pass once, and the budgets of the walks.

#include "base/buffer.h"
#include "feature_text.h"
#include "graph/features/dump_at.h"
#include "graph/model/passes_private.h"
#include "graph/model/snapshot_dump.h"

/// The fate of the last node with that operator.
static NodeFate fate_of(Str bytes, const char *op)
{
  FeatureText text;
  TorchChoice torch;
  Place place;
  open_feature_text(&text, bytes, 700, NULL);
  const SymbolicsDb *db = symbolics_embedded();
  assert_true(symbolics_resolve_torch(db, text.target->torch, &torch));
  size_t offset = STR_NOT_FOUND;
  for (size_t at = str_find(bytes, str_from(op), 0); at != STR_NOT_FOUND; at = str_find(bytes, str_from(op), at + 1))
    offset = at;
  assert_true(dump_place_at(text.snapshot, offset, &place));
  Passes *passes = passes_new(snapshot_dump(text.snapshot), db);
  NodeFate fate = passes_fate(passes, place, symbolics_pass(db, torch.torch, str_from(op)));
  passes_free(passes);
  close_feature_text(&text);
  return fate;
}

typedef struct Case {
  NodeFate fate;
  const char *op;
  const char *lines;  ///< Of a graph with the inputs %x, %v (tensors), %l (a list) and %c (a condition).
} Case;

static const Case cases[] = {
  // Dead code.
  { FATE_CONVERTED, "aten::lgamma", "%y : Tensor = aten::lgamma(%x)\nreturn (%y)" },
  { FATE_REMOVED, "aten::lgamma", "%y : Tensor = aten::lgamma(%x)\nreturn (%x)" },
  { FATE_REMOVED, "aten::lgamma", "%y : Tensor = aten::lgamma(%x)\n%z : Tensor = aten::relu(%y)\nreturn (%x)" },
  { FATE_CONVERTED, "aten::lgamma", "%y : Tensor = aten::lgamma(%x)\n%z : Tensor = aten::relu_(%y)\nreturn (%x)" },
  // Constant folding.
  { FATE_REMOVED, "aten::lgamma", "%i : int = prim::Constant[value=1]()\n%y : Tensor = aten::lgamma(%i)\nreturn (%y)" },
  { FATE_REMOVED, "aten::lgamma",
    "%i : int = prim::Constant[value=1]()\n%k : int = aten::mul(%i, %i)\n%y : Tensor = aten::lgamma(%k)\nreturn (%y)" },
  { FATE_CONVERTED, "aten::lgamma", "%k : int = aten::size(%x)\n%y : Tensor = aten::lgamma(%k)\nreturn (%y)" },
  { FATE_CONVERTED, "aten::lgamma",
    "%i : int = prim::Constant[value=1]()\n%k : Tensor = aten::bernoulli(%i)\n%y : Tensor = aten::lgamma(%k)\nreturn (%y)" },
  { FATE_CONVERTED, "aten::lgamma_",
    "%i : int = prim::Constant[value=1]()\n%y : Tensor = aten::lgamma_(%i)\nreturn (%y)" },
  // Branches that are decided before.
  { FATE_REMOVED, "aten::lgamma",
    "%n : bool = prim::Constant[value=0]()\n%y : Tensor = prim::If(%n)\n  block0():\n    %z : Tensor = aten::lgamma(%x)\n"
    "    -> (%z)\n  block1():\n    -> (%x)\nreturn (%y)" },
  { FATE_CONVERTED, "aten::lgamma",
    "%n : bool = prim::Constant[value=1]()\n%y : Tensor = prim::If(%n)\n  block0():\n    %z : Tensor = aten::lgamma(%x)\n"
    "    -> (%z)\n  block1():\n    -> (%x)\nreturn (%y)" },
  { FATE_CONVERTED, "aten::lgamma",
    "%y : Tensor = prim::If(%c)\n  block0():\n    %z : Tensor = aten::lgamma(%x)\n    -> (%z)\n  block1():\n    -> (%x)\n"
    "return (%y)" },
  // Lists that are built on the spot.
  { FATE_REMOVED, "aten::append",
    "%k : Tensor[] = prim::ListConstruct()\n%m : Tensor[] = aten::append(%k, %x)\n%y : Tensor = aten::stack(%k)\nreturn (%y)" },
  { FATE_CONVERTED, "aten::append",
    "%m : Tensor[] = aten::append(%l, %x)\n%y : Tensor = aten::stack(%l)\nreturn (%y)" },
  { FATE_CONVERTED, "aten::append",
    "%k : Tensor[] = prim::ListConstruct()\n%y : Tensor = aten::stack(%k)\n%m : Tensor[] = aten::append(%k, %x)\nreturn (%y)" },
  { FATE_CONVERTED, "aten::pop",
    "%k : Tensor[] = prim::ListConstruct(%x)\n%i : int = prim::Constant[value=0]()\n%y : Tensor = aten::pop(%k, %i)\nreturn (%y)" },
  // A change of what nobody has seen yet.
  { FATE_UNSURE, "aten::copy_",
    "%r : Tensor = aten::relu(%x)\n%n : bool = prim::Constant[value=0]()\n%y : Tensor = aten::copy_(%r, %v, %n)\nreturn (%y)" },
  // A chunk that is unpacked at once.
  { FATE_REMOVED, "aten::chunk",
    "%i : int = prim::Constant[value=2]()\n%k : Tensor[] = aten::chunk(%x, %i, %i)\n"
    "%a : Tensor, %b : Tensor = prim::ListUnpack(%k)\n%y : Tensor = aten::cat(%a, %b)\nreturn (%y)" },
  { FATE_CONVERTED, "aten::chunk",
    "%i : int = prim::Constant[value=2]()\n%k : Tensor[] = aten::chunk(%x, %i, %i)\nreturn (%k)" },
  { FATE_CONVERTED, "aten::chunk",
    "%i : int = aten::size(%x)\n%k : Tensor[] = aten::chunk(%x, %i, %i)\n"
    "%a : Tensor, %b : Tensor = prim::ListUnpack(%k)\n%y : Tensor = aten::cat(%a, %b)\nreturn (%y)" },
  // Somebody may register these.
  { FATE_UNSURE, "my::op", "%y : Tensor = my::op(%x)\nreturn (%y)" },
  { FATE_CONVERTED, "quantized::no_such", "%y : Tensor = quantized::no_such(%x)\nreturn (%y)" },
};

static void test_fates(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    Buffer bytes = { 0 };
    buffer_append(&bytes, STR("graph(%x : Tensor, %v : Tensor, %l : Tensor[], %c : bool):\n  "));
    for (const char *c = cases[i].lines; *c; c++) {
      buffer_append_char(&bytes, *c);
      if (*c == '\n')
        buffer_append(&bytes, STR("  "));
    }
    buffer_append_char(&bytes, '\n');
    NodeFate fate = fate_of(buffer_str(&bytes), cases[i].op);
    if (fate != cases[i].fate)
      fail_msg("fate %d of %s, not %d, in\n%.*s", (int)fate, cases[i].op, (int)cases[i].fate,
               STR_ARG(buffer_str(&bytes)));
    buffer_done(&bytes);
  }
}

/// A walk that would take longer than its budget says that the node stays.
static void assert_budget(NodeFate (*fate)(int count), int most)
{
  static const int few[] = { 1, 2, 3, 10 };
  for (size_t i = 0; i < COUNT(few); i++)
    assert_int_equal(fate(few[i]), FATE_REMOVED);
  assert_int_equal(fate(most), FATE_REMOVED);
  assert_int_equal(fate(most + 1), FATE_CONVERTED);
}

/// A list with `count` uses.
static NodeFate fate_of_long_list(int count)
{
  Buffer bytes = { 0 };
  buffer_append(&bytes, STR("graph(%x : Tensor):\n  %k : Tensor[] = prim::ListConstruct()\n"));
  for (int i = 0; i < count; i++)
    buffer_printf(&bytes, "  %%m%d : Tensor[] = aten::append(%%k, %%x)\n", i);
  buffer_append(&bytes, STR("  return (%x)\n"));
  NodeFate fate = fate_of(buffer_str(&bytes), "aten::append");
  buffer_done(&bytes);
  return fate;
}

/// A dead node with `count` more after it.
static NodeFate fate_of_dead_chain(int count)
{
  Buffer bytes = { 0 };
  buffer_append(&bytes, STR("graph(%x : Tensor):\n  %y0 : Tensor = aten::lgamma(%x)\n"));
  for (int i = 1; i <= count; i++)
    buffer_printf(&bytes, "  %%y%d : Tensor = aten::relu(%%y%d)\n", i, i - 1);
  buffer_append(&bytes, STR("  return (%x)\n"));
  NodeFate fate = fate_of(buffer_str(&bytes), "aten::lgamma");
  buffer_done(&bytes);
  return fate;
}

/// An expression of constants, `count` operators deep.
static NodeFate fate_of_deep_constant(int count)
{
  Buffer bytes = { 0 };
  buffer_append(&bytes, STR("graph(%x : Tensor):\n  %i0 : int = prim::Constant[value=1]()\n"));
  for (int i = 1; i <= count; i++)
    buffer_printf(&bytes, "  %%i%d : int = aten::neg(%%i%d)\n", i, i - 1);
  buffer_printf(&bytes, "  %%y : Tensor = aten::lgamma(%%i%d)\n  return (%%y)\n", count);
  NodeFate fate = fate_of(buffer_str(&bytes), "aten::lgamma");
  buffer_done(&bytes);
  return fate;
}

/// An expression of `count` constants.
static NodeFate fate_of_wide_constant(int count)
{
  Buffer bytes = { 0 };
  buffer_append(&bytes, STR("graph(%x : Tensor):\n"));
  for (int i = 0; i < count; i++)
    buffer_printf(&bytes, "  %%i%d : int = prim::Constant[value=1]()\n", i);
  buffer_append(&bytes, STR("  %y : Tensor = aten::lgamma(%i0"));
  for (int i = 1; i < count; i++)
    buffer_printf(&bytes, ", %%i%d", i);
  buffer_append(&bytes, STR(")\n  return (%y)\n"));
  NodeFate fate = fate_of(buffer_str(&bytes), "aten::lgamma");
  buffer_done(&bytes);
  return fate;
}

static void test_budgets(void **state)
{
  (void)state;
  assert_budget(fate_of_long_list, PASS_USE_BUDGET);
  assert_budget(fate_of_dead_chain, PASS_LIVE_BUDGET - 1);
  assert_budget(fate_of_deep_constant, PASS_CONSTANT_DEPTH);
  assert_budget(fate_of_wide_constant, PASS_FOLD_BUDGET);
}

/// So that a smaller budget is seen: real models need these.
static void test_budgets_are_large_enough(void **state)
{
  (void)state;
  assert_int_equal(fate_of_long_list(900), FATE_REMOVED);
  assert_int_equal(fate_of_dead_chain(200), FATE_REMOVED);
  assert_int_equal(fate_of_deep_constant(20), FATE_REMOVED);
  assert_int_equal(fate_of_wide_constant(900), FATE_REMOVED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fates),
    cmocka_unit_test(test_budgets),
    cmocka_unit_test(test_budgets_are_large_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
