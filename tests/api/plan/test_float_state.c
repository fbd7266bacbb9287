/* Numbers below the least normal float: what sums give of them, that weights may make up for basis
   values so small, and that the state of the caller's thread in which floats are computed is its
   own after calls, after errors and in callbacks, and no search sees another. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "support.h"
#include "tile_fixture.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

enum { DEGREE = 31, CONTROLS = DEGREE + 1, NUM = 64, SIZE = 128, PATCHES = 40 };

/* ---- the state of a thread ---- */

/* What floats do: which of their operands and results below the least normal one are 0, and how
   results are rounded. */
typedef struct float_state {
    bool flushes, reads_zero, rounds_up;
    unsigned control; /* where it is known */
} float_state;

static float_state state_now(void)
{
    volatile float least = FLT_MIN, half = 0.5f, small = 0x1p-140f, large = 0x1p60f, one = 1.0f;
    volatile float result = least * half, read = small * large, sum = one + least;
    float_state state = {.flushes = result == 0.0f, .reads_zero = read == 0.0f};

    state.rounds_up = sum > 1.0f;
#ifdef __x86_64__
    state.control = _mm_getcsr() & 0xffc0u;
#endif
    return state;
}

static bool is_same(float_state a, float_state b)
{
    return a.flushes == b.flushes && a.reads_zero == b.reads_zero && a.rounds_up == b.rounds_up &&
           a.control == b.control;
}

/* What the log's function looks for. */
typedef struct watch {
    float_state wanted;
    int messages, others; /* of all messages those in another state */
} watch;

static void look(void *user, clsp_log_level level, const char *message)
{
    watch *const w = user;

    (void)level;
    (void)message;
    w->messages++;
    w->others += !is_same(state_now(), w->wanted);
}

/* ---- calls ---- */

/* Plans of what is summed in floats. */
typedef struct plans {
    clsp_context *ctx;
    clsp_patch_plan *grid;
    clsp_image_plan *image;
    float points[PATCHES * 16 * 3], samples[SIZE * SIZE];
    float vertices[PATCHES * NUM * NUM * 3], values[SIZE * SIZE], listed[64 * 3];
} plans;

static void fill(float *to, size_t num, double scale, uint64_t seed)
{
    for (size_t k = 0; k < num; k++)
        to[k] = (float)(scale * support_uniform(&seed));
}

static clsp_patch_plan *surface_plan(clsp_context *ctx, const clsp_bezier_desc *desc)
{
    clsp_patch_plan *plan = NULL;

    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, desc));
    return plan;
}

static void start(plans *p, watch *w)
{
    const clsp_context_opts opts = {.log = look, .log_user = w};
    const clsp_bezier_desc grid = {.degree = {3, 3}, .axis = {{.num = NUM}, {.num = NUM}}};
    const clsp_image_desc image = {.size = {SIZE, SIZE}, .order = CLSP_IMAGE_CUBIC};

    memset(p, 0, sizeof *p);
    w->wanted = state_now();
    assert_ok(NULL, clsp_context_create(&p->ctx, NULL, &opts));
    p->grid = surface_plan(p->ctx, &grid);
    assert_ok(p->ctx, clsp_image_plan_create(&p->image, p->ctx, &image));
    fill(p->points, PATCHES * 16 * 3, 1.0, 1);
    fill(p->samples, SIZE * SIZE, 1.0, 2);
    assert_ok(p->ctx, clsp_patch_set_control_points(
                          p->grid, PATCHES, clsp_in_f32(p->points, PATCHES * 16 * 3), NULL));
}

static void finish(plans *p)
{
    clsp_patch_plan_destroy(&p->grid);
    clsp_image_plan_destroy(&p->image);
    clsp_context_destroy(&p->ctx);
}

/* Makes everything by a schedule, or without a share; the state is looked at after every call. */
static void check_calls(plans *p, watch *w, clsp_schedule schedule)
{
    const clsp_range patches = {0, PATCHES}, one = {0, 1};
    static const float params[2 * 64] = {0.5f, 0x1p-100f, 0x1p-130f, 1.0f};
    const clsp_points list = {.params = clsp_in_f32(params, 2 * 64), .num = 64};
    clsp_share share = {.schedule = schedule};
    const clsp_run shared = {.share = &share}, *const run = schedule ? &shared : NULL;

    assert_ok(p->ctx, clsp_patch_eval(p->grid, patches,
                                      clsp_out_f32(p->vertices, sizeof p->vertices / 4), run));
    assert_true(is_same(state_now(), w->wanted));
    assert_ok(p->ctx,
              clsp_image_set_samples(p->image, 1, clsp_in_f32(p->samples, SIZE * SIZE), run));
    assert_true(is_same(state_now(), w->wanted));
    assert_ok(p->ctx,
              clsp_image_eval(p->image, one, NULL, clsp_out_f32(p->values, SIZE * SIZE), run));
    assert_true(is_same(state_now(), w->wanted));
    assert_ok(p->ctx,
              clsp_patch_eval_points(p->grid, &list, clsp_out_f32(p->listed, 64 * 3), NULL));
    assert_true(is_same(state_now(), w->wanted));
    share.static_ratio = 2.0; /* which none is */
    const int messages = w->messages;
    assert_int_not_equal(clsp_patch_eval(p->grid, patches, clsp_out_f32(p->vertices, 8), run),
                         CLSP_OK);
    assert_true(is_same(state_now(), w->wanted) && w->messages > messages);
}

static void check_all_calls(plans *p, watch *w)
{
    w->wanted = state_now();
    check_calls(p, w, CLSP_SCHEDULE_DEFAULT);
    check_calls(p, w, CLSP_SCHEDULE_HOST);
    check_calls(p, w, CLSP_SCHEDULE_DYNAMIC);
    assert_int_equal(eval_by_caller(p->grid, (clsp_range){0, PATCHES},
                                    clsp_out_f32(p->vertices, PATCHES * NUM * NUM * 3)),
                     CLSP_OK);
    assert_true(is_same(state_now(), w->wanted));
    assert_int_equal(w->others, 0);
}

/* The state stays the caller's, whichever it is. */
static void test_state(void **state)
{
    static plans p;
    watch w = {.messages = 0};

    (void)state;
    start(&p, &w);
    check_all_calls(&p, &w);
#ifdef __x86_64__
    const unsigned before = _mm_getcsr();
    static const unsigned bits[] = {0x8000, 0x0040, 0x8040, 0x4000};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        _mm_setcsr(before | bits[i]);
        check_all_calls(&p, &w);
        _mm_setcsr(before);
    }
#endif
    w.wanted = state_now();
    finish(&p);
    assert_int_equal(w.others, 0);
}

/* ---- small control points ---- */

/* Evaluates one patch, of a description, by the calling thread (by_host) or as the library does. */
static void eval_one(clsp_context *ctx, const clsp_bezier_desc *desc, clsp_input points,
                     clsp_output out, bool by_host)
{
    clsp_patch_plan *plan = surface_plan(ctx, desc);
    const clsp_range all = {0, 1};

    assert_ok(ctx, clsp_patch_set_control_points(plan, 1, points, NULL));
    assert_ok(ctx,
              by_host ? eval_by_caller(plan, all, out) : clsp_patch_eval(plan, all, out, NULL));
    clsp_patch_plan_destroy(&plan);
}

/* Bicubic patches whose first coordinate is of ordinary size and whose others are not: these are
   off by no more than the least normal float for each sum, the first keeps its bound. */
static void test_small_points(void **state)
{
    const clsp_bezier_desc desc = {.degree = {3, 3}, .axis = {{.num = NUM}, {.num = NUM}}};
    static float out[NUM * NUM * 3];
    float points[16 * 3];
    clsp_context *ctx = NULL;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    for (size_t k = 0; k < 16; k++) {
        points[3 * k] = 1.0f;
        points[3 * k + 1] = 0x1p-130f;
        points[3 * k + 2] = -0x1.8p-126f;
    }
    for (int by_host = 0; by_host < 2; by_host++) {
        eval_one(ctx, &desc, clsp_in_f32(points, 16 * 3), clsp_out_f32(out, NUM * NUM * 3),
                 by_host);
        for (size_t v = 0; v < NUM * NUM; v++) {
            assert_true(fabsf(out[3 * v] - 1.0f) <= 8 * FLT_EPSILON);
            assert_true(out[3 * v + 1] >= 0.0f && out[3 * v + 1] <= 0x1.001p-130f);
            assert_true(out[3 * v + 2] <= 0.0f && out[3 * v + 2] >= -0x1.801p-126f);
        }
    }
    clsp_context_destroy(&ctx);
}

/* Doubles are never flushed: patches of them have their bound at the least number's size. */
static void test_small_doubles(void **state)
{
    const clsp_bezier_desc desc = {
        .degree = {3, 3}, .axis = {{.num = NUM}, {.num = NUM}}, .precision = CLSP_F64};
    static double out[NUM * NUM * 3];
    double points[16 * 3];
    clsp_context *ctx = NULL;

    (void)state;
    if (!support_device().fp64) skip_because("the device has no doubles");
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    for (size_t k = 0; k < 16 * 3; k++)
        points[k] = 0x1p-1040;
    eval_one(ctx, &desc, clsp_in_f64(points, 16 * 3), clsp_out_f64(out, NUM * NUM * 3), true);
    for (size_t k = 0; k < NUM * NUM * 3; k++)
        assert_true(fabs(out[k] - 0x1p-1040) <= 16 * 0x1p-1074);
    clsp_context_destroy(&ctx);
}

/* Samples come back as they are by orders 0 and 1, however small; by others they may be 0. */
static void test_small_samples(void **state)
{
    static const clsp_image_order orders[] = {CLSP_IMAGE_NEAREST_SAMPLE, CLSP_IMAGE_LINEAR,
                                              CLSP_IMAGE_CUBIC};
    enum { SMALL = 16, ALL = SMALL * SMALL };
    clsp_share share = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_run shared = {.share = &share};
    const clsp_range all = {0, 1};
    float samples[ALL], values[ALL];
    clsp_context *ctx = NULL;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    fill(samples, ALL, 0x1p-130, 6);
    for (size_t i = 0; i < 6; i++) {
        const clsp_run *const run = i % 2 ? &shared : NULL;
        const clsp_image_desc desc = {.size = {SMALL, SMALL}, .order = orders[i / 2]};
        clsp_image_plan *plan = NULL;
        assert_ok(ctx, clsp_image_plan_create(&plan, ctx, &desc));
        assert_ok(ctx, clsp_image_set_samples(plan, 1, clsp_in_f32(samples, ALL), run));
        assert_ok(ctx, clsp_image_eval(plan, all, NULL, clsp_out_f32(values, ALL), run));
        if (i / 2 < 2) assert_memory_equal(values, samples, sizeof samples);
        for (size_t k = 0; k < ALL; k++)
            assert_true(fabsf(values[k] - samples[k]) <= 0x1p-120f);
        clsp_image_plan_destroy(&plan);
    }
    clsp_context_destroy(&ctx);
}

/* ---- weights ---- */

/* Makes homogeneous points of degrees DEGREE and 1 whose weights rise by as many powers of 10 along
   u. */
static void make_rising(float points[CONTROLS * 2 * 4], double powers)
{
    uint64_t seed = 5;

    for (size_t k = 0; k < CONTROLS * 2; k++) {
        const double weight = pow(10.0, powers * ((double)(k / 2) / DEGREE - 0.5));
        for (size_t c = 0; c < 3; c++)
            points[4 * k + c] = (float)(weight * support_uniform(&seed));
        points[4 * k + 3] = (float)weight;
    }
}

/* Returns how far a vertex at (a, b) of the grid is from its place, over (42) of docs/math.md. */
static double error_over_bound(const float *points, const float *vertex, uint32_t a, uint32_t b)
{
    const long double u = (long double)a / (NUM - 1), v = (long double)b / (NUM - 1);
    long double sum[4] = {0}, size[3] = {0}, binomial = 1.0L;
    double worst = 0.0;

    for (int i = 0; i < CONTROLS; binomial = binomial * (DEGREE - i) / (i + 1), i++)
        for (int j = 0; j < 2; j++) {
            const long double of =
                binomial * powl(u, i) * powl(1 - u, DEGREE - i) * (j ? v : 1 - v);
            for (int c = 0; c < 4; c++) {
                const long double term = of * (long double)points[4 * (2 * i + j) + c];
                sum[c] += term;
                if (c < 3) size[c] += fabsl(term);
            }
        }
    for (int c = 0; c < 3; c++) {
        const long double off = fabsl((long double)vertex[c] - sum[c] / sum[3]);
        worst = support_worse(worst, (double)(off / (8 * FLT_EPSILON * size[c] / sum[3])));
    }
    return worst;
}

/* Weights that rise over 50 powers of 10 make basis values near 2^-140 count. */
static void test_weights(void **state)
{
    const clsp_bezier_desc desc = {
        .degree = {DEGREE, 1}, .rational = 1, .axis = {{.num = NUM}, {.num = NUM}}};
    static float points[CONTROLS * 2 * 4], out[NUM * NUM * 3];
    clsp_context *ctx = NULL;
    double worst = 0.0;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    for (int powers = 10; powers <= 50; powers += 10) {
        make_rising(points, powers);
        for (int by_host = 0; by_host < 2; by_host++) {
            eval_one(ctx, &desc, clsp_in_f32(points, CONTROLS * 2 * 4),
                     clsp_out_f32(out, NUM * NUM * 3), by_host);
            for (uint32_t v = 0; v < NUM * NUM; v++)
                worst =
                    support_worse(worst, error_over_bound(points, out + 3 * v, v / NUM, v % NUM));
        }
    }
    print_message("worst/bound %.2f\n", worst);
    assert_true(worst <= 1.0);
    clsp_context_destroy(&ctx);
}

/* ---- searches ---- */

/* Searches of surfaces whose squares are below the least normal float find the same bits before and
   after, and while, other calls have been made by the same threads. */
static void test_searches(void **state)
{
    const clsp_bezier_desc desc = {.degree = {3, 3}, .axis = {{.num = 2}, {.num = 2}}};
    enum { QUERIES = 200 };
    static clsp_nearest_f32 found[2][QUERIES];
    static float points[PATCHES * 16 * 3], queries[QUERIES * 3];
    static plans p;
    watch w = {.messages = 0};

    (void)state;
    start(&p, &w);
    clsp_patch_plan *plan = surface_plan(p.ctx, &desc);
    fill(points, PATCHES * 16 * 3, 0x1p-64, 3);
    fill(queries, QUERIES * 3, 0x1p-64, 4);
    assert_ok(p.ctx, clsp_patch_set_control_points(plan, PATCHES,
                                                   clsp_in_f32(points, PATCHES * 16 * 3), NULL));
    const clsp_nearest_queries of = {.points = clsp_in_f32(queries, QUERIES * 3), .num = QUERIES};
    for (int i = 0; i < 2; i++) {
        assert_ok(p.ctx, clsp_nearest_project(plan, &of, NULL,
                                              clsp_out_nearest_f32(found[i], QUERIES), NULL));
        if (i == 0) check_all_calls(&p, &w);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    clsp_patch_plan_destroy(&plan);
    finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_state),         cmocka_unit_test(test_small_points),
        cmocka_unit_test(test_small_doubles), cmocka_unit_test(test_weights),
        cmocka_unit_test(test_searches),      cmocka_unit_test(test_small_samples),
    };

    support_begin();
    return cmocka_run_group_tests_name("float state", tests, NULL, NULL);
}
