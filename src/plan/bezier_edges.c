#include "bezier_edges.h"

#include <stdio.h>

#include "bezier_vertices.h"
#include "check.h"

bool clspi_bezier_edges_needed(const clsp_bezier_plan *plan)
{
    const clsp_bezier_desc *const d = &plan->desc;

    return d->form == CLSP_BEZIER_SURFACE &&
           (d->watertight || (d->attributes & CLSP_BEZIER_NORMAL) != 0);
}

void clspi_bezier_edges_options(char *text, size_t size, const clsp_bezier_plan *plan)
{
    const int used = clspi_bezier_vertex_options(text, size, plan, 1);

    const bool look =
        !plan->desc.watertight && !plan->desc.rational && clspi_bezier_vertices_fit(plan);

    snprintf(text + used, size - (size_t)used, " -DCLSP_WATERTIGHT=%u -DCLSP_LOOK=%d",
             plan->desc.watertight, look);
}

clsp_status clspi_bezier_edges_prepare(clsp_bezier_plan *plan)
{
    char options[CLSPI_BEZIER_OPTIONS_MAX];

    clspi_kernel_release(&plan->edges);
    clspi_bezier_edges_options(options, sizeof options, plan);
    return clspi_kernel_create(&plan->edges, plan->ctx, "bezier_edges", options, "bezier_edges");
}

/* Of a side of the grid at this parameter: 0 none, 1 the edge at 0, 2 that at 1. */
static cl_uint edge_at(double parameter)
{
    return parameter == 0.0 ? 1 : parameter == 1.0 ? 2 : 0;
}

static cl_uint borders_of(const clsp_bezier_desc *d)
{
    return edge_at(d->interval_u[0]) | edge_at(d->interval_u[1]) << 2 |
           edge_at(d->interval_v[0]) << 4 | edge_at(d->interval_v[1]) << 6;
}

static clsp_status launch(clsp_bezier_plan *plan, clspi_series *series,
                          const clspi_bezier_range *range)
{
    enum { FIRST = 9, ENDS = 4 };
    const clsp_bezier_desc *const d = &plan->desc;
    const cl_uint2 first_patch = clspi_halves(range->first_patch);
    const cl_uint2 offset = clspi_halves(range->offset);
    const cl_uint order_u = d->degree_u + 1, order_v = d->degree_v + 1, borders = borders_of(d);
    const cl_uint items = (cl_uint)(range->num_patches * 2 * ((size_t)d->num_u + d->num_v));
    const double wide[ENDS] = {d->interval_u[0], d->interval_u[1], d->interval_v[0],
                               d->interval_v[1]};
    float narrow[ENDS];
    clspi_arg args[FIRST + ENDS + 3] = {
        CLSPI_ARG(plan->points), CLSPI_ARG(first_patch),      CLSPI_ARG(order_u),
        CLSPI_ARG(order_v),      CLSPI_ARG(d->num_u),         CLSPI_ARG(d->num_v),
        CLSPI_ARG(borders),      CLSPI_ARG(range->first_row), CLSPI_ARG(range->num_rows)};

    for (int i = 0; i < ENDS; i++) {
        narrow[i] = (float)wide[i];
        args[FIRST + i] = d->precision == CLSP_F64 ? (clspi_arg)CLSPI_ARG(wide[i])
                                                   : (clspi_arg)CLSPI_ARG(narrow[i]);
    }
    args[FIRST + ENDS] = (clspi_arg)CLSPI_ARG(items);
    args[FIRST + ENDS + 1] = (clspi_arg)CLSPI_ARG(range->out);
    args[FIRST + ENDS + 2] = (clspi_arg)CLSPI_ARG(offset);
    return clspi_series_launch(series, &plan->edges, args, CLSPI_COUNT(args), items);
}

clsp_status clspi_bezier_edges_eval(clsp_bezier_plan *plan, clspi_series *series,
                                    const clspi_bezier_range *range)
{
    enum { CURVES = 6 }; /* that an item sums */
    const clsp_bezier_desc *const d = &plan->desc;
    const clspi_tuning *const tuning = &plan->ctx->tuning;
    const uint64_t items = 2 * ((uint64_t)d->num_u + d->num_v);
    const uint64_t fma = items * CURVES * plan->coords * (clspi_max(d->degree_u, d->degree_v) + 1);
    const size_t patches = clspi_max(1, clspi_min(tuning->max_launch_fma / fma,
                                                  tuning->max_groups * tuning->work_group / items));
    clspi_bezier_range part = *range;
    clsp_status status;

    for (size_t p = 0; p < range->num_patches; p += patches) {
        part.first_patch = range->first_patch + p;
        part.num_patches = clspi_min(patches, range->num_patches - p);
        part.offset = range->offset + p * range->num_rows * d->num_v * d->vertex_stride;
        CLSPI_TRY(launch(plan, series, &part));
    }
    return CLSP_OK;

fail:
    return status;
}
