/* The definition of one clspi_vertex_functions, VERTEX_SUMS, in the precision `real`. The file that
   includes this one names both, REAL_BYTES, REAL_TYPE, REAL_EPS, REAL_TINY, REAL_MAX and FMA. What
   is made of the tangents of a vertex is made of vectors of one lane, whose loops compilers turn
   into longer ones. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "convert_real.h"
#define VECTOR_BYTES 0
#include "normals_real.h"
#include "vertex_sums.h"

enum {
    CHUNK = CONVERT_BLOCK,
    COORDS_MAX = 5,
    RUN_MAX = 9,
    ELEMENTS_MAX = SUM_KINDS * 4 + 1 + 3 + 3 + 2 /* of a vertex */
};
_Static_assert((int)ELEMENTS_MAX <= (int)CONVERT_ELEMENTS_MAX,
               "vertices have room to be converted");

/* ---- control points and parameters ---- */

/* Takes differences of [n][inner] reals, which are as many in a row; to may be where they are. */
CLSPI_INLINE void difference_rows(const real *from, real *to, size_t inner, size_t count,
                                  real factor)
{
    for (size_t x = 0; x < count; x++)
        to[x] = factor * (from[inner + x] - from[x]);
}

static void difference(const void *in, void *out, const size_t sizes[3], const double *factors,
                       double factor)
{
    const real *from = in;
    real *to = out;
    const size_t inner = sizes[2], num = sizes[1] - 1;

    for (size_t o = 0; o < sizes[0]; o++, from += (num + 1) * inner, to += num * inner)
        if (factors)
            for (size_t i = 0; i < num; i++)
                difference_rows(from + i * inner, to + i * inner, inner, inner, (real)factors[i]);
        else
            difference_rows(from, to, inner, num * inner, (real)factor);
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

/* Where one element of vertices is found, and where in a vertex it stands. */
typedef struct placed {
    real *const *x;
    int32_t at;
} placed;

/* Stores num adjacent elements, at most RUN_MAX, pairs of them at once: compilers interleave two
   arrays by vectors, but not six. Doubles are as long as a pair, and are stored one by one. */
CLSPI_INLINE void store_run(const placed *of, int num, real *restrict to, size_t stride,
                            size_t count)
{
    const int pairs = sizeof(real) == 8 ? 0 : num / 2;
    _Alignas(64) real pair[RUN_MAX / 2][2 * CHUNK];

    for (int k = 0; k < pairs; k++) {
        const real *restrict const a = *of[2 * k].x, *restrict const b = *of[2 * k + 1].x;
        for (size_t i = 0; i < count; i++) {
            pair[k][2 * i] = a[i];
            pair[k][2 * i + 1] = b[i];
        }
    }
    for (size_t i = 0; i < count; i++, to += stride) {
        for (int k = 0; k < pairs; k++)
            memcpy(to + 2 * k, pair[k] + 2 * i, 2 * sizeof(real));
        for (int k = 2 * pairs; k < num; k++)
            to[k] = (*of[k].x)[i];
    }
}

/* Tells whether `count` of the elements that are left are adjacent. */
static bool are_adjacent(const placed *of, size_t left, size_t count)
{
    bool adjacent = left >= count;

    for (size_t k = 1; k < count && adjacent; k++)
        adjacent = of[k].at == of[0].at + (int32_t)k;
    return adjacent;
}

/* Returns how many of the elements that are left are stored at once: nine or six where vertices
   have no others, which compilers then know and make twice as fast, or three. */
static int run_of(size_t stride, const placed *of, size_t left)
{
    if (!are_adjacent(of, left, 3)) return 1;
    if (stride == left && are_adjacent(of, left, left) && (left == 6 || left == RUN_MAX))
        return (int)left;
    return 3;
}

/* Stores elements of `count` vertices, those that are adjacent in one pass. */
CLSPI_INLINE void store_reals(const placed *of, size_t num, real *out, size_t stride, size_t count)
{
    int run = 0;

    for (size_t k = 0; k < num; k += (size_t)run) {
        real *const to = out + of[k].at;
        run = run_of(stride, of + k, num - k);
        if (run == RUN_MAX)
            store_run(of + k, RUN_MAX, to, RUN_MAX, count);
        else if (run == 6)
            store_run(of + k, 6, to, 6, count);
        else if (run == 3)
            store_run(of + k, 3, to, stride, count);
        else
            store_run(of + k, 1, to, stride, count);
    }
}

/* Makes vertices side by side, then changes the type of all. */
CLSPI_INLINE void store_converted(const clspi_vertex_shape *shape, const placed *of, size_t num,
                                  void *out, size_t count)
{
    real made[CHUNK * ELEMENTS_MAX];
    placed packed[ELEMENTS_MAX];
    int32_t at[ELEMENTS_MAX];

    for (size_t k = 0; k < num; k++) {
        packed[k] = (placed){of[k].x, (int32_t)k};
        at[k] = of[k].at;
    }
    store_reals(packed, num, made, num, count);
    convert_vertices(&(placement){shape->type, shape->stride, num, at}, out, made, count);
}

CLSPI_INLINE void store_elements(const clspi_vertex_shape *shape, const placed *of, size_t num,
                                 void *out, size_t count)
{
    if (shape->type == REAL_TYPE)
        store_reals(of, num, out, shape->stride, count);
    else
        store_converted(shape, of, num, out, count);
}

/* ---- normals ---- */

/* Makes the unit normals a x b of polynomial patches, from the inverse of the largest partial sums
   of a and b, which their rounding errors are relative to. */
CLSPI_INLINE void polynomial_normals(real (*restrict n)[CHUNK], real *const *a, real *const *b,
                                     const real *restrict to_a, const real *restrict to_b,
                                     size_t count)
{
    const real *restrict const a0 = a[0], *restrict const a1 = a[1], *restrict const a2 = a[2];
    const real *restrict const b0 = b[0], *restrict const b1 = b[1], *restrict const b2 = b[2];
    const real off = 8 * REAL_EPS;

    for (size_t i = 0; i < count; i++) {
        const real s[3] = {a0[i] * to_a[i], a1[i] * to_a[i], a2[i] * to_a[i]};
        const real t[3] = {b0[i] * to_b[i], b1[i] * to_b[i], b2[i] * to_b[i]};
        real unit[3];
        unit_cross(s, t, off, off, &unit);
        n[0][i] = unit[0];
        n[1][i] = unit[1];
        n[2][i] = unit[2];
    }
}

/* ---- vertices ---- */

/* The coordinates of a chunk's sums, one after the other, and then of its derivatives. */
typedef struct chunk {
    uint32_t num_used, num_elements;
    uint32_t used[SUM_KINDS];      /* sums that vertices are computed from or are stored */
    bool loads[SUM_KINDS];         /* of these, into memory */
    bool copies[SUM_KINDS];        /* from adjacent points, what is needed for nothing else */
    placed elements[ELEMENTS_MAX]; /* what else is stored */
    real *sum[SUM_KINDS][COORDS_MAX], *param[3], *made[3], *bends[2], *ones;
    _Alignas(64) real memory[SUM_KINDS][COORDS_MAX][CHUNK];
    real from[1][CHUNK], normal[3][CHUNK], curvature[2][CHUNK], one_over_w[CHUNK];
} chunk;

/* The chunk's place in its source. */
typedef struct chunk_place {
    size_t first, count;
} chunk_place;

/* ---- curvatures ---- */

/* Finds the curvatures of curves in the plane or in space. */
static void curve_curvatures(chunk *c, uint32_t dim, size_t count)
{
    real *const *const a = c->sum[1], *const *const b = c->sum[4];

    for (size_t i = 0; i < count; i++) {
        const real first[3] = {a[0][i], a[1][i], dim > 2 ? a[2][i] : 0};
        const real second[3] = {b[0][i], b[1][i], dim > 2 ? b[2][i] : 0};
        c->curvature[0][i] = curve_curvature(first, second, c->from[0][i], dim > 2);
    }
}

/* Finds the principal curvatures of surfaces whose normals are there. */
static void surface_curvatures(chunk *c, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const real n[3] = {c->normal[0][i], c->normal[1][i], c->normal[2][i]};
        derivatives d;
        for (int x = 0; x < 3; x++) {
            d.a[x] = c->sum[1][x][i];
            d.b[x] = c->sum[2][x][i];
            d.aa[x] = c->sum[4][x][i];
            d.ab[x] = c->sum[5][x][i];
            d.bb[x] = c->sum[6][x][i];
        }
        principal_curvatures(&d, n, &c->curvature[0][i], &c->curvature[1][i]);
    }
}

CLSPI_INLINE void load_coords(real (*restrict to)[CHUNK], const real *restrict from,
                              uint32_t coords, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < coords; c++)
            to[c][i] = from[i * coords + c];
}

/* Loads the coordinates of a sum, the numbers that are frequent known in their loops, so that
   compilers make vectors of them; 0 where there is no sum. */
CLSPI_INLINE void load_sum(real (*restrict to)[CHUNK], const real *restrict from, uint32_t coords,
                           size_t count)
{
    if (!from)
        memset(to, 0, coords * sizeof *to);
    else if (coords == 3)
        load_coords(to, from, 3, count);
    else if (coords == 4)
        load_coords(to, from, 4, count);
    else
        load_coords(to, from, coords, count);
}

/* Takes w s off a derivative: one term of the quotient rule. */
CLSPI_INLINE void take_off(real *restrict d, const real *restrict w, const real *restrict s,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        d[i] -= w[i] * s[i];
}

/* Takes the last one off, and multiplies by 1 / w. */
CLSPI_INLINE void take_off_and_divide(real *restrict d, const real *restrict w,
                                      const real *restrict s, const real *restrict one_over_w,
                                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        d[i] = (d[i] - w[i] * s[i]) * one_over_w[i];
}

CLSPI_INLINE void multiply_by(real *restrict d, const real *restrict f, size_t count)
{
    for (size_t i = 0; i < count; i++)
        d[i] *= f[i];
}

/* Moves points back to where they are. */
CLSPI_INLINE void move_points(chunk *c, uint32_t dim, const clspi_vertex_source *source,
                              const chunk_place *at)
{
    const size_t step = source->of_each ? dim : 0;
    const double *const centre = source->centre + at->first * step;

    for (uint32_t x = 0; x < dim; x++)
        for (size_t i = 0; i < at->count; i++)
            c->sum[0][x][i] += (real)centre[i * step + x];
}

/* Returns what the rounding error of a derivative of a quotient is relative to. */
CLSPI_INLINE real error_of(real size, real weight, real far, real given, real one_over_w)
{
    return (size + weight * far + given) * one_over_w;
}

static void limits(void *limits, const void *params, size_t count, uint32_t degree)
{
    for (size_t k = 0; k < count; k++)
        ((real *)limits)[k] = given_limit(degree, ((const real *)params)[k]);
}

/* Returns the largest coordinate of what points are relative to. */
static real far_of(const double *centre)
{
    real most = 0;

    for (int c = 0; centre && c < 4; c++)
        most = max_lanes(most, abs_lanes((real)centre[c]));
    return most;
}

/* Finds what the rounding errors of a curve's tangents are relative to, of rational ones what the
   quotient rule takes differences of. Few ask for it: no clone has its own. */
static void find_curve_errors(chunk *c, const clspi_vertex_shape *shape,
                              const clspi_vertex_source *source, size_t count)
{
    real *const *const x = c->sum[0];
    const real size = *(const real *)source->largest[0][0];
    const real weight = *(const real *)source->largest[0][1], away = far_of(source->centre);

    for (size_t i = 0; i < count; i++) {
        const real at[3] = {x[0][i], x[1][i], shape->dim > 2 ? x[2][i] : 0}, far = largest3(at);
        c->from[0][i] =
            shape->rational
                ? error_of(size, weight, far, given_size(weight, REAL_MAX, x[shape->dim][i], away),
                           c->one_over_w[i])
                : size;
    }
}

/* Takes the derivatives of the quotient: first ones before second ones. */
CLSPI_INLINE void divide_derivatives(chunk *c, uint32_t dim, size_t count)
{
    for (uint32_t u = 1; u < c->num_used; u++) {
        const uint32_t k = c->used[u], a = SUM_OF(k), b = SUM_ALONG(k);
        for (uint32_t x = 0; x < dim; x++) {
            real *const d = c->sum[k][x];
            for (int i = 0; i < 2 && k > 3; i++)
                take_off(d, c->sum[i ? b : a][dim], c->sum[i ? a : b][x], count);
            take_off_and_divide(d, c->sum[k][dim], c->sum[0][x], c->one_over_w, count);
        }
    }
}

/* Divides the sums of rational vertices by their weights. */
CLSPI_INLINE void divide(chunk *c, uint32_t dim, size_t count)
{
    const real *restrict const w = c->sum[0][dim];
    real *restrict const one_over_w = c->one_over_w;

    for (size_t i = 0; i < count; i++)
        one_over_w[i] = 1 / w[i];
    for (uint32_t x = 0; x < dim; x++)
        multiply_by(c->sum[0][x], c->one_over_w, count);
    divide_derivatives(c, dim, count);
}

/* Makes what follows from derivatives that are there. */
CLSPI_INLINE void make_of_tangents(chunk *c, const clspi_vertex_shape *shape,
                                   const clspi_vertex_source *source, const chunk_place *at)
{
    const bool curvature = shape->at[ATTRIBUTE_CURVATURE] >= 0;

    if (shape->at[ATTRIBUTE_NORMAL] < 0 && !curvature) return;
    if (shape->directions == 1 && source->of_each) {
        memcpy(c->from[0], (const real *)source->largest[0][0] + at->first,
               at->count * sizeof(real));
    } else if (shape->directions == 1) {
        find_curve_errors(c, shape, source, at->count);
    } else {
        polynomial_normals(c->normal, c->sum[1], c->sum[2],
                           (const real *)source->largest[0][0] + at->first,
                           (const real *)source->largest[1][0] + at->first, at->count);
    }
    if (curvature && shape->directions == 1) curve_curvatures(c, shape->dim, at->count);
    if (curvature && shape->directions > 1) surface_curvatures(c, at->count);
}

/* ---- chunks ---- */

static bool has_part(const clspi_vertex_shape *shape, uint32_t part)
{
    return shape->at[part] >= 0;
}

/* Says which sums vertices are computed from and which of them are loaded or copied. */
static void choose_sums(chunk *c, const clspi_vertex_shape *shape,
                        const clspi_vertex_source *source)
{
    const bool bends = has_part(shape, ATTRIBUTE_CURVATURE);
    const bool has_normals = has_part(shape, ATTRIBUTE_NORMAL);
    const uint32_t needed = clspi_shape_sums(shape) | 1;

    c->num_used = 0;
    for (uint32_t k = 0; k < SUM_KINDS; k++) {
        for (uint32_t x = 0; x < COORDS_MAX; x++)
            c->sum[k][x] = c->memory[k][x];
        c->copies[k] = false;
        if (!source->sum[k] && !(needed >> k & 1)) continue;
        c->copies[k] = source->sum[k] && !shape->rational && !bends && !(has_normals && k > 0) &&
                       shape->dim == 3;
        c->loads[k] = !c->copies[k];
        c->used[c->num_used++] = k;
    }
}

/* Adds elements that are there, in the order of vertex.h. */
static void add_elements(chunk *c, int32_t at, real *const *x, uint32_t count)
{
    for (uint32_t k = 0; k < count && at >= 0; k++)
        c->elements[c->num_elements++] = (placed){x + k, at + (int32_t)k};
}

/* Lists what is stored and not copied. */
static void list_elements(chunk *c, const clspi_vertex_shape *shape)
{
    const int32_t *const at = shape->at;

    for (int k = 0; k < 3; k++)
        c->made[k] = c->normal[k];
    for (int k = 0; k < 2; k++)
        c->bends[k] = c->curvature[k];
    c->ones = c->one_over_w; /* which nothing else needs where there are no weights */
    for (size_t i = 0; i < CHUNK && !shape->rational; i++)
        c->ones[i] = 1;
    c->num_elements = 0;
    for (uint32_t k = 0; k < SUM_KINDS; k++) {
        if (!c->copies[k]) add_elements(c, at[SUM_ATTRIBUTE(k)], c->sum[k], shape->dim);
        if (k == 0)
            add_elements(c, at[ATTRIBUTE_WEIGHT],
                         shape->rational ? c->sum[0] + shape->dim : &c->ones, 1);
    }
    add_elements(c, at[ATTRIBUTE_NORMAL], c->made, 3);
    add_elements(c, at[ATTRIBUTE_PARAMS], c->param, shape->directions);
    add_elements(c, at[ATTRIBUTE_CURVATURE], c->bends, shape->directions > 1 ? 2 : 1);
}

/* Finds what a chunk's vertices are computed from, or loads it. */
CLSPI_INLINE void find_sums(chunk *c, const clspi_vertex_shape *shape,
                            const clspi_vertex_source *source, const chunk_place *at)
{
    const uint32_t coords = shape->dim + shape->rational;

    for (uint32_t u = 0; u < c->num_used; u++) {
        const uint32_t k = c->used[u];
        const real *const from = source->sum[k];
        if (c->loads[k])
            load_sum(c->memory[k], from ? from + at->first * coords : NULL, coords, at->count);
    }
    for (uint32_t k = 0; k < shape->directions && shape->at[ATTRIBUTE_PARAMS] >= 0; k++)
        c->param[k] = (real *)source->param[k] + at->first;
}

CLSPI_INLINE void copy_three(real *restrict to, const real *restrict from, size_t stride,
                             size_t count)
{
    for (size_t i = 0; i < count; i++, to += stride, from += 3)
        for (int c = 0; c < 3; c++)
            to[c] = from[c];
}

/* Copies sums of three coordinates that are stored as they are, or in another type. */
CLSPI_INLINE void copy_sums(const chunk *c, const clspi_vertex_shape *shape,
                            const clspi_vertex_source *source, const chunk_place *at, void *out)
{
    for (uint32_t u = 0; u < c->num_used; u++) {
        const uint32_t k = c->used[u];
        const int32_t to = shape->at[SUM_ATTRIBUTE(k)];
        const real *const from = (const real *)source->sum[k] + at->first * 3;
        const placement places = {shape->type, shape->stride, 3,
                                  (const int32_t[]){to, to + 1, to + 2}};
        if (!c->copies[k] || to < 0) continue;
        if (shape->type == REAL_TYPE)
            copy_three((real *)out + to, from, shape->stride, at->count);
        else
            convert_vertices(&places, out, from, at->count);
    }
}

CLSPI_INLINE void make_chunk(chunk *c, const clspi_vertex_shape *shape,
                             const clspi_vertex_source *source, const chunk_place *at, void *out)
{
    find_sums(c, shape, source, at);
    if (shape->rational) divide(c, shape->dim, at->count);
    make_of_tangents(c, shape, source, at);
    if (source->centre) move_points(c, shape->dim, source, at);
    copy_sums(c, shape, source, at, out);
    store_elements(shape, c->elements, c->num_elements, out, at->count);
}

static void make(const clspi_vertex_shape *shape, const clspi_vertex_source *source, void *out)
{
    const size_t vertex = shape->stride * clspi_row_bytes(shape->type), all = source->count;
    chunk c;

    choose_sums(&c, shape, source);
    list_elements(&c, shape);
    for (chunk_place at = {0}; at.first < all; at.first += CHUNK) {
        at.count = all - at.first < CHUNK ? all - at.first : CHUNK;
        make_chunk(&c, shape, source, &at, (char *)out + at.first * vertex);
    }
}

/* ---- the largest sums ---- */

static void largest(void *largest, const void *values, uint32_t count, size_t num, size_t stride)
{
    const real *x = values;
    real most = 0;

    for (size_t i = 0; i < num; i++, x += stride)
        for (uint32_t c = 0; c < count; c++)
            most = max_lanes(most, abs_lanes(x[c]));
    *(real *)largest = most;
}

static void invert(void *values, size_t count)
{
    real *const x = values;

    for (size_t k = 0; k < count; k++)
        x[k] = x[k] > REAL_TINY ? 1 / x[k] : 0;
}

const clspi_vertex_functions VERTEX_SUMS = {sizeof(real), difference, scale,  centre_points, params,
                                            limits,       largest,    invert, make};
