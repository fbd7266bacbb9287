/* Lines in memory of any kind: by the context's device, by the host in its queue, or by the host
   through copies. */
#include <stdlib.h>

#include "check.h"
#include "host_command.h"
#include "transfer.h"
#include "work_lines.h"

enum {
    OUT = 0,        /* a stream */
    COPY_ALIGN = 64 /* bytes, of copies of what streams hold */
};

/* Lines in memory of any kind. */
typedef struct queued_lines {
    const clspi_work *work;
    clsp_range lines;
    clspi_job_streams streams;
    bool by_host;   /* in the queue */
    bool by_copies; /* of the streams, which the host makes lines from and into */
} queued_lines;

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
    const size_t first = clspi_lines_before(l->work, part, (clsp_range){0, 0});
    const clspi_stream *stream = l->streams.stream;
    clspi_work_input in[CLSPI_WORK_INPUTS];
    clspi_work work = *l->work;
    clspi_work_lines some = {
        .work = &work, .tiles = {.tiles = {first, part->num_lines}}, .out = copy};
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
    work.tiling.tile_lines = work.tiling.pieces_per_tile = 1;
    work.tiling.tiles_per_piece = work.tiling.lines;
    return clspi_lines_on_host(&some);
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

clsp_status clspi_lines_on_queue(const clspi_work_lines *from, const clsp_run *run)
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
