/* The svm schedule of Bezier plans: on one device the persistent kernel makes what clsp_patch_eval
   makes, for any tiles, after changes of grid, degrees and control points too; and which plans have
   none. */
#include "../support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "patch_plan.h"
#include "svm_atomics.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { PATCHES = 5, COUNTER_BYTES = 128 };

/* GPUs sum symmetric rows together, and each way is within 8 eps scale of the exact value
   (docs/math.md, 3). scale is at most 1. */
static const double bound = 16.0;

/* A GPU, and a device that stands for one that shares memory. */
static const char *const limits[] = {NULL, "class=integrated"};

/* ---- a plan ---- */

static clsp_context *context_with_atomics(const char *words)
{
    const clsp_context_opts opts = {.limits = words};
    clspi_options options;
    clsp_context *ctx = NULL;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
    if (!support_is_own_cpu(ctx) && clspi_svm_atomics(ctx, &options)) return ctx;
    clsp_context_destroy(&ctx);
    return NULL;
}

static bool is_double(const clsp_patch_plan *plan)
{
    return plan->desc.precision == CLSP_F64;
}

static void load(clsp_patch_plan *plan, uint64_t seed)
{
    const size_t count = PATCHES * plan->patch_reals;
    double *const wide = malloc(count * sizeof *wide);
    float *const narrow = malloc(count * sizeof *narrow);

    assert_true(wide && narrow);
    for (size_t i = 0; i < count; i++) {
        wide[i] = support_uniform(&seed);
        narrow[i] = (float)wide[i];
    }
    const clsp_input in = is_double(plan) ? clsp_in_f64(wide, count) : clsp_in_f32(narrow, count);
    assert_ok(plan->base.ctx, clsp_patch_set_control_points(plan, PATCHES, in, NULL));
    free(wide);
    free(narrow);
}

/* ---- both ways ---- */

/* Patches first .. first + count - 1, made in both ways. */
typedef struct comparison {
    clsp_patch_plan *plan;
    clsp_context *ctx;
    size_t first, reals, bytes;
    clspi_tiling tiling;
    void *counter;
    char *out, *wanted; /* out: in shared memory, with a guard */
} comparison;

static void *shared_alloc(clsp_context *ctx, size_t bytes)
{
    void *const memory =
        clSVMAlloc(ctx->context,
                   CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, bytes, 0);

    assert_non_null(memory);
    return memory;
}

static comparison begin(clsp_patch_plan *plan, const clspi_tiling *tiles, size_t first,
                        size_t count)
{
    comparison c = {.plan = plan, .ctx = plan->base.ctx, .first = first, .tiling = *tiles};
    const clsp_share by_device = {.schedule = CLSP_SCHEDULE_DEVICE, .bit_equal = 1};

    c.tiling.num_pieces = count;
    c.tiling.lines = plan->desc.axis[0].num;
    c.reals = count * plan->patch_vertices * plan->desc.dim;
    c.bytes = c.reals * clsp_type_bytes(plan->desc.precision);
    c.counter = shared_alloc(c.ctx, COUNTER_BYTES);
    c.out = shared_alloc(c.ctx, c.bytes + SUPPORT_GUARD);
    c.wanted = malloc(c.bytes);
    assert_non_null(c.wanted);
    const clsp_output out = {.type = plan->desc.precision, .host = c.wanted, .size = c.reals};
    assert_ok(c.ctx, clsp_patch_eval(plan, (clsp_range){first, count}, out,
                                     &(clsp_run){.share = &by_device}));
    return c;
}

static void end(comparison *c)
{
    clSVMFree(c->ctx->context, c->counter);
    clSVMFree(c->ctx->context, c->out);
    free(c->wanted);
}

/* Has the persistent kernel make the first num_tiles tiles. */
static void make_tiles(comparison *c, size_t num_tiles)
{
    clsp_patch_plan *const plan = c->plan;
    const clspi_queued_tiles job = {.counter = c->counter,
                                    .tiling = &c->tiling,
                                    .num_tiles = num_tiles,
                                    .first_piece = c->first,
                                    .out = c->out};
    clspi_series series;

    memset(c->counter, 0, COUNTER_BYTES);
    support_poison(c->out, c->bytes + SUPPORT_GUARD);
    assert_null(clspi_tile_kernel_refusal(c->ctx, &plan->desc, &plan->sums, c->tiling.num_pieces));
    clspi_series_begin(&series, c->ctx, 0, NULL, NULL);
    assert_ok(c->ctx, clspi_patch_ready(plan, &series));
    assert_ok(c->ctx, clspi_tile_kernel_enqueue(&plan->tile_kernel, &series, &plan->desc,
                                                &plan->sums, &job));
    assert_ok(c->ctx, clspi_series_end(&series, NULL));
    assert_int_equal(clFinish(c->ctx->queue), CL_SUCCESS);
    assert_true(support_poisoned(c->out + c->bytes, SUPPORT_GUARD));
}

static double value(const comparison *c, const char *values, size_t i)
{
    return is_double(c->plan) ? ((const double *)(const void *)values)[i]
                              : (double)((const float *)(const void *)values)[i];
}

/* Returns error / bound of the first vertices, which all the others must leave as they were. */
static double check_first(const comparison *c, size_t bytes)
{
    const double eps = is_double(c->plan) ? 0x1p-52 : 0x1p-23;
    double worst = 0.0;

    for (size_t i = 0; i < bytes / clsp_type_bytes(c->plan->desc.precision); i++) {
        const double error = fabs(value(c, c->out, i) - value(c, c->wanted, i)) / eps;
        assert_true(error <= bound); /* not so for NaN */
        worst = support_worse(worst, error);
    }
    assert_true(support_poisoned(c->out + bytes, c->bytes - bytes));
    return worst / bound;
}

/* All tiles, and then the first half of them alone. */
static double compare(clsp_patch_plan *plan, const clspi_tiling *tiles, size_t first, size_t count)
{
    comparison c = begin(plan, tiles, first, count);
    const size_t num = clspi_num_tiles(&c.tiling);
    const size_t half_lines = clspi_lines_of(&c.tiling, (clsp_range){0, num / 2}).count;

    make_tiles(&c, num);
    double worst = check_first(&c, c.bytes);
    make_tiles(&c, num / 2);
    worst = support_worse(worst, check_first(&c, half_lines * (c.bytes / count / c.tiling.lines)));
    end(&c);
    return worst;
}

/* ---- cases ---- */

typedef struct tile_case {
    uint32_t order_u, order_v, num_u, num_v, dim;
    clspi_tiling tiles; /* pieces and their lines are the plan's */
} tile_case;

#define TILES(pieces, rows, per_piece)                                                             \
    {                                                                                              \
        .pieces_per_tile = (pieces), .tile_lines = (rows), .tiles_per_piece = (per_piece)          \
    }
static const tile_case cases[] = {
    {4, 4, 37, 101, 3, TILES(1, 8, 5)},   {1, 3, 1, 7, 2, TILES(2, 1, 1)},
    {12, 5, 64, 33, 3, TILES(1, 32, 2)},  {13, 13, 40, 700, 4, TILES(1, 16, 3)},
    {32, 32, 19, 23, 1, TILES(3, 24, 1)}, {101, 4, 17, 19, 3, TILES(1, 8, 3)}};

static double check_case(clsp_context *ctx, const tile_case *k, clsp_type precision)
{
    const clspi_tiling whole = TILES(1, 41, 1);
    const clsp_bezier_desc desc = {.precision = precision,
                                   .degree = {k->order_u - 1, k->order_v - 1},
                                   .dim = k->dim,
                                   .axis = {{.num = k->num_u}, {.num = k->num_v}}};
    const clsp_axis larger[] = {{.num = 41}, {.num = k->num_v + 5}};
    const uint32_t other_degrees[] = {5, 2};
    clsp_patch_plan *plan = NULL;

    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &desc));
    load(plan, k->order_u);
    double worst = compare(plan, &k->tiles, 0, PATCHES);
    worst = support_worse(worst, compare(plan, &k->tiles, 2, 2));
    load(plan, k->order_u + 100u);
    worst = support_worse(worst, compare(plan, &k->tiles, 0, 1));
    assert_ok(ctx, clsp_patch_set_grids(plan, larger, 0, (clsp_input){0}));
    worst = support_worse(worst, compare(plan, &whole, 1, PATCHES - 1));
    assert_ok(ctx, clsp_bezier_set_degrees(plan, other_degrees));
    load(plan, k->order_u + 200u);
    worst = support_worse(worst, compare(plan, &whole, 0, PATCHES));
    clsp_patch_plan_destroy(&plan);
    return worst;
}

static void test_as_eval(void **state)
{
    double worst = 0.0;
    bool any = false;

    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++) {
        clsp_context *ctx = context_with_atomics(limits[i]);
        if (!ctx) continue;
        any = true;
        for (size_t k = 0; k < COUNT(cases); k++) {
            worst = support_worse(worst, check_case(ctx, &cases[k], CLSP_F32));
            if (ctx->device.fp64)
                worst = support_worse(worst, check_case(ctx, &cases[k], CLSP_F64));
        }
        clsp_context_destroy(&ctx);
    }
    if (!any) skip_because("no SVM atomics");
    print_message("worst/bound %.2f\n", worst);
}

/* ---- refusals ---- */

#define GRID                                                                                       \
    {                                                                                              \
        {.num = 9}, {.num = 9},                                                                    \
        {                                                                                          \
            .num = 9                                                                               \
        }                                                                                          \
    }
static const clsp_bezier_desc fits = {.degree = {3, 3}, .axis = GRID};
static const clsp_bezier_desc refused[] = {
    {.degree = {3}, .axis = GRID, .form = CLSP_BEZIER_CURVE},
    {.degree = {3, 3, 3}, .axis = GRID, .form = CLSP_BEZIER_VOLUME},
    {.degree = {3}, .axis = GRID, .form = CLSP_BEZIER_TRIANGLE},
    {.degree = {3, 3}, .axis = GRID, .rational = 1},
    {.degree = {3, 3}, .axis = GRID, .vertex.stride = 4},
    {.degree = {3, 3}, .axis = GRID, .vertex.type = CLSP_F16},
    {.degree = {3, 3}, .axis = GRID, .vertex.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL},
    {.degree = {3, 3}, .axis = GRID, .watertight = 1},
    {.degree = {3, 3}, .axis = GRID, .method = CLSP_BEZIER_MULTILEVEL},
};

/* Evaluates into shared memory by the svm schedule, or by what takes its place. Control points, and
   weights among them, are ones; with has_grids the patch has numbers of samples of its own. */
static clsp_report by_svm(clsp_context *ctx, const clsp_bezier_desc *desc, bool has_grids)
{
    enum { CONTROLS = 4 * 4 * 4 * 4, ELEMENTS = 9 * 9 * 9 * 6 };
    static const uint32_t nums[] = {5, 5};
    const clsp_share opts = {.schedule = CLSP_SCHEDULE_SVM};
    float controls[CONTROLS];
    clsp_report report;
    clsp_patch_plan *plan = NULL;
    void *shared = NULL;

    for (size_t i = 0; i < CONTROLS; i++)
        controls[i] = 1.0f;
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, desc));
    assert_ok(ctx, clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, CONTROLS), NULL));
    if (has_grids) assert_ok(ctx, clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(nums, 2)));
    assert_ok(ctx, clsp_shared_alloc(ctx, ELEMENTS * sizeof(float), &shared));
    const clsp_output out = {.host = shared, .size = ELEMENTS};
    assert_ok(ctx, clsp_patch_eval(plan, (clsp_range){0, 1}, out,
                                   &(clsp_run){.share = &opts, .report = &report}));
    clsp_shared_free(ctx, shared);
    clsp_patch_plan_destroy(&plan);
    return report;
}

/* Plans without a persistent kernel are shared by another schedule, and the report says why. */
static void test_refused(void **state)
{
    clsp_context *ctx = context_with_atomics("class=integrated");

    (void)state;
    if (!ctx) skip_because("no SVM atomics");
    for (size_t i = 0; i <= COUNT(refused); i++) {
        const bool has_grids = i == COUNT(refused);
        if (!has_grids && refused[i].method > 0 && !support_has_methods()) continue;
        const clsp_report report = by_svm(ctx, has_grids ? &fits : &refused[i], has_grids);
        assert_int_not_equal(report.schedule, CLSP_SCHEDULE_SVM);
        assert_true(report.reason[CLSP_SCHEDULE_SVM][0] != '\0');
    }
    clsp_context_destroy(&ctx);
}

/* Sizes that the kernel cannot count, and a plan without a grid. */
static void test_refused_sizes(void **state)
{
    const clsp_bezier_desc no_grid = {.degree = {3, 3}};
    clsp_context *ctx = context_with_atomics("class=integrated");
    clsp_patch_plan *plan = NULL;

    (void)state;
    if (!ctx) skip_because("no SVM atomics");
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &no_grid));
    assert_non_null(clspi_tile_kernel_refusal(ctx, &plan->desc, &plan->sums, 1));
    clsp_patch_plan_destroy(&plan);
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &fits));
    assert_null(clspi_tile_kernel_refusal(ctx, &plan->desc, &plan->sums, 1));
    assert_non_null(clspi_tile_kernel_refusal(ctx, &plan->desc, &plan->sums, INT32_MAX));
    assert_non_null(clspi_tile_kernel_refusal(ctx, &plan->desc, &plan->sums, SIZE_MAX));
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

/* What fits is made by the schedule. */
static void test_taken(void **state)
{
    clsp_context *ctx = context_with_atomics("class=integrated");

    (void)state;
    if (!ctx) skip_because("no SVM atomics");
    assert_int_equal(by_svm(ctx, &fits, false).schedule, CLSP_SCHEDULE_SVM);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_eval), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_sizes), cmocka_unit_test(test_taken)};

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
