/* Bezier surfaces: the library against the textbook's sum and against what the device can do at
 * best. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "reference.h"

enum {
    QUICK = 1,         /* part of --quick */
    COMPARE = 2,       /* also by the double sum, one item a point */
    AGAINST_STORE = 4, /* beside the fastest store kernel */
    LARGE = 0,         /* samples: as many as make the largest output */
    ORDER_MAX = 1001,
    SAMPLES_CHECKED = 64
};

static const char suite[] = "bezier";

/* patches of order x order control points on grids of samples x samples */
typedef struct bezier_case {
    size_t order, samples, patches;
    int flags;
} bezier_case;

static const bezier_case cases[] = {
    {4, 300, 1, QUICK | COMPARE},
    {4, 1000, 1, COMPARE},
    {4, 2000, 1, QUICK | COMPARE | AGAINST_STORE},
    {8, 300, 1, COMPARE},
    {8, 1000, 1, COMPARE},
    {8, 2000, 1, QUICK | COMPARE},
    {12, 300, 1, COMPARE},
    {12, 1000, 1, COMPARE},
    {12, 2000, 1, QUICK | COMPARE},
    {16, 300, 1, COMPARE},
    {16, 1000, 1, COMPARE},
    {16, 2000, 1, COMPARE},
    {4, 32, 100, 0},
    {4, 32, 1000, QUICK},
    {4, 300, 100, QUICK},
    {4, 300, 1000, 0},
    {8, 32, 100, 0},
    {8, 32, 1000, 0},
    {8, 300, 100, 0},
    {8, 300, 1000, 0},
    {12, 32, 100, 0},
    {12, 32, 1000, 0},
    {12, 300, 100, 0},
    {12, 300, 1000, 0},
    {16, 32, 100, 0},
    {16, 32, 1000, 0},
    {16, 300, 100, 0},
    {16, 300, 1000, 0},
    {4, 2000, 25, 0},
    {8, 2000, 25, 0},
    {12, 2000, 25, 0},
    {16, 2000, 25, 0},
    {4, LARGE, 1, QUICK | AGAINST_STORE},
    {8, LARGE, 1, 0},
    {12, LARGE, 1, 0},
    {16, LARGE, 1, 0},
    {32, 1000, 1, QUICK},
    {101, 1000, 1, QUICK},
    {1001, 1000, 1, 0},
};

/* What the separable method is to reach over the double sum, on PoCL in float. */
static const struct {
    size_t order;
    double ratio;
} wanted_ratios[] = {{4, 8}, {8, 30}, {12, 60}};

static const double wanted_store_fraction = 0.6;

/* Outputs go round in one buffer, several times as large as caches, so that a small grid is not
   timed in a cache that the floor, measured on large data, does not use. A case with more patches
   than fit is evaluated in ranges. */
typedef struct ring {
    cl_mem buffer;
    size_t bytes;
} ring;

typedef struct run {
    bench *b;
    bezier_case c; /* with samples resolved */
    clsp_precision precision;
    size_t real_bytes;
    const ring *out;
    char name[64];
    double *points; /* [patches][order][order][3] */
    size_t num_points;
    size_t chunk;                 /* patches of an eval call */
    size_t slots;                 /* chunks that the ring holds */
    size_t slot;                  /* next one */
    size_t last_first, last_slot; /* the last range that was evaluated, and where */
    clsp_bezier_plan *plan;
    bench_kernel per_point;
    cl_mem device_points, device_table;
} run;

static size_t chunk_points(const run *r)
{
    return r->chunk * r->c.samples * r->c.samples;
}

/* ---- contestants ---- */

/* Remembers where a range goes, and moves on. */
static size_t take_slot(run *r, size_t first)
{
    r->last_first = first;
    r->last_slot = r->slot;
    r->slot = (r->slot + 1) % r->slots;
    return r->last_slot;
}

static size_t range_count(const run *r, size_t first)
{
    return r->chunk < r->c.patches - first ? r->chunk : r->c.patches - first;
}

static clsp_status enqueue_separable(void *user)
{
    run *const r = user;
    clsp_status status = CLSP_OK;

    for (size_t first = 0; first < r->c.patches && status == CLSP_OK; first += r->chunk) {
        const size_t offset = take_slot(r, first) * chunk_points(r) * 3;
        status = clsp_bezier_eval(r->plan, first, range_count(r, first), r->out->buffer, offset, 0,
                                  NULL, NULL);
    }
    return bench_check(status, "clsp_bezier_eval");
}

static clsp_status enqueue_per_point(void *user)
{
    run *const r = user;
    const cl_uint start = (cl_uint)(take_slot(r, 0) * chunk_points(r));
    const cl_uint num = (cl_uint)r->c.samples;
    const bench_arg args[] = {BENCH_ARG(r->device_points), BENCH_ARG(r->device_table),
                              BENCH_ARG(num), BENCH_ARG(r->out->buffer), BENCH_ARG(start)};
    clsp_status status;

    BENCH_TRY(bench_kernel_args(&r->per_point, args, BENCH_COUNT(args)));
    BENCH_TRY(bench_kernel_launch(&r->per_point, 0, chunk_points(r), NULL));
    return CLSP_OK;

fail:
    return status;
}

/* As many reals as the case writes; the last few of an odd number are left out. */
static clsp_status enqueue_store(void *user)
{
    run *const r = user;
    const bench_floor *const floor = &r->b->floor[r->precision];
    const size_t items = chunk_points(r) * 3 / floor->store_reals;

    return bench_kernel_launch(&floor->store, take_slot(r, 0) * items, items, NULL);
}

/* ---- setting up ---- */

/* For at least `wanted` bytes, as far as one buffer goes. */
static size_t large_samples(const bench *b, size_t real_bytes)
{
    const size_t bytes = bench_large_bytes(b);

    return (size_t)sqrt((double)bytes / (double)(3 * real_bytes));
}

static void name_case(run *r)
{
    const bezier_case *const c = &r->c;
    const int used = snprintf(r->name, sizeof r->name, "%zux%zu, ", c->order, c->order);

    if (c->patches > 1)
        snprintf(r->name + used, sizeof r->name - (size_t)used, "%zu of %zux%zu", c->patches,
                 c->samples, c->samples);
    else
        snprintf(r->name + used, sizeof r->name - (size_t)used, "%zux%zu", c->samples, c->samples);
}

static clsp_status shape(run *r, const bezier_case *c)
{
    r->c = *c;
    if (c->samples == LARGE) r->c.samples = large_samples(r->b, r->real_bytes);
    name_case(r);

    const size_t patch_bytes = r->c.samples * r->c.samples * 3 * r->real_bytes;
    const size_t fit = r->out->bytes / patch_bytes;
    if (fit == 0) return bench_check(CLSP_ERROR_BUFFER_SIZE, r->name);
    r->chunk = fit < r->c.patches ? fit : r->c.patches;
    r->slots = r->out->bytes / (r->chunk * patch_bytes);
    r->num_points = r->c.patches * r->c.order * r->c.order * 3;
    r->points = malloc(r->num_points * sizeof *r->points);
    if (!r->points) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    bench_random_fill(r->points, r->num_points);
    return CLSP_OK;
}

/* Writes doubles into a new buffer in the case's precision. */
static clsp_status upload(const run *r, const double *values, size_t count, cl_mem *buffer)
{
    const size_t bytes = count * r->real_bytes;
    float *const floats = malloc(count * sizeof *floats);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    const void *source = values;

    if (!floats) return bench_check(code, "upload");
    if (r->precision == CLSP_F32) {
        for (size_t i = 0; i < count; i++)
            floats[i] = (float)values[i];
        source = floats;
    }
    *buffer = clCreateBuffer(r->b->context, CL_MEM_READ_ONLY, bytes, NULL, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(r->b->queue, *buffer, CL_TRUE, 0, bytes, source, 0, NULL, NULL);
    free(floats);
    return bench_check(code, "upload");
}

static clsp_status create_plan(run *r)
{
    const uint32_t degree = (uint32_t)(r->c.order - 1), num = (uint32_t)r->c.samples;
    const clsp_bezier_desc desc = {.precision = r->precision,
                                   .degree_u = degree,
                                   .degree_v = degree,
                                   .dim = 3,
                                   .num_u = num,
                                   .num_v = num};
    clsp_status status;

    BENCH_TRY(upload(r, r->points, r->num_points, &r->device_points));
    BENCH_TRY(clsp_bezier_plan_create(&r->plan, r->b->ctx, &desc));
    BENCH_TRY(
        clsp_bezier_set_control_points(r->plan, r->c.patches, r->device_points, 0, 0, NULL, NULL));
    return CLSP_OK;

fail:
    return bench_check(status, r->name);
}

/* The table of the double sum: [order][samples]. */
static clsp_status upload_table(run *r)
{
    const size_t order = r->c.order, num = r->c.samples;
    double *const table = malloc(order * num * sizeof *table);
    long double column[ORDER_MAX];
    clsp_status status;

    if (!table) return bench_check(CLSP_ERROR_NO_MEMORY, "table");
    for (size_t a = 0; a < num; a++) {
        bench_bernstein(order, a, num, column);
        for (size_t i = 0; i < order; i++)
            table[i * num + a] = (double)column[i];
    }
    status = upload(r, table, order * num, &r->device_table);
    free(table);
    return status;
}

static clsp_status create_per_point(run *r)
{
    clsp_status status;
    cl_program program = NULL;
    char options[96];

    snprintf(options, sizeof options,
             "-cl-std=CL1.2 -DCLSP_REAL=%zu -DCLSP_LANES=1 -DCLSP_FMA=%d -DBENCH_ORDER=%zu",
             8 * r->real_bytes, r->precision == CLSP_F64 || r->b->info.fma, r->c.order);
    BENCH_TRY(upload_table(r));
    BENCH_TRY(bench_program_build(&program, r->b->queue, "per_point", options));
    BENCH_TRY(bench_kernel_create(&r->per_point, program, r->b->queue, "per_point"));

fail:
    if (program) clReleaseProgram(program);
    return status;
}

static void release(run *r)
{
    clsp_bezier_plan_destroy(&r->plan);
    bench_kernel_release(&r->per_point);
    if (r->device_points) clReleaseMemObject(r->device_points);
    if (r->device_table) clReleaseMemObject(r->device_table);
    free(r->points);
}

/* ---- accuracy ---- */

static clsp_status read_point(const run *r, size_t index, double point[3])
{
    float floats[3];
    const bool is_double = r->precision == CLSP_F64;
    const cl_int code =
        clEnqueueReadBuffer(r->b->queue, r->out->buffer, CL_TRUE, index * 3 * r->real_bytes,
                            3 * r->real_bytes, is_double ? (void *)point : floats, 0, NULL, NULL);

    for (size_t i = 0; i < 3 && !is_double; i++)
        point[i] = (double)floats[i];
    return bench_check(code, "clEnqueueReadBuffer");
}

/* Sample 0 and 1 are two corners, the others anywhere. */
static size_t pick(unsigned long long *state, size_t k, size_t num)
{
    return k == 0 ? 0 : k == 1 ? num - 1 : bench_random_below(state, num);
}

/* Worst error over SAMPLES_CHECKED points of the last range, in eps * largest coordinate of all
   control points: those are spread over all of [-1, 1], so it is that of each patch within a few
   per cent. */
static clsp_status check_points(const run *r, double *worst)
{
    const size_t order = r->c.order, num = r->c.samples;
    const double eps = r->precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    unsigned long long state = 7;
    double largest = 0.0;
    clsp_status status;

    *worst = 0.0;
    for (size_t i = 0; i < r->num_points; i++)
        largest = fmax(largest, fabs(r->points[i]));
    for (size_t k = 0; k < SAMPLES_CHECKED; k++) {
        const size_t patch = bench_random_below(&state, range_count(r, r->last_first));
        const size_t a = pick(&state, k, num), b = pick(&state, k, num);
        const size_t index = r->last_slot * chunk_points(r) + (patch * num + a) * num + b;
        long double at_u[ORDER_MAX], at_v[ORDER_MAX], expected[3];
        double point[3];

        bench_bernstein(order, a, num, at_u);
        bench_bernstein(order, b, num, at_v);
        bench_reference_point(order, r->points + (r->last_first + patch) * order * order * 3, at_u,
                              at_v, expected);
        BENCH_TRY(read_point(r, index, point));
        for (size_t i = 0; i < 3; i++) {
            const double off =
                fabs((double)((long double)point[i] - expected[i])) / (eps * largest);
            *worst = off <= *worst ? *worst : off; /* a NaN stays */
        }
    }
    return CLSP_OK;

fail:
    return status;
}

/* Runs a contestant once more, since another may have been the last, and looks at its points. */
static clsp_status check(run *r, const bench_contestant *contestant, double *worst)
{
    clsp_status status;

    BENCH_TRY(contestant->enqueue(r));
    BENCH_TRY(check_points(r, worst));
    return CLSP_OK;

fail:
    return status;
}

/* ---- results ---- */

static double num_points_out(const run *r)
{
    return (double)(r->c.patches * r->c.samples * r->c.samples);
}

/* Of the separable method: contract the direction first that leaves less to do. */
static double least_flops(const run *r)
{
    const double order = (double)r->c.order, num = (double)r->c.samples;

    return 6.0 * (double)r->c.patches * (order * order * num + order * num * num);
}

static void report_method(const run *r, const char *method, bench_timing time, double error)
{
    bench_row row = bench_row_empty(suite, r->name, method, (int)(8 * r->real_bytes));

    row.time = time;
    row.work = num_points_out(r);
    row.unit = "point/s";
    row.bytes = row.work * (double)(3 * r->real_bytes);
    row.floor_ms = bench_floor_ms(&r->b->floor[r->precision], row.bytes, least_flops(r));
    row.error = error;
    bench_report_row(r->b->report, &row);
}

static void report_ratio(const run *r, const char *method, double ratio, double least)
{
    bench_row row = bench_row_empty(suite, r->name, method, (int)(8 * r->real_bytes));

    row.rate = ratio;
    row.unit = "ratio";
    row.least = least;
    bench_report_row(r->b->report, &row);
}

/* Kernels for GPUs that CLSPLINE_LIMITS brings to a CPU need not be fast there. */
static bool takes_own_shape(const bench *b)
{
    return b->is_cpu == (b->info.device_class == CLSP_CLASS_CPU);
}

static double wanted_ratio(const run *r)
{
    if (!takes_own_shape(r->b) || !r->b->is_cpu || r->precision != CLSP_F32 ||
        r->c.samples != 2000 || strncmp(r->b->info.platform, "Portable", 8) != 0)
        return NAN;
    for (size_t i = 0; i < BENCH_COUNT(wanted_ratios); i++)
        if (wanted_ratios[i].order == r->c.order) return wanted_ratios[i].ratio;
    return NAN;
}

/* ---- cases ---- */

enum { SEPARABLE, PER_POINT, STORE, CONTESTANTS };

/* One call by the device's own clock, from the end of what was before it on the queue to the end of
   its last command: a call before it keeps the device busy while this one is enqueued. */
static clsp_status time_on_device(run *r, double *ms)
{
    const cl_command_queue queue = r->b->queue;
    cl_event before = NULL, done = NULL;
    cl_ulong start = 0, end = 0;
    clsp_status status;

    BENCH_TRY(enqueue_separable(r));
    BENCH_TRY(bench_check(clEnqueueMarkerWithWaitList(queue, 0, NULL, &before), "marker"));
    BENCH_TRY(bench_check(clsp_bezier_eval(r->plan, 0, r->c.patches, r->out->buffer,
                                           take_slot(r, 0) * chunk_points(r) * 3, 0, NULL, &done),
                          "clsp_bezier_eval"));
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
static clsp_status report_on_device(run *r)
{
    enum { RUNS = 21 };
    double ms[RUNS];
    cl_command_queue_properties properties = 0;
    clsp_status status;

    BENCH_TRY(bench_check(clGetCommandQueueInfo(r->b->queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                                &properties, NULL),
                          "CL_QUEUE_PROPERTIES"));
    if (r->b->is_cpu || !(properties & CL_QUEUE_PROFILING_ENABLE) || r->chunk < r->c.patches)
        return CLSP_OK;
    for (size_t i = 0; i < RUNS; i++)
        BENCH_TRY(time_on_device(r, &ms[i]));
    report_method(r, "separable, on the device", bench_timing_of(ms, RUNS), NAN);

fail:
    return status;
}

static clsp_status report_case(run *r, const bench_contestant *all)
{
    clsp_status status;
    double error;
    const bench_timing *const separable = &all[SEPARABLE].sustained;

    BENCH_TRY(check(r, &all[SEPARABLE], &error));
    report_method(r, "separable", *separable, error);
    if (all[SEPARABLE].batch > 1)
        report_method(r, "separable, one call", all[SEPARABLE].alone, NAN);
    BENCH_TRY(report_on_device(r));
    if (all[PER_POINT].enqueue) {
        const bench_timing *const other = &all[PER_POINT].sustained;
        BENCH_TRY(check(r, &all[PER_POINT], &error));
        report_method(r, "per-point", *other, error);
        report_ratio(r, "separable/per-point", other->median_ms / separable->median_ms,
                     wanted_ratio(r));
    }
    if (all[STORE].enqueue) {
        report_method(r, "store", all[STORE].sustained, NAN);
        report_ratio(r, "separable/store", all[STORE].sustained.median_ms / separable->median_ms,
                     takes_own_shape(r->b) ? wanted_store_fraction : NAN);
    }
    return CLSP_OK;

fail:
    return status;
}

/* Measures those of the contestants that take part; they stay in their places. */
static clsp_status race(run *r, bench_contestant *all)
{
    bench_contestant present[CONTESTANTS];
    size_t count = 0;
    clsp_status status;

    for (size_t i = 0; i < CONTESTANTS; i++)
        if (all[i].enqueue) present[count++] = all[i];
    BENCH_TRY(bench_measure(r->b->queue, present, count, r->b->quick ? 5 : 20));
    for (size_t i = CONTESTANTS; i-- > 0;)
        if (all[i].enqueue) all[i] = present[--count];
    return CLSP_OK;

fail:
    return status;
}

static clsp_status run_case(bench *b, const bezier_case *c, clsp_precision precision,
                            const ring *out)
{
    clsp_status status;
    run r = {.b = b,
             .precision = precision,
             .real_bytes = precision == CLSP_F64 ? sizeof(double) : sizeof(float),
             .out = out};
    bench_contestant all[CONTESTANTS] = {[SEPARABLE] = {.enqueue = enqueue_separable, .user = &r}};
    const bool compare = (c->flags & COMPARE) && (!b->quick || precision == CLSP_F32);

    BENCH_TRY(shape(&r, c));
    BENCH_TRY(create_plan(&r));
    if (compare) {
        BENCH_TRY(create_per_point(&r));
        all[PER_POINT] = (bench_contestant){.enqueue = enqueue_per_point, .user = &r};
    }
    if (c->flags & AGAINST_STORE) {
        const bench_arg arg = BENCH_ARG(out->buffer);
        BENCH_TRY(bench_kernel_args(&b->floor[precision].store, &arg, 1));
        all[STORE] = (bench_contestant){.enqueue = enqueue_store, .user = &r};
    }
    BENCH_TRY(race(&r, all));
    BENCH_TRY(report_case(&r, all));

fail:
    release(&r);
    return status;
}

/* The ring; on GPUs with room for it it holds 1000 patches of 300x300 points in double. On CPUs it
   is paged in; NVIDIA's driver hangs when it is to fill more than 2 GiB at once. */
static clsp_status create_ring(bench *b, ring *out)
{
    const size_t wanted = (b->is_discrete ? (size_t)9 << 28 : 0), large = bench_large_bytes(b);
    const size_t most = (size_t)b->info.max_alloc_bytes;
    const cl_uchar zero = 0;
    cl_int code;

    out->bytes =
        wanted > large && wanted <= most && wanted <= b->info.global_bytes / 4 ? wanted : large;
    out->buffer = clCreateBuffer(b->context, CL_MEM_READ_WRITE, out->bytes, NULL, &code);
    if (code != CL_SUCCESS) return bench_check(code, "clCreateBuffer");
    if (!b->is_cpu) return CLSP_OK;
    code = clEnqueueFillBuffer(b->queue, out->buffer, &zero, 1, 0, out->bytes, 0, NULL, NULL);
    return bench_check(code, "clEnqueueFillBuffer");
}

clsp_status bench_suite_bezier(bench *b)
{
    clsp_status status;
    ring out = {0};

    BENCH_TRY(bench_floor_measure(b));
    BENCH_TRY(create_ring(b, &out));
    for (clsp_precision p = CLSP_F32; p <= CLSP_F64; p++) {
        for (size_t i = 0; i < BENCH_COUNT(cases) && b->wanted[p]; i++) {
            if (b->quick && !(cases[i].flags & QUICK)) continue;
            BENCH_TRY(run_case(b, &cases[i], p, &out));
        }
    }

fail:
    if (out.buffer) clReleaseMemObject(out.buffer);
    return status;
}
