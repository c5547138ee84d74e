// textDocument/semanticTokens: what each word of a line is, from the syntax of the lines asked for.

#include "base/ascii.h"
#include "base/vec.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_view.h"

typedef enum TokenType {
  TOKEN_NAMESPACE,
  TOKEN_TYPE,
  TOKEN_PARAMETER,
  TOKEN_VARIABLE,
  TOKEN_PROPERTY,
  TOKEN_FUNCTION,
  TOKEN_KEYWORD,
  TOKEN_COMMENT,
  TOKEN_STRING,
  TOKEN_NUMBER,
} TokenType;

enum { MODIFIER_DEFINITION = 1, MODIFIER_DEFAULT_LIBRARY = 2 };

const char *const semantic_token_types[] = {
  [TOKEN_NAMESPACE] = "namespace", [TOKEN_TYPE] = "type",         [TOKEN_PARAMETER] = "parameter",
  [TOKEN_VARIABLE] = "variable",   [TOKEN_PROPERTY] = "property", [TOKEN_FUNCTION] = "function",
  [TOKEN_KEYWORD] = "keyword",     [TOKEN_COMMENT] = "comment",   [TOKEN_STRING] = "string",
  [TOKEN_NUMBER] = "number",
};
const size_t semantic_token_type_count = COUNT(semantic_token_types);
const char *const semantic_token_modifiers[] = { "definition", "defaultLibrary" };
const size_t semantic_token_modifier_count = COUNT(semantic_token_modifiers);

/// Reads the syntax of some lines of one chunk.
typedef struct Tokenizer {
  const GraphDialect *dialect;
  Str text;          ///< The lines.
  size_t base;       ///< Document offset of `text`.
  size_t value_end;  ///< Of the argument or attribute being read.
  Vec(SemanticToken) tokens;
} Tokenizer;

/// Adds [start, end) of the text, up to the line's end; empty ones and what overlaps the token before are left out.
static void add(Tokenizer *tokenizer, size_t start, size_t end, TokenType type, uint8_t modifiers)
{
  for (size_t i = start; i < end; i++) {
    if (tokenizer->text.data[i] == '\n' || tokenizer->text.data[i] == '\r')
      end = i;
  }
  const SemanticToken *last = tokenizer->tokens.count > 0 ? vec_last(&tokenizer->tokens) : NULL;
  if (start >= end || (last && last->start + last->len > tokenizer->base + start))
    return;
  vec_push(&tokenizer->tokens, (SemanticToken){
                                   .start = tokenizer->base + start,
                                   .len = (uint32_t)(end - start),
                                   .type = (uint8_t)type,
                                   .modifiers = modifiers,
                               });
}

static void add_operator(Tokenizer *tokenizer, const SyntaxNode *node)
{
  static const char *const ours[] = { "aten", "prim", "onnx", "quantized" };
  size_t colons = str_find(syntax_text(node, tokenizer->text), STR("::"), 0);
  if (colons == STR_NOT_FOUND) {
    add(tokenizer, node->start, node->end, TOKEN_FUNCTION, 0);
    return;
  }
  Str space = str_make(tokenizer->text.data + node->start, colons);
  uint8_t modifiers = 0;
  if (str_is_one_of(space, ours, COUNT(ours)))
    modifiers = MODIFIER_DEFAULT_LIBRARY;
  add(tokenizer, node->start, node->start + colons, TOKEN_NAMESPACE, modifiers);
  add(tokenizer, node->start + colons + 2, node->end, TOKEN_FUNCTION, modifiers);
}

/// `1`, `-0.5`, `1e-05`, `-inf`, `nan`: the end of the number at `at`, or `at` if there is none.
static size_t number_end(Str text, size_t at, size_t end)
{
  size_t i = at;
  if (i < end && (text.data[i] == '-' || text.data[i] == '+'))
    i++;
  Str rest = str_slice(text, i, end);
  if (str_starts_with(rest, STR("inf")) || str_starts_with(rest, STR("nan")))
    return i + 3 < end && ascii_is_word(text.data[i + 3]) ? at : i + 3;
  if (i >= end ||
      !(ascii_is_digit(text.data[i]) || (text.data[i] == '.' && i + 1 < end && ascii_is_digit(text.data[i + 1]))))
    return at;
  while (i < end && (ascii_is_word(text.data[i]) || text.data[i] == '.' ||
                     ((text.data[i] == '-' || text.data[i] == '+') && text.data[i - 1] == 'e')))
    i++;
  return i;
}

/// Strings and numbers of a value; the rest of it stays plain.
static void add_value(Tokenizer *tokenizer, size_t start, size_t end)
{
  Str text = tokenizer->text;
  for (size_t i = start; i < end;) {
    size_t stop = i;
    if (text.data[i] == '"' || (text.data[i] == '\'' && (i == start || !ascii_is_word(text.data[i - 1])))) {
      stop = ascii_literal_end(str_slice(text, 0, end), i);
      stop = stop == STR_NOT_FOUND ? end : stop;
      add(tokenizer, i, stop, TOKEN_STRING, 0);
    } else if (i == start || !ascii_is_word(text.data[i - 1])) {
      stop = number_end(text, i, end);
      add(tokenizer, i, stop, TOKEN_NUMBER, 0);
    }
    i = stop > i ? stop : i + 1;
  }
}

/// A source location's node begins after the `#`, which is part of the comment.
static void add_location(Tokenizer *tokenizer, const SyntaxNode *node)
{
  size_t start = node->start;
  while (start > 0 && tokenizer->text.data[start - 1] == ' ')
    start--;
  bool has_mark = start > 0 && tokenizer->text.data[start - 1] == '#';
  add(tokenizer, has_mark ? start - 1 : node->start, node->end, TOKEN_COMMENT, 0);
}

/// The word that a header or a `return` begins with, which the grammar has no node for.
static void add_first_word(Tokenizer *tokenizer, size_t from, const SyntaxNode *line)
{
  static const Str words[] = { STR_INIT("with"), STR_INIT("graph"), STR_INIT("return"), STR_INIT("def"),
                               STR_INIT("class") };
  if (line->kind != NODE_GRAPH_HEADER && line->kind != NODE_PRINTABLE_GRAPH_HEADER &&
      line->kind != NODE_RETURN_STATEMENT && line->kind != NODE_GRAPH_TITLE)
    return;
  from = ascii_blanks_end(str_slice(tokenizer->text, 0, line->end), from);
  Str rest = str_slice(tokenizer->text, from, line->end);
  for (size_t i = 0; i < COUNT(words); i++) {
    if (str_starts_with(rest, words[i]))
      add(tokenizer, from, from + words[i].len, TOKEN_KEYWORD, 0);
  }
}

/// The `graph` of `with prim::X_0 = graph(`.
static void add_graph_word(Tokenizer *tokenizer, size_t from, const SyntaxNode *line)
{
  size_t at = str_find(str_slice(tokenizer->text, 0, line->end), STR("graph("), from);
  if (line->kind == NODE_GRAPH_HEADER && at != STR_NOT_FOUND)
    add(tokenizer, at, at + 5, TOKEN_KEYWORD, 0);
}

/// The end of what comes after node `i` in the value being read: where the next name begins.
static size_t part_end(const Tokenizer *tokenizer, SyntaxList list, size_t i)
{
  bool has_name = i + 1 < list.count && list.nodes[i + 1].start < tokenizer->value_end;
  return has_name ? list.nodes[i + 1].start : tokenizer->value_end;
}

/// Nodes that are one token.
static bool is_whole_token(NodeKind kind, TokenType *ret_type)
{
  switch (kind) {
  case NODE_TYPE:
    *ret_type = TOKEN_TYPE;
    return true;
  case NODE_PYTHON_OP:
    *ret_type = TOKEN_FUNCTION;
    return true;
  case NODE_ATTRIBUTE_NAME:
    *ret_type = TOKEN_PROPERTY;
    return true;
  case NODE_BLOCK_NAME:
    *ret_type = TOKEN_KEYWORD;
    return true;
  case NODE_SCOPE:
    *ret_type = TOKEN_NAMESPACE;
    return true;
  case NODE_COMMENT:
  case NODE_LOG_PREFIX:
  case NODE_TEXT_LINE:
  case NODE_STAGE_SEPARATOR:
    *ret_type = TOKEN_COMMENT;
    return true;
  default:
    return false;
  }
}

static void add_node(Tokenizer *tokenizer, SyntaxList list, size_t i, size_t line)
{
  const SyntaxNode *nodes = list.nodes;
  const SyntaxNode *node = &nodes[i];
  TokenType type;
  switch ((NodeKind)node->kind) {
  case NODE_VALUE_NAME:  // Its line comes before it.
    type = nodes[i - 1].kind == NODE_PARAMETER ? TOKEN_PARAMETER : TOKEN_VARIABLE;
    add(tokenizer, node->start, node->end, type, MODIFIER_DEFINITION);
    break;
  case NODE_VALUE_REF:
    add(tokenizer, node->start, node->end, TOKEN_VARIABLE, 0);
    if (node->end < tokenizer->value_end)
      add_value(tokenizer, node->end, part_end(tokenizer, list, i));
    break;
  case NODE_OP_KIND:
    add_operator(tokenizer, node);
    add_graph_word(tokenizer, node->end, &nodes[line]);
    break;
  case NODE_GRAPH_NAME:
    add(tokenizer, node->start, node->end, TOKEN_FUNCTION, MODIFIER_DEFINITION);
    break;
  case NODE_ARGUMENT:
  case NODE_ATTRIBUTE_VALUE:
    tokenizer->value_end = node->end;
    add_value(tokenizer, node->start, part_end(tokenizer, list, i));
    break;
  case NODE_SOURCE_LOCATION:
    add_location(tokenizer, node);
    break;
  default:
    if (is_whole_token((NodeKind)node->kind, &type))
      add(tokenizer, node->start, node->end, type, 0);
    break;
  }
}

static void add_lines(Tokenizer *tokenizer, SyntaxList list)
{
  size_t line = 0;
  for (size_t i = 0; i < list.count; i++) {
    if (list.nodes[i].depth == 1) {
      line = i;
      tokenizer->value_end = 0;
    }
    bool has_prefix = i + 1 < list.count && list.nodes[i + 1].kind == NODE_LOG_PREFIX;
    if (i == line && !has_prefix)
      add_first_word(tokenizer, list.nodes[i].start, &list.nodes[line]);
    add_node(tokenizer, list, i, line);
    if (list.nodes[i].kind == NODE_LOG_PREFIX)
      add_first_word(tokenizer, list.nodes[i].end, &list.nodes[line]);
  }
}

/// Tokens of the lines of a chunk that touch the range.
static void add_chunk(Tokenizer *tokenizer, SyntaxParser *parser, const Document *document, uint32_t chunk, Range range)
{
  const TextChunk *text = document->chunks[chunk];
  size_t base = document->chunk_offsets[chunk];
  uint32_t first = range.start > base ? text_chunk_line_of(text, (uint32_t)(range.start - base)) : 0;
  size_t start = text->starts[first];
  size_t end = text->len;
  if (range.end < base + text->len) {
    uint32_t last = text_chunk_line_of(text, (uint32_t)(range.end - base));
    end = last + 1 < text->line_count ? text->starts[last + 1] : text->len;
  }
  tokenizer->text = str_make(text->text + start, end - start);
  tokenizer->base = base + start;
  add_lines(tokenizer, tokenizer->dialect->parse(parser, tokenizer->text));
}

SemanticTokenList graph_tokens(const FeatureContext *context, Range range)
{
  const Document *document = snapshot_document(context->snapshot);
  if (range.start > range.end)
    return (SemanticTokenList){ 0 };
  Tokenizer tokenizer = { .dialect = snapshot_dialect(context->snapshot) };
  SyntaxParser *parser = dialect_take_parser(tokenizer.dialect);
  uint32_t last = document_locate(document, range.end).chunk;
  for (uint32_t chunk = document_locate(document, range.start).chunk; chunk <= last; chunk++) {
    if (feature_is_cancelled(context))
      break;
    add_chunk(&tokenizer, parser, document, chunk, range);
  }
  dialect_give_parser(tokenizer.dialect, parser);
  SemanticToken *items = vec_copy(&tokenizer.tokens, context->arena);
  SemanticTokenList list = { items, tokenizer.tokens.count };
  vec_free(&tokenizer.tokens);
  return list;
}
