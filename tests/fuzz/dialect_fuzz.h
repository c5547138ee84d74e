// Any bytes as a text of a graph language with a parser of its own: its nodes lie in their lines, a line alone gives
// the nodes that it gives among others, chunks make no difference, and what features answer lies in the text.
#pragma once

#include "../unit/dump_flat.h"
#include "core/features.h"
#include "graph/model/dialect.h"
#include "text/document_internal.h"

enum { TEXT_LIMIT = 256 * 1024, PLACES_TRIED = 8, WHOLE_LIMIT = 4 * 1024 };

/// The language that is tried.
typedef struct FuzzedDialect {
  const char *language;
  const char *uri;
  SyntaxParser *(*parser_new)(void);
  void (*parser_free)(SyntaxParser *parser);
  SyntaxList (*parse)(SyntaxParser *parser, Str text);
} FuzzedDialect;

// --- Nodes ---

static bool ends_line(char c)
{
  return c == '\n' || c == '\r';
}

static void check_nodes(SyntaxList list, Str text)
{
  for (size_t i = 0; i < list.count; i++) {
    const SyntaxNode *node = &list.nodes[i];
    FLAT_CHECK(node->start <= node->end && node->end <= text.len);
    FLAT_CHECK(node->depth >= 1 && (i > 0 || node->depth == 1));
    FLAT_CHECK(i == 0 || (node->depth <= node[-1].depth + 1 && node->start >= node[-1].start));
    for (uint32_t at = node->start; node->depth == 1 && at < node->end; at++)
      FLAT_CHECK(!ends_line(text.data[at]));
    // A child lies in its parent.
    size_t parent = i;
    while (parent > 0 && list.nodes[parent].depth >= node->depth)
      parent--;
    if (node->depth > 1 && node->kind != NODE_ERROR && node->kind != NODE_MISSING)
      FLAT_CHECK(list.nodes[parent].start <= node->start && node->end <= list.nodes[parent].end);
  }
}

/// Each line with its ending, as a chunk and a feature see it.
static void check_lines(const FuzzedDialect *dialect, SyntaxList list, Str text)
{
  SyntaxParser *parser = dialect->parser_new();
  size_t at = 0;
  for (size_t line = 0; line < text.len;) {
    size_t end = line;
    while (end < text.len && !ends_line(text.data[end]))
      end++;
    end += end < text.len;
    SyntaxList own = dialect->parse(parser, str_slice(text, line, end));
    for (size_t i = 0; i < own.count; i++, at++) {
      FLAT_CHECK(at < list.count && own.nodes[i].kind == list.nodes[at].kind);
      FLAT_CHECK(own.nodes[i].start + line == list.nodes[at].start && own.nodes[i].end + line == list.nodes[at].end);
    }
    line = end;
  }
  FLAT_CHECK(at == list.count);
  dialect->parser_free(parser);
}

// --- Snapshots ---

static Snapshot *make_snapshot(const FuzzedDialect *dialect, Str text, uint32_t chunk_target, Document **ret_document)
{
  Target values = { .torch = STR("2.14"), .opset = 18 };
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  Target *target = target_new(&values);
  FLAT_CHECK(document_new_with_target(text, chunk_target, ret_document) == OK);
  SnapshotInput input = { .uri = str_from(dialect->uri),
                          .version = 1,
                          .language_id = str_from(dialect->language),
                          .document = *ret_document,
                          .target = target };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  target_release(target);
  return snapshot;
}

static void check_features(const Snapshot *snapshot, size_t len, unsigned char step)
{
  Arena arena = { 0 };
  FeatureContext context = { .snapshot = snapshot, .arena = &arena };
  for (size_t i = 0; i < PLACES_TRIED; i++) {
    size_t offset = (i * (step + 7u) * 131u) % (len + 1);
    Hover hover;
    if (feature_hover(&context, offset, &hover))
      FLAT_CHECK(hover.range.start <= hover.range.end && hover.range.end <= len);
    LocationList places = feature_definition(&context, offset);
    for (size_t k = 0; k < places.count; k++)
      FLAT_CHECK(places.items[k].is_file || places.items[k].target.end <= len);
    feature_selection(&context, offset);
  }
  Range all = { 0, len };
  SemanticTokenList tokens = feature_tokens(&context, all);
  for (size_t i = 0; i < tokens.count; i++) {
    FLAT_CHECK(tokens.items[i].start + tokens.items[i].len <= len);
    FLAT_CHECK(i == 0 || tokens.items[i].start >= tokens.items[i - 1].start + tokens.items[i - 1].len);
  }
  InlayHintList hints = feature_inlay_hints(&context, all);
  for (size_t i = 0; i < hints.count; i++)
    FLAT_CHECK(hints.items[i].offset <= len && (i == 0 || hints.items[i].offset >= hints.items[i - 1].offset));
  feature_symbols(&context);
  feature_folding(&context);
  arena_done(&arena);
}

static void check_chunks(const FuzzedDialect *dialect, Str text, uint32_t chunk_target, unsigned char step)
{
  Document *document;
  Document *other_document;
  Snapshot *snapshot = make_snapshot(dialect, text, CHUNK_TARGET, &document);
  Snapshot *other = make_snapshot(dialect, text, chunk_target, &other_document);
  flat_check_snapshot(snapshot);
  flat_check_snapshot(other);
  Buffer expected = { 0 };
  Buffer got = { 0 };
  flat_snapshot(&expected, snapshot);
  flat_snapshot(&got, other);
  if (!flat_same(buffer_str(&got), buffer_str(&expected)))
    abort();
  buffer_done(&expected);
  buffer_done(&got);
  check_features(other, document_length(other_document), step);
  snapshot_release(snapshot);
  snapshot_release(other);
  document_release(document);
  document_release(other_document);
}

/// One input: a byte for the chunk targets and the places that are asked about, then the text.
static inline void fuzz_dialect(const FuzzedDialect *dialect, const uint8_t *data, size_t size)
{
  static const uint32_t chunk_targets[] = { 1, 20, 80, 250, 600, 5000 };
  if (size < 1)
    return;
  Str text = str_make((const char *)data + 1, size - 1 < TEXT_LIMIT ? size - 1 : TEXT_LIMIT);
  SyntaxParser *parser = dialect->parser_new();
  SyntaxList list = dialect->parse(parser, text);
  check_nodes(list, text);
  check_lines(dialect, list, text);
  dialect->parser_free(parser);
  // Tiny chunks of a long text are slow, and tell nothing more.
  uint32_t target = text.len > WHOLE_LIMIT ? 5000 : chunk_targets[data[0] % COUNT(chunk_targets)];
  check_chunks(dialect, text, target, data[0]);
}
