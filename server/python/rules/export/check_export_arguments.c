// Arguments of torch.onnx.export() by themselves: opset_version, and those that are gone, going or misspelled.

#include "base/limits.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "python/model/keys_set.h"
#include "python/rules/export/export_call.h"

// --- opset_version ---

/// The highest opset that the call can have, in one torch version; 0 if there is no such exporter.
static int highest(const ExportCall *export, uint32_t torch)
{
  OpsetRange range;
  int max = 0;
  if (export->kind != EXPORT_DYNAMO && symbolics_opset_range(export->file->db, torch, EXPORTER_TORCHSCRIPT, &range))
    max = range.max;
  // Before 2.8 the dynamo exporter built for one opset and converted the model.
  if (export->kind != EXPORT_TRACES && symbolics_opset_range(export->file->db, torch, EXPORTER_DYNAMO, &range) &&
      range.max > range.min && range.max > max)
    max = range.max;
  return max;
}

/// "17 in torch 1.13, 20 in torch 2.6": the highest opsets of the versions that are checked for, and whether all of
/// them convert what they write to other opsets, as versions since 2.9 do.
static Str highest_text(const ExportCall *export, int *ret_max, bool *ret_converts)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(export->file->db, &versions);
  Str text = { 0 };
  *ret_max = 0;
  *ret_converts = export->kind == EXPORT_DYNAMO;
  for (uint32_t torch = 0; torch < count; torch++) {
    int max = export->file->torches >> torch & 1 ? highest(export, torch) : 0;
    if (max == 0)
      continue;
    text = arena_printf(export->sink->arena, "%.*s%s%d in torch %.*s", STR_ARG(text), text.len > 0 ? ", " : "", max,
                        STR_ARG(versions[torch]));
    *ret_max = max > *ret_max ? max : *ret_max;
    *ret_converts &= torch_release_reached(py_file_release(export->file, torch), (TorchRelease){ 2, 9 });
  }
  return text;
}

static void check_too_new(const ExportCall *export, PyRef node, int64_t opset)
{
  DiagSink *sink = export->sink;
  int max;
  bool converts;
  Str text = highest_text(export, &max, &converts);
  if (max == 0 || opset <= max)
    return;
  // Since 2.9 the TorchScript exporter only warns, as long as onnx knows the opset; the dynamo exporter always did.
  bool only_warns = export->kind == EXPORT_DYNAMO || (export->kind == EXPORT_TRACES && opset <= 23 &&
                                                      !py_file_torch_is_before(export->file, (TorchRelease){ 2, 9 }));
  // Newer ones come of a conversion afterwards, for which onnxscript goes up to 25; above that the model stays at 18.
  Severity severity = converts && opset <= 25 ? SEVERITY_INFO : only_warns ? SEVERITY_WARNING : OWN;
  if (!sink_wants(sink, RULE_EXPORT_OPSET_TOO_NEW, severity))
    return;
  py_say(sink, RULE_EXPORT_OPSET_TOO_NEW, severity, node,
         arena_printf(sink->arena, "Opset %d is above the highest that the exporter has: %.*s.",
                      opset > 9999 ? 9999 : (int)opset, STR_ARG(text)),
         NULL);
}

/// The dynamo exporter writes for opset 18 and converts the model afterwards. Measured with torch 2.14 and onnxscript
/// 0.7: even a multiplication stays at 18 if 10 or less is asked for.
static void check_converted_down(const ExportCall *export, PyRef node, int64_t opset)
{
  DiagSink *sink = export->sink;
  Severity severity = opset <= 10 ? SEVERITY_WARNING : SEVERITY_INFO;
  if (opset >= 18 || !sink_wants(sink, RULE_EXPORT_OPSET_TOO_OLD, severity))
    return;
  const char *then = opset <= 10 ? "can't do so: the model stays at 18"
                                 : "converts it afterwards; where it can't, the model stays at 18";
  py_say(sink, RULE_EXPORT_OPSET_TOO_OLD, severity, node,
         arena_printf(sink->arena, "The dynamo exporter writes opset 18 or newer. For opset %d it %s.",
                      opset < -9999 ? -9999 : (int)opset, then),
         NULL);
}

static void check_too_old(const ExportCall *export, PyRef node, int64_t opset)
{
  DiagSink *sink = export->sink;
  int min = export->file->range.min;
  if (export->kind == EXPORT_DYNAMO)
    check_converted_down(export, node, opset);
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

/// Has argparse read an int; text that is the default is read, too.
static const Fix *fix_of_parsed(const ExportCall *export, const PyCall *added)
{
  DiagSink *sink = export->sink;
  const PyArgument *type = py_model_argument(export->model, added, PY_ABSENT, "type");
  return type ? py_edit_replace(sink, true, type->value, STR("int"))
              : py_edit_append(sink, true, STR("Add type=int"), added->list_node, STR("type=int"));
}

/// `--opset 13` of an argument that nothing reads; `added` is the call of add_argument().
static void check_parsed(const ExportCall *export, const PyCall *added)
{
  DiagSink *sink = export->sink;
  const PyArgument *type = py_model_argument(export->model, added, PY_ABSENT, "type");
  const PyArgument *first = py_model_argument(export->model, added, 0, NULL);
  PyRef node = type ? type->value : first ? first->value : added->node;
  if (sink_wants(sink, RULE_EXPORT_OPSET_TYPE, SEVERITY_WARNING))
    py_say(sink, RULE_EXPORT_OPSET_TYPE, SEVERITY_WARNING, node,
           STR("opset_version has to be an int, and what is given here is text: write type=int."),
           fix_of_parsed(export, added));
}

/// The call of add_argument() whose default the text is: what comes from a command line has to be read, too; NULL.
static const PyCall *parsed_default(const PyModel *model, PyRef text)
{
  const PyTree *tree = &model->tree;
  PyRef keyword = tree->nodes[text].parent, list = tree->nodes[keyword].parent;
  bool is_argument = py_kind(tree, keyword) == PYK_KEYWORD_ARGUMENT && py_kind(tree, list) == PYK_ARGUMENT_LIST;
  const PyCall *call = is_argument ? py_model_call(model, tree->nodes[list].parent) : NULL;
  return call && str_equal(py_tree_member_name(tree, call->function_node), STR("add_argument")) ? call : NULL;
}

/// `is_for_one_version`: the highest opset is not known, as the file asks for the torch version itself.
static void check_opset(const ExportCall *export, bool is_for_one_version)
{
  DiagSink *sink = export->sink;
  const PyTree *tree = &export->model->tree;
  const PyArgument *argument = export_argument(export, "opset_version");
  PyRef value = export_value(export, "opset_version");
  int64_t opset;
  if (!value)
    return;
  PyRef standard = export_default_number(export->model, value);
  if (py_model_int(export->model, standard ? standard : value, &opset)) {
    check_too_old(export, argument->value, opset);
    if (!is_for_one_version)
      check_too_new(export, argument->value, opset);
    return;
  }
  const PyCall *added = py_model_call(export->model, standard);
  if (added)
    check_parsed(export, added);
  PyNodeKind kind = py_kind(tree, value);
  PyValue given = py_file_value(export->file, argument->value);
  bool is_written = kind == PYK_STRING || kind == PYK_FLOAT || kind == PYK_LIST || kind == PYK_TUPLE;
  bool is_text = py_file_is_only(given, PY_STRING);
  if ((!is_written && !py_file_is_only(given, PY_STRING | PY_FLOAT | PY_LIST | PY_DICT)) ||
      !sink_wants(sink, RULE_EXPORT_OPSET_TYPE, OWN))
    return;
  Str meant = export_int_meant(export, value);
  const PyCall *parsed = parsed_default(export->model, value);
  py_say(sink, RULE_EXPORT_OPSET_TYPE, OWN, argument->value,
         arena_printf(sink->arena, "opset_version has to be an int, not %.*s.",
                      STR_ARG(is_written ? py_text(tree, value)
                              : is_text  ? STR("a string")
                                         : py_file_value_text(given, sink->arena))),
         parsed          ? fix_of_parsed(export, parsed)
         : meant.len > 0 ? py_edit_replace(sink, true, value, meant)
                         : NULL);
}

// --- Arguments that are gone or going ---

static Str removal_text(const ExportCall *export, Str name)
{
  return arena_printf(export->sink->arena, "Remove '%.*s'", STR_ARG(name));
}

static void say_not_taken(const ExportCall *export, const PyArgument *argument, const PyExportArgument *fact,
                          ExportAcceptance acceptance)
{
  DiagSink *sink = export->sink;
  Severity severity = acceptance.is_refused ? OWN : SEVERITY_WARNING;
  if (!sink_wants(sink, RULE_REMOVED_EXPORT_ARGUMENT, severity))
    return;
  const char *and = acceptance.is_refused ? "" : ", and is ignored without a word";
  Str words = py_edit_plain_words(fact->words, sink->arena);
  bool is_removed = torch_release_is_set(fact->removed) &&
                    export_torch_is_from(export->file, fact->removed.major, fact->removed.minor);
  Str message;
  if (is_removed)
    message = arena_printf(sink->arena, "'%.*s' was removed in torch %d.%d%s. %.*s", STR_ARG(argument->keyword),
                           fact->removed.major, fact->removed.minor, and, STR_ARG(words));
  else
    message = arena_printf(sink->arena, "'%.*s' comes with torch %d.%d%s.", STR_ARG(argument->keyword),
                           fact->added.major, fact->added.minor, and);
  py_say(sink, RULE_REMOVED_EXPORT_ARGUMENT, severity, argument->node, message,
         py_edit_remove(sink, is_removed, removal_text(export, argument->keyword), argument->node));
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
  if (!torch_release_is_set(fact->deprecated) || py_is_torch_itself(export->model) ||
      (is_unknown && has_no_substitute(argument->keyword)) ||
      (!is_unknown && !export_torch_is_from(file, fact->deprecated.major, fact->deprecated.minor)) ||
      !sink_wants(sink, RULE_DEPRECATED_EXPORT_ARGUMENT, OWN))
    return;
  Str message = arena_printf(sink->arena, "'%.*s' is deprecated since torch %d.%d. %.*s", STR_ARG(argument->keyword),
                             fact->deprecated.major, fact->deprecated.minor,
                             STR_ARG(py_edit_plain_words(fact->words, sink->arena)));
  Str standard = export_api_default(file->db, fact, export_api_torch_release(file->db, file->torch));
  Str value = py_text(&export->model->tree, argument->value);
  // What is the default anyway can go. "torch.onnx.TrainingMode.EVAL" is TrainingMode.EVAL.
  bool is_default = standard.len > 0 && str_ends_with(value, standard);
  py_say(sink, RULE_DEPRECATED_EXPORT_ARGUMENT, OWN, argument->node, message,
         is_default ? py_edit_remove(sink, false, removal_text(export, argument->keyword), argument->node) : NULL);
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

/// What was most likely meant: nearly the same word, or one that begins so. NULL for none.
static const char *argument_meant(const ExportCall *export, Str keyword)
{
  if (keyword.len < 3 || (*export->guesses)++ >= PY_GUESS_LIMIT)
    return NULL;  // Of one letter any other would be near.
  ArgumentNames names = { .arena = export->sink->arena };
  export_api_each_argument(export->file->db, add_argument_name, &names);
  const char *near = nearest_word(arena_copy(export->sink->arena, keyword).data, names.items.items, names.items.count);
  for (size_t i = 0; i < names.items.count && !near && keyword.len >= 4; i++)
    near = str_starts_with(str_from(names.items.items[i]), keyword) ? names.items.items[i] : NULL;
  vec_free(&names.items);
  return near;
}

/// No version ever had the argument; `node` is where it is written, and `name` its name there if that can be replaced.
static void check_unknown(const ExportCall *export, Str keyword, PyRef node, PyRef name)
{
  DiagSink *sink = export->sink;
  ExportAcceptance acceptance = export_acceptance(export->file, NULL);
  Severity severity = acceptance.is_refused ? OWN : SEVERITY_WARNING;
  const char *near = argument_meant(export, keyword);
  if (!sink_wants(sink, RULE_UNKNOWN_EXPORT_ARGUMENT, severity))
    return;
  Str then = near ? arena_printf(sink->arena, ": did you mean '%s'?", near)
                  : str_from(acceptance.is_refused ? "." : ", and ignores it without a word.");
  Str message =
      arena_printf(sink->arena, "torch.onnx.export() has no argument '%.*s'%.*s", STR_ARG(keyword), STR_ARG(then));
  if (near && export_argument(export, near))
    name = 0;  // The word that is meant is given, too: it can't be written twice.
  bool is_string = name && py_kind(&export->model->tree, name) == PYK_STRING;
  py_say(sink, RULE_UNKNOWN_EXPORT_ARGUMENT, severity, node, message,
         !near || !name ? NULL
         : is_string    ? py_edit_string(sink, false, name, str_from(near))
                        : py_edit_replace(sink, false, name, str_from(near)));
}

/// `**{"opset": 13}`, `**options` where options is `dict(opset=13)`
static void check_spread_keywords(const ExportCall *export, PyRef value)
{
  const PyModel *model = export->model;
  PyRef dictionary = py_model_resolve(model, value);
  const PyCall *call = py_model_call(model, dictionary);
  bool is_call = call && str_equal(call->qualified, STR("dict"));
  int seen = 0;
  for (uint32_t i = 0; is_call && i < call->argument_count && i < PY_KEYWORD_LIMIT; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->keyword.len > 0 && !export_api_argument(export->file->db, argument->keyword))
      check_unknown(export, argument->keyword, argument->node, py_child(&model->tree, argument->node, PY_F_NAME));
  }
  for (PyRef pair = py_kind(&model->tree, dictionary) == PYK_DICTIONARY ? py_first_child(&model->tree, dictionary) : 0;
       pair && seen < PY_KEYWORD_LIMIT; pair = py_next_sibling(&model->tree, pair), seen++) {
    PyRef key = py_tree_key(&model->tree, pair);
    Str keyword;
    if (key && py_model_string(model, key, export->sink->arena, &keyword) &&
        !export_api_argument(export->file->db, keyword))
      check_unknown(export, keyword, pair, key);
  }
}

static void check_key_set(const KeySet *set, void *context)
{
  const ExportCall *export = context;
  Str keyword;
  if (key_set_text(export->model, set, export->sink->arena, &keyword) &&
      !export_api_argument(export->file->db, keyword))
    check_unknown(export, keyword, set->key, set->key);
}

/// `is_for_one_version`: what a version takes is not asked.
static void check_keywords(const ExportCall *export, bool is_for_one_version)
{
  for (uint32_t i = 0; i < export->call->argument_count && i < PY_KEYWORD_LIMIT; i++) {
    const PyArgument *argument = &py_model_arguments(export->model, export->call)[i];
    if (argument->is_dictionary_splat) {
      check_spread_keywords(export, argument->value);
      keys_set_each(export->model, argument->value, export->call->node, check_key_set, (void *)export);
    }
    if (argument->keyword.len == 0)
      continue;
    const PyExportArgument *fact = export_api_argument(export->file->db, argument->keyword);
    if (!fact) {
      const PyTree *tree = &export->model->tree;
      bool is_pair = py_kind(tree, argument->node) == PYK_PAIR;
      check_unknown(export, argument->keyword, argument->node,
                    py_child(tree, argument->node, is_pair ? PY_F_KEY : PY_F_NAME));
      continue;
    }
    if (is_for_one_version)
      continue;
    ExportAcceptance acceptance = export_acceptance(export->file, fact);
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
  const PyExportArgument *fourth = export_api_argument(sink_python(sink)->db, STR("export_params"));
  const PyExportForm *form = fourth ? export_api_form(fourth, export->file->torch) : NULL;
  bool is_known = !export->file->target->torch_is_default;
  uint32_t position = 0;
  for (uint32_t i = 0; is_known && form && form->position < 0 && i < export->call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(export->model, export->call)[i];
    if (argument->keyword.len > 0 || argument->is_splat || argument->is_dictionary_splat || position++ != 3)
      continue;
    py_say(
        sink, RULE_REMOVED_EXPORT_ARGUMENT, OWN, argument->node,
        STR("Since torch 2.6 only the first three arguments may be given by position: write the names of the others."),
        NULL);
  }
}

void export_check_arguments(const ExportCall *export)
{
  bool is_for_one_version = export->file->torch_is_before || py_file_asks_version(export->file, export->call->node);
  if (!export->file->torch_is_before)
    check_keywords(export, is_for_one_version);
  if (!is_for_one_version)
    check_positions(export);
  check_opset(export, is_for_one_version);
}
