// Answers about places in a document, and the rows of their methods.

#include "base/vec.h"
#include "core/workspace.h"
#include "lsp/feature_method.h"
#include "text/uri.h"

static void write_hover(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  const Hover *hover = result->hover;
  if (!hover) {
    writer_null(writer);
    return;
  }
  PositionCursor cursor = answer_cursor(context);
  bool is_markdown = context->client->hovers_markdown;
  writer_open(writer, '{');
  writer_key(writer, "contents");
  writer_open(writer, '{');
  writer_member_str(writer, "kind", is_markdown ? STR("markdown") : STR("plaintext"));
  writer_member_str(writer, "value", is_markdown ? hover->markdown : hover->plain);
  writer_close(writer, '}');
  position_write_range_member(writer, "range", &cursor, hover->range);
  writer_close(writer, '}');
}

// A place in another file. If nobody has read its text, its column is taken for characters.
static void write_file_range(Writer *writer, const AnswerContext *context, const Location *location)
{
  if (location->place)
    position_write_place(writer, context->client->encoding, location->place);
  else
    position_write_point(writer, (Position){ location->line, location->column });
}

static Str uri_of(const AnswerContext *context, const Location *location)
{
  return location->is_file ? uri_from_path(location->path, context->arena)
                           : answer_uri(context, location->selection.start);
}

static void write_location(Writer *writer, const AnswerContext *context, PositionCursor *cursor,
                           const Location *location)
{
  writer_open(writer, '{');
  writer_member_str(writer, "uri", uri_of(context, location));
  writer_key(writer, "range");
  if (location->is_file)
    write_file_range(writer, context, location);
  else
    position_write_range(writer, cursor, location->selection);
  writer_close(writer, '}');
}

static void write_location_link(Writer *writer, const AnswerContext *context, PositionCursor *cursor,
                                const Location *location)
{
  writer_open(writer, '{');
  position_write_range_member(writer, "originSelectionRange", cursor, location->origin);
  writer_member_str(writer, "targetUri", uri_of(context, location));
  writer_key(writer, "targetRange");
  if (location->is_file)
    write_file_range(writer, context, location);
  else
    position_write_range(writer, cursor, location->target);
  writer_key(writer, "targetSelectionRange");
  if (location->is_file)
    write_file_range(writer, context, location);
  else
    position_write_range(writer, cursor, location->selection);
  writer_close(writer, '}');
}

typedef void WriteLocation(Writer *, const AnswerContext *, PositionCursor *, const Location *);

static void write_each(Writer *writer, const AnswerContext *context, LocationList list, WriteLocation *write_one)
{
  PositionCursor cursor = answer_cursor(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++)
    write_one(writer, context, &cursor, &list.items[i]);
  writer_close(writer, ']');
}

static void write_references(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  write_each(writer, context, result->locations, write_location);
}

static void write_locations(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  bool takes_links = context->client->takes_definition_links;
  write_each(writer, context, result->locations, takes_links ? write_location_link : write_location);
}

static void write_highlights(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  HighlightList list = result->highlights;
  enum { KIND_READ = 2, KIND_WRITE = 3 };
  PositionCursor cursor = answer_cursor(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    if (!answer_takes(context, list.items[i].range.start))
      continue;
    writer_open(writer, '{');
    position_write_range_member(writer, "range", &cursor, list.items[i].range);
    writer_member_int(writer, "kind", list.items[i].is_write ? KIND_WRITE : KIND_READ);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_symbol_flat(Writer *writer, const AnswerContext *context, PositionCursor *cursor,
                              const Symbol *symbol, const Symbol *parent)
{
  writer_open(writer, '{');
  writer_member_str(writer, "name", symbol->name);
  writer_member_int(writer, "kind", symbol->kind);
  writer_key(writer, "location");
  writer_open(writer, '{');
  writer_member_str(writer, "uri", answer_uri(context, symbol->selection.start));
  position_write_range_member(writer, "range", cursor, symbol->range);
  writer_close(writer, '}');
  if (parent)
    writer_member_str(writer, "containerName", parent->name);
  writer_close(writer, '}');
}

// A symbol's parent is the last one before it that is less deep.
static void write_symbols_flat(Writer *writer, const AnswerContext *context, SymbolList list)
{
  PositionCursor cursor = answer_cursor(context);
  Vec(const Symbol *) parents = { 0 };
  for (size_t i = 0; i < list.count; i++) {
    const Symbol *symbol = &list.items[i];
    if (!answer_takes(context, symbol->selection.start))
      continue;
    while (parents.count > 0 && (*vec_last(&parents))->depth >= symbol->depth)
      parents.count--;
    write_symbol_flat(writer, context, &cursor, symbol, parents.count > 0 ? *vec_last(&parents) : NULL);
    vec_push(&parents, symbol);
  }
  vec_free(&parents);
}

// Leaves the object open, for its children.
static void open_symbol(Writer *writer, PositionCursor *cursor, const Symbol *symbol)
{
  writer_open(writer, '{');
  writer_member_str(writer, "name", symbol->name);
  if (symbol->detail.len > 0)
    writer_member_str(writer, "detail", symbol->detail);
  writer_member_int(writer, "kind", symbol->kind);
  position_write_range_member(writer, "range", cursor, symbol->range);
  position_write_range_member(writer, "selectionRange", cursor, symbol->selection);
}

static void write_symbol_tree(Writer *writer, const AnswerContext *context, SymbolList list)
{
  PositionCursor cursor = answer_cursor(context);
  uint32_t open = 0;  // Objects that are not closed yet; the one on top is at depth open - 1.
  for (size_t i = 0; i < list.count; i++) {
    const Symbol *symbol = &list.items[i];
    if (!answer_takes(context, symbol->selection.start))
      continue;
    uint32_t depth = symbol->depth < open ? symbol->depth : open;
    if (depth == open && open > 0) {
      writer_key(writer, "children");
      writer_open(writer, '[');
    }
    for (bool is_top = true; open > depth; open--, is_top = false) {
      if (!is_top)
        writer_close(writer, ']');
      writer_close(writer, '}');
    }
    open_symbol(writer, &cursor, symbol);
    open = depth + 1;
  }
  for (bool is_top = true; open > 0; open--, is_top = false) {
    if (!is_top)
      writer_close(writer, ']');
    writer_close(writer, '}');
  }
}

static void write_symbols(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  writer_open(writer, '[');
  if (context->client->takes_symbol_tree)
    write_symbol_tree(writer, context, result->symbols);
  else
    write_symbols_flat(writer, context, result->symbols);
  writer_close(writer, ']');
}

/// Lines of the document that was asked about; false for a fold of another cell.
static bool move_fold(const AnswerContext *context, Fold *fold)
{
  const CellMap *cells = snapshot_cells(context->snapshot);
  const Cell *asked = cells_find(cells, context->params->uri);
  if (!asked)
    return true;
  if (cells_at_line(cells, fold->start_line) != asked || cells_at_line(cells, fold->end_line) != asked)
    return false;
  fold->start_line -= asked->first_line;
  fold->end_line -= asked->first_line;
  return true;
}

static void write_folds(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  FoldList list = result->folds;
  uint32_t limit = context->client->fold_limit;
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count && (limit == 0 || i < limit); i++) {
    Fold fold = list.items[i];
    if (!move_fold(context, &fold))
      continue;
    writer_open(writer, '{');
    writer_member_int(writer, "startLine", fold.start_line);
    writer_member_int(writer, "endLine", fold.end_line);
    if (fold.kind)
      writer_member_str(writer, "kind", str_from(fold.kind));
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

/// Each range holds the one before: the innermost is the outermost object.
static void write_selection(Writer *writer, PositionCursor *cursor, SelectionList list)
{
  for (size_t i = 0; i < list.count; i++) {
    if (i > 0)
      writer_key(writer, "parent");
    writer_open(writer, '{');
    position_write_range_member(writer, "range", cursor, list.items[i]);
  }
  for (size_t i = 0; i < list.count; i++)
    writer_close(writer, '}');
}

static void write_selections(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  PositionCursor cursor = answer_cursor(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < result->selections.count; i++)
    write_selection(writer, &cursor, result->selections.items[i]);
  writer_close(writer, ']');
}

static void write_links(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  LinkList list = result->links;
  PositionCursor cursor = answer_cursor(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    const Link *link = &list.items[i];
    if (!answer_takes(context, link->range.start))
      continue;
    Str uri = uri_from_path(link->path, context->arena);
    writer_open(writer, '{');
    position_write_range_member(writer, "range", &cursor, link->range);
    // VS Code goes to the line that the fragment names; other clients open the file.
    writer_member_str(writer, "target",
                      arena_printf(context->arena, "%.*s#L%u,%u", STR_ARG(uri), link->line + 1, link->column + 1));
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_inlay_hints(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  InlayHintList list = result->inlay_hints;
  enum { KIND_PARAMETER = 2 };
  PositionCursor cursor = answer_cursor(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    const InlayHint *hint = &list.items[i];
    if (!answer_takes(context, hint->offset))
      continue;
    bool is_parameter = hint->kind == INLAY_PARAMETER;
    writer_open(writer, '{');
    writer_key(writer, "position");
    position_write(writer, position_cursor_at(&cursor, hint->offset));
    writer_member_str(writer, "label", hint->label);
    if (is_parameter)
      writer_member_int(writer, "kind", KIND_PARAMETER);
    writer_member_bool(writer, is_parameter ? "paddingRight" : "paddingLeft", true);
    if (hint->tooltip.len > 0)
      writer_member_str(writer, "tooltip", hint->tooltip);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

// --- Asking for them ---

COMPUTE(definition, locations, feature_definition(context, params->offset))
COMPUTE(folds, folds, feature_folding(context))
COMPUTE(highlights, highlights, feature_highlight(context, params->offset))
COMPUTE(implementation, locations, feature_implementation(context, params->offset))
COMPUTE(inlay_hints, inlay_hints, feature_inlay_hints(context, params->bytes))
COMPUTE(links, links, feature_links(context))
COMPUTE(references, locations, feature_references(context, params->offset, params->include_declaration))
COMPUTE(symbols, symbols, feature_symbols(context))
COMPUTE(type_definition, locations, feature_type_definition(context, params->offset))

static void compute_hover(const FeatureContext *context, const FeatureParams *params, FeatureResult *ret_result)
{
  Hover *hover = ARENA_NEW(context->arena, Hover);
  ret_result->hover = feature_hover(context, params->offset, hover) ? hover : NULL;
}

/// Each position gets its own chain; clients match them by index.
static void compute_selections(const FeatureContext *context, const FeatureParams *params, FeatureResult *ret_result)
{
  SelectionList *items = ARENA_ARRAY(context->arena, SelectionList, params->position_count);
  for (size_t i = 0; i < params->position_count; i++)
    items[i] = feature_selection(context, params->offsets[i]);
  ret_result->selections = (SelectionLists){ items, params->position_count };
}

const FeatureMethod navigation_methods[] = {
  { .name = "textDocument/definition",
    .provider = "definitionProvider",
    .cost = COST_NAME,
    .empty = "[]",
    .read = params_read_position,
    .compute = compute_definition,
    .write = write_locations },
  { .name = "textDocument/documentHighlight",
    .provider = "documentHighlightProvider",
    .cost = COST_NAME,
    .empty = "[]",
    .read = params_read_position,
    .compute = compute_highlights,
    .write = write_highlights },
  { .name = "textDocument/documentLink",
    .provider = "documentLinkProvider",
    .provision = "{\"resolveProvider\":false}",
    .cost = COST_TEXT,
    .empty = "[]",
    .read = params_read_document,
    .compute = compute_links,
    .write = write_links },
  { .name = "textDocument/documentSymbol",
    .provider = "documentSymbolProvider",
    .cost = COST_TEXT,
    .empty = "[]",
    .read = params_read_document,
    .compute = compute_symbols,
    .write = write_symbols },
  { .name = "textDocument/foldingRange",
    .provider = "foldingRangeProvider",
    .cost = COST_TEXT,
    .empty = "[]",
    .read = params_read_document,
    .compute = compute_folds,
    .write = write_folds },
  { .name = "textDocument/hover",
    .provider = "hoverProvider",
    .cost = COST_NAME,
    .empty = "null",
    .read = params_read_position,
    .compute = compute_hover,
    .write = write_hover },
  // Always without links: they would need a capability of their own, and say no more than the places do.
  { .name = "textDocument/implementation",
    .provider = "implementationProvider",
    .cost = COST_PLACE,
    .reads_files = true,
    .empty = "[]",
    .read = params_read_position,
    .compute = compute_implementation,
    .write = write_references },
  { .name = "textDocument/inlayHint",
    .provider = "inlayHintProvider",
    .cost = COST_TEXT,
    .empty = "[]",
    .read = params_read_range,
    .compute = compute_inlay_hints,
    .write = write_inlay_hints },
  { .name = "textDocument/references",
    .provider = "referencesProvider",
    .cost = COST_TEXT,
    .empty = "[]",
    .read = params_read_references,
    .compute = compute_references,
    .write = write_references },
  { .name = "textDocument/selectionRange",
    .provider = "selectionRangeProvider",
    .cost = COST_PLACE,
    .empty = "null",
    .read = params_read_positions,
    .compute = compute_selections,
    .write = write_selections },
  { .name = "textDocument/typeDefinition",
    .provider = "typeDefinitionProvider",
    .cost = COST_PLACE,
    .reads_files = true,
    .empty = "[]",
    .read = params_read_position,
    .compute = compute_type_definition,
    .write = write_references },
  { 0 },
};
