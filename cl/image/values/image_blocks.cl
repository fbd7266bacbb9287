/* Values of images of two directions at affine maps, by taps that a group of items has loaded into
   local memory before, for GPUs. All taps of a tile of points lie in one block of coefficients;
   beyond the edges it is continued as the modes say, so that no point of the tile has to look where
   its taps are. Memory holds all coefficients, or a box of them.

   The host sets what map_points.clh and pixel.clh ask for, CLSP_DIRECTIONS 2, CLSP_FIXED 1,
   CLSP_WINDOW 0 and CLSP_GROUP BLOCK_GROUP, and chooses no mode MODE_WRAP.

   It is for single precision, orders from 2 and modes other than wrap, without displacements or
   windows: a tile of 32 x 32 points, a block of at most 56 x 56 coefficients, one channel at a
   time. Every tap is at a fixed distance from one address; items that work together have 8 x 4
   points, whose taps share banks the least. Coordinates and sums are those of image_values.cl, and
   the bits. */
#define LOCAL_TAPS 1
#define TILE_X     VALUE_TILE
#define TILE       TILE_X
#ifndef CLSP_GROUP
#define CLSP_GROUP BLOCK_GROUP
#endif
#define TILE_Y (CLSP_GROUP / TILE)
#define RUN    (TILE / TILE_Y)
#include "map_points.clh"

/* Rows and columns that a block has at most. Items that read at the same time have 8 x 4 points,
   whose taps share the fewest banks with such a pitch. */
#define PITCH    BLOCK_SIDE
#define NUM_ROWS BLOCK_SIDE

/* The block of a tile: how many rows and columns, and where its first tap is, counted from the
   coordinate of the tile's first point, in whole numbers and in 2^-32. Rows are a multiple of
   2 TILE_Y and columns at least TILE: what is loaded without a question. */
typedef struct tap_block {
    uint rows, columns;
    uint y_whole, y_high, x_whole, x_high;
} tap_block;

/* Returns the index of a block's first tap along a direction, whose distance from a point is given.
 */
IN_PLACE int first_of(const track *point, uint whole, uint high)
{
    return (int)(point->whole + whole + (point->high + high < high ? 1u : 0u));
}

/* Loads a block whose first tap is y, x. is_within: memory holds all of it. */
IN_PLACE void load_block(local real *taps, global const coefficient *plane, const image_axes *axes,
                         const tap_block *block, int y, int x, bool is_within)
{
    const uint column = (uint)get_local_id(0) % TILE, row = (uint)get_local_id(0) / TILE;
    taps += row * PITCH + column;
    if (is_within) {
        const bool has_second = column + TILE < block->columns;
        const size_t stride = (size_t)TILE_Y * axes->num_x;
        plane += (size_t)((uint)(y - axes->low_y) + row) * axes->num_x +
                 ((uint)(x - axes->low_x) + column);
        for (uint k = 0; k < block->rows; k += 2 * TILE_Y) {
            const real a = LOAD_COEFFICIENT(plane), b = LOAD_COEFFICIENT(plane + stride);
            if (has_second) {
                const real c = LOAD_COEFFICIENT(plane + TILE);
                const real d = LOAD_COEFFICIENT(plane + stride + TILE);
                taps[TILE] = c;
                taps[TILE_Y * PITCH + TILE] = d;
            }
            taps[0] = a;
            taps[TILE_Y * PITCH] = b;
            plane += 2 * stride;
            taps += 2 * TILE_Y * PITCH;
        }
        return;
    }
    for (uint j = 0; column + j < block->columns; j += TILE) {
        const int at_x = index_of(x + (int)(column + j), (int)axes->size_x, axes->mode_x);
        for (uint k = 0; row + k < block->rows; k += TILE_Y) {
            const int at_y = index_of(y + (int)(row + k), (int)axes->size_y, axes->mode_y);
            const bool is_constant = at_y == NO_INDEX || at_x == NO_INDEX;
            const uint place_y = (uint)(at_y - axes->low_y), place_x = (uint)(at_x - axes->low_x);
            const bool is_held = place_y < axes->num_y && place_x < axes->num_x;
            const size_t at = is_held ? (size_t)place_y * axes->num_x + place_x : 0;
            const real loaded = LOAD_COEFFICIENT(plane + at);
            taps[k * PITCH + j] = is_constant ? axes->cval : is_held ? loaded : REAL_NAN;
        }
    }
}

/* Tells whether the constant stands at a point, counted from y and x, instead of the spline. */
IN_PLACE bool has_constant(const image_point *p, const image_axes *axes, int y, int x)
{
    return (axes->mode_y == MODE_CONSTANT && is_beyond(y + p->y, p->ty, (int)axes->size_y)) ||
           (axes->mode_x == MODE_CONSTANT && is_beyond(x + p->x, p->tx, (int)axes->size_x));
}

/* Puts the constant where it stands, into points that have been made. */
IN_PLACE void put_constant(global const real *range, global value *to, const image_axes *axes,
                           const tracks *begin, uint num, size_t step, int y, int x)
{
    const field_rows none = {range, range, range, false};
    tracks t = *begin;
    const image_sums outside = sums_of_value(axes->cval);
    for (uint k = 0; k < num; k++, to += step) {
        image_point p;
        next_point(&p, &t, k, &none, 0);
        if (has_constant(&p, axes, y, x)) store_sums(to, outside, range);
    }
}

/* Makes values at an affine map. range: [planes][2], where values are clipped. */
kernel __attribute__((reqd_work_group_size(CLSP_GROUP, 1, 1))) void
values_of_blocks(global const coefficient *restrict coefficients, global const real *restrict range,
                 global value *restrict out, image_axes axes, value_grid grid, map_axis map_y,
                 map_axis map_x, tap_block block)
{
    local real taps[NUM_ROWS * PITCH];
    const grid_tile tile = find_tile(&grid, TILE);
    const size_t plane_size = (size_t)axes.num_y * axes.num_x;
    const uint point = axes.channels * COMPONENTS;
    const size_t step = (size_t)(grid.num_x * TILE_Y) * point;
    const field_rows none = {range, range, range, false};

    track first_y, first_x;
    const uint row = grid.origin_y + grid.first_y; /* the launch's first one */
    begin_track(&first_y, &map_y, 0, row + tile.y, grid.origin_x + tile.x);
    begin_track(&first_x, &map_x, 0, row + tile.y, grid.origin_x + tile.x);
    const int block_y = first_of(&first_y, block.y_whole, block.y_high);
    const int block_x = first_of(&first_x, block.x_whole, block.x_high);
    const bool is_within = block_y >= axes.low_y && block_x >= axes.low_x &&
                           block_y + (int)block.rows <= axes.low_y + (int)axes.num_y &&
                           block_x + (int)block.columns <= axes.low_x + (int)axes.num_x;
    const bool may_be_constant =
        !is_within && (axes.mode_y == MODE_CONSTANT || axes.mode_x == MODE_CONSTANT);

    /* blocks of 8 x 4 points, four side by side */
    const uint lid = (uint)get_local_id(0);
    const uint x = tile.x + lid / 32 % 4 * 8 + lid % 8, y = tile.y + lid / 128 * 4 + lid / 8 % 4;
    const bool is_there = x < grid.end_x && y < grid.num_y;
    const uint num = is_there ? min((uint)RUN, (grid.num_y - y + TILE_Y - 1) / TILE_Y) : 0;
    tracks begin;
    begin_tracks(&begin, &map_y, &map_y, &map_x, 0, row + y, grid.origin_x + x);
    begin.y.whole += axes.pad_y - (uint)block_y;
    begin.x.whole += axes.pad_x - (uint)block_x;
    image_axes within = axes; /* of the block */
    within.pad_y = within.pad_x = 0;
    within.num_x = PITCH;

    coefficients += WIDE(grid.coefficients) + (size_t)tile.slice * axes.channels * plane_size;
    range += WIDE(grid.range) + (size_t)tile.slice * axes.channels * 2;
    out += WIDE(grid.offset) +
           (((size_t)tile.slice * grid.num_y + y) * grid.num_x + (x - grid.begin_x)) * point;
    for (uint c = 0; c < axes.channels; c++, coefficients += plane_size) {
        load_block(taps, coefficients, &axes, &block, block_y, block_x, is_within);
        barrier(CLK_LOCAL_MEM_FENCE);
        tracks t = begin;
        global value *to = out + c * COMPONENTS;
#pragma unroll 2
        for (uint k = 0; k < num; k++, to += step) {
            image_point p;
            next_point(&p, &t, k, &none, 0);
            begin_taps(&p, &within);
            store_sums(to, sum_taps(taps, &p, &within, true), range + 2 * c);
        }
        if (may_be_constant)
            put_constant(range + 2 * c, out + c * COMPONENTS, &axes, &begin, num, step, block_y,
                         block_x);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
