/* The definition of one clspi_cell_sums, CELL_SUMS, in the precision `real`. Control points are
   taken relative to one of the cell, its centre, which is added at the end, as kernels do. A sum
   has the same bits whatever others a vertex has: sums of four have one order. */
#include "cell_staging_real.h"

enum {
    BLOCK = CLSPI_WIDTH == 64 ? 4 : 2, /* vectors of samples of a table that are made at once */
    GROUP = 3,                         /* of a period of weights that are in registers */
    ROW = 192,         /* reals of a row, samples along w times slots, that are made at once, */
    PLANE = CLSPI_RUN, /* and of some rows */
    SPARE = 16,        /* behind them, where the last vector of a row may reach */
    LINE = ROW + SPARE,
    LAYER = PLANE + SPARE,
    SAMPLES = 256,   /* of a table that are made at once, at most, */
    TERMS = 8,       /* by so many terms at once */
    STRIP = 64,      /* samples of a slice that are made at once, at most */
    STRIP_PART = 16, /* of which there is a multiple */
    MADE = 64 * CLSPI_SLOTS
};

/* ---- rows ---- */

/* Sums four vectors that are `step` reals apart. */
CLSPI_INLINE vec sum_four(const real *row, size_t step, const vec f[4])
{
    vec sum = f[3] * load(row + 3 * step);

    sum = f[2] * load(row + 2 * step) + sum;
    sum = f[1] * load(row + step) + sum;
    return f[0] * load(row) + sum;
}

/* Loads the weights of four rows. */
CLSPI_INLINE void load_four(const real *weights, size_t period, vec f[4])
{
    for (size_t i = 0; i < 4; i++)
        f[i] = load(weights + i * period);
}

/* Stores the first reals of a vector. */
CLSPI_INLINE void store_some(real *to, vec x, size_t num)
{
    real lanes[LANES];

    store(lanes, x);
    if (num & 8 && LANES > 8) memcpy(to, lanes, 8 * sizeof *to);
    if (num & 4 && LANES > 4) memcpy(to + (num & 8), lanes + (num & 8), 4 * sizeof *to);
    if (num & 2 && LANES > 2) memcpy(to + (num & 12), lanes + (num & 12), 2 * sizeof *to);
    if (num & 1) to[num & 14] = lanes[num & 14];
}

/* Four rows of sums, the weights of which repeat after a period, and what is added. */
typedef struct row_sum {
    const real *rows;
    size_t step, period, num; /* from a row to the next; reals */
    const real *weights;      /* [4][period] */
    const real *more;         /* [period] */
} row_sum;

/* Sums what some vectors of each period are, the weights of which stay in registers. */
CLSPI_INLINE void sum_group(const row_sum *r, real *restrict to, size_t x, size_t group)
{
    const size_t period = r->period, step = r->step, num = r->num;
    const real *const rows = r->rows;
    vec f[GROUP][4], more[GROUP];

    CLSPI_UNROLL(3)
    for (size_t j = 0; j < group; j++) {
        load_four(r->weights + x + j * LANES, period, f[j]);
        more[j] = load(r->more + x + j * LANES);
    }
    for (; x + group * LANES <= num; x += period) {
        CLSPI_UNROLL(3)
        for (size_t j = 0; j < group; j++)
            store(to + x + j * LANES, sum_four(rows + x + j * LANES, step, f[j]) + more[j]);
    }
    CLSPI_UNROLL(3)
    for (size_t j = 0; j < group; j++) {
        const size_t at = x + j * LANES;
        if (at >= num) continue;
        const vec sum = sum_four(rows + at, step, f[j]) + more[j];
        if (at + LANES <= num)
            store(to + at, sum);
        else
            store_some(to + at, sum, num - at);
    }
}

/* Sums rows that are shorter than a period. */
CLSPI_INLINE void sum_short(const row_sum *r, real *restrict to)
{
    for (size_t x = 0; x < r->num; x += LANES) {
        vec f[4];
        load_four(r->weights + x, r->period, f);
        const vec sum = sum_four(r->rows + x, r->step, f) + load(r->more + x);
        if (x + LANES <= r->num)
            store(to + x, sum);
        else
            store_some(to + x, sum, r->num - x);
    }
}

/* Sums rows, and writes just so many reals. */
static void write_rows(const row_sum *r, real *to)
{
    const size_t group = r->period / LANES % GROUP == 0 ? GROUP : 1;

    if (r->num <= r->period) {
        sum_short(r, to);
        return;
    }
    for (size_t x = 0; x < r->period; x += group * LANES)
        if (group == GROUP)
            sum_group(r, to, x, GROUP);
        else
            sum_group(r, to, x, 1);
}

/* ---- vertices ---- */

/* Brings a run that is made to where it belongs. */
CLSPI_INLINE void put_run(const channel_block *b, const clspi_sample_run *run, const real *made)
{
    const size_t slots = b->grid->slots;

    if (!b->grid->is_dense) {
        b->grid->store(b->grid->user, run, made, b->first, b->used);
    } else if (!run->place) {
        memcpy(b->out + run->first * slots, made, run->num * slots * sizeof *made);
    } else {
        for (size_t i = 0; i < run->num; i++)
            for (size_t x = 0; x < slots; x++)
                b->out[run->place[i] * slots + x] = made[i * slots + x];
    }
}

/* Makes a run of its last four rows. */
CLSPI_INLINE void make_run(const channel_block *b, const clspi_sample_run *run, const real *rows,
                           const real *weights)
{
    const size_t slots = b->grid->slots;
    const row_sum r = {rows, LAYER, b->grid->period, run->num * slots, weights, b->middle};
    _Alignas(CACHE_LINE) real made[LAYER];

    if (b->grid->is_dense && !run->place) {
        write_rows(&r, b->out + run->first * slots);
    } else {
        write_rows(&r, made);
        put_run(b, run, made);
    }
}

/* ---- regular cells ---- */

/* The samples of a regular cell that are made together: some along v and w. */
typedef struct cell_part {
    uint32_t v, num_v, w, num_w;
} cell_part;

/* Sums all lines of points at a sample along w. to: [16 lines]. */
CLSPI_INLINE void sum_points(const real *staged, const real *along, real *to)
{
    const vec f[4] = {along[0] + (vec){0}, along[1] + (vec){0}, along[2] + (vec){0},
                      along[3] + (vec){0}};

    for (size_t x = 0; x < 16 * WIDTH; x += LANES)
        store(to + x, sum_four(staged + x, 16 * WIDTH, f));
}

/* Puts zeros behind rows that are `step` reals apart, where a vector that begins in a row may end:
   subnormal numbers that happen to stand there would cost some processors many sums. */
CLSPI_INLINE void zero_behind(real *rows, size_t step, size_t num, size_t row)
{
    for (size_t i = 0; i < num; i++)
        store(rows + i * step + row, (vec){0});
}

/* Sums along w: rows of slots, LINE reals each; points are brought whole, of which the next ones
   take the place of what is behind the width. */
CLSPI_INLINE void sum_lines(const channel_block *b, const cell_part *part, uint32_t width,
                            real *lines)
{
    const clspi_cell_grid *const grid = b->grid;
    _Alignas(CACHE_LINE) real sums[CLSPI_MOST_ORDER + 1][16 * WIDTH];

    zero_behind(lines, LINE, 16, part->num_w * grid->slots);
    for (size_t w = 0; w < part->num_w; w++) {
        for (uint32_t o = 0; o <= grid->most_w; o++)
            sum_points(b->staged, (const real *)grid->along[o] + 4 * (part->w + w), sums[o]);
        for (size_t k = 0; k < grid->num_sums; k++) {
            const real *const from = sums[clspi_order_by[grid->number[k]][2]];
            real *const to = lines + w * grid->slots + k * width;
            for (size_t line = 0; line < 16; line++)
                memcpy(to + line * LINE, from + line * WIDTH, WIDTH * sizeof *to);
        }
    }
}

/* Sums along v: rows of slots are adjacent at so many samples. planes: [4][LAYER]. */
CLSPI_INLINE void sum_planes(const channel_block *b, const cell_part *part, const real *lines,
                             real *planes)
{
    const size_t period = b->grid->period, row = (size_t)part->num_w * b->grid->slots;
    const real *weights = (const real *)b->grid->weights[1] + part->v * 4 * period;

    for (size_t v = 0; v < part->num_v; v++, weights += 4 * period)
        for (size_t x = 0, phase = 0; x < row; x += LANES) {
            vec f[4];
            load_four(weights + phase, period, f);
            for (size_t i = 0; i < 4; i++)
                store(planes + i * LAYER + v * row + x,
                      sum_four(lines + 4 * i * LINE + x, LINE, f));
            phase = phase + LANES < period ? phase + LANES : 0;
        }
}

/* Sums along v and then u, of sums along w. */
CLSPI_INLINE void make_part(const channel_block *b, const cell_part *part, const real *lines)
{
    const clspi_cell_grid *const grid = b->grid;
    const uint32_t *const num = grid->num;
    const size_t row = (size_t)part->num_w * grid->slots;
    const uint32_t some = part->num_w == num[2] ? part->num_v : 1; /* rows that are adjacent */
    const real *weights = grid->weights[0];
    _Alignas(CACHE_LINE) real planes[4 * LAYER];

    sum_planes(b, part, lines, planes);
    zero_behind(planes, LAYER, 4, part->num_v * row);
    for (uint32_t u = 0; u < num[0]; u++, weights += 4 * (size_t)grid->period)
        for (uint32_t v = 0; v < part->num_v; v += some) {
            const uint32_t first = (u * num[1] + part->v + v) * num[2] + part->w;
            const clspi_sample_run run = {some * part->num_w, first, NULL};
            make_run(b, &run, planes + v * row, weights);
        }
}

CLSPI_INLINE void make_regular(channel_block *b, const clspi_cell_sum *cell, uint32_t width)
{
    const uint32_t *const num = b->grid->num, slots = b->grid->slots;
    const uint32_t most = num[2] < ROW / slots ? num[2] : ROW / slots;
    const uint32_t rows = PLANE / (most * slots);
    _Alignas(CACHE_LINE) real lines[16 * LINE];

    set_centre(b, cell->points[cell->grid[CENTRE]], width);
    stage_grid(b, cell);
    for (uint32_t w = 0; w < num[2]; w += most) {
        cell_part part = {.w = w, .num_w = num[2] - w < most ? num[2] - w : most};
        sum_lines(b, &part, width, lines);
        for (part.v = 0; part.v < num[1]; part.v += rows) {
            part.num_v = num[1] - part.v < rows ? num[1] - part.v : rows;
            make_part(b, &part, lines);
        }
    }
}

/* ---- tables ---- */

/* Writes vectors of samples, one for each channel, as samples whose first channels are `step` reals
   apart. */
CLSPI_INLINE void write_samples(const vec *sums, uint32_t width, real *to, size_t step)
{
    real lanes[WIDTH][LANES];

    for (uint32_t c = 0; c < width; c++)
        memcpy(lanes[c], &sums[c], sizeof lanes[c]);
    for (size_t i = 0; i < LANES; i++)
        for (uint32_t c = 0; c < width; c++)
            to[i * step + c] = lanes[c][i];
}

/* Terms of a table from number `end` - 1 down to `begin`, whose weights are the least; and from a
   vector of samples, or of sums, to the next one so many reals. */
typedef struct table_part {
    const real *table; /* of the first vector */
    size_t apart, begin, end;
} table_part;

/* Adds terms to some vectors. */
CLSPI_INLINE void add_terms(const channel_block *b, const clspi_cell_sum *cell,
                            const table_part *part, uint32_t block, uint32_t width,
                            vec (*to)[WIDTH])
{
    vec sums[BLOCK][WIDTH];

    CLSPI_UNROLL(4)
    for (uint32_t j = 0; j < block; j++) {
        CLSPI_UNROLL(4)
        for (uint32_t c = 0; c < width; c++)
            sums[j][c] = to[j][c];
    }
    for (size_t k = part->end; k-- > part->begin;) {
        const real *const f = part->table + k * cell->stride, *const p = b->staged + k * WIDTH;
        CLSPI_UNROLL(4)
        for (uint32_t j = 0; j < block; j++) {
            const vec weights = load(f + j * part->apart);
            CLSPI_UNROLL(4)
            for (uint32_t c = 0; c < width; c++)
                sums[j][c] += weights * p[c];
        }
    }
    CLSPI_UNROLL(4)
    for (uint32_t j = 0; j < block; j++) {
        CLSPI_UNROLL(4)
        for (uint32_t c = 0; c < width; c++)
            to[j][c] = sums[j][c];
    }
}

/* Sums so many vectors of samples, from the last terms on: some terms of all, then the next ones,
   so that few rows of the table are read at once. to: [samples][slots], from the sum's first slot
   on. */
CLSPI_INLINE void sum_samples(const channel_block *b, const clspi_cell_sum *cell, const real *table,
                              uint32_t num, uint32_t width, bool is_value, real *to)
{
    const size_t slots = b->grid->slots, some = num <= BLOCK ? cell->terms : TERMS;
    vec sums[SAMPLES / LANES][WIDTH];

    for (uint32_t j = 0; j < num; j++)
        for (uint32_t c = 0; c < width; c++)
            sums[j][c] = (vec){0};
    for (size_t end = cell->terms, begin; end > 0; end = begin) {
        uint32_t j = 0;
        begin = end > some ? end - some : 0;
        table_part part = {table, LANES, begin, end};
        for (; j + BLOCK <= num; j += BLOCK, part.table += BLOCK * LANES)
            add_terms(b, cell, &part, BLOCK, width, sums + j);
        for (; j < num; j++, part.table += LANES)
            add_terms(b, cell, &part, 1, width, sums + j);
    }
    for (uint32_t j = 0; j < num; j++) {
        for (uint32_t c = 0; c < width; c++)
            if (is_value) sums[j][c] += b->centre[c];
        write_samples(sums[j], width, to + j * LANES * slots, slots);
    }
}

/* Sums a vector of samples, BLOCK sums of a vertex together: one after another would wait for each
   term. table: of the first one; to: [samples][slots], from its first slot on. */
CLSPI_INLINE void sum_together(const channel_block *b, const clspi_cell_sum *cell,
                               const real *table, uint32_t width, bool is_value, real *to)
{
    const table_part part = {table, cell->step, 0, cell->terms};
    vec sums[BLOCK][WIDTH];

    for (uint32_t j = 0; j < BLOCK; j++)
        for (uint32_t c = 0; c < width; c++)
            sums[j][c] = (vec){0};
    add_terms(b, cell, &part, BLOCK, width, sums);
    for (uint32_t c = 0; c < width && is_value; c++)
        sums[0][c] += b->centre[c];
    for (uint32_t j = 0; j < BLOCK; j++)
        write_samples(sums[j], width, to + j * width, b->grid->slots);
}

/* Makes all sums of so many vectors of samples, from one sample on: where these are few, vector by
   vector. */
CLSPI_INLINE void make_samples(const channel_block *b, const clspi_cell_sum *cell, uint32_t first,
                               uint32_t num, uint32_t width, real *made)
{
    const clspi_cell_grid *const grid = b->grid;
    const uint32_t some = num < BLOCK ? 1 : num;

    for (uint32_t j = 0; j < num; j += some) {
        const real *const table = (const real *)cell->table + first + j * LANES;
        real *const to = made + (size_t)j * LANES * grid->slots;
        uint32_t k = 0; /* of other widths that would be more code than it is worth */
        for (; width == 3 && some == 1 && k + BLOCK <= grid->num_sums; k += BLOCK)
            sum_together(b, cell, table + k * cell->step, width, grid->number[k] == CLSPI_VALUE,
                         to + k * width);
        for (; k < grid->num_sums; k++)
            sum_samples(b, cell, table + k * cell->step, some, width,
                        grid->number[k] == CLSPI_VALUE, to + k * width);
    }
}

CLSPI_INLINE void make_by_table(channel_block *b, const clspi_cell_sum *cell, uint32_t width)
{
    const clspi_cell_grid *const grid = b->grid;
    const uint32_t samples = grid->num[0] * grid->num[1] * grid->num[2];
    const uint32_t fits = MADE / grid->slots / LANES;
    const uint32_t most = fits < SAMPLES / LANES ? fits : SAMPLES / LANES;
    _Alignas(CACHE_LINE) real made[MADE];

    set_centre(b, cell->points[0], width);
    stage_points(b, cell);
    for (uint32_t first = 0; first < samples; first += most * LANES) {
        const uint32_t left = samples - first, all = (left + LANES - 1) / LANES;
        const clspi_sample_run run = {left < most * LANES ? left : most * LANES, first, NULL};
        make_samples(b, cell, first, all < most ? all : most, width, made);
        put_run(b, &run, made);
    }
}

/* ---- layers ---- */

/* Returns the first sum that differs from sum k across slices alone. */
CLSPI_INLINE uint32_t like_of(const clspi_cell_grid *grid, const slices *s, uint32_t k)
{
    const uint8_t *const by = clspi_order_by[grid->number[k]];
    uint32_t like = 0;

    while (clspi_order_by[grid->number[like]][s->p] != by[s->p] ||
           clspi_order_by[grid->number[like]][s->q] != by[s->q])
        like++;
    return like;
}

/* Sums a vector of samples of a slice in all four layers. */
CLSPI_INLINE void sum_slices(const channel_block *b, const clspi_cell_sum *cell, const real *table,
                             uint32_t width, vec sums[4][WIDTH])
{
    const size_t layer = (size_t)cell->terms * WIDTH;

    CLSPI_UNROLL(4)
    for (uint32_t l = 0; l < 4; l++) {
        CLSPI_UNROLL(4)
        for (uint32_t c = 0; c < width; c++)
            sums[l][c] = (vec){0};
    }
    for (size_t k = cell->terms; k-- > 0;) {
        const vec weights = load(table + k * cell->stride);
        const real *const p = b->staged + k * WIDTH;
        CLSPI_UNROLL(4)
        for (uint32_t l = 0; l < 4; l++) {
            CLSPI_UNROLL(4)
            for (uint32_t c = 0; c < width; c++)
                sums[l][c] += weights * p[l * layer + c];
        }
    }
}

/* Makes the layers of a strip. planes: [4][LAYER], of [samples][slots]. */
CLSPI_INLINE void make_layers(const channel_block *b, const clspi_cell_sum *cell, const slices *s,
                              uint32_t first, uint32_t num, uint32_t width, real *planes)
{
    const clspi_cell_grid *const grid = b->grid;
    const size_t slots = grid->slots;

    for (uint32_t k = 0; k < grid->num_sums; k++) {
        if (like_of(grid, s, k) != k) continue;
        const real *const table = (const real *)cell->table + k * cell->step + first;
        for (uint32_t i = 0; i < num; i += LANES) {
            vec sums[4][WIDTH];
            sum_slices(b, cell, table + i, width, sums);
            for (uint32_t j = k; j < grid->num_sums; j++) {
                if (like_of(grid, s, j) != k) continue;
                CLSPI_UNROLL(4)
                for (uint32_t l = 0; l < 4; l++)
                    write_samples(sums[l], width, planes + l * LAYER + i * slots + j * width,
                                  slots);
            }
        }
    }
}

/* Writes the samples across slices of a strip: sums over layers. */
CLSPI_INLINE void write_strip(const channel_block *b, const slices *s, uint32_t first, uint32_t num,
                              const real *planes)
{
    const real *const along = b->grid->weights[s->direction];
    uint32_t place[STRIP];

    for (uint32_t i = 0; i < num; i++)
        place[i] = (first + i) / s->num_q * s->step_p + (first + i) % s->num_q * s->step_q;
    for (uint32_t a = 0; a < s->across; a++) {
        const clspi_sample_run run = {num, a * s->step + first, s->direction ? place : NULL};
        make_run(b, &run, planes, along + a * 4 * (size_t)b->grid->period);
        for (uint32_t i = 0; i < num; i++)
            place[i] += s->step;
    }
}

CLSPI_INLINE void make_by_layers(channel_block *b, const clspi_cell_sum *cell, uint32_t width)
{
    const slices s = slices_of(b->grid, cell->direction);
    const uint32_t fits = PLANE / b->grid->slots / STRIP_PART * STRIP_PART;
    const uint32_t most = fits < STRIP ? fits : STRIP;
    _Alignas(CACHE_LINE) real planes[4 * LAYER];

    set_centre(b, cell->points[cell->slice[cell->terms]], width);
    stage_layers(b, cell);
    for (uint32_t first = 0; first < s.num; first += most) {
        const uint32_t some = s.num - first < most ? s.num - first : most;
        make_layers(b, cell, &s, first, some, width, planes);
        write_strip(b, &s, first, some, planes);
    }
}

/* ---- cells ---- */

/* Makes so many channels of a cell, from `first` on. */
CLSPI_INLINE void make_block(const clspi_cell_grid *grid, const clspi_cell_sum *cell, real *staged,
                             real *out, uint32_t first, uint32_t width)
{
    const uint32_t left = grid->dim - first;
    _Alignas(CACHE_LINE) real middle[CLSPI_SLOT_PERIOD];
    channel_block b = {.grid = grid,
                       .staged = line_from(staged),
                       .out = out,
                       .control = (const real *)grid->control + first,
                       .middle = middle,
                       .first = first,
                       .used = left < width ? left : width};

    if (cell->way == CLSPI_BY_SPLINES)
        make_regular(&b, cell, width);
    else if (cell->way == CLSPI_BY_LAYERS)
        make_by_layers(&b, cell, width);
    else
        make_by_table(&b, cell, width);
}

/* Makes a cell; the widths that are used most are constants in the loops. */
void CELL_SUMS(const clspi_cell_grid *grid, const clspi_cell_sum *cell, void *staged, void *out)
{
    if (grid->width == 3)
        make_block(grid, cell, staged, out, 0, 3);
    else if (grid->width == 1)
        make_block(grid, cell, staged, out, 0, 1);
    else
        for (uint32_t first = 0; first < grid->dim; first += WIDTH)
            make_block(grid, cell, staged, out, first, WIDTH);
}
