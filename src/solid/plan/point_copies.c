/* Control points as kernels read them: block by block and set by set. What reads them then waits
   for one access to memory instead of two, and items beside each other read what is adjacent. */
#include "point_copies.h"

#include "buffer.h"
#include "check.h"
#include "kernel_arguments.h"
#include "split.h"

/* Makes room for so many reals. */
static clsp_status reserve(const clsp_solid_plan *plan, clspi_point_copies *copies, size_t reals)
{
    const size_t bytes = reals * clsp_type_bytes(plan->desc.precision);

    return copies->buffer ? CLSP_OK : clspi_buffer_create(&copies->buffer, plan->base.ctx, bytes);
}

static clsp_status copy_blocks(clsp_solid_plan *plan, clspi_series *series)
{
    const uint32_t dim = plan->desc.dim;
    const size_t num = plan->points.blocks.num_points;
    clspi_point_copies *const copies = &plan->blocks_copied;
    const uint64_t most =
        clspi_launch_lines(&plan->base.ctx->tuning, dim, dim, copies->kernel.local, 1);

    CLSPI_CHECK(reserve(plan, copies, num * dim));
    for (size_t first = 0; first < num; first += most) {
        const size_t items = dim * clspi_min_u64(most, num - first);
        const clspi_copy_blocks_args args = {.points = plan->control,
                                             .list = plan->block_points,
                                             .copies = copies->buffer,
                                             .first = (uint32_t)first,
                                             .items = (uint32_t)items};
        CLSPI_CHECK(clspi_launch_copy_blocks(series, &copies->kernel, &args, items));
    }
    return CLSP_OK;
}

/* Copies the points of sets. words: theirs on the device; terms: of a cell at most. */
static clsp_status copy_sets(clsp_solid_plan *plan, clspi_series *series,
                             const clspi_cell_sets *sets, cl_mem words, clspi_point_copies *copies,
                             uint32_t terms)
{
    const uint64_t fma = (uint64_t)sets->size * terms * plan->desc.dim;
    const uint64_t most =
        clspi_launch_lines(&plan->base.ctx->tuning, fma, COPIERS, copies->kernel.local, 1);

    CLSPI_CHECK(reserve(plan, copies, 4 * sets->copies));
    for (size_t first = 0; first < sets->num; first += most) {
        const size_t items = COPIERS * clspi_min_u64(most, sets->num - first);
        const clspi_copy_sets_args args = {.points = plan->control,
                                           .index = plan->index,
                                           .sets = words,
                                           .copies = copies->buffer,
                                           .first = (uint32_t)first,
                                           .items = (uint32_t)items};
        CLSPI_CHECK(
            clspi_series_launch(series, &copies->kernel, copies->kernel.signature, &args, items));
    }
    return CLSP_OK;
}

_Static_assert(sizeof(clspi_copy_layers_args) == sizeof(clspi_copy_sets_args), "one form");

clsp_status clspi_point_copies_make(clsp_solid_plan *plan, clspi_series *series)
{
    const clspi_cell_layout *const layout = &plan->layout;

    if (plan->blocks_copied.kernel.kernel) CLSPI_CHECK(copy_blocks(plan, series));
    if (plan->layers_copied.kernel.kernel)
        CLSPI_CHECK(copy_sets(plan, series, &layout->layers, plan->layer_sets, &plan->layers_copied,
                              4 * CLSPI_MAX_SLICE));
    if (plan->full_copied.kernel.kernel)
        CLSPI_CHECK(copy_sets(plan, series, &layout->full, plan->full_sets, &plan->full_copied,
                              CLSPI_RING_POINTS));
    return CLSP_OK;
}

static void release(clspi_point_copies *copies)
{
    clspi_buffer_release(&copies->buffer);
    clspi_kernel_release(&copies->kernel);
}

void clspi_point_copies_release(clsp_solid_plan *plan)
{
    release(&plan->blocks_copied);
    release(&plan->layers_copied);
    release(&plan->full_copied);
}
