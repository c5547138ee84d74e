#include "graph/onnx/onnx_format.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "facts/onnx_elements.h"
#include "graph/onnx/onnx_read.h"

enum { STEP = 3, WIDTH = 120 };

typedef enum TokenKind {
  TOKEN_END,
  TOKEN_COMMENT,
  TOKEN_STRING,
  TOKEN_WORD,  ///< A number, too.
  TOKEN_ARROW,
  TOKEN_SIGN,  ///< One character.
} TokenKind;

typedef struct Token {
  TokenKind kind;
  Str text;
  uint32_t start;
  bool has_break;  ///< A line end comes before it...
  bool has_blank;  ///< ...and an empty line.
} Token;

/// What is between two brackets.
typedef enum Inside {
  INSIDE_HEADER,   ///< `<ir_version: 8, …>`
  INSIDE_INFOS,    ///< `<float[2] w = {…}>` after the outputs of a graph
  INSIDE_BODY,     ///< `{ nodes }`
  INSIDE_OUTPUTS,  ///< `=> (…)`
  INSIDE_ATTRS,    ///< `<axis = 1>`
  INSIDE_DATA,     ///< `{1, 2}`
  INSIDE_SHAPE,    ///< `float[2,3]`
  INSIDE_LIST,     ///< `[1, 1]`
  INSIDE_OTHER,    ///< `(x, y)`
  INSIDE_NOTHING,
} Inside;

typedef struct OpenBracket {
  Inside inside;
  bool has_lines;  ///< A comment in it ended a line, so its end gets one, too.
} OpenBracket;

typedef struct Formatter {
  Str text;
  uint32_t at;
  Vec(uint32_t) nodes;  ///< Where nodes begin, in order.
  size_t next_node;
  Vec(OpenBracket) open;
  Inside closed;   ///< What the bracket before closed, or INSIDE_NOTHING.
  uint32_t depth;  ///< Of headers, lists of initializers and bodies.
  Token before;
  Buffer out;
  size_t line_start;
  bool needs_line;  ///< A comment came before, so the line is over.
  Str key;          ///< Of a header, the last one.
} Formatter;

// --- Tokens ---

static uint32_t string_end(Str text, uint32_t at)
{
  uint32_t end = at + 1;
  while (end < text.len && text.data[end] != '"')
    end += text.data[end] == '\\' ? 2 : 1;
  return end < text.len ? end + 1 : (uint32_t)text.len;
}

static bool continues_word(Str text, uint32_t start, uint32_t at)
{
  char c = text.data[at];
  bool is_number = ascii_is_digit(text.data[start]) || text.data[start] == '-';
  if (ascii_is_word(c))
    return true;
  if (!is_number)
    return false;
  return c == '.' || ((c == '-' || c == '+') && (text.data[at - 1] == 'e' || text.data[at - 1] == 'E'));
}

static Token next_token(Formatter *formatter)
{
  Str text = formatter->text;
  uint32_t lines = 0;
  while (formatter->at < text.len && ascii_is_space(text.data[formatter->at]))
    lines += text.data[formatter->at++] == '\n';
  Token token = { .start = formatter->at, .has_break = lines > 0, .has_blank = lines > 1 };
  uint32_t end = formatter->at;
  if (end >= text.len)
    return token;
  char c = text.data[end];
  token.kind = TOKEN_SIGN;
  end++;
  if (c == '#') {
    token.kind = TOKEN_COMMENT;
    while (end < text.len && text.data[end] != '\n')
      end++;
  } else if (c == '"') {
    token.kind = TOKEN_STRING;
    end = string_end(text, formatter->at);
  } else if (ascii_is_word(c) || c == '-') {
    token.kind = TOKEN_WORD;
    while (end < text.len && continues_word(text, token.start, end))
      end++;
  } else if (c == '=' && end < text.len && text.data[end] == '>') {
    token.kind = TOKEN_ARROW;
    end++;
  }
  formatter->at = end;
  token.text = str_slice(text, token.start, end);
  if (token.kind == TOKEN_COMMENT)
    token.text.len = ascii_blanks_start(token.text, token.text.len);
  return token;
}

static bool is_sign(const Token *token, char sign)
{
  return token->kind == TOKEN_SIGN && token->text.data[0] == sign;
}

// --- Brackets ---

static Inside inside_now(const Formatter *formatter)
{
  return formatter->open.count > 0 ? vec_last(&formatter->open)->inside : INSIDE_NOTHING;
}

static bool indents(Inside inside)
{
  return inside == INSIDE_HEADER || inside == INSIDE_INFOS || inside == INSIDE_BODY;
}

static Inside inside_opened(const Formatter *formatter, const Token *token)
{
  const Token *before = &formatter->before;
  bool is_first = formatter->open.count == 0 && (before->kind == TOKEN_END || formatter->closed == INSIDE_BODY);
  switch (token->text.data[0]) {
  case '<':
    return is_first ? INSIDE_HEADER : formatter->closed == INSIDE_OUTPUTS ? INSIDE_INFOS : INSIDE_ATTRS;
  case '{':
    return formatter->closed == INSIDE_OUTPUTS || formatter->closed == INSIDE_INFOS ? INSIDE_BODY : INSIDE_DATA;
  case '(':
    return before->kind == TOKEN_ARROW ? INSIDE_OUTPUTS : INSIDE_OTHER;
  default:
    return before->kind == TOKEN_WORD && onnx_element_of(before->text) != 0 ? INSIDE_SHAPE : INSIDE_LIST;
  }
}

static bool opens(const Token *token)
{
  return token->kind == TOKEN_SIGN && strchr("<{([", token->text.data[0]) != NULL;
}

static bool closes(const Token *token)
{
  return token->kind == TOKEN_SIGN && strchr(">})]", token->text.data[0]) != NULL;
}

// --- Where lines and words are parted ---

/// A node may be said to begin at the white space and the comments before it.
static bool is_node_start(Formatter *formatter, const Token *token)
{
  uint32_t after = formatter->before.start + (uint32_t)formatter->before.text.len;
  while (formatter->next_node < formatter->nodes.count && formatter->nodes.items[formatter->next_node] < after)
    formatter->next_node++;
  return formatter->next_node < formatter->nodes.count && formatter->nodes.items[formatter->next_node] <= token->start;
}

static bool begins_line(Formatter *formatter, const Token *token, bool is_node)
{
  Inside inside = inside_now(formatter);
  bool ends_list =
      closes(token) && formatter->open.count > 0 && (indents(inside) || vec_last(&formatter->open)->has_lines);
  bool after_comma = is_sign(&formatter->before, ',') && (inside == INSIDE_HEADER || inside == INSIDE_INFOS);
  bool after_open = opens(&formatter->before) && (inside == INSIDE_HEADER || inside == INSIDE_INFOS);
  bool after_header =
      formatter->closed == INSIDE_HEADER || (formatter->closed == INSIDE_BODY && formatter->open.count == 0);
  bool opens_infos = is_sign(token, '<') && formatter->closed == INSIDE_OUTPUTS;
  return is_node || ends_list || after_comma || after_open || after_header || opens_infos || formatter->needs_line;
}

static bool is_type_with_bracket(const Token *token)
{
  static const char *const words[] = { "seq", "map", "optional", "sparse_tensor", "opaque" };
  return token->kind == TOKEN_WORD && str_is_one_of(token->text, words, COUNT(words));
}

/// Whether nothing is between a token and the one before it on its line.
static bool is_joined(const Formatter *formatter, const Token *token)
{
  const Token *before = &formatter->before;
  Inside inside = inside_now(formatter);
  if (before->kind == TOKEN_END || opens(before) || is_sign(before, '.') || is_sign(before, '@'))
    return true;
  if (closes(token) || is_sign(token, ',') || is_sign(token, '.'))
    return true;
  if (is_sign(before, ','))
    return inside == INSIDE_SHAPE;
  if (is_sign(token, ':'))
    return before->kind != TOKEN_STRING || inside != INSIDE_LIST || !str_equal(formatter->key, STR("opset_import"));
  if (is_sign(before, ':'))  // Of an operator and its overload.
    return inside == INSIDE_BODY;
  if (is_sign(token, '['))
    return before->kind == TOKEN_WORD && onnx_element_of(before->text) != 0;
  return is_sign(token, '(') && is_type_with_bracket(before);
}

static void new_line(Formatter *formatter, uint32_t indent)
{
  while (formatter->out.len > 0 && formatter->out.data[formatter->out.len - 1] == ' ')
    formatter->out.len--;
  if (formatter->out.len > 0)
    buffer_append_char(&formatter->out, '\n');
  formatter->line_start = formatter->out.len;
  for (uint32_t i = 0; i < indent; i++)
    buffer_append_char(&formatter->out, ' ');
}

static void blank_line(Formatter *formatter)
{
  if (formatter->out.len > 0)
    buffer_append_char(&formatter->out, '\n');
}

/// Of a line that goes on with what is between brackets, or begins something.
static uint32_t line_indent(const Formatter *formatter)
{
  bool goes_on = formatter->open.count > 0 && !indents(inside_now(formatter));
  return (formatter->depth + (goes_on ? 2 : 0)) * STEP;
}

// --- Writing ---

static void put_comment(Formatter *formatter, const Token *token)
{
  bool is_alone = token->has_break || formatter->out.len == 0 || formatter->needs_line;
  if (is_alone) {
    if (token->has_blank)
      blank_line(formatter);
    new_line(formatter, line_indent(formatter));
  } else {
    buffer_append(&formatter->out, STR("  "));
  }
  buffer_append(&formatter->out, token->text);
  formatter->needs_line = true;
  if (formatter->open.count > 0)
    vec_last(&formatter->open)->has_lines = true;
}

/// A long list of values goes on in the next line.
static bool wraps(const Formatter *formatter)
{
  Inside inside = inside_now(formatter);
  bool is_list = is_sign(&formatter->before, ',') && (inside == INSIDE_DATA || inside == INSIDE_LIST);
  return is_list && formatter->out.len - formatter->line_start >= WIDTH;
}

static void put_space(Formatter *formatter, const Token *token, bool is_node)
{
  bool opens_infos = is_sign(token, '<') && formatter->closed == INSIDE_OUTPUTS;
  bool is_function = formatter->closed == INSIDE_BODY && formatter->open.count == 0;
  if (begins_line(formatter, token, is_node)) {
    bool parts_nodes = is_node && token->has_blank && !is_sign(&formatter->before, '{');
    if (parts_nodes || (is_function && !formatter->needs_line))
      blank_line(formatter);
    uint32_t outside = (formatter->depth - (closes(token) && indents(inside_now(formatter)))) * STEP;
    new_line(formatter, closes(token) || opens_infos ? outside : line_indent(formatter));
  } else if (wraps(formatter)) {
    new_line(formatter, line_indent(formatter));
  } else if (!is_joined(formatter, token)) {
    buffer_append_char(&formatter->out, ' ');
  }
}

static void put(Formatter *formatter, const Token *token)
{
  bool is_node = is_node_start(formatter, token);
  put_space(formatter, token, is_node);
  buffer_append(&formatter->out, token->text);
  formatter->needs_line = false;
  if (token->kind == TOKEN_WORD)
    formatter->key = inside_now(formatter) == INSIDE_HEADER ? token->text
                     : inside_now(formatter) == INSIDE_LIST ? formatter->key
                                                            : (Str){ 0 };
  Inside closed = INSIDE_NOTHING;
  if (opens(token)) {
    Inside inside = inside_opened(formatter, token);
    vec_push(&formatter->open, (OpenBracket){ .inside = inside });
    formatter->depth += indents(inside);
  } else if (closes(token) && formatter->open.count > 0) {
    closed = inside_now(formatter);
    formatter->open.count--;
    formatter->depth -= indents(closed);
  }
  formatter->closed = closed;
  formatter->before = *token;
}

static void lay_out(Formatter *formatter)
{
  for (Token token = next_token(formatter); token.kind != TOKEN_END; token = next_token(formatter)) {
    if (token.kind == TOKEN_COMMENT)
      put_comment(formatter, &token);
    else
      put(formatter, &token);
  }
  new_line(formatter, 0);
}

static int compare_offsets(const void *left, const void *right)
{
  uint32_t a = *(const uint32_t *)left;
  uint32_t b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

static void list_nodes(Formatter *formatter, const OnnxModel *model)
{
  for (size_t i = 0; i < model->events.count; i++) {
    if (model->events.items[i].kind == ONNX_AT_NODE)
      vec_push(&formatter->nodes, model->events.items[i].node->at.start);
  }
  vec_sort(&formatter->nodes, compare_offsets);
}

static Str lay_out_model(Str text, const OnnxModel *model, Arena *arena)
{
  Formatter formatter = { .text = text, .closed = INSIDE_NOTHING };
  list_nodes(&formatter, model);
  lay_out(&formatter);
  Str laid_out = arena_copy(arena, buffer_str(&formatter.out));
  vec_free(&formatter.nodes);
  vec_free(&formatter.open);
  buffer_done(&formatter.out);
  return laid_out;
}

/// Whether a layout says what the text said, and stays: it has as many nodes, and no mistake either.
static bool is_kept(const OnnxModel *model, Str laid_out)
{
  OnnxModel again;
  Arena tree = { 0 };
  onnx_tree_read(&again, &(OnnxSource){ .text = laid_out }, &tree);
  bool is_same = again.mistakes.count == 0 && again.events.count == model->events.count &&
                 str_equal(lay_out_model(laid_out, &again, &tree), laid_out);
  onnx_tree_done(&again);
  arena_done(&tree);
  return is_same;
}

bool onnx_format(Str text, Arena *arena, Str *ret_text)
{
  OnnxModel model;
  Arena tree = { 0 };
  onnx_tree_read(&model, &(OnnxSource){ .text = text }, &tree);
  bool is_good = model.mistakes.count == 0 && model.graph;
  if (is_good) {
    *ret_text = lay_out_model(text, &model, arena);
    is_good = is_kept(&model, *ret_text);
    if (!is_good)
      *ret_text = STR("it has characters that ONNX text has not");
  } else {
    *ret_text = model.mistakes.count > 0 ? arena_copy(arena, model.mistakes.items[0].message) : STR("it has no graph");
  }
  onnx_tree_done(&model);
  arena_done(&tree);
  return is_good;
}
