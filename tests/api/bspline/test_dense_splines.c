/* Sums of so many terms that tiles make them (gemm_tiles.cl), on grids and of conversions: the bits
   of the kernels that devices without real local memory have, of whole batches and of ranges. Those
   kernels are what other tests compare with the oracle. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <clspline/clspline.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a case makes, so large that tiles keep two units busy and lines, samples and terms are many.
 */
typedef struct dense_case {
    uint32_t directions, degree, samples[3];
    size_t num;
    bool rational, converts;
} dense_case;

/* A case on one device, and what it made. */
typedef struct dense_run {
    const dense_case *c;
    clsp_type precision;
    clsp_context *ctx;
    clsp_patch_plan *plan;
    size_t point_reals, made_reals; /* of a patch */
    char *made;
} dense_run;

static size_t bytes_of(const dense_run *r, size_t reals)
{
    return reals * (r->precision == CLSP_F64 ? sizeof(double) : sizeof(float));
}

static void create_bezier(dense_run *r)
{
    const dense_case *const c = r->c;
    static const clsp_bezier_form forms[] = {0, CLSP_BEZIER_CURVE, CLSP_BEZIER_SURFACE,
                                             CLSP_BEZIER_VOLUME};
    clsp_bezier_desc desc = {
        .form = forms[c->directions], .precision = r->precision, .rational = c->rational};

    r->point_reals = c->rational ? 4 : 3;
    r->made_reals = 3;
    for (uint32_t k = 0; k < c->directions; k++) {
        desc.degree[k] = k == 2 ? 2 : c->degree; /* few control points of volumes along w */
        desc.axis[k].num = c->samples[k];
        r->point_reals *= desc.degree[k] + 1;
        r->made_reals *= c->samples[k];
    }
    assert_ok(r->ctx, clsp_bezier_plan_create(&r->plan, r->ctx, &desc));
}

/* Splines of one span, which get knots and a higher degree. */
static void create_spline(dense_run *r)
{
    const dense_case *const c = r->c;
    clsp_bspline_desc desc = {.directions = c->directions, .precision = r->precision}, made;
    double knots[64];
    clsp_bspline_change change = {.elevate = 1, .insert = knots, .num_insert = c->samples[0]};

    r->point_reals = r->made_reals = 3;
    for (uint32_t k = 0; k < c->directions; k++) {
        desc.degree[k] = c->degree;
        desc.num_controls[k] = c->degree + 1;
        r->point_reals *= c->degree + 1;
    }
    for (uint32_t i = 0; i < c->samples[0]; i++)
        knots[i] = (i + 1.0) / (c->samples[0] + 1.0);
    const clsp_bspline_target target = {.along = {change, change, change}};
    assert_ok(r->ctx, clsp_bspline_plan_create(&r->plan, r->ctx, &desc));
    assert_ok(r->ctx, clsp_bspline_set_target(r->plan, &target));
    assert_ok(r->ctx, clsp_bspline_target_desc(r->plan, 0, &made, NULL));
    for (uint32_t k = 0; k < c->directions; k++)
        r->made_reals *= made.num_controls[k];
}

static void load(dense_run *r)
{
    const size_t num = r->c->num * r->point_reals;
    void *const points = malloc(bytes_of(r, num));
    uint64_t seed = num;

    assert_non_null(points);
    for (size_t i = 0; i < num; i++) {
        const double x = support_uniform(&seed), value = r->c->rational && i % 4 == 3 ? 2 + x : x;
        if (r->precision == CLSP_F64)
            ((double *)points)[i] = value;
        else
            ((float *)points)[i] = (float)value;
    }
    const clsp_input in =
        r->precision == CLSP_F64 ? clsp_in_f64(points, num) : clsp_in_f32(points, num);
    assert_ok(r->ctx, clsp_patch_set_control_points(r->plan, r->c->num, in, NULL));
    free(points);
}

/* Makes some patches, where those of the whole batch stand. */
static void make(const dense_run *r, char *made, clsp_range patches)
{
    char *const at = made + bytes_of(r, patches.first * r->made_reals);
    const size_t num = patches.count * r->made_reals;
    const clsp_output out = r->precision == CLSP_F64 ? clsp_out_f64((double *)(void *)at, num)
                                                     : clsp_out_f32((float *)(void *)at, num);

    assert_ok(r->ctx, r->c->converts ? clsp_bspline_convert(r->plan, patches, out, NULL)
                                     : clsp_patch_eval(r->plan, patches, out, NULL));
}

static void run(dense_run *r, const char *limits)
{
    const clsp_context_opts opts = {.limits = limits};

    assert_ok(NULL, clsp_context_create(&r->ctx, NULL, &opts));
    if (r->c->converts)
        create_spline(r);
    else
        create_bezier(r);
    load(r);
    r->made = calloc(r->c->num, bytes_of(r, r->made_reals));
    assert_non_null(r->made);
    make(r, r->made, (clsp_range){0, r->c->num});
}

static void end(dense_run *r)
{
    clsp_patch_plan_destroy(&r->plan);
    clsp_context_destroy(&r->ctx);
    free(r->made);
}

/* Compares what tiles make with what other kernels make, and with ranges of it. */
static void check(dense_case some, clsp_type precision)
{
    const dense_case *const c = &some;
    dense_run tiles = {.c = c, .precision = precision}, other = tiles;

    some.num *= ((size_t)support_device().compute_units + 1) / 2;
    const size_t third = (c->num + 2) / 3;

    run(&tiles, "class=discrete,vendor=NVIDIA,local_is_real=1");
    run(&other, "class=discrete,vendor=NVIDIA,local_is_real=0");
    const size_t all = bytes_of(&tiles, c->num * tiles.made_reals);
    assert_memory_equal(tiles.made, other.made, all);
    memset(other.made, 0, all);
    for (size_t i = 0; i < c->num; i += third)
        make(&tiles, other.made, (clsp_range){i, i + third < c->num ? third : c->num - i});
    assert_memory_equal(tiles.made, other.made, all);
    end(&tiles);
    end(&other);
}

static void test_dense(void **state)
{
    static const dense_case cases[] = {
        {2, 70, {97, 71}, 2, .rational = false},    {2, 66, {70, 90}, 1, .rational = true},
        {3, 65, {66, 67, 3}, 1, .rational = false}, {1, 90, {130}, 70, .rational = false},
        {1, 40, {70}, 75, .rational = true},        {2, 70, {9}, 4, .converts = true},
        {1, 45, {30}, 90, .converts = true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        check(cases[i], CLSP_F32);
        if (support_device().fp64) check(cases[i], CLSP_F64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense)};

    if (support_no_device()) return 77;
    if (support_tiny() && strcmp(support_device().platform, "Oclgrind") == 0) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
