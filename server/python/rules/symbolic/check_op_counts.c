// How many inputs and outputs an operator in g.op() or op.X() has.

#include "describe/operator_words.h"
#include "python/rules/symbolic/op.h"

/// How many inputs are written out, with the elements of `*xs` where their number is known.
typedef struct InputCount {
  uint32_t given;
  bool is_least;  ///< There may be more.
} InputCount;

static InputCount count_inputs(const OpCheck *check)
{
  InputCount count = { 0 };
  for (uint32_t i = 0; i < check->op->input_count; i++) {
    const PyArgument *argument = &check->model->arguments.items[check->op->first_input + i];
    PyValue value = argument->is_splat ? py_file_value(check->file, argument->value) : (PyValue){ 0 };
    bool is_known = py_file_is_only(value, PY_LIST) && value.length >= 0;
    count.is_least |= argument->is_splat && !is_known;
    count.given += !argument->is_splat ? 1 : is_known ? (uint32_t)value.length : 0;
  }
  return count;
}

static bool has_too_many_inputs(const OnnxSchema *schema, const void *context)
{
  const InputCount *count = context;
  return schema->max_input != ONNX_NO_LIMIT && count->given > schema->max_input;
}

static bool has_too_few_inputs(const OnnxSchema *schema, const void *context)
{
  const InputCount *count = context;
  return !count->is_least && count->given < schema->min_input;
}

static void check_input_count(OpCheck *check)
{
  DiagSink *sink = check->sink;
  if (check->has_bad_input || check->has_moved_input)
    return;
  InputCount count = count_inputs(check);
  OpsetSet wrong =
      op_check_wrong(check, has_too_many_inputs, &count) | op_check_wrong(check, has_too_few_inputs, &count);
  if (!py_file_opsets_wrong(check->opsets, wrong) || !sink_wants(sink, RULE_INPUT_COUNT, OWN))
    return;
  const OnnxSchema *schema = check->schemas[op_check_first_wrong(check, wrong)];
  Str takes = operator_count_words(schema->min_input, schema->max_input, "input", sink->arena);
  Str message = arena_printf(sink->arena, "'%.*s' takes %.*s %.*s, %u given.", STR_ARG(check->op->name), STR_ARG(takes),
                             STR_ARG(op_check_when(check, wrong)), count.given);
  if (check->is_constant)
    message = arena_printf(sink->arena, "'Constant' takes no input; its value is the attribute value_t.");
  py_report(sink, RULE_INPUT_COUNT, OWN, check->op->name_node, (Diagnostic){ .message = message });
}

/// Resize(X, roi) since opset 13, where scales and sizes may be left out, but not both.
static void check_resize(OpCheck *check)
{
  DiagSink *sink = check->sink;
  InputCount count = count_inputs(check);
  if (check->op->domain.len > 0 || !str_equal(check->op->name, STR("Resize")) || count.is_least ||
      (count.given != 1 && count.given != 2) ||
      !py_file_opsets_wrong(check->opsets, check->opsets.set & opset_set_range(11, OPSET_LIMIT)) ||
      opset_set_first(check->opsets.set) < 13 || check->has_bad_input || !sink_wants(sink, RULE_INPUT_COUNT, OWN))
    return;
  py_report(sink, RULE_INPUT_COUNT, OWN, check->op->name_node,
            (Diagnostic){ .message = count.given == 2
                                         ? STR("'Resize' takes X, roi, scales and sizes: with two inputs the second is "
                                               "the region, and there is no new size.")
                                         : STR("'Resize' takes X, roi, scales and sizes: with X alone there is no new "
                                               "size.") });
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
    const OnnxParam *input = &schema->inputs[i];
    bool is_needed = input->option == ONNX_SINGLE || (input->option == ONNX_VARIADIC && i < schema->min_input);
    if (is_needed && !has_keyword(check, input->name))
      return input->name;
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
  Str takes = operator_count_words(schema->min_input, schema->max_input, "input", sink->arena);
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

void op_check_output_type(OpCheck *check)
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

/// BatchNormalization with training_mode=1 gives the running mean and variance, too. Run with onnx 1.12 to 1.20.
static bool is_training(const OpCheck *check)
{
  for (uint32_t i = 0; i < check->op->attribute_count; i++) {
    const PyAttribute *attribute = &check->model->attributes.items[check->op->first_attribute + i];
    int64_t value;
    if (str_is(attribute->keyword, "training_mode_i"))
      return attribute->value && py_model_int(check->model, attribute->value, &value) && value == 1;
  }
  return false;
}

static void check_training(OpCheck *check)
{
  DiagSink *sink = check->sink;
  if (!str_is(check->op->full_name, "BatchNormalization") || check->op->outputs != 1 || !is_training(check) ||
      opset_set_first(check->opsets.set) < 14 || !sink_wants(sink, RULE_OUTPUT_COUNT, OWN))
    return;
  py_report(sink, RULE_OUTPUT_COUNT, OWN, check->op->name_node,
            (Diagnostic){ .message = STR("'BatchNormalization' with training_mode_i=1 has 3 outputs, and no checker "
                                         "takes it with 1: write outputs=3, or leave the attribute out.") });
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
  Str has = operator_count_words(schema->min_output, schema->max_output, "output", sink->arena);
  PyRef at = check->op->outputs_node ? check->op->outputs_node : check->op->name_node;
  py_report(sink, RULE_OUTPUT_COUNT, OWN, at,
            (Diagnostic){ .message = arena_printf(sink->arena, "'%.*s' has %.*s %.*s, outputs=%d given.",
                                                  STR_ARG(check->op->name), STR_ARG(has),
                                                  STR_ARG(op_check_when(check, wrong)), check->op->outputs) });
}

void op_check_counts(OpCheck *check)
{
  if (check->op->kind == PY_OP_GRAPH) {
    check_input_count(check);
    check_resize(check);
    check_output_count(check);
    check_training(check);
  } else if (check->op->kind == PY_OP_ONNXSCRIPT) {
    check_script_inputs(check);
    check_missing_input(check);
  }
}

bool op_gives_several(const OnnxSchema *schema)
{
  return schema->max_output > 1 && schema->max_output != ONNX_NO_LIMIT &&
         !onnx_schema_attribute(schema, STR("training_mode"));
}
