// How a Python file becomes a model: its parts are parsed alone, then lowered as one.

#include "python/python_language.h"

#include "core/snapshot.h"
#include "python/model/python_file.h"
#include "python/rules/export/model_uses.h"

typedef struct PythonModel {
  PySyntax *syntax;
  PyFile *file;
} PythonModel;

typedef struct PythonPlan {
  const Snapshot *snapshot;
  const PythonModel *old;  ///< Of the text before; NULL. The plan's maker keeps it.
  PySyntaxPlan *syntax;
} PythonPlan;

static void *plan_file(const Snapshot *snapshot, const void *previous)
{
  const PythonModel *old = previous;
  const Document *document = snapshot_document(snapshot);
  Arena arena = { 0 };
  PythonPlan *plan = NULL;
  Str text = document_slice(document, (Range){ 0, document_length(document) }, &arena);
  bool is_for_us = python_is_relevant(text) && !(snapshot_is_unnamed(snapshot) && python_is_passive(text));
  if (is_for_us || snapshot_is_imported(snapshot)) {
    plan = xcalloc(1, sizeof(*plan));
    plan->snapshot = snapshot;
    plan->old = old;
    plan->syntax = py_syntax_plan(text, old ? old->syntax : NULL);
  }
  arena_done(&arena);
  return plan;
}

static uint32_t count_pieces(const void *plan)
{
  return py_syntax_plan_count(((const PythonPlan *)plan)->syntax);
}

static size_t count_bytes(const void *plan)
{
  return py_syntax_plan_bytes(((const PythonPlan *)plan)->syntax);
}

static void run_piece(void *plan, uint32_t piece)
{
  py_syntax_plan_run(((PythonPlan *)plan)->syntax, piece);
}

static void free_plan(void *python_plan)
{
  PythonPlan *plan = python_plan;
  py_syntax_plan_free(plan->syntax);
  free(plan);
}

static void *finish_plan(void *python_plan)
{
  PythonPlan *plan = python_plan;
  PythonModel *model = xcalloc(1, sizeof(*model));
  model->syntax = py_syntax_plan_finish(plan->syntax);
  const Target *target = snapshot_target(plan->snapshot);
  Str uri = snapshot_uri(plan->snapshot);
  bool is_imported = snapshot_is_imported(plan->snapshot);
  if (plan->old && plan->old->syntax == model->syntax && !is_imported)
    model->file = python_file_renew(plan->old->file, uri, target);
  if (!model->file) {
    const PyModel *before = plan->old ? plan->old->file->model : NULL;
    model->file = (is_imported ? python_file_new_unread
                               : python_file_new)(python_lower(model->syntax, uri, target->workspace, before), target);
  }
  free(plan);
  return model;
}

static void free_model(void *python_model)
{
  PythonModel *model = python_model;
  python_file_free(model->file);
  py_syntax_release(model->syntax);
  free(model);
}

static const LanguageModel python_model = {
  .plan = plan_file,
  .plan_count = count_pieces,
  .plan_bytes = count_bytes,
  .plan_run = run_piece,
  .plan_finish = finish_plan,
  .plan_free = free_plan,
  .free = free_model,
};

const PyFile *py_file_of_snapshot(const Snapshot *snapshot)
{
  const PythonModel *model = snapshot_language(snapshot) == &python_language ? snapshot_model(snapshot) : NULL;
  return model ? model->file : NULL;
}

static void each_unread(const Snapshot *snapshot, UnreadVisitor *visit, void *context)
{
  const PythonModel *model = snapshot_model(snapshot);
  size_t count = 0;
  const Unread *unread = model ? py_syntax_unread(model->syntax, &count) : NULL;
  for (size_t i = 0; i < count; i++)
    visit(unread[i].start, unread[i].end, unread[i].reason, context);
}

/// Whether names of other files may decide what it registers or exports.
static bool asks_others(const PyModel *model)
{
  return model->is_ours || model->exports.count > 0 || model->registrations.count > 0 || model->ops.count > 0;
}

/// Whether something that others want to know of it may stand in another file.
static bool is_open(const PyFile *file)
{
  const PyModel *model = file->model;
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    if (!registration->name_known || !registration->opset_known)
      return true;
  }
  for (size_t i = 0; i < model->exports.count; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    if (py_model_argument(model, call, PY_ABSENT, "opset_version") && py_file_opset_named(file, call) == 0)
      return true;
  }
  return false;
}

static void summarize(const Snapshot *snapshot, WorkspaceFile *file)
{
  const PyModel *model = py_file_of_snapshot(snapshot)->model;
  python_add_constants(model, file);
  file->constants.is_wanted = snapshot_is_imported(snapshot);
  if (file->constants.is_wanted || asks_others(model))
    python_add_imports(model, file);
  if (file->constants.is_wanted) {
    python_summarize_unread(snapshot, file);
    return;
  }
  file->is_open = file->import_count > 0 && is_open(py_file_of_snapshot(snapshot));
  python_summarize(snapshot, file);
  model_uses_summarize(snapshot, file);
}

const Language python_language = {
  .name = "python",
  .title = "a Python file",
  .sets = IN_CODE,
  .endings = (const LanguageEnding[]){ { STR_INIT(".py"), false }, { { 0 }, false } },
  .goes_by_name = true,
  .knows_names = true,
  .first_code = "all code",
  .unread_advice = "mend or split what is there",
  .quick_check_limit = 100 * 1024,
  .is_relevant = python_is_relevant,
  .is_passive = python_is_passive,
  .each_definition = python_each_definition,
  .each_import = python_each_import,
  .module_endings = (const Str[]){ STR_INIT(".py"), STR_INIT("/__init__.py"), { 0 } },
  .model = &python_model,
  .check = python_check,
  .each_comment = python_each_comment,
  .each_unread = each_unread,
  .blind_spot = python_blind_spot,
  .summarize = summarize,
  .features = &python_features,
};
