/* Calls that project onto B-spline curves: the same bits however they are cut, memory of every
   kind, events, bad input, shared calls, and curves with knots of their own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "curve_cases.h"
#include "hard_curves.h"
#include "memory_fixture.h"
#include "schedule_fixture.h"
#include "vertex_fixture.h"

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

static const clsp_share by_device = {.schedule = CLSP_SCHEDULE_DEVICE};

/* Inputs of one kind, results of another; the expected ones came from host memory. */
static void check_kinds(const projecting *p, const stored *s, store_kind from, store_kind to,
                        const unsigned char *expected)
{
    const size_t reals = (size_t)STORED * 2 * CLSP_NEAREST_F32_SIZE;
    store points = store_make(p->ctx, from, CLSP_F32, 3, 2 * (size_t)STORED, s->points);
    store patches = store_make(p->ctx, from, CLSP_U32, 5, STORED, s->patches);
    store hints = store_make(p->ctx, from, CLSP_F32, 0, STORED, s->hints);
    store out = store_make(p->ctx, to, CLSP_F32, 7, reals, NULL);
    const clsp_nearest_queries queries = {.num = STORED,
                                          .points = store_in(&points),
                                          .patches = store_in(&patches),
                                          .hints = store_in(&hints)};

    /* by the device, as calls on memory of the device's are */
    const clsp_run run = {.share = from == HOST && to == HOST ? &by_device : NULL};
    assert_int_equal(clsp_nearest_project(p->plan, &queries, &p->opts, store_out(&out), &run),
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
    p.share = &by_device;
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
    p.share = &by_device;
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
    const clsp_nearest_queries queries = {.num = STORED, .points = clsp_in_buffer(in, 0, 0)};
    support_open_before(ctx, start);
    assert_int_equal(
        clsp_nearest_project(p.plan, &queries, NULL, clsp_out_buffer(out, 0, 0),
                             &(clsp_run){.num_wait = 1, .wait = &written, .done = &projected}),
        CLSP_OK);
    code =
        clEnqueueReadBuffer(queue, out, CL_FALSE, 0, sizeof results, results, 1, &projected, &read);
    assert_int_equal(code, CL_SUCCESS);
    support_open_behind(ctx, start);
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
static clsp_patch_plan *small_plan(clsp_context *ctx, const clsp_bspline_desc *d, size_t num)
{
    static const float controls[96] = {0, 0, 1, 1, 2, 0, 3, 1, 1, 1, 2, 2, 3, 1, 4, 2};
    clsp_patch_plan *plan;
    size_t reals = d->dim + d->rational;

    for (uint32_t k = 0; k < d->directions; k++)
        reals *= d->num_controls[k];
    assert_true(num * reals <= COUNT(controls));
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, d), CLSP_OK);
    assert_int_equal(
        clsp_patch_set_control_points(plan, num, clsp_in_f32(controls, num * reals), NULL),
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
    clsp_patch_plan *plan = small_plan(ctx, &cubic, 1);
    clsp_nearest_queries queries = {.num = 1, .points = clsp_in_f32(point, 2)};
    clsp_nearest_f32 r;

    (void)state;
    assert_int_equal(clsp_nearest_project(plan, &queries, NULL, clsp_out_nearest_f32(&r, 1), NULL),
                     CLSP_OK);
    assert_true(r.distance == 1 && r.param[0] == 0 && r.point[0] == 0 && r.point[1] == 0);
    assert_int_equal(r.status, CLSP_NEAREST_FOUND);
    support_poison(&r, sizeof r);
    queries.num = 0;
    assert_int_equal(clsp_nearest_project(plan, &queries, NULL, clsp_out_nearest_f32(&r, 1), NULL),
                     CLSP_OK);
    queries.points.size = 0;
    assert_int_equal(clsp_nearest_project(plan, &queries, NULL, clsp_out_nearest_f32(&r, 0), NULL),
                     CLSP_OK);
    assert_true(support_poisoned(&r, sizeof r));
    clsp_patch_plan_destroy(&plan);
}

/* What calls of the small plan take when all is well, and one of their changes. */
typedef struct request {
    clsp_nearest_queries queries;
    clsp_nearest_opts opts;
    clsp_output out;
    clsp_run sync;
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

static clsp_status call(clsp_patch_plan *plan, const request *r)
{
    return clsp_nearest_project(plan, &r->queries, &r->opts, r->out, &r->sync);
}

#define REFUSED(wanted, change)                                                                    \
    do {                                                                                           \
        request r = good_request();                                                                \
        change;                                                                                    \
        support_poison(few_results, sizeof few_results);                                           \
        assert_status(ctx, call(plan, &r), (wanted));                                              \
        assert_true(support_poisoned(few_results, sizeof few_results));                            \
    } while (0)

static void refuse_options(clsp_context *ctx, clsp_patch_plan *plan)
{
    static float normals[16];
    static const clsp_output of_curves = {.host = normals, .size = 16};

    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.method = (clsp_nearest_method)3);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.num_nearest = CLSP_NEAREST_MAX_RESULTS + 1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.max_dist = -1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.max_dist = NAN);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.tolerance = -1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.tolerance = NAN);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.reserved[0] = 1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.opts.normals = &of_curves);
    REFUSED(CLSP_ERROR_ARGUMENT, r.queries.reserved[3] = 1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.sync.reserved[1] = 1);
    REFUSED(CLSP_ERROR_ARGUMENT, r.sync.num_wait = 1);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, r.opts.num_nearest = 2);
}

static void refuse_memory(clsp_context *ctx, clsp_patch_plan *plan)
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
    clsp_patch_plan *plan;

    d.num_controls[0] = 6;
    d.degree[0] = 0;
    plan = small_plan(ctx, &d, 1);
    REFUSED(CLSP_ERROR_DEGREE, );
    clsp_patch_plan_destroy(&plan);
    d.degree[0] = CLSP_NEAREST_MAX_DEGREE + 1;
    d.num_controls[0] = CLSP_NEAREST_MAX_DEGREE + 2;
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &d), CLSP_OK);
    REFUSED(CLSP_ERROR_DEGREE, );
    clsp_patch_plan_destroy(&plan);
    d = cubic;
    d.directions = 3;
    d.degree[1] = d.degree[2] = 1;
    d.num_controls[1] = d.num_controls[2] = 2;
    plan = small_plan(ctx, &d, 1);
    REFUSED(CLSP_ERROR_ARGUMENT, );
    clsp_patch_plan_destroy(&plan);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &cubic), CLSP_OK);
    REFUSED(CLSP_ERROR_STATE, );
    clsp_patch_plan_destroy(&plan);
}

static void test_arguments(void **state)
{
    clsp_context *const ctx = lent_context("");
    clsp_patch_plan *plan = small_plan(ctx, &cubic, 2);
    request r = good_request();

    (void)state;
    assert_ok(ctx, call(plan, &r));
    refuse_options(ctx, plan);
    refuse_memory(ctx, plan);
    assert_int_equal(clsp_nearest_project(NULL, &r.queries, NULL, r.out, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_nearest_project(plan, NULL, NULL, r.out, NULL), CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, call(plan, &r));
    clsp_patch_plan_destroy(&plan);
    refuse_plans(ctx);
}

/* ---- several processors ---- */

static const clsp_share shares[] = {
    {.schedule = CLSP_SCHEDULE_DEFAULT},
    {.schedule = CLSP_SCHEDULE_SVM},
    {.schedule = CLSP_SCHEDULE_DYNAMIC},
    {.schedule = CLSP_SCHEDULE_STATIC},
    {.schedule = CLSP_SCHEDULE_DEVICE},
    {.schedule = CLSP_SCHEDULE_HOST},
    {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = 0.5},
    {.schedule = CLSP_SCHEDULE_DYNAMIC, .bit_equal = 1},
};

static void check_shared(const projecting *p, const clsp_share *share,
                         const unsigned char *expected)
{
    const clsp_type precision = p->c->d.precision;
    const unsigned dim = p->c->dim;
    const size_t bytes = p->num * nearest_bytes(precision);
    const size_t size = bytes / clsp_type_bytes(precision);
    unsigned char *const out = malloc(bytes);
    float *const narrow = malloc(p->num * dim * sizeof *narrow);
    clsp_nearest_queries queries = {.num = p->num};
    clsp_report report;

    assert_true(out && narrow);
    for (size_t i = 0; i < p->num * dim; i++)
        narrow[i] = (float)p->queries[i];
    queries.points = precision == CLSP_F64 ? clsp_in_f64(p->queries, p->num * dim)
                                           : clsp_in_f32(narrow, p->num * dim);
    assert_ok(p->ctx, clsp_nearest_project(
                          p->plan, &queries, &p->opts, host_out(precision, out, size),
                          &(clsp_run){.share = share ? share : &(clsp_share){.num_workers = 0},
                                      .report = &report}));
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
    p.share = &by_device;
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
    project_say_worst();
}

static void test_shared_arguments(void **state)
{
    clsp_context *const ctx = lent_context("");
    clsp_patch_plan *plan = small_plan(ctx, &cubic, 2);
    const request r = good_request();
    const cl_mem buffer = buffer_of(ctx, 1024, NULL);
    const clsp_output in_buffer = clsp_out_buffer(buffer, CLSP_F32, 0);
    const clsp_nearest_opts mrep = {.method = CLSP_NEAREST_MREP};
    const clsp_share wrong = {.schedule = (clsp_schedule)9};
    const clsp_share by_caller = {.schedule = CLSP_SCHEDULE_HOST, .tiles = {0, 1}};
    clsp_nearest_queries from_buffer = r.queries;

    (void)state;
    from_buffer.points = clsp_in_buffer(buffer, CLSP_F32, 0);
    assert_ok(ctx, clsp_nearest_project(plan, &r.queries, NULL, r.out,
                                        &(clsp_run){.share = &(clsp_share){.num_workers = 0}}));
    assert_status(ctx,
                  clsp_nearest_project(NULL, &r.queries, NULL, r.out,
                                       &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_nearest_project(plan, NULL, NULL, r.out,
                                       &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_nearest_project(plan, &r.queries, NULL, in_buffer,
                                       &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_nearest_project(plan, &from_buffer, NULL, r.out,
                                       &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_nearest_project(plan, &r.queries, &mrep, r.out,
                                       &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
                  support_has_methods() ? CLSP_OK /* by the device alone */
                                        : CLSP_ERROR_ARGUMENT);
    assert_status(
        ctx, clsp_nearest_project(plan, &r.queries, &mrep, r.out, &(clsp_run){.share = &by_caller}),
        CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_nearest_project(plan, &r.queries, NULL, r.out, &(clsp_run){.share = &wrong}),
                  CLSP_ERROR_ARGUMENT);
    clReleaseMemObject(buffer);
    clsp_patch_plan_destroy(&plan);
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

static void project_own(clsp_patch_plan *plan, const double *queries, const uint32_t *patches,
                        const clsp_share *share, clsp_nearest_f64 *results)
{
    const clsp_nearest_opts opts = {.num_nearest = 2};
    clsp_nearest_queries q = {.num = OWN_QUERIES, .points = clsp_in_f64(queries, 2 * OWN_QUERIES)};

    if (patches) q.patches = clsp_in_u32(patches, OWN_QUERIES);
    assert_int_equal(clsp_nearest_project(plan, &q, &opts,
                                          clsp_out_nearest_f64(results, 2 * OWN_QUERIES),
                                          share ? &(clsp_run){.share = share} : NULL),
                     CLSP_OK);
}

/* Curves that have knots of their own give what plans of each one's knots give, by the device, by
   the host, and by a joined device with its own. */
static void test_own_knots(void **state)
{
    static const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    static const clsp_share device = {.schedule = CLSP_SCHEDULE_DEVICE};
    static const clsp_share devices = {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1};
    static const clsp_share *const ways[][2] = {{NULL, NULL}, {&host, &host}, {&devices, &device}};
    clsp_bspline_desc desc = {.directions = 1,
                              .precision = CLSP_F64,
                              .degree = {OWN_DEGREE},
                              .num_controls = {OWN_CONTROLS},
                              .dim = 2};
    double controls[2][OWN_CONTROLS][2], queries[OWN_QUERIES][2];
    clsp_nearest_f64 both[2 * OWN_QUERIES], one[2 * OWN_QUERIES];
    uint32_t patches[OWN_QUERIES];
    clsp_patch_plan *plan, *alone;
    clsp_context *ctx, *other;
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
    assert_int_equal(clsp_context_create(&other, NULL, NULL), CLSP_OK);
    assert_int_equal(clsp_context_join(ctx, other), CLSP_OK);
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &desc), CLSP_OK);
    assert_int_equal(
        clsp_bspline_set_knots(plan, 2, clsp_in_f64((const double *)own_knots, 2 * OWN_KNOTS)),
        CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(
                         plan, 2, clsp_in_f64((const double *)controls, 4 * OWN_CONTROLS), NULL),
                     CLSP_OK);
    for (uint32_t c = 0; c < 2; c++) {
        for (size_t i = 0; i < OWN_QUERIES; i++)
            patches[i] = c;
        desc.knots[0] = own_knots[c];
        assert_int_equal(clsp_bspline_plan_create(&alone, ctx, &desc), CLSP_OK);
        assert_int_equal(
            clsp_patch_set_control_points(
                alone, 1, clsp_in_f64((const double *)controls[c], 2 * OWN_CONTROLS), NULL),
            CLSP_OK);
        for (size_t k = 0; k < COUNT(ways); k++) {
            project_own(plan, (const double *)queries, patches, ways[k][0], both);
            project_own(alone, (const double *)queries, NULL, ways[k][1], one);
            for (size_t i = 0; i < 2 * OWN_QUERIES; i++) {
                assert_int_equal(both[i].status, one[i].status);
                if (one[i].patch == 0) one[i].patch = c;
                assert_memory_equal(&both[i], &one[i], sizeof one[i]);
            }
        }
        clsp_patch_plan_destroy(&alone);
    }
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_events),    cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_few),       cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_shared),    cmocka_unit_test(test_shared_arguments),
        cmocka_unit_test(test_own_knots),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
