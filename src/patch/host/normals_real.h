/* Unit normals and curvatures of vectors of vertices: the words in which the rule has them
   (cl/rules/surface_normal.clh). The file that includes this one names real, REAL_BYTES, REAL_EPS,
   REAL_TINY and REAL_MAX. */
#ifndef CLSPI_NORMALS_REAL_H
#define CLSPI_NORMALS_REAL_H

#include "dialect.h"
#include "vectors_real.h"

#undef IN_PLACE
#define IN_PLACE CLSPI_INLINE
#define R(x)     ((real)(x))
#define NOTHING  ((vec){0})

#define MAD(a, b, c) ((c) + (a) * (b))
#define EACH_LANE    for (int lane = 0; lane < 3; lane++)
#define LANE(x)      (x)[lane]
#define COORD(x, k)  (x)[k]
#define CHOSEN       select_lanes
#define MOST         max_lanes
#define LEAST        min_lanes
#define MAGNITUDE    abs_lanes
#define ROOT         sqrt_lanes

typedef vec number;
typedef vec_mask mask;
typedef vec vector[3];

CLSPI_INLINE vec binary_scale(vec x)
{
#if VECTOR_BYTES == 0
    const vec scale = 1 / x;
#elif REAL_BYTES == 4
    const vec scale = (vec)(0x7f000000 - ((vec_mask)x & 0x7f800000));
#else
    const vec scale = (vec)(0x7fe0000000000000 - ((vec_mask)x & 0x7ff0000000000000));
#endif
    return select_lanes(x > REAL_TINY, scale, (vec){0});
}

#include "surface_normal.clh"

/* A sum of control points in homogeneous coordinates, and the same sum of their magnitudes. */
typedef struct tracked {
    vec x[3], w, size, weight;
} tracked;

/* Makes a derivative of a rational patch, as divided_tangent does. */
CLSPI_INLINE tangent quotient(const tracked *d, const tracked *point)
{
    const vec one_over_w = 1 / point->w;
    const vec x[3] = {point->x[0] * one_over_w, point->x[1] * one_over_w, point->x[2] * one_over_w};

    return divided_tangent(d->x, d->w, d->size, d->weight, x, one_over_w);
}

/* Makes the unit normal a x b, or its limit where the tangents do not span a plane. */
CLSPI_INLINE void edge_normal(vec normal[3], const tangents *of, const vec inside[2])
{
    vector plain, limit;

    unit_normal(of->a.x, of->b.x, of->a.error, of->b.error, &plain);
    limit_normal(of, inside[0], inside[1], &limit);
    const vec_mask lost = is_zero(plain);
    for (int c = 0; c < 3; c++)
        normal[c] = select_lanes(lost, limit[c], plain[c]);
}

#endif
