/* The public call that loads the control points of solids. */
#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "kernel_arguments.h"
#include "lattice.h"
#include "memory.h"
#include "point_copies.h"
#include "solid_locate.h"
#include "solid_plan.h"
#include "split.h"

/* Returns the bytes of the control points of vertices, or of all. */
static size_t bytes_of(const clsp_solid_plan *plan, bool all)
{
    const size_t num = all ? clspi_num_points(&plan->points) : plan->num_vertices;

    return num * plan->desc.dim * clsp_type_bytes(plan->desc.precision);
}

/* ---- on the device ---- */

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
                                                     .first = (uint32_t)first,
                                                     .items = (uint32_t)items};
            CLSPI_CHECK(clspi_launch_continue_points(series, &plan->continue_points, &args, items));
        }
    }
    return CLSP_OK;
}

/* Makes the buffer of all control points, unless there is one. */
static clsp_status reserve(clsp_solid_plan *plan)
{
    return plan->control
               ? CLSP_OK
               : clspi_buffer_create(&plan->control, plan->base.ctx, bytes_of(plan, true) + 1);
}

/* Makes what kernels read in the place of control points that are on the device. */
static clsp_status finish(clsp_solid_plan *plan, clspi_series *series)
{
    CLSPI_CHECK(plan->lattice ? clspi_lattice_load(plan, series)
                              : clspi_point_copies_make(plan, series));
    plan->is_uploaded = true;
    return CLSP_OK;
}

clsp_status clspi_control_upload(clsp_solid_plan *plan, clspi_series *series, const void *points)
{
    const size_t bytes = bytes_of(plan, true);

    CLSPI_CHECK(reserve(plan));
    if (bytes) CLSPI_CHECK(clspi_series_write(series, plan->control, 0, points, bytes));
    return finish(plan, series);
}

/* Brings the control points of vertices; those that the host makes vertices with stay as they are.
 */
static clsp_status upload(clsp_solid_plan *plan, clspi_series *series, const clspi_memory *from)
{
    const size_t bytes = bytes_of(plan, false);

    CLSPI_CHECK(from->buffer ? clspi_series_copy(series, from->buffer, from->offset * from->element,
                                                 plan->control, 0, bytes)
                             : clspi_series_write(series, plan->control, 0, from->host, bytes));
    if (plan->by_host) return CLSP_OK;
    if (!plan->lattice) CLSPI_CHECK(continue_all(plan, series));
    return finish(plan, series);
}

/* ---- on the host ---- */

/* Makes the points beyond the boundary of those of vertices, which are there. */
static void continue_on_host(const clsp_solid_plan *plan, void *control)
{
    const clspi_cell_points *const points = &plan->points;
    const size_t dim = plan->desc.dim;

    for (size_t i = 0; i < points->continued.num * dim; i++) {
        const size_t to = points->num_vertices * dim + i, c = i % dim;
        const size_t a = clspi_continued_from(points, i / dim, 0) * dim + c;
        const size_t b = clspi_continued_from(points, i / dim, 1) * dim + c;
        if (plan->desc.precision == CLSP_F64)
            ((double *)control)[to] = 2.0 * ((double *)control)[a] - ((double *)control)[b];
        else
            ((float *)control)[to] = 2.0f * ((float *)control)[a] - ((float *)control)[b];
    }
}

/* Reads the control points of vertices from the device. */
static clsp_status read(clsp_solid_plan *plan, void *to, size_t bytes)
{
    clspi_call call;

    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_end(&call, clspi_series_read(&call.series, plan->control, 0, to, bytes));
}

/* Makes the host's copy, of host memory or of what the device has. */
static clsp_status hold(clsp_solid_plan *plan, const void *from)
{
    const size_t bytes = bytes_of(plan, false);
    void *const data = calloc(1, bytes_of(plan, true) + CLSPI_HOST_ROOM);
    clsp_status status = CLSP_OK;

    if (!data)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: no host memory for control points");
    if (from)
        memcpy(data, from, bytes);
    else if (bytes)
        status = read(plan, data, bytes);
    if (status != CLSP_OK) {
        free(data);
        return status;
    }
    continue_on_host(plan, data);
    plan->host.data = data;
    return CLSP_OK;
}

clsp_status clspi_control_hold(clsp_solid_plan *plan)
{
    if (!plan->host.data) CLSPI_CHECK(hold(plan, NULL));
    return clspi_host_state_read(&plan->host, &plan->base, NULL, 0, 0);
}

static clsp_status load_on_host(clsp_solid_plan *plan, const clspi_memory *from,
                                const clsp_run *run)
{
    CLSPI_CHECK(clspi_plan_await(&plan->base, run));
    CLSPI_CHECK(hold(plan, from->host));
    plan->is_loaded = true;
    return clspi_run_done(&plan->base, run);
}

/* ---- the call ---- */

static clsp_status load(clsp_solid_plan *plan, const clspi_memory *from, const clsp_run *run)
{
    size_t bytes = clspi_num_points(&plan->points) * plan->desc.dim;
    clspi_call call;

    if (!clspi_size_mul(&bytes, from->element))
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: the control points are more than the address space");
    plan->is_loaded = plan->is_uploaded = false;
    if (plan->lattice) plan->lattice->has_points = false;
    clspi_solid_locate_destroy(&plan->located);
    clspi_host_state_forget(&plan->host);
    clspi_peers_forget(&plan->peers);
    if (plan->by_host && !from->buffer) return load_on_host(plan, from, run);
    CLSPI_CHECK(reserve(plan));
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, run));
    const clsp_status status = upload(plan, &call.series, from);
    plan->is_loaded = status == CLSP_OK;
    return from->buffer ? clspi_call_end(&call, status) : clspi_call_finish(&call, status);
}

clsp_status clsp_solid_set_control_points(clsp_solid_plan *plan, clsp_input points,
                                          const clsp_run *run)
{
    clspi_memory memory;
    clsp_status status;

    if (!plan) return clspi_null_argument(NULL, "clsp_solid_set_control_points");
    CLSPI_CHECK(clspi_change_check(&plan->base));
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_setting_check(&plan->base, run, "loading control points"));
    const clspi_memory_need need = {"points", plan->desc.precision,
                                    plan->num_vertices * plan->desc.dim};
    status = clspi_input_open(&memory, &plan->base, &points, &need);
    if (status == CLSP_OK) status = load(plan, &memory, run);
    clspi_memory_close(&memory);
    return status;
}
