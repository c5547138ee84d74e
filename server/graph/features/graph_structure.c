// What comparing two dumps needs: lines as parts, with what they say beside the names of values.

#include "core/structure.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/map.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_tail.h"
#include "graph/features/line_view.h"

#define NO_GRAPH UINT32_MAX

/// A block whose lines are being read, or a statement that a block header may belong to.
typedef struct Indented {
  int indent;
  uint32_t number;  ///< Of the block, or of the part.
} Indented;

/// A graph inside of a node, which a printable graph names at the node and prints after the graph that the node is in.
typedef struct InnerGraph {
  uint32_t owner;  ///< The node.
  uint32_t graph;  ///< That the node is in.
  Str attribute;
  Str name;  ///< Of the graph; others may have the same.
} InnerGraph;

/// Of the inputs that a header has so far.
typedef struct InputCount {
  uint32_t inputs;
  uint32_t arguments;  ///< Those that are no parameters.
} InputCount;

typedef struct Builder {
  const Snapshot *snapshot;
  const Document *document;
  const Dump *dump;
  const GraphDialect *dialect;
  GraphStructure *structure;
  Arena line_arena;          ///< Of the line that is read.
  uint32_t *first_values;    ///< By chunk: where its occurrences begin in `values`.
  Vec(uint32_t) values;      ///< By occurrence: the value that it defines, or NO_VALUE.
  Vec(Indented) open;        ///< Blocks.
  Vec(Indented) statements;  ///< Each indented deeper than the one before.
  Vec(InnerGraph) named;     ///< By the nodes of this graph.
  Vec(InnerGraph) awaited;   ///< By those before, the next one last.
  uint32_t *around;          ///< By graph: the one that its owner is in, or NO_GRAPH.
  Map *free_names;           ///< Name in its graph -> value + 1.
  uint32_t graph;            ///< The dump's.
  uint32_t graph_block;
  InputCount inputs;
  uint32_t outputs;
  bool has_graph;
} Builder;

static uint32_t *value_at(Builder *builder, Place place)
{
  return &builder->values.items[builder->first_values[place.chunk] + place.occurrence];
}

static void number_occurrences(Builder *builder)
{
  const Dump *dump = builder->dump;
  uint32_t count = 0;
  builder->first_values = xcalloc(dump->chunk_count + 1, sizeof(*builder->first_values));
  for (uint32_t i = 0; i < dump->chunk_count; i++) {
    builder->first_values[i] = count;
    count += dump->chunks[i]->index->occurrence_count;
  }
  vec_reserve(&builder->values, count + 1);
  builder->values.count = count;
  memset(builder->values.items, 0xFF, (count + 1) * sizeof(*builder->values.items));
}

static Str name_of(const Builder *builder, Place place)
{
  GraphWalk walk = { .dump = builder->dump };
  return walk_name(&walk, place);
}

/// Whether the graph that is being read is one of onnx's printable graphs.
static bool is_printable(const Builder *builder)
{
  return (builder->dump->graphs[builder->graph].flags & SEGMENT_PRINTABLE) != 0;
}

// --- Values ---

static uint32_t free_value(Builder *builder, Part part, Place use)
{
  Str name = name_of(builder, use);
  Str key = arena_printf(&builder->line_arena, "%u %.*s", builder->graph, STR_ARG(name));
  uintptr_t known = (uintptr_t)map_get(builder->free_names, key);
  if (known > 0)
    return (uint32_t)known - 1;
  part = (Part){ .kind = STRUCTURE_INPUT, .block = builder->graph_block, .line = part.line, .is_free = true };
  structure_add_part(builder->structure, part);
  uint32_t value = structure_add_value(builder->structure, name, (Str){ 0 });
  map_put(builder->free_names, key, (void *)(uintptr_t)(value + 1));
  return value;
}

/// The definition of a value in its graph, or in those around its node.
static bool find_definition(const Builder *builder, Place use, Place *ret_definition)
{
  GraphWalk walk = { .dump = builder->dump };
  if (walk_find_definition(&walk, use, ret_definition))
    return true;
  uint32_t graph = builder->around[builder->graph];
  for (int depth = 0; graph != NO_GRAPH && depth < INNER_GRAPH_DEPTH_LIMIT; depth++) {
    if (dump_find_definition(builder->dump, graph, walk_name(&walk, use), use, ret_definition))
      return true;
    graph = builder->around[graph];
  }
  return false;
}

/// The values that a line uses, found before its part is added: what is free is a part before it.
static void find_uses(Builder *builder, Part part, Place place, uint32_t count, uint32_t *ret_values)
{
  GraphWalk walk = { .dump = builder->dump };
  for (uint32_t i = 0; i < count; i++) {
    Place use = walk_use(&walk, place, i);
    Place definition;
    uint32_t value = NO_VALUE;
    if (find_definition(builder, use, &definition))
      value = *value_at(builder, definition);
    ret_values[i] = value == NO_VALUE ? free_value(builder, part, use) : value;
  }
}

static void add_uses(Builder *builder, const uint32_t *values, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    structure_add_use(builder->structure, values[i]);
}

/// As the line writes it; empty if it does not.
static Str type_of(const Builder *builder, const LineView *view, Place definition)
{
  const ChunkState *chunk = builder->dump->chunks[definition.chunk];
  return line_view_type_of(view, builder->document->chunk_offsets[definition.chunk] +
                                     chunk->index->occurrences[definition.occurrence].start);
}

/// The value that the i-th definition of the line is, as a value of the last part.
static void define(Builder *builder, const LineView *view, Place place, uint32_t i)
{
  GraphWalk walk = { .dump = builder->dump };
  Place definition = walk_definition(&walk, place, i);
  Str type = structure_spelling(builder->structure, type_of(builder, view, definition), false);
  *value_at(builder, definition) = structure_add_value(builder->structure, name_of(builder, definition), type);
}

// --- What a line says beside them ---

/// Whether a node is the name of a value.
static bool is_name(const SyntaxNode *node)
{
  return node->kind == NODE_VALUE_REF || node->kind == NODE_VALUE_NAME;
}

/// The text of node `i`, with `%` in the place of each value.
static Str masked(GraphStructure *structure, const LineView *view, size_t i)
{
  Buffer out = { 0 };
  size_t at = view->nodes[i].start;
  for (size_t k = i + 1; k < view->count && view->nodes[k].depth > view->nodes[i].depth; k++) {
    if (!is_name(&view->nodes[k]) || view->nodes[k].start < at)
      continue;
    buffer_append(&out, str_slice(view->text, at, view->nodes[k].start));
    buffer_append_char(&out, '%');
    at = view->nodes[k].end;
  }
  buffer_append(&out, str_slice(view->text, at, view->nodes[i].end));
  Str spelling = structure_spelling(structure, buffer_str(&out), false);
  buffer_done(&out);
  return spelling;
}

/// A child of node `i`, or NO_NODE.
static size_t child(const LineView *view, size_t i, NodeKind kind)
{
  for (size_t k = i + 1; k < view->count && view->nodes[k].depth > view->nodes[i].depth; k++) {
    if (view->nodes[k].kind == kind)
      return k;
  }
  return NO_NODE;
}

/// Notes the graphs that an attribute names, `<graph body>` or `[<graph a>, <graph b>]`; false if it names none.
static bool names_graphs(Builder *builder, Str attribute, Str value)
{
  static const Str sign = STR_INIT("<graph ");
  Str rest = str_starts_with(value, STR("[")) ? str_slice(value, 1, value.len) : value;
  if (!str_starts_with(rest, sign))
    return false;
  for (size_t at = 0; (at = str_find(rest, sign, at)) != STR_NOT_FOUND;) {
    size_t start = at + sign.len;
    at = str_find_char(rest, '>', start);
    Arena *arena = &builder->structure->arena;
    InnerGraph inner = { (uint32_t)builder->structure->parts.count - 1, builder->graph, arena_copy(arena, attribute),
                         arena_copy(arena, str_slice(rest, start, at)) };
    vec_push(&builder->named, inner);
  }
  return true;
}

static void add_attribute(Builder *builder, const LineView *view, size_t i)
{
  size_t name_at = child(view, i, NODE_ATTRIBUTE_NAME);
  size_t value_at = child(view, i, NODE_ATTRIBUTE_VALUE);
  Str name = name_at == NO_NODE ? (Str){ 0 } : str_trim(line_view_text(view, name_at));
  if (is_printable(builder) && value_at != NO_NODE &&
      names_graphs(builder, name, str_trim(line_view_text(view, value_at))))
    return;
  structure_add_attribute(builder->structure, name,
                          masked(builder->structure, view, value_at == NO_NODE ? i : value_at));
}

/// Attributes by their names, and arguments that are more or less than a value by their place.
static void add_attributes(Builder *builder, const LineView *view)
{
  Arena *arena = &builder->structure->arena;
  uint32_t argument = 0;
  for (size_t i = 0; i < view->count; i++) {
    if (view->nodes[i].kind == NODE_ATTRIBUTE) {
      add_attribute(builder, view, i);
    } else if (view->nodes[i].kind == NODE_ARGUMENT || view->nodes[i].kind == NODE_VALUE_REF) {
      bool is_inside = i > 0 && view->nodes[i].depth > 3;
      if (view->nodes[i].kind == NODE_ARGUMENT)
        structure_add_attribute(builder->structure, arena_printf(arena, "argument %u", argument),
                                masked(builder->structure, view, i));
      argument += !is_inside;
    }
  }
}

static Str scope_of(const Builder *builder, uint32_t line)
{
  LineTail tail = line_origin(builder->snapshot, line);
  return tail.scope.len > 0 ? tail.scope : tail.location;
}

// --- Lines ---

/// What the graph before named comes next, node after node. Of one node's graphs the text sorts the names, so these
/// stay in their order, which is searched from its end: `then_branch` is mostly printed before `else_branch`.
static void await_named(Builder *builder)
{
  for (size_t end = builder->named.count, start; end > 0; end = start) {
    start = end - 1;
    while (start > 0 && builder->named.items[start - 1].owner == builder->named.items[end - 1].owner)
      start--;
    for (size_t i = start; i < end; i++)
      vec_push(&builder->awaited, builder->named.items[i]);
  }
  vec_clear(&builder->named);
}

/// The node that has the graph of a header, `graph body (`; its owner is NO_PART if no node before awaits such a one.
static InnerGraph take_awaited(Builder *builder, Str header)
{
  static const Str word = STR_INIT("graph ");
  size_t start = str_find(header, word, 0);
  Str rest = start == STR_NOT_FOUND ? (Str){ 0 } : str_slice(header, start + word.len, header.len);
  size_t count = builder->awaited.count;
  for (size_t i = count; i-- > 0 && count - i <= INNER_GRAPH_SEARCH_LIMIT;) {
    InnerGraph inner = builder->awaited.items[i];
    if (!str_starts_with(rest, inner.name) || !str_starts_with(str_slice(rest, inner.name.len, rest.len), STR(" ")))
      continue;
    // What the text lacks is not waited for, but the node's other graphs are.
    size_t kept = i;
    for (size_t k = i + 1; k < count; k++) {
      if (builder->awaited.items[k].owner == inner.owner)
        builder->awaited.items[kept++] = builder->awaited.items[k];
    }
    builder->awaited.count = kept;
    return inner;
  }
  vec_clear(&builder->awaited);
  return (InnerGraph){ .owner = NO_PART, .graph = NO_GRAPH };
}

static void begin_graph(Builder *builder, uint32_t graph, Str header)
{
  InnerGraph inner = { .owner = NO_PART, .graph = NO_GRAPH };
  await_named(builder);
  if (builder->dump->graphs[graph].follows_printable)
    inner = take_awaited(builder, header);
  builder->graph = graph;
  builder->around[graph] = inner.graph;
  builder->has_graph = true;
  builder->inputs = (InputCount){ 0 };
  builder->outputs = 0;
  vec_clear(&builder->open);
  vec_clear(&builder->statements);
  builder->graph_block = structure_add_block(builder->structure, inner.owner, inner.attribute);
}

static void close_deeper(Builder *builder, int indent)
{
  while (builder->open.count > 0 && vec_last(&builder->open)->indent >= indent)
    builder->open.count--;
  while (builder->statements.count > 0 && vec_last(&builder->statements)->indent >= indent)
    builder->statements.count--;
}

/// Defines the values that a line makes. A printable graph writes a bare `%` for one that is left out.
static void define_all(Builder *builder, const LineView *view, Place place)
{
  uint32_t count = dump_place_item(builder->dump, place)->def_count;
  uint32_t defined = 0;
  size_t equals = is_printable(builder) ? str_find(view->text, STR(" = "), 0) : STR_NOT_FOUND;
  for (size_t start = 0, end; equals != STR_NOT_FOUND && start < equals; start = end + 1) {
    end = str_find(view->text, STR(", "), start);
    end = end < equals ? end : equals;
    if (str_equal(str_trim(str_slice(view->text, start, end)), STR("%")))
      structure_add_value(builder->structure, (Str){ 0 }, (Str){ 0 });
    else if (defined < count)
      define(builder, view, place, defined++);
  }
  while (defined < count)
    define(builder, view, place, defined++);
}

static Part part_of(const Builder *builder, StructureKind kind, uint32_t line)
{
  uint32_t block = builder->open.count > 0 ? vec_last(&builder->open)->number : builder->graph_block;
  return (Part){ .kind = kind, .block = block, .line = line };
}

/// Whether an input is no argument of the model: `p_layer1_weight` of an exported program, or `%self`.
static bool is_parameter(const Builder *builder, const LineView *view, Place definition)
{
  static const char *const prefixes[] = { "p_", "b_", "c_" };
  if (builder->dialect->exporter == EXPORTER_DYNAMO)
    return str_is_one_of(str_slice(name_of(builder, definition), 0, 2), prefixes, COUNT(prefixes));
  return str_starts_with(type_of(builder, view, definition), STR("__torch__"));
}

static void add_inputs(Builder *builder, const LineView *view, Place place, InputCount *count)
{
  GraphWalk walk = { .dump = builder->dump };
  const Item *item = dump_place_item(builder->dump, place);
  for (uint32_t i = 0; i < item->def_count; i++) {
    Part part = part_of(builder, STRUCTURE_INPUT, view->line);
    part.is_parameter = is_parameter(builder, view, walk_definition(&walk, place, i));
    part.number = count->inputs++;
    part.argument = part.is_parameter ? 0 : count->arguments++;
    structure_add_part(builder->structure, part);
    define(builder, view, place, i);
  }
}

static void add_block(Builder *builder, const LineView *view, Place place)
{
  const Item *item = dump_place_item(builder->dump, place);
  size_t name = line_view_find(view, NODE_BLOCK_NAME, 0);
  InputCount count = { 0 };
  uint32_t owner = builder->statements.count > 0 ? vec_last(&builder->statements)->number : NO_PART;
  uint32_t block =
      structure_add_block(builder->structure, owner, name == NO_NODE ? (Str){ 0 } : line_view_text(view, name));
  vec_push(&builder->open, (Indented){ item->indent, block });
  add_inputs(builder, view, place, &count);
}

static void add_outputs(Builder *builder, const LineView *view, Place place)
{
  GraphWalk walk = { .dump = builder->dump };
  uint32_t count = walk_use_count(&walk, place);
  uint32_t *values = xcalloc(count + 1, sizeof(*values));
  Part part = part_of(builder, STRUCTURE_OUTPUT, view->line);
  uint32_t number = 0;
  find_uses(builder, part, place, count, values);
  for (uint32_t i = 0; i < count; i++) {
    part.number = part.argument = builder->open.count > 0 ? number++ : builder->outputs++;
    part.label = name_of(builder, walk_use(&walk, place, i));
    structure_add_part(builder->structure, part);
    add_uses(builder, &values[i], 1);
  }
  free(values);
}

static void add_node(Builder *builder, const LineView *view, Place place)
{
  GraphWalk walk = { .dump = builder->dump };
  const Item *item = dump_place_item(builder->dump, place);
  uint32_t count = walk_use_count(&walk, place);
  uint32_t *values = xcalloc(count + 1, sizeof(*values));
  Part part = part_of(builder, STRUCTURE_NODE, view->line);
  Str op = walk_op(&walk, place);
  part.op = op.len > 0 ? dialect_operator_word(builder->dialect, op, &builder->structure->arena) : (Str){ 0 };
  part.scope = scope_of(builder, view->line);
  find_uses(builder, part, place, count, values);
  vec_push(&builder->statements, (Indented){ item->indent, structure_add_part(builder->structure, part) });
  add_uses(builder, values, count);
  define_all(builder, view, place);
  add_attributes(builder, view);
  free(values);
}

static void add_item(Builder *builder, const LineView *view, Place place)
{
  const Item *item = dump_place_item(builder->dump, place);
  if (item_nests((ItemKind)item->kind))
    close_deeper(builder, item->indent);
  switch ((ItemKind)item->kind) {
  case ITEM_STATEMENT:
    add_node(builder, view, place);
    break;
  case ITEM_GRAPH_HEADER:
  case ITEM_PRINTABLE_HEADER:
  case ITEM_PARAMETERS:
    add_inputs(builder, view, place, &builder->inputs);
    break;
  case ITEM_BLOCK_HEADER:
    add_block(builder, view, place);
    break;
  case ITEM_BLOCK_RETURN:
  case ITEM_RETURN:
    add_outputs(builder, view, place);
    break;
  case ITEM_SECTION:
  case ITEM_CONTINUATION:
  case ITEM_GAP:
    break;
  }
}

static void add_chunk(Builder *builder, uint32_t number)
{
  const DumpIndex *index = builder->dump->chunks[number]->index;
  for (uint32_t i = 0; i < index->item_count; i++) {
    Place place = { .chunk = number, .item = i };
    uint32_t graph = dump_graph_of(builder->dump, number, dump_index_segment_of(index, i));
    uint32_t line = builder->document->chunk_lines[number] + index->items[i].line;
    LineView view = line_view(builder->snapshot, line, &builder->line_arena);
    if (!builder->has_graph || graph != builder->graph)
      begin_graph(builder, graph, view.text);
    add_item(builder, &view, place);
    arena_done(&builder->line_arena);
  }
}

void graph_structure(const Snapshot *snapshot, GraphStructure *structure)
{
  Builder builder = {
    .snapshot = snapshot,
    .document = snapshot_document(snapshot),
    .dump = snapshot_dump(snapshot),
    .dialect = snapshot_dialect(snapshot),
    .structure = structure,
    .free_names = map_new(),
  };
  if (builder.dialect->structure) {
    builder.dialect->structure(snapshot, structure);
  } else {
    number_occurrences(&builder);
    builder.around = xcalloc(builder.dump->graph_count + 1, sizeof(*builder.around));
    for (uint32_t i = 0; i < builder.dump->chunk_count; i++)
      add_chunk(&builder, i);
  }
  free(builder.first_values);
  free(builder.around);
  vec_free(&builder.values);
  vec_free(&builder.open);
  vec_free(&builder.statements);
  vec_free(&builder.named);
  vec_free(&builder.awaited);
  map_free(builder.free_names);
  arena_done(&builder.line_arena);
}
