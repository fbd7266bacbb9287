/* Points of cells one by one, to be compared with: an item makes a point, or CLSP_WARP of them make
   it together, each some of its terms, as in Massively parallel limit evaluation of Catmull-Clark
   solids (2022). A group has a cell, whose points it stages. Weights of regular cells are made for
   each point. Those of others are taken from tables in tiles of some points, one launch after the
   other, whose shares are added up in the output. */
#include "cell_blocks.clh"
#include "slice_shape.clh"

#ifndef CLSP_WARP
#define CLSP_WARP 1
#endif

#define SLICE_TILE 32 /* points of a slice in a tile, half as many where the slice has no more */
#define FULL_TILE  64 /* of a cell, likewise */

enum { WARPS = CLSP_GROUP / CLSP_WARP };

/* Returns the points of a tile of which there are `terms`. */
static uint tile_rows(uint terms, uint most)
{
    return terms <= most / 2 ? most / 2 : most;
}

/* Adds up what the items of each warp have in partial, [CLSP_GROUP][channels], and writes the point
   or adds it to what is there; all items of a group call it. centre: NULL where it adds. exists:
   whether the item's warp has a point. */
static void finish(global real *to, local real *partial, global const real *centre, real keep,
                   uint item, bool exists)
{
    const uint lane = item % CLSP_WARP;
    for (uint half_warp = CLSP_WARP / 2; half_warp > 0; half_warp /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_warp)
            for (uint c = 0; c < CLSP_DIM; c++)
                partial[item * CLSP_DIM + c] +=
                    partial[(item + half_warp) * CLSP_DIM + c];
    }
    if (exists && lane == 0)
        for (uint c = 0; c < CLSP_DIM; c++)
            to[c] = (centre ? keep * centre[c] : to[c]) + partial[item * CLSP_DIM + c];
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Regular cells. */
kernel void point_regular(global const real *restrict points, global const uint *restrict list,
                          global const uint *restrict blocks,
                          global const uchar *restrict patterns, ALONG const real *restrict along,
                          global real *restrict out, cell_samples at)
{
    local real staged[64 * CLSP_DIM], partial[CLSP_GROUP * CLSP_DIM];
    const uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    const cell_block b = read_block(blocks, patterns, at.record + group / BLOCK_CELLS);
    const uint j = group % BLOCK_CELLS, cell = b.cells[j], lane = item % CLSP_WARP;
    const uint samples = NUM_U(at) * NUM_V(at) * NUM_W(at), plane = NUM_V(at) * NUM_W(at);
    const bool asked = is_asked(at, cell);
    global const uchar *const places = b.places + 64 * j;
    const size_t middle = list[b.first + places[CENTRE]];
    global const real *const centre = points + middle * CLSP_DIM;
    for (uint k = item; k < 64 && asked; k += CLSP_GROUP)
        for (uint c = 0; c < CLSP_DIM; c++)
            staged[k * CLSP_DIM + c] =
                points[(size_t)list[b.first + places[k]] * CLSP_DIM + c] - centre[c];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint first = 0; first < samples; first += WARPS) {
        const uint s = min(first + item / CLSP_WARP, samples - 1);
        const bool exists = asked && first + item / CLSP_WARP < samples;
        const uint u = s / plane, vw = s - u * plane, v = vw / NUM_W(at), w = vw - v * NUM_W(at);
        ALONG const real *const by_u = along + 4 * u, *const by_v = along + 4 * (NUM_U(at) + v);
        ALONG const real *const by_w = along + 4 * (NUM_U(at) + NUM_V(at) + w);
        real sum[CLSP_DIM];
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++)
            sum[c] = R(0.0);
        for (uint k = lane; k < 64 && asked; k += CLSP_WARP) {
            const real f = by_u[k / 16] * by_v[k / 4 % 4] * by_w[k % 4];
            UNROLL
            for (uint c = 0; c < CLSP_DIM; c++)
                sum[c] = MAD(f, staged[k * CLSP_DIM + c], sum[c]);
        }
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++)
            partial[item * CLSP_DIM + c] = sum[c];
        finish(out + WIDE(at.offset) + cell_begin(at, exists ? cell : at.first) +
                   (size_t)s * CLSP_DIM,
               partial, centre, at.keep, item, exists);
    }
}

/* Layered cells, one in a set: a tile of the points of a slice, in all layers. */
kernel void point_layered(global const real *restrict points, global const uint *restrict index,
                          global const uint *restrict sets, global const real *restrict slices,
                          ALONG const real *restrict along, global real *restrict out,
                          cell_samples at)
{
    local real staged[4 * SLICE_TILE * CLSP_DIM], partial[CLSP_GROUP * CLSP_DIM];
    const uint item = (uint)get_local_id(0), lane = item % CLSP_WARP;
    const cell_set set = read_set(sets, at.record + (uint)get_group_id(0));
    const uint terms = set.terms >> 2, rows = tile_rows(terms, SLICE_TILE), low = at.tile * rows;
    const slice_shape shape = shape_of(at, set.terms & 3);
    const uint samples = shape.num * shape.across;
    const bool asked = is_asked(at, set.cells[0]) && low < terms;
    const uint num = asked ? min(rows, terms - low) : 0;
    global const uint *const mine = index + set.first[0];
    global const real *const centre = points + (size_t)mine[terms] * CLSP_DIM;
    for (uint x = item; x < 4 * num; x += CLSP_GROUP) {
        const uint l = x / num, k = low + x - l * num;
        for (uint c = 0; c < CLSP_DIM; c++)
            staged[x * CLSP_DIM + c] =
                points[(size_t)mine[l * terms + k] * CLSP_DIM + c] - centre[c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint first = 0; first < samples; first += WARPS) {
        const uint s = min(first + item / CLSP_WARP, samples - 1);
        const bool exists = asked && first + item / CLSP_WARP < samples;
        const uint a = s / shape.num, pq = s - a * shape.num;
        const uint p = pq / shape.num_q, q = pq - p * shape.num_q;
        ALONG const real *const by = along + 4 * (shape.along + a);
        real sum[CLSP_DIM];
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++)
            sum[c] = R(0.0);
        for (uint x = lane; x < 4 * num; x += CLSP_WARP) {
            const uint l = x / num, k = low + x - l * num;
            const real f = by[l] * slices[set.table + (size_t)k * shape.stride + pq];
            UNROLL
            for (uint c = 0; c < CLSP_DIM; c++)
                sum[c] = MAD(f, staged[x * CLSP_DIM + c], sum[c]);
        }
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++)
            partial[item * CLSP_DIM + c] = sum[c];
        finish(out + WIDE(at.offset) + cell_begin(at, exists ? set.cells[0] : at.first) +
                   (size_t)(a * shape.step + p * shape.step_p + q * shape.step_q) * CLSP_DIM,
               partial, at.tile == 0 ? centre : 0, at.keep, item, exists);
    }
}

/* All other cells, one in a set: a tile of their points. */
kernel void point_tables(global const real *restrict points, global const uint *restrict index,
                         global const uint *restrict sets, global const real *restrict tables,
                         global real *restrict out, cell_samples at)
{
    local real staged[FULL_TILE * CLSP_DIM], partial[CLSP_GROUP * CLSP_DIM];
    const uint item = (uint)get_local_id(0), lane = item % CLSP_WARP;
    const cell_set set = read_set(sets, at.record + (uint)get_group_id(0));
    const uint samples = NUM_U(at) * NUM_V(at) * NUM_W(at), stride = (samples + 15) & ~15u;
    const uint rows = tile_rows(set.terms, FULL_TILE), low = at.tile * rows;
    const bool asked = is_asked(at, set.cells[0]) && low < set.terms;
    const uint num = asked ? min(rows, set.terms - low) : 0;
    global const uint *const mine = index + set.first[0];
    global const real *const centre = points + (size_t)mine[0] * CLSP_DIM;
    for (uint k = item; k < num; k += CLSP_GROUP)
        for (uint c = 0; c < CLSP_DIM; c++)
            staged[k * CLSP_DIM + c] =
                points[(size_t)mine[low + k] * CLSP_DIM + c] - centre[c];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint first = 0; first < samples; first += WARPS) {
        const uint s = min(first + item / CLSP_WARP, samples - 1);
        const bool exists = asked && first + item / CLSP_WARP < samples;
        global const real *const table = tables + set.table + (size_t)low * stride + s;
        real sum[CLSP_DIM];
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++)
            sum[c] = R(0.0);
        for (uint k = lane; k < num; k += CLSP_WARP) {
            const real f = table[(size_t)k * stride];
            UNROLL
            for (uint c = 0; c < CLSP_DIM; c++)
                sum[c] = MAD(f, staged[k * CLSP_DIM + c], sum[c]);
        }
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++)
            partial[item * CLSP_DIM + c] = sum[c];
        finish(out + WIDE(at.offset) + cell_begin(at, exists ? set.cells[0] : at.first) +
                   (size_t)s * CLSP_DIM,
               partial, at.tile == 0 ? centre : 0, at.keep, item, exists);
    }
}
