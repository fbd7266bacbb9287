/* Control points beyond the boundary of a solid, with which boundary cells are as those within
   (docs/math.md, 19).

   They are 2 a - b, made when control points are loaded, an item a channel: a launch for those of
   vertices, one for those of these, and a third. So kernels of cells know no boundary. */
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif

/* Makes points `from[0]` as 2 a - b of points a, b = from[1], from[2]; an item makes a channel. */
kernel void continue_points(global real *points, global const uint *restrict from, uint first,
                            uint items)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;
    const uint i = g / CLSP_DIM, c = g - i * CLSP_DIM;
    from += 3 * (size_t)(first + i);
    points[(size_t)from[0] * CLSP_DIM + c] =
        MAD(R(2.0), points[(size_t)from[1] * CLSP_DIM + c],
            -points[(size_t)from[2] * CLSP_DIM + c]);
}
