#include "facts/wire.h"

#include "base/search.h"
#include "symbolics.pb-c.h"

/// A varint of at most ten bytes.
static bool read_varint(Str *rest, uint64_t *ret_value)
{
  uint64_t value = 0;
  for (size_t i = 0; i < rest->len && i < 10; i++) {
    unsigned char byte = (unsigned char)rest->data[i];
    value |= (uint64_t)(byte & 0x7f) << (7 * i);
    if (byte & 0x80)
      continue;
    *rest = str_slice(*rest, i + 1, rest->len);
    *ret_value = value;
    return true;
  }
  return false;
}

static bool read_fixed(Str *rest, size_t size, uint64_t *ret_value)
{
  if (rest->len < size)
    return false;
  *ret_value = size == 8 ? wire_u64(*rest, 0) : wire_u32(*rest, 0);
  *rest = str_slice(*rest, size, rest->len);
  return true;
}

static bool read_value(Str *rest, unsigned type, WireField *field)
{
  if (type == 0)
    return read_varint(rest, &field->value);
  if (type == 1 || type == 5)
    return read_fixed(rest, type == 1 ? 8 : 4, &field->value);
  uint64_t len;
  if (type != 2 || !read_varint(rest, &len) || len > rest->len)
    return false;
  field->bytes = str_slice(*rest, 0, (size_t)len);
  field->is_bytes = true;
  *rest = str_slice(*rest, (size_t)len, rest->len);
  return true;
}

bool wire_next(Wire *wire, WireField *ret_field)
{
  if (wire->is_broken || wire->rest.len == 0)
    return false;
  uint64_t key;
  WireField field = { 0 };
  if (!read_varint(&wire->rest, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX ||
      !read_value(&wire->rest, key & 7, &field)) {
    wire->is_broken = true;
    return false;
  }
  field.number = (uint32_t)(key >> 3);
  *ret_field = field;
  return true;
}

size_t wire_member(const ProtobufCMessageDescriptor *message, const WireField *field)
{
  const ProtobufCFieldDescriptor *known = protobuf_c_message_descriptor_get_field(message, field->number);
  return known ? known->offset : 0;
}

bool blobs_init(Blobs *blobs, Str message, Str data)
{
  *blobs = (Blobs){ 0 };
  uint64_t start = 0;
  Wire wire = { .rest = message };
  WireField field;
  while (wire_next(&wire, &field)) {
    switch (wire_member(&symbolics__blobs__descriptor, &field)) {
    case offsetof(Symbolics__Blobs, ends):
      blobs->ends = field.bytes;
      break;
    case offsetof(Symbolics__Blobs, start):
      start = field.value;
      break;
    }
  }
  if (wire.is_broken || blobs->ends.len % 4 != 0 || data.len > UINT32_MAX || start > data.len)
    return false;
  blobs->data = data.data ? str_slice(data, (size_t)start, data.len) : STR("");
  blobs->count = (uint32_t)(blobs->ends.len / 4);
  uint32_t before = 0;
  for (uint32_t i = 0; i < blobs->count; i++) {
    uint32_t end = wire_u32(blobs->ends, i);
    if (end < before || end > blobs->data.len)
      return false;
    before = end;
  }
  return true;
}

uint32_t blobs_find(const Blobs *blobs, uint32_t first, uint32_t count, Str key, bool *ret_found)
{
  uint32_t at;
  SEARCH_FIRST(at, first, first + count, str_compare(blobs_at(blobs, at), key) < 0);
  *ret_found = at < first + count && str_equal(blobs_at(blobs, at), key);
  return at;
}

bool blobs_is_sorted(const Blobs *blobs, uint32_t first, uint32_t count)
{
  for (uint32_t i = 1; i < count; i++) {
    if (str_compare(blobs_at(blobs, first + i - 1), blobs_at(blobs, first + i)) >= 0)
      return false;
  }
  return true;
}
