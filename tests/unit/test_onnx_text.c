// Models as text: where nodes are, what is left out, pieces, graphs by name, files that change while they are read.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "onnx_bytes.h"
#include "onnx_model/text.h"
#include "text/lines.h"

static void put_node(Buffer *graph, const char *op_type, const char *doc, Buffer *attribute)
{
  Buffer node = { 0 };
  put_text(&node, NODE_INPUTS, "x");
  put_text(&node, NODE_OUTPUTS, "/y.1");
  put_text(&node, NODE_OP_TYPE, op_type);
  if (doc)
    put_text(&node, NODE_DOC, doc);
  if (attribute)
    put_message(&node, NODE_ATTRIBUTES, attribute);
  put_message(graph, GRAPH_NODES, &node);
}

static Buffer string_attribute(const char *value)
{
  Buffer attribute = { 0 };
  put_text(&attribute, ATTRIBUTE_NAME, "s");
  put_number(&attribute, ATTRIBUTE_TYPE, ATTR_STRING);
  put_text(&attribute, ATTRIBUTE_S, value);
  return attribute;
}

static Buffer graph_attribute(Buffer *graph)
{
  Buffer attribute = { 0 };
  put_text(&attribute, ATTRIBUTE_NAME, "body");
  put_number(&attribute, ATTRIBUTE_TYPE, ATTR_GRAPH);
  put_message(&attribute, ATTRIBUTE_G, graph);
  return attribute;
}

/// A model of one graph, which is emptied.
static Buffer model_of(Buffer *graph)
{
  Buffer model = { 0 };
  put_number(&model, MODEL_IR_VERSION, 8);
  put_message(&model, MODEL_GRAPH, graph);
  return model;
}

static Buffer text_of(const Buffer *bytes, const ModelTextOptions *options)
{
  Buffer message = { 0 };
  Buffer text = { 0 };
  Model *model = NULL;
  assert_int_equal(model_open_bytes(buffer_str(bytes), &message, &model), OK);
  assert_int_equal(model_text(model, options, &text, &message), OK);
  assert_int_equal(message.len, 0);
  model_free(model);
  return text;
}

static void expect_inside(const Buffer *text, const char *part)
{
  if (str_find(buffer_str(text), str_from(part), 0) == STR_NOT_FOUND)
    fail_msg("'%s' is not in:\n%.*s", part, STR_ARG(buffer_str(text)));
}

typedef struct Places {
  NodePlace items[16];
  size_t count;
} Places;

static void keep_place(void *context, const NodePlace *place)
{
  Places *places = context;
  assert_in_range(places->count, 0, 15);
  places->items[places->count++] = *place;
}

/// Lines count as an editor counts them, whatever ends them within strings and comments.
static void nodes_have_lines(void **state)
{
  (void)state;
  static const char *const operators[] = { "First", "Second", "Loop", "Inner", "Last" };
  static const unsigned depths[] = { 0, 0, 0, 1, 0 };
  Buffer inner = { 0 };
  Buffer graph = { 0 };
  Buffer attribute = string_attribute("a\nb\r\nc\rd\r");
  put_node(&graph, operators[0], "two\r\nlines", &attribute);
  put_node(&graph, operators[1], "a\rb\n\nc", NULL);
  put_text(&inner, GRAPH_NAME, "inner");
  put_node(&inner, operators[3], NULL, NULL);
  attribute = graph_attribute(&inner);
  put_node(&graph, operators[2], NULL, &attribute);
  put_node(&graph, operators[4], "doc", NULL);
  Buffer model = model_of(&graph);
  Places places = { .count = 0 };
  Buffer text = text_of(&model, &(ModelTextOptions){ .context = &places, .on_node = keep_place });

  LineStarts starts = { 0 };
  lines_scan_starts(buffer_str(&text), &starts);
  assert_int_equal(places.count, 5);
  for (size_t i = 0; i < places.count; i++) {
    const NodePlace *place = &places.items[i];
    Str line = str_slice(buffer_str(&text), starts.items[place->line], starts.items[place->line + 1]);
    assert_int_not_equal(str_find(line, str_from(operators[i]), 0), STR_NOT_FOUND);
    assert_int_equal(place->depth, depths[i]);
  }
  assert_int_equal(places.items[0].line - places.items[0].first_line, 2);
  assert_int_equal(places.items[1].line - places.items[1].first_line, 4);
  assert_int_equal(places.items[2].line - places.items[2].first_line, 0);
  vec_free(&starts);
  buffer_done(&text);
  buffer_done(&model);
}

static void put_tensor(Buffer *graph, const char *name, uint64_t dim, bool is_raw, size_t count)
{
  Buffer tensor = { 0 };
  Buffer data = { 0 };
  put_number(&tensor, TENSOR_DIMS, dim);
  put_number(&tensor, TENSOR_DATA_TYPE, ELEMENT_INT64);
  put_text(&tensor, TENSOR_NAME, name);
  for (size_t i = 0; i < count; i++) {
    if (is_raw) {
      buffer_append_char(&data, (char)(i + 1));
      buffer_append(&data, STR("\0\0\0\0\0\0\0"));
    } else {
      put_varint(&data, i + 1);
    }
  }
  put_message(&tensor, is_raw ? TENSOR_RAW : TENSOR_INT64S, &data);
  put_message(graph, GRAPH_INITIALIZERS, &tensor);
}

#define HASH_OF_1_TO_4 "73e200e2b048c86d4e8c86b86bf62bbda84c7384e34e250b01aa30ab29d234a4"

static void values_left_out(void **state)
{
  (void)state;
  Buffer graph = { 0 };
  put_text(&graph, GRAPH_NAME, "g");
  put_tensor(&graph, "shown", 3, true, 3);
  put_tensor(&graph, "raw", 4, true, 4);
  put_tensor(&graph, "typed", 4, false, 4);
  put_tensor(&graph, "more", 2, false, 4);
  put_tensor(&graph, "short", 3, true, 2);
  Buffer model = model_of(&graph);
  Buffer text = text_of(&model, &(ModelTextOptions){ .max_values = 3, .wants_hash = true });
  expect_inside(&text, "int64[3] shown = {1, 2, 3},\n");
  // Of the 32 bytes that raw_data has, however the values are kept.
  expect_inside(&text, "int64[4] raw = {},  # left out: 4 values, 32 bytes; sha256 " HASH_OF_1_TO_4 "\n");
  expect_inside(&text, "int64[4] typed = {},  # left out: 4 values, 4 bytes; sha256 " HASH_OF_1_TO_4 "\n");
  expect_inside(&text, "int64[2] more = {1, 2},  # more data than the dimensions want is left out\n");
  expect_inside(&text, "int64[3] short = {1, 2}  # raw_data has 16 bytes, the dimensions want 24\n");
  buffer_done(&text);
  text = text_of(&model, &(ModelTextOptions){ .max_values = 3, .max_sizes = 4 });
  expect_inside(&text, "int64[4] raw = {1, 2, 3, 4},\n");
  expect_inside(&text, "int64[2] more = {1, 2, 3, 4},\n");
  buffer_done(&text);
  text = text_of(&model, &(ModelTextOptions){ .is_full = true });
  expect_inside(&text, "int64[4] typed = {1, 2, 3, 4},\n");
  expect_inside(&text, "int64[2] more = {1, 2, 3, 4},\n");
  buffer_done(&text);
  buffer_done(&model);
}

static void dimensions_that_lie(void **state)
{
  (void)state;
  Buffer graph = { 0 };
  put_tensor(&graph, "negative", UINT64_MAX, true, 1);
  put_tensor(&graph, "huge", UINT64_C(1) << 62, true, 1);
  Buffer tensor = { 0 };
  put_number(&tensor, TENSOR_DIMS, UINT64_C(1) << 40);
  put_number(&tensor, TENSOR_DIMS, UINT64_C(1) << 40);
  put_number(&tensor, TENSOR_DATA_TYPE, ELEMENT_FLOAT);
  put_message(&graph, GRAPH_INITIALIZERS, &tensor);
  put_number(&tensor, TENSOR_DIMS, UINT64_C(1) << 40);
  put_number(&tensor, TENSOR_DIMS, UINT64_C(1) << 40);
  put_number(&tensor, TENSOR_DATA_TYPE, ELEMENT_UINT8);
  put_text(&tensor, TENSOR_NAME, "wraps");
  put_text(&tensor, TENSOR_RAW, "x");
  put_message(&graph, GRAPH_INITIALIZERS, &tensor);
  put_number(&tensor, TENSOR_DATA_TYPE, ELEMENT_FLOAT);
  put_text(&tensor, TENSOR_NAME, "words");
  put_text(&tensor, TENSOR_RAW, "\1\1\1\1");
  put_text(&tensor, TENSOR_STRINGS, "");
  put_message(&graph, GRAPH_INITIALIZERS, &tensor);
  Buffer model = model_of(&graph);
  Buffer text = text_of(&model, &(ModelTextOptions){ .max_values = 16 });
  expect_inside(&text, "int64[-1] negative = {},  # a negative dimension; left out: 8 bytes of raw_data\n");
  expect_inside(&text, "huge = {},  # raw_data has 8 bytes, the dimensions want ");
  expect_inside(&text, "\"\" = {},  # the dimensions multiply to more than 2^63\n");
  expect_inside(&text, "wraps = {},  # the dimensions multiply to more than 2^63; refused: data, and dimensions whose "
                       "product is 0 in 64 bits; left out: 1 bytes of raw_data\n");
  expect_inside(&text, "refused: string_data is set, where values of this type do not belong\n");
  buffer_done(&text);
  buffer_done(&model);
}

typedef struct Pieces {
  Buffer text;
  size_t count;
} Pieces;

static Status take_piece(void *context, Buffer *text)
{
  Pieces *pieces = context;
  buffer_append(&pieces->text, buffer_str(text));
  text->len = 0;
  return ++pieces->count == 1000 ? ERR_CANCELLED : OK;
}

static Buffer large_model(size_t count)
{
  Buffer graph = { 0 };
  for (size_t i = 0; i < count; i++)
    put_node(&graph, i + 1 == count ? "VeryLast" : "Relu", "a comment", NULL);
  return model_of(&graph);
}

static void pieces_are_the_whole(void **state)
{
  (void)state;
  Buffer model = large_model(20000);
  Pieces pieces = { .count = 0 };
  Buffer whole = text_of(&model, &(ModelTextOptions){ 0 });
  Buffer rest = text_of(&model, &(ModelTextOptions){ .context = &pieces, .drain = take_piece });
  assert_int_equal(rest.len, 0);
  assert_in_range(pieces.count, 2, 20);
  assert_true(str_equal(buffer_str(&whole), buffer_str(&pieces.text)));
  buffer_done(&pieces.text);
  buffer_done(&rest);
  buffer_done(&whole);
  buffer_done(&model);
}

static void only_one_graph(void **state)
{
  (void)state;
  Buffer inner = { 0 };
  Buffer graph = { 0 };
  Buffer message = { 0 };
  Buffer text = { 0 };
  Model *model = NULL;
  put_text(&graph, GRAPH_NAME, "outer");
  put_text(&inner, GRAPH_NAME, "the \"body\"");
  put_node(&inner, "Inner", NULL, NULL);
  Buffer attribute = graph_attribute(&inner);
  put_node(&graph, "Loop", NULL, &attribute);
  Buffer bytes = model_of(&graph);
  text = text_of(&bytes, &(ModelTextOptions){ .graph = STR("the \"body\"") });
  assert_true(str_equal(buffer_str(&text), STR("_the__body_ () => () {  # name of the graph: \"the \"body\"\"\n"
                                               "   \"/y.1\" = Inner (x)\n}\n")));
  text.len = 0;
  assert_int_equal(model_open_bytes(buffer_str(&bytes), &message, &model), OK);
  assert_int_equal(model_text(model, &(ModelTextOptions){ .graph = STR("body") }, &text, &message), ERR_NOT_FOUND);
  assert_int_equal(text.len, 0);
  assert_true(str_equal(buffer_str(&message), STR("no graph or function of the name 'body' is in there")));
  model_free(model);
  buffer_done(&text);
  buffer_done(&message);
  buffer_done(&bytes);
}

/// What a file that changes after it was opened leads to: an error, however it changes.
static void expect_change(off_t new_size, const char *expected)
{
  char path[] = "onnx_text_XXXXXX";
  Buffer bytes = large_model(50000);
  Buffer message = { 0 };
  Buffer text = { 0 };
  Model *model = NULL;
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes.data, bytes.len), bytes.len);
  assert_int_equal(model_open_file(path, &message, &model), OK);
  assert_int_equal(ftruncate(fd, new_size), 0);
  assert_int_equal(model_text(model, &(ModelTextOptions){ 0 }, &text, &message), ERR_IO);
  assert_true(str_equal(buffer_str(&message), str_from(expected)));
  model_free(model);
  close(fd);
  unlink(path);
  buffer_done(&text);
  buffer_done(&message);
  buffer_done(&bytes);
}

static void files_that_change(void **state)
{
  (void)state;
  expect_change(1000, "the file was cut while it was read");
  expect_change(10 * 1000 * 1000, "the file was changed while it was read");
}

/// Strings longer than the window are written in pieces, which end between characters.
static void long_strings(void **state)
{
  (void)state;
  for (size_t offset = 0; offset < 4; offset++) {
    Buffer value = { 0 };
    for (size_t i = 0; i < offset; i++)
      buffer_append_char(&value, 'a');
    while (value.len < 2 * MODEL_WINDOW)
      buffer_append(&value, STR("\xF0\x9F\x8C\x8D\xE2\x82\xAC\xC3\xA9"));
    buffer_append_char(&value, '\0');
    Buffer attribute = string_attribute(value.data);
    Buffer graph = { 0 };
    put_node(&graph, "Op", value.data, &attribute);
    Buffer model = model_of(&graph);
    Buffer text = text_of(&model, &(ModelTextOptions){ .is_full = true });
    size_t doc = str_find(buffer_str(&text), str_from(value.data), 0);
    assert_int_not_equal(doc, STR_NOT_FOUND);
    assert_int_not_equal(str_find(buffer_str(&text), str_from(value.data), doc + 1), STR_NOT_FOUND);
    buffer_done(&text);
    buffer_done(&model);
    buffer_done(&value);
  }
}

/// Only between its outermost fields can a model be cut without a word.
static void cut_anywhere(void **state)
{
  (void)state;
  Buffer graph = { 0 };
  put_tensor(&graph, "w", 3, true, 3);
  put_node(&graph, "Op", "doc", NULL);
  Buffer model = model_of(&graph);
  size_t accepted = 0;
  for (size_t len = 0; len < model.len; len++) {
    Buffer message = { 0 };
    Model *cut = NULL;
    char *bytes = malloc(len > 0 ? len : 1);  // So that the address sanitizer sees a read past the end.
    memcpy(bytes, model.data, len);
    accepted += model_open_bytes(str_make(bytes, len), &message, &cut) == OK;
    model_free(cut);
    free(bytes);
    buffer_done(&message);
  }
  assert_int_equal(accepted, 1);  // After the version, before the graph.
  buffer_done(&model);
}

static void opening(void **state)
{
  (void)state;
  static const struct {
    Str bytes;
    const char *start;
    Status status;
  } rows[] = {
    { STR_INIT(""), "empty", ERR_NOT_FOUND },
    { STR_INIT("version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12\n"),
      "a Git LFS pointer, not the model "
      "itself (which has 12 bytes)",
      ERR_NOT_FOUND },
    { STR_INIT("\x08\x07\x3a\x7f"), "the file ends too early, after 4 bytes", ERR_FORMAT },
    { STR_INIT("\x08\x07\x3a\x02\x0a\x05"), "damaged: a length that goes past the end at byte 5 in graph", ERR_FORMAT },
    { STR_INIT("\0\0\0\0\0\0\0\0\0"), "zeros from the first byte on", ERR_NOT_FOUND },
    { STR_INIT("no model\n"), "text, and no model", ERR_NOT_FOUND },
    { STR_INIT("ResNet(\n  (conv1): Conv2d(3, 64, kernel_size=(7, 7), stride=(2, 2), padding=(3, 3), bias=False)\n"
               "  (bn1): BatchNorm2d(64, eps=1e-05, momentum=0.1, affine=True)\n"),
      "text, and no model", ERR_NOT_FOUND },
    { STR_INIT("\x08\x02\x10\x01\x4a\x08\0\0\0\0\0\0\0\0"), "a TensorProto", ERR_NOT_FOUND },
    { STR_INIT("\x0a\x03\x22\x01T\x12\x01g"), "a bare GraphProto", ERR_NOT_FOUND },
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    Buffer message = { 0 };
    Model *model = NULL;
    assert_int_equal(model_open_bytes(rows[i].bytes, &message, &model), rows[i].status);
    assert_null(model);
    if (!str_starts_with(buffer_str(&message), str_from(rows[i].start)))
      fail_msg("%.*s", STR_ARG(buffer_str(&message)));
    buffer_done(&message);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nodes_have_lines),
    cmocka_unit_test(values_left_out),
    cmocka_unit_test(dimensions_that_lie),
    cmocka_unit_test(pieces_are_the_whole),
    cmocka_unit_test(only_one_graph),
    cmocka_unit_test(files_that_change),
    cmocka_unit_test(opening),
    cmocka_unit_test(long_strings),
    cmocka_unit_test(cut_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
