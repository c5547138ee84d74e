/// Reading protobuf where it lies: fields of one message, packed columns and Blobs, without copying.
///
/// Ownership: borrows the bytes.
/// Units:     bytes; indexes from 0.
/// Errors:    wire_next() answers false at the end and at the first malformed field; `is_broken` tells them apart.
/// Threads:   plain values.
/// Sources:   protobuf encoding: https://protobuf.dev/programming-guides/encoding
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "base/str.h"

typedef struct Wire {
  Str rest;
  bool is_broken;
} Wire;

typedef struct WireField {
  uint32_t number;
  uint64_t value;  ///< Of a varint or a fixed number.
  Str bytes;       ///< Of a length-delimited field; else empty.
  bool is_bytes;
} WireField;

bool wire_next(Wire *wire, WireField *ret_field);

/// Which member of the struct that protobuf-c makes for such messages the field would be: its offsetof(). 0 for a field
/// that the message does not have.
size_t wire_member(const ProtobufCMessageDescriptor *message, const WireField *field);

/// Element `i` of a packed fixed32 (fixed64) column.
static inline uint32_t wire_u32(Str column, size_t i)
{
  const unsigned char *p = (const unsigned char *)column.data + i * 4;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t wire_u64(Str column, size_t i)
{
  return wire_u32(column, 2 * i) | (uint64_t)wire_u32(column, 2 * i + 1) << 32;
}

/// A list of byte strings (symbolics.proto, Blobs).
typedef struct Blobs {
  Str ends;
  Str data;
  uint32_t count;
} Blobs;

/// `data` are the strings of all lists. False if the ends do not rise or lie outside the data.
bool blobs_init(Blobs *blobs, Str message, Str data);

static inline Str blobs_at(const Blobs *blobs, uint32_t i)
{
  uint32_t start = i == 0 ? 0 : wire_u32(blobs->ends, i - 1);
  uint32_t end = wire_u32(blobs->ends, i);
  return str_make(blobs->data.data + start, end - start);
}

/// The index of `key` among the sorted strings [first, first + count), or of the first one after it; `*ret_found`
/// tells which.
uint32_t blobs_find(const Blobs *blobs, uint32_t first, uint32_t count, Str key, bool *ret_found);
/// Whether the strings [first, first + count) are sorted, each once.
bool blobs_is_sorted(const Blobs *blobs, uint32_t first, uint32_t count);
