// Completion in calls that export: arguments of torch.onnx.export() and torch.export.export(), keys of dynamic_shapes
// and dynamic_axes, what a Dim may be.

#include "python/features/python_complete.h"

// --- Arguments ---

/// A letter by which those that people write most come first. Nine of ten calls need no others than these.
static char use_group(Str name)
{
  static const char *const names[] = { "model",        "args",           "f",
                                       "kwargs",       "opset_version",  "input_names",
                                       "output_names", "dynamic_shapes", "dynamic_axes",
                                       "dynamo",       "external_data",  "custom_translation_table",
                                       "optimize",     "verify",         "report" };
  size_t i = 0;
  while (i < COUNT(names) && !str_equal(name, str_from(names[i])))
    i++;
  return (char)('a' + i);
}

static bool add_export_argument(const PyExportArgument *argument, void *context)
{
  PyCompletion *at = context;
  const PyFile *file = at->help->file;
  const PyExportForm *form = export_api_form(argument, file->torch);
  TorchRelease release = export_api_torch_release(file->db, file->torch);
  if (!form || form->position == PY_REST || py_complete_is_given(at->help, argument->name) ||
      (form->position >= 0 && (size_t)form->position < at->help->call.position))
    return true;
  CompletionItem item = {
    .label = argument->name,
    .kind = COMPLETION_PROPERTY,
    .text = at->has_equals ? argument->name : arena_printf(at->arena, "%.*s=", STR_ARG(argument->name)),
    .is_deprecated = torch_release_reached(release, argument->deprecated),
  };
  Str standard = export_api_default(file->db, argument, release);
  if (standard.len > 0)
    item.detail = arena_printf(at->arena, "= %.*s", STR_ARG(standard));
  py_words_write_export_argument(&at->words, argument);
  py_complete_document(at, &item);
  py_complete_add(at, item, item.is_deprecated ? 'z' : use_group(argument->name));
  return true;
}

void py_complete_export_arguments(PyCompletion *at)
{
  export_api_each_argument(at->help->file->db, add_export_argument, at);
}

static const struct {
  const char *name;
  const char *standard;
  const char *words;
} capture_arguments[] = {
  { "kwargs", "None", "Example inputs by keyword." },
  { "dynamic_shapes", "None",
    "Dimensions that may change, by the parameters of forward(): `{\"x\": {0: Dim(\"batch\")}}`." },
  { "strict", "False",
    "True captures with TorchDynamo, which reads the Python code; in torch 2.6 that is the default." },
  { "preserve_module_call_signature", "()", "Modules whose inputs and outputs stay as they are." },
};

void py_complete_capture_arguments(PyCompletion *at)
{
  for (size_t i = 0; i < COUNT(capture_arguments); i++) {
    Str name = str_from(capture_arguments[i].name);
    if (py_complete_is_given(at->help, name))
      continue;
    CompletionItem item = { .label = name,
                            .kind = COMPLETION_PROPERTY,
                            .text = at->has_equals ? name : arena_printf(at->arena, "%.*s=", STR_ARG(name)) };
    item.detail = arena_printf(at->arena, "= %s", capture_arguments[i].standard);
    markup_prose(&at->markup, str_from(capture_arguments[i].words));
    py_complete_document(at, &item);
    py_complete_add(at, item, (char)('a' + i));
  }
}

// --- Shapes ---

static bool is_class(const PyModel *model, const PyFunction *function, Str name)
{
  PyRef node = function->class_node ? py_child(&model->tree, function->class_node, PY_F_NAME) : 0;
  return node && (name.len == 0 || str_equal(py_text(&model->tree, node), name));
}

/// forward() of the class of that name, or of any class; PY_ABSENT if there is none, or more than one.
static uint32_t forward_of(const PyModel *model, Str name)
{
  uint32_t found = PY_ABSENT;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (!str_equal(function->name, STR("forward")) || !is_class(model, function, name))
      continue;
    if (found != PY_ABSENT)
      return PY_ABSENT;
    found = i;
  }
  return found;
}

/// "M" of `export(M(), ...)` and of `model = M().eval()`; empty.
static Str exported_class(const PyHelp *help)
{
  const PyModel *model = help->file->model;
  const PyTree *tree = &model->tree;
  const PyArgument *argument = help->model_call == PY_ABSENT
                                   ? NULL
                                   : py_model_argument(model, &model->calls.items[help->model_call], 0, "model");
  PyRef node = argument ? argument->value : 0;
  for (int i = 0; node && i < PY_CHAIN_LIMIT; i++) {
    node = py_model_resolve(model, node);
    PyRef function = py_tree_callee(tree, node);
    if (function && py_kind(tree, function) == PYK_IDENTIFIER)
      return py_text(tree, function);
    node = py_tree_object(tree, function);
  }
  return (Str){ 0 };
}

void py_complete_shapes(PyCompletion *at)
{
  // What is being typed may have been put together without the classes.
  const PyModel *model = at->help->whole->model;
  uint32_t index = forward_of(model, exported_class(at->help));
  const PyFunction *forward = index == PY_ABSENT ? NULL : &model->functions.items[index];
  for (uint32_t i = 1; forward && i < forward->param_count; i++) {
    const PyParam *param = &py_model_params(model, forward)[i];
    if (param->kind == PY_PARAM_ARGS || param->kind == PY_PARAM_KWARGS)
      continue;
    CompletionItem item = { .label = param->name, .kind = COMPLETION_VALUE, .detail = STR("parameter of forward()") };
    py_complete_add(at, item, (char)('a' + (i < 26 ? i : 25)));
  }
}

bool py_complete_dims(PyCompletion *at, Str qualified)
{
  static const struct {
    const char *name;
    const char *words;
  } hints[] = {
    { "AUTO", "The size may change, unless the model itself fixes it." },
    { "DYNAMIC", "The size has to be one that may change: the capture fails if the model fixes it." },
    { "STATIC", "The size is that of the example." },
  };
  if (!str_equal(qualified, STR("torch.export.Dim")) && !str_equal(qualified, STR("torch.export.dynamic_shapes.Dim")))
    return false;
  for (size_t i = 0; i < COUNT(hints); i++) {
    CompletionItem item = { .label = str_from(hints[i].name), .kind = COMPLETION_ENUM_MEMBER };
    markup_prose(&at->markup, str_from(hints[i].words));
    py_complete_document(at, &item);
    py_complete_add(at, item, '0');
  }
  return true;
}

static void add_names(PyCompletion *at, const PyScannedArgument *argument, Str detail)
{
  Str text = at->help->scan.text;
  for (size_t i = argument->value; i < argument->end; i++) {
    char quote = text.data[i];
    if (quote != '"' && quote != '\'')
      continue;
    size_t end = str_find_char(text, quote, i + 1);
    if (end == STR_NOT_FOUND || end >= argument->end)
      return;
    CompletionItem item = { .label = str_slice(text, i + 1, end), .kind = COMPLETION_VALUE, .detail = detail };
    if (item.label.len > 0)
      py_complete_add(at, item, '0');
    i = end;
  }
}

void py_complete_axes(PyCompletion *at)
{
  const PyScannedCall *call = &at->help->call;
  for (size_t i = 0; i < call->arguments.count; i++) {
    if (str_equal(call->arguments.items[i].keyword, STR("input_names")))
      add_names(at, &call->arguments.items[i], STR("input"));
    else if (str_equal(call->arguments.items[i].keyword, STR("output_names")))
      add_names(at, &call->arguments.items[i], STR("output"));
  }
}
