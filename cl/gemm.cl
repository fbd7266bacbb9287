/* Products of small or thin row-major matrices, C = A B, many at a time or one that is very wide
   (docs/kernels.md).

   Every element is one chain of multiply-adds over rising k, whichever kernel makes it and
   whatever its neighbours are, so results do not depend on how a batch is split.

   The host sets CLSP_K, the length of the sums, and what bounds an item's registers: CLSP_N, all
   columns, for gemm_rows; CLSP_ROWS for gemm_wide. Product p has its A at a + a_offset + p *
   a_stride, rows lda reals apart, and so on; a stride of 0 means one matrix for all. */
#include "real.clh"

#ifndef CLSP_K
#define CLSP_K 4
#endif
#ifndef CLSP_N
#define CLSP_N 4
#endif
#ifndef CLSP_ROWS
#define CLSP_ROWS 4
#endif

/* One item makes one row of one product, all its CLSP_N columns.
   Item g: row first_row + g % num_rows of product g / num_rows. */
kernel void gemm_rows(global const real *restrict a, uint2 a_offset, uint2 a_stride, uint lda,
                      global const real *restrict b, uint2 b_offset, uint2 b_stride, uint ldb,
                      global real *restrict c, uint2 c_offset, uint2 c_stride, uint ldc,
                      uint first_row, uint num_rows, uint items)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    const uint product = g / num_rows;
    /* no %: Oclgrind cannot run what / and % become together */
    const size_t row = first_row + (g - product * num_rows);
    global const real *const ai = a + WIDE(a_offset) + product * WIDE(a_stride) + row * lda;
    global const real *bk = b + WIDE(b_offset) + product * WIDE(b_stride);
    real s[CLSP_N];
    #pragma unroll
    for (uint j = 0; j < CLSP_N; j++) s[j] = R(0.0);
    for (uint k = 0; k < CLSP_K; k++, bk += ldb) {
        const real x = ai[k];
        #pragma unroll
        for (uint j = 0; j < CLSP_N; j++) s[j] = MAD(x, bk[j], s[j]);
    }

    global real *const ci = c + WIDE(c_offset) + product * WIDE(c_stride) + row * ldc;
    #pragma unroll
    for (uint j = 0; j < CLSP_N; j++) ci[j] = s[j];
}

/* One item makes a block of CLSP_ROWS rows of a strip of at most `strip` columns, a multiple of
   CLSP_LANES; the last block and the last vector of a row reach back over their neighbours when
   they do not fit, and keep the overlap to themselves. m >= CLSP_ROWS, n >= CLSP_LANES.
   An item has one of num_blocks row blocks from first_block on, one of num_strips strips from
   first_strip on, and one product. On CPUs neighbours share the strip of B, which stays in a
   cache; on GPUs they have adjacent columns. */
kernel void gemm_wide(global const real *restrict a, uint2 a_offset, uint2 a_stride, uint lda,
                      global const real *restrict b, uint2 b_offset, uint2 b_stride, uint ldb,
                      global real *restrict c, uint2 c_offset, uint2 c_stride, uint ldc,
                      uint m, uint n, uint first_block, uint num_blocks, uint first_strip,
                      uint num_strips, uint strip, uint items)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

#if CLSP_LANES > 1
    const uint outer = g / num_blocks, product = outer / num_strips;
    const uint block = first_block + (g - outer * num_blocks);
    const uint first = (first_strip + (outer - product * num_strips)) * strip;
#else
    const uint outer = g / num_strips, product = outer / num_blocks;
    const uint block = first_block + (outer - product * num_blocks);
    const uint first = (first_strip + (g - outer * num_strips)) * strip;
#endif
    const uint end = n - first < strip ? n : first + strip;
    const uint row = min(block * CLSP_ROWS, m - CLSP_ROWS);
    const uint skip = block * CLSP_ROWS - row; /* rows that the block before makes */
    global const real *const a0 = a + WIDE(a_offset) + product * WIDE(a_stride) + (size_t)row * lda;
    global const real *const b0 = b + WIDE(b_offset) + product * WIDE(b_stride);
    global real *const c0 = c + WIDE(c_offset) + product * WIDE(c_stride) + (size_t)row * ldc;

    for (uint x = first; x < end; x += CLSP_LANES) {
        const uint v = min(x, n - CLSP_LANES); /* where the vector starts */
        global const real *bk = b0 + v;
        realv s[CLSP_ROWS];
        #pragma unroll
        for (uint r = 0; r < CLSP_ROWS; r++) s[r] = (realv)(R(0.0));
        for (uint k = 0; k < CLSP_K; k++, bk += ldb) {
            const realv y = LOADV(bk);
            #pragma unroll
            for (uint r = 0; r < CLSP_ROWS; r++)
                s[r] = MAD((realv)(a0[(size_t)r * lda + k]), y, s[r]);
        }
        #pragma unroll
        for (uint r = 0; r < CLSP_ROWS; r++) {
            if (r < skip) continue;
#if CLSP_LANES > 1
            if (v < x) {
                for (uint l = x - v; l < CLSP_LANES; l++)
                    c0[(size_t)r * ldc + v + l] = ((real *)&s[r])[l];
                continue;
            }
#endif
            STOREV(s[r], c0 + (size_t)r * ldc + v);
        }
    }
}
