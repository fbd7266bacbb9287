#include "point_sums.h"

#include <string.h>

#include "level.h"
#include "span_splines.h"

/* Vectors of four channels, or of a part of them, and how numbers so far apart are made one, in a
   form in which compilers see a conversion of vectors. */
#if CLSPI_WIDTH >= 32
typedef double part CLSPI_VECTOR(32);
#define PART_OF(p, step)                                                                           \
    {                                                                                              \
        (double)(p)[0], (double)(p)[step], (double)(p)[2 * (step)], (double)(p)[3 * (step)]        \
    }
#elif CLSPI_WIDTH
typedef double part CLSPI_VECTOR(CLSPI_WIDTH);
#define PART_OF(p, step)                                                                           \
    {                                                                                              \
        (double)(p)[0], (double)(p)[step]                                                          \
    }
#else
typedef double part;
#define PART_OF(p, step) ((double)(p)[0])
#endif

enum {
    CHANNELS = 4,
    LANES = sizeof(part) / sizeof(double),
    PARTS = CHANNELS / LANES,
    ORDERS = CLSPI_MOST_ORDER + 1,
    COLUMNS = 16 /* that are summed at once, at most */
};

typedef struct channels {
    part of[PARTS];
} channels;

static const channels zeros;

/* ---- splines ---- */

/* The splines of all parameters, and their derivatives, by order. */
typedef struct splines {
    double along[3][ORDERS][4][CLSPI_POINTS];
} splines;

CLSPI_INLINE void make_order(splines *restrict s, const clspi_point_sum *restrict p, uint32_t order)
{
    for (size_t a = 0; a < 3; a++)
        for (size_t i = 0; i < CLSPI_POINTS; i++) {
            double b[4];
            clspi_span_splines(p->t[a][i], order, b);
            for (size_t j = 0; j < 4; j++)
                s->along[a][order][j][i] = b[j];
        }
}

/* Gets the weights of the points of columns of parameter i. */
CLSPI_INLINE void get_along(const splines *s, const clspi_point_columns *c, size_t i,
                            uint32_t order, double weight[4])
{
    for (size_t l = 0; l < 4; l++)
        weight[l] = s->along[2][order][l][i];
    if (c->is_beyond[0]) {
        weight[1] += 2 * weight[0];
        weight[2] -= weight[0];
        weight[0] = 0;
    }
    if (c->is_beyond[1]) {
        weight[2] += 2 * weight[3];
        weight[1] -= weight[3];
        weight[3] = 0;
    }
}

/* Gets the weights of so many columns of parameter i by their table, derived so often. */
static void get_across(const splines *s, const clspi_point_columns *c, size_t i,
                       const uint8_t by[3], size_t first, size_t num, double *weight)
{
    const double *const u = s->along[0][by[c->axis[0]]][0] + i;
    const double *const v = s->along[1][by[c->axis[1]]][0] + i;
    channels product[4], row[4];
    double lanes[4];

    CLSPI_UNROLL(4)
    for (size_t n = 0; n < PARTS; n++) {
        const part x = PART_OF(v + n * LANES * CLSPI_POINTS, CLSPI_POINTS);
        CLSPI_UNROLL(4)
        for (size_t k = 0; k < 4; k++)
            product[k].of[n] = u[k * CLSPI_POINTS] * x;
    }
    for (size_t k = 0; k < num; k++) {
        memcpy(row, c->table + COLUMNS * (first + k), sizeof row);
        CLSPI_UNROLL(4)
        for (size_t n = 0; n < PARTS; n++)
            row[0].of[n] = (row[0].of[n] * product[0].of[n] + row[1].of[n] * product[1].of[n]) +
                           (row[2].of[n] * product[2].of[n] + row[3].of[n] * product[3].of[n]);
        memcpy(lanes, &row[0], sizeof row[0]);
        weight[k] = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    }
}

/* ---- points ---- */

/* Control points, and four channels of theirs that are summed: floats as they are, as sums are in
   double, doubles as what those of a centre are more. */
typedef struct channel_points {
    const void *control;
    bool is_double;
    uint32_t dim, first; /* channel */
    channels centre;
} channel_points;

/* Brings what is summed of a point. */
CLSPI_INLINE void gather(const channel_points *m, uint32_t number, channels *to)
{
    const size_t at = (size_t)number * m->dim + m->first;
    const float *const floats = (const float *)m->control + at;
    const double *const doubles = (const double *)m->control + at;

    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++) {
        if (m->is_double) {
            const part x = PART_OF(doubles + i * LANES, 1);
            to->of[i] = m->centre.of[i] - x;
        } else {
            const part x = PART_OF(floats + i * LANES, 1);
            to->of[i] = x;
        }
    }
}

/* Takes a point as the centre. */
CLSPI_INLINE void set_centre(channel_points *m, uint32_t number)
{
    if (!m->is_double) return;
    m->centre = zeros;
    gather(m, number, &m->centre);
    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++)
        m->centre.of[i] = -m->centre.of[i];
}

/* Makes of a sum that of the points. */
CLSPI_INLINE void add_centre(const channel_points *m, bool is_value, channels *sum)
{
    if (!m->is_double) return;
    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++)
        sum->of[i] = is_value ? m->centre.of[i] - sum->of[i] : -sum->of[i];
}

/* Writes so many channels of a sum. */
CLSPI_INLINE void put_channels(const channels *sum, uint32_t num, double *to)
{
    double lanes[CHANNELS];

    memcpy(lanes, sum, sizeof lanes);
    for (size_t c = 0; c < num; c++)
        to[c] = lanes[c];
}

/* ---- sums ---- */

/* Returns the numbers of points of a column of a regular cell. */
CLSPI_INLINE const uint32_t *row_of(const clspi_point_columns *c, size_t u, size_t v)
{
    return c->points + u * c->step[0] + v * c->step[1];
}

/* Brings a column of four points: of numbers, or of a cell with layers column k. */
CLSPI_INLINE void gather_column(const channel_points *m, const clspi_point_columns *c,
                                const uint32_t *numbers, bool has_layers, size_t k, channels x[4])
{
    uint32_t number[4];

    CLSPI_UNROLL(4)
    for (size_t l = 0; l < 4; l++)
        number[l] = has_layers ? numbers[c->layers[l * c->num + k]] : numbers[l];
    CLSPI_UNROLL(4)
    for (size_t l = 0; l < 4; l++)
        gather(m, number[l], &x[l]);
}

/* Sums four by weights that are so many numbers apart. */
CLSPI_INLINE void sum_four(const double *weight, size_t apart, const channels *x, channels *sum)
{
    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++)
        sum->of[i] = (weight[0] * x[0].of[i] + weight[apart] * x[1].of[i]) +
                     (weight[2 * apart] * x[2].of[i] + weight[3 * apart] * x[3].of[i]);
}

/* Sums so many columns by the weights of their points, of orders up to `most`. */
CLSPI_INLINE void sum_columns(const channel_points *m, const clspi_point_columns *c,
                              double (*along)[4], uint32_t most, size_t first, size_t num,
                              channels lines[ORDERS][COLUMNS])
{
    for (size_t k = 0; k < num; k++) {
        channels x[4];
        gather_column(m, c, c->layers ? c->points : row_of(c, k / 4, k % 4), c->layers, first + k,
                      x);
        for (uint32_t o = 0; o <= most; o++)
            sum_four(along[o], 1, x, &lines[o][k]);
    }
}

/* Adds the sums of so many columns by their weights; two sums, since each waits for its last
   term. */
CLSPI_INLINE void add_columns(const channels *lines, const double *weight, size_t num,
                              channels *sum)
{
    channels other = zeros;

    for (size_t k = 0; k + 1 < num; k += 2) {
        CLSPI_UNROLL(4)
        for (size_t i = 0; i < PARTS; i++) {
            sum->of[i] += weight[k] * lines[k].of[i];
            other.of[i] += weight[k + 1] * lines[k + 1].of[i];
        }
    }
    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++) {
        if (num % 2) other.of[i] += weight[num - 1] * lines[num - 1].of[i];
        sum->of[i] += other.of[i];
    }
}

/* Sums the 16 columns of a regular cell, derived so often, at parameter i. */
CLSPI_INLINE void sum_grid(const splines *s, size_t i, const uint8_t by[3], const uint8_t axis[3],
                           const channels *lines, channels *sum)
{
    channels rows[4];

    for (size_t u = 0; u < 4; u++)
        sum_four(s->along[1][by[axis[1]]][0] + i, CLSPI_POINTS, lines + 4 * u, &rows[u]);
    sum_four(s->along[0][by[axis[0]]][0] + i, CLSPI_POINTS, rows, sum);
}

/* Makes up to four channels of all sums of parameter i. */
CLSPI_INLINE void make_channels(const clspi_point_sum *p, const splines *s, size_t i,
                                uint32_t first, uint32_t most)
{
    const clspi_point_columns *const c = &p->of[i];
    const size_t num = c->layers ? c->num : COLUMNS;
    channel_points m = {p->control, p->is_double, p->dim, first, zeros};
    channels sums[CLSPI_ORDERS], lines[ORDERS][COLUMNS];
    double along[ORDERS][4];

    set_centre(&m, c->points[c->layers ? c->layers[num] : 0]);
    for (uint32_t o = 0; o <= most; o++)
        get_along(s, c, i, o, along[o]);
    for (size_t k = 0; k < p->num_sums; k++)
        sums[k] = zeros;
    for (size_t begin = 0; begin < num; begin += COLUMNS) {
        const size_t some = num - begin < COLUMNS ? num - begin : COLUMNS;
        sum_columns(&m, c, along, most, begin, some, lines);
        for (size_t k = 0; k < p->num_sums; k++) {
            const uint8_t *const by = clspi_order_by[p->number[k]];
            double weight[COLUMNS];
            if (!c->layers) {
                sum_grid(s, i, by, c->axis, lines[by[c->axis[2]]], &sums[k]);
                continue;
            }
            get_across(s, c, i, by, begin, some, weight);
            add_columns(lines[by[c->axis[2]]], weight, some, &sums[k]);
        }
    }
    for (size_t k = 0; k < p->num_sums; k++) {
        add_centre(&m, p->number[k] == CLSPI_VALUE, &sums[k]);
        put_channels(&sums[k], p->dim - first < CHANNELS ? p->dim - first : CHANNELS,
                     c->sums + k * p->dim + first);
    }
}

/* Makes three channels of the value at parameter i, which is in a regular cell. */
CLSPI_INLINE void make_value(const clspi_point_sum *p, const splines *s, size_t i, bool is_double)
{
    const clspi_point_columns *const c = &p->of[i];
    channel_points m = {p->control, is_double, 3, 0, zeros};
    channels x[4], lines[4], rows[4], sum;
    double along[4];

    set_centre(&m, c->points[0]);
    get_along(s, c, i, 0, along);
    for (size_t u = 0; u < 4; u++) {
        CLSPI_UNROLL(4)
        for (size_t v = 0; v < 4; v++) {
            gather_column(&m, c, row_of(c, u, v), false, 0, x);
            sum_four(along, 1, x, &lines[v]);
        }
        sum_four(s->along[1][0][0] + i, CLSPI_POINTS, lines, &rows[u]);
    }
    sum_four(s->along[0][0][0] + i, CLSPI_POINTS, rows, &sum);
    add_centre(&m, true, &sum);
    put_channels(&sum, 3, c->sums);
}

void clspi_point_sums(const clspi_point_sum *p)
{
    splines s;
    uint32_t most = 0;

    if (p->num == 0) return;
    for (uint32_t k = 0; k < p->num_sums; k++) {
        const uint8_t *const by = clspi_order_by[p->number[k]];
        const uint32_t order = (uint32_t)by[0] + by[1] + by[2];
        if (order > most) most = order;
    }
    make_order(&s, p, 0);
    if (most > 0) make_order(&s, p, 1);
    if (most > 1) make_order(&s, p, 2);
    const bool is_value = p->dim == 3 && p->num_sums == 1 && p->number[0] == CLSPI_VALUE;
    for (size_t i = 0; i < p->num; i++)
        if (is_value && !p->of[i].layers && p->is_double)
            make_value(p, &s, i, true);
        else if (is_value && !p->of[i].layers)
            make_value(p, &s, i, false);
        else
            for (uint32_t first = 0; first < p->dim; first += CHANNELS)
                make_channels(p, &s, i, first, most);
}

/* ---- children ---- */

/* Adds the k-th term of a child's row to a sum of four channels. */
CLSPI_INLINE void add_term(const clspi_class_child *child, size_t k, const double *from,
                           uint32_t dim, channels *sum)
{
    const double *const x = from + (size_t)child->column[k] * dim, weight = child->weight[k];

    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++) {
        const part y = PART_OF(x + i * LANES, 1);
        sum->of[i] += weight * y;
    }
}

/* Sums four channels of a row of a child; two sums, since each waits for its last term. */
CLSPI_INLINE channels sum_row(const clspi_class_child *child, uint32_t row, const double *from,
                              uint32_t dim)
{
    const size_t end = child->begin[row + 1];
    channels sum = zeros, other = zeros;
    size_t k = child->begin[row];

    for (; k + 1 < end; k += 2) {
        add_term(child, k, from, dim, &sum);
        add_term(child, k + 1, from, dim, &other);
    }
    if (k < end) add_term(child, k, from, dim, &sum);
    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++)
        sum.of[i] += other.of[i];
    return sum;
}

CLSPI_INLINE void make_child(const clspi_class_child *child, const double *from, uint32_t dim,
                             double *to, double *first)
{
    channels centre[CLSPI_MOST_DIM / CHANNELS];

    for (uint32_t r = 0; r < child->rows; r++) /* a row overwrites what is behind the last one */
        for (uint32_t c = 0; c < dim; c += CHANNELS) {
            channels sum = sum_row(child, r, from + c, dim);
            if (r == 0) centre[c / CHANNELS] = sum;
            CLSPI_UNROLL(4)
            for (size_t i = 0; i < PARTS; i++)
                sum.of[i] -= centre[c / CHANNELS].of[i];
            memcpy(to + (size_t)r * dim + c, &sum, sizeof sum);
        }
    memcpy(first, centre, dim * sizeof *first);
}

void clspi_child_points(const clspi_class_child *child, const double *from, uint32_t dim,
                        double *to, double *first)
{
    if (dim == 3)
        make_child(child, from, 3, to, first);
    else
        make_child(child, from, dim, to, first);
}
