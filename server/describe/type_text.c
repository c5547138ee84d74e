#include "describe/type_text.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "describe/markup.h"
#include "describe/type_tensor.h"

// --- Tensors in words ---

static bool is_static(const TensorText *tensor)
{
  for (size_t i = 0; i < tensor->rank && i < DIM_LIMIT; i++) {
    if (tensor->is_dynamic[i])
      return false;
  }
  return tensor->is_ranked && tensor->rank <= DIM_LIMIT;
}

static void append_shape(Buffer *out, const TensorText *tensor)
{
  buffer_append(out, STR(" of shape ["));
  for (size_t i = 0; i < tensor->rank && i < DIM_LIMIT; i++) {
    buffer_append(out, i > 0 ? STR(", ") : STR(""));
    buffer_append(out, str_slice(tensor->dims[i], 0, 40));
  }
  buffer_append(out, tensor->rank > DIM_LIMIT ? STR(", \xe2\x80\xa6]") : STR("]"));
}

static void append_dynamic(Buffer *out, const TensorText *tensor)
{
  size_t count = 0;
  for (size_t i = 0; i < tensor->rank && i < DIM_LIMIT; i++)
    count += tensor->is_dynamic[i];
  if (count == 0)
    return;
  if (count == tensor->rank) {
    buffer_append(out, count == 1 ? STR(", which is dynamic") : STR(", all of it dynamic"));
    return;
  }
  buffer_append(out, count == 1 ? STR(", dimension ") : STR(", dimensions "));
  size_t seen = 0;
  for (size_t i = 0; i < tensor->rank && i < DIM_LIMIT; i++) {
    if (!tensor->is_dynamic[i])
      continue;
    seen++;
    buffer_append(out, seen == 1 ? STR("") : seen == count ? STR(" and ") : STR(", "));
    buffer_printf(out, "%zu", i);
  }
  buffer_append(out, count == 1 ? STR(" is dynamic") : STR(" are dynamic"));
}

/// False if the count does not fit 48 bits, which no tensor of today needs.
static bool count_elements(const TensorText *tensor, uint64_t *ret_count)
{
  uint64_t count = 1;
  for (size_t i = 0; i < tensor->rank; i++) {
    if (tensor->sizes[i] > 0 && count > ((uint64_t)1 << 48) / tensor->sizes[i])
      return false;
    count *= tensor->sizes[i];
  }
  *ret_count = count;
  return true;
}

static void append_size(Buffer *out, const TensorText *tensor, Arena *arena)
{
  uint64_t count;
  if (!is_static(tensor) || tensor->rank == 0 || !count_elements(tensor, &count))
    return;
  Str digits = markup_group_digits(count, arena);
  buffer_printf(out, " (%.*s element%s", STR_ARG(digits), count == 1 ? "" : "s");
  double bytes = tensor->dtype ? (double)count * tensor->dtype->bytes : 0;
  static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
  int unit = -1;
  while (bytes >= 1024 && unit < 3) {
    bytes /= 1024;
    unit++;
  }
  if (unit >= 0)
    buffer_printf(out, bytes < 10 ? ", %.1f %s" : ", %.0f %s", bytes, units[unit]);
  buffer_append_char(out, ')');
}

/// Whether the strides walk the dimensions in `order`, the outermost first. Dimensions of size 1 don't matter.
static bool strides_follow(const TensorText *tensor, const uint64_t *strides, const size_t *order)
{
  uint64_t expected = 1;
  for (size_t i = tensor->rank; i-- > 0;) {
    size_t dim = order[i];
    if (tensor->sizes[dim] != 1 && strides[dim] != expected)
      return false;
    expected *= tensor->sizes[dim];
  }
  return true;
}

static void append_layout(Buffer *out, const TensorText *tensor)
{
  uint64_t strides[DIM_LIMIT];
  size_t order[DIM_LIMIT];
  size_t count = 0;
  Str rest = tensor->strides;
  Str item;
  while (count < DIM_LIMIT && type_next_item(&rest, &item) && str_to_uint(item, UINT64_MAX, &strides[count])) {
    order[count] = count;
    count++;
  }
  if (count == 0 || count != tensor->rank || !is_static(tensor))
    return;
  static const size_t channels_last[] = { 0, 2, 3, 1 };
  if (strides_follow(tensor, strides, order))
    buffer_append(out, STR(", contiguous"));
  else if (count == 4 && strides_follow(tensor, strides, channels_last))
    buffer_append(out, STR(", channels last"));
  else
    buffer_append(out, STR(", not contiguous"));
}

static void append_tensor(Buffer *out, const TensorText *tensor, bool is_plural, Arena *arena)
{
  const char *noun = is_plural ? "tensors" : "tensor";
  if (tensor->is_ranked && tensor->rank == 0) {
    buffer_printf(out, "%s scalar %s (rank 0)", tensor->dtype ? tensor->dtype->name : "", noun);
  } else if (tensor->is_ranked) {
    buffer_printf(out, "%s%s%s", tensor->dtype ? tensor->dtype->name : "", tensor->dtype ? " " : "", noun);
    append_shape(out, tensor);
    append_size(out, tensor, arena);
    append_dynamic(out, tensor);
    append_layout(out, tensor);
    if (!tensor->dtype)
      buffer_append(out, STR(", of unknown dtype"));
  } else {
    buffer_printf(out, "%s%s%s of unknown %s", tensor->dtype ? tensor->dtype->name : "", tensor->dtype ? " " : "", noun,
                  tensor->dtype ? "shape" : "dtype and shape");
  }
  if (tensor->device.len > 0)
    buffer_printf(out, ", on %.*s", STR_ARG(str_slice(tensor->device, 0, 40)));
  if (tensor->requires_grad)
    buffer_append(out, STR(", requires gradients"));
}

// --- Other types in words ---

static void append_class(Buffer *out, Str type)
{
  buffer_append(out, STR("module or script class "));
  Str rest = str_slice(type, 10, type.len);
  while (rest.len > 0) {
    size_t dot = str_find_char(rest, '.', 0);
    Str part = str_slice(rest, 0, dot);
    bool is_last = dot == STR_NOT_FOUND;
    // The compiler numbers the copies of a class; the number says nothing.
    if (!str_starts_with(part, STR("___torch_mangle_"))) {
      buffer_append(out, part);
      if (!is_last)
        buffer_append_char(out, '.');
    }
    rest = is_last ? (Str){ 0 } : str_slice(rest, dot + 1, rest.len);
  }
}

/// `Dict(str, Tensor[])` and the like: the text inside the brackets after `head`.
static bool inside(Str type, Str head, Str *ret_inside)
{
  if (!str_starts_with(type, head) || type.len < head.len + 2)
    return false;
  *ret_inside = str_slice(type, head.len + 1, type.len - 1);
  char open = type.data[head.len];
  return open == '(' || open == '[' || open == '<';
}

static void append_tuple(Buffer *out, Str items, Arena *arena)
{
  size_t count = 0;
  Str rest = items;
  Str item;
  while (type_next_item(&rest, &item))
    count++;
  if (count == 0) {
    buffer_append(out, STR("empty tuple"));
    return;
  }
  buffer_printf(out, "tuple of %zu: ", count);
  rest = items;
  for (size_t i = 0; i < DIM_LIMIT && type_next_item(&rest, &item); i++) {
    buffer_append(out, i > 0 ? STR(", ") : STR(""));
    buffer_append(out, type_brief(item, arena));
  }
  if (count > DIM_LIMIT)
    buffer_append(out, STR(", \xe2\x80\xa6"));
}

static void append_named_tuple(Buffer *out, Str items)
{
  Str item;
  buffer_append(out, STR("named tuple with "));
  for (size_t i = 0; i < DIM_LIMIT && type_next_item(&items, &item); i++) {
    buffer_append(out, i > 0 ? STR(", ") : STR(""));
    buffer_append(out, str_trim(str_slice(item, 0, str_find_char(item, ':', 0))));
  }
}

static Str word_for(Str type)
{
  static const struct {
    Str type;
    Str words;
  } known[] = {
    { STR_INIT("NoneType"), STR_INIT("None") },
    { STR_INIT("None"), STR_INIT("None") },
    { STR_INIT("Scalar"), STR_INIT("number: int, float, bool or complex") },
    { STR_INIT("number"), STR_INIT("number: int, float, bool or complex") },
    { STR_INIT("str"), STR_INIT("string") },
    { STR_INIT("Device"), STR_INIT("device such as cpu or cuda:0") },
    { STR_INIT("Generator"), STR_INIT("random number generator") },
    { STR_INIT("PyObject"), STR_INIT("Python object that TorchScript does not look into") },
    { STR_INIT("Any"), STR_INIT("value of any type") },
    { STR_INIT("Undefined"), STR_INIT("value of unknown type") },
    { STR_INIT("UNKNOWN_TYPE"), STR_INIT("value of unknown type") },
    { STR_INIT("UndefinedTensor"), STR_INIT("tensor that is not there") },
  };
  for (size_t i = 0; i < COUNT(known); i++) {
    if (str_equal(type, known[i].type))
      return known[i].words;
  }
  return (Str){ 0 };
}

/// Types that are neither tensors nor lists. Writes nothing for one that explains itself.
static void append_other(Buffer *out, Str type, Arena *arena)
{
  Str items;
  Str item;
  if (str_starts_with(type, STR("__torch__."))) {
    append_class(out, type);
  } else if (type.len >= 2 && type.data[0] == '(') {
    append_tuple(out, str_slice(type, 1, type.len - 1), arena);
  } else if (inside(type, STR("NamedTuple"), &items)) {
    append_named_tuple(out, items);
  } else if (inside(type, STR("Dict"), &items) && type_next_item(&items, &item)) {
    Str value = str_trim(items);
    buffer_printf(out, "dictionary from %.*s to %.*s", STR_ARG(item), STR_ARG(type_brief(value, arena)));
  } else if (inside(type, STR("Future"), &items) || inside(type, STR("Await"), &items)) {
    buffer_printf(out, "result of a task that may still run: %.*s", STR_ARG(type_brief(items, arena)));
  } else if (inside(type, STR("Union"), &items)) {
    buffer_printf(out, "one of %.*s", STR_ARG(items));
  } else if (inside(type, STR("Sym"), &items)) {
    buffer_printf(out, "symbolic number %.*s", STR_ARG(items));
  } else if (inside(type, STR("Enum"), &items)) {
    buffer_printf(out, "member of the enum %.*s", STR_ARG(items));
  } else {
    buffer_append(out, word_for(type));
  }
}

/// `f32[]` of an FX graph, which is no list.
static bool is_single_number(Str type)
{
  TensorText tensor;
  return str_ends_with(type, STR("[]")) && type_read_tensor(type, &tensor) && tensor.dtype &&
         str_equal(tensor.dtype->fx, str_slice(type, 0, type.len - 2));
}

/// Takes `[]` or `?` off the end of the type.
static bool take_suffix(Str *type, bool *ret_is_list)
{
  *ret_is_list = str_ends_with(*type, STR("[]"));
  if (!*ret_is_list && !str_ends_with(*type, STR("?")))
    return false;
  type->len -= *ret_is_list ? 2 : 1;
  return true;
}

Str type_explain(Str type, Arena *arena)
{
  type = str_trim(type);
  if (type.len == 0 || type.len > TYPE_TEXT_LIMIT)
    return (Str){ 0 };
  Buffer out = { 0 };
  TensorText tensor;
  bool is_list = false;
  bool has_list = false;
  bool is_optional = false;
  for (int i = 0; i < TYPE_SUFFIX_LIMIT && !is_single_number(type) && take_suffix(&type, &is_list); i++) {
    if (is_list)
      buffer_append(&out, has_list ? STR("lists of ") : STR("list of "));
    else if (!has_list)
      is_optional = true;
    else
      buffer_append(&out, STR("optional "));
    has_list = has_list || is_list;
  }
  size_t prefix = out.len;
  if (type_read_tensor(type, &tensor))
    append_tensor(&out, &tensor, has_list, arena);
  else
    append_other(&out, type, arena);
  if (out.len == prefix && (has_list || is_optional))
    buffer_append(&out, type);
  if (is_optional)
    buffer_append(&out, STR(", or None"));
  Str text = arena_copy(arena, markup_shorten(buffer_str(&out), 400, arena));
  buffer_done(&out);
  return text;
}

/// `seq(float[2])`, `optional(…)`, `map(int64,…)`, in each other.
static void append_wrapped(Buffer *out, Str type, Arena *arena)
{
  Str items, key;
  bool is_optional = false, is_plural = false;
  for (int i = 0; i < TYPE_SUFFIX_LIMIT; i++) {
    if (inside(type, STR("optional"), &items)) {
      buffer_append(out, is_plural ? STR("optional ") : STR(""));
      is_optional = is_optional || !is_plural;
    } else if (inside(type, STR("seq"), &items)) {
      buffer_append(out, is_plural ? STR("sequences of ") : STR("sequence of "));
      is_plural = true;
    } else if (inside(type, STR("map"), &items) && type_next_item(&items, &key)) {
      buffer_printf(out, "map%s from %.*s to ", is_plural ? "s" : "", STR_ARG(key));
      is_plural = true;
    } else if (inside(type, STR("sparse_tensor"), &items)) {
      buffer_append(out, STR("sparse "));
    } else {
      break;
    }
    type = str_trim(items);
  }
  TensorText tensor;
  if (type_read_onnx_tensor(type, &tensor))
    append_tensor(out, &tensor, is_plural, arena);
  else
    buffer_append(out, out->len > 0 ? type : STR(""));
  buffer_append(out, is_optional && out->len > 0 ? STR(", or nothing") : STR(""));
}

Str type_explain_onnx(Str type, Arena *arena)
{
  type = str_trim(type);
  if (type.len == 0 || type.len > TYPE_TEXT_LIMIT)
    return (Str){ 0 };
  Buffer out = { 0 };
  append_wrapped(&out, type, arena);
  Str text = arena_copy(arena, markup_shorten(buffer_str(&out), 400, arena));
  buffer_done(&out);
  return text;
}

Str type_brief(Str type, Arena *arena)
{
  type = str_trim(type);
  TensorText tensor;
  size_t open = str_find_char(type, '(', 0);
  // `__torch__.torch.nn.modules.conv.___torch_mangle_3.Conv2d`
  if (str_starts_with(type, STR("__torch__.")) && open == STR_NOT_FOUND)
    type = str_after_last(type, '.');
  if (open == STR_NOT_FOUND || type.len > TYPE_TEXT_LIMIT || !type_read_torch_tensor(type, &tensor))
    return markup_shorten(type, 80, arena);
  Buffer out = { 0 };
  buffer_append(&out, str_slice(type, 0, open + 1));
  for (size_t i = 0; i < tensor.rank && i < DIM_LIMIT; i++) {
    buffer_append(&out, i > 0 ? STR(", ") : STR(""));
    buffer_append(&out, str_slice(tensor.dims[i], 0, 40));
  }
  buffer_append(&out, tensor.rank > DIM_LIMIT ? STR(", \xe2\x80\xa6)") : STR(")"));
  Str brief = buffer_str(&out);
  // `Tensor()` is not a type; without sizes the head says it all.
  if (tensor.rank == 0 && !tensor.is_ranked)
    brief = str_slice(type, 0, open);
  brief = arena_copy(arena, brief);
  buffer_done(&out);
  return brief;
}

TypeClass type_class(Str type)
{
  static const struct {
    Str name;
    TypeClass class;
  } known[] = {
    { STR_INIT("int"), TYPE_INT },       { STR_INIT("SymInt"), TYPE_INT },      { STR_INIT("float"), TYPE_FLOAT },
    { STR_INIT("bool"), TYPE_BOOL },     { STR_INIT("complex"), TYPE_COMPLEX }, { STR_INIT("str"), TYPE_STRING },
    { STR_INIT("NoneType"), TYPE_NONE }, { STR_INIT("None"), TYPE_NONE },       { STR_INIT("Device"), TYPE_DEVICE },
  };
  type = str_trim(type);
  if (type.len == 0)
    return TYPE_UNKNOWN;
  while (str_ends_with(type, STR("?")))
    type.len--;
  if (is_single_number(type))
    return TYPE_TENSOR;
  if (str_ends_with(type, STR("[]")))
    return TYPE_LIST;
  for (size_t i = 0; i < COUNT(known); i++) {
    if (str_equal(type, known[i].name))
      return known[i].class;
  }
  TensorText tensor;
  return type.len <= TYPE_TEXT_LIMIT && type_read_tensor(type, &tensor) ? TYPE_TENSOR : TYPE_OTHER;
}

Str type_element(Str type)
{
  type = str_trim(type);
  while (str_ends_with(type, STR("?")))
    type.len--;
  return str_ends_with(type, STR("[]")) ? str_slice(type, 0, type.len - 2) : type;
}
