/// From the file of a source location to a file on this machine.
///
/// Tried in this order: the target's path mappings, the path as it is if it is absolute, then each source root joined
/// with the path and with ever shorter tails of it.
///
/// Ownership: paths live in the context's arena.
/// Errors:    false if no such file exists.
/// Threads:   pure, but for what `file_exists` does.
/// Sources:   docs/settings.md, sourceRoots and pathMappings.
#pragma once

#include "core/features.h"

bool source_path_find(const FeatureContext *context, Str file, Str *ret_path);
