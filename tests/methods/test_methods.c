/* Every published method, on the host and on a device, against the host's default one: all of a
   batch and a part of it, control points that change, and other grids. */
#include "../support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clspline/clspline.h>

#include "solid_cases.h"

enum { PATCHES = 5, SOME = 3, MOST = 40000 };

static clsp_context *ctx, *host;
static uint64_t seed;
static float controls[MOST], wanted[MOST], got[MOST], some[MOST];
static double worst;

/* Coordinates of control points that are about a plane's, in rows of 3, and whether the last one is
   a weight of 1 to 2; 0: they are anywhere. */
static struct {
    uint32_t coords;
    bool rational;
} net;

static float about_plane(size_t i)
{
    const size_t point = i / net.coords, c = i % net.coords, begin = i - c;
    const double x = support_uniform(&seed);

    if (net.rational && c + 1 == net.coords) {
        for (size_t k = begin; k < i; k++)
            controls[k] *= (float)(1.5 + 0.5 * x);
        return (float)(1.5 + 0.5 * x);
    }
    return (float)(0.25 * x + (c == 0   ? (double)(point / 3 % 4)
                               : c == 1 ? (double)(point % 3)
                                        : 0));
}

static clsp_input random_controls(size_t num)
{
    assert_true(num <= MOST);
    for (size_t i = 0; i < num; i++)
        controls[i] = net.coords ? about_plane(i) : (float)support_uniform(&seed);
    return clsp_in_f32(controls, num);
}

/* Checks what a method has made of all, and from number `each` on, against the default's. */
static void check(size_t num, size_t each, size_t num_some, double most)
{
    assert_true(num <= MOST);
    for (size_t i = 0; i < num; i++) {
        const double error = fabs((double)got[i] - (double)wanted[i]) / most;
        worst = support_worse(worst, error);
        if (!(error <= 1)) fail_msg("%zu: %g and %g", i, (double)got[i], (double)wanted[i]);
    }
    assert_memory_equal(some, got + each, num_some * sizeof *some);
}

/* ---- Bezier patches ---- */

/* each: reals of a patch. */
static void compare(clsp_patch_plan *const plans[2], size_t each, double most)
{
    const clsp_range all = {0, PATCHES}, part = {1, SOME};

    assert_ok(ctx, clsp_patch_eval(plans[0], all, clsp_out_f32(wanted, MOST), NULL));
    assert_ok(ctx, clsp_patch_eval(plans[1], all, clsp_out_f32(got, MOST), NULL));
    assert_ok(ctx, clsp_patch_eval(plans[1], part, clsp_out_f32(some, MOST), NULL));
    check(PATCHES * each, each, SOME * each, most);
}

/* Compares a method with the default one, on other grids too, those of parameters of their own,
   which brute does not take, and of one sample; reals: of control points, size: of a vertex; eps:
   how far they may be apart. */
static void check_bezier(clsp_bezier_desc desc, size_t reals, size_t size,
                         clsp_bezier_method method, double eps)
{
    static const double own[2][3] = {{0.125, 0.5, 1}, {0, 0.25, 0.875}};
    const clsp_axis axes[][2] = {{{.num = 3, .params = own[0]}, {.num = 3, .params = own[1]}},
                                 {{.num = 11, .begin = 0.25, .end = 0.75}, {.num = 4, .end = 1}},
                                 {{.num = 1, .begin = 0.75, .end = 1}, {.num = 1, .begin = 0.5}}};
    const bool is_curve = desc.form == CLSP_BEZIER_CURVE;
    const size_t samples = desc.axis[0].num * (is_curve ? 1 : desc.axis[1].num);
    clsp_patch_plan *plans[2] = {NULL, NULL};

    for (int k = 0; k < 2; k++) {
        desc.method = k ? method : CLSP_BEZIER_SEPARABLE;
        assert_ok(ctx, clsp_bezier_plan_create(&plans[k], k ? ctx : host, &desc));
    }
    for (int turn = 0; turn < 2; turn++) {
        const clsp_input points = random_controls(PATCHES * reals);
        for (int k = 0; k < 2; k++)
            assert_ok(ctx, clsp_patch_set_control_points(plans[k], PATCHES, points, NULL));
        compare(plans, size * samples, eps * 0x1p-23);
    }
    for (size_t i = method == CLSP_BEZIER_BRUTE ? 1 : 0; i < sizeof axes / sizeof *axes; i++) {
        for (int k = 0; k < 2; k++)
            assert_ok(ctx, clsp_patch_set_grids(plans[k], axes[i], 0, (clsp_input){0}));
        compare(plans, size * axes[i][0].num * (is_curve ? 1 : axes[i][1].num), eps * 0x1p-23);
    }
    clsp_patch_plan_destroy(&plans[0]);
    clsp_patch_plan_destroy(&plans[1]);
}

/* Returns how far a method and the default may be apart, of degrees whose sum is 5: the matrix
   method is within its bound (docs/math.md, 8), brute within 6 n + 70 eps, and multilevel, as the
   default, within 8. */
static double bezier_eps(int method)
{
    return method == 0 ? 16 : method == 1 ? 4 * 9 * exp2(2.5) + 8 : 6 * 5 + 70 + 8;
}

/* Vertices of every attribute, polynomial and rational, of points up to 4 away: derivatives are of
   differences of two of these by the degree, or twice so; weights double what coordinates are off
   by, and the quotient rule has as many terms; tangents are as long as 1 and at right angles, but
   for an eighth. Devices, which compile a program for each, make two of them. */
static void test_vertices(void **state)
{
    enum {
        P = CLSP_VERTEX_POINT,
        D = CLSP_VERTEX_DU | CLSP_VERTEX_DV,
        D2 = CLSP_VERTEX_DUU | CLSP_VERTEX_DUV | CLSP_VERTEX_DVV,
        N = CLSP_VERTEX_NORMAL,
        K = CLSP_VERTEX_CURVATURE
    };
    static const struct {
        uint32_t dim, rational, attributes, size;
        double more;
    } cases[] = {{3, 0, P | D, 9, 4 * 6},
                 {3, 0, P | N, 6, 4 * 6 * 2},
                 {2, 0, P | D | D2, 12, 4 * 24},
                 {3, 1, P | CLSP_VERTEX_WEIGHT, 4, 4 * 4},
                 {3, 1, P | D, 9, 4 * 6 * 8},
                 {3, 1, P | N | CLSP_VERTEX_PARAMS, 8, 4 * 6 * 16},
                 {4, 0, P, 4, 4},
                 {3, 0, P | N | K, 8, 4 * 24 * 8},
                 {4, 1, P | CLSP_VERTEX_DU, 8, 4 * 6 * 8}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += clsp_context_queue(ctx) ? 5 : 1)
        for (int m = 0; m < 3; m++) {
            const clsp_bezier_desc desc = {.degree = {3, 2},
                                           .axis = {{.num = 11}, {.num = 19}},
                                           .dim = cases[i].dim,
                                           .rational = cases[i].rational,
                                           .vertex.attributes = cases[i].attributes};
            net.coords = cases[i].dim + cases[i].rational;
            net.rational = cases[i].rational;
            check_bezier(desc, (size_t)12 * net.coords, cases[i].size,
                         (clsp_bezier_method)(CLSP_BEZIER_MULTILEVEL + m),
                         bezier_eps(m) * cases[i].more);
            net.coords = 0;
        }
}

static void test_bezier(void **state)
{
    const clsp_bezier_desc surface = {.degree = {3, 2}, .axis = {{.num = 5}, {.num = 200}}};
    const clsp_bezier_desc curve = {
        .form = CLSP_BEZIER_CURVE, .degree = {5}, .axis = {{.num = 33}}};

    (void)state;
    for (int m = 0; m < 3; m++) {
        const clsp_bezier_method method = (clsp_bezier_method)(CLSP_BEZIER_MULTILEVEL + m);
        check_bezier(surface, (size_t)4 * 3 * 3, 3, method, bezier_eps(m));
        check_bezier(curve, (size_t)6 * 3, 3, method, bezier_eps(m));
    }
}

/* ---- conversions ---- */

static void convert(clsp_patch_plan *plan, clsp_bspline_convert_method method, uint32_t elevate,
                    clsp_range range, float *out)
{
    const clsp_bspline_target target = {
        .along[0].elevate = elevate, .bezier = elevate == 0, .method = method};

    assert_ok(ctx, clsp_bspline_set_target(plan, &target));
    assert_ok(ctx, clsp_bspline_convert(plan, range, clsp_out_f32(out, MOST), NULL));
}

static void test_conversions(void **state)
{
    enum { CONTROLS = 5, PIECES = 3 * (CONTROLS - 2) }; /* of degree 2 along each direction */

    (void)state;
    for (uint32_t directions = 1; directions <= 3; directions++) {
        clsp_bspline_desc desc = {.directions = directions};
        clsp_patch_plan *plan = NULL, *wanted_plan = NULL;
        size_t reals = 3;
        for (uint32_t k = 0; k < directions; k++) {
            desc.degree[k] = 2;
            desc.num_controls[k] = CONTROLS;
            reals *= CONTROLS;
        }
        assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
        assert_ok(host, clsp_bspline_plan_create(&wanted_plan, host, &desc));
        for (uint32_t elevate = 0; elevate < 3; elevate++) {
            const double rows = elevate == 0 ? PIECES : elevate == 1 ? 8 : 11;
            const size_t each =
                (size_t)(elevate ? rows / CONTROLS * (double)reals : 3 * pow(PIECES, directions));
            const clsp_input points = random_controls(PATCHES * reals);
            assert_ok(ctx, clsp_patch_set_control_points(plan, PATCHES, points, NULL));
            assert_ok(host, clsp_patch_set_control_points(wanted_plan, PATCHES, points, NULL));
            convert(wanted_plan, CLSP_BSPLINE_CONVERT_BANDS, elevate, (clsp_range){0, PATCHES},
                    wanted);
            convert(plan, CLSP_BSPLINE_CONVERT_MATRIX, elevate, (clsp_range){0, PATCHES}, got);
            convert(plan, CLSP_BSPLINE_CONVERT_MATRIX, elevate, (clsp_range){1, SOME}, some);
            check(PATCHES * each, each, SOME * each, 16 * 0x1p-23);
        }
        clsp_patch_plan_destroy(&plan);
        clsp_patch_plan_destroy(&wanted_plan);
    }
}

/* ---- nearest points ---- */

/* Distances through cubics are within the tolerance of the least ones, of one query too. */
static void test_nearest(void **state)
{
    enum { QUERIES = 200 };
    const clsp_bspline_desc desc = {.directions = 1, .degree = {5}, .num_controls = {12}, .dim = 2};
    static float points[2 * QUERIES];
    static clsp_nearest_f32 exact[QUERIES], near[QUERIES], one;
    clsp_nearest_opts opts = {.method = CLSP_NEAREST_MREP, .tolerance = 1e-3};
    clsp_nearest_queries queries = {.num = QUERIES, .points = clsp_in_f32(points, 2 * QUERIES)};
    clsp_patch_plan *plan = NULL;

    (void)state;
    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
    for (int turn = 0; turn < 2; turn++, opts.tolerance /= 10) {
        queries.num = QUERIES;
        memcpy(points, random_controls(2 * QUERIES).host, sizeof points);
        assert_ok(ctx, clsp_patch_set_control_points(
                           plan, PATCHES, random_controls((size_t)PATCHES * 12 * 2), NULL));
        assert_ok(ctx, clsp_nearest_project(plan, &queries, NULL,
                                            clsp_out_nearest_f32(exact, QUERIES), NULL));
        assert_ok(ctx, clsp_nearest_project(plan, &queries, &opts,
                                            clsp_out_nearest_f32(near, QUERIES), NULL));
        for (size_t i = 0; i < QUERIES; i++) {
            const double error = (double)near[i].distance - (double)exact[i].distance;
            worst = support_worse(worst, fabs(error) / (opts.tolerance + 1e-5));
            assert_int_equal(near[i].status, CLSP_NEAREST_FOUND);
            assert_true(fabs(error) <= opts.tolerance + 1e-5);
            assert_true(near[i].bound <= exact[i].distance + 1e-5F);
            assert_true((double)(near[i].distance - near[i].bound) <= opts.tolerance + 1e-5);
        }
        queries.num = 1;
        assert_ok(ctx,
                  clsp_nearest_project(plan, &queries, &opts, clsp_out_nearest_f32(&one, 1), NULL));
        assert_memory_equal(&one, &near[0], sizeof one);
    }
    clsp_patch_plan_destroy(&plan);
}

/* ---- solids ---- */

/* By groups only where the device has groups of 32. Nothing behind the last cell is written. */
static void check_cells(const clsp_solid_mesh *mesh, const clsp_solid_mesh *of_host,
                        const solid_case *solid, uint32_t samples)
{
    enum { BEHIND = 1000 };
    const size_t reals = (size_t)samples * samples * samples * 3;
    const clsp_axis axis = {.num = samples};

    random_controls(3 * solid->num_points);
    for (int method = CLSP_SOLID_CELLS; method <= CLSP_SOLID_HYBRID; method++) {
        const clsp_solid_desc desc = {.axis = {axis, axis, axis},
                                      .method = (clsp_solid_method)method};
        float *const out = method == CLSP_SOLID_CELLS ? wanted : got;
        clsp_solid_plan *plan = NULL;
        const clsp_solid_mesh *const of = method == CLSP_SOLID_CELLS ? of_host : mesh;
        if (clsp_solid_plan_create(&plan, of, &desc) == CLSP_ERROR_ARGUMENT) {
            assert_true(method >= CLSP_SOLID_GROUP);
            continue;
        }
        assert_ok(ctx, clsp_solid_set_control_points(
                           plan, clsp_in_f32(controls, 3 * solid->num_points), NULL));
        for (size_t k = 0; k < BEHIND; k++)
            out[solid->num_cells * reals + k] = 7;
        assert_ok(ctx, clsp_solid_eval(plan, (clsp_range){0, solid->num_cells},
                                       clsp_out_f32(out, MOST), NULL));
        for (size_t k = 0; k < BEHIND; k++)
            assert_true(out[solid->num_cells * reals + k] == 7);
        assert_ok(ctx, clsp_solid_eval(plan, (clsp_range){1, solid->num_cells - 2},
                                       clsp_out_f32(some, MOST), NULL));
        if (method > CLSP_SOLID_CELLS)
            check(solid->num_cells * reals, reals, (solid->num_cells - 2) * reals, 1e-6);
        clsp_solid_plan_destroy(&plan);
    }
}

static void test_solids(void **state)
{
    solid_case cases[] = {solid_prism(5, 1, 3), solid_box(3, 3, 3)};

    (void)state;
    for (int i = 0; i < 2; i++) {
        const clsp_solid_cells cells = {.num_vertices = cases[i].num_points,
                                        .num_cells = cases[i].num_cells,
                                        .index = cases[i].cell,
                                        .num_indices = 8 * cases[i].num_cells};
        clsp_solid_mesh *mesh = NULL, *of_host = NULL;
        assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells));
        assert_ok(host, clsp_solid_mesh_create(&of_host, host, &cells));
        check_cells(mesh, of_host, &cases[i], 2); /* which the hybrid method makes by warps */
        check_cells(mesh, of_host, &cases[i], 5);
        clsp_solid_mesh_destroy(&mesh);
        clsp_solid_mesh_destroy(&of_host);
        solid_free(&cases[i]);
    }
}

/* Runs tests in a context with these limits; NULL: of the host. */
static int run(const char *limits, const struct CMUnitTest *tests, size_t num)
{
    const clsp_context_opts opts = {.limits = limits, .device = limits ? NULL : "host"};

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    const int failed = _cmocka_run_group_tests(limits ? limits : "host", tests, num, NULL, NULL);
    clsp_context_destroy(&ctx);
    return failed;
}

/* With small buffers, too: what sums by matrices make between directions then does not fit for all
   patches at once. */
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest),
                                       cmocka_unit_test(test_vertices),
                                       cmocka_unit_test(test_solids), cmocka_unit_test(test_bezier),
                                       cmocka_unit_test(test_conversions)};
    const clsp_context_opts of_host = {.device = "host", .limits = ""};

    assert_ok(NULL, clsp_context_create(&host, NULL, &of_host));
    int failed = run(NULL, tests + 1, 3);
    if (!support_no_device())
        failed += run("class=discrete,local_is_real=1", tests, 5) +
                  run("class=discrete,local_is_real=1,alloc=16384", tests + 3, 2);
    clsp_context_destroy(&host);
    print_message("worst/bound %.2f\n", worst);
    return failed;
}
