#include "stream.h"

#include "buffer.h"
#include "check.h"
#include "host_copy.h"
#include "shared_memory.h"

enum {
    PAGE_BYTES = 4096,
    STAGING_BYTES = 256 << 20,
    PART_BYTES = 16 << 20,        /* that move beside kernels */
    IN_PLACE_BYTES_MIN = 1 << 19, /* below, a copy takes less than mapping a buffer */
};

static size_t line_bytes(const clspi_stream *stream)
{
    return clspi_max(1, stream->per_line * stream->memory.element);
}

bool clspi_stream_is_on_host(const clspi_stream *stream)
{
    return stream->memory.host != NULL;
}

/* Returns where the lines of a part begin in host memory. */
static char *host_lines(const clspi_stream *stream, const clspi_part *part)
{
    return stream->memory.host + part->before * line_bytes(stream);
}

size_t clspi_stream_bytes(const clspi_stream *stream, size_t lines)
{
    return lines * line_bytes(stream);
}

static size_t part_bytes(const clspi_stream *stream, const clspi_part *part)
{
    return clspi_stream_bytes(stream, part->num_lines);
}

/* ---- the way ---- */

/* Only CPUs read inputs where they are: a driver may want to write to what it shares with a GPU,
   and an input may lie in memory that is read-only. Nor do GPUs take what another driver has
   mapped. */
static bool may_be_in_place(const clspi_stream *stream, const clsp_device_info *info, size_t bytes)
{
    return bytes >= IN_PLACE_BYTES_MIN &&
           (size_t)(uintptr_t)stream->memory.host % stream->memory.element == 0 &&
           ((stream->written && !stream->memory.is_staged) || clspi_is_host_cpu(info));
}

void clspi_stream_choose(clspi_stream *stream, clsp_context *ctx, size_t lines)
{
    const size_t bytes = clspi_stream_bytes(stream, lines);

    stream->in_place = (clsp_range){0, 0};
    stream->is_pinned = false;
    stream->wrapped = NULL;
    if (!clspi_stream_is_on_host(stream)) return;
    stream->is_pinned = clspi_shared_is_pinned(ctx, stream->memory.host, bytes);
    if (may_be_in_place(stream, &ctx->device, bytes))
        stream->in_place = clspi_bytes_in_place(&ctx->device, stream->memory.host, bytes);
}

bool clspi_stream_is_read_early(const clspi_stream *stream, bool beside)
{
    return clspi_stream_is_on_host(stream) && (beside || stream->in_place.count > 0) &&
           (!stream->written || stream->has_gaps);
}

size_t clspi_stream_lines(const clspi_stream *stream, const clsp_context *ctx, bool beside,
                          size_t done)
{
    const size_t line = line_bytes(stream), before = done * line;
    const size_t end = stream->in_place.first + stream->in_place.count;
    const uint64_t most = ctx->device.max_alloc_bytes;
    const uint64_t moved = clspi_min_u64(beside ? PART_BYTES : STAGING_BYTES, most);
    const size_t staged = clspi_max(1, (size_t)moved / line);

    if (!clspi_stream_is_on_host(stream)) return SIZE_MAX;
    if (before < stream->in_place.first)
        return clspi_min(staged, clspi_div_up(stream->in_place.first - before, line));
    if (before > end || end - before < line || most < 2 * PAGE_BYTES + line) return staged;
    /* a buffer on host memory may begin and end up to a page before and behind the lines */
    return clspi_min((end - before) / line, (size_t)((most - 2 * PAGE_BYTES) / line));
}

/* ---- in place ---- */

/* Makes a buffer on the part's lines in host memory; false where they have to be staged. */
static bool wrap(clspi_stream *stream, clsp_context *ctx, const clspi_part *part)
{
    const size_t align = clspi_in_place_align(&ctx->device);
    const size_t first = part->before * line_bytes(stream), bytes = part_bytes(stream, part);
    const size_t end = stream->in_place.first + stream->in_place.count;
    char *const at = host_lines(stream, part);
    const size_t over = (size_t)(uintptr_t)at % align;
    const size_t whole = clspi_round_up(over + bytes, align);
    size_t before = PAGE_BYTES - 1;

    if (first < stream->in_place.first || first > end || bytes > end - first) return false;
    if (whole + before > ctx->device.max_alloc_bytes) return false;
    if (clspi_buffer_wrap(&stream->wrapped, ctx, at - over, whole, &before) != CL_SUCCESS)
        return false;
    stream->buffer = stream->wrapped;
    stream->offset = (before + over) / stream->memory.element;
    return true;
}

void clspi_stream_drop(clspi_stream *stream)
{
    clspi_buffer_release(&stream->wrapped);
}

/* ---- staged ---- */

/* Tells whether a part moves through pinned memory. */
static bool is_bounced(const clspi_stream *stream, const clspi_flight *flight, uint32_t i)
{
    return flight->beside && !stream->is_pinned && flight->staging[i].pinned.at;
}

/* Makes room for a part's lines in staging buffers. */
static clsp_status reserve(clspi_stream *stream, clspi_series *series, const clspi_flight *flight,
                           uint32_t i, cl_command_queue queue)
{
    clspi_staging *const staging = &flight->staging[i];
    const size_t bytes = part_bytes(stream, &flight->part);

    CLSPI_CHECK(clspi_buffer_reserve(&staging->buffer, &staging->bytes, series->ctx, bytes));
    if (flight->beside && !stream->is_pinned)
        clspi_pinned_reserve(&staging->pinned, series->ctx, queue, bytes);
    stream->buffer = staging->buffer;
    stream->offset = 0;
    return CLSP_OK;
}

/* Brings a part's lines to the device. */
static clsp_status upload(clspi_stream *stream, clspi_series *series, const clspi_flight *flight,
                          uint32_t i)
{
    const char *const lines = host_lines(stream, &flight->part);
    const size_t bytes = part_bytes(stream, &flight->part);
    char *const pinned = flight->staging[i].pinned.at;

    if (is_bounced(stream, flight, i)) {
        clspi_host_copy(series->ctx, pinned, lines, bytes);
        return clspi_series_write_later(series, stream->buffer, 0, pinned, bytes);
    }
    return clspi_series_write(series, stream->buffer, 0, lines, bytes);
}

/* Begins to read a part's lines behind the commands of its series. */
static clsp_status read_beside(clspi_stream *stream, clspi_call *call, clspi_flight *flight,
                               uint32_t i)
{
    clspi_series *const series = &call->series;
    clspi_log *const log = &series->ctx->log;
    char *const to = is_bounced(stream, flight, i) ? flight->staging[i].pinned.at
                                                   : host_lines(stream, &flight->part);
    cl_event over = NULL;

    CLSPI_CHECK(clspi_cl(log, clFlush(series->ctx->queue), "clFlush"));
    const int32_t code = clEnqueueReadBuffer(
        call->plan->reads, stream->buffer, CL_FALSE, 0, part_bytes(stream, &flight->part), to,
        series->last ? 1 : 0, series->last ? &series->last : NULL, &over);
    CLSPI_CHECK(clspi_cl(log, code, "clEnqueueReadBuffer"));
    if (flight->over) clReleaseEvent(flight->over);
    flight->over = over;
    return clspi_cl(log, clFlush(call->plan->reads), "clFlush");
}

/* ---- a part ---- */

clsp_status clspi_stream_open(clspi_stream *stream, clspi_call *call, const clspi_flight *flight,
                              uint32_t i)
{
    clspi_series *const series = &call->series;

    stream->buffer = stream->memory.buffer;
    stream->offset = stream->memory.offset + flight->part.before * stream->per_line;
    if (!clspi_stream_is_on_host(stream) || wrap(stream, series->ctx, &flight->part))
        return CLSP_OK;
    CLSPI_CHECK(reserve(stream, series, flight, i, call->plan->reads));
    return stream->written && !stream->has_gaps ? CLSP_OK : upload(stream, series, flight, i);
}

clsp_status clspi_stream_close(clspi_stream *stream, clspi_call *call, clspi_flight *flight,
                               uint32_t i)
{
    clspi_series *const series = &call->series;
    const size_t bytes = part_bytes(stream, &flight->part);
    clsp_status status = CLSP_OK;

    if (!clspi_stream_is_on_host(stream)) return CLSP_OK;
    if (!stream->wrapped && !stream->written) return CLSP_OK;
    if (!stream->wrapped)
        return flight->beside ? read_beside(stream, call, flight, i)
                              : clspi_series_read(series, stream->buffer, 0,
                                                  host_lines(stream, &flight->part), bytes);
    if (stream->written)
        status = clspi_series_show(series, stream->wrapped, stream->offset * stream->memory.element,
                                   bytes);
    if (status == CLSP_OK) clspi_stream_drop(stream);
    return status;
}

void clspi_stream_fetch(const clspi_stream *stream, clsp_context *ctx, const clspi_flight *flight,
                        uint32_t i)
{
    if (stream->written && clspi_stream_is_on_host(stream) && is_bounced(stream, flight, i))
        clspi_host_copy(ctx, host_lines(stream, &flight->part), flight->staging[i].pinned.at,
                        part_bytes(stream, &flight->part));
}
