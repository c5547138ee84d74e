#include "graph/onnx_ir/onnx_ir.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "graph/graph_language.h"
#include "graph/onnx/onnx_check.h"
#include "graph/onnx/onnx_structure.h"
#include "graph/onnx/onnx_text.h"
#include "graph/onnx_ir/ir_line.h"
#include "graph/onnx_ir/ir_read.h"

/// `ir_version=10,` of a header, or a node.
static bool is_onnx_ir_line(Str line)
{
  return str_starts_with(line, STR("ir_version=")) || str_contains(line, STR("\xe2\xac\x85"));
}

/// `Conv` is `onnx::Conv`; other operators are printed with their domain.
static OperatorName ir_operator_name(Str text, Arena *arena)
{
  if (str_contains(text, STR("::")))
    return (OperatorName){ .name = text };
  const Str parts[] = { STR("onnx::"), text };
  return (OperatorName){ .name = arena_join(arena, parts, COUNT(parts)) };
}

/// `x"<FLOAT,[2,N]>` after the name: its type as it is printed.
static Str ir_type_after(Str rest)
{
  size_t open = str_find_char(rest, '<', 0);
  if (open > 1)
    return (Str){ 0 };
  size_t close = str_find_char(rest, '>', open);
  Str type = str_slice(rest, open + 1, close);
  return close == STR_NOT_FOUND || str_starts_with(type, STR("?")) ? (Str){ 0 } : type;
}

/// The number after `'': ` in the first header.
static int ir_opset(const Document *document)
{
  const TextChunk *chunk = document->chunks[0];
  Str text = str_slice(str_make(chunk->text, chunk->len), 0, ONNX_OPSET_SCAN_LIMIT);
  size_t at = str_find(text, STR("opset_imports={"), 0);
  Str line = at == STR_NOT_FOUND ? (Str){ 0 } : str_slice(text, at, str_find_char(text, '}', at));
  size_t domain = str_find(line, STR("'': "), 0);
  if (domain == STR_NOT_FOUND)
    return 0;
  Str rest = str_slice(line, domain + 4, line.len);
  uint64_t version;
  return str_to_uint(str_slice(rest, 0, ascii_digits_end(rest, 0)), 1000, &version) ? (int)version : 0;
}

/// The model's header comes before the graph, and says the opsets.
static Str without_model(const Snapshot *snapshot, Arena *arena)
{
  const Document *document = snapshot_document(snapshot);
  (void)arena;
  for (uint32_t i = 0; i < document->chunk_count; i++) {
    if (str_contains(str_make(document->chunks[i]->text, document->chunks[i]->len), STR("opset_imports=")))
      return (Str){ 0 };
  }
  return STR("a graph without its model, which says the opsets, so its operators were not judged; print the model");
}

static const GraphDialect onnx_ir_dialect = {
  .is_model = true,
  .key_sign = '=',
  .read_model = onnx_ir_read,
  .needs = onnx_model_needs,
  .parser_new = line_parser_new,
  .parser_free = line_parser_free,
  .parse = ir_line_parse,
  .operator_name = ir_operator_name,
  .tells_unused = onnx_model_tells_unused,
  .type_after = ir_type_after,
  .type_at = onnx_model_type_at,
  .origin_at = onnx_model_origin_at,
  .types_in = onnx_model_types_in,
  .opset = ir_opset,
  .structure = onnx_structure,
};

const Language onnx_ir_language = {
  .name = "onnx-ir",
  .title = "a print of onnx_ir",
  .sets = IN_GRAPHS | IN_ONNX,
  .is_printed = true,
  .endings = (const LanguageEnding[]){ { STR_INIT(".onnxir"), false }, { { 0 }, false } },
  .sniff_line = is_onnx_ir_line,
  .first_code = "the first graph",
  .unread_advice = "print the model again",
  .model = &graph_model,
  .check = onnx_check,
  .each_comment = graph_each_comment,
  .each_unread = onnx_each_unread,
  .has_content = graph_has_content,
  .blind_spot = without_model,
  .summarize = graph_summarize,
  .features = &graph_features,
  .dialect = &onnx_ir_dialect,
};
