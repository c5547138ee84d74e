// The compiler of the records: messages for malformed ones, and layers of facts over each other.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/buffer.h"
#include "embed.h"
#include "facts/export_api.h"
#include "facts/symbolics.h"
#include "records.h"

#define VERSIONS "kind torch-versions\ntorch 1.13\nexporter torchscript 1.13 opsets 7..17 default 14\ntorch 2.6\n"

/// Compiles VERSIONS and `text` (as f.txt) and compares the messages; "" means that it compiles.
static void assert_messages(const char *text, const char *want)
{
  Records *records = records_new();
  Buffer facts = { 0 }, messages = { 0 };
  records_read(records, STR("f.txt"), str_from(text));
  records_read(records, STR("versions.txt"), STR(VERSIONS));
  Status status = records_pack(records, &facts);
  buffer_append(&messages, records_messages(records));
  buffer_append_char(&messages, '\0');
  assert_string_equal(messages.data, want);
  assert_int_equal(status, want[0] ? ERR_FORMAT : OK);
  assert_int_equal(facts.len == 0, want[0] != '\0');
  buffer_done(&facts);
  buffer_done(&messages);
  records_free(records);
}

static void test_headers(void **state)
{
  assert_messages("", "");
  assert_messages("# only a comment\n\n", "");
  assert_messages("1.13 aten::f() -> ()\n", "f.txt:1: a fact before the line 'kind ...'\n");
  assert_messages("# x\nkind nonsense\nwhatever\n", "f.txt:2: unknown kind 'nonsense'\n");
  assert_messages("kind passes\n* aten::f always \x01\n", "f.txt:2: control character 0x01\n");
  assert_messages("kind passes\n* aten::f always \xff\n", "f.txt:2: not UTF-8\n");
  assert_messages("kind passes\n* aten::f always \xc3\xa9t\xc3\xa9\n", "");
  assert_messages("kind passes\n* aten::f always \xed\xa0\x80\n", "f.txt:2: not UTF-8\n");
  assert_messages("kind passes\n* aten::f always \xe2\x82", "f.txt:2: not UTF-8\n");
  assert_messages("kind passes\r\n* aten::f always gone\r\n", "");
}

#define KERNELS "kind runtimes\n1.10 opset 15 ir 8\n1.20 opset 21 ir 10\nkind kernels\n"

static void test_kernels(void **state)
{
  assert_messages(KERNELS "Abs 13 1.10-\tT bfloat16\nAbs 13@13..14 1.10-1.20,1.20\t*\n", "");
  assert_messages(KERNELS "Abs 13 1.10-\n",
                  "f.txt:5: expected an operator, its version, runtimes, a tab, and types or '*'\n");
  assert_messages(KERNELS "Abs 13@4 1.10\t*\n",
                  "f.txt:5: expected an operator, its version, runtimes, a tab, and types or '*'\n");
  assert_messages(KERNELS "Abs 13 1.11\t*\n", "f.txt:5: '1.11' is no range of the runtimes that are declared\n");
  assert_messages(KERNELS "Abs 13 1.20-1.10\t*\n",
                  "f.txt:5: '1.20-1.10' is no range of the runtimes that are declared\n");
}

static void test_versions(void **state)
{
  assert_messages("kind torch-versions\ntorch two\n", "f.txt:2: 'two' is not a version such as 2.14\n");
  assert_messages("kind torch-versions\ntorch 3.1\ntorch 3.1\n", "f.txt:3: torch 3.1 is declared twice\n");
  assert_messages("kind torch-versions\nexporter dynamo 3.1 opsets 1..2 default 1\n",
                  "f.txt:2: no line 'torch 3.1' above\n");
  assert_messages("kind torch-versions\ntorch 3.1\nexporter caffe2 3.1 opsets 1..2 default 1\n",
                  "f.txt:3: unknown exporter 'caffe2'\n");
  assert_messages("kind torch-versions\ntorch 3.1\nexporter dynamo 3.1 opsets 9..7 default 8\n",
                  "f.txt:3: the range 9..7 is empty\n");
  assert_messages("kind torch-versions\ntorch 3.1\nexporter dynamo 3.1 opsets 7..9 default 10\n",
                  "f.txt:3: the default 10 is outside 7..9\n");
  assert_messages("kind torch-versions\ntorch 3.1\nexporter dynamo 3.1 opsets 7-9 default 8\n",
                  "f.txt:3: '7-9' is not a range such as 7..20\n");
  assert_messages("kind torch-versions\ntorch 3.1\nexporter dynamo 3.1 opsets 7..99 default 8\n",
                  "f.txt:3: '99' is not a valid opset (a number up to 63)\n");
  assert_messages("kind torch-versions\ntorch 3.1\nexporter dynamo 3.1 opset 7..9 default 8\n",
                  "f.txt:3: expected 'opsets 7..20 default 17'\n");
  assert_messages("kind torch-versions\ntorch 3.1\nexporter dynamo 3.1 opsets 7..9\n",
                  "f.txt:3: expected 'opsets 7..20 default 17'\n");
  assert_messages("kind torch-versions\nnumpy 3\n", "f.txt:2: 'numpy' is not torch, exporter or suffixes\n");
}

static void test_torch_lines(void **state)
{
  assert_messages("kind torch-schemas\n1.13 aten::f\n",
                  "f.txt:2: no schema such as aten::relu(Tensor self) -> Tensor\n");
  assert_messages("kind torch-schemas\n1.13 f(Tensor x) -> Tensor\n",
                  "f.txt:2: 'f' is not an operator such as aten::add\n");
  assert_messages("kind torch-schemas\n1.13 aten::f(Tensor x -> Tensor\n",
                  "f.txt:2: unbalanced brackets, or no ' -> ', in the schema of aten::f\n");
  assert_messages("kind torch-schemas\n1.13 aten::f(str x=\"\\\")\") -> Tensor\n", "");
  assert_messages("kind torch-schemas\n1.13,9.9 aten::f(Tensor x) -> Tensor\n", "f.txt:2: torch 9.9 is not declared\n");
  assert_messages("kind torch-schemas\n1.13,1.13 aten::f(Tensor x) -> Tensor\n", "f.txt:2: torch 1.13 occurs twice\n");
  assert_messages("kind torch-schemas\n1.13 aten::f.x(int a) -> int\n1.13,2.6 aten::f.x(int b) -> int\n",
                  "f.txt:3: a second schema for aten::f.x in the same torch version\n");
  assert_messages("kind torch-schemas\n1.13 aten::f.x(int a) -> int\n2.6 aten::f.x(int b) -> int\n", "");
  assert_messages("kind torchscript-support\n1.13 aten::f 9 x\n",
                  "f.txt:2: 'x' is not a valid opset (a number up to 63)\n");
  assert_messages("kind torchscript-support\n1.13 aten::f 9 !9\n", "f.txt:2: opset 9 occurs twice\n");
  assert_messages("kind torchscript-support\n1.13 aten::f\n", "f.txt:2: no opset\n");
  assert_messages("kind torchscript-support\n1.13 aten::f.x 9\n",
                  "f.txt:2: symbolic functions are registered without an overload\n");
  assert_messages("kind torchscript-support\n1.13 aten::f 9\n* aten::f 9\n",
                  "f.txt:3: a second line of support for aten::f in the same torch version\n");
  assert_messages("kind dynamo-functions\n1.13 aten::f 18 real\n",
                  "f.txt:2: expected an opset and perhaps 'complex'\n");
  assert_messages("kind torch-tags\n* shiny aten::f\n", "f.txt:2: unknown tag 'shiny'\n");
  assert_messages("kind torch-tags\n* view\n", "f.txt:2: no operator\n");
  assert_messages("kind torch-summaries\naten::f\n", "f.txt:2: expected a name, a tab, and what is known of it\n");
  assert_messages("kind torch-summaries\naten::f\ttorch.f\n",
                  "f.txt:2: expected a name, a tab, the name in Python, a tab, and a sentence\n"
                  "f.txt:2: no torch version has an operator aten::f\n");
  assert_messages("kind passes\n* aten::f sometimes x\n", "f.txt:2: unknown condition 'sometimes'\n");
  assert_messages("kind passes\n* aten::f always\n", "f.txt:2: no reason\n");
}

static void test_python_lines(void **state)
{
  assert_messages("kind helpers\n1.13 _f(g, x=(1, 2))\n2.6 _f(g)\n", "");
  assert_messages("kind helpers\n1.13 _f\n", "f.txt:2: expected versions and a function such as _is_none(x)\n");
  assert_messages("kind helpers\n1.13 _f(g) -> int\n",
                  "f.txt:2: expected versions and a function such as _is_none(x)\n");
  assert_messages("kind helpers\n1.13 9f(g)\n", "f.txt:2: expected versions and a function such as _is_none(x)\n");
  assert_messages("kind helpers\n9.9 _f(g)\n", "f.txt:2: torch 9.9 is not declared\n");
  assert_messages("kind helpers\n* _f(g)\n2.6 _f(x)\n", "f.txt:3: '_f' occurs twice for the same torch version\n");
  assert_messages("kind helper-words\n_f\tvalue\tDoes it.\n", "f.txt:2: no line of kind 'helpers' for '_f'\n");
  assert_messages("kind helper-words\n_f\tvalue\n", "f.txt:2: expected 3 columns with a tab between\n");
  assert_messages("kind helper-words\n_f\tvalue\tDoes it.\tmore\n", "f.txt:2: expected 3 columns with a tab between\n");
  assert_messages("kind helper-words\n_f\tvalue\t\n", "f.txt:2: expected 3 columns with a tab between\n");
  assert_messages("kind helper-words\n_f\tvaluf\tDoes it.\n", "f.txt:2: unexpected 'valuf'\n");
  assert_messages("kind descriptors\nq\tint\tint, bool\tA number.\n", "");
  assert_messages("kind descriptors\nq\tint\tA number.\n", "f.txt:2: expected 4 columns with a tab between\n");
  assert_messages("kind suffixes\nf\tfloat floats\tfloat\tA float.\n", "");
  assert_messages("kind suffixes\nf\tfloat flots\tfloat\tA float.\n",
                  "f.txt:2: expected two attribute types such as 'float floats'\n");
  assert_messages("kind python-api\na.b\tprivate added=1.13 removed=2.9 moved use=c.d\tGone.\n", "");
  assert_messages("kind python-api\na.b\tmoved\tGone.\n", "f.txt:2: 'moved' needs 'removed=' and 'use='\n");
  assert_messages("kind python-api\na.b\tadded=2\tGone.\n", "f.txt:2: unexpected 'added=2'\n");
  assert_messages("kind python-api\na.b\tadded=2.1 added=2.2\tGone.\n", "f.txt:2: unexpected 'added=2.2'\n");
  assert_messages("kind python-api\na.b\tuse=\tGone.\n", "f.txt:2: unexpected 'use='\n");
  assert_messages("kind python-api\na b\t\tGone.\n", "f.txt:2: 'a b' is not a name\n");
  assert_messages("kind python-api\na.b\t\tGone.\na.b\t\tGone.\n", "f.txt:3: 'a.b' occurs twice\n");
  assert_messages("kind export-arguments\n1.13 f 2\n2.6 f keyword = None\n2.6 _ rest\n", "");
  assert_messages("kind export-arguments\n1.13 f two\n",
                  "f.txt:2: 'two' is not a valid position (a number up to 255)\n");
  assert_messages("kind export-arguments\n1.13 f 2 None\n",
                  "f.txt:2: expected versions, a name, its position, and perhaps '= default'\n");
  assert_messages("kind export-words\nf\tdynamo default=2.5:False default=2.9:True\tWhere.\n", "");
  assert_messages("kind export-words\nf\tdefault=2.9:True default=2.5:False\tWhere.\n",
                  "f.txt:2: unexpected 'default=2.5:False'\n");
}

#define ONNX "kind onnx-schemas\ndomain ai.onnx\n"

static void test_onnx_lines(void **state)
{
  assert_messages("kind onnx-schemas\nop Relu 6\n", "f.txt:2: an operator before the line 'domain ...'\n");
  assert_messages(ONNX "  in X T\n", "f.txt:3: 'in' before the first line 'op ...'\n");
  assert_messages(ONNX "op Relu six\n", "f.txt:3: 'six' is not a valid version (a number up to 10000)\n");
  assert_messages(ONNX "op Relu 6 depricated\n", "f.txt:3: unexpected 'depricated'\n");
  assert_messages(ONNX "op Relu 6\n  in X\n", "f.txt:4: expected a name and a type\n");
  assert_messages(ONNX "op Relu 6\n  in X T optonal\n", "f.txt:4: unexpected 'optonal'\n");
  assert_messages(ONNX "op Sum 6\n  in X T variadic\n  in Y T\n", "f.txt:5: 'Y' comes after a variadic one\n");
  assert_messages(ONNX "op Elu 6\n  attr alpha double\n", "f.txt:4: 'double' is not an attribute type\n");
  assert_messages(ONNX "op Elu 6\n  attr alpha float = 1\n", "f.txt:4: '1' is not a default of type float\n");
  assert_messages(ONNX "op Elu 6\n  attr alpha int = 1.0\n", "f.txt:4: '1.0' is not a default of type int\n");
  assert_messages(ONNX "op Elu 6\n  attr alpha ints = [1, x]\n", "f.txt:4: '[1, x]' is not a default of type ints\n");
  assert_messages(ONNX "op Elu 6\n  attr mode string = nearest\n",
                  "f.txt:4: 'nearest' is not a default of type string\n");
  assert_messages(ONNX "op Elu 6\n  attr a int\n  attr a int\n", "f.txt:5: attribute 'a' occurs twice\n");
  assert_messages(ONNX "op Elu 6\n  type T\n", "f.txt:4: expected a name and types\n");
  assert_messages(ONNX "op Elu 6\n  typo T\n", "f.txt:4: 'typo' is not op, in, out, attr, type or doc\n");
  assert_messages(ONNX "op Elu 6\nop Relu 6\nop Elu 6\n", "f.txt:5: a second schema of Elu since version 6\n");
  assert_messages(ONNX "op Elu 6\n  doc one\n  doc two\n", "f.txt:5: the line above takes no 'doc'\n");
  assert_messages(ONNX "op Elu 6\n  in-count 1..\n  doc one\n", "f.txt:5: the line above takes no 'doc'\n");
  assert_messages("kind onnx-notes\ndomain ai.onnx\nElu 6 more\n", "f.txt:3: there is no version 6 of 'Elu'\n");
  assert_messages(ONNX "op Elu 6\n  doc one\n  doc two\n", "f.txt:5: the line above takes no 'doc'\n");
  assert_messages(ONNX "op Elu 6\n  in-count 1..\n  doc one\n", "f.txt:5: the line above takes no 'doc'\n");
  assert_messages("kind onnx-notes\ndomain ai.onnx\nElu 6\n", "f.txt:3: no text\n");
  assert_messages("kind summaries\ndomain ai.onnx\nRelu\tKeeps what is positive.\n",
                  "f.txt:3: there is no operator 'Relu' in this domain\n");
  assert_messages("kind attribute-phrases\naxis the axis\n", "f.txt:2: expected a name, a tab and a text\n");
  assert_messages("kind attribute-phrases\naxis\ta\naxis\tb\n", "f.txt:3: a second text; the other is at f.txt:2\n");
}

static void test_messages_are_limited(void **state)
{
  Buffer text = { 0 };
  buffer_printf(&text, "kind passes\n");
  for (int i = 0; i < 1000; i++)
    buffer_printf(&text, "x\n");
  Records *records = records_new();
  records_read(records, STR("f.txt"), buffer_str(&text));
  size_t lines = 0;
  Str messages = records_messages(records);
  for (size_t i = 0; i < messages.len; i++)
    lines += messages.data[i] == '\n';
  assert_int_equal(lines, 50);
  records_free(records);
  buffer_done(&text);
}

static void compile(const char *const *texts, size_t count, bool backwards, Buffer *ret_facts)
{
  Records *records = records_new();
  for (size_t i = 0; i < count; i++) {
    size_t k = backwards ? count - 1 - i : i;
    char name[16] = { (char)('a' + k), '\0' };
    records_read(records, str_from(name), str_from(texts[k]));
  }
  assert_int_equal(records_pack(records, ret_facts), OK);
  records_free(records);
}

static const char *const overlay[] = {
  "kind torch-versions\nsource mine\ntorch 2.6\n"
  "torch 2.9\nexporter torchscript 2.9 opsets 7..20 default 18\n",
  "kind torch-schemas\nsource b\n2.6,2.9 my::fancy(Tensor x) -> Tensor\n2.6 aten::relu(Tensor self, int more) -> Tensor\n",
  "kind torchscript-support\nsource c\n2.9 my::fancy 11\n2.9 aten::relu 9\n2.6 aten::special_i0e 12\n",
  "kind onnx-schemas\nsource d\ndomain my.domain\nop Fancy 1\n  doc Line one.\\nLine two \\\\n.\n  in X T\n    doc The input.\n  out Y T\n  type T float\n"
  "domain ai.onnx\nop Relu 99\n  in X T\n  out Y T\n  attr slope float = 0.5\n  type T float\n",
  "kind summaries\ndomain my.domain\nFancy\tDoes something fancy.\n",
  "kind attribute-phrases\nslope\tthe slope of the negative part\n",
  "kind helpers\nsource e\n2.6,2.9 _mine(g, x)\n",
  "kind export-arguments\nsource f\n2.9 mine keyword = 1\n2.9 other 3\n",
};

enum { OVERLAY_COUNT = COUNT(overlay) };

static void test_order_of_files_does_not_matter(void **state)
{
  Buffer one = { 0 }, other = { 0 };
  compile(overlay, OVERLAY_COUNT, false, &one);
  compile(overlay, OVERLAY_COUNT, true, &other);
  assert_int_equal(one.len, other.len);
  assert_memory_equal(one.data, other.data, one.len);
  buffer_done(&one);
  buffer_done(&other);
}

static void check_overlay_torch(const SymbolicsDb *db)
{
  const Str *versions;
  assert_int_equal(symbolics_torch_versions(db, &versions), 4);
  assert_true(str_equal(versions[2], STR("2.9")));
  TorchChoice choice;
  assert_true(symbolics_resolve_torch(db, STR("2.9.1"), &choice) && choice.is_exact && choice.torch == 2);

  OpsetRange range;
  assert_true(symbolics_opset_range(db, 1, EXPORTER_TORCHSCRIPT, &range) && range.max == 20 && range.standard == 17);
  assert_true(symbolics_is_suffix(db, 1, STR("ty")));

  // New in 2.9, taken over in 2.6, untouched elsewhere.
  assert_int_equal(symbolics_support(db, 2, EXPORTER_TORCHSCRIPT, STR("my::fancy"), 11).status, SUPPORT_YES);
  assert_int_equal(symbolics_support(db, 2, EXPORTER_TORCHSCRIPT, STR("my::fancy"), 10).since, 11);
  assert_int_equal(symbolics_support(db, 1, EXPORTER_TORCHSCRIPT, STR("aten::special_i0e"), 13).status, SUPPORT_YES);
  assert_int_equal(symbolics_support(db, 3, EXPORTER_TORCHSCRIPT, STR("aten::special_i0e"), 13).status, SUPPORT_NEVER);
  assert_int_equal(symbolics_support(db, 1, EXPORTER_TORCHSCRIPT, STR("aten::relu"), 13).status, SUPPORT_YES);

  const TorchOperator *relu = symbolics_torch_operator(db, STR("aten::relu"));
  for (uint32_t i = 0; i < relu->overload_count; i++) {
    const TorchOverload *overload = &relu->overloads[i];
    if (overload->overload.len == 0)
      assert_int_equal(overload->argument_count, overload->torch_versions & 2 ? 2 : 1);
  }
  assert_int_equal(symbolics_torch_operator(db, STR("my::fancy"))->overloads[0].torch_versions, 6);
  assert_non_null(symbolics_torch_operator(db, STR("aten::add")));
}

static void check_overlay_onnx(const SymbolicsDb *db)
{
  const OnnxOperator *fancy = symbolics_onnx_operator(db, STR("my.domain"), STR("Fancy"));
  assert_true(str_equal(fancy->summary, STR("Does something fancy.")));
  const OnnxSchema *schema = onnx_operator_at(fancy, 1);
  assert_true(str_equal(schema->doc, STR("Line one.\nLine two \\n.")));
  assert_true(str_equal(schema->inputs[0].doc, STR("The input.")));
  assert_int_equal(schema->outputs[0].doc.len, 0);
  const OnnxOperator *relu = symbolics_onnx_operator(db, STR("ai.onnx"), STR("Relu"));
  assert_int_equal(onnx_operator_at(relu, 13)->since, 13);
  const OnnxSchema *newest = onnx_operator_at(relu, 99);
  assert_int_equal(newest->since, 99);
  assert_true(str_equal(newest->attributes[0].phrase, STR("the slope of the negative part")));
  assert_non_null(symbolics_onnx_operator(db, STR(""), STR("Conv")));
}

static bool count_name(Str name, void *context)
{
  ++*(size_t *)context;
  return true;
}

static void test_overlay(void **state)
{
  Buffer facts = { 0 };
  compile(overlay, OVERLAY_COUNT, false, &facts);
  SymbolicsDb *db;
  assert_int_equal(symbolics_open(STR("test"), buffer_str(&facts), symbolics_embedded(), &db), OK);
  check_overlay_torch(db);
  check_overlay_onnx(db);
  size_t plain = 0, layered = 0;
  symbolics_each_torch_name(symbolics_embedded(), (Str){ 0 }, count_name, &plain);
  symbolics_each_torch_name(db, (Str){ 0 }, count_name, &layered);
  assert_int_equal(layered, plain + 1);
  layered = 0;
  symbolics_each_onnx_domain(db, count_name, &layered);
  assert_int_equal(layered, 5);
  symbolics_free(db);
  buffer_done(&facts);
}

static void test_an_overlay_alone(void **state)
{
  Buffer facts = { 0 };
  compile(overlay, OVERLAY_COUNT, false, &facts);
  SymbolicsDb *db;
  assert_int_equal(symbolics_open(STR("test"), buffer_str(&facts), NULL, &db), OK);
  assert_int_equal(symbolics_support(db, 1, EXPORTER_TORCHSCRIPT, STR("my::fancy"), 11).status, SUPPORT_YES);
  assert_int_equal(symbolics_support(db, 0, EXPORTER_TORCHSCRIPT, STR("my::fancy"), 11).status, SUPPORT_NO_FACTS);
  assert_null(symbolics_onnx_operator(db, STR(""), STR("Conv")));
  symbolics_free(db);
  buffer_done(&facts);
}

static void test_facts_without_anything(void **state)
{
  static const char *const nothing[] = { "" };
  Buffer facts = { 0 };
  compile(nothing, 1, false, &facts);
  SymbolicsDb *db;
  assert_int_equal(symbolics_open(STR("test"), buffer_str(&facts), NULL, &db), OK);
  TorchChoice choice;
  assert_false(symbolics_resolve_torch(db, STR("auto"), &choice));
  assert_int_equal(symbolics_support(db, 0, EXPORTER_TORCHSCRIPT, STR("aten::relu"), 11).status, SUPPORT_NO_FACTS);
  symbolics_free(db);
  buffer_done(&facts);
}

static void test_bytes_that_are_no_facts(void **state)
{
  SymbolicsDb *db = NULL;
  assert_int_equal(symbolics_open(STR("test"), STR(""), NULL, &db), ERR_FORMAT);
  assert_int_equal(symbolics_open(STR("test"), STR("\x08\x7f"), NULL, &db), ERR_FORMAT);
  assert_int_equal(symbolics_open(STR("test"), STR("no facts at all"), NULL, &db), ERR_FORMAT);
  assert_null(db);
}

// What is built in is not checked when it is opened.
static void test_built_in_facts_hold(void **state)
{
  size_t size;
  const char *bytes = symbolics_facts_bytes(&size);
  SymbolicsDb *db;
  assert_int_equal(symbolics_open(STR("test"), str_make(bytes, size), NULL, &db), OK);
  symbolics_free(db);
}

static void test_layers(void **state)
{
  Records *records = records_new();
  for (size_t i = 0; i < OVERLAY_COUNT; i++)
    records_read(records, STR("overlay"), str_from(overlay[i]));
  SymbolicsDb *db;
  assert_int_equal(symbolics_open_records(STR("my.json"), records, symbolics_embedded(), &db), OK);
  records_free(records);
  assert_int_equal(symbolics_layer_count(db), 2);
  assert_true(str_equal(symbolics_layer(db, 0).name, STR("built in")));
  assert_int_equal(symbolics_layer(db, 0).onnx_names, 226);
  assert_true(str_equal(symbolics_layer(db, 1).name, STR("my.json")));
  assert_int_equal(symbolics_layer(db, 1).onnx_names, 2);
  assert_int_equal(symbolics_layer(db, 1).torch_names, 3);
  check_overlay_torch(db);
  symbolics_free(db);
}

static bool read_torch(Str name, void *context)
{
  const TorchOperator *op = symbolics_torch_operator(context, name);
  assert_true(!op || str_equal(op->name, name));
  return true;
}

static bool read_onnx(Str name, void *context)
{
  assert_true(str_equal(symbolics_onnx_operator(context, (Str){ 0 }, name)->name, name));
  return true;
}

static void *read_everything(void *context)
{
  symbolics_each_torch_name(context, (Str){ 0 }, read_torch, context);
  symbolics_each_onnx_name(context, (Str){ 0 }, (Str){ 0 }, read_onnx, context);
  return NULL;
}

/// ThreadSanitizer watches: all threads find the caches empty.
static void test_many_readers(void **state)
{
  enum { THREAD_COUNT = 4 };
  Buffer facts = { 0 };
  compile(overlay, OVERLAY_COUNT, false, &facts);
  SymbolicsDb *db;
  assert_int_equal(symbolics_open(STR("test"), buffer_str(&facts), symbolics_embedded(), &db), OK);
  pthread_t threads[THREAD_COUNT];
  for (int i = 0; i < THREAD_COUNT; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, read_everything, db), 0);
  for (int i = 0; i < THREAD_COUNT; i++)
    pthread_join(threads[i], NULL);
  check_overlay_torch(db);
  symbolics_free(db);
  buffer_done(&facts);
}

static void test_too_many_layers(void **state)
{
  Buffer facts = { 0 };
  compile(overlay, OVERLAY_COUNT, false, &facts);
  SymbolicsDb *stack[32];
  size_t count = 0;
  Status status = OK;
  while (status == OK && count < 32) {
    const SymbolicsDb *base = count == 0 ? symbolics_embedded() : stack[count - 1];
    status = symbolics_open(STR("test"), buffer_str(&facts), base, &stack[count]);
    count += status == OK;
  }
  assert_int_equal(status, ERR_LIMIT);
  assert_int_equal(symbolics_layer_count(stack[count - 1]), 16);
  check_overlay_torch(stack[count - 1]);
  while (count > 0)
    symbolics_free(stack[--count]);
  buffer_done(&facts);
}

/// Every cut of an overlay is refused, or its look-ups answer something.
static void test_cut_off_facts(void **state)
{
  Buffer facts = { 0 };
  compile(overlay, OVERLAY_COUNT, false, &facts);
  for (size_t len = 0; len < facts.len; len++) {
    SymbolicsDb *db;
    if (symbolics_open(STR("test"), str_make(facts.data, len), NULL, &db) != OK)
      continue;
    symbolics_torch_operator(db, STR("my::fancy"));
    symbolics_onnx_operator(db, STR("my.domain"), STR("Fancy"));
    symbolics_support(db, 0, EXPORTER_TORCHSCRIPT, STR("my::fancy"), 11);
    export_api_helper(db, STR("_mine"));
    export_api_argument(db, STR("mine"));
    symbolics_free(db);
  }
  buffer_done(&facts);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_headers),
    cmocka_unit_test(test_kernels),
    cmocka_unit_test(test_versions),
    cmocka_unit_test(test_torch_lines),
    cmocka_unit_test(test_python_lines),
    cmocka_unit_test(test_onnx_lines),
    cmocka_unit_test(test_messages_are_limited),
    cmocka_unit_test(test_order_of_files_does_not_matter),
    cmocka_unit_test(test_overlay),
    cmocka_unit_test(test_an_overlay_alone),
    cmocka_unit_test(test_facts_without_anything),
    cmocka_unit_test(test_bytes_that_are_no_facts),
    cmocka_unit_test(test_built_in_facts_hold),
    cmocka_unit_test(test_layers),
    cmocka_unit_test(test_many_readers),
    cmocka_unit_test(test_too_many_layers),
    cmocka_unit_test(test_cut_off_facts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
