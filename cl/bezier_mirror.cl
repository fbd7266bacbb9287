/* The sum over rows of bezier_columns.cl, two rows at a time that lie symmetrically, u and 1 - u
   (docs/math.md, 3; docs/kernels.md). As B_i(1 - u) = B_{p-i}(u),
     S(u), S(1 - u) = sum_i E_i (T_i + T_{p-i}) +- sum_i O_i (T_i - T_{p-i}),   i <= p / 2,
     E_i, O_i = (B_i(u) +- B_{p-i}(u)) / 2,
   which halves both the multiply-adds of a point and the table values loaded for it.

   A work-group makes a block of CLSP_BLOCK_ROWS pairs of rows of CLSP_COLUMNS * CLSP_GROUP columns;
   an item has CLSP_COLUMNS of them, CLSP_GROUP apart, and makes CLSP_ROWS pairs at a time.

   The host sets CLSP_ORDER_U = degree_u + 1; CLSP_GROUP, the local size; CLSP_COLUMNS; CLSP_ROWS, 2
   or 4; CLSP_BLOCK_ROWS, a multiple of 4; CLSP_STAGE 1 for staging tables in local memory. With one
   column an item, columns of adjacent patches fill a group together. */
#include "real.clh"

#ifndef CLSP_ORDER_U
#define CLSP_ORDER_U 16
#endif
#ifndef CLSP_COLUMNS
#define CLSP_COLUMNS 2
#endif
#ifndef CLSP_ROWS
#define CLSP_ROWS 4
#endif
#ifndef CLSP_BLOCK_ROWS
#define CLSP_BLOCK_ROWS 16
#endif

#include "bezier_mirror.clh"

/* t: [patches][CLSP_ORDER_U][stride_t], its patches begin at first_patch. table: [2 *
   HALF][stride], E_i and O_i in turns, for pairs 0 .. (num_u + 1) / 2 - 1. Group g makes tile g
   % num_tiles of block (g / num_tiles) % num_blocks of patch g / num_tiles / num_blocks; with
   CLSP_COLUMNS 1 a tile counts through the columns of all patches, and the last factor is 1.
   Blocks are those of pairs first_pair .. end_pair - 1, first_pair a multiple of 4; of their
   rows those from first_row to first_row + num_rows - 1 are stored,
   [num_patches][num_rows][width] from offset on. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void bezier_mirror(global const real *restrict t, uint2 first_patch, uint num_patches,
                   uint stride_t, global const real *restrict table, uint stride, uint width,
                   uint num_u, uint first_pair, uint end_pair, uint first_row, uint num_rows,
                   uint num_tiles, uint num_blocks, global real *restrict out, uint2 offset)
{
    const uint lane = (uint)get_local_id(0);
    const uint group = (uint)get_group_id(0);
    /* no %: Oclgrind cannot run what / and % become together */
    const uint line = group / num_tiles;
    const uint tile = group - line * num_tiles;
    const uint group_patch = line / num_blocks;
    const uint first = first_pair + (line - group_patch * num_blocks) * CLSP_BLOCK_ROWS;
    const uint end = min(first + CLSP_BLOCK_ROWS, end_pair);

#if CLSP_STAGE
    local real4 staged[2 * HALF * CLSP_BLOCK_ROWS / 4];
    STAGE_TABLE(staged, table, 2 * HALF);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

#if CLSP_COLUMNS == 1
    const uint column = tile * CLSP_GROUP + lane;
    const bool outside = column >= num_patches * width;
    const uint patch = min(column / width, num_patches - 1);
    const uint x0 = outside ? width - 1 : column - patch * width;
#else
    const bool outside = false;
    const uint patch = group_patch;
    const uint x0 = tile * (CLSP_COLUMNS * CLSP_GROUP) + lane;
#endif
    /* even[i] = T_i + T_{p-i}, odd[i] = T_i - T_{p-i}; the middle one of an odd order is T_i. The
       loops over columns and i are innermost, so that every compiler unrolls them. */
    real even[CLSP_COLUMNS][HALF], odd[CLSP_COLUMNS][HALF];
    global const real *const p = t + (WIDE(first_patch) + patch) * CLSP_ORDER_U * (size_t)stride_t;
    #pragma unroll
    for (uint c = 0; c < CLSP_COLUMNS; c++) {
        #pragma unroll
        for (uint i = 0; i < HALF; i++) {
            global const real *const at = p + min(x0 + c * CLSP_GROUP, width - 1);
            const real a = at[i * stride_t], b = at[(CLSP_ORDER_U - 1 - i) * stride_t];
            even[c][i] = 2 * i + 1 == CLSP_ORDER_U ? a : a + b;
            odd[c][i] = a - b;
        }
    }

    /* all rows of the block are stored, none twice, and none is an end */
    const bool whole = first > 0 && first + CLSP_BLOCK_ROWS <= min(end_pair, num_u / 2) &&
                       first >= first_row && num_u - 1 - first - first_row < num_rows;
    global real *const origin = out + WIDE(offset) + (size_t)patch * num_rows * width + x0;
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
                if (2 * i + 1 < CLSP_ORDER_U) o[c] = MAD(bo, (realr)(odd[c][i]), o[c]);
            }
        }
        #pragma unroll
        for (uint c = 0; c < CLSP_COLUMNS; c++) {
            if (outside || x0 + c * CLSP_GROUP >= width) continue;
            if (whole) {
                global real *const from = origin + c * CLSP_GROUP;
                global real *const upper = from + (u - first_row) * (size_t)width;
                global real *const lower = from + (num_u - 1 - u - first_row) * (size_t)width;
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
                const uint pair = u + r, row = pair - first_row;
                const uint twin = num_u - 1 - pair - first_row;
                real a = ROW_OF(e[c], r) + ROW_OF(o[c], r);
                real b = ROW_OF(e[c], r) - ROW_OF(o[c], r);
                if (pair == 0) { /* the ends interpolate exactly */
                    a = p[x0 + c * CLSP_GROUP];
                    b = p[x0 + c * CLSP_GROUP + (CLSP_ORDER_U - 1) * stride_t];
                }
                if (pair >= end) continue;
                if (row < num_rows) origin[c * CLSP_GROUP + (size_t)row * width] = a;
                if (twin != row && twin < num_rows)
                    origin[c * CLSP_GROUP + (size_t)twin * width] = b;
            }
        }
    }
}
