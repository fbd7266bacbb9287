#include "pops.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "shared_memory.h"

enum {
    LINE_BYTES = 128,     /* no other data shares what moves between the processors */
    TEST_TILES = 1 << 16, /* of the self-test: tiny ones, since only they meet often */
    TEST_ROUNDS = 8,      /* at most */
    TEST_MEETINGS = 3,    /* rounds in which both sides took a part are enough */
    TEST_PART = 64,       /* one in so many tiles is a part */
    TILES_MAX = 1 << 30,  /* the counter goes above the last tile, by one for each work-group */
    TAKE_TILES_MAX = 1 << 12
};

#define TAKE_MIN_MS 0.02

typedef _Atomic(cl_int) shared_counter;

static const char *const standard_options[] = {"-DCLSP_STANDARD_ATOMICS=0",
                                               "-cl-std=CL2.0 -DCLSP_STANDARD_ATOMICS=1",
                                               "-cl-std=CL3.0 -DCLSP_STANDARD_ATOMICS=1"};

/* ---- which atomics ---- */

/* Whether a word is among the features of OpenCL C 3.0. */
static bool has_feature(cl_device_id device, const char *word)
{
    size_t size = 0;
    cl_name_version *list;
    bool found = false;

    if (clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, 0, NULL, &size) != CL_SUCCESS ||
        size == 0)
        return false;
    list = malloc(size);
    if (list &&
        clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, size, list, NULL) == CL_SUCCESS)
        for (size_t i = 0; i < size / sizeof *list && !found; i++)
            found = strncmp(list[i].name, word, sizeof list[i].name) == 0;
    free(list);
    return found;
}

const char *clspi_pop_options(const clsp_context *ctx)
{
    const clsp_device_info *const info = &ctx->device;

    if (info->device_class == CLSP_CLASS_CPU) return standard_options[0];
    if (info->opencl_version == 200) return standard_options[1];
    if (has_feature(info->id, "__opencl_c_atomic_scope_all_devices")) return standard_options[2];
    return NULL;
}

/* ---- the counter ---- */

static bool has_pops(const clsp_device_info *info)
{
    const uint32_t both = CLSP_SVM_FINE_BUFFER | CLSP_SVM_ATOMICS;

    return (info->svm & both) == both;
}

static bool make_counter(clspi_team *team)
{
    if (!team->counter)
        team->counter =
            clSVMAlloc(team->ctx->context,
                       CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                       LINE_BYTES, LINE_BYTES);
    return team->counter != NULL;
}

void clspi_pops_release(clspi_team *team)
{
    if (team->counter) clSVMFree(team->ctx->context, team->counter);
    team->counter = NULL;
}

/* ---- the round ---- */

typedef struct popper {
    clspi_run *run;
    shared_counter *counter;
    size_t num_tiles;
    uint32_t workers;
} popper;

static bool pop(popper *p, size_t take, clspi_range *range)
{
    const cl_int first = atomic_fetch_add_explicit(p->counter, (cl_int)take, memory_order_relaxed);

    if ((size_t)first >= p->num_tiles) return false;
    range->first = (size_t)first;
    range->count = clspi_min(take, p->num_tiles - range->first);
    return true;
}

/* Several at once where tiles are tiny, but never much of what may be left. */
static size_t next_take(const popper *p, size_t take, const clspi_range *last, double ms)
{
    const size_t left = p->num_tiles - last->first - last->count;
    const size_t most = clspi_min(left / (8 * ((size_t)p->workers + 2)), TAKE_TILES_MAX);

    if (ms < TAKE_MIN_MS)
        take *= 2;
    else if (ms > 4 * TAKE_MIN_MS)
        take /= 2;
    return clspi_max(clspi_min(take, most), 1);
}

static void add_busy(clspi_run *run, double busy)
{
    pthread_mutex_lock(&run->lock);
    run->parts[run->host].busy_ms += busy;
    pthread_mutex_unlock(&run->lock);
}

static void work(void *user, uint32_t worker)
{
    popper *const p = user;
    clspi_run *const run = p->run;
    clspi_part *const host = &run->parts[run->host];
    double busy = 0, now = clspi_now_ms();
    size_t take = 1;
    clspi_range range;

    while (clspi_run_alive(run, run->host) && pop(p, take, &range)) {
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
        take = next_take(p, take, &range, now - begin);
    }
    add_busy(run, busy);
}

/* Returns whether the device is at work. */
static bool launch(clspi_run *run, uint32_t device, cl_event *done)
{
    const clspi_job *const job = run->job;
    clsp_context *const ctx = run->team->contexts[device];
    clsp_status status;
    clspi_series series;

    clspi_series_begin(&series, ctx, 0, NULL, done);
    status = job->persist(job->user, device, &series, run->team->counter, job->num_tiles, job->out);
    if (status != CLSP_OK)
        clspi_series_fail(&series, status);
    else
        status = clspi_series_end(&series, done);
    if (status == CLSP_OK) status = clspi_cl(&ctx->log, clFlush(ctx->queue), "clFlush");
    if (status == CLSP_OK) return true;
    clFinish(ctx->queue); /* it may have begun */
    clspi_run_drop(run, device, status);
    return *done != NULL;
}

static double kernel_ms(cl_event event, double otherwise)
{
    cl_ulong begin = 0, end = 0;

    if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL) !=
            CL_SUCCESS ||
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) !=
            CL_SUCCESS ||
        end <= begin)
        return otherwise;
    return (double)(end - begin) * 1e-6;
}

/* False when it failed after it had begun: nobody knows then which tiles it took. */
static bool await(clspi_run *run, uint32_t device, cl_event done)
{
    clsp_context *const ctx = run->team->contexts[device];
    clspi_part *const part = &run->parts[device];
    const cl_int code = clWaitForEvents(1, &done);

    if (code == CL_SUCCESS && clspi_run_alive(run, device)) {
        part->busy_ms += kernel_ms(done, clspi_now_ms() - run->round_ms);
        atomic_fetch_add(&part->chunks, 1);
        return true;
    }
    clFinish(ctx->queue);
    if (clspi_run_alive(run, device))
        clspi_run_drop(run, device, clspi_waited(ctx, code, "popping tiles"));
    return false;
}

/* All tiles again, by whoever is left. */
static void start_over(clspi_run *run)
{
    const clspi_range all = {0, run->job->num_tiles};

    atomic_store(&run->returns.num, 0);
    for (uint32_t p = 0; p <= run->num_devices; p++) {
        atomic_store(&run->parts[p].tiles, 0);
        atomic_store(&run->parts[p].chunks, 0);
    }
    clspi_returns_put(&run->returns, all);
}

/* What the host did not make and was not given back, the devices made. */
static void count_tiles(clspi_run *run, const popper *p, bool any_device, uint32_t first_device)
{
    const cl_int popped = atomic_load(p->counter);
    const size_t taken = clspi_min((size_t)popped, p->num_tiles);
    size_t others = atomic_load(&run->parts[run->host].tiles);
    const clspi_range rest = {taken, p->num_tiles - taken};

    for (unsigned i = 0; i < atomic_load(&run->returns.num); i++)
        others += run->returns.ranges[i].count;
    if (any_device) atomic_fetch_add(&run->parts[first_device].tiles, taken - others);
    clspi_returns_put(&run->returns, rest);
}

void clspi_pops_round(clspi_run *run, const bool takes[], uint32_t workers)
{
    cl_event done[CLSPI_MAX_DEVICES] = {NULL};
    popper p = {run, run->team->counter, run->job->num_tiles, 0};
    uint32_t first_device = run->num_devices;
    bool whole = true;

    atomic_store(p.counter, 0);
    if (clspi_run_alive(run, run->host)) p.workers = clspi_pool_reserve(&run->team->pool, workers);
    clspi_run_start_clock(run, clspi_run_alive(run, run->host) ? p.workers + 1 : 0);
    for (uint32_t d = 0; d < run->num_devices; d++)
        if (takes[d] && clspi_run_alive(run, d) && launch(run, d, &done[d]) &&
            first_device == run->num_devices)
            first_device = d;
    if (clspi_run_alive(run, run->host)) {
        clspi_pool_start(&run->team->pool, p.workers, work, &p);
        work(&p, p.workers);
        if (p.workers > 0) clspi_pool_wait(&run->team->pool);
    }
    for (uint32_t d = 0; d < run->num_devices; d++) {
        if (!done[d]) continue;
        whole = await(run, d, done[d]) && whole;
        clReleaseEvent(done[d]);
    }
    if (whole)
        count_tiles(run, &p, first_device < run->num_devices, first_device);
    else
        start_over(run);
}

/* ---- the self-test ---- */

static const char test_program[] = "cooperate_ledger", test_kernel[] = "cooperate_pop_ledger";

clsp_status clspi_cooperate_build_all(clsp_context *ctx, clsp_kernel_fn fn, void *user)
{
    const char *const options = has_pops(&ctx->device) ? clspi_pop_options(ctx) : NULL;

    if (!options) return CLSP_OK;
    return clspi_program_report_grouped(ctx, test_program, options, test_kernel, fn, user);
}

typedef struct ledger {
    clspi_kernel kernel;
    shared_counter *entries;
} ledger;

static void ledger_region(void *user, size_t first, size_t count, size_t *offset, size_t *bytes)
{
    (void)user;
    *offset = first * sizeof(cl_int);
    *bytes = count * sizeof(cl_int);
}

static clsp_status ledger_host(void *user, uint32_t worker, size_t first, size_t count)
{
    ledger *const l = user;

    (void)worker;
    for (size_t i = first; i < first + count; i++)
        atomic_fetch_add_explicit(&l->entries[i], 1, memory_order_relaxed);
    return CLSP_OK;
}

static clsp_status ledger_persist(void *user, uint32_t device, clspi_series *series, void *counter,
                                  size_t num_tiles, void *out)
{
    ledger *const l = user;
    const cl_int tiles = (cl_int)num_tiles;
    const clspi_arg args[] = {CLSPI_ARG_SVM(counter), CLSPI_ARG(tiles), CLSPI_ARG_SVM(out)};
    const size_t groups = 4 * clspi_max(series->ctx->device.compute_units, 1);

    (void)device;
    return clspi_series_launch(series, &l->kernel, args, CLSPI_COUNT(args),
                               groups * l->kernel.local);
}

static bool each_once(const ledger *l)
{
    for (size_t i = 0; i < TEST_TILES; i++)
        if (atomic_load(&l->entries[i]) != 1) return false;
    return true;
}

/* One round; *met: both sides took a part. */
static bool test_round(clspi_team *team, const clspi_job *job, uint32_t device, const ledger *l,
                       bool *met)
{
    clspi_run *const run = team->run;
    bool takes[CLSPI_MAX_DEVICES] = {false};

    takes[device] = true;
    memset(l->entries, 0, TEST_TILES * sizeof *l->entries);
    clspi_run_begin(run, team, job, false);
    clspi_pops_round(run, takes, clspi_team_workers(team));
    *met = atomic_load(&run->parts[device].tiles) >= TEST_TILES / TEST_PART &&
           atomic_load(&run->parts[run->host].tiles) >= TEST_TILES / TEST_PART;
    return clspi_run_alive(run, device) && atomic_load(&run->returns.num) == 0 && each_once(l);
}

/* The first launch compiles on some drivers: the host is alone in that round then. */
static bool run_test(clspi_team *team, uint32_t device, ledger *l)
{
    const clspi_job job = {.user = l,
                           .num_tiles = TEST_TILES,
                           .out = (char *)l->entries,
                           .region = ledger_region,
                           .host = ledger_host,
                           .persist = ledger_persist};
    int meetings = 0;

    for (int i = 0; i < TEST_ROUNDS && meetings < TEST_MEETINGS; i++) {
        bool met;
        if (!test_round(team, &job, device, l, &met)) return false;
        meetings += met;
    }
    return true;
}

static bool self_test(clspi_team *team, uint32_t device)
{
    clsp_context *const ctx = team->contexts[device];
    const char *const options = clspi_pop_options(ctx);
    ledger l = {0};
    bool passed = false;

    if (!options) return false;
    l.entries = clSVMAlloc(team->ctx->context,
                           CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                           TEST_TILES * sizeof *l.entries, LINE_BYTES);
    if (l.entries &&
        clspi_kernel_create_grouped(&l.kernel, ctx, test_program, options, test_kernel) == CLSP_OK)
        passed = run_test(team, device, &l);
    clspi_kernel_release(&l.kernel);
    if (l.entries) clSVMFree(team->ctx->context, l.entries);
    return passed;
}

/* Once for each device, driver and platform: the file of speeds remembers it. */
static bool passes(clspi_team *team, uint32_t device)
{
    static const char key[] = "svm-pops";
    clspi_lane *const lane = &team->lanes[device];
    char owner[CLSPI_OWNER_MAX];
    const clspi_speed_line *line;

    if (lane->pops == 0) {
        clspi_speeds_owner(owner, &team->contexts[device]->device);
        line = clspi_speeds_find(&team->speeds, owner, key);
        if (!line) {
            clspi_speeds_set(&team->speeds, owner, key, self_test(team, device) ? 1 : 2, 0);
            line = clspi_speeds_find(&team->speeds, owner, key);
        }
        lane->pops = line && line->slope_ps == 1 ? 1 : -1;
    }
    return lane->pops > 0;
}

/* ---- the gate ---- */

/* NULL when the device can pop in memory of the team's first context. */
static const char *refuse_device(clspi_team *team, uint32_t device)
{
    const clsp_context *const ctx = team->contexts[device];

    if (!has_pops(&ctx->device)) return "no fine-grain shared memory with atomics on the device";
    if (ctx->context != team->ctx->context && !(ctx->device.svm & CLSP_SVM_FINE_SYSTEM))
        return "the device shares no memory with the context's own";
    if (!clspi_pop_options(ctx)) return "no atomics in the scope of all devices";
    if (!passes(team, device)) return "the device failed the test of pops";
    return NULL;
}

const char *clspi_pops_refuse(clspi_team *team, const clspi_job *job, bool takes[])
{
    const char *why = NULL;
    bool any = false;

    if (!job->persist) return job->why_no_svm ? job->why_no_svm : "the job has no kernel for it";
    if (job->num_tiles > TILES_MAX) return "too many tiles for its counter";
    if (!has_pops(&team->ctx->device)) return "no fine-grain shared memory with atomics";
    if (!clspi_shared_holds(team, job->out))
        return "the result is not in shared memory of clsp_shared_alloc";
    if (!make_counter(team)) return "no shared memory for the counter";
    for (uint32_t d = 0; d < team->num_devices; d++) {
        const char *const reason = refuse_device(team, d);
        takes[d] = !reason;
        any = any || takes[d];
        if (reason && !why) why = reason;
        if (reason && d > 0)
            clspi_message(&team->ctx->log, CLSP_LOG_INFO, "cooperate: svm without %s: %s",
                          team->contexts[d]->device.name, reason);
    }
    return any ? NULL : why;
}
