/* Products of small or thin row-major matrices, C = A B, many at a time or one that is very wide.

   Every element is one chain of multiply-adds over rising k, whichever kernel makes it and
   whatever its neighbours are, so results do not depend on how a batch is split.

   The host sets CLSP_K, the length of the sums, and what bounds an item's registers: CLSP_N, all
   columns, for gemm_rows; CLSP_ROWS for gemm_wide. Columns are adjacent.

   gemm_rows: an item makes one row of one small product. gemm_wide: an item makes a block of up to
   8 rows of a column. Products that the matrix method makes go by CLBlast, where it is installed,
   from 896^3 multiply-adds on (gemm.h), one at a time: its strided batches (1.5.3 to 1.7.0) take no
   notice of the offset of a matrix that they need not copy. */
#include "gemm_matrix.clh"

#ifndef CLSP_K
#define CLSP_K 4
#endif
#ifndef CLSP_N
#define CLSP_N 4
#endif
#ifndef CLSP_ROWS
#define CLSP_ROWS 4
#endif

/* Makes rows of products: one item one row of one product, all its CLSP_N columns. Item g: row
   first_block + g % num_blocks of product g / num_blocks. */
kernel void gemm_rows(global const real *restrict a, gemm_matrix at_a,
                      global const real *restrict b, gemm_matrix at_b, global real *restrict c,
                      gemm_matrix at_c, gemm_items at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const uint product = g / at.num_blocks;
    /* no %: Oclgrind cannot run what / and % become together */
    const size_t row = at.first_block + (g - product * at.num_blocks);
    global const real *const ai =
        a + WIDE(at_a.offset) + product * WIDE(at_a.stride) + row * at_a.ld;
    global const real *bk = b + WIDE(at_b.offset) + product * WIDE(at_b.stride);
    real s[CLSP_N];
    #pragma unroll
    for (uint j = 0; j < CLSP_N; j++) s[j] = R(0.0);
    for (uint k = 0; k < CLSP_K; k++, bk += at_b.ld) {
        const real x = ai[k];
        #pragma unroll
        for (uint j = 0; j < CLSP_N; j++) s[j] = MAD(x, bk[j], s[j]);
    }

    global real *const ci = c + WIDE(at_c.offset) + product * WIDE(at_c.stride) + row * at_c.ld;
    #pragma unroll
    for (uint j = 0; j < CLSP_N; j++) ci[j] = s[j];
}

/* Makes blocks of wide products: one item a block of CLSP_ROWS rows of a column; the last block
   reaches back over its neighbour when it does not fit, and keeps the overlap to itself. Where
   there are fewer rows in all, it makes the last one again and keeps that to itself too. An item
   has one of num_blocks row blocks from first_block on, one of num_columns columns from
   first_column on, and one product; neighbours have adjacent columns. */
kernel void gemm_wide(global const real *restrict a, gemm_matrix at_a,
                      global const real *restrict b, gemm_matrix at_b, global real *restrict c,
                      gemm_matrix at_c, gemm_items at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const uint outer = g / at.num_columns, product = outer / at.num_blocks;
    const uint block = at.first_block + (outer - product * at.num_blocks);
    const uint x = at.first_column + (g - outer * at.num_columns);
    const uint most = min((uint)CLSP_ROWS, at.m), row = min(block * CLSP_ROWS, at.m - most);
    const uint skip = block * CLSP_ROWS - row; /* rows that the block before makes */
    const uint lda = at_a.ld, ldc = at_c.ld;
    global const real *const a0 =
        a + WIDE(at_a.offset) + product * WIDE(at_a.stride) + (size_t)row * lda;
    global const real *bk = b + WIDE(at_b.offset) + product * WIDE(at_b.stride) + x;
    global real *const c0 =
        c + WIDE(at_c.offset) + product * WIDE(at_c.stride) + (size_t)row * ldc + x;
    real s[CLSP_ROWS];

    #pragma unroll
    for (uint r = 0; r < CLSP_ROWS; r++) s[r] = R(0.0);
    for (uint k = 0; k < CLSP_K; k++, bk += at_b.ld) {
        const real y = *bk;
        #pragma unroll
        for (uint r = 0; r < CLSP_ROWS; r++)
            s[r] = MAD(a0[(size_t)min(r, most - 1) * lda + k], y, s[r]);
    }
    #pragma unroll
    for (uint r = 0; r < CLSP_ROWS; r++)
        if (r >= skip && r < most) c0[(size_t)r * ldc] = s[r];
}
