#include "solid_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

enum { MOST_PARTS = 64, MAX_DEPTH = 40 };

/* What a sum of control points may be off by rounding, of the largest one. The cubics through
   samples enlarge what these are off, at most 1.7 times along each direction. */
static double rounding(const solid_blocks *b)
{
    return b->samples->precision == MESH_F32 ? 1e-6 : 1e-13;
}

bool solid_blocks_open(solid_blocks *b, solid_samples *samples)
{
    const solid_model *m = samples->m;
    *b = (solid_blocks){.samples = samples,
                        .is_unlike = solid_samples_are_unlike(samples),
                        .grid = net_nodes_make(0, 0.25),
                        .inner = net_nodes_make(0.03125, 0.3125), /* nearly Chebyshev's */
                        .scale = calloc(m->channels, sizeof(double)),
                        .own = malloc(NET_GRID * m->channels * sizeof(double))};
    if (!b->scale || !b->own) return solid_model_memory(m);
    for (size_t i = 0; i < m->counts.num_vertices; i++)
        for (uint32_t c = 0; c < m->channels; c++)
            b->scale[c] = fmax(b->scale[c], fabs(m->points[i * m->channels + c]));
    for (int k = 0; k < 3; k++) /* lengths are compared in all directions alike */
        b->scale[0] = fmax(b->scale[0], b->scale[k]);
    b->scale[1] = b->scale[2] = b->scale[0];
    for (uint32_t c = 0; c < m->channels; c++)
        if (!(b->scale[c] > 0)) b->scale[c] = 1;
    b->rounding = 4 * rounding(b) * b->scale[0];
    return true;
}

/* Finds the box of samples, a little larger, since the limit is curved between them. */
static void box_of(const double *samples, size_t channels, double low[3], double high[3])
{
    for (int x = 0; x < 3; x++) {
        low[x] = HUGE_VAL;
        high[x] = -HUGE_VAL;
    }
    for (size_t i = 0; i < NET_GRID; i++)
        for (int x = 0; x < 3; x++) {
            low[x] = fmin(low[x], samples[i * channels + (size_t)x]);
            high[x] = fmax(high[x], samples[i * channels + (size_t)x]);
        }
    const double more = 0.25 * fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    for (int x = 0; x < 3; x++) {
        low[x] -= more;
        high[x] += more;
    }
}

/* Returns how far samples are apart along an axis, from one end to the other, at most. */
static double extent_along(const double *samples, size_t channels, int axis)
{
    static const size_t steps[3] = {25, 5, 1};
    double most = 0;
    for (size_t i = 0; i < NET_GRID; i++) {
        if (i / steps[axis] % NET_SAMPLES != 0) continue;
        const double *p = samples + i * channels;
        const double *q = p + (NET_SAMPLES - 1) * steps[axis] * channels;
        most = fmax(most, hypot(hypot(q[0] - p[0], q[1] - p[1]), q[2] - p[2]));
    }
    return most;
}

/* Adds a block. */
static bool add_block(solid_blocks *b, const solid_block *part, const double *net)
{
    const size_t channels = b->samples->m->channels;
    solid_block *moved = array_reserve(b->blocks, &b->capacity, b->num + 1, sizeof(*moved));
    if (!moved) return solid_model_memory(b->samples->m);
    b->blocks = moved;
    solid_block *block = &moved[b->num];
    *block = *part;
    block->net = malloc(NET_POINTS * channels * sizeof(double));
    if (!block->net) return solid_model_memory(b->samples->m);
    b->num++;
    memcpy(block->net, net, NET_POINTS * channels * sizeof(double));
    for (size_t i = 0; i < NET_POINTS; i++)
        memcpy(block->place.p[i], net + i * channels, sizeof(block->place.p[i]));
    return true;
}

/* Adds the parts that a part is cut into along some axes. */
static bool cut(solid_blocks *b, const solid_block *part, const bool along[3])
{
    for (int i = 0; i < 8; i++) {
        if ((i & 1 && !along[0]) || (i & 2 && !along[1]) || (i & 4 && !along[2])) continue;
        solid_block *moved =
            array_reserve(b->halves, &b->half_capacity, b->num_halves + 1, sizeof(*moved));
        if (!moved) return solid_model_memory(b->samples->m);
        b->halves = moved;
        solid_block *half = &moved[b->num_halves++];
        *half = *part;
        for (int a = 0; a < 3; a++) {
            if (along[a]) half->size[a] /= 2;
            if (i >> a & 1) half->from[a] += half->size[a];
        }
    }
    return true;
}

/* Tells whether the filter wants a part, by its net and how far that may be off. */
static bool is_wanted(const solid_blocks *b, const double *net, double off)
{
    const size_t channels = b->samples->m->channels;
    double low[3], high[3];
    for (size_t x = 0; x < 3; x++) {
        low[x] = high[x] = net[x];
        for (size_t i = 1; i < NET_POINTS; i++) {
            low[x] = fmin(low[x], net[i * channels + x]);
            high[x] = fmax(high[x], net[i * channels + x]);
        }
        low[x] -= off;
        high[x] += off;
    }
    return b->filter(b->user, low, high);
}

/* Looks at a part by its samples: it is a block, or is cut, or is left out. */
static bool take_part(solid_blocks *b, const net_nodes *nodes, const solid_block *part,
                      const double *samples)
{
    const size_t channels = b->samples->m->channels;
    double low[3], high[3], off[3], net[NET_POINTS * CLSP_SOLID_MAX_DIM];
    bool along[3], is_last = true;
    solid_block block = *part;
    box_of(samples, channels, low, high);
    if (b->filter && !b->filter(b->user, low, high)) return true;
    cubic_net_fit(nodes, samples, channels, b->scale, net, off);
    const double most = fmax(fmax(off[0], off[1]), off[2]);
    const double least = fmax(rounding(b), b->is_unlike ? b->enough / 4 / b->scale[0] : 0);
    block.is_exact = most <= rounding(b);
    block.off = fmax(4 * most * b->scale[0], b->rounding);
    if (b->filter && !is_wanted(b, net, block.off)) return true;
    for (int a = 0; a < 3; a++) {
        along[a] = off[a] > least && part->size[a] > ldexp(1, -MAX_DEPTH) &&
                   extent_along(samples, channels, a) > b->small;
        is_last = is_last && !along[a];
    }
    return is_last ? add_block(b, &block, net) : cut(b, part, along);
}

/* ---- samples of parts ---- */

static bool make_room(solid_blocks *b)
{
    const size_t points = (size_t)MOST_PARTS * NET_GRID, channels = b->samples->m->channels;
    if (b->room > 0) return true;
    b->params = malloc(3 * points * sizeof(double));
    b->made = malloc(channels * points * sizeof(float));
    b->values = malloc(channels * points * sizeof(double));
    b->cells = malloc(points * sizeof(*b->cells));
    if (!b->params || !b->made || !b->values || !b->cells) return solid_model_memory(b->samples->m);
    b->room = MOST_PARTS;
    return true;
}

/* Writes the parameters of a part's samples. */
static void set_params(solid_blocks *b, const solid_block *part, size_t first)
{
    const bool single = b->samples->precision == MESH_F32;
    for (size_t i = 0; i < NET_GRID; i++) {
        const size_t at[3] = {i / 25, i / 5 % 5, i % 5};
        b->cells[first + i] = part->cell;
        for (size_t a = 0; a < 3; a++) {
            const double t = part->from[a] + part->size[a] * b->inner.t[at[a]];
            if (single)
                ((float *)b->params)[3 * (first + i) + a] = (float)t;
            else
                ((double *)b->params)[3 * (first + i) + a] = t;
        }
    }
}

/* Tells whether samples of a cell have those of a part among them. */
static bool has_samples(const solid_blocks *b, const solid_block *part)
{
    const double least = (NET_SAMPLES - 1.0) / (b->samples->grid.along - 1.0);
    return part->size[0] >= least && part->size[1] >= least && part->size[2] >= least;
}

/* Takes the samples of a part from those of its cell. */
static void take_samples(const solid_blocks *b, const solid_block *part, const double *samples,
                         double *to)
{
    const size_t channels = b->samples->m->channels, along = b->samples->grid.along;
    for (size_t i = 0; i < NET_GRID; i++) {
        const size_t at[3] = {i / 25, i / 5 % 5, i % 5};
        size_t from = 0;
        for (size_t a = 0; a < 3; a++) {
            const double t = part->from[a] + part->size[a] * b->grid.t[at[a]];
            from = from * along + (size_t)lrint(t * ((double)along - 1));
        }
        memcpy(to + i * channels, samples + from * channels, channels * sizeof(double));
    }
}

const double *solid_blocks_whole(solid_blocks *b, const double *samples)
{
    const solid_block whole = {.size = {1, 1, 1}};
    take_samples(b, &whole, samples, b->own);
    return b->own;
}

/* Evaluates the samples of so many parts. */
static bool sample_parts(solid_blocks *b, const solid_block *parts, size_t num)
{
    const bool single = b->samples->precision == MESH_F32;
    const size_t points = num * NET_GRID, reals = points * b->samples->m->channels;
    if (!make_room(b)) return false;
    for (size_t i = 0; i < num; i++)
        set_params(b, &parts[i], i * NET_GRID);
    const clsp_points list = {.num = points,
                              .item = {.type = CLSP_U32, .host = b->cells, .size = points},
                              .params = single ? clsp_in_f32(b->params, 3 * points)
                                               : clsp_in_f64(b->params, 3 * points)};
    const clsp_output out = single ? clsp_out_f32(b->made, reals) : clsp_out_f64(b->values, reals);
    if (!solid_samples_points(b->samples, &list, false, out)) return false;
    for (size_t i = 0; single && i < reals; i++)
        b->values[i] = (double)((const float *)b->made)[i];
    return true;
}

/* Looks at parts whose samples are among those of their cell, and leaves the others of these parts.
 */
static bool take_known(solid_blocks *b, const double *samples, solid_block *parts, size_t *num)
{
    size_t left = 0;
    for (size_t i = 0; i < *num; i++) {
        if (!has_samples(b, &parts[i])) {
            parts[left++] = parts[i];
            continue;
        }
        take_samples(b, &parts[i], samples, b->own);
        if (!take_part(b, &b->grid, &parts[i], b->own)) return false;
    }
    *num = left;
    return true;
}

/* Looks at all halves as parts. samples: of the cell. */
static bool take_halves(solid_blocks *b, const double *samples)
{
    const size_t reals = (size_t)NET_GRID * b->samples->m->channels;
    solid_block *const parts = b->halves;
    const size_t capacity = b->half_capacity;
    size_t num = b->num_halves;
    b->halves = b->parts;
    b->half_capacity = b->part_capacity;
    b->num_halves = 0;
    b->parts = parts;
    b->part_capacity = capacity;
    bool done = take_known(b, samples, parts, &num);
    for (size_t first = 0; done && first < num; first += MOST_PARTS) {
        const size_t count = num - first < MOST_PARTS ? num - first : MOST_PARTS;
        done = sample_parts(b, parts + first, count);
        for (size_t i = 0; done && i < count; i++)
            done = take_part(b, &b->inner, &parts[first + i], b->values + i * reals);
    }
    return done;
}

/* ---- all together ---- */

static void forget(solid_blocks *b)
{
    for (size_t i = 0; i < b->num; i++)
        free(b->blocks[i].net);
    b->num = 0;
    b->num_halves = 0;
}

bool solid_blocks_make(solid_blocks *b, uint32_t cell, const double *samples)
{
    const solid_block whole = {.cell = cell, .size = {1, 1, 1}};
    forget(b);
    bool done = take_part(b, &b->grid, &whole, solid_blocks_whole(b, samples));
    while (done && b->num_halves > 0)
        done = take_halves(b, samples);
    return done;
}

void solid_blocks_close(solid_blocks *b)
{
    forget(b);
    free(b->scale);
    free(b->own);
    free(b->blocks);
    free(b->parts);
    free(b->halves);
    free(b->params);
    free(b->made);
    free(b->cells);
    free(b->values);
    *b = (solid_blocks){.samples = NULL};
}
