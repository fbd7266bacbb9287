/* Contexts of the host: what they are, what they compute without OpenCL, and what they refuse. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>
#endif

#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <clspline/clspline.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    PATCHES = 28,
    SAMPLES = 9,
    REALS = PATCHES * SAMPLES * SAMPLES * 3,
    CONTROLS = PATCHES * 48
};

static const clsp_bezier_desc grid = {.degree = {3, 3},
                                      .axis = {{.num = SAMPLES}, {.num = SAMPLES}}};
static const clsp_range all = {0, PATCHES};
static float controls[CONTROLS];

static clsp_context *context_of(const char *device, const char *limits)
{
    clsp_context *ctx = NULL;

    assert_ok(NULL, clsp_context_create(&ctx, NULL,
                                        &(clsp_context_opts){.device = device, .limits = limits}));
    return ctx;
}

static clsp_patch_plan *plan_of(clsp_context *ctx)
{
    clsp_patch_plan *plan = NULL;

    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &grid));
    assert_ok(ctx,
              clsp_patch_set_control_points(plan, PATCHES, clsp_in_f32(controls, CONTROLS), NULL));
    return plan;
}

/* Fails unless a call was refused, in words. */
static void assert_refused(clsp_context *ctx, clsp_status status, const char *words)
{
    char text[512];

    assert_int_equal(status, CLSP_ERROR_ARGUMENT);
    clsp_context_last_error(ctx, text, sizeof text);
    if (!strstr(text, words)) fail_msg("'%s' is not in '%s'", words, text);
}

/* ---- the device ---- */

static void test_device(void **state)
{
    static const char *const words[] = {"host", "HOST", "host:"};
    clsp_device_info info, listed[16];
    size_t count = 0;

    (void)state;
    assert_ok(NULL, clsp_device_list(listed, COUNT(listed), &count));
    assert_true(count >= 1 && count <= COUNT(listed));
    for (size_t i = 0; i < count; i++)
        assert_int_equal(listed[i].device_class == CLSP_CLASS_HOST, i + 1 == count);
    for (size_t i = 0; i < COUNT(words); i++) {
        clsp_context *ctx = context_of(words[i], NULL);
        assert_ok(ctx, clsp_context_device(ctx, &info));
        assert_memory_equal(&info, &listed[count - 1], sizeof info);
        assert_null(clsp_context_queue(ctx));
        assert_ok(ctx, clsp_context_finish(ctx));
        assert_ok(ctx, clsp_context_build_all(ctx, NULL, NULL));
        clsp_context_destroy(&ctx);
    }
    assert_string_equal(info.platform, "host");
    assert_true(strlen(info.name) > 0 && strncmp(info.driver, "clspline ", 9) == 0);
    assert_null(info.id);
    assert_int_equal(info.svm | info.images | info.native, 0);
    assert_true(info.fp64 == 1);
    assert_true(info.global_bytes ==
                (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    assert_true(info.max_alloc_bytes == info.global_bytes || info.max_alloc_bytes == SIZE_MAX);
}

#ifdef __linux__
/* Its units are the cores that the process may use. */
static void test_cores(void **state)
{
    cpu_set_t before, one_core;
    clsp_device_info info;
    size_t core = 0;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    while (!CPU_ISSET(core, &before))
        core++;
    CPU_ZERO(&one_core);
    CPU_SET(core, &one_core);
    assert_int_equal(sched_setaffinity(0, sizeof one_core, &one_core), 0);
    clsp_context *ctx = context_of("host", NULL);
    assert_ok(ctx, clsp_context_device(ctx, &info));
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_int_equal(info.compute_units, 1);
    clsp_context_destroy(&ctx);
    ctx = context_of("host", NULL);
    assert_ok(ctx, clsp_context_device(ctx, &info));
    assert_int_equal(info.compute_units, CPU_COUNT(&before));
    clsp_context_destroy(&ctx);
}
#endif

/* A class asks for OpenCL; other limits narrow the host as they do others. */
static void test_limits(void **state)
{
    clsp_context *ctx = context_of("host", "fp64=0");
    const clsp_context_opts opts = {.device = "host", .limits = "fp64=0,class=cpu"};
    const clsp_bezier_desc wide = {.degree = {1, 1}, .precision = CLSP_F64};
    clsp_patch_plan *plan = NULL;

    (void)state;
    assert_status(ctx, clsp_bezier_plan_create(&plan, ctx, &wide), CLSP_ERROR_NO_FP64);
    clsp_context_destroy(&ctx);
    assert_status(NULL, clsp_context_create(&ctx, NULL, &opts), CLSP_ERROR_NO_DEVICE);
    assert_null(ctx);
}

/* ---- what it computes ---- */

/* An OpenCL device on the same cores gives the same bits. */
static void test_same_bits(void **state)
{
    clsp_context *ctx = context_of("host", NULL), *other = NULL;
    clsp_patch_plan *plan = plan_of(ctx);
    static float points[2][REALS];

    (void)state;
    assert_ok(ctx, clsp_patch_eval(plan, all, clsp_out_f32(points[0], REALS), NULL));
    assert_true(points[0][0] == controls[0]); /* a corner */
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    if (clsp_context_create(&other, NULL, &(clsp_context_opts){.device = "cpu", .limits = ""}) !=
        CLSP_OK)
        skip_because("no OpenCL device on the host's cores");
    plan = plan_of(other);
    assert_ok(other, clsp_patch_eval(plan, all, clsp_out_f32(points[1], REALS), NULL));
    assert_memory_equal(points[0], points[1], sizeof points[0]);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&other);
}

/* Whatever schedule is asked for, the host makes all tiles, and the report says why. */
static void test_shares(void **state)
{
    clsp_context *ctx = context_of("host", NULL);
    clsp_patch_plan *plan = plan_of(ctx);
    static float wanted[REALS], points[REALS];

    (void)state;
    assert_ok(ctx, clsp_patch_eval(plan, all, clsp_out_f32(wanted, REALS), NULL));
    for (int s = CLSP_SCHEDULE_DEFAULT; s <= CLSP_SCHEDULE_HOST; s++)
        for (uint32_t bit_equal = 0; bit_equal < 2; bit_equal++) {
            const clsp_share share = {.schedule = (clsp_schedule)s, .bit_equal = bit_equal};
            clsp_report report;
            support_poison(points, sizeof points);
            assert_ok(ctx, clsp_patch_eval(plan, all, clsp_out_f32(points, REALS),
                                           &(clsp_run){.share = &share, .report = &report}));
            assert_int_equal(report.schedule, CLSP_SCHEDULE_HOST);
            assert_memory_equal(points, wanted, sizeof wanted);
        }
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* A device of OpenCL that has joined takes tiles beside the host. */
static void test_joined(void **state)
{
    const clsp_share share = {.schedule = CLSP_SCHEDULE_DYNAMIC};
    const clsp_context_opts opts = {.limits = "class=integrated"};
    clsp_context *ctx = context_of("host", NULL), *other = NULL;
    static float wanted[REALS], points[REALS];
    clsp_report report;

    (void)state;
    if (clsp_context_create(&other, NULL, &opts) != CLSP_OK) {
        clsp_context_destroy(&ctx);
        support_needs_opencl(NULL);
    }
    clsp_patch_plan *plan = plan_of(ctx);
    assert_ok(ctx, clsp_patch_eval(plan, all, clsp_out_f32(wanted, REALS), NULL));
    assert_ok(ctx, clsp_context_join(ctx, other));
    assert_ok(ctx, clsp_patch_eval(plan, all, clsp_out_f32(points, REALS),
                                   &(clsp_run){.share = &share, .report = &report}));
    assert_int_equal(report.schedule, CLSP_SCHEDULE_DYNAMIC);
    assert_int_equal(report.num_processors, 3);
    assert_int_equal(report.processors[0].tiles, 0);
    assert_int_equal(report.processors[1].status, CLSP_OK);
    assert_true(report.processors[1].tiles + report.processors[2].tiles == report.num_tiles);
    for (size_t i = 0; i < REALS; i++)
        assert_float_equal(points[i], wanted[i], 1e-5f);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

/* Graphics get results by way of host memory. */
static void test_graphics(void **state)
{
    clsp_context *ctx = context_of("host", NULL);
    clsp_patch_plan *plan = plan_of(ctx);
    static float wanted[REALS], points[REALS];
    clsp_graphics_desc desc = {.gl_buffer = 1, .host = points, .bytes = sizeof points};
    clsp_graphics *graphics = NULL;
    clsp_graphics_report report;

    (void)state;
    assert_ok(ctx, clsp_patch_eval(plan, all, clsp_out_f32(wanted, REALS), NULL));
    assert_ok(ctx, clsp_graphics_create(&graphics, ctx, &desc));
    assert_ok(ctx, clsp_graphics_info(graphics, &report));
    assert_int_equal(report.way, CLSP_GRAPHICS_STAGED);
    assert_string_equal(report.reason[CLSP_GRAPHICS_GL], "the context is of the host");
    assert_ok(ctx, clsp_patch_eval(plan, all, clsp_out_graphics(graphics, CLSP_F32, 0), NULL));
    assert_memory_equal(points, wanted, sizeof wanted);
    clsp_graphics_destroy(&graphics);
    desc.way = CLSP_GRAPHICS_GL;
    assert_status(ctx, clsp_graphics_create(&graphics, ctx, &desc), CLSP_ERROR_NO_SHARING);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* ---- what it refuses ---- */

/* Handles that nobody may look into. */
static void test_memory(void **state)
{
    static char handle;
    const cl_mem buffer = (cl_mem)(void *)&handle;
    const cl_event event = (cl_event)(void *)&handle;
    cl_event done = NULL;
    clsp_context *ctx = context_of("host", NULL);
    clsp_patch_plan *plan = plan_of(ctx);
    static float points[REALS];
    const clsp_output out = clsp_out_f32(points, REALS);
    const clsp_run runs[] = {{.num_wait = 1, .wait = &event}, {.done = &done}};

    (void)state;
    support_poison(points, sizeof points);
    assert_refused(ctx, clsp_patch_eval(plan, all, clsp_out_buffer(buffer, CLSP_F32, 0), NULL),
                   "a context of the host has no buffers");
    assert_refused(ctx, clsp_patch_eval(plan, all, clsp_out_svm(points, CLSP_F32, REALS), NULL),
                   "shared virtual memory");
    assert_refused(
        ctx,
        clsp_patch_set_control_points(plan, PATCHES, clsp_in_buffer(buffer, CLSP_F32, 0), NULL),
        "a context of the host has no buffers");
    for (size_t i = 0; i < COUNT(runs); i++)
        assert_refused(ctx, clsp_patch_eval(plan, all, out, &runs[i]),
                       "a context of the host has no events");
    assert_true(support_poisoned(points, sizeof points));
    assert_null(done);
    assert_ok(ctx, clsp_patch_eval(plan, all, out, NULL)); /* the plan is as it was */
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* A cell by a method. */
static void refuse_solids(clsp_context *ctx, const char *words)
{
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const clsp_solid_cells cell = {
        .num_vertices = 8, .num_cells = 1, .index = corners, .num_indices = 8};
    clsp_solid_mesh *mesh = NULL;

    assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cell));
    const int first = support_has_methods() ? CLSP_SOLID_GROUP : CLSP_SOLID_THREAD;
    for (int method = first; method <= CLSP_SOLID_HYBRID; method++) {
        const clsp_axis axis = {.num = 2};
        const clsp_solid_desc desc = {.axis = {axis, axis, axis},
                                      .method = (clsp_solid_method)method};
        clsp_solid_plan *plan = NULL;
        assert_refused(ctx, clsp_solid_plan_create(&plan, mesh, &desc), words);
        assert_null(plan);
    }
    clsp_solid_mesh_destroy(&mesh);
}

/* Methods that only kernels have; without the published methods all. */
static void test_methods(void **state)
{
    const char *const words = support_has_methods() ? "a context of the host has no kernels"
                                                    : "built without the published methods";
    const clsp_bspline_target by_matrix = {.method = CLSP_BSPLINE_CONVERT_MATRIX};
    static const clsp_bezier_method methods[] = {CLSP_BEZIER_MULTILEVEL, CLSP_BEZIER_MATRIX,
                                                 CLSP_BEZIER_BRUTE};
    static const double points[] = {0, 0, 0, 1, 1, 0, 2, 0, 0, 3, 1, 0};
    const clsp_bspline_desc spline = {
        .directions = 1, .degree = {3}, .num_controls = {4}, .precision = CLSP_F64};
    const clsp_nearest_opts mrep = {.method = CLSP_NEAREST_MREP};
    const clsp_nearest_queries queries = {.num = 1, .points = clsp_in_f64(points, 3)};
    clsp_context *ctx = context_of("host", NULL);
    clsp_nearest_f64 nearest;
    clsp_patch_plan *curve = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT(methods) && !support_has_methods(); i++) {
        clsp_patch_plan *plan = NULL;
        clsp_bezier_desc desc = grid;
        desc.method = methods[i];
        assert_refused(ctx, clsp_bezier_plan_create(&plan, ctx, &desc), words);
        assert_null(plan);
    }
    assert_ok(ctx, clsp_bspline_plan_create(&curve, ctx, &spline));
    assert_ok(ctx, clsp_patch_set_control_points(curve, 1, clsp_in_f64(points, 12), NULL));
    assert_refused(
        ctx, clsp_nearest_project(curve, &queries, &mrep, clsp_out_nearest_f64(&nearest, 1), NULL),
        words);
    assert_refused(ctx, clsp_bspline_set_target(curve, &by_matrix), words);
    refuse_solids(ctx, words);
    assert_ok(ctx,
              clsp_nearest_project(curve, &queries, NULL, clsp_out_nearest_f64(&nearest, 1), NULL));
    clsp_patch_plan_destroy(&curve);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef __linux__
        cmocka_unit_test(test_cores),
#endif
        cmocka_unit_test(test_device),    cmocka_unit_test(test_limits),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_shares),
        cmocka_unit_test(test_joined),    cmocka_unit_test(test_graphics),
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_methods),
    };
    uint64_t state = 1;

    support_begin();
    unsetenv("CLSPLINE_LIMITS");
    for (size_t i = 0; i < CONTROLS; i++)
        controls[i] = (float)support_uniform(&state);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
