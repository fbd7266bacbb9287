/* Vertices in each type that a precision may be stored in, by every call that makes them: against
   the oracle, and the same bits by all calls on one grid. */
#include "support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tile_fixture.h"
#include "shared_fixture.h"

enum { BOUND_31 = 8, PATCHES = 2, NUM_U = 40, NUM_V = 5 };

static double worst;

/* ---- a job ---- */

typedef struct types_job {
    clsp_context *ctx;
    layout l;
    double *controls;
    clsp_patch_plan *plan;
    unsigned char *whole; /* all patches, by clsp_patch_eval into host memory */
    size_t num;           /* vertices of them */
    size_t size;          /* elements */
} types_job;

static types_job start(clsp_context *ctx, clsp_type precision, clsp_vertex_layout vertex)
{
    const clsp_bezier_desc d = {
        .precision = precision,
        .degree = {3, 2},
        .axis = {{.num = NUM_U}, {.num = NUM_V, .begin = 0.75, .end = 0.125}},
        .rational = 1,
        .vertex = vertex};
    types_job j = {.ctx = ctx, .l = layout_of(&d), .num = (size_t)PATCHES * NUM_U * NUM_V};

    j.size = j.num * j.l.stride;
    j.controls = random_controls(&j.l, PATCHES);
    j.plan = plan_with(ctx, &j.l, j.controls, PATCHES);
    j.whole = guarded(&j.l, j.num);
    assert_int_equal(eval_host(j.plan, &j.l, 0, PATCHES, j.whole), CLSP_OK);
    return j;
}

static void finish(types_job *j)
{
    free_guarded(&j->l, j->num, j->whole);
    clsp_patch_plan_destroy(&j->plan);
    free(j->controls);
}

static void check_vertex(const types_job *j, size_t patch, const long double t[3],
                         const unsigned char *vertices, size_t k, const char *call)
{
    const double error =
        vertex_error(&j->l, j->controls + patch * j->l.controls, t, vertices, k, BOUND_31);

    if (error > worst) worst = error;
    if (!(error <= 1.0))
        fail_msg("%s, precision %d, type %d, vertex %zu: %.2f of the bound", call,
                 (int)j->l.d.precision, (int)j->l.type, k, error);
}

/* Vertices of a patch on a grid of num[0] x num[1], from vertex k on. */
static void check_grid(const types_job *j, size_t patch, const uint32_t num[2],
                       const unsigned char *vertices, size_t k, const char *call)
{
    const clsp_axis *const axis = j->l.d.axis;

    for (uint32_t a = 0; a < num[0]; a++) {
        for (uint32_t b = 0; b < num[1]; b++, k++) {
            const long double t[3] = {axis_parameter(&axis[0], a, num[0]),
                                      axis_parameter(&axis[1], b, num[1])};
            check_vertex(j, patch, t, vertices, k, call);
        }
    }
}

/* ---- the calls ---- */

static void check_eval(const types_job *j)
{
    static const uint32_t num[2] = {NUM_U, NUM_V};

    for (size_t p = 0; p < PATCHES; p++)
        check_grid(j, p, num, j->whole, p * NUM_U * NUM_V, "eval");
}

/* From an element on, a range and tiles, into a buffer that holds nothing else. */
static void check_buffers(const types_job *j)
{
    enum { OFFSET = 7 };
    const size_t patch = j->size / PATCHES, bytes = j->size * j->l.element;
    const size_t all = bytes + (OFFSET + 1) * j->l.element;
    unsigned char *const contents = malloc(all);

    assert_non_null(contents);
    memset(contents, POISON, all);
    cl_mem buffer = buffer_of(j->ctx, all, contents);
    assert_int_equal(clsp_patch_eval(j->plan, (clsp_range){0, 1},
                                     clsp_out_buffer(buffer, j->l.type, OFFSET), NULL),
                     CLSP_OK);
    const clsp_output out = clsp_out_buffer(buffer, CLSP_TYPE_DEFAULT, OFFSET + patch);
    assert_int_equal(eval_tiles(j->plan, (clsp_range){1, 1}, (clsp_range){0, 0},
                                CLSP_SCHEDULE_DEVICE, out, NULL),
                     CLSP_OK);
    read_buffer(j->ctx, buffer, all, contents);
    assert_poison(contents, OFFSET * j->l.element);
    assert_memory_equal(contents + OFFSET * j->l.element, j->whole, bytes);
    assert_poison(contents + all - j->l.element, j->l.element);
    clReleaseMemObject(buffer);
    free(contents);
}

static void check_cooperation(const types_job *j)
{
    const clsp_share opts = {.schedule = CLSP_SCHEDULE_DEVICE};
    unsigned char *const vertices = guarded(&j->l, j->num);

    assert_int_equal(shared_eval(j->plan, &j->l, 0, PATCHES, vertices, &opts, NULL), CLSP_OK);
    assert_memory_equal(vertices, j->whole, j->size * j->l.element);
    free_guarded(&j->l, j->num, vertices);
}

/* The host's cores may leave types other than the precision to devices. */
static void check_by_caller(const types_job *j)
{
    static const uint32_t num[2] = {NUM_U, NUM_V};
    const size_t size = (size_t)NUM_U * NUM_V * j->l.stride;
    unsigned char *const vertices = guarded(&j->l, (size_t)NUM_U * NUM_V);
    const clsp_status status =
        eval_by_caller(j->plan, (clsp_range){1, 1}, host_out(j->l.type, vertices, size));

    assert_true(status == CLSP_OK ||
                (status == CLSP_ERROR_ARGUMENT && j->l.type != j->l.d.precision));
    if (status == CLSP_OK)
        check_grid(j, 1, num, vertices, 0, "by the caller");
    else
        assert_poison(vertices, size * j->l.element);
    free_guarded(&j->l, (size_t)NUM_U * NUM_V, vertices);
}

/* At the ends, between them and at random, into host memory and a buffer. */
static void check_points(const types_job *j)
{
    enum { NUM = 29 };
    const size_t bytes = NUM * j->l.stride * j->l.element;
    unsigned char *const vertices = guarded(&j->l, NUM), *const again = guarded(&j->l, NUM);
    uint32_t patches[NUM];
    double wide[2 * NUM];
    float narrow[2 * NUM];

    for (uint32_t k = 0; k < NUM; k++)
        patches[k] = k * 5 % PATCHES;
    for (size_t i = 0; i < 2 * (size_t)NUM; i++) {
        narrow[i] = i < 12 ? (float)(i % 3) / 2 : (float)(0.5 + 0.5 * random_real());
        wide[i] = (double)narrow[i];
    }
    const clsp_input params =
        j->l.d.precision == CLSP_F64 ? clsp_in_f64(wide, 2 * NUM) : clsp_in_f32(narrow, 2 * NUM);
    const clsp_share by_device = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = {0, 1}};
    const clsp_run runs[2] = {{.num_wait = 0}, {.share = &by_device}};
    for (int way = 0; way < 2; way++) {
        assert_int_equal(
            clsp_patch_eval_points(
                j->plan,
                &(clsp_points){.num = NUM, .item = clsp_in_u32(patches, NUM), .params = params},
                host_out(j->l.type, vertices, NUM * j->l.stride), &runs[way]),
            CLSP_OK);
        for (size_t k = 0; k < NUM; k++) {
            const long double t[3] = {(long double)wide[2 * k], (long double)wide[2 * k + 1]};
            check_vertex(j, patches[k], t, vertices, k, "eval_points");
        }
    }
    cl_mem buffer = buffer_of(j->ctx, bytes, again);
    assert_int_equal(
        clsp_patch_eval_points(
            j->plan,
            &(clsp_points){.num = NUM, .item = clsp_in_u32(patches, NUM), .params = params},
            clsp_out_buffer(buffer, j->l.type, 0), NULL),
        CLSP_OK);
    read_buffer(j->ctx, buffer, bytes, again);
    assert_memory_equal(again, vertices, bytes);
    clReleaseMemObject(buffer);
    free_guarded(&j->l, NUM, vertices);
    free_guarded(&j->l, NUM, again);
}

/* Patch grids, also by the call for several processors. */
static void check_patch_grids(const types_job *j)
{
    static const uint32_t nums[PATCHES][2] = {{7, 5}, {1, 33}};
    const size_t num = 7 * 5 + 33;
    unsigned char *const vertices = guarded(&j->l, num), *const again = guarded(&j->l, num);

    assert_int_equal(
        clsp_patch_set_grids(j->plan, NULL, PATCHES, clsp_in_u32(nums[0], 2 * PATCHES)), CLSP_OK);
    assert_int_equal(eval_host(j->plan, &j->l, 0, PATCHES, vertices), CLSP_OK);
    check_grid(j, 0, nums[0], vertices, 0, "patch grids");
    check_grid(j, 1, nums[1], vertices, 7 * 5, "patch grids");
    assert_int_equal(shared_eval(j->plan, &j->l, 0, PATCHES, again, NULL, NULL), CLSP_OK);
    assert_memory_equal(again, vertices, num * j->l.stride * j->l.element);
    free_guarded(&j->l, num, vertices);
    free_guarded(&j->l, num, again);
}

/* ---- all pairs ---- */

/* Points and weights in each type; in a thin run derivatives in the next narrower one alone. */
static void check_type(clsp_context *ctx, clsp_type precision, clsp_type type)
{
    const clsp_type narrower = precision == CLSP_F64 ? CLSP_F32 : CLSP_F16;
    const clsp_vertex_layout layouts[] = {
        {.attributes = P | W, .type = type, .stride = 6, .offset = {2, 1}},
        {.attributes = P | DU | N | T, .type = type}};

    for (size_t i = 0; i < (is_thin() && type != narrower ? 1 : COUNT(layouts)); i++) {
        types_job j = start(ctx, precision, layouts[i]);
        assert_int_equal(j.l.type, type != CLSP_TYPE_DEFAULT ? type : precision);
        check_eval(&j);
        check_buffers(&j);
        check_cooperation(&j);
        if (i == 0) check_by_caller(&j);
        check_points(&j);
        check_patch_grids(&j);
        finish(&j);
    }
}

static void types(clsp_context *ctx, clsp_type precision)
{
    static const clsp_type all[] = {CLSP_TYPE_DEFAULT, CLSP_F16, CLSP_F32, CLSP_F64};

    for (size_t i = 0; i < COUNT(all); i++)
        if ((all[i] != CLSP_F64 || precision == CLSP_F64) && program_in_turn(i))
            check_type(ctx, precision, all[i]);
}

static void test_types(void **state)
{
    (void)state;
    with_limits(types);
    print_message("worst/bound %.2f\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
