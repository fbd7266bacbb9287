/* The definition of one clspi_point_sums, POINT_SUMS, of control points in the precision `real`. */
#include <string.h>

#include "level.h"
#include "point_sums.h"

/* Vectors of four channels, or of a part of them, and how numbers are made one, in a form in which
   compilers see a conversion of vectors. */
#if CLSPI_WIDTH >= 32
typedef double part CLSPI_VECTOR(32);
#define PART_OF(p)                                                                                 \
    {                                                                                              \
        (double)(p)[0], (double)(p)[1], (double)(p)[2], (double)(p)[3]                             \
    }
#elif CLSPI_WIDTH
typedef double part CLSPI_VECTOR(CLSPI_WIDTH);
#define PART_OF(p)                                                                                 \
    {                                                                                              \
        (double)(p)[0], (double)(p)[1]                                                             \
    }
#else
typedef double part;
#define PART_OF(p) ((double)(p)[0])
#endif

enum { CHANNELS = 4, LANES = sizeof(part) / sizeof(double), PARTS = CHANNELS / LANES };

typedef struct channels {
    part of[PARTS];
} channels;

/* Computes the four cubic B-splines of a span, or a derivative of theirs. */
CLSPI_INLINE void splines_at(double t, uint32_t order, double b[4])
{
    const double s = 1 - t, sixth = 1.0 / 6;

    if (order == 0) {
        b[0] = s * s * s * sixth;
        b[1] = ((3 * t - 6) * t * t + 4) * sixth;
        b[2] = ((3 * s - 6) * s * s + 4) * sixth;
        b[3] = t * t * t * sixth;
    } else if (order == 1) {
        b[0] = -0.5 * s * s;
        b[1] = (1.5 * t - 2) * t;
        b[2] = (2 - 1.5 * s) * s;
        b[3] = 0.5 * t * t;
    } else {
        b[0] = s;
        b[1] = 3 * t - 2;
        b[2] = 3 * s - 2;
        b[3] = t;
    }
}

/* Brings four channels of a point, relative to a centre or as they are. */
CLSPI_INLINE void bring(const real *from, const channels *centre, channels *to)
{
    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++) {
        const part x = PART_OF(from + i * LANES);
        to->of[i] = centre ? x - centre->of[i] : x;
    }
}

/* Sums the 16 lines of four channels of points, relative to the centre, by the B-splines of orders
   up to `most` along w. */
CLSPI_INLINE void sum_lines(const clspi_point_sum *p, uint32_t dim, uint32_t first, uint32_t most,
                            double along[CLSPI_MOST_ORDER + 1][4], const channels *centre,
                            channels lines[CLSPI_MOST_ORDER + 1][16])
{
    const real *const control = (const real *)p->control + first;

    for (size_t line = 0; line < 16; line++) {
        const uint32_t *const points = p->points + line / 4 * p->step[0] + line % 4 * p->step[1];
        channels x[4];
        CLSPI_UNROLL(4)
        for (size_t k = 0; k < 4; k++)
            bring(control + (size_t)points[k] * dim, centre, &x[k]);
        for (uint32_t o = 0; o <= most; o++) {
            CLSPI_UNROLL(4)
            for (size_t i = 0; i < PARTS; i++)
                lines[o][line].of[i] = (along[o][0] * x[0].of[i] + along[o][1] * x[1].of[i]) +
                                       (along[o][2] * x[2].of[i] + along[o][3] * x[3].of[i]);
        }
    }
}

/* Sums lines. is_value: the centre is added. */
CLSPI_INLINE void sum_of_lines(const double *u, const double *v, const channels *lines,
                               const channels *centre, bool is_value, double to[CHANNELS])
{
    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++) {
        part sum = {0};
        CLSPI_UNROLL(4)
        for (uint32_t j = 0; j < 4; j++) {
            const channels *const at = lines + 4 * j;
            sum += u[j] * ((v[0] * at[0].of[i] + v[1] * at[1].of[i]) +
                           (v[2] * at[2].of[i] + v[3] * at[3].of[i]));
        }
        if (is_value) sum += centre->of[i];
        memcpy(to + i * LANES, &sum, sizeof sum);
    }
}

/* Makes four channels of all sums, or so many as there are. */
CLSPI_INLINE void make_channels(const clspi_point_sum *p, uint32_t dim, uint32_t first,
                                uint32_t most, double along[3][CLSPI_MOST_ORDER + 1][4],
                                double *sums)
{
    const size_t used = dim - first < CHANNELS ? dim - first : CHANNELS;
    const uint32_t middle = p->points[p->step[0] + p->step[1] + 1];
    channels lines[CLSPI_MOST_ORDER + 1][16], centre;
    double sum[CHANNELS];

    bring((const real *)p->control + (size_t)middle * dim + first, NULL, &centre);
    sum_lines(p, dim, first, most, along[2], &centre, lines);
    for (size_t k = 0; k < p->num_sums; k++) {
        const uint8_t *const by = clspi_order_by[p->number[k]];
        sum_of_lines(along[0][by[0]], along[1][by[1]], lines[by[2]], &centre,
                     p->number[k] == CLSPI_VALUE, sum);
        for (size_t c = 0; c < used; c++)
            sums[k * dim + first + c] = sum[c];
    }
}

/* Makes all channels; of three compilers know that there are so many, and that values alone have no
   derivatives. */
void POINT_SUMS(const clspi_point_sum *p, double *sums)
{
    double along[3][CLSPI_MOST_ORDER + 1][4];
    uint32_t most[3] = {0};

    for (uint32_t k = 0; k < p->num_sums; k++)
        for (uint32_t a = 0; a < 3; a++) {
            const uint8_t order = clspi_order_by[p->number[k]][a];
            if (order > most[a]) most[a] = order;
        }
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t o = 0; o <= most[a]; o++)
            splines_at(p->t[a], o, along[a][o]);
    if (p->dim == 3 && most[2] == 0)
        make_channels(p, 3, 0, 0, along, sums);
    else if (p->dim == 3)
        make_channels(p, 3, 0, most[2], along, sums);
    else
        for (uint32_t first = 0; first < p->dim; first += CHANNELS)
            make_channels(p, p->dim, first, most[2], along, sums);
}

/* Sums four channels of weighted points; two sums, since each waits for its last term. */
CLSPI_INLINE void sum_channels(const clspi_weighted_sum *w, const real *control,
                               double sum[CHANNELS])
{
    channels centre, x, two[2];

    bring(control + (size_t)w->points[0] * w->dim, NULL, &centre);
    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++)
        two[0].of[i] = two[1].of[i] = (part){0};
    for (size_t k = 0; k < w->num; k++) {
        bring(control + (size_t)w->points[k] * w->dim, &centre, &x);
        CLSPI_UNROLL(4)
        for (size_t i = 0; i < PARTS; i++)
            two[k % 2].of[i] += w->weights[k] * x.of[i];
    }
    CLSPI_UNROLL(4)
    for (size_t i = 0; i < PARTS; i++) {
        part all = two[0].of[i] + two[1].of[i];
        if (w->is_value) all += centre.of[i];
        memcpy(sum + i * LANES, &all, sizeof all);
    }
}

void WEIGHTED_SUM(const clspi_weighted_sum *w, double *to)
{
    double sum[CHANNELS];

    for (size_t first = 0; first < w->dim; first += CHANNELS) {
        sum_channels(w, (const real *)w->control + first, sum);
        for (size_t c = 0; c < CHANNELS && first + c < w->dim; c++)
            to[first + c] = sum[c];
    }
}
