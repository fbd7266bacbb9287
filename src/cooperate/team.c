#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#endif

#include "team.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "job.h"
#include "pops.h"
#include "run.h"
#include "shared_memory.h"

static uint32_t usable_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
#endif
    if (cores < 1) return 1;
    return cores > CLSP_MAX_WORKERS ? CLSP_MAX_WORKERS : (uint32_t)cores;
}

/* ---- making and ending ---- */

/* Objects of joined contexts hold what they need of OpenCL's, so that these contexts may be gone.
 */
static void release_lane(clspi_lane *lane)
{
    for (int i = 0; i < CLSPI_IN_FLIGHT; i++)
        if (lane->staging[i]) clReleaseMemObject(lane->staging[i]);
    if (lane->reads) clReleaseCommandQueue(lane->reads);
}

static void release_team(clspi_guest *guest)
{
    clspi_team *const team = (clspi_team *)guest;

    clspi_pool_release(&team->pool);
    for (uint32_t d = 0; d < team->num_devices; d++)
        release_lane(&team->lanes[d]);
    clspi_pops_release(team);
    clspi_shared_release_all(team);
    clspi_speeds_release(&team->speeds);
    free(team->speeds_file);
    clspi_run_destroy(&team->run);
    pthread_mutex_destroy(&team->blocks_lock);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

static clspi_team *new_team(clsp_context *ctx)
{
    clspi_team *const team = calloc(1, sizeof *team);

    if (!team) return NULL;
    team->guest.release = release_team;
    team->ctx = team->contexts[0] = ctx;
    team->num_devices = 1;
    team->cores = usable_cores();
    if (pthread_mutex_init(&team->lock, NULL) != 0) goto fail_lock;
    if (pthread_mutex_init(&team->blocks_lock, NULL) != 0) goto fail_blocks_lock;
    team->run = clspi_run_create();
    if (!team->run) goto fail_run;
    if (!clspi_pool_init(&team->pool, &ctx->log)) goto fail_pool;
    return team;

fail_pool:
    clspi_run_destroy(&team->run);
fail_run:
    pthread_mutex_destroy(&team->blocks_lock);
fail_blocks_lock:
    pthread_mutex_destroy(&team->lock);
fail_lock:
    free(team);
    return NULL;
}

/* Two threads may make one at the same time: the second one's is dropped. */
clsp_status clspi_team_of(clsp_context *ctx, clspi_team **team)
{
    clspi_guest *guest = atomic_load(&ctx->team);

    if (!guest) {
        *team = new_team(ctx);
        if (!*team)
            return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "cooperate: no memory for a team");
        if (atomic_compare_exchange_strong(&ctx->team, &guest, &(*team)->guest)) return CLSP_OK;
        release_team(&(*team)->guest);
    }
    *team = (clspi_team *)guest;
    return CLSP_OK;
}

/* ---- processors ---- */

/* Cores that the devices leave: a CPU device works on as many as it has compute units, and each
   other one keeps the thread busy that feeds it. */
static uint32_t spare_cores(const clspi_team *team)
{
    uint64_t used = 0;

    for (uint32_t d = 0; d < team->num_devices; d++) {
        const clsp_device_info *const info = &team->contexts[d]->device;
        used += info->device_class == CLSP_CLASS_CPU ? info->compute_units : 1;
    }
    return used < team->cores ? (uint32_t)(team->cores - used) : 0;
}

bool clspi_team_has_spare_cores(const clspi_team *team)
{
    return team->wanted_workers ? team->wanted_workers != CLSP_NO_WORKERS : spare_cores(team) > 0;
}

static uint32_t wanted_or(const clspi_team *team, uint32_t otherwise)
{
    if (team->wanted_workers == CLSP_NO_WORKERS) return 0;
    return team->wanted_workers ? team->wanted_workers : otherwise;
}

uint32_t clspi_team_workers(const clspi_team *team)
{
    return wanted_or(team, (uint32_t)clspi_max(spare_cores(team), 1));
}

uint32_t clspi_team_workers_alone(const clspi_team *team)
{
    return wanted_or(team, team->cores - 1);
}

static clsp_status add_device(clspi_team *team, clsp_context *other)
{
    clspi_log *const log = &team->ctx->log;

    for (uint32_t d = 0; d < team->num_devices; d++)
        if (team->contexts[d] == other)
            return clspi_fail(log, CLSP_ERROR_ARGUMENT, "clsp_context_join: it takes part already");
    if (team->num_devices == CLSPI_MAX_DEVICES)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "clsp_context_join: more than %d devices",
                          CLSPI_MAX_DEVICES);
    team->contexts[team->num_devices++] = other;
    clspi_speeds_forget(&team->speeds);
    return CLSP_OK;
}

clsp_status clsp_context_join(clsp_context *ctx, clsp_context *other)
{
    clspi_team *team;
    clsp_status status;

    if (!ctx || !other)
        return clspi_fail(ctx ? &ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_context_join: NULL argument");
    status = clspi_team_of(ctx, &team);
    if (status != CLSP_OK) return status;
    pthread_mutex_lock(&team->lock);
    status = add_device(team, other);
    pthread_mutex_unlock(&team->lock);
    return status;
}

clsp_status clsp_context_set_workers(clsp_context *ctx, uint32_t num_workers)
{
    clspi_team *team;
    clsp_status status;

    if (!ctx || num_workers == 0 ||
        (num_workers > CLSP_MAX_WORKERS && num_workers != CLSP_NO_WORKERS))
        return clspi_fail(ctx ? &ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_context_set_workers: NULL, or %u workers", num_workers);
    status = clspi_team_of(ctx, &team);
    if (status != CLSP_OK) return status;
    pthread_mutex_lock(&team->lock);
    clspi_pool_empty(&team->pool);
    team->wanted_workers = num_workers;
    clspi_speeds_forget(&team->speeds);
    pthread_mutex_unlock(&team->lock);
    return CLSP_OK;
}

clsp_status clsp_context_set_speeds(clsp_context *ctx, const char *file)
{
    clspi_team *team;
    clsp_status status;
    char *copy = NULL;

    if (!ctx) return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_context_set_speeds: ctx is NULL");
    status = clspi_team_of(ctx, &team);
    if (status != CLSP_OK) return status;
    if (file) {
        copy = malloc(strlen(file) + 1);
        if (!copy)
            return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                              "clsp_context_set_speeds: no memory");
        strcpy(copy, file);
    }
    pthread_mutex_lock(&team->lock);
    free(team->speeds_file);
    team->speeds_file = copy;
    clspi_speeds_release(&team->speeds);
    pthread_mutex_unlock(&team->lock);
    return CLSP_OK;
}

uint32_t clspi_cooperate_devices(clsp_context *ctx, clsp_context *const **contexts)
{
    clspi_team *team;
    uint32_t num;

    *contexts = NULL;
    if (clspi_team_of(ctx, &team) != CLSP_OK) return 0;
    pthread_mutex_lock(&team->lock);
    *contexts = team->contexts;
    num = team->num_devices;
    pthread_mutex_unlock(&team->lock);
    return num;
}

uint32_t clspi_cooperate_workers(clsp_context *ctx)
{
    clspi_team *team;
    uint32_t workers;

    if (clspi_team_of(ctx, &team) != CLSP_OK) return 1;
    pthread_mutex_lock(&team->lock);
    workers = (uint32_t)clspi_max(clspi_team_workers(team), clspi_team_workers_alone(team)) + 1;
    pthread_mutex_unlock(&team->lock);
    return workers;
}
