#include "lsp/document_params.h"

Str document_params_read_uri(const Value *params)
{
  Str uri = { 0 };
  value_to_str(value_path(params, "textDocument.uri"), &uri);
  return uri;
}

// A version may be missing or null: clients of LSP 2 and some of today's do that.
static bool read_version(const Value *value, int64_t *ret_version)
{
  ValueKind kind = value_kind(value);
  *ret_version = VERSION_UNKNOWN;
  return kind == VALUE_MISSING || kind == VALUE_NULL || value_to_int(value, ret_version);
}

bool document_params_read_open(const Message *message, DidOpen *ret_open)
{
  const Value *document = value_get(message_params(message), "textDocument");
  *ret_open = (DidOpen){ .version = VERSION_UNKNOWN };
  value_to_str(value_get(document, "languageId"), &ret_open->language_id);  // The text itself says more.
  return value_to_str(value_get(document, "uri"), &ret_open->uri) &&
         read_version(value_get(document, "version"), &ret_open->version) &&
         message_text(message, value_get(document, "text"), &ret_open->text);
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

bool document_params_read_change(const Message *message, Arena *arena, DidChange *ret_change)
{
  const Value *params = message_params(message);
  const Value *list = value_get(params, "contentChanges");
  DidChange change = { .uri = document_params_read_uri(params), .version = VERSION_UNKNOWN };
  *ret_change = change;  // Which document an edit that can't be read was for.
  if (change.uri.len == 0 || value_kind(list) != VALUE_ARRAY ||
      !read_version(value_path(params, "textDocument.version"), &change.version))
    return false;
  ret_change->version = change.version;
  change.count = value_count(list);
  TextChange *changes = ARENA_ARRAY(arena, TextChange, change.count);
  for (size_t i = 0; i < change.count; i++) {
    if (!read_one_change(message, value_at(list, i), &changes[i]))
      return false;
  }
  change.changes = changes;
  *ret_change = change;
  return true;
}
