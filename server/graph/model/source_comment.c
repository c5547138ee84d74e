#include "graph/model/source_comment.h"

#include "base/ascii.h"

/// The text after `#`; false if the line is not a comment.
static bool comment_of(Str line, Str *ret_comment)
{
  line = str_trim(line);
  if (line.len == 0 || line.data[0] != '#')
    return false;
  *ret_comment = str_slice(line, 1, line.len);
  return true;
}

/// Whether `s` is at the end of a location: nothing, ` in forward` or `, code: `.
static bool ends_location(Str s)
{
  return s.len == 0 || s.data[0] == ',' || str_starts_with(s, STR(" in "));
}

/// `m.py:12`: a file's name may hold colons, so the number that something known follows counts.
static bool read_location(Str text, SourceComment *comment)
{
  for (size_t colon = str_find_char(text, ':', 1); colon != STR_NOT_FOUND;
       colon = str_find_char(text, ':', colon + 1)) {
    size_t end = ascii_digits_end(text, colon + 1);
    uint64_t line;
    if (!ends_location(str_slice(text, end, text.len)) ||
        !str_to_uint(str_slice(text, colon + 1, end), UINT32_MAX, &line))
      continue;
    *comment = (SourceComment){
      .location = str_slice(text, 0, end),
      .file = str_slice(text, 0, colon),
      .line = (uint32_t)line,
    };
    return true;
  }
  return false;
}

/// `File "m.py", line 12, in forward`, as a traceback has it, and the metadata of a node that the dynamo exporter made.
static bool read_frame(Str text, SourceComment *comment)
{
  static const Str opening = STR_INIT("File \"");
  static const Str between = STR_INIT("\", line ");
  size_t start = str_find(text, opening, 0);
  size_t quote = start == STR_NOT_FOUND ? start : str_find(text, between, start + opening.len);
  if (quote == STR_NOT_FOUND)
    return false;
  size_t number = quote + between.len;
  size_t end = ascii_digits_end(text, number);
  uint64_t line;
  if (!str_to_uint(str_slice(text, number, end), UINT32_MAX, &line))
    return false;
  *comment = (SourceComment){ .location = str_slice(text, start, end),
                              .file = str_slice(text, start + opening.len, quote),
                              .line = (uint32_t)line };
  Str rest = str_slice(text, end, text.len);
  if (str_starts_with(rest, STR(", in ")))
    comment->function = str_slice(rest, 5, rest.len);
  return true;
}

bool source_comment_read(Str line, SourceComment *ret_comment)
{
  Str text;
  if (!comment_of(line, &text))
    return false;
  if (read_frame(text, ret_comment))
    return true;
  size_t file = str_find(text, STR("File: "), 0);
  if (file == STR_NOT_FOUND || !read_location(str_slice(text, file + 6, text.len), ret_comment))
    return false;
  Str rest = str_slice(text, (size_t)(ret_comment->location.data - text.data) + ret_comment->location.len, text.len);
  size_t code = str_find(rest, STR(", code: "), 0);
  if (code != STR_NOT_FOUND)
    ret_comment->code = str_slice(rest, code + 8, rest.len);
  if (str_starts_with(rest, STR(" in ")))
    ret_comment->function = str_slice(rest, 4, code);
  return true;
}

bool source_comment_speaks(Str line)
{
  Str text;
  if (!comment_of(line, &text))
    return false;
  text = str_trim(text);
  return text.len == 0 || str_contains(text, STR("File: ")) || str_starts_with(text, STR("code: ")) ||
         str_contains(text, STR("No stacktrace found"));
}
