/* Projection onto B-spline curves: the nearest point and its bound against the oracle, on tame and
   on hard curves, of one curve or of many; options, memory of every kind, bad input, events and
   shared calls. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "curve_cases.h"
#include "hard_curves.h"
#include "memory_fixture.h"
#include "shared_fixture.h"
#include "vertex_fixture.h"

/* Turns of a thin run, among which combinations of degree and dimension are dealt out: each is a
   program to compile. */
enum { TURNS = 5 };

static void say_worst(void)
{
    print_message("worst/bound %.2f", project_worst());
    print_message(", %zu searches cut\n", project_cut());
}

/* Projects points and checks each; frees them, and the curves. */
static void check_points(clsp_context *ctx, curves *c, size_t num, double *queries)
{
    projecting p = project_start(ctx, c, num, queries);

    check_all_nearest(&p);
    project_finish(&p);
    free(queries);
    curves_free(c);
}

/* Projects random points of all kinds. */
static void check_curves(clsp_context *ctx, curves *c, size_t num)
{
    check_points(ctx, c, num, make_queries(c, num));
}

/* ---- the nearest point ---- */

static curves curves_of_case(size_t i, curve_kind kind, clsp_type precision)
{
    const curve_case *const k = &curve_cases[i];
    curves c = curves_make(precision, k->degree, k->controls, k->dim, false, 1);

    c.name = k->name;
    curve_case_controls(k, kind, c.controls);
    curves_finish(&c);
    return c;
}

/* Points that are made for curves of a case. */
typedef double *(*points_fn)(curves *c, size_t num);

/* In a full run a million points in all. */
static void check_cases(clsp_context *ctx, clsp_type precision, points_fn make_points)
{
    const size_t num = full() ? 5600 : tiny() ? 16 : 96;

    for (size_t i = 0; i < CURVE_CASES; i++)
        for (int kind = 0; kind < CURVE_KINDS; kind++) {
            const size_t program = 3 * (curve_cases[i].dim - 2) + curve_cases[i].degree - 4;
            if (!in_turn(program, TURNS) || (tiny() && i % 9 > 0)) continue;
            curves c = curves_of_case(i, (curve_kind)kind, precision);
            check_points(ctx, &c, num, make_points(&c, num));
            assert_int_equal(project_cut(), 0);
        }
    print_message("f%d: ", precision == CLSP_F64 ? 64 : 32);
    say_worst();
}

static void projections(clsp_context *ctx, clsp_type precision)
{
    check_cases(ctx, precision, make_queries);
}

static void test_cases(void **state)
{
    (void)state;
    with_limits(projections);
}

static void inversions(clsp_context *ctx, clsp_type precision)
{
    check_cases(ctx, precision, make_curve_points);
}

static void test_inversions(void **state)
{
    (void)state;
    with_limits(inversions);
}

static void hard(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < HARD_CURVES; i++) {
        if (!in_turn(i, TURNS) || (tiny() && i % 3 > 0)) continue;
        curves c = hard_curves(i, precision);
        check_curves(ctx, &c, full() ? 5600 : tiny() ? 16 : 80);
    }
}

static void test_hard(void **state)
{
    (void)state;
    with_limits(hard);
    say_worst();
}

/* Mesa's llvmpipe ends an item's loops after 65535 rounds in all and goes on; rational parts of
   degree p take about 30 p^2 of them each, and queries take some parts. */
static bool too_long(clsp_context *ctx, uint32_t degree, int rational)
{
    clsp_device_info info;

    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    return strstr(info.name, "llvmpipe") && rational && degree > 16;
}

/* In a thin run each degree is tried with weights or without. */
static void degrees(clsp_context *ctx, clsp_type precision)
{
    for (uint32_t degree = 1; degree <= CLSP_PROJECT_MAX_DEGREE;
         degree = degree < 16 ? degree + 1 : 2 * degree) {
        const size_t program = degree < 16 ? degree : degree / 16 + 15; /* 16, 17 and 19 */
        if (!in_turn(program, TURNS) || (tiny() && degree > 3)) continue;
        for (int rational = 0; rational < 2; rational++) {
            if (is_thin() && rational != (degree % 3 == 1)) continue;
            if (too_long(ctx, degree, rational)) continue;
            const uint32_t controls = degree < 16 ? 2 * degree + 3 : degree + 2;
            curves c = random_curves(precision, degree, controls, degree % 4 + 1, rational, 1);
            check_curves(ctx, &c, full() ? 400 : tiny() ? 8 : 40);
        }
    }
}

static void test_degrees(void **state)
{
    (void)state;
    with_limits(degrees);
    say_worst();
}

/* ---- many curves ---- */

static uint32_t *numbers_below(size_t num, size_t end)
{
    uint32_t *const numbers = malloc((num + 1) * sizeof *numbers);

    assert_non_null(numbers);
    for (size_t i = 0; i < num; i++)
        numbers[i] = (uint32_t)((i * 7 + 3) % end);
    return numbers;
}

/* Onto the nearest of all curves, and onto one that each point names. */
static void many_curves(clsp_context *ctx, clsp_type precision)
{
    const size_t num = tiny() ? 8 : 64;
    curves c = random_curves(precision, 3, 7, 2, precision == CLSP_F64, tiny() ? 4 : 40);
    double *const queries = make_queries(&c, num);
    uint32_t *const patches = numbers_below(num, c.num);
    projecting p = project_start(ctx, &c, num, queries);

    check_all_nearest(&p);
    p.patches = patches;
    check_all_nearest(&p);
    patches[num / 2] = (uint32_t)c.num;
    patches[num - 1] = UINT32_MAX;
    clsp_nearest_f64 *const results = project_range(&p, 0, num);
    for (size_t i = 0; i + 1 < num; i++)
        if (i != num / 2) check_nearest(&c, queries + 2 * i, patches[i], &results[i]);
    check_none(&results[num / 2], CLSP_NEAREST_INVALID, NAN);
    check_none(&results[num - 1], CLSP_NEAREST_INVALID, NAN);
    free(results);
    project_finish(&p);
    free(queries);
    free(patches);
    curves_free(&c);
}

static void test_many_curves(void **state)
{
    (void)state;
    with_limits(many_curves);
}

/* Other curves in the same plan, fewer and more of them, and none. */
static void test_reload(void **state)
{
    enum { NUM = 24 };
    clsp_context *const ctx = lent_context("");
    curves c = random_curves(CLSP_F32, 3, 7, 2, false, 9);
    double *const queries = make_queries(&c, NUM);
    projecting p = project_start(ctx, &c, NUM, queries);
    float controls[9 * 7 * 2];

    (void)state;
    check_all_nearest(&p);
    for (size_t num = 9; num > 0; num /= 2) {
        for (size_t i = 0; i < num * 14; i++) {
            controls[i] = (float)random_real();
            c.controls[i] = controls[i];
        }
        for (size_t i = 0; i < c.num; i++) {
            ref_project_free(c.oracle[i]);
            c.oracle[i] = NULL;
        }
        c.num = num;
        assert_int_equal(
            clsp_bspline_set_control_points(p.plan, num, clsp_in_f32(controls, num * 14), NULL),
            CLSP_OK);
        check_all_nearest(&p);
    }
    assert_int_equal(clsp_bspline_set_control_points(p.plan, 0, clsp_in_f32(controls, 0), NULL),
                     CLSP_OK);
    clsp_nearest_f64 *const results = project_range(&p, 0, NUM);
    for (size_t i = 0; i < NUM; i++)
        check_none(&results[i], CLSP_NEAREST_NONE, INFINITY);
    free(results);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

/* ---- options ---- */

/* Hints of all kinds change nothing: good ones, wrong ones, none, and such as are no parameters. */
static void hinted(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 60 };
    curves c = random_curves(precision, 4, 11, 3, false, 1);
    double *const queries = make_queries(&c, NUM), hints[NUM];
    projecting p = project_start(ctx, &c, NUM, queries);
    clsp_nearest_f64 *const free_ones = project_range(&p, 0, NUM);

    for (size_t i = 0; i < NUM; i++) {
        const double kinds[] = {
            free_ones[i].param[0], 0.5 + 0.5 * random_real(), NAN, -7.0, INFINITY, 0.25};
        hints[i] = kinds[i % COUNT(kinds)];
    }
    p.hints = hints;
    clsp_nearest_f64 *const results = project_range(&p, 0, NUM);
    for (size_t i = 0; i < NUM; i++) {
        check_nearest(&c, queries + 3 * i, 0, &results[i]);
        assert_true(fabs(results[i].distance - free_ones[i].distance) <=
                    allowed(&c, results[i].distance) / 2);
        assert_int_equal(results[i].status, free_ones[i].status);
    }
    free(results);
    free(free_ones);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

static void test_hints(void **state)
{
    (void)state;
    with_limits(hinted);
}

/* With patches hints are allowed of any number of curves. */
static void test_hints_of_patches(void **state)
{
    enum { NUM = 40 };
    clsp_context *const ctx = lent_context("");
    curves c = random_curves(CLSP_F32, 3, 8, 2, false, 6);
    double *const queries = make_queries(&c, NUM), hints[NUM];
    uint32_t *const patches = numbers_below(NUM, c.num);
    projecting p = project_start(ctx, &c, NUM, queries);

    (void)state;
    for (size_t i = 0; i < NUM; i++)
        hints[i] = i % 5 ? 0.5 + 0.5 * random_real() : NAN;
    p.patches = patches;
    p.hints = hints;
    check_all_nearest(&p);
    project_finish(&p);
    free(patches);
    free(queries);
    curves_free(&c);
}

/* What is farther than max_dist is not found, all else is. */
static void within_a_distance(clsp_context *ctx, clsp_type precision)
{
    static const double distances[] = {0.125, 1e-3, 1e30};
    const size_t num = tiny() ? 8 : 80;
    curves c = random_curves(precision, 3, 9, 2, precision == CLSP_F32, 3);
    double *const queries = make_queries(&c, num);
    projecting p = project_start(ctx, &c, num, queries);
    clsp_nearest_f64 *const all = project_range(&p, 0, num);

    for (size_t k = 0; k < COUNT(distances); k++) {
        const double most = rounded_to(precision, distances[k]);
        p.opts.max_dist = distances[k];
        clsp_nearest_f64 *const results = project_range(&p, 0, num);
        for (size_t i = 0; i < num; i++) {
            const double margin = allowed(&c, all[i].distance);
            if (results[i].status == CLSP_NEAREST_NONE) {
                check_none(&results[i], CLSP_NEAREST_NONE, most);
                assert_true(all[i].distance >= most - margin);
            } else {
                check_nearest(&c, queries + 2 * i, UINT32_MAX, &results[i]);
                assert_true(results[i].distance <= most + margin);
            }
        }
        free(results);
    }
    free(all);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

static void test_max_dist(void **state)
{
    (void)state;
    with_limits(within_a_distance);
}

/* ---- several minima ---- */

/* Whether the distance is no less a little beside a result. */
static bool is_minimum(curves *c, const double *query, const clsp_nearest_f64 *r)
{
    const double begin = c->knots[c->d.degree[0]], end = c->knots[c->d.num_controls[0]];
    const double step = 1e-4 * (end - begin) / c->d.num_controls[0];

    for (int sign = -1; sign <= 1; sign += 2) {
        long double point[4], square = 0.0L;
        ref_project_point(oracle_of(c, r->patch), r->param[0] + sign * step, 0, point);
        for (unsigned k = 0; k < c->dim; k++)
            square += (point[k] - query[k]) * (point[k] - query[k]);
        if (!(sqrtl(square) >= r->distance - allowed(c, r->distance))) return false;
    }
    return true;
}

/* Whether a minimum of the oracle's is among the results. */
static bool is_among(const curves *c, const ref_nearest *m, const clsp_nearest_f64 *results,
                     size_t num)
{
    const double range = c->knots[c->d.num_controls[0]] - c->knots[c->d.degree[0]];

    for (size_t k = 0; k < num; k++)
        if (results[k].status <= CLSP_NEAREST_CUT &&
            fabsl(results[k].distance - m->distance) <= allowed(c, results[k].distance) &&
            fabsl(results[k].param[0] - m->t) <= 1e-2 * range)
            return true;
    return false;
}

/* The results for one point are different minima, in order, and none that is clear is missing. */
static void check_minima(curves *c, const double *query, uint32_t patch,
                         const clsp_nearest_f64 *results, size_t num)
{
    enum { ROOM = 256 };
    ref_nearest minima[ROOM];
    size_t found = 0;

    while (found < num && results[found].status <= CLSP_NEAREST_CUT)
        found++;
    assert_true(found > 0);
    check_nearest(c, query, patch, &results[0]);
    for (size_t k = 0; k < found; k++) {
        check_itself(c, query, &results[k]);
        if (k > 0 && !(results[k].distance >= results[k - 1].distance))
            fail_msg("%s: %.17g after %.17g", c->name, results[k].distance,
                     results[k - 1].distance);
        if (!is_minimum(c, query, &results[k]))
            fail_msg("result %zu at %.17g is no minimum", k, results[k].param[0]);
        for (size_t i = 0; i < k; i++)
            assert_true(results[i].patch != results[k].patch ||
                        fabs(results[i].param[0] - results[k].param[0]) > 1e-6);
    }
    for (size_t k = found; k < num; k++)
        check_none(&results[k], CLSP_NEAREST_NONE, INFINITY);
    for (size_t i = patch == UINT32_MAX ? 0 : patch; i < c->num; i++) {
        const size_t there = ref_project_minima(oracle_of(c, i), query, minima, ROOM);
        assert_true(there <= ROOM);
        for (size_t k = 0; k < there; k++) {
            const ref_nearest *const m = &minima[k];
            const double most = allowed(c, (double)m->distance);
            const bool clear = m->bound - m->distance > 1e-3 * c->scale;
            const bool nearer = found < num || m->distance < results[num - 1].distance - most;
            if (clear && nearer && !is_among(c, m, results, found))
                fail_msg("%s, query %.17g %.17g: no result at %.17Lg, whose distance is %.17Lg",
                         c->name, query[0], query[1], m->t, m->distance);
        }
        if (patch != UINT32_MAX) break;
    }
}

static void check_several(clsp_context *ctx, curves *c, uint32_t num_nearest, bool by_patches)
{
    const size_t num = tiny() ? 8 : 48;
    double *const queries = make_queries(c, num);
    uint32_t *const patches = numbers_below(num, c->num);
    projecting p = project_start(ctx, c, num, queries);

    p.opts.num_nearest = num_nearest;
    if (by_patches) p.patches = patches;
    clsp_nearest_f64 *const results = project_range(&p, 0, num);
    for (size_t i = 0; i < num; i++)
        check_minima(c, queries + i * c->dim, by_patches ? patches[i] : UINT32_MAX,
                     results + i * num_nearest, num_nearest);
    free(results);
    project_finish(&p);
    free(queries);
    free(patches);
    curves_free(c);
}

static void several_minima(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t nums[] = {2, 5, CLSP_PROJECT_MAX_NEAREST};

    for (size_t i = 0; i < COUNT(nums); i++) {
        if (!in_turn(i, 2)) continue;
        curves one = curves_of_case(5, (curve_kind)(i % CURVE_KINDS), precision);
        check_several(ctx, &one, nums[i], false);
        curves some = random_curves(precision, 3, 8, 2, i == 1, 4);
        check_several(ctx, &some, nums[i], i == 2);
    }
}

static void test_num_nearest(void **state)
{
    (void)state;
    with_limits(several_minima);
}

/* From the centre of a square all of its sides are equally near, from its corners' outside the
   kinks are minima. */
static void test_square(void **state)
{
    static const float square[] = {1, -1, 1, 1, -1, 1, -1, -1, 1, -1};
    static const float points[] = {0, 0, 0.5F, 0, 2, 2};
    enum { NUM = 3, NEAREST = 5 };
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc d = {
        .directions = 1, .degree = {1}, .num_controls = {5}, .dim = 2, .precision = CLSP_F32};
    const clsp_bspline_queries queries = {.num = NUM, .points = clsp_in_f32(points, 2 * NUM)};
    const clsp_project_opts opts = {.num_nearest = NEAREST};
    clsp_nearest_f32 r[NUM][NEAREST];
    clsp_bspline_plan *plan;

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_bspline_set_control_points(plan, 1, clsp_in_f32(square, 10), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_project(plan, &queries, &opts,
                                          clsp_out_nearest_f32(r[0], NUM * NEAREST), NULL),
                     CLSP_OK);
    for (size_t k = 0; k < 4; k++)
        assert_true(fabsf(r[0][k].distance - 1) <= 1e-6F);
    assert_int_equal(r[0][4].status, CLSP_NEAREST_NONE);
    assert_true(fabsf(r[1][0].distance - 0.5F) <= 1e-6F &&
                fabsf(r[1][0].param[0] - 0.125F) < 1e-5F);
    assert_true(fabsf(r[2][0].distance - sqrtf(2)) <= 1e-6F);
    assert_true(r[2][0].point[0] == 1 && r[2][0].point[1] == 1);
    clsp_bspline_plan_destroy(&plan);
}

/* ---- memory ---- */

/* However a row of points is cut into calls, the bits are the same. */
static void same_bits(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 257 };
    static const size_t ends[] = {1, 2, 65, 200, NUM};
    const size_t each = nearest_bytes(precision);
    curves c = random_curves(precision, 3, 12, 2, false, 2);
    double *const queries = make_queries(&c, NUM);
    projecting p = project_start(ctx, &c, NUM, queries);
    unsigned char *const all = project_bytes(&p, 0, NUM);
    size_t first = 0;

    for (size_t i = 0; i < COUNT(ends); first = ends[i++]) {
        unsigned char *const some = project_bytes(&p, first, ends[i] - first);
        assert_memory_equal(some, all + first * each, (ends[i] - first) * each);
        free(some);
    }
    free(all);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

static void test_same_bits(void **state)
{
    (void)state;
    with_limits(same_bits);
}

enum { STORED = 37 }; /* points of the tests of memory */

typedef struct stored {
    float points[2 * STORED], hints[STORED];
    uint32_t patches[STORED];
} stored;

static void fill_stored(const curves *c, const double *queries, stored *s)
{
    for (size_t i = 0; i < STORED; i++) {
        s->points[2 * i] = (float)queries[2 * i];
        s->points[2 * i + 1] = (float)queries[2 * i + 1];
        s->hints[i] = i % 4 ? (float)(0.5 + 0.5 * random_real()) : NAN;
        s->patches[i] = (uint32_t)(i % c->num);
    }
}

/* Inputs of one kind, results of another; the expected ones came from host memory. */
static void check_kinds(const projecting *p, const stored *s, store_kind from, store_kind to,
                        const unsigned char *expected)
{
    const size_t reals = (size_t)STORED * 2 * CLSP_NEAREST_F32_SIZE;
    store points = store_make(p->ctx, from, CLSP_F32, 3, 2 * (size_t)STORED, s->points);
    store patches = store_make(p->ctx, from, CLSP_U32, 5, STORED, s->patches);
    store hints = store_make(p->ctx, from, CLSP_F32, 0, STORED, s->hints);
    store out = store_make(p->ctx, to, CLSP_F32, 7, reals, NULL);
    const clsp_bspline_queries queries = {.num = STORED,
                                          .points = store_in(&points),
                                          .patches = store_in(&patches),
                                          .hints = store_in(&hints)};

    assert_int_equal(clsp_bspline_project(p->plan, &queries, &p->opts, store_out(&out), NULL),
                     CLSP_OK);
    assert_memory_equal(store_read(&out), expected, reals * sizeof(float));
    assert_memory_equal(store_read(&points), s->points, sizeof s->points);
    store_free(&points);
    store_free(&patches);
    store_free(&hints);
    store_free(&out);
}

static void test_memory(void **state)
{
    clsp_context *const ctx = lent_context("");
    curves c = random_curves(CLSP_F32, 3, 9, 2, false, 4);
    double *const queries = make_queries(&c, STORED);
    projecting p = project_start(ctx, &c, STORED, queries);
    stored s;
    double hints[STORED];

    (void)state;
    fill_stored(&c, queries, &s);
    for (size_t i = 0; i < STORED; i++)
        hints[i] = s.hints[i];
    p.patches = s.patches;
    p.hints = hints;
    p.opts.num_nearest = 2;
    unsigned char *const expected = project_bytes(&p, 0, STORED);
    for (int from = 0; from < STORE_KINDS; from++)
        for (int to = 0; to < STORE_KINDS; to++)
            if (has_kind(ctx, (store_kind)from) && has_kind(ctx, (store_kind)to))
                check_kinds(&p, &s, (store_kind)from, (store_kind)to, expected);
    free(expected);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

/* Behind an event of the user's, on the device alone: nothing may run before it. */
static void test_events(void **state)
{
    clsp_context *const ctx = lent_context("");
    const cl_command_queue queue = clsp_context_queue(ctx);
    curves c = random_curves(CLSP_F32, 3, 9, 2, false, 4);
    double *const points = make_queries(&c, STORED);
    projecting p = project_start(ctx, &c, STORED, points);
    unsigned char *const expected = project_bytes(&p, 0, STORED);
    clsp_nearest_f32 results[STORED];
    stored s;
    cl_int code;
    cl_event written, projected, read;

    (void)state;
    fill_stored(&c, points, &s);
    const cl_mem in = buffer_of(ctx, sizeof s.points, NULL);
    const cl_mem out = buffer_of(ctx, sizeof results, NULL);
    const cl_event start = clCreateUserEvent(cl_context_of(ctx), &code);
    assert_int_equal(code, CL_SUCCESS);
    code = clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, sizeof s.points, s.points, 1, &start,
                                &written);
    assert_int_equal(code, CL_SUCCESS);
    const clsp_bspline_queries queries = {.num = STORED, .points = clsp_in_buffer(in, 0, 0)};
    assert_int_equal(
        clsp_bspline_project(p.plan, &queries, NULL, clsp_out_buffer(out, 0, 0),
                             &(clsp_sync){.num_wait = 1, .wait = &written, .done = &projected}),
        CLSP_OK);
    code =
        clEnqueueReadBuffer(queue, out, CL_FALSE, 0, sizeof results, results, 1, &projected, &read);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clSetUserEventStatus(start, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &read), CL_SUCCESS);
    assert_memory_equal(results, expected, sizeof results);
    const cl_event events[] = {start, written, projected, read};
    for (size_t i = 0; i < COUNT(events); i++)
        assert_int_equal(clReleaseEvent(events[i]), CL_SUCCESS);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    free(expected);
    project_finish(&p);
    free(points);
    curves_free(&c);
}

/* ---- bad input ---- */

/* Points that are not finite, among others. */
static void not_finite(clsp_context *ctx, clsp_type precision)
{
    enum { NUM = 24 };
    static const double values[] = {NAN, INFINITY, -INFINITY};
    const size_t each = nearest_bytes(precision);
    curves c = random_curves(precision, 3, 6, 3, false, 2);
    double *const queries = make_queries(&c, NUM);
    projecting p = project_start(ctx, &c, NUM, queries);

    p.opts.num_nearest = 2;
    unsigned char *const before = project_bytes(&p, 0, NUM);
    for (size_t i = 0; i < 9; i++)
        queries[3 * (2 * i + 1) + i % 3] = values[i / 3];
    unsigned char *const after = project_bytes(&p, 0, NUM);
    for (size_t i = 0; i < NUM; i++)
        for (size_t k = 2 * i; k < 2 * i + 2; k++) {
            const clsp_nearest_f64 r = nearest_at(precision, after, k);
            if (i % 2 && i < 18)
                check_none(&r, CLSP_NEAREST_INVALID, NAN);
            else
                assert_memory_equal(after + k * each, before + k * each, each);
        }
    free(before);
    free(after);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

static void test_not_finite(void **state)
{
    (void)state;
    with_limits(not_finite);
}

/* A plan of cubic curves in the plane, of so many. */
static clsp_bspline_plan *small_plan(clsp_context *ctx, const clsp_bspline_desc *d, size_t num)
{
    static const float controls[96] = {0, 0, 1, 1, 2, 0, 3, 1, 1, 1, 2, 2, 3, 1, 4, 2};
    clsp_bspline_plan *plan;
    size_t reals = d->dim + d->rational;

    for (uint32_t k = 0; k < d->directions; k++)
        reals *= d->num_controls[k];
    assert_true(num * reals <= COUNT(controls));
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, d), CLSP_OK);
    assert_int_equal(
        clsp_bspline_set_control_points(plan, num, clsp_in_f32(controls, num * reals), NULL),
        CLSP_OK);
    return plan;
}

static const clsp_bspline_desc cubic = {
    .directions = 1, .degree = {3}, .num_controls = {4}, .dim = 2, .precision = CLSP_F32};

/* One point and none. */
static void test_few(void **state)
{
    static const float point[2] = {0, -1};
    clsp_context *const ctx = lent_context("");
    clsp_bspline_plan *plan = small_plan(ctx, &cubic, 1);
    clsp_bspline_queries queries = {.num = 1, .points = clsp_in_f32(point, 2)};
    clsp_nearest_f32 r;

    (void)state;
    assert_int_equal(clsp_bspline_project(plan, &queries, NULL, clsp_out_nearest_f32(&r, 1), NULL),
                     CLSP_OK);
    assert_true(r.distance == 1 && r.param[0] == 0 && r.point[0] == 0 && r.point[1] == 0);
    assert_int_equal(r.status, CLSP_NEAREST_FOUND);
    support_poison(&r, sizeof r);
    queries.num = 0;
    assert_int_equal(clsp_bspline_project(plan, &queries, NULL, clsp_out_nearest_f32(&r, 1), NULL),
                     CLSP_OK);
    queries.points.size = 0;
    assert_int_equal(clsp_bspline_project(plan, &queries, NULL, clsp_out_nearest_f32(&r, 0), NULL),
                     CLSP_OK);
    assert_true(support_poisoned(&r, sizeof r));
    clsp_bspline_plan_destroy(&plan);
}

/* What calls of the small plan take when all is well, and one of their changes. */
typedef struct request {
    clsp_bspline_queries queries;
    clsp_project_opts opts;
    clsp_output out;
    clsp_sync sync;
} request;

enum { FEW = 3 };
static const float few_points[2 * FEW] = {0, 1, 2, 3, 4, 5};
static const uint32_t few_patches[FEW] = {0, 1, 0};
static clsp_nearest_f32 few_results[FEW];

static request good_request(void)
{
    return (request){.queries = {.num = FEW, .points = clsp_in_f32(few_points, 2 * FEW)},
                     .out = clsp_out_nearest_f32(few_results, FEW)};
}

static clsp_status call(clsp_bspline_plan *plan, const request *r)
{
    return clsp_bspline_project(plan, &r->queries, &r->opts, r->out, &r->sync);
}

#define REFUSED(wanted, change)                                                                    \
    do {                                                                                           \
        request r = good_request();                                                                \
        change;                                                                                    \
        support_poison(few_results, sizeof few_results);                                           \
        assert_status(ctx, call(plan, &r), (wanted));                                              \
        assert_true(support_poisoned(few_results, sizeof few_results));                            \
    } while (0)

static void refuse_options(clsp_context *ctx, clsp_bspline_plan *plan)
{
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.method = (clsp_project_method)3);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.num_nearest = CLSP_PROJECT_MAX_NEAREST + 1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.max_dist = -1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.max_dist = NAN);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.tolerance = -1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.tolerance = NAN);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.reserved[7] = 1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.reserved[3] = 1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.sync.reserved[1] = 1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.sync.num_wait = 1);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.opts.num_nearest = 2);
}

static void refuse_memory(clsp_context *ctx, clsp_bspline_plan *plan)
{
    static const double wide[2 * FEW];

    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.points = (clsp_input){0});
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.points = clsp_in_f64(wide, 2 * FEW));
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.points.reserved[0] = 1);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.queries.points.size--);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.queries.points.offset = 1);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.queries.patches = clsp_in_u32(few_patches, FEW - 1));
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.patches = clsp_in_f32(few_points, FEW));
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.hints = clsp_in_f32(few_points, FEW));
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.queries.patches = clsp_in_u32(few_patches, FEW);
            r.queries.hints = clsp_in_f32(few_points, FEW - 1));
    REFUSED(CLSP_ERROR_ARGUMENT, r.out.host = NULL);
    REFUSED(CLSP_ERROR_ARGUMENT, r.out.type = CLSP_F64);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.out.size--);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.out.offset = 1);
}

/* Plans whose patches cannot be projected onto. */
static void refuse_plans(clsp_context *ctx)
{
    clsp_bspline_desc d = cubic;
    clsp_bspline_plan *plan;

    d.num_controls[0] = 6;
    d.degree[0] = 0;
    plan = small_plan(ctx, &d, 1);
    REFUSED(CLSP_ERROR_DEGREE, );
    clsp_bspline_plan_destroy(&plan);
    d.degree[0] = CLSP_PROJECT_MAX_DEGREE + 1;
    d.num_controls[0] = CLSP_PROJECT_MAX_DEGREE + 2;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &d), CLSP_OK);
    REFUSED(CLSP_ERROR_DEGREE, );
    clsp_bspline_plan_destroy(&plan);
    d = cubic;
    for (d.directions = 2; d.directions <= 3; d.directions++) {
        d.degree[1] = d.degree[2] = 1;
        d.num_controls[1] = d.num_controls[2] = 2;
        plan = small_plan(ctx, &d, 1);
        REFUSED(CLSP_ERROR_ARGUMENT, );
        clsp_bspline_plan_destroy(&plan);
    }
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &cubic), CLSP_OK);
    REFUSED(CLSP_ERROR_STATE, );
    clsp_bspline_plan_destroy(&plan);
}

static void test_arguments(void **state)
{
    clsp_context *const ctx = lent_context("");
    clsp_bspline_plan *plan = small_plan(ctx, &cubic, 2);
    request r = good_request();

    (void)state;
    assert_ok(ctx, call(plan, &r));
    refuse_options(ctx, plan);
    refuse_memory(ctx, plan);
    assert_int_equal(clsp_bspline_project(NULL, &r.queries, NULL, r.out, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_project(plan, NULL, NULL, r.out, NULL), CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, call(plan, &r));
    clsp_bspline_plan_destroy(&plan);
    refuse_plans(ctx);
}

/* ---- through cubics ---- */

/* Of the default tolerance and of a wide one: distances and bounds keep it. */
static void through_cubics(clsp_context *ctx, clsp_type precision)
{
    static const double tolerances[] = {0, 1e-2};
    const size_t num = tiny() ? 16 : 64;

    for (size_t i = 0; i < CURVE_CASES; i += 4) {
        if (!in_turn(i / 4, TURNS)) continue;
        curves c = curves_of_case(i, CURVE_TAME, precision);
        double *const queries = make_queries(&c, num);
        projecting p = project_start(ctx, &c, num, queries);
        p.opts.method = CLSP_PROJECT_MREP;
        for (size_t k = 0; k < COUNT(tolerances); k++) {
            const double within = tolerances[k] > 0 ? tolerances[k] : 2e-4;
            p.opts.tolerance = tolerances[k];
            clsp_nearest_f64 *const results = project_range(&p, 0, num);
            for (size_t j = 0; j < num; j++) {
                ref_nearest exact;
                const clsp_nearest_f64 *const r = &results[j];
                ref_project_nearest(oracle_of(&c, 0), queries + j * c.dim, 1e-14L, &exact);
                const double most = within + allowed(&c, r->distance);
                assert_int_equal(r->status, CLSP_NEAREST_FOUND);
                assert_true(fabsl(r->distance - exact.distance) <= most);
                assert_true(r->bound <= exact.distance && r->distance - r->bound <= 2 * most);
            }
            free(results);
        }
        project_finish(&p);
        free(queries);
        curves_free(&c);
    }
}

static void test_mrep(void **state)
{
    (void)state;
    with_limits(through_cubics);
}

/* ---- several processors ---- */

static const clsp_cooperate_opts shares[] = {
    {.schedule = CLSP_SCHEDULE_AUTO},
    {.schedule = CLSP_SCHEDULE_SVM},
    {.schedule = CLSP_SCHEDULE_DYNAMIC},
    {.schedule = CLSP_SCHEDULE_STATIC},
    {.schedule = CLSP_SCHEDULE_DEVICE},
    {.schedule = CLSP_SCHEDULE_HOST},
    {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = 0.5},
    {.schedule = CLSP_SCHEDULE_DYNAMIC, .bit_equal = 1},
};

static void check_shared(const projecting *p, const clsp_cooperate_opts *share,
                         const unsigned char *expected)
{
    const clsp_type precision = p->c->d.precision;
    const unsigned dim = p->c->dim;
    const size_t bytes = p->num * nearest_bytes(precision);
    const size_t size = bytes / clsp_type_bytes(precision);
    unsigned char *const out = malloc(bytes);
    float *const narrow = malloc(p->num * dim * sizeof *narrow);
    clsp_bspline_queries queries = {.num = p->num};
    clsp_cooperate_report report;

    assert_true(out && narrow);
    for (size_t i = 0; i < p->num * dim; i++)
        narrow[i] = (float)p->queries[i];
    queries.points = precision == CLSP_F64 ? clsp_in_f64(p->queries, p->num * dim)
                                           : clsp_in_f32(narrow, p->num * dim);
    assert_ok(p->ctx, clsp_bspline_project_shared(p->plan, &queries, &p->opts,
                                                  host_out(precision, out, size), share, &report));
    check_report(&report, 2);
    for (size_t i = 0; i < p->num; i++) {
        const clsp_nearest_f64 r = nearest_at(precision, out, i);
        check_nearest(p->c, p->queries + i * dim, UINT32_MAX, &r);
    }
    if (share->bit_equal) assert_memory_equal(out, expected, bytes);
    free(out);
    free(narrow);
}

static void shared_calls(clsp_context *ctx, clsp_type precision)
{
    const size_t num = tiny() ? 16 : 500;
    curves c = random_curves(precision, 4, 9, 2, false, 1);
    double *const queries = make_queries(&c, num);
    projecting p = project_start(ctx, &c, num, queries);
    unsigned char *const expected = project_bytes(&p, 0, num);

    assert_int_equal(clsp_context_set_speeds(ctx, ""), CLSP_OK);
    for (size_t i = 0; i < COUNT(shares); i++)
        check_shared(&p, &shares[i], expected);
    free(expected);
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

static void test_shared(void **state)
{
    (void)state;
    each_turn(shared_limits, SHARED_LIMITS, 1, shared_calls);
    say_worst();
}

static void test_shared_arguments(void **state)
{
    clsp_context *const ctx = lent_context("");
    clsp_bspline_plan *plan = small_plan(ctx, &cubic, 2);
    const request r = good_request();
    const cl_mem buffer = buffer_of(ctx, 1024, NULL);
    const clsp_output in_buffer = clsp_out_buffer(buffer, CLSP_F32, 0);
    const clsp_project_opts mrep = {.method = CLSP_PROJECT_MREP};
    const clsp_cooperate_opts wrong = {.schedule = (clsp_schedule)9};
    clsp_bspline_queries from_buffer = r.queries;

    (void)state;
    from_buffer.points = clsp_in_buffer(buffer, CLSP_F32, 0);
    assert_ok(ctx, clsp_bspline_project_shared(plan, &r.queries, NULL, r.out, NULL, NULL));
    assert_status(ctx, clsp_bspline_project_shared(NULL, &r.queries, NULL, r.out, NULL, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_bspline_project_shared(plan, NULL, NULL, r.out, NULL, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_bspline_project_shared(plan, &r.queries, NULL, in_buffer, NULL, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_bspline_project_shared(plan, &from_buffer, NULL, r.out, NULL, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_bspline_project_shared(plan, &r.queries, &mrep, r.out, NULL, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_bspline_project_shared(plan, &r.queries, NULL, r.out, &wrong, NULL),
                  CLSP_ERROR_ARGUMENT);
    clReleaseMemObject(buffer);
    clsp_bspline_plan_destroy(&plan);
}

/* ---- knots of curves' own ---- */

enum {
    OWN_CONTROLS = 6,
    OWN_DEGREE = 2,
    OWN_KNOTS = OWN_CONTROLS + OWN_DEGREE + 1,
    OWN_QUERIES = 50
};

static const double own_knots[2][OWN_KNOTS] = {{0, 0, 0, 0.2, 0.2, 0.7, 1, 1, 1},
                                               {-1, 0, 0.5, 2, 3, 3.5, 4, 5, 5}};

static void project_own(clsp_bspline_plan *plan, const double *queries, const uint32_t *patches,
                        clsp_nearest_f64 *results)
{
    const clsp_project_opts opts = {.num_nearest = 2};
    clsp_bspline_queries q = {.num = OWN_QUERIES, .points = clsp_in_f64(queries, 2 * OWN_QUERIES)};

    if (patches) q.patches = clsp_in_u32(patches, OWN_QUERIES);
    assert_int_equal(
        clsp_bspline_project(plan, &q, &opts, clsp_out_nearest_f64(results, 2 * OWN_QUERIES), NULL),
        CLSP_OK);
}

/* Curves that have knots of their own give what plans of each one's knots give. */
static void test_own_knots(void **state)
{
    clsp_bspline_desc desc = {.directions = 1,
                              .precision = CLSP_F64,
                              .degree = {OWN_DEGREE},
                              .num_controls = {OWN_CONTROLS},
                              .dim = 2};
    double controls[2][OWN_CONTROLS][2], queries[OWN_QUERIES][2];
    clsp_nearest_f64 both[2 * OWN_QUERIES], one[2 * OWN_QUERIES];
    uint32_t patches[OWN_QUERIES];
    clsp_bspline_plan *plan, *alone;
    clsp_context *ctx;
    clsp_device_info info;

    (void)state;
    for (int i = 0; i < 4 * OWN_CONTROLS; i++)
        ((double *)controls)[i] = (i * i % 11) / 11.0;
    for (int i = 0; i < 2 * OWN_QUERIES; i++)
        ((double *)queries)[i] = (i * 7 % 97) / 97.0;
    assert_int_equal(clsp_context_create(&ctx, NULL, NULL), CLSP_OK);
    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    if (!info.fp64) {
        clsp_context_destroy(&ctx);
        skip_because("the device has no double precision");
    }
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &desc), CLSP_OK);
    assert_int_equal(
        clsp_bspline_set_knots(plan, 2, clsp_in_f64((const double *)own_knots, 2 * OWN_KNOTS)),
        CLSP_OK);
    assert_int_equal(clsp_bspline_set_control_points(
                         plan, 2, clsp_in_f64((const double *)controls, 4 * OWN_CONTROLS), NULL),
                     CLSP_OK);
    for (uint32_t c = 0; c < 2; c++) {
        for (size_t i = 0; i < OWN_QUERIES; i++)
            patches[i] = c;
        desc.knots[0] = own_knots[c];
        assert_int_equal(clsp_bspline_plan_create(&alone, ctx, &desc), CLSP_OK);
        assert_int_equal(
            clsp_bspline_set_control_points(
                alone, 1, clsp_in_f64((const double *)controls[c], 2 * OWN_CONTROLS), NULL),
            CLSP_OK);
        project_own(plan, (const double *)queries, patches, both);
        project_own(alone, (const double *)queries, NULL, one);
        for (size_t i = 0; i < 2 * OWN_QUERIES; i++) {
            assert_int_equal(both[i].status, one[i].status);
            if (one[i].patch == 0) one[i].patch = c;
            assert_memory_equal(&both[i], &one[i], sizeof one[i]);
        }
        clsp_bspline_plan_destroy(&alone);
    }
    clsp_bspline_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_inversions),
        cmocka_unit_test(test_hard),
        cmocka_unit_test(test_degrees),
        cmocka_unit_test(test_many_curves),
        cmocka_unit_test(test_reload),
        cmocka_unit_test(test_hints),
        cmocka_unit_test(test_hints_of_patches),
        cmocka_unit_test(test_max_dist),
        cmocka_unit_test(test_num_nearest),
        cmocka_unit_test(test_square),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_shared_arguments),
        cmocka_unit_test(test_mrep),
        cmocka_unit_test(test_own_knots),
    };

    if (no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
