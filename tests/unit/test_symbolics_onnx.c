// The compiled facts of ONNX against independent exports of the real packages (tests/facts): every schema, every step
// between versions, and that all of them have our own words.

#include "facts_table.h"

// ONNX schemas: every one.

static void print_count(Buffer *text, uint32_t count)
{
  if (count == ONNX_NO_LIMIT)
    buffer_append_char(text, '*');
  else
    buffer_printf(text, "%u", count);
}

static void print_params(Buffer *text, const char *side, const OnnxParam *params, uint32_t count)
{
  static const char *const options[] = { "single", "optional", "variadic" };
  for (uint32_t i = 0; i < count; i++)
    buffer_printf(text, "\n%s %.*s %.*s %s %d %u", side, STR_ARG(params[i].name), STR_ARG(params[i].type),
                  options[params[i].option], !params[i].heterogeneous, params[i].min_arity);
}

/// The default's value, independent of how the record spells it.
static void text_print_value(Buffer *text, OnnxAttributeType type, Str value)
{
  if (type == ONNX_FLOAT) {
    buffer_printf(text, "%.9g", (double)strtof(value.data, NULL));
  } else if (type == ONNX_STRING) {
    buffer_append(text, str_slice(value, 1, value.len - 1));
  } else if (type == ONNX_FLOATS || type == ONNX_INTS || type == ONNX_STRINGS) {
    Str items = str_slice(value, 1, value.len - 1);
    OnnxAttributeType item_type = (OnnxAttributeType)(type - ONNX_FLOATS + ONNX_FLOAT);
    while (items.len > 0) {
      size_t comma = str_find(items, STR(", "), 0);
      text_print_value(text, item_type, str_slice(items, 0, comma));
      items = comma == STR_NOT_FOUND ? (Str){ 0 } : str_slice(items, comma + 2, items.len);
      if (items.len > 0)
        buffer_append_char(text, ',');
    }
  } else {
    buffer_append(text, value);
  }
}

static void print_schema(Buffer *text, const OnnxOperator *op, const OnnxSchema *schema, bool with_function)
{
  buffer_printf(text, "%.*s\n%.*s\n%u\n%d%d", STR_ARG(op->domain), STR_ARG(op->name), schema->since, schema->deprecated,
                schema->experimental);
  buffer_printf(text, with_function ? "%d\n" : "\n", schema->function);
  uint32_t counts[] = { schema->min_input, schema->max_input, schema->min_output, schema->max_output };
  for (size_t i = 0; i < 4; i++) {
    if (i > 0)
      buffer_append_char(text, ' ');
    print_count(text, counts[i]);
  }
  print_params(text, "inputs", schema->inputs, schema->input_count);
  print_params(text, "outputs", schema->outputs, schema->output_count);
  for (uint32_t i = 0; i < schema->attribute_count; i++) {
    const OnnxAttribute *attribute = &schema->attributes[i];
    buffer_printf(text, "\nattribute %.*s %s %d%s", STR_ARG(attribute->name), onnx_attribute_type_name(attribute->type),
                  attribute->required, attribute->has_default ? "=" : "");
    if (attribute->has_default)
      text_print_value(text, attribute->type, attribute->default_text);
  }
  for (uint32_t i = 0; i < schema->constraint_count; i++) {
    const OnnxConstraint *constraint = &schema->constraints[i];
    buffer_printf(text, "\ntype %.*s ", STR_ARG(constraint->name));
    for (uint32_t k = 0; k < constraint->type_count; k++)
      buffer_printf(text, k == 0 ? "%.*s" : ";%.*s", STR_ARG(constraint->types[k]));
  }
}

static void test_every_onnx_schema(void **state)
{
  Arena arena = { 0 };
  Str text = read_facts(&arena, "onnx_schemas.tsv");
  Row row;
  size_t count = 0;
  while (next_row(&text, &row)) {
    unsigned since = to_number(row.fields[2]);
    const OnnxOperator *op = symbolics_onnx_operator(symbolics_embedded(), row.fields[0], row.fields[1]);
    const OnnxSchema *schema = op ? onnx_operator_at(op, since) : NULL;
    if (!schema || schema->since != since)
      fail_msg("%.*s-%u is missing", STR_ARG(row.fields[1]), since);
    const OnnxSchema *before = onnx_operator_at(op, (int64_t)since - 1);
    assert_true(!before || before->since < since);
    Buffer canonical = { 0 };
    print_schema(&canonical, op, schema, true);
    if (!str_equal(checksum(&arena, buffer_str(&canonical)), row.fields[3]))
      fail_msg("%.*s-%u differs:\n%.*s", STR_ARG(row.fields[1]), since, STR_ARG(buffer_str(&canonical)));
    buffer_done(&canonical);
    count++;
  }
  assert_int_equal(count, 640);
  arena_done(&arena);
}

/// onnx 1.12 (opset 17) against the same facts: equal but for two schemas that were edited in place later.
static void test_every_schema_of_an_older_onnx(void **state)
{
  Arena arena = { 0 };
  Str text = read_facts(&arena, "onnx_1.12.tsv");
  Row row;
  size_t equal = 0;
  Buffer different = { 0 };
  while (next_row(&text, &row)) {
    const OnnxOperator *op = symbolics_onnx_operator(symbolics_embedded(), row.fields[0], row.fields[1]);
    const OnnxSchema *schema = op ? onnx_operator_at(op, to_number(row.fields[2])) : NULL;
    if (!schema || schema->since != to_number(row.fields[2]))
      fail_msg("%.*s-%.*s is missing", STR_ARG(row.fields[1]), STR_ARG(row.fields[2]));
    Buffer canonical = { 0 };
    print_schema(&canonical, op, schema, false);
    if (str_equal(checksum(&arena, buffer_str(&canonical)), row.fields[3]))
      equal++;
    else
      buffer_printf(&different, "%.*s-%u ", STR_ARG(row.fields[1]), schema->since);
    buffer_done(&canonical);
  }
  // Erf-13 takes floats only since 1.13; GridSample-16 has its two type variables exchanged.
  if (!str_equal(buffer_str(&different), STR("Erf-13 GridSample-16 ")))
    fail_msg("these differ: %.*s", STR_ARG(buffer_str(&different)));
  assert_int_equal(equal, 442);
  buffer_done(&different);
  arena_done(&arena);
}

typedef struct Tally {
  Str domain;
  size_t operators, schemas;
} Tally;

static bool tally_operator(Str name, void *context)
{
  Tally *tally = context;
  tally->operators++;
  tally->schemas += symbolics_onnx_operator(symbolics_embedded(), tally->domain, name)->version_count;
  return true;
}

static bool tally_domain(Str domain, void *context)
{
  Tally *tally = context;
  tally->domain = domain;
  symbolics_each_onnx_name(symbolics_embedded(), domain, (Str){ 0 }, tally_operator, tally);
  return true;
}

static void test_no_onnx_schema_is_invented(void **state)
{
  Tally tally = { 0 };
  symbolics_each_onnx_domain(symbolics_embedded(), tally_domain, &tally);
  assert_int_equal(tally.schemas, 640);
  assert_int_equal(tally.operators, 202 + 19 + 4 + 1);
}

static void test_onnx_look_ups(void **state)
{
  const SymbolicsDb *db = symbolics_embedded();
  const OnnxOperator *norm = symbolics_onnx_operator(db, STR("ai.onnx"), STR("GroupNormalization"));
  assert_ptr_equal(norm, symbolics_onnx_operator(db, (Str){ 0 }, STR("GroupNormalization")));
  assert_null(onnx_operator_at(norm, 17));
  assert_true(onnx_operator_at(norm, 18)->deprecated);
  assert_true(onnx_operator_at(norm, 20)->deprecated);
  assert_false(onnx_operator_at(norm, 21)->deprecated);
  assert_int_equal(onnx_operator_at(norm, INT64_MAX)->since, 21);
  assert_null(onnx_operator_at(norm, INT64_MIN));

  assert_null(symbolics_onnx_operator(db, (Str){ 0 }, STR("elu")));
  assert_null(symbolics_onnx_operator(db, STR("ai.onnx.ml"), STR("Elu")));
  assert_null(symbolics_onnx_operator(db, STR("my.domain"), STR("Elu")));
  assert_true(symbolics_onnx_has_domain(db, STR("ai.onnx")));
  assert_true(symbolics_onnx_has_domain(db, STR("ai.onnx.preview.training")));
  assert_false(symbolics_onnx_has_domain(db, STR("com.microsoft")));

  const OnnxSchema *elu = onnx_operator_at(symbolics_onnx_operator(db, (Str){ 0 }, STR("Elu")), 13);
  const OnnxAttribute *alpha = onnx_schema_attribute(elu, STR("alpha"));
  assert_int_equal(alpha->type, ONNX_FLOAT);
  assert_true(str_equal(alpha->default_text, STR("1.0")));
  assert_null(onnx_schema_attribute(elu, STR("beta")));
  assert_non_null(onnx_schema_constraint(elu, STR("T")));
  assert_null(onnx_schema_constraint(elu, STR("tensor(float)")));
}

// What changed between versions.

static void test_every_step_between_versions(void **state)
{
  static const char *const words[] = { "first", "signature", "types", "words" };
  Arena arena = { 0 };
  Str text = read_facts(&arena, "onnx_schemas.tsv");
  Row row;
  size_t counts[4] = { 0 };
  while (next_row(&text, &row)) {
    const OnnxOperator *op = symbolics_onnx_operator(symbolics_embedded(), row.fields[0], row.fields[1]);
    const OnnxSchema *schema = onnx_operator_at(op, to_number(row.fields[2]));
    OnnxChanges changes = onnx_schema_changes(schema, &arena);
    if (!str_equal(row.fields[4], str_from(words[changes.step])))
      fail_msg("%.*s-%u: %s", STR_ARG(row.fields[1]), schema->since, words[changes.step]);
    assert_true((changes.count > 0) == (changes.step != ONNX_STEP_FIRST));
    for (uint32_t i = 0; i < changes.count; i++)
      assert_true(changes.lines[i].len > 0);
    counts[changes.step]++;
  }
  assert_int_equal(counts[ONNX_STEP_FIRST], 226);
  assert_int_equal(counts[ONNX_STEP_SIGNATURE], 134);
  assert_int_equal(counts[ONNX_STEP_TYPES], 235);
  assert_int_equal(counts[ONNX_STEP_WORDS], 45);
  arena_done(&arena);
}

static void test_change_lines(void **state)
{
  Arena arena = { 0 };
  static const struct {
    const char *name;
    int64_t since;
    const char *lines;
  } cases[] = {
    { "Squeeze", 13, "`axes` is an input (optional), no longer an attribute; `data`, `squeezed`: also bfloat16" },
    { "Unsqueeze", 13, "`axes` is an input (required), no longer an attribute; `data`, `expanded`: also bfloat16" },
    { "TopK", 10, "attribute `k` is the input `K` (required)" },
    { "Pad", 2, "attribute `paddings` is gone; new attribute `pads` (ints, required)" },
    { "Pad", 11,
      "`pads` is an input (required), no longer an attribute; attribute `value` is the input `constant_value` "
      "(optional); `data`, `output`: also int16, int32, int64, int8, uint16, uint32, uint64, uint8" },
    { "Dropout", 12,
      "`ratio` is an input (optional), no longer an attribute; new attribute `seed` (int); new input `training_mode` "
      "(optional)" },
    { "Resize", 11,
      "new attribute `coordinate_transformation_mode` (string, default \"half_pixel\"); new attribute `cubic_coeff_a` "
      "(float, default -0.75); new attribute `exclude_outside` (int, default 0); new attribute `extrapolation_value` "
      "(float, default 0.0); new attribute `nearest_mode` (string, default \"round_prefer_floor\"); new input `roi` "
      "(required); input `scales` is number 3, it was number 2; new input `sizes` (optional)" },
    { "Cast", 6, "attribute `to` is of type int, it was string" },
    { "Concat", 4,
      "attribute `axis` is required, it was optional; `inputs`, `concat_result`: also bool, complex128, complex64, "
      "int16, int32, int64, int8, string and 4 more" },
    { "MaxPool", 8, "new attribute `storage_order` (int, default 0); new output `Indices` (optional)" },
    { "Upsample", 10, "deprecated; `Resize` replaces it" },
    { "Scan", 9,
      "attribute `directions` is gone; new attribute `scan_input_axes` (ints); new attribute `scan_input_directions` "
      "(ints); new attribute `scan_output_axes` (ints); new attribute `scan_output_directions` (ints); input "
      "`sequence_lens` is gone; input `initial_state_and_scan_inputs` is number 1, it was number 2" },
    { "Softmax", 13,
      "the default of `axis` is -1, it was 1; `input`, `output`: also bfloat16; works along `axis` alone, where it "
      "first flattened the input to two dimensions at `axis`" },
    { "GroupNormalization", 21,
      "no longer deprecated; new attribute `stash_type` (int, default 1); `scale` and `bias` have one value a channel, "
      "where they had one a group" },
    { "Tile", 6,
      "input `axis` is gone; input `tiles` is called `repeats`; `input`, `output`: also bool, complex128, complex64, "
      "int16, int32, int64, int8, string and 4 more; `repeats`: also int64; `repeats`: no longer double, float, "
      "float16" },
    { "Gemm", 6, "the signature is the same, only the description changed" },
    { "Loop", 11, "`v_initial` takes at least 0 values, it was 1" },
    { "Dropout", 10, "`mask`: also bool; `mask`: no longer double, float, float16" },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const OnnxOperator *op = symbolics_onnx_operator(symbolics_embedded(), (Str){ 0 }, str_from(cases[i].name));
    const OnnxSchema *schema = onnx_operator_at(op, cases[i].since);
    assert_int_equal(schema->since, cases[i].since);
    OnnxChanges changes = onnx_schema_changes(schema, &arena);
    Buffer lines = { 0 };
    for (uint32_t k = 0; k < changes.count; k++)
      buffer_printf(&lines, k == 0 ? "%.*s" : "; %.*s", STR_ARG(changes.lines[k]));
    if (!str_equal(buffer_str(&lines), str_from(cases[i].lines)))
      fail_msg("%s-%u: %.*s", cases[i].name, schema->since, STR_ARG(buffer_str(&lines)));
    buffer_done(&lines);
  }
  arena_done(&arena);
}

// Our own words.

static bool check_words(Str name, void *context)
{
  const Tally *tally = context;
  const OnnxOperator *op = symbolics_onnx_operator(symbolics_embedded(), tally->domain, name);
  if (op->summary.len == 0)
    fail_msg("%.*s has no summary", STR_ARG(name));
  for (uint32_t i = 0; i < op->version_count; i++) {
    for (uint32_t k = 0; k < op->versions[i].attribute_count; k++) {
      const OnnxAttribute *attribute = &op->versions[i].attributes[k];
      if (attribute->phrase.len == 0)
        fail_msg("%.*s-%u: `%.*s` has no phrase", STR_ARG(name), op->versions[i].since, STR_ARG(attribute->name));
    }
  }
  return true;
}

static bool check_domain_words(Str domain, void *context)
{
  Tally *tally = context;
  tally->domain = domain;
  symbolics_each_onnx_name(symbolics_embedded(), domain, (Str){ 0 }, check_words, tally);
  return true;
}

static void test_every_operator_and_attribute_has_words(void **state)
{
  Tally tally = { 0 };
  symbolics_each_onnx_domain(symbolics_embedded(), check_domain_words, &tally);
}

static void test_spelling_and_pages(void **state)
{
  assert_string_equal(onnx_attribute_suffix(ONNX_FLOATS), "f");
  assert_string_equal(onnx_attribute_suffix(ONNX_INT), "i");
  assert_string_equal(onnx_attribute_suffix(ONNX_TYPE_PROTO), "ty");
  assert_string_equal(onnx_attribute_suffix(ONNX_SPARSE_TENSOR), "");
  Arena arena = { 0 };
  const SymbolicsDb *db = symbolics_embedded();
  Str conv = onnx_operator_url(symbolics_onnx_operator(db, STR(""), STR("Conv")), &arena);
  assert_true(str_equal(conv, STR("https://onnx.ai/onnx/operators/onnx__Conv.html")));
  Str scaler = onnx_operator_url(symbolics_onnx_operator(db, STR("ai.onnx.ml"), STR("Scaler")), &arena);
  assert_true(str_equal(scaler, STR("https://onnx.ai/onnx/operators/onnx_aionnxml_Scaler.html")));
  arena_done(&arena);
}

static void test_names_by_prefix(void **state)
{
  size_t count = 0;
  symbolics_each_onnx_name(symbolics_embedded(), STR("ai.onnx"), STR("Conv"), count_name, &count);
  assert_int_equal(count, 3);
  count = 0;
  symbolics_each_torch_name(symbolics_embedded(), STR("aten::scaled_dot_product_attention"), count_name, &count);
  assert_int_equal(count, 1);
}

static bool check_source(Str file, Str source, void *context)
{
  assert_true(file.len > 0 && source.len > 0);
  ++*(size_t *)context;
  return true;
}

static void test_sources(void **state)
{
  size_t count = 0;
  symbolics_each_source(symbolics_embedded(), check_source, &count);
  assert_true(count > 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_onnx_schema),
    cmocka_unit_test(test_every_schema_of_an_older_onnx),
    cmocka_unit_test(test_no_onnx_schema_is_invented),
    cmocka_unit_test(test_onnx_look_ups),
    cmocka_unit_test(test_every_step_between_versions),
    cmocka_unit_test(test_change_lines),
    cmocka_unit_test(test_every_operator_and_attribute_has_words),
    cmocka_unit_test(test_spelling_and_pages),
    cmocka_unit_test(test_names_by_prefix),
    cmocka_unit_test(test_sources),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
