/* Unit normals and curvatures of vectors of vertices, on edges also where the tangents do not span
   a plane: there the limit from the inside (docs/math.md, 7). What is rounding is told by running
   error bounds. The file that includes this one names real, REAL_BYTES, REAL_EPS and REAL_TINY. */
#ifndef CLSPI_NORMALS_REAL_H
#define CLSPI_NORMALS_REAL_H

#include "vectors_real.h"

CLSPI_INLINE vec largest3(const vec *x)
{
    return max_lanes(abs_lanes(x[0]), max_lanes(abs_lanes(x[1]), abs_lanes(x[2])));
}

CLSPI_INLINE vec dot3(const vec *a, const vec *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

CLSPI_INLINE void cross3(vec n[3], const vec *a, const vec *b)
{
    n[0] = a[1] * b[2] - a[2] * b[1];
    n[1] = a[2] * b[0] - a[0] * b[2];
    n[2] = a[0] * b[1] - a[1] * b[0];
}

/* Makes the unit normal of s and t, of moderate lengths, which are off by off[0] and off[1];
   (0, 0, 0) where it may be all rounding, as unit_cross of normal.clh does. */
CLSPI_INLINE void unit_cross(vec n[3], const vec s[3], const vec t[3], const vec off[2])
{
    cross3(n, s, t);
    const vec nn = dot3(n, n), by_s = off[0] * off[0], by_t = off[1] * off[1];
    const vec_mask sure = nn > 2 * (by_s * dot3(t, t) + by_t * dot3(s, s));
    const vec factor = select_lanes(sure, inverse_root(nn), (vec){0});

    for (int c = 0; c < 3; c++)
        n[c] = n[c] * factor + 0; /* which -0 becomes */
}

/* Returns the power of two that brings x into [1, 2); 0 where x is too small or too large. */
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

/* Makes the unit normal a x b, whose rounding errors are relative to from[0] and from[1], as
   unit_normal of normal.clh does. */
CLSPI_INLINE void unit_normal(vec n[3], const vec *a, const vec *b, const vec from[2])
{
    const vec to_a = binary_scale(largest3(a)), to_b = binary_scale(largest3(b));
    const vec s[3] = {a[0] * to_a, a[1] * to_a, a[2] * to_a};
    const vec t[3] = {b[0] * to_b, b[1] * to_b, b[2] * to_b};
    const vec off[2] = {8 * REAL_EPS * from[0] * to_a, 8 * REAL_EPS * from[1] * to_b};

    unit_cross(n, s, t, off);
}

/* Makes what a derivative owes to the rounding of control points before they were given, as
   sizes_at of vertex.clh does; far: the largest coordinate of the centre. */
CLSPI_INLINE vec given_size(vec size_w, vec limit, vec w, vec far)
{
    const vec given = max_lanes(min_lanes((real)0.125 * size_w, limit * (2 * w)), 2 * w) * far;

    return select_lanes(size_w > 0, given, (vec){0});
}

/* ---- curvatures ---- */

/* Finds the curvature of a curve with the first derivative a and the second one c, in the plane or
   in space, as curve_curvature of curvature.clh does. */
CLSPI_INLINE vec curve_curvature(const vec a[3], const vec c[3], vec from, bool in_space)
{
    const vec none = {0}, size_a = largest3(a), size_c = largest3(c);
    const vec_mask sound =
        (size_a > REAL_TINY) & (size_c > REAL_TINY) & (size_a > 8 * REAL_EPS * from);
    const vec to_a = select_lanes(sound, 1 / size_a, none);
    const vec to_c = select_lanes(sound, 1 / size_c, none);
    const vec s[3] = {a[0] * to_a, a[1] * to_a, a[2] * to_a}, ss = dot3(s, s);
    const vec t[3] = {c[0] * to_c, c[1] * to_c, c[2] * to_c};
    vec n[3];

    cross3(n, s, t);
    const vec product = in_space ? sqrt_lanes(dot3(n, n)) : n[2];
    return select_lanes(sound, size_c / size_a / size_a * (product / (ss * sqrt_lanes(ss))), none);
}

/* The tangents of a surface in two directions, and its second derivatives. */
enum { A, B, AA, AB, BB, TANGENTS };

/* Finds the principal curvatures of a surface with these derivatives, whose normal is there, as
   principal_curvatures of curvature.clh does. */
CLSPI_INLINE void principal_curvatures(vec bends[2], vec d[TANGENTS][3], const vec n[3])
{
    const vec size = largest3(d[A]), to = select_lanes(size > 0, 1 / size, (vec){0});
    const vec s[3] = {d[A][0] * to, d[A][1] * to, d[A][2] * to};
    const vec along = size * sqrt_lanes(dot3(s, s));
    const vec e[3] = {d[A][0] / along, d[A][1] / along, d[A][2] / along};
    vec f[3];

    cross3(f, n, e);
    const vec skew = dot3(e, d[B]) / along, across = dot3(f, d[B]);
    const vec xx = dot3(n, d[AA]), m = dot3(n, d[AB]), y = m - skew * xx;
    const vec z = dot3(n, d[BB]) - skew * (m + y);
    const vec kx = xx / along / along, ky = y / along / across, kz = z / across / across;
    const vec mean = (kx + kz) / 2, difference = (kx - kz) / 2;
    const vec most = max_lanes(abs_lanes(difference), abs_lanes(ky));
    const vec p = difference / most, q = ky / most;
    const vec root = select_lanes(most > REAL_TINY, most * sqrt_lanes(p * p + q * q), (vec){0});
    const vec_mask lost = (n[0] == 0) & (n[1] == 0) & (n[2] == 0);
    const vec_mask sound = (along > REAL_TINY) & (across > REAL_TINY) & (lost == 0);

    bends[0] = select_lanes(sound, mean + root, (vec){0});
    bends[1] = select_lanes(sound, mean - root, (vec){0});
}

/* ---- limits ---- */

/* A derivative of a patch, and what its rounding errors are relative to. */
typedef struct tangent {
    vec x[3], error;
} tangent;

/* A sum of control points in homogeneous coordinates, and the same sum of their magnitudes. */
typedef struct tracked {
    vec x[3], w, size, weight;
} tracked;

/* Makes a first derivative of a rational patch from that of its homogeneous coordinates, by the
   quotient rule. Of a second derivative it makes the part that decides limits of normals
   (docs/math.md, 7). */
CLSPI_INLINE tangent quotient(const tracked *d, const tracked *point)
{
    const vec one_over_w = 1 / point->w,
              x[3] = {point->x[0] * one_over_w, point->x[1] * one_over_w, point->x[2] * one_over_w};
    tangent t = {.error = (d->size + d->weight * largest3(x)) * one_over_w};

    for (int c = 0; c < 3; c++)
        t.x[c] = (d->x[c] - d->w * x[c]) * one_over_w;
    return t;
}

/* Scales a tangent; one that may be all rounding becomes 0, as the tangents of a collapsed edge
   are, so that no product takes what it is off by. */
CLSPI_INLINE tangent shortened(const tangent *t, vec factor)
{
    const vec by = select_lanes(largest3(t->x) > 8 * REAL_EPS * t->error, factor, (vec){0});

    return (tangent){{t->x[0] * by, t->x[1] * by, t->x[2] * by}, t->error * by};
}

/* Adds f (a x b) to n, and what its errors are relative to. */
CLSPI_INLINE void add_cross(tangent *n, vec f, const tangent *a, const tangent *b)
{
    vec product[3];

    cross3(product, a->x, b->x);
    for (int c = 0; c < 3; c++)
        n->x[c] += f * product[c];
    n->error += abs_lanes(f) * (a->error * largest3(b->x) + b->error * largest3(a->x));
}

/* Makes the limit of the normal a x b from the inside, which lies along these parts of both
   directions; (0, 0, 0) where it may be all rounding. */
CLSPI_INLINE void limit_normal(vec normal[3], const tangent of[TANGENTS], const vec inside[2])
{
    static const int product[4][2] = {{AA, B}, {A, AB}, {AB, B}, {A, BB}};
    const vec zero = {0};
    tangent t[TANGENTS], sum = {{zero, zero, zero}, zero};
    vec largest = zero;

    for (int k = 0; k < TANGENTS; k++)
        largest = max_lanes(largest, of[k].error);
    for (int k = 0; k < TANGENTS; k++)
        t[k] = shortened(&of[k], binary_scale(largest));
    for (int k = 0; k < 4; k++)
        add_cross(&sum, inside[k / 2], &t[product[k][0]], &t[product[k][1]]);
    const vec size = largest3(sum.x), to = binary_scale(size);
    const vec n[3] = {sum.x[0] * to, sum.x[1] * to, sum.x[2] * to};
    const vec_mask sound = (size > 32 * REAL_EPS * sum.error) & (size > REAL_TINY);
    const vec by = select_lanes(sound, inverse_root(dot3(n, n)), (vec){0});
    for (int c = 0; c < 3; c++)
        normal[c] = n[c] * by + 0;
}

/* Makes the unit normal a x b, or its limit where the tangents do not span a plane. */
CLSPI_INLINE void edge_normal(vec normal[3], const tangent of[TANGENTS], const vec inside[2])
{
    const vec from[2] = {of[A].error, of[B].error};
    vec limit[3];

    unit_normal(normal, of[A].x, of[B].x, from);
    limit_normal(limit, of, inside);
    const vec_mask lost = (normal[0] == 0) & (normal[1] == 0) & (normal[2] == 0);
    for (int c = 0; c < 3; c++)
        normal[c] = select_lanes(lost, limit[c], normal[c]);
}

#endif
