#include "core/unread.h"

#include "base/limits.h"
#include "base/vec.h"

typedef struct Collector {
  const Document *document;
  Vec(UnreadLines) lines;
} Collector;

/// True when the part begins where the last one ended.
static bool goes_on(const Collector *collector, const UnreadLines *next)
{
  const UnreadLines *last = collector->lines.count > 0 ? vec_last(&collector->lines) : NULL;
  return last && last->reason == next->reason && last->last_line + 1 >= next->first_line;
}

static void collect(size_t start, size_t end, UnreadReason reason, void *context)
{
  Collector *collector = context;
  UnreadLines next = {
    .first_line = document_line_of(collector->document, start),
    .last_line = document_line_of(collector->document, end > start ? end - 1 : start),
    .reason = reason,
  };
  if (goes_on(collector, &next))
    vec_last(&collector->lines)->last_line = next.last_line;
  else
    vec_push(&collector->lines, next);
}

bool snapshot_has_unread(const Snapshot *snapshot)
{
  Arena arena = { 0 };
  bool has_unread = snapshot_unread(snapshot, &arena).count > 0;
  arena_done(&arena);
  return has_unread;
}

UnreadList snapshot_unread(const Snapshot *snapshot, Arena *arena)
{
  Collector collector = { .document = snapshot_document(snapshot) };
  const Language *language = snapshot_language(snapshot);
  if (snapshot_model(snapshot) && language->each_unread)
    language->each_unread(snapshot, collect, &collector);
  UnreadLines *items = vec_copy(&collector.lines, arena);
  UnreadList list = { items, collector.lines.count };
  vec_free(&collector.lines);
  return list;
}

static Str say_other(const Snapshot *snapshot, uint32_t line, Arena *arena)
{
  const Language *other = language_of_line(document_line(snapshot_document(snapshot), line));
  return arena_printf(arena, "from line %u on it is %s, which was not looked at; save that to a file of its own",
                      line + 1, other ? other->title : "a graph of another language");
}

Str unread_say(const Snapshot *snapshot, const UnreadLines *lines, Arena *arena)
{
  bool is_one = lines->first_line == lines->last_line;
  Str where = is_one ? arena_printf(arena, "line %u", lines->first_line + 1)
                     : arena_printf(arena, "lines %u to %u", lines->first_line + 1, lines->last_line + 1);
  Str advice = str_from(snapshot_language(snapshot)->unread_advice);
  switch (lines->reason) {
  case UNREAD_TOO_LARGE:
    return arena_printf(arena, "larger than %d MB, so nothing in it was checked; split it into smaller files",
                        PY_TEXT_LIMIT / (1024 * 1024));
  case UNREAD_TOO_DEEP:
    return arena_printf(arena, "%.*s nest%s deeper than %d levels, and what is deeper was not checked; %.*s",
                        STR_ARG(where), is_one ? "s" : "", DUMP_DEPTH_LIMIT, STR_ARG(advice));
  case UNREAD_DEEPER_THAN_PYTHON:
    return arena_printf(
        arena,
        "%.*s nest%s deeper than %d brackets or signs, and what is deeper was not checked; Python itself "
        "takes no more brackets",
        STR_ARG(where), is_one ? "s" : "", PY_DEPTH_LIMIT);
  case UNREAD_TOO_MANY_CALLS:
    return arena_printf(arena,
                        "calls of the functions from line %u on stand for more than %d nodes, or nest deeper than %d "
                        "levels, and types were not followed through all of them; inline them",
                        lines->first_line + 1, ONNX_CALL_BUDGET, ONNX_CALL_DEPTH);
  case UNREAD_OTHER_LANGUAGE:
    return say_other(snapshot, lines->first_line, arena);
  case UNREAD_TOO_MUCH_WORK:
    break;
  }
  return arena_printf(arena, "%.*s %s too tangled to be parsed, and %s not checked; %.*s", STR_ARG(where),
                      is_one ? "is" : "are", is_one ? "was" : "were", STR_ARG(advice));
}
