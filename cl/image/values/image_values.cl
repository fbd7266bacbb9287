/* Values of images at affine maps of grids, along displacement fields and at coordinates
   (docs/math.md, 18).

   The host sets what map_points.clh and pixel.clh ask for, and
     CLSP_GROUP   the local size
     CLSP_STRIDE  reals from one point's coordinate to the next one's, of values_at_points
     CLSP_PLACES  the only kernel to be compiled: on a map (0), displaced (1), at points (2); all
                  three without

   Weights are made once for all channels. Points whose taps are all within load rows of taps as
   vectors; others fold each index. The items of a group of 128 make a tile of 32 x 32 points, each
   eight below each other, four at a time, whose loads are under way together. Points of volumes are
   made one by one. With a window all that decides about coordinates stays that of the whole image,
   so that bits do not change. */
#include "interpolate.clh"

#ifndef CLSP_GROUP
#define CLSP_GROUP 64
#endif
#ifndef CLSP_STRIDE
#define CLSP_STRIDE 1
#endif

/* The items of a group stand TILE_X side by side and TILE_Y below each other, and each makes RUN
   points, TILE_Y below each other: neighbours make neighbouring points at a time. */
#define TILE_X (CLSP_GROUP < VALUE_TILE ? CLSP_GROUP : VALUE_TILE)
#define TILE_Y (CLSP_GROUP / TILE_X)
#define RUN    VALUE_RUN

#include "map_points.clh"

/* ---- points within ---- */

/* Points that are made at once: one where it has many taps, two where four have more sums than
   registers hold. */
#ifndef POINTS
#define HAS_MANY_SUMS (CLSP_REAL == 64 && COMPONENTS > 1)
#define POINTS        (HAS_MANY_TAPS ? 1 : HAS_MANY_SUMS ? 2 : 4)
#endif
#if POINTS == 1
#define EACH_NAME      p0
#define EACH_POINT(DO) DO(0)
#elif POINTS == 2
#define EACH_NAME      p0, p1
#define EACH_POINT(DO) DO(0) DO(1)
#else
#define EACH_NAME      p0, p1, p2, p3
#define EACH_POINT(DO) DO(0) DO(1) DO(2) DO(3)
#endif

/* Makes the next POINTS points of a run when all taps of the first and of the last one are within,
   and with a field those of all: coordinates go straight on. False: they are not. Values are stored
   when all are made, so that the loads of many points are under way together. */
IN_PLACE bool make_some(global const coefficient *plane, global const real *range,
                        global value *out, const image_axes *axes, tracks *t,
                        const field_rows *field, uint first, size_t at, uint step)
{
    const size_t plane_size = (size_t)axes->num_z * axes->num_y * axes->num_x;
    const uint point = axes->channels * COMPONENTS;
    image_point EACH_NAME;
    bool is_within = true;
#define FIND(k)                                                                                    \
    is_within = next_point(&p##k, t, first + k, field, at + k * step) && is_within;                \
    begin_taps(&p##k, axes);                                                                       \
    if (field->is_there || k == 0 || k == POINTS - 1)                                              \
        is_within = is_interior(&p##k, axes) && is_within;
    EACH_POINT(FIND)
    if (!is_within) return false;

    out += at * point;
    const uint distance = step * point;
    for (uint c = 0; c < axes->channels; c++, plane += plane_size, out += COMPONENTS) {
#define SUM(k)         const image_sums s##k = sum_taps(plane, &p##k, axes, true);
#define STORE_POINT(k) store_sums(out + k * distance, s##k, range + 2 * c);
        EACH_POINT(SUM)
        EACH_POINT(STORE_POINT)
    }
    return true;
}

/* ---- runs ---- */

/* Makes points k to end - 1 of a run one by one; at: the number of the first one. */
IN_PLACE void make_each(global const coefficient *coefficients, global const real *range,
                        global value *out, const field_rows *field, const image_axes *axes,
                        tracks *t, const value_run *r, uint k, uint end, size_t at)
{
    for (; k < end; k++, at += r->step) {
        image_point p;
        const bool is_finite = next_point(&p, t, k, field, at);
        write_values(coefficients, range, out + at * (axes->channels * COMPONENTS), p, is_finite,
                     axes);
    }
}

/* Makes the values of a run, whose first point is point `at` of the launch, POINTS at a time where
   that can be. (All items count the same way: Intel's compiler for CPUs, asked for the shape of
   GPUs, leaves points out where items of a vector do not.) */
IN_PLACE void make_run(global const coefficient *coefficients, global const real *range,
                       global value *out, const field_rows *field, const image_axes *axes,
                       tracks *t, const value_run *r, size_t at)
{
    for (uint k = 0; k < r->num; k += POINTS, at += (size_t)POINTS * r->step) {
        const uint end = min(k + POINTS, r->num);
#if POINTS > 1
        tracks next = *t;
        if (end - k == POINTS &&
            make_some(coefficients, range, out, axes, &next, field, k, at, r->step)) {
            *t = next;
            continue;
        }
#endif
        make_each(coefficients, range, out, field, axes, t, r, k, end, at);
    }
}

/* Makes the values of an item. */
IN_PLACE void make_values(global const coefficient *coefficients, global const real *range,
                          global value *out, const field_rows *field, const image_axes *axes,
                          const value_grid *g, const map_axis *mz, const map_axis *my,
                          const map_axis *mx)
{
    const value_run r = find_run(g);
    if (r.num == 0) return;

    const uint slice = g->first_slice + r.slice, piece = g->num_z > 1 ? slice / g->num_z : slice;
    const uint z = slice - piece * g->num_z, y = g->first_y + r.y;
    const size_t plane_size = (size_t)axes->num_z * axes->num_y * axes->num_x;
    const size_t at = ((size_t)r.slice * g->num_y + r.y) * g->num_x + (r.x - g->begin_x);

    coefficients += WIDE(g->coefficients) + (size_t)piece * axes->channels * plane_size;
    range += WIDE(g->range) + (size_t)piece * axes->channels * 2;
    out += WIDE(g->offset);
    tracks t;
    begin_tracks(&t, mz, my, mx, g->origin_z + z, g->origin_y + y, g->origin_x + r.x);
    make_run(coefficients, range, out, field, axes, &t, &r, at);
}

/* ---- kernels ---- */

#ifdef CLSP_PLACES
#define ARE_MADE(places) (CLSP_PLACES == (places))
#else
#define ARE_MADE(places) 1
#endif

#if ARE_MADE(0)
/* Makes values at an affine map. range: [planes][2], where values are clipped. */
kernel void values_on_map(global const coefficient *restrict coefficients,
                          global const real *restrict range, global value *restrict out,
                          image_axes axes, value_grid grid, map_axis map_z, map_axis map_y,
                          map_axis map_x)
{
    const field_rows none = {range, range, range, false};
    make_values(coefficients, range, out, &none, &axes, &grid, &map_z, &map_y, &map_x);
}
#endif

#if ARE_MADE(1)
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
    make_values(coefficients, range, out, &field, &axes, &grid, &map_z, &map_y, &map_x);
}
#endif

#if ARE_MADE(2)
/* Points of a launch, an item each, and where their coordinates and their values begin. */
typedef struct value_points {
    wide offset, coefficients, range, first_z, first_y, first_x;
    uint items;
} value_points;

/* Makes values at coordinates. */
kernel void values_at_points(global const coefficient *restrict coefficients,
                             global const real *restrict range, global value *restrict out,
                             global const real *at_z, global const real *at_y,
                             global const real *at_x, image_axes axes, value_points points)
{
    const uint item = (uint)get_global_id(0);
    if (item >= points.items) return;

    const size_t at = (size_t)item * CLSP_STRIDE;
    image_point p = point_zero();
    bool is_finite = split_coordinate(at_x[WIDE(points.first_x) + at], &p.x, &p.tx);
    if (CLSP_DIRECTIONS >= 2)
        is_finite = split_coordinate(at_y[WIDE(points.first_y) + at], &p.y, &p.ty) && is_finite;
    if (CLSP_DIRECTIONS == 3)
        is_finite = split_coordinate(at_z[WIDE(points.first_z) + at], &p.z, &p.tz) && is_finite;
    write_values(coefficients + WIDE(points.coefficients), range + WIDE(points.range),
                 out + WIDE(points.offset) + (size_t)item * (axes.channels * COMPONENTS), p,
                 is_finite, &axes);
}
#endif
