#include "list_vertices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

enum { SOME = CLSPI_POINTS };

/* Points of a list that are made together. */
typedef struct list_points {
    double params[SOME][3];
    uint8_t faces[SOME];
    clspi_point_sum columns;               /* of those whose cells are columns of points */
    uint32_t own[SOME][CLSPI_GRID_POINTS]; /* points of cells whose block is no lattice */
    double sums[SOME * CLSPI_ORDERS * CLSP_SOLID_MAX_DIM]; /* [points][sums][dim] */
} list_points;

/* Finds the points of a regular cell. */
static void find_grid(const clsp_solid_plan *plan, uint32_t cell, uint32_t own[CLSPI_GRID_POINTS],
                      clspi_point_columns *columns)
{
    const uint32_t *const lattice = clspi_lattice_points(&plan->points, cell);

    *columns =
        (clspi_point_columns){.points = lattice ? lattice : own,
                              .step = {lattice ? CLSPI_LATTICE_SIDE * CLSPI_LATTICE_SIDE : 16,
                                       lattice ? CLSPI_LATTICE_SIDE : 4}};
    if (!lattice) clspi_cell_points_of(&plan->points, &plan->classes, cell, own);
}

/* Finds the columns of a cell that has slices, and the parameter there. False: it has none, or the
   parameter is in no regular child of one. */
static bool find_slices(const clsp_solid_plan *plan, const clspi_solid_spot *spot,
                        clspi_point_columns *columns, double at[3])
{
    const clspi_class_use use = plan->points.use[spot->cell];
    double t[3];

    for (uint32_t a = 0; a < 3; a++) {
        const double own = spot->t[clspi_frame_axis(use.frame, a)];
        t[a] = clspi_frame_flips(use.frame, a) ? 1.0 - own : own;
    }
    if (!plan->host_trees.words ||
        !clspi_tree_columns(&plan->host_trees, use.number, t, columns, at))
        return false;
    columns->points = plan->points.index + plan->points.place[spot->cell];
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t a = columns->axis[k];
        columns->axis[k] = (uint8_t)clspi_frame_axis(use.frame, a);
        if (clspi_frame_flips(use.frame, a)) columns->slope[k] = -columns->slope[k];
    }
    return true;
}

/* Makes the sums of a point by weights. */
static void sum_weighted(const clsp_solid_plan *plan, clspi_solid_scratch *scratch,
                         const clspi_solid_spot *spot, double *sums)
{
    const clspi_solid_shape *const shape = &plan->shape;
    clspi_weighted_sum sum = {.control = plan->host.data,
                              .is_double = plan->desc.precision == CLSP_F64,
                              .dim = shape->dim,
                              .points = plan->points.index + plan->points.place[spot->cell],
                              .weights = scratch->weights};

    sum.num = plan->classes.entry[plan->points.use[spot->cell].number].num_points;
    for (uint32_t k = 0; k < shape->num_sums; k++) {
        clspi_cell_weights(&plan->points, &scratch->classes, spot->cell, spot->t,
                           clspi_order_by[shape->number[k]], scratch->weights);
        sum.is_value = shape->number[k] == CLSPI_VALUE;
        clspi_weighted_points(&sum, sums + k * shape->dim);
    }
}

/* Makes the sums of a point that has no columns: NaN where it is nowhere. */
static void sum_apart(const clsp_solid_plan *plan, clspi_solid_scratch *scratch,
                      const clspi_solid_spot *spot, double *sums)
{
    const size_t reals = (size_t)plan->shape.num_sums * plan->shape.dim;

    if (spot->is_there)
        sum_weighted(plan, scratch, spot, sums);
    else
        for (size_t k = 0; k < reals; k++)
            sums[k] = (double)NAN;
}

/* Finds the columns of a point; false where it has none. */
static bool find_columns(const clsp_solid_plan *plan, const clspi_solid_spot *spot,
                         uint32_t own[CLSPI_GRID_POINTS], clspi_point_columns *columns,
                         double at[3])
{
    if (!spot->is_there) return false;
    if (plan->points.use[spot->cell].number != CLSPI_REGULAR)
        return find_slices(plan, spot, columns, at);
    find_grid(plan, spot->cell, own, columns);
    for (size_t a = 0; a < 3; a++)
        at[a] = spot->t[a];
    return true;
}

/* Makes the derivatives of a child with columns those of the cell. */
static void scale_slopes(const clspi_solid_shape *shape, const clspi_point_columns *columns)
{
    for (uint32_t k = 0; k < shape->num_sums; k++) {
        const uint8_t *const by = clspi_order_by[shape->number[k]];
        double factor = 1.0;
        for (uint32_t a = 0; a < 3; a++)
            for (uint32_t n = 0; n < by[columns->axis[a]]; n++)
                factor *= columns->slope[a];
        for (uint32_t c = 0; c < shape->dim; c++)
            columns->sums[k * shape->dim + c] *= factor;
    }
}

/* Finds so many points from one on, and makes the sums of those without columns. */
static void find_points(const clsp_solid_plan *plan, clspi_solid_scratch *scratch,
                        const clspi_solid_list *list, size_t first, size_t num, list_points *some)
{
    const size_t reals = (size_t)plan->shape.num_sums * plan->shape.dim;
    clspi_point_sum *const sum = &some->columns;

    sum->num = 0;
    for (size_t i = 0; i < num; i++) {
        clspi_point_columns *const columns = &sum->of[sum->num];
        clspi_solid_spot spot;
        double at[3];
        clspi_solid_spot_find(plan, list, first + i, &spot);
        if (!plan->is_plain) memcpy(some->params[i], spot.t, sizeof spot.t);
        some->faces[i] = spot.face;
        if (!find_columns(plan, &spot, some->own[i], columns, at)) {
            sum_apart(plan, scratch, &spot, some->sums + i * reals);
            continue;
        }
        columns->sums = some->sums + i * reals;
        for (size_t a = 0; a < 3; a++)
            sum->t[a][sum->num] = at[a];
        sum->num++;
    }
}

/* Makes the sums of points that have columns. */
static void sum_columns(const clsp_solid_plan *plan, clspi_point_sum *sum)
{
    sum->control = plan->host.data;
    sum->is_double = plan->desc.precision == CLSP_F64;
    sum->dim = plan->shape.dim;
    sum->num_sums = plan->shape.num_sums;
    sum->number = plan->shape.number;
    clspi_point_sums(sum);
    for (uint32_t i = 0; i < sum->num; i++)
        if (sum->of[i].layers) scale_slopes(&plan->shape, &sum->of[i]);
}

/* Stores the sums of packed points, one each, in the plan's precision. */
static void store_plain(const clsp_solid_plan *plan, const double *sums, size_t num, void *out)
{
    const size_t reals = num * plan->desc.dim;

    if (plan->desc.precision == CLSP_F64)
        memcpy(out, sums, reals * sizeof *sums);
    else
        for (size_t k = 0; k < reals; k++)
            ((float *)out)[k] = (float)sums[k];
}

static void store_points(const clsp_solid_plan *plan, list_points *some, size_t num, char *out)
{
    clspi_solid_shape shape = plan->shape;
    const clspi_solid_source source = {.sums = some->sums,
                                       .plane = shape.dim,
                                       .step = (size_t)shape.num_sums * shape.dim,
                                       .used = shape.dim,
                                       .params = some->params,
                                       .faces = some->faces};

    shape.is_double = true; /* as sums are here */
    if (plan->is_plain)
        store_plain(plan, some->sums, num, out);
    else
        clspi_solid_vertices_store(&shape, &source, out, num);
}

clsp_status clspi_solid_host_points(clsp_solid_plan *plan, uint32_t worker,
                                    const clspi_solid_list *list, char *out)
{
    const size_t vertex = plan->shape.stride * (plan->shape.bits / 8);
    list_points some;

    if (plan->lattice)
        return clspi_star_vertices(plan, worker, &(clspi_star_lines){list, {0, list->num}}, out);
    clspi_solid_scratch *const scratch = clspi_solid_scratch_of(plan, worker);
    if (!scratch)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "solid: no memory for the host's part");
    scratch->classes.trees = plan->host_trees.words ? &plan->host_trees : NULL;
    for (size_t first = 0; first < list->num; first += SOME) {
        const size_t num = clspi_min(SOME, list->num - first);
        find_points(plan, scratch, list, first, num, &some);
        sum_columns(plan, &some.columns);
        store_points(plan, &some, num, out + first * vertex);
    }
    return CLSP_OK;
}
