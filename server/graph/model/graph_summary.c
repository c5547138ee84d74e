// What a dump tells other files: how often it uses which operator, and where.

#include <stdlib.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/workspace.h"
#include "graph/graph_language.h"
#include "graph/model/snapshot_dump.h"

typedef struct UseBuilder {
  WorkspaceFile *file;
  const Document *document;
  const GraphDialect *dialect;
  Map *seen;  ///< Operator to its number, from 1.
  Vec(WorkspaceUse) uses;
} UseBuilder;

/// The number of an operator; SUMMARY_OPERATOR_LIMIT if there are too many.
static size_t use_number(UseBuilder *builder, Str name)
{
  uintptr_t number = (uintptr_t)map_get(builder->seen, name);
  if (number > 0)
    return number - 1;
  if (builder->uses.count == SUMMARY_OPERATOR_LIMIT)
    return SUMMARY_OPERATOR_LIMIT;
  vec_push(&builder->uses, (WorkspaceUse){ .op = arena_copy(&builder->file->arena, name) });
  map_put(builder->seen, name, (void *)builder->uses.count);
  return builder->uses.count - 1;
}

static void add_place(UseBuilder *builder, WorkspaceUse *use, uint32_t line)
{
  Arena *arena = &builder->file->arena;
  WorkspacePlace *places = (WorkspacePlace *)use->places;
  // They grow like 1, 2, 4...: most operators come once or twice.
  if ((use->place_count & (use->place_count - 1)) == 0) {
    uint32_t room = use->place_count > 0 ? use->place_count * 2 : 1;
    places = ARENA_ARRAY(arena, WorkspacePlace, room < SUMMARY_PLACE_LIMIT ? room : SUMMARY_PLACE_LIMIT);
    if (use->place_count > 0)
      memcpy(places, use->places, use->place_count * sizeof(*places));
    use->places = places;
  }
  Str text = document_line(builder->document, line);
  places[use->place_count++] = workspace_place_in_line(text, line, workspace_op_in_line(text, 0, use->op));
}

/// Methods and Python's functions, which FX graphs call by their bare names, are not operators.
static bool is_operator(UseBuilder *builder, Str op)
{
  const GraphDialect *dialect = builder->dialect;
  return !dialect->operator_name ||
         str_contains(dialect_operator_name(dialect, op, &builder->file->arena).name, STR("::"));
}

/// An operator of a chunk, whose places are wanted until there are enough.
typedef struct ChunkUse {
  size_t number;
  uint32_t wanted;
} ChunkUse;

/// Counts what the chunk uses, and returns how many places of it are wanted.
static uint32_t count_chunk_uses(UseBuilder *builder, const DumpIndex *index, Str text, ChunkUse *uses)
{
  uint32_t all = 0;
  for (uint32_t i = 0; i < index->op_count; i++) {
    Str op = dump_op_name(index, text, i);
    size_t number = is_operator(builder, op) ? use_number(builder, op) : SUMMARY_OPERATOR_LIMIT;
    if (number == SUMMARY_OPERATOR_LIMIT)
      continue;
    WorkspaceUse *use = &builder->uses.items[number];
    uint32_t room = SUMMARY_PLACE_LIMIT - use->place_count;
    uses[i] = (ChunkUse){ number, index->ops[i].count < room ? index->ops[i].count : room };
    use->count += index->ops[i].count;
    all += uses[i].wanted;
  }
  return all;
}

static void add_chunk_uses(UseBuilder *builder, const DumpIndex *index, Str text, uint32_t first_line)
{
  ChunkUse *uses = xcalloc(index->op_count + 1, sizeof(*uses));
  uint32_t wanted = count_chunk_uses(builder, index, text, uses);
  for (uint32_t i = 0; i < index->item_count && wanted > 0; i++) {
    const Item *item = &index->items[i];
    if (item->op == NO_OP || uses[item->op].wanted == 0)
      continue;
    uses[item->op].wanted--;
    wanted--;
    add_place(builder, &builder->uses.items[uses[item->op].number], first_line + item->line);
  }
  free(uses);
}

void graph_summarize(const Snapshot *snapshot, WorkspaceFile *file)
{
  const Dump *dump = snapshot_dump(snapshot);
  const Document *document = snapshot_document(snapshot);
  UseBuilder builder = { .file = file, .document = document, .dialect = snapshot_dialect(snapshot), .seen = map_new() };
  for (uint32_t c = 0; c < dump->chunk_count; c++)
    add_chunk_uses(&builder, dump->chunks[c]->index, chunk_text(dump->chunks[c]), document->chunk_lines[c]);
  WorkspaceUse *items = ARENA_ARRAY(&file->arena, WorkspaceUse, builder.uses.count);
  uint32_t count = 0;
  for (size_t i = 0; i < builder.uses.count; i++) {
    if (builder.uses.items[i].count > 0)
      items[count++] = builder.uses.items[i];
  }
  file->uses = items;
  file->use_count = count;
  graph_summarize_landmarks(snapshot, file);
  vec_free(&builder.uses);
  map_free(builder.seen);
}
