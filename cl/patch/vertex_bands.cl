/* Vertices of surfaces on grids in one pass where rows are not symmetric, as those of B-splines, of
   rational patches and of samples of one's own: points, weights, first derivatives, normals and
   parameters, on GPUs and for sums over u of few terms. As in sum_bands.cl row u takes CLSP_TERMS_U
   of the T_i, those from first[u] on, of the points and of each derivative that there is. An item
   has one v and all coordinates, and keeps what it has where rows go on to the next ones. Every sum
   is the one of sum_bands.cl.

   The host sets CLSP_TERMS_U, at least 2; CLSP_BANDED 0 where each row takes all T_i; then also
   CLSP_KEEP_LOCAL 1 for terms of the derivative along v in local memory, where they are too many
   for registers; CLSP_GROUP; CLSP_ROWS, rows of a step; CLSP_BLOCK_ROWS, a multiple of it;
   CLSP_PLANES, whose bits 2 and 4 say whether there are derivatives along u and v; the rest as
   vertex_place.clh says.

   Registers bound it: an item's numbers are at most 120, order 12 in float with normals. Where each
   row takes all T_i, the terms along v go to local memory when an item's numbers are more than
   vertex_registers, and one row is made at a time up to band_registers. What rounding errors of
   tangents are relative to comes from tangent_sizes, or is the largest T_i. */
#include "launch_queue.clh"
#include "row_range.clh"
#include "real.clh"

#ifndef CLSP_TERMS_U
#define CLSP_TERMS_U 4
#endif
#ifndef CLSP_ROWS
#define CLSP_ROWS 2
#endif
#ifndef CLSP_BLOCK_ROWS
#define CLSP_BLOCK_ROWS 16
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 64
#endif
#ifndef CLSP_PLANES
#define CLSP_PLANES 7
#endif
#ifndef CLSP_BANDED
#define CLSP_BANDED 1
#endif
#ifndef CLSP_KEEP_LOCAL
#define CLSP_KEEP_LOCAL 0
#endif

#include "vertex_place.clh"

#define NEEDS_DU (CLSP_PLANES & 2)
#define NEEDS_DV (CLSP_PLANES & 4)
#if NEEDS_DU
#define FOR_DU(x) x
#else
#define FOR_DU(x)
#endif
#if NEEDS_DV
#define FOR_DV(x) x
#else
#define FOR_DV(x)
#endif
/* what an item keeps in local memory: an odd number, so that the items' numbers lie in different
   banks */
#define KEPT (CLSP_COORDS * CLSP_TERMS_U | 1)
/* Declare the local memory, where there is any, for terms of the derivative along v, and an item's
   terms. */
#if CLSP_KEEP_LOCAL
#define KEPT_TERMS_V local real kept_all[CLSP_GROUP * KEPT];
#define KEEP_TERMS_V(kept_v)                                                                      \
    local real (*const kept_v)[CLSP_TERMS_U] =                                                    \
        (local real (*)[CLSP_TERMS_U])(kept_all + lane * KEPT)
#else
#define KEPT_TERMS_V
#define KEEP_TERMS_V(kept_v) real kept_v[CLSP_COORDS][CLSP_TERMS_U]
#endif

/* The sums of a launch. first_u, first_size: what the first patch of t_u and of sizes is, where
   that of t is that of the rows. controls: T_i of a patch; the derivative along u has one less.
   degree_v: of rational patches whose tables are not banded. */
typedef struct banded_vertices {
    wide first_u, first_size;
    uint controls, stride_t, stride_table, num_v, degree_v;
    uint num_tiles, num_blocks;
} banded_vertices;

/* What follows works on arrays in registers. It is written as macros, since compilers put arrays
   that functions get into memory. */

/* Loads T_i from number `number` on of all coordinates into kept, from place `begin` on. */
#define LOAD_TERMS(kept, terms, t, number, begin)                                                 \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        UNROLL for (uint i = begin; i < (terms); i++)                                             \
            kept[c][i] = (t)[(size_t)((number) + i) * sum.stride_t + c];                          \
    }

/* Lets kept hold the T_i from the one after its first on. */
#define GO_ON(kept, terms, t)                                                                     \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        UNROLL for (uint i = 0; i + 1 < (terms); i++) kept[c][i] = kept[c][i + 1];                \
    }                                                                                             \
    LOAD_TERMS(kept, terms, t, first_t, (terms)-1)

/* Load the terms of the points and of each derivative from `number` on, and go on with all. */
#define LOAD_ALL(number)                                                                          \
    LOAD_TERMS(kept, CLSP_TERMS_U, t + from, number, 0)                                           \
    FOR_DU(LOAD_TERMS(kept_u, CLSP_TERMS_U - 1, t_u + from_u, number, 0))                         \
    FOR_DV(LOAD_TERMS(kept_v, CLSP_TERMS_U, t_v + from, number, 0))
#define GO_ON_ALL                                                                                 \
    GO_ON(kept, CLSP_TERMS_U, t + from)                                                           \
    FOR_DU(GO_ON(kept_u, CLSP_TERMS_U - 1, t_u + from_u))                                         \
    FOR_DV(GO_ON(kept_v, CLSP_TERMS_U, t_v + from))

/* Lets largest, of coordinates in s0 and of weights in s1, hold what terms amount to. */
#define FIND_LARGEST(largest, kept, terms)                                                        \
    UNROLL for (uint c = 0; c < CLSP_COORDS; c++) {                                               \
        UNROLL for (uint i = 0; i < (terms); i++) {                                               \
            const real size = fabs(kept[c][i]);                                                   \
            if (c < CLSP_DIM) largest.s0 = fmax(largest.s0, size);                                \
            else largest.s1 = fmax(largest.s1, size);                                             \
        }                                                                                         \
    }

#if CLSP_BANDED
/* Gives value i of row k of a step. */
#define VALUE_AT(i, k)   table[(size_t)(i) * sum.stride_table + sample]
#define VALUE_U_AT(i, k) table_d[(size_t)(i) * sum.stride_table + sample]
#define STAGED_VALUES
#else
/* values of a row in local memory, those of u and then those of the derivative, by four */
#define PITCH ((2 * CLSP_TERMS_U + 2) / 4)
#define PART_OF(x, i) ((i) == 0 ? (x).s0 : (i) == 1 ? (x).s1 : (i) == 2 ? (x).s2 : (x).s3)
#define VALUE_AT(i, k)   PART_OF(staged[(u + (k) - first) * PITCH + (i) / 4], (i) % 4)
#define VALUE_U_AT(i, k) VALUE_AT(CLSP_TERMS_U + (i), k)
#define STAGED_VALUES local real4 staged[CLSP_BLOCK_ROWS * PITCH];
#endif

/* Sums row k of all coordinates. */
#define SUM_ROW(h, kept, terms, value_at)                                                         \
    {                                                                                             \
        real a[CLSP_COORDS];                                                                      \
        UNROLL for (uint c = 0; c < CLSP_COORDS; c++) a[c] = R(0.0);                              \
        UNROLL for (uint i = 0; i < (terms); i++) {                                               \
            const real b = value_at(i, k);                                                        \
            UNROLL for (uint c = 0; c < CLSP_COORDS; c++) a[c] = MAD(b, kept[c][i], a[c]);        \
        }                                                                                         \
        h = homogeneous_of(a);                                                                    \
    }

/* Copies the values of the rows first .. end - 1 of a group, from sample `from` on, to local
   memory; the last row's once more for those that a block has beyond it. A barrier must follow. */
#define STAGE_VALUES(staged, from)                                                                \
    for (uint n = lane; n < CLSP_BLOCK_ROWS * (2 * CLSP_TERMS_U - 1); n += CLSP_GROUP) {          \
        const uint i = n / CLSP_BLOCK_ROWS, r = n % CLSP_BLOCK_ROWS;                              \
        const size_t sample = (from) + min(r, end - 1 - first);                                   \
        ((local real *)staged)[4 * PITCH * r + i] =                                               \
            i < CLSP_TERMS_U ? table[i * (size_t)sum.stride_table + sample]                       \
                             : table_d[(i - CLSP_TERMS_U) * (size_t)sum.stride_table + sample];   \
    }

/* Give what normals' sums are limited by at a sample of u, and of v. */
#if !CLSP_BANDED && IS_LIMITED
#define LIMIT_U(a)                                                                                \
    given_limit(CLSP_TERMS_U - 1,                                                                 \
                PARAM_OF(samples, 0, axes.begin_u, axes.end_u, a, axes.num_u))
#define LIMIT_V(a)                                                                                \
    given_limit(sum.degree_v,                                                                     \
                PARAM_OF(samples, axes.num_u, axes.begin_v, axes.end_v, a, axes.num_v))
#else
#define LIMIT_U(a) REAL_MAX
#define LIMIT_V(a) REAL_MAX
#endif

/* Makes rows of vertices. t, and t_v, which belongs to the derivative along v:
   [patches][controls][stride_t]; t_u, to that along u: [patches][controls - 1][stride_t]. table and
   table_d: values of u and of the derivative along u, whose sums begin with the same number, first.
   sizes: [patches][8] of all patches, as tangent_sizes makes them for normals by banded tables, and
   patch_centres for derivatives of rational patches. Where tables are not banded first_u is not
   read. samples: read with CLSP_OWN_SAMPLES alone. Group g makes tile g % num_tiles of block
   (g / num_tiles) % num_blocks of patch g / num_tiles / num_blocks. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void vertex_bands(global const real *restrict t, global const real *restrict t_u,
                  global const real *restrict t_v, global const real *restrict table,
                  global const real *restrict table_d, global const uint *restrict first_u,
                  global const real *restrict sizes, global const real *restrict samples,
                  global STORED *restrict out, banded_vertices sum, row_range at,
                  surface_samples axes QUEUE)
{
    PASSED_ROWS(CLSP_ROWS)
    FOR_DV(KEPT_TERMS_V)
    STAGED_VALUES
    EACH_GROUP(BY_VALUE(banded_vertices, sum) BY_VALUE(row_range, at)
               BY_VALUE(surface_samples, axes))
    const uint lane = (uint)get_local_id(0), num_v = sum.num_v;
    const uint4 group = split_group(GROUP_NUMBER, sum.num_tiles, sum.num_blocks);
    const uint tile = group.s0, patch = group.s2;
    const uint first = group.s1 * CLSP_BLOCK_ROWS;
    const uint end = min(first + CLSP_BLOCK_ROWS, at.num_rows);
    const uint v = tile * CLSP_GROUP + lane;
    const size_t column = (size_t)min(v, num_v - 1) * CLSP_COORDS;
    const size_t from =
        (WIDE(at.first_patch) + patch) * sum.controls * (size_t)sum.stride_t + column;
    STORED_ROWS(tile, num_v, at)
    const size_t to_next = (size_t)num_v * CLSP_STRIDE;
    size_t row = WIDE(at.offset) + ((size_t)patch * at.num_rows + first) * to_next +
                 (size_t)tile * CLSP_GROUP * CLSP_STRIDE;
    uint first_t = UINT_MAX - 1; /* none yet */
    real kept[CLSP_COORDS][CLSP_TERMS_U];
#if NEEDS_DU
    real kept_u[CLSP_COORDS][CLSP_TERMS_U - 1];
    const size_t from_u =
        (WIDE(sum.first_u) + patch) * (sum.controls - 1) * (size_t)sum.stride_t + column;
#endif
#if NEEDS_DV
    KEEP_TERMS_V(kept_v);
#endif
#if !CLSP_BANDED
    LOAD_ALL(0)
    real2 along_u = (real2)(R(0.0)), along_v = along_u;
    FOR_DU(FIND_LARGEST(along_u, kept_u, CLSP_TERMS_U - 1))
    FOR_DV(FIND_LARGEST(along_v, kept_v, CLSP_TERMS_U))
    const real4 largest = (real4)(along_u.s0, along_v.s0, along_u.s1, along_v.s1);
    STAGE_VALUES(staged, at.first_row + first)
    barrier(CLK_LOCAL_MEM_FENCE);
#elif HAS(NORMAL)
    const real4 largest = vload4(2 * (WIDE(sum.first_size) + patch), sizes);
#endif
    const real4 centre = patch_centre(sizes, WIDE(sum.first_size) + patch);
#if HAS(NORMAL)
    real2 limits = (real2)(REAL_MAX, LIMIT_V(v));
#endif

    for (uint u = first; u < end; u += CLSP_ROWS, row += CLSP_ROWS * to_next) {
#if CLSP_THROUGH_LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        #pragma unroll
        for (uint k = 0; k < CLSP_ROWS; k++) {
            const uint sample = at.first_row + min(u + k, end - 1);
            const homogeneous none = homogeneous_zero();
            homogeneous s, su = none, sv = none;
#if CLSP_BANDED
            const uint number = first_u[sample];
            if (number == first_t + 1) {
                first_t = number;
                GO_ON_ALL
            } else if (number != first_t) {
                first_t = number;
                LOAD_ALL(first_t)
            }
#endif
            SUM_ROW(s, kept, CLSP_TERMS_U, VALUE_AT)
            FOR_DU(SUM_ROW(su, kept_u, CLSP_TERMS_U - 1, VALUE_U_AT))
            FOR_DV(SUM_ROW(sv, kept_v, CLSP_TERMS_U, VALUE_AT))
            const real4 params = SURFACE_PARAMS(samples, axes, sample, v);
#if !CLSP_THROUGH_LOCAL
            if (u + k >= end || v >= num_v) continue;
            const size_t place = row + k * to_next + lane * CLSP_STRIDE;
#endif
            NEW_VERTEX;
            store_vertex(vertex, grid_point(s, centre), of_first(s, su, sv), params);
#if HAS(NORMAL)
            limits.s0 = LIMIT_U(sample);
            store_normal(vertex, normal_of_sums(s, su, sv, sizes_at(largest, centre, limits, s.w)));
#endif
#if CLSP_STORE_TWO
            STORE_BY_TWO(out + place, vertex, at.offset.s0 & 1);
#endif
        }
#if CLSP_THROUGH_LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (uint k = 0; k < CLSP_ROWS && u + k < end; k++)
            store_passed(out + row + k * to_next, passed + k * CLSP_GROUP * CLSP_STRIDE, elements,
                         by_two);
#endif
    }
    END_GROUPS
}
