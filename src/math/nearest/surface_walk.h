/* The search for one query: what is known so far, points that are tried, and Newton's method. */
#ifndef CLSPI_SURFACE_WALK_H
#define CLSPI_SURFACE_WALK_H

#include <math.h>
#include <string.h>

#include "surface_jet.h"

#define EPS      0x1p-52
#define INFINITE ((double)INFINITY)
/* How much nearer a point must be to be looked for, of its distance and of a piece's extent: far
   more than all roundings (docs/math.md, 20), and less than results may be off by. */
#define NEARER_F64 2e-13
#define NEARER_F32 1e-7

enum {
    BOXES = CLSPI_SURFACE_BOXES,
    NODE_TIERS = 32, /* of 2^30 leaves, pieces and patches there are at most 3 x 10 */
    WAITING_MAX = NODE_TIERS * BOXES,
    PARTS_MAX = 65536, /* of pieces, that a query halves, */
    PARTS_SHARE = 4,   /* of those that are left one in so many for a piece, so that a piece that
                          is equally near everywhere leaves some to others, */
    PARTS_LEAST = 16,  /* and at least so many */
    WORSE_MAX = 1      /* steps of Newton's method that do not come nearer */
};

struct square_work;

/* A box that has not been looked into. */
typedef struct waiting_box {
    double distance; /* squared */
    uint32_t code;
} waiting_box;

/* Distances are squared where that is not said otherwise. */
typedef struct walk {
    const clspi_surface_search *s;
    struct square_work *work;
    double nearer;       /* NEARER_F64 or NEARER_F32 */
    double q[LANES];     /* scaled as pieces are */
    double least, limit; /* of the nearest point; of boxes that are worth looking into */
    double lowest;       /* that a point may be at in what was given up */
    double extent;       /* the largest of a piece that was searched, a distance */
    uint32_t nearest;    /* piece */
    surface_place at[2]; /* of the nearest point */
    bool is_found, is_cut;
    uint32_t num_leaves, num_parts, num_waiting;
    uint32_t parts_end; /* of num_parts, where a piece is given up */
    uint32_t whole;     /* the piece that has been searched as a whole last */
    /* the piece at hand */
    uint32_t number;
    const clspi_surface_piece *piece;
    const double *controls;
    double from[LANES];               /* the query relative to its origin */
    double near;                      /* what is worth looking for in it */
    waiting_box waiting[WAITING_MAX]; /* the nearest of those put there together is the last */
} walk;

CLSPI_INLINE double least_of(double x, double y)
{
    return x < y ? x : y;
}

CLSPI_INLINE double most_of(double x, double y)
{
    return x > y ? x : y;
}

/* Returns the square of what is worth looking for; negative where nothing is. */
CLSPI_INLINE double limit_of(const walk *w, double square, double extent)
{
    if (!(square < INFINITE)) return square;
    const double distance = sqrt(square);
    const double limit = distance - w->nearer * (distance + extent);
    return limit > 0 ? limit * limit : -1;
}

/* Turns to a piece. */
CLSPI_INLINE void take_piece(walk *w, uint32_t number)
{
    w->number = number;
    w->piece = &w->s->pieces[number];
    w->controls = w->s->controls + number * w->s->shape.reals;
    for (int l = 0; l < LANES; l++)
        w->from[l] = w->q[l] - w->piece->origin[l];
    w->extent = most_of(w->extent, w->piece->extent);
    w->near = limit_of(w, w->least, w->piece->extent);
}

/* Evaluates the piece at a place, and takes the point if it is nearer than those before. e: the
   point minus the query. Returns the squared distance. */
CLSPI_CLONES static double try_place(walk *w, const surface_place at[2], surface_jet *j, double *e)
{
    evaluate_piece(j, &w->s->shape, w->controls, at);
    for (int l = 0; l < LANES; l++)
        e[l] = j->d[JET_X][l] - w->from[l];
    const double square = dot(e, e);
    if (!(square < w->least)) return square;
    w->least = square;
    w->limit = limit_of(w, square, 0);
    w->near = limit_of(w, square, w->piece->extent);
    w->nearest = w->number;
    w->at[0] = at[0];
    w->at[1] = at[1];
    w->is_found = true;
    return square;
}

/* ---- places ---- */

/* Returns how far a place is from a parameter, which is exact as 1 - it. */
CLSPI_INLINE double way_to(surface_place at, double t)
{
    return at.t <= 0.5 ? t - at.t : at.s - (1 - t);
}

/* Moves a place by d, not beyond an interval. */
CLSPI_INLINE surface_place moved(surface_place at, double d, double low, double high)
{
    if (at.t <= 0.5) {
        const double t = least_of(most_of(at.t + d, low), high);
        return (surface_place){t, 1 - t};
    }
    const double s = least_of(most_of(at.s - d, 1 - high), 1 - low);
    return (surface_place){1 - s, s};
}

CLSPI_INLINE surface_place place_at(double t, double low, double high)
{
    const double x = least_of(most_of(t, low), high);

    return (surface_place){x, 1 - x};
}

/* Returns an upper bound of how large the terms of a derivative at a place are, of which roundings
   are a part: docs/math.md, 20. */
CLSPI_INLINE double terms_at(const walk *w, int way, surface_place at)
{
    const double n = w->s->shape.degree[way];

    return w->piece->extent * n * least_of(2 * w->piece->weights, 1 / at.t + 1 / at.s);
}

/* Returns the roundings of a sum of control points, by the size of its terms. */
CLSPI_INLINE double rounding_of(const walk *w)
{
    return EPS * (4 * (w->s->shape.degree[0] + w->s->shape.degree[1]) + 16);
}

/* ---- Newton's method ---- */

/* Half of the squared distance's derivatives at a place. */
typedef struct slopes {
    double u, v, uu, uv, vv; /* first ones and Hessian */
    double guu, guv, gvv;    /* what of it J^T J is */
} slopes;

CLSPI_INLINE slopes slopes_of(const surface_jet *j, const double *e)
{
    slopes g;

    g.u = dot(j->d[JET_U], e);
    g.v = dot(j->d[JET_V], e);
    g.guu = dot(j->d[JET_U], j->d[JET_U]);
    g.guv = dot(j->d[JET_U], j->d[JET_V]);
    g.gvv = dot(j->d[JET_V], j->d[JET_V]);
    g.uu = g.guu + dot(j->d[JET_UU], e);
    g.uv = g.guv + dot(j->d[JET_UV], e);
    g.vv = g.gvv + dot(j->d[JET_VV], e);
    return g;
}

/* Tells whether a minimum may be found by moving within an interval. */
CLSPI_INLINE bool is_free(surface_place at, double slope, double low, double high)
{
    return low < high && !(slope >= 0 && way_to(at, low) >= 0) &&
           !(slope <= 0 && way_to(at, high) <= 0);
}

/* Divides; 0 where that is no number. */
CLSPI_INLINE double over(double x, double y)
{
    return y > 0 ? x / y : 0;
}

/* Goes one step of Newton's method, or of Gauss and Newton's where the Hessian is not positive,
   within a box. Returns how far the squared distance should fall; 0: it has not moved. */
CLSPI_INLINE double step_within(surface_place at[2], const slopes *g, const double *low,
                                const double *high)
{
    const bool free_u = is_free(at[0], g->u, low[0], high[0]);
    const bool free_v = is_free(at[1], g->v, low[1], high[1]);
    double uu = g->uu, uv = g->uv, vv = g->vv, du = 0, dv = 0;

    if (!(uu > 0 && vv > 0 && uu * vv - uv * uv > 1e-10 * uu * vv)) {
        uu = g->guu;
        uv = g->guv;
        vv = g->gvv;
    }
    const double det = uu * vv - uv * uv;
    if (free_u && free_v && det > 1e-14 * uu * vv) {
        du = -(vv * g->u - uv * g->v) / det;
        dv = -(uu * g->v - uv * g->u) / det;
    } else {
        const double share = free_u && free_v ? 0.5 : 1;
        if (free_u) du = -share * over(g->u, uu);
        if (free_v) dv = -share * over(g->v, vv);
    }
    /* what one parameter may not do, the other one has to make good */
    const double u = least_of(most_of(du, way_to(at[0], low[0])), way_to(at[0], high[0]));
    if (u != du && free_v) dv = -over(g->v + uv * u, vv);
    const double v = least_of(most_of(dv, way_to(at[1], low[1])), way_to(at[1], high[1]));
    du = u;
    if (v != dv && free_u) {
        du = -over(g->u + uv * v, uu);
        du = least_of(most_of(du, way_to(at[0], low[0])), way_to(at[0], high[0]));
    }
    at[0] = moved(at[0], du, low[0], high[0]);
    at[1] = moved(at[1], v, low[1], high[1]);
    return fabs(g->u * du) + fabs(g->v * v);
}

#endif
