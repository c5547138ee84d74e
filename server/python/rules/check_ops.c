// What g.op() and op.X() are given: the operator's name, its opset, the number of inputs and outputs, the kinds of
// inputs.

#include "base/ascii.h"
#include "core/workspace.h"
#include "python/rules/op.h"
#include "python/rules/python_edit.h"

#include "base/nearest.h"
#include "base/vec.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

// --- Words about opsets ---

OpsetSet op_check_wrong(const OpCheck *check, bool (*test)(const OnnxSchema *schema, const void *context),
                        const void *context)
{
  OpsetSet wrong = 0;
  const OnnxSchema *last = NULL;
  bool last_wrong = false;
  for (int opset = 1; opset <= OPSET_LIMIT; opset++) {
    const OnnxSchema *schema = check->schemas[opset];
    if (!opset_set_has(check->opsets.set, opset) || !schema)
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

// --- Names ---

typedef Vec(const char *) Words;

static bool collect(Str name, void *context)
{
  Words *words = context;
  vec_push(words, xstrdup_str(name));
  return true;
}

/// The operator that was most likely meant; empty for none.
static Str nearest_operator(const OpCheck *check, Str name)
{
  Words words = { 0 };
  symbolics_each_onnx_name(check->file->db, STR(""), STR(""), collect, &words);
  Str found = { 0 };
  for (size_t i = 0; i < words.count && found.len == 0; i++) {
    if (str_equal_ignore_case(str_from(words.items[i]), name))
      found = arena_copy(check->sink->arena, str_from(words.items[i]));
  }
  if (found.len == 0) {
    char *text = xstrdup_str(name);
    const char *nearest = nearest_word(text, words.items, words.count);
    if (nearest)
      found = arena_copy(check->sink->arena, str_from(nearest));
    free(text);
  }
  for (size_t i = 0; i < words.count; i++)
    free((char *)words.items[i]);
  vec_free(&words);
  return found;
}

/// The text inside the quotes of the name.
static Range name_range(const OpCheck *check)
{
  Range range = py_range(check->sink, check->op->name_node);
  Str text = py_text(&check->model->tree, check->op->name_node);
  size_t at = str_find(text, check->op->full_name, 0);
  if (check->op->full_name.len == 0 || at == STR_NOT_FOUND)
    return range;
  return (Range){ range.start + at, range.start + at + check->op->full_name.len };
}

static void say_plugin(OpCheck *check, Str message)
{
  py_report(check->sink, RULE_PLUGIN_OPERATOR, OWN, check->op->name_node, (Diagnostic){ .message = message });
}

/// True if the operator is meant for a runtime that knows it: a plugin, or any name if an export asks that names be
/// kept and this one is not an operator of ONNX in other letters.
static bool report_plugin(OpCheck *check)
{
  DiagSink *sink = check->sink;
  Str name = check->op->name;
  const char *runtime = check->op->domain.len == 0 ? op_plugin_runtime(name) : NULL;
  bool is_kept = check->op->domain.len == 0 && name.len > 0 && str_find_char(name, ':', 0) == STR_NOT_FOUND &&
                 (check->file->keeps_operators || workspace_keeps_operators(check->file->target->workspace)) &&
                 !str_equal_ignore_case(nearest_operator(check, name), name);
  if (!runtime && !is_kept)
    return false;
  if (sink_wants(sink, RULE_PLUGIN_OPERATOR, OWN) && runtime)
    say_plugin(check, arena_printf(sink->arena,
                                   "'%.*s' is an operator of %s, in the domain of ONNX: the export succeeds, "
                                   "onnx.checker refuses the model, and only %s runs it.",
                                   STR_ARG(name), runtime, runtime));
  else if (sink_wants(sink, RULE_PLUGIN_OPERATOR, OWN))
    say_plugin(check, arena_printf(sink->arena,
                                   "ONNX has no operator '%.*s'. An export here keeps such names, and only a runtime "
                                   "that knows this one runs the model.",
                                   STR_ARG(name)));
  return true;
}

/// The name as `:` was meant, or the nearest one that there is, with its fix.
static void propose_name(const OpCheck *check, Str wrong, Str right, bool is_sure, Diagnostic *diagnostic)
{
  DiagSink *sink = check->sink;
  diagnostic->message =
      arena_printf(sink->arena, "ONNX has no operator '%.*s'; did you mean '%.*s'?", STR_ARG(wrong), STR_ARG(right));
  diagnostic->fixes =
      py_fix(sink, is_sure, arena_printf(sink->arena, "Write '%.*s'", STR_ARG(right)), name_range(check), right);
  diagnostic->fix_count = 1;
}

static Diagnostic describe_unknown(OpCheck *check)
{
  Arena *arena = check->sink->arena;
  Str name = check->op->name;
  Diagnostic diagnostic = { 0 };
  size_t colon = str_find_char(name, ':', 0);
  if (onnx_operator_was_experiment(name)) {
    diagnostic.message = arena_printf(
        arena, "'%.*s' was an experimental operator; ONNX has removed it, and runtimes don't know it.", STR_ARG(name));
    return diagnostic;
  }
  if (name.len == 0) {
    diagnostic.message = STR("The operator has no name.");
    return diagnostic;
  }
  if (colon != STR_NOT_FOUND) {
    Str right = arena_printf(arena, "%.*s::%.*s", STR_ARG(str_slice(name, 0, colon)),
                             STR_ARG(str_slice(name, colon + 1, name.len)));
    propose_name(check, name, right, true, &diagnostic);
    return diagnostic;
  }
  Str nearest = nearest_operator(check, name);
  if (nearest.len > 0)
    propose_name(check, check->op->full_name, nearest, false, &diagnostic);
  else
    diagnostic.message =
        arena_printf(arena, "ONNX has no operator '%.*s'; an operator of your own needs a domain, 'my_domain::%.*s'.",
                     STR_ARG(check->op->full_name), STR_ARG(name));
  return diagnostic;
}

static void report_unknown(OpCheck *check)
{
  DiagSink *sink = check->sink;
  Str name = check->op->name;
  Severity severity = onnx_operator_was_experiment(name) ? SEVERITY_WARNING : OWN;
  if (!report_plugin(check) && sink_wants(sink, RULE_UNKNOWN_ONNX_OP, severity))
    py_report(sink, RULE_UNKNOWN_ONNX_OP, severity, check->op->name_node, describe_unknown(check));
}

/// `ai.onnx::Elu`: taken as a domain of one's own, in which no runtime finds it.
static void report_default_domain(OpCheck *check)
{
  DiagSink *sink = check->sink;
  if (!sink_wants(sink, RULE_UNKNOWN_ONNX_OP, OWN))
    return;
  Str name = check->op->name;
  Diagnostic diagnostic = {
    .message =
        arena_printf(sink->arena, "'ai.onnx' is taken as a custom domain here; write '%.*s' for the operator of ONNX.",
                     STR_ARG(name)),
    .fixes = py_fix(sink, true, arena_printf(sink->arena, "Write '%.*s'", STR_ARG(name)), name_range(check), name),
    .fix_count = 1,
  };
  py_report(sink, RULE_UNKNOWN_ONNX_OP, OWN, check->op->name_node, diagnostic);
}

static bool is_name(Str name)
{
  for (size_t i = 0; i < name.len; i++) {
    char c = name.data[i];
    if (!ascii_is_word(c) && c != '.' && c != '-')
      return false;
  }
  return name.len > 0;
}

/// Says whether the name is worth looking up.
static bool check_name(OpCheck *check)
{
  const PyOp *op = check->op;
  DiagSink *sink = check->sink;
  bool has_domain = op->name.len != op->full_name.len;
  if (!has_domain && !is_name(op->name)) {
    report_unknown(check);
    return false;
  }
  Str domain = str_slice(op->full_name, 0, op->full_name.len - op->name.len - (has_domain ? 2 : 0));
  if (is_name(op->name) && (!has_domain || is_name(domain)))
    return true;
  if (sink_wants(sink, RULE_MALFORMED_OP_NAME, OWN)) {
    Str message =
        str_find(op->name, STR("::"), 0) != STR_NOT_FOUND
            ? arena_printf(sink->arena,
                           "'%.*s' has more than one '::'; it becomes the operator '%.*s' of the domain '%.*s'.",
                           STR_ARG(op->full_name), STR_ARG(op->name), STR_ARG(domain))
            : arena_printf(sink->arena, "'%.*s' is not a name of the form 'domain::Name'.", STR_ARG(op->full_name));
    py_report(sink, RULE_MALFORMED_OP_NAME, OWN, op->name_node, (Diagnostic){ .message = message });
  }
  return false;
}

/// `g.op(torch.relu, x)`
static void check_name_type(OpCheck *check)
{
  DiagSink *sink = check->sink;
  PyValue value = py_file_value(check->file, check->op->name_node);
  const uint32_t wrong = PY_INT | PY_FLOAT | PY_BOOL | PY_NONE | PY_VALUE | PY_LIST | PY_FUNCTION | PY_TENSOR;
  if (py_file_is_only(value, wrong) && sink_wants(sink, RULE_MALFORMED_OP_NAME, SEVERITY_ERROR))
    py_report(
        sink, RULE_MALFORMED_OP_NAME, SEVERITY_ERROR, check->op->name_node,
        (Diagnostic){ .message = arena_printf(sink->arena, "The operator's name has to be a string, and this is %.*s.",
                                              STR_ARG(py_file_value_text(value, sink->arena))) });
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
  for (int opset = 1; opset <= OPSET_LIMIT; opset++) {
    if (opset_set_has(check->opsets.set, opset) && !check->schemas[opset])
      missing |= opset_set_of(opset);
  }
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
  for (int opset = 1; opset <= OPSET_LIMIT; opset++) {
    if (opset_set_has(deprecated, opset))
      check->schemas[opset] = NULL;
  }
  // Where it can't be anyway, nothing else can be right.
  if (check->opsets.is_known || (check->opsets.set & ~(missing | deprecated)) != 0)
    check->opsets.set &= ~(missing | deprecated);
}

// --- Numbers of inputs and outputs ---

static bool has_too_many_inputs(const OnnxSchema *schema, const void *context)
{
  const OpCheck *check = context;
  return schema->max_input != ONNX_NO_LIMIT && check->op->input_count > schema->max_input;
}

static bool has_too_few_inputs(const OnnxSchema *schema, const void *context)
{
  const OpCheck *check = context;
  return !check->op->has_splat_input && check->op->input_count < schema->min_input;
}

static Str count_text(Arena *arena, uint32_t min, uint32_t max, const char *noun)
{
  if (max == ONNX_NO_LIMIT)
    return arena_printf(arena, "at least %u %s%s", min, noun, min == 1 ? "" : "s");
  if (min == max)
    return arena_printf(arena, "%u %s%s", min, noun, min == 1 ? "" : "s");
  return arena_printf(arena, "%u to %u %ss", min, max, noun);
}

static void check_input_count(OpCheck *check)
{
  DiagSink *sink = check->sink;
  uint32_t count = check->op->input_count - (check->op->has_splat_input ? 1 : 0);
  if (check->has_bad_input || check->has_moved_input || (check->op->has_splat_input && count == 0))
    return;
  OpsetSet many = check->op->has_splat_input ? 0 : op_check_wrong(check, has_too_many_inputs, check);
  OpsetSet few = op_check_wrong(check, has_too_few_inputs, check);
  OpsetSet wrong = many | few;
  if (!py_file_opsets_wrong(check->opsets, wrong) || !sink_wants(sink, RULE_INPUT_COUNT, OWN))
    return;
  const OnnxSchema *schema = check->schemas[op_check_first_wrong(check, wrong)];
  Str takes = count_text(sink->arena, schema->min_input, schema->max_input, "input");
  Str message = arena_printf(sink->arena, "'%.*s' takes %.*s %.*s, %u given.", STR_ARG(check->op->name), STR_ARG(takes),
                             STR_ARG(op_check_when(check, wrong)), check->op->input_count);
  if (check->is_constant)
    message = arena_printf(sink->arena, "'Constant' takes no input; its value is the attribute value_t.");
  py_report(sink, RULE_INPUT_COUNT, OWN, check->op->name_node, (Diagnostic){ .message = message });
}

static bool has_too_many_arguments(const OnnxSchema *schema, const void *context)
{
  const OpCheck *check = context;
  return schema->max_input != ONNX_NO_LIMIT && check->op->input_count > schema->max_input + schema->attribute_count;
}

static bool has_keyword(const OpCheck *check, Str name)
{
  for (uint32_t i = 0; i < check->op->attribute_count; i++) {
    if (str_equal(check->model->attributes.items[check->op->first_attribute + i].keyword, name))
      return true;
  }
  return false;
}

/// The first input that has to be there, and is given neither by position nor by its name.
static Str missing_input(const OpCheck *check, const OnnxSchema *schema)
{
  for (uint32_t i = check->op->input_count; i < schema->input_count; i++) {
    if (schema->inputs[i].option == ONNX_SINGLE && !has_keyword(check, schema->inputs[i].name))
      return schema->inputs[i].name;
  }
  return (Str){ 0 };
}

static bool lacks_input(const OnnxSchema *schema, const void *context)
{
  return missing_input(context, schema).len > 0;
}

/// onnxscript looks at that before the node is made.
static void check_missing_input(OpCheck *check)
{
  DiagSink *sink = check->sink;
  const PyOp *op = check->op;
  bool is_open = op->has_splat_input || op->has_splat_attribute || op->has_unknown_attributes;
  OpsetSet wrong = is_open ? 0 : op_check_wrong(check, lacks_input, check);
  if (!py_file_opsets_wrong(check->opsets, wrong) || !sink_wants(sink, RULE_INPUT_COUNT, OWN))
    return;
  Str input = missing_input(check, check->schemas[op_check_first_wrong(check, wrong)]);
  py_report(sink, RULE_INPUT_COUNT, OWN, op->name_node,
            (Diagnostic){ .message = arena_printf(sink->arena, "'%.*s' needs the input '%.*s' %.*s.", STR_ARG(op->name),
                                                  STR_ARG(input), STR_ARG(op_check_when(check, wrong))) });
}

/// op.Clip(x, a, b, c): what is too much for the inputs may be attributes, if there are so many.
static void check_script_inputs(OpCheck *check)
{
  DiagSink *sink = check->sink;
  OpsetSet wrong = check->op->has_splat_input ? 0 : op_check_wrong(check, has_too_many_arguments, check);
  if (!py_file_opsets_wrong(check->opsets, wrong) || !sink_wants(sink, RULE_INPUT_COUNT, OWN))
    return;
  const OnnxSchema *schema = check->schemas[op_check_first_wrong(check, wrong)];
  Str takes = count_text(sink->arena, schema->min_input, schema->max_input, "input");
  py_report(sink, RULE_INPUT_COUNT, OWN, check->op->name_node,
            (Diagnostic){ .message = arena_printf(sink->arena, "'%.*s' takes %.*s %.*s, %u given.",
                                                  STR_ARG(check->op->name), STR_ARG(takes),
                                                  STR_ARG(op_check_when(check, wrong)), check->op->input_count) });
}

static bool has_wrong_outputs(const OnnxSchema *schema, const void *context)
{
  const OpCheck *check = context;
  uint32_t outputs = (uint32_t)check->op->outputs;
  return outputs < schema->min_output || (schema->max_output != ONNX_NO_LIMIT && outputs > schema->max_output);
}

/// `outputs="2"`: torch compares it with a number.
static void check_output_type(OpCheck *check)
{
  DiagSink *sink = check->sink;
  PyRef node = check->op->outputs_node;
  PyValue value = node ? py_file_value(check->file, node) : (PyValue){ 0 };
  if (!py_file_is_only(value, PY_STRING | PY_LIST | PY_VALUE | PY_NONE | PY_TENSOR) ||
      !sink_wants(sink, RULE_OUTPUT_COUNT, OWN))
    return;
  py_report(sink, RULE_OUTPUT_COUNT, OWN, node,
            (Diagnostic){ .message = arena_printf(sink->arena, "outputs has to be an int, and this is %.*s.",
                                                  STR_ARG(py_file_value_text(value, sink->arena))) });
}

static void check_output_count(OpCheck *check)
{
  DiagSink *sink = check->sink;
  if (check->op->outputs < 0)
    return;
  OpsetSet wrong = op_check_wrong(check, has_wrong_outputs, check);
  if (!py_file_opsets_wrong(check->opsets, wrong) || !sink_wants(sink, RULE_OUTPUT_COUNT, OWN))
    return;
  const OnnxSchema *schema = check->schemas[op_check_first_wrong(check, wrong)];
  Str has = count_text(sink->arena, schema->min_output, schema->max_output, "output");
  PyRef at = check->op->outputs_node ? check->op->outputs_node : check->op->name_node;
  py_report(sink, RULE_OUTPUT_COUNT, OWN, at,
            (Diagnostic){ .message = arena_printf(sink->arena, "'%.*s' has %.*s %.*s, outputs=%d given.",
                                                  STR_ARG(check->op->name), STR_ARG(has),
                                                  STR_ARG(op_check_when(check, wrong)), check->op->outputs) });
}

// --- An operator ---

static bool is_custom_domain(const OpCheck *check)
{
  return check->op->domain.len > 0 && !symbolics_onnx_has_domain(check->file->db, check->op->domain);
}

static void find_schemas(OpCheck *check)
{
  for (int opset = 1; opset <= OPSET_LIMIT; opset++)
    check->schemas[opset] = opset_set_has(check->opsets.set, opset) ? onnx_operator_at(check->onnx, opset) : NULL;
}

static PyOpsets opsets_of(const PyFile *file, const PyOp *op)
{
  if (op->kind == PY_OP_ONNXSCRIPT)
    return (PyOpsets){ .set = op->opset > 0 ? opset_set_of(op->opset) : 0, .is_known = op->opset > 0 };
  return py_file_opsets_of(file, file->model->calls.items[op->call].node);
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
  for (int opset = 1; opset <= OPSET_LIMIT; opset++)
    check->schemas[opset] = opset_set_has(check->opsets.set, opset) ? &check->onnx->versions[0] : NULL;
}

static void check_schema(OpCheck *check)
{
  const PyOp *op = check->op;
  check_torch_operator(check);
  if (op->kind == PY_OP_GRAPH && str_equal(op->domain, STR("ai.onnx"))) {
    report_default_domain(check);
    return;
  }
  if (op->kind == PY_OP_ATEN || is_custom_domain(check) || str_equal(op->domain, STR("aten")) ||
      str_equal(op->domain, STR("prim")))
    return;
  check->onnx = symbolics_onnx_operator(check->file->db, op->domain, op->name);
  if (!check->onnx) {
    report_unknown(check);
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
  if (check.is_dead)
    return;
  if (op->name_known && check_name(&check))
    check_schema(&check);
  else if (op->kind == PY_OP_GRAPH && !op->name_known && op->name_node)
    check_name_type(&check);
  if (op->kind == PY_OP_GRAPH) {
    op_check_inputs(&check);
    check_output_type(&check);
  }
  op_check_attributes(&check);
  if (!check.onnx || check.opsets.set == 0)
    return;
  if (op->kind == PY_OP_GRAPH) {
    check_input_count(&check);
    check_output_count(&check);
  } else if (op->kind == PY_OP_ONNXSCRIPT) {
    check_script_inputs(&check);
    check_missing_input(&check);
  }
}

void check_python_ops(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  int head_fixes = 0;
  for (size_t i = 0; i < model->ops.count; i++)
    check_op(sink, &model->ops.items[i], &head_fixes);
}
