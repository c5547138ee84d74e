#include "describe/translation_stub.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "describe/stub.h"

/// "aten::sum" and "dim_IntList"
static void split_overload(Str full, Str *ret_name, Str *ret_overload)
{
  size_t dot = str_find_char(full, '.', str_find(full, STR("::"), 0));
  *ret_name = str_slice(full, 0, dot);
  *ret_overload = dot == STR_NOT_FOUND ? STR("default") : str_slice(full, dot + 1, full.len);
}

/// A default of a schema in Python: what is no literal there comes as None.
static Str python_default(Str text)
{
  static const char *const words[] = { "None", "True", "False" };
  char first = text.len > 0 ? text.data[0] : '\0';
  bool is_number = ascii_is_digit(first) || first == '-';
  bool is_text = first == '\'' || first == '"' || first == '[';
  return is_number || is_text || str_is_one_of(text, words, COUNT(words)) ? text : STR("None");
}

static void write_parameters(const TorchOverload *schema, Buffer *out)
{
  bool had_star = false;
  for (uint32_t i = 0; schema && i < schema->argument_count; i++) {
    const TorchArgument *argument = &schema->arguments[i];
    buffer_append(out, i > 0 ? STR(", ") : STR(""));
    buffer_append(out, argument->is_kwarg_only && !had_star ? STR("*, ") : STR(""));
    had_star |= argument->is_kwarg_only;
    buffer_append(out, argument->name);
    if (argument->has_default)
      buffer_printf(out, "=%.*s", STR_ARG(python_default(argument->default_text)));
  }
  if (!schema)
    buffer_append(out, STR("*args, **kwargs"));
}

Str translation_stub_name(Str overload, Arena *arena)
{
  Str name;
  Str rest;
  if (str_find(overload, STR("::"), 0) == STR_NOT_FOUND)
    return (Str){ 0 };
  split_overload(overload, &name, &rest);
  return stub_can_register(name) ? stub_function_name(name, arena) : (Str){ 0 };
}

Str translation_stub(Str overload, const TorchOverload *schema, Arena *arena)
{
  Buffer out = { 0 };
  Str name;
  Str rest;
  Str function = translation_stub_name(overload, arena);
  if (function.len == 0)
    return (Str){ 0 };
  split_overload(overload, &name, &rest);
  size_t colons = str_find(name, STR("::"), 0);
  buffer_append(&out, STR("import torch\nfrom onnxscript import opset18 as op\n\n\n"));
  if (schema)
    buffer_printf(&out, "# %.*s\n", STR_ARG(schema->schema));
  buffer_printf(&out, "def %.*s(", STR_ARG(function));
  write_parameters(schema, &out);
  buffer_printf(&out, "):\n    # %s\n    raise NotImplementedError(\"%.*s\")\n\n\n", STUB_TODO, STR_ARG(overload));
  buffer_printf(&out,
                "# torch.onnx.export(model, args, \"model.onnx\", custom_translation_table=TABLE)\n"
                "TABLE = {torch.ops.%.*s.%.*s.%.*s: %.*s}\n",
                (int)colons, name.data, STR_ARG(str_slice(name, colons + 2, name.len)), STR_ARG(rest),
                STR_ARG(function));
  Str text = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}
