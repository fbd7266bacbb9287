#include "host_pieces.h"

#include "check.h"
#include "clock.h"
#include "device_set.h"

/* ns of work that a call's thread does alone, and of a piece, at least: what waking a thread costs,
   and taking a piece, does not count against them */
#define ALONE_NS 6e4
#define PIECE_NS 15e3
/* the same of threads that are awake */
#define AWAKE_ALONE_NS 1e4
#define AWAKE_PIECE_NS 2e3
/* between calls that follow each other closely, at most; threads linger as long */
#define CLOSELY_US 200

typedef struct piece_job {
    size_t num;
    void (*fn)(void *user, size_t piece);
    void *user;
} piece_job;

enum { MOST_SHARES = 64, LINE = 64 /* bytes, of a cache */ };

/* The pieces that one thread begins with, in a line of their own. */
typedef struct piece_share {
    _Alignas(LINE) atomic_size_t next;
    size_t end;
} piece_share;

/* Each thread has its share first and then takes from others': calls that write the same memory one
   after the other find most of it in the cache of the core that writes it. */
typedef struct piece_queue {
    const piece_job *job;
    uint32_t num_shares;
    piece_share share[MOST_SHARES];
} piece_queue;

static void divide(piece_queue *queue, const piece_job *job, size_t threads)
{
    const size_t shares = clspi_min(clspi_min(threads, MOST_SHARES), job->num);

    queue->job = job;
    queue->num_shares = (uint32_t)shares;
    for (size_t k = 0; k < shares; k++) {
        atomic_init(&queue->share[k].next, job->num * k / shares);
        queue->share[k].end = job->num * (k + 1) / shares;
    }
}

static void work_off(const piece_job *job, piece_share *share)
{
    while (atomic_load_explicit(&share->next, memory_order_relaxed) < share->end) {
        const size_t piece = atomic_fetch_add(&share->next, 1);
        if (piece < share->end) job->fn(job->user, piece);
    }
}

/* Takes pieces until there are none left. */
static void work(void *user, uint32_t index)
{
    piece_queue *const queue = user;

    for (uint32_t k = 0; k < queue->num_shares; k++)
        work_off(queue->job, &queue->share[(index + k) % queue->num_shares]);
}

/* Works together with the threads of a device set, NULL for none, that do nothing else. */
static void work_together(clspi_device_set *set, bool linger, const piece_job *job)
{
    piece_queue queue;

    if (job->num < 2 || !set || pthread_mutex_trylock(&set->lock) != 0) {
        for (size_t piece = 0; piece < job->num; piece++)
            job->fn(job->user, piece);
        return;
    }
    const size_t most = clspi_min(clspi_device_set_workers_alone(set), job->num - 1);
    const uint32_t others = clspi_pool_reserve(&set->pool, (uint32_t)most);
    divide(&queue, job, (size_t)others + 1);
    if (others > 0) clspi_pool_offer(&set->pool, linger, work, &queue);
    work(&queue, others);
    if (others > 0) clspi_pool_withdraw(&set->pool);
    pthread_mutex_unlock(&set->lock);
}

/* Returns the device set whose threads may help, or NULL. */
static clspi_device_set *helpers_of(clsp_context *ctx)
{
    clspi_device_set *set;

    return clspi_device_set_of(ctx, &set) == CLSP_OK ? set : NULL;
}

void clspi_host_pieces(clsp_context *ctx, size_t num, void (*fn)(void *user, size_t piece),
                       void *user)
{
    const piece_job job = {num, fn, user};

    work_together(num < 2 ? NULL : helpers_of(ctx), false, &job);
}

typedef struct tile_pieces {
    size_t num, of_piece;
    void (*fn)(void *user, clsp_range tiles);
    void *user;
} tile_pieces;

static void make_piece(void *user, size_t piece)
{
    const tile_pieces *const job = user;
    const size_t first = piece * job->of_piece;

    job->fn(job->user, (clsp_range){first, clspi_min(job->of_piece, job->num - first)});
}

/* Tells whether the last such call of a device set was a moment ago. */
static bool follows_closely(clspi_device_set *set)
{
    const uint64_t now = (uint64_t)(clspi_now_ms() * 1e3);
    const uint64_t before = atomic_exchange(&set->tiles_us, now);

    return now - before < CLOSELY_US;
}

/* Does tiles together with the threads of a device set, NULL for none. */
static void share_tiles(clspi_device_set *set, double all_ns, tile_pieces *tiles)
{
    const bool awake = set && follows_closely(set);
    const double piece_ns = awake ? AWAKE_PIECE_NS : PIECE_NS;

    if (set && all_ns > (awake ? AWAKE_ALONE_NS : ALONE_NS))
        tiles->of_piece = clspi_div_up(tiles->num, (size_t)(all_ns / piece_ns));
    const piece_job job = {clspi_div_up(tiles->num, tiles->of_piece), make_piece, tiles};
    work_together(set, awake, &job);
    if (set) follows_closely(set);
}

void clspi_host_tiles(clsp_context *ctx, size_t num, double all_ns,
                      void (*fn)(void *user, clsp_range tiles), void *user)
{
    tile_pieces tiles = {num, clspi_max(1, num), fn, user};

    /* helpers are asked for where they may be worth it */
    share_tiles(all_ns > AWAKE_ALONE_NS && num > 1 ? helpers_of(ctx) : NULL, all_ns, &tiles);
}
