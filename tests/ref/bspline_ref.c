#include "bspline_ref.h"

#include <math.h>

/* N_i^p for i = span - degree .. span by the definition; of a quotient 0 / 0 both are 0. Then the
   derivatives' recursion (2.7) takes them to the degree. */
unsigned ref_bspline_weights(const double *knots, unsigned controls, unsigned degree, unsigned by,
                             long double t, long double *weights)
{
    /* from function span - degree on; one more is 0 */
    long double n[REF_MAX_DEGREE + 2] = {0};
    unsigned span = controls - 1;

    while (span > degree && (t < knots[span] || knots[span] == knots[span + 1]))
        span--;
    const double *const u = knots + (span - degree);
    n[degree] = 1.0L;
    for (unsigned p = 1; p <= degree; p++) {
        for (unsigned i = degree - p; i <= degree; i++) {
            const long double left = (long double)u[i + p] - u[i];
            const long double right = (long double)u[i + p + 1] - u[i + 1];
            const long double a = left > 0 ? n[i] / left : 0.0L;
            const long double b = right > 0 ? n[i + 1] / right : 0.0L;
            n[i] = p + by <= degree ? (t - u[i]) * a + (u[i + p + 1] - t) * b : p * (a - b);
        }
    }
    for (unsigned i = 0; i <= degree; i++)
        weights[i] = by <= degree ? n[i] : 0.0L;
    return span - degree;
}

/* Goes through de Boor's triangle from its tip to its base: what a point of it adds to the tip is
   shared among the two that it is made of. The arguments that are farthest from the piece are next
   to the base. */
void ref_bspline_blossom(const double *knots, unsigned degree, unsigned span,
                         const double *arguments, long double *weights)
{
    long double at[REF_MAX_DEGREE];
    const double *const u = knots + (span - degree);

    for (unsigned k = 0; k < degree; k++)
        at[k] = arguments[k];
    for (unsigned k = 0; k < degree; k++) {
        unsigned far = k;
        for (unsigned i = k; i < degree; i++)
            if (fabsl(at[i] - u[degree]) > fabsl(at[far] - u[degree])) far = i;
        const long double farthest = at[far];
        at[far] = at[k];
        at[k] = farthest;
    }
    for (unsigned j = 0; j <= degree; j++)
        weights[j] = j == degree ? 1.0L : 0.0L;
    for (unsigned k = degree; k > 0; k--)
        for (unsigned j = k; j <= degree; j++) {
            const double begin = u[j], end = u[j + degree + 1 - k];
            const long double share = weights[j] / ((long double)end - begin);
            weights[j - 1] += (end - at[k - 1]) * share;
            weights[j] = (at[k - 1] - begin) * share;
        }
}

void ref_bspline_raised_blossom(const double *knots, unsigned degree, unsigned span,
                                unsigned raised, const double *arguments, long double *weights)
{
    unsigned chosen[REF_MAX_DEGREE + 1] = {0};
    double some[REF_MAX_DEGREE + 1];
    long double one[REF_MAX_DEGREE + 1], choices = 0.0L;
    unsigned last = 0;

    for (unsigned k = 0; k < degree; k++)
        chosen[k] = k;
    for (unsigned j = 0; j <= degree; j++)
        weights[j] = 0.0L;
    do { /* the next choice in lexicographic order, until there is none */
        for (unsigned k = 0; k < degree; k++)
            some[k] = arguments[chosen[k]];
        ref_bspline_blossom(knots, degree, span, some, one);
        for (unsigned j = 0; j <= degree; j++)
            weights[j] += one[j];
        choices++;
        for (last = degree; last > 0 && chosen[last - 1] == raised - degree + last - 1;)
            last--;
        if (last > 0) chosen[last - 1]++;
        for (unsigned k = last; last > 0 && k < degree; k++)
            chosen[k] = chosen[k - 1] + 1;
    } while (last > 0);
    for (unsigned j = 0; j <= degree; j++)
        weights[j] /= choices;
}

unsigned ref_bspline_conversion(ref_knots from, unsigned by, ref_knots to, unsigned row,
                                long double *weights)
{
    const double begin = to.u[to.degree], end = to.u[to.controls];
    const double at = fmin(fmax(to.u[row], begin), end);
    const unsigned p = from.degree;
    unsigned span = from.controls - 1;

    while (span > p &&
           (from.u[span] == from.u[span + 1] || from.u[span] > at || from.u[span] >= end))
        span--;
    ref_bspline_raised_blossom(from.u + by, p - by, span - by, to.degree, to.u + row + 1, weights);
    for (unsigned b = by; b > 0; b--) {
        const unsigned num = p - b + 1;
        weights[num] = 0.0L;
        for (unsigned k = num; k-- > 0;) {
            const unsigned i = span - p + k;
            const long double length = (long double)from.u[i + p + 1] - from.u[i + b];
            const long double w = length > 0 ? weights[k] * num / length : 0.0L;
            weights[k] = -w;
            weights[k + 1] += w;
        }
    }
    return span - p;
}

/* The parameter where a derivative along direction k is taken: t, or the knot above it that rounds
   to the same number where the derivative jumps there, unless a knot below t does, too. */
static long double place_of(const ref_bspline *s, unsigned k, unsigned by, long double t)
{
    const double *const u = s->knots[k];
    const unsigned degree = s->degree[k];
    unsigned above = degree, times = 0;

    while (above < s->controls[k] && u[above] <= t)
        above++;
    const double before = u[above > degree ? above - 1 : degree], knot = u[above];
    while (u[above + times] == knot && above + times < s->controls[k])
        times++;
    if (s->rounding == 0 || above == s->controls[k] || times + by <= degree) return t;
    if (s->rounding == 64) return (double)knot == (double)t ? knot : t;
    return (float)knot == (float)t && (float)before != (float)t ? knot : t;
}

int ref_bspline_derivative(const void *user, const long double t[3], const unsigned by[3],
                           long double *value)
{
    const ref_bspline *const s = user;
    const unsigned coords = s->dim + (s->rational ? 1 : 0);
    long double w[3][REF_MAX_DEGREE + 1];
    unsigned first[3] = {0, 0, 0};

    for (unsigned k = 0; k < 3; k++) {
        w[k][0] = 1.0L;
        if (k < s->directions)
            first[k] = ref_bspline_weights(s->knots[k], s->controls[k], s->degree[k], by[k],
                                           place_of(s, k, by[k], t[k]), w[k]);
    }
    for (unsigned c = 0; c < coords; c++)
        value[c] = 0.0L;
    for (unsigned i = 0; i <= s->degree[0]; i++)
        for (unsigned j = 0; j <= s->degree[1]; j++)
            for (unsigned l = 0; l <= s->degree[2]; l++) {
                const double *const p =
                    s->points +
                    (((size_t)(first[0] + i) * s->controls[1] + first[1] + j) * s->controls[2] +
                     first[2] + l) *
                        coords;
                for (unsigned c = 0; c < coords; c++)
                    value[c] += w[0][i] * w[1][j] * w[2][l] * p[c];
            }
    return 1;
}

ref_family ref_bspline_family(const ref_bspline *spline)
{
    const ref_family family = {ref_bspline_derivative, spline, spline->directions, spline->dim,
                               spline->rational};

    return family;
}
