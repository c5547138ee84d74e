// Names of attributes: unknown ones, and those that became inputs.

#include "base/limits.h"
#include "base/nearest.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/attribute.h"

const OnnxAttribute *attribute_newest(const OnnxOperator *onnx, Str name)
{
  for (uint32_t i = onnx ? onnx->version_count : 0; i-- > 0;) {
    const OnnxAttribute *attribute = onnx_schema_attribute(&onnx->versions[i], name);
    if (attribute)
      return attribute;
  }
  return NULL;
}

static bool lacks_attribute(const OnnxSchema *schema, const void *context)
{
  const Str *name = context;
  return onnx_schema_attribute(schema, *name) == NULL;
}

/// The input that an attribute of that name has become in this schema; NULL if it has not.
static const OnnxParam *input_instead(const OpCheck *check, const OnnxSchema *schema, Str name)
{
  static const struct {
    const char *op, *attribute, *input;
  } renamed[] = {
    { "Pad", "value", "constant_value" },
    { "Tile", "tiles", "repeats" },
    { "TopK", "k", "K" },
  };
  Str input = name;
  for (size_t i = 0; i < COUNT(renamed); i++) {
    if (str_equal(check->op->name, str_from(renamed[i].op)) && str_equal(name, str_from(renamed[i].attribute)))
      input = str_from(renamed[i].input);
  }
  for (uint32_t i = 0; i < schema->input_count; i++) {
    if (str_equal(schema->inputs[i].name, input))
      return &schema->inputs[i];
  }
  return NULL;
}

/// The first version that has the input and no longer the attribute.
static uint32_t since_input(const OpCheck *check, Str name)
{
  for (uint32_t i = 0; i < check->onnx->version_count; i++) {
    const OnnxSchema *schema = &check->onnx->versions[i];
    if (!onnx_schema_attribute(schema, name) && input_instead(check, schema, name))
      return schema->since;
  }
  return 0;
}

/// An argument with the comma before it, which is looked for after `limit`.
static Range range_with_comma(const DiagSink *sink, PyRef node, size_t limit)
{
  Str text = sink_python(sink)->model->tree.text;
  Range range = py_range(sink, node);
  while (range.start > limit && text.data[range.start - 1] != ',')
    range.start--;
  if (range.start > 0 && text.data[range.start - 1] == ',')
    range.start--;
  return range;
}

/// Builds the constant and passes it after the inputs that are there, if that is its place.
static const Fix *input_fix(AttributeCheck *check, const OnnxSchema *schema, const OnnxParam *input)
{
  OpCheck *op = check->op;
  DiagSink *sink = op->sink;
  const PyTree *tree = &op->model->tree;
  uint32_t position = (uint32_t)(input - schema->inputs);
  bool fits = py_file_is_only(check->value, PY_INT | PY_FLOAT | PY_BOOL | PY_LIST) && check->value.length != 0;
  if (position != op->op->input_count || op->op->has_splat_input || op->op->name_node == 0 || !fits ||
      op->op->has_splat_attribute)
    return NULL;
  PyRef last =
      op->op->input_count > 0 ? op->model->arguments.items[op->op->first_input + position - 1].node : op->op->name_node;
  Range cut = range_with_comma(sink, check->attribute->node, tree->nodes[last].end);
  Str graph = py_text(tree, py_model_graph_of(op->model, op->op));
  Str value = py_text(tree, check->attribute->value);
  bool is_list = py_file_is_only(check->value, PY_LIST);
  // `K` of TopK has one axis, though it was an int.
  bool wants_list = str_equal(input->name, STR("K")) ||
                    (onnx_schema_attribute(schema, check->attribute->name) == NULL && check->newest &&
                     (check->newest->type == ONNX_INTS || check->newest->type == ONNX_FLOATS));
  const char *open = wants_list && !is_list ? "[" : "";
  const char *close = wants_list && !is_list ? "]" : "";
  TextEdit *edits = ARENA_ARRAY(sink->arena, TextEdit, 2);
  Range after = { tree->nodes[last].end, tree->nodes[last].end };
  edits[0] = (TextEdit){ after, arena_printf(sink->arena, ", %.*s.op(\"Constant\", value_t=torch.tensor(%s%.*s%s))",
                                             STR_ARG(graph), open, STR_ARG(value), close) };
  edits[1] = (TextEdit){ cut, STR("") };
  if (cut.start < after.end)
    return NULL;
  Fix *fix = ARENA_ARRAY(sink->arena, Fix, 1);
  *fix = (Fix){
    .title = arena_printf(sink->arena, "Pass '%.*s' as an input", STR_ARG(input->name)),
    .edits = edits,
    .edit_count = 2,
    .is_safe = false,
  };
  return fix;
}

static void report_moved(AttributeCheck *check, const OnnxSchema *schema, const OnnxParam *input, OpsetSet wrong)
{
  OpCheck *op = check->op;
  DiagSink *sink = op->sink;
  op->has_moved_input = true;
  if (!sink_wants(sink, RULE_ATTRIBUTE_BECAME_INPUT, OWN))
    return;
  uint32_t since = since_input(op, check->attribute->name);
  Str name = op->op->name;
  Str when = op_check_when(op, wrong);
  // Where it is right at some of the opsets, an input would be wrong there.
  const Fix *fix = (op->opsets.set & ~wrong) == 0 ? input_fix(check, schema, input) : NULL;
  Str message = arena_printf(
      sink->arena, "'%.*s' of '%.*s' is an input since opset %u, and this function is used %.*s; pass it as input %u.",
      STR_ARG(check->attribute->name), STR_ARG(name), since, STR_ARG(when), (unsigned)(input - schema->inputs) + 1);
  py_say(sink, RULE_ATTRIBUTE_BECAME_INPUT, OWN, check->attribute->node, message, fix);
}

static Str nearest_attribute(const OnnxSchema *schema, Str name, Arena *arena)
{
  const char *candidates[PY_CANDIDATE_LIMIT];
  size_t count = 0;
  for (uint32_t i = 0; i < schema->attribute_count && count < PY_CANDIDATE_LIMIT; i++)
    candidates[count++] = arena_copy(arena, schema->attributes[i].name).data;
  return str_from(nearest_word(arena_copy(arena, name).data, candidates, count));
}

/// The first version after `schema` that has the attribute; 0 for none.
static uint32_t since_attribute(const OnnxOperator *onnx, const OnnxSchema *schema, Str name)
{
  for (uint32_t i = 0; i < onnx->version_count; i++) {
    if (onnx->versions[i].since > schema->since && onnx_schema_attribute(&onnx->versions[i], name))
      return onnx->versions[i].since;
  }
  return 0;
}

static void report_unknown(AttributeCheck *check, const OnnxSchema *schema, OpsetSet wrong)
{
  OpCheck *op = check->op;
  DiagSink *sink = op->sink;
  if (!sink_wants(sink, RULE_UNKNOWN_ATTRIBUTE, OWN))
    return;
  Str name = check->attribute->name;
  Str when = op_check_when(op, wrong);
  Diagnostic diagnostic = { 0 };
  uint32_t since = since_attribute(op->onnx, schema, name);
  Str nearest = nearest_attribute(schema, name, sink->arena);
  if (since > 0) {
    diagnostic.message =
        arena_printf(sink->arena, "'%.*s' has the attribute '%.*s' since opset %u, and this function is used %.*s.",
                     STR_ARG(op->op->name), STR_ARG(name), since, STR_ARG(when));
  } else if (nearest.len > 0) {
    diagnostic.message = arena_printf(sink->arena, "'%.*s' has no attribute '%.*s' %.*s; did you mean '%.*s'?",
                                      STR_ARG(op->op->name), STR_ARG(name), STR_ARG(when), STR_ARG(nearest));
    const OnnxAttribute *attribute = onnx_schema_attribute(schema, nearest);
    Str right = op->op->kind == PY_OP_ONNXSCRIPT
                    ? nearest
                    : arena_printf(sink->arena, "%.*s_%s", STR_ARG(nearest), onnx_attribute_suffix(attribute->type));
    bool is_empty = py_file_is_only(check->value, PY_LIST) && check->value.length == 0;  // Wrong under any name.
    diagnostic.fixes = is_empty ? NULL : attribute_fix_name(check, false, right);
    diagnostic.fix_count = diagnostic.fixes != NULL;
  } else {
    diagnostic.message = arena_printf(sink->arena, "'%.*s' has no attribute '%.*s' %.*s.", STR_ARG(op->op->name),
                                      STR_ARG(name), STR_ARG(when));
  }
  py_report(sink, RULE_UNKNOWN_ATTRIBUTE, OWN, check->attribute->node, diagnostic);
}

bool attribute_check_name(AttributeCheck *check)
{
  OpCheck *op = check->op;
  OpsetSet wrong = op_check_wrong(op, lacks_attribute, &check->attribute->name);
  if (!py_file_opsets_wrong(op->opsets, wrong))
    return wrong == 0 || check->newest != NULL;
  if (check->value.kinds & PY_NONE)
    return false;  // None is left out, perhaps just there.
  const OnnxSchema *schema = op->schemas[op_check_first_wrong(op, wrong)];
  const OnnxParam *input = input_instead(op, schema, check->attribute->name);
  if (op->op->kind == PY_OP_ONNXSCRIPT && input)
    return false;  // An input may be given by its name.
  if (input)
    report_moved(check, schema, input, wrong);
  else
    report_unknown(check, schema, wrong);
  return false;
}
