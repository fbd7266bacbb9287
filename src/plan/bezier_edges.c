#include "bezier_edges.h"

#include "bezier_at.h"
#include "check.h"

static bool reaches_edge(const double interval[2])
{
    return interval[0] == 0.0 || interval[0] == 1.0 || interval[1] == 0.0 || interval[1] == 1.0;
}

bool clspi_bezier_has_edges(const clsp_bezier_plan *plan)
{
    const clsp_bezier_desc *const d = &plan->desc;
    const bool points = d->watertight && (d->attributes & (CLSP_BEZIER_POINT | CLSP_BEZIER_WEIGHT));
    const bool normals = (d->attributes & CLSP_BEZIER_NORMAL) &&
                         (reaches_edge(d->interval_u) || reaches_edge(d->interval_v));

    return d->form == CLSP_BEZIER_SURFACE && (points || normals);
}

/* Edge vertices of a patch. */
static cl_uint num_edges(const clsp_bezier_desc *d)
{
    if (d->num_u == 1 || d->num_v == 1) return d->num_u * d->num_v;
    return 2 * (d->num_u + d->num_v) - 4;
}

/* Edge vertices first .. first + num - 1 of each of some patches. */
static clsp_status launch(clsp_bezier_plan *plan, clspi_series *series,
                          const clspi_bezier_range *range, size_t patches_done, size_t num_patches,
                          cl_uint first, cl_uint num)
{
    const clsp_bezier_desc *const d = &plan->desc;
    const size_t row = (size_t)d->num_v * d->vertex_stride;
    const cl_uint2 reals = clspi_halves(plan->points_per_patch);
    const cl_uint2 patch = clspi_halves(range->first_patch + patches_done);
    const cl_uint2 offset = clspi_halves(range->offset + patches_done * range->num_rows * row);
    const cl_uint items = (cl_uint)num_patches * num;
    clspi_bezier_interval u, v;
    const clspi_kernel *kernel;
    clsp_status status;

    CLSPI_TRY(clspi_bezier_at_kernel(plan, CLSPI_AT_EDGES, &kernel));
    const clspi_arg args[] = {CLSPI_ARG(plan->points),
                              CLSPI_ARG(reals),
                              CLSPI_ARG(d->degree_u),
                              CLSPI_ARG(d->degree_v),
                              CLSPI_ARG(patch),
                              CLSPI_ARG(d->num_u),
                              CLSPI_ARG(d->num_v),
                              CLSPI_ARG(first),
                              CLSPI_ARG(num),
                              CLSPI_ARG(range->first_row),
                              CLSPI_ARG(range->num_rows),
                              clspi_bezier_interval_arg(&u, d->precision, d->interval_u),
                              clspi_bezier_interval_arg(&v, d->precision, d->interval_v),
                              CLSPI_ARG(items),
                              CLSPI_ARG(range->out),
                              CLSPI_ARG(offset)};
    return clspi_series_launch(series, kernel, args, CLSPI_COUNT(args), items);

fail:
    return status;
}

clsp_status clspi_bezier_edges_eval(clsp_bezier_plan *plan, clspi_series *series,
                                    const clspi_bezier_range *range)
{
    const size_t most = clspi_bezier_at_most(plan);
    const cl_uint edges = num_edges(&plan->desc);
    const size_t patches = clspi_max(1, most / edges);
    const cl_uint num = (cl_uint)clspi_min(edges, most);
    clsp_status status;

    for (size_t p = 0; p < range->num_patches; p += patches)
        for (cl_uint first = 0; first < edges; first += num)
            CLSPI_TRY(launch(plan, series, range, p, clspi_min(patches, range->num_patches - p),
                             first, (cl_uint)clspi_min(num, edges - first)));
    return CLSP_OK;

fail:
    return status;
}
