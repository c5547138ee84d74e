// textDocument/signatureHelp in Python: finds the call, and writes about those functions of torch.onnx that have a
// fixed list of parameters. Operators and letters have files of their own.

#include "python/features/python_features.h"
#include "python/features/signature_private.h"

// --- Putting one together ---

void signature_begin_parameter(SignatureJob *job)
{
  vec_push(&job->parameters, (SignatureParameter){ .start = job->label.len });
}

void signature_end_parameter(SignatureJob *job)
{
  SignatureParameter *parameter = vec_last(&job->parameters);
  Hover text;
  parameter->end = job->label.len;
  if (!markup_finish(&job->markup, job->arena, (Range){ 0, 0 }, &text))
    return;
  parameter->documentation = text.markdown;
  parameter->documentation_plain = text.plain;
}

void signature_end(SignatureJob *job, size_t active)
{
  SignatureParameter *parameters = vec_copy(&job->parameters, job->arena);
  Signature signature = {
    .label = arena_copy(job->arena, buffer_str(&job->label)),
    .parameters = parameters,
    .parameter_count = job->parameters.count,
    .active = active < job->parameters.count ? active : job->parameters.count,
  };
  Hover text;
  if (markup_finish(&job->markup, job->arena, (Range){ 0, 0 }, &text)) {
    signature.documentation = text.markdown;
    signature.documentation_plain = text.plain;
  }
  vec_push(&job->signatures, signature);
  vec_clear(&job->parameters);
  job->label.len = 0;
}

// --- Functions with a fixed list of parameters ---

/// A parameter, as far as finding the active one needs it.
typedef struct Place {
  Str name;
  bool is_keyword_only;
  uint8_t stars;
} Place;

/// The parameter that the argument at the cursor goes to; `count` if there is none.
static size_t active_place(const PyScannedCall *call, const Place *places, size_t count)
{
  const PyScannedArgument *argument = &call->arguments.items[call->active];
  size_t position = 0;
  for (size_t i = 0; i < count; i++) {
    if (argument->keyword.len > 0 ? str_equal(places[i].name, argument->keyword) : places[i].stars == 1)
      return i;
    if (argument->keyword.len == 0 && !places[i].is_keyword_only && places[i].stars == 0 &&
        position++ == call->position && !call->after_splat)
      return i;
  }
  for (size_t i = 0; i < count; i++) {
    if (argument->keyword.len > 0 && places[i].stars == 2)
      return i;
  }
  return count;
}

typedef struct FixedParameter {
  const char *label;  ///< As it is in the signature.
  const char *name;
  const char *words;
} FixedParameter;

typedef struct FixedSignature {
  PyHelpKind kind;
  const char *words;
  FixedParameter parameters[7];
} FixedSignature;

static const FixedSignature fixed_signatures[] = {
  { PY_HELP_REGISTER,
    "From torch 1.13 on the function is registered for this opset alone; an export takes the nearest registered one at "
    "or below its own opset, built-in functions counted.",
    { { "symbolic_name: str", "symbolic_name", "`namespace::operator` without an overload: `aten::elu`." },
      { "symbolic_fn: Callable", "symbolic_fn",
        "Gets the graph, then every argument of the operator's schema, by position." },
      { "opset_version: int", "opset_version", "One opset." } } },
  { PY_HELP_UNREGISTER,
    "Takes a custom symbolic function back.",
    { { "symbolic_name: str", "symbolic_name", "`namespace::operator`, as it was registered." },
      { "opset_version: int", "opset_version", "The opset that it was registered for." } } },
  { PY_HELP_BUILTIN,
    "Registers the decorated function.",
    { { "name: str", "name", "`namespace::operator` without an overload: `aten::elu`." },
      { "opset: int | Sequence[int]", "opset", "One opset, or several." },
      { "decorate=None", "decorate", "Decorators that are applied to what is registered, not to the function itself." },
      { "custom: bool = False", "custom",
        "True registers it as a custom function, which wins over a built-in one." } } },
  { PY_HELP_ATEN,
    "Makes an `aten::ATen` node, which only runtimes that have PyTorch in them can run.",
    { { "operator: str", "operator", "The name without `aten::`." },
      { "*args", "", "The inputs." },
      { "overload_name: str = \"\"", "overload_name", "The overload; empty for the default one." },
      { "**kwargs", "", "Attributes, with their suffixes." } } },
  { PY_HELP_CAPTURE,
    "Captures the model as an ExportedProgram, which torch.onnx.export() takes as a model.",
    { { "mod: torch.nn.Module", "mod", "The module; no ScriptModule." },
      { "args: tuple", "args", "Example inputs, as a tuple." },
      { "kwargs: dict | None = None", "kwargs", "Example inputs by keyword." },
      { "*", "*", "" },
      { "dynamic_shapes=None", "dynamic_shapes",
        "Dimensions that may change, by the parameters of forward(): `{\"x\": {0: Dim(\"batch\")}}`." },
      { "strict: bool = False", "strict",
        "True captures with TorchDynamo, which reads the Python code; in torch 2.6 that is the default." },
      { "preserve_module_call_signature: tuple = ()", "preserve_module_call_signature",
        "Modules whose inputs and outputs stay as they are." } } },
};

enum { FIXED_LIMIT = COUNT(fixed_signatures[0].parameters) };

static void write_fixed(SignatureJob *job, const FixedSignature *fixed)
{
  Place places[FIXED_LIMIT] = { 0 };
  size_t count = 0;
  buffer_printf(&job->label, "%.*s(", STR_ARG(job->help->call.callee));
  for (; count < FIXED_LIMIT && fixed->parameters[count].label; count++) {
    const FixedParameter *parameter = &fixed->parameters[count];
    places[count].name = str_from(parameter->name);
    while (parameter->label[places[count].stars] == '*')
      places[count].stars++;
    places[count].is_keyword_only = count > 0 && places[count - 1].stars == 1;
    buffer_append(&job->label, count > 0 ? STR(", ") : STR(""));
    signature_begin_parameter(job);
    buffer_append(&job->label, str_from(parameter->label));
    markup_prose(&job->markup, str_from(parameter->words));
    signature_end_parameter(job);
  }
  buffer_append_char(&job->label, ')');
  markup_prose(&job->markup, str_from(fixed->words));
  signature_end(job, active_place(&job->help->call, places, count));
}

// --- symbolic_helper ---

static void write_helper(SignatureJob *job)
{
  const PyHelper *helper = job->help->helper;
  const PySignature *found = export_api_helper_signature(helper, job->help->file->torch);
  const PySignature *signature = found ? found : &helper->signatures[helper->signature_count - 1];
  Place *places = ARENA_ARRAY(job->arena, Place, signature->parameter_count);
  buffer_printf(&job->label, "%.*s(", STR_ARG(helper->name));
  for (uint32_t i = 0; i < signature->parameter_count; i++) {
    const PyParameter *parameter = &signature->parameters[i];
    places[i] = (Place){ parameter->name, parameter->is_keyword_only, parameter->stars };
    buffer_append(&job->label, i > 0 ? STR(", ") : STR(""));
    signature_begin_parameter(job);
    buffer_printf(&job->label, "%s%.*s%s%.*s",
                  parameter->stars == 2   ? "**"
                  : parameter->stars == 1 ? "*"
                                          : "",
                  STR_ARG(parameter->name), parameter->has_default ? "=" : "", STR_ARG(parameter->default_text));
    signature_end_parameter(job);
  }
  buffer_append_char(&job->label, ')');
  markup_prose(&job->markup, helper->summary);
  signature_end(job, active_place(&job->help->call, places, signature->parameter_count));
}

// --- torch.onnx.export() ---

typedef struct ExportList {
  const SignatureJob *job;
  Vec(const PyExportArgument *) items;
} ExportList;

static bool add_export_argument(const PyExportArgument *argument, void *context)
{
  ExportList *list = context;
  const PyExportForm *form = export_api_form(argument, list->job->help->file->torch);
  if (form && form->position != PY_REST)
    vec_push(&list->items, argument);
  return true;
}

/// By position; what has none keeps its alphabetical order after them.
static const PyExportArgument *next_export_argument(const ExportList *list, uint32_t torch, int position, size_t *at)
{
  for (size_t i = 0; position >= 0 && i < list->items.count; i++) {
    if (export_api_form(list->items.items[i], torch)->position == position)
      return list->items.items[i];
  }
  while (*at < list->items.count) {
    const PyExportArgument *argument = list->items.items[(*at)++];
    if (export_api_form(argument, torch)->position == PY_KEYWORD_ONLY)
      return argument;
  }
  return NULL;
}

static void write_export_argument(SignatureJob *job, const PyExportArgument *argument)
{
  TorchRelease release = export_api_torch_release(job->help->file->db, job->help->file->torch);
  Str standard = export_api_default(job->help->file->db, argument, release);
  signature_begin_parameter(job);
  buffer_printf(&job->label, "%.*s%s%.*s", STR_ARG(argument->name), standard.len > 0 ? "=" : "", STR_ARG(standard));
  py_words_write_export_argument(&job->words, argument);
  signature_end_parameter(job);
}

static void write_export(SignatureJob *job)
{
  ExportList list = { .job = job };
  uint32_t torch = job->help->file->torch;
  export_api_each_argument(job->help->file->db, add_export_argument, &list);
  Place *places = ARENA_ARRAY(job->arena, Place, list.items.count);
  size_t count = 0;
  size_t at = 0;
  buffer_printf(&job->label, "%.*s(", STR_ARG(job->help->call.callee));
  bool was_positional = true;
  while (count < list.items.count) {
    const PyExportArgument *argument = next_export_argument(&list, torch, was_positional ? (int)count : -1, &at);
    if (!argument)
      break;
    bool is_keyword_only = export_api_form(argument, torch)->position == PY_KEYWORD_ONLY;
    buffer_printf(&job->label, "%s%s", count > 0 ? ", " : "", is_keyword_only && was_positional ? "*, " : "");
    was_positional = !is_keyword_only;
    places[count++] = (Place){ .name = argument->name, .is_keyword_only = is_keyword_only };
    write_export_argument(job, argument);
  }
  buffer_append_char(&job->label, ')');
  markup_text(&job->markup, "As in torch %.*s.", STR_ARG(py_words_torch_name(job->help->file)));
  signature_end(job, active_place(&job->help->call, places, count));
  vec_free(&list.items);
}

// --- Which ---

static void write_signatures(SignatureJob *job)
{
  switch (job->help->kind) {
  case PY_HELP_OP:
  case PY_HELP_ONNXSCRIPT:
    signature_of_operator(job);
    return;
  case PY_HELP_PARSE_ARGS:
    signature_of_letters(job);
    return;
  case PY_HELP_HELPER:
    write_helper(job);
    return;
  case PY_HELP_EXPORT:
    write_export(job);
    return;
  case PY_HELP_NOTHING:
    return;
  case PY_HELP_ATEN:
  case PY_HELP_CAPTURE:
  case PY_HELP_REGISTER:
  case PY_HELP_UNREGISTER:
  case PY_HELP_BUILTIN:
    for (size_t i = 0; i < COUNT(fixed_signatures); i++) {
      if (fixed_signatures[i].kind == job->help->kind)
        write_fixed(job, &fixed_signatures[i]);
    }
    return;
  }
}

SignatureList python_signature(const FeatureContext *context, size_t offset)
{
  PyHelp help;
  SignatureList list = { 0 };
  if (!py_help_begin(&help, context, offset))
    return list;
  SignatureJob job = { .help = &help, .arena = context->arena };
  job.words = (PyWords){ help.file, context->arena, &job.markup };
  if (help.has_call)
    write_signatures(&job);
  list.count = job.signatures.count;
  Signature *items = vec_copy(&job.signatures, context->arena);
  list.items = items;
  while (list.active + 1 < list.count && items[list.active].active == items[list.active].parameter_count)
    list.active++;
  if (list.count > 0 && items[list.active].active == items[list.active].parameter_count)
    list.active = 0;
  vec_free(&job.parameters);
  vec_free(&job.signatures);
  buffer_done(&job.label);
  py_help_done(&help);
  return list;
}
