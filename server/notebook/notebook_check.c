// What rules say of the documents in a notebook, at their places in the file.

#include "core/coverage.h"
#include "notebook/notebook_private.h"

typedef struct Moving {
  const NotebookPart *part;
  const NotebookModel *model;
  Arena *arena;
} Moving;

static const NotebookCell *cell_at(const Notebook *notebook, size_t offset)
{
  size_t i = notebook->cells.count;
  while (i > 1 && notebook->cells.items[i - 1].start > offset)
    i--;
  return &notebook->cells.items[i - 1];
}

static CellPlace place_in_cell(const Moving *moving, size_t offset)
{
  const NotebookPart *part = moving->part;
  const Document *document = snapshot_document(part->snapshot);
  Position at = document_position(document, offset, POS_UTF32);
  CellPlace place = { .number = part->cell, .line = at.line + 1, .column = at.character + 1, .is_output = true };
  if (part->cell > 0)
    return place;
  const NotebookCell *cell = cell_at(&moving->model->notebook, offset);
  place.number = cell->number;
  place.line = at.line - document_line_of(document, cell->start) + 1;
  place.is_output = false;
  return place;
}

static Range move_range(const Moving *moving, Range range)
{
  return notebook_text_in_file(moving->part->text, range);
}

static const RelatedLocation *move_related(const Moving *moving, const Diagnostic *diagnostic)
{
  RelatedLocation *related = ARENA_ARRAY(moving->arena, RelatedLocation, diagnostic->related_count);
  for (size_t i = 0; i < diagnostic->related_count; i++) {
    related[i] = diagnostic->related[i];
    related[i].range = move_range(moving, related[i].range);
  }
  return related;
}

// --- Fixes: of code only; what a cell wrote is not to be edited ---

/// The text as the inside of a JSON string.
static Str spell(Str text, Arena *arena)
{
  Buffer out = { 0 };
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    if (c == '"' || c == '\\')
      buffer_printf(&out, "\\%c", c);
    else if (c == '\n')
      buffer_append(&out, STR("\\n"));
    else if ((unsigned char)c < 0x20)
      buffer_printf(&out, "\\u%04x", (unsigned)c);
    else
      buffer_append_char(&out, c);
  }
  Str spelled = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return spelled;
}

/// Between two strings of one cell there are only quotes, commas and blanks: they go with what is replaced.
static bool is_in_one_cell(const Moving *moving, const Fix *fix)
{
  const Notebook *notebook = &moving->model->notebook;
  for (size_t i = 0; i < fix->edit_count; i++) {
    Range range = fix->edits[i].range;
    size_t last = range.end > range.start ? range.end - 1 : range.end;
    if (cell_at(notebook, range.start) != cell_at(notebook, last))
      return false;
  }
  return true;
}

static Fix move_fix(const Moving *moving, const Fix *fix)
{
  TextEdit *edits = ARENA_ARRAY(moving->arena, TextEdit, fix->edit_count);
  for (size_t i = 0; i < fix->edit_count; i++)
    edits[i] = (TextEdit){ move_range(moving, fix->edits[i].range), spell(fix->edits[i].text, moving->arena) };
  Fix moved = *fix;
  moved.edits = edits;
  return moved;
}

static void move_fixes(const Moving *moving, Diagnostic *diagnostic)
{
  Fix *fixes = ARENA_ARRAY(moving->arena, Fix, diagnostic->fix_count);
  size_t count = 0;
  for (size_t i = 0; i < diagnostic->fix_count && moving->part->cell == 0; i++) {
    if (is_in_one_cell(moving, &diagnostic->fixes[i]))
      fixes[count++] = move_fix(moving, &diagnostic->fixes[i]);
  }
  diagnostic->fixes = fixes;
  diagnostic->fix_count = count;
}

static Diagnostic move_diagnostic(const Moving *moving, const Diagnostic *diagnostic)
{
  Diagnostic moved = *diagnostic;
  moved.range = move_range(moving, diagnostic->range);
  moved.cell = place_in_cell(moving, diagnostic->range.start);
  moved.related = move_related(moving, diagnostic);
  move_fixes(moving, &moved);
  return moved;
}

// --- Parts ---

static void check_part(DiagSink *sink, const NotebookModel *model, const NotebookPart *part)
{
  Moving moving = { part, model, sink->arena };
  DiagnosticList list = diagnostics_unless(sink->cancelled, part->snapshot, sink->arena);
  for (size_t i = 0; i < list.count; i++) {
    Diagnostic moved = move_diagnostic(&moving, &list.items[i]);
    if (sink_wants(sink, moved.rule, moved.severity))
      sink_add_at(sink, moved.range, moved.severity, moved);
  }
  for (size_t i = 0; i < list.suppressed_count; i++)
    vec_push(&sink->suppressed, move_diagnostic(&moving, &list.suppressed[i]));
  sink->suppressed_total += list.suppressed_total;
  sink->hidden += list.hidden;
}

/// What is the matter with the file itself; its parts say their own.
static void check_file(DiagSink *sink)
{
  const Notebook *notebook = &notebook_of(sink->snapshot)->notebook;
  bool is_foreign = notebook_is_foreign(notebook);
  if ((!notebook->error && !is_foreign) || !sink_wants(sink, RULE_PARTLY_CHECKED, (Severity)SEVERITY_DEFAULT))
    return;
  Str why = coverage_of(sink->snapshot, sink->arena).why;
  Range range = notebook->error ? (Range){ notebook->error_at, notebook->error_at } : notebook->language;
  sink_add_at(sink, range, (Severity)SEVERITY_DEFAULT,
              (Diagnostic){ .rule = RULE_PARTLY_CHECKED, .message = coverage_sentence(why, sink->arena) });
}

static void check_parts(DiagSink *sink)
{
  const NotebookModel *model = notebook_of(sink->snapshot);
  for (size_t i = 0; i < model->parts.count; i++)
    check_part(sink, model, &model->parts.items[i]);
}

void notebook_check(DiagSink *sink)
{
  static RuleFamily *const families[] = { check_file, check_parts };
  sink_check_lines(sink, 0, document_line_count(snapshot_document(sink->snapshot)), families, COUNT(families));
}
