// The HTML file: the page of editors/page/ with its data beside it. Names come from files that nobody vouches for, so
// they are JSON in blocks that are never run, `<` is always escaped, and the page's own policy allows its one script.

#include <stdio.h>

#include "base/map.h"
#include "base/sha256.h"
#include "cli/embedded.h"
#include "cli/graph.h"
#include "lsp/picture_json.h"
#include "lsp/target_json.h"

/// All scripts as one.
static Str page_script(Arena *arena)
{
  Str *parts = ARENA_ARRAY(arena, Str, picture_scripts_count);
  for (size_t i = 0; i < picture_scripts_count; i++)
    parts[i] = picture_scripts[i].text;
  return arena_join(arena, parts, picture_scripts_count);
}

static void append_base64(Buffer *out, const uint8_t *bytes, size_t count)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    uint32_t group = (uint32_t)bytes[i] << 16;
    group |= i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0;
    group |= i + 2 < count ? bytes[i + 2] : 0;
    for (size_t k = 0; k < 4; k++)
      buffer_append_char(out, i + k <= count ? digits[group >> (18 - 6 * k) & 63] : '=');
  }
}

static void append_policy(Buffer *out, Str script, Str style)
{
  const Str parts[] = { script, style };
  static const char *const names[] = { "script-src", "style-src" };
  buffer_append(out, STR("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data: "
                         "blob:; base-uri 'none'; form-action 'none'"));
  for (size_t i = 0; i < COUNT(parts); i++) {
    Sha256 sha;
    uint8_t bytes[SHA256_BYTES];
    sha256_init(&sha);
    sha256_add(&sha, parts[i]);
    sha256_bytes(&sha, bytes);
    buffer_printf(out, "; %s 'sha256-", names[i]);
    append_base64(out, bytes, sizeof(bytes));
    buffer_append_char(out, '\'');
  }
  buffer_append(out, STR("\">\n"));
}

/// JSON that can stand in HTML.
static void append_json(Buffer *out, Str json)
{
  size_t from = 0;
  for (size_t at; (at = str_find_char(json, '<', from)) != STR_NOT_FOUND; from = at + 1) {
    buffer_append(out, str_slice(json, from, at));
    buffer_append(out, STR("\\u003c"));
  }
  buffer_append(out, str_slice(json, from, json.len));
}

static void append_block(Buffer *out, const char *id, Buffer *json)
{
  buffer_printf(out, "<script type=\"application/json\" id=\"%s\">", id);
  append_json(out, buffer_str(json));
  buffer_append(out, STR("</script>\n"));
  json->len = 0;
}

static void append_escaped(Buffer *out, Str text)
{
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
      buffer_printf(out, "&#%d;", c);
    else if ((unsigned char)c >= ' ')
      buffer_append_char(out, c);
  }
}

// --- Data ---

static void write_diagnostics(Writer *writer, const GraphPage *page, Arena *arena)
{
  DiagnosticList list = diagnostics_of(page->snapshot, arena);
  writer_key(writer, "diagnostics");
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++) {
    writer_open(writer, '{');
    writer_member_int(writer, "line", document_line_of(snapshot_document(page->snapshot), list.items[i].range.start));
    writer_member_int(writer, "severity", list.items[i].severity);
    writer_member_str(writer, "rule", str_from(rule_info(list.items[i].rule)->name));
    writer_member_str(writer, "message", list.items[i].message);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void append_meta(Buffer *out, const GraphPage *page, const Picture *picture, Arena *arena)
{
  Buffer json = { 0 };
  Writer writer = { .out = &json };
  writer_open(&writer, '{');
  writer_member_str(&writer, "file", str_from(page->shown));
  if (page->has_line)
    writer_member_int(&writer, "line", page->line);
  target_json_members(&writer, snapshot_target(page->snapshot), snapshot_language(page->snapshot));
  write_diagnostics(&writer, page, arena);
  writer_key(&writer, "picture");
  picture_json_write(&writer, picture);
  writer_close(&writer, '}');
  append_block(out, "picture-data", &json);
  buffer_done(&json);
}

typedef struct PageWriter {
  Buffer *out;
  FeatureContext context;
  Writer words;  ///< What is known of each operator.
  Buffer words_json;
  Map *known;  ///< Those that are in it.
} PageWriter;

static void write_words(PageWriter *page, const Picture *picture)
{
  for (size_t i = 0; i < picture->card_count; i++) {
    const Card *card = &picture->cards[i];
    if (card->operator_name.len == 0 || map_get(page->known, card->operator_name))
      continue;
    map_put(page->known, card->operator_name, page);
    writer_key_str(&page->words, card->operator_name);
    writer_str(&page->words, feature_picture_words(&page->context, card->line));
  }
}

/// Pictures of everything that can be opened, one after the other: each needs memory only while it is written.
static void append_scopes(PageWriter *page, uint32_t first)
{
  Buffer json = { 0 };
  LayoutMemo *layouts = layout_memo_new();
  char id[40];
  for (uint32_t scope = 0; scope < feature_picture_scopes(&page->context); scope++) {
    Arena arena = { 0 };
    Picture picture;
    page->context.arena = &arena;
    if (feature_picture(&page->context, &(PictureQuery){ .scope = scope, .layouts = layouts }, &picture) &&
        picture.scope == scope) {
      write_words(page, &picture);
      Writer writer = { .out = &json };
      picture_json_write(&writer, &picture);
      snprintf(id, sizeof(id), "scope-%u", scope);
      if (scope != first)
        append_block(page->out, id, &json);
      json.len = 0;
    }
    arena_done(&arena);
  }
  layout_memo_free(layouts);
  buffer_done(&json);
}

static void append_rest(Buffer *out, const GraphPage *page, const Picture *picture)
{
  Arena arena = { 0 };
  PageWriter writer = { .out = out, .known = map_new() };
  writer.context = (FeatureContext){ .snapshot = page->snapshot, .arena = &arena };
  writer.words.out = &writer.words_json;
  writer_open(&writer.words, '{');
  if (page->query.is_around)
    write_words(&writer, picture);
  else
    append_scopes(&writer, picture->scope);
  writer_close(&writer.words, '}');
  append_block(out, "picture-words", &writer.words_json);
  buffer_done(&writer.words_json);
  map_free(writer.known);
  arena_done(&arena);
}

void graph_write_page(Buffer *out, const GraphPage *page, const Picture *picture)
{
  Arena arena = { 0 };
  Str script = page_script(&arena);
  buffer_append(out, STR("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"));
  append_policy(out, script, embedded_text_named(picture_page, picture_page_count, "style"));
  buffer_append(out, STR("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"));
  append_escaped(out, str_from(page->shown));
  buffer_append(out, STR("</title>\n<style>"));
  buffer_append(out, embedded_text_named(picture_page, picture_page_count, "style"));
  buffer_append(out, STR("</style>\n</head>\n<body>\n"));
  buffer_append(out, embedded_text_named(picture_page, picture_page_count, "body"));
  append_meta(out, page, picture, &arena);
  buffer_append(out, STR("<script>"));
  buffer_append(out, script);
  buffer_append(out, STR("</script>\n"));
  append_rest(out, page, picture);
  buffer_append(out, STR("</body>\n</html>\n"));
  arena_done(&arena);
}
