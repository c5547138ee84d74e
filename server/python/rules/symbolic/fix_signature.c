// Fixes of a symbolic function's head: parameters that the operator's schema has, and @parse_args for values that are
// used as Python's.

#include "base/limits.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/function_check.h"

// --- Parameters ---

/// `, scale, input_scale`; empty if one of the names is taken, or a word of Python.
static Str missing_params(const FunctionCheck *check, const TorchOverload *best)
{
  static const char *const words[] = { "from", "lambda", "in", "is", "not", "or" };
  bool has_default = check->param_count > 0 && check->params[check->param_count - 1].default_value;
  Str text = { 0 };
  for (uint32_t i = check->param_count; i < best->argument_count; i++) {
    Str name = best->arguments[i].name;
    if (py_model_param(check->model, check->function, name) || str_is_one_of(name, words, COUNT(words)))
      return (Str){ 0 };
    text = arena_printf(check->sink->arena, "%.*s, %.*s%s", STR_ARG(text), STR_ARG(name), has_default ? "=None" : "");
  }
  return text;
}

/// `, "f", "f"` for what @parse_args lacks once the parameters are there; false if that can't be said.
static bool missing_letters(const FunctionCheck *check, const TorchOverload *best, size_t *ret_at, Str *ret_text)
{
  const PyFunction *function = check->function;
  *ret_text = (Str){ 0 };
  if (function->parse_args == PY_ABSENT || function->descriptor_count >= best->argument_count)
    return true;
  if (!function->descriptors_known || function->descriptor_count != check->param_count || check->param_count == 0)
    return false;
  for (uint32_t i = function->descriptor_count; i < best->argument_count; i++)
    *ret_text = arena_printf(check->sink->arena, "%.*s, \"%.*s\"", STR_ARG(*ret_text),
                             STR_ARG(export_api_descriptor_for(best->arguments[i].type)));
  PyRef last = check->model->descriptors.items[function->first_descriptor + function->descriptor_count - 1];
  *ret_at = py_range(check->sink, last).end;
  return true;
}

/// Whether functools.partial() gives some by name: what comes by position may not end up there.
static bool has_partial(const FunctionCheck *check)
{
  uint32_t function = (uint32_t)(check->function - check->model->functions.items);
  for (PY_EACH_REGISTRATION(check->model, registration, function)) {
    if (registration->partial != PY_ABSENT)
      return true;
  }
  return false;
}

/// Whether another operator that the function is registered for passes what it takes now.
static bool fits_another(const FunctionCheck *check)
{
  PyNames names = py_file_registered_names(check->file, check->index, check->sink->arena);
  for (size_t i = 0; i < names.count && i < PY_CALLER_LIMIT; i++) {
    const TorchOperator *op =
        str_equal(names.items[i], check->name) ? NULL : py_file_torch_operator(check->file, names.items[i]);
    for (uint32_t k = 0; op && k < op->overload_count; k++) {
      if (py_file_overload_applies(check->file, &op->overloads[k]) && function_takes(check, &op->overloads[k]))
        return true;
    }
  }
  return false;
}

const Fix *function_fix_parameters(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  const TorchOverload *best = function_best_overload(check);
  if (has_partial(check) || fits_another(check))
    return NULL;
  if (!best || check->has_args || best->argument_count <= check->param_count || check->function->param_count == 0)
    return NULL;
  Str params = missing_params(check, best);
  size_t letters_at = 0;
  Str letters;
  if (params.len == 0 || !missing_letters(check, best, &letters_at, &letters))
    return NULL;
  const PyParam *last =
      check->param_count > 0 ? &check->params[check->param_count - 1] : py_model_params(check->model, check->function);
  size_t at = py_range(sink, last->node).end;
  TextEdit *edits = ARENA_ARRAY(sink->arena, TextEdit, 2);
  size_t count = 0;
  if (letters.len > 0)
    edits[count++] = (TextEdit){ { letters_at, letters_at }, letters };
  edits[count++] = (TextEdit){ { at, at }, params };
  Fix *fix = ARENA_NEW(sink->arena, Fix);
  *fix = (Fix){ .title = STR("Add the missing parameters"), .edits = edits, .edit_count = count };
  return fix;
}

// --- @parse_args ---

/// How the file spells parse_args; empty if nothing imports it.
static Str spelling(const PyModel *model, Arena *arena)
{
  for (size_t i = 0; i < model->bindings.count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    if (binding->kind != PY_BIND_IMPORT || binding->scope != PY_ABSENT)
      continue;
    if (str_ends_with(binding->qualified, STR("onnx.symbolic_helper.parse_args")))
      return binding->name;
    if (str_ends_with(binding->qualified, STR("onnx.symbolic_helper")))
      return arena_printf(arena, "%.*s.parse_args", STR_ARG(binding->name));
  }
  for (size_t i = 0; i < model->bindings.count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    if (binding->kind == PY_BIND_IMPORT && binding->scope == PY_ABSENT && str_equal(binding->name, STR("torch")))
      return STR("torch.onnx.symbolic_helper.parse_args");
  }
  return (Str){ 0 };
}

/// The suffix of the attribute that is all that the parameter is used for; empty if there are other uses.
static Str only_suffix(const FunctionCheck *check, Str name)
{
  const PyTree *tree = &check->model->tree;
  PyRef body = check->function->body;
  Str suffix = { 0 };
  for (PY_EACH_NODE(tree, node, body)) {
    if (py_kind(tree, node) != PYK_IDENTIFIER || !str_equal(py_text(tree, node), name))
      continue;
    PyRef parent = tree->nodes[node].parent;
    PyRef keyword = py_kind(tree, parent) == PYK_KEYWORD_ARGUMENT ? py_child(tree, parent, PY_F_NAME) : 0;
    if (node == keyword)
      continue;  // `dim=...` of another call.
    Str text = keyword ? py_text(tree, keyword) : (Str){ 0 };
    size_t end = str_rfind_char(text, '_');
    Str found = end == STR_NOT_FOUND ? (Str){ 0 } : str_slice(text, end + 1, text.len);
    if (found.len == 0 || (suffix.len > 0 && !str_equal(found, suffix)))
      return (Str){ 0 };
    suffix = found;
  }
  return suffix;
}

/// The letter that makes of an argument what the suffix stores; empty if there is none.
static Str letter_for(Str type, Str suffix)
{
  Str letter = export_api_descriptor_for(type);
  bool is_int = str_equal(letter, STR("i")) || str_equal(letter, STR("b")) || str_equal(letter, STR("is"));
  bool fits = str_equal(suffix, STR("i")) ? is_int : str_starts_with(letter, suffix) && !str_equal(letter, STR("t"));
  return fits ? letter : (Str){ 0 };
}

const Fix *function_fix_parse_args(DiagSink *sink, uint32_t function, Str param)
{
  FunctionCheck check;
  if (function == PY_ABSENT || !function_check_begin(&check, sink, function))
    return NULL;
  PyNames names = py_file_registered_names(check.file, function, sink->arena);
  Str parse_args = spelling(check.model, sink->arena);
  const PyNode *node = &check.model->tree.nodes[check.function->node];
  if (node->next - check.function->node > PY_HEAD_FIX_NODES || check.param_count > PY_HEAD_FIX_PARAMS)
    return NULL;
  if (names.count != 1 || parse_args.len == 0 || check.function->parse_args != PY_ABSENT || check.has_args ||
      !check.function->name_node || check.function->outer != check.function->node)
    return NULL;
  function_check_name(&check, names.items[0]);
  const TorchOverload *best = function_best_overload(&check);
  if (!best || best->argument_count != check.param_count)
    return NULL;
  Str letters = { 0 };
  bool is_parsed = false;
  for (uint32_t i = 0; i < check.param_count; i++) {
    Str suffix = only_suffix(&check, check.params[i].name);
    Str letter = suffix.len > 0 ? letter_for(best->arguments[i].type, suffix) : (Str){ 0 };
    is_parsed |= letter.len > 0 && str_equal(check.params[i].name, param);
    letter = letter.len > 0 ? letter : STR("v");
    letters = arena_printf(sink->arena, "%.*s%s\"%.*s\"", STR_ARG(letters), i > 0 ? ", " : "", STR_ARG(letter));
  }
  Str text = check.model->tree.text;
  size_t at = check.model->tree.nodes[check.function->node].start;
  Str indent = str_slice(text, str_line_start(text, at), at);
  if (!is_parsed || str_trim(indent).len > 0)
    return NULL;
  return py_fix(sink, false, STR("Add @parse_args"), (Range){ at, at },
                arena_printf(sink->arena, "@%.*s(%.*s)\n%.*s", STR_ARG(parse_args), STR_ARG(letters), STR_ARG(indent)));
}
