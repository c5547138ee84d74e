// Attributes of nodes and tensors, as they are written in ONNX text.

#include "base/ascii.h"
#include "base/limits.h"
#include "facts/onnx_elements.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/tools/made_model.h"

/// A number as Python and ONNX text both write it: "-1.5e-3".
static bool is_number(Str text)
{
  size_t start = text.len > 0 && text.data[0] == '-';
  bool is_plain = start < text.len && ascii_is_digit(text.data[start]) && ascii_is_digit(text.data[text.len - 1]);
  for (size_t i = start; i < text.len && is_plain; i++)
    is_plain = ascii_is_digit(text.data[i]) || text.data[i] == '.' || text.data[i] == 'e' || text.data[i] == '-';
  return is_plain && !(text.len > start + 1 && text.data[start] == '0' && ascii_is_digit(text.data[start + 1]));
}

/// What an element or an attribute is, as helper.make_attribute() tells it.
typedef enum ValueKind {
  VALUE_UNKNOWN,
  VALUE_INT,
  VALUE_FLOAT,
  VALUE_STRING,
} ValueKind;

/// A number or a string that is written out; `*ret_text` is how ONNX text has it.
static ValueKind scalar(const Maker *maker, MadeItem item, Str *ret_text)
{
  Arena *arena = maker->work->arena;
  int64_t number;
  Str string, text = py_text(&item.model->tree, item.node);
  if (py_model_int(item.model, item.node, &number)) {
    *ret_text = arena_printf(arena, "%lld", (long long)number);
    return VALUE_INT;
  }
  if (py_model_string(item.model, item.node, arena, &string)) {
    Buffer quoted = { 0 };
    made_quote(&quoted, string);
    *ret_text = arena_copy(arena, buffer_str(&quoted));
    buffer_done(&quoted);
    return VALUE_STRING;
  }
  PyNodeKind kind = py_kind(&item.model->tree, item.node);
  if (kind == PYK_TRUE || kind == PYK_FALSE) {
    *ret_text = kind == PYK_TRUE ? STR("1") : STR("0");
    return VALUE_INT;
  }
  if ((kind == PYK_FLOAT || kind == PYK_UNARY_OPERATOR) && is_number(text)) {
    *ret_text = text;
    return VALUE_FLOAT;
  }
  Str word;
  bool is_type = (kind == PYK_ATTRIBUTE || kind == PYK_IDENTIFIER) && made_element(maker, item, &word);
  if (is_type)
    *ret_text = arena_printf(arena, "%u", onnx_element_of(word));
  return is_type ? VALUE_INT : VALUE_UNKNOWN;
}

/// The values of a list that is written out, `1, 2`, and what they are all; VALUE_UNKNOWN if there are others or none.
static ValueKind scalars(const Maker *maker, MadeItem list, Buffer *text, size_t *ret_count)
{
  MadeItems items = { 0 };
  ValueKind all = VALUE_UNKNOWN;
  bool is_known = made_list(maker->work, list, &items) && items.count <= PY_ELEMENT_LIMIT;
  for (size_t i = 0; i < items.count && is_known; i++) {
    Str value;
    ValueKind kind = scalar(maker, items.items[i], &value);
    bool are_numbers = (kind == VALUE_INT || kind == VALUE_FLOAT) && (all == VALUE_INT || all == VALUE_FLOAT);
    is_known = kind != VALUE_UNKNOWN && (i == 0 || kind == all || are_numbers);
    all = i > 0 && are_numbers && kind != all ? VALUE_FLOAT : kind;
    if (is_known)
      buffer_printf(text, "%s%.*s", i > 0 ? ", " : "", STR_ARG(value));
  }
  *ret_count = items.count;
  vec_free(&items);
  return is_known ? all : VALUE_UNKNOWN;
}

// --- Tensors ---

static Str left_out(const Maker *maker, int64_t count)
{
  return arena_printf(maker->work->arena, "  # left out: %lld values", (long long)count);
}

void made_data(const Maker *maker, MadeItem values, Str word, int64_t count, Str *ret_note)
{
  Buffer *text = &maker->made->text, data = { 0 };
  size_t found = 0;
  PyNodeKind form = values.node ? py_kind(&values.model->tree, values.node) : PYK_OTHER;
  bool is_list = form == PYK_LIST || form == PYK_TUPLE;
  ValueKind kind = is_list ? scalars(maker, values, &data, &found) : VALUE_UNKNOWN;
  Str alone;
  if (!is_list && values.node && (kind = scalar(maker, values, &alone)) != VALUE_UNKNOWN)
    buffer_append(&data, alone);
  bool takes_floats = onnx_element_takes_floats(onnx_element_of(word));
  bool fits = kind == VALUE_INT || (kind == VALUE_FLOAT && takes_floats);
  if (fits && !str_equal(word, STR("bool")))
    buffer_printf(text, " {%.*s}", STR_ARG(buffer_str(&data)));
  else
    buffer_append(text, STR(" {}"));
  if (!fits || str_equal(word, STR("bool")))
    *ret_note = left_out(maker, count);
  buffer_done(&data);
}

void made_type(const Maker *maker, Str word, const int64_t *sizes, int rank, Str name)
{
  Buffer *text = &maker->made->text;
  buffer_append(text, word);
  for (int i = 0; i < rank; i++)
    buffer_printf(text, "%c%lld", i == 0 ? '[' : ',', (long long)sizes[i]);
  if (rank > 0)
    buffer_append_char(text, ']');
  if (name.len > 0) {
    buffer_append_char(text, ' ');
    made_quote(text, name);
    buffer_append(text, STR(" ="));
  }
}

/// `make_tensor("w", TensorProto.FLOAT, [2], [0.5, 1.0])`
static bool write_made(Maker *maker, MadeItem tensor, Str name, Str *ret_note)
{
  int64_t sizes[PY_SHAPE_RANK_LIMIT] = { 0 }, count = 1;
  MadeItems items = { 0 };
  Str word;
  MadeItem dims = made_argument(tensor, 2, "dims");
  bool is_known = dims.node && made_element(maker, made_argument(tensor, 1, "data_type"), &word) &&
                  made_list(maker->work, dims, &items) && items.count <= PY_SHAPE_RANK_LIMIT &&
                  !made_argument(tensor, 4, "raw").node;
  int rank = (int)items.count;
  for (int i = 0; i < rank && is_known; i++) {
    is_known = py_model_int(items.items[i].model, items.items[i].node, &sizes[i]) && sizes[i] >= 0 &&
               sizes[i] < PY_DIM_NUMBER_LIMIT && count < PY_DIM_NUMBER_LIMIT;
    count *= is_known ? sizes[i] : 1;
  }
  vec_free(&items);
  if (!is_known)
    return false;
  made_type(maker, word, sizes, rank, name);
  made_data(maker, made_resolve(made_argument(tensor, 3, "vals")), word, count, ret_note);
  return true;
}

/// What numpy.array() is given, of a call of it with a type.
static MadeItem array_data(MadeItem array)
{
  const PyCall *call = array.node ? py_model_call(array.model, array.node) : NULL;
  bool is_array =
      call && (str_equal(call->qualified, STR("numpy.array")) || str_equal(call->qualified, STR("numpy.asarray")));
  return is_array ? made_resolve(made_argument(array, 0, "object")) : (MadeItem){ 0 };
}

static MadeItem array_given(MadeItem tensor)
{
  MadeItem array = made_resolve(made_argument(tensor, 0, "array"));
  return array.node ? array : made_resolve(made_argument(tensor, 0, "arr"));
}

/// "float" of an array of float32; empty if its type is not known.
static Str array_word(const Maker *maker, MadeItem array)
{
  Str type = array.node ? example_array_type(array.model, array.node, maker->work->arena) : (Str){ 0 };
  Str word = str_equal(type, STR("float32")) ? STR("float") : str_equal(type, STR("float64")) ? STR("double") : type;
  return onnx_element_of(word) == 0 ? (Str){ 0 } : word;
}

bool made_array_element(const Maker *maker, MadeItem tensor, Str *ret_word)
{
  *ret_word = array_word(maker, array_given(tensor));
  return ret_word->len > 0;
}

/// What an array is of; false if its type or its sizes are not known.
static bool read_array(const Maker *maker, MadeItem array, Str *ret_word, ExampleShape *ret_shape, int64_t *ret_count)
{
  *ret_word = array_word(maker, array);
  *ret_shape = ret_word->len > 0 ? example_array_shape(array.model, array.node) : (ExampleShape){ .rank = -1 };
  *ret_count = 1;
  if (ret_shape->rank < 0 || ret_shape->rank > PY_SHAPE_RANK_LIMIT)
    return false;
  for (int i = 0; i < ret_shape->rank; i++) {
    if (ret_shape->sizes[i] < 0 || ret_shape->sizes[i] > PY_DIM_NUMBER_LIMIT || *ret_count > PY_DIM_NUMBER_LIMIT)
      return false;
    *ret_count *= ret_shape->sizes[i];
  }
  return true;
}

/// `numpy_helper.from_array(numpy.array([1, 2]), "w")`
static bool write_array(Maker *maker, MadeItem tensor, Str name, Str *ret_note)
{
  MadeItem array = array_given(tensor);
  ExampleShape shape;
  int64_t count, sizes[PY_SHAPE_RANK_LIMIT] = { 0 };
  Str word;
  if (!read_array(maker, array, &word, &shape, &count))
    return false;
  for (int i = 0; i < shape.rank; i++)
    sizes[i] = shape.sizes[i];
  made_type(maker, word, sizes, shape.rank, name);
  made_data(maker, shape.rank == 1 ? array_data(array) : (MadeItem){ 0 }, word, count, ret_note);
  return true;
}

bool made_tensor(Maker *maker, MadeItem tensor, Str name, Str *ret_note)
{
  return made_call(tensor, "onnx.helper.make_tensor") ? write_made(maker, tensor, name, ret_note)
                                                      : write_array(maker, tensor, name, ret_note);
}

// --- Attributes ---

/// An array of numpy as an attribute: what helper.make_attribute() makes a list of.
static bool write_array_values(Maker *maker, MadeItem value)
{
  ExampleShape shape;
  int64_t count;
  Str word;
  if (!read_array(maker, value, &word, &shape, &count) || shape.rank != 1 || count == 0)
    return false;
  bool is_float = onnx_element_takes_floats(onnx_element_of(word));
  buffer_append(&maker->made->text, is_float ? STR(": floats = [0.5]") : STR(": ints = [1]"));
  return true;
}

static bool write_list(Maker *maker, MadeItem value)
{
  static const char *const words[] = { "", "ints", "floats", "strings" };
  Buffer list = { 0 };
  size_t count = 0;
  ValueKind kind = scalars(maker, value, &list, &count);
  if (kind != VALUE_UNKNOWN)
    buffer_printf(&maker->made->text, ": %s = [%.*s]", words[kind], STR_ARG(buffer_str(&list)));
  buffer_done(&list);
  return kind != VALUE_UNKNOWN;
}

bool made_suffixed(Maker *maker, MadeItem value, Str suffix)
{
  static const struct {
    const char *suffix, *one, *many;
    ValueKind kind;
  } kinds[] = { { "i", "int", "ints", VALUE_INT },
                { "f", "float", "floats", VALUE_FLOAT },
                { "s", "string", "strings", VALUE_STRING } };
  PyNodeKind form = py_kind(&value.model->tree, value.node);
  bool is_list = form == PYK_LIST || form == PYK_TUPLE;
  Buffer list = { 0 };
  size_t count = 0;
  Str alone = { 0 };
  ValueKind kind = is_list ? scalars(maker, value, &list, &count) : scalar(maker, value, &alone);
  bool is_known = false;
  for (size_t i = 0; i < COUNT(kinds) && kind != VALUE_UNKNOWN; i++) {
    bool fits = kind == kinds[i].kind || (kind == VALUE_INT && kinds[i].kind == VALUE_FLOAT);
    if (!fits || !str_is(suffix, kinds[i].suffix))
      continue;
    is_known = true;
    if (is_list)
      buffer_printf(&maker->made->text, ": %s = [%.*s]", kinds[i].many, STR_ARG(buffer_str(&list)));
    else
      buffer_printf(&maker->made->text, ": %s = %.*s", kinds[i].one, STR_ARG(alone));
  }
  buffer_done(&list);
  return is_known;
}

/// What follows the name of an attribute.
static bool write_attribute(Maker *maker, MadeItem value)
{
  static const char *const words[] = { "", "int", "float", "string" };
  Buffer *text = &maker->made->text;
  PyNodeKind form = py_kind(&value.model->tree, value.node);
  Str scalar_text, note = { 0 };
  if (form == PYK_LIST || form == PYK_TUPLE)
    return write_list(maker, value);
  ValueKind kind = scalar(maker, value, &scalar_text);
  if (kind != VALUE_UNKNOWN) {
    buffer_printf(text, ": %s = %.*s", words[kind], STR_ARG(scalar_text));
    return true;
  }
  if (made_call(value, "onnx.helper.make_graph")) {
    buffer_append(text, STR(": graph = "));
    return made_graph(maker, &value);
  }
  if (made_call(value, "onnx.helper.make_tensor") || made_call(value, "onnx.numpy_helper.from_array")) {
    buffer_append(text, STR(": tensor = "));
    bool is_known = made_tensor(maker, value, (Str){ 0 }, &note);
    buffer_printf(text, "%.*s\n", STR_ARG(note));
    return is_known;
  }
  return write_array_values(maker, value);
}

bool made_attributes(Maker *maker, MadeItem node)
{
  static const char *const others[] = { "op_type", "inputs", "outputs", "name", "doc_string", "domain", "overload" };
  const PyCall *call = py_model_call(node.model, node.node);
  Buffer *text = &maker->made->text;
  size_t count = 0;
  if (call->has_dictionary_splat)
    return false;
  for (PY_EACH_ARGUMENT(node.model, argument, call)) {
    Str name = argument->keyword;
    MadeItem value = made_followed(maker->work, (MadeItem){ node.model, argument->value, 0 });
    if (name.len == 0 || str_is_one_of(name, others, COUNT(others)) ||
        (value.node && py_kind(&value.model->tree, value.node) == PYK_NONE))
      continue;
    uint32_t start = (uint32_t)text->len;
    buffer_printf(text, count++ == 0 ? " <%.*s" : ", %.*s", STR_ARG(name));
    if (!value.node || !write_attribute(maker, value))
      return false;
    // Where a function of the file is given what is written out, the call has it.
    bool is_given = py_kind(&value.model->tree, value.node) != PYK_CALL &&
                    py_model_scope_of(node.model, value.node) != py_model_scope_of(node.model, argument->node);
    vec_push(&maker->made->places,
             (MadePlace){ start, (uint32_t)text->len, is_given ? value.node : argument->node, false, false });
  }
  if (count > 0)
    buffer_append_char(text, '>');
  return true;
}
