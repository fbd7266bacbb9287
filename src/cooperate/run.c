#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "shared_memory.h"

/* A worker's takes: long against a pop, short against a job. */
#define TAKE_MIN_MS 0.02
#define TAKE_MAX_MS 0.1

enum { REST_TAKE_MAX = 256 }; /* of what was given back */

double clspi_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

clspi_run *clspi_run_create(void)
{
    clspi_run *const run = calloc(1, sizeof *run);

    if (!run) return NULL;
    if (pthread_mutex_init(&run->lock, NULL) != 0) goto fail_lock;
    if (pthread_mutex_init(&run->returns.lock, NULL) != 0) goto fail_returns;
    return run;

fail_returns:
    pthread_mutex_destroy(&run->lock);
fail_lock:
    free(run);
    return NULL;
}

void clspi_run_destroy(clspi_run **run)
{
    if (!*run) return;
    pthread_mutex_destroy(&(*run)->returns.lock);
    pthread_mutex_destroy(&(*run)->lock);
    free(*run);
    *run = NULL;
}

/* ---- who takes part ---- */

/* The same kernels, of the same compiler: what limits of a context narrow picks kernels too. */
static bool is_like(const clsp_device_info *a, const clsp_device_info *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->platform, b->platform) == 0 &&
           strcmp(a->driver, b->driver) == 0 && strcmp(a->vendor, b->vendor) == 0 &&
           a->device_class == b->device_class && a->opencl_version == b->opencl_version &&
           a->compute_units == b->compute_units && a->fma == b->fma &&
           a->local_is_real == b->local_is_real && a->max_work_group == b->max_work_group &&
           a->local_bytes == b->local_bytes;
}

static void begin_part(clspi_part *part)
{
    atomic_store(&part->status, CLSP_OK);
    atomic_store(&part->tiles, 0);
    atomic_store(&part->chunks, 0);
    atomic_store(&part->rate, 0);
    part->wanted = true;
    part->span = NULL;
    part->busy_ms = part->move_ms = 0;
}

void clspi_run_begin(clspi_run *run, clspi_team *team, const clspi_job *job, bool bit_equal)
{
    run->team = team;
    run->job = job;
    run->in_svm = clspi_shared_holds(team, job->out);
    run->num_devices = run->host = team->num_devices;
    run->last = CLSP_OK;
    run->first_ms = 0;
    run->most_workers = 0;
    atomic_store(&run->returns.num, 0);
    for (uint32_t p = 0; p <= run->num_devices; p++)
        begin_part(&run->parts[p]);
    for (uint32_t d = 0; d < run->num_devices; d++) {
        clspi_part *const part = &run->parts[d];
        if (bit_equal) part->wanted = is_like(&team->contexts[d]->device, &team->ctx->device);
        if (atomic_load(&team->contexts[d]->lost)) clspi_run_drop(run, d, CLSP_ERROR_DEVICE_LOST);
    }
    run->parts[run->host].wanted = job->host && !bit_equal;
}

bool clspi_run_alive(const clspi_run *run, uint32_t processor)
{
    const clspi_part *const part = &run->parts[processor];

    return part->wanted && atomic_load(&part->status) == CLSP_OK;
}

/* A processor that failed may have left some. */
void clspi_run_clear(clspi_run *run)
{
    for (uint32_t p = 0; p <= run->num_devices; p++) {
        clspi_range range;
        clspi_span *const span = run->parts[p].span;
        if (span && clspi_span_take(span, false, SIZE_MAX, &range))
            clspi_returns_put(&run->returns, range);
        run->parts[p].span = NULL;
    }
}

void clspi_run_drop(clspi_run *run, uint32_t processor, clsp_status status)
{
    pthread_mutex_lock(&run->lock);
    run->last = status;
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->parts[processor].status, status);
    clspi_message(&run->team->ctx->log, CLSP_LOG_WARNING, "cooperate: %s drops out: %s",
                  processor == run->host ? "the host" : run->team->contexts[processor]->device.name,
                  clsp_status_str(status));
}

bool clspi_run_take(clspi_run *run, uint32_t processor, size_t wanted, clspi_range *range)
{
    clspi_part *const part = &run->parts[processor];

    return clspi_span_take(part->span, processor != run->host, wanted, range) ||
           clspi_returns_take(&run->returns, wanted, range);
}

/* ---- the host ---- */

static size_t next_take(const clspi_run *run, const clspi_span *span, size_t take, double ms)
{
    const size_t left = clspi_span_left(span);
    const size_t most = left > 0 ? left / (4 * ((size_t)run->workers + 1)) : REST_TAKE_MAX;

    if (ms < TAKE_MIN_MS) take *= 2;
    if (ms > TAKE_MAX_MS) take /= 2;
    return clspi_max(clspi_min(take, most), 1);
}

static void add_times(clspi_run *run, double busy, double end)
{
    clspi_part *const host = &run->parts[run->host];

    pthread_mutex_lock(&run->lock);
    host->busy_ms += busy;
    if (end > host->end_ms) host->end_ms = end;
    pthread_mutex_unlock(&run->lock);
}

static void work(clspi_run *run, uint32_t worker)
{
    clspi_part *const host = &run->parts[run->host];
    double busy = 0, now = clspi_now_ms();
    size_t take = 1;
    clspi_range range;

    while (clspi_run_alive(run, run->host) && clspi_run_take(run, run->host, take, &range)) {
        const double begin = now;
        const clsp_status status = run->job->host(run->job->user, worker, range.first, range.count);
        now = clspi_now_ms();
        if (status != CLSP_OK) {
            clspi_returns_put(&run->returns, range);
            clspi_run_drop(run, run->host, status);
            break;
        }
        busy += now - begin;
        atomic_fetch_add_explicit(&host->tiles, range.count, memory_order_relaxed);
        atomic_fetch_add_explicit(&host->chunks, 1, memory_order_relaxed);
        take = next_take(run, host->span, take, now - begin);
    }
    add_times(run, busy, now);
}

/* ---- a round ---- */

static void serve(void *user, uint32_t index)
{
    clspi_run *const run = user;

    if (index < run->workers)
        work(run, index);
    else
        clspi_feed(run, run->feeders[index - run->workers + 1]);
}

/* Devices come before workers when the system has too few threads. */
static uint32_t reserve_threads(clspi_run *run, uint32_t workers)
{
    const uint32_t extra = run->num_feeders > 0 ? run->num_feeders - 1 : 0;
    const uint32_t threads = clspi_pool_reserve(&run->team->pool, workers + extra);

    if (threads < extra) run->num_feeders = threads + 1;
    run->workers = threads < extra ? 0 : threads - extra;
    return threads < extra ? threads : run->workers + extra;
}

void clspi_run_start_clock(clspi_run *run, uint32_t workers)
{
    run->round_ms = clspi_now_ms();
    if (run->first_ms <= 0) run->first_ms = run->round_ms;
    if (workers > run->most_workers) run->most_workers = workers;
}

void clspi_run_round(clspi_run *run, uint32_t workers)
{
    clspi_part *const host = &run->parts[run->host];
    const bool has_host = host->span && clspi_run_alive(run, run->host);
    uint32_t threads;

    run->num_feeders = 0;
    for (uint32_t d = 0; d < run->num_devices; d++)
        if (run->parts[d].span && clspi_run_alive(run, d)) run->feeders[run->num_feeders++] = d;
    threads = reserve_threads(run, has_host ? workers : 0);
    clspi_run_start_clock(run, has_host ? run->workers + (run->num_feeders == 0) : 0);
    host->begin_ms = host->end_ms = run->round_ms;
    clspi_pool_start(&run->team->pool, threads, serve, run);
    if (run->num_feeders > 0) clspi_feed(run, run->feeders[0]);
    if (has_host) work(run, run->workers);
    if (threads > 0) clspi_pool_wait(&run->team->pool);
}

/* All that are left take what was given back. */
static bool share_rest(clspi_run *run)
{
    static const clspi_range none = {0, 0};
    bool anyone = false;

    for (uint32_t p = 0; p <= run->num_devices; p++) {
        if (!clspi_run_alive(run, p)) continue;
        clspi_span_init(&run->spans[p], none);
        run->parts[p].span = &run->spans[p];
        run->parts[p].guided = false;
        run->parts[p].piece =
            p == run->host ? 1 : clspi_max(run->job->num_tiles / (8 * run->num_devices), 1);
        anyone = true;
    }
    return anyone;
}

clsp_status clspi_run_finish(clspi_run *run, uint32_t workers)
{
    for (;;) {
        clspi_run_clear(run);
        if (atomic_load(&run->returns.num) == 0) return CLSP_OK;
        if (!share_rest(run)) return run->last != CLSP_OK ? run->last : CLSP_ERROR_STATE;
        clspi_run_round(run, workers);
    }
}
