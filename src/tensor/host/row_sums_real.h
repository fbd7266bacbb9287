/* The definition of one clspi_row_sums, ROW_SUMS, in the precision `real`. The file that includes
   this one names both, and REAL_TYPE. */
#include <stdbool.h>

#include "convert_real.h"
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

CLSPI_INLINE void interleave_coords(real *restrict out, const real *restrict planes, size_t stride,
                                    uint32_t coords, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < coords; c++)
            out[i * coords + c] = planes[c * stride + i];
}

static void interleave(void *out, const void *planes, size_t stride, uint32_t coords, size_t count)
{
    switch (coords) {
    case 1:
        interleave_coords(out, planes, stride, 1, count);
        break;
    case 2:
        interleave_coords(out, planes, stride, 2, count);
        break;
    case 3:
        interleave_coords(out, planes, stride, 3, count);
        break;
    case 4:
        interleave_coords(out, planes, stride, 4, count);
        break;
    default:
        interleave_coords(out, planes, stride, CLSPI_ROW_COORDS_MAX, count);
        break;
    }
}

CLSPI_INLINE void make_vertices(const clspi_row_vertex *vertex, real *restrict out,
                                const real *restrict points, size_t count, uint32_t dim,
                                uint32_t rational)
{
    real *const at_point = out + vertex->at_point;
    real *const at_weight = vertex->at_weight < 0 ? NULL : out + vertex->at_weight;
    const size_t stride = vertex->stride, coords = dim + rational;

    for (size_t i = 0; i < count; i++) {
        const real weight = rational ? points[i * coords + dim] : 1;
        const real factor = rational ? 1 / weight : 1;
        for (uint32_t c = 0; c < dim; c++)
            at_point[i * stride + c] =
                rational ? points[i * coords + c] * factor : points[i * coords + c];
        if (at_weight) at_weight[i * stride] = weight;
    }
}

CLSPI_INLINE void make_vertices_of(const clspi_row_vertex *vertex, real *out, const real *points,
                                   size_t count, uint32_t dim)
{
    if (vertex->rational)
        make_vertices(vertex, out, points, count, dim, 1);
    else
        make_vertices(vertex, out, points, count, dim, 0);
}

static void make_all(const clspi_row_vertex *vertex, real *out, const real *points, size_t count)
{
    switch (vertex->dim) {
    case 1:
        make_vertices_of(vertex, out, points, count, 1);
        break;
    case 2:
        make_vertices_of(vertex, out, points, count, 2);
        break;
    case 3:
        make_vertices_of(vertex, out, points, count, 3);
        break;
    default:
        make_vertices_of(vertex, out, points, count, 4);
        break;
    }
}

/* Makes vertices of another type than real; points without weights are as they have to be. */
static void convert_all(const clspi_row_vertex *vertex, char *out, const real *points, size_t count)
{
    const size_t coords = vertex->dim + vertex->rational, bytes = clspi_row_bytes(vertex->type);
    const int32_t dim = (int32_t)vertex->dim, at_weight = vertex->at_weight < 0 ? -1 : dim;
    const size_t num = vertex->dim + (vertex->at_weight >= 0);
    const clspi_row_vertex packed = {vertex->dim, vertex->rational, REAL_TYPE, num, 0, at_weight};
    const bool is_made = !vertex->rational && vertex->at_weight < 0;
    real made[CONVERT_BLOCK * CLSPI_ROW_COORDS_MAX];
    int32_t at[CLSPI_ROW_COORDS_MAX];

    for (int32_t k = 0; k < dim; k++)
        at[k] = (int32_t)vertex->at_point + k;
    at[dim] = vertex->at_weight;
    for (size_t first = 0; first < count; first += CONVERT_BLOCK) {
        const size_t n = count - first < CONVERT_BLOCK ? count - first : CONVERT_BLOCK;
        const real *const from = points + first * coords;
        if (!is_made) make_all(&packed, made, from, n);
        convert_vertices(&(placement){vertex->type, vertex->stride, num, at},
                         out + first * vertex->stride * bytes, is_made ? from : made, n);
    }
}

static void vertices(const clspi_row_vertex *vertex, void *out, const void *points, size_t count)
{
    if (vertex->type == REAL_TYPE)
        make_all(vertex, out, points, count);
    else
        convert_all(vertex, out, points, count);
}

static void round_values(void *out, size_t step, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((real *)out)[i * step] = (real)values[i];
}

CLSPI_INLINE void sum_points_of(const real *b, uint32_t terms, const real *t, real *out,
                                uint32_t coords, uint32_t rows)
{
    real sum[CLSPI_ROW_COORDS_MAX][CLSPI_ROWS_AT_ONCE] = {{0}};

    for (uint32_t k = 0; k < terms; k++)
        for (uint32_t x = 0; x < coords; x++)
            for (uint32_t r = 0; r < rows; r++)
                sum[x][r] += b[k * CLSPI_ROWS_AT_ONCE + r] * t[k * coords + x];
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t x = 0; x < coords; x++)
            out[r * coords + x] = sum[x][r];
}

static void sum_points(const void *b, uint32_t terms, const void *t, uint32_t coords, uint32_t rows,
                       void *out)
{
    const uint32_t made = rows > 1 ? CLSPI_ROWS_AT_ONCE : 1;

    switch (rows > 1 ? coords : 5 + coords) {
    case 2:
        sum_points_of(b, terms, t, out, 2, CLSPI_ROWS_AT_ONCE);
        break;
    case 3:
        sum_points_of(b, terms, t, out, 3, CLSPI_ROWS_AT_ONCE);
        break;
    case 4:
        sum_points_of(b, terms, t, out, 4, CLSPI_ROWS_AT_ONCE);
        break;
    case 5 + 3:
        sum_points_of(b, terms, t, out, 3, 1);
        break;
    default:
        sum_points_of(b, terms, t, out, coords, made);
        break;
    }
}

const clspi_row_sums ROW_SUMS = {sizeof(real), sum_rows,     interleave,
                                 vertices,     round_values, sum_points};
