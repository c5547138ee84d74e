// The modules that a text imports, without parsing it: files are chosen by them before anything is read.

#include "base/ascii.h"
#include "base/limits.h"
#include "python/model/python_model.h"
#include "python/syntax/python_parts.h"

typedef struct ImportScan {
  Str text;
  size_t at;
  NameVisitor *visit;
  void *context;
  Arena arena;
} ImportScan;

static char next_char(const ImportScan *scan)
{
  return scan->at < scan->text.len ? scan->text.data[scan->at] : '\n';
}

static void skip_blanks(ImportScan *scan)
{
  scan->at = ascii_blanks_end(scan->text, scan->at);
}

/// True if the word is there, and moves past it and the blanks after it.
static bool take_word(ImportScan *scan, Str word)
{
  size_t end = scan->at + word.len;
  if (!str_starts_with(str_slice(scan->text, scan->at, end), word) ||
      (end < scan->text.len && py_is_name_char(scan->text.data[end])))
    return false;
  scan->at = end;
  skip_blanks(scan);
  return true;
}

/// "pkg.config", "..ops"; empty if there is no name.
static Str take_module(ImportScan *scan)
{
  size_t start = scan->at;
  while (scan->at < scan->text.len && (py_is_name_char(next_char(scan)) || next_char(scan) == '.'))
    scan->at++;
  Str module = str_slice(scan->text, start, scan->at);
  skip_blanks(scan);
  return module;
}

static bool is_of_torch(Str module)
{
  return str_equal(module, STR("torch")) || str_starts_with(module, STR("torch."));
}

static void tell(ImportScan *scan, Str module, Str name)
{
  if (module.len == 0 || is_of_torch(module))
    return;
  Str dot = name.len == 0 || str_ends_with(module, STR(".")) ? STR("") : STR(".");
  scan->visit(arena_join(&scan->arena, (Str[]){ module, dot, name }, 3), scan->context);
}

/// What separates names in brackets, where lines and comments may come between them.
static void skip_between(ImportScan *scan, bool is_in_brackets)
{
  for (;; scan->at++) {
    char c = next_char(scan);
    if (scan->at >= scan->text.len || (!is_in_brackets && c != ',' && c != ' ' && c != '\t'))
      return;
    if (is_in_brackets && c == '#') {
      size_t end = str_find_char(scan->text, '\n', scan->at);
      scan->at = end == STR_NOT_FOUND ? scan->text.len - 1 : end;
    } else if (c != ',' && c != '\\' && !ascii_is_space(c)) {
      return;
    }
  }
}

/// `import a.b as c, d`, or what follows `from module import`, of which there may be no module.
static void take_names(ImportScan *scan, Str module)
{
  bool is_in_brackets = module.len > 0 && next_char(scan) == '(';
  scan->at += is_in_brackets;
  for (int count = 0; count < PY_IMPORT_LIMIT; count++) {
    skip_between(scan, is_in_brackets);
    Str name = take_module(scan);
    if (name.len == 0)
      return;
    tell(scan, module.len > 0 ? module : name, module.len > 0 ? name : (Str){ 0 });
    if (take_word(scan, STR("as")))
      take_module(scan);
  }
}

static void take_statement(ImportScan *scan)
{
  if (take_word(scan, STR("import"))) {
    take_names(scan, (Str){ 0 });
    return;
  }
  Str module = take_word(scan, STR("from")) ? take_module(scan) : (Str){ 0 };
  if (module.len == 0 || !take_word(scan, STR("import")))
    return;
  tell(scan, module, (Str){ 0 });
  if (next_char(scan) == '*')
    tell(scan, module, STR("*"));
  else
    take_names(scan, module);
}

void python_each_import(Str text, NameVisitor *visit, void *context)
{
  ImportScan scan = { .text = text, .visit = visit, .context = context };
  while (scan.at < text.len) {
    skip_blanks(&scan);
    if (next_char(&scan) == 'i' || next_char(&scan) == 'f')
      take_statement(&scan);
    size_t end = str_find_char(text, '\n', scan.at);
    scan.at = end == STR_NOT_FOUND ? text.len : end + 1;
  }
  arena_done(&scan.arena);
}
