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
  uint32_t line;         ///< Of the chunk.
  uint32_t scope_start;  ///< In the line.
  uint32_t scope_len;    ///< 0 for a header.
} ChunkMark;

/// All of a chunk. They depend on its text alone, so an edit costs only the chunks that it makes new.
typedef struct ChunkMarks {
  uint32_t count;
  ChunkMark items[];
} ChunkMarks;

typedef struct Landmarks {
  const Snapshot *snapshot;
  WorkspaceFile *file;
  Map *seen;  ///< Scopes.
  Vec(WorkspaceLandmark) found;
} Landmarks;

static bool is_header(const Item *item)
{
  return item->kind == ITEM_GRAPH_HEADER || item->kind == ITEM_PRINTABLE_HEADER;
}

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

static ChunkMarks *find_marks(const DumpIndex *index, const TextChunk *text)
{
  Map *seen = map_new();
  Vec(ChunkMark) found = { 0 };
  Str last = { 0 };
  for (uint32_t i = 0; i < index->item_count; i++) {
    const Item *item = &index->items[i];
    if (is_header(item))
      vec_push(&found, (ChunkMark){ .line = item->line });
    if (item->kind != ITEM_STATEMENT)
      continue;
    Str line = text_chunk_line(text, item->line);
    if (!may_change_scope(line, last))
      continue;
    last = line_tail(line).scope;
    if (last.len == 0 || map_get(seen, last))
      continue;
    map_put(seen, last, seen);
    vec_push(&found, (ChunkMark){ item->line, (uint32_t)(last.data - line.data), (uint32_t)last.len });
  }
  ChunkMarks *marks = xmalloc(sizeof(*marks) + found.count * sizeof(*found.items));
  marks->count = (uint32_t)found.count;
  if (found.count > 0)
    memcpy(marks->items, found.items, found.count * sizeof(*found.items));
  vec_free(&found);
  map_free(seen);
  return marks;
}

/// Two threads may find them at once; what the first one puts there stays.
static const ChunkMarks *marks_of(DumpIndex *index, const TextChunk *text)
{
  ChunkMarks *marks = atomic_load(&index->marks);
  if (marks)
    return marks;
  ChunkMarks *made = find_marks(index, text);
  if (atomic_compare_exchange_strong(&index->marks, &marks, made))
    return made;
  free(made);
  return marks;
}

static void add(Landmarks *landmarks, Str name, bool is_module, Range range)
{
  WorkspaceLandmark landmark = { .name = arena_copy(&landmarks->file->arena, str_slice(name, 0, NAME_SHOWN)),
                                 .is_module = is_module,
                                 .place = workspace_place(snapshot_document(landmarks->snapshot), range) };
  vec_push(&landmarks->found, landmark);
}

/// `graph`, `agraph`, `class GraphModule`: what is before the bracket.
static void add_graph(Landmarks *landmarks, uint32_t number)
{
  const Document *document = snapshot_document(landmarks->snapshot);
  Range range = place_line_content(document, number);
  Str line = document_slice(document, range, &landmarks->file->arena);
  Str name = str_trim(str_slice(line, 0, str_find_char(line, '(', 0)));
  add(landmarks, name, false, (Range){ range.start, range.start + name.len });
}

/// `layers.0.norm: LayerNorm`, where the first node of the module is.
static void add_scope(Landmarks *landmarks, const TextChunk *text, uint32_t first_line, const ChunkMark *mark)
{
  Str line = text_chunk_line(text, mark->line);
  Str scope = str_slice(line, mark->scope_start, mark->scope_start + mark->scope_len);
  if (map_get(landmarks->seen, scope))
    return;
  ScopePart parts[SCOPE_PART_LIMIT];
  size_t count = line_tail_scope_parts(scope, parts);
  map_put(landmarks->seen, scope, landmarks);
  if (count == 0)
    return;
  Str type = line_tail_dotted(parts[count - 1].type);
  Str path = parts[count - 1].path;
  const char *gap = path.len > 0 && type.len > 0 ? ": " : "";
  Str name = arena_printf(&landmarks->file->arena, "%.*s%s%.*s", STR_ARG(path), gap, STR_ARG(type));
  size_t start = document_line_start(snapshot_document(landmarks->snapshot), first_line + mark->line);
  start += mark->scope_start;
  add(landmarks, name, true, (Range){ start, start + scope.len });
}

static void add_chunk(Landmarks *landmarks, DumpIndex *index, const TextChunk *text, uint32_t first_line)
{
  const ChunkMarks *marks = marks_of(index, text);
  for (uint32_t i = 0; i < marks->count && landmarks->found.count < SUMMARY_LANDMARK_LIMIT; i++) {
    const ChunkMark *mark = &marks->items[i];
    if (mark->scope_len == 0)
      add_graph(landmarks, first_line + mark->line);
    else
      add_scope(landmarks, text, first_line, mark);
  }
}

void graph_summarize_landmarks(const Snapshot *snapshot, WorkspaceFile *file)
{
  const Dump *dump = snapshot_dump(snapshot);
  const Document *document = snapshot_document(snapshot);
  Landmarks landmarks = { .snapshot = snapshot, .file = file, .seen = map_new() };
  for (uint32_t c = 0; c < dump->chunk_count && document->chunk_lines[c] < SUMMARY_LINE_LIMIT; c++)
    add_chunk(&landmarks, dump->chunks[c]->index, document->chunks[c], document->chunk_lines[c]);
  file->landmarks = vec_copy(&landmarks.found, &file->arena);
  file->landmark_count = (uint32_t)landmarks.found.count;
  vec_free(&landmarks.found);
  map_free(landmarks.seen);
}
