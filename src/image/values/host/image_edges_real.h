/* Taps of points near the edges of an image and outside, in the precision `real`: which
   coefficients they are, and rows of them side by side. */
#include "image_rows_real.h"

enum { MISSING = -2 /* the place of a coefficient that is not among those that there are */ };

/* Where the taps of a chunk's points are along each direction among the coefficients that there
   are; NO_INDEX: the constant stands there. */
typedef struct edge_taps {
    int32_t place[3][TAPS][CHUNK];
} edge_taps;

/* Returns how many points those of a chunk are with what fills vectors up. */
CLSPI_INLINE uint32_t rounds_of(const chunk *c)
{
    return (c->num + 15) / 16 * 16;
}

/* Finds which coefficients tap x of all points is along a direction, and then where these are. */
CLSPI_INLINE void find_places(int32_t place[CHUNK], const chunk *c,
                              const clspi_image_planes *planes, uint32_t d, int32_t x)
{
    const int32_t n = (int32_t)planes->size[d], low = planes->low[d];
    const int32_t stored = (int32_t)planes->stored[d];
    const single_fold e = fold_of(n, planes->mode[d]);
    const uint32_t rounds = rounds_of(c);
    const int32_t shift = c->shift[d] + x;
    int32_t is_far = 0;

    for (uint32_t k = 0; k < rounds; k++) {
        const int32_t i = c->i[d][k] + shift;
        const int32_t beyond = (i < 0 ? e.low : e.high) + e.sign * i;
        place[k] = i < 0 || i >= n ? beyond : i;
        is_far |= (place[k] < 0) | (place[k] >= n);
    }
    for (uint32_t k = 0; is_far && k < rounds; k++)
        if (place[k] < 0 || place[k] >= n)
            place[k] = index_of(c->i[d][k] + shift, n, planes->mode[d]);
    for (uint32_t k = 0; k < rounds; k++) {
        const int32_t at = place[k] - low, is_held = (at >= 0) & (at < stored);
        place[k] = place[k] == NO_INDEX ? NO_INDEX : is_held ? at : MISSING;
    }
}

/* Finds where the taps of a chunk are one by one. */
static void find_edge_taps(edge_taps *e, const chunk *c, const clspi_image_planes *planes)
{
    for (uint32_t d = 0; d < 3; d++)
        for (uint32_t x = 0; x <= planes->order; x++)
            if (d + planes->directions < 3)
                memset(e->place[d][x], 0, sizeof e->place[d][x]);
            else
                find_places(e->place[d][x], c, planes, d, (int32_t)x);
}

/* Returns what stands at a place that is none. */
CLSPI_INLINE real instead_of(const clspi_image_planes *planes, int32_t place)
{
    return place == NO_INDEX ? (real)planes->cval : (real)NAN;
}

/* Copies a row of taps by their places; from: the row of coefficients. */
CLSPI_INLINE void copy_row(real *to, const clspi_image_planes *planes, const real *from,
                           const int32_t place[TAPS], bool are_held)
{
    const uint32_t order = planes->order;

    if (are_held)
        for (uint32_t x = 0; x <= order; x++)
            to[x] = from[place[x]];
    else
        for (uint32_t x = 0; x <= order; x++)
            to[x] = place[x] < 0 ? instead_of(planes, place[x]) : from[place[x]];
}

/* Copies a row of taps that are side by side. */
CLSPI_INLINE void copy_parts(real *to, const real *from, uint32_t parts)
{
    for (uint32_t p = 0; p < parts; p++)
        *(any_part *)(to + p * PART) = *(const any_part *)(from + p * PART);
}

/* Copies all rows of taps of point k, `pitch` apart. */
CLSPI_INLINE void copy_taps(real *to, size_t pitch, const clspi_image_planes *planes,
                            const real *plane, const edge_taps *e, uint32_t k)
{
    const uint32_t order = planes->order;
    const uint32_t num_z = planes->directions > 2 ? order + 1 : 1;
    const uint32_t num_y = planes->directions > 1 ? order + 1 : 1;
    const size_t size_y = wide_size(planes, 1), size_x = wide_size(planes, 2);
    int32_t place[TAPS], least = 0;

    for (uint32_t x = 0; x <= order; x++) {
        place[x] = e->place[2][x][k];
        least = place[x] < least ? place[x] : least;
    }
    const bool are_beside = least == 0 && place[order] == place[0] + (int32_t)order;
    for (uint32_t z = 0; z < num_z; z++)
        for (uint32_t y = 0; y < num_y; y++, to += pitch) {
            const int32_t at_z = e->place[0][z][k], at_y = e->place[1][y][k];
            const int32_t at_row = at_z < 0 ? at_z : at_y;
            const size_t above = (size_t)at_z + planes->margin[0];
            const size_t before = (above * size_y + (size_t)at_y + planes->margin[1]) * size_x;
            const real *const from = plane + before + planes->margin[2];
            if (at_row < 0)
                for (uint32_t x = 0; x <= order; x++)
                    to[x] = instead_of(planes, at_row);
            else if (are_beside)
                copy_parts(to, from + place[0], parts_of(order));
            else
                copy_row(to, planes, from, place, least == 0);
        }
}

enum { EDGE_POINTS = 8 /* whose taps are copied at once */ };

/* Copies of the taps of points, and where those of each point of a chunk begin. */
typedef struct tap_copies {
    real taps[EDGE_POINTS * TAPS * TAPS * ROW * PART];
    ptrdiff_t at[CHUNK];
} tap_copies;

/* Copies the taps of so many points from point g of a chunk on, and tells where they are. What is
   behind the taps of a row counts for nothing. */
static void copy_points(tap_rows *r, tap_copies *to, const clspi_image_planes *planes,
                        const edge_taps *e, uint32_t num, uint32_t g)
{
    const uint32_t order = planes->order;
    const size_t pitch = (size_t)PART * parts_of(order), rows = order + 1;
    const size_t num_z = planes->directions > 2 ? rows : 1;
    const size_t num_y = planes->directions > 1 ? rows : 1;

    for (uint32_t k = 0; k < num; k++) {
        to->at[g + k] = (ptrdiff_t)(k * num_z * num_y * pitch);
        copy_taps(to->taps + to->at[g + k], pitch, planes, r->from, e, g + k);
    }
    for (uint32_t k = num; are_pairs(order) && k < GROUP; k++)
        to->at[g + k] = to->at[g];
    *r = (tap_rows){to->taps, to->at, num_y * pitch, pitch, r->slices};
}

/* ---- chunks of them ---- */

/* Finds those points of a chunk that have taps, but not side by side in memory; returns how many
   they are. Most groups have none. */
static uint32_t find_edge(uint32_t edge[CHUNK], const chunk *c)
{
    enum { FEW = 16 };
    uint32_t num = 0;

    for (uint32_t g = 0; g < c->num; g += FEW) {
        const uint32_t end = g + FEW < c->num ? g + FEW : c->num;
        int32_t is_any = 0;
        for (uint32_t k = g; k < g + FEW; k++)
            is_any |= c->is_there[k] & ~c->is_within[k];
        for (uint32_t k = g; is_any != 0 && k < end; k++) {
            edge[num] = k;
            num += (uint32_t)(c->is_there[k] & ~c->is_within[k]);
        }
    }
    return num;
}

/* Copies `num` points of a chunk, by their numbers in `edge`, into another one. */
static void gather_points(chunk *e, const uint32_t edge[CHUNK], uint32_t num, const chunk *c,
                          uint32_t directions)
{
    e->num = num;
    for (uint32_t d = 3 - directions; d < 3; d++) {
        e->shift[d] = c->shift[d];
        e->has_turned[d] = c->has_turned[d];
        e->is_flat[d] = c->is_flat[d];
        for (uint32_t k = 0; k < rounds_of(e); k++) {
            const uint32_t at = edge[k < num ? k : num - 1];
            e->i[d][k] = c->i[d][at];
            e->t[d][k] = c->t[d][at];
            e->is_turned[d][k] = c->has_turned[d] ? c->is_turned[d][at] : 0;
        }
    }
}

/* Lets the points of a chunk that are not within have the taps of one that is; false: none is. */
static bool stay_within(chunk *c)
{
    uint32_t within = 0;

    while (within < c->num && !c->is_within[within])
        within++;
    if (within == c->num) return false;
    const ptrdiff_t first = c->first[within];
    for (uint32_t k = 0; k < CHUNK; k++)
        c->first[k] = first + ((c->first[k] - first) & -(ptrdiff_t)c->is_within[k]);
    return true;
}
