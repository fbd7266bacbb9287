/* Patch grids, grids of triangles, and the faces of all grids: vertices against the oracle, splits,
 * states; faces valid, turned the right way, watertight, the same from host and device. */
#include "support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_fixture.h"
#include "vertex_fixture.h"

/* As of vertices at parameters: test_eval_points.c. */
enum { BOUND_31 = 8 };

static double worst;

/* ---- a job ---- */

typedef struct grids_job {
    layout l;
    size_t num_patches, num; /* vertices of all patches */
    uint32_t *nums;          /* [num_patches][3]; NULL: the common grid */
    double *controls;
    clsp_patch_plan *plan;
    unsigned char *vertices;
} grids_job;

/* The samples of a patch in each direction: 1 where the form has none. */
static void patch_nums(const grids_job *j, size_t p, uint32_t nums[3])
{
    const size_t directions = j->l.d.form == CLSP_BEZIER_TRIANGLE ? 1 : j->l.directions;

    for (size_t k = 0; k < 3; k++)
        nums[k] = k >= directions ? 1 : j->nums ? j->nums[3 * p + k] : j->l.d.axis[k].num;
}

static size_t grid_vertices(const grids_job *j, size_t p)
{
    uint32_t nums[3];

    patch_nums(j, p, nums);
    const size_t n = nums[0];
    return j->l.d.form == CLSP_BEZIER_TRIANGLE ? n * (n + 1) / 2 : n * nums[1] * nums[2];
}

/* The numbers of j->nums, as many of each three as the form has directions. */
static void set_patch_grids(const grids_job *j)
{
    const size_t directions = j->l.d.form == CLSP_BEZIER_TRIANGLE ? 1 : j->l.directions;
    uint32_t *const nums = malloc(directions * j->num_patches * sizeof *nums);

    assert_non_null(nums);
    for (size_t i = 0; i < directions * j->num_patches; i++)
        nums[i] = j->nums[i / directions * 3 + i % directions];
    assert_int_equal(clsp_patch_set_grids(j->plan, NULL, j->num_patches,
                                          clsp_in_u32(nums, directions * j->num_patches)),
                     CLSP_OK);
    free(nums);
}

static size_t count_vertices(const clsp_patch_plan *plan, size_t first, size_t count)
{
    clsp_mesh_size size;

    assert_int_equal(clsp_patch_mesh_size(plan, (clsp_range){first, count}, &size), CLSP_OK);
    return size.vertices;
}

static grids_job start(clsp_context *ctx, const clsp_bezier_desc *d, size_t num_patches,
                       const uint32_t *nums)
{
    grids_job j = {.l = layout_of(d), .num_patches = num_patches};

    j.controls = random_controls(&j.l, num_patches);
    j.plan = plan_with(ctx, &j.l, j.controls, num_patches);
    if (nums) {
        j.nums = malloc(3 * num_patches * sizeof *nums);
        assert_non_null(j.nums);
        memcpy(j.nums, nums, 3 * num_patches * sizeof *nums);
        set_patch_grids(&j);
    }
    for (size_t p = 0; p < num_patches; p++)
        j.num += grid_vertices(&j, p);
    assert_int_equal(count_vertices(j.plan, 0, num_patches), j.num);
    j.vertices = guarded(&j.l, j.num);
    return j;
}

static void finish(grids_job *j)
{
    free_guarded(&j->l, j->num, j->vertices);
    clsp_patch_plan_destroy(&j->plan);
    free(j->controls);
    free(j->nums);
}

/* Compares a vertex with the oracle. at: its sample in each direction. */
static void check_vertex(const grids_job *j, size_t p, const uint32_t nums[3], const uint32_t at[3],
                         size_t vertex)
{
    const clsp_bezier_desc *const d = &j->l.d;
    const bool triangle = d->form == CLSP_BEZIER_TRIANGLE;
    const long double t[3] = {axis_parameter(&d->axis[0], at[0], nums[0]),
                              axis_parameter(&d->axis[1], at[1], triangle ? nums[0] : nums[1]),
                              axis_parameter(&d->axis[2], at[2], nums[2])};
    const double error =
        vertex_error(&j->l, j->controls + p * j->l.controls, t, j->vertices, vertex, BOUND_31);

    if (error > worst) worst = error;
    if (!(error <= 1.0))
        fail_msg("form %d, degrees %u %u, patch %zu, sample %u %u %u of %u %u %u: %.2f of the "
                 "bound",
                 (int)d->form, d->degree[0], d->degree[1], p, at[0], at[1], at[2], nums[0], nums[1],
                 nums[2], error);
}

/* vertex: the patch's first. */
static void check_patch(const grids_job *j, size_t p, size_t vertex)
{
    uint32_t nums[3], at[3];

    patch_nums(j, p, nums);
    for (at[0] = 0; at[0] < nums[0]; at[0]++) {
        const bool triangle = j->l.d.form == CLSP_BEZIER_TRIANGLE;
        const uint32_t row = triangle ? nums[0] - at[0] : nums[1];
        for (at[1] = 0; at[1] < row; at[1]++)
            for (at[2] = 0; at[2] < nums[2]; at[2]++)
                check_vertex(j, p, nums, at, vertex++);
    }
}

static void check(const grids_job *j)
{
    size_t vertex = 0;

    for (size_t p = 0; p < j->num_patches; p++) {
        check_patch(j, p, vertex);
        vertex += grid_vertices(j, p);
    }
}

static void run(clsp_context *ctx, const clsp_bezier_desc *d, size_t num_patches,
                const uint32_t *nums)
{
    grids_job j = start(ctx, d, num_patches, nums);

    assert_int_equal(eval_host(j.plan, &j.l, 0, num_patches, j.vertices), CLSP_OK);
    check(&j);
    if (!nums && d->form == CLSP_BEZIER_TRIANGLE) {
        memset(j.vertices, 0xff, j.num * j.l.stride * j.l.element);
        assert_int_equal(eval_on_host(j.plan, &j.l, 0, num_patches, j.vertices), CLSP_OK);
        check(&j);
    }
    finish(&j);
}

/* ---- patch grids ---- */

static const uint32_t sizes[][3] = {{1, 1, 1}, {5, 3, 2},   {1, 9, 4}, {8, 1, 3},
                                    {2, 2, 5}, {17, 12, 1}, {3, 31, 2}};

static void patch_grids(clsp_context *ctx, clsp_type precision)
{
    static const clsp_bezier_form forms[] = {CLSP_BEZIER_SURFACE, CLSP_BEZIER_CURVE,
                                             CLSP_BEZIER_TRIANGLE, CLSP_BEZIER_VOLUME};
    static const unsigned more[] = {N, DUU, N, DW};

    for (size_t i = 0; i < COUNT(forms); i++) {
        for (uint32_t k = 0; k < 4; k++) {
            if (!in_turn(i + 2 * k)) continue;
            clsp_bezier_desc d = {.precision = precision,
                                  .form = forms[i],
                                  .degree = {3, 2, 1},
                                  .rational = k % 2,
                                  .watertight = k == 3 && forms[i] == CLSP_BEZIER_SURFACE,
                                  .vertex.attributes = P | T};
            if (k == 1) d.vertex.attributes |= more[i];
            if (k == 2 && forms[i] != CLSP_BEZIER_TRIANGLE) {
                d.axis[0] = (clsp_axis){.begin = 0.75, .end = 0.25};
                if (forms[i] == CLSP_BEZIER_VOLUME) d.axis[2] = (clsp_axis){.end = 0.5};
            }
            run(ctx, &d, tiny() ? 5 : COUNT(sizes), sizes[0]);
        }
    }
}

static void test_patch_grids(void **state)
{
    (void)state;
    with_limits(patch_grids);
    print_message("worst/bound %.2f\n", worst);
}

static void triangle_grids(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t nums[] = {1, 2, 3, 16, 41};

    for (size_t i = 0; i < COUNT(nums); i++) {
        for (uint32_t degree = 0; degree < 6; degree++) {
            const clsp_bezier_desc d = {.precision = precision,
                                        .form = CLSP_BEZIER_TRIANGLE,
                                        .degree = {degree},
                                        .axis = {{.num = nums[i]}},
                                        .rational = degree % 2,
                                        .vertex.attributes = i % 2 ? P | N | T : P | DU | DVV};
            if (tiny() && (i > 2 || degree > 2)) continue;
            /* kernels differ by attributes and weights: in a thin run two of four in each precision
             */
            if (is_thin() && (i + degree + (precision == CLSP_F64)) % 2 != 0) continue;
            if (in_turn(i + degree / 2)) run(ctx, &d, 3, NULL);
        }
    }
}

/* Triangles that rows are made of, and not, by their degree, coordinates and vertices. */
static void triangle_rows(clsp_context *ctx, clsp_type precision)
{
    static const struct {
        uint32_t degree, dim, rational, num, attributes;
    } cases[] = {{3, 3, 1, 20, P},
                 {15, 3, 0, 33, P},
                 {15, 4, 1, 19, P | CLSP_VERTEX_WEIGHT},
                 {16, 3, 0, 9, P},
                 {12, 2, 0, 21, P | T},
                 {4, 1, 0, 70, P | DU},
                 {3, 3, 0, 35, P | N | CLSP_VERTEX_DUU | CLSP_VERTEX_DUV | DVV},
                 {1, 3, 0, 12, P | DU | DVV}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .form = CLSP_BEZIER_TRIANGLE,
                                    .degree = {cases[i].degree},
                                    .dim = cases[i].dim,
                                    .axis = {{.num = cases[i].num}},
                                    .rational = cases[i].rational,
                                    .vertex.attributes = cases[i].attributes};
        if (!tiny() && in_turn((uint32_t)i)) run(ctx, &d, 3, NULL);
    }
}

static void test_triangle_grids(void **state)
{
    (void)state;
    with_limits(triangle_grids);
    with_limits(triangle_rows);
    print_message("worst/bound %.2f\n", worst);
}

enum { MANY = 61, FEW = 29 };

/* Random numbers for all patches; those of one are more than the small buffer holds. */
static void random_nums(clsp_bezier_form form, size_t patches, uint32_t nums[3 * MANY])
{
    const bool volume = form == CLSP_BEZIER_VOLUME;

    seed(9);
    for (size_t k = 0; k < 3 * patches; k++)
        nums[k] = 1 + (uint32_t)((tiny() ? 3.0 : volume ? 4.0 : 10.0) * (1.0 + random_real()));
    nums[21] = tiny() ? 20 : 91;
    nums[22] = volume ? 7 : nums[21];
    nums[23] = 6;
}

/* A range is the same bits as its part of all patches, in host memory and in a buffer. */
static void check_range(clsp_context *ctx, const grids_job *j, clsp_range patches)
{
    enum { OFFSET = 5 };
    const size_t element = j->l.element, vertex = j->l.stride * element;
    const size_t before = count_vertices(j->plan, 0, patches.first) * vertex;
    const size_t middle = count_vertices(j->plan, patches.first, patches.count);
    const size_t bytes = OFFSET * element + middle * vertex + GUARD;
    unsigned char *const part = guarded(&j->l, middle), *const all = malloc(bytes);

    assert_int_equal(eval_host(j->plan, &j->l, patches.first, patches.count, part), CLSP_OK);
    assert_memory_equal(part, j->vertices + before, middle * vertex);
    free_guarded(&j->l, middle, part);
    assert_non_null(all);
    memset(all, POISON, bytes);
    const cl_mem buffer = buffer_of(ctx, bytes, all);
    assert_int_equal(
        clsp_patch_eval(j->plan, patches, clsp_out_buffer(buffer, j->l.type, OFFSET), NULL),
        CLSP_OK);
    read_buffer(ctx, buffer, bytes, all);
    assert_memory_equal(all + OFFSET * element, j->vertices + before, middle * vertex);
    for (size_t i = 0; i < bytes; i++)
        if (i < OFFSET * element || i >= bytes - GUARD) assert_int_equal(all[i], POISON);
    clReleaseMemObject(buffer);
    free(all);
}

/* Many patches on the grids that nums says, or on the common one; a small largest buffer and ranges
   give the same bits. */
static void check_splits(clsp_context *contexts[2], const clsp_bezier_desc *d, const uint32_t *nums)
{
    const size_t patches = tiny() ? FEW : MANY;
    grids_job j[2];

    for (int k = 0; k < 2; k++) {
        seed(10);
        j[k] = start(contexts[k], d, patches, nums);
        assert_int_equal(eval_host(j[k].plan, &j[k].l, 0, patches, j[k].vertices), CLSP_OK);
    }
    assert_memory_equal(j[0].vertices, j[1].vertices, j[0].num * j[0].l.stride * j[0].l.element);
    if (!tiny()) check(&j[0]);
    check_range(contexts[0], &j[0], (clsp_range){7, 20});
    check_range(contexts[0], &j[0], (clsp_range){patches - 1, 1});
    check_range(contexts[0], &j[0], (clsp_range){0, patches});
    finish(&j[0]);
    finish(&j[1]);
}

static void test_splits(void **state)
{
    static const clsp_bezier_form forms[] = {CLSP_BEZIER_SURFACE, CLSP_BEZIER_TRIANGLE,
                                             CLSP_BEZIER_VOLUME};
    clsp_context *contexts[] = {context_with(""), context_with("alloc=8192")};
    uint32_t nums[3 * MANY];

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        const bool volume = forms[i] == CLSP_BEZIER_VOLUME;
        /* control points, and a patch of a volume, fit the small buffer */
        const uint32_t degree = volume ? 1 : 2, common = volume || tiny() ? 6 : 20;
        const clsp_bezier_desc d = {.form = forms[i],
                                    .degree = {degree, degree, degree},
                                    .axis = {{.num = common}, {.num = common}, {.num = common}},
                                    .vertex.attributes = volume ? P | DW : P | N,
                                    .watertight = forms[i] == CLSP_BEZIER_SURFACE};
        random_nums(forms[i], tiny() ? FEW : MANY, nums);
        check_splits(contexts, &d, nums);
        if (forms[i] == CLSP_BEZIER_TRIANGLE) /* the grids of others have tests */
            check_splits(contexts, &d, NULL);
    }
    clsp_context_destroy(&contexts[0]);
    clsp_context_destroy(&contexts[1]);
}

/* Volumes have vertices alone: no faces on any grid. Shared calls make their grids as others do. */
static void test_volumes(void **state)
{
    const clsp_bezier_desc d = {
        .form = CLSP_BEZIER_VOLUME, .degree = {2, 3, 1}, .vertex.attributes = P | T};
    clsp_context *ctx = context_with("");
    grids_job j = start(ctx, &d, COUNT(sizes), sizes[0]);
    const clsp_range all = {0, COUNT(sizes)};
    unsigned char *const shared = guarded(&j.l, j.num);
    const size_t elements = j.num * j.l.stride;
    clsp_mesh_size size;
    uint32_t index = 77;

    (void)state;
    assert_int_equal(eval_host(j.plan, &j.l, 0, COUNT(sizes), j.vertices), CLSP_OK);
    check(&j);
    assert_int_equal(clsp_patch_eval(j.plan, all, host_out(CLSP_F32, shared, elements),
                                     &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
                     CLSP_OK);
    assert_memory_equal(shared, j.vertices, elements * j.l.element);
    free_guarded(&j.l, j.num, shared);
    assert_int_equal(clsp_patch_mesh_size(j.plan, all, &size), CLSP_OK);
    assert_true(size.vertices == j.num && size.triangles == 0 && size.quads == 0);
    assert_int_equal(
        clsp_patch_indices(j.plan, CLSP_FACES_TRIANGLES, all, clsp_out_u32(&index, 1), NULL),
        CLSP_ERROR_ARGUMENT);
    assert_int_equal(index, 77);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* Three numbers a patch are asked of a volume, each in its range. */
static void test_wrong_volumes(void **state)
{
    static const uint32_t nums[] = {2, 3, 4, 1, 2, 1}, none[] = {2, 3, 0},
                          beyond[] = {1, 1, 1u << 29};
    static const uint32_t huge[] = {1u << 28, 1u << 28, 1u << 28};
    const clsp_bezier_desc d = {.form = CLSP_BEZIER_VOLUME, .degree = {1, 1, 1}};
    clsp_context *ctx = context_with("");
    clsp_patch_plan *plan;

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 2, clsp_in_u32(nums, 6)), CLSP_OK);
    assert_int_equal(count_vertices(plan, 0, 2), 26);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 2, clsp_in_u32(nums, 5)),
                     CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(none, 3)),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(beyond, 3)),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(count_vertices(plan, 0, 2), 26); /* still as it was */
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(huge, 3)),
                     CLSP_ERROR_NO_MEMORY);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* ---- states ---- */

static clsp_status eval_range(clsp_patch_plan *plan, size_t first, size_t count)
{
    float out[30];

    return clsp_patch_eval(plan, (clsp_range){first, count}, clsp_out_f32(out, 30), NULL);
}

static clsp_status set_grids(clsp_patch_plan *plan, size_t num_patches, const uint32_t *nums)
{
    return clsp_patch_set_grids(plan, NULL, num_patches, clsp_in_u32(nums, 2 * num_patches));
}

static const uint32_t two_grids[] = {3, 2, 1, 4};

/* Of a plan with these grids and as many patches. */
static void check_wrong_grids(clsp_patch_plan *plan)
{
    static const uint32_t none[] = {3, 0, 1, 4}, beyond[] = {1, 1u << 29};
    static const size_t huge[] = {SIZE_MAX / 2, SIZE_MAX / 4, SIZE_MAX / 16 + 1};
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    clsp_mesh_size size = {77, 77, 77, {77, 77}};

    assert_int_equal(set_grids(NULL, 2, two_grids), bad);
    assert_int_equal(set_grids(plan, 2, none), bad);
    assert_int_equal(set_grids(plan, 1, beyond), bad);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 2, clsp_in_u32(two_grids, 3)),
                     CLSP_ERROR_BUFFER_SIZE);
    for (size_t i = 0; i < COUNT(huge); i++) /* before a number is read */
        assert_int_equal(
            clsp_patch_set_grids(plan, NULL, huge[i], clsp_in_u32(two_grids, SIZE_MAX)),
            CLSP_ERROR_NO_MEMORY);
    assert_int_equal(clsp_patch_set_grids(plan, NULL, 2, clsp_in_f32((const float *)none, 4)), bad);
    assert_int_equal(clsp_patch_mesh_size(plan, (clsp_range){1, 2}, &size), bad);
    assert_int_equal(clsp_patch_mesh_size(plan, (clsp_range){0, 1}, NULL), bad);
    assert_int_equal(clsp_patch_mesh_size(NULL, (clsp_range){0, 1}, &size), bad);
    assert_int_equal(size.vertices, 77);
    assert_int_equal(count_vertices(plan, 0, 2), 10); /* still as it was */
}

/* Other axes and numbers of samples by one call: as by two, and neither where one is wrong. */
static void check_both(clsp_patch_plan *plan)
{
    static const double params[] = {0.25, 0.5};
    const clsp_axis half[2] = {{.end = 0.5}, {.end = 0.5}}, none[2] = {{.num = 2}, {.num = 0}};
    const clsp_axis own[2] = {{.num = 2}, {.num = 2, .params = params}};
    const uint32_t wrong[] = {3, 2, 1, 0};
    const clsp_input nums = clsp_in_u32(two_grids, 4);
    const clsp_range two = {0, 2};
    float before[30], one[30], both[30];

    assert_int_equal(clsp_patch_eval(plan, two, clsp_out_f32(before, 30), NULL), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(plan, half, 2, clsp_in_u32(wrong, 4)),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_set_grids(plan, none, 2, nums), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_set_grids(plan, own, 2, nums), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_eval(plan, two, clsp_out_f32(both, 30), NULL), CLSP_OK);
    assert_memory_equal(before, both, sizeof both);
    assert_int_equal(clsp_patch_set_grids(plan, half, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(set_grids(plan, 2, two_grids), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, two, clsp_out_f32(one, 30), NULL), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(plan, own, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(set_grids(plan, 2, two_grids), CLSP_ERROR_ARGUMENT); /* the axes' own */
    assert_int_equal(clsp_patch_set_grids(plan, half, 2, nums), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, two, clsp_out_f32(both, 30), NULL), CLSP_OK);
    assert_memory_equal(one, both, sizeof both);
    assert_true(memcmp(one, before, sizeof one) != 0);
}

static void check_states(clsp_patch_plan *plan, const layout *l, const double *controls)
{
    static const clsp_axis axis[2] = {{.num = 2}, {.num = 2}};
    clsp_mesh_size size;

    assert_int_equal(clsp_patch_mesh_size(plan, (clsp_range){0, 1}, &size), CLSP_ERROR_STATE);
    assert_int_equal(set_grids(plan, 2, two_grids), CLSP_OK);
    assert_int_equal(eval_range(plan, 0, 2), CLSP_ERROR_STATE);
    assert_int_equal(load_controls(plan, l, controls, 3), CLSP_OK);
    assert_int_equal(eval_range(plan, 0, 2), CLSP_ERROR_STATE);
    assert_int_equal(load_controls(plan, l, controls, 2), CLSP_OK);
    assert_int_equal(eval_range(plan, 0, 2), CLSP_OK);
    assert_int_equal(eval_range(plan, 1, 2), CLSP_ERROR_ARGUMENT);
    assert_int_equal(eval_range(plan, 2, 0), CLSP_OK);
    assert_int_equal(count_vertices(plan, 1, 1), 4);
    check_wrong_grids(plan);
    check_both(plan);

    assert_int_equal(set_grids(plan, 0, NULL), CLSP_OK);
    assert_int_equal(eval_range(plan, 0, 2), CLSP_ERROR_STATE);
    assert_int_equal(set_grids(plan, 2, two_grids), CLSP_OK);
    assert_int_equal(clsp_patch_set_grids(plan, axis, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(count_vertices(plan, 0, 2), 8);
    assert_int_equal(eval_range(plan, 0, 2), CLSP_OK);
    assert_int_equal(clsp_patch_mesh_size(plan, (clsp_range){0, SIZE_MAX / 4}, &size),
                     CLSP_ERROR_NO_MEMORY);
    assert_int_equal(set_grids(plan, 2, two_grids), CLSP_OK);
    assert_int_equal(set_grids(plan, 0, two_grids), CLSP_OK); /* the common grid again */
    assert_int_equal(count_vertices(plan, 0, 2), 8);
    assert_int_equal(load_controls(plan, l, controls, 0), CLSP_OK);
    assert_int_equal(eval_range(plan, 0, 0), CLSP_OK);
}

static void test_states(void **state)
{
    const clsp_bezier_desc d = {.degree = {1, 1}};
    const layout l = layout_of(&d);
    clsp_context *ctx = context_with("");
    clsp_patch_plan *plan, *volume;
    clsp_mesh_size size;
    uint32_t index = 77;

    (void)state;
    double *const controls = random_controls(&l, 3);
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    check_states(plan, &l, controls);
    clsp_patch_plan_destroy(&plan);

    const clsp_bezier_desc v = {.form = CLSP_BEZIER_VOLUME,
                                .axis = {{.num = 2}, {.num = 2}, {.num = 2}}};
    assert_int_equal(clsp_bezier_plan_create(&volume, ctx, &v), CLSP_OK);
    assert_int_equal(clsp_patch_mesh_size(volume, (clsp_range){3, 5}, &size), CLSP_OK);
    assert_true(size.vertices == 40 && size.triangles == 0 && size.quads == 0);
    assert_int_equal(clsp_patch_indices(volume, CLSP_FACES_QUADS, (clsp_range){0, 1},
                                        clsp_out_u32(&index, 1), NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(index, 77);
    clsp_patch_plan_destroy(&volume);
    free(controls);
    clsp_context_destroy(&ctx);
}

/* A plan keeps its patch grids when degrees change. */
static void test_other_degrees(void **state)
{
    const clsp_bezier_desc d = {.degree = {1, 1}, .vertex.attributes = P | N};
    clsp_context *ctx = context_with("");
    grids_job j = start(ctx, &d, 3, sizes[1]);

    (void)state;
    assert_int_equal(eval_host(j.plan, &j.l, 0, 3, j.vertices), CLSP_OK);
    check(&j);
    clsp_bezier_desc other = d;
    other.degree[0] = 4;
    other.degree[1] = 2;
    assert_int_equal(clsp_bezier_set_degrees(j.plan, other.degree), CLSP_OK);
    assert_int_equal(eval_host(j.plan, &j.l, 0, 3, j.vertices), CLSP_ERROR_STATE);
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

/* Indices of a range of patches. */
static size_t count_indices(const grids_job *j, clsp_faces faces, clsp_range patches)
{
    clsp_mesh_size size;

    assert_int_equal(clsp_patch_mesh_size(j->plan, patches, &size), CLSP_OK);
    return faces == CLSP_FACES_QUADS ? 4 * size.quads : 3 * size.triangles;
}

static uint32_t *indices_of(const grids_job *j, clsp_faces faces, size_t *num)
{
    const clsp_range all = {0, j->num_patches};

    *num = count_indices(j, faces, all);
    uint32_t *const indices = malloc((*num + 1) * sizeof *indices);
    assert_non_null(indices);
    indices[*num] = 0xfefefefe;
    assert_int_equal(clsp_patch_indices(j->plan, faces, all, clsp_out_u32(indices, *num), NULL),
                     CLSP_OK);
    assert_int_equal(indices[*num], 0xfefefefe);
    return indices;
}

/* The device writes what the host does, from an offset on, and in ranges. */
static void check_device(clsp_context *ctx, const grids_job *j, clsp_faces faces,
                         const uint32_t *indices, size_t num)
{
    enum { OFFSET = 3 };
    const clsp_range all = {0, j->num_patches}, rest = {1, j->num_patches - 1};
    const size_t words = num + OFFSET + 2;
    uint32_t *const got = malloc(words * sizeof *got);

    assert_non_null(got);
    memset(got, 0xfe, words * sizeof *got);
    cl_mem buffer = buffer_of(ctx, words * sizeof *got, got);
    assert_int_equal(
        clsp_patch_indices(j->plan, faces, all, clsp_out_buffer(buffer, CLSP_U32, OFFSET), NULL),
        CLSP_OK);
    read_buffer(ctx, buffer, words * sizeof *got, got);
    assert_memory_equal(got + OFFSET, indices, num * sizeof *got);
    for (size_t i = 0; i < words; i++)
        if (i < OFFSET || i >= OFFSET + num) assert_int_equal(got[i], 0xfefefefe);

    const size_t later = count_indices(j, faces, rest), first = count_vertices(j->plan, 0, 1);
    assert_int_equal(clsp_patch_indices(j->plan, faces, rest, clsp_out_u32(got, later), NULL),
                     CLSP_OK);
    for (size_t i = 0; i < later; i++)
        assert_int_equal(got[i] + first, indices[num - later + i]);
    if (num > 0)
        assert_int_equal(clsp_patch_indices(j->plan, faces, all,
                                            clsp_out_buffer(buffer, CLSP_U32, OFFSET + 3), NULL),
                         CLSP_ERROR_BUFFER_SIZE);
    clReleaseMemObject(buffer);
    free(got);
}

/* Twice the area of a face in the plane of parameters. */
static double area(const grids_job *j, const uint32_t *face, unsigned corners)
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
static void check_faces(const grids_job *j, const uint32_t *indices, size_t num, unsigned corners,
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
        uint32_t nums[3];
        patch_nums(j, p, nums);
        wide += nums[0] > 1 && (j->l.d.form == CLSP_BEZIER_TRIANGLE || nums[1] > 1);
    }
    assert_true(fabs(sum - whole * (double)wide) <= 1e-4 * ((double)wide + 1));
}

static void check_kind(clsp_context *ctx, const grids_job *j, clsp_faces faces, double whole)
{
    size_t num;
    uint32_t *const indices = indices_of(j, faces, &num);

    check_faces(j, indices, num, faces == CLSP_FACES_QUADS ? 4 : 3, whole);
    check_device(ctx, j, faces, indices, num);
    free(indices);
}

static void check_wrong_faces(const grids_job *j)
{
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    const clsp_range first = {0, 1};
    uint32_t room[512];
    const clsp_output out = clsp_out_u32(room, 512), nowhere = {.type = CLSP_U32};

    if (j->l.d.form == CLSP_BEZIER_TRIANGLE)
        assert_int_equal(clsp_patch_indices(j->plan, CLSP_FACES_QUADS, first, out, NULL), bad);
    assert_int_equal(clsp_patch_indices(j->plan, (clsp_faces)5, first, out, NULL), bad);
    if (count_indices(j, CLSP_FACES_TRIANGLES, first) > 0)
        assert_int_equal(clsp_patch_indices(j->plan, CLSP_FACES_TRIANGLES, first, nowhere, NULL),
                         bad);
}

static void faces(clsp_context *ctx, clsp_type precision)
{
    for (int k = 0; k < 8; k++) {
        const bool triangle = k >= 6, own = k % 2;
        if (!in_turn((size_t)k)) continue;
        clsp_bezier_desc d = {.precision = precision,
                              .form = triangle ? CLSP_BEZIER_TRIANGLE : CLSP_BEZIER_SURFACE,
                              .degree = {2, 2},
                              .axis = {{.num = 7}, {.num = 5}},
                              .vertex.attributes = P | T};
        if (!triangle && k >= 2) d.axis[0].begin = 1.0;
        if (!triangle && k >= 4) d.axis[1].begin = 1.0;
        grids_job j = start(ctx, &d, tiny() ? 5 : COUNT(sizes), own ? sizes[0] : NULL);
        assert_int_equal(eval_host(j.plan, &j.l, 0, j.num_patches, j.vertices), CLSP_OK);
        check_kind(ctx, &j, CLSP_FACES_TRIANGLES, triangle ? 1.0 : 2.0);
        if (!triangle) check_kind(ctx, &j, CLSP_FACES_QUADS, 2.0);
        check_wrong_faces(&j);
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
    const clsp_bezier_desc d = {.form = CLSP_BEZIER_TRIANGLE,
                                .degree = {1},
                                .axis = {{.num = 92682}}}; /* 4295023903 of them */
    clsp_context *ctx = context_with("");
    const clsp_range first = {0, 1};
    clsp_patch_plan *plan;
    clsp_mesh_size size;
    uint32_t out[3];

    (void)state;
    if (sizeof(size_t) < 8) skip();
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_patch_mesh_size(plan, first, &size), CLSP_OK);
    assert_true(size.vertices == (size_t)92682 * 92683 / 2);
    assert_true(size.triangles == (size_t)92681 * 92681 && size.quads == 0);
    assert_int_equal(
        clsp_patch_indices(plan, CLSP_FACES_TRIANGLES, first, clsp_out_u32(out, 3), NULL),
        CLSP_ERROR_ARGUMENT);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patch_grids),
        cmocka_unit_test(test_triangle_grids),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_wrong_volumes),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_other_degrees),
        cmocka_unit_test(test_faces),
        cmocka_unit_test(test_too_many_vertices),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
