/* Points of cells one by one (point_cells.cl). */
#include "cell_launch.h"
#include "cell_terms.h"
#include "check.h"
#include "methods.h"
#include "solid_options.h"

enum {
    GROUP = 64, /* items of a group at most, of which WARP make a point together */
    WARP = 32
};

/* ---- kernels ---- */

/* Tells whether warps make points: where the method is that, and where the hybrid one finds that
   faster. That is where more than half of a warp would be idle if each item made a point, in cells
   of all kinds (docs/methods.md). */
static bool in_warps(const clsp_solid_plan *plan)
{
    return plan->desc.method == CLSP_SOLID_GROUP ||
           (plan->desc.method == CLSP_SOLID_HYBRID && clspi_grid_size(&plan->desc) <= WARP / 2);
}

/* Returns how many points a warp makes before it adds up: as many as one item a coordinate allows,
   and no more than leave all warps as much to do. */
static size_t batch_of(const clsp_solid_plan *plan, size_t group)
{
    const size_t samples = clspi_grid_size(&plan->desc), warps = group / WARP;
    const size_t rounds = clspi_div_up(samples, warps * (WARP / plan->desc.dim));

    return clspi_div_up(samples, warps * rounds);
}

static clsp_status create(clsp_solid_plan *plan, clspi_kernel *kernel,
                          const clspi_signature *signature)
{
    clsp_context *const ctx = plan->base.ctx;
    const size_t group = clspi_grid_size(&plan->desc) <= WARP ? WARP : GROUP;
    const bool warps = in_warps(plan);
    clspi_options options = clspi_options_of(ctx, plan->desc.precision);

    clspi_option(&options, "DIM", plan->desc.dim);
    clspi_option(&options, "BLOCK", 1);
    clspi_solid_size_options(&options, ctx, &plan->desc);
    clspi_option(&options, "WARP", warps ? WARP : 1);
    if (warps) clspi_option(&options, "BATCH", batch_of(plan, group));
    CLSPI_CHECK(
        clspi_kernel_create_for_group(kernel, ctx, "point_cells", signature, &options, group));
    if (!warps || kernel->local >= WARP) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                      "solid: the device has no groups of %d work-items for its method", WARP);
}

static clsp_status create_kernels(clsp_solid_plan *plan)
{
    const clspi_cell_layout *const layout = &plan->layout;

    plan->by_sample = in_warps(plan);
    if (plan->points.blocks.num)
        CLSPI_CHECK(create(plan, &plan->regular, &clspi_point_regular_signature));
    if (layout->layers.num)
        CLSPI_CHECK(create(plan, &plan->layers, &clspi_point_layered_signature));
    return layout->full.num ? create(plan, &plan->full, &clspi_point_tables_signature) : CLSP_OK;
}

/* ---- launches ---- */

static clsp_status make_regular(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                                clspi_cell_samples at)
{
    const clspi_cell_blocks *const blocks = &plan->points.blocks;
    const clspi_cell_launch launch = {&plan->regular, &blocks->spans, blocks->num,
                                      CLSPI_BLOCK_CELLS,
                                      plan->cell_reals * CLSPI_BLOCK_CELLS * CLSPI_GRID_POINTS};
    clspi_point_regular_args args = {.points = plan->control,
                                     .list = plan->block_points,
                                     .blocks = plan->block_words,
                                     .patterns = plan->patterns,
                                     .along = plan->tables.along,
                                     .out = out,
                                     .at = at};

    return clspi_cells_launch(series, &launch, &args, &args.at);
}

static clsp_status make_layers(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                               clspi_cell_samples at)
{
    const clspi_cell_sets *const sets = &plan->layout.layers;
    const clspi_cell_launch launch = {&plan->layers, &sets->spans, sets->num, 1,
                                      plan->cell_reals * 4 * CLSPI_MAX_SLICE};
    clspi_point_layered_args args = {.points = plan->control,
                                     .index = plan->index,
                                     .sets = plan->layer_sets,
                                     .slices = plan->tables.slices,
                                     .along = plan->tables.along,
                                     .out = out,
                                     .at = at};

    return clspi_cells_launch(series, &launch, &args, &args.at);
}

static clsp_status make_full(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                             clspi_cell_samples at)
{
    const clspi_cell_sets *const sets = &plan->layout.full;
    const clspi_cell_launch launch = {&plan->full, &sets->spans, sets->num, 1,
                                      plan->cell_reals * CLSPI_FULL_POINTS};
    clspi_point_tables_args args = {.points = plan->control,
                                    .index = plan->index,
                                    .sets = plan->full_sets,
                                    .tables = plan->tables.full,
                                    .out = out,
                                    .at = at};

    return clspi_cells_launch(series, &launch, &args, &args.at);
}

static clsp_status make(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                        clspi_cell_samples at)
{
    CLSPI_CHECK(make_regular(plan, series, out, at));
    CLSPI_CHECK(make_layers(plan, series, out, at));
    return make_full(plan, series, out, at);
}

static void make_on_host(bool is_double, const clspi_cell_grid *grid, const clspi_cell_sum *cell,
                         void *staged, void *out)
{
    (is_double ? clspi_cell_terms_f64 : clspi_cell_terms_f32)(grid, cell, staged, out);
}

const clspi_cell_method clspi_published_cells = {create_kernels, make, make_on_host};
