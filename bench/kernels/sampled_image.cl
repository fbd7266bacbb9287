/* An image at the places of a map, by the device's own sampler: linear or nearest, as in the first
   rows of table 3 of Champagnat and Le Sant, Efficient cubic B-spline image interpolation on a GPU,
   2012. */
#include "../../cl/rules/real.clh"

/* map: y and x of the image as sums of those of the result and 1, rows of 3. Item g: value g of the
   result, whose rows have `width`. */
kernel void sampled_image(uint first, uint end, read_only image2d_t image, sampler_t how, real8 map,
                          uint width, global real *restrict out)
{
    const uint g = first + (uint)get_global_id(0);
    if (g >= end) return;

    const uint row = g / width;
    const real y = (real)row, x = (real)(g - row * width), middle = R(0.5);
    const real at_y = map.s0 * y + map.s1 * x + map.s2, at_x = map.s3 * y + map.s4 * x + map.s5;
    out[g] = read_imagef(image, how, (real2)(at_x + middle, at_y + middle)).s0;
}
