/* Sums of taps of points by vectors, in the precision `real`. Weights are vectors of points. Rows
   of taps are vectors too, so that they are added up point by point without gathers; what comes of
   it is turned into vectors of points, which are added up along x.

   A part of a row is 16 bytes, and a vector consists of parts. Those of a group of points, which
   are as many as a vector has lanes, become vectors of points without leaving their places in
   vectors: lane PART q + j is then point PARTS j + q. Without vector types a part is a number, and
   so is a vector. */
#include "image_places_real.h"
#include "vectors_real.h"

#if CLSPI_WIDTH > 0
#define PART  (16 / REAL_BYTES)
#define PARTS (CLSPI_WIDTH / 16)
typedef real any_part __attribute__((vector_size(16), aligned(REAL_BYTES), may_alias));
#else
#define PART  1
#define PARTS 1
typedef real any_part;
#endif

enum {
    TAPS = TAPS_MAX,
    ROW = (TAPS + PART - 1) / PART, /* parts of the longest row */
    GROUP = PART * PARTS
};

/* Returns how many parts a row of taps has. */
CLSPI_INLINE uint32_t parts_of(uint32_t order)
{
    return order / PART + 1;
}

/* Tells whether rows are pairs of taps, which are turned before they are added up: then the sums of
   tap x stand point by point from CHUNK x on. */
CLSPI_INLINE bool are_pairs(uint32_t order)
{
    return order == 1 && PART > 1;
}

/* ---- weights ---- */

/* The pieces of the B-splines as [order][power][tap], times factorials. */
#define PIECE(k, a, b, c, d, e, f, g, h) [k] = {a, b, c, d, e, f, g, h},
#define PIECES_OF(order)                 [order] = {PIECES_##order(PIECE, PIECE)},
#define FACTORIAL_OF(order)              [order] = FACTORIAL_##order,
static const real pieces[TAPS][TAPS][TAPS] = {EACH_ORDER(PIECES_OF)};
static const real factorials[TAPS] = {EACH_ORDER(FACTORIAL_OF)};

/* The weights of the taps of a chunk's points along each direction, and their derivatives. */
typedef struct tap_weights {
    _Alignas(64) real w[3][TAPS][CHUNK];
    real d[3][TAPS][CHUNK];
} tap_weights;

/* Gives the weights of the taps at distances t in [0, 1]. */
CLSPI_INLINE void weights_at(uint32_t order, vec t, real (*w)[CHUNK], uint32_t g)
{
    const real scale = 1 / factorials[order];

    CLSPI_UNROLL(8)
    for (uint32_t x = 0; x <= order; x++) {
        vec s = all_lanes(pieces[order][order][x]);
        CLSPI_UNROLL(8)
        for (uint32_t d = order; d-- > 0;)
            s = s * t + pieces[order][d][x];
        store_vec(w[x] + g, s * scale);
    }
}

/* Gives their derivatives. */
CLSPI_INLINE void slopes_at(uint32_t order, vec t, real (*w)[CHUNK], uint32_t g)
{
    const real scale = 1 / factorials[order];

    CLSPI_UNROLL(8)
    for (uint32_t x = 0; x <= order; x++) {
        vec s = all_lanes((real)order * pieces[order][order][x]);
        CLSPI_UNROLL(8)
        for (uint32_t d = order; d-- > 1;)
            s = s * t + (real)d * pieces[order][d][x];
        store_vec(w[x] + g, s * scale);
    }
}

/* ---- rows of taps ---- */

/* What is made of points, a constant where it is inlined. */
typedef struct work {
    uint32_t order, directions;
    bool gradient;
} work;

/* Where the taps of points begin, how far rows are apart along z and y, and how many slices they
   have: not a constant, so that their loop stays one. */
typedef struct tap_rows {
    const real *from;
    const ptrdiff_t *at;
    size_t stride_z, stride_y;
    uint32_t slices;
} tap_rows;

/* Rows of taps of points, added up along z and y: by weights, and by derivatives along z and y. */
typedef real row_parts[ROW][CHUNK * PART];
typedef struct row_sums {
    row_parts all, by_z, by_y;
} row_sums;

/* Rows of one part, and longer ones by vectors of two where the level has these. */
#define ROW_BYTES    (PART * REAL_BYTES)
#define OF_ROW(name) short_##name
#include "image_row_sums_real.h"
#undef ROW_BYTES
#undef OF_ROW
#if CLSPI_WIDTH > 16
#define ROW_BYTES 32
#else
#define ROW_BYTES (PART * REAL_BYTES)
#endif
#define OF_ROW(name) long_##name
#include "image_row_sums_real.h"

/* ---- parts of vectors ---- */

#if PART > 1

/* The lanes of all parts of a vector, of part q those that f(q, k) names. */
#if PARTS == 4
#define IN_PARTS(f, k) f(0, k), f(1, k), f(2, k), f(3, k)
#elif PARTS == 2
#define IN_PARTS(f, k) f(0, k), f(1, k)
#else
#define IN_PARTS(f, k) f(0, k)
#endif

/* ---- pairs of taps ---- */

/* Joins the pairs of so many points, half as many as a vector has lanes, the first of them `at`. */
#if PART == 4
#define PAIR(at)        (*(const any_pair *)(from + (at)))
#define TWO_PAIRS(q, k) PAIR(at[2 * q]), PAIR(at[2 * q + 1])
typedef uint64_t any_pair __attribute__((aligned(REAL_BYTES), may_alias));
CLSPI_INLINE vec load_pairs(const real *from, const ptrdiff_t *at)
{
    typedef uint64_t pairs CLSPI_VECTOR(CLSPI_WIDTH);

    return (vec)(pairs){IN_PARTS(TWO_PAIRS, 0)};
}
#else
#define PAIR(q)   (*(const any_part *)(from + at[q]))
#define JOINED(q) CLSPI_SHUFFLE(PAIR(q), PAIR(q + 1), 0, 1, 2, 3)
CLSPI_INLINE vec load_pairs(const real *from, const ptrdiff_t *at)
{
#if PARTS == 4
    return CLSPI_SHUFFLE(JOINED(0), JOINED(2), 0, 1, 2, 3, 4, 5, 6, 7);
#elif PARTS == 2
    return JOINED(0);
#else
    return PAIR(0);
#endif
}
#endif

/* Rows of two taps of a group of points, or what they add up to: a vector of points for each tap.
 */
typedef struct pair_sums {
    vec x[2];
} pair_sums;

/* Loads the rows of a group of points, the two of a slice beside each other. In single precision
   half of the points come first: so many addresses stay in registers while all rows are loaded. */
CLSPI_INLINE void load_taps(pair_sums taps[4], tap_rows r, uint32_t slices, uint32_t rows,
                            uint32_t g)
{
    vec half[4][2];

    CLSPI_UNROLL(8)
    for (uint32_t n = 0; n < 8; n++) {
        const uint32_t k = PART == 4 ? n % 4 : n / 2, h = PART == 4 ? n / 4 : n % 2;
        if (k / 2 < slices && k % 2 < rows)
            half[k][h] = load_pairs(r.from + k / 2 * r.stride_z + k % 2 * r.stride_y,
                                    r.at + g + h * (LANES / 2));
        if (h == 1 && k / 2 < slices && k % 2 < rows)
            taps[k] = (pair_sums){{CLSPI_SHUFFLE(half[k][0], half[k][1], EVEN_LANES),
                                   CLSPI_SHUFFLE(half[k][0], half[k][1], ODD_LANES)}};
    }
}

CLSPI_INLINE void add_pairs(pair_sums *to, const real *weights, const pair_sums *rows)
{
    const vec w = load_vec(weights);

    to->x[0] += w * rows->x[0];
    to->x[1] += w * rows->x[1];
}

CLSPI_INLINE void store_pairs(row_parts to, const pair_sums *from, uint32_t g)
{
    store_vec(to[0] + g, from->x[0]);
    store_vec(to[0] + CHUNK + g, from->x[1]);
}

/* Adds up the rows of a group of points from point g on. */
CLSPI_INLINE void sum_group(row_sums *to, tap_rows r, work of, const tap_weights *w, uint32_t g)
{
    const uint32_t rows = of.directions > 1 ? 2 : 1, slices = of.directions > 2 ? 2 : 1;
    pair_sums all = {{{0}}}, by_y = {{{0}}}, by_z = {{{0}}}, loaded[4];

    load_taps(loaded, r, slices, rows, g);
    CLSPI_UNROLL(2)
    for (uint32_t z = 0; z < slices; z++) {
        pair_sums sum = {{{0}}}, slope = {{{0}}};
        CLSPI_UNROLL(2)
        for (uint32_t y = 0; y < rows; y++) {
            const pair_sums taps = loaded[2 * z + y];
            if (rows == 1) sum = taps;
            if (rows > 1) add_pairs(&sum, w->w[1][y] + g, &taps);
            if (rows > 1 && of.gradient) add_pairs(&slope, w->d[1][y] + g, &taps);
        }
        if (slices == 1) all = sum, by_y = slope;
        if (slices > 1) add_pairs(&all, w->w[0][z] + g, &sum);
        if (slices > 1 && of.gradient) add_pairs(&by_y, w->w[0][z] + g, &slope);
        if (slices > 1 && of.gradient) add_pairs(&by_z, w->d[0][z] + g, &sum);
    }
    store_pairs(to->all, &all, g);
    if (of.gradient) store_pairs(to->by_y, &by_y, g);
    if (of.gradient && of.directions == 3) store_pairs(to->by_z, &by_z, g);
}

#else

CLSPI_INLINE void sum_group(row_sums *to, tap_rows r, work of, const tap_weights *w, uint32_t g)
{
    (void)to, (void)r, (void)of, (void)w, (void)g;
}

#endif

/* ---- sums along x ---- */

#if PART > 1

/* Every second lane of a part of two vectors, from k on. */
#if PART == 4
#define DEALT(q, k) 4 * q + k, 4 * q + k + 2, GROUP + 4 * q + k, GROUP + 4 * q + k + 2
#else
#define DEALT(q, k) 2 * q + k, GROUP + 2 * q + k
#endif

/* Deals the lanes of two vectors' parts in turns to two vectors. */
CLSPI_INLINE void deal(vec *a, vec *b)
{
    const vec even = CLSPI_SHUFFLE(*a, *b, IN_PARTS(DEALT, 0));

    *b = CLSPI_SHUFFLE(*a, *b, IN_PARTS(DEALT, 1));
    *a = even;
}

#endif

/* Makes vectors of points, of one tap each, of vectors of parts. */
CLSPI_INLINE void turn(vec v[PART])
{
#if PART == 4
    deal(&v[0], &v[1]);
    deal(&v[2], &v[3]);
    deal(&v[0], &v[2]);
    deal(&v[1], &v[3]);
#elif PART == 2
    deal(&v[0], &v[1]);
#else
    (void)v;
#endif
}

/* Brings the points of a group to the order of rows that were turned, and back. */
#if PARTS == 4 && PART == 4
#define TURNED 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15
#define BACK   TURNED
#elif PARTS == 2 && PART == 4
#define TURNED 0, 2, 4, 6, 1, 3, 5, 7
#define BACK   0, 4, 1, 5, 2, 6, 3, 7
#elif PARTS == 4
#define TURNED 0, 4, 1, 5, 2, 6, 3, 7
#define BACK   0, 2, 4, 6, 1, 3, 5, 7
#elif PARTS == 2
#define TURNED 0, 2, 1, 3
#define BACK   TURNED
#endif
CLSPI_INLINE vec turn_points(vec x)
{
#if PARTS > 1
    x = CLSPI_SHUFFLE(x, x, TURNED);
#endif
    return x;
}

CLSPI_INLINE vec turn_back(vec x)
{
#if PARTS > 1
    x = CLSPI_SHUFFLE(x, x, BACK);
#endif
    return x;
}

/* Adds up rows along x, of a group of points from point g on, by weights of turned points. */
CLSPI_INLINE vec sum_along_x(const row_parts rows, real (*w)[CHUNK], uint32_t order, uint32_t g)
{
    vec s = all_lanes(0);

    for (uint32_t x = 0; are_pairs(order) && x < 2; x++)
        s += load_vec(rows[0] + x * CHUNK + g) * load_vec(w[x] + g);
    if (are_pairs(order)) return s;
    CLSPI_UNROLL(8)
    for (uint32_t p = 0; p < parts_of(order); p++) {
        vec taps[PART];
        CLSPI_UNROLL(4)
        for (uint32_t j = 0; j < PART; j++)
            taps[j] = load_vec(rows[p] + (g + j * PARTS) * PART);
        turn(taps);
        CLSPI_UNROLL(4)
        for (uint32_t j = 0; j < PART; j++) {
            const uint32_t x = p * PART + j;
            if (x <= order) s += taps[j] * load_vec(w[x] + g);
        }
    }
    return turn_back(s);
}
