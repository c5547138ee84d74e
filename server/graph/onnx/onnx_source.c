#include "graph/onnx/onnx_source.h"

#include "base/ascii.h"
#include "core/language.h"
#include "facts/onnx_elements.h"
#include "graph/model/snapshot_dump.h"
#include "graph/onnx/onnx_read.h"

/// The bracket before a key of a header that begins at `key`, if nothing but white space is between; else
/// STR_NOT_FOUND.
static size_t bracket_before(Str text, size_t key)
{
  while (key > 0 && ascii_is_space(text.data[key - 1]))
    key--;
  return key > 0 && text.data[key - 1] == '<' ? key - 1 : STR_NOT_FOUND;
}

/// Whether a header may begin at the bracket: what a log has before it in its line is in no string.
static bool may_begin(Str text, size_t bracket)
{
  Str before = str_slice(text, 0, bracket);
  size_t line = str_rfind_char(before, '\n');
  return str_find_char(before, '"', line == STR_NOT_FOUND ? 0 : line) == STR_NOT_FOUND;
}

/// The next header of a model that begins with this key; the end of the text if there is none.
static size_t find_header(Str text, Str key, char sign, size_t from)
{
  for (size_t at = from; (at = str_find(text, key, at)) != STR_NOT_FOUND; at += key.len) {
    char after = at + key.len < text.len ? text.data[at + key.len] : '\0';
    size_t bracket = after == sign ? bracket_before(text, at) : STR_NOT_FOUND;
    if (bracket != STR_NOT_FOUND && bracket >= from && may_begin(text, bracket))
      return bracket;
  }
  return text.len;
}

/// Where the name begins that ends there: after a blank, or a quote.
static size_t name_start(Str line, size_t end)
{
  bool is_quoted = end > 0 && line.data[end - 1] == '"';
  size_t before = str_rfind_char(str_slice(line, 0, end - is_quoted), is_quoted ? '"' : ' ');
  if (before == STR_NOT_FOUND)
    return 0;
  return is_quoted ? before : before + 1;
}

size_t onnx_source_graph_in(Str line)
{
  size_t bracket = str_find(line, STR(" ("), 0);
  if (bracket == STR_NOT_FOUND || bracket == 0 || !str_contains(line, STR(") => (")))
    return STR_NOT_FOUND;
  size_t start = name_start(line, bracket);
  size_t word = bracket + 2;
  size_t end = word;
  while (end < line.len && ascii_is_word(line.data[end]))
    end++;
  // One after an equals sign is the value of an attribute.
  Str before = str_trim(str_slice(line, 0, start));
  bool is_name = start < bracket && str_find_char(str_slice(line, start, bracket), ':', 0) == STR_NOT_FOUND;
  bool has_type =
      onnx_element_of(str_slice(line, word, end)) != 0 || str_starts_with(str_slice(line, word, line.len), STR(")"));
  return is_name && has_type && !str_ends_with(before, STR("=")) ? start : STR_NOT_FOUND;
}

static size_t after_line(Str text, size_t at)
{
  size_t end = str_find_char(text, '\n', at);
  return end == STR_NOT_FOUND ? text.len : end + 1;
}

/// The next line that begins a graph, as the name in it; the end of the text if there is none.
static size_t find_graph(Str text, size_t line)
{
  for (size_t next; line < text.len; line = next) {
    next = after_line(text, line);
    size_t start = onnx_source_graph_in(str_slice(text, line, next));
    if (start != STR_NOT_FOUND)
      return line + start;
  }
  return text.len;
}

/// Printers begin a model with `ir_version`; people may begin theirs with its opsets, as functions begin, so that says
/// only where the first one is.
static size_t find_first(Str text, char sign)
{
  size_t printed = find_header(text, STR("ir_version"), sign, 0);
  size_t written = find_header(str_slice(text, 0, printed), STR("opset_import"), sign, 0);
  return written < printed ? written : printed;
}

/// A model ends before the next header, or before the next graph after its own, which is one without a header.
static void begin_at(OnnxSource *source, Str text, size_t start)
{
  source->start = (uint32_t)start;
  source->is_bare = start < text.len && text.data[start] != '<';
  source->text = str_slice(text, 0, find_header(text, STR("ir_version"), source->key_sign, start + 1));
  size_t own = source->is_bare ? start : find_graph(source->text, start);
  source->text = str_slice(text, 0, find_graph(source->text, after_line(source->text, own)));
}

OnnxSource onnx_source_first(const Snapshot *snapshot, Str text)
{
  Str uri = snapshot_uri(snapshot);
  OnnxSource source = { .text = text,
                        .is_printed = str_ends_with(uri, STR(".onnx")),
                        .key_sign = snapshot_dialect(snapshot)->key_sign };
  source.is_in_log = !source.is_printed && !language_is_named(snapshot_language(snapshot), uri);
  size_t header = source.is_in_log ? find_first(text, source.key_sign) : 0;
  size_t graph = find_graph(str_slice(text, 0, header), 0);
  if (source.is_in_log && graph < text.len)
    begin_at(&source, text, graph);
  return source;
}

bool onnx_source_next(OnnxSource *source, Str text)
{
  if (!source->is_in_log || source->text.len == text.len)
    return false;
  begin_at(source, text, source->text.len);
  return true;
}

OnnxSource onnx_source_at(const Snapshot *snapshot, Str text, size_t offset)
{
  OnnxSource source = onnx_source_first(snapshot, text);
  while (source.text.len <= offset && onnx_source_next(&source, text))
    continue;
  return source;
}
