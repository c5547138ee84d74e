#include "why/export_failure.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "text/lines.h"
#include "text/traceback.h"
#include "why/why.h"

Str why_failure_words(const WhyAnswer *answer, const WhyFinding *finding, Arena *arena)
{
  Buffer out = { 0 };
  Str stage = finding->stage.len > 0 ? finding->stage : answer->stage;
  buffer_append(&out, STR("The export failed"));
  if (stage.len > 0)
    buffer_printf(&out, " (stage `%.*s`)", STR_ARG(stage));
  if (finding->operator_.len > 0)
    buffer_printf(&out, " because of `%.*s`", STR_ARG(finding->operator_));
  Str cause = finding->cause.len > 0 ? finding->cause : finding->what;
  bool is_sentence = cause.len > 0 && str_find_char(STR(".!?:)"), cause.data[cause.len - 1], 0) != STR_NOT_FOUND;
  buffer_printf(&out, ": %.*s%s", STR_ARG(cause), is_sentence ? "" : ".");
  if (finding->fix.len > 0)
    buffer_printf(&out, " %.*s", STR_ARG(finding->fix));
  if (finding->file.len > 0)
    buffer_printf(&out, " Place: %.*s:%u", STR_ARG(finding->file), finding->line);
  if (finding->file.len > 0 && finding->function.len > 0)
    buffer_printf(&out, " in %.*s", STR_ARG(finding->function));
  Str words = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return words;
}

/// Where the first traceback of a part begins; its end if it has none.
static size_t find_head(const Document *document, Range part)
{
  for (uint32_t i = document_locate(document, part.start).chunk; i < document->chunk_count; i++) {
    size_t base = document->chunk_offsets[i];
    if (base >= part.end)
      break;
    size_t at = str_find(str_make(document->chunks[i]->text, document->chunks[i]->len), TRACEBACK_HEAD, 0);
    if (at != STR_NOT_FOUND)
      return base + at;
  }
  return part.end;
}

/// The likeliest cause of an export that failed; NULL.
static const WhyFinding *find_cause(const WhyAnswer *answer)
{
  for (size_t i = 0; i < answer->count; i++) {
    if (answer->findings[i].is_of_export && !answer->findings[i].is_warning)
      return &answer->findings[i];
  }
  return NULL;
}

/// The last head before the message: that of its own exception, or of one around it.
static size_t head_before(Str text, size_t end)
{
  size_t head = 0;
  for (size_t at = 0; at != STR_NOT_FOUND && at < end; at = str_find(text, TRACEBACK_HEAD, at + 1))
    head = at;
  return head;
}

static ExportFailure explain(const DiagSink *sink, size_t start)
{
  const Document *document = snapshot_document(sink->snapshot);
  size_t len = document_length(document) - start;
  Str text = document_slice(
      document, (Range){ start, start + (len < EXPORT_FAILURE_LIMIT ? len : EXPORT_FAILURE_LIMIT) }, sink->arena);
  ExportFailure failure = { .is_known = true };
  WhyAnswer answer;
  why_explain(text, target_db(sink->target), sink->arena, &answer);
  const WhyFinding *cause = find_cause(&answer);
  if (!cause)
    return failure;
  size_t head = start + head_before(text, cause->start);
  size_t line_end = lines_find_break(text, cause->start);
  failure.head = (Range){ head, head + TRACEBACK_HEAD.len };
  failure.message = (Range){ start + cause->start, start + (cause->end < line_end ? cause->end : line_end) };
  failure.words = why_failure_words(&answer, cause, sink->arena);
  return failure;
}

void export_failure_check(DiagSink *sink, Range part, ExportFailure *failure)
{
  size_t head = failure->is_known ? part.end : find_head(snapshot_document(sink->snapshot), part);
  if (head < part.end)
    *failure = explain(sink, head);
  bool is_here = !range_is_empty(failure->head) && failure->head.start >= part.start && failure->head.start < part.end;
  if (!is_here || !sink_wants(sink, RULE_EXPORT_FAILED, (Severity)SEVERITY_DEFAULT))
    return;
  RelatedLocation *why = ARENA_ARRAY(sink->arena, RelatedLocation, 1);
  *why = (RelatedLocation){ failure->message, STR("This says why.") };
  sink_add_at(
      sink, failure->head, (Severity)SEVERITY_DEFAULT,
      (Diagnostic){ .rule = RULE_EXPORT_FAILED, .message = failure->words, .related = why, .related_count = 1 });
}
