/// What the process was doing when it crashed: the message, document and version that each thread had in hand.
///
/// Ownership: the words are copied into static memory.
/// Errors:    with more threads than slots the last ones go without.
/// Threads:   each thread notes for itself; the handler reads them all.
/// Sources:   signal-safety(7).
#pragma once

#include "base/str.h"

/// Installs the handler of fatal signals; a build with sanitizers keeps theirs.
void lastwords_install(void);
/// This thread now works on `task` (a method, or what else it is) for version `version` of `uri`.
void lastwords_begin(Str task, Str uri, int64_t version);
/// It is done; what it was stays known as the last thing.
void lastwords_end(void);
