#include "analysis/workspace.h"

#include <stdlib.h>

#include "analysis/python.h"
#include "analysis/snapshot_dump.h"
#include "base/map.h"
#include "base/vec.h"
#include "text/path.h"
#include "text/uri.h"
#include "text/utf.h"

enum {
  USE_LIMIT = 4096,    ///< Operators of one dump.
  PLACE_LIMIT = 50,    ///< Places of each.
  COLUMN_LIMIT = 4096  ///< Behind that a column is not counted: in one long line that would take the square of its length.
};

/// One dump's use of one operator.
typedef struct UseEntry {
  Str name;  ///< Under which it is looked up.
  const WorkspaceFile *file;
  const WorkspaceUse *use;
} UseEntry;

struct Workspace {
  atomic_uint references;
  WorkspaceFile **files;  ///< Retained.
  size_t count;
  const WorkspaceSymbolic **by_name;  ///< Registrations, sorted by name and opset.
  size_t name_count;
  const WorkspaceSymbolic **functions;  ///< Entries with a function in their own file, sorted by its name.
  size_t function_count;
  const WorkspaceSymbolic **foreign;  ///< Registrations of functions of other files.
  size_t foreign_count;
  UseEntry *by_use;  ///< Sorted by name and URI.
  size_t use_count;
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

// --- One file ---

typedef struct FileBuilder {
  WorkspaceFile *file;
  const Document *document;
  const PyFile *python;
  Vec(WorkspaceSymbolic) symbolics;
} FileBuilder;

static WorkspacePlace node_place(const FileBuilder *builder, PyRef node)
{
  const PyNode *at = &builder->python->model->tree.nodes[node];
  return place_of(builder->document, (Range){ at->start, at->end });
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
  symbolic.registration = node_place(builder, registration->name_node ? registration->name_node : registration->node);
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
    };
    symbolic.registration = symbolic.place;
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
  for (size_t at = 0; (at = str_find(line, op, at)) != STR_NOT_FOUND; at++) {
    size_t end = at + op.len;
    if (end < line.len && (line.data[end] == '(' || line.data[end] == '['))
      return (Range){ start + at, start + end };
  }
  return (Range){ start, start };
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
  Range range = workspace_op_in_line(document_line(builder->document, line), document_line_start(builder->document, line), use->op);
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

static bool same_place(const WorkspacePlace *a, const WorkspacePlace *b)
{
  return a->line == b->line && a->start[POS_UTF8] == b->start[POS_UTF8] && a->end[POS_UTF8] == b->end[POS_UTF8];
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
    if (x->opsets != y->opsets || !same_place(&x->place, &y->place) || !same_place(&x->registration, &y->registration) ||
        !str_equal(x->name, y->name) || !str_equal(x->function, y->function) || !str_equal(x->elsewhere, y->elsewhere))
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

// --- All files ---

static int compare_places(const WorkspacePlace *a, const WorkspacePlace *b)
{
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  return a->start[POS_UTF8] < b->start[POS_UTF8] ? -1 : a->start[POS_UTF8] > b->start[POS_UTF8];
}

static int compare_names(const void *a, const void *b)
{
  const WorkspaceSymbolic *x = *(const WorkspaceSymbolic *const *)a;
  const WorkspaceSymbolic *y = *(const WorkspaceSymbolic *const *)b;
  int order = str_compare(x->name, y->name);
  if (order == 0)
    order = str_compare(x->uri, y->uri);
  if (order == 0)
    order = compare_places(&x->registration, &y->registration);
  return order;
}

static int compare_functions(const void *a, const void *b)
{
  const WorkspaceSymbolic *x = *(const WorkspaceSymbolic *const *)a;
  const WorkspaceSymbolic *y = *(const WorkspaceSymbolic *const *)b;
  int order = str_compare(x->function, y->function);
  if (order == 0)
    order = str_compare(x->uri, y->uri);
  return order != 0 ? order : compare_places(&x->place, &y->place);
}

static int compare_uses(const void *a, const void *b)
{
  const UseEntry *x = a;
  const UseEntry *y = b;
  int order = str_compare(x->name, y->name);
  return order != 0 ? order : str_compare(x->file->uri, y->file->uri);
}

static void index_uses(Workspace *workspace)
{
  Vec(UseEntry) uses = { 0 };
  for (size_t i = 0; i < workspace->count; i++) {
    const WorkspaceFile *file = workspace->files[i];
    for (uint32_t k = 0; k < file->use_count; k++)
      vec_push(&uses, (UseEntry){ workspace_graph_name(file->uses[k].op), file, &file->uses[k] });
  }
  if (uses.count > 1)
    qsort(uses.items, uses.count, sizeof(*uses.items), compare_uses);
  workspace->use_count = uses.count;
  workspace->by_use = vec_take(&uses);
}

typedef Vec(const WorkspaceSymbolic *) SymbolicList;

static const WorkspaceSymbolic **take_sorted(SymbolicList *list, int (*compare)(const void *a, const void *b),
                                             size_t *ret_count)
{
  *ret_count = list->count;
  if (list->count > 1)
    qsort(list->items, list->count, sizeof(*list->items), compare);
  return vec_take(list);
}

Workspace *workspace_new(WorkspaceFile *const *files, size_t count)
{
  Workspace *workspace = xcalloc(1, sizeof(*workspace));
  workspace->references = 1;
  workspace->files = xcalloc(count + 1, sizeof(*workspace->files));
  Map *seen = map_new();
  SymbolicList names = { 0 };
  SymbolicList functions = { 0 };
  SymbolicList foreign = { 0 };
  for (size_t i = 0; i < count; i++) {
    if (!files[i] || map_put(seen, files[i]->uri, files[i]))
      continue;
    workspace->files[workspace->count++] = workspace_file_retain(files[i]);
    for (uint32_t k = 0; k < files[i]->symbolic_count; k++) {
      const WorkspaceSymbolic *symbolic = &files[i]->symbolics[k];
      if (symbolic->name.len > 0)
        vec_push(&names, symbolic);
      if (symbolic->function.len > 0)
        vec_push(&functions, symbolic);
      if (symbolic->elsewhere.len > 0)
        vec_push(&foreign, symbolic);
    }
  }
  map_free(seen);
  workspace->by_name = take_sorted(&names, compare_names, &workspace->name_count);
  workspace->functions = take_sorted(&functions, compare_functions, &workspace->function_count);
  workspace->foreign = take_sorted(&foreign, compare_names, &workspace->foreign_count);
  index_uses(workspace);
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
  free(workspace->foreign);
  free(workspace->by_use);
  free(workspace);
}

size_t workspace_files(const Workspace *workspace, WorkspaceFile *const **ret_files)
{
  *ret_files = workspace ? workspace->files : NULL;
  return workspace ? workspace->count : 0;
}

// --- Asking ---

Str workspace_lookup_name(Str name, Arena *arena)
{
  if (str_starts_with(name, STR("::")))
    return arena_printf(arena, "aten%.*s", STR_ARG(name));
  return name;
}

// One underscore at the end is dropped, whatever it stands for.
Str workspace_graph_name(Str op)
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

void workspace_each_symbolic(const Workspace *workspace, Str op, WorkspaceVisitor *visit, void *context)
{
  Str name = workspace_graph_name(op);
  for (size_t i = workspace ? find_name(workspace, name) : 0; workspace && i < workspace->name_count; i++) {
    if (!str_equal(workspace->by_name[i]->name, name) || !visit(workspace->by_name[i], context))
      return;
  }
}

void workspace_each(const Workspace *workspace, WorkspaceVisitor *visit, void *context)
{
  for (size_t i = 0; workspace && i < workspace->name_count; i++) {
    if (!visit(workspace->by_name[i], context))
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

/// Does the path of a module's file, without `.py`, end with `module` ("pkg.mod")?
static bool path_has_module(Str path, Str module)
{
  if (module.len == 0 || path.len < module.len)
    return false;
  Str tail = str_slice(path, path.len - module.len, path.len);
  for (size_t i = 0; i < module.len; i++) {
    if (tail.data[i] != (module.data[i] == '.' ? '/' : module.data[i]))
      return false;
  }
  return path.len == module.len || path.data[path.len - module.len - 1] == '/';
}

static Str folder_of(Str path)
{
  size_t slash = str_rfind_char(path, '/');
  return slash == STR_NOT_FOUND ? (Str){ 0 } : str_slice(path, 0, slash);
}

/// Does the file at `uri` hold `module` as the file at `from` imports it? ".ops" lies beside that, "..ops" one above.
static bool is_module_file(Str uri, Str module, Str from)
{
  if (!str_ends_with(uri, STR(".py")))
    return false;
  Str path = str_slice(uri, 0, uri.len - 3);
  if (str_ends_with(path, STR("/__init__")))
    path = str_slice(path, 0, path.len - 9);
  if (module.len == 0 || module.data[0] != '.')
    return path_has_module(path, module);
  Str folder = from;
  for (; module.len > 0 && module.data[0] == '.'; module = str_slice(module, 1, module.len))
    folder = folder_of(folder);
  if (module.len == 0)
    return str_equal(path, folder);
  return str_starts_with(path, folder) && path.len == folder.len + 1 + module.len && path_has_module(path, module);
}

/// How far two files' places agree: of several modules of one name the nearest is meant.
static size_t nearness(Str a, Str b)
{
  size_t same = 0;
  size_t folders = 0;
  for (; same < a.len && same < b.len && a.data[same] == b.data[same]; same++)
    folders += a.data[same] == '/';
  return folders;
}

static size_t find_function(const Workspace *workspace, Str name)
{
  size_t low = 0;
  size_t high = workspace->function_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (str_compare(workspace->functions[middle]->function, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

typedef struct ForeignName {
  Str module;  ///< "pkg.mod", ".mod", "."; empty if there is none.
  Str function;
} ForeignName;

static ForeignName foreign_name(Str qualified)
{
  size_t dot = str_rfind_char(qualified, '.');
  if (dot == STR_NOT_FOUND)
    return (ForeignName){ .function = qualified };
  // The dot of `from . import name` belongs to the module.
  size_t end = dot > 0 && qualified.data[dot - 1] != '.' ? dot : dot + 1;
  return (ForeignName){ str_slice(qualified, 0, end), str_slice(qualified, dot + 1, qualified.len) };
}

const WorkspaceSymbolic *workspace_definition(const Workspace *workspace, const WorkspaceSymbolic *symbolic)
{
  ForeignName name = foreign_name(symbolic->elsewhere);
  if (!workspace || name.module.len == 0)
    return symbolic;
  const WorkspaceSymbolic *best = symbolic;
  size_t best_nearness = 0;
  for (size_t i = find_function(workspace, name.function); i < workspace->function_count; i++) {
    const WorkspaceSymbolic *candidate = workspace->functions[i];
    if (!str_equal(candidate->function, name.function))
      break;
    size_t near = nearness(candidate->uri, symbolic->uri);
    if (near > best_nearness && is_module_file(candidate->uri, name.module, symbolic->uri)) {
      best = candidate;
      best_nearness = near;
    }
  }
  return best;
}

void workspace_each_foreign(const Workspace *workspace, Str uri, Str function, WorkspaceVisitor *visit, void *context)
{
  Arena arena = { 0 };
  Str file = workspace_uri(uri, &arena);
  for (size_t i = 0; workspace && i < workspace->foreign_count; i++) {
    const WorkspaceSymbolic *symbolic = workspace->foreign[i];
    ForeignName name = foreign_name(symbolic->elsewhere);
    if (!str_equal(name.function, function) || str_equal(symbolic->uri, file) ||
        !is_module_file(file, name.module, symbolic->uri))
      continue;
    // Of several modules of one name the nearest is meant.
    const WorkspaceSymbolic *definition = workspace_definition(workspace, symbolic);
    bool is_here = definition == symbolic || str_equal(definition->uri, file);
    if (is_here && !visit(symbolic, context))
      break;
  }
  arena_done(&arena);
}

void workspace_each_use(const Workspace *workspace, Str name, WorkspaceUseVisitor *visit, void *context)
{
  size_t low = 0;
  size_t high = workspace ? workspace->use_count : 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (str_compare(workspace->by_use[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; workspace && low < workspace->use_count; low++) {
    const UseEntry *entry = &workspace->by_use[low];
    if (!str_equal(entry->name, name) || !visit(entry->file, entry->use, context))
      return;
  }
}

typedef struct UseCount {
  const WorkspaceFile *last;
  uint32_t count;
  uint32_t dumps;
} UseCount;

static bool count_use(const WorkspaceFile *file, const WorkspaceUse *use, void *context)
{
  UseCount *total = context;
  total->count += use->count;
  total->dumps += file != total->last;
  total->last = file;
  return true;
}

uint32_t workspace_use_count(const Workspace *workspace, Str name, uint32_t *ret_dumps)
{
  UseCount total = { 0 };
  workspace_each_use(workspace, name, count_use, &total);
  *ret_dumps = total.dumps;
  return total.count;
}

/// The lowest opset from `from` on at which an export chooses a function that can do it: of the workspace, or one of torch's.
static int first_supported(uint64_t custom, SupportMarks marks, OpsetRange range, int from)
{
  for (int opset = from > range.min ? from : range.min; opset <= range.max; opset++) {
    int chosen = py_dispatch(custom | marks.registered, opset);
    bool is_custom = chosen > 0 && (custom >> chosen & 1) != 0;
    if (is_custom || (marks.supported >> opset & 1) != 0)
      return opset;
  }
  return 0;
}

SupportAnswer workspace_support(const Workspace *workspace, const SymbolicsDb *db, uint32_t torch, Str op, int opset)
{
  SupportAnswer answer = symbolics_support(db, torch, SYMBOLICS_TORCHSCRIPT, op, opset);
  uint64_t custom = workspace_opsets(workspace, op);
  OpsetRange range;
  if (custom == 0 || !symbolics_opset_range(db, torch, SYMBOLICS_TORCHSCRIPT, &range))
    return answer;
  SupportMarks marks = symbolics_support_marks(db, torch, SYMBOLICS_TORCHSCRIPT, op);
  int chosen = py_dispatch(custom | marks.registered, opset);
  if (chosen > 0 && (custom >> chosen & 1) != 0) {
    answer.status = SUPPORT_YES;
    answer.since = first_supported(custom, marks, range, 0);
  } else if (answer.status != SUPPORT_YES) {
    answer.since = first_supported(custom, marks, range, opset + 1);
    // A function that only raises stays one.
    if (answer.since > 0 && answer.status != SUPPORT_BLOCKED)
      answer.status = SUPPORT_NEWER;
  }
  return answer;
}
