/// Registrations whose name is not known, as `register_custom_op_symbolic(name, f, 9)` is: they may be for any
/// operator.
///
/// Units:     as core/workspace.h.
/// Threads:   pure.
#pragma once

#include "core/workspace.h"

/// Under this name a summary keeps them, one for each file; no operator has it.
#define UNKNOWN_REGISTRATION "*"
