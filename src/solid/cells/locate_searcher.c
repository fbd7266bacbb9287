#include "locate_searcher.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    STEPS = 20,   /* of Newton's method */
    WORSE_MAX = 2 /* of them that do not come nearer */
};

double clspi_searcher_turn(clspi_searcher *w, uint32_t number, double *depth)
{
    w->cell = &w->s->cells[number];
    for (uint32_t l = 0; l < 3; l++)
        w->from[l] = (w->q[l] - w->cell->units.origin[l]) * w->cell->units.scale;
    w->from[3] = 0;
    return clspi_wrap_distance(&w->cell->wrap, w->from, depth);
}

/* ---- tricubics ---- */

/* Solves (J^T J + damping) d = J^T e for the directions that are free. */
CLSPI_INLINE void damped_step(const clspi_cubic_jet *jet, const double *slope, const bool *is_free,
                              double *d)
{
    clspi_cubic_jet square = {.value = {0}};
    double inverse[3][3], most = 0;

    for (uint32_t a = 0; a < 3; a++)
        most = more_of(most, clspi_dot3(jet->slope[a], jet->slope[a]));
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t b = 0; b < 3; b++) {
            square.slope[a][b] =
                is_free[a] && is_free[b] ? clspi_dot3(jet->slope[a], jet->slope[b]) : 0;
            if (a == b) square.slope[a][b] += is_free[a] ? 1e-12 * most + DBL_MIN : 1;
        }
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t b = 0; b < 3; b++) {
            const uint32_t a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
            inverse[b][a] = square.slope[a1][b1] * square.slope[a2][b2] -
                            square.slope[a1][b2] * square.slope[a2][b1];
        }
    const double det = square.slope[0][0] * inverse[0][0] + square.slope[0][1] * inverse[1][0] +
                       square.slope[0][2] * inverse[2][0];
    for (uint32_t a = 0; a < 3; a++) {
        d[a] = 0;
        for (uint32_t b = 0; b < 3 && is_free[a] && det > 0; b++)
            if (is_free[b]) d[a] += inverse[a][b] * slope[b] / det;
    }
}

/* Goes a step of Newton's method towards a point e away, where that leads out of the cell along
   what is left. Returns how far the squared distance should fall; 0: it has not moved. */
CLSPI_INLINE double step_towards(const clspi_cubic_jet *jet, const double *e, double t[3])
{
    double slope[3], d[3], inverse[3][CLSPI_HULL_LANES], fall = 0;
    bool is_free[3], has_moved = false;

    for (uint32_t a = 0; a < 3; a++) {
        slope[a] = clspi_dot3(jet->slope[a], e);
        is_free[a] = !(t[a] <= 0 && slope[a] <= 0) && !(t[a] >= 1 && slope[a] >= 0);
    }
    if (is_free[0] && is_free[1] && is_free[2] && inverse_of(jet, inverse))
        for (uint32_t a = 0; a < 3; a++)
            d[a] = inverse[0][a] * e[0] + inverse[1][a] * e[1] + inverse[2][a] * e[2];
    else
        damped_step(jet, slope, is_free, d);
    for (uint32_t a = 0; a < 3; a++) {
        const double to = less_of(more_of(t[a] + d[a], 0), 1);
        fall += d[a] * slope[a];
        has_moved |= to != t[a];
        t[a] = to;
    }
    return has_moved ? fall : 0;
}

double clspi_searcher_nearest(const clspi_searcher *w, const clspi_locate_node *node, double share,
                              double best[3], double e[3])
{
    const clspi_cell_hull *const hull = &node->hull;
    const double near = 4 * w->cell->tolerance * w->cell->tolerance, floor = w->floor * w->floor;
    double t[3], least = (double)INFINITY;
    uint32_t worse = 0;

    for (uint32_t a = 0; a < 3; a++) {
        double at = 0.5;
        for (uint32_t l = 0; l < 3; l++)
            at += hull->column[l][a] * (w->from[l] - hull->centre[l]);
        t[a] = less_of(more_of(at, 0), 1);
    }
    for (uint32_t step = 0; step < STEPS && worse < WORSE_MAX; step++) {
        clspi_cubic_jet jet;
        double off[3];
        cubic_at(node->points, t, &jet);
        for (uint32_t l = 0; l < 3; l++)
            off[l] = w->from[l] - jet.value[l];
        const double square = clspi_dot3(off, off);
        if (!(square < least)) {
            worse++;
        } else {
            least = square;
            memcpy(best, t, sizeof t);
            memcpy(e, off, sizeof off);
        }
        if (square <= floor) break;
        const double fall = step_towards(&jet, off, t);
        if (fall <= (square > near ? share : 1e-6) * square) break;
    }
    return sqrt(least);
}

/* ---- parts ---- */

void clspi_searcher_take(clspi_searcher *w, const clspi_locate_node *node, const double t[3],
                         double residual)
{
    if (w->is_found && !(residual < w->residual)) return;
    w->is_found = true;
    w->residual = residual;
    for (uint32_t a = 0; a < 3; a++)
        w->t[a] = less_of(node->low[a] + node->size * t[a], 1);
}

double clspi_searcher_farthest(const clspi_cell_hull *hull, const double *from)
{
    double sum = 0;

    for (uint32_t l = 0; l < 3; l++) {
        const double x = more_of(hull->most[l] - from[l], from[l] - hull->least[l]);
        sum += x * x;
    }
    return sqrt(sum);
}

bool clspi_searcher_cut(clspi_searcher *w, clspi_locate_node *node)
{
    static const uint8_t turns[CLSPI_CORNERS] = {7, 6, 5, 3, 4, 2, 1, 0};
    if (!clspi_locate_need_hull(w->nodes, node) || !clspi_locate_open(w->nodes, node)) return false;
    const uint32_t first = clspi_locate_corner(node, w->from);
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
        w->part[w->num_parts++] = (waiting_part){node, first ^ turns[j]};
    return true;
}
