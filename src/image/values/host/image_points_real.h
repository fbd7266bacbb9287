/* The definition of one clspi_image_values, IMAGE_VALUES, in the precision `real`. The file that
   includes this one names both, and FLOOR, RINT, ROUND and EPSILON.

   A chunk of points of a row is made at once. Weights are vectors of points. The taps of a row of
   coefficients are a vector too, so that rows are added up point by point without gathers; what
   comes of it is multiplied with the weights along x as vectors of points again. */
#include <math.h>

#include "half.h"
#include "image_places_real.h"

enum { TAPS = 6, LANES = 8, COMPONENTS = 4, CHANNELS = 16 };

/* ---- weights ---- */

/* The pieces of the B-splines as polynomials in the distance t from the first knot, [order][power]
   [tap], times factorials. */
static const real pieces[TAPS][TAPS][LANES] = {
    {{1}},
    {{1, 0}, {-1, 1}},
    {{1, 1, 0}, {-2, 2, 0}, {1, -2, 1}},
    {{1, 4, 1, 0}, {-3, 0, 3, 0}, {3, -6, 3, 0}, {-1, 3, -3, 1}},
    {{1, 11, 11, 1, 0},
     {-4, -12, 12, 4, 0},
     {6, -6, -6, 6, 0},
     {-4, 12, -12, 4, 0},
     {1, -4, 6, -4, 1}},
    {{1, 26, 66, 26, 1, 0},
     {-5, -50, 0, 50, 5, 0},
     {10, 20, -60, 20, 10, 0},
     {-10, 20, 0, -20, 10, 0},
     {5, -20, 30, -20, 5, 0},
     {-1, 5, -10, 10, -5, 1}}};

static const real factorials[TAPS] = {1, 1, 2, 6, 24, 120};

/* What is made of a chunk of num points; a constant but for num where it can be. */
typedef struct work {
    uint32_t order, directions, num;
    bool gradient;
} work;

/* The weights of the taps of a chunk, and their derivatives; of lines 1 and 0 along y. */
typedef struct tap_weights {
    real w[3][TAPS][CHUNK], d[3][TAPS][CHUNK];
} tap_weights;

/* Gives the weights of the taps at distances t in [0, 1]. */
CLSPI_INLINE void weights_at(uint32_t order, const real *restrict t, uint32_t num,
                             real (*restrict w)[CHUNK])
{
    const real scale = 1 / factorials[order];

    for (uint32_t x = 0; x <= order; x++)
        for (uint32_t k = 0; k < num; k++) {
            real s = pieces[order][order][x];
            for (uint32_t d = order; d-- > 0;)
                s = s * t[k] + pieces[order][d][x];
            w[x][k] = s * scale;
        }
}

/* Gives their derivatives. */
CLSPI_INLINE void slopes_at(uint32_t order, const real *restrict t, uint32_t num,
                            real (*restrict w)[CHUNK])
{
    const real scale = 1 / factorials[order];

    for (uint32_t x = 0; x <= order; x++)
        for (uint32_t k = 0; k < num; k++) {
            real s = 0;
            for (uint32_t d = order; d > 0; d--)
                s = s * t[k] + (real)d * pieces[order][d][x];
            w[x][k] = s * scale;
        }
}

CLSPI_INLINE void find_weights(tap_weights *w, work of, const chunk *c)
{
    for (uint32_t k = 0; of.directions == 1 && k < of.num; k++) {
        w->w[1][0][k] = 1;
        w->d[1][0][k] = 0;
    }
    for (uint32_t d = 3 - of.directions; d < 3; d++) {
        weights_at(of.order, c->t[d], of.num, w->w[d]);
        if (of.gradient) slopes_at(of.order, c->t[d], of.num, w->d[d]);
    }
}

/* ---- rows of taps ---- */

/* How many coefficients of a row are added up side by side: those of the taps, and to fill a vector
   some behind them, whose sums nobody asks for. */
CLSPI_INLINE uint32_t lanes_of(uint32_t order)
{
    return order < 2 ? order + 1 : order < 4 ? 4 : LANES;
}

CLSPI_INLINE void scale_row(real *restrict to, real w, const real *row, uint32_t lanes)
{
    for (uint32_t x = 0; x < lanes; x++)
        to[x] = w * row[x];
}

CLSPI_INLINE void add_row(real *restrict to, real w, const real *row, uint32_t lanes)
{
    for (uint32_t x = 0; x < lanes; x++)
        to[x] += w * row[x];
}

/* Sums of rows for each column of taps: of the value, and of derivatives along z and y. */
typedef struct column_sums {
    real value[CHUNK * LANES], by_z[CHUNK * LANES], by_y[CHUNK * LANES];
} column_sums;

/* Where the taps of a point are: how far rows are apart along z and y. */
typedef struct tap_rows {
    const real *at;
    size_t stride_z, stride_y;
} tap_rows;

/* Adds up the rows of a slice of point k, `stride` apart; slope: the derivative along y. */
CLSPI_INLINE void sum_slice(const real *at, size_t stride, work of, const tap_weights *w,
                            uint32_t k, real *restrict sum, real *restrict slope)
{
    const uint32_t lanes = lanes_of(of.order), num = of.directions > 1 ? of.order + 1 : 1;

    scale_row(sum, w->w[1][0][k], at, lanes);
    if (of.gradient) scale_row(slope, w->d[1][0][k], at, lanes);
    for (uint32_t y = 1; y < num; y++) {
        add_row(sum, w->w[1][y][k], at + y * stride, lanes);
        if (of.gradient) add_row(slope, w->d[1][y][k], at + y * stride, lanes);
    }
}

/* Adds up the rows of point k. */
CLSPI_INLINE void sum_rows(column_sums *s, tap_rows r, work of, const tap_weights *w, uint32_t k)
{
    const uint32_t lanes = lanes_of(of.order);
    real *const value = s->value + k * lanes, *const by_z = s->by_z + k * lanes,
                *const by_y = s->by_y + k * lanes;
    real sum[LANES], slope[LANES];

    if (of.directions < 3) {
        sum_slice(r.at, r.stride_y, of, w, k, value, by_y);
        return;
    }
    sum_slice(r.at, r.stride_y, of, w, k, sum, slope);
    scale_row(value, w->w[0][0][k], sum, lanes);
    if (of.gradient) scale_row(by_y, w->w[0][0][k], slope, lanes);
    if (of.gradient) scale_row(by_z, w->d[0][0][k], sum, lanes);
    for (uint32_t z = 1; z <= of.order; z++) {
        sum_slice(r.at + z * r.stride_z, r.stride_y, of, w, k, sum, slope);
        add_row(value, w->w[0][z][k], sum, lanes);
        if (of.gradient) add_row(by_y, w->w[0][z][k], slope, lanes);
        if (of.gradient) add_row(by_z, w->d[0][z][k], sum, lanes);
    }
}

enum { MISSING = -2 /* the place of a coefficient that is not among those that there are */ };

/* Returns the place of what stands at an index along a direction, among the coefficients that there
   are; CLSPI_NO_INDEX: the constant does. */
CLSPI_INLINE int32_t place_at(const clspi_image_planes *planes, uint32_t d, int64_t index)
{
    const uint32_t num = planes->size[d];
    const int32_t at = index >= 0 && index < (int64_t)num
                           ? (int32_t)index
                           : clspi_extend(index, num, planes->mode[d]);
    const int32_t place = at - planes->low[d];

    if (at == CLSPI_NO_INDEX) return CLSPI_NO_INDEX;
    return place >= 0 && place < (int32_t)planes->stored[d] ? place : MISSING;
}

/* Returns what stands at a place that is none. */
CLSPI_INLINE real instead_of(const clspi_image_planes *planes, int32_t place)
{
    return place == CLSPI_NO_INDEX ? (real)planes->cval : (real)NAN;
}

/* Copies the taps of point k, some of which are not in memory or not side by side, to rows of
 * LANES.
 */
static tap_rows copy_taps(const clspi_image_planes *planes, const real *plane, const chunk *c,
                          uint32_t k, real *taps)
{
    const uint32_t order = planes->order, num_z = planes->directions > 2 ? order + 1 : 1,
                   num_y = planes->directions > 1 ? order + 1 : 1;
    const size_t size_y = planes->stored[1] + 2 * (size_t)planes->margin[1];
    const size_t size_x = planes->stored[2] + 2 * (size_t)planes->margin[2];
    const tap_rows rows = {taps, num_y * (size_t)LANES, LANES};
    int32_t at[3][TAPS] = {{0}, {0}, {0}};

    for (uint32_t d = 3 - planes->directions; d < 3; d++)
        for (int32_t x = 0; x <= (int32_t)order; x++)
            at[d][x] = place_at(planes, d, (int64_t)c->i[d][k] + x);
    for (uint32_t z = 0; z < num_z; z++)
        for (uint32_t y = 0; y < num_y; y++, taps += LANES) {
            const int32_t at_row = at[0][z] < 0 ? at[0][z] : at[1][y];
            const size_t above = (size_t)at[0][z] + planes->margin[0];
            const size_t before = above * size_y + (size_t)at[1][y] + planes->margin[1];
            memset(taps, 0, LANES * sizeof *taps);
            for (uint32_t x = 0; x <= order; x++)
                taps[x] = at_row < 0 ? instead_of(planes, at_row)
                          : at[2][x] < 0
                              ? instead_of(planes, at[2][x])
                              : plane[before * size_x + planes->margin[2] + (size_t)at[2][x]];
        }
    return rows;
}

/* Finds where the first taps of points are, counted from where the image's first coefficient is or
   would be. */
CLSPI_INLINE void find_begins(int64_t begin[CHUNK], const clspi_image_planes *planes, work of,
                              const chunk *c)
{
    const int32_t size_y = (int32_t)(planes->stored[1] + 2 * planes->margin[1]);
    const int32_t row = (int32_t)(planes->stored[2] + 2 * planes->margin[2]);

    for (uint32_t k = 0; k < of.num; k++)
        begin[k] = c->i[2][k];
    for (uint32_t k = 0; of.directions > 1 && k < of.num; k++)
        begin[k] += (int64_t)c->i[1][k] * row;
    for (uint32_t k = 0; of.directions > 2 && k < of.num; k++)
        begin[k] += (int64_t)c->i[0][k] * size_y * row;
}

/* Returns how far behind the begin of a plane the image's first coefficient is or would be. */
CLSPI_INLINE ptrdiff_t place_of_first(const clspi_image_planes *planes)
{
    ptrdiff_t place = 0;

    for (uint32_t d = 0; d < 3; d++)
        place = place * (ptrdiff_t)(planes->stored[d] + 2 * (size_t)planes->margin[d]) +
                ((ptrdiff_t)planes->margin[d] - planes->low[d]);
    return place;
}

/* Adds up the rows of all points of a chunk that have taps; begin: of these. */
CLSPI_INLINE void sum_columns(column_sums *s, const clspi_image_planes *planes, const real *plane,
                              work of, const chunk *c, const int64_t begin[CHUNK],
                              const tap_weights *w)
{
    const size_t size_y = planes->stored[1] + 2 * (size_t)planes->margin[1];
    const size_t row = planes->stored[2] + 2 * (size_t)planes->margin[2];
    const ptrdiff_t first = place_of_first(planes);
    real taps[TAPS * TAPS * LANES];

    for (uint32_t k = 0; c->all_within && k < of.num; k++)
        sum_rows(s, (tap_rows){plane + (first + begin[k]), size_y * row, row}, of, w, k);
    for (uint32_t k = 0; !c->all_within && k < of.num; k++) {
        tap_rows r = {plane, size_y * row, row};
        if (!c->is_there[k]) continue;
        if (c->is_within[k])
            r.at += first + begin[k];
        else
            r = copy_taps(planes, plane, c, k, taps);
        sum_rows(s, r, of, w, k);
    }
}

/* ---- values ---- */

/* Adds up columns of taps along x; the points that have none are `none`. */
CLSPI_INLINE void sum_along_x(const real *restrict sums, const real (*restrict w)[CHUNK], work of,
                              const chunk *c, real none, real *restrict to)
{
    const uint32_t lanes = lanes_of(of.order);

    for (uint32_t k = 0; k < of.num; k++) {
        real s = sums[k * lanes] * w[0][k];
        for (uint32_t x = 1; x <= of.order; x++)
            s += sums[k * lanes + x] * w[x][k];
        to[k] = s;
    }
    for (uint32_t k = 0; !c->all_there && k < of.num; k++)
        to[k] = c->is_there[k] ? to[k] : none;
}

CLSPI_INLINE void clip(real *x, const real range[2], uint32_t num)
{
    for (uint32_t k = 0; k < num; k++) {
        x[k] = x[k] < range[0] ? range[0] : x[k];
        x[k] = x[k] > range[1] ? range[1] : x[k];
    }
}

/* Makes what is asked for of one channel at the points of a chunk: [components][CHUNK]; returns how
   many components that is. */
CLSPI_INLINE uint32_t make_channel(const clspi_image_planes *planes, uint32_t channel, work of,
                                   const chunk *c, const column_sums *s, const tap_weights *w,
                                   real (*to)[CHUNK])
{
    const real *const range = planes->range;
    uint32_t n = 0;

    if (planes->attributes & CLSPI_POINT_VALUE) {
        sum_along_x(s->value, w->w[2], of, c, (real)planes->cval, to[n]);
        if (range) clip(to[n], range + 2 * (size_t)channel, of.num);
        n++;
    }
    if (!of.gradient) return n;
    if (of.directions > 2) sum_along_x(s->by_z, w->w[2], of, c, 0, to[n++]);
    if (of.directions > 1) sum_along_x(s->by_y, w->w[2], of, c, 0, to[n++]);
    sum_along_x(s->value, w->d[2], of, c, 0, to[n++]);
    return n;
}

/* ---- output ---- */

/* Rounds numbers to whole ones: halves to even, or away from 0. */
CLSPI_INLINE void round_all(real *x, size_t num, bool rounds_up)
{
    if (rounds_up)
        for (size_t k = 0; k < num; k++)
            x[k] = ROUND(x[k]);
    else
        for (size_t k = 0; k < num; k++)
            x[k] = RINT(x[k]);
}

/* Keeps a number within bounds; NaN is 0. */
CLSPI_INLINE int32_t saturated(real x, real low, real high)
{
    const real near = x > low ? x : x <= low ? low : 0;

    return (int32_t)(near < high ? near : high);
}

/* Stores numbers, which may be changed before, in the type of values. */
CLSPI_INLINE void store(const clspi_image_planes *planes, real *restrict from, size_t num,
                        void *restrict out)
{
    const uint32_t type = planes->type;

    if (type == CLSPI_PIXEL_U8 || type == CLSPI_PIXEL_U16 || type == CLSPI_PIXEL_S16)
        round_all(from, num, planes->rounds_up);
    switch (type) {
    case CLSPI_PIXEL_U8:
        for (size_t k = 0; k < num; k++)
            ((uint8_t *)out)[k] = (uint8_t)saturated(from[k], 0, 255);
        break;
    case CLSPI_PIXEL_U16:
        for (size_t k = 0; k < num; k++)
            ((uint16_t *)out)[k] = (uint16_t)saturated(from[k], 0, 65535);
        break;
    case CLSPI_PIXEL_S16:
        for (size_t k = 0; k < num; k++)
            ((int16_t *)out)[k] = (int16_t)saturated(from[k], -32768, 32767);
        break;
    case CLSPI_PIXEL_F16:
        clspi_halves(out, from, num);
        break;
    case CLSPI_PIXEL_F32:
        for (size_t k = 0; k < num; k++)
            ((float *)out)[k] = (float)from[k];
        break;
    default:
        for (size_t k = 0; k < num; k++)
            ((double *)out)[k] = (double)from[k];
        break;
    }
}

static size_t bytes_of(uint32_t type)
{
    if (type == CLSPI_PIXEL_U8) return 1;
    return type == CLSPI_PIXEL_F32 ? 4 : type == CLSPI_PIXEL_F64 ? 8 : 2;
}

/* ---- all ---- */

/* Puts numbers `step` apart. */
CLSPI_INLINE void put_beside(real *restrict to, const real *restrict from, size_t step,
                             uint32_t num)
{
    if (step == 1)
        memcpy(to, from, num * sizeof *to);
    else
        for (uint32_t k = 0; k < num; k++)
            to[k * step] = from[k];
}

/* Makes the values of all channels at the points of a chunk: [num][channels][components]; returns
   how many numbers that is. */
CLSPI_INLINE size_t make_values(const clspi_image_planes *planes, const chunk *c, work of,
                                real *made)
{
    const size_t plane = (planes->stored[0] + 2 * (size_t)planes->margin[0]) *
                         (planes->stored[1] + 2 * (size_t)planes->margin[1]) *
                         (planes->stored[2] + 2 * (size_t)planes->margin[2]);
    const real *channel = planes->planes;
    real of_channel[COMPONENTS][CHUNK];
    int64_t begin[CHUNK];
    column_sums sums;
    tap_weights w;
    uint32_t components = 0;

    find_begins(begin, planes, of, c);
    find_weights(&w, of, c);
    for (uint32_t n = 0; n < planes->channels; n++, channel += plane) {
        sum_columns(&sums, planes, channel, of, c, begin, &w);
        components = make_channel(planes, n, of, c, &sums, &w, of_channel);
        const size_t point = (size_t)planes->channels * components;
        for (uint32_t m = 0; m < components; m++)
            put_beside(made + n * components + m, of_channel[m], point, of.num);
    }
    return (size_t)of.num * planes->channels * components;
}

/* Makes the values of a chunk; what is used most with constants in the loops. */
CLSPI_INLINE size_t make_chunk(const clspi_image_planes *planes, const chunk *c, uint32_t num,
                               real *made)
{
    const uint32_t order = planes->order, directions = planes->directions;
    const bool gradient = (planes->attributes & CLSPI_POINT_GRADIENT) != 0;

    if (directions != 2 || gradient)
        return order == 3 && !gradient
                   ? make_values(planes, c, (work){3, directions, num, false}, made)
                   : make_values(planes, c, (work){order, directions, num, gradient}, made);
    switch (order) {
    case 0:
        return make_values(planes, c, (work){0, 2, num, false}, made);
    case 1:
        return make_values(planes, c, (work){1, 2, num, false}, made);
    case 2:
        return make_values(planes, c, (work){2, 2, num, false}, made);
    case 3:
        return make_values(planes, c, (work){3, 2, num, false}, made);
    case 4:
        return make_values(planes, c, (work){4, 2, num, false}, made);
    default:
        return make_values(planes, c, (work){5, 2, num, false}, made);
    }
}

void IMAGE_VALUES(const clspi_image_planes *planes, const clspi_image_row *row)
{
    real made[CHUNK * CHANNELS * COMPONENTS];
    char *out = row->out;
    chunk c;

    for (size_t first = 0; first < row->num; first += CHUNK) {
        const uint32_t num = (uint32_t)(row->num - first < CHUNK ? row->num - first : CHUNK);
        find_coordinates(&c, planes->directions, row, first, num);
        find_taps(&c, planes, num);
        const size_t all = make_chunk(planes, &c, num, made);
        store(planes, made, all, out);
        out += all * bytes_of(planes->type);
    }
}
