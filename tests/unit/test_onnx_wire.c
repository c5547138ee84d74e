// The wire format and what protobuf makes of it: edges of varints, packed and unpacked, merged and replaced, groups.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/limits.h"
#include "onnx_bytes.h"
#include "onnx_model/reader.h"
#include "onnx_model/walk.h"

typedef struct Case {
  Buffer bytes;
  Source source;
} Case;

static Wire wire_of(Case *c)
{
  source_open_bytes(&c->source, buffer_str(&c->bytes));
  return wire_over(&c->source, 0, c->bytes.len);
}

static void expect_problem(Str bytes, const char *problem)
{
  Case c = { 0 };
  Field field;
  buffer_append(&c.bytes, bytes);
  Wire wire = wire_of(&c);
  WireResult result = WIRE_FIELD;
  while (result == WIRE_FIELD)
    result = wire_next_field(&wire, &field);
  assert_int_equal(result, problem ? WIRE_BAD : WIRE_END);
  if (problem)
    assert_string_equal(wire.problem, problem);
  // Once bad, always bad.
  assert_int_equal(wire_next_field(&wire, &field), result);
  buffer_done(&c.bytes);
}

static void varints(void **state)
{
  (void)state;
  static const uint64_t values[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, UINT64_MAX };
  for (size_t i = 0; i < COUNT(values); i++) {
    Case c = { 0 };
    Field field;
    put_number(&c.bytes, 5, values[i]);
    Wire wire = wire_of(&c);
    assert_int_equal(wire_next_field(&wire, &field), WIRE_FIELD);
    assert_int_equal(field.number, 5);
    assert_true(field.value == values[i]);
    assert_int_equal(wire_next_field(&wire, &field), WIRE_END);
    buffer_done(&c.bytes);
  }
}

/// Fields that are followed by others are read in a way of their own.
static void short_fields(void **state)
{
  (void)state;
  static const uint32_t numbers[] = { 1, 15, 16, 2000 };
  static const uint64_t values[] = { 0, 1, 127, 128, 300, 16383, 16384 };
  for (size_t i = 0; i < COUNT(numbers) * COUNT(values); i++) {
    Case c = { 0 };
    Field field;
    uint32_t number = numbers[i / COUNT(values)];
    uint64_t value = values[i % COUNT(values)];
    put_number(&c.bytes, number, value);
    char *bytes = xcalloc((size_t)value + 1, 1);
    put_bytes(&c.bytes, number, str_make(bytes, (size_t)value));
    put_number(&c.bytes, number, 7);
    Wire wire = wire_of(&c);
    assert_int_equal(wire_next_field(&wire, &field), WIRE_FIELD);
    assert_true(field.number == number && field.wire == WIRE_VARINT && field.value == value);
    assert_int_equal(wire_next_field(&wire, &field), WIRE_FIELD);
    assert_true(field.number == number && field.wire == WIRE_BYTES && field.value == value);
    assert_true(field.start + field.value == wire.at);
    assert_int_equal(wire_next_field(&wire, &field), WIRE_FIELD);
    assert_true(field.value == 7);
    assert_int_equal(wire_next_field(&wire, &field), WIRE_END);
    free(bytes);
    buffer_done(&c.bytes);
  }
  expect_problem(STR("\x0a\x02\x01"), "a length that goes past the end");
  expect_problem(STR("\x0a\x80\x01\x00"), "a length that goes past the end");
  expect_problem(STR("\x00\x01\x01"), "field number 0");
}

static void problems(void **state)
{
  (void)state;
  expect_problem(STR(""), NULL);
  expect_problem(STR("\x28\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), NULL);
  expect_problem(STR("\x28\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), "a number of more than 10 bytes");
  expect_problem(STR("\x28"), "a number is cut off");
  expect_problem(STR("\x28\x80"), "a number is cut off");
  expect_problem(STR("\x02\x00"), "field number 0");
  expect_problem(STR("\x0D\x01\x02\x03"), "a number is cut off");
  expect_problem(STR("\x09\x01\x02\x03\x04\x05\x06\x07"), "a number is cut off");
  expect_problem(STR("\x0A\x02x"), "a length that goes past the end");
  expect_problem(STR("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01x"), "a length that goes past the end");
  expect_problem(STR("\x0E\x00"), "a field of no type that protobuf has");
  expect_problem(STR("\x0C"), "a field of no type that protobuf has");  // The end of a group that never began.
  expect_problem(STR("\xF8\xFF\xFF\xFF\x0F\x01"), NULL);                // The largest field number.
  expect_problem(STR("\xA8\x80\x80\x80\x10\x01"), NULL);                // Of the fifth byte four bits count.
  expect_problem(STR("\x80\x80\x80\x80\x10\x01"), "field number 0");
  expect_problem(STR("\xA8\x80\x80\x80\x80\x00\x01"), "a field number that is too large");
}

static void groups(void **state)
{
  (void)state;
  expect_problem(STR("\x0B\x10\x01\x13\x14\x0C"), NULL);
  expect_problem(STR("\x0B\x10\x01"), "a group that does not end");
  expect_problem(STR("\x0B\x14"), "a group that ends as another one");
  Buffer deep = { 0 };
  for (int i = 0; i < MODEL_DEPTH; i++)
    put_key(&deep, 1, 3);
  Buffer deeper = { 0 };
  buffer_append(&deeper, buffer_str(&deep));
  put_key(&deeper, 1, 3);
  for (int i = 0; i < MODEL_DEPTH; i++)
    put_key(&deep, 1, 4);
  expect_problem(buffer_str(&deep), NULL);
  expect_problem(buffer_str(&deeper), "groups nested too deeply");
  buffer_done(&deep);
  buffer_done(&deeper);
}

/// The numbers of a TensorProto's dims, as text.
static void expect_dims(Case *c, const char *expected)
{
  Reader reader = { .source = &c->source };
  Buffer text = { 0 };
  (void)wire_of(c);
  Bulk dims = reader_bulk(&reader, reader_root(&reader, MSG_TENSOR), TENSOR_DIMS);
  uint64_t dim;
  while (bulk_number(&dims, &dim))
    buffer_printf(&text, "%lld ", (long long)dim);
  buffer_append_char(&text, '\0');
  assert_string_equal(text.data, expected);
  assert_null(reader.problem);
  buffer_done(&text);
  buffer_done(&c->bytes);
  reader_done(&reader);
}

static void packed_and_unpacked(void **state)
{
  (void)state;
  Case c = { 0 };
  put_number(&c.bytes, TENSOR_DIMS, 2);
  put_bytes(&c.bytes, TENSOR_DIMS, STR("\x03\x80\x01"));
  put_text(&c.bytes, TENSOR_NAME, "between");
  put_bytes(&c.bytes, TENSOR_DIMS, STR(""));
  put_number(&c.bytes, TENSOR_DIMS, UINT64_MAX);
  put_fixed32(&c.bytes, TENSOR_DIMS, 7);  // Of another wire type: an unknown field.
  expect_dims(&c, "2 3 128 -1 ");
}

static void packed_damage(void **state)
{
  (void)state;
  Case c = { 0 };
  put_bytes(&c.bytes, TENSOR_DIMS, STR("\x03\x80"));
  Reader reader = { .source = &c.source };
  (void)wire_of(&c);
  Bulk dims = reader_bulk(&reader, reader_root(&reader, MSG_TENSOR), TENSOR_DIMS);
  uint64_t dim;
  assert_true(bulk_number(&dims, &dim));
  assert_false(bulk_number(&dims, &dim));
  assert_string_equal(reader.problem, "a number is cut off");
  assert_int_equal(reader.problem_at, 3);
  reader_done(&reader);
  buffer_done(&c.bytes);
}

/// A single message in two pieces is one; in each of them and across them the last value counts.
static void merging(void **state)
{
  (void)state;
  Case c = { 0 };
  Buffer first = { 0 };
  Buffer second = { 0 };
  put_number(&first, TENSOR_DIMS, 1);
  put_number(&first, TENSOR_DATA_TYPE, 1);
  put_number(&second, TENSOR_DIMS, 2);
  put_number(&second, TENSOR_DATA_TYPE, 7);
  put_message(&c.bytes, ATTRIBUTE_T, &first);
  put_text(&c.bytes, ATTRIBUTE_NAME, "old");
  put_message(&c.bytes, ATTRIBUTE_T, &second);
  put_text(&c.bytes, ATTRIBUTE_NAME, "newest");
  (void)wire_of(&c);
  Reader reader = { .source = &c.source };
  FieldList attribute = reader_fields(&reader, reader_root(&reader, MSG_ATTRIBUTE));
  assert_int_equal(reader_last(&reader, &attribute, ATTRIBUTE_NAME)->value, 6);
  bool found;
  FieldList tensor = reader_only(&reader, &attribute, ATTRIBUTE_T, &found);
  assert_true(found);
  assert_int_equal(reader_number(&reader, &tensor, TENSOR_DATA_TYPE, 0), 7);
  Bulk dims = reader_bulk(&reader, tensor.message, TENSOR_DIMS);
  uint64_t a;
  uint64_t b;
  assert_true(bulk_number(&dims, &a));
  assert_true(bulk_number(&dims, &b));
  assert_int_equal(10 * a + b, 12);
  reader_done(&reader);
  buffer_done(&c.bytes);
}

/// Of alternatives the last one counts, and only its pieces after the others are merged.
static void alternatives(void **state)
{
  (void)state;
  Case c = { 0 };
  Buffer tensor = { 0 };
  put_number(&tensor, TENSOR_TYPE_ELEMENT, 1);
  put_message(&c.bytes, TYPE_TENSOR, &tensor);
  put_bytes(&c.bytes, TYPE_SEQUENCE, STR(""));
  put_text(&c.bytes, TYPE_DENOTATION, "d");
  put_bytes(&c.bytes, TYPE_TENSOR, STR(""));
  (void)wire_of(&c);
  Reader reader = { .source = &c.source };
  FieldList type = reader_fields(&reader, reader_root(&reader, MSG_TYPE));
  bool found;
  FieldList last = reader_only(&reader, &type, TYPE_TENSOR, &found);
  assert_true(found);
  assert_int_equal(reader_number(&reader, &last, TENSOR_TYPE_ELEMENT, 0), 0);
  (void)reader_only(&reader, &type, TYPE_SEQUENCE, &found);
  assert_false(found);
  reader_done(&reader);
  buffer_done(&c.bytes);
}

static void walk_counts_unknown_fields(void **state)
{
  (void)state;
  Case c = { 0 };
  Buffer graph = { 0 };
  Buffer message = { 0 };
  ModelStats stats;
  put_bytes(&graph, GRAPH_NODES, STR(""));
  put_bytes(&graph, GRAPH_NODES, STR(""));
  put_number(&graph, 99, 1);
  put_number(&graph, 99, 2);
  put_message(&c.bytes, MODEL_GRAPH, &graph);
  (void)wire_of(&c);
  assert_int_equal(model_walk(&c.source, MSG_MODEL, &stats, &message), OK);
  assert_int_equal(stats.unknown_count, 1);
  assert_int_equal(stats.unknown[0].count, 2);
  assert_int_equal(stats.unknown[0].message, MSG_GRAPH);
  assert_int_equal(message.len, 0);
  buffer_done(&c.bytes);
}

/// Types in types: 100 messages inside of the outermost one are read, as protobuf does, and not one more.
static void walk_depth(void **state)
{
  (void)state;
  for (int depth = MODEL_DEPTH; depth <= MODEL_DEPTH + 1; depth++) {
    Case c = { 0 };
    Buffer message = { 0 };
    ModelStats stats;
    for (int i = 1; i < depth; i++) {
      Buffer outer = { 0 };
      // By turns, counted from the outermost, which is a type.
      put_message(&outer, (depth - i) % 2 ? TYPE_SEQUENCE : SEQUENCE_TYPE_ELEMENT, &c.bytes);
      c.bytes = outer;
    }
    (void)wire_of(&c);
    Status status = model_walk(&c.source, MSG_TYPE, &stats, &message);
    assert_int_equal(status, depth == MODEL_DEPTH ? OK : ERR_FORMAT);
    assert_int_equal(stats.unknown_count, 0);
    buffer_done(&message);
    buffer_done(&c.bytes);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(varints),    cmocka_unit_test(short_fields),        cmocka_unit_test(problems),
    cmocka_unit_test(groups),     cmocka_unit_test(packed_and_unpacked), cmocka_unit_test(packed_damage),
    cmocka_unit_test(merging),    cmocka_unit_test(alternatives),        cmocka_unit_test(walk_counts_unknown_fields),
    cmocka_unit_test(walk_depth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
