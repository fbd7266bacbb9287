/* Vertices of B-splines, one an item: eval_points.clh and edge_normals.clh with the sums of the
   control points that count in the spans of the parameters (docs/math.md, 13). A function's value
   is that of its Bernstein polynomial on the span, so that no knots are subtracted and nothing is
   kept in memory.

   `basis` holds for each direction, one after the other, with s spans, n control points and
   degree p:
     [0]                                s
     [s]                                the number of the first control point that counts
     [2][s + 1]                         the knots where spans begin and the last one ends, in two
                                        parts
     [2][n]                             the factors of first and second differences
     [s][p + 1][p + 1], [s][p][p], ..   Bernstein coefficients of the functions of degree p, p - 1
                                        and p - 2 on each span, a row for each function
   With CLSP_OWN_BASIS that is so for each curve, behind
     [4]                                where its domain begins and ends, in two parts each
   and as far as derivatives go that vertices have.
   The host sets what eval_points.clh asks for.

   An item finds its span by bisection. A value is a chain of convex combinations, (degree + 1)^2
   steps a direction for all; the triangle of Cox and de Boor takes half as many, but needs degree +
   1 numbers at once, which compilers for GPUs keep in memory. Grids need no kernel of their own,
   nor do conversions: their tables are banded ones (cl/patch). */
#include "bernstein_chain.clh"
#include "parameter.clh"

#define OWN_DOMAIN_REALS 4

static real4 own_domain(global const real *basis)
{
    return (real4)(basis[0], basis[1], basis[2], basis[3]);
}

/* Where a parameter lies, a direction each in s0 to s2: the first control point that counts, where
   in `basis` the factors of differences and the coefficients of the functions are, and the
   distances from both ends of the span. */
#define PLACE     uint4 first, uint4 factors, uint4 coefficients, real4 t, real4 s
#define THE_PLACE first, factors, coefficients, t, s

/* ---- places ---- */

/* Counts the reals of a direction. */
static uint direction_reals(uint spans, uint controls, uint degree)
{
    const uint order = degree + 1, less = order - min(order, 1u), least = order - min(order, 2u);
    return 1 + 2 * (spans + 1) + spans + 2 * controls +
           spans * (order * order + less * less + least * least);
}

/* Finds the last span that begins at x + rest or before; begins: [2][spans + 1], in two parts. */
static uint find_span(global const real *begins, uint spans, real x, real rest)
{
    uint low = 0, count = spans;
    while (count > 1) {
        const uint half_count = count / 2, k = low + half_count;
        const bool beyond = ((x - begins[k]) - begins[spans + 1 + k]) + rest < R(0.0);
        if (!beyond) low = k;
        count = beyond ? half_count : count - half_count;
    }
    return low;
}

/* Finds the last number of an increasing list that is x or less. */
static uint find_number(global const real *numbers, uint count, real x)
{
    uint low = 0;
    while (count > 1) {
        const uint half_count = count / 2;
        const bool beyond = numbers[low + half_count] > x;
        if (!beyond) low += half_count;
        count = beyond ? half_count : count - half_count;
    }
    return low;
}

/* Tells whether derivatives of order `by` jump where span k + 1 begins: at a knot that is there so
   often that they are not continuous. numbers: of the first control points that count. */
static bool jumps_behind(global const real *numbers, uint k, uint degree, uint by)
{
    return (uint)(numbers[k + 1] - numbers[k]) + by > degree;
}

/* Finds the span of a parameter x + rest: where something jumps at a knot that x is but for the
   knot's rounding, that which begins there. */
static uint span_of(global const real *knots, global const real *numbers, uint spans, real x,
                    real rest, uint degree, uint by)
{
    const uint k = find_span(knots, spans, x, rest);
    const bool is_next = k + 1 < spans && knots[k + 1] == x && knots[k] != x;
    return is_next && jumps_behind(numbers, k, degree, by) ? k + 1 : k;
}

/* Finds the place of a parameter, known.s0 + known.s1, in one direction, whose reals begin at `at`:
   in s0 to s2 as PLACE names them, *ratio the distances. known.s2: 1 more than the number of the
   first control point that counts, or 0; what rounding takes the parameter out of its span is then
   undone. */
static uint4 find_place(global const real *basis, uint at, uint controls, uint degree, uint by,
                        real4 known, real2 *ratio)
{
    const real x = known.s0, x_rest = known.s1;
    const uint spans = (uint)basis[at], order = degree + 1;
    global const real *const numbers = basis + at + 1, *const knots = numbers + spans;
    global const real *const rest = knots + spans + 1;
    const uint k = known.s2 > R(0.0)
                       ? find_number(numbers, spans, known.s2 - R(1.0))
                       : span_of(knots, numbers, spans, x, x_rest, degree, by);
    const uint after = at + 1 + 2 * (spans + 1) + spans;
    uint4 place = (uint4)((uint)numbers[k], after, after + 2 * controls, 0);
    for (uint less = 0; less < by; less++)
        place.s2 += spans * (order - less) * (order - less);
    place.s2 += k * (order - by) * (order - by);
    ratio->s0 = fmax(((x - knots[k]) - rest[k]) + x_rest, R(0.0));
    ratio->s1 = fmax(((knots[k + 1] - x) + rest[k + 1]) - x_rest, R(0.0));
    if (!(ratio->s0 + ratio->s1 > R(0.0))) ratio->s1 = R(1.0);
    return place;
}

/* ---- functions ---- */

/* Evaluates the function with these coefficients at t : s. */
static real function_value(global const real *coefficients, uint degree, real t, real s)
{
    const uint begin = chain_begin(s, degree), end = chain_end(t, degree);
    combination m = first_combination();
    real q = R(0.0);
    for (uint k = begin; k < end; k++) {
        if (k > begin) m = next_combination(m.s1, degree, k, t, s);
        q = MAD(m.s1, coefficients[k], m.s0 * q);
    }
    return q;
}

/* Evaluates function k of a direction's span. */
#define VALUE_OF(k, coefficients, num, t, s)                                                      \
    function_value(basis + (coefficients) + (k) * (num), (num) - 1, t, s)

/* ---- control points of derivatives ---- */

/* Makes f (b - a). */
static homogeneous step_of(real f, homogeneous b, homogeneous a)
{
    homogeneous d = difference(b, a);
    d.x *= f;
    d.w *= f;
    return d;
}

#define FACTORS     global const real *fu, global const real *fv, global const real *fw, \
                    real4 centre
#define THE_FACTORS fu, fv, fw, centre

/* Takes differences of control points along w, v and u as `by` says, from number `at` on; p is that
   control point, fu, fv and fw where factors of a direction begin, and centre what they are taken
   relative to. */
static homogeneous control_w(global const real *p, FACTORS, uint4 at, uint4 controls, order by)
{
    const homogeneous a = homogeneous_near(p, centre);
    if (CLSP_DIRECTIONS < 3 || by.s2 == 0) return a;
    const homogeneous b = homogeneous_near(p + CLSP_COORDS, centre);
    const homogeneous first = step_of(fw[at.s2], b, a);
    if (by.s2 == 1) return first;
    const homogeneous c = homogeneous_near(p + 2 * CLSP_COORDS, centre);
    return step_of(fw[controls.s2 + at.s2], step_of(fw[at.s2 + 1], c, b), first);
}

static homogeneous control_v(global const real *p, FACTORS, uint4 at, uint4 controls, order by)
{
    const size_t to_v = (size_t)controls.s2 * CLSP_COORDS;
    const homogeneous a = control_w(p, THE_FACTORS, at, controls, by);
    if (CLSP_DIRECTIONS == 1 || by.s1 == 0) return a;
    const homogeneous b = control_w(p + to_v, THE_FACTORS, at, controls, by);
    const homogeneous first = step_of(fv[at.s1], b, a);
    if (by.s1 == 1) return first;
    const homogeneous c = control_w(p + 2 * to_v, THE_FACTORS, at, controls, by);
    return step_of(fv[controls.s1 + at.s1], step_of(fv[at.s1 + 1], c, b), first);
}

static homogeneous control_u(global const real *p, FACTORS, uint4 at, uint4 controls, order by)
{
    const size_t to_u = (size_t)controls.s1 * controls.s2 * CLSP_COORDS;
    const homogeneous a = control_v(p, THE_FACTORS, at, controls, by);
    if (by.s0 == 0) return a;
    const homogeneous b = control_v(p + to_u, THE_FACTORS, at, controls, by);
    const homogeneous first = step_of(fu[at.s0], b, a);
    if (by.s0 == 1) return first;
    const homogeneous c = control_v(p + 2 * to_u, THE_FACTORS, at, controls, by);
    return step_of(fu[controls.s0 + at.s0], step_of(fu[at.s0 + 1], c, b), first);
}

/* ---- sums ---- */

/* Adds f b to a sum and to its running error bound. */
static tracked add_term(tracked sum, real f, tracked b)
{
    tracked next;
    next.d.x = MAD((real4)(f), b.d.x, sum.d.x);
    next.d.w = MAD(f, b.d.w, sum.d.w);
    next.x = MAD(f, b.x, sum.x);
    next.w = MAD(f, b.w, sum.w);
    return next;
}

/* Sums over w the terms of row (i, j). */
IN_PLACE tracked sum_w(PATCH, PLACE, uint i, uint j, order by)
{
    const uint num = CLSP_DIRECTIONS == 3 ? degrees.s2 - by.s2 + 1 : 1;
    uint4 at = first + (uint4)(i, j, 0, 0);
    tracked sum = tracked_of(homogeneous_zero());
    for (uint l = 0; l < num; l++, at.s2++) {
        const size_t number = ((size_t)at.s0 * controls.s1 + at.s1) * controls.s2 + at.s2;
        const real f =
            CLSP_DIRECTIONS < 3 ? R(1.0) : VALUE_OF(l, coefficients.s2, num, t.s2, s.s2);
        const homogeneous d =
            control_u(points + number * CLSP_COORDS, basis + factors.s0, basis + factors.s1,
                      basis + factors.s2, centre, at, controls, by);
        sum = add_term(sum, f, tracked_of(d));
    }
    return sum;
}

/* Sums over v the terms of row i. */
IN_PLACE tracked sum_v(PATCH, PLACE, uint i, order by)
{
    const uint num = CLSP_DIRECTIONS > 1 ? degrees.s1 - by.s1 + 1 : 1;
    tracked sum = tracked_of(homogeneous_zero());
    for (uint j = 0; j < num; j++) {
        const real f =
            CLSP_DIRECTIONS < 2 ? R(1.0) : VALUE_OF(j, coefficients.s1, num, t.s1, s.s1);
        sum = add_term(sum, f, sum_w(THE_PATCH, THE_PLACE, i, j, by));
    }
    return sum;
}

/* Evaluates a derivative, as parameter.clh asks. */
IN_PLACE tracked derivative(PATCH, parameter at, order by)
{
    tracked sum = tracked_of(homogeneous_zero());
    if (by.s0 > degrees.s0 || by.s1 > degrees.s1 || by.s2 > degrees.s2) return sum;
    uint4 first = (uint4)(0), factors = first, coefficients = first;
    real4 t = (real4)(R(0.0)), s = t;
    real2 ratio;
    uint begin = 0;
    uint4 place = find_place(basis, begin, controls.s0, degrees.s0, by.s0,
                             (real4)(known.lo.s0, rest.s0, known.hi.s0, R(0.0)), &ratio);
    first.s0 = place.s0, factors.s0 = place.s1, coefficients.s0 = place.s2;
    t.s0 = ratio.s0, s.s0 = ratio.s1;
#if CLSP_DIRECTIONS > 1
    begin += direction_reals((uint)basis[begin], controls.s0, degrees.s0);
    place = find_place(basis, begin, controls.s1, degrees.s1, by.s1,
                       (real4)(known.lo.s1, rest.s1, known.hi.s1, R(0.0)), &ratio);
    first.s1 = place.s0, factors.s1 = place.s1, coefficients.s1 = place.s2;
    t.s1 = ratio.s0, s.s1 = ratio.s1;
#endif
#if CLSP_DIRECTIONS > 2
    begin += direction_reals((uint)basis[begin], controls.s1, degrees.s1);
    place = find_place(basis, begin, controls.s2, degrees.s2, by.s2,
                       (real4)(known.lo.s2, rest.s2, known.hi.s2, R(0.0)), &ratio);
    first.s2 = place.s0, factors.s2 = place.s1, coefficients.s2 = place.s2;
    t.s2 = ratio.s0, s.s2 = ratio.s1;
#endif
    const uint num = degrees.s0 - by.s0 + 1;
    for (uint i = 0; i < num; i++) {
        const real f = VALUE_OF(i, coefficients.s0, num, t.s0, s.s0);
        sum = add_term(sum, f, sum_v(THE_PATCH, THE_PLACE, i, by));
    }
    return sum;
}

#include "edge_normals.clh"
