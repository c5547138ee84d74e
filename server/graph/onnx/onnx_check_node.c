// Nodes against the schemas of the opsets that the model imports.

#include "describe/operator_words.h"
#include "facts/onnx_attribute_values.h"
#include "graph/onnx/onnx_rules.h"

static bool is_built_in(Str domain)
{
  return domain.len == 0 || str_equal(domain, STR("ai.onnx")) || str_equal(domain, STR("ai.onnx.ml")) ||
         str_equal(domain, STR("ai.onnx.training"));
}

Str onnx_domain_word(Str domain)
{
  return domain.len > 0 ? domain : STR("ai.onnx");
}

// --- Operators ---

/// Whether the import of the node's domain is told of here for the first time. A node of which that keeps silent is
/// wrong all the same.
static bool is_untold(OnnxCheck *check, const OnnxNode *node)
{
  OnnxToldDomains *told = &check->told_domains;
  if (told->imports != onnx_imports(check))
    *told = (OnnxToldDomains){ .imports = onnx_imports(check) };
  for (uint32_t i = 0; i < told->count; i++) {
    if (!str_equal(told->domains[i], node->domain))
      continue;
    check->reports++;
    return false;
  }
  if (told->count < COUNT(told->domains))
    told->domains[told->count++] = node->domain;
  return true;
}

static void report_no_import(OnnxCheck *check, const OnnxNode *node)
{
  bool is_other = check->function || check->model->imports.count > 0;
  if (is_other && !onnx_imports(check)->is_cut && is_untold(check, node))
    onnx_report(check, node->op_at, RULE_MISSING_OPSET_IMPORT, (Severity)SEVERITY_DEFAULT,
                "%s imports no opset of the domain `%.*s`.", check->function ? "This function" : "The model",
                STR_ARG(onnx_domain_word(node->domain)));
}

/// Versions begin at 1.
static void report_no_version(OnnxCheck *check, const OnnxNode *node, const OnnxImport *import)
{
  if (is_untold(check, node))
    onnx_report_related(check, import->at, RULE_ONNX_OP_NOT_IN_OPSET, SEVERITY_ERROR, node->op_at, "Needed here.",
                        "%.*s has no version %lld.", STR_ARG(onnx_domain_word(node->domain)),
                        (long long)import->version);
}

static void report_unknown_op(OnnxCheck *check, const OnnxNode *node, const OnnxOperator *op, int64_t version)
{
  if (str_equal(node->domain, STR("ai.onnx"))) {
    onnx_report(check, node->op_at, RULE_UNKNOWN_ONNX_OP, SEVERITY_ERROR,
                "onnx doesn't find its own operators under `ai.onnx.`; write `%.*s`.", STR_ARG(node->op));
    return;
  }
  if (op && op->version_count > 0) {
    onnx_report(check, node->op_at, RULE_ONNX_OP_NOT_IN_OPSET, SEVERITY_ERROR,
                "`%.*s` is in %.*s since version %u, and the model imports version %lld.", STR_ARG(node->op),
                STR_ARG(onnx_domain_word(node->domain)), op->versions[0].since, (long long)version);
    return;
  }
  onnx_report(check, node->op_at, RULE_UNKNOWN_ONNX_OP, SEVERITY_ERROR, "%.*s has no operator `%.*s`.",
              STR_ARG(onnx_domain_word(node->domain)), STR_ARG(node->op));
}

// --- Inputs and outputs ---

/// Of BatchNormalization some numbers between least and most are not allowed either.
static bool is_between_allowed(const OnnxNode *node, const OnnxSchema *schema, uint32_t count)
{
  if (node->domain.len > 0 || !str_equal(node->op, STR("BatchNormalization")))
    return true;
  return count == 1 || count == (schema->since >= 14 ? 3u : 5u);
}

/// From the first one too many, or the operator.
static OnnxSpan count_place(const OnnxNode *node, const OnnxNames *names, uint32_t max)
{
  if (names->count <= max || names->items[max].text.len == 0)
    return node->op_at;
  return (OnnxSpan){ names->items[max].at.start, names->items[names->count - 1].at.end };
}

static void report_count(OnnxCheck *check, const OnnxNode *node, const OnnxNames *names, uint32_t min, uint32_t max,
                         bool is_input)
{
  onnx_report(check, count_place(node, names, max), is_input ? RULE_INPUT_COUNT : RULE_OUTPUT_COUNT, SEVERITY_ERROR,
              "`%.*s` %s %.*s; this node has %u.", STR_ARG(node->op), is_input ? "takes" : "has",
              STR_ARG(operator_count_words(min, max, is_input ? "input" : "output", check->arena)), names->count);
}

/// An operand that may not be left out.
static void check_left_out(OnnxCheck *check, const OnnxNode *node, const OnnxNames *names, const OnnxParam *params,
                           uint32_t param_count, bool is_input)
{
  for (uint32_t i = 0; i < names->count && i < param_count; i++) {
    const OnnxName *name = &names->items[i];
    if (params[i].option != ONNX_SINGLE || name->text.len > 0)
      continue;
    onnx_report(check, name->at.start < name->at.end ? name->at : node->op_at,
                is_input ? RULE_INPUT_COUNT : RULE_OUTPUT_COUNT, SEVERITY_ERROR, "`%.*s` needs its %s `%.*s`.",
                STR_ARG(node->op), is_input ? "input" : "output", STR_ARG(params[i].name));
  }
}

static bool is_input_name(const OnnxSchema *schema, Str name)
{
  for (uint32_t i = 0; i < schema->input_count; i++) {
    if (str_equal(schema->inputs[i].name, name))
      return true;
  }
  return false;
}

/// Whether an attribute is there in the place of an input, which is told of the attribute.
static bool has_former_attribute(const OnnxNode *node, const OnnxSchema *schema)
{
  const OnnxAttr *attr = node->attrs;
  while (attr && (onnx_schema_attribute(schema, attr->name.text) || !is_input_name(schema, attr->name.text)))
    attr = attr->next;
  return attr != NULL;
}

static bool is_bare(const OnnxNode *node)
{
  return node->inputs.count == 0 && node->outputs.count == 0;
}

static void check_counts(OnnxCheck *check, const OnnxNode *node, const OnnxSchema *schema)
{
  if (is_bare(node))
    return;  // It was told.
  bool is_short = node->inputs.count < schema->min_input && !has_former_attribute(node, schema);
  if (is_short || node->inputs.count > schema->max_input)
    report_count(check, node, &node->inputs, schema->min_input, schema->max_input, true);
  else
    check_left_out(check, node, &node->inputs, schema->inputs, schema->input_count, true);
  uint32_t outputs = node->outputs.count;
  if (outputs < schema->min_output || outputs > schema->max_output || !is_between_allowed(node, schema, outputs))
    report_count(check, node, &node->outputs, schema->min_output, schema->max_output, false);
  else
    check_left_out(check, node, &node->outputs, schema->outputs, schema->output_count, false);
}

// --- Attributes ---

static bool takes_any_attribute(const OnnxNode *node, Str name)
{
  return str_starts_with(name, STR("__")) || (node->domain.len == 0 && str_equal(node->op, STR("LayerNormalization")));
}

static void report_unknown_attribute(OnnxCheck *check, const OnnxNode *node, const OnnxOperator *op,
                                     const OnnxSchema *schema, const OnnxAttr *attr)
{
  Str name = attr->name.text;
  if (is_input_name(schema, name)) {
    onnx_report(check, attr->name.at, RULE_ATTRIBUTE_BECAME_INPUT, SEVERITY_ERROR,
                "From opset %u on, `%.*s` is an input of `%.*s`, not an attribute.", schema->since, STR_ARG(name),
                STR_ARG(node->op));
    return;
  }
  const OnnxSchema *other = onnx_operator_with_attribute(op, name);
  if (other) {
    onnx_report(check, attr->name.at, RULE_UNKNOWN_ATTRIBUTE, SEVERITY_ERROR,
                "`%.*s` has no attribute `%.*s` in the version that the model imports (%u), only in that of %u.",
                STR_ARG(node->op), STR_ARG(name), schema->since, other->since);
    return;
  }
  onnx_report(check, attr->name.at, RULE_UNKNOWN_ATTRIBUTE, SEVERITY_ERROR, "`%.*s` has no attribute `%.*s`.",
              STR_ARG(node->op), STR_ARG(name));
}

/// The checker takes any string, but for one that its inference asks for (onnx_infer_resize()).
static void check_word(OnnxCheck *check, const OnnxNode *node, const OnnxSchema *schema, const OnnxAttr *attr)
{
  if (str_equal(attr->name.text, STR("keep_aspect_ratio_policy")))
    return;
  OnnxAttributeWords words = onnx_attribute_values(node->op, attr->name.text, schema->since);
  bool is_default = attr->text.len == 0 &&
                    (str_equal(attr->name.text, STR("nearest_mode")) || str_equal(attr->name.text, STR("auto_pad")));
  if (words.values.len == 0 || is_default || onnx_attribute_has_value(words, attr->text))
    return;
  Str list = onnx_attribute_list(words, check->arena);
  size_t reports = check->reports;
  if (words.taken_as.len > 0)
    onnx_report(check, attr->value_at, RULE_ATTRIBUTE_VALUE, SEVERITY_WARNING,
                "`%.*s` of `%.*s` is %.*s; onnx passes this, and ONNX Runtime computes `%.*s` without a word.",
                STR_ARG(attr->name.text), STR_ARG(node->op), STR_ARG(list), STR_ARG(words.taken_as));
  else
    onnx_report(check, attr->value_at, RULE_ATTRIBUTE_VALUE,
                onnx_runtime_loads_word(check, node, attr) ? SEVERITY_WARNING : SEVERITY_ERROR,
                "`%.*s` of `%.*s` is %.*s; onnx passes this, and no runtime knows it.", STR_ARG(attr->name.text),
                STR_ARG(node->op), STR_ARG(list));
  check->reports = reports;  // Types go through the node all the same.
}

static void check_attribute(OnnxCheck *check, const OnnxNode *node, const OnnxOperator *op, const OnnxSchema *schema,
                            const OnnxAttr *attr)
{
  const OnnxAttribute *known = onnx_schema_attribute(schema, attr->name.text);
  if (!known) {
    if (!takes_any_attribute(node, attr->name.text))
      report_unknown_attribute(check, node, op, schema, attr);
    return;
  }
  if (attr->type == known->type && attr->type == ONNX_STRING && !attr->is_reference)
    check_word(check, node, schema, attr);
  if (attr->type == ONNX_UNDEFINED || attr->is_contradictory || attr->is_reported || attr->type == known->type)
    return;  // Those have been reported.
  onnx_report(check, attr->value_at, RULE_ATTRIBUTE_TYPE, SEVERITY_ERROR, "`%.*s` of `%.*s` is %s, and this is %s.%s",
              STR_ARG(attr->name.text), STR_ARG(node->op), onnx_attribute_type_name(known->type),
              onnx_attribute_type_name(attr->type),
              known->type == ONNX_FLOAT && attr->type == ONNX_INT ? " Write a point." : "");
}

static void check_required(OnnxCheck *check, const OnnxNode *node, const OnnxSchema *schema)
{
  for (uint32_t i = 0; i < schema->attribute_count && !node->lacks_attrs; i++) {
    const OnnxAttribute *known = &schema->attributes[i];
    if (known->required && !onnx_node_attr(node, known->name))
      onnx_report(check, node->op_at, RULE_MISSING_REQUIRED_ATTRIBUTE, SEVERITY_ERROR,
                  "`%.*s` needs the attribute `%.*s` (%s).", STR_ARG(node->op), STR_ARG(known->name),
                  onnx_attribute_type_name(known->type));
  }
}

/// What holds for attributes of every operator.
static void check_attribute_alone(OnnxCheck *check, const OnnxNode *node, const OnnxAttr *attr)
{
  const OnnxAttr *first = onnx_node_attr(node, attr->name.text);
  if (attr->name.text.len == 0)
    onnx_report(check, attr->name.at, RULE_SYNTAX, SEVERITY_ERROR, "This attribute has no name.");
  if (first != attr)
    onnx_report_related(check, attr->name.at, RULE_DUPLICATE_ATTRIBUTE, (Severity)SEVERITY_DEFAULT, first->name.at,
                        "Given here.", "`%.*s` is given twice.", STR_ARG(attr->name.text));
  if (attr->is_contradictory)
    onnx_report(check, attr->value_at, RULE_ATTRIBUTE_TYPE, SEVERITY_ERROR,
                "`%.*s` is written as a float, and its value as a whole number; write a point.",
                STR_ARG(attr->name.text));
  else if (attr->type == ONNX_UNDEFINED && !attr->is_reported)
    onnx_report(check, attr->name.at, RULE_ATTRIBUTE_TYPE, SEVERITY_ERROR,
                "The type of `%.*s` can't be told from its value; write it, as in `%.*s: int`.",
                STR_ARG(attr->name.text), STR_ARG(attr->name.text));
  if (attr->data)
    onnx_check_tensor(check, &attr->name, node->outputs.count > 0 ? node->outputs.items[0].symbol : ONNX_NO_SYMBOL,
                      attr->value_type, attr->data);
}

static void check_attributes_alone(OnnxCheck *check, const OnnxNode *node)
{
  enum { COMPARED = 256 };  // No operator has as many; each is compared with those before it.
  uint32_t left = COMPARED;
  for (const OnnxAttr *attr = node->attrs; attr && left-- > 0; attr = attr->next)
    check_attribute_alone(check, node, attr);
}

// --- Nodes ---

static void check_schema(OnnxCheck *check, const OnnxNode *node, const OnnxImport *import)
{
  const OnnxOperator *op;
  const OnnxSchema *schema = onnx_schema_of(check, node, &op);
  if (!schema) {
    if (op && op->version_count > 0 && import->version < 1)
      report_no_version(check, node, import);
    else if (is_built_in(node->domain))
      report_unknown_op(check, node, op, import->version);
    return;
  }
  if (schema->deprecated) {
    onnx_report(check, node->op_at, RULE_ONNX_OP_NOT_IN_OPSET, SEVERITY_ERROR,
                "`%.*s` is deprecated since version %u of %.*s, and the checker refuses it.", STR_ARG(node->op),
                schema->since, STR_ARG(onnx_domain_word(node->domain)));
    return;
  }
  check_counts(check, node, schema);
  for (const OnnxAttr *attr = node->attrs; attr; attr = attr->next)
    check_attribute(check, node, op, schema, attr);
  check_required(check, node, schema);
  onnx_check_numbers(check, node);
  onnx_check_lists(check, node, schema->since);
  onnx_check_aliased(check, node, op);
}

/// A call of one of the model's functions. onnx passes what doesn't fit; runtimes put the body in its place.
static void check_call(OnnxCheck *check, const OnnxNode *node, const OnnxFunction *function)
{
  uint32_t inputs = 0;
  uint32_t outputs = 0;
  for (const OnnxValue *input = function->graph.inputs; input; input = input->next)
    inputs++;
  for (const OnnxValue *output = function->graph.outputs; output; output = output->next)
    outputs++;
  // A session puts the body in the place of the call.
  Severity more = onnx_session_sees(check) ? SEVERITY_ERROR : (Severity)SEVERITY_DEFAULT;
  if (node->inputs.count > inputs)
    onnx_report(check, count_place(node, &node->inputs, inputs), RULE_FUNCTION_CALL, more,
                "The function `%.*s` takes %u input%s; this call has %u.", STR_ARG(node->op), inputs,
                inputs == 1 ? "" : "s", node->inputs.count);
  if (node->outputs.count > outputs)
    onnx_report(check, count_place(node, &node->outputs, outputs), RULE_FUNCTION_CALL, more,
                "The function `%.*s` has %u output%s; this call has %u.", STR_ARG(node->op), outputs,
                outputs == 1 ? "" : "s", node->outputs.count);
  for (const OnnxAttr *attr = node->attrs; attr; attr = attr->next) {
    const OnnxAttr *known = function->attrs;
    while (known && !str_equal(known->name.text, attr->name.text))
      known = known->next;
    if (!known)
      onnx_report(check, attr->name.at, RULE_FUNCTION_CALL, (Severity)SEVERITY_DEFAULT,
                  "The function `%.*s` has no attribute `%.*s`.", STR_ARG(node->op), STR_ARG(attr->name.text));
  }
}

void onnx_check_node(OnnxCheck *check, const OnnxNode *node)
{
  if (is_bare(node))
    onnx_report(check, node->op_at, RULE_INPUT_COUNT, SEVERITY_ERROR, "A node needs an input or an output.");
  if (node->op.len == 0) {
    onnx_report(check, node->op_at, RULE_UNKNOWN_ONNX_OP, SEVERITY_ERROR, "A node needs an operator.");
    return;
  }
  const OnnxImport *import = onnx_import_of(onnx_imports(check), node->domain);
  if (import && onnx_is_removed_experiment(node)) {
    onnx_check_experiment(check, node);
    return;
  }
  check_attributes_alone(check, node);
  const OnnxFunction *function = onnx_called_function(check, node);
  size_t reports = check->reports;
  if (!function && onnx_session_sees(check)) {
    function = onnx_any_overload(check, node);
    check->calls_others |= function != NULL;
  }
  if (function)
    check_call(check, node, function);
  else
    onnx_check_foreign(check, node);
  check->reports = reports;  // What is said of calls keeps nobody from following them.
  if (import)
    check_schema(check, node, import);
  else
    report_no_import(check, node);
}
