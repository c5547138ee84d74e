/// One walk over the messages of a model before anything is made of it: whether the structure is whole, and how large
/// it is.
///
/// After a good walk every message, string and length is known to lie inside its parent, nothing is nested too deeply,
/// and no message has too many children. Numbers and strings of tensors and attributes are passed over: those in packed
/// fields are looked at when they are written.
///
/// Ownership: borrows the source; appends to the caller's message.
/// Units:     byte offsets into the file.
/// Errors:    ERR_FORMAT for damage, ERR_LIMIT for what is over a limit, ERR_IO for what could not be read; each with a
///            message that says what, at which byte, and in which part ("graph.node[17].attribute[2]").
/// Threads:   one thread at a time.
/// Sources:   base/limits.h.
#pragma once

#include "base/buffer.h"
#include "base/limits.h"
#include "onnx_model/onnx_wire.h"
#include "onnx_model/schema.h"

typedef struct UnknownField {
  MessageKind message;
  uint32_t number;
  uint64_t count;
} UnknownField;

typedef struct ModelStats {
  UnknownField unknown[MODEL_UNKNOWN_LISTED];  ///< In the order of their first places.
  size_t unknown_count;
  uint64_t unknown_beyond;   ///< Fields that found no row above.
  uint32_t seen[MSG_COUNT];  ///< By kind of message, a bit for each number that any of them has.
} ModelStats;

MUST_USE Status model_walk(Source *source, MessageKind kind, ModelStats *ret_stats, Buffer *message);
static inline bool model_has(const ModelStats *stats, MessageKind kind, uint32_t number)
{
  return (stats->seen[kind] >> number & 1) != 0;
}

/// True if a field of this wire type can be what the schema says; if not it is an unknown field, as in protobuf.
static inline bool walk_field_fits(const FieldInfo *info, WireType wire_type)
{
  enum { VARINT = 1 << WIRE_VARINT, FIXED64 = 1 << WIRE_FIXED64, BYTES = 1 << WIRE_BYTES, FIXED32 = 1 << WIRE_FIXED32 };
  static const uint8_t wires[] = {
    [FIELD_UNKNOWN] = 0,
    [FIELD_INT] = VARINT,
    [FIELD_FLOAT] = FIXED32,
    [FIELD_STRING] = BYTES,
    [FIELD_BYTES] = BYTES,
    [FIELD_MESSAGE] = BYTES,
    [FIELD_STRINGS] = BYTES,
    [FIELD_MANY_MESSAGES] = BYTES,
    [FIELD_MANY_INTS] = VARINT | BYTES,
    [FIELD_MANY_FLOATS] = FIXED32 | BYTES,
    [FIELD_MANY_DOUBLES] = FIXED64 | BYTES,
    [FIELD_MANY_BYTES] = BYTES,
  };
  return (wires[info->type] >> wire_type & 1) != 0;
}
