/* Where the points of a chunk are among coefficients, in the precision `real`: the first of the
   taps of each, and how far the point is behind its knot. The file that includes this one names
   FLOOR and EPSILON too. */
#include <string.h>

#include "level.h"
#include "image_points.h"

enum { CHUNK = CLSPI_IMAGE_STEPS };

/* Where the points of a chunk are: along each direction a whole number, and the rest. */
typedef struct chunk {
    int32_t i[3][CHUNK];
    real t[3][CHUNK];
    int32_t is_there[CHUNK];  /* 1: no cval stands at it */
    int32_t is_within[CHUNK]; /* 1: all its taps are in memory, side by side */
    bool all_there, all_within;
} chunk;

/* ---- coordinates ---- */

/* Splits a coordinate, kept within 2^30. What is just above -1/2 stays no tie, though 1 more is
   rounded to 1/2. */
CLSPI_INLINE int32_t split(real at, int32_t *i, real *t)
{
    const real bound = (real)0x1p30, half = (real)0.5;
    const real near = at > bound ? bound : at >= -bound ? at : -bound;
    const real whole = FLOOR(near), rest = near - whole;

    *i = (int32_t)whole;
    *t = rest == half && near > -half && near < 0 ? half + half * EPSILON : rest;
    return at - at == 0;
}

/* Gives the coordinates of points of a map along one direction, from point x on. What they begin
   with is added last, as kernels do. */
CLSPI_INLINE void map_axis(chunk *c, const clspi_image_row *row, uint32_t d, uint32_t x,
                           uint32_t num)
{
    const clspi_image_grid *const g = row->grid;
    const double *const m = g->matrix[d], middle = g->middle;
    const double begin = m[0] * (row->z + middle) + m[1] * (row->y + middle);
    const uint64_t *const f = g->fixed[d], *const step = g->step[d],
                          *const low_step = g->low_step[d];
    const uint32_t *const l = g->low[d];
    const uint64_t at = f[3] + row->z * f[0] + row->y * f[1] + x * f[2];
    const uint64_t low =
        l[3] + (uint64_t)row->z * l[0] + (uint64_t)row->y * l[1] + (uint64_t)x * l[2];

    if (!g->is_fixed) {
        for (uint32_t k = 0; k < num; k++)
            c->is_there[k] &= split((real)(begin + m[2] * ((int32_t)(x + k) + middle) + m[3]),
                                    &c->i[d][k], &c->t[d][k]);
        return;
    }
    for (uint32_t k = 0; k < num; k++) {
        const uint64_t sum = at + step[k] + ((low + low_step[k]) >> 32);
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
        const int32_t is_over = t >= 1;
        c->t[d][k] = is_over ? t - 1 : t;
        c->i[d][k] += (int32_t)low + is_over;
        c->is_there[k] &= by - by == 0;
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

CLSPI_INLINE void find_coordinates(chunk *c, uint32_t directions, const clspi_image_row *row,
                                   size_t first, uint32_t num)
{
    real apart[CHUNK];

    for (uint32_t k = 0; k < CHUNK; k++)
        c->is_there[k] = 1;
    for (uint32_t d = 3 - directions; d < 3; d++) {
        const real *const field = row->field[d];
        if (row->grid) {
            map_axis(c, row, d, row->x + (uint32_t)first, num);
            if (field) displace(c, field + first, d, num);
            continue;
        }
        const real *const at = side_by_side(row, field, first, num, apart);
        for (uint32_t k = 0; k < num; k++)
            c->is_there[k] &= split(at[k], &c->i[d][k], &c->t[d][k]);
    }
}

/* ---- taps ---- */

/* Finds the place of a coordinate outside by the modes that keep within the image. */
static void keep_within(int32_t *i, real *rest, uint32_t order, int32_t n, uint32_t mode)
{
    const real t = *rest;
    const bool is_beyond = *i < 0 || *i >= n || (*i == n - 1 && t > 0);

    if (!is_beyond) return;
    /* halves go up where the image ends up: down, where it runs back */
    if (order == 0 && t == (real)0.5 && clspi_runs_back(*i, (uint32_t)n, mode)) *rest = 0;
    if (mode == CLSPI_EXTEND_WRAP) {
        const int32_t r = n > 1 ? clspi_extend(*i, (uint32_t)(n - 1), CLSPI_EXTEND_GRID_WRAP) : 0;
        *i = *i < 0 && r == 0 && t == 0 ? n - 1 : r;
    }
}

/* Tells whether a coordinate is between two samples of order 0, and may be rounded to either. */
CLSPI_INLINE bool has_half(const chunk *c, uint32_t order, uint32_t d, uint32_t num)
{
    int32_t is_half = 0;

    for (uint32_t k = 0; order == 0 && k < num; k++)
        is_half |= c->t[d][k] == (real)0.5;
    return is_half != 0;
}

/* Takes care of a chunk's coordinates outside of the image along a direction. */
CLSPI_INLINE void keep_chunk_within(chunk *c, const clspi_image_planes *planes, uint32_t d,
                                    uint32_t num)
{
    const int32_t last = (int32_t)planes->size[d] - 1;
    const uint32_t mode = planes->mode[d];

    if (mode == CLSPI_EXTEND_CONSTANT)
        for (uint32_t k = 0; k < num; k++) {
            const int32_t i = c->i[d][k], is_behind = (i > last) | ((i == last) & (c->t[d][k] > 0));
            c->is_there[k] &= (i >= 0) & !is_behind;
        }
    else if (mode == CLSPI_EXTEND_WRAP || has_half(c, planes->order, d, num))
        for (uint32_t k = 0; k < num; k++)
            keep_within(&c->i[d][k], &c->t[d][k], planes->order, last + 1, mode);
}

/* Makes of the coordinates of a chunk along one direction first taps and distances behind their
   knots. */
CLSPI_INLINE void find_taps_along(chunk *c, const clspi_image_planes *planes, uint32_t d,
                                  uint32_t num)
{
    const int32_t pad = (int32_t)planes->pad[d];
    const int32_t order = (int32_t)planes->order, spread = (int32_t)planes->margin[d];
    const int32_t low = planes->low[d], high = low + (int32_t)planes->stored[d];
    const int32_t near = order / 2 + 1;
    int32_t least = INT32_MAX, most = INT32_MIN;

    for (uint32_t k = 0; k < num; k++) {
        const int32_t i = c->i[d][k] += pad;
        least = i < least ? i : least;
        most = i > most ? i : most;
    }
    const bool is_inside = least >= low + near && most < high - near;
    if (!is_inside) keep_chunk_within(c, planes, d, num);
    for (uint32_t k = 0; order % 2 == 0 && k < num; k++) {
        const int32_t is_upper = c->t[d][k] >= (real)0.5;
        c->t[d][k] += is_upper ? (real)-0.5 : (real)0.5;
        c->i[d][k] += is_upper;
    }
    for (uint32_t k = 0; k < num; k++)
        c->i[d][k] -= order / 2;
    for (uint32_t k = 0; !is_inside && k < num; k++)
        c->is_within[k] &= (c->i[d][k] >= low - spread) & (c->i[d][k] < high + spread - order);
}

CLSPI_INLINE void find_taps(chunk *c, const clspi_image_planes *planes, uint32_t num)
{
    for (uint32_t k = 0; k < CHUNK; k++)
        c->is_within[k] = 1;
    for (uint32_t d = 3 - planes->directions; d < 3; d++)
        find_taps_along(c, planes, d, num);
    int32_t there = 1, within = 1;
    for (uint32_t k = 0; k < num; k++) {
        there &= c->is_there[k];
        within &= c->is_within[k] &= c->is_there[k];
    }
    c->all_there = there != 0;
    c->all_within = within != 0;
}
