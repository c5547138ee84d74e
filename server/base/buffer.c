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

void buffer_grow(Buffer *buffer, size_t bytes)
{
  enum { FIRST_ROOM = 120 };
  size_t want = buffer->len + bytes;
  buffer->data = vec_grow_(buffer->data, 1, want < FIRST_ROOM ? FIRST_ROOM : want, &buffer->capacity);
}

char *buffer_room(Buffer *buffer, size_t bytes)
{
  buffer_grow(buffer, bytes);
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
    buffer_grow(buffer, (size_t)len + 1);
    vsnprintf(buffer->data + buffer->len, (size_t)len + 1, format, again);
    buffer->len += (size_t)len;
  }
  va_end(again);
}
