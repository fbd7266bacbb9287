/* Grids of patches' own and of triangles, and the faces of all grids: vertices against the oracle,
 * splits, states; faces valid, turned the right way, watertight, the same from host and device. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_fixture.h"
#include "vertex_fixture.h"

/* As of scattered vertices: test_bezier_at.c. */
enum { BOUND_31 = 8 };

static double worst;

/* ---- a job ---- */

typedef struct own_job {
    layout l;
    size_t num_patches, num; /* vertices of all patches */
    uint32_t *nums;          /* [num_patches][2]; NULL: the common grid */
    double *controls;
    clsp_bezier_plan *plan;
    unsigned char *vertices;
} own_job;

static size_t grid_vertices(clsp_bezier_form form, const uint32_t nums[2])
{
    const size_t n = nums[0];
    return form == CLSP_BEZIER_TRIANGLE ? n * (n + 1) / 2
           : form == CLSP_BEZIER_CURVE  ? n
                                        : n * nums[1];
}

static void patch_nums(const own_job *j, size_t p, uint32_t nums[2])
{
    nums[0] = j->nums ? j->nums[2 * p] : j->l.d.num_u;
    nums[1] = j->nums ? j->nums[2 * p + 1] : j->l.d.num_v;
}

static own_job start(clsp_context *ctx, const clsp_bezier_desc *d, size_t num_patches,
                     const uint32_t *nums)
{
    own_job j = {.l = layout_of(d), .num_patches = num_patches};
    size_t counted = 0;

    j.controls = random_controls(&j.l, num_patches);
    j.plan = plan_with(ctx, &j.l, j.controls, num_patches);
    if (nums) {
        j.nums = malloc(2 * num_patches * sizeof *nums);
        assert_non_null(j.nums);
        memcpy(j.nums, nums, 2 * num_patches * sizeof *nums);
        assert_int_equal(clsp_bezier_set_patch_resolutions(j.plan, num_patches, nums), CLSP_OK);
    }
    for (size_t p = 0; p < num_patches; p++) {
        uint32_t both[2];
        patch_nums(&j, p, both);
        j.num += grid_vertices(d->form, both);
    }
    assert_int_equal(clsp_bezier_num_vertices(j.plan, 0, num_patches, &counted), CLSP_OK);
    assert_int_equal(counted, j.num);
    j.vertices = guarded(&j.l, j.num);
    return j;
}

static void finish(own_job *j)
{
    free_guarded(&j->l, j->num, j->vertices);
    clsp_bezier_plan_destroy(&j->plan);
    free(j->controls);
    free(j->nums);
}

static long double param(const double interval[2], uint32_t a, uint32_t num)
{
    const bool whole = interval[0] == 0.0 && interval[1] == 0.0;
    const long double end = whole ? 1.0L : interval[1], last = num > 1 ? num - 1 : 1;
    return (interval[0] * (last - a) + end * a) / last;
}

static void check_patch(const own_job *j, size_t p, size_t vertex)
{
    const clsp_bezier_desc *const d = &j->l.d;
    uint32_t nums[2];

    patch_nums(j, p, nums);
    if (d->form == CLSP_BEZIER_CURVE) nums[1] = 1;
    for (uint32_t a = 0; a < nums[0]; a++) {
        const uint32_t row = d->form == CLSP_BEZIER_TRIANGLE ? nums[0] - a : nums[1];
        for (uint32_t b = 0; b < row; b++, vertex++) {
            const long double t[3] = {
                param(d->interval_u, a, nums[0]),
                param(d->interval_v, b, d->form == CLSP_BEZIER_TRIANGLE ? nums[0] : nums[1])};
            const double error = vertex_error(&j->l, j->controls + p * j->l.controls, t,
                                              j->vertices, vertex, BOUND_31);
            if (error > worst) worst = error;
            if (!(error <= 1.0))
                fail_msg("form %d, degrees %u %u, patch %zu, sample %u %u of %u %u: %.2f of the "
                         "bound",
                         (int)d->form, d->degree_u, d->degree_v, p, a, b, nums[0], nums[1], error);
        }
    }
}

static void check(const own_job *j)
{
    size_t vertex = 0;

    for (size_t p = 0; p < j->num_patches; p++) {
        uint32_t nums[2];
        patch_nums(j, p, nums);
        check_patch(j, p, vertex);
        vertex += grid_vertices(j->l.d.form, nums);
    }
}

static void run(clsp_context *ctx, const clsp_bezier_desc *d, size_t num_patches,
                const uint32_t *nums)
{
    own_job j = start(ctx, d, num_patches, nums);

    assert_int_equal(eval_host(j.plan, &j.l, 0, num_patches, j.vertices), CLSP_OK);
    check(&j);
    finish(&j);
}

/* ---- own grids ---- */

static const uint32_t sizes[][2] = {{1, 1}, {5, 3}, {1, 9}, {8, 1}, {2, 2}, {17, 12}, {3, 31}};

static void own_grids(clsp_context *ctx, clsp_precision precision)
{
    static const clsp_bezier_form forms[] = {CLSP_BEZIER_SURFACE, CLSP_BEZIER_CURVE,
                                             CLSP_BEZIER_TRIANGLE};

    for (size_t i = 0; i < COUNT(forms); i++) {
        for (uint32_t k = 0; k < 4; k++) {
            clsp_bezier_desc d = {.precision = precision,
                                  .form = forms[i],
                                  .degree_u = 3,
                                  .degree_v = 2,
                                  .rational = k % 2,
                                  .watertight = k == 3 && forms[i] == CLSP_BEZIER_SURFACE,
                                  .attributes = P | T};
            if (k == 1) d.attributes |= forms[i] == CLSP_BEZIER_CURVE ? DUU : N;
            if (k == 2 && forms[i] != CLSP_BEZIER_TRIANGLE) {
                d.interval_u[0] = 0.75;
                d.interval_u[1] = 0.25;
            }
            run(ctx, &d, tiny() ? 5 : COUNT(sizes), sizes[0]);
        }
    }
}

static void test_own_grids(void **state)
{
    (void)state;
    with_limits(own_grids);
    print_message("worst/bound %.2f\n", worst);
}

static void triangle_grids(clsp_context *ctx, clsp_precision precision)
{
    static const uint32_t nums[] = {1, 2, 3, 16, 41};

    for (size_t i = 0; i < COUNT(nums); i++) {
        for (uint32_t degree = 0; degree < 6; degree++) {
            const clsp_bezier_desc d = {.precision = precision,
                                        .form = CLSP_BEZIER_TRIANGLE,
                                        .degree_u = degree,
                                        .num_u = nums[i],
                                        .rational = degree % 2,
                                        .attributes = i % 2 ? P | N | T : P | DU | DVV};
            if (tiny() && (i > 2 || degree > 2)) continue;
            run(ctx, &d, 3, NULL);
        }
    }
}

static void test_triangle_grids(void **state)
{
    (void)state;
    with_limits(triangle_grids);
    print_message("worst/bound %.2f\n", worst);
}

/* Random sizes of many patches; ranges, and a small largest buffer, give the same bits. */
static void test_splits(void **state)
{
    enum { MANY = 61, FEW = 29 };
    const size_t patches = tiny() ? FEW : MANY;
    const uint32_t common = tiny() ? 6 : 20;
    static const clsp_bezier_form forms[] = {CLSP_BEZIER_SURFACE, CLSP_BEZIER_TRIANGLE};
    clsp_context *wide = context_with(""), *small = context_with("alloc=8192");
    uint32_t nums[2 * MANY];

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(forms); i++) {
        const clsp_bezier_desc d = {.form = forms[i / 2],
                                    .degree_u = 2,
                                    .degree_v = 2,
                                    .num_u = common,
                                    .num_v = common,
                                    .attributes = P | N,
                                    .watertight = i == 0};
        seed(9);
        for (size_t k = 0; k < 2 * patches; k++)
            nums[k] = 1 + (uint32_t)((tiny() ? 3.0 : 10.0) * (1.0 + random_real()));
        nums[14] = nums[15] = tiny() ? 20 : 91; /* larger than the small buffer */
        if (i % 2 && forms[i / 2] == CLSP_BEZIER_SURFACE) continue; /* its grid has tests */
        seed(10);
        own_job a = start(wide, &d, patches, i % 2 ? NULL : nums);
        seed(10);
        own_job b = start(small, &d, patches, i % 2 ? NULL : nums);
        assert_int_equal(eval_host(a.plan, &a.l, 0, patches, a.vertices), CLSP_OK);
        assert_int_equal(eval_host(b.plan, &b.l, 0, patches, b.vertices), CLSP_OK);
        assert_memory_equal(a.vertices, b.vertices, a.num * a.l.stride * a.l.element);
        if (!tiny()) check(&a);

        size_t before, middle;
        assert_int_equal(clsp_bezier_num_vertices(a.plan, 0, 7, &before), CLSP_OK);
        assert_int_equal(clsp_bezier_num_vertices(a.plan, 7, 20, &middle), CLSP_OK);
        unsigned char *const part = guarded(&a.l, middle);
        assert_int_equal(eval_host(a.plan, &a.l, 7, 20, part), CLSP_OK);
        assert_memory_equal(part, a.vertices + before * a.l.stride * a.l.element,
                            middle * a.l.stride * a.l.element);
        free_guarded(&a.l, middle, part);
        finish(&a);
        finish(&b);
    }
    clsp_context_destroy(&wide);
    clsp_context_destroy(&small);
}

/* ---- states ---- */

static void test_states(void **state)
{
    const clsp_bezier_desc d = {.degree_u = 1, .degree_v = 1};
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    static const uint32_t nums[] = {3, 2, 1, 4}, none[] = {3, 0, 1, 4}, beyond[] = {1, 1u << 29};
    const layout l = layout_of(&d);
    clsp_context *ctx = context_with("");
    float out[30];
    clsp_bezier_plan *plan, *volume;
    size_t num = 77;

    (void)state;
    double *const controls = random_controls(&l, 3);
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_bezier_num_vertices(plan, 0, 1, &num), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bezier_num_indices(plan, CLSP_BEZIER_QUADS, 0, 1, &num),
                     CLSP_ERROR_STATE);
    assert_int_equal(clsp_bezier_set_patch_resolutions(plan, 2, nums), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_f32(plan, 0, 2, out), CLSP_ERROR_STATE);
    assert_int_equal(load_controls(plan, &l, controls, 3), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_f32(plan, 0, 2, out), CLSP_ERROR_STATE);
    assert_int_equal(load_controls(plan, &l, controls, 2), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_f32(plan, 0, 2, out), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_f32(plan, 1, 2, out), bad);
    assert_int_equal(clsp_bezier_eval_f32(plan, 2, 0, out), CLSP_OK);
    assert_int_equal(clsp_bezier_num_vertices(plan, 1, 1, &num), CLSP_OK);
    assert_int_equal(num, 4);

    assert_int_equal(clsp_bezier_set_patch_resolutions(NULL, 2, nums), bad);
    assert_int_equal(clsp_bezier_set_patch_resolutions(plan, 2, none), bad);
    assert_int_equal(clsp_bezier_set_patch_resolutions(plan, 1, beyond), bad);
    assert_int_equal(clsp_bezier_num_vertices(plan, 1, 2, &num), bad);
    assert_int_equal(clsp_bezier_num_vertices(plan, 0, 1, NULL), bad);
    assert_int_equal(clsp_bezier_num_vertices(NULL, 0, 1, &num), bad);
    assert_int_equal(num, 4);
    assert_int_equal(clsp_bezier_num_vertices(plan, 0, 2, &num), CLSP_OK); /* still as it was */
    assert_int_equal(num, 10);

    assert_int_equal(clsp_bezier_set_patch_resolutions(plan, 0, NULL), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_f32(plan, 0, 2, out), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bezier_set_patch_resolutions(plan, 2, nums), CLSP_OK);
    assert_int_equal(clsp_bezier_set_resolution(plan, 2, 2, 0), CLSP_OK);
    assert_int_equal(clsp_bezier_num_vertices(plan, 0, 2, &num), CLSP_OK);
    assert_int_equal(num, 8);
    assert_int_equal(clsp_bezier_eval_f32(plan, 0, 2, out), CLSP_OK);
    assert_int_equal(clsp_bezier_num_vertices(plan, 0, SIZE_MAX / 4, &num), CLSP_ERROR_NO_MEMORY);
    assert_int_equal(clsp_bezier_set_patch_resolutions(plan, 0, nums), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_f32(plan, 0, 0, out), CLSP_ERROR_STATE); /* 2 are loaded */
    assert_int_equal(load_controls(plan, &l, controls, 0), CLSP_OK);
    assert_int_equal(clsp_bezier_eval_f32(plan, 0, 0, out), CLSP_OK);
    clsp_bezier_plan_destroy(&plan);

    const clsp_bezier_desc v = {.form = CLSP_BEZIER_VOLUME, .num_u = 2, .num_v = 2, .num_w = 2};
    assert_int_equal(clsp_bezier_plan_create(&volume, ctx, &v), CLSP_OK);
    assert_int_equal(clsp_bezier_set_patch_resolutions(volume, 2, nums), bad);
    assert_int_equal(clsp_bezier_num_indices(volume, CLSP_BEZIER_QUADS, 0, 1, &num), bad);
    clsp_bezier_plan_destroy(&volume);
    free(controls);
    clsp_context_destroy(&ctx);
}

/* A plan keeps its own grids when degrees change. */
static void test_other_degrees(void **state)
{
    const clsp_bezier_desc d = {.degree_u = 1, .degree_v = 1, .attributes = P | N};
    clsp_context *ctx = context_with("");
    own_job j = start(ctx, &d, 3, sizes[1]);

    (void)state;
    assert_int_equal(eval_host(j.plan, &j.l, 0, 3, j.vertices), CLSP_OK);
    check(&j);
    assert_int_equal(clsp_bezier_set_degrees(j.plan, 4, 2, 0), CLSP_OK);
    assert_int_equal(eval_host(j.plan, &j.l, 0, 3, j.vertices), CLSP_ERROR_STATE);
    clsp_bezier_desc other = d;
    other.degree_u = 4;
    other.degree_v = 2;
    j.l = layout_of(&other);
    free(j.controls);
    j.controls = random_controls(&j.l, 3);
    assert_int_equal(load_controls(j.plan, &j.l, j.controls, 3), CLSP_OK);
    assert_int_equal(eval_host(j.plan, &j.l, 0, 3, j.vertices), CLSP_OK);
    check(&j);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* ---- faces ---- */

static uint32_t *indices_of(const own_job *j, clsp_bezier_faces faces, size_t *num)
{
    assert_int_equal(clsp_bezier_num_indices(j->plan, faces, 0, j->num_patches, num), CLSP_OK);
    uint32_t *const indices = malloc((*num + 1) * sizeof *indices);
    assert_non_null(indices);
    indices[*num] = 0xfefefefe;
    assert_int_equal(clsp_bezier_indices_u32(j->plan, faces, 0, j->num_patches, indices), CLSP_OK);
    assert_int_equal(indices[*num], 0xfefefefe);
    return indices;
}

/* The device writes what the host does, from an offset on, and in ranges. */
static void check_device(clsp_context *ctx, const own_job *j, clsp_bezier_faces faces,
                         const uint32_t *indices, size_t num)
{
    enum { OFFSET = 3 };
    const size_t all = num + OFFSET + 2;
    uint32_t *const got = malloc(all * sizeof *got);
    cl_context context;
    cl_int code;
    size_t later;

    assert_non_null(got);
    memset(got, 0xfe, all * sizeof *got);
    assert_int_equal(clGetCommandQueueInfo(clsp_context_queue(ctx), CL_QUEUE_CONTEXT,
                                           sizeof context, &context, NULL),
                     CL_SUCCESS);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   all * sizeof *got, got, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(
        clsp_bezier_indices(j->plan, faces, 0, j->num_patches, buffer, OFFSET, 0, NULL, NULL),
        CLSP_OK);
    assert_int_equal(clEnqueueReadBuffer(clsp_context_queue(ctx), buffer, CL_TRUE, 0,
                                         all * sizeof *got, got, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_memory_equal(got + OFFSET, indices, num * sizeof *got);
    for (size_t i = 0; i < all; i++)
        if (i < OFFSET || i >= OFFSET + num) assert_int_equal(got[i], 0xfefefefe);

    assert_int_equal(clsp_bezier_num_indices(j->plan, faces, 1, j->num_patches - 1, &later),
                     CLSP_OK);
    assert_int_equal(clsp_bezier_indices_u32(j->plan, faces, 1, j->num_patches - 1, got), CLSP_OK);
    size_t first;
    assert_int_equal(clsp_bezier_num_vertices(j->plan, 0, 1, &first), CLSP_OK);
    for (size_t i = 0; i < later; i++)
        assert_int_equal(got[i] + first, indices[num - later + i]);
    if (num > 0)
        assert_int_equal(clsp_bezier_indices(j->plan, faces, 0, j->num_patches, buffer, OFFSET + 3,
                                             0, NULL, NULL),
                         CLSP_ERROR_BUFFER_SIZE);
    clReleaseMemObject(buffer);
    free(got);
}

/* Twice the area of a face in the plane of parameters. */
static double area(const own_job *j, const uint32_t *face, unsigned corners)
{
    double sum = 0.0;

    for (unsigned i = 0; i < corners; i++) {
        const uint32_t a = face[i], b = face[(i + 1) % corners];
        sum += attribute(&j->l, j->vertices, a, T, 0) * attribute(&j->l, j->vertices, b, T, 1) -
               attribute(&j->l, j->vertices, b, T, 0) * attribute(&j->l, j->vertices, a, T, 1);
    }
    return sum;
}

/* Faces lie in their patch, all turn the same way, and cover the parameters. */
static void check_faces(const own_job *j, const uint32_t *indices, size_t num, unsigned corners,
                        double whole)
{
    double sum = 0.0;
    size_t wide = 0;

    for (size_t f = 0; f < num; f += corners) {
        for (unsigned i = 0; i < corners; i++)
            assert_true(indices[f + i] < j->num);
        const double twice = area(j, indices + f, corners);
        assert_true(twice > 0.0);
        sum += twice;
    }
    for (size_t p = 0; p < j->num_patches; p++) {
        uint32_t nums[2];
        patch_nums(j, p, nums);
        wide += nums[0] > 1 && (j->l.d.form == CLSP_BEZIER_TRIANGLE || nums[1] > 1);
    }
    assert_true(fabs(sum - whole * (double)wide) <= 1e-4 * ((double)wide + 1));
}

static void faces(clsp_context *ctx, clsp_precision precision)
{
    for (int k = 0; k < 8; k++) {
        const bool triangle = k >= 6, own = k % 2;
        clsp_bezier_desc d = {.precision = precision,
                              .form = triangle ? CLSP_BEZIER_TRIANGLE : CLSP_BEZIER_SURFACE,
                              .degree_u = 2,
                              .degree_v = 2,
                              .num_u = 7,
                              .num_v = 5,
                              .attributes = P | T};
        if (!triangle && k >= 2) d.interval_u[0] = 1.0;
        if (!triangle && k >= 4) d.interval_v[0] = 1.0;
        own_job j = start(ctx, &d, tiny() ? 5 : COUNT(sizes), own ? sizes[0] : NULL);
        size_t num;
        assert_int_equal(eval_host(j.plan, &j.l, 0, j.num_patches, j.vertices), CLSP_OK);
        uint32_t *const three = indices_of(&j, CLSP_BEZIER_TRIANGLES, &num);
        check_faces(&j, three, num, 3, triangle ? 1.0 : 2.0);
        check_device(ctx, &j, CLSP_BEZIER_TRIANGLES, three, num);
        free(three);
        if (!triangle) {
            uint32_t *const four = indices_of(&j, CLSP_BEZIER_QUADS, &num);
            check_faces(&j, four, num, 4, 2.0);
            check_device(ctx, &j, CLSP_BEZIER_QUADS, four, num);
            free(four);
        } else {
            assert_int_equal(clsp_bezier_num_indices(j.plan, CLSP_BEZIER_QUADS, 0, 1, &num),
                             CLSP_ERROR_ARGUMENT);
        }
        assert_int_equal(clsp_bezier_num_indices(j.plan, (clsp_bezier_faces)5, 0, 1, &num),
                         CLSP_ERROR_ARGUMENT);
        assert_int_equal(clsp_bezier_num_indices(j.plan, CLSP_BEZIER_TRIANGLES, 0, 1, NULL),
                         CLSP_ERROR_ARGUMENT);
        assert_int_equal(clsp_bezier_indices_u32(j.plan, CLSP_BEZIER_TRIANGLES, 0, 1, NULL),
                         CLSP_ERROR_ARGUMENT);
        assert_int_equal(
            clsp_bezier_indices(j.plan, CLSP_BEZIER_TRIANGLES, 0, 1, NULL, 0, 0, NULL, NULL),
            CLSP_ERROR_ARGUMENT);
        finish(&j);
    }
}

static void test_faces(void **state)
{
    (void)state;
    with_limits(faces);
}

/* More vertices than 32 bits count: nothing is evaluated, so it costs nothing. */
static void test_too_many_vertices(void **state)
{
    const clsp_bezier_desc d = {
        .form = CLSP_BEZIER_TRIANGLE, .degree_u = 1, .num_u = 92682}; /* 4295023903 of them */
    clsp_context *ctx = context_with("");
    clsp_bezier_plan *plan;
    uint32_t out[3];
    size_t num;

    (void)state;
    if (sizeof(size_t) < 8) skip();
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_bezier_num_indices(plan, CLSP_BEZIER_TRIANGLES, 0, 1, &num), CLSP_OK);
    assert_true(num == (size_t)92681 * 92681 * 3);
    assert_int_equal(clsp_bezier_indices_u32(plan, CLSP_BEZIER_TRIANGLES, 0, 1, out),
                     CLSP_ERROR_ARGUMENT);
    clsp_bezier_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_grids),
        cmocka_unit_test(test_triangle_grids),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_other_degrees),
        cmocka_unit_test(test_faces),
        cmocka_unit_test(test_too_many_vertices),
    };

    if (no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
