// Hover on what belongs to operators of torch: their names, the letters of @parse_args, symbolic functions.

#include "base/limits.h"
#include "describe/describe.h"
#include "describe/operator_conditions.h"
#include "describe/operator_ways.h"
#include "python/features/hover_python.h"

enum { SCHEMAS_SHOWN = 6 };

/// Those of the torch version that a graph can hold; of other versions, and others, only if there are none.
static void write_schemas(PyHover *hover, const TorchOperator *op)
{
  Buffer code = { 0 };
  size_t shown = 0;
  size_t hidden = 0;
  for (int pass = 0; pass < 3 && shown == 0; pass++) {
    for (uint32_t i = 0; i < op->overload_count; i++) {
      const TorchOverload *overload = &op->overloads[i];
      bool holds = overload->torch_versions >> hover->file->torch & 1;
      if ((pass < 2 && !py_help_overload_is_usual(overload)) || (pass == 0 && !holds))
        continue;
      if (shown < SCHEMAS_SHOWN)
        buffer_printf(&code, "%s%.*s", shown++ > 0 ? "\n" : "",
                      STR_ARG(markup_shorten(overload->schema, HOVER_TEXT_LIMIT, hover->job.arena)));
      else
        hidden++;
    }
  }
  markup_block(&hover->job.markup, "", buffer_str(&code));
  buffer_done(&code);
  if (hidden > 0) {
    markup_paragraph(&hover->job.markup);
    markup_text(&hover->job.markup, "and %zu more overload%s", hidden, hidden == 1 ? "" : "s");
  }
}

/// Where the dynamo exporter is taken, which calls no symbolic function.
static void write_ignored(PyHover *hover)
{
  Str words =
      operator_ignored_words(py_file_registration_use(hover->file).kind == EXPORT_DYNAMO && !hover->model->is_builtin,
                             hover->model->exports.count > 0);
  if (words.len == 0)
    return;
  markup_paragraph(&hover->job.markup);
  markup_text(&hover->job.markup, "Symbolic functions are %.*s.", STR_ARG(words));
}

/// Where this file's own functions for the operator are the ones that an export takes.
static void write_own_support(PyHover *hover, Str name)
{
  OpsetSet own = py_help_own_opsets(hover->file, name);
  if (own == 0 || hover->model->is_builtin || !py_help_is_looked_up(name))
    return;
  OpsetRange range = hover->file->range;
  OpsetSet served = opset_set_served(own, py_help_all_opsets(hover->file, name), range.min, range.max);
  markup_paragraph(&hover->job.markup);
  if (served == 0)
    markup_text(&hover->job.markup, "Registered here, but %.*s.", STR_ARG(operator_shadowed_words()));
  else
    markup_text(&hover->job.markup, "An export to %.*s takes what is registered here.",
                STR_ARG(opset_set_phrase(served, hover->job.arena)));
  write_ignored(hover);
}

void hover_python_torch_name(PyHover *hover, Str name)
{
  Markup *markup = &hover->job.markup;
  Str kind = str_starts_with(name, STR("::")) ? arena_printf(hover->job.arena, "aten%.*s", STR_ARG(name)) : name;
  OperatorTarget target = operator_target(&hover->job);
  OperatorFacts facts = operator_facts(&target, kind, false, hover->job.arena);
  const TorchOperator *op = py_file_torch_operator(hover->file, name);
  if (!op && !describe_is_of_kind(kind)) {
    markup_code(markup, markup_shorten(name, 200, hover->job.arena));
    markup_text(markup, ": %.*s",
                STR_ARG(facts.kind == OPERATOR_ATEN ? operator_unknown_words()
                                                    : STR("an operator that torch itself does not have")));
  } else if (op) {
    write_schemas(hover, op);
  } else {
    markup_code(markup, kind);
    markup_text(markup, ": ");
    markup_prose(markup, describe_prim(kind));
  }
  write_own_support(hover, name);
  bool is_own = op && !symbolics_torch_operator(hover->file->db, kind);  // Its schema is what there is to say.
  if (op && !is_own)
    operator_context_write_versions(&hover->job, &facts);
  if (!is_own)
    operator_ways_write(markup, &facts, NULL, hover->job.arena);
  operator_conditions_write(markup, &facts, HOVER_CONDITIONS_SHOWN, hover->job.arena);
}

// --- Letters ---

static const TorchArgument *argument_at(const TorchOverload *overload, uint32_t position)
{
  return position < overload->argument_count ? &overload->arguments[position] : NULL;
}

static Str argument_text(const PyHover *hover, const TorchArgument *argument)
{
  return arena_printf(hover->job.arena, "%.*s %.*s%s%.*s", STR_ARG(argument->type), STR_ARG(argument->name),
                      argument->has_default ? "=" : "", STR_ARG(argument->default_text));
}

static bool is_shown(const PyHover *hover, const TorchOverload *overload)
{
  return py_file_overload_applies(hover->file, overload) && py_help_overload_is_usual(overload);
}

/// The argument of one operator that a letter is for, once for each of its forms.
static void write_letter_of(PyHover *hover, Str name, uint32_t position, uint32_t count)
{
  const TorchOperator *op = py_file_torch_operator(hover->file, name);
  Markup *markup = &hover->job.markup;
  Str written = { 0 };
  bool has_fitting = false;
  for (uint32_t i = 0; op && i < op->overload_count; i++)
    has_fitting |= is_shown(hover, &op->overloads[i]) && op->overloads[i].argument_count == count;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    const TorchArgument *argument = argument_at(overload, position);
    if (!argument || !is_shown(hover, overload) || (has_fitting && overload->argument_count != count))
      continue;
    Str text = argument_text(hover, argument);
    if (str_equal(text, written))
      continue;
    written = text;
    markup_item(markup);
    markup_code(markup, text);
    markup_text(markup, " of ");
    markup_code(markup, str_slice(overload->schema, 0, str_find_char(overload->schema, '(', 0)));
    markup_text(markup, ": %.*s can read it", STR_ARG(py_words_letters(&hover->words, argument->type)));
  }
}

void hover_python_letter(PyHover *hover, uint32_t function, uint32_t position)
{
  Markup *markup = &hover->job.markup;
  Str letter;
  if (!py_model_string(hover->model, hover->node, hover->job.arena, &letter))
    return;
  uint32_t count;
  uint32_t first = py_file_input_params(hover->file, function, &count);
  markup_code(markup, arena_printf(hover->job.arena, "\"%.*s\"", STR_ARG(letter)));
  if (position < count) {
    markup_text(markup, " for the parameter ");
    markup_code(markup, hover->model->params.items[first + position].name);
  }
  markup_paragraph(markup);
  if (export_api_descriptor(hover->file->db, letter))
    py_words_write_letter(&hover->words, letter);
  else
    markup_text(markup, "No letter of parse_args: every export that calls the function fails.");
  PyNames names = py_file_registered_names(hover->file, function, hover->job.arena);
  for (size_t i = 0; i < names.count && i < SCHEMAS_SHOWN; i++)
    write_letter_of(hover, names.items[i], position, count);
}

bool hover_python_helper_letter(PyHover *hover, uint32_t call)
{
  const PyCall *at = &hover->model->calls.items[call];
  Str module = STR("torch.onnx.symbolic_helper.");
  Str letter;
  const PyHelper *helper =
      str_starts_with(at->qualified, module)
          ? export_api_helper(hover->file->db, str_slice(at->qualified, module.len, at->qualified.len))
          : NULL;
  const PySignature *signature = helper ? export_api_helper_signature(helper, hover->file->torch) : NULL;
  for (uint32_t i = 0; signature && i < signature->parameter_count; i++) {
    const PyArgument *argument = py_model_argument(hover->model, at, i, NULL);
    if (!py_help_takes_letter(&signature->parameters[i]) || !argument || argument->node != hover->node ||
        !py_model_string(hover->model, hover->node, hover->job.arena, &letter) ||
        !export_api_descriptor(hover->file->db, letter))
      continue;
    markup_code(&hover->job.markup, arena_printf(hover->job.arena, "\"%.*s\"", STR_ARG(letter)));
    markup_text(&hover->job.markup, ": ");
    py_words_write_letter(&hover->words, letter);
    return true;
  }
  return false;
}

// --- Symbolic functions ---

static void write_converted(PyHover *hover, uint32_t function, Str name)
{
  Markup *markup = &hover->job.markup;
  OpsetSet served = py_help_served_opsets(hover->file, function, name);
  bool is_unknown = py_help_has_unknown_opset(hover->file, function, name);
  markup_paragraph(markup);
  markup_text(markup, "Converts ");
  markup_code(markup, name);
  if (!is_unknown && served != 0)
    markup_text(markup, ", %.*s", STR_ARG(opset_set_phrase(served, hover->job.arena)));
  else if (!is_unknown)
    markup_text(markup, ", but %.*s", STR_ARG(operator_shadowed_words()));
  write_ignored(hover);
  const TorchOperator *op = py_file_torch_operator(hover->file, name);
  if (op)
    write_schemas(hover, op);
}

void hover_python_function(PyHover *hover, uint32_t function)
{
  const PyFunction *at = &hover->model->functions.items[function];
  Markup *markup = &hover->job.markup;
  PyNames names = py_file_registered_names(hover->file, function, hover->job.arena);
  size_t count = 0;
  for (size_t i = 0; i < names.count; i++) {
    if (py_help_is_looked_up(names.items[i]) && count++ < SCHEMAS_SHOWN)
      write_converted(hover, function, names.items[i]);
  }
  if (count > SCHEMAS_SHOWN) {
    markup_paragraph(markup);
    markup_text(markup, "and %zu more operators", count - SCHEMAS_SHOWN);
  }
  if (at->roles & PY_ROLE_AUTOGRAD)
    markup_text(markup, "The symbolic function of a torch.autograd.Function: it gets the graph, then the arguments of "
                        "forward, tensors as graph values and everything else as it is.");
  if (at->roles & PY_ROLE_AUTOGRAD)
    write_ignored(hover);
}
