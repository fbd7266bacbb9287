/* Refines lattices, and makes the limits of cells from them (docs/math.md, 19). An item makes
   channels of a point that lies on an edge or a vertex; cells are made by groups. The host sets
   CLSP_DIM, CLSP_BLOCK, the channels that an item or a group makes at once, and the reals of local
   memory, CLSP_POINTS, CLSP_FIRST and CLSP_SECOND.

   lattice_vertices makes vertices of the next lattice, and with other weights limits;
   lattice_slices and lattice_edges points on edges; lattice_cells what is within cells and on
   faces, a face by its first cell, or all samples of a cell, summed along u, v and w, four terms at
   a time. Gathering bounds it: 275 points for 64 samples, of which 150 are neighbours'. */
#include "edge_slices.clh"
#include "lattice.clh"

#ifndef CLSP_POINTS
#define CLSP_POINTS 64
#define CLSP_FIRST  64
#define CLSP_SECOND 64
#endif

enum { BLOCKS = CLSP_DIM / CLSP_BLOCK };

/* Items of a launch: the lattice that is read, and the first vertex or edge; parts of numbers that
   are read and made. */
typedef struct lattice_items {
    uint side, vertices, edges, faces;
    uint first, items, parts, parts_to;
} lattice_items;

/* ---- vertices ---- */

/* Makes vertices of the next lattice: the vertex and sums over what is around it, relative to it.
   list: 64 times a cell + 8 times its corner that the vertex is + the axes, as bits, along which
   the point is one segment away from it. */
kernel void lattice_vertices(global const real *restrict points, global const uint *restrict cells,
                             global const uint *restrict begin, global const uint *restrict list,
                             global const real *restrict weights, global real *restrict out,
                             lattice_items at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const uint v = at.first + g / BLOCKS, c = g % BLOCKS * CLSP_BLOCK;
    const lattice from = {at.side, at.vertices, at.edges, at.faces};
    const uint parts = at.parts;
    part_pair centre[CLSP_BLOCK];
    real sum[CLSP_BLOCK];
    UNROLL
    for (uint i = 0; i < CLSP_BLOCK; i++) {
        centre[i] = load_parts(points, v, c + i, parts);
        sum[i] = R(0.0);
    }
    for (uint k = begin[v]; k < begin[v + 1]; k++) {
        const uint cell = list[k] >> 6, corner = list[k] >> 3 & 7, away = list[k] & 7;
        const uint n = from.side;
        const uint4 to = (uint4)(away & 1 ? (corner & 1 ? n - 1 : 1) : (corner & 1) * n,
                                 away & 2 ? (corner & 2 ? n - 1 : 1) : (corner >> 1 & 1) * n,
                                 away & 4 ? (corner & 4 ? n - 1 : 1) : (corner >> 2) * n, 0);
        const uint p = lattice_point(cells + (size_t)cell * CELL_WORDS, from, cell, to);
        UNROLL
        for (uint i = 0; i < CLSP_BLOCK; i++)
            sum[i] = MAD(weights[k], load_offset(points, p, c + i, parts, centre[i]), sum[i]);
    }
    UNROLL
    for (uint i = 0; i < CLSP_BLOCK; i++)
        store_parts(out, v, c + i, at.parts_to, centre[i], sum[i]);
}

/* ---- edges ---- */

/* Makes slices of edges, (side + 1) each: what a surface's rule makes of an edge's point and those
   around it, which are sums relative to it. list: 64 times a cell + 4 times its edge + which of its
   two faces there count, as bits: within the solid both, and the point beyond both too; on a smooth
   boundary one of the boundary's; on a crease none. Points on faces are met from both sides. */
kernel void lattice_slices(global const real *restrict points, global const uint *restrict cells,
                           global const uint *restrict begin, global const uint *restrict list,
                           global real *restrict lines, lattice_items at, uint rule)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const lattice from = {at.side, at.vertices, at.edges, at.faces};
    const uint n = from.side, c = g % BLOCKS * CLSP_BLOCK;
    const uint slice = g / BLOCKS % (n + 1), e = at.first + g / BLOCKS / (n + 1);
    const uint end = begin[e + 1];
    const bool is_inner = (list[begin[e]] & 3) == 3;
    const real f = (real)(end - begin[e]);
    const real beside = slice_beside(f, is_inner, rule == LIMIT_RULE);
    const real beyond = slice_beyond(f, rule == LIMIT_RULE);
    const uint parts = at.parts;
    part_pair centre[CLSP_BLOCK];
    real sum[CLSP_BLOCK];
    bool is_first = true;
    UNROLL
    for (uint i = 0; i < CLSP_BLOCK; i++)
        centre[i].all = centre[i].lost = sum[i] = R(0.0);
    for (uint k = begin[e]; k < end; k++) {
        const uint cell = list[k] >> 6, edge = list[k] >> 2 & 15, faces = list[k] & 3;
        const uint axis = edge >> 2, rank = edge & 3;
        global const uint *const words = cells + (size_t)cell * CELL_WORDS;
        const uint x = words[EDGE_WORDS + edge] & 1 ? n - slice : slice;
        const uint2 on = (uint2)((rank & 1) * n, (rank >> 1) * n);
        const uint2 in = (uint2)(rank & 1 ? n - 1 : 1, rank & 2 ? n - 1 : 1);
        if (is_first) {
            const uint p = lattice_point(words, from, cell, along_axis(axis, x, on));
            UNROLL
            for (uint i = 0; i < CLSP_BLOCK; i++)
                centre[i] = load_parts(points, p, c + i, parts);
            is_first = false;
        }
        for (uint j = 1; j <= faces; j++) {
            if ((j & faces) != j) continue;
            const uint2 to = (uint2)(j & 1 ? in.s0 : on.s0, j & 2 ? in.s1 : on.s1);
            const uint p = lattice_point(words, from, cell, along_axis(axis, x, to));
            const real weight = j == 3 ? beyond : beside;
            UNROLL
            for (uint i = 0; i < CLSP_BLOCK; i++)
                sum[i] = MAD(weight, load_offset(points, p, c + i, parts, centre[i]), sum[i]);
        }
    }
    UNROLL
    for (uint i = 0; i < CLSP_BLOCK; i++)
        store_parts(lines, (size_t)e * (n + 1) + slice, c + i, at.parts_to, centre[i], sum[i]);
}

/* Makes the edges' points of the next lattice from slices. */
kernel void lattice_edges(global const real *restrict lines, global real *restrict out,
                          lattice_items at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;

    const uint n = at.side, fine = 2 * n - 1, c = g % BLOCKS * CLSP_BLOCK;
    const uint x = g / BLOCKS % fine + 1, e = at.first + g / BLOCKS / fine;
    const uint here = e * (n + 1) + x / 2;
    for (uint i = c; i < c + CLSP_BLOCK; i++) {
        const part_pair centre = load_parts(lines, here, i, at.parts);
        const real next = load_offset(lines, here + 1, i, at.parts, centre);
        const real sum =
            x & 1 ? R(0.5) * next
                  : R(0.125) * (next + load_offset(lines, here - 1, i, at.parts, centre));
        store_parts(out, at.vertices + (size_t)e * fine + x - 1, i, at.parts_to, centre, sum);
    }
}

/* ---- cells ---- */

/* What a sample along a direction is made of are four adjacent points: their weights are a row,
   and its start is the first one, counted from one before the cell's, with END_BITS. */

/* The cells of a launch, from `first` on: the lattice that is read, the side of that which is made,
   0: samples are made, which go to `offset` and on; how many there are, where their rows begin, and
   how many along u are made together; parts of numbers that are read, and of lattices that are
   made. */
typedef struct lattice_samples {
    uint side, vertices, edges, faces;
    uint side_to, num_u, num_v, num_w, row_u, row_v, row_w, chunk, first;
    uint parts, parts_to;
    wide offset;
} lattice_samples;

/* Returns the point beyond a face of a cell that is next to point x of it; NO_CELL: there is no
   cell. */
IN_PLACE uint point_beyond(global const uint *cells, lattice l, global const uint *words, uint face,
                           uint2 x)
{
    const uint beyond = words[BEYOND_WORDS + face];
    if (beyond == NO_CELL) return NO_CELL;
    const uint cell = beyond >> 3, there = beyond & 7;
    global const uint *const others = cells + (size_t)cell * CELL_WORDS;
    const uint2 on_face = to_face(l, words[FACE_WORDS + face], x);
    const uint2 to = from_face(l, others[FACE_WORDS + there], on_face);
    return lattice_point(others, l, cell, along_axis(there >> 1, there & 1 ? l.side - 1 : 1, to));
}

/* Finds the planes of points that samples are made of. */
IN_PLACE void find_planes(global const uint *starts, uint num, uint *low, uint *planes)
{
    uint least = starts[0] & ~END_BITS, most = least;
    for (uint i = 1; i < num; i++) {
        least = min(least, starts[i] & ~END_BITS);
        most = max(most, starts[i] & ~END_BITS);
    }
    *low = least;
    *planes = most - least + 4;
}

/* Gathers planes of a cell's points and those beyond its faces, from one on, relative to its
   centre: [planes][side + 3][side + 3][CLSP_BLOCK]. Beyond the boundary a point is 2 p0 - p1;
   beyond edges there are none, and 0 stands for them. */
IN_PLACE void gather(local real *to, global const real *points, global const uint *cells, lattice l,
                     uint cell, uint c, uint parts, uint low, uint planes)
{
    const uint n = l.side, wide_side = n + 3, num = planes * wide_side * wide_side;
    global const uint *const words = cells + (size_t)cell * CELL_WORDS;
    const uint middle = centre_point(words, l, cell);

    for (uint x = (uint)get_local_id(0); x < num; x += (uint)get_local_size(0)) {
        const uint i = low + x / (wide_side * wide_side), j = x / wide_side % wide_side;
        const uint k = x % wide_side;
        const bool out_u = i == 0 || i == n + 2, out_v = j == 0 || j == n + 2;
        const bool out_w = k == 0 || k == n + 2;
        const uint outside = (uint)out_u + (uint)out_v + (uint)out_w;
        uint p = NO_CELL, one = NO_CELL;
        if (outside == 0) {
            p = lattice_point(words, l, cell, (uint4)(i - 1, j - 1, k - 1, 0));
        } else if (outside == 1) {
            const uint axis = out_u ? 0 : out_v ? 1 : 2;
            const uint high = (uint)((out_u ? i : out_v ? j : k) != 0);
            const uint2 beside = across_axis(axis, (uint4)(i - 1, j - 1, k - 1, 0));
            p = point_beyond(cells, l, words, 2 * axis + high, beside);
            if (p == NO_CELL) {
                p = lattice_point(words, l, cell, along_axis(axis, high * n, beside));
                one = lattice_point(words, l, cell, along_axis(axis, high ? n - 1 : 1, beside));
            }
        }
        for (uint d = 0; d < CLSP_BLOCK; d++) {
            const part_pair centre = load_parts(points, middle, c + d, parts);
            real value = R(0.0);
            if (p != NO_CELL) value = load_offset(points, p, c + d, parts, centre);
            if (one != NO_CELL)
                value = R(2.0) * value - load_offset(points, one, c + d, parts, centre);
            to[x * CLSP_BLOCK + d] = value;
        }
    }
}

/* Sums four numbers by a row, whose weights sum to 1, relative to the second one: what is rounded
   are the differences of neighbours. */
#define SUM_FOUR(w, a, b, c, d)                                                                    \
    MAD((w)[3], (d) - (b), MAD((w)[0], (a) - (b), MAD((w)[2], (c) - (b), b)))

/* Sums four adjacent lines of `width` reals for each sample of a direction: from [outer][points]
   [width], of which the first one is number `low`, to [outer][num][width]. */
IN_PLACE void sum_direction(local real *to, local const real *from, global const uint *starts,
                            global const real *rows, uint outer, uint num, uint low, uint points,
                            uint width)
{
    for (uint t = (uint)get_local_id(0); t < outer * num * width; t += (uint)get_local_size(0)) {
        const uint x = t % width, r = t / width % num, o = t / (width * num);
        global const real *const w = rows + 4 * r;
        local const real *const line =
            from + (o * points + (starts[r] & ~END_BITS) - low) * width + x;
        to[t] = SUM_FOUR(w, line[0], line[width], line[2 * width], line[3 * width]);
    }
}

/* What the samples of a cell are made of: its words, the lines and limits of edges and vertices, a
   channel's starts, rows and sums along two directions, and the lattice's points. */
typedef struct cell_parts {
    global const uint *words;
    global const real *lines, *limits;
    global const uint *starts;
    global const real *rows;
    global const real *points;
    local const real *sums;
    uint cell, centre, channel, row_u, first_u;
} cell_parts;

/* Returns a channel of a sample on an edge along an axis, or on a vertex: axis 3. corner: of the
   cell, at the ends where the sample is; row: the sample's along the axis. */
IN_PLACE real on_edge(cell_parts p, uint side, uint axis, uint corner, uint row, uint c)
{
    if (axis == 3) return p.limits[(size_t)p.words[corner] * CLSP_DIM + c];
    const uint word = p.words[EDGE_WORDS + edge_at(axis, corner)], start = p.starts[row];
    const uint line = (word >> 1) * (side + 1);
    const part_pair centre = load_parts(p.points, p.centre, c, 1);
    real x[4];
    UNROLL
    for (uint i = 0; i < 4; i++) { /* one before the first point has no weight */
        const uint k = min((uint)max((int)(start + i) - 1, 0), side);
        x[i] = load_offset(p.lines, line + (word & 1 ? side - k : k), c, 1, centre);
    }
    const real sum = SUM_FOUR(p.rows + 4 * row, x[0], x[1], x[2], x[3]);
    return centre.all + (centre.lost + sum);
}

/* Tells whether a cell makes a point of the next lattice that is at so many ends, on a face of it
   where that is one: the first cell of a face does. */
static bool has_point(cell_parts p, uint ends, uint face)
{
    const uint beyond = p.words[BEYOND_WORDS + face];
    return ends == 0 || (ends == 1 && (beyond == NO_CELL || beyond >= 8 * p.cell + face));
}

/* Makes sample (i, j, k) of a cell, of a part of it along u. out: the cell's samples, or the next
   lattice. */
IN_PLACE void make_sample(cell_parts p, lattice_samples at, global real *out, uint i, uint j,
                          uint k)
{
    const uint row_u = p.row_u + i, row_v = at.row_v + j, row_w = at.row_w + k;
    const uint start_u = p.starts[row_u], start_v = p.starts[row_v], start_w = p.starts[row_w];
    const bool end_u = (start_u & END_BITS) != 0, end_v = (start_v & END_BITS) != 0;
    const bool end_w = (start_w & END_BITS) != 0;
    const uint ends = (uint)end_u + (uint)end_v + (uint)end_w;
    const uint corner = start_u >> 31 | (start_v >> 31) << 1 | (start_w >> 31) << 2;
    size_t place = ((p.first_u + i) * at.num_v + j) * at.num_w + k;

    if (at.side_to) {
        const lattice to = {at.side_to, at.vertices, at.edges, at.faces};
        const uint axis = end_u ? 0 : end_v ? 1 : 2;
        if (!has_point(p, ends, 2 * axis + (corner >> axis & 1))) return;
        place = lattice_point(p.words, to, p.cell, (uint4)(p.first_u + i, j, k, 0));
    }
    if (ends > 1) {
        const uint axis = ends == 3 ? 3 : !end_u ? 0 : !end_v ? 1 : 2;
        const uint row = !end_u ? row_u : !end_v ? row_v : row_w;
        for (uint c = p.channel; c < p.channel + CLSP_BLOCK; c++)
            out[place * CLSP_DIM + c] = on_edge(p, at.side, axis, corner, row, c);
        return;
    }
    global const real *const w = p.rows + 4 * row_w;
    local const real *const line =
        p.sums + ((i * at.num_v + j) * (at.side + 3) + (start_w & ~END_BITS)) * CLSP_BLOCK;
    for (uint d = 0; d < CLSP_BLOCK; d++) {
        const uint c = p.channel + d;
        const part_pair centre = load_parts(p.points, p.centre, c, at.parts);
        const real sum = SUM_FOUR(w, line[d], line[CLSP_BLOCK + d], line[2 * CLSP_BLOCK + d],
                                  line[3 * CLSP_BLOCK + d]);
        if (at.side_to)
            store_parts(out, place, c, at.parts_to, centre, sum);
        else
            out[place * CLSP_DIM + c] = centre.all + (centre.lost + sum);
    }
}

/* Makes cells, or parts of their samples along u, by groups: points of the next lattice that are
   within them, and on faces whose first cell they are; or samples. lines, limits: of edges and
   vertices, where samples are made. */
kernel void lattice_cells(global const real *restrict points, global const uint *restrict cells,
                          global const uint *restrict starts, global const real *restrict rows,
                          global const real *restrict lines, global const real *restrict limits,
                          global real *restrict out, lattice_samples at)
{
    local real gathered[CLSP_POINTS], first[CLSP_FIRST], second[CLSP_SECOND];
    const uint parts_u = (at.num_u + at.chunk - 1) / at.chunk, parts = parts_u * BLOCKS;
    const uint group = (uint)get_group_id(0), cell = at.first + group / parts;
    const uint c = group % BLOCKS * CLSP_BLOCK, wide_side = at.side + 3;

    global const uint *const words = cells + (size_t)cell * CELL_WORDS;
    const lattice from = {at.side, at.vertices, at.edges, at.faces};
    const uint first_u = group / BLOCKS % parts_u * at.chunk;
    const uint num_u = min(at.chunk, at.num_u - first_u), row_u = at.row_u + first_u;
    uint low = 0, planes = wide_side;
    find_planes(starts + row_u, num_u, &low, &planes);
    gather(gathered, points, cells, from, cell, c, at.parts, low, planes);
    barrier(CLK_LOCAL_MEM_FENCE);
    sum_direction(first, gathered, starts + row_u, rows + 4 * row_u, 1, num_u, low, planes,
                  wide_side * wide_side * CLSP_BLOCK);
    barrier(CLK_LOCAL_MEM_FENCE);
    sum_direction(second, first, starts + at.row_v, rows + 4 * at.row_v, num_u, at.num_v, 0,
                  wide_side, wide_side * CLSP_BLOCK);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint middle = centre_point(words, from, cell);
    const cell_parts p = {words,  lines, limits, starts, rows,  points,
                          second, cell,  middle, c,      row_u, first_u};
    out += WIDE(at.offset);
    if (!at.side_to) out += (size_t)(group / parts) * (at.num_u * at.num_v * at.num_w * CLSP_DIM);
    for (uint t = (uint)get_local_id(0); t < num_u * at.num_v * at.num_w;
         t += (uint)get_local_size(0))
        make_sample(p, at, out, t / (at.num_w * at.num_v), t / at.num_w % at.num_v, t % at.num_w);
}
