#include "lsp/calls_json.h"

#include "core/workspace.h"

static PositionCursor cursor_of(const AnswerContext *context)
{
  return position_cursor(snapshot_document(context->snapshot), context->client->encoding);
}

void code_write_providers(Writer *writer)
{
  writer_key(writer, "codeLensProvider");
  writer_raw(writer, STR("{\"resolveProvider\":false}"));
  writer_member_bool(writer, "callHierarchyProvider", true);
  writer_member_bool(writer, "workspaceSymbolProvider", true);
}

/// Editors show the title as plain text if there is no command.
static void write_lens_command(Writer *writer, const AnswerContext *context, PositionCursor *cursor, const Lens *lens)
{
  bool has_command = lens->has_uses && context->client->shows_references;
  writer_open(writer, '{');
  writer_member_str(writer, "title", lens->title);
  writer_member_str(writer, "command", has_command ? STR("onnxls.showReferences") : STR(""));
  if (has_command) {
    writer_key(writer, "arguments");
    writer_open(writer, '[');
    writer_str(writer, snapshot_uri(context->snapshot));
    position_write(writer, position_cursor_at(cursor, lens->range.start));
    writer_close(writer, ']');
  }
  writer_close(writer, '}');
}

void code_write_lenses(Writer *writer, const AnswerContext *context, LensList list)
{
  PositionCursor cursor = cursor_of(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    writer_open(writer, '{');
    position_write_range_member(writer, "range", &cursor, list.items[i].range);
    writer_key(writer, "command");
    write_lens_command(writer, context, &cursor, &list.items[i]);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

void code_write_workspace_symbols(Writer *writer, const ClientCapabilities *client, WorkspaceSymbolList list)
{
  enum { KIND_FUNCTION = 12 };
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    const WorkspaceSymbol *symbol = &list.items[i];
    writer_open(writer, '{');
    writer_member_str(writer, "name", symbol->name);
    writer_member_int(writer, "kind", KIND_FUNCTION);
    writer_member_str(writer, "containerName", symbol->container);
    writer_key(writer, "location");
    writer_open(writer, '{');
    writer_member_str(writer, "uri", symbol->uri);
    writer_key(writer, "range");
    language_write_place(writer, client, symbol->place);
    writer_close(writer, '}');
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_item(Writer *writer, const AnswerContext *context, PositionCursor *cursor, const CallItem *item)
{
  writer_open(writer, '{');
  writer_member_str(writer, "name", item->name);
  writer_member_int(writer, "kind", item->kind);
  if (item->detail.len > 0)
    writer_member_str(writer, "detail", item->detail);
  writer_member_str(writer, "uri", item->place ? item->uri : snapshot_uri(context->snapshot));
  if (item->place) {
    writer_key(writer, "range");
    language_write_place(writer, context->client, item->place);
    writer_key(writer, "selectionRange");
    language_write_place(writer, context->client, item->place);
  } else {
    position_write_range_member(writer, "range", cursor, item->range);
    position_write_range_member(writer, "selectionRange", cursor, item->selection);
  }
  writer_close(writer, '}');
}

void code_write_call_items(Writer *writer, const AnswerContext *context, CallItemList list)
{
  PositionCursor cursor = cursor_of(context);
  if (list.count == 0) {
    writer_null(writer);
    return;
  }
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++)
    write_item(writer, context, &cursor, &list.items[i]);
  writer_close(writer, ']');
}

void code_write_call_edges(Writer *writer, const AnswerContext *context, CallEdgeList list, bool is_incoming)
{
  PositionCursor cursor = cursor_of(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    const CallEdge *edge = &list.items[i];
    writer_open(writer, '{');
    writer_key(writer, is_incoming ? "from" : "to");
    write_item(writer, context, &cursor, &edge->item);
    writer_key(writer, "fromRanges");
    writer_open(writer, '[');
    for (size_t k = 0; k < edge->place_count; k++)
      position_write_range(writer, &cursor, edge->places[k]);
    for (size_t k = 0; k < edge->file_place_count; k++)
      language_write_place(writer, context->client, edge->file_places[k]);
    writer_close(writer, ']');
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}
