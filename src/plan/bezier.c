/* The plan of Bezier patches: its life, control points, and evaluation on grids. */
#include "bezier_plan.h"

#include <math.h>
#include <stdlib.h>

#include "bezier_at.h"
#include "bezier_cooperate.h"
#include "bezier_desc.h"
#include "bezier_edges.h"
#include "bezier_finish.h"
#include "bezier_own.h"
#include "bezier_shared.h"
#include "bezier_vertices.h"
#include "buffer.h"
#include "check.h"

/* ---- series of a plan ---- */

clsp_status clspi_bezier_begin(clsp_bezier_plan *plan, clspi_series *series, cl_uint num_wait,
                               const cl_event *wait, const cl_event *done)
{
    clspi_series_begin(series, plan->ctx, num_wait, wait, done);
    return plan->last ? clspi_series_join(series, plan->last) : CLSP_OK;
}

clsp_status clspi_bezier_end(clsp_bezier_plan *plan, clspi_series *series, cl_event *done)
{
    clsp_status status;
    cl_event last = NULL;

    if (plan->ctx->in_order) return clspi_series_end(series, done);
    CLSPI_TRY(clspi_series_end(series, &last));
    if (plan->last) clReleaseEvent(plan->last);
    plan->last = last;
    if (!done) return CLSP_OK;
    CLSPI_TRY(clspi_cl(&plan->ctx->log, clRetainEvent(last), "clRetainEvent"));
    *done = last;
    return CLSP_OK;

fail:
    return status;
}

/* ---- creation ---- */

/* Vertices of a patch on the common grid. */
static clsp_status count_vertices(clsp_context *ctx, const clsp_bezier_desc *d, size_t *vertices)
{
    const size_t num = d->num_u;
    size_t bytes = sizeof(double); /* of the largest element */

    *vertices = num;
    if (d->form == CLSP_BEZIER_TRIANGLE) *vertices = num * (num + 1) / 2;
    if (clspi_size_mul(vertices, d->num_v) && clspi_size_mul(vertices, d->num_w) &&
        clspi_size_mul(&bytes, *vertices) && clspi_size_mul(&bytes, d->vertex_stride))
        return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bezier: one patch is larger than the address space");
}

static clsp_status count_points(clsp_context *ctx, const clsp_bezier_desc *d, size_t *reals)
{
    size_t bytes = sizeof(double);

    *reals = clspi_bezier_num_controls(d);
    if (*reals > 0 && clspi_size_mul(reals, d->dim + d->rational) && clspi_size_mul(&bytes, *reals))
        return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bezier: one patch's control points are more than the address space");
}

/* Whether vertices are made from nets on the common grid. */
static bool has_nets(const clsp_bezier_plan *plan)
{
    return plan->desc.form != CLSP_BEZIER_TRIANGLE && plan->vertices_per_patch > 0;
}

/* Takes over a resolved description: tables, kernels and, when control points are loaded, what is
   made of them. */
static clsp_status configure(clsp_bezier_plan *plan, const clsp_bezier_desc *d)
{
    clspi_series series = {0};
    clsp_status status;
    size_t vertices, points;

    CLSPI_TRY(count_vertices(plan->ctx, d, &vertices));
    CLSPI_TRY(count_points(plan->ctx, d, &points));
    clspi_bezier_host_forget(&plan->host, true);
    clspi_bezier_peers_forget(plan, true);
    plan->desc = *d;
    plan->vertices_per_patch = vertices;
    plan->points_per_patch = points;
    if (!has_nets(plan)) return CLSP_OK;
    CLSPI_TRY(clspi_bezier_begin(plan, &series, 0, NULL, NULL));
    const bool in_one_pass = !plan->plain && clspi_bezier_vertices_fit(plan);
    CLSPI_TRY(clspi_bezier_nets_prepare(&plan->nets, &series, d, in_one_pass));
    clspi_kernel_release(&plan->vertices);
    if (in_one_pass)
        CLSPI_TRY(clspi_bezier_vertices_prepare(plan));
    else if (!plan->plain)
        CLSPI_TRY(clspi_bezier_finish_prepare(plan));
    if (clspi_bezier_edges_needed(plan)) CLSPI_TRY(clspi_bezier_edges_prepare(plan));
    if (plan->loaded)
        CLSPI_TRY(clspi_bezier_nets_load(&plan->nets, &series, plan->points, plan->num_patches));
    return clspi_bezier_end(plan, &series, NULL);

fail:
    return clspi_series_fail(&series, status);
}

clsp_status clsp_bezier_plan_create(clsp_bezier_plan **out, clsp_context *ctx,
                                    const clsp_bezier_desc *desc)
{
    clsp_status status;
    clsp_bezier_desc d;
    clsp_bezier_plan *plan = NULL;

    if (out) *out = NULL;
    if (!out || !ctx || !desc)
        return clspi_fail(ctx ? &ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_bezier_plan_create: NULL argument");
    CLSPI_TRY(clspi_context_usable(ctx));
    CLSPI_TRY(clspi_bezier_resolve(ctx, desc, &d));
    plan = calloc(1, sizeof *plan);
    if (!plan) return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a plan");
    status = clspi_bezier_host_init(&plan->host, ctx);
    if (status != CLSP_OK) {
        free(plan);
        return status;
    }
    plan->ctx = ctx;
    plan->directions = clspi_bezier_directions(d.form);
    plan->coords = d.dim + d.rational;
    plan->real_bytes = d.precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    plan->store_bytes = d.storage == CLSP_STORE_F64   ? sizeof(double)
                        : d.storage == CLSP_STORE_F32 ? sizeof(float)
                                                      : sizeof(cl_half);
    plan->plain = clspi_bezier_is_plain(&d);
    CLSPI_TRY(configure(plan, &d));
    *out = plan;
    return CLSP_OK;

fail:
    clsp_bezier_plan_destroy(&plan);
    return status;
}

void clsp_bezier_plan_destroy(clsp_bezier_plan **ptr)
{
    clsp_bezier_plan *const plan = ptr ? *ptr : NULL;

    if (!plan) return;
    if (plan->last) clReleaseEvent(plan->last);
    clspi_bezier_nets_release(&plan->nets);
    clspi_bezier_finish_release(plan);
    clspi_kernel_release(&plan->vertices);
    clspi_kernel_release(&plan->edges);
    clspi_bezier_at_release(plan);
    clspi_bezier_peers_forget(plan, true);
    clspi_bezier_host_release(&plan->host);
    clspi_bezier_shared_release(plan);
    clspi_buffer_release(&plan->points);
    clspi_buffer_release(&plan->staging);
    free(plan);
    *ptr = NULL;
}

static clsp_status reconfigure(clsp_bezier_plan *plan, const clsp_bezier_desc *desc)
{
    clsp_bezier_desc d;
    clsp_status status;

    CLSPI_TRY(clspi_context_usable(plan->ctx));
    CLSPI_TRY(clspi_bezier_resolve(plan->ctx, desc, &d));
    if (d.degree_u != plan->desc.degree_u || d.degree_v != plan->desc.degree_v ||
        d.degree_w != plan->desc.degree_w) {
        plan->loaded = false;
        plan->num_patches = 0;
    }
    CLSPI_TRY(configure(plan, &d));
    return CLSP_OK;

fail:
    return status;
}

clsp_status clsp_bezier_set_resolution(clsp_bezier_plan *plan, uint32_t num_u, uint32_t num_v,
                                       uint32_t num_w)
{
    if (!plan)
        return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_bezier_set_resolution: plan is NULL");
    clsp_bezier_desc d = plan->desc;
    d.num_u = num_u;
    d.num_v = num_v;
    d.num_w = num_w;
    const clsp_status status = reconfigure(plan, &d);
    if (status == CLSP_OK) clspi_bezier_own_clear(plan);
    return status;
}

clsp_status clsp_bezier_set_degrees(clsp_bezier_plan *plan, uint32_t degree_u, uint32_t degree_v,
                                    uint32_t degree_w)
{
    if (!plan)
        return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_bezier_set_degrees: plan is NULL");
    clsp_bezier_desc d = plan->desc;
    d.degree_u = degree_u;
    d.degree_v = degree_v;
    d.degree_w = degree_w;
    return reconfigure(plan, &d);
}

/* ---- control points ---- */

/* Makes room for the control points of num_patches patches; those before are gone. */
static clsp_status reserve_points(clsp_bezier_plan *plan, size_t num_patches)
{
    size_t bytes = plan->real_bytes;

    if (!clspi_size_mul(&bytes, plan->points_per_patch) || !clspi_size_mul(&bytes, num_patches))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: %zu patches are more than the address space", num_patches);
    plan->loaded = false;
    clspi_bezier_host_forget(&plan->host, false);
    clspi_bezier_peers_forget(plan, false);
    return clspi_buffer_reserve(&plan->points, &plan->points_capacity, plan->ctx, bytes);
}

/* What is made of control points that are on their way into plan->points. */
static clsp_status load(clsp_bezier_plan *plan, clspi_series *series, size_t num_patches)
{
    clsp_status status;

    if (has_nets(plan))
        CLSPI_TRY(clspi_bezier_nets_load(&plan->nets, series, plan->points, num_patches));
    plan->num_patches = num_patches;
    plan->loaded = true;
    return CLSP_OK;

fail:
    return status;
}

clsp_status clsp_bezier_set_control_points(clsp_bezier_plan *plan, size_t num_patches,
                                           cl_mem points, size_t offset, cl_uint num_wait,
                                           const cl_event *wait, cl_event *done)
{
    clsp_status status;
    clspi_series series = {0};
    size_t count = num_patches;

    if (!plan)
        return clspi_fail(NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_bezier_set_control_points: plan is NULL");
    clsp_context *const ctx = plan->ctx;
    CLSPI_TRY(clspi_context_usable(ctx));
    CLSPI_TRY(clspi_wait_list_check(ctx, num_wait, wait));
    if (!clspi_size_mul(&count, plan->points_per_patch))
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: %zu patches are more than the address space", num_patches);
    CLSPI_TRY(clspi_buffer_check(ctx, points, offset, count, plan->real_bytes, "control points"));
    CLSPI_TRY(reserve_points(plan, num_patches));
    CLSPI_TRY(clspi_bezier_begin(plan, &series, num_wait, wait, done));
    CLSPI_TRY(clspi_series_copy(&series, points, offset * plan->real_bytes, plan->points, 0,
                                count * plan->real_bytes));
    CLSPI_TRY(load(plan, &series, num_patches));
    CLSPI_TRY(clspi_bezier_end(plan, &series, done));
    return CLSP_OK;

fail:
    if (plan) plan->loaded = plan->loaded && series.ctx == NULL;
    return clspi_series_fail(&series, status);
}

/* Of one patch, or of a part of them: the last coordinate of each point. */
static clsp_status check_weights(const clsp_bezier_plan *plan, const void *points, size_t count,
                                 size_t first)
{
    for (size_t i = plan->coords - 1; plan->desc.rational && i < count; i += plan->coords) {
        const double w = plan->desc.precision == CLSP_F64 ? ((const double *)points)[i]
                                                          : (double)((const float *)points)[i];
        if (!(w > 0.0 && w <= HUGE_VAL) || isinf(w))
            return clspi_fail(&plan->ctx->log, CLSP_ERROR_WEIGHTS,
                              "bezier: weight %zu of patch %zu is %g",
                              (first + i) % plan->points_per_patch / plan->coords,
                              (first + i) / plan->points_per_patch, w);
    }
    return CLSP_OK;
}

clsp_status clspi_bezier_load(clsp_bezier_plan *plan, size_t num_patches, const void *points)
{
    clsp_status status;
    clspi_series series = {0};

    CLSPI_TRY(reserve_points(plan, num_patches));
    CLSPI_TRY(clspi_bezier_begin(plan, &series, 0, NULL, NULL));
    CLSPI_TRY(clspi_series_write(&series, plan->points, 0, points,
                                 num_patches * plan->points_per_patch * plan->real_bytes));
    CLSPI_TRY(load(plan, &series, num_patches));
    CLSPI_TRY(clspi_bezier_end(plan, &series, NULL));
    return CLSP_OK;

fail:
    plan->loaded = plan->loaded && series.ctx == NULL;
    return clspi_series_fail(&series, status);
}

static clsp_status set_from_host(clsp_bezier_plan *plan, size_t num_patches, const void *points,
                                 clsp_precision precision)
{
    clsp_status status;
    size_t count = num_patches;

    if (!plan || (!points && num_patches > 0) || plan->desc.precision != precision)
        return clspi_fail(
            plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
            "bezier: control points: a NULL argument, or the precision is not the plan's");
    CLSPI_TRY(clspi_context_usable(plan->ctx));
    if (clspi_size_mul(&count, plan->points_per_patch))
        CLSPI_TRY(check_weights(plan, points, count, 0));
    return clspi_bezier_load(plan, num_patches, points);

fail:
    return status;
}

clsp_status clsp_bezier_set_control_points_f32(clsp_bezier_plan *plan, size_t num_patches,
                                               const float *points)
{
    return set_from_host(plan, num_patches, points, CLSP_F32);
}

clsp_status clsp_bezier_set_control_points_f64(clsp_bezier_plan *plan, size_t num_patches,
                                               const double *points)
{
    return set_from_host(plan, num_patches, points, CLSP_F64);
}

/* Reads whole points into scratch, a part at a time, and looks at their weights. */
static clsp_status read_weights(clsp_bezier_plan *plan, void *scratch, size_t most)
{
    const size_t all = plan->num_patches * plan->points_per_patch;
    clsp_status status;
    clspi_series series = {0};

    CLSPI_TRY(clspi_bezier_begin(plan, &series, 0, NULL, NULL));
    for (size_t first = 0; first < all; first += most) {
        const size_t count = clspi_min(most, all - first);
        CLSPI_TRY(clspi_series_read(&series, plan->points, first * plan->real_bytes, scratch,
                                    count * plan->real_bytes));
        CLSPI_TRY(check_weights(plan, scratch, count, first));
    }
    CLSPI_TRY(clspi_bezier_end(plan, &series, NULL));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

clsp_status clsp_bezier_check_weights(clsp_bezier_plan *plan)
{
    enum { POINTS = 65536 };
    clsp_status status;

    if (!plan)
        return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_bezier_check_weights: plan is NULL");
    CLSPI_TRY(clspi_context_usable(plan->ctx));
    CLSPI_TRY(clspi_bezier_check_range(plan, 0, 0));
    if (!plan->desc.rational) return CLSP_OK;
    const size_t most = (size_t)POINTS * plan->coords;
    void *const scratch = malloc(most * plan->real_bytes);
    if (!scratch)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: no memory to read weights");
    status = read_weights(plan, scratch, most);
    free(scratch);
    return status;

fail:
    return status;
}

/* ---- evaluation ---- */

clsp_status clspi_bezier_check_range(const clsp_bezier_plan *plan, size_t first, size_t count)
{
    if (!plan->loaded)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_STATE,
                          "bezier: no control points are loaded");
    if (first > plan->num_patches || count > plan->num_patches - first)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "bezier: patches %zu to %zu + %zu of %zu", first, first, count,
                          plan->num_patches);
    return CLSP_OK;
}

/* Elements of the vertices of some patches, whatever grids they have. */
static clsp_status count_elements(const clsp_bezier_plan *plan, size_t first, size_t count,
                                  size_t *elements)
{
    clsp_status status;

    CLSPI_TRY(clspi_bezier_own_count(plan, first, count, elements));
    *elements *= plan->desc.vertex_stride;
    return CLSP_OK;

fail:
    return status;
}

clsp_status clspi_bezier_enqueue(clsp_bezier_plan *plan, clspi_series *series,
                                 const clspi_bezier_range *range)
{
    clsp_status status;

    CLSPI_TRY(plan->plain             ? clspi_bezier_net_eval(&plan->nets.net[0], series, range)
              : plan->vertices.kernel ? clspi_bezier_vertices_eval(plan, series, range)
                                      : clspi_bezier_finish_eval(plan, series, range));
    return clspi_bezier_edges_needed(plan) ? clspi_bezier_edges_eval(plan, series, range) : CLSP_OK;

fail:
    return status;
}

clsp_status clsp_bezier_eval(clsp_bezier_plan *plan, size_t first, size_t count, cl_mem vertices,
                             size_t offset, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clsp_status status;
    clspi_series series = {0};
    size_t elements = 0;

    if (!plan) return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_bezier_eval: plan is NULL");
    clsp_context *const ctx = plan->ctx;
    CLSPI_TRY(clspi_context_usable(ctx));
    CLSPI_TRY(clspi_bezier_check_range(plan, first, count));
    CLSPI_TRY(count_elements(plan, first, count, &elements));
    CLSPI_TRY(clspi_wait_list_check(ctx, num_wait, wait));
    CLSPI_TRY(clspi_buffer_check(ctx, vertices, offset, elements, plan->store_bytes, "vertices"));
    CLSPI_TRY(clspi_bezier_begin(plan, &series, num_wait, wait, done));
    const clspi_bezier_range range = {first, count, 0, plan->desc.num_u, vertices, offset};
    if (clspi_bezier_is_own(plan))
        CLSPI_TRY(clspi_bezier_enqueue_own(plan, &series, first, count, vertices, offset));
    else if (count > 0)
        CLSPI_TRY(clspi_bezier_enqueue(plan, &series, &range));
    CLSPI_TRY(clspi_bezier_end(plan, &series, done));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

clsp_status clspi_bezier_check_rows(const clsp_bezier_plan *plan, cl_uint first_row,
                                    cl_uint num_rows)
{
    const cl_uint num_u = plan->desc.num_u;

    if (plan->vertices_per_patch == 0 || clspi_bezier_is_own(plan))
        return clspi_fail(&plan->ctx->log,
                          plan->vertices_per_patch == 0 ? CLSP_ERROR_STATE : CLSP_ERROR_ARGUMENT,
                          "bezier: rows are those of a common grid, and not of triangles");
    if (first_row > num_u || num_rows > num_u - first_row ||
        first_row % CLSP_BEZIER_TILE_ROWS != 0 ||
        (num_rows % CLSP_BEZIER_TILE_ROWS != 0 && first_row + num_rows != num_u))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "bezier: rows %u to %u + %u of %u: not multiples of %d", first_row,
                          first_row, num_rows, num_u, CLSP_BEZIER_TILE_ROWS);
    return CLSP_OK;
}

clsp_status clsp_bezier_eval_rows(clsp_bezier_plan *plan, size_t patch, uint32_t first_row,
                                  uint32_t num_rows, cl_mem vertices, size_t offset,
                                  cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clsp_status status;
    clspi_series series = {0};

    if (!plan) return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_bezier_eval_rows: plan is NULL");
    clsp_context *const ctx = plan->ctx;
    CLSPI_TRY(clspi_context_usable(ctx));
    CLSPI_TRY(clspi_bezier_check_range(plan, patch, 1));
    CLSPI_TRY(clspi_bezier_check_rows(plan, first_row, num_rows));
    CLSPI_TRY(clspi_wait_list_check(ctx, num_wait, wait));
    const size_t elements =
        plan->vertices_per_patch / plan->desc.num_u * num_rows * plan->desc.vertex_stride;
    CLSPI_TRY(clspi_buffer_check(ctx, vertices, offset, elements, plan->store_bytes, "vertices"));
    CLSPI_TRY(clspi_bezier_begin(plan, &series, num_wait, wait, done));
    const clspi_bezier_range range = {patch, 1, first_row, num_rows, vertices, offset};
    if (num_rows > 0) CLSPI_TRY(clspi_bezier_enqueue(plan, &series, &range));
    CLSPI_TRY(clspi_bezier_end(plan, &series, done));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

/* ---- evaluation into host memory ---- */

clsp_status clspi_bezier_reserve_staging(clsp_bezier_plan *plan, size_t bytes)
{
    return clspi_buffer_reserve(&plan->staging, &plan->staging_bytes, plan->ctx, bytes);
}

static size_t row_bytes(const clsp_bezier_plan *plan)
{
    return plan->vertices_per_patch / plan->desc.num_u * plan->desc.vertex_stride *
           plan->store_bytes;
}

/* How the host-pointer calls cut a job: whole patches at a time, or rows of one. */
static clsp_status staging_limits(const clsp_bezier_plan *plan, size_t count, size_t *patches,
                                  cl_uint *rows)
{
    enum { STAGING = 256 << 20 };
    const size_t most = clspi_min(STAGING, (size_t)plan->ctx->device.max_alloc_bytes);
    const size_t num_rows = clspi_min(plan->desc.num_u, most / row_bytes(plan));

    *patches = clspi_min(count, most / (row_bytes(plan) * plan->desc.num_u));
    *rows = plan->desc.num_u;
    if (*patches > 0) return CLSP_OK;
    *patches = 1;
    *rows = (cl_uint)(num_rows / CLSPI_BEZIER_ROWS_MULTIPLE * CLSPI_BEZIER_ROWS_MULTIPLE);
    if (*rows > 0) return CLSP_OK;
    return clspi_fail(&plan->ctx->log, CL_INVALID_BUFFER_SIZE,
                      "bezier: %d rows of %zu bytes do not fit the device's largest buffer",
                      CLSPI_BEZIER_ROWS_MULTIPLE, row_bytes(plan));
}

/* One part: into the staging buffer, then to the host. */
static clsp_status eval_part(clsp_bezier_plan *plan, const clspi_bezier_range *range, char *target)
{
    clsp_status status;
    clspi_series series = {0};
    const size_t bytes = range->num_patches * range->num_rows * row_bytes(plan);

    CLSPI_TRY(clspi_bezier_begin(plan, &series, 0, NULL, NULL));
    if (clspi_bezier_used_elements(&plan->desc) <
        plan->desc.vertex_stride) /* some are the caller's */
        CLSPI_TRY(clspi_series_write(&series, plan->staging, 0, target, bytes));
    CLSPI_TRY(clspi_bezier_enqueue(plan, &series, range));
    CLSPI_TRY(clspi_series_read(&series, plan->staging, 0, target, bytes));
    CLSPI_TRY(clspi_bezier_end(plan, &series, NULL));
    return CLSP_OK;

fail:
    return clspi_series_fail(&series, status);
}

static clsp_status eval_parts(clsp_bezier_plan *plan, size_t first, size_t count, char *target)
{
    const cl_uint num_u = plan->desc.num_u;
    clsp_status status;
    size_t patches;
    cl_uint rows;

    if (count == 0) return CLSP_OK;
    CLSPI_TRY(staging_limits(plan, count, &patches, &rows));
    CLSPI_TRY(clspi_bezier_reserve_staging(plan, patches * rows * row_bytes(plan)));
    for (size_t p = 0; p < count; p += patches) {
        for (cl_uint r = 0; r < num_u; r += rows) {
            const clspi_bezier_range part = {first + p,
                                             clspi_min(patches, count - p),
                                             r,
                                             (cl_uint)clspi_min(rows, num_u - r),
                                             plan->staging,
                                             0};
            CLSPI_TRY(eval_part(plan, &part, target + (p * num_u + r) * row_bytes(plan)));
        }
    }
    return CLSP_OK;

fail:
    return status;
}

static clsp_status eval_to_host(clsp_bezier_plan *plan, size_t first, size_t count, void *vertices,
                                clsp_storage storage)
{
    clsp_status status;
    size_t elements = 0;

    if (!plan || (!vertices && count > 0) || plan->desc.storage != storage)
        return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "bezier: vertices: a NULL argument, or the storage is not the plan's");
    CLSPI_TRY(clspi_context_usable(plan->ctx));
    CLSPI_TRY(clspi_bezier_check_range(plan, first, count));
    CLSPI_TRY(count_elements(plan, first, count, &elements));
    CLSPI_TRY(clspi_bezier_is_own(plan) ? clspi_bezier_own_to_host(plan, first, count, vertices)
                                        : eval_parts(plan, first, count, vertices));
    return CLSP_OK;

fail:
    return status;
}

clsp_status clsp_bezier_eval_f32(clsp_bezier_plan *plan, size_t first, size_t count,
                                 float *vertices)
{
    return eval_to_host(plan, first, count, vertices, CLSP_STORE_F32);
}

clsp_status clsp_bezier_eval_f64(clsp_bezier_plan *plan, size_t first, size_t count,
                                 double *vertices)
{
    return eval_to_host(plan, first, count, vertices, CLSP_STORE_F64);
}

clsp_status clsp_bezier_eval_f16(clsp_bezier_plan *plan, size_t first, size_t count,
                                 uint16_t *vertices)
{
    return eval_to_host(plan, first, count, vertices, CLSP_STORE_F16);
}
