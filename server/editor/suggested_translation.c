#include "editor/suggested_translation.h"

#include "base/limits.h"
#include "describe/translation_stub.h"
#include "editor/pasted_code.h"
#include "text/path.h"
#include "text/uri.h"

/// What is between `before` and the next quote; empty if it is not there.
static Str quoted_after(Str line, Str before)
{
  size_t at = str_find(line, before, 0);
  size_t end = at == STR_NOT_FOUND ? at : str_find_char(line, '\'', at + before.len);
  return end == STR_NOT_FOUND ? (Str){ 0 } : str_slice(line, at + before.len, end);
}

/// "aten::sum.dim_IntList" of "<OpOverload(op='aten.sum', overload='dim_IntList')>"; empty if it is something else.
static Str overload_in(Str line, Arena *arena)
{
  Str op = quoted_after(line, STR("<OpOverload(op='"));
  Str overload = quoted_after(line, STR("', overload='"));
  size_t dot = str_find_char(op, '.', 0);
  if (dot == STR_NOT_FOUND || overload.len == 0)
    return (Str){ 0 };
  Str name = arena_printf(arena, "%.*s::%.*s", (int)dot, op.data, STR_ARG(str_slice(op, dot + 1, op.len)));
  return str_equal(overload, STR("default")) ? name
                                             : arena_printf(arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(overload));
}

/// On the lines that the range touches; empty if there is none.
static Str find_overload(Str text, Range range, Arena *arena)
{
  Str head = STR("No ONNX function found for ");
  for (size_t at = str_find(text, head, 0); at != STR_NOT_FOUND; at = str_find(text, head, at + 1)) {
    Str line = str_slice(text, at, at + COMMENT_LINE_LIMIT);
    line = str_slice(line, 0, str_find_char(line, '\n', 0));
    if (pasted_code_line_start(text, at) > range.end)
      break;
    if (at + line.len >= range.start)
      return overload_in(line, arena);
  }
  return (Str){ 0 };
}

/// Of the newest torch that has it; NULL if the facts know none.
static const TorchOverload *schema_of(const SymbolicsDb *db, Str full)
{
  size_t dot = str_find_char(full, '.', 0);
  Str overload = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(full, dot + 1, full.len);
  const TorchOperator *op = symbolics_torch_operator(db, str_slice(full, 0, dot));
  const TorchOverload *newest = NULL;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *other = &op->overloads[i];
    if (str_equal(other->overload, overload) && (!newest || other->torch_versions > newest->torch_versions))
      newest = other;
  }
  return newest;
}

/// Beside the document; empty if that is no file, or the new one exists already.
static Str new_path(const FeatureContext *context, Str name)
{
  Str beside = uri_to_path(snapshot_uri(context->snapshot), context->arena);
  size_t slash = str_rfind_char(beside, '/');
  if (slash == STR_NOT_FOUND)
    return (Str){ 0 };
  Str path = path_join(str_slice(beside, 0, slash + 1), name, context->arena);
  bool exists = context->file_exists && context->file_exists(path, context->file_exists_context);
  return exists ? (Str){ 0 } : path;
}

void suggested_translation_act(ActionJob *job, Range range)
{
  const FeatureContext *context = job->context;
  const Document *document = snapshot_document(context->snapshot);
  Arena *arena = context->arena;
  if (document_length(document) > SUGGESTED_DIM_TEXT_LIMIT)
    return;
  Str text = document_slice(document, (Range){ 0, document_length(document) }, arena);
  Str full = find_overload(text, range, arena);
  Str function = translation_stub_name(full, arena);
  Str name = arena_printf(arena, "translation_%.*s.py", STR_ARG(function));
  FileChange change = { .path = function.len > 0 ? new_path(context, name) : (Str){ 0 }, .is_new = true };
  if (change.path.len == 0)
    return;
  TextEdit *edit = ARENA_NEW(arena, TextEdit);
  const TorchOverload *schema = schema_of(target_db(snapshot_target(context->snapshot)), full);
  *edit = (TextEdit){ { 0, 0 }, translation_stub(full, schema, arena) };
  change.edits = edit;
  change.edit_count = 1;
  Action action = { .file = change };
  action.title = arena_printf(arena, "Create a translation function for `%.*s` in %.*s", STR_ARG(full), STR_ARG(name));
  vec_push(&job->actions, action);
}
