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
#define AWAKE_PIECE_NS 4e3
/* between calls that follow each other closely, at most; threads linger as long */
#define CLOSELY_US 200

typedef struct piece_queue {
    atomic_size_t next;
    size_t num;
    void (*fn)(void *user, size_t piece);
    void *user;
} piece_queue;

/* Takes pieces until there are none left. */
static void work(void *user, uint32_t index)
{
    piece_queue *const queue = user;
    size_t piece;

    (void)index;
    while ((piece = atomic_fetch_add(&queue->next, 1)) < queue->num)
        queue->fn(queue->user, piece);
}

/* Works together with the threads of a device set, NULL for none, that do nothing else. */
static void work_together(clspi_device_set *set, bool linger, piece_queue *queue)
{
    if (queue->num < 2 || !set || pthread_mutex_trylock(&set->lock) != 0) {
        work(queue, 0);
        return;
    }
    const size_t most = clspi_min(clspi_device_set_workers_alone(set), queue->num - 1);
    if (clspi_pool_reserve(&set->pool, (uint32_t)most) > 0) {
        clspi_pool_offer(&set->pool, linger, work, queue);
        work(queue, 0);
        clspi_pool_withdraw(&set->pool);
    } else {
        work(queue, 0);
    }
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
    piece_queue queue = {.num = num, .fn = fn, .user = user};

    work_together(num < 2 ? NULL : helpers_of(ctx), false, &queue);
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

void clspi_host_tiles(clsp_context *ctx, size_t num, double all_ns,
                      void (*fn)(void *user, clsp_range tiles), void *user)
{
    tile_pieces job = {num, clspi_max(1, num), fn, user};
    clspi_device_set *const set = all_ns > AWAKE_ALONE_NS && num > 1 ? helpers_of(ctx) : NULL;
    const bool awake = set && follows_closely(set);
    const double piece_ns = awake ? AWAKE_PIECE_NS : PIECE_NS;

    if (set && all_ns > (awake ? AWAKE_ALONE_NS : ALONE_NS))
        job.of_piece = clspi_div_up(num, (size_t)(all_ns / piece_ns));
    piece_queue queue = {.num = clspi_div_up(num, job.of_piece), .fn = make_piece, .user = &job};
    work_together(set, awake, &queue);
    if (set) follows_closely(set);
}
