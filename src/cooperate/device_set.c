#include "device_set.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "host_device.h"
#include "job.h"
#include "run.h"
#include "shared_memory.h"
#include "tile_queue.h"

/* ---- making and ending ---- */

/* Releases a device's objects. Those of joined contexts retain what they need of OpenCL's, so that
   these contexts may be gone. */
static void release_state(clspi_device_state *state)
{
    for (int i = 0; i < CLSPI_IN_FLIGHT; i++) {
        clspi_buffer_release(&state->staging[i]);
        clspi_buffer_release(&state->in_staging[i]);
    }
    if (state->reads) clReleaseCommandQueue(state->reads);
}

/* Releases the set whose head the helper is. */
static void release_set(clspi_context_helper *helper)
{
    clspi_device_set *const set = (clspi_device_set *)helper;

    clspi_pool_release(&set->pool);
    for (uint32_t d = 0; d < set->num_devices; d++)
        release_state(&set->states[d]);
    clspi_tile_queue_release(set);
    clspi_shared_release_all(set);
    clspi_speeds_release(&set->speeds);
    free(set->speeds_file);
    clspi_run_destroy(&set->run);
    clspi_joins_release(&set->joins);
    pthread_mutex_destroy(&set->blocks_lock);
    pthread_mutex_destroy(&set->lock);
    free(set);
}

/* Makes a set of the context's own device; NULL without memory or locks. */
static clspi_device_set *new_set(clsp_context *ctx)
{
    clspi_device_set *const set = calloc(1, sizeof *set);

    if (!set) return NULL;
    set->helper.release = release_set;
    set->ctx = set->contexts[0] = ctx;
    set->num_devices = 1;
    set->cores = (uint32_t)clspi_min(clspi_usable_cores(), CLSP_MAX_WORKERS);
    if (pthread_mutex_init(&set->lock, NULL) != 0) goto fail_lock;
    if (pthread_mutex_init(&set->blocks_lock, NULL) != 0) goto fail_blocks_lock;
    set->joins = clspi_joins_create();
    if (!set->joins) goto fail_joins;
    set->run = clspi_run_create();
    if (!set->run) goto fail_run;
    if (!clspi_pool_init(&set->pool, &ctx->log)) goto fail_pool;
    return set;

fail_pool:
    clspi_run_destroy(&set->run);
fail_run:
    clspi_joins_release(&set->joins);
fail_joins:
    pthread_mutex_destroy(&set->blocks_lock);
fail_blocks_lock:
    pthread_mutex_destroy(&set->lock);
fail_lock:
    free(set);
    return NULL;
}

/* Makes a set without a lock: when two threads do so at the same time, the second one's is dropped.
 */
clsp_status clspi_device_set_of(clsp_context *ctx, clspi_device_set **set)
{
    clspi_context_helper *helper = atomic_load(&ctx->device_set);

    if (!helper) {
        *set = new_set(ctx);
        if (!*set)
            return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                              "cooperate: no memory for a device set");
        if (atomic_compare_exchange_strong(&ctx->device_set, &helper, &(*set)->helper))
            return CLSP_OK;
        release_set(&(*set)->helper);
    }
    *set = (clspi_device_set *)helper;
    return CLSP_OK;
}

/* ---- processors ---- */

/* Counts the cores that the devices leave: a CPU device works on as many as it has compute units,
   and for each other one `per_other` count, whose thread dispatches to it. */
static uint32_t spare_cores(const clspi_device_set *set, uint32_t per_other)
{
    uint64_t used = 0;

    for (uint32_t d = 0; d < set->num_devices; d++) {
        const clsp_context *const ctx = set->contexts[d];
        used += ctx->is_cpu ? ctx->device.compute_units : per_other;
    }
    return used < set->cores ? (uint32_t)(set->cores - used) : 0;
}

bool clspi_device_set_has_spare_cores(const clspi_device_set *set)
{
    return set->wanted_workers ? set->wanted_workers != CLSP_NO_WORKERS : spare_cores(set, 0) > 0;
}

/* Gives the workers that were set, else another number. */
static uint32_t wanted_or(const clspi_device_set *set, uint32_t otherwise)
{
    if (set->wanted_workers == CLSP_NO_WORKERS) return 0;
    return set->wanted_workers ? set->wanted_workers : otherwise;
}

uint32_t clspi_device_set_workers(const clspi_device_set *set)
{
    return wanted_or(set, (uint32_t)clspi_max(spare_cores(set, 1), 1));
}

uint32_t clspi_device_set_workers_alone(const clspi_device_set *set)
{
    return wanted_or(set, set->cores - 1);
}

static clsp_status add_device(clspi_device_set *set, clsp_context *other)
{
    clspi_log *const log = &set->ctx->log;
    clspi_device_set *of_other;

    for (uint32_t d = 0; d < set->num_devices; d++)
        if (set->contexts[d] == other)
            return clspi_fail(log, CLSP_ERROR_ARGUMENT, "clsp_context_join: it takes part already");
    if (set->num_devices == CLSPI_MAX_DEVICES)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "clsp_context_join: more than %d devices",
                          CLSPI_MAX_DEVICES);
    CLSPI_CHECK(clspi_device_set_of(other, &of_other));
    if (!clspi_joins_add(set->joins, of_other->joins))
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "clsp_context_join: the other context has joined this one, by itself or "
                          "by way of others");
    set->contexts[set->num_devices++] = other;
    clspi_speeds_forget(&set->speeds);
    return CLSP_OK;
}

clsp_status clsp_context_join(clsp_context *ctx, clsp_context *other)
{
    clspi_device_set *set;
    clsp_status status;

    if (!ctx || !other) return clspi_context_null(ctx, "clsp_context_join");
    CLSPI_CHECK(clspi_context_check(ctx));
    CLSPI_CHECK(clspi_context_check(other));
    CLSPI_CHECK(clspi_device_set_of(ctx, &set));
    pthread_mutex_lock(&set->lock);
    status = add_device(set, other);
    pthread_mutex_unlock(&set->lock);
    return status;
}

clsp_status clsp_context_set_workers(clsp_context *ctx, uint32_t num_workers)
{
    clspi_device_set *set;

    if (!ctx) return clspi_context_null(NULL, "clsp_context_set_workers");
    CLSPI_CHECK(clspi_context_check(ctx));
    if (num_workers == 0 || (num_workers > CLSP_MAX_WORKERS && num_workers != CLSP_NO_WORKERS))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "clsp_context_set_workers: %u workers",
                          num_workers);
    CLSPI_CHECK(clspi_device_set_of(ctx, &set));
    pthread_mutex_lock(&set->lock);
    clspi_pool_empty(&set->pool);
    set->wanted_workers = num_workers;
    clspi_speeds_forget(&set->speeds);
    pthread_mutex_unlock(&set->lock);
    return CLSP_OK;
}

clsp_status clsp_context_set_speeds(clsp_context *ctx, const char *file)
{
    clspi_device_set *set;
    char *copy = NULL;

    if (!ctx) return clspi_context_null(NULL, "clsp_context_set_speeds");
    CLSPI_CHECK(clspi_context_check(ctx));
    CLSPI_CHECK(clspi_device_set_of(ctx, &set));
    if (file) {
        copy = malloc(strlen(file) + 1);
        if (!copy)
            return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                              "clsp_context_set_speeds: no memory");
        strcpy(copy, file);
    }
    pthread_mutex_lock(&set->lock);
    free(set->speeds_file);
    set->speeds_file = copy;
    clspi_speeds_release(&set->speeds);
    pthread_mutex_unlock(&set->lock);
    return CLSP_OK;
}

uint32_t clspi_cooperate_devices(clsp_context *ctx, clsp_context *const **contexts)
{
    clspi_device_set *set;
    uint32_t num;

    *contexts = NULL;
    if (clspi_device_set_of(ctx, &set) != CLSP_OK) return 0;
    pthread_mutex_lock(&set->lock);
    *contexts = set->contexts;
    num = set->num_devices;
    pthread_mutex_unlock(&set->lock);
    return num;
}

uint32_t clspi_cooperate_workers(clsp_context *ctx)
{
    clspi_device_set *set;
    uint32_t workers;

    if (clspi_device_set_of(ctx, &set) != CLSP_OK) return 1;
    pthread_mutex_lock(&set->lock);
    workers =
        (uint32_t)clspi_max(clspi_device_set_workers(set), clspi_device_set_workers_alone(set)) + 1;
    pthread_mutex_unlock(&set->lock);
    return workers;
}
