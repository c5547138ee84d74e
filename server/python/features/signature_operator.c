// Signatures of operators, of ONNX by schema, and of @parse_args by the schemas of torch.

#include "base/limits.h"
#include "describe/describe.h"
#include "python/features/signature_private.h"

// --- Operators ---

/// What the parameters of the label are: the name (g.op only), the inputs, the attributes, `outputs`.
typedef struct OperatorLayout {
  bool is_graph_op;
  size_t first_input;
  size_t first_attribute;
  bool has_outputs;
} OperatorLayout;

static bool is_given(const PyScannedCall *call, Str keyword)
{
  for (size_t i = 0; i < call->arguments.count; i++) {
    if (str_equal(call->arguments.items[i].keyword, keyword))
      return true;
  }
  return false;
}

/// g.op() has no way to give some attributes, such as sparse tensors; those are left out.
static bool is_writable(const SignatureJob *job, const OnnxAttribute *attribute, bool is_graph_op)
{
  return !is_graph_op || describe_onnx_spelling(attribute, job->arena).len > 0;
}

static size_t attribute_place(const SignatureJob *job, const OnnxSchema *schema, const OperatorLayout *layout,
                              uint32_t index)
{
  size_t place = layout->first_attribute;
  for (uint32_t i = 0; i < index; i++)
    place += is_writable(job, &schema->attributes[i], layout->is_graph_op);
  return place;
}

/// A keyword goes to its attribute, also if its suffix is another one.
static size_t keyword_place(const SignatureJob *job, const OnnxSchema *schema, const OperatorLayout *layout,
                            Str keyword)
{
  size_t none = job->parameters.count;
  if (layout->is_graph_op && str_equal(keyword, STR("outputs")))
    return layout->has_outputs ? none - 1 : none;
  size_t underscore = str_rfind_char(keyword, '_');
  Str stem = layout->is_graph_op && underscore != STR_NOT_FOUND ? str_slice(keyword, 0, underscore) : keyword;
  for (uint32_t i = 0; i < schema->attribute_count; i++) {
    const OnnxAttribute *attribute = &schema->attributes[i];
    if (is_writable(job, attribute, layout->is_graph_op) &&
        (str_equal(attribute->name, stem) || str_equal(attribute->name, keyword)))
      return attribute_place(job, schema, layout, i);
  }
  return none;
}

/// Who has given all inputs goes on with attributes.
static size_t next_attribute(const SignatureJob *job, const OnnxSchema *schema, const OperatorLayout *layout)
{
  for (uint32_t i = 0; i < schema->attribute_count; i++) {
    Str name = py_words_attribute_name(&schema->attributes[i], layout->is_graph_op, job->arena);
    if (is_writable(job, &schema->attributes[i], layout->is_graph_op) && !is_given(&job->help->call, name))
      return attribute_place(job, schema, layout, i);
  }
  return job->parameters.count;
}

static size_t active_place(const SignatureJob *job, const OnnxSchema *schema, const OperatorLayout *layout)
{
  const PyScannedCall *call = &job->help->call;
  const PyScannedArgument *argument = &call->arguments.items[call->active];
  if (argument->keyword.len > 0)
    return keyword_place(job, schema, layout, argument->keyword);
  for (size_t i = 0; i < call->active; i++) {
    if (call->arguments.items[i].keyword.len > 0)
      return next_attribute(job, schema, layout);
  }
  size_t position = call->position;
  if (position < layout->first_input)
    return 0;
  position -= layout->first_input;
  if (call->after_splat || argument->is_splat)
    return schema->input_count > 0 ? layout->first_attribute - 1 : job->parameters.count;
  if (position < schema->input_count)
    return layout->first_input + position;
  if (schema->input_count > 0 && schema->inputs[schema->input_count - 1].option == ONNX_VARIADIC)
    return layout->first_attribute - 1;
  return next_attribute(job, schema, layout);
}

static void append_comma(SignatureJob *job)
{
  if (job->parameters.count > 0)
    buffer_append(&job->label, STR(", "));
}

static void write_name(SignatureJob *job)
{
  signature_begin_parameter(job);
  buffer_printf(&job->label, "\"%.*s\"", STR_ARG(job->help->op_name));
  signature_end_parameter(job);
}

static void write_inputs(SignatureJob *job, const OnnxSchema *schema)
{
  for (uint32_t i = 0; i < schema->input_count; i++) {
    const OnnxParam *input = &schema->inputs[i];
    append_comma(job);
    signature_begin_parameter(job);
    buffer_printf(&job->label, "%s%.*s: %.*s", input->option == ONNX_VARIADIC ? "*" : "", STR_ARG(input->name),
                  STR_ARG(input->type));
    if (input->option == ONNX_OPTIONAL)
      buffer_append_char(&job->label, '?');
    py_words_write_input(&job->words, schema, input);
    signature_end_parameter(job);
  }
}

static void write_attributes(SignatureJob *job, const OnnxSchema *schema, bool is_graph_op)
{
  for (uint32_t i = 0; i < schema->attribute_count; i++) {
    const OnnxAttribute *attribute = &schema->attributes[i];
    if (!is_writable(job, attribute, is_graph_op))
      continue;
    append_comma(job);
    signature_begin_parameter(job);
    buffer_printf(&job->label, "%.*s: %s", STR_ARG(py_words_attribute_name(attribute, is_graph_op, job->arena)),
                  onnx_attribute_type_name(attribute->type));
    if (attribute->has_default)
      buffer_printf(&job->label, " = %.*s", STR_ARG(markup_shorten(attribute->default_text, 40, job->arena)));
    py_words_write_attribute(&job->words, attribute, is_graph_op);
    signature_end_parameter(job);
  }
}

static void write_outputs(SignatureJob *job, const OnnxSchema *schema)
{
  append_comma(job);
  signature_begin_parameter(job);
  buffer_append(&job->label, STR("outputs: int = 1"));
  markup_text(&job->markup, "How many outputs the node has");
  if (schema->max_output != ONNX_NO_LIMIT)
    markup_text(&job->markup, ": %u to %u", schema->min_output, schema->max_output);
  markup_text(&job->markup, ". More than one come as a tuple.");
  signature_end_parameter(job);
}

/// Nothing is known of the operator, or it has no name yet.
static void write_unknown(SignatureJob *job)
{
  static const char *const labels[] = { "opname: str", "*inputs", "outputs: int = 1", "**attributes" };
  static const char *const words[] = {
    "`Elu` for an operator of ONNX, `domain::Name` for a custom one.",
    "Graph values, or tensors, which become constants.",
    "How many outputs the node has; more than one come as a tuple.",
    "Attributes with their types after an underscore: `alpha_f=1.0`, `axes_i=[0, 1]`.",
  };
  const PyScannedCall *call = &job->help->call;
  const PyScannedArgument *argument = &call->arguments.items[call->active];
  size_t active = argument->keyword.len == 0                     ? (call->position == 0 && !call->after_splat ? 0 : 1)
                  : str_equal(argument->keyword, STR("outputs")) ? 2
                                                                 : 3;
  buffer_printf(&job->label, "%.*s(", STR_ARG(call->callee));
  for (size_t i = 0; i < 4; i++) {
    append_comma(job);
    signature_begin_parameter(job);
    if (i == 0 && job->help->op_name.len > 0)
      buffer_printf(&job->label, "\"%.*s\"", STR_ARG(job->help->op_name));
    else
      buffer_append(&job->label, str_from(labels[i]));
    markup_prose(&job->markup, str_from(words[i]));
    signature_end_parameter(job);
  }
  buffer_append_char(&job->label, ')');
  signature_end(job, active);
}

static void write_results(SignatureJob *job, const OnnxSchema *schema)
{
  buffer_append(&job->label, schema->output_count > 0 ? STR(" -> ") : STR(""));
  for (uint32_t i = 0; i < schema->output_count; i++)
    buffer_printf(&job->label, "%s%.*s", i > 0 ? ", " : "", STR_ARG(schema->outputs[i].name));
}

void signature_of_operator(SignatureJob *job)
{
  const PyHelp *help = job->help;
  OperatorLayout layout = { .is_graph_op = help->kind == PY_HELP_OP };
  const OnnxOperator *op;
  PyShownOpset shown = py_help_shown_opset(help->file, py_help_opsets(help));
  const OnnxSchema *found = py_help_onnx_schema(help->file, help->op_name, shown.opset, &op);
  if (!op) {
    if (layout.is_graph_op)
      write_unknown(job);
    return;
  }
  const OnnxSchema *schema = found ? found : &op->versions[0];
  buffer_printf(&job->label, "%.*s(", STR_ARG(help->call.callee));
  if (layout.is_graph_op)
    write_name(job);
  layout.first_input = job->parameters.count;
  write_inputs(job, schema);
  layout.first_attribute = job->parameters.count;
  if (!layout.is_graph_op && schema->attribute_count > 0) {
    append_comma(job);
    buffer_append(&job->label, STR("*"));
  }
  write_attributes(job, schema, layout.is_graph_op);
  layout.has_outputs = layout.is_graph_op && schema->max_output > 1;
  if (layout.has_outputs)
    write_outputs(job, schema);
  buffer_append_char(&job->label, ')');
  write_results(job, schema);
  markup_prose(&job->markup, op->summary);
  py_words_write_opset(&job->words, shown, op, found);
  signature_end(job, active_place(job, schema, &layout));
}

// --- Letters ---

static void write_letter_words(SignatureJob *job, Str type)
{
  Str best = export_api_descriptor_for(type);
  Str fitting = py_words_letters(&job->words, type);
  if (fitting.len == 0)
    return;
  markup_text(&job->markup, "Letters that can read it: %.*s. ", STR_ARG(fitting));
  markup_code(&job->markup, arena_printf(job->arena, "\"%.*s\"", STR_ARG(best)));
  markup_text(&job->markup, ": ");
  py_words_write_letter(&job->words, best);
}

static void write_overload(SignatureJob *job, Str name, const TorchOverload *overload)
{
  const PyScannedCall *call = &job->help->call;
  buffer_append(&job->label, STR("parse_args("));
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    const TorchArgument *argument = &overload->arguments[i];
    append_comma(job);
    signature_begin_parameter(job);
    buffer_printf(&job->label, "%.*s: %.*s", STR_ARG(argument->name), STR_ARG(argument->type));
    write_letter_words(job, argument->type);
    signature_end_parameter(job);
  }
  buffer_append_char(&job->label, ')');
  markup_text(&job->markup, "One letter for each argument of ");
  markup_code(&job->markup, name);
  markup_text(&job->markup, ": how it is read.");
  signature_end(job, call->after_splat ? SIZE_MAX : call->position);
}

/// Without a schema the parameters of the function are what there is.
static void write_parameters(SignatureJob *job)
{
  const PyHelp *help = job->help;
  if (help->function == PY_ABSENT)
    return;
  uint32_t count;
  uint32_t first = py_file_input_params(help->file, help->function, &count);
  buffer_append(&job->label, STR("parse_args("));
  for (uint32_t i = 0; i < count; i++) {
    append_comma(job);
    signature_begin_parameter(job);
    buffer_append(&job->label, help->file->model->params.items[first + i].name);
    signature_end_parameter(job);
  }
  buffer_append_char(&job->label, ')');
  markup_text(&job->markup, "One letter for each parameter after the graph: how the argument is read.");
  signature_end(job, help->call.after_splat ? SIZE_MAX : help->call.position);
}

static bool is_shown(const SignatureJob *job, const TorchOverload *overload, uint32_t parameter_count, bool must_fit)
{
  return py_file_overload_applies(job->help->file, overload) && py_help_overload_is_usual(overload) &&
         (!must_fit || overload->argument_count == parameter_count);
}

static void write_operator_overloads(SignatureJob *job, Str name, uint32_t parameter_count, bool must_fit)
{
  const TorchOperator *op = py_file_torch_operator(job->help->file, name);
  for (uint32_t i = 0; op && i < op->overload_count && job->signatures.count < SIGNATURE_LIMIT; i++) {
    if (is_shown(job, &op->overloads[i], parameter_count, must_fit))
      write_overload(job, name, &op->overloads[i]);
  }
}

void signature_of_letters(SignatureJob *job)
{
  const PyHelp *help = job->help;
  PyNames names = { 0 };
  uint32_t parameter_count = 0;
  if (help->function != PY_ABSENT) {
    names = py_file_registered_names(help->file, help->function, job->arena);
    py_file_input_params(help->file, help->function, &parameter_count);
  }
  // The overloads that the function was written for, else all.
  for (int must_fit = 1; must_fit >= 0 && job->signatures.count == 0; must_fit--) {
    for (size_t i = 0; i < names.count; i++)
      write_operator_overloads(job, names.items[i], parameter_count, must_fit);
  }
  if (job->signatures.count == 0)
    write_parameters(job);
}
