// Operators that a file defines by @torch.library.custom_op: what torch refuses of them, and whether the exports of the
// file can capture and translate them.

#include "base/limits.h"
#include "python/model/python_schema.h"
#include "python/rules/export/export_call.h"
#include "python/rules/library/check_library_results.h"

static void say(DiagSink *sink, PyRef node, Severity severity, Str message)
{
  py_say(sink, RULE_CUSTOM_OP, severity, node, message, NULL);
}

// --- The definition ---

/// infer_schema() writes numbers, strings, None, types and devices into the schema, and no lists and tensors. Run with
/// torch 2.14.
static void check_defaults(DiagSink *sink, const PyFunction *function)
{
  const PyModel *model = sink_python(sink)->model;
  for (PY_EACH_PARAM(model, param, function)) {
    PyRef value = param->default_value ? py_model_resolve(model, param->default_value) : 0;
    PyNodeKind kind = value ? py_kind(&model->tree, value) : PYK_OTHER;
    bool is_tensor = value && export_is_tensor(model, value);
    if (is_tensor || kind == PYK_LIST || kind == PYK_TUPLE || kind == PYK_DICTIONARY || kind == PYK_SET)
      say(sink, param->default_value, OWN,
          arena_printf(sink->arena,
                       "custom_op() takes no %s as a default: make it None, and put the value in the body.",
                       is_tensor ? "tensor" : "list"));
  }
}

static void check_annotations(DiagSink *sink, const PyFunction *function)
{
  const PyModel *model = sink_python(sink)->model;
  Str type;
  for (PY_EACH_PARAM(model, param, function)) {
    bool is_counted = param->kind == PY_PARAM_PLAIN || param->kind == PY_PARAM_KEYWORD_ONLY;
    if (!is_counted)
      say(sink, param->node, OWN, STR("custom_op() takes no function with * or ** in its parameters."));
    else if (!param->annotation)
      say(sink, param->node, OWN,
          arena_printf(sink->arena, "'%.*s' needs a type: custom_op() makes the schema of the annotations.",
                       STR_ARG(param->name)));
    else if (py_schema_param_type(model, param->annotation, sink->arena, &type) == PY_SCHEMA_REFUSED)
      say(sink, param->annotation, OWN,
          arena_printf(sink->arena, "No schema has an argument of the type %.*s.", STR_ARG(type)));
  }
  check_defaults(sink, function);
  PyRef returned = py_child(&model->tree, function->node, PY_F_RETURN_TYPE);
  if (!returned)
    say(sink, function->name_node, OWN,
        STR("The type that is returned is missing: custom_op() makes the schema of the annotations."));
  else if (py_schema_return_type(model, returned, sink->arena, &type) == PY_SCHEMA_REFUSED)
    say(sink, returned, OWN, STR("custom_op() takes no function that returns this type."));
}

/// `mutates_args=("out",)` of a function without such a parameter.
static void check_mutates(DiagSink *sink, const PyLibraryOperator *op, PyRef names)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *function = &model->functions.items[op->body];
  names = py_model_resolve(model, names);
  PyNodeKind kind = py_kind(&model->tree, names);
  if (kind != PYK_TUPLE && kind != PYK_LIST && kind != PYK_SET)
    return;
  for (PY_EACH_ELEMENT(&model->tree, item, names)) {
    Str name;
    if (py_model_string(model, item, sink->arena, &name) && !py_model_param(model, function, name))
      say(sink, item, OWN,
          arena_printf(sink->arena, "The operator has no parameter '%.*s' that it could change.", STR_ARG(name)));
  }
}

/// What is no type in a schema, and what is meant by it. All are refused by torch 2.6 and 2.14.
static const struct {
  const char *wrong, *right;
} schema_types[] = {
  { "double", "float" },
  { "float32", "float" },
  { "float64", "float" },
  { "Float", "float" },
  { "SymFloat", "float" },
  { "int64_t", "int" },
  { "long", "int" },
  { "Int", "int" },
  { "size_t", "int" },
  { "string", "str" },
  { "String", "str" },
  { "Bool", "bool" },
  { "tensor", "Tensor" },
  { "dtype", "ScalarType" },
  { "device", "Device" },
  { "number", "Scalar" },
  { "torch.Tensor", "Tensor" },
  { "void", "()" },
  { "at::Tensor", "Tensor" },
  { "Tuple", "(A, B)" },
  { "list", "T[]" },
  { "List", "T[]" },
  { "Optional", "T?" },
};

/// `int` of "int[2]?"
static Str type_name(Str type)
{
  size_t end = 0;
  while (end < type.len && type.data[end] != '?' && type.data[end] != '[' && type.data[end] != '(')
    end++;
  return str_slice(type, 0, end);
}

static void check_schema_types(DiagSink *sink, const PyLibraryOperator *op, const TorchArgument *items, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    Str base = type_name(items[i].type);
    for (size_t k = 0; k < COUNT(schema_types); k++) {
      if (str_equal(base, str_from(schema_types[k].wrong)))
        say(sink, op->node, OWN,
            arena_printf(sink->arena, "No schema has the type '%.*s': write %s.", STR_ARG(base),
                         schema_types[k].right));
    }
  }
}

/// `lib.define("scale(Tensor x, double by)")`.
static void check_schema(DiagSink *sink, const PyLibraryOperator *op)
{
  Str text = op->defined.schema;
  if (text.len == 0 || op->is_inferred)
    return;
  check_schema_types(sink, op, op->schema.arguments, op->schema.argument_count);
  check_schema_types(sink, op, op->schema.returns, op->schema.return_count);
  if (str_ends_with(text, STR(")")) && str_find(text, STR("->"), 0) == STR_NOT_FOUND)
    say(sink, op->node, OWN, STR("A schema says what is returned: add `-> Tensor`, or `-> ()` for nothing."));
}

/// `tags=torch.Tag.inplace`: it gives back what it changes. True of tags that can't be read, too.
static bool may_be_inplace(const PyModel *model, const PyCall *call)
{
  const PyArgument *tags = py_model_argument(model, call, PY_ABSENT, "tags");
  PyRef value = tags ? py_model_resolve(model, tags->value) : 0;
  PyNodeKind kind = value ? py_kind(&model->tree, value) : PYK_NONE;
  bool is_written =
      kind == PYK_NONE || kind == PYK_ATTRIBUTE || kind == PYK_LIST || kind == PYK_TUPLE || kind == PYK_SET;
  return call->has_dictionary_splat || !is_written ||
         (value && str_contains(py_text(&model->tree, value), STR("inplace")));
}

/// `of_change` is the severity of a change without a word.
static void check_definition(DiagSink *sink, const PyLibraryOperator *op, Severity of_change)
{
  const PyModel *model = sink_python(sink)->model;
  const PyCall *call = &model->calls.items[op->call];
  if (!str_contains(op->defined.name, STR("::")))
    say(sink, op->node, OWN, STR("The name has to begin with a name space: \"mylib::foo\"."));
  size_t colons = str_find(op->defined.name, STR("::"), 0);
  if (colons != STR_NOT_FOUND && str_find(op->defined.name, STR("::"), colons + 2) != STR_NOT_FOUND)
    say(sink, op->node, OWN, STR("The name has one name space and no more: \"mylib::foo\"."));
  if (!py_model_argument(model, call, PY_ABSENT, "mutates_args") && !call->has_dictionary_splat)
    say(sink, call->function_node, OWN,
        STR("'mutates_args' is missing: () if the operator changes none of its inputs."));
  const PyArgument *mutates = py_model_argument(model, call, PY_ABSENT, "mutates_args");
  if (op->body == PY_ABSENT || py_model_argument(model, call, PY_ABSENT, "schema"))
    return;  // check_library_schemas.c
  check_annotations(sink, &model->functions.items[op->body]);
  check_library_results(sink, op->body, mutates ? mutates->value : 0, of_change, may_be_inplace(model, call));
  if (mutates)
    check_mutates(sink, op, mutates->value);
}

/// What gives the operator's result is a tuple of so many; 1 for what is surely one tensor, 0 if that is not known.
static uint32_t results_of(const PyModel *model, PyRef returned)
{
  const PyTree *tree = &model->tree;
  PyRef value = returned ? py_model_resolve(model, returned) : 0;
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  uint32_t count = 0;
  if (kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST)
    return value && export_is_tensor(model, value) ? 1 : 0;
  for (PyRef item = py_tree_first_element(tree, value); item; item = py_tree_next_element(tree, item), count++) {
    if (py_kind(tree, item) == PYK_LIST_SPLAT)
      return 0;
  }
  return count > 1 ? count : 0;
}

/// A fake gives as many results as the schema says: torch unpacks them. Run with torch 2.14.
static void check_fake_results(DiagSink *sink, const PyLibraryOperator *op, const PyFunction *fake)
{
  const TorchOverload *schema = &op->schema;
  uint32_t given = results_of(sink_python(sink)->model, fake->returned);
  bool is_one = schema->return_count == 1 && str_equal(schema->returns[0].type, STR("Tensor"));
  if (fake->return_count != 1 || given == 0 || given == schema->return_count || schema->has_varreturns ||
      (schema->return_count < 2 && !is_one))
    return;
  say(sink, fake->returned, OWN,
      arena_printf(sink->arena, "The fake gives %u result%s, and %.*s %u.", given, given == 1 ? "" : "s",
                   STR_ARG(op->defined.name), schema->return_count));
}

/// The fake is called with what the operator is called with.
static void check_fake(DiagSink *sink, const PyLibraryOperator *op)
{
  const PyModel *model = sink_python(sink)->model;
  if (op->fake == PY_ABSENT || op->schema.schema.len == 0)
    return;
  const PyFunction *fake = &model->functions.items[op->fake];
  uint32_t count = 0;
  for (uint32_t i = 0; i < fake->param_count; i++) {
    PyParamKind kind = py_model_params(model, fake)[i].kind;
    if (kind == PY_PARAM_ARGS || kind == PY_PARAM_KWARGS)
      return;
    count++;
  }
  if (count != op->schema.argument_count)
    say(sink, fake->name_node, OWN,
        arena_printf(sink->arena, "The fake takes %u argument%s, and %.*s %u.", count, count == 1 ? "" : "s",
                     STR_ARG(op->defined.name), op->schema.argument_count));
  check_fake_results(sink, op, fake);
}

// --- Its use ---

/// The path of the operator below torch.ops: "torch.ops.mylib.foo".
static Str dotted_name(DiagSink *sink, const PyLibraryOperator *op)
{
  size_t colons = str_find(op->defined.name, STR("::"), 0);
  Str name = str_slice(op->defined.name, colons + 2, op->defined.name.len);
  return arena_printf(sink->arena, "torch.ops.%.*s.%.*s", (int)colons, op->defined.name.data, STR_ARG(name));
}

/// A call of it in a method of the class: `foo(x)` or `torch.ops.mylib.foo(x)`; NULL.
static const PyCall *use_in_class(DiagSink *sink, const PyLibraryOperator *op, PyRef class_node)
{
  const PyModel *model = sink_python(sink)->model;
  Str dotted = dotted_name(sink, op);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    bool is_it = (op->function != PY_ABSENT && call->function == op->function) || str_equal(call->qualified, dotted) ||
                 (str_starts_with(call->qualified, dotted) && call->qualified.data[dotted.len] == '.');
    if (is_it && call->scope != PY_ABSENT && model->functions.items[call->scope].class_node == class_node)
      return call;
  }
  return NULL;
}

/// Whether the table has a key that may be the operator; true if it can't be read.
static bool is_translated(const ExportCall *export, const PyLibraryOperator *op)
{
  const PyTree *tree = &export->model->tree;
  PyRef table = export_value(export, "custom_translation_table");
  if (!table)
    return export_may_have(export, "custom_translation_table");
  if (py_kind(tree, table) != PYK_DICTIONARY)
    return true;
  Str name = str_slice(op->defined.name, str_find(op->defined.name, STR("::"), 0) + 2, op->defined.name.len);
  for (PY_EACH_CHILD(tree, pair, table)) {
    PyRef key = py_tree_key(tree, pair);
    if (!key || str_contains(py_text(tree, key), name) || !str_contains(py_text(tree, key), STR("torch.ops.")))
      return true;
  }
  return false;
}

/// torch gives a fake to an operator that returns nothing.
static bool returns_nothing(const PyModel *model, const PyLibraryOperator *op)
{
  if (op->body == PY_ABSENT)
    return str_ends_with(op->schema.schema, STR("()"));
  PyRef type = py_child(&model->tree, model->functions.items[op->body].node, PY_F_RETURN_TYPE);
  return type && str_equal(py_text(&model->tree, type), STR("None"));
}

static void check_fake_missing(DiagSink *sink, const PyLibraryOperator *op, const PyCall *use)
{
  if (!op->has_fake && !returns_nothing(sink_python(sink)->model, op))
    say(sink, op->node, use ? OWN : SEVERITY_WARNING,
        arena_printf(sink->arena,
                     "%.*s has no fake, by which torch.export would know the shape of its result: add one by "
                     "register_fake().",
                     STR_ARG(op->defined.name)));
}

/// A call of it in a model that the file captures; NULL.
static const PyCall *use_in_capture(DiagSink *sink, const PyLibraryOperator *op)
{
  const PyModel *model = sink_python(sink)->model;
  const PyCall *found = NULL;
  for (size_t i = 0, seen = 0; i < model->calls.count && seen < PY_EXPORT_LIMIT && !found; i++) {
    ExportCall export;
    if (!export_capture(sink, &model->calls.items[i], &export) || export.is_draft)
      continue;
    seen++;
    PyRef class_node = export_model(&export).class_node;
    found = class_node ? use_in_class(sink, op, class_node) : NULL;
  }
  return found;
}

/// What the exports say of it that surely take the dynamo exporter, each of a model whose class is in sight.
static void check_use(DiagSink *sink, const PyLibraryOperator *op)
{
  const PyModel *model = sink_python(sink)->model;
  const PyCall *use = NULL;
  bool is_translated_once = false;
  bool has_entry = false;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    if (export.kind != EXPORT_DYNAMO ||
        (!export.says_dynamo && py_file_asks_version(sink_python(sink), export.call->node)))
      continue;
    bool may_be_translated = is_translated(&export, op);
    has_entry |= may_be_translated && export_value(&export, "custom_translation_table");
    PyRef class_node = export_model(&export).class_node;
    const PyCall *found = class_node ? use_in_class(sink, op, class_node) : NULL;
    use = use ? use : found;
    is_translated_once |= found && may_be_translated;
  }
  const PyCall *captured = use || op->has_fake ? NULL : use_in_capture(sink, op);
  if (use || captured || has_entry)
    check_fake_missing(sink, op, use ? use : captured);
  if (use && !is_translated_once && !op->is_composite)
    say(sink, use->function_node, OWN,
        arena_printf(sink->arena,
                     "The dynamo exporter has no ONNX function for %.*s: give it one in custom_translation_table.",
                     STR_ARG(op->defined.name)));
}

void check_python_library(DiagSink *sink)
{
  const PyLibrary *library = &sink_python(sink)->library;
  Str text = sink_python(sink)->model->tree.text;
  Severity of_change = library->count > 0 && str_contains(text, STR("opcheck")) ? SEVERITY_ERROR : SEVERITY_WARNING;
  for (size_t i = 0; i < library->count; i++) {
    const PyLibraryOperator *op = &library->items[i];
    if (op->defined.is_kernel || op->is_cpp)
      continue;
    if (op->call != PY_ABSENT)
      check_definition(sink, op, of_change);
    check_schema(sink, op);
    check_fake(sink, op);
    if (str_contains(op->defined.name, STR("::")))
      check_use(sink, op);
  }
}
