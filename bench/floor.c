#include "floor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum { STRIP_REALS = 512 }; /* of floor.cl: 32 vectors of 16 */

static const char suite[] = "floor";

/* A kernel on a buffer, as a contestant. */
typedef struct floor_job {
    bench_kernel kernel;
    size_t items;
} floor_job;

static clsp_status enqueue_job(void *user)
{
    floor_job *const job = user;

    return bench_kernel_launch(&job->kernel, 0, job->items, NULL);
}

static double batch_ms(const bench *b)
{
    return b->quick ? 5 : 20;
}

static clsp_status build(bench *b, cl_program *program, int precision, unsigned lanes)
{
    char options[96];

    snprintf(options, sizeof options, "-cl-std=CL1.2 -DCLSP_REAL=%d -DBENCH_LANES=%u -DCLSP_FMA=%d",
             precision, lanes, precision == 64 || b->info.fma);
    return bench_program_build(program, b->queue, "floor", options);
}

static clsp_status create_buffer(bench *b, cl_mem *buffer, size_t bytes)
{
    cl_int code;
    const cl_uchar zero = 0;

    *buffer = clCreateBuffer(b->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code != CL_SUCCESS) return bench_check(code, "clCreateBuffer");
    return bench_check(clEnqueueFillBuffer(b->queue, *buffer, &zero, 1, 0, bytes, 0, NULL, NULL),
                       "clEnqueueFillBuffer");
}

/* The value 1 as an argument of the precision. */
static bench_arg one(int precision)
{
    static const cl_float f = 1;
    static const cl_double d = 1;

    return precision == 64 ? (bench_arg){sizeof d, &d} : (bench_arg){sizeof f, &f};
}

/* ---- memory ---- */

typedef struct memory_form {
    const char *kernel;
    const char *method;
    size_t reals;  /* of an item */
    bool cpu, gpu; /* where it can be the fastest */
} memory_form;

static const memory_form store_forms[] = {
    {"store_flat", "one real an item", 1, true, true},
    {"store_2", "2 reals an item", 2, false, true},
    {"store_3", "3 reals an item", 3, true, true},
    {"store_4", "4 reals an item", 4, true, true},
    {"store_16", "16 reals an item", 16, true, true},
    {"store_strip", "512 reals an item", STRIP_REALS, true, false},
};

static const memory_form copy_forms[] = {
    {"copy_2", "2 reals an item", 2, false, true},
    {"copy_4", "4 reals an item", 4, false, true},
    {"copy_16", "16 reals an item", 16, true, true},
    {"copy_strip", "512 reals an item", STRIP_REALS, true, false},
};

enum { FORMS_MAX = BENCH_COUNT(store_forms) };

static void report_memory(bench *b, const char *name, const char *method, int precision,
                          bench_timing time, double bytes)
{
    bench_row row = bench_row_empty(suite, name, method, precision);

    row.time = time;
    row.work = row.bytes = bytes;
    row.unit = "byte/s";
    row.rate = bytes / (time.min_ms * 1e-3);
    bench_report_row(b->report, &row);
}

/* Kernels for the forms that suit the device, with their arguments set; *count of them. */
static clsp_status create_jobs(bench *b, cl_program program, const memory_form *forms,
                               size_t num_forms, const bench_arg args[2], size_t reals,
                               floor_job *jobs, const memory_form **used, size_t *count)
{
    clsp_status status;

    for (size_t i = 0; i < num_forms; i++) {
        if (b->is_cpu ? !forms[i].cpu : !forms[i].gpu) continue;
        floor_job *const job = &jobs[*count];
        BENCH_TRY(bench_kernel_create(&job->kernel, program, b->queue, forms[i].kernel));
        job->items = reals / forms[i].reals;
        used[(*count)++] = &forms[i];
        BENCH_TRY(bench_kernel_args(&job->kernel, args, 2));
    }
    return CLSP_OK;

fail:
    return status;
}

/* Measures the forms in turns and reports them. *best: index of the fastest, *rate: its byte/s; an
   item moves `moved` bytes for each real. */
static clsp_status race_forms(bench *b, const char *name, int precision, floor_job *jobs,
                              const memory_form *const *used, size_t count, size_t moved,
                              size_t *best, double *rate)
{
    clsp_status status;
    bench_contestant contestants[FORMS_MAX] = {{0}};

    for (size_t i = 0; i < count; i++) {
        contestants[i].enqueue = enqueue_job;
        contestants[i].user = &jobs[i];
    }
    BENCH_TRY(bench_measure(b->queue, contestants, count, batch_ms(b)));
    *rate = 0;
    for (size_t i = 0; i < count; i++) {
        const double bytes = (double)jobs[i].items * (double)(used[i]->reals * moved);
        const double this_rate = bytes / (contestants[i].sustained.min_ms * 1e-3);
        report_memory(b, name, used[i]->method, precision, contestants[i].sustained, bytes);
        if (this_rate <= *rate) continue;
        *rate = this_rate;
        *best = i;
    }
    return CLSP_OK;

fail:
    return status;
}

static clsp_status measure_copies(bench *b, cl_program program, int precision, cl_mem out,
                                  size_t bytes, bench_floor *floor)
{
    clsp_status status;
    cl_mem in = NULL;
    floor_job jobs[FORMS_MAX] = {{{0}, 0}};
    const memory_form *used[FORMS_MAX];
    size_t count = 0, best = 0;
    const size_t real_bytes = (size_t)precision / 8;
    const bench_arg args[] = {BENCH_ARG(out), BENCH_ARG(in)};

    BENCH_TRY(create_buffer(b, &in, bytes));
    BENCH_TRY(create_jobs(b, program, copy_forms, BENCH_COUNT(copy_forms), args, bytes / real_bytes,
                          jobs, used, &count));
    BENCH_TRY(race_forms(b, "copy, read + write", precision, jobs, used, count, 2 * real_bytes,
                         &best, &floor->copy_rate));

fail:
    for (size_t i = 0; i < count; i++)
        bench_kernel_release(&jobs[i].kernel);
    if (in) clReleaseMemObject(in);
    return status;
}

/* The fastest kernel is kept: suites run it beside their own. */
static clsp_status measure_stores(bench *b, cl_program program, int precision, cl_mem out,
                                  size_t bytes, bench_floor *floor)
{
    clsp_status status;
    floor_job jobs[FORMS_MAX] = {{{0}, 0}};
    const memory_form *used[FORMS_MAX];
    size_t count = 0, best = 0;
    const size_t real_bytes = (size_t)precision / 8;
    const bench_arg args[] = {BENCH_ARG(out), one(precision)};

    BENCH_TRY(create_jobs(b, program, store_forms, BENCH_COUNT(store_forms), args,
                          bytes / real_bytes, jobs, used, &count));
    BENCH_TRY(race_forms(b, "store, packed", precision, jobs, used, count, real_bytes, &best,
                         &floor->store_rate));
    floor->store = jobs[best].kernel;
    floor->store_reals = used[best]->reals;
    jobs[best].kernel.kernel = NULL;

fail:
    for (size_t i = 0; i < count; i++)
        bench_kernel_release(&jobs[i].kernel);
    return status;
}

/* ---- arithmetic ---- */

static clsp_status time_fma(bench *b, int precision, unsigned lanes, cl_uint rounds, size_t items,
                            cl_mem out, bench_timing *time)
{
    clsp_status status;
    cl_program program = NULL;
    floor_job job = {{0}, items};
    bench_contestant contestant = {.enqueue = enqueue_job, .user = &job};
    const bench_arg args[] = {BENCH_ARG(out), one(precision), one(precision), BENCH_ARG(rounds)};

    BENCH_TRY(build(b, &program, precision, lanes));
    BENCH_TRY(bench_kernel_create(&job.kernel, program, b->queue, "multiply_add"));
    BENCH_TRY(bench_kernel_args(&job.kernel, args, BENCH_COUNT(args)));
    BENCH_TRY(bench_measure(b->queue, &contestant, 1, batch_ms(b)));
    *time = contestant.sustained;

fail:
    bench_kernel_release(&job.kernel);
    if (program) clReleaseProgram(program);
    return status;
}

/* With one lane an item, and with vectors: which of them fills the hardware is the compiler's
 * affair. */
static clsp_status measure_fma(bench *b, int precision, cl_mem out, bench_floor *floor)
{
    enum { FLOPS_PER_ROUND = 2 * 32 };
    static const unsigned lane_counts[] = {1, 4, 8, 16};
    const unsigned quick_lanes = precision == 64 ? 8 : 16;
    /* PoCL hands out 32 groups at a time: each unit needs several such lots */
    const size_t items = b->info.compute_units * (size_t)(b->is_cpu ? 16384 : 2048);
    const cl_uint rounds = b->is_cpu ? 16 : 1024;
    clsp_status status;

    for (size_t i = 0; i < BENCH_COUNT(lane_counts); i++) {
        const unsigned lanes = lane_counts[i];
        char method[32];
        bench_row row = bench_row_empty(suite, "multiply-add", method, precision);

        snprintf(method, sizeof method, lanes == 1 ? "scalars" : "vectors of %u", lanes);
        if (lanes > 1 && !b->is_cpu) continue;
        if (b->quick && lanes > 1 && lanes != quick_lanes) continue;
        BENCH_TRY(time_fma(b, precision, lanes, rounds, items, out, &row.time));
        row.work = (double)items * rounds * (double)FLOPS_PER_ROUND * lanes;
        row.unit = "flop/s";
        row.rate = row.work / (row.time.min_ms * 1e-3);
        floor->fma_rate = fmax(floor->fma_rate, row.rate);
        bench_report_row(b->report, &row);
    }
    return CLSP_OK;

fail:
    return status;
}

/* ---- empty kernels ---- */

static void report_empty(bench *b, const char *method, bench_timing time)
{
    bench_row row = bench_row_empty(suite, "empty kernel", method, 0);

    row.time = time;
    bench_report_row(b->report, &row);
}

/* Start to end as the device's own clock has it; 0 where the queue or the driver has none. */
static clsp_status time_on_device(floor_job *job, double *ms)
{
    clsp_status status;
    cl_event event = NULL;
    cl_ulong start, end;

    *ms = 0;
    BENCH_TRY(bench_kernel_launch(&job->kernel, 0, job->items, &event));
    BENCH_TRY(bench_check(clWaitForEvents(1, &event), "clWaitForEvents"));
    if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) ==
            CL_SUCCESS &&
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) ==
            CL_SUCCESS)
        *ms = (double)(end - start) * 1e-6;

fail:
    if (event) clReleaseEvent(event);
    return status;
}

static clsp_status measure_empty(bench *b)
{
    enum { RUNS = 101 };
    clsp_status status;
    cl_program program = NULL;
    double ms[RUNS];
    floor_job job = {{0}, 1};
    bench_contestant contestant = {.enqueue = enqueue_job, .user = &job};

    BENCH_TRY(build(b, &program, 32, 1));
    BENCH_TRY(bench_kernel_create(&job.kernel, program, b->queue, "empty"));
    BENCH_TRY(bench_measure(b->queue, &contestant, 1, batch_ms(b)));
    for (size_t i = 0; i < RUNS; i++)
        BENCH_TRY(time_on_device(&job, &ms[i]));
    const bench_timing on_device = bench_timing_of(ms, RUNS);
    if (on_device.median_ms > 0) report_empty(b, "on the device", on_device);
    report_empty(b, "one behind another", contestant.sustained);
    report_empty(b, "round trip", contestant.alone);

fail:
    bench_kernel_release(&job.kernel);
    if (program) clReleaseProgram(program);
    return status;
}

/* ---- all ---- */

static clsp_status measure_precision(bench *b, clsp_type p, cl_mem out, size_t bytes)
{
    const int precision = p == CLSP_F64 ? 64 : 32;
    clsp_status status;
    cl_program program = NULL;

    BENCH_TRY(build(b, &program, precision, 1));
    BENCH_TRY(measure_copies(b, program, precision, out, bytes, &b->floor[p]));
    BENCH_TRY(measure_stores(b, program, precision, out, bytes, &b->floor[p]));
    BENCH_TRY(measure_fma(b, precision, out, &b->floor[p]));

fail:
    if (program) clReleaseProgram(program);
    return status;
}

clsp_status bench_floor_measure(bench *b)
{
    clsp_status status = CLSP_OK;
    cl_mem out = NULL;
    const size_t bytes = bench_large_bytes(b);

    for (clsp_type p = CLSP_F32; p <= CLSP_F64 && !b->queue; p++)
        b->floor[p].store_rate = b->floor[p].fma_rate = NAN;
    if (b->has_floor || !b->queue) return CLSP_OK;
    BENCH_TRY(create_buffer(b, &out, bytes));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        if (b->wanted[p]) BENCH_TRY(measure_precision(b, p, out, bytes));
    BENCH_TRY(measure_empty(b));
    b->has_floor = true;

fail:
    if (out) clReleaseMemObject(out);
    return status;
}

void bench_floor_release(bench *b)
{
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        bench_kernel_release(&b->floor[p].store);
}

clsp_status bench_suite_floor(bench *b)
{
    return bench_floor_measure(b);
}

double bench_floor_ms(const bench_floor *floor, double bytes, double flops)
{
    return 1e3 * fmax(bytes / floor->store_rate, flops / floor->fma_rate);
}
