// Overlays in JSON: what a hand-written one can say, and the message for each kind of mistake.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "embed.h"
#include "facts/symbolics.h"
#include "overlay_json.h"

/// Reads `text`; the messages must be `want`, and it must open if there are none.
static void assert_messages(const char *text, const char *want)
{
  Records *records = records_new();
  overlay_read_json(records, STR("o.json"), str_from(text));
  SymbolicsDb *db = NULL;
  Status status = symbolics_open_records(STR("o.json"), records, symbolics_embedded(), &db);
  Buffer messages = { 0 };
  buffer_append(&messages, records_messages(records));
  buffer_append_char(&messages, '\0');
  assert_string_equal(messages.data, want);
  assert_int_equal(status, want[0] ? ERR_FORMAT : OK);
  symbolics_free(db);
  buffer_done(&messages);
  records_free(records);
}

static void test_the_file(void **state)
{
  assert_messages("{\"version\":1}", "");
  assert_messages("{\"$schema\":\"x\",\"version\":1,\"sources\":[\"by hand\"],\"onnx\":null}", "");
  assert_messages("", "o.json: 1:0: '[' or '{' expected near end of file\n");
  assert_messages("[1]", "o.json: overlay: expected an object\n");
  assert_messages("{\"version\":1,}", "o.json: 1:14: string or '}' expected near '}'\n");
  assert_messages("{\"version\":1,\"version\":1}", "o.json: 1:22: duplicate object key near '\"version\"'\n");
  assert_messages(
      "{\"version\":1,\"sources\":[\"by hand\"],\"torch\":[{\"version\":\"2.06\"},{\"version\":\"70000.1\"}]}",
      "o.json: torch[0].version: '2.06' is not a version such as 2.14\n"
      "o.json: torch[1].version: '70000.1' is not a version such as 2.14\n");
  assert_messages("{}", "o.json: overlay: 'version' is missing\n");
  assert_messages("{\"version\":2}", "o.json: version: this onnxls reads version 1\n");
  assert_messages("{\"version\":\"1\"}", "o.json: version: expected an integer\n");
  assert_messages("{\"version\":1,\"onxx\":[]}", "o.json: overlay: unknown key 'onxx'\n");
}

#define TORCH(text) "{\"version\":1,\"torch\":[{\"version\":\"2.6\"," text "}]}"

static void test_torch_mistakes(void **state)
{
  assert_messages(TORCH("\"schemas\":[\"my::f(Tensor x) -> Tensor\"]"), "");
  assert_messages(TORCH("\"schemas\":[\"my::f\"]"),
                  "o.json: torch[0].schemas[0]: no schema such as aten::relu(Tensor self) -> Tensor\n");
  assert_messages(TORCH("\"schemas\":[1]"), "o.json: torch[0].schemas[0]: expected a string\n");
  assert_messages(TORCH("\"schemas\":[\"my::f(Tensor x) ->\\nTensor\"]"),
                  "o.json: torch[0].schemas[0]: control character 0x0a\n");
  assert_messages(TORCH("\"torchscript\":{\"my::f\":[9,\"x\"]}"),
                  "o.json: torch[0].torchscript.my::f: expected a list of opsets\n");
  assert_messages(TORCH("\"torchscript\":{\"my::f\":[64]}"),
                  "o.json: torch[0].torchscript.my::f: '64' is not a valid opset (a number up to 63)\n");
  assert_messages(TORCH("\"torchscript\":{\"my::f\":9}"), "o.json: torch[0].torchscript.my::f: expected an object\n");
  assert_messages(TORCH("\"exporters\":{\"caffe2\":{}}"), "o.json: torch[0].exporters: unknown key 'caffe2'\n");
  assert_messages(TORCH("\"exporters\":{\"dynamo\":{\"opsets\":[18],\"default\":18}}"),
                  "o.json: torch[0].exporters.dynamo.opsets: expected [lowest, highest]\n");
  assert_messages("{\"version\":1,\"torch\":[{\"version\":\"two\"}]}",
                  "o.json: torch[0].version: 'two' is not a version such as 2.14\n");
  assert_messages("{\"version\":1,\"torch\":[{\"version\":\"2.6\"},{\"version\":\"2.6\"}]}",
                  "o.json: torch[1].version: torch 2.6 is declared twice\n");
}

#define ONNX(text) "{\"version\":1,\"onnx\":[{\"domain\":\"my.domain\",\"op\":\"F\",\"since\":1," text "}]}"

static void test_onnx_mistakes(void **state)
{
  assert_messages(ONNX("\"inputs\":[]"), "");
  assert_messages(ONNX("\"input\":[]"), "o.json: onnx[0]: unknown key 'input'\n");
  assert_messages(ONNX("\"inputs\":[{\"name\":\"X\"}]"), "o.json: onnx[0].inputs[0]: 'type' is missing\n");
  assert_messages(ONNX("\"inputs\":[{\"name\":\"X\",\"type\":\"T\",\"option\":\"maybe\"}]"),
                  "o.json: onnx[0].inputs[0]: unexpected 'maybe'\n");
  assert_messages(ONNX("\"attributes\":[{\"name\":\"a\",\"type\":\"double\"}]"),
                  "o.json: onnx[0].attributes[0]: 'double' is not an attribute type\n");
  assert_messages(ONNX("\"attributes\":[{\"name\":\"a\",\"type\":\"int\",\"default\":1.5}]"),
                  "o.json: onnx[0].attributes[0]: '1.5' is not a default of type int\n");
  assert_messages(ONNX("\"attributes\":[{\"name\":\"a\",\"type\":\"int\",\"default\":{}}]"),
                  "o.json: onnx[0].attributes[0]: '?' is not a default of type int\n");
  assert_messages(ONNX("\"attributes\":[7]"), "o.json: onnx[0].attributes[0]: expected an object\n");
  assert_messages(ONNX("\"type_constraints\":[{\"name\":\"T\",\"types\":[]}]"),
                  "o.json: onnx[0].type_constraints[0]: expected a name and types\n");
  assert_messages("{\"version\":1,\"onnx\":[{\"op\":\"F\",\"since\":1}]}", "o.json: onnx[0]: 'domain' is missing\n");
  assert_messages("{\"version\":1,\"summaries\":{\"my.domain::F\":\"Text.\"}}",
                  "o.json: summaries.my.domain::F: there is no operator 'F' in this domain\n");
  assert_messages("{\"version\":1,\"phrases\":{\"axis\":[]}}", "o.json: phrases.axis: expected a string\n");
}

/// As a user writes it by hand: an operator of a custom domain, and the symbolic function that makes it.
static const char hand_written[] =
    "{ \"version\": 1, \"sources\": [\"our kernels, release 3\"],\n"
    "  \"torch\": [{ \"version\": \"2.14\", \"schemas\": [\"my::fused(Tensor x, float p=0.5) -> Tensor\"],\n"
    "               \"random\": [\"my::fused\"],\n"
    "               \"torchscript\": { \"my::fused\": [11], \"my::other\": { \"registered\": [8, 9], \"blocked\": [8] } },\n"
    "               \"dynamo\": { \"functions\": [{ \"name\": \"my::fused\", \"opset\": 18 }],\n"
    "                             \"decomposed\": [\"my::parts\"] } }],\n"
    "  \"onnx\": [{ \"domain\": \"my.domain\", \"op\": \"Fused\", \"since\": 1, \"doc\": \"One line.\\nAnother \\\\.\",\n"
    "    \"inputs\": [{ \"name\": \"X\", \"type\": \"T\" }, { \"name\": \"M\", \"type\": \"map(int64, float)\","
    "                  \"option\": \"optional\", \"doc\": \"A map.\" }],\n"
    "    \"outputs\": [{ \"name\": \"Y\", \"type\": \"T\", \"option\": \"variadic\", \"homogeneous\": false }],\n"
    "    \"attributes\": [{ \"name\": \"p\", \"type\": \"float\", \"default\": 1 },\n"
    "                     { \"name\": \"mode\", \"type\": \"string\", \"default\": \"a \\\"b\\\" c\" },\n"
    "                     { \"name\": \"pads\", \"type\": \"ints\", \"default\": [0, 1] },\n"
    "                     { \"name\": \"to\", \"type\": \"int\", \"required\": true, \"default\": null }],\n"
    "    \"type_constraints\": [{ \"name\": \"T\", \"types\": [\"tensor(float)\", \"seq(map(string, int64))\"] }] }],\n"
    "  \"summaries\": { \"my.domain::Fused\": \"Does it all at once.\" },\n"
    "  \"phrases\": { \"my.domain::Fused.p\": \"how likely it is\" } }";

static SymbolicsDb *open_overlay(const char *text)
{
  Records *records = records_new();
  overlay_read_json(records, STR("my.json"), str_from(text));
  SymbolicsDb *db = NULL;
  Status status = symbolics_open_records(STR("my.json"), records, symbolics_embedded(), &db);
  if (status != OK)
    fail_msg("%.*s", STR_ARG(records_messages(records)));
  records_free(records);
  return db;
}

static void check_torch(const SymbolicsDb *db)
{
  TorchChoice choice;
  assert_true(symbolics_resolve_torch(db, STR("2.14"), &choice));
  assert_int_equal(symbolics_support(db, choice.torch, EXPORTER_TORCHSCRIPT, STR("my::fused"), 10).since, 11);
  assert_int_equal(symbolics_support(db, choice.torch, EXPORTER_TORCHSCRIPT, STR("my::other"), 8).status,
                   SUPPORT_BLOCKED);
  assert_int_equal(symbolics_support(db, choice.torch, EXPORTER_DYNAMO, STR("my::fused"), 20).status, SUPPORT_YES);
  assert_int_equal(symbolics_support(db, choice.torch, EXPORTER_DYNAMO, STR("my::parts"), 20).status,
                   SUPPORT_DECOMPOSED);
  assert_int_equal(symbolics_torch_tags(db, STR("my::fused")), TAG_RANDOM);
  const TorchOperator *op = symbolics_torch_operator(db, STR("my::fused"));
  assert_int_equal(op->overloads[0].argument_count, 2);
  assert_true(str_equal(op->overloads[0].arguments[1].default_text, STR("0.5")));
}

static void check_onnx(const SymbolicsDb *db)
{
  const OnnxOperator *op = symbolics_onnx_operator(db, STR("my.domain"), STR("Fused"));
  assert_true(str_equal(op->summary, STR("Does it all at once.")));
  const OnnxSchema *schema = onnx_operator_at(op, 5);
  assert_true(str_equal(schema->doc, STR("One line.\nAnother \\.")));
  assert_int_equal(schema->min_input, 1);
  assert_int_equal(schema->max_input, 2);
  assert_true(schema->max_output == ONNX_NO_LIMIT);
  assert_true(str_equal(schema->inputs[1].type, STR("map(int64, float)")));
  assert_true(str_equal(schema->inputs[1].doc, STR("A map.")));
  assert_true(schema->outputs[0].heterogeneous);
  assert_true(str_equal(onnx_schema_attribute(schema, STR("p"))->default_text, STR("1.0")));
  assert_true(str_equal(onnx_schema_attribute(schema, STR("p"))->phrase, STR("how likely it is")));
  assert_true(str_equal(onnx_schema_attribute(schema, STR("mode"))->default_text, STR("\"a \\\"b\\\" c\"")));
  assert_true(str_equal(onnx_schema_attribute(schema, STR("pads"))->default_text, STR("[0, 1]")));
  assert_true(onnx_schema_attribute(schema, STR("to"))->required);
  assert_true(str_equal(schema->constraints[0].types[1], STR("seq(map(string, int64))")));
}

static void test_hand_written(void **state)
{
  SymbolicsDb *db = open_overlay(hand_written);
  check_torch(db);
  check_onnx(db);
  assert_non_null(symbolics_onnx_operator(db, STR(""), STR("Conv")));
  symbolics_free(db);
}

static void test_floats_are_spelled_short(void **state)
{
  SymbolicsDb *db =
      open_overlay("{\"version\":1,\"onnx\":[{\"domain\":\"d\",\"op\":\"F\",\"since\":1,\"attributes\":["
                   "{\"name\":\"a\",\"type\":\"float\",\"default\":0.009999999776482582},"
                   "{\"name\":\"b\",\"type\":\"floats\",\"default\":[1e-5, -3.4028234663852886e+38, 2]}]}]}");
  const OnnxSchema *schema = onnx_operator_at(symbolics_onnx_operator(db, STR("d"), STR("F")), 1);
  assert_true(str_equal(schema->attributes[0].default_text, STR("0.01")));
  assert_true(str_equal(schema->attributes[1].default_text, STR("[1e-05, -3.4028235e+38, 2.0]")));
  symbolics_free(db);
}

/// An exported schema has upstream's texts and none of ours, which must stay.
static void test_our_words_stay(void **state)
{
  SymbolicsDb *base = open_overlay(
      "{\"version\":1,\"onnx\":[{\"domain\":\"d\",\"op\":\"F\",\"since\":1,\"attributes\":["
      "{\"name\":\"a\",\"type\":\"int\"}]}],\"summaries\":{\"d::F\":\"Ours.\"},\"phrases\":{\"a\":\"our phrase\"}}");
  Records *records = records_new();
  overlay_read_json(records, STR("exported.json"),
                    STR("{\"version\":1,\"onnx\":["
                        "{\"domain\":\"d\",\"op\":\"F\",\"since\":1,\"doc\":\"Theirs.\",\"attributes\":["
                        "{\"name\":\"a\",\"type\":\"int\",\"doc\":\"their words\"}]},"
                        "{\"domain\":\"d\",\"op\":\"F\",\"since\":2,\"attributes\":["
                        "{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":\"int\"}]}]}"));
  SymbolicsDb *db;
  assert_int_equal(symbolics_open_records(STR("exported.json"), records, base, &db), OK);
  records_free(records);
  const OnnxOperator *op = symbolics_onnx_operator(db, STR("d"), STR("F"));
  assert_true(str_equal(op->summary, STR("Ours.")));
  assert_true(str_equal(op->versions[0].doc, STR("Theirs.")));
  assert_true(str_equal(op->versions[0].attributes[0].phrase, STR("our phrase")));
  assert_true(str_equal(op->versions[0].attributes[0].doc, STR("their words")));
  assert_true(str_equal(op->versions[1].attributes[0].phrase, STR("our phrase")));
  assert_int_equal(op->versions[1].attributes[1].phrase.len, 0);
  Arena arena = { 0 };
  assert_true(str_equal(onnx_schema_changes(&op->versions[1], &arena).lines[0], STR("new attribute `b` (int)")));
  arena_done(&arena);
  symbolics_free(db);
  symbolics_free(base);
}

static void test_deep_and_large(void **state)
{
  Buffer text = { 0 };
  buffer_printf(&text, "{\"version\":1,\"onnx\":");
  for (int i = 0; i < 100000; i++)
    buffer_append_char(&text, '[');
  Records *records = records_new();
  overlay_read_json(records, STR("o.json"), buffer_str(&text));
  assert_true(records_messages(records).len > 0);
  records_free(records);

  records = records_new();
  overlay_read_json(records, STR("o.json"), str_make(text.data, (size_t)FACTS_BYTE_LIMIT + 1));
  assert_true(str_equal(records_messages(records), STR("o.json: 1: more than 32 MB of facts\n")));
  records_free(records);
  buffer_done(&text);
}

/// The programs that db import feeds to an interpreter are the files in symbolics-db/tools.
static void test_embedded_exporters(void **state)
{
  size_t onnx_size, torch_size;
  const char *onnx = symbolics_export_onnx(&onnx_size);
  const char *torch = symbolics_export_torch(&torch_size);
  assert_int_equal(strlen(onnx), onnx_size);
  assert_int_equal(strlen(torch), torch_size);
  assert_non_null(strstr(onnx, "get_all_schemas_with_history"));
  assert_non_null(strstr(torch, "_jit_get_all_schemas"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_file),
    cmocka_unit_test(test_torch_mistakes),
    cmocka_unit_test(test_onnx_mistakes),
    cmocka_unit_test(test_hand_written),
    cmocka_unit_test(test_floats_are_spelled_short),
    cmocka_unit_test(test_our_words_stay),
    cmocka_unit_test(test_deep_and_large),
    cmocka_unit_test(test_embedded_exporters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
