/* The definition of one clspi_image_values, IMAGE_VALUES, in the precision `real`. The file that
   includes this one names both, and FLOOR, RINT, ROUND and EPSILON. */
#include <math.h>
#include <string.h>

#include "clones.h"
#include "half.h"
#include "image_points.h"

enum { CHUNK = 64, TAPS = 6, LANES = 8, COMPONENTS = 4, CHANNELS = 16 };

/* Where the points of a chunk are: along each direction a whole number, and the rest. */
typedef struct chunk {
    int32_t i[3][CHUNK];
    real t[3][CHUNK];
    bool is_there[CHUNK];  /* no cval stands at it */
    bool is_within[CHUNK]; /* all its taps are coefficients */
} chunk;

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

/* Gives the weights of the taps at t in [0, 1]. */
CLSPI_INLINE void weights_at(uint32_t order, real t, real w[LANES])
{
    const real scale = 1 / factorials[order];

    for (uint32_t k = 0; k <= order; k++) {
        real s = pieces[order][order][k];
        for (uint32_t d = order; d-- > 0;)
            s = s * t + pieces[order][d][k];
        w[k] = s * scale;
    }
}

/* Gives their derivatives. */
CLSPI_INLINE void slopes_at(uint32_t order, real t, real w[LANES])
{
    const real scale = 1 / factorials[order];

    for (uint32_t k = 0; k <= order; k++) {
        real s = 0;
        for (uint32_t d = order; d > 0; d--)
            s = s * t + (real)d * pieces[order][d][k];
        w[k] = s * scale;
    }
}

/* ---- sums ---- */

/* The weights of a point, and their derivatives, z, y, x. */
typedef struct point_weights {
    real w[3][LANES], d[3][LANES];
} point_weights;

CLSPI_INLINE void find_weights(point_weights *p, uint32_t order, bool gradient, const chunk *c,
                               uint32_t k)
{
    for (uint32_t d = 0; d < 3; d++) {
        weights_at(order, c->t[d][k], p->w[d]);
        if (gradient) slopes_at(order, c->t[d][k], p->d[d]);
    }
}

/* Sums the taps that begin at `at`: num_z and num_y rows, 1 of directions that there are not. */
CLSPI_INLINE void sum_taps(const real *at, const size_t stride[2], const uint32_t rows[2],
                           uint32_t order, bool gradient, const point_weights *p,
                           real sums[COMPONENTS])
{
    real all[LANES] = {0}, by_y[LANES] = {0}, by_z[LANES] = {0};

    for (uint32_t z = 0; z < rows[0]; z++) {
        real s[LANES] = {0}, d[LANES] = {0};
        for (uint32_t y = 0; y < rows[1]; y++) {
            const real *const row = at + z * stride[0] + y * stride[1];
            const real w = rows[1] > 1 ? p->w[1][y] : 1;
            for (uint32_t x = 0; x <= order; x++)
                s[x] += w * row[x];
            if (gradient && rows[1] > 1)
                for (uint32_t x = 0; x <= order; x++)
                    d[x] += p->d[1][y] * row[x];
        }
        const real w = rows[0] > 1 ? p->w[0][z] : 1;
        for (uint32_t x = 0; x <= order; x++) {
            all[x] += w * s[x];
            if (gradient) by_y[x] += w * d[x];
            if (gradient && rows[0] > 1) by_z[x] += p->d[0][z] * s[x];
        }
    }
    memset(sums, 0, COMPONENTS * sizeof *sums);
    for (uint32_t x = 0; x <= order; x++) {
        sums[0] += all[x] * p->w[2][x];
        if (!gradient) continue;
        sums[1] += by_z[x] * p->w[2][x];
        sums[2] += by_y[x] * p->w[2][x];
        sums[3] += all[x] * p->d[2][x];
    }
}

/* Copies the taps of a point near an edge: [num_z][num_y][order + 1]. */
static void copy_taps(const clspi_image_planes *planes, const real *plane, const int32_t first[3],
                      const uint32_t rows[2], real *taps)
{
    const size_t size_y = planes->size[1], size_x = planes->size[2];
    int32_t at_x[TAPS];

    for (uint32_t x = 0; x <= planes->order; x++)
        at_x[x] = clspi_extend((int64_t)first[2] + x, planes->size[2], planes->mode[2]);
    for (uint32_t z = 0; z < rows[0]; z++)
        for (uint32_t y = 0; y < rows[1]; y++) {
            const int32_t at_z =
                clspi_extend((int64_t)first[0] + z, planes->size[0], planes->mode[0]);
            const int32_t at_y =
                clspi_extend((int64_t)first[1] + y, planes->size[1], planes->mode[1]);
            const bool is_row = at_z != CLSPI_NO_INDEX && at_y != CLSPI_NO_INDEX;
            const real *const row =
                is_row ? plane + ((size_t)at_z * size_y + (size_t)at_y) * size_x : NULL;
            for (uint32_t x = 0; x <= planes->order; x++)
                *taps++ = row && at_x[x] != CLSPI_NO_INDEX ? row[at_x[x]] : (real)planes->cval;
        }
}

/* ---- coordinates ---- */

/* Splits a coordinate, kept within 2^30. What is just above -1/2 stays no tie, though 1 more is
   rounded to 1/2. */
CLSPI_INLINE bool split(real at, int32_t *i, real *t)
{
    const real bound = (real)0x1p30, half = (real)0.5;
    const real near = at > bound ? bound : at >= -bound ? at : -bound;
    const real whole = FLOOR(near), rest = near - whole;

    *i = (int32_t)whole;
    *t = rest == half && near > -half && near < 0 ? half + half * EPSILON : rest;
    return at - at == 0;
}

/* Gives the coordinates of points of a map along one direction, from point x on. */
CLSPI_INLINE void map_axis(chunk *c, const clspi_image_row *row, uint32_t d, uint32_t x,
                           uint32_t num)
{
    const clspi_image_grid *const g = row->grid;
    const double begin = g->matrix[d][3] + g->matrix[d][0] * row->z + g->matrix[d][1] * row->y;
    const uint64_t *const f = g->fixed[d];
    const uint32_t *const l = g->low[d];
    const uint64_t at = f[3] + row->z * f[0] + row->y * f[1] + x * f[2];
    const uint64_t low =
        l[3] + (uint64_t)row->z * l[0] + (uint64_t)row->y * l[1] + (uint64_t)x * l[2];

    if (!g->is_fixed) {
        for (uint32_t k = 0; k < num; k++)
            c->is_there[k] =
                split((real)(begin + g->matrix[d][2] * (x + k)), &c->i[d][k], &c->t[d][k]) &&
                c->is_there[k];
        return;
    }
    for (uint32_t k = 0; k < num; k++) {
        const uint64_t sum = at + k * f[2] + ((low + (uint64_t)k * l[2]) >> 32);
        c->i[d][k] = (int32_t)(uint32_t)(sum >> 32);
        c->t[d][k] = (real)(int32_t)((uint32_t)sum >> 4) * (real)0x1p-28;
    }
}

/* Adds displacements along one direction. */
CLSPI_INLINE void displace(chunk *c, const real *field, uint32_t d, uint32_t num)
{
    const real bound = (real)0x1p29;

    for (uint32_t k = 0; k < num; k++) {
        const real by = field[k], near = by > bound ? bound : by >= -bound ? by : -bound;
        const real low = FLOOR(near), t = c->t[d][k] + (near - low);
        const bool is_over = t >= 1;
        c->t[d][k] = is_over ? t - 1 : t;
        c->i[d][k] += (int32_t)low + is_over;
        c->is_there[k] = c->is_there[k] && by - by == 0;
    }
}

/* Gives the coordinates of a chunk's points along one direction side by side; apart: room for those
   that are not. */
CLSPI_INLINE const real *side_by_side(const clspi_image_row *row, const real *field, size_t first,
                                      uint32_t num, real apart[CHUNK])
{
    if (row->step == 1) return field + first;
    for (uint32_t k = 0; k < num; k++)
        apart[k] = field[(first + k) * row->step];
    return apart;
}

CLSPI_INLINE void find_coordinates(chunk *c, const clspi_image_planes *planes,
                                   const clspi_image_row *row, size_t first, uint32_t num)
{
    real apart[CHUNK];

    memset(c->is_there, 1, sizeof c->is_there);
    for (uint32_t d = 0; d < 3; d++) {
        const real *const field = row->field[d];
        if (d < 3 - planes->directions) {
            memset(c->i[d], 0, sizeof c->i[d]);
            memset(c->t[d], 0, sizeof c->t[d]);
            continue;
        }
        if (row->grid) {
            map_axis(c, row, d, row->x + (uint32_t)first, num);
            if (field) displace(c, field + first, d, num);
            continue;
        }
        const real *const at = side_by_side(row, field, first, num, apart);
        for (uint32_t k = 0; k < num; k++)
            c->is_there[k] = split(at[k], &c->i[d][k], &c->t[d][k]) && c->is_there[k];
    }
}

/* ---- taps ---- */

/* Finds the place of a coordinate by the modes that keep within the image; false where there is the
   constant instead. */
static bool keep_within(int32_t *i, real *rest, uint32_t order, int32_t n, uint32_t mode)
{
    const real t = *rest;
    const bool is_beyond = *i < 0 || *i >= n || (*i == n - 1 && t > 0);

    if (!is_beyond) return true;
    if (mode == CLSPI_EXTEND_CONSTANT) return false;
    /* halves go up where the image ends up: down, where it runs back */
    if (order == 0 && t == (real)0.5 && clspi_runs_back(*i, (uint32_t)n, mode)) *rest = 0;
    if (mode == CLSPI_EXTEND_WRAP) {
        const int32_t r = n > 1 ? clspi_extend(*i, (uint32_t)(n - 1), CLSPI_EXTEND_GRID_WRAP) : 0;
        *i = *i < 0 && r == 0 && t == 0 ? n - 1 : r;
    }
    return true;
}

/* Makes of the coordinates of a chunk first taps and distances behind their knots. */
CLSPI_INLINE void find_taps(chunk *c, const clspi_image_planes *planes, uint32_t order,
                            uint32_t num)
{
    memset(c->is_within, 1, sizeof c->is_within);
    for (uint32_t d = 3 - planes->directions; d < 3; d++) {
        const int32_t n = (int32_t)planes->size[d], pad = (int32_t)planes->pad[d];
        int32_t least = INT32_MAX, most = INT32_MIN;
        for (uint32_t k = 0; k < num; k++) {
            const int32_t i = c->i[d][k] += pad;
            least = i < least ? i : least;
            most = i > most ? i : most;
        }
        const int32_t margin = (int32_t)(order / 2 + 1);
        const bool is_within = least >= margin && most < n - margin;
        for (uint32_t k = 0; !is_within && k < num; k++)
            if (!keep_within(&c->i[d][k], &c->t[d][k], order, n, planes->mode[d]))
                c->is_there[k] = false;
        for (uint32_t k = 0; k < num; k++) {
            const bool is_upper = order % 2 == 0 && c->t[d][k] >= (real)0.5;
            if (order % 2 == 0) c->t[d][k] += is_upper ? (real)-0.5 : (real)0.5;
            c->i[d][k] += is_upper - (int32_t)(order / 2);
        }
        for (uint32_t k = 0; !is_within && k < num; k++)
            c->is_within[k] = c->is_within[k] && c->is_there[k] && c->i[d][k] >= 0 &&
                              c->i[d][k] < n - (int32_t)order;
    }
    for (uint32_t k = 0; k < num; k++)
        c->is_within[k] = c->is_within[k] && c->is_there[k];
}

/* ---- values ---- */

/* Stores numbers in the type of values. */
static void store(const clspi_image_planes *planes, const real *from, size_t num, void *out)
{
    for (size_t k = 0; k < num; k++) {
        const real x = from[k], whole = planes->rounds_up ? ROUND(x) : RINT(x);
        switch (planes->type) {
        case CLSPI_PIXEL_U8:
            ((uint8_t *)out)[k] = (uint8_t)(whole > 0 ? whole < 255 ? whole : 255 : 0);
            break;
        case CLSPI_PIXEL_U16:
            ((uint16_t *)out)[k] = (uint16_t)(whole > 0 ? whole < 65535 ? whole : 65535 : 0);
            break;
        case CLSPI_PIXEL_S16: {
            const real low = whole > -32768 ? whole : whole <= -32768 ? -32768 : 0;
            ((int16_t *)out)[k] = (int16_t)(low < 32767 ? low : 32767);
            break;
        }
        case CLSPI_PIXEL_F16:
            ((uint16_t *)out)[k] = clspi_half((double)x);
            break;
        case CLSPI_PIXEL_F32:
            ((float *)out)[k] = (float)x;
            break;
        default:
            ((double *)out)[k] = (double)x;
            break;
        }
    }
}

static size_t bytes_of(uint32_t type)
{
    if (type == CLSPI_PIXEL_U8) return 1;
    return type == CLSPI_PIXEL_F32 ? 4 : type == CLSPI_PIXEL_F64 ? 8 : 2;
}

/* Puts the components that are asked for behind each other; returns behind the last. */
CLSPI_INLINE real *put(const clspi_image_planes *planes, const real sums[COMPONENTS],
                       uint32_t channel, bool gradient, real *to)
{
    const real *const range = planes->range;

    if (planes->attributes & CLSPI_POINT_VALUE) {
        real x = sums[0];
        if (range && x < range[2 * channel]) x = range[2 * channel];
        if (range && x > range[2 * channel + 1]) x = range[2 * channel + 1];
        *to++ = x;
    }
    for (uint32_t d = 3 - planes->directions; gradient && d < 3; d++)
        *to++ = sums[1 + d];
    return to;
}

/* Makes the values of all channels at point k of a chunk. */
CLSPI_INLINE real *make_point(const clspi_image_planes *planes, const chunk *c, uint32_t k,
                              uint32_t order, bool gradient, real *to)
{
    const size_t size_y = planes->size[1], size_x = planes->size[2];
    const size_t stride[2] = {size_y * size_x, size_x};
    const uint32_t rows[2] = {planes->directions > 2 ? order + 1 : 1,
                              planes->directions > 1 ? order + 1 : 1};
    const size_t plane = stride[0] * planes->size[0];
    const real *channel = planes->planes;
    point_weights p;

    find_weights(&p, order, gradient, c, k);
    for (uint32_t n = 0; n < planes->channels; n++, channel += plane) {
        real sums[COMPONENTS] = {(real)planes->cval};
        if (c->is_within[k]) {
            const size_t at = ((size_t)c->i[0][k] * size_y + (size_t)c->i[1][k]) * size_x;
            sum_taps(channel + at + (size_t)c->i[2][k], stride, rows, order, gradient, &p, sums);
        } else if (c->is_there[k]) {
            const int32_t first[3] = {c->i[0][k], c->i[1][k], c->i[2][k]};
            const size_t packed[2] = {rows[1] * (order + 1), order + 1};
            real taps[TAPS * TAPS * TAPS];
            copy_taps(planes, channel, first, rows, taps);
            sum_taps(taps, packed, rows, order, gradient, &p, sums);
        }
        to = put(planes, sums, n, gradient, to);
    }
    return to;
}

CLSPI_INLINE void make_values(const clspi_image_planes *planes, const clspi_image_row *row,
                              uint32_t order, bool gradient)
{
    real made[CHUNK * CHANNELS * COMPONENTS];
    char *out = row->out;
    chunk c;

    for (size_t first = 0; first < row->num; first += CHUNK) {
        const uint32_t num = (uint32_t)(row->num - first < CHUNK ? row->num - first : CHUNK);
        real *to = made;
        find_coordinates(&c, planes, row, first, num);
        find_taps(&c, planes, order, num);
        for (uint32_t k = 0; k < num; k++)
            to = make_point(planes, &c, k, order, gradient, to);
        store(planes, made, (size_t)(to - made), out);
        out += (size_t)(to - made) * bytes_of(planes->type);
    }
}

/* Makes values; of the orders that are used most without gradients, with constants in the loops. */
CLSPI_CLONES static void ROW_VALUES(const clspi_image_planes *planes, const clspi_image_row *row)
{
    const bool gradient = (planes->attributes & CLSPI_POINT_GRADIENT) != 0;

    if (planes->order == 3 && !gradient)
        make_values(planes, row, 3, false);
    else if (planes->order == 1 && !gradient)
        make_values(planes, row, 1, false);
    else
        make_values(planes, row, planes->order, gradient);
}

/* (Clang 14 gives clones other names than callers in other files look for.) */
void IMAGE_VALUES(const clspi_image_planes *planes, const clspi_image_row *row)
{
    ROW_VALUES(planes, row);
}
