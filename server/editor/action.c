// textDocument/codeAction: which diagnostics are meant, and the actions for each of them.

#include "base/limits.h"
#include "base/sort.h"
#include "editor/action_ignore.h"
#include "editor/suggested_dims.h"
#include "editor/suggested_export.h"
#include "editor/suggested_translation.h"

typedef Vec(const Diagnostic *) Chosen;

static bool is_support(const Diagnostic *diagnostic)
{
  return diagnostic->rule == RULE_UNSUPPORTED_OP || diagnostic->rule == RULE_OP_NEEDS_NEWER_OPSET;
}

/// The lines that a range touches.
static Range whole_lines(const Document *document, Range range)
{
  uint32_t last = document_line_of(document, range.end);
  size_t start = document_line_start(document, document_line_of(document, range.start));
  return (Range){ start, document_line_start(document, last) + document_line(document, last).len };
}

/// Diagnostics under the cursor, then the others of its lines: few people aim at a word before they ask.
static void choose(const ActionJob *job, DiagnosticList list, Range range, Chosen *chosen)
{
  Range lines = whole_lines(snapshot_document(job->context->snapshot), range);
  for (int is_exact = 1; is_exact >= 0; is_exact--) {
    for (size_t i = 0; i < list.count && chosen->count < ACTION_DIAGNOSTIC_LIMIT; i++) {
      const Diagnostic *diagnostic = &list.items[i];
      if (range_touches(diagnostic->range, lines) && range_touches(diagnostic->range, range) == (is_exact == 1))
        vec_push(chosen, diagnostic);
    }
  }
}

/// Whether one of the first `count` is of the same rule, and about the same operator.
static bool was_before(const Chosen *chosen, size_t count, bool (*is_same)(const Diagnostic *, const Diagnostic *))
{
  for (size_t i = 0; i < count; i++) {
    if (is_same(chosen->items[i], chosen->items[count]))
      return true;
  }
  return false;
}

static bool is_same_operator(const Diagnostic *a, const Diagnostic *b)
{
  return is_support(a) && is_support(b) && str_equal(a->support.op, b->support.op);
}

static bool is_same_rule(const Diagnostic *a, const Diagnostic *b)
{
  return a->rule == b->rule;
}

static void add_fixes(ActionJob *job, const Diagnostic *diagnostic)
{
  bool has_preferred = false;
  for (size_t i = 0; i < diagnostic->fix_count; i++) {
    const Fix *fix = &diagnostic->fixes[i];
    Action action = { .title = fix->title, .diagnostic = diagnostic, .edits = fix->edits };
    action.edit_count = fix->edit_count;
    action.is_preferred = fix->is_safe && !has_preferred;
    has_preferred |= fix->is_safe;
    vec_push(&job->actions, action);
  }
}

static void add_report(ActionJob *job, const Diagnostic *diagnostic)
{
  Action action = { .title = STR("List all unsupported operators"), .diagnostic = diagnostic, .is_report = true };
  vec_push(&job->actions, action);
}

/// What repairs comes first, what only silences last.
static void add_quickfixes(ActionJob *job, const Chosen *chosen)
{
  const Diagnostic *support = NULL;
  if (chosen->count == 0)
    return;
  const LanguageFeatures *features = snapshot_language(job->context->snapshot)->features;
  for (size_t i = 0; i < chosen->count; i++)
    add_fixes(job, chosen->items[i]);
  for (size_t i = 0; i < chosen->count; i++) {
    if (!is_support(chosen->items[i]) || was_before(chosen, i, is_same_operator))
      continue;
    if (features->actions)
      features->actions(job, chosen->items[i]);
    support = support ? support : chosen->items[i];
  }
  if (support && features->report)
    add_report(job, support);
  for (size_t i = 0; i < chosen->count; i++)
    action_ignore_line(job, chosen->items[i]);
  for (size_t i = 0; i < chosen->count; i++) {
    if (!was_before(chosen, i, is_same_rule))
      action_ignore_file(job, chosen->items[i]);
  }
}

static void add_fix_all(ActionJob *job, const DiagnosticList *list)
{
  EditList edits = feature_safe_fixes(list, job->context->arena);
  if (edits.count == 0)
    return;
  Action action = { .kind = ACTION_FIX_ALL, .edits = edits.items, .edit_count = edits.count };
  action.title = arena_printf(job->context->arena, "Apply all %zu safe fixes", edits.fix_count);
  if (edits.fix_count == 1)
    action.title = STR("Apply the one safe fix");
  vec_push(&job->actions, action);
}

ActionList feature_actions(const FeatureContext *context, const ActionWorld *world, Range range, unsigned kinds)
{
  ActionJob job = { .context = context, .world = world };
  DiagnosticList list = diagnostics_unless(context->cancelled, context->snapshot, context->arena);
  Chosen chosen = { 0 };
  choose(&job, list, range, &chosen);
  if (kinds & 1u << ACTION_QUICKFIX)
    add_quickfixes(&job, &chosen);
  if (kinds & 1u << ACTION_QUICKFIX) {
    suggested_dims_act(&job, range);
    suggested_export_act(&job, range);
    suggested_translation_act(&job, range);
  }
  if (kinds & 1u << ACTION_FIX_ALL)
    add_fix_all(&job, &list);
  Action *items = vec_copy(&job.actions, context->arena);
  ActionList result = { items, job.actions.count };
  vec_free(&job.actions);
  vec_free(&chosen);
  return result;
}

// --- All safe fixes at once ---

static bool overlaps(const TextEdit *a, const TextEdit *b)
{
  if (a->range.start == b->range.start)
    return true;  // Two insertions at one place have no order.
  return a->range.start < b->range.end && b->range.start < a->range.end;
}

typedef Vec(TextEdit) EditVec;

static bool is_free(const EditVec *taken, const Fix *fix)
{
  for (size_t i = 0; i < fix->edit_count; i++) {
    // Most fixes touch what lies after all the others.
    for (size_t k = taken->count; k-- > 0;) {
      if (overlaps(&taken->items[k], &fix->edits[i]))
        return false;
    }
  }
  return true;
}

static int compare_edits(const void *a, const void *b)
{
  const TextEdit *x = a;
  const TextEdit *y = b;
  return (x->range.start > y->range.start) - (x->range.start < y->range.start);
}

EditList feature_safe_fixes(const DiagnosticList *diagnostics, Arena *arena)
{
  EditVec taken = { 0 };
  EditList list = { 0 };
  for (size_t i = 0; i < diagnostics->count && taken.count < FIX_EDIT_LIMIT; i++) {
    const Diagnostic *diagnostic = &diagnostics->items[i];
    const Fix *fix = diagnostic->fix_count > 0 ? &diagnostic->fixes[0] : NULL;
    if (!fix || !fix->is_safe || fix->edit_count == 0 || !is_free(&taken, fix))
      continue;
    vec_append(&taken, fix->edits, fix->edit_count);
    list.fix_count++;
  }
  TextEdit *items = vec_copy(&taken, arena);
  sort_stable(items, taken.count, sizeof(*items), compare_edits);
  list.items = items;
  list.count = taken.count;
  vec_free(&taken);
  return list;
}
