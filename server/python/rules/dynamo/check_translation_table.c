// custom_translation_table of torch.onnx.export(): its keys are overloads of operators, its values functions that take
// what the overload takes. The exporter passes arguments in the order of the schema, keyword-only ones by name, and
// leaves out those that have their default.

#include "base/limits.h"
#include "base/release.h"
#include "python/model/keys_set.h"
#include "python/model/python_schema.h"
#include "python/rules/export/export_call.h"

static void say(const ExportCall *export, PyRef node, Severity severity, Str message, const Fix *fix)
{
  py_say(export->sink, RULE_TRANSLATION_TABLE, severity, node, message, fix);
}

// --- Keys ---

static bool is_overload(const TorchOverload *overload, Str name)
{
  return str_equal(overload->overload.len > 0 ? overload->overload : STR("default"), name);
}

/// Whether one of the file's torch versions has the overload; `ret_names` has all that there are.
static bool has_overload(const ExportCall *export, const TorchOperator *op, Str name, Str *ret_names)
{
  *ret_names = (Str){ 0 };
  for (uint32_t i = 0; i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (is_overload(overload, name))
      return true;
    Str shown = overload->overload.len > 0 ? overload->overload : STR("default");
    if (py_file_overload_applies(export->file, overload) && !str_ends_with(*ret_names, shown))
      *ret_names = arena_printf(export->sink->arena, "%.*s%s%.*s", STR_ARG(*ret_names), ret_names->len > 0 ? ", " : "",
                                STR_ARG(shown));
  }
  return false;
}

static void check_key(const ExportCall *export, PyRef key, Str name, Str overload)
{
  Arena *arena = export->sink->arena;
  const TorchOperator *op = symbolics_torch_operator(export->file->db, name);
  Str names;
  if (overload.len == 0) {
    Str key_text = py_model_qualified(export->model, py_model_resolve(export->model, key), arena);
    bool has_default = !op || has_overload(export, op, STR("default"), &names);
    say(export, key, OWN,
        arena_printf(arena, "A key has to be one overload, and %.*s stands for all of them%s.", STR_ARG(key_text),
                     has_default ? ": add .default" : ""),
        has_default ? py_edit_after(export->sink, true, STR("Add .default"), key, STR(".default")) : NULL);
  } else if (op && !has_overload(export, op, overload, &names) && names.len > 0) {
    say(export, key, OWN,
        arena_printf(arena, "%.*s has no overload '%.*s': there are %.*s.", STR_ARG(name), STR_ARG(overload),
                     STR_ARG(names)),
        NULL);
  }
}

/// An operator of the file that has this name in another name space; NULL.
static const PyLibraryOperator *own_namesake(const PyFile *file, Str base)
{
  for (size_t i = 0; i < file->library.count; i++) {
    Str own = file->library.items[i].defined.name;
    size_t end = str_find(own, STR("::"), 0);
    if (end != STR_NOT_FOUND && str_equal(str_slice(own, end + 2, own.len), base))
      return &file->library.items[i];
  }
  return NULL;
}

/// Whether the text names the name space otherwise than in `torch.ops.store.keep`.
static bool speaks_of_space(Str text, Str space, Arena *arena)
{
  Str before = STR("torch.ops.");
  Str path = arena_printf(arena, "%.*s%.*s.", STR_ARG(before), STR_ARG(space));
  for (size_t at = str_find(text, space, 0); at != STR_NOT_FOUND; at = str_find(text, space, at + space.len)) {
    if (at < before.len || !str_starts_with(str_slice(text, at - before.len, text.len), path))
      return true;
  }
  return false;
}

/// `torch.ops.store.keep` where this file defines shop::keep, and nothing in it speaks of `store`: torch.ops raises.
static void check_operator(const ExportCall *export, PyRef key, Str name)
{
  const PyFile *file = export->file;
  Arena *arena = export->sink->arena;
  size_t colons = str_find(name, STR("::"), 0);
  Str space = str_slice(name, 0, colons);
  if (file->library.is_open || py_file_torch_operator(file, name))
    return;
  if (str_equal(space, STR("aten"))) {
    say(export, key, OWN, arena_printf(arena, "PyTorch has no operator %.*s.", STR_ARG(name)), NULL);
    return;
  }
  const PyLibraryOperator *own = own_namesake(file, str_slice(name, colons + 2, name.len));
  if (own && (*export->guesses)++ < PY_GUESS_LIMIT && !speaks_of_space(export->model->tree.text, space, arena))
    say(export, key, OWN,
        arena_printf(arena, "There is no operator %.*s: this file defines %.*s.", STR_ARG(name),
                     STR_ARG(own->defined.name)),
        NULL);
}

// --- Functions ---

static bool is_keyword_of(const TorchOverload *schema, Str name)
{
  for (uint32_t i = 0; i < schema->argument_count; i++) {
    if (schema->arguments[i].is_kwarg_only && str_equal(schema->arguments[i].name, name))
      return true;
  }
  return false;
}

/// Parameters that a keyword-only argument of the operator fills need none by position.
static PyPositional count_of_function(const PyModel *model, const PyFunction *function, const TorchOverload *schema)
{
  PyPositional count = { 0 };
  for (PY_EACH_PARAM(model, param, function)) {
    if (param->kind == PY_PARAM_ARGS)
      count.most = UINT32_MAX;
    if (param->kind != PY_PARAM_PLAIN)
      continue;
    count.least += !param->default_value && !is_keyword_of(schema, param->name);
    count.most += count.most != UINT32_MAX;
  }
  return count;
}

static bool has_parameter(const PyModel *model, const PyFunction *function, Str name)
{
  for (PY_EACH_PARAM(model, param, function)) {
    if (param->kind == PY_PARAM_KWARGS || str_equal(param->name, name))
      return true;
  }
  return false;
}

/// What makers of tensors take, and the exporter rarely gives.
static bool is_tensor_option(Str name)
{
  static const char *const names[] = { "dtype", "layout", "device", "pin_memory", "memory_format" };
  return str_is_one_of(name, names, COUNT(names));
}

/// Whether the file calls the operator with that argument: then a node gives it.
static bool is_given(const ExportCall *export, const TorchOverload *schema, Str argument)
{
  const PyModel *model = export->model;
  Str name = str_slice(schema->schema, 0, str_find_char(schema->schema, '(', 0));
  if ((*export->guesses)++ >= PY_GUESS_LIMIT)
    return false;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    Str called;
    Str overload;
    if (py_library_called(model, &export->file->library, call, export->sink->arena, &called, &overload) &&
        str_equal(called, str_slice(name, 0, str_find_char(name, '.', 0))) &&
        py_model_argument_of(model, call, PY_ABSENT, argument))
      return true;
  }
  return false;
}

static void check_keywords(const ExportCall *export, PyRef node, const PyFunction *function,
                           const TorchOverload *schema)
{
  for (uint32_t i = 0; i < schema->argument_count; i++) {
    Str name = schema->arguments[i].name;
    if (schema->arguments[i].is_kwarg_only && !is_tensor_option(name) && !has_parameter(export->model, function, name))
      say(export, node, is_given(export, schema, name) ? OWN : SEVERITY_INFO,
          arena_printf(export->sink->arena,
                       "A node that gives '%.*s' can't be translated by this function, which has no such parameter.",
                       STR_ARG(name)),
          NULL);
  }
}

static void check_parameters(const ExportCall *export, PyRef value, uint32_t index, const TorchOverload *schema)
{
  const PyFunction *function = &export->model->functions.items[index];
  PyRef node = function->name_node ? function->name_node : value;
  Arena *arena = export->sink->arena;
  PyPositional gives = py_schema_positional(schema);
  PyPositional takes = count_of_function(export->model, function, schema);
  Str title = py_file_function_title(export->model, index, arena);
  if (takes.least > gives.most)
    say(export, node, OWN,
        arena_printf(arena, "%.*s requires %u arguments, but the exporter gives at most %u: %.*s.", STR_ARG(title),
                     takes.least, gives.most, STR_ARG(schema->schema)),
        NULL);
  else if (takes.most < gives.most)
    say(export, node, takes.most < gives.least ? OWN : SEVERITY_INFO,
        arena_printf(arena, "%.*s takes %u argument%s, but the exporter gives %s %u: %.*s.", STR_ARG(title), takes.most,
                     takes.most == 1 ? "" : "s", takes.most < gives.least ? "at least" : "up to",
                     takes.most < gives.least ? gives.least : gives.most, STR_ARG(schema->schema)),
        NULL);
  check_keywords(export, node, function, schema);
}

// --- Results ---

/// Whether it is one value of the graph: `op.Relu(x)`.
static bool is_one_value(const ExportCall *export, PyRef node)
{
  const PyOp *op = py_model_op_at(export->model, py_model_resolve(export->model, node));
  const OnnxOperator *onnx = op && op->kind == PY_OP_ONNXSCRIPT && op->name_known
                                 ? symbolics_onnx_operator(export->file->db, op->domain, op->name)
                                 : NULL;
  const OnnxSchema *schema = onnx ? onnx_operator_at(onnx, op->opset) : NULL;
  return schema && schema->max_output == 1;
}

/// One value for an operator with several: the exporter takes its elements, as if it were a sequence, and the checker
/// and sessions refuse the model. Run with torch 2.14.
static void check_results(const ExportCall *export, uint32_t index, Str name, const TorchOverload *schema)
{
  PyRef returned = export->model->functions.items[index].returned;
  for (uint32_t i = 0; i < schema->return_count; i++) {
    if (!str_equal(schema->returns[i].type, STR("Tensor")))
      return;
  }
  if (!returned || schema->return_count < 2 || !is_one_value(export, returned))
    return;
  say(export, returned, OWN,
      arena_printf(export->sink->arena, "This is one value, and %.*s has %u outputs: return a tuple of so many.",
                   STR_ARG(name), schema->return_count),
      NULL);
}

// --- What stands in the table ---

/// onnxscript 0.7.0 and newer reads the outputs of a function off its annotation. Run with 0.6.2, 0.7.0 and 0.7.2.
static void check_outputs(const ExportCall *export, PyRef node, const PyFunction *function)
{
  const Release since = { .numbers = { 0, 7 }, .count = 2 };
  size_t end;
  Release used = release_read(export->file->target->onnxscript, &end);
  if (py_child(&export->model->tree, function->node, PY_F_RETURN_TYPE) ||
      (used.count > 0 && release_compare(used, since) < 0))
    return;
  say(export, node, SEVERITY_WARNING,
      STR("For onnxscript 0.7.0 and newer a @script function has the outputs that its annotation names, so without one the "
          "export fails: write what it returns, `-> FLOAT[...]`."),
      NULL);
}

/// `my_erf(None)`: a function of operators is called now, and what it gives back is no function.
static bool check_called(const ExportCall *export, PyRef node)
{
  const PyModel *model = export->model;
  const PyCall *call = py_model_call(model, py_model_resolve(model, node));
  uint32_t callee = call ? call->function : PY_ABSENT;
  if (callee == PY_ABSENT || model->functions.items[callee].has_unknown_decorator)
    return false;
  const PyOp *op = py_model_op_at(model, py_tree_strip(&model->tree, model->functions.items[callee].returned));
  if (!op || op->kind != PY_OP_ONNXSCRIPT)
    return false;
  Str name = model->functions.items[callee].name;
  say(export, node, OWN,
      arena_printf(export->sink->arena, "This calls %.*s() now: give the function itself, without the brackets.",
                   STR_ARG(name)),
      py_edit_replace(export->sink, true, node, name));
  return true;
}

/// The function of the file that a value is; PY_ABSENT.
static uint32_t function_of_value(const PyModel *model, PyRef value)
{
  PyNodeKind kind = py_kind(&model->tree, value);
  if (kind == PYK_LAMBDA)
    return py_model_function_at(model, value);
  const PyBinding *binding = py_model_binding_at(model, value);
  if (kind != PYK_ATTRIBUTE && kind != PYK_CALL)
    return py_binding_is_only(binding, PY_BIND_FUNCTION) ? binding->index : PY_ABSENT;
  PyCallable callable = py_model_callable(model, value);
  bool is_plain = callable.partial == PY_ABSENT && callable.parse_args == PY_ABSENT && !callable.is_bound &&
                  callable.function != PY_ABSENT;
  // A method without its class, or what a function of the file makes.
  bool is_known = is_plain && (kind == PYK_CALL ? model->functions.items[callable.function].parent != PY_ABSENT
                                                : model->functions.items[callable.function].is_static);
  return is_known ? callable.function : PY_ABSENT;
}

static void check_function(const ExportCall *export, PyRef node, const TorchOverload *schema)
{
  if (check_called(export, node))
    return;
  const PyModel *model = export->model;
  PyRef value = py_model_resolve(model, node);
  PyNodeKind kind = py_kind(&model->tree, value);
  if (kind == PYK_STRING || kind == PYK_INTEGER || kind == PYK_NONE || kind == PYK_DICTIONARY) {
    say(export, node, OWN, STR("The value has to be a function that makes the ONNX operators."), NULL);
    return;
  }
  uint32_t index = function_of_value(model, value);
  if (index == PY_ABSENT)
    return;
  const PyFunction *function = &model->functions.items[index];
  bool is_script = (function->roles & PY_ROLE_ONNXSCRIPT) != 0;
  if (function->has_unknown_decorator && !is_script)
    return;
  if (is_script)
    check_outputs(export, node, function);
  else if (!export->translated[index])
    export_check_translation(export, index, schema);
  if (!schema)
    return;
  check_parameters(export, node, index, schema);
  if (!is_script)
    check_results(export, index, str_slice(schema->schema, 0, str_find_char(schema->schema, '(', 0)), schema);
}

/// Of an operator of torch, or one that this file or its workspace defines.
static const TorchOverload *schema_of(const ExportCall *export, Str name, Str overload)
{
  const TorchOperator *op = py_file_torch_operator(export->file, name);
  const TorchOverload *found = NULL;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    if (is_overload(&op->overloads[i], overload) && py_file_overload_applies(export->file, &op->overloads[i])) {
      if (found)
        return NULL;  // It differs between the torch versions of the file.
      found = &op->overloads[i];
    }
  }
  return found;
}

/// An operator of one's own is found under `my::scale`, as run with torch 2.14; one of torch is not.
static void check_string_key(const ExportCall *export, PyRef key, Str name)
{
  Str op = str_slice(name, 0, str_find_char(name, '.', 0));
  bool is_own = str_contains(op, STR("::")) && !symbolics_torch_operator(export->file->db, op);
  say(export, key, is_own ? SEVERITY_INFO : OWN,
      is_own ? STR("A string is no key that torch.onnx.export() promises to take: write the overload, "
                   "torch.ops.my.scale.default.")
             : STR("A key has to be an overload such as torch.ops.aten.relu.default; under a string nothing is ever "
                   "found."),
      NULL);
}

/// The operator that a function below @custom_op defines; NULL if the expression is no such function.
static const PyLibraryOperator *own_operator(const ExportCall *export, PyRef key)
{
  const PyModel *model = export->model;
  const PyLibrary *library = &export->file->library;
  const PyBinding *binding = py_model_binding_at(model, key);
  if (!py_binding_is_only(binding, PY_BIND_FUNCTION))
    return NULL;
  for (size_t i = 0; i < library->count; i++) {
    if (library->items[i].function == binding->index && str_contains(library->items[i].defined.name, STR("::")))
      return &library->items[i];
  }
  return NULL;
}

/// The function itself is another object than the overload: nothing is ever found under it.
static void check_function_key(const ExportCall *export, PyRef key, const PyLibraryOperator *op)
{
  Str name = op->defined.name;
  size_t colons = str_find(name, STR("::"), 0);
  Str right = arena_printf(export->sink->arena, "torch.ops.%.*s.%.*s.default", (int)colons, name.data,
                           STR_ARG(str_slice(name, colons + 2, name.len)));
  say(export, key, OWN,
      arena_printf(export->sink->arena, "A key has to be an overload, and this is the function: write %.*s.",
                   STR_ARG(right)),
      py_edit_replace(export->sink, true, key, right));
}

/// `torch.relu: f`: the export succeeds, and never calls the function. Run with torch 2.14.
static void check_torch_key(const ExportCall *export, PyRef key)
{
  Str name = py_model_qualified(export->model, py_model_resolve(export->model, key), export->sink->arena);
  if (str_starts_with(name, STR("torch.")) && !str_starts_with(name, STR("torch.ops.")))
    say(export, key, OWN,
        STR("A key has to be an overload such as torch.ops.aten.relu.default; under a function or class of torch nothing "
            "is ever found."),
        NULL);
}

static void check_pair(const ExportCall *export, PyRef key, PyRef value)
{
  const PyTree *tree = &export->model->tree;
  Str name;
  Str overload;
  Str text;
  if (py_model_string(export->model, key, export->sink->arena, &text)) {
    check_string_key(export, key, text);
    return;
  }
  const PyLibraryOperator *own = own_operator(export, key);
  if (own)
    check_function_key(export, key, own);
  else
    check_torch_key(export, key);
  bool is_known = py_library_overload_name(export->model, key, export->sink->arena, &name, &overload);
  if (is_known)
    check_key(export, key, name, overload);
  if (is_known)
    check_operator(export, key, name);
  const TorchOverload *schema = is_known ? schema_of(export, name, overload) : NULL;
  PyRef functions = py_model_resolve(export->model, value);
  if (py_kind(tree, functions) != PYK_LIST && py_kind(tree, functions) != PYK_TUPLE) {
    check_function(export, value, schema);
    return;
  }
  if (export_torch_is_from(export->file, 2, 14)) {
    say(export, value, OWN, STR("The value has to be one function; torch 2.14 takes no list of them."), NULL);
    return;
  }
  for (PY_EACH_ELEMENT(tree, item, functions))
    check_function(export, item, schema);
}

static void check_key_set(const KeySet *set, void *context)
{
  if (set->key)
    check_pair(context, set->key, set->value);
}

/// Whether a function that says `self.table[...] = ...` or `TABLE[...] = ...` fills the table that the export is given.
static bool is_filled(const PyModel *model, PyRef given, PyRef filled)
{
  const PyTree *tree = &model->tree;
  if (py_kind(tree, given) != py_kind(tree, filled))
    return false;
  if (py_kind(tree, given) == PYK_IDENTIFIER) {
    const PyBinding *binding = py_model_binding_at(model, given);
    return binding && binding == py_model_binding_at(model, filled);
  }
  if (!str_equal(py_tree_member_name(tree, given), py_tree_member_name(tree, filled)))
    return false;
  PyRef class_node = py_model_class_of_object(model, py_tree_object(tree, given));
  return class_node && class_node == py_model_class_of_object(model, py_tree_object(tree, filled));
}

/// The dictionary that a table takes in, `{**OTHERS, key: value}`, or that a function of the file gives back; 0.
static PyRef written_table(const ExportCall *export, PyRef node)
{
  const PyModel *model = export->model;
  node = py_model_resolve(model, node);
  const PyCall *call = py_model_call(model, node);
  uint32_t maker = call ? call->function : PY_ABSENT;
  PyRef returned = maker == PY_ABSENT ? 0 : model->functions.items[maker].returned;
  node = returned ? py_model_resolve(model, returned) : node;
  return py_kind(&model->tree, node) == PYK_DICTIONARY ? node : 0;
}

static void check_pairs(const ExportCall *export, PyRef table, int *left)
{
  const PyTree *tree = &export->model->tree;
  for (PyRef pair = py_first_child(tree, table); pair && (*left)-- > 0; pair = py_next_sibling(tree, pair)) {
    PyRef key = py_tree_key(tree, pair);
    PyRef value = key ? py_child(tree, pair, PY_F_VALUE) : 0;
    if (value)
      check_pair(export, key, value);
  }
}

/// `dict([(key, value)])`
static void check_tuples(const ExportCall *export, PyRef table)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, table);
  const PyArgument *list = call && str_equal(call->qualified, STR("dict")) && call->argument_count == 1
                               ? py_model_argument(model, call, 0, NULL)
                               : NULL;
  PyRef pairs = list ? py_model_resolve(model, list->value) : 0;
  if (!pairs || (py_kind(tree, pairs) != PYK_LIST && py_kind(tree, pairs) != PYK_TUPLE))
    return;
  int left = PY_REGISTRATION_LIMIT;
  for (PyRef pair = py_tree_first_element(tree, pairs); pair && left-- > 0; pair = py_tree_next_element(tree, pair)) {
    PyRef key = py_kind(tree, pair) == PYK_TUPLE ? py_tree_first_element(tree, pair) : 0;
    PyRef value = key ? py_tree_next_element(tree, key) : 0;
    if (value)
      check_pair(export, key, value);
  }
}

void export_check_table(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  PyRef table = export_value(export, "custom_translation_table");
  if (!table || export->kind == EXPORT_TRACES)
    return;
  keys_set_each(export->model, export_argument(export, "custom_translation_table")->value, export->call->node,
                check_key_set, (void *)export);
  PyRef given = py_tree_strip(tree, export_argument(export, "custom_translation_table")->value);
  for (size_t i = 0; i < export->model->entries.count; i++) {
    const PyEntry *entry = &export->model->entries.items[i];
    if (is_filled(export->model, given, entry->table))
      check_pair(export, entry->key, entry->value);
  }
  PyNodeKind kind = py_kind(tree, table);
  if (kind == PYK_LIST || kind == PYK_TUPLE || kind == PYK_SET || kind == PYK_STRING) {
    say(export, export_argument(export, "custom_translation_table")->value, OWN,
        STR("custom_translation_table has to be a dict from overloads to functions."), NULL);
    return;
  }
  int left = PY_REGISTRATION_LIMIT;
  check_tuples(export, table);
  table = written_table(export, table);
  if (!table)
    return;
  check_pairs(export, table, &left);
  for (PyRef part = py_first_child(tree, table); part && left > 0; part = py_next_sibling(tree, part)) {
    PyRef inner = py_kind(tree, part) == PYK_DICTIONARY_SPLAT ? py_first_child(tree, part) : 0;
    inner = inner ? written_table(export, inner) : 0;
    if (inner)
      check_pairs(export, inner, &left);
  }
}
