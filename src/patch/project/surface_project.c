#include "surface_project.h"

#include "buffer.h"
#include "check.h"
#include "surface_device.h"
#include "surface_host.h"
#include "work.h"

enum {
    QUERY_ITEMS = 64, /* a query takes longer than so many vertices: tiles are of so many fewer */
    POINTS = 0        /* an input; the others follow where they are */
};

/* What a launch takes until its last queries are found, beside others and by the host. */
#define CHUNK_MS 2.0

/* What a call works on. */
typedef struct project_call {
    double max_dist;
    uint32_t patches, hints, normals; /* their inputs; POINTS: none */
} project_call;

/* ---- the host ---- */

static clsp_status prepare(const clspi_work *work, clspi_way way)
{
    (void)way;
    return clspi_surface_host_prepare(clspi_patch_plan_of(work->plan));
}

/* Searches for queries with the context's workers, since those of all tiles are put in order, or on
   the calling thread alone. */
static clsp_status search_on_host(const clspi_work *work, uint32_t worker, const clspi_part *part,
                                  const char *const in[], char *out)
{
    const project_call *const call = work->user;
    clsp_patch_plan *const plan = clspi_patch_plan_of(work->plan);
    const clspi_surface_queries queries = {
        .f64 = plan->desc.precision == CLSP_F64,
        .num = part->num_lines,
        .points = in[POINTS],
        .patches = call->patches ? (const void *)in[call->patches] : NULL,
        .hints = call->hints ? in[call->hints] : NULL,
        .max_dist = call->max_dist,
        .out = out,
        .normals = call->normals ? (char *)in[call->normals] : NULL};

    return clspi_surface_host_find(plan, &queries, worker != CLSPI_HOST_WORKERS);
}

/* ---- devices ---- */

static const char *lacks(const clspi_work *work, const clspi_plan *base)
{
    const clsp_patch_plan *const plan = (const clsp_patch_plan *)base;

    return clspi_surface_device_fits(plan) &&
                   clspi_surface_device_holds(plan, clspi_patch_plan_of(work->plan))
               ? NULL
               : "the host's cores search them";
}

/* Makes room on a device for normals of a shared job. */
static clsp_status reserve_normals(clspi_plan *base, clspi_series *series, uint32_t i, size_t bytes,
                                   cl_mem *normals)
{
    clspi_staging *const staging = &base->staging[0][i];

    CLSPI_CHECK(clspi_buffer_reserve(&staging->buffer, &staging->bytes, series->ctx, bytes));
    *normals = staging->buffer;
    return CLSP_OK;
}

static clsp_status search_on_device(const clspi_work *work, clspi_plan *base, clspi_series *series,
                                    const clspi_part *part, const clspi_place in[],
                                    const clspi_target *out)
{
    const project_call *const call = work->user;
    clsp_patch_plan *const plan = clspi_patch_plan_of(base);
    const size_t bytes =
        part->num_lines * CLSPI_NORMAL_REALS * clsp_type_bytes(plan->desc.precision);
    char *const normals = call->normals ? (char *)in[call->normals].host : NULL;
    clspi_surface_device_job job = {.of = clspi_patch_plan_of(work->plan),
                                    .points = in[POINTS].buffer,
                                    .patches = call->patches ? in[call->patches].buffer : NULL,
                                    .hints = call->hints ? in[call->hints].buffer : NULL,
                                    .out = out->buffer,
                                    .normals = call->normals ? in[call->normals].buffer : NULL,
                                    .points_offset = in[POINTS].offset,
                                    .patches_offset = in[call->patches].offset,
                                    .hints_offset = in[call->hints].offset,
                                    .offset = out->offset,
                                    .normals_offset = in[call->normals].offset,
                                    .num = part->num_lines,
                                    .max_dist = call->max_dist};

    if (normals) CLSPI_CHECK(reserve_normals(base, series, call->normals, bytes, &job.normals));
    CLSPI_CHECK(clspi_surface_device_find(plan, series, &job));
    return normals ? clspi_series_read(series, job.normals, 0, normals, bytes) : CLSP_OK;
}

/* ---- the call ---- */

/* Checks that the bytes of so many queries can be counted. */
static clsp_status check_size(const clsp_patch_plan *plan, size_t num, size_t result)
{
    size_t bytes = sizeof(double) * (result + plan->desc.dim + CLSPI_NORMAL_REALS);

    if (clspi_size_mul(&bytes, num)) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "%s: %zu queries are more than the address space", plan->base.family, num);
}

/* Makes what is searched before a device is asked whether its memory holds that. */
static clsp_status prepare_device(clsp_patch_plan *plan, const clsp_run *run)
{
    if (!clspi_surface_device_fits(plan) || clspi_run_asks(run)) return CLSP_OK;
    pthread_mutex_lock(&plan->base.lock);
    const clsp_status status = clspi_surface_host_prepare(plan);
    pthread_mutex_unlock(&plan->base.lock);
    return status;
}

/* Adds memory that is read, or written (output), and returns its number. need: of one query. */
static uint32_t add_memory(clspi_work_input *in, clspi_work *work, const clsp_input *input,
                           const clsp_output *output, clspi_memory_need need)
{
    const size_t per_line = need.count;

    need.count *= work->tiling.num_pieces;
    in[work->num_in] = (clspi_work_input){
        .input = input, .need = need, .per_line = per_line, .planes = 1, .written = output};
    return work->num_in++;
}

/* Adds all memory but that of the results. */
static void add_memories(clspi_work_input *in, clspi_work *work, const clspi_surface_project *given,
                         project_call *call)
{
    const clspi_tensor_desc *const d = &clspi_patch_plan_of(work->plan)->desc;
    const clspi_memory_need points = {"points", d->precision, d->dim};
    const clspi_memory_need patches = {"patches", CLSP_U32, 1};
    const clspi_memory_need hints = {"hints", d->precision, d->directions};
    const clspi_memory_need normals = {"normals", d->precision, CLSPI_NORMAL_REALS};

    work->in = in;
    add_memory(in, work, &given->points, NULL, points);
    if (clspi_input_is_there(&given->patches))
        call->patches = add_memory(in, work, &given->patches, NULL, patches);
    if (clspi_input_is_there(&given->hints))
        call->hints = add_memory(in, work, &given->hints, NULL, hints);
    if (given->has_normals) call->normals = add_memory(in, work, NULL, &given->normals, normals);
}

/* Describes what speeds depend on. */
static clspi_work_key key_of(const clspi_work *work)
{
    const clsp_patch_plan *const plan = clspi_patch_plan_of(work->plan);
    const project_call *const call = work->user;
    const clspi_tensor_desc *const d = &plan->desc;
    const clspi_work_key key = {
        "surface-nearest",
        9,
        {d->degrees[0], d->degrees[1], d->precision, d->rational != 0, call->patches > 0,
         call->hints > 0, call->max_dist > 0.0, call->normals > 0,
         clspi_size_class((double)plan->num_patches * (double)plan->patch_reals)}};

    return key;
}

clsp_status clspi_patch_project(clsp_patch_plan *plan, const clspi_surface_project *given,
                                const clsp_run *run)
{
    static const clspi_work_makers makers = {.key = key_of,
                                             .prepare = prepare,
                                             .on_host = search_on_host,
                                             .lacks = lacks,
                                             .on_device = search_on_device};
    const clsp_type real = plan->desc.precision;
    const size_t bytes = real == CLSP_F32 ? sizeof(clspi_nearest_f32) : sizeof(clspi_nearest_f64);
    const size_t result = bytes / clsp_type_bytes(real);
    project_call call = {.max_dist = given->max_dist};
    clspi_work_input in[CLSPI_WORK_INPUTS];
    clspi_work work = {.plan = &plan->base,
                       .peers = &plan->peers,
                       .makers = &makers,
                       .user = &call,
                       .user_bytes = sizeof call,
                       .tiling = clspi_list_tiling(given->num, QUERY_ITEMS),
                       .out = {&given->nearest, "nearest", real, result, false},
                       .line_items = QUERY_ITEMS,
                       .takes_all = true,
                       .chunk_ms = CHUNK_MS};

    CLSPI_CHECK(check_size(plan, given->num, result));
    add_memories(in, &work, given, &call);
    CLSPI_CHECK(prepare_device(plan, run));
    return clspi_work_run(&work, run);
}
