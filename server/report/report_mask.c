// The code that tracebacks quote looks like lines of a graph: `out = mod(*args)`.

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

Document *report_without_code(const Document *document)
{
  Arena arena = { 0 };
  size_t len = document_length(document);
  Str all = document_slice(document, (Range){ 0, len }, &arena);
  Str word = STR("  File \"");
  char *copy = NULL;
  for (size_t at = str_find(all, word, 0); at != STR_NOT_FOUND; at = str_find(all, word, at)) {
    size_t end = str_find_char(all, '\n', at);
    WhyFrame frame;
    while (at > 0 && all.data[at - 1] == ' ')
      at--;
    if (!copy) {
      copy = xmalloc(len + 1);
      memcpy(copy, all.data, len);
    }
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
