/* Pieces of a lower degree: bounds against the oracle, at the least number of parts, of all
   degrees, knots and weights; joins and tangents; hard and hopeless curves; memory of every kind,
   ranges, and what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory_fixture.h"
#include "spline_fixture.h"
#include "support.h"

enum { SAMPLES = 23, TO_MAX = CLSP_REDUCE_MAX_DEGREE, COORDS_MAX = 5 };

static double worst_of_bound;

static clsp_context *host; /* NULL: not needed */

/* The device's context, or where it has no doubles the host's: the host makes pieces in any case.
 */
static clsp_context *any_context(void)
{
    const clsp_context_opts opts = {.device = "host"};
    clsp_context *const ctx = lent_context("");

    if (has_fp64(ctx)) return ctx;
    if (!host && clsp_context_create(&host, NULL, &opts) != CLSP_OK) skip(); /* by limits' class */
    if (!has_fp64(host)) skip();
    return host;
}

static int close_contexts(void **state)
{
    clsp_context_destroy(&host);
    return close_lent(state);
}

/* ---- pieces ---- */

/* Pieces of all curves, as a call has written them. */
typedef struct made {
    clsp_reduction r;
    clsp_reduction_size size;
    uint32_t dim, coords;
    size_t reals;         /* of a piece's control points */
    double *controls;     /* [num_pieces][reals] */
    unsigned char *bytes; /* the same, in the plan's precision */
    double *params, *bounds;
    uint32_t *patches;
} made;

static void made_free(made *m)
{
    free(m->controls);
    free(m->bytes);
    free(m->params);
    free(m->bounds);
    free(m->patches);
}

/* Counts and makes the pieces of some curves. */
static made make(clsp_context *ctx, clsp_patch_plan *plan, const spline *s, const clsp_reduction *r,
                 clsp_range range)
{
    const bool f64 = s->d.precision == CLSP_F64;
    made m = {.r = *r, .dim = s->l.dim};
    clsp_tiling tiling;

    m.coords = m.dim + (s->d.rational && !r->polynomial);
    m.reals = (r->degree + 1) * m.coords;
    assert_ok(ctx, clsp_patch_set_reduction(plan, r, &m.size));
    assert_ok(ctx,
              clsp_patch_reduce(plan, range, &(clsp_pieces){0}, &(clsp_run){.tiling = &tiling}));
    assert_int_equal(tiling.elements.count % m.reals, 0);
    assert_true(tiling.num_tiles == 1 && tiling.elements.first == 0);
    const size_t num = m.size.num_pieces = tiling.elements.count / m.reals;
    m.controls = malloc((num * m.reals + 1) * sizeof(double));
    m.bytes = malloc((num * m.reals + 1) * sizeof(double));
    m.params = malloc((2 * num + 1) * sizeof(double));
    m.bounds = malloc((num + 1) * sizeof(double));
    m.patches = malloc((num + 1) * sizeof(uint32_t));
    const clsp_pieces pieces = {.controls =
                                    f64 ? clsp_out_f64((double *)(void *)m.bytes, num * m.reals)
                                        : clsp_out_f32((float *)(void *)m.bytes, num * m.reals),
                                .params = clsp_out_f64(m.params, 2 * num),
                                .bounds = clsp_out_f64(m.bounds, num),
                                .patches = clsp_out_u32(m.patches, num)};
    assert_ok(ctx, clsp_patch_reduce(plan, range, &pieces, NULL));
    for (size_t i = 0; i < num * m.reals; i++)
        m.controls[i] =
            f64 ? ((double *)(void *)m.bytes)[i] : (double)((float *)(void *)m.bytes)[i];
    return m;
}

/* ---- the oracle ---- */

static ref_vertex at_curve(const spline *s, const double *controls, long double t, unsigned order)
{
    const ref_bspline curve = exact_spline_of(s, controls);
    const ref_family family = ref_bspline_family(&curve);
    ref_vertex v;

    assert_true(ref_vertex_to(&family, order, (long double[3]){t, 0, 0}, &v));
    return v;
}

static ref_vertex at_piece(const made *m, const double *piece, long double t, unsigned order)
{
    const ref_patch patch = {.form = REF_CURVE,
                             .degree = {m->r.degree},
                             .dim = m->dim,
                             .rational = m->coords > m->dim,
                             .points = piece};
    ref_vertex v;

    assert_true(ref_bezier_vertex_to(&patch, order, (long double[3]){t, 0, 0}, &v));
    return v;
}

static double apart(const long double *x, const long double *y, uint32_t dim)
{
    long double sum = 0;

    for (uint32_t c = 0; c < dim; c++)
        sum += (x[c] - y[c]) * (x[c] - y[c]);
    return (double)sqrtl(sum);
}

/* Returns the largest distance of a piece and its part that is found within the piece. A parameter
   next to a knot would be of the neighbour, so that ends are left to joins. */
static double error_of(const spline *s, const double *controls, const made *m, size_t i)
{
    double most = 0;

    for (int k = 1; k < SAMPLES; k++) {
        const long double t = (long double)k / SAMPLES;
        const long double u = m->params[2 * i] + t * (m->params[2 * i + 1] - m->params[2 * i]);
        const ref_vertex a = at_curve(s, controls, u, 0);
        const ref_vertex b = at_piece(m, m->controls + i * m->reals, t, 0);
        most = fmax(most, apart(a.point, b.point, m->dim));
    }
    return most;
}

/* Fails unless bounds are bounds within the tolerance and pieces follow each other. */
static void judge(const spline *s, const double *controls, const made *m, double tolerance)
{
    const clsp_bspline_desc *const d = &s->d;
    double most = 0;

    for (size_t i = 0; i < m->size.num_pieces; i++) {
        const size_t curve = m->patches[i];
        const double bound = m->bounds[i];
        const double error = error_of(s, controls + curve * s->l.controls, m, i);
        most = fmax(most, bound);
        if (!(error <= bound && bound <= tolerance))
            fail_msg("degree %u to %u, dim %u, rational %u, piece %zu of curve %zu: %g off, bound "
                     "%g, tolerance %g",
                     d->degree[0], m->r.degree, m->dim, d->rational, i, curve, error, bound,
                     tolerance);
        worst_of_bound = support_worse(worst_of_bound, error / bound);
        assert_true(m->params[2 * i] < m->params[2 * i + 1]);
        const bool begins = i == 0 || m->patches[i - 1] != curve;
        if (begins) assert_true(m->params[2 * i] == s->knots[0][d->degree[0]]);
        if (!begins) assert_true(m->params[2 * i] == m->params[2 * i - 1]);
        if (i + 1 == m->size.num_pieces || m->patches[i + 1] != curve)
            assert_true(m->params[2 * i + 1] == s->knots[0][d->num_controls[0]]);
    }
    if (!(most <= m->size.bound && m->size.bound <= fmin(2 * most, tolerance)))
        fail_msg("degree %u to %u: a bound is %.17g, the largest said %.17g, the tolerance %g",
                 d->degree[0], m->r.degree, most, m->size.bound, tolerance);
}

/* Fails unless pieces meet bit for bit; jumps: knots where the curve does not. */
static void judge_joins(const made *m, bool jumps)
{
    size_t gaps = 0;

    for (size_t i = 1; i < m->size.num_pieces; i++)
        gaps += m->patches[i - 1] == m->patches[i] &&
                memcmp(m->controls + i * m->reals, m->controls + i * m->reals - m->coords,
                       m->coords * sizeof(double)) != 0;
    assert_int_equal(gaps > 0, jumps && m->size.num_pieces > 1);
}

/* Fails unless pieces have the curve's tangents where they begin and end. */
static void judge_tangents(const spline *s, const double *controls, const made *m, double eps)
{
    for (size_t i = 0; i < m->size.num_pieces; i++) {
        const double length = m->params[2 * i + 1] - m->params[2 * i];
        for (int end = 0; end < 2; end++) {
            const double *const piece = m->controls + i * m->reals;
            const long double near = end ? 1 - 0x1p-30L : 0x1p-30L; /* within the span */
            const ref_vertex a = at_curve(s, controls + m->patches[i] * s->l.controls,
                                          m->params[2 * i] + near * length, 1);
            const ref_vertex b = at_piece(m, piece, end, 1);
            long double du[4];
            for (uint32_t c = 0; c < m->dim; c++)
                du[c] = a.du[c] * length;
            assert_true(apart(du, b.du, m->dim) < eps);
        }
    }
}

/* ---- curves of all kinds ---- */

static spline curve_of(clsp_type precision, uint32_t degree, uint32_t num, knot_kind kind,
                       uint32_t rational)
{
    const uint32_t degrees[3] = {degree}, nums[3] = {num};

    return make_spline(precision, 1, degrees, nums, kind, rational, P);
}

/* Makes pieces of one kind of curves, and looks at all of them. */
static void check_kind(clsp_context *ctx, spline *s, const clsp_reduction *r, knot_kind kind)
{
    enum { CURVES = 2 };
    double *const controls = random_controls(&s->l, CURVES);
    clsp_patch_plan *plan = plan_of(ctx, s, controls, CURVES);
    made m = make(ctx, plan, s, r, (clsp_range){0, CURVES});

    judge(s, controls, &m, r->tolerance);
    judge_joins(&m, kind == JUMPING);
    if (!r->free_tangents && r->degree > 2)
        judge_tangents(s, controls, &m, s->d.precision == CLSP_F64 ? 1e-6 : 1e-4);
    made_free(&m);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void kinds(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t cases[][2] = {{2, 1}, {3, 1}, {3, 2}, {4, 3},   {5, 2},
                                        {7, 3}, {6, 4}, {9, 5}, {16, 15}, {12, 3}};

    for (size_t i = 0; i < COUNT(cases); i += tiny() ? 3 : 1)
        for (uint32_t n = 0; n < 2 * NUM_KINDS; n++) {
            const knot_kind kind = (knot_kind)(n / 2);
            const uint32_t degree = cases[i][0], rational = n % 2;
            if (!full() && i > 5 && n % 3 != i % 3) continue;
            const uint32_t num = kind == JUMPING ? 2 * degree + 3 : degree + (n < 2 ? 1 : 4);
            spline s = curve_of(precision, degree, num, kind, rational);
            const clsp_reduction r = {.degree = cases[i][1],
                                      .polynomial = (n + (uint32_t)i) / 2 % 2,
                                      .free_tangents = (n + (uint32_t)i) / 3 % 2,
                                      .tolerance = i % 2 > 0 ? 1e-2 : 1e-3};
            check_kind(ctx, &s, &r, kind);
        }
}

static void test_kinds(void **state)
{
    (void)state;
    seed(30);
    kinds(any_context(), CLSP_F32);
    kinds(any_context(), CLSP_F64);
    print_message("worst/bound %.3f\n", worst_of_bound);
}

/* ---- the least number ---- */

/* Returns the largest difference, at samples, of a Bezier curve and n pieces that have its ends, of
   degree 3 its derivatives too: by the cubic of Hermite, or the chord. */
static double error_of_parts(const spline *s, const double *controls, uint32_t to, uint32_t n)
{
    double most = 0;

    for (uint32_t i = 0; i < n; i++) {
        const long double a = (long double)i / n, b = (long double)(i + 1) / n, h = b - a;
        const ref_vertex from = at_curve(s, controls, a, 1), till = at_curve(s, controls, b, 1);
        for (int k = 1; k < 4 * SAMPLES; k++) {
            const long double t = (long double)k / (4 * SAMPLES), u = 1 - t;
            const ref_vertex x = at_curve(s, controls, a + t * h, 0);
            long double y[4];
            for (uint32_t c = 0; c < s->l.dim; c++)
                y[c] = to == 1 ? u * from.point[c] + t * till.point[c]
                               : u * u * (1 + 2 * t) * from.point[c] +
                                     t * t * (1 + 2 * u) * till.point[c] +
                                     t * u * h * (u * from.du[c] - t * till.du[c]);
            most = fmax(most, apart(x.point, y, s->l.dim));
        }
    }
    return most;
}

/* No fewer parts would do: at one less the difference is above what the tolerance and the slack of
   bounds allow. */
static void test_least(void **state)
{
    static const uint32_t cases[][2] = {{2, 1}, {5, 1}, {4, 3}, {7, 3}};
    static const double tolerances[] = {0.3, 1e-2, 1e-4};
    clsp_context *const ctx = any_context();

    (void)state;
    seed(31);
    for (size_t i = 0; i < COUNT(cases) * COUNT(tolerances); i++) {
        const uint32_t degree = cases[i / 3][0], to = cases[i / 3][1];
        const clsp_reduction r = {.degree = to, .tolerance = tolerances[i % 3]};
        spline s = curve_of(CLSP_F64, degree, degree + 1, CLAMPED, 0);
        for (uint32_t k = 0; k <= degree; k++) {
            s.knots[0][k] = 0;
            s.knots[0][degree + 1 + k] = 1;
        }
        double *const controls = random_controls(&s.l, 1);
        clsp_patch_plan *plan = plan_of(ctx, &s, controls, 1);
        made m = make(ctx, plan, &s, &r, (clsp_range){0, 1});
        const uint32_t n = (uint32_t)m.size.num_pieces;
        assert_true(error_of_parts(&s, controls, to, n) <= r.tolerance);
        if (n > 1) assert_true(error_of_parts(&s, controls, to, n - 1) > 0.92 * r.tolerance);
        made_free(&m);
        clsp_patch_plan_destroy(&plan);
        free(controls);
    }
}

/* Quadratics of cubics: where the third difference is D, n are as many as sqrt(2) - 2 + n parts of
   a length at whose middle ones the error is sqrt(3) / 36 and at whose ends 4 / 27 sqrt(1 / 8) of
   D. They join smoothly, and keep the tangents at the ends. */
static void test_quadratics(void **state)
{
    clsp_context *const ctx = any_context();
    const double controls[] = {250, 0, 250, 138, 138, 250, 0, 250};
    const double difference = sqrt(2.0) * 86, ends = 4 / 27.0 * sqrt(0.125);
    clsp_patch_plan *plan;
    spline s = curve_of(CLSP_F64, 3, 4, CLAMPED, 0);

    (void)state;
    for (uint32_t k = 0; k < 8; k++)
        s.knots[0][k] = k / 4;
    s.d.dim = s.l.dim = s.l.d.dim = 2;
    s.l.controls = 8;
    plan = plan_of(ctx, &s, controls, 1);
    const clsp_reduction one = {.degree = 2, .tolerance = 20}; /* with its tangents it is 15 off */
    made single = make(ctx, plan, &s, &one, (clsp_range){0, 1});
    assert_int_equal(single.size.num_pieces, 1);
    assert_true(fabs(single.controls[2] - 250) < 1e-9 && fabs(single.controls[3] - 250) < 1e-9);
    made_free(&single);
    for (double tolerance = 5; tolerance > 1e-6; tolerance /= 3) {
        const clsp_reduction r = {.degree = 2, .tolerance = tolerance};
        made m = make(ctx, plan, &s, &r, (clsp_range){0, 1});
        const double n = (double)m.size.num_pieces;
        const double least = cbrt(ends * difference / tolerance) + 2 - sqrt(2.0);
        judge(&s, controls, &m, tolerance);
        judge_joins(&m, false);
        assert_true(n >= fmin(2, ceil(least)) && n <= ceil(least * 1.04));
        const double *const x = m.controls, *const y = x + m.size.num_pieces * m.reals - 2;
        assert_true(fabs(x[2] - x[0]) < 1e-12 * x[3] && fabs(y[-1] - y[1]) < 1e-12);
        for (size_t i = 1; i < m.size.num_pieces && n > 2; i++) { /* equal derivatives */
            const double *const p = x + i * m.reals;
            const double before = m.params[2 * i] - m.params[2 * i - 2];
            const double behind = m.params[2 * i + 1] - m.params[2 * i];
            for (int c = 0; c < 2; c++)
                assert_true(fabs((p[c] - p[c - 4]) / before - (p[2 + c] - p[c]) / behind) < 1e-8);
        }
        made_free(&m);
    }
    clsp_patch_plan_destroy(&plan);
}

/* ---- hard curves ---- */

/* Curves of degree 5: points that are one, no tangents at the ends, a cusp, a straight line. */
enum { HARD = 4, ORDER = 6, HARD_REALS = ORDER * 3 };

static void hard_controls(double *to, double scale, double far)
{
    static const double x[HARD][ORDER][3] = {
        {{0}},
        {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {3, 1, 2}, {3, 1, 2}, {3, 1, 2}},
        {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 0}, {1, 1, 1}},
        {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {5, 5, 5}}};

    for (size_t i = 0; i < HARD * HARD_REALS; i++)
        to[i] = (x[i / HARD_REALS][i / 3 % ORDER][i % 3] + far) * scale;
}

/* Everywhere and at every size the bound holds; it is the tolerance's unless rounding is more. */
static void test_hard(void **state)
{
    static const struct {
        double scale, far, tolerance, most;
    } cases[] = {{1, 0, 1e-3, 1e-3},
                 {1, 1e6, 1e-3, 1e-3},
                 {1, 1e9, 1e-3, 1e-3},
                 {1e300, 0, 1e297, 1e297},
                 {1e-300, 0, 1e-303, 1e-303},
                 {1, 0, 1e-300, 2e-12},
                 {1, 1e9, 1e-9, 1e-5},
                 {5e-324 / 0x1p-1074, 0, 1e-2, 1e-2},
                 {0x1p-1060, 0, 0x1p-1062, 0x1p-1062}};
    clsp_context *const ctx = any_context();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (uint32_t to = 2; to < 5; to++) {
            double controls[HARD * HARD_REALS];
            const clsp_reduction r = {.degree = to, .tolerance = cases[i].tolerance};
            spline s = curve_of(CLSP_F64, ORDER - 1, ORDER, CLAMPED, 0);
            hard_controls(controls, cases[i].scale, cases[i].far);
            clsp_patch_plan *plan = plan_of(ctx, &s, controls, HARD);
            made m = make(ctx, plan, &s, &r, (clsp_range){0, HARD});
            judge(&s, controls, &m, cases[i].most);
            judge_joins(&m, false);
            assert_int_equal(m.patches[1], 1); /* points that are one are one piece */
            made_free(&m);
            clsp_patch_plan_destroy(&plan);
        }
}

/* A number that is not finite, or a weight that is none, is in its own curve's pieces alone. */
static void test_hopeless(void **state)
{
    clsp_context *const ctx = any_context();
    const double wrong[] = {(double)NAN, (double)INFINITY, -1};

    (void)state;
    seed(33);
    for (size_t k = 0; k < COUNT(wrong); k++) {
        const uint32_t rational = k == 2;
        const clsp_reduction r = {.degree = 3, .tolerance = 1e-3};
        spline s = curve_of(CLSP_F64, 5, 6, CLAMPED, rational);
        const size_t reals = s.l.controls;
        double *const controls = random_controls(&s.l, 3);
        clsp_patch_plan *plan = plan_of(ctx, &s, controls, 3);
        made right = make(ctx, plan, &s, &r, (clsp_range){2, 1});
        controls[reals + 2 * s.l.coords + (rational ? 3 : 1)] = wrong[k];
        if (rational) { /* in host memory weights are looked at */
            assert_status(
                ctx, clsp_patch_set_control_points(plan, 3, clsp_in_f64(controls, 3 * reals), NULL),
                CLSP_ERROR_WEIGHTS);
        } else {
            assert_ok(ctx, clsp_patch_set_control_points(plan, 3, clsp_in_f64(controls, 3 * reals),
                                                         NULL));
            clsp_reduction_size size;
            assert_ok(ctx, clsp_patch_set_reduction(plan, &r, &size));
            assert_true(isinf(size.bound));
            made one = make(ctx, plan, &s, &r, (clsp_range){1, 1});
            assert_int_equal(one.size.num_pieces, 1);
            assert_true(isinf(one.bounds[0]) && one.patches[0] == 1);
            made_free(&one);
        }
        made other = make(ctx, plan, &s, &r, (clsp_range){2, 1});
        assert_int_equal(other.size.num_pieces, right.size.num_pieces);
        assert_memory_equal(other.controls, right.controls,
                            right.size.num_pieces * right.reals * sizeof(double));
        made_free(&other);
        made_free(&right);
        clsp_patch_plan_destroy(&plan);
        free(controls);
    }
}

/* A segment has no more pieces than it may have. */
static void test_most(void **state)
{
    clsp_context *const ctx = any_context();
    const double controls[] = {0, 0, 1e9, 1, 0, 2};
    const clsp_bezier_desc desc = {
        .form = CLSP_BEZIER_CURVE, .precision = CLSP_F64, .degree = {2}, .dim = 2};
    clsp_patch_plan *plan;
    clsp_reduction_size size;

    (void)state;
    if (tiny()) skip();
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &desc));
    assert_ok(ctx, clsp_patch_set_control_points(plan, 1, clsp_in_f64(controls, 6), NULL));
    assert_ok(ctx, clsp_patch_set_reduction(plan, &(clsp_reduction){.degree = 1, .tolerance = 1e-5},
                                            &size));
    assert_int_equal(size.num_pieces, CLSP_REDUCE_MAX_PIECES);
    assert_true(size.bound > 4e-4 && size.bound < 6e-4); /* 1e9 / 2 / 2^40 */
    clsp_patch_plan_destroy(&plan);
}

/* ---- knots of curves' own ---- */

static void test_own_knots(void **state)
{
    enum { CURVES = 3, NUM = 9, DEGREE = 5, KNOTS = NUM + DEGREE + 1 };
    clsp_context *const ctx = any_context();
    const clsp_reduction r = {.degree = 3, .tolerance = 1e-4};
    const uint32_t degree[3] = {DEGREE}, num[3] = {NUM};
    double knots[CURVES * KNOTS];
    spline s[CURVES];

    (void)state;
    seed(34);
    for (size_t i = 0; i < CURVES; i++) { /* of which the last two have fewer spans */
        s[i] = make_spline(CLSP_F64, 1, degree, num, i == 0 ? CLAMPED : REPEATED, 0, P);
        memcpy(knots + i * KNOTS, s[i].knots[0], KNOTS * sizeof(double));
    }
    double *const controls = random_controls(&s[0].l, CURVES);
    clsp_patch_plan *plan = plan_of(ctx, &s[0], controls, CURVES);
    assert_ok(ctx, clsp_bspline_set_knots(plan, CURVES, clsp_in_f64(knots, COUNT(knots))));
    size_t all = 0;
    for (size_t i = 0; i < CURVES; i++) {
        made m = make(ctx, plan, &s[i], &r, (clsp_range){i, 1});
        all += m.size.num_pieces;
        for (size_t k = 0; k < m.size.num_pieces; k++) {
            assert_int_equal(m.patches[k], i);
            assert_true(error_of(&s[i], controls + i * s[0].l.controls, &m, k) <= m.bounds[k]);
            assert_true(m.bounds[k] <= r.tolerance);
        }
        judge_joins(&m, false);
        made_free(&m);
    }
    made m = make(ctx, plan, &s[0], &r, (clsp_range){0, CURVES});
    assert_int_equal(m.size.num_pieces, all);
    made_free(&m);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

/* ---- surfaces ---- */

/* Returns the largest distance of a surface's piece and its part at samples within. */
static double patch_error(const spline *s, const double *controls, const double *piece,
                          const double params[4], const uint32_t degree[2])
{
    enum { SIDE = 6 };
    const ref_bspline surface = exact_spline_of(s, controls);
    const ref_family family = ref_bspline_family(&surface);
    const ref_patch patch = {.form = REF_SURFACE,
                             .degree = {degree[0], degree[1]},
                             .dim = s->l.dim,
                             .rational = (int)s->d.rational,
                             .points = piece};
    double most = 0;

    for (int k = 0; k < SIDE * SIDE; k++) {
        const long double t[2] = {(k % SIDE + 0.5L) / SIDE, (k / SIDE + 0.5L) / SIDE};
        ref_vertex a, b;
        long double u[3] = {0};
        for (int d = 0; d < 2; d++)
            u[d] = params[2 * d] + t[d] * (params[2 * d + 1] - params[2 * d]);
        assert_true(ref_vertex_to(&family, 0, u, &a));
        assert_true(ref_bezier_vertex_to(&patch, 0, (long double[3]){t[0], t[1], 0}, &b));
        most = fmax(most, apart(a.point, b.point, s->l.dim));
    }
    return most;
}

/* Fails unless neighbours have the same edges: pieces are rows along u, v fastest. */
static void judge_edges(const double *controls, const double *params, size_t num,
                        const uint32_t degree[2], uint32_t coords)
{
    const size_t row = (degree[1] + 1) * coords, reals = (degree[0] + 1) * row;

    for (size_t i = 0; i < num; i++)
        for (size_t j = i + 1; j < num; j++) {
            const double *const p = params + 4 * i, *const q = params + 4 * j;
            const double *const x = controls + i * reals, *const y = controls + j * reals;
            if (p[1] == q[0] && p[2] == q[2]) { /* along u */
                assert_true(p[3] == q[3]);
                assert_memory_equal(x + reals - row, y, row * sizeof(double));
            }
            if (p[0] == q[0] && p[3] == q[2]) /* along v */
                for (size_t k = 0; k <= degree[0]; k++)
                    assert_memory_equal(x + (k + 1) * row - coords, y + k * row,
                                        coords * sizeof(double));
        }
}

/* Moves the points of a rational surface away from the origin, and lets weights differ by up to
   `ratio` to either side. */
static void move_surface(const spline *s, double *net, size_t points, double by, double ratio)
{
    const bool f64 = s->d.precision == CLSP_F64;
    const uint32_t coords = s->l.coords;

    for (size_t i = 0; i < points; i++) {
        const double w = net[i * coords + coords - 1], to = pow(ratio, 2 * w - 2);
        for (uint32_t c = 0; c < coords; c++) {
            const double x = c + 1 < coords ? (net[i * coords + c] / w + by) * to : to;
            net[i * coords + c] = f64 ? x : (double)(float)x;
        }
    }
}

/* Makes pieces of surfaces, judges those of each by itself and finds them in those of all. Rational
   ones are near the origin, far from it, and of weights that differ. */
static void check_surfaces(clsp_context *ctx, spline *s, const clsp_reduction *r)
{
    enum { SURFACES = 3 };
    const bool f64 = s->d.precision == CLSP_F64;
    const size_t real = clsp_type_bytes(s->d.precision);
    double *const net = random_controls(&s->l, SURFACES);
    const size_t num_points = s->l.controls / s->l.coords;
    if (s->d.rational) move_surface(s, net + s->l.controls, num_points, f64 ? 1e4 : 100, 2);
    if (s->d.rational) move_surface(s, net + 2 * s->l.controls, num_points, 0, tiny() ? 4 : 30);
    clsp_patch_plan *plan = plan_of(ctx, s, net, SURFACES);
    uint32_t degree[2];
    clsp_reduction_size size;

    for (int k = 0; k < 2; k++)
        degree[k] = r->degree < s->d.degree[k] ? r->degree : s->d.degree[k];
    assert_ok(ctx, clsp_patch_set_reduction(plan, r, &size));
    assert_true(size.bound <= r->tolerance);
    const size_t reals = (degree[0] + 1) * (degree[1] + 1) * s->l.coords, num = size.num_pieces;
    unsigned char *const bytes = malloc(2 * num * reals * real);
    double *const points = malloc(num * reals * sizeof *points);
    double *const params = malloc(num * 4 * sizeof *params);
    double *const bounds = malloc(num * sizeof *bounds);
    uint32_t *const patches = malloc(num * sizeof *patches);
    size_t before = 0;
    double most = 0;
    for (size_t i = 0; i <= SURFACES; i++) { /* the last time all of them */
        const clsp_range range = {i < SURFACES ? i : 0, i < SURFACES ? 1 : SURFACES};
        unsigned char *const to = bytes + (i < SURFACES ? before : num) * reals * real;
        clsp_tiling tiling;
        assert_ok(
            ctx, clsp_patch_reduce(plan, range, &(clsp_pieces){0}, &(clsp_run){.tiling = &tiling}));
        const size_t some = tiling.elements.count / reals;
        const clsp_pieces pieces = {.controls =
                                        f64 ? clsp_out_f64((double *)(void *)to, some * reals)
                                            : clsp_out_f32((float *)(void *)to, some * reals),
                                    .params = clsp_out_f64(params, 4 * some),
                                    .bounds = clsp_out_f64(bounds, some),
                                    .patches = clsp_out_u32(patches, some)};
        assert_ok(ctx, clsp_patch_reduce(plan, range, &pieces, NULL));
        for (size_t k = 0; k < some * reals; k++)
            points[k] = f64 ? ((double *)(void *)to)[k] : (double)((float *)(void *)to)[k];
        for (size_t k = 0; k < some && i < SURFACES; k++) {
            const double error =
                patch_error(s, net + i * s->l.controls, points + k * reals, params + 4 * k, degree);
            most = fmax(most, bounds[k]);
            if (!(error <= bounds[k] && bounds[k] <= size.bound && patches[k] == i))
                fail_msg("degrees %u, %u to %u: piece %zu of surface %zu is %g off, bound %g",
                         s->d.degree[0], s->d.degree[1], r->degree, k, i, error, bounds[k]);
        }
        if (i < SURFACES) judge_edges(points, params, some, degree, s->l.coords);
        before += i < SURFACES ? some : 0;
    }
    assert_int_equal(before, num);
    assert_true(size.bound <= most * 1.001);
    assert_memory_equal(bytes, bytes + num * reals * real, num * reals * real);
    clsp_patch_plan_destroy(&plan);
    free(bytes);
    free(points);
    free(params);
    free(bounds);
    free(patches);
    free(net);
}

static void test_surfaces(void **state)
{
    static const uint32_t cases[][4] = {{4, 5, 3, 1}, {3, 2, 2, 1}, {2, 6, 3, 3},
                                        {1, 2, 1, 4}, {5, 5, 2, 1}, {7, 3, 3, 1}};

    (void)state;
    seed(38);
    for (size_t i = 0; i < COUNT(cases); i += tiny() ? 2 : 1)
        for (uint32_t k = 0; k < 4; k++) {
            const clsp_type precision = k % 2 ? CLSP_F64 : CLSP_F32;
            const uint32_t degree[3] = {cases[i][0], cases[i][1]}, rational = k / 2;
            const uint32_t num[3] = {degree[0] + cases[i][3], degree[1] + cases[i][3]};
            const clsp_reduction r = {
                .degree = cases[i][2], .free_tangents = i % 2, .tolerance = 0.05};
            spline s =
                make_spline(precision, 2, degree, num, i % 3 ? CLAMPED : REPEATED, rational, P);
            check_surfaces(any_context(), &s, &r);
        }
}

/* A flat surface far from the origin is one piece, whose bound is rounding alone. */
static void test_flat_surfaces(void **state)
{
    enum { SIDE = 4, PIECE = 3 * 3 * 4 };
    const uint32_t degree[3] = {SIDE - 1, SIDE - 1}, num[3] = {SIDE, SIDE}, to[2] = {2, 2};
    clsp_context *const ctx = any_context();

    (void)state;
    for (uint32_t k = 0; k < 4; k++) {
        const bool f64 = k % 2;
        const double far = 1e4, eps = f64 ? 0x1p-52 : 0x1p-23;
        spline s = make_spline(f64 ? CLSP_F64 : CLSP_F32, 2, degree, num, CLAMPED, k / 2, P);
        double net[SIDE * SIDE * 4], piece[PIECE], params[4], bound;
        float narrow[PIECE];
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            const double x[] = {far / 3 + i / SIDE / 3.0, i % SIDE / 7.0 - far, far / 7, 1};
            for (uint32_t c = 0; c < s.l.coords; c++)
                net[i * s.l.coords + c] = f64 ? x[c] : (double)(float)x[c];
        }
        clsp_patch_plan *plan = plan_of(ctx, &s, net, 1);
        clsp_reduction_size size;
        assert_ok(ctx, clsp_patch_set_reduction(
                           plan, &(clsp_reduction){.degree = 2, .tolerance = 0.1}, &size));
        assert_int_equal(size.num_pieces, 1);
        const size_t reals = 9 * s.l.coords;
        const clsp_pieces pieces = {.controls = f64 ? clsp_out_f64(piece, reals)
                                                    : clsp_out_f32(narrow, reals),
                                    .params = clsp_out_f64(params, 4),
                                    .bounds = clsp_out_f64(&bound, 1)};
        assert_ok(ctx, clsp_patch_reduce(plan, (clsp_range){0, 1}, &pieces, NULL));
        for (size_t i = 0; i < reals && !f64; i++)
            piece[i] = (double)narrow[i];
        const double error = patch_error(&s, net, piece, params, to);
        assert_true(error > 0 && error <= bound && bound <= 64 * eps * far);
        clsp_patch_plan_destroy(&plan);
    }
}

/* A rational surface with a weight that is not positive, or what is not finite, is one piece with
   no bound; the others are as they were. */
static void test_bad_surfaces(void **state)
{
    enum { REALS = 4 * 4 * 4, PIECE = 3 * 3 * 4 };
    static const double bad[] = {NAN, INFINITY};
    clsp_context *const ctx = any_context();
    const clsp_bezier_desc desc = {.precision = CLSP_F64, .degree = {3, 3}, .rational = 1};
    const clsp_reduction r = {.degree = 2, .tolerance = 0.1};
    clsp_patch_plan *plan;

    (void)state;
    seed(39);
    const layout l = layout_of(&desc);
    double *const net = random_controls(&l, 3);
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &desc));
    for (size_t i = 0; i < COUNT(bad); i++) {
        const double kept = net[REALS + 20];
        clsp_reduction_size size;
        net[REALS + 20] = bad[i];
        assert_ok(
            ctx, clsp_patch_set_control_points(plan, 3, clsp_in_f64(net, 3 * (size_t)REALS), NULL));
        assert_ok(ctx, clsp_patch_set_reduction(plan, &r, &size));
        assert_true(isinf(size.bound));
        double *const pieces = malloc(size.num_pieces * (PIECE + 1) * sizeof *pieces);
        double *const bounds = pieces + size.num_pieces * PIECE;
        uint32_t *const patches = malloc(size.num_pieces * sizeof *patches);
        const clsp_pieces to = {.controls = clsp_out_f64(pieces, size.num_pieces * PIECE),
                                .bounds = clsp_out_f64(bounds, size.num_pieces),
                                .patches = clsp_out_u32(patches, size.num_pieces)};
        assert_ok(ctx, clsp_patch_reduce(plan, (clsp_range){0, 3}, &to, NULL));
        for (size_t k = 0; k < size.num_pieces; k++)
            assert_true(patches[k] == 1 ? isinf(bounds[k]) : bounds[k] <= r.tolerance);
        free(pieces);
        free(patches);
        net[REALS + 20] = kept;
    }
    clsp_patch_plan_destroy(&plan);
    free(net);
}

/* ---- by projection ---- */

/* Projects points at samples of curves onto others, and returns the largest distance. patches: of
   the curve of each sample. */
static double farthest(clsp_context *ctx, clsp_patch_plan *from, const uint32_t *patches,
                       size_t num, clsp_patch_plan *onto, bool all)
{
    enum { PER = 9 };
    double *const t = malloc(num * PER * sizeof *t), *const points =
                                                         malloc(num * PER * 3 * sizeof *t);
    uint32_t *const items = malloc(num * PER * sizeof *items), *const of =
                                                                   malloc(num * PER * sizeof *of);
    clsp_nearest_f64 *const found = malloc(num * PER * sizeof *found);
    double most = 0;

    for (size_t i = 0; i < num * PER; i++) {
        t[i] = (double)(i % PER) / (PER - 1);
        items[i] = (uint32_t)(i / PER);
        of[i] = patches[i / PER];
    }
    const clsp_points list = {.num = num * PER,
                              .item = clsp_in_u32(items, num * PER),
                              .params = clsp_in_f64(t, num * PER)};
    assert_ok(ctx, clsp_patch_eval_points(from, &list, clsp_out_f64(points, num * PER * 3), NULL));
    clsp_nearest_queries queries = {.num = num * PER, .points = clsp_in_f64(points, num * PER * 3)};
    if (!all) queries.patches = clsp_in_u32(of, num * PER);
    assert_ok(ctx, clsp_nearest_project(onto, &queries, NULL,
                                        clsp_out_nearest_f64(found, num * PER), NULL));
    for (size_t i = 0; i < num * PER; i++)
        most = fmax(most, found[i].distance);
    free(t);
    free(points);
    free(items);
    free(of);
    free(found);
    return most;
}

/* Neither curves nor pieces are anywhere farther from the others than the bound. */
static void test_projected(void **state)
{
    enum { CURVES = 30 };
    clsp_context *const ctx = any_context();
    static const double tolerances[] = {1e-2, 1e-5};

    (void)state;
    seed(35);
    for (int k = 0; k < 2; k++) {
        const clsp_reduction r = {.degree = 3, .tolerance = tolerances[k]};
        const clsp_bezier_desc cubic = {
            .form = CLSP_BEZIER_CURVE, .precision = CLSP_F64, .degree = {3}};
        spline s = curve_of(CLSP_F64, 7, 8, CLAMPED, 0);
        for (uint32_t i = 0; i < 16; i++)
            s.knots[0][i] = i / 8;
        double *const controls = random_controls(&s.l, CURVES);
        clsp_patch_plan *plan = plan_of(ctx, &s, controls, CURVES), *pieces;
        made m = make(ctx, plan, &s, &r, (clsp_range){0, CURVES});
        const size_t num = m.size.num_pieces;
        uint32_t numbers[CURVES] = {0};
        assert_ok(ctx, clsp_bezier_plan_create(&pieces, ctx, &cubic));
        assert_ok(ctx, clsp_patch_set_control_points(pieces, num,
                                                     clsp_in_f64(m.controls, num * m.reals), NULL));
        assert_true(farthest(ctx, pieces, m.patches, num, plan, false) <= m.size.bound);
        assert_true(farthest(ctx, plan, numbers, CURVES, pieces, true) <= m.size.bound);
        made_free(&m);
        clsp_patch_plan_destroy(&pieces);
        clsp_patch_plan_destroy(&plan);
        free(controls);
    }
}

/* ---- calls ---- */

/* Many curves are the same pieces as each alone, whichever threads make them. */
static void test_ranges(void **state)
{
    enum { CURVES = 3000, AT = 1700 };
    clsp_context *const ctx = any_context();
    const clsp_reduction r = {.degree = 2, .tolerance = 1e-3};
    spline s = curve_of(CLSP_F32, 3, 4, CLAMPED, 0);

    (void)state;
    seed(36);
    double *const controls = random_controls(&s.l, CURVES);
    clsp_patch_plan *plan = plan_of(ctx, &s, controls, CURVES);
    made all = make(ctx, plan, &s, &r, (clsp_range){0, CURVES});
    made before = make(ctx, plan, &s, &r, (clsp_range){0, AT});
    made some = make(ctx, plan, &s, &r, (clsp_range){AT, 3});
    clsp_patch_plan *alone = plan_of(ctx, &s, controls + AT * s.l.controls, 3);
    made one = make(ctx, alone, &s, &r, (clsp_range){0, 3});
    const size_t first = before.size.num_pieces, num = some.size.num_pieces;
    const size_t bytes = num * some.reals * sizeof(float);
    assert_int_equal(one.size.num_pieces, num);
    assert_memory_equal(some.bytes, all.bytes + first * some.reals * sizeof(float), bytes);
    assert_memory_equal(some.bytes, one.bytes, bytes);
    assert_memory_equal(some.params, all.params + 2 * first, 2 * num * sizeof(double));
    assert_memory_equal(some.bounds, all.bounds + first, num * sizeof(double));
    assert_memory_equal(some.patches, all.patches + first, num * sizeof(uint32_t));
    made none = make(ctx, plan, &s, &r, (clsp_range){CURVES, 0});
    assert_int_equal(none.size.num_pieces, 0);
    made_free(&none);
    made_free(&one);
    made_free(&some);
    made_free(&before);
    made_free(&all);
    clsp_patch_plan_destroy(&alone);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

/* Memory of every kind, and what is not asked for. */
static void memory(clsp_context *ctx, clsp_type precision)
{
    enum { CURVES = 4 };
    const clsp_reduction r = {.degree = 3, .tolerance = 1e-3};
    spline s = curve_of(precision, 5, 9, CLAMPED, 1);

    seed(37);
    double *const controls = random_controls(&s.l, CURVES);
    clsp_patch_plan *plan = plan_of(ctx, &s, controls, CURVES);
    made m = make(ctx, plan, &s, &r, (clsp_range){0, CURVES});
    const size_t num = m.size.num_pieces, bytes = num * m.reals * clsp_type_bytes(precision);
    for (int kind = 0; kind < STORE_KINDS; kind++)
        for (int asked = 0; asked < 8; asked++) {
            if (!has_kind(ctx, (store_kind)kind)) continue;
            store out[4] = {store_make(ctx, (store_kind)kind, precision, 3, num * m.reals, NULL),
                            store_make(ctx, (store_kind)kind, CLSP_F64, 1, 2 * num, NULL),
                            store_make(ctx, (store_kind)kind, CLSP_F64, 0, num, NULL),
                            store_make(ctx, (store_kind)kind, CLSP_U32, 5, num, NULL)};
            const clsp_output none = {.size = 0};
            const clsp_pieces pieces = {.controls = store_out(&out[0]),
                                        .params = asked & 1 ? store_out(&out[1]) : none,
                                        .bounds = asked & 2 ? store_out(&out[2]) : none,
                                        .patches = asked & 4 ? store_out(&out[3]) : none};
            assert_ok(ctx, clsp_patch_reduce(plan, (clsp_range){0, CURVES}, &pieces, NULL));
            assert_memory_equal(store_read(&out[0]), m.bytes, bytes);
            if (asked & 1)
                assert_memory_equal(store_read(&out[1]), m.params, 2 * num * sizeof(double));
            if (asked & 2) assert_memory_equal(store_read(&out[2]), m.bounds, num * sizeof(double));
            if (asked & 4)
                assert_memory_equal(store_read(&out[3]), m.patches, num * sizeof(uint32_t));
            for (int k = 0; k < 4; k++)
                store_free(&out[k]);
        }
    made_free(&m);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

/* Pieces of surfaces, made all at once, in memory of every kind are the same bits. */
static void surface_memory(clsp_context *ctx, clsp_type precision)
{
    enum { SURFACES = 3 };
    const uint32_t degree[3] = {4, 3}, num[3] = {7, 5};
    const clsp_reduction r = {.degree = 2, .tolerance = 0.1};
    spline s = make_spline(precision, 2, degree, num, CLAMPED, 0, P);
    clsp_reduction_size size;

    seed(39);
    double *const controls = random_controls(&s.l, SURFACES);
    clsp_patch_plan *plan = plan_of(ctx, &s, controls, SURFACES);
    assert_ok(ctx, clsp_patch_set_reduction(plan, &r, &size));
    const size_t reals = size.num_pieces * 9 * s.l.dim, bytes = reals * clsp_type_bytes(precision);
    unsigned char *const bits = malloc(bytes);
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        if (!has_kind(ctx, (store_kind)kind)) continue;
        store out = store_make(ctx, (store_kind)kind, precision, 3, reals, NULL);
        store of = store_make(ctx, (store_kind)kind, CLSP_U32, 5, size.num_pieces, NULL);
        const clsp_pieces pieces = {.controls = store_out(&out), .patches = store_out(&of)};
        assert_ok(ctx, clsp_patch_reduce(plan, (clsp_range){0, SURFACES}, &pieces, NULL));
        if (kind == HOST) memcpy(bits, store_read(&out), bytes);
        assert_memory_equal(store_read(&out), bits, bytes);
        const uint32_t *const patches = (const uint32_t *)(const void *)store_read(&of);
        assert_true(patches[0] == 0 && patches[size.num_pieces - 1] == SURFACES - 1);
        store_free(&out);
        store_free(&of);
    }
    free(bits);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void test_memory(void **state)
{
    (void)state;
    with_limits(memory);
    with_limits(surface_memory);
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
    clsp_context *const ctx = any_context();
    const double controls[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1};
    const clsp_bezier_desc curve = {
        .form = CLSP_BEZIER_CURVE, .precision = CLSP_F64, .degree = {3}};
    const clsp_bezier_desc others[] = {{.degree = {3, 3}, .rational = 1, .dim = 4},
                                       {.degree = {2, 2}},
                                       {.form = CLSP_BEZIER_VOLUME, .degree = {3, 3, 3}},
                                       {.form = CLSP_BEZIER_TRIANGLE, .degree = {3}}};
    const clsp_bezier_desc high = {.form = CLSP_BEZIER_CURVE, .degree = {256}};
    const clsp_reduction good = {.degree = 2, .tolerance = 1e-2};
    const struct {
        clsp_reduction r;
        clsp_status status;
    } cases[] = {{{.degree = 0, .tolerance = 1}, CLSP_ERROR_ARGUMENT},
                 {{.degree = 3, .tolerance = 1}, CLSP_ERROR_ARGUMENT},
                 {{.degree = 4, .tolerance = 1}, CLSP_ERROR_ARGUMENT},
                 {{.degree = 2, .tolerance = 0}, CLSP_ERROR_ARGUMENT},
                 {{.degree = 2, .tolerance = -1}, CLSP_ERROR_ARGUMENT},
                 {{.degree = 2, .tolerance = (double)NAN}, CLSP_ERROR_ARGUMENT},
                 {{.degree = 2, .tolerance = (double)INFINITY}, CLSP_ERROR_ARGUMENT},
                 {{.degree = 2, .tolerance = 1, .polynomial = 2}, CLSP_ERROR_ARGUMENT},
                 {{.degree = 2, .tolerance = 1, .free_tangents = 2}, CLSP_ERROR_ARGUMENT},
                 {{.degree = 2, .tolerance = 1, .reserved = {1}}, CLSP_ERROR_ARGUMENT}};
    double out[12 * 64], params[64];
    const clsp_pieces pieces = {.controls = clsp_out_f64(out, COUNT(out))};
    const clsp_share share = {.schedule = CLSP_SCHEDULE_HOST};
    clsp_patch_plan *plan;
    clsp_reduction_size size;

    (void)state;
    assert_status(NULL, clsp_patch_set_reduction(NULL, &good, &size), CLSP_ERROR_ARGUMENT);
    assert_status(NULL, clsp_patch_reduce(NULL, (clsp_range){0, 1}, &pieces, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &curve));
    assert_status(ctx, clsp_patch_set_reduction(plan, &good, &size), CLSP_ERROR_STATE);
    assert_ok(ctx, clsp_patch_set_control_points(plan, 1, clsp_in_f64(controls, 12), NULL));
    assert_status(ctx, clsp_patch_reduce(plan, (clsp_range){0, 1}, &pieces, NULL),
                  CLSP_ERROR_STATE);
    assert_ok(ctx, clsp_patch_set_reduction(plan, &good, &size));
    assert_true(size.num_pieces > 1 && size.num_pieces < 20);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_status(ctx, clsp_patch_set_reduction(plan, &cases[i].r, &size), cases[i].status);
    assert_ok(ctx, clsp_patch_reduce(plan, (clsp_range){0, 1}, &pieces, NULL)); /* still counted */
    const clsp_range far = {0, 2}, one = {0, 1};
    assert_status(ctx, clsp_patch_reduce(plan, far, &pieces, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_patch_reduce(plan, one, NULL, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_patch_reduce(plan, one, &(clsp_pieces){0}, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_patch_reduce(plan, one, &pieces, &(clsp_run){.share = &share}),
                  CLSP_ERROR_ARGUMENT);
    clsp_pieces wrong = pieces;
    wrong.reserved[0] = 1;
    assert_status(ctx, clsp_patch_reduce(plan, one, &wrong, NULL), CLSP_ERROR_ARGUMENT);
    wrong = pieces;
    wrong.params = clsp_out_f64(params, 2 * size.num_pieces - 1);
    assert_status(ctx, clsp_patch_reduce(plan, one, &wrong, NULL), CLSP_ERROR_BUFFER_SIZE);
    wrong.params = clsp_out_f32((float *)(void *)params, 64);
    assert_status(ctx, clsp_patch_reduce(plan, one, &wrong, NULL), CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_patch_set_control_points(plan, 1, clsp_in_f64(controls, 12), NULL));
    assert_status(ctx, clsp_patch_reduce(plan, one, &pieces, NULL), CLSP_ERROR_STATE);
    assert_ok(ctx, clsp_patch_set_reduction(plan, &good, NULL));
    assert_ok(ctx, clsp_patch_reduce(plan, one, &pieces, NULL));
    assert_ok(ctx, clsp_patch_set_reduction(plan, NULL, NULL));
    assert_status(ctx, clsp_patch_reduce(plan, one, &pieces, NULL), CLSP_ERROR_STATE);
    clsp_patch_plan_destroy(&plan);
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &others[i]));
        assert_status(ctx, clsp_patch_set_reduction(plan, &good, &size), CLSP_ERROR_ARGUMENT);
        clsp_patch_plan_destroy(&plan);
    }
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx,
                                           &(clsp_bezier_desc){.degree = {3, 3}, .rational = 1}));
    assert_status(ctx,
                  clsp_patch_set_reduction(
                      plan, &(clsp_reduction){.degree = 2, .tolerance = 1, .polynomial = 1}, &size),
                  CLSP_ERROR_ARGUMENT);
    clsp_patch_plan_destroy(&plan);
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &high));
    assert_status(ctx, clsp_patch_set_reduction(plan, &good, &size), CLSP_ERROR_DEGREE);
    const uint32_t degree = 20;
    assert_ok(ctx, clsp_bezier_set_degrees(plan, &degree));
    assert_status(ctx,
                  clsp_patch_set_reduction(
                      plan, &(clsp_reduction){.degree = TO_MAX + 1, .tolerance = 1}, &size),
                  CLSP_ERROR_DEGREE);
    clsp_patch_plan_destroy(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_least),
        cmocka_unit_test(test_quadratics),   cmocka_unit_test(test_hard),
        cmocka_unit_test(test_hopeless),     cmocka_unit_test(test_most),
        cmocka_unit_test(test_own_knots),    cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_bad_surfaces), cmocka_unit_test(test_flat_surfaces),
        cmocka_unit_test(test_projected),    cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_refused)};

    support_begin();
    return cmocka_run_group_tests_name("reduce", tests, NULL, close_contexts);
}
