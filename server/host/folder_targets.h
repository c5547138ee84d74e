/// What the files of a workspace are checked against: its own target, or that of the nearest folder around them that
/// pins versions of its own, as sub-projects of a monorepo do.
///
/// A folder that pins torch is an environment by itself, so what folders around it pin counts for nothing; others only
/// add to it. What settings say counts more than any of that: a folder whose torch does not have what they ask for is
/// checked like the folder around it.
///
/// Ownership: the caller frees them; targets and settings that are lent are good until then, or until another workspace
///            is set.
/// Units:     paths are absolute and normalised (text/path.h).
/// Errors:    problems are those of settings_target().
/// Threads:   one thread at a time: a folder is looked at when it is first asked for.
/// Sources:   docs/settings.md, host/requirements.h.
#pragma once

#include "host/settings.h"

typedef struct FolderTargets FolderTargets;

/// Takes the settings, which are left empty. Without a root (empty) nothing is pinned anywhere.
FolderTargets *folder_targets_new(Settings *settings, Str root, Buffer *problems);
/// NULL is fine.
void folder_targets_free(FolderTargets *targets);

/// Of what is in that folder; of one that is not below the root, as of an empty path, it is the root's.
const Target *folder_targets_at(FolderTargets *targets, Str folder);
/// Of that file; `unpinned` when its folder is known to pin nothing, which saves looking.
const Target *folder_targets_of(FolderTargets *targets, Str path, bool unpinned);
/// The next of those that folder_targets_of() gave, NULL after the last one; `at` begins with 0.
const Target *folder_targets_next(const FolderTargets *targets, size_t *at);
/// The settings that the target of that file was made of.
const Settings *folder_targets_settings(FolderTargets *targets, Str path);

/// All targets get the workspace's functions.
void folder_targets_set_workspace(FolderTargets *targets, const Workspace *workspace);
/// Looks at the folders that `before` knew, and keeps the targets of those in which nothing is different now. True when
/// that is so of all.
bool folder_targets_follow(FolderTargets *targets, const FolderTargets *before);
