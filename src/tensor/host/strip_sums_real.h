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
enum { ROWS = 4 };
#else
enum { ROWS = 2 };
#endif
enum { CELLS = CLSPI_STRIP_CELLS, COORDS = CLSPI_STRIP_COORDS, COORDS_AT_ONCE = 4 };

/* What is known of a grid where the code for a block of its vertices is inlined: constants, so that
   all of a vertex stays in registers. The vertices of a known number of sums, S, S_u, S_v, have
   three coordinates of each and nothing else. */
typedef struct known {
    uint32_t sums, coords; /* 0: not known */
    uint32_t rows;         /* summed at once */
    bool interleaved;      /* sums over v are interleaved, so that sums over u are vertices */
    bool rational;         /* of what is known */
} known;

/* ---- sums over v ---- */

/* Lines of control points, and the values of one vector of columns. */
typedef struct line_terms {
    const real *p;
    size_t line, step; /* reals from one line to the next, and from one control point */
    const vec *values;
    uint32_t terms;
} line_terms;

/* Sums some lines at once, step vectors apart. banded: values beyond a sample's own terms are 0,
   and their control points may be anything. */
CLSPI_INLINE void sum_lines(const line_terms *of, int lines, int coords, bool banded, vec *t)
{
    const real *p = of->p;
    vec s[ROWS][COORDS_AT_ONCE];

    CLSPI_UNROLL(4)
    for (int i = 0; i < lines; i++)
        CLSPI_UNROLL(4)
    for (int c = 0; c < coords; c++)
        s[i][c] = (vec){0};
    for (uint32_t j = 0; j < of->terms; j++, p += of->step) {
        const vec b = of->values[j];
        CLSPI_UNROLL(4)
        for (int i = 0; i < lines; i++)
            CLSPI_UNROLL(4)
        for (int c = 0; c < coords; c++) {
            const vec sum = s[i][c] + p[(size_t)i * of->line + (size_t)c] * b;
            s[i][c] = banded ? select_lanes(b == 0, s[i][c], sum) : sum;
        }
    }
    CLSPI_UNROLL(4)
    for (int i = 0; i < lines; i++)
        CLSPI_UNROLL(4)
    for (int c = 0; c < coords; c++)
        t[(size_t)i * of->step + (size_t)c] = s[i][c];
}

/* Sums all lines in some coordinates. */
CLSPI_INLINE void sum_all_lines(line_terms of, size_t num, int coords, bool banded, vec *t)
{
    size_t i = 0;

    for (; i + ROWS <= num; i += ROWS, of.p += ROWS * of.line, t += ROWS * of.step)
        sum_lines(&of, ROWS, coords, banded, t);
    for (; i < num; i++, of.p += of.line, t += of.step)
        sum_lines(&of, 1, coords, banded, t);
}

CLSPI_INLINE void sum_points(line_terms of, size_t num, bool banded, vec *t)
{
    if (of.step == 3)
        sum_all_lines(of, num, 3, banded, t);
    else if (of.step == 4)
        sum_all_lines(of, num, 4, banded, t);
    else
        for (size_t c = 0; c < of.step; c++, of.p++)
            sum_all_lines(of, num, 1, banded, t + c);
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

static void partial(const clspi_strip_grid *grid, const clspi_strip_sum *sum, const void *points,
                    size_t members, void *sums)
{
    const size_t coords = grid->shape.dim + grid->shape.rational,
                 lines = members * sum->controls[0];
    const vec *values = sum->values[1];
    real *to = (real *)sums + sum->at;

    for (size_t x = 0; x < grid->vectors; x++) {
        line_terms of = {points, sum->controls[1] * coords, coords, values, sum->terms[1]};
        if (sum->first[1]) {
            of.p += sum->first[1][x] * coords;
            of.terms = sum->count[x];
            sum_points(of, lines, true, (vec *)to);
        } else {
            sum_points(of, lines, false, (vec *)to);
        }
        if (grid->interleaved) interleave_lines(lines, (int)coords, (vec *)to);
        values += sum->terms[1];
        to += grid->vector_reals;
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

/* Where the values of some rows are and the partial sums that they are factors of. */
typedef struct row_terms {
    const real *b[ROWS];
    const vec *t[ROWS];
    size_t step; /* vectors from one partial sum to the next */
    uint32_t terms;
} row_terms;

/* Sums rows of one vector of columns; shared: they have the partial sums of the first one. */
CLSPI_INLINE void sum_coords(const row_terms *of, size_t first, int coords, int rows, bool shared,
                             vec (*x)[CELLS], size_t cell)
{
    vec s[ROWS][COORDS_AT_ONCE];

    CLSPI_UNROLL(4)
    for (int r = 0; r < rows; r++)
        CLSPI_UNROLL(4)
    for (int c = 0; c < coords; c++)
        s[r][c] = (vec){0};
    for (uint32_t i = 0; i < of->terms; i++)
        CLSPI_UNROLL(4)
    for (int r = 0; r < rows; r++) {
        const vec *const t = of->t[shared ? 0 : r] + i * of->step + first;
        const real b = of->b[r][i];
        CLSPI_UNROLL(4)
        for (int c = 0; c < coords; c++)
            s[r][c] += b * t[c];
    }
    CLSPI_UNROLL(4)
    for (int r = 0; r < rows; r++)
        CLSPI_UNROLL(4)
    for (int c = 0; c < coords; c++)
        x[r][cell + (size_t)c] = s[r][c];
}

CLSPI_INLINE void sum_cells(const row_terms *of, known k, size_t coords, bool shared,
                            vec (*x)[CELLS], size_t cell)
{
    if (k.coords == 3 || (k.coords == 0 && coords == 3))
        sum_coords(of, 0, 3, (int)k.rows, shared, x, cell);
    else if (k.coords == 4 || coords == 4)
        sum_coords(of, 0, 4, (int)k.rows, shared, x, cell);
    else
        for (size_t c = 0; c < coords; c++)
            sum_coords(of, c, 1, (int)k.rows, shared, x, cell + c);
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

/* Makes one sum of all rows of a block. */
CLSPI_INLINE void make_sum(const block *b, known k, const clspi_strip_sum *sum, vec (*x)[CELLS],
                           size_t cell)
{
    const size_t coords = b->grid->shape.dim + b->grid->shape.rational;
    const real *const t =
        (const real *)b->patch->sums + b->vector * b->grid->vector_reals + sum->at;
    const size_t member = b->patch->member * sum->controls[0];
    row_terms of = {.terms = sum->terms[0], .step = k.coords ? k.coords : coords};
    bool shared = true;

    CLSPI_UNROLL(4)
    for (uint32_t r = 0; r < k.rows; r++) {
        const size_t first = sum->first[0] ? sum->first[0][b->row[r]] : 0;
        of.b[r] = (const real *)sum->values[0] + b->row[r] * sum->terms[0];
        of.t[r] = (const vec *)t + (member + first) * coords;
        shared = shared && of.t[r] == of.t[0];
    }
    if (shared)
        sum_cells(&of, k, coords, true, x, cell);
    else
        sum_cells(&of, k, coords, false, x, cell);
}

/* ---- quotients ---- */

/* Makes one derivative of a rational vertex, whose sums of lower orders are derivatives by now. */
CLSPI_INLINE void divide_sum(vec *x, uint32_t number, uint32_t dim, vec one_over_w)
{
    static const int of[CLSPI_VERTEX_SUMS][2] = {[4] = {1, 1}, [5] = {1, 2}, [6] = {2, 2}};
    const vec *const a = x + of[number][0] * COORDS, *const b = x + of[number][1] * COORDS;
    vec *const d = x + number * COORDS;

    CLSPI_UNROLL(4)
    for (uint32_t c = 0; c < COORDS - 1; c++) {
        if (c >= dim) continue;
        if (number > 3) d[c] = d[c] - a[dim] * b[c] - b[dim] * a[c];
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

/* Makes the normal of a vertex whose tangents are there. */
CLSPI_INLINE void make_normal(const block *b, vec *x, const row_errors *row, vec one_over_w)
{
    const vec *const u = x + COORDS, *const v = x + 2 * COORDS;
    vec *const n = x + CLSPI_STRIP_NORMAL;

    if (b->grid->shape.rational) {
        vec from[2];
        find_errors(b, x, row, one_over_w, from);
        unit_normal(n, u, v, from);
    } else {
        const vec to_u = ((const vec *)b->patch->largest[0][0])[b->vector];
        const vec to_v = ((const vec *)b->patch->largest[1][0])[b->vector];
        const vec s[3] = {u[0] * to_u, u[1] * to_u, u[2] * to_u};
        const vec t[3] = {v[0] * to_v, v[1] * to_v, v[2] * to_v};
        const vec off = all_lanes(8 * REAL_EPS * row->margin);
        unit_cross(n, s, t, (const vec[]){off, off});
    }
}

/* Makes the principal curvatures of a vertex whose normal is there, as principal_curvatures of
   curvature.clh does. */
CLSPI_INLINE void make_curvatures(vec *x)
{
    const vec *const a = x + COORDS, *const n = x + CLSPI_STRIP_NORMAL;
    const vec size = largest3(a), to = select_lanes(size > 0, 1 / size, (vec){0});
    const vec s[3] = {a[0] * to, a[1] * to, a[2] * to};
    const vec along = size * sqrt_lanes(dot3(s, s));
    const vec e[3] = {a[0] / along, a[1] / along, a[2] / along};
    vec f[3];

    cross3(f, n, e);
    const vec skew = dot3(e, x + 2 * COORDS) / along, across = dot3(f, x + 2 * COORDS);
    const vec xx = dot3(n, x + 4 * COORDS), m = dot3(n, x + 5 * COORDS), y = m - skew * xx;
    const vec z = dot3(n, x + 6 * COORDS) - skew * (m + y);
    const vec kx = xx / along / along, ky = y / along / across, kz = z / across / across;
    const vec mean = (kx + kz) / 2, difference = (kx - kz) / 2;
    const vec most = max_lanes(abs_lanes(difference), abs_lanes(ky));
    const vec p = difference / most, q = ky / most;
    const vec root = select_lanes(most > REAL_TINY, most * sqrt_lanes(p * p + q * q), (vec){0});
    const vec_mask lost = (n[0] == 0) & (n[1] == 0) & (n[2] == 0);
    const vec_mask sound = (along > REAL_TINY) & (across > REAL_TINY) & (lost == 0);

    x[CLSPI_STRIP_CURVATURE] = select_lanes(sound, mean + root, (vec){0});
    x[CLSPI_STRIP_CURVATURE + 1] = select_lanes(sound, mean - root, (vec){0});
}

/* Returns what the points of a row are relative to; NULL: to the origin. */
CLSPI_INLINE const double *centre_of(const block *b, size_t row)
{
    const double *const centre = b->patch->centre;

    return centre && b->grid->shape.directions == 1 ? centre + 4 * row : centre;
}

/* Makes the curvature of a curve in the plane or in space, as curve_curvature of curvature.clh
   does. */
CLSPI_INLINE void make_curve_curvature(const block *b, size_t row, vec *x, vec one_over_w)
{
    const uint32_t dim = b->grid->shape.dim;
    const vec none = {0}, *const p = x, *const d = x + COORDS, *const e = x + 4 * COORDS;
    const vec a[3] = {d[0], d[1], dim > 2 ? d[2] : none},
              c[3] = {e[0], e[1], dim > 2 ? e[2] : none};
    const vec size_a = largest3(a), size_c = largest3(c);
    const vec weight = all_lanes(((const real *)b->patch->largest[0][1])[row]);
    vec from = all_lanes(((const real *)b->patch->largest[0][0])[row]), n[3];

    if (b->grid->shape.rational) {
        const vec far = largest3((const vec[]){p[0], p[1], dim > 2 ? p[2] : none});
        const vec given =
            given_size(weight, all_lanes(REAL_MAX), p[dim], all_lanes(far_of(centre_of(b, row))));
        from = (from + weight * far + given) * one_over_w;
    }
    const vec_mask sound =
        (size_a > REAL_TINY) & (size_c > REAL_TINY) & (size_a > 8 * REAL_EPS * from);
    const vec to_a = select_lanes(sound, 1 / size_a, none);
    const vec to_c = select_lanes(sound, 1 / size_c, none);
    const vec s[3] = {a[0] * to_a, a[1] * to_a, a[2] * to_a}, ss = dot3(s, s);
    const vec t[3] = {c[0] * to_c, c[1] * to_c, c[2] * to_c};
    cross3(n, s, t);
    const vec product = dim > 2 ? sqrt_lanes(dot3(n, n)) : n[2];
    x[CLSPI_STRIP_CURVATURE] =
        select_lanes(sound, size_c / size_a / size_a * (product / (ss * sqrt_lanes(ss))), none);
}

/* ---- vertices ---- */

/* Makes normals and curvatures of one row of a block. */
CLSPI_INLINE void add_bends(const block *b, size_t row, vec *x, vec one_over_w)
{
    const clspi_vertex_shape *const shape = &b->grid->shape;
    const bool bends = shape->at[CLSPI_PART_CURVATURE] >= 0;

    if (shape->directions == 1) {
        if (bends) make_curve_curvature(b, row, x, one_over_w);
    } else if (bends || shape->at[CLSPI_PART_NORMAL] >= 0) {
        const row_errors errors = {
            .margin = row == 0 || row + 1 == b->grid->rows ? CLSPI_EDGE_MARGIN : 1,
            .limit = b->grid->limit[0] ? ((const real *)b->grid->limit[0])[row] : 0,
            .far = far_of(b->patch->centre)};
        make_normal(b, x, &errors, one_over_w);
        if (bends) make_curvatures(x);
    }
}

/* Makes what there is beside the sums of one row of a block. */
CLSPI_INLINE void add_others(const block *b, size_t row, vec *x, vec one_over_w)
{
    const clspi_strip_grid *const grid = b->grid;
    vec *const param = x + CLSPI_STRIP_PARAMS;

    add_bends(b, row, x, one_over_w);
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
    const uint32_t dim = k.sums || grid->shape.dim == 3 ? 3 : grid->shape.dim;
    vec one_over_w = {0};

    for (uint32_t n = 0; n < grid->num_zero && k.sums == 0; n++)
        for (uint32_t c = 0; c < COORDS; c++)
            x[grid->zero[n] * COORDS + c] = (vec){0};
    if (k.sums ? k.rational : grid->shape.rational)
        one_over_w = dim == 3 ? divide(grid, k, x, 3) : divide(grid, k, x, dim);
    if (k.sums == 0) add_others(b, row, x, one_over_w);
    CLSPI_UNROLL(4)
    for (uint32_t c = 0; c < COORDS - 1; c++)
        if (c < dim && centre) x[c] += (real)centre[c];
}

/* Puts num elements of a row's vertices side by side in memory for whole vectors; num is known. */
CLSPI_INLINE void put_cells(const clspi_strip_grid *grid, known k, const vec *x, int num, real *to)
{
    vec e[INTERLEAVED_MAX];

    CLSPI_UNROLL(18)
    for (int n = 0; n < num; n++)
        e[n] = k.interleaved ? x[n] : k.sums ? x[n / 3 * COORDS + n % 3] : x[grid->cell[n]];
    if (!k.interleaved) interleave_lanes(e, num);
    CLSPI_UNROLL(18)
    for (int n = 0; n < num; n++)
        store_vec(to + n * LANES, e[n]);
}

/* Puts all elements of a row's vertices side by side, however many. */
static __attribute__((noinline)) void put_all_cells(const clspi_strip_grid *grid, bool interleaved,
                                                    const vec *x, real *to)
{
    const int num = (int)grid->num_elements;
    vec e[INTERLEAVED_MAX], f[INTERLEAVED_MAX];

    for (int n = 0; n < num; n++)
        e[n] = interleaved ? x[n] : x[grid->cell[n]];
    if (!interleaved) interleave_many_lanes(f, e, num);
    for (int n = 0; n < num; n++)
        store_vec(to + n * LANES, interleaved ? e[n] : f[n]);
}

/* Stores vertices that are no whole vector, or not packed, or of another type. */
static __attribute__((noinline)) void store_aside(const clspi_strip_grid *grid, const real *from,
                                                  size_t count, char *out)
{
    const placement places = {grid->shape.type, grid->shape.stride, grid->num_elements, grid->at};

    convert_vertices(&places, out, from, count);
}

/* Stores one row of a block. */
CLSPI_INLINE void store(const block *b, known k, size_t row, const vec *x, char *out)
{
    const clspi_strip_grid *const grid = b->grid;
    const bool full = b->count == LANES || row < b->overlap;
    const bool whole = full && grid->packed && grid->shape.type == REAL_TYPE;
    vec aside[CLSPI_STRIP_ELEMENTS];
    real *const to = whole ? (real *)out : (real *)aside;

    if (k.sums == 1)
        put_cells(grid, k, x, 3, to);
    else if (k.sums == 3 || (grid->num_elements == 9 && !k.interleaved))
        put_cells(grid, k, x, 9, to);
    else if (grid->num_elements == 6 && !k.interleaved)
        put_cells(grid, k, x, 6, to);
    else if (grid->num_elements == 8 && !k.interleaved)
        put_cells(grid, k, x, 8, to);
    else if (grid->num_elements == 12 && !k.interleaved)
        put_cells(grid, k, x, 12, to);
    else if (grid->num_elements == 18 && !k.interleaved)
        put_cells(grid, k, x, 18, to);
    else
        put_all_cells(grid, k.interleaved, x, to);
    if (!whole) store_aside(grid, to, b->count, out);
}

CLSPI_INLINE void make_row(const block *b, known k, size_t row, vec *x, char *out)
{
    if (!k.interleaved) finish(b, k, row, x);
    store(b, k, row, x, out);
}

CLSPI_INLINE void make_block(const block *b, known k, char *out, size_t row_bytes)
{
    const clspi_strip_grid *const grid = b->grid;
    vec x[ROWS][CELLS];

    if (k.sums) {
        CLSPI_UNROLL(3)
        for (uint32_t n = 0; n < k.sums; n++)
            make_sum(b, k, &grid->sum[n], x, n * COORDS);
        CLSPI_UNROLL(4)
        for (uint32_t r = 0; r < k.rows; r++)
            if (r < b->rows) make_row(b, k, b->row[r], x[r], out + r * row_bytes);
    } else {
        for (uint32_t n = 0; n < grid->num_sums; n++)
            make_sum(b, k, &grid->sum[n], x, grid->sum[n].number * COORDS);
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
                make_block(b, k, out + u * row_bytes + column * vertex, row_bytes);
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

static void rows(const clspi_strip_grid *grid, const clspi_strip_patch *patch, size_t first,
                 size_t count, void *out)
{
    const bool rational = grid->shape.rational;
    block b = {.grid = grid, .patch = patch, .overlap = overlap_of(grid, first, count)};

    if (grid->interleaved && grid->shape.dim == 3)
        make_rows(&b, (known){.sums = 1, .coords = 3, .rows = ROWS, .interleaved = true}, first,
                  count, out);
    else if (grid->interleaved)
        make_rows(&b, (known){.rows = ROWS, .interleaved = true}, first, count, out);
    else if (grid->plain && grid->num_sums == 1 && rational)
        make_rows(&b, (known){.sums = 1, .coords = 4, .rows = ROWS / 2, .rational = true}, first,
                  count, out);
    else if (grid->plain && grid->num_sums == 3 && rational)
        make_rows(&b, (known){.sums = 3, .coords = 4, .rows = ROWS / 2, .rational = true}, first,
                  count, out);
    else if (grid->plain && grid->num_sums == 3)
        make_rows(&b, (known){.sums = 3, .coords = 3, .rows = ROWS / 2}, first, count, out);
    else
        make_rows(&b, (known){.rows = ROWS}, first, count, out);
}

const clspi_strip_functions STRIP_SUMS = {sizeof(real), LANES, partial, largest, rows};
