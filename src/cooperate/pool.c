#include "pool.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <clspline/cooperate.h>

enum { THREADS_MAX = CLSP_MAX_WORKERS + CLSP_MAX_PROCESSORS };

struct clspi_pool_thread {
    clspi_pool *pool;
    uint32_t index;
    uint64_t seen; /* the last turn that it knows of */
    pthread_t thread;
};

bool clspi_pool_init(clspi_pool *pool, clspi_log *log)
{
    memset(pool, 0, sizeof *pool);
    pool->log = log;
    if (pthread_mutex_init(&pool->lock, NULL) != 0) return false;
    if (pthread_cond_init(&pool->wake, NULL) != 0) goto fail_wake;
    if (pthread_cond_init(&pool->done, NULL) != 0) goto fail_done;
    return true;

fail_done:
    pthread_cond_destroy(&pool->wake);
fail_wake:
    pthread_mutex_destroy(&pool->lock);
    return false;
}

/* Waits for the next turn; false when the pool ends. With the lock held. */
static bool next_turn(clspi_pool_thread *me)
{
    clspi_pool *const pool = me->pool;

    while (!pool->ending && pool->turn == me->seen)
        pthread_cond_wait(&pool->wake, &pool->lock);
    me->seen = pool->turn;
    return !pool->ending;
}

/* Does a thread's turns until the pool ends. */
static void *serve(void *argument)
{
    clspi_pool_thread *const me = argument;
    clspi_pool *const pool = me->pool;

    pthread_mutex_lock(&pool->lock);
    while (next_turn(me)) {
        if (me->index >= pool->called) continue;
        const clspi_pool_fn fn = pool->fn;
        void *const user = pool->user;
        pthread_mutex_unlock(&pool->lock);
        fn(user, me->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->working == 0) pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Adds one thread, which takes no signals: the application's are for its own threads. */
static bool add_thread(clspi_pool *pool)
{
    clspi_pool_thread *const t = &pool->threads[pool->num_threads];
    sigset_t all, before;
    int code;

    t->pool = pool;
    t->index = pool->num_threads;
    t->seen = pool->turn;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    code = pthread_create(&t->thread, NULL, serve, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code == 0) pool->num_threads++;
    return code == 0;
}

uint32_t clspi_pool_reserve(clspi_pool *pool, uint32_t wanted)
{
    if (wanted > THREADS_MAX) wanted = THREADS_MAX;
    if (wanted == 0) return 0;
    if (!pool->threads) pool->threads = calloc(THREADS_MAX, sizeof *pool->threads);
    if (!pool->threads) return 0;
    while (pool->num_threads < wanted && add_thread(pool))
        ;
    if (pool->num_threads < wanted)
        clspi_message(pool->log, CLSP_LOG_WARNING,
                      "cooperate: the system gives %u of %u worker threads", pool->num_threads,
                      wanted);
    return pool->num_threads < wanted ? pool->num_threads : wanted;
}

void clspi_pool_start(clspi_pool *pool, uint32_t count, clspi_pool_fn fn, void *user)
{
    if (count == 0) return;
    pthread_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->user = user;
    pool->called = pool->working = count;
    pool->turn++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

void clspi_pool_wait(clspi_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->working > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void clspi_pool_empty(clspi_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->num_threads; i++)
        pthread_join(pool->threads[i].thread, NULL);
    pool->num_threads = 0;
    pool->ending = false;
}

void clspi_pool_release(clspi_pool *pool)
{
    clspi_pool_empty(pool);
    free(pool->threads);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
}
