#include "bezier_finish.h"

#include <stdio.h>
#include <stdlib.h>

#include "bezier_desc.h"
#include "buffer.h"
#include "check.h"

struct clspi_bezier_finish {
    clspi_kernel kernel;
    cl_mem planes; /* [nets][vertices][coords] */
    size_t planes_bytes;
};

/* ---- options ---- */

int clspi_bezier_vertex_options(char *text, size_t size, const clsp_bezier_plan *plan,
                                cl_uint lanes)
{
    static const char *const names[CLSP_BEZIER_ATTRIBUTES] = {
        "POINT", "WEIGHT", "DU", "DV", "DW", "DUU", "DUV", "DVV", "NORMAL", "PARAMS"};
    const clsp_bezier_desc *const d = &plan->desc;
    const bool wide = d->precision == CLSP_F64;
    int used = snprintf(
        text, size,
        "-DCLSP_REAL=%d -DCLSP_LANES=%u -DCLSP_FMA=%d -DCLSP_ADDRESS=%u -DCLSP_DIM=%u "
        "-DCLSP_RATIONAL=%u -DCLSP_ATTRIBUTES=%u -DCLSP_STORE=%zu -DCLSP_STRIDE=%u -DCLSP_PLACED",
        wide ? 64 : 32, lanes, wide || plan->ctx->device.fma, plan->ctx->device.address_bits,
        d->dim, d->rational, d->attributes, 8 * plan->store_bytes, d->vertex_stride);

    for (unsigned i = 0; i < CLSP_BEZIER_ATTRIBUTES; i++)
        if (d->attributes & 1u << i)
            used += snprintf(text + used, size - (size_t)used, " -DCLSP_AT_%s=%u", names[i],
                             d->vertex_at[i]);
    return used;
}

void clspi_bezier_finish_options(char *text, size_t size, const clsp_bezier_plan *plan)
{
    cl_uint indices[CLSPI_BEZIER_NETS];
    const cl_uint num = clspi_bezier_nets_needed(&plan->desc, indices);
    const int used = clspi_bezier_vertex_options(text, size, plan, 1);
    unsigned nets = 0;

    for (cl_uint i = 0; i < num; i++)
        nets |= 1u << indices[i];
    snprintf(text + used, size - (size_t)used, " -DCLSP_DIRECTIONS=%u -DCLSP_NETS=%u",
             plan->directions, nets);
}

clsp_status clspi_bezier_finish_prepare(clsp_bezier_plan *plan)
{
    char options[CLSPI_BEZIER_OPTIONS_MAX];

    if (!plan->finish) plan->finish = calloc(1, sizeof *plan->finish);
    if (!plan->finish)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a plan");
    clspi_kernel_release(&plan->finish->kernel);
    clspi_bezier_finish_options(options, sizeof options, plan);
    return clspi_kernel_create(&plan->finish->kernel, plan->ctx, "bezier_finish", options,
                               "bezier_finish");
}

void clspi_bezier_finish_release(clsp_bezier_plan *plan)
{
    if (!plan->finish) return;
    clspi_kernel_release(&plan->finish->kernel);
    clspi_buffer_release(&plan->finish->planes);
    free(plan->finish);
    plan->finish = NULL;
}

/* ---- evaluation ---- */

static size_t vertices_per_row(const clsp_bezier_plan *plan)
{
    return plan->vertices_per_patch / plan->desc.num_u;
}

/* Begin and end of the interval of each direction, as kernels take them. */
static clsp_status launch(clsp_bezier_plan *plan, clspi_series *series,
                          const clspi_bezier_range *range)
{
    enum { FIRST = 7, ENDS = 6 };
    const clsp_bezier_desc *const d = &plan->desc;
    const double wide[ENDS] = {d->interval_u[0], d->interval_u[1], d->interval_v[0],
                               d->interval_v[1], d->interval_w[0], d->interval_w[1]};
    const cl_uint plane = (cl_uint)(range->num_patches * range->num_rows * vertices_per_row(plan));
    const cl_uint2 offset = clspi_halves(range->offset);
    float narrow[ENDS];
    clspi_arg args[FIRST + ENDS + 2] = {CLSPI_ARG(plan->finish->planes),
                                        CLSPI_ARG(plane),
                                        CLSPI_ARG(d->num_u),
                                        CLSPI_ARG(d->num_v),
                                        CLSPI_ARG(d->num_w),
                                        CLSPI_ARG(range->first_row),
                                        CLSPI_ARG(range->num_rows)};

    for (int i = 0; i < ENDS; i++) {
        narrow[i] = (float)wide[i];
        args[FIRST + i] = d->precision == CLSP_F64 ? (clspi_arg)CLSPI_ARG(wide[i])
                                                   : (clspi_arg)CLSPI_ARG(narrow[i]);
    }
    args[FIRST + ENDS] = (clspi_arg)CLSPI_ARG(range->out);
    args[FIRST + ENDS + 1] = (clspi_arg)CLSPI_ARG(offset);
    return clspi_series_launch(series, &plan->finish->kernel, args, CLSPI_COUNT(args), plane);
}

/* Patches, or rows of one patch, whose sums stay in a cache until they are vertices. */
static void part_of(const clsp_bezier_plan *plan, size_t *patches, cl_uint *rows)
{
    const clspi_tuning *const tuning = &plan->ctx->tuning;
    const size_t vertex = clspi_max(1, plan->nets.num) * plan->coords * plan->real_bytes;
    const size_t row = vertices_per_row(plan);
    const size_t most = clspi_min(
        clspi_min(tuning->scratch_bytes, (size_t)plan->ctx->device.max_alloc_bytes) / vertex,
        tuning->max_groups * tuning->work_group);
    const size_t num_rows =
        clspi_max(1, most / row / CLSPI_BEZIER_ROWS_MULTIPLE) * CLSPI_BEZIER_ROWS_MULTIPLE;

    *patches = clspi_max(1, most / plan->vertices_per_patch);
    *rows = (cl_uint)clspi_min(*patches > 1 ? plan->desc.num_u : num_rows, plan->desc.num_u);
}

static clsp_status eval_part(clsp_bezier_plan *plan, clspi_series *series,
                             const clspi_bezier_range *part)
{
    const size_t reals = part->num_patches * part->num_rows * vertices_per_row(plan) * plan->coords;
    clsp_status status;

    for (cl_uint i = 0; i < plan->nets.num; i++) {
        clspi_bezier_range plane = *part;
        plane.out = plan->finish->planes;
        plane.offset = i * reals;
        CLSPI_TRY(clspi_bezier_net_eval(&plan->nets.net[i], series, &plane));
    }
    CLSPI_TRY(launch(plan, series, part));
    return CLSP_OK;

fail:
    return status;
}

clsp_status clspi_bezier_finish_eval(clsp_bezier_plan *plan, clspi_series *series,
                                     const clspi_bezier_range *range)
{
    const size_t row = vertices_per_row(plan) * plan->desc.vertex_stride;
    clspi_bezier_range part = *range;
    clsp_status status;
    size_t patches;
    cl_uint rows;

    part_of(plan, &patches, &rows);
    patches = clspi_min(patches, range->num_patches);
    rows = (cl_uint)clspi_min(rows, range->num_rows);
    CLSPI_TRY(clspi_buffer_reserve(&plan->finish->planes, &plan->finish->planes_bytes, plan->ctx,
                                   clspi_max(1, plan->nets.num) * patches * rows *
                                       vertices_per_row(plan) * plan->coords * plan->real_bytes));
    for (size_t p = 0; p < range->num_patches; p += patches) {
        part.first_patch = range->first_patch + p;
        part.num_patches = clspi_min(patches, range->num_patches - p);
        for (cl_uint r = 0; r < range->num_rows; r += rows) {
            part.first_row = range->first_row + r;
            part.num_rows = (cl_uint)clspi_min(rows, range->num_rows - r);
            part.offset = range->offset + (p * range->num_rows + r) * row;
            CLSPI_TRY(eval_part(plan, series, &part));
        }
    }
    return CLSP_OK;

fail:
    return status;
}
