// A registered symbolic function becomes a translation function (migrate_body.c), and a table of the export takes the
// place of the registration. What the exporter leaves out, because it has its default, needs that default as a
// parameter's.

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "python/rules/migrate/migrate.h"

// --- Parameters ---

/// As Python writes a default of a schema; empty for what has no such form.
static Str python_default(Str text)
{
  static const char *const words[] = { "None", "True", "False", "[]" };
  bool is_number = text.len > 0 && (ascii_is_digit(text.data[0]) || text.data[0] == '-' || text.data[0] == '.');
  bool is_string = text.len > 1 && (text.data[0] == '"' || text.data[0] == '\'');
  return is_number || is_string || str_is_one_of(text, words, COUNT(words)) ? text : (Str){ 0 };
}

static PyRef lambda_parameters(const Migration *migration)
{
  const PyTree *tree = &migration->model->tree;
  PyRef first = py_first_child(tree, migration->model->functions.items[migration->function].node);
  return first && py_kind(tree, first) == PYK_LAMBDA_PARAMETERS ? first : 0;
}

static void rewrite_parameters(Migration *migration, const TorchOverload *schema)
{
  const PyModel *model = migration->model;
  const PyFunction *function = &model->functions.items[migration->function];
  Buffer out = { 0 };
  for (uint32_t i = 1; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    migration_need(migration, param->kind == PY_PARAM_PLAIN, param->node, "is no plain parameter");
    Str value = param->default_value ? py_text(&model->tree, param->default_value) : (Str){ 0 };
    const TorchArgument *argument = schema && i - 1 < schema->argument_count ? &schema->arguments[i - 1] : NULL;
    if (argument && argument->has_default)
      value = python_default(argument->default_text);
    migration_need(migration, !argument || !argument->has_default || value.len > 0, param->node,
                   "has a default in the operator's schema that Python can't write");
    migration_need(migration, !argument || !argument->is_kwarg_only || str_equal(argument->name, param->name),
                   param->node, "is given by a name of its own");
    buffer_printf(&out, "%s%.*s%s%.*s", i > 1 ? ", " : "", STR_ARG(param->name), value.len > 0 ? "=" : "",
                  STR_ARG(value));
  }
  PyRef list = py_child(&model->tree, function->node, PY_F_PARAMETERS);
  if (!list)
    list = lambda_parameters(migration);
  bool fits = list != 0 && (!schema || schema->argument_count + 1 == function->param_count);
  migration_need(migration, fits, function->node, "has other parameters than the operator");
  if (!fits)
    return;
  migration_edit(migration, migration_start(migration, list), migration_end(migration, list),
                 function->name_node ? arena_printf(migration->sink->arena, "(%.*s)", STR_ARG(buffer_str(&out)))
                                     : arena_copy(migration->sink->arena, buffer_str(&out)));
  buffer_done(&out);
}

/// The overloads that the function is for; NULL for the default one of an operator that nobody knows.
static const TorchOverload *overload_for(const Migration *migration, Str name, bool *ret_is_sure)
{
  const PyFunction *function = &migration->model->functions.items[migration->function];
  const TorchOperator *op = py_file_torch_operator(migration->file, name);
  const TorchOverload *found = NULL;
  *ret_is_sure = true;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (!(overload->torch_versions >> migration->file->torch & 1) || str_ends_with(overload->overload, STR("out")) ||
        overload->argument_count + 1 != function->param_count)
      continue;
    *ret_is_sure &= !found;
    found = overload;
  }
  *ret_is_sure &= !op || found;
  return found;
}

// --- The table ---

static const char table_name[] = "CUSTOM_TRANSLATION_TABLE";

/// `torch.ops.mylib.foo.default`
static Str overload_path(const Migration *migration, Str name, const TorchOverload *overload)
{
  size_t colons = str_find(name, STR("::"), 0);
  Str shown = overload && overload->overload.len > 0 ? overload->overload : STR("default");
  return arena_printf(migration->sink->arena, "torch.ops.%.*s.%.*s.%.*s", (int)colons, name.data,
                      STR_ARG(str_slice(name, colons + 2, name.len)), STR_ARG(shown));
}

/// The statement of the registration, which the table takes the place of.
static PyRef statement_of(const Migration *migration, const PyRegistration *registration)
{
  const PyTree *tree = &migration->model->tree;
  PyRef statement = tree->nodes[registration->node].parent;
  return py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? statement : 0;
}

/// Whether every export of the file stands in the function of the registration, after it.
static bool exports_are_in(const Migration *migration, uint32_t scope, PyRef after)
{
  const PyModel *model = migration->model;
  for (size_t i = 0; i < model->exports.count; i++) {
    PyRef call = model->calls.items[model->exports.items[i]].node;
    if (py_model_scope_of(model, call) != scope || call < after)
      return false;
  }
  return model->exports.count > 0;
}

/// `TABLE = {torch.ops.ns.op.default: function}`, or one more entry of it.
static void write_in_place(Migration *migration, PyRef statement, Str path)
{
  const PyModel *model = migration->model;
  const PyFunction *function = &model->functions.items[migration->function];
  Arena *arena = migration->sink->arena;
  bool exists = str_contains(model->tree.text, str_from(table_name));
  bool is_lambda = function->name_node == 0;
  Str text = exists ? arena_printf(arena, "%s[%.*s] = %.*s", table_name, STR_ARG(path), STR_ARG(function->name))
                    : arena_printf(arena, "%s = {%.*s: %.*s%s", table_name, STR_ARG(path), STR_ARG(function->name),
                                   is_lambda ? "" : "}");
  if (!is_lambda) {
    migration_edit(migration, migration_start(migration, statement), migration_end(migration, statement), text);
    return;
  }
  migration_edit(migration, migration_start(migration, statement), migration_start(migration, function->node), text);
  migration_edit(migration, migration_end(migration, function->node), migration_end(migration, statement),
                 exists ? STR("") : STR("}"));
}

/// Below the function, where all of the file sees it. Of an operator that something else than this file brings nobody
/// knows whether it is there already.
static void write_below(Migration *migration, PyRef statement, Str path, bool is_known)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  const PyFunction *function = &model->functions.items[migration->function];
  static const char *const loaders[] = { "load_library", "cpp_extension", "ctypes" };
  bool is_alone = py_first_child(tree, tree->nodes[statement].parent) == statement && !py_next_sibling(tree, statement);
  migration_need(migration,
                 function->name_node && is_known && tree->nodes[function->outer].parent == 0 &&
                     !str_contains_one_of(tree->text, loaders, COUNT(loaders)) &&
                     !str_contains(tree->text, str_from(table_name)),
                 statement, "stands in a function, away from the export that would need its table");
  if (!migration->is_possible)
    return;
  size_t end = migration_end(migration, function->outer);
  migration_edit(migration, end, end,
                 arena_printf(migration->sink->arena, "\n\n\n%s = {%.*s: %.*s}", table_name, STR_ARG(path),
                              STR_ARG(function->name)));
  if (is_alone)
    migration_edit(migration, migration_start(migration, statement), migration_end(migration, statement), STR("pass"));
  else
    migration_remove_line(migration, statement);
}

/// Where the table stands from then on; 0 if nowhere.
static PyRef write_entry(Migration *migration, const PyRegistration *registration, const TorchOverload *overload)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  PyRef statement = statement_of(migration, registration);
  uint32_t scope = statement ? py_model_scope_of(model, statement) : PY_ABSENT;
  PyRef around = statement ? tree->nodes[statement].parent : 0;
  bool is_plain = statement && around == (scope == PY_ABSENT ? 0 : model->functions.items[scope].body);
  is_plain &= scope == PY_ABSENT || model->functions.items[migration->function].name_node != 0;
  migration_need(migration, is_plain, registration->node, "is not a statement of its own that is always run");
  if (!is_plain)
    return 0;
  Str path = overload_path(migration, registration->name, overload);
  bool is_here = scope == PY_ABSENT ||
                 (exports_are_in(migration, scope, statement) && !str_contains(tree->text, str_from(table_name)));
  if (is_here)
    write_in_place(migration, statement, path);
  else
    write_below(migration, statement, path, overload != NULL);
  return is_here ? statement : model->functions.items[migration->function].node;
}

/// Exports that take the dynamo exporter are given the table; one that has another table is in the way.
static void give_table(Migration *migration, PyRef table)
{
  const PyModel *model = migration->model;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    const PyArgument *given = py_model_argument(model, call, PY_ABSENT, "custom_translation_table");
    bool is_ours = given && str_equal(py_text(&model->tree, given->value), str_from(table_name));
    bool is_before = call->node < table && py_model_scope_of(model, call->node) == PY_ABSENT;
    migration_need(migration, !given || is_ours, call->function_node, "is given another table");
    migration_need(migration,
                   !call->has_dictionary_splat && call->list_node && !is_before &&
                       py_file_exporter(migration->file, call).kind != EXPORT_TRACES,
                   call->function_node, "is an export that can't be given the table");
    if (given || !migration->is_possible)
      continue;
    const Fix *fix = py_edit_append(migration->sink, false, STR(""), call->list_node,
                                    arena_printf(migration->sink->arena, "custom_translation_table=%s", table_name));
    migration_need(migration, fix != NULL, call->function_node, "is an export that can't be given the table");
    if (fix)
      vec_push(&migration->edits, fix->edits[0]);
  }
}

static bool makes_tensors(const Migration *migration)
{
  const PyModel *model = migration->model;
  for (uint32_t i = 0; i < migration->function_count; i++) {
    if (str_contains(py_text(&model->tree, model->functions.items[migration->functions[i]].body), STR("value_t=")))
      return true;
  }
  return false;
}

/// Imports stand above the function, or the statement that holds it, and its decorators go.
static void write_imports(Migration *migration, PyRef statement)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  const PyFunction *function = &model->functions.items[migration->function];
  Str own = STR("from onnxscript import opset18 as op\n");
  const PyBinding *binding = py_model_binding_named(model, PY_ABSENT, STR("op"));
  bool has_op = str_contains(tree->text, own);
  bool needs_ir = makes_tensors(migration) && !str_contains(tree->text, STR("import onnx_ir as ir\n"));
  bool needs_torch = py_model_lookup(model, PY_ABSENT, STR("torch")) == PY_ABSENT;
  migration_need(migration, !binding || has_op, function->node, "would need the name `op`, which is taken");
  migration_need(migration, !needs_ir || py_model_lookup(model, PY_ABSENT, STR("ir")) == PY_ABSENT, function->node,
                 "would need the name `ir`, which is taken");
  size_t start =
      function->name_node ? migration_start(migration, function->outer) : migration_start(migration, statement);
  bool is_any = !has_op || needs_ir || needs_torch;
  Str text =
      arena_printf(migration->sink->arena, "%s%s%.*s%s", needs_ir ? "import onnx_ir as ir\n" : "",
                   needs_torch ? "import torch\n" : "", has_op ? 0 : (int)own.len, own.data, is_any ? "\n\n" : "");
  migration_edit(migration, start, function->name_node ? migration_start(migration, function->node) : start, text);
}

/// Whether the function is registered this once, and nothing else uses it.
static void check_function(Migration *migration, const PyRegistration *registration)
{
  const PyModel *model = migration->model;
  const PyFunction *function = &model->functions.items[migration->function];
  PyRef node = registration->node;
  bool is_only = registration->next_of_function == PY_ABSENT && function->first_registration != PY_ABSENT &&
                 py_model_registration(model, function->first_registration) == registration;
  migration_need(migration, registration->kind == PY_REG_CUSTOM && !registration->is_row, node,
                 "is one of several that a loop makes");
  migration_need(migration, registration->name_known && str_contains(registration->name, STR("::")), node,
                 "is of an operator that is not known here");
  migration_need(migration, is_only, node, "is not the only one of its function");
  migration_need(migration, registration->method == PY_ABSENT && registration->partial == PY_ABSENT, node,
                 "gives the function arguments beforehand");
  migration_need(migration, !function->has_unknown_decorator && !function->quantized_args, function->outer,
                 "has a decorator that only the TorchScript exporter knows");
  migration_need(migration, function->first_call == PY_ABSENT, function->node, "is called by other code as well");
  bool is_lambda = function->name_node == 0;
  migration_need(migration, (is_lambda || function->parent == PY_ABSENT) && !function->class_node, function->node,
                 "is no function of the module itself");
  migration_need(migration, !is_lambda || registration->function_node == function->node, node,
                 "is of a lambda that stands elsewhere");
  migration_need(migration, function->param_count > 0, function->node, "takes no graph");
  migration_need(migration, function->body && !model->tree.nodes[function->node].has_error, function->node,
                 "can't be read");
}

const Fix *migrate_registration(DiagSink *sink, const PyRegistration *registration, MigrationStop *ret_stop)
{
  Migration migration = migration_begin(sink, registration->function);
  const PyModel *model = migration.model;
  if (!migration_is_wanted(migration.file))
    return NULL;
  if (registration->function == PY_ABSENT) {
    *ret_stop = (MigrationStop){ registration->node, "is not of a function that is written in this file" };
    return NULL;
  }
  check_function(&migration, registration);
  const PyFunction *function = &model->functions.items[registration->function];
  if (migration.is_possible) {
    bool is_sure;
    const TorchOverload *overload = overload_for(&migration, registration->name, &is_sure);
    migration_need(&migration, is_sure, function->node, "fits no overload of the operator, or several");
    rewrite_parameters(&migration, overload);
    migration_translate(&migration, py_model_params(model, function)->name);
    PyRef table = write_entry(&migration, registration, overload);
    write_imports(&migration, table);
    give_table(&migration, table);
  }
  *ret_stop = migration.stop;
  return migration_finish(&migration, STR("Translate with onnxscript, in a custom_translation_table"));
}
