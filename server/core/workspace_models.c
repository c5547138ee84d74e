// Which modules of a workspace its exports run.

#include "core/workspace_models.h"

#include <stdlib.h>

#include "base/search.h"
#include "base/vec.h"
#include "core/workspace.h"
#include "core/workspace_names.h"

struct WorkspaceModels {
  const WorkspaceModule **by_name;  ///< Sorted by name and URI.
  size_t count;
  WorkspaceReach *reached;           ///< As by_name; those without `runs` are not reached.
  const WorkspaceModelUse **inside;  ///< Uses in a module, sorted by URI and that module.
  size_t inside_count;
};

static int compare_modules(const void *a, const void *b)
{
  const WorkspaceModule *x = *(const WorkspaceModule *const *)a;
  const WorkspaceModule *y = *(const WorkspaceModule *const *)b;
  int order = str_compare(x->name, y->name);
  return order != 0 ? order : str_compare(x->uri, y->uri);
}

static int compare_place(Str uri, Str inside, const WorkspaceModelUse *use)
{
  int order = str_compare(uri, use->uri);
  return order != 0 ? order : str_compare(inside, use->inside);
}

static int compare_uses(const void *a, const void *b)
{
  const WorkspaceModelUse *x = *(const WorkspaceModelUse *const *)a;
  return compare_place(x->uri, x->inside, *(const WorkspaceModelUse *const *)b);
}

static size_t first_named(const WorkspaceModels *models, Str name)
{
  size_t at;
  SEARCH_FIRST(at, 0, models->count, str_compare(models->by_name[at]->name, name) < 0);
  return at;
}

/// Of several modules of one name the nearest is meant; of those in a package the only one. `count` if there is none.
static size_t find_module(const WorkspaceModels *models, Str uri, Str qualified)
{
  ForeignName name = workspace_foreign_name(qualified);
  size_t best = models->count;
  size_t best_nearness = 0;
  size_t in_package = models->count;
  size_t package_count = 0;
  for (size_t i = name.module.len > 0 ? first_named(models, name.function) : models->count;
       i < models->count && str_equal(models->by_name[i]->name, name.function); i++) {
    Str file = models->by_name[i]->uri;
    size_t near = workspace_nearness(file, uri);
    if (workspace_is_module_file(file, name.module, uri)) {
      if (best == models->count || near > best_nearness) {
        best = i;
        best_nearness = near;
      }
    } else if (workspace_is_in_package(file, name.module, uri)) {
      in_package = i;
      package_count++;
    }
  }
  return best < models->count ? best : package_count == 1 ? in_package : models->count;
}

/// The class that is meant: where a function is named, what it makes.
static size_t find_class(const WorkspaceModels *models, Str uri, Str qualified)
{
  size_t at = find_module(models, uri, qualified);
  const WorkspaceModule *maker = at < models->count ? models->by_name[at] : NULL;
  if (!maker || maker->made.len == 0)
    return at;
  const WorkspaceModule wanted = { .name = maker->made, .uri = maker->uri };
  const WorkspaceModule *key = &wanted;
  SEARCH_FIRST(at, 0, models->count, compare_modules(&models->by_name[at], &key) < 0);
  return at < models->count && compare_modules(&models->by_name[at], &key) == 0 ? at : models->count;
}

typedef Vec(size_t) Pending;

static void reach(WorkspaceModels *models, const WorkspaceModelUse *use, uint8_t runs, OpsetSet opsets,
                  Pending *pending)
{
  size_t at = find_class(models, use->uri, use->callee);
  if (at == models->count || str_equal(models->by_name[at]->uri, use->uri) ||
      models->by_name[at]->is_function != use->is_function)
    return;
  WorkspaceReach *reached = &models->reached[at];
  bool is_new =
      (runs & ~reached->runs) != 0 || (use->tensors & ~reached->tensors) != 0 || (opsets & ~reached->opsets) != 0;
  reached->runs |= runs;
  reached->tensors |= use->tensors;
  reached->opsets |= opsets;
  if (is_new)
    vec_push(pending, at);
}

/// What the modules run that were reached. Each comes again only with a further bit, so the work has an end.
static void follow(WorkspaceModels *models, Pending *pending)
{
  while (pending->count > 0) {
    WorkspaceReach from = models->reached[*vec_last(pending)];
    pending->count--;
    size_t at;
    Str uri = from.module->uri;
    SEARCH_FIRST(at, 0, models->inside_count, compare_place(uri, from.module->name, models->inside[at]) > 0);
    for (; at < models->inside_count && compare_place(uri, from.module->name, models->inside[at]) == 0; at++) {
      if ((models->inside[at]->needs & ~from.tensors) == 0)
        reach(models, models->inside[at], from.runs & (uint8_t)~MODEL_IS_WHOLE, from.opsets, pending);
    }
  }
}

WorkspaceModels *workspace_models_new(WorkspaceFile *const *files, size_t count)
{
  WorkspaceModels *models = xcalloc(1, sizeof(*models));
  Vec(const WorkspaceModule *) modules = { 0 };
  Vec(const WorkspaceModelUse *) inside = { 0 };
  for (size_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < files[i]->module_count; k++)
      vec_push(&modules, &files[i]->modules[k]);
    for (uint32_t k = 0; k < files[i]->model_use_count; k++) {
      if (files[i]->model_uses[k].inside.len > 0)
        vec_push(&inside, &files[i]->model_uses[k]);
    }
  }
  vec_sort(&modules, compare_modules);
  vec_sort(&inside, compare_uses);
  models->count = modules.count;
  models->by_name = vec_take(&modules);
  models->inside_count = inside.count;
  models->inside = vec_take(&inside);
  models->reached = xcalloc(models->count + 1, sizeof(*models->reached));
  for (size_t i = 0; i < models->count; i++)
    models->reached[i].module = models->by_name[i];
  Pending pending = { 0 };
  for (size_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < files[i]->model_use_count; k++) {
      const WorkspaceModelUse *use = &files[i]->model_uses[k];
      if (use->inside.len == 0)
        reach(models, use, use->runs, use->opsets, &pending);
    }
  }
  follow(models, &pending);
  vec_free(&pending);
  return models;
}

void workspace_models_free(WorkspaceModels *models)
{
  if (!models)
    return;
  free(models->by_name);
  free(models->inside);
  free(models->reached);
  free(models);
}

static bool same_module(const WorkspaceModule *a, const WorkspaceModule *b)
{
  bool is_same = str_equal(a->name, b->name) && str_equal(a->made, b->made) && a->is_function == b->is_function &&
                 a->param_count == b->param_count;
  for (uint32_t i = 0; is_same && i < a->param_count; i++)
    is_same = str_equal(a->params[i].name, b->params[i].name) && a->params[i].kind == b->params[i].kind &&
              a->params[i].has_default == b->params[i].has_default;
  return is_same;
}

bool workspace_file_same_models(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t modules = a ? a->module_count : 0;
  uint32_t uses = a ? a->model_use_count : 0;
  bool is_same = modules == (b ? b->module_count : 0) && uses == (b ? b->model_use_count : 0);
  for (uint32_t i = 0; is_same && i < modules; i++)
    is_same = same_module(&a->modules[i], &b->modules[i]);
  for (uint32_t i = 0; is_same && i < uses; i++) {
    const WorkspaceModelUse *x = &a->model_uses[i];
    const WorkspaceModelUse *y = &b->model_uses[i];
    is_same = str_equal(x->callee, y->callee) && str_equal(x->inside, y->inside) && x->is_function == y->is_function &&
              x->needs == y->needs && x->tensors == y->tensors && x->runs == y->runs && x->opsets == y->opsets;
  }
  return is_same;
}

const WorkspaceModule *workspace_find_module(const Workspace *workspace, Str uri, Str qualified)
{
  const WorkspaceModels *models = workspace_models(workspace);
  if (!models || str_rfind_char(qualified, '.') == STR_NOT_FOUND)
    return NULL;
  Arena arena = { 0 };
  size_t at = find_class(models, workspace_uri(uri, &arena), qualified);
  arena_done(&arena);
  return at < models->count && !models->by_name[at]->is_function ? models->by_name[at] : NULL;
}

const WorkspaceReach *workspace_reach(const Workspace *workspace, Str uri, Str name)
{
  const WorkspaceModels *models = workspace_models(workspace);
  const WorkspaceReach *found = NULL;
  Arena arena = { 0 };
  Str file = workspace_uri(uri, &arena);
  for (size_t i = models ? first_named(models, name) : 0;
       models && i < models->count && str_equal(models->by_name[i]->name, name); i++) {
    if (str_equal(models->by_name[i]->uri, file) && models->reached[i].runs != 0)
      found = &models->reached[i];
  }
  arena_done(&arena);
  return found;
}
