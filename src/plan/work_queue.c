/* Lines by the context's device, in memory of any kind. */
#include "check.h"
#include "transfer.h"
#include "work_lines.h"

enum { OUT = 0 }; /* a stream */

/* Lines in memory of any kind. */
typedef struct queued_lines {
    const clspi_work *work;
    clsp_range lines;
    clspi_job_streams streams;
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

/* ---- parts ---- */

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

    while (clspi_cut_next(&cut, UINT64_MAX, &some)) {
        const clspi_target out = {stream[OUT].buffer,
                                  stream[OUT].offset + some.before * stream[OUT].per_line};
        for (uint32_t i = 1; i < l->streams.num; i++)
            in[i - 1] =
                (clspi_place){.buffer = stream[i].buffer,
                              .offset = stream[i].offset + some.before * stream[i].per_line};
        CLSPI_CHECK(makers->on_device(l->work, l->work->plan, series, &some, in, &out));
    }
    return CLSP_OK;
}

clsp_status clspi_lines_on_queue(const clspi_work_lines *from, const clsp_run *run)
{
    const clspi_work *const work = from->work;

    if (work->makers->alone) return work->makers->alone(work, &from->tiles, &from->output, run);
    queued_lines l = {.work = work, .lines = from->tiles.lines};
    clspi_cut cut = clspi_cut_of(&work->tiling, from->tiles.tiles, work->first_piece);
    const clsp_status status = open_streams(&l, &from->output);
    cut.multiple = work->multiple;
    if (status == CLSP_OK)
        return clspi_run_streams(work->plan, run, &l.streams, cut, make_part, &l);
    clspi_streams_close(&l.streams);
    return status;
}
