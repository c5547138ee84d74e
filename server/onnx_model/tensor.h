/// What one TensorProto says about its values, without reading them.
///
/// Ownership: plain values; `message` belongs to the reader.
/// Units:     as named.
/// Errors:    what contradicts itself is told by the facts.
/// Threads:   as the reader.
/// Sources:   onnx.in.proto, TensorProto.
#pragma once

#include "onnx_model/reader.h"

/// Values that are not raw: how many fields, and the bytes of what is in them.
typedef struct BulkSize {
  uint64_t fields;
  uint64_t bytes;
} BulkSize;

typedef struct TensorFacts {
  Message message;
  uint64_t element_type;
  const ElementInfo *info;  ///< NULL if there is no such type.
  uint64_t value_count;     ///< The product of the dimensions; UINT64_MAX if it overflows.
  uint64_t counted;         ///< The same as onnx's checker has it: 64 bits of it.
  uint64_t byte_count;      ///< As raw_data; UINT64_MAX if it overflows, 0 for strings.
  uint64_t rank;
  bool overflows;
  bool has_negative_dim;
  bool has_raw;
  Field raw;
  BulkSize typed;        ///< Of the field in which values of this type belong.
  uint32_t wrong_field;  ///< The number of a field with values of other types; 0 if there is none.
  bool is_external;
} TensorFacts;

TensorFacts tensor_facts(Reader *reader, const FieldList *tensor);

/// The numbers of a tensor one by one, raw or not, as they are written: two for a complex value, a byte for what is
/// packed into bytes.
typedef struct TensorNumbers {
  const TensorFacts *facts;
  Reader *reader;
  Bulk bulk;
  uint64_t raw_at;
} TensorNumbers;

TensorNumbers tensor_numbers(Reader *reader, const TensorFacts *facts);
/// False at the end; what is left of raw_data and too short for a number is passed over.
bool tensor_next(TensorNumbers *numbers, uint64_t *ret_bits);
