#include "host_pieces.h"

#include "check.h"
#include "device_set.h"

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

/* Works together with a device set's threads, whose lock is held. */
static void work_together(clspi_device_set *set, piece_queue *queue)
{
    const size_t most = clspi_min(clspi_device_set_workers_alone(set), queue->num - 1);
    const uint32_t threads = clspi_pool_reserve(&set->pool, (uint32_t)most);

    clspi_pool_start(&set->pool, threads, work, queue);
    work(queue, threads);
    if (threads > 0) clspi_pool_wait(&set->pool);
}

void clspi_host_pieces(clsp_context *ctx, size_t num, void (*fn)(void *user, size_t piece),
                       void *user)
{
    piece_queue queue = {.num = num, .fn = fn, .user = user};
    clspi_device_set *set;

    if (num < 2 || clspi_context_is_inherited(ctx) || clspi_device_set_of(ctx, &set) != CLSP_OK ||
        pthread_mutex_trylock(&set->lock) != 0) {
        work(&queue, 0);
        return;
    }
    work_together(set, &queue);
    pthread_mutex_unlock(&set->lock);
}
