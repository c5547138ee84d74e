// Registrations: their opsets, and whether an export ever chooses the function.

#include "base/limits.h"
#include "python/rules/registration/registration.h"

// --- Opsets ---

/// "9.0" and "\"13\"" as an int; empty if they are none.
static Str opset_meant(const DiagSink *sink, PyRef node)
{
  Str text = py_text(&sink_python(sink)->model->tree, node);
  if (text.len > 2 && (text.data[0] == '"' || text.data[0] == '\''))
    text = str_slice(text, 1, text.len - 1);
  else if (str_ends_with(text, STR(".0")))
    text = str_slice(text, 0, text.len - 2);
  uint64_t value;
  return str_to_uint(text, OPSET_LIMIT, &value) ? text : (Str){ 0 };
}

static void check_opset_type(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink_python(sink)->model;
  // The opset of an alias made by functools.partial is elsewhere, and is one mistake for all its uses.
  PyRef around = registration->call != PY_ABSENT ? model->calls.items[registration->call].node : 0;
  PyRef opset = registration->opset_node;
  bool is_here = !around || (opset >= around && opset < model->tree.nodes[around].next) || registration->node != around;
  if (!is_here || !sink_wants(sink, RULE_REGISTRATION_OPSET_TYPE, OWN))
    return;
  PyRef value = py_model_resolve(model, opset);
  Str meant = opset_meant(sink, value);
  Str message =
      arena_printf(sink->arena, "The opset has to be an int, not %.*s.", STR_ARG(py_text(&model->tree, value)));
  py_say(sink, RULE_REGISTRATION_OPSET_TYPE, OWN, opset, message,
         meant.len > 0 ? py_edit_replace(sink, true, value, meant) : NULL);
}

/// "17 in torch 1.13, 20 in torch 2.6 and 2.14": the highest opset of the exporter in each of the file's versions.
static Str highest_opsets(const DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const Str *versions;
  size_t count = symbolics_torch_versions(file->db, &versions);
  Str text = { 0 };
  int last = 0;
  for (uint32_t torch = 0; torch < count; torch++) {
    OpsetRange range;
    if ((file->torches >> torch & 1) == 0 || !symbolics_opset_range(file->db, torch, EXPORTER_TORCHSCRIPT, &range))
      continue;
    if (range.max == last)
      text = arena_printf(sink->arena, "%.*s and %.*s", STR_ARG(text), STR_ARG(versions[torch]));
    else
      text = arena_printf(sink->arena, "%.*s%s%d in torch %.*s", STR_ARG(text), text.len > 0 ? ", " : "", range.max,
                          STR_ARG(versions[torch]));
    last = range.max;
  }
  return text;
}

/// Many registrations may have an opset of one place: that is said once. `told` is by node, and made when it is needed.
static void check_opset_range(DiagSink *sink, const PyRegistration *registration, int opset, bool **told)
{
  if (!*told)
    *told = ARENA_ARRAY(sink->arena, bool, sink_python(sink)->model->node_count);
  if ((*told)[registration->opset_node] || !sink_wants(sink, RULE_REGISTRATION_OPSET_RANGE, OWN))
    return;
  (*told)[registration->opset_node] = true;
  Str message;
  if (opset < 1)
    message = arena_printf(sink->arena, "No export looks at opset %d: opsets begin with 1.", opset);
  else
    message = arena_printf(sink->arena, "Opset %d is above the highest that the TorchScript exporter has: %.*s.", opset,
                           STR_ARG(highest_opsets(sink)));
  py_say(sink, RULE_REGISTRATION_OPSET_RANGE, OWN, registration->opset_node, message, NULL);
}

// --- Which function an export chooses ---

/// The opsets that this file's code is exported to, in one torch version.
typedef struct Targets {
  OpsetSet set;
  bool is_given;  ///< By the file or a setting; else what the exporter takes by default.
} Targets;

/// What the file's own exports say. The dynamo exporter looks at no registration.
static Targets targets_of_exports(const PyFile *file)
{
  const PyModel *model = file->model;
  Targets targets = { 0 };
  bool has_unknown = false;
  for (size_t i = 0; i < model->exports.count; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    PyExporterChoice choice = py_file_exporter(file, call);
    if (choice.kind == EXPORT_DYNAMO && (choice.is_said || choice.is_exported_program))
      continue;
    const PyArgument *argument = py_model_argument(model, call, PY_ABSENT, "opset_version");
    int64_t opset;
    if (argument && py_model_int(model, argument->value, &opset) && opset >= 1 && opset <= OPSET_LIMIT)
      targets.set |= opset_set_of((int)opset);
    else
      has_unknown = true;
  }
  targets.is_given = targets.set != 0 && !has_unknown;
  return targets;
}

/// In one torch version, where what nobody gives is the exporter's default.
static Targets targets_of(const PyFile *file, Targets of_exports, uint32_t torch)
{
  OpsetRange range = { 0 };
  symbolics_opset_range(file->db, torch, EXPORTER_TORCHSCRIPT, &range);
  if (file->model->exports.count == 0 && file->export_opset > 0)
    return (Targets){ opset_set_of(file->export_opset), true };
  if (!of_exports.is_given)
    of_exports.set |= opset_set_of(range.standard);
  return of_exports;
}

/// What the exports choose instead of a registration.
typedef struct Shadow {
  Str name;          ///< The operator's, also for the old way to write it.
  bool is_used;      ///< An export chooses it, or another one of this file for the name, or that is not known.
  bool is_given;     ///< The opsets of the exports are known.
  int first_target;  ///< The lowest and the highest of the opsets of all exports.
  int last_target;
  int chosen;  ///< The opset of the built-in function that the first one chooses; 0 for none.
} Shadow;

static void look_at_targets(const PyFile *file, const PyRegistration *registration, Targets of_exports, uint32_t torch,
                            Shadow *shadow)
{
  OpsetSet custom = py_file_custom_opsets(file, registration->name);
  OpsetSet all = custom | py_file_builtin_opsets(file, torch, shadow->name);
  Targets targets = targets_of(file, of_exports, torch);
  shadow->is_given &= targets.is_given;
  for (OPSET_SET_EACH(opset, targets.set)) {
    int chosen = opset_set_dispatch(all, opset);
    shadow->is_used |= opset_set_has(custom, chosen);
    if (shadow->first_target == 0)
      shadow->chosen = chosen;
    if (shadow->first_target == 0 || opset < shadow->first_target)
      shadow->first_target = opset;
    if (opset > shadow->last_target)
      shadow->last_target = opset;
  }
}

static Shadow shadow_of(DiagSink *sink, const PyRegistration *registration, Targets of_exports)
{
  const PyFile *file = sink_python(sink);
  Shadow shadow = { .name = registration_full_name(sink, registration), .is_given = true };
  if (py_file_has_open_opsets(file, registration->name))
    shadow.is_used = true;
  for (PY_EACH_TORCH(file, torch))
    look_at_targets(file, registration, of_exports, torch, &shadow);
  return shadow;
}

/// The lowest opset above `opset` at which every one of the file's torch versions has a built-in function.
static int next_builtin(const PyFile *file, Str name, int opset)
{
  OpsetSet all = opset_set_range(opset + 1, OPSET_LIMIT);
  for (PY_EACH_TORCH(file, torch))
    all &= py_file_builtin_opsets(file, torch, name);
  return opset_set_first(all);
}

static void say_shadowed(DiagSink *sink, const PyRegistration *registration, const Shadow *shadow, int opset)
{
  int next = next_builtin(sink_python(sink), shadow->name, opset);
  if (!sink_wants(sink, RULE_SHADOWED_REGISTRATION, OWN))
    return;
  Str name = shadow->name;
  Str message;
  if (shadow->is_given && shadow->first_target == shadow->last_target)
    message = arena_printf(sink->arena,
                           "The export to opset %d takes PyTorch's own '%.*s' of opset %d, not this one of opset %d: a "
                           "function is registered for one opset only (since torch 1.13). Register it for opset %d.",
                           shadow->first_target, STR_ARG(name), shadow->chosen, opset, shadow->first_target);
  else
    message = arena_printf(sink->arena,
                           "From opset %d on PyTorch's own '%.*s' of that opset is taken, not this one of opset %d: a "
                           "function is registered for one opset only (since torch 1.13). Register it for the opset of "
                           "the export.",
                           next > 0 ? next : shadow->chosen, STR_ARG(name), opset);
  py_say(sink, RULE_SHADOWED_REGISTRATION, OWN, registration->node, message, NULL);
}

static void say_above(DiagSink *sink, const PyRegistration *registration, const Shadow *shadow, int opset)
{
  if (!sink_wants(sink, RULE_REGISTRATION_ABOVE_OPSET, OWN))
    return;
  Str message = arena_printf(sink->arena,
                             "'%.*s' is registered for opset %d, but the export is to opset %d: it is never used. "
                             "Register it for opset %d.",
                             STR_ARG(registration->name), opset, shadow->last_target, shadow->last_target);
  Str right = arena_printf(sink->arena, "%d", shadow->last_target);
  PyRef value = registration->opset_node;
  bool is_literal = value && py_kind(&sink_python(sink)->model->tree, value) == PYK_INTEGER;
  py_say(sink, RULE_REGISTRATION_ABOVE_OPSET, OWN, registration->opset_node, message,
         is_literal && shadow->first_target == shadow->last_target ? py_edit_replace(sink, false, value, right) : NULL);
}

/// What a function registers for that only other files call, if they give it no opset: they know what they export to.
static bool is_left_to_callers(const PyModel *model, PyRef opset)
{
  const PyTree *tree = &model->tree;
  PyRef around = opset ? tree->nodes[opset].parent : 0;
  PyNodeKind kind = py_kind(tree, around);
  const PyBinding *binding = kind == PYK_DEFAULT_PARAMETER || kind == PYK_TYPED_DEFAULT_PARAMETER
                                 ? py_model_binding_at(model, py_first_child(tree, around))
                                 : NULL;
  const PyFunction *function =
      binding && binding->kind == PY_BIND_PARAM ? &model->functions.items[binding->scope] : NULL;
  return function && function->first_call == PY_ABSENT && function->first_method_call == PY_ABSENT;
}

/// Whether the function is never the one that is chosen. Several opsets in one registration are somebody who knows.
static void check_dispatch(DiagSink *sink, const PyRegistration *registration, Targets of_exports, int opset)
{
  Shadow shadow = shadow_of(sink, registration, of_exports);
  if (shadow.is_used || shadow.first_target == 0)
    return;
  if (opset > shadow.last_target) {
    if (shadow.is_given && !is_left_to_callers(sink_python(sink)->model, registration->opset_node))
      say_above(sink, registration, &shadow, opset);
  } else if (shadow.chosen > opset) {
    say_shadowed(sink, registration, &shadow, opset);
  }
}

static void check_opsets(DiagSink *sink, const PyRegistration *registration, Targets of_exports, bool **told)
{
  const PyFile *file = sink_python(sink);
  if (!registration->opset_node)
    return;
  PyValue value = py_file_value(file, registration->opset_node);
  if (registration->opset_is_wrong_type ||
      (!registration->opset_known && py_file_is_only(value, PY_STRING | PY_FLOAT | PY_NONE))) {
    check_opset_type(sink, registration);
    return;
  }
  if (registration->kind != PY_REG_CUSTOM || !registration->opset_known || registration->opset_count != 1 ||
      file->torch_is_before || py_file_asks_version(file, registration->node))
    return;
  int opset = file->model->opsets.items[registration->first_opset];
  if (opset < 1 || opset > file->range.max)
    check_opset_range(sink, registration, opset, told);
  else if (registration->name_known && file->model->registrations.count <= PY_REGISTRATION_LIMIT)
    check_dispatch(sink, registration, of_exports, opset);
}

// --- Unregistering ---

/// Says something only if the file itself registers the name, for other opsets: what others do is not known.
static void check_unregister(DiagSink *sink, const PyRegistration *registration)
{
  const PyFile *file = sink_python(sink);
  if (!registration->name_known || !registration->opset_known || registration->opset_count != 1 ||
      file->model->registrations.count > PY_REGISTRATION_LIMIT)
    return;
  int opset = file->model->opsets.items[registration->first_opset];
  OpsetSet custom = py_file_custom_opsets(file, registration->name);
  if (custom == 0 || opset_set_has(custom, opset) || py_file_has_open_opsets(file, registration->name) ||
      !sink_wants(sink, RULE_NOTHING_TO_UNREGISTER, OWN))
    return;
  Str message =
      arena_printf(sink->arena, "Nothing is registered for '%.*s' at opset %d; this file registers it for %.*s.",
                   STR_ARG(registration->name), opset, STR_ARG(opset_set_text(custom, sink->arena)));
  bool is_one = !opset_set_has_many(custom);
  PyRef value = registration->opset_node;
  bool is_literal = py_kind(&file->model->tree, value) == PYK_INTEGER;
  Str right = arena_printf(sink->arena, "%d", opset_set_first(custom));
  py_say(sink, RULE_NOTHING_TO_UNREGISTER, OWN, registration->node, message,
         is_one && is_literal ? py_edit_replace(sink, false, value, right) : NULL);
}

/// A row of a table is taken for a registration only if its function makes nodes.
static bool is_sure(const PyModel *model, const PyRegistration *registration)
{
  if (registration->kind != PY_REG_TABLE)
    return true;
  const PyFunction *function = &model->functions.items[registration->function];
  return function->param_count > 0 && str_equal(py_model_params(model, function)->name, STR("g"));
}

void check_python_registrations(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  Targets of_exports = targets_of_exports(sink_python(sink));
  int guesses = 0;
  bool *told = NULL;
  registration_check_decorators(sink);
  registration_check_lost_calls(sink);
  registration_check_rows(sink);
  registration_check_late_names(sink);
  registration_check_patched(sink);
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    if (registration->kind == PY_REG_FILE || !is_sure(model, registration))
      continue;
    registration_check_call(sink, registration);
    if (registration->kind == PY_REG_CUSTOM && registration->opset_node && !registration->is_row)
      registration_check_key(sink, registration->opset_node);
    if (registration->kind == PY_REG_UNREGISTER) {
      if (!registration->name_known || registration_check_name(sink, registration, &guesses))
        check_unregister(sink, registration);
      continue;
    }
    registration_check_arguments(sink, registration);
    if (!registration->name_known || registration_check_name(sink, registration, &guesses))
      check_opsets(sink, registration, of_exports, &told);
  }
}
