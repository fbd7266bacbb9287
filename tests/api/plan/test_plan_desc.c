/* Descriptions: what a plan makes of one, a plan made from what another tells, fields that are
   reserved; and plans whose change has failed. */
#include "support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tile_fixture.h"
#include "vertex_fixture.h"

/* ---- round trips ---- */

static unsigned directions_of(const clsp_bezier_desc *d)
{
    return d->form == CLSP_BEZIER_CURVE ? 1 : d->form == CLSP_BEZIER_VOLUME ? 3 : 2;
}

/* As many axes and degrees as a description of the form has. */
static unsigned axes_of(const clsp_bezier_desc *d)
{
    return d->form == CLSP_BEZIER_TRIANGLE ? 1 : directions_of(d);
}

/* Every default is in its place, and what was given is there still. */
static void check_desc(const clsp_bezier_desc *given, const clsp_bezier_desc *told)
{
    const layout l = layout_of(given);

    assert_int_equal(told->form, given->form ? given->form : CLSP_BEZIER_SURFACE);
    assert_int_equal(told->precision, given->precision ? given->precision : CLSP_F32);
    assert_int_equal(told->dim, l.dim);
    assert_int_equal(told->rational, given->rational);
    assert_int_equal(told->watertight, given->watertight);
    assert_true(told->method == given->method || given->method == CLSP_BEZIER_METHOD_DEFAULT);
    for (unsigned i = 0; i < axes_of(given); i++) {
        const clsp_axis *const a = &given->axis[i], *const b = &told->axis[i];
        assert_int_equal(told->degree[i], given->degree[i]);
        assert_int_equal(b->num, a->num);
        assert_true(b->begin == a->begin);
        assert_true(b->end == (a->begin == 0.0 && a->end == 0.0 ? 1.0 : a->end));
    }
    assert_int_equal(told->vertex.attributes, l.d.vertex.attributes);
    assert_int_equal(told->vertex.type, l.type);
    assert_int_equal(told->vertex.stride, l.stride);
    for (unsigned i = 0; i < CLSP_VERTEX_MAX_ATTRIBUTES; i++)
        if (told->vertex.attributes & 1u << i) assert_int_equal(told->vertex.offset[i], l.at[i]);
    for (size_t i = 0; i < COUNT(told->reserved); i++)
        assert_int_equal(told->reserved[i], 0);
    for (size_t i = 0; i < COUNT(told->vertex.reserved); i++)
        assert_int_equal(told->vertex.reserved[i], 0);
}

/* All vertices of a plan, poison in the gaps; some at parameters where there is no grid. */
static unsigned char *vertices_of(clsp_patch_plan *plan, const layout *l, size_t num_patches,
                                  size_t *bytes)
{
    enum { NUM = 9 };
    static const uint32_t patches[NUM] = {0, 1, 1, 0, 0, 1, 0, 1, 1};
    static const float params[3 * NUM] = {0.0f, 0.25f, 0.5f, 1.0f, 0.875f, 0.125f};
    const clsp_range all = {0, num_patches};
    clsp_mesh_size size = {.vertices = NUM};
    const bool has_grid = l->d.axis[0].num > 0;

    if (has_grid) assert_int_equal(clsp_patch_mesh_size(plan, all, &size), CLSP_OK);
    unsigned char *const vertices = guarded(l, size.vertices);
    *bytes = size.vertices * l->stride * l->element;
    if (has_grid)
        assert_int_equal(eval_host(plan, l, 0, num_patches, vertices), CLSP_OK);
    else
        assert_int_equal(clsp_patch_eval_points(
                             plan,
                             &(clsp_points){.num = NUM,
                                            .item = clsp_in_u32(patches, NUM),
                                            .params = clsp_in_f32(params, NUM * l->directions)},
                             host_out(l->type, vertices, NUM * l->stride), NULL),
                         CLSP_OK);
    return vertices;
}

/* A plan of the description that the first plan tells is told alike, and makes the same bits. */
static void check_again(clsp_context *ctx, clsp_patch_plan *plan, const layout *l,
                        const double *controls, size_t num_patches)
{
    clsp_bezier_desc told, again;
    clsp_patch_plan *other;
    size_t bytes, other_bytes;

    memset(&told, 0xfe, sizeof told);
    memset(&again, 0x11, sizeof again);
    told = support_bezier_desc(plan);
    assert_int_equal(clsp_bezier_plan_create(&other, ctx, &told), CLSP_OK);
    again = support_bezier_desc(other);
    check_desc(&told, &again);
    assert_int_equal(told.method, again.method);
    assert_int_equal(load_controls(other, l, controls, num_patches), CLSP_OK);
    unsigned char *const a = vertices_of(plan, l, num_patches, &bytes);
    unsigned char *const b = vertices_of(other, l, num_patches, &other_bytes);
    assert_int_equal(bytes, other_bytes);
    assert_memory_equal(a, b, bytes);
    free_guarded(l, bytes / l->stride / l->element, a);
    free_guarded(l, bytes / l->stride / l->element, b);
    clsp_patch_plan_destroy(&other);
}

static const clsp_bezier_desc descs[] = {
    {.degree = {3, 2}, .axis = {{.num = 7}, {.num = 5}}},
    {.degree = {2, 3},
     .axis = {{.num = 9, .begin = 0.75, .end = 0.25}, {.num = 4, .begin = 0.0, .end = 0.5}},
     .dim = 2},
    {.degree = {1, 4}, .axis = {{.num = 1}, {.num = 6}}, .watertight = 1},
    {.degree = {3, 3},
     .axis = {{.num = 6}, {.num = 7}},
     .rational = 1,
     .vertex = {.attributes = P | W | N | T, .type = CLSP_F16}},
    {.degree = {3, 3},
     .axis = {{.num = 6}, {.num = 7}},
     .vertex = {.attributes = W | P | DV, .stride = 11, .offset = {7, 1, [3] = 3}}},
    {.degree = {3, 3}, .axis = {{.num = 6}, {.num = 7}}, .method = CLSP_BEZIER_MULTILEVEL},
    {.degree = {3, 3}, .axis = {{.num = 6}, {.num = 7}}, .method = CLSP_BEZIER_MATRIX},
    {.form = CLSP_BEZIER_CURVE, .degree = {5}, .axis = {{.num = 13}}, .vertex.attributes = P | DUU},
    {.form = CLSP_BEZIER_VOLUME,
     .degree = {1, 2, 3},
     .axis = {{.num = 3}, {.num = 4}, {.num = 5, .begin = 1.0, .end = 0.0}}},
    {.form = CLSP_BEZIER_TRIANGLE, .degree = {3}, .axis = {{.num = 6}}, .rational = 1},
    {.degree = {2, 2}}, /* no grid */
    {.form = CLSP_BEZIER_VOLUME, .degree = {2, 1, 1}},
};

static bool is_built(const clsp_bezier_desc *d)
{
    return d->method <= CLSP_BEZIER_SEPARABLE || support_has_methods();
}

static void test_round_trips(void **state)
{
    enum { PATCHES = 2 };
    clsp_context *ctx = context_with("");

    (void)state;
    support_needs_opencl(ctx);
    for (size_t i = 0; i < COUNT(descs); i++) {
        if (!is_built(&descs[i])) continue;
        const layout l = layout_of(&descs[i]);
        double *const controls = random_controls(&l, PATCHES);
        clsp_patch_plan *plan = plan_with(ctx, &l, controls, PATCHES);
        clsp_bezier_desc told;
        memset(&told, 0xfe, sizeof told);
        told = support_bezier_desc(plan);
        check_desc(&descs[i], &told);
        check_again(ctx, plan, &l, controls, PATCHES);
        clsp_patch_plan_destroy(&plan);
        free(controls);
    }
    clsp_context_destroy(&ctx);
}

/* In double, where everything else is a default. */
static void test_double(void **state)
{
    const clsp_bezier_desc d = {
        .precision = CLSP_F64, .degree = {2, 2}, .axis = {{.num = 3}, {.num = 3}}};
    clsp_context *ctx = context_with("");
    clsp_patch_plan *plan;
    clsp_bezier_desc told;

    (void)state;
    if (!has_fp64(ctx)) skip();
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    told = support_bezier_desc(plan);
    check_desc(&d, &told);
    assert_int_equal(told.vertex.type, CLSP_F64);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* What a plan tells follows its changes. */
static void test_changes(void **state)
{
    static const uint32_t degree[2] = {5, 1};
    static const clsp_axis axis[2] = {{.num = 11, .begin = 0.5, .end = 0.25}, {.num = 3}};
    const clsp_bezier_desc d = {.degree = {3, 2}, .axis = {{.num = 7}, {.num = 5}}};
    clsp_context *ctx = context_with("");
    clsp_bezier_desc told, wanted = d;
    clsp_patch_desc desc;
    clsp_patch_plan *plan;

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_bezier_set_degrees(plan, degree), CLSP_OK);
    memcpy(wanted.degree, degree, sizeof degree);
    told = support_bezier_desc(plan);
    check_desc(&wanted, &told);
    assert_int_equal(clsp_patch_set_grids(plan, axis, 0, (clsp_input){0}), CLSP_OK);
    memcpy(wanted.axis, axis, sizeof axis);
    told = support_bezier_desc(plan);
    check_desc(&wanted, &told);
    const layout l = layout_of(&wanted);
    double *const controls = random_controls(&l, 2);
    assert_int_equal(load_controls(plan, &l, controls, 2), CLSP_OK);
    check_again(ctx, plan, &l, controls, 2);
    assert_int_equal(clsp_patch_plan_desc(NULL, &desc), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_plan_desc(plan, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_set_grids(NULL, axis, 0, (clsp_input){0}), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_set_degrees(NULL, degree), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_set_degrees(plan, NULL), CLSP_ERROR_ARGUMENT);
    told = support_bezier_desc(plan);
    check_desc(&wanted, &told);
    clsp_patch_plan_destroy(&plan);
    free(controls);
    clsp_context_destroy(&ctx);
}

/* ---- plans of the other kind ---- */

/* A call that plans of one kind alone have refuses a plan of the other one, and says which. */
static void assert_other(clsp_context *ctx, clsp_status status, const char *call, const char *kind)
{
    char why[256], wanted[128];

    assert_int_equal(status, CLSP_ERROR_ARGUMENT);
    clsp_context_last_error(ctx, why, sizeof why);
    snprintf(wanted, sizeof wanted, "%s takes plans of the family %s alone", call, kind);
    assert_non_null(strstr(why, wanted));
}

static void test_kinds(void **state)
{
    static const double knots[] = {0, 0, 1, 1};
    static const uint32_t degree = 2;
    const clsp_bezier_desc d = {.form = CLSP_BEZIER_CURVE, .degree = {1}, .axis = {{.num = 2}}};
    const clsp_bspline_desc s = {
        .directions = 1, .degree = {1}, .num_controls = {2}, .axis = {{.num = 2}}};
    const clsp_bspline_target target = {.bezier = 1};
    clsp_context *ctx = context_with("");
    clsp_patch_plan *bezier, *bspline;
    float out[6];
    clsp_bspline_desc told;

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&bezier, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_bspline_plan_create(&bspline, ctx, &s), CLSP_OK);
    assert_other(ctx, clsp_bezier_set_degrees(bspline, &degree), "clsp_bezier_set_degrees",
                 "bezier");
    assert_other(ctx, clsp_bspline_set_knots(bezier, 1, clsp_in_f64(knots, 4)),
                 "clsp_bspline_set_knots", "bspline");
    assert_other(ctx, clsp_bspline_set_target(bezier, &target), "clsp_bspline_set_target",
                 "bspline");
    assert_other(ctx, clsp_bspline_target_desc(bezier, 0, &told, NULL), "clsp_bspline_target_desc",
                 "bspline");
    assert_other(ctx, clsp_bspline_convert(bezier, (clsp_range){0, 1}, clsp_out_f32(out, 6), NULL),
                 "clsp_bspline_convert", "bspline");
    assert_int_equal(support_bspline_desc(bspline).degree[0], 1);
    assert_int_equal(support_bezier_desc(bezier).degree[0], 1);
    clsp_patch_plan_destroy(&bezier);
    clsp_patch_plan_destroy(&bspline);
    clsp_context_destroy(&ctx);
}

/* ---- reserved fields, and a form's own directions ---- */

static void assert_refused(clsp_context *ctx, const clsp_bezier_desc *d)
{
    clsp_patch_plan *plan = (clsp_patch_plan *)(uintptr_t)d; /* must become NULL */

    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, d), CLSP_ERROR_ARGUMENT);
    assert_null(plan);
}

static void test_reserved(void **state)
{
    const clsp_bezier_desc good = descs[0];
    clsp_context *ctx = context_with("");

    (void)state;
    for (size_t i = 0; i < COUNT(good.reserved); i++) {
        clsp_bezier_desc d = good;
        d.reserved[i] = i % 2 ? 1 : UINT32_MAX;
        assert_refused(ctx, &d);
    }
    for (size_t i = 0; i < COUNT(good.vertex.reserved); i++) {
        clsp_bezier_desc d = good;
        d.vertex.reserved[i] = i % 2 ? 1 : UINT32_MAX;
        assert_refused(ctx, &d);
    }
    clsp_context_destroy(&ctx);
}

/* Degrees and axes of directions that a form does not have are ignored, whatever they are. */
static void test_directions(void **state)
{
    clsp_context *ctx = context_with("");

    (void)state;
    support_needs_opencl(ctx);
    for (size_t i = 0; i < COUNT(descs); i++) {
        clsp_bezier_desc d = descs[i], told;
        clsp_patch_plan *plan;
        if (!is_built(&d)) continue;
        for (unsigned k = axes_of(&d); k < 3; k++) {
            d.degree[k] = UINT32_MAX;
            d.axis[k] = (clsp_axis){.num = UINT32_MAX, .begin = -7.0, .end = 3.0};
        }
        assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
        told = support_bezier_desc(plan);
        check_desc(&descs[i], &told);
        clsp_patch_plan_destroy(&plan);
    }
    clsp_context_destroy(&ctx);
}

/* ---- plans whose change has failed ---- */

static void assert_broken(clsp_patch_plan *plan)
{
    static const float zeros[64] = {0};
    static const uint32_t patch = 0;
    float out[64];
    clsp_mesh_size size;
    const clsp_range one = {0, 1};
    const clsp_output to = clsp_out_f32(out, 64);
    const clsp_status broken = CLSP_ERROR_STATE;

    memset(out, 0xfe, sizeof out);
    assert_int_equal(clsp_patch_set_control_points(plan, 1, clsp_in_f32(zeros, 24), NULL), broken);
    assert_int_equal(clsp_patch_eval(plan, one, to, NULL), broken);
    assert_int_equal(eval_tiles(plan, one, one, CLSP_SCHEDULE_DEVICE, to, NULL), broken);
    assert_int_equal(eval_by_caller(plan, one, to), broken);
    assert_int_equal(
        clsp_patch_eval(plan, one, to, &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
        broken);
    assert_int_equal(clsp_patch_eval_points(plan,
                                            &(clsp_points){.num = 1,
                                                           .item = clsp_in_u32(&patch, 1),
                                                           .params = clsp_in_f32(zeros, 3)},
                                            to, NULL),
                     broken);
    assert_int_equal(clsp_patch_mesh_size(plan, one, &size), broken);
    for (size_t i = 0; i < sizeof out; i++)
        assert_int_equal(((unsigned char *)out)[i], 0xfe);
}

/* A grid that no address space holds; after another change the plan is as good as new. */
static void test_broken(void **state)
{
    const uint32_t most = CLSP_PATCH_MAX_SAMPLES;
    const clsp_axis absurd[3] = {{.num = most}, {.num = most}, {.num = most}};
    static const clsp_axis axis[3] = {{.num = 3}, {.num = 2}, {.num = 2}};
    static const clsp_axis half[3] = {{.num = 3}, {.num = 0}, {.num = 2}};
    clsp_bezier_desc d = {.form = CLSP_BEZIER_VOLUME,
                          .degree = {1, 1, 1},
                          .axis = {{.num = 2}, {.num = 2}, {.num = 2}}};
    clsp_context *ctx = context_with("");
    layout l = layout_of(&d);
    double *const controls = random_controls(&l, 2);
    clsp_patch_plan *plan = plan_with(ctx, &l, controls, 2);

    (void)state;
    assert_int_equal(clsp_patch_set_grids(plan, half, 0, (clsp_input){0}), CLSP_ERROR_ARGUMENT);
    check_again(ctx, plan, &l, controls, 2); /* as it was */
    assert_int_equal(clsp_patch_set_grids(plan, absurd, 0, (clsp_input){0}), CLSP_ERROR_NO_MEMORY);
    assert_broken(plan);
    assert_int_equal(clsp_patch_set_grids(plan, half, 0, (clsp_input){0}), CLSP_ERROR_ARGUMENT);
    assert_broken(plan);
    assert_int_equal(clsp_patch_set_grids(plan, axis, 0, (clsp_input){0}), CLSP_OK);
    memcpy(d.axis, axis, sizeof axis);
    l = layout_of(&d);
    check_again(ctx, plan, &l, controls, 2); /* control points are loaded still */
    assert_int_equal(clsp_patch_set_grids(plan, absurd, 0, (clsp_input){0}), CLSP_ERROR_NO_MEMORY);
    clsp_patch_plan_destroy(&plan);
    free(controls);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_double),
        cmocka_unit_test(test_changes),     cmocka_unit_test(test_reserved),
        cmocka_unit_test(test_directions),  cmocka_unit_test(test_broken),
        cmocka_unit_test(test_kinds),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
