#include "shared_batch.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clock.h"
#include "host_pieces.h"
#include "job.h"

/* ---- the job ---- */

/* What a job's functions work on: tiles of a batch. */
typedef struct batch_job {
    const clspi_shared_batch *batch;
    const clspi_tiles *tiles;
    char *out; /* where the first tile begins */
} batch_job;

/* Returns the number in the batch of tiles of the job. */
static clsp_range in_batch(const batch_job *job, clsp_range tiles)
{
    return (clsp_range){job->tiles->tiles.first + tiles.first, tiles.count};
}

static clsp_range region(void *user, clsp_range tiles)
{
    const batch_job *const job = user;
    const clsp_range lines = clspi_lines_of(&job->batch->tiling, in_batch(job, tiles));
    const size_t line_bytes = job->batch->line_bytes;
    const clsp_range bytes = {(lines.first - job->tiles->lines.first) * line_bytes,
                              lines.count * line_bytes};

    return bytes;
}

static clsp_status on_host(void *user, uint32_t worker, clsp_range tiles)
{
    const batch_job *const job = user;
    const clspi_shared_batch *const batch = job->batch;
    clspi_cut cut = clspi_cut_of(&batch->tiling, in_batch(job, tiles), batch->first_piece);
    char *const out = job->out + region(user, tiles).first;
    clspi_part part;

    while (clspi_cut_next(&cut, UINT64_MAX, &part))
        CLSPI_CHECK(batch->maker->on_host(batch->user, batch->plan, worker, &part,
                                          out + part.before * batch->line_bytes));
    return CLSP_OK;
}

/* Makes chunks of one plan run one after another, on out-of-order queues too: they share its
   buffers. */
static clsp_status in_turn(clsp_context *ctx)
{
    if (ctx->in_order) return CLSP_OK;
    return clspi_cl(&ctx->log, clEnqueueBarrierWithWaitList(ctx->queue, 0, NULL, NULL),
                    "clEnqueueBarrierWithWaitList");
}

static clsp_status on_device(void *user, uint32_t device, clspi_series *series,
                             const clspi_chunk *chunk)
{
    const batch_job *const job = user;
    const clspi_shared_batch *const batch = job->batch;
    clspi_cut cut = clspi_cut_of(&batch->tiling, in_batch(job, chunk->tiles), batch->first_piece);
    clsp_status status;
    clspi_plan *const plan = clspi_peer_of(batch->peers, batch->plan, device, &status);
    clspi_part part;

    CLSPI_CHECK(status);
    CLSPI_CHECK(in_turn(plan->ctx));
    while (clspi_cut_next(&cut, UINT64_MAX, &part)) {
        const clspi_target target = {
            chunk->out, (chunk->out_offset + part.before * batch->line_bytes) / batch->element};
        CLSPI_CHECK(batch->maker->on_device(batch->user, plan, series, &part, &target));
    }
    return CLSP_OK;
}

static clsp_status persistent(void *user, uint32_t device, clspi_series *series, void *counter,
                              size_t num_tiles, void *out)
{
    const batch_job *const job = user;
    const clspi_shared_batch *const batch = job->batch;
    const clspi_queued_tiles tiles = {.counter = counter,
                                      .tiling = &batch->tiling,
                                      .num_tiles = num_tiles,
                                      .first_piece = batch->first_piece,
                                      .out = out};
    clsp_status status;
    clspi_plan *const plan = clspi_peer_of(batch->peers, batch->plan, device, &status);

    CLSPI_CHECK(status);
    CLSPI_CHECK(in_turn(plan->ctx));
    return batch->maker->persistent(batch->user, plan, series, &tiles);
}

static clspi_job job_of(batch_job *job)
{
    const clspi_shared_batch *const batch = job->batch;
    const clspi_tiling *const tiling = &batch->tiling;
    const char *const why_not_persistent =
        job->tiles->is_part ? "a part of the tiles is asked for" : batch->why_not_persistent;
    const clspi_job made = {.user = job,
                            .num_tiles = job->tiles->tiles.count,
                            .tile_size =
                                tiling->pieces_per_tile * tiling->tile_lines * batch->line_items,
                            .out = job->out,
                            .has_gaps = batch->has_gaps,
                            .region = region,
                            .host = batch->why_no_host ? NULL : on_host,
                            .why_no_host = batch->why_no_host,
                            .enqueue = on_device,
                            .persistent = why_not_persistent ? NULL : persistent,
                            .why_not_persistent = why_not_persistent,
                            .key = batch->key,
                            .chunk_ms = batch->chunk_ms};

    return made;
}

/* ---- calls ---- */

unsigned clspi_size_class(double size)
{
    return size < 2 ? 0 : (unsigned)ilogb(size);
}

/* Checks that memory is the host's, or SVM that the host and devices may use at once. */
static clsp_status check_memory(const clspi_plan *plan, const void *buffer, const void *svm,
                                const char *what)
{
    if (buffer)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: shared %s: host memory or an svm pointer, not a buffer",
                          plan->family, what);
    if (svm && !(plan->ctx->device.svm & (CLSP_SVM_FINE_BUFFER | CLSP_SVM_FINE_SYSTEM)))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: shared %s: the device has no fine-grain SVM", plan->family, what);
    return CLSP_OK;
}

clsp_status clspi_shared_output(const clspi_plan *plan, clsp_output *output,
                                const clspi_memory_need *need, char **out)
{
    clspi_memory memory;

    CLSPI_CHECK(clspi_output_unstage(plan, output, need->what, need->type));
    if (output->graphics)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: shared %s: a graphics buffer that is not staged", plan->family,
                          need->what);
    CLSPI_CHECK(check_memory(plan, output->buffer, output->svm, need->what));
    if (output->svm && !output->host) {
        output->host = output->svm;
        output->svm = NULL;
    }
    const clsp_status status = clspi_output_open(&memory, plan, output, need);
    *out = memory.host;
    clspi_memory_close(&memory);
    return status;
}

clsp_status clspi_shared_input(const clspi_plan *plan, const clsp_input *input,
                               const clspi_memory_need *need, const char **in)
{
    clsp_input host = *input;
    clspi_memory memory;

    CLSPI_CHECK(check_memory(plan, host.buffer, host.svm, need->what));
    if (host.svm && !host.host) {
        host.host = host.svm;
        host.svm = NULL;
    }
    const clsp_status status = clspi_input_open(&memory, plan, &host, need);
    *in = memory.host;
    clspi_memory_close(&memory);
    return status;
}

clsp_status clspi_align_input(const clspi_plan *plan, const clspi_memory_need *need,
                              const char **in, void **copy)
{
    const size_t element = clsp_type_bytes(need->type), bytes = need->count * element;

    *copy = NULL;
    if ((uintptr_t)*in % element == 0 || bytes == 0) return CLSP_OK;
    *copy = malloc(bytes);
    if (!*copy)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "%s: no memory for %s that are not aligned", plan->family, need->what);
    *in = memcpy(*copy, *in, bytes);
    return CLSP_OK;
}

static clsp_status prepare(const clspi_shared_batch *batch)
{
    if (!batch->prepare) return CLSP_OK;
    pthread_mutex_lock(&batch->plan->lock);
    const clsp_status status = batch->prepare(batch->user, batch->plan);
    pthread_mutex_unlock(&batch->plan->lock);
    return status;
}

void clspi_pieces_on_host(const clspi_plan *plan, size_t num, void (*fn)(void *user, size_t piece),
                          void *user)
{
    clspi_host_pieces(plan->ctx, num, fn, user);
}

clsp_status clspi_no_host_tiles(const clspi_plan *plan, const char *why)
{
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT, "%s: tiles by the host: %s",
                      plan->family, why);
}

/* Takes the number of a worker that no other thread has; CLSPI_HOST_WORKERS where none is left. */
static uint32_t take_worker(clspi_plan *plan)
{
    uint32_t worker = 0;

    while (worker < CLSPI_HOST_WORKERS && atomic_flag_test_and_set(&plan->callers[worker]))
        worker++;
    return worker;
}

/* Makes tiles on the calling thread, as a worker whose number no other caller has. */
static clsp_status make_as_worker(batch_job *job, clsp_range tiles)
{
    clspi_plan *const plan = job->batch->plan;
    const uint32_t worker = take_worker(plan);

    if (worker == CLSPI_HOST_WORKERS)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: more than %d threads make tiles at once", plan->family,
                          (int)CLSPI_HOST_WORKERS);
    const clsp_status status = on_host(job, worker, tiles);
    atomic_flag_clear(&plan->callers[worker]);
    return status;
}

static clsp_status make_by_caller(batch_job *job)
{
    const clspi_shared_batch *const batch = job->batch;

    if (batch->why_no_host) return clspi_no_host_tiles(batch->plan, batch->why_no_host);
    return make_as_worker(job, (clsp_range){0, job->tiles->tiles.count});
}

/* Makes tiles by all processors, or measures these. */
static clsp_status make_by_all(batch_job *job, const clsp_share *share, clsp_report *told)
{
    const clspi_shared_batch *const batch = job->batch;
    const clspi_job made = job_of(job);

    clspi_peers_prepare(batch->peers, batch->plan);
    return share->measure ? clspi_cooperate_tune(batch->plan->ctx, &made, told)
                          : clspi_cooperate(batch->plan->ctx, &made, share, told);
}

/* Gives a job memory that is aligned to its elements where the caller's is not. */
static clsp_status begin_aside(batch_job *job)
{
    const clspi_shared_batch *const batch = job->batch;
    const size_t bytes = job->tiles->lines.count * batch->line_bytes;
    char *const out = job->out;

    if ((uintptr_t)out % batch->element == 0 || bytes == 0) return CLSP_OK;
    job->out = malloc(bytes);
    if (!job->out)
        return clspi_fail(&batch->plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "%s: no memory for results that are not aligned", batch->plan->family);
    if (batch->has_gaps) memcpy(job->out, out, bytes);
    return CLSP_OK;
}

/* Copies results that were made aside to where they belong. Returns status. */
static clsp_status end_aside(const batch_job *job, char *out, clsp_status status)
{
    if (job->out == out) return status;
    if (status == CLSP_OK) memcpy(out, job->out, job->tiles->lines.count * job->batch->line_bytes);
    free(job->out);
    return status;
}

clsp_status clspi_shared_batch_run(clspi_shared_batch *batch, const clspi_tiles *tiles, char *out,
                                   const clsp_run *run, clsp_report *told)
{
    batch_job job = {batch, tiles, out};

    CLSPI_CHECK(prepare(batch));
    CLSPI_CHECK(clspi_run_wait(batch->plan, run));
    CLSPI_CHECK(begin_aside(&job));
    return end_aside(&job, out,
                     tiles->way == CLSPI_BY_CALLER ? make_by_caller(&job)
                                                   : make_by_all(&job, run->share, told));
}

/* ---- the host for its own CPU ---- */

/* A job of the host's threads. */
typedef struct host_job {
    batch_job batch;
    _Atomic clsp_status status; /* of tiles that failed last */
} host_job;

bool clspi_is_host_job(const clspi_plan *plan, bool is_faster)
{
    const clsp_context *const ctx = plan->ctx;

    return ctx->engine == CLSPI_ENGINE_HOST || (ctx->engine == CLSPI_ENGINE_FASTER && is_faster &&
                                                ctx->device.device_class == CLSP_CLASS_CPU);
}

bool clspi_goes_to_host(const clspi_plan *plan, const clsp_run *run, const clsp_output *output,
                        bool is_faster)
{
    return clspi_is_host_job(plan, is_faster) && !(run && run->share) &&
           clspi_output_is_host(output);
}

static void make_some(void *user, clsp_range tiles)
{
    host_job *const job = user;
    const clsp_status status = make_as_worker(&job->batch, tiles);

    if (status != CLSP_OK) atomic_store(&job->status, status);
}

clsp_status clspi_batch_make(const clspi_shared_batch *batch, const clspi_tiles *tiles, char *out,
                             double line_ns)
{
    host_job job = {.batch = {batch, tiles, out}};
    const clsp_range all = {0, tiles->tiles.count};

    CLSPI_CHECK(prepare(batch));
    CLSPI_CHECK(begin_aside(&job.batch));
    if (all.count > 0 && line_ns > 0)
        clspi_host_tiles(batch->plan->ctx, all.count, line_ns * (double)tiles->lines.count,
                         make_some, &job);
    else if (all.count > 0)
        atomic_store(&job.status, on_host(&job.batch, CLSPI_HOST_WORKERS, all));
    return end_aside(&job.batch, out, atomic_load(&job.status));
}

clsp_status clspi_batch_on_host(const clspi_shared_batch *batch, const clspi_tiles *tiles,
                                char *out, double line_ns, const clsp_run *run)
{
    CLSPI_CHECK(clspi_plan_await(batch->plan, run));
    CLSPI_CHECK(clspi_batch_make(batch, tiles, out, line_ns));
    return clspi_run_done(batch->plan, run);
}

/* ---- one device ---- */

/* Names the devices that could have taken part, and the host. */
static void name_processors(clsp_context *ctx, clsp_report *report)
{
    clsp_context *const *contexts;
    const uint32_t known = clspi_cooperate_devices(ctx, &contexts), num = known > 0 ? known : 1;

    report->num_processors = num + 1;
    for (uint32_t i = 0; i <= num; i++)
        snprintf(report->processors[i].name, sizeof report->processors[i].name, "%s",
                 i == 0    ? ctx->device.name
                 : i < num ? contexts[i]->device.name
                           : "host");
}

static void report_alone(const clspi_plan *plan, const clspi_lone_call *call, double ms,
                         clsp_report *report)
{
    const clsp_schedule schedule = call->by_host ? CLSP_SCHEDULE_HOST : CLSP_SCHEDULE_DEVICE;

    memset(report, 0, sizeof *report);
    report->schedule = schedule;
    for (int s = CLSP_SCHEDULE_SVM; s < CLSP_NUM_SCHEDULES; s++)
        if (s != (int)schedule)
            snprintf(report->reason[s], sizeof report->reason[s], "%s", call->why);
    report->num_tiles = call->num_tiles;
    name_processors(plan->ctx, report);
    clsp_processor_report *const alone =
        &report->processors[call->by_host ? report->num_processors - 1 : 0];
    alone->workers = call->by_host ? clspi_cooperate_workers(plan->ctx) : 1;
    alone->tiles = alone->chunks = call->num_tiles;
    report->wall_ms = alone->busy_ms = ms;
}

clsp_status clspi_shared_alone(clspi_plan *plan, const clspi_lone_call *call, const clsp_run *run)
{
    const double begin = clspi_now_ms(), built = clspi_programs_ms(plan->ctx);

    if (run->share->measure)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT, "%s: not measured: %s",
                          plan->family, call->why);
    CLSPI_CHECK(clspi_run_wait(plan, run));
    CLSPI_CHECK(call->run(call->user));
    if (run->report) {
        report_alone(plan, call, clspi_now_ms() - begin, run->report);
        run->report->build_ms = clspi_programs_ms(plan->ctx) - built;
    }
    return clspi_run_done(plan, run);
}
