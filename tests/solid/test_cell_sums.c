/* The host's sums of cells of solids against their definition in long double: all ways to make a
   cell, any number of dim, one sum and several, in both precisions, written in place and stored by
   a function; and the same bits for a sum whatever others there are. Nothing is summed of what
   stands in memory by chance: subnormal numbers, of which processors tell, stand there. */
#include "../support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell_class.h"
#include "cell_sums.h"
#include "point_sums.h"
#include "span_splines.h"
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

enum {
    POINTS = 300,
    TERMS = 37,
    SLICE = 13,
    GUARD = 16,
    STAGED = 4 * 4 * 40 + 8,
    ROOM = 4 /* reals behind the control points */
};

/* A cell with random tables, as reals of one precision or the other. */
typedef struct sums_case {
    bool f64;
    clspi_cell_grid grid;
    clspi_cell_sum sum;
    uint32_t points[4 * SLICE > 64 ? 4 * SLICE : 64];
    uint8_t places[64];
    uint16_t slice[4 * SLICE];
    void *control, *along, *table, *weights[3];
    char *out;    /* [samples][sums][dim] reals, */
    uint8_t *set; /* and which of those have been stored; NULL: in place */
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

static size_t real_bytes(const sums_case *c)
{
    return c->f64 ? sizeof(double) : sizeof(float);
}

static size_t samples_of(const sums_case *c)
{
    return (size_t)c->grid.num[0] * c->grid.num[1] * c->grid.num[2];
}

static const uint8_t *orders_of(const sums_case *c, uint32_t k)
{
    return clspi_order_by[c->grid.number[k]];
}

/* Returns the first sum whose slices are those of sum k. */
static uint32_t like_of(const sums_case *c, uint32_t k)
{
    uint32_t like = 0;

    for (uint32_t d = 0; d < 3;)
        if (d == c->sum.direction || orders_of(c, like)[d] == orders_of(c, k)[d]) {
            d++;
        } else {
            like++;
            d = 0;
        }
    return like;
}

/* Makes the tables of all sums: of layers those of sums with the same slices are the same. */
static void make_tables(sums_case *c)
{
    const size_t bytes = c->sum.step * real_bytes(c);

    c->table = random_reals(c, c->grid.num_sums * c->sum.step, 1.0 / c->sum.terms);
    for (uint32_t k = 0; k < c->grid.num_sums && c->sum.way == CLSPI_BY_LAYERS; k++)
        memcpy((char *)c->table + k * bytes, (char *)c->table + like_of(c, k) * bytes, bytes);
    c->sum.table = c->table;
}

static size_t num_along(const sums_case *c)
{
    return (size_t)c->grid.num[0] + c->grid.num[1] + c->grid.num[2];
}

/* Makes the weights of slots from those of samples: three orders, u, v and w. */
static void make_weights(sums_case *c)
{
    const uint32_t *const num = c->grid.num;
    const size_t all = num_along(c), real = real_bytes(c);

    for (uint32_t o = 0; o < 3; o++)
        c->grid.along[o] = (char *)c->along + (o * all + num[0] + num[1]) * 4 * real;
    for (uint32_t d = 0, before = 0; d < 3; before += num[d++]) {
        c->weights[d] = malloc(4 * (size_t)num[d] * c->grid.period * real);
        assert_non_null(c->weights[d]);
        clspi_cell_grid_weights(&c->grid, c->f64, d, (char *)c->along + 4 * before * real, 4 * all,
                                c->weights[d]);
        c->grid.weights[d] = c->weights[d];
    }
}

static void free_weights(const sums_case *c)
{
    for (uint32_t d = 0; d < 3; d++)
        free(c->weights[d]);
}

/* Describes a cell that is made one way. */
static void make_case(sums_case *c, clspi_cell_way way, uint32_t direction)
{
    const uint32_t *const num = c->grid.num;
    const size_t samples = samples_of(c) / (way == CLSPI_BY_LAYERS ? num[direction] : 1);
    const uint32_t terms = way == CLSPI_BY_LAYERS ? SLICE : TERMS;

    c->sum = (clspi_cell_sum){.way = way,
                              .points = c->points,
                              .grid = c->places,
                              .terms = terms,
                              .slice = c->slice,
                              .flips = direction == 1,
                              .direction = direction,
                              .stride = (samples + 15) / 16 * 16};
    c->sum.step = terms * c->sum.stride;
    clspi_cell_grid_shape(&c->grid, c->f64);
    c->along = random_reals(c, 3 * 4 * num_along(c), 0.5);
    make_weights(c);
    make_tables(c);
    c->control = random_reals(c, (size_t)POINTS * c->grid.dim + ROOM, 1.0);
    c->grid.control = c->control;
    for (size_t i = 0; i < sizeof c->points / sizeof *c->points; i++)
        c->points[i] = (uint32_t)(support_random(&seed) % POINTS);
    for (uint32_t i = 0; i < 64; i++)
        c->places[i] = (uint8_t)(i * 5 % 64);
    for (uint32_t i = 0; i < 4 * SLICE; i++) /* one layer beyond the boundary */
        c->slice[i] = i < SLICE && direction != 2 ? CLSPI_NO_POINT : (uint16_t)i;
}

static void free_case(sums_case *c)
{
    free(c->control);
    free(c->along);
    free(c->table);
    free_weights(c);
}

/* Returns a weight of a sum along a direction. */
static long double along(const sums_case *c, uint32_t sum, uint32_t direction, uint32_t sample,
                         uint32_t k)
{
    const uint32_t *const num = c->grid.num;
    const size_t before = direction == 0 ? 0 : direction == 1 ? num[0] : num[0] + num[1];

    return real_of(c, c->along,
                   4 * (orders_of(c, sum)[direction] * num_along(c) + before + sample) + k);
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

/* The definition: sums relative to a control point, which is added to values. */
static long double exact(const sums_case *c, uint32_t sum, const uint32_t at[3], uint32_t channel)
{
    const uint32_t d = c->sum.direction, *const num = c->grid.num;
    const uint32_t p = d == 0 ? 1 : 0, q = d == 2 ? 1 : 2;
    const uint32_t middle = c->sum.way == CLSPI_BY_SPLINES  ? c->places[21]
                            : c->sum.way == CLSPI_BY_LAYERS ? c->slice[SLICE]
                                                            : 0;
    const size_t table = sum * c->sum.step;
    const long double centre = coordinate(c, middle, channel);
    long double x = 0;

    if (c->sum.way == CLSPI_BY_SPLINES)
        for (uint32_t k = 0; k < 64; k++)
            x += along(c, sum, 0, at[0], k / 16) * along(c, sum, 1, at[1], k / 4 % 4) *
                 along(c, sum, 2, at[2], k % 4) * (coordinate(c, c->places[k], channel) - centre);
    else if (c->sum.way == CLSPI_BY_LAYERS)
        for (uint32_t k = 0; k < 4 * SLICE; k++)
            x += along(c, sum, d, at[d], c->sum.flips ? 3 - k / SLICE : k / SLICE) *
                 real_of(c, c->table, table + k % SLICE * c->sum.stride + at[p] * num[q] + at[q]) *
                 (layer_point(c, k / SLICE, k % SLICE, channel) - centre);
    else
        for (uint32_t k = 0; k < TERMS; k++)
            x += real_of(c, c->table,
                         table + k * c->sum.stride + (at[0] * num[1] + at[1]) * num[2] + at[2]) *
                 (coordinate(c, k, channel) - centre);
    return c->grid.number[sum] == CLSPI_VALUE ? x + centre : x;
}

/* Brings sums that are made to where they belong, each once. */
static void keep(const void *user, const clspi_sample_run *run, const void *made, uint32_t first,
                 uint32_t used)
{
    const sums_case *const c = user;
    const clspi_cell_grid *const grid = &c->grid;
    const size_t real = real_bytes(c);

    assert_true(run->num <= CLSPI_RUN);
    for (uint32_t i = 0; i < run->num; i++)
        for (uint32_t k = 0; k < grid->num_sums; k++)
            for (uint32_t x = 0; x < used; x++) {
                const size_t sample = run->place ? run->place[i] : run->first + i;
                const size_t to = (sample * grid->num_sums + k) * grid->dim + first + x;
                const size_t from = i * (size_t)grid->slots + k * grid->width + x;
                assert_int_equal(c->set[to]++, 0);
                memcpy(c->out + to * real, (const char *)made + from * real, real);
            }
}

/* ---- subnormal numbers ---- */

enum { SUBNORMAL_OPERAND = 2 /* a bit of MXCSR */ };

static void fill_subnormal(const sums_case *c, volatile void *to, size_t bytes)
{
    for (size_t i = 0; i < bytes / real_bytes(c); i++)
        if (c->f64)
            ((volatile double *)to)[i] = DBL_MIN / 3;
        else
            ((volatile float *)to)[i] = FLT_MIN / 3;
}

/* Leaves them where the stack of the next call stands, and forgets that they were there. */
static void dirty_stack(const sums_case *c)
{
    volatile char below[1 << 17];

    fill_subnormal(c, below, sizeof below);
#ifdef __x86_64__
    _mm_setcsr(_mm_getcsr() & ~(unsigned)SUBNORMAL_OPERAND);
#endif
}

static void assert_none_summed(void)
{
#ifdef __x86_64__
    assert_false(_mm_getcsr() & SUBNORMAL_OPERAND);
#endif
}

/* ---- cells ---- */

/* Makes a cell, in place or stored. Returns [samples][sums][dim] reals, behind GUARD of them. */
static char *make(sums_case *c, bool in_place)
{
    const size_t reals = samples_of(c) * c->grid.num_sums * c->grid.dim, real = real_bytes(c);
    char *const out = malloc((reals + 2 * GUARD) * real);
    double *const staged = malloc(STAGED * sizeof *staged);

    c->set = calloc(reals, 1);
    assert_non_null(out);
    assert_non_null(staged);
    assert_non_null(c->set);
    support_poison(out, (reals + 2 * GUARD) * real);
    c->out = out + GUARD * real;
    c->grid.is_dense = in_place;
    c->grid.store = keep;
    c->grid.user = c;
    fill_subnormal(c, staged, STAGED * sizeof *staged);
    dirty_stack(c);
    (c->f64 ? clspi_cell_sums_f64 : clspi_cell_sums_f32)(&c->grid, &c->sum, staged, c->out);
    assert_none_summed();
    for (size_t i = 0; i < reals; i++)
        assert_int_equal(c->set[i], in_place ? 0 : 1);
    assert_true(support_poisoned(out, GUARD * real));
    assert_true(support_poisoned(out + (GUARD + reals) * real, GUARD * real));
    free(staged);
    free(c->set);
    return out;
}

static void check_exact(const sums_case *c, const char *out)
{
    const uint32_t *const num = c->grid.num, dim = c->grid.dim, sums = c->grid.num_sums;
    const double bound = 8 * (c->f64 ? 0x1p-52 : 0x1p-23); /* sums of less than 2 */

    for (size_t i = 0; i < samples_of(c) * sums * dim; i++) {
        const size_t s = i / dim / sums;
        const uint32_t at[3] = {(uint32_t)(s / num[2] / num[1]), (uint32_t)(s / num[2] % num[1]),
                                (uint32_t)(s % num[2])};
        const uint32_t sum = (uint32_t)(i / dim % sums), channel = (uint32_t)(i % dim);
        const double off =
            (double)fabsl((long double)real_of(c, out, GUARD + i) - exact(c, sum, at, channel));
        worst = support_worse(worst, off / bound);
        if (!(off <= bound))
            fail_msg("way %d, %u dim, %u sums, %u x %u x %u: off by %g at %zu", (int)c->sum.way,
                     dim, sums, num[0], num[1], num[2], off, i);
    }
}

/* Checks the bits of one sum that is made alone. */
static void check_alone(const sums_case *c, const char *out, uint32_t k)
{
    sums_case one = *c;
    const size_t real = real_bytes(c), vertex = c->grid.dim * real;

    one.grid.num_sums = 1;
    one.grid.number += k;
    one.sum.table = (char *)c->table + k * c->sum.step * real;
    clspi_cell_grid_shape(&one.grid, c->f64);
    make_weights(&one);
    char *const alone = make(&one, one.grid.width == one.grid.dim);
    for (size_t s = 0; s < samples_of(c); s++)
        assert_memory_equal(alone + GUARD * real + s * vertex,
                            out + GUARD * real + (s * c->grid.num_sums + k) * vertex, vertex);
    free(alone);
    free_weights(&one);
}

static void check_case(sums_case *c)
{
    const size_t reals = samples_of(c) * c->grid.num_sums * c->grid.dim;
    char *const out = make(c, false);

    check_exact(c, out);
    if (c->grid.width == c->grid.dim) {
        char *const direct = make(c, true);
        assert_memory_equal(direct, out, (reals + 2 * GUARD) * real_bytes(c));
        free(direct);
    }
    for (uint32_t k = 0; k < c->grid.num_sums && c->grid.num_sums > 1; k += 3)
        check_alone(c, out, k);
    free(out);
}

static void test_sums(void **state)
{
    static const uint32_t sizes[][3] = {{4, 4, 4}, {1, 1, 1}, {2, 9, 70}, {3, 1, 25},
                                        {2, 2, 2}, {1, 3, 1}, {1, 6, 2},  {5, 3, 1},
                                        {8, 8, 8}, {2, 5, 1}, {3, 3, 3},  {2, 3, 4}};
    static const uint32_t dim[] = {1, 2, 3, 4, 5, 16};
    static const clspi_cell_way ways[] = {CLSPI_BY_SPLINES, CLSPI_BY_TABLE, CLSPI_BY_LAYERS,
                                          CLSPI_BY_LAYERS, CLSPI_BY_LAYERS};
    static const uint8_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const uint32_t sums[][2] = {{0, 1}, {0, 4}, {0, 10}, {3, 1}, {1, 9}, {2, 2}};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < sizeof dim / sizeof *dim; k++)
            for (uint32_t w = 0; w < 5; w++)
                for (int f64 = 0; f64 < 2; f64++) {
                    const uint32_t *const some = sums[(s + k + w) % 6];
                    sums_case c = {.f64 = f64 != 0,
                                   .grid = {.num = {sizes[s][0], sizes[s][1], sizes[s][2]},
                                            .dim = dim[k],
                                            .num_sums = some[1],
                                            .number = numbers + some[0]}};
                    make_case(&c, ways[w], w < 2 ? 0 : w - 2);
                    check_case(&c);
                    free_case(&c);
                }
    print_message("worst/bound %.2f\n", worst);
}

/* ---- points ---- */

enum { SIDE = 5, PLACES = SIDE * SIDE * SIDE, MOST_DIM = 5, MOST_COLUMNS = 37, UNTOUCHED = 77 };

/* Returns a control point's coordinate. */
static double control_at(const void *control, bool f64, size_t i)
{
    return f64 ? ((const double *)control)[i] : (double)((const float *)control)[i];
}

/* A cell of columns: of a lattice of points, or of layers with a table. */
typedef struct columns_case {
    clspi_point_sum sum;
    bool has_layers;
    uint32_t points[PLACES], layers[4 * MOST_COLUMNS];
    double table[16 * MOST_COLUMNS], sums[CLSPI_POINTS][10 * MOST_DIM + 1];
} columns_case;

/* Returns the weight of point l of column k of parameter i, by definition. */
static long double exact_weight(const clspi_point_sum *p, uint32_t i, const uint8_t *by, uint32_t k,
                                uint32_t l)
{
    const clspi_point_columns *const c = &p->of[i];
    double span[3][4];
    long double sum = 0;

    for (uint32_t a = 0; a < 3; a++)
        clspi_span_splines(p->t[a][i], by[c->axis[a]], span[a]);
    for (uint32_t n = 0; n < 16; n++) {
        const double table = c->table ? c->table[16 * k + n] : (double)(n == k);
        sum += (long double)table * span[0][n / 4] * span[1][n % 4];
    }
    for (uint32_t n = 0; n < 2; n++)
        if (c->is_beyond[n]) {
            span[2][1 + n] += 2 * span[2][3 * n];
            span[2][2 - n] -= span[2][3 * n];
            span[2][3 * n] = 0;
        }
    return sum * span[2][l];
}

/* Returns the number of point l of column k. */
static uint32_t point_at(const clspi_point_columns *c, uint32_t k, uint32_t l)
{
    return c->layers ? c->points[c->layers[l * c->num + k]]
                     : c->points[k / 4 * c->step[0] + k % 4 * c->step[1] + l];
}

/* Returns a sum by definition; adds the weights, as they are and as sizes. */
static long double exact_point(const clspi_point_sum *p, uint32_t i, uint32_t k, uint32_t channel,
                               long double all[2])
{
    const clspi_point_columns *const c = &p->of[i];
    long double sum = 0;

    for (uint32_t n = 0; n < (c->layers ? c->num : 16); n++)
        for (uint32_t l = 0; l < 4; l++) {
            const long double weight = exact_weight(p, i, clspi_order_by[p->number[k]], n, l);
            all[0] += weight;
            all[1] += fabsl(weight);
            sum += weight * control_at(p->control, p->is_double,
                                       (size_t)point_at(c, n, l) * p->dim + channel);
        }
    return sum;
}

static void check_columns(const columns_case *x)
{
    const clspi_point_sum *const p = &x->sum;

    for (uint32_t i = 0; i < p->num; i++)
        for (uint32_t n = 0; n < p->num_sums * p->dim; n++) {
            long double all[2] = {0, 0};
            const long double sum = exact_point(p, i, n / p->dim, n % p->dim, all);
            const double bound = 0x1p-50 * (double)(all[1] + 2); /* floats are summed in double */
            assert_true(fabsl(x->sums[i][n] - sum) <= bound);
        }
    for (uint32_t i = 0; i < p->num; i++)
        assert_true(x->sums[i][p->num_sums * p->dim] == UNTOUCHED);
}

/* Makes the columns of parameter i. */
static void make_columns(columns_case *x, uint32_t n, uint32_t i)
{
    static const uint8_t axes[][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}};
    clspi_point_columns *const c = &x->sum.of[i];

    *c = (clspi_point_columns){.points = x->points + (n + i) % 3,
                               .step = {n % 4 ? 16 : SIDE * SIDE, n % 4 ? 4 : SIDE},
                               .sums = x->sums[i]};
    for (uint32_t a = 0; a < 3; a++)
        x->sum.t[a][i] = n + i < 10 ? (n + i) % 3 / 2.0 : support_uniform(&seed);
    x->sums[i][x->sum.num_sums * x->sum.dim] = UNTOUCHED;
    memcpy(c->axis, axes[(n + i) % 4], sizeof c->axis);
    if (!x->has_layers) return;
    c->layers = x->layers;
    c->table = x->table;
    c->num = 1 + 7 * n % MOST_COLUMNS;
    c->is_beyond[0] = i & 1;
    c->is_beyond[1] = i >> 1 & 1;
}

/* Makes the sums of products of all columns 1, as those of classes are. */
static void make_table(columns_case *x, uint32_t num)
{
    for (uint32_t n = 0; n < 16; n++) {
        double left = 1;
        for (uint32_t k = 0; k < num; k++) {
            const double part = k + 1 < num ? support_uniform(&seed) / num : left;
            x->table[16 * k + n] = part;
            left -= part;
        }
    }
}

static void test_columns(void **state)
{
    static const uint8_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const uint32_t some[][2] = {{0, 1}, {0, 10}, {3, 1}, {9, 1}, {1, 2}, {0, 3}};
    columns_case x = {.has_layers = false};

    (void)state;
    for (uint32_t i = 0; i < PLACES; i++)
        x.points[i] = (i * 7 + 3) % PLACES;
    for (uint32_t i = 0; i < 4 * MOST_COLUMNS; i++)
        x.layers[i] = (i * 11 + 5) % (PLACES - 2);
    for (uint32_t n = 0; n < 240; n++) {
        const sums_case c = {.f64 = n & 1};
        const uint32_t *const sums = some[n / 10 % 6];
        x.has_layers = n % 3 == 1;
        x.sum.is_double = c.f64;
        x.sum.dim = 1 + n / 2 % MOST_DIM;
        x.sum.num = n % (CLSPI_POINTS + 1);
        x.sum.num_sums = sums[1];
        x.sum.number = numbers + sums[0];
        void *const control = random_reals(&c, PLACES * x.sum.dim + ROOM, 1.0);
        x.sum.control = control;
        make_table(&x, 1 + 7 * n % MOST_COLUMNS);
        for (uint32_t i = 0; i < x.sum.num; i++)
            make_columns(&x, n, i);
        clspi_point_sums(&x.sum);
        check_columns(&x);
        free(control);
    }
}

/* ---- children ---- */

enum { PARENT = 40, ROWS = 30, TERMS_MOST = 9 };

/* Compares the points of a child of so many channels with their sums by definition. */
static void check_child(const clspi_class_child *child, const double *from, uint32_t dim)
{
    double to[ROWS * CLSPI_MOST_DIM + ROOM], first[CLSPI_MOST_DIM + 1];

    first[dim] = UNTOUCHED;
    clspi_child_points(child, from, dim, to, first);
    assert_true(first[dim] == UNTOUCHED);
    for (uint32_t r = 0; r < child->rows; r++)
        for (uint32_t c = 0; c < dim; c++) {
            long double sum = -(long double)first[c];
            for (uint32_t k = child->begin[r]; k < child->begin[r + 1]; k++)
                sum += (long double)child->weight[k] * from[child->column[k] * dim + c];
            assert_true(fabsl(to[r * dim + c] - sum) <= 0x1p-49);
            if (r == 0) assert_true(to[c] == 0.0 && fabsl(sum) <= 0x1p-49);
        }
}

/* Rows of any length are summed in any number of channels. */
static void test_child_points(void **state)
{
    uint32_t begin[ROWS + 1] = {0};
    uint16_t column[ROWS * TERMS_MOST];
    double weight[ROWS * TERMS_MOST], from[PARENT * CLSPI_MOST_DIM + ROOM];
    const clspi_class_child child = {
        .rows = ROWS, .begin = begin, .column = column, .weight = weight};

    (void)state;
    for (uint32_t r = 0; r < ROWS; r++) {
        begin[r + 1] = begin[r] + (r + 1) % (TERMS_MOST + 1);
        for (uint32_t k = begin[r]; k < begin[r + 1]; k++) {
            column[k] = (uint16_t)(support_random(&seed) % PARENT);
            weight[k] = support_uniform(&seed) - 0.2;
        }
    }
    for (uint32_t i = 0; i < PARENT * CLSPI_MOST_DIM + ROOM; i++)
        from[i] = support_uniform(&seed);
    for (uint32_t dim = 1; dim <= CLSPI_MOST_DIM; dim++)
        check_child(&child, from, dim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_child_points)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
