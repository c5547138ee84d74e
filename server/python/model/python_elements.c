// Names of element types: of ONNX, of torch, and of both in schemas.

#include "python/model/python_elements.h"

/// Names of torch, by the number of the type.
static const Str torch_names[ELEM_COUNT][2] = {
  [ELEM_FLOAT] = { STR_INIT("float32"), STR_INIT("float") },
  [ELEM_UINT8] = { STR_INIT("uint8") },
  [ELEM_INT8] = { STR_INIT("int8") },
  [ELEM_UINT16] = { STR_INIT("uint16") },
  [ELEM_INT16] = { STR_INIT("int16"), STR_INIT("short") },
  [ELEM_INT32] = { STR_INIT("int32"), STR_INIT("int") },
  [ELEM_INT64] = { STR_INIT("int64"), STR_INIT("long") },
  [ELEM_BOOL] = { STR_INIT("bool") },
  [ELEM_FLOAT16] = { STR_INIT("float16"), STR_INIT("half") },
  [ELEM_DOUBLE] = { STR_INIT("float64"), STR_INIT("double") },
  [ELEM_UINT32] = { STR_INIT("uint32") },
  [ELEM_UINT64] = { STR_INIT("uint64") },
  [ELEM_COMPLEX64] = { STR_INIT("complex64"), STR_INIT("cfloat") },
  [ELEM_COMPLEX128] = { STR_INIT("complex128"), STR_INIT("cdouble") },
  [ELEM_BFLOAT16] = { STR_INIT("bfloat16") },
};

static uint32_t bit_of(uint32_t element)
{
  return (uint32_t)1 << element;
}

uint32_t elements_of_param(const OnnxSchema *schema, const OnnxParam *param)
{
  const OnnxConstraint *constraint = onnx_schema_constraint(schema, param->type);
  return constraint ? constraint->elements : onnx_tensor_bit(param->type);
}

const OnnxParam *elements_param_at(const OnnxSchema *schema, uint32_t position)
{
  if (position < schema->input_count)
    return &schema->inputs[position];
  const OnnxParam *last = schema->input_count > 0 ? &schema->inputs[schema->input_count - 1] : NULL;
  return last && last->option == ONNX_VARIADIC ? last : NULL;
}

uint32_t elements_of_dtype(Str name)
{
  Str package = STR("torch.");
  Str plain = str_starts_with(name, package) ? str_slice(name, package.len, name.len) : name;
  for (uint32_t element = 1; element < ELEM_COUNT; element++) {
    for (size_t k = 0; k < COUNT(torch_names[element]) && torch_names[element][k].len > 0; k++) {
      if (str_equal(plain, torch_names[element][k]))
        return bit_of(element);
    }
  }
  return 0;
}

int elements_number(uint32_t elements)
{
  for (uint32_t element = 1; element < ELEM_COUNT; element++) {
    if (elements == bit_of(element))
      return (int)element;
  }
  return 0;
}

Str elements_dtype(uint32_t elements, Arena *arena)
{
  Str name = torch_names[elements_number(elements)][0];
  return name.len > 0 ? arena_printf(arena, "torch.%.*s", STR_ARG(name)) : name;
}

Str elements_text(uint32_t elements, Arena *arena)
{
  Str text = { 0 };
  if (elements == ELEMENTS_FLOATS)
    return STR("a float type");
  if (elements == ELEMENTS_NUMBERS)
    return STR("a type of numbers");
  for (uint32_t element = 1; element < ELEM_COUNT; element++) {
    if ((elements & bit_of(element)) == 0)
      continue;
    elements &= ~bit_of(element);
    text = arena_printf(arena, "%.*s%s%.*s", STR_ARG(text),
                        text.len == 0   ? ""
                        : elements == 0 ? " or "
                                        : ", ",
                        STR_ARG(onnx_element_word(element)));
  }
  return text;
}

bool elements_are_repaired(Str op, bool is_before_two)
{
  static const char *const names[] = { "Add",  "Concat",      "Div", "Equal", "Gemm", "Greater", "GreaterOrEqual",
                                       "Less", "LessOrEqual", "Max", "Min",   "Mod",  "Mul",     "Pow",
                                       "Sub" };
  static const char *const since[] = { "Conv", "MatMul" };
  return str_is_one_of(op, names, COUNT(names)) || (!is_before_two && str_is_one_of(op, since, COUNT(since)));
}
