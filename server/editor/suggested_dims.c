#include "editor/suggested_dims.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "editor/pasted_code.h"

static Str name_at(Str s, size_t at)
{
  size_t end = at;
  while (end < s.len && ascii_is_word(s.data[end]))
    end++;
  return str_slice(s, at, end);
}

// --- Calls of Dim() ---

typedef struct DimCall {
  Range range;
  Str maker;      ///< "torch.export.Dim"
  Str name;       ///< What it is called in messages.
  Str arguments;  ///< After the name: ", min=2".
} DimCall;

/// The call whose `Dim(` is at `at`; false if it isn't one with a name in quotes.
static bool read_call(Str code, size_t at, DimCall *ret_call)
{
  size_t start = at;
  size_t open = at + 4;
  while (start > 0 && (ascii_is_word(code.data[start - 1]) || code.data[start - 1] == '.'))
    start--;
  bool is_whole_name = start == at || code.data[at - 1] == '.';
  char quote = open < code.len ? code.data[open] : '\0';
  if (!is_whole_name || (quote != '"' && quote != '\''))
    return false;
  Str name = name_at(code, open + 1);
  size_t after = open + 1 + name.len + 1;
  size_t close = str_find_char(str_slice(code, 0, after + SUGGESTED_DIM_VALUE_LIMIT), ')', after);
  if (name.len == 0 || after > code.len || code.data[after - 1] != quote || close == STR_NOT_FOUND ||
      str_find_char(str_slice(code, after, close), '(', 0) != STR_NOT_FOUND)
    return false;
  *ret_call = (DimCall){ .range = { start, close + 1 },
                         .maker = str_slice(code, start, at + 3),
                         .name = name,
                         .arguments = str_slice(code, after, close) };
  return true;
}

/// The next call from `*at` on, outside of `skipped`.
static bool next_call(Str code, Range skipped, size_t *at, DimCall *ret_call)
{
  for (size_t found = str_find(code, STR("Dim("), *at); found != STR_NOT_FOUND;
       found = str_find(code, STR("Dim("), found + 4)) {
    bool is_skipped = found >= skipped.start && found < skipped.end;
    *at = found + 4;
    if (!is_skipped && !pasted_code_is_comment(code, found) && read_call(code, found, ret_call))
      return true;
  }
  return false;
}

static bool find_call(Str code, Range skipped, Str name, DimCall *ret_call)
{
  for (size_t at = 0; next_call(code, skipped, &at, ret_call);) {
    if (str_equal(ret_call->name, name))
      return true;
  }
  return false;
}

// --- What is written ---

/// "min=2" in ", min=2, max=9"; empty if it is not there.
static Str keyword_of(Str arguments, Str keyword)
{
  size_t at = str_find(arguments, keyword, 0);
  size_t end = at == STR_NOT_FOUND ? at : str_find_char(arguments, ',', at);
  return at == STR_NOT_FOUND ? (Str){ 0 } : str_trim(str_slice(arguments, at, end));
}

/// A Dim of that name with the suggested bounds, and those of the code that nothing is said of.
static void write_dim(Buffer *out, Str maker, Str name, Str suggested, Str old)
{
  static const Str keywords[] = { STR_INIT("min="), STR_INIT("max=") };
  buffer_printf(out, "%.*s(\"%.*s\"", STR_ARG(maker), STR_ARG(name));
  for (size_t i = 0; i < COUNT(keywords); i++) {
    Str bound = keyword_of(suggested, keywords[i]);
    bound = str_ends_with(bound, STR("oo")) ? (Str){ 0 } : bound;  // Infinity is no name in Python.
    bound = bound.len > 0 ? bound : keyword_of(old, keywords[i]);
    if (bound.len > 0)
      buffer_printf(out, ", %.*s", STR_ARG(bound));
  }
  buffer_append_char(out, ')');
}

/// What is within "Dim('x', max=4)"; false if the value is something else.
static bool dim_arguments(Str value, Str *ret_arguments)
{
  bool is_dim = str_starts_with(value, STR("Dim(")) && str_ends_with(value, STR(")"));
  *ret_arguments = is_dim ? str_slice(value, 4, value.len - 1) : (Str){ 0 };
  return is_dim;
}

typedef struct Writer {
  const SuggestedDims *dims;
  Str code;
  Range skipped;
  Buffer out;
} Writer;

/// Another Dim that the value of `call` is made of; false if nothing is known of it.
static bool write_other(Writer *writer, const DimCall *call, Str name)
{
  const SuggestedDim *suggestion = suggested_fixes_find(writer->dims, name);
  DimCall other;
  Str arguments;
  bool is_made = find_call(writer->code, writer->skipped, name, &other);
  if (suggestion && dim_arguments(suggestion->value, &arguments)) {
    write_dim(&writer->out, call->maker, name, arguments, is_made ? other.arguments : (Str){ 0 });
  } else if (!suggestion && is_made) {
    buffer_append(&writer->out, str_slice(writer->code, other.range.start, other.range.end));
  } else {
    return false;
  }
  return true;
}

/// `8*_seq + 1`, `x` or `224`: Dims in place of their names.
static bool write_formula(Writer *writer, const DimCall *call, Str value)
{
  for (size_t i = 0; i < value.len;) {
    Str name = name_at(value, i);
    bool is_number = name.len > 0 && ascii_is_digit(name.data[0]);
    if (name.len == 0)
      buffer_append_char(&writer->out, value.data[i]);
    else if (is_number)
      buffer_append(&writer->out, name);
    else if (!write_other(writer, call, name))
      return false;
    i += name.len > 0 ? name.len : 1;
  }
  return true;
}

/// False if the value can't be written there.
static bool write_value(Writer *writer, const DimCall *call, Str value)
{
  Str arguments;
  if (dim_arguments(value, &arguments)) {
    write_dim(&writer->out, call->maker, call->name, arguments, call->arguments);
    return true;
  }
  return str_find_char(value, '(', 0) == STR_NOT_FOUND && str_find_char(value, '.', 0) == STR_NOT_FOUND &&
         write_formula(writer, call, value);
}

size_t suggested_dims_edit(const SuggestedDims *dims, Str code, Range skipped, Arena *arena, const TextEdit **ret_edits)
{
  Writer writer = { .dims = dims, .code = code, .skipped = skipped };
  Vec(TextEdit) edits = { 0 };
  DimCall call;
  size_t tried = 0;
  for (size_t at = 0; tried < SUGGESTED_DIM_LIMIT && next_call(code, skipped, &at, &call);) {
    const SuggestedDim *suggestion = suggested_fixes_find(dims, call.name);
    writer.out.len = 0;
    tried += suggestion ? 1 : 0;
    if (!suggestion || !write_value(&writer, &call, suggestion->value) ||
        str_equal(buffer_str(&writer.out), str_slice(code, call.range.start, call.range.end)))
      continue;
    vec_push(&edits, (TextEdit){ call.range, arena_copy(arena, buffer_str(&writer.out)) });
  }
  buffer_done(&writer.out);
  size_t count = edits.count;
  *ret_edits = vec_copy(&edits, arena);
  vec_free(&edits);
  return count;
}

// --- The action ---

static void push_action(ActionJob *job, Action action)
{
  action.title = STR("Apply the suggested fixes to the Dims");
  vec_push(&job->actions, action);
}

static size_t edit_code(const void *wish, Str code, Range skipped, Arena *arena, const TextEdit **ret_edits)
{
  return suggested_dims_edit(wish, code, skipped, arena, ret_edits);
}

void suggested_dims_act(ActionJob *job, Range range)
{
  const Document *document = snapshot_document(job->context->snapshot);
  if (document_length(document) > SUGGESTED_DIM_TEXT_LIMIT)
    return;
  Arena *arena = job->context->arena;
  Str text = document_slice(document, (Range){ 0, document_length(document) }, arena);
  SuggestedDims dims = suggested_fixes_read(text, arena);
  if (dims.count == 0)
    return;
  dims.range.start = pasted_code_line_start(text, dims.range.start);
  Action action = { 0 };
  action.edit_count = suggested_dims_edit(&dims, text, dims.range, arena, &action.edits);
  bool is_asked = range_touches(dims.range, range);
  for (size_t i = 0; i < action.edit_count; i++)
    is_asked |= range_touches(action.edits[i].range, range);
  if (is_asked && action.edit_count > 0)
    push_action(job, action);
  else if (is_asked && pasted_code_in_files(job, text, edit_code, &dims, &action.file))
    push_action(job, (Action){ .file = action.file });
}
