// Calls of operators that this file or its workspace defines, torch.ops.mylib.foo(...): whether an overload takes what
// they give.

#include "python/rules/export/example_inputs.h"

/// Kinds of Python values that an argument of a type can't be. Each was given with torch 2.6 and 2.14.
static uint32_t refused_kinds(Str type)
{
  enum { NEVER = PY_STRING | PY_DICT | PY_FUNCTION };
  static const struct {
    const char *type;
    uint32_t refused;
  } types[] = {
    { "Scalar", NEVER | PY_LIST | PY_NONE },
    { "Tensor", NEVER | PY_LIST | PY_INT | PY_FLOAT | PY_BOOL | PY_DTYPE },
    { "bool", NEVER | PY_LIST | PY_DTYPE },
    { "float", NEVER | PY_LIST | PY_NONE | PY_DTYPE },
    { "float[]", NEVER | PY_INT | PY_FLOAT | PY_BOOL | PY_NONE | PY_DTYPE },
    { "int", NEVER | PY_LIST | PY_NONE | PY_FLOAT },
    { "SymInt", NEVER | PY_LIST | PY_NONE | PY_FLOAT },
    { "SymInt[]", PY_STRING | PY_FUNCTION | PY_INT | PY_FLOAT | PY_BOOL | PY_NONE | PY_DTYPE },
    { "int[]", NEVER | PY_INT | PY_FLOAT | PY_BOOL | PY_NONE | PY_DTYPE },
    { "str", PY_DICT | PY_FUNCTION | PY_LIST | PY_INT | PY_FLOAT | PY_BOOL | PY_NONE | PY_DTYPE },
  };
  bool is_optional = str_ends_with(type, STR("?"));
  type = str_slice(type, 0, type.len - is_optional);
  for (size_t i = 0; i < COUNT(types); i++) {
    if (str_equal(type, str_from(types[i].type)))
      return types[i].refused & ~(is_optional ? (uint32_t)PY_NONE : 0);
  }
  return 0;
}

/// The first argument that has a value of a kind that its type can't be; empty for none.
static Str refused_value(const PyFile *file, const PyCall *call, const TorchOverload *overload, Arena *arena)
{
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    const TorchArgument *argument = &overload->arguments[i];
    const PyArgument *given =
        py_model_argument_of(file->model, call, argument->is_kwarg_only ? PY_ABSENT : i, argument->name);
    PyValue value = given && given->value ? py_file_value(file, given->value) : (PyValue){ 0 };
    if (py_file_is_only(value, refused_kinds(argument->type)))
      return arena_printf(arena, "'%.*s' is of type %.*s, and this is %.*s", STR_ARG(argument->name),
                          STR_ARG(argument->type), STR_ARG(py_file_value_text(value, arena)));
  }
  return (Str){ 0 };
}

/// What the overload lacks or has not; empty if it takes the call.
static Str refusal(const PyModel *model, const PyCall *call, const TorchOverload *overload, Arena *arena)
{
  uint32_t positional = py_model_positional_count(model, call);
  uint32_t most = 0;
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    const TorchArgument *argument = &overload->arguments[i];
    bool is_given = !argument->is_kwarg_only && most < positional;
    char name[256];
    most += !argument->is_kwarg_only;
    if (is_given || argument->has_default || argument->name.len >= sizeof(name))
      continue;
    memcpy(name, argument->name.data, argument->name.len);
    name[argument->name.len] = '\0';
    if (!py_model_argument(model, call, PY_ABSENT, name))
      return arena_printf(arena, "'%s' is missing", name);
  }
  if (positional > most)
    return arena_printf(arena, "%u argument%s given by position, and it takes %u", positional,
                        positional == 1 ? " is" : "s are", most);
  for (uint32_t i = 0; i < call->argument_count; i++) {
    Str keyword = py_model_arguments(model, call)[i].keyword;
    bool is_known = keyword.len == 0;
    for (uint32_t k = 0; k < overload->argument_count && !is_known; k++)
      is_known = str_equal(overload->arguments[k].name, keyword);
    if (!is_known)
      return arena_printf(arena, "it has no argument '%.*s'", STR_ARG(keyword));
  }
  return (Str){ 0 };
}

static void check_call(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  Str name;
  Str overload;
  if (call->has_splat || call->has_dictionary_splat ||
      !py_library_called(file->model, &file->library, call, sink->arena, &name, &overload) ||
      symbolics_torch_operator(file->db, name))
    return;
  // What another file says of the name counts only if this one can't have made an operator of that name itself.
  if (file->library.is_open && !py_library_find(&file->library, name))
    return;
  const TorchOperator *op = py_file_torch_operator(file, name);
  Str why = { 0 };
  const TorchOverload *asked = NULL;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    Str shown = op->overloads[i].overload.len > 0 ? op->overloads[i].overload : STR("default");
    if (overload.len > 0 && !str_equal(shown, overload))
      continue;
    why = refusal(file->model, call, &op->overloads[i], sink->arena);
    why = why.len > 0 ? why : refused_value(file, call, &op->overloads[i], sink->arena);
    if (why.len == 0)
      return;
    asked = &op->overloads[i];
  }
  if (asked && sink_wants(sink, RULE_CUSTOM_OP, (Severity)SEVERITY_DEFAULT))
    py_say(sink, RULE_CUSTOM_OP, (Severity)SEVERITY_DEFAULT, call->function_node,
           arena_printf(sink->arena, "%.*s can't be called so: %.*s. Its schema is %.*s.", STR_ARG(name), STR_ARG(why),
                        STR_ARG(asked->schema)),
           NULL);
}

/// `opcheck(op, x)`, which gives the operator the rows of x.
static void check_opcheck(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  if (!str_equal(call->qualified, STR("torch.library.opcheck")))
    return;
  const PyArgument *op = py_model_argument(file->model, call, 0, "op");
  const PyArgument *args = py_model_argument(file->model, call, 1, "args");
  if (!op || !args)
    return;
  const PyLibraryOperator *known = py_library_named(file->model, &file->library, op->value, sink->arena);
  ExampleShape shape = example_shape(file->model, export_resolve(file->model, args->value));
  if (!known || known->schema.schema.len == 0 || shape.rank < 0 || (shape.rank > 0 && shape.sizes[0] < 0))
    return;
  int64_t least = 0, most = 0;
  for (uint32_t i = 0; i < known->schema.argument_count; i++) {
    most += !known->schema.arguments[i].is_kwarg_only;
    least += !known->schema.arguments[i].is_kwarg_only && !known->schema.arguments[i].has_default;
  }
  bool fits = shape.rank > 0 && shape.sizes[0] >= least && shape.sizes[0] <= most;
  if (!fits && sink_wants(sink, RULE_CUSTOM_OP, (Severity)SEVERITY_DEFAULT))
    py_say(sink, RULE_CUSTOM_OP, (Severity)SEVERITY_DEFAULT, args->value,
           STR("opcheck() takes a tuple of arguments, and gives the operator the rows of a tensor: write (x,)."), NULL);
}

// --- Operators that nothing defines ---

/// Whether nothing that the file imports or runs can define operators of PyTorch: only torch itself, and what is known
/// not to.
static bool loads_nothing(const PyModel *model)
{
  static const char *const packages[] = {
    "abc",     "argparse", "collections", "copy",  "dataclasses", "enum",        "functools",  "io",     "itertools",
    "json",    "logging",  "math",        "numpy", "onnx",        "onnxruntime", "onnxscript", "os",     "packaging",
    "pathlib", "random",   "re",          "sys",   "tempfile",    "time",        "torch",      "typing", "warnings"
  };
  static const char *const loaders[] = {
    "load_library", "cpp_extension", "importlib", "ctypes", "exec(", "__import__"
  };
  if (model->star_imports.count > 0)
    return false;
  for (size_t i = 0; i < model->bindings.count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    Str package = str_slice(binding->qualified, 0, str_find_char(binding->qualified, '.', 0));
    if (binding->kind == PY_BIND_IMPORT && !str_is_one_of(package, packages, COUNT(packages)))
      return false;
  }
  return !py_model_mentions_one_of(model, loaders, COUNT(loaders));
}

/// Whether the file runs one of its exports itself: else whoever does may load what defines the operators.
static bool runs_export(const PyModel *model)
{
  for (size_t i = 0; i < model->exports.count; i++) {
    uint32_t scope = model->calls.items[model->exports.items[i]].scope;
    if (scope == PY_ABSENT || model->functions.items[scope].first_call != PY_ABSENT)
      return true;
  }
  return false;
}

/// `torch.ops.my.foo(x)`, of which the file only says how it is exported.
static void check_undefined(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  Str name;
  Str overload;
  if (!str_starts_with(call->qualified, STR("torch.ops.")) || file->library.is_open ||
      !py_library_called(file->model, &file->library, call, sink->arena, &name, &overload) ||
      !py_file_registers(file, name) || py_file_torch_operator(file, name) || py_library_find(&file->library, name) ||
      !sink_wants(sink, RULE_CUSTOM_OP, SEVERITY_WARNING))
    return;
  py_say(
      sink, RULE_CUSTOM_OP, SEVERITY_WARNING, call->function_node,
      arena_printf(sink->arena,
                   "Nothing in sight defines %.*s, so the call raises an AttributeError: a registration tells how an "
                   "operator is exported; torch.library makes one, or an extension that is loaded.",
                   STR_ARG(name)),
      NULL);
}

void check_python_library_calls(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  // Of a file that defines operators, too, check_library_names.c tells those that it lacks.
  bool may_lack = sink_python(sink)->library.count == 0 && runs_export(model) && model->registrations.count > 0 &&
                  loads_nothing(model);
  for (size_t i = 0; i < model->calls.count; i++) {
    check_call(sink, &model->calls.items[i]);
    check_opcheck(sink, &model->calls.items[i]);
    if (may_lack)
      check_undefined(sink, &model->calls.items[i]);
  }
}
