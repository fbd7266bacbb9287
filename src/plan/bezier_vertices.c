#include "bezier_vertices.h"

#include <stdio.h>

#include "bezier_desc.h"
#include "check.h"

enum {
    FIRST_ORDER = CLSP_BEZIER_POINT | CLSP_BEZIER_WEIGHT | CLSP_BEZIER_DU | CLSP_BEZIER_DV |
                  CLSP_BEZIER_NORMAL | CLSP_BEZIER_PARAMS
};

/* How the kernel is built. */
typedef struct vertices_shape {
    cl_uint order, rows, block_rows;
    bool stage, through_local, pairs;
} vertices_shape;

static bool needs_dv(const clsp_bezier_desc *d)
{
    return (d->attributes & (CLSP_BEZIER_DV | CLSP_BEZIER_NORMAL)) != 0;
}

/* Numbers of 32 bits that an item keeps: first sums, and the symmetric parts of the last ones. */
static size_t words_of(const clsp_bezier_plan *plan, size_t rows)
{
    const size_t kinds = needs_dv(&plan->desc) ? 2 : 1;
    const size_t sums = needs_dv(&plan->desc) ? 6 : 2;

    return (((size_t)plan->desc.degree_u + 1) * kinds + sums * rows) * plan->coords *
           (plan->real_bytes / sizeof(cl_float));
}

/* Pairs of rows at a time: two where their sums fit. */
static cl_uint rows_of(const clsp_bezier_plan *plan)
{
    return words_of(plan, 2) <= plan->ctx->tuning.vertex_registers ? 2 : 1;
}

bool clspi_bezier_vertices_fit(const clsp_bezier_plan *plan)
{
    const clsp_bezier_desc *const d = &plan->desc;

    return clspi_bezier_lanes(plan->ctx, d->precision) == 1 && d->form == CLSP_BEZIER_SURFACE &&
           d->method <= CLSP_BEZIER_SEPARABLE && (d->attributes & ~(unsigned)FIRST_ORDER) == 0 &&
           clspi_bezier_table_symmetric(d->interval_u) && d->degree_u > 0 &&
           (d->degree_v > 0 || !needs_dv(d)) &&
           words_of(plan, 1) <= plan->ctx->tuning.vertex_registers;
}

static bool has_gaps(const clsp_bezier_desc *d)
{
    return clspi_bezier_used_elements(d) < d->vertex_stride;
}

/* Going through local memory makes stores adjacent, at the price of two barriers a row: it pays
   while there is little else to do (docs/kernels.md). */
static vertices_shape choose(const clsp_bezier_plan *plan)
{
    const clsp_bezier_desc *const d = &plan->desc;
    const bool wide = d->precision == CLSP_F64;
    vertices_shape shape = {.order = d->degree_u + 1};
    const size_t half = (shape.order + 1) / 2;

    shape.rows = rows_of(plan);
    shape.block_rows = shape.order <= 8 && !wide ? 16 : 32;
    const size_t passed = plan->ctx->tuning.work_group * d->vertex_stride * plan->store_bytes;
    const size_t staged = 4 * half * shape.block_rows * plan->real_bytes;
    shape.stage =
        plan->ctx->device.local_is_real && staged + passed <= plan->ctx->device.local_bytes;
    if (has_gaps(d) || d->storage == CLSP_STORE_F16) return shape;
    shape.through_local =
        shape.stage && (wide || shape.order <= 4) && clspi_keeps_values(&plan->ctx->device);
    shape.pairs = !shape.through_local && d->vertex_stride % 2 == 0;
    return shape;
}

void clspi_bezier_vertices_options(char *text, size_t size, const clsp_bezier_plan *plan)
{
    const vertices_shape shape = choose(plan);
    const int used = clspi_bezier_vertex_options(text, size, plan, 1);

    snprintf(text + used, size - (size_t)used,
             " -DCLSP_ORDER_U=%u -DCLSP_ROWS=%u -DCLSP_BLOCK_ROWS=%u -DCLSP_STAGE=%d "
             "-DCLSP_THROUGH_LOCAL=%d -DCLSP_PAIRS=%d",
             shape.order, shape.rows, shape.block_rows, shape.stage, shape.through_local,
             shape.pairs);
}

clsp_status clspi_bezier_vertices_prepare(clsp_bezier_plan *plan)
{
    char options[CLSPI_BEZIER_OPTIONS_MAX];

    clspi_bezier_vertices_options(options, sizeof options, plan);
    return clspi_kernel_create_grouped(&plan->vertices, plan->ctx, "bezier_vertices", options,
                                       "bezier_vertices");
}

/* source_first: the patch among those whose first sums are there. */
static clsp_status launch(clsp_bezier_plan *plan, clspi_series *series, size_t source_first,
                          const clspi_bezier_range *range)
{
    enum { FIRST = 15, ENDS = 4 };
    const clsp_bezier_desc *const d = &plan->desc;
    const clspi_bezier_net *const net = &plan->nets.net[0];
    const clspi_bezier_net *const net_v = &plan->nets.net[plan->nets.num - 1];
    const clspi_bezier_table *const table = &plan->nets.tables[0][0];
    const clspi_bezier_table *const table_d = &plan->nets.tables[0][1];
    const clspi_bezier_pairs pairs =
        clspi_bezier_pairs_of(d->num_u, range->first_row, range->num_rows);
    const cl_uint num_tiles = (cl_uint)clspi_div_up(d->num_v, plan->vertices.local);
    const cl_uint num_blocks =
        (cl_uint)clspi_div_up(pairs.end - pairs.first, choose(plan).block_rows);
    const cl_uint stride_t = net->inner->stride * net->coords;
    const cl_uint2 first_patch = clspi_halves(source_first);
    const cl_uint2 offset = clspi_halves(range->offset);
    const double wide[ENDS] = {d->interval_u[0], d->interval_u[1], d->interval_v[0],
                               d->interval_v[1]};
    float narrow[ENDS];
    clspi_arg args[FIRST + ENDS + 2] = {
        CLSPI_ARG(net->t),          CLSPI_ARG(net_v->t),      CLSPI_ARG(first_patch),
        CLSPI_ARG(stride_t),        CLSPI_ARG(table->values), CLSPI_ARG(table_d->values),
        CLSPI_ARG(table->stride),   CLSPI_ARG(d->num_u),      CLSPI_ARG(d->num_v),
        CLSPI_ARG(pairs.first),     CLSPI_ARG(pairs.end),     CLSPI_ARG(range->first_row),
        CLSPI_ARG(range->num_rows), CLSPI_ARG(num_tiles),     CLSPI_ARG(num_blocks)};

    for (int i = 0; i < ENDS; i++) {
        narrow[i] = (float)wide[i];
        args[FIRST + i] = d->precision == CLSP_F64 ? (clspi_arg)CLSPI_ARG(wide[i])
                                                   : (clspi_arg)CLSPI_ARG(narrow[i]);
    }
    args[FIRST + ENDS] = (clspi_arg)CLSPI_ARG(range->out);
    args[FIRST + ENDS + 1] = (clspi_arg)CLSPI_ARG(offset);
    return clspi_series_launch(series, &plan->vertices, args, CLSPI_COUNT(args),
                               range->num_patches * num_tiles * num_blocks * plan->vertices.local);
}

/* Patches, or rows of one, that a launch may cover. */
static void launch_limits(const clsp_bezier_plan *plan, size_t *patches, cl_uint *rows)
{
    const clspi_tuning *const tuning = &plan->ctx->tuning;
    const clsp_bezier_desc *const d = &plan->desc;
    const uint64_t fma = 3 * (uint64_t)plan->coords * (d->degree_u + 1) * d->num_v; /* of a row */
    const uint64_t tiles = clspi_div_up(d->num_v, plan->vertices.local);
    const uint64_t by_groups = tuning->max_groups / tiles * choose(plan).block_rows;
    const uint64_t most = clspi_max(1, clspi_min(tuning->max_launch_fma / fma, by_groups) /
                                           CLSPI_BEZIER_ROWS_MULTIPLE) *
                          CLSPI_BEZIER_ROWS_MULTIPLE;

    *patches = clspi_max(1, most / clspi_round_up(d->num_u, CLSPI_BEZIER_ROWS_MULTIPLE));
    *patches = clspi_min(*patches, plan->nets.net[0].t_patches);
    *patches = clspi_min(*patches, plan->nets.net[plan->nets.num - 1].t_patches);
    *rows = (cl_uint)clspi_min(most, d->num_u);
}

clsp_status clspi_bezier_vertices_eval(clsp_bezier_plan *plan, clspi_series *series,
                                       const clspi_bezier_range *range)
{
    const size_t row = (size_t)plan->desc.num_v * plan->desc.vertex_stride;
    clspi_bezier_range part = *range;
    clsp_status status;
    size_t patches;
    cl_uint rows;

    launch_limits(plan, &patches, &rows);
    for (size_t p = 0; p < range->num_patches; p += patches) {
        part.first_patch = range->first_patch + p;
        part.num_patches = clspi_min(patches, range->num_patches - p);
        for (cl_uint i = 0; i < plan->nets.num; i++)
            CLSPI_TRY(clspi_bezier_net_first_sums(&plan->nets.net[i], series, part.first_patch,
                                                  part.num_patches));
        for (cl_uint r = 0; r < range->num_rows; r += part.num_rows) {
            part.first_row = range->first_row + r;
            part.num_rows = (cl_uint)clspi_min(rows, range->num_rows - r);
            part.offset = range->offset + (p * range->num_rows + r) * row;
            CLSPI_TRY(launch(plan, series, part.first_patch - plan->nets.net[0].t_first, &part));
        }
    }
    return CLSP_OK;

fail:
    return status;
}
