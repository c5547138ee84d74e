// The body of a translation function without @script(): it is run, with values of the graph for the tensors.

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/symbolic/op.h"
#include "python/rules/symbolic/value_check.h"

static void say(const ExportCall *export, PyRef node, Str message)
{
  py_say(export->sink, RULE_TRANSLATION_TABLE, OWN, node, message, NULL);
}

// --- Operators of domains of one's own ---

/// The domain of `mine.Scale` with `mine = onnxscript.values.Opset("my.domain", 1)`; empty for all else.
static Str own_domain(const ExportCall *export, PyRef callee)
{
  const PyModel *model = export->model;
  PyRef object = py_tree_object(&model->tree, callee);
  const PyCall *opset = object ? py_model_call(model, py_model_resolve(model, object)) : NULL;
  Str domain = { 0 };
  if (!opset || !str_equal(opset->qualified, STR("onnxscript.values.Opset")))
    return domain;
  const PyArgument *argument = py_model_argument(model, opset, 0, "domain");
  if (!argument || !py_model_string(model, argument->value, export->sink->arena, &domain))
    return (Str){ 0 };
  return symbolics_onnx_has_domain(export->file->db, domain) ? (Str){ 0 } : domain;
}

static bool registers_schemas(const PyModel *model)
{
  for (size_t i = 0; i < model->calls.count; i++) {
    if (str_ends_with(model->calls.items[i].qualified, STR("register_schema")))
      return true;
  }
  return false;
}

/// A function that is run, not read, asks onnx for the schema of each operator.
static void check_domains(const ExportCall *export, uint32_t index)
{
  const PyModel *model = export->model;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    Str domain = call->scope == index ? own_domain(export, call->function_node) : (Str){ 0 };
    if (domain.len > 0 && !registers_schemas(model))
      say(export, call->function_node,
          arena_printf(
              export->sink->arena,
              "onnx has no schema of this operator of '%.*s', and a function without @script() is run and asks "
              "for it: decorate the function with @onnxscript.script(), and annotate what it returns.",
              STR_ARG(domain)));
  }
}

/// The schema of what `op.X()` makes; NULL if it is not known.
static const OnnxSchema *schema_of_op(const ExportCall *export, const PyOp *op)
{
  const OnnxOperator *onnx = op->name_known ? symbolics_onnx_operator(export->file->db, op->domain, op->name) : NULL;
  return onnx && op->opset > 0 ? onnx_operator_at(onnx, op->opset) : NULL;
}

static bool has_output_number(const PyModel *model, const PyOp *op)
{
  bool is_said = op->has_splat_attribute || op->has_unknown_attributes;
  for (uint32_t i = 0; i < op->attribute_count && !is_said; i++)
    is_said = str_equal(model->attributes.items[op->first_attribute + i].keyword, STR("num_outputs"));
  return is_said;
}

/// `return op.LayerNormalization(...)` for an operator with one result: it has three, and the model gets as many
/// outputs.
static void check_result_count(const ExportCall *export, const PyOp *op, const OnnxSchema *schema,
                               const TorchOverload *overload)
{
  const PyModel *model = export->model;
  PyRef call = model->calls.items[op->call].node;
  PyNodeKind around = py_kind(&model->tree, model->tree.nodes[call].parent);
  if (!overload || overload->return_count != 1 || (around != PYK_RETURN_STATEMENT && around != PYK_LAMBDA) ||
      !op_gives_several(schema) || !sink_wants(export->sink, RULE_TRANSLATION_TABLE, SEVERITY_WARNING))
    return;
  py_say(export->sink, RULE_TRANSLATION_TABLE, SEVERITY_WARNING, op->name_node,
         arena_printf(export->sink->arena, "'%.*s' gives %u results here, and the operator has one: return the first.",
                      STR_ARG(op->name), schema->max_output),
         py_edit_after(export->sink, true, STR("Take the first"), call, STR("[0]")));
}

/// `return y, x` for an operator with one result: both become outputs. Run with torch 2.14.
static void check_tuple(const ExportCall *export, uint32_t index, const TorchOverload *overload)
{
  const PyModel *model = export->model;
  PyRef value = model->functions.items[index].returned;
  PyNodeKind kind = value ? py_kind(&model->tree, py_tree_strip(&model->tree, value)) : PYK_OTHER;
  int count = 0;
  if ((kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST) || overload->return_count != 1 ||
      !str_equal(overload->returns[0].type, STR("Tensor")) ||
      !sink_wants(export->sink, RULE_TRANSLATION_TABLE, SEVERITY_WARNING))
    return;
  value = py_tree_strip(&model->tree, value);
  for (PY_EACH_ELEMENT(&model->tree, item, value)) {
    if (py_tree_is_splat(&model->tree, item))
      return;
    count++;
  }
  if (count > 1)
    py_say(export->sink, RULE_TRANSLATION_TABLE, SEVERITY_WARNING, value,
           arena_printf(export->sink->arena, "This gives %d results, and the operator has one.", count), NULL);
}

/// What an attribute of that type can't be made of, where the function is run. Run with torch 2.14: an int serves for a
/// float.
static uint32_t refused_kinds(Str type)
{
  const uint32_t lists = PY_LIST | PY_INTS | PY_FLOATS;
  if (str_equal(type, STR("int")))
    return PY_FLOAT | PY_STRING | lists;
  if (str_equal(type, STR("float")))
    return PY_STRING | lists;
  if (str_equal(type, STR("string")))
    return PY_INT | PY_FLOAT | PY_BOOL | lists;
  if (str_equal(type, STR("tensor")))
    return PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_TENSOR | PY_ARRAY | lists;
  return str_equal(type, STR("ints")) || str_equal(type, STR("floats")) || str_equal(type, STR("strings"))
             ? PY_INT | PY_FLOAT | PY_BOOL | PY_STRING
             : 0;
}

/// A parameter that gets a number of the operator: `alpha` of (Tensor x, float alpha).
static bool is_number(const PyModel *model, uint32_t index, PyRef node, const TorchOverload *overload)
{
  static const char *const types[] = { "float", "int", "bool", "SymInt", "Scalar" };
  const PyBinding *binding =
      py_kind(&model->tree, node) == PYK_IDENTIFIER ? py_model_binding_of(model, index, node) : NULL;
  if (!overload || !py_binding_is_only(binding, PY_BIND_PARAM) || binding->scope != index)
    return false;
  uint32_t position = binding->index - model->functions.items[index].first_param;
  return position < overload->argument_count && !overload->arguments[position].is_kwarg_only &&
         str_is_one_of(overload->arguments[position].type, types, COUNT(types));
}

static void check_attributes(const ExportCall *export, uint32_t index, const PyOp *op, const OnnxSchema *schema,
                             const TorchOverload *overload)
{
  const PyModel *model = export->model;
  DiagSink *sink = export->sink;
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &model->attributes.items[op->first_attribute + i];
    const OnnxAttribute *known = onnx_schema_attribute(schema, attribute->name);
    Str type = known && attribute->value ? str_from(onnx_attribute_type_name(known->type)) : (Str){ 0 };
    bool takes_number = str_equal(type, STR("int")) || str_equal(type, STR("float"));
    bool is_refused =
        type.len > 0 && (py_file_is_only(py_file_value(export->file, attribute->value), refused_kinds(type)) ||
                         (!takes_number && is_number(model, index, attribute->value, overload)));
    if (!is_refused || !sink_wants(sink, RULE_ATTRIBUTE_TYPE, OWN))
      continue;
    bool is_value = str_equal(op->name, STR("Constant")) && str_equal(attribute->name, STR("value"));
    py_say(sink, RULE_ATTRIBUTE_TYPE, OWN, attribute->node,
           arena_printf(sink->arena, "'%.*s' of '%.*s' is of type %.*s, and this is none%s", STR_ARG(attribute->name),
                        STR_ARG(op->name), STR_ARG(type),
                        is_value ? ": numbers go into value_float, value_int, value_floats and value_ints." : "."),
           NULL);
  }
}

static bool is_graph_value(const PyModel *model, uint32_t index, PyRef node, const TorchOverload *schema);

/// `op.Concat([a, b], axis=0)`: inputs are given one by one. A list of numbers becomes a constant.
static void check_lists(const ExportCall *export, uint32_t index, const PyOp *op, const TorchOverload *overload)
{
  const PyModel *model = export->model;
  for (uint32_t i = 0; overload && i < op->input_count; i++) {
    PyRef value = model->arguments.items[op->first_input + i].value;
    PyNodeKind kind = value ? py_kind(&model->tree, value) : PYK_OTHER;
    PyRef item = kind == PYK_LIST || kind == PYK_TUPLE ? py_tree_first_element(&model->tree, value) : 0;
    while (item && !is_graph_value(model, index, item, overload))
      item = py_tree_next_element(&model->tree, item);
    if (item)
      say(export, value,
          arena_printf(export->sink->arena, "A list is no input of '%.*s': give its values one by one.",
                       STR_ARG(op->name)));
  }
}

/// Where the function is run, `op.X` is a method: attributes go by name alone, and no one counts what Split is unpacked
/// into. In a @script function, which is read, both are fine.
static void check_calls(const ExportCall *export, uint32_t index, const TorchOverload *overload)
{
  const PyModel *model = export->model;
  Arena *arena = export->sink->arena;
  for (size_t i = 0; i < model->ops.count; i++) {
    const PyOp *op = &model->ops.items[i];
    const OnnxSchema *schema = op->kind == PY_OP_ONNXSCRIPT && op->scope == index ? schema_of_op(export, op) : NULL;
    if (!schema)
      continue;
    check_result_count(export, op, schema, overload);
    check_attributes(export, index, op, schema, overload);
    check_lists(export, index, op, overload);
    // Beyond the attributes, too, input-count says it.
    if (!op->has_splat_input && schema->max_input != ONNX_NO_LIMIT && op->input_count > schema->max_input &&
        op->input_count <= schema->max_input + schema->attribute_count)
      say(export, op->name_node,
          arena_printf(arena,
                       "'%.*s' takes %u input%s, and %u are given: attributes are given by name, except in a function "
                       "with @script().",
                       STR_ARG(op->name), schema->max_input, schema->max_input == 1 ? "" : "s", op->input_count));
    if (str_equal(op->name, STR("Split")) && !has_output_number(model, op))
      say(export, op->name_node,
          STR("The exporter can't tell how many outputs this 'Split' has: say num_outputs=... for equal parts, or use "
              "Slice, or a function with @script()."));
  }
}

// --- What takes tensors only ---

/// Whether the parameter gets a tensor, which is one of the graph then, and nothing else in the function binds its
/// name. `self / 6` is one, too.
static bool is_graph_value(const PyModel *model, uint32_t index, PyRef node, const TorchOverload *schema)
{
  for (int depth = 0; py_kind(&model->tree, node) == PYK_BINARY_OPERATOR && depth < PY_EXPRESSION_DEPTH; depth++)
    node = py_child(&model->tree, node, PY_F_LEFT);
  const PyBinding *binding = py_model_binding_of(model, index, node);
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->scope != index)
    return false;
  uint32_t position = binding->index - model->functions.items[index].first_param;
  return position < schema->argument_count && !schema->arguments[position].is_kwarg_only &&
         str_equal(schema->arguments[position].type, STR("Tensor"));
}

/// torch.clamp(self, 0, 1): a value of the graph is no torch.Tensor.
static void check_torch_calls(const ExportCall *export, uint32_t index, const TorchOverload *schema)
{
  const PyModel *model = export->model;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (call->scope != index || call->argument_count == 0 || !str_starts_with(call->qualified, STR("torch.")))
      continue;
    Str name = str_after_last(call->qualified, '.');
    Str op = arena_printf(export->sink->arena, "aten::%.*s", STR_ARG(name));
    if (symbolics_torch_operator(export->file->db, op) &&
        is_graph_value(model, index, py_model_arguments(model, call)->value, schema))
      say(export, call->function_node,
          STR("A translation function gets values of the graph, which functions of PyTorch don't take: make operators "
              "of ONNX, op.Clip(...) for instance."));
  }
}

/// What torch/onnx/_internal/exporter/_tensors.py of torch 2.14 and onnx_ir give a value, as dir() says.
static bool is_member_of_value(Str name)
{
  static const char *const members[] = {
    "const_value",
    "consumers",
    "display",
    "doc_string",
    "dtype",
    "graph",
    "index",
    "is_graph_input",
    "is_graph_output",
    "is_initializer",
    "merge_shapes",
    "meta",
    "metadata_props",
    "name",
    "producer",
    "rank",
    "replace_all_uses_with",
    "shape",
    "type",
    "uses",
  };
  return str_is_one_of(name, members, COUNT(members)) || str_starts_with(name, STR("_"));
}

/// What its shape has, an onnx_ir.Shape.
static bool is_member_of_shape(Str name)
{
  static const char *const members[] = {
    "copy",   "dims",           "display",         "evaluate",   "free_symbols", "freeze",
    "frozen", "get_denotation", "has_unknown_dim", "is_dynamic", "is_static",    "is_unknown_dim",
    "numpy",  "rank",           "set_denotation",  "simplify",
  };
  return str_is_one_of(name, members, COUNT(members)) || str_starts_with(name, STR("_"));
}

/// self.shape.numel(): a shape has others than that of a tensor.
static void check_shape_member(const ExportCall *export, uint32_t index, PyRef shape, PyRef name,
                               const TorchOverload *schema)
{
  const PyTree *tree = &export->model->tree;
  PyRef object = py_tree_object(tree, shape);
  if (object && py_kind(tree, object) == PYK_IDENTIFIER && str_equal(py_tree_member_name(tree, shape), STR("shape")) &&
      !is_member_of_shape(py_text(tree, name)) && is_graph_value(export->model, index, object, schema))
    say(export, name,
        arena_printf(export->sink->arena,
                     "The shape of a value has no '%.*s', which is for tensors: a translation function makes operators "
                     "of ONNX, op.Shape(...) or op.Size(...) for instance.",
                     STR_ARG(py_text(tree, name))));
}

/// self.size(0): a value has few members.
static void check_members(const ExportCall *export, uint32_t index, const TorchOverload *schema)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  PyRef body = model->functions.items[index].body;
  for (PY_EACH_NODE(tree, node, body)) {
    PyRef object = py_tree_object(tree, node);
    PyRef name = py_tree_member(tree, node);
    bool is_read = py_kind(tree, tree->nodes[node].parent) != PYK_ASSIGNMENT || tree->nodes[node].field != PY_F_LEFT;
    if (name && is_read)
      check_shape_member(export, index, object, name, schema);
    if (name && is_read && py_kind(tree, object) == PYK_IDENTIFIER && !is_member_of_value(py_text(tree, name)) &&
        py_model_scope_of(model, object) == index && is_graph_value(model, index, object, schema))
      say(export, name,
          arena_printf(
              export->sink->arena,
              "A value of the graph has no '%.*s', which is for tensors: a translation function makes operators of "
              "ONNX, op.Shape(...) for instance.",
              STR_ARG(py_text(tree, name))));
  }
}

/// `g.op(...)` without a `g`: what the TorchScript exporter gives to symbolic functions.
static void check_graph_calls(const ExportCall *export, uint32_t index)
{
  const PyModel *model = export->model;
  uint32_t found = py_model_lookup(model, index, STR("g"));
  if (found != PY_ABSENT || py_model_foreign_name(model, index, found, STR("g")) != PY_ABSENT)
    return;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (call->scope == index && str_equal(py_text(&model->tree, call->function_node), STR("g.op")))
      say(export, call->function_node,
          STR("There is no 'g' here: a translation function gets the operator's arguments alone, and makes operators of "
              "ONNX by onnxscript, op.Clip(...) for instance."));
  }
}

/// `op.Neg(x)` in a file that imports no opset.
static void check_names(const ExportCall *export, uint32_t index)
{
  const PyModel *model = export->model;
  PyRef body = model->functions.items[index].body;
  if (value_has_unseen_names(model) || !sink_wants(export->sink, RULE_HELPER_CALL, OWN))
    return;
  for (PY_EACH_NODE(&model->tree, node, body)) {
    bool is_name = py_kind(&model->tree, node) == PYK_IDENTIFIER && value_is_unbound(model, node);
    Str name = is_name ? py_text(&model->tree, node) : (Str){ 0 };
    if (is_name && !str_equal(name, STR("g")))  // check_graph_calls() speaks of it.
      py_say(
          export->sink, RULE_HELPER_CALL, OWN, node,
          arena_printf(export->sink->arena, "Nothing is called '%.*s' here: this raises a NameError.", STR_ARG(name)),
          NULL);
  }
}

static void check_ending(const ExportCall *export, uint32_t index, const TorchOverload *schema)
{
  const PyModel *model = export->model;
  const PyFunction *function = &model->functions.items[index];
  PyEnding ending = py_file_ending(export->file, index);
  bool is_partly = ending == PY_MAY_FALL_THROUGH;
  Severity severity = is_partly ? SEVERITY_WARNING : OWN;
  if (function->name.len == 0 || schema->return_count == 0 || (!is_partly && ending != PY_FALLS_THROUGH) ||
      !sink_wants(export->sink, RULE_MISSING_RETURN, severity))
    return;
  py_say(export->sink, RULE_MISSING_RETURN, severity, py_child(&model->tree, function->node, PY_F_NAME),
         is_partly ? STR("Not every path returns a value; where none is returned, the export fails.")
                   : STR("No value is returned, so the exporter can't convert the operator."),
         NULL);
}

/// `return len(x.shape)`: what is no value of the graph can't be an output. Run with torch 2.14.
static void check_returned_value(const ExportCall *export, uint32_t index, const TorchOverload *schema)
{
  const uint32_t refused =
      PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_DICT | PY_DTYPE | PY_FUNCTION | PY_ARRAY | PY_TENSOR;
  const PyFunction *function = &export->model->functions.items[index];
  PyRef returned = function->name.len > 0 ? function->returned : function->body;
  PyValue value = returned ? py_file_value(export->file, returned) : (PyValue){ 0 };
  bool is_tensor = schema->return_count == 1 && str_equal(schema->returns[0].type, STR("Tensor"));
  if (!is_tensor || !py_file_is_only(value, refused) || !sink_wants(export->sink, RULE_RETURN_PYTHON_VALUE, OWN))
    return;
  py_say(
      export->sink, RULE_RETURN_PYTHON_VALUE, OWN, returned,
      arena_printf(export->sink->arena,
                   "A translation function returns values of the graph, such as op.Constant(value_int=1), and this is "
                   "%.*s.",
                   STR_ARG(py_file_value_text(value, export->sink->arena))),
      NULL);
}

void export_check_translation(const ExportCall *export, uint32_t index, const TorchOverload *schema)
{
  export->translated[index] = true;
  check_domains(export, index);
  check_calls(export, index, schema);
  check_graph_calls(export, index);
  check_names(export, index);
  if (!schema)
    return;
  check_torch_calls(export, index, schema);
  check_members(export, index, schema);
  check_ending(export, index, schema);
  check_tuple(export, index, schema);
  check_returned_value(export, index, schema);
}
