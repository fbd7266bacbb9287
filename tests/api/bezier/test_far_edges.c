/* Edges that collapse to a point far from the origin, of rational surfaces whose weights differ:
   derivatives and normals on them and near them, by every kernel shape; and normals within surfaces
   as far away whose weights fall from one corner to the other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "vertex_fixture.h"
#include "tile_fixture.h"
#include "bezier_ref.h"

static const char *const limits[] = {
    "",
    "class=discrete,local_is_real=1,vendor=NVIDIA",
    "class=discrete",
    "class=integrated,work_group=64,local=16384",
};

enum { SAMPLES = 9, LISTED = 45, LARGEST_NET = 64, NO_SIDE = 4 };

/* The point of the edge, whose products with weights of 10 bits are floats. */
static const double far_point[3] = {1e6, -524288.0, 1040384.0};

/* A patch one side of which is that point: u = 0, u = 1, v = 0 or v = 1; or none, whose weights
   fall from one corner to the opposite one. */
typedef struct far_patch {
    layout l;
    unsigned side;
    bool is_exact;             /* the edge's control points are that to the last bit */
    double *controls, *moved;  /* as given, and relative to the point */
    double extent;             /* the farthest coordinate of a control point from it */
    size_t judged, decided;    /* vertices, and those whose normals have to be right */
    double derivative, normal; /* the worst over their bounds */
} far_patch;

/* What is wanted of a patch: weights of 10^-power .. 10^power, about so large a step from one
   control point to the next. */
typedef struct far_case {
    double power, size;
    bool is_exact;
} far_case;

/* ---- patches ---- */

static double round_to_bits(double x, int bits)
{
    int exponent;
    const double part = frexp(x, &exponent);

    return ldexp(nearbyint(ldexp(part, bits)), exponent - bits);
}

static bool is_on_side(const layout *l, unsigned side, size_t i, size_t k)
{
    const size_t at = side < 2 ? i : k;
    return side != NO_SIDE && at == (side & 1 ? l->d.degree[side / 2] : 0);
}

/* Makes a control point from random numbers. */
static void place_control(far_patch *f, const far_case *as, size_t i, size_t k)
{
    const bool wide = f->l.d.precision == CLSP_F64;
    const bool on_side = is_on_side(&f->l, f->side, i, k);
    const size_t at = (i * (f->l.d.degree[1] + 1) + k) * 4;
    double *const p = f->controls + at, *const q = f->moved + at;
    const double place[3] = {(double)i, (double)k, 0.0};
    const double falling = 1.0 - 2.0 * (double)(i + k) / (f->l.d.degree[0] + f->l.d.degree[1]);
    const double power = as->power * (f->side == NO_SIDE ? falling : random_real());

    p[3] = round_to_bits(pow(10.0, power), as->is_exact ? 10 : wide ? 53 : 24);
    for (unsigned c = 0; c < 3; c++) {
        const double off = on_side ? 0.0 : as->size * (place[c] + 0.3 * p[c]);
        const double x = p[3] * (far_point[c] + off);
        p[c] = wide ? x : (double)(float)x;
        q[c] = fma(-far_point[c], p[3], p[c]);
        f->extent = fmax(f->extent, fabs(q[c]) / p[3]);
    }
    q[3] = p[3];
}

static far_patch make_patch(const clsp_bezier_desc *d, unsigned side, const far_case *as)
{
    far_patch f = {.l = layout_of(d), .side = side, .is_exact = as->is_exact};

    f.controls = random_controls(&f.l, 1);
    f.moved = random_controls(&f.l, 1);
    for (size_t i = 0; i <= d->degree[0]; i++)
        for (size_t k = 0; k <= d->degree[1]; k++)
            place_control(&f, as, i, k);
    return f;
}

static void free_patch(far_patch *f)
{
    free(f->controls);
    free(f->moved);
}

/* ---- bounds ---- */

/* What the rounding errors of a derivative's sum are relative to: magnitudes of its terms'
   coordinates and weights, and all weights that they are differences of. */
typedef struct term_sizes {
    double x, w, weights;
} term_sizes;

static double control(const far_patch *f, size_t i, size_t k, unsigned c)
{
    return f->moved[(i * (f->l.d.degree[1] + 1) + k) * 4 + c];
}

/* Makes the sizes of the difference of orders by[] at control point (i, k). */
static term_sizes difference_sizes(const far_patch *f, size_t i, size_t k, const unsigned by[2])
{
    const unsigned u = by[0] > 0, less[2] = {by[0] - u, by[1] - (by[1] > u ? 1 - u : 0)};
    const size_t i1 = i + u, k1 = k + 1 - u;
    term_sizes s = {.w = control(f, i, k, 3), .weights = control(f, i, k, 3)};

    for (unsigned c = 0; c < 3; c++)
        s.x = fmax(s.x, fabs(control(f, i, k, c)));
    if (by[0] + by[1] == 0) return s;
    const term_sizes a = difference_sizes(f, i, k, less), b = difference_sizes(f, i1, k1, less);
    s = (term_sizes){a.x + b.x, a.w + b.w, a.weights + b.weights};
    if (by[0] + by[1] > 1) return s;
    s.w = fabs(control(f, i1, k1, 3) - control(f, i, k, 3));
    s.x = 0.0;
    for (unsigned c = 0; c < 3; c++)
        s.x = fmax(s.x, fabs(control(f, i1, k1, c) - control(f, i, k, c)));
    return s;
}

/* Makes the sizes of a derivative's terms at parameters t: sums with the derivative's factors. */
static term_sizes sum_sizes(const far_patch *f, const unsigned by[2], const long double t[3])
{
    const unsigned m = f->l.d.degree[0] - by[0], n = f->l.d.degree[1] - by[1];
    const double factor = (by[0] ? m + 1.0 : 1.0) * (by[1] ? n + 1.0 : 1.0);
    double net[LARGEST_NET][3];
    const ref_patch patch = {REF_SURFACE, {m, n, 0}, 3, 0, net[0]};
    ref_vertex r;

    assert_true((m + 1) * (n + 1) <= LARGEST_NET);
    for (size_t i = 0; i <= m; i++)
        for (size_t k = 0; k <= n; k++) {
            const term_sizes s = difference_sizes(f, i, k, by);
            double *const to = net[i * (n + 1) + k];
            to[0] = factor * s.x, to[1] = factor * s.w, to[2] = factor * s.weights;
        }
    assert_true(ref_bezier_vertex_to(&patch, 0, t, &r));
    return (term_sizes){(double)r.point[0], (double)r.point[1], (double)r.point[2]};
}

static double length_of(const long double x[3])
{
    return (double)sqrtl(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

enum { AT, ALONG_U, ALONG_V, MIXED, NUM_ERRORS };

/* A vertex by the oracle, relative to the far point, lengths of its derivatives, and what they may
   be off by (docs/math.md, (23)) where control points are as given, to the rounding of those
   relative to a centre, and what they are taken to be off by since control points may have been
   rounded relative to their distance from the origin before (docs/math.md, 7). */
typedef struct far_vertex {
    ref_vertex r;
    double length[NUM_ERRORS], error[NUM_ERRORS], given[NUM_ERRORS];
} far_vertex;

/* Finds errors of derivatives when control points were rounded relative to such a distance. */
static void find_errors(const far_patch *f, const far_vertex *v, const term_sizes s[NUM_ERRORS],
                        double away, double error[NUM_ERRORS])
{
    const double eps = f->l.d.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const double e = 8.0 * eps, *const length = v->length;

    for (unsigned k = 0; k < NUM_ERRORS; k++) {
        /* centres of patches are half an extent away; half a unit is a sixteenth of 8 */
        error[k] = e * (s[k].x + s[k].w * (f->extent + length[AT]) + s[AT].w * length[k]);
        error[k] += e / 16.0 * away * s[k].weights;
        if (k > AT) error[k] += s[k].w * error[AT];
        if (k == MIXED)
            error[k] += e * (s[ALONG_U].w * length[ALONG_V] + s[ALONG_V].w * length[ALONG_U]) +
                        s[ALONG_U].w * error[ALONG_V] + s[ALONG_V].w * error[ALONG_U];
        error[k] /= (double)v->r.weight;
    }
}

/* Returns what normals of grids take for the weights that their sums are made of at parameters t:
   twice the largest first difference of weights along a direction, with the derivative's factor,
   and inside at most what the weight w there allows. */
static double weights_taken(const far_patch *f, const unsigned by[2], const long double t[3],
                            double w)
{
    const unsigned m = f->l.d.degree[0] - by[0], n = f->l.d.degree[1] - by[1];
    const double degree = by[0] ? m + 1.0 : n + 1.0, x = (double)t[by[0] ? 0 : 1];
    double largest = 0.0;

    for (size_t i = 0; i <= m; i++)
        for (size_t k = 0; k <= n; k++)
            largest = fmax(largest, difference_sizes(f, i, k, by).w);
    return fmin(2.0 * largest * degree, degree * w / fmin(x, 1.0 - x));
}

static far_vertex find_vertex(const far_patch *f, const long double t[3])
{
    static const unsigned orders[NUM_ERRORS][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    const clsp_bezier_desc *const d = &f->l.d;
    const ref_patch patch = {REF_SURFACE, {d->degree[0], d->degree[1], 0}, 3, 1, f->moved};
    far_vertex v;
    term_sizes s[NUM_ERRORS];

    assert_true(ref_bezier_vertex_to(&patch, 2, t, &v.r));
    for (unsigned k = 0; k < NUM_ERRORS; k++)
        s[k] = sum_sizes(f, orders[k], t);
    v.length[AT] = length_of(v.r.point);
    v.length[ALONG_U] = length_of(v.r.du);
    v.length[ALONG_V] = length_of(v.r.dv);
    v.length[MIXED] = length_of(v.r.duv);
    find_errors(f, &v, s, f->extent + (f->is_exact ? 0.0 : far_point[2]), v.error);
    for (unsigned k = ALONG_U; k <= ALONG_V; k++)
        s[k].weights = fmax(s[k].weights, weights_taken(f, orders[k], t, (double)v.r.weight));
    find_errors(f, &v, s, f->extent + far_point[2], v.given);
    return v;
}

/* ---- vertices ---- */

static double derivative_error(const far_patch *f, const far_vertex *v,
                               const unsigned char *vertices, size_t k)
{
    double most = 0.0;

    for (unsigned c = 0; c < 3; c++) {
        const double u = fabs(attribute(&f->l, vertices, k, DU, c) - (double)v->r.du[c]);
        const double w = fabs(attribute(&f->l, vertices, k, DV, c) - (double)v->r.dv[c]);
        most = support_worse(most, u / fmax(v->error[ALONG_U], DBL_MIN));
        most = support_worse(most, w / fmax(v->error[ALONG_V], DBL_MIN));
    }
    return most;
}

/* Makes the normal before it has unit length: S_u x S_v, which on the collapsed edge is 0 and grows
   inwards as S_n x S_uv does, n being the direction across. a and b: which derivatives these are.
 */
static void find_normal(const far_patch *f, const far_vertex *v, bool on_side, long double n[3],
                        unsigned *a, unsigned *b)
{
    const bool mixed_v = on_side && f->side < 2, mixed_u = on_side && f->side >= 2;
    const long double *const x = mixed_u ? v->r.duv : v->r.du;
    const long double *const y = mixed_v ? v->r.duv : v->r.dv;
    const long double sign = on_side && f->side & 1 ? -1.0L : 1.0L;

    for (unsigned c = 0; c < 3; c++)
        n[c] = sign * (x[(c + 1) % 3] * y[(c + 2) % 3] - x[(c + 2) % 3] * y[(c + 1) % 3]);
    *a = mixed_u ? MIXED : ALONG_U;
    *b = mixed_v ? MIXED : ALONG_V;
}

/* Returns by how much errors turn a product of two derivatives of this length. */
static double turn_of(const double error[NUM_ERRORS], const far_vertex *v, unsigned a, unsigned b,
                      double length)
{
    /* an error of each coordinate is one of sqrt(3) times as much */
    return 1.8 * (error[a] * v->length[b] + error[b] * v->length[a]) / fmax(length, DBL_MIN);
}

/* Looks at a vertex. Where what control points may have been rounded by is less than a hundredth of
   a tangent, the normal has to be there. */
static void judge_vertex(far_patch *f, const long double t[3], const unsigned char *vertices,
                         size_t k)
{
    const double eps = f->l.d.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const far_vertex v = find_vertex(f, t);
    const bool on_side = f->side != NO_SIDE && t[f->side / 2] == (f->side & 1 ? 1.0L : 0.0L);
    long double n[3], got[3];
    unsigned a, b;

    if (f->is_exact)
        f->derivative = support_worse(f->derivative, derivative_error(f, &v, vertices, k));
    find_normal(f, &v, on_side, n, &a, &b);
    for (unsigned c = 0; c < 3; c++)
        got[c] = attribute(&f->l, vertices, k, N, c);
    const double length = length_of(n), unit = length_of(got);
    assert_true(unit == 0.0 || fabs(unit - 1.0) < 4.0 * eps);
    f->judged++;
    if (!(turn_of(v.given, &v, a, b, length) < 0.01)) return;
    f->decided++;
    const double bound = turn_of(v.error, &v, a, b, length) + 8.0 * eps;
    for (unsigned c = 0; c < 3; c++)
        f->normal = support_worse(f->normal, (double)fabsl(got[c] - n[c] / length) / bound);
}

static void judge_grid(far_patch *f, const unsigned char *vertices)
{
    for (size_t k = 0; k < SAMPLES * SAMPLES; k++) {
        const long double t[3] = {axis_parameter(&f->l.d.axis[0], k / SAMPLES, SAMPLES),
                                  axis_parameter(&f->l.d.axis[1], k % SAMPLES, SAMPLES)};
        judge_vertex(f, t, vertices, k);
    }
}

/* Looks at a list of parameters on the edge and beside it. */
static void judge_list(far_patch *f, clsp_patch_plan *plan)
{
    static const double depths[] = {0.0, 0.0, 0x1p-20, 0x1p-10, 0x1p-4};
    const bool wide = f->l.d.precision == CLSP_F64;
    const unsigned across = f->side / 2 % 2;
    const uint32_t patches[LISTED] = {0};
    unsigned char *const vertices = guarded(&f->l, LISTED);
    double params[LISTED][2];
    float narrow[LISTED][2];

    for (size_t k = 0; k < LISTED; k++) {
        const double depth = depths[k % 5], x = 0.5 + 0.5 * random_real();
        params[k][across] = f->side & 1 ? 1.0 - depth : depth;
        params[k][1 - across] = k % 5 == 1 ? (double)(float)x : (double)(k / 5) / 8.0;
        for (unsigned c = 0; c < 2; c++)
            narrow[k][c] = (float)params[k][c];
    }
    const clsp_points points = {.num = LISTED,
                                .item = clsp_in_u32(patches, LISTED),
                                .params = wide ? clsp_in_f64(params[0], 2 * LISTED)
                                               : clsp_in_f32(narrow[0], 2 * LISTED)};
    assert_int_equal(clsp_patch_eval_points(
                         plan, &points, host_out(f->l.type, vertices, LISTED * f->l.stride), NULL),
                     CLSP_OK);
    for (size_t k = 0; k < LISTED; k++)
        judge_vertex(f, (const long double[3]){params[k][0], params[k][1]}, vertices, k);
    free_guarded(&f->l, LISTED, vertices);
}

/* Evaluates a patch's grid by the device, by the host and as the patch's own, and a list. */
static void judge_patch(far_patch *f, clsp_patch_plan *plan)
{
    const size_t num = SAMPLES * SAMPLES;
    const uint32_t nums[2] = {SAMPLES, SAMPLES};
    unsigned char *const vertices = guarded(&f->l, num);

    assert_int_equal(load_controls(plan, &f->l, f->controls, 1), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(plan, f->l.d.axis, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(eval_host(plan, &f->l, 0, 1, vertices), CLSP_OK);
    judge_grid(f, vertices);
    assert_int_equal(
        eval_by_caller(plan, (clsp_range){0, 1}, host_out(f->l.type, vertices, num * f->l.stride)),
        CLSP_OK);
    judge_grid(f, vertices);
    judge_list(f, plan);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(nums, 2)), CLSP_OK);
    assert_int_equal(eval_host(plan, &f->l, 0, 1, vertices), CLSP_OK);
    judge_grid(f, vertices);
    free_guarded(&f->l, num, vertices);
}

/* ---- the tests ---- */

static struct {
    size_t judged, decided;
    double derivative, normal;
} seen;

static void add_seen(const far_patch *f, const far_case *as)
{
    seen.judged += f->judged;
    seen.decided += f->decided;
    seen.derivative = support_worse(seen.derivative, f->derivative);
    seen.normal = support_worse(seen.normal, f->normal);
    if (f->derivative <= 1.0 && f->normal <= 1.0) return;
    fail_msg("degrees %u %u, side %u, precision %d, weights 10^%g, size %g, exact %d: derivatives "
             "%.2f and normals %.2f of the bound",
             f->l.d.degree[0], f->l.d.degree[1], f->side, (int)f->l.d.precision, as->power,
             as->size, as->is_exact, f->derivative, f->normal);
}

/* Steps of 1 have a few digits in double and none in float. */
static void judge_sides(clsp_patch_plan *plan, const clsp_bezier_desc *d, unsigned first)
{
    static const far_case cases[] = {{0.0, 1e3, true},  {1.0, 1e3, true},  {2.0, 1e3, false},
                                     {3.0, 1e3, true},  {3.0, 1e3, false}, {1.0, 1.0, true},
                                     {1.0, 1.0, false}, {3.0, 1.0, true}};
    const size_t num = d->precision == CLSP_F64 ? COUNT(cases) : COUNT(cases) - 3;

    for (unsigned i = 0; i < 4 * num; i++) {
        far_patch f;
        if (is_left_out(i + i / 4)) continue;
        seed(first + i);
        f = make_patch(d, i % 4, &cases[i / 4]);
        judge_patch(&f, plan);
        add_seen(&f, &cases[i / 4]);
        free_patch(&f);
    }
}

/* Patches without a collapsed side, where inner normals are above the rounding of control points of
   their own weight, and far below that of the patch's largest. */
static void judge_falling(clsp_patch_plan *plan, const clsp_bezier_desc *d)
{
    const double unit = d->precision == CLSP_F64 ? DBL_EPSILON / (double)FLT_EPSILON : 1.0;

    for (unsigned i = 0; i < 3; i++) {
        const far_case as = {3.0, (double)(300u << i) * unit, false};
        far_patch f = make_patch(d, NO_SIDE, &as);
        judge_patch(&f, plan);
        add_seen(&f, &as);
        free_patch(&f);
    }
}

static void far_edges(clsp_context *ctx, clsp_type precision)
{
    static const unsigned degrees[][2] = {{3, 3}, {2, 4}, {5, 2}, {1, 3}, {2, 2}, {7, 6}};

    for (unsigned i = 0; i < 2 * COUNT(degrees); i++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .degree = {degrees[i / 2][0], degrees[i / 2][1]},
                                    .axis = {{.num = SAMPLES}, {.num = SAMPLES}},
                                    .rational = 1,
                                    .vertex.attributes = DU | DV | N,
                                    .watertight = i % 2};
        clsp_patch_plan *plan;

        if (!in_turn(i + i / 2)) continue;
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
        for (unsigned repeat = 0; repeat < (full() ? 10 : 1); repeat++)
            judge_sides(plan, &d, 100 * i + 5000 * repeat);
        judge_falling(plan, &d);
        clsp_patch_plan_destroy(&plan);
    }
}

static void test_far_edges(void **state)
{
    (void)state;
    each_turn(limits, COUNT(limits), 2, far_edges);
    print_message("worst/bound: derivatives %.2f, normals %.2f; %zu of %zu normals\n",
                  seen.derivative, seen.normal, seen.decided, seen.judged);
    assert_true(3 * seen.decided > seen.judged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_far_edges)};
    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
