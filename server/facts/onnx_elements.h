/// Element types: their numbers, words and groups.
///
/// Ownership: constants.
/// Units:     the numbers of TensorProto.DataType.
/// Threads:   pure.
/// Sources:   onnx/onnx.proto of 1.20; onnx/defs/parser.cc for the words.
#pragma once

#include "base/str.h"

#define ONNX_ELEMENTS(X)                                                                                               \
  X(1, FLOAT, "float")                                                                                                 \
  X(2, UINT8, "uint8")                                                                                                 \
  X(3, INT8, "int8")                                                                                                   \
  X(4, UINT16, "uint16")                                                                                               \
  X(5, INT16, "int16")                                                                                                 \
  X(6, INT32, "int32")                                                                                                 \
  X(7, INT64, "int64")                                                                                                 \
  X(8, STRING, "string")                                                                                               \
  X(9, BOOL, "bool")                                                                                                   \
  X(10, FLOAT16, "float16")                                                                                            \
  X(11, DOUBLE, "double")                                                                                              \
  X(12, UINT32, "uint32")                                                                                              \
  X(13, UINT64, "uint64")                                                                                              \
  X(14, COMPLEX64, "complex64")                                                                                        \
  X(15, COMPLEX128, "complex128")                                                                                      \
  X(16, BFLOAT16, "bfloat16")                                                                                          \
  X(17, FLOAT8E4M3FN, "float8e4m3fn")                                                                                  \
  X(18, FLOAT8E4M3FNUZ, "float8e4m3fnuz")                                                                              \
  X(19, FLOAT8E5M2, "float8e5m2")                                                                                      \
  X(20, FLOAT8E5M2FNUZ, "float8e5m2fnuz")                                                                              \
  X(21, UINT4, "uint4")                                                                                                \
  X(22, INT4, "int4")                                                                                                  \
  X(23, FLOAT4E2M1, "float4e2m1")                                                                                      \
  X(24, FLOAT8E8M0, "float8e8m0")                                                                                      \
  X(25, UINT2, "uint2")                                                                                                \
  X(26, INT2, "int2")

enum {
#define ELEMENT(number, id, word) ELEM_##id = (number),
  ONNX_ELEMENTS(ELEMENT)
#undef ELEMENT
      ELEM_COUNT = 27,
};

/// The number of an element type's word; 0 for none.
uint32_t onnx_element_of(Str word);
/// The number of that of "tensor(float)"; 0 for types of another kind.
uint32_t onnx_tensor_element(Str word);
/// Its bit in a set of them.
static inline uint32_t onnx_tensor_bit(Str word)
{
  uint32_t element = onnx_tensor_element(word);
  return element > 0 ? UINT32_C(1) << element : 0;
}

/// "float"; "undefined" for a number that is none.
Str onnx_element_word(uint32_t element);
/// "tensor(float)"
Str onnx_tensor_word(uint32_t element);
/// Are its values kept as numbers of 32 bits? They can't be larger then.
bool onnx_int32_field(uint32_t element);
/// Are its values numbers with a point? Those of all others, but strings, are whole numbers or bits.
bool onnx_element_takes_floats(uint32_t element);
