// Writing the wire format for tests: each function appends one field.
#pragma once

#include "base/buffer.h"

static inline void put_varint(Buffer *out, uint64_t value)
{
  while (value >= 0x80) {
    buffer_append_char(out, (char)(value | 0x80));
    value >>= 7;
  }
  buffer_append_char(out, (char)value);
}

static inline void put_key(Buffer *out, uint32_t number, unsigned wire)
{
  put_varint(out, (uint64_t)number << 3 | wire);
}

static inline void put_number(Buffer *out, uint32_t number, uint64_t value)
{
  put_key(out, number, 0);
  put_varint(out, value);
}

static inline void put_bytes(Buffer *out, uint32_t number, Str bytes)
{
  put_key(out, number, 2);
  put_varint(out, bytes.len);
  buffer_append(out, bytes);
}

static inline void put_text(Buffer *out, uint32_t number, const char *text)
{
  put_bytes(out, number, str_from(text));
}

static inline void put_fixed32(Buffer *out, uint32_t number, uint32_t value)
{
  put_key(out, number, 5);
  for (unsigned i = 0; i < 4; i++)
    buffer_append_char(out, (char)(value >> (8 * i)));
}

/// Appends `inner` as a message and empties it.
static inline void put_message(Buffer *out, uint32_t number, Buffer *inner)
{
  put_bytes(out, number, buffer_str(inner));
  buffer_done(inner);
}
