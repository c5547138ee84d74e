/// Paths as text: no file is touched, so symbolic links are not followed.
///
/// A path with a drive letter ("c:/x", "C:\x") is absolute on every system, because dumps travel between machines;
/// only in such a path is a backslash a separator.
///
/// Ownership: results live in the arena, followed by a NUL.
/// Threads:   pure functions.
#pragma once

#include "base/memory.h"

/// Starts with a letter, a colon and a separator.
bool path_has_drive(Str path);
bool path_is_absolute(Str path);
/// Without ".", "..", repeated and trailing separators; a drive gets a small letter and "/". Nothing left is ".".
Str path_normalize(Str path, Arena *arena);
/// Whether a relative path that a model names leads out of the model's folder, for onnx: any `..` in what is left of it
/// after it is normalised does, and so does an absolute one.
bool path_leaves_folder(Str path, Arena *arena);
/// `path` as seen from `folder`, normalised; an absolute `path` stands for itself.
Str path_join(Str folder, Str path, Arena *arena);
/// Whether a normalised path is that folder, or below it.
bool path_is_within(Str path, Str folder);
/// A normalised path up to its last separator; empty where none is left, so that a walk upwards ends.
Str path_parent(Str path);
