// What one file tells the others.
#include <stdlib.h>

#include "base/limits.h"
#include "core/workspace.h"
#include "text/path.h"
#include "text/uri.h"
#include "text/utf.h"

Str workspace_uri(Str uri, Arena *arena)
{
  Str path = uri_to_path(uri, arena);
  Str spelled = path.len > 0 ? uri_from_path(path_normalize(path, arena), arena) : path;
  return spelled.len > 0 ? spelled : uri;
}

WorkspacePlace workspace_place_in_line(Str line, uint32_t number, Range range)
{
  WorkspacePlace place = { .line = number };
  size_t start = range.start;
  size_t end = range.end < line.len ? range.end : line.len;  // Of several lines the first.
  bool is_near = end <= COLUMN_COUNT_LIMIT && utf_units(str_slice(line, 0, end), POS_UTF16) != end;  // And not ASCII.
  for (PosEncoding encoding = POS_UTF8; encoding <= POS_UTF32; encoding++) {
    place.start[encoding] = (uint32_t)(is_near ? utf_units(str_slice(line, 0, start), encoding) : start);
    place.end[encoding] = (uint32_t)(is_near ? utf_units(str_slice(line, 0, end), encoding) : end);
  }
  return place;
}

WorkspacePlace workspace_place(const Document *document, Range range)
{
  uint32_t number = document_line_of(document, range.start);
  size_t at = document_line_start(document, number);
  return workspace_place_in_line(document_line(document, number), number, (Range){ range.start - at, range.end - at });
}

Range workspace_op_in_line(Str line, size_t start, Str op)
{
  size_t first = str_find(line, op, 0);
  size_t found = STR_NOT_FOUND;
  bool has_namespace = str_find_char(op, ':', 0) != STR_NOT_FOUND;
  for (size_t at = first; at != STR_NOT_FOUND; at = str_find(line, op, at + 1)) {
    size_t end = at + op.len;
    if (end >= line.len || !memchr("([]", line.data[end], 3))
      continue;
    // `::Min(` of onnx_ir may follow a size such as `[Min(4, s20)]`.
    if (at >= 2 && line.data[at - 1] == ':' && line.data[at - 2] == ':')
      return (Range){ start + at, start + end };
    bool begins = at == 0 || memchr(" \t=.[", line.data[at - 1], 5);
    if (begins && has_namespace)
      return (Range){ start + at, start + end };
    found = found == STR_NOT_FOUND && begins ? at : found;
  }
  found = found == STR_NOT_FOUND ? first : found;  // The line is damaged.
  return found == STR_NOT_FOUND ? (Range){ start, start } : (Range){ start + found, start + found + op.len };
}

// --- Summaries ---

void workspace_file_take_operators(WorkspaceFile *file, const Document *document, const DefinedOperator *defined,
                                   size_t count)
{
  WorkspaceOperator *operators = ARENA_ARRAY(&file->arena, WorkspaceOperator, count);
  for (size_t i = 0; i < count; i++) {
    operators[i] = (WorkspaceOperator){ .uri = file->uri, .place = workspace_place(document, defined[i].place) };
    operators[i].defined = (DefinedOperator){ .name = arena_copy(&file->arena, defined[i].name),
                                              .overload = arena_copy(&file->arena, defined[i].overload),
                                              .schema = arena_copy(&file->arena, defined[i].schema),
                                              .is_kernel = defined[i].is_kernel };
  }
  file->operators = operators;
  file->operator_count = (uint32_t)count;
}

WorkspaceFile *workspace_file_new(const Snapshot *snapshot)
{
  if (!snapshot_model(snapshot))
    return NULL;
  WorkspaceFile *file = xcalloc(1, sizeof(*file));
  file->references = 1;
  file->uri = arena_copy(&file->arena, workspace_uri(snapshot_uri(snapshot), &file->arena));
  snapshot_language(snapshot)->summarize(snapshot, file);
  if (file->symbolic_count > 0 || file->use_count > 0 || file->call_count > 0 || file->export_count > 0 ||
      file->operator_count > 0 || file->translation_count > 0 || file->module_count > 0 || file->model_use_count > 0 ||
      file->model_name_count > 0 || file->constants.text.len > 0 || file->constants.is_wanted || file->import_count > 0)
    return file;
  workspace_file_release(file);
  return NULL;
}

WorkspaceFile *workspace_file_retain(const WorkspaceFile *file)
{
  WorkspaceFile *counted = (WorkspaceFile *)file;
  if (counted)
    atomic_fetch_add(&counted->references, 1);
  return counted;
}

void workspace_file_release(WorkspaceFile *file)
{
  if (!file || atomic_fetch_sub(&file->references, 1) != 1)
    return;
  Arena arena = file->arena;
  arena_done(&arena);
  free(file);
}

void workspace_file_each_foreign(const WorkspaceFile *file, NameVisitor *visit, void *context)
{
  for (uint32_t i = 0; i < file->symbolic_count; i++) {
    if (file->symbolics[i].elsewhere.len > 0)
      visit(file->symbolics[i].elsewhere, context);
  }
  for (uint32_t i = 0; i < file->call_count; i++)
    visit(file->calls[i].callee, context);
  for (uint32_t i = 0; i < file->model_use_count; i++)
    visit(file->model_uses[i].callee, context);
  for (uint32_t i = 0; i < file->model_name_count; i++)
    visit(file->model_names[i], context);
}

static bool same_place(const WorkspacePlace *a, const WorkspacePlace *b)
{
  return a->line == b->line && a->start[POS_UTF8] == b->start[POS_UTF8] && a->end[POS_UTF8] == b->end[POS_UTF8];
}

static bool same_calls(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t a_count = a ? a->call_count : 0;
  uint32_t b_count = b ? b->call_count : 0;
  bool is_same = a_count == b_count;
  for (uint32_t i = 0; i < a_count && is_same; i++) {
    const WorkspaceCall *x = &a->calls[i];
    const WorkspaceCall *y = &b->calls[i];
    is_same = same_place(&x->place, &y->place) && same_place(&x->caller->place, &y->caller->place) &&
              str_equal(x->callee, y->callee) && str_equal(x->caller->title, y->caller->title);
  }
  return is_same;
}

static bool same_operators(const WorkspaceFile *a, const WorkspaceFile *b, bool asks_places)
{
  uint32_t a_count = a ? a->operator_count : 0;
  uint32_t b_count = b ? b->operator_count : 0;
  bool is_same = a_count == b_count;
  for (uint32_t i = 0; i < a_count && is_same; i++) {
    const DefinedOperator *x = &a->operators[i].defined;
    const DefinedOperator *y = &b->operators[i].defined;
    is_same = str_equal(x->name, y->name) && str_equal(x->overload, y->overload) && str_equal(x->schema, y->schema) &&
              x->is_kernel == y->is_kernel &&
              (!asks_places || same_place(&a->operators[i].place, &b->operators[i].place));
  }
  return is_same;
}

static bool same_translations(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t a_count = a ? a->translation_count : 0;
  uint32_t b_count = b ? b->translation_count : 0;
  bool is_same = a_count == b_count;
  for (uint32_t i = 0; i < a_count && is_same; i++)
    is_same = str_equal(a->translations[i].name, b->translations[i].name) &&
              str_equal(a->translations[i].overload, b->translations[i].overload);
  return is_same;
}

static bool same_signature(const WorkspaceSignature *a, const WorkspaceSignature *b)
{
  return a->is_known == b->is_known && a->takes_graph == b->takes_graph && a->least == b->least && a->most == b->most &&
         a->positional == b->positional && a->attributes == b->attributes && a->tensors == b->tensors &&
         a->result == b->result && a->elements == b->elements && a->length == b->length;
}

bool workspace_file_same_symbolics(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t a_count = a ? a->symbolic_count : 0;
  uint32_t b_count = b ? b->symbolic_count : 0;
  if (a_count != b_count || !same_calls(a, b) || !same_operators(a, b, true) || !same_translations(a, b) ||
      !workspace_file_same_imports(a, b) || !workspace_file_same_constants(a, b))
    return false;
  for (uint32_t i = 0; i < a_count; i++) {
    const WorkspaceSymbolic *x = &a->symbolics[i];
    const WorkspaceSymbolic *y = &b->symbolics[i];
    if (x->is_helper != y->is_helper || x->is_stub != y->is_stub || x->opsets != y->opsets ||
        !same_place(&x->place, &y->place) || !same_place(&x->registration, &y->registration) ||
        !str_equal(x->name, y->name) || !str_equal(x->function, y->function) ||
        !str_equal(x->elsewhere, y->elsewhere) || !same_signature(&x->signature, &y->signature))
      return false;
  }
  return true;
}

bool workspace_file_keeps_operators(const WorkspaceFile *file)
{
  for (uint32_t i = 0; file && i < file->export_count; i++) {
    if (file->exports[i].keeps_operators)
      return true;
  }
  return false;
}

/// The next entry from `i` on that counts as support; NULL at the end.
static const WorkspaceSymbolic *next_support(const WorkspaceFile *file, uint32_t *i)
{
  while (file && *i < file->symbolic_count) {
    const WorkspaceSymbolic *symbolic = &file->symbolics[(*i)++];
    if (symbolic->name.len > 0 && !symbolic->is_builtin)
      return symbolic;
  }
  return NULL;
}

/// Whether calls in other files see the same functions.
static bool same_signatures(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t a_count = a ? a->symbolic_count : 0;
  uint32_t b_count = b ? b->symbolic_count : 0;
  bool is_same = a_count == b_count;
  for (uint32_t i = 0; i < a_count && is_same; i++)
    is_same = str_equal(a->symbolics[i].function, b->symbolics[i].function) &&
              same_signature(&a->symbolics[i].signature, &b->symbolics[i].signature);
  return is_same;
}

bool workspace_file_same_support(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t i = 0;
  uint32_t k = 0;
  if (!same_operators(a, b, false) || !same_translations(a, b) || !same_signatures(a, b) ||
      !workspace_file_same_models(a, b) || !workspace_file_same_constants(a, b) ||
      workspace_file_keeps_operators(a) != workspace_file_keeps_operators(b))
    return false;
  for (;;) {
    const WorkspaceSymbolic *x = next_support(a, &i);
    const WorkspaceSymbolic *y = next_support(b, &k);
    if (!x || !y)
      return x == y;
    if (x->opsets != y->opsets || x->is_stub != y->is_stub || !str_equal(x->name, y->name) ||
        !str_equal(x->elsewhere, y->elsewhere))
      return false;
  }
}

bool workspace_file_same_uses(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t a_count = a ? a->use_count : 0;
  uint32_t b_count = b ? b->use_count : 0;
  if (a_count != b_count)
    return false;
  for (uint32_t i = 0; i < a_count; i++) {
    if (a->uses[i].count != b->uses[i].count || !str_equal(a->uses[i].op, b->uses[i].op))
      return false;
  }
  return true;
}

Str workspace_lookup_name(Str name, Arena *arena)
{
  if (str_starts_with(name, STR("::")))
    return arena_printf(arena, "aten%.*s", STR_ARG(name));
  return name;
}
