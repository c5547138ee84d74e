// Symbolic functions of a file whose exports take the dynamo exporter, which calls none: torch.onnx.export() with
// dynamo=True (the default since torch 2.9), or of an ExportedProgram.

#include "base/limits.h"
#include "python/rules/migrate/migrate.h"
#include "python/rules/registration/registration.h"

typedef struct IgnoredCheck {
  DiagSink *sink;
  const PyFile *file;
  const PyModel *model;
  PyRegistrationUse use;
  const PyCall *export;  ///< NULL if the file has none.
  PyExporterChoice choice;
  const Fix *fix;
  bool is_said;  ///< An information was given; one is enough.
} IgnoredCheck;

/// What a fix makes of a function for the dynamo exporter, or why there is none.
typedef struct Migrated {
  const Fix *fix;
  MigrationStop stop;
} Migrated;

// --- dynamo=False ---

static bool says_false(IgnoredCheck *check, const PyCall *call, TextEdit *edit)
{
  const PyArgument *argument = py_model_argument(check->model, call, PY_ABSENT, "dynamo");
  if (argument && py_kind(&check->model->tree, argument->value) == PYK_TRUE) {
    *edit = (TextEdit){ py_range(check->sink, argument->value), STR("False") };
    return argument->node > call->node && argument->node < check->model->tree.nodes[call->node].next;
  }
  if (argument || !call->list_node || check->model->tree.nodes[call->list_node].has_error)
    return false;
  const Fix *fix = py_edit_append(check->sink, false, STR(""), call->list_node, STR("dynamo=False"));
  if (fix)
    *edit = fix->edits[0];
  return fix != NULL;
}

/// `dynamo=False` in all exports that would ignore the functions; NULL if that is of no use.
static const Fix *fix_exports(IgnoredCheck *check)
{
  const PyModel *model = check->model;
  TextEdit *edits = ARENA_ARRAY(check->sink->arena, TextEdit, model->exports.count);
  uint32_t count = 0;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    PyExporterChoice choice = py_file_exporter(check->file, call);
    if (choice.is_exported_program || !says_false(check, call, &edits[count]))
      return NULL;
    count++;
  }
  Fix *fix = ARENA_NEW(check->sink->arena, Fix);
  *fix = (Fix){ .title = STR("Export with dynamo=False"), .edits = edits, .edit_count = count };
  return count > 0 ? fix : NULL;
}

// --- What is said ---

static const char *reason_of(const IgnoredCheck *check)
{
  if (check->choice.is_exported_program)
    return "is of an ExportedProgram, and so takes the dynamo exporter";
  return check->choice.is_said ? "has dynamo=True" : "takes the dynamo exporter, the default since torch 2.9";
}

/// `dynamo=False` first, as it changes least; `ret_fixes` has room for two.
static uint32_t gather_fixes(const IgnoredCheck *check, const Fix *migration, Fix *ret_fixes)
{
  uint32_t count = 0;
  if (check->fix)
    ret_fixes[count++] = *check->fix;
  if (migration)
    ret_fixes[count++] = *migration;
  return count;
}

/// Where the export is, and what keeps a fix from being offered; `ret_related` has room for two.
static uint32_t gather_places(const IgnoredCheck *check, const Migrated *migrated, RelatedLocation *ret_related)
{
  DiagSink *sink = check->sink;
  uint32_t count = 0;
  if (check->export)
    ret_related[count++] =
        (RelatedLocation){ py_range(sink, check->export->function_node), STR("The export is here.") };
  if (!migrated->fix && migrated->stop.why)
    ret_related[count++] =
        (RelatedLocation){ py_range(sink, migrated->stop.node),
                           arena_printf(sink->arena, "No fix writes it for the dynamo exporter, because this %s.",
                                        migrated->stop.why) };
  return count;
}

static void say(IgnoredCheck *check, PyRef node, Severity severity, Str message, const Migrated *migrated)
{
  DiagSink *sink = check->sink;
  RelatedLocation *related = ARENA_ARRAY(sink->arena, RelatedLocation, 2);
  Fix *fixes = ARENA_ARRAY(sink->arena, Fix, 2);
  py_report(sink, RULE_IGNORED_REGISTRATION, severity, node,
            (Diagnostic){ .message = message,
                          .related = related,
                          .related_count = gather_places(check, migrated, related),
                          .fixes = fixes,
                          .fix_count = gather_fixes(check, migrated->fix, fixes) });
}

static void check_place(IgnoredCheck *check, PyRef node, const char *what, const Migrated *migrated)
{
  DiagSink *sink = check->sink;
  bool is_sure = check->export && check->use.kind == EXPORT_DYNAMO;
  Severity severity = is_sure ? OWN : SEVERITY_INFO;
  if ((!is_sure && check->is_said) || py_file_asks_version(check->file, node) ||
      !sink_wants(sink, RULE_IGNORED_REGISTRATION, severity))
    return;
  check->is_said = true;
  Str message;
  if (is_sure)
    message = arena_printf(sink->arena, "%s is ignored: the export %s. Only dynamo=False calls symbolic functions%s.",
                           what, reason_of(check), check->choice.is_exported_program ? ", of the model itself" : "");
  else
    message = arena_printf(sink->arena,
                           "%s is ignored by the dynamo exporter, which torch.onnx.export() takes since torch 2.9: "
                           "export with dynamo=False.",
                           what);
  say(check, node, severity, message, migrated);
}

// --- The functions ---

static bool is_registration(const PyModel *model, const PyRegistration *registration)
{
  if (registration->kind == PY_REG_CUSTOM)
    return true;
  return registration->kind == PY_REG_TABLE && registration->function != PY_ABSENT &&
         (model->functions.items[registration->function].roles & PY_ROLE_HELPER) == 0;
}

static void check_functions(IgnoredCheck *check)
{
  const PyModel *model = check->model;
  for (size_t i = 0; i < model->registrations.count && i < PY_REGISTRATION_LIMIT; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    if (!is_registration(model, registration))
      continue;
    Migrated migrated = { 0 };
    migrated.fix = migrate_registration(check->sink, registration, &migrated.stop);
    check_place(check, registration->name_node ? registration->name_node : registration->node, "The registration",
                &migrated);
  }
  int checked = 0;
  for (size_t i = 0; i < model->functions.count && checked < PY_METHOD_LIMIT; i++) {
    const PyFunction *function = &model->functions.items[i];
    if ((function->roles & PY_ROLE_AUTOGRAD) == 0)
      continue;
    checked++;
    Migrated migrated = { 0 };
    migrated.fix = migrate_autograd(check->sink, (uint32_t)i, &migrated.stop);
    check_place(check, function->name_node, "symbolic()", &migrated);
  }
}

static bool has_functions(const PyModel *model)
{
  for (size_t i = 0; i < model->registrations.count; i++) {
    if (is_registration(model, &model->registrations.items[i]))
      return true;
  }
  return false;
}

/// Where other exports of the file call the functions, those that do not by the exporter's default.
static void check_other_exports(IgnoredCheck *check)
{
  DiagSink *sink = check->sink;
  const PyModel *model = check->model;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT && has_functions(model); i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    PyExporterChoice choice = py_file_exporter(check->file, call);
    TextEdit *edit = ARENA_NEW(sink->arena, TextEdit);
    if (choice.kind != EXPORT_DYNAMO || choice.is_said || choice.is_exported_program ||
        py_file_asks_version(sink_python(sink), call->node) || !sink_wants(sink, RULE_IGNORED_REGISTRATION, OWN))
      continue;
    bool has_fix = says_false(check, call, edit);
    py_say(sink, RULE_IGNORED_REGISTRATION, OWN, call->function_node,
           STR("This export takes the dynamo exporter, the default since torch 2.9, which ignores the registrations of "
               "this file: only dynamo=False calls symbolic functions."),
           has_fix ? py_fix(sink, false, STR("Export with dynamo=False"), edit->range, edit->text) : NULL);
  }
}

void check_python_ignored(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  IgnoredCheck check = { .sink = sink, .file = file, .model = model };
  if (py_is_torch_itself(model))
    return;
  registration_check_order(sink);
  check.use = py_file_registration_use(file);
  bool has_export = check.use.export_index != PY_ABSENT;
  if (check.use.kind == EXPORT_TRACES)
    check_other_exports(&check);
  if (check.use.kind == EXPORT_TRACES || (check.use.kind == EXPORT_EITHER && !has_export))
    return;
  if (has_export) {
    check.export = &model->calls.items[model->exports.items[check.use.export_index]];
    check.choice = py_file_exporter(file, check.export);
    if (!check.choice.is_said && py_file_asks_version(check.file, check.export->node))
      return;
    check.fix = fix_exports(&check);
  }
  check_functions(&check);
}
