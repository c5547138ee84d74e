// Any bytes, in two ways of cutting them: the same events must come out, and whatever was sent, a client that then
// behaves must be heard.
#include <stdlib.h>

#include "base/buffer.h"
#include "rpc/frame.h"

enum { LIMIT = 4096 };

static void check(bool is_true)
{
  if (!is_true)
    abort();
}

static void note(Buffer *events, const FrameEvent *event)
{
  if (event->kind == FRAME_BODY) {
    check(event->body && event->body_len <= LIMIT);
    buffer_printf(events, "body %zu ", event->body_len);
    buffer_append(events, str_make(event->body, event->body_len));
  } else {
    buffer_printf(events, "problem %d", event->problem);
  }
  buffer_append_char(events, '\n');
}

static void feed(FrameDecoder *decoder, Str bytes, Buffer *events)
{
  for (;;) {
    FrameEvent event = frame_decoder_next(decoder, &bytes);
    if (event.kind == FRAME_MORE)
      break;
    note(events, &event);
    free(event.body);
  }
  check(bytes.len == 0);
}

static Buffer decode(Str bytes, const uint8_t *sizes, size_t size_count)
{
  static const Str good = STR_INIT("Content-Length: 2\r\n\r\n{}");
  FrameDecoder decoder;
  Buffer events = { 0 };
  frame_decoder_init(&decoder, LIMIT);
  for (size_t at = 0, i = 0; at < bytes.len; i++) {
    size_t piece = size_count > 0 ? sizes[i % size_count] + 1u : bytes.len;
    feed(&decoder, str_slice(bytes, at, at + piece), &events);
    at += piece;
  }
  // What came before may swallow the first good message, and in bad luck the second.
  for (int i = 0; i < 3; i++)
    feed(&decoder, good, &events);
  check(str_ends_with(buffer_str(&events), STR("body 2 {}\n")));
  frame_decoder_done(&decoder);
  return events;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  size_t size_count = size < 4 ? size : 4;
  Str bytes = str_make((const char *)data + size_count, size - size_count);
  Buffer whole = decode(bytes, NULL, 0);
  Buffer cut = decode(bytes, data, size_count);
  check(str_equal(buffer_str(&whole), buffer_str(&cut)));
  buffer_done(&whole);
  buffer_done(&cut);
  return 0;
}
