/* Values of images at affine maps through image objects, of order 3 in single precision. Points
   whose taps are not all within go by way of the buffer, in all modes.

   The host sets what interpolate.clh and pixel.clh ask for, and
     CLSP_LERPS  1: a fetch makes a linear interpolation along each direction; 0: a coefficient
     CLSP_GROUP  the local size

   Texels are 16 or 64 fetches a point. Lerps have each pair of taps with weights v, w as one fetch
   at w / (v + w) between them, times v + w: 4 or 8 fetches. Of a part of an image a place is found,
   and rounded, as that of the whole. */
#ifndef CLSP_GROUP
#define CLSP_GROUP 64
#endif

/* The points of a group: as near to a square as it goes. */
#define TILE_X (CLSP_GROUP < TEXTURE_TILE ? CLSP_GROUP : TEXTURE_TILE)
#define TILE_Y (CLSP_GROUP / TILE_X)
#define RUN    1
#include "map_points.clh"

#ifndef CLSP_LERPS
#define CLSP_LERPS 0
#endif

constant sampler_t texels =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t lerps =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

/* The two places along a direction where a fetch makes a pair of taps, and the pairs' weights. The
   image object has the coefficients from `low` on. */
typedef struct tap_pairs {
    real at_low, at_high, low, high;
} tap_pairs;

IN_PLACE tap_pairs pairs_of(int i, real t, int low)
{
    const row w = weights_at(t);
    const real begin = CONVERT_REAL(i) + R(0.5);
    tap_pairs p = {R(0.0), R(0.0), w.s0 + w.s1, w.s2 + w.s3};
    p.at_low = begin + w.s1 / p.low;
    p.at_high = begin + R(2.0) + w.s3 / p.high;
#if CLSP_WINDOW /* behind the rounding, which is that of all coefficients */
    p.at_low -= CONVERT_REAL(low);
    p.at_high -= CONVERT_REAL(low);
#endif
    return p;
}

#if CLSP_DIRECTIONS == 3
#define TEXTURE        image3d_t
#define TEXEL(u, v, w) read_imagef(texture, texels, (int4)(u, v, w, 0)).x
#define LERP(u, v, w)  read_imagef(texture, lerps, (real4)(u, v, w, R(0.0))).x
#else
#define TEXTURE        image2d_t
#define TEXEL(u, v, w) read_imagef(texture, texels, (int2)(u, v)).x
#define LERP(u, v, w)  read_imagef(texture, lerps, (real2)(u, v)).x
#endif

#if CLSP_LERPS

/* Makes the value at a point whose taps are all within. */
IN_PLACE real value_at(read_only TEXTURE texture, image_point p, const image_axes *axes)
{
    const tap_pairs x = pairs_of(p.x, p.tx, axes->low_x), y = pairs_of(p.y, p.ty, axes->low_y);
#define LERP_ROW(v, w) MAD(x.high, LERP(x.at_high, v, w), x.low *LERP(x.at_low, v, w))
#define LERP_SLICE(w)  MAD(y.high, LERP_ROW(y.at_high, w), y.low *LERP_ROW(y.at_low, w))
#if CLSP_DIRECTIONS == 3
    const tap_pairs z = pairs_of(p.z, p.tz, axes->low_z);
    return MAD(z.high, LERP_SLICE(z.at_high), z.low * LERP_SLICE(z.at_low));
#else
    return LERP_SLICE(0);
#endif
}

#else

/* Sums the taps of a slice, the first of which is y, x. */
IN_PLACE real slice_value(read_only TEXTURE texture, row wy, row wx, int z, int y, int x)
{
    real sum = R(0.0);
#define ROW_TEXEL(j, k) TEXEL(x + j, y + k, z)
#define ADD_TEXELS(k, c)                                                                           \
    sum = MAD(                                                                                     \
        wy.c,                                                                                      \
        MAD(wx.s3, ROW_TEXEL(3, k),                                                                \
            MAD(wx.s2, ROW_TEXEL(2, k), MAD(wx.s1, ROW_TEXEL(1, k), wx.s0 * ROW_TEXEL(0, k)))),    \
        sum);
    EACH_TAP(ADD_TEXELS)
    return sum;
}

/* Makes the value at a point whose taps are all within. */
IN_PLACE real value_at(read_only TEXTURE texture, image_point p, const image_axes *axes)
{
    const row wx = weights_at(p.tx), wy = weights_at(p.ty);
    const int at_y = PLACE_OF(p.y, axes, y), at_x = PLACE_OF(p.x, axes, x);
#if CLSP_DIRECTIONS == 3
    const row wz = weights_at(p.tz);
    const int at_z = PLACE_OF(p.z, axes, z);
    real sum = R(0.0);
#define ADD_SLICE(k, c) sum = MAD(wz.c, slice_value(texture, wy, wx, at_z + k, at_y, at_x), sum);
    EACH_TAP(ADD_SLICE)
    return sum;
#else
    return slice_value(texture, wy, wx, 0, at_y, at_x);
#endif
}

#endif

/* Makes values at an affine map, of points of one slice. */
kernel void textured_values(read_only TEXTURE texture,
                            global const coefficient *restrict coefficients,
                            global const real *restrict range, global value *restrict out,
                            image_axes axes, value_grid grid, map_axis map_z, map_axis map_y,
                            map_axis map_x)
{
    const value_run r = find_run(&grid);
    if (r.num == 0) return;

    const field_rows none = {range, range, range, false};
    tracks t;
    begin_tracks(&t, &map_z, &map_y, &map_x, grid.origin_z + grid.first_slice,
                 grid.origin_y + grid.first_y + r.y, grid.origin_x + r.x);
    image_point p;
    next_point(&p, &t, 0, &none, 0);
    range += WIDE(grid.range);
    out += WIDE(grid.offset) + (size_t)r.y * grid.num_x + (r.x - grid.begin_x);
    image_point taps = p;
    if (find_point(&taps, &axes) && is_interior(&taps, &axes)) {
        const image_sums sums = sums_of_value(value_at(texture, taps, &axes));
        store_sums(out, sums, range);
    } else {
        write_values(coefficients + WIDE(grid.coefficients), range, out, p, true, &axes);
    }
}
