/* Evaluation by the device and the host's cores together: the experiments of Palomar et al., 2018,
   6.3, and then every case by every schedule against what one processor does alone (shared_grid.c).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "suite_parts.h"
#include "shared_run.h"

/* Of figures 9 and 10; their table 3 is of the middle one of both. */
static const size_t orders[] = {4, 8, 12};
static const size_t resolutions[] = {300, 400, 500};
static const bezier_case table_case = {8, 400, 1};

static bool suits(const bench *b, clsp_type p, size_t resolution)
{
    return b->wanted[p] && (!b->quick || (p == CLSP_F32 && resolution == 300));
}

/* ---- figure 9: a static split, from all to the device to all to the host ---- */

enum { STEP = 5, SPLITS = 100 / STEP + 1 };

static void describe_splits(shared_run *run, shared_way *ways, char (*names)[32],
                            bench_contestant *all)
{
    for (size_t i = 0; i < SPLITS; i++) {
        snprintf(names[i], sizeof names[i], "static %zu%%", i * STEP);
        ways[i] = (shared_way){.run = run,
                               .name = names[i],
                               .opts = {.schedule = CLSP_SCHEDULE_STATIC,
                                        .static_ratio = i > 0 ? (double)(i * STEP) / 100 : -1}};
        all[i] = shared_way_contestant(&ways[i]);
    }
}

static clsp_status report_splits(shared_run *run, shared_way *ways, const bench_contestant *all)
{
    size_t best = 0;
    clsp_status status;
    char text[64];

    for (size_t i = 0; i < SPLITS; i++) {
        BENCH_TRY(shared_way_report(&ways[i], ways[i].name, all[i].sustained));
        if (all[i].sustained.median_ms < all[best].sustained.median_ms) best = i;
    }
    snprintf(text, sizeof text, "best, %s/0%%", ways[best].name);
    shared_run_ratio(run, text, bench_ratio(&all[best], &all[0]), NAN, NAN);

fail:
    return status;
}

static clsp_status run_splits(bench *b, clsp_context *ctx, const bezier_case *c,
                              clsp_type precision)
{
    shared_run run = {0};
    shared_way ways[SPLITS];
    bench_contestant all[SPLITS];
    char names[SPLITS][32];
    clsp_status status;

    if (!bezier_case_wanted(b, c)) return CLSP_OK;
    BENCH_TRY(shared_run_start(&run, b, "cooperate-9", ctx, c, precision));
    describe_splits(&run, ways, names, all);
    BENCH_TRY(bench_measure(b->queue, all, SPLITS, b->quick ? 2 : 5));
    BENCH_TRY(report_splits(&run, ways, all));

fail:
    shared_run_release(&run);
    return status;
}

/* ---- figure 10: tiles handed out while the job runs, by the number of host threads ---- */

enum { MOST_THREADS = 4 };

static const uint32_t threads[] = {0, 1, 2, MOST_THREADS};

enum { THREAD_WAYS = 2 * BENCH_COUNT(threads) };

static clsp_share threads_opts(clsp_schedule schedule, uint32_t num)
{
    if (num == 0) return (clsp_share){.schedule = CLSP_SCHEDULE_DEVICE};
    return (clsp_share){.schedule = schedule, .num_workers = num};
}

/* Describes the ways of a schedule that runs here. */
static clsp_status describe_threads(shared_run *run, clsp_schedule schedule, shared_way *ways,
                                    char (*names)[32], bench_contestant *all)
{
    clsp_status status = CLSP_OK;
    bool runs = true;

    for (size_t i = BENCH_COUNT(threads); i-- > 0 && runs;) {
        snprintf(names[i], sizeof names[i], "%s, %u threads", clsp_schedule_name(schedule),
                 threads[i]);
        ways[i] =
            (shared_way){.run = run, .name = names[i], .opts = threads_opts(schedule, threads[i])};
        BENCH_TRY(shared_way_try(&ways[i], &runs));
        if (runs) all[i] = shared_way_contestant(&ways[i]);
    }

fail:
    return status;
}

static clsp_status run_threads(bench *b, clsp_context *ctx, const bezier_case *c,
                               clsp_type precision)
{
    shared_run run = {0};
    shared_way ways[THREAD_WAYS];
    bench_contestant all[THREAD_WAYS] = {{0}};
    char names[THREAD_WAYS][32];
    const size_t half = THREAD_WAYS / 2;
    clsp_status status;

    if (!bezier_case_wanted(b, c)) return CLSP_OK;
    BENCH_TRY(shared_run_start(&run, b, "cooperate-10", ctx, c, precision));
    BENCH_TRY(describe_threads(&run, CLSP_SCHEDULE_DYNAMIC, ways, names, all));
    BENCH_TRY(describe_threads(&run, CLSP_SCHEDULE_SVM, ways + half, names + half, all + half));
    BENCH_TRY(bench_measure_some(b->queue, all, THREAD_WAYS, b->quick ? 2 : 5));
    for (size_t i = 0; i < THREAD_WAYS; i++)
        if (all[i].enqueue) BENCH_TRY(shared_way_report(&ways[i], names[i], all[i].sustained));

fail:
    shared_run_release(&run);
    return status;
}

/* ---- table 3: where the time of a call goes ---- */

enum { TABLE_RUNS = 21 };

typedef struct stages {
    double whole[TABLE_RUNS], prepare[TABLE_RUNS], device[TABLE_RUNS], move[TABLE_RUNS],
        host[TABLE_RUNS];
} stages;

static void report_stage(const shared_run *r, const char *way, const char *stage, double *values)
{
    char text[64];
    bench_row row = bench_row_empty(r->suite, r->name, text, r->precision == CLSP_F64 ? 64 : 32);

    snprintf(text, sizeof text, "%s: %s", way, stage);
    row.time = bench_timing_of(values, TABLE_RUNS);
    bench_report_row(r->b->report, &row);
}

static void take_stages(stages *s, size_t i, const clsp_report *report)
{
    const clsp_processor_report devices = shared_report_devices(report);

    s->whole[i] = report->wall_ms;
    s->prepare[i] = report->prepare_ms;
    s->device[i] = devices.busy_ms;
    s->move[i] = devices.move_ms;
    s->host[i] = shared_report_host(report).busy_ms;
}

static clsp_status run_stages(shared_run *run, clsp_schedule schedule, shared_memory memory)
{
    char name[32];
    shared_way way = {.run = run, .name = name, .memory = memory, .opts = {.schedule = schedule}};
    stages s;
    bool runs;
    clsp_status status;

    snprintf(name, sizeof name, "%s, %s", clsp_schedule_name(schedule),
             shared_memory_names[memory]);
    BENCH_TRY(shared_way_try(&way, &runs));
    if (!runs) return CLSP_OK;
    for (size_t i = 0; i < TABLE_RUNS; i++) {
        BENCH_TRY(shared_way_run(&way));
        take_stages(&s, i, &way.report);
    }
    report_stage(run, name, "whole call", s.whole);
    report_stage(run, name, "before the first tile", s.prepare);
    report_stage(run, name, "level 1, device", s.device);
    report_stage(run, name, "level 1, host", s.host);
    report_stage(run, name, "surface to the host", s.move);

fail:
    return status;
}

/* Writes tables as large as a case's to the device, from the host, as it is done where devices do
   not fill them. */
static clsp_status run_basis_transfer(shared_run *run)
{
    const size_t bytes = 2 * run->c.order * run->c.samples * clsp_type_bytes(run->precision);
    double ms[TABLE_RUNS];
    cl_int code;
    cl_mem table = clCreateBuffer(run->b->context, CL_MEM_READ_ONLY, bytes, NULL, &code);

    for (size_t i = 0; i < TABLE_RUNS && code == CL_SUCCESS; i++) {
        const double start = bench_now_ms();
        code = clEnqueueWriteBuffer(run->b->queue, table, CL_TRUE, 0, bytes, run->out[SHARED_PLAIN],
                                    0, NULL, NULL);
        ms[i] = bench_now_ms() - start;
    }
    if (table) clReleaseMemObject(table);
    if (code == CL_SUCCESS) report_stage(run, "once", "basis transfer", ms);
    return bench_check(code, "basis transfer");
}

/* Allocates memory for the surface that all processors share, and touches all of it. */
static clsp_status run_allocation(shared_run *run)
{
    double ms[TABLE_RUNS];
    clsp_status status;

    for (size_t i = 0; i < TABLE_RUNS; i++) {
        void *surface = NULL;
        const double start = bench_now_ms();
        BENCH_TRY(clsp_shared_alloc(run->ctx, run->bytes, &surface));
        memset(surface, 0, run->bytes);
        ms[i] = bench_now_ms() - start;
        clsp_shared_free(run->ctx, surface);
    }
    report_stage(run, "once", "allocation", ms);

fail:
    return bench_check(status, "allocation");
}

/* What comes before any frame: their level 2. */
static clsp_status run_tables(shared_run *run)
{
    const uint32_t num = (uint32_t)run->c.samples;
    const clsp_axis axes[] = {{.num = num}, {.num = num}}, others[] = {{.num = num - 1}, axes[1]};
    double ms[TABLE_RUNS];
    clsp_status status;

    for (size_t i = 0; i < TABLE_RUNS; i++) {
        BENCH_TRY(clsp_patch_set_grids(run->plan, others, 0, (clsp_input){0}));
        const double start = bench_now_ms();
        BENCH_TRY(clsp_patch_set_grids(run->plan, axes, 0, (clsp_input){0}));
        BENCH_TRY(clFinish(run->b->queue));
        ms[i] = bench_now_ms() - start;
    }
    report_stage(run, "once", "level 2, basis", ms);

fail:
    return bench_check(status, "tables");
}

static clsp_status run_table(bench *b, clsp_context *ctx, clsp_type precision)
{
    shared_run run = {0};
    clsp_status status;

    if (!bezier_case_wanted(b, &table_case)) return CLSP_OK;
    BENCH_TRY(shared_run_start(&run, b, "cooperate-table3", ctx, &table_case, precision));
    BENCH_TRY(run_tables(&run));
    BENCH_TRY(run_basis_transfer(&run));
    BENCH_TRY(run_allocation(&run));
    for (int schedule = CLSP_SCHEDULE_SVM; schedule < CLSP_NUM_SCHEDULES; schedule++)
        for (int memory = SHARED_BEST; memory < SHARED_MEMORIES; memory++)
            BENCH_TRY(run_stages(&run, (clsp_schedule)schedule, (shared_memory)memory));

fail:
    shared_run_release(&run);
    return status;
}

/* ---- all ---- */

typedef clsp_status figure_fn(bench *b, clsp_context *ctx, const bezier_case *c,
                              clsp_type precision);

static clsp_status run_figure(bench *b, clsp_context *ctx, figure_fn *run)
{
    clsp_status status = CLSP_OK;

    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++) {
        for (size_t i = 0; i < BENCH_COUNT(orders) * BENCH_COUNT(resolutions); i++) {
            const size_t resolution = resolutions[i % BENCH_COUNT(resolutions)];
            const bezier_case c = {orders[i / BENCH_COUNT(resolutions)], resolution, 1};
            if (suits(b, p, resolution)) BENCH_TRY(run(b, ctx, &c, p));
        }
    }

fail:
    return status;
}

clsp_status bench_suite_cooperate(bench *b)
{
    clsp_context *ctx = NULL, *many = NULL;
    clsp_status status;

    BENCH_TRY(shared_context_create(b, &ctx, b->workers));
    BENCH_TRY(run_figure(b, ctx, run_splits));
    BENCH_TRY(shared_context_create(b, &many, MOST_THREADS));
    BENCH_TRY(run_figure(b, many, run_threads));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        if (b->wanted[p]) BENCH_TRY(run_table(b, ctx, p));
    BENCH_TRY(shared_grid_run(b, ctx));

fail:
    clsp_context_destroy(&many);
    clsp_context_destroy(&ctx);
    return status;
}
