#include "tile_queue.h"

#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "clock.h"
#include "kernel_arguments.h"
#include "shared_memory.h"
#include "svm_atomics.h"

enum {
    LINE_BYTES = 128,     /* no other data shares what moves between the processors */
    TEST_TILES = 1 << 16, /* of the self-test: tiny ones, since only they meet often */
    TEST_ROUNDS = 8,      /* at most */
    TEST_MEETINGS = 3,    /* rounds in which both sides took a part are enough */
    TEST_PART = 64,       /* one in so many tiles is a part */
    TILES_MAX = 1 << 30,  /* the counter goes above the last tile, by one for each work-group */
    WANTED_MAX = 1 << 12  /* tiles that a worker takes at once */
};

#define TAKE_MIN_MS 0.02 /* that the tiles of one take last, at least */

typedef _Atomic(int32_t) shared_counter;

/* ---- the counter ---- */

/* Allocates fine-grain SVM for atomics, on cache lines of its own; NULL when there is none. */
static void *alloc_atomics(clspi_device_set *set, size_t bytes)
{
    return clSVMAlloc(set->ctx->context,
                      CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, bytes,
                      LINE_BYTES);
}

/* Makes the set's counter if there is none; false when it cannot be had. */
static bool make_counter(clspi_device_set *set)
{
    if (!set->counter) set->counter = alloc_atomics(set, LINE_BYTES);
    return set->counter != NULL;
}

void clspi_tile_queue_release(clspi_device_set *set)
{
    if (set->counter) clSVMFree(set->ctx->context, set->counter);
    set->counter = NULL;
}

/* ---- the host's side ---- */

typedef struct tile_queue {
    clspi_run *run;
    shared_counter *counter; /* of units */
    size_t num_units;
    uint32_t workers;
} tile_queue;

/* Returns the tiles of a queue's unit. */
static size_t unit_of(const clspi_run *run)
{
    return clspi_max(1, run->job->unit_tiles);
}

/* Returns the tiles of some units. */
static clsp_range tiles_of(const clspi_run *run, clsp_range units)
{
    const size_t unit = unit_of(run), first = units.first * unit;

    return (clsp_range){first, clspi_min(units.count * unit, run->job->num_tiles - first)};
}

/* Takes the next units for a host worker; false when none are left. */
static bool take(tile_queue *q, size_t wanted, clsp_range *taken)
{
    const int32_t first =
        atomic_fetch_add_explicit(q->counter, (int32_t)wanted, memory_order_relaxed);

    if ((size_t)first >= q->num_units) return false;
    taken->first = (size_t)first;
    taken->count = clspi_min(wanted, q->num_units - taken->first);
    return true;
}

/* Returns how many units to take next, after some that lasted `ms`: several at once where units
   are tiny, but never a large part of what may be left. */
static size_t next_wanted(const tile_queue *q, size_t wanted, const clsp_range *last, double ms)
{
    const size_t left = q->num_units - last->first - last->count;
    const size_t most = clspi_min(left / (8 * ((size_t)q->workers + 2)), WANTED_MAX);

    if (ms < TAKE_MIN_MS)
        wanted *= 2;
    else if (ms > 4 * TAKE_MIN_MS)
        wanted /= 2;
    return clspi_max(clspi_min(wanted, most), 1);
}

/* Makes tiles of the queue on a host worker until none are left. */
static void work(void *user, uint32_t worker)
{
    tile_queue *const q = user;
    clspi_run *const run = q->run;
    double busy = 0, now = clspi_now_ms();
    size_t wanted = 1;
    clsp_range units;

    while (clspi_run_alive(run, run->host) && take(q, wanted, &units)) {
        const double begin = now;
        const bool made = clspi_run_make(run, worker, tiles_of(run, units));
        now = clspi_now_ms();
        if (!made) break;
        busy += now - begin;
        wanted = next_wanted(q, wanted, &units, now - begin);
    }
    clspi_run_add_busy(run, busy);
}

/* ---- the devices' side ---- */

/* Launches the persistent kernels on a device. False where that failed when some may have begun. */
static bool launch(clspi_run *run, uint32_t device, cl_event *done)
{
    const clspi_job *const job = run->job;
    clsp_context *const ctx = run->set->contexts[device];
    clsp_status status;
    clspi_series series;

    clspi_series_begin(&series, ctx, 0, NULL, done);
    status =
        job->persistent(job->user, device, &series, run->set->counter, job->num_tiles, job->out);
    if (status != CLSP_OK)
        clspi_series_fail(&series, status);
    else
        status = clspi_series_end(&series, done);
    if (status == CLSP_OK) status = clspi_cl(&ctx->log, clFlush(ctx->queue), "clFlush");
    if (status == CLSP_OK) return true;
    clFinish(ctx->queue);
    clspi_run_drop(run, device, status);
    return !series.has_run;
}

/* Launches the persistent kernels on all devices that are to run them; false where that failed on
   one, which may have taken tiles. done: [devices], NULL where there is nothing to wait for.
   *first_device: the first one, or num_devices. */
static bool launch_all(clspi_run *run, const bool persistent[], cl_event done[],
                       uint32_t *first_device)
{
    bool whole = true;

    *first_device = run->num_devices;
    for (uint32_t d = 0; d < run->num_devices; d++) {
        if (!persistent[d] || !clspi_run_alive(run, d)) continue;
        whole = launch(run, d, &done[d]) && whole;
        if (done[d]) *first_device = (uint32_t)clspi_min(d, *first_device);
    }
    return whole;
}

/* Gives the time of a job's kernels, the last of which an event is of, by the device's clock: from
   when that was enqueued. Else another one. */
static double kernel_ms(cl_event event, double otherwise)
{
    uint64_t begin = 0, end = 0;

    if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, sizeof begin, &begin, NULL) !=
            CL_SUCCESS ||
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) !=
            CL_SUCCESS ||
        end <= begin)
        return otherwise;
    return (double)(end - begin) * 1e-6;
}

/* Waits for a device's kernel. False when it failed after it had begun: nobody knows then which
   tiles it took. */
static bool await(clspi_run *run, uint32_t device, cl_event done)
{
    clsp_context *const ctx = run->set->contexts[device];
    clspi_participant *const participant = &run->participants[device];
    const int32_t code = clWaitForEvents(1, &done);

    if (code == CL_SUCCESS && clspi_run_alive(run, device)) {
        participant->busy_ms += kernel_ms(done, clspi_now_ms() - run->round_ms);
        atomic_fetch_add(&participant->chunks, 1);
        return true;
    }
    clFinish(ctx->queue);
    if (clspi_run_alive(run, device))
        clspi_run_drop(run, device, clspi_waited(ctx, code, "taking tiles from a queue"));
    return false;
}

/* Waits for the kernels of all devices and releases their events; false when one failed after it
   had begun. */
static bool await_all(clspi_run *run, cl_event done[])
{
    bool whole = true;

    for (uint32_t d = 0; d < run->num_devices; d++) {
        if (!done[d]) continue;
        whole = await(run, d, done[d]) && whole;
        clReleaseEvent(done[d]);
    }
    return whole;
}

/* ---- the round ---- */

/* Requeues all tiles, for whoever is left. */
static void start_over(clspi_run *run)
{
    const clsp_range all = {0, run->job->num_tiles};

    atomic_store(&run->requeued.num, 0);
    for (uint32_t p = 0; p <= run->num_devices; p++) {
        atomic_store(&run->participants[p].tiles, 0);
        atomic_store(&run->participants[p].chunks, 0);
    }
    clspi_requeued_put(&run->requeued, all);
}

/* Counts for the first device at work what the host did not make and nobody requeued, and requeues
   what nobody took. */
static void count_tiles(clspi_run *run, const tile_queue *q, uint32_t first_device)
{
    const int32_t count = atomic_load(q->counter);
    const size_t taken =
        clspi_min(clspi_min((size_t)count, q->num_units) * unit_of(run), run->job->num_tiles);
    size_t others = atomic_load(&run->participants[run->host].tiles);
    const clsp_range rest = {taken, run->job->num_tiles - taken};

    for (unsigned i = 0; i < atomic_load(&run->requeued.num); i++)
        others += run->requeued.ranges[i].count;
    if (first_device < run->num_devices)
        atomic_fetch_add(&run->participants[first_device].tiles, taken - others);
    clspi_requeued_put(&run->requeued, rest);
}

void clspi_tile_queue_round(clspi_run *run, const bool persistent[], uint32_t workers)
{
    cl_event done[CLSPI_MAX_DEVICES] = {NULL};
    tile_queue q = {run, run->set->counter, clspi_div_up(run->job->num_tiles, unit_of(run)), 0};

    atomic_store(&q.counter[0], 0);
    atomic_store(&q.counter[1], (int32_t)clspi_min(run->left_to_host, INT32_MAX));
    if (clspi_run_alive(run, run->host)) q.workers = clspi_pool_reserve(&run->set->pool, workers);
    clspi_run_start_clock(run, clspi_run_alive(run, run->host) ? q.workers + 1 : 0);
    /* they need not wait until launches are enqueued */
    if (clspi_run_alive(run, run->host)) clspi_pool_start(&run->set->pool, q.workers, work, &q);
    uint32_t first_device;
    const bool launched = launch_all(run, persistent, done, &first_device);
    if (clspi_run_alive(run, run->host)) {
        work(&q, q.workers);
    }
    if (q.workers > 0) clspi_pool_wait(&run->set->pool);
    if (await_all(run, done) && launched)
        count_tiles(run, &q, first_device);
    else
        start_over(run);
}

/* ---- the self-test ---- */

static const char test_program[] = "tile_ledger";

clsp_status clspi_cooperate_build(const clspi_build *build)
{
    clspi_options options;

    if (!clspi_svm_atomics(build->ctx, &options)) return CLSP_OK;
    return clspi_program_build_grouped(build, test_program, &clspi_take_ledger_signature, &options);
}

/* A count for each tile: how often it was made. */
typedef struct ledger {
    clspi_kernel kernel;
    shared_counter *entries;
} ledger;

static clsp_range ledger_region(void *user, clsp_range tiles)
{
    const clsp_range place = {tiles.first * sizeof(int32_t), tiles.count * sizeof(int32_t)};

    (void)user;
    return place;
}

static clsp_status ledger_host(void *user, uint32_t worker, clsp_range tiles)
{
    ledger *const l = user;

    (void)worker;
    for (size_t i = tiles.first; i < tiles.first + tiles.count; i++)
        atomic_fetch_add_explicit(&l->entries[i], 1, memory_order_relaxed);
    return CLSP_OK;
}

static clsp_status ledger_persistent(void *user, uint32_t device, clspi_series *series,
                                     void *counter, size_t num_tiles, void *out)
{
    ledger *const l = user;
    const int32_t tiles = (int32_t)num_tiles;
    const clspi_take_ledger_args args = {.counter = counter, .num_tiles = tiles, .ledger = out};
    const size_t groups = 4 * clspi_max(series->ctx->device.compute_units, 1);

    (void)device;
    return clspi_launch_take_ledger(series, &l->kernel, &args, groups * l->kernel.local);
}

/* Tells whether each tile was made once. */
static bool each_once(const ledger *l)
{
    for (size_t i = 0; i < TEST_TILES; i++)
        if (atomic_load(&l->entries[i]) != 1) return false;
    return true;
}

/* Runs one round of the self-test; false when it failed. *met: both sides took a part. */
static bool test_round(clspi_device_set *set, const clspi_job *job, uint32_t device,
                       const ledger *l, bool *met)
{
    clspi_run *const run = set->run;
    bool persistent[CLSPI_MAX_DEVICES] = {false};

    persistent[device] = true;
    memset(l->entries, 0, TEST_TILES * sizeof *l->entries);
    clspi_run_begin(run, set, job, false);
    clspi_tile_queue_round(run, persistent, clspi_device_set_workers(set));
    *met = atomic_load(&run->participants[device].tiles) >= TEST_TILES / TEST_PART &&
           atomic_load(&run->participants[run->host].tiles) >= TEST_TILES / TEST_PART;
    return clspi_run_alive(run, device) && atomic_load(&run->requeued.num) == 0 && each_once(l);
}

/* Runs rounds until the two sides have met often enough. The first launch compiles on some drivers:
   the host is alone in that round then. */
static bool run_test(clspi_device_set *set, uint32_t device, ledger *l)
{
    const clspi_job job = {.user = l,
                           .num_tiles = TEST_TILES,
                           .out = (char *)l->entries,
                           .region = ledger_region,
                           .host = ledger_host,
                           .persistent = ledger_persistent};
    int meetings = 0;

    for (int i = 0; i < TEST_ROUNDS && meetings < TEST_MEETINGS; i++) {
        bool met;
        if (!test_round(set, &job, device, l, &met)) return false;
        meetings += met;
    }
    return true;
}

/* Runs the self-test on a device; false when it failed or could not run. */
static bool self_test(clspi_device_set *set, uint32_t device)
{
    clsp_context *const ctx = set->contexts[device];
    clspi_options options;
    ledger l = {0};
    bool passed = false;

    if (!clspi_svm_atomics(ctx, &options)) return false;
    l.entries = alloc_atomics(set, TEST_TILES * sizeof *l.entries);
    if (l.entries && clspi_kernel_create_grouped(&l.kernel, ctx, test_program,
                                                 &clspi_take_ledger_signature, &options) == CLSP_OK)
        passed = run_test(set, device, &l);
    clspi_kernel_release(&l.kernel);
    if (l.entries) clSVMFree(set->ctx->context, l.entries);
    return passed;
}

/* Tells whether a device passes the self-test. It is made once for each device, driver and
   platform: the file of speeds remembers it. */
static bool passes(clspi_device_set *set, uint32_t device)
{
    static const char key[] = "svm-tile-queue";
    clspi_device_state *const state = &set->states[device];
    char owner[CLSPI_OWNER_MAX];
    const clspi_speed_line *line;

    if (state->svm_test == 0) {
        clspi_speeds_owner(owner, &set->contexts[device]->device);
        line = clspi_speeds_find(&set->speeds, owner, key);
        if (!line) {
            clspi_speeds_set(&set->speeds, owner, key, self_test(set, device) ? 1 : 2, 0);
            line = clspi_speeds_find(&set->speeds, owner, key);
        }
        state->svm_test = line && line->slope_ps == 1 ? 1 : -1;
    }
    return state->svm_test > 0;
}

/* ---- which jobs and devices ---- */

/* Tells why a device cannot take tiles from a counter in memory of the set's first context; NULL:
   it can. */
static const char *refuse_device(clspi_device_set *set, uint32_t device)
{
    const clsp_context *const ctx = set->contexts[device];
    clspi_options options;

    if (!clspi_has_svm_atomics(&ctx->device))
        return "no fine-grain shared memory with atomics on the device";
    if (ctx->context != set->ctx->context && !(ctx->device.svm & CLSP_SVM_FINE_SYSTEM))
        return "the device shares no memory with the context's own";
    if (!clspi_svm_atomics(ctx, &options)) return "no atomics in the scope of all devices";
    if (!passes(set, device)) return "the device failed the test of its tile queue";
    return NULL;
}

/* Tells why no device can run the job's persistent kernel; NULL: those marked can. */
static const char *refuse_devices(clspi_device_set *set, bool persistent[])
{
    const char *why = NULL;
    bool any = false;

    for (uint32_t d = 0; d < set->num_devices; d++) {
        const char *const reason = refuse_device(set, d);
        persistent[d] = !reason;
        any = any || persistent[d];
        if (reason && !why) why = reason;
        if (reason && d > 0)
            clspi_message(&set->ctx->log, CLSP_LOG_INFO, "cooperate: svm without %s: %s",
                          set->contexts[d]->device.name, reason);
    }
    return any ? NULL : why;
}

const char *clspi_tile_queue_refusal(clspi_device_set *set, const clspi_job *job, bool persistent[])
{
    if (!job->persistent)
        return job->why_not_persistent ? job->why_not_persistent : "the job has no kernel for it";
    if (job->num_tiles > TILES_MAX) return "too many tiles for its counter";
    if (!clspi_has_svm_atomics(&set->ctx->device))
        return "no fine-grain shared memory with atomics";
    if (!clspi_shared_holds(set, job->out))
        return "the result is not in shared memory of clsp_shared_alloc";
    if (!make_counter(set)) return "no shared memory for the counter";
    return refuse_devices(set, persistent);
}
