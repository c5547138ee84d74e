#include "base/idle_pool.h"

#include <stddef.h>

void *idle_pool_take(IdlePool *pool, const void *kind)
{
  void *object = NULL;
  pthread_mutex_lock(&pool->mutex);
  for (int i = pool->count; i-- > 0 && !object;) {
    if (pool->idle[i].kind == kind) {
      object = pool->idle[i].object;
      pool->idle[i] = pool->idle[--pool->count];
    }
  }
  pthread_mutex_unlock(&pool->mutex);
  return object;
}

bool idle_pool_give(IdlePool *pool, const void *kind, void *object)
{
  pthread_mutex_lock(&pool->mutex);
  bool has_room = pool->count < IDLE_POOL_SIZE;
  if (has_room) {
    pool->idle[pool->count].object = object;
    pool->idle[pool->count++].kind = kind;
  }
  pthread_mutex_unlock(&pool->mutex);
  return has_room;
}
