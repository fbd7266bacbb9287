/* Vertices at parameters of the caller's, of all forms: every attribute against the oracle, exact
 * corners, layouts, parameters that are out of range or NaN, and bad input. */
#include "support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_fixture.h"
#include "vertex_fixture.h"

/* The bounds that bezier.h states for grids: sums of convex combinations, whose roundings shrink
   with their weights, about sqrt(degree) half units in each direction in all likelihood; rounding
   1 - t moves t and costs 0.2 sqrt(degree) units at most (docs/math.md, 10). */
enum { BOUND_31 = 8, BOUND_1000 = 32 };

static double worst;

/* ---- parameters ---- */

/* A job: patches and parameters of `num` vertices. */
typedef struct points_job {
    layout l;
    size_t num_patches, num;
    double *controls;
    uint32_t *patches;
    double *params; /* [num][directions], representable in the precision */
} points_job;

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

static points_job start(const clsp_bezier_desc *d, size_t num_patches, size_t num)
{
    points_job j = {.l = layout_of(d), .num_patches = num_patches, .num = num};

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

static void finish(points_job *j)
{
    free(j->controls);
    free(j->patches);
    free(j->params);
}

/* The parameters that a vertex must have: clamped. */
static void clamped(const points_job *j, size_t k, long double t[3])
{
    const double *const p = j->params + k * j->l.directions;

    t[0] = t[1] = t[2] = 0.0L;
    for (unsigned c = 0; c < j->l.directions; c++)
        t[c] = p[c] < 0.0 ? 0.0L : p[c] > 1.0 ? 1.0L : p[c];
    if (j->l.d.form == CLSP_BEZIER_TRIANGLE && t[1] > 1.0L - t[0]) t[1] = 1.0L - t[0];
}

/* Evaluates some points of a job, without a share or by the device, into host memory. */
static clsp_status eval_some(clsp_patch_plan *plan, const points_job *j, clsp_range some,
                             bool by_device, void *vertices)
{
    const size_t count = some.count * j->l.directions;
    const double *const wide = j->params + some.first * j->l.directions;
    const clsp_output none = {.type = CLSP_TYPE_DEFAULT};
    float *const narrow = malloc((count + 1) * sizeof *narrow);
    clsp_tiling tiling = {.num_tiles = 0};
    clsp_status status;

    assert_non_null(narrow);
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float)wide[i];
    const clsp_points points = {.num = some.count,
                                .item = clsp_in_u32(j->patches + some.first, some.count),
                                .params = j->l.d.precision == CLSP_F64
                                              ? clsp_in_f64(wide, count)
                                              : clsp_in_f32(narrow, count)};
    clsp_patch_eval_points(plan, &points, none, &(clsp_run){.tiling = &tiling});
    const clsp_share share = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = {0, tiling.num_tiles}};
    status = clsp_patch_eval_points(
        plan, &points, host_out(j->l.type, vertices, some.count * j->l.stride),
        by_device && tiling.num_tiles > 0 ? &(clsp_run){.share = &share} : NULL);
    free(narrow);
    return status;
}

static clsp_status eval_points(clsp_patch_plan *plan, const points_job *j, void *vertices)
{
    return eval_some(plan, j, (clsp_range){0, j->num}, false, vertices);
}

static void check_job(const points_job *j, const unsigned char *vertices, double bound)
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
                     (int)j->l.d.form, j->l.d.degree[0], j->l.d.degree[1], j->l.d.degree[2],
                     j->l.dim, j->l.d.rational, j->l.d.vertex.attributes, k, t[0], t[1], t[2],
                     error);
    }
}

static void run(clsp_context *ctx, const clsp_bezier_desc *d, size_t num_patches, size_t num,
                double bound)
{
    points_job j = start(d, num_patches, num);
    clsp_patch_plan *plan = plan_with(ctx, &j.l, j.controls, num_patches);
    unsigned char *const vertices = guarded(&j.l, num), *const again = guarded(&j.l, num);
    const size_t first = num / 3, bytes = j.l.stride * j.l.element;

    assert_int_equal(eval_points(plan, &j, vertices), CLSP_OK);
    check_job(&j, vertices, bound);
    assert_int_equal(eval_some(plan, &j, (clsp_range){0, first}, false, again), CLSP_OK);
    assert_int_equal(
        eval_some(plan, &j, (clsp_range){first, num - first}, false, again + first * bytes),
        CLSP_OK);
    assert_memory_equal(again, vertices, num * bytes);
    assert_int_equal(eval_some(plan, &j, (clsp_range){0, num}, true, again), CLSP_OK);
    check_job(&j, again, bound);
    free_guarded(&j.l, num, again);
    free_guarded(&j.l, num, vertices);
    clsp_patch_plan_destroy(&plan);
    finish(&j);
}

/* ---- all forms ---- */

enum { FIRST = P | DU | DV, SECOND = DUU | DUV | DVV, ALONG_W = DUW | DVW | DWW };

/* Kernels differ by what a vertex holds, not by degrees. In a thin run kind k of them is polynomial
   in one precision and rational in the other. */
static bool chosen(size_t k, uint32_t rational, clsp_type precision)
{
    return !is_thin() || (k + rational + (precision == CLSP_F64)) % 2 == 0;
}

static void curves(clsp_context *ctx, clsp_type precision)
{
    for (uint32_t degree = 0; degree <= 9; degree += degree < 3 ? 1 : 3) {
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t dim = degree % 4 + 1, curvature = dim == 2 || dim == 3 ? K : 0;
            const clsp_bezier_desc d = {.precision = precision,
                                        .form = CLSP_BEZIER_CURVE,
                                        .degree = {degree},
                                        .dim = dim,
                                        .rational = k,
                                        .vertex.attributes =
                                            curvature | (k ? P | W | DU | DUU | T : P | DUU)};
            if (tiny() && degree > 2) continue;
            if (!chosen(degree % 4, k, precision) || !in_turn(degree)) continue;
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

static void surfaces(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t degrees[][2] = {{0, 0}, {1, 1}, {3, 3}, {2, 7}, {5, 0}, {15, 31}};
    static const uint32_t attributes[] = {P, P | N, FIRST | SECOND | T, W | DUV, K};

    for (size_t i = 0; i < COUNT(degrees); i++) {
        for (size_t k = 0; k < COUNT(attributes); k++) {
            for (uint32_t rational = 0; rational < 2; rational++) {
                const clsp_bezier_desc d = {.precision = precision,
                                            .degree = {degrees[i][0], degrees[i][1]},
                                            .rational = rational,
                                            .vertex.attributes = attributes[k]};
                if (tiny() && (i > 2 || k == 0)) continue;
                if (!chosen(k, rational, precision) || !in_turn(i + k)) continue;
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

static void volumes(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t degrees[][3] = {{0, 0, 0}, {1, 2, 3}, {4, 4, 4}};

    for (size_t i = 0; i < COUNT(degrees); i++) {
        for (uint32_t dim = 1; dim <= 4; dim++) {
            const clsp_bezier_desc d = {.precision = precision,
                                        .form = CLSP_BEZIER_VOLUME,
                                        .degree = {degrees[i][0], degrees[i][1], degrees[i][2]},
                                        .dim = dim,
                                        .rational = dim % 2,
                                        .vertex.attributes = dim == 3   ? P
                                                             : dim == 4 ? SECOND | ALONG_W | T
                                                             : i == 0   ? P | W | DU | DV | DW | T
                                                                        : P | DV | DWW | DUW | DVW};
            if (tiny() && (dim > 2 || i > 1)) continue;
            if (!chosen(dim / 2, 0, precision) || !in_turn(i + dim)) continue;
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

static void triangles(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t attributes[] = {P, P | N, FIRST | SECOND | T, N | K};

    for (uint32_t degree = 0; degree <= 10; degree += degree < 3 ? 1 : 7) {
        for (size_t k = 0; k < COUNT(attributes); k++) {
            for (uint32_t rational = 0; rational < 2; rational++) {
                const clsp_bezier_desc d = {.precision = precision,
                                            .form = CLSP_BEZIER_TRIANGLE,
                                            .degree = {degree},
                                            .rational = rational,
                                            .vertex.attributes = attributes[k]};
                if (tiny() && (degree > 2 || k == 0)) continue;
                if (!chosen(k, rational, precision) || !in_turn(degree + k)) continue;
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

static void high_degrees(clsp_context *ctx, clsp_type precision)
{
    const clsp_bezier_desc descs[] = {
        {.form = CLSP_BEZIER_CURVE, .degree = {1000}, .vertex.attributes = P | DU | DUU},
        {.degree = {1000, 2}, .vertex.attributes = FIRST | SECOND | N},
        {.degree = {3, 1000}, .vertex.attributes = FIRST},
        {.degree = {100, 63}, .vertex.attributes = FIRST | SECOND, .rational = 1},
        {.form = CLSP_BEZIER_VOLUME,
         .degree = {40, 3, 20},
         .vertex.attributes = FIRST | DW | DUV | DWW},
        {.form = CLSP_BEZIER_TRIANGLE, .degree = {60}, .vertex.attributes = FIRST | SECOND},
    };

    for (size_t i = 0; i < COUNT(descs); i++) {
        clsp_bezier_desc d = descs[i];
        d.precision = precision;
        if (is_thin() && d.form != CLSP_BEZIER_VOLUME) { /* kernels that other cases have, too */
            d.rational = precision == CLSP_F64;
            d.vertex.attributes = d.form != CLSP_BEZIER_CURVE ? FIRST | SECOND | T
                                  : d.rational                ? P | W | DU | DUU | T
                                                              : P | DUU;
        }
        if (in_turn(i)) run(ctx, &d, 1, 24, BOUND_1000);
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
static void highest_degree(clsp_context *ctx, clsp_type precision)
{
    enum { DEGREE = CLSP_BEZIER_MAX_DEGREE, NUM = 64 };
    const clsp_bezier_desc d = {
        .precision = precision, .form = CLSP_BEZIER_CURVE, .degree = {DEGREE}, .dim = 2};
    const double eps = precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    points_job j = start(&d, 1, NUM);

    for (size_t i = 0; i <= DEGREE; i++) {
        const double x = (double)i / (double)DEGREE;
        j.controls[2 * i] = precision == CLSP_F64 ? x : (double)(float)x;
        j.controls[2 * i + 1] = 1.0;
    }
    clsp_patch_plan *plan = plan_with(ctx, &j.l, j.controls, 1);
    unsigned char *const vertices = guarded(&j.l, NUM);
    assert_int_equal(eval_points(plan, &j, vertices), CLSP_OK);
    for (size_t k = 0; k < NUM; k++) {
        long double t[3];
        clamped(&j, k, t);
        assert_true(fabs(attribute(&j.l, vertices, k, P, 0) - (double)t[0]) <= 128 * eps);
        assert_true(fabs(attribute(&j.l, vertices, k, P, 1) - 1.0) <= 128 * eps);
    }
    free_guarded(&j.l, NUM, vertices);
    clsp_patch_plan_destroy(&plan);
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
static void corners(clsp_context *ctx, clsp_type precision)
{
    static const double at[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {-3, 2}};
    static const size_t surface_corner[] = {0, 9, 60, 69, 9}, triangle_corner[] = {0, 6, 27, 27, 6};

    for (int triangle = 0; triangle < 2; triangle++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .form = triangle ? CLSP_BEZIER_TRIANGLE : CLSP_BEZIER_SURFACE,
                                    .degree = {6, 9},
                                    .vertex.attributes = P};
        points_job j = start(&d, 2, COUNT(at));
        for (size_t k = 0; k < COUNT(at); k++)
            memcpy(j.params + 2 * k, at[k], sizeof at[k]);
        clsp_patch_plan *plan = plan_with(ctx, &j.l, j.controls, 2);
        unsigned char *const vertices = guarded(&j.l, j.num);
        assert_int_equal(eval_points(plan, &j, vertices), CLSP_OK);
        for (size_t k = 0; k < COUNT(at); k++) {
            const size_t corner = triangle ? triangle_corner[k] : surface_corner[k];
            for (unsigned c = 0; c < 3; c++)
                assert_true(attribute(&j.l, vertices, k, P, c) ==
                            j.controls[j.patches[k] * j.l.controls + corner * 3 + c]);
        }
        free_guarded(&j.l, j.num, vertices);
        clsp_patch_plan_destroy(&plan);
        finish(&j);
    }
}

static void test_corners(void **state)
{
    (void)state;
    with_limits(corners);
}

/* ---- layouts ---- */

static void layouts(clsp_context *ctx, clsp_type precision)
{
    static const clsp_bezier_form forms[] = {CLSP_BEZIER_SURFACE, CLSP_BEZIER_TRIANGLE};

    for (size_t i = 0; i < COUNT(forms); i++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .form = forms[i],
                                    .degree = {3, 2},
                                    .rational = 1,
                                    .vertex = {.attributes = P | W | N | T,
                                               .stride = 14,
                                               .offset = {9, 0, [8] = 3, [9] = 12}}};
        if (chosen(i, 0, precision)) run(ctx, &d, 2, tiny() ? 5 : 67, BOUND_31);
    }
}

static void test_layouts(void **state)
{
    (void)state;
    with_limits(layouts);
}

/* ---- through buffers ---- */

/* Buffers of patches, params and vertices, each with some elements more than num vertices take. */
static void check_refusals(clsp_patch_plan *plan, const cl_mem buffers[3], size_t num)
{
    const clsp_status bad = CLSP_ERROR_ARGUMENT, small = CLSP_ERROR_BUFFER_SIZE;
    const clsp_run no_list = {.num_wait = 1};
    const clsp_input none = {.type = CLSP_TYPE_DEFAULT};
    const clsp_input a = clsp_in_buffer(buffers[0], CLSP_U32, 0);
    const clsp_input b = clsp_in_buffer(buffers[1], CLSP_F32, 0);
    const clsp_output c = clsp_out_buffer(buffers[2], CLSP_F16, 0), nowhere = {.buffer = NULL};

    assert_int_equal(
        clsp_patch_eval_points(NULL, &(clsp_points){.num = 1, .item = a, .params = b}, c, NULL),
        bad);
    assert_int_equal(
        clsp_patch_eval_points(plan, &(clsp_points){.num = 1, .params = b, .planar = 2}, c, NULL),
        bad);
    assert_int_equal(clsp_patch_eval_points(
                         plan, &(clsp_points){.num = 1, .params = b, .reserved = {1}}, c, NULL),
                     bad);
    assert_int_equal(
        clsp_patch_eval_points(plan, &(clsp_points){.num = 1, .item = a, .params = none}, c, NULL),
        bad);
    assert_int_equal(clsp_patch_eval_points(plan, &(clsp_points){.num = 1, .item = a, .params = b},
                                            nowhere, NULL),
                     bad);
    assert_int_equal(
        clsp_patch_eval_points(plan, &(clsp_points){.num = 1, .item = b, .params = b}, c, NULL),
        bad);
    assert_int_equal(
        clsp_patch_eval_points(plan, &(clsp_points){.num = 1, .item = a, .params = a}, c, NULL),
        bad);
    assert_int_equal(
        clsp_patch_eval_points(plan, &(clsp_points){.num = 1, .item = a, .params = b}, c, &no_list),
        bad);
    assert_int_equal(
        clsp_patch_eval_points(plan,
                               &(clsp_points){.num = num,
                                              .item = clsp_in_buffer(buffers[0], CLSP_U32, 4),
                                              .params = b},
                               c, NULL),
        small);
    assert_int_equal(
        clsp_patch_eval_points(plan,
                               &(clsp_points){.num = num,
                                              .item = a,
                                              .params = clsp_in_buffer(buffers[1], CLSP_F32, 8)},
                               c, NULL),
        small);
    assert_int_equal(clsp_patch_eval_points(plan,
                                            &(clsp_points){.num = num, .item = a, .params = b},
                                            clsp_out_buffer(buffers[2], CLSP_F16, 10), NULL),
                     small);
    assert_int_equal(
        clsp_patch_eval_points(plan, &(clsp_points){.num = SIZE_MAX / 4, .item = a, .params = b}, c,
                               NULL),
        CLSP_ERROR_NO_MEMORY);
}

/* Offsets, halves, patches that are not there and parameters that are no numbers. */
static void test_buffers(void **state)
{
    enum { NUM = 9, OFFSET = 5, PATCHES_OFFSET = 3, PARAMS_OFFSET = 7, STRIDE = 8 };
    const clsp_bezier_desc d = {
        .degree = {3, 2}, .vertex = {.attributes = P | W | N | DU, .type = CLSP_F16, .stride = 10}};
    clsp_context *ctx = context_with("");
    points_job j = start(&d, 2, NUM);
    uint32_t patches[NUM + PATCHES_OFFSET] = {0};
    float params[2 * NUM + PARAMS_OFFSET] = {0};
    uint16_t out[OFFSET + NUM * 10 + 4];
    cl_event done = NULL;

    (void)state;
    clsp_patch_plan *plan = plan_with(ctx, &j.l, j.controls, 2);
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
    const cl_mem buffers[] = {buffer_of(ctx, sizeof patches, patches),
                              buffer_of(ctx, sizeof params, params),
                              buffer_of(ctx, sizeof out, out)};
    const clsp_input a = clsp_in_buffer(buffers[0], CLSP_U32, PATCHES_OFFSET);
    const clsp_input b = clsp_in_buffer(buffers[1], CLSP_F32, PARAMS_OFFSET);
    const clsp_output c = clsp_out_buffer(buffers[2], CLSP_F16, OFFSET);
    assert_int_equal(clsp_patch_eval_points(plan,
                                            &(clsp_points){.num = NUM, .item = a, .params = b}, c,
                                            &(clsp_run){.done = &done}),
                     CLSP_OK);
    assert_int_equal(clsp_patch_eval_points(plan, &(clsp_points){.num = 0, .item = a, .params = b},
                                            c, &(clsp_run){.num_wait = 1, .wait = &done}),
                     CLSP_OK);
    assert_int_equal(clReleaseEvent(done), CL_SUCCESS);
    read_buffer(ctx, buffers[2], sizeof out, out);
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
    check_refusals(plan, buffers, NUM);
    uint16_t again[COUNT(out)];
    read_buffer(ctx, buffers[2], sizeof again, again);
    assert_memory_equal(again, out, sizeof out);
    for (size_t i = 0; i < COUNT(buffers); i++)
        clReleaseMemObject(buffers[i]);
    clsp_patch_plan_destroy(&plan);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* Lists in host memory at addresses that are no multiples of their elements' sizes, alone and in
   shared calls: the bits of aligned ones. */
static void test_odd_addresses(void **state)
{
    enum { NUM = 9 };
    const clsp_bezier_desc d = {.degree = {3, 2}};
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    clsp_context *ctx = context_with("");
    points_job j = start(&d, 2, NUM);
    clsp_patch_plan *plan = plan_with(ctx, &j.l, j.controls, 2);
    const size_t bytes = NUM * j.l.stride * sizeof(float);
    unsigned char *const aligned = malloc(bytes), *const odd = malloc(bytes);
    unsigned char items[sizeof(uint32_t) * NUM + 1], params[sizeof(float) * 2 * NUM + 1];
    float narrow[2 * NUM];

    (void)state;
    assert_true(aligned && odd);
    for (size_t i = 0; i < COUNT(narrow); i++)
        narrow[i] = (float)j.params[i];
    memcpy(items + 1, j.patches, sizeof items - 1);
    memcpy(params + 1, narrow, sizeof params - 1);
    const clsp_points list = {.num = NUM,
                              .item = clsp_in_u32(j.patches, NUM),
                              .params = clsp_in_f32(narrow, COUNT(narrow))};
    clsp_points moved = list;
    moved.item.host = items + 1;
    moved.params.host = params + 1;
    for (int shared = 0; shared < 2; shared++) {
        const clsp_run call = {.share = shared ? &by_host : NULL};
        const clsp_output to = host_out(CLSP_F32, aligned, NUM * j.l.stride);
        const clsp_output to_odd = host_out(CLSP_F32, odd, NUM * j.l.stride);
        assert_int_equal(clsp_patch_eval_points(plan, &list, to, &call), CLSP_OK);
        assert_int_equal(clsp_patch_eval_points(plan, &moved, to_odd, &call), CLSP_OK);
        assert_memory_equal(odd, aligned, bytes);
    }
    free(aligned);
    free(odd);
    clsp_patch_plan_destroy(&plan);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* A plan that holds no patches has none at any number: every vertex is of NaN. */
static void test_no_patches(void **state)
{
    const clsp_bezier_desc d = {.degree = {3, 2}};
    const uint32_t patches[] = {0, 1};
    const float params[] = {0.5f, 0.5f, 0.25f, 0.75f};
    clsp_context *ctx = context_with("");
    const cl_mem in = buffer_of(ctx, sizeof patches, patches);
    clsp_patch_plan *plan;
    float vertices[6] = {0};

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(plan, 0, clsp_in_f32(NULL, 0), NULL), CLSP_OK);
    assert_int_equal(clsp_patch_eval_points(plan,
                                            &(clsp_points){.num = 2,
                                                           .item = clsp_in_buffer(in, CLSP_U32, 0),
                                                           .params = clsp_in_f32(params, 4)},
                                            clsp_out_f32(vertices, 6), NULL),
                     CLSP_OK);
    for (size_t i = 0; i < COUNT(vertices); i++)
        assert_true(isnan(vertices[i]));
    clReleaseMemObject(in);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* ---- bad input in host memory ---- */

static void test_bad_input(void **state)
{
    const clsp_bezier_desc d = {.degree = {1, 1}};
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    clsp_context *ctx = context_with("");
    const uint32_t patches[] = {0, 1}, beyond[] = {0, 2};
    const float params[] = {0.5f, 0.5f, 0.25f, 0.75f};
    const double wide[] = {0.5, 0.5};
    float vertices[6] = {7, 7, 7, 7, 7, 7};
    double wide_vertices[3];
    const clsp_input a = clsp_in_u32(patches, 2), b = clsp_in_f32(params, 4);
    const clsp_output out = clsp_out_f32(vertices, 6);
    clsp_patch_plan *plan;

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(
        clsp_patch_eval_points(plan, &(clsp_points){.num = 2, .item = a, .params = b}, out, NULL),
        CLSP_ERROR_STATE);
    points_job j = start(&d, 2, 2);
    assert_int_equal(load_controls(plan, &j.l, j.controls, 2), CLSP_OK);
    assert_int_equal(
        clsp_patch_eval_points(NULL, &(clsp_points){.num = 2, .item = a, .params = b}, out, NULL),
        bad);
    assert_int_equal(
        clsp_patch_eval_points(
            plan, &(clsp_points){.num = 2, .item = clsp_in_u32(NULL, 2), .params = b}, out, NULL),
        bad);
    assert_int_equal(
        clsp_patch_eval_points(
            plan, &(clsp_points){.num = 2, .item = a, .params = clsp_in_f32(NULL, 4)}, out, NULL),
        bad);
    assert_int_equal(clsp_patch_eval_points(plan, &(clsp_points){.num = 2, .item = a, .params = b},
                                            clsp_out_f32(NULL, 6), NULL),
                     bad);
    assert_int_equal(
        clsp_patch_eval_points(
            plan, &(clsp_points){.num = 2, .item = clsp_in_u32(beyond, 2), .params = b}, out, NULL),
        bad);
    assert_int_equal(
        clsp_patch_eval_points(
            plan, &(clsp_points){.num = 1, .item = a, .params = clsp_in_f64(wide, 2)}, out, NULL),
        bad);
    assert_int_equal(clsp_patch_eval_points(plan, &(clsp_points){.num = 1, .item = a, .params = b},
                                            clsp_out_f64(wide_vertices, 3), NULL),
                     bad);
    for (size_t i = 0; i < COUNT(vertices); i++)
        assert_true(vertices[i] == 7);
    assert_int_equal(
        clsp_patch_eval_points(
            plan,
            &(clsp_points){.num = 0, .item = clsp_in_u32(NULL, 0), .params = clsp_in_f32(NULL, 0)},
            clsp_out_f32(NULL, 0), NULL),
        CLSP_OK);
    assert_int_equal(
        clsp_patch_eval_points(plan, &(clsp_points){.num = 2, .item = a, .params = b}, out, NULL),
        CLSP_OK);
    clsp_patch_plan_destroy(&plan);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* Cut by a small largest buffer: the same bits. */
static void test_small_buffers(void **state)
{
    const clsp_bezier_desc d = {.degree = {3, 3}, .vertex.attributes = P | N};
    const size_t num = tiny() ? 300 : 5003;
    clsp_context *wide = context_with(""), *small = context_with("alloc=4096");
    points_job j = start(&d, 3, num);
    clsp_patch_plan *a = plan_with(wide, &j.l, j.controls, 3);
    clsp_patch_plan *b = plan_with(small, &j.l, j.controls, 3);
    unsigned char *const whole = guarded(&j.l, num), *const cut = guarded(&j.l, num);

    (void)state;
    assert_int_equal(eval_some(a, &j, (clsp_range){0, num}, true, whole), CLSP_OK);
    assert_int_equal(eval_some(b, &j, (clsp_range){0, num}, true, cut), CLSP_OK);
    assert_memory_equal(whole, cut, num * j.l.stride * j.l.element);
    free_guarded(&j.l, num, whole);
    free_guarded(&j.l, num, cut);
    clsp_patch_plan_destroy(&a);
    clsp_patch_plan_destroy(&b);
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
        cmocka_unit_test(test_small_buffers), cmocka_unit_test(test_no_patches),
        cmocka_unit_test(test_odd_addresses),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
