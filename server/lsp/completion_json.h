/// Snippets for clients that take none.
///
/// Ownership: the text lives in the arena.
/// Threads:   pure.
/// Sources:   LSP 3.17 "Completion Request", "Snippet Syntax".
#pragma once

#include "base/memory.h"
