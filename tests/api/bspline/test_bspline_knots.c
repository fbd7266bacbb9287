/* Curves with knots of their own, in every call that evaluates and in conversions, against the
   definition. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "memory_fixture.h"
#include "spline_fixture.h"
#include "convert_fixture.h"

enum { CURVES = 5 };

/* A plan of curves, each of which is a spline by itself. */
typedef struct family {
    clsp_patch_plan *plan;
    double *controls;
    spline curve[CURVES];
} family;

/* Domains lie apart, and are of different lengths. */
static spline curve_of(clsp_type precision, uint32_t degree, uint32_t controls, uint32_t rational,
                       uint32_t attributes, size_t number)
{
    const uint32_t degrees[3] = {degree}, nums[3] = {controls};
    const knot_kind kind = (knot_kind)(number % NUM_KINDS);
    spline s = make_spline(precision, 1, degrees, nums, kind, rational, attributes);

    for (uint32_t i = 0; i < controls + degree + 1; i++)
        s.knots[0][i] = s.knots[0][i] * (double)(1 + number) + 100.0 * (double)number - 64.0;
    return s;
}

static clsp_status set_knots(family *f)
{
    const spline *const s = f->curve;
    const size_t each = s->d.num_controls[0] + s->d.degree[0] + 1;
    double *const knots = malloc(CURVES * each * sizeof *knots);

    assert_non_null(knots);
    for (size_t c = 0; c < CURVES; c++)
        memcpy(knots + c * each, f->curve[c].knots[0], each * sizeof *knots);
    const clsp_status status =
        clsp_bspline_set_knots(f->plan, CURVES, clsp_in_f64(knots, CURVES * each));
    free(knots);
    return status;
}

/* num: samples of the grid. */
static family make_family(clsp_context *ctx, clsp_type precision, uint32_t degree,
                          uint32_t controls, uint32_t rational, uint32_t attributes, uint32_t num)
{
    family f;

    for (size_t c = 0; c < CURVES; c++)
        f.curve[c] = curve_of(precision, degree, controls, rational, attributes, c);
    f.curve[0].d.axis[0].num = num;
    f.controls = random_controls(&f.curve[0].l, CURVES);
    f.plan = plan_of(ctx, &f.curve[0], f.controls, CURVES);
    assert_int_equal(set_knots(&f), CLSP_OK);
    return f;
}

static void free_family(family *f)
{
    clsp_patch_plan_destroy(&f->plan);
    free(f->controls);
}

static double worst;

/* lost: how far a parameter may be off, in eps of the domain's length. */
static void judge_vertex(const family *f, size_t c, long double t, const unsigned char *vertices,
                         size_t k, double lost)
{
    const spline *const s = &f->curve[c];
    const uint32_t p = s->d.degree[0], n = s->d.num_controls[0];
    const double *const u = s->knots[0], length = u[n] - u[p];
    const double first = gain(u, p, n, 1), second = gain(u, p, n, 2);
    const double steep = p > 1 && first > 0 ? fmax(first, second / first) : first;
    const double own = p > 31 ? 32.0 : 8.0;
    const long double at[3] = {t, 0.0L, 0.0L};

    worst = support_worse(worst, spline_error(s, f->controls + c * s->l.controls, at, vertices, k,
                                              own + lost * length * steep));
}

static const struct {
    uint32_t degree, controls, rational, attributes;
} cases[] = {{3, 14, 0, P},
             {2, 9, 1, P | W | DU | T},
             {5, 17, 0, P | DU | DUU},
             {4, 11, 1, P | K},
             {0, 4, 0, P},
             {1, 2, 0, P | DU},
             {3, 4, 0, P},
             {16, 40, 0, P},
             {31, 64, 0, P | DU}};

/* ---- at parameters ---- */

static void points(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 90 };

    for (size_t i = 0; i < COUNT(cases); i++) {
        double params[NUM];
        float narrow[NUM];
        uint32_t curves[NUM];
        if (!in_turn(i) || (tiny() && i > 1)) continue;
        seed((unsigned)i);
        family f = make_family(ctx, precision, cases[i].degree, cases[i].controls,
                               cases[i].rational, cases[i].attributes, 0);
        const spline *const s = f.curve;
        unsigned char *const vertices = guarded(&s->l, NUM);
        for (size_t k = 0; k < NUM; k++) {
            const uint32_t c = curves[k] = (uint32_t)(k % CURVES);
            const double *const u = f.curve[c].knots[0] + s->d.degree[0];
            const double end = u[s->d.num_controls[0] - s->d.degree[0]];
            const double t = k % 3 == 0
                                 ? u[k / 3 % (s->d.num_controls[0] - s->d.degree[0] + 1)]
                                 : (double)domain_at(&f.curve[c], 0, 0.5 + random_real() / 2);
            params[k] = precision == CLSP_F64 ? t : (double)(float)t;
            params[k] = fmin(fmax(params[k], u[0]), end); /* knots are floats */
            narrow[k] = (float)params[k];
        }
        narrow[1] = (float)(params[1] = -1e6); /* outside: the end's */
        narrow[2] = (float)(params[2] = 1e6);
        assert_int_equal(
            clsp_patch_eval_points(f.plan,
                                   &(clsp_points){.num = NUM,
                                                  .item = clsp_in_u32(curves, NUM),
                                                  .params = precision == CLSP_F64
                                                                ? clsp_in_f64(params, NUM)
                                                                : clsp_in_f32(narrow, NUM)},
                                   host_out(s->l.type, vertices, NUM * s->l.stride), NULL),
            CLSP_OK);
        for (size_t k = 0; k < NUM; k++) {
            const double *const u = f.curve[curves[k]].knots[0];
            judge_vertex(&f, curves[k],
                         fmin(fmax(params[k], u[s->d.degree[0]]), u[s->d.num_controls[0]]),
                         vertices, k, 0.0);
        }
        free_guarded(&s->l, NUM, vertices);
        free_family(&f);
    }
}

static void test_points(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(points);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- grids ---- */

static void eval(const family *f, size_t first, size_t count, size_t num, unsigned char *vertices)
{
    const spline *const s = f->curve;

    assert_int_equal(clsp_patch_eval(f->plan, (clsp_range){first, count},
                                     host_out(s->l.type, vertices, num * s->l.stride), NULL),
                     CLSP_OK);
}

/* The whole of each domain, both ways round. */
static void grids(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 41 };

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!in_turn(i) || (tiny() && i > 1)) continue;
        seed((unsigned)i);
        family f = make_family(ctx, precision, cases[i].degree, cases[i].controls,
                               cases[i].rational, cases[i].attributes, NUM);
        const spline *const s = f.curve;
        unsigned char *const all = guarded(&s->l, CURVES * NUM), *const one = guarded(&s->l, NUM);
        for (int back = 0; back < 2; back++) {
            eval(&f, 0, CURVES, CURVES * NUM, all);
            for (size_t k = 0; k < CURVES * NUM; k++) {
                const long double ratio = (long double)(k % NUM) / (NUM - 1);
                judge_vertex(&f, k / NUM, domain_at(&f.curve[k / NUM], 0, back ? 1 - ratio : ratio),
                             all, k, 4.0);
            }
            eval(&f, 3, 1, NUM, one);
            const size_t bytes = NUM * s->l.stride * s->l.element;
            assert_memory_equal(one, all + 3 * bytes, bytes);
            const clsp_axis axis = {.num = NUM,
                                    .begin = s->knots[0][s->d.num_controls[0]],
                                    .end = s->knots[0][s->d.degree[0]]};
            assert_int_equal(clsp_patch_set_grids(f.plan, &axis, 0, (clsp_input){0}), CLSP_OK);
        }
        free_guarded(&s->l, CURVES * NUM, all);
        free_guarded(&s->l, NUM, one);
        free_family(&f);
    }
}

static void test_grids(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(grids);
    print_message("worst/bound %.2f\n", worst);
}

/* A part that all domains have, which the description's need not have; numbers of samples of their
   own; shared evaluation. */
static void parts(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 17 };
    static const uint32_t nums[CURVES] = {3, 1, 9, 2, 5};
    const clsp_axis axis = {.num = NUM, .begin = 0.25, .end = 0.75};
    unsigned char *vertices;

    seed(3);
    family f = make_family(ctx, precision, 3, 9, 0, P | T, NUM);
    const spline *const s = f.curve;
    for (size_t c = 0; c < CURVES; c++) /* [0, 1] and more */
        for (uint32_t i = 0; i < 13; i++)
            f.curve[c].knots[0][i] = (i < 4   ? -(double)c / 8
                                      : i > 8 ? 1 + (double)c / 4
                                              : (i - 3 + (double)c / 16) / 8);
    f.curve[1].knots[0][0] = -3;
    assert_int_equal(set_knots(&f), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(f.plan, &axis, 0, (clsp_input){0}),
                     CLSP_ERROR_ARGUMENT); /* [-64, ..] */
    clsp_patch_plan_destroy(&f.plan);
    f.plan = plan_of(ctx, &f.curve[4], f.controls, CURVES); /* of a wide domain */
    assert_int_equal(set_knots(&f), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(f.plan, &axis, 0, (clsp_input){0}), CLSP_OK);
    vertices = guarded(&s->l, CURVES * NUM);
    eval(&f, 0, CURVES, CURVES * NUM, vertices);
    for (size_t k = 0; k < CURVES * NUM; k++)
        judge_vertex(&f, k / NUM, 0.25L + 0.5L * (k % NUM) / (NUM - 1), vertices, k, 4.0);
    clsp_report report;
    assert_int_equal(
        clsp_patch_eval(f.plan, (clsp_range){0, CURVES},
                        host_out(s->l.type, vertices, CURVES * NUM * s->l.stride),
                        &(clsp_run){.share = &(clsp_share){.num_workers = 0}, .report = &report}),
        CLSP_OK);
    judge_vertex(&f, 2, 0.25L + 0.5L * 5 / (NUM - 1), vertices, 2 * NUM + 5, 4.0);
    free_guarded(&s->l, CURVES * NUM, vertices);

    assert_int_equal(clsp_patch_set_grids(f.plan, NULL, CURVES, clsp_in_u32(nums, CURVES)),
                     CLSP_OK);
    vertices = guarded(&s->l, 20);
    eval(&f, 0, CURVES, 20, vertices);
    for (size_t c = 0, k = 0; c < CURVES; c++)
        for (uint32_t a = 0; a < nums[c]; a++, k++)
            judge_vertex(&f, c, 0.25L + 0.5L * a / (nums[c] > 1 ? nums[c] - 1 : 1), vertices, k,
                         4.0);
    free_guarded(&s->l, 20, vertices);
    free_family(&f);
}

static void test_parts(void **state)
{
    (void)state;
    with_limits(parts);
}

/* ---- conversions ---- */

enum { MOST_KNOTS = 16 * MAX_KNOTS };

/* Makes domains [-c / 64, 1 + c / 32]. */
static void draw_near(family *f)
{
    const uint32_t p = f->curve[0].d.degree[0], n = f->curve[0].d.num_controls[0];

    for (size_t c = 0; c < CURVES; c++) {
        double *const u = f->curve[c].knots[0];
        const double begin = u[p], length = u[n] - u[p], low = -(double)c / 64;
        for (uint32_t i = 0; i < n + p + 1; i++)
            u[i] = low + (u[i] - begin) / length * (1 + (double)c / 32 - low);
    }
    assert_int_equal(set_knots(f), CLSP_OK);
}

/* The interval that all domains have. */
static void common_domain(const family *f, double domain[2])
{
    domain[0] = -INFINITY;
    domain[1] = INFINITY;
    for (size_t c = 0; c < CURVES; c++) {
        const spline *const s = &f->curve[c];
        domain[0] = fmax(domain[0], s->knots[0][s->d.degree[0]]);
        domain[1] = fmin(domain[1], s->knots[0][s->d.num_controls[0]]);
    }
    assert_true(domain[0] < domain[1]);
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Knots that hold all curves, each degree + 1 times; returns how many control points. */
static uint32_t union_of_knots(const family *f, const double domain[2], double *u)
{
    const uint32_t order = f->curve[0].d.degree[0] + 1;
    const uint32_t num = f->curve[0].d.num_controls[0] + order;
    double inner[CURVES * MAX_KNOTS + 2] = {domain[0], domain[1]};
    uint32_t count = 2, written = 0;

    for (size_t c = 0; c < CURVES; c++)
        for (uint32_t i = 0; i < num; i++)
            if (f->curve[c].knots[0][i] > domain[0] && f->curve[c].knots[0][i] < domain[1])
                inner[count++] = f->curve[c].knots[0][i];
    qsort(inner, count, sizeof *inner, rising);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < order && (i == 0 || inner[i] != inner[i - 1]); k++) {
            assert_true(written < MOST_KNOTS);
            u[written++] = inner[i];
        }
    return written - order;
}

/* Judges the control points of a curve over other knots. */
static void judge_controls(const family *f, size_t c, uint32_t by, const clsp_bspline_desc *d,
                           const void *made)
{
    const spline *const s = &f->curve[c];
    const double eps = s->d.precision == CLSP_F64 ? DBL_EPSILON : FLT_EPSILON;
    const uint32_t p = s->d.degree[0], n = s->d.num_controls[0], coords = s->l.coords;
    const double *const controls = f->controls + c * s->l.controls;
    const double bound = 8.0 * eps * 2.0 * gain(s->knots[0], p, n, by); /* weights below 2 */
    const ref_knots from = {s->knots[0], p, n},
                    to = {d->knots[0], d->degree[0], d->num_controls[0]};

    for (uint32_t i = 0; i < to.controls; i++) {
        long double weights[REF_MAX_DEGREE + 1];
        const unsigned first = ref_bspline_conversion(from, by, to, i, weights);
        for (uint32_t k = 0; k < coords; k++) {
            const double got = s->d.precision == CLSP_F64 ? ((const double *)made)[i * coords + k]
                                                          : ((const float *)made)[i * coords + k];
            long double exact = 0.0L;
            for (uint32_t j = 0; j <= p; j++)
                exact += weights[j] * controls[(first + j) * coords + k];
            worst = support_worse(worst, (double)fabsl(got - exact) / bound);
            if (!(fabsl(got - exact) <= bound))
                fail_msg("degree %u, curve %zu, control point %u: %g and not %Lg", p, c, i, got,
                         exact);
        }
    }
}

/* The matrix of a curve, times its control points, is the conversion. */
static void check_matrix(const family *f, size_t c, uint32_t by, const clsp_bspline_desc *d)
{
    const spline *const s = &f->curve[c];
    const uint32_t rows = d->num_controls[0], terms = s->d.degree[0] + 1;
    const ref_knots from = {s->knots[0], s->d.degree[0], s->d.num_controls[0]};
    const ref_knots to = {d->knots[0], d->degree[0], rows};
    uint32_t *const first = malloc(rows * sizeof *first);
    double *const weights = malloc((size_t)rows * terms * sizeof *weights);
    const double scale = gain(s->knots[0], from.degree, from.controls, by);

    assert_true(first && weights);
    const clsp_bspline_matrix matrix = {
        clsp_out_u32(first, rows), clsp_out_f64(weights, (size_t)rows * terms), {0}};
    clsp_bspline_desc told;
    assert_int_equal(clsp_bspline_target_desc(f->plan, c, &told, &matrix), CLSP_OK);
    for (uint32_t i = 0; i < rows; i++) {
        long double exact[REF_MAX_DEGREE + 1];
        assert_int_equal(first[i], ref_bspline_conversion(from, by, to, i, exact));
        for (uint32_t j = 0; j < terms; j++)
            assert_true(fabsl(weights[i * terms + j] - exact[j]) <= 8 * DBL_EPSILON * scale);
    }
    free(first);
    free(weights);
}

static void check_target(clsp_context *ctx, const family *f, const clsp_bspline_target *target)
{
    const spline *const s = f->curve;
    const uint32_t by = target->along[0].derivative;
    const size_t element = clsp_type_bytes(s->d.precision);
    size_t all, before;
    clsp_bspline_desc d;

    if (clsp_bspline_set_target(f->plan, target) != CLSP_OK) {
        char why[256];
        clsp_context_last_error(ctx, why, sizeof why);
        fail_msg("%s", why);
    }
    assert_int_equal(count_converted(f->plan, (clsp_range){0, CURVES}, s->l.coords, &all), CLSP_OK);
    for (int kind = HOST; kind < STORE_KINDS; kind++) {
        if (!has_kind(ctx, (store_kind)kind)) continue;
        store out = store_make(ctx, (store_kind)kind, s->d.precision, 3, all * s->l.coords, NULL);
        assert_int_equal(
            clsp_bspline_convert(f->plan, (clsp_range){0, CURVES}, store_out(&out), NULL), CLSP_OK);
        const unsigned char *const made = store_read(&out);
        for (size_t c = 0; c < CURVES; c++) {
            assert_int_equal(clsp_bspline_target_desc(f->plan, c, &d, NULL), CLSP_OK);
            assert_int_equal(count_converted(f->plan, (clsp_range){0, c}, s->l.coords, &before),
                             CLSP_OK);
            const unsigned char *const own = made + before * s->l.coords * element;
            const size_t reals = d.num_controls[0] * s->l.coords;
            judge_controls(f, c, by, &d, own);
            store one = store_make(ctx, (store_kind)kind, s->d.precision, 0, reals, NULL);
            assert_int_equal(
                clsp_bspline_convert(f->plan, (clsp_range){c, 1}, store_out(&one), NULL), CLSP_OK);
            assert_memory_equal(store_read(&one), own, reals * element);
            store_free(&one);
            if (kind == HOST) check_matrix(f, c, by, &d);
        }
        store_free(&out);
    }
}

static void conversions(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        static double knots[MOST_KNOTS];
        double domain[2];
        if (!in_turn(i) || (tiny() && i > 1) || cases[i].degree > 16) continue;
        seed((unsigned)i);
        family f = make_family(ctx, precision, cases[i].degree, cases[i].controls,
                               cases[i].rational, P, 0);
        draw_near(&f);
        common_domain(&f, domain);
        const uint32_t most = cases[i].rational ? 0 : cases[i].degree > 1 ? 2 : cases[i].degree;
        const double inserted[] = {0.5 * (domain[0] + domain[1]) + 0x1p-20};
        const uint32_t num = union_of_knots(&f, domain, knots);
        const clsp_bspline_target targets[] = {
            {.bezier = 1},
            {.along[0] = {.elevate = 1}},
            {.along[0] = {.insert = inserted, .num_insert = 1}},
            {.along[0] = {.begin = domain[0], .end = domain[1], .elevate = cases[i].degree < 9}},
            {.along[0] = {.derivative = most}},
            {.along[0] = {.derivative = most > 0}, .bezier = 1},
            {.along[0] = {.knots = knots, .degree = cases[i].degree, .num_controls = num}}};
        for (size_t t = 0; t < COUNT(targets); t++)
            check_target(ctx, &f, &targets[t]);
        free_family(&f);
    }
}

static void test_conversions(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(conversions);
    print_message("worst/bound %.2f\n", worst);
}

/* Straight pieces are between the control points, exactly, of many curves. */
static void test_many_pieces(void **state)
{
    enum { NUM = 200, EACH = 60, PIECES = EACH - 1 };
    const clsp_bspline_desc curves = {
        .directions = 1, .degree = {1}, .num_controls = {EACH}, .dim = 1};
    const clsp_bspline_target bezier = {.bezier = 1};
    static double knots[NUM][EACH + 2];
    static float controls[NUM][EACH], made[NUM][PIECES][2];
    clsp_context *const ctx = lent_context("");
    clsp_patch_plan *plan;

    (void)state;
    for (size_t c = 0; c < NUM; c++)
        for (size_t i = 0; i < EACH + 2; i++) {
            knots[c][i] = (double)(c + 1) * (double)(i == 0 ? 1 : i > EACH ? EACH : i);
            if (i < EACH) controls[c][i] = (float)random_real();
        }
    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &curves));
    assert_ok(ctx, clsp_bspline_set_knots(plan, NUM, clsp_in_f64(knots[0], NUM * (EACH + 2))));
    assert_ok(ctx,
              clsp_patch_set_control_points(plan, NUM, clsp_in_f32(controls[0], NUM * EACH), NULL));
    assert_ok(ctx, clsp_bspline_set_target(plan, &bezier));
    assert_ok(ctx, clsp_bspline_convert(plan, (clsp_range){0, NUM},
                                        clsp_out_f32(made[0][0], NUM * PIECES * 2), NULL));
    for (size_t c = 0; c < NUM; c++)
        for (size_t i = 0; i < PIECES; i++)
            assert_memory_equal(made[c][i], &controls[c][i], sizeof made[c][i]);
    clsp_patch_plan_destroy(&plan);
}

/* What is wrong is told with the curve's number. */
static void test_targets(void **state)
{
    static const double knots[] = {0, 0, 0, 1, 2, 2, 2, 5, 5, 5, 6, 7, 7, 7};
    static const double inside[] = {1.5}, given[] = {0, 0, 0, 1, 2, 2, 2};
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc curves = {.directions = 1, .degree = {2}, .num_controls = {4}};
    const struct {
        clsp_bspline_target target;
        const char *words;
    } wrong[] = {
        {{.along[0] = {.insert = inside, .num_insert = 1}}, "curve 1: inserted knot 0, 1.5"},
        {{.along[0] = {.end = 1}}, "curve 1: "},
        {{.along[0] = {.knots = given, .degree = 2, .num_controls = 4}}, "curve 1: knot 2"},
        {{.along[0] = {.derivative = 3}}, "curve 0: "},
        {{.bezier = 1, .method = CLSP_BSPLINE_CONVERT_MATRIX},
         support_has_methods() ? "matrices" : "built without"},
    };
    const clsp_bspline_target bezier = {.bezier = 1};
    clsp_patch_plan *plan;
    clsp_bspline_desc d;
    size_t num;

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &curves), CLSP_OK);
    assert_int_equal(clsp_bspline_set_target(plan, &bezier), CLSP_OK);
    assert_int_equal(count_converted(plan, (clsp_range){7, 3}, 3, &num), CLSP_OK);
    assert_int_equal(num, 3 * 6);
    assert_int_equal(clsp_bspline_set_knots(plan, 2, clsp_in_f64(knots, COUNT(knots))), CLSP_OK);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, NULL),
                     CLSP_ERROR_STATE); /* it is gone */
    assert_int_equal(count_converted(plan, (clsp_range){0, 1}, 3, &num), CLSP_ERROR_STATE);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char why[256];
        assert_int_equal(clsp_bspline_set_target(plan, &wrong[i].target), CLSP_ERROR_ARGUMENT);
        clsp_context_last_error(ctx, why, sizeof why);
        if (!strstr(why, wrong[i].words)) fail_msg("\"%s\" without \"%s\"", why, wrong[i].words);
    }
    assert_int_equal(clsp_bspline_set_target(plan, &bezier), CLSP_OK);
    assert_int_equal(clsp_bspline_target_desc(plan, 1, &d, NULL), CLSP_OK);
    assert_true(d.knots[0][0] == 5 && d.knots[0][3] == 6 && d.num_controls[0] == 6);
    assert_int_equal(clsp_bspline_target_desc(plan, 2, &d, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(count_converted(plan, (clsp_range){1, 2}, 3, &num), CLSP_ERROR_ARGUMENT);
    assert_int_equal(count_converted(NULL, (clsp_range){0, 1}, 3, &num), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 0}, (clsp_output){0}, NULL),
                     CLSP_ERROR_STATE); /* no control points */
    clsp_patch_plan_destroy(&plan);
}

/* ---- calls ---- */

/* Other knots, and then the description's again. */
static void test_changes(void **state)
{
    enum { NUM = 33 };
    clsp_context *const ctx = lent_context("");

    (void)state;
    seed(4);
    family f = make_family(ctx, CLSP_F32, 3, 11, 0, P, NUM);
    const spline *const s = f.curve;
    unsigned char *const own = guarded(&s->l, CURVES * NUM), *const shared = guarded(&s->l, NUM);
    eval(&f, 0, CURVES, CURVES * NUM, own);
    for (size_t c = 0; c < CURVES; c++)
        for (uint32_t i = 0; i < 15; i++)
            f.curve[c].knots[0][i] *= 0.5;
    assert_int_equal(set_knots(&f), CLSP_OK);
    eval(&f, 0, CURVES, CURVES * NUM, own);
    for (size_t k = 0; k < CURVES * NUM; k++)
        judge_vertex(&f, k / NUM,
                     domain_at(&f.curve[k / NUM], 0, (long double)(k % NUM) / (NUM - 1)), own, k,
                     4.0);
    assert_int_equal(clsp_bspline_set_knots(f.plan, 0, (clsp_input){0}), CLSP_OK);
    for (uint32_t i = 0; i < 15; i++)
        f.curve[0].knots[0][i] *= 2;
    f.curve[3] = f.curve[0]; /* all have the description's */
    eval(&f, 3, 1, NUM, shared);
    for (size_t k = 0; k < NUM; k++)
        judge_vertex(&f, 3, domain_at(&f.curve[0], 0, (long double)k / (NUM - 1)), shared, k, 0.0);
    free_guarded(&s->l, CURVES * NUM, own);
    free_guarded(&s->l, NUM, shared);
    free_family(&f);
}

static void refused(clsp_context *ctx, clsp_patch_plan *plan, size_t num, clsp_input knots,
                    clsp_status expected, const char *words)
{
    char why[256];

    assert_int_equal(clsp_bspline_set_knots(plan, num, knots), expected);
    clsp_context_last_error(ctx, why, sizeof why);
    if (!strstr(why, words)) fail_msg("\"%s\" does not say \"%s\"", why, words);
}

/* Defects by the curve's number; other memory, other plans, other numbers of curves. */
static void test_defects(void **state)
{
    double knots[] = {0, 0, 0, 1, 2, 2, 2, 5, 5, 5, 6, 7, 7, 7};
    const float points[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc curves = {
        .directions = 1, .degree = {2}, .num_controls = {4}, .dim = 1, .axis = {{.num = 5}}};
    const clsp_bspline_desc surfaces = {.degree = {2, 2}, .num_controls = {4, 4}};
    const clsp_input all = clsp_in_f64(knots, COUNT(knots)), in = clsp_in_f32(points, 8);
    clsp_patch_plan *plan;
    float made[10];

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &surfaces), CLSP_OK);
    refused(ctx, plan, 1, all, CLSP_ERROR_ARGUMENT, "are of curves");
    clsp_patch_plan_destroy(&plan);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &curves), CLSP_OK);
    refused(ctx, plan, 3, all, CLSP_ERROR_BUFFER_SIZE, "knots");
    refused(ctx, plan, 2, clsp_in_f32(points, 14), CLSP_ERROR_ARGUMENT, "type");
    refused(ctx, plan, SIZE_MAX / 4, all, CLSP_ERROR_NO_MEMORY, "curves");
    refused(ctx, plan, 2, clsp_in_f64(NULL, 14), CLSP_ERROR_ARGUMENT, "no memory is given");
    knots[10] = 4;
    refused(ctx, plan, 2, all, CLSP_ERROR_ARGUMENT, "knot 3 of curve 1, 4, is less than");
    knots[10] = NAN;
    refused(ctx, plan, 2, all, CLSP_ERROR_ARGUMENT, "knot 3 of curve 1, nan, is not finite");
    knots[10] = 6;
    assert_int_equal(clsp_bspline_set_knots(plan, 2, all), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(plan, 3, clsp_in_f32(points, 12), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(made, 5), NULL),
                     CLSP_ERROR_STATE);
    assert_int_equal(clsp_patch_set_control_points(plan, 2, in, NULL), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){1, 1}, clsp_out_f32(made, 5), NULL),
                     CLSP_OK);
    assert_true(made[0] == 5 && made[4] == 8);
    const clsp_share by_caller = {.schedule = CLSP_SCHEDULE_HOST, .tiles = {0, 1}};
    const clsp_share measured = {.measure = 1};
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(made, 5),
                                     &(clsp_run){.share = &by_caller}),
                     CLSP_OK);
    assert_true(made[0] == 1 && made[4] == 4);
    const clsp_axis one = {.num = 1}, five = {.num = 5};
    assert_int_equal(clsp_patch_set_grids(plan, &one, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){1, 1}, clsp_out_f32(made, 1), NULL),
                     CLSP_OK);
    assert_true(made[0] == 5);
    assert_int_equal(clsp_patch_set_grids(plan, &five, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(made, 5),
                                     &(clsp_run){.share = &measured}),
                     support_is_own_cpu(ctx) ? CLSP_OK : CLSP_ERROR_ARGUMENT);
    const clsp_axis part = {.num = 5, .begin = 0.25, .end = 0.5};
    /* from where the plan's domain begins, and ends */
    const clsp_axis halves[] = {{.num = 5, .end = 0.5}, {.num = 5, .begin = 1, .end = 0.5}};
    assert_int_equal(clsp_patch_set_grids(plan, &part, 0, (clsp_input){0}),
                     CLSP_ERROR_ARGUMENT); /* curve 1: [5, 7] */
    for (int k = 0; k < 2; k++)
        assert_int_equal(clsp_patch_set_grids(plan, &halves[k], 0, (clsp_input){0}),
                         CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){1, 1}, clsp_out_f32(made, 5), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_set_knots(plan, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(plan, &part, 0, (clsp_input){0}), CLSP_OK);
    refused(ctx, plan, 2, all, CLSP_ERROR_ARGUMENT, "the domain of curve 1");
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){1, 1}, clsp_out_f32(made, 5), NULL),
                     CLSP_OK);
    clsp_patch_plan_destroy(&plan);
    assert_int_equal(clsp_bspline_set_knots(NULL, 2, all), CLSP_ERROR_ARGUMENT);
}

/* Parameters are stored as exactly as the precision has them. */
static void test_params(void **state)
{
    const double knots[] = {0, 0, 0, 0.1, 0.3, 0.3, 0.3}, points[] = {1, 2, 3, 4};
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc curves = {.directions = 1,
                                      .precision = CLSP_F64,
                                      .degree = {2},
                                      .num_controls = {4},
                                      .dim = 1,
                                      .axis = {{.num = 4}},
                                      .vertex = {.attributes = T}};
    clsp_patch_plan *plan;
    double made[4];

    (void)state;
    if (!has_fp64(ctx)) skip();
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &curves), CLSP_OK);
    assert_int_equal(clsp_bspline_set_knots(plan, 1, clsp_in_f64(knots, 7)), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(plan, 1, clsp_in_f64(points, 4), NULL), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f64(made, 4), NULL),
                     CLSP_OK);
    assert_true(fabs(made[1] - 0.1) < 1e-15 && fabs(made[2] - 0.2) < 1e-15);
    clsp_patch_plan_destroy(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),      cmocka_unit_test(test_grids),
        cmocka_unit_test(test_parts),       cmocka_unit_test(test_many_pieces),
        cmocka_unit_test(test_conversions), cmocka_unit_test(test_targets),
        cmocka_unit_test(test_changes),     cmocka_unit_test(test_defects),
        cmocka_unit_test(test_params),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
