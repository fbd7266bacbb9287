/* Bezier surfaces: the library against the textbook's sum and against what the device can do at
   best, from one patch to many and from low degrees to high ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_run.h"
#include "reference.h"

enum {
    QUICK = 1,         /* part of --quick */
    COMPARE = 2,       /* also by the double sum, one item a point */
    AGAINST_STORE = 4, /* beside the fastest store kernel */
    LARGE = 0          /* samples: as many as make the largest output */
};

static const char suite[] = "bezier";

static const struct {
    bezier_case c;
    int flags;
} cases[] = {
    {{4, 300, 1}, QUICK | COMPARE},
    {{4, 1000, 1}, 0},
    {{4, 2000, 1}, QUICK | COMPARE | AGAINST_STORE},
    {{8, 300, 1}, COMPARE},
    {{8, 1000, 1}, 0},
    {{8, 2000, 1}, QUICK | COMPARE},
    {{12, 300, 1}, COMPARE},
    {{12, 1000, 1}, 0},
    {{12, 2000, 1}, QUICK | COMPARE},
    {{16, 300, 1}, COMPARE},
    {{16, 1000, 1}, 0},
    {{16, 2000, 1}, COMPARE},
    {{4, 32, 1}, 0},
    {{4, 32, 10}, 0},
    {{4, 32, 100}, 0},
    {{4, 32, 1000}, QUICK},
    {{4, 32, 10000}, 0},
    {{4, 300, 10}, 0},
    {{4, 300, 100}, QUICK},
    {{4, 300, 1000}, 0},
    {{4, 300, 10000}, 0},
    {{4, 2000, 25}, 0},
    {{8, 2000, 25}, 0},
    {{12, 2000, 25}, 0},
    {{16, 2000, 25}, 0},
    {{4, LARGE, 1}, QUICK | AGAINST_STORE},
    {{8, LARGE, 1}, 0},
    {{12, LARGE, 1}, 0},
    {{16, LARGE, 1}, 0},
    {{32, 1000, 1}, QUICK},
    {{64, 1000, 1}, 0},
    {{101, 1000, 1}, QUICK},
    {{256, 1000, 1}, 0},
    {{501, 1000, 1}, 0},
    {{1001, 1000, 1}, 0},
};

/* What the separable method is to reach over the double sum, on PoCL in float. */
static const struct {
    size_t order;
    double ratio;
} wanted_ratios[] = {{4, 8}, {8, 30}, {12, 60}};

static const double wanted_store_fraction = 0.6;

/* A case with what it is compared with. */
typedef struct comparison {
    bezier_run run;
    bezier_way separable;
    bench_kernel per_point;
    cl_mem table;
} comparison;

/* ---- contestants ---- */

static clsp_status enqueue_per_point(void *user)
{
    comparison *const x = user;
    bezier_run *const r = &x->run;
    const size_t points = bezier_run_chunk_points(r);
    const cl_uint start = (cl_uint)(bezier_run_take(r, 0) * points);
    const cl_uint num = (cl_uint)r->c.samples;
    const bench_arg args[] = {BENCH_ARG(r->device_points), BENCH_ARG(x->table), BENCH_ARG(num),
                              BENCH_ARG(r->out->buffer), BENCH_ARG(start)};
    clsp_status status;

    BENCH_TRY(bench_kernel_args(&x->per_point, args, BENCH_COUNT(args)));
    BENCH_TRY(bench_kernel_launch(&x->per_point, 0, points, NULL));
    return CLSP_OK;

fail:
    return status;
}

/* As many reals as the case writes; the last few of an odd number are left out. */
static clsp_status enqueue_store(void *user)
{
    comparison *const x = user;
    bezier_run *const r = &x->run;
    bench_floor *const floor = &r->b->floor[r->precision];
    const size_t items = bezier_run_chunk_points(r) * 3 / floor->store_reals;

    return bench_kernel_launch(&floor->store, bezier_run_take(r, 0) * items, items, NULL);
}

/* ---- setting up ---- */

/* For at least `wanted` bytes, as far as one buffer goes. */
static size_t large_samples(const bench *b, size_t real_bytes)
{
    const size_t bytes = bench_large_bytes(b);

    return (size_t)sqrt((double)bytes / (double)(3 * real_bytes));
}

/* The table of the double sum: [order][samples]. */
static clsp_status upload_table(comparison *x)
{
    const size_t order = x->run.c.order, num = x->run.c.samples;
    double *const table = malloc(order * num * sizeof *table);
    long double column[BENCH_ORDER_MAX];
    clsp_status status;

    if (!table) return bench_check(CLSP_ERROR_NO_MEMORY, "table");
    for (size_t a = 0; a < num; a++) {
        bench_bernstein(order, a, num, column);
        for (size_t i = 0; i < order; i++)
            table[i * num + a] = (double)column[i];
    }
    status = bezier_run_upload(&x->run, table, order * num, &x->table);
    free(table);
    return status;
}

static clsp_status create_per_point(comparison *x)
{
    const bezier_run *const r = &x->run;
    clsp_status status;
    cl_program program = NULL;
    char options[96];

    snprintf(options, sizeof options,
             "-cl-std=CL1.2 -DCLSP_REAL=%zu -DCLSP_FMA=%d -DBENCH_ORDER=%zu", 8 * r->real_bytes,
             r->precision == CLSP_F64 || r->b->info.fma, r->c.order);
    BENCH_TRY(upload_table(x));
    BENCH_TRY(bench_program_build(&program, r->b->queue, "per_point", options));
    BENCH_TRY(bench_kernel_create(&x->per_point, program, r->b->queue, "per_point"));

fail:
    if (program) clReleaseProgram(program);
    return status;
}

static void release(comparison *x)
{
    bezier_way_release(&x->separable);
    bench_kernel_release(&x->per_point);
    if (x->table) clReleaseMemObject(x->table);
    bezier_run_release(&x->run);
}

/* ---- results ---- */

static double wanted_ratio(const bezier_run *r)
{
    if (!bezier_takes_own_shape(r->b) || !r->b->is_cpu || r->precision != CLSP_F32 ||
        r->c.samples != 2000 || strncmp(r->b->info.platform, "Portable", 8) != 0)
        return NAN;
    for (size_t i = 0; i < BENCH_COUNT(wanted_ratios); i++)
        if (wanted_ratios[i].order == r->c.order) return wanted_ratios[i].ratio;
    return NAN;
}

/* One call by the device's own clock, from the end of what was before it on the queue to the end of
   its last command: a call before it keeps the device busy while this one is enqueued. */
static clsp_status time_on_device(comparison *x, double *ms)
{
    bezier_run *const r = &x->run;
    const cl_command_queue queue = r->b->queue;
    cl_event before = NULL, done = NULL;
    cl_ulong start = 0, end = 0;
    clsp_status status;

    BENCH_TRY(bezier_way_enqueue(&x->separable));
    BENCH_TRY(bench_check(clEnqueueMarkerWithWaitList(queue, 0, NULL, &before), "marker"));
    BENCH_TRY(bench_check(clsp_patch_eval(x->separable.plan, (clsp_range){0, r->c.patches},
                                          bezier_run_output(r, 0), &(clsp_run){.done = &done}),
                          "clsp_patch_eval"));
    BENCH_TRY(bench_check(clWaitForEvents(1, &done), "clWaitForEvents"));
    BENCH_TRY(bench_check(
        clGetEventProfilingInfo(before, CL_PROFILING_COMMAND_END, sizeof start, &start, NULL),
        "profiling"));
    BENCH_TRY(
        bench_check(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
                    "profiling"));
    *ms = (double)(end - start) * 1e-6;

fail:
    if (before) clReleaseEvent(before);
    if (done) clReleaseEvent(done);
    return status;
}

/* For GPUs with profiling, and cases that are one range. */
static clsp_status report_on_device(comparison *x)
{
    enum { RUNS = 21 };
    const bezier_run *const r = &x->run;
    double ms[RUNS];
    cl_command_queue_properties properties = 0;
    clsp_status status;

    BENCH_TRY(bench_check(clGetCommandQueueInfo(r->b->queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                                &properties, NULL),
                          "CL_QUEUE_PROPERTIES"));
    if (r->b->is_cpu || !(properties & CL_QUEUE_PROFILING_ENABLE) || r->chunk < r->c.patches)
        return CLSP_OK;
    for (size_t i = 0; i < RUNS; i++)
        BENCH_TRY(time_on_device(x, &ms[i]));
    bezier_run_report(r, "separable, on the device", bench_timing_of(ms, RUNS), NAN);

fail:
    return status;
}

enum { SEPARABLE, PER_POINT, STORE, CONTESTANTS };

static clsp_status report_case(comparison *x, const bench_contestant *all)
{
    bezier_run *const r = &x->run;
    const bench_timing *const separable = &all[SEPARABLE].sustained;
    clsp_status status;
    double error;

    BENCH_TRY(bezier_run_check_of(r, &all[SEPARABLE], &error));
    bezier_run_report(r, "separable", *separable, error);
    if (all[SEPARABLE].batch > 1)
        bezier_run_report(r, "separable, one call", all[SEPARABLE].alone, NAN);
    BENCH_TRY(report_on_device(x));
    if (all[PER_POINT].enqueue) {
        const bench_timing *const other = &all[PER_POINT].sustained;
        BENCH_TRY(bezier_run_check_of(r, &all[PER_POINT], &error));
        bezier_run_report(r, "per-point", *other, error);
        bezier_run_ratio(r, "separable/per-point", other->median_ms / separable->median_ms,
                         wanted_ratio(r));
    }
    if (all[STORE].enqueue) {
        bezier_run_report(r, "store", all[STORE].sustained, NAN);
        bezier_run_ratio(r, "separable/store",
                         all[STORE].sustained.median_ms / separable->median_ms,
                         bezier_takes_own_shape(r->b) ? wanted_store_fraction : NAN);
    }
    return CLSP_OK;

fail:
    return status;
}

/* ---- cases ---- */

static clsp_status run_case(bench *b, const bezier_case *c, int flags, clsp_type precision,
                            const bezier_ring *out)
{
    clsp_status status;
    comparison x = {0};
    bench_contestant all[CONTESTANTS] = {
        [SEPARABLE] = {.enqueue = bezier_way_enqueue, .user = &x.separable}};

    if (!bezier_case_wanted(b, c)) return CLSP_OK;
    BENCH_TRY(bezier_run_start(&x.run, b, suite, c, precision, out));
    const clsp_bezier_desc desc = bezier_run_desc(&x.run);
    BENCH_TRY(bezier_way_create(&x.separable, &x.run, &desc));
    if ((flags & COMPARE) && (!b->quick || precision == CLSP_F32)) {
        BENCH_TRY(create_per_point(&x));
        all[PER_POINT] = (bench_contestant){.enqueue = enqueue_per_point, .user = &x};
    }
    if (flags & AGAINST_STORE) {
        const bench_arg arg = BENCH_ARG(out->buffer);
        BENCH_TRY(bench_kernel_args(&b->floor[precision].store, &arg, 1));
        all[STORE] = (bench_contestant){.enqueue = enqueue_store, .user = &x};
    }
    BENCH_TRY(bench_measure_some(b->queue, all, CONTESTANTS, b->quick ? 5 : 20));
    BENCH_TRY(report_case(&x, all));

fail:
    release(&x);
    return status;
}

/* CPUs take seconds for the largest ones, and memory for a ring of all of them is not there. */
static bool suits(const bench *b, const bezier_case *c)
{
    return !b->is_cpu || (double)c->patches * (double)(c->samples * c->samples) < 2e8;
}

clsp_status bench_suite_bezier(bench *b)
{
    clsp_status status;
    bezier_ring out = {0};

    BENCH_TRY(bench_floor_measure(b));
    BENCH_TRY(bezier_ring_create(b, &out));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++) {
        for (size_t i = 0; i < BENCH_COUNT(cases) && b->wanted[p]; i++) {
            bezier_case c = cases[i].c;
            if ((b->quick && !(cases[i].flags & QUICK)) || !suits(b, &c)) continue;
            if (c.samples == LARGE) c.samples = large_samples(b, clsp_type_bytes(p));
            BENCH_TRY(run_case(b, &c, cases[i].flags, p, &out));
        }
    }

fail:
    bezier_ring_release(&out);
    return status;
}
