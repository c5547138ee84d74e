#include "notebook/notebook.h"

#include <stdlib.h>

#include "core/workspace.h"
#include "notebook/notebook_private.h"

// --- The model ---

typedef struct NotebookPlan {
  NotebookModel *model;       ///< Its parts have no snapshots yet.
  Vec(SnapshotPlan *) plans;  ///< Of each part.
} NotebookPlan;

static const Language *language_in(LanguageSet set)
{
  for (size_t i = 0; languages[i]; i++) {
    if (languages[i]->sets == set || languages[i]->sets & set & IN_REPORTS)
      return languages[i];
  }
  return NULL;
}

/// Only notebooks that are about exporting are of interest in folders; words in JSON are those of the code and of what
/// it printed.
static bool is_relevant(Str text)
{
  const Language *python = language_in(IN_CODE);
  return str_contains(text, STR("onnx")) || str_contains(text, STR("symbolic")) ||
         (python->is_relevant(text) && !python->is_passive(text));
}

typedef struct Planning {
  NotebookPlan *plan;
  const Snapshot *snapshot;
  const NotebookModel *previous;
} Planning;

static const Snapshot *previous_of(const Planning *planning)
{
  const NotebookModel *old = planning->previous;
  size_t i = planning->plan->plans.count;
  return old && i < old->parts.count ? old->parts.items[i].snapshot : NULL;
}

/// `cells` and `language` may be NULL.
static void add_part(Planning *planning, NotebookPart part, const CellMap *cells, const Language *language)
{
  Document *document;
  if (document_new(buffer_str(&part.text->text), &document) != OK)
    return;
  SnapshotInput input = { .uri = snapshot_uri(planning->snapshot),
                          .version = snapshot_version(planning->snapshot),
                          .document = document,
                          .target = snapshot_target(planning->snapshot),
                          .language = language ? language : language_of(document, (Str){ 0 }, (Str){ 0 }),
                          .cells = cells };
  if (input.language) {
    SnapshotPlan *plan = snapshot_plan(&input, previous_of(planning));
    vec_push(&planning->plan->plans, plan);
    vec_push(&planning->plan->model->parts, part);
  }
  document_release(document);
}

static uint32_t count_lines(Str text, size_t start, size_t end)
{
  uint32_t count = 0;
  for (size_t at = str_find_char(text, '\n', start); at < end; at = str_find_char(text, '\n', at + 1))
    count++;
  return count;
}

static CellMap *map_cells(const Notebook *notebook)
{
  Vec(Cell) cells = { 0 };
  Str code = buffer_str(&notebook->code.text);
  size_t before = 0;
  uint32_t line = 0;
  for (size_t i = 0; i < notebook->cells.count; i++) {
    const NotebookCell *cell = &notebook->cells.items[i];
    line += count_lines(code, before, cell->start);
    before = cell->start;
    vec_push(&cells, (Cell){ .number = cell->number, .first_line = line });
  }
  CellMap *map = cells_new(cells.items, cells.count);
  vec_free(&cells);
  return map;
}

static void add_code(Planning *planning)
{
  const Notebook *notebook = &planning->plan->model->notebook;
  const Language *python = language_in(IN_CODE);
  Str code = buffer_str(&notebook->code.text);
  if (notebook_is_foreign(notebook) || !python->is_relevant(code))
    return;
  CellMap *cells = map_cells(notebook);
  add_part(planning, (NotebookPart){ .text = &notebook->code }, cells, python);
  cells_release(cells);
}

/// True when a traceback goes through the exporter: others are nobody's business here.
static bool tells_of_export(const NotebookText *failed)
{
  Str text = buffer_str(&failed->text);
  return str_contains(text, STR("torch/onnx")) || str_contains(text, STR("torch.onnx"));
}

static void add_output(Planning *planning, const NotebookOutput *output)
{
  if (output->printed.text.len > 0)
    add_part(planning, (NotebookPart){ .text = &output->printed, .cell = output->number }, NULL, NULL);
  if (tells_of_export(&output->failed))
    add_part(planning, (NotebookPart){ .text = &output->failed, .cell = output->number }, NULL,
             language_in(IN_REPORTS));
}

static void free_model(void *made)
{
  NotebookModel *model = made;
  for (size_t i = 0; i < model->parts.count; i++)
    snapshot_release(model->parts.items[i].snapshot);
  vec_free(&model->parts);
  notebook_done(&model->notebook);
  arena_done(&model->arena);
  free(model);
}

static void free_plan(void *made)
{
  NotebookPlan *plan = made;
  for (size_t i = 0; i < plan->plans.count; i++)
    snapshot_plan_free(plan->plans.items[i]);
  vec_free(&plan->plans);
  if (plan->model)
    free_model(plan->model);
  free(plan);
}

/// NULL for a notebook that is whole and has nothing for us.
static void *plan_notebook(const Snapshot *snapshot, const void *previous)
{
  const Document *document = snapshot_document(snapshot);
  NotebookPlan *plan = xcalloc(1, sizeof(*plan));
  NotebookModel *model = xcalloc(1, sizeof(*model));
  plan->model = model;
  notebook_read(document_slice(document, (Range){ 0, document_length(document) }, &model->arena), &model->notebook);
  Planning planning = { plan, snapshot, previous };
  add_code(&planning);
  for (size_t i = 0; i < model->notebook.outputs.count; i++)
    add_output(&planning, &model->notebook.outputs.items[i]);
  if (model->parts.count > 0 || model->notebook.error || notebook_is_foreign(&model->notebook))
    return plan;
  free_plan(plan);
  return NULL;
}

static uint32_t count_pieces(const void *made)
{
  const NotebookPlan *plan = made;
  uint32_t count = 0;
  for (size_t i = 0; i < plan->plans.count; i++)
    count += snapshot_plan_count(plan->plans.items[i]);
  return count;
}

static size_t count_bytes(const void *made)
{
  const NotebookPlan *plan = made;
  size_t bytes = 0;
  for (size_t i = 0; i < plan->plans.count; i++)
    bytes += snapshot_plan_bytes(plan->plans.items[i]);
  return bytes;
}

static void run_piece(void *made, uint32_t piece)
{
  NotebookPlan *plan = made;
  size_t i = 0;
  for (; piece >= snapshot_plan_count(plan->plans.items[i]); i++)
    piece -= snapshot_plan_count(plan->plans.items[i]);
  snapshot_plan_run(plan->plans.items[i], piece);
}

static void *finish_plan(void *made)
{
  NotebookPlan *plan = made;
  NotebookModel *model = plan->model;
  for (size_t i = 0; i < plan->plans.count; i++)
    model->parts.items[i].snapshot = snapshot_plan_finish(plan->plans.items[i]);
  vec_clear(&plan->plans);
  plan->model = NULL;
  free_plan(plan);
  return model;
}

static const LanguageModel notebook_model = {
  .plan = plan_notebook,
  .plan_count = count_pieces,
  .plan_bytes = count_bytes,
  .plan_run = run_piece,
  .plan_finish = finish_plan,
  .plan_free = free_plan,
  .free = free_model,
};

// --- What others see of it ---

const NotebookPart *notebook_part_at(const NotebookModel *model, size_t offset, size_t *ret_offset)
{
  for (size_t i = 0; i < model->parts.count; i++) {
    if (notebook_text_from_file(model->parts.items[i].text, offset, ret_offset))
      return &model->parts.items[i];
  }
  return NULL;
}

typedef struct UnreadInFile {
  const NotebookText *text;
  UnreadVisitor *visit;
  void *context;
} UnreadInFile;

static void visit_unread(size_t start, size_t end, UnreadReason reason, void *context)
{
  const UnreadInFile *unread = context;
  Range range = notebook_text_in_file(unread->text, (Range){ start, end });
  unread->visit(range.start, range.end, reason, unread->context);
}

static void each_unread(const Snapshot *snapshot, UnreadVisitor *visit, void *context)
{
  const NotebookModel *model = notebook_of(snapshot);
  for (size_t i = 0; i < model->parts.count; i++) {
    const NotebookPart *part = &model->parts.items[i];
    const Language *language = snapshot_language(part->snapshot);
    UnreadInFile unread = { part->text, visit, context };
    if (language->each_unread && snapshot_model(part->snapshot))
      language->each_unread(part->snapshot, visit_unread, &unread);
  }
}

static bool has_content(const Snapshot *snapshot)
{
  return notebook_of(snapshot)->parts.count > 0;
}

static Str say_error(const Snapshot *snapshot, const Notebook *notebook, Arena *arena)
{
  Position place = document_position(snapshot_document(snapshot), notebook->error_at, POS_UTF32);
  return arena_printf(arena, "not the JSON of a notebook: %s (line %u, column %u), so what follows was not read",
                      notebook->error, place.line + 1, place.character + 1);
}

static Str blind_spot(const Snapshot *snapshot, Arena *arena)
{
  const NotebookModel *model = notebook_of(snapshot);
  const Notebook *notebook = &model->notebook;
  if (notebook->error)
    return say_error(snapshot, notebook, arena);
  if (notebook_is_foreign(notebook)) {
    Str language = str_slice(notebook->code.file, notebook->language.start, notebook->language.end);
    return arena_printf(arena, "a notebook whose code is %.*s and not Python, so only its outputs were looked at",
                        STR_ARG(language));
  }
  for (size_t i = 0; i < model->parts.count; i++) {
    const Snapshot *part = model->parts.items[i].snapshot;
    const Language *language = snapshot_language(part);
    Str why = snapshot_model(part) && language->blind_spot ? language->blind_spot(part, arena) : (Str){ 0 };
    if (why.len > 0)
      return why;
  }
  return (Str){ 0 };
}

/// From the code of all cells to the file.
static void move_place(const NotebookModel *model, const Snapshot *snapshot, const WorkspacePlace *place)
{
  const NotebookPart *code = &model->parts.items[0];
  size_t line = document_line_start(snapshot_document(code->snapshot), place->line);
  Range range = { line + place->start[POS_UTF8], line + place->end[POS_UTF8] };
  *(WorkspacePlace *)place = workspace_place(snapshot_document(snapshot), notebook_text_in_file(code->text, range));
}

static void move_callers(const NotebookModel *model, const Snapshot *snapshot, const WorkspaceFile *file)
{
  const WorkspaceCaller *moved = NULL;  // Calls are in order, so those of one caller come together.
  for (uint32_t i = 0; i < file->call_count; i++) {
    const WorkspaceCaller *caller = file->calls[i].caller;
    move_place(model, snapshot, &file->calls[i].place);
    if (caller == moved)
      continue;
    move_place(model, snapshot, &caller->place);
    move_place(model, snapshot, &caller->registration);
    moved = caller;
  }
}

/// What the code registers; what cells printed is no dump that anybody looks for.
static void summarize(const Snapshot *snapshot, WorkspaceFile *file)
{
  const NotebookModel *model = notebook_of(snapshot);
  const NotebookPart *code = model->parts.count > 0 ? &model->parts.items[0] : NULL;
  if (!code || code->cell > 0 || !snapshot_model(code->snapshot))
    return;
  snapshot_language(code->snapshot)->summarize(code->snapshot, file);
  for (uint32_t i = 0; i < file->symbolic_count; i++) {
    move_place(model, snapshot, &file->symbolics[i].place);
    move_place(model, snapshot, &file->symbolics[i].registration);
  }
  move_callers(model, snapshot, file);
}

static void each_transcript(Str text, TranscriptVisitor *visit, void *context)
{
  Notebook notebook;
  notebook_read(text, &notebook);
  for (size_t i = 0; i < notebook.outputs.count; i++) {
    const NotebookOutput *output = &notebook.outputs.items[i];
    Arena arena = { 0 };
    const Str both[] = { buffer_str(&output->printed.text), STR("\n"), buffer_str(&output->failed.text) };
    visit(arena_join(&arena, both, COUNT(both)), arena_printf(&arena, "output of cell %u", output->number), context);
    arena_done(&arena);
  }
  notebook_done(&notebook);
}

const Language notebook_language = {
  .name = "notebook",
  .title = "a notebook",
  .sets = IN_CODE | IN_GRAPHS | IN_TORCHSCRIPT | IN_FX | IN_ONNX | IN_REPORTS,
  .endings = (const LanguageEnding[]){ { STR_INIT(".ipynb"), false }, { { 0 }, false } },
  .goes_by_name = true,
  .first_code = "all code",
  .unread_advice = "split it into several cells",
  .quick_check_limit = 1 << 20,
  .is_relevant = is_relevant,
  .model = &notebook_model,
  .check = notebook_check,
  .each_unread = each_unread,
  .has_content = has_content,
  .blind_spot = blind_spot,
  .each_transcript = each_transcript,
  .summarize = summarize,
  .features = &notebook_features,
};
