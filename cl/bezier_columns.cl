/* Tensor-product Bezier patches on uniform grids, for GPUs and low degrees in u
   (docs/kernels.md):
     T_i(v) = sum_j B_j(v) P_ij           once for each v and i, in registers,
     S(u, v) = sum_i B_i(u) T_i(v)        for each u.
   Points are stored [patch][u][v][dim], so a row of constant u is num_v * dim adjacent reals
   (num_v * num_w * dim in a volume), here called columns x. In the second sum the same B_i(u)
   belongs to all of them: no coordinate needs a special place, and stores are whole and adjacent
   for every dim.

   A work-group makes a block of CLSP_BLOCK_ROWS rows of CLSP_COLUMNS * CLSP_GROUP columns; an
   item has CLSP_COLUMNS of them, CLSP_GROUP apart. What limits the speed beside the stores is
   how often B_i(u) is loaded, once for each item and row: hence several columns an item, and the
   block's B_i(u) in local memory where that is real.

   With CLSP_LINE, reals in a line of the device's cache, adjacent items store whole lines wherever
   rows begin. Rows a `period` apart, period * width a multiple of CLSP_LINE, begin at the same
   place in a line. A block has such rows only, and its columns are shifted by that place, so that
   those of the first tile begin before the row does.

   The host sets CLSP_DIM; CLSP_ORDER_U = degree_u + 1; CLSP_GROUP, the local size; CLSP_COLUMNS;
   CLSP_BLOCK_ROWS, a multiple of 4; CLSP_STAGE 1 for staging in local memory; CLSP_FUSED 1 for
   making T here, 0 for reading what bezier_contract made; CLSP_LINE, a power of two or 0. With one
   column an item and no lines, columns of adjacent patches fill a group together: narrow patches
   then waste no lanes. Tables are those of bernstein.cl. */
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#ifndef CLSP_ORDER_U
#define CLSP_ORDER_U 4
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 64
#endif
#ifndef CLSP_COLUMNS
#define CLSP_COLUMNS 2
#endif
#ifndef CLSP_BLOCK_ROWS
#define CLSP_BLOCK_ROWS 16
#endif
#ifndef CLSP_STAGE
#define CLSP_STAGE 0
#endif
#ifndef CLSP_FUSED
#define CLSP_FUSED 1
#endif
#ifndef CLSP_LINE
#define CLSP_LINE 0
#endif

/* The four rows from row u on, `apart` reals from one to the next, of one column. */
void store_rows(global real *out, size_t apart, real4 s, uint u, uint end)
{
    out[0] = s.s0;
    if (u + 1 < end) out[apart] = s.s1;
    if (u + 2 < end) out[2 * apart] = s.s2;
    if (u + 3 < end) out[3 * apart] = s.s3;
}

/* source: control points [patches][CLSP_ORDER_U][order_v][CLSP_DIM], or sums over the other
   directions, [patches][CLSP_ORDER_U][stride_t]; its patches begin at first_patch. Group g makes
   tile g % num_tiles of block (g / num_tiles) % num_blocks of patch g / num_tiles / num_blocks;
   with CLSP_COLUMNS 1 a tile counts through the columns of all patches, and the last factor is
   1. Blocks are those of rows first_row .. first_row + num_rows - 1, first_row a multiple of 4.
   out, from offset on: [num_patches][num_rows][width].

   With CLSP_LINE rows are counted among those of one remainder by period, and have block_rows to a
   block, a multiple of 4: block g has remainder g % period, first_row is the range's divided by
   period, num_tiles counts the shift. table_u is permuted by period (bernstein.cl). */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1)))
void bezier_columns(global const real *restrict source, uint2 first_patch, uint num_patches,
                    uint order_v,
                    global const real *restrict table_u, uint stride_u,
                    global const real *restrict table_v, uint stride_v, uint stride_t, uint width,
                    uint first_row, uint num_rows, uint num_tiles, uint num_blocks,
                    global real *restrict out, uint2 offset
#if CLSP_LINE
                    , uint period, uint block_rows
#endif
                    )
{
    const uint lane = (uint)get_local_id(0);
    const uint group = (uint)get_group_id(0);
    /* no %: Oclgrind cannot run what / and % become together */
    const uint line = group / num_tiles;
    const uint tile = group - line * num_tiles;
    const uint group_patch = line / num_blocks;
    const uint block = line - group_patch * num_blocks;
#if CLSP_LINE
    const uint layer = block / period;
    const uint remainder = block - layer * period;
    const uint first = layer * block_rows;
    const uint end = min(first + block_rows, (num_rows + period - 1 - remainder) / period);
    const uint first_out = first * period + remainder;
    const size_t apart = period * (size_t)width;
    /* of the low half of the place, which is enough for a power of two */
    const uint shift = (offset.s0 + (group_patch * num_rows + remainder) * width) & (CLSP_LINE - 1);
    table_u += remainder * (stride_u / period);
#else
    const uint first = block * CLSP_BLOCK_ROWS;
    const uint end = min(first + CLSP_BLOCK_ROWS, num_rows);
    const uint first_out = first, shift = 0;
    const size_t apart = width;
#endif

#if CLSP_STAGE
    local real4 basis[CLSP_ORDER_U * CLSP_BLOCK_ROWS / 4];
    for (uint k = lane; k < CLSP_ORDER_U * CLSP_BLOCK_ROWS / 4; k += CLSP_GROUP) {
        const uint i = k / (CLSP_BLOCK_ROWS / 4);
        const uint u = first + 4 * (k - i * (CLSP_BLOCK_ROWS / 4));
        global const real *const at = table_u + (size_t)i * stride_u + first_row + u;
        if (u < end) basis[k] = *(global const real4 *)at;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    local const real4 *basis_u = basis;
    const uint step = CLSP_BLOCK_ROWS / 4;
#else
    global const real4 *basis_u = (global const real4 *)(table_u + first_row + first);
    const uint step = stride_u / 4;
#endif

#if CLSP_COLUMNS == 1 && !CLSP_LINE
    const uint column = tile * CLSP_GROUP + lane;
    const bool outside = column >= num_patches * width;
    const uint patch = min(column / width, num_patches - 1);
    const uint from = outside ? width - 1 : column - patch * width;
#else
    const bool outside = false;
    const uint patch = group_patch;
    const uint from = tile * (CLSP_COLUMNS * CLSP_GROUP) + lane;
    if (CLSP_LINE && from >= width + shift) return;
#endif
    const uint x0 = from - shift; /* below 0 it is more than any width */
    /* the loops over columns and i are innermost, so that every compiler unrolls them and keeps
       t in registers */
    real t[CLSP_COLUMNS][CLSP_ORDER_U];
#if CLSP_FUSED
    global const real *p =
        source + (WIDE(first_patch) + patch) * (CLSP_ORDER_U * CLSP_DIM) * order_v;
    global const real *bv = table_v;
    uint v[CLSP_COLUMNS], coordinate[CLSP_COLUMNS];
    #pragma unroll
    for (uint c = 0; c < CLSP_COLUMNS; c++) {
        const uint x = min(x0 + c * CLSP_GROUP, width - 1);
        v[c] = x / CLSP_DIM;
        coordinate[c] = x - v[c] * CLSP_DIM;
        #pragma unroll
        for (uint i = 0; i < CLSP_ORDER_U; i++) t[c][i] = R(0.0);
    }
    for (uint j = 0; j < order_v; j++, bv += stride_v, p += CLSP_DIM) {
        #pragma unroll
        for (uint c = 0; c < CLSP_COLUMNS; c++) {
            const real b = bv[v[c]];
            #pragma unroll
            for (uint i = 0; i < CLSP_ORDER_U; i++)
                t[c][i] = MAD(b, p[coordinate[c] + i * order_v * CLSP_DIM], t[c][i]);
        }
    }
#else
    global const real *const p =
        source + (WIDE(first_patch) + patch) * CLSP_ORDER_U * (size_t)stride_t;
    #pragma unroll
    for (uint c = 0; c < CLSP_COLUMNS; c++) {
        #pragma unroll
        for (uint i = 0; i < CLSP_ORDER_U; i++)
            t[c][i] = p[min(x0 + c * CLSP_GROUP, width - 1) + i * stride_t];
    }
#endif

    global real *row =
        out + (WIDE(offset) + ((size_t)patch * num_rows + first_out) * width + from - shift);
    const bool whole = !outside && x0 + (CLSP_COLUMNS - 1) * CLSP_GROUP < width;
    for (uint u = first; u < end; u += 4, basis_u++, row += 4 * apart) {
        real4 s[CLSP_COLUMNS];
        #pragma unroll
        for (uint c = 0; c < CLSP_COLUMNS; c++) s[c] = (real4)(R(0.0));
        #pragma unroll
        for (uint i = 0; i < CLSP_ORDER_U; i++) {
            const real4 b = basis_u[i * step];
            #pragma unroll
            for (uint c = 0; c < CLSP_COLUMNS; c++) s[c] = MAD(b, (real4)(t[c][i]), s[c]);
        }
        #pragma unroll
        for (uint c = 0; c < CLSP_COLUMNS; c++) {
            const bool inside = !outside && x0 + c * CLSP_GROUP < width;
            if ((CLSP_LINE ? inside : whole) && u + 4 <= end) {
                row[c * CLSP_GROUP] = s[c].s0;
                row[c * CLSP_GROUP + apart] = s[c].s1;
                row[c * CLSP_GROUP + 2 * apart] = s[c].s2;
                row[c * CLSP_GROUP + 3 * apart] = s[c].s3;
            } else if (inside) {
                store_rows(row + c * CLSP_GROUP, apart, s[c], u, end);
            }
        }
    }
}
