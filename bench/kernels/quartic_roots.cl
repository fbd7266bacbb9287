/* Roots in [0, 1] of quartics, the derivatives by which Wu and Zou cut cubics where their distance
   to a point is monotone, by both ways that they compare (table 9 of Matrix representation and
   GPU-optimized parallel B-spline computing): Ferrari's formulas, and Newton's method. */
#include "../../cl/rules/real.clh"

/* Marks roots that there are not. */
#define NO_ROOTS ((real4)(R(-1.0)))

static real within(real x)
{
    return x >= R(0.0) && x <= R(1.0) ? x : R(-1.0);
}

/* Finds the largest root of z^3 + a z^2 + b z + c, by Cardano's and Viete's formulas. */
static real largest_root(real a, real b, real c)
{
    const real q = a * a / R(9.0) - b / R(3.0);
    const real r = (R(2.0) * a * a * a - R(9.0) * a * b + R(27.0) * c) / R(54.0);
    if (r * r < q * q * q)
        return R(2.0) * sqrt(q) * cos(acos(-r / (q * sqrt(q))) / R(3.0)) - a / R(3.0);
    const real s = cbrt(fabs(r) + sqrt(r * r - q * q * q)), t = r > R(0.0) ? -s : s;
    return t + (s > R(0.0) ? q / t : R(0.0)) - a / R(3.0);
}

/* Finds the roots of y^2 + s y + t, less `shift`. */
static real2 quadratic_roots(real s, real t, real shift)
{
    const real d = s * s / R(4.0) - t;
    if (!(d >= R(0.0))) return (real2)(R(-1.0));
    const real root = sqrt(d);
    return (real2)(within(root - s / R(2.0) - shift), within(-root - s / R(2.0) - shift));
}

/* Finds roots by Ferrari's formulas, of Bernstein coefficients in powers of t. */
kernel void by_formulas(uint first, uint end, global const real *restrict coefficients, uint num,
                        global real4 *restrict roots)
{
    const uint g = first + (uint)get_global_id(0);
    if (g >= end) return;

    real b[5];
    UNROLL
    for (uint k = 0; k < 5; k++)
        b[k] = coefficients[k * num + g];
    const real lead = b[0] + b[4] - R(4.0) * (b[1] + b[3]) + R(6.0) * b[2];
    const real e = b[0] / lead, d = R(4.0) * (b[1] - b[0]) / lead;
    const real c = R(6.0) * (b[0] - R(2.0) * b[1] + b[2]) / lead;
    const real shift = (b[3] - b[0] + R(3.0) * (b[1] - b[2])) / lead; /* a quarter of its own */
    const real x = shift * shift;
    const real p = c - R(6.0) * x, q = d - R(2.0) * shift * c + R(8.0) * x * shift;
    const real r = e - shift * d + x * c - R(3.0) * x * x;
    const real z = fmax(largest_root(R(2.0) * p, p * p - R(4.0) * r, -q * q), R(0.0));
    const real s = sqrt(z), half_sum = (p + z) / R(2.0);
    const real part = s > R(0.0) ? q / (R(2.0) * s) : R(0.0);
    roots[g] = (real4)(quadratic_roots(s, half_sum - part, shift),
                       quadratic_roots(-s, half_sum + part, shift));
}

/* Evaluates a quartic, s0, and its derivative, s1. */
static real2 value_at(const real *b, real t)
{
    real x[5];
    UNROLL
    for (uint k = 0; k < 5; k++)
        x[k] = b[k];
    UNROLL
    for (uint r = 1; r < 4; r++) {
        UNROLL
        for (uint k = 0; k < 5 - r; k++)
            x[k] = MAD(t, x[k + 1] - x[k], x[k]);
    }
    return (real2)(MAD(t, x[1] - x[0], x[0]), R(4.0) * (x[1] - x[0]));
}

/* Finds roots by Newton's method, from the middles of those of `PARTS` parts at whose ends signs
   differ; a step out of its part is halved. */
kernel void by_newton(uint first, uint end, global const real *restrict coefficients, uint num,
                      global real4 *restrict roots)
{
    enum { PARTS = 16, STEPS = 40 };
    const uint g = first + (uint)get_global_id(0);
    if (g >= end) return;

    real b[5];
    UNROLL
    for (uint k = 0; k < 5; k++)
        b[k] = coefficients[k * num + g];
    real4 found = NO_ROOTS;
    real before = b[0];
    for (uint i = 1; i <= PARTS; i++) {
        real low = CONVERT_REAL(i - 1) / PARTS, high = CONVERT_REAL(i) / PARTS;
        const real after = value_at(b, high).s0;
        real t = R(0.5) * (low + high), step = R(1.0);
        const bool differ = (before < R(0.0)) != (after < R(0.0));
        for (uint n = 0; n < STEPS && differ && fabs(step) > REAL_EPS; n++) {
            const real2 value = value_at(b, t);
            if ((value.s0 < R(0.0)) == (before < R(0.0)))
                low = t;
            else
                high = t;
            const real next = t - value.s0 / value.s1;
            const real to = next > low && next < high ? next : R(0.5) * (low + high);
            step = to - t;
            t = to;
        }
        if (differ) found = (real4)(t, found.s0, found.s1, found.s2);
        before = after;
    }
    roots[g] = found;
}
