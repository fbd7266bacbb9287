/* Cells on a device: regular ones, those made by layers, and all others. */
#include "cell_launch.h"

#include "check.h"
#include "kernel_arguments.h"
#include "solid_options.h"
#include "split.h"

_Static_assert(sizeof(clspi_point_regular_args) == sizeof(clspi_regular_cells_args), "one form");

/* What to make of a plan's cells, and where it goes. */
typedef struct cells_job {
    clsp_solid_plan *plan;
    cl_mem out;
} cells_job;

/* What records of sets or blocks are made with. */
typedef struct cell_launch {
    const clspi_kernel *kernel;
    size_t groups; /* of a record */
    uint64_t fma;  /* of a record */
} cell_launch;

/* Tells whether kernels of point_cells.cl make a plan's cells. Those of regular ones take what the
   kernel that makes whole cells takes. */
static bool is_by_points(const clsp_solid_plan *plan)
{
    return plan->desc.method != CLSP_SOLID_CELLS;
}

/* Cuts the records of a launch into parts that are small enough: the next one, from at->record on
   and before `end`. Returns its work-items. */
static size_t next_part(const cells_job *job, const cell_launch *launch, size_t end,
                        clspi_cell_samples *at)
{
    const clsp_context *const ctx = job->plan->base.ctx;
    const size_t local = launch->kernel->local;
    const size_t each = launch->groups * local;
    const uint64_t most = clspi_launch_lines(&ctx->tuning, launch->fma, each, local, 1);
    const size_t num = clspi_min_u64(most, end - at->record);

    at->sets = (uint32_t)num;
    return num * each;
}

/* Launches a kernel of either kind. */
static clsp_status launch_part(clspi_series *series, const clspi_kernel *kernel, const void *args,
                               size_t items)
{
    return clspi_series_launch(series, kernel, kernel->signature, args, items);
}

/* Finds the blocks or sets of a launch: from at->record to what is returned. They may have cells
   that are not of the launch. */
static size_t find_records(const clspi_cell_spans *spans, size_t num, clspi_cell_samples *at)
{
    size_t begin;
    const size_t end =
        clspi_cell_spans_find(spans, num, at->first, (size_t)at->first + at->count, &begin);

    at->record = (uint32_t)begin;
    return end;
}

/* Launches what makes regular cells. */
static clsp_status make_regular(const cells_job *job, clspi_series *series, clspi_cell_samples at)
{
    clsp_solid_plan *const plan = job->plan;
    const clspi_sample_tables *const tables = &plan->tables;
    const bool points = is_by_points(plan);
    const size_t fma = points ? CLSPI_GRID_POINTS : 16;
    const cl_mem copied = plan->blocks_copied.buffer;
    const cell_launch launch = {&plan->regular, points ? CLSPI_BLOCK_CELLS : 1,
                                plan->cell_reals * CLSPI_BLOCK_CELLS * fma};
    const clspi_cell_blocks *const blocks = &plan->points.blocks;
    const size_t end = find_records(&blocks->spans, blocks->num, &at);

    for (; at.record < end; at.record += at.sets) {
        const size_t items = next_part(job, &launch, end, &at);
        const clspi_regular_cells_args cells = {.points = copied ? copied : plan->control,
                                                .list = plan->block_points,
                                                .blocks = plan->block_words,
                                                .patterns = plan->patterns,
                                                .along = tables->along,
                                                .out = job->out,
                                                .at = at};
        const clspi_regular_vertices_args vertices = {.points = plan->control,
                                                      .list = plan->block_points,
                                                      .blocks = plan->block_words,
                                                      .patterns = plan->patterns,
                                                      .along = tables->along,
                                                      .faces = plan->cell_faces,
                                                      .out = job->out,
                                                      .at = at};
        const void *const args = plan->is_plain ? (const void *)&cells : &vertices;
        CLSPI_CHECK(launch_part(series, &plan->regular, args, items));
    }
    return CLSP_OK;
}

/* Launches what makes cells by layers; kernels leave out what a set has beside the range. */
static clsp_status make_layers(const cells_job *job, clspi_series *series, clspi_cell_samples at)
{
    clsp_solid_plan *const plan = job->plan;
    const clspi_sample_tables *const tables = &plan->tables;
    const clspi_cell_sets *const sets = &plan->layout.layers;
    const size_t fma = is_by_points(plan) ? 4 * SLICE_TILE : sets->size * CLSPI_MAX_SLICE;
    const cell_launch launch = {&plan->layers, 1, plan->cell_reals * fma};
    const size_t end = find_records(&sets->spans, sets->num, &at);

    for (; at.record < end; at.record += at.sets) {
        const size_t items = next_part(job, &launch, end, &at);
        const clspi_solid_layers_args cells = {.copies = plan->layers_copied.buffer,
                                               .sets = plan->layer_sets,
                                               .slices = tables->slices,
                                               .along = tables->along,
                                               .out = job->out,
                                               .at = at};
        const clspi_layer_vertices_args vertices = {
            .copies = plan->layers_copied.buffer,
            .sets = plan->layer_sets,
            .slices = tables->slices,
            .along = tables->along,
            .faces = plan->cell_faces,
            .out = job->out,
            .at = at,
            .tables = {.step = 16 * plan->layout.slice_rows}};
        const clspi_point_layered_args points = {.points = plan->control,
                                                 .index = plan->index,
                                                 .sets = plan->layer_sets,
                                                 .slices = tables->slices,
                                                 .along = tables->along,
                                                 .out = job->out,
                                                 .at = at};
        const void *const args = is_by_points(plan) ? (const void *)&points
                                 : plan->is_plain   ? (const void *)&cells
                                                    : &vertices;
        CLSPI_CHECK(launch_part(series, &plan->layers, args, items));
    }
    return CLSP_OK;
}

/* Launches what makes cells by tables of all their points, likewise. */
static clsp_status make_full(const cells_job *job, clspi_series *series, clspi_cell_samples at)
{
    clsp_solid_plan *const plan = job->plan;
    const clspi_sample_tables *const tables = &plan->tables;
    const clspi_cell_sets *const sets = &plan->layout.full;
    const bool by_points = is_by_points(plan);
    const size_t fma = by_points ? FULL_TILE : sets->size * CLSPI_FULL_POINTS;
    const size_t pass = clspi_max(plan->full.local, 1) *
                        clspi_table_samples(plan->base.ctx, &plan->desc, plan->has_quads);
    const size_t groups = by_points ? 1 : clspi_div_up(clspi_grid_size(&plan->desc), pass);
    const cell_launch launch = {&plan->full, groups, plan->cell_reals * fma};
    const size_t end = find_records(&sets->spans, sets->num, &at);

    at.groups = (uint32_t)groups;
    for (; at.record < end; at.record += at.sets) {
        const size_t items = next_part(job, &launch, end, &at);
        const clspi_solid_tables_args cells = {.copies = plan->full_copied.buffer,
                                               .sets = plan->full_sets,
                                               .tables = tables->full,
                                               .out = job->out,
                                               .at = at};
        const clspi_table_vertices_args vertices = {.copies = plan->full_copied.buffer,
                                                    .sets = plan->full_sets,
                                                    .tables = tables->full,
                                                    .along = tables->along,
                                                    .faces = plan->cell_faces,
                                                    .out = job->out,
                                                    .at = at,
                                                    .more = {.step = 16 * plan->layout.full_rows}};
        const clspi_point_tables_args points = {.points = plan->control,
                                                .index = plan->index,
                                                .sets = plan->full_sets,
                                                .tables = tables->full,
                                                .out = job->out,
                                                .at = at};
        const void *const args = by_points        ? (const void *)&points
                                 : plan->is_plain ? (const void *)&cells
                                                  : &vertices;
        CLSPI_CHECK(launch_part(series, &plan->full, args, items));
    }
    return CLSP_OK;
}

/* Counts the launches that sets need: one, but point by point as many as the set with the most
   points has tiles. */
static uint32_t count_tiles(const clsp_solid_plan *plan, bool slices)
{
    const uint32_t most = slices ? SLICE_TILE : FULL_TILE;
    uint32_t num = 1;

    for (uint32_t u = 0; u < plan->layout.num_uses && is_by_points(plan); u++) {
        const clspi_cell_use *const use = &plan->layout.uses[u];
        const uint32_t rows = use->terms <= most / 2 ? most / 2 : most;
        if (use->of.number != CLSPI_REGULAR && use->has_slices == slices)
            num = (uint32_t)clspi_max(num, clspi_div_up(use->terms, rows));
    }
    return num;
}

clsp_status clspi_cells_make(clsp_solid_plan *plan, clspi_series *series, cl_mem out,
                             clspi_cell_samples at)
{
    const cells_job job = {plan, out};
    const uint32_t slice_tiles = count_tiles(plan, true), full_tiles = count_tiles(plan, false);

    CLSPI_CHECK(make_regular(&job, series, at));
    for (at.tile = 0; at.tile < slice_tiles; at.tile++)
        CLSPI_CHECK(make_layers(&job, series, at));
    for (at.tile = 0; at.tile < full_tiles; at.tile++)
        CLSPI_CHECK(make_full(&job, series, at));
    return CLSP_OK;
}
