#include "transfer.h"

#include "buffer.h"
#include "check.h"

enum { STAGING_BYTES = 256 << 20 };

static size_t line_bytes(const clspi_stream *stream)
{
    return stream->per_line * stream->memory.element;
}

static bool is_on_host(const clspi_stream *stream)
{
    return stream->memory.host != NULL;
}

size_t clspi_staging_lines(const clspi_plan *plan, size_t bytes_of_line)
{
    const uint64_t most = clspi_min_u64(STAGING_BYTES, plan->ctx->device.max_alloc_bytes);

    return clspi_max(1, (size_t)most / clspi_max(1, bytes_of_line));
}

void clspi_streams_close(clspi_job_streams *streams)
{
    for (uint32_t i = 0; i < streams->num; i++)
        clspi_memory_close(&streams->stream[i].memory);
}

/* ---- one part ---- */

/* Sets where a stream's lines are, and brings those of the host's inputs there. */
static clsp_status open_part(clspi_stream *stream, clspi_staging *staging, clspi_series *series,
                             const clspi_part *part)
{
    const size_t before = part->before * stream->per_line;
    const size_t bytes = part->num_lines * line_bytes(stream);

    stream->buffer = stream->memory.buffer;
    stream->offset = stream->memory.offset + before;
    if (!is_on_host(stream)) return CLSP_OK;
    CLSPI_CHECK(clspi_buffer_reserve(&staging->buffer, &staging->bytes, series->ctx, bytes));
    stream->buffer = staging->buffer;
    stream->offset = 0;
    if (stream->written && !stream->has_gaps) return CLSP_OK;
    return clspi_series_write(series, stream->buffer, 0,
                              stream->memory.host + before * stream->memory.element, bytes);
}

static clsp_status close_part(const clspi_stream *stream, clspi_series *series,
                              const clspi_part *part)
{
    const size_t before = part->before * line_bytes(stream);

    if (!stream->written || !is_on_host(stream)) return CLSP_OK;
    return clspi_series_read(series, stream->buffer, 0, stream->memory.host + before,
                             part->num_lines * line_bytes(stream));
}

static clsp_status make_part(clspi_call *call, clspi_job_streams *streams, const clspi_part *part,
                             clspi_make_fn make, void *user)
{
    for (uint32_t i = 0; i < streams->num; i++)
        CLSPI_CHECK(open_part(&streams->stream[i], &call->plan->staging[i], &call->series, part));
    CLSPI_CHECK(make(user, &call->series, part));
    for (uint32_t i = 0; i < streams->num; i++)
        CLSPI_CHECK(close_part(&streams->stream[i], &call->series, part));
    return CLSP_OK;
}

/* ---- all parts ---- */

/* Returns the lines of a part that fit the staging buffers of all streams in host memory. */
static size_t most_lines(const clspi_plan *plan, const clspi_job_streams *streams)
{
    size_t most = SIZE_MAX;

    for (uint32_t i = 0; i < streams->num; i++)
        if (is_on_host(&streams->stream[i]))
            most = clspi_min(most, clspi_staging_lines(plan, line_bytes(&streams->stream[i])));
    return most;
}

static bool any_on_host(const clspi_job_streams *streams)
{
    bool any = false;

    for (uint32_t i = 0; i < streams->num; i++)
        any = any || is_on_host(&streams->stream[i]);
    return any;
}

static clsp_status make_all(clspi_call *call, clspi_job_streams *streams, clspi_cut cut,
                            clspi_make_fn make, void *user)
{
    clspi_part part;

    if (!any_on_host(streams)) {
        const clspi_part whole = {.piece = cut.piece, .line = cut.line, .num_lines = cut.left};
        return cut.left > 0 ? make_part(call, streams, &whole, make, user) : CLSP_OK;
    }
    const size_t most = most_lines(call->plan, streams);
    while (clspi_cut_next(&cut, most, &part))
        CLSPI_CHECK(make_part(call, streams, &part, make, user));
    return CLSP_OK;
}

clsp_status clspi_carry_out(clspi_plan *plan, const clsp_sync *sync, clspi_job_streams *streams,
                            clspi_cut cut, clspi_make_fn make, void *user)
{
    clspi_call call;
    clsp_status status = clspi_call_begin(&call, plan, sync);

    if (status == CLSP_OK) {
        status = make_all(&call, streams, cut, make, user);
        status =
            any_on_host(streams) ? clspi_call_finish(&call, status) : clspi_call_end(&call, status);
    }
    clspi_streams_close(streams);
    return status;
}
