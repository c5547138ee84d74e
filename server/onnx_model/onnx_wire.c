#include "onnx_model/onnx_wire.h"

#include "base/limits.h"

static bool bad(Wire *wire, const char *problem, uint64_t at)
{
  wire->problem = problem;
  wire->problem_at = at;
  wire->at = wire->end;
  return false;
}

/// Too little is left for a number: because the message ends there, or because the file could not be read.
static bool cut(Wire *wire, uint64_t at)
{
  return bad(wire, wire->source->problem ? wire->source->problem : "a number is cut off", at);
}

static bool long_varint(Wire *wire, uint64_t *ret_value)
{
  size_t len;
  uint64_t start = wire->at;
  uint64_t rest = wire->end - start;
  const char *bytes = source_at(wire->source, start, MODEL_VARINT_BYTES, &len);
  if (len > rest)
    len = (size_t)rest;
  if (len > MODEL_VARINT_BYTES)
    len = MODEL_VARINT_BYTES;
  uint64_t value = 0;
  for (size_t i = 0; i < len; i++) {
    uint8_t byte = (uint8_t)bytes[i];
    value |= (uint64_t)(byte & 0x7F) << (7 * i);  // Of the tenth byte one bit counts, as in protobuf.
    if (byte < 0x80) {
      wire->at = start + i + 1;
      *ret_value = value;
      return true;
    }
  }
  return len == MODEL_VARINT_BYTES ? bad(wire, "a number of more than 10 bytes", start) : cut(wire, start);
}

/// Most are one byte, and in the window.
static inline bool read_varint(Wire *wire, uint64_t *ret_value)
{
  const Source *source = wire->source;
  uint64_t at = wire->at;
  if (at < wire->end && at >= source->window_start && at < source->window_end) {
    uint8_t byte = (uint8_t)source->window[at - source->window_start];
    if (byte < 0x80) {
      wire->at = at + 1;
      *ret_value = byte;
      return true;
    }
  }
  return long_varint(wire, ret_value);
}

bool wire_varint(Wire *wire, uint64_t *ret_value)
{
  return read_varint(wire, ret_value);
}

bool wire_fixed(Wire *wire, size_t size, uint64_t *ret_value)
{
  size_t len;
  uint64_t start = wire->at;
  const char *bytes = source_at(wire->source, start, size, &len);
  if (wire->end - start < size || len < size)
    return cut(wire, start);
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++)
    value |= (uint64_t)(uint8_t)bytes[i] << (8 * i);
  wire->at = start + size;
  *ret_value = value;
  return true;
}

static bool read_key(Wire *wire, Field *ret_field)
{
  uint64_t start = wire->at;
  uint64_t key = 0;
  if (!read_varint(wire, &key))
    return false;
  if (wire->at - start > MODEL_KEY_BYTES)
    return bad(wire, "a field number that is too large", start);
  key = (uint32_t)key;  // As protobuf reads it.
  if (key >> 3 == 0)
    return bad(wire, "field number 0", start);
  ret_field->number = (uint32_t)(key >> 3);
  ret_field->wire = (WireType)(key & 7);
  ret_field->start = wire->at;
  return true;
}

/// The payload of anything but a group.
static bool read_payload(Wire *wire, Field *field)
{
  bool is_good = true;
  switch (field->wire) {
  case WIRE_VARINT:
    is_good = read_varint(wire, &field->value);
    break;
  case WIRE_FIXED64:
    is_good = wire_fixed(wire, 8, &field->value);
    break;
  case WIRE_FIXED32:
    is_good = wire_fixed(wire, 4, &field->value);
    break;
  case WIRE_BYTES:
    if (!read_varint(wire, &field->value))
      return false;
    if (field->value > wire->end - wire->at)
      return bad(wire, "a length that goes past the end", field->start);
    field->start = wire->at;
    wire->at += field->value;
    break;
  default:
    is_good = bad(wire, "a field of no type that protobuf has", field->start);
  }
  return is_good;
}

/// From after the key that opens a group to after the one that closes it.
static bool skip_group(Wire *wire, Field *field)
{
  uint32_t open[MODEL_DEPTH];
  size_t depth = 0;
  open[depth++] = field->number;
  while (depth > 0) {
    Field inner = { 0 };
    if (wire->at >= wire->end)
      return bad(wire, "a group that does not end", field->start);
    if (!read_key(wire, &inner))
      return false;
    if (inner.wire == WIRE_GROUP_END) {
      if (inner.number != open[--depth])
        return bad(wire, "a group that ends as another one", inner.start);
    } else if (inner.wire == WIRE_GROUP) {
      if (depth == MODEL_DEPTH)
        return bad(wire, "groups nested too deeply", inner.start);
      open[depth++] = inner.number;
    } else if (!read_payload(wire, &inner)) {
      return false;
    }
  }
  field->value = wire->at - field->start;
  return true;
}

WireResult wire_next_long_field(Wire *wire, Field *ret_field)
{
  if (wire->problem)
    return WIRE_BAD;
  if (wire->at >= wire->end)
    return WIRE_END;
  *ret_field = (Field){ 0 };
  if (!read_key(wire, ret_field))
    return WIRE_BAD;
  bool is_good = ret_field->wire == WIRE_GROUP ? skip_group(wire, ret_field) : read_payload(wire, ret_field);
  return is_good ? WIRE_FIELD : WIRE_BAD;
}
