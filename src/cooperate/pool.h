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
    atomic_uint_fast64_t offered; /* the turn, while all threads may take part; 0: none */
    atomic_uint_fast32_t working; /* threads that are called and not yet done */
    atomic_uint_fast32_t joined;  /* that may take part in an offer; some late for the last one */
    atomic_uint_fast32_t asleep;  /* threads */
    atomic_uint_fast32_t awake;   /* callers who want threads to stay awake */
    atomic_bool lingering;        /* threads look out for a little while after an offer */
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

/* Starts a turn that no thread need take part in: those that come before it is withdrawn call fn,
   with numbers of any threads, and those that come later do not. So the caller, who does what is
   left, never waits for a thread that the system has not woken. With `linger` threads look out for
   the next turn for a fifth of a millisecond. */
void clspi_pool_offer(clspi_pool *pool, bool linger, clspi_pool_fn fn, void *user);

/* Withdraws an offer and waits for those who take part. */
void clspi_pool_withdraw(clspi_pool *pool);

/* Lets threads stay awake between turns, for about a millisecond after each; waking one takes as
   long as copying some hundred KB. As often as it was stirred the pool must be rested; by any
   thread. */
void clspi_pool_stir(clspi_pool *pool);
void clspi_pool_rest(clspi_pool *pool);

#endif
