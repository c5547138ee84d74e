#include "base/limits.h"
#include "records_internal.h"

#include <stdio.h>

enum { MESSAGE_LIMIT = 50 };

typedef struct Kind {
  Str name;
  void (*read)(Records *records, Str line);
  bool is_text;  ///< A tab parts name and text, so a line with a tab is never a header.
} Kind;

static const Kind kinds[] = {
  // Keep alphabetized.
  { STR_INIT("attribute-phrases"), read_attribute_phrases, true },
  { STR_INIT("captured-functions"), read_captured_functions, false },
  { STR_INIT("descriptors"), read_descriptors, true },
  { STR_INIT("dynamo-decompositions"), read_dynamo_decompositions, false },
  { STR_INIT("dynamo-functions"), read_dynamo_functions, false },
  { STR_INIT("dynamo-parts"), read_dynamo_parts, true },
  { STR_INIT("export-arguments"), read_export_arguments, false },
  { STR_INIT("export-words"), read_export_words, true },
  { STR_INIT("helper-words"), read_helper_words, true },
  { STR_INIT("helpers"), read_helpers, false },
  { STR_INIT("kernels"), read_kernels, true },
  { STR_INIT("messages"), read_messages, false },
  { STR_INIT("onnx-notes"), read_onnx_notes, false },
  { STR_INIT("onnx-schemas"), read_onnx_schemas, false },
  { STR_INIT("operator-ways"), read_operator_ways, true },
  { STR_INIT("outcomes"), read_outcomes, true },
  { STR_INIT("passes"), read_passes, false },
  { STR_INIT("python-api"), read_python_api, true },
  { STR_INIT("python-members"), read_python_members, false },
  { STR_INIT("runtimes"), read_runtimes, false },
  { STR_INIT("suffixes"), read_suffixes, true },
  { STR_INIT("summaries"), read_summaries, true },
  { STR_INIT("torch-schemas"), read_torch_schemas, false },
  { STR_INIT("torch-summaries"), read_torch_summaries, true },
  { STR_INIT("torch-tags"), read_torch_tags, false },
  { STR_INIT("torch-versions"), read_torch_versions, false },
  { STR_INIT("release-pairs"), read_release_pairs, true },
  { STR_INIT("torchlib-names"), read_torchlib_names, true },
  { STR_INIT("torchscript-support"), read_torchscript_support, false },
  { STR_INIT("traced-functions"), read_traced_functions, false },
};

enum { KIND_COUNT = COUNT(kinds) };

Records *records_new(void)
{
  return xcalloc(1, sizeof(Records));
}

void records_free(Records *records)
{
  if (!records)
    return;
  for (size_t i = 0; i < records->onnx.count; i++) {
    OnnxRecord *op = records->onnx.items[i];
    vec_free(&op->params[0]);
    vec_free(&op->params[1]);
    vec_free(&op->attributes);
    vec_free(&op->constraints);
  }
  buffer_done(&records->data);
  vec_free(&records->versions);
  vec_free(&records->schemas);
  vec_free(&records->support);
  vec_free(&records->dynamo);
  vec_free(&records->parts);
  vec_free(&records->torch_summaries);
  vec_free(&records->tags);
  vec_free(&records->passes);
  vec_free(&records->outcomes);
  vec_free(&records->onnx);
  vec_free(&records->texts);
  vec_free(&records->notes);
  vec_free(&records->helpers);
  vec_free(&records->members);
  vec_free(&records->export_arguments);
  vec_free(&records->functions);
  vec_free(&records->helper_words);
  vec_free(&records->descriptors);
  vec_free(&records->suffixes);
  vec_free(&records->api);
  vec_free(&records->export_words);
  vec_free(&records->error_messages);
  vec_free(&records->ways);
  vec_free(&records->kernels);
  vec_free(&records->torchlib);
  vec_free(&records->pairs);
  vec_free(&records->runtimes);
  vec_free(&records->sources);
  buffer_done(&records->messages);
  arena_done(&records->arena);
  free(records);
}

static void complain(Records *records, Where where, const char *format, va_list args)
{
  if (records->message_count++ >= MESSAGE_LIMIT)
    return;
  Str what = arena_vprintf(&records->arena, format, args);
  buffer_printf(&records->messages, "%.*s:", STR_ARG(where.file));
  if (where.place.len > 0)
    buffer_printf(&records->messages, " %.*s", STR_ARG(where.place));
  else
    buffer_printf(&records->messages, "%u", where.line);
  buffer_printf(&records->messages, ": %.*s\n", STR_ARG(what));
}

void records_error(Records *records, Where where, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  complain(records, where, format, args);
  va_end(args);
}

void records_complain(Records *records, Str file, Str place, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  complain(records, (Where){ .file = file, .place = place }, format, args);
  va_end(args);
}

Str records_messages(const Records *records)
{
  return buffer_str(&records->messages);
}

static const Kind *find_kind(Str name)
{
  for (size_t i = 0; i < KIND_COUNT; i++) {
    if (str_equal(kinds[i].name, name))
      return &kinds[i];
  }
  return NULL;
}

static void read_domain(Records *records, Str name)
{
  records->domain = str_equal(name, STR("ai.onnx")) ? STR("") : name;
  records->has_domain = true;
  if (name.len == 0 || str_find_char(name, ' ', 0) != STR_NOT_FOUND)
    records_error(records, records->where, "'domain' needs one name, for example 'domain ai.onnx'");
}

/// `kind`, `source` and `domain` lines; true if `line` was one.
static bool read_header(Records *records, Str line)
{
  Str rest = line;
  Str word = records_word(&rest);
  rest = str_trim(rest);
  if (str_equal(word, STR("kind"))) {
    records->kind = rest;
    if (!find_kind(rest))
      records_error(records, records->where, "unknown kind '%.*s'", STR_ARG(rest));
    return true;
  }
  if (str_equal(word, STR("source"))) {
    vec_push(&records->sources, (SourceRecord){ records->where.file, rest });
    return true;
  }
  if (str_equal(word, STR("domain"))) {
    read_domain(records, rest);
    return true;
  }
  return false;
}

/// Length of the UTF-8 sequence at the front of `s`; 0 if there is none.
static size_t utf8_length(Str s)
{
  unsigned char lead = (unsigned char)s.data[0];
  size_t len = lead < 0x80 ? 1 : lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : 4;
  if (len > s.len || lead > 0xF4 || (lead >= 0x80 && lead < 0xC2))
    return 0;
  for (size_t i = 1; i < len; i++) {
    if (((unsigned char)s.data[i] & 0xC0) != 0x80)
      return 0;
  }
  unsigned char next = len > 1 ? (unsigned char)s.data[1] : 0;
  bool is_overlong = (lead == 0xE0 && next < 0xA0) || (lead == 0xF0 && next < 0x90);
  bool is_outside = (lead == 0xED && next > 0x9F) || (lead == 0xF4 && next > 0x8F);
  return is_overlong || is_outside ? 0 : len;
}

/// Refuses what no reviewer would see, and what no message could carry.
static bool check_bytes(Records *records, Str line)
{
  for (size_t i = 0; i < line.len;) {
    size_t len = utf8_length(str_slice(line, i, line.len));
    if (len == 0) {
      records_error(records, records->where, "not UTF-8");
      return false;
    }
    if ((unsigned char)line.data[i] < ' ' && line.data[i] != '\t') {
      records_error(records, records->where, "control character 0x%02x", (unsigned)line.data[i]);
      return false;
    }
    i += len;
  }
  return true;
}

static void read_line(Records *records, Str line)
{
  if (line.len > 0 && line.data[line.len - 1] == '\r')
    line.len--;
  if (str_trim(line).len == 0 || line.data[0] == '#' || !check_bytes(records, line))
    return;
  const Kind *kind = find_kind(records->kind);
  bool may_be_header = !kind || !kind->is_text || str_find_char(line, '\t', 0) == STR_NOT_FOUND;
  if (may_be_header && read_header(records, line))
    return;
  if (kind)
    kind->read(records, line);
  else if (records->kind.len == 0)
    records_error(records, records->where, "a fact before the line 'kind ...'");
}

/// Counts `size` bytes; false, with one message, when they are too many.
static bool admit(Records *records, size_t size)
{
  bool was_full = records->byte_count > FACTS_BYTE_LIMIT;
  records->byte_count += size;
  bool is_full = records->byte_count > FACTS_BYTE_LIMIT;
  if (is_full && !was_full)
    records_error(records, records->where, "more than %d MB of facts", FACTS_BYTE_LIMIT / (1024 * 1024));
  return !is_full;
}

void records_read(Records *records, Str file, Str text)
{
  records->where = (Where){ .file = arena_copy(&records->arena, file) };
  if (!admit(records, text.len))
    return;
  text = arena_copy(&records->arena, text);
  records->kind = (Str){ 0 };
  records->domain = (Str){ 0 };
  records->has_domain = false;
  records->onnx_op = NULL;
  records->onnx_doc = NULL;
  records->message_defaults = (MessageRecord){ 0 };
  records->has_message = false;
  for (size_t start = 0; start < text.len;) {
    size_t end = str_find_char(text, '\n', start);
    if (end == STR_NOT_FOUND)
      end = text.len;
    records->where.line++;
    read_line(records, str_slice(text, start, end));
    start = end + 1;
  }
}

void records_read_fact(Records *records, Str file, Str place, Str kind, Str line)
{
  Arena *arena = &records->arena;
  records->where = (Where){ .file = arena_copy(arena, file), .place = arena_copy(arena, place) };
  if (!admit(records, line.len))
    return;
  records->kind = arena_copy(arena, kind);
  read_line(records, arena_copy(arena, line));
}

Str records_word(Str *line)
{
  Str s = *line;
  size_t start = 0;
  while (start < s.len && (s.data[start] == ' ' || s.data[start] == '\t'))
    start++;
  size_t depth = 0;
  bool quoted = false;
  size_t end = start;
  for (; end < s.len; end++) {
    char c = s.data[end];
    if (quoted) {
      if (c == '\\')
        end++;
      else if (c == '"')
        quoted = false;
      continue;
    }
    if (depth == 0 && (c == ' ' || c == '\t'))
      break;
    if (c == '"')
      quoted = true;
    else if (c == '(' || c == '[')
      depth++;
    else if ((c == ')' || c == ']') && depth > 0)
      depth--;
  }
  Str word = str_slice(s, start, end);
  *line = str_slice(s, end, s.len);
  return word;
}

bool records_number(Records *records, Str word, uint32_t max, const char *what, uint32_t *ret_value)
{
  uint64_t value;
  if (!str_to_uint(word, max, &value)) {
    records_error(records, records->where, "'%.*s' is not a valid %s (a number up to %u)", STR_ARG(word), what, max);
    return false;
  }
  *ret_value = (uint32_t)value;
  return true;
}
