/* Grids with samples at parameters of one's own (clsp_axis.params), of Bezier patches and
   B-splines: against the oracle, the vertices of a list at the same parameters, and uniform grids,
   in every shape of kernels. */
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
#include "tile_fixture.h"
#include "vertex_fixture.h"

enum { NUM = 37, FEW = 5, MOST = NUM * 2 * FEW, STRIDE = 16, BOUND_31 = 8 };

static const char *const limits[] = {"", "class=discrete,local_is_real=1",
                                     "class=discrete,local_is_real=1,vendor=NVIDIA,fp64=0",
                                     "class=integrated,local_is_real=0"};

/* A grid and its parameters; those of an axis without any are uniform. */
typedef struct own_case {
    uint32_t directions, degree, num[3], attributes;
    bool rational, own[3], jumps; /* jumps: parameters to and fro */
} own_case;

#define DERIVATIVES (CLSP_VERTEX_DU | CLSP_VERTEX_DV)
static const own_case cases[] = {
    {2, 3, {NUM, FEW, 1}, CLSP_VERTEX_POINT, false, {true, true}, false},
    {2, 3, {NUM, FEW, 1}, CLSP_VERTEX_POINT, false, {true, true}, true},
    {2, 5, {FEW, NUM, 1}, CLSP_VERTEX_POINT | DERIVATIVES, true, {false, true}, true},
    {2,
     2,
     {NUM, FEW, 1},
     CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL | CLSP_VERTEX_PARAMS,
     false,
     {true, false},
     true},
    {1, 4, {NUM, 1, 1}, CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DUU, false, {true}, false},
    {3, 2, {NUM, 2, FEW}, CLSP_VERTEX_POINT, true, {true, true, true}, false},
    {2, 1, {1, 1, 1}, CLSP_VERTEX_POINT, false, {true, true}, false},
};

/* A parameter in [0, 1]; ends, the same one twice, and places between. */
static double parameter_of(const own_case *c, uint32_t k, uint32_t a)
{
    const uint32_t num = c->num[k], last = num > 1 ? num - 1 : 1;
    const uint32_t place = c->jumps ? (a * 7 + k) % num : a > 2 ? a : a / 2 * 2;
    const double t = (double)place / last;

    return c->own[k] ? t * t * (1.0 + k) / (1.0 + k * t) : (double)a / last;
}

typedef struct grid {
    double params[3][NUM];
    clsp_axis axis[3];
    double list[MOST][3];
    size_t vertices;
} grid;

static grid grid_of(const own_case *c)
{
    grid g = {.vertices = (size_t)c->num[0] * c->num[1] * c->num[2]};

    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t a = 0; a < c->num[k]; a++)
            g.params[k][a] = parameter_of(c, k, a);
        g.axis[k].num = c->num[k];
    }
    for (size_t v = 0; v < g.vertices; v++) {
        const size_t a[3] = {v / c->num[2] / c->num[1], v / c->num[2] % c->num[1], v % c->num[2]};
        for (uint32_t k = 0; k < 3; k++)
            g.list[v][k] = g.params[k][a[k]];
    }
    return g;
}

/* ---- both families ---- */

typedef struct family {
    clsp_context *ctx;
    clsp_patch_plan *plan;
    uint32_t stride;
} family;

static clsp_status eval(const family *f, clsp_output out, const clsp_run *run)
{
    return clsp_patch_eval(f->plan, (clsp_range){0, 1}, out, run);
}

static clsp_status eval_list(const family *f, const clsp_points *points, clsp_output out)
{
    return clsp_patch_eval_points(f->plan, points, out, NULL);
}

static clsp_input controls_of(const own_case *c, float *controls, uint32_t per_direction)
{
    const size_t coords = 3 + c->rational;
    size_t num = per_direction;

    for (uint32_t k = 1; k < c->directions; k++)
        num *= per_direction;
    for (size_t i = 0; i < num * coords; i++)
        controls[i] =
            (float)((i * 7919) % 1009) / 1009.0f + (c->rational && i % coords == 3 ? 0.5f : 0.0f);
    return clsp_in_f32(controls, num * coords);
}

static family make(clsp_context *ctx, const own_case *c, const grid *g, bool is_bspline)
{
    float controls[1000];
    const uint32_t per_direction = is_bspline ? c->degree + 4 : c->degree + 1;
    const clsp_input in = controls_of(c, controls, per_direction);
    clsp_bezier_desc d = {.form = (clsp_bezier_form)c->directions,
                          .degree = {c->degree, c->degree, c->degree},
                          .rational = c->rational,
                          .vertex.attributes = c->attributes};
    clsp_bspline_desc s = {.directions = c->directions,
                           .degree = {c->degree, c->degree, c->degree},
                           .num_controls = {per_direction, per_direction, per_direction},
                           .rational = c->rational,
                           .vertex.attributes = c->attributes};
    double copy[3][NUM]; /* which the plan copies in turn */
    family f = {.ctx = ctx};

    memcpy(copy, g->params, sizeof copy);
    for (uint32_t k = 0; k < c->directions; k++) {
        d.axis[k].num = c->num[k];
        if (c->own[k]) d.axis[k].params = copy[k];
        s.axis[k] = d.axis[k];
    }
    if (is_bspline) {
        assert_int_equal(clsp_bspline_plan_create(&f.plan, ctx, &s), CLSP_OK);
        assert_int_equal(clsp_patch_set_control_points(f.plan, 1, in, NULL), CLSP_OK);
        s = support_bspline_desc(f.plan);
    } else {
        assert_int_equal(clsp_bezier_plan_create(&f.plan, ctx, &d), CLSP_OK);
        assert_int_equal(clsp_patch_set_control_points(f.plan, 1, in, NULL), CLSP_OK);
        d = support_bezier_desc(f.plan);
        memcpy(s.axis, d.axis, sizeof s.axis);
    }
    f.stride = is_bspline ? s.vertex.stride : d.vertex.stride;
    for (uint32_t k = 0; k < c->directions; k++) {
        assert_int_equal(s.axis[k].params != NULL, c->own[k]);
        if (!c->own[k]) continue;
        assert_true(s.axis[k].params != copy[k] && s.axis[k].begin == 0 && s.axis[k].end == 0);
        assert_memory_equal(s.axis[k].params, copy[k], c->num[k] * sizeof(double));
    }
    memset(copy, 0xff, sizeof copy);
    return f;
}

static void release(family *f)
{
    clsp_patch_plan_destroy(&f->plan);
}

/* ---- checks ---- */

static double worst;

/* Compares vertices; derivatives are degree^2 times as large, and normals as far off as these. */
static void compare(const own_case *c, const float *a, const float *b, size_t num)
{
    const double scale =
        (c->attributes == CLSP_VERTEX_POINT ? 1.0 : 64.0) * (c->rational ? 8.0 : 1.0);

    for (size_t i = 0; i < num; i++) {
        const double error = fabs((double)a[i] - b[i]) / (16.0 * FLT_EPSILON * scale);
        worst = support_worse(worst, error);
    }
    assert_true(worst <= 1.0);
}

static void check_case(clsp_context *ctx, const own_case *c, bool is_bspline)
{
    const grid g = grid_of(c);
    family f = make(ctx, c, &g, is_bspline);
    float params[MOST * 3], *const whole = malloc(MOST * STRIDE * sizeof(float)),
                                   *const list = malloc(MOST * STRIDE * sizeof(float));
    const size_t size = g.vertices * f.stride;
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};

    assert_non_null(whole);
    assert_non_null(list);
    for (size_t v = 0; v < g.vertices; v++)
        for (uint32_t k = 0; k < c->directions; k++)
            params[v * c->directions + k] = (float)g.list[v][k];
    const clsp_points points = {.num = g.vertices,
                                .params = clsp_in_f32(params, g.vertices * c->directions)};
    memset(whole, POISON, size * sizeof *whole);
    assert_int_equal(eval(&f, clsp_out_f32(whole, size), NULL), CLSP_OK);
    assert_int_equal(eval_list(&f, &points, clsp_out_f32(list, size)), CLSP_OK);
    compare(c, whole, list, size);
    memset(whole, POISON, size * sizeof *whole);
    assert_int_equal(eval(&f, clsp_out_f32(whole, size), &(clsp_run){.share = &by_host}), CLSP_OK);
    compare(c, whole, list, size);
    free(whole);
    free(list);
    release(&f);
}

static void test_own_samples(void **state)
{
    (void)state;
    for (size_t l = 0; l < COUNT(limits); l++) {
        clsp_context *ctx = context_with(limits[l]);
        for (size_t i = 0; i < 2 * COUNT(cases); i++)
            if (support_full() || i % COUNT(limits) == l)
                check_case(ctx, &cases[i / 2], i % 2 != 0);
        clsp_context_destroy(&ctx);
    }
    print_message("worst/bound %.2f\n", worst);
}

/* ---- against the oracle ---- */

/* What is evaluated; along v samples begin and end within [0, 1], along u and w at its ends.
   uniform_u: along u they are uniform. */
static const struct {
    clsp_bezier_form form;
    uint32_t degree[3], rational, attributes;
    bool uniform_u;
} exact_cases[] = {
    {CLSP_BEZIER_SURFACE, {3, 2}, 0, P | N, false},
    {CLSP_BEZIER_SURFACE, {2, 4}, 1, P | DU | DV | N | T, false},
    {CLSP_BEZIER_CURVE, {5}, 0, P | DU | T, false},
    {CLSP_BEZIER_VOLUME, {2, 3, 1}, 0, P | T, false},
    {CLSP_BEZIER_SURFACE, {7, 6}, 0, P, false},
    {CLSP_BEZIER_SURFACE, {3, 2}, 0, P | DUU | DUV | DVV | K | T, false},
    {CLSP_BEZIER_SURFACE, {3, 2}, 0, P | N | T, true},
};
enum { PATCHES = 2, NUM_U = 21, NUM_V = 13, NUM_W = 4 };
static const uint32_t exact_nums[3] = {NUM_U, NUM_V, NUM_W};
static double exact_params[3][NUM_U];

static void make_exact_params(void)
{
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t a = 0; a < exact_nums[k]; a++) {
            const double t = k == 1 ? (a + 0.3) / exact_nums[k] : (double)a / (exact_nums[k] - 1);
            exact_params[k][a] = t * t * (3.0 - 2.0 * t);
        }
}

static layout exact_layout(size_t i, clsp_type precision)
{
    clsp_bezier_desc d = {.form = exact_cases[i].form,
                          .precision = precision,
                          .rational = exact_cases[i].rational,
                          .vertex.attributes = exact_cases[i].attributes};

    for (uint32_t k = 0; k < 3; k++) {
        d.degree[k] = exact_cases[i].degree[k];
        d.axis[k] = (clsp_axis){.num = exact_nums[k], .params = exact_params[k]};
    }
    if (exact_cases[i].uniform_u) d.axis[0].params = NULL;
    return layout_of(&d);
}

/* Judges the vertices of a patch. */
static void judge(const layout *l, const double *controls, const unsigned char *vertices)
{
    const uint32_t num_v = l->directions > 1 ? NUM_V : 1, num_w = l->directions > 2 ? NUM_W : 1;

    for (size_t k = 0; k < (size_t)NUM_U * num_v * num_w; k++) {
        const size_t a[3] = {k / num_w / num_v, k / num_w % num_v, k % num_w};
        long double t[3] = {0};
        for (uint32_t i = 0; i < l->directions; i++)
            t[i] = l->d.axis[i].params ? exact_params[i][a[i]] : (long double)a[i] / (NUM_U - 1);
        worst = support_worse(worst, vertex_error(l, controls, t, vertices, k, BOUND_31));
    }
    assert_true(worst <= 1.0);
}

static void check_exact(clsp_context *ctx, const layout *l)
{
    double *const controls = random_controls(l, PATCHES), *const last = controls + l->controls;
    clsp_patch_plan *plan = plan_with(ctx, l, controls, PATCHES);
    const size_t num =
        (size_t)NUM_U * (l->directions > 1 ? NUM_V : 1) * (l->directions > 2 ? NUM_W : 1);
    const size_t size = num * l->stride, bytes = size * l->element;
    unsigned char *const all = guarded(l, PATCHES * num), *const one = guarded(l, num);

    assert_int_equal(eval_host(plan, l, 0, PATCHES, all), CLSP_OK);
    judge(l, controls, all);
    judge(l, last, all + bytes);
    assert_int_equal(eval_tiles(plan, (clsp_range){1, 1}, (clsp_range){0, 0}, CLSP_SCHEDULE_DEVICE,
                                host_out(l->type, one, size), NULL),
                     CLSP_OK);
    assert_memory_equal(one, all + bytes, bytes);
    memset(one, POISON, bytes);
    assert_int_equal(eval_by_caller(plan, (clsp_range){1, 1}, host_out(l->type, one, size)),
                     CLSP_OK);
    judge(l, last, one);
    memset(all, POISON, PATCHES * bytes);
    assert_int_equal(clsp_patch_eval(plan, (clsp_range){0, PATCHES},
                                     host_out(l->type, all, PATCHES * size),
                                     &(clsp_run){.share = &(clsp_share){.num_workers = 1}}),
                     CLSP_OK);
    judge(l, controls, all);
    judge(l, last, all + bytes);
    free_guarded(l, PATCHES * num, all);
    free_guarded(l, num, one);
    clsp_patch_plan_destroy(&plan);
    free(controls);
}

static void exact(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < COUNT(exact_cases); i++) {
        const layout l = exact_layout(i, precision);
        if (!in_turn(i) || (tiny() && i > 0)) continue;
        seed((unsigned)i);
        check_exact(ctx, &l);
    }
}

static void test_exact(void **state)
{
    (void)state;
    worst = 0.0;
    make_exact_params();
    with_limits(exact);
    print_message("worst/bound %.2f\n", worst);
}

/* Methods that are there to compare with take such samples too. */
static void test_methods(void **state)
{
    static const clsp_bezier_method methods[] = {CLSP_BEZIER_MULTILEVEL, CLSP_BEZIER_MATRIX};
    clsp_context *ctx = context_with("");

    (void)state;
    support_needs_methods();
    worst = 0.0;
    make_exact_params();
    for (size_t i = 0; i < COUNT(methods); i++) {
        layout l = exact_layout(4, CLSP_F32);
        l.d.degree[0] = 3, l.d.degree[1] = 2, l.d.method = methods[i];
        l = layout_of(&l.d);
        double *const controls = random_controls(&l, 1);
        clsp_patch_plan *plan = plan_with(ctx, &l, controls, 1);
        unsigned char *const vertices = guarded(&l, (size_t)NUM_U * NUM_V);
        assert_int_equal(eval_host(plan, &l, 0, 1, vertices), CLSP_OK);
        judge(&l, controls, vertices);
        free_guarded(&l, (size_t)NUM_U * NUM_V, vertices);
        clsp_patch_plan_destroy(&plan);
        free(controls);
    }
    clsp_context_destroy(&ctx);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- uniform grids ---- */

/* Parameters that are a uniform axis' own, as vertex.h says, give its bits. */
static void check_uniform(clsp_context *ctx, layout l, clsp_axis axis_u, clsp_axis axis_v)
{
    const clsp_axis uniform[2] = {axis_u, axis_v};
    double params[2][NUM_U], *const controls = random_controls(&l, 1);
    const size_t num = (size_t)axis_u.num * axis_v.num;
    unsigned char *const bits[2] = {guarded(&l, num), guarded(&l, num)};

    for (int own = 0; own < 2; own++) {
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t last = uniform[k].num - 1;
            l.d.axis[k] = uniform[k];
            for (uint32_t a = 0; a < last; a++)
                params[k][a] = (uniform[k].begin * (last - a) + uniform[k].end * a) / last;
            params[k][last] = uniform[k].end;
            if (own) l.d.axis[k] = (clsp_axis){.num = last + 1, .params = params[k]};
        }
        clsp_patch_plan *plan = plan_with(ctx, &l, controls, 1);
        assert_int_equal(eval_host(plan, &l, 0, 1, bits[own]), CLSP_OK);
        clsp_bezier_desc given;
        given = support_bezier_desc(plan);
        assert_int_equal(given.axis[1].params != NULL, own);
        clsp_patch_plan_destroy(&plan);
    }
    assert_memory_equal(bits[0], bits[1], num * l.stride * l.element);
    free_guarded(&l, num, bits[0]);
    free_guarded(&l, num, bits[1]);
    free(controls);
}

static void uniform(clsp_context *ctx, clsp_type precision)
{
    const clsp_axis whole = {.num = NUM_U, .end = 1.0},
                    part = {.num = NUM_V, .begin = 0.875, .end = 0.1};

    for (size_t i = 0; i < 2; i++)
        if (in_turn(i)) check_uniform(ctx, exact_layout(i, precision), whole, part);
}

static void test_uniform(void **state)
{
    (void)state;
    make_exact_params();
    with_limits(uniform);
}

/* ---- normals on edges ---- */

/* An edge that is one point has normals of its limit too, at whatever samples. */
static void test_lost_normals(void **state)
{
    static const double ends[5] = {0.0, 0.1, 0.5, 0.75, 1.0}, twice[5] = {0.0, 0.0, 0.5, 0.75, 1.0};
    static const float controls[27] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1,
                                       0, 1, 0, 0, 0, 2, 1, 2, 2, 1, 2, 0, 1};
    clsp_context *ctx = context_with("");
    float uv[25][2], list[25][3], vertices[25][3];

    (void)state;
    for (int i = 0; i < 2; i++) {
        const double *const u = i == 0 ? ends : twice;
        const clsp_bezier_desc d = {.degree = {2, 2},
                                    .axis = {{.num = 5, .params = u}, {.num = 5, .params = ends}},
                                    .vertex.attributes = CLSP_VERTEX_NORMAL};
        const clsp_points points = {.num = 25, .params = clsp_in_f32(uv[0], 50)};
        clsp_patch_plan *plan;
        for (int k = 0; k < 25; k++)
            uv[k][0] = (float)u[k / 5], uv[k][1] = (float)ends[k % 5];
        assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &d));
        assert_ok(ctx, clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, 27), NULL));
        assert_ok(ctx,
                  clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(vertices[0], 75), NULL));
        assert_ok(ctx, clsp_patch_eval_points(plan, &points, clsp_out_f32(list[0], 75), NULL));
        for (int k = 0; k < 75; k++) {
            assert_true(fabsf(vertices[k / 3][k % 3] - list[k / 3][k % 3]) <= 1e-5f);
            assert_true(fabsf(list[k / 3][2]) > 0.1f);
        }
        clsp_patch_plan_destroy(&plan);
    }
    clsp_context_destroy(&ctx);
}

/* ---- changes and wrong input ---- */

/* Another grid, and back to uniform ones, also in a plan whose degrees change. */
static void test_changes(void **state)
{
    const grid g = grid_of(&cases[0]);
    clsp_context *ctx = context_with("");
    family f = make(ctx, &cases[0], &g, false);
    static const double one[] = {0.5, 1.0, 0.25};
    const clsp_axis axes[] = {{.num = 3, .params = one}, {.num = 2}};
    const uint32_t degree[] = {1, 1};
    const float controls[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 4};
    float points[6][3];

    (void)state;
    assert_int_equal(clsp_patch_set_grids(f.plan, axes, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(clsp_bezier_set_degrees(f.plan, degree), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(f.plan, 1, clsp_in_f32(controls, 12), NULL),
                     CLSP_OK);
    assert_int_equal(eval(&f, clsp_out_f32(points[0], 18), NULL), CLSP_OK);
    for (int a = 0; a < 3; a++)
        assert_true(points[2 * a + 1][0] == (float)one[a] &&
                    points[2 * a + 1][2] == 4 * (float)one[a]);
    const clsp_axis uniform[] = {{.num = 3}, {.num = 2}};
    assert_int_equal(clsp_patch_set_grids(f.plan, uniform, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(eval(&f, clsp_out_f32(points[0], 18), NULL), CLSP_OK);
    assert_true(points[3][0] == 0.5f && points[5][0] == 1.0f);
    release(&f);
    clsp_context_destroy(&ctx);
}

static void test_wrong_samples(void **state)
{
    static const double good[] = {0.0, 1.0}, below[] = {0.0, -1e-9}, above[] = {0.0, 1.5},
                        none[] = {0.0, NAN}, infinite[] = {0.0, HUGE_VAL};
    static const uint32_t nums[] = {2, 2};
    const clsp_bezier_desc d = {.degree = {1, 1}, .axis = {{.num = 2}, {.num = 2}}};
    clsp_bezier_desc bad[9];
    clsp_context *ctx = context_with("");
    clsp_patch_plan *plan;

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++)
        bad[i] = d;
    bad[0].axis[0].params = below;
    bad[1].axis[1].params = above;
    bad[2].axis[0].params = none;
    bad[3].axis[0] = (clsp_axis){.num = 2, .begin = 0.0, .end = 1.0, .params = good};
    bad[4].axis[0].params = good, bad[4].watertight = 1;
    bad[5].axis[0].params = good, bad[5].form = CLSP_BEZIER_TRIANGLE;
    bad[6].axis[0].num = 0, bad[6].axis[0].params = good;
    bad[7].axis[1].params = good, bad[7].method = CLSP_BEZIER_BRUTE;
    bad[8].axis[1].params = infinite;
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &bad[i]), CLSP_ERROR_ARGUMENT);
    bad[6] = d, bad[6].axis[0].params = good;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &bad[6]), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(nums, 2)),
                     CLSP_ERROR_ARGUMENT);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_samples),   cmocka_unit_test(test_exact),
        cmocka_unit_test(test_methods),       cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_lost_normals),  cmocka_unit_test(test_changes),
        cmocka_unit_test(test_wrong_samples),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
