#include "lsp/document_params.h"

Str document_params_read_uri(const Value *params)
{
  Str uri = { 0 };
  value_to_str(value_path(params, "textDocument.uri"), &uri);
  return uri;
}

// A version may be missing or null: clients of LSP 2 and some of today's do that.
bool document_params_read_version(const Value *value, int64_t *ret_version)
{
  ValueKind kind = value_kind(value);
  *ret_version = VERSION_UNKNOWN;
  return kind == VALUE_MISSING || kind == VALUE_NULL || value_to_int(value, ret_version);
}

bool document_params_read_item(const Message *message, const Value *item, DidOpen *ret_open)
{
  *ret_open = (DidOpen){ .version = VERSION_UNKNOWN };
  value_to_str(value_get(item, "languageId"), &ret_open->language_id);  // The text itself says more.
  return value_to_str(value_get(item, "uri"), &ret_open->uri) &&
         document_params_read_version(value_get(item, "version"), &ret_open->version) &&
         message_text(message, value_get(item, "text"), &ret_open->text);
}

bool document_params_read_open(const Message *message, DidOpen *ret_open)
{
  return document_params_read_item(message, value_get(message_params(message), "textDocument"), ret_open);
}

static bool read_one_change(const Message *message, const Value *value, TextChange *change)
{
  const Value *range = value_get(value, "range");
  PositionRange positions = { 0 };
  change->is_full = range == NULL || value_kind(range) == VALUE_NULL;
  if (!change->is_full && !position_read_range(range, &positions))
    return false;
  change->start = positions.start;
  change->end = positions.end;
  return message_text(message, value_get(value, "text"), &change->text);
}

bool document_params_read_changes(const Message *message, const Value *list, Arena *arena, DidChange *change)
{
  if (value_kind(list) != VALUE_ARRAY)
    return false;
  change->count = value_count(list);
  TextChange *changes = ARENA_ARRAY(arena, TextChange, change->count);
  for (size_t i = 0; i < change->count; i++) {
    if (!read_one_change(message, value_at(list, i), &changes[i]))
      return false;
  }
  change->changes = changes;
  return true;
}

bool document_params_read_change(const Message *message, Arena *arena, DidChange *ret_change)
{
  const Value *params = message_params(message);
  DidChange change = { .uri = document_params_read_uri(params), .version = VERSION_UNKNOWN };
  *ret_change = change;  // Which document an edit that can't be read was for.
  if (change.uri.len == 0 || !document_params_read_version(value_path(params, "textDocument.version"), &change.version))
    return false;
  ret_change->version = change.version;
  if (!document_params_read_changes(message, value_get(params, "contentChanges"), arena, &change))
    return false;
  *ret_change = change;
  return true;
}
