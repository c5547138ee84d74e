// Answers about code that people write: lenses, calls, and what the workspace has; and the rows of their methods.

#include "core/workspace.h"
#include "lsp/feature_method.h"

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
    writer_str(writer, answer_uri(context, lens->range.start));
    position_write(writer, position_cursor_at(cursor, lens->range.start));
    writer_close(writer, ']');
  }
  writer_close(writer, '}');
}

static void write_lenses(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  LensList list = result->lenses;
  PositionCursor cursor = answer_cursor(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    if (!answer_takes(context, list.items[i].range.start))
      continue;
    writer_open(writer, '{');
    position_write_range_member(writer, "range", &cursor, list.items[i].range);
    writer_key(writer, "command");
    write_lens_command(writer, context, &cursor, &list.items[i]);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_workspace_symbols(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  WorkspaceSymbolList list = result->workspace_symbols;
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    const WorkspaceSymbol *symbol = &list.items[i];
    writer_open(writer, '{');
    writer_member_str(writer, "name", symbol->name);
    writer_member_int(writer, "kind", symbol->kind);
    writer_member_str(writer, "containerName", symbol->container);
    writer_key(writer, "location");
    writer_open(writer, '{');
    writer_member_str(writer, "uri", symbol->uri);
    writer_key(writer, "range");
    position_write_place(writer, context->client->encoding, symbol->place);
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
  writer_member_str(writer, "uri", item->place ? item->uri : answer_uri(context, item->selection.start));
  if (item->place) {
    writer_key(writer, "range");
    position_write_place(writer, context->client->encoding, item->place);
    writer_key(writer, "selectionRange");
    position_write_place(writer, context->client->encoding, item->place);
  } else {
    position_write_range_member(writer, "range", cursor, item->range);
    position_write_range_member(writer, "selectionRange", cursor, item->selection);
  }
  writer_close(writer, '}');
}

static void write_call_items(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  CallItemList list = result->call_items;
  PositionCursor cursor = answer_cursor(context);
  if (list.count == 0) {
    writer_null(writer);
    return;
  }
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++)
    write_item(writer, context, &cursor, &list.items[i]);
  writer_close(writer, ']');
}

static void write_calls(Writer *writer, const AnswerContext *context, CallEdgeList list, const char *other_end)
{
  PositionCursor cursor = answer_cursor(context);
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    const CallEdge *edge = &list.items[i];
    writer_open(writer, '{');
    writer_key(writer, other_end);
    write_item(writer, context, &cursor, &edge->item);
    writer_key(writer, "fromRanges");
    writer_open(writer, '[');
    for (size_t k = 0; k < edge->place_count; k++)
      position_write_range(writer, &cursor, edge->places[k]);
    for (size_t k = 0; k < edge->file_place_count; k++)
      position_write_place(writer, context->client->encoding, edge->file_places[k]);
    writer_close(writer, ']');
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_incoming_calls(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  write_calls(writer, context, result->calls, "from");
}

static void write_outgoing_calls(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  write_calls(writer, context, result->calls, "to");
}

// --- Asking for them ---

COMPUTE(call_items, call_items, feature_call_items(context, params->offset))
COMPUTE(incoming_calls, calls, feature_incoming_calls(context, params->offset))
COMPUTE(lenses, lenses, feature_lenses(context))
COMPUTE(outgoing_calls, calls, feature_outgoing_calls(context, params->offset))
COMPUTE(workspace_symbols, workspace_symbols,
        feature_workspace_symbols(context->workspace, params->query, context->arena))

const FeatureMethod calls_methods[] = {
  { .name = "callHierarchy/incomingCalls",
    .cost = COST_TEXT,
    .is_closed = true,
    .empty = "[]",
    .read = params_read_call_item,
    .compute = compute_incoming_calls,
    .write = write_incoming_calls },
  { .name = "callHierarchy/outgoingCalls",
    .cost = COST_TEXT,
    .is_closed = true,
    .empty = "[]",
    .read = params_read_call_item,
    .compute = compute_outgoing_calls,
    .write = write_outgoing_calls },
  { .name = "textDocument/codeLens",
    .provider = "codeLensProvider",
    .provision = "{\"resolveProvider\":false}",
    .cost = COST_TEXT,
    .empty = "[]",
    .read = params_read_document,
    .compute = compute_lenses,
    .write = write_lenses },
  { .name = "textDocument/prepareCallHierarchy",
    .provider = "callHierarchyProvider",
    .cost = COST_PLACE,
    .empty = "null",
    .read = params_read_position,
    .compute = compute_call_items,
    .write = write_call_items },
  { .name = "workspace/symbol",
    .provider = "workspaceSymbolProvider",
    .cost = COST_TEXT,
    .is_workspace = true,
    .empty = "[]",
    .read = params_read_query,
    .compute = compute_workspace_symbols,
    .write = write_workspace_symbols },
  { 0 },
};
