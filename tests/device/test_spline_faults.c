/* Conversions of B-splines, knots of their own, projections and sums by matrices, with calls that
   fail: the result is an error or what is right, and the plan is as good as before. */
#include "fault_fixture.h"

#include <clspline/bezier.h>
#include <clspline/bspline.h>
#include <clspline/nearest.h>
#include <clspline/reduce.h>
#include <string.h>
#include <time.h>

/* What is done with a plan while calls fail. */
typedef struct use {
    const char *name;
    clsp_patch_plan *(*plan)(clsp_context *ctx, const struct use *u);
    /* Does it, again from the start, and writes results. */
    clsp_status (*apply)(clsp_patch_plan *plan, const struct use *u, void *results);
    size_t bytes; /* of the results, at most MOST */
    clsp_bspline_target target;
    clsp_nearest_opts project;
    bool shared, own_knots;
} use;

enum { PATCHES = 2, CURVES = 3, DEGREE = 2, CONTROLS = 9, KNOTS = CONTROLS + DEGREE + 1 };
enum { CONVERTED = PATCHES * 4096, MOST = CONVERTED * sizeof(float) };

/* Waits until OpenCL forgets nothing more: what it did would count as lost later. */
static void settle(clsp_context *ctx)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    long before;

    do {
        before = live_blocks;
        clFinish(clsp_context_queue(ctx));
        nanosleep(&pause, NULL);
    } while (live_blocks != before);
}

/* Whether a use reaches the n-th call of the kind, which fails. Then it may say so, or be right;
   once more it is right, and with the plan all is gone but programs. */
static bool fail_use(clsp_context *ctx, const use *u, enum kind kind, unsigned n, const void *right)
{
    static char results[MOST];
    const long objects = live_objects, blocks = live_blocks;
    clsp_patch_plan *plan = u->plan(ctx, u);

    memset(results, 0, sizeof results);
    arm_fault(kind, n);
    const clsp_status status = u->apply(plan, u, results);
    fault.armed = false;
    if (status == CLSP_OK ? memcmp(results, right, u->bytes) != 0 : !fault.reached)
        fail_msg("%s, %s %u: status %d", u->name, kind_names[kind], n, status);
    memset(results, 0, sizeof results);
    assert_ok(ctx, u->apply(plan, u, results));
    if (memcmp(results, right, u->bytes) != 0)
        fail_msg("%s, %s %u, status %d: other results", u->name, kind_names[kind], n, status);
    clsp_patch_plan_destroy(&plan);
    let_go(ctx, blocks);
    if (live_blocks != blocks || live_objects != objects)
        fail_msg("%s, %s %u: %ld blocks and %ld objects are left", u->name, kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    return fault.reached;
}

static unsigned fail_all(clsp_context *ctx, const use *u)
{
    static const enum kind kinds[] = {MALLOC,        CALLOC,  REALLOC, CREATE_BUFFER,
                                      CREATE_KERNEL, SET_ARG, LAUNCH,  WRITE,
                                      READ,          COPY,    NATIVE,  SET_DESTRUCTOR};
    static char right[MOST];
    clsp_patch_plan *plan = u->plan(ctx, u);
    unsigned failed = 0;

    memset(right, 0, sizeof right);
    assert_ok(ctx, u->apply(plan, u, right));
    clsp_patch_plan_destroy(&plan);
    settle(ctx);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned n = 1; fail_use(ctx, u, kinds[k], n, right); n++)
            failed++;
    return failed;
}

static bool is_by_method(const use *u)
{
    return u->target.method == CLSP_BSPLINE_CONVERT_MATRIX ||
           u->project.method == CLSP_NEAREST_MREP;
}

/* Fails each call of the library's own, from the first one on. */
static void check_uses(const use *uses, size_t num)
{
    static const char *const limits[] = {"", "class=discrete"};
    unsigned failed = 0;

    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        for (size_t i = 0; i < num; i++)
            if (!is_by_method(&uses[i]) || support_has_methods()) failed += fail_all(ctx, &uses[i]);
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

static clsp_status load(clsp_patch_plan *plan, size_t num, size_t reals)
{
    float control[PATCHES * CONTROLS * CONTROLS * 3];

    for (size_t i = 0; i < num * reals; i++)
        control[i] = (float)(i * i % 23) / 4;
    return clsp_patch_set_control_points(plan, num, clsp_in_f32(control, num * reals), NULL);
}

static clsp_status set_own_knots(clsp_patch_plan *plan)
{
    double knots[CURVES * KNOTS];

    for (size_t i = 0; i < COUNT(knots); i++)
        knots[i] = (double)(i % KNOTS) * (double)(1 + i / KNOTS);
    return clsp_bspline_set_knots(plan, CURVES, clsp_in_f64(knots, COUNT(knots)));
}

/* ---- conversions ---- */

/* A plan of B-spline surfaces with control points and a target, which stays when another one fails.
 */
static clsp_patch_plan *surface_plan(clsp_context *ctx, const use *u)
{
    static const clsp_bspline_desc desc = {.degree = {DEGREE, DEGREE},
                                           .num_controls = {CONTROLS, CONTROLS}};
    clsp_patch_plan *plan;

    (void)u;
    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
    assert_ok(ctx, load(plan, PATCHES, CONTROLS * CONTROLS * 3));
    assert_ok(ctx, clsp_bspline_set_target(plan, &(clsp_bspline_target){.bezier = 0}));
    return plan;
}

static clsp_status convert(clsp_patch_plan *plan, const use *u, void *results)
{
    clsp_bspline_desc desc;
    clsp_status status = clsp_bspline_target_desc(plan, 0, &desc, NULL); /* there is one */

    if (status == CLSP_OK) status = clsp_bspline_set_target(plan, &u->target);
    if (status == CLSP_OK)
        status = clsp_bspline_convert(plan, (clsp_range){0, PATCHES},
                                      clsp_out_f32(results, CONVERTED), NULL);
    return status;
}

static void test_conversions(void **state)
{
    static const double insert[] = {0.5, 0.5};
#define CONVERSION .plan = surface_plan, .apply = convert, .bytes = MOST
    static const use uses[] = {{.name = "Bezier", CONVERSION, .target = {.bezier = 1}},
                               {.name = "derivative, knots",
                                CONVERSION,
                                .target = {.along = {{.derivative = 1, .elevate = 1},
                                                     {.insert = insert, .num_insert = 2}}}},
                               {.name = "elevation, a part",
                                CONVERSION,
                                .target = {.along = {{.elevate = 2}, {.begin = 0.25, .end = 0.5}},
                                           .method = CLSP_BSPLINE_CONVERT_MATRIX}}};
#undef CONVERSION

    (void)state;
    check_uses(uses, COUNT(uses));
}

/* ---- curves ---- */

enum { SAMPLES = 11, CURVE_REALS = CONTROLS * 3 };

static clsp_patch_plan *curve_plan(clsp_context *ctx, const use *u)
{
    static const clsp_bspline_desc desc = {.directions = 1,
                                           .degree = {DEGREE},
                                           .num_controls = {CONTROLS},
                                           .axis = {{.num = SAMPLES}}};
    clsp_patch_plan *plan;

    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
    if (u->own_knots) assert_ok(ctx, set_own_knots(plan));
    return plan;
}

/* Loads curves, gives them their own knots, evaluates and converts: [CURVES][SAMPLES][3] vertices,
 * then pieces.
 */
static clsp_status use_own(clsp_patch_plan *plan, const use *u, void *results)
{
    const clsp_range all = {0, CURVES};
    const size_t vertices = CURVES * SAMPLES * 3;
    float *const values = results;
    clsp_status status = load(plan, CURVES, CURVE_REALS);

    if (status == CLSP_OK) status = set_own_knots(plan);
    if (status == CLSP_OK)
        status = clsp_patch_eval(plan, all, clsp_out_f32(values, vertices), NULL);
    if (status == CLSP_OK) status = clsp_bspline_set_target(plan, &u->target);
    if (status == CLSP_OK)
        status = clsp_bspline_convert(plan, all,
                                      clsp_out_f32(values + vertices, CONVERTED - vertices), NULL);
    return status;
}

static void test_own_knots(void **state)
{
    static const use own = {.name = "own knots",
                            .plan = curve_plan,
                            .apply = use_own,
                            .bytes = MOST,
                            .target = {.bezier = 1}};

    (void)state;
    check_uses(&own, 1);
}

/* ---- projections ---- */

enum { QUERIES = 12, RESULTS_MAX = 2 * QUERIES };

/* Loads curves, so that all is made again, and projects; results: [RESULTS_MAX]. */
static clsp_status project(clsp_patch_plan *plan, const use *u, void *results)
{
    static const clsp_share device = {.schedule = CLSP_SCHEDULE_DEVICE, .bit_equal = 1};
    float points[QUERIES * 3];
    uint32_t patches[QUERIES];
    const clsp_output out = clsp_out_nearest_f32(results, RESULTS_MAX);
    clsp_nearest_queries queries = {.num = QUERIES, .points = clsp_in_f32(points, COUNT(points))};

    for (size_t i = 0; i < COUNT(points); i++)
        points[i] = (float)(i * 5 % 17) / 3;
    for (size_t i = 0; i < QUERIES; i++)
        patches[i] = (uint32_t)(i % CURVES);
    if (u->project.num_nearest > 1) queries.patches = clsp_in_u32(patches, QUERIES);
    const clsp_status status = load(plan, CURVES, CURVE_REALS);
    if (status != CLSP_OK) return status;
    if (u->shared)
        return clsp_nearest_project(plan, &queries, &u->project, out,
                                    &(clsp_run){.share = &device});
    return clsp_nearest_project(plan, &queries, &u->project, out, NULL);
}

static void test_projections(void **state)
{
#define PROJECTION                                                                                 \
    .plan = curve_plan, .apply = project, .bytes = RESULTS_MAX * sizeof(clsp_nearest_f32)
    static const use uses[] = {
        {.name = "exact", PROJECTION, .project = {.method = CLSP_NEAREST_EXACT}},
        {.name = "two nearest", PROJECTION, .project = {.num_nearest = 2}},
        {.name = "own knots", PROJECTION, .project = {.max_dist = 3}, .own_knots = true},
        {.name = "mrep", PROJECTION, .project = {.method = CLSP_NEAREST_MREP, .tolerance = 1e-2}},
        {.name = "shared", PROJECTION, .project = {.method = CLSP_NEAREST_EXACT}, .shared = true}};
#undef PROJECTION

    (void)state;
    check_uses(uses, COUNT(uses));
}

/* ---- pieces of a lower degree ---- */

enum { PIECES_MAX = 512, REDUCED = PIECES_MAX * 4 * 3 };

/* Loads curves, so that all is counted again, and makes their pieces, of which there may be others
   when a count failed. */
static clsp_status reduce(clsp_patch_plan *plan, const use *u, void *results)
{
    const clsp_reduction lines = {.degree = 1, .tolerance = u->plan == surface_plan ? 8 : 1e-2};
    float *const points = results;
    double params[4 * PIECES_MAX];
    const clsp_pieces pieces = {.controls = clsp_out_f32(points, REDUCED),
                                .params = clsp_out_f64(params, COUNT(params))};
    clsp_reduction_size size = {.num_pieces = 0};
    const bool surfaces = u->plan == surface_plan;
    clsp_status status =
        surfaces ? load(plan, 1, CURVE_REALS * CONTROLS) : load(plan, CURVES, CURVE_REALS);

    if (status == CLSP_OK && u->own_knots) status = set_own_knots(plan);
    if (status == CLSP_OK) status = clsp_patch_set_reduction(plan, &lines, &size);
    assert_true(size.num_pieces <= PIECES_MAX);
    const clsp_range all = {0, surfaces ? 1 : CURVES};
    if (status == CLSP_OK) status = clsp_patch_reduce(plan, all, &pieces, NULL);
    return status;
}

static void test_reductions(void **state)
{
#define REDUCTION .apply = reduce, .bytes = REDUCED * sizeof(float)
    static const use uses[] = {
        {.name = "lines", .plan = curve_plan, REDUCTION},
        {.name = "own knots", .plan = curve_plan, REDUCTION, .own_knots = true},
        {.name = "surface", .plan = surface_plan, REDUCTION}};
#undef REDUCTION

    (void)state;
    check_uses(uses, COUNT(uses));
}

/* ---- lists ---- */

enum { LISTED = 50 };

static clsp_context *list_context; /* of the plan at hand */

/* Vertices at parameters from and into buffers. */
static clsp_status list(clsp_patch_plan *plan, const use *u, void *results)
{
    static const uint32_t item[LISTED] = {1, 0, 1};
    float params[2 * LISTED];
    cl_command_queue const queue = clsp_context_queue(list_context);
    cl_context context;
    cl_int code[3];

    for (int i = 0; i < 2 * LISTED; i++)
        params[i] = (float)(i * 7 % 23) / 23;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    const bool armed = atomic_exchange(&fault.armed, false); /* these are the test's own */
    const cl_mem_flags copy = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    const cl_mem from = clCreateBuffer(context, copy, sizeof params, params, &code[0]);
    const cl_mem items = clCreateBuffer(context, copy, sizeof item, (void *)item, &code[1]);
    const cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, u->bytes, NULL, &code[2]);
    assert_true(code[0] == CL_SUCCESS && code[1] == CL_SUCCESS && code[2] == CL_SUCCESS);
    fault.armed = armed;
    const clsp_status status =
        clsp_patch_eval_points(plan,
                               &(clsp_points){.num = LISTED,
                                              .item = clsp_in_buffer(items, CLSP_U32, 0),
                                              .params = clsp_in_buffer(from, CLSP_F32, 0)},
                               clsp_out_buffer(out, CLSP_F32, 0), NULL);
    fault.armed = false;
    if (status == CLSP_OK)
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, u->bytes, results, 0, NULL, NULL);
    clReleaseMemObject(from);
    clReleaseMemObject(items);
    clReleaseMemObject(out);
    return status;
}

static clsp_patch_plan *list_plan(clsp_context *ctx, const use *u)
{
    list_context = ctx;
    return surface_plan(ctx, u);
}

static void test_lists(void **state)
{
    static const use uses[] = {
        {.name = "list", .plan = list_plan, .apply = list, .bytes = LISTED * 3 * sizeof(float)}};

    (void)state;
    check_uses(uses, COUNT(uses));
}

/* ---- the matrix method ---- */

enum { SIDE = 4 }; /* control points, and samples, along each direction */

static clsp_patch_plan *matrix_plan(clsp_context *ctx, const use *u)
{
    static const clsp_bezier_desc desc = {.degree = {SIDE - 1, SIDE - 1},
                                          .axis = {{.num = SIDE}, {.num = SIDE}},
                                          .method = CLSP_BEZIER_MATRIX};
    clsp_patch_plan *plan;

    (void)u;
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &desc));
    return plan;
}

/* Loads one patch, as often as is tried, and evaluates it. */
static clsp_status load_and_eval(clsp_patch_plan *plan, const use *u, void *results)
{
    const size_t reals = SIDE * SIDE * 3;
    const clsp_status status = load(plan, 1, reals);

    (void)u;
    return status != CLSP_OK
               ? status
               : clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(results, reals), NULL);
}

static void test_matrices(void **state)
{
    static const use uses[] = {{.name = "matrices",
                                .plan = matrix_plan,
                                .apply = load_and_eval,
                                .bytes = SIDE * SIDE * 3 * sizeof(float)}};

    (void)state;
    support_needs_methods();
    check_uses(uses, COUNT(uses));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions), cmocka_unit_test(test_own_knots),
        cmocka_unit_test(test_projections), cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_matrices),
    };

    if (support_no_device()) return 77;
    redirect_calls();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
