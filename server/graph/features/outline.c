#include "graph/features/outline.h"

#include "base/limits.h"

/// A part that is still open.
typedef struct OpenPart {
  size_t part;  ///< Index into the outline.
  int indent;   ///< Of its line; it ends before the next line of this indent or less.
  PartKind kind;
  Str scope;  ///< PART_MODULE: the scope up to this module.
} OpenPart;

typedef struct Builder {
  const FeatureContext *context;
  const Dump *dump;
  const Document *document;
  bool (*keeps_leaf)(const Dump *dump, Place place);
  Outline *outline;
  Vec(OpenPart) open;
  uint32_t graph;      ///< The graph being read.
  bool nests;          ///< Can its indentation be trusted?
  uint32_t line;       ///< Of the item being read.
  uint32_t last_line;  ///< Of the item settled last.
  Vec(Place) waiting;  ///< Statements without a scope: they belong to the module of the statement after them.
  int waiting_indent;
} Builder;

static OutlinePart *part_of(Builder *builder, const OpenPart *open)
{
  return &builder->outline->parts.items[open->part];
}

static void close_last(Builder *builder)
{
  part_of(builder, vec_last(&builder->open))->last_line = builder->last_line;
  builder->open.count--;
}

static size_t add_part(Builder *builder, PartKind kind, Place place)
{
  vec_push(&builder->outline->parts, (OutlinePart){
                                         .kind = kind,
                                         .depth = (uint32_t)builder->open.count,
                                         .place = place,
                                         .first_line = builder->line,
                                         .last_line = builder->line,
                                         .header_end = builder->line,
                                         .graph = builder->graph,
                                     });
  return builder->outline->parts.count - 1;
}

/// False if the part is too deep to hold others.
static bool open_part(Builder *builder, PartKind kind, Place place, int indent)
{
  size_t part = add_part(builder, kind, place);
  if (builder->open.count >= OUTLINE_DEPTH_LIMIT)
    return false;
  vec_push(&builder->open, (OpenPart){ .part = part, .indent = indent, .kind = kind });
  return true;
}

/// Closes the modules on top, down to the block or graph that they are in.
static void close_modules(Builder *builder)
{
  while (builder->open.count > 0 && vec_last(&builder->open)->kind == PART_MODULE)
    close_last(builder);
}

/// Closes what a line at `indent` lies outside of.
static void close_deeper(Builder *builder, int indent)
{
  for (size_t i = 1; i < builder->open.count; i++) {
    const OpenPart *open = &builder->open.items[i];
    if (open->kind == PART_MODULE || open->indent < indent)
      continue;
    while (builder->open.count > i)
      close_last(builder);
  }
}

// --- Modules ---

/// Whether the module is on the way that the scope names.
static bool scope_enters(Str scope, const OpenPart *module)
{
  return str_starts_with(scope, module->scope) &&
         (scope.len == module->scope.len || scope.data[module->scope.len] == '/');
}

static bool is_in_module(const Builder *builder, Str scope)
{
  const OpenPart *top = vec_last(&builder->open);
  return top->kind == PART_MODULE && str_equal(top->scope, scope);
}

/// How much of the scope the open modules cover.
static size_t covered_scope(const Builder *builder, Str scope)
{
  for (size_t i = builder->open.count; i-- > 0;) {
    const OpenPart *open = &builder->open.items[i];
    if (open->kind == PART_MODULE && scope_enters(scope, open))
      return open->scope.len;
  }
  return 0;
}

/// Leaves and enters modules until the innermost one is that of the scope.
static void enter_scope(Builder *builder, Str scope, Place place, int indent)
{
  if (is_in_module(builder, scope))
    return;
  while (vec_last(&builder->open)->kind == PART_MODULE && !scope_enters(scope, vec_last(&builder->open)))
    close_last(builder);
  ScopePart parts[SCOPE_PART_LIMIT];
  size_t count = line_tail_scope_parts(scope, parts);
  size_t covered = covered_scope(builder, scope);
  for (size_t i = 0; i < count; i++) {
    // Where the part ends in the scope: its path comes last, but for the bracket of `Conv2d[0]`.
    Str last = parts[i].path.len > 0 ? parts[i].path : parts[i].type;
    if (!last.data)
      continue;
    size_t end = str_find_char(scope, '/', (size_t)(last.data - scope.data));
    end = end == STR_NOT_FOUND ? scope.len : end;
    if (end <= covered)
      continue;
    if (!open_part(builder, PART_MODULE, place, indent))
      return;
    vec_last(&builder->open)->scope = str_slice(scope, 0, end);
    part_of(builder, vec_last(&builder->open))->module = parts[i];
  }
}

// --- Lines ---

static bool owns_blocks(const Builder *builder, Place place)
{
  Place next = place;
  if (!builder->nests || !dump_place_next(builder->dump, &next))
    return false;
  const Item *item = dump_place_item(builder->dump, next);
  return item->kind == ITEM_BLOCK_HEADER && item->indent > dump_place_item(builder->dump, place)->indent;
}

static void add_leaf(Builder *builder, PartKind kind, Place place)
{
  if (builder->keeps_leaf && builder->keeps_leaf(builder->dump, place))
    add_part(builder, kind, place);
}

/// Lists the waiting statements where the reader is.
static void add_waiting(Builder *builder)
{
  uint32_t line = builder->line;
  for (size_t i = 0; i < builder->waiting.count; i++) {
    builder->line = builder->last_line = dump_place_line(builder->context->snapshot, builder->waiting.items[i]);
    add_leaf(builder, PART_NODE, builder->waiting.items[i]);
  }
  vec_clear(&builder->waiting);
  builder->line = line;
}

/// No statement with a scope came: the waiting ones belong to no module.
static void settle_waiting(Builder *builder)
{
  close_modules(builder);
  add_waiting(builder);
}

/// Enters the modules of the scope, which begin with the first statement that waits.
static void settle_scope(Builder *builder, Str scope, Place place, int indent)
{
  uint32_t line = builder->line;
  if (builder->waiting.count > OUTLINE_WAITING_LIMIT)
    settle_waiting(builder);
  if (builder->waiting.count > 0) {
    place = builder->waiting.items[0];
    builder->line = dump_place_line(builder->context->snapshot, place);
  }
  enter_scope(builder, scope, place, indent);
  builder->line = line;
  add_waiting(builder);
}

static void read_statement(Builder *builder, Place place, int indent)
{
  if (indent != builder->waiting_indent)
    settle_waiting(builder);
  builder->waiting_indent = indent;
  close_deeper(builder, indent);
  bool is_parent = owns_blocks(builder, place);
  Str scope = line_tail(document_line(builder->document, builder->line)).scope;
  if (scope.len > 0) {
    settle_scope(builder, scope, place, indent);
  } else if (is_parent) {
    settle_waiting(builder);
  } else {
    vec_push(&builder->waiting, place);
    return;
  }
  if (is_parent)
    open_part(builder, PART_NODE, place, indent);
  else
    add_leaf(builder, PART_NODE, place);
  builder->last_line = builder->line;
}

static void read_header_line(Builder *builder, Place place)
{
  if (builder->open.count == 1)
    part_of(builder, &builder->open.items[0])->header_end = builder->line;
  if (dump_place_item(builder->dump, place)->def_count > 0)
    add_leaf(builder, PART_INPUTS, place);
}

static void read_item(Builder *builder, Place place)
{
  const Item *item = dump_place_item(builder->dump, place);
  int indent = builder->nests ? item->indent : 0;
  builder->line = dump_place_line(builder->context->snapshot, place);
  if (item->kind == ITEM_STATEMENT) {
    read_statement(builder, place, indent);
    return;
  }
  settle_waiting(builder);
  switch ((ItemKind)item->kind) {
  case ITEM_GRAPH_HEADER:
  case ITEM_PRINTABLE_HEADER:
  case ITEM_PARAMETERS:
  case ITEM_SECTION:
    read_header_line(builder, place);
    break;
  case ITEM_BLOCK_HEADER:
    close_deeper(builder, indent);
    if (builder->nests)
      open_part(builder, PART_BLOCK, place, indent);
    break;
  case ITEM_BLOCK_RETURN:
    close_deeper(builder, indent);
    break;
  case ITEM_RETURN:
    while (builder->open.count > 1)
      close_last(builder);
    break;
  case ITEM_STATEMENT:
  case ITEM_CONTINUATION:
  case ITEM_GAP:
    break;
  }
  builder->last_line = builder->line;
}

// --- Graphs ---

static bool has_items(const Builder *builder)
{
  const Graph *graph = &builder->dump->graphs[builder->graph];
  for (uint32_t chunk = graph->first_chunk; chunk <= graph->last_chunk; chunk++) {
    const DumpIndex *index = builder->dump->chunks[chunk]->index;
    if (index->segments[graph_segment(graph, chunk)].item_count > 0)
      return true;
  }
  return false;
}

static void read_segment(Builder *builder, uint32_t chunk, const Segment *segment)
{
  for (uint32_t i = 0; i < segment->item_count; i++) {
    Place place = { .chunk = chunk, .item = segment->first_item + i };
    if (builder->open.count == 0) {
      builder->line = dump_place_line(builder->context->snapshot, place);
      open_part(builder, PART_GRAPH, place, -1);
    }
    read_item(builder, place);
  }
}

static void read_graph(Builder *builder)
{
  const Graph *graph = &builder->dump->graphs[builder->graph];
  builder->nests = !(graph->flags & SEGMENT_UNINDENTED);
  for (uint32_t chunk = graph->first_chunk; chunk <= graph->last_chunk; chunk++) {
    if (feature_is_cancelled(builder->context))
      break;
    const DumpIndex *index = builder->dump->chunks[chunk]->index;
    read_segment(builder, chunk, &index->segments[graph_segment(graph, chunk)]);
  }
  if (builder->open.count > 0)
    settle_waiting(builder);
  while (builder->open.count > 0)
    close_last(builder);
}

void outline_build(const FeatureContext *context, bool (*keeps_leaf)(const Dump *dump, Place place),
                   Outline *ret_outline)
{
  *ret_outline = (Outline){ 0 };
  Builder builder = {
    .context = context,
    .dump = snapshot_dump(context->snapshot),
    .document = snapshot_document(context->snapshot),
    .keeps_leaf = keeps_leaf,
    .outline = ret_outline,
  };
  if (!builder.dump)
    return;
  for (uint32_t graph = 0; graph < builder.dump->graph_count && !feature_is_cancelled(context); graph++) {
    builder.graph = graph;
    if (has_items(&builder))
      read_graph(&builder);
  }
  vec_free(&builder.open);
  vec_free(&builder.waiting);
}

void outline_done(Outline *outline)
{
  vec_free(&outline->parts);
}
