#include "python/model/python_schema.h"

#include "base/ascii.h"
#include "base/buffer.h"

PyPositional py_schema_positional(const TorchOverload *schema)
{
  PyPositional positional = { 0 };
  for (uint32_t i = 0; i < schema->argument_count; i++) {
    positional.most += !schema->arguments[i].is_kwarg_only;
    positional.least += !schema->arguments[i].is_kwarg_only && !schema->arguments[i].has_default;
  }
  return positional;
}

// --- Texts of types ---

Str py_schema_bare(Str text)
{
  text = str_trim(text);
  bool is_quoted =
      text.len >= 2 && (text.data[0] == '"' || text.data[0] == '\'') && text.data[text.len - 1] == text.data[0];
  return is_quoted ? str_trim(str_slice(text, 1, text.len - 1)) : text;
}

Str py_schema_qualified(const PyModel *model, Str name, Arena *arena)
{
  size_t dot = str_find_char(name, '.', 0);
  Str first = str_slice(name, 0, dot);
  Str rest = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(name, dot, name.len);
  const PyBinding *binding = py_model_binding_named(model, PY_ABSENT, first);
  if (!binding)
    return name;
  // `import torch` and `import torch.onnx` bind the same.
  for (uint32_t next = binding->next; next != PY_ABSENT; next = model->bindings.items[next].next) {
    if (!str_equal(model->bindings.items[next].qualified, binding->qualified) || binding->kind != PY_BIND_IMPORT)
      return (Str){ 0 };
  }
  Str base = binding->qualified;
  if (binding->kind == PY_BIND_ASSIGN)
    base = py_model_qualified(model, binding->value, arena);
  else if (binding->kind != PY_BIND_IMPORT)
    return (Str){ 0 };
  return base.len > 0 ? arena_printf(arena, "%.*s%.*s", STR_ARG(base), STR_ARG(rest)) : base;
}

/// Splits `Head[inside]`; false if it is no such text.
static bool split_generic(Str text, Str *ret_head, Str *ret_inside)
{
  size_t open = str_find_char(text, '[', 0);
  if (open == STR_NOT_FOUND || !str_ends_with(text, STR("]")))
    return false;
  *ret_head = str_trim(str_slice(text, 0, open));
  *ret_inside = str_trim(str_slice(text, open + 1, text.len - 1));
  return true;
}

/// Takes the part before the next `separator` that is in no bracket; false at the end.
static bool take_item(Str *rest, char separator, Str *ret_item)
{
  if (rest->len == 0)
    return false;
  size_t depth = 0;
  size_t end = 0;
  for (; end < rest->len && (depth > 0 || rest->data[end] != separator); end++) {
    depth += rest->data[end] == '[';
    depth -= rest->data[end] == ']' && depth > 0;
  }
  *ret_item = py_schema_bare(str_slice(*rest, 0, end));
  *rest = str_slice(*rest, end < rest->len ? end + 1 : end, rest->len);
  return true;
}

/// `X` of `X, None` and `X | None`; false if the union is another one.
static bool without_none(Str items, char separator, Str *ret_other)
{
  Str item;
  int others = 0;
  int nones = 0;
  while (take_item(&items, separator, &item)) {
    bool is_none = str_equal(item, STR("None"));
    nones += is_none;
    others += !is_none;
    *ret_other = is_none ? *ret_other : item;
  }
  return others == 1 && nones == 1;
}

static bool take_optional(const PyModel *model, Str *text, Arena *arena)
{
  Str head;
  Str inside;
  Str other = { 0 };
  bool is_generic = split_generic(*text, &head, &inside);
  Str name = is_generic ? py_schema_qualified(model, head, arena) : (Str){ 0 };
  if (str_equal(name, STR("typing.Optional")))
    other = py_schema_bare(inside);
  else if (!(str_equal(name, STR("typing.Union")) && without_none(inside, ',', &other)) &&
           !without_none(*text, '|', &other))
    return false;
  *text = other;
  return true;
}

static bool take_list(const PyModel *model, Str *text, Arena *arena)
{
  static const char *const names[] = { "typing.List", "typing.Sequence", "list", "collections.abc.Sequence" };
  Str head;
  Str inside;
  if (!split_generic(*text, &head, &inside) ||
      !str_is_one_of(py_schema_qualified(model, head, arena), names, COUNT(names)))
    return false;
  *text = py_schema_bare(inside);
  return true;
}

// --- Types ---

typedef struct BaseType {
  const char *python;
  const char *schema;
  bool has_list, has_list_of_optional, has_optional_list;  ///< As the columns of torch's table.
  bool is_returned;
} BaseType;

static const BaseType *base_type(Str name)
{
  static const BaseType table[] = {
    { "torch.Tensor", "Tensor", true, true, false, true },
    { "int", "SymInt", true, false, true, true },
    { "float", "float", true, false, true, true },
    { "bool", "bool", true, false, true, true },
    { "str", "str", false, false, false, false },
    { "torch.types.Number", "Scalar", true, false, false, true },
    { "torch.dtype", "ScalarType", false, false, false, false },
    { "torch.device", "Device", false, false, false, false },
  };
  for (size_t i = 0; i < COUNT(table); i++) {
    if (str_equal(name, str_from(table[i].python)))
      return &table[i];
  }
  return NULL;
}

/// Types that nobody can have registered with torch.
static bool is_refused(Str name)
{
  static const char *const names[] = {
    "tuple",         "dict",           "list",        "set",         "complex",    "bytes",      "object",
    "None",          "typing.Tuple",   "typing.Dict", "typing.List", "typing.Any", "typing.Set", "typing.Sequence",
    "numpy.ndarray", "typing.Callable"
  };
  return str_is_one_of(name, names, COUNT(names));
}

/// A class of the file that nothing makes known to torch.
static bool is_own_class(const PyModel *model, Str name)
{
  const PyBinding *binding = py_model_binding_named(model, PY_ABSENT, name);
  return py_binding_is_only(binding, PY_BIND_CLASS) && !py_model_mentions(model, "opaque");
}

static Str annotation_text(const PyModel *model, PyRef annotation)
{
  return py_schema_bare(py_text(&model->tree, annotation));
}

/// `int | float | bool` in any order, which is torch.types.Number.
static bool is_number_union(const PyModel *model, Str text, Arena *arena)
{
  Str head;
  Str inside = text;
  char separator = '|';
  if (split_generic(text, &head, &inside)) {
    if (!str_equal(py_schema_qualified(model, head, arena), STR("typing.Union")))
      return false;
    separator = ',';
  }
  static const char *const names[] = { "int", "float", "bool" };
  unsigned seen = 0;
  Str item;
  while (take_item(&inside, separator, &item)) {
    unsigned bit = 0;
    for (unsigned i = 0; i < COUNT(names); i++)
      bit |= str_equal(item, str_from(names[i])) ? 1u << i : 0;
    if (bit == 0)
      return false;
    seen |= bit;
  }
  return seen == 7;
}

PySchemaVerdict py_schema_param_type(const PyModel *model, PyRef annotation, Arena *arena, Str *ret_type)
{
  Str text = annotation_text(model, annotation);
  *ret_type = text;
  bool is_optional = take_optional(model, &text, arena);
  bool is_list = take_list(model, &text, arena);
  bool has_optionals = is_list && take_optional(model, &text, arena);
  Str head = text;
  Str inside;
  if (is_number_union(model, text, arena))
    head = STR("torch.types.Number");
  else if (split_generic(text, &head, &inside))
    return is_refused(py_schema_qualified(model, head, arena)) ? PY_SCHEMA_REFUSED : PY_SCHEMA_UNKNOWN;
  Str name = str_equal(head, STR("torch.types.Number")) ? head : py_schema_qualified(model, head, arena);
  const BaseType *base = base_type(name);
  if (!base)
    return is_refused(name) || is_own_class(model, head) ? PY_SCHEMA_REFUSED : PY_SCHEMA_UNKNOWN;
  if ((is_list && !base->has_list) || (has_optionals && !base->has_list_of_optional) ||
      (is_list && is_optional && (!base->has_optional_list || has_optionals)))
    return PY_SCHEMA_REFUSED;
  *ret_type = arena_printf(arena, "%s%s%s%s", base->schema, has_optionals ? "?" : "", is_list ? "[]" : "",
                           is_optional ? "?" : "");
  return PY_SCHEMA_TYPE;
}

/// One value that is returned.
static PySchemaVerdict returned_type(const PyModel *model, Str text, Arena *arena, Str *ret_type)
{
  static const char *const lists[] = { "typing.List", "list" };
  Str head = text;
  Str inside;
  *ret_type = text;
  bool is_generic = split_generic(text, &head, &inside);
  Str name = py_schema_qualified(model, is_generic ? py_schema_bare(inside) : head, arena);
  const BaseType *base = base_type(name);
  if (is_generic && str_is_one_of(py_schema_qualified(model, head, arena), lists, COUNT(lists))) {
    *ret_type = STR("Tensor[]");
    return str_equal(name, STR("torch.Tensor")) ? PY_SCHEMA_TYPE : base ? PY_SCHEMA_REFUSED : PY_SCHEMA_UNKNOWN;
  }
  if (is_generic && is_refused(py_schema_qualified(model, head, arena)))
    return PY_SCHEMA_REFUSED;
  if (is_generic || !base)
    return take_optional(model, &text, arena) || is_refused(name) ? PY_SCHEMA_REFUSED : PY_SCHEMA_UNKNOWN;
  *ret_type = str_from(base->schema);
  return base->is_returned ? PY_SCHEMA_TYPE : PY_SCHEMA_REFUSED;
}

static PySchemaVerdict tuple_type(const PyModel *model, Str items, Arena *arena, Str *ret_type)
{
  Buffer text = { 0 };
  Str item;
  PySchemaVerdict verdict = PY_SCHEMA_TYPE;
  int count = 0;
  for (; take_item(&items, ',', &item); count++) {
    Str type;
    PySchemaVerdict found = returned_type(model, item, arena, &type);
    verdict = found > verdict ? found : verdict;
    buffer_printf(&text, "%s%.*s", count > 0 ? ", " : "", STR_ARG(type));
  }
  Str list = arena_copy(arena, buffer_str(&text));
  *ret_type =
      count == 1 ? arena_printf(arena, "((%.*s))", STR_ARG(list)) : arena_printf(arena, "(%.*s)", STR_ARG(list));
  buffer_done(&text);
  return verdict;
}

PySchemaVerdict py_schema_return_type(const PyModel *model, PyRef annotation, Arena *arena, Str *ret_type)
{
  static const char *const tuples[] = { "typing.Tuple", "tuple" };
  Str text = annotation_text(model, annotation);
  Str head;
  Str inside;
  if (str_equal(text, STR("None"))) {
    *ret_type = STR("()");
    return PY_SCHEMA_TYPE;
  }
  if (split_generic(text, &head, &inside) &&
      str_is_one_of(py_schema_qualified(model, head, arena), tuples, COUNT(tuples)))
    return tuple_type(model, inside, arena, ret_type);
  return returned_type(model, text, arena, ret_type);
}

// --- Schemas ---

static bool is_mutated(const PyModel *model, PyRef mutates, Str name, Arena *arena)
{
  Str text;
  if (!mutates || py_model_string(model, mutates, arena, &text))
    return mutates && str_equal(text, STR("unknown"));
  PyRef list = py_model_resolve(model, mutates);
  for (PY_EACH_ELEMENT(&model->tree, item, list)) {
    if (py_model_string(model, item, arena, &text) && str_equal(text, name))
      return true;
  }
  return false;
}

/// As a schema spells a default: words of Python, numbers, and `float32` for torch.float32.
static Str default_text(const PyModel *model, PyRef value, Arena *arena)
{
  Str text;
  if (py_model_string(model, value, arena, &text))
    return arena_printf(arena, "\"%.*s\"", STR_ARG(text));
  text = py_text(&model->tree, value);
  return str_starts_with(text, STR("torch.")) ? str_slice(text, 6, text.len) : text;
}

static bool write_param(const PyModel *model, const PyParam *param, uint32_t index, PyRef mutates, Buffer *out,
                        Arena *arena)
{
  Str type;
  if (!param->annotation || param->kind == PY_PARAM_ARGS || param->kind == PY_PARAM_KWARGS)
    return false;
  bool is_tensor = py_schema_param_type(model, param->annotation, arena, &type) == PY_SCHEMA_TYPE &&
                   str_starts_with(type, STR("Tensor"));
  if (is_tensor && is_mutated(model, mutates, param->name, arena))
    type = arena_printf(arena, "Tensor(a%u!)%.*s", index, STR_ARG(str_slice(type, 6, type.len)));
  buffer_printf(out, "%.*s %.*s", STR_ARG(type), STR_ARG(param->name));
  if (param->default_value)
    buffer_printf(out, "=%.*s", STR_ARG(default_text(model, param->default_value, arena)));
  return true;
}

bool py_schema_infer(const PyModel *model, uint32_t function, Str name, PyRef mutates, Arena *arena, Str *ret_schema)
{
  const PyFunction *at = &model->functions.items[function];
  Buffer out = { 0 };
  bool is_good = true;
  bool has_star = false;
  buffer_printf(&out, "%.*s(", STR_ARG(name));
  for (uint32_t i = 0; i < at->param_count && is_good; i++) {
    const PyParam *param = &py_model_params(model, at)[i];
    buffer_append(&out, i > 0 ? STR(", ") : STR(""));
    if (param->kind == PY_PARAM_KEYWORD_ONLY && !has_star)
      buffer_append(&out, STR("*, "));
    has_star |= param->kind == PY_PARAM_KEYWORD_ONLY;
    is_good = write_param(model, param, i, mutates, &out, arena);
  }
  PyRef returned = py_child(&model->tree, at->node, PY_F_RETURN_TYPE);
  Str type = { 0 };
  if (returned)
    py_schema_return_type(model, returned, arena, &type);
  buffer_printf(&out, returned ? ") -> %.*s" : ")", STR_ARG(type));
  *ret_schema = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return is_good;
}
