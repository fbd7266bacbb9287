/* Conversions of B-splines, knots of their own and projections, with calls that fail: the result is
   an error or what is right, and the plan is as good as before. */
#include "fault_fixture.h"

#include <clspline/bspline_convert.h>
#include <clspline/bspline_project.h>
#include <string.h>

enum { PATCHES = 2, DEGREE = 2 };

/* ---- conversions ---- */

enum { CURVE_CONTROLS = 9, CONVERTED_MAX = PATCHES * 4096 };

/* A plan of B-spline surfaces with control points. */
static clsp_bspline_plan *spline_plan(clsp_context *ctx)
{
    static const clsp_bspline_desc desc = {.degree = {DEGREE, DEGREE},
                                           .num_controls = {CURVE_CONTROLS, CURVE_CONTROLS}};
    float control[PATCHES * CURVE_CONTROLS * CURVE_CONTROLS * 3];
    clsp_bspline_plan *plan;

    for (size_t i = 0; i < COUNT(control); i++)
        control[i] = (float)(i * i % 23) / 4;
    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
    assert_ok(ctx, clsp_bspline_set_control_points(plan, PATCHES,
                                                   clsp_in_f32(control, COUNT(control)), NULL));
    return plan;
}

/* Sets a target and converts, into [CONVERTED_MAX]. */
static clsp_status convert(clsp_bspline_plan *plan, const clsp_bspline_target *target,
                           float *controls)
{
    const clsp_status status = clsp_bspline_set_target(plan, target);

    if (status != CLSP_OK) return status;
    return clsp_bspline_convert(plan, (clsp_range){0, PATCHES},
                                clsp_out_f32(controls, CONVERTED_MAX), NULL);
}

/* Whether a conversion reaches the n-th call of the kind, which fails. Whatever had been set before
   stays, and the plan is as good as before. */
static bool fail_conversion(clsp_context *ctx, const clsp_bspline_target *target, enum kind kind,
                            unsigned n, const float *right)
{
    static float controls[CONVERTED_MAX];
    const long objects = live_objects, blocks = live_blocks;
    clsp_bspline_plan *plan = spline_plan(ctx);
    clsp_bspline_desc desc;

    assert_ok(ctx, clsp_bspline_set_target(plan, &(clsp_bspline_target){.bezier = 0}));
    memset(controls, 0, sizeof controls);
    arm_fault(kind, n);
    clsp_status status = convert(plan, target, controls);
    fault.armed = false;
    assert_ok(ctx, clsp_bspline_target_desc(plan, 0, &desc));
    if (status == CLSP_OK ? fault.reached && memcmp(controls, right, sizeof controls) != 0
                          : !fault.reached)
        fail_msg("%s %u: status %d", kind_names[kind], n, status);
    memset(controls, 0, sizeof controls);
    assert_ok(ctx, convert(plan, target, controls));
    if (memcmp(controls, right, sizeof controls) != 0)
        fail_msg("%s %u: other control points", kind_names[kind], n);
    clsp_bspline_plan_destroy(&plan);
    if (live_blocks != blocks || live_objects != objects)
        fail_msg("%s %u: %ld blocks and %ld objects are left", kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    return fault.reached;
}

static unsigned fail_conversions(clsp_context *ctx, const clsp_bspline_target *target)
{
    static const enum kind kinds[] = {MALLOC,  CALLOC, CREATE_BUFFER, CREATE_KERNEL,
                                      SET_ARG, LAUNCH, WRITE,         READ};
    static float right[CONVERTED_MAX];
    clsp_bspline_plan *plan = spline_plan(ctx);
    unsigned failed = 0;

    memset(right, 0, sizeof right);
    assert_ok(ctx, convert(plan, target, right));
    clsp_bspline_plan_destroy(&plan);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned n = 1; fail_conversion(ctx, target, kinds[k], n, right); n++)
            failed++;
    return failed;
}

static void test_conversions(void **state)
{
    static const double insert[] = {0.5, 0.5};
    static const clsp_bspline_target targets[] = {
        {.bezier = 1},
        {.along = {{.derivative = 1, .elevate = 1}, {.insert = insert, .num_insert = 2}}},
        {.along = {{.elevate = 2}, {.begin = 0.25, .end = 0.5}}, .method = CLSP_CONVERT_MATRIX}};
    static const char *const limits[] = {"", "class=discrete"};
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        for (size_t i = 0; i < COUNT(targets); i++)
            failed += fail_conversions(ctx, &targets[i]);
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

/* ---- knots of curves' own ---- */

enum { OWN_CURVES = 3, OWN_KNOTS = CURVE_CONTROLS + DEGREE + 1, OWN_SAMPLES = 11 };

/* Gives curves their own knots, converts and evaluates: [OWN_CURVES][OWN_SAMPLES][3] vertices, then
   pieces. */
static clsp_status use_own(clsp_bspline_plan *plan, float *values, size_t num)
{
    static const clsp_bspline_target target = {.bezier = 1};
    const size_t vertices = OWN_CURVES * OWN_SAMPLES * 3;
    double knots[OWN_CURVES * OWN_KNOTS];

    for (size_t i = 0; i < COUNT(knots); i++)
        knots[i] = (double)(i % OWN_KNOTS) * (double)(1 + i / OWN_KNOTS);
    clsp_status status = clsp_bspline_set_knots(plan, OWN_CURVES, clsp_in_f64(knots, COUNT(knots)));
    if (status == CLSP_OK)
        status = clsp_bspline_eval(plan, (clsp_range){0, OWN_CURVES},
                                   clsp_out_f32(values, vertices), NULL);
    if (status == CLSP_OK) status = clsp_bspline_set_target(plan, &target);
    if (status == CLSP_OK)
        status = clsp_bspline_convert(plan, (clsp_range){0, OWN_CURVES},
                                      clsp_out_f32(values + vertices, num - vertices), NULL);
    return status;
}

/* Whether curves with knots of their own reach the n-th call of the kind, which fails. n 0: none
   does, and `right` gets what is right. */
static bool fail_own(clsp_context *ctx, enum kind kind, unsigned n, float *right, size_t num)
{
    static const clsp_bspline_desc desc = {.directions = 1,
                                           .degree = {DEGREE},
                                           .num_controls = {CURVE_CONTROLS},
                                           .axis = {{.num = OWN_SAMPLES}}};
    static float values[CONVERTED_MAX];
    const long objects = live_objects, blocks = live_blocks;
    float control[OWN_CURVES * CURVE_CONTROLS * 3];
    clsp_bspline_plan *plan;

    for (size_t i = 0; i < COUNT(control); i++)
        control[i] = (float)(i * i % 23) / 4;
    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
    assert_ok(ctx, clsp_bspline_set_control_points(plan, OWN_CURVES,
                                                   clsp_in_f32(control, COUNT(control)), NULL));
    memset(values, 0, sizeof values);
    arm_fault(kind, n);
    clsp_status status = use_own(plan, values, num);
    fault.armed = false;
    if (status != CLSP_OK) {
        if (!fault.reached) fail_msg("%s %u: status %d", kind_names[kind], n, status);
        assert_ok(ctx, use_own(plan, values, num));
    }
    if (n > 0 && memcmp(values, right, num * sizeof *values) != 0)
        fail_msg("%s %u, status %d: other values", kind_names[kind], n, status);
    if (n == 0) memcpy(right, values, num * sizeof *values);
    clsp_bspline_plan_destroy(&plan);
    if (n > 0 && (live_blocks != blocks || live_objects != objects)) /* programs stay */
        fail_msg("%s %u: %ld blocks and %ld objects are left", kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    return fault.reached;
}

static void test_own_knots(void **state)
{
    static const enum kind kinds[] = {MALLOC,  CALLOC, REALLOC, CREATE_BUFFER, CREATE_KERNEL,
                                      SET_ARG, LAUNCH, WRITE,   READ};
    static const char *const limits[] = {"", "class=discrete"};
    static float right[CONVERTED_MAX];
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        fail_own(ctx, MALLOC, 0, right, CONVERTED_MAX); /* without a fault */
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (unsigned n = 1; fail_own(ctx, kinds[k], n, right, CONVERTED_MAX); n++)
                failed++;
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

/* ---- projections ---- */

enum { QUERIES = 12, SEARCH_CURVES = 3, RESULTS_MAX = 2 * QUERIES };

/* A way of projecting; new curves are loaded before. */
typedef struct projection {
    const char *name;
    clsp_project_opts opts;
    bool shared, own_knots;
} projection;

/* Loads curves, so that all is made again, and projects; results: [RESULTS_MAX]. */
static clsp_status project_loaded(clsp_bspline_plan *plan, const projection *way,
                                  clsp_nearest_f32 *results)
{
    static const clsp_cooperate_opts device = {.schedule = CLSP_SCHEDULE_DEVICE, .bit_equal = 1};
    float control[SEARCH_CURVES * CURVE_CONTROLS * 3], points[QUERIES * 3];
    uint32_t patches[QUERIES];
    const clsp_output out = clsp_out_nearest_f32(results, RESULTS_MAX);
    clsp_bspline_queries queries = {.num = QUERIES, .points = clsp_in_f32(points, COUNT(points))};

    for (size_t i = 0; i < COUNT(control); i++)
        control[i] = (float)(i * i % 23) / 4;
    for (size_t i = 0; i < COUNT(points); i++)
        points[i] = (float)(i * 5 % 17) / 3;
    for (size_t i = 0; i < QUERIES; i++)
        patches[i] = (uint32_t)(i % SEARCH_CURVES);
    if (way->opts.num_nearest > 1) queries.patches = clsp_in_u32(patches, QUERIES);
    const clsp_status status = clsp_bspline_set_control_points(
        plan, SEARCH_CURVES, clsp_in_f32(control, COUNT(control)), NULL);
    if (status != CLSP_OK) return status;
    if (way->shared)
        return clsp_bspline_project_shared(plan, &queries, &way->opts, out, &device, NULL);
    return clsp_bspline_project(plan, &queries, &way->opts, out, NULL);
}

static clsp_bspline_plan *curve_plan(clsp_context *ctx, bool own_knots)
{
    static const clsp_bspline_desc desc = {
        .directions = 1, .degree = {DEGREE}, .num_controls = {CURVE_CONTROLS}};
    double knots[SEARCH_CURVES * OWN_KNOTS];
    clsp_bspline_plan *plan;

    for (size_t i = 0; i < COUNT(knots); i++)
        knots[i] = (double)(i % OWN_KNOTS) * (double)(1 + i / OWN_KNOTS);
    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
    if (own_knots)
        assert_ok(ctx,
                  clsp_bspline_set_knots(plan, SEARCH_CURVES, clsp_in_f64(knots, COUNT(knots))));
    return plan;
}

/* Whether a projection reaches the n-th call of the kind, which fails. The plan is as good as
   before. n 0: none does, and `right` gets what is right. */
static bool fail_projection(clsp_context *ctx, const projection *way, enum kind kind, unsigned n,
                            clsp_nearest_f32 *right)
{
    const long objects = live_objects, blocks = live_blocks;
    clsp_bspline_plan *plan = curve_plan(ctx, way->own_knots);
    clsp_nearest_f32 results[RESULTS_MAX];

    memset(results, 0, sizeof results);
    arm_fault(kind, n);
    const clsp_status status = project_loaded(plan, way, results);
    fault.armed = false;
    if (status != CLSP_OK) {
        if (!fault.reached)
            fail_msg("%s, %s %u: status %d", way->name, kind_names[kind], n, status);
        assert_ok(ctx, project_loaded(plan, way, results));
    }
    if (n > 0 && memcmp(results, right, sizeof results) != 0)
        fail_msg("%s, %s %u, status %d: other results", way->name, kind_names[kind], n, status);
    if (n == 0) memcpy(right, results, sizeof results);
    clsp_bspline_plan_destroy(&plan);
    if (n > 0 && (live_blocks != blocks || live_objects != objects)) /* programs stay */
        fail_msg("%s, %s %u: %ld blocks and %ld objects are left", way->name, kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    return fault.reached;
}

/* Each call of the library's own that a projection makes, from the first one on. */
static void test_projections(void **state)
{
    static const enum kind kinds[] = {MALLOC,  CALLOC, REALLOC, CREATE_BUFFER, CREATE_KERNEL,
                                      SET_ARG, LAUNCH, WRITE,   READ,          COPY};
    static const projection ways[] = {
        {"exact", {.method = CLSP_PROJECT_EXACT}, false, false},
        {"two nearest", {.num_nearest = 2}, false, false},
        {"own knots", {.max_dist = 3}, false, true},
        {"mrep", {.method = CLSP_PROJECT_MREP, .tolerance = 1e-2}, false, false},
        {"shared", {.method = CLSP_PROJECT_EXACT}, true, false}};
    static const char *const limits[] = {"", "class=discrete"};
    clsp_nearest_f32 right[RESULTS_MAX];
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        for (size_t i = 0; i < COUNT(ways); i++) {
            fail_projection(ctx, &ways[i], MALLOC, 0, right); /* without a fault */
            for (size_t k = 0; k < COUNT(kinds); k++)
                for (unsigned n = 1; fail_projection(ctx, &ways[i], kinds[k], n, right); n++)
                    failed++;
        }
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_own_knots),
        cmocka_unit_test(test_projections),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
