/* The definition of one clspi_vertex_functions, VERTEX_SUMS, in the precision `real`. The file that
   includes this one names both, REAL_TYPE, REAL_EPS, REAL_TINY, REAL_MAX, SQRT, FMA, and the
   functions that have clones. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "clones.h"
#include "half.h"
#include "vertex_sums.h"

enum { CHUNK = 64, COORDS_MAX = 5 };

/* ---- control points and parameters ---- */

static void difference(const void *in, void *out, const size_t sizes[3], const double *factors)
{
    const real *from = in;
    real *to = out;
    const size_t inner = sizes[2];

    for (size_t o = 0; o < sizes[0]; o++, from += inner)
        for (size_t i = 0; i + 1 < sizes[1]; i++, from += inner)
            for (size_t x = 0; x < inner; x++) {
                const real d = from[inner + x] - from[x];
                *to++ = factors ? (real)factors[i] * d : d;
            }
}

static void scale(void *values, size_t count, double factor)
{
    for (size_t i = 0; i < count; i++)
        ((real *)values)[i] *= (real)factor;
}

/* Finds the middle of a coordinate of a rational patch where none of its points is more than twice
   as far from 0 as another or on its other side, else 0 (patch_centres of centre_points.cl). */
static real middle(const real *x, const real *w, size_t count, size_t step)
{
    real low = *x * (1 / *w), high = low;

    for (size_t i = 1; i < count; i++) {
        const real p = x[i * step] * (1 / w[i * step]);
        low = p < low ? p : low;
        high = p > high ? p : high;
    }
    return (low > 0 && high <= 2 * low) || (high < 0 && low >= 2 * high)
               ? low + (real)0.5 * (high - low)
               : 0;
}

static void centre_points(void *points, size_t count, uint32_t dim, double centre[4])
{
    real *const p = points;

    for (uint32_t c = 0; c < dim; c++) {
        const real x = middle(p + c, p + dim, count, dim + 1);
        for (size_t i = 0; i < count; i++)
            p[i * (dim + 1) + c] = FMA(-x, p[i * (dim + 1) + dim], p[i * (dim + 1) + c]);
        centre[c] = (double)x;
    }
}

static void params(void *values, double begin, double end, uint32_t num, uint32_t first,
                   size_t count)
{
    const uint32_t last = num > 1 ? num - 1 : 1;

    for (size_t k = 0; k < count; k++) {
        const uint32_t a = first + (uint32_t)k;
        ((real *)values)[k] = ((real)begin * (real)(last - a) + (real)end * (real)a) / (real)last;
    }
}

/* ---- storage ---- */

/* Tells whether the normal at an element is (0, 0, 0). */
static bool is_lost(clspi_row_type type, const void *out, ptrdiff_t at)
{
    bool lost = true;

    for (ptrdiff_t k = at; k < at + 3; k++)
        lost = lost && (type == REAL_TYPE       ? ((const real *)out)[k] == 0
                        : type == CLSPI_ROW_F16 ? (((const uint16_t *)out)[k] & 0x7fff) == 0
                                                : ((const float *)out)[k] == 0);
    return lost;
}

CLSPI_INLINE void store(clspi_row_type type, void *out, ptrdiff_t at, real x)
{
    if (type == REAL_TYPE)
        ((real *)out)[at] = x;
    else if (type == CLSPI_ROW_F16)
        ((uint16_t *)out)[at] = clspi_half((double)x);
    else
        ((float *)out)[at] = (float)x;
}

CLSPI_INLINE void store_all(clspi_row_type type, void *out, size_t at, size_t stride,
                            const real *restrict x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store(type, out, (ptrdiff_t)(at + i * stride), x[i]);
}

/* Stores one element of `count` vertices, the type asked for once. */
CLSPI_INLINE void store_element(const clspi_vertex_shape *shape, void *out, int32_t at,
                                const real *x, size_t count)
{
    if (shape->type == REAL_TYPE)
        store_all(REAL_TYPE, out, (size_t)at, shape->stride, x, count);
    else if (shape->type == CLSPI_ROW_F16)
        store_all(CLSPI_ROW_F16, out, (size_t)at, shape->stride, x, count);
    else
        store_all(CLSPI_ROW_F32, out, (size_t)at, shape->stride, x, count);
}

/* Stores three adjacent elements of `count` vertices, in one pass where their type is real. */
CLSPI_INLINE void store_three(const clspi_vertex_shape *shape, void *out, int32_t at,
                              real (*restrict x)[CHUNK], size_t count)
{
    const size_t stride = shape->stride;
    real *restrict to = (real *)out + at;

    if (shape->type != REAL_TYPE) {
        for (int c = 0; c < 3; c++)
            store_element(shape, out, at + c, x[c], count);
        return;
    }
    for (size_t i = 0; i < count; i++, to += stride) {
        to[0] = x[0][i];
        to[1] = x[1][i];
        to[2] = x[2][i];
    }
}

CLSPI_INLINE void copy_coords(real *restrict to, const real *restrict from, uint32_t dim,
                              size_t stride, size_t count)
{
    for (size_t i = 0; i < count; i++, to += stride, from += dim)
        for (uint32_t c = 0; c < dim; c++)
            to[c] = from[c];
}

/* Copies coordinates that are stored as they are. */
CLSPI_INLINE void copy_sum(const clspi_vertex_shape *shape, real *to, const real *from,
                           size_t count)
{
    switch (shape->dim) {
    case 1:
        copy_coords(to, from, 1, shape->stride, count);
        break;
    case 2:
        copy_coords(to, from, 2, shape->stride, count);
        break;
    case 3:
        copy_coords(to, from, 3, shape->stride, count);
        break;
    default:
        copy_coords(to, from, 4, shape->stride, count);
        break;
    }
}

/* ---- normals ---- */

CLSPI_INLINE real abs_of(real x)
{
    return x < 0 ? -x : x;
}

static real max_of(real a, real b)
{
    return a > b ? a : b;
}

CLSPI_INLINE real largest3(real x, real y, real z)
{
    return max_of(abs_of(x), max_of(abs_of(y), abs_of(z)));
}

/* Makes the unit normal of a and b, which to_a and to_b bring to moderate lengths, where they are
   off by off_a and off_b; (0, 0, 0) where it may be all rounding, as unit_cross of normal.clh
   does. */
CLSPI_INLINE void unit_cross(real (*restrict n)[CHUNK], real (*restrict a)[CHUNK],
                             real (*restrict b)[CHUNK], const real to[2], const real off[2],
                             size_t i)
{
    const real s0 = a[0][i] * to[0], s1 = a[1][i] * to[0], s2 = a[2][i] * to[0];
    const real t0 = b[0][i] * to[1], t1 = b[1][i] * to[1], t2 = b[2][i] * to[1];
    const real n0 = s1 * t2 - s2 * t1, n1 = s2 * t0 - s0 * t2, n2 = s0 * t1 - s1 * t0;
    const real nn = n0 * n0 + n1 * n1 + n2 * n2, ss = s0 * s0 + s1 * s1 + s2 * s2;
    const real tt = t0 * t0 + t1 * t1 + t2 * t2;
    const real by_a = off[0] * off[0] * tt, by_b = off[1] * off[1] * ss;
    const real d = nn - (by_a + by_b); /* of nn <= (off_a |t| + off_b |s|)^2 */
    const bool sure = d > 0 && d * d > 4 * by_a * by_b && nn > 16 * REAL_EPS * REAL_EPS * ss * tt;
    const real factor = sure ? 1 / SQRT(nn) : 0;

    n[0][i] = n0 * factor + 0; /* which -0 becomes */
    n[1][i] = n1 * factor + 0;
    n[2][i] = n2 * factor + 0;
}

/* Makes the unit normals a x b, whose rounding errors are relative to from_a and from_b, as
   unit_normal of normal.clh does. */
CLSPI_INLINE void unit_normals(real (*restrict n)[CHUNK], real (*restrict a)[CHUNK],
                               real (*restrict b)[CHUNK], const real *restrict from_a,
                               const real *restrict from_b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const real size_a = largest3(a[0][i], a[1][i], a[2][i]);
        const real size_b = largest3(b[0][i], b[1][i], b[2][i]);
        const real to_a = size_a > REAL_TINY ? 1 / size_a : 0;
        const real to_b = size_b > REAL_TINY ? 1 / size_b : 0;
        const real to[2] = {to_a, to_b};
        const real off[2] = {8 * REAL_EPS * from_a[i] * to_a, 8 * REAL_EPS * from_b[i] * to_b};
        unit_cross(n, a, b, to, off, i);
    }
}

/* Makes the unit normals a x b of polynomial patches, from the largest partial sums of a and b,
   which their rounding errors are relative to; margin: by which these are more. */
CLSPI_INLINE void polynomial_normals(real (*restrict n)[CHUNK], real (*restrict a)[CHUNK],
                                     real (*restrict b)[CHUNK], const real *restrict largest_a,
                                     const real *restrict largest_b, real margin, size_t count)
{
    const real off[2] = {8 * REAL_EPS * margin, 8 * REAL_EPS * margin};

    for (size_t i = 0; i < count; i++) {
        const real to_a = largest_a[i] > REAL_TINY ? 1 / largest_a[i] : 0;
        const real to_b = largest_b[i] > REAL_TINY ? 1 / largest_b[i] : 0;
        const real to[2] = {to_a, to_b};
        unit_cross(n, a, b, to, off, i);
    }
}

/* ---- vertices ---- */

/* The coordinates of a chunk's sums, one after the other, and then of its derivatives. */
typedef struct chunk {
    real sum[CLSPI_VERTEX_SUMS][COORDS_MAX][CHUNK];
    real from[2][CHUNK], normal[3][CHUNK], curvature[2][CHUNK], one_over_w[CHUNK];
} chunk;

/* ---- curvatures ---- */

/* Makes the curvatures of curves in the plane or in space, as curve_curvature of curvature.clh
   does. */
static void curve_curvatures(chunk *c, uint32_t dim, size_t count)
{
    real(*const a)[CHUNK] = c->sum[1], (*const b)[CHUNK] = c->sum[4];

    for (size_t i = 0; i < count; i++) {
        const real a2 = dim > 2 ? a[2][i] : 0, b2 = dim > 2 ? b[2][i] : 0;
        const real size_a = largest3(a[0][i], a[1][i], a2);
        const real size_b = largest3(b[0][i], b[1][i], b2);
        const bool sound =
            size_a > REAL_TINY && size_b > REAL_TINY && size_a > 8 * REAL_EPS * c->from[0][i];
        const real to_a = sound ? 1 / size_a : 0, to_b = sound ? 1 / size_b : 0;
        const real s0 = a[0][i] * to_a, s1 = a[1][i] * to_a, s2 = a2 * to_a;
        const real t0 = b[0][i] * to_b, t1 = b[1][i] * to_b, t2 = b2 * to_b;
        const real ss = s0 * s0 + s1 * s1 + s2 * s2;
        const real n0 = s1 * t2 - s2 * t1, n1 = s2 * t0 - s0 * t2, n2 = s0 * t1 - s1 * t0;
        const real product = dim > 2 ? SQRT(n0 * n0 + n1 * n1 + n2 * n2) : n2;
        c->curvature[0][i] =
            sound ? size_b / size_a / size_a * (product / (ss * SQRT(ss))) : (real)0;
    }
}

static real dot3(const real x[3], real (*y)[CHUNK], size_t i)
{
    return x[0] * y[0][i] + x[1] * y[1][i] + x[2] * y[2][i];
}

/* Makes the principal curvatures of surfaces whose normals are there, as principal_curvatures of
   curvature.clh does. */
static void surface_curvatures(chunk *c, size_t count)
{
    real(*const a)[CHUNK] = c->sum[1];

    for (size_t i = 0; i < count; i++) {
        const real n[3] = {c->normal[0][i], c->normal[1][i], c->normal[2][i]};
        const real size = largest3(a[0][i], a[1][i], a[2][i]), to = size > 0 ? 1 / size : 0;
        const real s[3] = {a[0][i] * to, a[1][i] * to, a[2][i] * to};
        const real along = size * SQRT(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        const real e[3] = {a[0][i] / along, a[1][i] / along, a[2][i] / along};
        const real f[3] = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2],
                           n[0] * e[1] - n[1] * e[0]};
        const real skew = dot3(e, c->sum[2], i) / along, across = dot3(f, c->sum[2], i);
        const real m = dot3(n, c->sum[5], i), x = dot3(n, c->sum[4], i), y = m - skew * x;
        const real z = dot3(n, c->sum[6], i) - skew * (m + y);
        const real xx = x / along / along, xy = y / along / across, yy = z / across / across;
        const real mean = (xx + yy) / 2, difference = (xx - yy) / 2;
        const real largest = max_of(abs_of(difference), abs_of(xy));
        const real p = difference / largest, q = xy / largest;
        const real root = largest > REAL_TINY ? largest * SQRT(p * p + q * q) : 0;
        const bool lost = n[0] == 0 && n[1] == 0 && n[2] == 0;
        const bool sound = !lost && along > REAL_TINY && across > REAL_TINY;
        c->curvature[0][i] = sound ? mean + root : 0;
        c->curvature[1][i] = sound ? mean - root : 0;
    }
}

CLSPI_INLINE void load_coords(real (*restrict to)[CHUNK], const real *restrict from,
                              uint32_t coords, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < coords; c++)
            to[c][i] = from[i * coords + c];
}

/* Loads the coordinates of a sum, their number known in each loop, so that compilers make vectors
   of it; 0 where there is no sum. */
CLSPI_INLINE void load_sum(real (*restrict to)[CHUNK], const real *restrict from, uint32_t coords,
                           size_t count)
{
    switch (from ? coords : 0) {
    case 0:
        for (uint32_t c = 0; c < coords; c++)
            memset(to[c], 0, count * sizeof(real));
        break;
    case 1:
        load_coords(to, from, 1, count);
        break;
    case 2:
        load_coords(to, from, 2, count);
        break;
    case 3:
        load_coords(to, from, 3, count);
        break;
    case 4:
        load_coords(to, from, 4, count);
        break;
    default:
        load_coords(to, from, COORDS_MAX, count);
        break;
    }
}

/* Takes w s off a derivative: one term of the quotient rule. */
CLSPI_INLINE void take_off(real *restrict d, const real *restrict w, const real *restrict s,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        d[i] -= w[i] * s[i];
}

CLSPI_INLINE void multiply_by(real *restrict d, const real *restrict f, size_t count)
{
    for (size_t i = 0; i < count; i++)
        d[i] *= f[i];
}

/* Moves points back to where they are. */
CLSPI_INLINE void move_points(chunk *c, uint32_t dim, const double *centre, size_t count)
{
    for (uint32_t x = 0; x < dim; x++)
        for (size_t i = 0; i < count; i++)
            c->sum[0][x][i] += (real)centre[x];
}

/* Makes what a derivative owes to the rounding of control points before they were given, as
   sizes_at of vertex.clh does; far: the largest coordinate of the centre. */
CLSPI_INLINE real given_size(real size_w, real limit, real w, real far)
{
    const real most = (real)0.125 * size_w, there = limit * (2 * w);

    return size_w > 0 ? max_of(most < there ? most : there, 2 * w) * far : 0;
}

static void limits(void *limits, const void *params, size_t count, uint32_t degree)
{
    for (size_t k = 0; k < count; k++) {
        const real t = ((const real *)params)[k];
        const real inside = (t < 1 - t ? t : 1 - t) - REAL_EPS; /* t is rounded */
        ((real *)limits)[k] = inside > 0 ? (real)degree / (32 * inside) : REAL_MAX;
    }
}

/* Returns the largest coordinate of what points are relative to. */
static real far_of(const double *centre)
{
    real most = 0;

    for (int c = 0; centre && c < 4; c++)
        most = max_of(most, abs_of((real)centre[c]));
    return most;
}

/* Finds what the rounding errors of both tangents are relative to, of rational patches what the
   quotient rule takes differences of. */
CLSPI_INLINE void find_errors(chunk *c, const clspi_vertex_shape *shape,
                              const clspi_vertex_source *source, size_t first, size_t count)
{
    static const real none = REAL_MAX;
    real(*const x)[CHUNK] = c->sum[0];
    const size_t begin = shape->directions > 1 ? first : 0, step = shape->directions > 1;
    const real away = far_of(source->centre);

    for (uint32_t k = 0; k < shape->directions; k++) {
        const real *const size = (const real *)source->largest[k][0] + begin;
        const real *const weight = (const real *)source->largest[k][1] + begin;
        const real margin = (real)source->margin;
        const size_t next = k == 1 && source->limit[1];
        const real *const limit =
            source->limit[k] ? (const real *)source->limit[k] + next * first : &none;
        for (size_t i = 0; i < count; i++) {
            const real s = size[i * step], w = weight[i * step];
            const real far = largest3(x[0][i], x[1][i], shape->dim > 2 ? x[2][i] : 0);
            const real given = given_size(w, limit[i * next], x[shape->dim][i], away);
            c->from[k][i] =
                margin * (shape->rational ? (s + w * far + given) * c->one_over_w[i] : s);
        }
    }
}

/* Takes the derivatives of the quotient: first ones before second ones. */
CLSPI_INLINE void divide_derivatives(chunk *c, const bool *used, uint32_t dim, size_t count)
{
    static const struct {
        int a, b; /* the first derivatives of a second one */
    } of[CLSPI_VERTEX_SUMS] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 1}, {1, 2}, {2, 2}};

    for (int k = 1; k < CLSPI_VERTEX_SUMS; k++) {
        for (uint32_t x = 0; x < dim && used[k]; x++) {
            real *const d = c->sum[k][x];
            if (k > 3) {
                take_off(d, c->sum[of[k].a][dim], c->sum[of[k].b][x], count);
                take_off(d, c->sum[of[k].b][dim], c->sum[of[k].a][x], count);
            }
            take_off(d, c->sum[k][dim], c->sum[0][x], count);
            multiply_by(d, c->one_over_w, count);
        }
    }
}

static const clspi_part_number part_of_sum[CLSPI_VERTEX_SUMS] = {
    CLSPI_PART_POINT, CLSPI_PART_DU,  CLSPI_PART_DV, CLSPI_PART_DW,
    CLSPI_PART_DUU,   CLSPI_PART_DUV, CLSPI_PART_DVV};

/* Tells whether a sum is stored as it is. */
CLSPI_INLINE bool is_copied(const clspi_vertex_shape *shape, const clspi_vertex_source *source,
                            int k)
{
    return !shape->rational && shape->type == REAL_TYPE && source->sum[k];
}

/* Stores the point or the derivative that a sum is, where vertices have it. */
CLSPI_INLINE void store_sum(const clspi_vertex_shape *shape, const clspi_vertex_source *source,
                            chunk *c, int k, size_t first, void *out, size_t count)
{
    const int32_t at = shape->at[part_of_sum[k]];
    const uint32_t dim = shape->dim;

    if (at < 0) return;
    if (is_copied(shape, source, k))
        copy_sum(shape, (real *)out + at, (const real *)source->sum[k] + first * dim, count);
    else if (dim == 3)
        store_three(shape, out, at, c->sum[k], count);
    else
        for (uint32_t x = 0; x < dim; x++)
            store_element(shape, out, at + (int32_t)x, c->sum[k][x], count);
}

CLSPI_INLINE void store_chunk(const clspi_vertex_shape *shape, const clspi_vertex_source *source,
                              chunk *c, size_t first, void *out, size_t count)
{
    const int32_t *const at = shape->at;
    const uint32_t dim = shape->dim;

    for (int k = 0; k < CLSPI_VERTEX_SUMS; k++)
        store_sum(shape, source, c, k, first, out, count);
    if (at[CLSPI_PART_NORMAL] >= 0)
        store_three(shape, out, at[CLSPI_PART_NORMAL], c->normal, count);
    for (uint32_t k = 0; k < shape->directions && at[CLSPI_PART_CURVATURE] >= 0; k++)
        store_element(shape, out, at[CLSPI_PART_CURVATURE] + (int32_t)k, c->curvature[k], count);
    for (uint32_t k = 0; k < shape->directions && at[CLSPI_PART_PARAMS] >= 0; k++)
        store_element(shape, out, at[CLSPI_PART_PARAMS] + (int32_t)k,
                      (const real *)source->param[k] + first, count);
    if (at[CLSPI_PART_WEIGHT] < 0) return;
    for (size_t i = 0; i < count && !shape->rational; i++)
        c->sum[0][dim][i] = 1;
    store_element(shape, out, at[CLSPI_PART_WEIGHT], c->sum[0][dim], count);
}

/* Makes what follows from derivatives that are there. */
CLSPI_INLINE void make_of_tangents(chunk *c, const clspi_vertex_shape *shape,
                                   const clspi_vertex_source *source, size_t first, size_t count)
{
    const bool curvature = shape->at[CLSPI_PART_CURVATURE] >= 0;

    if (shape->at[CLSPI_PART_NORMAL] < 0 && !curvature) return;
    if (shape->directions > 1 && !shape->rational)
        polynomial_normals(
            c->normal, c->sum[1], c->sum[2], (const real *)source->largest[0][0] + first,
            (const real *)source->largest[1][0] + first, (real)source->margin, count);
    else
        find_errors(c, shape, source, first, count);
    if (shape->directions > 1 && shape->rational)
        unit_normals(c->normal, c->sum[1], c->sum[2], c->from[0], c->from[1], count);
    if (curvature && shape->directions == 1) curve_curvatures(c, shape->dim, count);
    if (curvature && shape->directions > 1) surface_curvatures(c, count);
}

/* Loads the sums that vertices are computed from; used: those that are there or stand for 0. */
CLSPI_INLINE void load_sums(chunk *c, const clspi_vertex_shape *shape,
                            const clspi_vertex_source *source, size_t first, size_t count,
                            bool *used)
{
    const uint32_t coords = shape->dim + shape->rational;
    const bool bends = shape->at[CLSPI_PART_CURVATURE] >= 0;
    const bool has_normals = shape->at[CLSPI_PART_NORMAL] >= 0;

    for (int k = 0; k < CLSPI_VERTEX_SUMS; k++) {
        const real *const from = source->sum[k];
        const bool needed = bends || (has_normals && (k == 1 || k == 2));
        used[k] = from || k < 3 || shape->at[part_of_sum[k]] >= 0 || bends;
        if (used[k] && (needed || !is_copied(shape, source, k)))
            load_sum(c->sum[k], from ? from + first * coords : NULL, coords, count);
    }
}

/* Makes at most CHUNK vertices, from number `first` on. */
CLSPI_CLONES static void MAKE_CHUNK(const clspi_vertex_shape *shape,
                                    const clspi_vertex_source *source, size_t first, void *out,
                                    size_t count)
{
    const uint32_t dim = shape->dim;
    bool used[CLSPI_VERTEX_SUMS];
    chunk c;

    load_sums(&c, shape, source, first, count, used);
    for (size_t i = 0; i < count && shape->rational; i++)
        c.one_over_w[i] = 1 / c.sum[0][dim][i];
    for (uint32_t x = 0; x < dim && shape->rational; x++)
        multiply_by(c.sum[0][x], c.one_over_w, count);
    if (shape->rational) divide_derivatives(&c, used, dim, count);
    make_of_tangents(&c, shape, source, first, count);
    if (source->centre) move_points(&c, dim, source->centre, count);
    store_chunk(shape, source, &c, first, out, count);
}

static void largest(void *largest, const void *lines, const size_t sizes[2],
                    const uint32_t coords[3], size_t count)
{
    real *const to = largest;

    memset(to, 0, count * sizeof *to);
    for (size_t i = 0; i < sizes[0]; i++) {
        const real *const line = (const real *)lines + i * sizes[1];
        for (size_t k = 0; k < count; k++)
            for (uint32_t c = coords[0]; c < coords[1]; c++)
                to[k] = max_of(to[k], abs_of(line[k * coords[2] + c]));
    }
}

static void make(const clspi_vertex_shape *shape, const clspi_vertex_source *source, void *out,
                 size_t count)
{
    const size_t element = shape->type == CLSPI_ROW_F16 ? 2 : shape->type == CLSPI_ROW_F32 ? 4 : 8;

    for (size_t i = 0; i < count; i += CHUNK)
        MAKE_CHUNK(shape, source, i, (char *)out + i * shape->stride * element,
                   count - i < CHUNK ? count - i : CHUNK);
}

#include "edge_sums_real.h"

const clspi_vertex_functions VERTEX_SUMS = {sizeof(real), difference, scale, centre_points, params,
                                            limits,       largest,    make,  edge};
