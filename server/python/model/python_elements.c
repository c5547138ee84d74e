// Names of element types: of ONNX, of torch, and of both in schemas.

#include "python/model/python_elements.h"

typedef struct ElementType {
  int number;
  Str onnx;
  Str torch[2];
} ElementType;

static const ElementType types[] = {
  { 1, STR_INIT("float"), { STR_INIT("float32"), STR_INIT("float") } },
  { 2, STR_INIT("uint8"), { STR_INIT("uint8") } },
  { 3, STR_INIT("int8"), { STR_INIT("int8") } },
  { 4, STR_INIT("uint16"), { STR_INIT("uint16") } },
  { 5, STR_INIT("int16"), { STR_INIT("int16"), STR_INIT("short") } },
  { 6, STR_INIT("int32"), { STR_INIT("int32"), STR_INIT("int") } },
  { 7, STR_INIT("int64"), { STR_INIT("int64"), STR_INIT("long") } },
  { 8, STR_INIT("string"), { { 0 } } },
  { 9, STR_INIT("bool"), { STR_INIT("bool") } },
  { 10, STR_INIT("float16"), { STR_INIT("float16"), STR_INIT("half") } },
  { 11, STR_INIT("double"), { STR_INIT("float64"), STR_INIT("double") } },
  { 12, STR_INIT("uint32"), { STR_INIT("uint32") } },
  { 13, STR_INIT("uint64"), { STR_INIT("uint64") } },
  { 14, STR_INIT("complex64"), { STR_INIT("complex64"), STR_INIT("cfloat") } },
  { 15, STR_INIT("complex128"), { STR_INIT("complex128"), STR_INIT("cdouble") } },
  { 16, STR_INIT("bfloat16"), { STR_INIT("bfloat16") } },
};

static uint32_t bit_of(const ElementType *type)
{
  return (uint32_t)1 << type->number;
}

/// The bit of "tensor(float)"; 0 for types of another kind.
static uint32_t bit_of_tensor(Str name)
{
  Str start = STR("tensor(");
  if (!str_starts_with(name, start) || !str_ends_with(name, STR(")")))
    return 0;
  Str inner = str_slice(name, start.len, name.len - 1);
  for (size_t i = 0; i < COUNT(types); i++) {
    if (str_equal(inner, types[i].onnx))
      return bit_of(&types[i]);
  }
  return 0;
}

/// The tensors among types such as "tensor(float)".
static uint32_t elements_of_types(const Str *names, uint32_t count)
{
  uint32_t elements = 0;
  for (uint32_t i = 0; i < count; i++)
    elements |= bit_of_tensor(names[i]);
  return elements;
}

uint32_t elements_of_param(const OnnxSchema *schema, const OnnxParam *param)
{
  const OnnxConstraint *constraint = onnx_schema_constraint(schema, param->type);
  return constraint ? elements_of_types(constraint->types, constraint->type_count) : elements_of_types(&param->type, 1);
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
  for (size_t i = 0; i < COUNT(types); i++) {
    for (size_t k = 0; k < COUNT(types[i].torch) && types[i].torch[k].len > 0; k++) {
      if (str_equal(plain, types[i].torch[k]))
        return bit_of(&types[i]);
    }
  }
  return 0;
}

int elements_number(uint32_t elements)
{
  for (size_t i = 0; i < COUNT(types); i++) {
    if (elements == bit_of(&types[i]))
      return types[i].number;
  }
  return 0;
}

Str elements_dtype(uint32_t elements, Arena *arena)
{
  for (size_t i = 0; i < COUNT(types); i++) {
    if (elements == bit_of(&types[i]) && types[i].torch[0].len > 0)
      return arena_printf(arena, "torch.%.*s", STR_ARG(types[i].torch[0]));
  }
  return (Str){ 0 };
}

Str elements_text(uint32_t elements, Arena *arena)
{
  Str text = { 0 };
  if (elements == ELEMENTS_FLOATS)
    return STR("a float type");
  for (size_t i = 0; i < COUNT(types); i++) {
    if ((elements & bit_of(&types[i])) == 0)
      continue;
    elements &= ~bit_of(&types[i]);
    text = arena_printf(arena, "%.*s%s%.*s", STR_ARG(text),
                        text.len == 0   ? ""
                        : elements == 0 ? " or "
                                        : ", ",
                        STR_ARG(types[i].onnx));
  }
  return text;
}

bool elements_are_repaired(Str op)
{
  static const char *const names[] = {
    "Add",    "Concat", "Conv", "Div", "Equal", "Gemm", "Greater", "GreaterOrEqual", "Less", "LessOrEqual",
    "MatMul", "Max",    "Min",  "Mod", "Mul",   "Pow",  "Sub",
  };
  return str_is_one_of(op, names, COUNT(names));
}
