#include "describe/type_tensor.h"

#include "base/ascii.h"
#include "base/limits.h"

static const Dtype dtypes[] = {
  { STR_INIT("Float"), STR_INIT("FLOAT"), STR_INIT("f32"), "float32", 4 },
  { STR_INIT("Long"), STR_INIT("INT64"), STR_INIT("i64"), "int64", 8 },
  { STR_INIT("Int"), STR_INIT("INT32"), STR_INIT("i32"), "int32", 4 },
  { STR_INIT("Bool"), STR_INIT("BOOL"), STR_INIT("b8"), "bool", 1 },
  { STR_INIT("Half"), STR_INIT("FLOAT16"), STR_INIT("f16"), "float16", 2 },
  { STR_INIT("BFloat16"), STR_INIT("BFLOAT16"), STR_INIT("bf16"), "bfloat16", 2 },
  { STR_INIT("Double"), STR_INIT("DOUBLE"), STR_INIT("f64"), "float64", 8 },
  { STR_INIT("Byte"), STR_INIT("UINT8"), STR_INIT("u8"), "uint8", 1 },
  { STR_INIT("Char"), STR_INIT("INT8"), STR_INIT("i8"), "int8", 1 },
  { STR_INIT("Short"), STR_INIT("INT16"), STR_INIT("i16"), "int16", 2 },
  { STR_INIT("UInt16"), STR_INIT("UINT16"), STR_INIT("u16"), "uint16", 2 },
  { STR_INIT("UInt32"), STR_INIT("UINT32"), STR_INIT("u32"), "uint32", 4 },
  { STR_INIT("UInt64"), STR_INIT("UINT64"), STR_INIT("u64"), "uint64", 8 },
  { STR_INIT("ComplexHalf"), STR_INIT(""), STR_INIT("c32"), "complex32", 4 },
  { STR_INIT("ComplexFloat"), STR_INIT("COMPLEX64"), STR_INIT("c64"), "complex64", 8 },
  { STR_INIT("ComplexDouble"), STR_INIT("COMPLEX128"), STR_INIT("c128"), "complex128", 16 },
  { STR_INIT("QInt8"), STR_INIT(""), STR_INIT(""), "quantized int8", 1 },
  { STR_INIT("QUInt8"), STR_INIT(""), STR_INIT(""), "quantized uint8", 1 },
  { STR_INIT("QInt32"), STR_INIT(""), STR_INIT(""), "quantized int32", 4 },
  { STR_INIT("QUInt4x2"), STR_INIT(""), STR_INIT(""), "quantized uint4", 0 },
  { STR_INIT("QUInt2x4"), STR_INIT(""), STR_INIT(""), "quantized uint2", 0 },
  { STR_INIT("Float8_e5m2"), STR_INIT("FLOAT8E5M2"), STR_INIT("f8e5m2"), "float8 e5m2", 1 },
  { STR_INIT("Float8_e4m3fn"), STR_INIT("FLOAT8E4M3FN"), STR_INIT("f8e4m3fn"), "float8 e4m3fn", 1 },
  { STR_INIT("Float8_e5m2fnuz"), STR_INIT("FLOAT8E5M2FNUZ"), STR_INIT("f8e5m2fnuz"), "float8 e5m2fnuz", 1 },
  { STR_INIT("Float8_e4m3fnuz"), STR_INIT("FLOAT8E4M3FNUZ"), STR_INIT("f8e4m3fnuz"), "float8 e4m3fnuz", 1 },
  { STR_INIT("Float8_e8m0fnu"), STR_INIT("FLOAT8E8M0"), STR_INIT("f8e8m0fnu"), "float8 e8m0", 1 },
  { STR_INIT(""), STR_INIT("FLOAT4E2M1"), STR_INIT(""), "float4 e2m1", 0 },
  { STR_INIT(""), STR_INIT("INT4"), STR_INIT(""), "int4", 0 },
  { STR_INIT(""), STR_INIT("UINT4"), STR_INIT(""), "uint4", 0 },
  { STR_INIT(""), STR_INIT("INT2"), STR_INIT(""), "int2", 0 },
  { STR_INIT(""), STR_INIT("UINT2"), STR_INIT(""), "uint2", 0 },
  { STR_INIT(""), STR_INIT("STRING"), STR_INIT(""), "string", 0 },
};

static const Dtype *find_dtype(Str name)
{
  for (size_t i = 0; i < COUNT(dtypes); i++) {
    if (name.len > 0 && (str_equal(name, dtypes[i].torch) || str_equal(name, dtypes[i].onnx)))
      return &dtypes[i];
  }
  return NULL;
}

bool type_next_item(Str *list, Str *ret_item)
{
  size_t depth = 0;
  size_t end = 0;
  if (list->len == 0)
    return false;
  for (; end < list->len; end++) {
    char c = list->data[end];
    if (c == '(' || c == '[' || c == '<' || c == '{')
      depth++;
    else if ((c == ')' || c == ']' || c == '>' || c == '}') && depth > 0)
      depth--;
    else if (c == ',' && depth == 0)
      break;
  }
  *ret_item = str_trim(str_slice(*list, 0, end));
  *list = str_slice(*list, end + 1, list->len);
  return true;
}

static void add_dim(TensorText *tensor, Str dim)
{
  // Torch 1.5 to 1.7 print size:stride.
  size_t colon = str_find_char(dim, ':', 0);
  if (colon != STR_NOT_FOUND)
    dim = str_slice(dim, 0, colon);
  tensor->is_ranked = true;
  if (tensor->rank < DIM_LIMIT) {
    uint64_t size = 0;
    tensor->is_dynamic[tensor->rank] = !str_to_uint(dim, UINT32_MAX, &size);
    tensor->dims[tensor->rank] = dim;
    tensor->sizes[tensor->rank] = size;
  }
  tensor->rank++;
}

static void read_tensor_item(TensorText *tensor, Str item)
{
  if (str_starts_with(item, STR("strides=[")))
    tensor->strides = str_slice(item, 9, item.len - 1);
  else if (str_starts_with(item, STR("device=")))
    tensor->device = str_slice(item, 7, item.len);
  else if (str_starts_with(item, STR("requires_grad=")))
    tensor->requires_grad = str_ends_with(item, STR("1"));
  else if (item.len > 0 && str_find_char(item, '=', 0) == STR_NOT_FOUND)
    add_dim(tensor, item);
}

/// `Float(1, 3, strides=[3, 1], requires_grad=0, device=cpu)`, `FloatTensor`, `Tensor(2, *)`, `Dynamic`.
bool type_read_torch_tensor(Str type, TensorText *ret_tensor)
{
  size_t open = str_find_char(type, '(', 0);
  Str head = str_slice(type, 0, open);
  TensorText tensor = { .dtype = find_dtype(head) };
  if (open == STR_NOT_FOUND) {
    bool is_any = str_equal(type, STR("Tensor")) || str_equal(type, STR("Dynamic"));
    if (!is_any && !str_ends_with(type, STR("Tensor")))
      return false;
    tensor.dtype = is_any ? tensor.dtype : find_dtype(str_slice(type, 0, type.len - 6));
    if (!is_any && !tensor.dtype)
      return false;
    *ret_tensor = tensor;
    return true;
  }
  if (!tensor.dtype && !str_equal(head, STR("Tensor")))
    return false;
  // A dtype without sizes is a tensor of rank 0; `Tensor(device=cpu)` is of any rank.
  tensor.is_ranked = tensor.dtype != NULL;
  if (!str_ends_with(type, STR(")")))
    return false;
  Str rest = str_slice(type, open + 1, type.len - 1);
  Str item;
  while (type_next_item(&rest, &item))
    read_tensor_item(&tensor, item);
  *ret_tensor = tensor;
  return true;
}

/// `[FLOAT, 1x3xNx5]`, `[FLOAT]`, `[INT64, scalar]`.
static bool read_onnx_tensor(Str type, TensorText *ret_tensor)
{
  if (type.len < 3 || type.data[0] != '[' || type.data[type.len - 1] != ']')
    return false;
  Str rest = str_slice(type, 1, type.len - 1);
  Str item;
  TensorText tensor = { 0 };
  if (!type_next_item(&rest, &item) || !(tensor.dtype = find_dtype(item)))
    return false;
  Str shape = str_trim(rest);
  tensor.is_ranked = str_equal(shape, STR("scalar"));
  bool has_dims = !tensor.is_ranked && shape.len > 0;
  for (size_t start = 0; has_dims && start <= shape.len;) {
    size_t end = str_find_char(shape, 'x', start);
    if (end == STR_NOT_FOUND)
      end = shape.len;
    add_dim(&tensor, str_slice(shape, start, end));
    start = end + 1;
  }
  *ret_tensor = tensor;
  return true;
}

static const Dtype *find_fx_dtype(Str name)
{
  for (size_t i = 0; i < COUNT(dtypes); i++) {
    if (name.len > 0 && str_equal(name, dtypes[i].fx))
      return &dtypes[i];
  }
  return NULL;
}

/// `f32[2, s31]`, `f32[2, 3][3, 1]cuda:0`: sizes, then perhaps strides and device.
static bool read_fx_tensor(Str type, TensorText *ret_tensor)
{
  size_t open = str_find_char(type, '[', 0);
  size_t close = str_find_char(type, ']', 0);
  TensorText tensor = { .dtype = find_fx_dtype(str_slice(type, 0, open)), .is_ranked = true };
  if (open == STR_NOT_FOUND || close == STR_NOT_FOUND || !tensor.dtype)
    return false;
  Str sizes = str_slice(type, open + 1, close);
  Str item;
  while (type_next_item(&sizes, &item)) {
    if (item.len > 0)
      add_dim(&tensor, item);
  }
  Str rest = str_slice(type, close + 1, type.len);
  size_t end = str_find_char(rest, ']', 0);
  if (rest.len > 0 && rest.data[0] == '[' && end != STR_NOT_FOUND) {
    tensor.strides = str_slice(rest, 1, end);
    tensor.device = str_slice(rest, end + 1, rest.len);
  }
  *ret_tensor = tensor;
  return true;
}

/// The sizes of `[N,3]`; no brackets at all are a scalar, and `[]` says nothing of the shape.
static void read_onnx_sizes(Str sizes, TensorText *tensor)
{
  Str item;
  tensor->is_ranked = sizes.len != 2;
  sizes = str_slice(sizes, 1, sizes.len > 0 ? sizes.len - 1 : 0);
  while (type_next_item(&sizes, &item))
    add_dim(tensor, item);
}

/// `float` and `float[N,3]` of ONNX text.
static bool read_onnx_text_tensor(Str type, TensorText *ret_tensor)
{
  size_t open = str_find_char(type, '[', 0);
  Str head = str_slice(type, 0, open);
  *ret_tensor = (TensorText){ 0 };
  for (size_t i = 0; i < COUNT(dtypes) && !ret_tensor->dtype; i++) {
    if (head.len > 0 && str_equal_ignore_case(head, dtypes[i].onnx) && !ascii_is_upper(head.data[0]))
      ret_tensor->dtype = &dtypes[i];
  }
  if (!ret_tensor->dtype || (open != STR_NOT_FOUND && !str_ends_with(type, STR("]"))))
    return false;
  read_onnx_sizes(str_slice(type, open, type.len), ret_tensor);
  return true;
}

/// `FLOAT,[N,3]` and `FLOAT,?` of onnx_ir, where `[]` is a scalar.
static bool read_ir_tensor(Str type, TensorText *ret_tensor)
{
  size_t comma = str_find_char(type, ',', 0);
  *ret_tensor = (TensorText){ .dtype = find_dtype(str_slice(type, 0, comma)) };
  Str shape = comma == STR_NOT_FOUND ? (Str){ 0 } : str_slice(type, comma + 1, type.len);
  if (!ret_tensor->dtype || shape.len == 0)
    return false;
  if (str_equal(shape, STR("?")))
    return true;
  if (!str_starts_with(shape, STR("[")) || !str_ends_with(shape, STR("]")))
    return false;
  read_onnx_sizes(shape, ret_tensor);
  ret_tensor->is_ranked = true;
  return true;
}

bool type_read_onnx_tensor(Str type, TensorText *ret_tensor)
{
  return read_ir_tensor(type, ret_tensor) || read_onnx_text_tensor(type, ret_tensor);
}

bool type_read_tensor(Str type, TensorText *ret_tensor)
{
  bool has_sizes = str_find_char(type, '[', 0) != STR_NOT_FOUND;  // `float` alone is a number of Python.
  return type_read_torch_tensor(type, ret_tensor) || read_onnx_tensor(type, ret_tensor) ||
         read_fx_tensor(type, ret_tensor) || (has_sizes && type_read_onnx_tensor(type, ret_tensor));
}
