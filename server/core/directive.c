#include "core/directive.h"

#include "base/ascii.h"
#include "text/marker.h"

static const Str keywords[] = {
  [DIRECTIVE_UNKNOWN] = STR_INIT(""),
  [DIRECTIVE_IGNORE] = STR_INIT("ignore"),
  [DIRECTIVE_IGNORE_FILE] = STR_INIT("ignore-file"),
};

Str directive_keyword(DirectiveKind kind)
{
  return keywords[kind];
}

static bool is_name_char(char c)
{
  return ascii_is_word(c) || c == '-';
}

static DirectiveKind kind_of(Str word)
{
  for (DirectiveKind kind = DIRECTIVE_IGNORE; kind <= DIRECTIVE_IGNORE_FILE; kind++) {
    if (str_equal(word, keywords[kind]))
      return kind;
  }
  return DIRECTIVE_UNKNOWN;
}

/// Where another comment begins: `# ` after a blank, as in `# onnxls: ignore # model.py:12:3`.
static size_t find_next_comment(Str line, size_t at)
{
  for (at = str_find_char(line, '#', at); at != STR_NOT_FOUND; at = str_find_char(line, '#', at + 1)) {
    bool is_next = ascii_is_blank(line.data[at - 1]) && at + 1 < line.len && ascii_is_blank(line.data[at + 1]);
    if (is_next ||
        (ascii_is_blank(line.data[at - 1]) && str_starts_with(str_slice(line, at + 1, line.len), STR(MARKER))))
      return at;
  }
  return line.len;
}

Directive directive_parse(Str line, size_t hash)
{
  Directive directive = { .hash = hash };
  size_t at = ascii_blanks_end(line, hash + 1) + sizeof(MARKER) - 1;
  at = ascii_blanks_end(line, at);
  size_t end = at;
  while (end < line.len && is_name_char(line.data[end]))
    end++;
  directive.keyword = (Range){ at, end };
  directive.kind = kind_of(str_slice(line, at, end));
  at = ascii_blanks_end(line, end);
  directive.has_list = at < line.len && line.data[at] == '[';
  directive.end = find_next_comment(line, end);
  if (directive.has_list) {
    size_t close = str_find_char(str_slice(line, 0, directive.end), ']', at);
    directive.is_closed = close != STR_NOT_FOUND;
    directive.list = (Range){ at + 1, directive.is_closed ? close : directive.end };
  }
  return directive;
}

bool directive_next_name(const Directive *directive, Str line, size_t *at, Range *ret_name)
{
  while (*at < directive->list.end) {
    Str rest = str_slice(line, *at, directive->list.end);
    size_t comma = str_find_char(rest, ',', 0);
    size_t len = comma == STR_NOT_FOUND ? rest.len : comma;
    *at += len + 1;
    Str name = str_trim(str_slice(rest, 0, len));
    if (name.len > 0) {
      size_t start = (size_t)(name.data - line.data);
      *ret_name = (Range){ start, start + name.len };
      return true;
    }
  }
  return false;
}
