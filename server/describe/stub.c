#include "describe/stub.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "base/vec.h"
#include "core/workspace.h"

enum { WIDTH = 100 };

static const char *const letters[] = {
  [STUB_VALUE] = "v",  [STUB_INT] = "i",   [STUB_FLOAT] = "f",   [STUB_BOOL] = "b",
  [STUB_STRING] = "s", [STUB_INTS] = "is", [STUB_FLOATS] = "fs", [STUB_UNUSED] = "none",
};

/// What g.op() wants after an attribute's name; NULL for what is not an attribute.
static const char *const suffixes[] = {
  [STUB_INT] = "i",  [STUB_FLOAT] = "f",  [STUB_BOOL] = "i",    [STUB_STRING] = "s",
  [STUB_INTS] = "i", [STUB_FLOATS] = "f", [STUB_UNUSED] = NULL,
};

// --- Names ---

static void split_name(Str op, Str *ret_domain, Str *ret_name)
{
  size_t colons = str_find(op, STR("::"), 0);
  *ret_domain = str_slice(op, 0, colons);
  *ret_name = str_slice(op, colons + 2, op.len);
}

static bool all_words(Str name)
{
  for (size_t i = 0; i < name.len; i++) {
    if (!ascii_is_word(name.data[i]) && name.data[i] != '-')
      return false;
  }
  return name.len > 0;
}

bool stub_can_register(Str op)
{
  Str domain;
  Str name;
  op = workspace_graph_name(op);
  if (op.len > STUB_NAME_LIMIT || str_find(op, STR("::"), 0) == STR_NOT_FOUND)
    return false;
  split_name(op, &domain, &name);
  bool starts_well = name.len > 0 && !ascii_is_digit(name.data[0]);
  return all_words(domain) && all_words(name) && starts_well && !str_equal(domain, STR("onnx"));
}

static bool is_reserved(Str name)
{
  // Python's keywords, and what the function's own lines mean something by.
  static const char *const words[] = {
    "False",      "None",
    "True",       "and",
    "as",         "assert",
    "async",      "await",
    "break",      "class",
    "continue",   "def",
    "del",        "elif",
    "else",       "except",
    "finally",    "for",
    "from",       "g",
    "global",     "if",
    "import",     "in",
    "is",         "lambda",
    "nonlocal",   "not",
    "or",         "pass",
    "raise",      "return",
    "try",        "while",
    "with",       "yield",
    "torch",      "symbolic_helper",
    "attributes", "register_custom_op_symbolic",
    "out",
  };
  return str_is_one_of(name, words, COUNT(words));
}

/// Letters, digits and underscores only, and no digit first.
static Str plain_name(Str name, Arena *arena)
{
  Buffer out = { 0 };
  if (name.len == 0 || ascii_is_digit(name.data[0]))
    buffer_append_char(&out, '_');
  for (size_t i = 0; i < name.len && i < STUB_NAME_LIMIT; i++)
    buffer_append_char(&out, ascii_is_word(name.data[i]) ? name.data[i] : '_');
  Str text = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}

/// A name that Python takes.
static Str python_name(Str name, Arena *arena)
{
  Str plain = plain_name(name, arena);
  return is_reserved(name) ? arena_printf(arena, "%.*s_", STR_ARG(plain)) : plain;
}

Str stub_function_name(Str op, Arena *arena)
{
  Str domain;
  Str name;
  split_name(workspace_graph_name(op), &domain, &name);
  return python_name(name, arena);
}

/// "custom::SpecialI0e" for aten::special_i0e; operators with a domain of their own keep it.
static Str node_name(Str op, Arena *arena)
{
  Str domain;
  Str name;
  split_name(workspace_graph_name(op), &domain, &name);
  bool is_torch = str_equal(domain, STR("aten")) || str_equal(domain, STR("prim")) ||
                  str_equal(domain, STR("quantized")) || str_equal(domain, STR("torchvision"));
  Buffer out = { 0 };
  buffer_append(&out, is_torch ? STR("custom") : domain);
  buffer_append(&out, STR("::"));
  bool begins = true;
  for (size_t i = 0; i < name.len; i++) {
    bool is_part = ascii_is_word(name.data[i]) && name.data[i] != '_';
    if (is_part)
      buffer_append_char(&out, begins ? ascii_to_upper(name.data[i]) : name.data[i]);
    begins = !is_part;
  }
  if (str_ends_with(buffer_str(&out), STR(":")))
    buffer_append(&out, STR("Op"));
  Str text = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}

// --- Letters ---

static StubLetter list_letter(Str element)
{
  if (str_equal(element, STR("int")) || str_equal(element, STR("SymInt")))
    return STUB_INTS;
  return str_equal(element, STR("float")) ? STUB_FLOATS : STUB_VALUE;
}

/// What a constant of the type is taken as.
static StubLetter constant_letter(Str type)
{
  static const struct {
    Str type;
    StubLetter letter;
  } table[] = {
    { STR_INIT("int"), STUB_INT },          { STR_INIT("SymInt"), STUB_INT },
    { STR_INIT("ScalarType"), STUB_INT },   { STR_INIT("float"), STUB_FLOAT },
    { STR_INIT("Scalar"), STUB_FLOAT },     { STR_INIT("bool"), STUB_BOOL },
    { STR_INIT("str"), STUB_STRING },       { STR_INIT("Layout"), STUB_UNUSED },
    { STR_INIT("Device"), STUB_UNUSED },    { STR_INIT("MemoryFormat"), STUB_UNUSED },
    { STR_INIT("Generator"), STUB_UNUSED }, { STR_INIT("Stream"), STUB_UNUSED },
    { STR_INIT("QScheme"), STUB_UNUSED },   { STR_INIT("Storage"), STUB_UNUSED },
    { STR_INIT("complex"), STUB_UNUSED },   { STR_INIT("NoneType"), STUB_UNUSED },
  };
  for (size_t i = 0; i < COUNT(table); i++) {
    if (str_equal(type, table[i].type))
      return table[i].letter;
  }
  return STUB_VALUE;
}

StubLetter stub_letter(Str type, bool is_constant)
{
  type = str_trim(type);
  if (str_ends_with(type, STR("?")))
    type.len--;
  size_t bracket = str_ends_with(type, STR("]")) ? str_rfind_char(type, '[') : STR_NOT_FOUND;
  StubLetter letter = bracket == STR_NOT_FOUND ? constant_letter(type) : list_letter(str_slice(type, 0, bracket));
  return is_constant || letter == STUB_UNUSED ? letter : STUB_VALUE;
}

// --- Text ---

typedef struct Stub {
  const StubSpec *spec;
  Arena *arena;
  Buffer out;
  Str names[STUB_ARGUMENT_LIMIT];  ///< Of the parameters.
} Stub;

typedef Vec(Str) Words;

/// Items between brackets: in one line if they fit, else one a line.
static void write_list(Stub *stub, Str before, const Words *items, Str after, const char *indent)
{
  size_t width = before.len + after.len + strlen(indent);
  for (size_t i = 0; i < items->count; i++)
    width += items->items[i].len + 2;
  bool is_long = width > WIDTH;
  buffer_printf(&stub->out, "%s%.*s", indent, STR_ARG(before));
  for (size_t i = 0; i < items->count; i++) {
    if (is_long)
      buffer_printf(&stub->out, "\n%s    %.*s,", indent, STR_ARG(items->items[i]));
    else
      buffer_printf(&stub->out, "%s%.*s", i > 0 ? ", " : "", STR_ARG(items->items[i]));
  }
  if (is_long)
    buffer_printf(&stub->out, "\n%s", indent);
  buffer_printf(&stub->out, "%.*s\n", STR_ARG(after));
}

static bool has_name(const Stub *stub, size_t count, Str name)
{
  for (size_t i = 0; i < count; i++) {
    if (str_equal(stub->names[i], name))
      return true;
  }
  return false;
}

static void name_parameters(Stub *stub)
{
  for (size_t i = 0; i < stub->spec->argument_count; i++) {
    Str name = stub->spec->arguments[i].name;
    name = name.len > 0 ? python_name(name, stub->arena) : arena_printf(stub->arena, "input_%zu", i + 1);
    // Two names that Python would take for one.
    while (has_name(stub, i, name))
      name = arena_printf(stub->arena, "%.*s_%zu", STR_ARG(name), i + 1);
    stub->names[i] = name;
  }
}

/// Attributes come by keyword, which a function under parse_args does not take.
static bool uses_parse_args(const StubSpec *spec)
{
  return !spec->has_any_count && !spec->has_attributes && spec->argument_count > 0;
}

static StubLetter letter_of(const StubSpec *spec, size_t i)
{
  StubLetter letter = spec->arguments[i].letter;
  return uses_parse_args(spec) || letter == STUB_UNUSED ? letter : STUB_VALUE;
}

static void write_decorator(Stub *stub)
{
  Words items = { 0 };
  for (size_t i = 0; i < stub->spec->argument_count; i++)
    vec_push(&items, arena_printf(stub->arena, "\"%s\"", letters[stub->spec->arguments[i].letter]));
  write_list(stub, STR("@symbolic_helper.parse_args("), &items, STR(")"), "");
  vec_free(&items);
}

static void write_signature(Stub *stub)
{
  const StubSpec *spec = stub->spec;
  Words items = { 0 };
  vec_push(&items, STR("g"));
  if (spec->has_any_count)
    vec_push(&items, STR("*args"));
  for (size_t i = 0; i < spec->argument_count && !spec->has_any_count; i++) {
    const char *after = spec->arguments[i].is_optional ? "=None" : "";
    vec_push(&items, arena_printf(stub->arena, "%.*s%s", STR_ARG(stub->names[i]), after));
  }
  if (spec->has_attributes)
    vec_push(&items, STR("**attributes"));
  Str function = stub_function_name(spec->op, stub->arena);
  write_list(stub, arena_printf(stub->arena, "def %.*s(", STR_ARG(function)), &items, STR("):"), "");
  vec_free(&items);
}

/// Inputs first, then attributes with the suffixes that g.op() wants.
static void gather_node_arguments(Stub *stub, Words *items)
{
  const StubSpec *spec = stub->spec;
  vec_push(items, arena_printf(stub->arena, "\"%.*s\"", STR_ARG(node_name(spec->op, stub->arena))));
  if (spec->has_any_count)
    vec_push(items, STR("*args"));
  for (size_t i = 0; i < spec->argument_count && !spec->has_any_count; i++) {
    if (letter_of(spec, i) == STUB_VALUE)
      vec_push(items, stub->names[i]);
  }
  for (size_t i = 0; i < spec->argument_count && !spec->has_any_count; i++) {
    const char *suffix = suffixes[letter_of(spec, i)];
    Str name = spec->arguments[i].name.len > 0 ? spec->arguments[i].name : stub->names[i];
    if (suffix)
      vec_push(items, arena_printf(stub->arena, "%.*s_%s=%.*s", STR_ARG(plain_name(name, stub->arena)), suffix,
                                   STR_ARG(stub->names[i])));
  }
}

static Str type_text(const Stub *stub, const StubReturn *value)
{
  const StubSpec *spec = stub->spec;
  for (size_t i = 0; i < spec->argument_count && value->is_like_input && !spec->has_any_count; i++) {
    if (spec->arguments[i].is_tensor && !spec->arguments[i].is_optional)
      return arena_printf(stub->arena, "%.*s.type()", STR_ARG(stub->names[i]));
  }
  Buffer text = { 0 };
  buffer_append(&text, STR("torch.TensorType.get()"));
  if (value->dtype)
    buffer_printf(&text, ".with_dtype(torch.%s)", value->dtype);
  for (size_t i = 0; i < value->rank && value->is_ranked; i++)
    buffer_append(&text, i == 0 ? STR(".with_sizes([None") : STR(", None"));
  if (value->is_ranked)
    buffer_append(&text, value->rank > 0 ? STR("])") : STR(".with_sizes([])"));
  Str type = arena_copy(stub->arena, buffer_str(&text));
  buffer_done(&text);
  return value->is_list ? arena_printf(stub->arena, "torch.ListType(%.*s)", STR_ARG(type)) : type;
}

/// A node with that many results, and what is returned.
static void write_node(Stub *stub, size_t return_count, const char *indent)
{
  bool is_single = return_count == 1;
  if (return_count == 0) {
    buffer_printf(&stub->out, "%sreturn ()  # No results.\n", indent);
    return;
  }
  Words items = { 0 };
  gather_node_arguments(stub, &items);
  if (!is_single)
    vec_push(&items, arena_printf(stub->arena, "outputs=%zu", return_count));
  write_list(stub, is_single ? STR("out = g.op(") : STR("outs = g.op("), &items, STR(")"), indent);
  vec_free(&items);
  for (size_t i = 0; i < return_count; i++) {
    Str type = type_text(stub, &stub->spec->returns[i]);
    if (is_single)
      buffer_printf(&stub->out, "%sout.setType(%.*s)\n", indent, STR_ARG(type));
    else
      buffer_printf(&stub->out, "%souts[%zu].setType(%.*s)\n", indent, i, STR_ARG(type));
  }
  buffer_printf(&stub->out, "%sreturn %s\n", indent, is_single ? "out" : "outs");
}

static void write_body(Stub *stub)
{
  const StubSpec *spec = stub->spec;
  Str node = node_name(spec->op, stub->arena);
  if (spec->return_count > 0)
    buffer_printf(&stub->out,
                  "    # " STUB_TODO " Until then the model holds a node\n"
                  "    # `%.*s`, which no runtime knows by itself.\n",
                  STR_ARG(node));
  for (size_t i = 0; i + 1 < spec->shape_count; i++) {
    buffer_printf(&stub->out, "    if len(args) == %zu:\n", spec->shapes[i].argument_count);
    write_node(stub, spec->shapes[i].return_count, "        ");
  }
  write_node(stub, spec->shape_count > 0 ? spec->shapes[spec->shape_count - 1].return_count : spec->return_count,
             "    ");
}

/// Without line breaks: facts of a user may hold anything.
static Str one_line(Str text, Arena *arena)
{
  Str copy = arena_copy(arena, text);
  char *bytes = (char *)copy.data;  // Its own, made a line above.
  for (size_t i = 0; i < copy.len; i++) {
    if ((unsigned char)bytes[i] < ' ')
      bytes[i] = ' ';
  }
  return copy;
}

static void write_function(Stub *stub)
{
  const StubSpec *spec = stub->spec;
  Str registered = workspace_graph_name(spec->op);
  if (spec->schema.len > 0)
    buffer_printf(&stub->out, "# %.*s\n", STR_ARG(one_line(spec->schema, stub->arena)));
  if (uses_parse_args(spec))
    write_decorator(stub);
  write_signature(stub);
  write_body(stub);
  Str function = stub_function_name(spec->op, stub->arena);
  buffer_printf(&stub->out, "\n\nregister_custom_op_symbolic(\"%.*s\", %.*s, %d)\n", STR_ARG(registered),
                STR_ARG(function), spec->opset);
}

static bool needs_torch(const StubSpec *spec)
{
  Arena arena = { 0 };
  Stub stub = { .spec = spec, .arena = &arena };
  bool needs = false;
  name_parameters(&stub);
  for (size_t i = 0; i < spec->return_count && !needs; i++)
    needs = str_find(type_text(&stub, &spec->returns[i]), STR("torch."), 0) != STR_NOT_FOUND;
  arena_done(&arena);
  return needs;
}

static Str finish(Stub *stub)
{
  Str text = arena_copy(stub->arena, buffer_str(&stub->out));
  buffer_done(&stub->out);
  return text;
}

Str stub_module(const StubSpec *spec, Arena *arena)
{
  Stub stub = { .spec = spec, .arena = arena };
  name_parameters(&stub);
  buffer_printf(
      &stub.out,
      "\"\"\"A symbolic function for %.*s, which the TorchScript exporter of torch %.*s\n"
      "can't convert to opset %d by itself. Import this module before torch.onnx.export() is called.\n\"\"\"\n\n",
      STR_ARG(spec->op), STR_ARG(spec->torch), spec->opset);
  if (needs_torch(spec))
    buffer_append(&stub.out, STR("import torch\n"));
  buffer_append(&stub.out, uses_parse_args(spec)
                               ? STR("from torch.onnx import register_custom_op_symbolic, symbolic_helper\n\n\n")
                               : STR("from torch.onnx import register_custom_op_symbolic\n\n\n"));
  write_function(&stub);
  return finish(&stub);
}

/// Whether there is a line that imports it. At a line's start, so not in a function.
static bool imports(Str text, Str statement)
{
  for (size_t at = str_find(text, statement, 0); at != STR_NOT_FOUND; at = str_find(text, statement, at + 1)) {
    size_t end = at + statement.len;
    bool is_whole = end == text.len || text.data[end] == '\n' || text.data[end] == '\r' || text.data[end] == ',';
    if ((at == 0 || text.data[at - 1] == '\n') && is_whole)
      return true;
  }
  return false;
}

Str stub_addition(const StubSpec *spec, Str text, Arena *arena)
{
  static const Str both = STR_INIT("from torch.onnx import register_custom_op_symbolic, symbolic_helper");
  Stub stub = { .spec = spec, .arena = arena };
  name_parameters(&stub);
  if (text.len > 0 && !str_ends_with(text, STR("\n")))
    buffer_append(&stub.out, STR("\n"));
  buffer_append(&stub.out, STR("\n\n"));
  size_t before = stub.out.len;
  if (needs_torch(spec) && !imports(text, STR("import torch")))
    buffer_append(&stub.out, STR("import torch\n"));
  bool has_helper =
      !uses_parse_args(spec) || imports(text, both) || imports(text, STR("from torch.onnx import symbolic_helper"));
  bool has_register = imports(text, both) || imports(text, STR("from torch.onnx import register_custom_op_symbolic"));
  if (!has_register)
    buffer_append(&stub.out, STR("from torch.onnx import register_custom_op_symbolic\n"));
  if (!has_helper)
    buffer_append(&stub.out, STR("from torch.onnx import symbolic_helper\n"));
  if (stub.out.len > before)
    buffer_append(&stub.out, STR("\n\n"));
  write_function(&stub);
  return finish(&stub);
}
