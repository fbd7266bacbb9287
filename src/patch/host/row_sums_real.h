/* The definition of one clspi_row_sums, ROW_SUMS, in the precision `real`. The file that includes
   this one names both, and REAL_TYPE. */
#include <stdbool.h>

#include "level.h"
#include "row_sums.h"

enum { ROWS = CLSPI_ROWS_AT_ONCE, TERMS = 4 };

/* Where four rows are made, and by which factors. */
typedef struct four {
    real *row[ROWS];
    real b[TERMS][ROWS];
} four;

/* Adds the first `terms` of TERMS terms of four rows, to what the rows hold if add is set. Terms
   and add are constants where it is inlined. Written out, not in loops over rows and terms, since
   compilers vectorise innermost loops only; 16 factors, 4 sums and a T are what AVX-512's registers
   hold, and smaller files reload factors at no loss. */
CLSPI_INLINE void add_terms(const four *rows, const real *restrict t, size_t stride, int terms,
                            bool add, size_t width)
{
    real *restrict const out0 = rows->row[0], *restrict const out1 = rows->row[1];
    real *restrict const out2 = rows->row[2], *restrict const out3 = rows->row[3];
    const real *restrict const t1 = t + (terms > 1 ? stride : 0);
    const real *restrict const t2 = t + (terms > 2 ? 2 * stride : 0);
    const real *restrict const t3 = t + (terms > 3 ? 3 * stride : 0);
    const real b00 = rows->b[0][0], b01 = rows->b[0][1], b02 = rows->b[0][2], b03 = rows->b[0][3];
    const real b10 = rows->b[1][0], b11 = rows->b[1][1], b12 = rows->b[1][2], b13 = rows->b[1][3];
    const real b20 = rows->b[2][0], b21 = rows->b[2][1], b22 = rows->b[2][2], b23 = rows->b[2][3];
    const real b30 = rows->b[3][0], b31 = rows->b[3][1], b32 = rows->b[3][2], b33 = rows->b[3][3];

    for (size_t x = 0; x < width; x++) {
        real s0 = (add ? out0[x] : 0) + b00 * t[x];
        real s1 = (add ? out1[x] : 0) + b01 * t[x];
        real s2 = (add ? out2[x] : 0) + b02 * t[x];
        real s3 = (add ? out3[x] : 0) + b03 * t[x];
        if (terms > 1) {
            s0 += b10 * t1[x];
            s1 += b11 * t1[x];
            s2 += b12 * t1[x];
            s3 += b13 * t1[x];
        }
        if (terms > 2) {
            s0 += b20 * t2[x];
            s1 += b21 * t2[x];
            s2 += b22 * t2[x];
            s3 += b23 * t2[x];
        }
        if (terms > 3) {
            s0 += b30 * t3[x];
            s1 += b31 * t3[x];
            s2 += b32 * t3[x];
            s3 += b33 * t3[x];
        }
        out0[x] = s0;
        out1[x] = s1;
        out2[x] = s2;
        out3[x] = s3;
    }
}

CLSPI_INLINE void add_some_terms(const four *rows, const real *t, size_t stride, uint32_t terms,
                                 bool add, size_t width)
{
    switch (terms) {
    case 1:
        add_terms(rows, t, stride, 1, add, width);
        break;
    case 2:
        add_terms(rows, t, stride, 2, add, width);
        break;
    case 3:
        add_terms(rows, t, stride, 3, add, width);
        break;
    default:
        add_terms(rows, t, stride, TERMS, add, width);
        break;
    }
}

/* Makes rows `first` to `first` + 3; those beyond num_rows repeat the last one into spare memory,
   so that there is one form of the sum, with the same roundings for every row. */
static void four_rows(const clspi_row_sum *sum, void *out, size_t stride, size_t first,
                      size_t num_rows, size_t width)
{
    const real *const t = sum->t;
    const real *factors[ROWS];
    four rows = {{0}, {{0}}};

    for (size_t r = 0; r < ROWS; r++) {
        const size_t row = first + r < num_rows ? first + r : num_rows - 1;
        factors[r] = (const real *)sum->b + row * sum->row_step;
        rows.row[r] = first + r < num_rows ? (real *)out + row * stride
                                           : (real *)sum->spare + (r - 1) * width;
    }
    for (uint32_t k = 0; k < sum->terms; k += TERMS) {
        const uint32_t terms = sum->terms - k < TERMS ? sum->terms - k : TERMS;
        for (uint32_t i = 0; i < terms; i++)
            for (size_t r = 0; r < ROWS; r++)
                rows.b[i][r] = factors[r][(k + i) * sum->term_step];
        if (k == 0)
            add_some_terms(&rows, t, sum->t_stride, terms, false, width);
        else
            add_some_terms(&rows, t + k * sum->t_stride, sum->t_stride, terms, true, width);
    }
}

static void sum_rows(const clspi_row_sum *sum, void *out, size_t stride, size_t num_rows,
                     size_t width)
{
    for (size_t r = 0; r < num_rows; r += ROWS)
        four_rows(sum, out, stride, r, num_rows, width);
}

static void round_values(void *out, size_t step, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((real *)out)[i * step] = (real)values[i];
}

static void sum_points(const void *b, uint32_t terms, const void *t, uint32_t coords, uint32_t rows,
                       void *out)
{
    for (uint32_t x = 0; x < coords; x++) {
        const real *factors = b, *point = (const real *)t + x;
        real sum[ROWS] = {0};
        for (uint32_t k = 0; k < terms; k++, factors += ROWS, point += coords)
            for (uint32_t r = 0; r < ROWS; r++)
                sum[r] += factors[r] * *point;
        for (uint32_t r = 0; r < rows; r++)
            ((real *)out)[r * coords + x] = sum[r];
    }
}

const clspi_row_sums ROW_SUMS = {sizeof(real), sum_rows, round_values, sum_points};
