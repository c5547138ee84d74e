// Which letter of @parse_args goes with which type of a schema.
//
// Source: torch.onnx.symbolic_helper._parse_arg of 1.13, 2.6 and 2.14: a number, a string or a tensor is read out of an
// onnx::Constant with int(), float(), bool(), str() or a list of them; a prim::ListConstruct only with "is".

#include "facts/export_api.h"

/// The types that matter, without `?` and brackets.
typedef enum Base {
  BASE_OTHER,
  BASE_BOOL,
  BASE_FLOAT,
  BASE_INT,     ///< SymInt too.
  BASE_NUMBER,  ///< Numbers with a meaning: ScalarType, Layout, MemoryFormat.
  BASE_SCALAR,
  BASE_STRING,
  BASE_TENSOR,
} Base;

typedef struct SchemaType {
  Base base;
  bool is_list;
  bool is_optional;
} SchemaType;

static Base base_of(Str word)
{
  static const struct {
    Str name;
    Base base;
  } bases[] = {
    // Keep alphabetized.
    { STR_INIT("Layout"), BASE_NUMBER }, { STR_INIT("MemoryFormat"), BASE_NUMBER },
    { STR_INIT("Scalar"), BASE_SCALAR }, { STR_INIT("ScalarType"), BASE_NUMBER },
    { STR_INIT("SymInt"), BASE_INT },    { STR_INIT("Tensor"), BASE_TENSOR },
    { STR_INIT("bool"), BASE_BOOL },     { STR_INIT("float"), BASE_FLOAT },
    { STR_INIT("int"), BASE_INT },       { STR_INIT("number"), BASE_SCALAR },
    { STR_INIT("str"), BASE_STRING },
  };
  for (size_t i = 0; i < COUNT(bases); i++) {
    if (str_equal(word, bases[i].name))
      return bases[i].base;
  }
  return BASE_OTHER;
}

/// "int[2]?" is an optional list of int. A list of lists, or of optional elements, is something else.
static SchemaType read_type(Str text)
{
  SchemaType type = { 0 };
  text = str_trim(text);
  type.is_optional = str_ends_with(text, STR("?"));
  if (type.is_optional)
    text = str_slice(text, 0, text.len - 1);
  size_t open = str_find_char(text, '[', 0);
  type.is_list = open != STR_NOT_FOUND;
  bool is_plain = !type.is_list || str_find_char(text, ']', open) + 1 == text.len;
  type.base = is_plain ? base_of(str_slice(text, 0, open)) : BASE_OTHER;
  return type;
}

enum { ANY_BASE = ~0 };

#define BIT(base) (1 << (base))

/// What a letter can read without an error and without losing anything: sets of Base.
static const struct {
  Str letter;
  int singles, lists;
} letters[] = {
  // Keep alphabetized.
  { STR_INIT("b"), BIT(BASE_BOOL) | BIT(BASE_INT) | BIT(BASE_FLOAT) | BIT(BASE_SCALAR) | BIT(BASE_NUMBER), 0 },
  { STR_INIT("f"), BIT(BASE_FLOAT) | BIT(BASE_SCALAR) | BIT(BASE_INT) | BIT(BASE_BOOL) | BIT(BASE_NUMBER), 0 },
  { STR_INIT("fs"), 0, BIT(BASE_FLOAT) | BIT(BASE_INT) | BIT(BASE_BOOL) | BIT(BASE_SCALAR) },
  { STR_INIT("i"), BIT(BASE_INT) | BIT(BASE_BOOL) | BIT(BASE_NUMBER) | BIT(BASE_SCALAR), 0 },
  { STR_INIT("is"), 0, BIT(BASE_INT) | BIT(BASE_BOOL) | BIT(BASE_NUMBER) | BIT(BASE_SCALAR) },
  { STR_INIT("none"), ANY_BASE, ANY_BASE },
  { STR_INIT("s"), BIT(BASE_STRING), 0 },
  { STR_INIT("t"), ANY_BASE, ANY_BASE },
  { STR_INIT("v"), ANY_BASE, ANY_BASE },
};

bool export_api_descriptor_fits(Str letter, Str schema_type)
{
  SchemaType type = read_type(schema_type);
  for (size_t i = 0; i < COUNT(letters); i++) {
    if (!str_equal(letter, letters[i].letter))
      continue;
    // An optional tensor that is always None is read as None with every letter.
    bool is_unsure = type.base == BASE_OTHER || (type.base == BASE_TENSOR && type.is_optional);
    int bases = type.is_list ? letters[i].lists : letters[i].singles;
    return is_unsure || (bases & BIT(type.base)) != 0;
  }
  return false;
}

#undef BIT

Str export_api_descriptor_for(Str schema_type)
{
  SchemaType type = read_type(schema_type);
  switch (type.base) {
  case BASE_BOOL:
    return type.is_list ? STR("is") : STR("b");
  case BASE_FLOAT:
    return type.is_list ? STR("fs") : STR("f");
  case BASE_INT:
    return type.is_list ? STR("is") : STR("i");
  case BASE_NUMBER:
    return type.is_list ? STR("v") : STR("i");
  case BASE_SCALAR:
    return type.is_list ? STR("v") : STR("f");
  case BASE_STRING:
    return type.is_list ? STR("v") : STR("s");
  case BASE_OTHER:
  case BASE_TENSOR:
    break;
  }
  return STR("v");
}
