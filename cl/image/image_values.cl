/* Values of images at affine maps of grids, along displacement fields and at coordinates
   (docs/math.md, 18; docs/kernels.md).

   The host sets what interpolate.clh and pixel.clh ask for, and
     CLSP_FIXED  1: maps come as fixed-point numbers; 0: as reals
     CLSP_GROUP  on GPUs, the local size */
#include "interpolate.clh"

#ifndef CLSP_FIXED
#define CLSP_FIXED 1
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 64
#endif

/* GPUs: the items of a group stand TILE_X side by side, and each makes RUN points one below the
   other. CPUs: an item makes a run of points side by side. */
#define TILE_X (CLSP_GROUP < 16 ? CLSP_GROUP : 16)
#define TILE_Y (CLSP_GROUP / TILE_X)
#define RUN    4

/* Points of a launch: num_y rows of num_x from first_y on, in num_slices slices from first_slice
   on, counted through the pieces of num_z slices each; of each row those from first_x to end_x - 1.
   A piece is an image, or a channel of one where these are planar; offset: where the values of
   point begin_x of the first row begin in the output; coefficients and range: where those of the
   first piece begin. tiles_x and tiles_y of a slice: on GPUs of points; on CPUs runs of `run`
   points, and rows. */
typedef struct value_grid {
    wide offset, coefficients, range;
    uint num_x, begin_x, first_x, end_x, num_y, num_z, first_y, first_slice, num_slices;
    uint tiles_x, tiles_y, run, items;
} value_grid;

/* The coordinate along one direction: at + z o_z + y o_y + x o_x, each factor as a real, and as a
   whole number with 64 bits of fraction. */
typedef struct map_axis {
    real at, z, y, x;
    uint at_whole, at_high, at_low, z_whole, z_high, z_low;
    uint y_whole, y_high, y_low, x_whole, x_high, x_low;
} map_axis;

/* ---- coordinates ---- */

/* A coordinate on its way along a run. */
typedef struct track {
    uint whole, high, low; /* whole + (high + low / 2^32) / 2^32 */
    real at, step;
    uint step_whole, step_high, step_low;
} track;

#define FRACTION R(0x1p-32)

/* Adds n times a fixed-point number. */
IN_PLACE void add_times(track *to, uint n, uint whole, uint high, uint low)
{
    const uint p0 = n * low, p1 = mul_hi(n, low), p2 = n * high, p3 = mul_hi(n, high);
    to->low += p0;
    const uint carry = to->low < p0 ? 1u : 0u;
    to->high += p1;
    to->whole += to->high < p1 ? 1u : 0u;
    to->high += p2;
    to->whole += to->high < p2 ? 1u : 0u;
    to->high += carry;
    to->whole += to->high < carry ? 1u : 0u;
    to->whole += n * whole + p3;
}

/* Begins a run at a point of the output, along x or, on GPUs, along y. */
IN_PLACE track begin_track(map_axis m, uint z, uint y, uint x)
{
    track t = {m.at_whole, m.at_high, m.at_low, m.at, R(0.0), 0, 0, 0};
#if CLSP_FIXED
#if CLSP_DIRECTIONS == 3
    add_times(&t, z, m.z_whole, m.z_high, m.z_low);
#endif
#if CLSP_DIRECTIONS >= 2
    add_times(&t, y, m.y_whole, m.y_high, m.y_low);
#endif
    add_times(&t, x, m.x_whole, m.x_high, m.x_low);
    t.step_whole = CLSP_LANES == 1 ? m.y_whole : m.x_whole;
    t.step_high = CLSP_LANES == 1 ? m.y_high : m.x_high;
    t.step_low = CLSP_LANES == 1 ? m.y_low : m.x_low;
#else
#if CLSP_DIRECTIONS == 3
    t.at = MAD(m.z, CONVERT_REAL(z), t.at);
#endif
#if CLSP_DIRECTIONS >= 2
    t.at = MAD(m.y, CONVERT_REAL(y), t.at);
#endif
    t.at = MAD(m.x, CONVERT_REAL(x), t.at);
    t.step = CLSP_LANES == 1 ? m.y : m.x;
#endif
    return t;
}

/* Gives the coordinate of point k of a run as a whole number and the rest, and moves on.
   Fixed-point ones are rounded to multiples of 2^-28, so that what is meant to be a whole number is
   one. */
IN_PLACE bool next_coordinate(track *at, uint k, int *i, real *t)
{
#if CLSP_FIXED
    const uint rounded = at->high + 8u;
    *i = (int)(at->whole + (rounded < 8u ? 1u : 0u));
    *t = CONVERT_REAL(rounded & ~15u) * FRACTION;
    const uint before = at->low;
    at->low += at->step_low;
    const uint carry = at->low < before ? 1u : 0u;
    const uint high = at->high + at->step_high;
    at->whole += at->step_whole + (high < at->high ? 1u : 0u);
    at->high = high + carry;
    at->whole += at->high < carry ? 1u : 0u;
    return true;
#else
    return split_coordinate(MAD(at->step, CONVERT_REAL(k), at->at), i, t);
#endif
}

/* Adds a displacement to a coordinate. */
IN_PLACE bool displace(int *i, real *t, real by)
{
    const real near = fmin(fmax(by, -R(0x1p29)), R(0x1p29)), low = floor(near);
    *t += near - low;
    const bool is_over = *t >= R(1.0);
    *t -= is_over ? R(1.0) : R(0.0);
    *i += convert_int(low) + (is_over ? 1 : 0);
    return isfinite(by);
}

#if CLSP_LANES > 1 && CLSP_FIXED

/* ---- points within, on CPUs ---- */

/* Points of a run that are looked at together. */
#define CHUNK 16

/* A coordinate with 32 bits of fraction, and how it goes on, in 64 bits, which CPUs have. */
typedef struct long_track {
    long at, step;
} long_track;

/* Begins at point k of a run, rounded so that 16 steps do not lose the last bits that count. */
IN_PLACE long_track long_track_of(track t, uint pad)
{
    const long_track l = {(long)(((ulong)(t.whole + pad) << 32) + t.high) + 8,
                          (long)(((ulong)t.step_whole << 32) + t.step_high + (t.step_low >> 31))};
    return l;
}

/* Tells whether taps are within n coefficients from the first to the last of num points, and so of
   all between them. */
IN_PLACE bool stays_within(long_track t, uint num, uint n)
{
    const long a = t.at >> 32, b = (t.at + (long)(num - 1) * t.step) >> 32;
    return min(a, b) >= CLSP_ORDER / 2 && max(a, b) + CLSP_ORDER / 2 + 1 < (long)n;
}

IN_PLACE void take_coordinate(long_track *t, int *i, real *r)
{
    *i = (int)(t->at >> 32);
    *r = CONVERT_REAL((uint)t->at & ~15u) * FRACTION;
    t->at += t->step;
    first_tap(i, r);
}

/* Makes the next `num` points of a run when all their taps are within; false: they are not. */
IN_PLACE bool make_chunk(global const coefficient *plane, global const real *range,
                         global value *out, image_axes axes, track tz, track ty, track tx, uint num)
{
    long_track z = long_track_of(tz, axes.pad_z), y = long_track_of(ty, axes.pad_y);
    long_track x = long_track_of(tx, axes.pad_x);
    if (!stays_within(x, num, axes.size_x)) return false;
    if (CLSP_DIRECTIONS >= 2 && !stays_within(y, num, axes.size_y)) return false;
    if (CLSP_DIRECTIONS == 3 && !stays_within(z, num, axes.size_z)) return false;
    for (uint k = 0; k < num; k++, out += axes.channels * COMPONENTS) {
        image_point p = {0, 0, 0, R(0.0), R(0.0), R(0.0)};
        take_coordinate(&x, &p.x, &p.tx);
        if (CLSP_DIRECTIONS >= 2) take_coordinate(&y, &p.y, &p.ty);
        if (CLSP_DIRECTIONS == 3) take_coordinate(&z, &p.z, &p.tz);
        write_interior(plane, range, out, p, axes);
    }
    return true;
}

/* Moves a coordinate on by some points. */
IN_PLACE void skip_points(track *t, uint num)
{
    add_times(t, num, t->step_whole, t->step_high, t->step_low);
}

#endif

/* ---- runs ---- */

/* What a run is: its first point, how many, and the distance of their numbers. */
typedef struct value_run {
    uint slice, y, x, num, step;
} value_run;

/* Finds the run of an item; num is 0 where there is none. */
IN_PLACE value_run find_run(value_grid g)
{
    value_run r = {0, 0, 0, 0, 1};
#if CLSP_LANES == 1
    const uint group = (uint)get_group_id(0), local_id = (uint)get_local_id(0);
    const uint line = group / g.tiles_x, tile_x = group - line * g.tiles_x;
    r.slice = g.num_slices > 1 ? line / g.tiles_y : 0;
    const uint ly = local_id / TILE_X;
    r.x = g.first_x + tile_x * TILE_X + local_id - ly * TILE_X;
    r.y = ((line - r.slice * g.tiles_y) * TILE_Y + ly) * RUN;
    r.step = g.num_x;
    if (r.slice < g.num_slices && r.x < g.end_x && r.y < g.num_y)
        r.num = min((uint)RUN, g.num_y - r.y);
#else
    const uint item = (uint)get_global_id(0);
    if (item >= g.items) return r;
    const uint line = item / g.tiles_x;
    r.slice = line / g.tiles_y;
    r.x = g.first_x + (item - line * g.tiles_x) * g.run;
    r.y = line - r.slice * g.tiles_y;
    r.num = min(g.run, g.end_x - r.x);
#endif
    return r;
}

/* Makes the values of a run. fields: of the displacements of the launch's first row on, x's last;
   of less directions than three the first ones are not looked at. */
IN_PLACE void make_run(global const coefficient *coefficients, global const real *range,
                       global value *out, global const real *field_z, global const real *field_y,
                       global const real *field_x, image_axes axes, value_grid g, map_axis mz,
                       map_axis my, map_axis mx, bool has_field)
{
    const value_run r = find_run(g);
    if (r.num == 0) return;

    const uint slice = g.first_slice + r.slice, piece = slice / g.num_z;
    const uint z = slice - piece * g.num_z, y = g.first_y + r.y;
    const size_t plane_size = (size_t)axes.num_z * axes.num_y * axes.num_x;
    size_t at = ((size_t)r.slice * g.num_y + r.y) * g.num_x + (r.x - g.begin_x);
#if CLSP_FIXED || CLSP_LANES == 1
    const uint skip = 0;
#else
    const uint skip = r.x - r.x / g.run * g.run; /* reals round: runs that begin within another one
                                                    count from where that begins */
#endif
    const uint x = r.x - skip;
    track tz = begin_track(mz, z, y, x), ty = begin_track(my, z, y, x);
    track tx = begin_track(mx, z, y, x);

    coefficients += WIDE(g.coefficients) + (size_t)piece * axes.channels * plane_size;
    range += WIDE(g.range) + (size_t)piece * axes.channels * 2;
    out += WIDE(g.offset);
    for (uint k = 0; k < r.num; k++, at += r.step) {
#if CLSP_LANES > 1 && CLSP_FIXED
        const uint num = min((uint)CHUNK, r.num - k);
        if (!has_field && k % CHUNK == 0 &&
            make_chunk(coefficients, range, out + at * (axes.channels * COMPONENTS), axes, tz, ty,
                       tx, num)) {
            skip_points(&tx, num);
            skip_points(&ty, num);
            skip_points(&tz, num);
            k += num - 1;
            at += num - 1;
            continue;
        }
#endif
        image_point p = {0, 0, 0, R(0.0), R(0.0), R(0.0)};
#if CLSP_LANES == 1 && !CLSP_FIXED
        const uint n = 0; /* and each row from itself */
        if (CLSP_DIRECTIONS == 3) tz = begin_track(mz, z, y + k, x);
        if (CLSP_DIRECTIONS >= 2) ty = begin_track(my, z, y + k, x);
        tx = begin_track(mx, z, y + k, x);
#else
        const uint n = k + skip;
#endif
        bool is_finite = next_coordinate(&tx, n, &p.x, &p.tx);
        if (CLSP_DIRECTIONS >= 2) is_finite = next_coordinate(&ty, n, &p.y, &p.ty) && is_finite;
        if (CLSP_DIRECTIONS == 3) is_finite = next_coordinate(&tz, n, &p.z, &p.tz) && is_finite;
        if (has_field) {
            is_finite = displace(&p.x, &p.tx, field_x[at]) && is_finite;
            if (CLSP_DIRECTIONS >= 2) is_finite = displace(&p.y, &p.ty, field_y[at]) && is_finite;
            if (CLSP_DIRECTIONS == 3) is_finite = displace(&p.z, &p.tz, field_z[at]) && is_finite;
        }
        write_values(coefficients, range, out + at * (axes.channels * COMPONENTS), p, is_finite,
                     axes);
    }
}

/* ---- kernels ---- */

/* Makes values at an affine map. range: [planes][2], where values are clipped. */
kernel void values_on_map(global const coefficient *restrict coefficients,
                          global const real *restrict range, global value *restrict out,
                          image_axes axes, value_grid grid, map_axis map_z, map_axis map_y,
                          map_axis map_x)
{
    make_run(coefficients, range, out, range, range, range, axes, grid, map_z, map_y, map_x, false);
}

/* Where the displacements of a launch's first row begin. */
typedef struct field_begin {
    wide z, y, x;
} field_begin;

/* Makes values along a displacement field, whose rows begin with the launch's first one. */
kernel void values_displaced(global const coefficient *restrict coefficients,
                             global const real *restrict range, global value *restrict out,
                             global const real *field_z, global const real *field_y,
                             global const real *field_x, image_axes axes, value_grid grid,
                             map_axis map_z, map_axis map_y, map_axis map_x, field_begin begin)
{
    make_run(coefficients, range, out, field_z + WIDE(begin.z), field_y + WIDE(begin.y),
             field_x + WIDE(begin.x), axes, grid, map_z, map_y, map_x, true);
}

/* Points of a launch, `run` an item, and where their coordinates and their values begin. */
typedef struct value_points {
    wide offset, coefficients, range, first_z, first_y, first_x;
    uint num, run, items;
} value_points;

/* Makes values at coordinates. */
kernel void values_at_points(global const coefficient *restrict coefficients,
                             global const real *restrict range, global value *restrict out,
                             global const real *at_z, global const real *at_y,
                             global const real *at_x, image_axes axes, value_points points)
{
    const uint item = (uint)get_global_id(0);
    if (item >= points.items) return;

    const uint begin = item * points.run, end = min(begin + points.run, points.num);
    coefficients += WIDE(points.coefficients);
    range += WIDE(points.range);
    out += WIDE(points.offset);
    at_z += WIDE(points.first_z);
    at_y += WIDE(points.first_y);
    at_x += WIDE(points.first_x);
    for (uint k = begin; k < end; k++) {
        image_point p = {0, 0, 0, R(0.0), R(0.0), R(0.0)};
        bool is_finite = split_coordinate(at_x[k], &p.x, &p.tx);
        if (CLSP_DIRECTIONS >= 2) is_finite = split_coordinate(at_y[k], &p.y, &p.ty) && is_finite;
        if (CLSP_DIRECTIONS == 3) is_finite = split_coordinate(at_z[k], &p.z, &p.tz) && is_finite;
        write_values(coefficients, range, out + (size_t)k * (axes.channels * COMPONENTS), p,
                     is_finite, axes);
    }
}
