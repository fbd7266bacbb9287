#include "surface_step.h"

/* Curvatures of the distance less than this are taken for none. */
#define CURVE_MIN (1.0 / 16)

/* The terms of a leaf's lower bound at a place: 2 g.d + curve |L^T d|^2 for a step d from there. */
typedef struct leaf_bound {
    double l11, l21, l22, u, v, curve; /* u, v: 2 g */
} leaf_bound;

CLSPI_INLINE double corner_of(const leaf_bound *b, double du, double dv)
{
    const double x = b->l11 * du + b->l21 * dv, y = b->l22 * dv;

    return b->u * du + b->v * dv + b->curve * (x * x + y * y);
}

/* Returns a lower bound of the squared distance to a leaf, by its constants and what is at a place
   in it. */
CLSPI_INLINE double bound_of_leaf(const clspi_surface_steps *s, int k, const double low[2],
                                  const double high[2])
{
    const double square = s->square[k], normal = s->normal[k];
    const double along = sqrt(most_of(square - normal * normal, 0));
    const double bend = least_of(normal * s->bend[0][k], normal * s->bend[1][k]);
    const double full = s->shrink[k] - (along + 1e-7 * fabs(normal)) * s->bend_along[k] + bend;
    const leaf_bound b = {s->l11[k],   s->l21[k],   s->l22[k],
                          2 * s->u[k], 2 * s->v[k], least_of(full, 0)};
    /* how far off g is, by y */
    const double error = 1.5 * s->moved_by[k] + s->slack[k] * sqrt(square);
    const double x = s->u[k] / b.l11, y = (s->v[k] - b.l21 * x) / b.l22;
    const double flat =
        least_of(b.u * low[0], b.u * high[0]) + least_of(b.v * low[1], b.v * high[1]);
    const double bent = -(x * x + y * y) / (full * 0.875);
    const double as_bowl = most_of(flat, bent) - 8 * error * error / full;
    const double lower = least_of(corner_of(&b, low[0], low[1]), corner_of(&b, low[0], high[1]));
    const double upper = least_of(corner_of(&b, high[0], low[1]), corner_of(&b, high[0], high[1]));
    const double by_corners = least_of(lower, upper) - 2 * error * s->spread[k];

    return square + (full >= CURVE_MIN ? as_bowl : by_corners);
}

void clspi_surface_steps_go(clspi_surface_steps *s)
{
    for (int k = 0; k < CLSPI_STEPS; k++) {
        const slopes g = {s->u[k],  s->v[k],   s->uu[k],  s->uv[k],
                          s->vv[k], s->guu[k], s->guv[k], s->gvv[k]};
        surface_place at[2] = {{s->t[0][k], s->s[0][k]}, {s->t[1][k], s->s[1][k]}};
        const double low[2] = {s->low[0][k], s->low[1][k]};
        const double high[2] = {s->high[0][k], s->high[1][k]};
        const double down[2] = {way_to(at[0], low[0]), way_to(at[1], low[1])};
        const double up[2] = {way_to(at[0], high[0]), way_to(at[1], high[1])};
        const double distance = sqrt(s->least[k]);

        s->limit[k] = limit_below(distance, 0, s->nearer);
        s->near[k] = limit_below(distance, s->extent[k], s->nearer);
        s->bound[k] = bound_of_leaf(s, k, down, up);
        s->fall[k] = step_within(at, &g, low, high);
        s->t[0][k] = at[0].t;
        s->s[0][k] = at[0].s;
        s->t[1][k] = at[1].t;
        s->s[1][k] = at[1].s;
    }
}
