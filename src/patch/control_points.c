/* The control points of a plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "patch_plan.h"

static size_t real_bytes(const clsp_patch_plan *plan)
{
    return clsp_type_bytes(plan->desc.precision);
}

static clsp_status too_many(const clsp_patch_plan *plan, size_t num_patches)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "%s: %zu patches are more than the address space", plan->base.family,
                      num_patches);
}

/* ---- weights ---- */

/* Checks the weights of points, the last coordinate of each. first: reals of all patches before. */
static clsp_status check_weights(const clsp_patch_plan *plan, const void *points, size_t count,
                                 size_t first)
{
    const size_t coords = clspi_coords(&plan->desc);
    const bool wide = plan->desc.precision == CLSP_F64;

    for (size_t i = coords - 1; plan->desc.rational && i < count; i += coords) {
        const double w = wide ? ((const double *)points)[i] : (double)((const float *)points)[i];
        if (!(w > 0.0) || isinf(w))
            return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_WEIGHTS,
                              "%s: weight %zu of patch %zu is %g", plan->base.family,
                              (first + i) % plan->patch_reals / coords,
                              (first + i) / plan->patch_reals, w);
    }
    return CLSP_OK;
}

/* Reads whole points into scratch, a part at a time, and looks at their weights. */
static clsp_status read_weights(clsp_patch_plan *plan, clspi_series *series, void *scratch,
                                size_t most)
{
    const size_t all = plan->num_patches * plan->patch_reals;

    for (size_t first = 0; first < all; first += most) {
        const size_t count = clspi_min(most, all - first);
        CLSPI_CHECK(clspi_series_read(series, plan->points, first * real_bytes(plan), scratch,
                                      count * real_bytes(plan)));
        CLSPI_CHECK(check_weights(plan, scratch, count, first));
    }
    return CLSP_OK;
}

/* Looks at the weights of control points that have come from the device's memory. */
static clsp_status check_loaded(clsp_patch_plan *plan)
{
    enum { POINTS = 65536 };
    const size_t most = (size_t)POINTS * clspi_coords(&plan->desc);
    clspi_call call;

    if (!plan->desc.rational) return CLSP_OK;
    void *const scratch = malloc(most * real_bytes(plan));
    if (!scratch)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "%s: no memory to read weights into", plan->base.family);
    clsp_status status = clspi_call_begin(&call, &plan->base, NULL);
    if (status == CLSP_OK)
        status = clspi_call_end(&call, read_weights(plan, &call.series, scratch, most));
    free(scratch);
    if (status != CLSP_OK) plan->is_loaded = false;
    return status;
}

/* ---- loading ---- */

/* Tells whether the host alone has control points from such memory until kernels need them. Those
   from buffers are copied when their command runs, and the host reads them when it first needs
   them. */
static bool stays_on_host(const clsp_patch_plan *plan, const clspi_memory *from)
{
    return clspi_is_own_cpu(plan->base.ctx) && !from->buffer;
}

/* Makes room for the control points of num_patches patches; those before are gone. */
static clsp_status reserve(clsp_patch_plan *plan, size_t num_patches, const clspi_memory *from)
{
    size_t bytes = real_bytes(plan);

    if (!clspi_size_mul(&bytes, plan->patch_reals) || !clspi_size_mul(&bytes, num_patches))
        return too_many(plan, num_patches);
    plan->is_loaded = plan->is_made = false;
    plan->is_uploaded = !stays_on_host(plan, from);
    clspi_peers_forget(&plan->peers);
    if (!plan->is_uploaded) /* lists read a patch where there is none, too */
        return clspi_host_state_reserve(&plan->host, &plan->base, bytes,
                                        plan->patch_reals * real_bytes(plan));
    clspi_host_state_forget(&plan->host);
    return clspi_buffer_reserve(&plan->points, &plan->points_bytes, plan->base.ctx, bytes);
}

/* Tells the host's workers that the sums which they keep are of other control points. */
static void forget_host_sums(clsp_patch_plan *plan)
{
    for (size_t i = 0; plan->host.scratch && i < CLSPI_HOST_WORKERS; i++)
        if (plan->host.scratch[i]) clspi_vertex_scratch_forget(plan->host.scratch[i]);
}

clsp_status clspi_patch_upload(clsp_patch_plan *plan, clspi_series *series)
{
    const size_t bytes = plan->num_patches * plan->patch_reals * real_bytes(plan);

    if (plan->is_uploaded) return CLSP_OK;
    CLSPI_CHECK(clspi_buffer_reserve(&plan->points, &plan->points_bytes, plan->base.ctx, bytes));
    CLSPI_CHECK(clspi_series_write(series, plan->points, 0, plan->host.data, bytes));
    plan->is_uploaded = true;
    return CLSP_OK;
}

/* Takes control points from host memory into the host's. */
static clsp_status take(clsp_patch_plan *plan, clspi_series *series, size_t bytes,
                        const clspi_memory *from)
{
    CLSPI_CHECK(clspi_series_await_list(series));
    if (bytes > 0) memcpy(plan->host.data, from->host, bytes);
    return CLSP_OK;
}

/* Brings control points into the plan, and makes of them what kernels need if they are ready. */
static clsp_status upload(clsp_patch_plan *plan, clspi_series *series, size_t num_patches,
                          const clspi_memory *from)
{
    const size_t bytes = num_patches * plan->patch_reals * real_bytes(plan);

    if (stays_on_host(plan, from)) return take(plan, series, bytes, from);
    CLSPI_CHECK(from->buffer
                    ? clspi_series_copy(series, from->buffer, from->offset * real_bytes(plan),
                                        plan->points, 0, bytes)
                    : clspi_series_write(series, plan->points, 0, from->host, bytes));
    if (!plan->is_ready) return CLSP_OK;
    CLSPI_CHECK(clspi_patch_make_of_points(plan, series, num_patches));
    plan->is_made = true;
    return CLSP_OK;
}

static clsp_status load(clsp_patch_plan *plan, size_t num_patches, const clspi_memory *from,
                        const clsp_run *run)
{
    clspi_call call;

    CLSPI_CHECK(reserve(plan, num_patches, from));
    forget_host_sums(plan);
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, run));
    const clsp_status made = upload(plan, &call.series, num_patches, from);
    CLSPI_CHECK(from->host ? clspi_call_finish(&call, made) : clspi_call_end(&call, made));
    plan->num_patches = num_patches;
    plan->is_loaded = true;
    plan->loads++;
    return CLSP_OK;
}

clsp_status clspi_patch_load(clsp_patch_plan *plan, size_t num_patches, const void *points)
{
    const clspi_memory from = {.host = (char *)points}; /* it is only read */

    return load(plan, num_patches, &from, NULL);
}

clsp_status clsp_patch_set_control_points(clsp_patch_plan *plan, size_t num_patches,
                                          clsp_input points, const clsp_run *run)
{
    clspi_memory from;
    size_t count = num_patches;

    if (!plan) return clspi_null_argument(NULL, "clsp_patch_set_control_points");
    CLSPI_CHECK(clspi_change_check(&plan->base));
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_setting_check(&plan->base, run, "loading control points"));
    if (!clspi_size_mul(&count, plan->patch_reals)) return too_many(plan, num_patches);
    const clspi_memory_need need = {"control points", plan->desc.precision, count};
    clsp_status status = clspi_input_open(&from, &plan->base, &points, &need);
    if (status == CLSP_OK && from.host) status = check_weights(plan, from.host, count, 0);
    if (status == CLSP_OK) status = load(plan, num_patches, &from, run);
    clspi_memory_close(&from);
    if (status == CLSP_OK && !from.host && plan->desc.check_weights) {
        status = check_loaded(plan);
        if (status != CLSP_OK) clspi_run_undo(run);
    }
    return status;
}

/* ---- the host ---- */

clsp_status clspi_patch_read_points(clsp_patch_plan *plan)
{
    const size_t patch = plan->patch_reals * clsp_type_bytes(plan->desc.precision);

    /* lists read a patch where there is none, too, and lose what they make of it */
    return clspi_host_state_read(&plan->host, &plan->base, plan->points, plan->num_patches * patch,
                                 patch);
}

clsp_status clspi_patch_host_points(clsp_patch_plan *plan, const void **points)
{
    pthread_mutex_lock(&plan->host.lock);
    const clsp_status status = clspi_patch_read_points(plan);
    pthread_mutex_unlock(&plan->host.lock);
    *points = plan->host.data;
    return status;
}
