/* Newton's method for the nearest point of a part of a piece, and what the constants of a leaf tell
   at each of its steps (docs/math.md, 20): of one query, or of several side by side. All is
   arithmetic without branches, which compilers make vectors of. */
#ifndef CLSPI_SURFACE_STEP_H
#define CLSPI_SURFACE_STEP_H

#include <math.h>
#include <stdbool.h>

#include "level.h"

/* A parameter t and s = 1 - t, both with all their digits: weights may make much of a piece belong
   to few parameters. */
typedef struct surface_place {
    double t, s;
} surface_place;

/* Half of the squared distance's derivatives at a place. */
typedef struct slopes {
    double u, v, uu, uv, vv; /* first ones and Hessian */
    double guu, guv, gvv;    /* what of it J^T J is */
} slopes;

CLSPI_INLINE double least_of(double x, double y)
{
    return x < y ? x : y;
}

CLSPI_INLINE double most_of(double x, double y)
{
    return x > y ? x : y;
}

/* Returns the square of what is worth looking for below a distance, in a piece of some extent,
   where what is nearer by less than a share of both is not; negative where nothing is. */
CLSPI_INLINE double limit_below(double distance, double extent, double share)
{
    const double limit = distance - share * (distance + extent);
    const double square = limit > 0 ? limit * limit : -1;

    return distance < (double)INFINITY ? square : distance;
}

/* Returns how far a place is from a parameter, which is exact as 1 - it. */
CLSPI_INLINE double way_to(surface_place at, double t)
{
    const double from_low = t - at.t, from_high = at.s - (1 - t);

    return at.t <= 0.5 ? from_low : from_high;
}

/* Moves a place by d, not beyond an interval. */
CLSPI_INLINE surface_place moved(surface_place at, double d, double low, double high)
{
    const double t = least_of(most_of(at.t + d, low), high);
    const double s = least_of(most_of(at.s - d, 1 - high), 1 - low);
    const bool is_low = at.t <= 0.5;

    return (surface_place){is_low ? t : 1 - s, is_low ? 1 - t : s};
}

CLSPI_INLINE surface_place place_at(double t, double low, double high)
{
    const double x = least_of(most_of(t, low), high);

    return (surface_place){x, 1 - x};
}

/* Tells whether a minimum may be found by moving within an interval: how far its ends are from the
   place. */
CLSPI_INLINE bool is_free(double slope, double down, double up)
{
    return (down < up) & !((slope >= 0) & (down >= 0)) & !((slope <= 0) & (up <= 0));
}

/* Divides; 0 where that is no number. */
CLSPI_INLINE double over(double x, double y)
{
    const double ratio = x / y;

    return y > 0 ? ratio : 0;
}

/* Goes one step of Newton's method, or of Gauss and Newton's where the Hessian is not positive,
   within a box. Returns how far the squared distance should fall; 0: it has not moved. */
CLSPI_INLINE double step_within(surface_place at[2], const slopes *g, const double *low,
                                const double *high)
{
    const double down_u = way_to(at[0], low[0]), up_u = way_to(at[0], high[0]);
    const double down_v = way_to(at[1], low[1]), up_v = way_to(at[1], high[1]);
    const bool free_u = is_free(g->u, down_u, up_u), free_v = is_free(g->v, down_v, up_v);
    const double product = g->uu * g->vv;
    const bool is_bowl = (g->uu > 0) & (g->vv > 0) & (product - g->uv * g->uv > 1e-10 * product);
    const double uu = is_bowl ? g->uu : g->guu, uv = is_bowl ? g->uv : g->guv;
    const double vv = is_bowl ? g->vv : g->gvv, det = uu * vv - uv * uv;
    const bool both = free_u & free_v & (det > 1e-14 * uu * vv);
    const double share = (free_u & free_v) ? -0.5 : -1;
    const double newton_u = -(vv * g->u - uv * g->v) / det, alone_u = share * over(g->u, uu);
    const double newton_v = -(uu * g->v - uv * g->u) / det, alone_v = share * over(g->v, vv);
    const double free_du = both ? newton_u : free_u ? alone_u : 0;
    const double free_dv = both ? newton_v : free_v ? alone_v : 0;
    /* what one parameter may not do, the other one has to make good */
    const double u = least_of(most_of(free_du, down_u), up_u);
    const double other_v = -over(g->v + uv * u, vv);
    const double dv = ((u != free_du) & free_v) ? other_v : free_dv;
    const double v = least_of(most_of(dv, down_v), up_v);
    const double other_u = least_of(most_of(-over(g->u + uv * v, uu), down_u), up_u);
    const double du = ((v != dv) & free_u) ? other_u : u;
    at[0] = moved(at[0], du, low[0], high[0]);
    at[1] = moved(at[1], v, low[1], high[1]);
    return fabs(g->u * du) + fabs(g->v * v);
}

enum { CLSPI_STEPS = 8 };

/* Steps in leaves, side by side: in each place one of a query. */
typedef struct clspi_surface_steps {
    /* what a leaf has: surface_parts.h */
    double low[2][CLSPI_STEPS], high[2][CLSPI_STEPS];
    double l11[CLSPI_STEPS], l21[CLSPI_STEPS], l22[CLSPI_STEPS];
    double shrink[CLSPI_STEPS], bend[2][CLSPI_STEPS], bend_along[CLSPI_STEPS];
    double spread[CLSPI_STEPS], slack[CLSPI_STEPS];
    double extent[CLSPI_STEPS];   /* of its piece, */
    double moved_by[CLSPI_STEPS]; /* and the rounding of its points */
    /* at the place, where e is the point minus the query */
    double t[2][CLSPI_STEPS], s[2][CLSPI_STEPS]; /* and then at the next place */
    double u[CLSPI_STEPS], v[CLSPI_STEPS];       /* slopes */
    double uu[CLSPI_STEPS], uv[CLSPI_STEPS], vv[CLSPI_STEPS];
    double guu[CLSPI_STEPS], guv[CLSPI_STEPS], gvv[CLSPI_STEPS];
    double square[CLSPI_STEPS]; /* |e|^2 */
    double normal[CLSPI_STEPS]; /* of e, along the leaf's normal */
    double least[CLSPI_STEPS];  /* the squared distance of the nearest point of all */
    double nearer;              /* the share that is not worth looking for */
    /* results */
    double limit[CLSPI_STEPS], near[CLSPI_STEPS]; /* what is, of all and of the piece */
    double bound[CLSPI_STEPS]; /* the squared distance to the leaf is not below */
    double fall[CLSPI_STEPS];  /* of step_within */
} clspi_surface_steps;

/* Finds all bounds, and makes all steps. The bits of a place depend on it alone. */
CLSPI_LEVELS(void, clspi_surface_steps_go, (clspi_surface_steps * steps));
#define clspi_surface_steps_go CLSPI_AT_LEVEL(clspi_surface_steps_go)

#endif
