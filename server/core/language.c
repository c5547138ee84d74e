#include "core/language.h"

enum { SNIFF_LIMIT = 256 * 1024, SNIFF_LINES = 4000 };

static const char *const names[] = {
  [DOC_UNKNOWN] = "unknown",     [DOC_TORCH_IR] = "torch-ir", [DOC_FX_GRAPH] = "fx-graph",
  [DOC_ONNX_TEXT] = "onnx-text", [DOC_ONNX_IR] = "onnx-ir",   [DOC_PYTHON] = "python",
};

const char *document_kind_name(DocumentKind kind)
{
  return names[kind];
}

static bool contains(Str s, const char *needle)
{
  return str_find(s, str_from(needle), 0) != STR_NOT_FOUND;
}

/// `%4 : int = prim::Constant[…` or `%x.1, %y = aten::split(…`: a value, then an operator with a namespace.
static bool looks_like_statement(Str line)
{
  if (line.len < 2 || line.data[0] != '%')
    return false;
  size_t equals = str_find(line, STR(" = "), 0);
  if (equals == STR_NOT_FOUND)
    return false;
  Str right = str_slice(line, equals + 3, line.len);
  size_t bracket = 0;
  while (bracket < right.len && right.data[bracket] != '(' && right.data[bracket] != '[')
    bracket++;
  Str op = str_slice(right, 0, bracket);
  return bracket < right.len && (contains(op, "::") || str_starts_with(op, STR("^")));
}

/// The kind that one line, with white space trimmed off, gives away.
static DocumentKind kind_of_line(Str line)
{
  if (line.len == 0)
    return DOC_UNKNOWN;
  size_t graph = str_find(line, STR("graph("), 0);
  if (graph != STR_NOT_FOUND && graph + 6 < line.len && line.data[graph + 6] == '%')
    return DOC_TORCH_IR;
  if (str_equal(line, STR("graph():")))
    return DOC_UNKNOWN;  // An empty TorchScript graph or an FX graph: the next lines tell.
  if (contains(line, "[num_users=") || contains(line, "[#users="))
    return DOC_FX_GRAPH;
  if (str_starts_with(line, STR("class GraphModule(torch.nn.Module)")) || str_equal(line, STR("ExportedProgram:")))
    return DOC_FX_GRAPH;
  if (str_starts_with(line, STR("ir_version=")) || contains(line, "\xe2\xac\x85"))
    return DOC_ONNX_IR;
  if (str_starts_with(line, STR("<ir_version")) || str_starts_with(line, STR("ir_version: ")))
    return DOC_ONNX_TEXT;
  if (looks_like_statement(line))
    return DOC_TORCH_IR;
  if (str_starts_with(line, STR("graph ")) && (str_ends_with(line, STR("(")) || str_ends_with(line, STR("{"))))
    return DOC_TORCH_IR;  // onnx.helper.printable_graph
  return DOC_UNKNOWN;
}

static DocumentKind kind_of_content(const Document *document)
{
  size_t seen = 0;
  uint32_t lines = 0;
  for (uint32_t c = 0; c < document->chunk_count; c++) {
    const TextChunk *chunk = document->chunks[c];
    for (uint32_t i = 0; i < chunk->line_count && seen < SNIFF_LIMIT && lines < SNIFF_LINES; i++, lines++) {
      Str line = text_chunk_line(chunk, i);
      seen += line.len + 1;
      DocumentKind kind = kind_of_line(str_trim(str_slice(line, 0, 4096)));
      if (kind != DOC_UNKNOWN)
        return kind;
    }
  }
  return DOC_UNKNOWN;
}

uint32_t document_kind_chunks(const Document *document)
{
  // Line ends count once at most above, so twice the limit is enough.
  uint32_t count = 0;
  while (count < document->chunk_count && document->chunk_offsets[count] < 2 * (size_t)SNIFF_LIMIT &&
         document->chunk_lines[count] < SNIFF_LINES)
    count++;
  return count;
}

static DocumentKind kind_of_language(Str language_id)
{
  for (size_t i = DOC_TORCH_IR; i < sizeof(names) / sizeof(names[0]); i++) {
    if (str_equal(language_id, str_from(names[i])))
      return (DocumentKind)i;
  }
  return DOC_UNKNOWN;
}

static DocumentKind kind_of_path(Str path)
{
  static const struct {
    const char *suffix;
    DocumentKind kind;
  } suffixes[] = {
    { ".torchir", DOC_TORCH_IR }, { ".tsir", DOC_TORCH_IR },     { ".graph.txt", DOC_TORCH_IR },
    { ".fx", DOC_FX_GRAPH },      { ".onnxtxt", DOC_ONNX_TEXT }, { ".onnxtext", DOC_ONNX_TEXT },
    { ".onnxir", DOC_ONNX_IR },   { ".py", DOC_PYTHON },
  };
  for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
    if (str_ends_with(path, str_from(suffixes[i].suffix)))
      return suffixes[i].kind;
  }
  return DOC_UNKNOWN;
}

DocumentKind document_kind(const Document *document, Str language_id, Str path)
{
  // Python sources may quote any dump in a comment or a string, so for them the name and the language decide.
  if (kind_of_language(language_id) == DOC_PYTHON || kind_of_path(path) == DOC_PYTHON)
    return DOC_PYTHON;
  DocumentKind kind = kind_of_content(document);
  if (kind == DOC_UNKNOWN)
    kind = kind_of_language(language_id);
  return kind != DOC_UNKNOWN ? kind : kind_of_path(path);
}
