/* Calls that convert B-splines: memory of every kind, parts, products of matrices, pieces, and what
   is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convert_fixture.h"
#include "memory_fixture.h"
#include "support.h"

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
    clsp_patch_plan *plan = plan_of(ctx, &s, others, PATCHES);
    void *const narrow = malloc(PATCHES * s.l.controls * sizeof(float));
    make_wish(&w, &s, RAISED, CLSP_BSPLINE_CONVERT_DEFAULT);
    set_target(ctx, plan, &w, &d);
    store first = store_make(ctx, HOST, precision, 0, PATCHES * target_reals(&s, &d), NULL);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, PATCHES}, store_out(&first), NULL),
                     CLSP_OK);
    store_free(&first);
    assert_int_equal(clsp_patch_set_control_points(
                         plan, PATCHES, controls_in(&s, controls, PATCHES, narrow), NULL),
                     CLSP_OK);
    for (int pieces = 0; pieces < 2; pieces++) {
        make_wish(&w, &s, pieces ? BEZIER : RAISED, CLSP_BSPLINE_CONVERT_DEFAULT);
        set_target(ctx, plan, &w, &d);
        const size_t reals = target_reals(&s, &d);
        unsigned char *bits = NULL;
        for (int kind = 0; kind < STORE_KINDS; kind++) {
            if (kind == HOST + 1) { /* another processor may make what is not the host's */
                free(bits);
                bits = NULL;
            }
            if (!has_kind(ctx, (store_kind)kind)) continue;
            store out = store_make(ctx, (store_kind)kind, precision, 7, PATCHES * reals, NULL);
            cl_int code;
            const cl_event start = clCreateUserEvent(cl_context_of(ctx), &code);
            cl_event done = NULL;
            const clsp_run sync = {.num_wait = 1, .wait = &start, .done = &done};
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
    clsp_patch_plan_destroy(&plan);
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
    clsp_patch_plan *plan = plan_of(ctx, &s, controls, 1);
    for (int kind = 0; kind < NUM_WISHES; kind++) {
        make_wish(&w, &s, (wish_kind)kind, CLSP_BSPLINE_CONVERT_DEFAULT);
        set_target(ctx, plan, &w, &d);
        const uint32_t rows = d.num_controls[0];
        uint32_t *const first = malloc(rows * sizeof *first);
        double *const weights = malloc(4 * rows * sizeof *weights);
        assert_true(first && weights);
        clsp_bspline_matrix m = {clsp_out_u32(first, rows), clsp_out_f64(weights, 4 * rows), {0}};
        assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, &m), CLSP_OK);
        direction x = direction_of(&s, &w, &d, 0);
        for (uint32_t i = 0; i < rows; i++) {
            assert_int_equal(first[i], x.first[i]);
            for (uint32_t j = 0; j < 4; j++)
                assert_true(fabsl(weights[4 * i + j] - x.weights[4 * i + j]) <=
                            8 * DBL_EPSILON * x.scale);
        }
        m.first.size--;
        assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, &m), CLSP_ERROR_BUFFER_SIZE);
        m.first = (clsp_output){0};
        assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, &m), CLSP_ERROR_ARGUMENT);
        m = (clsp_bspline_matrix){
            clsp_out_u32(first, rows), clsp_out_f64(weights, 4 * rows - 1), {0}};
        assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, &m), CLSP_ERROR_BUFFER_SIZE);
        m.weights = clsp_out_f32((float *)weights, 4 * rows);
        assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, &m), CLSP_ERROR_ARGUMENT);
        m = (clsp_bspline_matrix){.reserved = {1}};
        assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, &m), CLSP_ERROR_ARGUMENT);
        m = (clsp_bspline_matrix){.reserved = {0}};
        assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, &m), CLSP_OK);
        free_direction(&x);
        free(first);
        free(weights);
    }
    clsp_patch_plan_destroy(&plan);
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
    clsp_patch_plan *plan;
    clsp_bspline_desc d;
    float pieces[6];

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &curve), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, 5), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_set_target(plan, &target), CLSP_OK);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, NULL), CLSP_OK);
    assert_int_equal(d.num_controls[0] / (d.degree[0] + 1), 2);
    assert_true(d.knots[0][0] == 0 && d.knots[0][3] == 1 && d.knots[0][6] == 4);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, clsp_out_f32(pieces, 6), NULL),
                     CLSP_OK);
    assert_true(pieces[0] == 1 && pieces[2] == 3 && pieces[3] == 3);
    clsp_patch_plan_destroy(&plan);
}

/* ---- wrong calls ---- */

static void refused(clsp_context *ctx, clsp_patch_plan *plan, const clsp_bspline_target *target,
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
    clsp_patch_plan *plan;
    clsp_bspline_desc d;
    clsp_bspline_target t = {.along[0] = {.elevate = 3}};

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &curve), CLSP_OK);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, NULL), CLSP_ERROR_STATE);
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
         "inserted knot 0, 1, is inserted too often"},
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
        {{.method = (clsp_bspline_convert_method)3}, CLSP_ERROR_ARGUMENT, "no method"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++)
        refused(ctx, plan, &wrong[i].target, wrong[i].status, wrong[i].words);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, NULL), CLSP_OK);
    assert_int_equal(d.degree[0], 6);
    assert_int_equal(d.axis[0].num, 0);
    t = (clsp_bspline_target){.along[1] = {.derivative = 9}, .along[2] = {.reserved = {1}}};
    assert_int_equal(clsp_bspline_set_target(plan, &t),
                     CLSP_OK); /* directions that are not there */
    assert_int_equal(clsp_bspline_set_target(plan, NULL), CLSP_OK);
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, NULL), CLSP_ERROR_STATE);
    clsp_patch_plan_destroy(&plan);
}

static void test_derivatives(void **state)
{
    clsp_context *const ctx = lent_context("");
    const clsp_bspline_desc flat = {.directions = 1, .degree = {1}, .num_controls = {9}};
    const clsp_bspline_desc nurbs = {
        .directions = 1, .degree = {3}, .num_controls = {9}, .rational = 1};
    const clsp_bspline_target first = {.along[0] = {.derivative = 1}};
    const clsp_bspline_target second = {.along[0] = {.derivative = 2}};
    clsp_patch_plan *plan;

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &flat), CLSP_OK);
    assert_int_equal(clsp_bspline_set_target(plan, &first), CLSP_OK);
    refused(ctx, plan, &second, CLSP_ERROR_ARGUMENT, "above the degree");
    clsp_patch_plan_destroy(&plan);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &nurbs), CLSP_OK);
    refused(ctx, plan, &first, CLSP_ERROR_ARGUMENT, "derivative of a rational spline");
    clsp_patch_plan_destroy(&plan);
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
    clsp_patch_plan *plan;
    clsp_bspline_desc d;

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &curve), CLSP_OK);
    const clsp_output out = clsp_out_f32(made, 4);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 0}, out, NULL), CLSP_ERROR_STATE);
    const clsp_bspline_matrix matrix = {clsp_out_u32(first, 2), clsp_out_f64(weights, 4), {0}};
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &d, &matrix), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bspline_set_target(plan, &bezier), CLSP_OK);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 0}, out, NULL), CLSP_ERROR_STATE);
    assert_int_equal(clsp_patch_set_control_points(plan, 0, clsp_in_f32(NULL, 0), NULL), CLSP_OK);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 0}, (clsp_output){0}, NULL),
                     CLSP_OK);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, out, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_set_control_points(plan, 2, clsp_in_f32(controls, 4), NULL),
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
    const clsp_run sync = {.reserved = {1}};
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, out, &sync),
                     CLSP_ERROR_ARGUMENT);
    clsp_patch_plan_destroy(&plan);
    assert_int_equal(clsp_bspline_set_target(NULL, &bezier), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_target_desc(NULL, 0, &d, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_convert(NULL, (clsp_range){0, 0}, out, NULL),
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
    clsp_bspline_desc desc;

    clsp_patch_plan *plan = plan_of(ctx, &s, controls, 1);
    assert_int_equal(clsp_bspline_set_target(plan, &target), CLSP_OK);
    assert_int_equal(
        clsp_bspline_convert(plan, (clsp_range){0, 1}, host_out(precision, before, reals), NULL),
        CLSP_OK);
    const clsp_bspline_matrix matrix = {
        clsp_out_u32(first, ROWS), clsp_out_f64(weights, 4 * ROWS), {0}};
    assert_int_equal(clsp_bspline_target_desc(plan, 0, &desc, &matrix), CLSP_OK);
    for (size_t at = 0; at < NUM; at++) {
        const double good = controls[3 * at + at % 3];
        controls[3 * at + at % 3] = values[at % COUNT(values)];
        assert_int_equal(
            clsp_patch_set_control_points(plan, 1, controls_in(&s, controls, 1, narrow), NULL),
            CLSP_OK);
        assert_int_equal(
            clsp_bspline_convert(plan, (clsp_range){0, 1}, host_out(precision, after, reals), NULL),
            CLSP_OK);
        for (size_t i = 0; i < ROWS; i++)
            if (at < first[i] || at > first[i] + 3)
                assert_memory_equal(before + i * point, after + i * point, point);
        controls[3 * at + at % 3] = good;
    }
    clsp_patch_plan_destroy(&plan);
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
    clsp_patch_plan *plan;
    size_t num = 7;

    (void)state;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &surface), CLSP_OK);
    assert_int_equal(count_converted(plan, (clsp_range){0, 1}, 1, &num), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bspline_set_target(plan, &bezier), CLSP_OK);
    assert_int_equal(count_converted(plan, (clsp_range){5, 0}, 1, &num), CLSP_OK);
    assert_int_equal(num, 0);
    assert_int_equal(count_converted(plan, (clsp_range){0, 100000000}, 1, &num), CLSP_OK);
    assert_true(num == each * 100000000);
    assert_int_equal(count_converted(plan, (clsp_range){0, SIZE_MAX / 2}, 1, &num),
                     CLSP_ERROR_NO_MEMORY);
    assert_int_equal(
        clsp_patch_set_control_points(plan, SIZE_MAX / 8, clsp_in_f32(controls, SIZE_MAX), NULL),
        CLSP_ERROR_NO_MEMORY);
    assert_int_equal(
        clsp_patch_set_control_points(plan, 1000000000, clsp_in_f32(controls, 12), NULL),
        CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, 12), NULL),
                     CLSP_OK);
    const clsp_output out = clsp_out_f32(made, COUNT(made));
    const clsp_range wrong[] = {{0, 2}, {1, 1}, {0, 1000000000}, {SIZE_MAX, 2}, {2, SIZE_MAX}};
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(clsp_bspline_convert(plan, wrong[i], out, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bspline_convert(plan, (clsp_range){0, 1}, out, NULL), CLSP_OK);
    clsp_patch_plan_destroy(&plan);
}

/* ---- the host ---- */

typedef struct host_case {
    uint32_t directions, degree, controls[3], elevate, bezier, derivative[3];
} host_case;

/* Loads control points, and converts them by the host's code and by kernels. */
static void compare_makers(clsp_patch_plan *const plans[2], size_t points, size_t reals)
{
    float *const from = malloc(points * sizeof *from), *const made =
                                                           calloc(2 * reals, sizeof *made);
    double largest = 0.0;

    assert_true(from && made);
    for (size_t i = 0; i < points; i++)
        from[i] = (float)random_real();
    for (int by = 0; by < 2; by++) {
        assert_int_equal(
            clsp_patch_set_control_points(plans[by], 2, clsp_in_f32(from, points), NULL), CLSP_OK);
        assert_int_equal(clsp_bspline_convert(plans[by], (clsp_range){0, 2},
                                              clsp_out_f32(made + (size_t)by * reals, reals), NULL),
                         CLSP_OK);
    }
    for (size_t i = 0; i < reals; i++)
        largest = fmax(largest, fabs((double)made[i]));
    for (size_t i = 0; i < reals; i++)
        if (!(fabs((double)made[i] - (double)made[reals + i]) <=
              64 * (double)FLT_EPSILON * largest))
            fail_msg("%zu: %g, not %g", i, (double)made[i], (double)made[reals + i]);
    free(from);
    free(made);
}

/* The host makes what kernels make: tiles that begin within pieces, derivatives along some
   directions, and control points that change. */
static void test_by_host(void **state)
{
    static const host_case cases[] = {
        {1, 3, {5000}, 0, 1, {0}},          {1, 2, {7001}, 1, 0, {0}},
        {1, 3, {5003}, 0, 0, {1}},          {2, 3, {300, 40}, 0, 1, {0}},
        {2, 3, {701, 9}, 1, 0, {0}},        {2, 3, {12, 11}, 0, 0, {1, 0}},
        {2, 2, {12, 11}, 0, 1, {0, 1}},     {2, 3, {9, 11}, 0, 0, {2, 1}},
        {3, 2, {9, 8, 7}, 0, 1, {0, 1, 1}}, {3, 3, {6, 5, 7}, 1, 0, {1, 0, 0}},
    };
    clsp_context *const makers[] = {lent_context(""), lent_context("class=discrete")};

    (void)state;
    if (!support_is_own_cpu(makers[0])) skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsp_bspline_desc desc = {.directions = cases[i].directions, .dim = 3};
        clsp_bspline_target target = {.bezier = cases[i].bezier};
        size_t points = 2 * 3, reals = 2 * 3;
        clsp_patch_plan *plans[2];
        for (uint32_t k = 0; k < desc.directions; k++) {
            desc.degree[k] = cases[i].degree;
            desc.num_controls[k] = cases[i].controls[k];
            target.along[k].elevate = cases[i].elevate;
            target.along[k].derivative = cases[i].derivative[k];
            points *= cases[i].controls[k];
        }
        for (int by = 0; by < 2; by++) {
            assert_int_equal(clsp_bspline_plan_create(&plans[by], makers[by], &desc), CLSP_OK);
            assert_int_equal(clsp_bspline_set_target(plans[by], &target), CLSP_OK);
        }
        assert_int_equal(clsp_bspline_target_desc(plans[0], 0, &desc, NULL), CLSP_OK);
        for (uint32_t k = 0; k < desc.directions; k++)
            reals *= desc.num_controls[k];
        compare_makers(plans, points, reals);
        compare_makers(plans, points, reals);
        for (int by = 0; by < 2; by++)
            clsp_patch_plan_destroy(&plans[by]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),       cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_pieces),      cmocka_unit_test(test_targets),
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_calls),
        cmocka_unit_test(test_not_finite),  cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_by_host),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
