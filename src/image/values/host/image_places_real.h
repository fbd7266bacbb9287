/* Where the points of a chunk are among coefficients, in the precision `real`: the first of the
   taps of each, and how far the point is behind its knot. The file that includes this one names
   EPSILON and FLOOR too. */
#include <string.h>

#include "image_points.h"
#include "level.h"

enum { CHUNK = CLSPI_IMAGE_STEPS };

/* Where the points of a chunk are: along each direction a whole number, and the rest. Loops go over
   all CHUNK, for vectors that are whole: behind the last point stands what it has. */
typedef struct chunk {
    uint32_t num;
    int32_t shift[3]; /* what is to be added to whole numbers for the index of the first tap */
    _Alignas(64) int32_t i[3][CHUNK]; /* with a line of the cache, so that no vector is of two */
    real t[3][CHUNK];
    real is_turned[3][CHUNK]; /* 1: the taps of a mirrored image, in turned order; else 0; where
                                 taps are flat -1, if the first one counts alone, or 1, the last */
    int32_t is_there[CHUNK];  /* 1: no cval stands at it */
    int32_t is_within[CHUNK]; /* 1: all its taps are in memory, side by side */
    bool is_even;             /* coordinates go on evenly, and are numbers: those of a map */
    bool all_there, all_within;
    bool has_turned[3];     /* false: none is, and nothing stands in is_turned */
    bool is_flat[3];        /* where all taps beyond an end are the same coefficient */
    ptrdiff_t first[CHUNK]; /* where the first tap is or would be, from the begin of a plane on */
} chunk;

/* ---- coordinates ---- */

/* Keeps what points have been given within a bound; not finite: they are not there. (By loops of
   their own: of one compilers make branches, or more steps.) */
CLSPI_INLINE void keep_near(chunk *c, real near[CHUNK], const real *at, real bound)
{
    for (uint32_t k = 0; k < CHUNK; k++) {
        near[k] = at[k] > -bound ? at[k] : -bound;
        c->is_there[k] &= at[k] - at[k] == 0;
    }
    for (uint32_t k = 0; k < CHUNK; k++)
        near[k] = near[k] < bound ? near[k] : bound;
}

/* Returns what a number within the range of int32_t is rounded down to: by an instruction, where
   levels have it. */
CLSPI_INLINE real floor_of(real x)
{
#if defined __SSE4_1__ || defined __aarch64__
    return FLOOR(x);
#else
    const real toward_0 = (real)(int32_t)x;

    return toward_0 - (real)(toward_0 > x);
#endif
}

/* Splits coordinates along one direction, kept within 2^30. What is just above -1/2 stays no tie,
   though 1 more is rounded to 1/2. */
CLSPI_INLINE void split(chunk *c, const real *at, uint32_t d)
{
    const real half = (real)0.5, above_half = half + half * EPSILON;
    real near[CHUNK];

    keep_near(c, near, at, (real)0x1p30);
    for (uint32_t k = 0; k < CHUNK; k++) {
        const real low = floor_of(near[k]), t = near[k] - low;
        const int32_t is_tie = (near[k] > -half) & (near[k] < 0);
        const real least = is_tie ? above_half : t;
        c->i[d][k] = (int32_t)low;
        c->t[d][k] = t == half ? least : t;
    }
}

/* Gives the coordinates of points of a map of fixed-point numbers along one direction, from point x
   on: sums by 32 bits, of which all vectors have most. */
CLSPI_INLINE void fixed_axis(chunk *c, const clspi_image_row *row, uint32_t d, uint32_t x)
{
    const clspi_image_grid *const g = row->grid;
    const uint64_t *const f = g->fixed[d];
    const uint32_t *const l = g->low[d], *const whole = g->step[d][0], *const high = g->step[d][1],
                          *const low = g->step[d][2];
    const uint64_t at_low =
        l[3] + (uint64_t)row->z * l[0] + (uint64_t)row->y * l[1] + (uint64_t)x * l[2];
    const uint64_t at = f[3] + row->z * f[0] + row->y * f[1] + x * f[2] + (at_low >> 32);
    const uint32_t first_whole = (uint32_t)(at >> 32), first_high = (uint32_t)at,
                   first_low = (uint32_t)at_low;

    for (uint32_t k = 0; k < CHUNK; k++) {
        const uint32_t carry = first_low + low[k] < first_low;
        const uint32_t sum = first_high + high[k], rest = sum + carry;
        const uint32_t over = (sum < first_high) | (rest < carry);
        c->i[d][k] = (int32_t)(first_whole + whole[k] + over);
        c->t[d][k] = (real)(int32_t)(rest >> 4) * (real)0x1p-28;
    }
}

/* Gives the coordinates of points of a map of reals. What they begin with is added last, as kernels
   do. */
CLSPI_INLINE void real_axis(chunk *c, const clspi_image_row *row, uint32_t d, uint32_t x)
{
    const double *const m = row->grid->matrix[d], middle = row->grid->middle;
    const double begin = m[0] * (row->z + middle) + m[1] * (row->y + middle);
    real at[CHUNK];

    for (uint32_t k = 0; k < CHUNK; k++)
        at[k] = (real)(begin + m[2] * ((int32_t)(x + k) + middle) + m[3]);
    split(c, at, d);
}

/* Adds displacements along one direction. */
CLSPI_INLINE void displace(chunk *c, const real *field, uint32_t d)
{
    real near[CHUNK];

    keep_near(c, near, field, (real)0x1p29);
    for (uint32_t k = 0; k < CHUNK; k++) {
        const real low = floor_of(near[k]), t = c->t[d][k] + (near[k] - low);
        const int32_t is_over = t >= 1;
        c->t[d][k] = t - (real)is_over;
        c->i[d][k] += (int32_t)low + is_over;
    }
}

/* Takes numbers that are `step` apart. */
CLSPI_INLINE void take_every(real *restrict to, const real *restrict from, size_t step,
                             uint32_t num)
{
    for (uint32_t k = 0; k < num; k++)
        to[k] = from[k * step];
}

/* Gives what the points of a chunk have been given along one direction side by side; apart: room
   for what is not. */
CLSPI_INLINE const real *side_by_side(const chunk *c, const real *given, size_t step,
                                      real apart[CHUNK])
{
    if (step == 1 && c->num == CHUNK) return given;
    if (step == 2 && c->num == CHUNK)
        take_every(apart, given, 2, CHUNK);
    else if (step == 3 && c->num == CHUNK)
        take_every(apart, given, 3, CHUNK);
    else
        take_every(apart, given, step, c->num);
    for (uint32_t k = c->num; k < CHUNK; k++)
        apart[k] = apart[c->num - 1];
    return apart;
}

/* Finds the coordinates of the points of a row from `first` on. */
CLSPI_INLINE void find_coordinates(chunk *c, uint32_t directions, const clspi_image_row *row,
                                   size_t first)
{
    real apart[CHUNK];

    for (uint32_t k = 0; k < CHUNK; k++)
        c->is_there[k] = 1;
    c->is_even = row->grid != NULL;
    for (uint32_t d = 3 - directions; d < 3; d++) {
        const real *const field = row->field[d];
        const real *const given =
            field ? side_by_side(c, field + first * row->step, row->step, apart) : NULL;
        if (!row->grid)
            split(c, given, d);
        else if (row->grid->is_fixed)
            fixed_axis(c, row, d, row->x + (uint32_t)first);
        else
            real_axis(c, row, d, row->x + (uint32_t)first);
        if (row->grid && given) displace(c, given, d);
        c->is_even = c->is_even && !given;
        for (uint32_t k = c->num; k < CHUNK; k++) {
            c->i[d][k] = c->i[d][c->num - 1];
            c->t[d][k] = c->t[d][c->num - 1];
            c->is_there[k] = c->is_there[c->num - 1];
        }
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
    if (order == 0 && t == (real)0.5 && runs_back(*i, n, mode)) *rest = 0;
    if (mode == MODE_WRAP) {
        const int32_t r = n > 1 ? modulo(*i, n - 1) : 0;
        *i = *i < 0 && r == 0 && t == 0 ? n - 1 : r;
    }
}

/* Tells whether a coordinate is between two samples of order 0, and may be rounded to either. */
CLSPI_INLINE bool has_half(const chunk *c, uint32_t order, uint32_t d)
{
    int32_t is_half = 0;

    for (uint32_t k = 0; order == 0 && k < CHUNK; k++)
        is_half |= c->t[d][k] == (real)0.5;
    return is_half != 0;
}

/* Takes care of a chunk's coordinates outside of the image along a direction. */
static void keep_chunk_within(chunk *c, const clspi_image_planes *planes, uint32_t d)
{
    const int32_t pad = (int32_t)planes->pad[d], last = (int32_t)planes->size[d] - 1;
    const uint32_t mode = planes->mode[d];

    if (mode == MODE_CONSTANT)
        for (uint32_t k = 0; k < CHUNK; k++) {
            const int32_t i = c->i[d][k] + pad;
            const int32_t is_behind = (i > last) | ((i == last) & (c->t[d][k] > 0));
            c->is_there[k] &= (i >= 0) & !is_behind;
        }
    else if (mode == MODE_WRAP || has_half(c, planes->order, d))
        for (uint32_t k = 0; k < CHUNK; k++) {
            int32_t i = c->i[d][k] + pad;
            keep_within(&i, &c->t[d][k], planes->order, last + 1, mode);
            c->i[d][k] = i - pad;
        }
}

/* Lets the coordinates of a chunk along one direction count from the middles between samples on,
   where the knots of even orders are. (A loop of its own, which becomes vectors.) */
CLSPI_INLINE void count_from_middles(chunk *c, uint32_t d)
{
    for (uint32_t k = 0; k < CHUNK; k++) {
        const int32_t is_upper = c->t[d][k] >= (real)0.5;
        c->t[d][k] += (real)0.5 - (real)is_upper;
        c->i[d][k] += is_upper;
    }
}

/* Has points all of whose taps are beyond an end of the image take them from where the same
   coefficients stand within: those of a mirrored image in turned order, with turned weights; and
   where the image ends with one coefficient, this and its neighbours, which parts may lack, by its
   weight alone. Weights depend on nothing but the coordinate, so that parts of an image have the
   bits of the whole. */
CLSPI_INLINE void fold(chunk *c, const clspi_image_planes *planes, uint32_t d)
{
    const int32_t n = (int32_t)planes->size[d], order = (int32_t)planes->order;
    const int32_t shift = c->shift[d];
    const single_fold e = fold_of(n, planes->mode[d]);
    const uint32_t mode = planes->mode[d];
    const int32_t is_mirrored = e.sign < 0, is_flat = c->is_flat[d];
    const int32_t low = e.low - (is_mirrored ? order : 0), high = e.high - (e.sign > 0 ? 0 : order);
    const int32_t end = is_flat && planes->stored[d] < planes->size[d] ? 0 : n;
    int32_t has_turned = 0;

    if (mode == MODE_CONSTANT || mode == MODE_GRID_CONSTANT) return;
    for (uint32_t k = 0; k < CHUNK; k++) {
        const int32_t i = c->i[d][k] + shift;
        const int32_t is_under = i + order < 0, is_over = i >= n;
        const int32_t first = (is_under ? low : high) + e.sign * i;
        const int32_t is_folded = (is_under | is_over) & (first >= 0) & (first + order < end);
        const int32_t is_turned = (is_folded & is_mirrored) + (is_over - is_under) * is_flat;
        c->i[d][k] = is_folded ? first - shift : c->i[d][k];
        c->is_turned[d][k] = (real)is_turned;
        has_turned |= is_turned;
    }
    c->has_turned[d] = has_turned != 0;
}

/* Finds the least and the greatest whole number along a direction. */
CLSPI_INLINE void find_ends(const chunk *c, uint32_t d, int32_t ends[2])
{
    const int32_t first = c->i[d][0], last = c->i[d][CHUNK - 1];
    int32_t least = first < last ? first : last, most = first < last ? last : first;

    for (uint32_t k = 0; !c->is_even && k < CHUNK; k++) {
        const int32_t i = c->i[d][k];
        least = i < least ? i : least;
        most = i > most ? i : most;
    }
    ends[0] = least;
    ends[1] = most;
}

/* Makes of the coordinates of a chunk along one direction those of first taps and distances behind
   their knots; returns whether all taps are within by far. */
static bool find_taps_along(chunk *c, const clspi_image_planes *planes, uint32_t d)
{
    const int32_t pad = (int32_t)planes->pad[d], order = (int32_t)planes->order;
    const int32_t spread = (int32_t)planes->margin[d], shift = pad - order / 2;
    const int32_t low = planes->low[d], high = low + (int32_t)planes->stored[d];
    const int32_t near = order / 2 + 1;
    int32_t ends[2];

    find_ends(c, d, ends);
    const bool is_inside = ends[0] + pad >= low + near && ends[1] + pad < high - near;
    if (!is_inside) keep_chunk_within(c, planes, d);
    if (order % 2 == 0) count_from_middles(c, d);
    c->shift[d] = shift;
    c->is_flat[d] = planes->mode[d] == MODE_NEAREST;
    if (ends[0] + shift + order < 0 || ends[1] + 1 + shift >= (int32_t)planes->size[d])
        fold(c, planes, d);
    for (uint32_t k = 0; !is_inside && k < CHUNK; k++) {
        const int32_t i = c->i[d][k] + shift;
        c->is_within[k] &= (i >= low - spread) & (i < high + spread - order);
    }
    return is_inside;
}

/* Returns how many coefficients a plane has along a direction, margins counted. */
CLSPI_INLINE size_t wide_size(const clspi_image_planes *planes, uint32_t d)
{
    return planes->stored[d] + 2 * (size_t)planes->margin[d];
}

/* Finds where first taps are: by 32 bits, where these are enough. */
CLSPI_INLINE void find_first(chunk *c, const clspi_image_planes *planes)
{
    const size_t row = wide_size(planes, 2), slice = wide_size(planes, 1) * row;
    const bool has_y = planes->directions > 1, has_z = planes->directions > 2;
    int64_t zero = 0; /* where the tap of number 0 is or would be */

    for (uint32_t d = 0; d < 3; d++)
        zero = zero * (int64_t)wide_size(planes, d) +
               ((int64_t)planes->margin[d] - planes->low[d] + c->shift[d]);
    if (slice * wide_size(planes, 0) <= INT32_MAX)
        for (uint32_t k = 0; k < CHUNK; k++) {
            const uint32_t y = has_y ? (uint32_t)c->i[1][k] * (uint32_t)row : 0;
            const uint32_t z = has_z ? (uint32_t)c->i[0][k] * (uint32_t)slice : 0;
            c->first[k] = (int32_t)((uint32_t)zero + (uint32_t)c->i[2][k] + y + z);
        }
    else
        for (uint32_t k = 0; k < CHUNK; k++) {
            const int64_t y = has_y ? c->i[1][k] * (int64_t)row : 0;
            const int64_t z = has_z ? c->i[0][k] * (int64_t)slice : 0;
            c->first[k] = (ptrdiff_t)(zero + c->i[2][k] + y + z);
        }
}

/* Tells which points of a chunk are there and within, from what is known of each. */
CLSPI_INLINE void find_all(chunk *c)
{
    int32_t there = 1, within = 1;

    for (uint32_t k = 0; k < CHUNK; k++) {
        there &= c->is_there[k];
        within &= c->is_within[k] &= c->is_there[k];
    }
    c->all_there = there != 0;
    c->all_within = within != 0;
}

/* Finds the taps of points whose coordinates are known. */
CLSPI_INLINE void find_taps(chunk *c, const clspi_image_planes *planes)
{
    bool are_inside = c->is_even;

    for (uint32_t k = 0; k < CHUNK; k++)
        c->is_within[k] = 1;
    c->shift[0] = c->shift[1] = 0;
    c->has_turned[0] = c->has_turned[1] = c->has_turned[2] = false;
    for (uint32_t d = 3 - planes->directions; d < 3; d++)
        are_inside = find_taps_along(c, planes, d) && are_inside;
    find_first(c, planes);
    c->all_there = c->all_within = true;
    if (!are_inside) find_all(c);
}
