// The file that was read by itself, for its summary, is that of a workspace, too, unless that has something to say
// about it. So most files of a tree are gone through once.

#include "python/model/python_file_private.h"
#include "python/model/python_model_private.h"

static bool find_any(const WorkspaceSymbolic *symbolic, void *context)
{
  (void)symbolic;
  *(bool *)context = true;
  return false;
}

/// Whether another file registers one of its functions.
static bool is_registered_elsewhere(const PyModel *model, const Workspace *workspace)
{
  bool is_found = false;
  for (size_t i = 0; i < model->functions.count && !is_found; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->parent == PY_ABSENT && !function->class_node && function->name.len > 0)
      workspace_each_foreign(workspace, model->path, function->name, find_any, &is_found);
  }
  return is_found;
}

static bool calls_others(const PyFile *file)
{
  const PyModel *model = file->model;
  for (size_t i = 0; i < model->calls.count; i++) {
    if (py_file_foreign_function(file, &model->calls.items[i]))
      return true;
  }
  return false;
}

/// Whether the operator that something is registered for is another one, or first known, with the workspace.
static bool has_other_operators(const PyFile *file, const PyFile *renewed)
{
  const PyModel *model = file->model;
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    if (registration->name_known &&
        python_find_operator(file, registration->name) != python_find_operator(renewed, registration->name))
      return true;
  }
  return false;
}

static bool says_nothing(const PyFile *file, const PyFile *renewed)
{
  const Workspace *workspace = renewed->target->workspace;
  return !is_registered_elsewhere(file->model, workspace) && !calls_others(renewed) &&
         !has_other_operators(file, renewed) && !python_may_name_others(file->model, workspace);
}

PyFile *python_file_renew(const PyFile *file, Str path, const Target *target)
{
  PyFile renewed = *file;
  python_apply_target(&renewed, target);
  bool is_same = !file->target->workspace && str_equal(file->model->path, path) && renewed.db == file->db &&
                 renewed.torch == file->torch && renewed.torches == file->torches;
  if (!is_same || (target->workspace && !says_nothing(file, &renewed)))
    return NULL;
  PyFile *copy = xcalloc(1, sizeof(*copy));
  *copy = renewed;
  target_retain(target);
  atomic_fetch_add(copy->holders, 1);
  return copy;
}
