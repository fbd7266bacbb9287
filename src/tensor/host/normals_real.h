/* Unit normals of vectors of vertices; the file that includes this one names real, REAL_BYTES,
   REAL_EPS and REAL_TINY. */
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
    const vec nn = dot3(n, n), ss = dot3(s, s), tt = dot3(t, t);
    const vec by_a = off[0] * off[0] * tt, by_b = off[1] * off[1] * ss;
    const vec d = nn - (by_a + by_b); /* of nn <= (off_a |t| + off_b |s|)^2 */
    const vec_mask sure =
        (d > 0) & (d * d > 4 * by_a * by_b) & (nn > 16 * REAL_EPS * REAL_EPS * ss * tt);
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

#endif
