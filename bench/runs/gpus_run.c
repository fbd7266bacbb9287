#include "gpus_run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 7,
    WARM_UPS = 2,
    PIECES = 64, /* buffers of a part's result, at most */
    SUMS = 1 << 16
};

static const size_t piece_bytes = (size_t)1 << 30;

/* ---- devices ---- */

static bool is_alike(const clsp_device_info *a, const clsp_device_info *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->platform, b->platform) == 0 &&
           strcmp(a->driver, b->driver) == 0;
}

clsp_status gpus_set_find(gpus_set *set, bench *b)
{
    enum { MOST = 64 };
    clsp_device_info *const infos = calloc(MOST, sizeof *infos);
    clsp_status status = infos ? CLSP_OK : CLSP_ERROR_NO_MEMORY;
    size_t count = 0;

    *set = (gpus_set){.b = b, .device = {b->info.id}, .num = 1};
    BENCH_TRY(status);
    BENCH_TRY(clsp_device_list(infos, MOST, &count));
    for (size_t i = 0; i < count && i < MOST && set->num < GPUS_MOST; i++)
        if (infos[i].id != b->info.id && is_alike(&infos[i], &b->info))
            set->device[set->num++] = infos[i].id;

fail:
    free(infos);
    return bench_check(status, "the devices");
}

static clsp_status open_seat(gpus_seat *seat, cl_device_id device)
{
    const clsp_context_opts opts = {.log = bench_log};
    cl_int code;
    clsp_status status;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue queue = NULL;

    BENCH_TRY(code);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    BENCH_TRY(code);
    BENCH_TRY(clsp_context_create(&seat->ctx, queue, &opts));
    BENCH_TRY(clsp_context_set_speeds(seat->ctx, ""));
    seat->queue = queue;
    seat->context = context;

fail:
    if (queue) clReleaseCommandQueue(queue); /* the library's context has it */
    if (context) clReleaseContext(context);
    return status;
}

clsp_status gpus_set_open(gpus_set *set, size_t num)
{
    clsp_status status = CLSP_OK;

    set->num = num;
    for (size_t i = 0; i < num; i++) {
        cl_device_id device = set->device[i] ? set->device[i] : set->device[0];
        BENCH_TRY(bench_check(open_seat(&set->seat[i], device), "a context"));
    }

fail:
    return status;
}

void gpus_set_close(gpus_set *set)
{
    for (size_t i = 0; i < GPUS_MOST; i++)
        clsp_context_destroy(&set->seat[i].ctx);
}

/* ---- parts with their results ---- */

/* A part and its result on the device, in pieces of so many items each. */
typedef struct held_part {
    gpus_part part;
    size_t piece_items, num_pieces;
    cl_mem piece[PIECES];
    uint64_t fingerprint;
    clsp_status status; /* of its thread */
} held_part;

static clsp_range piece_range(const held_part *h, size_t i)
{
    const size_t first = i * h->piece_items, left = h->part.items.count - first;

    return (clsp_range){h->part.items.first + first, left < h->piece_items ? left : h->piece_items};
}

static size_t item_bytes(const gpus_job *job)
{
    return job->item_reals * sizeof(float);
}

static clsp_status make_pieces(held_part *h)
{
    const size_t count = h->part.items.count, most = h->part.b->info.max_alloc_bytes;
    const size_t bytes = piece_bytes < most ? piece_bytes : most, one = item_bytes(h->part.job);
    cl_int code = CL_SUCCESS;

    h->piece_items = bytes / one < count ? bytes / one : count;
    h->num_pieces = (count + h->piece_items - 1) / h->piece_items;
    if (h->num_pieces > PIECES) return CLSP_ERROR_BUFFER_SIZE;
    for (size_t i = 0; i < h->num_pieces && code == CL_SUCCESS; i++)
        h->piece[i] = clCreateBuffer(h->part.seat.context, CL_MEM_READ_WRITE,
                                     piece_range(h, i).count * one, NULL, &code);
    return code;
}

static clsp_status start_held(held_part *h)
{
    clsp_status status;

    BENCH_TRY(h->part.job->start(&h->part));
    BENCH_TRY(make_pieces(h));
    return CLSP_OK;

fail:
    return bench_check(status, h->part.job->name);
}

static clsp_status eval_held(held_part *h)
{
    clsp_status status = CLSP_OK;

    for (size_t turn = 0; turn < h->part.job->turns; turn++)
        for (size_t i = 0; i < h->num_pieces; i++)
            BENCH_TRY(h->part.job->eval(&h->part, piece_range(h, i),
                                        clsp_out_buffer(h->piece[i], CLSP_F32, 0), NULL));
    BENCH_TRY(clFinish(h->part.seat.queue));

fail:
    return bench_check(status, h->part.job->name);
}

static clsp_status prepare_held(held_part *h)
{
    clsp_status status;

    BENCH_TRY(h->part.job->prepare(&h->part, NULL));
    BENCH_TRY(clFinish(h->part.seat.queue));

fail:
    return bench_check(status, h->part.job->name);
}

/* Adds a piece's sum. */
static clsp_status sum_piece(held_part *h, bench_kernel *kernel, size_t i, cl_mem sums)
{
    const clsp_range range = piece_range(h, i);
    const cl_ulong num = range.count * h->part.job->item_reals;
    const cl_ulong place = range.first * h->part.job->item_reals;
    const cl_uint num_sums = SUMS;
    cl_ulong *const values = calloc(SUMS, sizeof *values);
    clsp_status status = values ? CLSP_OK : CLSP_ERROR_NO_MEMORY;

    BENCH_TRY(status);
    BENCH_TRY(
        bench_kernel_args(kernel,
                          (bench_arg[]){BENCH_ARG(h->piece[i]), BENCH_ARG(num), BENCH_ARG(place),
                                        BENCH_ARG(sums), BENCH_ARG(num_sums)},
                          5));
    BENCH_TRY(bench_kernel_launch(kernel, 0, SUMS, NULL));
    BENCH_TRY(clEnqueueReadBuffer(h->part.seat.queue, sums, CL_TRUE, 0, SUMS * sizeof *values,
                                  values, 0, NULL, NULL));
    for (size_t k = 0; k < SUMS; k++)
        h->fingerprint += values[k];

fail:
    free(values);
    return status;
}

static clsp_status sum_held(held_part *h)
{
    cl_program program = NULL;
    bench_kernel kernel = {.kernel = NULL};
    cl_int code;
    clsp_status status;
    cl_mem sums = clCreateBuffer(h->part.seat.context, CL_MEM_READ_WRITE, SUMS * sizeof(cl_ulong),
                                 NULL, &code);

    BENCH_TRY(code);
    BENCH_TRY(bench_program_build(&program, h->part.seat.queue, "fingerprint", ""));
    BENCH_TRY(bench_kernel_create(&kernel, program, h->part.seat.queue, "fingerprint"));
    for (size_t i = 0; i < h->num_pieces; i++)
        BENCH_TRY(sum_piece(h, &kernel, i, sums));

fail:
    bench_kernel_release(&kernel);
    if (program) clReleaseProgram(program);
    if (sums) clReleaseMemObject(sums);
    return bench_check(status, "fingerprint");
}

static void release_held(held_part *h)
{
    for (size_t i = 0; i < h->num_pieces; i++)
        if (h->piece[i]) clReleaseMemObject(h->piece[i]);
    h->part.job->release(&h->part);
}

/* ---- all parts at once ---- */

/* What the thread of a part does. */
typedef struct task {
    held_part *part;
    clsp_status (*work)(held_part *part);
} task;

static void *run_task(void *user)
{
    task *const t = user;

    t->part->status = t->work(t->part);
    return NULL;
}

/* Has all parts do it, each by a thread of its own, and waits for all. */
static clsp_status by_all(held_part *parts, size_t num, clsp_status (*work)(held_part *part))
{
    task tasks[GPUS_MOST];
    pthread_t thread[GPUS_MOST];
    size_t started = 0;
    clsp_status status = CLSP_OK;

    for (; started < num; started++) {
        tasks[started] = (task){&parts[started], work};
        if (pthread_create(&thread[started], NULL, run_task, &tasks[started])) break;
    }
    if (started < num) status = bench_check(CLSP_ERROR_NO_MEMORY, "a thread");
    for (size_t i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
        if (status == CLSP_OK) status = parts[i].status;
    }
    return status;
}

/* Times what all do so many times over; of one. */
static clsp_status time_all(held_part *parts, size_t num, clsp_status (*work)(held_part *part),
                            size_t turns, bench_timing *time)
{
    double ms[ROUNDS];
    clsp_status status;

    for (int i = -WARM_UPS; i < ROUNDS; i++) {
        const double begin = bench_now_ms();
        BENCH_TRY(by_all(parts, num, work));
        if (i >= 0) ms[i] = (bench_now_ms() - begin) / (double)turns;
    }
    *time = bench_timing_of(ms, ROUNDS);

fail:
    return status;
}

/* Deals items out, as evenly as they go. */
static void deal(const gpus_set *set, const gpus_job *job, held_part *parts)
{
    for (size_t i = 0; i < set->num; i++) {
        const size_t first = i * job->num_items / set->num;
        const size_t end = (i + 1) * job->num_items / set->num;
        parts[i].part = (gpus_part){.b = set->b, .job = job, .seat = set->seat[i]};
        parts[i].part.items = (clsp_range){first, end - first};
    }
}

clsp_status gpus_run_apart(const gpus_set *set, const gpus_job *job, gpus_apart *result)
{
    held_part *const parts = calloc(set->num, sizeof *parts);
    clsp_status status = parts ? CLSP_OK : bench_check(CLSP_ERROR_NO_MEMORY, job->name);

    *result = (gpus_apart){.fingerprint = 0};
    if (!parts) return status;
    deal(set, job, parts);
    BENCH_TRY(by_all(parts, set->num, start_held));
    if (job->prepare) BENCH_TRY(time_all(parts, set->num, prepare_held, 1, &result->prepare));
    BENCH_TRY(time_all(parts, set->num, eval_held, job->turns, &result->time));
    BENCH_TRY(by_all(parts, set->num, sum_held));
    for (size_t i = 0; i < set->num; i++)
        result->fingerprint += parts[i].fingerprint;

fail:
    for (size_t i = 0; i < set->num; i++)
        release_held(&parts[i]);
    free(parts);
    return status;
}

/* ---- copies to pinned memory ---- */

/* A device's part of a copy. */
typedef struct copy_part {
    cl_mem buffer, pinned;
    void *mapped;
} copy_part;

static clsp_status start_copy(copy_part *c, const gpus_seat *seat, size_t bytes)
{
    const cl_uchar zero = 0;
    cl_int code;
    clsp_status status;

    c->buffer = clCreateBuffer(seat->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    BENCH_TRY(code);
    c->pinned = clCreateBuffer(seat->context, CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
    BENCH_TRY(code);
    c->mapped = clEnqueueMapBuffer(seat->queue, c->pinned, CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, NULL,
                                   NULL, &code);
    BENCH_TRY(code);
    BENCH_TRY(clEnqueueFillBuffer(seat->queue, c->buffer, &zero, 1, 0,
                                  bytes < piece_bytes ? bytes : piece_bytes, 0, NULL, NULL));
    BENCH_TRY(clFinish(seat->queue));

fail:
    return status;
}

static void release_copy(copy_part *c, const gpus_seat *seat)
{
    if (c->mapped) clEnqueueUnmapMemObject(seat->queue, c->pinned, c->mapped, 0, NULL, NULL);
    if (c->mapped) clFinish(seat->queue);
    if (c->pinned) clReleaseMemObject(c->pinned);
    if (c->buffer) clReleaseMemObject(c->buffer);
}

static clsp_status copy_all(const gpus_set *set, const copy_part *parts, size_t bytes)
{
    clsp_status status = CLSP_OK;

    for (size_t i = 0; i < set->num; i++) {
        BENCH_TRY(clEnqueueReadBuffer(set->seat[i].queue, parts[i].buffer, CL_FALSE, 0, bytes,
                                      parts[i].mapped, 0, NULL, NULL));
        BENCH_TRY(clFlush(set->seat[i].queue));
    }
    for (size_t i = 0; i < set->num; i++)
        BENCH_TRY(clFinish(set->seat[i].queue));

fail:
    return status;
}

/* Times copies of so many bytes in all, as many from each device. */
static clsp_status time_copies(const gpus_set *set, size_t bytes, bench_timing *time)
{
    copy_part parts[GPUS_MOST] = {{.buffer = NULL}};
    const size_t each = bytes / set->num;
    double ms[ROUNDS];
    clsp_status status = CLSP_OK;

    for (size_t i = 0; i < set->num; i++)
        BENCH_TRY(start_copy(&parts[i], &set->seat[i], each));
    for (int i = -WARM_UPS; i < ROUNDS; i++) {
        const double begin = bench_now_ms();
        BENCH_TRY(copy_all(set, parts, each));
        if (i >= 0) ms[i] = bench_now_ms() - begin;
    }
    *time = bench_timing_of(ms, ROUNDS);

fail:
    for (size_t i = 0; i < set->num; i++)
        release_copy(&parts[i], &set->seat[i]);
    return bench_check(status, "copies to pinned memory");
}

/* ---- one result of all ---- */

typedef struct joined_run {
    gpus_part part;
    size_t reals;
    void *out;
    clsp_share share;
    gpus_joined *result;
} joined_run;

static clsp_status eval_joined(joined_run *r)
{
    const clsp_run run = {.share = &r->share, .report = &r->result->report};

    return r->part.job->eval(&r->part, r->part.items, clsp_out_f32(r->out, r->reals), &run);
}

static clsp_status prepare_joined(joined_run *r)
{
    const clsp_share bits = {.bit_equal = 1}; /* by whom: as the library thinks best */

    return r->part.job->prepare(&r->part, &(clsp_run){.share = &bits});
}

static clsp_status time_joined(joined_run *r, clsp_status (*work)(joined_run *r),
                               bench_timing *time)
{
    double ms[ROUNDS];
    clsp_status status;

    for (int i = -WARM_UPS; i < ROUNDS; i++) {
        const double begin = bench_now_ms();
        BENCH_TRY(work(r));
        if (i >= 0) ms[i] = bench_now_ms() - begin;
    }
    *time = bench_timing_of(ms, ROUNDS);

fail:
    return bench_check(status, r->part.job->name);
}

static clsp_status join_all(const gpus_set *set)
{
    clsp_status status = CLSP_OK;

    for (size_t i = 1; i < set->num; i++)
        BENCH_TRY(bench_check(clsp_context_join(set->seat[0].ctx, set->seat[i].ctx),
                              "clsp_context_join"));

fail:
    return status;
}

/* One device alone says what is expected. */
static clsp_status compare(const joined_run *r, size_t num, void *expected)
{
    const size_t bytes = r->reals * sizeof(float);

    if (num == 1) memcpy(expected, r->out, bytes);
    if (memcmp(expected, r->out, bytes) == 0) return CLSP_OK;
    return bench_check(CLSP_ERROR_STATE, "results of other bits");
}

clsp_status gpus_run_joined(const gpus_set *set, const gpus_job *job, void *expected,
                            gpus_joined *result)
{
    clsp_context *const ctx = set->seat[0].ctx;
    joined_run r = {.reals = job->num_items * job->item_reals, .result = result};
    const size_t bytes = r.reals * sizeof(float);
    clsp_status status;

    *result = (gpus_joined){.time = {0}};
    r.part = (gpus_part){.b = set->b,
                         .job = job,
                         .seat = set->seat[0],
                         .items = {0, job->num_items},
                         .in_host = true};
    r.share = (clsp_share){.schedule = set->num > 1 ? CLSP_SCHEDULE_DYNAMIC : CLSP_SCHEDULE_DEVICE,
                           .num_workers = CLSP_NO_WORKERS,
                           .bit_equal = 1};
    BENCH_TRY(time_copies(set, bytes, &result->pinned));
    BENCH_TRY(join_all(set));
    BENCH_TRY(bench_check(clsp_shared_alloc(ctx, bytes, &r.out), "clsp_shared_alloc"));
    BENCH_TRY(bench_check(job->start(&r.part), job->name));
    if (job->prepare) BENCH_TRY(time_joined(&r, prepare_joined, &result->prepare));
    memset(r.out, 0xff, bytes);
    BENCH_TRY(time_joined(&r, eval_joined, &result->time));
    BENCH_TRY(compare(&r, set->num, expected));

fail:
    if (r.part.job) job->release(&r.part);
    clsp_shared_free(ctx, r.out);
    return status;
}
