#include "host/folder_targets.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/workspace.h"
#include "text/path.h"

/// A folder that pins something, with all below it that pins nothing else.
typedef struct Project {
  Settings settings;
  Target *target;
  bool is_used;  ///< A file was asked for.
} Project;

struct FolderTargets {
  Settings said;  ///< By people; nothing is pinned in it.
  char *root;
  const Workspace *workspace;
  Vec(Project *) projects;  ///< First that of the root.
  Map *folders;             ///< Project of each folder that was asked for.
};

/// Consumes the target.
static Project *add_project(FolderTargets *targets, const Settings *settings, Target *target)
{
  Project *project = xcalloc(1, sizeof(*project));
  project->settings = *settings;
  project->target = targets->workspace ? target_with_workspace(target, targets->workspace) : target;
  vec_push(&targets->projects, project);
  return project;
}

FolderTargets *folder_targets_new(Settings *settings, Str root, Buffer *problems)
{
  FolderTargets *targets = xcalloc(1, sizeof(*targets));
  targets->said = *settings;
  *settings = (Settings){ 0 };
  targets->root = xstrdup_str(root);
  targets->folders = map_new();
  Settings pinned = settings_share(&targets->said);
  settings_find_versions(&pinned, root, root);
  map_put(targets->folders, root, add_project(targets, &pinned, settings_target(&pinned, problems)));
  return targets;
}

void folder_targets_free(FolderTargets *targets)
{
  if (!targets)
    return;
  for (size_t i = 0; i < targets->projects.count; i++) {
    target_release(targets->projects.items[i]->target);
    settings_done(&targets->projects.items[i]->settings);
    free(targets->projects.items[i]);
  }
  vec_free(&targets->projects);
  map_free(targets->folders);
  workspace_release((Workspace *)targets->workspace);
  settings_done(&targets->said);
  free(targets->root);
  free(targets);
}

/// That of a folder in the one of `parent`.
static Project *look_at(FolderTargets *targets, Str folder, Project *parent)
{
  Buffer problems = { 0 };
  Settings pinned = settings_share(&targets->said);
  if (!settings_find_pins(&pinned, str_from(targets->root), folder)) {
    settings_done(&pinned);
    return parent;
  }
  if (targets->said.torch.len > 0 || pinned.torch.len == 0)
    settings_find_versions(&pinned, str_from(targets->root), path_parent(folder));
  Target *target = settings_target_over(&pinned, targets->projects.items[0]->target->facts, &problems);
  Project *project = problems.len == 0 ? add_project(targets, &pinned, target) : parent;
  if (project == parent) {
    target_release(target);
    settings_done(&pinned);
  }
  buffer_done(&problems);
  return project;
}

/// Where the folder is `unpinned` only those around it are looked at.
static Project *project_at(FolderTargets *targets, Str folder, bool unpinned)
{
  Vec(Str) unknown = { 0 };
  Project *project = NULL;
  for (Str at = folder; at.len > 0 && !(project = map_get(targets->folders, at)); at = path_parent(at))
    vec_push(&unknown, at);
  for (size_t i = unknown.count; project && i-- > 0;) {
    if (i == 0 && unpinned)
      break;  // Nothing is found out about it that its parent does not tell.
    project = look_at(targets, unknown.items[i], project);
    map_put(targets->folders, unknown.items[i], project);
  }
  vec_free(&unknown);
  return project ? project : targets->projects.items[0];
}

const Target *folder_targets_at(FolderTargets *targets, Str folder)
{
  return project_at(targets, folder, false)->target;
}

const Target *folder_targets_of(FolderTargets *targets, Str path, bool unpinned)
{
  Project *project = project_at(targets, path_parent(path), unpinned);
  project->is_used = true;
  return project->target;
}

const Target *folder_targets_next(const FolderTargets *targets, size_t *at)
{
  while (*at < targets->projects.count) {
    const Project *project = targets->projects.items[(*at)++];
    if (project->is_used)
      return project->target;
  }
  return NULL;
}

const Settings *folder_targets_settings(FolderTargets *targets, Str path)
{
  return &project_at(targets, path_parent(path), false)->settings;
}

void folder_targets_set_workspace(FolderTargets *targets, const Workspace *workspace)
{
  workspace_release((Workspace *)targets->workspace);
  targets->workspace = workspace_retain(workspace);
  for (size_t i = 0; i < targets->projects.count; i++) {
    Project *project = targets->projects.items[i];
    project->target = target_with_workspace(project->target, workspace);
  }
}

typedef struct Follow {
  FolderTargets *targets;
  bool is_same;
} Follow;

static void follow_folder(Str folder, void *value, void *context)
{
  const Project *before = value;
  Follow *follow = context;
  Project *now = project_at(follow->targets, folder, false);
  if (now->target == before->target)
    return;
  if (!target_same_settings(now->target, before->target)) {
    follow->is_same = false;
    return;
  }
  target_release(now->target);
  now->target = target_retain(before->target);
}

bool folder_targets_follow(FolderTargets *targets, const FolderTargets *before)
{
  Follow follow = { targets, true };
  map_each(before->folders, follow_folder, &follow);
  return follow.is_same;
}
