#include "graph/onnx/onnx_content.h"

#include "base/sha256.h"
#include "core/structure.h"
#include "facts/onnx_elements.h"
#include "graph/onnx/onnx_flow.h"
#include "graph/onnx/onnx_scan.h"

/// Bytes of one value in raw_data. Types of 4 and 2 bits are written as the bytes that hold them.
static size_t element_width(uint32_t element)
{
  switch (element) {
  case ELEM_DOUBLE:
  case ELEM_INT64:
  case ELEM_UINT64:
  case ELEM_COMPLEX128:
    return 8;
  case ELEM_FLOAT:
  case ELEM_INT32:
  case ELEM_UINT32:
  case ELEM_COMPLEX64:
    return 4;
  case ELEM_FLOAT16:
  case ELEM_BFLOAT16:
  case ELEM_INT16:
  case ELEM_UINT16:
    return 2;
  default:
    return 1;
  }
}

static bool is_double(uint32_t element)
{
  return element == ELEM_DOUBLE || element == ELEM_COMPLEX128;
}

static bool is_float(uint32_t element)
{
  return element == ELEM_FLOAT || element == ELEM_COMPLEX64 || is_double(element);
}

/// The number that comes next, as both.
static void next_number(OnnxScan *scan, int64_t *ret_number, double *ret_real)
{
  *ret_number = 0;
  *ret_real = 0;
  if (onnx_take_number(scan, ret_number, ret_real) == ONNX_NUMBER_INT)
    *ret_real = (double)*ret_number;
}

static uint64_t bits_of(uint32_t element, int64_t number, double real)
{
  if (!is_float(element))
    return (uint64_t)number;
  if (is_double(element)) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof(bits));
    return bits;
  }
  float narrow = (float)real;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof(bits));
  return bits;
}

static void hash_element(OnnxScan *scan, uint32_t element, int digits, Sha256 *sha)
{
  int64_t number;
  double real;
  if (element == ELEM_STRING) {
    Str text = { 0 };
    if (onnx_take_string(scan, &text))
      sha256_add(sha, text);
    sha256_add(sha, str_make("", 1));
    return;
  }
  next_number(scan, &number, &real);
  if (digits < FLOAT_DIGITS && is_float(element)) {
    char memory[STRUCTURE_NUMBER_ROOM];
    sha256_add_text(sha, structure_number(real, digits, memory));
    return;
  }
  uint64_t bits = bits_of(element, number, real);
  char bytes[8];
  for (size_t i = 0; i < sizeof(bytes); i++)
    bytes[i] = (char)(bits >> (8 * i));
  sha256_add(sha, str_make(bytes, element_width(element)));
}

static Str hash_values(GraphStructure *structure, const OnnxModel *model, const OnnxType *type, const OnnxData *data)
{
  Arena *arena = &structure->arena;
  OnnxModel unused = { 0 };
  OnnxScan scan = {
    .model = &unused, .arena = arena, .text = str_slice(model->text, 0, data->at.end - 1), .at = data->at.start + 1
  };
  Sha256 sha;
  char hex[2 * SHA256_BYTES + 1];
  sha256_init(&sha);
  for (uint64_t i = 0; i < data->count; i++) {
    onnx_skip_space(&scan);
    hash_element(&scan, type->element, structure->digits, &sha);
    onnx_take(&scan, ',');
  }
  sha256_hex(&sha, hex);
  onnx_tree_done(&unused);
  return arena_copy(arena, str_from(hex));
}

/// The hash in the comment after values that were left out; empty if it has none.
static Str noted_hash(const OnnxModel *model, const OnnxData *data)
{
  static const Str word = STR_INIT("sha256 ");
  Str rest = str_slice(model->text, data->at.end, model->text.len);
  rest = str_slice(rest, 0, str_find_char(rest, '\n', 0));
  size_t at = str_find(rest, word, 0);
  return at == STR_NOT_FOUND ? (Str){ 0 } : str_slice(rest, at + word.len, at + word.len + 2 * SHA256_BYTES);
}

/// Whether the values are known by their hash, as there are more than people read.
static bool is_hashed(const OnnxType *type)
{
  uint64_t count = 1;
  for (uint32_t i = 0; type && i < type->rank && count <= MODEL_VALUES_SHOWN; i++)
    count *= (uint64_t)type->dims[i].value;
  return count > MODEL_VALUES_SHOWN;
}

/// In braces, as ONNX text has them: a print of onnx_ir may have brackets.
static Str values_word(GraphStructure *structure, const OnnxModel *model, const OnnxData *data, bool are_floats)
{
  if (data->is_external || data->is_left_out)
    return structure_spelling(structure, str_slice(model->text, data->at.start, data->at.end), are_floats);
  Str inside = structure_spelling(structure, str_slice(model->text, data->at.start + 1, data->at.end - 1), are_floats);
  return arena_printf(&structure->arena, "{%.*s}", STR_ARG(inside));
}

bool onnx_content_word(GraphStructure *structure, const OnnxModel *model, const OnnxType *type, const OnnxData *data,
                       Str *ret_word)
{
  Arena *arena = &structure->arena;
  Str word = onnx_type_text(type, arena);
  bool are_floats = type && !data->is_external && onnx_element_takes_floats(type->element);
  Str values = values_word(structure, model, data, are_floats);
  Str hash = is_hashed(type) || data->is_external ? noted_hash(model, data) : (Str){ 0 };
  bool is_known = true;
  if (hash.len > 0)
    values = hash;
  if (hash.len > 0 || data->is_left_out)
    is_known = hash.len > 0 && (structure->digits == FLOAT_DIGITS || !type || !is_float(type->element));
  else if (!data->is_external && is_hashed(type) && data->count > 0)
    values = hash_values(structure, model, type, data);
  bool is_hash = hash.len > 0 || values.len == 2 * SHA256_BYTES;
  *ret_word = arena_printf(arena, "%.*s%s%.*s", STR_ARG(word), is_hash ? " sha256 " : "", STR_ARG(values));
  return is_known;
}
