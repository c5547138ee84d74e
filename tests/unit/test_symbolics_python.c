// The compiled facts of torch.onnx's Python side against what the real packages say (tests/facts/python_*.tsv).

#include "facts_table.h"

#include "facts/export_api.h"
#include "facts/functions.h"
#include "records.h"

static const SymbolicsDb *db(void)
{
  return symbolics_embedded();
}

static uint32_t torch_index(Str version)
{
  TorchChoice choice;
  assert_true(symbolics_resolve_torch(db(), version, &choice));
  assert_true(choice.is_exact);
  return choice.torch;
}

// Releases.

static void test_releases(void **state)
{
  TorchRelease parsed;
  assert_true(export_api_parse_release(STR("2.9.1+cpu"), &parsed));
  assert_int_equal(parsed.major, 2);
  assert_int_equal(parsed.minor, 9);
  assert_true(export_api_parse_release(STR(" 1.13 "), &parsed));
  static const char *const broken[] = { "", "2", "2.", "two", ".9", "2x9", "70000.1" };
  for (size_t i = 0; i < COUNT(broken); i++)
    assert_false(export_api_parse_release(str_from(broken[i]), &parsed));
  assert_true(torch_release_reached(release("2.14"), release("2.9")));
  assert_true(torch_release_reached(release("2.9"), release("2.9")));
  assert_false(torch_release_reached(release("1.13"), release("2.0")));
  assert_false(torch_release_reached(release("2.14"), (TorchRelease){ 0 }));
  assert_true(torch_release_reached(export_api_torch_release(db(), 2), release("2.14")));
  assert_false(torch_release_is_set(export_api_torch_release(db(), 3)));
}

// Functions of symbolic_helper.

/// "g 0; axes_i 1 None", as make_python_truth.py writes it.
static Str parameters_text(Arena *arena, const PySignature *signature, bool has_defaults)
{
  Buffer text = { 0 };
  for (uint32_t i = 0; i < signature->parameter_count; i++) {
    const PyParameter *parameter = &signature->parameters[i];
    buffer_printf(&text, "%s%.*s ", i > 0 ? "; " : "", STR_ARG(parameter->name));
    if (parameter->stars > 0)
      buffer_printf(&text, "%s", parameter->stars == 1 ? "*" : "rest");
    else if (parameter->is_keyword_only)
      buffer_printf(&text, "keyword");
    else
      buffer_printf(&text, "%u%s", i, parameter->is_positional_only ? "/" : "");
    if (parameter->has_default)
      buffer_printf(&text, " %.*s", STR_ARG(has_defaults ? parameter->default_text : STR("=")));
  }
  Str kept = arena_copy(arena, buffer_str(&text));
  buffer_done(&text);
  return kept;
}

static bool count_signatures(const PyHelper *helper, void *context)
{
  for (uint32_t torch = 0; torch < 3; torch++)
    *(size_t *)context += export_api_helper_signature(helper, torch) != NULL;
  return true;
}

static const PySignature *signature_of(const Row *row)
{
  const PyHelper *helper = export_api_helper(db(), row->fields[0]);
  const PySignature *signature = helper ? export_api_helper_signature(helper, torch_index(row->fields[1])) : NULL;
  if (!signature)
    fail_msg("torch %.*s has %.*s", STR_ARG(row->fields[1]), STR_ARG(row->fields[0]));
  return signature;
}

static void test_every_helper_has_the_parameters_of_the_real_one(void **state)
{
  Arena arena = { 0 };
  Str table = read_facts(&arena, "python_helpers.tsv");
  size_t rows = 0, known = 0;
  for (Row row; next_row(&table, &row); rows++) {
    const PySignature *signature = signature_of(&row);
    assert_str(parameters_text(&arena, signature, true), arena_copy(&arena, row.fields[2]).data);
    assert_int_equal(signature->takes_graph, str_starts_with(row.fields[2], STR("g 0")));
  }
  export_api_each_helper(db(), (Str){ 0 }, count_signatures, &known);
  assert_int_equal(rows, 254);
  assert_int_equal(known, rows);
  arena_done(&arena);
}

/// What programs call of torch.export, torch.library, torch.onnx and of the packages used with them, read off the
/// sources of three versions.
static void test_every_public_function_has_the_parameters_of_the_real_one(void **state)
{
  static const char *const modules[] = { "torch.export", "torch.library", "torch.onnx", "onnx",
                                         "onnx_ir",      "onnxscript",    "onnxruntime" };
  Arena arena = { 0 };
  Str table = read_facts(&arena, "python_public.tsv");
  size_t rows = 0, known = 0;
  for (Row row; next_row(&table, &row); rows++)
    assert_str(parameters_text(&arena, signature_of(&row), false), arena_copy(&arena, row.fields[2]).data);
  for (size_t i = 0; i < COUNT(modules); i++)
    export_api_each_helper(db(), str_from(modules[i]), count_signatures, &known);
  assert_true(known == rows && rows > 100);
  arena_done(&arena);
}

static bool check_words(const PyHelper *helper, void *context)
{
  bool is_sentence = helper->summary.len > 10 && helper->summary.len < 400 &&
                     (str_ends_with(helper->summary, STR(".")) || str_ends_with(helper->summary, STR("?")));
  if (helper->result == 0 || !is_sentence)
    fail_msg("no result or no sentence for %.*s", STR_ARG(helper->name));
  return true;
}

static void test_what_helpers_give(void **state)
{
  static const struct {
    const char *name;
    uint32_t result;
  } cases[] = {
    { "_get_const", PY_DESCRIPTOR | PY_NONE },
    { "_maybe_get_const", PY_VALUE | PY_DESCRIPTOR | PY_NONE },
    { "_maybe_get_scalar", PY_VALUE | PY_TENSOR },
    { "_scalar", PY_BOOL | PY_INT | PY_FLOAT | PY_NONE },
    { "_get_tensor_rank", PY_INT | PY_NONE },
    { "_get_tensor_sizes", PY_INTS | PY_NONE },
    { "_is_none", PY_BOOL },
    { "_unsqueeze_helper", PY_VALUE },
    { "_unpack_list", PY_VALUES },
    { "_try_get_scalar_type", PY_STRING | PY_OTHER | PY_NONE },
    { "_onnx_unsupported", PY_RAISES },
    { "_unimplemented", PY_RAISES | PY_NONE },
    { "parse_args", PY_FUNCTION },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const PyHelper *helper = export_api_helper(db(), str_from(cases[i].name));
    assert_non_null(helper);
    assert_int_equal(helper->result, cases[i].result);
  }
  export_api_each_helper(db(), (Str){ 0 }, check_words, NULL);
}

static void test_functions_of_a_module_of_an_opset(void **state)
{
  const PyHelper *floor = export_api_helper(db(), STR("symbolic_opset9.floor"));
  assert_non_null(floor);
  assert_str(export_api_helper_signature(floor, 0)->text, "(g, input)");
  assert_null(export_api_helper(db(), STR("symbolic_opset9.flor")));
  // Opset 20 came after torch 1.13.
  const PyHelper *gelu = export_api_helper(db(), STR("symbolic_opset20.gelu"));
  assert_non_null(gelu);
  assert_null(export_api_helper_signature(gelu, 0));
  size_t ours = 0;
  export_api_each_helper(db(), STR("symbolic_opset9"), count_signatures, &ours);
  assert_true(ours > 300);
}

static void test_helpers_of_one_version(void **state)
{
  const PyHelper *gone = export_api_helper(db(), STR("_set_opset_version"));
  assert_int_equal(gone->torch_versions, 1);
  assert_true(torch_release_reached(release("1.13"), gone->deprecated));
  assert_null(export_api_helper_signature(gone, 1));
  assert_null(export_api_helper_signature(gone, 77));
  const PyHelper *args = export_api_helper(db(), STR("quantized_args"));
  assert_int_equal(args->signature_count, 2);
  assert_int_equal(args->signatures[0].parameters[0].stars, 1);
  assert_true(args->signatures[1].parameters[3].is_keyword_only);
  assert_null(export_api_helper(db(), STR("_get_cons")));
  assert_null(export_api_helper(db(), STR("")));
}

// Letters and suffixes.

static bool fits_an_overload(const TorchOperator *op, uint32_t torch, uint32_t argument, Str letter)
{
  bool has_argument = false;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (!(overload->torch_versions >> torch & 1) || overload->argument_count <= argument ||
        str_find_char(overload->arguments[argument].alias, '!', 0) != STR_NOT_FOUND)
      continue;  // Tensors to write into are never exported.
    has_argument = true;
    if (export_api_descriptor_fits(letter, overload->arguments[argument].type))
      return true;
  }
  return !has_argument;
}

/// What torch itself writes cannot be wrong.
static void test_letters_of_torchs_own_functions_fit(void **state)
{
  Arena arena = { 0 };
  Str table = read_facts(&arena, "python_letters.tsv");
  size_t rows = 0, letters = 0;
  for (Row row; next_row(&table, &row); rows++) {
    const TorchOperator *op = symbolics_torch_operator(db(), row.fields[0]);
    Str rest = row.fields[2];
    for (uint32_t argument = 0; rest.len > 0; argument++, letters++) {
      size_t blank = str_find_char(rest, ' ', 0);
      Str letter = str_slice(rest, 0, blank);
      rest = blank == STR_NOT_FOUND ? (Str){ 0 } : str_slice(rest, blank + 1, rest.len);
      assert_non_null(export_api_descriptor(db(), letter));
      if (!fits_an_overload(op, torch_index(row.fields[1]), argument, letter))
        fail_msg("torch %.*s reads argument %u of %.*s with '%.*s'", STR_ARG(row.fields[1]), argument,
                 STR_ARG(row.fields[0]), STR_ARG(letter));
    }
  }
  assert_int_equal(rows, 394);
  assert_true(letters > 1000);
  arena_done(&arena);
}

static void test_letters(void **state)
{
  static const struct {
    const char *letter, *type;
    bool fits;
  } cases[] = {
    { "v", "Tensor", true },      { "v", "int", true },        { "none", "Generator?", true },
    { "i", "int", true },         { "i", "SymInt?", true },    { "i", "bool", true },
    { "i", "ScalarType?", true }, { "i", "Tensor", false },    { "i", "float", false },
    { "i", "int[]", false },      { "i", "Device?", true },    { "i", "Tensor?", true },
    { "f", "float", true },       { "f", "Scalar", true },     { "f", "Tensor", false },
    { "f", "str", false },        { "f", "float[]", false },   { "is", "int[2]", true },
    { "is", "SymInt[]?", true },  { "is", "int", false },      { "is", "Scalar", false },
    { "is", "float[]", false },   { "is", "Tensor[]", false }, { "is", "int[][]", true },
    { "fs", "float[]?", true },   { "fs", "float", false },    { "s", "str?", true },
    { "s", "int", false },        { "b", "bool[3]", false },   { "b", "bool", true },
    { "t", "Scalar", true },      { "t", "Tensor", true },     { "q", "int", false },
    { "", "int", false },         { "i", "", true },           { "is", "Dict(int, str)", true },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    if (export_api_descriptor_fits(str_from(cases[i].letter), str_from(cases[i].type)) != cases[i].fits)
      fail_msg("'%s' for %s", cases[i].letter, cases[i].type);
  }
}

static void test_letter_for_a_type(void **state)
{
  static const char *const cases[][2] = {
    { "Tensor", "v" },  { "Tensor?", "v" },   { "Tensor[]", "v" },    { "Tensor?[]", "v" },     { "int", "i" },
    { "SymInt?", "i" }, { "int[2]", "is" },   { "SymInt[]?", "is" },  { "bool", "b" },          { "bool[3]", "is" },
    { "float?", "f" },  { "float[]?", "fs" }, { "Scalar", "f" },      { "Scalar[]", "v" },      { "str", "s" },
    { "str[]", "v" },   { "Device?", "v" },   { "ScalarType?", "i" }, { "MemoryFormat?", "i" }, { "Generator?", "v" },
    { "", "v" },        { "t", "v" },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    Str letter = export_api_descriptor_for(str_from(cases[i][0]));
    assert_str(letter, cases[i][1]);
    assert_true(export_api_descriptor_fits(letter, str_from(cases[i][0])));
  }
}

static bool count_descriptor(const PyDescriptor *descriptor, void *context)
{
  assert_true(descriptor->words.len > 10 && descriptor->types.len > 0 && descriptor->gives != 0);
  assert_true(export_api_descriptor_fits(descriptor->letter, STR("my.own.Type")));
  ++*(size_t *)context;
  return true;
}

static void test_descriptors_and_suffixes_are_described(void **state)
{
  size_t count = 0;
  export_api_each_descriptor(db(), count_descriptor, &count);
  assert_int_equal(count, 9);
  assert_int_equal(export_api_descriptor(db(), STR("is"))->gives, PY_INTS | PY_NONE);
  assert_null(export_api_descriptor(db(), STR("q")));
  static const char *const suffixes[] = { "f", "i", "s", "t", "z", "g", "ty" };
  for (size_t i = 0; i < COUNT(suffixes); i++) {
    for (uint32_t torch = 0; torch < 3; torch++) {
      const PySuffix *suffix = export_api_suffix(db(), torch, str_from(suffixes[i]));
      assert_non_null(suffix);
      assert_true(suffix->words.len > 10 && suffix->takes.len > 0);
      const char *spelled = onnx_attribute_suffix(suffix->single);
      assert_string_equal(spelled, strcmp(suffixes[i], "z") == 0 ? "t" : suffixes[i]);
      assert_string_equal(onnx_attribute_suffix(suffix->list), spelled);
      assert_int_not_equal(suffix->single, suffix->list);
    }
  }
  assert_null(export_api_suffix(db(), 0, STR("is")));
  assert_null(export_api_suffix(db(), 9, STR("i")));
}

// torch.onnx.export().

static Str position_text(Arena *arena, const PyExportForm *form)
{
  if (form->position == PY_KEYWORD_ONLY)
    return STR("keyword");
  return form->position == PY_REST ? STR("rest") : arena_printf(arena, "%d", form->position);
}

static bool count_forms(const PyExportArgument *argument, void *context)
{
  for (uint32_t torch = 0; torch < 3; torch++) {
    TorchRelease at = export_api_torch_release(db(), torch);
    bool is_there = (!torch_release_is_set(argument->added) || torch_release_reached(at, argument->added)) &&
                    !torch_release_reached(at, argument->removed);
    const PyExportForm *form = export_api_form(argument, torch);
    if (is_there != (form != NULL))
      fail_msg("'%.*s' in version %u: the words say something else", STR_ARG(argument->name), torch);
    if (form)
      assert_true(str_equal(export_api_default(db(), argument, at), form->default_text));
    *(size_t *)context += form != NULL;
  }
  assert_true(argument->for_torchscript || argument->for_dynamo);
  assert_true(argument->words.len > 10 && str_ends_with(argument->words, STR(".")));
  return true;
}

static void test_every_export_argument_is_as_in_the_real_packages(void **state)
{
  Arena arena = { 0 };
  Str table = read_facts(&arena, "python_export.tsv");
  size_t rows = 0, known = 0;
  for (Row row; next_row(&table, &row); rows++) {
    const PyExportArgument *argument = export_api_argument(db(), row.fields[0]);
    const PyExportForm *form = argument ? export_api_form(argument, torch_index(row.fields[1])) : NULL;
    if (!form)
      fail_msg("torch %.*s has '%.*s'", STR_ARG(row.fields[1]), STR_ARG(row.fields[0]));
    assert_true(str_equal(position_text(&arena, form), row.fields[2]));
    assert_true(str_equal(form->default_text, row.fields[3]));
    assert_int_equal(form->has_default, row.fields[3].len > 0);
  }
  export_api_each_argument(db(), count_forms, &known);
  assert_int_equal(rows, 71);
  assert_int_equal(known, rows);
  arena_done(&arena);
}

static void test_export_between_known_versions(void **state)
{
  assert_false(export_api_is_dynamo(db(), release("1.13")));
  assert_false(export_api_is_dynamo(db(), release("2.4")));
  assert_false(export_api_is_dynamo(db(), release("2.8")));
  assert_true(export_api_is_dynamo(db(), release("2.9")));
  assert_true(export_api_is_dynamo(db(), release("3.0")));
  assert_false(export_api_ignores_unknown(db(), 0));
  assert_true(export_api_ignores_unknown(db(), 1));
  assert_false(export_api_ignores_unknown(db(), 2));
  const PyExportArgument *gone = export_api_argument(db(), STR("example_outputs"));
  assert_int_equal(gone->form_count, 0);
  assert_true(torch_release_reached(release("1.13"), gone->removed));
  assert_int_equal(export_api_default(db(), gone, release("2.6")).len, 0);
  assert_null(export_api_argument(db(), STR("opset")));
}

// Layers.

static SymbolicsDb *open_records(const char *text)
{
  Records *records = records_new();
  SymbolicsDb *opened = NULL;
  records_read(records, STR("versions.txt"), STR("kind torch-versions\ntorch 2.6\ntorch 2.20\n"));
  records_read(records, STR("own.txt"), str_from(text));
  assert_int_equal(symbolics_open_records(STR("own"), records, symbolics_embedded(), &opened), OK);
  records_free(records);
  return opened;
}

static void test_an_overlay_hides_what_lies_below(void **state)
{
  SymbolicsDb *own = open_records("kind helpers\n2.6,2.20 _is_none(x, y=(1, 2))\n2.20 _my_own(g)\n");
  const PyHelper *helper = export_api_helper(own, STR("_is_none"));
  assert_null(export_api_helper_signature(helper, 0));
  assert_int_equal(export_api_helper_signature(helper, 1)->parameter_count, 2);
  assert_str(export_api_helper_signature(helper, 3)->parameters[1].default_text, "(1, 2)");
  assert_true(export_api_helper_signature(export_api_helper(own, STR("_my_own")), 3)->takes_graph);
  assert_non_null(export_api_helper(own, STR("_get_const")));
  size_t embedded_count = 0, own_count = 0;
  export_api_each_helper(db(), (Str){ 0 }, count_signatures, &embedded_count);
  export_api_each_helper(own, (Str){ 0 }, count_signatures, &own_count);
  assert_int_equal(own_count, embedded_count - 3 + 1);  // 2.20 is the fourth version, which is not counted.
  assert_non_null(export_api_name(own, STR("torch.onnx._internal")));
  symbolics_free(own);
}

// What functions become.

/// Words of a record file, past its head, against what the facts answer.
static void check_functions(const char *file, Exporter exporter)
{
  Arena arena = { 0 };
  Str text = read_facts(&arena, file);
  Row row;
  size_t seen = 0;
  while (next_row(&text, &row)) {
    Str line = row.fields[0];
    size_t name = str_find_char(line, ' ', 0);
    size_t operators = name == STR_NOT_FOUND ? name : str_find_char(line, ' ', name + 1);
    if (operators == STR_NOT_FOUND || line.data[0] < '0' || line.data[0] > '9')
      continue;
    for (Str versions = str_slice(line, 0, name); versions.len > 0; seen++) {
      size_t comma = str_find_char(versions, ',', 0);
      Str have = functions_operators(db(), torch_index(str_slice(versions, 0, comma)), exporter,
                                     str_slice(line, name + 1, operators));
      assert_true(str_equal(have, str_slice(line, operators + 1, line.len)));
      versions = comma == STR_NOT_FOUND ? (Str){ 0 } : str_slice(versions, comma + 1, versions.len);
    }
  }
  assert_true(seen > 1500);
  arena_done(&arena);
}

static void test_functions_become_what_was_measured(void **state)
{
  check_functions("../../symbolics-db/records/torch/python/traced.txt", EXPORTER_TORCHSCRIPT);
  check_functions("../../symbolics-db/records/torch/python/captured.txt", EXPORTER_DYNAMO);
}

static void test_functions_by_version(void **state)
{
  Str norm = STR("torch.nn.RMSNorm");
  assert_str(functions_operators(db(), torch_index(STR("2.14")), EXPORTER_TORCHSCRIPT, norm), "aten::rms_norm");
  assert_str(functions_operators(db(), torch_index(STR("1.13")), EXPORTER_TORCHSCRIPT, norm), "");
  assert_str(functions_operators(db(), torch_index(STR("2.14")), EXPORTER_DYNAMO, STR("torch.special.erf")),
             "aten::special_erf");
  assert_str(functions_operators(db(), torch_index(STR("2.14")), EXPORTER_TORCHSCRIPT, STR("torch.special.erf")),
             "aten::erf");
  assert_str(functions_operators(db(), 99, EXPORTER_TORCHSCRIPT, norm), "");
  Str words = STR("aten::abs aten::add");
  Str word;
  assert_true(functions_next(&words, &word));
  assert_str(word, "aten::abs");
  assert_true(functions_next(&words, &word));
  assert_str(word, "aten::add");
  assert_false(functions_next(&words, &word));
}

static void test_functions_of_an_overlay(void **state)
{
  SymbolicsDb *own =
      open_records("kind traced-functions\n2.20 torch.my.norm my::norm aten::mul\n2.6 torch.relu my::relu\n");
  TorchChoice old, new;
  assert_true(symbolics_resolve_torch(own, STR("2.6"), &old) && symbolics_resolve_torch(own, STR("2.20"), &new));
  assert_str(functions_operators(own, new.torch, EXPORTER_TORCHSCRIPT, STR("torch.my.norm")), "my::norm aten::mul");
  assert_str(functions_operators(own, new.torch, EXPORTER_DYNAMO, STR("torch.my.norm")), "");
  assert_str(functions_operators(own, new.torch, EXPORTER_TORCHSCRIPT, STR("torch.relu")), "");
  assert_str(functions_operators(own, old.torch, EXPORTER_TORCHSCRIPT, STR("torch.relu")), "my::relu");
  assert_str(functions_operators(own, old.torch, EXPORTER_TORCHSCRIPT, STR("torch.nn.GELU")), "aten::gelu");
  symbolics_free(own);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_releases),
    cmocka_unit_test(test_every_helper_has_the_parameters_of_the_real_one),
    cmocka_unit_test(test_every_public_function_has_the_parameters_of_the_real_one),
    cmocka_unit_test(test_what_helpers_give),
    cmocka_unit_test(test_functions_of_a_module_of_an_opset),
    cmocka_unit_test(test_helpers_of_one_version),
    cmocka_unit_test(test_letters_of_torchs_own_functions_fit),
    cmocka_unit_test(test_letters),
    cmocka_unit_test(test_letter_for_a_type),
    cmocka_unit_test(test_descriptors_and_suffixes_are_described),
    cmocka_unit_test(test_every_export_argument_is_as_in_the_real_packages),
    cmocka_unit_test(test_export_between_known_versions),
    cmocka_unit_test(test_an_overlay_hides_what_lies_below),
    cmocka_unit_test(test_functions_become_what_was_measured),
    cmocka_unit_test(test_functions_by_version),
    cmocka_unit_test(test_functions_of_an_overlay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
