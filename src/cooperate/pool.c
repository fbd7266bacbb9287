#include "pool.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <clspline/share.h>

#include "clock.h"

enum {
    THREADS_MAX = CLSP_MAX_WORKERS + CLSP_MAX_PROCESSORS,
    COUNT_BITS = 16,         /* of a turn's word: the threads that it calls */
    OFFER = 1 << COUNT_BITS, /* set where the turn calls nobody and lets all take part */
    NUMBER_BITS = 17         /* where the turn's number begins */
};

/* ms for which a thread that is awake looks whether it is called, and one that lingers */
#define AWAKE_MS  1.0
#define LINGER_MS 0.2

_Static_assert(THREADS_MAX < 1 << COUNT_BITS, "a turn's word holds the number of its threads");

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

/* ---- a thread ---- */

/* Tells whether who has looked since a time goes on. */
static bool looks_on(clspi_pool *pool, double since)
{
    const bool awake = atomic_load(&pool->awake) > 0;

    return (awake || atomic_load(&pool->lingering)) &&
           clspi_now_ms() - since < (awake ? AWAKE_MS : LINGER_MS);
}

/* Looks for the next turn for a while, as long as the pool is stirred. */
static void look_out(clspi_pool *pool, uint64_t seen)
{
    const double since = clspi_now_ms();

    while (atomic_load(&pool->turn) == seen && looks_on(pool, since))
        sched_yield();
}

/* Sleeps until there is another turn or the pool ends; false when it ends. */
static bool sleep_until_turn(clspi_pool *pool, uint64_t seen)
{
    bool ending;

    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->asleep, 1);
    while (!pool->ending && atomic_load(&pool->turn) == seen)
        pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->asleep, 1);
    ending = pool->ending;
    pthread_mutex_unlock(&pool->lock);
    return !ending;
}

/* Waits for the next turn; false when the pool ends. */
static bool next_turn(clspi_pool_thread *me)
{
    clspi_pool *const pool = me->pool;

    look_out(pool, me->seen);
    if (atomic_load(&pool->turn) == me->seen && !sleep_until_turn(pool, me->seen)) return false;
    me->seen = atomic_load(&pool->turn);
    return true;
}

/* Tells who waits that the turn is over. */
static void end_turn(clspi_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->lock);
}

/* Does a thread's part of a turn that calls it. Whom a turn does not call reads nothing but its
   word: what else belongs to it may be the next one's already. */
static void take_turn(clspi_pool_thread *me)
{
    clspi_pool *const pool = me->pool;

    if (me->index >= (me->seen & (OFFER - 1))) return;
    pool->fn(pool->user, me->index);
    if (atomic_fetch_sub(&pool->working, 1) == 1) end_turn(pool);
}

/* Takes part in an offer, if it still stands once the thread counts among those who do: who made it
   first withdraws it and then waits for these. */
static void take_offer(clspi_pool_thread *me)
{
    clspi_pool *const pool = me->pool;

    atomic_fetch_add(&pool->joined, 1);
    if (atomic_load(&pool->offered) == me->seen) pool->fn(pool->user, me->index);
    if (atomic_fetch_sub(&pool->joined, 1) == 1 && atomic_load(&pool->offered) == 0) end_turn(pool);
}

/* Does a thread's turns until the pool ends. */
static void *serve(void *argument)
{
    clspi_pool_thread *const me = argument;

    while (next_turn(me)) {
        if (me->seen & OFFER)
            take_offer(me);
        else
            take_turn(me);
    }
    return NULL;
}

/* ---- the pool ---- */

/* Adds one thread, which takes no signals: the application's are for its own threads. */
static bool add_thread(clspi_pool *pool)
{
    clspi_pool_thread *const t = &pool->threads[pool->num_threads];
    sigset_t all, before;
    int code;

    t->pool = pool;
    t->index = pool->num_threads;
    t->seen = atomic_load(&pool->turn);
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

/* Begins a turn that calls so many threads, or an offer, and wakes those who are asleep. */
static void begin_turn(clspi_pool *pool, uint64_t called, clspi_pool_fn fn, void *user)
{
    const uint64_t number = (atomic_load(&pool->turn) >> NUMBER_BITS) + 1;
    const uint64_t turn = number << NUMBER_BITS | called;

    pool->fn = fn;
    pool->user = user;
    atomic_store(&pool->offered, called & OFFER ? turn : 0);
    atomic_store(&pool->turn, turn);
    if (atomic_load(&pool->asleep) == 0) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

void clspi_pool_start(clspi_pool *pool, uint32_t count, clspi_pool_fn fn, void *user)
{
    if (count == 0) return;
    atomic_store(&pool->working, count);
    begin_turn(pool, count, fn, user);
}

void clspi_pool_offer(clspi_pool *pool, bool linger, clspi_pool_fn fn, void *user)
{
    atomic_store(&pool->lingering, linger);
    begin_turn(pool, OFFER, fn, user);
}

/* Waits for `num` to be 0, at first without sleep. */
static void wait_for_none(clspi_pool *pool, atomic_uint_fast32_t *num)
{
    const double since = clspi_now_ms();

    while (atomic_load(num) > 0 && looks_on(pool, since))
        sched_yield();
    if (atomic_load(num) == 0) return;
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(num) > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void clspi_pool_wait(clspi_pool *pool)
{
    wait_for_none(pool, &pool->working);
}

void clspi_pool_withdraw(clspi_pool *pool)
{
    atomic_store(&pool->offered, 0);
    wait_for_none(pool, &pool->joined);
}

void clspi_pool_stir(clspi_pool *pool)
{
    atomic_fetch_add(&pool->awake, 1);
}

void clspi_pool_rest(clspi_pool *pool)
{
    atomic_fetch_sub(&pool->awake, 1);
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
