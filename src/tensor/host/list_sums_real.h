/* The definition of LIST_SUMS, one of list_sums.h, in the precision `real`. The file that includes
   this one names both, and SUM_ROWS and MAKE_VALUES, which have clones. */
#include <string.h>

#include "clones.h"
#include "list_sums.h"

enum { CHUNK = CLSPI_LIST_CHUNK, ORDER = CLSPI_LIST_DEGREE + 1, COORDS = 5 };

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

/* Makes the values of functions of those of Bernstein polynomials: sums of columns, so that one
   point's functions are a vector. */
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
CLSPI_CLONES static void MAKE_VALUES(values *v, const clspi_list_chunk *chunk, int k, bool has_less)
{
    const uint32_t degree = chunk->degree[k];
    const double *const x = chunk->x[k], *const y = chunk->y[k];
    double b[ORDER][CHUNK], made[ORDER][CHUNK];

    for (size_t p = 0; p < CHUNK; p++)
        b[0][p] = 1;
    for (uint32_t n = 1; n < degree; n++)
        raise(b, n, x, y);
    if (has_less && degree > 0 && chunk->has_functions)
        round_slopes(v->less, b, degree - 1, chunk->slopes[k], chunk->num);
    else if (has_less && degree > 0)
        round_values(v->less, b, degree - 1, x);
    if (degree > 0) raise(b, degree, x, y);
    if (chunk->has_functions) {
        combine(made, b, degree, chunk->functions[k], chunk->num);
        round_values(v->b, made, degree, NULL);
    } else
        round_values(v->b, b, degree, x);
}

/* ---- sums ---- */

/* One sum: of control points, or of differences of those that are `step` reals apart, times a
   factor. */
typedef struct one_sum {
    uint32_t lines, terms; /* along u and v */
    size_t step;           /* 0: none */
    real factor;
    real (*u)[CHUNK], (*v)[CHUNK];
    real *largest; /* NULL: not asked for */
} one_sum;

/* Takes a coordinate of a point's control point, or a difference. */
CLSPI_INLINE real take(const real *from, const one_sum *sum)
{
    return sum->step ? sum->factor * (from[sum->step] - from[0]) : from[0];
}

/* Loads a coordinate of all points; is_one: they are of one patch. */
CLSPI_INLINE void load(real *restrict to, const clspi_list_chunk *chunk, bool is_one, size_t at,
                       const one_sum *sum)
{
    if (is_one) {
        const real x = take((const real *)chunk->patch[0] + at, sum);
        for (size_t p = 0; p < CHUNK; p++)
            to[p] = x;
        return;
    }
    for (size_t p = 0; p < chunk->num; p++)
        to[p] = take((const real *)chunk->patch[p] + at, sum);
    for (size_t p = chunk->num; p < CHUNK; p++)
        to[p] = 0;
}

CLSPI_INLINE bool is_one_patch(const clspi_list_chunk *chunk)
{
    size_t p = 1;

    while (p < chunk->num && chunk->patch[p] == chunk->patch[0])
        p++;
    return p >= chunk->num;
}

CLSPI_INLINE void add(real *restrict to, const real *restrict b, const real *restrict t)
{
    for (size_t p = 0; p < CHUNK; p++)
        to[p] += b[p] * t[p];
}

CLSPI_INLINE void enlarge(real *restrict largest, const real *restrict t)
{
    for (size_t p = 0; p < CHUNK; p++) {
        const real size = t[p] < 0 ? -t[p] : t[p];
        largest[p] = largest[p] > size ? largest[p] : size;
    }
}

/* Makes one sum of all points, over v and then over u. */
CLSPI_CLONES static void SUM_ROWS(const clspi_list_chunk *chunk, const one_sum *sum,
                                  real (*restrict out)[CHUNK])
{
    const size_t row = chunk->row;
    const bool is_one = is_one_patch(chunk);
    real point[CHUNK], t[CHUNK];

    for (uint32_t c = 0; c < chunk->coords; c++) {
        memset(out[c], 0, sizeof out[c]);
        for (uint32_t i = 0; i < sum->lines; i++) {
            memset(t, 0, sizeof t);
            for (uint32_t j = 0; j < sum->terms; j++) {
                load(point, chunk, is_one, i * row + (size_t)j * chunk->coords + c, sum);
                add(t, sum->v[j], point);
            }
            if (sum->largest) enlarge(sum->largest, t);
            add(out[c], sum->u[i], t);
        }
    }
}

/* Makes a sum and puts the coordinates of each point side by side. */
static void make_sum(const clspi_list_chunk *chunk, const one_sum *sum, real *to, void *largest)
{
    real made[COORDS][CHUNK], size[CHUNK] = {0};
    one_sum one = *sum;

    if (largest) one.largest = size;
    SUM_ROWS(chunk, &one, made);
    for (size_t p = 0; p < chunk->num; p++)
        for (uint32_t c = 0; c < chunk->coords; c++)
            to[p * chunk->coords + c] = made[c][p];
    if (largest) memcpy(largest, size, chunk->num * sizeof *size);
}

void LIST_SUMS(const clspi_list_chunk *chunk)
{
    const uint32_t n = chunk->degree[0], m = chunk->degree[1];
    const real by_u = chunk->has_functions ? 1 : (real)n, by_v = chunk->has_functions ? 1 : (real)m;
    values u, v;

    MAKE_VALUES(&u, chunk, 0, chunk->sum[1]);
    MAKE_VALUES(&v, chunk, 1, chunk->sum[2]);
    const one_sum all[3] = {{n + 1, m + 1, 0, 1, u.b, v.b, NULL},
                            {n, m + 1, chunk->row, by_u, u.less, v.b, NULL},
                            {n + 1, m, chunk->coords, by_v, u.b, v.less, NULL}};
    for (int k = 0; k < 3; k++)
        if (chunk->sum[k])
            make_sum(chunk, &all[k], chunk->sum[k], k > 0 ? chunk->largest[k - 1] : NULL);
}
