/* The public calls that make and describe plans of solids. */
#include "solid_plan.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "host_cells.h"
#include "kernel_arguments.h"
#include "point_copies.h"
#include "profile.h"
#include "solid_mesh.h"
#include "solid_share.h"
#include "split.h"
#include "tensor_desc.h"

/* ---- descriptions ---- */

static clsp_status check_axis(clsp_context *ctx, clsp_axis *axis)
{
    enum { SAMPLES = 4 }; /* where nothing is said */
    if (axis->num == 0) *axis = (clsp_axis){.num = SAMPLES, .end = 1.0};
    if (axis->begin == 0.0 && axis->end == 0.0) axis->end = 1.0;
    if (axis->num > CLSP_SOLID_MAX_SAMPLES)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "solid: %u samples: at most %d",
                          axis->num, CLSP_SOLID_MAX_SAMPLES);
    if (!(axis->begin >= 0.0 && axis->begin <= 1.0 && axis->end >= 0.0 && axis->end <= 1.0))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: samples from %g to %g are not within [0, 1]", axis->begin,
                          axis->end);
    return CLSP_OK;
}

/* Checks a description and puts defaults in place. */
static clsp_status resolve(clsp_context *ctx, clsp_solid_desc *desc)
{
    CLSPI_CHECK(clspi_reserved_check(&ctx->log, "clsp_solid_desc", desc->reserved));
    if (desc->precision == CLSP_TYPE_DEFAULT) desc->precision = CLSP_F32;
    CLSPI_CHECK(clspi_precision_check(ctx, "solid", desc->precision));
    if (desc->method > CLSP_SOLID_HYBRID)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "solid: unknown method %d",
                          (int)desc->method);
    if (desc->method == CLSP_SOLID_METHOD_DEFAULT) desc->method = CLSP_SOLID_CELLS;
    if (desc->dim == 0) desc->dim = 3;
    if (desc->dim > CLSP_SOLID_MAX_DIM)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "solid: %u dim: at most %d", desc->dim,
                          CLSP_SOLID_MAX_DIM);
    for (uint32_t a = 0; a < 3; a++)
        CLSPI_CHECK(check_axis(ctx, &desc->axis[a]));
    if (clspi_grid_size(desc) > CLSP_SOLID_MAX_GRID)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: %zu samples of a cell: at most %d", clspi_grid_size(desc),
                          CLSP_SOLID_MAX_GRID);
    return CLSP_OK;
}

/* ---- kernels ---- */

/* Tells whether programs are for the samples that a cell has, which are few then. PoCL 3.1 leaves
   results out where groups of a GPU's shape have sizes compiled in: loops around barriers then have
   one round. */
static bool has_sizes(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    enum { FEW = 16 };
    const clsp_axis *const axis = desc->axis;

    return clspi_lanes(ctx, desc->precision) == 1 && !clspi_is_pocl(ctx->device.platform) &&
           axis[0].num <= FEW && axis[1].num <= FEW && axis[2].num <= FEW;
}

static void add_sizes(clspi_options *options, const clsp_context *ctx, const clsp_solid_desc *desc)
{
    if (!has_sizes(ctx, desc)) return;
    clspi_option(options, "FEW", 1);
    clspi_option(options, "NUM_U", desc->axis[0].num);
    clspi_option(options, "NUM_V", desc->axis[1].num);
    clspi_option(options, "NUM_W", desc->axis[2].num);
}

/* Returns how many samples are made at once: as many as the fewest parts of at most 8 need, or
   where programs are to serve other numbers too 4 or 8. */
static uint32_t share_samples(uint32_t num, bool is_exact)
{
    enum { MOST = 8, HALF = MOST / 2 };

    if (!is_exact) return num <= HALF ? HALF : MOST;
    return (uint32_t)clspi_div_up(num, clspi_div_up(num, MOST));
}

/* What an item may keep where it makes several samples or loads several weights together, and where
   it makes four samples of four cells (docs/performance.md). */
enum { WIDE_REGISTERS = 32, QUAD_REGISTERS = 80 };

/* Tells whether cells have so few samples that GPUs need many of them at once. */
static bool has_few_samples(const clsp_solid_desc *desc)
{
    return clspi_grid_size(desc) <= 64;
}

/* Tells whether GPUs have copies of the points of regular cells: these take 188 bytes a cell, in
   double twice that. */
static bool is_small(const clsp_solid_desc *desc)
{
    return has_few_samples(desc) && desc->precision == CLSP_F32;
}

uint32_t clspi_table_samples(const clsp_context *ctx, const clsp_solid_desc *desc, bool quads)
{
    if (quads) return 4;
    return has_few_samples(desc) || ctx->tuning.item_registers < WIDE_REGISTERS ? 1 : 2;
}

size_t clspi_table_group(const clsp_context *ctx, const clsp_solid_desc *desc, bool quads)
{
    enum { LEAST = 32, MOST = 128 };
    const size_t samples = clspi_table_samples(ctx, desc, quads);
    const size_t items = clspi_div_up(clspi_grid_size(desc), samples);

    return clspi_min(clspi_round_up(items, LEAST), quads ? MOST / 2 : MOST);
}

bool clspi_table_quads(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    return clspi_lanes(ctx, CLSP_F32) == 1 && desc->precision == CLSP_F32 &&
           ctx->tuning.item_registers >= QUAD_REGISTERS && !has_few_samples(desc) &&
           clspi_grid_size(desc) % 4 == 0;
}

clspi_options clspi_solid_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set)
{
    clspi_options options =
        clspi_options_of(ctx, desc->precision, clspi_lanes(ctx, desc->precision));

    clspi_option(&options, "CHANNELS", desc->dim);
    clspi_option(&options, "BLOCK", desc->dim <= 4 ? desc->dim : 1);
    clspi_option(&options, "SET", set);
    add_sizes(&options, ctx, desc);
    return options;
}

/* Returns how many samples of a column an item makes at once, in any direction. */
static uint32_t share_column(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    const clsp_axis *const axis = desc->axis;
    const uint32_t most = (uint32_t)clspi_max(clspi_max(axis[0].num, axis[1].num), axis[2].num);

    return share_samples(most, has_sizes(ctx, desc));
}

clspi_options clspi_regular_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                    bool siblings)
{
    const bool is_double = desc->precision == CLSP_F64; /* sums fit into 32 KiB of local memory */
    const uint32_t wide = share_samples(desc->axis[2].num, has_sizes(ctx, desc));
    clspi_options options = clspi_solid_options(ctx, desc, 1);

    if (clspi_lanes(ctx, desc->precision) > 1) return options;
    clspi_option(&options, "WIDE", is_double ? (uint32_t)clspi_min(wide, 4) : wide);
    clspi_option(&options, "DEEP", is_small(desc) ? 1 : has_few_samples(desc) ? 2 : 4);
    clspi_option(&options, "ACROSS", share_column(ctx, desc));
    if (is_small(desc)) clspi_option(&options, "SMALL", 1);
    if (is_small(desc) && siblings) clspi_option(&options, "SIBLINGS", 1);
    return options;
}

clspi_options clspi_layer_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set)
{
    const bool few = has_few_samples(desc), has_room = ctx->tuning.item_registers >= WIDE_REGISTERS;
    const uint32_t across = share_column(ctx, desc);
    clspi_options options = clspi_solid_options(ctx, desc, set);

    clspi_option(&options, "MAX_SLICE", CLSPI_MAX_SLICE);
    if (clspi_lanes(ctx, desc->precision) > 1) return options;
    clspi_option(&options, "COLUMNS", few || !has_room ? 1 : 2);
    clspi_option(&options, "ACROSS", few || has_room ? across : (uint32_t)clspi_min(across, 2));
    return options;
}

clspi_options clspi_table_options(const clsp_context *ctx, const clsp_solid_desc *desc,
                                  uint32_t set, bool quads)
{
    enum { STEP = 6, MOST_CELLS = 4, MOST_CHANNELS = 3, REGISTERS = 96 };
    const uint32_t rows = quads ? 1 : clspi_table_samples(ctx, desc, false);
    const uint32_t loads = desc->dim == 4 ? 8 : 16; /* clang leaves longer loops as they are */
    clspi_options options = clspi_solid_options(ctx, desc, set);

    if (clspi_lanes(ctx, desc->precision) > 1) return options;
    clspi_option(&options, "ROWS", rows);
    if (ctx->tuning.item_registers >= WIDE_REGISTERS)
        clspi_option(&options, "STEP", quads ? STEP : loads / rows);
    if (quads) { /* up to 3 dim fit into so many registers, which leave room for ten groups */
        if (desc->dim <= MOST_CHANNELS && set <= MOST_CELLS) options.registers = REGISTERS;
        clspi_option(&options, "QUADS", 1);
        clspi_option(&options, "UNITS", ctx->device.compute_units);
    }
    return options;
}

clspi_set_sizes clspi_most_in_sets(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    const bool is_gpu = clspi_lanes(ctx, desc->precision) == 1;

    if (desc->method != CLSP_SOLID_CELLS) return (clspi_set_sizes){1, 1};
    if (!is_gpu) return (clspi_set_sizes){1, desc->dim <= 4 ? 4 : 1};
    return (clspi_set_sizes){3, 4};
}

bool clspi_has_block_copies(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    return clspi_lanes(ctx, desc->precision) == 1 && is_small(desc);
}

size_t clspi_regular_group(const clsp_solid_desc *desc)
{
    return has_few_samples(desc) ? 64 : 96; /* docs/performance.md */
}

size_t clspi_layer_group(const clsp_solid_desc *desc)
{
    return has_few_samples(desc) ? 48 : 96;
}

/* Creates a kernel of a program that makes cells; on GPUs for a group of items. */
static clsp_status create_kernel(clsp_solid_plan *plan, clspi_kernel *kernel, const char *program,
                                 const clspi_signature *signature, const clspi_options *options,
                                 size_t group)
{
    clsp_context *const ctx = plan->base.ctx;

    if (clspi_lanes(ctx, plan->desc.precision) > 1)
        return clspi_kernel_create(kernel, ctx, program, signature, options);
    return clspi_kernel_create_for_group(kernel, ctx, program, signature, options, group);
}

/* Makes a kernel of point_cells.cl. Warps make points where the method is that, and where
   the hybrid one finds that better: num_cells are made by this kernel. */
static clsp_status create_points(clsp_solid_plan *plan, clspi_kernel *kernel,
                                 const clspi_signature *signature, size_t num_cells)
{
    clsp_context *const ctx = plan->base.ctx;
    const size_t samples = clspi_grid_size(&plan->desc);
    const size_t busy = ctx->tuning.items_per_unit * ctx->device.compute_units;
    const bool is_small = (kernel != &plan->regular && samples <= 64) || num_cells < busy / samples;
    const bool in_warps = plan->desc.method == CLSP_SOLID_GROUP ||
                          (plan->desc.method == CLSP_SOLID_HYBRID && is_small);
    clspi_options options = clspi_options_of(ctx, plan->desc.precision, 1);

    clspi_option(&options, "CHANNELS", plan->desc.dim);
    clspi_option(&options, "BLOCK", 1);
    add_sizes(&options, ctx, &plan->desc);
    clspi_option(&options, "WARP", in_warps ? CLSPI_POINT_WARP : 1);
    CLSPI_CHECK(clspi_kernel_create_for_group(kernel, ctx, "point_cells", signature, &options,
                                              CLSPI_POINT_GROUP));
    if (!in_warps || kernel->local >= CLSPI_POINT_WARP) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                      "solid: the device has no groups of %d work-items for its method",
                      CLSPI_POINT_WARP);
}

/* Makes the kernels of the methods that make points one by one. */
static clsp_status create_point_kernels(clsp_solid_plan *plan)
{
    const clspi_cell_layout *const layout = &plan->layout;

    if (plan->points.blocks.num)
        CLSPI_CHECK(create_points(plan, &plan->regular, &clspi_point_regular_signature,
                                  layout->uses[0].num_cells));
    if (layout->layers.num)
        CLSPI_CHECK(
            create_points(plan, &plan->layers, &clspi_point_layered_signature, layout->layers.num));
    if (layout->full.num)
        CLSPI_CHECK(
            create_points(plan, &plan->full, &clspi_point_tables_signature, layout->full.num));
    return CLSP_OK;
}

/* Makes those of regular cells; where all blocks are siblings, as in refined meshes, one that knows
   no others. */
static clsp_status create_regular(clsp_solid_plan *plan)
{
    const bool siblings = plan->points.blocks.num_patterns == CLSPI_SIBLINGS + 1;
    const clspi_options options = clspi_regular_options(plan->base.ctx, &plan->desc, siblings);

    CLSPI_CHECK(create_kernel(plan, &plan->regular, "regular_cells", &clspi_regular_cells_signature,
                              &options, clspi_regular_group(&plan->desc)));
    if (!clspi_has_block_copies(plan->base.ctx, &plan->desc)) return CLSP_OK;
    return create_kernel(plan, &plan->blocks_copied.kernel, "regular_cells",
                         &clspi_copy_blocks_signature, &options, plan->regular.local);
}

static clsp_status create_layers(clsp_solid_plan *plan)
{
    const clspi_options options =
        clspi_layer_options(plan->base.ctx, &plan->desc, plan->layout.layers.size);

    CLSPI_CHECK(create_kernel(plan, &plan->layers, "solid_layers", &clspi_solid_layers_signature,
                              &options, clspi_layer_group(&plan->desc)));
    return create_kernel(plan, &plan->layers_copied.kernel, "solid_layers",
                         &clspi_copy_layers_signature, &options, plan->layers.local);
}

/* Makes those of tables; with vectors where there are so many cells that fewer items, which take
   longer, keep a device busy. */
static clsp_status create_tables(clsp_solid_plan *plan)
{
    const clsp_context *const ctx = plan->base.ctx;
    const size_t busy = 2 * (size_t)ctx->device.compute_units;
    const bool quads = clspi_table_quads(ctx, &plan->desc) && plan->layout.full.num >= busy;
    const clspi_options options =
        clspi_table_options(ctx, &plan->desc, plan->layout.full.size, quads);

    plan->has_quads = quads;
    CLSPI_CHECK(create_kernel(plan, &plan->full, "solid_tables", &clspi_solid_tables_signature,
                              &options, clspi_table_group(ctx, &plan->desc, quads)));
    return create_kernel(plan, &plan->full_copied.kernel, "solid_tables",
                         &clspi_copy_sets_signature, &options, plan->full.local);
}

static clsp_status create_kernels(clsp_solid_plan *plan)
{
    const clspi_options options = clspi_solid_options(plan->base.ctx, &plan->desc, 1);

    if (!plan->owner)
        CLSPI_CHECK(clspi_kernel_create(&plan->continue_points, plan->base.ctx, "continue_points",
                                        &clspi_continue_points_signature, &options));
    if (plan->desc.method != CLSP_SOLID_CELLS) return create_point_kernels(plan);
    if (plan->points.blocks.num) CLSPI_CHECK(create_regular(plan));
    if (plan->layout.layers.num) CLSPI_CHECK(create_layers(plan));
    return plan->layout.full.num ? create_tables(plan) : CLSP_OK;
}

/* ---- continued points ---- */

/* Sorts continued points by how many others are behind each other, at most three: triples [num][3]
   of the point and those that it is made of. */
static clsp_status sort_continued(clsp_solid_plan *plan, uint32_t *triples, uint8_t *depth)
{
    const clspi_cell_points *const p = &plan->points;
    size_t next[5] = {0};

    for (size_t i = 0; i < p->continued.num; i++) {
        depth[i] = 1;
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t from = clspi_continued_from(p, i, k);
            if (from >= p->num_vertices && depth[from - p->num_vertices] >= depth[i])
                depth[i] = (uint8_t)(depth[from - p->num_vertices] + 1);
        }
        next[depth[i]]++;
    }
    for (uint32_t d = 1; d < 5; d++) {
        plan->depth_first[d] = plan->depth_first[d - 1] + next[d - 1];
        next[d - 1] = plan->depth_first[d - 1];
    }
    for (size_t i = 0; i < p->continued.num; i++) {
        uint32_t *const to = triples + 3 * plan->depth_first[depth[i]] +
                             3 * (next[depth[i]]++ - plan->depth_first[depth[i]]);
        to[0] = (uint32_t)(p->num_vertices + i);
        to[1] = clspi_continued_from(p, i, 0);
        to[2] = clspi_continued_from(p, i, 1);
    }
    return CLSP_OK;
}

/* ---- making plans ---- */

/* Makes a buffer of numbers, at least one. */
static clsp_status upload(clsp_solid_plan *plan, clspi_series *series, cl_mem *buffer,
                          const uint32_t *numbers, size_t num)
{
    CLSPI_CHECK(clspi_buffer_create(buffer, plan->base.ctx, (num + 1) * sizeof *numbers));
    return clspi_series_write(series, *buffer, 0, numbers, num * sizeof *numbers);
}

static clsp_status upload_continued(clsp_solid_plan *plan, clspi_series *series)
{
    const size_t num = plan->points.continued.num;
    uint32_t *const triples = malloc((3 * num + 1) * sizeof *triples);
    uint8_t *const depth = malloc(num + 1);
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (triples && depth) {
        status = sort_continued(plan, triples, depth);
        if (status == CLSP_OK) status = upload(plan, series, &plan->continued, triples, 3 * num);
    } else {
        clspi_fail(&plan->base.ctx->log, status, "solid: no memory for %zu points", num);
    }
    free(triples);
    free(depth);
    return status;
}

/* Brings the sets and their index to the device, and gives what the host does not need any more
   back. */
static clsp_status upload_sets(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_cell_layout *const layout = &plan->layout;

    CLSPI_CHECK(upload(plan, series, &plan->index, layout->index, layout->num_index));
    CLSPI_CHECK(upload(plan, series, &plan->layer_sets, layout->layers.words,
                       layout->layers.num * clspi_set_words(&layout->layers)));
    CLSPI_CHECK(upload(plan, series, &plan->full_sets, layout->full.words,
                       layout->full.num * clspi_set_words(&layout->full)));
    free(layout->index);
    free(layout->layers.words);
    free(layout->full.words);
    layout->index = layout->layers.words = layout->full.words = NULL;
    return CLSP_OK;
}

/* Brings the blocks to the device. Their points, which take most of a plan's memory, stay there
   alone until the host needs them. */
static clsp_status upload_blocks(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_cell_blocks *const b = &plan->points.blocks;
    const size_t bytes = b->num_patterns * CLSPI_PATTERN;

    CLSPI_CHECK(upload(plan, series, &plan->block_words, b->words, b->num * CLSPI_BLOCK_WORDS));
    CLSPI_CHECK(upload(plan, series, &plan->block_points, b->points, b->num_points));
    CLSPI_CHECK(clspi_buffer_create(&plan->patterns, plan->base.ctx, bytes + 1));
    CLSPI_CHECK(clspi_series_write(series, plan->patterns, 0, b->patterns, bytes));
    if (plan->owner) return CLSP_OK;
    free(b->points);
    b->points = NULL;
    return CLSP_OK;
}

clsp_status clspi_solid_hold_blocks(clsp_solid_plan *plan)
{
    clspi_cell_blocks *const b = &plan->points.blocks;
    const size_t bytes = b->num_points * sizeof *b->points;
    clspi_call call;

    if (plan->owner || b->points || bytes == 0) return CLSP_OK;
    CLSPI_CHECK(clspi_call_check(&plan->base, NULL));
    uint32_t *const points = malloc(bytes);
    if (!points)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: no memory for the points of %zu cells", plan->num_cells);
    clsp_status status = clspi_call_begin(&call, &plan->base, NULL);
    if (status == CLSP_OK)
        status = clspi_call_end(
            &call, clspi_series_read(&call.series, plan->block_points, 0, points, bytes));
    if (status != CLSP_OK) {
        free(points);
        return status;
    }
    b->points = points;
    return CLSP_OK;
}

/* Brings the layout and the tables of values to the device. */
static clsp_status upload_all(clsp_solid_plan *plan, clspi_series *series)
{
    static const uint8_t values[3] = {0, 0, 0};

    CLSPI_CHECK(upload_sets(plan, series));
    CLSPI_CHECK(upload_blocks(plan, series));
    if (!plan->owner) CLSPI_CHECK(upload_continued(plan, series));
    return clspi_sample_tables_prepare(plan, series, values);
}

/* Finds the classes and points of all cells. */
static clsp_status find_points(clsp_solid_plan *plan, const clsp_solid_mesh *mesh)
{
    const clspi_parallel threads = clspi_solid_threads(mesh->ctx);
    const bool done = clspi_class_set_make(&plan->classes) &&
                      clspi_cell_points_make(&plan->points, &plan->classes, &mesh->cells, &threads);

    if (done) return CLSP_OK;
    if (plan->classes.too_large)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: more than %d cells, or %d vertices of theirs, touch one",
                          CLSPI_RING_CELLS, CLSPI_RING_POINTS);
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for the points of %zu cells", plan->num_cells);
}

/* Takes over classes and points of another plan, whose they stay; scratch memory is the plan's
   own. */
static clsp_status borrow_points(clsp_solid_plan *plan, const clsp_solid_plan *owner)
{
    plan->owner = owner;
    plan->points = owner->points;
    plan->classes = owner->classes;
    for (uint32_t i = 0; i < CLSPI_COUNT(plan->classes.scratch); i++)
        plan->classes.scratch[i] = malloc(CLSPI_RING_POINTS * sizeof *plan->classes.scratch[i]);
    if (plan->classes.scratch[0] && plan->classes.scratch[1]) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY, "solid: no memory for classes");
}

/* Builds what a plan whose points are known has on its device. */
static clsp_status build(clsp_solid_plan *plan)
{
    clspi_call call;

    plan->cell_reals = clspi_grid_size(&plan->desc) * plan->desc.dim;
    CLSPI_CHECK(clspi_cell_layout_make(plan));
    CLSPI_CHECK(create_kernels(plan));
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_end(&call, upload_all(plan, &call.series));
}

/* Allocates a plan of so many vertices and cells. */
static clsp_status allocate(clsp_solid_plan **plan, clsp_context *ctx, const clsp_solid_desc *desc,
                            size_t num_vertices, size_t num_cells)
{
    clsp_solid_plan *const made = calloc(1, sizeof *made);

    if (!made) return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "solid: no memory for a plan");
    clsp_status status = clspi_plan_init(&made->base, ctx, "solid");
    if (status != CLSP_OK) {
        free(made);
        return status;
    }
    made->desc = *desc;
    made->num_vertices = num_vertices;
    made->num_cells = num_cells;
    made->peers.kind = &clspi_solid_peers;
    status = clspi_host_state_init(&made->host, &made->base, free);
    if (status != CLSP_OK) {
        clspi_plan_release(&made->base);
        free(made);
        return status;
    }
    *plan = made;
    return CLSP_OK;
}

clsp_status clspi_solid_plan_like(clsp_solid_plan **plan, clsp_context *ctx,
                                  const clsp_solid_plan *owner)
{
    clsp_status status;

    *plan = NULL;
    CLSPI_CHECK(clspi_context_usable(ctx));
    CLSPI_CHECK(clspi_precision_check(ctx, "solid", owner->desc.precision));
    CLSPI_CHECK(allocate(plan, ctx, &owner->desc, owner->num_vertices, owner->num_cells));
    status = borrow_points(*plan, owner);
    if (status == CLSP_OK) status = build(*plan);
    if (status != CLSP_OK) clsp_solid_plan_destroy(plan);
    return status;
}

clsp_status clsp_solid_plan_create(clsp_solid_plan **plan, const clsp_solid_mesh *mesh,
                                   const clsp_solid_desc *desc)
{
    clsp_solid_desc all;
    clsp_status status;

    if (plan) *plan = NULL;
    if (!plan || !mesh || !desc)
        return clspi_fail(mesh ? &mesh->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_solid_plan_create: NULL argument");
    CLSPI_CHECK(clspi_context_usable(mesh->ctx));
    all = *desc;
    CLSPI_CHECK(resolve(mesh->ctx, &all));
    if (!mesh->is_hexahedral)
        return clspi_fail(&mesh->ctx->log, CLSP_ERROR_ARGUMENT,
                          "solid: the mesh is not hexahedral; refine it");
    CLSPI_CHECK(allocate(plan, mesh->ctx, &all, mesh->cells.num_vertices, mesh->cells.num_cells));
    status = find_points(*plan, mesh);
    if (status == CLSP_OK) status = build(*plan);
    if (status != CLSP_OK) clsp_solid_plan_destroy(plan);
    return status;
}

/* Releases classes and points, or what of them is not another plan's. */
static void release_points(clsp_solid_plan *plan)
{
    if (!plan->owner) {
        clspi_cell_points_release(&plan->points);
        clspi_class_set_release(&plan->classes);
        return;
    }
    for (uint32_t i = 0; i < CLSPI_COUNT(plan->classes.scratch); i++)
        free(plan->classes.scratch[i]);
}

void clsp_solid_plan_destroy(clsp_solid_plan **ptr)
{
    clsp_solid_plan *const plan = ptr ? *ptr : NULL;

    if (!plan) return;
    *ptr = NULL;
    if (clspi_context_is_inherited(plan->base.ctx)) return;
    clspi_peers_release(&plan->peers);
    for (uint32_t i = 0; i < CLSPI_ORDERS; i++)
        clspi_sample_tables_release(&plan->tables[i]);
    clspi_buffer_release(&plan->control);
    clspi_buffer_release(&plan->index);
    clspi_buffer_release(&plan->block_words);
    clspi_buffer_release(&plan->block_points);
    clspi_buffer_release(&plan->patterns);
    clspi_buffer_release(&plan->layer_sets);
    clspi_buffer_release(&plan->full_sets);
    clspi_buffer_release(&plan->continued);
    clspi_point_copies_release(plan);
    clspi_kernel_release(&plan->continue_points);
    clspi_kernel_release(&plan->regular);
    clspi_kernel_release(&plan->layers);
    clspi_kernel_release(&plan->full);
    clspi_kernel_release(&plan->lists.kernel);
    clspi_buffer_release(&plan->lists.begin);
    clspi_buffer_release(&plan->lists.index);
    clspi_buffer_release(&plan->lists.weights);
    clspi_cell_layout_release(&plan->layout);
    release_points(plan);
    clspi_solid_host_release(plan);
    clspi_plan_release(&plan->base);
    free(plan);
}

clsp_status clsp_solid_plan_desc(const clsp_solid_plan *plan, clsp_solid_desc *desc)
{
    if (!plan || !desc)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_solid_plan_desc");
    *desc = plan->desc;
    return CLSP_OK;
}

/* ---- classes ---- */

clsp_status clsp_solid_classes(const clsp_solid_plan *plan, clsp_solid_class *classes, size_t room,
                               size_t *num)
{
    if (!plan || !num || (room && !classes))
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_solid_classes");
    *num = 1 + (size_t)plan->classes.num;
    for (size_t i = 0; i < room && i < *num; i++) {
        classes[i] = (clsp_solid_class){.kind = CLSP_SOLID_REGULAR, .num_points = 64};
        if (i == 0) continue;
        const clspi_cell_class *const entry = &plan->classes.entry[i - 1];
        classes[i].kind = entry->kind == CLSPI_KIND_LAYERED     ? CLSP_SOLID_LAYERED
                          : entry->kind == CLSPI_KIND_IRREGULAR ? CLSP_SOLID_IRREGULAR
                                                                : CLSP_SOLID_SPLIT;
        classes[i].num_points = entry->num_points;
    }
    for (uint32_t u = 0; u < plan->layout.num_uses; u++) {
        const clspi_cell_use *const use = &plan->layout.uses[u];
        const size_t i = use->of.number == CLSPI_REGULAR ? 0 : 1 + (size_t)use->of.number;
        if (i < room) classes[i].num_cells += use->num_cells;
    }
    return CLSP_OK;
}

clsp_status clsp_solid_cell_classes(const clsp_solid_plan *plan, clsp_range cells,
                                    clsp_output classes)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_solid_cell_classes");
    CLSPI_CHECK(clspi_solid_cells_check(plan, cells));
    CLSPI_CHECK(clspi_solid_check_output(plan->base.ctx, &classes, cells.count, CLSP_U32,
                                         CLSP_TYPE_DEFAULT));
    uint32_t *const to = (uint32_t *)classes.host + classes.offset;
    for (size_t c = 0; c < cells.count; c++) {
        const uint32_t number = plan->points.use[cells.first + c].number;
        to[c] = number == CLSPI_REGULAR ? 0 : 1 + number;
    }
    return CLSP_OK;
}
