#include "graph/onnx_ir/ir_attr.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "facts/onnx_elements.h"

enum { LONGEST_ELEMENT = 16 };

/// `FLOAT16` is the element type that ONNX text calls float16.
static uint32_t element_of(Str word)
{
  char lower[LONGEST_ELEMENT];
  if (word.len > sizeof(lower))
    return 0;
  for (size_t i = 0; i < word.len; i++)
    lower[i] = ascii_to_lower(word.data[i]);
  for (uint32_t element = 1; element < ELEM_COUNT; element++) {
    if (str_equal(onnx_element_word(element), str_make(lower, word.len)))
      return element;
  }
  return 0;
}

static OnnxDim dim_of(Str word)
{
  uint64_t value;
  if (str_equal(word, STR("None")) || str_equal(word, STR("?")))
    return (OnnxDim){ .kind = ONNX_DIM_UNKNOWN };
  if (str_to_uint(word, INT64_MAX, &value))
    return (OnnxDim){ .kind = ONNX_DIM_VALUE, .value = (int64_t)value };
  return (OnnxDim){ .kind = ONNX_DIM_PARAM, .param = word };
}

/// `[2,N,None]`; names of dimensions may be sums with brackets of their own.
static void read_shape(OnnxType *type, Str text, Arena *arena)
{
  Vec(OnnxDim) dims = { 0 };
  uint32_t depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.len && text.len > 0; i++) {
    char c = i < text.len ? text.data[i] : ',';
    depth += c == '(' || c == '[';
    depth -= depth > 0 && (c == ')' || c == ']');
    if (c != ',' || (depth > 0 && i < text.len))
      continue;
    vec_push(&dims, dim_of(str_trim(str_slice(text, start, i))));
    start = i + 1;
  }
  type->has_shape = true;
  type->rank = (uint32_t)dims.count;
  type->dims = vec_copy(&dims, arena);
  vec_free(&dims);
}

static OnnxType *make_type(Str element, Str shape, Arena *arena)
{
  uint32_t number = element_of(element);
  if (number == 0)
    return NULL;
  OnnxType *type = ARENA_NEW(arena, OnnxType);
  *type = (OnnxType){ .kind = ONNX_TYPE_TENSOR, .element = number };
  if (shape.len >= 2 && shape.data[0] == '[')
    read_shape(type, str_slice(shape, 1, shape.len - 1), arena);
  return type;
}

OnnxType *ir_type(const IrScan *scan, const IrValue *value, Arena *arena)
{
  return make_type(ir_text(scan, value->element), ir_text(scan, value->shape), arena);
}

// --- Tensors ---

static bool is_plain_list(Str text)
{
  for (size_t i = 0; i < text.len; i++) {
    if (!ascii_is_digit(text.data[i]) && !memchr("-, \n", text.data[i], 4))
      return false;
  }
  return true;
}

/// How many numbers stand in a list.
static uint64_t count_numbers(Str text)
{
  uint64_t count = 0;
  for (size_t i = 0; i < text.len; i++)
    count += ascii_is_digit(text.data[i]) && (i + 1 == text.len || !ascii_is_digit(text.data[i + 1]));
  return count;
}

void ir_tensor_data(const IrScan *scan, OnnxSpan at, OnnxData *data)
{
  static const Str array = STR_INIT("array(");
  Str text = ir_text(scan, at);
  *data = (OnnxData){ .at = at, .is_left_out = true };
  size_t start = str_find(text, array, 0);
  if (start == STR_NOT_FOUND)
    return;
  size_t open = start + array.len;
  bool is_list = open < text.len && text.data[open] == '[';
  size_t end = str_find_char(text, is_list ? ']' : ')', open);
  size_t comma = is_list ? STR_NOT_FOUND : str_find_char(text, ',', open);
  end = comma != STR_NOT_FOUND && comma < end ? comma : end;
  if (end == STR_NOT_FOUND || !is_plain_list(str_slice(text, open + is_list, end)))
    return;
  // Numbers are looked for after the first byte and before the last.
  uint32_t first = at.start + (uint32_t)open - !is_list;
  *data = (OnnxData){ .at = { first, at.start + (uint32_t)end + 1 },
                      .count = count_numbers(str_slice(text, open + is_list, end)) };
}

/// `Tensor<INT64,[2]>(…)`
static bool read_tensor(IrScan *scan, Str text, OnnxSpan at, OnnxAttr *attr, Arena *arena)
{
  size_t open = str_find_char(text, '<', 0);
  size_t close = str_find(text, STR(">("), 0);
  size_t comma = open == STR_NOT_FOUND ? STR_NOT_FOUND : str_find_char(text, ',', open);
  bool is_named = ascii_is_letter(text.data[0]) && str_contains(str_slice(text, 0, open), STR("Tensor"));
  if (!is_named || close == STR_NOT_FOUND || comma == STR_NOT_FOUND || comma > close)
    return false;
  attr->type = ONNX_TENSOR;
  attr->value_type = make_type(str_slice(text, open + 1, comma), str_slice(text, comma + 1, close), arena);
  attr->data = ARENA_NEW(arena, OnnxData);
  ir_tensor_data(scan, at, attr->data);
  return true;
}

// --- Attributes ---

static bool is_number(Str text, OnnxAttributeType *ret_type)
{
  static const Str words[] = { STR_INIT("inf"), STR_INIT("-inf"), STR_INIT("nan") };
  for (size_t i = 0; i < COUNT(words); i++) {
    if (str_equal(text, words[i])) {
      *ret_type = ONNX_FLOAT;
      return true;
    }
  }
  bool is_whole = text.len > 0;
  for (size_t i = 0; i < text.len; i++) {
    if (!ascii_is_digit(text.data[i]) && !(i == 0 && text.data[i] == '-') && !memchr(".e+-", text.data[i], 4))
      return false;
    is_whole &= ascii_is_digit(text.data[i]) || (i == 0 && text.data[i] == '-');
  }
  *ret_type = is_whole ? ONNX_INT : ONNX_FLOAT;
  return text.len > 0 && ascii_is_digit(text.data[text.len - 1] == '.' ? '0' : text.data[text.len - 1]);
}

static int64_t whole_number(Str text)
{
  char digits[24];
  size_t len = text.len < sizeof(digits) - 1 ? text.len : sizeof(digits) - 1;
  memcpy(digits, text.data, len);
  digits[len] = '\0';
  return strtoll(digits, NULL, 10);
}

/// How many strings stand in a list, as Python writes them.
static uint64_t count_strings(Str text)
{
  uint64_t count = 0;
  for (size_t i = 0; i < text.len; i++) {
    char quote = text.data[i];
    if (quote != '\'' && quote != '"')
      continue;
    for (i++; i < text.len && text.data[i] != quote; i++)
      i += text.data[i] == '\\';
    count++;
  }
  return count;
}

/// `(1, 2)` or `[1, 2]`: of whole numbers, of floats or of strings; an empty one says nothing.
static void read_list(Str text, OnnxAttr *attr, Arena *arena)
{
  Vec(int64_t) numbers = { 0 };
  OnnxAttributeType kind = ONNX_UNDEFINED;
  text = str_slice(text, 1, text.len - 1);
  bool is_strings = text.len > 0 && (text.data[0] == '\'' || text.data[0] == '"');
  bool is_known = !is_strings;
  for (size_t start = 0, end = 0; end != STR_NOT_FOUND && is_known; start = end + 1) {
    end = str_find_char(text, ',', start);
    Str word = str_trim(str_slice(text, start, end));
    OnnxAttributeType one = ONNX_UNDEFINED;
    if (word.len == 0)
      continue;
    is_known = is_number(word, &one) && (kind == ONNX_UNDEFINED || kind == one);
    kind = one;
    vec_push(&numbers, one == ONNX_INT ? whole_number(word) : 0);
  }
  if (is_strings)
    attr->type = ONNX_STRINGS;
  else if (is_known && kind != ONNX_UNDEFINED)
    attr->type = kind == ONNX_INT ? ONNX_INTS : ONNX_FLOATS;
  attr->count = is_strings ? count_strings(text) : numbers.count;
  attr->numbers = attr->type == ONNX_INTS ? vec_copy(&numbers, arena) : NULL;
  vec_free(&numbers);
}

void ir_read_attribute(IrScan *scan, OnnxAttr *attr, Arena *arena)
{
  ir_skip_space(scan);
  OnnxSpan at = { scan->at, 0 };
  ir_skip_attribute_value(scan);
  at.end = scan->at;
  attr->value_at = at;
  attr->at.end = at.end;
  attr->type = ONNX_UNDEFINED;
  Str text = str_trim(ir_text(scan, at));
  OnnxAttributeType number;
  if (text.len == 0)
    return;
  if (text.data[0] == '@') {
    attr->is_reference = true;
    attr->reference = str_slice(text, 1, text.len);
  } else if (is_number(text, &number)) {
    attr->type = number;
    attr->number = number == ONNX_INT ? whole_number(text) : 0;
  } else if (text.len >= 2 && (text.data[0] == '\'' || text.data[0] == '"')) {
    attr->type = ONNX_STRING;
    attr->text = str_slice(text, 1, text.len - 1);
  } else if (text.len >= 2 && (text.data[0] == '(' || text.data[0] == '[')) {
    read_list(text, attr, arena);
  } else {
    read_tensor(scan, text, at, attr, arena);
  }
  // A print doesn't tell a float of 1 from a whole number, nor what an empty list is of.
  attr->is_reported = attr->type == ONNX_UNDEFINED || attr->type == ONNX_INT || attr->type == ONNX_INTS;
}
