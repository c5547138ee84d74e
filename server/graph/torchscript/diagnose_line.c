#include "graph/torchscript/diagnose_line.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "graph/torchscript/written_line.h"

enum { QUOTE_SHOWN = 40 };

/// Reads the line with the names that exporters make; true if all of it makes sense.
static bool is_readable(Str line, WrittenFault *ret_fault)
{
  SyntaxNodes nodes = { 0 };
  uint32_t end = written_line_parse(line, 0, true, &nodes, ret_fault);
  vec_free(&nodes);
  return end != 0;
}

/// The end of the name, word or character that begins at `start`; characters of more bytes stay whole.
static uint32_t token_end(Str line, uint32_t start)
{
  uint32_t end = start + 1;
  if (line.data[start] == '%' || ascii_is_dotted(line.data[start])) {
    while (end < line.len && ascii_is_dotted(line.data[end]))
      end++;
    return end;
  }
  while (end < line.len && ((unsigned char)line.data[end] & 0xC0) == 0x80)
    end++;
  return end;
}

/// Takes the fix if the line can be read after it.
static bool try_fix(Str line, Arena *arena, uint32_t end, Str text, Str title, LineDiagnosis *diagnosis)
{
  Str head = str_slice(line, 0, diagnosis->start);
  Str tail = str_slice(line, end, line.len);
  Str changed = arena_printf(arena, "%.*s%.*s%.*s", STR_ARG(head), STR_ARG(text), STR_ARG(tail));
  WrittenFault ignored;
  if (!is_readable(changed, &ignored))
    return false;
  diagnosis->fix_title = title;
  diagnosis->fix_start = diagnosis->start;
  diagnosis->fix_end = end;
  diagnosis->fix_text = text;
  return true;
}

static void find_fix(Str line, Arena *arena, char token, LineDiagnosis *diagnosis)
{
  Str found = str_slice(line, diagnosis->start, diagnosis->end);
  bool is_separate = diagnosis->start > 0 && line.data[diagnosis->start - 1] == ' ';
  if (token) {
    Str text = arena_printf(arena, is_separate || token == ',' ? "%c " : "%c", token);
    Str bare = str_slice(text, 0, 1);
    Str title = arena_printf(arena, "Insert '%c'", token);
    if (try_fix(line, arena, diagnosis->start, text, title, diagnosis))
      return;
    title = arena_printf(arena, "Replace '%.*s' with '%c'", STR_ARG(found), token);
    if (found.len > 0 && try_fix(line, arena, diagnosis->end, bare, title, diagnosis))
      return;
  }
  if (found.len > 0)
    try_fix(line, arena, diagnosis->end, STR(""), arena_printf(arena, "Remove '%.*s'", STR_ARG(found)), diagnosis);
}

bool torchscript_diagnose_line(Str line, Arena *arena, LineDiagnosis *ret_diagnosis)
{
  WrittenFault fault;
  if (line.len > DIAGNOSED_LINE_LIMIT || is_readable(line, &fault) || !fault.expected)
    return false;
  *ret_diagnosis = (LineDiagnosis){ .start = fault.at, .end = fault.at };
  if (fault.at >= line.len) {
    ret_diagnosis->message = arena_printf(arena, "Expected %s; the line ends here.", fault.expected);
  } else {
    ret_diagnosis->end = token_end(line, fault.at);
    Str found = str_slice(line, fault.at, ret_diagnosis->end);
    const char *dots = found.len > QUOTE_SHOWN ? "..." : "";
    ret_diagnosis->message = arena_printf(arena, "Expected %s; found '%.*s%s'.", fault.expected,
                                          STR_ARG(str_slice(found, 0, QUOTE_SHOWN)), dots);
  }
  find_fix(line, arena, fault.token, ret_diagnosis);
  return true;
}
