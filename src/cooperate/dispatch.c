/* Dispatching tiles to a device: two chunks are in flight, so that one is being made while the
   other's result moves to the host, or one where launching waits for what it makes. */

#include <math.h>

#include "buffer.h"
#include "check.h"
#include "clock.h"
#include "host_memory.h"
#include "run.h"
#include "shared_memory.h"

enum {
    STAGING_BYTES_MAX = 32 << 20,
    STAGING_FEW = 4, /* times as much where each chunk takes time of its own */
    LAUNCHES_PER_CHUNK = 10,
    CHUNKS_ALONE = 8, /* of a device that has its tiles to itself, where results move, */
    CHUNKS_FEW = 2,   /* and where each chunk takes time of its own */
    CHUNK_BYTES_MIN = 1 << 20
};

/* A chunk between its launch and its result. */
typedef struct chunk_in_flight {
    bool is_used;
    clspi_chunk chunk;
    cl_mem direct_out, direct_in; /* on the host's own memory; NULL: staging */
    void *mapped;
    cl_event copied; /* into staging, before its kernels; NULL: nothing is */
    cl_event made;   /* its kernels */
    cl_event moved;  /* its result is in the host's memory */
    double begin_ms;
} chunk_in_flight;

typedef struct dispatcher {
    clspi_run *run;
    uint32_t device;
    clspi_participant *participant;
    clspi_device_state *state;
    clsp_context *ctx;
    chunk_in_flight in_flight[CLSPI_IN_FLIGHT];
    double last_done_ms; /* when the chunk before was there */
    uint64_t last_end;   /* by the device's clock: end of what ran before on its main queue */
    size_t most;         /* tiles of a chunk, by the size of buffers */
    size_t num_slots;    /* chunks in flight, at most */
    uint32_t num_done;
    bool unmaps; /* the queue may hold unmappings */
} dispatcher;

double clspi_launch_ms(const clsp_device_info *info)
{
    return info->device_class == CLSP_CLASS_CPU ? 0.02 : 0.03;
}

/* ---- sizes ---- */

static clsp_range region_of(const clspi_job *job, clsp_range tiles)
{
    return job->region(job->user, tiles);
}

static clsp_range in_region_of(const clspi_job *job, clsp_range tiles)
{
    const clsp_range none = {0, 0};

    return job->in ? job->in_region(job->user, tiles) : none;
}

static size_t bytes_of_all(const clspi_job *job)
{
    return region_of(job, (clsp_range){0, job->num_tiles}).count;
}

/* Gives the bytes that tiles in the middle read, where those of neighbours overlap on both sides.
 */
static size_t in_bytes_of(const clspi_job *job, size_t tiles)
{
    return in_region_of(job, (clsp_range){(job->num_tiles - tiles) / 2, tiles}).count;
}

/* Gives the most tiles that a chunk's buffers hold. Tiles have about the same size; half of the
   limit leaves room where they do not. */
static size_t most_tiles(const clspi_job *job, const clsp_device_info *info)
{
    const size_t bytes = clspi_max(bytes_of_all(job), in_bytes_of(job, job->num_tiles));
    const uint64_t staging = (uint64_t)STAGING_BYTES_MAX * (job->chunk_ms > 0 ? STAGING_FEW : 1);
    uint64_t limit = info->max_alloc_bytes / 2;
    size_t most = job->num_tiles;

    if (!clspi_is_unified(info) && limit > staging) limit = staging;
    if (bytes <= limit) return most;
    most = clspi_max((size_t)((double)limit / (double)bytes * (double)most), 1);
    while (most > 1 && in_bytes_of(job, most) > limit)
        most /= 2;
    return most;
}

size_t clspi_chunk_tiles(const clspi_job *job, const clsp_device_info *info, size_t count)
{
    if (clspi_is_unified(info)) return clspi_max(count, 1);
    const double tile = (double)bytes_of_all(job) / (double)job->num_tiles;
    const double chunks = job->chunk_ms > 0 ? CHUNKS_FEW : CHUNKS_ALONE;
    const double part = fmax((double)count * tile / chunks, CHUNK_BYTES_MIN);
    return part < (double)count * tile ? clspi_max((size_t)(part / tile), 1) : clspi_max(count, 1);
}

/* Gives the host's speed in this round, in tiles a second; its workers' own clocks would have to be
   added up. Before it has made some tiles, what was expected. 0: not known. */
static double host_rate(const clspi_run *run)
{
    const double ms = clspi_now_ms() - run->round_ms;
    const clspi_participant *const host = &run->participants[run->host];
    const size_t tiles = atomic_load_explicit(&host->tiles, memory_order_relaxed);

    if (ms <= 0 || tiles < 2 * (size_t)run->workers) return (double)atomic_load(&host->rate);
    return (double)tiles / ms * 1e3;
}

/* Returns how many tiles all devices are at. */
static size_t tiles_at_work(const clspi_run *run)
{
    size_t tiles = 0;

    for (uint32_t i = 0; i < run->num_dispatched; i++)
        tiles += atomic_load(&run->participants[run->dispatched[i]].at_work);
    return tiles;
}

/* Returns how many of them are not made yet, by the devices' speeds. */
static double tiles_not_made(const clspi_run *run)
{
    const double now = clspi_now_ms();
    double tiles = 0;

    for (uint32_t i = 0; i < run->num_dispatched; i++) {
        const clspi_participant *const p = &run->participants[run->dispatched[i]];
        const double ms = fmax(now - atomic_load(&p->begin_ms), 0);
        const double made = ms * 1e-3 * (double)atomic_load(&p->rate);
        tiles += fmax((double)atomic_load(&p->at_work) - made, 0);
    }
    return tiles;
}

/* Adds up the speeds of all that take part, this device's being `mine`. */
static double sum_of_rates(const clspi_run *run, double mine)
{
    double sum = 0;

    if (run->participants[run->host].tile_range) {
        const double host = host_rate(run);
        sum = host > 0 ? host : mine;
    }
    for (uint32_t i = 0; i < run->num_dispatched; i++) {
        const double rate = (double)atomic_load(&run->participants[run->dispatched[i]].rate);
        sum += rate > 0 ? rate : mine;
    }
    return sum;
}

/* Gives the tiles of a guided chunk where each takes time of its own: the device's part of all that
   is not made yet, at once where two chunks would not be worth that time, and in the end what is
   not worth a chunk. */
static size_t few_guided_tiles(const dispatcher *d, size_t left, double mine, double sum)
{
    const double each = (clspi_launch_ms(&d->ctx->device) + d->run->job->chunk_ms) * 1e-3 * mine;
    const double least = each * LAUNCHES_PER_CHUNK;
    const double part = ((double)left + tiles_not_made(d->run)) * mine / sum;
    const double wanted = part < 2 * least ? part : fmin(part * 0.75, part - least);

    return wanted + each < (double)left ? (size_t)wanted : left;
}

/* Gives the tiles of a guided chunk (HGuided): a part of what is the device's of all that is not
   made, less what it is at, but worth its launch, if that is not more than all of it: the device
   would end last. Half where results have to move, so that they begin to do so early; three
   quarters where they need not, since each launch and wait takes time of a core. */
static size_t guided_tiles(const dispatcher *d)
{
    const size_t left = clspi_tile_range_left(d->participant->tile_range);
    const double mine = (double)atomic_load(&d->participant->rate);
    const double launch = clspi_launch_ms(&d->ctx->device) * (double)LAUNCHES_PER_CHUNK;

    if (mine <= 0) return left / (16 * ((size_t)d->run->num_dispatched + 1));
    const double sum = sum_of_rates(d->run, mine);
    if (d->run->job->chunk_ms > 0) return few_guided_tiles(d, left, mine, sum);
    const double backlog = (double)atomic_load(&d->participant->at_work);
    const double least = mine * launch * 1e-3;
    const double part = fmax((double)(left + tiles_at_work(d->run)) * mine / sum - backlog, 0);
    return (size_t)fmin(fmax(part * (clspi_is_unified(&d->ctx->device) ? 0.75 : 0.5), least), part);
}

/* Gives how many tiles the next chunk is to have. */
static size_t next_tiles(const dispatcher *d)
{
    const clspi_participant *const participant = d->participant;
    const size_t tiles = participant->guided ? guided_tiles(d) : participant->chunk_tiles;

    return clspi_min(clspi_max(tiles, 1), d->most);
}

/* ---- a chunk ---- */

static void release_event(cl_event *event)
{
    if (*event) clReleaseEvent(*event);
    *event = NULL;
}

/* Retires a chunk: releases its objects, so that its slot is free for another. */
static void retire(chunk_in_flight *c)
{
    release_event(&c->copied);
    release_event(&c->made);
    release_event(&c->moved);
    clspi_buffer_release(&c->direct_out);
    clspi_buffer_release(&c->direct_in);
    c->is_used = false;
}

/* Gives the queue of transfers: a second one lets a result move while kernels run; without it they
   take turns. */
static cl_command_queue queue_of_reads(dispatcher *d)
{
    clsp_context *const ctx = d->ctx;
    clspi_device_state *const state = d->state;
    int32_t code = CL_SUCCESS;

    if (!state->reads_tried) {
        state->reads_tried = true;
        state->reads =
            clCreateCommandQueue(ctx->context, ctx->device.id, CL_QUEUE_PROFILING_ENABLE, &code);
        if (code == CL_INVALID_QUEUE_PROPERTIES)
            state->reads = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
        if (code != CL_SUCCESS) state->reads = NULL;
    }
    return state->reads ? state->reads : ctx->queue;
}

/* Enqueues a chunk's kernels after what is copied for them. */
static clsp_status enqueue_kernels(dispatcher *d, chunk_in_flight *c)
{
    const clspi_job *const job = d->run->job;
    clsp_status status;
    clspi_series series;

    clspi_series_begin(&series, d->ctx, c->copied ? 1 : 0, c->copied ? &c->copied : NULL, &c->made);
    status = job->enqueue(job->user, d->device, &series, &c->chunk);
    if (status != CLSP_OK) return clspi_series_fail(&series, status);
    return clspi_series_end(&series, &c->made);
}

/* Makes a buffer on memory of the host's; *before: the most bytes before it that it may hold, then
   those that it does: in shared virtual memory any, else none. */
static clsp_status wrap(dispatcher *d, cl_mem *buffer, char *at, size_t bytes, size_t *before)
{
    return clspi_cl(&d->ctx->log, clspi_buffer_wrap(buffer, d->ctx, at, bytes, before),
                    "clCreateBuffer");
}

/* Copies bytes of the host's into a staging buffer, after what the chunk has copied before. */
static clsp_status copy_in(dispatcher *d, chunk_in_flight *c, cl_mem buffer, const char *from,
                           size_t bytes)
{
    clsp_context *const ctx = d->ctx;
    cl_event copied = NULL;

    const int32_t code =
        clEnqueueWriteBuffer(ctx->queue, buffer, CL_FALSE, 0, bytes, from, c->copied ? 1 : 0,
                             c->copied ? &c->copied : NULL, &copied);
    CLSPI_CHECK(clspi_cl(&ctx->log, code, "clEnqueueWriteBuffer"));
    release_event(&c->copied);
    c->copied = copied;
    return CLSP_OK;
}

/* Gives a chunk what its tiles read. */
static clsp_status upload_input(dispatcher *d, chunk_in_flight *c)
{
    const clspi_job *const job = d->run->job;
    const clsp_range region = in_region_of(job, c->chunk.tiles);
    const size_t slot = (size_t)(c - d->in_flight);
    clspi_device_state *const state = d->state;
    char *const in = (char *)job->in + region.first; /* kernels only read it */

    if (region.count == 0) return CLSP_OK;
    if (clspi_works_in_place(&d->ctx->device, in, region.count)) {
        c->chunk.in_offset = clspi_shared_holds(d->run->set, in) ? SIZE_MAX : 0;
        CLSPI_CHECK(wrap(d, &c->direct_in, in, region.count, &c->chunk.in_offset));
        c->chunk.in = c->direct_in;
        return CLSP_OK;
    }
    CLSPI_CHECK(clspi_buffer_reserve(&state->in_staging[slot], &state->in_capacity[slot], d->ctx,
                                     region.count));
    c->chunk.in = state->in_staging[slot];
    return copy_in(d, c, c->chunk.in, in, region.count);
}

/* Launches a chunk into the result's own memory: mapping makes it the host's again. */
static clsp_status launch_direct(dispatcher *d, chunk_in_flight *c, clsp_range region)
{
    clsp_context *const ctx = d->ctx;
    int32_t code;

    c->chunk.out_offset = d->run->in_svm ? SIZE_MAX : 0;
    CLSPI_CHECK(wrap(d, &c->direct_out, d->run->job->out + region.first, region.count,
                     &c->chunk.out_offset));
    c->chunk.out = c->direct_out;
    CLSPI_CHECK(enqueue_kernels(d, c));
    c->mapped =
        clEnqueueMapBuffer(ctx->queue, c->direct_out, CL_FALSE, CL_MAP_READ, c->chunk.out_offset,
                           region.count, 1, &c->made, &c->moved, &code);
    CLSPI_CHECK(clspi_cl(&ctx->log, code, "clEnqueueMapBuffer"));
    return clspi_cl(&ctx->log, clFlush(ctx->queue), "clFlush");
}

/* Unmaps a chunk's buffer, not before the mapping is over: rusticl knows of none until then. Nobody
   waits for it but the end of the round, since the next chunk is before it in the queue. */
static clsp_status unmap(dispatcher *d, chunk_in_flight *c)
{
    clsp_context *const ctx = d->ctx;

    if (!c->direct_out) return CLSP_OK;
    d->unmaps = true;
    return clspi_cl(&ctx->log,
                    clEnqueueUnmapMemObject(ctx->queue, c->direct_out, c->mapped, 0, NULL, NULL),
                    "clEnqueueUnmapMemObject");
}

/* Launches a chunk into memory of the device, and from there to the result. */
static clsp_status launch_staged(dispatcher *d, chunk_in_flight *c, clsp_range region)
{
    const size_t slot = (size_t)(c - d->in_flight);
    clsp_context *const ctx = d->ctx;
    cl_mem *const staging = &d->state->staging[slot];
    char *const out = d->run->job->out + region.first;

    CLSPI_CHECK(clspi_buffer_reserve(staging, &d->state->capacity[slot], ctx, region.count));
    c->chunk.out = *staging;
    if (d->run->job->has_gaps) CLSPI_CHECK(copy_in(d, c, *staging, out, region.count));
    CLSPI_CHECK(enqueue_kernels(d, c));
    CLSPI_CHECK(clspi_cl(&ctx->log, clFlush(ctx->queue), "clFlush"));
    const cl_command_queue reads = queue_of_reads(d);
    CLSPI_CHECK(clspi_cl(&ctx->log,
                         clEnqueueReadBuffer(reads, *staging, CL_FALSE, 0, region.count, out, 1,
                                             &c->made, &c->moved),
                         "clEnqueueReadBuffer"));
    return clspi_cl(&ctx->log, clFlush(reads), "clFlush");
}

/* Launches a chunk of tiles that are taken; one without bytes is made already. */
static clsp_status launch(dispatcher *d, chunk_in_flight *c, clsp_range tiles)
{
    const clsp_range region = region_of(d->run->job, tiles);

    c->is_used = true;
    c->chunk = (clspi_chunk){.tiles = tiles};
    c->begin_ms = clspi_now_ms();
    atomic_store(&d->participant->begin_ms, c->begin_ms); /* before others see its tiles */
    atomic_fetch_add(&d->participant->at_work, tiles.count);
    if (region.count == 0) return CLSP_OK;
    CLSPI_CHECK(upload_input(d, c));
    return clspi_works_in_place(&d->ctx->device, d->run->job->out + region.first, region.count)
               ? launch_direct(d, c, region)
               : launch_staged(d, c, region);
}

/* ---- what came of it ---- */

/* Reads a time of a command by the device's clock, in ns; 0 where it is not known. */
static uint64_t clock_of(cl_event event, cl_profiling_info what)
{
    uint64_t ns = 0;

    if (clGetEventProfilingInfo(event, what, sizeof ns, &ns, NULL) != CL_SUCCESS) return 0;
    return ns;
}

/* Adds a chunk's times to the device's. A chunk may have several kernels, and only the last one's
   event is known: they began when the chunk was enqueued, or when what ran before it ended. Without
   a clock of the device the host's is used. */
static void add_times(dispatcher *d, const chunk_in_flight *c, double now)
{
    const double begin = c->begin_ms > d->last_done_ms ? c->begin_ms : d->last_done_ms;
    const uint64_t queued = clock_of(c->made, CL_PROFILING_COMMAND_QUEUED);
    const uint64_t end = clock_of(c->made, CL_PROFILING_COMMAND_END);
    const uint64_t from = queued > d->last_end ? queued : d->last_end;
    const uint64_t move_begin = clock_of(c->moved, CL_PROFILING_COMMAND_START);
    const uint64_t move_end = clock_of(c->moved, CL_PROFILING_COMMAND_END);

    if (from > 0 && end > from)
        d->participant->busy_ms += (double)(end - from) * 1e-6;
    else
        d->participant->busy_ms += now - begin;
    if (move_begin > 0 && move_end > move_begin)
        d->participant->move_ms += (double)(move_end - move_begin) * 1e-6;
    d->last_end = end;
    if (!d->state->reads && move_end > end) d->last_end = move_end;
}

/* Updates the device's speed by a chunk, beside what any chunk takes. The first one says little of
   later ones: a driver may have compiled in it. */
static void update_rate(dispatcher *d, const chunk_in_flight *c, double now)
{
    const double begin = c->begin_ms > d->last_done_ms ? c->begin_ms : d->last_done_ms;
    const double ms = fmax(fmax(now - begin - d->run->job->chunk_ms, (now - begin) / 2), 1e-3);
    const double rate = (double)c->chunk.tiles.count / ms * 1e3;
    const double before = (double)atomic_load(&d->participant->rate);
    const double mixed = d->num_done < 2 ? rate : (before + rate) / 2;

    atomic_store(&d->participant->rate, mixed < 1 ? 1 : (uint64_t)mixed);
    d->last_done_ms = now;
    d->num_done++;
}

/* Finds out why a command of the chunk failed; code: what waiting gave. */
static clsp_status failure_of(dispatcher *d, const chunk_in_flight *c, int32_t code)
{
    const cl_event events[] = {c->made, c->moved};

    for (size_t i = 0; i < CLSPI_COUNT(events); i++) {
        int32_t state = CL_COMPLETE;
        if (events[i] &&
            clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                           NULL) == CL_SUCCESS &&
            state < 0) {
            code = state;
            break;
        }
    }
    return clspi_waited(d->ctx, code, "a chunk of tiles");
}

/* Waits for a chunk's result, counts its tiles and retires it. */
static clsp_status await(dispatcher *d, chunk_in_flight *c)
{
    if (c->moved) {
        const int32_t code = clWaitForEvents(1, &c->moved);
        if (code != CL_SUCCESS) return failure_of(d, c, code);
    }
    CLSPI_CHECK(unmap(d, c));
    const double now = clspi_now_ms();
    if (c->moved) add_times(d, c, now);
    update_rate(d, c, now);
    atomic_fetch_sub(&d->participant->at_work, c->chunk.tiles.count);
    atomic_fetch_add(&d->participant->tiles, c->chunk.tiles.count);
    atomic_fetch_add(&d->participant->chunks, 1);
    retire(c);
    return CLSP_OK;
}

/* Drops the device out of the run. Nothing of it may still write when others make its chunks; a
   chunk that was whole before is left as it is. failed: the one that was not. */
static void give_up(dispatcher *d, const chunk_in_flight *failed, clsp_status status)
{
    clFinish(d->ctx->queue); /* whatever they say */
    if (d->state->reads) clFinish(d->state->reads);
    for (size_t i = 0; i < CLSPI_IN_FLIGHT; i++) {
        chunk_in_flight *const c = &d->in_flight[i];
        if (!c->is_used) continue;
        if (c != failed && await(d, c) == CLSP_OK) continue;
        clspi_requeued_put(&d->run->requeued, c->chunk.tiles);
        retire(c);
    }
    if (d->unmaps) clFinish(d->ctx->queue);
    atomic_store(&d->participant->at_work, 0);
    clspi_run_drop(d->run, d->device, status);
}

void clspi_dispatch(clspi_run *run, uint32_t device)
{
    clsp_status status;
    dispatcher d = {.run = run,
                    .device = device,
                    .participant = &run->participants[device],
                    .state = &run->set->states[device],
                    .ctx = run->set->contexts[device]};
    size_t next = 0;

    d.most = most_tiles(run->job, &d.ctx->device);
    d.num_slots = run->job->chunk_ms > 0 ? 1 : CLSPI_IN_FLIGHT;
    for (;; next = (next + 1) % d.num_slots) { /* the chunk that was launched first */
        chunk_in_flight *const oldest = &d.in_flight[next];
        clsp_range tiles;
        if (oldest->is_used) CLSPI_TRY(await(&d, oldest));
        if (clspi_run_take(run, device, next_tiles(&d), &tiles))
            CLSPI_TRY(launch(&d, oldest, tiles));
        else if (!d.in_flight[(next + 1) % d.num_slots].is_used)
            break;
    }
    /* the caller may free the memory of these buffers next */
    if (d.unmaps) clFinish(d.ctx->queue);
    return;

fail:
    give_up(&d, &d.in_flight[next], status);
}
