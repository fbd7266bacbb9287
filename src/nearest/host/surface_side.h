/* On which side of a surface a query is: the normal at its nearest point, and the distance with a
   sign (docs/math.md, 20). Of three dimensions. */
#ifndef CLSPI_SURFACE_SIDE_H
#define CLSPI_SURFACE_SIDE_H

#include "surface_walk.h"

/* A derivative along one parameter that is less than this share of the mixed one is taken for 0 at
   an end of the other parameter. */
#define COLLAPSED 1e-7

/* The unit normal, and the signed distance; NaN where they are not known. */
typedef struct surface_side {
    double normal[3], distance;
} surface_side;

CLSPI_INLINE void cross_of(const double *x, const double *y, double to[3])
{
    to[0] = x[1] * y[2] - x[2] * y[1];
    to[1] = x[2] * y[0] - x[0] * y[2];
    to[2] = x[0] * y[1] - x[1] * y[0];
}

CLSPI_INLINE double length_of(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Makes a unit vector at right angles to two that are more than `error` apart from being one
   line. */
CLSPI_INLINE bool unit_across(const double *x, const double *y, double sign, double error,
                              double to[3])
{
    cross_of(x, y, to);
    const double length = length_of(to);

    if (!(length > error)) return false;
    for (int k = 0; k < 3; k++)
        to[k] *= sign / length;
    return true;
}

/* Finds the normal where the derivative along one parameter vanishes with the edge at an end of the
   other one: its limit on the way there along that. sign: of the way into the piece. */
CLSPI_INLINE bool normal_of_pole(const surface_jet *j, const place at[2], double extent,
                                 double to[3])
{
    const double *const u = j->d[JET_U], *const v = j->d[JET_V], *const uv = j->d[JET_UV];
    const double mixed = length_of(uv), near = 10 * COLLAPSED;

    if (!(mixed > COLLAPSED * extent)) return false;
    if (length_of(u) <= COLLAPSED * mixed && least_of(at[1].t, at[1].s) <= near)
        return unit_across(uv, v, at[1].t < 0.5 ? 1 : -1, COLLAPSED * mixed * length_of(v), to);
    if (length_of(v) <= COLLAPSED * mixed && least_of(at[0].t, at[0].s) <= near)
        return unit_across(u, uv, at[0].t < 0.5 ? 1 : -1, COLLAPSED * mixed * length_of(u), to);
    return false;
}

/* Finds the normal of the piece at hand at a place: where roundings turn it by no more than an
   eighth. */
CLSPI_INLINE bool normal_at(const walk *w, const surface_jet *j, const place at[2], double to[3])
{
    const double *const u = j->d[JET_U], *const v = j->d[JET_V];
    const double off_u = rounding_of(w) * terms_at(w, 0, at[0]);
    const double off_v = rounding_of(w) * terms_at(w, 1, at[1]);
    const double error = off_u * length_of(v) + off_v * length_of(u) + off_u * off_v;

    return normal_of_pole(j, at, w->piece->extent, to) || unit_across(u, v, 1, 8 * error, to);
}

/* Tells the side of the query from the nearest point, which is known: e is it minus the query. */
CLSPI_INLINE surface_side side_of(const walk *w, const surface_jet *j, const double *e,
                                  double distance)
{
    surface_side side = {{NAN, NAN, NAN}, NAN};
    const double d = sqrt(w->least), slack = w->nearer * (d + w->piece->extent);
    const bool is_known = normal_at(w, j, w->at, side.normal);
    double along = 0, square = 0;

    for (int k = 0; k < 3 && !is_known; k++)
        side.normal[k] = NAN;
    for (int k = 0; k < 3 && is_known; k++)
        along -= e[k] * side.normal[k];
    for (int k = 0; k < 3 && is_known; k++) {
        const double off = e[k] + along * side.normal[k];
        square += off * off;
    }
    const bool is_near = d <= 2 * slack;
    const bool is_across =
        is_known && square <= least_of(8 * most_curve(slopes_of(j, e)) * slack * d, d * d / 4);
    if (is_near || is_across) side.distance = along < 0 ? -distance : distance;
    return side;
}

#endif
