/// What `onnxls check` checks against: `.onnxls.json` of this folder or one above, and the flags over it.
///
/// Ownership: the target is the caller's to release.
/// Errors:    ERR_USAGE after messages on stderr: a wrong setting would make the result mean something else.
/// Threads:   the main thread.
/// Sources:   docs/settings.md.
#pragma once

#include "cli/check_flags.h"

/// Settings that say how to check rather than against what go to the flags.
MUST_USE Status check_target(CheckFlags *flags, Target **ret_target);
/// Says so if dumps are judged by what was seen in another version of the runtime than the one that is named.
void check_target_note_runtime(const Target *target);
