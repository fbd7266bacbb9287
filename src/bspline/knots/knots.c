#include "knots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bernstein.h"

/* ---- knots ---- */

/* What may be divided by: the largest degree over it is a number. */
#define LEAST_SPAN 0x1p-1014

clspi_knot_defect clspi_knots_check(const double *u, uint32_t degree, uint32_t controls)
{
    const uint32_t num = controls + degree + 1;

    for (uint32_t i = 0; i < num; i++) {
        if (!isfinite(u[i])) return (clspi_knot_defect){"is not finite", i, u[i]};
        if (i > 0 && u[i] < u[i - 1])
            return (clspi_knot_defect){"is less than the one before", i, u[i]};
        if (i > 0 && u[i] > u[i - 1] && u[i] - u[i - 1] < LEAST_SPAN)
            return (clspi_knot_defect){"is above the one before by less than 6e-306", i, u[i]};
        if (i > degree && u[i] == u[i - degree - 1])
            return (clspi_knot_defect){"is repeated more often than degree + 1 times", i, u[i]};
    }
    if (!(u[degree] < u[controls]))
        return (clspi_knot_defect){"ends a domain that is empty", controls, u[controls]};
    if (!isfinite(u[num - 1] - u[0]))
        return (clspi_knot_defect){"is too far from the first one", num - 1, u[num - 1]};
    return (clspi_knot_defect){NULL, 0, 0.0};
}

static void fill_uniform(clspi_knots *knots)
{
    const uint32_t p = knots->degree, n = knots->controls;

    for (uint32_t i = 0; i < n + p + 1; i++)
        knots->u[i] = i <= p ? 0.0 : i >= n ? 1.0 : (double)(i - p) / (double)(n - p);
}

bool clspi_knots_make(clspi_knots *knots, const double *u, uint32_t degree, uint32_t controls)
{
    const size_t num = (size_t)controls + degree + 1;

    knots->degree = degree;
    knots->controls = controls;
    knots->u = malloc(num * sizeof *knots->u);
    knots->span = malloc((size_t)(controls - degree) * sizeof *knots->span);
    if (!knots->u || !knots->span) return false;
    if (u)
        memcpy(knots->u, u, num * sizeof *u);
    else
        fill_uniform(knots);
    knots->num_spans = 0;
    for (uint32_t k = degree; k < controls; k++)
        if (knots->u[k] < knots->u[k + 1]) knots->span[knots->num_spans++] = k;
    return true;
}

void clspi_knots_release(clspi_knots *knots)
{
    free(knots->u);
    free(knots->span);
    *knots = (clspi_knots){0};
}

/* ---- parameters ---- */

/* Adds without error: the sum is t + rest. */
static clspi_knot_parameter exact_sum(double a, double b)
{
    const double s = a + b, part = s - a;

    return (clspi_knot_parameter){s, (a - (s - part)) + (b - part)};
}

clspi_knot_parameter clspi_knots_sample(const clspi_knots *knots, double begin, double end,
                                        double a, double last)
{
    const double low = knots->u[knots->degree], high = knots->u[knots->controls];
    const double x = begin * (last - a), y = end * a;
    const clspi_knot_parameter sum = exact_sum(x, y);
    const double lost = fma(begin, last - a, -x) + fma(end, a, -y) + sum.rest;
    const double t = sum.t / last;
    const clspi_knot_parameter at = exact_sum(t, (fma(-t, last, sum.t) + lost) / last);

    if (at.t < low || (at.t == low && at.rest < 0.0)) return (clspi_knot_parameter){low, 0.0};
    if (at.t > high || (at.t == high && at.rest > 0.0)) return (clspi_knot_parameter){high, 0.0};
    return at;
}

/* Tells whether a parameter is below a knot. */
static bool is_below(clspi_knot_parameter at, double knot)
{
    return at.t < knot || (at.t == knot && at.rest < 0.0);
}

uint32_t clspi_knots_span(const clspi_knots *knots, clspi_knot_parameter at)
{
    uint32_t low = 0, count = knots->num_spans;

    while (count > 1) {
        const uint32_t half = count / 2;
        const bool beyond = is_below(at, knots->u[knots->span[low + half]]);
        if (!beyond) low += half;
        count = beyond ? half : count - half;
    }
    return low;
}

uint32_t clspi_knots_sample_span(const clspi_knots *knots, clspi_knot_parameter *at)
{
    const uint32_t k = clspi_knots_span(knots, *at);

    if (k + 1 == knots->num_spans || knots->u[knots->span[k + 1]] != at->t) return k;
    if (knots->span[k + 1] - knots->span[k] + 2 <= knots->degree) return k;
    at->rest = 0.0;
    return k + 1;
}

/* ---- functions ---- */

enum { MAX_DEGREE = 255 }; /* CLSP_BSPLINE_MAX_DEGREE */

/* How far the knots around a parameter are from it: those of the span and before in `below`, those
   behind in `above`, by their numbers from the span on. What rounding leaves is in the rests. */
typedef struct distances {
    double below[MAX_DEGREE], below_rest[MAX_DEGREE], above[MAX_DEGREE], above_rest[MAX_DEGREE];
} distances;

static void find_distances(distances *to, const double *u, uint32_t num, clspi_knot_parameter at)
{
    for (uint32_t k = 0; k < num; k++) {
        const clspi_knot_parameter below = exact_sum(at.t, -*(u - k));
        const clspi_knot_parameter above = exact_sum(u[k + 1], -at.t);
        to->below[k] = below.t;
        to->below_rest[k] = below.rest + at.rest;
        to->above[k] = above.t;
        to->above_rest[k] = above.rest - at.rest;
    }
}

/* Makes the d + 1 values of degree d from those of one less. */
static void next_level(const distances *to, uint32_t d, double *values, double *rests)
{
    double part[MAX_DEGREE], rest[MAX_DEGREE];

    for (uint32_t r = 0; r < d; r++) {
        const uint32_t k = d - 1 - r;
        const clspi_knot_parameter sum = exact_sum(to->above[r], to->below[k]);
        const double lost = sum.rest + (to->above_rest[r] + to->below_rest[k]);
        part[r] = values[r] / sum.t;
        rest[r] = (rests[r] - part[r] * lost) / sum.t;
    }
    values[d] = rests[d] = 0.0;
    for (uint32_t r = 0; r < d; r++) {
        values[r] = to->above[r] * part[r];
        rests[r] = to->above[r] * rest[r] + to->above_rest[r] * part[r];
    }
    for (uint32_t r = 0; r < d; r++) {
        const uint32_t k = d - 1 - r;
        values[r + 1] += to->below[k] * part[r];
        rests[r + 1] += to->below[k] * rest[r] + to->below_rest[k] * part[r];
    }
}

/* Goes through the triangle of Cox and de Boor (Piegl and Tiller, The NURBS Book, A2.2) with a at
   its first levels and b at the num_b last: with a = b the functions' values, else the weights of
   the control points in the blossom of (a, .., a, b, .., b). No difference is taken but of knots
   and parameters, so all are exact to a few roundings relative to themselves. Distances to a knot
   are in all levels, where their roundings would add up: what these lose is carried along. */
static void triangle(const double *u, uint32_t degree, clspi_knot_parameter a,
                     clspi_knot_parameter b, uint32_t num_b, double *values)
{
    double rests[MAX_DEGREE + 1];
    distances to;

    values[0] = 1.0;
    rests[0] = 0.0;
    for (uint32_t d = 1; d <= degree; d++) {
        if (d == 1 || d == degree - num_b + 1)
            find_distances(&to, u, degree, d <= degree - num_b ? a : b);
        next_level(&to, d, values, rests);
    }
    for (uint32_t r = 0; r <= degree; r++)
        values[r] += rests[r];
    clspi_sum_to_one(values, degree + 1);
}

void clspi_knots_values(const clspi_knots *knots, uint32_t span, uint32_t by,
                        clspi_knot_parameter at, double *values)
{
    triangle(knots->u + knots->span[span], knots->degree - by, at, at, 0, values);
}

void clspi_knots_extraction(const clspi_knots *knots, uint32_t span, uint32_t by, double *matrix)
{
    const double *const u = knots->u + knots->span[span];
    const clspi_knot_parameter begin = {u[0], 0.0}, end = {u[1], 0.0};
    const uint32_t order = knots->degree - by + 1;

    for (uint32_t k = 0; k < order; k++) /* its transpose */
        triangle(u, order - 1, begin, end, k, matrix + (size_t)k * order);
    for (uint32_t i = 0; i < order; i++)
        for (uint32_t k = 0; k < i; k++) {
            const double lower = matrix[(size_t)i * order + k];
            matrix[(size_t)i * order + k] = matrix[(size_t)k * order + i];
            matrix[(size_t)k * order + i] = lower;
        }
}

double clspi_knots_factor(const clspi_knots *knots, uint32_t by, uint32_t i)
{
    const uint32_t degree = knots->degree;
    const double length = knots->u[i + degree + 1] - knots->u[i + by];

    return length > 0.0 ? (double)(degree + 1 - by) / length : 0.0;
}
