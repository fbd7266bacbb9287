/* FIR prefilters, one pass over memory for each direction (docs/math.md, 18):
       c_k = h_0 s_k + sum_{j=1}^{half} h_j (s_{k-j} + s_{k+j}).
   taps: h_0 .. h_half. What the host sets is in line_pass.clh, and
     CLSP_HALF    half, for what is staged
     CLSP_STAGED  1: through local memory, by groups of CLSP_GROUP items

   An item makes a coefficient. CLSP_STAGED has the kernels of Champagnat and Le Sant: rows through
   local memory, columns down a ring of the last samples there. GPUs take these from 2^22 samples on
   for what image_fir_strips.cl does not make: more than 33 taps, and the first direction of
   volumes. */
#include "line_pass.clh"

#ifndef CLSP_HALF
#define CLSP_HALF 7
#endif
#ifndef CLSP_STAGED
#define CLSP_STAGED 0
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 64
#endif

#if CLSP_STAGED

/* ---- through local memory (Champagnat and Le Sant, 2012) ---- */

#if CLSP_ROWS

/* Filters `block` rows, a multiple of the group's items, of a row: a group copies what its items
   need, and each makes one coefficient. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1))) void
fir_pass(global const sample *samples, global coefficient *target, global const real *restrict taps,
         sample_source from, line_pass pass)
{
    local real line[CLSP_GROUP + 2 * CLSP_HALF];
    const uint lid = (uint)get_local_id(0);
    const size_t number = (size_t)(WIDE(pass.first_item) / CLSP_GROUP) + get_group_id(0);
    const size_t row = number / pass.num_blocks;
    const uint begin = pass.first + (uint)(number - row * pass.num_blocks) * CLSP_GROUP;
    const uint k = begin + lid;
    const uint z = (uint)(row / pass.num_y);
    const size_t source = row_begin(&from, WIDE(from.offset), z,
                                    (uint)(row - (size_t)z * pass.num_y));

    for (uint i = lid; i < CLSP_GROUP + 2 * CLSP_HALF; i += CLSP_GROUP)
        line[i] = line_sample(samples, &from, &pass, source, (int)(begin + i) - CLSP_HALF);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k >= pass.end) return;

    real s = taps[0] * line[lid + CLSP_HALF];
    UNROLL
    for (uint j = 1; j <= CLSP_HALF; j++)
        s = MAD(taps[j], line[lid + CLSP_HALF - j] + line[lid + CLSP_HALF + j], s);
    STORE_COEFFICIENT(s, target + WIDE(pass.offset) + row * pass.n + k);
}

#else

#define RING (2 * CLSP_HALF + 1)

/* Filters a block of columns: each item has one, whose last samples stand in a ring of local
   memory, and reads one sample for each coefficient. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1))) void
fir_pass(global const sample *samples, global coefficient *target, global const real *restrict taps,
         sample_source from, line_pass pass)
{
    local real ring[RING * CLSP_GROUP];
    const uint lid = (uint)get_local_id(0);
    const size_t number = (size_t)WIDE(pass.first_item) + get_global_id(0);
    const size_t inner = WIDE(pass.inner), row = number / inner, outer = row / pass.num_blocks;
    const int begin = (int)(pass.first + (uint)(row - outer * pass.num_blocks) * pass.block);
    const int end = (int)min((uint)begin + pass.block, pass.end);
    const size_t first = outer * pass.n * inner + (number - row * inner);
    const size_t source = WIDE(from.offset) + first;
    if (get_global_id(0) >= pass.items) return; /* columns do not share: there is no barrier */

    uint newest = 0;
    for (int k = begin - CLSP_HALF; k < begin + CLSP_HALF; k++, newest++)
        ring[newest * CLSP_GROUP + lid] = line_sample(samples, &from, &pass, source, k);
    for (int k = begin; k < end; k++) {
        ring[newest * CLSP_GROUP + lid] = line_sample(samples, &from, &pass, source, k + CLSP_HALF);
        const uint middle = newest >= CLSP_HALF ? newest - CLSP_HALF : newest + RING - CLSP_HALF;
        real s = taps[0] * ring[middle * CLSP_GROUP + lid];
        uint below = middle, above = middle;
        for (uint j = 1; j <= CLSP_HALF; j++) {
            below = below > 0 ? below - 1 : RING - 1;
            above = above < RING - 1 ? above + 1 : 0;
            s = MAD(taps[j], ring[below * CLSP_GROUP + lid] + ring[above * CLSP_GROUP + lid], s);
        }
        STORE_COEFFICIENT(s, target + WIDE(pass.offset) + first + (size_t)k * inner);
        newest = newest < RING - 1 ? newest + 1 : 0;
    }
}

#endif

#else

/* ---- an item for each coefficient ---- */

kernel void fir_pass(global const sample *samples, global coefficient *target,
                     global const real *restrict taps, sample_source from, line_pass pass)
{
    const uint item = (uint)get_global_id(0);
    if (item >= pass.items) return;

    const size_t inner = WIDE(pass.inner), number = WIDE(pass.first_item) + item;
    const size_t row = number / inner, outer = row / pass.num_blocks;
    const int k = (int)(pass.first + (uint)(row - outer * pass.num_blocks));
#if CLSP_ROWS
    const uint z = (uint)(outer / pass.num_y);
    const size_t source = row_begin(&from, WIDE(from.offset), z,
                                    (uint)(outer - (size_t)z * pass.num_y));
#else
    const size_t source = WIDE(from.offset) + outer * pass.n * inner + (number - row * inner);
#endif
    real s = taps[0] * line_sample(samples, &from, &pass, source, k);
    for (int j = 1; j <= (int)pass.halo; j++)
        s = MAD(taps[j],
                line_sample(samples, &from, &pass, source, k - j) +
                    line_sample(samples, &from, &pass, source, k + j),
                s);
    STORE_COEFFICIENT(s, target + WIDE(pass.offset) + (outer * pass.n + (uint)k) * inner +
                             (number - row * inner));
}

#endif
