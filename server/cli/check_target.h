/// What `onnxls check` checks against: `.onnxls.json` nearest to the files, else to this folder, and the flags over it.
///
/// Ownership: the caller frees the targets.
/// Errors:    ERR_USAGE after messages on stderr: a wrong setting would make the result mean something else.
/// Threads:   the main thread.
/// Sources:   docs/settings.md.
#pragma once

#include "cli/check_flags.h"
#include "host/folder_targets.h"

/// The root is the folder of `.onnxls.json`, or that of the process. Settings that say how to check rather than against
/// what go to the flags.
MUST_USE Status check_targets(CheckFlags *flags, FolderTargets **ret_targets);
/// That of the process's folder.
const Target *check_target_here(const CheckFlags *flags, FolderTargets *targets);
/// What else files were checked against, for people: "; below folders that pin their own: torch 2.6 (a/uv.lock)".
void check_target_append_others(Buffer *out, const FolderTargets *targets, const Target *here);
/// Says so if dumps are judged by what was seen in another version of the runtime than the one that is named.
void check_target_note_runtime(const Target *target);
