/* Cells of solids by the context's device. */
#include "check.h"
#include "cell_launch.h"
#include "lattice.h"
#include "solid_upload.h"

/* ---- checks ---- */

clsp_status clspi_solid_cells_check(const clsp_solid_plan *plan, clsp_range cells)
{
    if (cells.first <= plan->num_cells && cells.count <= plan->num_cells - cells.first)
        return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "solid: cells %zu to %zu + %zu of %zu", cells.first, cells.first, cells.count,
                      plan->num_cells);
}

clsp_status clspi_solid_need(const clsp_solid_plan *plan, clsp_range cells, clspi_memory_need *need)
{
    *need = (clspi_memory_need){"vertices", plan->desc.vertex.type, plan->cell_elements};
    if (clspi_size_mul(&need->count, cells.count) && need->count <= SIZE_MAX / sizeof(double))
        return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: the vertices of %zu cells are more than the address space",
                      cells.count);
}

/* ---- grids ---- */

clsp_status clspi_solid_enqueue(clsp_solid_plan *plan, clspi_series *series, clsp_range cells,
                                const clspi_target *target)
{
    const clsp_axis *const axis = plan->desc.axis;
    const clspi_cell_samples at = {.num_u = axis[0].num,
                                   .num_v = axis[1].num,
                                   .num_w = axis[2].num,
                                   .first = (cl_uint)cells.first,
                                   .count = (cl_uint)cells.count,
                                   .record = 0,
                                   .sets = 0,
                                   .groups = 1,
                                   .tile = 0,
                                   .offset = target->offset,
                                   .keep = plan->shape.number[0] == CLSPI_VALUE ? 1.0 : 0.0};

    CLSPI_CHECK(clspi_solid_device_ready(plan, series));
    if (plan->lattice) return clspi_lattice_enqueue(plan, series, cells, target);
    return clspi_cells_make(plan, series, target->buffer, at);
}
