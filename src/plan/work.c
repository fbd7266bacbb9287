#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "work_lines.h"

unsigned clspi_size_class(double size)
{
    return size < 2 ? 0 : (unsigned)ilogb(size);
}

bool clspi_is_host_job(const clspi_plan *plan, bool is_faster)
{
    return clspi_is_own_cpu(plan->ctx) && (is_faster || plan->ctx->engine == CLSPI_ENGINE_HOST);
}

size_t clspi_lines_before(const clspi_work *work, const clspi_part *part, clsp_range lines)
{
    return (part->piece - work->first_piece) * work->tiling.lines + part->line - lines.first;
}

size_t clspi_input_bytes(const clspi_work_input *input, size_t elements)
{
    return elements * clsp_type_bytes(input->need.type);
}

/* ---- memory of the host ---- */

/* Finds where memory is that is written beside the output. */
static clsp_status open_written(clspi_work_lines *l, uint32_t i)
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
static clsp_status open_on_host(clspi_work_lines *l)
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
        if (l->in[i]) l->in[i] += clspi_input_bytes(in, l->tiles.lines.first * in->per_line);
    }
    return work->makers->check ? work->makers->check(work, l->tiles.lines, l->in) : CLSP_OK;
}

/* ---- who makes lines ---- */

/* Tells whether the host's threads make a call without a share. */
static bool goes_to_host(const clspi_work_lines *l, const clsp_run *run)
{
    const clspi_work *const work = l->work;
    const clsp_output *const out = work->out.output;
    bool goes = clspi_output_is_host(out) &&
                (l->lacks || (!(run && run->share) && !work->why_no_host && !work->is_devices &&
                              clspi_is_host_job(work->plan, work->is_faster)));

    for (uint32_t i = 0; i < work->num_in; i++) {
        const clsp_input *const in = work->in[i].input;
        goes = goes && (work->in[i].written ? clspi_output_is_host(work->in[i].written)
                                            : !in->buffer && !in->svm);
    }
    return goes;
}

static clsp_status make_lines(clspi_work_lines *l, const clsp_run *run)
{
    CLSPI_CHECK(open_on_host(l));
    if (l->tiles.way != CLSPI_BY_DEVICE) return clspi_lines_shared(l, run);
    CLSPI_CHECK(clspi_plan_await(l->work->plan, run));
    CLSPI_CHECK(clspi_lines_on_host(l));
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
    clspi_work_lines l;

    l.work = work; /* its arrays are for as many inputs as there are */
    l.tiles = tiles;
    l.output = *work->out.output;
    l.lacks = find_lack(work);
    for (uint32_t i = 0; i < work->num_in; i++) {
        l.written[i] = NULL;
        l.copies[i] = NULL;
    }
    if (l.tiles.way == CLSPI_BY_DEVICE && !goes_to_host(&l, run))
        return clspi_lines_on_queue(&l, run);
    const clsp_status status = make_lines(&l, run);
    for (uint32_t i = 0; i < work->num_in; i++) {
        if (l.written[i] && l.copies[i] && status == CLSP_OK)
            memcpy(l.written[i], l.copies[i],
                   clspi_input_bytes(&work->in[i], l.tiles.lines.count * work->in[i].per_line));
        free(l.copies[i]);
    }
    return status;
}
