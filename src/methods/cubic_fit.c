#include "cubic_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIM_MAX = 4, DEGREE_MIN = 4 /* to which segments are elevated */ };

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
    const clspi_reduce_form form = {
        .degree = degree, .to = 3, .dim = s->dim, .f64 = true, .tangents = true};

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

/* Straightens a cubic that bends, if that is within what it may err by; false: it is to be of more
   parts. */
static bool straighten(const fit *f, clspi_fitted_cubics *to, size_t i)
{
    const uint32_t dim = f->s->dim;
    const double extent = extent_of(f->s, to->segments[i]);
    const bool is_usual = extent > 0 && extent < 0.25 * DBL_MAX;
    const double scale = is_usual ? ldexp(1, -(ilogb(extent) > -1000 ? ilogb(extent) : -1000)) : 1;
    double *const points = to->points + 4 * dim * i, x[4][DIM_MAX] = {{0}};

    for (uint32_t k = 0; k < 4 * dim; k++)
        x[k / dim][k % dim] = points[k] * scale;
    if (!bends(x, f->s->eps, f->s->error * scale)) return true;
    const double error = to->errors[i] + chord_error(x) / scale;
    if (!(error <= f->curves.tolerance)) return false;
    to->errors[i] = error;
    for (uint32_t k = dim; k < 3 * dim; k++)
        points[k] = ((3 - k / dim) * points[k % dim] + k / dim * points[3 * dim + k % dim]) / 3;
    return true;
}

/* ---- cubics ---- */

/* Counts all cubics; where there are more than may be, those of a segment are made half as many. */
static size_t limit_counts(const clspi_fitted_segments *s, clspi_fitted_cubics *to)
{
    for (;;) {
        size_t num = 0;
        for (size_t i = 0; i < s->num; i++)
            num += to->counts[i];
        if (num <= s->most || num == s->num) return num;
        to->cut = true;
        for (size_t i = 0; i < s->num; i++)
            to->counts[i] = (to->counts[i] + 1) / 2;
    }
}

static void release_pieces(clspi_fitted_cubics *c)
{
    free(c->points);
    free(c->ends);
    free(c->errors);
    free(c->segments);
    c->points = c->ends = c->errors = NULL;
    c->segments = NULL;
}

void clspi_fitted_cubics_release(clspi_fitted_cubics *c)
{
    release_pieces(c);
    free(c->counts);
}

/* Makes as many cubics as counts say; false without memory. */
static bool make_pieces(const fit *f, clspi_fitted_cubics *to)
{
    release_pieces(to);
    to->num = limit_counts(f->s, to);
    to->points = malloc((to->num + 1) * 4 * f->s->dim * sizeof *to->points);
    to->ends = malloc((to->num + 1) * 2 * sizeof *to->ends);
    to->errors = malloc((to->num + 1) * sizeof *to->errors);
    to->segments = malloc((to->num + 1) * sizeof *to->segments);
    const clspi_reduce_pieces pieces = {to->points, to->ends, to->errors, to->segments};
    return to->points && to->ends && to->errors && to->segments &&
           clspi_reduce_write(&f->curves, to->counts, 0, 0, to->num, &pieces);
}

/* Looks for cubics that bend, and has twice as many made of their segments; false: there are
   none. */
static bool refine(const fit *f, clspi_fitted_cubics *to)
{
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < to->num; i++) {
        uint32_t *const count = &to->counts[to->segments[i]];
        if (straighten(f, to, i) || to->segments[i] == last) continue;
        last = to->segments[i];
        to->cut |= 2 * *count > CLSPI_REDUCE_PIECES_MAX;
        *count *= 2;
    }
    return last != UINT32_MAX;
}

/* Makes cubics that are near enough and do not bend. */
static bool make_all(const fit *f, clspi_fitted_cubics *to)
{
    if (clspi_reduce_count(&f->curves, 0, f->s->num, to->counts) < 0) return false;
    for (size_t i = 0; i < f->s->num; i++)
        to->cut |= to->counts[i] == CLSPI_REDUCE_PIECES_MAX;
    if (!make_pieces(f, to)) return false;
    while (!to->cut && refine(f, to) && !to->cut)
        if (!make_pieces(f, to)) return false;
    for (size_t i = 0; i < to->num; i++)
        to->errors[i] = to->errors[i] <= DBL_MAX
                            ? to->errors[i] + rounding_of(f->s, extent_of(f->s, to->segments[i]))
                            : (double)NAN;
    return true;
}

bool clspi_fitted_cubics_make(const clspi_fitted_segments *segments, clspi_fitted_cubics *to)
{
    fit f;

    *to = (clspi_fitted_cubics){.counts = malloc((segments->num + 1) * sizeof *to->counts)};
    const bool done = to->counts && begin_fit(&f, segments) && make_all(&f, to);
    if (to->counts) end_fit(&f);
    return done;
}
