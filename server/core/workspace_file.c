// What one file tells the others: summaries of Python files and of dumps.
#include <stdlib.h>

#include "python/model/python_file.h"
#include "graph/model/snapshot_dump.h"
#include "core/workspace.h"
#include "base/map.h"
#include "base/vec.h"
#include "text/path.h"
#include "text/uri.h"
#include "text/utf.h"

enum {
  USE_LIMIT = 4096,  ///< Operators of one dump.
  PLACE_LIMIT = 50,  ///< Places of each.
  CALL_LIMIT = 10000,
  /// Behind that a column is not counted: in one long line that would take the square of its length.
  COLUMN_LIMIT = 4096,
};

Str workspace_uri(Str uri, Arena *arena)
{
  Str path = uri_to_path(uri, arena);
  Str spelled = path.len > 0 ? uri_from_path(path_normalize(path, arena), arena) : path;
  return spelled.len > 0 ? spelled : uri;
}

static WorkspacePlace place_of(const Document *document, Range range)
{
  WorkspacePlace place = { .line = document_line_of(document, range.start) };
  Str line = document_line(document, place.line);
  size_t at = document_line_start(document, place.line);
  size_t start = range.start - at;
  size_t end = range.end - at < line.len ? range.end - at : line.len;  // Of several lines the first.
  for (PosEncoding encoding = POS_UTF8; encoding <= POS_UTF32; encoding++) {
    bool is_near = end <= COLUMN_LIMIT;
    place.start[encoding] = (uint32_t)(is_near ? utf_units(str_slice(line, 0, start), encoding) : start);
    place.end[encoding] = (uint32_t)(is_near ? utf_units(str_slice(line, 0, end), encoding) : end);
  }
  return place;
}

// --- Python ---

typedef struct FileBuilder {
  WorkspaceFile *file;
  const Document *document;
  const PyFile *python;
  Vec(WorkspaceSymbolic) symbolics;
  Vec(WorkspaceCall) calls;
  const WorkspaceCaller **callers;  ///< By function; NULL for what has not called anything yet.
  const bool *functions;            ///< Of the graph, see py_graph_functions().
} FileBuilder;

static WorkspacePlace node_place(const FileBuilder *builder, PyRef node)
{
  const PyNode *at = &builder->python->model->tree.nodes[node];
  return place_of(builder->document, (Range){ at->start, at->end });
}

static WorkspacePlace registration_place(const FileBuilder *builder, const PyRegistration *registration)
{
  return node_place(builder, registration->name_node ? registration->name_node : registration->node);
}

static void add_registration(FileBuilder *builder, const PyRegistration *registration)
{
  const PyModel *model = builder->python->model;
  Arena *arena = &builder->file->arena;
  bool is_here = registration->kind != PY_REG_UNREGISTER && registration->kind != PY_REG_ELSEWHERE;
  if (!is_here || !registration->name_known || !registration->opset_known)
    return;
  WorkspaceSymbolic symbolic = {
    .name = arena_copy(arena, workspace_lookup_name(registration->name, arena)),
    .uri = builder->file->uri,
    .elsewhere = arena_copy(arena, registration->function_name),
    .is_builtin = model->is_builtin,
  };
  for (uint32_t i = 0; i < registration->opset_count; i++) {
    int opset = model->opsets.items[registration->first_opset + i];
    if (opset >= 0 && opset <= SYMBOLICS_OPSET_LIMIT)
      symbolic.opsets |= UINT64_C(1) << opset;
  }
  symbolic.registration = registration_place(builder, registration);
  symbolic.place = symbolic.registration;
  if (registration->function != PY_ABSENT) {
    const PyFunction *function = &model->functions.items[registration->function];
    symbolic.function = arena_copy(arena, function->name);
    if (function->name_node)
      symbolic.place = node_place(builder, function->name_node);
  }
  if (symbolic.opsets != 0)
    vec_push(&builder->symbolics, symbolic);
}

static bool is_registered_here(const PyModel *model, uint32_t function)
{
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    if (registration->kind != PY_REG_ELSEWHERE)
      return true;
  }
  return false;
}

/// Functions that another file may register.
static void add_helpers(FileBuilder *builder)
{
  const PyModel *model = builder->python->model;
  for (size_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    bool is_free = function->parent == PY_ABSENT && !function->class_node && function->name.len > 0;
    if (!is_free || function->param_count == 0 || is_registered_here(model, (uint32_t)i))
      continue;
    WorkspaceSymbolic symbolic = {
      .uri = builder->file->uri,
      .function = arena_copy(&builder->file->arena, function->name),
      .place = node_place(builder, function->name_node),
      .is_helper = builder->functions[i],
    };
    symbolic.registration = symbolic.place;
    vec_push(&builder->symbolics, symbolic);
  }
}

static WorkspacePlace function_place(const FileBuilder *builder, const PyFunction *function)
{
  if (function->name_node)
    return node_place(builder, function->name_node);
  uint32_t start = builder->python->model->tree.nodes[function->node].start;
  return place_of(builder->document, (Range){ start, start + STR("lambda").len });
}

static const WorkspaceCaller *caller_of(FileBuilder *builder, uint32_t function)
{
  const PyModel *model = builder->python->model;
  Arena *arena = &builder->file->arena;
  if (!builder->callers[function]) {
    const PyFunction *at = &model->functions.items[function];
    const PyRegistration *first = py_registration(model, at->first_registration);
    WorkspaceCaller *caller = ARENA_NEW(arena, WorkspaceCaller);
    *caller = (WorkspaceCaller){
      .title = arena_copy(arena, py_function_title(model, function, arena)),
      .is_method = at->class_node != 0,
      .place = function_place(builder, at),
      .registration = first ? registration_place(builder, first) : function_place(builder, at),
    };
    builder->callers[function] = caller;
  }
  return builder->callers[function];
}

/// The last name of `pkg.mod.function`.
static PyRef last_name(const PyTree *tree, PyRef node)
{
  PyRef name = py_kind(tree, node) == PYK_ATTRIBUTE ? py_child(tree, node, PY_F_ATTRIBUTE) : 0;
  return name ? name : node;
}

/// Calls of functions of other modules. Whether a file of the workspace has them is asked when it matters.
static void add_calls(FileBuilder *builder)
{
  const PyModel *model = builder->python->model;
  builder->callers = xcalloc(model->functions.count + 1, sizeof(*builder->callers));
  for (size_t i = 0; i < model->calls.count && builder->calls.count < CALL_LIMIT; i++) {
    const PyCall *call = &model->calls.items[i];
    uint32_t caller = py_function_around(model, builder->functions, call->scope);
    bool is_foreign = call->function == PY_ABSENT && str_rfind_char(call->qualified, '.') != STR_NOT_FOUND;
    if (caller == PY_ABSENT || !is_foreign)
      continue;
    WorkspaceCall found = {
      .callee = arena_copy(&builder->file->arena, call->qualified),
      .uri = builder->file->uri,
      .caller = caller_of(builder, caller),
      .place = node_place(builder, last_name(&model->tree, call->function_node)),
    };
    vec_push(&builder->calls, found);
  }
  free(builder->callers);
  WorkspaceCall *calls = ARENA_ARRAY(&builder->file->arena, WorkspaceCall, builder->calls.count);
  if (builder->calls.count > 0)
    memcpy(calls, builder->calls.items, builder->calls.count * sizeof(*calls));
  builder->file->calls = calls;
  builder->file->call_count = (uint32_t)builder->calls.count;
}

static void read_python(FileBuilder *builder)
{
  const PyModel *model = builder->python->model;
  Arena scratch = { 0 };
  builder->functions = py_graph_functions(model, &scratch);
  for (size_t i = 0; i < model->registrations.count; i++)
    add_registration(builder, &model->registrations.items[i]);
  add_helpers(builder);
  builder->file->symbolic_count = (uint32_t)builder->symbolics.count;
  WorkspaceSymbolic *symbolics = ARENA_ARRAY(&builder->file->arena, WorkspaceSymbolic, builder->symbolics.count);
  if (builder->symbolics.count > 0)
    memcpy(symbolics, builder->symbolics.items, builder->symbolics.count * sizeof(*symbolics));
  builder->file->symbolics = symbolics;
  add_calls(builder);
  arena_done(&scratch);
}

// --- Dumps ---

typedef struct UseBuilder {
  WorkspaceFile *file;
  const Document *document;
  Map *seen;  ///< Operator to its number, from 1.
  Vec(WorkspaceUse) uses;
} UseBuilder;

/// The number of an operator; USE_LIMIT if there are too many.
static size_t use_number(UseBuilder *builder, Str name)
{
  uintptr_t number = (uintptr_t)map_get(builder->seen, name);
  if (number > 0)
    return number - 1;
  if (builder->uses.count == USE_LIMIT)
    return USE_LIMIT;
  vec_push(&builder->uses, (WorkspaceUse){ .op = arena_copy(&builder->file->arena, name) });
  map_put(builder->seen, name, (void *)builder->uses.count);
  return builder->uses.count - 1;
}

Range workspace_op_in_line(Str line, size_t start, Str op)
{
  size_t first = str_find(line, op, 0);
  for (size_t at = first; at != STR_NOT_FOUND; at = str_find(line, op, at + 1)) {
    size_t end = at + op.len;
    if (end < line.len && (line.data[end] == '(' || line.data[end] == '['))
      return (Range){ start + at, start + end };
  }
  // The line is damaged.
  return first == STR_NOT_FOUND ? (Range){ start, start } : (Range){ start + first, start + first + op.len };
}

static void add_place(UseBuilder *builder, WorkspaceUse *use, uint32_t line)
{
  Arena *arena = &builder->file->arena;
  WorkspacePlace *places = (WorkspacePlace *)use->places;
  // They grow like 1, 2, 4...: most operators come once or twice.
  if ((use->place_count & (use->place_count - 1)) == 0) {
    uint32_t room = use->place_count > 0 ? use->place_count * 2 : 1;
    places = ARENA_ARRAY(arena, WorkspacePlace, room < PLACE_LIMIT ? room : PLACE_LIMIT);
    if (use->place_count > 0)
      memcpy(places, use->places, use->place_count * sizeof(*places));
    use->places = places;
  }
  Range range = workspace_op_in_line(document_line(builder->document, line),
                                     document_line_start(builder->document, line), use->op);
  places[use->place_count++] = place_of(builder->document, range);
}

static void add_chunk_uses(UseBuilder *builder, const DumpIndex *index, Str text, uint32_t first_line)
{
  size_t *numbers = xcalloc(index->op_count + 1, sizeof(*numbers));
  for (uint32_t i = 0; i < index->op_count; i++)
    numbers[i] = use_number(builder, dump_op_name(index, text, i));
  for (uint32_t i = 0; i < index->item_count; i++) {
    const Item *item = &index->items[i];
    size_t number = item->op != NO_OP && item->kind == ITEM_STATEMENT ? numbers[item->op] : USE_LIMIT;
    if (number == USE_LIMIT)
      continue;
    WorkspaceUse *use = &builder->uses.items[number];
    if (use->count++ < PLACE_LIMIT)
      add_place(builder, use, first_line + item->line);
  }
  free(numbers);
}

/// Adds up the operators of all chunks.
static void read_dump(FileBuilder *file, const Dump *dump)
{
  UseBuilder builder = { .file = file->file, .document = file->document, .seen = map_new() };
  for (uint32_t c = 0; c < dump->chunk_count; c++)
    add_chunk_uses(&builder, dump->chunks[c]->index, chunk_text(dump->chunks[c]), file->document->chunk_lines[c]);
  WorkspaceUse *items = ARENA_ARRAY(&file->file->arena, WorkspaceUse, builder.uses.count);
  uint32_t count = 0;
  for (size_t i = 0; i < builder.uses.count; i++) {
    if (builder.uses.items[i].count > 0)
      items[count++] = builder.uses.items[i];
  }
  file->file->uses = items;
  file->file->use_count = count;
  vec_free(&builder.uses);
  map_free(builder.seen);
}

// --- Summaries ---

WorkspaceFile *workspace_file_new(const Snapshot *snapshot)
{
  const PyFile *python = snapshot_python(snapshot);
  const Dump *dump = snapshot_dump(snapshot);
  if (!python && !dump)
    return NULL;
  WorkspaceFile *file = xcalloc(1, sizeof(*file));
  file->references = 1;
  file->uri = arena_copy(&file->arena, workspace_uri(snapshot_uri(snapshot), &file->arena));
  FileBuilder builder = { .file = file, .document = snapshot_document(snapshot), .python = python };
  if (python)
    read_python(&builder);
  else
    read_dump(&builder, dump);
  vec_free(&builder.symbolics);
  vec_free(&builder.calls);
  if (file->symbolic_count > 0 || file->use_count > 0 || file->call_count > 0)
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

bool workspace_file_same_symbolics(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t a_count = a ? a->symbolic_count : 0;
  uint32_t b_count = b ? b->symbolic_count : 0;
  if (a_count != b_count || !same_calls(a, b))
    return false;
  for (uint32_t i = 0; i < a_count; i++) {
    const WorkspaceSymbolic *x = &a->symbolics[i];
    const WorkspaceSymbolic *y = &b->symbolics[i];
    if (x->is_helper != y->is_helper || x->opsets != y->opsets || !same_place(&x->place, &y->place) ||
        !same_place(&x->registration, &y->registration) || !str_equal(x->name, y->name) ||
        !str_equal(x->function, y->function) || !str_equal(x->elsewhere, y->elsewhere))
      return false;
  }
  return true;
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

bool workspace_file_same_support(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t i = 0;
  uint32_t k = 0;
  for (;;) {
    const WorkspaceSymbolic *x = next_support(a, &i);
    const WorkspaceSymbolic *y = next_support(b, &k);
    if (!x || !y)
      return x == y;
    if (x->opsets != y->opsets || !str_equal(x->name, y->name) || !str_equal(x->elsewhere, y->elsewhere))
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
