/* The svm rung of Bezier plans as far as one device goes: the popping kernel makes what
   clsp_bezier_eval makes, after changes of grid and control points too. */
#include "../support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_shared.h"
#include "job.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { PATCHES = 5, COUNTER_BYTES = 128 };

/* On CPUs both ways sum in the same order; GPUs sum symmetric rows together, and each is within 8
   eps scale of the exact value (docs/math.md, 3). scale is at most 1. */
static const double bound = 16.0;

/* What a device shares with the host. */
typedef struct shared_memory {
    cl_context context;
    void *counter, *out;
} shared_memory;

static void *shared_alloc(cl_context context, size_t bytes)
{
    void *const memory = clSVMAlloc(
        context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, bytes, 0);
    assert_non_null(memory);
    return memory;
}

static clsp_context *context_with_atomics(void)
{
    const uint32_t needed = CLSP_SVM_FINE_BUFFER | CLSP_SVM_ATOMICS;
    clsp_context *ctx = NULL;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    if ((ctx->device.svm & needed) == needed && clspi_pop_options(ctx)) return ctx;
    clsp_context_destroy(&ctx);
    return NULL;
}

static double value(const void *values, clsp_precision precision, size_t i)
{
    return precision == CLSP_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static void load(clsp_bezier_plan *plan, uint64_t seed)
{
    const size_t count = PATCHES * plan->points_per_patch;
    double *const wide = malloc(count * sizeof *wide);
    float *const narrow = malloc(count * sizeof *narrow);

    assert_true(wide && narrow);
    for (size_t i = 0; i < count; i++) {
        wide[i] = support_uniform(&seed);
        narrow[i] = (float)wide[i];
    }
    assert_ok(plan->ctx, plan->desc.precision == CLSP_F64
                             ? clsp_bezier_set_control_points_f64(plan, PATCHES, wide)
                             : clsp_bezier_set_control_points_f32(plan, PATCHES, narrow));
    free(wide);
    free(narrow);
}

/* Patches first .. first + count - 1 in both ways. */
static double compare(clsp_bezier_plan *plan, const clspi_bezier_tiling *tiling, size_t first,
                      size_t count)
{
    const clsp_precision precision = plan->desc.precision;
    const double eps = precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    const size_t reals = count * plan->vertices_per_patch * plan->desc.dim;
    const size_t bytes = reals * plan->real_bytes;
    const size_t layers = (count + tiling->patches_per_tile - 1) / tiling->patches_per_tile;
    const bool same = plan->ctx->device.device_class == CLSP_CLASS_CPU;
    char *const wanted = malloc(bytes);
    shared_memory memory = {plan->ctx->context, NULL, NULL};
    clspi_series series;
    double worst = 0.0;

    memory.counter = shared_alloc(memory.context, COUNTER_BYTES);
    memory.out = shared_alloc(memory.context, bytes + SUPPORT_GUARD);
    memset(memory.counter, 0, COUNTER_BYTES);
    support_poison(memory.out, bytes + SUPPORT_GUARD);
    assert_non_null(wanted);
    assert_null(clspi_bezier_shared_refusal(plan, count));
    clspi_series_begin(&series, plan->ctx, 0, NULL, NULL);
    assert_ok(plan->ctx, clspi_bezier_shared_enqueue(plan, &series, memory.counter, tiling,
                                                     layers * tiling->tiles_per_patch, first, count,
                                                     memory.out));
    assert_ok(plan->ctx, clspi_series_end(&series, NULL));
    assert_int_equal(clFinish(plan->ctx->queue), CL_SUCCESS);
    assert_ok(plan->ctx, precision == CLSP_F64
                             ? clsp_bezier_eval_f64(plan, first, count, (double *)wanted)
                             : clsp_bezier_eval_f32(plan, first, count, (float *)wanted));
    if (same) assert_memory_equal(memory.out, wanted, bytes);
    for (size_t i = 0; i < reals; i++) {
        const double error =
            fabs(value(memory.out, precision, i) - value(wanted, precision, i)) / eps;
        assert_true(error <= bound); /* not so for NaN */
        worst = fmax(worst, error);
    }
    assert_true(support_poisoned((char *)memory.out + bytes, SUPPORT_GUARD));
    clSVMFree(memory.context, memory.counter);
    clSVMFree(memory.context, memory.out);
    free(wanted);
    return worst / bound;
}

static void as_eval(void **state)
{
    static const struct {
        uint32_t order_u, order_v, num_u, num_v, dim;
        clspi_bezier_tiling tiling;
    } cases[] = {{4, 4, 37, 101, 3, {1, 8, 5}},   {1, 3, 1, 7, 2, {2, 1, 1}},
                 {12, 5, 64, 33, 3, {1, 32, 2}},  {13, 13, 40, 700, 4, {1, 16, 3}},
                 {32, 32, 19, 23, 1, {3, 24, 1}}, {101, 4, 17, 19, 3, {1, 8, 3}}};
    clsp_context *ctx = context_with_atomics();
    double worst = 0.0;

    (void)state;
    if (!ctx) skip_because("no SVM atomics");
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        const clsp_bezier_desc desc = {.precision = i % 2 ? CLSP_F64 : CLSP_F32,
                                       .degree_u = cases[i / 2].order_u - 1,
                                       .degree_v = cases[i / 2].order_v - 1,
                                       .dim = cases[i / 2].dim,
                                       .num_u = cases[i / 2].num_u,
                                       .num_v = cases[i / 2].num_v};
        const clspi_bezier_tiling *const tiling = &cases[i / 2].tiling;
        clspi_bezier_tiling coarse = {1, 0, 1};
        clsp_bezier_plan *plan = NULL;
        if (desc.precision == CLSP_F64 && !ctx->device.fp64) continue;
        assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &desc));
        load(plan, i + 1);
        worst = fmax(worst, compare(plan, tiling, 0, PATCHES));
        worst = fmax(worst, compare(plan, tiling, 2, 2));
        load(plan, i + 100);
        worst = fmax(worst, compare(plan, tiling, 0, 1));
        assert_ok(ctx, clsp_bezier_set_resolution(plan, 41, desc.num_v + 5, 0));
        coarse.tile_rows = 41;
        worst = fmax(worst, compare(plan, &coarse, 1, PATCHES - 1));
        clsp_bezier_plan_destroy(&plan);
    }
    print_message("worst/bound %.2f\n", worst);
    clsp_context_destroy(&ctx);
}

static void refuses(void **state)
{
    const clsp_bezier_desc descs[] = {
        {.degree_u = 3, .num_u = 9, .form = CLSP_BEZIER_CURVE},
        {.degree_u = 3, .degree_v = 3, .num_u = 9, .num_v = 9, .rational = 1},
        {.degree_u = 3, .degree_v = 3, .num_u = 9, .num_v = 9, .vertex_stride = 4},
        {.degree_u = 3, .degree_v = 3, .num_u = 9, .num_v = 9, .watertight = 1},
        {.degree_u = 3, .degree_v = 3, .num_u = 9, .num_v = 9, .method = CLSP_BEZIER_MULTILEVEL},
        {.degree_u = 3, .degree_v = 3},
    };
    clsp_context *ctx = context_with_atomics();
    clsp_bezier_plan *plan = NULL;

    (void)state;
    if (!ctx) skip_because("no SVM atomics");
    for (size_t i = 0; i < COUNT(descs); i++) {
        assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &descs[i]));
        assert_non_null(clspi_bezier_shared_refusal(plan, 1));
        clsp_bezier_plan_destroy(&plan);
    }
    clsp_bezier_desc fits = descs[1];
    fits.rational = 0;
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &fits));
    assert_null(clspi_bezier_shared_refusal(plan, 1));
    assert_non_null(clspi_bezier_shared_refusal(plan, INT32_MAX));
    assert_non_null(clspi_bezier_shared_refusal(plan, SIZE_MAX));
    clsp_bezier_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_eval), cmocka_unit_test(refuses)};

    if (support_no_device()) return support_no_device();
    return cmocka_run_group_tests_name("bezier_svm", tests, NULL, NULL);
}
