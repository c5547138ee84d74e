// Names of torch.onnx, and of the packages used with it, against what the real packages have
// (tests/facts/python_api.tsv).

#include "facts_table.h"

#include "facts/export_api.h"

static const SymbolicsDb *db(void)
{
  return symbolics_embedded();
}

typedef struct ReachableNames {
  Str table;
  Arena *arena;
  size_t names;
} ReachableNames;

/// Is `name` to be found in that torch version? The table must have it.
static bool is_reachable(const ReachableNames *names, Str name, uint32_t torch)
{
  Str table = names->table;
  for (Row row; next_row(&table, &row);) {
    if (str_equal(row.fields[0], name))
      return str_ends_with(row.fields[1 + torch], STR("=1"));
  }
  fail_msg("python_api.tsv has no %.*s", STR_ARG(name));
  return false;
}

static bool check_api(const PyApi *api, void *context)
{
  ReachableNames *names = context;
  for (uint32_t torch = 0; torch < 3; torch++) {
    PyApiStatus status = export_api_status(api, export_api_torch_release(db(), torch));
    bool is_there = status != PY_API_NOT_YET && status != PY_API_REMOVED && status != PY_API_MOVED;
    if (is_there != is_reachable(names, api->name, torch))
      fail_msg("%.*s: status %d in version %u", STR_ARG(api->name), status, torch);
    bool needs_new_name = api->replacement.len > 0 && (status == PY_API_REMOVED || status == PY_API_MOVED);
    if (needs_new_name && !is_reachable(names, api->replacement, torch))
      fail_msg("%.*s: no %.*s in version %u", STR_ARG(api->name), STR_ARG(api->replacement), torch);
  }
  assert_true(api->words.len > 10 && str_ends_with(api->words, STR(".")));
  names->names++;
  return true;
}

static void test_every_name_is_there_or_gone_as_in_the_real_packages(void **state)
{
  Arena arena = { 0 };
  ReachableNames names = { .table = read_facts(&arena, "python_api.tsv"), .arena = &arena };
  export_api_each_name(db(), check_api, &names);
  assert_int_equal(names.names, 84);
  arena_done(&arena);
}

static bool count_member(const PyApiMember *member, void *context)
{
  ++*(size_t *)context;
  return true;
}

/// Which torch versions the row of a name says have it.
static uint32_t reachable_in(const Row *row)
{
  uint32_t mask = 0;
  for (uint32_t torch = 0; torch < 3; torch++)
    mask |= (uint32_t)str_ends_with(row->fields[1 + torch], STR("=1")) << torch;
  return mask;
}

/// Below a module whose members are listed: what is listed there is what the real packages have. Of those beside torch
/// it is what one release has at least.
static void test_members_are_those_of_the_real_packages(void **state)
{
  Arena arena = { 0 };
  Str table = read_facts(&arena, "python_api.tsv");
  size_t compared = 0;
  for (Row row; next_row(&table, &row);) {
    size_t listed = 0;
    Str module = str_slice(row.fields[0], 0, str_rfind_char(row.fields[0], '.'));
    if (!export_api_each_member(db(), module, count_member, &listed))
      continue;
    const PyApiMember *member = export_api_member(db(), row.fields[0]);
    uint32_t wanted = reachable_in(&row);
    if (!str_starts_with(row.fields[0], STR("torch.")) && wanted != 0)
      wanted = 7;
    if ((member ? member->torch_versions : 0) != wanted)
      fail_msg("%.*s is in versions %u", STR_ARG(row.fields[0]), wanted);
    compared++;
  }
  assert_true(compared > 1000);
  assert_null(export_api_member(db(), STR("torch.onnx.register_op_symbolic")));
  arena_done(&arena);
}

static void test_names_inside_of_modules(void **state)
{
  Arena arena = { 0 };
  static const struct {
    const char *name, *torch;
    PyApiStatus status;
    const char *replacement;
  } cases[] = {
    { "torch.onnx._internal.foo.bar", "2.6", PY_API_PRIVATE, "" },
    { "torch.onnx._internal.jit_utils.GraphContext", "2.6", PY_API_PRIVATE,
      "torch.onnx._internal.torchscript_exporter.jit_utils.GraphContext" },
    { "torch.onnx._internal.jit_utils.GraphContext", "2.9", PY_API_MOVED,
      "torch.onnx._internal.torchscript_exporter.jit_utils.GraphContext" },
    { "torch.onnx._internal.jit_utils", "2.8", PY_API_PRIVATE, "torch.onnx._internal.torchscript_exporter.jit_utils" },
    { "torch.onnx.symbolic_registry.register_op", "1.13", PY_API_REMOVED, "" },
    { "torch.onnx.symbolic_registry", "1.12", PY_API_FINE, "torch.onnx.register_custom_op_symbolic" },
    { "torch.onnx.ops.symbolic", "2.7", PY_API_NOT_YET, "" },
    { "torch.onnx.dynamo_export", "2.8", PY_API_DEPRECATED, "torch.onnx.export" },
    { "g.constant", "1.13", PY_API_DEPRECATED, "g.op" },
    { "g.constant", "2.0", PY_API_REMOVED, "g.op" },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const PyApi *api = export_api_name(db(), str_from(cases[i].name));
    assert_non_null(api);
    assert_int_equal(export_api_status(api, release(cases[i].torch)), cases[i].status);
    assert_str(export_api_replacement(api, str_from(cases[i].name), &arena), cases[i].replacement);
  }
  assert_null(export_api_name(db(), STR("torch.onnx.export")));
  assert_null(export_api_name(db(), STR("torch.onnx._internalx")));
  assert_null(export_api_name(db(), STR("g.op")));
  assert_null(export_api_name(db(), STR("")));
  assert_null(export_api_name(db(), STR("...")));
  arena_done(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_name_is_there_or_gone_as_in_the_real_packages),
    cmocka_unit_test(test_members_are_those_of_the_real_packages),
    cmocka_unit_test(test_names_inside_of_modules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
