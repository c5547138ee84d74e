/// What the files of the plain reader share. Private to plain_*.c.
///
/// Reading goes by recursive descent, one token ahead, at most PY_PLAIN_DEPTH levels deep. A node is appended after
/// those below it, since `a + b` and `a.b` are known only once `a` was read.
///
/// Errors:    every function that returns a bool returns false for what is not plain, and then nothing is to be used.
/// Threads:   a Plain is used by one thread.
#pragma once

#include "base/limits.h"
#include "python/syntax/plain_python.h"
#include "python/syntax/python_parts.h"

typedef enum TokenKind {
  TOKEN_BAD,  ///< Nothing plain begins with it.
  TOKEN_END,
  TOKEN_NEWLINE,  ///< The end of a statement's line; no bytes, after a comment at the end of the line.
  TOKEN_NAME,
  TOKEN_INTEGER,
  TOKEN_FLOAT,
  TOKEN_STRING,  ///< Up to the opening quote; plain_string() reads the rest.
  // Keywords.
  TOKEN_AND,
  TOKEN_AS,
  TOKEN_ASSERT,
  TOKEN_ASYNC,
  TOKEN_AWAIT,
  TOKEN_BREAK,
  TOKEN_CLASS,
  TOKEN_CONTINUE,
  TOKEN_DEF,
  TOKEN_DEL,
  TOKEN_ELIF,
  TOKEN_ELSE,
  TOKEN_EXCEPT,
  TOKEN_FALSE,
  TOKEN_FINALLY,
  TOKEN_FOR,
  TOKEN_FROM,
  TOKEN_GLOBAL,
  TOKEN_IF,
  TOKEN_IMPORT,
  TOKEN_IN,
  TOKEN_IS,
  TOKEN_LAMBDA,
  TOKEN_NONE,
  TOKEN_NONLOCAL,
  TOKEN_NOT,
  TOKEN_OR,
  TOKEN_PASS,
  TOKEN_RAISE,
  TOKEN_RETURN,
  TOKEN_TRUE,
  TOKEN_TRY,
  TOKEN_WHILE,
  TOKEN_WITH,
  TOKEN_YIELD,
  // Signs.
  TOKEN_OPEN_PAREN,
  TOKEN_OPEN_BRACKET,
  TOKEN_OPEN_BRACE,
  TOKEN_CLOSE_PAREN,
  TOKEN_CLOSE_BRACKET,
  TOKEN_CLOSE_BRACE,
  TOKEN_COMMA,
  TOKEN_COLON,
  TOKEN_SEMICOLON,
  TOKEN_DOT,
  TOKEN_ELLIPSIS,
  TOKEN_ARROW,
  TOKEN_ASSIGN,     ///< `=`
  TOKEN_WALRUS,     ///< `:=`
  TOKEN_AUGMENTED,  ///< `+=` and its like.
  TOKEN_BANG,       ///< `!` of an f-string.
  TOKEN_COMPARE,    ///< `<`, `>`, `==`, `!=`, `<=`, `>=`
  TOKEN_BIT_OR,
  TOKEN_BIT_AND,
  TOKEN_XOR,
  TOKEN_SHIFT,
  TOKEN_PLUS,
  TOKEN_MINUS,
  TOKEN_TILDE,
  TOKEN_STAR,
  TOKEN_SLASH,
  TOKEN_AT,
  TOKEN_TIMES,  ///< `//`, `%`
  TOKEN_POWER,
  TOKEN_KIND_COUNT,
} TokenKind;

/// How strongly operators bind.
/// Source: PREC in grammar.js, which has `^` above `&`.
enum {
  LEVEL_OR = 10,
  LEVEL_AND,
  LEVEL_NOT,
  LEVEL_COMPARE,
  LEVEL_BIT_OR,
  LEVEL_BIT_AND,
  LEVEL_XOR,
  LEVEL_SHIFT,
  LEVEL_PLUS,
  LEVEL_TIMES,
  LEVEL_UNARY,
  LEVEL_POWER,
};

typedef struct Token {
  TokenKind kind;
  uint32_t start;
  uint32_t end;
} Token;

typedef struct Plain {
  Str text;
  PlainPython *room;
  size_t at;              ///< After the token.
  Token token;            ///< The next one.
  uint32_t end;           ///< Of the token before it; where a line or block ended, of that.
  uint32_t depth;         ///< Of open brackets.
  uint32_t format_depth;  ///< Of f-strings whose braces are open.
  uint32_t level;         ///< Of recursion.
  uint32_t indent;        ///< Of the line whose first token was read last, as the grammar's scanner counts.
  uint32_t block_indent;  ///< Of the block.
  uint32_t comment_at;    ///< Which of the comments above the line is the next one.
  bool may_go_on;     ///< The line has a list without brackets that may be targets, so the next line may belong to it.
  bool may_be_print;  ///< The statement begins with a word like `print`, so that the grammar has two readings.
} Plain;

// --- Tokens (plain_token.c) ---

/// Reads the first line.
void plain_begin(Plain *p);
/// Steps over the token.
void plain_next(Plain *p);
/// Reads a token at `p->at`, which is in a line.
void plain_read_token(Plain *p);

static inline bool plain_is(const Plain *p, TokenKind kind)
{
  return p->token.kind == kind;
}

/// A name or a keyword.
static inline bool plain_is_word(const Plain *p)
{
  return p->token.kind == TOKEN_NAME || (p->token.kind >= TOKEN_AND && p->token.kind <= TOKEN_YIELD);
}

/// Steps over a token of this kind, if it is one.
static inline bool plain_take(Plain *p, TokenKind kind)
{
  if (p->token.kind != kind)
    return false;
  plain_next(p);
  return true;
}

// --- Nodes ---

static inline uint32_t plain_mark(const Plain *p)
{
  return (uint32_t)p->room->nodes.count;
}

/// Appends a node, with all from number `first` on below it.
static inline void plain_add(Plain *p, PyNodeKind kind, uint32_t first, uint32_t start, uint32_t end)
{
  vec_push(&p->room->nodes, ((PlainNode){ .kind = (uint8_t)kind, .first = first, .start = start, .end = end }));
}

/// A node that is the token, which is stepped over.
static inline bool plain_add_token(Plain *p, PyNodeKind kind)
{
  plain_add(p, kind, plain_mark(p), p->token.start, p->token.end);
  plain_next(p);
  return true;
}

/// What the last node is to the one above it.
static inline void plain_field(Plain *p, PyField field)
{
  vec_last(&p->room->nodes)->field = (uint8_t)field;
}

static inline PyNodeKind plain_last_kind(const Plain *p)
{
  return (PyNodeKind)vec_last(&p->room->nodes)->kind;
}

// --- Strings (plain_string.c) ---

/// The rest of the string, one string; `p->token.end` and `p->at` are after it.
bool plain_string(Plain *p);

// --- Expressions (plain_expression.c) ---

bool plain_expression(Plain *p);
/// A name, literal or bracket, and what is called, indexed or taken of it.
bool plain_primary(Plain *p);
/// `(a, b=1)` after a class's name.
bool plain_arguments(Plain *p);

// --- Lists and targets (plain_items.c) ---

/// Expressions and commas as siblings; says whether there was a comma.
bool plain_items(Plain *p, bool *ret_has_comma);
/// One expression, or an expression_list.
bool plain_expressions(Plain *p);
/// The keyword and what follows it.
bool plain_yield(Plain *p);
/// The targets of a loop, up to `in`.
bool plain_targets(Plain *p);
/// Makes a pattern of the last node, an expression.
bool plain_to_pattern(Plain *p);

// --- Parameters (plain_params.c) ---

/// Parameters up to the token `close`, which is left; `has_types` where annotations may be.
bool plain_params(Plain *p, TokenKind close, bool has_types);
bool plain_type(Plain *p);

// --- Statements (plain_statement.c, plain_block.c) ---

/// Any word, which is a name where nothing else may be.
bool plain_name(Plain *p, PyField field);
/// Simple statements up to the end of the line, which is stepped over.
bool plain_simple_line(Plain *p);
bool plain_statement(Plain *p);
