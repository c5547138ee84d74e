// What kind of line is this?
//
// Prose can look like IR for a while, so a line's first token is given out only after a look at what
// follows. A line that begins like IR needs little proof: if it turns out damaged, it shall be
// reported. IR after a log's prefix must be whole, because words can come before anything.

#ifndef TORCH_IR_LINE_START_H
#define TORCH_IR_LINE_START_H

#include "proofs.h"
#include "take.h"
#include "tokens.h"

// ---- IR inside a line ---------------------------------------------------------------------------

// What comes before a place inside a line.
typedef struct Prefix {
  int32_t last;  // The last character that is not blank.
  int clock;     // How much of `12:34` came last: 1-2 digits, 3 the colon, 4-5 digits.
  bool has_clock;
} Prefix;

static void prefix_add(Prefix *prefix, int32_t c)
{
  if (is_digit(c))
    prefix->clock += prefix->clock != 2 && prefix->clock < 5;
  else
    prefix->clock = c == ':' && prefix->clock == 2 ? 3 : 0;
  prefix->has_clock = prefix->has_clock || prefix->clock == 5;
  prefix->last = c;
}

// Whether a logger or a quoting mark wrote the prefix, rather than somebody in words. Then forms
// count that would prove little by themselves.
static bool prefix_is_logger(const Prefix *prefix)
{
  switch (prefix->last) {
  case '|':
  case ']':
  case '>':
  case '+':
  case '-':
    return true;
  default:
    return prefix->has_clock;
  }
}

// Is there IR from here to the line's end?
static bool check_embedded(TSLexer *lexer, const Prefix *prefix)
{
  bool logger = prefix_is_logger(prefix);
  bool labelled = logger || prefix->last == ':';
  List list = { 0 };
  switch (peek(lexer)) {
  case '%':
    switch (check_whole_list(lexer, &list)) {
    case LIST_ASSIGNED:
      take_blanks(lexer);
      return (labelled || (list.typed && !list.has_blank)) && check_call(lexer);
    case LIST_PARAMETERS:
      return logger;
    case LIST_BAD:
      return false;
    }
    return false;
  case 'g':
    if (!take_word(lexer, "graph"))
      return false;
    if (take_char(lexer, '('))
      return check_parameters(lexer);
    return logger && is_blank(peek(lexer)) && check_printable_header(lexer);
  case 'w':
    return take_word(lexer, "with") && check_with(lexer);
  case '=':
    take(lexer);
    if (!logger || !is_blank(peek(lexer)))
      return false;
    take_blanks(lexer);
    return check_call(lexer);
  case 'b':
    return labelled && take_word(lexer, "block") && take_digits(lexer) && take_char(lexer, '(') &&
           check_parameters(lexer);
  case 'r':
    if (!labelled || !take_word(lexer, "return"))
      return false;
    take_blanks(lexer);
    if (take_char(lexer, '('))
      return check_refs_and_tail(lexer);
    return logger && peek(lexer) == '%';
  case '-':
    if (!labelled || !take_word(lexer, "->"))
      return false;
    take_blanks(lexer);
    return take_char(lexer, '(') && check_refs_and_tail(lexer);
  case '}':
    take(lexer);
    return logger && only_blanks_left(lexer);
  case ')':
    take(lexer);
    return logger && (take_char(lexer, ':') || take_printable_section(lexer)) && only_blanks_left(lexer);
  default:
    return false;
  }
}

// Looks for IR inside a line that is none from its start. Either a log's prefix comes first, or it
// is the last line of Python arguments that began further up, or it is text. `closing` is the
// bracket that can end what began further up. Where a candidate fails the search goes on from
// there, not from the candidate, so it stays linear.
static bool scan_embedded(TSLexer *lexer, const bool *valid, int32_t last, int32_t closing)
{
  Prefix prefix = { .last = last };
  while (!at_end(lexer)) {
    int32_t c = peek(lexer);
    if (is_blank(c)) {
      mark(lexer);
      take_blanks(lexer);
      prefix.clock = 0;
    } else {
      prefix_add(&prefix, c);
      take(lexer);
      if ((c == ')' || c == closing) && peek(lexer) == '(') {
        mark(lexer);
        take(lexer);
        bool empty, has_tail;
        if (check_refs(lexer, &empty) && check_tail(lexer, &has_tail) && (has_tail || !empty))
          return emit(lexer, PYTHON_TAIL);
        continue;
      }
      if (c != '(' && c != ':' && c != '|' && c != '>' && c != ']')
        continue;
      mark(lexer);
      take_blanks(lexer);
    }
    if (check_embedded(lexer, &prefix) && valid[LOG_PREFIX])
      return emit(lexer, LOG_PREFIX);
  }
  if (!valid[TEXT_LINE])
    return false;
  mark(lexer);
  return emit(lexer, TEXT_LINE);
}

// ---- IR from the start of a line ----------------------------------------------------------------
// Each returns false when it isn't what it seemed; the search for a prefix then goes on from there.

// After a log's prefix all proofs have been given: `sure`.
static bool scan_definition(TSLexer *lexer, bool sure)
{
  bool has_blank;
  take(lexer);
  // Quoted names are those of onnx_ir, another format.
  if (peek(lexer) == '"')
    return false;
  enum NameEnd end = take_defined_name(lexer, true, &has_blank);
  List list = { 0 };
  if (!sure) {
    switch (end) {
    case NAME_TYPED:
      sure = check_type_head(lexer);
      break;
    case NAME_ASSIGNED:
      sure = check_call_head(lexer, has_blank);
      break;
    case NAME_LISTED: {
      enum ListEnd list_end = check_list(lexer, end, &list);
      sure = list_end == LIST_PARAMETERS || (list_end == LIST_ASSIGNED && check_call_head(lexer, has_blank));
      break;
    }
    case NAME_CLOSED:
      sure = !has_blank && !at_end(lexer);
      break;
    case NAME_COMMA:
      sure = !has_blank;
      break;
    case NAME_BRACKET:
      sure = true;
      break;
    case NAME_CUT:
      break;
    }
  }
  return sure && emit(lexer, LINE_NAME);
}

// Whether a list of references begins here, or the line has been cut.
static bool at_list_of_names(TSLexer *lexer)
{
  take_blanks(lexer);
  return peek(lexer) == '%' || peek(lexer) == ')' || at_end(lexer);
}

static bool scan_graph(TSLexer *lexer)
{
  if (!take_word(lexer, "graph"))
    return false;
  mark(lexer);
  if (take_char(lexer, '('))
    return at_list_of_names(lexer) && emit(lexer, GRAPH);
  return is_blank(peek(lexer)) && check_printable_header(lexer) && emit(lexer, PRINTABLE_GRAPH);
}

static bool scan_with(TSLexer *lexer)
{
  if (!take_word(lexer, "with"))
    return false;
  mark(lexer);
  return check_with(lexer) && emit(lexer, WITH);
}

static bool scan_block(TSLexer *lexer)
{
  if (!take_word(lexer, "block") || !take_digits(lexer))
    return false;
  mark(lexer);
  return take_char(lexer, '(') && at_list_of_names(lexer) && emit(lexer, BLOCK_NAME);
}

static bool scan_return(TSLexer *lexer, uint32_t indent)
{
  if (!take_word(lexer, "return"))
    return false;
  mark(lexer);
  // A printable graph without outputs; with another indent it is a line of Python.
  if (only_blanks_left(lexer))
    return indent == 2 && emit(lexer, RETURN);
  if (take_char(lexer, '('))
    return at_list_of_names(lexer) && !at_end(lexer) && emit(lexer, RETURN);
  return peek(lexer) == '%' && emit(lexer, RETURN);
}

// `-> (` or `---------------- stage 1 ----------------`.
static bool scan_dash(TSLexer *lexer)
{
  take(lexer);
  if (take_char(lexer, '>')) {
    mark(lexer);
    take_blanks(lexer);
    return take_char(lexer, '(') && at_list_of_names(lexer) && emit(lexer, ARROW);
  }
  if (peek(lexer) != '-')
    return false;
  while (take_char(lexer, '-'))
    ;
  if (!take_word(lexer, " stage ") || !take_digits(lexer) || !take_word(lexer, " -"))
    return false;
  while (take_char(lexer, '-'))
    ;
  mark(lexer);
  return only_blanks_left(lexer) && emit(lexer, STAGE_SEPARATOR);
}

// ` = prim::Print(%x)`: a statement without outputs.
static bool scan_assignment(TSLexer *lexer)
{
  take(lexer);
  mark(lexer);
  return is_blank(peek(lexer)) && check_call_head(lexer, true) && emit(lexer, LINE_ASSIGN);
}

// `) {`, `) initializers (`, or `):` on a line of its own.
static bool scan_close(TSLexer *lexer)
{
  take(lexer);
  if (peek(lexer) == ':') {
    while (take_char(lexer, ':'))
      ;
    mark(lexer);
    take_blanks(lexer);
    return at_end_or_comment(lexer) && emit(lexer, LINE_HEADER_END);
  }
  if (peek(lexer) == '(') {
    // Raw Python arguments can break right before their last bracket.
    mark(lexer);
    take(lexer);
    bool empty, has_tail;
    return check_refs(lexer, &empty) && check_tail(lexer, &has_tail) && (has_tail || !empty) &&
           emit(lexer, PYTHON_TAIL);
  }
  if (!take_printable_section(lexer))
    return false;
  mark(lexer);
  return only_blanks_left(lexer) && emit(lexer, PRINTABLE_SECTION);
}

static bool scan_closing_brace(TSLexer *lexer)
{
  take(lexer);
  mark(lexer);
  return only_blanks_left(lexer) && emit(lexer, CLOSING_BRACE);
}

// The first token of a line, or the first after a log's prefix.
static bool scan_line_start(TSLexer *lexer, const bool *valid, uint32_t indent)
{
  int32_t first = peek(lexer);
  bool found = false;
  switch (first) {
  case '%':
    found = scan_definition(lexer, !valid[TEXT_LINE]);
    break;
  case 'g':
    found = scan_graph(lexer);
    break;
  case 'w':
    found = scan_with(lexer);
    break;
  case 'b':
    found = scan_block(lexer);
    break;
  case 'r':
    found = scan_return(lexer, indent);
    break;
  case '-':
    found = scan_dash(lexer);
    break;
  case '=':
    found = scan_assignment(lexer);
    break;
  case ')':
    found = scan_close(lexer);
    break;
  case '}':
    found = scan_closing_brace(lexer);
    break;
  case '>':
    // Maybe the end of `<Type Proto ...>](%x)`.
    return scan_embedded(lexer, valid, 0, ']');
  default:
    return scan_embedded(lexer, valid, 0, 0);
  }
  return found || scan_embedded(lexer, valid, first == '-' ? '-' : 'x', 0);
}

#endif
