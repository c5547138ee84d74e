#include "facts/onnx_elements.h"

#include "base/memory.h"

static const Str words[ELEM_COUNT] = {
#define ELEMENT(number, id, word) [number] = STR_INIT(word),
  ONNX_ELEMENTS(ELEMENT)
#undef ELEMENT
};

static const Str tensor_words[ELEM_COUNT] = {
#define ELEMENT(number, id, word) [number] = STR_INIT("tensor(" word ")"),
  ONNX_ELEMENTS(ELEMENT)
#undef ELEMENT
};

Str onnx_tensor_word(uint32_t element)
{
  return element > 0 && element < ELEM_COUNT ? tensor_words[element] : STR("tensor(undefined)");
}

Str onnx_element_word(uint32_t element)
{
  return element > 0 && element < ELEM_COUNT ? words[element] : STR("undefined");
}

uint32_t onnx_element_of(Str word)
{
  for (uint32_t i = 1; i < ELEM_COUNT; i++) {
    if (str_equal(word, words[i]))
      return i;
  }
  return 0;
}

uint32_t onnx_tensor_element(Str word)
{
  static const Str start = STR_INIT("tensor(");
  if (!str_starts_with(word, start) || !str_ends_with(word, STR(")")))
    return 0;
  return onnx_element_of(str_slice(word, start.len, word.len - 1));
}

bool onnx_int32_field(uint32_t element)
{
  switch (element) {
  case ELEM_FLOAT:
  case ELEM_DOUBLE:
  case ELEM_COMPLEX64:
  case ELEM_COMPLEX128:
  case ELEM_INT64:
  case ELEM_UINT64:
  case ELEM_UINT32:
  case ELEM_STRING:
    return false;
  default:
    return true;
  }
}

bool onnx_element_takes_floats(uint32_t element)
{
  return element == ELEM_FLOAT || element == ELEM_DOUBLE || element == ELEM_COMPLEX64 || element == ELEM_COMPLEX128;
}
