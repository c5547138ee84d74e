#include "analysis/workspace.h"

#include <stdlib.h>

#include "analysis/python.h"
#include "analysis/snapshot_dump.h"
#include "base/map.h"
#include "base/vec.h"

enum { USE_LIMIT = 4096 };  ///< Operators of one dump.

struct Workspace {
  atomic_uint references;
  WorkspaceFile **files;  ///< Retained.
  size_t count;
  const WorkspaceSymbolic **by_name;  ///< Registrations, sorted by name and opset.
  size_t name_count;
  const WorkspaceSymbolic **functions;  ///< Entries with a function in their own file, sorted by its name.
  size_t function_count;
};

// --- One file ---

typedef struct FileBuilder {
  WorkspaceFile *file;
  const Document *document;
  const PyFile *python;
  Vec(WorkspaceSymbolic) symbolics;
} FileBuilder;

static void set_place(const FileBuilder *builder, WorkspaceSymbolic *symbolic, PyRef node)
{
  const PyNode *at = &builder->python->model->tree.nodes[node];
  symbolic->line = document_line_of(builder->document, at->start);
  symbolic->column = (uint32_t)(at->start - document_line_start(builder->document, symbolic->line));
  symbolic->length = at->end - at->start;
}

static void add_registration(FileBuilder *builder, const PyRegistration *registration)
{
  const PyModel *model = builder->python->model;
  Arena *arena = &builder->file->arena;
  if (registration->kind == PY_REG_UNREGISTER || !registration->name_known || !registration->opset_known)
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
  PyRef place = registration->node;
  if (registration->function != PY_ABSENT) {
    const PyFunction *function = &model->functions.items[registration->function];
    place = function->name_node ? function->name_node : function->node;
    symbolic.function = arena_copy(arena, function->name);
  }
  if (symbolic.opsets == 0)
    return;
  set_place(builder, &symbolic, place);
  symbolic.registered_line = document_line_of(builder->document, model->tree.nodes[registration->node].start);
  vec_push(&builder->symbolics, symbolic);
}

/// Functions that make nodes and that another file may register.
static void add_helpers(FileBuilder *builder)
{
  const PyModel *model = builder->python->model;
  for (size_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    bool is_free = function->parent == PY_ABSENT && !function->class_node && function->name.len > 0;
    if (!is_free || (function->roles & PY_ROLE_REGISTERED) != 0 ||
        ((function->roles & PY_ROLE_HELPER) == 0 && function->parse_args == PY_ABSENT))
      continue;
    WorkspaceSymbolic symbolic = {
      .uri = builder->file->uri,
      .function = arena_copy(&builder->file->arena, function->name),
    };
    set_place(builder, &symbolic, function->name_node);
    vec_push(&builder->symbolics, symbolic);
  }
}

static void read_python(FileBuilder *builder)
{
  const PyModel *model = builder->python->model;
  for (size_t i = 0; i < model->registrations.count; i++)
    add_registration(builder, &model->registrations.items[i]);
  add_helpers(builder);
  builder->file->symbolic_count = (uint32_t)builder->symbolics.count;
  WorkspaceSymbolic *symbolics = ARENA_ARRAY(&builder->file->arena, WorkspaceSymbolic, builder->symbolics.count);
  if (builder->symbolics.count > 0)
    memcpy(symbolics, builder->symbolics.items, builder->symbolics.count * sizeof(*symbolics));
  builder->file->symbolics = symbolics;
}

/// Adds up the operators of all chunks.
static void read_dump(FileBuilder *builder, const Dump *dump)
{
  Map *seen = map_new();
  Vec(WorkspaceUse) uses = { 0 };
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    for (uint32_t i = 0; i < index->item_count; i++) {
      uint32_t op = index->items[i].op;
      if (op == NO_OP || index->items[i].kind != ITEM_STATEMENT)
        continue;
      Str name = dump_op_name(index, chunk_text(dump->chunks[c]), op);
      uintptr_t number = (uintptr_t)map_get(seen, name);
      if (number > 0) {
        uses.items[number - 1].count++;
      } else if (uses.count < USE_LIMIT) {
        WorkspaceUse use = {
          .op = arena_copy(&builder->file->arena, name),
          .count = 1,
          .line = builder->document->chunk_lines[c] + index->items[i].line,
        };
        vec_push(&uses, use);
        map_put(seen, name, (void *)uses.count);
      }
    }
  }
  WorkspaceUse *items = ARENA_ARRAY(&builder->file->arena, WorkspaceUse, uses.count);
  if (uses.count > 0)
    memcpy(items, uses.items, uses.count * sizeof(*items));
  builder->file->uses = items;
  builder->file->use_count = (uint32_t)uses.count;
  vec_free(&uses);
  map_free(seen);
}

WorkspaceFile *workspace_file_new(const Snapshot *snapshot)
{
  const PyFile *python = snapshot_python(snapshot);
  const Dump *dump = snapshot_dump(snapshot);
  if (!python && !dump)
    return NULL;
  WorkspaceFile *file = xcalloc(1, sizeof(*file));
  file->references = 1;
  file->uri = arena_copy(&file->arena, snapshot_uri(snapshot));
  FileBuilder builder = { .file = file, .document = snapshot_document(snapshot), .python = python };
  if (python)
    read_python(&builder);
  else
    read_dump(&builder, dump);
  vec_free(&builder.symbolics);
  if (file->symbolic_count > 0 || file->use_count > 0)
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

bool workspace_file_same_symbolics(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t a_count = a ? a->symbolic_count : 0;
  uint32_t b_count = b ? b->symbolic_count : 0;
  if (a_count != b_count)
    return false;
  for (uint32_t i = 0; i < a_count; i++) {
    const WorkspaceSymbolic *x = &a->symbolics[i];
    const WorkspaceSymbolic *y = &b->symbolics[i];
    if (x->opsets != y->opsets || x->line != y->line || x->column != y->column || !str_equal(x->name, y->name) ||
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
    if (x->opsets != y->opsets || !str_equal(x->name, y->name))
      return false;
  }
}

// --- All files ---

static int compare_names(const void *a, const void *b)
{
  const WorkspaceSymbolic *x = *(const WorkspaceSymbolic *const *)a;
  const WorkspaceSymbolic *y = *(const WorkspaceSymbolic *const *)b;
  int order = str_compare(x->name, y->name);
  if (order == 0)
    order = str_compare(x->uri, y->uri);
  if (order == 0)
    order = x->line < y->line ? -1 : x->line > y->line;
  return order;
}

static int compare_functions(const void *a, const void *b)
{
  const WorkspaceSymbolic *x = *(const WorkspaceSymbolic *const *)a;
  const WorkspaceSymbolic *y = *(const WorkspaceSymbolic *const *)b;
  int order = str_compare(x->function, y->function);
  return order != 0 ? order : str_compare(x->uri, y->uri);
}

Workspace *workspace_new(WorkspaceFile *const *files, size_t count)
{
  Workspace *workspace = xcalloc(1, sizeof(*workspace));
  workspace->references = 1;
  workspace->files = xcalloc(count + 1, sizeof(*workspace->files));
  Vec(const WorkspaceSymbolic *) names = { 0 };
  Vec(const WorkspaceSymbolic *) functions = { 0 };
  for (size_t i = 0; i < count; i++) {
    if (!files[i])
      continue;
    workspace->files[workspace->count++] = workspace_file_retain(files[i]);
    for (uint32_t k = 0; k < files[i]->symbolic_count; k++) {
      const WorkspaceSymbolic *symbolic = &files[i]->symbolics[k];
      if (symbolic->name.len > 0)
        vec_push(&names, symbolic);
      if (symbolic->function.len > 0)
        vec_push(&functions, symbolic);
    }
  }
  if (names.count > 1)
    qsort(names.items, names.count, sizeof(*names.items), compare_names);
  if (functions.count > 1)
    qsort(functions.items, functions.count, sizeof(*functions.items), compare_functions);
  workspace->name_count = names.count;
  workspace->by_name = vec_take(&names);
  workspace->function_count = functions.count;
  workspace->functions = vec_take(&functions);
  return workspace;
}

Workspace *workspace_retain(const Workspace *workspace)
{
  Workspace *counted = (Workspace *)workspace;
  if (counted)
    atomic_fetch_add(&counted->references, 1);
  return counted;
}

void workspace_release(Workspace *workspace)
{
  if (!workspace || atomic_fetch_sub(&workspace->references, 1) != 1)
    return;
  for (size_t i = 0; i < workspace->count; i++)
    workspace_file_release(workspace->files[i]);
  free(workspace->files);
  free(workspace->by_name);
  free(workspace->functions);
  free(workspace);
}

size_t workspace_files(const Workspace *workspace, WorkspaceFile *const **ret_files)
{
  *ret_files = workspace ? workspace->files : NULL;
  return workspace ? workspace->count : 0;
}

// --- Asking ---

Str workspace_lookup_name(Str op, Arena *arena)
{
  if (str_starts_with(op, STR("::")))
    return arena_printf(arena, "aten%.*s", STR_ARG(op));
  return op;
}

/// The name that an operator of a graph is looked up by: one trailing underscore is dropped.
static Str graph_name(Str op)
{
  return str_ends_with(op, STR("_")) ? str_slice(op, 0, op.len - 1) : op;
}

/// Index of the first registration of exactly this name.
static size_t find_name(const Workspace *workspace, Str name)
{
  size_t low = 0;
  size_t high = workspace->name_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (str_compare(workspace->by_name[middle]->name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void workspace_each_symbolic(const Workspace *workspace, Str op,
                             bool (*visit)(const WorkspaceSymbolic *symbolic, void *context), void *context)
{
  Str name = graph_name(op);
  for (size_t i = workspace ? find_name(workspace, name) : 0; workspace && i < workspace->name_count; i++) {
    if (!str_equal(workspace->by_name[i]->name, name) || !visit(workspace->by_name[i], context))
      return;
  }
}

static bool add_opsets(const WorkspaceSymbolic *symbolic, void *context)
{
  if (!symbolic->is_builtin)
    *(uint64_t *)context |= symbolic->opsets;
  return true;
}

uint64_t workspace_opsets(const Workspace *workspace, Str op)
{
  uint64_t set = 0;
  workspace_each_symbolic(workspace, op, add_opsets, &set);
  return set;
}

/// Does the file at `uri` hold the module of `qualified` ("pkg.mod.function")?
static bool is_module_file(Str uri, Str qualified)
{
  size_t dot = str_rfind_char(qualified, '.');
  if (dot == STR_NOT_FOUND || !str_ends_with(uri, STR(".py")))
    return false;
  Str module = str_slice(qualified, 0, dot);
  Str path = str_slice(uri, 0, uri.len - 3);
  if (str_ends_with(path, STR("/__init__")))
    path = str_slice(path, 0, path.len - 9);
  while (module.len > 0 && module.data[0] == '.')
    module = str_slice(module, 1, module.len);  // A relative import.
  if (module.len == 0 || path.len < module.len)
    return false;
  Str tail = str_slice(path, path.len - module.len, path.len);
  for (size_t i = 0; i < module.len; i++) {
    if (tail.data[i] != (module.data[i] == '.' ? '/' : module.data[i]))
      return false;
  }
  return path.len == module.len || path.data[path.len - module.len - 1] == '/';
}

const WorkspaceSymbolic *workspace_definition(const Workspace *workspace, const WorkspaceSymbolic *symbolic)
{
  if (!workspace || symbolic->elsewhere.len == 0)
    return symbolic;
  size_t dot = str_rfind_char(symbolic->elsewhere, '.');
  Str name = str_slice(symbolic->elsewhere, dot + 1, symbolic->elsewhere.len);
  for (size_t i = 0; dot != STR_NOT_FOUND && i < workspace->function_count; i++) {
    const WorkspaceSymbolic *candidate = workspace->functions[i];
    if (str_equal(candidate->function, name) && is_module_file(candidate->uri, symbolic->elsewhere))
      return candidate;
  }
  return symbolic;
}

uint32_t workspace_use_count(const Workspace *workspace, Str name, uint32_t *ret_dumps)
{
  uint32_t count = 0;
  *ret_dumps = 0;
  for (size_t i = 0; workspace && i < workspace->count; i++) {
    const WorkspaceFile *file = workspace->files[i];
    bool any = false;
    for (uint32_t k = 0; k < file->use_count; k++) {
      if (!str_equal(graph_name(file->uses[k].op), name))
        continue;
      count += file->uses[k].count;
      any = true;
    }
    *ret_dumps += any;
  }
  return count;
}

/// The lowest opset of the exporter's range at which a function of the workspace is chosen; 0 for none.
static int first_custom(uint64_t custom, uint64_t all, OpsetRange range)
{
  for (int opset = range.min; opset <= range.max; opset++) {
    int chosen = py_dispatch(all, opset);
    if (chosen > 0 && (custom >> chosen & 1) != 0)
      return opset;
  }
  return 0;
}

SupportAnswer workspace_support(const Workspace *workspace, const SymbolicsDb *db, uint32_t torch, Str op, int opset)
{
  SupportAnswer answer = symbolics_support(db, torch, SYMBOLICS_TORCHSCRIPT, op, opset);
  uint64_t custom = workspace ? workspace_opsets(workspace, op) : 0;
  if (custom == 0)
    return answer;
  uint64_t all = custom | symbolics_support_marks(db, torch, SYMBOLICS_TORCHSCRIPT, op).registered;
  int chosen = py_dispatch(all, opset);
  if (chosen > 0 && (custom >> chosen & 1) != 0) {
    answer.status = SUPPORT_YES;
    answer.since = opset;
    return answer;
  }
  OpsetRange range;
  if (answer.status == SUPPORT_YES || !symbolics_opset_range(db, torch, SYMBOLICS_TORCHSCRIPT, &range))
    return answer;
  int since = first_custom(custom, all, range);
  if (since > opset && (answer.since == 0 || since < answer.since)) {
    answer.status = SUPPORT_NEWER;
    answer.since = since;
  }
  return answer;
}
