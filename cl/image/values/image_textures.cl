/* Values of images at affine maps through image objects (docs/kernels.md), of order 3 in single
   precision. Points whose taps are not all within go by way of the buffer, in all modes.

   The host sets what interpolate.clh and pixel.clh ask for, and
     CLSP_LERPS  1: a fetch makes a linear interpolation along each direction; 0: it is a
   coefficient CLSP_GROUP  the local size */
#include "interpolate.clh"

#ifndef CLSP_LERPS
#define CLSP_LERPS 0
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 64
#endif

/* The points of a group: as near to a square as it goes. */
#define TILE_X (CLSP_GROUP < 16 ? CLSP_GROUP : 16)
#define TILE_Y (CLSP_GROUP / TILE_X)

/* Points of a launch: num_y rows of num_x from first_y on, of slice z, and of each row those from
   first_x to end_x - 1; offset: where the values of point begin_x of the first row begin. tiles_x:
   groups side by side. coefficients, range: where those of the piece begin. first_y and z are
   those of the larger output that there may be, in which columns are origin_x further. */
typedef struct texture_grid {
    wide offset, coefficients, range;
    uint num_x, begin_x, first_x, end_x, num_y, first_y, z, origin_x, tiles_x, items;
} texture_grid;

/* A coordinate at + z o_z + y o_y + x o_x: whole numbers and 32 bits of fraction in 64 bits, and 32
   bits more. */
typedef struct texture_axis {
    wide at, z, y, x;
    uint at_low, z_low, y_low, x_low;
} texture_axis;

#define LONG_OF(halves) ((ulong)(halves).s1 << 32 | (halves).s0)

constant sampler_t texels =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t lerps =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

/* Gives the coordinate of a point, to which the host has added half of 2^-28, cut off to multiples
   of that. */
IN_PLACE void find_coordinate(texture_axis m, uint z, uint y, uint x, int *i, real *t)
{
    const ulong low =
        (ulong)m.at_low + (ulong)z * m.z_low + (ulong)y * m.y_low + (ulong)x * m.x_low;
    const ulong at =
        LONG_OF(m.at) + z * LONG_OF(m.z) + y * LONG_OF(m.y) + x * LONG_OF(m.x) + (low >> 32);
    *i = (int)(uint)(at >> 32);
    *t = CONVERT_REAL((uint)at & ~15u) * R(0x1p-32);
}

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

#define TEXEL_2D(u, v)    read_imagef(texture, texels, (int2)(u, v)).x
#define TEXEL_3D(u, v, w) read_imagef(texture, texels, (int4)(u, v, w, 0)).x
#define LERP_2D(u, v)     read_imagef(texture, lerps, (real2)(u, v)).x
#define LERP_3D(u, v, w)  read_imagef(texture, lerps, (real4)(u, v, w, R(0.0))).x

/* Sums the taps of a row from texel x on. */
#define SUM_ROW(FETCH)                                                                             \
    MAD(wx.s3, FETCH(3), MAD(wx.s2, FETCH(2), MAD(wx.s1, FETCH(1), wx.s0 *FETCH(0))))

/* Makes the value of an image at a point whose taps are all within. */
IN_PLACE real image_value(read_only image2d_t texture, image_point p, const image_axes *axes)
{
#if CLSP_LERPS
    const tap_pairs x = pairs_of(p.x, p.tx, axes->low_x), y = pairs_of(p.y, p.ty, axes->low_y);
    return MAD(
        y.high, MAD(x.high, LERP_2D(x.at_high, y.at_high), x.low * LERP_2D(x.at_low, y.at_high)),
        y.low * MAD(x.high, LERP_2D(x.at_high, y.at_low), x.low * LERP_2D(x.at_low, y.at_low)));
#else
    const row wx = weights_at(p.tx), wy = weights_at(p.ty);
    real sum = R(0.0);
    const int at_y = PLACE_OF(p.y, axes, y), at_x = PLACE_OF(p.x, axes, x);
#define ROW_TEXEL_0(k)   TEXEL_2D(at_x + k, at_y)
#define ROW_TEXEL_1(k)   TEXEL_2D(at_x + k, at_y + 1)
#define ROW_TEXEL_2(k)   TEXEL_2D(at_x + k, at_y + 2)
#define ROW_TEXEL_3(k)   TEXEL_2D(at_x + k, at_y + 3)
#define ADD_TEXELS(k, c) sum = MAD(wy.c, SUM_ROW(ROW_TEXEL_##k), sum);
    EACH_TAP(ADD_TEXELS)
    return sum;
#endif
}

/* Makes that of a volume. */
IN_PLACE real volume_value(read_only image3d_t texture, image_point p, const image_axes *axes)
{
#if CLSP_LERPS
    const tap_pairs x = pairs_of(p.x, p.tx, axes->low_x), y = pairs_of(p.y, p.ty, axes->low_y);
    const tap_pairs z = pairs_of(p.z, p.tz, axes->low_z);
#define LERP_ROW(v, w) MAD(x.high, LERP_3D(x.at_high, v, w), x.low *LERP_3D(x.at_low, v, w))
#define LERP_SLICE(w)  MAD(y.high, LERP_ROW(y.at_high, w), y.low *LERP_ROW(y.at_low, w))
    return MAD(z.high, LERP_SLICE(z.at_high), z.low * LERP_SLICE(z.at_low));
#else
    const row wx = weights_at(p.tx), wy = weights_at(p.ty), wz = weights_at(p.tz);
    const int at_z = PLACE_OF(p.z, axes, z), at_y = PLACE_OF(p.y, axes, y);
    const int at_x = PLACE_OF(p.x, axes, x);
    real sum = R(0.0);
    UNROLL
    for (int k = 0; k < 4; k++) {
        const real weight = k == 0 ? wz.s0 : k == 1 ? wz.s1 : k == 2 ? wz.s2 : wz.s3;
        real slice = R(0.0);
#define SLICE_TEXEL_0(j)    TEXEL_3D(at_x + j, at_y, at_z + k)
#define SLICE_TEXEL_1(j)    TEXEL_3D(at_x + j, at_y + 1, at_z + k)
#define SLICE_TEXEL_2(j)    TEXEL_3D(at_x + j, at_y + 2, at_z + k)
#define SLICE_TEXEL_3(j)    TEXEL_3D(at_x + j, at_y + 3, at_z + k)
#define ADD_SLICE_ROW(j, c) slice = MAD(wy.c, SUM_ROW(SLICE_TEXEL_##j), slice);
        EACH_TAP(ADD_SLICE_ROW)
        sum = MAD(weight, slice, sum);
    }
    return sum;
#endif
}

/* Finds the point of an item; false: it has none. */
IN_PLACE bool find_item(texture_grid g, uint *x, uint *y)
{
    const uint group = (uint)get_group_id(0), lid = (uint)get_local_id(0), line = group / g.tiles_x;
    const uint ly = lid / TILE_X;
    *x = g.first_x + (group - line * g.tiles_x) * TILE_X + (lid - ly * TILE_X);
    *y = line * TILE_Y + ly;
    return *x < g.end_x && *y < g.num_y;
}

/* What the kernels have in common: `FETCH` makes the value of a point within. */
#define MAKE_POINT(FETCH)                                                                          \
    uint x, y;                                                                                     \
    if (!find_item(grid, &x, &y)) return;                                                          \
    image_point p = point_zero();                                                                  \
    const uint row = grid.first_y + y, column = grid.origin_x + x;                                 \
    find_coordinate(map_z, grid.z, row, column, &p.z, &p.tz);                                      \
    find_coordinate(map_y, grid.z, row, column, &p.y, &p.ty);                                      \
    find_coordinate(map_x, grid.z, row, column, &p.x, &p.tx);                                      \
    out += WIDE(grid.offset) + (size_t)y * grid.num_x + (x - grid.begin_x);                        \
    image_point taps = p;                                                                          \
    if (find_point(&taps, &axes) && is_interior(&taps, &axes)) {                                   \
        const image_sums sums = sums_of_value(FETCH(texture, taps, &axes));                        \
        store_sums(out, sums, range + WIDE(grid.range));                                           \
    } else {                                                                                       \
        write_values(coefficients + WIDE(grid.coefficients), range + WIDE(grid.range), out, p,     \
                     true, &axes);                                                                 \
    }

/* Makes the values of an image at an affine map. */
kernel void textured_image(read_only image2d_t texture,
                           global const coefficient *restrict coefficients,
                           global const real *restrict range, global value *restrict out,
                           image_axes axes, texture_grid grid, texture_axis map_z,
                           texture_axis map_y, texture_axis map_x){MAKE_POINT(image_value)}

/* Makes the values of a volume at an affine map. */
kernel void textured_volume(read_only image3d_t texture,
                            global const coefficient *restrict coefficients,
                            global const real *restrict range, global value *restrict out,
                            image_axes axes, texture_grid grid, texture_axis map_z,
                            texture_axis map_y, texture_axis map_x)
{
    MAKE_POINT(volume_value)
}
