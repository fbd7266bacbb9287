/* Projections that devices and the host's cores share: every schedule against clsp_nearest_project,
   within the bounds of both; what the reports say, curves that change, joined devices, devices that
   drop out, and wrong arguments. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "hard_curves.h"
#include "schedule_fixture.h"

/* ---- jobs ---- */

typedef struct project_case {
    const char *name;
    uint32_t degree, controls, dim, rational;
    size_t num_curves, num;
    bool has_patches, has_hints;
    clsp_nearest_opts opts;
} project_case;

/* Curves, queries, and what clsp_nearest_project says of them. Reals are kept as doubles too. */
typedef struct project_job {
    project_case c;
    clsp_context *ctx;
    clsp_patch_plan *plan;
    clsp_type precision;
    size_t real, result, bytes; /* of a real; elements of a query's results; bytes of all */
    double scale;
    double *points;         /* [num][dim] */
    unsigned char *queries; /* the same in the precision */
    unsigned char *hints;
    uint32_t *patches;
    unsigned char *reference;
} project_job;

static double worst;

/* Random numbers of a precision. */
static unsigned char *random_reals(clsp_type precision, size_t num, double *values)
{
    unsigned char *const reals = malloc(num * sizeof(double) + 1);

    assert_non_null(reals);
    for (size_t i = 0; i < num; i++) {
        const double x = (double)(float)random_real();
        if (precision == CLSP_F64)
            ((double *)(void *)reals)[i] = x;
        else
            ((float *)(void *)reals)[i] = (float)x;
        if (values) values[i] = x;
    }
    return reals;
}

/* Random control points; weights are in [1, 3) / 2, and points then as far as 4. */
static void load_curves(project_job *j)
{
    const size_t coords = j->c.dim + j->c.rational;
    const size_t num = j->c.num_curves * j->c.controls * coords;
    unsigned char *const points = random_reals(j->precision, num, NULL);

    for (size_t i = coords - 1; j->c.rational && i < num; i += coords) {
        const double w = (random_real() + 2) / 2;
        if (j->precision == CLSP_F64)
            ((double *)(void *)points)[i] = w;
        else
            ((float *)(void *)points)[i] = (float)w;
    }
    assert_int_equal(clsp_patch_set_control_points(j->plan, j->c.num_curves,
                                                   host_in(j->precision, points, num), NULL),
                     CLSP_OK);
    free(points);
}

static clsp_nearest_queries queries_of(const project_job *j)
{
    clsp_nearest_queries q = {.num = j->c.num,
                              .points = host_in(j->precision, j->queries, j->c.num * j->c.dim)};

    if (j->c.has_patches) q.patches = host_in(CLSP_U32, j->patches, j->c.num);
    if (j->c.has_hints) q.hints = host_in(j->precision, j->hints, j->c.num);
    return q;
}

static clsp_output output_of(const project_job *j, void *out)
{
    return host_out(j->precision, out, j->c.num * j->result);
}

static void project_reference(project_job *j)
{
    const clsp_nearest_queries q = queries_of(j);

    memset(j->reference, POISON, j->bytes);
    assert_int_equal(clsp_nearest_project(j->plan, &q, &j->c.opts, output_of(j, j->reference),
                                          &(clsp_run){.share = &shared_ways[CLSP_SCHEDULE_DEVICE]}),
                     CLSP_OK);
}

static project_job start(clsp_context *ctx, const project_case *c, clsp_type precision)
{
    const uint32_t num_nearest = c->opts.num_nearest ? c->opts.num_nearest : 1;
    project_job j = {.c = *c, .ctx = ctx, .precision = precision, .scale = c->rational ? 4 : 1};

    const clsp_bspline_desc desc = {.directions = 1,
                                    .degree = {c->degree},
                                    .num_controls = {c->controls},
                                    .dim = c->dim,
                                    .rational = c->rational,
                                    .precision = precision};
    j.real = precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    j.result =
        (precision == CLSP_F64 ? CLSP_NEAREST_F64_SIZE : CLSP_NEAREST_F32_SIZE) * num_nearest;
    j.bytes = j.c.num * j.result * j.real;
    assert_int_equal(clsp_bspline_plan_create(&j.plan, ctx, &desc), CLSP_OK);
    load_curves(&j);
    j.points = malloc((j.c.num * c->dim + 1) * sizeof *j.points);
    j.patches = malloc((j.c.num + 1) * sizeof *j.patches);
    j.reference = malloc(j.bytes + 1);
    assert_true(j.points && j.patches && j.reference);
    j.queries = random_reals(precision, j.c.num * c->dim, j.points);
    j.hints = random_reals(precision, j.c.num, NULL);
    for (size_t i = 0; i < j.c.num; i++) /* the last of a hundred is no curve */
        j.patches[i] = (uint32_t)(i % 100 == 99 ? c->num_curves : i % c->num_curves);
    project_reference(&j);
    return j;
}

static void finish(project_job *j)
{
    clsp_patch_plan_destroy(&j->plan);
    assert_null(j->plan);
    free(j->points);
    free(j->queries);
    free(j->hints);
    free(j->patches);
    free(j->reference);
}

/* ---- results ---- */

/* Result k as doubles. */
static clsp_nearest_f64 result_of(const project_job *j, const unsigned char *results, size_t k)
{
    clsp_nearest_f64 wide = {0};
    clsp_nearest_f32 r;

    if (j->precision == CLSP_F64) {
        memcpy(&wide, results + k * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&r, results + k * sizeof r, sizeof r);
    wide.distance = (double)r.distance;
    wide.bound = (double)r.bound;
    for (int i = 0; i < 3; i++)
        wide.param[i] = (double)r.param[i];
    for (int i = 0; i < 4; i++)
        wide.point[i] = (double)r.point[i];
    wide.patch = r.patch;
    wide.status = r.status;
    return wide;
}

/* How far two distances may differ: coordinates are sums of degree + 1 terms, coefficients of the
   squared distance are off by (dim + degree + 4) / 2 eps; twice as much with weights, and for
   two. */
static double may_differ(const project_job *j, double distance)
{
    const double eps = j->precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const uint32_t degree = j->c.degree;

    return 2 * eps * (1 + j->c.rational) *
           ((j->c.dim + degree + 8) * distance + (16 + degree) * j->scale);
}

/* Judges what a processor says where there is no result. NaNs may have other bits. */
static void check_same_none(const clsp_nearest_f64 *got, const clsp_nearest_f64 *wanted)
{
    assert_int_equal(got->status, wanted->status);
    assert_int_equal(got->patch, UINT32_MAX);
    assert_true(isinf(got->distance) && isnan(got->point[0]) && isnan(got->point[3]) &&
                isnan(got->param[0]) && isnan(got->param[2]));
    assert_true(isnan(wanted->bound) ? isnan(got->bound) : got->bound == wanted->bound);
}

/* Judges a result of query k by one that another processor has found. is_next: it is not the
   nearest one, so that its bound may be lower. */
static void check_result(const project_job *j, size_t k, bool is_next, const clsp_nearest_f64 *got,
                         const clsp_nearest_f64 *wanted)
{
    const bool is_found = got->status <= CLSP_NEAREST_CUT;
    double square = 0;

    if (is_found != (wanted->status <= CLSP_NEAREST_CUT)) { /* just within max_dist, or not */
        const double distance = fmin(got->distance, wanted->distance);
        assert_true(fabs(distance - j->c.opts.max_dist) <= may_differ(j, distance));
        return;
    }
    if (!is_found) {
        check_same_none(got, wanted);
        return;
    }
    const double slack = may_differ(j, wanted->distance);
    worst = support_worse(worst, fabs(got->distance - wanted->distance) / slack);
    for (uint32_t i = 0; i < j->c.dim; i++)
        square += pow(got->point[i] - j->points[k * j->c.dim + i], 2);
    if (!(fabs(got->distance - wanted->distance) <= slack) ||
        !(fabs(sqrt(square) - got->distance) <= slack))
        fail_msg("%s: query %zu: %g, not %g", j->c.name, k, got->distance, wanted->distance);
    assert_true(got->bound <= got->distance && got->bound <= wanted->distance + slack);
    assert_true(got->status == CLSP_NEAREST_CUT || is_next ||
                got->bound >= got->distance - 2 * slack);
    assert_true(got->patch < j->c.num_curves);
    if (j->c.has_patches) assert_int_equal(got->patch, j->patches[k]);
}

static void check_results(void *work, const unsigned char *results, bool same_bits)
{
    const project_job *const j = work;

    if (memcmp(results, j->reference, j->bytes) == 0) return;
    if (same_bits) fail_msg("%s: other bits", j->c.name);
    const size_t each = j->c.opts.num_nearest ? j->c.opts.num_nearest : 1;
    for (size_t k = 0; k < j->c.num * each; k++) {
        const clsp_nearest_f64 got = result_of(j, results, k);
        const clsp_nearest_f64 wanted = result_of(j, j->reference, k);
        check_result(j, k / each, k % each > 0, &got, &wanted);
    }
}

/* ---- every schedule ---- */

static clsp_status project(void *work, void *out, const clsp_share *opts, clsp_report *report)
{
    const project_job *const j = work;
    const clsp_nearest_queries q = queries_of(j);

    return clsp_nearest_project(
        j->plan, &q, &j->c.opts, output_of(j, out),
        &(clsp_run){.share = opts ? opts : &(clsp_share){.num_workers = 0}, .report = report});
}

static shared_call call_of(project_job *j)
{
    return (shared_call){.name = j->c.name,
                         .ctx = j->ctx,
                         .bytes = j->bytes,
                         .element = j->real,
                         .host = true,
                         .work = j,
                         .call = project,
                         .check = check_results};
}

static const project_case cases[] = {
    {"a cubic", 3, 30, 3, 0, 1, 7001, 0, 0, {0}},
    {"which curve", 3, 9, 2, 0, 40, 3000, 1, 0, {0}},
    {"hints", 3, 30, 3, 0, 7, 3000, 1, 1, {0}},
    {"hints of one", 3, 30, 3, 0, 1, 1000, 0, 1, {.max_dist = 0.25}},
    {"rational", 2, 9, 2, 1, 20, 2000, 0, 0, {0}},
    {"high and near", 9, 20, 3, 0, 3, 1500, 0, 0, {.max_dist = 0.125}},
    {"several", 3, 30, 3, 0, 1, 1000, 0, 0, {.num_nearest = 4}},
    {"several, all", 3, 9, 2, 1, 20, 500, 1, 1, {.num_nearest = 16, .max_dist = 0.5}},
    {"no query", 3, 30, 3, 0, 1, 0, 0, 0, {0}},
    {"a query", 3, 30, 3, 0, 1, 1, 0, 0, {0}},
    {"a tile and one", 3, 30, 3, 0, 1, 65, 0, 0, {0}},
};

static project_case reduced_case(const project_case *c)
{
    project_case r = *c;

    if (tiny()) r.num = c->num % 150;
    return r;
}

static void check_cases(clsp_context *ctx, clsp_type precision)
{
    assert_int_equal(clsp_context_set_speeds(ctx, ""), CLSP_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (tiny() && i % 2 == (precision == CLSP_F64)) continue;
        const project_case c = reduced_case(&cases[i]);
        project_job j = start(ctx, &c, precision);
        const shared_call call = call_of(&j);
        for (size_t k = 0; k < SHARED_WAYS; k++)
            shared_check_way(&call, (memory_kind)((i + k) % KINDS), &shared_ways[k]);
        finish(&j);
    }
}

static void test_schedules(void **state)
{
    (void)state;
    each_turn(shared_limits, SHARED_LIMITS, 1, check_cases);
    print_message("worst/bound %.2f\n", worst);
}

/* The host alone on curves that are hard to project onto, against the oracle. */
static void test_hard(void **state)
{
    static const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    enum { QUERIES = 60 };
    clsp_context *ctx = context_with("");

    (void)state;
    for (size_t i = 0; i < 2 * HARD_CURVES; i++) {
        if ((i % 2 && !has_fp64(ctx)) || (tiny() && i % 6)) continue;
        curves c = hard_curves(i / 2, i % 2 ? CLSP_F64 : CLSP_F32);
        double *const queries = make_queries(&c, QUERIES);
        projecting p = project_start(ctx, &c, QUERIES, queries);
        p.share = &host;
        check_all_nearest(&p);
        project_finish(&p);
        free(queries);
        curves_free(&c);
    }
    print_message("worst/bound %.2f, %zu cut\n", project_worst(), project_cut());
    clsp_context_destroy(&ctx);
}

static void test_auto(void **state)
{
    clsp_context *ctx = context_with("");
    const project_case c = reduced_case(&cases[0]);
    project_job j = start(ctx, &c, CLSP_F32);
    const shared_call call = call_of(&j);

    (void)state;
    shared_check_auto(&call, PLAIN);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* Memory that is not aligned to its elements, which takes part in shares as other memory does. */
static void test_unaligned(void **state)
{
    clsp_context *ctx = context_with("");
    const project_case c = reduced_case(&cases[2]);
    project_job j = start(ctx, &c, CLSP_F32);
    unsigned char *const out = malloc(j.bytes + 1);
    unsigned char *const in = malloc(j.c.num * (j.c.dim + 2) * j.real + 3);
    unsigned char *const hints = in + 1 + j.c.num * j.c.dim * j.real;
    unsigned char *const patches = hints + 1 + j.c.num * j.real;

    (void)state;
    assert_non_null(out);
    assert_non_null(in);
    memcpy(in + 1, j.queries, j.c.num * j.c.dim * j.real);
    memcpy(hints + 1, j.hints, j.c.num * j.real);
    memcpy(patches + 1, j.patches, j.c.num * sizeof *j.patches);
    const clsp_nearest_queries q = {.num = j.c.num,
                                    .points = host_in(CLSP_F32, in + 1, j.c.num * j.c.dim),
                                    .patches = host_in(CLSP_U32, patches + 1, j.c.num),
                                    .hints = host_in(CLSP_F32, hints + 1, j.c.num)};
    for (size_t k = 0; k < SHARED_WAYS; k++) {
        clsp_report r;
        if (shared_ways[k].schedule == CLSP_SCHEDULE_SVM) continue;
        memset(out, POISON, j.bytes + 1);
        assert_int_equal(clsp_nearest_project(j.plan, &q, NULL, output_of(&j, out + 1),
                                              &(clsp_run){.share = &shared_ways[k], .report = &r}),
                         CLSP_OK);
        check_report(&r, 2);
        assert_int_equal(out[0], POISON);
        check_results(&j, out + 1, shared_ways[k].schedule == CLSP_SCHEDULE_DEVICE);
    }
    free(out);
    free(in);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* ---- curves that change, several devices ---- */

static void check_all_ways(project_job *j, uint32_t num_processors, uint64_t tiles[])
{
    const shared_call call = call_of(j);
    clsp_report r;

    project_reference(j);
    for (size_t k = 0; k < SHARED_WAYS; k++) {
        shared_check_call(&call, (memory_kind)(k % KINDS), &shared_ways[k], num_processors, true,
                          &r);
        for (uint32_t p = 0; p < num_processors; p++)
            tiles[p] += r.processors[p].tiles;
    }
}

static void check_changes(clsp_context *ctx, uint32_t num_processors, uint64_t tiles[])
{
    const project_case c = reduced_case(&cases[0]);
    project_job j = start(ctx, &c, CLSP_F32);

    check_all_ways(&j, num_processors, tiles);
    load_curves(&j);
    check_all_ways(&j, num_processors, tiles);
    j.c.num_curves = 11;
    load_curves(&j);
    check_all_ways(&j, num_processors, tiles);
    j.c.num_curves = 0;
    load_curves(&j);
    check_all_ways(&j, num_processors, tiles);
    finish(&j);
}

static void test_changes(void **state)
{
    clsp_context *ctx = context_with("");
    uint64_t tiles[2] = {0};

    (void)state;
    check_changes(ctx, 2, tiles);
    assert_true(tiles[0] > 0 && tiles[1] > 0);
    clsp_context_destroy(&ctx);
}

static void test_same_device_twice(void **state)
{
    clsp_share devices = {.schedule = CLSP_SCHEDULE_STATIC, .static_ratio = -1};
    clsp_report r;

    (void)state;
    shared_skip_on_oclgrind();
    clsp_context *ctx = context_with(""), *other = context_apart("");
    uint64_t tiles[3] = {0};
    assert_int_equal(clsp_context_join(ctx, other), CLSP_OK);
    check_changes(ctx, 3, tiles);
    assert_true(tiles[0] > 0 && tiles[2] > 0);
    project_job j = start(ctx, &cases[6], CLSP_F32); /* by devices alone; tiles for both */
    const shared_call call = call_of(&j);
    tiles[0] = tiles[1] = 0;
    for (int i = 0; i < 20 && (tiles[0] == 0 || tiles[1] == 0); i++) { /* speeds may differ */
        assert_int_equal(clsp_context_set_speeds(ctx, ""), CLSP_OK);
        shared_check_call(&call, PLAIN, &devices, 3, true, &r);
        assert_int_equal(host_of(&r)->tiles, 0);
        tiles[0] += r.processors[0].tiles;
        tiles[1] += r.processors[1].tiles;
    }
    assert_true(tiles[0] > 0 && tiles[1] > 0);
    finish(&j);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

/* There are tiles for all processors, whatever the size of the tests. */
static void check_dropping(clsp_context *ctx)
{
    project_job j = start(ctx, &cases[0], CLSP_F64);
    const shared_call call = call_of(&j);

    shared_check_drop_out(&call, SHARED);
    finish(&j);
}

/* A joined device without doubles drops out, and the others make its tiles. */
static void test_drops_out(void **state)
{
    (void)state;
    shared_with_drop_out(check_dropping);
}

/* ---- wrong arguments ---- */

static clsp_status call(const project_job *j, const clsp_nearest_queries *q,
                        const clsp_nearest_opts *opts, clsp_output out)
{
    return clsp_nearest_project(j->plan, q, opts, out,
                                &(clsp_run){.share = &(clsp_share){.num_workers = 0}});
}

static void check_wrong_memory(const project_job *j, unsigned char *out)
{
    const clsp_status bad = CLSP_ERROR_ARGUMENT, small = CLSP_ERROR_BUFFER_SIZE;
    const clsp_output good = output_of(j, out);
    cl_mem buffer = buffer_of(j->ctx, j->bytes, NULL);
    clsp_nearest_queries q = queries_of(j);

    assert_int_equal(call(j, &q, NULL, clsp_out_buffer(buffer, CLSP_F32, 0)), bad);
    assert_int_equal(call(j, &q, NULL, host_out(CLSP_F64, out, j->bytes / 8)), bad);
    assert_int_equal(call(j, &q, NULL, host_out(CLSP_F32, NULL, 0)), bad);
    assert_int_equal(call(j, &q, NULL, host_out(CLSP_F32, out, j->c.num * j->result - 1)), small);
    q.points = clsp_in_buffer(buffer, CLSP_F32, 0);
    assert_int_equal(call(j, &q, NULL, good), bad);
    q.points = host_in(CLSP_F32, j->queries, j->c.num * j->c.dim - 1);
    assert_int_equal(call(j, &q, NULL, good), small);
    q.points = host_in(CLSP_F32, NULL, 0);
    assert_int_equal(call(j, &q, NULL, good), bad);
    q = queries_of(j);
    q.patches = host_in(CLSP_U32, j->patches, j->c.num - 1);
    assert_int_equal(call(j, &q, NULL, good), small);
    q.patches = host_in(CLSP_F32, j->patches, j->c.num);
    assert_int_equal(call(j, &q, NULL, good), bad);
    q = queries_of(j);
    q.hints = clsp_in_buffer(buffer, CLSP_F32, 0);
    assert_int_equal(call(j, &q, NULL, good), bad);
    q = queries_of(j);
    q.num = SIZE_MAX / 4;
    assert_int_equal(call(j, &q, NULL, good), CLSP_ERROR_NO_MEMORY);
    clReleaseMemObject(buffer);
}

static void check_wrong_options(const project_job *j, unsigned char *out)
{
    const clsp_nearest_opts wrong[] = {{.method = (clsp_nearest_method)7},
                                       {.num_nearest = 17},
                                       {.max_dist = -1},
                                       {.max_dist = NAN},
                                       {.reserved = {1}}};
    const clsp_share wrong_share[] = {{.schedule = (clsp_schedule)CLSP_NUM_SCHEDULES},
                                      {.static_ratio = 1.5},
                                      {.reserved = {0, 1}}};
    clsp_nearest_queries q = queries_of(j);

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(call(j, &q, &wrong[i], output_of(j, out)), CLSP_ERROR_ARGUMENT);
    for (size_t i = 0; i < COUNT(wrong_share); i++)
        assert_int_equal(clsp_nearest_project(j->plan, &q, NULL, output_of(j, out),
                                              &(clsp_run){.share = &wrong_share[i]}),
                         CLSP_ERROR_ARGUMENT);
    q.patches = host_in(CLSP_U32, NULL, 0); /* there are several curves */
    assert_int_equal(call(j, &q, NULL, output_of(j, out)), CLSP_ERROR_ARGUMENT);
    assert_int_equal(call(j, NULL, NULL, output_of(j, out)), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_nearest_project(NULL, &q, NULL, output_of(j, out),
                                          &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
                     CLSP_ERROR_ARGUMENT);
}

static void test_wrong_arguments(void **state)
{
    const project_case c = {"wrong", 3, 9, 2, 0, 3, 70, 1, 1, {0}};
    clsp_context *ctx = context_with("");
    project_job j = start(ctx, &c, CLSP_F32);
    memory m = take_memory(ctx, PLAIN, j.bytes, j.real);
    clsp_bspline_desc desc = {.degree = {1, 1, 1}, .num_controls = {4, 4, 4}};
    const clsp_nearest_queries q = queries_of(&j);
    clsp_patch_plan *plan;

    (void)state;
    check_wrong_memory(&j, m.out);
    check_wrong_options(&j, m.out);
    for (uint32_t directions = 1; directions <= 3; directions++) {
        desc.directions = directions;
        assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &desc), CLSP_OK);
        assert_int_equal(
            clsp_nearest_project(plan, &q, NULL, output_of(&j, m.out),
                                 &(clsp_run){.share = &(clsp_share){.num_workers = 0}}),
            directions < 3 ? CLSP_ERROR_STATE : CLSP_ERROR_ARGUMENT);
        clsp_patch_plan_destroy(&plan);
    }
    assert_poison(m.out, m.bytes);
    free_memory(&m);
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* ---- tiles ---- */

/* One of two threads that make tiles by a processor. */
typedef struct tile_thread {
    const project_job *j;
    clsp_schedule by;
    unsigned char *out;
    size_t index, num_tiles, failures;
} tile_thread;

static void *make_tiles(void *argument)
{
    tile_thread *const t = argument;
    const project_job *const j = t->j;
    const clsp_nearest_queries q = queries_of(j);

    t->num_tiles = t->index + 1;
    for (size_t tile = t->index; tile < t->num_tiles; tile += 2) {
        const clsp_share share = {.schedule = t->by, .tiles = {tile, 1}};
        clsp_tiling tiling;
        clsp_run run = {.share = &share, .tiling = &tiling};
        if (clsp_nearest_project(j->plan, &q, &j->c.opts, (clsp_output){0}, &run) != CLSP_OK) break;
        clsp_output out = output_of(j, t->out + tiling.elements.first * j->real);
        out.size = tiling.elements.count;
        run.tiling = NULL;
        t->failures += clsp_nearest_project(j->plan, &q, &j->c.opts, out, &run) != CLSP_OK;
        t->num_tiles = tiling.num_tiles;
    }
    return NULL;
}

/* Tiles have the bits that the same processor gives them in the whole job. */
static void check_tiles(project_job *j, clsp_schedule by)
{
    const clsp_share share = {.schedule = by};
    memory whole = take_memory(j->ctx, PLAIN, j->bytes, j->real);
    memory tiles = take_memory(j->ctx, PLAIN, j->bytes, j->real);
    tile_thread t[2] = {{j, by, tiles.out, 0, 0, 0}, {j, by, tiles.out, 1, 0, 0}};
    pthread_t thread;

    assert_int_equal(project(j, whole.out, &share, NULL), CLSP_OK);
    if (by == CLSP_SCHEDULE_HOST) { /* calls by the device take turns */
        assert_int_equal(pthread_create(&thread, NULL, make_tiles, &t[0]), 0);
        make_tiles(&t[1]);
        pthread_join(thread, NULL);
    } else {
        make_tiles(&t[0]);
        make_tiles(&t[1]);
    }
    assert_int_equal(t[0].failures + t[1].failures, 0);
    assert_memory_equal(whole.out, tiles.out, j->bytes);
    free_memory(&whole);
    free_memory(&tiles);
}

static void test_tiles(void **state)
{
    const project_case c = {"tiles", 3, 9, 2, 0, 3, 700, 1, 1, {0}};
    clsp_context *ctx = context_with("");
    project_job j = start(ctx, &c, CLSP_F32);

    (void)state;
    check_tiles(&j, CLSP_SCHEDULE_DEVICE);
    check_tiles(&j, CLSP_SCHEDULE_HOST);
    finish(&j);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_hard),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_unaligned),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_same_device_twice),
        cmocka_unit_test(test_drops_out),
        cmocka_unit_test(test_wrong_arguments),
    };

    if (support_no_device()) return 77;
    support_stand_in();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
