/* Points of cells whose limit is a product of that of slices along two directions and of a cubic
   B-spline along the third (docs/math.md, 19): regular cells and layered ones. First the sums over
   slices, once for each of the four layers; then those over layers, for each sample. */
#include "cell_samples.clh"

/* A cell: its number, where its points begin in the index, where its table of slices begins, the
   points of a slice, and the direction across slices. */
typedef struct layer_cell {
    uint cell, first, table, terms, direction;
} layer_cell;

/* How samples of slices and those across them lie: two directions of slices, p and q. */
typedef struct slice_shape {
    uint num_q, num, stride, across, along;
    uint step, step_p, step_q; /* in points, between samples across and along p and q */
} slice_shape;

layer_cell read_cell(global const uint *cells, uint i)
{
    layer_cell c;
    c.cell = cells[4 * i];
    c.first = cells[4 * i + 1];
    c.table = cells[4 * i + 2];
    c.terms = cells[4 * i + 3] >> 2;
    c.direction = cells[4 * i + 3] & 3;
    return c;
}

/* The tables along u, v and w stand one after another, [samples][4]; those of slices have rows that
   are padded to a multiple of 16. */
slice_shape shape_of(cell_samples at, uint direction)
{
    slice_shape s;
    const uint num_p = direction == 0 ? at.num_v : at.num_u;
    s.num_q = direction == 2 ? at.num_v : at.num_w;
    s.num = num_p * s.num_q;
    s.stride = (s.num + 15) & ~15u;
    s.across = direction == 0 ? at.num_u : direction == 1 ? at.num_v : at.num_w;
    s.along = direction == 0 ? 0 : 4 * (direction == 1 ? at.num_u : at.num_u + at.num_v);
    s.step = direction == 0 ? at.num_v * at.num_w : direction == 1 ? at.num_w : 1;
    s.step_p = direction == 0 ? at.num_w : at.num_v * at.num_w;
    s.step_q = direction == 2 ? at.num_w : 1;
    return s;
}

#if CLSP_LANES == 1

/* An item makes the samples across slices at one of these. A group has CLSP_SET cells, whose points
   it stages. */
kernel void solid_layers(global const real *restrict points, global const uint *restrict index,
                         global const uint *restrict cells, global const real *restrict slices,
                         global const real *restrict along, global real *restrict out,
                         cell_samples at)
{
    local real staged[CLSP_SET * CLSP_STAGED * CLSP_CHANNELS];
    const uint item = (uint)get_local_id(0), begin = (uint)get_group_id(0) * CLSP_SET;

    for (uint i = item; i < CLSP_SET * CLSP_STAGED; i += CLSP_GROUP) {
        const uint j = i / CLSP_STAGED, k = i - j * CLSP_STAGED;
        if (begin + j >= at.sets) continue;
        const layer_cell c = read_cell(cells, at.record + begin + j);
        if (k >= 4 * c.terms) continue;
        const size_t p = (size_t)index[c.first + k] * CLSP_CHANNELS;
        const size_t centre = (size_t)index[c.first + c.terms] * CLSP_CHANNELS;
        for (uint b = 0; b < CLSP_CHANNELS; b++)
            staged[i * CLSP_CHANNELS + b] = points[p + b] - points[centre + b];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint columns = max(max(at.num_u * at.num_v, at.num_v * at.num_w), at.num_u * at.num_w);
    for (uint x = item; x < CLSP_SET * columns; x += CLSP_GROUP) {
        const uint j = x / columns, s = x - j * columns;
        if (begin + j >= at.sets) break;
        const layer_cell c = read_cell(cells, at.record + begin + j);
        const slice_shape shape = shape_of(at, c.direction);
        if (s >= shape.num || !is_asked(at, c.cell)) continue;
        const uint ip = s / shape.num_q, iq = s - ip * shape.num_q;
        const size_t centre = (size_t)index[c.first + c.terms] * CLSP_CHANNELS;
        global const real *const table = slices + c.table + s;
        global real *const target = out + WIDE(at.offset) + cell_begin(at, c.cell) +
                                    (size_t)(ip * shape.step_p + iq * shape.step_q) * CLSP_CHANNELS;
        for (uint block = 0; block < CLSP_CHANNELS; block += CLSP_BLOCK) {
            local const real *const mine = staged + j * CLSP_STAGED * CLSP_CHANNELS + block;
            real sum[4 * CLSP_BLOCK];
            UNROLL
            for (uint b = 0; b < 4 * CLSP_BLOCK; b++)
                sum[b] = R(0.0);
            for (uint k = 0; k < c.terms; k++) {
                const real f = table[k * shape.stride];
                UNROLL
                for (uint b = 0; b < 4 * CLSP_BLOCK; b++)
                    sum[b] = MAD(f,
                                 mine[(b / CLSP_BLOCK * c.terms + k) * CLSP_CHANNELS +
                                      b % CLSP_BLOCK],
                                 sum[b]);
            }
            for (uint i = 0; i < shape.across; i++) {
                global const real *const w = along + shape.along + 4 * i;
                UNROLL
                for (uint b = 0; b < CLSP_BLOCK; b++) {
                    const real inner = MAD(w[0], sum[b], w[1] * sum[CLSP_BLOCK + b]);
                    const real outer = MAD(w[2], sum[2 * CLSP_BLOCK + b],
                                           w[3] * sum[3 * CLSP_BLOCK + b]);
                    target[(size_t)i * shape.step * CLSP_CHANNELS + block + b] =
                        MAD(at.keep, points[centre + block + b], inner + outer);
                }
            }
        }
    }
}

#else

enum { STRIP = 64 }; /* samples of a slice that are made at once */

/* Copies the points of a cell, relative to its centre. */
void stage(real *staged, global const real *points, global const uint *index, layer_cell c)
{
    global const real *const centre = points + (size_t)index[c.first + c.terms] * CLSP_CHANNELS;
    for (uint k = 0; k < 4 * c.terms; k++) {
        global const real *const p = points + (size_t)index[c.first + k] * CLSP_CHANNELS;
        for (uint b = 0; b < CLSP_CHANNELS; b++)
            staged[k * CLSP_CHANNELS + b] = p[b] - centre[b];
    }
}

/* Sums over the slices of all four layers, for the samples of a strip from `table` on. planes:
   [4][STRIP][channels]. */
void sum_slices(real *planes, const real *staged, global const real *table, layer_cell c,
                uint stride, uint num)
{
    for (uint s = 0; s < num; s += CLSP_LANES)
        for (uint block = 0; block < CLSP_CHANNELS; block += CLSP_BLOCK) {
            realv sum[4 * CLSP_BLOCK];
            for (uint b = 0; b < 4 * CLSP_BLOCK; b++)
                sum[b] = (realv)R(0.0);
            for (uint k = 0; k < c.terms; k++) {
                const realv f = LOADV(table + k * stride + s);
                UNROLL
                for (uint b = 0; b < 4 * CLSP_BLOCK; b++)
                    sum[b] += f * (realv)(staged[(b / CLSP_BLOCK * c.terms + k) * CLSP_CHANNELS +
                                                 block + b % CLSP_BLOCK]);
            }
            for (uint b = 0; b < 4 * CLSP_BLOCK; b++) {
                real lanes[CLSP_LANES];
                real *const plane = planes + (b / CLSP_BLOCK * STRIP + s) * CLSP_CHANNELS + block +
                                    b % CLSP_BLOCK;
                STOREV(sum[b], lanes);
                for (uint i = 0; i < CLSP_LANES; i++)
                    plane[i * CLSP_CHANNELS] = lanes[i];
            }
        }
}

/* Writes a row of adjacent samples: the sum over layers. middle: the centre's share, repeated. */
void write_row(global real *target, const real *planes, global const real *w, const real *middle,
               uint num)
{
    const realv a = (realv)(w[0]), b = (realv)(w[1]), c = (realv)(w[2]), d = (realv)(w[3]);
    uint i = 0;
    for (; i + CLSP_LANES <= num; i += CLSP_LANES) {
        const realv inner = a * LOADV(planes + i) + b * LOADV(planes + STRIP * CLSP_CHANNELS + i);
        const realv outer = c * LOADV(planes + 2 * STRIP * CLSP_CHANNELS + i) +
                            d * LOADV(planes + 3 * STRIP * CLSP_CHANNELS + i);
        STOREV(inner + outer + LOADV(middle + i), target + i);
    }
    for (; i < num; i++) {
        const real inner = w[0] * planes[i] + w[1] * planes[STRIP * CLSP_CHANNELS + i];
        const real outer = w[2] * planes[2 * STRIP * CLSP_CHANNELS + i] +
                           w[3] * planes[3 * STRIP * CLSP_CHANNELS + i];
        target[i] = inner + outer + middle[i];
    }
}

/* Writes the samples of a strip one by one. */
void write_samples(global real *target, const real *planes, global const real *w,
                   const real *middle, slice_shape shape, uint begin, uint num)
{
    for (uint s = 0; s < num; s++) {
        const uint ip = (begin + s) / shape.num_q, iq = begin + s - ip * shape.num_q;
        global real *const t =
            target + (size_t)(ip * shape.step_p + iq * shape.step_q) * CLSP_CHANNELS;
        for (uint b = 0; b < CLSP_CHANNELS; b++) {
            const uint i = s * CLSP_CHANNELS + b;
            const real inner = w[0] * planes[i] + w[1] * planes[STRIP * CLSP_CHANNELS + i];
            const real outer = w[2] * planes[2 * STRIP * CLSP_CHANNELS + i] +
                               w[3] * planes[3 * STRIP * CLSP_CHANNELS + i];
            t[b] = inner + outer + middle[i];
        }
    }
}

/* An item makes a cell. */
kernel void solid_layers(global const real *restrict points, global const uint *restrict index,
                         global const uint *restrict cells, global const real *restrict slices,
                         global const real *restrict along, global real *restrict out,
                         cell_samples at)
{
    real staged[CLSP_STAGED * CLSP_CHANNELS];
    real planes[4 * STRIP * CLSP_CHANNELS], middle[STRIP * CLSP_CHANNELS];
    const uint g = (uint)get_global_id(0);
    if (g >= at.items) return;
    const layer_cell c = read_cell(cells, at.record + g);
    if (!is_asked(at, c.cell)) return;

    const slice_shape shape = shape_of(at, c.direction);
    global const real *const centre = points + (size_t)index[c.first + c.terms] * CLSP_CHANNELS;
    global real *const target = out + WIDE(at.offset) + cell_begin(at, c.cell);
    stage(staged, points, index, c);
    for (uint s = 0; s < STRIP; s++)
        for (uint b = 0; b < CLSP_CHANNELS; b++)
            middle[s * CLSP_CHANNELS + b] = at.keep * centre[b];
    for (uint begin = 0; begin < shape.num; begin += STRIP) {
        const uint num = min((uint)STRIP, shape.num - begin);
        sum_slices(planes, staged, slices + c.table + begin, c, shape.stride, num);
        for (uint i = 0; i < shape.across; i++) {
            global real *const row = target + (size_t)i * shape.step * CLSP_CHANNELS;
            global const real *const w = along + shape.along + 4 * i;
            if (c.direction == 0)
                write_row(row + (size_t)begin * CLSP_CHANNELS, planes, w, middle,
                          num * CLSP_CHANNELS);
            else
                write_samples(row, planes, w, middle, shape, begin, num);
        }
    }
}

#endif
