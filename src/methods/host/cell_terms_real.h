/* The definition of one clspi_cell_terms, CELL_TERMS, in the precision `real`. A plain loop over
   the terms of points, of which each lane of a vector is one. */
#include "cell_staging_real.h"
#include "cell_terms.h"

/* Samples that are made at once, a lane each, and what their weights are made of. */
typedef struct some_samples {
    uint32_t num, place[LANES];
    vec splines[3][4]; /* along u, v, w, of regular cells; across slices the first ones, */
    const real *table; /* and of the first term, where a table has weights */
} some_samples;

CLSPI_INLINE vec weight_of(const clspi_cell_sum *cell, const some_samples *s, uint32_t k)
{
    switch (cell->way) {
    case CLSPI_BY_SPLINES:
        return s->splines[0][k % 16 / 4] * s->splines[1][k % 4] * s->splines[2][k / 16];
    case CLSPI_BY_LAYERS:
        return s->splines[0][k / cell->terms] * load(s->table + k % cell->terms * cell->stride);
    default:
        return load(s->table + k * cell->stride);
    }
}

/* Sums all terms of some samples, and stores their points. */
static void make_samples(const channel_block *b, const clspi_cell_sum *cell, const some_samples *s)
{
    const uint32_t terms = cell->way == CLSPI_BY_SPLINES  ? 64
                           : cell->way == CLSPI_BY_LAYERS ? 4 * cell->terms
                                                          : cell->terms;
    vec sum[WIDTH] = {(vec){0}};
    real lane[WIDTH][LANES];

    for (uint32_t k = 0; k < terms; k++) {
        const vec weight = weight_of(cell, s, k);
        CLSPI_UNROLL(4)
        for (uint32_t c = 0; c < WIDTH; c++)
            sum[c] += weight * b->staged[k * WIDTH + c];
    }
    memcpy(lane, sum, sizeof lane);
    for (uint32_t i = 0; i < s->num; i++)
        for (uint32_t c = 0; c < b->used; c++)
            b->out[s->place[i] * b->grid->dim + b->first + c] = b->middle[c] + lane[c][i];
}

/* Returns the four splines along a direction at a sample. */
CLSPI_INLINE real spline_of(const clspi_cell_grid *grid, uint32_t direction, uint32_t sample,
                            uint32_t k)
{
    return ((const real *)grid->weights[direction])[(4 * (size_t)sample + k) * grid->period];
}

/* Finds the splines of a regular cell's samples. */
static void find_splines(const clspi_cell_grid *grid, some_samples *s)
{
    real lane[3][4][LANES];

    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t sample = s->place[i < s->num ? i : 0], row = sample / grid->num[2];
        for (uint32_t k = 0; k < 4; k++) {
            lane[0][k][i] = spline_of(grid, 0, row / grid->num[1], k);
            lane[1][k][i] = spline_of(grid, 1, row % grid->num[1], k);
            lane[2][k][i] = spline_of(grid, 2, sample % grid->num[2], k);
        }
    }
    memcpy(s->splines, lane, sizeof lane);
}

/* Makes all samples of a cell that has no slices. */
static void make_all(const channel_block *b, const clspi_cell_sum *cell)
{
    const uint32_t all = b->grid->num[0] * b->grid->num[1] * b->grid->num[2];
    some_samples s;

    for (uint32_t first = 0; first < all; first += LANES) {
        s.num = all - first < LANES ? all - first : LANES;
        for (uint32_t i = 0; i < s.num; i++)
            s.place[i] = first + i;
        s.table = (const real *)cell->table + first;
        if (cell->way == CLSPI_BY_SPLINES) find_splines(b->grid, &s);
        make_samples(b, cell, &s);
    }
}

/* Makes the samples of all slices. */
static void make_slices(const channel_block *b, const clspi_cell_sum *cell)
{
    const slices of = slices_of(b->grid, cell->direction);
    some_samples s;

    for (uint32_t a = 0; a < of.across; a++) {
        for (uint32_t k = 0; k < 4; k++)
            s.splines[0][k] = spline_of(b->grid, of.direction, a, k) - (vec){0};
        for (uint32_t first = 0; first < of.num; first += LANES) {
            s.num = of.num - first < LANES ? of.num - first : LANES;
            for (uint32_t i = 0; i < s.num; i++)
                s.place[i] = a * of.step + (first + i) / of.num_q * of.step_p +
                             (first + i) % of.num_q * of.step_q;
            s.table = (const real *)cell->table + first;
            make_samples(b, cell, &s);
        }
    }
}

void CELL_TERMS(const clspi_cell_grid *grid, const clspi_cell_sum *cell, void *staged, void *out)
{
    const bool layers = cell->way == CLSPI_BY_LAYERS, regular = cell->way == CLSPI_BY_SPLINES;
    const uint32_t centre = cell->points[regular  ? cell->grid[CENTRE]
                                         : layers ? cell->slice[cell->terms]
                                                  : 0];
    _Alignas(CACHE_LINE) real middle[CLSPI_SLOT_PERIOD];
    channel_block b = {.grid = grid, .staged = line_from(staged), .out = out, .middle = middle};

    for (; b.first < grid->dim; b.first += WIDTH) {
        b.control = (const real *)grid->control + b.first;
        b.used = grid->dim - b.first < WIDTH ? grid->dim - b.first : WIDTH;
        set_centre(&b, centre, b.used);
        if (regular)
            stage_grid(&b, cell);
        else if (layers)
            stage_layers(&b, cell);
        else
            stage_points(&b, cell);
        if (layers)
            make_slices(&b, cell);
        else
            make_all(&b, cell);
    }
}
