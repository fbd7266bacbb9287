/* Cells of solids by the context's device, and weights. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cell_launch.h"
#include "transfer.h"

/* ---- checks ---- */

clsp_status clspi_solid_orders(const clsp_solid_plan *plan, const uint32_t *by, uint8_t orders[3])
{
    uint64_t total = 0;

    for (uint32_t a = 0; a < 3; a++) {
        total += by ? by[a] : 0;
        orders[a] = by && by[a] <= 2 ? (uint8_t)by[a] : 0;
    }
    if (total <= 2) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "solid: derivatives of order %u, %u, %u: at most 2 together", by[0], by[1],
                      by[2]);
}

clsp_status clspi_solid_range(const clsp_solid_plan *plan, clsp_range cells)
{
    if (!plan->is_loaded)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_STATE,
                          "solid: no control points are loaded");
    return clspi_solid_cells_check(plan, cells);
}

clsp_status clspi_solid_cells_check(const clsp_solid_plan *plan, clsp_range cells)
{
    if (cells.first <= plan->num_cells && cells.count <= plan->num_cells - cells.first)
        return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "solid: cells %zu to %zu + %zu of %zu", cells.first, cells.first, cells.count,
                      plan->num_cells);
}

clsp_status clspi_solid_need(const clsp_solid_plan *plan, clsp_range cells, clspi_memory_need *need)
{
    *need = (clspi_memory_need){"points", plan->desc.precision, plan->cell_reals};
    if (clspi_size_mul(&need->count, cells.count) && need->count <= SIZE_MAX / sizeof(double))
        return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: the points of %zu cells are more than the address space",
                      cells.count);
}

/* ---- grids ---- */

clsp_status clspi_solid_enqueue(clsp_solid_plan *plan, clspi_series *series, const uint8_t by[3],
                                clsp_range cells, const clspi_target *target)
{
    const clsp_axis *const axis = plan->desc.axis;
    const bool is_value = !(by[0] | by[1] | by[2]);
    const clspi_cells_job job = {plan, {by[0], by[1], by[2]}, target->buffer};
    const clspi_cell_samples at = {.num_u = axis[0].num,
                                   .num_v = axis[1].num,
                                   .num_w = axis[2].num,
                                   .first = (cl_uint)cells.first,
                                   .count = (cl_uint)cells.count,
                                   .record = 0,
                                   .sets = 0,
                                   .items = 0,
                                   .groups = 1,
                                   .tile = 0,
                                   .offset = target->offset,
                                   .keep = is_value ? 1.0 : 0.0};

    CLSPI_CHECK(clspi_sample_tables_prepare(plan, series, by));
    return clspi_cells_make(&job, series, at);
}

typedef struct eval_job {
    clsp_solid_plan *plan;
    uint8_t by[3];
    clspi_job_streams streams;
} eval_job;

/* Makes the cells of a part, which are its lines. */
static clsp_status make_cells(void *user, clspi_series *series, const clspi_part *part)
{
    const eval_job *const job = user;
    const clspi_target target = {job->streams.stream[0].buffer, job->streams.stream[0].offset};

    return clspi_solid_enqueue(job->plan, series, job->by,
                               (clsp_range){part->line, part->num_lines}, &target);
}

void clspi_solid_plan_orders(const clsp_solid_plan *plan, uint8_t by[3])
{
    static const struct {
        uint32_t attribute;
        uint8_t by[3];
    } orders[] = {
        {CLSP_VERTEX_DU, {1, 0, 0}},  {CLSP_VERTEX_DV, {0, 1, 0}},  {CLSP_VERTEX_DW, {0, 0, 1}},
        {CLSP_VERTEX_DUU, {2, 0, 0}}, {CLSP_VERTEX_DUV, {1, 1, 0}}, {CLSP_VERTEX_DVV, {0, 2, 0}},
        {CLSP_VERTEX_DUW, {1, 0, 1}}, {CLSP_VERTEX_DVW, {0, 1, 1}}, {CLSP_VERTEX_DWW, {0, 0, 2}}};

    memset(by, 0, 3);
    for (size_t i = 0; i < CLSPI_COUNT(orders); i++)
        if (plan->desc.vertex.attributes & orders[i].attribute) memcpy(by, orders[i].by, 3);
}

clsp_status clspi_solid_eval_lines(clsp_solid_plan *plan, clsp_range cells,
                                   const clsp_output *vertices, const clsp_run *run)
{
    eval_job job = {.plan = plan};
    clspi_stream *const stream = &job.streams.stream[0];
    const clspi_cut cut = {.per_piece = plan->num_cells, .line = cells.first, .left = cells.count};
    clspi_memory_need need;

    clspi_solid_plan_orders(plan, job.by);
    CLSPI_CHECK(clspi_solid_need(plan, cells, &need));
    job.streams.num = 1;
    stream->per_line = plan->cell_reals;
    stream->written = true;
    const clsp_status status = clspi_output_open(&stream->memory, &plan->base, vertices, &need);
    if (status == CLSP_OK)
        return clspi_carry_out(&plan->base, run, &job.streams, cut, make_cells, &job);
    clspi_streams_close(&job.streams);
    return status;
}

/* ---- weights ---- */

/* Weights of vertices, as they are found. */
typedef struct weight_list {
    uint32_t *vertex;
    double *weight;
    size_t num;
} weight_list;

/* Adds the weight of a point: of a vertex, or of those that a continued point is made of. */
static void add_weight(weight_list *list, const clspi_cell_points *points, uint32_t point,
                       double weight)
{
    size_t at = 0;

    if (point >= points->num_vertices) { /* at most three behind each other */
        const size_t i = point - points->num_vertices;
        add_weight(list, points, clspi_continued_from(points, i, 0), 2.0 * weight);
        add_weight(list, points, clspi_continued_from(points, i, 1), -weight);
        return;
    }
    while (at < list->num && list->vertex[at] != point)
        at++;
    if (at == list->num) {
        list->vertex[list->num] = point;
        list->weight[list->num++] = 0.0;
    }
    list->weight[at] += weight;
}

static clsp_status check_param(const clsp_solid_plan *plan, const clsp_solid_param *param)
{
    CLSPI_CHECK(clspi_reserved_check(&plan->base.ctx->log, "clsp_solid_param", param->reserved));
    for (uint32_t a = 0; a < 3; a++) {
        if (!(param->t[a] >= 0.0 && param->t[a] <= 1.0))
            return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                              "solid: parameter %g is not within [0, 1]", param->t[a]);
    }
    if (param->cell < plan->num_cells) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT, "solid: cell %zu of %zu",
                      param->cell, plan->num_cells);
}

/* Finds the weights of a parameter; the list has room for CLSPI_RING_POINTS. */
static void find_weights(const clsp_solid_plan *plan, const clsp_solid_param *param,
                         const uint8_t by[3], double *row, weight_list *list)
{
    const clspi_cell_points *const points = &plan->points;
    uint32_t index[CLSPI_RING_POINTS];
    const uint32_t num = clspi_cell_points_of(points, &plan->classes, (uint32_t)param->cell, index);

    clspi_cell_weights(points, &plan->classes, (uint32_t)param->cell, param->t, by, row);
    for (uint32_t i = 0; i < num; i++)
        add_weight(list, points, index[i], row[i]);
}

clsp_status clsp_solid_weights(clsp_solid_plan *plan, const clsp_solid_param *param,
                               uint32_t *vertices, double *weights, size_t *num)
{
    uint8_t by[3];

    if (!plan || !param || !num || (*num && (!vertices || !weights)))
        return clspi_null_argument(plan ? &plan->base : NULL, "clsp_solid_weights");
    CLSPI_CHECK(check_param(plan, param));
    CLSPI_CHECK(clspi_solid_orders(plan, param->by, by));
    CLSPI_CHECK(clspi_solid_hold_blocks(plan));
    double *const row = malloc(CLSPI_RING_POINTS * sizeof *row);
    weight_list list = {.vertex = malloc(CLSPI_RING_POINTS * sizeof *list.vertex),
                        .weight = malloc(CLSPI_RING_POINTS * sizeof *list.weight)};
    clsp_status status = CLSP_OK;
    if (row && list.vertex && list.weight) {
        find_weights(plan, param, by, row, &list);
        if (list.num > *num)
            status = clspi_fail(&plan->base.ctx->log, CLSP_ERROR_BUFFER_SIZE,
                                "solid: %zu weights, and there is room for %zu", list.num, *num);
        for (size_t i = 0; i < list.num && status == CLSP_OK; i++) {
            vertices[i] = list.vertex[i];
            weights[i] = list.weight[i];
        }
        *num = list.num;
    } else {
        status =
            clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY, "solid: no memory for weights");
    }
    free(row);
    free(list.vertex);
    free(list.weight);
    return status;
}
