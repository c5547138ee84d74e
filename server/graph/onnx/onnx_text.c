#include "graph/onnx/onnx_text.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "graph/graph_language.h"
#include "graph/model/snapshot_dump.h"
#include "graph/onnx/onnx_check.h"
#include "graph/onnx/onnx_complete.h"
#include "graph/onnx/onnx_flow.h"
#include "graph/onnx/onnx_format.h"
#include "graph/onnx/onnx_line.h"
#include "graph/onnx/onnx_source.h"
#include "graph/onnx/onnx_structure.h"
#include "graph/onnx/onnx_tree.h"

// --- What tells its texts from others ---

/// `<ir_version: 8, …`, a line of such a header, or that of a graph. Protobuf's own text has no comma and no bracket
/// there.
static bool is_onnx_text_line(Str line)
{
  bool has_bracket = str_starts_with(line, STR("<"));
  if (has_bracket)
    line = str_trim(str_slice(line, 1, line.len));
  bool is_key = str_starts_with(line, STR("ir_version:")) || str_starts_with(line, STR("opset_import:"));
  bool is_list = str_contains(line, STR("opset_import: [")) || str_contains(line, STR("opset_import:["));
  return (is_key && (has_bracket || is_list || str_ends_with(line, STR(",")))) ||
         onnx_source_graph_in(line) != STR_NOT_FOUND;
}

// --- Operators ---

/// What printers put into quotes, without them.
static Str unquoted(Str text)
{
  bool is_quoted = text.len >= 2 && text.data[0] == '"' && text.data[text.len - 1] == '"';
  return is_quoted ? str_slice(text, 1, text.len - 1) : text;
}

/// Where the operator's own name starts, after the last point that is not in quotes.
static size_t own_name_start(Str text)
{
  bool ends_quoted = text.len >= 2 && text.data[text.len - 1] == '"';
  size_t before = str_rfind_char(ends_quoted ? str_slice(text, 0, text.len - 1) : text, ends_quoted ? '"' : '.');
  if (before == STR_NOT_FOUND)
    return 0;
  return ends_quoted ? before : before + 1;
}

/// `Conv` is `onnx::Conv`, `my.domain.Op` is `my.domain::Op`, `my."Op.1"` is `my::Op.1`.
static OperatorName onnx_operator_name(Str text, Arena *arena)
{
  size_t start = own_name_start(text);
  Str domain = start > 0 ? unquoted(str_slice(text, 0, start - 1)) : (Str){ 0 };
  Str parts[] = { domain.len > 0 ? domain : STR("onnx"), STR("::"), unquoted(str_slice(text, start, text.len)) };
  return (OperatorName){ .name = arena_join(arena, parts, COUNT(parts)) };
}

bool onnx_model_tells_unused(ItemKind kind, Str op)
{
  (void)kind;
  (void)op;
  return false;
}

/// Types stand before names.
static Str type_after(Str rest)
{
  (void)rest;
  return (Str){ 0 };
}

/// The number after `"" :`, or of a name that means the same; 0 if there is none.
static int default_version(Str text)
{
  static const Str domains[] = { STR_INIT("\"\""), STR_INIT("\"ai.onnx\"") };
  for (size_t i = 0; i < COUNT(domains); i++) {
    size_t at = str_find(text, domains[i], 0);
    if (at == STR_NOT_FOUND)
      continue;
    Str rest = str_trim(str_slice(text, at + domains[i].len, text.len));
    if (!str_starts_with(rest, STR(":")))
      continue;
    rest = str_trim(str_slice(rest, 1, rest.len));
    size_t len = 0;
    while (len < rest.len && ascii_is_digit(rest.data[len]))
      len++;
    uint64_t version;
    if (str_to_uint(str_slice(rest, 0, len), 1000, &version))
      return (int)version;
  }
  return 0;
}

int onnx_text_opset(const Document *document)
{
  const TextChunk *chunk = document->chunks[0];
  Str text = str_slice(str_make(chunk->text, chunk->len), 0, ONNX_OPSET_SCAN_LIMIT);
  size_t at = str_find(text, STR("opset_import"), 0);
  if (at == STR_NOT_FOUND)
    return 0;
  return default_version(str_slice(text, at, str_find_char(text, ']', at)));
}

static Str other_format(const Snapshot *snapshot, Arena *arena)
{
  (void)arena;
  const TextChunk *chunk = snapshot_document(snapshot)->chunks[0];
  return onnx_other_format(str_make(chunk->text, chunk->len));
}

static bool has_content(const Snapshot *snapshot)
{
  const TextChunk *chunk = snapshot_document(snapshot)->chunks[0];
  return str_trim(str_make(chunk->text, chunk->len)).len > 0 && other_format(snapshot, NULL).len == 0;
}

/// The whole text, in the arena; false if it is too long to be followed.
static bool text_to_follow(const Snapshot *snapshot, Arena *arena, Str *ret_text)
{
  const Document *document = snapshot_document(snapshot);
  size_t len = document_length(document);
  if (len > ONNX_FOLLOW_LIMIT)
    return false;
  *ret_text = document_slice(document, (Range){ 0, len }, arena);
  return true;
}

Str onnx_model_type_at(const Snapshot *snapshot, size_t offset, Arena *arena)
{
  Arena whole = { 0 };
  Str text, type = { 0 };
  if (text_to_follow(snapshot, &whole, &text)) {
    OnnxSource source = onnx_source_at(snapshot, text, offset);
    type = onnx_flow_type_at(snapshot_dialect(snapshot)->read_model, &source, target_db(snapshot_target(snapshot)),
                             offset, arena);
  }
  arena_done(&whole);
  return type;
}

Str onnx_model_origin_at(const Snapshot *snapshot, size_t offset, Arena *arena)
{
  Arena whole = { 0 };
  Str text, origin = { 0 };
  if (text_to_follow(snapshot, &whole, &text)) {
    OnnxSource source = onnx_source_at(snapshot, text, offset);
    origin = onnx_flow_origin_at(snapshot_dialect(snapshot)->read_model, &source, target_db(snapshot_target(snapshot)),
                                 offset, arena);
  }
  arena_done(&whole);
  return origin;
}

FoundTypes onnx_model_types_in(const Snapshot *snapshot, Range range, Arena *arena)
{
  Arena whole = { 0 };
  Str text;
  Vec(FoundType) found = { 0 };
  if (text_to_follow(snapshot, &whole, &text)) {
    OnnxSource source = onnx_source_at(snapshot, text, range.start);
    do {
      FoundTypes types = onnx_flow_types_in(snapshot_dialect(snapshot)->read_model, &source,
                                            target_db(snapshot_target(snapshot)), range, arena);
      vec_append(&found, types.items, types.count);
    } while (source.text.len <= range.end && onnx_source_next(&source, text));
  }
  arena_done(&whole);
  FoundTypes types = { vec_copy(&found, arena), found.count };
  vec_free(&found);
  return types;
}

ModelNeeds onnx_model_needs(const Snapshot *snapshot, Arena *arena)
{
  Arena whole = { 0 };
  Str text;
  ModelNeeds found = { 0 };
  if (text_to_follow(snapshot, &whole, &text)) {
    OnnxSource source = onnx_source_first(snapshot, text);
    found =
        onnx_flow_needs(snapshot_dialect(snapshot)->read_model, &source, target_db(snapshot_target(snapshot)), arena);
  }
  arena_done(&whole);
  return found;
}

static const GraphDialect onnx_text_dialect = {
  .is_model = true,
  .has_places_above = true,
  .key_sign = ':',
  .read_model = onnx_tree_read,
  .needs = onnx_model_needs,
  .parser_new = line_parser_new,
  .parser_free = line_parser_free,
  .parse = onnx_line_parse,
  .operator_name = onnx_operator_name,
  .tells_unused = onnx_model_tells_unused,
  .type_after = type_after,
  .type_at = onnx_model_type_at,
  .origin_at = onnx_model_origin_at,
  .types_in = onnx_model_types_in,
  .opset = onnx_text_opset,
  .structure = onnx_structure,
  .format = onnx_format,
  .complete = onnx_complete,
};

const Language onnx_text_language = {
  .name = "onnx-text",
  .title = "a model in ONNX's textual syntax",
  .sets = IN_GRAPHS | IN_ONNX,
  .is_printed = true,
  .endings =
      (const LanguageEnding[]){ { STR_INIT(".onnxtxt"), false }, { STR_INIT(".onnxtext"), false }, { { 0 }, false } },
  .is_whole = true,
  .sniff_line = is_onnx_text_line,
  .first_code = "the first graph",
  .unread_advice = "export the model again",
  .model = &graph_model,
  .check = onnx_check,
  .each_comment = graph_each_comment,
  .each_unread = onnx_each_unread,
  .has_content = has_content,
  .blind_spot = other_format,
  .summarize = graph_summarize,
  .features = &graph_features,
  .dialect = &onnx_text_dialect,
};
