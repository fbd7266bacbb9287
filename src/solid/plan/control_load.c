/* The public call that loads the control points of solids. */
#include "buffer.h"
#include "check.h"
#include "kernel_arguments.h"
#include "lattice.h"
#include "locate_points.h"
#include "memory.h"
#include "point_copies.h"
#include "solid_plan.h"
#include "split.h"

/* Makes the points beyond the boundary, those first that others are made of. */
static clsp_status continue_all(clsp_solid_plan *plan, clspi_series *series)
{
    const uint32_t dim = plan->desc.dim;
    const uint64_t most =
        clspi_launch_lines(&plan->base.ctx->tuning, dim, dim, plan->continue_points.local, 1);

    for (uint32_t d = 1; d < 4; d++) {
        const size_t end = plan->depth_first[d + 1];
        for (size_t first = plan->depth_first[d]; first < end; first += most) {
            const size_t items = dim * clspi_min_u64(most, end - first);
            const clspi_continue_points_args args = {.points = plan->control,
                                                     .from = plan->continued,
                                                     .first = (cl_uint)first,
                                                     .items = (cl_uint)items};
            CLSPI_CHECK(clspi_launch_continue_points(series, &plan->continue_points, &args, items));
        }
    }
    return CLSP_OK;
}

clsp_status clspi_control_reserve(clsp_solid_plan *plan, size_t bytes)
{
    const size_t behind = 4 * clsp_type_bytes(plan->desc.precision);

    return plan->control ? CLSP_OK
                         : clspi_buffer_create(&plan->control, plan->base.ctx, bytes + behind);
}

static clsp_status bring(clsp_solid_plan *plan, clspi_series *series, const clspi_memory *from)
{
    const size_t bytes = plan->num_vertices * plan->desc.dim * from->element;

    CLSPI_CHECK(from->buffer ? clspi_series_copy(series, from->buffer, from->offset * from->element,
                                                 plan->control, 0, bytes)
                             : clspi_series_write(series, plan->control, 0, from->host, bytes));
    if (plan->lattice) return clspi_lattice_load(plan, series);
    CLSPI_CHECK(continue_all(plan, series));
    return clspi_point_copies_make(plan, series);
}

static clsp_status load(clsp_solid_plan *plan, const clspi_memory *from, const clsp_run *run)
{
    size_t bytes = clspi_num_points(&plan->points) * plan->desc.dim;
    clspi_call call;

    if (!clspi_size_mul(&bytes, from->element))
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: the control points are more than the address space");
    plan->is_loaded = false;
    clspi_locate_forget(plan);
    clspi_host_state_forget(&plan->host);
    clspi_peers_forget(&plan->peers);
    CLSPI_CHECK(clspi_control_reserve(plan, bytes));
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, run));
    const clsp_status status = bring(plan, &call.series, from);
    plan->is_loaded = status == CLSP_OK;
    return from->buffer ? clspi_call_end(&call, status) : clspi_call_finish(&call, status);
}

clsp_status clsp_solid_set_control_points(clsp_solid_plan *plan, clsp_input points,
                                          const clsp_run *run)
{
    clspi_memory memory;
    clsp_status status;

    if (!plan) return clspi_null_argument(NULL, "clsp_solid_set_control_points");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_setting_check(&plan->base, run, "loading control points"));
    const clspi_memory_need need = {"points", plan->desc.precision,
                                    plan->num_vertices * plan->desc.dim};
    status = clspi_input_open(&memory, &plan->base, &points, &need);
    if (status == CLSP_OK) status = load(plan, &memory, run);
    clspi_memory_close(&memory);
    return status;
}
