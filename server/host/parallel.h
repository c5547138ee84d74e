/// A loop whose rounds run on several threads.
///
/// Errors:    a thread that the system refuses is done without; one is always enough.
/// Threads:   `work` is called from several at once, each number once; all are gone when the call returns.
#pragma once

#include <stddef.h>

typedef void (*ParallelWork)(void *context, size_t i);

/// Calls `work(context, i)` for every i below `count`, on at most `threads` threads, the caller's among them.
void parallel_for(size_t count, size_t threads, ParallelWork work, void *context);
/// How many processors this process may run on; at least 1.
size_t parallel_default_threads(void);
