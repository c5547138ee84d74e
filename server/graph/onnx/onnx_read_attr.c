// Attributes: `alpha: float = 1.0`, `axes = [0, 1]`, `value = float[2] {1, 2}`, `mode: string = @mode`.

#include "facts/onnx_elements.h"
#include "graph/onnx/onnx_read.h"

static OnnxAttributeType type_of_word(Str word)
{
  for (int type = ONNX_FLOAT; type <= ONNX_TYPE_PROTOS; type++) {
    if (str_equal(word, str_from(onnx_attribute_type_name((OnnxAttributeType)type))))
      return (OnnxAttributeType)type;
  }
  return ONNX_UNDEFINED;
}

static OnnxAttributeType single_of(OnnxAttributeType list)
{
  switch (list) {
  case ONNX_FLOATS:
    return ONNX_FLOAT;
  case ONNX_INTS:
    return ONNX_INT;
  case ONNX_STRINGS:
    return ONNX_STRING;
  case ONNX_TENSORS:
    return ONNX_TENSOR;
  case ONNX_GRAPHS:
    return ONNX_GRAPH;
  case ONNX_SPARSE_TENSORS:
    return ONNX_SPARSE_TENSOR;
  case ONNX_TYPE_PROTOS:
    return ONNX_TYPE_PROTO;
  default:
    return list;
  }
}

static OnnxAttributeType list_of(OnnxAttributeType single)
{
  switch (single) {
  case ONNX_FLOAT:
    return ONNX_FLOATS;
  case ONNX_INT:
    return ONNX_INTS;
  case ONNX_STRING:
    return ONNX_STRINGS;
  default:
    return ONNX_UNDEFINED;
  }
}

/// The type of one value, and the value in `attr`.
typedef struct Single {
  OnnxAttributeType type;
  bool is_graph;
} Single;

static bool read_number(OnnxScan *scan, OnnxAttr *attr, Single *single)
{
  uint32_t start = (onnx_skip_space(scan), scan->at);
  OnnxNumberKind kind = onnx_take_number(scan, &attr->number, &attr->real);
  bool fits = kind != ONNX_NUMBER_FLOAT || onnx_float_fits(str_slice(scan->text, start, scan->at), false);
  // A whole number over 63 bits is taken for the values of a uint64 tensor alone.
  bool is_large = kind == ONNX_NUMBER_INT && attr->real > 9.3e18;
  if (kind == ONNX_NUMBER_INT && attr->real > 0 && attr->number < 0)
    is_large = true;
  if (kind == ONNX_NUMBER_NONE)
    return onnx_expected(scan, "a value");
  if (!fits || is_large || kind == ONNX_NUMBER_TOO_LARGE) {
    onnx_scan_mistake(
        scan, start, scan->at,
        fits ? STR("This number doesn't fit into 64 bits.") : STR("This number doesn't fit into a float."), false);
  }
  single->type = kind == ONNX_NUMBER_FLOAT ? ONNX_FLOAT : ONNX_INT;
  return true;
}

/// A type, or a tensor if values or a name follow.
static bool read_typed(OnnxScan *scan, OnnxAttr *attr, Single *single)
{
  if (!onnx_read_type(scan, &attr->value_type))
    return false;
  char next = onnx_peek(scan);
  OnnxName name;
  bool has_name = onnx_peek_word(scan).len > 0 && onnx_take_name(scan, &name);
  bool has_values = next == '{' || next == '=' || onnx_at_left_out(scan);
  single->type = has_name || has_values ? ONNX_TENSOR : ONNX_TYPE_PROTO;
  if (single->type == ONNX_TYPE_PROTO)
    return true;
  bool has_sign = onnx_take(scan, '=');
  next = onnx_peek(scan);
  if (next != '{' && next != '[' && !has_sign &&
      !onnx_at_left_out(scan)) {  // A name without values is a tensor that holds nothing.
    attr->data = ARENA_NEW(scan->arena, OnnxData);
    attr->data->at = (OnnxSpan){ scan->at, scan->at };
    return true;
  }
  return onnx_read_data(scan, attr->value_type, &attr->data);
}

static bool read_single(OnnxScan *scan, OnnxAttr *attr, OnnxAttributeType written, Single *single)
{
  *single = (Single){ 0 };
  char c = onnx_peek(scan);
  if (c == '"') {
    single->type = ONNX_STRING;
    return onnx_take_string(scan, &attr->text);
  }
  if (c == '@') {
    scan->at++;
    Str name;
    attr->is_reference = true;
    single->type = written;
    if (!onnx_take_printed_word(scan, &name))
      return onnx_expected(scan, "the name of an attribute");
    attr->reference = name;
    return true;
  }
  if (c == '-' || (c >= '0' && c <= '9'))
    return read_number(scan, attr, single);
  Str word = onnx_peek_word(scan);
  if (word.len == 0)
    return onnx_expected(scan, "a value");
  if (str_equal_ignore_case(word, STR("inf")) || str_equal_ignore_case(word, STR("nan")) ||
      str_equal_ignore_case(word, STR("infinity")))
    return read_number(scan, attr, single);
  uint32_t start = scan->at;
  scan->at += (uint32_t)word.len;
  char next = onnx_peek(scan);
  scan->at = start;
  bool is_wrapper = next == '(' && onnx_at_type(scan);
  if (is_wrapper || onnx_element_of(word) != 0)
    return read_typed(scan, attr, single);
  single->type = ONNX_GRAPH;
  single->is_graph = true;
  return true;
}

static bool mismatch(OnnxScan *scan, OnnxAttr *attr, uint32_t start, OnnxAttributeType want, OnnxAttributeType found)
{
  attr->is_reported = true;
  onnx_scan_mistake(scan, start, scan->at,
                    arena_printf(scan->arena, "`%.*s` is %s here, and this is %s.", STR_ARG(attr->name.text),
                                 onnx_attribute_type_name(want), onnx_attribute_type_name(found)),
                    false);
  return true;
}

/// What is known of a list while its values are read.
typedef struct List {
  OnnxAttributeType written;  ///< Before the `=`; ONNX_UNDEFINED if nothing is.
  OnnxAttributeType want;     ///< Of each value, as soon as it is known.
  bool has_said;              ///< That a value is of another type: once a list is enough.
  Vec(int64_t) numbers;
} List;

/// `[]`: only a written type says what it is a list of.
static void end_empty_list(OnnxScan *scan, OnnxAttr *attr, uint32_t start)
{
  attr->is_reported = attr->type == ONNX_UNDEFINED;
  if (attr->is_reported)
    onnx_scan_mistake(scan, start, scan->at,
                      STR("An empty list needs its type before the `=`, as in `axes: ints = []`."), false);
  else if (single_of(attr->type) == attr->type)
    mismatch(scan, attr, start, attr->type, ONNX_UNDEFINED);
}

/// False where reading can't go on.
static bool read_element(OnnxScan *scan, OnnxAttr *attr, List *list)
{
  Single single;
  uint32_t start = (onnx_skip_space(scan), scan->at);
  bool is_good = read_single(scan, attr, list->want, &single);
  if (is_good && single.is_graph)  // Parsed and dropped by onnx; such an attribute has no type then.
    is_good = onnx_expected(scan, "a value that a list may hold");
  bool fits = list->want == ONNX_UNDEFINED || single.type == list->want ||
              (list->want == ONNX_FLOAT && single.type == ONNX_INT);
  if (attr->is_reference && list->written != ONNX_UNDEFINED)
    fits = false;
  if (is_good && !fits && !list->has_said)
    list->has_said = mismatch(scan, attr, start, list->want, single.type);
  if (list->want == ONNX_UNDEFINED && list_of(single.type) != ONNX_UNDEFINED) {
    list->want = single.type;
    attr->type = list_of(single.type);
  }
  if (single.type == ONNX_INT)
    vec_push(&list->numbers, attr->number);
  attr->count++;
  return is_good;
}

/// `[1, 2]`. The first value says of which type all are, unless that is written.
static OnnxAttrResult read_list(OnnxScan *scan, OnnxAttr *attr)
{
  List list = { .written = attr->type, .want = single_of(attr->type) };
  uint32_t start = scan->at++;
  if (onnx_take(scan, ']')) {
    end_empty_list(scan, attr, start);
    return ONNX_ATTR_WHOLE;
  }
  bool is_good = true;
  do {
    is_good = read_element(scan, attr, &list);
  } while (is_good && onnx_take(scan, ','));
  attr->is_reference = false;
  if (attr->type == ONNX_INT || attr->type == ONNX_FLOAT || attr->type == ONNX_STRING)
    attr->type = list_of(attr->type);
  attr->numbers = vec_copy(&list.numbers, scan->arena);
  if (attr->type == ONNX_INTS)
    attr->count = list.numbers.count;
  vec_free(&list.numbers);
  return is_good && onnx_need(scan, ']', "`,` or `]`") ? ONNX_ATTR_WHOLE : ONNX_ATTR_BAD;
}

/// onnx keeps the default of a function's attribute, whatever type is written before it.
static OnnxAttrResult read_value(OnnxScan *scan, bool needs_value, OnnxAttr *attr)
{
  onnx_skip_space(scan);
  attr->value_at.start = scan->at;
  if (onnx_peek(scan) == '[')
    return read_list(scan, attr);
  Single single;
  if (!read_single(scan, attr, attr->type, &single))
    return ONNX_ATTR_BAD;
  OnnxAttributeType written = attr->type;
  attr->type = single.type;
  // onnx reads a whole number for a float, and its checker refuses what comes out.
  attr->is_contradictory = written == ONNX_FLOAT && single.type == ONNX_INT;
  if (written != ONNX_UNDEFINED && written != single.type && !attr->is_contradictory && needs_value)
    mismatch(scan, attr, attr->value_at.start, written, single.type);
  return single.is_graph ? ONNX_ATTR_GRAPH : ONNX_ATTR_WHOLE;
}

/// `axis: int = 0  # no value: "axis"`
static bool is_noted_empty(const OnnxScan *scan, const OnnxAttr *attr)
{
  static const Str note = STR_INIT(ONNX_NO_VALUE_NOTE);
  bool is_zero = (attr->type == ONNX_INT && attr->number == 0) || (attr->type == ONNX_STRING && attr->text.len == 0);
  if (!scan->model->is_printed || !is_zero || attr->is_reference)
    return false;
  Str rest = str_slice(scan->text, scan->at, str_find_char(scan->text, '\n', scan->at));
  for (size_t at = str_find_char(rest, '#', 0); at != STR_NOT_FOUND;) {
    at = str_find(rest, note, at);
    if (at == STR_NOT_FOUND)
      break;
    at += note.len;
    Str name = str_slice(rest, at, str_find_char(rest, '"', at));
    if (str_equal(name, attr->name.text))
      return true;
  }
  return false;
}

OnnxAttrResult onnx_read_attr(OnnxScan *scan, bool needs_value, OnnxAttr **ret_attr)
{
  OnnxAttr *attr = *ret_attr = ARENA_NEW(scan->arena, OnnxAttr);
  onnx_skip_space(scan);
  attr->at.start = attr->name.at.start = scan->at;
  attr->name.symbol = ONNX_NO_SYMBOL;
  if (!onnx_take_printed_word(scan, &attr->name.text)) {
    onnx_expected(scan, "the name of an attribute");
    return ONNX_ATTR_BAD;
  }
  attr->name.at.end = attr->at.end = scan->at;
  if (onnx_take(scan, ':')) {
    Str word = onnx_peek_word(scan);
    attr->type = type_of_word(word);
    if (attr->type == ONNX_UNDEFINED) {
      onnx_expected(scan, "the type of the attribute, such as `ints`");
      return ONNX_ATTR_BAD;
    }
    scan->at += (uint32_t)word.len;
  }
  if (!needs_value && onnx_peek(scan) != '=')
    return ONNX_ATTR_WHOLE;
  if (!onnx_need(scan, '=', "`=`"))
    return ONNX_ATTR_BAD;
  OnnxAttrResult result = read_value(scan, needs_value, attr);
  attr->at.end = attr->value_at.end = scan->at;
  attr->lacks_value = result == ONNX_ATTR_WHOLE && is_noted_empty(scan, attr);
  return result;
}
