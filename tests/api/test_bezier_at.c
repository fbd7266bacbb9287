/* Vertices at scattered parameters, of all forms: every attribute against the oracle, exact
 * corners, layouts, parameters that are out of range or NaN, and bad input. */
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

#include "bezier_fixture.h"
#include "vertex_fixture.h"

/* The bounds that bezier.h states for grids: sums of convex combinations, whose roundings shrink
   with their weights, about sqrt(degree) half units in each direction in all likelihood; rounding
   1 - t moves t and costs 0.2 sqrt(degree) units at most (docs/math.md, 10). */
enum { BOUND_31 = 8, BOUND_1000 = 32 };

static double worst;

/* ---- scattered parameters ---- */

/* A job: patches and parameters of `num` vertices. */
typedef struct job_at {
    layout l;
    size_t num_patches, num;
    double *controls;
    uint32_t *patches;
    double *params; /* [num][directions], representable in the precision */
} job_at;

/* The first ones are corners and their like, the others random, some beyond the ends. */
static double param_of(const layout *l, size_t k, unsigned direction)
{
    static const double special[] = {0.0, 1.0, 0.5, 1e-6, 0.999999, 1e-30};
    const size_t digit = direction == 0 ? k : direction == 1 ? k / COUNT(special) : k / 2;
    const double x = k < 2 * COUNT(special) * COUNT(special) && k % 2 == 0
                         ? special[digit % COUNT(special)]
                         : 0.55 + 0.6 * random_real();

    return l->d.precision == CLSP_F64 ? x : (double)(float)x;
}

static job_at start(const clsp_bezier_desc *d, size_t num_patches, size_t num)
{
    job_at j = {.l = layout_of(d), .num_patches = num_patches, .num = num};

    j.controls = random_controls(&j.l, num_patches);
    j.patches = malloc((num + 1) * sizeof *j.patches);
    j.params = malloc((num * j.l.directions + 1) * sizeof *j.params);
    assert_true(j.patches && j.params);
    for (size_t k = 0; k < num; k++) {
        j.patches[k] = (uint32_t)((k * 7 + 3) % num_patches);
        for (unsigned c = 0; c < j.l.directions; c++)
            j.params[k * j.l.directions + c] = param_of(&j.l, k, c);
    }
    return j;
}

static void finish(job_at *j)
{
    free(j->controls);
    free(j->patches);
    free(j->params);
}

/* The parameters that a vertex must have: clamped. */
static void clamped(const job_at *j, size_t k, long double t[3])
{
    const double *const p = j->params + k * j->l.directions;

    t[0] = t[1] = t[2] = 0.0L;
    for (unsigned c = 0; c < j->l.directions; c++)
        t[c] = p[c] < 0.0 ? 0.0L : p[c] > 1.0 ? 1.0L : p[c];
    if (j->l.d.form == CLSP_BEZIER_TRIANGLE && t[1] > 1.0L - t[0]) t[1] = 1.0L - t[0];
}

static clsp_status eval_at_host(clsp_bezier_plan *plan, const job_at *j, void *vertices)
{
    const size_t count = j->num * j->l.directions;
    float *const narrow = malloc((count + 1) * sizeof *narrow);
    clsp_status status;

    assert_non_null(narrow);
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float)j->params[i];
    status = j->l.d.precision == CLSP_F64
                 ? clsp_bezier_eval_at_f64(plan, j->num, j->patches, j->params, vertices)
                 : clsp_bezier_eval_at_f32(plan, j->num, j->patches, narrow, vertices);
    free(narrow);
    return status;
}

static void check_job(const job_at *j, const unsigned char *vertices, double bound)
{
    for (size_t k = 0; k < j->num; k++) {
        long double t[3];
        clamped(j, k, t);
        const double error =
            vertex_error(&j->l, j->controls + j->patches[k] * j->l.controls, t, vertices, k, bound);
        if (error > worst) worst = error;
        if (!(error <= 1.0))
            fail_msg("form %d, degrees %u %u %u, dim %u, rational %u, attributes %u, vertex %zu at "
                     "%Lg %Lg %Lg: %.2f of the bound",
                     (int)j->l.d.form, j->l.d.degree_u, j->l.d.degree_v, j->l.d.degree_w, j->l.dim,
                     j->l.d.rational, j->l.d.attributes, k, t[0], t[1], t[2], error);
    }
}

static void run(clsp_context *ctx, const clsp_bezier_desc *d, size_t num_patches, size_t num,
                double bound)
{
    job_at j = start(d, num_patches, num);
    clsp_bezier_plan *plan = plan_with(ctx, &j.l, j.controls, num_patches);
    unsigned char *const vertices = guarded(&j.l, num);

    assert_int_equal(eval_at_host(plan, &j, vertices), CLSP_OK);
    check_job(&j, vertices, bound);
    free_guarded(&j.l, num, vertices);
    clsp_bezier_plan_destroy(&plan);
    finish(&j);
}

/* ---- all forms ---- */

enum { FIRST = P | DU | DV, SECOND = DUU | DUV | DVV };

static void curves(clsp_context *ctx, clsp_precision precision)
{
    for (uint32_t degree = 0; degree <= 9; degree += degree < 3 ? 1 : 3) {
        for (uint32_t k = 0; k < 2; k++) {
            const clsp_bezier_desc d = {.precision = precision,
                                        .form = CLSP_BEZIER_CURVE,
                                        .degree_u = degree,
                                        .dim = degree % 4 + 1,
                                        .rational = k,
                                        .attributes = k ? P | W | DU | DUU | T : P | DUU};
            if (tiny() && degree > 2) continue;
            run(ctx, &d, 3, tiny() ? 9 : 131, BOUND_31);
        }
    }
}

static void test_curves(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(curves);
    print_message("worst/bound %.2f\n", worst);
}

static void surfaces(clsp_context *ctx, clsp_precision precision)
{
    static const uint32_t degrees[][2] = {{0, 0}, {1, 1}, {3, 3}, {2, 7}, {5, 0}, {15, 31}};
    static const uint32_t attributes[] = {P, P | N, FIRST | SECOND | T, W | DUV};

    for (size_t i = 0; i < COUNT(degrees); i++) {
        for (size_t k = 0; k < COUNT(attributes); k++) {
            for (uint32_t rational = 0; rational < 2; rational++) {
                const clsp_bezier_desc d = {.precision = precision,
                                            .degree_u = degrees[i][0],
                                            .degree_v = degrees[i][1],
                                            .rational = rational,
                                            .attributes = attributes[k]};
                if (tiny() && (i > 2 || k == 0)) continue;
                run(ctx, &d, 3, tiny() ? 9 : 101, BOUND_31);
            }
        }
    }
}

static void test_surfaces(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(surfaces);
    print_message("worst/bound %.2f\n", worst);
}

static void volumes(clsp_context *ctx, clsp_precision precision)
{
    static const uint32_t degrees[][3] = {{0, 0, 0}, {1, 2, 3}, {4, 4, 4}};

    for (size_t i = 0; i < COUNT(degrees); i++) {
        for (uint32_t dim = 1; dim <= 4; dim++) {
            const clsp_bezier_desc d = {.precision = precision,
                                        .form = CLSP_BEZIER_VOLUME,
                                        .degree_u = degrees[i][0],
                                        .degree_v = degrees[i][1],
                                        .degree_w = degrees[i][2],
                                        .dim = dim,
                                        .rational = dim % 2,
                                        .attributes = dim == 3 ? P : P | W | DU | DV | DW | T};
            if (tiny() && (dim > 2 || i > 1)) continue;
            run(ctx, &d, 2, tiny() ? 9 : 71, BOUND_31);
        }
    }
}

static void test_volumes(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(volumes);
    print_message("worst/bound %.2f\n", worst);
}

static void triangles(clsp_context *ctx, clsp_precision precision)
{
    static const uint32_t attributes[] = {P, P | N, FIRST | SECOND | T};

    for (uint32_t degree = 0; degree <= 10; degree += degree < 3 ? 1 : 7) {
        for (size_t k = 0; k < COUNT(attributes); k++) {
            for (uint32_t rational = 0; rational < 2; rational++) {
                const clsp_bezier_desc d = {.precision = precision,
                                            .form = CLSP_BEZIER_TRIANGLE,
                                            .degree_u = degree,
                                            .rational = rational,
                                            .attributes = attributes[k]};
                if (tiny() && (degree > 2 || k == 0)) continue;
                run(ctx, &d, 3, tiny() ? 9 : 151, BOUND_31);
            }
        }
    }
}

static void test_triangles(void **state)
{
    (void)state;
    worst = 0.0;
    with_limits(triangles);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- high degrees ---- */

static void high_degrees(clsp_context *ctx, clsp_precision precision)
{
    const clsp_bezier_desc descs[] = {
        {.form = CLSP_BEZIER_CURVE, .degree_u = 1000, .attributes = P | DU | DUU},
        {.degree_u = 1000, .degree_v = 2, .attributes = FIRST | SECOND | N},
        {.degree_u = 3, .degree_v = 1000, .attributes = FIRST},
        {.degree_u = 100, .degree_v = 63, .attributes = FIRST | SECOND, .rational = 1},
        {.form = CLSP_BEZIER_VOLUME,
         .degree_u = 40,
         .degree_v = 3,
         .degree_w = 20,
         .attributes = FIRST | DW},
        {.form = CLSP_BEZIER_TRIANGLE, .degree_u = 60, .attributes = FIRST | SECOND},
    };

    for (size_t i = 0; i < COUNT(descs); i++) {
        clsp_bezier_desc d = descs[i];
        d.precision = precision;
        run(ctx, &d, 1, 24, BOUND_1000);
    }
}

static void test_high_degrees(void **state)
{
    (void)state;
    if (tiny()) skip();
    worst = 0.0;
    with_limits(high_degrees);
    print_message("worst/bound %.2f\n", worst);
}

/* The highest degree there is, against closed forms: control points i / n give S = t, and all ones
   give 1. The bound is that of docs/math.md, 10, for this degree: 0.2 sqrt(n) eps for the rounding
   of 1 - t, and about as much for the chain. */
static void highest_degree(clsp_context *ctx, clsp_precision precision)
{
    enum { DEGREE = CLSP_BEZIER_MAX_DEGREE, NUM = 64 };
    const clsp_bezier_desc d = {
        .precision = precision, .form = CLSP_BEZIER_CURVE, .degree_u = DEGREE, .dim = 2};
    const double eps = precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    job_at j = start(&d, 1, NUM);

    for (size_t i = 0; i <= DEGREE; i++) {
        const double x = (double)i / DEGREE;
        j.controls[2 * i] = precision == CLSP_F64 ? x : (double)(float)x;
        j.controls[2 * i + 1] = 1.0;
    }
    clsp_bezier_plan *plan = plan_with(ctx, &j.l, j.controls, 1);
    unsigned char *const vertices = guarded(&j.l, NUM);
    assert_int_equal(eval_at_host(plan, &j, vertices), CLSP_OK);
    for (size_t k = 0; k < NUM; k++) {
        long double t[3];
        clamped(&j, k, t);
        assert_true(fabs(attribute(&j.l, vertices, k, P, 0) - (double)t[0]) <= 128 * eps);
        assert_true(fabs(attribute(&j.l, vertices, k, P, 1) - 1.0) <= 128 * eps);
    }
    free_guarded(&j.l, NUM, vertices);
    clsp_bezier_plan_destroy(&plan);
    finish(&j);
}

static void test_highest_degree(void **state)
{
    (void)state;
    if (tiny()) skip();
    with_limits(highest_degree);
}

/* ---- exact properties ---- */

/* At corners a polynomial patch's point is the control point. */
static void corners(clsp_context *ctx, clsp_precision precision)
{
    static const double at[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {-3, 2}};
    static const size_t surface_corner[] = {0, 9, 60, 69, 9}, triangle_corner[] = {0, 6, 27, 27, 6};

    for (int triangle = 0; triangle < 2; triangle++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .form = triangle ? CLSP_BEZIER_TRIANGLE : CLSP_BEZIER_SURFACE,
                                    .degree_u = 6,
                                    .degree_v = 9,
                                    .attributes = P};
        job_at j = start(&d, 2, COUNT(at));
        for (size_t k = 0; k < COUNT(at); k++)
            memcpy(j.params + 2 * k, at[k], sizeof at[k]);
        clsp_bezier_plan *plan = plan_with(ctx, &j.l, j.controls, 2);
        unsigned char *const vertices = guarded(&j.l, j.num);
        assert_int_equal(eval_at_host(plan, &j, vertices), CLSP_OK);
        for (size_t k = 0; k < COUNT(at); k++) {
            const size_t corner = triangle ? triangle_corner[k] : surface_corner[k];
            for (unsigned c = 0; c < 3; c++)
                assert_true(attribute(&j.l, vertices, k, P, c) ==
                            j.controls[j.patches[k] * j.l.controls + corner * 3 + c]);
        }
        free_guarded(&j.l, j.num, vertices);
        clsp_bezier_plan_destroy(&plan);
        finish(&j);
    }
}

static void test_corners(void **state)
{
    (void)state;
    with_limits(corners);
}

/* ---- layouts ---- */

static void layouts(clsp_context *ctx, clsp_precision precision)
{
    static const clsp_bezier_form forms[] = {CLSP_BEZIER_SURFACE, CLSP_BEZIER_TRIANGLE};

    for (size_t i = 0; i < COUNT(forms); i++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .form = forms[i],
                                    .degree_u = 3,
                                    .degree_v = 2,
                                    .rational = 1,
                                    .attributes = P | W | N | T,
                                    .vertex_stride = 14,
                                    .vertex_at = {9, 0, [8] = 3, [9] = 12}};
        run(ctx, &d, 2, tiny() ? 5 : 67, BOUND_31);
    }
}

static void test_layouts(void **state)
{
    (void)state;
    with_limits(layouts);
}

/* ---- through buffers ---- */

static cl_mem buffer_of(clsp_context *ctx, const void *bytes, size_t size)
{
    cl_context context;
    cl_int code;

    assert_int_equal(clGetCommandQueueInfo(clsp_context_queue(ctx), CL_QUEUE_CONTEXT,
                                           sizeof context, &context, NULL),
                     CL_SUCCESS);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                                   (void *)(uintptr_t)bytes, &code);
    assert_int_equal(code, CL_SUCCESS);
    return buffer;
}

static void read_back(clsp_context *ctx, cl_mem buffer, void *bytes, size_t size)
{
    assert_int_equal(clEnqueueReadBuffer(clsp_context_queue(ctx), buffer, CL_TRUE, 0, size, bytes,
                                         0, NULL, NULL),
                     CL_SUCCESS);
}

/* Offsets, halves, patches that are not there and parameters that are no numbers. */
static void test_buffers(void **state)
{
    enum { NUM = 9, OFFSET = 5, PATCHES_OFFSET = 3, PARAMS_OFFSET = 7, STRIDE = 8 };
    const clsp_bezier_desc d = {.degree_u = 3,
                                .degree_v = 2,
                                .attributes = P | W | N | DU,
                                .storage = CLSP_STORE_F16,
                                .vertex_stride = 10};
    clsp_context *ctx = context_with("");
    job_at j = start(&d, 2, NUM);
    uint32_t patches[NUM + PATCHES_OFFSET] = {0};
    float params[2 * NUM + PARAMS_OFFSET] = {0};
    uint16_t out[OFFSET + NUM * 10 + 4];
    cl_event done = NULL;

    (void)state;
    clsp_bezier_plan *plan = plan_with(ctx, &j.l, j.controls, 2);
    for (size_t k = 0; k < NUM; k++) {
        patches[PATCHES_OFFSET + k] = j.patches[k];
        for (size_t c = 0; c < 2; c++)
            params[PARAMS_OFFSET + 2 * k + c] = (float)j.params[2 * k + c];
    }
    patches[PATCHES_OFFSET + 4] = 2;
    patches[PATCHES_OFFSET + 5] = UINT32_MAX;
    params[PARAMS_OFFSET + 2 * 6] = NAN;
    params[PARAMS_OFFSET + 2 * 7 + 1] = NAN;
    memset(out, 0xfe, sizeof out);
    cl_mem a = buffer_of(ctx, patches, sizeof patches), b = buffer_of(ctx, params, sizeof params);
    cl_mem c = buffer_of(ctx, out, sizeof out);
    assert_int_equal(clsp_bezier_eval_at(plan, NUM, a, PATCHES_OFFSET, b, PARAMS_OFFSET, c, OFFSET,
                                         0, NULL, &done),
                     CLSP_OK);
    assert_int_equal(clsp_bezier_eval_at(plan, 0, a, 0, b, 0, c, 0, 1, &done, NULL), CLSP_OK);
    assert_int_equal(clReleaseEvent(done), CL_SUCCESS);
    read_back(ctx, c, out, sizeof out);
    for (size_t i = 0; i < sizeof out / 2; i++)
        if (i < OFFSET || i >= OFFSET + NUM * 10) assert_int_equal(out[i], 0xfefe);
    for (size_t k = 0; k < NUM; k++) {
        const unsigned char *const vertices = (const unsigned char *)(out + OFFSET);
        if (k >= 4 && k < 8) {
            for (unsigned e = 0; e < 10; e++)
                assert_true(isnan(vertex_element(&j.l, vertices, k, e)));
        } else {
            long double t[3];
            clamped(&j, k, t);
            assert_true(vertex_error(&j.l, j.controls + j.patches[k] * j.l.controls, t, vertices, k,
                                     BOUND_31) <= 1.0);
        }
    }

    const clsp_status bad = CLSP_ERROR_ARGUMENT, small = CLSP_ERROR_BUFFER_SIZE;
    assert_int_equal(clsp_bezier_eval_at(NULL, 1, a, 0, b, 0, c, 0, 0, NULL, NULL), bad);
    assert_int_equal(clsp_bezier_eval_at(plan, 1, NULL, 0, b, 0, c, 0, 0, NULL, NULL), bad);
    assert_int_equal(clsp_bezier_eval_at(plan, 1, a, 0, NULL, 0, c, 0, 0, NULL, NULL), bad);
    assert_int_equal(clsp_bezier_eval_at(plan, 1, a, 0, b, 0, NULL, 0, 0, NULL, NULL), bad);
    assert_int_equal(clsp_bezier_eval_at(plan, 1, a, 0, b, 0, c, 0, 1, NULL, NULL), bad);
    assert_int_equal(clsp_bezier_eval_at(plan, NUM, a, 4, b, 0, c, 0, 0, NULL, NULL), small);
    assert_int_equal(clsp_bezier_eval_at(plan, NUM, a, 0, b, 8, c, 0, 0, NULL, NULL), small);
    assert_int_equal(clsp_bezier_eval_at(plan, NUM, a, 0, b, 0, c, 10, 0, NULL, NULL), small);
    assert_int_equal(clsp_bezier_eval_at(plan, SIZE_MAX / 4, a, 0, b, 0, c, 0, 0, NULL, NULL),
                     CLSP_ERROR_NO_MEMORY);
    uint16_t again[COUNT(out)];
    read_back(ctx, c, again, sizeof again);
    assert_memory_equal(again, out, sizeof out);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    clsp_bezier_plan_destroy(&plan);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* ---- bad input to the host-pointer calls ---- */

static void test_bad_input(void **state)
{
    const clsp_bezier_desc d = {.degree_u = 1, .degree_v = 1};
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    clsp_context *ctx = context_with("");
    const uint32_t patches[] = {0, 1}, beyond[] = {0, 2};
    const float params[] = {0.5f, 0.5f, 0.25f, 0.75f};
    const double wide[] = {0.5, 0.5};
    float out[6] = {7, 7, 7, 7, 7, 7};
    double wide_out[3];
    clsp_bezier_plan *plan;

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_at_f32(plan, 2, patches, params, out), CLSP_ERROR_STATE);
    job_at j = start(&d, 2, 2);
    assert_int_equal(load_controls(plan, &j.l, j.controls, 2), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_at_f32(NULL, 2, patches, params, out), bad);
    assert_int_equal(clsp_bezier_eval_at_f32(plan, 2, NULL, params, out), bad);
    assert_int_equal(clsp_bezier_eval_at_f32(plan, 2, patches, NULL, out), bad);
    assert_int_equal(clsp_bezier_eval_at_f32(plan, 2, patches, params, NULL), bad);
    assert_int_equal(clsp_bezier_eval_at_f32(plan, 2, beyond, params, out), bad);
    assert_int_equal(clsp_bezier_eval_at_f64(plan, 1, patches, wide, wide_out), bad);
    for (size_t i = 0; i < COUNT(out); i++)
        assert_true(out[i] == 7);
    assert_int_equal(clsp_bezier_eval_at_f32(plan, 0, NULL, NULL, NULL), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_at_f32(plan, 2, patches, params, out), CLSP_OK);
    clsp_bezier_plan_destroy(&plan);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* Cut by a small largest buffer: the same bits. */
static void test_small_buffers(void **state)
{
    const clsp_bezier_desc d = {.degree_u = 3, .degree_v = 3, .attributes = P | N};
    const size_t num = tiny() ? 300 : 5003;
    clsp_context *wide = context_with(""), *small = context_with("alloc=4096");
    job_at j = start(&d, 3, num);
    clsp_bezier_plan *a = plan_with(wide, &j.l, j.controls, 3);
    clsp_bezier_plan *b = plan_with(small, &j.l, j.controls, 3);
    unsigned char *const whole = guarded(&j.l, num), *const cut = guarded(&j.l, num);

    (void)state;
    assert_int_equal(eval_at_host(a, &j, whole), CLSP_OK);
    assert_int_equal(eval_at_host(b, &j, cut), CLSP_OK);
    assert_memory_equal(whole, cut, num * j.l.stride * j.l.element);
    free_guarded(&j.l, num, whole);
    free_guarded(&j.l, num, cut);
    clsp_bezier_plan_destroy(&a);
    clsp_bezier_plan_destroy(&b);
    finish(&j);
    clsp_context_destroy(&wide);
    clsp_context_destroy(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),        cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_volumes),       cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_high_degrees),  cmocka_unit_test(test_highest_degree),
        cmocka_unit_test(test_corners),       cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_buffers),       cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_small_buffers),
    };

    if (no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
