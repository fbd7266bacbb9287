#include "tensor_share.h"

#include <stdio.h>

#include "check.h"
#include "vertex_layout.h"

enum { KEY_MAX = 160 };

static clspi_tensor_plan *tensor_plan_of(clspi_plan *plan)
{
    return (clspi_tensor_plan *)plan; /* base is its first member */
}

/* ---- the host ---- */

/* Tells why the host cannot make a plan's vertices; NULL: it can. Static storage. */
static const char *host_refusal(const clspi_tensor_plan *plan)
{
    if (!clspi_tensor_has_rows(plan))
        return "the host has no code for patch grids, own bases and triangles";
    if (plan->sums.method) return "the host has no code for this method";
    if (plan->family->after_rows && !plan->family->has_edges &&
        (plan->desc.vertex.attributes & CLSP_VERTEX_NORMAL))
        return "the host has no code for normals on the edges of this family";
    return NULL;
}

static clspi_row_type row_type_of(clsp_type type)
{
    return type == CLSP_F16 ? CLSPI_ROW_F16 : type == CLSP_F32 ? CLSPI_ROW_F32 : CLSPI_ROW_F64;
}

/* Describes the points of a plan, and its vertices where they are points and weights alone. */
static clspi_tile_desc points_of(const clspi_tensor_desc *d)
{
    const clsp_vertex_layout *const vertex = &d->vertex;
    const bool weights = (vertex->attributes & CLSP_VERTEX_WEIGHT) != 0;
    const clspi_tile_desc desc = {
        .f64 = d->precision == CLSP_F64,
        .directions = d->directions,
        .controls = {d->controls[0], d->controls[1], d->controls[2]},
        .terms = {d->terms[0], d->terms[1], d->terms[2]},
        .nums = {d->axis[0].num, d->axis[1].num, d->axis[2].num},
        .vertex = {.dim = d->dim,
                   .rational = d->rational,
                   .type = row_type_of(vertex->type),
                   .stride = vertex->stride,
                   .at_point = vertex->offset[0],
                   .at_weight = weights ? (int32_t)vertex->offset[1] : -1},
        .values = d->basis.values,
        .user = d->basis.user};

    return desc;
}

static clspi_vertex_shape shape_of(const clspi_tensor_desc *d)
{
    const clsp_vertex_layout *const vertex = &d->vertex;
    clspi_vertex_shape shape = {.dim = d->dim,
                                .rational = d->rational,
                                .directions = d->directions,
                                .type = row_type_of(vertex->type),
                                .stride = vertex->stride};

    for (unsigned k = 0; k < CLSPI_PARTS; k++)
        shape.at[k] = vertex->attributes & 1u << k ? (int32_t)vertex->offset[k] : -1;
    return shape;
}

static clspi_vertex_tile *create_tile(const clspi_tensor_plan *plan)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const uint32_t attributes = d->vertex.attributes;
    clspi_vertex_tile_desc desc = {
        .points = points_of(d),
        .shape = shape_of(d),
        .only_points = (attributes & CLSP_VERTEX_POINT) &&
                       !(attributes & ~(unsigned)(CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT)),
        .factors = d->basis.factors,
        .edges = plan->family->has_edges && plan->family->has_edges(d),
        .watertight = d->watertight != 0};

    desc.num_sums = clspi_sums_needed(d, desc.numbers);
    for (cl_uint k = 0; k < desc.num_sums; k++)
        clspi_sum_order(desc.numbers[k], desc.by[k]);
    for (cl_uint k = 0; k < 3; k++) {
        desc.axis[k][0] = d->axis[k].begin;
        desc.axis[k][1] = d->axis[k].end;
    }
    return clspi_vertex_tile_create(&desc);
}

static clsp_status read_points(clspi_tensor_plan *plan)
{
    const size_t bytes =
        plan->num_patches * plan->patch_reals * clsp_type_bytes(plan->desc.precision);

    return clspi_host_state_read(&plan->host, &plan->base, plan->points, bytes);
}

clsp_status clspi_tensor_host_points(clspi_tensor_plan *plan, const void **points)
{
    pthread_mutex_lock(&plan->host.lock);
    const clsp_status status = read_points(plan);
    pthread_mutex_unlock(&plan->host.lock);
    *points = plan->host.data;
    return status;
}

static clsp_status prepare_host_locked(clspi_tensor_plan *plan)
{
    CLSPI_CHECK(read_points(plan));
    if (!plan->host_tile) plan->host_tile = create_tile(plan);
    if (plan->host_tile) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY, "%s: no memory for host tables",
                      plan->base.family);
}

/* Makes what all workers share; several may call it at once. */
static clsp_status prepare_host(clspi_tensor_plan *plan)
{
    pthread_mutex_lock(&plan->host.lock);
    const clsp_status status = prepare_host_locked(plan);
    pthread_mutex_unlock(&plan->host.lock);
    return status;
}

/* Makes the rows of a part on a worker. */
static clsp_status make_on_host(const void *user, clspi_plan *base, uint32_t worker,
                                const clspi_part *part, char *out)
{
    clspi_tensor_plan *const plan = tensor_plan_of(base);
    void **const scratch = &plan->host.scratch[worker];
    const size_t patch_bytes = plan->patch_reals * clsp_type_bytes(plan->desc.precision);
    const size_t rows = part->num_lines / part->num_pieces;
    const size_t row_bytes = clspi_tensor_row_vertices(plan) * clspi_vertex_bytes(&plan->desc);

    (void)user;
    if (!*scratch) *scratch = clspi_vertex_scratch_create(plan->host_tile);
    if (!*scratch)
        return clspi_fail(&base->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "%s: no memory for sums of a host worker", base->family);
    for (size_t p = 0; p < part->num_pieces; p++) {
        const size_t patch = part->piece + p;
        const clspi_tile_rows tile = {.points = (const char *)plan->host.data + patch * patch_bytes,
                                      .patch = patch,
                                      .first_row = (uint32_t)part->line,
                                      .num_rows = (uint32_t)rows,
                                      .out = out + p * rows * row_bytes};
        clspi_vertex_tile_eval(plan->host_tile, *scratch, &tile);
    }
    return CLSP_OK;
}

/* Checks what a call of host_rows alone may get wrong. */
static clsp_status check_host_rows(const clspi_tensor_plan *plan, uint32_t worker,
                                   const clsp_output *vertices)
{
    const char *why = host_refusal(plan);

    if (!why && worker >= CLSP_MAX_WORKERS) why = "no such worker";
    if (!why && (vertices->buffer || vertices->svm)) why = "rows on the host: host memory only";
    if (!why) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT, "%s: %s", plan->base.family, why);
}

clsp_status clspi_tensor_host_rows(clspi_tensor_plan *plan, uint32_t worker, size_t patch,
                                   clsp_range rows, const clsp_output *vertices)
{
    const size_t row = clspi_tensor_row_vertices(plan) * plan->desc.vertex.stride;
    const clspi_memory_need need = {"vertices", plan->desc.vertex.type, row * rows.count};
    const clspi_part part = {
        .piece = patch, .num_pieces = 1, .line = rows.first, .num_lines = rows.count};
    clspi_memory memory;

    CLSPI_CHECK(clspi_call_check(&plan->base, NULL));
    CLSPI_CHECK(check_host_rows(plan, worker, vertices));
    CLSPI_CHECK(clspi_tensor_check_patches(plan, (clsp_range){patch, 1}));
    CLSPI_CHECK(clspi_tensor_check_rows(plan, rows));
    CLSPI_CHECK(clspi_output_open(&memory, &plan->base, vertices, &need));
    if (rows.count == 0) return CLSP_OK;
    CLSPI_CHECK(prepare_host(plan));
    return make_on_host(NULL, &plan->base, worker, &part, memory.host);
}

/* ---- devices ---- */

static clsp_status make_on_device(const void *user, clspi_plan *base, clspi_series *series,
                                  const clspi_part *part, const clspi_target *target)
{
    const clspi_rows whole = {.out = target->buffer, .offset = target->offset};
    const clspi_rows rows = clspi_rows_of_part(&whole, part, 0); /* target is where it begins */

    (void)user;
    return clspi_tensor_enqueue(tensor_plan_of(base), series, &rows);
}

static clsp_status make_persistent(const void *user, clspi_plan *base, clspi_series *series,
                                   const clspi_queued_tiles *job)
{
    clspi_tensor_plan *const plan = tensor_plan_of(base);

    (void)user;
    return clspi_tile_kernel_enqueue(&plan->tile_kernel, series, &plan->desc, &plan->sums, job);
}

/* Tells why no persistent kernel can make `count` patches; NULL: one can. Static storage. */
static const char *persistent_refusal(const clspi_tensor_plan *plan, size_t count)
{
    if (!plan->is_plain || plan->desc.watertight || clspi_has_patch_grids(&plan->grids))
        return "no persistent kernel for these vertices";
    return clspi_tile_kernel_refusal(plan->base.ctx, &plan->desc, &plan->sums, count);
}

clsp_status clspi_tensor_load_peer(clspi_plan *peer, clspi_plan *base)
{
    clspi_tensor_plan *const plan = tensor_plan_of(base);
    const void *points;

    CLSPI_CHECK(clspi_tensor_host_points(plan, &points));
    return clspi_tensor_load(tensor_plan_of(peer), plan->num_patches, points);
}

/* ---- the calls ---- */

static void name_job(const clspi_tensor_plan *plan, size_t count, char key[KEY_MAX])
{
    static const char *const forms[] = {"", "curve", "surface", "volume"};
    const clspi_tensor_desc *const d = &plan->desc;

    snprintf(key, KEY_MAX, "%s-%s-%u-%u-%u-f%zu%s-m%u-a%x-s%u-%zu-c%u", plan->family->name,
             d->is_triangle ? "triangle" : forms[d->directions], d->degrees[0], d->degrees[1],
             d->degrees[2], 8 * clsp_type_bytes(d->precision), d->rational ? "-rational" : "",
             plan->variant, d->vertex.attributes, d->vertex.stride,
             8 * clsp_type_bytes(d->vertex.type),
             clspi_size_class((double)count * (double)plan->patch_vertices));
}

/* Makes the batch of a shared call. key: room for its name. */
static clsp_status batch_of(clspi_tensor_plan *plan, clsp_range patches, char key[KEY_MAX],
                            clspi_shared_batch *batch)
{
    static const clspi_line_maker maker = {make_on_host, make_on_device, make_persistent};
    const size_t row = clspi_tensor_row_vertices(plan);

    name_job(plan, patches.count, key);
    *batch = (clspi_shared_batch){
        .plan = &plan->base,
        .peers = &plan->peers,
        .maker = &maker,
        .why_no_host = host_refusal(plan),
        .why_not_persistent = persistent_refusal(plan, patches.count),
        .first_piece = patches.first,
        .tiling = clspi_tiling_of(patches.count, plan->desc.axis[0].num, row, CLSPI_ROWS_MULTIPLE),
        .line_items = row,
        .line_bytes = row * clspi_vertex_bytes(&plan->desc),
        .element = clsp_type_bytes(plan->desc.vertex.type),
        .has_gaps = clspi_layout_has_gaps(&plan->desc),
        .key = key};
    return batch->why_no_host ? CLSP_OK : prepare_host(plan);
}

static const char not_rows[] = "patch grids, own bases and triangles are not shared";

/* What a call is that only the context's device can carry out. */
typedef struct lone_eval {
    clspi_tensor_plan *plan;
    clsp_range patches;
    const clsp_output *vertices;
} lone_eval;

static clsp_status eval_vertices(void *user)
{
    const lone_eval *const call = user;

    return clspi_tensor_eval(call->plan, call->patches, call->vertices, NULL);
}

/* Checks a shared call, and counts the elements of its vertices. */
static clsp_status check_call(const clspi_tensor_plan *plan, clsp_range patches, size_t *elements)
{
    CLSPI_CHECK(clspi_call_check(&plan->base, NULL));
    CLSPI_CHECK(clspi_tensor_check_patches(plan, patches));
    return clspi_tensor_count_elements(plan, patches, elements);
}

/* Tells whether more than one processor has made tiles. */
static bool is_mixed(const clsp_cooperate_report *report)
{
    uint32_t makers = 0;

    for (uint32_t i = 0; i < report->num_processors; i++)
        makers += report->processors[i].tiles > 0;
    return makers > 1;
}

/* Makes watertight points again on the calling thread. Processors round differently, and what
   neighbours share has to be of one of them. */
static void make_shared_edges(const clspi_tensor_plan *plan, clsp_range patches, char *out)
{
    const size_t patch_bytes = plan->patch_reals * clsp_type_bytes(plan->desc.precision);
    const size_t vertices = plan->patch_vertices * clspi_vertex_bytes(&plan->desc);

    for (size_t p = 0; p < patches.count; p++) {
        const size_t patch = patches.first + p;
        const clspi_tile_rows rows = {.points = (const char *)plan->host.data + patch * patch_bytes,
                                      .patch = patch,
                                      .num_rows = plan->desc.axis[0].num,
                                      .out = out + p * vertices};
        clspi_vertex_tile_edges(plan->host_tile, &rows);
    }
}

clsp_status clspi_tensor_cooperate(clspi_tensor_plan *plan, clsp_range patches,
                                   const clsp_output *vertices, const clsp_cooperate_opts *opts,
                                   clsp_cooperate_report *report)
{
    clsp_output host = *vertices;
    lone_eval own = {plan, patches, &host};
    const clspi_lone_call alone = {not_rows, patches.count > 0, eval_vertices, &own};
    clspi_memory_need need = {"vertices", plan->desc.vertex.type, 0};
    clsp_cooperate_report own_report;
    clsp_cooperate_report *const told = report ? report : &own_report;
    clspi_shared_batch batch;
    char key[KEY_MAX], *out;

    CLSPI_CHECK(check_call(plan, patches, &need.count));
    CLSPI_CHECK(clspi_shared_output(&plan->base, &host, &need, &out));
    if (!clspi_tensor_has_rows(plan)) return clspi_shared_alone(&plan->base, &alone, opts, report);
    CLSPI_CHECK(batch_of(plan, patches, key, &batch));
    CLSPI_CHECK(clspi_shared_batch_run(&batch, out, opts, told));
    if (plan->desc.watertight && !batch.why_no_host && is_mixed(told))
        make_shared_edges(plan, patches, out);
    return CLSP_OK;
}

clsp_status clspi_tensor_tune(clspi_tensor_plan *plan, clsp_range patches,
                              clsp_cooperate_report *report)
{
    clspi_shared_batch batch;
    char key[KEY_MAX];
    size_t elements;

    CLSPI_CHECK(check_call(plan, patches, &elements));
    if (!clspi_tensor_has_rows(plan))
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT, "%s: %s", plan->base.family,
                          not_rows);
    CLSPI_CHECK(batch_of(plan, patches, key, &batch));
    return clspi_shared_batch_tune(&batch, report);
}
