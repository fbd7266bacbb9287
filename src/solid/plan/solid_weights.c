/* The public call that gives the weights of a limit. */
#include <stdlib.h>

#include "check.h"
#include "lattice.h"
#include "solid_plan.h"
#include "solid_upload.h"

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

/* Checks orders of a derivative. */
static clsp_status check_orders(const clsp_solid_plan *plan, const uint32_t by[3],
                                uint8_t orders[3])
{
    uint64_t total = 0;

    for (uint32_t a = 0; a < 3; a++) {
        total += by[a];
        orders[a] = by[a] <= 2 ? (uint8_t)by[a] : 0;
    }
    if (total <= 2) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "solid: derivatives of order %u, %u, %u: at most 2 together", by[0], by[1],
                      by[2]);
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
    CLSPI_CHECK(clspi_context_check(plan->base.ctx));
    CLSPI_CHECK(check_param(plan, param));
    CLSPI_CHECK(check_orders(plan, param->by, by));
    CLSPI_CHECK(clspi_solid_by_classes(plan, &plan));
    CLSPI_CHECK(clspi_solid_hold_points(plan));
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
