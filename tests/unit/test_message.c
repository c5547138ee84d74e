// Messages: what JSON-RPC allows, what is refused and how, and texts that are lifted out of the JSON.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "rpc/lift.h"
#include "rpc/message.h"
#include "rpc/writer.h"

static Message *parse(Str text)
{
  return message_parse(xstrdup_str(text), text.len);
}

static void check_kind(const char *text, MessageKind kind, const char *id)
{
  Message *message = parse(str_from(text));
  assert_int_equal(message_kind(message), kind);
  assert_true(str_equal(message_id(message), str_from(id)));
  message_free(message);
}

static void check_refused(Str text, RpcError error, const char *id)
{
  Message *message = parse(text);
  assert_int_equal(message_kind(message), MESSAGE_INVALID);
  assert_int_equal(message_error(message), error);
  assert_true(str_equal(message_id(message), str_from(id)));
  assert_true(strlen(message_error_text(message)) > 0);
  message_free(message);
}

#define REFUSED(text, error, id) check_refused(STR(text), error, id)

static void test_kinds(void **state)
{
  check_kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}", MESSAGE_REQUEST, "1");
  check_kind("{\"jsonrpc\":\"2.0\",\"id\":\"x\\\"\",\"method\":\"a\",\"params\":[]}", MESSAGE_REQUEST, "\"x\\\"\"");
  check_kind("{\"jsonrpc\":\"2.0\",\"id\":3.0,\"method\":\"a\",\"params\":null}", MESSAGE_REQUEST, "3.0");
  check_kind("{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{}}", MESSAGE_NOTIFICATION, "null");
  check_kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", MESSAGE_RESPONSE, "1");
  check_kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", MESSAGE_RESPONSE, "1");
  check_kind(" \r\n{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"\"}\n ", MESSAGE_REQUEST, "-7");
}

static void test_not_json(void **state)
{
  REFUSED("", RPC_PARSE_ERROR, "null");
  REFUSED("{", RPC_PARSE_ERROR, "null");
  REFUSED("{\"a\":1}}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"a\":'x'}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"a\":\"\x01\"}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"a\":\"\xff\"}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"a\":1e999}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"a\":99999999999999999999}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"a\\u0000\":1}", RPC_PARSE_ERROR, "null");
}

static void test_not_a_message(void **state)
{
  REFUSED("[]", RPC_INVALID_REQUEST, "null");
  REFUSED("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}]", RPC_INVALID_REQUEST, "null");
  REFUSED("17", RPC_INVALID_REQUEST, "null");
  REFUSED("{}", RPC_INVALID_REQUEST, "null");
  REFUSED("{\"id\":1,\"method\":\"a\"}", RPC_INVALID_REQUEST, "1");
  REFUSED("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"a\"}", RPC_INVALID_REQUEST, "1");
  REFUSED("{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_INVALID_REQUEST, "1");
  REFUSED("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", RPC_INVALID_REQUEST, "null");
  REFUSED("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}", RPC_INVALID_REQUEST, "null");
  REFUSED("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"a\"}", RPC_INVALID_REQUEST, "null");
  REFUSED("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":2}", RPC_INVALID_REQUEST, "1");
  REFUSED("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\u0000b\"}", RPC_INVALID_REQUEST, "1");
  REFUSED("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":7}", RPC_INVALID_PARAMS, "1");
}

static Buffer repeated(Str open, size_t count, Str middle, Str close)
{
  Buffer text = { 0 };
  for (size_t i = 0; i < count; i++)
    buffer_append(&text, open);
  buffer_append(&text, middle);
  for (size_t i = 0; i < count; i++)
    buffer_append(&text, close);
  return text;
}

static void test_limits(void **state)
{
  Buffer deep = repeated(STR("["), LIFT_DEPTH_LIMIT + 1, STR("1"), STR("]"));
  check_refused(buffer_str(&deep), RPC_PARSE_ERROR, "null");
  buffer_done(&deep);
  Buffer fine = repeated(STR("["), LIFT_DEPTH_LIMIT, STR("1"), STR("]"));
  check_refused(buffer_str(&fine), RPC_INVALID_REQUEST, "null");  // JSON, if no message.
  buffer_done(&fine);
  Buffer wide = repeated(STR("[1"), 1, STR(""), STR(""));
  for (size_t i = 0; i < LIFT_VALUE_LIMIT; i++)
    buffer_append(&wide, STR(",1"));
  buffer_append(&wide, STR("]"));
  check_refused(buffer_str(&wide), RPC_INVALID_REQUEST, "null");
  buffer_done(&wide);
  // Brackets in strings do not count.
  Buffer quoted = repeated(STR("["), 5000, STR(""), STR(""));
  Buffer text = { 0 };
  buffer_printf(&text, "{\"jsonrpc\":\"2.0\",\"method\":\"%.*s\"}", STR_ARG(buffer_str(&quoted)));
  Message *message = parse(buffer_str(&text));
  assert_int_equal(message_kind(message), MESSAGE_NOTIFICATION);
  message_free(message);
  buffer_done(&quoted);
  buffer_done(&text);
}

// The text in params of a notification, decoded.
static void check_text(const char *json, Str expected)
{
  Buffer body = { 0 };
  buffer_printf(
      &body,
      "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"before\":\"\\ud800\",\"text\" :\n \"%s\",\"after\":[1]}}",
      json);
  Message *message = parse(buffer_str(&body));
  buffer_done(&body);
  Str text;
  assert_int_equal(message_kind(message), MESSAGE_NOTIFICATION);
  assert_true(message_text(message, value_get(message_params(message), "text"), &text));
  assert_true(str_equal(text, expected));
  assert_int_equal(value_count(value_get(message_params(message), "after")), 1);
  Str before;
  assert_true(value_to_str(value_get(message_params(message), "before"), &before));
  assert_true(str_equal(before, STR("\xef\xbf\xbd")));
  char *taken = message_take_text(message, text);
  assert_memory_equal(taken, expected.data, expected.len);
  free(taken);
  message_free(message);
}

static void test_texts(void **state)
{
  check_text("", STR(""));
  check_text("plain", STR("plain"));
  check_text("0123456789abcdef\\n0123456789abcdef\\u0041", STR("0123456789abcdef\n0123456789abcdefA"));
  check_text("\\\" \\\\ \\/ \\b \\f \\n \\r \\t", STR("\" \\ / \b \f \n \r \t"));
  check_text("\\u0000|\\u007f|\\u0080|\\u07ff|\\u0800|\\uffff",
             STR("\0|\x7f|\xc2\x80|\xdf\xbf|\xe0\xa0\x80|\xef\xbf\xbf"));
  check_text("\\ud83d\\ude00 \\uD83D\\uDE00 \xf0\x9f\x98\x80",
             STR("\xf0\x9f\x98\x80 \xf0\x9f\x98\x80 \xf0\x9f\x98\x80"));
  check_text("\\ud83d|\\ude00|\\ud83d\\ud83d\\ude00|\\ud83dx",
             STR("\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xf0\x9f\x98\x80|\xef\xbf\xbdx"));
  check_text("{\\\"text\\\":\\\"inner\\\"}", STR("{\"text\":\"inner\"}"));
}

static void test_bad_texts(void **state)
{
  REFUSED("{\"text\":\"", RPC_PARSE_ERROR, "null");
  REFUSED("{\"text\":\"a\\", RPC_PARSE_ERROR, "null");
  REFUSED("{\"text\":\"a\\x\"}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"text\":\"a\\u12g4\"}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"text\":\"a\\u12", RPC_PARSE_ERROR, "null");
  REFUSED("{\"text\":\"a\nb\"}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"text\":\"0123456\xc3\"}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"text\":\"\xed\xa0\x80\"}", RPC_PARSE_ERROR, "null");
  REFUSED("{\"text\":\"\xc0\x80\"}", RPC_PARSE_ERROR, "null");
}

// Every place for a special byte relative to the eight bytes that are looked at together.
static void test_text_alignment(void **state)
{
  for (size_t before = 0; before < 20; before++) {
    Buffer json = { 0 };
    Buffer expected = { 0 };
    for (size_t i = 0; i < before; i++) {
      buffer_append_char(&json, 'x');
      buffer_append_char(&expected, 'x');
    }
    buffer_append(&json, STR("\\n\xc3\xa9\\u00e9 tail of some length"));
    buffer_append(&expected, STR("\n\xc3\xa9\xc3\xa9 tail of some length"));
    buffer_append_char(&json, '\0');
    check_text(json.data, buffer_str(&expected));
    buffer_done(&json);
    buffer_done(&expected);
  }
}

static void test_several_texts(void **state)
{
  Message *message =
      parse(STR("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[{\"text\":\"one\"},{\"text\":\"t\\u0077o\"},"
                "{\"text\":3},{\"context\":\"three\"}]}"));
  const Value *list = message_params(message);
  Str text;
  assert_true(message_text(message, value_get(value_at(list, 0), "text"), &text));
  assert_true(str_equal(text, STR("one")));
  assert_true(message_text(message, value_get(value_at(list, 1), "text"), &text));
  assert_true(str_equal(text, STR("two")));
  assert_false(message_text(message, value_get(value_at(list, 2), "text"), &text));
  assert_true(message_text(message, value_get(value_at(list, 3), "context"), &text));
  assert_true(str_equal(text, STR("three")));
  message_free(message);
}

static void check_written(Str text, const char *expected)
{
  Buffer out = { 0 };
  Writer writer = { .out = &out };
  writer_str(&writer, text);
  assert_true(str_equal(buffer_str(&out), str_from(expected)));
  buffer_done(&out);
}

static void test_writer(void **state)
{
  check_written(STR("plain \xc3\xa9 \xf0\x9f\x98\x80"), "\"plain \xc3\xa9 \xf0\x9f\x98\x80\"");
  check_written(STR("\" \\ \n \r \t \0 \x1f \x7f"), "\"\\\" \\\\ \\n \\r \\t \\u0000 \\u001f \x7f\"");
  check_written(STR("a\xff"
                    "b\xc3"),
                "\"a\xef\xbf\xbd"
                "b\xef\xbf\xbd\"");
  Buffer out = { 0 };
  Writer writer = { .out = &out };
  writer_open(&writer, '[');
  writer_int(&writer, INT64_MIN);
  writer_int(&writer, 0);
  writer_open(&writer, '{');
  writer_close(&writer, '}');
  writer_open(&writer, '{');
  writer_member_bool(&writer, "a", true);
  writer_key(&writer, "b");
  writer_null(&writer);
  writer_close(&writer, '}');
  writer_close(&writer, ']');
  assert_true(str_equal(buffer_str(&out), STR("[-9223372036854775808,0,{},{\"a\":true,\"b\":null}]")));
  buffer_done(&out);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_kinds),          cmocka_unit_test(test_not_json),      cmocka_unit_test(test_not_a_message),
    cmocka_unit_test(test_limits),         cmocka_unit_test(test_texts),         cmocka_unit_test(test_bad_texts),
    cmocka_unit_test(test_text_alignment), cmocka_unit_test(test_several_texts), cmocka_unit_test(test_writer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
