/// The symbolic functions that count as support in `check`.
///
/// Those of the Python files among what is checked, and those below the folder of `.onnxls.json`, if there is one: the
/// same that an editor has whose workspace that folder is.
///
/// Ownership: the target is the caller's to release.
/// Errors:    none; what can't be read is said when it is checked.
/// Threads:   the main thread.
/// Sources:   docs/check.md, "Symbolic functions of your own".
#pragma once

#include "core/target.h"
#include "host/files.h"

/// The same target with the functions of these files and of the workspace; consumes `target`. Files keep what they were
/// read into (`before`).
Target *check_workspace(Target *target, FileList *files, size_t threads);
