#include "solid_upload.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "point_copies.h"
#include "solid_kernels.h"
#include "star_vertices.h"

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

/* ---- what a plan has on its device ---- */

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

/* Tells whether points that the device has stay on the host, too: a peer's are its owner's. */
static bool keeps_points(const clsp_solid_plan *plan)
{
    return plan->owner || plan->by_host;
}

/* Brings the points of cells that are not regular to the device, the last ones first, and gives
   each part back when it is there: there is never more than one copy of most. */
static clsp_status upload_points(clsp_solid_plan *plan, clspi_series *series)
{
    enum { PART = 1 << 22 };
    clspi_cell_points *const points = &plan->points;
    const size_t bytes = sizeof *points->index;

    for (size_t left = points->num_index; left > 0;) {
        const size_t num = left < PART ? left : PART;
        left -= num;
        CLSPI_CHECK(clspi_series_write(series, plan->index, left * bytes, points->index + left,
                                       num * bytes));
        if (keeps_points(plan) || left == 0) continue;
        uint32_t *const less = realloc(points->index, left * bytes);
        if (less) points->index = less;
    }
    if (keeps_points(plan)) return CLSP_OK;
    free(points->index);
    points->index = NULL;
    return CLSP_OK;
}

/* Brings these points, and those of layered cells by layers. */
static clsp_status upload_index(clsp_solid_plan *plan, clspi_series *series)
{
    const clspi_cell_layout *const layout = &plan->layout;
    const size_t bytes = plan->has_grid ? plan->points.num_index * sizeof *plan->points.index : 0;
    const size_t more = layout->num_index * sizeof *layout->index;

    CLSPI_CHECK(clspi_buffer_create(&plan->index, plan->base.ctx, bytes + more + 1));
    CLSPI_CHECK(clspi_series_write(series, plan->index, bytes, layout->index, more));
    return plan->has_grid ? upload_points(plan, series) : CLSP_OK;
}

/* Brings the sets and their index to the device, and gives what the host does not need any more
   back. */
static clsp_status upload_sets(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_cell_layout *const layout = &plan->layout;

    CLSPI_CHECK(upload_index(plan, series));
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

/* Brings the blocks to the device. Their points stay there alone until the host needs them, as
   those of other cells do: they take most of a plan's memory. */
static clsp_status upload_blocks(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_cell_blocks *const b = &plan->points.blocks;
    const size_t bytes = b->num_patterns * CLSPI_PATTERN;

    CLSPI_CHECK(upload(plan, series, &plan->block_words, b->words, b->num * CLSPI_BLOCK_WORDS));
    CLSPI_CHECK(upload(plan, series, &plan->block_points, b->points, b->num_points));
    CLSPI_CHECK(clspi_buffer_create(&plan->patterns, plan->base.ctx, bytes + 1));
    CLSPI_CHECK(clspi_series_write(series, plan->patterns, 0, b->patterns, bytes));
    if (keeps_points(plan)) return CLSP_OK;
    free(b->points);
    b->points = NULL;
    return CLSP_OK;
}

/* Reads so many numbers of a buffer where the host has none. */
static clsp_status hold(clsp_solid_plan *plan, uint32_t **numbers, cl_mem buffer, size_t num)
{
    const size_t bytes = num * sizeof **numbers;
    clspi_call call;

    if (*numbers || bytes == 0) return CLSP_OK;
    CLSPI_CHECK(clspi_call_check(&plan->base, NULL));
    uint32_t *const read = malloc(bytes);
    if (!read)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: no memory for the points of %zu cells", plan->num_cells);
    clsp_status status = clspi_call_begin(&call, &plan->base, NULL);
    if (status == CLSP_OK)
        status = clspi_call_end(&call, clspi_series_read(&call.series, buffer, 0, read, bytes));
    if (status != CLSP_OK) {
        free(read);
        return status;
    }
    *numbers = read;
    return CLSP_OK;
}

clsp_status clspi_solid_hold_points(clsp_solid_plan *plan)
{
    clspi_cell_points *const points = &plan->points;

    if (plan->owner) return CLSP_OK;
    CLSPI_CHECK(hold(plan, &points->blocks.points, plan->block_points, points->blocks.num_points));
    return hold(plan, &points->index, plan->index, points->num_index);
}

/* Uploads the boundary faces of cells, which only kernels of normals read. */
static clsp_status upload_faces(clsp_solid_plan *plan, clspi_series *series)
{
    const size_t bytes = plan->faces ? plan->num_cells : 0;

    if (plan->is_plain || !plan->has_grid) return CLSP_OK;
    CLSPI_CHECK(clspi_buffer_create(&plan->cell_faces, plan->base.ctx, bytes + 1));
    return bytes ? clspi_series_write(series, plan->cell_faces, 0, plan->faces, bytes) : CLSP_OK;
}

static clsp_status upload_all(clsp_solid_plan *plan, clspi_series *series)
{
    CLSPI_CHECK(clspi_cell_sets_make(plan));
    CLSPI_CHECK(clspi_solid_create_kernels(plan));
    CLSPI_CHECK(upload_sets(plan, series));
    CLSPI_CHECK(upload_blocks(plan, series));
    if (!keeps_points(plan)) CLSPI_CHECK(upload_continued(plan, series));
    CLSPI_CHECK(upload_faces(plan, series));
    return plan->has_grid ? clspi_sample_tables_make(plan, series) : CLSP_OK;
}

/* Makes what is missing. */
static clsp_status make_ready(clsp_solid_plan *plan, clspi_series *series)
{
    clsp_status status = CLSP_OK;

    if (!plan->is_ready) {
        status = plan->lattice ? clspi_lattice_upload(plan, series) : upload_all(plan, series);
        if (status != CLSP_OK) clspi_solid_device_release(plan);
        CLSPI_CHECK(status);
        plan->is_ready = true;
    }
    if (!plan->is_loaded || plan->is_uploaded) return CLSP_OK;
    pthread_mutex_lock(&plan->host.lock);
    status = clspi_control_hold(plan);
    pthread_mutex_unlock(&plan->host.lock);
    return status == CLSP_OK ? clspi_control_upload(plan, series, plan->host.data) : status;
}

clsp_status clspi_solid_device_ready(clsp_solid_plan *plan, clspi_series *series)
{
    clspi_call call;

    if (plan->lattice && !plan->lattice->makes_grid) return CLSP_OK;
    if (plan->is_ready && (plan->is_uploaded || !plan->is_loaded)) return CLSP_OK;
    if (series) return make_ready(plan, series);
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_finish(&call, make_ready(plan, &call.series));
}

void clspi_solid_device_release(clsp_solid_plan *plan)
{
    clspi_sample_tables_release(&plan->tables);
    clspi_buffer_release(&plan->cell_faces);
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
    clspi_cell_sets_release(&plan->layout);
    if (plan->lattice) clspi_lattice_unload(plan);
}
