#include "lsp/completion_json.h"

#include "base/ascii.h"
#include "lsp/feature_method.h"

enum {
  KIND_OLD_LIMIT = 18,  ///< Reference: the last kind that every client knows.
  FORMAT_SNIPPET = 2,
};

/// The text of a placeholder at `at`, which is after the `$`; returns the offset after it. `${1:name}` shows `name`.
static size_t append_place(Buffer *out, Str snippet, size_t at)
{
  bool has_brace = at < snippet.len && snippet.data[at] == '{';
  at = ascii_digits_end(snippet, at + has_brace);
  if (!has_brace)
    return at;
  for (at += at < snippet.len && snippet.data[at] == ':'; at < snippet.len && snippet.data[at] != '}'; at++) {
    at += snippet.data[at] == '\\' && at + 1 < snippet.len;
    buffer_append_char(out, snippet.data[at]);
  }
  return at < snippet.len ? at + 1 : at;
}

/// The text of a snippet: places to fill in keep what is in them.
static Str plain_text(Str snippet, Arena *arena)
{
  Buffer out = { 0 };
  for (size_t at = 0; at < snippet.len;) {
    if (snippet.data[at] == '$') {
      at = append_place(&out, snippet, at + 1);
      continue;
    }
    at += snippet.data[at] == '\\' && at + 1 < snippet.len;
    buffer_append_char(&out, snippet.data[at++]);
  }
  Str text = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}

static int kind_for(const ClientCapabilities *client, CompletionKind kind)
{
  bool is_known = client->completion_kinds >> kind & 1;
  return is_known || (int)kind <= KIND_OLD_LIMIT ? (int)kind : COMPLETION_VALUE;
}

static void write_documentation(Writer *writer, const ClientCapabilities *client, const CompletionItem *item)
{
  bool is_markdown = client->completes_markdown;
  Str text = is_markdown ? item->documentation : item->documentation_plain;
  if (text.len == 0)
    return;
  writer_key(writer, "documentation");
  writer_open(writer, '{');
  writer_member_str(writer, "kind", is_markdown ? STR("markdown") : STR("plaintext"));
  writer_member_str(writer, "value", text);
  writer_close(writer, '}');
}

/// Items mostly replace the same range, and finding its columns may mean counting a line of many megabytes.
typedef struct Places {
  PositionCursor cursor;
  Position offset;  ///< Where completion was asked for.
  Range range;      ///< The last one that was converted.
  PositionRange converted;
} Places;

static Places places_at(const AnswerContext *context, size_t offset)
{
  Places places = { .cursor = answer_cursor(context) };
  places.offset = position_cursor_at(&places.cursor, offset);
  places.range = (Range){ offset, offset };
  places.converted = (PositionRange){ places.offset, places.offset };
  return places;
}

static void convert(Places *places, Range range)
{
  if (range.start == places->range.start && range.end == places->range.end)
    return;
  places->range = range;
  places->converted.start = position_cursor_at(&places->cursor, range.start);
  places->converted.end = position_cursor_at(&places->cursor, range.end);
}

static void write_range(Writer *writer, const char *key, Position start, Position end)
{
  writer_key(writer, key);
  writer_open(writer, '{');
  writer_key(writer, "start");
  position_write(writer, start);
  writer_key(writer, "end");
  position_write(writer, end);
  writer_close(writer, '}');
}

static void write_edit(Writer *writer, const AnswerContext *context, Places *places, const CompletionItem *item)
{
  const ClientCapabilities *client = context->client;
  bool strips = item->is_snippet && !client->takes_snippets;
  convert(places, item->replaced);
  writer_key(writer, "textEdit");
  writer_open(writer, '{');
  writer_member_str(writer, "newText", strips ? plain_text(item->text, context->arena) : item->text);
  if (client->takes_insert_replace) {
    write_range(writer, "insert", places->converted.start, places->offset);
    write_range(writer, "replace", places->converted.start, places->converted.end);
  } else {
    write_range(writer, "range", places->converted.start, places->converted.end);
  }
  writer_close(writer, '}');
}

static void write_deprecated(Writer *writer, const ClientCapabilities *client)
{
  if (client->takes_deprecated_tag) {
    writer_key(writer, "tags");
    writer_raw(writer, STR("[1]"));  // CompletionItemTag.Deprecated
  } else if (client->takes_deprecated) {
    writer_member_bool(writer, "deprecated", true);
  }
}

static void write_item(Writer *writer, const AnswerContext *context, Places *places, const CompletionItem *item)
{
  writer_open(writer, '{');
  writer_member_str(writer, "label", item->label);
  writer_member_int(writer, "kind", kind_for(context->client, item->kind));
  if (item->detail.len > 0)
    writer_member_str(writer, "detail", item->detail);
  write_documentation(writer, context->client, item);
  if (item->is_deprecated)
    write_deprecated(writer, context->client);
  if (item->is_preselected && context->client->takes_preselected)
    writer_member_bool(writer, "preselect", true);
  if (item->sort_text.len > 0)
    writer_member_str(writer, "sortText", item->sort_text);
  if (item->filter_text.len > 0)
    writer_member_str(writer, "filterText", item->filter_text);
  if (item->is_snippet && context->client->takes_snippets)
    writer_member_int(writer, "insertTextFormat", FORMAT_SNIPPET);
  write_edit(writer, context, places, item);
  writer_close(writer, '}');
}

static void write_completion(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  CompletionList list = result->completion;
  Places places = places_at(context, context->params->offset);
  writer_open(writer, '{');
  writer_member_bool(writer, "isIncomplete", list.is_incomplete);
  writer_key(writer, "items");
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++)
    write_item(writer, context, &places, &list.items[i]);
  writer_close(writer, ']');
  writer_close(writer, '}');
}

COMPUTE(completion, completion, feature_completion(context, params->offset, params->trigger))

const FeatureMethod completion_methods[] = {
  // What begins a string, the list of a comment, and what comes next in either; `op.` in Python.
  { .name = "textDocument/completion",
    .provider = "completionProvider",
    .provision = "{\"triggerCharacters\":[\"\\\"\",\"'\",\"[\",\":\",\",\",\".\"],\"resolveProvider\":false}",
    .cost = COST_PLACE,
    .empty = "{\"isIncomplete\":false,\"items\":[]}",
    .read = params_read_completion,
    .compute = compute_completion,
    .write = write_completion },
  { 0 },
};
