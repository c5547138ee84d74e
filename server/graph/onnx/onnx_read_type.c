// Types and the values of tensors: `seq(map(int64, float[N,3]))`, `{1, 2}`.

#include "base/ascii.h"
#include "facts/onnx_elements.h"
#include "graph/onnx/onnx_read.h"

bool onnx_expected(OnnxScan *scan, const char *what)
{
  Str found = onnx_quote(scan);
  uint32_t start = scan->at;
  scan->model->is_damaged = true;
  if (scan->is_silent)
    return false;
  if (found.len == 0) {  // Nothing can be seen at the end, so the mistake is shown at the last character.
    while (start > 0 && (scan->text.data[start - 1] == '\n' || scan->text.data[start - 1] == ' '))
      start--;
    start -= start > 0;
    onnx_scan_mistake(scan, start, start + 1, arena_printf(scan->arena, "The text ends where %s is missing.", what),
                      true);
    return false;
  }
  onnx_scan_mistake(scan, start, start + (uint32_t)found.len,
                    arena_printf(scan->arena, "Here %s is missing; found `%.*s`.", what, STR_ARG(found)), true);
  return false;
}

bool onnx_need(OnnxScan *scan, char c, const char *what)
{
  return onnx_take(scan, c) || onnx_expected(scan, what);
}

static OnnxTypeKind wrapper_of(Str word)
{
  static const struct {
    Str word;
    OnnxTypeKind kind;
  } wrappers[] = {
    { STR_INIT("seq"), ONNX_TYPE_SEQUENCE },      { STR_INIT("map"), ONNX_TYPE_MAP },
    { STR_INIT("optional"), ONNX_TYPE_OPTIONAL }, { STR_INIT("sparse_tensor"), ONNX_TYPE_SPARSE },
    { STR_INIT("opaque"), ONNX_TYPE_OPAQUE },
  };
  for (size_t i = 0; i < COUNT(wrappers); i++) {
    if (str_equal(word, wrappers[i].word))
      return wrappers[i].kind;
  }
  return ONNX_TYPE_NONE;
}

/// Of a tensor; a binary model may say that it has none.
static bool is_element(const OnnxScan *scan, Str word)
{
  return onnx_element_of(word) != 0 || (scan->model->is_printed && str_equal(word, onnx_element_word(0)));
}

/// A name may be called like a type, so a word counts only with what follows it: a name or brackets.
bool onnx_at_type(OnnxScan *scan)
{
  Str word = onnx_peek_word(scan);
  if (word.len == 0)
    return false;
  uint32_t start = scan->at;
  scan->at += (uint32_t)word.len;
  char next = onnx_peek(scan);
  scan->at = start;
  if (wrapper_of(word) != ONNX_TYPE_NONE)
    return next == '(';
  return is_element(scan, word) && next != ',' && next != ')' && next != '=' && next != '\0';
}

static bool read_dim(OnnxScan *scan, OnnxDim *ret_dim)
{
  *ret_dim = (OnnxDim){ 0 };
  char c = onnx_peek(scan);
  if (onnx_take(scan, '?'))
    return true;
  double unused;
  uint32_t start = scan->at;
  if (c == '-' || (c >= '0' && c <= '9')) {
    OnnxNumberKind kind = onnx_take_number(scan, &ret_dim->value, &unused);
    ret_dim->kind = ONNX_DIM_VALUE;
    if (kind == ONNX_NUMBER_INT && (ret_dim->value >= 0 || c == '-'))
      return true;
    scan->at = start;
    return onnx_expected(scan, "a dimension");
  }
  OnnxName name;
  if (!onnx_take_name(scan, &name))
    return onnx_expected(scan, "a dimension");
  if (c == '"' && !scan->model->is_printed)
    onnx_scan_mistake(scan, start, scan->at,
                      STR("Before onnx 1.22, the name of a dimension can't stand in quotes; write a word or `?`."),
                      false);
  ret_dim->kind = ONNX_DIM_PARAM;
  ret_dim->param = name.text;
  return true;
}

typedef Vec(OnnxDim) DimVec;

static bool read_dims(OnnxScan *scan, DimVec *dims)
{
  if (onnx_take(scan, ']'))
    return true;
  do {
    OnnxDim dim;
    if (!read_dim(scan, &dim))
      return false;
    vec_push(dims, dim);
  } while (onnx_take(scan, ','));
  return onnx_need(scan, ']', "`]`");
}

/// `float[N,3]`; `float` is a scalar, `float[]` has no shape.
static bool read_tensor_type(OnnxScan *scan, OnnxType *type)
{
  Str word;
  onnx_take_word(scan, &word);
  type->element = onnx_element_of(word);
  type->has_shape = true;
  if (!onnx_take(scan, '['))
    return true;
  DimVec dims = { 0 };
  bool is_good = read_dims(scan, &dims);
  type->has_shape = dims.count > 0;
  type->rank = (uint32_t)dims.count;
  OnnxDim *copy = ARENA_ARRAY(scan->arena, OnnxDim, dims.count);
  if (dims.count > 0)
    memcpy(copy, dims.items, dims.count * sizeof(*copy));
  type->dims = copy;
  vec_free(&dims);
  return is_good;
}

/// onnx 1.20 is built without opaque types, but older and other builds write them.
static bool read_opaque(OnnxScan *scan, uint32_t start)
{
  while (onnx_peek(scan) != ')' && scan->at < scan->text.len && scan->text.data[scan->at] != '\n')
    scan->at++;
  if (!scan->model->is_printed)
    onnx_scan_mistake(scan, start, scan->at, STR("onnx reads no opaque types in a text."), false);
  return onnx_need(scan, ')', "`)`");
}

/// The word of a wrapper and what comes before its inner type; answers the kind.
static bool open_wrapper(OnnxScan *scan, OnnxType *type)
{
  Str word;
  onnx_take_word(scan, &word);
  type->kind = wrapper_of(word);
  if (!onnx_need(scan, '(', "`(`"))
    return false;
  if (type->kind != ONNX_TYPE_MAP)
    return true;
  Str key = onnx_peek_word(scan);
  type->element = onnx_element_of(key);
  if (!is_element(scan, key))
    return onnx_expected(scan, "the type of the map's keys");
  scan->at += (uint32_t)key.len;
  return onnx_need(scan, ',', "`,`");
}

bool onnx_read_type(OnnxScan *scan, OnnxType **ret_type)
{
  OnnxType *type = *ret_type = ARENA_NEW(scan->arena, OnnxType);
  uint32_t start = scan->at;
  uint32_t depth = 0;
  while (wrapper_of(onnx_peek_word(scan)) != ONNX_TYPE_NONE) {
    if (depth++ == ONNX_TYPE_DEPTH)
      return onnx_expected(scan, "a type that is nested less deep than protobuf reads");
    if (!open_wrapper(scan, type))
      return false;
    if (type->kind == ONNX_TYPE_OPAQUE && read_opaque(scan, start)) {
      depth--;
      break;
    }
    if (type->kind == ONNX_TYPE_OPAQUE)
      return false;
    if (type->kind == ONNX_TYPE_SPARSE)
      break;
    type = (OnnxType *)(type->inner = ARENA_NEW(scan->arena, OnnxType));
  }
  bool is_missing = depth > 0 && scan->model->is_printed && onnx_peek(scan) == ')';
  if (type->kind != ONNX_TYPE_OPAQUE && !is_missing) {
    if (!is_element(scan, onnx_peek_word(scan)))
      return onnx_expected(scan, "a type");
    if (!read_tensor_type(scan, type))
      return false;
    if (type->kind == ONNX_TYPE_NONE)
      type->kind = ONNX_TYPE_TENSOR;
  }
  while (depth-- > 0) {
    if (!onnx_need(scan, ')', "`)`"))
      return false;
  }
  return true;
}

// --- Values ---

static bool has_static_shape(const OnnxType *type)
{
  for (uint32_t i = 0; i < type->rank; i++) {
    if (type->dims[i].kind != ONNX_DIM_VALUE)
      return false;
  }
  return type->has_shape;
}

static bool read_element(OnnxScan *scan, uint32_t element)
{
  Str text;
  uint32_t start = scan->at;
  if (element == ELEM_STRING)
    return onnx_take_string(scan, &text) || onnx_expected(scan, "a string");
  int64_t number;
  double real;
  OnnxNumberKind kind = onnx_take_number(scan, &number, &real);
  bool fits = onnx_element_takes_floats(element) ? kind != ONNX_NUMBER_NONE : kind == ONNX_NUMBER_INT;
  if (fits && kind == ONNX_NUMBER_INT && element == ELEM_INT64 && number < 0 && scan->text.data[start] != '-')
    fits = false;  // It was read as a number of 64 bits without a sign.
  if (fits && onnx_int32_field(element) && (number > INT32_MAX || number < INT32_MIN))
    fits = false;
  if (fits && kind == ONNX_NUMBER_FLOAT)
    fits =
        onnx_float_fits(str_slice(scan->text, start, scan->at), element == ELEM_DOUBLE || element == ELEM_COMPLEX128);
  if (fits)
    return true;
  scan->at = start;
  return onnx_expected(scan, onnx_element_takes_floats(element) ? "a number" : "a whole number of the tensor's type");
}

/// `{}  # left out: 64 values`
static bool says_left_out(const OnnxScan *scan)
{
  Str rest = str_slice(scan->text, scan->at, scan->at + 200);
  rest = str_slice(rest, 0, str_find_char(rest, '\n', 0));
  return str_contains(rest, STR("# left out:")) || str_contains(rest, STR("; left out:"));
}

static bool read_elements(OnnxScan *scan, uint32_t element, OnnxData *data)
{
  scan->at++;
  if (str_starts_with(str_slice(scan->text, scan->at, scan->text.len), STR("...}"))) {
    onnx_scan_mistake(scan, scan->at, scan->at + 3, STR("onnx can't read `...` where the values were left out."),
                      false);
    scan->at += 4;
    data->is_left_out = true;
    return true;
  }
  if (!onnx_take(scan, '}')) {
    do {
      onnx_skip_space(scan);
      if (!read_element(scan, element))
        return false;
      data->count++;
    } while (onnx_take(scan, ','));
    if (!onnx_need(scan, '}', "`,` or `}`"))
      return false;
  }
  data->is_left_out = data->count == 0 && says_left_out(scan);
  return true;
}

bool onnx_read_pairs(OnnxScan *scan, const OnnxPair **ret_pairs, uint32_t *ret_count)
{
  Vec(OnnxPair) pairs = { 0 };
  bool is_good = onnx_need(scan, '[', "`[`");
  if (is_good && !onnx_take(scan, ']')) {
    do {
      OnnxPair pair = { .at = { (onnx_skip_space(scan), scan->at), 0 } };
      is_good = (onnx_take_string(scan, &pair.key) || onnx_expected(scan, "a string")) && onnx_need(scan, ':', "`:`") &&
                (onnx_take_string(scan, &pair.value) || onnx_expected(scan, "a string"));
      pair.at.end = scan->at;
      vec_push(&pairs, pair);
    } while (is_good && onnx_take(scan, ','));
    is_good = is_good && onnx_need(scan, ']', "`]`");
  }
  OnnxPair *copy = ARENA_ARRAY(scan->arena, OnnxPair, pairs.count);
  if (pairs.count > 0)
    memcpy(copy, pairs.items, pairs.count * sizeof(*copy));
  *ret_pairs = copy;
  *ret_count = (uint32_t)pairs.count;
  vec_free(&pairs);
  return is_good;
}

bool onnx_at_left_out(const OnnxScan *scan)
{
  return str_starts_with(str_slice(scan->text, scan->at, scan->text.len), STR("..."));
}

/// What onnx's printer writes for values that it has no room for. Of one text that is told once.
static bool read_left_out(OnnxScan *scan, OnnxData *data)
{
  if (!onnx_at_left_out(scan))
    return false;
  if (!scan->has_told_left_out && !scan->is_silent)
    onnx_scan_mistake(scan, scan->at, scan->at + 3,
                      STR("The values were left out when this was printed, so the text can't be read back; onnxls show "
                          "--full prints all values of a model."),
                      false);
  scan->has_told_left_out = true;
  scan->at += 3;
  data->is_left_out = true;
  return true;
}

bool onnx_read_data(OnnxScan *scan, const OnnxType *type, OnnxData **ret_data)
{
  OnnxData *data = *ret_data = ARENA_NEW(scan->arena, OnnxData);
  char c = onnx_peek(scan);
  data->at.start = scan->at;
  if (!type || type->kind != ONNX_TYPE_TENSOR || !has_static_shape(type)) {
    onnx_scan_mistake(scan, scan->at, scan->at + 1,
                      STR("Values need a tensor type with a number for each dimension before them."), true);
    return false;
  }
  bool is_good = false;
  if (c == '{')
    is_good = read_elements(scan, type->element, data);
  else if (c == '[') {
    data->is_external = true;
    is_good = onnx_read_pairs(scan, &data->pairs, &data->pair_count);
  } else if (read_left_out(scan, data)) {
    is_good = true;
  } else {
    // onnx prints none of types that it has no numbers for, and reads that again.
    bool is_none = c == ',' || c == '>' || c == ')';
    is_good = is_none || onnx_expected(scan, "`{` or `[`");
  }
  data->at.end = scan->at;
  return is_good;
}

/// Copies numbers to one of the two lists.
static bool copy_numbers(const OnnxModel *model, const OnnxData *data, int64_t *whole, float *floats, size_t limit,
                         size_t *ret_count)
{
  *ret_count = 0;
  if (data->is_left_out || data->is_external || data->count > limit || data->at.end <= data->at.start + 1)
    return false;
  OnnxModel unused = { 0 };
  OnnxScan scan = { .model = &unused, .text = str_slice(model->text, 0, data->at.end - 1), .at = data->at.start + 1 };
  bool is_good = true;
  for (; is_good && *ret_count < data->count; (*ret_count)++) {
    int64_t number;
    double real;
    OnnxNumberKind kind = onnx_take_number(&scan, &number, &real);
    is_good = kind == ONNX_NUMBER_INT || (floats && kind == ONNX_NUMBER_FLOAT);
    if (floats && is_good)
      floats[*ret_count] = kind == ONNX_NUMBER_INT ? (float)number : (float)real;
    else if (is_good)
      whole[*ret_count] = number;
    onnx_take(&scan, ',');
  }
  onnx_tree_done(&unused);
  return is_good;
}

bool onnx_data_numbers(const OnnxModel *model, const OnnxData *data, int64_t *ret_numbers, size_t limit,
                       size_t *ret_count)
{
  return copy_numbers(model, data, ret_numbers, NULL, limit, ret_count);
}

bool onnx_data_floats(const OnnxModel *model, const OnnxData *data, float *ret_numbers, size_t limit, size_t *ret_count)
{
  return copy_numbers(model, data, NULL, ret_numbers, limit, ret_count);
}

bool onnx_noted_number(const OnnxModel *model, const OnnxData *data, Str note, uint64_t *ret_number)
{
  Str rest = str_slice(model->text, data->at.end, str_find_char(model->text, '\n', data->at.end));
  size_t at = model->is_printed ? str_find(rest, note, 0) : STR_NOT_FOUND;
  if (at == STR_NOT_FOUND)
    return false;
  Str digits = str_slice(rest, at + note.len, ascii_digits_end(rest, at + note.len));
  return str_to_uint(digits, UINT64_MAX, ret_number);
}

bool onnx_is_noted(const OnnxModel *model, const OnnxData *data, Str note)
{
  Str rest = str_slice(model->text, data->at.end, str_find_char(model->text, '\n', data->at.end));
  return model->is_printed && str_find(rest, note, 0) != STR_NOT_FOUND;
}
