#include "core/workspace.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/search.h"
#include "base/vec.h"
#include "core/unknown_registration.h"
#include "core/workspace_models.h"
#include "core/workspace_names.h"
#include "core/workspace_operators.h"

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
  const WorkspaceCall **calls;  ///< Sorted by the last name of what is called, URI and place.
  size_t call_count;
  UseEntry *by_use;  ///< Sorted by name and URI.
  size_t use_count;
  WorkspaceOperators *operators;
  WorkspaceModels *models;
  WorkspaceModuleFiles *modules;
  bool keeps_operators;
};

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

static int compare_calls(const void *a, const void *b)
{
  const WorkspaceCall *x = *(const WorkspaceCall *const *)a;
  const WorkspaceCall *y = *(const WorkspaceCall *const *)b;
  int order = str_compare(str_after_last(x->callee, '.'), str_after_last(y->callee, '.'));
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
  vec_sort(&uses, compare_uses);
  workspace->use_count = uses.count;
  workspace->by_use = vec_take(&uses);
}

static void index_calls(Workspace *workspace)
{
  Vec(const WorkspaceCall *) calls = { 0 };
  for (size_t i = 0; i < workspace->count; i++) {
    const WorkspaceFile *file = workspace->files[i];
    for (uint32_t k = 0; k < file->call_count; k++)
      vec_push(&calls, &file->calls[k]);
  }
  vec_sort(&calls, compare_calls);
  workspace->call_count = calls.count;
  workspace->calls = vec_take(&calls);
}

typedef Vec(const WorkspaceSymbolic *) SymbolicList;

static const WorkspaceSymbolic **take_sorted(SymbolicList *list, int (*compare)(const void *a, const void *b),
                                             size_t *ret_count)
{
  *ret_count = list->count;
  vec_sort(list, compare);
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
    workspace->keeps_operators |= workspace_file_keeps_operators(files[i]);
  }
  map_free(seen);
  workspace->by_name = take_sorted(&names, compare_names, &workspace->name_count);
  workspace->functions = take_sorted(&functions, compare_functions, &workspace->function_count);
  workspace->foreign = take_sorted(&foreign, compare_names, &workspace->foreign_count);
  index_calls(workspace);
  index_uses(workspace);
  workspace->operators = workspace_operators_new(workspace->files, workspace->count);
  workspace->models = workspace_models_new(workspace->files, workspace->count);
  workspace->modules = workspace_module_files_new(workspace->files, workspace->count);
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
  workspace_operators_free(workspace->operators);
  workspace_models_free(workspace->models);
  workspace_module_files_free(workspace->modules);
  for (size_t i = 0; i < workspace->count; i++)
    workspace_file_release(workspace->files[i]);
  free(workspace->files);
  free(workspace->by_name);
  free(workspace->functions);
  free(workspace->foreign);
  free(workspace->calls);
  free(workspace->by_use);
  free(workspace);
}

size_t workspace_files(const Workspace *workspace, WorkspaceFile *const **ret_files)
{
  *ret_files = workspace ? workspace->files : NULL;
  return workspace ? workspace->count : 0;
}

const WorkspaceModuleFiles *workspace_module_files(const Workspace *workspace)
{
  return workspace ? workspace->modules : NULL;
}

bool workspace_keeps_operators(const Workspace *workspace)
{
  return workspace && workspace->keeps_operators;
}

const WorkspaceOperators *workspace_operators(const Workspace *workspace)
{
  return workspace ? workspace->operators : NULL;
}

const WorkspaceModels *workspace_models(const Workspace *workspace)
{
  return workspace ? workspace->models : NULL;
}

// --- Asking ---

// One underscore at the end is dropped, whatever it stands for.
Str workspace_graph_name(Str op)
{
  return str_ends_with(op, STR("_")) ? str_slice(op, 0, op.len - 1) : op;
}

/// Index of the first registration of exactly this name.
static size_t find_name(const Workspace *workspace, Str name)
{
  size_t at;
  SEARCH_FIRST(at, 0, workspace->name_count, str_compare(workspace->by_name[at]->name, name) < 0);
  return at;
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
    bool is_known = !str_equal(workspace->by_name[i]->name, STR(UNKNOWN_REGISTRATION));
    if (is_known && !visit(workspace->by_name[i], context))
      return;
  }
}

static bool add_opsets(const WorkspaceSymbolic *symbolic, void *context)
{
  if (!symbolic->is_builtin)
    *(OpsetSet *)context |= symbolic->opsets;
  return true;
}

OpsetSet workspace_opsets(const Workspace *workspace, Str op)
{
  OpsetSet set = 0;
  workspace_each_symbolic(workspace, op, add_opsets, &set);
  return set;
}

static bool is_less_deep(const WorkspaceSymbolic *a, const WorkspaceSymbolic *b)
{
  return workspace_depth_of(a->uri) < workspace_depth_of(b->uri);
}

static size_t find_function(const Workspace *workspace, Str name)
{
  size_t at;
  SEARCH_FIRST(at, 0, workspace->function_count, str_compare(workspace->functions[at]->function, name) < 0);
  return at;
}

const WorkspaceSymbolic *workspace_definition(const Workspace *workspace, const WorkspaceSymbolic *symbolic)
{
  ForeignName name = workspace_foreign_name(symbolic->elsewhere);
  if (!workspace || name.module.len == 0)
    return symbolic;
  const WorkspaceSymbolic *best = symbolic;
  size_t best_nearness = 0;
  for (size_t i = find_function(workspace, name.function); i < workspace->function_count; i++) {
    const WorkspaceSymbolic *candidate = workspace->functions[i];
    if (!str_equal(candidate->function, name.function))
      break;
    size_t near = workspace_nearness(candidate->uri, symbolic->uri);
    bool is_nearer = near > best_nearness || (near == best_nearness && near > 0 && is_less_deep(candidate, best));
    if (is_nearer && workspace_is_module_file(candidate->uri, name.module, symbolic->uri)) {
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
    ForeignName name = workspace_foreign_name(symbolic->elsewhere);
    if (!str_equal(name.function, function) || str_equal(symbolic->uri, file) ||
        !workspace_is_module_file(file, name.module, symbolic->uri))
      continue;
    // Of several modules of one name the nearest is meant.
    const WorkspaceSymbolic *definition = workspace_definition(workspace, symbolic);
    bool is_here = definition == symbolic || str_equal(definition->uri, file);
    if (is_here && !visit(symbolic, context))
      break;
  }
  arena_done(&arena);
}

const WorkspaceSymbolic *workspace_find_function(const Workspace *workspace, Str uri, Str qualified)
{
  Arena arena = { 0 };
  WorkspaceSymbolic symbolic = { .elsewhere = qualified, .uri = workspace_uri(uri, &arena) };
  const WorkspaceSymbolic *found = workspace_definition(workspace, &symbolic);
  arena_done(&arena);
  return found == &symbolic ? NULL : found;
}

static size_t find_call(const Workspace *workspace, Str function)
{
  size_t at;
  SEARCH_FIRST(at, 0, workspace->call_count,
               str_compare(str_after_last(workspace->calls[at]->callee, '.'), function) < 0);
  return at;
}

void workspace_each_call(const Workspace *workspace, Str uri, Str function, WorkspaceCallVisitor *visit, void *context)
{
  Arena arena = { 0 };
  Str file = workspace_uri(uri, &arena);
  for (size_t i = workspace ? find_call(workspace, function) : 0; workspace && i < workspace->call_count; i++) {
    const WorkspaceCall *call = workspace->calls[i];
    if (!str_equal(str_after_last(call->callee, '.'), function))
      break;
    if (str_equal(call->uri, file))
      continue;
    const WorkspaceSymbolic *definition = workspace_find_function(workspace, call->uri, call->callee);
    if (definition && str_equal(definition->uri, file) && !visit(call, context))
      break;
  }
  arena_done(&arena);
}

void workspace_each_use(const Workspace *workspace, Str name, WorkspaceUseVisitor *visit, void *context)
{
  size_t at;
  SEARCH_FIRST(at, 0, workspace ? workspace->use_count : 0, str_compare(workspace->by_use[at].name, name) < 0);
  for (; workspace && at < workspace->use_count; at++) {
    const UseEntry *entry = &workspace->by_use[at];
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

typedef struct StubCount {
  size_t stubs;
  size_t others;
} StubCount;

static bool count_stub(const WorkspaceSymbolic *symbolic, void *context)
{
  StubCount *count = context;
  count->stubs += symbolic->is_stub;
  count->others += !symbolic->is_stub && !symbolic->is_builtin;
  return true;
}

bool workspace_is_stub(const Workspace *workspace, Str op)
{
  StubCount count = { 0 };
  workspace_each_symbolic(workspace, op, count_stub, &count);
  return count.stubs > 0 && count.others == 0;
}

bool workspace_replaces(const Workspace *workspace, const SymbolicsDb *db, uint32_t torch, Str op, int opset)
{
  OpsetSet custom = workspace_opsets(workspace, op);
  if (custom == 0)
    return false;
  SupportMarks marks = symbolics_support_marks(db, torch, EXPORTER_TORCHSCRIPT, op);
  return opset_set_served(custom, marks.registered, opset, opset) != 0;
}

SupportAnswer workspace_support(const Workspace *workspace, const SymbolicsDb *db, uint32_t torch, Str op, int opset)
{
  SupportAnswer answer = symbolics_support(db, torch, EXPORTER_TORCHSCRIPT, op, opset);
  OpsetSet custom = workspace_opsets(workspace, op);
  OpsetRange range;
  if (custom == 0 || !symbolics_opset_range(db, torch, EXPORTER_TORCHSCRIPT, &range))
    return answer;
  SupportMarks marks = symbolics_support_marks(db, torch, EXPORTER_TORCHSCRIPT, op);
  OpsetSet supported = marks.supported | opset_set_served(custom, marks.registered, range.min, range.max);
  if (opset_set_served(custom, marks.registered, opset, opset) != 0) {
    answer.status = SUPPORT_YES;
    answer.since = opset_set_first(supported);
  } else if (answer.status != SUPPORT_YES) {
    answer.since = opset_set_first(supported & opset_set_range(opset + 1, OPSET_LIMIT));
    // A function that only raises stays one.
    if (answer.since > 0 && answer.status != SUPPORT_BLOCKED)
      answer.status = SUPPORT_NEWER;
  }
  return answer;
}
