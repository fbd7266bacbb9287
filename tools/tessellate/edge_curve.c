#include "edge_curve.h"

#include <math.h>

enum { MAX_PRODUCT = 1 << 16 }; /* of orders, which bounds the time */

/* A curve in units of the distance about a center, its largest weight 1. */
typedef struct scaled_curve {
    const edge_curve *curve;
    bool reversed;
    double center[3], unit, weight;
} scaled_curve;

static const double *control(const edge_curve *c, bool reversed, size_t i)
{
    return c->points + 4 * (reversed ? c->degree - i : i);
}

static scaled_curve scale_curve(const edge_curve *c, bool reversed, const double center[3],
                                double unit)
{
    scaled_curve s = {c, reversed, {center[0], center[1], center[2]}, unit, 0};
    for (size_t i = 0; i <= c->degree; i++)
        s.weight = fmax(s.weight, c->points[4 * i + 3]);
    return s;
}

/* The homogeneous point (P - center) w / unit and w of a control point. */
static void get_scaled(const scaled_curve *s, size_t i, double point[4])
{
    const double *p = control(s->curve, s->reversed, i);
    point[3] = p[3] / s->weight;
    for (int axis = 0; axis < 3; axis++)
        point[axis] = (p[axis] / p[3] / s->unit - s->center[axis] / s->unit) * point[3];
}

static double length(const double v[3])
{
    return hypot(hypot(v[0], v[1]), v[2]);
}

static bool ends_within(const scaled_curve *a, const scaled_curve *b)
{
    for (int end = 0; end < 2; end++) {
        double p[4], q[4], apart[3];
        get_scaled(a, end ? a->curve->degree : 0, p);
        get_scaled(b, end ? b->curve->degree : 0, q);
        for (int axis = 0; axis < 3; axis++)
            apart[axis] = p[axis] / p[3] - q[axis] / q[3];
        if (!(length(apart) <= 1)) return false;
    }
    return true;
}

static double log_binomial(size_t n, size_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* The distance of polynomial curves of one degree is at most that of their control points, since
   Bernstein polynomials are not negative and sum to 1. */
static bool controls_within(const scaled_curve *a, const scaled_curve *b)
{
    for (size_t i = 0; i <= a->curve->degree; i++) {
        double p[4], q[4];
        get_scaled(a, i, p);
        get_scaled(b, i, q);
        for (int axis = 0; axis < 3; axis++)
            p[axis] -= q[axis];
        if (!(length(p) <= 1)) return false;
    }
    return true;
}

/* Adds the k-th control point of N_a w_b - N_b w_a and that of w_a w_b, which have degree m + n:

       (f g)_k = sum over i + j = k of C(m, i) C(n, j) / C(m + n, k) f_i g_j.
 */
static void add_products(const scaled_curve *a, const scaled_curve *b, size_t k, double sum[4])
{
    const size_t m = a->curve->degree, n = b->curve->degree;
    const double whole = log_binomial(m + n, k);
    for (size_t i = k > n ? k - n : 0; i <= m && i <= k; i++) {
        double p[4], q[4];
        const double factor = exp(log_binomial(m, i) + log_binomial(n, k - i) - whole);
        get_scaled(a, i, p);
        get_scaled(b, k - i, q);
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += factor * (p[axis] * q[3] - q[axis] * p[3]);
        sum[3] += factor * p[3] * q[3];
    }
}

/* A - B = (N_a w_b - N_b w_a) / (w_a w_b). Numerator and denominator are sums of the same Bernstein
   polynomials, with coefficients c_k and e_k > 0, so that the quotient is at most the largest
   |c_k| / e_k. Curves of different degrees or weights are so compared without a reduction of
   either. */
static bool quotients_within(const scaled_curve *a, const scaled_curve *b)
{
    for (size_t k = 0; k <= a->curve->degree + b->curve->degree; k++) {
        double sum[4] = {0, 0, 0, 0};
        add_products(a, b, k, sum);
        if (!(length(sum) <= sum[3])) return false;
    }
    return true;
}

bool edge_curves_within(const edge_curve *a, const edge_curve *b, bool reversed, double distance)
{
    double center[3];
    for (int axis = 0; axis < 3; axis++)
        center[axis] = a->points[axis] / a->points[3];
    const scaled_curve first = scale_curve(a, false, center, distance);
    const scaled_curve second = scale_curve(b, reversed, center, distance);
    if (!ends_within(&first, &second)) return false;
    if (a->degree == b->degree && !a->rational && !b->rational)
        return controls_within(&first, &second);
    return (a->degree + 1) * (b->degree + 1) <= MAX_PRODUCT && quotients_within(&first, &second);
}
