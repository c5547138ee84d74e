// What of a dump people look for by name in a workspace: its graphs, and the modules that its nodes are in.

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/workspace.h"
#include "graph/features/dump_at.h"
#include "graph/features/line_tail.h"
#include "graph/graph_language.h"

enum { NAME_SHOWN = 120 };

/// A header, or the first node of a chunk that is in a module.
typedef struct ChunkMark {
  Str scope;  ///< Of the module; empty for a header.
  WorkspaceLandmark
      landmark;  ///< Its line counts from the chunk's first; without a name if there is nothing to call it.
} ChunkMark;

typedef struct ChunkMarks {
  uint32_t count;
  const ChunkMark *items;
} ChunkMarks;

typedef struct Landmarks {
  WorkspaceFile *file;
  Map *seen;  ///< Scopes.
  Vec(WorkspaceLandmark) found;
} Landmarks;

/// False for most nodes at a glance: they are in no module, or in that of the node before.
static bool may_change_scope(Str line, Str scope)
{
  size_t at = str_find(line, STR("), scope: "), 0);
  if (at == STR_NOT_FOUND)
    return false;
  Str rest = str_slice(line, at + 10, line.len);
  return scope.len == 0 || !str_starts_with(rest, scope) ||
         !str_starts_with(str_slice(rest, scope.len, rest.len), STR(" # "));
}

/// `graph`, `agraph`, `class GraphModule`: what is before the bracket.
static ChunkMark header_mark(Str line, uint32_t number, Arena *arena)
{
  Str name = str_trim(str_slice(line, 0, str_find_char(line, '(', 0)));
  size_t start = (size_t)(name.data - line.data);
  WorkspacePlace place = workspace_place_in_line(line, number, (Range){ start, start + name.len });
  return (ChunkMark){ .landmark = { arena_copy(arena, str_slice(name, 0, NAME_SHOWN)), false, place } };
}

/// `layers.0.norm: LayerNorm`, where the first node of the module is.
static ChunkMark module_mark(Str line, uint32_t number, Str scope, Arena *arena)
{
  ChunkMark mark = { .scope = arena_copy(arena, scope), .landmark.is_module = true };
  ScopePart parts[SCOPE_PART_LIMIT];
  size_t count = line_tail_scope_parts(scope, parts);
  if (count == 0)
    return mark;
  Str type = line_tail_dotted(parts[count - 1].type);
  Str path = parts[count - 1].path;
  const char *gap = path.len > 0 && type.len > 0 ? ": " : "";
  Str name = arena_printf(arena, "%.*s%s%.*s", STR_ARG(path), gap, STR_ARG(type));
  size_t start = (size_t)(scope.data - line.data);
  mark.landmark.name = str_slice(name, 0, NAME_SHOWN);
  mark.landmark.place = workspace_place_in_line(line, number, (Range){ start, start + scope.len });
  return mark;
}

static ChunkNotes *find_marks(const DumpIndex *index, const TextChunk *text)
{
  ChunkNotes *notes = xcalloc(1, sizeof(*notes));
  Map *seen = map_new();
  Vec(ChunkMark) found = { 0 };
  Str last = { 0 };
  for (uint32_t i = 0; i < index->item_count; i++) {
    const Item *item = &index->items[i];
    Str line = text_chunk_line(text, item->line);
    if (item_is_header(item))
      vec_push(&found, header_mark(line, item->line, &notes->arena));
    if (item->kind != ITEM_STATEMENT || !may_change_scope(line, last))
      continue;
    last = line_tail(line).scope;
    if (last.len == 0 || map_get(seen, last))
      continue;
    map_put(seen, last, seen);
    vec_push(&found, module_mark(line, item->line, last, &notes->arena));
  }
  ChunkMarks *marks = ARENA_ARRAY(&notes->arena, ChunkMarks, 1);
  *marks = (ChunkMarks){ (uint32_t)found.count, vec_copy(&found, &notes->arena) };
  notes->found = marks;
  vec_free(&found);
  map_free(seen);
  return notes;
}

/// Two threads may find them at once; what the first one puts there stays.
static const ChunkMarks *marks_of(DumpIndex *index, const TextChunk *text)
{
  ChunkNotes *notes = atomic_load(&index->notes);
  if (notes)
    return notes->found;
  ChunkNotes *made = find_marks(index, text);
  if (atomic_compare_exchange_strong(&index->notes, &notes, made))
    return made->found;
  chunk_notes_free(made);
  return notes->found;
}

static void add_chunk(Landmarks *landmarks, const ChunkMarks *marks, uint32_t first_line)
{
  for (uint32_t i = 0; i < marks->count && landmarks->found.count < SUMMARY_LANDMARK_LIMIT; i++) {
    const ChunkMark *mark = &marks->items[i];
    if (mark->scope.len > 0 && (map_get(landmarks->seen, mark->scope) || mark->landmark.name.len == 0))
      continue;
    if (mark->scope.len > 0)
      map_put(landmarks->seen, mark->scope, landmarks);
    WorkspaceLandmark landmark = mark->landmark;
    landmark.name = arena_copy(&landmarks->file->arena, landmark.name);
    landmark.place.line += first_line;
    vec_push(&landmarks->found, landmark);
  }
}

void graph_summarize_landmarks(const Snapshot *snapshot, WorkspaceFile *file)
{
  const Dump *dump = snapshot_dump(snapshot);
  const Document *document = snapshot_document(snapshot);
  Landmarks landmarks = { .file = file, .seen = map_new() };
  for (uint32_t c = 0; c < dump->chunk_count && document->chunk_lines[c] < SUMMARY_LINE_LIMIT; c++)
    add_chunk(&landmarks, marks_of(dump->chunks[c]->index, document->chunks[c]), document->chunk_lines[c]);
  file->landmarks = vec_copy(&landmarks.found, &file->arena);
  file->landmark_count = (uint32_t)landmarks.found.count;
  vec_free(&landmarks.found);
  map_free(landmarks.seen);
}
