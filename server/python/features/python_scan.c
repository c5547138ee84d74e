#include "python/features/python_scan.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "python/syntax/python_parts.h"

// --- Tokens ---

/// A string that begins at the quotation mark `quote`: where it ends, and whether somebody closed it.
typedef struct StringToken {
  size_t quote_len;
  size_t content_end;
  size_t end;  ///< After the closing quotation mark.
} StringToken;

static bool closes_at(Str text, size_t at, char mark, size_t quote_len)
{
  return str_at(text, at) == mark && (quote_len == 1 || (str_at(text, at + 1) == mark && str_at(text, at + 2) == mark));
}

static StringToken read_string(Str text, size_t quote)
{
  char mark = text.data[quote];
  bool is_long = str_at(text, quote + 1) == mark && str_at(text, quote + 2) == mark;
  StringToken token = { .quote_len = is_long ? 3 : 1 };
  size_t at = quote + token.quote_len;
  while (at < text.len && !closes_at(text, at, mark, token.quote_len) && (is_long || text.data[at] != '\n'))
    at += text.data[at] == '\\' && at + 1 < text.len ? 2 : 1;
  token.content_end = at;
  token.end = closes_at(text, at, mark, token.quote_len) ? at + token.quote_len : at;
  return token;
}

/// After the name, string, comment or single character at `at`.
static size_t token_end(Str text, size_t at)
{
  char c = text.data[at];
  if (c == '"' || c == '\'')
    return read_string(text, at).end;
  if (c == '#')
    return str_line_end(text, at);
  if (c == '\\' && at + 1 < text.len)
    return at + 2;
  if (!py_is_name_char(c))
    return at + 1;
  while (at < text.len && py_is_name_char(text.data[at]))
    at++;
  return at;
}

// --- Lines ---

static size_t indentation(Str text, size_t line, size_t *ret_first)
{
  size_t column = 0;
  for (; ascii_is_blank(str_at(text, line)); line++)
    column = text.data[line] == '\t' ? (column / 8 + 1) * 8 : column + 1;
  *ret_first = line;
  return column;
}

/// Column of the first character at `first`.
static size_t column_of(Str text, size_t first)
{
  size_t line = first <= text.len ? first : 0;
  while (line > 0 && text.data[line - 1] != '\n')
    line--;
  size_t ignored;
  return indentation(text, line, &ignored);
}

/// Whether the line looks like the beginning of a statement, and not like a piece of an expression.
static bool begins_statement(Str text, size_t first)
{
  static const char *const operators[] = { "and", "or", "in", "is", "not", "as" };
  if (str_at(text, first) == '@')
    return py_is_name_char(str_at(text, first + 1));
  return py_is_name_char(str_at(text, first)) && !str_is_one_of(py_name_at(text, first), operators, COUNT(operators));
}

/// Whether the line goes on with what is above it in the first column.
static bool continues_piece(Str text, size_t first)
{
  static const char *const words[] = { "else", "elif", "except", "finally" };
  char c = str_at(text, first);
  return c == ')' || c == ']' || c == '}' || str_is_one_of(py_name_at(text, first), words, COUNT(words));
}

static bool is_blank(Str text, size_t first)
{
  char c = str_at(text, first);
  return c == '\n' || c == '\r' || c == '#' || c == '\0';
}

// --- The scan ---

static bool is_definition(Str text, size_t first)
{
  static const char *const words[] = { "def", "class", "async" };
  return text.data[first] == '@' || str_is_one_of(py_name_at(text, first), words, COUNT(words));
}

/// A logical line begins; in the first column that is a new piece, but below a decorator.
static void begin_line(PyScan *scan, size_t first)
{
  Str text = scan->text;
  bool follows_decorator = str_at(text, scan->line) == '@' && scan->pieces.count > 0;
  scan->line = first;
  bool in_first_column = first == 0 || text.data[first - 1] == '\n';
  if (!in_first_column || continues_piece(text, first) || (follows_decorator && is_definition(text, first)))
    return;
  if (scan->pieces.count > 0)
    vec_last(&scan->pieces)->end = first;
  vec_push(&scan->pieces, (PyPiece){ first, text.len, is_definition(text, first) });
}

static char closer_of(char open)
{
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

static void insert(PyScan *scan, size_t at, char c)
{
  if (scan->insertions.count < PY_INSERTION_LIMIT)
    vec_push(&scan->insertions, (PyInsertion){ at, c });
}

/// The logical line ended where something was still missing.
static void complete_line(PyScan *scan)
{
  char last = scan->last > 0 ? scan->text.data[scan->last - 1] : '\0';
  char before = scan->last > 1 ? scan->text.data[scan->last - 2] : '\0';
  bool is_number = ascii_is_digit(before);
  if (last == '=' || (last == '.' && !is_number))
    insert(scan, scan->last, '_');
  while (scan->open.count > 0)
    insert(scan, scan->last, closer_of(scan->open.items[--scan->open.count].kind));
}

/// Looks at the line that begins at `line`.
static void scan_line_start(PyScan *scan, size_t line)
{
  size_t first;
  size_t column = indentation(scan->text, line, &first);
  if (is_blank(scan->text, first))
    return;
  if (scan->open.count > 0) {
    if (!begins_statement(scan->text, first) || column > column_of(scan->text, scan->line))
      return;
  }
  complete_line(scan);
  begin_line(scan, first);
}

/// A bracket that closes nothing is left out of account.
static void close_bracket(PyScan *scan, char c)
{
  for (size_t i = scan->open.count; i-- > 0;) {
    if (closer_of(scan->open.items[i].kind) == c) {
      scan->open.count = i;
      return;
    }
  }
}

/// Notes that the offset lies in the token from `at` to `end`, if it is a string or a comment.
static void note_inside(PyScan *scan, size_t at, size_t end)
{
  char c = scan->text.data[at];
  if (c == '#')
    scan->in_comment = scan->offset > at && scan->offset <= end;
  if (c != '"' && c != '\'')
    return;
  StringToken token = read_string(scan->text, at);
  scan->in_string = scan->offset >= at + token.quote_len && scan->offset <= token.content_end;
  scan->quote = at;
  scan->quote_len = token.quote_len;
  scan->content_end = token.content_end;
}

static void scan_range(PyScan *scan, size_t from, size_t to)
{
  Str text = scan->text;
  scan->last = from;
  scan_line_start(scan, from);
  for (size_t at = from; at < to;) {
    char c = text.data[at];
    size_t end = token_end(text, at);
    // A string that nobody closed ends with its line.
    if ((c == '"' || c == '\'') && end < to && read_string(text, at).end == read_string(text, at).content_end)
      insert(scan, end, c);
    if (!ascii_is_space(c) && c != '#')
      scan->last = end;
    if (c == '(' || c == '[' || c == '{')
      vec_push(&scan->open, (PyOpenBracket){ c, at });
    else if (c == ')' || c == ']' || c == '}')
      close_bracket(scan, c);
    else if (c == '\n' && end < text.len)
      scan_line_start(scan, end);
    if (end >= to && to == scan->offset)
      note_inside(scan, at, end);
    at = end;
  }
}

/// The next statement after the offset: the first line that is not indented deeper than the one around the offset.
static size_t find_resume(const PyScan *scan)
{
  size_t limit = column_of(scan->text, scan->line);
  for (size_t line = str_line_end(scan->text, scan->offset); line < scan->text.len;
       line = str_line_end(scan->text, line)) {
    line++;
    size_t first;
    size_t column = indentation(scan->text, line, &first);
    char c = str_at(scan->text, first);
    if (!is_blank(scan->text, first) && column <= limit && c != ')' && c != ']' && c != '}')
      return line;
  }
  return scan->text.len;
}

static void scan_rest(PyScan *scan)
{
  PyScan rest = { .text = scan->text, .offset = STR_NOT_FOUND, .line = scan->line, .pieces = { 0 } };
  vec_push(&rest.pieces, scan->pieces.items[scan->piece]);
  scan_range(&rest, scan->resume, scan->text.len);
  scan->pieces.items[scan->piece].end = rest.pieces.items[0].end;
  vec_append(&scan->pieces, rest.pieces.items + 1, rest.pieces.count - 1);
  vec_append(&scan->insertions, rest.insertions.items, rest.insertions.count);
  py_scan_done(&rest);
}

void py_scan_init(PyScan *scan, Str text, size_t offset, bool all)
{
  *scan = (PyScan){ .text = text, .offset = offset < text.len ? offset : text.len, .line = STR_NOT_FOUND };
  vec_push(&scan->pieces, (PyPiece){ 0, text.len, false });  // What comes before the first statement.
  scan_range(scan, 0, scan->offset);
  scan->piece = scan->pieces.count - 1;
  scan->resume = find_resume(scan);
  if (all)
    scan_rest(scan);
}

void py_scan_done(PyScan *scan)
{
  vec_free(&scan->open);
  vec_free(&scan->pieces);
  vec_free(&scan->insertions);
}

bool py_scan_is_whole(const PyScan *scan)
{
  Str text = scan->text;
  size_t open = scan->open.count;
  size_t at = scan->offset;
  if (scan->in_string) {
    StringToken token = read_string(text, scan->quote);
    if (token.end == token.content_end)
      return false;
    at = token.end;
  }
  for (; at < scan->resume; at = token_end(text, at)) {
    char c = text.data[at];
    if (c == '(' || c == '[' || c == '{')
      open++;
    else if (c == ')' || c == ']' || c == '}')
      open -= open > 0;
    else if ((c == '"' || c == '\'') && read_string(text, at).end == read_string(text, at).content_end)
      return false;
  }
  return open == 0 && scan->insertions.count == 0;
}

// --- Calls ---

/// What a bracket at the offset would belong to, or does: the name in `name(`, `a.name(` right before `open`; empty.
static Str callee_before(Str text, size_t open)
{
  size_t end = ascii_blanks_start(text, open);
  size_t start = end;
  while (start > 0 && (py_is_name_char(text.data[start - 1]) || text.data[start - 1] == '.'))
    start--;
  Str callee = str_slice(text, start, end);
  static const char *const keywords[] = { "return", "in",    "not",    "and", "or",     "if",  "else",  "elif",
                                          "while",  "yield", "lambda", "is",  "assert", "del", "import" };
  // `f(x).g(` and `"x".join(` begin with something that is not a name.
  if (callee.len == 0 || callee.data[0] == '.' || str_is_one_of(callee, keywords, COUNT(keywords)))
    return (Str){ 0 };
  return callee;
}

/// Whether it is the bracket of a call, and not that of a group, a tuple or a definition.
static bool opens_call(Str text, PyOpenBracket bracket)
{
  if (bracket.kind != '(')
    return false;
  size_t end = ascii_blanks_start(text, bracket.at);
  char before = end > 0 ? text.data[end - 1] : '\0';
  if (before == ')' || before == ']' || before == '"' || before == '\'')
    return true;
  if (!py_is_name_char(before))
    return false;
  size_t start = end;
  while (start > 0 && (py_is_name_char(text.data[start - 1]) || text.data[start - 1] == '.'))
    start--;
  return text.data[start] == '.' || callee_before(text, bracket.at).len > 0;
}

static bool is_after_def(Str text, size_t callee_start)
{
  static const char *const words[] = { "def", "class" };
  size_t end = callee_start;
  while (end > 0 && text.data[end - 1] == ' ')
    end--;
  size_t start = end;
  while (start > 0 && py_is_name_char(text.data[start - 1]))
    start--;
  return str_is_one_of(str_slice(text, start, end), words, COUNT(words));
}

/// The argument ends before `end`; without a token it is empty, and is there.
static void end_argument(Str text, PyScannedArgument *argument, size_t end)
{
  if (argument->end == 0)
    argument->start = argument->end = end;
  argument->value = argument->start;
  argument->is_splat = str_at(text, argument->start) == '*' && argument->end > argument->start;
  Str name = py_name_at(text, argument->start);
  size_t equals = argument->start + name.len;
  while (equals < argument->end && ascii_is_space(text.data[equals]))
    equals++;
  if (name.len == 0 || equals >= argument->end || text.data[equals] != '=' || str_at(text, equals + 1) == '=')
    return;
  argument->keyword = name;
  argument->value = equals + 1;
  while (argument->value < argument->end && ascii_is_space(text.data[argument->value]))
    argument->value++;
}

/// White space and comments belong to no argument.
static void add_token(Str text, PyScannedArgument *argument, size_t at)
{
  if (ascii_is_space(text.data[at]) || text.data[at] == '#')
    return;
  if (argument->end == 0)
    argument->start = at;
  argument->end = token_end(text, at);
}

static void read_arguments(const PyScan *scan, PyScannedCall *call)
{
  Str text = scan->text;
  PyScannedArgument argument = { 0 };
  size_t depth = 0;
  size_t at = call->open + 1;
  bool found = false;
  for (; at < text.len && call->arguments.count < PY_ARGUMENT_LIMIT; at = token_end(text, at)) {
    char c = text.data[at];
    if (at >= scan->resume)
      break;  // Nobody closed it.
    if (c == '(' || c == '[' || c == '{')
      depth++;
    else if ((c == ')' || c == ']' || c == '}') && depth-- == 0)
      break;
    if (c != ',' || depth > 0) {
      add_token(text, &argument, at);
      continue;
    }
    if (!found && at >= scan->offset) {
      call->active = call->arguments.count;
      found = true;
    }
    end_argument(text, &argument, at);
    vec_push(&call->arguments, argument);
    argument = (PyScannedArgument){ 0 };
  }
  if (!found)
    call->active = call->arguments.count;
  end_argument(text, &argument, at < text.len ? at : text.len);
  vec_push(&call->arguments, argument);
}

/// Who is in a line of his own between two arguments begins a new one.
static void begin_between(const PyScan *scan, PyScannedCall *call)
{
  PyScannedArgument next = call->arguments.items[call->active];
  if (next.start <= scan->offset || next.start == next.end || str_line_end(scan->text, scan->offset) >= next.start)
    return;
  vec_push(&call->arguments, next);
  for (size_t i = call->arguments.count - 1; i > call->active; i--)
    call->arguments.items[i] = call->arguments.items[i - 1];
  call->arguments.items[call->active] = (PyScannedArgument){
    .start = scan->offset,
    .end = scan->offset,
    .value = scan->offset,
  };
}

static void count_positions(PyScannedCall *call)
{
  for (size_t i = 0; i < call->active && i < call->arguments.count; i++) {
    const PyScannedArgument *argument = &call->arguments.items[i];
    if (argument->is_splat)
      call->after_splat = true;
    else if (argument->keyword.len == 0)
      call->position++;
  }
}

bool py_scan_call(const PyScan *scan, PyScannedCall *ret_call)
{
  if (scan->in_comment)
    return false;
  PyScannedCall call = { .is_direct = true };
  size_t i = scan->open.count;
  while (i > 0 && !opens_call(scan->text, scan->open.items[i - 1])) {
    call.is_direct = false;
    i--;
  }
  if (i == 0)
    return false;
  call.open = scan->open.items[i - 1].at;
  call.callee = callee_before(scan->text, call.open);
  if (call.callee.len > 0) {
    size_t start = (size_t)(call.callee.data - scan->text.data);
    if (is_after_def(scan->text, start))
      return false;
  }
  read_arguments(scan, &call);
  begin_between(scan, &call);
  count_positions(&call);
  *ret_call = call;
  return true;
}

void py_scan_call_done(PyScannedCall *call)
{
  vec_free(&call->arguments);
}

bool py_scan_string(Str text, const PyScannedArgument *argument, Str *ret_content)
{
  size_t quote = argument->value;
  char c = str_at(text, quote);
  if (quote >= argument->end || (c != '"' && c != '\''))
    return false;
  StringToken token = read_string(text, quote);
  *ret_content = str_slice(text, quote + token.quote_len, token.content_end);
  return true;
}
