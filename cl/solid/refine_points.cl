/* Points of the next mesh of a solid: sums of a mesh's points by stencils (docs/math.md, 19).

   An item makes a point, with more than four channels a channel of it. Stencils are sorted by
   length and stand in slices of 32, term k of all 32 side by side, so that neighbours read
   neighbouring indices; terms are relative to the first, which has the largest weight. Memory for
   indices bounds it: 4 bytes a term. */
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#ifndef CLSP_BLOCK
#define CLSP_BLOCK 1 /* channels that an item makes, a divisor of all */
#endif
#ifndef CLSP_SLICE
#define CLSP_SLICE 32
#endif

/* The stencils of a launch, and where points begin that are read and written. */
typedef struct stencil_range {
    uint first, num;
    wide from, to;
} stencil_range;

/* An item makes all channels of a point or one of them. Stencils stand in slices whose rows have
   term k of all: neighbouring items read neighbouring indices. Terms are taken relative to the
   first one, which has the largest weight: what is rounded are differences then. */
kernel void refine_points(global const real *restrict points, global const uint *restrict begin,
                          global const uint *restrict index,
                          global const uint *restrict weight_begin,
                          global const real *restrict weights, global const uint *restrict target,
                          global real *restrict out, stencil_range at)
{
    const uint g = (uint)get_global_id(0);
    const uint i = g / (CLSP_DIM / CLSP_BLOCK);
    const uint first = (g - i * (CLSP_DIM / CLSP_BLOCK)) * CLSP_BLOCK;
    if (i >= at.num) return;

    const uint stencil = at.first + i, slice = stencil / CLSP_SLICE;
    const uint rows = begin[slice + 1] - begin[slice];
    index += (size_t)begin[slice] * CLSP_SLICE + (stencil - slice * CLSP_SLICE);
    weights += weight_begin[stencil];
    points += WIDE(at.from) + first;
    out += WIDE(at.to) + (size_t)target[stencil] * CLSP_DIM + first;

    real centre[CLSP_BLOCK], sum[CLSP_BLOCK];
#pragma unroll
    for (uint c = 0; c < CLSP_BLOCK; c++) {
        centre[c] = points[(size_t)index[0] * CLSP_DIM + c];
        sum[c] = R(0.0);
    }
    for (uint k = 1; k < rows; k++) {
        global const real *const from = points + (size_t)index[k * CLSP_SLICE] * CLSP_DIM;
        const real weight = weights[k];
#pragma unroll
        for (uint c = 0; c < CLSP_BLOCK; c++)
            sum[c] = MAD(weight, from[c] - centre[c], sum[c]);
    }
#pragma unroll
    for (uint c = 0; c < CLSP_BLOCK; c++)
        out[c] = centre[c] + sum[c];
}
