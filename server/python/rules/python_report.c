// A finding may be about what another file says: then it is told where this one names that.

#include "python/rules/python_report.h"

#include "base/ascii.h"
#include "base/limits.h"

static bool is_own(const PyModel *model, Range range)
{
  return range.start <= model->tree.text.len;
}

/// Whether the range is in something that gives its arguments to several calls.
static bool is_shared(const PyModel *model, Range range)
{
  for (size_t i = 0; i < model->shared.count; i++) {
    const PyNode *node = &model->tree.nodes[model->shared.items[i]];
    if (range.start >= node->start && range.start < node->end)
      return true;
  }
  return false;
}

/// Those that change nothing but this file, and in it nothing that others use, too.
static void keep_own_fixes(const DiagSink *sink, Diagnostic *diagnostic)
{
  const PyModel *model = sink_python(sink)->model;
  Fix *kept = ARENA_ARRAY(sink->arena, Fix, diagnostic->fix_count);
  size_t count = 0;
  for (size_t i = 0; i < diagnostic->fix_count; i++) {
    const Fix *fix = &diagnostic->fixes[i];
    size_t own = 0;
    while (own < fix->edit_count && is_own(model, fix->edits[own].range) && !is_shared(model, fix->edits[own].range))
      own++;
    if (own == fix->edit_count)
      kept[count++] = *fix;
  }
  diagnostic->fixes = kept;
  diagnostic->fix_count = count;
}

static void keep_own_related(const DiagSink *sink, Diagnostic *diagnostic)
{
  const PyModel *model = sink_python(sink)->model;
  RelatedLocation *kept = ARENA_ARRAY(sink->arena, RelatedLocation, diagnostic->related_count);
  size_t count = 0;
  for (size_t i = 0; i < diagnostic->related_count; i++) {
    if (is_own(model, diagnostic->related[i].range))
      kept[count++] = diagnostic->related[i];
  }
  diagnostic->related = kept;
  diagnostic->related_count = count;
}

/// In a symbolic function, where no opset comes: a branch that no call of a helper takes, or one after all others.
static bool is_never_run(const DiagSink *sink, PyRef node)
{
  const uint32_t symbolic = PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_HELPER;
  const PyFile *file = sink_python(sink);
  bool is_unsure = false;
  if (py_file_opset_guard(file, node, &is_unsure) != 0)
    return false;
  uint32_t function = py_model_scope_of(file->model, node);
  for (int i = 0; function != PY_ABSENT && i < PY_EXPRESSION_DEPTH; i++) {
    if ((file->model->functions.items[function].roles & symbolic) || file->shaped_functions[function])
      return true;
    function = file->model->functions.items[function].parent;
  }
  return false;
}

/// Where a parameter, which the finding is about, gets the value that is wrong: nothing on its own line tells that.
static void relate_caller(const DiagSink *sink, PyRef node, Diagnostic *diagnostic)
{
  const PyModel *model = sink_python(sink)->model;
  const PyBinding *binding = py_model_binding_at(model, node);
  if (!binding || binding->kind != PY_BIND_PARAM || diagnostic->related_count > 0)
    return;
  PyRef given = py_model_resolve(model, node);
  if (given == 0 || given == node || !is_own(model, py_range(sink, given)))
    return;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, given), STR("This is what it gets.") };
  diagnostic->related = related;
  diagnostic->related_count = 1;
}

// --- Fixes that write torch.NAME where nothing is called torch ---

static bool names_torch(Str text)
{
  for (size_t at = str_find(text, STR("torch."), 0); at != STR_NOT_FOUND; at = str_find(text, STR("torch."), at + 1)) {
    if (at == 0 || (!ascii_is_word(text.data[at - 1]) && text.data[at - 1] != '.'))
      return true;
  }
  return false;
}

/// Whether what the fix writes needs an import that it doesn't write itself.
static bool lacks_import(const Fix *fix)
{
  bool names = false;
  for (size_t i = 0; i < fix->edit_count; i++) {
    if (str_contains(fix->edits[i].text, STR("import torch\n")))
      return false;
    names |= names_torch(fix->edits[i].text);
  }
  return names;
}

/// The first import of the file that may have another one in front of it; 0.
static PyRef first_import(const PyTree *tree)
{
  for (PyRef child = py_first_child(tree, 0); child; child = py_next_sibling(tree, child)) {
    PyNodeKind kind = py_kind(tree, child);
    if ((kind == PYK_IMPORT_STATEMENT || kind == PYK_IMPORT_FROM_STATEMENT) &&
        !str_starts_with(py_text(tree, child), STR("from __future__")))
      return child;
  }
  return 0;
}

static void import_torch(const DiagSink *sink, PyRef node, Diagnostic *diagnostic)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef import = first_import(&model->tree);
  Fix *fixes = ARENA_ARRAY(sink->arena, Fix, diagnostic->fix_count);
  for (size_t i = 0; i < diagnostic->fix_count; i++) {
    Fix *fix = &fixes[i];
    *fix = diagnostic->fixes[i];
    uint32_t start = import ? model->tree.nodes[import].start : 0;
    if (!import || !lacks_import(fix) || fix->edits[0].range.start <= start ||
        py_model_lookup(model, py_model_scope_of(model, node), STR("torch")) != PY_ABSENT)
      continue;
    TextEdit *edits = ARENA_ARRAY(sink->arena, TextEdit, fix->edit_count + 1);
    edits[0] = (TextEdit){ { start, start }, STR("import torch\n") };
    memcpy(edits + 1, fix->edits, fix->edit_count * sizeof(*edits));
    fix->edits = edits;
    fix->edit_count++;
  }
  diagnostic->fixes = fixes;
}

/// Whether the line on which the node starts holds something that is no Python: `!` forgotten before a command.
static bool is_unreadable(const PyTree *tree, PyRef node)
{
  enum { NEAR = 64, LONGEST = 2048 };
  if (!tree->nodes[0].has_error)
    return false;
  Str text = tree->text;
  uint32_t start = tree->nodes[node].start, end = start;
  for (int i = 0; i < LONGEST && start > 0 && text.data[start - 1] != '\n'; i++)
    start--;
  for (int i = 0; i < LONGEST && end < text.len && text.data[end] != '\n'; i++)
    end++;
  PyRef first = node;
  while (first > 0 && node - first < NEAR && tree->nodes[first].start >= start)
    first--;
  for (PyRef at = first + 1; at < tree->count && at < node + NEAR && tree->nodes[at].start < end; at++) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_ERROR || kind == PYK_MISSING)
      return true;
  }
  return false;
}

void py_report(DiagSink *sink, RuleId rule, Severity severity, PyRef node, Diagnostic diagnostic)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef place = py_model_own_place(model, node);
  if ((place == 0 && node != 0) || py_model_expects_failure(model, place) || is_never_run(sink, node) ||
      py_tree_never_runs(&model->tree, place) || is_unreadable(&model->tree, place))
    return;
  if (model->foreign.count > 0 || model->shared.count > 0)
    keep_own_fixes(sink, &diagnostic);
  if (model->foreign.count > 0)
    keep_own_related(sink, &diagnostic);
  if (diagnostic.fix_count > 0)
    import_torch(sink, node, &diagnostic);
  if (place != node)
    diagnostic.fix_count = 0;  // They are about what stands there.
  relate_caller(sink, node, &diagnostic);
  diagnostic.rule = rule;
  sink_add_at(sink, py_range(sink, place), severity, diagnostic);
}
