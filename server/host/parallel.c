#include "host/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct Loop {
  atomic_size_t next;
  size_t count;
  ParallelWork work;
  void *context;
} Loop;

static void *run_rounds(void *argument)
{
  Loop *loop = argument;
  for (;;) {
    size_t i = atomic_fetch_add(&loop->next, 1);
    if (i >= loop->count)
      return NULL;
    loop->work(loop->context, i);
  }
}

void parallel_for(size_t count, size_t threads, ParallelWork work, void *context)
{
  Loop loop = { .count = count, .work = work, .context = context };
  size_t helpers = (threads < count ? threads : count);
  helpers = helpers > 0 ? helpers - 1 : 0;
  pthread_t *started = xcalloc(helpers, sizeof(*started));
  size_t started_count = 0;
  while (started_count < helpers && pthread_create(&started[started_count], NULL, run_rounds, &loop) == 0)
    started_count++;
  run_rounds(&loop);
  for (size_t i = 0; i < started_count; i++)
    pthread_join(started[i], NULL);
  free(started);
}

size_t parallel_default_threads(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? (size_t)count : 1;
}
