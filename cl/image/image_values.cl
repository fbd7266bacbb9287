/* Values of images at affine maps of grids, along displacement fields and at coordinates
   (docs/math.md, 18; docs/kernels.md).

   The host sets what interpolate.clh and pixel.clh ask for, and
     CLSP_FIXED  1: maps come as fixed-point numbers; 0: as reals
     CLSP_GROUP  on GPUs, the local size */
#include "interpolate.clh"
#include "point_chunk.clh"

#ifndef CLSP_FIXED
#define CLSP_FIXED 1
#endif
#ifndef CLSP_GROUP
#define CLSP_GROUP 64
#endif

/* GPUs: the items of a group stand TILE_X side by side and TILE_Y below each other, and each makes
   RUN points, TILE_Y below each other: neighbours make neighbouring points at a time. CPUs: an item
   makes runs of points side by side, below each other. */
#ifndef TILE_X
#define TILE_X (CLSP_GROUP < 32 ? CLSP_GROUP : 32)
#endif
#define TILE_Y (CLSP_GROUP / TILE_X)
#ifndef RUN
#define RUN    8
#endif

/* Points of a launch: num_y rows of num_x from first_y on, in num_slices slices from first_slice
   on, counted through the pieces of num_z slices each; of each row those from first_x to end_x - 1.
   A piece is an image, or a channel of one where these are planar; offset: where the values of
   point begin_x of the first row begin in the output; coefficients and range: where those of the
   first piece begin. tiles_x and tiles_y of a slice: on GPUs of points; on CPUs of `rows`
   runs of `run` points, an item each. inverse: (2^32 - 1) / tiles_x. */
typedef struct value_grid {
    wide offset, coefficients, range;
    uint num_x, begin_x, first_x, end_x, num_y, num_z, first_y, first_slice, num_slices;
    uint tiles_x, tiles_y, inverse, run, rows, items;
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
    uint step_whole, step_high, step_low;
    real at, step; /* of reals: without the direction that the run is along, and along it */
    uint number;   /* along it, of the run's first point */
} track;

typedef struct tracks {
    track z, y, x;
} tracks;

#define FRACTION R(0x1p-32)

/* Adds n times a fixed-point number. */
IN_PLACE void add_times(track *to, uint n, uint whole, uint high, uint low)
{
#if CLSP_ADDRESS == 64
    const ulong p = (ulong)n * low + to->low, q = (ulong)n * high + to->high + (p >> 32);
    to->low = (uint)p;
    to->high = (uint)q;
    to->whole += n * whole + (uint)(q >> 32);
#else
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
#endif
}

/* Sets the step of a run: n times a fixed-point number. */
IN_PLACE void set_step(track *t, uint n, uint whole, uint high, uint low)
{
    track by = *t;
    by.whole = by.high = by.low = 0;
    add_times(&by, n, whole, high, low);
    t->step_whole = by.whole;
    t->step_high = by.high;
    t->step_low = by.low;
}

/* Begins a run at a point of the output, along x or, on GPUs, along y. */
IN_PLACE track begin_track(map_axis m, uint z, uint y, uint x)
{
    track t = {m.at_whole, m.at_high, m.at_low, 0, 0, 0, m.at, R(0.0), 0};
#if CLSP_FIXED
#if CLSP_DIRECTIONS == 3
    add_times(&t, z, m.z_whole, m.z_high, m.z_low);
#endif
#if CLSP_DIRECTIONS >= 2
    add_times(&t, y, m.y_whole, m.y_high, m.y_low);
#endif
    add_times(&t, x, m.x_whole, m.x_high, m.x_low);
#if CLSP_LANES == 1
    set_step(&t, TILE_Y, m.y_whole, m.y_high, m.y_low);
#else
    set_step(&t, 1, m.x_whole, m.x_high, m.x_low);
#endif
#else
#if CLSP_DIRECTIONS == 3
    t.at = MAD(m.z, CONVERT_REAL(z), t.at);
#endif
#if CLSP_LANES == 1
    t.at = MAD(m.x, CONVERT_REAL(x), t.at);
    t.step = m.y;
    t.number = y;
#else
#if CLSP_DIRECTIONS >= 2
    t.at = MAD(m.y, CONVERT_REAL(y), t.at);
#endif
    t.step = m.x;
    t.number = x;
#endif
#endif
    return t;
}

/* Begins those of all directions. */
IN_PLACE tracks begin_tracks(map_axis mz, map_axis my, map_axis mx, uint z, uint y, uint x)
{
    const tracks t = {begin_track(mz, z, y, x), begin_track(my, z, y, x), begin_track(mx, z, y, x)};
    return t;
}

/* Gives the coordinate of point k of a run as a whole number and the rest, and moves on.
   Fixed-point ones, to which the host has added half of it, are cut off to multiples of 2^-28, so
   that what is meant to be a whole number is one. */
IN_PLACE bool next_coordinate(track *at, uint k, int *i, real *t)
{
#if CLSP_FIXED
    *i = (int)at->whole;
    *t = CONVERT_REAL(at->high & ~15u) * FRACTION;
    add_times(at, 1, at->step_whole, at->step_high, at->step_low);
    return true;
#else
    const uint number = at->number + k * (CLSP_LANES == 1 ? TILE_Y : 1);
    return split_coordinate(MAD(at->step, CONVERT_REAL(number), at->at), i, t);
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

/* Displacements, of the launch's first row on, x's last; of less directions than three the first
   ones are not looked at. */
typedef struct field_rows {
    global const real *z, *y, *x;
    bool is_there;
} field_rows;

/* Finds point k of a run, whose displacement is the field's element `at`; false where it is not
   finite. */
IN_PLACE bool next_point(image_point *p, tracks *t, uint k, field_rows field, size_t at)
{
    const image_point zero = {0, 0, 0, R(0.0), R(0.0), R(0.0)};
    *p = zero;
    bool is_finite = next_coordinate(&t->x, k, &p->x, &p->tx);
    if (CLSP_DIRECTIONS >= 2) is_finite = next_coordinate(&t->y, k, &p->y, &p->ty) && is_finite;
    if (CLSP_DIRECTIONS == 3) is_finite = next_coordinate(&t->z, k, &p->z, &p->tz) && is_finite;
    if (field.is_there) {
        is_finite = displace(&p->x, &p->tx, field.x[at]) && is_finite;
        if (CLSP_DIRECTIONS >= 2) is_finite = displace(&p->y, &p->ty, field.y[at]) && is_finite;
        if (CLSP_DIRECTIONS == 3) is_finite = displace(&p->z, &p->tz, field.z[at]) && is_finite;
    }
    return is_finite;
}

#if CLSP_LANES > 1

/* ---- points within, on CPUs ---- */

/* The numbers of the points of a chunk. */
#define CHUNK_NUMBERS (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

/* Finds the coordinates of a chunk along one direction. Fixed-point ones have 32 bits of fraction
   here, with steps rounded so that 16 of them keep the bits that count. */
IN_PLACE bool chunk_of(chunk_axis *to, track t, uint k)
{
#if CLSP_FIXED
    const ulong at = ((ulong)t.whole << 32) + t.high;
    const ulong step = ((ulong)t.step_whole << 32) + t.step_high + (t.step_low >> 31);
    const ulong16 all = at + step * (ulong16)CHUNK_NUMBERS;
    to->i = convert_int16(all >> 32);
    to->t = CONVERT_REAL16(convert_uint16(all) & ~15u) * FRACTION;
    return true;
#else
    const uint16 numbers = t.number + k + (uint16)CHUNK_NUMBERS;
    return split_chunk(to, MAD((real16)(t.step), CONVERT_REAL16(numbers), (real16)(t.at)));
#endif
}

/* Finds the taps of a chunk whose coordinates are known; false where some are not within. */
IN_PLACE bool find_chunk(chunk_point *p, image_axes axes)
{
    if (!begin_chunk(&p->x, axes.pad_x, axes.size_x)) return false;
    if (CLSP_DIRECTIONS >= 2 && !begin_chunk(&p->y, axes.pad_y, axes.size_y)) return false;
    if (CLSP_DIRECTIONS == 3 && !begin_chunk(&p->z, axes.pad_z, axes.size_z)) return false;
    return true;
}

/* Makes points k .. k + 15 of a run when all their taps are within; false: they are not. */
IN_PLACE bool make_chunk(global const coefficient *plane, global const real *range,
                         global value *out, image_axes axes, const tracks *t, uint k,
                         field_rows field, size_t at)
{
    chunk_point p;
    bool is_finite = chunk_of(&p.x, t->x, k);
    if (CLSP_DIRECTIONS >= 2) is_finite = chunk_of(&p.y, t->y, k) && is_finite;
    if (CLSP_DIRECTIONS == 3) is_finite = chunk_of(&p.z, t->z, k) && is_finite;
    if (field.is_there) {
        is_finite = displace_chunk(&p.x, vload16(0, field.x + at)) && is_finite;
        if (CLSP_DIRECTIONS >= 2)
            is_finite = displace_chunk(&p.y, vload16(0, field.y + at)) && is_finite;
        if (CLSP_DIRECTIONS == 3)
            is_finite = displace_chunk(&p.z, vload16(0, field.z + at)) && is_finite;
    }
    if (!is_finite || !find_chunk(&p, axes)) return false;
    write_chunk(plane, range, out + at * (axes.channels * COMPONENTS), &p, axes);
    return true;
}

/* Moves a coordinate on by some points. */
IN_PLACE void skip_points(track *t, uint num)
{
    add_times(t, num, t->step_whole, t->step_high, t->step_low);
}

#endif

#if CLSP_LANES == 1

/* ---- points within, on GPUs ---- */

/* Points that are made at once: one where it has many taps (Intel's compiler for CPUs, asked
   for this shape, leaves some of four out), two where four have more sums than registers hold. */
#ifndef POINTS
#define HAS_MANY_SUMS (CLSP_REAL == 64 && COMPONENTS > 1)
#define HAS_MANY_TAPS (CLSP_ORDER > 3 || (CLSP_DIRECTIONS == 3 && CLSP_ORDER > 1))
#define POINTS        (HAS_MANY_TAPS ? 1 : HAS_MANY_SUMS ? 2 : 4)
#endif
#if POINTS == 1
#define EACH_NAME p0
#define EACH_POINT(DO) DO(0)
#elif POINTS == 2
#define EACH_NAME p0, p1
#define EACH_POINT(DO) DO(0) DO(1)
#else
#define EACH_NAME p0, p1, p2, p3
#define EACH_POINT(DO) DO(0) DO(1) DO(2) DO(3)
#endif

/* Makes the next POINTS points of a run when all taps of the first and of the last one are within,
   and with a field those of all: coordinates go straight on. False: they are not. Values are stored
   when all are made, so that the loads of many points are under way together. */
IN_PLACE bool make_some(global const coefficient *plane, global const real *range,
                        global value *out, image_axes axes, tracks *t, field_rows field, uint first,
                        size_t at, uint step)
{
    const size_t plane_size = (size_t)axes.num_z * axes.num_y * axes.num_x;
    const uint point = axes.channels * COMPONENTS;
    image_point EACH_NAME;
    bool is_within = true;
#define FIND(k)                                                                                    \
    is_within = next_point(&p##k, t, first + k, field, at + k * step) && is_within;                \
    begin_taps(&p##k, axes);                                                                       \
    if (field.is_there || k == 0 || k == POINTS - 1)                                               \
        is_within = is_interior(&p##k, axes) && is_within;
    EACH_POINT(FIND)
    if (!is_within) return false;

    out += at * point;
    const uint distance = step * point;
    for (uint c = 0; c < axes.channels; c++, plane += plane_size, out += COMPONENTS) {
#define SUM(k)         const image_sums s##k = sum_within(plane, &p##k, axes);
#define STORE_POINT(k) store_sums(out + k * distance, s##k, range + 2 * c);
        EACH_POINT(SUM)
        EACH_POINT(STORE_POINT)
    }
    return true;
}

#endif

/* ---- runs ---- */

/* What an item's runs are: the first one's first point, how many points, the distance of their
   numbers, and how many runs below each other. */
typedef struct value_run {
    uint slice, y, x, num, step, rows;
} value_run;

/* Divides by a number whose inverse is known. */
IN_PLACE uint divide(uint n, uint by, uint inverse)
{
    const uint low = mul_hi(n, inverse); /* at most one too few */
    return n - low * by >= by ? low + 1 : low;
}

/* Finds the runs of an item; num is 0 where there is none. */
IN_PLACE value_run find_run(value_grid g)
{
    value_run r = {0, 0, 0, 0, 1, 1};
#if CLSP_LANES == 1
    const uint group = (uint)get_group_id(0), local_id = (uint)get_local_id(0);
    const uint line = divide(group, g.tiles_x, g.inverse), tile_x = group - line * g.tiles_x;
    r.slice = g.num_slices > 1 ? line / g.tiles_y : 0;
    const uint ly = local_id / TILE_X;
    r.x = g.first_x + tile_x * TILE_X + local_id - ly * TILE_X;
    r.y = (line - r.slice * g.tiles_y) * (TILE_Y * RUN) + ly;
    r.step = g.num_x * TILE_Y;
    if (r.slice < g.num_slices && r.x < g.end_x && r.y < g.num_y)
        r.num = min((uint)RUN, (g.num_y - r.y + TILE_Y - 1) / TILE_Y);
#else
    const uint item = (uint)get_global_id(0);
    if (item >= g.items) return r;
    const uint line = item / g.tiles_x;
    r.slice = line / g.tiles_y;
    r.x = g.first_x + (item - line * g.tiles_x) * g.run;
    r.y = (line - r.slice * g.tiles_y) * g.rows;
    r.num = min(g.run, g.end_x - r.x);
    r.rows = min(g.rows, g.num_y - r.y);
#endif
    return r;
}

/* Makes the values of a run, whose first point is point `at` of the launch. */
IN_PLACE void make_run(global const coefficient *coefficients, global const real *range,
                       global value *out, field_rows field, image_axes axes, tracks t, value_run r,
                       size_t at)
{
    for (uint k = 0; k < r.num; k++, at += r.step) {
#if CLSP_LANES == 1 && POINTS > 1
        if (k % POINTS == 0 && k + POINTS <= r.num) {
            tracks next = t;
            if (make_some(coefficients, range, out, axes, &next, field, k, at, r.step)) {
                t = next;
                k += POINTS - 1;
                at += (POINTS - 1) * r.step;
                continue;
            }
        }
#endif
#if CLSP_LANES > 1
        if (k % CHUNK == 0 && k + CHUNK <= r.num &&
            make_chunk(coefficients, range, out, axes, &t, k, field, at)) {
            skip_points(&t.x, CHUNK);
            skip_points(&t.y, CHUNK);
            skip_points(&t.z, CHUNK);
            k += CHUNK - 1;
            at += CHUNK - 1;
            continue;
        }
#endif
        image_point p;
        const bool is_finite = next_point(&p, &t, k, field, at);
        write_values(coefficients, range, out + at * (axes.channels * COMPONENTS), p, is_finite,
                     axes);
    }
}

/* Makes the values of an item. */
IN_PLACE void make_values(global const coefficient *coefficients, global const real *range,
                          global value *out, field_rows field, image_axes axes, value_grid g,
                          map_axis mz, map_axis my, map_axis mx)
{
    const value_run r = find_run(g);
    if (r.num == 0) return;

    const uint slice = g.first_slice + r.slice, piece = g.num_z > 1 ? slice / g.num_z : slice;
    const uint z = slice - piece * g.num_z, y = g.first_y + r.y;
    const size_t plane_size = (size_t)axes.num_z * axes.num_y * axes.num_x;
    const size_t at = ((size_t)r.slice * g.num_y + r.y) * g.num_x + (r.x - g.begin_x);

    coefficients += WIDE(g.coefficients) + (size_t)piece * axes.channels * plane_size;
    range += WIDE(g.range) + (size_t)piece * axes.channels * 2;
    out += WIDE(g.offset);
    for (uint row = 0; row < r.rows; row++) {
        const tracks t = begin_tracks(mz, my, mx, z, y + row, r.x);
        make_run(coefficients, range, out, field, axes, t, r, at + (size_t)row * g.num_x);
    }
}

/* ---- kernels ---- */

/* Makes values at an affine map. range: [planes][2], where values are clipped. */
kernel void values_on_map(global const coefficient *restrict coefficients,
                          global const real *restrict range, global value *restrict out,
                          image_axes axes, value_grid grid, map_axis map_z, map_axis map_y,
                          map_axis map_x)
{
    const field_rows none = {range, range, range, false};
    make_values(coefficients, range, out, none, axes, grid, map_z, map_y, map_x);
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
    const field_rows field = {field_z + WIDE(begin.z), field_y + WIDE(begin.y),
                              field_x + WIDE(begin.x), true};
    make_values(coefficients, range, out, field, axes, grid, map_z, map_y, map_x);
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
        global value *const to = out + (size_t)k * (axes.channels * COMPONENTS);
#if CLSP_LANES > 1
        if (k % CHUNK == 0 && k + CHUNK <= end) {
            chunk_point near;
            bool is_near = split_chunk(&near.x, vload16(0, at_x + k));
            if (CLSP_DIRECTIONS >= 2)
                is_near = split_chunk(&near.y, vload16(0, at_y + k)) && is_near;
            if (CLSP_DIRECTIONS == 3)
                is_near = split_chunk(&near.z, vload16(0, at_z + k)) && is_near;
            if (is_near && find_chunk(&near, axes)) {
                write_chunk(coefficients, range, to, &near, axes);
                k += CHUNK - 1;
                continue;
            }
        }
#endif
        image_point p = {0, 0, 0, R(0.0), R(0.0), R(0.0)};
        bool is_finite = split_coordinate(at_x[k], &p.x, &p.tx);
        if (CLSP_DIRECTIONS >= 2) is_finite = split_coordinate(at_y[k], &p.y, &p.ty) && is_finite;
        if (CLSP_DIRECTIONS == 3) is_finite = split_coordinate(at_z[k], &p.z, &p.tz) && is_finite;
        write_values(coefficients, range, to, p, is_finite, axes);
    }
}
