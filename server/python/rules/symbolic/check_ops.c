// Each g.op() and op.X(): which operator it is at which opsets; then its name, inputs, outputs and attributes are
// checked.

#include "python/rules/python_edit.h"
#include "python/rules/symbolic/op.h"

// --- Words about opsets ---

OpsetSet op_check_wrong(const OpCheck *check, bool (*test)(const OnnxSchema *schema, const void *context),
                        const void *context)
{
  OpsetSet wrong = 0;
  const OnnxSchema *last = NULL;
  bool last_wrong = false;
  for (OPSET_SET_EACH(opset, check->opsets.set)) {
    const OnnxSchema *schema = check->schemas[opset];
    if (!schema)
      continue;
    if (schema != last)
      last_wrong = test(schema, context);
    last = schema;
    if (last_wrong)
      wrong |= opset_set_of(opset);
  }
  return wrong;
}

int op_check_first_wrong(const OpCheck *check, OpsetSet wrong)
{
  return opset_set_first(check->opsets.set & wrong);
}

Str op_check_when(const OpCheck *check, OpsetSet wrong)
{
  Arena *arena = check->sink->arena;
  wrong &= check->opsets.set;
  OpsetRange range = check->file->range;
  if (wrong == check->opsets.set && opset_set_has(wrong, range.min) && opset_set_has(wrong, range.max))
    return STR("at any opset of the exporter");
  if (!opset_set_has_many(wrong))
    return arena_printf(arena, "at opset %d", opset_set_first(wrong));
  OpsetSet right = check->opsets.set & ~wrong;
  int first = opset_set_first(wrong);
  if ((right & opset_set_range(first, OPSET_LIMIT)) == 0 && opset_set_has(wrong, range.max))
    return arena_printf(arena, "from opset %d on", first);
  return arena_printf(arena, "at opsets %.*s", STR_ARG(opset_set_text(wrong, arena)));
}

// --- The opset ---

static bool is_deprecated(const OnnxSchema *schema, const void *context)
{
  (void)context;
  return schema->deprecated;
}

/// What to use instead of a deprecated operator; empty if that is not known.
static const char *successor(Str name)
{
  static const struct {
    const char *name;
    const char *instead;
  } pairs[] = { { "Upsample", "Resize" }, { "Scatter", "ScatterElements" } };
  for (size_t i = 0; i < COUNT(pairs); i++) {
    if (str_equal(name, str_from(pairs[i].name)))
      return pairs[i].instead;
  }
  return NULL;
}

static void check_opset(OpCheck *check)
{
  DiagSink *sink = check->sink;
  Str name = check->op->name;
  OpsetSet missing = 0;
  for (OPSET_SET_EACH(opset, check->opsets.set))
    missing |= check->schemas[opset] ? 0 : opset_set_of(opset);
  OpsetSet deprecated = op_check_wrong(check, is_deprecated, NULL);
  Str message = { 0 };
  Severity severity = OWN;
  if (py_file_opsets_wrong(check->opsets, missing) && check->onnx->version_count > 0) {
    message = arena_printf(sink->arena, "'%.*s' exists since opset %u, and this function is used %.*s.", STR_ARG(name),
                           check->onnx->versions[0].since, STR_ARG(op_check_when(check, missing)));
  } else if (py_file_opsets_wrong(check->opsets, deprecated)) {
    const OnnxSchema *schema = check->schemas[op_check_first_wrong(check, deprecated)];
    const char *instead = successor(name);
    // What a later version brought back was not a mistake when it was new: older checkers take it.
    bool came_back = !check->onnx->versions[check->onnx->version_count - 1].deprecated;
    severity = came_back ? SEVERITY_WARNING : OWN;
    message = arena_printf(sink->arena, "'%.*s' is deprecated since opset %u, and this function is used %.*s%s%s.",
                           STR_ARG(name), schema->since, STR_ARG(op_check_when(check, deprecated)),
                           instead ? "; use " : "", instead ? instead : "");
  }
  if (message.len > 0 && sink_wants(sink, RULE_ONNX_OP_NOT_IN_OPSET, severity))
    py_report(sink, RULE_ONNX_OP_NOT_IN_OPSET, severity, check->op->name_node, (Diagnostic){ .message = message });
  // What the operator takes at these opsets says nothing.
  for (OPSET_SET_EACH(opset, deprecated))
    check->schemas[opset] = NULL;
  // Where it can't be anyway, nothing else can be right.
  if (check->opsets.is_known || (check->opsets.set & ~(missing | deprecated)) != 0)
    check->opsets.set &= ~(missing | deprecated);
}

// --- An operator ---

static bool is_custom_domain(const OpCheck *check)
{
  return check->op->domain.len > 0 && !symbolics_onnx_has_domain(check->file->db, check->op->domain);
}

static void find_schemas(OpCheck *check)
{
  for (OPSET_SET_EACH(opset, check->opsets.set))
    check->schemas[opset] = onnx_operator_at(check->onnx, opset);
}

bool py_op_is_chosen(const PyModel *model, const PyOp *op)
{
  PyRef name = op->name_node;
  return name && py_kind(&model->tree, model->tree.nodes[name].parent) == PYK_CONDITIONAL_EXPRESSION;
}

static PyOpsets opsets_of(const PyFile *file, const PyOp *op)
{
  if (op->kind == PY_OP_ONNXSCRIPT)
    return (PyOpsets){ .set = op->opset > 0 ? opset_set_of(op->opset) : 0, .is_known = op->opset > 0 };
  PyOpsets opsets = py_file_opsets_of(file, file->model->calls.items[op->call].node);
  if (py_op_is_chosen(file->model, op))
    opsets.set &= py_file_opsets_of(file, op->name_node).set;
  return opsets;
}

/// `g.op("aten::relu", x)`: nothing converts it any more. ATen itself is what the fall back makes.
static void check_torch_operator(OpCheck *check)
{
  DiagSink *sink = check->sink;
  const PyOp *op = check->op;
  if (op->kind != PY_OP_GRAPH || !str_equal(op->domain, STR("aten")) || str_equal(op->name, STR("ATen")) ||
      check->file->keeps_torch_operators || py_is_torch_itself(check->model) ||
      !sink_wants(sink, RULE_UNKNOWN_ONNX_OP, OWN))
    return;
  Str message = arena_printf(
      sink->arena,
      "'%.*s' is an operator of PyTorch, which no symbolic function converts any more, so the export fails: "
      "make one of ONNX, or of a domain of your own.",
      STR_ARG(op->full_name));
  py_report(sink, RULE_UNKNOWN_ONNX_OP, OWN, op->name_node, (Diagnostic){ .message = message });
}

/// A domain with versions of its own: where the operator has only one, that is it.
static void find_only_schema(OpCheck *check)
{
  for (OPSET_SET_EACH(opset, check->opsets.set))
    check->schemas[opset] = &check->onnx->versions[0];
}

static void check_schema(OpCheck *check)
{
  const PyOp *op = check->op;
  check_torch_operator(check);
  if (op->kind == PY_OP_GRAPH && str_equal(op->domain, STR("ai.onnx"))) {
    op_report_default_domain(check);
    return;
  }
  if (op->kind == PY_OP_ATEN || is_custom_domain(check) || str_equal(op->domain, STR("aten")) ||
      str_equal(op->domain, STR("prim")))
    return;
  check->onnx = symbolics_onnx_operator(check->file->db, op->domain, op->name);
  if (!check->onnx) {
    // Source: onnx/checker.cc, check_node(): it lets pass what it has no schema for, but in ai.onnx, .ml and .training.
    if (!str_starts_with(op->domain, STR("ai.onnx.preview")))
      op_report_unknown(check);
    return;
  }
  // The opset in force is that of ai.onnx; other domains are versioned on their own.
  if (op->domain.len > 0 && op->kind == PY_OP_GRAPH) {
    if (check->onnx->version_count == 1)
      find_only_schema(check);
    else
      check->onnx = NULL;
    return;
  }
  check->is_constant = op->domain.len == 0 && str_equal(op->name, STR("Constant"));
  find_schemas(check);
  check_opset(check);
}

static void check_op(DiagSink *sink, const PyOp *op, int *head_fixes)
{
  OpCheck check = {
    .sink = sink, .file = sink_python(sink), .model = sink_python(sink)->model, .op = op, .head_fixes = head_fixes
  };
  check.opsets = opsets_of(sink_python(sink), op);
  // A guard that nothing passes leaves no opset; only onnxscript says the opset by itself.
  bool is_unsure = false;
  check.is_dead = (check.opsets.set == 0 || op->kind == PY_OP_ONNXSCRIPT) &&
                  py_file_opset_guard(check.file, check.model->calls.items[op->call].node, &is_unsure) == 0;
  if (check.is_dead || (check.opsets.set == 0 && py_op_is_chosen(check.model, op)))
    return;
  if (op->name_known && op_check_name(&check)) {
    check_schema(&check);
    op_check_contributed(&check);
  }
  if (op->kind == PY_OP_GRAPH && !op->name_known)
    op_check_name_type(&check);
  bool is_next = op != check.model->ops.items && op[-1].call == op->call && py_op_is_chosen(check.model, op);
  if (op->kind == PY_OP_GRAPH && !is_next) {
    op_check_inputs(&check);
    op_check_output_type(&check);
  }
  op_check_attributes(&check);
  if (check.onnx)
    op_check_constant_inputs(&check);
  if (!check.onnx || check.opsets.set == 0)
    return;
  op_check_lengths(&check);
  op_check_element_types(&check);
  op_check_list_inputs(&check);
  op_check_counts(&check);
}

void check_python_ops(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  int head_fixes = 0;
  for (size_t i = 0; i < model->ops.count; i++)
    check_op(sink, &model->ops.items[i], &head_fixes);
}
