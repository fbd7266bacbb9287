/* Vertices of surfaces on uniform grids in one pass, for GPUs and sums over u of few terms: points,
   weights, first derivatives, normals and parameters (docs/kernels.md). As in sum_symmetric.cl an
   item makes rows u and 1 - u together, of one v and all coordinates. The derivative along v is
   the same sum over T'_i, the partial sums of the differences along v; that along u is, as of
   Bernstein polynomials, p sum_i B_i^{p-1} (T_{i+1} - T_i), whose symmetric parts are differences
   of the symmetric parts of T:
     d_i + d_{p-1-i} = odd_{i+1} - odd_i,    d_i - d_{p-1-i} = even_{i+1} - even_i.

   The host sets CLSP_TERMS_U = p + 1, at least 2; CLSP_GROUP; CLSP_ROWS, 2 or 4; CLSP_BLOCK_ROWS;
   CLSP_STAGE; CLSP_THROUGH_LOCAL 1 for vertices that go through local memory, so that stores are
   adjacent, or else CLSP_STORE_TWO 1 for stores of two elements, which asks for an even
   CLSP_STRIDE: both only where attributes fill a vertex of CLSP_STORE 32 or 64; the rest as
   vertex.clh says. */
#include "row_range.clh"
#include "real.clh"

#ifndef CLSP_TERMS_U
#define CLSP_TERMS_U 4
#endif
#ifndef CLSP_ROWS
#define CLSP_ROWS 2
#endif
#ifndef CLSP_THROUGH_LOCAL
#define CLSP_THROUGH_LOCAL 0
#endif
#ifndef CLSP_STORE_TWO
#define CLSP_STORE_TWO 0
#endif
/* Where a vertex is made. */
#if CLSP_THROUGH_LOCAL
#define CLSP_SPACE local
#define NEW_VERTEX local STORED *const vertex = passed + lane * CLSP_STRIDE
#elif CLSP_STORE_TWO
#define CLSP_SPACE private
#define NEW_VERTEX STORED vertex[CLSP_STRIDE]
#else
#define NEW_VERTEX global STORED *const vertex = out + index
#endif

#include "symmetric_rows.clh"
#include "vertex.clh"

#define NEEDS_DU (HAS_DU || HAS_NORMAL)
#define NEEDS_DV (HAS_DV || HAS_NORMAL)
/* the pairs of T_{i+1} - T_i */
#define HALF_D (CLSP_TERMS_U / 2)

/* The sums of a launch, as of sum_symmetric.cl. */
typedef struct vertex_sums {
    uint stride_t, stride_table, num_u, num_v;
    uint first_half, end_half, num_tiles, num_blocks;
} vertex_sums;

/* What follows works on arrays in registers. It is written as macros, since compilers put arrays
   that functions get into memory. */

/* Splits the T_i of all coordinates of one v into symmetric parts, as sum_symmetric.cl does. */
#define LOAD_PARTS(even, odd, t)                                                                  \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        UNROLL for (uint i = 0; i < HALF; i++) {                                                  \
            const real a = (t)[i * sum.stride_t + c];                                             \
            const real b = (t)[(CLSP_TERMS_U - 1 - i) * sum.stride_t + c];                        \
            even[c][i] = 2 * i + 1 == CLSP_TERMS_U ? a : a + b;                                   \
            odd[c][i] = a - b;                                                                    \
        }                                                                                         \
    }

#define SCALE_PARTS(even, odd, factor)                                                            \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        UNROLL for (uint i = 0; i < HALF; i++) {                                                  \
            even[c][i] *= (factor);                                                               \
            odd[c][i] *= (factor);                                                                \
        }                                                                                         \
    }

/* Finds the largest numbers that tangents along u (in s0) and v (in s1) are sums of, and those that
   their differences are taken of (in s2). */
#define FIND_LARGEST(largest)                                                                     \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        largest.s0 = fmax(largest.s0, fabs(odd[c][0]));                                           \
        UNROLL for (uint i = 0; i < HALF; i++) {                                                  \
            largest.s2 = fmax(largest.s2, fmax(fabs(even[c][i]), fabs(odd[c][i])));               \
            largest.s1 = fmax(largest.s1, fmax(fabs(even_v[c][i]), fabs(odd_v[c][i])));           \
        }                                                                                         \
        UNROLL for (uint i = 0; i + 1 < HALF; i++)                                                \
            largest.s0 = fmax(largest.s0, fmax(fabs(odd[c][i + 1] - odd[c][i]),                   \
                                               fabs(even[c][i + 1] - even[c][i])));               \
    }

/* Adds the terms of pair i, T_i and T_{p-i}, to the symmetric parts of a sum. */
#define ADD_PAIR(e, o, even, odd, i, be, bo)                                                      \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        e[c] = MAD(be, (realr)(even[c][i]), e[c]);                                                \
        if (2 * (i) + 1 < CLSP_TERMS_U) o[c] = MAD(bo, (realr)(odd[c][i]), o[c]);                 \
    }

/* Adds the terms of pair i to the symmetric parts of the derivative along u; de, dd: values of
   degree p - 1. The middle one of an even number of terms is -odd_i, and the one beside an odd
   number's middle T has that as it is. */
#define ADD_DERIVATIVE(e, o, i, de, dd)                                                           \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        if (2 * (i) + 2 == CLSP_TERMS_U) {                                                        \
            e[c] = MAD(de, (realr)(-odd[c][i]), e[c]);                                            \
        } else if (2 * (i) + 3 == CLSP_TERMS_U) {                                                 \
            e[c] = MAD(de, (realr)(-odd[c][i]), e[c]);                                            \
            o[c] = MAD(dd, (realr)(R(2.0) * even[c][(i) + 1] - even[c][i]), o[c]);                \
        } else {                                                                                  \
            e[c] = MAD(de, (realr)(odd[c][(i) + 1] - odd[c][i]), e[c]);                           \
            o[c] = MAD(dd, (realr)(even[c][(i) + 1] - even[c][i]), o[c]);                         \
        }                                                                                         \
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

/* Stores a vertex two elements at a time, or one where it begins at no multiple of two. */
#define STORE_BY_TWO(out, vertex, odd_begin)                                                      \
    if (odd_begin) {                                                                              \
        UNROLL for (uint n = 0; n < CLSP_STRIDE; n++) (out)[n] = vertex[n];                       \
    } else {                                                                                      \
        UNROLL for (uint n = 0; n < CLSP_STRIDE; n += 2)                                          \
            *(global STORED2 *)((out) + n) = (STORED2)(vertex[n], vertex[n + 1]);                 \
    }

/* Makes factors that bring tangents to moderate lengths, for all rows at once: along u in s0, along
   v in s1; in s2 what a tangent along u may be off by then, a difference of numbers that may be
   larger. */
real4 tangent_scales(real4 largest)
{
    const real to_u = largest.s0 > REAL_TINY ? R(1.0) / largest.s0 : R(0.0);
    const real to_v = largest.s1 > REAL_TINY ? R(1.0) / largest.s1 : R(0.0);
    return (real4)(to_u, to_v, R(32.0) * REAL_EPS * (R(1.0) + largest.s2 * to_u), R(0.0));
}

/* Makes the unit normal of tangents by their scales. On the border of the grid it is left (0, 0, 0)
   where the tangents may be all rounding: a pass over the edges looks there again. */
real4 row_normal(real4 xu, real4 xv, real4 scales, bool on_border)
{
    const real4 a = xu * scales.s0, b = xv * scales.s1;
    if (on_border && lost_cross(a, b, scales.s2, R(32.0) * REAL_EPS)) return (real4)(R(0.0));
    return unit_cross(a, b);
}

#if CLSP_THROUGH_LOCAL
/* Stores the group's vertices that were passed through local memory. */
void store_passed(global STORED *out, local const STORED *passed, uint elements)
{
    const uint lane = (uint)get_local_id(0);
    #pragma unroll
    for (uint n = 0; n < CLSP_STRIDE; n++)
        if (n * CLSP_GROUP + lane < elements)
            out[n * CLSP_GROUP + lane] = passed[n * CLSP_GROUP + lane];
}
#endif

/* Makes rows of vertices. t, and t_v, which belongs to the derivative along v:
   [patches][CLSP_TERMS_U][stride_t]. table: [2 * HALF][stride_table] as of sum_symmetric.cl, and
   table_d for degree p - 1. Group g makes tile g % num_tiles of block (g / num_tiles) % num_blocks
   of patch g / num_tiles / num_blocks. Of the rows of blocks those of `at` are stored, num_v
   vertices each. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void vertex_rows(global const real *restrict t, global const real *restrict t_v,
                 global const real *restrict table, global const real *restrict table_d,
                 global STORED *restrict out, vertex_sums sum, row_range at, sample_axis axis_u,
                 sample_axis axis_v)
{
    const uint lane = (uint)get_local_id(0);
    const uint stride = sum.stride_table, num_u = sum.num_u, num_v = sum.num_v;
    const uint4 group = split_group((uint)get_group_id(0), sum.num_tiles, sum.num_blocks);
    const uint tile = group.s0, patch = group.s2;
    const uint first = sum.first_half + group.s1 * CLSP_BLOCK_ROWS;
    const uint end = min(first + CLSP_BLOCK_ROWS, sum.end_half);

#if CLSP_STAGE
    local real4 staged[2 * HALF * CLSP_BLOCK_ROWS / 4];
    stage_table(staged, table, 2 * HALF, stride, first, end);
#if NEEDS_DU
    local real4 staged_d[2 * HALF_D * CLSP_BLOCK_ROWS / 4];
    stage_table(staged_d, table_d, 2 * HALF_D, stride, first, end);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if CLSP_THROUGH_LOCAL
    local STORED passed[CLSP_GROUP * CLSP_STRIDE];
#endif

    const uint v = tile * CLSP_GROUP + lane;
    const size_t from = (WIDE(at.first_patch) + patch) * CLSP_TERMS_U * (size_t)sum.stride_t +
                        (size_t)min(v, num_v - 1) * CLSP_COORDS;
    real even[CLSP_COORDS][HALF], odd[CLSP_COORDS][HALF], even_v[CLSP_COORDS][HALF];
    real odd_v[CLSP_COORDS][HALF];
    LOAD_PARTS(even, odd, t + from);
#if NEEDS_DV
    LOAD_PARTS(even_v, odd_v, t_v + from);
#endif
#if HAS_NORMAL && !CLSP_RATIONAL
    real4 largest = (real4)(R(0.0));
    FIND_LARGEST(largest);
    real4 scales = tangent_scales(largest);
#if !HAS_DV /* once, before the sums */
    SCALE_PARTS(even_v, odd_v, scales.s1);
    scales.s1 = R(1.0);
#endif
#endif

    const bool whole = WHOLE_BLOCK(first, sum, at);
    for (uint u = first; u < end; u += CLSP_ROWS) {
        realr e[CLSP_COORDS], o[CLSP_COORDS], eu[CLSP_COORDS], ou[CLSP_COORDS];
        realr ev[CLSP_COORDS], ov[CLSP_COORDS];
        #pragma unroll
        for (uint c = 0; c < CLSP_COORDS; c++)
            e[c] = o[c] = eu[c] = ou[c] = ev[c] = ov[c] = (realr)(R(0.0));
        #pragma unroll
        for (uint i = 0; i < HALF; i++) {
            const realr be = TABLE_AT(staged, table, 2 * i, u);
            const realr bo = TABLE_AT(staged, table, 2 * i + 1, u);
            ADD_PAIR(e, o, even, odd, i, be, bo);
#if NEEDS_DV
            ADD_PAIR(ev, ov, even_v, odd_v, i, be, bo);
#endif
#if NEEDS_DU
            if (2 * i + 1 >= CLSP_TERMS_U) continue; /* the pairs of degree p - 1 are fewer */
            const realr de = TABLE_AT(staged_d, table_d, 2 * i, u);
            const realr dd = TABLE_AT(staged_d, table_d, 2 * i + 1, u);
            ADD_DERIVATIVE(eu, ou, i, de, dd);
#endif
        }

        #pragma unroll
        for (uint k = 0; k < 2 * CLSP_ROWS; k++) {
            const uint r = k / 2, upper = u + r;
            const bool lower = k & 1;
            const uint row = (lower ? num_u - 1 - upper : upper) - at.first_row;
            const bool wanted =
                whole || (upper < end && row < at.num_rows && !(lower && 2 * upper == num_u - 1));
            const real sign = lower ? R(-1.0) : R(1.0);
            const homogeneous none = homogeneous_zero();
            homogeneous s, su, sv;
            ROW_PART(s, e, o, r, sign);
            ROW_PART(su, eu, ou, r, sign);
            ROW_PART(sv, ev, ov, r, sign);
#if HAS_DU
            su.x *= (real)(CLSP_TERMS_U - 1);
            su.w *= (real)(CLSP_TERMS_U - 1);
#endif
            if (!whole && upper == 0) /* the ends interpolate exactly */
                s = homogeneous_load(t + from + (lower ? (CLSP_TERMS_U - 1) * sum.stride_t : 0));

            real4 params = (real4)(R(0.0));
#if HAS_PARAMS
            params.s0 = SAMPLE_OF(axis_u, row + at.first_row);
            params.s1 = SAMPLE_OF(axis_v, v);
#endif
            const size_t index =
                WIDE(at.offset) + (((size_t)patch * at.num_rows + row) * num_v + v) * CLSP_STRIDE;
#if CLSP_THROUGH_LOCAL
            barrier(CLK_LOCAL_MEM_FENCE);
#else
            if (!wanted || v >= num_v) continue;
#endif
            NEW_VERTEX;
            real4 normal = store_vertex(vertex, s, su, sv, none, none, none, none, params);
#if HAS_NORMAL && !CLSP_RATIONAL
            normal = row_normal(su.x, sv.x, scales, upper == 0 || v == 0 || v + 1 == num_v);
#endif
            store_normal(vertex, normal);
#if CLSP_THROUGH_LOCAL
            barrier(CLK_LOCAL_MEM_FENCE);
            if (!wanted) continue;
            store_passed(out + (index - lane * CLSP_STRIDE), passed,
                         min((uint)CLSP_GROUP, num_v - tile * CLSP_GROUP) * CLSP_STRIDE);
#elif CLSP_STORE_TWO
            STORE_BY_TWO(out + index, vertex, at.offset.s0 & 1);
#endif
        }
    }
}
