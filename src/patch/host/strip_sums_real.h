/* The definition of one clspi_strip_functions, STRIP_SUMS, in the precision `real`. The file that
   includes this one names both, REAL_BYTES, REAL_TYPE, REAL_EPS, REAL_TINY, REAL_MAX and SQRT. */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "convert_real.h"
#include "normals_real.h"
#include "strip_sums.h"

/* Rows that are summed at once, at most: their sums of three coordinates, and what they are made
   of, stay in the registers of the level. */
#if CLSPI_WIDTH == 64 || defined(__aarch64__)
enum { ROWS = 4, PAIR_CELLS = 12 };
#else
enum { ROWS = 2, PAIR_CELLS = 6 };
#endif
enum { FEW_TERMS = 16 }; /* of rows with normals, that half as many at once are faster for */
enum {
    CELLS = CLSPI_STRIP_CELLS,
    COORDS = CLSPI_STRIP_COORDS,
    COORDS_AT_ONCE = 4,
    LINE_BYTES = 64
};

/* What is known of a grid where the code for a block of its vertices is inlined: constants, so that
   all of a vertex stays in registers. The vertices of a known number of sums, S, S_u, S_v, have
   these, or S and the normal, and nothing else. */
typedef struct known {
    uint32_t sums, coords; /* 0: not known */
    uint32_t rows;         /* summed at once */
    bool curve;            /* rows are curves, whose sums are made of their control points */
    bool interleaved;      /* sums over v are interleaved, so that sums over u are vertices */
    bool rational;         /* of what is known */
} known;

/* ---- sums over v ---- */

/* Lines of control points, and the values of one vector of columns. */
typedef struct line_terms {
    const real *p[ROWS];
    size_t step; /* reals from one control point to the next */
    const vec *values;
    uint32_t terms;
} line_terms;

/* Sums some lines at once, from coordinate `first` on; their sums are `stride` vectors apart.
   banded: values beyond a sample's own terms are 0, and their control points may be anything. */
CLSPI_INLINE void sum_lines(const line_terms *of, size_t first, int coords, int lines, bool banded,
                            vec *t, size_t stride)
{
    const real *p[ROWS];
    vec s[ROWS][COORDS_AT_ONCE];

    CLSPI_UNROLL(4)
    for (int i = 0; i < lines; i++) {
        p[i] = of->p[i] + first;
        CLSPI_UNROLL(4)
        for (int c = 0; c < coords; c++)
            s[i][c] = (vec){0};
    }
    for (uint32_t j = 0; j < of->terms; j++) {
        const vec b = of->values[j];
        CLSPI_UNROLL(4)
        for (int i = 0; i < lines; i++) {
            CLSPI_UNROLL(4)
            for (int c = 0; c < coords; c++) {
                const vec sum = s[i][c] + p[i][c] * b;
                s[i][c] = banded ? select_lanes(b == 0, s[i][c], sum) : sum;
            }
            p[i] += of->step;
        }
    }
    CLSPI_UNROLL(4)
    for (int i = 0; i < lines; i++)
        CLSPI_UNROLL(4)
    for (int c = 0; c < coords; c++)
        t[(size_t)i * stride + first + (size_t)c] = s[i][c];
}

/* Sums all coordinates of some lines at once. */
CLSPI_INLINE void sum_points(const line_terms *of, size_t coords, int lines, bool banded, vec *t,
                             size_t stride)
{
    if (coords == 3)
        sum_lines(of, 0, 3, lines, banded, t, stride);
    else if (coords == 4)
        sum_lines(of, 0, 4, lines, banded, t, stride);
    else
        for (size_t c = 0; c < coords; c++)
            sum_lines(of, c, 1, lines, banded, t, stride);
}

/* Sums lines of `line` reals, from p on. */
CLSPI_INLINE void sum_all_lines(line_terms of, const real *p, size_t line, size_t num, bool banded,
                                vec *t)
{
    size_t i = 0;

    for (; i + ROWS <= num; i += ROWS, p += ROWS * line, t += ROWS * of.step) {
        CLSPI_UNROLL(4)
        for (size_t r = 0; r < ROWS; r++)
            of.p[r] = p + r * line;
        sum_points(&of, of.step, ROWS, banded, t, of.step);
    }
    for (; i < num; i++, p += line, t += of.step) {
        of.p[0] = p;
        sum_points(&of, of.step, 1, banded, t, of.step);
    }
}

/* Puts the coordinates of each column side by side. */
static void interleave_lines(size_t lines, int coords, vec *t)
{
    vec side[COORDS];

    for (size_t i = 0; i < lines; i++, t += coords)
        if (coords == 3) {
            interleave_lanes(t, 3);
        } else {
            interleave_many_lanes(side, t, coords);
            memcpy(t, side, (size_t)coords * sizeof *t);
        }
}

/* Finds the values of a vector of columns. */
CLSPI_INLINE line_terms terms_of(const clspi_strip_sum *sum, size_t column, size_t coords)
{
    return (line_terms){.step = coords,
                        .values = (const vec *)sum->values[1] + column * sum->terms[1],
                        .terms = sum->first[1] ? sum->count[column] : sum->terms[1]};
}

static void partial(const clspi_strip_grid *grid, const clspi_strip_sum *sum, const void *points,
                    size_t members, void *sums)
{
    const size_t coords = grid->shape.dim + grid->shape.rational,
                 lines = members * sum->controls[0];
    real *to = (real *)sums + sum->at;

    for (size_t x = 0; x < grid->vectors; x++, to += grid->vector_reals) {
        const line_terms of = terms_of(sum, x, coords);
        const real *const p = points;
        const size_t line = sum->controls[1] * coords;
        if (sum->first[1])
            sum_all_lines(of, p + sum->first[1][x] * coords, line, lines, true, (vec *)to);
        else
            sum_all_lines(of, p, line, lines, false, (vec *)to);
        if (grid->interleaved) interleave_lines(lines, (int)coords, (vec *)to);
    }
}

static void largest(const clspi_strip_grid *grid, const clspi_strip_sum *sum, const void *sums,
                    void *const largest[2])
{
    const uint32_t dim = grid->shape.dim, coords = dim + grid->shape.rational;

    for (size_t x = 0; x < grid->vectors; x++) {
        const vec *t = (const vec *)((const real *)sums + x * grid->vector_reals + sum->at);
        vec most[2] = {(vec){0}};
        for (uint32_t i = 0; i < sum->controls[0]; i++, t += coords) {
            for (uint32_t c = 0; c < dim; c++)
                most[0] = max_lanes(most[0], abs_lanes(t[c]));
            if (coords > dim) most[1] = max_lanes(most[1], abs_lanes(t[dim]));
        }
        for (int k = 0; k < 2; k++)
            ((vec *)largest[k])[x] = most[k];
    }
}

/* ---- sums over u ---- */

/* Where the values of some rows are and the partial sums that they are factors of: of one sum, or
   of two whose values along u are the same. */
typedef struct row_terms {
    const real *b[ROWS];
    const vec *t[ROWS];
    size_t step, next; /* vectors from one partial sum to the next, and to that of the other sum */
    uint32_t terms;
} row_terms;

/* Sums rows of one vector of columns; shared: they have the partial sums of the first one. */
CLSPI_INLINE void sum_coords(const row_terms *of, int sums, int coords, int rows, bool shared,
                             vec (*x)[CELLS], const size_t *cell)
{
    const real *b[ROWS];
    const vec *t[ROWS];
    vec s[ROWS][2 * COORDS_AT_ONCE];

    CLSPI_UNROLL(4)
    for (int r = 0; r < rows; r++) {
        b[r] = of->b[r];
        t[r] = of->t[r];
        CLSPI_UNROLL(8)
        for (int c = 0; c < sums * coords; c++)
            s[r][c] = (vec){0};
    }
    for (uint32_t i = 0; i < of->terms; i++)
        CLSPI_UNROLL(8)
    for (int c = 0; c < sums * coords; c++) {
        const size_t at = i * of->step + (c < coords ? 0 : of->next) + (size_t)(c % coords);
        vec first = t[0][at];
        if (shared) CLSPI_KEEP(first);
        CLSPI_UNROLL(4)
        for (int r = 0; r < rows; r++)
            s[r][c] += b[r][i] * (shared ? first : t[r][at]);
    }
    CLSPI_UNROLL(4)
    for (int r = 0; r < rows; r++)
        CLSPI_UNROLL(8)
    for (int c = 0; c < sums * coords; c++)
        x[r][cell[c / coords] + (size_t)(c % coords)] = s[r][c];
}

/* Sums all coordinates of one sum. */
CLSPI_INLINE void sum_cells(row_terms of, known k, size_t coords, bool shared, vec (*x)[CELLS],
                            size_t cell)
{
    if (k.coords == 3 || (k.coords == 0 && coords == 3)) {
        sum_coords(&of, 1, 3, (int)k.rows, shared, x, &cell);
    } else if (k.coords == 4 || coords == 4) {
        sum_coords(&of, 1, 4, (int)k.rows, shared, x, &cell);
    } else {
        for (size_t c = 0; c < coords; c++, cell++) {
            sum_coords(&of, 1, 1, (int)k.rows, shared, x, &cell);
            CLSPI_UNROLL(4)
            for (uint32_t r = 0; r < k.rows; r++)
                of.t[r]++;
        }
    }
}

/* Rows of one vector of columns that are made at once. */
typedef struct block {
    const clspi_strip_grid *grid;
    const clspi_strip_patch *patch;
    size_t row[ROWS];           /* those beyond the last repeat it */
    size_t rows, vector, count; /* rows that there are, and columns */
    size_t overlap; /* rows before which a whole vector may be stored in the place of one that is
                       not, since rows that are stored later take what is too much */
} block;

/* Finds what rows of a block are sums of; tells whether they have the same partial sums. */
CLSPI_INLINE bool find_terms(const block *b, known k, const clspi_strip_sum *sum, row_terms *of)
{
    const size_t coords = k.coords ? k.coords : b->grid->shape.dim + b->grid->shape.rational;
    const real *const sums =
        (const real *)b->patch->sums + b->vector * b->grid->vector_reals + sum->at;
    const vec *const t = (const vec *)sums + b->patch->member * sum->controls[0] * coords;
    bool shared = true;

    of->terms = sum->terms[0];
    of->step = coords;
    CLSPI_UNROLL(4)
    for (uint32_t r = 0; r < k.rows; r++) {
        of->b[r] = (const real *)sum->values[0] + b->row[r] * sum->terms[0];
        of->t[r] = t + (sum->first[0] ? sum->first[0][b->row[r]] : 0) * coords;
        shared = shared && of->t[r] == of->t[0];
    }
    return shared;
}

/* Makes one sum of all curves of a block. */
CLSPI_INLINE void make_line_sum(const block *b, known k, const clspi_strip_sum *sum,
                                vec (*x)[CELLS], size_t cell)
{
    const size_t coords = k.coords ? k.coords : b->grid->shape.dim + b->grid->shape.rational;
    const real *const p = (const real *)b->patch->lines[sum - b->grid->sum] +
                          (sum->first[1] ? sum->first[1][b->vector] * coords : 0);
    line_terms of = terms_of(sum, b->vector, coords);

    CLSPI_UNROLL(4)
    for (uint32_t r = 0; r < k.rows; r++)
        of.p[r] = p + b->row[r] * sum->controls[1] * coords;
    if (k.sums > 1 || !sum->first[1])
        sum_points(&of, coords, (int)k.rows, false, x[0] + cell, CELLS);
    else
        sum_points(&of, coords, (int)k.rows, true, x[0] + cell, CELLS);
}

/* Makes one sum of all rows of a block. */
CLSPI_INLINE void make_sum(const block *b, known k, const clspi_strip_sum *sum, vec (*x)[CELLS],
                           size_t cell)
{
    const size_t coords = b->grid->shape.dim + b->grid->shape.rational;
    row_terms of;

    if (k.curve)
        make_line_sum(b, k, sum, x, cell);
    else if (find_terms(b, k, sum, &of))
        sum_cells(of, k, coords, true, x, cell);
    else
        sum_cells(of, k, coords, false, x, cell);
}

/* Makes S and S_v, whose values along u are the same, at once where their sums stay in registers;
   tells whether it did. */
CLSPI_INLINE bool make_pair(const block *b, known k, vec (*x)[CELLS])
{
    const clspi_strip_sum *const sum = b->grid->sum;
    const size_t cell[2] = {0, 2 * COORDS};
    row_terms of;

    if (k.coords * k.rows > PAIR_CELLS || !b->grid->pair || !find_terms(b, k, &sum[0], &of))
        return false;
    of.next = (sum[2].at - sum[0].at) / LANES;
    sum_coords(&of, 2, (int)k.coords, (int)k.rows, true, x, cell);
    return true;
}

/* Makes all sums. */
CLSPI_INLINE void make_sums(const block *b, known k, vec (*x)[CELLS])
{
    const clspi_strip_grid *const grid = b->grid;

    if (k.sums == 0) {
        for (uint32_t n = 0; n < grid->num_sums; n++)
            make_sum(b, k, &grid->sum[n], x, grid->sum[n].number * COORDS);
    } else {
        const bool pair = k.sums == 3 && make_pair(b, k, x);
        if (!pair) make_sum(b, k, &grid->sum[0], x, 0);
        if (!pair && k.sums == 3) make_sum(b, k, &grid->sum[2], x, 2 * COORDS);
        if (k.sums > 1) make_sum(b, k, &grid->sum[1], x, COORDS);
    }
}

/* ---- quotients ---- */

/* Makes one derivative of a rational vertex, whose sums of lower orders are derivatives by now. */
CLSPI_INLINE void divide_sum(vec *x, uint32_t n, uint32_t dim, vec one_over_w)
{
    const vec *const a = x + SUM_OF(n) * COORDS, *const b = x + SUM_ALONG(n) * COORDS;
    vec *const d = x + n * COORDS;

    CLSPI_UNROLL(4)
    for (uint32_t c = 0; c < COORDS - 1; c++) {
        if (c >= dim) continue;
        if (n > 3) d[c] = d[c] - a[dim] * b[c] - b[dim] * a[c];
        d[c] = (d[c] - d[dim] * x[c]) * one_over_w;
    }
}

/* Divides the sums of a rational vertex by its weight, first derivatives before second ones, by the
   quotient rule; returns 1 / weight. */
CLSPI_INLINE vec divide(const clspi_strip_grid *grid, known k, vec *x, uint32_t dim)
{
    const vec one_over_w = 1 / x[dim];

    CLSPI_UNROLL(4)
    for (uint32_t c = 0; c < COORDS - 1; c++)
        if (c < dim) x[c] *= one_over_w;
    if (k.sums == 3) {
        divide_sum(x, 1, dim, one_over_w);
        divide_sum(x, 2, dim, one_over_w);
    }
    for (uint32_t n = 0; n < grid->num_used && k.sums == 0; n++)
        if (grid->used[n] > 0) divide_sum(x, grid->used[n], dim, one_over_w);
    return one_over_w;
}

/* ---- normals ---- */

/* Returns the largest coordinate of what points are relative to. */
CLSPI_INLINE real far_of(const double *centre)
{
    real most = 0;

    for (int c = 0; centre && c < 4; c++) {
        const real size = (real)(centre[c] < 0 ? -centre[c] : centre[c]);
        most = size > most ? size : most;
    }
    return most;
}

/* What the normals of a row may be off by. */
typedef struct row_errors {
    real margin, limit, far;
} row_errors;

/* Finds what the rounding errors of both tangents of rational surfaces are relative to: what the
   quotient rule takes differences of. */
CLSPI_INLINE void find_errors(const block *b, const vec *x, const row_errors *row, vec one_over_w,
                              vec from[2])
{
    const vec far = largest3(x), w = x[3];
    const vec limit[2] = {all_lanes(row->limit), ((const vec *)b->grid->limit[1])[b->vector]};

    for (int k = 0; k < 2; k++) {
        const vec size = ((const vec *)b->patch->largest[k][0])[b->vector];
        const vec weight = ((const vec *)b->patch->largest[k][1])[b->vector];
        const vec given = given_size(weight, limit[k], w, all_lanes(row->far));
        from[k] = row->margin * ((size + weight * far + given) * one_over_w);
    }
}

/* Makes the normal of a vertex of a row whose tangents are there. */
CLSPI_INLINE void make_normal(const block *b, bool rational, size_t row, vec *x, vec one_over_w)
{
    const clspi_strip_grid *const grid = b->grid;
    const row_errors errors = {.margin = row == 0 || row + 1 == grid->rows ? CLSPI_EDGE_MARGIN : 1,
                               .limit = grid->limit[0] ? ((const real *)grid->limit[0])[row] : 0,
                               .far = far_of(b->patch->centre)};
    const vec *const u = x + COORDS, *const v = x + 2 * COORDS;
    vector *const n = (vector *)(x + CLSPI_STRIP_NORMAL);

    if (rational) {
        vec from[2];
        find_errors(b, x, &errors, one_over_w, from);
        unit_normal(u, v, from[0], from[1], n);
    } else {
        const vec to_u = ((const vec *)b->patch->largest[0][0])[b->vector];
        const vec to_v = ((const vec *)b->patch->largest[1][0])[b->vector];
        const vec s[3] = {u[0] * to_u, u[1] * to_u, u[2] * to_u};
        const vec t[3] = {v[0] * to_v, v[1] * to_v, v[2] * to_v};
        const vec off = all_lanes(8 * REAL_EPS * errors.margin);
        unit_cross(s, t, off, off, n);
    }
}

/* Finds the principal curvatures of a vertex whose normal is there. */
CLSPI_INLINE void make_curvatures(vec *x)
{
    vec *const bends = x + CLSPI_STRIP_CURVATURE;
    derivatives d;

    for (int c = 0; c < 3; c++) {
        d.a[c] = x[COORDS + c];
        d.b[c] = x[2 * COORDS + c];
        d.aa[c] = x[4 * COORDS + c];
        d.ab[c] = x[5 * COORDS + c];
        d.bb[c] = x[6 * COORDS + c];
    }
    principal_curvatures(&d, x + CLSPI_STRIP_NORMAL, bends, bends + 1);
}

/* Returns what the points of a row are relative to; NULL: to the origin. */
CLSPI_INLINE const double *centre_of(const block *b, size_t row)
{
    const double *const centre = b->patch->centre;

    return centre && b->grid->shape.directions == 1 ? centre + 4 * row : centre;
}

/* Finds the curvature of a curve in the plane or in space. */
CLSPI_INLINE void make_curve_curvature(const block *b, size_t row, vec *x, vec one_over_w)
{
    const uint32_t dim = b->grid->shape.dim;
    const vec none = {0}, *const p = x, *const d = x + COORDS, *const e = x + 4 * COORDS;
    const vec first[3] = {d[0], d[1], dim > 2 ? d[2] : none};
    const vec second[3] = {e[0], e[1], dim > 2 ? e[2] : none};
    const vec weight = all_lanes(((const real *)b->patch->largest[0][1])[row]);
    vec from = all_lanes(((const real *)b->patch->largest[0][0])[row]);

    if (b->grid->shape.rational) {
        const vec far = largest3((const vec[]){p[0], p[1], dim > 2 ? p[2] : none});
        const vec given =
            given_size(weight, all_lanes(REAL_MAX), p[dim], all_lanes(far_of(centre_of(b, row))));
        from = (from + weight * far + given) * one_over_w;
    }
    x[CLSPI_STRIP_CURVATURE] = curve_curvature(first, second, from, dim > 2);
}

/* ---- vertices ---- */

/* Makes what there is beside the sums of one row of a block. */
CLSPI_INLINE void add_others(const block *b, known k, size_t row, vec *x, vec one_over_w)
{
    const clspi_strip_grid *const grid = b->grid;
    const bool bends = grid->shape.at[ATTRIBUTE_CURVATURE] >= 0;
    vec *const param = x + CLSPI_STRIP_PARAMS;

    if (k.curve && bends) make_curve_curvature(b, row, x, one_over_w);
    if (!k.curve && (bends || grid->shape.at[ATTRIBUTE_NORMAL] >= 0))
        make_normal(b, grid->shape.rational, row, x, one_over_w);
    if (!k.curve && bends) make_curvatures(x);
    if (b->patch->param) param[0] = all_lanes(*(const real *)b->patch->param);
    if (grid->param[0]) param[1] = all_lanes(((const real *)grid->param[0])[row]);
    if (grid->param[1]) param[2] = ((const vec *)grid->param[1])[b->vector];
    x[CLSPI_STRIP_ONE] = all_lanes(1);
}

/* Makes a vertex of the sums of one row of a block. */
CLSPI_INLINE void finish(const block *b, known k, size_t row, vec *x)
{
    const clspi_strip_grid *const grid = b->grid;
    const double *const centre = centre_of(b, row);
    const uint32_t dim = k.sums                 ? k.coords - k.rational
                         : grid->shape.dim == 3 ? 3
                                                : grid->shape.dim;
    vec one_over_w = {0};

    for (uint32_t n = 0; n < grid->num_zero && k.sums == 0; n++)
        for (uint32_t c = 0; c < COORDS; c++)
            x[grid->zero[n] * COORDS + c] = (vec){0};
    if (k.sums ? k.rational : grid->shape.rational)
        one_over_w = dim == 3 ? divide(grid, k, x, 3) : divide(grid, k, x, dim);
    if (k.sums == 0)
        add_others(b, k, row, x, one_over_w);
    else if (k.sums == 3 && grid->normals)
        make_normal(b, k.rational, row, x, one_over_w);
    CLSPI_UNROLL(4)
    for (uint32_t c = 0; c < COORDS - 1; c++)
        if (c < dim && centre) x[c] += (real)centre[c];
}

/* Stores a vector of elements. */
CLSPI_INLINE void store_elements(void *out, bool halves, int n, vec x)
{
    if (halves)
        store_halves((uint16_t *)out + n * LANES, x);
    else
        store_vec((real *)out + n * LANES, x);
}

/* Puts the elements of a row's vertices, `parts` of a known number of sums, side by side in memory
   for whole vectors; those after a point are from the cell `second` on. */
CLSPI_INLINE void put_known(known k, const vec *x, int parts, int second, bool halves, void *to)
{
    const int dim = (int)(k.coords - k.rational), num = parts * dim;
    vec e[INTERLEAVED_MAX];

    CLSPI_UNROLL(9)
    for (int n = 0; n < num; n++)
        e[n] = x[(n / dim == 1 ? second : n / dim * COORDS) + n % dim];
    if (!k.interleaved) interleave_lanes(e, num);
    CLSPI_UNROLL(9)
    for (int n = 0; n < num; n++)
        store_elements(to, halves, n, e[n]);
}

/* Puts num elements of a row's vertices side by side; num is known. */
CLSPI_INLINE void put_some(const clspi_strip_grid *grid, const vec *x, int num, real *to)
{
    vec e[INTERLEAVED_MAX];

    CLSPI_UNROLL(18)
    for (int n = 0; n < num; n++)
        e[n] = x[grid->cell[n]];
    interleave_lanes(e, num);
    CLSPI_UNROLL(18)
    for (int n = 0; n < num; n++)
        store_vec(to + n * LANES, e[n]);
}

/* Puts all elements of a row's vertices side by side, however many. */
static __attribute__((noinline)) void put_cells(const clspi_strip_grid *grid, const vec *x,
                                                real *to)
{
    const int num = (int)grid->num_elements;
    vec e[INTERLEAVED_MAX], f[INTERLEAVED_MAX];

    switch (grid->interleaved ? 0 : num) {
    case 6:
        put_some(grid, x, 6, to);
        return;
    case 8:
        put_some(grid, x, 8, to);
        return;
    case 9:
        put_some(grid, x, 9, to);
        return;
    case 12:
        put_some(grid, x, 12, to);
        return;
    case 18:
        put_some(grid, x, 18, to);
        return;
    }
    for (int n = 0; n < num; n++)
        e[n] = grid->interleaved ? x[n] : x[grid->cell[n]];
    if (!grid->interleaved) interleave_many_lanes(f, e, num);
    for (int n = 0; n < num; n++)
        store_vec(to + n * LANES, grid->interleaved ? e[n] : f[n]);
}

/* Stores vertices that are no whole vector, or not packed, or of another type. */
static __attribute__((noinline)) void store_aside(const clspi_strip_grid *grid, const real *from,
                                                  size_t count, char *out)
{
    const placement places = {grid->shape.type, grid->shape.stride, grid->num_elements, grid->at};

    convert_vertices(&places, out, from, count);
}

/* Fetches the lines that later vertices are stored in, from `first` bytes after out on, which may
   be beyond the memory's end, before they are waited for: to the nearest cache, or to the next one.
 */
CLSPI_INLINE void fetch(const char *out, size_t first, size_t bytes, bool near)
{
#ifdef __GNUC__
    for (size_t at = first; at < first + bytes; at += LINE_BYTES)
        if (near)
            __builtin_prefetch((const void *)((uintptr_t)out + at), 1, 3);
        else
            __builtin_prefetch((const void *)((uintptr_t)out + at), 1, 2);
#else
    (void)out;
    (void)first;
    (void)bytes;
    (void)near;
#endif
}

/* Stores one row of a block. */
CLSPI_INLINE void store(const block *b, known k, size_t row, const vec *x, char *out)
{
    const clspi_strip_grid *const grid = b->grid;
    const bool full = b->count == LANES || row < b->overlap;
    const bool halves = HAS_HALVES && k.sums && grid->shape.type == CLSPI_ROW_F16;
    const bool whole = full && grid->packed && (grid->shape.type == REAL_TYPE || halves);
    vec aside[CLSPI_STRIP_ELEMENTS];
    void *const to = whole ? out : (char *)aside;

    if (k.sums == 3 && grid->normals)
        put_known(k, x, 2, CLSPI_STRIP_NORMAL, whole && halves, to);
    else if (k.sums)
        put_known(k, x, (int)k.sums, COORDS, whole && halves, to);
    else
        put_cells(grid, x, to);
    if (!whole) store_aside(grid, to, b->count, out);
}

CLSPI_INLINE void make_row(const block *b, known k, size_t row, vec *x, char *out)
{
    if (!k.interleaved) finish(b, k, row, x);
    store(b, k, row, x, out);
}

/* Makes a block, and fetches the places of the vertices of its columns in the rows after it, where
   these have more than points. */
CLSPI_INLINE void make_block(const block *b, known k, char *out, size_t row_bytes, size_t vertex)
{
    vec x[ROWS][CELLS];

    make_sums(b, k, x);
    for (size_t r = 0; r < k.rows && !k.curve && k.sums != 1; r++)
        fetch(out, (k.rows + r) * row_bytes, b->count * vertex, b->grid->is_near);
    if (k.sums) {
        CLSPI_UNROLL(4)
        for (uint32_t r = 0; r < k.rows; r++)
            if (r < b->rows) make_row(b, k, b->row[r], x[r], out + r * row_bytes);
    } else {
        for (uint32_t r = 0; r < b->rows; r++)
            make_row(b, k, b->row[r], x[r], out + r * row_bytes);
    }
}

/* Makes rows of a grid: of a strip all, before those of the next. */
CLSPI_INLINE void make_rows(block *b, known k, size_t first, size_t count, char *out)
{
    const clspi_strip_grid *const grid = b->grid;
    const clspi_row_type type = grid->shape.type;
    const size_t element = type == CLSPI_ROW_F16 ? 2 : type == CLSPI_ROW_F32 ? 4 : 8;
    const size_t vertex = grid->shape.stride * element, row_bytes = grid->row_vertices * vertex;

    for (size_t v = 0; v < grid->vectors; v += grid->strip) {
        const size_t end = grid->vectors - v < grid->strip ? grid->vectors : v + grid->strip;
        for (size_t u = 0; u < count; u += k.rows) {
            b->rows = count - u < k.rows ? count - u : k.rows;
            for (size_t r = 0; r < k.rows; r++)
                b->row[r] = first + u + (r < b->rows ? r : b->rows - 1);
            for (size_t x = v; x < end; x++) { /* the last one first where it may be too long */
                b->vector = b->overlap > 0 ? end - 1 - (x - v) : x;
                const size_t column = b->vector * LANES, left = grid->columns - column;
                b->count = left < LANES ? left : LANES;
                make_block(b, k, out + u * row_bytes + column * vertex, row_bytes, vertex);
            }
        }
    }
}

/* Finds the overlap of a block's rows. */
static size_t overlap_of(const clspi_strip_grid *grid, size_t first, size_t count)
{
    const size_t over = grid->vectors * LANES - grid->columns;
    const size_t rows =
        (over + grid->columns - 1) / grid->columns; /* that these columns reach into */

    return grid->vectors <= grid->strip && grid->row_vertices == grid->columns && count > rows
               ? first + count - rows
               : 0;
}

/* Makes rows that are curves. */
CLSPI_INLINE void make_curves(block *b, size_t first, size_t count, void *out)
{
    const clspi_strip_grid *const grid = b->grid;
    const bool known_sums = grid->plain && !grid->shape.rational;
    const uint32_t points_of = known_sums && grid->num_sums == 1 ? grid->shape.dim : 0;
    const bool own_knots = grid->sum[0].first[1] != NULL;
    const uint32_t derivatives_of =
        known_sums && grid->num_sums == 2 && !own_knots ? grid->shape.dim : 0;

    if (points_of == 3)
        make_rows(b, (known){.sums = 1, .coords = 3, .rows = ROWS, .curve = true}, first, count,
                  out);
    else if (points_of == 4)
        make_rows(b, (known){.sums = 1, .coords = 4, .rows = ROWS, .curve = true}, first, count,
                  out);
    else if (derivatives_of == 3)
        make_rows(b, (known){.sums = 2, .coords = 3, .rows = ROWS, .curve = true}, first, count,
                  out);
    else if (derivatives_of == 4)
        make_rows(b, (known){.sums = 2, .coords = 4, .rows = ROWS, .curve = true}, first, count,
                  out);
    else
        make_rows(b, (known){.rows = ROWS, .curve = true}, first, count, out);
}

/* Makes rows of surfaces. */
CLSPI_INLINE void make_surfaces(block *b, size_t first, size_t count, void *out)
{
    const clspi_strip_grid *const grid = b->grid;
    const bool rational = grid->shape.rational, three = grid->shape.dim == 3;
    const bool few = grid->normals && grid->sum[0].terms[0] <= FEW_TERMS;
    const bool points = three && grid->num_sums == 1 && grid->plain;
    const bool first_order = three && grid->num_sums == 3 && (grid->plain || few);

    if (points && !rational)
        make_rows(b, (known){.sums = 1, .coords = 3, .rows = ROWS, .interleaved = true}, first,
                  count, out);
    else if (grid->interleaved)
        make_rows(b, (known){.rows = ROWS, .interleaved = true}, first, count, out);
    else if (points)
        make_rows(b, (known){.sums = 1, .coords = 4, .rows = ROWS / 2, .rational = true}, first,
                  count, out);
    else if (first_order && rational)
        make_rows(b, (known){.sums = 3, .coords = 4, .rows = ROWS / 2, .rational = true}, first,
                  count, out);
    else if (first_order)
        make_rows(b, (known){.sums = 3, .coords = 3, .rows = ROWS / 2}, first, count, out);
    else
        make_rows(b, (known){.rows = ROWS}, first, count, out);
}

static void rows(const clspi_strip_grid *grid, const clspi_strip_patch *patch, size_t first,
                 size_t count, void *out)
{
    block b = {.grid = grid, .patch = patch, .overlap = overlap_of(grid, first, count)};

    if (grid->shape.directions == 1)
        make_curves(&b, first, count, out);
    else
        make_surfaces(&b, first, count, out);
}

const clspi_strip_functions STRIP_SUMS = {sizeof(real), LANES, partial, largest, rows};
