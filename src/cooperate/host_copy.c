#include "host_copy.h"

#include <string.h>

#include "check.h"

enum {
    SHARE_BYTES = 1 << 19, /* of a thread, at least: what it copies while it would be woken */
    ALIGN = 4096,
    THREADS_MAX = 12 /* a memory has no more to give */
};

typedef struct copy_job {
    char *to;
    const char *from;
    size_t bytes, share;
} copy_job;

/* Copies one thread's share. */
static void copy_share(void *user, uint32_t index)
{
    const copy_job *const job = user;
    const size_t first = index * job->share;

    if (first < job->bytes)
        memcpy(job->to + first, job->from + first, clspi_min(job->share, job->bytes - first));
}

/* Copies with a device set's threads, whose lock is held. The caller has the last share. */
static void copy_together(clspi_device_set *set, copy_job *job)
{
    const uint32_t workers = clspi_device_set_workers_alone(set);
    const size_t most = clspi_min(clspi_min(workers, THREADS_MAX), job->bytes / SHARE_BYTES);
    const uint32_t threads = clspi_pool_reserve(&set->pool, (uint32_t)most);

    job->share = clspi_round_up(clspi_div_up(job->bytes, threads + 1), ALIGN);
    clspi_pool_start(&set->pool, threads, copy_share, job);
    copy_share(job, threads);
    if (threads > 0) clspi_pool_wait(&set->pool);
}

void clspi_host_copy(clsp_context *ctx, void *to, const void *from, size_t bytes)
{
    copy_job job = {to, from, bytes, bytes};
    clspi_device_set *set;

    if (bytes < 2 * SHARE_BYTES || clspi_device_set_of(ctx, &set) != CLSP_OK ||
        pthread_mutex_trylock(&set->lock) != 0) {
        copy_share(&job, 0);
        return;
    }
    copy_together(set, &job);
    pthread_mutex_unlock(&set->lock);
}

clspi_device_set *clspi_copies_begin(clsp_context *ctx)
{
    clspi_device_set *set;

    if (clspi_device_set_of(ctx, &set) != CLSP_OK) return NULL;
    clspi_pool_stir(&set->pool);
    return set;
}

void clspi_copies_end(clspi_device_set *set)
{
    if (set) clspi_pool_rest(&set->pool);
}
