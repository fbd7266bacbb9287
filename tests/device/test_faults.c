/* Every call that can fail, made to fail: for n = 1, 2, ... the n-th call of one kind fails while a
   plan is made and evaluated, until a run gets through without reaching it; where contexts take
   long to make, as many n as there is time for. Each time the result must be an error, or the right
   points; nothing may be left over; and the next run without a fault must succeed. */
#include "fault_fixture.h"

#include <clspline/bezier.h>
#include <clspline/graphics.h>
#include <stdlib.h>
#include <string.h>

/* ---- the run ---- */

enum { PATCHES = 2, DEGREE = 2, SAMPLES = 5, VALUES = PATCHES * SAMPLES * SAMPLES * 3 };

/* From a new context to the points, by the public calls alone, by way of a buffer of graphics that
   cannot be shared; points: [VALUES]. */
static clsp_status run(const char *cache_dir, const char *limits, float *points)
{
    static const uint8_t uuid[16] = {1};
    const clsp_graphics_context graphics = {.gl_context = points, .device_uuid = uuid};
    const clsp_graphics_desc shared = {
        .gl_buffer = 1, .host = points, .bytes = VALUES * sizeof *points};
    static const clsp_bezier_desc desc = {.degree = {DEGREE, DEGREE},
                                          .axis = {{.num = SAMPLES}, {.num = SAMPLES}}};
    const clsp_context_opts opts = {.device = getenv("CLSPLINE_DEVICE") ? NULL : ":",
                                    .cache_dir = cache_dir,
                                    .limits = limits,
                                    .graphics = &graphics};
    float control[PATCHES * (DEGREE + 1) * (DEGREE + 1) * 3];
    const clsp_range patches = {0, PATCHES};
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;
    clsp_graphics *out = NULL;
    clsp_status status;

    for (size_t i = 0; i < sizeof control / sizeof *control; i++)
        control[i] = (float)(i * i % 17) / 4;
    status = clsp_context_create(&ctx, NULL, &opts);
    if (status == CLSP_OK) status = clsp_bezier_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK)
        status = clsp_patch_set_control_points(
            plan, PATCHES, clsp_in_f32(control, sizeof control / sizeof *control), NULL);
    if (status == CLSP_OK) status = clsp_graphics_create(&out, ctx, &shared);
    if (status == CLSP_OK)
        status = clsp_patch_eval(plan, patches, clsp_out_graphics(out, CLSP_F32, 0), NULL);
    clsp_graphics_destroy(&out);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return status;
}

static float wanted[VALUES];

static void assert_clean(const char *what, unsigned n)
{
    if (live_blocks == 0 && live_objects == 0) return;
    print_error("%s, call %u: %ld blocks and %ld OpenCL objects are left\n", what, n, live_blocks,
                live_objects);
    fail();
}

/* A run that must be right, or say that it is not. */
static void check_run(const char *cache_dir, const char *limits, const char *what, unsigned n,
                      bool may_fail)
{
    float points[VALUES];

    live_blocks = live_objects = 0;
    support_poison(points, sizeof points);
    const clsp_status status = run(cache_dir, limits, points);
    fault.armed = false;
    assert_clean(what, n);
    if (status == CLSP_OK ? memcmp(points, wanted, sizeof points) == 0 : may_fail && status < 0)
        return;
    print_error("%s, call %u: status %d, %s\n", what, n, status, clsp_status_str(status));
    fail();
}

/* Whether a run reaches the n-th call of the kind, which fails. */
static bool fail_call(enum kind kind, unsigned n, const char *cache_dir, const char *limits)
{
    arm_fault(kind, n);
    check_run(cache_dir, limits, kind_names[kind], n, true);
    if (fault.reached) check_run(cache_dir, limits, "after a fault", n, false);
    return fault.reached;
}

/* At most so many of num calls; with most 0 each until a run does not reach it, since a failure may
   add to them. Returns how many. */
static unsigned fail_each(enum kind kind, unsigned num, unsigned most, const char *cache_dir,
                          const char *limits)
{
    unsigned failed = 0;

    for (unsigned n = 1; most == 0 || n <= num;
         n = most ? support_next_call(n, num, most) : n + 1) {
        if (!fail_call(kind, n, cache_dir, limits)) break;
        failed++;
    }
    return failed;
}

/* The calls of each of some kinds in a run, [num], and how many of a kind may be made to fail in
   about BUDGET_MS (support_most_calls). step: 2 where a run takes so long that one call of each
   kind takes longer than that, else 1. */
static unsigned count_calls(const enum kind kinds[], size_t num, const char *cache_dir,
                            const char *limits, unsigned calls[], size_t *step)
{
    enum { BUDGET_MS = 3000, RUNS = 2 /* of a failure */ };

    assert_ok(NULL, run(cache_dir, limits, wanted)); /* which may compile */
    arm_fault(MALLOC, 0);                            /* which counts */
    const double begin = support_now_ms();
    assert_ok(NULL, run(cache_dir, limits, wanted));
    const double runs = BUDGET_MS / (support_now_ms() - begin) / RUNS;
    fault.armed = false;
    for (size_t k = 0; k < num; k++)
        calls[k] = fault.calls[kinds[k]];
    const unsigned most = support_most_calls(calls, num, runs);
    *step = most == 1 && runs < (double)num ? 2 : 1;
    return most;
}

/* Where runs take long, every other kind: the first call of it those that the second leaves out. */
static void fail_all(const char *cache_dir, const char *limits, bool by_kernels)
{
    enum { OF_KERNELS = 8 };
    enum { KINDS = WAIT }; /* a device that is not waited for works on in memory that is gone */
    enum kind kinds[KINDS];
    unsigned calls[KINDS], sum = 0;
    static size_t turn;
    size_t step;

    for (int kind = 0; kind < KINDS; kind++)
        kinds[kind] = (enum kind)kind;
    const unsigned most = count_calls(kinds, KINDS, cache_dir, limits, calls, &step);
    for (size_t kind = turn++ % step; kind < KINDS; kind += step)
        sum += fail_each((enum kind)kind, calls[kind], most, cache_dir, limits);
    print_message("%u calls made to fail%s\n", sum, most ? ", not all" : "");
    /* were one of these 0, nothing would have redirected it */
    static const enum kind sure[] = {MALLOC,        CALLOC,       REALLOC,        CREATE_CONTEXT,
                                     CREATE_QUEUE,  QUERY_DEVICE, GET_DEVICES,    CREATE_BUFFER,
                                     WRITE,         READ,         CREATE_PROGRAM, BUILD_PROGRAM,
                                     CREATE_KERNEL, SET_ARG,      LAUNCH};
    for (size_t i = 0; i < sizeof sure / sizeof *sure - (by_kernels ? 0 : OF_KERNELS); i++)
        assert_true(calls[sure[i]] > 0);
}

/* ---- changes of a plan ---- */

enum { MORE = 7, POINTS_MAX = PATCHES * MORE * MORE * 6 };

/* Control points of some degrees, that differ with `kind`. */
static clsp_status load_kind(clsp_patch_plan *plan, unsigned kind, size_t num)
{
    float control[PATCHES * (DEGREE + 2) * (DEGREE + 1) * 3];

    for (size_t i = 0; i < num; i++)
        control[i] = (float)((i + kind) * (i + 2 * kind) % 19) / 8;
    return clsp_patch_set_control_points(plan, PATCHES, clsp_in_f32(control, num), NULL);
}

enum { REALS = PATCHES * (DEGREE + 1) * (DEGREE + 1) * 3 };

static clsp_status other_grid(clsp_patch_plan *plan)
{
    const clsp_axis axis[] = {{.num = MORE}, {.num = MORE - 1}};

    return clsp_patch_set_grids(plan, axis, 0, (clsp_input){0});
}

static clsp_status own_grid(clsp_patch_plan *plan)
{
    static const double params[MORE] = {0.0, 0.1, 0.25, 0.5, 0.7, 0.8, 1.0};
    const clsp_axis axis[] = {{.num = MORE, .params = params}, {.num = MORE - 1}};

    return clsp_patch_set_grids(plan, axis, 0, (clsp_input){0});
}

/* Degrees as they are: what was given of axes is gone, and no other grid is in its place. */
static clsp_status own_grid_again(clsp_patch_plan *plan)
{
    const uint32_t degree[] = {DEGREE, DEGREE};

    assert_int_equal(clsp_bezier_set_degrees(plan, degree), CLSP_ERROR_ARGUMENT);
    return own_grid(plan);
}

static clsp_status other_degrees(clsp_patch_plan *plan)
{
    const uint32_t degree[] = {DEGREE + 1, DEGREE};

    return clsp_bezier_set_degrees(plan, degree);
}

static clsp_status other_points(clsp_patch_plan *plan)
{
    return load_kind(plan, 1, REALS);
}

static clsp_status other_patch_grids(clsp_patch_plan *plan)
{
    const uint32_t nums[] = {3, MORE, 2, 4};

    return clsp_patch_set_grids(plan, NULL, PATCHES, clsp_in_u32(nums, 4));
}

/* The degrees as they are: mends a plan whose other grid has failed. */
static clsp_status same_degrees(clsp_patch_plan *plan)
{
    const uint32_t degree[] = {DEGREE, DEGREE};

    return clsp_bezier_set_degrees(plan, degree);
}

typedef clsp_status (*change_fn)(clsp_patch_plan *plan);

/* before: NULL: nothing; mend: after apply has failed; reals: of control points that are to be
   loaded after it, 0: none. */
typedef struct change {
    const char *name;
    change_fn before, apply, mend;
    size_t reals;
} change;

/* A plan with control points that has been evaluated. */
static clsp_patch_plan *used_plan(clsp_context *ctx)
{
    static const clsp_bezier_desc desc = {.degree = {DEGREE, DEGREE},
                                          .axis = {{.num = SAMPLES}, {.num = SAMPLES}},
                                          .vertex.attributes =
                                              CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL};
    clsp_patch_plan *plan;
    float points[2 * VALUES];

    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &desc));
    assert_ok(ctx, load_kind(plan, 0, REALS));
    assert_ok(ctx, clsp_patch_eval(plan, (clsp_range){0, PATCHES},
                                   clsp_out_f32(points, COUNT(points)), NULL));
    return plan;
}

/* All of a plan's vertices after a change, [POINTS_MAX]. */
static void read_after(clsp_context *ctx, clsp_patch_plan *plan, const change *c, float *points)
{
    memset(points, 0, POINTS_MAX * sizeof *points);
    if (c->reals > 0) assert_ok(ctx, load_kind(plan, 2, c->reals));
    assert_ok(ctx, clsp_patch_eval(plan, (clsp_range){0, PATCHES}, clsp_out_f32(points, POINTS_MAX),
                                   NULL));
}

/* Every call that makes vertices says that the plan has no sound state. */
static void assert_refused(clsp_patch_plan *plan)
{
    const uint32_t patch = 0;
    const float at[] = {0.5f, 0.5f};
    float points[POINTS_MAX];
    const clsp_output out = clsp_out_f32(points, POINTS_MAX);
    const clsp_share by_caller = {.schedule = CLSP_SCHEDULE_HOST, .tiles = {0, 1}};
    const clsp_range patches = {0, PATCHES};

    assert_int_equal(clsp_patch_eval(plan, patches, out, NULL), CLSP_ERROR_STATE);
    assert_int_equal(clsp_patch_eval(plan, patches, out, &(clsp_run){.share = &by_caller}),
                     CLSP_ERROR_STATE);
    assert_int_equal(
        clsp_patch_eval_points(
            plan,
            &(clsp_points){.num = 1, .item = clsp_in_u32(&patch, 1), .params = clsp_in_f32(at, 2)},
            clsp_out_f32(points, 6), NULL),
        CLSP_ERROR_STATE);
    assert_int_equal(
        clsp_patch_eval(plan, patches, out, &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
        CLSP_ERROR_STATE);
}

/* Whether the change reaches the n-th call of the kind, which fails. */
static bool fail_change(clsp_context *ctx, const change *c, enum kind kind, unsigned n,
                        const float *right)
{
    clsp_patch_plan *plan = used_plan(ctx);
    float points[POINTS_MAX];

    if (c->before) assert_ok(ctx, c->before(plan));
    arm_fault(kind, n);
    const clsp_status status = c->apply(plan);
    fault.armed = false;
    if (status != CLSP_OK) {
        assert_refused(plan);
        assert_ok(ctx, c->mend(plan));
    }
    read_after(ctx, plan, c, points);
    if (memcmp(points, right, sizeof points) != 0)
        fail_msg("%s, %s %u, status %d: other points", c->name, kind_names[kind], n, status);
    clsp_patch_plan_destroy(&plan);
    return fault.reached;
}

static unsigned fail_changes(clsp_context *ctx, const change *c)
{
    static const enum kind kinds[] = {MALLOC,        CALLOC,  REALLOC, CREATE_BUFFER,
                                      CREATE_KERNEL, SET_ARG, LAUNCH,  COPY,
                                      WRITE,         READ,    MARKER};
    clsp_patch_plan *plan = used_plan(ctx);
    float right[POINTS_MAX];
    unsigned failed = 0;

    assert_ok(ctx, c->apply(plan));
    read_after(ctx, plan, c, right);
    clsp_patch_plan_destroy(&plan);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned n = 1; fail_change(ctx, c, kinds[k], n, right); n++)
            failed++;
    return failed;
}

/* A plan whose change has failed is refused by every call until it is changed again; then it is as
   one that never failed. */
static void test_changes(void **state)
{
    static const change changes[] = {
        {"clsp_patch_set_grids", NULL, other_grid, other_grid, 0},
        {"clsp_patch_set_grids of params", NULL, own_grid, own_grid_again, 0},
        {"clsp_patch_set_grids after patch grids", other_patch_grids, other_grid, same_degrees, 0},
        {"clsp_bezier_set_degrees", NULL, other_degrees, other_degrees,
         REALS / (DEGREE + 1) * (DEGREE + 2)},
        {"clsp_patch_set_control_points", NULL, other_points, other_points, 0},
        {"clsp_patch_set_grids", NULL, other_patch_grids, other_patch_grids, 0}};
    static const char *const limits[] = {"", "class=discrete"};
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        for (size_t i = 0; i < COUNT(changes); i++) {
            const unsigned some = fail_changes(ctx, &changes[i]);
            assert_true(some > 0 || l == 0); /* the host's plans change without such calls */
            failed += some;
        }
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    print_message("%u calls made to fail\n", failed);
}

/* ---- transfers ---- */

enum {
    LARGE = 241,                      /* samples: more than what is copied for being small */
    LARGE_PARTS = 7,                  /* patches, */
    LARGE_VALUES = LARGE * LARGE * 3, /* of which each has so many */
    LARGE_PARAMS = 2 * LARGE * LARGE
};

/* A large evaluation into memory that is there for it alone: on the grid, or at parameters. */
static clsp_status eval_large(clsp_patch_plan *plan, bool at_parameters, float *points)
{
    static float params[LARGE_PARTS * LARGE_PARAMS];
    const size_t values = (size_t)LARGE_PARTS * LARGE_VALUES, num = values / 3;
    const clsp_output out = clsp_out_f32(points, values);
    static uint32_t patches[LARGE_PARTS * LARGE * LARGE];

    if (!at_parameters) return clsp_patch_eval(plan, (clsp_range){0, LARGE_PARTS}, out, NULL);
    for (size_t i = 0; i < num; i++) {
        params[2 * i] = (float)(i % 1000) / 1000;
        params[2 * i + 1] = (float)(i % 777) / 777;
        patches[i] = (uint32_t)(i % LARGE_PARTS);
    }
    return clsp_patch_eval_points(plan,
                                  &(clsp_points){.num = num,
                                                 .item = clsp_in_u32(patches, num),
                                                 .params = clsp_in_f32(params, 2 * num)},
                                  out, NULL);
}

static clsp_patch_plan *large_plan(clsp_context *ctx)
{
    static const clsp_bezier_desc desc = {.degree = {DEGREE, DEGREE},
                                          .axis = {{.num = LARGE}, {.num = LARGE}}};
    float control[LARGE_PARTS * (DEGREE + 1) * (DEGREE + 1) * 3];
    clsp_patch_plan *plan;

    for (size_t i = 0; i < COUNT(control); i++)
        control[i] = (float)(i * i % 23) / 4;
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &desc));
    assert_ok(ctx, clsp_patch_set_control_points(plan, LARGE_PARTS,
                                                 clsp_in_f32(control, COUNT(control)), NULL));
    return plan;
}

/* Whether a large evaluation by a new plan reaches the n-th call of the kind, which fails. The
   memory is gone right after the call, and with the plan all that it made. */
static bool fail_transfer(clsp_context *ctx, bool at_parameters, enum kind kind, unsigned n,
                          const float *right)
{
    const size_t bytes = (size_t)LARGE_PARTS * LARGE_VALUES * sizeof(float);
    const long objects = live_objects, blocks = live_blocks;
    clsp_patch_plan *plan = large_plan(ctx);

    for (int again = 0; again < 2; again++) {
        float *const points = malloc(bytes);
        assert_non_null(points);
        if (!again) arm_fault(kind, n);
        const clsp_status status = eval_large(plan, at_parameters, points);
        fault.armed = false;
        if (status == CLSP_OK ? memcmp(points, right, bytes) != 0 : again || !fault.reached)
            fail_msg("%s %u, call %d: status %d", kind_names[kind], n, again, status);
        free(points);
    }
    clsp_patch_plan_destroy(&plan);
    if (live_blocks != blocks)
        fail_msg("%s %u: %ld blocks are left", kind_names[kind], n, live_blocks - blocks);
    /* a mapping of pinned memory that is not undone is over with its buffer */
    const long more = live_objects - objects;
    live_objects = objects;
    if (fault.reached && (more < 0 || more > (kind == UNMAP)))
        fail_msg("%s %u: %ld objects are left", kind_names[kind], n, more);
    return fault.reached;
}

static unsigned fail_transfers(clsp_context *ctx, bool at_parameters)
{
    static const enum kind kinds[] = {CREATE_QUEUE, CREATE_BUFFER, SET_ARG, LAUNCH, WRITE,
                                      READ,         MAP,           UNMAP,   MARKER};
    float *const right = malloc((size_t)LARGE_PARTS * LARGE_VALUES * sizeof *right);
    clsp_patch_plan *plan = large_plan(ctx);
    unsigned failed = 0;

    assert_non_null(right);
    assert_ok(ctx, eval_large(plan, at_parameters, right));
    clsp_patch_plan_destroy(&plan);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned n = 1; fail_transfer(ctx, at_parameters, kinds[k], n, right); n++)
            failed++;
    free(right);
    return failed;
}

/* Large outputs and inputs in host memory, in place, in several parts and through pinned memory:
   after a failure nothing is written any more, and the plan is as good as before. Unless the test
   is full, under each limit either on the grid or at parameters. */
static void test_transfers(void **state)
{
    static const char *const limits[] = {"class=cpu", "class=cpu,alloc=3000000", "class=integrated",
                                         "class=discrete", "class=discrete,alloc=1500000"};
    unsigned failed = 0;

    (void)state;
    if (support_tiny()) skip_because("large arrays");
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        for (int at_parameters = 0; at_parameters < 2; at_parameters++)
            if (support_full() || (l + (size_t)at_parameters) % 2 == 0)
                failed += fail_transfers(ctx, at_parameters);
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    print_message("%u calls made to fail\n", failed);
}

static void test_own_class(void **state)
{
    (void)state;
    fail_all("", NULL, false);
}

static void test_gpu_shapes(void **state)
{
    (void)state;
    fail_all("", "class=discrete", true);
}

/* With programs from the disk, which only counts where the tuning table keeps them. */
static void test_cached(void **state)
{
    static const enum kind kinds[] = {MALLOC, CALLOC, CREATE_BINARY, BUILD_PROGRAM};
    char folder[SUPPORT_PATH_MAX], path[SUPPORT_PATH_MAX];
    unsigned calls[COUNT(kinds)];

    (void)state;
    support_make_folder(folder);
    assert_ok(NULL, run(folder, NULL, wanted));
    if (support_file_in(folder, 0, path)) {
        size_t step; /* there are few kinds */
        const unsigned most = count_calls(kinds, COUNT(kinds), folder, NULL, calls, &step);
        for (size_t k = 0; k < COUNT(kinds); k++) {
            const unsigned failed = fail_each(kinds[k], calls[k], most, folder, NULL);
            assert_true(failed > 0 || kinds[k] != CREATE_BINARY);
        }
        support_remove_folder(folder);
    } else {
        support_remove_folder(folder);
        skip_because("programs are not kept on the disk for this device");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),   cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_own_class), cmocka_unit_test(test_gpu_shapes),
        cmocka_unit_test(test_cached),
    };

    if (support_no_device()) return 77;
    redirect_calls();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
