#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host_command.h"
#include "transfer.h"

enum {
    KEY_MAX = 192,
    OUT = 0,        /* a stream */
    COPY_ALIGN = 64 /* bytes, of copies of what streams hold */
};

/* The lines of a work that a call asks for. */
typedef struct work_lines {
    const clspi_work *work;
    clspi_tiles tiles;
    clsp_output output;
    const char *lacks; /* why the host makes what the device does not; NULL: the device can */
    /* in host memory */
    const char *in[CLSPI_WORK_INPUTS];
    char *written[CLSPI_WORK_INPUTS]; /* the caller's, of what is written beside `out` */
    void *copies[CLSPI_WORK_INPUTS];  /* of what is not aligned to its elements; NULL: none */
    char *out;
} work_lines;

/* Lines in memory of any kind. */
typedef struct queued_lines {
    const clspi_work *work;
    clsp_range lines;
    clspi_job_streams streams;
    bool by_host;   /* in the queue */
    bool by_copies; /* of the streams, which the host makes lines from and into */
} queued_lines;

/* Returns how many lines that are asked for are before a part. */
static size_t lines_before(const clspi_work *work, const clspi_part *part, clsp_range lines)
{
    return (part->piece - work->first_piece) * work->tiling.lines + part->line - lines.first;
}

static size_t plane_bytes(const clspi_work_input *input, size_t elements)
{
    return elements * clsp_type_bytes(input->need.type);
}

/* ---- streams ---- */

/* Opens a stream for each plane of an input. */
static clsp_status open_planes(queued_lines *l, uint32_t i)
{
    const clspi_work_input *const input = &l->work->in[i];
    const clsp_output *const written = l->work->in[i].written;
    const clsp_range lines = l->lines;
    const clspi_memory_need need = {input->need.what, input->need.type,
                                    lines.count * input->per_line};

    for (uint32_t k = 0; k < input->planes; k++) {
        clspi_stream *const stream = &l->streams.stream[l->streams.num++];
        stream->per_line = input->per_line;
        stream->written = written != NULL;
        if (written) return clspi_output_open(&stream->memory, l->work->plan, written, &need);
        clsp_input some = *input->input;
        some.offset += k * input->apart + lines.first * input->per_line;
        CLSPI_CHECK(clspi_input_open(&stream->memory, l->work->plan, &some, &need));
    }
    return CLSP_OK;
}

static clsp_status open_streams(queued_lines *l, const clsp_output *output)
{
    const clspi_work *const work = l->work;
    const clspi_work_output *const out = &work->out;
    const clspi_memory_need need = {out->what, out->type, l->lines.count * out->per_line};
    const char *in[CLSPI_WORK_INPUTS];

    l->streams.stream[OUT] =
        (clspi_stream){.per_line = out->per_line, .written = true, .has_gaps = out->has_gaps};
    l->streams.num = 1;
    CLSPI_CHECK(clspi_output_open(&l->streams.stream[OUT].memory, work->plan, output, &need));
    for (uint32_t i = 0; i < work->num_in; i++) {
        const uint32_t first = l->streams.num;
        CLSPI_CHECK(open_planes(l, i));
        in[i] = l->streams.stream[first].memory.host;
    }
    return work->makers->check ? work->makers->check(work, l->lines, in) : CLSP_OK;
}

/* ---- memory of the host ---- */

/* Finds where memory is that is written beside the output. */
static clsp_status open_written(work_lines *l, uint32_t i)
{
    const clspi_work_input *const in = &l->work->in[i];
    clspi_memory_need need = in->need;
    clsp_output output = *l->work->in[i].written;

    need.count = l->tiles.lines.count * in->per_line;
    CLSPI_CHECK(clspi_shared_output(l->work->plan, &output, &need, &l->written[i]));
    l->in[i] = l->written[i];
    return clspi_align_input(l->work->plan, &need, &l->in[i], &l->copies[i]);
}

/* Checks the memory of lines that are made on the host or shared, and finds where it is. */
static clsp_status open_on_host(work_lines *l)
{
    const clspi_work *const work = l->work;
    const clspi_work_output *const out = &work->out;
    const clspi_memory_need need = {out->what, out->type, l->tiles.lines.count * out->per_line};

    CLSPI_CHECK(clspi_shared_output(work->plan, &l->output, &need, &l->out));
    for (uint32_t i = 0; i < work->num_in; i++) {
        const clspi_work_input *const in = &work->in[i];
        if (work->in[i].written) CLSPI_CHECK(open_written(l, i));
        if (work->in[i].written) continue;
        CLSPI_CHECK(clspi_shared_input(work->plan, in->input, &in->need, &l->in[i]));
        CLSPI_CHECK(clspi_align_input(work->plan, &in->need, &l->in[i], &l->copies[i]));
        if (l->in[i]) l->in[i] += plane_bytes(in, l->tiles.lines.first * in->per_line);
    }
    return work->makers->check ? work->makers->check(work, l->tiles.lines, l->in) : CLSP_OK;
}

/* Makes a part on a worker. */
static clsp_status make_on_host(const void *user, clspi_plan *plan, uint32_t worker,
                                const clspi_part *part, char *out)
{
    const work_lines *const l = user;
    const clspi_work *const work = l->work;
    const size_t before = lines_before(work, part, l->tiles.lines);
    const char *in[CLSPI_WORK_INPUTS];

    (void)plan;
    for (uint32_t i = 0; i < work->num_in; i++)
        in[i] = l->in[i] + plane_bytes(&work->in[i], before * work->in[i].per_line);
    return work->makers->on_host(work, worker, part, in, out);
}

/* Makes a part on a device, which what it is made from is brought to. */
static clsp_status make_on_device(const void *user, clspi_plan *plan, clspi_series *series,
                                  const clspi_part *part, const clspi_target *target)
{
    const work_lines *const l = user;
    const clspi_work *const work = l->work;
    const char *const lacks = work->makers->lacks ? work->makers->lacks(work, plan) : NULL;
    const size_t before = lines_before(work, part, l->tiles.lines);
    clspi_place at[CLSPI_MAX_STREAMS] = {{.offset = 0}};
    uint32_t num = 0;

    if (lacks)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_DEVICE, "%s: the device makes nothing: %s",
                          plan->family, lacks);
    for (uint32_t i = 0; i < work->num_in; i++)
        for (uint32_t k = 0; k < work->in[i].planes; k++, num++) {
            const clspi_work_input *const in = &work->in[i];
            const size_t first = k * in->apart + before * in->per_line;
            if (in->per_line == 0 || work->in[i].written)
                at[num].host = l->in[i] + plane_bytes(in, first);
            else
                CLSPI_CHECK(clspi_plan_bring(plan, series, num, l->in[i] + plane_bytes(in, first),
                                             plane_bytes(in, part->num_lines * in->per_line),
                                             &at[num].buffer));
        }
    return work->makers->on_device(work, plan, series, part, at, target);
}

/* Names a work by what its speeds depend on. */
static void name_work(const clspi_work *work, char key[KEY_MAX])
{
    const double lines = (double)work->tiling.num_pieces * (double)work->tiling.lines;
    const clspi_work_key of = work->makers->key(work);
    size_t at = (size_t)snprintf(key, KEY_MAX, "%s-%s", work->plan->family, of.call);

    for (uint32_t i = 0; i < of.num; i++)
        at += (size_t)snprintf(key + at, KEY_MAX - at, "-%u", of.number[i]);
    snprintf(key + at, KEY_MAX - at, "-c%u", clspi_size_class(lines * (double)work->line_items));
}

/* Enqueues a persistent kernel. */
static clsp_status make_persistent(const void *user, clspi_plan *plan, clspi_series *series,
                                   const clspi_queued_tiles *job)
{
    const work_lines *const l = user;

    return l->work->makers->persistent(l->work, plan, series, job);
}

static clsp_status prepare(const void *user, clspi_plan *plan)
{
    const work_lines *const l = user;

    (void)plan;
    return l->work->makers->prepare(l->work, l->tiles.way);
}

/* key: as of a batch. */
static clspi_shared_batch batch_of(const work_lines *l, const char *key)
{
    static const clspi_line_maker maker = {make_on_host, make_on_device, make_persistent};
    const clspi_work *const work = l->work;
    const size_t element = clsp_type_bytes(work->out.type);

    return (clspi_shared_batch){.plan = work->plan,
                                .peers = work->peers,
                                .maker = &maker,
                                .user = l,
                                .why_no_host = work->why_no_host,
                                .why_not_persistent = work->makers->persistent
                                                          ? work->why_not_persistent
                                                          : "no persistent kernel makes them",
                                .first_piece = work->first_piece,
                                .tiling = work->tiling,
                                .line_items = work->line_items,
                                .line_bytes = work->out.per_line * element,
                                .element = element,
                                .has_gaps = work->out.has_gaps,
                                .chunk_ms = work->chunk_ms,
                                .key = key,
                                .prepare = prepare};
}

/* ---- memory of any kind, by the host ---- */

static size_t copy_bytes(const clspi_stream *stream, size_t lines)
{
    return clspi_round_up(clspi_stream_bytes(stream, lines), COPY_ALIGN);
}

/* Reads so many lines of streams to copies that follow each other, or writes them back. */
static clsp_status copy_lines(const queued_lines *l, clspi_series *series, size_t lines, bool back,
                              char *copy)
{
    for (uint32_t i = 0; i < l->streams.num; i++) {
        const clspi_stream *const s = &l->streams.stream[i];
        const size_t at = s->offset * s->memory.element, bytes = clspi_stream_bytes(s, lines);
        if (back && s->written) CLSPI_CHECK(clspi_series_write(series, s->buffer, at, copy, bytes));
        if (!back && (!s->written || s->has_gaps))
            CLSPI_CHECK(clspi_series_read(series, s->buffer, at, copy, bytes));
        copy += copy_bytes(s, lines);
    }
    return CLSP_OK;
}

/* Makes a part from and into copies; threads of the host take any of its lines. */
static clsp_status make_of_copies(const queued_lines *l, const clspi_part *part, char *copy)
{
    const size_t first = lines_before(l->work, part, (clsp_range){0, 0});
    const clspi_stream *stream = l->streams.stream;
    clspi_work_input in[CLSPI_WORK_INPUTS];
    clspi_work work = *l->work;
    work_lines some = {.work = &work, .tiles = {.tiles = {first, part->num_lines}}};
    clspi_shared_batch batch = batch_of(&some, NULL);
    char *at = copy + copy_bytes(stream++, part->num_lines);

    some.tiles.lines = some.tiles.tiles;
    work.in = in;
    for (uint32_t i = 0; i < work.num_in; i++) {
        const size_t bytes = copy_bytes(stream, part->num_lines);
        in[i] = l->work->in[i];
        in[i].apart = bytes / stream->memory.element;
        some.in[i] = at;
        at += in[i].planes * bytes;
        stream += in[i].planes;
    }
    batch.tiling.tile_lines = batch.tiling.pieces_per_tile = 1;
    batch.tiling.tiles_per_piece = batch.tiling.lines;
    return clspi_batch_make(&batch, &some.tiles, copy, work.line_ns);
}

/* Has the host make a part of the streams' lines. */
static clsp_status make_aside(const queued_lines *l, clspi_series *series, const clspi_part *part)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < l->streams.num; i++)
        bytes += copy_bytes(&l->streams.stream[i], part->num_lines);
    char *const copy = malloc(bytes);
    if (!copy)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY, "%s: no memory for %zu lines",
                          l->work->plan->family, part->num_lines);
    clsp_status status = copy_lines(l, series, part->num_lines, false, copy);
    if (status == CLSP_OK) status = make_of_copies(l, part, copy);
    if (status == CLSP_OK) status = copy_lines(l, series, part->num_lines, true, copy);
    free(copy);
    return status;
}

/* ---- memory of any kind ---- */

/* Makes a part of the streams' lines: whole pieces, and lines of others. */
static clsp_status make_part(void *user, clspi_series *series, const clspi_part *part)
{
    const queued_lines *const l = user;
    const clspi_work_makers *const makers = l->work->makers;
    const clspi_stream *const stream = l->streams.stream;
    clspi_cut cut = {.per_piece = l->work->tiling.lines,
                     .piece = part->piece,
                     .line = part->line,
                     .left = part->num_lines};
    clspi_place in[CLSPI_MAX_STREAMS];
    clspi_part some;

    if (l->by_copies) return make_aside(l, series, part);
    while (clspi_cut_next(&cut, UINT64_MAX, &some)) {
        const clspi_target out = {stream[OUT].buffer,
                                  stream[OUT].offset + some.before * stream[OUT].per_line};
        for (uint32_t i = 1; i < l->streams.num; i++)
            in[i - 1] =
                (clspi_place){.buffer = stream[i].buffer,
                              .offset = stream[i].offset + some.before * stream[i].per_line};
        CLSPI_CHECK(l->by_host
                        ? makers->in_queue(l->work, series, &some, in, &out)
                        : makers->on_device(l->work, l->work->plan, series, &some, in, &out));
    }
    return CLSP_OK;
}

/* Tells whether the host makes lines in the queue, which the kinds of memory alone decide. */
static bool goes_to_queue(const queued_lines *l, const clsp_run *run)
{
    const clspi_work *const work = l->work;
    bool goes = work->makers->in_queue && clspi_is_host_job(work->plan, work->is_faster);

    for (uint32_t i = 0; i < l->streams.num && goes; i++)
        goes = clspi_is_host_command(work->plan, run, &l->streams.stream[i].memory);
    return goes;
}

/* Makes lines by the context's device, in and out of memory of any kind. */
static clsp_status make_on_queue(const work_lines *from, const clsp_run *run)
{
    const clspi_work *const work = from->work;
    queued_lines l = {.work = work, .lines = from->tiles.lines, .by_copies = from->lacks != NULL};
    clspi_cut cut = clspi_cut_of(&work->tiling, from->tiles.tiles, work->first_piece);

    if (work->makers->alone && !l.by_copies)
        return work->makers->alone(work, &from->tiles, &from->output, run);
    const clsp_status status = open_streams(&l, &from->output);
    if (status == CLSP_OK) {
        cut.multiple = work->multiple;
        l.by_host = goes_to_queue(&l, run);
        return clspi_carry_out(work->plan, run, &l.streams, cut, make_part, &l);
    }
    clspi_streams_close(&l.streams);
    return status;
}

/* ---- shares ---- */

/* Tells whether more than one processor has made tiles. */
static bool is_mixed(const clsp_report *report)
{
    uint32_t makers = 0;

    for (uint32_t i = 0; i < report->num_processors; i++)
        makers += report->processors[i].tiles > 0;
    return makers > 1;
}

static clsp_status make_alone(void *user)
{
    return make_on_queue(user, NULL);
}

static clsp_status make_by_host(void *user)
{
    const work_lines *const l = user;
    const clspi_shared_batch batch = batch_of(l, NULL);

    return clspi_batch_make(&batch, &l->tiles, l->out, l->work->line_ns);
}

/* Tells whether a share has only the host make lines. */
static bool is_by_host(const work_lines *l, const clsp_share *share)
{
    return l->tiles.way == CLSPI_BY_CALLER ||
           (share->schedule == CLSP_SCHEDULE_HOST && !share->measure && !share->bit_equal);
}

/* Shares lines between processors, or makes them on the calling thread. */
static clsp_status share_lines(work_lines *l, const clsp_run *run)
{
    const clspi_work *const work = l->work;
    const clspi_lone_call alone = {work->why_alone, l->tiles.tiles.count, make_alone, l, false};
    clsp_report own = {.num_processors = 0};
    clsp_report *const told = run->report ? run->report : &own;
    char key[KEY_MAX];

    if (work->why_no_host && l->tiles.way == CLSPI_BY_CALLER)
        return clspi_no_host_tiles(work->plan, work->why_no_host);
    if (work->why_alone && (work->why_no_host || !is_by_host(l, run->share)))
        return clspi_shared_alone(work->plan, &alone, run);
    clspi_shared_batch batch = batch_of(l, key);
    if (l->tiles.way == CLSPI_BY_ALL) name_work(work, key);
    CLSPI_CHECK(clspi_shared_batch_run(&batch, &l->tiles, l->out, run, told));
    if (work->makers->mend && l->tiles.way == CLSPI_BY_ALL && is_mixed(told))
        CLSPI_CHECK(work->makers->mend(work, l->tiles.lines, l->in, l->out));
    return clspi_run_done(work->plan, run);
}

/* ---- who makes lines ---- */

/* Tells whether the host's threads make a call without a share. */
static bool goes_to_host(const work_lines *l, const clsp_run *run)
{
    const clspi_work *const work = l->work;
    const clsp_output *const out = work->out.output;
    bool goes = l->lacks ? clspi_output_is_host(out)
                         : !work->why_no_host && !work->is_devices &&
                               clspi_goes_to_host(work->plan, run, out, work->is_faster);

    for (uint32_t i = 0; i < work->num_in; i++) {
        const clsp_input *const in = work->in[i].input;
        goes = goes && (work->in[i].written ? clspi_output_is_host(work->in[i].written)
                                            : !in->buffer && !in->svm);
    }
    return goes;
}

static clsp_status make_lines(work_lines *l, const clsp_run *run)
{
    const clspi_lone_call by_host = {l->lacks, l->tiles.tiles.count, make_by_host, l, true};

    CLSPI_CHECK(open_on_host(l));
    if (l->lacks && l->tiles.way == CLSPI_BY_ALL)
        return clspi_shared_alone(l->work->plan, &by_host, run);
    if (l->tiles.way != CLSPI_BY_DEVICE) return share_lines(l, run);
    CLSPI_CHECK(clspi_plan_await(l->work->plan, run));
    CLSPI_CHECK(make_by_host(l));
    return clspi_run_done(l->work->plan, run);
}

/* Tells why the host makes what the context's device does not, which the log notes once a plan;
   NULL: the device can. */
static const char *find_lack(const clspi_work *work)
{
    clspi_plan *const plan = work->plan;
    const char *const lacks = work->makers->lacks ? work->makers->lacks(work, plan) : NULL;

    if (lacks && !atomic_flag_test_and_set(&plan->has_noted))
        clspi_message(&plan->ctx->log, CLSP_LOG_INFO, "%s: not by the device: %s", plan->family,
                      lacks);
    return lacks;
}

clsp_status clspi_work_run(const clspi_work *work, const clsp_run *run)
{
    clspi_tiles tiles;

    CLSPI_CHECK(clspi_tiles_of(&tiles, work->plan, &work->tiling, run));
    if (tiles.way == CLSPI_ASKED)
        return clspi_tiles_tell(&tiles, &work->tiling, work->out.per_line, run);
    work_lines l;

    l.work = work; /* its arrays are for as many inputs as there are */
    l.tiles = tiles;
    l.output = *work->out.output;
    l.lacks = find_lack(work);
    for (uint32_t i = 0; i < work->num_in; i++) {
        l.written[i] = NULL;
        l.copies[i] = NULL;
    }
    if (l.tiles.way == CLSPI_BY_DEVICE && !goes_to_host(&l, run)) return make_on_queue(&l, run);
    const clsp_status status = make_lines(&l, run);
    for (uint32_t i = 0; i < work->num_in; i++) {
        if (l.written[i] && l.copies[i] && status == CLSP_OK)
            memcpy(l.written[i], l.copies[i],
                   plane_bytes(&work->in[i], l.tiles.lines.count * work->in[i].per_line));
        free(l.copies[i]);
    }
    return status;
}
