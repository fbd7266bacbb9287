/* Solids with calls that fail: the result is an error or what is right, and the plan is as good as
 * before. */
#include "fault_fixture.h"

#include "host_memory.h"

#include <clspline/solid.h>
#include <math.h>
#include <string.h>

enum {
    SOLID_VERTICES = 18,
    SOLID_CELLS = 4,
    ALL = 8 * SOLID_CELLS * 8 * 3, /* points of the cells of a refined mesh, */
    VERTEX = 9,                    /* numbers of a vertex with derivatives and a normal, */
    MORE = 8 * VERTEX,             /* of those of a cell */
    LIST = 2 * VERTEX,             /* and of a list */
    PLAIN = 6,                     /* of a list of points alone, */
    GRIDS = SOLID_CELLS * 27 * 3,  /* of all cells by lattices */
    SOLID_VALUES = ALL + MORE + LIST + 225 + PLAIN + 2 * GRIDS /* at most */
};

/* Tells whether a call without a share is the device's, as one with bit_equal is. */
static bool is_by_device(const clsp_context *ctx)
{
    return !clspi_is_own_cpu(ctx);
}

/* Makes all cells, their derivatives and normals, and two parameters by shared calls: the same
   values again where one processor makes both, else within rounding. Returns CLSP_ERROR_STATE where
   they are not. */
static clsp_status share_solid(clsp_context *ctx, clsp_solid_plan *plan, clsp_solid_plan *more,
                               const clsp_points *points, const clsp_share *share,
                               const float *values)
{
    const float within = share->bit_equal == is_by_device(ctx) ? 0.0f : 5e-5f;
    const clsp_run run = {.share = share};
    float shared[ALL + MORE + LIST];
    clsp_status status =
        clsp_solid_eval(plan, (clsp_range){0, 8 * SOLID_CELLS}, clsp_out_f32(shared, ALL), &run);

    if (status == CLSP_OK)
        status = clsp_solid_eval(more, (clsp_range){1, 1}, clsp_out_f32(shared + ALL, MORE), &run);
    if (status == CLSP_OK)
        status =
            clsp_solid_eval_points(more, points, clsp_out_f32(shared + ALL + MORE, LIST), &run);
    for (size_t i = 0; i < ALL + MORE + LIST && status == CLSP_OK; i++)
        if (!(fabsf(shared[i] - values[i]) <= within)) return CLSP_ERROR_STATE;
    return status;
}

/* Refines points into a buffer on the device, from which a plan takes them. */
static clsp_status load_refined(clsp_context *ctx, clsp_solid_plan *plan,
                                const clsp_solid_mesh *coarse, const float *control)
{
    clsp_status status;
    const cl_mem fine = clCreateBuffer(ctx->context, CL_MEM_READ_WRITE,
                                       (size_t)3 * 75 * sizeof(float), NULL, &status);

    if (!fine) return status;
    status = clsp_solid_refine_points(coarse, CLSP_SOLID_TENSOR, 3,
                                      clsp_in_f32(control, (size_t)3 * SOLID_VERTICES),
                                      clsp_out_buffer(fine, CLSP_F32, 0), NULL);
    if (status == CLSP_OK)
        status = clsp_solid_set_control_points(plan, clsp_in_buffer(fine, CLSP_F32, 0), NULL);
    clReleaseMemObject(fine);
    return status;
}

/* Four cubes around an edge with a crease. */
static const uint32_t cubes[8 * SOLID_CELLS] = {0,  1,  4,  3,  9,  10, 13, 12, 1,  2,  5,
                                                4,  10, 11, 14, 13, 3,  4,  7,  6,  12, 13,
                                                16, 15, 4,  5,  8,  7,  13, 14, 17, 16};
static const uint32_t crease[2] = {0, 9};
static const clsp_solid_cells cells = {.num_vertices = SOLID_VERTICES,
                                       .num_cells = SOLID_CELLS,
                                       .index = cubes,
                                       .num_indices = COUNT(cubes),
                                       .crease = crease,
                                       .num_creases = 1};

static void make_points(float control[3 * SOLID_VERTICES])
{
    for (size_t i = 0; i < (size_t)3 * SOLID_VERTICES; i++)
        control[i] = (float)(i * i % 23) / 4;
}

/* Refines the cubes once, and evaluates all children, derivatives and normals of one, two
   parameters, the limits of the middles, and points at the two parameters: SOLID_VALUES numbers.
   Then the same by some shared calls. */
static clsp_status call_solid(clsp_context *ctx, float *values, size_t num_shares)
{
    static const uint32_t list[2] = {0, 31};
    static const float params[6] = {0.25f, 0.5f, 1.0f, 0.0f, 0.0f, 0.0f};
    static const clsp_solid_desc desc = {.axis = {{.num = 2}, {.num = 2}, {.num = 2}}};
    static const clsp_solid_desc with_more = {
        .axis = {{.num = 2}, {.num = 2}, {.num = 2}},
        .vertex = {.attributes = CLSP_VERTEX_DU | CLSP_VERTEX_DVW | CLSP_VERTEX_NORMAL}};
    const clsp_points points = {
        .num = 2, .item = clsp_in_u32(list, 2), .params = clsp_in_f32(params, 6)};
    static const clsp_share shares[] = {
        {.schedule = CLSP_SCHEDULE_DEVICE, .bit_equal = 1},
        {.schedule = CLSP_SCHEDULE_HOST, .num_workers = CLSP_NO_WORKERS}};
    float control[3 * SOLID_VERTICES];
    clsp_solid_mesh *coarse = NULL, *mesh = NULL;
    clsp_solid_plan *plan = NULL, *more = NULL;

    make_points(control);
    clsp_status status = clsp_solid_mesh_create(&coarse, ctx, &cells);
    if (status == CLSP_OK) status = clsp_solid_mesh_refine(&mesh, coarse);
    if (status == CLSP_OK) status = clsp_solid_plan_create(&plan, mesh, &desc);
    if (status == CLSP_OK) status = load_refined(ctx, plan, coarse, control);
    if (status == CLSP_OK) status = clsp_solid_plan_create(&more, mesh, &with_more);
    if (status == CLSP_OK) status = load_refined(ctx, more, coarse, control);
    if (status == CLSP_OK)
        status = clsp_solid_eval(plan, (clsp_range){0, 8 * SOLID_CELLS}, clsp_out_f32(values, ALL),
                                 NULL);
    if (status == CLSP_OK)
        status = clsp_solid_eval(more, (clsp_range){1, 1}, clsp_out_f32(values + ALL, MORE), NULL);
    if (status == CLSP_OK)
        status =
            clsp_solid_eval_points(more, &points, clsp_out_f32(values + ALL + MORE, LIST), NULL);
    if (status == CLSP_OK)
        status = clsp_solid_limit_points(coarse, CLSP_SOLID_MIDDLES, 3,
                                         clsp_in_f32(control, COUNT(control)),
                                         clsp_out_f32(values + ALL + MORE + LIST, 225), NULL);
    if (status == CLSP_OK)
        status = clsp_solid_eval_points(
            plan, &points, clsp_out_f32(values + ALL + MORE + LIST + 225, PLAIN), NULL);
    for (size_t i = 0; i < num_shares && status == CLSP_OK; i++)
        status = share_solid(ctx, plan, more, &points, &shares[i], values);
    clsp_solid_plan_destroy(&plan);
    clsp_solid_plan_destroy(&more);
    clsp_solid_mesh_destroy(&mesh);
    clsp_solid_mesh_destroy(&coarse);
    return status;
}

static clsp_status use_solid(clsp_context *ctx, float *values)
{
    return call_solid(ctx, values, 2);
}

/* Makes derivatives and normals of two points by stars, and of a cell. */
static clsp_status use_stars(const clsp_solid_mesh *mesh, const float *control,
                             const clsp_points *points, float *values)
{
    const clsp_axis axis = {.num = 2};
    const uint32_t attributes = CLSP_VERTEX_DU | CLSP_VERTEX_DVW | CLSP_VERTEX_NORMAL;
    const clsp_solid_desc desc = {
        .axis = {axis, axis, axis}, .vertex.attributes = attributes, .method = CLSP_SOLID_LATTICES};
    clsp_solid_plan *plan = NULL;

    clsp_status status = clsp_solid_plan_create(&plan, mesh, &desc);
    if (status == CLSP_OK)
        status =
            clsp_solid_set_control_points(plan, clsp_in_f32(control, 3 * SOLID_VERTICES), NULL);
    if (status == CLSP_OK)
        status = clsp_solid_eval_points(plan, points, clsp_out_f32(values, LIST), NULL);
    if (status == CLSP_OK)
        status = clsp_solid_eval(plan, (clsp_range){1, 1}, clsp_out_f32(values + LIST, MORE), NULL);
    clsp_solid_plan_destroy(&plan);
    return status;
}

/* Makes the cubes by lattices, 3 x 3 x 3 samples each, by one call and by a shared one, and two
   points of theirs. */
static clsp_status use_lattices(clsp_context *ctx, float *values)
{
    const clsp_axis axis = {3, 0, 1, NULL};
    const clsp_solid_desc desc = {.axis = {axis, axis, axis}, .method = CLSP_SOLID_LATTICES};
    static const clsp_share share = {.schedule = CLSP_SCHEDULE_DEVICE, .bit_equal = 1};
    static const uint32_t list[2] = {0, 3};
    static const float params[6] = {0.25f, 0.5f, 1.0f, 0.0f, 0.0f, 0.0f};
    const clsp_points points = {
        .num = 2, .item = clsp_in_u32(list, 2), .params = clsp_in_f32(params, 6)};
    const clsp_output grid = clsp_out_f32(values, GRIDS),
                      shared = clsp_out_f32(values + GRIDS, GRIDS);
    float control[3 * SOLID_VERTICES];
    clsp_solid_mesh *mesh = NULL;
    clsp_solid_plan *plan = NULL;

    make_points(control);
    clsp_status status = clsp_solid_mesh_create(&mesh, ctx, &cells);
    if (status == CLSP_OK) status = clsp_solid_plan_create(&plan, mesh, &desc);
    if (status == CLSP_OK)
        status = clsp_solid_set_control_points(plan, clsp_in_f32(control, COUNT(control)), NULL);
    if (status == CLSP_OK) status = clsp_solid_eval(plan, (clsp_range){0, SOLID_CELLS}, grid, NULL);
    if (status == CLSP_OK)
        status = clsp_solid_eval(plan, (clsp_range){0, SOLID_CELLS}, shared,
                                 &(clsp_run){.share = &share});
    if (status == CLSP_OK)
        status =
            clsp_solid_eval_points(plan, &points, clsp_out_f32(values + 2 * GRIDS, PLAIN), NULL);
    if (status == CLSP_OK) status = use_stars(mesh, control, &points, values + 2 * GRIDS + PLAIN);
    clsp_solid_plan_destroy(&plan);
    clsp_solid_mesh_destroy(&mesh);
    return status;
}

typedef clsp_status user(clsp_context *ctx, float *values);

/* Whether what uses solids reaches the n-th call of the kind, which fails. */
static bool fail_solid(clsp_context *ctx, user *use, enum kind kind, unsigned n, const float *right)
{
    const long objects = live_objects, blocks = live_blocks;
    float values[SOLID_VALUES] = {0};

    arm_fault(kind, n);
    const clsp_status status = use(ctx, values);
    fault.armed = false;
    if (status == CLSP_OK ? memcmp(values, right, sizeof values) != 0 : !fault.reached)
        fail_msg("%s %u: status %d", kind_names[kind], n, status);
    if (live_blocks != blocks || live_objects != objects)
        fail_msg("%s %u: %ld blocks and %ld objects are left", kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    return fault.reached;
}

static void check_faults(user *use)
{
    static const enum kind kinds[] = {MALLOC,  CALLOC, REALLOC, CREATE_BUFFER, CREATE_KERNEL,
                                      SET_ARG, LAUNCH, WRITE,   READ};
    static const char *const limits[] = {"", "class=discrete"};
    unsigned failed = 0;

    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        float right[SOLID_VALUES] = {0};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        assert_ok(ctx, use(ctx, right));
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (unsigned n = 1; fail_solid(ctx, use, kinds[k], n, right);
                 n += support_full() ? 1 : 1 + n / 24)
                failed++;
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

static void test_solids(void **state)
{
    (void)state;
    check_faults(use_solid);
}

static void test_lattices(void **state)
{
    (void)state;
    check_faults(use_lattices);
}

/* Where the host makes all, nothing is compiled or launched, also for memory of the device. */
static void test_no_kernels(void **state)
{
    static const enum kind kinds[] = {CREATE_PROGRAM, CREATE_KERNEL, LAUNCH};
    static const clsp_context_opts opts = {.cache_dir = ""};
    float values[SOLID_VALUES];
    clsp_context *ctx;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    const bool by_host = clspi_is_own_cpu(ctx);
    arm_fault(LAUNCH, 0);
    const clsp_status status = call_solid(ctx, values, 0);
    fault.armed = false;
    assert_ok(ctx, status);
    for (size_t k = 0; k < COUNT(kinds); k++)
        assert_true((fault.calls[kinds[k]] == 0) == by_host);
    clsp_context_destroy(&ctx);
}

/* Refines points of the cubes from a buffer to another one, and waits for it. */
static clsp_status refine_queued(clsp_context *ctx, const clsp_solid_mesh *mesh,
                                 const cl_mem buffers[2])
{
    const clsp_status status = clsp_solid_refine_points(
        mesh, CLSP_SOLID_TENSOR, 3, clsp_in_buffer(buffers[0], CLSP_F32, 0),
        clsp_out_buffer(buffers[1], CLSP_F32, 0), NULL);

    assert_int_equal(clFinish(ctx->queue), CL_SUCCESS);
    return status;
}

/* Points that find no memory when their turn comes are told of by the next call, and the one behind
   makes them. */
static void test_queued(void **state)
{
    enum { FINE = 3 * 75 };
    static const enum kind kinds[] = {MALLOC, CALLOC, CREATE_BUFFER, NATIVE, SET_DESTRUCTOR};
    const clsp_context_opts opts = {.cache_dir = ""};
    float control[3 * SOLID_VERTICES], right[FINE], got[FINE];
    clsp_context *ctx;
    clsp_solid_mesh *mesh;
    cl_int code;

    (void)state;
    make_points(control);
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells));
    assert_ok(ctx, clsp_solid_refine_points(mesh, CLSP_SOLID_TENSOR, 3,
                                            clsp_in_f32(control, COUNT(control)),
                                            clsp_out_f32(right, FINE), NULL));
    cl_mem buffers[] = {clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       sizeof control, control, &code),
                        clCreateBuffer(ctx->context, CL_MEM_READ_WRITE, sizeof right, NULL, &code)};
    for (size_t k = 0; k < COUNT(kinds) && clspi_is_own_cpu(ctx); k++)
        for (unsigned n = 1; n == 1 || fault.reached; n++) {
            arm_fault(kinds[k], n);
            const clsp_status status = refine_queued(ctx, mesh, buffers);
            fault.armed = false;
            if (fault.reached && status == CLSP_OK)
                assert_int_equal(refine_queued(ctx, mesh, buffers), CLSP_ERROR_NO_MEMORY);
            assert_ok(ctx, refine_queued(ctx, mesh, buffers));
            assert_int_equal(clEnqueueReadBuffer(ctx->queue, buffers[1], CL_TRUE, 0, sizeof got,
                                                 got, 0, NULL, NULL),
                             CL_SUCCESS);
            assert_memory_equal(got, right, sizeof right);
        }
    clReleaseMemObject(buffers[0]);
    clReleaseMemObject(buffers[1]);
    clsp_solid_mesh_destroy(&mesh);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_kernels),
        cmocka_unit_test(test_solids),
        cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_queued),
    };

    if (support_no_device()) return 77;
    redirect_calls();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
