#include "bezier_cooperate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_desc.h"
#include "bezier_own.h"
#include "bezier_shared.h"
#include "check.h"
#include "job.h"

enum {
    TILE_VERTICES = 4096, /* of a tile, at least: a few microseconds of a core */
    KEY_MAX = 160
};

/* Plans of the joined devices. */
struct clspi_bezier_peers {
    clsp_bezier_plan *plans[CLSP_MAX_PROCESSORS]; /* by device; the first is not used */
    clsp_status status[CLSP_MAX_PROCESSORS];      /* why there is none */
};

/* What a job's functions work on: vertices of patches first .. first + count - 1. */
typedef struct shared_eval {
    clsp_bezier_plan *plan;
    size_t first, count;
    clspi_bezier_tiling tiling;
    size_t row_bytes;
    char *out;
} shared_eval;

/* ---- tiles ---- */

static size_t row_vertices(const clsp_bezier_plan *plan)
{
    return plan->vertices_per_patch / plan->desc.num_u;
}

/* Rows of a patch where it makes more than one tile, else whole patches. */
static clspi_bezier_tiling tiling_of(const clsp_bezier_plan *plan, size_t count)
{
    const cl_uint num_u = plan->desc.num_u;
    const size_t rows =
        clspi_round_up(clspi_div_up(TILE_VERTICES, row_vertices(plan)), CLSPI_BEZIER_ROWS_MULTIPLE);
    clspi_bezier_tiling tiling = {1, (cl_uint)rows, 1};

    if (rows < num_u) {
        tiling.tiles_per_patch = (cl_uint)clspi_div_up(num_u, rows);
        return tiling;
    }
    tiling.tile_rows = num_u;
    tiling.patches_per_tile = (cl_uint)clspi_min(
        clspi_max(1, count), clspi_div_up(TILE_VERTICES, plan->vertices_per_patch));
    return tiling;
}

static size_t num_tiles(const shared_eval *e)
{
    return clspi_div_up(e->count, e->tiling.patches_per_tile) * e->tiling.tiles_per_patch;
}

/* Rows of the job, counted through all its patches, before a tile. */
static size_t rows_before(const shared_eval *e, size_t tile)
{
    const size_t num_u = e->plan->desc.num_u, patch = tile / e->tiling.tiles_per_patch;
    const size_t row = tile % e->tiling.tiles_per_patch * e->tiling.tile_rows;

    return clspi_min(e->count, patch * e->tiling.patches_per_tile) * num_u + row;
}

static void region(void *user, size_t first, size_t count, size_t *offset, size_t *bytes)
{
    const shared_eval *const e = user;
    const size_t begin = rows_before(e, first), end = rows_before(e, first + count);

    *offset = begin * e->row_bytes;
    *bytes = (end - begin) * e->row_bytes;
}

/* The rows from *row on, counted as above, that are whole patches or within one; moves it on. */
static clspi_bezier_range next_range(const shared_eval *e, size_t *row, size_t end)
{
    const cl_uint num_u = e->plan->desc.num_u;
    const size_t patch = *row / num_u;
    const cl_uint first_row = (cl_uint)(*row % num_u);
    clspi_bezier_range range = {.first_patch = e->first + patch,
                                .num_patches = 1,
                                .first_row = first_row,
                                .num_rows = (cl_uint)clspi_min(end - *row, num_u - first_row)};

    if (first_row == 0 && end - *row >= num_u) range.num_patches = (end - *row) / num_u;
    *row += range.num_patches * range.num_rows;
    return range;
}

/* ---- processors ---- */

static clsp_status on_host(void *user, uint32_t worker, size_t first, size_t count)
{
    const shared_eval *const e = user;
    const size_t end = rows_before(e, first + count);
    clsp_status status = CLSP_OK;

    for (size_t row = rows_before(e, first); row < end && status == CLSP_OK;) {
        char *out = e->out + row * e->row_bytes;
        const clspi_bezier_range range = next_range(e, &row, end);
        const size_t patch_bytes = range.num_rows * e->row_bytes;
        for (size_t p = 0; p < range.num_patches && status == CLSP_OK; p++)
            status = clspi_bezier_host_rows(e->plan, worker, range.first_patch + p, range.first_row,
                                            range.num_rows, out + p * patch_bytes);
    }
    return status;
}

static clsp_bezier_plan *plan_of(const shared_eval *e, uint32_t device, clsp_status *status)
{
    const struct clspi_bezier_peers *const peers = e->plan->peers;

    *status = device == 0 ? CLSP_OK : peers->status[device];
    return device == 0 ? e->plan : peers->plans[device];
}

/* Chunks of one plan share its buffers: on out-of-order queues each waits for those before. */
static clsp_status in_turn(clsp_context *ctx)
{
    if (ctx->in_order) return CLSP_OK;
    return clspi_cl(&ctx->log, clEnqueueBarrierWithWaitList(ctx->queue, 0, NULL, NULL),
                    "clEnqueueBarrierWithWaitList");
}

static clsp_status on_device(void *user, uint32_t device, clspi_series *series, size_t first,
                             size_t count, cl_mem buffer, size_t offset)
{
    const shared_eval *const e = user;
    const size_t begin = rows_before(e, first), end = rows_before(e, first + count);
    clsp_status status;
    clsp_bezier_plan *const plan = plan_of(e, device, &status);

    if (status != CLSP_OK) return status;
    CLSPI_TRY(in_turn(plan->ctx));
    for (size_t row = begin; row < end;) {
        const size_t at = offset + (row - begin) * e->row_bytes;
        clspi_bezier_range range = next_range(e, &row, end);
        range.out = buffer;
        range.offset = at / plan->store_bytes;
        CLSPI_TRY(clspi_bezier_enqueue(plan, series, &range));
    }
    return CLSP_OK;

fail:
    return status;
}

static clsp_status by_pops(void *user, uint32_t device, clspi_series *series, void *counter,
                           size_t tiles, void *out)
{
    const shared_eval *const e = user;
    clsp_status status;
    clsp_bezier_plan *const plan = plan_of(e, device, &status);

    if (status != CLSP_OK) return status;
    CLSPI_TRY(in_turn(plan->ctx));
    return clspi_bezier_shared_enqueue(plan, series, counter, &e->tiling, tiles, e->first, e->count,
                                       out);

fail:
    return status;
}

/* ---- joined devices ---- */

void clspi_bezier_peers_forget(clsp_bezier_plan *plan, bool grid)
{
    struct clspi_bezier_peers *const peers = plan->peers;

    if (!peers) return;
    for (size_t i = 0; i < CLSP_MAX_PROCESSORS; i++) {
        if (peers->plans[i]) peers->plans[i]->loaded = false;
        if (grid) clsp_bezier_plan_destroy(&peers->plans[i]);
    }
    if (!grid) return;
    free(peers);
    plan->peers = NULL;
}

static clsp_status load_peer(clsp_bezier_plan *plan, clsp_bezier_plan *peer)
{
    clsp_status status;

    if (peer->loaded) return CLSP_OK;
    CLSPI_TRY(clspi_bezier_host_points(plan));
    return clspi_bezier_load(peer, plan->num_patches, plan->host.points);

fail:
    return status;
}

/* A device that cannot have a plan, without fp64 say, drops out when it is asked for tiles. */
static clsp_status prepare_peers(clsp_bezier_plan *plan)
{
    clsp_context *const *contexts;
    const uint32_t num = clspi_cooperate_devices(plan->ctx, &contexts);

    if (num <= 1) return CLSP_OK;
    if (!plan->peers) plan->peers = calloc(1, sizeof *plan->peers);
    if (!plan->peers)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY, "bezier: no memory for plans");
    for (uint32_t d = 1; d < num; d++) {
        clsp_bezier_plan **const peer = &plan->peers->plans[d];
        clsp_status status = CLSP_OK;
        if (!*peer) status = clsp_bezier_plan_create(peer, contexts[d], &plan->desc);
        if (status == CLSP_OK) status = load_peer(plan, *peer);
        plan->peers->status[d] = status;
    }
    return CLSP_OK;
}

/* ---- the calls ---- */

static void name_job(const shared_eval *e, char key[KEY_MAX])
{
    static const char *const forms[] = {"surface", "curve", "volume", "triangle"};
    const clsp_bezier_desc *const d = &e->plan->desc;
    unsigned size_class = 0;

    for (size_t n = e->count * e->plan->vertices_per_patch; n > 1; n /= 2)
        size_class++;
    snprintf(key, KEY_MAX, "bezier-%s-%u-%u-%u-f%u%s-m%u-a%x-s%u-%u-c%u", forms[d->form],
             d->degree_u, d->degree_v, d->degree_w, d->precision == CLSP_F64 ? 64u : 32u,
             d->rational ? "-rational" : "", (unsigned)d->method, d->attributes, d->vertex_stride,
             (unsigned)(8 * e->plan->store_bytes), size_class);
}

static void report_alone(const clsp_bezier_plan *plan, size_t count, clsp_cooperate_report *report)
{
    clsp_processor_report *const device = &report->processors[0];

    memset(report, 0, sizeof *report);
    report->rung = CLSP_RUNG_DEVICE;
    for (int r = CLSP_RUNG_SVM; r < CLSP_NUM_RUNGS; r++)
        if (r != CLSP_RUNG_DEVICE)
            snprintf(report->reason[r], sizeof report->reason[r],
                     "grids of patches' own are not shared");
    report->num_tiles = count > 0;
    report->num_processors = 2;
    snprintf(device->name, sizeof device->name, "%s", plan->ctx->device.name);
    device->workers = 1;
    device->tiles = device->chunks = report->num_tiles;
    snprintf(device[1].name, sizeof device[1].name, "host");
}

/* Grids that only the context's device evaluates: one tile. */
static clsp_status without_sharing(clsp_bezier_plan *plan, size_t first, size_t count,
                                   void *vertices, const clsp_cooperate_opts *opts,
                                   clsp_cooperate_report *report)
{
    const double begin = clspi_now_ms();
    clsp_status status;

    CLSPI_TRY(clspi_cooperate_check(plan->ctx, opts));
    CLSPI_TRY(clspi_bezier_own_to_host(plan, first, count, vertices));
    if (!report) return CLSP_OK;
    report_alone(plan, count, report);
    report->wall_ms = report->processors[0].busy_ms = clspi_now_ms() - begin;
    return CLSP_OK;

fail:
    return status;
}

/* Everything but the key. */
static clsp_status prepare_job(shared_eval *e, clspi_job *job)
{
    clsp_bezier_plan *const plan = e->plan;
    clsp_status status;

    e->tiling = tiling_of(plan, e->count);
    e->row_bytes = row_vertices(plan) * plan->desc.vertex_stride * plan->store_bytes;
    *job = (clspi_job){
        .user = e,
        .num_tiles = num_tiles(e),
        .tile_size = e->tiling.patches_per_tile * e->tiling.tile_rows * row_vertices(plan),
        .out = e->out,
        .has_gaps = clspi_bezier_used_elements(&plan->desc) < plan->desc.vertex_stride,
        .region = region,
        .why_no_host = clspi_bezier_host_refusal(plan),
        .enqueue = on_device,
        .why_no_svm = clspi_bezier_shared_refusal(plan, e->count)};
    if (!job->why_no_host) {
        job->host = on_host;
        CLSPI_TRY(clspi_bezier_host_prepare(plan));
    }
    if (!job->why_no_svm) job->persist = by_pops;
    CLSPI_TRY(prepare_peers(plan));
    return CLSP_OK;

fail:
    return status;
}

static clsp_status check_call(clsp_bezier_plan *plan, size_t first, size_t count,
                              const void *vertices, clsp_storage storage)
{
    clsp_status status;
    size_t num;

    if (!plan || (!vertices && count > 0) || plan->desc.storage != storage)
        return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT,
                          "bezier: shared vertices: a NULL argument, or the storage is not the "
                          "plan's");
    CLSPI_TRY(clspi_context_usable(plan->ctx));
    CLSPI_TRY(clspi_bezier_check_range(plan, first, count));
    return clspi_bezier_own_count(plan, first, count, &num);

fail:
    return status;
}

static clsp_status cooperate(clsp_bezier_plan *plan, size_t first, size_t count, void *vertices,
                             clsp_storage storage, const clsp_cooperate_opts *opts,
                             clsp_cooperate_report *report)
{
    shared_eval e = {.plan = plan, .first = first, .count = count, .out = vertices};
    char key[KEY_MAX];
    clsp_status status;
    clspi_job job;

    CLSPI_TRY(check_call(plan, first, count, vertices, storage));
    if (clspi_bezier_is_own(plan))
        return without_sharing(plan, first, count, vertices, opts, report);
    CLSPI_TRY(prepare_job(&e, &job));
    name_job(&e, key);
    job.key = key;
    return clspi_cooperate(plan->ctx, &job, opts, report);

fail:
    return status;
}

clsp_status clsp_bezier_cooperate_f32(clsp_bezier_plan *plan, size_t first, size_t count,
                                      float *vertices, const clsp_cooperate_opts *opts,
                                      clsp_cooperate_report *report)
{
    return cooperate(plan, first, count, vertices, CLSP_STORE_F32, opts, report);
}

clsp_status clsp_bezier_cooperate_f64(clsp_bezier_plan *plan, size_t first, size_t count,
                                      double *vertices, const clsp_cooperate_opts *opts,
                                      clsp_cooperate_report *report)
{
    return cooperate(plan, first, count, vertices, CLSP_STORE_F64, opts, report);
}

clsp_status clsp_bezier_cooperate_f16(clsp_bezier_plan *plan, size_t first, size_t count,
                                      uint16_t *vertices, const clsp_cooperate_opts *opts,
                                      clsp_cooperate_report *report)
{
    return cooperate(plan, first, count, vertices, CLSP_STORE_F16, opts, report);
}

/* Into memory of its own. */
static clsp_status tune(shared_eval *e, clsp_cooperate_report *report)
{
    clsp_bezier_plan *const plan = e->plan;
    size_t bytes = plan->vertices_per_patch * plan->desc.vertex_stride * plan->store_bytes;
    void *memory = NULL;
    char key[KEY_MAX];
    clsp_status status;
    clspi_job job;

    if (!clspi_size_mul(&bytes, e->count))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bezier: vertices are more than the address space");
    CLSPI_TRY(clsp_shared_alloc(plan->ctx, bytes, &memory));
    e->out = memory;
    CLSPI_TRY(prepare_job(e, &job));
    name_job(e, key);
    job.key = key;
    CLSPI_TRY(clspi_cooperate_tune(plan->ctx, &job, report));

fail:
    clsp_shared_free(plan->ctx, memory);
    return status;
}

clsp_status clsp_bezier_tune(clsp_bezier_plan *plan, size_t first, size_t count,
                             clsp_cooperate_report *report)
{
    shared_eval e = {.plan = plan, .first = first, .count = count};
    clsp_status status;

    CLSPI_TRY(check_call(plan, first, count, &e, plan ? plan->desc.storage : 0));
    if (clspi_bezier_is_own(plan))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "bezier: grids of patches' own are not shared");
    return tune(&e, report);

fail:
    return status;
}
