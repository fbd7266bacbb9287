#include "surface_share.h"

#include <stdio.h>

#include "buffer.h"
#include "check.h"
#include "shared_batch.h"
#include "surface_device.h"
#include "surface_host.h"

enum { KEY_MAX = 160 };

enum { POINTS, PATCHES, HINTS, NORMALS }; /* staging buffers */

/* What a launch takes until its last queries are found, beside others and by the host. */
#define CHUNK_MS 2.0

/* Returns a part's queries. */
static clspi_surface_queries queries_of(const clspi_surface_shared *call, const clspi_part *part)
{
    return clspi_surface_queries_part(call->plan, &call->queries,
                                      part->piece - call->tiles.lines.first, part->num_lines);
}

/* ---- the host ---- */

static clsp_status search_on_host(const void *user, clspi_plan *base, uint32_t worker,
                                  const clspi_part *part, char *out)
{
    const clspi_surface_shared *const call = user;
    clspi_surface_queries queries = queries_of(call, part);

    (void)base;
    (void)worker;
    queries.out = out;
    return clspi_surface_host_find(call->plan, &queries, true);
}

/* ---- devices ---- */

/* Tells a device that cannot search. */
static clsp_status check_device(const clspi_tensor_plan *plan, const clspi_surface_shared *call)
{
    if (!clspi_surface_device_fits(plan))
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_DEVICE,
                          "%s: projection onto surfaces: GPUs with double precision search",
                          plan->base.family);
    return clspi_surface_device_holds(plan, call->plan) ? CLSP_OK : clspi_surface_no_memory(plan);
}

/* Brings a part's queries to a device. */
static clsp_status bring(clspi_plan *base, clspi_series *series, const clspi_tensor_plan *plan,
                         const clspi_surface_queries *q, clspi_surface_device_job *job)
{
    const size_t real = q->f64 ? sizeof(double) : sizeof(float);

    CLSPI_CHECK(clspi_plan_bring(base, series, POINTS, q->points, q->num * plan->desc.dim * real,
                                 &job->points));
    if (q->patches)
        CLSPI_CHECK(clspi_plan_bring(base, series, PATCHES, (const void *)q->patches,
                                     q->num * sizeof(uint32_t), &job->patches));
    if (!q->hints) return CLSP_OK;
    return clspi_plan_bring(base, series, HINTS, q->hints, q->num * plan->desc.directions * real,
                            &job->hints);
}

/* Makes room on a device for a part's normals. */
static clsp_status reserve_normals(clspi_plan *base, clspi_series *series, size_t bytes,
                                   cl_mem *normals)
{
    clspi_staging *const staging = &base->staging[0][NORMALS];

    CLSPI_CHECK(clspi_buffer_reserve(&staging->buffer, &staging->bytes, series->ctx, bytes));
    *normals = staging->buffer;
    return CLSP_OK;
}

static clsp_status search_on_device(const void *user, clspi_plan *base, clspi_series *series,
                                    const clspi_part *part, const clspi_target *target)
{
    const clspi_surface_shared *const call = user;
    clspi_tensor_plan *const plan = (clspi_tensor_plan *)base; /* whose first member it is */
    const clspi_surface_queries q = queries_of(call, part);
    const size_t normals = q.num * CLSPI_NORMAL_REALS * (q.f64 ? sizeof(double) : sizeof(float));
    clspi_surface_device_job job = {.of = call->plan,
                                    .out = target->buffer,
                                    .offset = target->offset,
                                    .num = q.num,
                                    .max_dist = q.max_dist};

    CLSPI_CHECK(check_device(plan, call));
    CLSPI_CHECK(bring(base, series, plan, &q, &job));
    if (q.normals) CLSPI_CHECK(reserve_normals(base, series, normals, &job.normals));
    CLSPI_CHECK(clspi_surface_device_find(plan, series, &job));
    return q.normals ? clspi_series_read(series, job.normals, 0, q.normals, normals) : CLSP_OK;
}

/* ---- the call ---- */

static void name_job(const clspi_surface_shared *call, char key[KEY_MAX])
{
    const clspi_tensor_desc *const d = &call->plan->desc;
    const clspi_surface_queries *const q = &call->queries;

    snprintf(key, KEY_MAX, "%s-surface-nearest-%u-%u-f%u%s%s%s%s%s-s%u-c%u",
             call->plan->family->name, d->degrees[0], d->degrees[1], q->f64 ? 64u : 32u,
             d->rational ? "-rational" : "", q->patches ? "-patches" : "", q->hints ? "-hints" : "",
             q->max_dist > 0.0 ? "-near" : "", q->normals ? "-normals" : "",
             clspi_size_class((double)call->plan->num_patches * (double)call->plan->patch_reals),
             clspi_size_class((double)call->num));
}

clsp_status clspi_surface_share(const clspi_surface_shared *call, const clsp_run *run)
{
    static const clspi_line_maker maker = {search_on_host, search_on_device, NULL};
    char key[KEY_MAX];
    clspi_shared_batch batch = {
        .plan = &call->plan->base,
        .peers = &call->plan->peers,
        .maker = &maker,
        .user = call,
        .why_not_persistent = "no persistent kernel searches for nearest points",
        .tiling = call->tiling,
        .line_items = CLSPI_QUERY_ITEMS,
        .line_bytes = call->queries.f64 ? sizeof(clspi_nearest_f64) : sizeof(clspi_nearest_f32),
        .element = call->queries.f64 ? sizeof(double) : sizeof(float),
        .key = key,
        .chunk_ms = CHUNK_MS};

    name_job(call, key);
    CLSPI_CHECK(clspi_shared_batch_run(&batch, &call->tiles, call->queries.out, run, run->report));
    return clspi_run_done(&call->plan->base, run);
}
