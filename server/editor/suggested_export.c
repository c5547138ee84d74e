#include "editor/suggested_export.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "describe/operator_facts.h"
#include "editor/pasted_code.h"

// --- The call ---

typedef struct ExportArguments {
  size_t close;         ///< Of the bracket that ends the call.
  size_t last;          ///< After the last argument, or its comma.
  Range opset, dynamo;  ///< The values; empty if they are not given.
} ExportArguments;

/// After the string that begins at `at`, also one in three quotes.
static size_t string_end(Str code, size_t at)
{
  char quote = code.data[at];
  Str three = str_slice(code, at, at + 3);
  bool is_long = three.len == 3 && three.data[1] == quote && three.data[2] == quote;
  if (is_long) {
    size_t end = str_find(code, three, at + 3);
    return end == STR_NOT_FOUND ? code.len : end + 3;
  }
  size_t i = at + 1;
  while (i < code.len && code.data[i] != quote && code.data[i] != '\n')
    i += code.data[i] == '\\' ? 2 : 1;
  return i < code.len ? i + 1 : code.len;
}

/// The value of `name=` at `at`; empty if it is something else.
static Range value_at(Str code, size_t at, Str name)
{
  if (!str_starts_with(str_slice(code, at, code.len), name) || (at > 0 && ascii_is_dotted(code.data[at - 1])))
    return (Range){ 0 };
  size_t start = at + name.len;
  size_t end = start;
  while (end < code.len && ascii_is_dotted(code.data[end]))
    end++;
  return (Range){ start, end };
}

/// Reads the call whose arguments begin at `at`; false if it does not end within reach.
static bool read_arguments(Str code, size_t at, ExportArguments *ret_arguments)
{
  size_t limit = at + COMMENT_LINE_LIMIT < code.len ? at + COMMENT_LINE_LIMIT : code.len;
  uint32_t depth = 1;
  *ret_arguments = (ExportArguments){ .last = at };
  for (size_t i = at; i < limit; i++) {
    char c = code.data[i];
    Range opset = depth == 1 && c == 'o' ? value_at(code, i, STR("opset_version=")) : (Range){ 0 };
    Range dynamo = depth == 1 && c == 'd' ? value_at(code, i, STR("dynamo=")) : (Range){ 0 };
    ret_arguments->opset = opset.end > 0 ? opset : ret_arguments->opset;
    ret_arguments->dynamo = dynamo.end > 0 ? dynamo : ret_arguments->dynamo;
    if (c == '#') {
      i = str_find_char(str_slice(code, 0, limit), '\n', i);
      if (i == STR_NOT_FOUND)
        return false;
      continue;
    }
    if (c == '"' || c == '\'')
      i = string_end(str_slice(code, 0, limit), i) - 1;
    depth += c == '(' || c == '[' || c == '{' ? 1 : 0;
    depth -= c == ')' || c == ']' || c == '}' ? 1 : 0;
    ret_arguments->close = i;
    if (depth == 0)
      return ret_arguments->last > at;
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
      ret_arguments->last = i < limit ? i + 1 : limit;
  }
  return false;
}

/// A line that a traceback quotes comes after the one that names its file; what mail and IPython put before lines is no
/// code either.
static bool is_quoted(Str code, size_t at)
{
  size_t start = pasted_code_line_start(code, at);
  size_t before = start > 0 ? pasted_code_line_start(code, start - 1) : 0;
  Str head = str_slice(code, start, at);
  return str_contains(str_slice(code, before, start), STR("File \"")) || str_find_char(head, '>', 0) != STR_NOT_FOUND ||
         str_find_char(head, '|', 0) != STR_NOT_FOUND;
}

/// The one call; false if there is none or several.
static bool find_export(Str code, Range skipped, ExportArguments *ret_arguments)
{
  Str head = STR("onnx.export(");
  uint32_t count = 0;
  uint32_t tried = 0;
  for (size_t at = str_find(code, head, 0); at != STR_NOT_FOUND && count < 2 && tried < SUGGESTED_DIM_LIMIT;
       at = str_find(code, head, at + 1)) {
    ExportArguments arguments;
    bool is_skipped = at >= skipped.start && at < skipped.end;
    tried++;
    if (is_skipped || pasted_code_is_comment(code, at) || is_quoted(code, at) ||
        !read_arguments(code, at + head.len, &arguments))
      continue;
    *ret_arguments = arguments;
    count++;
  }
  return count == 1 && tried < SUGGESTED_DIM_LIMIT;
}

// --- Its edits ---

static bool is_number(Str text)
{
  uint64_t number = 0;
  return str_to_uint(text, OPSET_LIMIT, &number);
}

static Str comma_before(Str code, const ExportArguments *call)
{
  return code.data[call->last - 1] == ',' ? STR(" ") : STR(", ");
}

size_t suggested_export_edit(const void *wish, Str code, Range skipped, Arena *arena, const TextEdit **ret_edits)
{
  const ExportWish *export_wish = wish;
  ExportArguments call = { 0 };
  if (!find_export(code, skipped, &call))
    return 0;
  Str opset = str_slice(code, call.opset.start, call.opset.end);
  Str dynamo = str_slice(code, call.dynamo.start, call.dynamo.end);
  bool adds_opset = opset.len == 0 && !export_wish->is_dynamo;
  if ((opset.len > 0 && !is_number(opset)) || (dynamo.len > 0 && !str_equal(dynamo, STR("False"))))
    return 0;
  TextEdit *edits = ARENA_ARRAY(arena, TextEdit, 2);
  size_t count = 0;
  if (opset.len > 0)
    edits[count++] = (TextEdit){ call.opset, arena_printf(arena, "%d", export_wish->opset) };
  if (export_wish->is_dynamo && dynamo.len > 0)
    edits[count++] = (TextEdit){ call.dynamo, STR("True") };
  else if (export_wish->is_dynamo || adds_opset)
    edits[count++] =
        (TextEdit){ { call.last, call.last },
                    export_wish->is_dynamo ? arena_printf(arena, "%.*sdynamo=True", STR_ARG(comma_before(code, &call)))
                                           : arena_printf(arena, "%.*sopset_version=%d",
                                                          STR_ARG(comma_before(code, &call)), export_wish->opset) };
  if (count == 2 && edits[1].range.start < edits[0].range.start) {
    TextEdit first = edits[1];
    edits[1] = edits[0];
    edits[0] = first;
  }
  *ret_edits = edits;
  return count;
}

// --- The actions ---

typedef struct Refusal {
  Str op;
  uint64_t opset;
  Range range;
} Refusal;

/// "'aten::tile' to ONNX opset version 17 is not supported"; false if it goes on otherwise.
static bool read_refusal(Str line, Arena *arena, Refusal *ret_refusal)
{
  Str middle = STR(" to ONNX opset version ");
  size_t to = str_find(line, middle, 0);
  if (to == STR_NOT_FOUND)
    return false;
  Str op = str_slice(line, 0, to);
  if (op.len > 2 && op.data[0] == '\'' && op.data[op.len - 1] == '\'')
    op = str_slice(op, 1, op.len - 1);
  size_t number = to + middle.len;
  size_t end = ascii_digits_end(line, number);
  bool is_plain = str_find(op, STR("::"), 0) == STR_NOT_FOUND;
  ret_refusal->op = is_plain ? arena_printf(arena, "aten::%.*s", STR_ARG(op)) : op;
  return str_to_uint(str_slice(line, number, end), OPSET_LIMIT, &ret_refusal->opset);
}

/// The first message of its kind on the lines that the range touches.
static bool find_refusal(Str text, Range range, Arena *arena, Refusal *ret_refusal)
{
  Str head = STR("Exporting the operator ");
  for (size_t at = str_find(text, head, 0); at != STR_NOT_FOUND; at = str_find(text, head, at + 1)) {
    size_t start = pasted_code_line_start(text, at);
    Str line = str_slice(text, at + head.len, at + COMMENT_LINE_LIMIT);
    size_t end = str_find_char(line, '\n', 0);
    line = str_slice(line, 0, end);
    ret_refusal->range = (Range){ start, at + head.len + line.len };
    if (start > range.end)
      return false;
    if (ret_refusal->range.end >= range.start && read_refusal(line, arena, ret_refusal))
      return true;
  }
  return false;
}

static void offer(ActionJob *job, Str text, const Refusal *refusal, ExportWish wish, Str title)
{
  Action action = { .title = title };
  action.edit_count = suggested_export_edit(&wish, text, refusal->range, job->context->arena, &action.edits);
  if (action.edit_count > 0 || pasted_code_in_files(job, text, suggested_export_edit, &wish, &action.file))
    vec_push(&job->actions, action);
}

/// The oldest torch of the facts whose exporter converts it at some opset; NULL if none does.
static const OperatorVersion *version_with(const OperatorFacts *facts, Exporter exporter)
{
  for (size_t i = 0; i < facts->version_count; i++) {
    if (facts->versions[i].exporters[exporter].converted != 0)
      return &facts->versions[i];
  }
  return NULL;
}

static void add_ways(ActionJob *job, Str text, const Refusal *refusal)
{
  Arena *arena = job->context->arena;
  OperatorTarget target = { .db = target_db(snapshot_target(job->context->snapshot)) };
  OperatorFacts facts = operator_facts(&target, refusal->op, false, arena);
  const OperatorVersion *torch = version_with(&facts, EXPORTER_TORCHSCRIPT);
  int opset = torch ? opset_set_first(torch->exporters[EXPORTER_TORCHSCRIPT].converted) : 0;
  if (opset > (int)refusal->opset) {
    Str title = arena_printf(arena, "Export with opset_version=%d", opset);
    if (torch != &facts.versions[0])
      title = arena_printf(arena, "%.*s (torch %.*s and newer)", STR_ARG(title), STR_ARG(torch->torch));
    offer(job, text, refusal, (ExportWish){ .opset = opset }, title);
  }
  torch = version_with(&facts, EXPORTER_DYNAMO);
  if (torch) {
    const ExporterFacts *dynamo = &torch->exporters[EXPORTER_DYNAMO];
    ExportWish wish = { .opset = opset_set_first(dynamo->converted), .is_dynamo = true };
    offer(job, text, refusal, wish,
          arena_printf(arena, "Export with dynamo=True (torch %.*s and newer)", STR_ARG(torch->torch)));
  }
}

void suggested_export_act(ActionJob *job, Range range)
{
  const Document *document = snapshot_document(job->context->snapshot);
  Arena *arena = job->context->arena;
  if (document_length(document) > SUGGESTED_DIM_TEXT_LIMIT)
    return;
  Str text = document_slice(document, (Range){ 0, document_length(document) }, arena);
  Refusal refusal;
  if (find_refusal(text, range, arena, &refusal))
    add_ways(job, text, &refusal);
}
