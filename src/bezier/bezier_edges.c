#include "bezier_edges.h"

#include "check.h"
#include "edge_normals.h"
#include "vertex_assembly.h"
#include "vertex_layout.h"

/* ---- the kernel ---- */

bool clspi_bezier_edges_needed(const clspi_tensor_desc *d)
{
    return d->directions == 2 && !d->is_triangle &&
           (d->watertight || (d->vertex.attributes & CLSP_VERTEX_NORMAL) != 0);
}

/* Looks at normals that were made in one pass, and makes those again that are lost. vertex_rows
   leaves that open for rational patches, and for watertight ones all is made again. */
static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *d, bool one_pass)
{
    clspi_options options = clspi_vertex_options(ctx, d);

    clspi_option(&options, "WATERTIGHT", d->watertight);
    clspi_option(&options, "LOOK", one_pass && !d->watertight && !d->rational);
    return options;
}

clsp_status clspi_bezier_edges_prepare(clspi_kernel *kernel, clsp_context *ctx,
                                       const clspi_tensor_desc *desc, bool one_pass)
{
    const clspi_options options = options_of(ctx, desc, one_pass);

    clspi_kernel_release(kernel);
    return clspi_kernel_create(kernel, ctx, "bezier_edges", &clspi_bezier_edges_signature,
                               &options);
}

clsp_status clspi_bezier_edges_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                     bool one_pass)
{
    const clspi_options options = options_of(build->ctx, desc, one_pass);

    return clspi_program_build(build, "bezier_edges", &options);
}

/* ---- launches ---- */

/* Tells which edge a side of the grid at a parameter is: 0 none, 1 the one at 0, 2 that at 1. */
static uint32_t edge_at(double parameter)
{
    return parameter == 0.0 ? 1 : parameter == 1.0 ? 2 : 0;
}

static uint32_t borders_of(const clspi_tensor_desc *d)
{
    return edge_at(d->axis[0].begin) | edge_at(d->axis[0].end) << 2 |
           edge_at(d->axis[1].begin) << 4 | edge_at(d->axis[1].end) << 6;
}

/* Returns the vertices of one launch. */
static uint64_t vertices_of_a_launch(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    enum { CURVES = 6 }; /* that an item sums */
    const uint64_t terms = clspi_max(d->terms[0], d->terms[1]);

    return clspi_launch_lines(&ctx->tuning, CURVES * clspi_coords(d) * terms, 1,
                              ctx->tuning.work_group, 1);
}

clsp_status clspi_bezier_edges_eval(const clspi_kernel *kernel, clspi_series *series,
                                    const clspi_tensor_desc *desc, cl_mem points,
                                    const clspi_rows *rows)
{
    const uint64_t most = vertices_of_a_launch(series->ctx, desc);
    clspi_bezier_edges_args args = {.points = points,
                                    .samples = desc->samples ? desc->samples : points,
                                    .out = rows->out,
                                    .range = {.first_item = 0,
                                              .order_u = desc->terms[0],
                                              .order_v = desc->terms[1],
                                              .borders = borders_of(desc),
                                              .has_samples = desc->samples != NULL,
                                              .items = 0},
                                    .rows = clspi_row_range_of(rows->first_patch, rows),
                                    .axis_u = clspi_sample_axis_of(desc, 0),
                                    .axis_v = clspi_sample_axis_of(desc, 1)};

    if (args.range.borders == 0) return CLSP_OK;
    for (uint32_t side = 0; side < CLSPI_SIDES; side++) {
        const clsp_range items = clspi_side_items(desc, rows, side);
        clspi_cut cut = {.per_piece = clspi_max(1, items.count), .left = items.count};
        clspi_part part;
        while (clspi_cut_next(&cut, most, &part)) {
            args.range.first_item = items.first + part.before;
            args.range.items = (uint32_t)part.num_lines;
            CLSPI_CHECK(clspi_launch_bezier_edges(series, kernel, &args, part.num_lines));
        }
    }
    return CLSP_OK;
}
