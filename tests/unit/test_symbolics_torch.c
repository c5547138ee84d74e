// The compiled facts of torch against independent exports of the real registries (tests/facts): every cell, every
// schema.

#include "facts_table.h"

static uint32_t torch_index(const char *version)
{
  TorchChoice choice;
  assert_true(symbolics_resolve_torch(symbolics_embedded(), str_from(version), &choice));
  assert_true(choice.is_exact);
  return choice.torch;
}

// Versions.

static void test_torch_versions(void **state)
{
  const Str *versions;
  assert_int_equal(symbolics_torch_versions(symbolics_embedded(), &versions), 3);
  assert_true(str_equal(versions[0], STR("1.13")));
  assert_true(str_equal(versions[1], STR("2.6")));
  assert_true(str_equal(versions[2], STR("2.14")));
}

static void test_resolving_a_torch_setting(void **state)
{
  static const struct {
    const char *setting;
    bool ok;
    uint32_t torch, other;
    bool is_exact;
  } cases[] = {
    { "auto", true, 2, 2, true },
    { "", true, 2, 2, true },
    { "2.14", true, 2, 2, true },
    { " 2.6 ", true, 1, 1, true },
    { "2.14.1", true, 2, 2, true },
    { "2.6.0a0", true, 1, 1, true },
    { "2.8", true, 1, 2, false },
    { "2.9.1", true, 2, 1, false },  // By itself it takes the dynamo exporter, as 2.14 does.
    { "2.13", true, 2, 1, false },
    { "2.15", true, 2, 2, false },
    { "3.0", true, 2, 2, false },
    { "1.14", true, 0, 1, false },
    { "1.9.1", true, 0, 0, false },
    { "1.13.1+cpu", true, 0, 0, true },
    { .setting = "two" },
    { .setting = "2" },
    { .setting = "2." },
    { .setting = "-2.6" },
    { .setting = "99999999999999999999.1" },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    TorchChoice choice;
    assert_int_equal(symbolics_resolve_torch(symbolics_embedded(), str_from(cases[i].setting), &choice), cases[i].ok);
    if (!cases[i].ok)
      continue;
    assert_int_equal(choice.torch, cases[i].torch);
    assert_int_equal(choice.other, cases[i].other);
    assert_int_equal(choice.is_exact, cases[i].is_exact);
  }
}

static void test_opset_ranges(void **state)
{
  static const struct {
    const char *torch;
    Exporter exporter;
    OpsetRange range;
  } cases[] = {
    { "1.13", EXPORTER_TORCHSCRIPT, { 7, 17, 14 } },
    { "2.6", EXPORTER_TORCHSCRIPT, { 7, 20, 17 } },
    { "2.14", EXPORTER_TORCHSCRIPT, { 7, 20, 20 } },
    { "2.14", EXPORTER_DYNAMO, { 18, 23, 20 } },
  };
  OpsetRange range;
  for (size_t i = 0; i < COUNT(cases); i++) {
    assert_true(symbolics_opset_range(symbolics_embedded(), torch_index(cases[i].torch), cases[i].exporter, &range));
    assert_memory_equal(&range, &cases[i].range, sizeof(range));
  }
  assert_false(symbolics_opset_range(symbolics_embedded(), 0, EXPORTER_DYNAMO, &range));
  assert_false(symbolics_opset_range(symbolics_embedded(), 3, EXPORTER_TORCHSCRIPT, &range));
}

static void test_attribute_suffixes(void **state)
{
  for (uint32_t torch = 0; torch < 3; torch++) {
    assert_true(symbolics_is_suffix(symbolics_embedded(), torch, STR("i")));
    assert_true(symbolics_is_suffix(symbolics_embedded(), torch, STR("ty")));
    assert_false(symbolics_is_suffix(symbolics_embedded(), torch, STR("is")));
    assert_false(symbolics_is_suffix(symbolics_embedded(), torch, STR("")));
  }
}

// Support: every cell.

/// '1', 'B' or '0', as the real registry's table has it.
static char cell(uint32_t torch, Str kind, int opset)
{
  switch (symbolics_support(symbolics_embedded(), torch, EXPORTER_TORCHSCRIPT, kind, opset).status) {
  case SUPPORT_YES:
    return '1';
  case SUPPORT_BLOCKED:
    return 'B';
  case SUPPORT_NEWER:
  case SUPPORT_NEVER:
  case SUPPORT_UNKNOWN_NAMESPACE:
    return '0';
  default:
    return '?';
  }
}

/// The lowest supported opset above `opset` (or at all), from the table itself.
static int since_of(Str cells, int above)
{
  for (size_t i = 0; i < cells.len; i++) {
    if (7 + (int)i > above && cells.data[i] == '1')
      return 7 + (int)i;
  }
  return 0;
}

/// "8,9,11" as a set.
static uint64_t opsets_of(Str list)
{
  uint64_t opsets = 0;
  while (list.len > 0) {
    size_t comma = str_find_char(list, ',', 0);
    opsets |= (uint64_t)1 << to_number(str_slice(list, 0, comma));
    list = comma == STR_NOT_FOUND ? (Str){ 0 } : str_slice(list, comma + 1, list.len);
  }
  return opsets;
}

static void check_row(uint32_t torch, Str name, Str cells, Str registered)
{
  // A graph prints the name with one more underscore where the operator works in place. `onnx::` is never looked up.
  if (str_starts_with(name, STR("onnx::")))
    return;
  char with_underscore[128];
  snprintf(with_underscore, sizeof(with_underscore), "%.*s_", STR_ARG(name));
  bool ends_with_underscore = name.data[name.len - 1] == '_';
  Str kind = ends_with_underscore ? str_from(with_underscore) : name;
  SupportMarks marks = symbolics_support_marks(symbolics_embedded(), torch, EXPORTER_TORCHSCRIPT, kind);
  assert_true(marks.registered == opsets_of(registered));
  for (size_t i = 0; i < cells.len; i++) {
    int opset = 7 + (int)i;
    char got = cell(torch, kind, opset);
    if (got != cells.data[i] || cell(torch, str_from(with_underscore), opset) != cells.data[i])
      fail_msg("%.*s at opset %d: %c, the registry has %c", STR_ARG(kind), opset, got, cells.data[i]);
    assert_int_equal(marks.supported >> opset & 1, cells.data[i] == '1');
    assert_int_equal(marks.blocked >> opset & 1, cells.data[i] == 'B');
    int since = symbolics_support(symbolics_embedded(), torch, EXPORTER_TORCHSCRIPT, kind, opset).since;
    assert_int_equal(since, since_of(cells, got == '1' ? 0 : opset));
  }
}

typedef struct Unlisted {
  uint32_t torch;
  Str truth;
  size_t count;
} Unlisted;

/// Every name that has no line in the table must have no support.
static bool check_unlisted(Str name, void *context)
{
  Unlisted *unlisted = context;
  Arena arena = { 0 };
  Str line = arena_printf(&arena, "\n%.*s\t", STR_ARG(name));
  bool is_listed = str_find(unlisted->truth, line, 0) != STR_NOT_FOUND ||
                   str_starts_with(unlisted->truth, str_slice(line, 1, line.len));
  // torch 1.13's registry was read without torchvision, whose own record file adds it.
  is_listed = is_listed || str_starts_with(name, STR("torchvision::")) || str_starts_with(name, STR("onnx::"));
  // A name that itself ends with an underscore is an in-place one: it means what comes before the underscore.
  if (!is_listed && !str_ends_with(name, STR("_"))) {
    unlisted->count++;
    for (int opset = 7; opset <= 20; opset++)
      assert_int_equal(cell(unlisted->torch, name, opset), '0');
  }
  arena_done(&arena);
  return true;
}

static void check_support(const char *version, size_t want_names, size_t want_cells)
{
  Arena arena = { 0 };
  uint32_t torch = torch_index(version);
  Str text = read_facts(&arena, arena_printf(&arena, "support_%s.tsv", version).data);
  Unlisted unlisted = { torch, text, 0 };
  Row row;
  size_t names = 0, cells = 0;
  while (next_row(&text, &row)) {
    check_row(torch, row.fields[0], row.fields[1], row.fields[2]);
    names++;
    cells += row.fields[1].len;
  }
  assert_int_equal(names, want_names);
  assert_int_equal(cells, want_cells);
  symbolics_each_torch_name(symbolics_embedded(), (Str){ 0 }, check_unlisted, &unlisted);
  assert_true(unlisted.count > 1000);
  arena_done(&arena);
}

static void test_every_support_cell(void **state)
{
  check_support("1.13", 378, 378 * 11);
  check_support("2.6", 413, 413 * 14);
  check_support("2.14", 404, 404 * 14);
}

static void test_support_answers(void **state)
{
  const SymbolicsDb *db = symbolics_embedded();
  static const struct {
    const char *torch, *kind;
    int opset;
    SupportStatus status;
    int since;
  } cases[] = {
    { "1.13", "aten::scaled_dot_product_attention", 14, SUPPORT_NEVER, 0 },
    { "2.6", "aten::scaled_dot_product_attention", 13, SUPPORT_NEWER, 14 },
    { "2.6", "aten::scaled_dot_product_attention", 14, SUPPORT_YES, 14 },
    { "2.14", "aten::arange", 8, SUPPORT_BLOCKED, 9 },
    { "2.14", "aten::scan", 13, SUPPORT_BLOCKED, 0 },
    { "2.14", "aten::scan", 8, SUPPORT_NEVER, 0 },
    { "2.14", "aten::special_i0e", 20, SUPPORT_NEVER, 0 },
    { "2.14", "aten::add_", 13, SUPPORT_YES, 7 },
    { "2.14", "aten::__and__", 13, SUPPORT_YES, 7 },
    { "2.14", "aten::__iand__", 13, SUPPORT_NEVER, 0 },
    { "2.14", "aten::relu", 25, SUPPORT_YES, 7 },
    { "2.14", "aten::relu", 0, SUPPORT_YES, 7 },
    { "2.14", "aten::relu", -5, SUPPORT_YES, 7 },
    { "2.14", "aten::relu", 1000, SUPPORT_YES, 7 },
    { "2.14", "aten::__", 13, SUPPORT_NEVER, 0 },
    { "2.14", "my_ops::fancy", 13, SUPPORT_UNKNOWN_NAMESPACE, 0 },
    { "2.14", "onnx::Relu", 13, SUPPORT_ONNX, 0 },
    { "1.13", "torchvision::nms", 10, SUPPORT_NEWER, 11 },
    { "2.14", "torchvision::deform_conv2d", 20, SUPPORT_NEVER, 0 },
    { "2.14", "", 13, SUPPORT_UNKNOWN_NAMESPACE, 0 },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    SupportAnswer answer = symbolics_support(db, torch_index(cases[i].torch), EXPORTER_TORCHSCRIPT,
                                             str_from(cases[i].kind), cases[i].opset);
    if (answer.status != cases[i].status || answer.since != cases[i].since)
      fail_msg("%s at %d: status %d since %d", cases[i].kind, cases[i].opset, answer.status, answer.since);
  }
  SupportAnswer unknown = symbolics_support(db, 99, EXPORTER_TORCHSCRIPT, STR("aten::relu"), 13);
  assert_int_equal(unknown.status, SUPPORT_NO_FACTS);
}

static void test_passes(void **state)
{
  const SymbolicsDb *db = symbolics_embedded();
  static const struct {
    uint32_t torch;
    const char *kind;
    int condition;  ///< -1: no pass.
  } cases[] = {
    { 0, "aten::Int", PASS_ALWAYS },
    { 2, "prim::RaiseException", PASS_ALWAYS },
    { 2, "aten::copy_", PASS_TARGET_NOT_FRESH },
    { 2, "aten::copy", -1 },
    { 0, "aten::zero_", PASS_TARGET_FRESH },
    { 1, "aten::zero_", -1 },
    { 1, "aten::chunk", PASS_UNPACKED_AT_ONCE },
    { 1, "aten::append", PASS_LOCAL_LIST },
    { 1, "aten::pop", -1 },
    { 1, "prim::DictConstruct", PASS_CONSTANT_KEYS },
    { 2, "aten::format", -1 },
    { 2, "prim::DifferentiableGraph_0", PASS_ALWAYS },
    { 2, "prim::fork_12", PASS_ALWAYS },
    { 2, "prim::If", -1 },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const PassNote *note = symbolics_pass(db, cases[i].torch, str_from(cases[i].kind));
    if (cases[i].condition < 0) {
      assert_null(note);
      continue;
    }
    if (!note)
      fail_msg("no pass for %s", cases[i].kind);
    assert_int_equal(note->condition, cases[i].condition);
    assert_true(note->reason.len > 10);
    SupportAnswer answer = symbolics_support(db, cases[i].torch, EXPORTER_TORCHSCRIPT, str_from(cases[i].kind), 13);
    assert_ptr_equal(answer.pass, note);
  }
}

static void test_tags(void **state)
{
  const SymbolicsDb *db = symbolics_embedded();
  assert_int_equal(symbolics_torch_tags(db, STR("aten::randperm")), TAG_RANDOM);
  assert_int_equal(symbolics_torch_tags(db, STR("aten::select")), TAG_VIEW);
  assert_int_equal(symbolics_torch_tags(db, STR("aten::size")), TAG_METADATA);
  assert_int_equal(symbolics_torch_tags(db, STR("aten::append")), TAG_LIST_MUTATION);
  assert_int_equal(symbolics_torch_tags(db, STR("aten::add")), 0);
  assert_int_equal(symbolics_torch_tags(db, STR("aten::nothing_of_that_name")), 0);
}

// Dynamo: every overload.

static void split_overload(Str text, Str *ret_name, Str *ret_overload)
{
  size_t dot = str_find_char(text, '.', str_find(text, STR("::"), 0));
  *ret_name = str_slice(text, 0, dot);
  *ret_overload = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(text, dot + 1, text.len);
}

static SupportStatus want_dynamo(unsigned first, bool complex_inputs, bool decomposed, int opset)
{
  if ((first > 0 && (int)first <= opset) || (first == 0 && complex_inputs))
    return SUPPORT_YES;
  if (decomposed)
    return SUPPORT_DECOMPOSED;
  return first > 0 ? SUPPORT_NEWER : SUPPORT_NEVER;
}

static void test_every_dynamo_overload(void **state)
{
  Arena arena = { 0 };
  Str text = read_facts(&arena, "dynamo_2.14.tsv");
  uint32_t torch = torch_index("2.14");
  Row row;
  size_t overloads = 0, functions = 0;
  while (next_row(&text, &row)) {
    Str name, overload;
    split_overload(row.fields[0], &name, &overload);
    unsigned first = to_number(row.fields[1]);
    bool is_complex = to_number(row.fields[2]), decomposed = to_number(row.fields[3]);
    for (int opset = 18; opset <= 23; opset++) {
      DynamoAnswer answer = symbolics_dynamo(symbolics_embedded(), torch, name, overload, opset);
      if (answer.status != want_dynamo(first, is_complex, decomposed, opset))
        fail_msg("%.*s at %d: status %d", STR_ARG(row.fields[0]), opset, answer.status);
      assert_int_equal(answer.complex_only, first == 0 && is_complex);
    }
    if (first > 0)
      assert_int_equal(symbolics_dynamo(symbolics_embedded(), torch, name, overload, 18).since, first);
    overloads++;
    functions += first > 0 || is_complex;
  }
  assert_int_equal(functions, 507);
  assert_true(overloads > 1500);
  arena_done(&arena);
}

static void test_dynamo_by_name(void **state)
{
  const SymbolicsDb *db = symbolics_embedded();
  uint32_t torch = torch_index("2.14");
  static const struct {
    const char *kind;
    int opset;
    SupportStatus status;
    int since;
  } cases[] = {
    { "aten::add", 20, SUPPORT_YES, 18 },
    { "aten::add_", 20, SUPPORT_YES, 18 },
    { "aten::add", 13, SUPPORT_YES, 18 },
    { "aten::add", 26, SUPPORT_YES, 18 },
    { "aten::special_i0e", 20, SUPPORT_DECOMPOSED, 0 },
    { "aten::no_such_operator", 20, SUPPORT_NEVER, 0 },
    { "prim::If", 20, SUPPORT_NO_FACTS, 0 },
    { "onnx::Relu", 20, SUPPORT_ONNX, 0 },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    SupportAnswer answer = symbolics_support(db, torch, EXPORTER_DYNAMO, str_from(cases[i].kind), cases[i].opset);
    if (answer.status != cases[i].status || answer.since != cases[i].since)
      fail_msg("%s at %d: status %d since %d", cases[i].kind, cases[i].opset, answer.status, answer.since);
  }
  assert_int_equal(symbolics_support(db, torch_index("2.6"), EXPORTER_DYNAMO, STR("aten::add"), 18).status,
                   SUPPORT_NO_FACTS);
  assert_int_equal(symbolics_support_marks(db, torch, EXPORTER_DYNAMO, STR("aten::add")).supported, 0x3f << 18);
  assert_int_equal(symbolics_dynamo(db, torch, STR("aten::add"), STR("Tensor"), 20).status, SUPPORT_YES);
  assert_int_equal(symbolics_dynamo(db, torch, STR("aten::relu"), STR("default"), 20).status, SUPPORT_YES);
  assert_int_equal(symbolics_dynamo(db, torch, STR("aten::relu"), STR("nope"), 20).status, SUPPORT_NEVER);
}

// Torch schemas: every one.

static int compare_strs(const void *a, const void *b)
{
  return str_compare(*(const Str *)a, *(const Str *)b);
}

/// The checksum of all schemas of the operator in one version; "-" if there is none.
static Str schemas_checksum(Arena *arena, const TorchOperator *op, uint32_t torch, size_t *schema_count)
{
  Str *texts = ARENA_ARRAY(arena, Str, op->overload_count);
  size_t count = 0;
  for (uint32_t i = 0; i < op->overload_count; i++) {
    if (op->overloads[i].torch_versions >> torch & 1)
      texts[count++] = op->overloads[i].schema;
  }
  if (count == 0)
    return STR("-");
  qsort(texts, count, sizeof(Str), compare_strs);
  Buffer all = { 0 };
  for (size_t i = 0; i < count; i++)
    buffer_printf(&all, i == 0 ? "%.*s" : "\n%.*s", STR_ARG(texts[i]));
  Str sum = checksum(arena, buffer_str(&all));
  buffer_done(&all);
  *schema_count += count;
  return sum;
}

static void test_every_torch_schema(void **state)
{
  Arena arena = { 0 };
  Str text = read_facts(&arena, "torch_schemas.tsv");
  Row row;
  size_t schemas[3] = { 0 };
  while (next_row(&text, &row)) {
    const TorchOperator *op = symbolics_torch_operator(symbolics_embedded(), row.fields[0]);
    if (!op)
      fail_msg("%.*s is missing", STR_ARG(row.fields[0]));
    for (uint32_t torch = 0; torch < 3; torch++) {
      Str sum = schemas_checksum(&arena, op, torch, &schemas[torch]);
      if (!str_equal(sum, row.fields[1 + torch]))
        fail_msg("the schemas of %.*s in torch version %u differ", STR_ARG(row.fields[0]), torch);
    }
  }
  assert_int_equal(schemas[0], 4165);
  assert_int_equal(schemas[1], 4482);
  assert_int_equal(schemas[2], 4510);
  arena_done(&arena);
}

static bool check_is_known(Str name, void *context)
{
  const TorchOperator *op = symbolics_torch_operator(symbolics_embedded(), name);
  size_t *schemas = context;
  for (uint32_t i = 0; op && i < op->overload_count; i++)
    schemas[0] += (size_t)__builtin_popcount(op->overloads[i].torch_versions);
  return true;
}

/// With the test above: there is no schema that the real registries do not have.
static void test_no_torch_schema_is_invented(void **state)
{
  size_t schemas = 0;
  symbolics_each_torch_name(symbolics_embedded(), (Str){ 0 }, check_is_known, &schemas);
  assert_int_equal(schemas, 4165 + 4482 + 4510);
}

static const TorchOverload *find_overload(const char *name, const char *overload, uint32_t torch)
{
  const TorchOperator *op = symbolics_torch_operator(symbolics_embedded(), str_from(name));
  assert_non_null(op);
  for (uint32_t i = 0; i < op->overload_count; i++) {
    if (str_equal(op->overloads[i].overload, str_from(overload)) && (op->overloads[i].torch_versions >> torch & 1))
      return &op->overloads[i];
  }
  return NULL;
}

/// "type|alias|name|default|k" for each argument, then for each return.
static void assert_parsed(const char *name, const char *overload, const char *want)
{
  const TorchOverload *found = find_overload(name, overload, 2);
  assert_non_null(found);
  Buffer text = { 0 };
  for (uint32_t i = 0; i < found->argument_count + found->return_count; i++) {
    bool is_return = i >= found->argument_count;
    const TorchArgument *argument = is_return ? &found->returns[i - found->argument_count] : &found->arguments[i];
    buffer_printf(&text, "%s%.*s|%.*s|%.*s|%.*s%s", is_return ? "-> " : "", STR_ARG(argument->type),
                  STR_ARG(argument->alias), STR_ARG(argument->name), STR_ARG(argument->default_text),
                  argument->is_kwarg_only ? "|k; " : "; ");
  }
  buffer_append_char(&text, '\0');
  assert_string_equal(text.data, want);
  buffer_done(&text);
}

static void test_schema_arguments(void **state)
{
  assert_parsed("aten::elu", "",
                "Tensor||self|; Scalar||alpha|1; Scalar||scale|1; Scalar||input_scale|1; -> Tensor|||; ");
  assert_parsed("aten::add_", "Tensor", "Tensor|a!|self|; Tensor||other|; Scalar||alpha|1|k; -> Tensor|a!||; ");
  assert_parsed("aten::split", "Tensor", "Tensor|a -> *|self|; SymInt||split_size|; int||dim|0; -> Tensor[]|a||; ");
  assert_parsed("aten::max", "dim",
                "Tensor||self|; int||dim|; bool||keepdim|False; -> Tensor||values|; -> Tensor||indices|; ");
  assert_parsed("aten::Delete", "Dict_str", "Dict(str, t)|a!|self|; str||key|; ");
  assert_parsed("aten::items", "str", "Dict(str, t)||self|; -> (str, t)[]|||; ");
  assert_parsed("aten::append", "t", "t[]|a!|self|; t|c -> *|el|; -> t[]|a!||; ");
  assert_parsed("aten::upsample_nearest2d", "vec",
                "Tensor||input|; SymInt[]?||output_size|; float[]?||scale_factors|; -> Tensor|||; ");
  assert_parsed("aten::index", "Tensor", "Tensor||self|; Tensor?[]||indices|; -> Tensor|||; ");
  assert_parsed("aten::gelu", "", "Tensor||self|; str||approximate|\"none\"|k; -> Tensor|||; ");
  assert_parsed("aten::max_pool2d", "",
                "Tensor||self|; int[2]||kernel_size|; int[2]||stride|[]; int[2]||padding|0; "
                "int[2]||dilation|1; bool||ceil_mode|False; -> Tensor|||; ");
  const TorchOverload *print = find_overload("prim::Print", "", 0);
  assert_true(print && print->has_varargs && print->argument_count == 0);
}

static void test_arity_of_every_registered_overload(void **state)
{
  Arena arena = { 0 };
  Str text = read_facts(&arena, "arity_1.13.tsv");
  Row row;
  size_t count = 0;
  while (next_row(&text, &row)) {
    const TorchOverload *overload =
        find_overload(arena_copy(&arena, row.fields[0]).data, arena_copy(&arena, row.fields[1]).data, 0);
    if (!overload || overload->argument_count != to_number(row.fields[2]))
      fail_msg("%.*s.%.*s: %u arguments", STR_ARG(row.fields[0]), STR_ARG(row.fields[1]),
               overload ? overload->argument_count : 0);
    count++;
  }
  assert_int_equal(count, 1286);
  arena_done(&arena);
}

/// Types without names, blanks at ends or open brackets would be parsing mistakes.
static bool check_arguments(Str name, void *context)
{
  const TorchOperator *op = symbolics_torch_operator(symbolics_embedded(), name);
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    for (uint32_t k = 0; k < overload->argument_count; k++) {
      const TorchArgument *argument = &overload->arguments[k];
      if (argument->type.len == 0 || argument->name.len == 0 ||
          str_find_char(argument->name, ' ', 0) != STR_NOT_FOUND || str_trim(argument->type).len != argument->type.len)
        fail_msg("%.*s: argument %u", STR_ARG(overload->schema), k);
      int depth = 0;
      for (size_t c = 0; c < argument->type.len; c++)
        depth += (argument->type.data[c] == '(' || argument->type.data[c] == '[') -
                 (argument->type.data[c] == ')' || argument->type.data[c] == ']');
      if (depth != 0 || str_find_char(argument->type, '!', 0) != STR_NOT_FOUND)
        fail_msg("%.*s: type '%.*s'", STR_ARG(overload->schema), STR_ARG(argument->type));
    }
    ++*(size_t *)context;
  }
  return true;
}

static void test_every_schema_parses(void **state)
{
  size_t count = 0;
  symbolics_each_torch_name(symbolics_embedded(), (Str){ 0 }, check_arguments, &count);
  assert_int_equal(count, 5216);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_torch_versions),
    cmocka_unit_test(test_resolving_a_torch_setting),
    cmocka_unit_test(test_opset_ranges),
    cmocka_unit_test(test_attribute_suffixes),
    cmocka_unit_test(test_every_support_cell),
    cmocka_unit_test(test_support_answers),
    cmocka_unit_test(test_passes),
    cmocka_unit_test(test_tags),
    cmocka_unit_test(test_every_dynamo_overload),
    cmocka_unit_test(test_dynamo_by_name),
    cmocka_unit_test(test_every_torch_schema),
    cmocka_unit_test(test_no_torch_schema_is_invented),
    cmocka_unit_test(test_schema_arguments),
    cmocka_unit_test(test_arity_of_every_registered_overload),
    cmocka_unit_test(test_every_schema_parses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
