// Actions that silence: comments that switch a rule off for a line or for a file (docs/suppression.md).

#include "editor/action_ignore.h"

#include "base/ascii.h"
#include "base/limits.h"

static const Str line_marker = STR_INIT("# onnxls: ignore[");

/// A line that can't be read can't be trusted to keep its comment, and the other rule is about such comments.
static bool can_ignore(RuleId rule)
{
  return rule != RULE_SYNTAX && rule != RULE_UNUSED_SUPPRESSION;
}

static void add_edit(ActionJob *job, const Diagnostic *diagnostic, Str title, size_t offset, Str text)
{
  TextEdit *edit = ARENA_NEW(job->context->arena, TextEdit);
  *edit = (TextEdit){ { offset, offset }, text };
  Action action = { .title = title, .diagnostic = diagnostic, .edits = edit, .edit_count = 1 };
  vec_push(&job->actions, action);
}

/// How lines of the document end.
static Str line_ending(const ActionJob *job)
{
  const Document *document = snapshot_document(job->context->snapshot);
  size_t end = document_line(document, 0).len;
  if (document_line_count(document) < 2)
    return STR("\n");
  return document_slice(document, (Range){ end, document_line_start(document, 1) }, job->context->arena);
}

static Str indentation(Str line)
{
  return str_slice(line, 0, ascii_blanks_end(line, 0));
}

/// Where a comment on the line before lists rules already: the place of its `]`.
static bool find_list_end(const ActionJob *job, uint32_t line, size_t *ret_offset)
{
  if (line == 0)
    return false;
  Str above = document_line(snapshot_document(job->context->snapshot), line - 1);
  Str comment = above.len < COMMENT_LINE_LIMIT ? str_trim(above) : (Str){ 0 };
  size_t close = str_find_char(comment, ']', 0);
  if (!str_starts_with(comment, line_marker) || close == STR_NOT_FOUND || close == line_marker.len)
    return false;
  *ret_offset = document_line_start(snapshot_document(job->context->snapshot), line - 1) +
                (size_t)(comment.data - above.data) + close;
  return true;
}

void action_ignore_line(ActionJob *job, const Diagnostic *diagnostic)
{
  if (!can_ignore(diagnostic->rule))
    return;
  Arena *arena = job->context->arena;
  const char *rule = rule_info(diagnostic->rule)->name;
  uint32_t line = document_line_of(snapshot_document(job->context->snapshot), diagnostic->range.start);
  Str title = arena_printf(arena, "Ignore %s on this line", rule);
  size_t offset;
  if (find_list_end(job, line, &offset)) {
    add_edit(job, diagnostic, title, offset, arena_printf(arena, ", %s", rule));
    return;
  }
  Str ending = line_ending(job);
  Str indent = indentation(document_line(snapshot_document(job->context->snapshot), line));
  Str text = arena_printf(arena, "%.*s%.*s%s]%.*s", STR_ARG(indent), STR_ARG(line_marker), rule, STR_ARG(ending));
  add_edit(job, diagnostic, title, document_line_start(snapshot_document(job->context->snapshot), line), text);
}

/// After what has to be in the first lines: a byte order mark, `#!`, and the line that names an encoding.
static size_t top_of_file(const ActionJob *job)
{
  const Document *document = snapshot_document(job->context->snapshot);
  uint32_t line = 0;
  while (line < 2 && line + 1 < document_line_count(document)) {
    Str text = document_line(document, line);
    bool is_special = line == 0 && str_starts_with(text, STR("#!"));
    is_special |= str_starts_with(text, STR("#")) && text.len < COMMENT_LINE_LIMIT &&
                  str_find(text, STR("coding"), 0) != STR_NOT_FOUND;
    if (!is_special)
      break;
    line++;
  }
  bool has_mark = line == 0 && str_starts_with(document_line(document, 0), STR("\xef\xbb\xbf"));
  return has_mark ? 3 : document_line_start(document, line);
}

void action_ignore_file(ActionJob *job, const Diagnostic *diagnostic)
{
  if (!can_ignore(diagnostic->rule))
    return;
  const char *rule = rule_info(diagnostic->rule)->name;
  Str ending = line_ending(job);
  Str text = arena_printf(job->context->arena, "# onnxls: ignore-file[%s]%.*s", rule, STR_ARG(ending));
  add_edit(job, diagnostic, arena_printf(job->context->arena, "Ignore %s in this file", rule), top_of_file(job), text);
}
