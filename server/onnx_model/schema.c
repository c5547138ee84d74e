#include "onnx_model/schema.h"

#include "base/memory.h"

const FieldInfo schema_fields[MSG_COUNT][FIELD_MAX + 1] = {
#define FIELD(message, id, number, name, type, child) [MSG_##message][number] = { name, FIELD_##type, MSG_##child },
#include "onnx_model/fields.def"
};

static const char *const message_names[MSG_COUNT] = {
#define MESSAGE(id, name) name,
#include "onnx_model/fields.def"
};

const char *message_kind_name(MessageKind message)
{
  return message_names[message];
}

// Source: onnx.in.proto, TensorProto: which field holds which type. Types of less than a byte are packed into the bytes
// of int32_data, so a number there is a byte.
static const ElementInfo elements[ELEMENT_COUNT] = {
  [ELEMENT_FLOAT] = { "float", 32, 4, TENSOR_FLOATS, 'f', 1 },
  [ELEMENT_UINT8] = { "uint8", 8, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_INT8] = { "int8", 8, 1, TENSOR_INT32S, 'i', 1 },
  [ELEMENT_UINT16] = { "uint16", 16, 2, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_INT16] = { "int16", 16, 2, TENSOR_INT32S, 'i', 1 },
  [ELEMENT_INT32] = { "int32", 32, 4, TENSOR_INT32S, 'i', 1 },
  [ELEMENT_INT64] = { "int64", 64, 8, TENSOR_INT64S, 'i', 1 },
  [ELEMENT_STRING] = { "string", 0, 0, TENSOR_STRINGS, 's', 1 },
  [ELEMENT_BOOL] = { "bool", 8, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_FLOAT16] = { "float16", 16, 2, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_DOUBLE] = { "double", 64, 8, TENSOR_DOUBLES, 'f', 1 },
  [ELEMENT_UINT32] = { "uint32", 32, 4, TENSOR_UINT64S, 'u', 1 },
  [ELEMENT_UINT64] = { "uint64", 64, 8, TENSOR_UINT64S, 'u', 1 },
  [ELEMENT_COMPLEX64] = { "complex64", 64, 4, TENSOR_FLOATS, 'f', 2 },
  [ELEMENT_COMPLEX128] = { "complex128", 128, 8, TENSOR_DOUBLES, 'f', 2 },
  [ELEMENT_BFLOAT16] = { "bfloat16", 16, 2, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_FLOAT8E4M3FN] = { "float8e4m3fn", 8, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_FLOAT8E4M3FNUZ] = { "float8e4m3fnuz", 8, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_FLOAT8E5M2] = { "float8e5m2", 8, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_FLOAT8E5M2FNUZ] = { "float8e5m2fnuz", 8, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_UINT4] = { "uint4", 4, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_INT4] = { "int4", 4, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_FLOAT4E2M1] = { "float4e2m1", 4, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_FLOAT8E8M0] = { "float8e8m0", 8, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_UINT2] = { "uint2", 2, 1, TENSOR_INT32S, 'u', 1 },
  [ELEMENT_INT2] = { "int2", 2, 1, TENSOR_INT32S, 'u', 1 },
};

const ElementInfo *element_info(uint64_t element_type)
{
  return element_type > 0 && element_type < ELEMENT_COUNT ? &elements[element_type] : NULL;
}

const char *element_type_name(uint64_t element_type)
{
  const ElementInfo *info = element_info(element_type);
  return info ? info->name : "undefined";
}

static const struct {
  const char *name;
  uint32_t field;
} attributes[ATTR_COUNT] = {
  [ATTR_UNDEFINED] = { "undefined", 0 },
  [ATTR_FLOAT] = { "float", ATTRIBUTE_F },
  [ATTR_INT] = { "int", ATTRIBUTE_I },
  [ATTR_STRING] = { "string", ATTRIBUTE_S },
  [ATTR_TENSOR] = { "tensor", ATTRIBUTE_T },
  [ATTR_GRAPH] = { "graph", ATTRIBUTE_G },
  [ATTR_FLOATS] = { "floats", ATTRIBUTE_FLOATS },
  [ATTR_INTS] = { "ints", ATTRIBUTE_INTS },
  [ATTR_STRINGS] = { "strings", ATTRIBUTE_STRINGS },
  [ATTR_TENSORS] = { "tensors", ATTRIBUTE_TENSORS },
  [ATTR_GRAPHS] = { "graphs", ATTRIBUTE_GRAPHS },
  [ATTR_SPARSE_TENSOR] = { "sparse_tensor", ATTRIBUTE_SPARSE },
  [ATTR_SPARSE_TENSORS] = { "sparse_tensors", ATTRIBUTE_SPARSES },
  [ATTR_TYPE_PROTO] = { "type_proto", ATTRIBUTE_TP },
  [ATTR_TYPE_PROTOS] = { "type_protos", ATTRIBUTE_TYPES },
};

uint32_t attribute_type_field(AttributeType type)
{
  return attributes[type].field;
}

const char *attribute_type_name(AttributeType type)
{
  return attributes[type].name;
}

static bool is_word(Str word, const char *name)
{
  return word.data[0] == name[0] && str_equal(word, str_from(name));
}

bool schema_is_type_word(Str word)
{
  enum { SHORTEST = 3 };
  static const char *const structures[] = { "seq", "map", "optional", "sparse_tensor", "opaque" };
  for (size_t i = 0; i < COUNT(structures) && word.len >= SHORTEST; i++) {
    if (is_word(word, structures[i]))
      return true;
  }
  for (size_t i = ELEMENT_FLOAT; i < ELEMENT_COUNT && word.len >= SHORTEST; i++) {
    if (is_word(word, elements[i].name))
      return true;
  }
  return false;
}
