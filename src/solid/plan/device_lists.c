#include "device_lists.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "class_trees.h"
#include "kernel_arguments.h"
#include "profile.h"
#include "solid_desc.h"
#include "solid_upload.h"

enum {
    MOST_REALS = 1 << 24, /* of all trees */
    POINT_FMA = 512       /* multiply-adds of a point and channel, about */
};

/* ---- what the device has ---- */

/* Tells whether a device goes down trees in good time. Mesa's llvmpipe, which has items as lanes of
   vectors, takes minutes for what the host finds the weights of in seconds. */
static bool takes_trees(const clsp_device_info *device)
{
    return !clspi_is_rusticl(device->platform) || !strstr(device->name, "llvmpipe");
}

const char *clspi_device_list_lack(const clsp_solid_plan *plan)
{
    const clspi_solid_shape *const shape = &plan->shape;

    if (plan->lattice) return "the host makes lists by stars";
    if (shape->num_sums != 1 || shape->number[0] != CLSPI_VALUE || shape->has_normal)
        return "the host makes lists of more than points";
    if (!takes_trees(&plan->base.ctx->device)) return "it takes minutes for the trees of classes";
    return plan->lists.is_tried && !plan->lists.is_there ? "the trees of classes are too large"
                                                         : NULL;
}

static clsp_status no_memory(const clsp_solid_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for lists of points in %zu cells", plan->num_cells);
}

/* Makes the trees of the classes that cells have. *fits: there are such, and not too large ones. */
static clsp_status make_trees(const clsp_solid_plan *plan, clspi_class_trees *trees, bool *fits)
{
    const clspi_class_set *const set = &plan->classes;
    const double least = plan->desc.precision == CLSP_F64 ? 0x1p-46 : 0x1p-28;
    bool *const used = calloc((size_t)set->num + 1, sizeof *used);

    if (!used) return no_memory(plan);
    for (size_t c = 0; c < plan->num_cells; c++)
        if (plan->points.use[c].number != CLSPI_REGULAR) used[plan->points.use[c].number] = true;
    *fits = clspi_class_trees_make(trees, set, used, least, CLSPI_LIMIT_DEPTH, MOST_REALS);
    free(used);
    return *fits || trees->too_large ? CLSP_OK : no_memory(plan);
}

/* Writes the place and the code of each cell, and the words of trees. */
static void write_words(const clsp_solid_plan *plan, const clspi_class_trees *trees,
                        uint32_t *words)
{
    const clspi_cell_points *const points = &plan->points;
    const size_t index = 2 * plan->num_cells;

    for (size_t c = 0; c < plan->num_cells; c++) {
        const clspi_class_use use = points->use[c];
        words[2 * c] = points->place[c];
        words[2 * c + 1] = use.number == CLSPI_REGULAR
                               ? CLSPI_TREE_LEAF
                               : use.number << CLSPI_TREE_CODE_BITS | clspi_tree_frame(use.frame);
    }
    memcpy(words + index, trees->words, trees->num_words * sizeof *words);
}

/* Brings the points of cells that are not regular, which the device may have, to words from one
   on. */
static clsp_status upload_index(clsp_solid_plan *plan, clspi_series *series, size_t at)
{
    const clspi_cell_points *const points = &plan->points;
    const size_t bytes = points->num_index * sizeof *points->index;

    if (bytes == 0) return CLSP_OK;
    return points->index ? clspi_series_write(series, plan->lists.words, at * sizeof(uint32_t),
                                              points->index, bytes)
                         : clspi_series_copy(series, plan->index, 0, plan->lists.words,
                                             at * sizeof(uint32_t), bytes);
}

/* Uploads the words of cells and of trees, and between them `num` words of points. */
static clsp_status upload_words(clsp_solid_plan *plan, clspi_series *series,
                                const clspi_class_trees *trees, size_t num)
{
    clspi_point_lists *const lists = &plan->lists;
    const size_t cells = lists->index_at * sizeof(uint32_t);
    const size_t bytes = trees->num_words * sizeof(uint32_t);
    uint32_t *const words = malloc(cells + bytes + 1);
    clsp_status status;

    if (!words) return no_memory(plan);
    write_words(plan, trees, words);
    status = clspi_buffer_create(&lists->words, plan->base.ctx, num * sizeof *words);
    if (status == CLSP_OK) status = clspi_series_write(series, lists->words, 0, words, cells);
    if (status == CLSP_OK) status = upload_index(plan, series, lists->index_at);
    if (status == CLSP_OK && bytes)
        status = clspi_series_write(series, lists->words, lists->trees_at * sizeof *words,
                                    words + lists->index_at, bytes);
    free(words);
    return status;
}

/* Brings the reals of trees to the device, in the plan's precision. */
static clsp_status upload_reals(clsp_solid_plan *plan, clspi_series *series,
                                clspi_class_trees *trees)
{
    clspi_point_lists *const lists = &plan->lists;
    const size_t bytes = trees->num_reals * clsp_type_bytes(plan->desc.precision);

    if (plan->desc.precision == CLSP_F32)
        for (size_t i = 0; i < trees->num_reals; i++)
            clspi_put_float(trees->reals, i, trees->reals[i]);
    CLSPI_CHECK(clspi_buffer_create(&lists->tables, plan->base.ctx, bytes + 4 * sizeof(double)));
    return bytes ? clspi_series_write(series, lists->tables, 0, trees->reals, bytes) : CLSP_OK;
}

static clsp_status upload(clsp_solid_plan *plan, clspi_series *series, clspi_class_trees *trees)
{
    const clsp_context *const ctx = plan->base.ctx;
    clspi_point_lists *const lists = &plan->lists;
    const size_t index = 2 * plan->num_cells, at = index + plan->points.num_index;
    const size_t num = at + trees->num_words;
    const size_t real = clsp_type_bytes(plan->desc.precision);
    const clspi_options options = clspi_device_list_options(ctx, &plan->desc);

    if (num > UINT32_MAX || num > ctx->device.max_alloc_bytes / sizeof(uint32_t) ||
        trees->num_reals + 4 > ctx->device.max_alloc_bytes / real)
        return CLSP_OK;
    lists->index_at = (uint32_t)index;
    lists->trees_at = (uint32_t)at;
    CLSPI_CHECK(upload_words(plan, series, trees, num));
    CLSPI_CHECK(upload_reals(plan, series, trees));
    CLSPI_CHECK(clspi_kernel_create(&lists->kernel, plan->base.ctx, "list_points",
                                    &clspi_list_points_signature, &options));
    lists->is_there = true;
    return CLSP_OK;
}

/* Makes what the device needs, unless its weights are found by the host. */
static clsp_status make_ready(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_class_trees trees = {.words = NULL};
    bool fits = false;
    clsp_status status;

    clspi_device_lists_release(plan);
    status = make_trees(plan, &trees, &fits);
    if (status == CLSP_OK && fits) status = upload(plan, series, &trees);
    clspi_class_trees_release(&trees);
    if (status == CLSP_OK)
        plan->lists.is_tried = true;
    else
        clspi_device_lists_release(plan);
    return status;
}

clspi_options clspi_device_list_options(const clsp_context *ctx, const clsp_solid_desc *desc)
{
    clspi_options options = clspi_options_of(ctx, desc->precision);
    uint32_t block = desc->dim < 4 ? desc->dim : 4;

    while (desc->dim % block != 0)
        block--;
    clspi_option(&options, "DIM", desc->dim);
    clspi_option(&options, "BLOCK", block);
    if (!clspi_solid_is_plain(desc)) clspi_vertex_place_options(&options, &desc->vertex);
    return options;
}

clsp_status clspi_device_lists_try(clsp_solid_plan *plan)
{
    clspi_call call;

    if (plan->lists.is_tried || clspi_device_list_lack(plan)) return CLSP_OK;
    CLSPI_CHECK(clspi_solid_device_ready(plan, NULL));
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_finish(&call, make_ready(plan, &call.series));
}

void clspi_device_lists_release(clsp_solid_plan *plan)
{
    clspi_point_lists *const lists = &plan->lists;

    clspi_kernel_release(&lists->kernel);
    clspi_buffer_release(&lists->words);
    clspi_buffer_release(&lists->tables);
    lists->is_there = lists->is_tried = false;
}

/* ---- points ---- */

clsp_status clspi_device_lists_ready(clsp_solid_plan *plan, clspi_series *series)
{
    CLSPI_CHECK(clspi_solid_device_ready(plan, series));
    if (!plan->lists.is_tried) CLSPI_CHECK(make_ready(plan, series));
    if (plan->lists.is_there) return CLSP_OK;
    return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_DEVICE, "solid: %s",
                      clspi_device_list_lack(plan));
}

clsp_status clspi_device_list_make(clsp_solid_plan *plan, clspi_series *series,
                                   const clspi_device_list *list)
{
    const clspi_point_lists *const lists = &plan->lists;
    const uint32_t step = list->is_planar ? 1 : 3;
    const clspi_place *param[3];
    size_t from[3];

    CLSPI_CHECK(clspi_device_lists_ready(plan, series));
    for (uint32_t a = 0; a < 3; a++) {
        param[a] = &list->params[list->is_planar ? a : 0];
        from[a] = param[a]->offset + (list->is_planar ? 0 : a);
    }
    const uint64_t most = clspi_launch_lines(
        &plan->base.ctx->tuning, (uint64_t)POINT_FMA * plan->desc.dim, 1, lists->kernel.local, 1);
    for (size_t first = 0; first < list->num; first += most) {
        const size_t items = clspi_min_u64(most, list->num - first);
        const clspi_list_points_args args = {
            .points = plan->control,
            .list = plan->block_points,
            .blocks = plan->block_words,
            .patterns = plan->patterns,
            .words = lists->words,
            .tables = lists->tables,
            .items = list->cells ? list->cells->buffer : lists->words,
            .params_u = param[0]->buffer,
            .params_v = param[1]->buffer,
            .params_w = param[2]->buffer,
            .out = list->out.buffer,
            .at = {.num = (uint32_t)items,
                   .items = list->cells != NULL,
                   .step = step,
                   .cells = (uint32_t)plan->num_cells,
                   .vertices = (uint32_t)plan->num_vertices,
                   .index = lists->index_at,
                   .trees = lists->trees_at,
                   .from_items = (list->cells ? list->cells->offset : 0) + first,
                   .from_u = from[0] + first * step,
                   .from_v = from[1] + first * step,
                   .from_w = from[2] + first * step,
                   .offset = list->out.offset + first * plan->shape.stride}};
        CLSPI_CHECK(clspi_launch_list_points(series, &lists->kernel, &args, items));
    }
    return CLSP_OK;
}
