/* Cells on a device: regular ones, those made by layers, and all others. */
#include "cell_launch.h"

#include "check.h"
#include "solid_options.h"
#include "split.h"

clsp_status clspi_cells_launch(clspi_series *series, const clspi_cell_launch *launch,
                               const void *args, clspi_cell_samples *at)
{
    const clspi_kernel *const kernel = launch->kernel;
    const size_t each = launch->groups * kernel->local;
    size_t record;
    const size_t end = clspi_cell_spans_find(launch->spans, launch->num, at->first,
                                             (size_t)at->first + at->count, &record);

    for (; record < end; record += at->sets) {
        const uint64_t most =
            clspi_launch_lines(&series->ctx->tuning, launch->fma, each, kernel->local, 1);
        at->record = (uint32_t)record;
        at->sets = (uint32_t)clspi_min_u64(most, end - record);
        CLSPI_CHECK(clspi_series_launch(series, kernel, kernel->signature, args, at->sets * each));
    }
    return CLSP_OK;
}

/* Launches what makes regular cells. */
static clsp_status make_regular(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                                clspi_cell_samples at)
{
    const cl_mem copied = plan->blocks_copied.buffer;
    const clspi_cell_blocks *const blocks = &plan->points.blocks;
    const clspi_cell_launch launch = {&plan->regular, &blocks->spans, blocks->num, 1,
                                      plan->cell_reals * CLSPI_BLOCK_CELLS * 16};
    clspi_regular_cells_args cells = {.points = copied ? copied : plan->control,
                                      .list = plan->block_points,
                                      .blocks = plan->block_words,
                                      .patterns = plan->patterns,
                                      .along = plan->tables.along,
                                      .out = out,
                                      .at = at};
    clspi_regular_vertices_args vertices = {.points = plan->control,
                                            .list = plan->block_points,
                                            .blocks = plan->block_words,
                                            .patterns = plan->patterns,
                                            .along = plan->tables.along,
                                            .faces = plan->cell_faces,
                                            .out = out,
                                            .at = at};

    return plan->is_plain ? clspi_cells_launch(series, &launch, &cells, &cells.at)
                          : clspi_cells_launch(series, &launch, &vertices, &vertices.at);
}

/* Launches what makes cells by layers. */
static clsp_status make_layers(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                               clspi_cell_samples at)
{
    const clspi_cell_sets *const sets = &plan->layout.layers;
    const clspi_cell_launch launch = {&plan->layers, &sets->spans, sets->num, 1,
                                      plan->cell_reals * sets->size * CLSPI_MAX_SLICE};
    clspi_solid_layers_args cells = {.copies = plan->layers_copied.buffer,
                                     .sets = plan->layer_sets,
                                     .slices = plan->tables.slices,
                                     .along = plan->tables.along,
                                     .out = out,
                                     .at = at};
    clspi_layer_vertices_args vertices = {.copies = plan->layers_copied.buffer,
                                          .sets = plan->layer_sets,
                                          .slices = plan->tables.slices,
                                          .along = plan->tables.along,
                                          .faces = plan->cell_faces,
                                          .out = out,
                                          .at = at,
                                          .tables = {.step = 16 * plan->layout.slice_rows}};

    return plan->is_plain ? clspi_cells_launch(series, &launch, &cells, &cells.at)
                          : clspi_cells_launch(series, &launch, &vertices, &vertices.at);
}

/* Launches what makes cells by tables of all their points. */
static clsp_status make_full(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                             clspi_cell_samples at)
{
    const clspi_cell_sets *const sets = &plan->layout.full;
    const size_t pass = clspi_max(plan->full.local, 1) *
                        clspi_table_samples(plan->base.ctx, &plan->desc, plan->has_quads);
    const size_t groups = clspi_div_up(clspi_grid_size(&plan->desc), pass);
    const clspi_cell_launch launch = {&plan->full, &sets->spans, sets->num, groups,
                                      plan->cell_reals * sets->size * CLSPI_FULL_POINTS};

    at.groups = (uint32_t)groups;
    clspi_solid_tables_args cells = {.copies = plan->full_copied.buffer,
                                     .sets = plan->full_sets,
                                     .tables = plan->tables.full,
                                     .out = out,
                                     .at = at};
    clspi_table_vertices_args vertices = {.copies = plan->full_copied.buffer,
                                          .sets = plan->full_sets,
                                          .tables = plan->tables.full,
                                          .along = plan->tables.along,
                                          .faces = plan->cell_faces,
                                          .out = out,
                                          .at = at,
                                          .more = {.step = 16 * plan->layout.full_rows}};
    return plan->is_plain ? clspi_cells_launch(series, &launch, &cells, &cells.at)
                          : clspi_cells_launch(series, &launch, &vertices, &vertices.at);
}

clsp_status clspi_cells_make(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                             clspi_cell_samples at)
{
    CLSPI_CHECK(make_regular(plan, series, out, at));
    CLSPI_CHECK(make_layers(plan, series, out, at));
    return make_full(plan, series, out, at);
}
