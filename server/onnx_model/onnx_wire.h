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

/// The next field; `at` is after it then. A group counts as one field.
WireResult wire_next_field(Wire *wire, Field *ret_field);
/// Of a number that is not packed; of a varint the least.
static inline uint64_t field_size(WireType wire)
{
  return wire == WIRE_FIXED32 ? 4 : wire == WIRE_FIXED64 ? 8 : 1;
}
/// A varint at `at`, alone, as in a packed field; false at a problem.
bool wire_varint(Wire *wire, uint64_t *ret_value);
/// `size` bytes (4 or 8) as a little-endian number; false at a problem.
bool wire_fixed(Wire *wire, size_t size, uint64_t *ret_value);
