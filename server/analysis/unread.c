#include "analysis/unread.h"

#include "analysis/dump.h"
#include "analysis/python.h"
#include "analysis/snapshot_dump.h"
#include "base/vec.h"
#include "syntax/limits.h"

typedef Vec(UnreadLines) Lines;

static bool goes_on(const Lines *lines, const UnreadLines *next)
{
  return lines->count > 0 && vec_last(lines)->reason == next->reason &&
         vec_last(lines)->last_line + 1 >= next->first_line;
}

/// `base` is where the text begins that the places were found in.
static void add(Lines *lines, const Snapshot *snapshot, size_t base, const Unread *unread, size_t count)
{
  const Document *document = snapshot_document(snapshot);
  for (size_t i = 0; i < count; i++) {
    uint32_t end = unread[i].end > unread[i].start ? unread[i].end - 1 : unread[i].start;
    UnreadLines next = {
      .first_line = document_line_of(document, base + unread[i].start),
      .last_line = document_line_of(document, base + end),
      .reason = unread[i].reason,
    };
    if (goes_on(lines, &next))
      vec_last(lines)->last_line = next.last_line;
    else
      vec_push(lines, next);
  }
}

static void add_dump(Lines *lines, const Snapshot *snapshot)
{
  const Dump *dump = snapshot_dump(snapshot);
  for (uint32_t c = 0; dump && c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    add(lines, snapshot, snapshot_document(snapshot)->chunk_offsets[c], index->unread, index->unread_count);
  }
}

static void add_python(Lines *lines, const Snapshot *snapshot)
{
  const PyFile *file = snapshot_python(snapshot);
  if (!file)
    return;
  size_t count;
  const Unread *unread = py_syntax_unread(file->model->syntax, &count);
  add(lines, snapshot, 0, unread, count);
}

bool snapshot_is_whole(const Snapshot *snapshot)
{
  Arena arena = { 0 };
  bool is_whole = snapshot_unread(snapshot, &arena).count == 0;
  arena_done(&arena);
  return is_whole;
}

UnreadList snapshot_unread(const Snapshot *snapshot, Arena *arena)
{
  Lines lines = { 0 };
  add_dump(&lines, snapshot);
  add_python(&lines, snapshot);
  UnreadLines *items = ARENA_ARRAY(arena, UnreadLines, lines.count);
  if (lines.count > 0)
    memcpy(items, lines.items, lines.count * sizeof(*items));
  UnreadList list = { items, lines.count };
  vec_free(&lines);
  return list;
}

Str unread_say(const Snapshot *snapshot, const UnreadLines *lines, Arena *arena)
{
  if (lines->reason == UNREAD_TOO_LARGE)
    return arena_printf(arena, "larger than %d MB, so nothing in it was checked; split it into smaller files",
                        PY_TEXT_LIMIT / (1024 * 1024));
  Str where = lines->first_line == lines->last_line
                  ? arena_printf(arena, "line %u is", lines->first_line + 1)
                  : arena_printf(arena, "lines %u to %u are", lines->first_line + 1, lines->last_line + 1);
  return arena_printf(arena, "%.*s too tangled to be parsed, and %s not checked; %s", STR_ARG(where),
                      lines->first_line == lines->last_line ? "was" : "were",
                      snapshot_kind(snapshot) == DOC_PYTHON ? "mend or split what stands there"
                                                            : "print the graph again, one node a line");
}
