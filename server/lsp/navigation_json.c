#include "lsp/navigation_json.h"

#include "base/vec.h"
#include "core/workspace.h"
#include "text/uri.h"

static PositionCursor cursor_of(const AnswerContext *context)
{
  return position_cursor(snapshot_document(context->snapshot), context->client->encoding);
}

void language_write_hover(Writer *writer, const AnswerContext *context, const Hover *hover)
{
  PositionCursor cursor = cursor_of(context);
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

static void write_line_range(Writer *writer, uint32_t line, uint32_t start, uint32_t end)
{
  writer_open(writer, '{');
  writer_key(writer, "start");
  position_write(writer, (Position){ line, start });
  writer_key(writer, "end");
  position_write(writer, (Position){ line, end });
  writer_close(writer, '}');
}

void language_write_place(Writer *writer, const ClientCapabilities *client, const WorkspacePlace *place)
{
  write_line_range(writer, place->line, place->start[client->encoding], place->end[client->encoding]);
}

// A place in another file. If nobody has read its text, its column is taken for characters.
static void write_file_range(Writer *writer, const AnswerContext *context, const Location *location)
{
  if (location->place)
    language_write_place(writer, context->client, location->place);
  else
    write_line_range(writer, location->line, location->column, location->column);
}

static Str uri_of(const AnswerContext *context, const Location *location)
{
  return location->is_file ? uri_from_path(location->path, context->arena) : snapshot_uri(context->snapshot);
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

void language_write_references(Writer *writer, const AnswerContext *context, LocationList list)
{
  PositionCursor cursor = cursor_of(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++)
    write_location(writer, context, &cursor, &list.items[i]);
  writer_close(writer, ']');
}

void language_write_locations(Writer *writer, const AnswerContext *context, LocationList list)
{
  if (!context->client->takes_definition_links) {
    language_write_references(writer, context, list);
    return;
  }
  PositionCursor cursor = cursor_of(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++)
    write_location_link(writer, context, &cursor, &list.items[i]);
  writer_close(writer, ']');
}

void language_write_highlights(Writer *writer, const AnswerContext *context, HighlightList list)
{
  enum { KIND_READ = 2, KIND_WRITE = 3 };
  PositionCursor cursor = cursor_of(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
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
  writer_member_str(writer, "uri", snapshot_uri(context->snapshot));
  position_write_range_member(writer, "range", cursor, symbol->range);
  writer_close(writer, '}');
  if (parent)
    writer_member_str(writer, "containerName", parent->name);
  writer_close(writer, '}');
}

// A symbol's parent is the last one before it that is less deep.
static void write_symbols_flat(Writer *writer, const AnswerContext *context, SymbolList list)
{
  PositionCursor cursor = cursor_of(context);
  Vec(const Symbol *) parents = { 0 };
  for (size_t i = 0; i < list.count; i++) {
    const Symbol *symbol = &list.items[i];
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
  PositionCursor cursor = cursor_of(context);
  uint32_t open = 0;  // Objects that are not closed yet; the one on top is at depth open - 1.
  for (size_t i = 0; i < list.count; i++) {
    const Symbol *symbol = &list.items[i];
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

void language_write_symbols(Writer *writer, const AnswerContext *context, SymbolList list)
{
  writer_open(writer, '[');
  if (context->client->takes_symbol_tree)
    write_symbol_tree(writer, context, list);
  else
    write_symbols_flat(writer, context, list);
  writer_close(writer, ']');
}

void language_write_folds(Writer *writer, const AnswerContext *context, FoldList list)
{
  uint32_t limit = context->client->fold_limit;
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count && (limit == 0 || i < limit); i++) {
    const Fold *fold = &list.items[i];
    writer_open(writer, '{');
    writer_member_int(writer, "startLine", fold->start_line);
    writer_member_int(writer, "endLine", fold->end_line);
    if (fold->kind)
      writer_member_str(writer, "kind", str_from(fold->kind));
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

void language_write_selection(Writer *writer, const AnswerContext *context, SelectionList list)
{
  PositionCursor cursor = cursor_of(context);
  for (size_t i = 0; i < list.count; i++) {
    if (i > 0)
      writer_key(writer, "parent");
    writer_open(writer, '{');
    position_write_range_member(writer, "range", &cursor, list.items[i]);
  }
  for (size_t i = 0; i < list.count; i++)
    writer_close(writer, '}');
}

void language_write_links(Writer *writer, const AnswerContext *context, LinkList list)
{
  PositionCursor cursor = cursor_of(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    const Link *link = &list.items[i];
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

void language_write_inlay_hints(Writer *writer, const AnswerContext *context, InlayHintList list)
{
  enum { KIND_PARAMETER = 2 };
  PositionCursor cursor = cursor_of(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    const InlayHint *hint = &list.items[i];
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
