/* The definition of one clspi_cell_sums, CELL_SUMS, in the precision `real`. Control points are
   taken relative to one of the cell, its centre, which is added at the end, as kernels do. Channels
   are made `width` at once: 1 or 3 where there are so many, else 4, of which those behind the last
   are zeros. */
#include "cell_class.h"
#include "cell_sums.h"
#include "level.h"

enum {
    WIDTH = CLSPI_STAGED_WIDTH,
    ROW = 96,    /* reals of a row, samples along w times dim, that are made at once */
    PLANE = 768, /* of some rows */
    SPARE = 16,  /* behind them, where the last four reals of a row may reach */
    STRIP = 64,  /* samples of a table that are made at once, */
    TERMS = 4,   /* by so many terms at once */
    CENTRE = 21  /* of the 64 points of a regular cell */
};

/* The dim that are made, and where. */
typedef struct channel_block {
    const clspi_cell_grid *grid;
    real *staged;
    real *out;           /* at the block's first channel, */
    const real *control; /* and so is this */
    real centre[WIDTH];
    uint32_t width, used;
} channel_block;

/* ---- points ---- */

CLSPI_INLINE const real *point_of(const channel_block *b, uint32_t number)
{
    return b->control + (size_t)number * b->grid->dim;
}

CLSPI_INLINE void set_centre(channel_block *b, uint32_t number)
{
    const real *const p = point_of(b, number);

    for (uint32_t c = 0; c < WIDTH; c++)
        b->centre[c] = c < b->used ? p[c] : 0;
}

/* Returns so many terms with those that are added as zeros. */
CLSPI_INLINE size_t round_up(uint32_t terms)
{
    return ((size_t)terms + TERMS - 1) / TERMS * TERMS;
}

/* Stages zeros behind the last of so many points. */
CLSPI_INLINE void stage_zeros(real *staged, uint32_t terms)
{
    for (size_t x = (size_t)terms * WIDTH; x < round_up(terms) * WIDTH; x++)
        staged[x] = 0;
}

CLSPI_INLINE void stage_points(channel_block *b, const uint32_t *points, uint32_t num)
{
    for (uint32_t k = 0; k < num; k++) {
        const real *const p = point_of(b, points[k]);
        for (uint32_t c = 0; c < WIDTH; c++)
            b->staged[k * WIDTH + c] = c < b->used ? p[c] - b->centre[c] : 0;
    }
}

/* Stages the points of a layered cell, layer by layer in the cell's own direction. */
CLSPI_INLINE void stage_layers(channel_block *b, const clspi_cell_sum *cell)
{
    const uint32_t n = cell->terms;

    for (uint32_t l = 0; l < 4; l++) {
        const uint16_t *const at = cell->slice + (size_t)l * n;
        const uint16_t *const one = cell->slice + (size_t)(l < 2 ? 1 : 2) * n;
        const uint16_t *const two = cell->slice + (size_t)(l < 2 ? 2 : 1) * n;
        real *const to = b->staged + (cell->flips ? 3 - l : l) * round_up(n) * WIDTH;
        for (uint32_t k = 0; k < n; k++) {
            const bool is_there = at[k] != CLSPI_NO_POINT;
            const real *const p = point_of(b, cell->points[is_there ? at[k] : one[k]]);
            const real *const q = point_of(b, cell->points[is_there ? at[k] : two[k]]);
            for (uint32_t c = 0; c < WIDTH; c++)
                to[k * WIDTH + c] = c < b->used ? p[c] - b->centre[c] + (p[c] - q[c]) : 0;
        }
        stage_zeros(to, n);
    }
}

/* Writes the centre's share of so many samples. */
CLSPI_INLINE void repeat_centre(const channel_block *b, real *restrict to, uint32_t samples)
{
    for (uint32_t s = 0; s < samples; s++)
        for (uint32_t c = 0; c < b->width; c++)
            to[s * b->width + c] = b->grid->is_value ? b->centre[c] : 0;
}

/* ---- sums of four ---- */

/* Sums four rows, and what is added to them. */
CLSPI_INLINE void sum_four(real *restrict to, const real *restrict from, size_t stride,
                           const real *restrict f, const real *restrict more, size_t num)
{
    const real *restrict const s1 = from + stride;
    const real *restrict const s2 = s1 + stride;
    const real *restrict const s3 = s2 + stride;
    const real f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];

    for (size_t x = 0; x < num; x++) {
        const real sum = f0 * from[x] + f1 * s1[x] + (f2 * s2[x] + f3 * s3[x]);
        to[x] = more ? more[x] + sum : sum;
    }
}

/* Copies samples of the block that stand side by side to where they belong. */
CLSPI_INLINE void put_samples(const channel_block *b, real *restrict to, const real *restrict from,
                              uint32_t num)
{
    for (uint32_t s = 0; s < num; s++)
        for (uint32_t c = 0; c < b->used; c++)
            to[(size_t)s * b->grid->dim + c] = from[s * b->width + c];
}

/* ---- regular cells ---- */

/* Sums along w: of the 16 lines of points, ROW reals each; four reals at a time, of which the next
   ones take the place of those behind the dim. */
CLSPI_INLINE void sum_lines(const channel_block *b, real *restrict sums, const real *along,
                            uint32_t num)
{
    for (uint32_t line = 0; line < 16; line++) {
        const real *restrict const p = b->staged + (size_t)line * 4 * WIDTH;
        real *restrict const to = sums + line * (ROW + SPARE);
        for (uint32_t w = 0; w < num; w++) {
            const real f0 = along[4 * w], f1 = along[4 * w + 1];
            const real f2 = along[4 * w + 2], f3 = along[4 * w + 3];
            for (uint32_t c = 0; c < WIDTH; c++)
                to[w * b->width + c] =
                    f0 * p[c] + f1 * p[WIDTH + c] + (f2 * p[2 * WIDTH + c] + f3 * p[3 * WIDTH + c]);
        }
    }
}

/* The samples of a regular cell that are made together: some along v and w. */
typedef struct cell_part {
    uint32_t v, num_v, w, num_w;
} cell_part;

/* Sums along v and then u, of sums along w, and writes them. */
CLSPI_INLINE void make_part(const channel_block *b, const cell_part *part, const real *sums,
                            const real *middle)
{
    const uint32_t *const num = b->grid->num;
    const real *const along = b->grid->along[0], *const along_v = b->grid->along[1];
    const uint32_t row = part->num_w * b->width, step = num[2] * b->grid->dim;
    const bool is_adjacent = b->width == b->grid->dim && part->num_w == num[2];
    real planes[4 * (PLANE + SPARE)], rows[PLANE];

    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t v = 0; v < part->num_v; v++)
            sum_four(planes + i * (PLANE + SPARE) + v * row, sums + 4 * i * (ROW + SPARE),
                     ROW + SPARE, along_v + 4 * (size_t)(part->v + v), NULL, row);
    for (uint32_t u = 0; u < num[0]; u++) {
        real *const to =
            b->out + ((size_t)u * num[1] + part->v) * step + (size_t)part->w * b->grid->dim;
        sum_four(is_adjacent ? to : rows, planes, PLANE + SPARE, along + 4 * u, middle,
                 (size_t)part->num_v * row);
        for (uint32_t v = 0; v < part->num_v && !is_adjacent; v++)
            put_samples(b, to + (size_t)v * step, rows + v * row, part->num_w);
    }
}

CLSPI_INLINE void make_regular(channel_block *b, const clspi_cell_sum *cell)
{
    const uint32_t *const num = b->grid->num;
    const uint32_t most = num[2] < ROW / b->width ? num[2] : ROW / b->width;
    const uint32_t rows = PLANE / (most * b->width);
    const real *const along_w = b->grid->along[2];
    real sums[16 * (ROW + SPARE)], middle[PLANE];

    set_centre(b, cell->points[CENTRE]);
    stage_points(b, cell->points, CLSPI_GRID_POINTS);
    repeat_centre(b, middle, (rows < num[1] ? rows : num[1]) * most);
    for (uint32_t w = 0; w < num[2]; w += most) {
        const uint32_t wide = num[2] - w < most ? num[2] - w : most;
        sum_lines(b, sums, along_w + 4 * (size_t)w, wide);
        for (uint32_t v = 0; v < num[1]; v += rows) {
            const cell_part part = {v, num[1] - v < rows ? num[1] - v : rows, w, wide};
            make_part(b, &part, sums, middle);
        }
    }
}

/* ---- tables ---- */

/* Adds four terms of the samples of a strip, one of a vertex's reals after the other. */
CLSPI_INLINE void add_terms(const real *const f[TERMS], const real *p, uint32_t width,
                            real sums[WIDTH][STRIP], size_t num)
{
    const real *restrict const f0 = f[0], *restrict const f1 = f[1];
    const real *restrict const f2 = f[2], *restrict const f3 = f[3];
    real *restrict const x = sums[0], *restrict const y = sums[1];
    real *restrict const z = sums[2], *restrict const w = sums[3];
    const real x0 = p[0], x1 = p[WIDTH], x2 = p[2 * WIDTH], x3 = p[3 * WIDTH];
    const real y0 = p[1], y1 = p[WIDTH + 1], y2 = p[2 * WIDTH + 1], y3 = p[3 * WIDTH + 1];
    const real z0 = p[2], z1 = p[WIDTH + 2], z2 = p[2 * WIDTH + 2], z3 = p[3 * WIDTH + 2];
    const real w0 = p[3], w1 = p[WIDTH + 3], w2 = p[2 * WIDTH + 3], w3 = p[3 * WIDTH + 3];

    for (size_t s = 0; s < num; s++) {
        x[s] += x3 * f3[s] + x2 * f2[s] + (x1 * f1[s] + x0 * f0[s]);
        if (width > 1) y[s] += y3 * f3[s] + y2 * f2[s] + (y1 * f1[s] + y0 * f0[s]);
        if (width > 2) z[s] += z3 * f3[s] + z2 * f2[s] + (z1 * f1[s] + z0 * f0[s]);
        if (width > 3) w[s] += w3 * f3[s] + w2 * f2[s] + (w1 * f1[s] + w0 * f0[s]);
    }
}

/* Sums so many samples from `first` on over all terms, from the last on, whose weights are the
   least. staged: its points; zeros to a multiple of TERMS. to: [samples][width]. */
CLSPI_INLINE void sum_samples(const channel_block *b, const clspi_cell_sum *cell, size_t first,
                              const real *staged, real *restrict to, uint32_t num)
{
    const real *const table = (const real *)cell->table + first;
    real sums[WIDTH][STRIP] = {{0}};

    for (size_t k = round_up(cell->terms); k > 0; k -= TERMS) {
        const real *f[TERMS];
        for (size_t i = 0; i < TERMS; i++) {
            const size_t term = k - TERMS + i;
            f[i] = table + (term < cell->terms ? term : k - TERMS) * cell->stride;
        }
        add_terms(f, staged + (k - TERMS) * WIDTH, b->width, sums, num);
    }
    for (uint32_t s = 0; s < num; s++)
        for (uint32_t c = 0; c < b->width; c++)
            to[s * b->width + c] = sums[c][s];
}

CLSPI_INLINE void make_by_table(channel_block *b, const clspi_cell_sum *cell)
{
    const uint32_t *const num = b->grid->num;
    const size_t samples = (size_t)num[0] * num[1] * num[2];
    real made[WIDTH * STRIP], middle[WIDTH * STRIP];

    set_centre(b, cell->points[0]);
    stage_points(b, cell->points, cell->terms);
    stage_zeros(b->staged, cell->terms);
    repeat_centre(b, middle, STRIP);
    for (size_t first = 0; first < samples; first += STRIP) {
        const uint32_t some = (uint32_t)(samples - first < STRIP ? samples - first : STRIP);
        sum_samples(b, cell, first, b->staged, made, some);
        for (uint32_t x = 0; x < some * b->width; x++)
            made[x] += middle[x];
        put_samples(b, b->out + first * b->grid->dim, made, some);
    }
}

/* ---- layers ---- */

/* How samples of slices and those across them lie: as slice_shape.clh has it. */
typedef struct slices {
    uint32_t num, num_q, across;
    size_t step, step_p, step_q; /* in reals */
    const real *along;
} slices;

CLSPI_INLINE slices slices_of(const clspi_cell_grid *grid, uint32_t direction)
{
    const uint32_t *const num = grid->num;
    const size_t step[3] = {(size_t)num[1] * num[2] * grid->dim, (size_t)num[2] * grid->dim,
                            grid->dim};
    const uint32_t p = direction == 0 ? 1 : 0, q = direction == 2 ? 1 : 2;
    const slices s = {num[p] * num[q], num[q],  num[direction],        step[direction],
                      step[p],         step[q], grid->along[direction]};

    return s;
}

/* Writes the samples across slices of a strip: sums over layers. planes: [4][STRIP * WIDTH]. */
CLSPI_INLINE void write_strip(const channel_block *b, const slices *s, uint32_t first, uint32_t num,
                              const real *planes, const real *middle)
{
    const bool is_adjacent =
        b->width == b->grid->dim && s->step_q == b->width && s->step_p == s->num_q * s->step_q;
    real made[WIDTH * STRIP];
    size_t place[STRIP];

    for (uint32_t i = 0; i < num; i++)
        place[i] = (first + i) / s->num_q * s->step_p + (first + i) % s->num_q * s->step_q;
    for (uint32_t a = 0; a < s->across; a++) {
        real *const to = b->out + a * s->step;
        sum_four(is_adjacent ? to + place[0] : made, planes, WIDTH * STRIP, s->along + 4 * a,
                 middle, (size_t)num * b->width);
        for (uint32_t i = 0; i < num && !is_adjacent; i++)
            for (uint32_t c = 0; c < b->used; c++)
                to[place[i] + c] = made[i * b->width + c];
    }
}

CLSPI_INLINE void make_by_layers(channel_block *b, const clspi_cell_sum *cell)
{
    const slices s = slices_of(b->grid, cell->direction);
    real planes[4 * WIDTH * STRIP], middle[WIDTH * STRIP];

    set_centre(b, cell->points[cell->slice[cell->terms]]);
    stage_layers(b, cell);
    repeat_centre(b, middle, STRIP);
    for (uint32_t first = 0; first < s.num; first += STRIP) {
        const uint32_t some = s.num - first < STRIP ? s.num - first : STRIP;
        for (uint32_t l = 0; l < 4; l++)
            sum_samples(b, cell, first, b->staged + l * round_up(cell->terms) * WIDTH,
                        planes + l * WIDTH * STRIP, some);
        write_strip(b, &s, first, some, planes, middle);
    }
}

/* ---- cells ---- */

/* Makes dim of a cell, from `first` on. */
CLSPI_INLINE void make_block(const clspi_cell_grid *grid, const clspi_cell_sum *cell, real *staged,
                             real *out, uint32_t first, uint32_t width)
{
    const uint32_t left = grid->dim - first;
    channel_block b = {.grid = grid,
                       .staged = staged,
                       .out = out + first,
                       .control = (const real *)grid->control + first,
                       .width = width,
                       .used = width < WIDTH  ? width
                               : left < WIDTH ? left
                                              : WIDTH};

    if (cell->way == CLSPI_BY_SPLINES)
        make_regular(&b, cell);
    else if (cell->way == CLSPI_BY_LAYERS)
        make_by_layers(&b, cell);
    else
        make_by_table(&b, cell);
}

/* Makes a cell; the numbers of dim that are used most are constants in the loops. */
void CELL_SUMS(const clspi_cell_grid *grid, const clspi_cell_sum *cell, void *staged, void *out)
{
    if (grid->dim == 3)
        make_block(grid, cell, staged, out, 0, 3);
    else if (grid->dim == 1)
        make_block(grid, cell, staged, out, 0, 1);
    else
        for (uint32_t first = 0; first < grid->dim; first += WIDTH)
            make_block(grid, cell, staged, out, first, WIDTH);
}
