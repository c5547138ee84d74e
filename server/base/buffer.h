/// A growable byte string for building text.
///
/// Ownership: owns `data`; zeroed memory is an empty buffer.
/// Units:     bytes.
/// Threads:   one thread at a time.
#pragma once

#include "base/memory.h"

typedef struct Buffer {
  char *data;  ///< Not NUL-terminated; NULL while empty.
  size_t len;
  size_t capacity;
} Buffer;

void buffer_done(Buffer *buffer);
/// Makes room for so many bytes after the text.
void buffer_grow(Buffer *buffer, size_t bytes);

static inline void buffer_append(Buffer *buffer, Str s)
{
  if (s.len == 0)
    return;
  if (s.len > buffer->capacity - buffer->len)
    buffer_grow(buffer, s.len);
  memcpy(buffer->data + buffer->len, s.data, s.len);
  buffer->len += s.len;
}

static inline void buffer_append_char(Buffer *buffer, char c)
{
  if (buffer->len == buffer->capacity)
    buffer_grow(buffer, 1);
  buffer->data[buffer->len++] = c;
}

static inline void buffer_append_spaces(Buffer *buffer, size_t count)
{
  while (count-- > 0)
    buffer_append_char(buffer, ' ');
}

/// At least so many bytes after the text, for read() and its like. Whoever fills them adds them to `len`.
char *buffer_room(Buffer *buffer, size_t bytes);
void buffer_printf(Buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);
void buffer_vprintf(Buffer *buffer, const char *format, va_list args);

static inline Str buffer_str(const Buffer *buffer)
{
  return str_make(buffer->data, buffer->len);
}
