#include "conversion.h"

#include <math.h>
#include <string.h>

#include "bernstein.h"

/* ---- checks ---- */

/* Counts the knots from number i on that are equal, up to number end. */
static uint32_t count_from(const clspi_knots *knots, uint32_t i, uint32_t end)
{
    uint32_t k = i;

    while (k < end && knots->u[k] == knots->u[i])
        k++;
    return k - i;
}

/* Looks within the domain for knots of from that are not often enough in to: a spline of degree q
   that has a knot m times is smooth q - m times there, and so has to be one of to's. */
static clspi_knot_defect check_inner(const clspi_conversion *c)
{
    const clspi_knots *const from = c->from, *const to = c->to;
    const uint32_t q = from->degree - c->by, num = from->controls + from->degree + 1;
    const double begin = to->u[to->degree], end = to->u[to->controls];
    const uint32_t last = to->controls + to->degree + 1;
    uint32_t k = 0;

    for (uint32_t i = 0, there; i < num && from->u[i] < end; i += there) {
        there = count_from(from, i, num);
        if (!(from->u[i] > begin)) continue;
        while (to->u[k] < from->u[i]) /* the domain's end is not less */
            k++;
        const uint32_t has = to->u[k] == from->u[i] ? count_from(to, k, last) : 0;
        const uint32_t needs = (there < q + 1 ? there : q + 1) + to->degree - q;
        if (has < needs)
            return (clspi_knot_defect){"is not there often enough for the spline", i, from->u[i]};
        k += has;
    }
    return (clspi_knot_defect){NULL, 0, 0.0};
}

clspi_knot_defect clspi_conversion_check(const clspi_conversion *c)
{
    const clspi_knots *const from = c->from, *const to = c->to;

    if (to->degree + c->by < from->degree)
        return (clspi_knot_defect){"belongs to a degree that is too low for the spline", 0,
                                   to->u[0]};
    if (to->u[to->degree] < from->u[from->degree])
        return (clspi_knot_defect){"begins a domain that is not within the spline's", to->degree,
                                   to->u[to->degree]};
    if (to->u[to->controls] > from->u[from->controls])
        return (clspi_knot_defect){"ends a domain that is not within the spline's", to->controls,
                                   to->u[to->controls]};
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t i = k == 0 ? 0 : to->controls + to->degree;
        if (!isfinite(to->u[i] - from->u[from->degree]))
            return (clspi_knot_defect){"is too far from the domain", i, to->u[i]};
    }
    return check_inner(c);
}

/* ---- rows ---- */

uint32_t clspi_conversion_terms(const clspi_conversion *c)
{
    return c->from->degree - c->by + 1;
}

/* Returns where the weights of a polynomial of degree d begin in scratch. */
static size_t place_of(uint32_t d)
{
    return (size_t)d * (d + 1) / 2;
}

size_t clspi_conversion_scratch(const clspi_conversion *c)
{
    return place_of(c->from->degree + 2);
}

/* Adds to the d + 1 weights `more` a step of the triangle of Cox and de Boor with the argument s,
   times a factor: what the d weights `less` of a blossom are with one argument more. u: the knot
   where the span begins. Nothing is subtracted but knots, and no factor that counts is negative. */
static void add_step(const double *u, uint32_t d, double s, double factor, const double *less,
                     double *more)
{
    const double *const before = u - d + 1;

    for (uint32_t r = 0; r < d; r++) {
        const double part = factor * less[r] / (u[r + 1] - before[r]);
        more[r] += (u[r + 1] - s) * part;
        more[r + 1] += (s - before[r]) * part;
    }
}

/* Takes argument number m, from 1 on, into means of blossoms: of degree d over all choices of d of
   the first m arguments. Those that can still become one of degree q are kept. */
static void take(const double *u, uint32_t q, uint32_t degree, uint32_t m, double s, double *means)
{
    const uint32_t most = m < q ? m : q, skipped = degree - q;

    for (uint32_t d = most;; d--) { /* downwards: of less than d the means before m are needed */
        double *const mean = means + place_of(d);
        const double keep = (double)(m - d) / m;
        for (uint32_t r = 0; r <= d; r++)
            mean[r] = d < m ? keep * mean[r] : 0.0;
        if (d > 0) add_step(u, d, s, (double)d / m, means + place_of(d - 1), mean);
        if (d == 0 || d + skipped <= m) return;
    }
}

/* Finds the piece of the spline that a row's blossom is of: the one where the target function
   begins, in the domain. *at: where that is. */
static const double *find_piece(const clspi_conversion *c, uint32_t row, double *at, uint32_t *span)
{
    const clspi_knots *const from = c->from, *const to = c->to;
    const double begin = to->u[to->degree], end = to->u[to->controls];
    const double first = to->u[row] > begin ? to->u[row] : begin;

    *at = first < end ? first : end;
    *span = clspi_knots_span(from, (clspi_knot_parameter){*at, 0.0});
    if (*at == end && *span > 0 && from->u[from->span[*span]] == end) --*span;
    return from->u + from->span[*span];
}

/* The row's control point is the blossom of the spline, raised to the target's degree, at the
   target knots behind `row` (Ramshaw; Seidel, IEEE CG&A 13(1), 1993), and a raised blossom the mean
   over all choices of as many arguments as the spline's degree. Arguments at the piece's begin and
   below are taken first, downwards, then those above, upwards: any first ones of them are then
   neighbours in knots that refine the spline's, and weights of no blossom are negative. */
uint32_t clspi_conversion_row(const clspi_conversion *c, uint32_t row, double *weights,
                              double *scratch)
{
    const uint32_t q = c->from->degree - c->by, degree = c->to->degree;
    const double *const arguments = c->to->u + row + 1;
    double at;
    uint32_t span, below = 0, m = 1;
    const double *const u = find_piece(c, row, &at, &span);

    while (below < degree && arguments[below] <= at)
        below++;
    scratch[0] = 1.0;
    for (uint32_t k = below; k-- > 0; m++)
        take(u, q, degree, m, arguments[k], scratch);
    for (uint32_t k = below; k < degree; k++, m++)
        take(u, q, degree, m, arguments[k], scratch);
    memcpy(weights, scratch + place_of(q), (q + 1) * sizeof *weights);
    clspi_sum_to_one(weights, q + 1);
    return c->from->span[span] - c->from->degree;
}

/* Turns weights of `num` differences into weights of the values that are subtracted. */
static void spread(double *weights, uint32_t num)
{
    double before = 0.0;

    for (uint32_t k = 0; k < num; k++) {
        const double w = weights[k];
        weights[k] = before - w;
        before = w;
    }
    weights[num] = before;
}

uint32_t clspi_conversion_difference_row(const clspi_conversion *c, uint32_t row, double *weights,
                                         double *scratch)
{
    const uint32_t first = clspi_conversion_row(c, row, weights, scratch);
    uint32_t num = clspi_conversion_terms(c);

    for (uint32_t by = c->by; by > 0; by--) { /* of derivatives, then of their differences */
        for (uint32_t k = 0; k < num; k++)
            weights[k] *= clspi_knots_factor(c->from, by, first + k);
        if (by > 1) spread(weights, num++);
    }
    return first;
}

uint32_t clspi_conversion_full_row(const clspi_conversion *c, uint32_t row, double *weights,
                                   double *scratch)
{
    if (c->by == 0) return clspi_conversion_row(c, row, weights, scratch);
    const uint32_t first = clspi_conversion_difference_row(c, row, weights, scratch);
    spread(weights, c->from->degree);
    return first;
}
