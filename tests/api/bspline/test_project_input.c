/* Projection onto curves when it is given what is wrong: each argument of both calls by itself,
   more points than there is memory for, curves with numbers that are none or out of all proportion,
   weights that are none, spans without length. Nothing may hang, and what comes back is a result
   with a status, or an error. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "memory_fixture.h"
#include "vertex_fixture.h"

enum { DEGREE = 3, CONTROLS = 7, CURVES = 3, QUERIES = 24, NEAREST = 3 };

static const clsp_bspline_desc cubics = {
    .directions = 1, .degree = {DEGREE}, .num_controls = {CONTROLS}, .dim = 2};

/* ---- requests ---- */

/* What a call takes when all is well, and one of its changes. */
typedef struct request {
    clsp_nearest_queries queries;
    clsp_nearest_opts opts;
    clsp_output out;
    clsp_run sync;
    clsp_share share;
} request;

static float points[2 * QUERIES], hints[QUERIES];
static uint32_t patches[QUERIES];
static clsp_nearest_f32 results[QUERIES];

static request good_request(void)
{
    return (request){.queries = {.num = QUERIES,
                                 .points = clsp_in_f32(points, 2 * QUERIES),
                                 .patches = clsp_in_u32(patches, QUERIES),
                                 .hints = clsp_in_f32(hints, QUERIES)},
                     .out = clsp_out_nearest_f32(results, QUERIES)};
}

static clsp_status call(clsp_patch_plan *plan, const request *r, bool shared)
{
    return shared ? clsp_nearest_project(plan, &r->queries, &r->opts, r->out,
                                         &(clsp_run){.share = &r->share})
                  : clsp_nearest_project(plan, &r->queries, &r->opts, r->out, &r->sync);
}

/* Both calls refuse it, or the one that there is a change for, and write nothing. */
static void refused(clsp_patch_plan *plan, const request *r, clsp_status wanted, bool both)
{
    for (int shared = 0; shared <= both; shared++) {
        support_poison(results, sizeof results);
        assert_int_equal(call(plan, r, shared), wanted);
        assert_true(support_poisoned(results, sizeof results));
    }
}

#define REFUSED(wanted, change)                                                                    \
    do {                                                                                           \
        request r = good_request();                                                                \
        change;                                                                                    \
        refused(plan, &r, (wanted), true);                                                         \
    } while (0)

static void fill_queries(void)
{
    for (size_t i = 0; i < QUERIES; i++) {
        points[2 * i] = (float)(i * 7 % 11) / 5;
        points[2 * i + 1] = (float)(i * 3 % 13) / 6;
        hints[i] = (float)(i % 5) / 4;
        patches[i] = (uint32_t)(i % CURVES);
    }
}

static double good_control(size_t i)
{
    return (double)(i * i % 19) / 8;
}

static clsp_patch_plan *good_plan(clsp_context *ctx)
{
    float controls[CURVES * CONTROLS * 2];
    clsp_patch_plan *plan;

    fill_queries();
    for (size_t i = 0; i < COUNT(controls); i++)
        controls[i] = (float)good_control(i);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &cubics), CLSP_OK);
    assert_int_equal(
        clsp_patch_set_control_points(plan, CURVES, clsp_in_f32(controls, COUNT(controls)), NULL),
        CLSP_OK);
    return plan;
}

static void refuse_reserved(clsp_patch_plan *plan)
{
    for (size_t i = 0; i < COUNT(((clsp_nearest_opts *)0)->reserved); i++)
        REFUSED(CLSP_ERROR_ARGUMENT, r.opts.reserved[i] = 1);
    for (size_t i = 0; i < COUNT(((clsp_nearest_queries *)0)->reserved); i++)
        REFUSED(CLSP_ERROR_ARGUMENT, r.queries.reserved[i] = 1);
    for (size_t i = 0; i < 2; i++) {
        REFUSED(CLSP_ERROR_ARGUMENT, r.queries.points.reserved[i] = 1);
        REFUSED(CLSP_ERROR_ARGUMENT, r.queries.patches.reserved[i] = 1);
        REFUSED(CLSP_ERROR_ARGUMENT, r.queries.hints.reserved[i] = 1);
        REFUSED(CLSP_ERROR_ARGUMENT, r.out.reserved[i] = 1);
        request r = good_request();
        r.sync.reserved[i] = 1;
        refused(plan, &r, CLSP_ERROR_ARGUMENT, false);
    }
}

static void refuse_numbers(clsp_patch_plan *plan)
{
    static const double none[] = {-1, -1e-300, -INFINITY, INFINITY, NAN};

    for (size_t i = 0; i < COUNT(none); i++) {
        REFUSED(CLSP_ERROR_ARGUMENT, r.opts.max_dist = none[i]);
        REFUSED(CLSP_ERROR_ARGUMENT, r.opts.tolerance = none[i]);
    }
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.method = (clsp_nearest_method)-1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.method = (clsp_nearest_method)3);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.num_nearest = UINT32_MAX);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.num_nearest = 2; r.opts.method = CLSP_NEAREST_MREP);
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.patches = (clsp_input){0}); /* hints of which curve? */
}

/* Each memory wrong in each way. */
static void refuse_memory(clsp_patch_plan *plan)
{
    static const double wide[2 * QUERIES];

    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.points.svm = points); /* two of them */
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.points = clsp_in_f64(wide, 2 * QUERIES));
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.points = clsp_in_u32(patches, 2 * QUERIES));
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.points.type = (clsp_type)77);
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.hints = clsp_in_f64(wide, QUERIES));
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.patches.type = CLSP_F32);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.queries.points.offset = SIZE_MAX);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.queries.patches.offset = 1);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.queries.hints.offset = 1);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.out.offset = 1);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.opts.num_nearest = CLSP_NEAREST_MAX_RESULTS);
    REFUSED(CLSP_ERROR_ARGUMENT, r.out = (clsp_output){0});
    REFUSED(CLSP_ERROR_ARGUMENT, r.out.type = CLSP_U32);
    REFUSED(CLSP_ERROR_ARGUMENT, r.out.svm = results);
}

static void test_arguments(void **state)
{
    clsp_patch_plan *plan = good_plan(lent_context(""));
    const request r = good_request();

    (void)state;
    for (int shared = 0; shared < 2; shared++)
        assert_int_equal(call(plan, &r, shared), CLSP_OK);
    refuse_reserved(plan);
    refuse_numbers(plan);
    refuse_memory(plan);
    for (int shared = 0; shared < 2; shared++)
        assert_int_equal(call(plan, &r, shared), CLSP_OK);
    clsp_patch_plan_destroy(&plan);
}

/* An event of another cl_context is no event to wait for. */
static void test_foreign_event(void **state)
{
    clsp_context *other = context_apart("");
    clsp_patch_plan *plan = good_plan(lent_context(""));
    cl_int code;
    const cl_event event = clCreateUserEvent(cl_context_of(other), &code);
    request r = good_request();

    (void)state;
    assert_int_equal(code, CL_SUCCESS);
    r.sync.num_wait = 1;
    r.sync.wait = &event;
    refused(plan, &r, CLSP_ERROR_ARGUMENT, false);
    assert_int_equal(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clReleaseEvent(event), CL_SUCCESS);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&other);
}

/* ---- how many ---- */

/* Numbers of points whose memory is too small, or could be nobody's. */
static void test_numbers(void **state)
{
    static const size_t nums[] = {1000000000, SIZE_MAX / 64, SIZE_MAX / 8, SIZE_MAX};
    clsp_patch_plan *plan = good_plan(lent_context(""));

    (void)state;
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.queries.num = nums[0]);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.queries.num = nums[0]; r.queries.points.size = 2 * nums[0];
            r.queries.patches.size = nums[0]; r.queries.hints.size = nums[0];
            r.out.size = nums[0] * CLSP_NEAREST_F32_SIZE - 1); /* the last one is short */
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.queries.num = nums[0];
            r.queries.points.size = 2 * nums[0] - 1; r.queries.patches.size = nums[0];
            r.queries.hints.size = nums[0]; r.out.size = nums[0] * CLSP_NEAREST_F32_SIZE);
    for (size_t i = 1; i < COUNT(nums); i++)
        REFUSED(CLSP_ERROR_NO_MEMORY, r.queries.num = nums[i];
                r.queries.points.size = r.out.size = SIZE_MAX);
    request r = good_request();
    r.queries.num = 0;
    support_poison(results, sizeof results);
    for (int shared = 0; shared < 2; shared++)
        assert_int_equal(call(plan, &r, shared), CLSP_OK);
    assert_true(support_poisoned(results, sizeof results));
    clsp_patch_plan_destroy(&plan);
}

/* More points than the device has memory for, by which a call goes part by part: the same bits. */
static void test_chunks(void **state)
{
    enum { MANY = 3001 };
    static const char *const limits[] = {"class=cpu,alloc=40000", "class=discrete,alloc=40000"};
    float *const many = malloc(2 * (size_t)MANY * sizeof *many);
    clsp_nearest_f32 *const whole = malloc(MANY * sizeof *whole);
    clsp_nearest_f32 *const parts = malloc(MANY * sizeof *parts);
    const clsp_nearest_queries queries = {.num = MANY, .points = clsp_in_f32(many, 2 * MANY)};

    (void)state;
    if (tiny()) skip_because("many points");
    assert_true(many && whole && parts);
    for (size_t i = 0; i < 2 * (size_t)MANY; i++)
        many[i] = (float)(random_real() * 2);
    for (size_t l = 0; l < COUNT(limits); l++) {
        char unlimited[32];
        snprintf(unlimited, sizeof unlimited, "%.*s", (int)strcspn(limits[l], ","), limits[l]);
        for (int limited = 0; limited < 2; limited++) {
            clsp_context *ctx = context_with(limited ? limits[l] : unlimited);
            clsp_patch_plan *plan = good_plan(ctx);
            assert_int_equal(
                clsp_nearest_project(plan, &queries, NULL,
                                     clsp_out_nearest_f32(limited ? parts : whole, MANY), NULL),
                CLSP_OK);
            clsp_patch_plan_destroy(&plan);
            clsp_context_destroy(&ctx);
        }
        assert_memory_equal(whole, parts, MANY * sizeof *whole);
    }
    free(many);
    free(whole);
    free(parts);
}

/* ---- bad curves ---- */

/* Results of one query: of good form, whatever the curves are. */
static void check_form(const clsp_nearest_f64 *r, const char *what)
{
    if (r->status == CLSP_NEAREST_NONE || r->status == CLSP_NEAREST_INVALID) {
        assert_int_equal(r->patch, UINT32_MAX);
        if (!isinf(r->distance) || !isnan(r->param[0]))
            fail_msg("%s: none at distance %g", what, r->distance);
        return;
    }
    if (r->status > CLSP_NEAREST_INVALID || r->patch >= CURVES)
        fail_msg("%s: status %u, patch %u", what, r->status, r->patch);
    if (!(r->param[0] >= 0 && r->param[0] <= 1) || !(r->distance >= 0) || !(r->bound >= 0) ||
        !(r->bound <= r->distance))
        fail_msg("%s: status %u, parameter %g, distance %g, bound %g", what, r->status, r->param[0],
                 r->distance, r->bound);
}

/* A plan, its control points, and what queries find. */
typedef struct bad_curves {
    clsp_type precision;
    uint32_t rational;
    clsp_patch_plan *plan;
    double controls[CURVES * CONTROLS * 3];
} bad_curves;

static size_t reals_of(const bad_curves *b)
{
    return (size_t)CURVES * CONTROLS * (2 + b->rational);
}

static bad_curves start(clsp_context *ctx, clsp_type precision, uint32_t rational)
{
    bad_curves b = {.precision = precision, .rational = rational};
    clsp_bspline_desc d = cubics;

    fill_queries();
    d.precision = precision;
    d.rational = rational;
    for (size_t i = 0; i < reals_of(&b); i++)
        b.controls[i] = rational && i % 3 == 2 ? 1 + (double)(i % 4) / 4 : good_control(i);
    assert_int_equal(clsp_bspline_plan_create(&b.plan, ctx, &d), CLSP_OK);
    return b;
}

static void finish(bad_curves *b)
{
    clsp_patch_plan_destroy(&b->plan);
}

/* Control points as a call takes them; narrow: room for them as floats. */
static clsp_input controls_of(const bad_curves *b, float *narrow)
{
    for (size_t i = 0; i < reals_of(b); i++)
        narrow[i] = (float)b->controls[i];
    return b->precision == CLSP_F64 ? clsp_in_f64(b->controls, reals_of(b))
                                    : clsp_in_f32(narrow, reals_of(b));
}

static void load(const bad_curves *b)
{
    float narrow[CURVES * CONTROLS * 3];

    assert_int_equal(clsp_patch_set_control_points(b->plan, CURVES, controls_of(b, narrow), NULL),
                     CLSP_OK);
}

/* Projects all queries, each onto a curve or all onto the nearest one. */
static void project(const bad_curves *b, const clsp_nearest_opts *opts, bool by_patches,
                    clsp_nearest_f64 *found)
{
    const size_t num = QUERIES * (opts->num_nearest ? opts->num_nearest : 1);
    clsp_nearest_f32 narrow[QUERIES * NEAREST];
    double wide[2 * QUERIES];
    clsp_nearest_queries q = {.num = QUERIES, .points = clsp_in_f32(points, 2 * QUERIES)};

    for (size_t i = 0; i < COUNT(wide); i++)
        wide[i] = points[i];
    if (b->precision == CLSP_F64) q.points = clsp_in_f64(wide, 2 * QUERIES);
    if (by_patches) q.patches = clsp_in_u32(patches, QUERIES);
    assert_int_equal(clsp_nearest_project(b->plan, &q, opts,
                                          b->precision == CLSP_F64
                                              ? clsp_out_nearest_f64(found, num)
                                              : clsp_out_nearest_f32(narrow, num),
                                          NULL),
                     CLSP_OK);
    for (size_t i = 0; i < num && b->precision == CLSP_F32; i++) {
        const clsp_nearest_f32 *const r = &narrow[i];
        found[i] = (clsp_nearest_f64){.distance = r->distance,
                                      .bound = r->bound,
                                      .param = {r->param[0], r->param[1], r->param[2]},
                                      .patch = r->patch,
                                      .status = r->status};
    }
}

/* Number `at` of the control points' is replaced: what is found is of good form, and of the other
   curves it is as before. */
static void check_replaced(bad_curves *b, const clsp_nearest_opts *opts, size_t at, double value)
{
    const size_t num = opts->num_nearest ? opts->num_nearest : 1;
    const size_t curve = at / (reals_of(b) / CURVES);
    const double good = b->controls[at];
    clsp_nearest_f64 before[QUERIES * NEAREST], found[QUERIES * NEAREST];
    char what[96];

    snprintf(what, sizeof what, "f%d, rational %u, method %d, %zu nearest, number %zu is %g",
             b->precision == CLSP_F64 ? 64 : 32, b->rational, (int)opts->method, num, at, value);
    memset(before, 0, sizeof before);
    memset(found, 0, sizeof found);
    load(b);
    project(b, opts, true, before);
    b->controls[at] = value;
    load(b);
    for (int by_patches = 0; by_patches < 2; by_patches++) {
        project(b, opts, by_patches, found);
        for (size_t i = 0; i < QUERIES * num; i++)
            check_form(&found[i], what);
    }
    for (size_t i = 0; i < QUERIES * num && opts->method == CLSP_NEAREST_EXACT; i++)
        if (patches[i / num] != curve) assert_memory_equal(&before[i], &found[i], sizeof *found);
    b->controls[at] = good;
}

static void replaced(clsp_context *ctx, clsp_type precision)
{
    static const clsp_nearest_opts ways[] = {{.method = CLSP_NEAREST_EXACT},
                                             {.method = CLSP_NEAREST_EXACT, .num_nearest = NEAREST},
                                             {.method = CLSP_NEAREST_MREP, .tolerance = 1e-3}};
    const double most = precision == CLSP_F64 ? DBL_MAX : (double)FLT_MAX;
    const double least = precision == CLSP_F64 ? DBL_MIN : (double)FLT_MIN;
    const double values[] = {NAN, INFINITY, -INFINITY, most, -most, most / 8, least, least / 64, 0};

    support_needs_opencl(ctx); /* mrep is of kernels */
    for (size_t way = 0; way < COUNT(ways) - !support_has_methods(); way++)
        for (uint32_t rational = 0; rational < 2; rational++) {
            if (rational && ways[way].method == CLSP_NEAREST_MREP) continue;
            bad_curves b = start(ctx, precision, rational);
            const size_t each = reals_of(&b) / CURVES;
            /* coordinates at the begin, in the middle and at the end of a curve */
            const size_t places[] = {0, each + each / 2, 2 * each + (each - 2 - rational),
                                     each + 1};
            for (size_t k = 0; k < COUNT(places); k++)
                for (size_t v = 0; v < (tiny() ? 2 : COUNT(values)); v++)
                    if (!tiny() || k == 1) check_replaced(&b, &ways[way], places[k], values[v]);
            finish(&b);
        }
}

static void test_replaced(void **state)
{
    (void)state;
    with_limits(replaced);
}

/* All numbers of all curves are bad. */
static void all_bad(clsp_context *ctx, clsp_type precision)
{
    const double most = precision == CLSP_F64 ? DBL_MAX : (double)FLT_MAX;
    const double values[] = {NAN, INFINITY, most, -most};
    clsp_nearest_f64 found[QUERIES * NEAREST];

    support_needs_opencl(ctx); /* mrep is of kernels */
    for (size_t v = 0; v < COUNT(values); v++)
        for (int mrep = 0; mrep <= support_has_methods(); mrep++) {
            const clsp_nearest_opts opts = {.method =
                                                mrep ? CLSP_NEAREST_MREP : CLSP_NEAREST_EXACT};
            bad_curves b = start(ctx, precision, 0);
            for (size_t i = 0; i < reals_of(&b); i++)
                b.controls[i] = values[v];
            load(&b);
            project(&b, &opts, false, found);
            for (size_t i = 0; i < QUERIES; i++)
                check_form(&found[i], "all numbers bad");
            finish(&b);
        }
}

static void test_all_bad(void **state)
{
    (void)state;
    with_limits(all_bad);
}

/* Weights that are not positive, which nobody has looked at: a search ends. */
static void bad_weights(clsp_context *ctx, clsp_type precision)
{
    static const double weights[] = {0, -1, -1e-30, NAN, INFINITY};

    for (size_t v = 0; v < COUNT(weights); v++) {
        const clsp_nearest_opts opts = {.method = CLSP_NEAREST_EXACT};
        bad_curves b = start(ctx, precision, 1);
        const size_t bytes = reals_of(&b) * clsp_type_bytes(precision);
        clsp_nearest_f64 found[QUERIES * NEAREST];
        float narrow[CURVES * CONTROLS * 3];
        b.controls[3 * CONTROLS + 3 * 2 + 2] = weights[v];
        const clsp_input in = controls_of(&b, narrow);
        const cl_mem buffer = buffer_of(ctx, bytes, in.host);
        assert_int_equal(clsp_patch_set_control_points(b.plan, CURVES, in, NULL),
                         CLSP_ERROR_WEIGHTS);
        assert_int_equal(clsp_patch_set_control_points(b.plan, CURVES,
                                                       clsp_in_buffer(buffer, precision, 0), NULL),
                         CLSP_OK); /* which does not look at them */
        project(&b, &opts, true, found);
        for (size_t i = 0; i < QUERIES; i++)
            if (patches[i] != 1) check_form(&found[i], "bad weights of another curve");
        clReleaseMemObject(buffer);
        finish(&b);
    }
}

static void test_weights(void **state)
{
    (void)state;
    with_limits(bad_weights);
}

/* ---- spans without length ---- */

static void test_empty_spans(void **state)
{
    enum { NUM = 9, DEG = 2 };
    static const double knots[][NUM + DEG + 1] = {
        {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1},               /* one span in the middle */
        {0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 1},   /* functions that vanish: refused */
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},               /* no domain: refused */
        {0, 0, 0, 0x1p-1000, 0.5, 0.5, 0.5, 1, 1, 1, 1, 1}, /* a span that floats do not know */
    };
    clsp_context *ctx = context_with("");
    const float query[2] = {0.3F, 0.4F};
    const clsp_nearest_queries q = {.num = 1, .points = clsp_in_f32(query, 2)};
    float controls[2 * NUM];

    (void)state;
    for (size_t i = 0; i < COUNT(controls); i++)
        controls[i] = (float)good_control(i);
    for (size_t k = 0; k < COUNT(knots); k++) {
        const clsp_bspline_desc d = {
            .directions = 1, .degree = {DEG}, .num_controls = {NUM}, .knots = {knots[k]}, .dim = 2};
        clsp_patch_plan *plan = NULL;
        clsp_nearest_f32 r;
        const clsp_status status = clsp_bspline_plan_create(&plan, ctx, &d);
        if (k < 3) assert_int_equal(status, CLSP_ERROR_ARGUMENT);
        if (status != CLSP_OK) continue;
        assert_int_equal(
            clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, 2 * NUM), NULL), CLSP_OK);
        for (int mrep = 0; mrep <= support_has_methods(); mrep++) {
            const clsp_nearest_opts opts = {.method =
                                                mrep ? CLSP_NEAREST_MREP : CLSP_NEAREST_EXACT};
            assert_int_equal(
                clsp_nearest_project(plan, &q, &opts, clsp_out_nearest_f32(&r, 1), NULL), CLSP_OK);
            assert_int_equal(r.status, CLSP_NEAREST_FOUND);
            assert_true(r.param[0] >= 0 && r.param[0] <= 1 && r.distance >= r.bound);
        }
        clsp_patch_plan_destroy(&plan);
    }
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_foreign_event),
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_replaced),  cmocka_unit_test(test_all_bad),
        cmocka_unit_test(test_weights),   cmocka_unit_test(test_empty_spans),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
