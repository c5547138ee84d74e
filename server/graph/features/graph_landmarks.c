// What of a dump people look for by name in a workspace: its graphs, and the modules that its nodes are in.

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/workspace.h"
#include "graph/features/dump_at.h"
#include "graph/features/line_tail.h"
#include "graph/graph_language.h"

enum { NAME_SHOWN = 120 };

typedef struct Landmarks {
  const Snapshot *snapshot;
  WorkspaceFile *file;
  Map *seen;  ///< Scopes.
  Vec(WorkspaceLandmark) found;
} Landmarks;

static void add(Landmarks *landmarks, Str name, bool is_module, Range range)
{
  WorkspaceLandmark landmark = { .name = arena_copy(&landmarks->file->arena, str_slice(name, 0, NAME_SHOWN)),
                                 .is_module = is_module,
                                 .place = workspace_place(snapshot_document(landmarks->snapshot), range) };
  vec_push(&landmarks->found, landmark);
}

/// `graph`, `agraph`, `class GraphModule`: what is before the bracket.
static void add_graph(Landmarks *landmarks, Place header)
{
  const Document *document = snapshot_document(landmarks->snapshot);
  Range range = place_line_content(document, place_line(landmarks->snapshot, header));
  Str line = document_slice(document, range, &landmarks->file->arena);
  Str name = str_trim(str_slice(line, 0, str_find_char(line, '(', 0)));
  add(landmarks, name, false, (Range){ range.start, range.start + name.len });
}

/// `layers.0.norm: LayerNorm`, where the first node of the module is.
static void add_scope(Landmarks *landmarks, uint32_t number)
{
  const Document *document = snapshot_document(landmarks->snapshot);
  Str line = document_line(document, number);
  Str scope = line_tail(line).scope;
  if (scope.len == 0 || map_get(landmarks->seen, scope))
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
  size_t start = document_line_start(document, number) + (size_t)(scope.data - line.data);
  add(landmarks, name, true, (Range){ start, start + scope.len });
}

static bool is_header(const Item *item)
{
  return item->kind == ITEM_GRAPH_HEADER || item->kind == ITEM_PRINTABLE_HEADER;
}

void graph_summarize_landmarks(const Snapshot *snapshot, WorkspaceFile *file)
{
  const Dump *dump = snapshot_dump(snapshot);
  Landmarks landmarks = { .snapshot = snapshot, .file = file, .seen = map_new() };
  Place place = { 0 };
  bool is_there = dump->chunk_count > 0 && (dump->chunks[0]->index->item_count > 0 || place_next(dump, &place));
  for (size_t looked = 0; is_there && looked < SUMMARY_LINE_LIMIT && landmarks.found.count < SUMMARY_LANDMARK_LIMIT;
       looked++) {
    const Item *item = place_item(dump, place);
    if (is_header(item))
      add_graph(&landmarks, place);
    else if (item->kind == ITEM_STATEMENT)
      add_scope(&landmarks, place_line(snapshot, place));
    is_there = place_next(dump, &place);
  }
  file->landmarks = vec_copy(&landmarks.found, &file->arena);
  file->landmark_count = (uint32_t)landmarks.found.count;
  vec_free(&landmarks.found);
  map_free(landmarks.seen);
}
