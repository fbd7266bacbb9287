#include "bezier_edges.h"

#include "check.h"
#include "vertex_assembly.h"
#include "vertex_layout.h"
#include "vertex_strips.h"

enum {
    QUICK_VERTICES = 1 << 14 /* all of them lost, a quick build takes about 15 ms of a core more */
};

/* ---- the kernel ---- */

bool clspi_bezier_edges_needed(const clspi_tensor_desc *d)
{
    return d->directions == 2 && !d->is_triangle &&
           (d->watertight || (d->vertex.attributes & CLSP_VERTEX_NORMAL) != 0);
}

/* Tells whether normals that were made in one pass are looked at, and made again where they are
   lost. vertex_rows leaves that open for rational patches, and for watertight ones all is made
   again. */
static bool looks(const clsp_context *ctx, const clspi_tensor_desc *d, bool one_pass)
{
    return one_pass && (clspi_vertex_strips_fit(ctx, d) || (!d->watertight && !d->rational));
}

static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *d,
                                clspi_edges_build how)
{
    const clspi_options given = clspi_vertex_options(ctx, d, clspi_lanes(ctx, d->precision));
    clspi_options options = clspi_options_after(how.quick ? "-cl-opt-disable" : "");

    clspi_options_add(&options, &given);
    clspi_option(&options, "WATERTIGHT", d->watertight);
    clspi_option(&options, "LOOK", looks(ctx, d, how.one_pass));
    return options;
}

bool clspi_bezier_edges_quick(const clsp_context *ctx, const clspi_tensor_desc *d,
                              size_t num_patches)
{
    const size_t side = clspi_max(d->axis[0].num, d->axis[1].num);

    return ctx->device.device_class == CLSP_CLASS_CPU && clspi_vertex_strips_fit(ctx, d) &&
           !d->watertight && side <= QUICK_VERTICES / 4 / clspi_max(1, num_patches);
}

clsp_status clspi_bezier_edges_prepare(clspi_kernel *kernel, clsp_context *ctx,
                                       const clspi_tensor_desc *desc, clspi_edges_build how)
{
    const clspi_options options = options_of(ctx, desc, how);
    clspi_kernel made;

    CLSPI_CHECK(
        clspi_kernel_create(&made, ctx, "bezier_edges", &clspi_bezier_edges_signature, &options));
    clspi_kernel_release(kernel);
    *kernel = made;
    return CLSP_OK;
}

clsp_status clspi_bezier_edges_build(const clspi_build *build, const clspi_tensor_desc *desc,
                                     clspi_edges_build how)
{
    const clspi_options options = options_of(build->ctx, desc, how);

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

/* Returns the runs of one launch, of `lanes` vertices. */
static uint64_t runs_of_a_launch(const clsp_context *ctx, const clspi_tensor_desc *d, size_t lanes)
{
    enum { CURVES = 6 }; /* that an item sums */
    const uint64_t terms = clspi_max(d->terms[0], d->terms[1]);
    const uint64_t fma = CURVES * clspi_coords(d) * terms * lanes;

    return clspi_launch_lines(&ctx->tuning, fma, 1, ctx->tuning.work_group, 1);
}

clsp_status clspi_bezier_edges_eval(const clspi_kernel *kernel, clspi_series *series,
                                    const clspi_tensor_desc *desc, cl_mem points,
                                    const clspi_rows *rows)
{
    const size_t lanes = clspi_lanes(series->ctx, desc->precision);
    const uint64_t most = runs_of_a_launch(series->ctx, desc, lanes);
    const size_t runs =
        2 * (clspi_div_up(desc->axis[0].num, lanes) + clspi_div_up(desc->axis[1].num, lanes));
    clspi_cut cut = {.per_piece = runs, .left = rows->num_patches * runs};
    clspi_bezier_edges_args args = {.points = points,
                                    .samples = desc->samples ? desc->samples : points,
                                    .out = rows->out,
                                    .range = {.first_run = 0,
                                              .order_u = desc->terms[0],
                                              .order_v = desc->terms[1],
                                              .borders = borders_of(desc),
                                              .has_samples = desc->samples != NULL,
                                              .runs = 0},
                                    .rows = clspi_row_range_of(rows->first_patch, rows),
                                    .axis_u = clspi_sample_axis_of(desc, 0),
                                    .axis_v = clspi_sample_axis_of(desc, 1)};
    clspi_part part;

    if (args.range.borders == 0) return CLSP_OK;
    while (clspi_cut_next(&cut, most, &part)) {
        args.range.first_run = part.before;
        args.range.runs = (cl_uint)part.num_lines;
        CLSPI_CHECK(clspi_launch_bezier_edges(series, kernel, &args, part.num_lines));
    }
    return CLSP_OK;
}
