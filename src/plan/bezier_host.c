#include "bezier_host.h"

#include <stdlib.h>

#include "bezier_own.h"
#include "bezier_plan.h"
#include "check.h"

/* The threads of a context and the one that calls. */
enum { SCRATCHES = CLSP_MAX_WORKERS + 1 };

/* ---- life ---- */

clsp_status clspi_bezier_host_init(clspi_bezier_host *host, clsp_context *ctx)
{
    if (pthread_mutex_init(&host->lock, NULL) == 0) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for a lock");
}

static void release_tables(clspi_bezier_host *host)
{
    for (size_t i = 0; host->scratches && i < SCRATCHES; i++)
        clspi_bezier_scratch_destroy(&host->scratches[i]);
    free(host->scratches);
    host->scratches = NULL;
    clspi_bezier_tile_destroy(&host->tile);
}

void clspi_bezier_host_forget(clspi_bezier_host *host, bool grid)
{
    free(host->points);
    host->points = NULL;
    if (grid) release_tables(host);
    for (size_t i = 0; host->scratches && i < SCRATCHES; i++)
        if (host->scratches[i]) clspi_bezier_scratch_forget(host->scratches[i]);
}

void clspi_bezier_host_release(clspi_bezier_host *host)
{
    clspi_bezier_host_forget(host, true);
    pthread_mutex_destroy(&host->lock);
}

/* ---- preparation ---- */

const char *clspi_bezier_host_refusal(const clsp_bezier_plan *plan)
{
    const clsp_bezier_desc *const d = &plan->desc;
    const unsigned made = CLSP_BEZIER_POINT | CLSP_BEZIER_WEIGHT;

    if (clspi_bezier_is_own(plan)) return "the host has no code for grids of patches' own";
    if (d->method > CLSP_BEZIER_SEPARABLE) return "the host has no code for this method";
    if (!(d->attributes & CLSP_BEZIER_POINT) || (d->attributes & ~made))
        return "the host makes points and weights alone";
    if (plan->store_bytes != plan->real_bytes) return "the host stores in the precision alone";
    if (d->watertight) return "the host has no code for watertight edges";
    return NULL;
}

static clsp_status read_points(clsp_bezier_plan *plan)
{
    const size_t bytes = plan->num_patches * plan->points_per_patch * plan->real_bytes;
    clspi_series series = {0};
    clsp_status status;

    if (plan->host.points) return CLSP_OK;
    plan->host.points = malloc(clspi_max(1, bytes));
    if (!plan->host.points)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: no memory for %zu bytes of control points", bytes);
    if (bytes == 0) return CLSP_OK;
    CLSPI_TRY(clspi_bezier_begin(plan, &series, 0, NULL, NULL));
    CLSPI_TRY(clspi_series_read(&series, plan->points, 0, plan->host.points, bytes));
    CLSPI_TRY(clspi_bezier_end(plan, &series, NULL));
    return CLSP_OK;

fail:
    free(plan->host.points);
    plan->host.points = NULL;
    return clspi_series_fail(&series, status);
}

static clsp_status make_tables(clsp_bezier_plan *plan)
{
    const clsp_bezier_desc *const d = &plan->desc;
    const bool weights = d->attributes & CLSP_BEZIER_WEIGHT;
    const clspi_bezier_tile_desc desc = {
        .f64 = d->precision == CLSP_F64,
        .directions = plan->directions,
        .orders = {d->degree_u + 1, d->degree_v + 1, d->degree_w + 1},
        .nums = {d->num_u, d->num_v, d->num_w},
        .intervals = {{d->interval_u[0], d->interval_u[1]},
                      {d->interval_v[0], d->interval_v[1]},
                      {d->interval_w[0], d->interval_w[1]}},
        .dim = d->dim,
        .rational = d->rational,
        .stride = d->vertex_stride,
        .at_point = d->vertex_at[0],
        .at_weight = weights ? (int32_t)d->vertex_at[1] : -1};
    clspi_bezier_host *const host = &plan->host;

    if (!host->tile) host->tile = clspi_bezier_tile_create(&desc);
    if (!host->scratches) host->scratches = calloc(SCRATCHES, sizeof *host->scratches);
    if (host->tile && host->scratches) return CLSP_OK;
    release_tables(host);
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for host tables");
}

clsp_status clspi_bezier_host_points(clsp_bezier_plan *plan)
{
    pthread_mutex_lock(&plan->host.lock);
    const clsp_status status = read_points(plan);
    pthread_mutex_unlock(&plan->host.lock);
    return status;
}

clsp_status clspi_bezier_host_prepare(clsp_bezier_plan *plan)
{
    clsp_status status;

    pthread_mutex_lock(&plan->host.lock);
    CLSPI_TRY(read_points(plan));
    CLSPI_TRY(make_tables(plan));

fail:
    pthread_mutex_unlock(&plan->host.lock);
    return status;
}

/* ---- evaluation ---- */

clsp_status clspi_bezier_host_rows(clsp_bezier_plan *plan, uint32_t worker, size_t patch,
                                   cl_uint first_row, cl_uint num_rows, void *out)
{
    clspi_bezier_host *const host = &plan->host;
    clspi_bezier_scratch **const scratch = &host->scratches[worker];
    const char *const points = host->points;

    if (!*scratch) *scratch = clspi_bezier_scratch_create(host->tile);
    if (!*scratch)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: no memory for sums of a host worker");
    clspi_bezier_tile_rows(host->tile, *scratch,
                           points + patch * plan->points_per_patch * plan->real_bytes, patch,
                           first_row, num_rows, out);
    return CLSP_OK;
}

static clsp_status check_rows(const clsp_bezier_plan *plan, uint32_t worker, size_t patch,
                              uint32_t first_row, uint32_t num_rows)
{
    const char *const refusal = clspi_bezier_host_refusal(plan);
    clsp_status status;

    if (refusal || worker >= CLSP_MAX_WORKERS)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT, "bezier: %s",
                          refusal ? refusal : "no such worker");
    CLSPI_TRY(clspi_bezier_check_range(plan, patch, 1));
    return clspi_bezier_check_rows(plan, first_row, num_rows);

fail:
    return status;
}

static clsp_status host_rows(clsp_bezier_plan *plan, uint32_t worker, size_t patch,
                             uint32_t first_row, uint32_t num_rows, void *vertices,
                             clsp_storage storage)
{
    clsp_status status;

    if (!plan || (!vertices && num_rows > 0) || plan->desc.storage != storage)
        return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "bezier: rows: a NULL argument, or the storage is not the plan's");
    CLSPI_TRY(clspi_context_usable(plan->ctx));
    CLSPI_TRY(check_rows(plan, worker, patch, first_row, num_rows));
    if (num_rows == 0) return CLSP_OK;
    CLSPI_TRY(clspi_bezier_host_prepare(plan));
    CLSPI_TRY(clspi_bezier_host_rows(plan, worker, patch, first_row, num_rows, vertices));
    return CLSP_OK;

fail:
    return status;
}

clsp_status clsp_bezier_host_rows_f32(clsp_bezier_plan *plan, uint32_t worker, size_t patch,
                                      uint32_t first_row, uint32_t num_rows, float *vertices)
{
    return host_rows(plan, worker, patch, first_row, num_rows, vertices, CLSP_STORE_F32);
}

clsp_status clsp_bezier_host_rows_f64(clsp_bezier_plan *plan, uint32_t worker, size_t patch,
                                      uint32_t first_row, uint32_t num_rows, double *vertices)
{
    return host_rows(plan, worker, patch, first_row, num_rows, vertices, CLSP_STORE_F64);
}
