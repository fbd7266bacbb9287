#include "bezier_edges.h"

#include "check.h"
#include "vertex_assembly.h"
#include "vertex_layout.h"

/* ---- the kernel ---- */

bool clspi_bezier_edges_needed(const clspi_tensor_desc *d)
{
    return d->directions == 2 && !d->is_triangle &&
           (d->watertight || (d->vertex.attributes & CLSP_VERTEX_NORMAL) != 0);
}

static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *d,
                                bool after_rows)
{
    clspi_options options = clspi_vertex_options(ctx, d);

    clspi_option(&options, "WATERTIGHT", d->watertight);
    clspi_option(&options, "LOOK", !d->watertight && !d->rational && after_rows);
    return options;
}

clsp_status clspi_bezier_edges_prepare(clspi_kernel *kernel, clsp_context *ctx,
                                       const clspi_tensor_desc *desc, bool after_rows)
{
    const clspi_options options = options_of(ctx, desc, after_rows);

    clspi_kernel_release(kernel);
    return clspi_kernel_create(kernel, ctx, "bezier_edges", &clspi_bezier_edges_signature,
                               &options);
}

clsp_status clspi_bezier_edges_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                     bool after_rows)
{
    const clspi_options options = options_of(build->ctx, desc, after_rows);

    return clspi_program_build(build, "bezier_edges", &options);
}

/* ---- launches ---- */

/* Tells which edge a side of the grid at a parameter is: 0 none, 1 the one at 0, 2 that at 1. */
static cl_uint edge_at(double parameter)
{
    return parameter == 0.0 ? 1 : parameter == 1.0 ? 2 : 0;
}

static cl_uint borders_of(const clspi_tensor_desc *d)
{
    return edge_at(d->axis[0].begin) | edge_at(d->axis[0].end) << 2 |
           edge_at(d->axis[1].begin) << 4 | edge_at(d->axis[1].end) << 6;
}

/* Returns the vertices of one launch. */
static uint64_t vertices_of_a_launch(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    enum { CURVES = 6 }; /* that an item sums */
    const uint64_t terms = clspi_max(d->terms[0], d->terms[1]);
    const uint64_t fma = CURVES * clspi_coords(d) * terms;

    return clspi_launch_lines(&ctx->tuning, fma, 1, ctx->tuning.work_group, 1);
}

clsp_status clspi_bezier_edges_eval(const clspi_kernel *kernel, clspi_series *series,
                                    const clspi_tensor_desc *desc, cl_mem points,
                                    const clspi_rows *rows)
{
    const uint64_t most = vertices_of_a_launch(series->ctx, desc);
    const size_t items = 2 * ((size_t)desc->axis[0].num + desc->axis[1].num);
    clspi_cut cut = {.per_piece = items, .left = rows->num_patches * items};
    clspi_bezier_edges_args args = {.points = points,
                                    .out = rows->out,
                                    .range = {.first_item = 0,
                                              .order_u = desc->terms[0],
                                              .order_v = desc->terms[1],
                                              .borders = borders_of(desc),
                                              .items = 0},
                                    .rows = clspi_row_range_of(rows->first_patch, rows),
                                    .axis_u = clspi_sample_axis_of(desc, 0),
                                    .axis_v = clspi_sample_axis_of(desc, 1)};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        args.range.first_item = part.before;
        args.range.items = (cl_uint)part.num_lines;
        CLSPI_CHECK(clspi_launch_bezier_edges(series, kernel, &args, part.num_lines));
    }
    return CLSP_OK;
}
