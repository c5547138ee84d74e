// Names of element types: of ONNX, of torch, and of both in schemas.

#include "python/model/python_elements.h"

typedef struct ElementType {
  int number;
  const char *onnx;
  const char *torch[2];
} ElementType;

static const ElementType types[] = {
  { 1, "float", { "float32", "float" } },
  { 2, "uint8", { "uint8" } },
  { 3, "int8", { "int8" } },
  { 4, "uint16", { "uint16" } },
  { 5, "int16", { "int16", "short" } },
  { 6, "int32", { "int32", "int" } },
  { 7, "int64", { "int64", "long" } },
  { 8, "string", { NULL } },
  { 9, "bool", { "bool" } },
  { 10, "float16", { "float16", "half" } },
  { 11, "double", { "float64", "double" } },
  { 12, "uint32", { "uint32" } },
  { 13, "uint64", { "uint64" } },
  { 14, "complex64", { "complex64", "cfloat" } },
  { 15, "complex128", { "complex128", "cdouble" } },
  { 16, "bfloat16", { "bfloat16" } },
};

static uint32_t bit_of(const ElementType *type)
{
  return (uint32_t)1 << type->number;
}

uint32_t elements_of_types(const Str *names, uint32_t count)
{
  uint32_t elements = 0;
  for (uint32_t i = 0; i < count; i++) {
    Str start = STR("tensor(");
    if (!str_starts_with(names[i], start) || !str_ends_with(names[i], STR(")")))
      continue;
    Str inner = str_slice(names[i], start.len, names[i].len - 1);
    for (size_t k = 0; k < COUNT(types); k++)
      elements |= str_equal(inner, str_from(types[k].onnx)) ? bit_of(&types[k]) : 0;
  }
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
    for (size_t k = 0; k < COUNT(types[i].torch) && types[i].torch[k]; k++) {
      if (str_equal(plain, str_from(types[i].torch[k])))
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
    if (elements == bit_of(&types[i]) && types[i].torch[0])
      return arena_printf(arena, "torch.%s", types[i].torch[0]);
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
    text = arena_printf(arena, "%.*s%s%s", STR_ARG(text),
                        text.len == 0   ? ""
                        : elements == 0 ? " or "
                                        : ", ",
                        types[i].onnx);
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
