/* Patch grids on the host: vertices of a patch have the bits of the common grid with the patch's
   numbers of samples where rows make them, and the same bits however the job is cut into tiles;
   numbers change, and are told apart. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_fixture.h"
#include "memory_fixture.h"
#include "support.h"

enum { PATCHES = 9, CONTROLS_MAX = 5 * 9 * 7 * 7, VERTICES_MAX = 160000, ELEMENTS_MAX = 24 };

enum {
    P = CLSP_VERTEX_POINT,
    W = CLSP_VERTEX_WEIGHT,
    D1 = CLSP_VERTEX_DU | CLSP_VERTEX_DV,
    D2 = CLSP_VERTEX_DUU | CLSP_VERTEX_DUV | CLSP_VERTEX_DVV,
    D3 = CLSP_VERTEX_DUW | CLSP_VERTEX_DVW | CLSP_VERTEX_DWW,
    N = CLSP_VERTEX_NORMAL,
    T = CLSP_VERTEX_PARAMS,
    K = CLSP_VERTEX_CURVATURE
};

/* triangles: of one number of samples; curves with knots of their own */
typedef enum kind { COMMON, WATERTIGHT, TRIANGLES, OWN_KNOTS } kind;

/* knots: B-splines with as many control points more than a patch has. */
typedef struct grids_case {
    uint32_t directions, degree[3], knots, dim, rational, attributes;
    uint32_t stride; /* 0: packed */
    clsp_type type;  /* 0: the precision */
    kind kind;
    uint32_t most[3]; /* samples */
} grids_case;

static const grids_case cases[] = {
    {2, {3, 3, 0}, 0, 3, 0, P, 0, 0, COMMON, {70, 70, 1}},
    {2, {3, 2, 0}, 0, 3, 0, P | N, 0, 0, COMMON, {40, 37, 1}},
    {2, {3, 3, 0}, 0, 3, 1, P | D1 | N, 0, 0, COMMON, {20, 40, 1}},
    {2, {4, 3, 0}, 0, 3, 0, P | D1 | D2 | T, 23, 0, COMMON, {20, 20, 1}},
    {2, {3, 5, 0}, 0, 3, 1, P | W | N | K, 0, 0, COMMON, {9, 33, 1}},
    {2, {1, 1, 0}, 0, 2, 0, P, 5, CLSP_F16, COMMON, {17, 33, 1}},
    {2, {3, 3, 0}, 0, 3, 1, P, 0, 0, WATERTIGHT, {20, 30, 1}},
    {2, {3, 3, 0}, 0, 3, 0, P, 0, 0, COMMON, {2, 6000, 1}},
    {2, {2, 3, 0}, 5, 3, 0, P | D1 | T, 0, 0, COMMON, {33, 40, 1}},
    {2, {3, 2, 0}, 4, 3, 0, P | N, 0, 0, COMMON, {50, 50, 1}},
    {2, {2, 2, 0}, 3, 3, 1, P | N | K, 0, CLSP_F16, COMMON, {30, 30, 1}},
    {2, {3, 3, 0}, 9, 3, 1, P | W, 0, 0, COMMON, {50, 50, 1}},
    {1, {3, 0, 0}, 0, 3, 0, P, 0, 0, COMMON, {5000, 1, 1}},
    {1, {3, 0, 0}, 0, 4, 0, P | CLSP_VERTEX_DU, 0, 0, COMMON, {40, 1, 1}},
    {1,
     {5, 0, 0},
     0,
     3,
     1,
     P | W | CLSP_VERTEX_DU | CLSP_VERTEX_DUU | T | K,
     0,
     0,
     COMMON,
     {99, 1, 1}},
    {1, {3, 0, 0}, 0, 2, 0, K | P, 4, CLSP_F16, COMMON, {50, 1, 1}},
    {1, {3, 0, 0}, 7, 2, 1, P | CLSP_VERTEX_DU | K, 0, 0, COMMON, {300, 1, 1}},
    {3, {3, 2, 3}, 0, 3, 0, P, 0, 0, COMMON, {9, 12, 20}},
    {3, {2, 2, 1}, 0, 2, 1, P | W | D1 | CLSP_VERTEX_DW | T, 0, 0, COMMON, {7, 8, 9}},
    {3, {2, 1, 2}, 4, 3, 0, P | D1 | CLSP_VERTEX_DW, 14, CLSP_F16, COMMON, {11, 5, 19}},
    {3, {3, 2, 4}, 0, 3, 0, D2 | D3, 0, 0, COMMON, {7, 9, 20}},
    {3, {2, 3, 2}, 3, 2, 1, P | D1 | D2 | D3, 0, 0, COMMON, {5, 8, 17}},
    {1, {3, 0, 0}, 0, 3, 0, P, 0, 0, TRIANGLES, {60, 1, 1}},
    {1, {4, 0, 0}, 0, 3, 1, P | W | D1 | N | T, 20, 0, TRIANGLES, {30, 1, 1}},
    {1, {3, 0, 0}, 6, 3, 0, P | T, 0, 0, OWN_KNOTS, {500, 1, 1}},
    {1, {2, 0, 0}, 4, 2, 1, P | CLSP_VERTEX_DU | K, 0, 0, OWN_KNOTS, {40, 1, 1}},
};

/* A plan of either family. */
typedef struct grids_job {
    const grids_case *c;
    clsp_type precision, type;
    size_t stride, element, controls;
    clsp_patch_plan *plan;
    void *points;
} grids_job;

static clsp_status set_axes(const grids_job *j, const uint32_t *nums)
{
    clsp_axis axis[3] = {{.num = 1}, {.num = 1}, {.num = 1}};

    for (uint32_t k = 0; k < j->c->directions; k++)
        axis[k] = (clsp_axis){.num = nums[k]};
    return clsp_patch_set_grids(j->plan, axis, 0, (clsp_input){0});
}

static clsp_status set_grids(const grids_job *j, size_t num, const uint32_t *nums)
{
    const clsp_input in = clsp_in_u32(nums, num * j->c->directions);

    return clsp_patch_set_grids(j->plan, NULL, num, in);
}

static clsp_status eval(const grids_job *j, clsp_range patches, clsp_output out,
                        const clsp_run *run)
{
    return clsp_patch_eval(j->plan, patches, out, run);
}

static clsp_tiling tiling_of(const grids_job *j, clsp_range patches, clsp_range tiles)
{
    clsp_tiling tiling = {0};
    const clsp_share share = {.tiles = tiles};

    assert_int_equal(
        eval(j, patches, (clsp_output){0}, &(clsp_run){.share = &share, .tiling = &tiling}),
        CLSP_OK);
    return tiling;
}

/* Makes tiles on the calling thread. */
static void make(const grids_job *j, clsp_range patches, clsp_range tiles, void *out)
{
    const clsp_share share = {.schedule = CLSP_SCHEDULE_HOST, .tiles = tiles};
    const size_t elements = tiling_of(j, patches, tiles).elements.count;
    const clsp_output to = {.host = out, .type = j->type, .size = elements};

    assert_int_equal(eval(j, patches, to, &(clsp_run){.share = &share}), CLSP_OK);
}

static void make_all(const grids_job *j, clsp_range patches, void *out)
{
    make(j, patches, (clsp_range){0, tiling_of(j, patches, (clsp_range){0, 0}).num_tiles}, out);
}

/* Gives each curve clamped knots of its own. */
static void set_own_knots(const grids_job *j, uint64_t seed)
{
    const uint32_t degree = j->c->degree[0], inside = j->c->knots, num = 2 * (degree + 1) + inside;
    double knots[PATCHES * 32];

    assert_true(num <= 32);
    for (size_t p = 0; p < PATCHES; p++)
        for (uint32_t i = 0; i < num; i++)
            knots[p * num + i] = i <= degree ? 0
                                 : i > degree + inside
                                     ? 1
                                     : (i - degree + 0.4 * support_uniform(&seed)) / (inside + 1);
    assert_int_equal(
        clsp_bspline_set_knots(j->plan, PATCHES, clsp_in_f64(knots, (size_t)PATCHES * num)),
        CLSP_OK);
}

static grids_job start(clsp_context *ctx, const grids_case *c, clsp_type precision)
{
    grids_job j = {.c = c, .precision = precision, .type = c->type ? c->type : precision};
    const clsp_vertex_layout vertex = {
        .attributes = c->attributes, .type = c->type, .stride = c->stride};
    uint64_t seed = 5;

    if (c->knots > 0) {
        clsp_bspline_desc d = {.directions = c->directions,
                               .dim = c->dim,
                               .rational = c->rational,
                               .precision = precision,
                               .vertex = vertex};
        for (uint32_t k = 0; k < c->directions; k++) {
            d.degree[k] = c->degree[k];
            d.num_controls[k] = c->degree[k] + 1 + c->knots;
        }
        assert_int_equal(clsp_bspline_plan_create(&j.plan, ctx, &d), CLSP_OK);
        d = support_bspline_desc(j.plan);
        j.stride = d.vertex.stride;
    } else {
        clsp_bezier_desc d = {.form = c->kind == TRIANGLES ? CLSP_BEZIER_TRIANGLE
                                      : c->directions == 1 ? CLSP_BEZIER_CURVE
                                      : c->directions == 2 ? CLSP_BEZIER_SURFACE
                                                           : CLSP_BEZIER_VOLUME,
                              .degree = {c->degree[0], c->degree[1], c->degree[2]},
                              .dim = c->dim,
                              .rational = c->rational,
                              .precision = precision,
                              .watertight = c->kind == WATERTIGHT,
                              .vertex = vertex};
        assert_int_equal(clsp_bezier_plan_create(&j.plan, ctx, &d), CLSP_OK);
        d = support_bezier_desc(j.plan);
        j.stride = d.vertex.stride;
    }
    j.element = clsp_type_bytes(j.type);
    const size_t coords = c->dim + c->rational;
    j.controls = coords;
    for (uint32_t k = 0; k < c->directions; k++)
        j.controls *= c->degree[k] + 1 + c->knots;
    if (c->kind == TRIANGLES) j.controls = j.controls * (c->degree[0] + 2) / 2;
    double *const reals = malloc(PATCHES * j.controls * sizeof *reals);
    assert_non_null(reals);
    for (size_t i = 0; i < PATCHES * j.controls; i++) {
        const double x = support_uniform(&seed);
        reals[i] = c->rational && i % coords == c->dim ? 1.5 + x : x;
        if (precision == CLSP_F32) ((float *)reals)[i] = (float)reals[i];
    }
    /* patch 1 has a collapsed edge, whose normals are limits */
    for (size_t i = 0; i < j.controls / (c->degree[0] + 1 + c->knots); i++)
        memcpy((char *)reals + (j.controls + i) * clsp_type_bytes(precision),
               (char *)reals + (j.controls + i % coords) * clsp_type_bytes(precision),
               clsp_type_bytes(precision));
    j.points = reals;
    const clsp_input in = {.host = reals, .type = precision, .size = PATCHES * j.controls};
    assert_int_equal(clsp_patch_set_control_points(j.plan, PATCHES, in, NULL), CLSP_OK);
    if (c->kind == OWN_KNOTS) set_own_knots(&j, seed);
    return j;
}

static void finish(grids_job *j)
{
    clsp_patch_plan_destroy(&j->plan);
    free(j->points);
}

/* Chooses numbers of samples: some twice in a row, the least and the most among them. */
static void choose(const grids_case *c, uint64_t seed, uint32_t nums[PATCHES][3])
{
    for (size_t p = 0; p < PATCHES; p++)
        for (uint32_t k = 0; k < c->directions; k++) {
            uint32_t *const num = &nums[p][0] + k;
            *num = 1 + (uint32_t)((support_uniform(&seed) + 1) / 2 * c->most[k]);
            if (*num > c->most[k] || p == 2) *num = c->most[k];
            if (p == 5) *num = 1;
            if (p == 4 || p == 7) *num = nums[p - 1][k];
        }
}

static size_t vertices_of(const grids_case *c, const uint32_t *nums)
{
    size_t num = 1;

    for (uint32_t k = 0; k < c->directions; k++)
        num *= nums[k];
    return c->kind == TRIANGLES ? num * (num + 1) / 2 : num;
}

/* Makes all patches one by one on the common grid; returns their vertices. */
static size_t make_expected(const grids_job *j, uint32_t nums[PATCHES][3], char *out)
{
    const size_t vertex = j->stride * j->element;
    size_t num = 0;

    for (size_t p = 0; p < PATCHES; p++) {
        assert_int_equal(set_axes(j, nums[p]), CLSP_OK);
        make_all(j, (clsp_range){p, 1}, out + num * vertex);
        num += vertices_of(j->c, nums[p]);
    }
    return num;
}

/* Whether patch grids are more exact than common ones: derivatives of rational splines are. */
static bool is_more_exact(const grids_case *c)
{
    const uint32_t plain = P | W | T;

    return c->knots > 0 && c->rational > 0 && (c->attributes & ~plain) != 0;
}

/* Compares vertices that are made otherwise: random patches have moderate ones. */
static void check_near(const grids_job *j, const char *made, const char *expected, size_t num)
{
    const double eps = j->type == CLSP_F16 ? 0x1p-7 : j->type == CLSP_F32 ? 1e-4 : 1e-11;

    for (size_t k = 0; k < num; k++) {
        const double x = element_of(made, j->type, k), y = element_of(expected, j->type, k);
        if (!(fabs(x - y) <= eps * fmax(1, fabs(y)))) fail_msg("%zu: %g, not %g", k, x, y);
    }
}

static void check_numbers(const grids_job *j, uint32_t nums[PATCHES][3])
{
    const size_t vertex = j->stride * j->element, room = VERTICES_MAX * vertex;
    char *const expected = malloc(room), *const made = malloc(room);
    uint32_t packed[PATCHES * 3];

    assert_true(expected && made);
    memset(expected, 0x5a, room);
    const size_t num = make_expected(j, nums, expected);
    assert_true(num <= VERTICES_MAX);
    for (size_t i = 0; i < PATCHES * j->c->directions; i++)
        packed[i] = nums[i / j->c->directions][i % j->c->directions];
    assert_int_equal(set_grids(j, PATCHES, packed), CLSP_OK);
    memset(made, 0x5a, room);
    make_all(j, (clsp_range){0, PATCHES}, made);
    if (is_more_exact(j->c)) {
        check_near(j, made, expected, num * j->stride);
        memcpy(expected, made, room);
    }
    assert_memory_equal(made, expected, room);

    memset(made, 0x5a, room);
    const size_t tiles = tiling_of(j, (clsp_range){0, PATCHES}, (clsp_range){0, 0}).num_tiles;
    for (size_t t = tiles, count; t > 0; t -= count) {
        count = t % 3 < 2 ? 1 : 2;
        const clsp_range some = {t - count, count};
        const size_t first = tiling_of(j, (clsp_range){0, PATCHES}, some).elements.first;
        make(j, (clsp_range){0, PATCHES}, some, made + first * j->element);
    }
    assert_memory_equal(made, expected, room);

    /* from a patch on */
    memset(made, 0x5a, room);
    const size_t before = vertices_of(j->c, nums[0]) + vertices_of(j->c, nums[1]);
    make_all(j, (clsp_range){2, PATCHES - 3}, made);
    const size_t left = num - before - vertices_of(j->c, nums[PATCHES - 1]);
    assert_memory_equal(made, expected + before * vertex, left * vertex);
    free(expected);
    free(made);
}

static void check_cases(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t nums[PATCHES][3];
        grids_job j = start(ctx, &cases[i], precision);
        for (uint64_t turn = 0; turn < 2; turn++) { /* numbers change */
            choose(&cases[i], 3 + turn, nums);
            check_numbers(&j, nums);
        }
        finish(&j);
    }
}

static void test_bits(void **state)
{
    clsp_context *ctx = context_with("");

    (void)state;
    check_cases(ctx, CLSP_F32);
    if (has_fp64(ctx)) check_cases(ctx, CLSP_F64);
    clsp_context_destroy(&ctx);
}

enum { LOST_NUM = 40, LOST_MOST = 6 * PATCHES * LOST_NUM * LOST_NUM };

/* Compares points and normals that the host makes with those of kernels. */
static void compare_normals(const grids_job *j, size_t vertices)
{
    static const clsp_schedule schedules[2] = {CLSP_SCHEDULE_HOST, CLSP_SCHEDULE_DEVICE};
    static float made[2][LOST_MOST];

    for (int k = 0; k < 2; k++) {
        const clsp_share share = {.schedule = schedules[k]};
        const clsp_output out = {.host = made[k], .type = CLSP_F32, .size = 6 * vertices};
        assert_int_equal(eval(j, (clsp_range){0, PATCHES}, out, &(clsp_run){.share = &share}),
                         CLSP_OK);
    }
    for (size_t v = 0; v < vertices; v++) {
        const float *const a = &made[0][6 * v + 3], *const b = &made[1][6 * v + 3];
        const float dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        if (!(dot > 0.999F && dot < 1.001F)) fail_msg("vertex %zu: %g", v, (double)dot);
    }
}

/* Normals of triangles with an edge in one point, which the rows of their grids lose. */
static void test_lost_normals(void **state)
{
    enum { REALS = 3 * 10 * PATCHES };
    const clsp_axis axis = {.num = LOST_NUM};
    const clsp_bezier_desc d = {.form = CLSP_BEZIER_TRIANGLE,
                                .degree = {3},
                                .dim = 3,
                                .precision = CLSP_F32,
                                .vertex = {.attributes = P | N}};
    clsp_context *ctx = context_with("");
    grids_job j = {.precision = CLSP_F32};
    float points[REALS];
    uint64_t seed = 8;

    (void)state;
    for (size_t i = 0; i < REALS; i++) /* the first four are of an edge */
        points[i] = i % 30 > 2 && i % 30 < 12 ? points[i - 3] : (float)support_uniform(&seed);
    assert_int_equal(clsp_bezier_plan_create(&j.plan, ctx, &d), CLSP_OK);
    assert_int_equal(
        clsp_patch_set_control_points(j.plan, PATCHES, clsp_in_f32(points, REALS), NULL), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(j.plan, &axis, 0, (clsp_input){0}), CLSP_OK);
    compare_normals(&j, PATCHES * LOST_NUM * (LOST_NUM + 1) / 2);
    clsp_patch_plan_destroy(&j.plan);
    clsp_context_destroy(&ctx);
}

/* Normals of splines, of which each side in turn is one point. */
static void test_lost_on_sides(void **state)
{
    enum { SIDE = 6, REALS = 3 * SIDE * SIDE * PATCHES };
    const clsp_axis axis[2] = {{.num = LOST_NUM}, {.num = LOST_NUM}};
    const clsp_bspline_desc d = {.directions = 2,
                                 .degree = {3, 3},
                                 .num_controls = {SIDE, SIDE},
                                 .dim = 3,
                                 .precision = CLSP_F32,
                                 .vertex = {.attributes = P | N}};
    clsp_context *ctx = context_with("");
    grids_job j = {.precision = CLSP_F32};
    float points[REALS];
    uint64_t seed = 3;

    (void)state;
    for (size_t i = 0; i < REALS; i++) {
        const size_t patch = i / (3 * SIDE * SIDE), at[2] = {i / (3 * SIDE) % SIDE, i / 3 % SIDE};
        const size_t end = patch / 2 % 2 ? SIDE - 1 : 0;
        const float grid[3] = {(float)at[0], (float)at[1], 0};
        points[i] = grid[i % 3] + 0.3F * (float)support_uniform(&seed);
        if (at[patch % 2] == end) points[i] = i % 3 == patch % 2 ? 2 * (float)end - 3 : 2;
    }
    assert_int_equal(clsp_bspline_plan_create(&j.plan, ctx, &d), CLSP_OK);
    assert_int_equal(
        clsp_patch_set_control_points(j.plan, PATCHES, clsp_in_f32(points, REALS), NULL), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(j.plan, axis, 0, (clsp_input){0}), CLSP_OK);
    compare_normals(&j, (size_t)PATCHES * LOST_NUM * LOST_NUM);
    clsp_patch_plan_destroy(&j.plan);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_lost_normals),
                                       cmocka_unit_test(test_lost_on_sides)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
