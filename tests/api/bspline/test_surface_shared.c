/* Projections onto surfaces that a GPU, joined devices and the host's cores share: every schedule
   against the device alone, bits where devices alone take part and bounds where the host does;
   normals; tiles; surfaces that change; devices that drop out; memory that is not aligned. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "memory_fixture.h"
#include "schedule_fixture.h"

enum { SIDE = 9, PATCHES = 2, REALS = PATCHES * SIDE * SIDE * 3, NORMAL = 4, MOST = 25000 };

typedef struct surface_case {
    const char *name;
    size_t num;
    bool has_patches, has_hints, has_normals;
    double max_dist;
} surface_case;

/* Surfaces, queries, and what the context's device alone says of them. */
typedef struct surface_job {
    surface_case c;
    clsp_context *ctx;
    clsp_patch_plan *plan;
    clsp_type precision;
    size_t bytes; /* of the results */
    double points[3 * MOST], hints[2 * MOST];
    float narrow_points[3 * MOST], narrow_hints[2 * MOST];
    uint32_t patches[MOST];
    double normals[NORMAL * MOST], reference_normals[NORMAL * MOST]; /* or floats */
    unsigned char reference[MOST * sizeof(clsp_nearest_f64)];
} surface_job;

static surface_job of_tests;
static double worst;

static size_t real_of(const surface_job *j)
{
    return j->precision == CLSP_F64 ? sizeof(double) : sizeof(float);
}

/* ---- jobs ---- */

/* Heights over the square [0, 1]^2, and the same 0.75 along. */
static void load_surfaces(surface_job *j)
{
    double points[REALS];
    float narrow[REALS];

    for (size_t i = 0; i < REALS; i += 3) {
        const size_t at = i / 3 % (SIDE * SIDE);
        points[i] = (double)(at / SIDE) / (SIDE - 1) + (i < REALS / 2 ? 0.0 : 0.75);
        points[i + 1] = (double)(at % SIDE) / (SIDE - 1);
        points[i + 2] = 0.3 * random_real();
    }
    for (size_t i = 0; i < REALS; i++) {
        narrow[i] = (float)points[i];
        points[i] = (double)narrow[i];
    }
    assert_ok(j->ctx,
              clsp_patch_set_control_points(j->plan, PATCHES,
                                            j->precision == CLSP_F64 ? clsp_in_f64(points, REALS)
                                                                     : clsp_in_f32(narrow, REALS),
                                            NULL));
}

static void make_queries(surface_job *j)
{
    for (size_t i = 0; i < 3 * MOST; i++) {
        j->narrow_points[i] = (float)(i % 3 == 2 ? random_real() : 1.2 * random_real());
        j->points[i] = (double)j->narrow_points[i];
    }
    for (size_t i = 0; i < 2 * MOST; i++) {
        j->narrow_hints[i] = (float)fabs(random_real());
        j->hints[i] = (double)j->narrow_hints[i];
    }
    for (size_t i = 0; i < MOST; i++) /* the last of a hundred is no surface */
        j->patches[i] = i % 100 == 99 ? PATCHES : i % PATCHES;
}

static clsp_input reals_in(const surface_job *j, const double *wide, const float *narrow,
                           size_t num)
{
    return j->precision == CLSP_F64 ? clsp_in_f64(wide, num) : clsp_in_f32(narrow, num);
}

/* Projects into memory, with normals into others. run may be NULL. */
static clsp_status project_into(surface_job *j, void *out, void *normals, const clsp_run *run)
{
    const size_t num = j->c.num;
    const clsp_output of_normals = host_out(j->precision, normals, NORMAL * num);
    const clsp_nearest_opts opts = {.max_dist = j->c.max_dist,
                                    .normals = j->c.has_normals ? &of_normals : NULL};
    clsp_nearest_queries q = {.num = num,
                              .points = reals_in(j, j->points, j->narrow_points, 3 * num)};

    if (j->c.has_patches) q.patches = clsp_in_u32(j->patches, num);
    if (j->c.has_hints) q.hints = reals_in(j, j->hints, j->narrow_hints, 2 * num);
    return clsp_nearest_project(j->plan, &q, &opts,
                                host_out(j->precision, out, j->bytes / real_of(j)), run);
}

static void project_reference(surface_job *j)
{
    memset(j->reference, POISON, sizeof j->reference);
    memset(j->reference_normals, POISON, sizeof j->reference_normals);
    assert_ok(j->ctx, project_into(j, j->reference, j->reference_normals, NULL));
}

static surface_job *start(clsp_context *ctx, const surface_case *c, clsp_type precision)
{
    const clsp_bspline_desc desc = {
        .degree = {3, 3}, .num_controls = {SIDE, SIDE}, .precision = precision};
    surface_job *const j = &of_tests;

    j->c = *c;
    if (support_tiny()) j->c.num = c->num % 149;
    j->ctx = ctx;
    j->precision = precision;
    j->bytes =
        j->c.num * (precision == CLSP_F64 ? sizeof(clsp_nearest_f64) : sizeof(clsp_nearest_f32));
    assert_ok(ctx, clsp_bspline_plan_create(&j->plan, ctx, &desc));
    make_queries(j);
    load_surfaces(j);
    project_reference(j);
    return j;
}

static void finish(surface_job *j)
{
    clsp_patch_plan_destroy(&j->plan);
}

/* ---- results ---- */

/* What a result says, and its normal. */
typedef struct answer {
    uint32_t status, patch;
    double distance, bound, point[3], normal[NORMAL];
} answer;

static answer answer_of(const surface_job *j, const unsigned char *results, const double *normals,
                        size_t k)
{
    answer a = {0};

    if (j->precision == CLSP_F64) {
        clsp_nearest_f64 r;
        memcpy(&r, results + k * sizeof r, sizeof r);
        a = (answer){r.status, r.patch, r.distance, r.bound, {r.point[0], r.point[1], r.point[2]},
                     {0}};
        memcpy(a.normal, normals + NORMAL * k, sizeof a.normal);
        return a;
    }
    clsp_nearest_f32 r;
    memcpy(&r, results + k * sizeof r, sizeof r);
    a = (answer){r.status,
                 r.patch,
                 (double)r.distance,
                 (double)r.bound,
                 {(double)r.point[0], (double)r.point[1], (double)r.point[2]},
                 {0}};
    for (size_t i = 0; i < NORMAL; i++) {
        float x;
        memcpy(&x, (const float *)(const void *)normals + NORMAL * k + i, sizeof x);
        a.normal[i] = (double)x;
    }
    return a;
}

/* Judges a result of the host by the device's. */
static void check_result(const surface_job *j, size_t k, const answer *got, const answer *wanted)
{
    const double eps = j->precision == CLSP_F32 ? 2.5e-7 : 1e-12;
    const double slack = eps * (4 + wanted->distance);

    assert_int_equal(got->status, wanted->status);
    if (got->status > CLSP_NEAREST_CUT) {
        assert_true(isinf(got->distance) && got->patch == UINT32_MAX);
        return;
    }
    worst = support_worse(worst, fabs(got->distance - wanted->distance) / slack);
    if (!(fabs(got->distance - wanted->distance) <= slack))
        fail_msg("%s: query %zu: %.9g, not %.9g", j->c.name, k, got->distance, wanted->distance);
    assert_true(got->bound <= wanted->distance && wanted->bound <= got->distance);
    if (!j->c.has_normals) return;
    const double signed_off = fabs(fabs(got->normal[3]) - got->distance);
    assert_true(isnan(got->normal[3]) || signed_off <= 2 * slack);
}

static void check_results(void *work, const unsigned char *results, bool same_bits)
{
    const surface_job *const j = work;
    const size_t normal_bytes = j->c.has_normals ? j->c.num * NORMAL * real_of(j) : 0;

    if (memcmp(results, j->reference, j->bytes) == 0 &&
        memcmp(j->normals, j->reference_normals, normal_bytes) == 0)
        return;
    if (same_bits) fail_msg("%s: other bits", j->c.name);
    for (size_t k = 0; k < j->c.num; k++) {
        const answer got = answer_of(j, results, j->normals, k);
        const answer wanted = answer_of(j, j->reference, j->reference_normals, k);
        check_result(j, k, &got, &wanted);
    }
}

static clsp_status project(void *work, void *out, const clsp_share *opts, clsp_report *report)
{
    surface_job *const j = work;

    memset(j->normals, POISON, sizeof j->normals);
    return project_into(
        j, out, j->normals,
        &(clsp_run){.share = opts ? opts : &(clsp_share){.num_workers = 0}, .report = report});
}

static shared_call call_of(surface_job *j)
{
    return (shared_call){.name = j->c.name,
                         .ctx = j->ctx,
                         .bytes = j->bytes,
                         .element = real_of(j),
                         .host = true,
                         .work = j,
                         .call = project,
                         .check = check_results};
}

/* ---- every schedule ---- */

static const surface_case cases[] = {
    {"plain", 3000, false, false, false, 0},
    {"normals", 1500, false, false, true, 0},
    {"patches, hints, near", 1200, true, true, true, 0.25},
    {"a query", 1, false, false, true, 0},
    {"a tile and one", 65, true, true, false, 0},
    {"no query", 0, false, false, true, 0},
};

/* A device that is taken for a GPU. */
static clsp_context *gpu_context(bool apart)
{
    static const char limits[] = "class=discrete,local_is_real=1";

    return apart ? context_apart(limits) : context_with(limits);
}

static void test_schedules(void **state)
{
    clsp_context *ctx = gpu_context(false);

    (void)state;
    if (!has_fp64(ctx)) skip_because("the device has no doubles");
    assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        surface_job *const j = start(ctx, &cases[i / 2], i % 2 ? CLSP_F64 : CLSP_F32);
        const shared_call call = call_of(j);
        for (size_t k = 0; k < SHARED_WAYS; k++)
            shared_check_way(&call, (memory_kind)((i + k) % KINDS), &shared_ways[k]);
        finish(j);
    }
    print_message("worst/bound %.2g\n", worst);
    clsp_context_destroy(&ctx);
}

/* Chunks so large that what they read is written beside kernels. */
static void test_large(void **state)
{
    static const surface_case large = {"large", MOST, true, true, false, 0};
    static const clsp_schedule schedules[] = {CLSP_SCHEDULE_DEVICE, CLSP_SCHEDULE_STATIC,
                                              CLSP_SCHEDULE_DYNAMIC};
    clsp_context *ctx = gpu_context(false);
    clsp_report r;

    (void)state;
    if (!has_fp64(ctx)) skip_because("the device has no doubles");
    surface_job *const j = start(ctx, &large, CLSP_F64);
    const shared_call call = call_of(j);
    for (size_t k = 0; k < COUNT(schedules); k++) {
        const clsp_share share = {.schedule = schedules[k], .bit_equal = k < 2};
        shared_check_call(&call, PLAIN, &share, 2, true, &r);
    }
    finish(j);
    clsp_context_destroy(&ctx);
}

static void test_auto(void **state)
{
    clsp_context *ctx = gpu_context(false);

    (void)state;
    if (!has_fp64(ctx)) skip_because("the device has no doubles");
    surface_job *const j = start(ctx, &cases[1], CLSP_F32);
    const shared_call call = call_of(j);
    shared_check_auto(&call, PLAIN);
    finish(j);
    clsp_context_destroy(&ctx);
}

/* Projects a tile that the calling thread makes. */
static void project_tile(surface_job *j, void *out, void *normals)
{
    static const clsp_share tile = {.schedule = CLSP_SCHEDULE_HOST, .tiles = {0, 1}};

    memset(out, POISON, j->bytes);
    assert_ok(j->ctx, project_into(j, out, normals, &(clsp_run){.share = &tile}));
}

/* Memory that is not aligned to its elements, which takes part in shares as other memory does. */
static void test_unaligned(void **state)
{
    clsp_context *ctx = gpu_context(false);
    clsp_report r;

    (void)state;
    if (!has_fp64(ctx)) skip_because("the device has no doubles");
    surface_job *const j = start(ctx, &cases[1], CLSP_F32);
    const size_t of_normals = j->c.num * NORMAL * sizeof(float);
    unsigned char *const out = malloc(j->bytes + 1), *const results = malloc(j->bytes);
    unsigned char *const normals = malloc(of_normals + 1);
    assert_true(out && results && normals);
    for (size_t k = 0; k < SHARED_WAYS; k++) {
        assert_ok(ctx, project_into(j, out + 1, normals + 1,
                                    &(clsp_run){.share = &shared_ways[k], .report = &r}));
        check_report(&r, 2);
        memcpy(j->normals, normals + 1, of_normals);
        check_results(j, out + 1, shared_ways[k].bit_equal);
    }
    project_tile(j, out + 1, normals + 1);
    project_tile(j, results, j->normals);
    assert_memory_equal(out + 1, results, j->bytes);
    free(out);
    free(results);
    free(normals);
    finish(j);
    clsp_context_destroy(&ctx);
}

/* ---- several devices ---- */

static void check_joined(surface_job *j, uint64_t tiles[])
{
    const shared_call call = call_of(j);
    clsp_report r;

    project_reference(j);
    for (size_t k = 0; k < SHARED_WAYS; k++) {
        shared_check_call(&call, (memory_kind)(k % KINDS), &shared_ways[k], 3, true, &r);
        for (uint32_t p = 0; p < 3; p++)
            tiles[p] += r.processors[p].tiles;
    }
}

/* A device that has joined itself, and surfaces that change in between. */
static void test_joined(void **state)
{
    clsp_share devices = {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1};
    uint64_t tiles[3] = {0};
    clsp_report r;

    (void)state;
    shared_skip_on_oclgrind();
    clsp_context *ctx = gpu_context(false), *other = gpu_context(true);
    if (!has_fp64(ctx)) skip_because("the device has no doubles");
    assert_ok(ctx, clsp_context_join(ctx, other));
    surface_job *const j = start(ctx, &cases[1], CLSP_F32);
    check_joined(j, tiles);
    load_surfaces(j);
    check_joined(j, tiles);
    if (!support_tiny()) assert_true(tiles[0] > 0 && tiles[1] > 0 && tiles[2] > 0);
    const shared_call call = call_of(j);
    shared_check_call(&call, PLAIN, &devices, 3, true, &r);
    assert_int_equal(host_of(&r)->tiles, 0);
    finish(j);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

/* A joined device that is no GPU makes nothing, and the others all. */
static void test_drop_out(void **state)
{
    static const clsp_share devices = {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1};
    clsp_report r;

    (void)state;
    shared_skip_on_oclgrind();
    clsp_context *ctx = gpu_context(false), *other = context_apart("class=cpu");
    if (!has_fp64(ctx)) skip_because("the device has no doubles");
    assert_ok(ctx, clsp_context_join(ctx, other));
    surface_job *const j = start(ctx, &cases[0], CLSP_F64);
    const shared_call call = call_of(j);
    shared_check_call(&call, PLAIN, &devices, 3, true, &r);
    assert_int_equal(r.processors[1].tiles, 0);
    if (r.num_tiles > 1) assert_int_equal(r.processors[1].status, CLSP_ERROR_NO_DEVICE);
    finish(j);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules), cmocka_unit_test(test_large),
        cmocka_unit_test(test_auto),      cmocka_unit_test(test_unaligned),
        cmocka_unit_test(test_joined),    cmocka_unit_test(test_drop_out),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
