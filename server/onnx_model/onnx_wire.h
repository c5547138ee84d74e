/// The wire format of protobuf: keys, varints, lengths, groups, packed numbers.
///
/// Ownership: borrows the source.
/// Units:     byte offsets into the file.
/// Errors:    WIRE_BAD once and for all, with `problem` (a few words) and where it is. Nothing is trusted: a length is
///            compared with what is left before it is used.
/// Threads:   one thread at a time.
/// Sources:   protobuf's encoding guide.
#pragma once

#include "onnx_model/source.h"

typedef enum WireType {
  WIRE_VARINT = 0,
  WIRE_FIXED64 = 1,
  WIRE_BYTES = 2,
  WIRE_GROUP = 3,
  WIRE_GROUP_END = 4,
  WIRE_FIXED32 = 5,
} WireType;

typedef struct Field {
  uint64_t start;  ///< Of the payload.
  uint64_t value;  ///< The number itself, or the length of WIRE_BYTES and WIRE_GROUP.
  uint32_t number;
  WireType wire;
} Field;

typedef struct Wire {
  Source *source;
  uint64_t at;
  uint64_t end;
  const char *problem;
  uint64_t problem_at;
} Wire;

typedef enum WireResult {
  WIRE_FIELD,
  WIRE_END,
  WIRE_BAD,
} WireResult;

static inline Wire wire_over(Source *source, uint64_t start, uint64_t end)
{
  return (Wire){ .source = source, .at = start, .end = end };
}

/// As wire_next_field(), of any field.
WireResult wire_next_long_field(Wire *wire, Field *ret_field);

/// Nearly every field: a key of one byte, then a number or a length of one byte or two, all in the window. False leaves
/// everything as it was.
static inline bool wire_next_short_field(Wire *wire, Field *ret_field)
{
  enum { LONGEST = 3 };
  const Source *source = wire->source;
  uint64_t at = wire->at;
  if (wire->end < at + LONGEST || at < source->window_start || at + LONGEST > source->window_end)
    return false;
  const uint8_t *bytes = (const uint8_t *)source->window + (at - source->window_start);
  WireType type = (WireType)(bytes[0] & 7);
  bool is_long = bytes[1] >= 0x80;
  if (bytes[0] >= 0x80 || bytes[0] < 8 || (type != WIRE_VARINT && type != WIRE_BYTES) || (is_long && bytes[2] >= 0x80))
    return false;
  uint64_t value = is_long ? (uint64_t)(bytes[1] & 0x7F) | (uint64_t)bytes[2] << 7 : bytes[1];
  uint64_t after = at + (is_long ? 3 : 2);
  if (type == WIRE_BYTES && value > wire->end - after)
    return false;
  *ret_field = (Field){ type == WIRE_BYTES ? after : at + 1, value, bytes[0] >> 3, type };
  wire->at = type == WIRE_BYTES ? after + value : after;
  return true;
}

/// The next field; `at` is after it then. A group counts as one field.
static inline WireResult wire_next_field(Wire *wire, Field *ret_field)
{
  if (wire->problem)
    return WIRE_BAD;
  if (wire->at >= wire->end)
    return WIRE_END;
  return wire_next_short_field(wire, ret_field) ? WIRE_FIELD : wire_next_long_field(wire, ret_field);
}
/// Of a number that is not packed; of a varint the least.
static inline uint64_t field_size(WireType wire)
{
  return wire == WIRE_FIXED32 ? 4 : wire == WIRE_FIXED64 ? 8 : 1;
}
/// A varint at `at`, alone, as in a packed field; false at a problem.
bool wire_varint(Wire *wire, uint64_t *ret_value);
/// `size` bytes (4 or 8) as a little-endian number; false at a problem.
bool wire_fixed(Wire *wire, size_t size, uint64_t *ret_value);
