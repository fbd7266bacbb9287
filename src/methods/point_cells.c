/* Points of cells one by one (point_cells.cl). */
#include "cell_launch.h"
#include "cell_terms.h"
#include "check.h"
#include "methods.h"
#include "solid_options.h"

enum {
    GROUP = 64, /* items of a group, of which WARP make a point together */
    WARP = 32,
    SLICE_TILE = CLSPI_POINT_CELLS_SLICE_TILE,
    FULL_TILE = CLSPI_POINT_CELLS_FULL_TILE
};

/* ---- kernels ---- */

/* Makes a kernel that makes so many cells. Warps make points where the method is that, and where
   the hybrid one finds that better. */
static clsp_status create(clsp_solid_plan *plan, clspi_kernel *kernel,
                          const clspi_signature *signature, size_t num_cells)
{
    clsp_context *const ctx = plan->base.ctx;
    const size_t samples = clspi_grid_size(&plan->desc);
    const size_t busy = ctx->tuning.items_per_unit * ctx->device.compute_units;
    const bool is_small = (kernel != &plan->regular && samples <= 64) || num_cells < busy / samples;
    const bool in_warps = plan->desc.method == CLSP_SOLID_GROUP ||
                          (plan->desc.method == CLSP_SOLID_HYBRID && is_small);
    clspi_options options = clspi_options_of(ctx, plan->desc.precision);

    clspi_option(&options, "DIM", plan->desc.dim);
    clspi_option(&options, "BLOCK", 1);
    clspi_solid_size_options(&options, ctx, &plan->desc);
    clspi_option(&options, "WARP", in_warps ? WARP : 1);
    CLSPI_CHECK(
        clspi_kernel_create_for_group(kernel, ctx, "point_cells", signature, &options, GROUP));
    if (!in_warps || kernel->local >= WARP) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                      "solid: the device has no groups of %d work-items for its method", WARP);
}

static clsp_status create_kernels(clsp_solid_plan *plan)
{
    const clspi_cell_layout *const layout = &plan->layout;

    if (plan->points.blocks.num)
        CLSPI_CHECK(create(plan, &plan->regular, &clspi_point_regular_signature,
                           layout->uses[0].num_cells));
    if (layout->layers.num)
        CLSPI_CHECK(
            create(plan, &plan->layers, &clspi_point_layered_signature, layout->layers.num));
    return layout->full.num
               ? create(plan, &plan->full, &clspi_point_tables_signature, layout->full.num)
               : CLSP_OK;
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
                                      plan->cell_reals * 4 * SLICE_TILE};
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
                                      plan->cell_reals * FULL_TILE};
    clspi_point_tables_args args = {.points = plan->control,
                                    .index = plan->index,
                                    .sets = plan->full_sets,
                                    .tables = plan->tables.full,
                                    .out = out,
                                    .at = at};

    return clspi_cells_launch(series, &launch, &args, &args.at);
}

/* Counts the launches that sets need: as many as the set with the most points has tiles. */
static uint32_t count_tiles(const clsp_solid_plan *plan, bool slices)
{
    const uint32_t most = slices ? SLICE_TILE : FULL_TILE;
    uint32_t num = 1;

    for (uint32_t u = 0; u < plan->layout.num_uses; u++) {
        const clspi_cell_use *const use = &plan->layout.uses[u];
        const uint32_t rows = use->terms <= most / 2 ? most / 2 : most;
        if (use->of.number != CLSPI_REGULAR && use->has_slices == slices)
            num = (uint32_t)clspi_max(num, clspi_div_up(use->terms, rows));
    }
    return num;
}

static clsp_status make(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                        clspi_cell_samples at)
{
    const uint32_t slice_tiles = count_tiles(plan, true), full_tiles = count_tiles(plan, false);

    CLSPI_CHECK(make_regular(plan, series, out, at));
    for (at.tile = 0; at.tile < slice_tiles; at.tile++)
        CLSPI_CHECK(make_layers(plan, series, out, at));
    for (at.tile = 0; at.tile < full_tiles; at.tile++)
        CLSPI_CHECK(make_full(plan, series, out, at));
    return CLSP_OK;
}

static void make_on_host(bool is_double, const clspi_cell_grid *grid, const clspi_cell_sum *cell,
                         void *staged, void *out)
{
    (is_double ? clspi_cell_terms_f64 : clspi_cell_terms_f32)(grid, cell, staged, out);
}

const clspi_cell_method clspi_published_cells = {create_kernels, make, make_on_host};
