#include "class_tangents.h"

#include <math.h>
#include <string.h>

#include "class_descent.h"
#include "span_splines.h"

enum { DEPTH = 1000, FIRST = 0, SECOND = 1 };

/* Two directions of a cell, and along which of them a parameter moves off its corner. The first is
   one along the boundary, if either is. */
typedef struct direction_pair {
    uint32_t axis[2];
    bool moves[2];
    bool is_along[2]; /* the boundary */
    bool is_across;   /* the slices of a layered cell, the class's */
} direction_pair;

/* Weights of the derivatives in two directions, that of the second one as a sum of both rows. Rows
   are orthogonal and of unit length. */
typedef struct tangent_rows {
    const clspi_class_set *set;
    double *row[2], *next[2];
    double factor[3]; /* of row 0 in both derivatives, of row 1 in the second */
    bool has_limit[2];
    bool has_no_plane; /* steps turn rows without end */
    bool is_across;    /* slices, as products at one end of their edge */
} tangent_rows;

static bool is_near(double t)
{
    const double least = ldexp(1.0, -CLSPI_SLOPE_DEPTH);

    return t < least || t > 1.0 - least;
}

/* Finds the directions, one of them `axis`, that have tangents at a parameter: those along the
   boundary, or across the slices of a layered cell. */
static bool find_pair(const clspi_cell_class *of, const double t[3], uint32_t axis, uint32_t face,
                      direction_pair *pair)
{
    const uint32_t fixed = face / 2;
    uint32_t out = fixed;

    if (of->axis != CLSPI_NO_AXIS && of->axis != axis && is_near(t[(of->axis + 1) % 3]) &&
        is_near(t[(of->axis + 2) % 3]))
        out = of->axis;
    if (out == CLSPI_NO_AXIS || out == axis) return false;
    pair->is_across = out == of->axis;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t at = (out + 1) % 3 == fixed ? 1 - i : i;
        const uint32_t a = (out + 1 + i) % 3;
        pair->axis[at] = a;
        pair->moves[at] = a != fixed && is_near(t[a]);
        pair->is_along[at] = a != fixed && fixed != CLSPI_NO_AXIS && (out == fixed || at == FIRST);
    }
    return pair->moves[FIRST] || pair->moves[SECOND];
}

/* Tells whether the edge across the slices of a layered cell that a parameter is near to is
   sharp. */
static bool is_at_sharp_edge(const clspi_cell_class *of, const double t[3])
{
    const uint32_t sharp = of->signature[3 + CLSPI_CORNERS + 1]; /* edges of the cell itself */
    uint32_t corner = 0;

    for (uint32_t a = 0; a < 3; a++)
        corner |= (uint32_t)(t[a] >= 0.5) << a;
    return sharp >> clspi_corner_edge(of->axis, corner) & 1;
}

/* ---- rows ---- */

static double product(const double *a, const double *b, uint32_t num)
{
    double sum = 0.0;

    for (uint32_t i = 0; i < num; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Makes the next rows orthogonal and of unit length. step: receives by which factors of rows the
   ones before were sums of these. False: they are no two. */
static bool straighten(tangent_rows *g, uint32_t num, double step[3])
{
    double *const u = g->next[FIRST], *const v = g->next[SECOND];

    step[0] = sqrt(product(u, u, num));
    if (!(step[0] > 0.0)) return false;
    for (uint32_t i = 0; i < num; i++)
        u[i] /= step[0];
    const double size = sqrt(product(v, v, num));
    step[1] = product(u, v, num);
    for (uint32_t i = 0; i < num; i++)
        v[i] -= step[1] * u[i];
    step[2] = sqrt(product(v, v, num));
    for (uint32_t i = 0; i < num && step[2] > 0.0; i++)
        v[i] /= step[2];
    return step[2] > 1e-12 * size;
}

static void swap_rows(tangent_rows *g)
{
    for (uint32_t k = 0; k < 2; k++) {
        double *const swap = g->row[k];
        g->row[k] = g->next[k];
        g->next[k] = swap;
    }
}

/* Makes a row a product again, of weights of a slice and of B-splines at that end of the edge which
   the way went to. What rounding leaves along the edge would outgrow rows that become less. */
static void restore_product(const clspi_cell_class *of, uint8_t corner, double *row)
{
    double weight[4];

    clspi_layer_weights(of, corner >> of->axis & 1, 0, weight);
    for (size_t k = 0; k < of->num_slice; k++)
        clspi_column_set(of, k, clspi_column_sum(of, row, k), weight, row);
}

/* Turns rows of weights of a child's points into rows of its parent's points. The child is at a
   corner of the parent. */
static bool ascend(tangent_rows *g, const clspi_cell_class *parent, uint8_t corner, double step[3])
{
    const uint32_t num = parent->num_points;

    for (uint32_t k = 0; k < 2; k++) {
        clspi_ascend(&parent->child[corner], g->row[k], g->next[k], num);
        clspi_balance(g->next[k], num);
        if (g->is_across && parent->axis != CLSPI_NO_AXIS)
            restore_product(parent, corner, g->next[k]);
        for (uint32_t i = 0; i < num; i++)
            g->next[k][i] *= 2.0; /* as derivatives are */
    }
    if (!straighten(g, num, step)) return false;
    g->factor[1] = g->factor[1] * step[0] + g->factor[2] * step[1];
    g->factor[0] *= step[0];
    g->factor[2] *= step[2];
    return true;
}

/* Returns how far a step has moved a row. */
static double moved(const tangent_rows *g, int k, uint32_t num)
{
    double off = 0.0;

    for (uint32_t i = 0; i < num; i++)
        off = fmax(off, fabs(g->next[k][i] - g->row[k][i]));
    return off;
}

/* Finds which derivatives have limits, once a step between cells of one class leaves the first row
   as it was. That in the second direction may have one while its row still moves, if its part
   becomes nothing. left: steps to go. Half way up, after 500, rows that come to rest like r^k move
   by 1 / (500 e) at most. Returns whether both rows rest. */
static bool find_limits(tangent_rows *g, const double step[3], uint32_t num, uint32_t left)
{
    const double off[2] = {moved(g, FIRST, num), moved(g, SECOND, num)};
    const double size = fabs(g->factor[1]) + fabs(g->factor[2]);
    const double change = fabs(g->factor[2] / step[2] * step[1]);

    if (left == DEPTH / 2) g->has_no_plane = fmax(off[FIRST], off[SECOND]) > 1e-3;
    if (off[FIRST] > 1e-13) return false;
    g->has_limit[FIRST] = fabs(step[0] - 1.0) < 1e-9;
    g->has_limit[SECOND] =
        g->has_limit[FIRST] && change <= 1e-9 * size &&
        ((fabs(step[2] - 1.0) < 1e-9 && off[SECOND] < 1e-13) || fabs(g->factor[2]) <= 1e-13 * size);
    return fmax(off[FIRST], off[SECOND]) < 1e-15;
}

/* Brings the rows up to the class where the way began. Steps that only repeat themselves are left
   out once rows are at rest: they change lengths alone, those of limits not at all. */
static bool ascend_all(tangent_rows *g, const clspi_descent *way)
{
    uint32_t depth = way->depth;

    while (depth > 0) {
        const uint32_t number = way->number[--depth];
        const uint8_t corner = way->corner[depth];
        const clspi_cell_class *const parent = &g->set->entry[number];
        double step[3];
        if (!ascend(g, parent, corner, step)) return false;
        const bool rests =
            parent->child[corner].next == number && find_limits(g, step, parent->num_points, depth);
        swap_rows(g);
        if (!rests) continue;
        while (depth > 0 && way->number[depth - 1] == number && way->corner[depth - 1] == corner)
            depth--;
    }
    return true;
}

/* ---- a way ---- */

/* Goes down to a corner or edge, where no cell is regular, and then beside it to one that is. Of an
   edge across slices to one of its ends, wherever on it the parameter is. */
static bool descend(const clspi_class_set *set, uint32_t number, const double t[3],
                    const direction_pair *pair, clspi_descent way[2])
{
    double corner[3];

    for (uint32_t a = 0; a < 3; a++)
        corner[a] = is_near(t[a]) ? round(t[a]) : t[a];
    if (pair->is_across) corner[set->entry[number].axis] = 0.0;
    for (uint32_t k = 0; k < 2; k++) {
        uint8_t by[3] = {0, 0, 0};
        by[pair->axis[k]] = 1;
        clspi_descent_begin(&way[k], corner, by);
    }
    for (bool is_beside = false; number != CLSPI_REGULAR;) {
        if (way[0].depth == DEPTH && !is_beside) {
            for (uint32_t k = 0; k < 2; k++)
                for (uint32_t a = 0; a < 3; a++)
                    if (way[k].by[a] && pair->moves[k]) way[0].t[a] = way[1].t[a] = 0.5;
            is_beside = true;
        }
        if (way[0].depth == CLSPI_DESCENT_ROOM) return false;
        clspi_descend(set, &way[1], number);
        number = clspi_descend(set, &way[0], number);
    }
    return way[0].depth > DEPTH;
}

/* Returns the direction along which the derivative of a way is taken at its end. */
static uint32_t direction_of(const clspi_descent *way)
{
    return way->by[0] ? 0 : way->by[1] ? 1 : 2;
}

/* Writes the weights of the points of the regular cell at the end. across: the direction away from
   the boundary, where points within the solid must have no weight at all, as the least one would
   grow on the way up; or CLSPI_NO_AXIS. */
static void weigh(const clspi_descent *way, uint32_t across, double *row)
{
    double span[3][4];

    for (uint32_t a = 0; a < 3; a++) {
        clspi_span_splines(way->t[a], way->by[a], span[a]);
        for (uint32_t i = 0; i < 4 && a == across; i++)
            span[a][i] = i == (way->t[a] == 0.0 ? 1 : 2);
    }
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++) {
        row[i] = span[0][i / 16] * span[1][i / 4 % 4] * span[2][i % 4];
        if (way->factor < 0.0) row[i] = -row[i];
    }
}

/* Makes the rows of both derivatives. False: there is no plane of tangents. */
static bool make_rows(tangent_rows *g, uint32_t number, const double t[3],
                      const direction_pair *pair)
{
    clspi_descent way[2];

    if (!descend(g->set, number, t, pair, way)) return false;
    const uint32_t first = direction_of(&way[FIRST]), second = direction_of(&way[SECOND]);
    const uint32_t across = pair->is_along[SECOND] ? 3 - first - second : second;
    for (uint32_t k = 0; k < 2; k++)
        weigh(&way[k], pair->is_along[k] ? across : CLSPI_NO_AXIS, g->next[k]);
    if (!straighten(g, CLSPI_GRID_POINTS, g->factor)) return false;
    swap_rows(g);
    return ascend_all(g, &way[0]);
}

/* Makes weights of points those of columns. */
static void sum_columns(const clspi_cell_class *of, double *row, double *scratch)
{
    for (size_t k = 0; k < of->num_slice; k++)
        scratch[k] = clspi_column_sum(of, row, k);
    memcpy(row, scratch, of->num_slice * sizeof *row);
}

/* Makes weights of columns those of points, at t along the edge. */
static void spread_columns(const clspi_cell_class *of, double t, double *row, double *scratch)
{
    double weight[4];

    clspi_layer_weights(of, t, 0, weight);
    memcpy(scratch, row, of->num_slice * sizeof *row);
    for (size_t k = 0; k < of->num_slice; k++)
        clspi_column_set(of, k, scratch[k], weight, row);
}

/* Makes a row the derivative's limit, or where there is none its projection to the plane of
   tangents. Rows are orthogonal. */
static void project(const tangent_rows *g, bool is_second, uint32_t num, double *row)
{
    double first = g->factor[is_second], second = is_second ? g->factor[2] : 0.0;

    if (!g->has_limit[is_second]) {
        first = product(row, g->row[FIRST], num) / product(g->row[FIRST], g->row[FIRST], num);
        second = product(row, g->row[SECOND], num) / product(g->row[SECOND], g->row[SECOND], num);
    }
    for (uint32_t i = 0; i < num; i++)
        row[i] = first * g->row[FIRST][i] + second * g->row[SECOND][i];
}

void clspi_class_tangent(const clspi_class_set *set, uint32_t number, const double t[3],
                         const uint8_t by[3], uint32_t face, double *row)
{
    const clspi_cell_class *const of = &set->entry[number];
    const uint32_t axis = by[0] ? 0 : by[1] ? 1 : 2;
    tangent_rows g = {.set = set,
                      .row = {set->scratch[0], set->scratch[1]},
                      .next = {set->scratch[2], set->scratch[3]}};
    direction_pair pair;

    if (by[0] + by[1] + by[2] != 1 || !find_pair(of, t, axis, face, &pair)) return;
    const bool is_second = axis == pair.axis[SECOND];
    g.is_across = pair.is_across;
    if (g.is_across && !pair.is_along[is_second] && is_at_sharp_edge(of, t)) return;
    if (!make_rows(&g, number, t, &pair)) return;
    if (g.has_no_plane && (g.is_across || pair.is_along[is_second])) {
        memset(row, 0, of->num_points * sizeof *row);
        return;
    }
    if (!g.is_across) {
        project(&g, is_second, of->num_points, row);
        return;
    }
    sum_columns(of, row, g.next[0]);
    for (int k = 0; k < 2; k++)
        sum_columns(of, g.row[k], g.next[0]);
    project(&g, is_second, of->num_slice, row);
    spread_columns(of, t[of->axis], row, g.next[0]);
}
