/* Vertices of surfaces on uniform grids in one pass, for GPUs and low degrees in u: points,
   weights, first derivatives, normals and parameters (docs/kernels.md). As bezier_mirror.cl an
   item makes rows u and 1 - u together, of one v and all coordinates. The derivative along v is
   the same sum over T'_i, the first sums of the hodograph; that along u is p sum_i B_i^{p-1}
   (T_{i+1} - T_i), whose symmetric parts are differences of the symmetric parts of T:
     d_i + d_{p-1-i} = odd_{i+1} - odd_i,    d_i - d_{p-1-i} = even_{i+1} - even_i.

   The host sets CLSP_ORDER_U, at least 2; CLSP_GROUP; CLSP_ROWS, 2 or 4; CLSP_BLOCK_ROWS;
   CLSP_STAGE; CLSP_THROUGH_LOCAL 1 for vertices that go through local memory, so that stores are
   adjacent, or else CLSP_PAIRS 1 for stores of two elements, which asks for an even CLSP_STRIDE:
   both only where attributes fill a vertex of CLSP_STORE 32 or 64; the rest as bezier_vertex.clh
   says. */
#include "real.clh"

#ifndef CLSP_ORDER_U
#define CLSP_ORDER_U 4
#endif
#ifndef CLSP_ROWS
#define CLSP_ROWS 2
#endif
#ifndef CLSP_BLOCK_ROWS
#define CLSP_BLOCK_ROWS 16
#endif
#ifndef CLSP_THROUGH_LOCAL
#define CLSP_THROUGH_LOCAL 0
#endif
#ifndef CLSP_PAIRS
#define CLSP_PAIRS 0
#endif
#if CLSP_THROUGH_LOCAL
#define CLSP_SPACE local
#elif CLSP_PAIRS
#define CLSP_SPACE private
#endif

#include "bezier_mirror.clh"
#include "bezier_vertex.clh"

#define NEEDS_DU (HAS_DU || HAS_NORMAL)
#define NEEDS_DV (HAS_DV || HAS_NORMAL)

/* t: [patches][CLSP_ORDER_U][stride_t], and t_v likewise, which belongs to the derivative along
   v. table: [2 * HALF][stride] as of bezier_mirror.cl, and table_d for degree p - 1. Group g
   makes tile g % num_tiles of block (g / num_tiles) % num_blocks of patch g / num_tiles /
   num_blocks: pairs of rows from first_pair to end_pair - 1, of which rows first_row ..
   first_row + num_rows - 1 are stored, [num_patches][num_rows][num_v][CLSP_STRIDE] from offset
   on. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void bezier_vertices(global const real *restrict t, global const real *restrict t_v,
                     uint2 first_patch, uint stride_t, global const real *restrict table,
                     global const real *restrict table_d, uint stride, uint num_u, uint num_v,
                     uint first_pair, uint end_pair, uint first_row, uint num_rows,
                     uint num_tiles, uint num_blocks, real begin_u, real end_u, real begin_v,
                     real end_v, global STORED *restrict out, uint2 offset)
{
    const uint lane = (uint)get_local_id(0);
    const uint group = (uint)get_group_id(0);
    /* no %: Oclgrind cannot run what / and % become together */
    const uint line = group / num_tiles;
    const uint tile = group - line * num_tiles;
    const uint patch = line / num_blocks;
    const uint first = first_pair + (line - patch * num_blocks) * CLSP_BLOCK_ROWS;
    const uint end = min(first + CLSP_BLOCK_ROWS, end_pair);

#if CLSP_STAGE
    local real4 staged[2 * HALF * CLSP_BLOCK_ROWS / 4];
    STAGE_TABLE(staged, table, 2 * HALF);
#if NEEDS_DU
    local real4 staged_d[2 * (CLSP_ORDER_U / 2) * CLSP_BLOCK_ROWS / 4];
    STAGE_TABLE(staged_d, table_d, 2 * (CLSP_ORDER_U / 2));
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if CLSP_THROUGH_LOCAL
    local STORED passed[CLSP_GROUP * CLSP_STRIDE];
#endif

    const uint v = tile * CLSP_GROUP + lane;
    const size_t at = (WIDE(first_patch) + patch) * CLSP_ORDER_U * (size_t)stride_t +
                      (size_t)min(v, num_v - 1) * CLSP_COORDS;
    real even[CLSP_COORDS][HALF], odd[CLSP_COORDS][HALF];
    real even_v[CLSP_COORDS][HALF], odd_v[CLSP_COORDS][HALF];
    #pragma unroll
    for (uint c = 0; c < CLSP_COORDS; c++) {
        #pragma unroll
        for (uint i = 0; i < HALF; i++) {
            const size_t low = at + i * stride_t + c;
            const size_t high = at + (CLSP_ORDER_U - 1 - i) * stride_t + c;
            const real a = t[low], b = t[high];
            even[c][i] = 2 * i + 1 == CLSP_ORDER_U ? a : a + b;
            odd[c][i] = a - b;
#if NEEDS_DV
            const real av = t_v[low], bv = t_v[high];
            even_v[c][i] = 2 * i + 1 == CLSP_ORDER_U ? av : av + bv;
            odd_v[c][i] = av - bv;
#endif
        }
    }
#if HAS_NORMAL && !CLSP_RATIONAL
    /* factors that bring tangents to moderate lengths, for all rows at once */
    real largest_u = R(0.0), largest_v = R(0.0), largest = R(0.0);
    #pragma unroll
    for (uint c = 0; c < CLSP_COORDS; c++) {
        largest_u = fmax(largest_u, fabs(odd[c][0]));
        #pragma unroll
        for (uint i = 0; i < HALF; i++) {
            largest = fmax(largest, fmax(fabs(even[c][i]), fabs(odd[c][i])));
            largest_v = fmax(largest_v, fmax(fabs(even_v[c][i]), fabs(odd_v[c][i])));
        }
        #pragma unroll
        for (uint i = 0; i + 1 < HALF; i++)
            largest_u = fmax(largest_u, fmax(fabs(odd[c][i + 1] - odd[c][i]),
                                             fabs(even[c][i + 1] - even[c][i])));
    }
    const real to_u = largest_u > REAL_TINY ? R(1.0) / largest_u : R(0.0);
    /* tangents along u are differences of numbers up to `largest` */
    const real off_u = R(32.0) * REAL_EPS * (R(1.0) + largest * to_u);
    real to_v = largest_v > REAL_TINY ? R(1.0) / largest_v : R(0.0);
#if !HAS_DV
    #pragma unroll
    for (uint c = 0; c < CLSP_COORDS; c++) {
        #pragma unroll
        for (uint i = 0; i < HALF; i++) {
            even_v[c][i] *= to_v;
            odd_v[c][i] *= to_v;
        }
    }
    to_v = R(1.0);
#endif
#endif

    /* all rows of the block are stored, none twice, and none is an end */
    const bool whole = first > 0 && first + CLSP_BLOCK_ROWS <= min(end_pair, num_u / 2) &&
                       first >= first_row && num_u - 1 - first - first_row < num_rows;
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
            #pragma unroll
            for (uint c = 0; c < CLSP_COORDS; c++) {
                e[c] = MAD(be, (realr)(even[c][i]), e[c]);
                if (2 * i + 1 < CLSP_ORDER_U) o[c] = MAD(bo, (realr)(odd[c][i]), o[c]);
#if NEEDS_DV
                ev[c] = MAD(be, (realr)(even_v[c][i]), ev[c]);
                if (2 * i + 1 < CLSP_ORDER_U) ov[c] = MAD(bo, (realr)(odd_v[c][i]), ov[c]);
#endif
            }
#if NEEDS_DU
            if (2 * i + 1 >= CLSP_ORDER_U) continue; /* the pairs of degree p - 1 are fewer */
            const realr de = TABLE_AT(staged_d, table_d, 2 * i, u);
            const realr dd = TABLE_AT(staged_d, table_d, 2 * i + 1, u);
            #pragma unroll
            for (uint c = 0; c < CLSP_COORDS; c++) {
                if (2 * i + 2 == CLSP_ORDER_U) { /* the middle one, T_{i+1} - T_i = -odd_i */
                    eu[c] = MAD(de, (realr)(-odd[c][i]), eu[c]);
                } else if (2 * i + 3 == CLSP_ORDER_U) { /* its neighbour is the middle T */
                    eu[c] = MAD(de, (realr)(-odd[c][i]), eu[c]);
                    ou[c] = MAD(dd, (realr)(R(2.0) * even[c][i + 1] - even[c][i]), ou[c]);
                } else {
                    eu[c] = MAD(de, (realr)(odd[c][i + 1] - odd[c][i]), eu[c]);
                    ou[c] = MAD(dd, (realr)(even[c][i + 1] - even[c][i]), ou[c]);
                }
            }
#endif
        }

        #pragma unroll
        for (uint k = 0; k < 2 * CLSP_ROWS; k++) {
            const uint r = k / 2, pair = u + r;
            const bool lower = k & 1;
            const uint row = (lower ? num_u - 1 - pair : pair) - first_row;
            const bool wanted =
                whole || (pair < end && row < num_rows && !(lower && 2 * pair == num_u - 1));
            const real sign = lower ? R(-1.0) : R(1.0);
            real a[CLSP_COORDS], b[CLSP_COORDS], au[CLSP_COORDS], bu[CLSP_COORDS];
            real av[CLSP_COORDS], bv[CLSP_COORDS];
            #pragma unroll
            for (uint c = 0; c < CLSP_COORDS; c++) {
                a[c] = ROW_OF(e[c], r);
                b[c] = ROW_OF(o[c], r);
                au[c] = ROW_OF(eu[c], r);
                bu[c] = ROW_OF(ou[c], r);
                av[c] = ROW_OF(ev[c], r);
                bv[c] = ROW_OF(ov[c], r);
            }
            homogeneous s = homogeneous_part(a, b, sign), su = homogeneous_part(au, bu, sign);
            const homogeneous sv = homogeneous_part(av, bv, sign);
#if HAS_DU
            su.x *= (real)(CLSP_ORDER_U - 1);
            su.w *= (real)(CLSP_ORDER_U - 1);
#endif
            if (!whole && pair == 0) /* the ends interpolate exactly */
                s = homogeneous_load(t + at + (lower ? (CLSP_ORDER_U - 1) * stride_t : 0));

            real4 params = (real4)(R(0.0));
#if HAS_PARAMS
            params.s0 = grid_param(begin_u, end_u, row + first_row, num_u);
            params.s1 = grid_param(begin_v, end_v, v, num_v);
#endif
            const homogeneous none = homogeneous_zero();
            const size_t index =
                WIDE(offset) + (((size_t)patch * num_rows + row) * num_v + v) * CLSP_STRIDE;
#if CLSP_THROUGH_LOCAL
            barrier(CLK_LOCAL_MEM_FENCE);
            local STORED *const vertex = passed + lane * CLSP_STRIDE;
#else
            if (!wanted || v >= num_v) continue;
#if CLSP_PAIRS
            STORED vertex[CLSP_STRIDE];
#else
            global STORED *const vertex = out + index;
#endif
#endif
            real4 normal = store_vertex(vertex, s, su, sv, none, none, none, none, params);
#if HAS_NORMAL && !CLSP_RATIONAL
            normal = unit_cross(su.x * to_u, sv.x * to_v);
            /* edges get another look from bezier_edges.cl where they are left 0 */
            if ((pair == 0 || v == 0 || v + 1 == num_v) &&
                lost_cross(su.x * to_u, sv.x * to_v, off_u, R(32.0) * REAL_EPS))
                normal = (real4)(R(0.0));
#endif
            store_normal(vertex, normal);
#if CLSP_THROUGH_LOCAL
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint elements = min((uint)CLSP_GROUP, num_v - tile * CLSP_GROUP) * CLSP_STRIDE;
            global STORED *const to = out + (index - lane * CLSP_STRIDE);
            if (!wanted) continue;
            #pragma unroll
            for (uint n = 0; n < CLSP_STRIDE; n++)
                if (n * CLSP_GROUP + lane < elements)
                    to[n * CLSP_GROUP + lane] = passed[n * CLSP_GROUP + lane];
#elif CLSP_PAIRS
            if (offset.s0 & 1) { /* not where a pair may begin */
                #pragma unroll
                for (uint n = 0; n < CLSP_STRIDE; n++) out[index + n] = vertex[n];
            } else {
                #pragma unroll
                for (uint n = 0; n < CLSP_STRIDE; n += 2)
                    *(global STORED2 *)(out + index + n) = (STORED2)(vertex[n], vertex[n + 1]);
            }
#endif
        }
    }
}
