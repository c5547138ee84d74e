/// Notices when files of facts change, come or go, whoever writes them and whether or not the client tells.
///
/// Ownership: facts_watch_new() to facts_watch_free(); the loop frees the handles some turns after that.
/// Units:     absolute paths.
/// Errors:    a file that is not there is watched until it is; after FACTS_WATCH_LIMIT files are not watched.
/// Threads:   the loop thread.
#pragma once

#include <uv.h>

#include "base/str.h"

typedef struct FactsWatch FactsWatch;

FactsWatch *facts_watch_new(uv_loop_t *loop, void (*on_change)(void *context), void *context);
/// NULL is fine.
void facts_watch_free(FactsWatch *watch);

/// Between the two, facts_watch_add() names every file that is to be watched from now on.
void facts_watch_begin(FactsWatch *watch);
void facts_watch_add(FactsWatch *watch, Str path);
void facts_watch_end(FactsWatch *watch);
/// Whether the file is watched.
bool facts_watch_has(const FactsWatch *watch, Str path);
