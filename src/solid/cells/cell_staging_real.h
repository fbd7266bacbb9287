/* What evaluators of solids on the host have in common (cell_sums.h), in the precision `real`: the
   vectors of the level, control points relative to one of the cell, and how samples of slices
   lie. */
#ifndef CLSPI_CELL_STAGING_REAL_H
#define CLSPI_CELL_STAGING_REAL_H

#include <stdint.h>
#include <string.h>

#include "cell_class.h"
#include "cell_sums.h"
#include "level.h"

/* Vectors of the level, and of a point, or of a part of it. */
#if CLSPI_WIDTH
#define QUAD_BYTES (CLSPI_WIDTH < 4 * sizeof(real) ? CLSPI_WIDTH : 4 * sizeof(real))
typedef real vec CLSPI_VECTOR(CLSPI_WIDTH);
typedef real vec_anywhere CLSPI_VECTOR(CLSPI_WIDTH)
    __attribute__((aligned(sizeof(real)), may_alias));
typedef real quad CLSPI_VECTOR(QUAD_BYTES) __attribute__((aligned(sizeof(real)), may_alias));
#else
typedef real vec, vec_anywhere, quad;
#endif

enum {
    LANES = sizeof(vec) / sizeof(real),
    QUAD = sizeof(quad) / sizeof(real),
    WIDTH = CLSPI_STAGED_WIDTH,
    CACHE_LINE = 64, /* bytes: arrays begin with one, so that no vector is of two */
    CENTRE = 21      /* of the 64 points of a regular cell */
};

CLSPI_INLINE vec load(const real *from)
{
    return *(const vec_anywhere *)from;
}

CLSPI_INLINE void store(real *to, vec x)
{
    *(vec_anywhere *)to = x;
}

/* The channels that are made, and where. */
typedef struct channel_block {
    const clspi_cell_grid *grid;
    real *staged, *out;
    const real *control; /* from the first channel on */
    real *middle;        /* [period]: what each slot has of the centre, repeated */
    real centre[WIDTH];
    uint32_t first, used;
} channel_block;

/* ---- points ---- */

/* Returns where the first cache line begins in memory. */
CLSPI_INLINE real *line_from(void *memory)
{
    const size_t beyond = (uintptr_t)memory % CACHE_LINE;

    return (real *)(void *)((char *)memory + (beyond ? CACHE_LINE - beyond : 0));
}

CLSPI_INLINE const real *point_of(const channel_block *b, uint32_t number)
{
    return b->control + (size_t)number * b->grid->dim;
}

/* Takes a point as the centre. What a block has of a point behind the channels that are used is of
   other points, or of the room behind them, and goes nowhere. */
CLSPI_INLINE void set_centre(channel_block *b, uint32_t number, uint32_t width)
{
    const clspi_cell_grid *const grid = b->grid;
    const real *const p = point_of(b, number);

    for (uint32_t c = 0; c < WIDTH; c++)
        b->centre[c] = p[c];
    for (uint32_t x = 0; x < grid->period; x += LANES)
        store(b->middle + x, (vec){0});
    if (grid->number[0] != CLSPI_VALUE) return;
    for (uint32_t x = 0; x < grid->period; x += grid->slots)
        for (uint32_t c = 0; c < width; c++)
            b->middle[x + c] = b->centre[c];
}

/* Stages a point, relative to the centre. */
CLSPI_INLINE void stage_point(const real *restrict p, const real *restrict centre,
                              real *restrict to)
{
    CLSPI_UNROLL(4)
    for (size_t c = 0; c < WIDTH; c += QUAD)
        *(quad *)(to + c) = *(const quad *)(p + c) - *(const quad *)(centre + c);
}

/* Stages the points of a layered cell, layer by layer in the cell's own direction. */
CLSPI_INLINE void stage_layers(channel_block *b, const clspi_cell_sum *cell)
{
    const size_t n = cell->terms;

    for (uint32_t l = 0; l < 4; l++) {
        const uint16_t *const at = cell->slice + l * n;
        const uint16_t *const one = cell->slice + (l < 2 ? 1 : 2) * n;
        const uint16_t *const two = cell->slice + (l < 2 ? 2 : 1) * n;
        real *const to = b->staged + (cell->flips ? 3 - l : l) * n * WIDTH;
        for (uint32_t k = 0; k < n; k++) {
            const bool is_there = at[k] != CLSPI_NO_POINT;
            const real *const p = point_of(b, cell->points[is_there ? at[k] : one[k]]);
            const real *const q = point_of(b, cell->points[is_there ? at[k] : two[k]]);
            CLSPI_UNROLL(4)
            for (size_t c = 0; c < WIDTH; c += QUAD) {
                const quad x = *(const quad *)(p + c);
                *(quad *)(to + k * WIDTH + c) =
                    x - *(const quad *)(b->centre + c) + (x - *(const quad *)(q + c));
            }
        }
    }
}

/* Stages the points of a regular cell, those of the first place along w first: [4][16 lines]. */
CLSPI_INLINE void stage_grid(const channel_block *b, const clspi_cell_sum *cell)
{
    const real *const control = b->control;
    const size_t dim = b->grid->dim;
    const uint32_t *const points = cell->points;
    const uint8_t *const grid = cell->grid;
    real *const staged = b->staged;

    for (size_t line = 0; line < 16; line++)
        for (size_t k = 0; k < 4; k++)
            stage_point(control + points[grid[4 * line + k]] * dim, b->centre,
                        staged + (16 * k + line) * WIDTH);
}

/* Stages the points of a cell by a table. */
CLSPI_INLINE void stage_points(const channel_block *b, const clspi_cell_sum *cell)
{
    const real *const control = b->control;
    const size_t dim = b->grid->dim, num = cell->terms;
    const uint32_t *const points = cell->points;
    real *const staged = b->staged;

    for (size_t k = 0; k < num; k++)
        stage_point(control + points[k] * dim, b->centre, staged + k * WIDTH);
}

/* ---- slices ---- */

/* How samples of slices and those across them lie: as slice_shape.clh has it. */
typedef struct slices {
    uint32_t direction, p, q; /* across slices, and along them */
    uint32_t num, num_q, across;
    uint32_t step, step_p, step_q; /* in samples */
} slices;

CLSPI_INLINE slices slices_of(const clspi_cell_grid *grid, uint32_t direction)
{
    const uint32_t *const num = grid->num;
    const uint32_t step[3] = {num[1] * num[2], num[2], 1};
    const uint32_t p = direction == 0 ? 1 : 0, q = direction == 2 ? 1 : 2;
    const slices s = {direction,       p,       q,      num[p] * num[q], num[q], num[direction],
                      step[direction], step[p], step[q]};

    return s;
}

#endif
