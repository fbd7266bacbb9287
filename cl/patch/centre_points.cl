/* Control points of rational patches relative to a centre of each patch (docs/math.md, 5).

   The host sets CLSP_DIM, 1 to 4; the weight stands behind the coordinates.

   patch_centres, an item a patch, finds the centres, centre_points, an item a control point, takes
   them off when control points are loaded, where vertices have derivatives. Kernels of vertices add
   the centre to points. */
#define CLSP_RATIONAL 1
#define CLSP_ATTRIBUTES 1
#include "vertex.clh"

/* Finds the centre of each patch, [patches][num][CLSP_COORDS], in the second half of sizes,
   [patches][8]: in each coordinate the middle of the patch's points where none of them is more than
   twice as far from 0 as another or on its other side, else 0. So no point is farther from it than
   from 0. One item a patch. */
kernel void patch_centres(global const real *restrict points, global real *restrict sizes, uint num,
                          uint num_patches)
{
    const uint g = (uint)get_global_id(0);
    if (g >= num_patches) return;

    const real4 zero = (real4)(R(0.0));
    real4 low = zero, high = zero;
    points += (size_t)g * num * CLSP_COORDS;
    for (uint i = 0; i < num; i++, points += CLSP_COORDS) {
        const real4 x = euclidean(homogeneous_load(points));
        low = i == 0 ? x : fmin(low, x);
        high = i == 0 ? x : fmax(high, x);
    }
    const real4 middle = low + R(0.5) * (high - low);
    vstore4(select(zero, middle,
                   (low > zero && high <= R(2.0) * low) || (high < zero && low >= R(2.0) * high)),
            2 * (size_t)g + 1, sizes);
}

/* Makes num_points control points relative to the centres of their patches, of `num` points each,
   and behind all of them copies of the centres, [patches][4]. One item a control point, from
   first_point on. */
kernel void centre_points(global const real *restrict points, global const real *restrict sizes,
                          global real *restrict out, wide num_points, wide first_point, uint num,
                          uint items)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    const size_t point = WIDE(first_point) + g, at = point * CLSP_COORDS;
    const size_t patch = point / num;
    const real4 centre = vload4(2 * patch + 1, sizes);
    const homogeneous h = homogeneous_near(points + at, centre);
    if (point == patch * num) vstore4(centre, patch, out + WIDE(num_points) * CLSP_COORDS);
    store_coords(out + at, h.x);
    out[at + CLSP_DIM] = h.w;
}
