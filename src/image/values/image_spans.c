/* Values by the context's device alone, from and into memory of any kind. */
#include "check.h"
#include "image_call.h"
#include "image_values.h"

/* Points of a call that are made in one go, behind each other in the output: of one piece where
   there are inputs, which each piece reads again. */
typedef struct point_span {
    size_t piece;      /* the first one's, of the job */
    size_t first, num; /* counted from the begin of that piece */
    size_t before;     /* points of the call before */
} point_span;

/* Finds the next span, behind `before` points of the call. */
static point_span span_behind(const clspi_image_call *call, size_t before)
{
    const size_t at = call->tiles.lines.first + before;
    point_span s = {.piece = at / call->points,
                    .first = at % call->points,
                    .num = call->tiles.lines.count - before,
                    .before = before};

    if (call->given) s.num = clspi_min(s.num, call->points - s.first);
    return s;
}

/* ---- memory ---- */

/* Opens a stream of some elements behind others. */
static clsp_status open_input(const clspi_image_call *call, clspi_image_job *job, size_t before,
                              size_t count)
{
    clspi_stream *const stream = &job->streams.stream[job->streams.num++];
    const clspi_memory_need need = {call->what, job->plan->desc.precision, count};
    clsp_input input = *call->given;

    input.offset += before;
    return clspi_input_open(&stream->memory, &job->plan->base, &input, &need);
}

static clsp_status open_output(const clspi_image_call *call, clspi_image_job *job, size_t before,
                               size_t points)
{
    clspi_stream *const stream = &job->streams.stream[job->streams.num++];
    clsp_output values = call->values;
    clspi_memory_need need;

    CLSPI_CHECK(clspi_image_values_need(call, points, &need));
    values.offset += before * job->point;
    stream->written = true;
    return clspi_output_open(&stream->memory, &job->plan->base, &values, &need);
}

/* Opens all memory of a span. */
static clsp_status open_span(const clspi_image_call *call, clspi_image_job *job,
                             const point_span *s)
{
    job->streams = (clspi_job_streams){.num = 0};
    CLSPI_CHECK(open_output(call, job, s->before, s->num));
    for (uint32_t k = 0; call->given && k < clspi_image_given_streams(job); k++)
        CLSPI_CHECK(
            open_input(call, job, k * call->points + s->first * job->stride, s->num * job->stride));
    return CLSP_OK;
}

/* Checks all memory of a call before anything is enqueued. */
static clsp_status check_memory(const clspi_image_call *call)
{
    clspi_image_job job = call->job;
    clspi_memory_need need = {.what = NULL};

    if (call->given) CLSPI_CHECK(clspi_image_given_need(call, &need));
    clsp_status status = open_output(call, &job, 0, call->tiles.lines.count);
    if (status == CLSP_OK && call->given) status = open_input(call, &job, 0, need.count);
    clspi_streams_close(&job.streams);
    return status;
}

/* ---- spans ---- */

/* Carries a span out: lines are points, pieces are rows. */
static clsp_status run_span(const clspi_image_call *call, clspi_image_job *job, const point_span *s,
                            const clsp_run *run)
{
    const size_t width = clspi_max(call->width, 1);
    const clspi_cut cut = {
        .per_piece = width, .piece = s->first / width, .line = s->first % width, .left = s->num};

    for (uint32_t i = 0; i < job->streams.num; i++)
        job->streams.stream[i].per_line = i == 0 ? job->point : job->stride;
    return clspi_run_streams(&job->plan->base, run, &job->streams, cut, clspi_image_make_part, job);
}

/* Makes one span of a job that has been prepared. */
static clsp_status make_span(const clspi_image_call *call, const point_span *s, const clsp_run *run)
{
    clspi_image_job job = call->job;

    job.first_piece += s->piece;
    const clsp_status status = open_span(call, &job, s);
    if (status == CLSP_OK) return run_span(call, &job, s, run);
    clspi_streams_close(&job.streams);
    return status;
}

/* Carries out all spans of a call: the first waits for the caller's list, the last one's event is
   the caller's. Those of one plan follow each other. */
static clsp_status make_spans(const clspi_image_call *call, const clsp_run *run)
{
    const size_t num = call->tiles.lines.count;
    const clsp_run none = {.num_wait = 0}, *const all = run ? run : &none;

    for (size_t done = 0; done < num;) {
        const point_span s = span_behind(call, done);
        clsp_run one = {.num_wait = 0};
        if (done == 0) one.num_wait = all->num_wait;
        if (done == 0) one.wait = all->wait;
        if (done + s.num == num) one.done = all->done;
        CLSPI_CHECK(make_span(call, &s, &one));
        done += s.num;
    }
    return CLSP_OK;
}

/* Carries out a call whose coefficients are in host memory by windows, which ask there what the
   call is given for its points. */
static clsp_status make_from_copy(const clspi_image_call *call, const clsp_run *run)
{
    clspi_image_call one = *call;
    clspi_memory_need need;
    clsp_input given = {.type = CLSP_TYPE_DEFAULT};
    clspi_host_input from;

    CLSPI_CHECK(clspi_image_given_need(call, &need));
    clsp_status status = clspi_host_input_open(&from, call->job.plan, call->given, &need, run);
    given.host = from.at;
    given.size = need.count;
    one.given = &given;
    if (status == CLSP_OK) status = make_spans(&one, run);
    clspi_host_input_close(&from);
    return status;
}

clsp_status clspi_image_eval_on_device(const clspi_image_call *call, const clsp_run *run)
{
    const point_span none = {.num = 0};
    clspi_image_call prepared = *call;

    CLSPI_CHECK(check_memory(call));
    CLSPI_CHECK(clspi_image_prepare(&prepared.job));
    if (call->tiles.lines.count == 0) return make_span(&prepared, &none, run);
    if (prepared.job.owner && call->given && !call->given->host)
        return make_from_copy(&prepared, run);
    return make_spans(&prepared, run);
}
