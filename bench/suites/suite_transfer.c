/* Results in host memory on devices with memory of their own: calls that write there against what
   the bus takes between a buffer and pinned memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_run.h"

static const char suite[] = "transfer";

/* Of the pinned bandwidth, of calls that write this much and more. */
static const double wanted = 0.85;
enum { MANY_BYTES = 16 << 20 };

static const bezier_case cases[] = {
    {4, 300, 28}, {4, 512, 28}, {12, 512, 28}, {4, 2000, 1}, {4, 2000, 25}};

/* Contestants, all of which move the same bytes. */
enum { PINNED, PLAIN, SHARED, WAYS };
static const char *const names[WAYS] = {"pinned read", "call, host memory", "call, shared memory"};

typedef struct transfer_run {
    bezier_run run;
    bezier_way way;
    size_t reals, bytes;
    cl_mem buffer, pinned;
    void *mapped, *plain, *shared;
} transfer_run;

static clsp_status enqueue_pinned(void *user)
{
    const transfer_run *const x = user;

    return bench_check(clEnqueueReadBuffer(x->run.b->queue, x->buffer, CL_FALSE, 0, x->bytes,
                                           x->mapped, 0, NULL, NULL),
                       "clEnqueueReadBuffer");
}

static clsp_status call_into(const transfer_run *x, void *memory)
{
    const clsp_output out = {.type = x->run.precision, .host = memory, .size = x->reals};

    return bench_check(clsp_patch_eval(x->way.plan, (clsp_range){0, x->run.c.patches}, out, NULL),
                       "clsp_patch_eval");
}

static clsp_status call_plain(void *user)
{
    const transfer_run *const x = user;

    return call_into(x, x->plain);
}

static clsp_status call_shared(void *user)
{
    const transfer_run *const x = user;

    return call_into(x, x->shared);
}

/* ---- a case ---- */

static clsp_status create_memory(transfer_run *x)
{
    bench *const b = x->run.b;
    const bezier_case *const c = &x->run.c;
    cl_int code;
    clsp_status status;

    x->reals = c->patches * c->samples * c->samples * 3;
    x->bytes = x->reals * x->run.real_bytes;
    x->plain = malloc(x->bytes);
    if (!x->plain) return bench_check(CLSP_ERROR_NO_MEMORY, x->run.name);
    memset(x->plain, 1, x->bytes);
    BENCH_TRY(bench_check(clsp_shared_alloc(b->ctx, x->bytes, &x->shared), "clsp_shared_alloc"));
    x->buffer = clCreateBuffer(b->context, CL_MEM_READ_WRITE, x->bytes, NULL, &code);
    BENCH_TRY(bench_check(code, "clCreateBuffer"));
    x->pinned = clCreateBuffer(b->context, CL_MEM_ALLOC_HOST_PTR, x->bytes, NULL, &code);
    BENCH_TRY(bench_check(code, "clCreateBuffer, pinned"));
    x->mapped = clEnqueueMapBuffer(b->queue, x->pinned, CL_TRUE, CL_MAP_WRITE, 0, x->bytes, 0, NULL,
                                   NULL, &code);
    BENCH_TRY(bench_check(code, "clEnqueueMapBuffer"));

fail:
    return status;
}

static void release(transfer_run *x)
{
    cl_command_queue queue = x->run.b ? x->run.b->queue : NULL;

    if (x->mapped) clEnqueueUnmapMemObject(queue, x->pinned, x->mapped, 0, NULL, NULL);
    if (x->mapped) clFinish(queue);
    if (x->pinned) clReleaseMemObject(x->pinned);
    if (x->buffer) clReleaseMemObject(x->buffer);
    if (x->shared) clsp_shared_free(x->run.b->ctx, x->shared);
    free(x->plain);
    bezier_way_release(&x->way);
    bezier_run_release(&x->run);
}

static void report(const transfer_run *x, const bench_contestant *all)
{
    for (int i = 0; i < WAYS; i++) {
        bench_row row = bezier_run_row(&x->run, names[i]);
        row.time = all[i].sustained;
        row.work = (double)x->bytes;
        row.unit = "byte/s";
        bench_report_row(x->run.b->report, &row);
    }
    for (int i = PLAIN; i < WAYS; i++) {
        const bool holds = x->bytes >= MANY_BYTES && bezier_takes_own_shape(x->run.b);
        bezier_run_ratio(&x->run, i == PLAIN ? "host memory, of pinned" : "shared, of pinned",
                         bench_ratio(&all[i], &all[PINNED]), holds ? wanted : NAN);
    }
}

static clsp_status run_case(bench *b, const bezier_case *c, const bezier_ring *out)
{
    clsp_status status;
    transfer_run x = {.reals = 0};
    bench_contestant all[WAYS] = {{.enqueue = enqueue_pinned, .user = &x},
                                  {.enqueue = call_plain, .user = &x},
                                  {.enqueue = call_shared, .user = &x}};

    if (!bezier_case_wanted(b, c)) return CLSP_OK;
    BENCH_TRY(bezier_run_start(&x.run, b, suite, c, CLSP_F32, out));
    const clsp_bezier_desc desc = bezier_run_desc(&x.run);
    BENCH_TRY(bezier_way_create(&x.way, &x.run, &desc));
    BENCH_TRY(create_memory(&x));
    BENCH_TRY(bench_measure(b->queue, all, WAYS, 20));
    report(&x, all);

fail:
    release(&x);
    return status;
}

clsp_status bench_suite_transfer(bench *b)
{
    clsp_status status;
    bezier_ring out = {0};

    if (b->is_cpu)
        bench_report_note(b->report, "transfer: left out, the device is a CPU and has no bus");
    if (b->is_cpu || !b->wanted[CLSP_F32]) return CLSP_OK;
    BENCH_TRY(bezier_ring_create(b, &out));
    for (size_t i = 0; i < BENCH_COUNT(cases); i++)
        if (!b->quick || i % 2 == 0) BENCH_TRY(run_case(b, &cases[i], &out));

fail:
    bezier_ring_release(&out);
    return status;
}
