/* Tensor-product sums on grids, for GPUs and sums over u of few terms:
     T_i(v) = sum_j B_j(v) P_ij           once for each v and i, in registers,
     S(u, v) = sum_i B_i(u) T_i(v)        for each u.
   Points are stored [patch][u][v][dim], so a row of constant u is num_v * dim adjacent reals (num_v
   * num_w * dim in a volume), here called columns x. In the second sum the same B_i(u) belongs to
   all of them: no coordinate is a special case, and stores are whole and adjacent for every dim.

   A work-group makes a block of CLSP_BLOCK_ROWS rows of CLSP_COLUMNS * CLSP_GROUP columns; an item
   has CLSP_COLUMNS of them, CLSP_GROUP apart. What limits the speed beside the stores is how often
   B_i(u) is loaded, once for each item and row: hence several columns an item, and the block's
   B_i(u) in local memory where that is real.

   The host sets CLSP_DIM; CLSP_TERMS_U, terms of a sum over u; CLSP_GROUP, the local size;
   CLSP_COLUMNS; CLSP_BLOCK_ROWS, a multiple of 4; CLSP_STAGE 1 for staging in local memory;
   CLSP_FUSED 1 for making T here, 0 for reading what partial_sums made; CLSP_SECTOR (see
   sector_rows.clh). With one column an item and no sectors, columns of adjacent patches fill a
   group together: narrow patches then waste no lanes. Tables are those of tensor_sums.cl.

   Columns an item: 2 up to order 12, 4 above, as far as registers go, 1 where the grid is narrow.
   Staging pays from order 5 up. Partial sums are read from memory where their control points are
   more than 36, and in double. Private arrays stay in the kernel's body with all loops over them
   innermost and unrolled: otherwise compilers of Mesa put them into memory. */
#include "launch_queue.clh"
#include "row_range.clh"
#include "sector_rows.clh"
#include "staging.clh"
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#ifndef CLSP_TERMS_U
#define CLSP_TERMS_U 4
#endif
#ifndef CLSP_COLUMNS
#define CLSP_COLUMNS 2
#endif
#ifndef CLSP_FUSED
#define CLSP_FUSED 0
#endif

/* The sums of a launch. terms_v: of the sums over v that are made here. */
typedef struct column_sums {
    uint terms_v, stride_u, stride_v, stride_t;
} column_sums;

/* Makes rows of sums. source: control points [patches][CLSP_TERMS_U][terms_v][CLSP_DIM], or sums
   over the other directions, [patches][CLSP_TERMS_U][stride_t]. Group g makes tile g % num_tiles of
   block (g / num_tiles) % num_blocks of patch g / num_tiles / num_blocks; with CLSP_COLUMNS 1 a
   tile counts through the columns of all patches, and the last factor is 1. at.first_row is a
   multiple of 4. With CLSP_SECTOR table_u is permuted by period (table_layout.cl). */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void sum_columns(global const real *restrict source, global const real *restrict table_u,
                 global const real *restrict table_v, global real *restrict out, column_sums sum,
                 row_blocks rows, row_range at QUEUE)
{
    STAGED_TABLE(staged, CLSP_TERMS_U)
    EACH_GROUP(BY_VALUE(column_sums, sum) BY_VALUE(row_blocks, rows) BY_VALUE(row_range, at))
    const uint lane = (uint)get_local_id(0), width = rows.width;
    const uint4 group = split_group(GROUP_NUMBER, rows.num_tiles, rows.num_blocks);
    const uint tile = group.s0, group_patch = group.s2;
    const uint4 block = rows_of_block(rows, at, group.s1, group_patch);
    const uint first = block.s0, end = block.s1, shift = block.s3;
    const size_t apart = rows.period * (size_t)width;
    global const real *const of_rows =
        table_u + at.first_row + block.s2 * (sum.stride_u / rows.period);

    BASIS_OF(of_rows, sum.stride_u)

#if CLSP_COLUMNS == 1 && !CLSP_SECTOR
    const uint column = tile * CLSP_GROUP + lane;
    const bool outside = column >= at.num_patches * width;
    const uint patch = min(column / width, at.num_patches - 1);
    const uint from = outside ? width - 1 : column - patch * width;
#else
    const bool outside = false;
    const uint patch = group_patch;
    const uint from = tile * (CLSP_COLUMNS * CLSP_GROUP) + lane;
    if (CLSP_SECTOR && from >= width + shift) NEXT_ITEM;
#endif
    const uint x0 = from - shift; /* below 0 it is more than any width */
    /* the loops over columns and i are innermost, so that every compiler unrolls them and keeps
       t in registers */
    real t[CLSP_COLUMNS][CLSP_TERMS_U];
#if CLSP_FUSED
    global const real *p =
        source + (WIDE(at.first_patch) + patch) * (CLSP_TERMS_U * CLSP_DIM) * sum.terms_v;
    global const real *bv = table_v;
    uint v[CLSP_COLUMNS], coordinate[CLSP_COLUMNS];
    #pragma unroll
    for (uint c = 0; c < CLSP_COLUMNS; c++) {
        const uint x = min(x0 + c * CLSP_GROUP, width - 1);
        v[c] = x / CLSP_DIM;
        coordinate[c] = x - v[c] * CLSP_DIM;
        #pragma unroll
        for (uint i = 0; i < CLSP_TERMS_U; i++) t[c][i] = R(0.0);
    }
    for (uint j = 0; j < sum.terms_v; j++, bv += sum.stride_v, p += CLSP_DIM) {
        #pragma unroll
        for (uint c = 0; c < CLSP_COLUMNS; c++) {
            const real b = bv[v[c]];
            #pragma unroll
            for (uint i = 0; i < CLSP_TERMS_U; i++)
                t[c][i] = MAD(b, p[coordinate[c] + i * sum.terms_v * CLSP_DIM], t[c][i]);
        }
    }
#else
    global const real *const p =
        source + (WIDE(at.first_patch) + patch) * CLSP_TERMS_U * (size_t)sum.stride_t;
    #pragma unroll
    for (uint c = 0; c < CLSP_COLUMNS; c++) {
        #pragma unroll
        for (uint i = 0; i < CLSP_TERMS_U; i++)
            t[c][i] = p[min(x0 + c * CLSP_GROUP, width - 1) + i * sum.stride_t];
    }
#endif

    const size_t row_0 = (size_t)patch * at.num_rows + first * rows.period + block.s2;
    global real *row = out + (WIDE(at.offset) + row_0 * width + from - shift);
    const bool whole = !outside && x0 + (CLSP_COLUMNS - 1) * CLSP_GROUP < width;
    for (uint u = first; u < end; u += 4, basis_u++, row += 4 * apart) {
        real4 s[CLSP_COLUMNS];
        #pragma unroll
        for (uint c = 0; c < CLSP_COLUMNS; c++) s[c] = (real4)(R(0.0));
        #pragma unroll
        for (uint i = 0; i < CLSP_TERMS_U; i++) {
            const real4 b = basis_u[i * step];
            #pragma unroll
            for (uint c = 0; c < CLSP_COLUMNS; c++) s[c] = MAD(b, (real4)(t[c][i]), s[c]);
        }
        #pragma unroll
        for (uint c = 0; c < CLSP_COLUMNS; c++) {
            const bool inside = !outside && x0 + c * CLSP_GROUP < width;
            if ((CLSP_SECTOR ? inside : whole) && u + 4 <= end) {
                row[c * CLSP_GROUP] = s[c].s0;
                row[c * CLSP_GROUP + apart] = s[c].s1;
                row[c * CLSP_GROUP + 2 * apart] = s[c].s2;
                row[c * CLSP_GROUP + 3 * apart] = s[c].s3;
            } else if (inside) {
                store_rows(row + c * CLSP_GROUP, apart, s[c], u, end);
            }
        }
    }
    END_GROUPS
}
