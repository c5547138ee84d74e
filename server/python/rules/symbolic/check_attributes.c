// Attributes of g.op() and op.X(): their suffixes, what is missing, and the value of a Constant.
// Names are in check_attribute_names.c, values in check_attribute_values.c.

#include "base/limits.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/attribute.h"

// --- The suffix ---

static bool is_suffix(const OpCheck *check, Str suffix)
{
  const PyFile *file = check->file;
  for (PY_EACH_TORCH(file, torch)) {
    if (symbolics_is_suffix(file->db, torch, suffix))
      return true;
  }
  return false;
}

/// The suffix that the attribute's value suggests; empty if it suggests none.
static Str suffix_of_value(PyValue value)
{
  uint32_t kinds = py_file_is_only(value, PY_LIST) ? value.elements : value.kinds;
  if (kinds == PY_FLOAT)
    return STR("f");
  if (kinds != 0 && (kinds & ~(uint32_t)(PY_INT | PY_BOOL)) == 0)
    return STR("i");
  if (kinds == PY_STRING)
    return STR("s");
  return kinds == PY_TENSOR ? STR("t") : (Str){ 0 };
}

/// What should be there instead: "alpha_f"; empty if that is not known.
static Str right_spelling(const AttributeCheck *check, Str name, bool *ret_sure)
{
  const OnnxAttribute *attribute = attribute_newest(check->op->onnx, name);
  Str suffix = attribute ? str_from(onnx_attribute_suffix(attribute->type)) : suffix_of_value(check->value);
  *ret_sure = attribute != NULL;
  if (suffix.len == 0)
    return (Str){ 0 };
  return arena_printf(check->op->sink->arena, "%.*s_%.*s", STR_ARG(name), STR_ARG(suffix));
}

/// Whether something of the file asks a table for the key, `table["alpha"]`: another key would not be found.
static bool is_asked_for(const AttributeCheck *check, Str key)
{
  Str index = arena_printf(check->op->sink->arena, "[%.*s]", STR_ARG(key));
  return (*check->op->head_fixes)++ >= PY_HEAD_FIX_LIMIT ||
         str_find(check->op->model->tree.text, index, 0) != STR_NOT_FOUND;
}

const Fix *attribute_fix_name(const AttributeCheck *check, bool is_sure, Str name)
{
  // `g.at()` passes its operator on to a runtime that few have: what is wrong is more than a name.
  if (check->op->op->kind == PY_OP_ATEN)
    return NULL;
  PyRef node = check->attribute->name_node;
  bool is_key = py_kind(&check->op->model->tree, node) == PYK_STRING;
  if (is_key && is_asked_for(check, py_text(&check->op->model->tree, node)))
    return NULL;
  return is_key ? py_edit_string(check->op->sink, is_sure, node, name)
                : py_edit_replace(check->op->sink, is_sure, node, name);
}

static void report_suffix(AttributeCheck *check, RuleId rule, Str name)
{
  DiagSink *sink = check->op->sink;
  if (!sink_wants(sink, rule, OWN))
    return;
  bool is_sure;
  Str right = right_spelling(check, name, &is_sure);
  Str keyword = check->attribute->keyword;
  Str hint = right.len > 0 ? arena_printf(sink->arena, "write %.*s", STR_ARG(right))
                           : STR("it has to end in one of _f _i _s _t _g _z _ty");
  Diagnostic diagnostic = { 0 };
  if (rule == RULE_MISSING_ATTRIBUTE_SUFFIX)
    diagnostic.message =
        arena_printf(sink->arena, "Attribute '%.*s' has no type suffix; %.*s.", STR_ARG(keyword), STR_ARG(hint));
  else
    diagnostic.message = arena_printf(sink->arena, "'_%.*s' is not a type suffix of an attribute; %.*s.",
                                      STR_ARG(check->attribute->suffix), STR_ARG(hint));
  if (right.len > 0) {
    diagnostic.fixes = attribute_fix_name(check, is_sure, right);
    diagnostic.fix_count = diagnostic.fixes != NULL;
  }
  py_report(sink, rule, OWN, check->attribute->name_node, diagnostic);
}

/// Says whether the suffix is good.
static bool check_suffix(AttributeCheck *check)
{
  const PyAttribute *attribute = check->attribute;
  if (attribute->suffix.len > 0 && is_suffix(check->op, attribute->suffix))
    return true;
  bool is_whole_name = attribute_newest(check->op->onnx, attribute->keyword) != NULL;
  if (attribute->suffix.len == 0 || attribute->suffix.len > 2 || is_whole_name)
    report_suffix(check, RULE_MISSING_ATTRIBUTE_SUFFIX, attribute->keyword);
  else
    report_suffix(check, RULE_UNKNOWN_ATTRIBUTE_SUFFIX, attribute->name);
  return false;
}

// --- Constant ---

static bool is_value_attribute(Str name)
{
  return str_equal(name, STR("value")) || str_starts_with(name, STR("value_")) || str_equal(name, STR("sparse_value"));
}

/// `value_s="linear"`. Run with torch 1.13, 2.6 and 2.14.
static void say_text_constant(const OpCheck *check, const PyAttribute *attribute)
{
  if (sink_wants(check->sink, RULE_CONSTANT_VALUE, OWN))
    py_say(check->sink, RULE_CONSTANT_VALUE, OWN, attribute->node,
           STR("The value of a Constant has to be a tensor, value_t, and PyTorch has none of texts."), NULL);
}

/// The exporter itself reads `value` of a Constant, and only as a tensor.
static void check_constant(OpCheck *check)
{
  DiagSink *sink = check->sink;
  const PyOp *op = check->op;
  bool has_value = op->has_unknown_attributes || op->input_count > 0;
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &check->model->attributes.items[op->first_attribute + i];
    if (!is_value_attribute(attribute->name))
      continue;
    has_value = true;
    PyValue value = py_file_value(check->file, attribute->value);
    bool is_list = py_file_is_only(value, PY_LIST) && value.elements == PY_TENSOR;
    bool is_wrong = !str_equal(attribute->name, STR("value")) || str_equal(attribute->suffix, STR("f")) ||
                    str_equal(attribute->suffix, STR("i")) || is_list;
    if (str_equal(attribute->keyword, STR("value_s")) && !check->model->is_builtin)
      say_text_constant(check, attribute);
    if (!is_wrong || !sink_wants(sink, RULE_CONSTANT_VALUE, OWN))
      continue;
    Str right = arena_printf(sink->arena, "value_t=torch.tensor(%.*s)",
                             STR_ARG(py_text(&check->model->tree, attribute->value)));
    py_report(sink, RULE_CONSTANT_VALUE, OWN, attribute->node,
              (Diagnostic){
                  .message = arena_printf(sink->arena, "The value of a Constant has to be a tensor; write %.*s.",
                                          STR_ARG(str_slice(right, 0, 80))),
                  .fixes = py_fix(sink, true, STR("Make a tensor of it"), py_range(sink, attribute->node), right),
                  .fix_count = 1,
              });
  }
  if (!has_value && sink_wants(sink, RULE_CONSTANT_VALUE, OWN))
    py_report(sink, RULE_CONSTANT_VALUE, OWN, op->name_node,
              (Diagnostic){ .message = STR("A Constant needs its value; write value_t=torch.tensor(...).") });
}

// --- What is missing ---

/// `return g.op("If", condition)`: nothing has the node, so it never gets its blocks.
static bool gets_no_blocks(const OpCheck *check)
{
  const PyTree *tree = &check->model->tree;
  PyRef parent = tree->nodes[check->model->calls.items[check->op->call].node].parent;
  PyNodeKind kind = py_kind(tree, parent);
  bool is_input = kind == PYK_ARGUMENT_LIST && py_model_op_at(check->model, tree->nodes[parent].parent) != NULL;
  return check->op->kind == PY_OP_GRAPH && (kind == PYK_RETURN_STATEMENT || is_input) && !check->op->has_splat_input;
}

/// The schema says what is required, with two exceptions: bodies of If, Loop and Scan are blocks of the node, which are
/// added afterwards; and the exporter itself reads `perm` when the shape is known.
static bool is_required(const OpCheck *check, const OnnxAttribute *attribute)
{
  const PyOp *op = check->op;
  bool is_perm =
      op->kind == PY_OP_GRAPH && str_equal(op->name, STR("Transpose")) && str_equal(attribute->name, STR("perm"));
  bool is_graph = attribute->type == ONNX_GRAPH;
  return (attribute->required && (!is_graph || gets_no_blocks(check))) || (is_perm && op->domain.len == 0);
}

static bool has_attribute(const OpCheck *check, Str name)
{
  for (uint32_t i = 0; i < check->op->attribute_count; i++) {
    if (str_equal(check->model->attributes.items[check->op->first_attribute + i].name, name))
      return true;
  }
  return false;
}

/// Since opset 18 Split has to be told its parts: by an input, or by their number. Those in an attribute, as they were
/// before opset 13, are told by themselves, and become that input.
/// Source: onnx docs/Changelog.md#Split-18; run with onnx 1.17 and ONNX Runtime 1.21.
static bool lacks_parts(const OpCheck *check, const OnnxSchema *schema, const OnnxAttribute *attribute)
{
  return check->op->kind == PY_OP_GRAPH && str_equal(check->op->full_name, STR("Split")) && schema->since >= 18 &&
         check->op->input_count == 1 && !check->op->has_splat_input && str_equal(attribute->name, STR("num_outputs")) &&
         !has_attribute(check, STR("split"));
}

/// The first required attribute that is not given; NULL for none.
static const OnnxAttribute *missing_attribute(const OpCheck *check, const OnnxSchema *schema)
{
  const PyOp *op = check->op;
  for (uint32_t i = 0; i < schema->attribute_count; i++) {
    const OnnxAttribute *attribute = &schema->attributes[i];
    bool is_given = !is_required(check, attribute) && !lacks_parts(check, schema, attribute);
    for (uint32_t k = 0; k < op->attribute_count && !is_given; k++) {
      const PyAttribute *given = &check->model->attributes.items[op->first_attribute + k];
      bool has_name = str_equal(given->name, attribute->name) || str_equal(given->keyword, attribute->name);
      is_given = has_name && !py_file_is_only(py_file_value(check->file, given->value), PY_NONE);
    }
    if (!is_given)
      return attribute;
  }
  return NULL;
}

static bool lacks_required(const OnnxSchema *schema, const void *context)
{
  return missing_attribute(context, schema) != NULL;
}

static void check_required(OpCheck *check)
{
  DiagSink *sink = check->sink;
  const PyOp *op = check->op;
  if (op->has_unknown_attributes)
    return;
  OpsetSet wrong = op_check_wrong(check, lacks_required, check);
  if (!py_file_opsets_wrong(check->opsets, wrong) || !sink_wants(sink, RULE_MISSING_REQUIRED_ATTRIBUTE, OWN))
    return;
  const OnnxSchema *schema = check->schemas[op_check_first_wrong(check, wrong)];
  // In ONNX Script what stands after the inputs may be attributes.
  bool is_open = op->has_splat_input && schema->max_input != ONNX_NO_LIMIT;
  if (op->kind == PY_OP_ONNXSCRIPT && (is_open || op->input_count > schema->max_input))
    return;
  const OnnxAttribute *attribute = missing_attribute(check, schema);
  bool is_script = op->kind == PY_OP_ONNXSCRIPT;
  Str message =
      attribute->type == ONNX_GRAPH
          ? arena_printf(sink->arena,
                         "'%.*s' has its bodies in blocks of its node, which nothing can add here: the export fails. "
                         "jit_utils.add_op_with_blocks() makes them.",
                         STR_ARG(op->name))
          : arena_printf(sink->arena, "'%.*s' needs the attribute '%.*s' %.*s; write %.*s%s%s=...", STR_ARG(op->name),
                         STR_ARG(attribute->name), STR_ARG(op_check_when(check, wrong)), STR_ARG(attribute->name),
                         is_script ? "" : "_", is_script ? "" : onnx_attribute_suffix(attribute->type));
  py_report(sink, RULE_MISSING_REQUIRED_ATTRIBUTE, OWN, op->name_node, (Diagnostic){ .message = message });
}

// --- All of them ---

static bool is_ignored(Str keyword)
{
  return str_equal(keyword, STR("inplace")) || str_equal(keyword, STR("aten"));
}

static void report_ignored(OpCheck *check, const PyAttribute *attribute)
{
  DiagSink *sink = check->sink;
  if (sink_wants(sink, RULE_IGNORED_ATTRIBUTE, OWN))
    py_report(sink, RULE_IGNORED_ATTRIBUTE, OWN, attribute->node,
              (Diagnostic){ .message = arena_printf(sink->arena, "g.op() ignores '%.*s'.", STR_ARG(attribute->keyword)),
                            .is_unnecessary = true });
}

/// `alpha_f=None`, also by a name that is None on all paths.
static void report_none(AttributeCheck *check)
{
  DiagSink *sink = check->op->sink;
  if (py_is_torch_itself(check->op->model) || !sink_wants(sink, RULE_DROPPED_ATTRIBUTE, OWN))
    return;
  Str message =
      arena_printf(sink->arena, "This is None, so '%.*s' is left out silently; give it a value, or remove it.",
                   STR_ARG(check->attribute->keyword));
  py_say(sink, RULE_DROPPED_ATTRIBUTE, OWN, check->attribute->node, message,
         py_edit_remove(sink, false, STR("Remove it"), check->attribute->node));
}

/// Where the value is None the attribute is left out, so that it may be meant for other opsets.
static bool may_be_none(const AttributeCheck *check)
{
  const PyModel *model = check->op->model;
  PyRef value = py_tree_strip(&model->tree, check->attribute->value);
  if (check->value.kinds & PY_NONE)
    return true;
  const PyBinding *binding = check->value.kinds == 0 ? py_model_binding_of(model, check->op->op->scope, value) : NULL;
  PyRef standard = binding && binding->kind == PY_BIND_PARAM ? model->params.items[binding->index].default_value : 0;
  return standard && py_kind(&model->tree, standard) == PYK_NONE;
}

/// Whether the call is in a function with @script(), which is read.
static bool is_scripted(const AttributeCheck *check)
{
  uint32_t function = check->op->op->scope;
  return function != PY_ABSENT && (check->op->model->functions.items[function].roles & PY_ROLE_ONNXSCRIPT) != 0;
}

/// `op.Cast(x, to=torch.float16)`: onnxscript has no attribute of such a type. Run with torch 2.14.
static bool report_type_of_torch(const AttributeCheck *check)
{
  DiagSink *sink = check->op->sink;
  if (!py_file_is_only(check->value, PY_DTYPE))
    return false;
  py_say(sink, RULE_ATTRIBUTE_VALUE, OWN, check->attribute->value,
         arena_printf(sink->arena,
                      "'%.*s' takes a number of ONNX, and this is a type of PyTorch: for instance "
                      "onnx.TensorProto.FLOAT.",
                      STR_ARG(check->attribute->name)),
         NULL);
  return true;
}

static void check_attribute(OpCheck *op, const PyAttribute *attribute)
{
  AttributeCheck check = { .op = op, .attribute = attribute };
  bool is_graph_op = op->op->kind != PY_OP_ONNXSCRIPT;
  if (!attribute->value || (op->op->kind == PY_OP_ATEN && str_equal(attribute->keyword, STR("overload_name"))))
    return;
  if (is_graph_op && is_ignored(attribute->keyword)) {
    report_ignored(op, attribute);
    return;
  }
  check.value = py_file_value(op->file, attribute->value);
  if (py_file_is_only(check.value, PY_NONE)) {
    if (!attribute_check_dropped(&check) && is_graph_op)
      report_none(&check);
    return;  // Left out.
  }
  if (is_graph_op && !check_suffix(&check))
    return;
  check.newest = attribute_newest(op->onnx, attribute->name);
  bool has_schema = op->onnx && op->opsets.set != 0 && !(op->is_constant && is_value_attribute(attribute->name));
  bool is_known = has_schema && !may_be_none(&check) && attribute_check_name(&check);
  if (!is_graph_op) {
    if (has_schema && !is_known)
      return;  // It was reported, or is an input that is given by its name.
    bool is_reported = is_scripted(&check) ? attribute_check_scripted(&check) : report_type_of_torch(&check);
    if (!is_reported && is_known)
      attribute_check_listed(&check);
    return;
  }
  if (op->is_constant && (str_equal(attribute->suffix, STR("f")) || str_equal(attribute->suffix, STR("i"))))
    return;  // check_constant() has said it.
  if (attribute_check_dropped(&check))
    return;
  bool is_wrong = has_schema && !is_known;  // Its name: whether its list is empty does not matter then.
  if (!attribute_check_value(&check) || is_wrong || attribute_check_empty(&check) || !is_known)
    return;
  attribute_check_type(&check);
  attribute_check_listed(&check);
}

void op_check_attributes(OpCheck *check)
{
  for (uint32_t i = 0; i < check->op->attribute_count; i++)
    check_attribute(check, &check->model->attributes.items[check->op->first_attribute + i]);
  if (!check->onnx || check->opsets.set == 0)
    return;
  if (check->is_constant && check->op->kind == PY_OP_GRAPH)
    check_constant(check);
  else
    check_required(check);
}
