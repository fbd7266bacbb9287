#include "list_vertices.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "host_cells.h"
#include "point_sums.h"
#include "star_vertices.h"

/* ---- what workers share ---- */

enum { MOST_REALS = 1 << 22 }; /* of trees */

/* Makes the trees of all classes with slices, of a plan whose lock is held. Where they are too
   large weights are found without. */
static clsp_status make_trees(clsp_solid_plan *plan)
{
    const clspi_class_set *const set = &plan->classes;
    clspi_class_trees trees = {.words = NULL};
    bool *const used = calloc((size_t)set->num + 1, sizeof *used);
    bool done = used;

    for (uint32_t n = 0; n < set->num && done; n++)
        used[n] = set->entry[n].axis != CLSPI_NO_AXIS;
    done = done && clspi_class_trees_make(&trees, set, used, 0.0, CLSPI_TREE_DEPTH, MOST_REALS);
    free(used);
    plan->host_trees.too_large = trees.too_large;
    if (done) plan->host_trees = trees;
    if (done) return CLSP_OK;
    clspi_class_trees_release(&trees);
    if (plan->host_trees.too_large) return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "solid: no memory for the host's part");
}

clsp_status clspi_solid_host_lists(clsp_solid_plan *plan)
{
    clsp_status status = CLSP_OK;

    if (plan->lattice) return CLSP_OK;
    pthread_mutex_lock(&plan->host.lock);
    if (!plan->host_trees.words && !plan->host_trees.too_large) status = make_trees(plan);
    pthread_mutex_unlock(&plan->host.lock);
    return status;
}

/* ---- points ---- */

enum { SOME = 16 }; /* points that are found before they are made, lest one waits for the other */

/* A point of a list. */
typedef struct list_point {
    clspi_solid_spot spot;
    bool is_regular;
    const uint32_t *points; /* of a regular cell, as clspi_point_sum has them, */
    uint32_t step[2];
    uint32_t own[CLSPI_GRID_POINTS]; /* or where its block is no lattice */
} list_point;

static void find_point(const clsp_solid_plan *plan, const clspi_solid_list *list, size_t i,
                       list_point *point)
{
    const clspi_solid_spot *const spot = &point->spot;

    clspi_solid_spot_find(plan, list, i, &point->spot);
    point->is_regular = spot->is_there && plan->points.use[spot->cell].number == CLSPI_REGULAR;
    if (!point->is_regular) return;
    point->points = clspi_lattice_points(&plan->points, spot->cell);
    point->step[0] = point->points ? CLSPI_LATTICE_SIDE * CLSPI_LATTICE_SIDE : 16;
    point->step[1] = point->points ? CLSPI_LATTICE_SIDE : 4;
    if (point->points) return;
    clspi_cell_points_of(&plan->points, &plan->classes, spot->cell, point->own);
    point->points = point->own;
}

/* Makes the sums of a point in a regular cell. */
static void sum_regular(const clsp_solid_plan *plan, const list_point *point, double *sums)
{
    const clspi_point_sum sum = {.control = plan->host.data,
                                 .points = point->points,
                                 .step = {point->step[0], point->step[1]},
                                 .dim = plan->desc.dim,
                                 .num_sums = plan->shape.num_sums,
                                 .number = plan->shape.number,
                                 .t = point->spot.t};

    (plan->desc.precision == CLSP_F64 ? clspi_point_sums_f64 : clspi_point_sums_f32)(&sum, sums);
}

/* Makes the sums of a point by the weights of its cell's points. */
static void sum_weighted(const clsp_solid_plan *plan, clspi_solid_scratch *scratch,
                         const clspi_solid_spot *spot, double *sums)
{
    const clspi_solid_shape *const shape = &plan->shape;
    clspi_weighted_sum sum = {.control = plan->host.data,
                              .dim = shape->dim,
                              .points = plan->points.index + plan->points.place[spot->cell],
                              .weights = scratch->weights};

    sum.num = plan->classes.entry[plan->points.use[spot->cell].number].num_points;
    for (uint32_t k = 0; k < shape->num_sums; k++) {
        clspi_cell_weights(&plan->points, &scratch->classes, spot->cell, spot->t,
                           clspi_order_by[shape->number[k]], scratch->weights);
        sum.is_value = shape->number[k] == CLSPI_VALUE;
        (plan->desc.precision == CLSP_F64 ? clspi_weighted_sum_f64
                                          : clspi_weighted_sum_f32)(&sum, sums + k * shape->dim);
    }
}

/* Makes the sums of a point, [sums][dim] doubles; NaN where it is nowhere. */
static void sum_point(const clsp_solid_plan *plan, clspi_solid_scratch *scratch,
                      const list_point *point, double *sums)
{
    if (!point->spot.is_there)
        for (size_t i = 0; i < (size_t)plan->shape.num_sums * plan->shape.dim; i++)
            sums[i] = (double)NAN;
    else if (point->is_regular)
        sum_regular(plan, point, sums);
    else
        sum_weighted(plan, scratch, &point->spot, sums);
}

/* Stores the one sum of a packed point in the plan's precision. */
static void store_plain(const clsp_solid_plan *plan, const double *sum, void *out)
{
    for (uint32_t c = 0; c < plan->desc.dim; c++)
        if (plan->desc.precision == CLSP_F64)
            ((double *)out)[c] = sum[c];
        else
            ((float *)out)[c] = (float)sum[c];
}

/* Makes the vertex of a point. */
static void make_point(const clsp_solid_plan *plan, clspi_solid_scratch *scratch, list_point *point,
                       char *out)
{
    double sums[CLSPI_ORDERS * CLSP_SOLID_MAX_DIM];
    clspi_solid_shape shape = plan->shape;
    const clspi_solid_source source = {.sums = sums,
                                       .plane = shape.dim,
                                       .used = shape.dim,
                                       .params = &point->spot.t,
                                       .faces = &point->spot.face};

    sum_point(plan, scratch, point, sums);
    if (plan->is_plain) {
        store_plain(plan, sums, out);
        return;
    }
    shape.is_double = true; /* as sums are here */
    clspi_solid_vertices_store(&shape, &source, out, 1);
}

clsp_status clspi_solid_host_points(clsp_solid_plan *plan, uint32_t worker,
                                    const clspi_solid_list *list, clsp_range points, char *out)
{
    const size_t vertex = plan->shape.stride * (plan->shape.bits / 8);
    const clspi_star_lines lines = {list, points};
    list_point some[SOME];

    if (plan->lattice) return clspi_star_vertices(plan, &lines, NULL, out);
    clspi_solid_scratch *const scratch = clspi_solid_scratch_of(plan, worker);
    if (!scratch)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: no memory for the host's part");
    scratch->classes.trees = plan->host_trees.words ? &plan->host_trees : NULL;
    for (size_t first = 0; first < points.count; first += SOME) {
        const size_t num = clspi_min(SOME, points.count - first);
        for (size_t i = 0; i < num; i++)
            find_point(plan, list, points.first + first + i, &some[i]);
        for (size_t i = 0; i < num; i++)
            make_point(plan, scratch, &some[i], out + (first + i) * vertex);
    }
    return CLSP_OK;
}
