// A registered symbolic function becomes a translation function: g.op("Elu", x, alpha_f=a) is op.Elu(x, alpha=a) of
// onnxscript, arguments that are not tensors come as Python values, and a table of the export takes the place of the
// registration. What the exporter leaves out, because it has its default, needs that default as a parameter's.

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "python/rules/migrate.h"
#include "python/rules/op.h"

enum { OPSET = 18 };  ///< Of the translation: the exporter brings the model to the opset that is asked for.

static size_t start_of(const Migration *migration, PyRef node)
{
  return migration->model->tree.nodes[node].start;
}

static size_t end_of(const Migration *migration, PyRef node)
{
  return migration->model->tree.nodes[node].end;
}

// --- Operators ---

static bool has_input(const OnnxSchema *schema, Str name)
{
  for (uint32_t i = 0; i < schema->input_count; i++) {
    if (str_equal(schema->inputs[i].name, name))
      return true;
  }
  return false;
}

static const OnnxSchema *schema_of(const Migration *migration, const PyOp *op)
{
  const OnnxOperator *known =
      op->name_known && op->domain.len == 0 ? symbolics_onnx_operator(migration->file->db, op->domain, op->name) : NULL;
  const OnnxSchema *schema = known ? onnx_operator_at(known, OPSET) : NULL;
  return schema && !schema->deprecated ? schema : NULL;
}

/// `value_t=torch.tensor(...)` of a Constant.
static void rewrite_tensor(Migration *migration, const PyAttribute *attribute)
{
  Arena *arena = migration->sink->arena;
  Str value = py_text(&migration->model->tree, attribute->value);
  migration->is_possible &= str_equal(attribute->name, STR("value")) && str_starts_with(value, STR("torch.tensor("));
  migration_edit(migration, start_of(migration, attribute->node), end_of(migration, attribute->node),
                 arena_printf(arena, "value=ir.tensor(%.*s.numpy())", STR_ARG(value)));
}

/// An enumerator that g.op() takes for a number, and onnxscript does not.
static bool is_onnx_type(Str text)
{
  static const char *const words[] = { "TensorProtoDataType", "cast_pytorch_to_onnx" };
  return str_contains_one_of(text, words, COUNT(words));
}

static void rewrite_attribute(Migration *migration, const OnnxSchema *schema, const PyAttribute *attribute)
{
  const PyTree *tree = &migration->model->tree;
  bool is_input = has_input(schema, attribute->name);
  char letter = attribute->suffix.len == 1 ? attribute->suffix.data[0] : '\0';
  if (letter == 't') {
    rewrite_tensor(migration, attribute);
    return;
  }
  migration->is_possible &=
      letter != '\0' && strchr("ifs", letter) && (is_input || onnx_schema_attribute(schema, attribute->name));
  migration_edit(migration, start_of(migration, attribute->name_node), end_of(migration, attribute->name_node),
                 attribute->name);
  PyNodeKind kind = py_kind(tree, attribute->value);
  size_t start = start_of(migration, attribute->value);
  size_t end = end_of(migration, attribute->value);
  bool is_list_input = is_input && letter == 'i' && (kind == PYK_INTEGER || kind == PYK_UNARY_OPERATOR);
  if (is_list_input) {
    migration_edit(migration, start, start, STR("["));
    migration_edit(migration, end, end, STR("]"));
  } else if (is_input && letter == 'f' && kind == PYK_INTEGER) {
    migration_edit(migration, end, end, STR(".0"));
  } else if (letter == 'i' && is_onnx_type(py_text(tree, attribute->value))) {
    migration_edit(migration, start, start, STR("int("));
    migration_edit(migration, end, end, STR(")"));
  }
}

/// `outputs=2`: onnxscript knows the number from the schema, but for operators of any number.
static void rewrite_outputs(Migration *migration, const OnnxSchema *schema, const PyOp *op)
{
  const PyModel *model = migration->model;
  if (!op->outputs_node) {
    size_t end = end_of(migration, model->calls.items[op->call].node);
    if (op_gives_several(schema))
      migration_edit(migration, end, end, STR("[0]"));
    return;
  }
  PyRef keyword = model->tree.nodes[op->outputs_node].parent;
  bool is_split = str_equal(op->name, STR("Split")) && op->input_count == 1;
  migration->is_possible &=
      op->outputs > 0 && py_kind(&model->tree, keyword) == PYK_KEYWORD_ARGUMENT &&
      (is_split || (schema->min_output == schema->max_output && schema->min_output == (uint32_t)op->outputs));
  for (uint32_t i = 0; i < op->attribute_count && is_split; i++)
    migration->is_possible &= str_equal(model->attributes.items[op->first_attribute + i].name, STR("axis"));
  Str text = py_text(&model->tree, op->outputs_node);
  if (is_split) {
    migration_edit(migration, start_of(migration, keyword), end_of(migration, keyword),
                   arena_printf(migration->sink->arena, "num_outputs=%.*s", STR_ARG(text)));
    return;
  }
  size_t start = start_of(migration, keyword);
  Str before = str_trim(str_slice(model->tree.text, 0, start));
  migration->is_possible &= str_ends_with(before, STR(","));
  migration_edit(migration, before.len - 1, end_of(migration, keyword), STR(""));
}

/// `g.op("Elu", x` becomes `op.Elu(x`.
static void rewrite_op(Migration *migration, const PyOp *op)
{
  const PyModel *model = migration->model;
  const PyCall *call = &model->calls.items[op->call];
  const OnnxSchema *schema = schema_of(migration, op);
  const PyArgument *name = py_model_argument(model, call, 0, NULL);
  migration->is_possible &= op->kind == PY_OP_GRAPH && schema && name && !op->has_splat_attribute && call->list_node;
  if (!migration->is_possible)
    return;
  size_t end = end_of(migration, name->node);
  while (end < model->tree.text.len &&
         (ascii_is_space(model->tree.text.data[end]) || model->tree.text.data[end] == ','))
    end++;
  migration_edit(migration, start_of(migration, call->node), end,
                 arena_printf(migration->sink->arena, "op.%.*s(", STR_ARG(op->name)));
  for (uint32_t i = 0; i < op->attribute_count && migration->is_possible; i++)
    rewrite_attribute(migration, schema, &model->attributes.items[op->first_attribute + i]);
  rewrite_outputs(migration, schema, op);
}

// --- What else symbolic functions do ---

static bool is_operator_call(const Migration *migration, uint32_t call)
{
  return call != PY_ABSENT && py_model_op_of_call(migration->model, call) != PY_ABSENT;
}

/// `symbolic_helper._is_none(x)`, which asks what `x is None` asks of a Python value.
static bool rewrite_none(Migration *migration, const PyCall *call)
{
  if (!str_equal(call->qualified, STR("torch.onnx.symbolic_helper._is_none")) || call->argument_count != 1)
    return false;
  Str value = py_text(&migration->model->tree, migration->model->arguments.items[call->first_argument].value);
  migration_edit(migration, start_of(migration, call->node), end_of(migration, call->node),
                 arena_printf(migration->sink->arena, "(%.*s is None)", STR_ARG(value)));
  return true;
}

/// `out.setType(...)`: the dynamo exporter has the types of its own capture.
static bool remove_set_type(Migration *migration, const PyCall *call)
{
  const PyTree *tree = &migration->model->tree;
  PyRef name =
      py_kind(tree, call->function_node) == PYK_ATTRIBUTE ? py_child(tree, call->function_node, PY_F_ATTRIBUTE) : 0;
  PyRef statement = tree->nodes[call->node].parent;
  if (!name || !str_equal(py_text(tree, name), STR("setType")) || py_kind(tree, statement) != PYK_EXPRESSION_STATEMENT)
    return false;
  migration_remove_line(migration, statement);
  return true;
}

static bool is_inside_removed(const Migration *migration, PyRef node)
{
  for (size_t i = 0; i < migration->edits.count; i++) {
    const TextEdit *edit = &migration->edits.items[i];
    if (edit->text.len == 0 && edit->range.start <= start_of(migration, node) &&
        end_of(migration, node) <= edit->range.end)
      return true;
  }
  return false;
}

/// Functions of Python and torch that do the same with values of a translation.
static bool is_harmless(const Migration *migration, const PyCall *call)
{
  static const char *const names[] = { "int", "float", "bool", "list", "tuple", "range" };
  return str_equal(call->qualified, STR("torch.tensor")) ||
         str_is_one_of(py_text(&migration->model->tree, call->function_node), names, COUNT(names));
}

static void rewrite_calls(Migration *migration)
{
  const PyModel *model = migration->model;
  PyRef body = model->functions.items[migration->function].body;
  for (uint32_t i = 0; i < model->calls.count && migration->is_possible; i++) {
    const PyCall *call = &model->calls.items[i];
    bool is_here = call->node >= body && call->node < model->tree.nodes[body].next;
    if (!is_here || is_operator_call(migration, i) || is_inside_removed(migration, call->node))
      continue;
    migration->is_possible =
        remove_set_type(migration, call) || rewrite_none(migration, call) || is_harmless(migration, call);
  }
  for (size_t i = 0; i < model->ops.count && migration->is_possible; i++) {
    const PyOp *op = &model->ops.items[i];
    PyRef node = model->calls.items[op->call].node;
    if (node >= body && node < model->tree.nodes[body].next && !is_inside_removed(migration, node))
      rewrite_op(migration, op);
  }
}

/// What is left of the graph: `g.opset` is one number here, everything else is in the way.
static void rewrite_graph(Migration *migration, Str graph)
{
  const PyTree *tree = &migration->model->tree;
  PyRef body = migration->model->functions.items[migration->function].body;
  for (PyRef node = body; node < tree->nodes[body].next && migration->is_possible; node++) {
    if (py_kind(tree, node) != PYK_IDENTIFIER || !str_equal(py_text(tree, node), graph))
      continue;
    PyRef parent = tree->nodes[node].parent;
    PyRef name = py_kind(tree, parent) == PYK_ATTRIBUTE && tree->nodes[node].field == PY_F_OBJECT
                     ? py_child(tree, parent, PY_F_ATTRIBUTE)
                     : 0;
    uint32_t call = py_model_call_at(migration->model, tree->nodes[parent].parent);
    if (name && str_equal(py_text(tree, name), STR("opset")))
      migration_edit(migration, start_of(migration, parent), end_of(migration, parent),
                     arena_printf(migration->sink->arena, "%d", OPSET));
    else
      migration->is_possible = name && (is_operator_call(migration, call) || is_inside_removed(migration, node));
  }
}

// --- Parameters ---

/// As Python writes a default of a schema; empty for what has no such form.
static Str python_default(Str text)
{
  static const char *const words[] = { "None", "True", "False", "[]" };
  bool is_number = text.len > 0 && (ascii_is_digit(text.data[0]) || text.data[0] == '-' || text.data[0] == '.');
  bool is_string = text.len > 1 && (text.data[0] == '"' || text.data[0] == '\'');
  return is_number || is_string || str_is_one_of(text, words, COUNT(words)) ? text : (Str){ 0 };
}

static void rewrite_parameters(Migration *migration, const TorchOverload *schema)
{
  const PyModel *model = migration->model;
  const PyFunction *function = &model->functions.items[migration->function];
  Buffer out = { 0 };
  for (uint32_t i = 1; i < function->param_count; i++) {
    const PyParam *param = &model->params.items[function->first_param + i];
    migration->is_possible &= param->kind == PY_PARAM_PLAIN;
    Str value = param->default_value ? py_text(&model->tree, param->default_value) : (Str){ 0 };
    const TorchArgument *argument = schema && i - 1 < schema->argument_count ? &schema->arguments[i - 1] : NULL;
    if (argument && argument->has_default)
      value = python_default(argument->default_text);
    migration->is_possible &= !argument || !argument->has_default || value.len > 0;
    migration->is_possible &= !argument || !argument->is_kwarg_only || str_equal(argument->name, param->name);
    buffer_printf(&out, "%s%.*s%s%.*s", i > 1 ? ", " : "", STR_ARG(param->name), value.len > 0 ? "=" : "",
                  STR_ARG(value));
  }
  PyRef list = py_child(&model->tree, function->node, PY_F_PARAMETERS);
  migration->is_possible &= list != 0 && (!schema || schema->argument_count + 1 == function->param_count);
  migration_edit(migration, start_of(migration, list), end_of(migration, list),
                 arena_printf(migration->sink->arena, "(%.*s)", STR_ARG(buffer_str(&out))));
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

static void write_entry(Migration *migration, const PyRegistration *registration, const TorchOverload *overload)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  PyRef statement = tree->nodes[registration->node].parent;
  migration->is_possible &= py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT &&
                            py_model_scope_of(model, statement) == PY_ABSENT && tree->nodes[statement].parent == 0;
  Str path = overload_path(migration, registration->name, overload);
  Str function = model->functions.items[migration->function].name;
  bool exists = str_contains(tree->text, str_from(table_name));
  Str text =
      exists ? arena_printf(migration->sink->arena, "%s[%.*s] = %.*s", table_name, STR_ARG(path), STR_ARG(function))
             : arena_printf(migration->sink->arena, "%s = {%.*s: %.*s}", table_name, STR_ARG(path), STR_ARG(function));
  migration_edit(migration, start_of(migration, statement), end_of(migration, statement), text);
}

/// Exports that take the dynamo exporter are given the table; one that has another table is in the way.
static void give_table(Migration *migration, const PyRegistration *registration)
{
  const PyModel *model = migration->model;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    const PyArgument *given = py_model_argument(model, call, PY_ABSENT, "custom_translation_table");
    bool is_ours = given && str_equal(py_text(&model->tree, given->value), str_from(table_name));
    bool is_before = call->node < registration->node && py_model_scope_of(model, call->node) == PY_ABSENT;
    migration->is_possible &= (!given || is_ours) && !call->has_dictionary_splat && call->list_node && !is_before &&
                              py_file_exporter(migration->file, call).kind != EXPORT_TRACES;
    if (given || !migration->is_possible)
      continue;
    const Fix *fix = py_edit_append(migration->sink, false, STR(""), call->list_node,
                                    arena_printf(migration->sink->arena, "custom_translation_table=%s", table_name));
    migration->is_possible = fix != NULL;
    if (fix)
      vec_push(&migration->edits, fix->edits[0]);
  }
}

/// Imports stand above the function, and its decorators go.
static void write_imports(Migration *migration)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  const PyFunction *function = &model->functions.items[migration->function];
  Str body = py_text(tree, function->body);
  Str own = STR("from onnxscript import opset18 as op\n");
  uint32_t bound = py_model_lookup(model, PY_ABSENT, STR("op"));
  bool has_op = str_contains(tree->text, own);
  bool needs_ir = str_contains(body, STR("value_t=")) && !str_contains(tree->text, STR("import onnx_ir as ir\n"));
  bool needs_torch = py_model_lookup(model, PY_ABSENT, STR("torch")) == PY_ABSENT;
  migration->is_possible &= bound == PY_ABSENT || has_op;
  migration->is_possible &= !needs_ir || py_model_lookup(model, PY_ABSENT, STR("ir")) == PY_ABSENT;
  size_t start = start_of(migration, function->outer);
  bool is_any = !has_op || needs_ir || needs_torch;
  Str text =
      arena_printf(migration->sink->arena, "%s%s%.*s%s", needs_ir ? "import onnx_ir as ir\n" : "",
                   needs_torch ? "import torch\n" : "", has_op ? 0 : (int)own.len, own.data, is_any ? "\n\n" : "");
  migration_edit(migration, start, start_of(migration, function->node), text);
}

const Fix *migrate_registration(DiagSink *sink, const PyRegistration *registration)
{
  Migration migration = migration_begin(sink, registration->function);
  const PyModel *model = migration.model;
  const PyFunction *function = migration.is_possible ? &model->functions.items[registration->function] : NULL;
  bool is_one = function && registration->kind == PY_REG_CUSTOM && registration->name_known && !registration->is_row &&
                registration->next_of_function == PY_ABSENT &&
                model->functions.items[registration->function].first_registration != PY_ABSENT &&
                py_model_registration(model, function->first_registration) == registration;
  if (!migration_is_wanted(migration.file) || !is_one || function->has_unknown_decorator || function->quantized_args ||
      function->first_call != PY_ABSENT || function->parent != PY_ABSENT || function->class_node ||
      function->name.len == 0 || function->param_count == 0 || !str_contains(registration->name, STR("::")) ||
      model->tree.nodes[function->node].has_error)
    return NULL;
  bool is_sure;
  const TorchOverload *overload = overload_for(&migration, registration->name, &is_sure);
  migration.is_possible = is_sure && function->body;
  rewrite_parameters(&migration, overload);
  rewrite_calls(&migration);
  rewrite_graph(&migration, model->params.items[function->first_param].name);
  write_imports(&migration);
  write_entry(&migration, registration, overload);
  give_table(&migration, registration);
  return migration_finish(&migration, STR("Translate with onnxscript, in a custom_translation_table"));
}
