// Tokens of plain Python, and how lines are indented.

#include "python/syntax/plain_private.h"

enum { TAB_WIDTH = 8, WIDEST_INDENT = 200 };  // The scanner keeps 8 bits of an indentation.

static char char_at(const Plain *p, size_t at)
{
  return at < p->text.len ? p->text.data[at] : '\0';
}

/// The length of a line end; 0 for none. A carriage return alone is none that everybody reads as one.
static size_t line_end_len(const Plain *p, size_t at)
{
  char c = char_at(p, at);
  return c == '\n' ? 1 : c == '\r' && char_at(p, at + 1) == '\n' ? 2 : 0;
}

static uint32_t skip_indent(Plain *p)
{
  uint32_t indent = 0;
  for (; ascii_is_blank(char_at(p, p->at)); p->at++)
    indent += p->text.data[p->at] == '\t' ? TAB_WIDTH : 1;
  return indent;
}

static void skip_comment(Plain *p)
{
  size_t end = str_find_char(p->text, '\n', p->at);
  p->at = end == STR_NOT_FOUND ? p->text.len : end;
}

static void begin_token(Plain *p)
{
  p->token = (Token){ TOKEN_BAD, (uint32_t)p->at, (uint32_t)p->at };
}

static void end_token(Plain *p, TokenKind kind, size_t end)
{
  p->token.kind = kind;
  p->token.end = (uint32_t)end;
  p->at = end;
}

// --- Lines ---

/// Goes on to the next line that has more than a comment.
static void begin_line(Plain *p)
{
  p->room->comments.count = 0;
  p->comment_at = 0;
  for (;;) {
    p->indent = skip_indent(p);
    size_t len = line_end_len(p, p->at);
    if (p->at >= p->text.len) {
      p->indent = 0;
      begin_token(p);
      p->token.kind = TOKEN_END;
      return;
    }
    if (len > 0) {
      p->at += len;
    } else if (p->text.data[p->at] == '#') {
      skip_comment(p);
      vec_push(&p->room->comments, ((PlainComment){ p->indent, (uint32_t)p->at }));
    } else {
      bool is_plain = p->indent <= WIDEST_INDENT && p->text.data[p->at] != '\\';
      plain_read_token(p);
      if (!is_plain)
        p->token.kind = TOKEN_BAD;
      return;
    }
  }
}

/// A line ends in brackets. The scanner may take what is further left than the block for the block's end.
static bool skip_lines(Plain *p)
{
  for (;;) {
    size_t len = line_end_len(p, p->at);
    if (len == 0)
      return true;
    p->at += len;
    uint32_t indent = skip_indent(p);
    bool is_blank = line_end_len(p, p->at) > 0;
    if (p->format_depth > 0 || char_at(p, p->at) == '\\' || (!is_blank && indent < p->block_indent))
      return false;
    if (char_at(p, p->at) == '#')
      skip_comment(p);
  }
}

/// A backslash at the end of a line goes on with the next one, where there is something.
static bool skip_continuation(Plain *p)
{
  size_t len = line_end_len(p, p->at + 1);
  p->at += 1 + len;
  skip_indent(p);
  char c = char_at(p, p->at);
  return len > 0 && p->format_depth == 0 && c != '\0' && c != '#' && c != '\\' && line_end_len(p, p->at) == 0;
}

/// To the next token, or the end of the line, if it is in no brackets.
static bool skip_blanks(Plain *p)
{
  for (;;) {
    while (ascii_is_blank(char_at(p, p->at)))
      p->at++;
    char c = char_at(p, p->at);
    bool is_plain = true;
    if (c == '\\')
      is_plain = skip_continuation(p);
    else if (p->depth > 0 && (c == '\n' || c == '\r') && line_end_len(p, p->at) > 0)
      is_plain = skip_lines(p);
    else if (p->depth > 0 && c == '#' && p->format_depth == 0)
      skip_comment(p);
    else
      return true;
    if (!is_plain)
      return false;
  }
}

// --- Words ---

typedef struct Keyword {
  Str word;
  TokenKind kind;
} Keyword;

/// By their first letters.
static const Keyword keywords[] = {
  { STR_INIT("False"), TOKEN_FALSE },
  { STR_INIT("None"), TOKEN_NONE },
  { STR_INIT("True"), TOKEN_TRUE },
  { STR_INIT("and"), TOKEN_AND },
  { STR_INIT("as"), TOKEN_AS },
  { STR_INIT("assert"), TOKEN_ASSERT },
  { STR_INIT("async"), TOKEN_ASYNC },
  { STR_INIT("await"), TOKEN_AWAIT },
  { STR_INIT("break"), TOKEN_BREAK },
  { STR_INIT("class"), TOKEN_CLASS },
  { STR_INIT("continue"), TOKEN_CONTINUE },
  { STR_INIT("def"), TOKEN_DEF },
  { STR_INIT("del"), TOKEN_DEL },
  { STR_INIT("elif"), TOKEN_ELIF },
  { STR_INIT("else"), TOKEN_ELSE },
  { STR_INIT("except"), TOKEN_EXCEPT },
  { STR_INIT("finally"), TOKEN_FINALLY },
  { STR_INIT("for"), TOKEN_FOR },
  { STR_INIT("from"), TOKEN_FROM },
  { STR_INIT("global"), TOKEN_GLOBAL },
  { STR_INIT("if"), TOKEN_IF },
  { STR_INIT("import"), TOKEN_IMPORT },
  { STR_INIT("in"), TOKEN_IN },
  { STR_INIT("is"), TOKEN_IS },
  { STR_INIT("lambda"), TOKEN_LAMBDA },
  { STR_INIT("nonlocal"), TOKEN_NONLOCAL },
  { STR_INIT("not"), TOKEN_NOT },
  { STR_INIT("or"), TOKEN_OR },
  { STR_INIT("pass"), TOKEN_PASS },
  { STR_INIT("raise"), TOKEN_RAISE },
  { STR_INIT("return"), TOKEN_RETURN },
  { STR_INIT("try"), TOKEN_TRY },
  { STR_INIT("while"), TOKEN_WHILE },
  { STR_INIT("with"), TOKEN_WITH },
  { STR_INIT("yield"), TOKEN_YIELD },
};

enum { LONGEST_KEYWORD = 8 };

/// Where in `keywords` those with this first letter begin, plus 1; 0 for none.
static const uint8_t keywords_from[128] = {
  ['F'] = 1,  ['N'] = 2,  ['T'] = 3,  ['a'] = 4,  ['b'] = 9,  ['c'] = 10, ['d'] = 12,
  ['e'] = 14, ['f'] = 17, ['g'] = 20, ['i'] = 21, ['l'] = 25, ['n'] = 26, ['o'] = 28,
  ['p'] = 29, ['r'] = 30, ['t'] = 32, ['w'] = 33, ['y'] = 35,
};

static TokenKind word_kind(Str word)
{
  if (word.len > LONGEST_KEYWORD)
    return TOKEN_NAME;
  uint8_t from = keywords_from[(unsigned char)word.data[0]];
  for (size_t i = from; from > 0 && i <= COUNT(keywords) && keywords[i - 1].word.data[0] == word.data[0]; i++) {
    if (str_equal(keywords[i - 1].word, word))
      return keywords[i - 1].kind;
  }
  return TOKEN_NAME;
}

/// What a string may begin with. The scanner takes any number of them.
static bool is_string_prefix(Str word)
{
  static const bool letters[128] = {
    ['b'] = true, ['B'] = true, ['f'] = true, ['F'] = true, ['r'] = true, ['R'] = true, ['u'] = true, ['U'] = true
  };
  for (size_t i = 0; i < word.len; i++) {
    if ((unsigned char)word.data[i] >= sizeof(letters) || !letters[(unsigned char)word.data[i]])
      return false;
  }
  return true;
}

static bool is_quote(char c)
{
  return c == '"' || c == '\'';
}

static void read_word(Plain *p)
{
  size_t end = p->at;
  while (end < p->text.len && ascii_is_word(p->text.data[end]))
    end++;
  Str word = str_slice(p->text, p->at, end);
  char next = char_at(p, end);
  if ((unsigned char)next >= 0x80)
    return;
  end_token(p, is_quote(next) && is_string_prefix(word) ? TOKEN_STRING : word_kind(word), end);
}

// --- Numbers ---

/// Digits, each with an underscore after it at most.
static size_t skip_digits(const Plain *p, size_t at)
{
  while (ascii_is_digit(char_at(p, at)))
    at += char_at(p, at + 1) == '_' ? 2 : 1;
  return at;
}

static size_t skip_exponent(const Plain *p, size_t at)
{
  if (ascii_to_lower(char_at(p, at)) != 'e')
    return at;
  char sign = char_at(p, at + 1);
  size_t digits = at + (sign == '+' || sign == '-' ? 2 : 1);
  size_t end = skip_digits(p, digits);
  return end > digits ? end : at;
}

static size_t skip_hexadecimal(const Plain *p, size_t at)
{
  while (ascii_hex_value(char_at(p, at)) >= 0)
    at++;
  return at;
}

static void read_number(Plain *p)
{
  size_t at = p->at;
  TokenKind kind = TOKEN_INTEGER;
  if (char_at(p, at) == '0' && ascii_to_lower(char_at(p, at + 1)) == 'x' && ascii_hex_value(char_at(p, at + 2)) >= 0) {
    at = skip_hexadecimal(p, at + 2);
  } else {
    size_t digits = skip_digits(p, at);
    size_t whole = char_at(p, digits) == '.' ? skip_digits(p, digits + 1) : digits;
    size_t end = skip_exponent(p, whole);
    kind = end > digits ? TOKEN_FLOAT : TOKEN_INTEGER;
    at = ascii_to_lower(char_at(p, end)) == 'j' ? end + 1 : end;
  }
  // What touches a number has other readings: `1.real`, `0o17`, `1if x else 2`.
  char next = char_at(p, at);
  if (!py_is_name_char(next) && next != '.')
    end_token(p, kind, at);
}

// --- Signs ---

/// What a sign is alone, and before another character: `<` may be `<=` or `<<`, and that `<<=`.
typedef struct Sign {
  TokenKind kind;
  TokenKind with_equal;  ///< TOKEN_BAD if it is none then.
  TokenKind twice;       ///< The same.
} Sign;

static const Sign signs[128] = {
  ['('] = { TOKEN_OPEN_PAREN, 0, 0 },
  [')'] = { TOKEN_CLOSE_PAREN, 0, 0 },
  ['['] = { TOKEN_OPEN_BRACKET, 0, 0 },
  [']'] = { TOKEN_CLOSE_BRACKET, 0, 0 },
  ['{'] = { TOKEN_OPEN_BRACE, 0, 0 },
  ['}'] = { TOKEN_CLOSE_BRACE, 0, 0 },
  [','] = { TOKEN_COMMA, 0, 0 },
  [';'] = { TOKEN_SEMICOLON, 0, 0 },
  ['~'] = { TOKEN_TILDE, 0, 0 },
  [':'] = { TOKEN_COLON, TOKEN_WALRUS, 0 },
  ['='] = { TOKEN_ASSIGN, TOKEN_COMPARE, 0 },
  ['!'] = { TOKEN_BANG, TOKEN_COMPARE, 0 },
  ['+'] = { TOKEN_PLUS, TOKEN_AUGMENTED, 0 },
  ['-'] = { TOKEN_MINUS, TOKEN_AUGMENTED, 0 },
  ['%'] = { TOKEN_TIMES, TOKEN_AUGMENTED, 0 },
  ['@'] = { TOKEN_AT, TOKEN_AUGMENTED, 0 },
  ['|'] = { TOKEN_BIT_OR, TOKEN_AUGMENTED, 0 },
  ['&'] = { TOKEN_BIT_AND, TOKEN_AUGMENTED, 0 },
  ['^'] = { TOKEN_XOR, TOKEN_AUGMENTED, 0 },
  ['*'] = { TOKEN_STAR, TOKEN_AUGMENTED, TOKEN_POWER },
  ['/'] = { TOKEN_SLASH, TOKEN_AUGMENTED, TOKEN_TIMES },
  ['<'] = { TOKEN_COMPARE, TOKEN_COMPARE, TOKEN_SHIFT },
  ['>'] = { TOKEN_COMPARE, TOKEN_COMPARE, TOKEN_SHIFT },
};

static void read_sign(Plain *p, char c)
{
  Sign sign = (unsigned char)c < COUNT(signs) ? signs[(unsigned char)c] : (Sign){ 0 };
  char next = char_at(p, p->at + 1);
  if (next == '=' && sign.with_equal)
    end_token(p, sign.with_equal, p->at + 2);
  else if (next == c && sign.twice && char_at(p, p->at + 2) == '=')
    end_token(p, TOKEN_AUGMENTED, p->at + 3);
  else if (next == c && sign.twice)
    end_token(p, sign.twice, p->at + 2);
  else if (c == '-' && next == '>')
    end_token(p, TOKEN_ARROW, p->at + 2);
  else if (c == '<' && next == '>')
    return;
  else if (sign.kind)
    end_token(p, sign.kind, p->at + 1);
}

static void read_dot(Plain *p)
{
  if (ascii_is_digit(char_at(p, p->at + 1)))
    read_number(p);
  else if (char_at(p, p->at + 1) == '.' && char_at(p, p->at + 2) == '.')
    end_token(p, TOKEN_ELLIPSIS, p->at + 3);
  else
    end_token(p, TOKEN_DOT, p->at + 1);
}

/// The line ends, or the text.
static void read_newline(Plain *p)
{
  uint32_t end = p->end;
  if (char_at(p, p->at) == '#') {
    skip_comment(p);
    end = (uint32_t)p->at;
  }
  p->token = (Token){ TOKEN_NEWLINE, end, end };
}

void plain_read_token(Plain *p)
{
  bool is_plain = skip_blanks(p);
  begin_token(p);
  if (!is_plain)
    return;
  char c = char_at(p, p->at);
  bool is_end = p->at >= p->text.len || c == '#' || line_end_len(p, p->at) > 0;
  if (is_end && p->depth == 0)
    read_newline(p);
  else if (is_end)
    return;
  else if (ascii_is_letter(c) || c == '_')
    read_word(p);
  else if (ascii_is_digit(c))
    read_number(p);
  else if (is_quote(c))
    end_token(p, TOKEN_STRING, p->at);
  else if (c == '.')
    read_dot(p);
  else
    read_sign(p, c);
}

void plain_next(Plain *p)
{
  p->end = p->token.end;
  switch (p->token.kind) {
  case TOKEN_NEWLINE:
    begin_line(p);
    return;
  case TOKEN_OPEN_PAREN:
  case TOKEN_OPEN_BRACKET:
  case TOKEN_OPEN_BRACE:
    p->depth++;
    break;
  case TOKEN_CLOSE_PAREN:
  case TOKEN_CLOSE_BRACKET:
  case TOKEN_CLOSE_BRACE:
    if (p->depth == 0) {
      p->token.kind = TOKEN_BAD;
      return;
    }
    p->depth--;
    break;
  case TOKEN_BAD:
  case TOKEN_END:
    return;
  default:
    break;
  }
  plain_read_token(p);
}

void plain_begin(Plain *p)
{
  begin_line(p);
}
