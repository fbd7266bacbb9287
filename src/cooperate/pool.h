/* Threads that wait until they are called to work together: asleep, or for a while awake where
   turns follow each other within microseconds. */
#ifndef CLSPI_POOL_H
#define CLSPI_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "log.h"

/* A thread's work; index is its number, 0 onwards. */
typedef void (*clspi_pool_fn)(void *user, uint32_t index);

typedef struct clspi_pool_thread clspi_pool_thread;

typedef struct clspi_pool {
    clspi_log *log;
    pthread_mutex_t lock;
    pthread_cond_t wake; /* of the threads */
    pthread_cond_t done; /* of who called them */
    clspi_pool_thread *threads;
    uint32_t num_threads;
    atomic_uint_fast64_t turn;    /* its number, and how many threads it calls: pool.c */
    atomic_uint_fast32_t working; /* of them, not yet done */
    atomic_uint_fast32_t asleep;  /* threads */
    atomic_uint_fast32_t awake;   /* callers who want threads to stay awake */
    clspi_pool_fn fn;
    void *user;
    bool ending;
} clspi_pool;

/* Makes a pool without threads; false without memory. */
bool clspi_pool_init(clspi_pool *pool, clspi_log *log);

/* Ends all threads and frees what the pool holds. */
void clspi_pool_release(clspi_pool *pool);

/* Makes threads until there are `wanted`, and returns how many there are: fewer, with a warning in
   the log, where the system has no more. */
uint32_t clspi_pool_reserve(clspi_pool *pool, uint32_t wanted);

/* Ends all threads; the pool can be used further. */
void clspi_pool_empty(clspi_pool *pool);

/* Starts a turn: threads 0 .. count - 1 call fn. Returns at once; count is at most what reserve
   returned. One turn at a time. */
void clspi_pool_start(clspi_pool *pool, uint32_t count, clspi_pool_fn fn, void *user);

/* Waits until the turn is over. */
void clspi_pool_wait(clspi_pool *pool);

/* Lets threads stay awake between turns, for about a millisecond after each; waking one takes as
   long as copying some hundred KB. As often as it was stirred the pool must be rested; by any
   thread. */
void clspi_pool_stir(clspi_pool *pool);
void clspi_pool_rest(clspi_pool *pool);

#endif
