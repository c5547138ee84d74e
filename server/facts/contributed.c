#include "facts/contributed.h"

#include "base/nearest.h"
#include "base/search.h"

#define MANY      UINT32_MAX
#define NO_KERNEL CONTRIBUTED_WITHOUT_KERNEL

/// Sorted by name.
static const ContributedOperator operators[] = {
#define OP(name, first_opset, min_input, max_input, min_output, max_output, needed, attributes, types)                 \
  { #name, first_opset, min_input, max_input, min_output, max_output, needed, attributes, types },
#include "facts/contributed.def"
#undef OP
#undef NO_KERNEL
#undef MANY
};

/// Names in releases after those of the table, whose schemas may still change.
/// Source: docs/ContribOperators.md of ONNX Runtime after release 1.27.
static const char *const newer[] = {
  "CausalConvWithState",
  "EngramGate",
  "GatedAdd",
  "GatedDeltaNet",
  "GatedRMSNorm",
  "LinearAttention",
  "LinearAttentionGate",
  "MRotaryEmbedding",
  "MatMulBlockQuantizedFp4Weight",
  "MatMulBlockQuantizedFp8Weight",
  "MatMulNBitsMlp",
  "MatMulNBitsQkv",
  "NGramHashMapping",
  "VarlenCausalConvWithState",
  "VarlenNGramHashMapping",
};

bool contributed_is_newer(Str name)
{
  return str_is_one_of(name, newer, COUNT(newer));
}

const ContributedOperator *contributed_operator(Str name)
{
  size_t i;
  SEARCH_FIRST(i, 0, COUNT(operators), str_compare_word(operators[i].name, name) < 0);
  return i < COUNT(operators) && str_equal(name, str_from(operators[i].name)) ? &operators[i] : NULL;
}

const char *contributed_nearest(Str name, Arena *arena)
{
  const char *names[COUNT(operators)];
  for (size_t i = 0; i < COUNT(operators); i++) {
    names[i] = operators[i].name;
    if (str_equal_ignore_case(str_from(names[i]), name))
      return names[i];
  }
  return nearest_word(arena_printf(arena, "%.*s", STR_ARG(name)).data, names, COUNT(names));
}

bool contributed_next_attribute(Str *rest, Str *ret_name, Str *ret_marks)
{
  if (rest->len == 0)
    return false;
  size_t end = str_find_char(*rest, ' ', 0);
  Str word = str_slice(*rest, 0, end);
  size_t colon = str_find_char(word, ':', 0);
  *rest = end == STR_NOT_FOUND ? (Str){ 0 } : str_slice(*rest, end + 1, rest->len);
  *ret_name = str_slice(word, 0, colon);
  *ret_marks = str_slice(word, colon + 1, word.len);
  return true;
}

Str contributed_marks(const ContributedOperator *op, Str name)
{
  Str rest = str_from(op->attributes);
  Str known, marks;
  while (contributed_next_attribute(&rest, &known, &marks)) {
    if (str_equal(known, name))
      return marks;
  }
  return (Str){ 0 };
}

char contributed_type_letter(OnnxAttributeType type)
{
  static const char letters[] = {
    [ONNX_FLOAT] = 'f',  [ONNX_INT] = 'i',  [ONNX_STRING] = 's',  [ONNX_TENSOR] = 't', [ONNX_GRAPH] = 'g',
    [ONNX_FLOATS] = 'F', [ONNX_INTS] = 'I', [ONNX_STRINGS] = 'S', [ONNX_TENSORS] = 'T'
  };
  return (size_t)type < COUNT(letters) ? letters[type] : '\0';
}
