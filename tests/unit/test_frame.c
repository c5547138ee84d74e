// The framer: every way to write a header, every way to cut the bytes, and the way back from every mistake.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "base/vec.h"
#include "rpc/frame.h"

typedef struct Seen {
  Vec(char *) events;  ///< "body TEXT" or "problem N".
  size_t bodies;
} Seen;

static void note(Seen *seen, const FrameEvent *event)
{
  Buffer text = { 0 };
  if (event->kind == FRAME_BODY)
    buffer_printf(&text, "body %.*s", (int)event->body_len, event->body);
  else
    buffer_printf(&text, "problem %d", event->problem);
  vec_push(&seen->events, xstrdup_str(buffer_str(&text)));
  seen->bodies += event->kind == FRAME_BODY;
  buffer_done(&text);
}

static void feed(FrameDecoder *decoder, Str bytes, Seen *seen)
{
  for (;;) {
    FrameEvent event = frame_decoder_next(decoder, &bytes);
    if (event.kind == FRAME_MORE)
      return;
    note(seen, &event);
    free(event.body);
  }
}

static void seen_done(Seen *seen)
{
  for (size_t i = 0; i < seen->events.count; i++)
    free(seen->events.items[i]);
  vec_free(&seen->events);
}

static Seen decode(Str bytes, size_t limit, size_t piece)
{
  FrameDecoder decoder;
  Seen seen = { 0 };
  frame_decoder_init(&decoder, limit);
  for (size_t at = 0; at < bytes.len; at += piece)
    feed(&decoder, str_slice(bytes, at, at + piece), &seen);
  frame_decoder_done(&decoder);
  return seen;
}

// However the bytes are cut, the events are these; the list ends with NULL.
static void check(Str bytes, size_t limit, const char *const *expected)
{
  static const size_t pieces[] = { 1, 2, 3, 7, 64, SIZE_MAX / 2 };
  for (size_t i = 0; i < COUNT(pieces); i++) {
    Seen seen = decode(bytes, limit, pieces[i]);
    size_t count = 0;
    for (; expected[count]; count++) {
      assert_true(count < seen.events.count);
      assert_string_equal(seen.events.items[count], expected[count]);
    }
    assert_int_equal(seen.events.count, count);
    seen_done(&seen);
  }
}

#define CHECK(text, limit, ...) check(STR(text), limit, (const char *const[]){ __VA_ARGS__, NULL })
#define GARBAGE                 "problem 0"
#define NO_LENGTH               "problem 1"
#define BAD_LENGTH              "problem 2"
#define TOO_LARGE               "problem 3"

static void test_headers(void **state)
{
  CHECK("Content-Length: 2\r\n\r\n{}", 100, "body {}");
  CHECK("Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", 100, "body {}", "body [1]");
  CHECK("content-length: 2\r\n\r\n{}", 100, "body {}");
  CHECK("CONTENT-LENGTH:2\n\n{}", 100, "body {}");
  CHECK("Content-Length \t: \t 2 \t\r\n\r\n{}", 100, "body {}");
  CHECK("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}", 100, "body {}");
  CHECK("X-Content-Length: 9\r\nContent-Length: 2\r\n\r\n{}", 100, "body {}");
  CHECK("Content-Length: 9\r\nContent-Length: 2\r\n\r\n{}", 100, "body {}");
  CHECK("\r\n\r\n\nContent-Length: 2\r\n\r\n{}\r\n\r\n", 100, "body {}");
  CHECK("Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", 100, "body ", "body {}");
  CHECK("Content-Length: 00000000000000000000000002\r\n\r\n{}", 100, "body {}");
}

static void test_bad_headers(void **state)
{
  CHECK("Content-Length: x\r\n\r\n{}Content-Length: 2\r\n\r\n{}", 100, BAD_LENGTH, "body {}");
  CHECK("Content-Length: -2\r\n\r\n{}Content-Length: 2\r\n\r\n{}", 100, BAD_LENGTH, "body {}");
  CHECK("Content-Length:\r\n\r\n{}Content-Length: 2\r\n\r\n{}", 100, BAD_LENGTH, "body {}");
  CHECK("A: b\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}", 100, NO_LENGTH, "body {}");
  CHECK("junk\r\nmore junk\r\n\r\nContent-Length: 2\r\n\r\n{}", 100, GARBAGE, "body {}");
  CHECK("junk Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]", 100, GARBAGE, "body {}", "body []");
  CHECK("\x00\xff\x80\nContent-Length: 2\r\n\r\n{}", 100, GARBAGE, "body {}");
}

static void test_wrong_lengths(void **state)
{
  // Too short: the rest is passed over.
  CHECK("Content-Length: 5\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}", 100, "body {\"a\":", GARBAGE, "body {}");
  // Too long: the next header ends the body, wherever the length would have cut.
  CHECK("Content-Length: 8\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}", 100, "body {\"a\":1}", "body {}");
  CHECK("Content-Length: 20\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}", 100, "body {\"a\":1}", "body {}");
  CHECK("Content-Length: 24\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}", 100, "body {\"a\":1}", "body {}");
  CHECK("Content-Length: 28\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}", 100, "body {\"a\":1}", "body {}");
  CHECK("Content-Length: 90\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}", 100, "body {\"a\":1}", "body {}");
  // Line ends are fine in a body, and so is the word in a string.
  CHECK("Content-Length: 36\r\n\r\n{\n \"Content-Length: 7\\n\": 1,\n \"b\":2}", 100,
        "body {\n \"Content-Length: 7\\n\": 1,\n \"b\":2}");
}

static void test_too_large(void **state)
{
  CHECK("Content-Length: 8\r\n\r\n12345678Content-Length: 2\r\n\r\n{}", 7, TOO_LARGE, "body {}");
  CHECK("Content-Length: 99999999999999\r\n\r\n{}Content-Length: 2\r\n\r\n{}", 7, TOO_LARGE, "body {}");
  CHECK("Content-Length: 99999999999999999999999999\r\n\r\n{}\nContent-Length: 2\r\n\r\n{}", 7, TOO_LARGE, "body {}");
  CHECK("Content-Length: 12\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}", 7, TOO_LARGE, "body {}");
  CHECK("Content-Length: 8\r\n\r\n123456\r\nContent-Length: 9\r\n\r\n123456789Content-Length: 2\r\n\r\n{}", 7,
        TOO_LARGE, TOO_LARGE, "body {}");
}

static void test_says_how_large(void **state)
{
  FrameDecoder decoder;
  Str bytes = STR("Content-Length: 12345\r\n\r\n");
  frame_decoder_init(&decoder, 100);
  FrameEvent event = frame_decoder_next(&decoder, &bytes);
  assert_int_equal(event.kind, FRAME_PROBLEM);
  assert_int_equal(event.length, 12345);
  frame_decoder_done(&decoder);
}

// A length that lies must not cost what it promises.
static void test_length_is_only_a_promise(void **state)
{
  FrameDecoder decoder;
  Seen seen = { 0 };
  frame_decoder_init(&decoder, FRAME_LIMIT);
  feed(&decoder, STR("Content-Length: 500000000\r\n\r\n{\"a\""), &seen);
  assert_true(decoder.body_capacity <= 1024 * 1024);
  frame_decoder_done(&decoder);
  assert_int_equal(seen.events.count, 0);
  seen_done(&seen);
}

// 8 MB a byte at a time: it must take time in proportion to the bytes, and that is what the test's time limit sees.
static void test_eight_megabytes_by_byte(void **state)
{
  enum { SIZE = 8 * 1024 * 1024 };
  Buffer bytes = { 0 };
  buffer_printf(&bytes, "Content-Length: %d\r\n\r\n", SIZE);
  for (size_t i = 0; i < SIZE; i++)
    buffer_append_char(&bytes, i % 100 == 99 ? '\n' : (char)('0' + i % 10));
  Seen seen = decode(buffer_str(&bytes), FRAME_LIMIT, 1);
  assert_int_equal(seen.bodies, 1);
  assert_int_equal(seen.events.count, 1);
  size_t start = str_find(buffer_str(&bytes), STR("\r\n\r\n"), 0) + 4;
  assert_memory_equal(seen.events.items[0] + strlen("body "), bytes.data + start, SIZE);
  seen_done(&seen);
  buffer_done(&bytes);
}

static void test_endless_header_line(void **state)
{
  Buffer bytes = { 0 };
  for (size_t i = 0; i < 1000 * 1000; i++)
    buffer_append_char(&bytes, 'x');
  buffer_append(&bytes, STR(" Content-Length: 2\r\n\r\n{}"));
  check(buffer_str(&bytes), 100, (const char *const[]){ GARBAGE, "body {}", NULL });
  buffer_done(&bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_headers),
    cmocka_unit_test(test_bad_headers),
    cmocka_unit_test(test_wrong_lengths),
    cmocka_unit_test(test_too_large),
    cmocka_unit_test(test_says_how_large),
    cmocka_unit_test(test_length_is_only_a_promise),
    cmocka_unit_test(test_eight_megabytes_by_byte),
    cmocka_unit_test(test_endless_header_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
