// The types that an ONNX parameter takes, in as few words as say it exactly: whole families as a range, and what
// wraps tensors (sequences, optionals) said once.
#include "base/vec.h"
#include "describe/describe.h"

/// In the order in which people think of them. A family is said in one word if all of it is there.
static const struct {
  Str words;
  Str members[4];
} families[] = {
  { STR_INIT("float16"), { STR_INIT("float16") } },
  { STR_INIT("float"), { STR_INIT("float") } },
  { STR_INIT("double"), { STR_INIT("double") } },
  { STR_INIT("bfloat16"), { STR_INIT("bfloat16") } },
  { STR_INIT("int8 to int64"), { STR_INIT("int8"), STR_INIT("int16"), STR_INIT("int32"), STR_INIT("int64") } },
  { STR_INIT("uint8 to uint64"), { STR_INIT("uint8"), STR_INIT("uint16"), STR_INIT("uint32"), STR_INIT("uint64") } },
  { STR_INIT("bool"), { STR_INIT("bool") } },
  { STR_INIT("string"), { STR_INIT("string") } },
  { STR_INIT("complex64"), { STR_INIT("complex64") } },
  { STR_INIT("complex128"), { STR_INIT("complex128") } },
  { STR_INIT("all float8"),
    { STR_INIT("float8e4m3fn"), STR_INIT("float8e4m3fnuz"), STR_INIT("float8e5m2"), STR_INIT("float8e5m2fnuz") } },
};

enum { FAMILY_COUNT = COUNT(families), MEMBERS_SHOWN = 4 };

/// Types that differ only in what is innermost: "seq(tensor(" and "float" of `seq(tensor(float))`.
typedef struct Wrapped {
  Str wrapper;
  Str inner;
  bool is_said;
} Wrapped;

typedef struct TypeWords {
  Wrapped *types;
  uint32_t count;
  Buffer out;
} TypeWords;

/// A map has two types inside and is left as it is.
static Wrapped unwrap(Str type)
{
  size_t open = str_rfind_char(type, '(');
  size_t comma = str_find_char(type, ',', 0);
  if (open == STR_NOT_FOUND || comma != STR_NOT_FOUND || !str_ends_with(type, STR(")")))
    return (Wrapped){ .inner = type };
  return (Wrapped){ str_slice(type, 0, open), str_slice(type, open + 1, str_find_char(type, ')', open)), false };
}

static Wrapped *find(const TypeWords *words, Str wrapper, Str inner)
{
  for (uint32_t i = 0; i < words->count; i++) {
    Wrapped *type = &words->types[i];
    if (!type->is_said && str_equal(type->wrapper, wrapper) && str_equal(type->inner, inner))
      return type;
  }
  return NULL;
}

/// Says the family and takes its members out, if all of them are there.
static bool say_family(TypeWords *words, Str wrapper, size_t family, bool is_first)
{
  Wrapped *members[MEMBERS_SHOWN];
  size_t count = 0;
  for (; count < MEMBERS_SHOWN && families[family].members[count].len > 0; count++) {
    members[count] = find(words, wrapper, families[family].members[count]);
    if (!members[count])
      return false;
  }
  for (size_t i = 0; i < count; i++)
    members[i]->is_said = true;
  buffer_printf(&words->out, "%s%.*s", is_first ? "" : ", ", STR_ARG(families[family].words));
  return true;
}

/// "seq(tensor(": said as the type that it makes, around all that is inside.
static void say_wrapper(TypeWords *words, Str wrapper)
{
  if (words->out.len > 0)
    buffer_append(&words->out, STR("; "));
  size_t start = words->out.len;
  if (wrapper.len > 0 && !str_equal(wrapper, STR("tensor")))
    buffer_printf(&words->out, "%.*s(", STR_ARG(wrapper));
  bool has_bracket = words->out.len > start;
  bool is_first = true;
  for (size_t i = 0; i < FAMILY_COUNT; i++)
    is_first &= !say_family(words, wrapper, i, is_first);
  for (uint32_t i = 0; i < words->count; i++) {
    Wrapped *type = &words->types[i];
    if (type->is_said || !str_equal(type->wrapper, wrapper))
      continue;
    type->is_said = true;
    buffer_printf(&words->out, "%s%.*s", is_first ? "" : ", ", STR_ARG(type->inner));
    is_first = false;
  }
  if (!has_bracket)
    return;
  for (size_t i = 0; i < wrapper.len; i++) {
    if (wrapper.data[i] == '(')
      buffer_append_char(&words->out, ')');
  }
  buffer_append_char(&words->out, ')');
}

Str describe_type_set(const Str *types, uint32_t count, Arena *arena)
{
  TypeWords words = { .types = ARENA_ARRAY(arena, Wrapped, count), .count = count };
  for (uint32_t i = 0; i < count; i++)
    words.types[i] = unwrap(types[i]);
  // Plain tensors are what people look for, so they come first.
  for (uint32_t i = 0; i < count; i++) {
    if (!words.types[i].is_said && str_equal(words.types[i].wrapper, STR("tensor")))
      say_wrapper(&words, STR("tensor"));
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!words.types[i].is_said)
      say_wrapper(&words, words.types[i].wrapper);
  }
  Str text = arena_copy(arena, buffer_str(&words.out));
  buffer_done(&words.out);
  return text;
}
