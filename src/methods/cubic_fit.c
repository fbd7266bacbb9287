#include "cubic_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIM_MAX = 4,
    DEGREE_MIN = 4,   /* to which segments are elevated */
    HALVINGS_MAX = 24 /* of a cubic, one after another */
};

/* Segments as what makes pieces takes them. */
typedef struct fit {
    const clspi_fitted_segments *s;
    double *raised; /* NULL: they need not be elevated */
    clspi_spans spans;
    clspi_reduce_tables tables;
    clspi_reduce_curves curves;
    double extent; /* the largest of a segment */
} fit;

static double extent_of(const clspi_fitted_segments *s, size_t segment)
{
    return s->points[segment * s->stride + (size_t)(s->degree + 1) * s->dim + s->dim];
}

/* Returns what storing a cubic, and its parameters, is off by. */
static double rounding_of(const clspi_fitted_segments *s, double extent)
{
    return (s->degree + 8.0) * extent * s->eps;
}

/* Elevates all segments to a degree above a cubic's: [num][DEGREE_MIN + 1][dim]. False without
   memory. */
static bool elevate(fit *f)
{
    const clspi_fitted_segments *const s = f->s;
    const size_t dim = s->dim, reals = (DEGREE_MIN + 1) * dim;

    if (s->degree >= DEGREE_MIN) return true;
    f->raised = malloc((s->num * reals + 1) * sizeof *f->raised);
    for (size_t i = 0; f->raised && i < s->num; i++) {
        double *const x = f->raised + i * reals;
        memcpy(x, s->points + i * s->stride, (s->degree + 1) * dim * sizeof *x);
        for (size_t n = s->degree + 1; n <= DEGREE_MIN; n++)
            for (size_t k = (n + 1) * dim; k-- > 0;) {
                const double up = (double)(k / dim) / (double)n;
                x[k] = (k < n * dim ? (1 - up) * x[k] : 0) + (k < dim ? 0 : up * x[k - dim]);
            }
    }
    return f->raised != NULL;
}

/* Makes what pieces are made with; false without memory. */
static bool begin_fit(fit *f, const clspi_fitted_segments *s)
{
    const uint32_t degree = s->degree < DEGREE_MIN ? DEGREE_MIN : s->degree;
    const clspi_reduce_form form = {.degree = degree, .to = 3, .dim = s->dim, .f64 = true};

    *f = (fit){.s = s};
    for (size_t i = 0; i < s->num; i++)
        if (extent_of(s, i) <= DBL_MAX) f->extent = fmax(f->extent, extent_of(s, i));
    if (!clspi_spans_reserve(&f->spans, 1, 1, degree, true)) return false;
    clspi_spans_put(&f->spans, 0, 0, (const double[2]){0, 1});
    if (!clspi_reduce_tables_make(&f->tables, &form) || !elevate(f)) return false;
    const double rounding = rounding_of(s, f->extent);
    f->curves =
        (clspi_reduce_curves){.points = f->raised ? f->raised : s->points,
                              .stride = f->raised ? (size_t)(degree + 1) * s->dim : s->stride,
                              .spans = &f->spans,
                              .is_bezier = true,
                              .tables = &f->tables,
                              .tolerance = fmax(s->error - rounding, rounding)};
    return true;
}

static void end_fit(fit *f)
{
    free(f->raised);
    clspi_spans_release(&f->spans);
    clspi_reduce_tables_release(&f->tables);
}

/* ---- bends ---- */

static double dot_of(const double *x, const double *y)
{
    return (x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]);
}

/* Tells whether a cubic bends so much that rounding counts: neighbouring differences of its control
   points differ by more than 0.45 of the least of them. Else the derivative of the squared distance
   rises all along for queries nearby, and rounding moves its zeros little. x: scaled. */
static bool bends(double x[4][DIM_MAX], double eps, double tolerance)
{
    double least = DBL_MAX, most = 0, longest = 0, before[DIM_MAX] = {0};

    for (int k = 0; k < 3; k++) {
        double step[DIM_MAX], turn[DIM_MAX];
        for (int c = 0; c < DIM_MAX; c++) {
            step[c] = x[k + 1][c] - x[k][c];
            turn[c] = k > 0 ? step[c] - before[c] : 0;
            before[c] = step[c];
        }
        least = fmin(least, dot_of(step, step));
        longest = fmax(longest, dot_of(step, step));
        most = fmax(most, dot_of(turn, turn));
    }
    const double rounding = 216 * eps * longest; /* of cubic_distance.clh's missed_depth */
    return most > 0.2 * least && rounding > tolerance * tolerance;
}

/* Returns the largest Bernstein coefficient of the difference of a cubic and its chord. */
static double chord_error(double x[4][DIM_MAX])
{
    double largest = 0;

    for (int k = 1; k < 3; k++) {
        double d[DIM_MAX];
        for (int c = 0; c < DIM_MAX; c++)
            d[c] = x[k][c] - x[0][c] - k / 3.0 * (x[3][c] - x[0][c]);
        largest = fmax(largest, dot_of(d, d));
    }
    return sqrt(largest);
}

/* ---- cubics ---- */

void clspi_fitted_cubics_release(clspi_fitted_cubics *c)
{
    free(c->points);
    free(c->ends);
    free(c->errors);
    free(c->segments);
}

/* Makes room for more cubics; false without memory. */
static bool make_room(clspi_fitted_cubics *c, size_t room, uint32_t dim)
{
    double *const points = realloc(c->points, (room + 1) * 4 * dim * sizeof *points);
    if (points) c->points = points;
    double *const ends = realloc(c->ends, (room + 1) * 2 * sizeof *ends);
    if (ends) c->ends = ends;
    double *const errors = realloc(c->errors, (room + 1) * sizeof *errors);
    if (errors) c->errors = errors;
    uint32_t *const segments = realloc(c->segments, (room + 1) * sizeof *segments);
    if (segments) c->segments = segments;
    c->room = room;
    return points && ends && errors && segments;
}

/* A cubic on its way: where it is in its segment, and how far off. */
typedef struct bent {
    double points[4][DIM_MAX]; /* scaled */
    double scale, begin, end, error;
    uint32_t segment;
} bent;

/* Adds a cubic; false without memory. */
static bool add_cubic(const fit *f, clspi_fitted_cubics *to, const bent *b)
{
    const uint32_t dim = f->s->dim;

    if (to->num == to->room && !make_room(to, 2 * to->room + 16, dim)) return false;
    for (uint32_t k = 0; k < 4 * dim; k++)
        to->points[4 * dim * to->num + k] = b->points[k / dim][k % dim] / b->scale;
    to->ends[2 * to->num] = b->begin;
    to->ends[2 * to->num + 1] = b->end;
    to->errors[to->num] = b->error + rounding_of(f->s, extent_of(f->s, b->segment));
    to->segments[to->num++] = b->segment;
    return true;
}

/* Puts the chord in the place of a cubic. */
static void straighten(bent *b)
{
    for (int k = 1; k < 3; k++)
        for (int c = 0; c < DIM_MAX; c++)
            b->points[k][c] = ((3 - k) * b->points[0][c] + k * b->points[3][c]) / 3;
}

/* Makes one half of a cubic, by de Casteljau's algorithm. */
static bent half_of(const bent *b, bool second)
{
    const double middle = 0.5 * (b->begin + b->end);
    bent half = *b;

    for (int n = 1; n < 4; n++)
        for (int i = 0; i < 4 - n; i++)
            for (int c = 0; c < DIM_MAX; c++) {
                double(*const x)[DIM_MAX] = half.points;
                const int at = second ? i : 3 - i;
                x[at][c] = 0.5 * (x[at][c] + x[second ? at + 1 : at - 1][c]);
            }
    half.begin = second ? middle : b->begin;
    half.end = second ? b->end : middle;
    return half;
}

/* Adds a cubic, or where it bends its chord if that is within what it may err by, or both halves;
   false without memory. */
static bool add(const fit *f, clspi_fitted_cubics *to, bent *b, uint32_t depth)
{
    if (!(b->error <= DBL_MAX) || !bends(b->points, f->s->eps, f->s->error * b->scale))
        return add_cubic(f, to, b);
    const double error = b->error + chord_error(b->points) / b->scale;
    if (error <= f->curves.tolerance) {
        straighten(b);
        b->error = error;
        return add_cubic(f, to, b);
    }
    if (depth == HALVINGS_MAX || to->num + to->left + 2 > f->s->most) {
        to->cut = true;
        return add_cubic(f, to, b);
    }
    bent first = half_of(b, false), second = half_of(b, true);
    to->left++;
    const bool done = add(f, to, &first, depth + 1);
    to->left--;
    return done && add(f, to, &second, depth + 1);
}

/* Adds number i of some pieces. */
static bool add_piece(const fit *f, clspi_fitted_cubics *to, const clspi_fitted_cubics *from,
                      size_t i)
{
    const uint32_t dim = f->s->dim;
    const double extent = extent_of(f->s, from->segments[i]);
    const bool is_usual = extent > 0 && extent < 0.25 * DBL_MAX;
    const int exponent = is_usual ? ilogb(extent) : 0;
    bent b = {.scale = ldexp(1, exponent > -1000 ? -exponent : 1000),
              .begin = from->ends[2 * i],
              .end = from->ends[2 * i + 1],
              .error = from->errors[i] <= DBL_MAX ? from->errors[i] : (double)NAN,
              .segment = from->segments[i]};

    for (uint32_t k = 0; k < 4 * dim; k++)
        b.points[k / dim][k % dim] = from->points[4 * dim * i + k] * b.scale;
    return add(f, to, &b, 0);
}

/* Counts pieces; where there are more than may be, those of a segment are made half as many. */
static size_t limit_counts(const clspi_fitted_segments *s, uint32_t *counts, bool *cut)
{
    for (;;) {
        size_t num = 0;
        for (size_t i = 0; i < s->num; i++) {
            num += counts[i];
            *cut |= counts[i] == CLSPI_REDUCE_PIECES_MAX;
        }
        if (num <= s->most || num == s->num) return num;
        *cut = true;
        for (size_t i = 0; i < s->num; i++)
            counts[i] = (counts[i] + 1) / 2;
    }
}

/* Makes pieces of all segments, and of these cubics that do not bend; false without memory. */
static bool make_all(const fit *f, uint32_t *counts, clspi_fitted_cubics *pieces,
                     clspi_fitted_cubics *to)
{
    if (clspi_reduce_count(&f->curves, 0, f->s->num, counts) < 0) return false;
    const size_t num = limit_counts(f->s, counts, &to->cut);
    if (!make_room(pieces, num, f->s->dim) || !make_room(to, num, f->s->dim)) return false;
    const clspi_reduce_pieces made = {pieces->points, pieces->ends, pieces->errors,
                                      pieces->segments};
    if (!clspi_reduce_write(&f->curves, counts, 0, 0, num, &made)) return false;
    for (size_t i = 0; i < num; i++) {
        to->left = num - 1 - i;
        if (!add_piece(f, to, pieces, i)) return false;
    }
    return true;
}

bool clspi_fitted_cubics_make(const clspi_fitted_segments *segments, clspi_fitted_cubics *to)
{
    uint32_t *const counts = malloc((segments->num + 1) * sizeof *counts);
    clspi_fitted_cubics pieces = {.num = 0};
    fit f;

    *to = pieces;
    const bool done = counts && begin_fit(&f, segments) && make_all(&f, counts, &pieces, to);
    if (counts) end_fit(&f);
    clspi_fitted_cubics_release(&pieces);
    free(counts);
    return done;
}
