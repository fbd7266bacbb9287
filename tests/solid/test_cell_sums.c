/* The host's sums of cells of solids against their definition in long double: all ways to make a
   cell, any number of dim, values and derivatives, in both precisions. */
#include "../support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell_class.h"
#include "cell_sums.h"

enum { POINTS = 300, TERMS = 37, SLICE = 13, GUARD = 16, STAGED = 4 * 4 * 40 };

/* A cell with random tables, as reals of one precision or the other. */
typedef struct sums_case {
    bool f64;
    clspi_cell_grid grid;
    clspi_cell_sum sum;
    uint32_t points[4 * SLICE > 64 ? 4 * SLICE : 64];
    uint16_t slice[4 * SLICE];
    void *control, *along, *table;
} sums_case;

static uint64_t seed = 5;
static double worst;

static double real_of(const sums_case *c, const void *reals, size_t i)
{
    return c->f64 ? ((const double *)reals)[i] : (double)((const float *)reals)[i];
}

static void *random_reals(const sums_case *c, size_t num, double scale)
{
    void *const reals = malloc(num * sizeof(double) + 1);

    assert_non_null(reals);
    for (size_t i = 0; i < num; i++) {
        const double x = scale * support_uniform(&seed);
        if (c->f64)
            ((double *)reals)[i] = x;
        else
            ((float *)reals)[i] = (float)x;
    }
    return reals;
}

static size_t samples_of(const sums_case *c)
{
    return (size_t)c->grid.num[0] * c->grid.num[1] * c->grid.num[2];
}

/* Describes a cell that is made one way. */
static void make_case(sums_case *c, clspi_cell_way way, uint32_t direction)
{
    const uint32_t *const num = c->grid.num;
    const size_t samples = samples_of(c) / (way == CLSPI_BY_LAYERS ? num[direction] : 1);
    const uint32_t terms = way == CLSPI_BY_LAYERS ? SLICE : TERMS;

    c->sum = (clspi_cell_sum){.way = way,
                              .points = c->points,
                              .terms = terms,
                              .slice = c->slice,
                              .flips = direction == 1,
                              .direction = direction,
                              .stride = (samples + 15) / 16 * 16};
    c->control = random_reals(c, (size_t)POINTS * c->grid.dim, 1.0);
    c->along = random_reals(c, 4 * ((size_t)num[0] + num[1] + num[2]), 0.5);
    c->table = random_reals(c, terms * c->sum.stride, 1.0 / terms);
    c->grid.control = c->control;
    for (uint32_t d = 0, before = 0; d < 3; before += num[d++])
        c->grid.along[d] =
            (const char *)c->along + 4 * before * (c->f64 ? sizeof(double) : sizeof(float));
    c->sum.table = c->table;
    for (size_t i = 0; i < sizeof c->points / sizeof *c->points; i++)
        c->points[i] = (uint32_t)(support_random(&seed) % POINTS);
    for (uint32_t i = 0; i < 4 * SLICE; i++) /* one layer beyond the boundary */
        c->slice[i] = i < SLICE && direction != 2 ? CLSPI_NO_POINT : (uint16_t)i;
}

static void free_case(sums_case *c)
{
    free(c->control);
    free(c->along);
    free(c->table);
}

/* Returns a weight along a direction. */
static long double along(const sums_case *c, uint32_t direction, uint32_t sample, uint32_t k)
{
    const uint32_t *const num = c->grid.num;
    const size_t before = direction == 0 ? 0 : direction == 1 ? num[0] : num[0] + num[1];

    return real_of(c, c->along, 4 * (before + sample) + k);
}

static long double coordinate(const sums_case *c, uint32_t point, uint32_t channel)
{
    return real_of(c, c->control, (size_t)c->points[point] * c->grid.dim + channel);
}

/* Returns point k of a layer, continued where it is beyond the boundary. */
static long double layer_point(const sums_case *c, uint32_t layer, uint32_t k, uint32_t channel)
{
    if (c->slice[layer * SLICE + k] != CLSPI_NO_POINT)
        return coordinate(c, c->slice[layer * SLICE + k], channel);
    return 2 * coordinate(c, c->slice[SLICE + k], channel) -
           coordinate(c, c->slice[2 * SLICE + k], channel);
}

/* The definition: sums relative to a control point, which is added. */
static long double exact(const sums_case *c, const uint32_t at[3], uint32_t channel)
{
    const uint32_t d = c->sum.direction, *const num = c->grid.num;
    const uint32_t p = d == 0 ? 1 : 0, q = d == 2 ? 1 : 2;
    const uint32_t middle = c->sum.way == CLSPI_BY_SPLINES  ? 21
                            : c->sum.way == CLSPI_BY_LAYERS ? c->slice[SLICE]
                                                            : 0;
    const long double centre = coordinate(c, middle, channel);
    long double sum = 0;

    if (c->sum.way == CLSPI_BY_SPLINES)
        for (uint32_t k = 0; k < 64; k++)
            sum += along(c, 0, at[0], k / 16) * along(c, 1, at[1], k / 4 % 4) *
                   along(c, 2, at[2], k % 4) * (coordinate(c, k, channel) - centre);
    else if (c->sum.way == CLSPI_BY_LAYERS)
        for (uint32_t k = 0; k < 4 * SLICE; k++)
            sum += along(c, d, at[d], c->sum.flips ? 3 - k / SLICE : k / SLICE) *
                   real_of(c, c->table, k % SLICE * c->sum.stride + at[p] * num[q] + at[q]) *
                   (layer_point(c, k / SLICE, k % SLICE, channel) - centre);
    else
        for (uint32_t k = 0; k < TERMS; k++)
            sum += real_of(c, c->table,
                           k * c->sum.stride + (at[0] * num[1] + at[1]) * num[2] + at[2]) *
                   (coordinate(c, k, channel) - centre);
    return c->grid.is_value ? sum + centre : sum;
}

static void check_case(const sums_case *c)
{
    const uint32_t *const num = c->grid.num, dim = c->grid.dim;
    const size_t reals = samples_of(c) * dim, real = c->f64 ? sizeof(double) : sizeof(float);
    const double bound = 8 * (c->f64 ? 0x1p-52 : 0x1p-23); /* sums of less than 2 */
    char *const out = malloc((reals + 2 * GUARD) * real);
    double *const staged = malloc(STAGED * sizeof *staged);

    assert_non_null(out);
    assert_non_null(staged);
    support_poison(out, (reals + 2 * GUARD) * real);
    (c->f64 ? clspi_cell_sums_f64 : clspi_cell_sums_f32)(&c->grid, &c->sum, staged,
                                                         out + GUARD * real);
    assert_true(support_poisoned(out, GUARD * real));
    assert_true(support_poisoned(out + (GUARD + reals) * real, GUARD * real));
    for (size_t i = 0; i < reals; i++) {
        const size_t s = i / dim;
        const uint32_t at[3] = {(uint32_t)(s / num[2] / num[1]), (uint32_t)(s / num[2] % num[1]),
                                (uint32_t)(s % num[2])};
        const double off = (double)fabsl((long double)real_of(c, out + GUARD * real, i) -
                                         exact(c, at, (uint32_t)(i % dim)));
        worst = support_worse(worst, off / bound);
        if (!(off <= bound))
            fail_msg("way %d, %u dim, %u x %u x %u: off by %g at %zu", (int)c->sum.way, dim, num[0],
                     num[1], num[2], off, i);
    }
    free(out);
    free(staged);
}

static void test_sums(void **state)
{
    static const uint32_t sizes[][3] = {{4, 4, 4}, {1, 1, 1}, {2, 9, 70}, {3, 1, 25},
                                        {1, 6, 2}, {5, 3, 1}, {8, 8, 8}};
    static const uint32_t dim[] = {1, 2, 3, 4, 5, 16};
    static const clspi_cell_way ways[] = {CLSPI_BY_SPLINES, CLSPI_BY_TABLE, CLSPI_BY_LAYERS,
                                          CLSPI_BY_LAYERS, CLSPI_BY_LAYERS};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < sizeof dim / sizeof *dim; k++)
            for (uint32_t w = 0; w < 5; w++)
                for (int f64 = 0; f64 < 2; f64++) {
                    sums_case c = {.f64 = f64 != 0,
                                   .grid = {.num = {sizes[s][0], sizes[s][1], sizes[s][2]},
                                            .dim = dim[k],
                                            .is_value = (s + k + w) % 3 != 0}};
                    make_case(&c, ways[w], w < 2 ? 0 : w - 2);
                    check_case(&c);
                    free_case(&c);
                }
    print_message("worst/bound %.2f\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
