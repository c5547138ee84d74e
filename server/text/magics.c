#include "text/magics.h"

#include "base/ascii.h"
#include "base/memory.h"

/// Where in Python the end of a line is.
typedef struct Lexing {
  char quote;         ///< Of the string that is open; 0 for none.
  bool is_triple;     ///< It has three of them.
  unsigned brackets;  ///< That are open.
  bool goes_on;       ///< The line ends with a backslash.
} Lexing;

static bool is_triple_at(Str line, size_t at)
{
  return at + 2 < line.len && line.data[at + 1] == line.data[at] && line.data[at + 2] == line.data[at];
}

/// Reads on within a string; returns where to go on.
static size_t lex_string(Lexing *lexing, Str line, size_t at)
{
  if (line.data[at] == '\\')
    return at + 2;
  if (line.data[at] != lexing->quote || (lexing->is_triple && !is_triple_at(line, at)))
    return at + 1;
  size_t quotes = lexing->is_triple ? 3 : 1;
  lexing->quote = 0;
  return at + quotes;
}

static size_t lex_code(Lexing *lexing, Str line, size_t at)
{
  char c = line.data[at];
  if (c == '#')
    return line.len;
  if (c == '"' || c == '\'') {
    lexing->quote = c;
    lexing->is_triple = is_triple_at(line, at);
    return at + (lexing->is_triple ? 3 : 1);
  }
  if (c == '(' || c == '[' || c == '{')
    lexing->brackets++;
  else if ((c == ')' || c == ']' || c == '}') && lexing->brackets > 0)
    lexing->brackets--;
  lexing->goes_on = c == '\\' && at + 1 == line.len;
  return at + 1;
}

static void lex_line(Lexing *lexing, Str line)
{
  lexing->goes_on = false;
  for (size_t at = 0; at < line.len;)
    at = lexing->quote ? lex_string(lexing, line, at) : lex_code(lexing, line, at);
  bool is_escaped = line.len > 0 && line.data[line.len - 1] == '\\';
  if (lexing->quote && !lexing->is_triple && !is_escaped)
    lexing->quote = 0;  // A mistake, and one of its own line only.
}

static bool is_at_statement(const Lexing *lexing)
{
  return !lexing->quote && lexing->brackets == 0 && !lexing->goes_on;
}

/// The rest of the line becomes a name that nobody knows, and a comment.
static void blank_out(char *line, size_t from, size_t len)
{
  if (from < len)
    line[from] = '_';
  if (from + 1 < len)
    line[from + 1] = '#';
}

static void comment_out(char *line, size_t len)
{
  if (len > 0)
    line[0] = '#';
}

/// Magics whose argument, or whose cell, is Python that runs here.
static bool runs_python(Str name)
{
  static const char *const names[] = { "time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "debug" };
  return str_is_one_of(name, names, COUNT(names));
}

static size_t word_end(Str line, size_t at)
{
  while (at < line.len && ascii_is_word(line.data[at]))
    at++;
  return at;
}

/// `%time f()` is `_;    f()`; options are none of Python's.
static bool keep_argument(char *line, size_t from, size_t len)
{
  Str text = str_make(line, len);
  size_t name_end = word_end(text, from + 1);
  size_t argument = ascii_blanks_end(text, name_end);
  Str name = str_slice(text, from + 1, name_end);
  if (!runs_python(name) || argument == name_end || argument >= len || line[argument] == '-')
    return false;
  memset(line + from, ' ', argument - from);
  line[from] = '_';
  line[from + 1] = ';';
  return true;
}

/// `?name`, `??name`, `name?`, `name??`: nothing in Python begins or ends so.
static bool is_help(Str statement)
{
  size_t start = 0;
  size_t end = statement.len;
  while (start < end && statement.data[start] == '?')
    start++;
  while (end > start && statement.data[end - 1] == '?')
    end--;
  for (size_t i = start; i < end; i++) {
    if (!ascii_is_word(statement.data[i]) && !memchr(".*%", statement.data[i], 3))
      return false;
  }
  return end - start < statement.len;
}

/// `pip install onnx`: a magic without its sign, which no Python reads as what it is.
static bool is_automagic(Str statement)
{
  static const char *const names[] = { "pip",   "conda", "mamba",      "uv",       "cd",         "ls",
                                       "mkdir", "rm",    "mv",         "cp",       "cat",        "run",
                                       "env",   "man",   "matplotlib", "load_ext", "reload_ext", "autoreload" };
  static const char *const operators[] = { "and", "or", "not", "in", "is", "if", "for" };
  size_t name_end = word_end(statement, 0);
  size_t argument = ascii_blanks_end(statement, name_end);
  if (argument == name_end || argument >= statement.len ||
      !str_is_one_of(str_slice(statement, 0, name_end), names, COUNT(names)))
    return false;
  Str word = str_slice(statement, argument, word_end(statement, argument));
  bool is_word = word.len > 0 && !str_is_one_of(word, operators, COUNT(operators));
  return is_word || memchr("/~.\"'", statement.data[argument], 5);
}

/// Where the command of `names = !command` or `names = %magic` begins; STR_NOT_FOUND if it is none.
static size_t find_assigned(Str line, size_t from)
{
  size_t at = from;
  while (at < line.len && (ascii_is_word(line.data[at]) || memchr(" .,[]()*", line.data[at], 8)))
    at++;
  if (at == from || at >= line.len || line.data[at] != '=')
    return STR_NOT_FOUND;
  size_t value = ascii_blanks_end(line, at + 1);
  return value < line.len && (line.data[value] == '!' || line.data[value] == '%') ? value : STR_NOT_FOUND;
}

/// A line that begins a statement; true when it was IPython's.
static bool neutralise_line(char *line, size_t len)
{
  Str text = str_make(line, len);
  size_t from = ascii_blanks_end(text, 0);
  Str statement = str_trim(text);
  if (statement.len == 0 || statement.data[0] == '#')
    return false;
  size_t assigned = find_assigned(text, from);
  bool is_magic = statement.data[0] == '%';
  if (!is_magic && statement.data[0] != '!' && !is_help(statement) && !is_automagic(statement) &&
      assigned == STR_NOT_FOUND)
    return false;
  if (!is_magic || !keep_argument(line, from, len))
    blank_out(line, assigned == STR_NOT_FOUND ? from : assigned, len);
  return true;
}

/// True when the line is `%%magic` of a cell that is no Python.
static bool begins_foreign_cell(Str line)
{
  Str statement = str_trim(line);
  return str_starts_with(statement, STR("%%")) && !runs_python(str_slice(statement, 2, word_end(statement, 2)));
}

void magics_neutralise(char *cell, size_t len)
{
  Lexing lexing = { 0 };
  bool is_first = true;
  bool is_foreign = false;
  bool goes_on = false;  // A command that is none of Python's goes on.
  for (size_t at = 0; at < len;) {
    size_t end = str_find_char(str_make(cell, len), '\n', at);
    Str line = str_slice(str_make(cell, len), at, end);
    bool ends_open = line.len > 0 && line.data[line.len - 1] == '\\';
    bool is_blank = str_trim(line).len == 0;
    is_foreign |= is_first && begins_foreign_cell(line);
    is_first &= is_blank;
    if (is_foreign || goes_on)
      comment_out(cell + at, line.len);
    else if (is_at_statement(&lexing) && neutralise_line(cell + at, line.len))
      goes_on = ends_open;
    else
      lex_line(&lexing, line);
    goes_on &= ends_open;
    at = end == STR_NOT_FOUND ? len : end + 1;
  }
}
