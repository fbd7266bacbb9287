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

size_t clspi_lines_before(const clspi_work *work, const clspi_part *part, clsp_range lines)
{
    return (part->piece - work->first_piece) * work->tiling.lines + part->line - lines.first;
}

size_t clspi_input_bytes(const clspi_work_input *input, size_t elements)
{
    return elements * clsp_type_bytes(input->need.type);
}

/* ---- memory of the host ---- */

clspi_memory_need clspi_lines_need(const clspi_work_lines *l, uint32_t input)
{
    const clspi_work_input *const in = &l->work->in[input];
    clspi_memory_need need = in->need;

    if (in->written) need.count = l->tiles.lines.count * in->per_line;
    return need;
}

clsp_status clspi_lines_take(clspi_work_lines *l, uint32_t input, char *at)
{
    const clspi_work_input *const in = &l->work->in[input];
    const clspi_memory_need need = clspi_lines_need(l, input);

    l->written[input] = in->written ? at : NULL;
    l->in[input] = at;
    CLSPI_CHECK(clspi_align_input(l->work->plan, &need, &l->in[input], &l->copies[input]));
    if (at && !in->written)
        l->in[input] += clspi_input_bytes(in, l->tiles.lines.first * in->per_line);
    return CLSP_OK;
}

clsp_status clspi_lines_end(clspi_work_lines *l, clsp_status status)
{
    for (uint32_t i = 0; i < l->work->num_in; i++) {
        if (l->written[i] && l->copies[i] && status == CLSP_OK)
            memcpy(l->written[i], l->copies[i],
                   clspi_input_bytes(&l->work->in[i], clspi_lines_need(l, i).count));
        free(l->copies[i]);
        l->copies[i] = NULL;
    }
    return status;
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
        const clspi_memory_need of = clspi_lines_need(l, i);
        clsp_output written = in->written ? *in->written : (clsp_output){.size = 0};
        const char *read = NULL;
        char *at = NULL;
        if (in->written)
            CLSPI_CHECK(clspi_shared_output(work->plan, &written, &of, &at));
        else
            CLSPI_CHECK(clspi_shared_input(work->plan, in->input, &of, &read));
        CLSPI_CHECK(clspi_lines_take(l, i, in->written ? at : (char *)read)); /* it is only read */
    }
    return work->makers->check ? work->makers->check(work, l->tiles.lines, l->in) : CLSP_OK;
}

static clsp_status make_on_host(clspi_work_lines *l, const clsp_run *run)
{
    CLSPI_CHECK(open_on_host(l));
    if (l->tiles.way != CLSPI_BY_DEVICE) return clspi_lines_shared(l, run);
    CLSPI_CHECK(clspi_plan_await(l->work->plan, run));
    CLSPI_CHECK(clspi_lines_prepare(l));
    CLSPI_CHECK(clspi_lines_on_host(l));
    return clspi_run_done(l->work->plan, run);
}

/* ---- who makes lines ---- */

/* Tells whether all memory of a work is the host's. */
static bool is_on_host(const clspi_work *work)
{
    bool is = clspi_output_is_host(work->out.output);

    for (uint32_t i = 0; i < work->num_in; i++) {
        const clsp_input *const in = work->in[i].input;
        is = is && (work->in[i].written ? clspi_output_is_host(work->in[i].written)
                                        : !in->buffer && !in->svm);
    }
    return is;
}

const char *clspi_work_lack(const clspi_work *work, const clspi_plan *plan)
{
    if (clspi_is_own_cpu(plan->ctx) && !work->why_no_host && !work->is_devices)
        return "it is the host's own CPU";
    return work->makers->lacks ? work->makers->lacks(work, plan) : NULL;
}

/* Tells why the host makes what the context's device does not, which the log notes once a plan;
   NULL: the device does. */
static const char *find_lack(const clspi_work *work)
{
    clspi_plan *const plan = work->plan;
    const char *const lack = clspi_work_lack(work, plan);

    if (lack && !clspi_is_own_cpu(plan->ctx) && !atomic_flag_test_and_set(&plan->has_noted))
        clspi_message(&plan->ctx->log, CLSP_LOG_INFO, "%s: not by the device: %s", plan->family,
                      lack);
    return lack;
}

clsp_status clspi_work_within(const clspi_work *work)
{
    clspi_work_lines l = {.work = work, .out = work->out.output->host};

    CLSPI_CHECK(clspi_tiles_of(&l.tiles, work->plan, &work->tiling, NULL));
    return clspi_lines_on_host(&l);
}

clsp_status clspi_work_run(const clspi_work *work, const clsp_run *run)
{
    clspi_work_lines l;
    clspi_tiles tiles;

    CLSPI_CHECK(clspi_tiles_of(&tiles, work->plan, &work->tiling, run));
    if (tiles.way == CLSPI_ASKED)
        return clspi_tiles_report(&tiles, &work->tiling, work->out.per_line, run);
    l.work = work; /* its arrays are for as many inputs as there are */
    l.tiles = tiles;
    l.output = *work->out.output;
    l.lacks = find_lack(work);
    for (uint32_t i = 0; i < work->num_in; i++) {
        l.in[i] = NULL;
        l.written[i] = NULL;
        l.copies[i] = NULL;
    }
    if (tiles.way == CLSPI_BY_DEVICE && !l.lacks) return clspi_lines_on_queue(&l, run);
    return clspi_lines_end(&l, tiles.way == CLSPI_BY_DEVICE && !is_on_host(work)
                                   ? clspi_lines_anywhere(&l, run)
                                   : make_on_host(&l, run));
}
