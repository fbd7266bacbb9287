/* The definition of LIST_SUMS, one of list_sums.h, in the precision `real`. The file that includes
   this one names both. */
#include <string.h>

#include "level.h"
#include "list_sums.h"

enum {
    CHUNK = CLSPI_LIST_CHUNK,
    BLOCK = CLSPI_LIST_BLOCK,
    ORDER = CLSPI_LIST_DEGREE + 1,
    COORDS = 5,
    LINE = 64 /* bytes of a line of the cache: arrays begin with one, wherever the stack stands */
};

/* Values of the functions along a direction: of the degree, and of one less for derivatives. */
typedef struct values {
    real b[ORDER][CHUNK], less[ORDER][CHUNK];
} values;

/* ---- basis functions ---- */

/* Finds which of the values are largest, or near it: of Bernstein polynomials by where they are. */
CLSPI_INLINE void find_largest(int32_t *largest, double (*from)[CHUNK], uint32_t degree,
                               const double *x)
{
    double most[CHUNK];

    for (size_t p = 0; p < CHUNK; p++) {
        const int32_t mode = (int32_t)((degree + 1) * (x ? x[p] : 0));
        largest[p] = mode < (int32_t)degree ? mode : (int32_t)degree;
        most[p] = from[0][p];
    }
    for (uint32_t k = 1; !x && k <= degree; k++)
        for (size_t p = 0; p < CHUNK; p++) {
            largest[p] = from[k][p] > most[p] ? (int32_t)k : largest[p];
            most[p] = from[k][p] > most[p] ? from[k][p] : most[p];
        }
}

/* Rounds values whose sum is 1, and gives the largest ones what the sum has lost. x: parameters of
   Bernstein polynomials; NULL: they are others. */
CLSPI_INLINE void round_values(real (*to)[CHUNK], double (*from)[CHUNK], uint32_t degree,
                               const double *x)
{
    double lack[CHUNK];
    int32_t at[CHUNK];

    find_largest(at, from, degree, x);
    for (size_t p = 0; p < CHUNK; p++)
        lack[p] = 1;
    for (uint32_t k = 0; k <= degree; k++)
        for (size_t p = 0; p < CHUNK; p++) {
            to[k][p] = (real)from[k][p];
            lack[p] -= (double)to[k][p];
        }
    for (size_t p = 0; p < CHUNK; p++) {
        real *const largest = &to[at[p]][p];
        *largest = (real)((double)*largest + lack[p]);
    }
}

/* Makes the values of a spline's functions from those of Bernstein polynomials, column by column,
   so that the functions at one point are a vector. */
CLSPI_INLINE void combine_order(double (*restrict to)[CHUNK], double (*restrict b)[CHUNK],
                                size_t order, const double *const *functions, size_t num)
{
    for (size_t p = 0; p < CHUNK; p++) {
        const double *restrict column = functions[p < num ? p : 0];
        double sum[ORDER];
        for (size_t i = 0; i < order; i++)
            sum[i] = 0;
        for (size_t j = 0; j < order; j++, column += order)
            for (size_t i = 0; i < order; i++)
                sum[i] += column[i] * b[j][p];
        for (size_t i = 0; i < order; i++)
            to[i][p] = sum[i];
    }
}

/* Has the orders that most splines are of compiled each for itself. */
CLSPI_INLINE void combine(double (*restrict to)[CHUNK], double (*restrict b)[CHUNK],
                          uint32_t degree, const double *const *functions, size_t num)
{
    if (degree == 0)
        combine_order(to, b, 1, functions, num);
    else if (degree == 2)
        combine_order(to, b, 3, functions, num);
    else if (degree == 3)
        combine_order(to, b, 4, functions, num);
    else
        combine_order(to, b, (size_t)degree + 1, functions, num);
}

/* Makes and rounds what differences make derivatives with. */
CLSPI_INLINE void round_slopes(real (*to)[CHUNK], double (*b)[CHUNK], uint32_t degree,
                               const double *const *slopes, size_t num)
{
    double made[ORDER][CHUNK];

    combine(made, b, degree, slopes, num);
    for (uint32_t k = 0; k <= degree; k++)
        for (size_t p = 0; p < CHUNK; p++)
            to[k][p] = (real)made[k][p];
}

/* Raises the degree of all values to k: B_i^k = (1 - x) B_i^(k - 1) + x B_(i - 1)^(k - 1). All
   terms are positive, so that values have small errors relative to themselves. */
CLSPI_INLINE void raise(double (*b)[CHUNK], uint32_t k, const double *x, const double *y)
{
    for (size_t p = 0; p < CHUNK; p++)
        b[k][p] = x[p] * b[k - 1][p];
    for (uint32_t i = k - 1; i > 0; i--)
        for (size_t p = 0; p < CHUNK; p++)
            b[i][p] = y[p] * b[i][p] + x[p] * b[i - 1][p];
    for (size_t p = 0; p < CHUNK; p++)
        b[0][p] = y[p] * b[0][p];
}

/* Makes the values of all functions of direction k at all points; has_less: of one degree less,
   too. */
static void make_values(values *v, const clspi_list_chunk *chunk, int k, bool has_less)
{
    const uint32_t degree = chunk->degree[k];
    const double *const x = chunk->x[k], *const y = chunk->y[k];
    _Alignas(LINE) double b[ORDER][CHUNK], made[ORDER][CHUNK];

    for (size_t p = 0; p < CHUNK; p++)
        b[0][p] = 1;
    if (degree == 0) {
        for (size_t p = 0; p < CHUNK; p++)
            v->b[0][p] = 1;
        return;
    }
    for (uint32_t n = 1; n < degree; n++)
        raise(b, n, x, y);
    if (has_less && chunk->has_functions)
        round_slopes(v->less, b, degree - 1, chunk->slopes[k], chunk->num);
    else if (has_less)
        round_values(v->less, b, degree - 1, x);
    raise(b, degree, x, y);
    if (chunk->has_functions) {
        combine(made, b, degree, chunk->functions[k], chunk->num);
        round_values(v->b, made, degree, NULL);
    } else
        round_values(v->b, b, degree, x);
}

/* ---- sums ---- */

/* A few points of a chunk at once: a row of their control points, and the one before. */
typedef struct block {
    size_t first; /* of the chunk's points */
    const real *patch[BLOCK];
    bool is_one; /* patch */
    real row[2][ORDER * COORDS][BLOCK];
    real sum[3][COORDS][BLOCK]; /* the value, the derivatives across rows and along them */
    real largest[3][BLOCK];     /* |sum over a row| */
} block;

/* What all blocks of a chunk are summed by. */
typedef struct rows {
    uint32_t lines, terms, coords; /* rows, control points of each, coordinates of these */
    size_t step;                   /* from row to row */
    const values *across, *along;  /* rows; across NULL: there is one row */
    real factor[3];                /* of differences, for each of a block's sums */
    real *sum[3], *largest[3];     /* where they go; NULL: they are not made */
} rows;

/* Loads four reals of each point. */
CLSPI_INLINE void load_four(real (*restrict to)[BLOCK], const block *b, size_t at)
{
    real four[BLOCK][4];

    for (size_t p = 0; p < BLOCK; p++)
        memcpy(four[p], b->patch[p] + at, sizeof four[p]);
    for (size_t p = 0; p < BLOCK; p++) {
        to[0][p] = four[p][0];
        to[1][p] = four[p][1];
        to[2][p] = four[p][2];
        to[3][p] = four[p][3];
    }
}

/* Loads `count` reals of each point. */
CLSPI_INLINE void load_row(real (*restrict to)[BLOCK], const block *b, size_t at, size_t count)
{
    if (b->is_one) {
        const real *const from = b->patch[0] + at;
        for (size_t k = 0; k < count; k++)
            for (size_t p = 0; p < BLOCK; p++)
                to[k][p] = from[k];
        return;
    }
    for (size_t k = 0; k < count && count < 4; k++)
        for (size_t p = 0; p < BLOCK; p++)
            to[k][p] = b->patch[p][at + k];
    for (size_t k = 0; k + 4 <= count; k += 4)
        load_four(to + k, b, at + k);
    if (count > 4 && count % 4 != 0) load_four(to + count - 4, b, at + count - 4);
}

/* What is summed over a row, with values. */
typedef struct row_terms {
    size_t num;
    real (*from)[BLOCK]; /* reals, those of a coordinate `coords` apart */
    real (*less)[BLOCK]; /* what they are less, times the sum's factor; NULL: nothing */
    const real (*v)[CHUNK];
} row_terms;

/* Sums coordinate c over a row. */
CLSPI_INLINE void sum_terms(real *restrict t, const block *b, const rows *r, const row_terms *x,
                            uint32_t c, real factor)
{
    for (size_t p = 0; p < BLOCK; p++)
        t[p] = 0;
    for (size_t j = 0; j < x->num; j++)
        for (size_t p = 0; p < BLOCK; p++) {
            const size_t at = c + j * r->coords;
            const real from = x->from[at][p];
            t[p] += x->v[j][b->first + p] * (x->less ? factor * (from - x->less[at][p]) : from);
        }
}

CLSPI_INLINE void enlarge(real *restrict largest, const real *restrict t)
{
    for (size_t p = 0; p < BLOCK; p++) {
        const real size = t[p] < 0 ? -t[p] : t[p];
        largest[p] = largest[p] > size ? largest[p] : size;
    }
}

/* Adds a row's sums to sum k, times u (NULL: 1). */
CLSPI_INLINE void add_row(block *b, const rows *r, int k, const row_terms *x, const real *u)
{
    real t[BLOCK];

    for (uint32_t c = 0; c < r->coords; c++) {
        real *const to = b->sum[k][c];
        sum_terms(t, b, r, x, c, r->factor[k]);
        for (size_t p = 0; p < BLOCK; p++)
            to[p] += (u ? u[b->first + p] : 1) * t[p];
        if (r->largest[k]) enlarge(b->largest[k], t);
    }
}

/* Makes all sums of a block, over rows of that many terms. */
CLSPI_INLINE void sum_order(block *b, const rows *r, size_t terms)
{
    for (uint32_t i = 0; i < r->lines; i++) {
        real(*const row)[BLOCK] = b->row[i % 2];
        real(*const before)[BLOCK] = b->row[(i + 1) % 2];
        const real *const u = r->across ? r->across->b[i] : NULL;
        const row_terms value = {terms, row, NULL, r->along->b};
        const row_terms across = {terms, row, before, r->along->b};
        const row_terms along = {terms - 1, row + r->coords, row, r->along->less};
        load_row(row, b, i * r->step, terms * r->coords);
        if (r->sum[0]) add_row(b, r, 0, &value, u);
        if (r->sum[1] && i > 0) add_row(b, r, 1, &across, r->across->less[i - 1]);
        if (r->sum[2]) add_row(b, r, 2, &along, u);
    }
}

/* Points a block to the patches of points from `first` on, beyond the last one to that one's. */
CLSPI_INLINE void take_patches(block *b, const clspi_list_chunk *chunk, size_t first)
{
    b->first = first;
    b->is_one = true;
    for (size_t p = 0; p < BLOCK; p++) {
        b->patch[p] = chunk->patch[first + p < chunk->num ? first + p : chunk->num - 1];
        b->is_one = b->is_one && b->patch[p] == b->patch[0];
    }
}

/* Puts a block's sums where they go, the coordinates of a point side by side. */
CLSPI_INLINE void put_sums(const block *b, const rows *r)
{
    for (int k = 0; k < 3; k++) {
        real *const to = r->sum[k] ? r->sum[k] + b->first * r->coords : NULL;
        for (size_t p = 0; p < BLOCK && to; p++)
            for (uint32_t c = 0; c < r->coords; c++)
                to[p * r->coords + c] = b->sum[k][c][p];
        if (r->largest[k]) memcpy(r->largest[k] + b->first, b->largest[k], sizeof b->largest[k]);
    }
}

/* Makes the sums of the points from `first` on that are a block. Has the orders that most splines
   are of compiled each for itself. */
static void sum_block(const clspi_list_chunk *chunk, const rows *r, size_t first)
{
    _Alignas(LINE) block b;

    take_patches(&b, chunk, first);
    memset(b.sum, 0, sizeof b.sum);
    memset(b.largest, 0, sizeof b.largest);
    if (r->terms == 3)
        sum_order(&b, r, 3);
    else if (r->terms == 4)
        sum_order(&b, r, 4);
    else
        sum_order(&b, r, r->terms);
    put_sums(&b, r);
}

/* Says how sums are made, of functions with these values along u and v. */
static rows rows_of(const clspi_list_chunk *chunk, const values v[2])
{
    const uint32_t n = chunk->degree[0], m = chunk->degree[1];
    const real by_u = chunk->has_functions ? 1 : (real)n, by_v = chunk->has_functions ? 1 : (real)m;
    real *const *const sum = (real *const *)chunk->sum, *const *const largest =
                                                            (real *const *)chunk->largest;

    if (m == 0 && chunk->row == chunk->coords && !largest[0]) /* a curve's points are one row */
        return (rows){.lines = 1,
                      .terms = n + 1,
                      .coords = chunk->coords,
                      .along = &v[0],
                      .factor = {1, 1, by_u},
                      .sum = {sum[0], NULL, sum[1]}};
    return (rows){.lines = n + 1,
                  .terms = m + 1,
                  .coords = chunk->coords,
                  .step = chunk->row,
                  .across = &v[0],
                  .along = &v[1],
                  .factor = {1, by_u, by_v},
                  .sum = {sum[0], sum[1], sum[2]},
                  .largest = {NULL, largest[0], largest[1]}};
}

void LIST_SUMS(const clspi_list_chunk *chunk)
{
    _Alignas(LINE) values v[2];

    for (int k = 0; k < 2; k++)
        make_values(&v[k], chunk, k, chunk->sum[k + 1]);
    const rows r = rows_of(chunk, v);
    for (size_t first = 0; first < chunk->num; first += BLOCK)
        sum_block(chunk, &r, first);
}
