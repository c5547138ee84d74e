/// Objects that are costly to make, kept by threads that are done with them for the next one that needs one.
///
/// Ownership: the pool owns what is idle, up to IDLE_POOL_SIZE; what was taken belongs to the taker.
/// Errors:    NULL means that nothing is idle.
/// Threads:   any thread.
#pragma once

#include <pthread.h>
#include <stdbool.h>

enum { IDLE_POOL_SIZE = 8 };

typedef struct IdlePool {
  pthread_mutex_t mutex;
  struct {
    void *object;
    const void *kind;
  } idle[IDLE_POOL_SIZE];
  int count;
} IdlePool;

#define IDLE_POOL_INIT                                                                                                 \
  {                                                                                                                    \
    .mutex = PTHREAD_MUTEX_INITIALIZER                                                                                 \
  }

/// An idle object of that kind; NULL if there is none.
void *idle_pool_take(IdlePool *pool, const void *kind);
/// Keeps the object. False if the pool is full: then it stays the caller's.
bool idle_pool_give(IdlePool *pool, const void *kind, void *object);
