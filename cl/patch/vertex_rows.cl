/* Vertices of polynomial surfaces on uniform grids in one pass, for GPUs and sums over u of few
   terms: points, first derivatives, normals and parameters. As in sum_symmetric.cl an item makes
   rows u and 1 - u together, of one v and all coordinates. It keeps the partial sums D_k of the
   derivative along u, whose control points are differences, so that a patch far from the origin
   loses nothing; the point is the integral of the derivative (docs/math.md, 3),
     S = (T_0 + T_p) / 2 + sum_k A_k D_k,    A_k(u) = -A_{p-1-k}(1 - u),
   and the derivative along v is the same sum of the partial sums T'_i of the differences along v.

   The host sets CLSP_TERMS_U = p + 1, at least 2; CLSP_GROUP; CLSP_ROWS, 2 or 4; CLSP_BLOCK_ROWS;
   CLSP_STAGE; CLSP_KEEP_LOCAL 1 for differences along v in local memory, where they are too many
   for registers; the rest as vertex_place.clh says.

   Arithmetic bounds it beside the stores. Up to order 8, and in double, the vertices of a step, 2
   or 4 rows, go through local memory and are stored two elements at a time; above, an item stores
   two elements at once. Differences along v go to local memory above order 22 in float and from 10
   on in double, an odd number of reals an item lest items meet in a bank. Plans take this way on
   [0, 1] where an item's numbers stay in vertex_registers (tuning.c). */
#include "launch_queue.clh"
#include "row_range.clh"
#include "real.clh"

#ifndef CLSP_TERMS_U
#define CLSP_TERMS_U 4
#endif
#ifndef CLSP_ROWS
#define CLSP_ROWS 2
#endif
#ifndef CLSP_KEEP_LOCAL
#define CLSP_KEEP_LOCAL 0
#endif

#include "symmetric_rows.clh"
#include "vertex_place.clh"

#define NEEDS_DU (HAS(DU) || HAS(NORMAL))
#define NEEDS_DV (HAS(DV) || HAS(NORMAL))
/* the pairs of D_k */
#define PAIRS (CLSP_TERMS_U / 2)
/* what an item keeps in local memory: an odd number, so that the items' numbers lie in different
   banks */
#define KEPT (2 * CLSP_COORDS * PAIRS + 1)
/* Declare the local memory, where there is any, for symmetric parts of differences along v, and an
   item's parts. */
#if CLSP_KEEP_LOCAL
#define KEPT_PARTS local real kept[CLSP_GROUP * KEPT];
#define KEEP_PARTS(plus, minus)                                                                   \
    local real (*const plus)[PAIRS] = (local real (*)[PAIRS])(kept + lane * KEPT);                \
    local real (*const minus)[PAIRS] = plus + CLSP_COORDS
#else
#define KEPT_PARTS
#define KEEP_PARTS(plus, minus) real plus[CLSP_COORDS][PAIRS], minus[CLSP_COORDS][PAIRS]
#endif
/* the pair is the middle one alone */
#define IS_MIDDLE(i) (2 * (i) + 2 == CLSP_TERMS_U)

/* The sums of a launch, as of sum_symmetric.cl. first_u: what the first patch of t_u is, where that
   of t is that of the rows. */
typedef struct vertex_sums {
    wide first_u;
    uint stride_t, stride_table, num_u, num_v;
    uint first_half, end_half, num_tiles, num_blocks;
} vertex_sums;

/* What follows works on arrays in registers. It is written as macros, since compilers put arrays
   that functions get into memory. */

/* Gives coordinate c of T_i. */
#define T_AT(t, i) ((t)[(i) * sum.stride_t + c])

/* Loads the mean of T_0 and T_p. */
#define LOAD_MEAN(mean, t)                                                                        \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++)                                                 \
        mean[c] = R(0.5) * (T_AT(t, 0) + T_AT(t, CLSP_TERMS_U - 1));

/* Splits the D_k of all coordinates of one v into symmetric parts, plus and minus. */
#define LOAD_PARTS(plus, minus, d)                                                                \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        UNROLL for (uint i = 0; i < PAIRS; i++) {                                                 \
            const real a = T_AT(d, i), b = T_AT(d, CLSP_TERMS_U - 2 - i);                         \
            plus[c][i] = IS_MIDDLE(i) ? a : a + b;                                                \
            minus[c][i] = a - b;                                                                  \
        }                                                                                         \
    }

/* Splits D_k = p (T_{k+1} - T_k) of sums whose T_i are there into symmetric parts. */
#define LOAD_STEPS(plus, minus, t)                                                                \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        UNROLL for (uint i = 0; i < PAIRS; i++) {                                                 \
            const real a = T_AT(t, i + 1) - T_AT(t, i);                                           \
            const real b = T_AT(t, CLSP_TERMS_U - 1 - i) - T_AT(t, CLSP_TERMS_U - 2 - i);         \
            plus[c][i] = (real)(CLSP_TERMS_U - 1) * (IS_MIDDLE(i) ? a : a + b);                   \
            minus[c][i] = (real)(CLSP_TERMS_U - 1) * (a - b);                                     \
        }                                                                                         \
    }

#define SCALE_PARTS(mean, plus, minus, factor)                                                    \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        mean[c] *= (factor);                                                                      \
        UNROLL for (uint i = 0; i < PAIRS; i++) {                                                 \
            plus[c][i] *= (factor);                                                               \
            minus[c][i] *= (factor);                                                              \
        }                                                                                         \
    }

/* Finds the largest numbers that tangents along u (in s0) and v (in s1) are sums of. */
#define FIND_LARGEST(largest, plus, minus, t_v)                                                   \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        real2 size = (real2)(R(0.0));                                                             \
        UNROLL for (uint i = 0; i < PAIRS; i++)                                                   \
            size.s0 = fmax(size.s0, fmax(fabs(plus[c][i]), fabs(minus[c][i])));                   \
        UNROLL for (uint i = 0; i < CLSP_TERMS_U; i++)                                            \
            size.s1 = fmax(size.s1, fabs(T_AT(t_v, i)));                                          \
        largest = fmax(largest, size);                                                            \
    }

/* Adds the terms of pair i, D_i and D_{p-1-i}, to the symmetric parts of a sum by the integrals'
   values a, b. */
#define ADD_INTEGRAL(e, o, plus, minus, i, a, b)                                                  \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        o[c] = MAD(a, (realr)(plus[c][i]), o[c]);                                                 \
        if (!IS_MIDDLE(i)) e[c] = MAD(b, (realr)(minus[c][i]), e[c]);                             \
    }

/* Adds them to points, and to derivatives along v. */
#define ADD_INTEGRALS(i)                                                                          \
    {                                                                                             \
        const realr a = TABLE_AT(staged, table, 2 * (i), u);                                      \
        const realr b = TABLE_AT(staged, table, 2 * (i) + 1, u);                                  \
        ADD_INTEGRAL(e, o, plus, minus, i, a, b);                                                 \
        if (NEEDS_DV) {                                                                           \
            ADD_INTEGRAL(ev, ov, plus_v, minus_v, i, a, b);                                       \
        }                                                                                         \
    }

/* Adds them to the derivative along u, by values of degree p - 1. */
#if NEEDS_DU
#define ADD_DERIVATIVE(e, o, i)                                                                   \
    {                                                                                             \
        const realr a = TABLE_AT(staged_d, table_d, 2 * (i), u);                                  \
        const realr b = TABLE_AT(staged_d, table_d, 2 * (i) + 1, u);                              \
        ADD_INTEGRAL(o, e, plus, minus, i, a, b);                                                 \
    }
#else
#define ADD_DERIVATIVE(e, o, i)
#endif

/* Adds the mean to the symmetric part of a sum. */
#define ADD_MEAN(e, mean) \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) e[c] += (realr)(mean[c]);

/* Makes the symmetric parts of all sums of rows u and on; the means last, since they may be much
   larger than the other terms. */
#define SUM_ROWS(u)                                                                               \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++)                                                 \
        e[c] = o[c] = eu[c] = ou[c] = ev[c] = ov[c] = (realr)(R(0.0));                            \
    UNROLL for (uint i = 0; i < PAIRS; i++) {                                                     \
        ADD_INTEGRALS(i);                                                                         \
        ADD_DERIVATIVE(eu, ou, i);                                                                \
    }                                                                                             \
    ADD_MEAN(e, mean);                                                                            \
    ADD_MEAN(ev, mean_v);

/* Loads the sums of a row at an end, which are exact. */
#define LOAD_END(s, sv, lower)                                                                    \
    {                                                                                             \
        const size_t end_t = from + ((lower) ? (CLSP_TERMS_U - 1) * sum.stride_t : 0);            \
        s = homogeneous_load(t + end_t);                                                          \
        sv = homogeneous_load(t_v + end_t);                                                       \
        sv.x *= scale_v;                                                                          \
    }

/* Makes one row's sum of its symmetric parts: with sign 1 the upper one's, with -1 the lower
   one's. */
#define ROW_PART(h, e, o, r, sign)                                                                \
    {                                                                                             \
        real a[CLSP_COORDS], b[CLSP_COORDS];                                                      \
        UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                           \
            a[c] = ROW_OF(e[c], r);                                                               \
            b[c] = ROW_OF(o[c], r);                                                               \
        }                                                                                         \
        h = homogeneous_part(a, b, sign);                                                         \
    }

/* Makes factors that bring tangents to moderate lengths, for all rows at once: along u in s0, along
   v in s1. */
static real2 tangent_scales(real2 largest)
{
    return (real2)(largest.s0 > REAL_TINY ? R(1.0) / largest.s0 : R(0.0),
                   largest.s1 > REAL_TINY ? R(1.0) / largest.s1 : R(0.0));
}

/* Scales the terms of the derivative along v where normals alone need it: once, before the sums. */
#if HAS(DV)
#define SCALE_ALONG_V
#else
#define SCALE_ALONG_V                                                                             \
    scale_v = scales.s1;                                                                          \
    SCALE_PARTS(mean_v, plus_v, minus_v, scale_v);                                                \
    scales.s1 = R(1.0)
#endif

/* Makes the unit normal of tangents by their scales; (0, 0, 0) where they may be all rounding. On
   the border of the grid that is told with a margin: a pass over the edges looks there again. */
static real4 row_normal(real4 xu, real4 xv, real2 scales, bool on_border)
{
    const real off = (on_border ? R(32.0) : R(8.0)) * REAL_EPS;
    real4 normal;

    unit_cross(xu * scales.s0, xv * scales.s1, off, off, &normal);
    return normal;
}

/* Stores the normal of a vertex whose sums are s, su and sv. */
#if HAS(NORMAL)
#define STORE_NORMAL(vertex, on_border) \
    store_normal(vertex, row_normal(su.x, sv.x, scales, on_border))
#else
#define STORE_NORMAL(vertex, on_border)
#endif

/* Stores the rows of the step from row u of the upper half on, which were passed through local
   memory. */
#define STORE_STEP(u)                                                                             \
    UNROLL for (uint k = 0; k < 2 * CLSP_ROWS; k++) {                                             \
        const size_t to = (k & 1) ? begin_lower - k / 2 * to_next : begin_upper + k / 2 * to_next; \
        if (IS_STORED((u) + k / 2, k & 1))                                                        \
            store_passed(out + to, passed + k * CLSP_GROUP * CLSP_STRIDE, elements, by_two);      \
    }

/* Tells whether a row is stored: the upper one of a number, or the lower one, which the middle row
   of the grid is too. */
#define IS_STORED(upper, lower)                                                                   \
    (whole || ((upper) < end &&                                                                   \
               ((lower) ? num_u - 1 - (upper) : (upper)) - at.first_row < at.num_rows &&          \
               !((lower) && 2 * (upper) == num_u - 1)))

/* Declare local memory for the tables of the group's rows, and stage them. */
#if NEEDS_DU
#define STAGED_DU     staged_d
#define STAGED_TABLES STAGED_TABLE(staged, 2 * PAIRS) STAGED_TABLE(staged_d, 2 * PAIRS)
#else
#define STAGED_DU     staged /* not used */
#define STAGED_TABLES STAGED_TABLE(staged, 2 * PAIRS)
#endif
#if CLSP_STAGE
#define STAGE_TABLES                                                                              \
    stage_table(staged, table, 2 * PAIRS, stride, first, end);                                    \
    if (NEEDS_DU) stage_table(STAGED_DU, table_d, 2 * PAIRS, stride, first, end);                 \
    barrier(CLK_LOCAL_MEM_FENCE);
#else
#define STAGE_TABLES
#endif

/* Makes rows of vertices. t, and t_v, which belongs to the derivative along v:
   [patches][CLSP_TERMS_U][stride_t]; t_u, to that along u: [patches][CLSP_TERMS_U - 1][stride_t].
   table: the integrals' values, [2 * PAIRS][stride_table], and table_d the symmetric ones of degree
   p - 1, as src/patch/basis_table.h says. Group g makes tile g % num_tiles of block
   (g / num_tiles) % num_blocks of patch g / num_tiles / num_blocks. Of the rows of blocks those of
   `at` are stored, num_v vertices each. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void vertex_rows(global const real *restrict t, global const real *restrict t_u,
                 global const real *restrict t_v, global const real *restrict table,
                 global const real *restrict table_d, global const real *restrict samples,
                 global STORED *restrict out, vertex_sums sum, row_range at, surface_samples axes
                 QUEUE)
{
    STAGED_TABLES
    PASSED_ROWS(2 * CLSP_ROWS)
    KEPT_PARTS
    EACH_GROUP(BY_VALUE(vertex_sums, sum) BY_VALUE(row_range, at) BY_VALUE(surface_samples, axes))
    const uint lane = (uint)get_local_id(0);
    const uint stride = sum.stride_table, num_u = sum.num_u, num_v = sum.num_v;
    const uint4 group = split_group(GROUP_NUMBER, sum.num_tiles, sum.num_blocks);
    const uint tile = group.s0, patch = group.s2;
    const uint first = sum.first_half + group.s1 * CLSP_BLOCK_ROWS;
    const uint end = min(first + CLSP_BLOCK_ROWS, sum.end_half);

    STAGE_TABLES
    STORED_ROWS(tile, num_v, at)
    const uint v = tile * CLSP_GROUP + lane;
    const size_t column = (size_t)min(v, num_v - 1) * CLSP_COORDS;
    const size_t from =
        (WIDE(at.first_patch) + patch) * CLSP_TERMS_U * (size_t)sum.stride_t + column;
    real mean[CLSP_COORDS], plus[CLSP_COORDS][PAIRS], minus[CLSP_COORDS][PAIRS];
    real mean_v[CLSP_COORDS];
    KEEP_PARTS(plus_v, minus_v);
    LOAD_MEAN(mean, t + from);
    LOAD_MEAN(mean_v, t_v + from);
    LOAD_STEPS(plus_v, minus_v, t_v + from);
#if NEEDS_DU
    const size_t first_u = (WIDE(sum.first_u) + patch) * (CLSP_TERMS_U - 1);
    LOAD_PARTS(plus, minus, t_u + first_u * sum.stride_t + column);
#else
    LOAD_STEPS(plus, minus, t + from);
#endif
    real scale_v = R(1.0);
    real2 largest = (real2)(R(0.0)); /* for normals alone */
    FIND_LARGEST(largest, plus, minus, t_v + from);
#if HAS(NORMAL)
    real2 scales = tangent_scales(largest);
    SCALE_ALONG_V;
#endif

    const bool whole = WHOLE_BLOCK(first, sum, at);
    /* where the rows of `first` begin in out, and from row to row; those that are not stored may
       lie before it */
    const size_t to_next = (size_t)num_v * CLSP_STRIDE;
    const size_t begin = WIDE(at.offset) + (size_t)patch * at.num_rows * to_next +
                         (size_t)tile * CLSP_GROUP * CLSP_STRIDE;
    size_t begin_upper = begin + ((size_t)first - at.first_row) * to_next;
    size_t begin_lower = begin + ((size_t)(num_u - 1 - first) - at.first_row) * to_next;
    for (uint u = first; u < end; u += CLSP_ROWS) {
        realr e[CLSP_COORDS], o[CLSP_COORDS], eu[CLSP_COORDS], ou[CLSP_COORDS];
        realr ev[CLSP_COORDS], ov[CLSP_COORDS];
        SUM_ROWS(u);

#if CLSP_THROUGH_LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        #pragma unroll
        for (uint k = 0; k < 2 * CLSP_ROWS; k++) {
            const uint r = k / 2, upper = u + r;
            const bool lower = k & 1;
            const real sign = lower ? R(-1.0) : R(1.0);
            homogeneous s, su, sv;
            ROW_PART(s, e, o, r, sign);
            ROW_PART(su, eu, ou, r, sign);
            ROW_PART(sv, ev, ov, r, sign);
            if (!whole && upper == 0) LOAD_END(s, sv, lower);
            const real4 params =
                SURFACE_PARAMS(samples, axes, lower ? num_u - 1 - upper : upper, v);
#if !CLSP_THROUGH_LOCAL
            if (!IS_STORED(upper, lower) || v >= num_v) continue;
            const size_t row = lower ? begin_lower - r * to_next : begin_upper + r * to_next;
            const size_t place = row + lane * CLSP_STRIDE;
#endif
            NEW_VERTEX;
            store_vertex(vertex, euclidean(s), of_first(s, su, sv), params);
            STORE_NORMAL(vertex, upper == 0 || v == 0 || v + 1 == num_v);
#if CLSP_STORE_TWO
            STORE_BY_TWO(out + place, vertex, at.offset.s0 & 1);
#endif
        }
#if CLSP_THROUGH_LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
        STORE_STEP(u);
#endif
        begin_upper += CLSP_ROWS * to_next;
        begin_lower -= CLSP_ROWS * to_next;
    }
    END_GROUPS
}
