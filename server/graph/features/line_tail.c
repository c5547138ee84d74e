#include "graph/features/line_tail.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "graph/model/snapshot_dump.h"
#include "graph/model/source_comment.h"
#include "text/marker.h"

/// How far above its lines a comment is looked for.
enum { COMMENT_DISTANCE = 4096 };

/// Takes `:123` off the end of `s`.
static bool take_number(Str *s, uint32_t *ret_number)
{
  size_t colon = str_rfind_char(*s, ':');
  uint64_t number;
  if (colon == STR_NOT_FOUND || !str_to_uint(str_slice(*s, colon + 1, s->len), UINT32_MAX, &number))
    return false;
  s->len = colon;
  *ret_number = (uint32_t)number;
  return true;
}

/// Offset of the last `needle` in `s`.
static size_t rfind(Str s, Str needle)
{
  while (s.len >= needle.len) {
    size_t hit = str_rfind_char(str_slice(s, 0, s.len - needle.len + 1), needle.data[0]);
    if (hit == STR_NOT_FOUND)
      break;
    if (memcmp(s.data + hit, needle.data, needle.len) == 0)
      return hit;
    s.len = hit + needle.len - 1;
  }
  return STR_NOT_FOUND;
}

/// A location is the last thing of its line and begins after the last ` # `.
static bool take_location(Str *line, LineTail *tail)
{
  Str file = *line;
  if (file.len == 0 || !ascii_is_digit(file.data[file.len - 1]))
    return false;
  if (!take_number(&file, &tail->file_column) || !take_number(&file, &tail->file_line))
    return false;
  size_t mark = rfind(file, STR(" # "));
  if (mark == STR_NOT_FOUND)
    return false;
  tail->file = str_slice(file, mark + 3, file.len);
  tail->location = str_slice(*line, mark + 3, line->len);
  line->len = mark;
  return tail->file.len > 0;
}

/// Takes a comment of ours off the end, which may come after the location.
static bool take_own_comment(Str *line)
{
  size_t comment = rfind(*line, STR(" #"));
  if (comment == STR_NOT_FOUND || !str_starts_with(str_trim(str_slice(*line, comment + 2, line->len)), STR(MARKER)))
    return false;
  line->len = comment;
  return true;
}

/// Takes all comments off the end.
static LineTail take_comments(Str *line)
{
  LineTail tail = { 0 };
  line->len = ascii_blanks_start(*line, line->len);
  bool has_location = take_location(line, &tail);
  if (!has_location && take_own_comment(line)) {
    line->len = ascii_blanks_start(*line, line->len);
    tail = (LineTail){ 0 };
    has_location = take_location(line, &tail);
  }
  if (has_location)
    return tail;
  size_t comment = rfind(*line, STR(" # "));
  if (comment != STR_NOT_FOUND)
    line->len = comment;
  return (LineTail){ 0 };
}

LineTail line_tail(Str line)
{
  LineTail tail = { 0 };
  SourceComment source;
  if (str_find_char(line, '#', 0) != STR_NOT_FOUND) {
    if (source_comment_read(line, &source))
      return (LineTail){ .location = source.location, .file = source.file, .file_line = source.line };
    tail = take_comments(&line);
  }
  // A scope follows the closing bracket of the arguments.
  size_t scope = rfind(line, STR("), scope: "));
  if (scope != STR_NOT_FOUND) {
    Str rest = str_slice(line, scope + 10, line.len);
    tail.scope = str_trim(str_slice(rest, 0, str_find(rest, STR(" #"), 0)));
  }
  return tail;
}

/// The innermost frame in the comments right above a line that is a file's: code that torch made is in none.
static LineTail frame_above(const Document *document, uint32_t line)
{
  for (uint32_t i = 1; i <= COMMENT_DISTANCE && i <= line; i++) {
    Str text = document_line(document, line - i);
    SourceComment source;
    if (!str_starts_with(str_trim(text), STR("#")))
      break;
    if (source_comment_read(text, &source) && !str_starts_with(source.file, STR("<")))
      return line_tail(text);
  }
  return (LineTail){ 0 };
}

LineTail line_origin(const Snapshot *snapshot, uint32_t line)
{
  const Document *document = snapshot_document(snapshot);
  LineTail tail = line_tail(document_line(document, line));
  if (snapshot_dialect(snapshot)->has_places_above)
    return frame_above(document, line);
  if (!snapshot_dialect(snapshot)->places_come_first)
    return tail;
  for (uint32_t i = 1; i <= COMMENT_DISTANCE && i <= line; i++) {
    Str text = document_line(document, line - i);
    if (source_comment_speaks(text))
      return line_tail(text);
    if (str_starts_with(str_trim(text), STR("def ")))
      break;
  }
  return tail;
}

Str line_tail_type(Str rest)
{
  if (rest.len > 0 && rest.data[0] == '[')  // printable_graph: `%x[FLOAT, 1x3]`
    return str_slice(rest, 0, str_find_char(rest, ']', 0) + 1);
  if (!str_starts_with(rest, STR(" : ")))
    return (Str){ 0 };
  rest = str_slice(rest, 3, rest.len);
  size_t depth = 0;
  size_t end = 0;
  for (; end < rest.len; end++) {
    char c = rest.data[end];
    if (depth == 0 && (c == ',' || c == ')' || str_starts_with(str_slice(rest, end, rest.len), STR(" = "))))
      break;
    if (c == '(' || c == '[' || c == '<')
      depth++;
    else if ((c == ')' || c == ']' || c == '>') && depth > 0)
      depth--;
  }
  return str_trim(str_slice(rest, 0, end));
}

Str line_tail_dotted(Str path)
{
  size_t dot = str_rfind_char(path, '.');
  return dot == STR_NOT_FOUND || dot + 1 == path.len ? path : str_slice(path, dot + 1, path.len);
}

static ScopePart read_part(Str text)
{
  size_t colons = str_find(text, STR("::"), 0);
  if (colons != STR_NOT_FOUND)
    return (ScopePart){ str_slice(text, 0, colons), str_slice(text, colons + 2, text.len) };
  size_t bracket = str_find_char(text, '[', 0);
  if (bracket != STR_NOT_FOUND && text.data[text.len - 1] == ']')
    return (ScopePart){ str_slice(text, 0, bracket), str_slice(text, bracket + 1, text.len - 1) };
  if (str_starts_with(text, STR("__module.")))
    return (ScopePart){ { 0 }, str_slice(text, 9, text.len) };
  if (str_equal(text, STR("__module")))
    return (ScopePart){ 0 };
  return (ScopePart){ text, { 0 } };
}

size_t line_tail_scope_parts(Str scope, ScopePart *ret_parts)
{
  size_t count = 0;
  size_t start = 0;
  while (start < scope.len && count < SCOPE_PART_LIMIT) {
    size_t end = str_find_char(scope, '/', start);
    if (end == STR_NOT_FOUND)
      end = scope.len;
    if (end > start)
      ret_parts[count++] = read_part(str_slice(scope, start, end));
    start = end + 1;
  }
  return count;
}
