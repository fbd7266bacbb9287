/* The definition of one clspi_term_sums, TERM_SUMS, in the precision `real`. The file that includes
   this one names both, and REAL_BYTES. A point takes nothing over from another one. */
#include "power_basis.h"
#include "term_sums.h"
#include "vectors_real.h"

enum {
    COORDS = CLSPI_ROW_COORDS_MAX,
    ROWS = 2, /* that are summed at once, so that additions need not wait for each other */
    ORDER_MAX = CLSPI_POWER_DEGREE_MAX + 1
};

/* ---- values of basis functions ---- */

/* Returns the parameter of a sample; of one beyond the last that of this one. */
CLSPI_INLINE real param_of(const clspi_method_job *job, uint32_t direction, size_t sample)
{
    const double *const own = job->desc->params[direction], *const axis =
                                                                job->desc->axis[direction];
    const size_t last = job->desc->points.nums[direction] - 1, a = sample < last ? sample : last;

    if (own || last == 0) return (real)(own ? own[a] : axis[0]);
    return (real)((axis[0] * (double)(last - a) + axis[1] * (double)a) / (double)last);
}

/* Returns the parameters of a vector of columns. */
CLSPI_INLINE vec params_of(const clspi_method_job *job, uint32_t direction, size_t vector)
{
    real lane[LANES];
    vec t;

    for (size_t k = 0; k < LANES; k++)
        lane[k] = param_of(job, direction, vector * LANES + k);
    memcpy(&t, lane, sizeof t);
    return t;
}

CLSPI_INLINE vec power(vec x, uint32_t n)
{
    vec p = all_lanes(1);

    for (; n > 0; n /= 2, x *= x)
        if (n % 2) p *= x;
    return p;
}

/* Computes B_k of degree n as power_sum of double_sum.cl does: C(n, k) as a product of ratios that
   never falls; 0^0 is 1. */
static void find_bernstein(uint32_t n, uint32_t k, const vec *t, vec *b)
{
    const uint32_t fewer = k < n - k ? k : n - k;
    real ways = 1;

    for (uint32_t r = 1; r <= fewer; r++)
        ways = ways * (real)(n - fewer + r) / (real)r;
    *b = ways * power(*t, k) * power(1 - *t, n - k);
}

CLSPI_INLINE vec bernstein(uint32_t n, uint32_t k, const vec *t)
{
    vec b;

    find_bernstein(n, k, t, &b);
    return b;
}

/* Makes the values of all functions along a direction as the product of powers of 2 t - 1 with R.
 */
static void multiply_powers(const clspi_method_job *job, uint32_t direction, uint32_t order,
                            const vec *t, vec *values)
{
    const real *r =
        (const real *)job->kept + clspi_power_basis_at(job->desc, direction, job->by[direction]);
    const vec s = 2 * *t - 1;
    vec p = all_lanes(1);

    for (uint32_t k = 0; k < order; k++)
        values[k] = (vec){0};
    for (uint32_t j = 0; j < order; j++, r += order, p *= s)
        for (uint32_t k = 0; k < order; k++)
            values[k] += r[k] * p;
}

static void make_values(const clspi_method_job *job, void *out)
{
    const uint32_t order = job->controls[1];
    vec *values = out;

    for (size_t x = 0; x < job->count; x++, values += order) {
        const vec t = params_of(job, 0, job->first + x);
        if (job->desc->method->way == CLSPI_FROM_PRODUCTS)
            multiply_powers(job, 0, order, &t, values);
        else
            for (uint32_t k = 0; k < order; k++)
                values[k] = bernstein(order - 1, k, &t);
    }
}

/* ---- double sums ---- */

/* Rows of one vector of columns, with their values along u and v: those that a way has. */
typedef struct block {
    const real *table_u[ROWS];
    const vec *table_v;
    vec t_u[ROWS], t_v;
    vec made_u[ROWS][ORDER_MAX], made_v[ROWS][ORDER_MAX];
} block;

/* Returns a value along u of a row. */
CLSPI_INLINE vec value_u(const block *b, int way, int row, uint32_t n, uint32_t i)
{
    return way == CLSPI_FROM_TABLES     ? all_lanes(b->table_u[row][i])
           : way == CLSPI_FROM_PRODUCTS ? b->made_u[row][i]
                                        : bernstein(n, i, &b->t_u[row]);
}

/* Returns a value along v of a row, which all rows have. */
CLSPI_INLINE vec value_v(const block *b, int way, int row, uint32_t n, uint32_t j)
{
    return way == CLSPI_FROM_TABLES     ? b->table_v[j]
           : way == CLSPI_FROM_PRODUCTS ? b->made_v[row][j]
                                        : bernstein(n, j, &b->t_v);
}

/* Sums all terms of the points of a block; way and coords are constants where coords are 3. */
CLSPI_INLINE void sum_terms(const clspi_method_job *job, const block *b, int way, uint32_t coords,
                            vec sum[ROWS][COORDS])
{
    const uint32_t order_u = job->controls[0], order_v = job->controls[1];
    const real *p = job->points;

    for (int r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < coords; c++)
            sum[r][c] = (vec){0};
    for (uint32_t i = 0; i < order_u; i++) {
        vec u[ROWS], q[ROWS][COORDS];
        CLSPI_UNROLL(2)
        for (int r = 0; r < ROWS; r++) {
            u[r] = value_u(b, way, r, order_u - 1, i);
            CLSPI_UNROLL(5)
            for (uint32_t c = 0; c < COORDS; c++)
                q[r][c] = (vec){0};
        }
        for (uint32_t j = 0; j < order_v; j++, p += coords)
            CLSPI_UNROLL(2)
        for (int r = 0; r < ROWS; r++) {
            const vec w = u[r] * value_v(b, way, r, order_v - 1, j);
            CLSPI_UNROLL(5)
            for (uint32_t c = 0; c < coords; c++)
                q[r][c] += w * p[c];
        }
        CLSPI_UNROLL(2)
        for (int r = 0; r < ROWS; r++)
            CLSPI_UNROLL(5)
        for (uint32_t c = 0; c < coords; c++)
            sum[r][c] += q[r][c];
    }
}

/* Finds or makes what the values of a block are taken from. */
CLSPI_INLINE void find_values(const clspi_method_job *job, int way, const size_t row[ROWS],
                              size_t vector, block *b)
{
    const uint32_t *const order = job->controls;

    b->table_v = (const vec *)job->values[1] + vector * order[1];
    for (int r = 0; r < ROWS; r++)
        b->table_u[r] = (const real *)job->values[0] + row[r] * order[0];
    if (way == CLSPI_FROM_TABLES) return;
    b->t_v = params_of(job, 1, vector);
    for (int r = 0; r < ROWS; r++) {
        b->t_u[r] = all_lanes(param_of(job, 0, row[r]));
        if (way != CLSPI_FROM_PRODUCTS) continue;
        multiply_powers(job, 0, order[0], &b->t_u[r], b->made_u[r]);
        multiply_powers(job, 1, order[1], &b->t_v, b->made_v[r]);
    }
}

/* Stores the sums of a row. */
CLSPI_INLINE void store_sums(const clspi_method_job *job, uint32_t coords, vec *sum, vec *to)
{
    if (job->interleaved && coords == 3) interleave_lanes(sum, 3);
    if (job->interleaved && coords != 3)
        interleave_many_lanes(to, sum, (int)coords);
    else
        memcpy(to, sum, coords * sizeof *to);
}

/* Makes the sums of all rows; an odd last one twice. */
CLSPI_INLINE void make_rows(const clspi_method_job *job, int way, uint32_t coords, real *out)
{
    const size_t last = job->count - 1;
    vec sum[ROWS][COORDS];
    block b;

    for (size_t x = 0; x < job->vectors; x++, out += job->vector_reals)
        for (size_t r = 0; r <= last; r += ROWS) {
            const size_t second = r < last ? r + 1 : r;
            find_values(job, way, (const size_t[]){job->first + r, job->first + second}, x, &b);
            sum_terms(job, &b, way, coords, sum);
            store_sums(job, coords, sum[1], (vec *)out + second * coords);
            store_sums(job, coords, sum[0], (vec *)out + r * coords);
        }
}

static void make_sums(const clspi_method_job *job, void *sums)
{
    const uint32_t coords = job->desc->points.vertex.dim + job->desc->points.rational;
    const int way = job->desc->method->way;

    if (coords != 3)
        make_rows(job, way, coords, sums);
    else if (way == CLSPI_FROM_TABLES)
        make_rows(job, CLSPI_FROM_TABLES, 3, sums);
    else if (way == CLSPI_FROM_PRODUCTS)
        make_rows(job, CLSPI_FROM_PRODUCTS, 3, sums);
    else
        make_rows(job, CLSPI_FROM_POWERS, 3, sums);
}

const clspi_term_sums TERM_SUMS = {make_sums, make_values};
