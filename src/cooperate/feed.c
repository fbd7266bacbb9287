/* Feeding a device: two chunks in flight, so that one is being made while the other's result moves
   to the host. */

#include <math.h>

#include "buffer.h"
#include "check.h"
#include "run.h"

enum {
    STAGING_BYTES_MAX = 32 << 20,
    LAUNCHES_PER_CHUNK = 10,
    PIECES = 8,
    PIECE_BYTES_MIN = 1 << 20
};

/* A chunk between its launch and its result. */
typedef struct chunk {
    bool flying;
    clspi_range range;
    cl_mem buffer; /* on the result's own memory; NULL: staging */
    void *mapped;
    cl_event made;  /* its kernels */
    cl_event moved; /* its result is in the host's memory */
    double begin_ms;
} chunk;

typedef struct feeder {
    clspi_run *run;
    uint32_t device;
    clspi_part *part;
    clspi_lane *lane;
    clsp_context *ctx;
    chunk flights[CLSPI_IN_FLIGHT];
    double last_done_ms; /* when the chunk before was there */
    cl_ulong last_end;   /* by the device's clock: end of what ran before on its main queue */
    size_t most;         /* tiles of a chunk, by the size of buffers */
    uint32_t num_done;
    bool unmaps; /* the queue may hold unmappings */
} feeder;

double clspi_launch_ms(const clsp_device_info *info)
{
    return info->device_class == CLSP_CLASS_CPU ? 0.02 : 0.03;
}

/* ---- sizes ---- */

static bool is_unified(const clsp_device_info *info)
{
    return info->device_class == CLSP_CLASS_CPU ||
           (info->device_class == CLSP_CLASS_INTEGRATED && info->unified_memory);
}

static bool is_multiple(size_t value, size_t of)
{
    return of == 0 || value % of == 0;
}

/* Whether kernels write the result where it belongs. Devices that are not coherent with the host
   must share no cache line with it. */
static bool writes_directly(const clsp_device_info *info, const char *at, size_t bytes)
{
    const size_t begin = (size_t)(uintptr_t)at, end = begin + bytes;

    if (!is_unified(info)) return false;
    if (info->device_class == CLSP_CLASS_CPU) return true;
    return is_multiple(begin, info->base_align_bytes) && is_multiple(end, info->base_align_bytes) &&
           is_multiple(begin, info->cacheline_bytes) && is_multiple(end, info->cacheline_bytes);
}

/* Tiles have about the same size; half of the limit leaves room where they do not. */
static size_t most_tiles(const clspi_job *job, const clsp_device_info *info)
{
    size_t offset, bytes;
    uint64_t limit = info->max_alloc_bytes / 2;

    if (!is_unified(info) && limit > STAGING_BYTES_MAX) limit = STAGING_BYTES_MAX;
    job->region(job->user, 0, job->num_tiles, &offset, &bytes);
    if (bytes <= limit) return job->num_tiles;
    return clspi_max((size_t)((double)limit / (double)bytes * (double)job->num_tiles), 1);
}

size_t clspi_feed_piece(const clspi_job *job, const clsp_device_info *info, size_t count)
{
    size_t offset, bytes;

    if (is_unified(info)) return clspi_max(count, 1);
    job->region(job->user, 0, job->num_tiles, &offset, &bytes);
    const double tile = (double)bytes / (double)job->num_tiles;
    const double piece = fmax((double)count * tile / PIECES, PIECE_BYTES_MIN);
    return piece < (double)count * tile ? clspi_max((size_t)(piece / tile), 1)
                                        : clspi_max(count, 1);
}

/* The host's speed in this round; its workers' own clocks would have to be added up. Before it has
   made some tiles, what was expected. 0: not known. */
static double host_rate(const clspi_run *run)
{
    const double ms = clspi_now_ms() - run->round_ms;
    const clspi_part *const host = &run->parts[run->host];
    const size_t tiles = atomic_load_explicit(&host->tiles, memory_order_relaxed);

    if (ms <= 0 || tiles < 2 * (size_t)run->workers) return (double)atomic_load(&host->rate);
    return (double)tiles / ms * 1e3;
}

static size_t in_flight(const feeder *f)
{
    size_t tiles = 0;

    for (size_t i = 0; i < CLSPI_IN_FLIGHT; i++)
        if (f->flights[i].flying) tiles += f->flights[i].range.count;
    return tiles;
}

/* HGuided: a part of what the device would make of the rest at its speed, but worth its launch, if
   that is not more than all of it: the device would end last. What it has not made yet counts as
   its own already. Half where results have to move, so that they begin to do so early; three
   quarters where they need not, since each launch and wait takes time of a core. */
static size_t guided_size(const feeder *f)
{
    const clspi_run *const run = f->run;
    const size_t left = clspi_span_left(f->part->span);
    const double mine = (double)atomic_load(&f->part->rate);
    const double launch = clspi_launch_ms(&f->ctx->device) * LAUNCHES_PER_CHUNK;
    double sum = 0;

    if (mine <= 0) return left / (16 * ((size_t)run->num_feeders + 1));
    if (run->parts[run->host].span) {
        const double host = host_rate(run);
        sum = host > 0 ? host : mine;
    }
    for (uint32_t i = 0; i < run->num_feeders; i++)
        sum += (double)atomic_load(&run->parts[run->feeders[i]].rate);
    const double backlog = (double)in_flight(f), least = mine * launch * 1e-3;
    const double part = fmax(((double)left + backlog) * mine / sum - backlog, 0);
    return (size_t)fmin(fmax(part * (is_unified(&f->ctx->device) ? 0.75 : 0.5), least), part);
}

static size_t next_size(const feeder *f)
{
    const size_t size = f->part->guided ? guided_size(f) : f->part->piece;

    return clspi_min(clspi_max(size, 1), f->most);
}

/* ---- a chunk ---- */

static void release_event(cl_event *event)
{
    if (*event) clReleaseEvent(*event);
    *event = NULL;
}

static void land(chunk *flight)
{
    release_event(&flight->moved);
    release_event(&flight->made);
    clspi_buffer_release(&flight->buffer);
    flight->flying = false;
}

/* A second queue lets a result move while kernels run; without one they take turns. */
static cl_command_queue queue_of_reads(feeder *f)
{
    clsp_context *const ctx = f->ctx;
    clspi_lane *const lane = f->lane;
    cl_int code = CL_SUCCESS;

    if (!lane->reads_tried) {
        lane->reads_tried = true;
        lane->reads =
            clCreateCommandQueue(ctx->context, ctx->device.id, CL_QUEUE_PROFILING_ENABLE, &code);
        if (code == CL_INVALID_QUEUE_PROPERTIES)
            lane->reads = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
        if (code != CL_SUCCESS) lane->reads = NULL;
    }
    return lane->reads ? lane->reads : ctx->queue;
}

static clsp_status enqueue_kernels(feeder *f, chunk *flight, cl_mem buffer, size_t offset,
                                   cl_event written)
{
    const clspi_job *const job = f->run->job;
    clsp_status status;
    clspi_series series;

    clspi_series_begin(&series, f->ctx, written ? 1 : 0, written ? &written : NULL, &flight->made);
    status = job->enqueue(job->user, f->device, &series, flight->range.first, flight->range.count,
                          buffer, offset);
    if (status != CLSP_OK) return clspi_series_fail(&series, status);
    return clspi_series_end(&series, &flight->made);
}

/* Bytes before a chunk that its buffer takes in too: Intel's CPU runtime sees a buffer in shared
   virtual memory as a part of that, which must begin at an alignment of the device. Nothing touches
   them. */
static size_t bytes_before(const feeder *f, const char *out)
{
    const size_t align = f->ctx->device.base_align_bytes;

    return f->run->in_svm && align > 0 ? (size_t)(uintptr_t)out % align : 0;
}

/* Into the result's own memory: mapping makes it the host's again. */
static clsp_status launch_direct(feeder *f, chunk *flight, char *out, size_t bytes)
{
    clsp_status status;
    clsp_context *const ctx = f->ctx;
    const size_t before = bytes_before(f, out);
    cl_int code;

    flight->buffer = clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                    before + bytes, out - before, &code);
    CLSPI_TRY(clspi_cl(&ctx->log, code, "clCreateBuffer"));
    CLSPI_TRY(enqueue_kernels(f, flight, flight->buffer, before, NULL));
    flight->mapped = clEnqueueMapBuffer(ctx->queue, flight->buffer, CL_FALSE, CL_MAP_READ, before,
                                        bytes, 1, &flight->made, &flight->moved, &code);
    CLSPI_TRY(clspi_cl(&ctx->log, code, "clEnqueueMapBuffer"));
    CLSPI_TRY(clspi_cl(&ctx->log, clFlush(ctx->queue), "clFlush"));

fail:
    return status;
}

/* Not before the mapping is over: rusticl knows of none until then. Nobody waits for it but the end
   of the round, since the next chunk is before it in the queue. */
static clsp_status unmap(feeder *f, chunk *flight)
{
    clsp_context *const ctx = f->ctx;

    if (!flight->buffer) return CLSP_OK;
    f->unmaps = true;
    return clspi_cl(
        &ctx->log,
        clEnqueueUnmapMemObject(ctx->queue, flight->buffer, flight->mapped, 0, NULL, NULL),
        "clEnqueueUnmapMemObject");
}

/* Into memory of the device, and from there to the result. */
static clsp_status launch_staged(feeder *f, chunk *flight, char *out, size_t bytes)
{
    const size_t slot = (size_t)(flight - f->flights);
    clsp_status status;
    clsp_context *const ctx = f->ctx;
    cl_mem *const staging = &f->lane->staging[slot];
    cl_event written = NULL;
    cl_command_queue reads;

    CLSPI_TRY(clspi_buffer_reserve(staging, &f->lane->capacity[slot], ctx, bytes));
    if (f->run->job->has_gaps)
        CLSPI_TRY(clspi_cl(
            &ctx->log,
            clEnqueueWriteBuffer(ctx->queue, *staging, CL_FALSE, 0, bytes, out, 0, NULL, &written),
            "clEnqueueWriteBuffer"));
    CLSPI_TRY(enqueue_kernels(f, flight, *staging, 0, written));
    CLSPI_TRY(clspi_cl(&ctx->log, clFlush(ctx->queue), "clFlush"));
    reads = queue_of_reads(f);
    CLSPI_TRY(clspi_cl(&ctx->log,
                       clEnqueueReadBuffer(reads, *staging, CL_FALSE, 0, bytes, out, 1,
                                           &flight->made, &flight->moved),
                       "clEnqueueReadBuffer"));
    CLSPI_TRY(clspi_cl(&ctx->log, clFlush(reads), "clFlush"));

fail:
    release_event(&written);
    return status;
}

static clsp_status launch(feeder *f, chunk *flight)
{
    const clspi_job *const job = f->run->job;
    clsp_context *const ctx = f->ctx;
    size_t offset, bytes;

    job->region(job->user, flight->range.first, flight->range.count, &offset, &bytes);
    flight->flying = true;
    flight->begin_ms = clspi_now_ms();
    if (bytes == 0) return CLSP_OK;
    if (!writes_directly(&ctx->device, job->out + offset, bytes))
        return launch_staged(f, flight, job->out + offset, bytes);
    return launch_direct(f, flight, job->out + offset, bytes);
}

/* ---- what came of it ---- */

static cl_ulong clock_of(cl_event event, cl_profiling_info what)
{
    cl_ulong ns = 0;

    if (clGetEventProfilingInfo(event, what, sizeof ns, &ns, NULL) != CL_SUCCESS) return 0;
    return ns;
}

/* A chunk's kernels may be several, of which the last one's event is known: they began when it was
   enqueued or what ran before them ended. Without a clock of the device, by the host's. */
static void add_times(feeder *f, const chunk *flight, double now)
{
    const double begin = flight->begin_ms > f->last_done_ms ? flight->begin_ms : f->last_done_ms;
    const cl_ulong queued = clock_of(flight->made, CL_PROFILING_COMMAND_QUEUED);
    const cl_ulong end = clock_of(flight->made, CL_PROFILING_COMMAND_END);
    const cl_ulong from = queued > f->last_end ? queued : f->last_end;
    const cl_ulong move_begin = clock_of(flight->moved, CL_PROFILING_COMMAND_START);
    const cl_ulong move_end = clock_of(flight->moved, CL_PROFILING_COMMAND_END);

    if (from > 0 && end > from)
        f->part->busy_ms += (double)(end - from) * 1e-6;
    else
        f->part->busy_ms += now - begin;
    if (move_begin > 0 && move_end > move_begin)
        f->part->move_ms += (double)(move_end - move_begin) * 1e-6;
    f->last_end = end;
    if (!f->lane->reads && move_end > end) f->last_end = move_end;
}

/* The first chunk says little of later ones: a driver may have compiled in it. */
static void update_rate(feeder *f, const chunk *flight, double now)
{
    const double begin = flight->begin_ms > f->last_done_ms ? flight->begin_ms : f->last_done_ms;
    const double ms = now - begin > 1e-3 ? now - begin : 1e-3;
    const double rate = (double)flight->range.count / ms * 1e3;
    const double before = (double)atomic_load(&f->part->rate);
    const double mixed = f->num_done < 2 ? rate : (before + rate) / 2;

    atomic_store(&f->part->rate, mixed < 1 ? 1 : (uint64_t)mixed);
    f->last_done_ms = now;
    f->num_done++;
}

/* Why a command of the chunk failed. */
static clsp_status failure_of(feeder *f, const chunk *flight, cl_int code)
{
    const cl_event events[] = {flight->made, flight->moved};

    for (size_t i = 0; i < CLSPI_COUNT(events); i++) {
        cl_int state = CL_COMPLETE;
        if (events[i] &&
            clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                           NULL) == CL_SUCCESS &&
            state < 0) {
            code = state;
            break;
        }
    }
    return clspi_waited(f->ctx, code, "a chunk of tiles");
}

static clsp_status await(feeder *f, chunk *flight)
{
    if (flight->moved) {
        const cl_int code = clWaitForEvents(1, &flight->moved);
        if (code != CL_SUCCESS) return failure_of(f, flight, code);
    }
    const clsp_status status = unmap(f, flight);
    if (status != CLSP_OK) return status;
    const double now = clspi_now_ms();
    if (flight->moved) add_times(f, flight, now);
    update_rate(f, flight, now);
    atomic_fetch_add(&f->part->tiles, flight->range.count);
    atomic_fetch_add(&f->part->chunks, 1);
    f->part->end_ms = now;
    land(flight);
    return CLSP_OK;
}

/* The device drops out. Nothing of it may still write when others make its chunks; a chunk that was
   whole before is left as it is. failed: the one that was not. */
static void give_up(feeder *f, const chunk *failed, clsp_status status)
{
    clFinish(f->ctx->queue); /* whatever they say */
    if (f->lane->reads) clFinish(f->lane->reads);
    for (size_t i = 0; i < CLSPI_IN_FLIGHT; i++) {
        chunk *const flight = &f->flights[i];
        if (!flight->flying) continue;
        if (flight != failed && await(f, flight) == CLSP_OK) continue;
        clspi_returns_put(&f->run->returns, flight->range);
        land(flight);
    }
    if (f->unmaps) clFinish(f->ctx->queue);
    clspi_run_drop(f->run, f->device, status);
}

void clspi_feed(clspi_run *run, uint32_t device)
{
    clsp_status status;
    feeder f = {.run = run,
                .device = device,
                .part = &run->parts[device],
                .lane = &run->team->lanes[device],
                .ctx = run->team->contexts[device]};
    size_t next = 0;

    f.part->begin_ms = f.part->end_ms = clspi_now_ms();
    f.most = most_tiles(run->job, &f.ctx->device);
    for (;; next = (next + 1) % CLSPI_IN_FLIGHT) { /* the flight that was launched first */
        chunk *const oldest = &f.flights[next];
        if (oldest->flying) CLSPI_TRY(await(&f, oldest));
        if (clspi_run_take(run, device, next_size(&f), &oldest->range))
            CLSPI_TRY(launch(&f, oldest));
        else if (!f.flights[(next + 1) % CLSPI_IN_FLIGHT].flying)
            break;
    }
    /* the caller may free the memory of these buffers next */
    if (f.unmaps) clFinish(f.ctx->queue);
    return;

fail:
    give_up(&f, &f.flights[next], status);
}
