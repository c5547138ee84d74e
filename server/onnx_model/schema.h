/// What the fields of a model's messages are: fields.def as enums and tables, and the words of element and attribute
/// types.
///
/// Ownership: static tables.
/// Units:     field numbers are those on the wire.
/// Errors:    an unknown field has no row.
/// Threads:   constants.
/// Sources:   onnx 1.22 onnx/onnx.in.proto, onnx/onnx-data.proto; onnx/defs/parser.h for the words of types.
#pragma once

#include "base/str.h"

typedef enum MessageKind {
#define MESSAGE(id, name) MSG_##id,
#include "onnx_model/fields.def"
  MSG_COUNT,
} MessageKind;

/// NODE_OP_TYPE and so on: the numbers.
enum {
#define FIELD(message, id, number, name, type, child) message##_##id = (number),
#include "onnx_model/fields.def"
  FIELD_MAX = 26,
};

typedef enum FieldType {
  FIELD_UNKNOWN,
  FIELD_INT,  ///< A varint of any kind.
  FIELD_FLOAT,
  FIELD_STRING,
  FIELD_BYTES,
  FIELD_MESSAGE,
  FIELD_STRINGS,  ///< Few and short: names.
  FIELD_MANY_MESSAGES,
  // From here on values may be as many as weights; they may be packed.
  FIELD_MANY_INTS,
  FIELD_MANY_FLOATS,
  FIELD_MANY_DOUBLES,
  FIELD_MANY_BYTES,  ///< Strings, never packed.
} FieldType;

/// The table of them has many, most of them empty: without pointers it costs nothing until it is looked at.
typedef struct FieldInfo {
  char name[30];
  uint8_t type;   ///< FieldType.
  uint8_t child;  ///< MessageKind.
} FieldInfo;

extern const FieldInfo schema_fields[MSG_COUNT][FIELD_MAX + 1];
/// FIELD_UNKNOWN if the message has no such field.
static inline const FieldInfo *field_info(MessageKind message, uint32_t number)
{
  return &schema_fields[message][number <= FIELD_MAX ? number : 0];
}
const char *message_kind_name(MessageKind message);
/// True for what may be as large as weights: it is walked where it lies and never collected.
static inline bool field_is_bulk(const FieldInfo *info)
{
  return info->type >= FIELD_MANY_INTS;
}

typedef enum ElementType {
  ELEMENT_FLOAT = 1,
  ELEMENT_UINT8,
  ELEMENT_INT8,
  ELEMENT_UINT16,
  ELEMENT_INT16,
  ELEMENT_INT32,
  ELEMENT_INT64,
  ELEMENT_STRING,
  ELEMENT_BOOL,
  ELEMENT_FLOAT16,
  ELEMENT_DOUBLE,
  ELEMENT_UINT32,
  ELEMENT_UINT64,
  ELEMENT_COMPLEX64,
  ELEMENT_COMPLEX128,
  ELEMENT_BFLOAT16,
  ELEMENT_FLOAT8E4M3FN,
  ELEMENT_FLOAT8E4M3FNUZ,
  ELEMENT_FLOAT8E5M2,
  ELEMENT_FLOAT8E5M2FNUZ,
  ELEMENT_UINT4,
  ELEMENT_INT4,
  ELEMENT_FLOAT4E2M1,
  ELEMENT_FLOAT8E8M0,
  ELEMENT_UINT2,
  ELEMENT_INT2,
  ELEMENT_COUNT,
} ElementType;

/// How values of an element type are kept and written.
typedef struct ElementInfo {
  const char *name;   ///< As ONNX text writes it.
  uint8_t bits;       ///< Of a value in raw_data; 0 for strings.
  uint8_t width;      ///< Bytes of a number as it is written: two for the float pairs of complex64 are 4 each.
  uint8_t field;      ///< The TensorProto field that holds values which are not raw.
  char form;          ///< 'i' signed, 'u' unsigned or bits, 'f' float, 's' string.
  uint8_t per_value;  ///< Numbers a value: 2 for complex types.
} ElementInfo;

/// NULL for a number that is not an element type.
const ElementInfo *element_info(uint64_t element_type);
/// "undefined" for a number that is none, as the official printer has it.
const char *element_type_name(uint64_t element_type);

typedef enum AttributeType {
  ATTR_UNDEFINED,
  ATTR_FLOAT,
  ATTR_INT,
  ATTR_STRING,
  ATTR_TENSOR,
  ATTR_GRAPH,
  ATTR_FLOATS,
  ATTR_INTS,
  ATTR_STRINGS,
  ATTR_TENSORS,
  ATTR_GRAPHS,
  ATTR_SPARSE_TENSOR,
  ATTR_SPARSE_TENSORS,
  ATTR_TYPE_PROTO,
  ATTR_TYPE_PROTOS,
  ATTR_COUNT,
} AttributeType;

/// The field of AttributeProto that holds a value of this type; 0 for ATTR_UNDEFINED.
uint32_t attribute_type_field(AttributeType type);
const char *attribute_type_name(AttributeType type);
/// True for a word that begins a type in ONNX text, so a value of that name has to be quoted.
bool schema_is_type_word(Str word);
