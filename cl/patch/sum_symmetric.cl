/* The sum over rows of sum_columns.cl, two rows at a time that lie symmetrically, u and 1 - u
   (docs/math.md, 3): the even-odd decomposition. As B_i(1 - u) = B_{p-i}(u),
     S(u), S(1 - u) = sum_i E_i (T_i + T_{p-i}) +- sum_i O_i (T_i - T_{p-i}),   i <= p / 2,
     E_i, O_i = (B_i(u) +- B_{p-i}(u)) / 2,
   which halves both the multiply-adds of a point and the table values loaded for it.

   A work-group makes a block of CLSP_BLOCK_ROWS rows of the upper half, and their symmetric rows,
   of CLSP_COLUMNS * CLSP_GROUP columns; an item has CLSP_COLUMNS of them, CLSP_GROUP apart, and
   makes CLSP_ROWS rows of the upper half at a time.

   The host sets CLSP_TERMS_U = p + 1; CLSP_GROUP, the local size; CLSP_COLUMNS; CLSP_ROWS, 2 or 4;
   CLSP_BLOCK_ROWS, a multiple of 4; CLSP_STAGE 1 for staging tables in local memory. With one
   column an item, columns of adjacent patches fill a group together.

   It begins with order 13 on NVIDIA and 5 on other GPUs, for polynomial sums: weights would lose
   their small end. An item has two columns and 4 rows of the upper half (2 above order 24 and in
   double), with few registers one column and 2 rows. */
#include "launch_queue.clh"
#include "row_range.clh"
#include "real.clh"

#ifndef CLSP_TERMS_U
#define CLSP_TERMS_U 16
#endif
#ifndef CLSP_COLUMNS
#define CLSP_COLUMNS 2
#endif
#ifndef CLSP_ROWS
#define CLSP_ROWS 4
#endif

#include "symmetric_rows.clh"

/* The sums of a launch: rows first_half .. end_half - 1 of the upper half, first_half a multiple of
   4, and the rows symmetric to them. */
typedef struct symmetric_sums {
    uint stride_t, stride_table;
    uint width, num_u; /* reals of a row, rows of the grid */
    uint first_half, end_half;
    uint num_tiles, num_blocks;
} symmetric_sums;

/* Makes symmetric rows of sums. t: [patches][CLSP_TERMS_U][stride_t]. table: [2 *
   HALF][stride_table], E_i and O_i in turns, for rows 0 .. (num_u + 1) / 2 - 1. Group g makes tile
   g % num_tiles of block (g / num_tiles) % num_blocks of patch g / num_tiles / num_blocks; with
   CLSP_COLUMNS 1 a tile counts through the columns of all patches, and the last factor is 1. Of the
   rows of blocks those of `at` are stored. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void sum_symmetric(global const real *restrict t, global const real *restrict table,
                   global real *restrict out, symmetric_sums sum, row_range at
                   QUEUE)
{
    STAGED_TABLE(staged, 2 * HALF)
    EACH_GROUP(BY_VALUE(symmetric_sums, sum) BY_VALUE(row_range, at))
    const uint lane = (uint)get_local_id(0);
    const uint width = sum.width, stride = sum.stride_table;
    const uint4 group = split_group(GROUP_NUMBER, sum.num_tiles, sum.num_blocks);
    const uint tile = group.s0, group_patch = group.s2;
    const uint first = sum.first_half + group.s1 * CLSP_BLOCK_ROWS;
    const uint end = min(first + CLSP_BLOCK_ROWS, sum.end_half);

#if CLSP_STAGE
    stage_table(staged, table, 2 * HALF, stride, first, end);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

#if CLSP_COLUMNS == 1
    const uint column = tile * CLSP_GROUP + lane;
    const bool outside = column >= at.num_patches * width;
    const uint patch = min(column / width, at.num_patches - 1);
    const uint x0 = outside ? width - 1 : column - patch * width;
#else
    const bool outside = false;
    const uint patch = group_patch;
    const uint x0 = tile * (CLSP_COLUMNS * CLSP_GROUP) + lane;
#endif
    /* even[i] = T_i + T_{p-i}, odd[i] = T_i - T_{p-i}; the middle one of an odd number of terms is
       T_i. The loops over columns and i are innermost, so that every compiler unrolls them. */
    real even[CLSP_COLUMNS][HALF], odd[CLSP_COLUMNS][HALF];
    global const real *const p =
        t + (WIDE(at.first_patch) + patch) * CLSP_TERMS_U * (size_t)sum.stride_t;
    #pragma unroll
    for (uint c = 0; c < CLSP_COLUMNS; c++) {
        #pragma unroll
        for (uint i = 0; i < HALF; i++) {
            global const real *const ti = p + min(x0 + c * CLSP_GROUP, width - 1);
            const real a = ti[i * sum.stride_t], b = ti[(CLSP_TERMS_U - 1 - i) * sum.stride_t];
            even[c][i] = 2 * i + 1 == CLSP_TERMS_U ? a : a + b;
            odd[c][i] = a - b;
        }
    }

    const bool whole = WHOLE_BLOCK(first, sum, at);
    global real *const origin = out + WIDE(at.offset) + (size_t)patch * at.num_rows * width + x0;
    for (uint u = first; u < end; u += CLSP_ROWS) {
        realr e[CLSP_COLUMNS], o[CLSP_COLUMNS];
        #pragma unroll
        for (uint c = 0; c < CLSP_COLUMNS; c++) e[c] = o[c] = (realr)(R(0.0));
        #pragma unroll
        for (uint i = 0; i < HALF; i++) {
            const realr be = TABLE_AT(staged, table, 2 * i, u);
            const realr bo = TABLE_AT(staged, table, 2 * i + 1, u);
            #pragma unroll
            for (uint c = 0; c < CLSP_COLUMNS; c++) {
                e[c] = MAD(be, (realr)(even[c][i]), e[c]);
                if (2 * i + 1 < CLSP_TERMS_U) o[c] = MAD(bo, (realr)(odd[c][i]), o[c]);
            }
        }
        #pragma unroll
        for (uint c = 0; c < CLSP_COLUMNS; c++) {
            if (outside || x0 + c * CLSP_GROUP >= width) continue;
            if (whole) {
                global real *const from = origin + c * CLSP_GROUP;
                global real *const upper = from + (u - at.first_row) * (size_t)width;
                global real *const lower =
                    from + (sum.num_u - 1 - u - at.first_row) * (size_t)width;
                #pragma unroll
                for (uint r = 0; r < CLSP_ROWS; r++)
                    upper[r * (size_t)width] = ROW_OF(e[c], r) + ROW_OF(o[c], r);
                #pragma unroll
                for (uint r = 0; r < CLSP_ROWS; r++)
                    *(lower - r * (size_t)width) = ROW_OF(e[c], r) - ROW_OF(o[c], r);
                continue;
            }
            #pragma unroll
            for (uint r = 0; r < CLSP_ROWS; r++) {
                const uint row = u + r - at.first_row;
                const uint other = sum.num_u - 1 - (u + r) - at.first_row;
                real a = ROW_OF(e[c], r) + ROW_OF(o[c], r);
                real b = ROW_OF(e[c], r) - ROW_OF(o[c], r);
                if (u + r == 0) { /* the ends interpolate exactly */
                    a = p[x0 + c * CLSP_GROUP];
                    b = p[x0 + c * CLSP_GROUP + (CLSP_TERMS_U - 1) * sum.stride_t];
                }
                if (u + r >= end) continue;
                if (row < at.num_rows) origin[c * CLSP_GROUP + (size_t)row * width] = a;
                if (other != row && other < at.num_rows)
                    origin[c * CLSP_GROUP + (size_t)other * width] = b;
            }
        }
    }
    END_GROUPS
}
