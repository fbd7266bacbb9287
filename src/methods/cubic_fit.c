#include "cubic_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "product_weights.h"
#include "segment_search.h"

enum {
    DIM_MAX = 4,
    ORDER_MAX = CLSPI_SEARCH_ORDER_MAX,
    HALVINGS_MAX = 24 /* of a segment, one after another: parts' numbers are exact in floats */
};

/* The Gram matrix of the cubic Bernstein polynomials: the entries of row 1 in columns 1 and 2, and
   sums of the last two in rows 1 and 2. */
#define GRAM_11    (3.0 / 35)
#define GRAM_12    (9.0 / 140)
#define GRAM_LAST1 (13.0 / 140)
#define GRAM_LAST2 (11.0 / 70)

/* What all cubics of a degree are made with: of control point j of a segment its entries in rows 1
   and 2 of the Gram matrix of degree 3 and its own, and the weights of a cubic's points in its
   control point j when it is elevated to that degree; up to degree 3 the weights of j in a cubic's
   point k. */
typedef struct cubic_maker {
    const clspi_fitted_segments *s;
    double gram[ORDER_MAX][2], raised[ORDER_MAX][4];
    double points[ORDER_MAX][DIM_MAX]; /* of the part at hand, relative to its begin, times scale */
    double begin[DIM_MAX], scale;
} cubic_maker;

static void make_weights(cubic_maker *m)
{
    const uint32_t p = m->s->degree;

    for (uint32_t j = 0; j <= p; j++) {
        for (uint32_t row = 0; row < 2 && p > 3; row++)
            m->gram[j][row] = clspi_product_weight(3, p, row + 1, row + 1 + j) / (p + 4);
        for (uint32_t k = 0; k < 4; k++)
            m->raised[j][k] =
                p > 3 ? clspi_product_weight(3, p - 3, k, j) : clspi_product_weight(p, 3 - p, j, k);
    }
}

static double dot_of(const double *x, const double *y)
{
    return (x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]);
}

/* Divides a vector by its length; what has none stays 0. */
static void normalize(double *x)
{
    const double length = sqrt(dot_of(x, x));

    for (int c = 0; c < DIM_MAX; c++)
        x[c] = length > 0 ? x[c] / length : 0;
}

/* Halves control points by de Casteljau's algorithm: the first or the second half stays. */
static void halve(double points[ORDER_MAX][DIM_MAX], uint32_t degree, bool second)
{
    for (uint32_t n = 1; n <= degree; n++)
        for (uint32_t i = 0; i <= degree - n; i++) {
            const uint32_t at = second ? i : degree - i;
            double *const x = points[at];
            const double *const y = second ? points[at + 1] : points[at - 1];
            for (int c = 0; c < DIM_MAX; c++)
                x[c] = 0.5 * (x[c] + y[c]);
        }
}

/* Takes the control points of a part: all relative to its begin, so that small parts keep their
   digits, and scaled, so that squares are numbers. Returns the segment's extent. */
static double take_part(cubic_maker *m, const clspi_cubic *at)
{
    const uint32_t degree = m->s->degree, dim = m->s->dim;
    const double *const from = m->s->points + at->segment * m->s->stride;
    const double extent = from[(size_t)(degree + 1) * dim + dim];
    const bool is_usual = extent > 0 && extent < 0.25 * DBL_MAX;

    m->scale = is_usual
                   ? ldexp(1.0, -ilogb(extent) < DBL_MAX_EXP - 2 ? -ilogb(extent) : DBL_MAX_EXP - 2)
                   : 1;
    for (uint32_t j = 0; j <= degree; j++)
        for (uint32_t c = 0; c < DIM_MAX; c++)
            m->points[j][c] = c < dim ? from[j * dim + c] : 0;
    for (uint32_t k = at->depth; k-- > 0;)
        halve(m->points, degree, at->part >> k & 1);
    memcpy(m->begin, m->points[0], sizeof m->begin);
    for (uint32_t j = 0; j <= degree; j++)
        for (int c = 0; c < DIM_MAX; c++)
            m->points[j][c] = (m->points[j][c] - m->begin[c]) * m->scale;
    return extent;
}

/* Finds the cubic that has the ends of the part and its tangents there, and of these the least mean
   square of the difference; up to degree 3 the one that is the same curve. */
static void find_cubic(const cubic_maker *m, double x[4][DIM_MAX])
{
    const uint32_t p = m->s->degree;
    double first[DIM_MAX], last[DIM_MAX], m1[DIM_MAX], m2[DIM_MAX];

    memset(x, 0, 4 * sizeof *x);
    for (uint32_t j = 0; p <= 3 && j <= p; j++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < DIM_MAX; c++)
                x[k][c] += m->raised[j][k] * m->points[j][c];
    if (p <= 3) return;
    const double *const chord = m->points[p];
    for (int c = 0; c < DIM_MAX; c++) {
        first[c] = m->points[1][c];
        last[c] = chord[c] - m->points[p - 1][c];
        m1[c] = -GRAM_LAST1 * chord[c];
        m2[c] = -GRAM_LAST2 * chord[c];
        for (uint32_t j = 1; j <= p; j++) {
            m1[c] += m->gram[j][0] * m->points[j][c];
            m2[c] += m->gram[j][1] * m->points[j][c];
        }
    }
    normalize(first);
    normalize(last);
    const double r1 = dot_of(m1, first), r2 = dot_of(m2, last);
    const double cosine = GRAM_12 * dot_of(first, last);
    const double det = cosine * cosine - GRAM_11 * GRAM_11;
    const double to_first = (cosine * r2 - GRAM_11 * r1) / det;
    const double to_last = (GRAM_11 * r2 - cosine * r1) / det;
    for (int c = 0; c < DIM_MAX; c++) {
        x[1][c] = to_first * first[c];
        x[2][c] = chord[c] - to_last * last[c];
        x[3][c] = chord[c];
    }
}

/* Computes the largest Bernstein coefficient of the difference of the part and a cubic, of which
   points 1 and 2 may be those of its chord. */
static double difference(const cubic_maker *m, double x[4][DIM_MAX])
{
    double largest = 0;

    for (uint32_t j = 1; m->s->degree > 3 && j < m->s->degree; j++) {
        double d[DIM_MAX];
        for (int c = 0; c < DIM_MAX; c++)
            d[c] = m->points[j][c] - (m->raised[j][1] * x[1][c] +
                                      (m->raised[j][2] * x[2][c] + m->raised[j][3] * x[3][c]));
        largest = fmax(largest, dot_of(d, d));
    }
    return sqrt(largest);
}

/* Tells whether a cubic bends so much that rounding counts: neighbouring differences of its control
   points differ by more than 0.45 of the least of them. Else the derivative of the squared distance
   rises all along for queries nearby, and rounding moves its zeros little. */
static bool bends(const cubic_maker *m, double x[4][DIM_MAX])
{
    const double tolerance = m->s->error * m->scale;
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
    const double rounding = 216 * m->s->eps * longest; /* of cubic_distance.clh's missed_depth */
    return most > 0.2 * least && rounding > tolerance * tolerance;
}

/* Computes the largest Bernstein coefficient of the difference of the part and its chord. */
static double line_error(const cubic_maker *m)
{
    const uint32_t p = m->s->degree;
    double largest = 0;

    for (uint32_t j = 1; j < p; j++) {
        double d[DIM_MAX];
        for (int c = 0; c < DIM_MAX; c++)
            d[c] = m->points[j][c] - (double)j / p * m->points[p][c];
        largest = fmax(largest, dot_of(d, d));
    }
    return sqrt(largest);
}

/* Approximates a part. It is near enough if it errs by no more than it may or by rounding alone,
   and does not bend much, as its chord does not. */
static void fit(cubic_maker *m, clspi_cubic *at)
{
    const clspi_fitted_segments *const s = m->s;
    const double extent = take_part(m, at);
    /* halving rounds each of degree steps by half a unit, an approximation a few times more */
    const double rounding = (0.5 * s->degree * at->depth + 4) * extent * 2 * s->eps;
    /* what is measured errs by a few units only, and so halving ends */
    const double most = fmax(s->error - rounding, 8 * s->eps * extent);
    double x[4][DIM_MAX];

    find_cubic(m, x);
    double apart = difference(m, x) / m->scale;
    if (apart <= most && bends(m, x)) {
        apart = line_error(m) / m->scale;
        for (int c = 0; c < DIM_MAX; c++) {
            x[1][c] = x[3][c] / 3;
            x[2][c] = x[3][c] - x[1][c];
        }
    }
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < DIM_MAX; c++)
            at->points[k][c] = m->begin[c] + x[k][c] / m->scale;
    at->error = apart + rounding;
    at->is_near = !(apart > most);
}

/* Puts both halves in the place of parts that are not near enough, and others where they are then.
   NULL without memory. */
static clspi_cubic *halve_parts(clspi_cubic *parts, size_t num, size_t halvings)
{
    clspi_cubic *const to = realloc(parts, (num + halvings) * sizeof *to);
    size_t at = num + halvings;

    if (!to) free(parts);
    for (size_t i = num; to && i-- > 0;) {
        clspi_cubic part = to[i];
        if (part.is_near) {
            to[--at] = part;
            continue;
        }
        part.depth++;
        part.part = 2 * part.part + 1;
        to[--at] = part;
        part.part--;
        to[--at] = part;
    }
    return to;
}

clspi_cubic *clspi_cubics_make(const clspi_fitted_segments *segments, size_t *num, bool *cut)
{
    cubic_maker m = {.s = segments};
    clspi_cubic *parts = calloc(segments->num, sizeof *parts);

    make_weights(&m);
    *num = segments->num;
    *cut = false;
    for (size_t i = 0; parts && i < *num; i++)
        parts[i].segment = (uint32_t)i;
    for (uint32_t depth = 0; parts; depth++) {
        size_t halvings = 0;
        for (size_t i = 0; i < *num; i++) {
            if (!parts[i].is_near) fit(&m, &parts[i]);
            halvings += !parts[i].is_near;
        }
        *cut = halvings > 0 && (depth == HALVINGS_MAX || *num + halvings > segments->most);
        if (halvings == 0 || *cut) break;
        parts = halve_parts(parts, *num, halvings);
        *num += halvings;
    }
    return parts;
}
