#include "base/buffer.h"

#include <stdio.h>

#include "base/vec.h"

void buffer_done(Buffer *buffer)
{
  if (!buffer)
    return;
  free(buffer->data);
  *buffer = (Buffer){ 0 };
}

static void reserve(Buffer *buffer, size_t more)
{
  enum { FIRST_ROOM = 120 };
  size_t want = buffer->len + more;
  buffer->data = vec_grow_(buffer->data, 1, want < FIRST_ROOM ? FIRST_ROOM : want, &buffer->capacity);
}

void buffer_append(Buffer *buffer, Str s)
{
  if (s.len == 0)
    return;
  reserve(buffer, s.len);
  memcpy(buffer->data + buffer->len, s.data, s.len);
  buffer->len += s.len;
}

void buffer_append_char(Buffer *buffer, char c)
{
  reserve(buffer, 1);
  buffer->data[buffer->len++] = c;
}

char *buffer_room(Buffer *buffer, size_t bytes)
{
  reserve(buffer, bytes);
  return buffer->data + buffer->len;
}

void buffer_printf(Buffer *buffer, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  buffer_vprintf(buffer, format, args);
  va_end(args);
}

void buffer_vprintf(Buffer *buffer, const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, format, args);
  if (len > 0) {
    // One byte more for the NUL that vsnprintf always writes.
    reserve(buffer, (size_t)len + 1);
    vsnprintf(buffer->data + buffer->len, (size_t)len + 1, format, again);
    buffer->len += (size_t)len;
  }
  va_end(again);
}
