/* Conversions of B-splines: control points over other knots against blossoms by the oracle, and the
   splines of both; what targets may be; memory of every kind. */
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

/* ---- targets ---- */

enum { MAX_INSERTED = 4, MAX_TARGET = 2 * MAX_KNOTS };

typedef enum wish_kind {
    SAME,
    INSERTED,
    RAISED,
    CUT,
    DERIVED,
    BEZIER,
    ALL_AT_ONCE,
    RAISED_PIECES, /* of a part of the domain */
    GIVEN,         /* uniform knots outside of the domain */
    NUM_WISHES
} wish_kind;

/* A target with room for what it points at. */
typedef struct wish {
    clsp_bspline_target target;
    double insert[3][MAX_INSERTED];
    double knots[3][MAX_KNOTS + 2];
} wish;

static double within(const spline *s, uint32_t k, double ratio)
{
    return (double)domain_at(s, k, ratio);
}

/* Gives knots that end in uniform ones where the spline's may be clamped. */
static void give_knots(wish *w, const spline *s, uint32_t k)
{
    const uint32_t p = s->d.degree[k], n = s->d.num_controls[k];
    double *const u = w->knots[k];

    memcpy(u, s->knots[k], (n + p + 1) * sizeof *u);
    for (uint32_t i = 1; i <= p; i++) {
        u[p - i] = u[p] - i;
        u[n + i] = u[n] + i;
    }
    w->target.along[k].knots = u;
    w->target.along[k].degree = p;
    w->target.along[k].num_controls = n;
}

static void wish_along(wish *w, const spline *s, uint32_t k, wish_kind kind)
{
    clsp_bspline_change *const c = &w->target.along[k];
    const bool can_differ = s->d.degree[k] > 0 && !s->d.rational;

    if (kind == INSERTED || kind == ALL_AT_ONCE) {
        c->insert = w->insert[k];
        c->num_insert = s->d.degree[k] > 0 ? MAX_INSERTED : 1;
        for (uint32_t i = 0; i < MAX_INSERTED; i++)
            w->insert[k][i] = within(s, k, i < 2 ? 0.7109375 : 0.421875 - i / 64.0);
    }
    if (kind == RAISED) c->elevate = s->d.degree[k] < 9 ? 1 + k : 1;
    if (kind == ALL_AT_ONCE || kind == RAISED_PIECES) c->elevate = 1;
    if (kind == CUT || kind == ALL_AT_ONCE || kind == RAISED_PIECES) {
        c->begin = within(s, k, 0.125);
        c->end = within(s, k, 0.765625);
    }
    if (kind == DERIVED && can_differ) c->derivative = 1 + (k + s->d.degree[k]) % 2;
    if (kind == ALL_AT_ONCE && can_differ) c->derivative = 1;
    if (c->derivative > s->d.degree[k]) c->derivative = s->d.degree[k];
    if (kind == GIVEN) give_knots(w, s, k);
}

static void make_wish(wish *w, const spline *s, wish_kind kind, clsp_convert_method method)
{
    *w = (wish){.target = {.bezier = kind == BEZIER || kind == RAISED_PIECES, .method = method}};
    for (uint32_t k = 0; k < s->d.directions; k++)
        wish_along(w, s, k, kind);
}

/* ---- what a target amounts to ---- */

/* Rows of one direction by the oracle. */
typedef struct direction {
    uint32_t rows, terms, orders, pieces;
    unsigned *first;
    long double *weights; /* [rows][terms] */
    double scale;         /* of errors: how much larger than control points sums may be */
} direction;

static direction direction_of(const spline *s, const wish *w, const clsp_bspline_desc *d,
                              uint32_t k)
{
    direction x = {1, 1, 1, 1, NULL, NULL, 1.0};
    const bool there = k < s->d.directions;
    const uint32_t by = w->target.along[k].derivative;

    if (there) {
        x.rows = d->num_controls[k];
        x.terms = s->d.degree[k] + 1;
        x.orders = d->degree[k] + 1;
    }
    x.pieces = x.rows / x.orders;
    x.first = calloc(x.rows, sizeof *x.first);
    x.weights = calloc((size_t)x.rows * x.terms, sizeof *x.weights);
    assert_true(x.first && x.weights);
    x.weights[0] = 1.0L;
    for (uint32_t i = 0; there && i < x.rows; i++) {
        const ref_knots from = {s->knots[k], s->d.degree[k], s->d.num_controls[k]};
        const ref_knots to = {d->knots[k], d->degree[k], d->num_controls[k]};
        long double sum = 0.0L;
        x.first[i] = ref_bspline_conversion(from, by, to, i, x.weights + i * x.terms);
        for (uint32_t j = 0; j < x.terms; j++)
            sum += fabsl(x.weights[i * x.terms + j]);
        x.scale = fmax(x.scale, (double)sum);
    }
    if (by > 0) x.scale = gain(s->knots[k], s->d.degree[k], s->d.num_controls[k], by);
    return x;
}

static void free_direction(direction *x)
{
    free(x->first);
    free(x->weights);
}

/* Where control point (i, j, l) stands in what a conversion gives. */
static size_t place_of(const direction x[3], bool pieces, uint32_t i, uint32_t j, uint32_t l)
{
    const uint32_t at[3] = {i, j, l};
    size_t piece = 0, inner = 0;

    if (!pieces) return ((size_t)i * x[1].rows + j) * x[2].rows + l;
    for (uint32_t k = 0; k < 3; k++) {
        piece = piece * x[k].pieces + at[k] / x[k].orders;
        inner = inner * x[k].orders + at[k] % x[k].orders;
    }
    return piece * x[0].orders * x[1].orders * x[2].orders + inner;
}

/* The exact coordinate c of control point (i, j, l). */
static long double exact_control(const spline *s, const direction x[3], const double *controls,
                                 const uint32_t at[3], uint32_t c)
{
    const uint32_t num_v = s->d.directions > 1 ? s->d.num_controls[1] : 1;
    const uint32_t num_w = s->d.directions > 2 ? s->d.num_controls[2] : 1;
    long double sum = 0.0L;

    for (uint32_t i = 0; i < x[0].terms; i++)
        for (uint32_t j = 0; j < x[1].terms; j++)
            for (uint32_t l = 0; l < x[2].terms; l++) {
                const size_t number =
                    ((size_t)(x[0].first[at[0]] + i) * num_v + x[1].first[at[1]] + j) * num_w +
                    x[2].first[at[2]] + l;
                sum += x[0].weights[at[0] * x[0].terms + i] * x[1].weights[at[1] * x[1].terms + j] *
                       x[2].weights[at[2] * x[2].terms + l] * controls[number * s->l.coords + c];
            }
    return sum;
}

static double worst;

static double real_at(const spline *s, const unsigned char *reals, size_t i)
{
    return s->d.precision == CLSP_F64 ? ((const double *)(const void *)reals)[i]
                                      : (double)((const float *)(const void *)reals)[i];
}

/* Judges the control points of one patch, not all of large ones. */
static void judge(const spline *s, const wish *w, const clsp_bspline_desc *d,
                  const double *controls, const unsigned char *made)
{
    const double eps = s->d.precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON;
    direction x[3];
    double bound = 8.0 * eps, scale = 0.0;
    size_t step, number = 0;

    for (uint32_t k = 0; k < 3; k++) {
        x[k] = direction_of(s, w, d, k);
        bound *= x[k].scale;
        if (k < s->d.directions && (s->d.degree[k] > 31 || d->degree[k] > 31)) bound *= 4.0;
    }
    for (size_t i = 0; i < s->l.controls; i++)
        scale = fmax(scale, fabs(controls[i]));
    step = 1 + (size_t)x[0].rows * x[1].rows * x[2].rows / 300;
    for (uint32_t i = 0; i < x[0].rows; i++)
        for (uint32_t j = 0; j < x[1].rows; j++)
            for (uint32_t l = 0; l < x[2].rows; l++) {
                const uint32_t at[3] = {i, j, l};
                const size_t place = place_of(x, w->target.bezier, i, j, l);
                for (uint32_t c = 0; c < s->l.coords && number % step == 0; c++) {
                    const long double exact = exact_control(s, x, controls, at, c);
                    const double got = real_at(s, made, place * s->l.coords + c);
                    const double error = (double)fabsl(got - exact) / (bound * scale);
                    worst = fmax(worst, error);
                    if (!(error <= 1.0))
                        fail_msg("directions %u, degrees %u %u %u, control point %u %u %u: %g and "
                                 "not %Lg, %.2f of the bound",
                                 s->d.directions, s->d.degree[0], s->d.degree[1], s->d.degree[2], i,
                                 j, l, got, exact, error);
                }
                number++;
            }
    for (uint32_t k = 0; k < 3; k++)
        free_direction(&x[k]);
}

/* ---- conversions ---- */

/* Returns the reals of a patch's control points over the target's knots. */
static size_t target_reals(const spline *s, const clsp_bspline_desc *d)
{
    size_t reals = s->l.coords;

    for (uint32_t k = 0; k < s->d.directions; k++)
        reals *= d->num_controls[k];
    return reals;
}

static void set_target(clsp_context *ctx, clsp_bspline_plan *plan, const wish *w,
                       clsp_bspline_desc *d)
{
    if (clsp_bspline_set_target(plan, &w->target) != CLSP_OK) {
        char why[256];
        clsp_context_last_error(ctx, why, sizeof why);
        fail_msg("%s", why);
    }
    assert_int_equal(clsp_bspline_target_desc(plan, 0, d), CLSP_OK);
}

/* Converts all patches and one alone, which must give the same bits, and judges one. */
static void check_wish(clsp_context *ctx, clsp_bspline_plan *plan, const spline *s,
                       const double *controls, wish_kind kind, clsp_convert_method method)
{
    enum { PATCHES = 3 };
    wish w;
    clsp_bspline_desc d;

    make_wish(&w, s, kind, method);
    set_target(ctx, plan, &w, &d);
    const size_t reals = target_reals(s, &d), bytes = reals * clsp_type_bytes(s->d.precision);
    store all = store_make(ctx, HOST, s->d.precision, 0, PATCHES * reals, NULL);
    store one = store_make(ctx, BUFFER, s->d.precision, 5, reals, NULL);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, PATCHES}, store_out(&all), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){1, 1}, store_out(&one), NULL),
                     CLSP_OK);
    const unsigned char *const made = store_read(&all);
    assert_memory_equal(store_read(&one), made + bytes, bytes);
    judge(s, &w, &d, controls + s->l.controls, made + bytes);
    if (kind == SAME)
        for (size_t i = 0; i < reals; i++)
            assert_true(real_at(s, made + bytes, i) == controls[s->l.controls + i]);
    store_free(&all);
    store_free(&one);
}

static const struct {
    uint32_t directions, degree[3], controls[3], rational;
} cases[] = {
    {1, {3}, {14}, 0},       {2, {3, 2}, {10, 9}, 0},
    {1, {2}, {9}, 1},        {3, {2, 1, 3}, {5, 4, 6}, 0},
    {2, {2, 4}, {8, 11}, 1}, {1, {0}, {5}, 0},
    {1, {0}, {1}, 0},        {1, {5}, {6}, 0}, /* one span */
    {2, {1, 5}, {2, 6}, 0},  {2, {0, 1}, {3, 5}, 0},
    {1, {15}, {40}, 0},      {3, {1, 2, 1}, {3, 4, 5}, 1},
};

/* When small, a job has a context for itself: Oclgrind takes memory for uninitialised in buffers
   that are made after others are released. */
static clsp_context *own_context(clsp_context *ctx)
{
    return tiny() ? context_with("") : ctx;
}

static void leave(clsp_context *own)
{
    if (tiny()) clsp_context_destroy(&own);
}

/* Makes each conversion by one plan, when small by one each. */
static void check_wishes(clsp_context *ctx, spline *s, const double *controls, int turn)
{
    clsp_context *own = own_context(ctx);
    clsp_bspline_plan *plan = plan_of(own, s, controls, 3);

    for (int w = 0; w < NUM_WISHES; w++) {
        check_wish(own, plan, s, controls, (wish_kind)w, CLSP_CONVERT_DEFAULT);
        if ((w + turn) % 3 == 0 && !tiny())
            check_wish(own, plan, s, controls, (wish_kind)w, CLSP_CONVERT_MATRIX);
        if (!tiny()) continue;
        clsp_bspline_plan_destroy(&plan);
        leave(own);
        own = own_context(ctx);
        plan = plan_of(own, s, controls, 3);
    }
    clsp_bspline_plan_destroy(&plan);
    leave(own);
}

static void conversions(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!in_turn(i, 2) || (tiny() && i > 3)) continue;
        for (int kind = 0; kind < NUM_KINDS; kind++) {
            spline s = make_spline(precision, cases[i].directions, cases[i].degree,
                                   cases[i].controls, (knot_kind)kind, cases[i].rational, P);
            if (tiny() && kind != (int)i % NUM_KINDS) continue;
            seed((unsigned)(10 * i) + (unsigned)kind);
            double *const controls = random_controls(&s.l, 3);
            check_wishes(ctx, &s, controls, kind);
            free(controls);
        }
    }
}

static void test_conversions(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(conversions);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- degrees and sizes ---- */

/* Curves of every degree to 31, and some above. */
static void degrees(clsp_context *ctx, clsp_type precision)
{
    for (uint32_t p = 0; p <= 63; p += p < 31 ? 1 : 32) {
        const uint32_t degree[3] = {p}, controls[3] = {p + 1 + p % 5 * 3};
        if (!in_turn(p, 4) || (tiny() && p % 10 != 3)) continue;
        spline s =
            make_spline(precision, 1, degree, controls, (knot_kind)(p / 4 % NUM_KINDS), 0, P);
        seed(p);
        double *const points = random_controls(&s.l, 3);
        for (int w = 0; w < NUM_WISHES; w++) { /* the oracle takes 2^p for more than one degree */
            if ((w == GIVEN && p >= 8) || (tiny() && w != (int)p % NUM_WISHES)) continue;
            clsp_context *const own = own_context(ctx);
            clsp_bspline_plan *plan = plan_of(own, &s, points, 3);
            check_wish(own, plan, &s, points, (wish_kind)w, CLSP_CONVERT_DEFAULT);
            clsp_bspline_plan_destroy(&plan);
            leave(own);
        }
        free(points);
    }
}

static void test_degrees(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(degrees);
    print_message("worst/bound %.2f\n", worst);
}

/* A curve of 10^5 control points, some of whose new ones are judged. */
static void check_many(clsp_context *ctx, clsp_type precision, const clsp_bspline_target *target)
{
    enum { STEP = 997 };
    const uint32_t num = tiny() ? 3000 : 100000;
    const uint32_t degree[3] = {3}, few[3] = {4};
    spline s = make_spline(precision, 1, degree, few, UNIFORM, 0, P);
    const double eps = precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON;
    clsp_bspline_desc d;

    s.d.num_controls[0] = num;
    s.l.controls = (size_t)num * s.l.coords;
    double *const controls = random_controls(&s.l, 1);
    float *const narrow = malloc(s.l.controls * sizeof *narrow);
    clsp_bspline_plan *plan;
    assert_non_null(narrow);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &s.d), CLSP_OK);
    assert_int_equal(
        clsp_bspline_set_control_points(plan, 1, controls_in(&s, controls, 1, narrow), NULL),
        CLSP_OK);
    assert_int_equal(clsp_bspline_set_target(plan, target), CLSP_OK);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d), CLSP_OK);
    clsp_bspline_desc own;
    assert_int_equal(clsp_bspline_plan_desc(plan, &own), CLSP_OK);
    const size_t reals = (size_t)d.num_controls[0] * s.l.coords;
    store out = store_make(ctx, BUFFER, precision, 0, reals, NULL);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, store_out(&out), NULL),
                     CLSP_OK);
    const unsigned char *const made = store_read(&out);
    const ref_knots from = {own.knots[0], 3, num};
    const ref_knots to = {d.knots[0], d.degree[0], d.num_controls[0]};
    for (uint32_t i = 0; i < d.num_controls[0]; i += STEP) {
        long double weights[4];
        const unsigned first = ref_bspline_conversion(from, 0, to, i, weights);
        for (uint32_t c = 0; c < s.l.coords; c++) {
            long double sum = 0.0L;
            for (uint32_t j = 0; j < 4; j++)
                sum += weights[j] * controls[(first + j) * s.l.coords + c];
            assert_true(fabsl(real_at(&s, made, i * s.l.coords + c) - sum) <= 8 * eps);
        }
    }
    store_free(&out);
    clsp_bspline_plan_destroy(&plan);
    free(narrow);
    free(controls);
}

static void many(clsp_context *ctx, clsp_type precision)
{
    static const double inserted[] = {0.5, 0.25, 0.7, 0.7};
    static const clsp_bspline_target targets[] = {
        {.bezier = 1},
        {.along[0] = {.elevate = 1}},
        {.along[0] = {.insert = inserted, .num_insert = 4}},
        {.along[0] = {.begin = 0.3, .end = 0.9, .elevate = 2}},
    };

    for (size_t i = 0; i < COUNT(targets); i++)
        if (!tiny() || i == 0) check_many(ctx, precision, &targets[i]);
}

static void test_many(void **state)
{
    (void)state;
    seed(7);
    with_limits(many);
}

/* Far from the origin a control point loses nothing but its own rounding, and a derivative nothing
   that the distance between control points has not lost. */
static void far_away(clsp_context *ctx, clsp_type precision)
{
    const uint32_t degree[3] = {3}, controls[3] = {20};
    const double away = 0x1p20, eps = precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON;
    spline s = make_spline(precision, 1, degree, controls, UNIFORM, 0, P);
    wish w;
    clsp_bspline_desc d;

    seed(8);
    double *const points = random_controls(&s.l, 1), *const moved = random_controls(&s.l, 1);
    for (size_t i = 0; i < s.l.controls; i++) {
        points[i] = rint(points[i] * 64) / 8;
        moved[i] = points[i] + away; /* exact */
    }
    for (int kind = 0; kind < NUM_WISHES; kind++) {
        make_wish(&w, &s, (wish_kind)kind, CLSP_CONVERT_DEFAULT);
        if (kind == GIVEN || (tiny() && kind != DERIVED)) continue;
        clsp_context *const own = own_context(ctx);
        clsp_bspline_plan *plan = plan_of(own, &s, moved, 1);
        set_target(own, plan, &w, &d);
        const size_t reals = target_reals(&s, &d);
        store out = store_make(own, HOST, precision, 0, reals, NULL);
        assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, store_out(&out), NULL),
                         CLSP_OK);
        const unsigned char *const made = store_read(&out);
        const bool differs = w.target.along[0].derivative > 0;
        direction x[3] = {direction_of(&s, &w, &d, 0), direction_of(&s, &w, &d, 1),
                          direction_of(&s, &w, &d, 2)};
        /* of a difference no coordinate is larger than 8 */
        const double bound = 8 * eps * (differs ? 8.0 * x[0].scale : away);
        for (uint32_t i = 0; i < x[0].rows; i++)
            for (uint32_t c = 0; c < s.l.coords; c++) {
                const uint32_t at[3] = {i, 0, 0};
                const long double exact =
                    exact_control(&s, x, points, at, c) + (differs ? 0 : away);
                assert_true(fabsl(real_at(&s, made, i * s.l.coords + c) - exact) <= bound);
            }
        for (uint32_t k = 0; k < 3; k++)
            free_direction(&x[k]);
        store_free(&out);
        clsp_bspline_plan_destroy(&plan);
        leave(own);
    }
    free(points);
    free(moved);
}

static void test_far_away(void **state)
{
    (void)state;
    with_limits(far_away);
}

/* ---- both splines ---- */

/* A plan of the target's description, with what a conversion has made, evaluates to the same. */
static void same_splines(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 33 };
    const uint32_t degree[3] = {3, 2}, num[3] = {9, 7};

    for (uint32_t rational = tiny(); rational < 2; rational++) {
        spline s = make_spline(precision, 2, degree, num, CLAMPED, rational, P);
        seed(9 + rational);
        s.d.axis[0].num = s.d.axis[1].num = NUM;
        double *const controls = random_controls(&s.l, 2);
        clsp_bspline_plan *plan = plan_of(ctx, &s, controls, 2), *other;
        wish w;
        clsp_bspline_desc d;
        make_wish(&w, &s, INSERTED, CLSP_CONVERT_DEFAULT);
        w.target.along[0].elevate = 2;
        set_target(ctx, plan, &w, &d);
        d.axis[0].num = d.axis[1].num = NUM;
        store made = store_make(ctx, BUFFER, precision, 3, 2 * target_reals(&s, &d), NULL);
        store a = store_make(ctx, HOST, precision, 0, NUM * NUM * s.l.dim, NULL);
        store b = store_make(ctx, HOST, precision, 0, NUM * NUM * s.l.dim, NULL);
        assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 2}, store_out(&made), NULL),
                         CLSP_OK);
        assert_int_equal(clsp_bspline_plan_create(&other, ctx, &d), CLSP_OK);
        assert_int_equal(clsp_bspline_set_control_points(other, 2, store_in(&made), NULL), CLSP_OK);
        assert_int_equal(clsp_bspline_check_weights(other), CLSP_OK);
        assert_int_equal(clsp_bspline_eval(plan, (clsp_range){1, 1}, store_out(&a), NULL), CLSP_OK);
        assert_int_equal(clsp_bspline_eval(other, (clsp_range){1, 1}, store_out(&b), NULL),
                         CLSP_OK);
        const unsigned char *const x = store_read(&a), *const y = store_read(&b);
        const double eps = precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON;
        for (size_t i = 0; i < (size_t)NUM * NUM * s.l.dim; i++) /* weights: 0.5 to 2 */
            assert_true(fabs(real_at(&s, x, i) - real_at(&s, y, i)) <=
                        (rational ? 24 * 2 * 4 * 5 : 24) * eps);
        clsp_bspline_plan_destroy(&other);
        clsp_bspline_plan_destroy(&plan);
        store_free(&made);
        store_free(&a);
        store_free(&b);
        free(controls);
    }
}

static void test_same_splines(void **state)
{
    (void)state;
    with_limits(same_splines);
}

/* ---- calls ---- */

/* Every kind of memory, with events, in parts; other control points, another target. */
static void memory(clsp_context *ctx, clsp_type precision)
{
    enum { PATCHES = 5 };
    const uint32_t degree[3] = {2, 3}, num[3] = {tiny() ? 8 : 80, tiny() ? 6 : 60};
    spline s = make_spline(precision, 2, degree, num, REPEATED, 0, P);
    wish w;
    clsp_bspline_desc d;

    seed(11);
    double *const controls = random_controls(&s.l, PATCHES), *const others =
                                                                 random_controls(&s.l, PATCHES);
    clsp_bspline_plan *plan = plan_of(ctx, &s, others, PATCHES);
    void *const narrow = malloc(PATCHES * s.l.controls * sizeof(float));
    make_wish(&w, &s, RAISED, CLSP_CONVERT_DEFAULT);
    set_target(ctx, plan, &w, &d);
    store first = store_make(ctx, HOST, precision, 0, PATCHES * target_reals(&s, &d), NULL);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, PATCHES}, store_out(&first), NULL),
                     CLSP_OK);
    store_free(&first);
    assert_int_equal(clsp_bspline_set_control_points(
                         plan, PATCHES, controls_in(&s, controls, PATCHES, narrow), NULL),
                     CLSP_OK);
    for (int pieces = 0; pieces < 2; pieces++) {
        make_wish(&w, &s, pieces ? BEZIER : RAISED, CLSP_CONVERT_DEFAULT);
        set_target(ctx, plan, &w, &d);
        const size_t reals = target_reals(&s, &d);
        unsigned char *bits = NULL;
        for (int kind = 0; kind < STORE_KINDS; kind++) {
            if (!has_kind(ctx, (store_kind)kind)) continue;
            store out = store_make(ctx, (store_kind)kind, precision, 7, PATCHES * reals, NULL);
            cl_int code;
            const cl_event start = clCreateUserEvent(cl_context_of(ctx), &code);
            cl_event done = NULL;
            const clsp_sync sync = {.num_wait = 1, .wait = &start, .done = &done};
            assert_int_equal(code, CL_SUCCESS);
            assert_int_equal(clSetUserEventStatus(start, CL_COMPLETE), CL_SUCCESS);
            assert_int_equal(
                clsp_bspline_convert(plan, (clsp_range){0, PATCHES}, store_out(&out), &sync),
                CLSP_OK);
            assert_non_null(done);
            assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
            const unsigned char *const made = store_read(&out);
            const size_t bytes = PATCHES * reals * clsp_type_bytes(precision);
            if (!bits) {
                bits = malloc(bytes);
                assert_non_null(bits);
                memcpy(bits, made, bytes);
                judge(&s, &w, &d, controls + 4 * s.l.controls, made + bytes / PATCHES * 4);
            }
            assert_memory_equal(bits, made, bytes);
            clReleaseEvent(done);
            clReleaseEvent(start);
            store_free(&out);
        }
        free(bits);
    }
    clsp_bspline_plan_destroy(&plan);
    free(narrow);
    free(controls);
    free(others);
}

static void test_memory(void **state)
{
    (void)state;
    with_limits(memory);
}

/* Results that are larger than a buffer. */
static void test_parts(void **state)
{
    static const char *const limits[] = {"alloc=1048576", "class=discrete,alloc=1048576"};

    (void)state;
    if (given_limits() || tiny()) skip();
    for (size_t i = 0; i < COUNT(limits); i++)
        memory(lent_context(limits[i]), CLSP_F32);
}

/* The matrix of a direction, times the control points, is the conversion. */
static void test_matrix(void **state)
{
    clsp_context *const ctx = lent_context("");
    const uint32_t degree[3] = {3}, num[3] = {12};
    spline s = make_spline(CLSP_F32, 1, degree, num, UNIFORM, 0, P);
    wish w;
    clsp_bspline_desc d;

    (void)state;
    seed(12);
    double *const controls = random_controls(&s.l, 1);
    clsp_bspline_plan *plan = plan_of(ctx, &s, controls, 1);
    for (int kind = 0; kind < NUM_WISHES; kind++) {
        make_wish(&w, &s, (wish_kind)kind, CLSP_CONVERT_DEFAULT);
        set_target(ctx, plan, &w, &d);
        const uint32_t rows = d.num_controls[0];
        uint32_t *const first = malloc(rows * sizeof *first);
        double *const weights = malloc(4 * rows * sizeof *weights);
        assert_true(first && weights);
        assert_int_equal(clsp_bspline_target_matrix(plan, 0, 0, clsp_out_u32(first, rows),
                                                    clsp_out_f64(weights, 4 * rows)),
                         CLSP_OK);
        direction x = direction_of(&s, &w, &d, 0);
        for (uint32_t i = 0; i < rows; i++) {
            assert_int_equal(first[i], x.first[i]);
            for (uint32_t j = 0; j < 4; j++)
                assert_true(fabsl(weights[4 * i + j] - x.weights[4 * i + j]) <=
                            8 * DBL_EPSILON * x.scale);
        }
        assert_int_equal(clsp_bspline_target_matrix(plan, 0, 1, clsp_out_u32(first, rows),
                                                    clsp_out_f64(weights, 4 * rows)),
                         CLSP_ERROR_ARGUMENT);
        assert_int_equal(clsp_bspline_target_matrix(plan, 0, 0, clsp_out_u32(first, rows - 1),
                                                    clsp_out_f64(weights, 4 * rows)),
                         CLSP_ERROR_BUFFER_SIZE);
        assert_int_equal(clsp_bspline_target_matrix(plan, 0, 0, clsp_out_u32(first, rows),
                                                    clsp_out_f64(weights, 4 * rows - 1)),
                         CLSP_ERROR_BUFFER_SIZE);
        assert_int_equal(clsp_bspline_target_matrix(plan, 0, 0, clsp_out_u32(first, rows),
                                                    clsp_out_f32((float *)weights, 4 * rows)),
                         CLSP_ERROR_ARGUMENT);
        free_direction(&x);
        free(first);
        free(weights);
    }
    clsp_bspline_plan_destroy(&plan);
    free(controls);
}

/* Where pieces lie: as the header says. */
static void test_pieces(void **state)
{
    static const double knots[] = {0, 0, 0, 1, 1, 4, 5, 6}; /* its last ones are not clamped */
    static const float controls[] = {1, 2, 3, 4, 5};
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc curve = {
        .directions = 1, .degree = {2}, .num_controls = {5}, .knots = {knots}, .dim = 1};
    const clsp_bspline_target target = {.bezier = 1};
    clsp_bspline_plan *plan;
    clsp_bspline_desc d;
    float pieces[6];

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &curve), CLSP_OK);
    assert_int_equal(clsp_bspline_set_control_points(plan, 1, clsp_in_f32(controls, 5), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_set_target(plan, &target), CLSP_OK);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d), CLSP_OK);
    assert_int_equal(d.num_controls[0] / (d.degree[0] + 1), 2);
    assert_true(d.knots[0][0] == 0 && d.knots[0][3] == 1 && d.knots[0][6] == 4);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, clsp_out_f32(pieces, 6), NULL),
                     CLSP_OK);
    assert_true(pieces[0] == 1 && pieces[2] == 3 && pieces[3] == 3);
    clsp_bspline_plan_destroy(&plan);
}

/* ---- wrong calls ---- */

static void refused(clsp_context *ctx, clsp_bspline_plan *plan, const clsp_bspline_target *target,
                    clsp_status expected, const char *words)
{
    char why[256];

    assert_int_equal(clsp_bspline_set_target(plan, target), expected);
    clsp_context_last_error(ctx, why, sizeof why);
    if (!strstr(why, words)) fail_msg("\"%s\" does not say \"%s\"", why, words);
}

/* Every field out of its range; the target is then the one before. */
static void test_targets(void **state)
{
    static const double inside[] = {0.5, 0.5, 0.5, 0.5}, outside[] = {1.0};
    static const double coarse[] = {0, 0, 0, 0, 1, 1, 1, 1}, wide[] = {-1, -1, -1, -1, 2, 2, 2, 2};
    static const double falling[] = {0, 0, 0, 0, 1, 0.5, 1, 1}, lines[] = {0, 0, 1, 1};
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc curve = {.directions = 1, .degree = {3}, .num_controls = {9}};
    const clsp_bspline_change given = {.knots = coarse, .degree = 3, .num_controls = 4};
    clsp_bspline_plan *plan;
    clsp_bspline_desc d;
    clsp_bspline_target t = {.along[0] = {.elevate = 3}};

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &curve), CLSP_OK);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bspline_set_target(plan, &t), CLSP_OK);
    const struct {
        clsp_bspline_target target;
        clsp_status status;
        const char *words;
    } wrong[] = {
        {{.along[0] = {.derivative = 3}}, CLSP_ERROR_ARGUMENT, "order is above 2"},
        {{.along[0] = {.elevate = 253}}, CLSP_ERROR_DEGREE, "degree 256"},
        {{.along[0] = {.elevate = UINT32_MAX}}, CLSP_ERROR_DEGREE, "degree 4294967298"},
        {{.along[0] = {.begin = 0.5}}, CLSP_ERROR_ARGUMENT, "ends an interval that is empty"},
        {{.along[0] = {.begin = -0.5, .end = 1}}, CLSP_ERROR_ARGUMENT, "begins an interval"},
        {{.along[0] = {.end = 2}}, CLSP_ERROR_ARGUMENT, "ends an interval"},
        {{.along[0] = {.end = NAN}}, CLSP_ERROR_ARGUMENT, "ends an interval"},
        {{.along[0] = {.num_insert = 1}}, CLSP_ERROR_ARGUMENT, "insert is NULL"},
        {{.along[0] = {.insert = outside, .num_insert = 1}},
         CLSP_ERROR_ARGUMENT,
         "inserted knot 0, 1, is not within the domain"},
        {{.along[0] = {.insert = inside, .num_insert = 4}},
         CLSP_ERROR_ARGUMENT,
         "0.5, is inserted too often"},
        {{.along[0] = {.degree = 3}}, CLSP_ERROR_ARGUMENT, "not given"},
        {{.along[0] = given}, CLSP_ERROR_ARGUMENT, "not there often enough"},
        {{.along[0] = given, .bezier = 1}, CLSP_ERROR_ARGUMENT, "not made as well"},
        {{.along[0] = {.knots = wide, .degree = 3, .num_controls = 4}},
         CLSP_ERROR_ARGUMENT,
         "begins a domain"},
        {{.along[0] = {.knots = falling, .degree = 3, .num_controls = 4}},
         CLSP_ERROR_ARGUMENT,
         "is less than"},
        {{.along[0] = {.knots = coarse, .degree = 3, .num_controls = 3}},
         CLSP_ERROR_ARGUMENT,
         "3 control points"},
        {{.along[0] = {.knots = coarse, .degree = 256, .num_controls = 300}},
         CLSP_ERROR_DEGREE,
         "degree 256"},
        {{.along[0] = {.knots = lines, .degree = 1, .num_controls = 2}},
         CLSP_ERROR_ARGUMENT,
         "too low"},
        {{.along[0] = {.knots = coarse, .degree = 3, .num_controls = 4, .elevate = 1}},
         CLSP_ERROR_ARGUMENT,
         "not made as well"},
        {{.along[0] = {.reserved = {0, 0, 0, 1}}}, CLSP_ERROR_ARGUMENT, "reserved"},
        {{.reserved = {1}}, CLSP_ERROR_ARGUMENT, "reserved"},
        {{.bezier = 2}, CLSP_ERROR_ARGUMENT, "bezier"},
        {{.method = (clsp_convert_method)3}, CLSP_ERROR_ARGUMENT, "no method"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++)
        refused(ctx, plan, &wrong[i].target, wrong[i].status, wrong[i].words);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d), CLSP_OK);
    assert_int_equal(d.degree[0], 6);
    assert_int_equal(d.axis[0].num, 0);
    t = (clsp_bspline_target){.along[1] = {.derivative = 9}, .along[2] = {.reserved = {1}}};
    assert_int_equal(clsp_bspline_set_target(plan, &t),
                     CLSP_OK); /* directions that are not there */
    assert_int_equal(clsp_bspline_set_target(plan, NULL), CLSP_OK);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d), CLSP_ERROR_STATE);
    clsp_bspline_plan_destroy(&plan);
}

static void test_derivatives(void **state)
{
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc flat = {.directions = 1, .degree = {1}, .num_controls = {9}};
    const clsp_bspline_desc nurbs = {
        .directions = 1, .degree = {3}, .num_controls = {9}, .rational = 1};
    const clsp_bspline_target first = {.along[0] = {.derivative = 1}};
    const clsp_bspline_target second = {.along[0] = {.derivative = 2}};
    clsp_bspline_plan *plan;

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &flat), CLSP_OK);
    assert_int_equal(clsp_bspline_set_target(plan, &first), CLSP_OK);
    refused(ctx, plan, &second, CLSP_ERROR_ARGUMENT, "above the degree");
    clsp_bspline_plan_destroy(&plan);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &nurbs), CLSP_OK);
    refused(ctx, plan, &first, CLSP_ERROR_ARGUMENT, "derivative of a rational spline");
    clsp_bspline_plan_destroy(&plan);
}

/* Order of calls, ranges, memory, NULL. */
static void test_calls(void **state)
{
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc curve = {.directions = 1, .degree = {1}, .num_controls = {2}, .dim = 1};
    const clsp_bspline_target bezier = {.bezier = 1};
    const float controls[] = {1, 2, 3, 4};
    float made[4];
    uint32_t first[2];
    double weights[4];
    clsp_bspline_plan *plan;
    clsp_bspline_desc d;

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &curve), CLSP_OK);
    const clsp_output out = clsp_out_f32(made, 4);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 0}, out, NULL), CLSP_ERROR_STATE);
    assert_int_equal(
        clsp_bspline_target_matrix(plan, 0, 0, clsp_out_u32(first, 2), clsp_out_f64(weights, 4)),
        CLSP_ERROR_STATE);
    assert_int_equal(clsp_bspline_set_target(plan, &bezier), CLSP_OK);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 0}, out, NULL), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bspline_set_control_points(plan, 0, clsp_in_f32(NULL, 0), NULL), CLSP_OK);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 0}, (clsp_output){0}, NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, out, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_set_control_points(plan, 2, clsp_in_f32(controls, 4), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 0}, (clsp_output){0}, NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){1, 1}, out, NULL), CLSP_OK);
    assert_true(made[0] == 3 && made[1] == 4);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){1, 2}, out, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 2}, clsp_out_f32(made, 3), NULL),
                     CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, (clsp_output){0}, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, clsp_out_f64(weights, 4), NULL),
                     CLSP_ERROR_ARGUMENT);
    const clsp_sync sync = {.reserved = {1}};
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, out, &sync),
                     CLSP_ERROR_ARGUMENT);
    clsp_bspline_plan_destroy(&plan);
    assert_int_equal(clsp_bspline_set_target(NULL, &bezier), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_target_desc(NULL, 0, &d), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_convert(NULL, (clsp_range){0, 0}, out, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(
        clsp_bspline_target_matrix(NULL, 0, 0, clsp_out_u32(first, 2), clsp_out_f64(weights, 4)),
        CLSP_ERROR_ARGUMENT);
}

/* Numbers that are none reach those control points alone whose rows have them. */
static void not_finite(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 12, ROWS = 4 * (NUM - 3) };
    static const double values[] = {NAN, INFINITY, -INFINITY};
    const uint32_t degree[3] = {3}, num_controls[3] = {NUM};
    const clsp_bspline_target target = {.bezier = 1};
    spline s = make_spline(precision, 1, degree, num_controls, CLAMPED, 0, P);
    double *const controls = random_controls(&s.l, 1);
    unsigned char before[ROWS * 3 * sizeof(double)], after[sizeof before];
    const size_t reals = (size_t)ROWS * 3, point = 3 * clsp_type_bytes(precision);
    float narrow[NUM * 3];
    uint32_t first[ROWS];
    double weights[4 * ROWS];

    clsp_bspline_plan *plan = plan_of(ctx, &s, controls, 1);
    assert_int_equal(clsp_bspline_set_target(plan, &target), CLSP_OK);
    assert_int_equal(
        clsp_bspline_convert(plan, (clsp_range){0, 1}, host_out(precision, before, reals), NULL),
        CLSP_OK);
    assert_int_equal(clsp_bspline_target_matrix(plan, 0, 0, clsp_out_u32(first, ROWS),
                                                clsp_out_f64(weights, 4 * ROWS)),
                     CLSP_OK);
    for (size_t at = 0; at < NUM; at++) {
        const double good = controls[3 * at + at % 3];
        controls[3 * at + at % 3] = values[at % COUNT(values)];
        assert_int_equal(
            clsp_bspline_set_control_points(plan, 1, controls_in(&s, controls, 1, narrow), NULL),
            CLSP_OK);
        assert_int_equal(
            clsp_bspline_convert(plan, (clsp_range){0, 1}, host_out(precision, after, reals), NULL),
            CLSP_OK);
        for (size_t i = 0; i < ROWS; i++)
            if (at < first[i] || at > first[i] + 3)
                assert_memory_equal(before + i * point, after + i * point, point);
        controls[3 * at + at % 3] = good;
    }
    clsp_bspline_plan_destroy(&plan);
    free(controls);
}

static void test_not_finite(void **state)
{
    (void)state;
    with_limits(not_finite);
}

/* Numbers of patches that are not loaded, and such as nobody has memory for. */
static void test_numbers(void **state)
{
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc surface = {.degree = {2, 1}, .num_controls = {4, 3}, .dim = 1};
    const clsp_bspline_target bezier = {.bezier = 1};
    const size_t each = 2 * 3 * 2 * 2; /* of pieces, orders */
    float controls[12] = {0}, made[2 * 3 * 2 * 2];
    clsp_bspline_plan *plan;
    size_t num = 7;

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &surface), CLSP_OK);
    assert_int_equal(clsp_bspline_target_size(plan, (clsp_range){0, 1}, &num), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bspline_set_target(plan, &bezier), CLSP_OK);
    assert_int_equal(clsp_bspline_target_size(plan, (clsp_range){5, 0}, &num), CLSP_OK);
    assert_int_equal(num, 0);
    assert_int_equal(clsp_bspline_target_size(plan, (clsp_range){0, 100000000}, &num), CLSP_OK);
    assert_true(num == each * 100000000);
    assert_int_equal(clsp_bspline_target_size(plan, (clsp_range){0, SIZE_MAX / 2}, &num),
                     CLSP_ERROR_NO_MEMORY);
    assert_int_equal(
        clsp_bspline_set_control_points(plan, SIZE_MAX / 8, clsp_in_f32(controls, SIZE_MAX), NULL),
        CLSP_ERROR_NO_MEMORY);
    assert_int_equal(
        clsp_bspline_set_control_points(plan, 1000000000, clsp_in_f32(controls, 12), NULL),
        CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(clsp_bspline_set_control_points(plan, 1, clsp_in_f32(controls, 12), NULL),
                     CLSP_OK);
    const clsp_output out = clsp_out_f32(made, COUNT(made));
    const clsp_range wrong[] = {{0, 2}, {1, 1}, {0, 1000000000}, {SIZE_MAX, 2}, {2, SIZE_MAX}};
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(clsp_bspline_convert(plan, wrong[i], out, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, out, NULL), CLSP_OK);
    clsp_bspline_plan_destroy(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions),  cmocka_unit_test(test_degrees),
        cmocka_unit_test(test_many),         cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_same_splines), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_parts),        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_pieces),       cmocka_unit_test(test_targets),
        cmocka_unit_test(test_derivatives),  cmocka_unit_test(test_calls),
        cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_numbers),
    };

    if (no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
