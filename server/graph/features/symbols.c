// textDocument/documentSymbol: graphs, the modules in them, statements and their blocks.
//
// The answer stays below DOCUMENT_SYMBOL_LIMIT: of large dumps constants and lists are left out, of larger ones all
// statements without blocks, and in the end the deepest levels. A graph's detail says so.

#include "base/limits.h"
#include "describe/markup.h"
#include "describe/type_text.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_view.h"
#include "graph/features/model_section.h"
#include "graph/features/outline.h"

enum { OUTPUTS_SHOWN = 3, NAME_SHOWN = 120 };

/// LSP SymbolKind
enum {
  KIND_MODULE = 2,
  KIND_NAMESPACE = 3,
  KIND_FUNCTION = 12,
  KIND_VARIABLE = 13,
  KIND_CONSTANT = 14,
  KIND_OPERATOR = 25
};

typedef enum LeafMode {
  LEAVES_ALL,
  LEAVES_MAIN,  ///< Without constants, lists and attributes.
  LEAVES_NONE,
} LeafMode;

// --- What to show ---

static Str item_operator(const Dump *dump, Place place)
{
  const ChunkState *chunk = dump->chunks[place.chunk];
  const Item *item = dump_place_item(dump, place);
  return item->op == NO_OP ? (Str){ 0 } : dump_op_name(chunk->index, chunk_text(chunk), item->op);
}

/// Operators that only prepare arguments.
static bool is_minor(Str op)
{
  static const char *const names[] = {
    "prim::Constant",       "prim::ListConstruct", "prim::GetAttr",  "prim::TupleUnpack", "prim::ListUnpack",
    "prim::TupleConstruct", "prim::NumToTensor",   "onnx::Constant", "Constant",
  };
  return str_is_one_of(op, names, COUNT(names));
}

static bool keep_all(const Dump *dump, Place place)
{
  (void)dump;
  (void)place;
  return true;
}

static bool keep_main(const Dump *dump, Place place)
{
  return dump_place_item(dump, place)->kind == ITEM_STATEMENT && !is_minor(item_operator(dump, place));
}

static size_t count_items(const Dump *dump)
{
  size_t count = 0;
  for (uint32_t chunk = 0; chunk < dump->chunk_count; chunk++)
    count += dump->chunks[chunk]->index->item_count;
  return count;
}

static size_t count_minor(const Dump *dump)
{
  size_t count = 0;
  for (uint32_t chunk = 0; chunk < dump->chunk_count; chunk++) {
    const ChunkState *state = dump->chunks[chunk];
    for (uint32_t op = 0; op < state->index->op_count; op++) {
      if (is_minor(dump_op_name(state->index, chunk_text(state), op)))
        count += state->index->ops[op].count;
    }
  }
  return count;
}

static LeafMode choose_leaves(const Dump *dump)
{
  size_t items = count_items(dump);
  if (items <= SYMBOL_FULL_LIMIT)
    return LEAVES_ALL;
  return items - count_minor(dump) <= SYMBOL_MAIN_LIMIT ? LEAVES_MAIN : LEAVES_NONE;
}

/// The number of levels whose parts fit the limit together; at least one.
static uint32_t levels_that_fit(const Outline *outline)
{
  size_t counts[OUTLINE_DEPTH_LIMIT + 1] = { 0 };
  for (size_t i = 0; i < outline->parts.count; i++)
    counts[outline->parts.items[i].depth]++;
  size_t total = counts[0];
  uint32_t levels = 1;
  while (levels <= OUTLINE_DEPTH_LIMIT && total + counts[levels] <= DOCUMENT_SYMBOL_LIMIT)
    total += counts[levels++];
  return levels;
}

// --- Names ---

typedef struct SymbolWriter {
  const FeatureContext *context;
  const Dump *dump;
  const Document *document;
  LeafMode mode;
  bool is_cut;                           ///< Deep levels are left out.
  Str parents[OUTLINE_DEPTH_LIMIT + 1];  ///< By depth: the operator of the last statement there.
  Vec(Symbol) symbols;
} SymbolWriter;

/// `%12, %13` of the line's definitions.
static Str output_names(const SymbolWriter *writer, Place place)
{
  const ChunkState *chunk = writer->dump->chunks[place.chunk];
  const Item *item = dump_place_item(writer->dump, place);
  Str text = { 0 };
  for (uint32_t i = 0; i < item->def_count && i < OUTPUTS_SHOWN; i++) {
    uint32_t symbol = chunk->index->occurrences[item->first_occurrence + i].symbol;
    Str name =
        markup_shorten(dump_symbol_name(chunk->index, chunk_text(chunk), symbol), NAME_SHOWN, writer->context->arena);
    text = i == 0 ? name : arena_printf(writer->context->arena, "%.*s, %.*s", STR_ARG(text), STR_ARG(name));
  }
  return item->def_count > OUTPUTS_SHOWN ? arena_printf(writer->context->arena, "%.*s, \xe2\x80\xa6", STR_ARG(text))
                                         : text;
}

/// The text of the line after the name at a place.
static Str text_after(const SymbolWriter *writer, Place name)
{
  uint32_t line = dump_place_line(writer->context->snapshot, name);
  Str text = document_line(writer->document, line);
  size_t from = dump_place_range(writer->context->snapshot, name).end - document_line_start(writer->document, line);
  return str_slice(text, from, text.len);
}

/// The type of the value named there.
static Str type_after(const SymbolWriter *writer, Place name)
{
  const GraphDialect *dialect = snapshot_dialect(writer->context->snapshot);
  Str text = text_after(writer, name);
  Str type = dialect->type_after ? dialect->type_after(text) : line_tail_type(text);
  return dialect_plain_type(type, writer->context->arena);
}

/// The type of the line's first definition, in short.
static Str first_type(const SymbolWriter *writer, Place place)
{
  const Item *item = dump_place_item(writer->dump, place);
  if (item->def_count == 0)
    return (Str){ 0 };
  place.occurrence = item->first_occurrence;
  return type_brief(type_after(writer, place), writer->context->arena);
}

static void name_node(SymbolWriter *writer, const OutlinePart *part, Symbol *symbol)
{
  Str outputs = output_names(writer, part->place);
  Arena *arena = writer->context->arena;
  Str op = item_operator(writer->dump, part->place);
  op = markup_shorten(dialect_operator_word(snapshot_dialect(writer->context->snapshot), op, arena), NAME_SHOWN, arena);
  const char *gap = outputs.len > 0 && op.len > 0 ? " " : "";
  symbol->name = arena_printf(arena, "%.*s%s%.*s", STR_ARG(outputs), gap, STR_ARG(op));
  symbol->detail = first_type(writer, part->place);
  symbol->kind = is_minor(op) ? KIND_CONSTANT : op.len == 0 ? KIND_VARIABLE : KIND_OPERATOR;
}

static void name_module(SymbolWriter *writer, const OutlinePart *part, Symbol *symbol)
{
  Str type = line_tail_dotted(part->module.type);
  bool has_path = part->module.path.len > 0;
  symbol->name = markup_shorten(has_path ? part->module.path : type, NAME_SHOWN, writer->context->arena);
  symbol->detail = has_path ? markup_shorten(type, NAME_SHOWN, writer->context->arena) : (Str){ 0 };
  symbol->kind = KIND_MODULE;
}

/// `then_branch` of a model's If, and the name of its graph.
static bool name_model_block(SymbolWriter *writer, const OutlinePart *part, Symbol *symbol)
{
  if (!snapshot_dialect(writer->context->snapshot)->is_model)
    return false;
  LineView view = line_view(writer->context->snapshot, part->first_line, writer->context->arena);
  size_t block = line_view_find(&view, NODE_BLOCK_HEADER, 0);
  size_t attribute = line_view_find(&view, NODE_ATTRIBUTE_NAME, block);
  size_t name = line_view_find(&view, NODE_BLOCK_NAME, block);
  if (name == NO_NODE)
    return false;
  symbol->name = line_view_text(&view, attribute == NO_NODE || attribute > name ? name : attribute);
  symbol->detail = line_view_text(&view, name);
  return true;
}

static void name_block(SymbolWriter *writer, const OutlinePart *part, Symbol *symbol)
{
  Str line = str_trim(document_line(writer->document, part->first_line));
  symbol->kind = KIND_NAMESPACE;
  if (name_model_block(writer, part, symbol))
    return;
  symbol->name = markup_shorten(str_slice(line, 0, str_find_char(line, '(', 0)), NAME_SHOWN, writer->context->arena);
  Str owner = part->depth > 0 ? writer->parents[part->depth - 1] : (Str){ 0 };
  bool is_first = str_equal(symbol->name, STR("block0"));
  if (str_ends_with(owner, STR("::If")))
    symbol->detail = is_first ? STR("if the condition holds") : STR("else");
  else if (str_ends_with(owner, STR("::Loop")))
    symbol->detail = STR("loop body");
}

/// How many inputs a line of a header defines. Those of a model may be outputs or initializers; `next` is the first
/// line whose section is not known.
static size_t count_inputs(const SymbolWriter *writer, const Item *item, uint32_t line, uint32_t *next,
                           ModelSection *section)
{
  bool is_first = item->kind == ITEM_GRAPH_HEADER;
  *next = is_first ? line : *next;
  if (!snapshot_dialect(writer->context->snapshot)->is_model)
    return item->def_count;
  for (; *next <= line; ++*next)
    *section = model_section(is_first ? SECTION_INPUTS : *section, document_line(writer->document, *next), is_first);
  return is_first || *section == SECTION_INPUTS ? item->def_count : 0;
}

static void count_graph(const SymbolWriter *writer, uint32_t graph, size_t *ret_inputs, size_t *ret_nodes)
{
  const Graph *g = &writer->dump->graphs[graph];
  ModelSection section = SECTION_INPUTS;
  uint32_t next = 0;
  *ret_inputs = 0;
  *ret_nodes = 0;
  for (uint32_t chunk = g->first_chunk; chunk <= g->last_chunk; chunk++) {
    const DumpIndex *index = writer->dump->chunks[chunk]->index;
    const Segment *segment = &index->segments[graph_segment(g, chunk)];
    for (uint32_t i = 0; i < segment->item_count; i++) {
      const Item *item = &index->items[segment->first_item + i];
      bool is_header =
          item->kind == ITEM_GRAPH_HEADER || item->kind == ITEM_PRINTABLE_HEADER || item->kind == ITEM_PARAMETERS;
      if (is_header)
        *ret_inputs += count_inputs(writer, item, writer->document->chunk_lines[chunk] + item->line, &next, &section);
      *ret_nodes += item->kind == ITEM_STATEMENT;
    }
  }
}

/// The name that a model gives its graph or a function; empty if it gives none.
static Str model_graph_name(const SymbolWriter *writer, const OutlinePart *part)
{
  if (!snapshot_dialect(writer->context->snapshot)->is_model)
    return (Str){ 0 };
  LineView view = line_view(writer->context->snapshot, part->first_line, writer->context->arena);
  size_t name = line_view_find(&view, NODE_GRAPH_NAME, 0);
  return name == NO_NODE ? (Str){ 0 } : line_view_text(&view, name);
}

/// `graph`, `prim::DifferentiableGraph_0` of a trailer, the name of a printable graph.
static Str graph_name(const SymbolWriter *writer, const OutlinePart *part)
{
  const Item *item = dump_place_item(writer->dump, part->place);
  Range range;
  Str title = model_graph_name(writer, part);
  if (title.len > 0)
    return title;
  if (item->kind == ITEM_GRAPH_HEADER && item->op == NO_OP)
    return graph_title(writer->context, part->first_line, &title, &range) ? title : STR("graph");
  if (item->kind == ITEM_GRAPH_HEADER)
    return item_operator(writer->dump, part->place);
  if (item->kind != ITEM_PRINTABLE_HEADER)
    return STR("part of a graph");
  Str line = document_line(writer->document, part->first_line);
  size_t start = str_find(line, STR("graph "), 0);
  if (start == STR_NOT_FOUND)
    return STR("graph");
  start += 6;
  size_t end = start;
  while (end < line.len && line.data[end] != ' ' && line.data[end] != '(' && line.data[end] != '{')
    end++;
  return end > start ? str_slice(line, start, end) : STR("graph");
}

static void name_graph(SymbolWriter *writer, const OutlinePart *part, Symbol *symbol)
{
  Arena *arena = writer->context->arena;
  size_t inputs;
  size_t nodes;
  count_graph(writer, part->graph, &inputs, &nodes);
  const char *left_out = writer->mode == LEAVES_MAIN   ? "; constants and lists are left out"
                         : writer->mode == LEAVES_NONE ? "; only modules and blocks are listed"
                                                       : "";
  symbol->name = markup_shorten(graph_name(writer, part), NAME_SHOWN, arena);
  symbol->detail = arena_printf(arena, "%.*s input%s, %.*s node%s%s%s", STR_ARG(markup_group_digits(inputs, arena)),
                                inputs == 1 ? "" : "s", STR_ARG(markup_group_digits(nodes, arena)),
                                nodes == 1 ? "" : "s", left_out, writer->is_cut ? ", and not the deepest" : "");
  symbol->kind = KIND_FUNCTION;
}

// --- Symbols ---

/// A line of a header has a symbol for each of its inputs.
static void add_inputs(SymbolWriter *writer, const OutlinePart *part)
{
  const Item *item = dump_place_item(writer->dump, part->place);
  for (uint32_t i = 0; i < item->def_count && writer->symbols.count < DOCUMENT_SYMBOL_LIMIT; i++) {
    Place place = part->place;
    place.occurrence = item->first_occurrence + i;
    Str type = type_after(writer, place);
    Symbol symbol = { .kind = KIND_VARIABLE, .depth = part->depth };
    symbol.selection = symbol.range = dump_place_range(writer->context->snapshot, place);
    symbol.name = markup_shorten(document_slice(writer->document, symbol.range, writer->context->arena), NAME_SHOWN,
                                 writer->context->arena);
    symbol.detail = type_brief(type, writer->context->arena);
    vec_push(&writer->symbols, symbol);
  }
}

/// The first definition's name, else the operator's line.
static Range selection_of(const SymbolWriter *writer, const OutlinePart *part)
{
  Range line = dump_line_content(writer->document, part->first_line);
  const Item *item = dump_place_item(writer->dump, part->place);
  if (part->kind != PART_NODE || item->def_count == 0)
    return line;
  Place place = part->place;
  place.occurrence = item->first_occurrence;
  return dump_place_range(writer->context->snapshot, place);
}

static void add_symbol(SymbolWriter *writer, const OutlinePart *part)
{
  Symbol symbol = { .depth = part->depth, .selection = selection_of(writer, part) };
  symbol.range.start = dump_line_content(writer->document, part->first_line).start;
  symbol.range.end = dump_line_content(writer->document, part->last_line).end;
  switch (part->kind) {
  case PART_GRAPH:
    name_graph(writer, part, &symbol);
    break;
  case PART_INPUTS:
    add_inputs(writer, part);
    return;
  case PART_MODULE:
    name_module(writer, part, &symbol);
    break;
  case PART_NODE:
    name_node(writer, part, &symbol);
    writer->parents[part->depth] = item_operator(writer->dump, part->place);
    break;
  case PART_BLOCK:
    name_block(writer, part, &symbol);
    break;
  }
  // LSP wants a name.
  if (str_trim(symbol.name).len == 0)
    symbol.name = STR("?");
  vec_push(&writer->symbols, symbol);
}

Symbol outline_symbol(const FeatureContext *context, const OutlinePart *part, Str owner)
{
  SymbolWriter writer = {
    .context = context,
    .dump = snapshot_dump(context->snapshot),
    .document = snapshot_document(context->snapshot),
  };
  if (part->depth > 0)
    writer.parents[part->depth - 1] = owner;
  add_symbol(&writer, part);
  Symbol symbol = writer.symbols.items[0];
  vec_free(&writer.symbols);
  return symbol;
}

SymbolList graph_symbols(const FeatureContext *context)
{
  const Dump *dump = snapshot_dump(context->snapshot);
  static bool (*const keepers[])(const Dump *,
                                 Place) = { [LEAVES_ALL] = keep_all, [LEAVES_MAIN] = keep_main, [LEAVES_NONE] = NULL };
  SymbolWriter writer = { .context = context, .dump = dump, .document = snapshot_document(context->snapshot) };
  writer.mode = choose_leaves(dump);
  Outline outline;
  outline_build(context, keepers[writer.mode], &outline);
  uint32_t levels = levels_that_fit(&outline);
  writer.is_cut = levels <= OUTLINE_DEPTH_LIMIT;
  for (size_t i = 0; i < outline.parts.count && writer.symbols.count < DOCUMENT_SYMBOL_LIMIT; i++) {
    if (outline.parts.items[i].depth < levels)
      add_symbol(&writer, &outline.parts.items[i]);
  }
  outline_done(&outline);
  Symbol *items = vec_copy(&writer.symbols, context->arena);
  SymbolList list = { items, writer.symbols.count };
  vec_free(&writer.symbols);
  return list;
}
