// partly-checked: what of a file no rule has looked at, because it can't be read as Python or a limit was reached.

#include "base/limits.h"
#include "core/coverage.h"
#include "python/python_language.h"
#include "python/rules/python_report.h"

/// The first place where the syntax is broken; 0 if it is nowhere.
static PyRef first_damage(const PyTree *tree)
{
  for (PyRef node = 1; node < tree->count; node++) {
    PyNodeKind kind = py_kind(tree, node);
    if (kind == PYK_ERROR || kind == PYK_MISSING)
      return node;
  }
  return 0;
}

/// What nobody looks at, because the file has more of it than is checked; empty for nothing.
static Str beyond_limits(const Snapshot *snapshot, const PyModel *model, Arena *arena)
{
  bool has_exports = model->exports.count > PY_EXPORT_LIMIT;
  if (!has_exports && model->autograds.count <= PY_METHOD_LIMIT)
    return (Str){ 0 };
  PyRef first = has_exports ? model->calls.items[model->exports.items[PY_EXPORT_LIMIT]].node
                            : model->autograds.items[PY_METHOD_LIMIT].class_node;
  uint32_t line = document_line_of(snapshot_document(snapshot), model->tree.nodes[first].start);
  Str words = cells_line_words(snapshot_cells(snapshot), line, arena);
  return arena_printf(arena, "the file has more than %d %s, and those from %.*s on were not checked; split it",
                      has_exports ? PY_EXPORT_LIMIT : PY_METHOD_LIMIT, has_exports ? "exports" : "autograd functions",
                      STR_ARG(words));
}

Str python_blind_spot(const Snapshot *snapshot, Arena *arena)
{
  const PyFile *file = py_file_of_snapshot(snapshot);
  const PyTree *tree = &file->model->tree;
  PyRef damage = first_damage(tree);
  if (damage == 0)
    return py_file_is_too_varied(file) ? STR("the file holds so many different values and conditions that what depends "
                                             "on the last of them was not judged; split it")
                                       : beyond_limits(snapshot, file->model, arena);
  uint32_t line = document_line_of(snapshot_document(snapshot), tree->nodes[damage].start);
  Str words = cells_line_words(snapshot_cells(snapshot), line, arena);
  return arena_printf(arena, "what is around %.*s can't be read as Python, so it was not judged", STR_ARG(words));
}

/// At the top of the file, because it is about the whole answer; the damage itself is for the user's Python tools.
void check_python_damage(DiagSink *sink)
{
  Coverage coverage = coverage_of(sink->snapshot, sink->arena);
  if (coverage.status != COVERAGE_PARTLY || !sink_wants(sink, RULE_PARTLY_CHECKED, (Severity)SEVERITY_DEFAULT))
    return;
  Range first_line = { 0, document_line(snapshot_document(sink->snapshot), 0).len };
  sink_add_at(sink, first_line, (Severity)SEVERITY_DEFAULT,
              (Diagnostic){ .rule = RULE_PARTLY_CHECKED, .message = coverage_sentence(coverage.why, sink->arena) });
}
