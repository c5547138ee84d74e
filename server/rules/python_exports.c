// Calls of torch.onnx.export(): its arguments, and how they fit each other.

#include "base/nearest.h"
#include "base/vec.h"
#include "rules/python_export.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

enum {
  NAME_LIMIT = 256,     ///< Names of inputs, inputs in dynamic_axes, axes of one input.
  KEYWORD_LIMIT = 100,  ///< Arguments of a call.
  EXPORT_LIMIT = 300,   ///< Calls of a file.
  GUESS_LIMIT = 100,    ///< How often a name that was meant is looked for.
};

// --- Names of inputs and outputs ---

typedef struct NameList {
  PyRef node;  ///< 0 if not given.
  bool is_known;
  Str items[NAME_LIMIT];
  PyRef nodes[NAME_LIMIT];
  size_t count;
} NameList;

static void read_names(const ExportCall *export, const char *argument, NameList *ret_names)
{
  const PyTree *tree = &export->model->tree;
  ret_names->node = export_value(export, argument);
  ret_names->count = 0;
  ret_names->is_known = !export->call->has_dictionary_splat || export_argument(export, argument) != NULL;
  if (!ret_names->node)
    return;
  PyNodeKind kind = py_kind(tree, ret_names->node);
  ret_names->is_known = kind == PYK_LIST || kind == PYK_TUPLE;
  for (PyRef item = ret_names->is_known ? py_first_element(tree, ret_names->node) : 0; item;
       item = py_next_element(tree, item)) {
    Str name;
    if (ret_names->count == NAME_LIMIT || !py_string(export->model, item, export->sink->arena, &name)) {
      ret_names->is_known = false;
      return;
    }
    ret_names->items[ret_names->count] = name;
    ret_names->nodes[ret_names->count++] = item;
  }
}

static bool has_name_before(const NameList *list, size_t end, Str name)
{
  for (size_t i = 0; i < end; i++) {
    if (str_equal(list->items[i], name))
      return true;
  }
  return false;
}

static void say_duplicate(const ExportCall *export, const NameList *list, size_t i, Severity severity, const char *words)
{
  DiagSink *sink = export->sink;
  if (!sink_wants(sink, RULE_DUPLICATE_EXPORT_NAMES, severity))
    return;
  const char *then = export->kind == EXPORT_TRACES   ? "one of them is renamed"
                     : export->kind == EXPORT_DYNAMO ? "names have to differ"
                                                     : "one of them is renamed, or, since torch 2.9, the export may fail";
  Str message = arena_printf(sink->arena, "'%.*s' is the name of %s: %s.", STR_ARG(list->items[i]), words, then);
  py_say(sink, RULE_DUPLICATE_EXPORT_NAMES, severity, list->nodes[i], message, NULL);
}

static void check_duplicates(const ExportCall *export, const NameList *inputs, const NameList *outputs)
{
  // The dynamo exporter refuses a name that one list has twice.
  Severity severity = export->kind == EXPORT_DYNAMO ? SEVERITY_ERROR : OWN;
  for (size_t i = 0; i < inputs->count; i++) {
    if (has_name_before(inputs, i, inputs->items[i]))
      say_duplicate(export, inputs, i, severity, "two inputs");
  }
  for (size_t i = 0; i < outputs->count; i++) {
    if (has_name_before(outputs, i, outputs->items[i]))
      say_duplicate(export, outputs, i, severity, "two outputs");
    else if (has_name_before(inputs, inputs->count, outputs->items[i]))
      say_duplicate(export, outputs, i, OWN, "an input and an output");
  }
}

// --- dynamic_axes ---

/// One entry of dynamic_axes.
typedef struct AxesEntry {
  Str key;
  bool is_output_only;  ///< Surely the name of an output.
} AxesEntry;

/// "input" for "inp" and for "inptu"; NULL.
static const char *name_meant(const ExportCall *export, Str key, const NameList *inputs, const NameList *outputs)
{
  Arena *arena = export->sink->arena;
  const char *names[2 * NAME_LIMIT];
  size_t count = 0;
  for (size_t i = 0; i < inputs->count; i++)
    names[count++] = arena_copy(arena, inputs->items[i]).data;
  for (size_t i = 0; i < outputs->count; i++)
    names[count++] = arena_copy(arena, outputs->items[i]).data;
  const char *near = nearest_word(arena_copy(arena, key).data, names, count);
  for (size_t i = 0; i < count && !near && key.len >= 3; i++)
    near = str_starts_with(str_from(names[i]), key) || str_starts_with(key, str_from(names[i])) ? names[i] : NULL;
  return near;
}

static void check_key(const ExportCall *export, PyRef node, Str key, const NameList *inputs, const NameList *outputs)
{
  DiagSink *sink = export->sink;
  if (!inputs->is_known || !outputs->is_known || has_name_before(inputs, inputs->count, key) || has_name_before(outputs, outputs->count, key))
    return;
  // Without names the dynamo exporter looks for those of the parameters of forward(), and a ScriptModule has its own.
  if (!inputs->node && (export->kind != EXPORT_TRACES || !outputs->node))
    return;
  if (!sink_wants(sink, RULE_DYNAMIC_AXES_NAME, OWN))
    return;
  const char *near = (*export->guesses)++ < GUESS_LIMIT ? name_meant(export, key, inputs, outputs) : NULL;
  Str guess = near ? arena_printf(sink->arena, ": did you mean '%s'?", near) : STR(", so its axes stay fixed.");
  Str message = arena_printf(sink->arena, "'%.*s' is in neither input_names nor output_names%.*s", STR_ARG(key),
                             STR_ARG(guess));
  py_say(sink, RULE_DYNAMIC_AXES_NAME, OWN, node, message, near ? py_fix_string(sink, false, node, str_from(near)) : NULL);
}

/// "'0'" and "0.0" as an int; empty if they are none.
static Str int_meant(const ExportCall *export, PyRef node)
{
  Str text = py_text(&export->model->tree, node);
  if (text.len > 2 && (text.data[0] == '"' || text.data[0] == '\''))
    text = str_slice(text, 1, text.len - 1);
  else if (str_ends_with(text, STR(".0")))
    text = str_slice(text, 0, text.len - 2);
  uint64_t value;
  return str_to_uint(text, 1000, &value) ? text : (Str){ 0 };
}

/// An axis: its type and sign. True if its number is known.
static bool check_axis(const ExportCall *export, PyRef node, const AxesEntry *entry, int64_t *ret_axis)
{
  DiagSink *sink = export->sink;
  PyNodeKind kind = py_kind(&export->model->tree, py_strip(&export->model->tree, node));
  if (kind == PYK_STRING || kind == PYK_FLOAT || kind == PYK_NONE) {
    if (!sink_wants(sink, RULE_DYNAMIC_AXES_TYPE, OWN))
      return false;
    Str text = py_text(&export->model->tree, node);
    Str meant = int_meant(export, node);
    py_say(sink, RULE_DYNAMIC_AXES_TYPE, OWN, node,
           arena_printf(sink->arena, "An axis has to be an int, not %.*s.", STR_ARG(text)),
           meant.len > 0 ? py_fix_replace(sink, true, node, meant) : NULL);
    return false;
  }
  if (!py_int(export->model, node, ret_axis))
    return false;
  if (*ret_axis >= 0 || export->kind == EXPORT_DYNAMO)
    return true;
  Severity severity = entry->is_output_only ? SEVERITY_WARNING : OWN;
  if (sink_wants(sink, RULE_DYNAMIC_AXES_RANGE, severity))
    py_say(sink, RULE_DYNAMIC_AXES_RANGE, severity, node,
           entry->is_output_only ? STR("A negative axis of an output is ignored: count from the front.")
                                 : STR("A negative axis of an input makes the TorchScript exporter crash: count from the "
                                       "front."),
           NULL);
  return true;
}

static void say_duplicate_axis(const ExportCall *export, PyRef node, PyRef element, int64_t axis, const char *words)
{
  DiagSink *sink = export->sink;
  if (!sink_wants(sink, RULE_DYNAMIC_AXES_DUPLICATE, OWN))
    return;
  Str message = arena_printf(sink->arena, "Axis %d is listed twice%s.", (int)axis, words);
  py_say(sink, RULE_DYNAMIC_AXES_DUPLICATE, OWN, node, message,
         words[0] ? NULL : py_fix_remove(sink, true, STR("Remove it"), element));
}

/// The axes of one input: `{0: "batch"}` or `[0, 1]`.
static void check_axes(const ExportCall *export, PyRef axes, const AxesEntry *entry)
{
  const PyTree *tree = &export->model->tree;
  bool is_dictionary = py_kind(tree, axes) == PYK_DICTIONARY;
  int64_t seen[NAME_LIMIT];
  size_t count = 0;
  int looked = 0;
  for (PyRef item = py_first_element(tree, axes); item && looked < NAME_LIMIT;
       item = py_next_element(tree, item), looked++) {
    PyRef node = item;
    if (is_dictionary)
      node = py_kind(tree, item) == PYK_PAIR ? py_child(tree, item, PY_F_KEY) : 0;
    int64_t axis;
    if (!node || !check_axis(export, node, entry, &axis))
      continue;
    for (size_t i = 0; i < count; i++) {
      if (seen[i] == axis) {
        say_duplicate_axis(export, node, item, axis, is_dictionary ? "; the last name counts" : "");
        break;
      }
    }
    seen[count++] = axis;
  }
}

static void check_axes_shape(const ExportCall *export, PyRef value, const AxesEntry *entry)
{
  DiagSink *sink = export->sink;
  PyRef axes = py_resolve(export->model, value);
  switch (py_kind(&export->model->tree, axes)) {
  case PYK_DICTIONARY:
  case PYK_LIST:
    check_axes(export, axes, entry);
    return;
  case PYK_TUPLE:
  case PYK_SET:
  case PYK_STRING:
  case PYK_INTEGER:
    if (sink_wants(sink, RULE_DYNAMIC_AXES_TYPE, OWN))
      py_say(sink, RULE_DYNAMIC_AXES_TYPE, OWN, value,
             STR("The axes of an input have to be a dict such as {0: 'batch'}, or a list of ints."), NULL);
    return;
  default:
    return;
  }
}

static void check_dynamic_axes(const ExportCall *export, const NameList *inputs, const NameList *outputs)
{
  const PyTree *tree = &export->model->tree;
  PyRef axes = export_value(export, "dynamic_axes");
  if (!axes || py_kind(tree, axes) != PYK_DICTIONARY)
    return;
  int looked = 0;
  for (PyRef pair = py_first_child(tree, axes); pair && looked < NAME_LIMIT; pair = py_next_sibling(tree, pair), looked++) {
    PyRef key_node = py_child(tree, pair, PY_F_KEY);
    PyRef value = py_child(tree, pair, PY_F_VALUE);
    if (py_kind(tree, pair) != PYK_PAIR || !key_node || !value)
      continue;
    AxesEntry entry = { 0 };
    if (py_string(export->model, key_node, export->sink->arena, &entry.key)) {
      check_key(export, key_node, entry.key, inputs, outputs);
      entry.is_output_only = inputs->node && inputs->is_known && !has_name_before(inputs, inputs->count, entry.key) &&
                             has_name_before(outputs, outputs->count, entry.key);
    }
    check_axes_shape(export, value, &entry);
  }
}

// --- opset_version ---

/// The highest opset that the call can have, in one torch version; 0 if there is no such exporter.
static int highest(const ExportCall *export, uint32_t torch)
{
  OpsetRange range;
  int max = 0;
  if (export->kind != EXPORT_DYNAMO && symbolics_opset_range(export->file->db, torch, SYMBOLICS_TORCHSCRIPT, &range))
    max = range.max;
  // Before 2.8 the dynamo exporter built for one opset and converted the model.
  if (export->kind != EXPORT_TRACES && symbolics_opset_range(export->file->db, torch, SYMBOLICS_DYNAMO, &range) &&
      range.max > range.min && range.max > max)
    max = range.max;
  return max;
}

/// "17 in torch 1.13, 20 in torch 2.6": the highest opsets of the versions that are checked for.
static Str highest_text(const ExportCall *export, int *ret_max)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(export->file->db, &versions);
  Str text = { 0 };
  *ret_max = 0;
  for (uint32_t torch = 0; torch < count; torch++) {
    int max = export->file->torches >> torch & 1 ? highest(export, torch) : 0;
    if (max == 0)
      continue;
    text = arena_printf(export->sink->arena, "%.*s%s%d in torch %.*s", STR_ARG(text), text.len > 0 ? ", " : "", max,
                        STR_ARG(versions[torch]));
    *ret_max = max > *ret_max ? max : *ret_max;
  }
  return text;
}

static void check_too_new(const ExportCall *export, PyRef node, int64_t opset)
{
  DiagSink *sink = export->sink;
  int max;
  Str text = highest_text(export, &max);
  if (max == 0 || opset <= max)
    return;
  // Since 2.9 the TorchScript exporter only warns, as long as onnx knows the opset; the dynamo exporter always did.
  bool only_warns = export->kind == EXPORT_DYNAMO || (export->kind == EXPORT_TRACES && opset <= 23 &&
                                                       export_torch_is_from(export->file, 2, 9));
  Severity severity = only_warns ? SEVERITY_WARNING : OWN;
  if (!sink_wants(sink, RULE_EXPORT_OPSET_TOO_NEW, severity))
    return;
  py_say(sink, RULE_EXPORT_OPSET_TOO_NEW, severity, node,
         arena_printf(sink->arena, "Opset %d is above the highest that the exporter has: %.*s.",
                      opset > 9999 ? 9999 : (int)opset, STR_ARG(text)),
         NULL);
}

static void check_too_old(const ExportCall *export, PyRef node, int64_t opset)
{
  DiagSink *sink = export->sink;
  int min = export->file->range.min;
  if (opset >= min || export->kind == EXPORT_DYNAMO)
    return;
  // Since 2.9 there is a file all the same, marked with an opset for which nothing was written.
  Severity severity = opset >= 5 && export_torch_is_from(export->file, 2, 9) ? SEVERITY_WARNING : OWN;
  if (!sink_wants(sink, RULE_EXPORT_OPSET_TOO_OLD, severity))
    return;
  py_say(sink, RULE_EXPORT_OPSET_TOO_OLD, severity, node,
         arena_printf(sink->arena, "Opset %d is below the lowest that the TorchScript exporter has, which is %d.",
                      opset < -9999 ? -9999 : (int)opset, min),
         NULL);
}

static void check_opset(const ExportCall *export)
{
  DiagSink *sink = export->sink;
  const PyTree *tree = &export->model->tree;
  const PyArgument *argument = export_argument(export, "opset_version");
  PyRef value = export_value(export, "opset_version");
  int64_t opset;
  if (!value)
    return;
  if (py_int(export->model, value, &opset)) {
    check_too_old(export, argument->value, opset);
    check_too_new(export, argument->value, opset);
    return;
  }
  PyNodeKind kind = py_kind(tree, value);
  if ((kind != PYK_STRING && kind != PYK_FLOAT && kind != PYK_LIST && kind != PYK_TUPLE) ||
      !sink_wants(sink, RULE_EXPORT_OPSET_TYPE, OWN))
    return;
  Str meant = int_meant(export, value);
  py_say(sink, RULE_EXPORT_OPSET_TYPE, OWN, argument->value,
         arena_printf(sink->arena, "opset_version has to be an int, not %.*s.", STR_ARG(py_text(tree, value))),
         meant.len > 0 ? py_fix_replace(sink, true, value, meant) : NULL);
}

// --- Arguments that are gone or going ---

/// What the torch versions of the file do with an argument.
typedef struct Acceptance {
  bool is_taken, is_swallowed, is_refused;  ///< By one of them.
} Acceptance;

static Acceptance acceptance_of(const PyFile *file, const PyExportArgument *argument)
{
  Acceptance acceptance = { 0 };
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) == 0)
      continue;
    bool is_taken = argument && py_export_form(argument, torch);
    bool is_swallowed = !is_taken && symbolics_export_ignores_unknown(file->db, torch);
    acceptance.is_taken |= is_taken;
    acceptance.is_swallowed |= is_swallowed;
    acceptance.is_refused |= !is_taken && !is_swallowed;
  }
  return acceptance;
}

static Str plain_words(Str words, Arena *arena)
{
  Str text = arena_copy(arena, words);
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] == '`')
      ((char *)text.data)[i] = '\'';
  }
  return text;
}

static Str removal_text(const ExportCall *export, Str name)
{
  return arena_printf(export->sink->arena, "Remove '%.*s'", STR_ARG(name));
}

static void say_not_taken(const ExportCall *export, const PyArgument *argument, const PyExportArgument *fact,
                          Acceptance acceptance)
{
  DiagSink *sink = export->sink;
  Severity severity = acceptance.is_refused ? OWN : SEVERITY_WARNING;
  if (!sink_wants(sink, RULE_REMOVED_EXPORT_ARGUMENT, severity))
    return;
  const char *and = acceptance.is_refused ? "" : ", and is ignored without a word";
  Str words = plain_words(fact->words, sink->arena);
  bool is_removed = torch_release_is_set(fact->removed) && export_torch_is_from(export->file, fact->removed.major, fact->removed.minor);
  Str message;
  if (is_removed)
    message = arena_printf(sink->arena, "'%.*s' was removed in torch %d.%d%s. %.*s", STR_ARG(argument->keyword),
                           fact->removed.major, fact->removed.minor, and, STR_ARG(words));
  else
    message = arena_printf(sink->arena, "'%.*s' comes with torch %d.%d%s.", STR_ARG(argument->keyword), fact->added.major,
                           fact->added.minor, and);
  py_say(sink, RULE_REMOVED_EXPORT_ARGUMENT, severity, argument->node, message,
         py_fix_remove(sink, is_removed, removal_text(export, argument->keyword), argument->node));
}

/// Arguments whose effect can be had in no other way: worth a word only if the torch version is known.
static bool has_no_substitute(Str name)
{
  return str_equal(name, STR("custom_opsets")) || str_equal(name, STR("export_modules_as_functions")) ||
         str_equal(name, STR("autograd_inlining"));
}

static void check_deprecated(const ExportCall *export, const PyArgument *argument, const PyExportArgument *fact)
{
  DiagSink *sink = export->sink;
  const PyFile *file = export->file;
  bool is_unknown = file->target->torch_is_default;
  if (!torch_release_is_set(fact->deprecated) || py_is_torch_itself(export->model) || (is_unknown && has_no_substitute(argument->keyword)) ||
      (!is_unknown && !export_torch_is_from(file, fact->deprecated.major, fact->deprecated.minor)) ||
      !sink_wants(sink, RULE_DEPRECATED_EXPORT_ARGUMENT, OWN))
    return;
  Str message = arena_printf(sink->arena, "'%.*s' is deprecated since torch %d.%d. %.*s", STR_ARG(argument->keyword),
                             fact->deprecated.major, fact->deprecated.minor,
                             STR_ARG(plain_words(fact->words, sink->arena)));
  Str standard = py_export_default(file->db, fact, symbolics_torch_release(file->db, file->torch));
  Str value = py_text(&export->model->tree, argument->value);
  // What is the default anyway can go. "torch.onnx.TrainingMode.EVAL" is TrainingMode.EVAL.
  bool is_default = standard.len > 0 && str_ends_with(value, standard);
  py_say(sink, RULE_DEPRECATED_EXPORT_ARGUMENT, OWN, argument->node, message,
         is_default ? py_fix_remove(sink, false, removal_text(export, argument->keyword), argument->node) : NULL);
}

typedef struct ArgumentNames {
  Vec(const char *) items;
  Arena *arena;
} ArgumentNames;

static bool add_argument_name(const PyExportArgument *argument, void *context)
{
  ArgumentNames *names = context;
  if (argument->form_count > 0)
    vec_push(&names->items, arena_copy(names->arena, argument->name).data);
  return true;
}

/// No version ever had the argument, and it is nearly one of them.
static void check_misspelled(const ExportCall *export, const PyArgument *argument)
{
  DiagSink *sink = export->sink;
  if ((*export->guesses)++ >= GUESS_LIMIT)
    return;
  Acceptance acceptance = acceptance_of(export->file, NULL);
  Severity severity = acceptance.is_refused ? OWN : SEVERITY_WARNING;
  ArgumentNames names = { .arena = sink->arena };
  symbolics_each_export_argument(export->file->db, add_argument_name, &names);
  const char *near = nearest_word(arena_copy(sink->arena, argument->keyword).data, names.items.items, names.items.count);
  vec_free(&names.items);
  if (!near || !sink_wants(sink, RULE_REMOVED_EXPORT_ARGUMENT, severity))
    return;
  Str message = arena_printf(sink->arena, "torch.onnx.export() has no argument '%.*s': did you mean '%s'?",
                             STR_ARG(argument->keyword), near);
  PyRef name = py_child(&export->model->tree, argument->node, PY_F_NAME);
  py_say(sink, RULE_REMOVED_EXPORT_ARGUMENT, severity, argument->node, message,
         name ? py_fix_replace(sink, false, name, str_from(near)) : NULL);
}

static void check_keywords(const ExportCall *export)
{
  for (uint32_t i = 0; i < export->call->argument_count && i < KEYWORD_LIMIT; i++) {
    const PyArgument *argument = &export->model->arguments.items[export->call->first_argument + i];
    if (argument->keyword.len == 0)
      continue;
    const PyExportArgument *fact = symbolics_export_argument(export->file->db, argument->keyword);
    if (!fact) {
      check_misspelled(export, argument);
      continue;
    }
    Acceptance acceptance = acceptance_of(export->file, fact);
    if (!acceptance.is_taken)
      say_not_taken(export, argument, fact, acceptance);
    else
      check_deprecated(export, argument, fact);
  }
}

/// From 2.6 on only the first three arguments may go without their names.
static void check_positions(const ExportCall *export)
{
  DiagSink *sink = export->sink;
  const PyExportArgument *fourth = symbolics_export_argument(sink->python->db, STR("export_params"));
  const PyExportForm *form = fourth ? py_export_form(fourth, export->file->torch) : NULL;
  bool is_known = !export->file->target->torch_is_default;
  uint32_t position = 0;
  for (uint32_t i = 0; is_known && form && form->position < 0 && i < export->call->argument_count; i++) {
    const PyArgument *argument = &export->model->arguments.items[export->call->first_argument + i];
    if (argument->keyword.len > 0 || argument->is_splat || argument->is_dictionary_splat || position++ != 3)
      continue;
    if (sink_wants(sink, RULE_REMOVED_EXPORT_ARGUMENT, OWN))
      py_say(sink, RULE_REMOVED_EXPORT_ARGUMENT, OWN, argument->node,
             STR("Since torch 2.6 only the first three arguments may be given by position: write the names of the others."),
             NULL);
  }
}

// --- Modules of PyTorch ---

/// Modules with one input and one output, and how many parameters they have.
typedef struct ModuleFact {
  const char *name;
  int weights;        ///< Without the bias.
  int bias_position;  ///< Of the argument `bias` of the constructor; 0 if there is none.
} ModuleFact;

static const ModuleFact modules[] = {
  { "Linear", 1, 2 },          { "Conv1d", 1, 7 },          { "Conv2d", 1, 7 },          { "Conv3d", 1, 7 },
  { "ConvTranspose1d", 1, 7 }, { "ConvTranspose2d", 1, 7 }, { "ConvTranspose3d", 1, 7 }, { "ReLU", 0, 0 },
  { "ReLU6", 0, 0 },           { "Sigmoid", 0, 0 },         { "Tanh", 0, 0 },            { "Softmax", 0, 0 },
  { "LogSoftmax", 0, 0 },      { "ELU", 0, 0 },             { "SELU", 0, 0 },            { "CELU", 0, 0 },
  { "GELU", 0, 0 },            { "LeakyReLU", 0, 0 },       { "Hardtanh", 0, 0 },        { "Hardswish", 0, 0 },
  { "Hardsigmoid", 0, 0 },     { "SiLU", 0, 0 },            { "Mish", 0, 0 },            { "Softplus", 0, 0 },
  { "Softsign", 0, 0 },        { "Identity", 0, 0 },        { "Flatten", 0, 0 },         { "Dropout", 0, 0 },
};

static const ModuleFact *find_module(Str name)
{
  for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
    if (str_equal(name, str_from(modules[i].name)))
      return &modules[i];
  }
  return NULL;
}

// --- args ---

/// How many arguments a method takes behind self; `*args` counts as many.
static void forward_arity(const PyModel *model, uint32_t forward, uint32_t *ret_required, uint32_t *ret_most)
{
  const PyFunction *function = &model->functions.items[forward];
  *ret_required = *ret_most = 0;
  for (uint32_t i = 1; i < function->param_count; i++) {
    const PyParam *param = &model->params.items[function->first_param + i];
    if (param->kind == PY_PARAM_ARGS)
      *ret_most = UINT32_MAX;
    if (param->kind != PY_PARAM_PLAIN)
      continue;
    if (*ret_most != UINT32_MAX)
      (*ret_most)++;
    *ret_required += param->default_value == 0;
  }
}

/// A list is one argument, so it is wrong for a model that wants a tensor, or more than one argument.
static bool is_wrong_list(const ExportCall *export, const ExportModel *made)
{
  const PyModel *model = export->model;
  if (export->kind == EXPORT_DYNAMO && export_torch_is_from(export->file, 2, 9))
    return true;  // torch.export insists on a tuple, and nothing else is tried any more.
  if (find_module(made->torch_class))
    return true;
  if (made->forward == PY_ABSENT)
    return false;
  uint32_t required;
  uint32_t most;
  forward_arity(model, made->forward, &required, &most);
  if (required != 1)
    return required > 1;
  PyRef annotation = model->params.items[model->functions.items[made->forward].first_param + 1].annotation;
  return annotation && (str_equal(py_text(&model->tree, annotation), STR("torch.Tensor")) ||
                        str_equal(py_text(&model->tree, annotation), STR("Tensor")));
}

static const Fix *fix_list(const ExportCall *export, PyRef list)
{
  DiagSink *sink = export->sink;
  const PyTree *tree = &export->model->tree;
  if (tree->nodes[list].has_error)
    return NULL;
  int count = 0;
  for (PyRef item = py_first_element(tree, list); item; item = py_next_element(tree, item))
    count++;
  Range range = py_range(sink, list);
  Str text = py_text(tree, list);
  bool has_comma = str_ends_with(str_trim(str_slice(text, 0, text.len - 1)), STR(","));
  TextEdit *edits = ARENA_ARRAY(sink->arena, TextEdit, 2);
  edits[0] = (TextEdit){ { range.start, range.start + 1 }, STR("(") };
  edits[1] = (TextEdit){ { range.end - 1, range.end }, count == 1 && !has_comma ? STR(",)") : STR(")") };
  Fix *fix = ARENA_NEW(sink->arena, Fix);
  *fix = (Fix){ .title = STR("Make it a tuple"), .edits = edits, .edit_count = 2, .is_safe = true };
  return fix;
}

static void check_args_list(const ExportCall *export, const ExportModel *made)
{
  DiagSink *sink = export->sink;
  PyRef args = export_value(export, "args");
  if (!args || py_kind(&export->model->tree, args) != PYK_LIST || !is_wrong_list(export, made) ||
      !sink_wants(sink, RULE_EXPORT_ARGS_LIST, OWN))
    return;
  py_say(sink, RULE_EXPORT_ARGS_LIST, OWN, export_argument(export, "args")->value,
         STR("A list is passed to the model as its one argument: write a tuple of the arguments, such as (x,)."),
         fix_list(export, args));
}

/// Are all keys of the dict parameters of the model? Then it is meant as keyword arguments.
static bool are_keywords(const ExportCall *export, const ExportModel *made, PyRef dictionary)
{
  const PyModel *model = export->model;
  const PyFunction *forward = &model->functions.items[made->forward];
  for (PY_EACH_CHILD(&model->tree, pair, dictionary)) {
    Str key;
    bool found = false;
    if (!py_string(model, py_child(&model->tree, pair, PY_F_KEY), export->sink->arena, &key))
      return true;
    for (uint32_t i = 1; i < forward->param_count && !found; i++) {
      const PyParam *param = &model->params.items[forward->first_param + i];
      found = param->kind == PY_PARAM_KWARGS || str_equal(param->name, key);
    }
    if (!found)
      return false;
  }
  return true;
}

static void check_args_dict(const ExportCall *export, const ExportModel *made)
{
  DiagSink *sink = export->sink;
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  if (!args || py_kind(tree, args) != PYK_TUPLE || export_value(export, "kwargs"))
    return;
  PyRef last = 0;
  for (PyRef item = py_first_element(tree, args); item; item = py_next_element(tree, item))
    last = item;
  PyRef dictionary = last ? py_resolve(export->model, last) : 0;
  if (!dictionary || py_kind(tree, dictionary) != PYK_DICTIONARY || !py_first_child(tree, dictionary))
    return;
  bool is_known = find_module(made->torch_class) ||
                  (made->forward != PY_ABSENT && !are_keywords(export, made, dictionary));
  if (!is_known || !sink_wants(sink, RULE_EXPORT_ARGS_DICT, OWN))
    return;
  py_say(sink, RULE_EXPORT_ARGS_DICT, OWN, last,
         STR("A dict at the end of args is taken as keyword arguments; append {} to pass it as the last argument."),
         py_fix_behind(sink, false, STR("Append {}"), last, STR(", {}")));
}

// --- Numbers of names ---

/// -1 if it can't be told.
static int parameter_count(const ExportCall *export, const ModuleFact *fact, const ExportModel *made)
{
  if (fact->bias_position == 0)
    return fact->weights;
  if (made->made->has_splat || made->made->has_dictionary_splat)
    return -1;
  const PyArgument *bias = py_argument(export->model, made->made, (uint32_t)fact->bias_position, "bias");
  PyNodeKind kind = bias ? py_kind(&export->model->tree, py_resolve(export->model, bias->value)) : PYK_TRUE;
  return kind == PYK_TRUE ? fact->weights + 1 : kind == PYK_FALSE ? fact->weights : -1;
}

/// A class whose body is a forward() and nothing else has no parameters.
static bool is_bare_class(const ExportCall *export, const ExportModel *made)
{
  const PyTree *tree = &export->model->tree;
  PyRef body = made->class_node ? py_child(tree, made->class_node, PY_F_BODY) : 0;
  if (!body || made->forward == PY_ABSENT)
    return false;
  for (PY_EACH_CHILD(tree, child, body)) {
    bool is_doc = py_kind(tree, child) == PYK_EXPRESSION_STATEMENT && py_kind(tree, child + 1) == PYK_STRING;
    if (child != export->model->functions.items[made->forward].node && !is_doc)
      return false;
  }
  return true;
}

static void say_too_many(const ExportCall *export, const NameList *names, Severity severity, Str message)
{
  if (sink_wants(export->sink, RULE_TOO_MANY_EXPORT_NAMES, severity))
    py_say(export->sink, RULE_TOO_MANY_EXPORT_NAMES, severity, names->node, message, NULL);
}

/// Are the names behind those of the inputs the ones that the parameters have anyway? Then somebody knows.
static bool names_parameters(const NameList *names, int inputs)
{
  for (size_t i = (size_t)inputs; i < names->count; i++) {
    if (!str_ends_with(names->items[i], STR("weight")) && !str_ends_with(names->items[i], STR("bias")))
      return false;
  }
  return true;
}

/// The TorchScript exporter gives names to inputs first, then to parameters, and refuses more; the dynamo exporter leaves
/// out what is too much.
static void check_input_count(const ExportCall *export, const NameList *names, int inputs, int parameters)
{
  Arena *arena = export->sink->arena;
  int count = (int)names->count;
  if (count <= inputs || inputs < 0 || parameters < 0)
    return;
  if (count > inputs + parameters && export->kind != EXPORT_DYNAMO) {
    Str behind = parameters > 0 ? arena_printf(arena, " and %d parameter%s", parameters, parameters == 1 ? "" : "s") : STR("");
    say_too_many(export, names, OWN,
                 arena_printf(arena, "input_names has %d names, but the model has %d input%s%.*s.", count, inputs,
                              inputs == 1 ? "" : "s", STR_ARG(behind)));
  } else if (export->kind != EXPORT_TRACES && !names_parameters(names, inputs)) {
    const char *others = parameters > 0 && export->kind == EXPORT_EITHER
                             ? "the others go to its parameters, or, since torch 2.9, nowhere"
                             : "the dynamo exporter leaves out the others";
    say_too_many(export, names, SEVERITY_WARNING,
                 arena_printf(arena, "input_names has %d names, but the model has %d input%s: %s.", count, inputs,
                              inputs == 1 ? "" : "s", others));
  }
}

static void check_name_counts(const ExportCall *export, const ExportModel *made, const NameList *inputs,
                              const NameList *outputs)
{
  const ModuleFact *fact = find_module(made->torch_class);
  int parameters = fact ? parameter_count(export, fact, made) : is_bare_class(export, made) ? 0 : -1;
  if (inputs->node && inputs->is_known)
    check_input_count(export, inputs, export_input_count(export), parameters);
  if (fact && outputs->node && outputs->is_known && outputs->count > 1) {
    Severity severity = export->kind == EXPORT_DYNAMO ? SEVERITY_WARNING : OWN;
    say_too_many(export, outputs, severity,
                 arena_printf(export->sink->arena, "output_names has %d names, but the model has 1 output.",
                              (int)outputs->count));
  }
}

// --- How arguments fit each other ---

/// Is it a dict, tuple or list with something in it, or something else that is not known to be empty?
static bool is_filled(const ExportCall *export, PyRef value)
{
  PyNodeKind kind = value ? py_kind(&export->model->tree, value) : PYK_OTHER;
  bool is_written = kind == PYK_DICTIONARY || kind == PYK_LIST || kind == PYK_TUPLE;
  return is_written && py_first_child(&export->model->tree, value);
}

static void check_dynamic_axes_exporter(const ExportCall *export)
{
  DiagSink *sink = export->sink;
  if (export->kind != EXPORT_DYNAMO || !is_filled(export, export_value(export, "dynamic_axes")) ||
      export_argument(export, "dynamic_shapes"))
    return;
  // Where `dynamo` does not exist, that is the mistake.
  Acceptance acceptance = acceptance_of(export->file, symbolics_export_argument(export->file->db, STR("dynamo")));
  if (!acceptance.is_taken)
    return;
  bool is_known = !acceptance.is_refused;
  Severity severity = !export->says_dynamo ? SEVERITY_INFO : is_known ? SEVERITY_WARNING : OWN;
  if (!sink_wants(sink, RULE_EXPORT_SHAPES_ARGUMENT, severity))
    return;
  const char *when = export->says_dynamo ? "With dynamo=True" : "Since torch 2.9 dynamo=True is the default, where";
  Str message = arena_printf(sink->arena,
                             "%s dynamic_axes is only translated into dynamic_shapes, with a warning, and the translation "
                             "may fail: write dynamic_shapes, or dynamo=False.",
                             when);
  py_say(sink, RULE_EXPORT_SHAPES_ARGUMENT, severity, export_argument(export, "dynamic_axes")->node, message, NULL);
}

static void check_dynamic_shapes_exporter(const ExportCall *export)
{
  DiagSink *sink = export->sink;
  Acceptance acceptance = acceptance_of(export->file, symbolics_export_argument(export->file->db, STR("dynamic_shapes")));
  if (export->kind != EXPORT_TRACES || !acceptance.is_taken || !is_filled(export, export_value(export, "dynamic_shapes")) ||
      !sink_wants(sink, RULE_EXPORT_SHAPES_ARGUMENT, OWN))
    return;
  py_say(sink, RULE_EXPORT_SHAPES_ARGUMENT, OWN, export_argument(export, "dynamic_shapes")->node,
         STR("dynamic_shapes needs dynamo=True; the TorchScript exporter takes dynamic_axes."), NULL);
}

static void check_modules_as_functions(const ExportCall *export)
{
  DiagSink *sink = export->sink;
  PyRef value = export_value(export, "export_modules_as_functions");
  PyNodeKind kind = value ? py_kind(&export->model->tree, value) : PYK_OTHER;
  bool is_on = kind == PYK_TRUE || (kind == PYK_SET && py_first_child(&export->model->tree, value));
  int64_t opset;
  if (!is_on || export->kind == EXPORT_DYNAMO || !py_int(export->model, export_value(export, "opset_version"), &opset) ||
      opset >= 15 || !sink_wants(sink, RULE_EXPORT_MODULES_OPSET, OWN))
    return;
  py_say(sink, RULE_EXPORT_MODULES_OPSET, OWN, export_argument(export, "export_modules_as_functions")->node,
         arena_printf(sink->arena, "export_modules_as_functions needs opset 15 or newer; the export is to opset %d.",
                      (int)opset),
         NULL);
}

static void check_data_parallel(const ExportCall *export, const ExportModel *made)
{
  DiagSink *sink = export->sink;
  if (!str_equal(made->torch_class, STR("DataParallel")) || export->kind == EXPORT_DYNAMO ||
      !sink_wants(sink, RULE_EXPORT_DATA_PARALLEL, OWN))
    return;
  PyRef node = export_argument(export, "model")->value;
  py_say(sink, RULE_EXPORT_DATA_PARALLEL, OWN, node,
         STR("A torch.nn.DataParallel can't be exported: export the module that it wraps, its attribute 'module'."),
         py_fix_behind(sink, true, STR("Add .module"), node, STR(".module")));
}

static void check_call(const ExportCall *export)
{
  NameList *names = ARENA_ARRAY(export->sink->arena, NameList, 2);
  read_names(export, "input_names", &names[0]);
  read_names(export, "output_names", &names[1]);
  ExportModel made = export_model(export);
  check_keywords(export);
  check_positions(export);
  check_opset(export);
  check_dynamic_axes(export, &names[0], &names[1]);
  check_duplicates(export, &names[0], &names[1]);
  check_args_list(export, &made);
  check_args_dict(export, &made);
  check_name_counts(export, &made, &names[0], &names[1]);
  check_dynamic_axes_exporter(export);
  check_dynamic_shapes_exporter(export);
  check_modules_as_functions(export);
  check_data_parallel(export, &made);
}

void check_python_exports(DiagSink *sink)
{
  const PyModel *model = sink->python->model;
  int guesses = 0;
  for (size_t i = 0; i < model->exports.count && i < EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    export.guesses = &guesses;
    check_call(&export);
  }
}
