#include "list_vertices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "class_descent.h"
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

    columns->points = lattice ? lattice : own;
    columns->step[0] = lattice ? CLSPI_LATTICE_SIDE * CLSPI_LATTICE_SIDE : 16;
    columns->step[1] = lattice ? CLSPI_LATTICE_SIDE : 4;
    for (uint8_t a = 0; a < 3; a++)
        columns->axis[a] = a;
    columns->layers = NULL;
    columns->is_beyond[0] = columns->is_beyond[1] = false;
    if (!lattice) clspi_cell_points_of(&plan->points, &plan->classes, cell, own);
}

/* A point of a cell that is not regular on its way to a descendant whose points are columns. */
typedef struct list_way {
    clspi_class_use use; /* of the descendant, as the cell has it */
    clspi_descent *down;
    clspi_point_columns *columns; /* all but points and where sums go */
    double at[3];
} list_way;

/* Finds the columns of a descendant at t, both as its class has them. False: it has none there. */
static bool find_columns(const clsp_solid_plan *plan, list_way *way, const double t[3])
{
    clspi_point_columns *const columns = way->columns;

    if (way->use.number == CLSPI_REGULAR) {
        *columns =
            (clspi_point_columns){.step = {16, 4}, .axis = {0, 1, 2}, .slope = {1.0, 1.0, 1.0}};
        memcpy(way->at, t, sizeof way->at);
    } else if (!plan->host_trees.words || way->down->depth + CLSPI_TREE_DEPTH > CLSPI_SLOPE_DEPTH ||
               !clspi_tree_columns(&plan->host_trees, way->use.number, t, columns, way->at)) {
        return false;
    }
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t a = columns->axis[k];
        columns->axis[k] = (uint8_t)clspi_frame_axis(way->use.frame, a);
        if (clspi_frame_flips(way->use.frame, a)) columns->slope[k] = -columns->slope[k];
    }
    return true;
}

/* Goes down to such a descendant, or the cell itself. False: there is none in a few steps. Nearer
   to irregular edges weights are more accurate, as second differences of points become less than
   first ones, and derivatives may be limits. */
static bool go_down(const clsp_solid_plan *plan, const clspi_solid_spot *spot, list_way *way)
{
    static const uint8_t by[3] = {0, 0, 0};
    double t[3];

    way->use = plan->points.use[spot->cell];
    for (uint32_t a = 0; a < 3; a++) {
        const double own = spot->t[clspi_frame_axis(way->use.frame, a)];
        t[a] = clspi_frame_flips(way->use.frame, a) ? 1.0 - own : own;
    }
    way->down->depth = 0;
    if (find_columns(plan, way, t)) return true;
    clspi_descent_begin(way->down, t, by);
    do {
        if (way->down->depth == CLSPI_TREE_DEPTH) return false;
        const clspi_cell_class *const of = &plan->classes.entry[way->use.number];
        way->use.number = clspi_descend(&plan->classes, way->down, way->use.number);
        way->use.frame = clspi_frame_of(way->use.frame,
                                        of->child[way->down->corner[way->down->depth - 1]].frame);
    } while (!find_columns(plan, way, way->down->t));
    return true;
}

/* Brings the control points of a cell that is not regular, relative to the first of them, which
   goes to `centre`. Returns how many there are. */
static uint32_t gather_points(const clsp_solid_plan *plan, uint32_t cell, double *to,
                              double *centre)
{
    const uint32_t dim = plan->desc.dim;
    const uint32_t num = plan->classes.entry[plan->points.use[cell].number].num_points;
    const uint32_t *const index = plan->points.index + plan->points.place[cell];

    for (uint32_t i = 0; i < num; i++)
        for (uint32_t c = 0; c < dim; c++) {
            const size_t at = (size_t)index[i] * dim + c;
            const double x = plan->desc.precision == CLSP_F64
                                 ? ((const double *)plan->host.data)[at]
                                 : (double)((const float *)plan->host.data)[at];
            if (i == 0) centre[c] = x;
            to[(size_t)i * dim + c] = x - centre[c];
        }
    return num;
}

/* Makes the sums of a point by its weights. */
static void sum_weighted(const clsp_solid_plan *plan, clspi_solid_scratch *scratch,
                         const clspi_solid_spot *spot, double *sums)
{
    const clspi_solid_shape *const shape = &plan->shape;
    double centre[CLSP_SOLID_MAX_DIM];
    const uint32_t num = gather_points(plan, spot->cell, scratch->points[0], centre);

    for (uint32_t k = 0; k < shape->num_sums; k++, sums += shape->dim) {
        clspi_cell_weights(&plan->points, &scratch->classes, spot->cell, spot->t,
                           clspi_order_by[shape->number[k]], scratch->weights);
        for (uint32_t c = 0; c < shape->dim; c++)
            sums[c] = shape->number[k] == CLSPI_VALUE ? centre[c] : 0.0;
        for (size_t i = 0; i < (size_t)num * shape->dim; i++)
            sums[i % shape->dim] += scratch->weights[i / shape->dim] * scratch->points[0][i];
    }
}

/* Makes the derivatives of a descendant those of the cell. */
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

/* Begins with no columns. */
static void begin_sum(const clsp_solid_plan *plan, clspi_point_sum *sum)
{
    sum->control = plan->host.data;
    sum->is_double = plan->desc.precision == CLSP_F64;
    sum->dim = plan->shape.dim;
    sum->num_sums = plan->shape.num_sums;
    sum->number = plan->shape.number;
    sum->num = 0;
}

/* Makes the sums of a point from the points of a descendant of its cell. */
static void sum_descendant(const clsp_solid_plan *plan, clspi_solid_scratch *scratch, uint32_t cell,
                           list_way *way, double *sums)
{
    const uint32_t dim = plan->shape.dim;
    double centre[CLSP_SOLID_MAX_DIM], shift[CLSP_SOLID_MAX_DIM];
    clspi_point_sum sum;

    begin_sum(plan, &sum);
    gather_points(plan, cell, scratch->points[0], centre);
    for (uint32_t d = 0; d < way->down->depth; d++) {
        const clspi_cell_class *const of = &plan->classes.entry[way->down->number[d]];
        clspi_child_points(&of->child[way->down->corner[d]], scratch->points[d % 2], dim,
                           scratch->points[(d + 1) % 2], shift);
        for (uint32_t c = 0; c < dim; c++)
            centre[c] += shift[c];
        for (uint32_t a = 0; a < 3; a++)
            way->columns->slope[a] *= 2.0;
    }
    sum.control = scratch->points[way->down->depth % 2];
    sum.is_double = true;
    sum.num = 1;
    sum.of[0] = *way->columns;
    sum.of[0].points = scratch->numbers;
    sum.of[0].sums = sums;
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < CLSPI_POINTS; i++) /* others may be numbers that are slow */
            sum.t[a][i] = way->at[a];
    clspi_point_sums(&sum);
    scale_slopes(&plan->shape, &sum.of[0]);
    for (uint32_t c = 0; c < dim && plan->shape.number[0] == CLSPI_VALUE; c++)
        sums[c] += centre[c];
}

/* Makes the sums of a point of a cell that is not regular, or finds its columns where the cell
   itself has them. Returns whether it has. */
static bool make_irregular(const clsp_solid_plan *plan, clspi_solid_scratch *scratch,
                           const clspi_solid_spot *spot, list_way *way, double *sums)
{
    if (!go_down(plan, spot, way)) {
        sum_weighted(plan, scratch, spot, sums);
        return false;
    }
    if (way->down->depth == 0) {
        way->columns->points = plan->points.index + plan->points.place[spot->cell];
        return true;
    }
    sum_descendant(plan, scratch, spot->cell, way, sums);
    return false;
}

/* Finds the columns of a point of a list, or makes its sums where it has none: NaN where it is
   nowhere. */
static bool find_point(const clsp_solid_plan *plan, clspi_solid_scratch *scratch,
                       const clspi_solid_spot *spot, list_way *way, double *sums)
{
    const size_t reals = (size_t)plan->shape.num_sums * plan->shape.dim;

    if (spot->is_there) return make_irregular(plan, scratch, spot, way, sums);
    for (size_t k = 0; k < reals; k++)
        sums[k] = (double)NAN;
    return false;
}

/* Finds `num` points from `first` on, and makes the sums of points that have no columns. */
static void find_points(const clsp_solid_plan *plan, clspi_solid_scratch *scratch,
                        const clspi_solid_list *list, size_t first, size_t num, list_points *some)
{
    const size_t reals = (size_t)plan->shape.num_sums * plan->shape.dim;
    clspi_point_sum *const sum = &some->columns;
    list_way way = {.down = &scratch->down};

    for (size_t i = 0; i < num; i++) {
        clspi_solid_spot spot;
        way.columns = &sum->of[sum->num];
        clspi_solid_spot_find(plan, list, first + i, &spot);
        if (!plan->is_plain) memcpy(some->params[i], spot.t, sizeof spot.t);
        some->faces[i] = spot.face;
        if (spot.is_there && plan->points.use[spot.cell].number == CLSPI_REGULAR) {
            find_grid(plan, spot.cell, some->own[i], way.columns);
            for (size_t a = 0; a < 3; a++)
                way.at[a] = spot.t[a];
        } else if (!find_point(plan, scratch, &spot, &way, some->sums + i * reals)) {
            continue;
        }
        way.columns->sums = some->sums + i * reals;
        for (size_t a = 0; a < 3; a++)
            sum->t[a][sum->num] = way.at[a];
        sum->num++;
    }
}

/* Makes the sums of points that have columns. */
static void sum_columns(const clsp_solid_plan *plan, clspi_point_sum *sum)
{
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
    for (size_t first = 0; first < list->num; first += SOME) {
        const size_t num = clspi_min(SOME, list->num - first);
        begin_sum(plan, &some.columns);
        find_points(plan, scratch, list, first, num, &some);
        sum_columns(plan, &some.columns);
        store_points(plan, &some, num, out + first * vertex);
    }
    return CLSP_OK;
}
