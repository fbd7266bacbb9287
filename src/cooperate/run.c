#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clock.h"
#include "shared_memory.h"

/* How long the tiles of one take last: long against taking them, short against a job. */
#define TAKE_MIN_MS 0.02
#define TAKE_MAX_MS 0.1

enum { REQUEUED_WANTED_MAX = 256 }; /* requeued tiles that a worker takes at once */

clspi_run *clspi_run_create(void)
{
    clspi_run *const run = calloc(1, sizeof *run);

    if (!run) return NULL;
    if (pthread_mutex_init(&run->lock, NULL) != 0) goto fail_lock;
    if (pthread_mutex_init(&run->requeued.lock, NULL) != 0) goto fail_requeued;
    return run;

fail_requeued:
    pthread_mutex_destroy(&run->lock);
fail_lock:
    free(run);
    return NULL;
}

void clspi_run_destroy(clspi_run **run)
{
    if (!*run) return;
    pthread_mutex_destroy(&(*run)->requeued.lock);
    pthread_mutex_destroy(&(*run)->lock);
    free(*run);
    *run = NULL;
}

/* ---- who takes part ---- */

/* Tells whether two devices run the same kernels, of the same compiler: what limits of a context
   narrow picks kernels too. */
static bool is_like(const clsp_device_info *a, const clsp_device_info *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->platform, b->platform) == 0 &&
           strcmp(a->driver, b->driver) == 0 && strcmp(a->vendor, b->vendor) == 0 &&
           a->device_class == b->device_class && a->opencl_version == b->opencl_version &&
           a->compute_units == b->compute_units && a->fma == b->fma &&
           a->local_is_real == b->local_is_real && a->max_work_group == b->max_work_group &&
           a->local_bytes == b->local_bytes;
}

/* Returns the mean speed of the devices that are like one. */
static double mean_rate(const clspi_run *run, uint32_t device)
{
    double sum = 0, num = 0;

    for (uint32_t d = 0; d < run->num_devices; d++) {
        const double rate = (double)atomic_load(&run->participants[d].rate);
        if (rate <= 0 ||
            !is_like(&run->set->contexts[d]->device, &run->set->contexts[device]->device))
            continue;
        sum += rate;
        num++;
    }
    return num > 0 ? sum / num : 0;
}

void clspi_run_even_rates(clspi_run *run)
{
    double means[CLSPI_MAX_DEVICES];

    for (uint32_t d = 0; d < run->num_devices; d++)
        means[d] = mean_rate(run, d);
    for (uint32_t d = 0; d < run->num_devices; d++) {
        const double rate = (double)atomic_load(&run->participants[d].rate);
        if (fabs(rate - means[d]) < means[d] / 4)
            atomic_store(&run->participants[d].rate, (uint64_t)means[d]);
    }
}

static void begin_participant(clspi_participant *participant)
{
    atomic_store(&participant->status, CLSP_OK);
    atomic_store(&participant->tiles, 0);
    atomic_store(&participant->chunks, 0);
    atomic_store(&participant->at_work, 0);
    atomic_store(&participant->begin_ms, 0);
    atomic_store(&participant->rate, 0);
    participant->wanted = true;
    participant->tile_range = NULL;
    participant->busy_ms = participant->move_ms = 0;
}

void clspi_run_begin(clspi_run *run, clspi_device_set *set, const clspi_job *job, bool bit_equal)
{
    run->set = set;
    run->job = job;
    run->in_svm = clspi_shared_holds(set, job->out);
    run->num_devices = run->host = set->num_devices;
    run->last = CLSP_OK;
    run->first_ms = 0;
    run->left_to_host = 0;
    run->most_workers = 0;
    atomic_store(&run->requeued.num, 0);
    for (uint32_t p = 0; p <= run->num_devices; p++)
        begin_participant(&run->participants[p]);
    for (uint32_t d = 0; d < run->num_devices; d++) {
        clspi_participant *const participant = &run->participants[d];
        participant->wanted = set->contexts[d]->queue != NULL; /* else it is the host */
        if (bit_equal && !is_like(&set->contexts[d]->device, &set->ctx->device))
            participant->wanted = false;
        if (atomic_load(&set->contexts[d]->lost)) clspi_run_drop(run, d, CLSP_ERROR_DEVICE_LOST);
    }
    run->participants[run->host].wanted = job->host && (!bit_equal || !set->ctx->queue);
}

bool clspi_run_alive(const clspi_run *run, uint32_t processor)
{
    const clspi_participant *const participant = &run->participants[processor];

    return participant->wanted && atomic_load(&participant->status) == CLSP_OK;
}

/* Requeues what is left of each range: a processor that failed may have left some tiles. */
void clspi_run_clear(clspi_run *run)
{
    for (uint32_t p = 0; p <= run->num_devices; p++) {
        clsp_range left;
        clspi_tile_range *const range = run->participants[p].tile_range;
        if (range && clspi_tile_range_take(range, false, SIZE_MAX, &left))
            clspi_requeued_put(&run->requeued, left);
        run->participants[p].tile_range = NULL;
    }
}

void clspi_run_drop(clspi_run *run, uint32_t processor, clsp_status status)
{
    pthread_mutex_lock(&run->lock);
    run->last = status;
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->participants[processor].status, status);
    clspi_message(&run->set->ctx->log, CLSP_LOG_WARNING, "cooperate: %s drops out: %s",
                  processor == run->host ? "the host" : run->set->contexts[processor]->device.name,
                  clsp_status_str(status));
}

bool clspi_run_take(clspi_run *run, uint32_t processor, size_t wanted, clsp_range *taken)
{
    clspi_tile_range *const range = run->participants[processor].tile_range;

    return clspi_tile_range_take(range, processor != run->host, wanted, taken) ||
           clspi_requeued_take(&run->requeued, wanted, taken);
}

/* ---- the host ---- */

bool clspi_run_make(clspi_run *run, uint32_t worker, clsp_range tiles)
{
    const clspi_job *const job = run->job;
    clspi_participant *const host = &run->participants[run->host];
    const clsp_status status = job->host(job->user, worker, tiles);

    if (status != CLSP_OK) {
        clspi_requeued_put(&run->requeued, tiles);
        clspi_run_drop(run, run->host, status);
        return false;
    }
    atomic_fetch_add_explicit(&host->tiles, tiles.count, memory_order_relaxed);
    atomic_fetch_add_explicit(&host->chunks, 1, memory_order_relaxed);
    return true;
}

/* Gives how many tiles a worker takes next, after tiles that lasted ms. */
static size_t next_wanted(const clspi_run *run, size_t wanted, double ms)
{
    const size_t left = clspi_tile_range_left(run->participants[run->host].tile_range);
    const size_t most = left > 0 ? left / (4 * ((size_t)run->workers + 1)) : REQUEUED_WANTED_MAX;

    if (ms < TAKE_MIN_MS) wanted *= 2;
    if (ms > TAKE_MAX_MS) wanted /= 2;
    return clspi_max(clspi_min(wanted, most), 1);
}

void clspi_run_add_busy(clspi_run *run, double ms)
{
    pthread_mutex_lock(&run->lock);
    run->participants[run->host].busy_ms += ms;
    pthread_mutex_unlock(&run->lock);
}

/* Makes tiles on a host worker until none are left. */
static void work(clspi_run *run, uint32_t worker)
{
    double busy = 0, now = clspi_now_ms();
    size_t wanted = 1;
    clsp_range tiles;

    while (clspi_run_alive(run, run->host) && clspi_run_take(run, run->host, wanted, &tiles)) {
        const double begin = now;
        const bool made = clspi_run_make(run, worker, tiles);
        now = clspi_now_ms();
        if (!made) break;
        busy += now - begin;
        wanted = next_wanted(run, wanted, now - begin);
    }
    clspi_run_add_busy(run, busy);
}

/* ---- a round ---- */

/* Does the work of a pool's thread: the first ones are host workers, each of the others dispatches
   to a device. */
static void serve(void *user, uint32_t index)
{
    clspi_run *const run = user;

    if (index < run->workers)
        work(run, index);
    else
        clspi_dispatch(run, run->dispatched[index - run->workers + 1]);
}

/* Reserves the threads of a round and returns their number. Devices come before workers when the
   system has too few threads. */
static uint32_t reserve_threads(clspi_run *run, uint32_t workers)
{
    const uint32_t extra = run->num_dispatched > 0 ? run->num_dispatched - 1 : 0;
    const uint32_t threads = clspi_pool_reserve(&run->set->pool, workers + extra);

    if (threads < extra) run->num_dispatched = threads + 1;
    run->workers = threads < extra ? 0 : threads - extra;
    return threads < extra ? threads : run->workers + extra;
}

void clspi_run_start_clock(clspi_run *run, uint32_t workers)
{
    run->round_ms = clspi_now_ms();
    if (run->first_ms <= 0) run->first_ms = run->round_ms;
    if (workers > run->most_workers) run->most_workers = workers;
}

/* Returns how many workers the host's part of a round can have besides the calling thread: not more
   than there are tiles. */
static uint32_t useful_workers(const clspi_run *run, uint32_t workers)
{
    const size_t tiles = clspi_tile_range_left(run->participants[run->host].tile_range) +
                         atomic_load(&run->requeued.num);
    const size_t by_caller = run->num_dispatched == 0 ? 1 : 0;

    return (uint32_t)clspi_min(workers, tiles > by_caller ? tiles - by_caller : 0);
}

void clspi_run_round(clspi_run *run, uint32_t workers)
{
    clspi_participant *const host = &run->participants[run->host];
    const bool has_host = host->tile_range && clspi_run_alive(run, run->host);
    uint32_t threads;

    run->num_dispatched = 0;
    for (uint32_t d = 0; d < run->num_devices; d++)
        if (run->participants[d].tile_range && clspi_run_alive(run, d))
            run->dispatched[run->num_dispatched++] = d;
    threads = reserve_threads(run, has_host ? useful_workers(run, workers) : 0);
    clspi_run_start_clock(run, has_host ? run->workers + (run->num_dispatched == 0) : 0);
    clspi_pool_start(&run->set->pool, threads, serve, run);
    if (run->num_dispatched > 0) clspi_dispatch(run, run->dispatched[0]);
    if (has_host) work(run, run->workers);
    if (threads > 0) clspi_pool_wait(&run->set->pool);
}

/* Lets all that are left take requeued tiles, each from an empty tile range of its own; false when
   nobody is left. */
static bool share_rest(clspi_run *run)
{
    static const clsp_range none = {0, 0};
    bool anyone = false;

    for (uint32_t p = 0; p <= run->num_devices; p++) {
        clspi_participant *const participant = &run->participants[p];
        if (!clspi_run_alive(run, p)) continue;
        clspi_tile_range_init(&run->tile_ranges[p], none);
        participant->tile_range = &run->tile_ranges[p];
        participant->guided = false;
        participant->chunk_tiles =
            p == run->host ? 1 : clspi_max(run->job->num_tiles / (8 * run->num_devices), 1);
        anyone = true;
    }
    return anyone;
}

clsp_status clspi_run_finish(clspi_run *run, uint32_t workers)
{
    for (;;) {
        clspi_run_clear(run);
        if (atomic_load(&run->requeued.num) == 0) return CLSP_OK;
        if (!share_rest(run)) return run->last != CLSP_OK ? run->last : CLSP_ERROR_STATE;
        clspi_run_round(run, workers);
    }
}
