#include "transfer.h"

#include "check.h"
#include "host_copy.h"

enum { BESIDE_BYTES_MIN = 1 << 20 }; /* below, one transfer is not worth to be cut */

/* A call at work. */
typedef struct transfer {
    clspi_call *call;
    clspi_job_streams *streams;
    clspi_make_fn make;
    void *user;
    bool beside; /* transfers run beside kernels */
    clspi_flight flights[CLSPI_PARTS_IN_FLIGHT];
} transfer;

void clspi_streams_close(clspi_job_streams *streams)
{
    for (uint32_t i = 0; i < streams->num; i++)
        clspi_memory_close(&streams->stream[i].memory);
}

static bool any_on_host(const clspi_job_streams *streams)
{
    bool any = false;

    for (uint32_t i = 0; i < streams->num; i++)
        any = any || clspi_stream_is_on_host(&streams->stream[i]);
    return any;
}

/* ---- one part ---- */

static clsp_status make_part(transfer *t, clspi_flight *flight)
{
    clspi_job_streams *const streams = t->streams;

    for (uint32_t i = 0; i < streams->num; i++)
        CLSPI_CHECK(clspi_stream_open(&streams->stream[i], t->call, flight, i));
    CLSPI_CHECK(t->make(t->user, &t->call->series, &flight->part));
    for (uint32_t i = 0; i < streams->num; i++)
        CLSPI_CHECK(clspi_stream_close(&streams->stream[i], t->call, flight, i));
    return CLSP_OK;
}

/* Makes a part whose transfers run beside the kernels of the next one. */
static clsp_status launch_part(transfer *t, clspi_flight *flight)
{
    clspi_series *const series = &t->call->series;

    CLSPI_CHECK(make_part(t, flight));
    if (flight->over || !series->last) return CLSP_OK;
    CLSPI_CHECK(clspi_cl(&series->ctx->log, clRetainEvent(series->last), "clRetainEvent"));
    flight->over = series->last;
    return CLSP_OK;
}

/* Waits for a part that is on its way, if there is one. */
static clsp_status finish_part(transfer *t, clspi_flight *flight)
{
    if (!flight->over) return CLSP_OK;
    const int32_t code = clWaitForEvents(1, &flight->over);
    clReleaseEvent(flight->over);
    flight->over = NULL;
    if (code != CL_SUCCESS) return clspi_waited(t->call->plan->ctx, code, "clWaitForEvents");
    for (uint32_t i = 0; i < t->streams->num; i++)
        clspi_stream_fetch(&t->streams->stream[i], t->call->plan->ctx, flight, i);
    return CLSP_OK;
}

/* ---- all parts ---- */

/* Returns the lines of the next part. */
static size_t most_lines(const transfer *t, const clspi_cut *cut)
{
    size_t most = SIZE_MAX;

    for (uint32_t i = 0; i < t->streams->num; i++)
        most = clspi_min(most, clspi_stream_lines(&t->streams->stream[i], t->call->plan->ctx,
                                                  t->beside, cut->done));
    return most;
}

/* Makes parts one after another, or with transfers beside: then a part is over before its staging
   buffers are those of another. */
static clsp_status make_parts(transfer *t, clspi_cut cut)
{
    clspi_part part;

    for (size_t slot = 0; clspi_cut_next(&cut, most_lines(t, &cut), &part);) {
        clspi_flight *const flight = &t->flights[slot];
        CLSPI_CHECK(finish_part(t, flight));
        flight->part = part;
        CLSPI_CHECK(t->beside ? launch_part(t, flight) : make_part(t, flight));
        if (t->beside) slot = (slot + 1) % CLSPI_PARTS_IN_FLIGHT;
    }
    for (size_t slot = 0; slot < CLSPI_PARTS_IN_FLIGHT; slot++)
        CLSPI_CHECK(finish_part(t, &t->flights[slot]));
    return CLSP_OK;
}

/* Tells whether transfers are to run beside kernels, and makes the queue for them. */
static bool runs_beside(clspi_plan *plan, const clspi_job_streams *streams, size_t lines)
{
    clsp_context *const ctx = plan->ctx;
    size_t bytes = 0;
    int32_t code;

    for (uint32_t i = 0; i < streams->num; i++)
        if (clspi_stream_is_on_host(&streams->stream[i]))
            bytes = clspi_max(bytes, clspi_stream_bytes(&streams->stream[i], lines));
    if (clspi_is_unified(&ctx->device) || bytes < BESIDE_BYTES_MIN) return false;
    if (!plan->reads_tried) {
        plan->reads_tried = true;
        plan->reads = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
        if (code != CL_SUCCESS) plan->reads = NULL;
    }
    return plan->reads != NULL;
}

/* Waits until nothing works on the caller's memory or pinned memory any more, whatever has failed,
   and releases what there is of parts. */
static void settle(transfer *t)
{
    clspi_series_await(&t->call->series);
    for (size_t slot = 0; slot < CLSPI_PARTS_IN_FLIGHT; slot++) {
        cl_event *const over = &t->flights[slot].over;
        if (!*over) continue;
        clWaitForEvents(1, over);
        clReleaseEvent(*over);
        *over = NULL;
    }
    for (uint32_t i = 0; i < t->streams->num; i++)
        clspi_stream_drop(&t->streams->stream[i]);
}

/* Finds out how each stream goes; *read_early: what one holds is looked at before commands run. */
static void choose_ways(transfer *t, size_t lines, bool *in_place, bool *read_early)
{
    clspi_plan *const plan = t->call->plan;

    for (uint32_t i = 0; i < t->streams->num; i++)
        clspi_stream_choose(&t->streams->stream[i], plan->ctx, lines);
    t->beside = runs_beside(plan, t->streams, lines);
    for (size_t slot = 0; slot < CLSPI_PARTS_IN_FLIGHT; slot++) {
        t->flights[slot].staging = plan->staging[slot];
        t->flights[slot].beside = t->beside;
    }
    *in_place = *read_early = false;
    for (uint32_t i = 0; i < t->streams->num; i++) {
        const clspi_stream *const stream = &t->streams->stream[i];
        *in_place = *in_place || stream->in_place.count > 0;
        *read_early = *read_early || clspi_stream_is_read_early(stream, t->beside);
    }
}

/* Tells whether parts move through pinned memory, which the host copies to or from. */
static bool any_bounced(const transfer *t)
{
    bool any = false;

    for (uint32_t i = 0; i < t->streams->num; i++)
        any = any ||
              (clspi_stream_is_on_host(&t->streams->stream[i]) && !t->streams->stream[i].is_pinned);
    return t->beside && any;
}

/* Makes parts while the threads that copy them stay awake. */
static clsp_status make_parts_awake(transfer *t, clspi_cut cut)
{
    clspi_device_set *const set = any_bounced(t) ? clspi_copies_begin(t->call->plan->ctx) : NULL;
    const clsp_status status = make_parts(t, cut);

    clspi_copies_end(set);
    return status;
}

/* Makes all parts of a call on host memory. What is read early is awaited first, and afterwards,
   when it is the caller's again. */
static clsp_status make_through_host(transfer *t, clspi_cut cut)
{
    clspi_series *const series = &t->call->series;
    bool in_place, read_early;
    clsp_status status;

    choose_ways(t, cut.left, &in_place, &read_early);
    if (t->beside) series->want_event = true;
    if (read_early) CLSPI_CHECK(clspi_series_await(series));
    CLSPI_TRY(make_parts_awake(t, cut));
    return read_early ? clspi_series_await(series) : CLSP_OK;

fail:
    if (in_place || t->beside) settle(t);
    return status;
}

static clsp_status make_all(transfer *t, clspi_cut cut)
{
    clspi_flight whole = {.part = {.piece = cut.piece, .line = cut.line, .num_lines = cut.left}};

    if (cut.left == 0) return CLSP_OK;
    return any_on_host(t->streams) ? make_through_host(t, cut) : make_part(t, &whole);
}

/* Makes all, and hands an output that is a buffer of graphics over before and after. A call has one
   output. */
static clsp_status make_handed_over(transfer *t, clspi_cut cut)
{
    clspi_series *const series = &t->call->series;
    const clspi_memory *out = NULL;

    for (uint32_t i = 0; i < t->streams->num; i++)
        if (t->streams->stream[i].memory.graphics) out = &t->streams->stream[i].memory;
    if (!out) return make_all(t, cut);
    CLSPI_CHECK(clspi_memory_acquire(out, series));
    return clspi_memory_release(out, series, make_all(t, cut));
}

clsp_status clspi_run_streams(clspi_plan *plan, const clsp_run *run, clspi_job_streams *streams,
                              clspi_cut cut, clspi_make_fn make, void *user)
{
    clspi_call call;
    transfer t = {.call = &call, .streams = streams, .make = make, .user = user};
    clsp_status status = clspi_call_begin(&call, plan, run);

    if (status == CLSP_OK) {
        status = make_handed_over(&t, cut);
        status =
            any_on_host(streams) ? clspi_call_finish(&call, status) : clspi_call_end(&call, status);
    }
    clspi_streams_close(streams);
    return status;
}
