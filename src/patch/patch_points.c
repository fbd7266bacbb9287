/* Vertices of patches at a list of parameters. */
#include <string.h>

#include "check.h"
#include "host_list.h"
#include "points.h"
#include "patch_rows.h"
#include "patch_eval.h"
#include "vertex_layout.h"
#include "work.h"

/* ---- lists ---- */

enum { PARAMS, ITEMS }; /* inputs */

/* Returns the points of a work. */
static const clsp_points *points_of(const clspi_work *work)
{
    return work->user;
}

/* Returns how many memories hold the parameters: one, or one a direction. */
static uint32_t num_params(const clspi_work *work)
{
    return work->in[PARAMS].planes;
}

static bool has_items(const clspi_work *work)
{
    return work->num_in > ITEMS;
}

/* Checks numbers of patches in host memory, which need not be aligned. */
static clsp_status check_items(const clspi_work *work, clsp_range lines, const char *const in[])
{
    const size_t num_patches = clspi_patch_plan_of(work->plan)->num_patches;

    for (size_t k = 0; has_items(work) && in[ITEMS] && k < lines.count; k++) {
        uint32_t patch;
        memcpy(&patch, in[ITEMS] + k * sizeof patch, sizeof patch);
        if (patch >= num_patches)
            return clspi_fail(&work->plan->ctx->log, CLSP_ERROR_ARGUMENT,
                              "%s: item %zu of the points is patch %u of %zu", work->plan->family,
                              lines.first + k, patch, num_patches);
    }
    return CLSP_OK;
}

/* ---- makers ---- */

/* Describes some lines to the host. */
static clspi_host_list host_list_of(const clspi_work *work, const char *const in[])
{
    const clsp_patch_plan *const plan = clspi_patch_plan_of(work->plan);
    const size_t real = clsp_type_bytes(plan->desc.precision);
    const bool planar = points_of(work)->planar != 0;

    return (clspi_host_list){.points = plan->host.data,
                             .num_patches = plan->num_patches,
                             .params = in[PARAMS],
                             .items = has_items(work) ? in[ITEMS] : NULL,
                             .point_step = planar ? real : plan->desc.directions * real,
                             .direction_step = planar ? work->in[PARAMS].apart * real : real};
}

/* Makes some lines, or their watertight points alone, as their pieces were the first ones. */
static void make_lines(const clspi_work *work, size_t num, bool only_edges, const char *const in[],
                       char *out)
{
    const clspi_part lines = {.num_lines = num};
    clspi_host_list list = host_list_of(work, in);

    list.only_edges = only_edges;
    clspi_host_list_make(clspi_patch_plan_of(work->plan)->list_recipe, &list, &lines, out);
}

static clsp_status make_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                const char *const in[], char *out)
{
    (void)worker;
    make_lines(work, part->num_lines, false, in, out);
    return CLSP_OK;
}

/* Makes watertight points again on the calling thread, since processors round differently. */
static clsp_status make_edges(const clspi_work *work, clsp_range lines, const char *const in[],
                              char *out)
{
    if (clspi_patch_plan_of(work->plan)->desc.watertight)
        make_lines(work, lines.count, true, in, out);
    return CLSP_OK;
}

/* Finds out which patches and bases a job's vertices are made from. */
static clsp_status make_job(clsp_patch_plan *plan, clspi_series *series, clspi_point_job *job)
{
    clspi_point_source source;

    CLSPI_CHECK(clspi_patch_find_source(&source, plan, series));
    /* without patches there is nothing to read, and the kernel asks nothing of these */
    if (!source.points) source.points = job->out;
    if (!source.basis) source.basis = source.points;
    if (!job->patches) job->patches = job->params[0];
    for (uint32_t k = 1; k < 3; k++)
        if (!job->params[k]) job->params[k] = job->params[0];
    return clspi_eval_points(&plan->point_kernels, series, &source, job);
}

static clsp_status make_on_device(const clspi_work *work, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_place in[],
                                  const clspi_target *out)
{
    clsp_patch_plan *const plan = clspi_patch_plan_of(base);
    const bool planar = points_of(work)->planar != 0;
    const clspi_place *const items = has_items(work) ? &in[num_params(work)] : NULL;
    clspi_point_job job = {.patches = items ? items->buffer : NULL,
                           .has_patches = items != NULL,
                           .patches_offset = items ? items->offset : 0,
                           .step = planar ? 1 : plan->desc.directions,
                           .out = out->buffer,
                           .offset = out->offset,
                           .num = part->num_lines};

    for (uint32_t k = 0; k < plan->desc.directions; k++) {
        job.params[k] = in[planar ? k : 0].buffer;
        job.params_offset[k] = in[planar ? k : 0].offset + (planar ? 0 : k);
    }
    return make_job(plan, series, &job);
}

/* Brings what vertices are evaluated from to the device. */
static clsp_status list_ready(const clspi_work *work, clspi_plan *base, clspi_series *series)
{
    clspi_point_source source;

    (void)work;
    return clspi_patch_find_source(&source, clspi_patch_plan_of(base), series);
}

/* ---- the call ---- */

/* Describes what speeds depend on. */
static clspi_work_key key_of(const clspi_work *work)
{
    const clspi_tensor_desc *const d = &clspi_patch_plan_of(work->plan)->desc;
    const clspi_work_key key = {"list",
                                9,
                                {d->is_triangle ? 4 : d->directions, d->degrees[0], d->degrees[1],
                                 d->degrees[2], d->precision, d->rational != 0,
                                 d->vertex.attributes, d->vertex.stride, d->vertex.type}};

    return key;
}

clsp_status clsp_patch_eval_points(clsp_patch_plan *plan, const clsp_points *points,
                                   clsp_output vertices, const clsp_run *run)
{
    static const clspi_work_makers makers = {.key = key_of,
                                             .check = check_items,
                                             .prepare = clspi_list_prepare,
                                             .on_host = make_on_host,
                                             .on_device = make_on_device,
                                             .ready = list_ready,
                                             .mend = make_edges};

    if (!plan || !points)
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_patch_eval_points");
    const clspi_tensor_desc *const d = &plan->desc;
    const size_t num = points->num;
    const bool planar = points->planar != 0;
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_points_check(&plan->base, points, (size_t)d->directions + d->vertex.stride));
    CLSPI_CHECK(clspi_patch_check_patches(plan, (clsp_range){0, 0}, run));
    const clspi_work_input in[] = {
        [PARAMS] = {.input = &points->params,
                    .need = {"params", d->precision, num * d->directions},
                    .per_line = planar ? 1 : d->directions,
                    .planes = planar ? d->directions : 1,
                    .apart = num},
        [ITEMS] = {
            .input = &points->item, .need = {"items", CLSP_U32, num}, .per_line = 1, .planes = 1}};
    const clspi_work work = {
        .plan = &plan->base,
        .peers = &plan->peers,
        .makers = &makers,
        .user = points,
        .user_bytes = sizeof *points,
        .tiling = clspi_list_tiling(num, CLSPI_POINT_ITEMS),
        .num_in = clspi_input_is_there(&points->item) ? 2 : 1,
        .in = in,
        .out = {&vertices, "vertices", d->vertex.type, d->vertex.stride, clspi_layout_has_gaps(d)},
        .line_items = CLSPI_POINT_ITEMS,
        .line_ns = clspi_host_list_ns(plan),
        .why_alone = d->own_bases > 0 ? "lists of bases of their own are not shared" : NULL};
    return clspi_work_run(&work, run);
}
