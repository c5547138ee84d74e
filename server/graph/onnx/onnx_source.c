#include "graph/onnx/onnx_source.h"

#include "base/ascii.h"
#include "core/language.h"

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
static size_t find_header(Str text, Str key, size_t from)
{
  for (size_t at = from; (at = str_find(text, key, at)) != STR_NOT_FOUND; at += key.len) {
    char after = at + key.len < text.len ? text.data[at + key.len] : '\0';
    size_t bracket = after == ':' || after == '=' ? bracket_before(text, at) : STR_NOT_FOUND;
    if (bracket != STR_NOT_FOUND && bracket >= from && may_begin(text, bracket))
      return bracket;
  }
  return text.len;
}

/// Printers begin a model with `ir_version`; people may begin theirs with its opsets, as functions begin, so that says
/// only where the first one is.
static size_t find_first(Str text)
{
  size_t printed = find_header(text, STR("ir_version"), 0);
  size_t written = find_header(str_slice(text, 0, printed), STR("opset_import"), 0);
  size_t first = written < printed ? written : printed;
  return first < text.len ? first : 0;
}

static void end_at_next(OnnxSource *source, Str text)
{
  source->text = str_slice(text, 0, find_header(text, STR("ir_version"), source->start + 1));
}

OnnxSource onnx_source_first(const Snapshot *snapshot, Str text)
{
  Str uri = snapshot_uri(snapshot);
  OnnxSource source = { .text = text, .is_printed = str_ends_with(uri, STR(".onnx")) };
  source.is_in_log = !source.is_printed && !language_is_named(snapshot_language(snapshot), uri);
  if (source.is_in_log) {
    source.start = (uint32_t)find_first(text);
    end_at_next(&source, text);
  }
  return source;
}

bool onnx_source_next(OnnxSource *source, Str text)
{
  if (!source->is_in_log || source->text.len == text.len)
    return false;
  source->start = (uint32_t)source->text.len;
  end_at_next(source, text);
  return true;
}

OnnxSource onnx_source_at(const Snapshot *snapshot, Str text, size_t offset)
{
  OnnxSource source = onnx_source_first(snapshot, text);
  while (source.text.len <= offset && onnx_source_next(&source, text))
    continue;
  return source;
}
