// A report holds two graphs, and each is read alone, at its place in the text: blanks stand for all that is none of it.
// The code that tracebacks quote looks like lines of a graph, too: `out = mod(*args)`.

#include <stdlib.h>

#include "report/onnx_report_private.h"
#include "why/cut.h"

static size_t indent_of(Str line)
{
  size_t i = 0;
  while (i < line.len && line.data[i] == ' ')
    i++;
  return i;
}

/// Blanks the lines below `from` that are deeper than `indent`, up to an empty one; returns where they end.
static size_t blank_code(char *text, size_t len, size_t from, size_t indent)
{
  Str all = str_make(text, len);
  while (from < len) {
    size_t end = str_find_char(all, '\n', from);
    end = end == STR_NOT_FOUND ? len : end;
    Str line = str_slice(all, from, end);
    if (str_trim(line).len == 0 || indent_of(line) <= indent)
      return from;
    memset(text + from, ' ', end - from);
    from = end < len ? end + 1 : len;
  }
  return len;
}

/// Blanks a part of a text, line by line.
static void blank(char *text, size_t start, size_t end)
{
  for (size_t i = start; i < end; i++)
    text[i] = text[i] == '\n' || text[i] == '\r' ? text[i] : ' ';
}

static char *copy_of(Str text)
{
  char *copy = xmalloc(text.len + 1);
  memcpy(copy, text.data, text.len);
  return copy;
}

Range report_onnx_range(const Document *document)
{
  static const Str fence = STR_INIT("\n```");
  Arena arena = { 0 };
  Str all = document_slice(document, (Range){ 0, document_length(document) }, &arena);
  size_t head = str_find(all, STR("\n## ONNX model"), 0);
  size_t open = head == STR_NOT_FOUND ? head : str_find(all, fence, head);
  size_t start = open == STR_NOT_FOUND ? open : str_find_char(all, '\n', open + fence.len);
  size_t end = start == STR_NOT_FOUND ? start : str_find(all, fence, start);
  arena_done(&arena);
  return start == STR_NOT_FOUND ? (Range){ 0, 0 } : (Range){ start + 1, end == STR_NOT_FOUND ? all.len : end + 1 };
}

Document *report_onnx(const Document *document, Range onnx)
{
  Arena arena = { 0 };
  Str all = document_slice(document, (Range){ 0, document_length(document) }, &arena);
  char *copy = copy_of(all);
  blank(copy, 0, onnx.start);
  blank(copy, onnx.end, all.len);
  arena_done(&arena);
  Document *masked = NULL;
  return document_new_taking(copy, all.len, &masked) == OK ? masked : document_retain(document);
}

Document *report_program(const Document *document, Range onnx)
{
  Arena arena = { 0 };
  size_t len = document_length(document);
  Str all = document_slice(document, (Range){ 0, len }, &arena);
  Str word = STR("  File \"");
  char *copy = NULL;
  if (onnx.end > onnx.start)
    blank(copy = copy_of(all), onnx.start, onnx.end);
  for (size_t at = str_find(all, word, 0); at != STR_NOT_FOUND; at = str_find(all, word, at)) {
    size_t end = str_find_char(all, '\n', at);
    WhyFrame frame;
    while (at > 0 && all.data[at - 1] == ' ')
      at--;
    copy = copy ? copy : copy_of(all);
    Str line = str_slice(all, at, end);
    bool is_frame = end != STR_NOT_FOUND && why_read_frame(line, &frame);
    at = is_frame ? blank_code(copy, len, end + 1, indent_of(line)) : at + line.len;
  }
  arena_done(&arena);
  Document *masked = NULL;
  if (copy && document_new_taking(copy, len, &masked) == OK)
    return masked;
  return document_retain(document);
}
