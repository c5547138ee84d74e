/// What tells this build of the program from any other: the linker's sum of all that is in it, the facts too.
///
/// Ownership: it lies in the program.
/// Units:     bytes, no text.
/// Errors:    empty where the linker wrote none.
/// Threads:   any thread.
/// Sources:   ld(1), --build-id; elf(5), NT_GNU_BUILD_ID.
#pragma once

#include "base/str.h"

Str build_id(void);
