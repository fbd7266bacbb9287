/* Points of a solid at parameters of their own: sums of control points by weights that the host has
   found (docs/math.md, 19). */
#include "real.clh"

#ifndef CLSP_CHANNELS
#define CLSP_CHANNELS 3
#endif

/* The points of a launch, which go to `offset` and on; keep: as of cell_samples. */
typedef struct point_list {
    uint num;
    wide offset;
    real keep;
} point_list;

/* An item makes one point: the sum of the control points index[begin[i]] .. index[begin[i + 1] - 1]
   times their weights, relative to the first of them. */
kernel void weighted_points(global const real *restrict points, global const uint *restrict begin,
                            global const uint *restrict index, global const real *restrict weights,
                            global real *restrict out, point_list at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.num) return;

    global const real *const centre = points + (size_t)index[begin[g]] * CLSP_CHANNELS;
    out += WIDE(at.offset) + (size_t)g * CLSP_CHANNELS;
    for (uint c = 0; c < CLSP_CHANNELS; c++) {
        real sum = R(0.0);
        for (uint k = begin[g]; k < begin[g + 1]; k++)
            sum = MAD(weights[k], points[(size_t)index[k] * CLSP_CHANNELS + c] - centre[c], sum);
        out[c] = MAD(at.keep, centre[c], sum);
    }
}
