#include "shared_batch.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "job.h"

/* ---- the job ---- */

/* What a job's functions work on. */
typedef struct batch_job {
    const clspi_shared_batch *batch;
    char *out;
} batch_job;

static clsp_range region(void *user, clsp_range tiles)
{
    const batch_job *const job = user;
    const clsp_range lines = clspi_lines_of(&job->batch->tiling, tiles);
    const clsp_range bytes = {lines.first * job->batch->line_bytes,
                              lines.count * job->batch->line_bytes};

    return bytes;
}

static clsp_status on_host(void *user, uint32_t worker, clsp_range tiles)
{
    const batch_job *const job = user;
    const clspi_shared_batch *const batch = job->batch;
    clspi_cut cut = clspi_cut_of(&batch->tiling, tiles, batch->first_piece);
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
    clspi_cut cut = clspi_cut_of(&batch->tiling, chunk->tiles, batch->first_piece);
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
    const clspi_job made = {.user = job,
                            .num_tiles = clspi_num_tiles(tiling),
                            .tile_size =
                                tiling->pieces_per_tile * tiling->tile_lines * batch->line_items,
                            .out = job->out,
                            .has_gaps = batch->has_gaps,
                            .region = region,
                            .host = batch->why_no_host ? NULL : on_host,
                            .why_no_host = batch->why_no_host,
                            .enqueue = on_device,
                            .persistent = batch->why_not_persistent ? NULL : persistent,
                            .why_not_persistent = batch->why_not_persistent,
                            .key = batch->key};

    return made;
}

/* ---- calls ---- */

unsigned clspi_size_class(double size)
{
    unsigned log = 0;

    for (; size >= 2; size /= 2)
        log++;
    return log;
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

clsp_status clspi_shared_batch_run(clspi_shared_batch *batch, char *out,
                                   const clsp_cooperate_opts *opts, clsp_cooperate_report *report)
{
    batch_job all = {batch, out};
    const clspi_job job = job_of(&all);

    clspi_peers_prepare(batch->peers, batch->plan);
    return clspi_cooperate(batch->plan->ctx, &job, opts, report);
}

clsp_status clspi_shared_batch_tune(clspi_shared_batch *batch, clsp_cooperate_report *report)
{
    clsp_context *const ctx = batch->plan->ctx;
    const size_t lines = batch->tiling.num_pieces * batch->tiling.lines;
    batch_job all = {batch, NULL};
    void *memory = NULL;

    CLSPI_CHECK(clsp_shared_alloc(ctx, lines * batch->line_bytes, &memory));
    all.out = memory;
    const clspi_job job = job_of(&all);
    clspi_peers_prepare(batch->peers, batch->plan);
    const clsp_status status = clspi_cooperate_tune(ctx, &job, report);
    clsp_shared_free(ctx, memory);
    return status;
}

/* ---- one device ---- */

static void report_alone(const clspi_plan *plan, const clspi_lone_call *call, double ms,
                         clsp_cooperate_report *report)
{
    clsp_processor_report *const device = &report->processors[0];

    memset(report, 0, sizeof *report);
    report->schedule = CLSP_SCHEDULE_DEVICE;
    for (int s = CLSP_SCHEDULE_SVM; s < CLSP_NUM_SCHEDULES; s++)
        if (s != CLSP_SCHEDULE_DEVICE)
            snprintf(report->reason[s], sizeof report->reason[s], "%s", call->why);
    report->num_tiles = call->num_tiles;
    report->num_processors = 2;
    snprintf(device->name, sizeof device->name, "%s", plan->ctx->device.name);
    device->workers = 1;
    device->tiles = device->chunks = call->num_tiles;
    snprintf(device[1].name, sizeof device[1].name, "host");
    report->wall_ms = device->busy_ms = ms;
}

clsp_status clspi_shared_alone(clspi_plan *plan, const clspi_lone_call *call,
                               const clsp_cooperate_opts *opts, clsp_cooperate_report *report)
{
    const double begin = clspi_now_ms();

    CLSPI_CHECK(clspi_cooperate_check(plan->ctx, opts));
    CLSPI_CHECK(call->run(call->user));
    if (report) report_alone(plan, call, clspi_now_ms() - begin, report);
    return CLSP_OK;
}
