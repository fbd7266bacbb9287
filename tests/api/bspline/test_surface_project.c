/* Projection onto surfaces by the public calls of both families: against the oracle, onto models
   with poles, the same bits however calls are cut, memory of every kind, shares and tiles, control
   points that change, normals and
   signed distances, and bad input. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "memory_fixture.h"
#include "schedule_fixture.h"
#include "surface_cases.h"
#include "surface_ref.h"
#include "vertex_fixture.h"

enum { PATCHES_MAX = 28, MANY = 5000 };

static uint64_t state_of_queries;
static double worst;

/* ---- surfaces ---- */

/* Patches of one plan, of either family, and their oracles. */
typedef struct surfaces {
    clsp_context *ctx;
    clsp_type precision;
    unsigned degree, controls, dim, coords;
    bool rational;
    size_t num, patch_reals;
    double knots[64];
    double *points;
    ref_surface *oracle[PATCHES_MAX];
    clsp_patch_plan *plan;
} surfaces;

static clsp_input reals_in(const surfaces *s, const double *reals, size_t num, float *narrow)
{
    for (size_t i = 0; i < num; i++)
        narrow[i] = (float)reals[i];
    return s->precision == CLSP_F64 ? clsp_in_f64(reals, num) : clsp_in_f32(narrow, num);
}

static void load(const surfaces *s)
{
    const size_t num = s->num * s->patch_reals;
    float *const narrow = malloc((num + 1) * sizeof *narrow);

    assert_non_null(narrow);
    const clsp_input points = reals_in(s, s->points, num, narrow);
    assert_ok(s->ctx, clsp_patch_set_control_points(s->plan, s->num, points, NULL));
    free(narrow);
}

static void make_oracles(surfaces *s)
{
    static const double one[2] = {0, 1};

    for (size_t i = 0; i < s->num; i++) {
        const ref_bspline r = {.directions = 2,
                               .degree = {s->degree, s->degree},
                               .controls = {s->controls, s->controls, 1},
                               .knots = {s->knots, s->knots, one},
                               .dim = s->dim,
                               .rational = s->rational,
                               .points = s->points + i * s->patch_reals};
        ref_surface_free(s->oracle[i]);
        s->oracle[i] = ref_surface_make(&r);
        assert_non_null(s->oracle[i]);
    }
}

/* Makes the plan of control points that stand in *s. */
static void start(surfaces *s, clsp_context *ctx, bool as_bezier)
{
    s->ctx = ctx;
    for (size_t i = 0; s->precision == CLSP_F32 && i < s->num * s->patch_reals; i++)
        s->points[i] = (double)(float)s->points[i];
    make_oracles(s);
    if (as_bezier) {
        const clsp_bezier_desc d = {.degree = {s->degree, s->degree},
                                    .precision = s->precision,
                                    .dim = s->dim,
                                    .rational = s->rational};
        assert_ok(ctx, clsp_bezier_plan_create(&s->plan, ctx, &d));
    } else {
        const clsp_bspline_desc d = {.degree = {s->degree, s->degree},
                                     .num_controls = {s->controls, s->controls},
                                     .precision = s->precision,
                                     .dim = s->dim,
                                     .rational = s->rational};
        assert_ok(ctx, clsp_bspline_plan_create(&s->plan, ctx, &d));
    }
    load(s);
}

static void finish(surfaces *s)
{
    clsp_patch_plan_destroy(&s->plan);
    for (size_t i = 0; i < PATCHES_MAX; i++)
        ref_surface_free(s->oracle[i]);
    free(s->points);
    memset(s, 0, sizeof *s);
}

static surfaces case_of(const surface_case *c, clsp_type precision, size_t num)
{
    surfaces s = {.precision = precision,
                  .degree = c->degree,
                  .controls = surface_case_controls(c),
                  .dim = c->dim,
                  .coords = c->dim + (c->rational != 0),
                  .rational = c->rational != 0,
                  .num = num};

    s.patch_reals = (size_t)s.controls * s.controls * s.coords;
    s.points = malloc(num * s.patch_reals * sizeof *s.points);
    assert_non_null(s.points);
    surface_case_knots(c, s.knots);
    for (size_t i = 0; i < num; i++) {
        surface_case_points(c, s.points + i * s.patch_reals);
        for (size_t k = 0; k < s.patch_reals && i > 0; k++) /* each elsewhere */
            if (k % s.coords == 0)
                s.points[i * s.patch_reals + k] +=
                    0.75 * (double)i * (s.rational ? s.points[k + s.dim] : 1);
    }
    return s;
}

/* Reads a file of Bezier patches of one kind: a kind, two degrees and control points each. */
static surfaces model_of(const char *name, clsp_type precision)
{
    surfaces s = {.precision = precision, .dim = 3};
    char path[512], line[256];
    size_t at = 0;

    snprintf(path, sizeof path, "%s/%s", DATA_FOLDER, name);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    s.points = malloc((size_t)PATCHES_MAX * 16 * 4 * sizeof *s.points);
    assert_non_null(s.points);
    while (fgets(line, sizeof line, file)) {
        double x[4];
        const int num = sscanf(line, "%lf %lf %lf %lf", &x[0], &x[1], &x[2], &x[3]);
        if (num == 1) s.rational = x[0] == 8;
        if (num == 1) s.num++;
        if (num == 2) s.degree = (unsigned)x[0];
        for (int k = 0; num >= 3 && k < num; k++)
            s.points[at++] = x[k];
    }
    fclose(file);
    s.controls = s.degree + 1;
    s.coords = 3 + s.rational;
    s.patch_reals = (size_t)s.controls * s.controls * s.coords;
    assert_true(s.num <= PATCHES_MAX && at == s.num * s.patch_reals);
    for (unsigned i = 0; i < 2 * s.controls; i++)
        s.knots[i] = i >= s.controls;
    return s;
}

/* ---- queries ---- */

/* Points on the surfaces, beside them, about them and far away: [num][dim]. */
static double *make_queries(const surfaces *s, size_t num)
{
    double *const queries = malloc(num * s->dim * sizeof *queries);

    assert_non_null(queries);
    for (size_t i = 0; i < num; i++) {
        const double u = surface_case_uniform(&state_of_queries),
                     v = surface_case_uniform(&state_of_queries);
        const double off = i % 4 == 0 ? 0 : i % 4 == 1 ? 1e-3 : i % 4 == 2 ? 0.5 : 2;
        long double on[4];
        ref_surface_point(s->oracle[i % s->num], i % 7 == 3 ? 0 : u, i % 9 == 5 ? 1 : v, on, NULL);
        for (unsigned k = 0; k < s->dim; k++) {
            const double x = (double)on[k] + off * (surface_case_uniform(&state_of_queries) - 0.5);
            queries[i * s->dim + k] = s->precision == CLSP_F32 ? (double)(float)x : x;
        }
    }
    return queries;
}

static size_t result_bytes(const surfaces *s)
{
    return s->precision == CLSP_F32 ? sizeof(clsp_nearest_f32) : sizeof(clsp_nearest_f64);
}

static clsp_output results_out(const surfaces *s, void *results, size_t num)
{
    return s->precision == CLSP_F32 ? clsp_out_nearest_f32(results, num)
                                    : clsp_out_nearest_f64(results, num);
}

static clsp_status project(const surfaces *s, const clsp_nearest_queries *queries,
                           const clsp_nearest_opts *opts, clsp_output out, const clsp_run *run)
{
    return clsp_nearest_project(s->plan, queries, opts, out, run);
}

/* The results of points first .. first + count - 1 of the host's, freed by the caller. */
static unsigned char *results_of(const surfaces *s, const double *points, size_t first,
                                 size_t count, const clsp_run *run)
{
    unsigned char *const results = malloc(count * result_bytes(s) + 1);
    float *const narrow = malloc((count * s->dim + 1) * sizeof *narrow);

    assert_true(results && narrow);
    const clsp_nearest_queries queries = {
        .num = count, .points = reals_in(s, points + first * s->dim, count * s->dim, narrow)};
    assert_ok(s->ctx, project(s, &queries, NULL, results_out(s, results, count), run));
    free(narrow);
    return results;
}

static clsp_nearest_f64 result_at(const surfaces *s, const unsigned char *results, size_t i)
{
    clsp_nearest_f32 narrow;
    clsp_nearest_f64 r;

    if (s->precision == CLSP_F64) {
        memcpy(&r, results + i * sizeof r, sizeof r);
        return r;
    }
    memcpy(&narrow, results + i * sizeof narrow, sizeof narrow);
    r = (clsp_nearest_f64){.distance = (double)narrow.distance,
                           .bound = (double)narrow.bound,
                           .patch = narrow.patch,
                           .status = narrow.status};
    for (int k = 0; k < 4; k++)
        r.point[k] = (double)narrow.point[k];
    for (int k = 0; k < 3; k++)
        r.param[k] = (double)narrow.param[k];
    return r;
}

/* Fails unless a result is the oracle's nearest point, with a bound that holds. */
static void check(const surfaces *s, const double *query, const clsp_nearest_f64 *r)
{
    const double eps = s->precision == CLSP_F32 ? 1e-6 : 1e-12;
    ref_foot foot = {.distance = INFINITY};
    double size = 1;

    for (size_t i = 0; i < s->num * s->patch_reals; i++)
        size = fmax(size, fabs(s->points[i]));
    for (size_t i = 0; i < s->num; i++)
        ref_surface_nearest(s->oracle[i], query, support_full() ? 5 : 3, &foot);
    const double most = eps * (size + (double)foot.distance);
    worst = support_worse(worst, (r->distance - (double)foot.distance) / most);
    assert_int_equal(r->status, CLSP_NEAREST_FOUND);
    assert_true(r->distance <= (double)foot.distance + most && r->bound <= r->distance);
    assert_true(r->bound <= foot.distance + 32 * LDBL_EPSILON * size && r->patch < s->num);
    assert_true(r->distance - r->bound <= 2 * most);
}

/* Fails unless results are those of another search: the same bits, or, where the host has searched
   for what a GPU did, as near and with bounds that hold. */
static void check_same(const surfaces *s, const unsigned char *some, const unsigned char *all,
                       size_t num, bool by_another)
{
    const double eps = s->precision == CLSP_F32 ? 4e-7 : 2e-12;

    if (!by_another) assert_memory_equal(some, all, num * result_bytes(s));
    for (size_t i = 0; i < num && by_another; i++) {
        const clsp_nearest_f64 x = result_at(s, some, i), y = result_at(s, all, i);
        assert_int_equal(x.status, y.status);
        if (x.status != CLSP_NEAREST_FOUND) continue;
        assert_true(fabs(x.distance - y.distance) <= eps * (4 + y.distance));
        assert_true(x.bound <= y.distance && y.bound <= x.distance);
    }
}

/* Whether a call is searched for by a GPU, and the host's own tiles by its search. */
static bool has_gpu_search(clsp_context *ctx)
{
    const clsp_device_info info = device_of(ctx);

    return info.fp64 &&
           (info.device_class == CLSP_CLASS_DISCRETE || info.device_class == CLSP_CLASS_INTEGRATED);
}

static void check_some(surfaces *s, size_t num)
{
    double *const queries = make_queries(s, num);
    unsigned char *const results = results_of(s, queries, 0, num, NULL);

    for (size_t i = 0; i < num; i++) {
        const clsp_nearest_f64 r = result_at(s, results, i);
        check(s, queries + i * s->dim, &r);
    }
    free(results);
    free(queries);
}

/* ---- tests ---- */

static const surface_case cases[] = {
    {SURFACE_SMOOTH, 3, 6, 3, 0}, {SURFACE_SPIKY, 2, 4, 3, 1}, {SURFACE_CLOUD, 4, 2, 2, 0},
    {SURFACE_SMOOTH, 5, 3, 4, 1}, {SURFACE_SPIKY, 1, 5, 3, 0}, {SURFACE_CLOUD, 3, 2, 3, 1},
};

static const clsp_type precisions[] = {CLSP_F32, CLSP_F64};

/* Whether a case is left to runs of more than tiny size, which take every second one: kernels are
   compiled for each surface in each precision. */
static bool is_for_larger_runs(size_t i)
{
    return support_tiny() && i % 2 != i / 2 % 2;
}

/* Whether a device has the precision of a case. */
static bool is_there(clsp_context *ctx, clsp_type precision)
{
    return precision == CLSP_F32 || device_of(ctx).fp64;
}

static void test_cases(void **state)
{
    clsp_context *const ctx = lent_context("");

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        if (!is_there(ctx, precisions[i % 2]) || is_for_larger_runs(i)) continue;
        surfaces s = case_of(&cases[i / 2], precisions[i % 2], 1 + i / 2 % 3);
        start(&s, ctx, false);
        check_some(&s, support_full() ? 60 : 20);
        finish(&s);
    }
    print_message("worst/bound %.2g\n", worst);
}

/* Models with poles, by both families. */
static void test_models(void **state)
{
    static const char *const names[] = {"teapot.bv", "sphere.bv"};
    clsp_context *const ctx = lent_context("");

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        if (!is_there(ctx, precisions[i / 2 % 2])) continue;
        surfaces s = model_of(names[i % 2], precisions[i / 2 % 2]);
        start(&s, ctx, i / 4 == 0);
        check_some(&s, support_full() ? 60 : 24);
        finish(&s);
    }
    print_message("worst/bound %.2g\n", worst);
}

/* However points are cut into calls, and in whatever order they are searched for, the bits are the
   same, shared or not, save where the host shares what a GPU searches for. */
static void test_same_bits(void **state)
{
    static const size_t ends[] = {1, 2, 65, 300, MANY};
    static const clsp_share shares[] = {{.schedule = CLSP_SCHEDULE_DYNAMIC},
                                        {.schedule = CLSP_SCHEDULE_DEVICE},
                                        {.schedule = CLSP_SCHEDULE_HOST}};
    clsp_context *const ctx = lent_context("");

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        surfaces s = case_of(&cases[i], CLSP_F32, 2);
        start(&s, ctx, false);
        double *const queries = make_queries(&s, MANY);
        queries[3] = NAN;
        unsigned char *const all = results_of(&s, queries, 0, MANY, NULL);
        const size_t each = result_bytes(&s);
        for (size_t k = 0, first = 0; k < COUNT(ends); first = ends[k++]) {
            unsigned char *const some = results_of(&s, queries, first, ends[k] - first, NULL);
            assert_memory_equal(some, all + first * each, (ends[k] - first) * each);
            free(some);
        }
        for (size_t k = 0; k < COUNT(shares); k++) {
            clsp_report report;
            unsigned char *const some = results_of(
                &s, queries, 0, MANY, &(clsp_run){.share = &shares[k], .report = &report});
            check_same(&s, some, all, MANY, has_gpu_search(ctx) && host_of(&report)->tiles > 0);
            free(some);
        }
        free(all);
        free(queries);
        finish(&s);
    }
}

/* Tiles that the calling thread makes are what the whole call makes of them. */
static void test_tiles(void **state)
{
    clsp_context *const ctx = lent_context("");
    surfaces s = case_of(&cases[0], CLSP_F32, 1);
    clsp_tiling tiling;

    (void)state;
    start(&s, ctx, false);
    double *const points = make_queries(&s, MANY);
    float *const narrow = malloc(MANY * 3 * sizeof *narrow);
    clsp_nearest_f32 *const some = malloc(MANY * sizeof *some);
    assert_true(narrow && some);
    unsigned char *const all = results_of(&s, points, 0, MANY, NULL);
    const clsp_nearest_queries queries = {.num = MANY,
                                          .points = reals_in(&s, points, MANY * 3, narrow)};
    const clsp_output out = results_out(&s, some, MANY);
    assert_ok(ctx, project(&s, &queries, NULL, out, &(clsp_run){.tiling = &tiling}));
    assert_true(tiling.num_tiles > 1);
    for (size_t k = 0; k < tiling.num_tiles; k++) {
        const clsp_share share = {.schedule = k % 2 ? CLSP_SCHEDULE_HOST : CLSP_SCHEDULE_DEVICE,
                                  .tiles = {k, 1}};
        assert_ok(
            ctx, project(&s, &queries, NULL, out, &(clsp_run){.share = &share, .tiling = &tiling}));
        const size_t first = tiling.elements.first / CLSP_NEAREST_F32_SIZE;
        const size_t count = tiling.elements.count / CLSP_NEAREST_F32_SIZE;
        memset(some, 0, MANY * sizeof *some);
        assert_ok(ctx, project(&s, &queries, NULL, out, &(clsp_run){.share = &share}));
        check_same(&s, (const unsigned char *)some, all + first * sizeof *some, count,
                   has_gpu_search(ctx) && share.schedule == CLSP_SCHEDULE_HOST);
    }
    free(all);
    free(some);
    free(narrow);
    free(points);
    finish(&s);
}

/* Inputs of one kind of memory and results of another. */
static void test_memory(void **state)
{
    enum { STORED = 37 };
    clsp_context *const ctx = lent_context("");
    surfaces s = case_of(&cases[1], CLSP_F32, 3);
    float points[3 * STORED], hints[2 * STORED];
    uint32_t patches[STORED];
    clsp_nearest_f32 expected[STORED];

    (void)state;
    start(&s, ctx, false);
    double *const wide = make_queries(&s, STORED);
    for (size_t i = 0; i < STORED; i++) {
        patches[i] = (uint32_t)(i % 3);
        hints[2 * i] = i % 4 ? 0.5f : NAN;
        hints[2 * i + 1] = 0.25f;
    }
    const clsp_nearest_queries host = {.num = STORED,
                                       .points = reals_in(&s, wide, 3 * STORED, points),
                                       .patches = clsp_in_u32(patches, STORED),
                                       .hints = clsp_in_f32(hints, 2 * STORED)};
    assert_ok(ctx, project(&s, &host, NULL, results_out(&s, expected, STORED), NULL));
    for (int k = 0; k < STORE_KINDS * STORE_KINDS; k++) {
        const store_kind from = (store_kind)(k / STORE_KINDS), to = (store_kind)(k % STORE_KINDS);
        if (!has_kind(ctx, from) || !has_kind(ctx, to)) continue;
        store in = store_make(ctx, from, CLSP_F32, 3, 3 * STORED, points);
        store of = store_make(ctx, from, CLSP_U32, 5, STORED, patches);
        store near = store_make(ctx, from, CLSP_F32, 0, 2 * STORED, hints);
        store out = store_make(ctx, to, CLSP_F32, 7, (size_t)STORED * CLSP_NEAREST_F32_SIZE, NULL);
        const clsp_nearest_queries queries = {.num = STORED,
                                              .points = store_in(&in),
                                              .patches = store_in(&of),
                                              .hints = store_in(&near)};
        assert_ok(ctx, project(&s, &queries, NULL, store_out(&out), NULL));
        assert_memory_equal(store_read(&out), expected, sizeof expected);
        store_free(&in);
        store_free(&of);
        store_free(&near);
        store_free(&out);
    }
    free(wide);
    finish(&s);
}

/* Behind an event of the user's nothing is read before it, and events that are given are over. */
static void test_events(void **state)
{
    clsp_context *const ctx = lent_context("");
    const cl_command_queue queue = clsp_context_queue(ctx);
    surfaces s = case_of(&cases[0], CLSP_F32, 1);
    clsp_nearest_f32 results[16];
    float narrow[48];
    cl_event written, projected;

    (void)state;
    start(&s, ctx, false);
    double *const points = make_queries(&s, 16);
    unsigned char *const expected = results_of(&s, points, 0, 16, NULL);
    reals_in(&s, points, 48, narrow);
    const cl_mem in = buffer_of(ctx, sizeof narrow, NULL),
                 out = buffer_of(ctx, sizeof results, NULL);
    assert_int_equal(
        clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, sizeof narrow, narrow, 0, NULL, &written),
        CL_SUCCESS);
    const clsp_nearest_queries queries = {.num = 16, .points = clsp_in_buffer(in, 0, 0)};
    assert_ok(ctx, project(&s, &queries, NULL, clsp_out_buffer(out, 0, 0),
                           &(clsp_run){.num_wait = 1, .wait = &written, .done = &projected}));
    assert_int_equal(
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof results, results, 1, &projected, NULL),
        CL_SUCCESS);
    assert_memory_equal(results, expected, sizeof results);
    clReleaseEvent(written);
    clReleaseEvent(projected);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    free(expected);
    free(points);
    finish(&s);
}

/* What is searched are the control points loaded last. */
static void test_changes(void **state)
{
    clsp_context *const ctx = lent_context("");
    surfaces s = case_of(&cases[0], CLSP_F32, 2);

    (void)state;
    start(&s, ctx, false);
    check_some(&s, 8);
    for (size_t i = 0; i < 2 * s.patch_reals; i++)
        s.points[i] = (double)(float)(-0.5 * s.points[i]);
    make_oracles(&s);
    load(&s);
    check_some(&s, 8);
    s.num = 1;
    load(&s);
    check_some(&s, 8);
    finish(&s);
}

/* ---- normals and signed distances ---- */

/* The results of points with their normals and signed distances, [num][4], as doubles; all freed by
   the caller. */
typedef struct sides {
    unsigned char *results;
    double *normals;
} sides;

static sides sides_of(const surfaces *s, const double *points, size_t num, const clsp_run *run)
{
    sides made = {malloc(num * result_bytes(s) + 1), malloc((4 * num + 1) * sizeof(double))};
    float *const narrow = malloc((num * s->dim + 1) * sizeof *narrow);
    float *const normals = malloc((4 * num + 1) * sizeof *normals);

    assert_true(made.results && made.normals && narrow && normals);
    const bool is_wide = s->precision == CLSP_F64;
    const clsp_output to =
        is_wide ? clsp_out_f64(made.normals, 4 * num) : clsp_out_f32(normals, 4 * num);
    const clsp_nearest_queries queries = {.num = num,
                                          .points = reals_in(s, points, num * s->dim, narrow)};
    assert_ok(s->ctx, project(s, &queries, &(clsp_nearest_opts){.normals = &to},
                              results_out(s, made.results, num), run));
    for (size_t i = 0; i < 4 * num && !is_wide; i++)
        made.normals[i] = (double)normals[i];
    free(narrow);
    free(normals);
    return made;
}

static void sides_free(sides *made)
{
    free(made->results);
    free(made->normals);
}

/* How often a side was known and how often it was not. */
typedef struct side_count {
    size_t known, open;
} side_count;

/* Whether a parameter is within the domain, of degree 1 between knots, where creases are. */
static bool is_smooth_at(const surfaces *s, double param)
{
    const unsigned spans = s->controls - s->degree;
    const double at = param * spans;

    if (s->degree == 1 && fabs(at - round(at)) < 1e-5) return false;
    return fabs(param - 0.5) < 0.49;
}

/* Compares with the oracle's normal at the nearest point, and its side where the way there is along
   the normal, or clearly not. */
static void check_side(const surfaces *s, const double *query, const clsp_nearest_f64 *r,
                       const double *normal, side_count *count)
{
    const double eps = s->precision == CLSP_F32 ? 1e-3 : 1e-7;
    long double point[4], exact[4], along = 0, square = 0;
    double apart = 0, length = 0;

    ref_surface_point(s->oracle[r->patch], r->param[0], r->param[1], point, exact);
    for (int k = 0; k < 3; k++) {
        const long double e = query[k] - point[k];
        along += e * exact[k];
        square += e * e;
        apart = fmax(apart, fabs(normal[k] - (double)exact[k]));
        length += normal[k] * normal[k];
    }
    const bool is_inside = is_smooth_at(s, r->param[0]) && is_smooth_at(s, r->param[1]);
    if (is_inside || !isnan(normal[0])) assert_true(fabs(length - 1) < 4e-7);
    if (is_inside) assert_true(apart < eps);
    assert_true(isnan(normal[3]) || fabs(normal[3]) == r->distance);
    if (r->distance < 1e-3) return;
    const long double off = sqrtl(fmaxl(square - along * along, 0)) / sqrtl(square);
    if (off < 1e-4L && is_inside) {
        assert_true(normal[3] == (along < 0 ? -r->distance : r->distance));
        count->known++;
    } else if (off > 0.1L) {
        double of_normal = 0; /* at a crease that of either side may be given */
        for (int k = 0; k < 3; k++)
            of_normal += normal[k] * (query[k] - (double)point[k]);
        const bool is_along = !is_inside && fabs(of_normal) > 0.99 * r->distance;
        assert_true(isnan(normal[3]) || (is_along && signbit(normal[3]) == signbit(of_normal)));
        count->open++;
    }
}

static side_count check_sides(const surfaces *s, size_t num)
{
    side_count count = {0, 0};
    double *const queries = make_queries(s, num);
    unsigned char *const plain = results_of(s, queries, 0, num, NULL);
    sides made = sides_of(s, queries, num, NULL);

    assert_memory_equal(made.results, plain, num * result_bytes(s));
    for (size_t i = 0; i < num; i++) {
        const clsp_nearest_f64 r = result_at(s, made.results, i);
        check_side(s, queries + i * s->dim, &r, made.normals + 4 * i, &count);
    }
    sides_free(&made);
    free(plain);
    free(queries);
    return count;
}

static void test_sides(void **state)
{
    clsp_context *const ctx = lent_context("");

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        if (!is_there(ctx, precisions[i % 2]) || is_for_larger_runs(i)) continue;
        if (cases[i / 2].dim != 3) continue;
        surfaces s = case_of(&cases[i / 2], precisions[i % 2], 1 + i / 2 % 3);
        start(&s, ctx, false);
        const side_count count = check_sides(&s, 400);
        assert_true(count.known > 20 && count.open > 20);
        finish(&s);
    }
}

/* Whoever searches, and into whatever memory, also such that is not aligned to its elements, the
   bits are the same, as above. */
static void test_sides_anywhere(void **state)
{
    static const clsp_share shares[] = {{.schedule = CLSP_SCHEDULE_DYNAMIC, .bit_equal = 1},
                                        {.schedule = CLSP_SCHEDULE_DYNAMIC},
                                        {.schedule = CLSP_SCHEDULE_HOST}};
    clsp_context *const ctx = lent_context("");
    surfaces s = case_of(&cases[0], CLSP_F32, 2);

    (void)state;
    start(&s, ctx, false);
    double *const points = make_queries(&s, MANY);
    points[5] = INFINITY;
    float *const narrow = malloc((size_t)MANY * 4 * sizeof *narrow);
    assert_non_null(narrow);
    sides all = sides_of(&s, points, MANY, NULL);
    assert_true(isnan(all.normals[4]) && isnan(all.normals[7])); /* of no query */
    for (size_t k = 0; k < COUNT(shares); k++) {
        sides some = sides_of(&s, points, MANY, &(clsp_run){.share = &shares[k]});
        if (!has_gpu_search(ctx) || shares[k].bit_equal)
            assert_memory_equal(some.normals, all.normals, sizeof(double) * 4 * MANY);
        sides_free(&some);
    }
    const clsp_nearest_queries queries = {.num = MANY,
                                          .points = reals_in(&s, points, 3 * MANY, narrow)};
    for (store_kind kind = 0; kind < STORE_KINDS; kind++) {
        if (!has_kind(ctx, kind)) continue;
        store out = store_make(ctx, kind, CLSP_F32, 7, (size_t)MANY * CLSP_NEAREST_F32_SIZE, NULL);
        store to = store_make(ctx, kind, CLSP_F32, 3, (size_t)MANY * 4, NULL);
        const clsp_output normals = store_out(&to);
        assert_ok(ctx, project(&s, &queries, &(clsp_nearest_opts){.normals = &normals},
                               store_out(&out), NULL));
        const float *const got = (const float *)(const void *)store_read(&to);
        for (size_t i = 0; i < (size_t)MANY * 4; i++)
            assert_true((double)got[i] == all.normals[i] ||
                        (isnan(got[i]) && isnan(all.normals[i])));
        assert_memory_equal(store_read(&out), all.results, MANY * result_bytes(&s));
        store_free(&out);
        store_free(&to);
    }
    unsigned char *const odd = malloc(sizeof(float) * 4 * MANY + 1);
    unsigned char *const results = malloc(MANY * result_bytes(&s) + 1);
    assert_true(odd && results);
    const clsp_output normals = clsp_out_f32((float *)(void *)(odd + 1), (size_t)MANY * 4);
    const clsp_output out =
        clsp_out_f32((float *)(void *)(results + 1), (size_t)MANY * CLSP_NEAREST_F32_SIZE);
    assert_ok(ctx, project(&s, &queries, &(clsp_nearest_opts){.normals = &normals}, out,
                           &(clsp_run){.share = &shares[2]}));
    sides by_host = sides_of(&s, points, MANY, &(clsp_run){.share = &shares[2]});
    for (size_t i = 0; i < (size_t)MANY * 4; i++) {
        float got;
        memcpy(&got, odd + 1 + i * sizeof got, sizeof got);
        assert_true((double)got == by_host.normals[i] || (isnan(got) && isnan(by_host.normals[i])));
    }
    sides_free(&by_host);
    free(results);
    free(odd);
    sides_free(&all);
    free(narrow);
    free(points);
    finish(&s);
}

/* A sphere of eight patches: at seams and poles too, the signed distance is how far a point is
   from the middle, less 1. */
static void test_sides_of_sphere(void **state)
{
    enum { NUM = 600 };
    clsp_context *const ctx = lent_context("");

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        double points[3 * NUM];
        if (!is_there(ctx, precisions[i])) continue;
        surfaces s = model_of("sphere.bv", precisions[i]);
        start(&s, ctx, true);
        for (size_t n = 0; n < NUM; n++) {
            /* first the axes, edges and corners of a cube, from outside and from within */
            const double out = n / 27 % 2 ? 1.5 : 0.625;
            double x[3] = {(double)(n % 3) - 1, (double)(n / 3 % 3) - 1, (double)(n / 9 % 3) - 1};
            double length = 0;
            for (int k = 0; k < 3; k++) {
                if (n >= 54) x[k] = surface_case_normal(&state_of_queries);
                length += x[k] * x[k];
            }
            for (size_t k = 0; k < 3; k++)
                points[3 * n + k] = length > 0 ? (double)(float)(out * x[k] / sqrt(length)) : 0;
        }
        sides made = sides_of(&s, points, NUM, NULL);
        const double eps = precisions[i] == CLSP_F32 ? 4e-6 : 4e-12;
        for (size_t n = 0; n < NUM; n++) {
            const double *const q = points + 3 * n;
            const double from = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
            assert_true(fabs(made.normals[4 * n + 3] - (from - 1)) < eps);
        }
        sides_free(&made);
        finish(&s);
    }
}

/* A roof of two patches, x from -1 to 0 and to 1, with its ridge at z = 1. */
static void test_sides_of_roof(void **state)
{
    static const float roof[24] = {-1, -1, 0, -1, 1, 0, 0, -1, 1, 0, 1, 1,
                                   0,  -1, 1, 0,  1, 1, 1, -1, 0, 1, 1, 0};
    static const struct {
        float point[3];
        double signed_distance; /* times sqrt(2) */
    } cases_of_roof[] = {
        {{-1, 0, 1}, 1},           /* above a slope */
        {{0, 0, 0}, -1},           /* below the ridge, as near to both */
        {{0.5F, 0.25F, 0.5F}, 0},  /* on a slope */
        {{-0.5F, 0.25F, 1.5F}, 1}, /* above the ridge, along a normal */
        {{0, 0, 2}, NAN},          /* above the ridge, between both normals */
        {{0, 2, 1}, NAN},
        {{3, 0, 0}, NAN}, /* beside edges */
        {{0.5F, 1, 1.5F}, 1},
        {{1, 1, 0}, 0}, /* above an edge, along the normal; at a corner */
    };
    enum { NUM = COUNT(cases_of_roof) };
    clsp_context *const ctx = lent_context("");
    const clsp_bezier_desc d = {.degree = {1, 1}};
    surfaces s = {.ctx = ctx, .precision = CLSP_F32, .dim = 3};
    double points[3 * NUM];

    (void)state;
    assert_ok(ctx, clsp_bezier_plan_create(&s.plan, ctx, &d));
    assert_ok(ctx, clsp_patch_set_control_points(s.plan, 2, clsp_in_f32(roof, 24), NULL));
    for (size_t i = 0; i < 3 * NUM; i++)
        points[i] = (double)cases_of_roof[i / 3].point[i % 3];
    sides made = sides_of(&s, points, NUM, NULL);
    for (size_t i = 0; i < NUM; i++) {
        const double wanted = cases_of_roof[i].signed_distance / sqrt(2);
        const double got = made.normals[4 * i + 3];
        if (isnan(wanted) ? !isnan(got) : !(fabs(got - wanted) < 1e-6))
            fail_msg("point %zu: %g instead of %g", i, got, wanted);
        assert_true(fabs(made.normals[4 * i + 2] - sqrt(0.5)) < 1e-6);
    }
    sides_free(&made);
    finish(&s);
}

/* ---- Bezier curves ---- */

/* From 4096 queries on surfaces are searched in the order of their places, and curves are not. */
enum { CURVES = 3, CURVE_DEGREE_MAX = 40, CURVE_QUERIES = 4100 };

/* Curves of a degree as Bezier and as B-spline plans. */
typedef struct curve_pair {
    unsigned degree, dim, coords;
    bool rational;
    clsp_patch_plan *bspline;
    clsp_patch_plan *bezier;
} curve_pair;

static void start_curves(curve_pair *p, clsp_context *ctx)
{
    double points[CURVES * (CURVE_DEGREE_MAX + 1) * 5];
    const size_t num = (size_t)CURVES * (p->degree + 1) * p->coords;
    const clsp_bezier_desc d = {.form = CLSP_BEZIER_CURVE,
                                .precision = CLSP_F64,
                                .degree = {p->degree},
                                .dim = p->dim,
                                .rational = p->rational};
    const clsp_bspline_desc e = {.directions = 1,
                                 .precision = CLSP_F64,
                                 .degree = {p->degree},
                                 .num_controls = {p->degree + 1},
                                 .dim = p->dim,
                                 .rational = p->rational};

    for (size_t i = 0; i < num; i += p->coords) {
        const double w = p->rational ? 0.25 + 4 * surface_case_uniform(&state_of_queries) : 1;
        for (unsigned k = 0; k < p->dim; k++)
            points[i + k] = w * surface_case_uniform(&state_of_queries);
        if (p->rational) points[i + p->dim] = w;
    }
    assert_ok(ctx, clsp_bezier_plan_create(&p->bezier, ctx, &d));
    assert_ok(ctx, clsp_bspline_plan_create(&p->bspline, ctx, &e));
    assert_ok(ctx,
              clsp_patch_set_control_points(p->bezier, CURVES, clsp_in_f64(points, num), NULL));
    assert_ok(ctx,
              clsp_patch_set_control_points(p->bspline, CURVES, clsp_in_f64(points, num), NULL));
}

static void check_curves(clsp_context *ctx, const curve_pair *p, bool with_hints,
                         const clsp_run *run)
{
    enum { NEAREST = 2 }; /* results of a query */
    const clsp_nearest_opts opts = {.num_nearest = NEAREST};
    static double points[4 * CURVE_QUERIES], hints[CURVE_QUERIES];
    static uint32_t patches[CURVE_QUERIES];
    static clsp_nearest_f64 expected[NEAREST * CURVE_QUERIES];
    static clsp_nearest_f64 got[NEAREST * CURVE_QUERIES];

    for (size_t i = 0; i < CURVE_QUERIES * (size_t)p->dim; i++)
        points[i] = 2 * surface_case_uniform(&state_of_queries) - 0.5;
    for (size_t i = 0; i < CURVE_QUERIES; i++) {
        hints[i] = i % 3 ? surface_case_uniform(&state_of_queries) : (double)NAN;
        patches[i] = (uint32_t)(i % CURVES);
    }
    clsp_nearest_queries q = {.num = CURVE_QUERIES,
                              .points = clsp_in_f64(points, CURVE_QUERIES * (size_t)p->dim)};
    if (with_hints) q.patches = clsp_in_u32(patches, CURVE_QUERIES);
    if (with_hints) q.hints = clsp_in_f64(hints, CURVE_QUERIES);
    for (size_t num = 1; num <= NEAREST; num++) {
        const clsp_nearest_opts *const some = num > 1 ? &opts : NULL;
        const clsp_output out = clsp_out_nearest_f64(got, num * CURVE_QUERIES);
        assert_ok(ctx,
                  clsp_nearest_project(p->bspline, &q, some,
                                       clsp_out_nearest_f64(expected, num * CURVE_QUERIES), run));
        assert_ok(ctx, clsp_nearest_project(p->bezier, &q, some, out, run));
        for (size_t i = 0; i < num * CURVE_QUERIES; i++)
            assert_memory_equal(&got[i], &expected[i], sizeof got[i]);
    }
}

/* Bezier curves have the nearest points of the same curves as B-splines, whoever searches. */
static void test_curves(void **state)
{
    static const unsigned degrees[] = {1, 2, 3, 4, 5, 16, CURVE_DEGREE_MAX};
    static const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    clsp_context *const ctx = lent_context("");

    (void)state;
    if (!is_there(ctx, CLSP_F64)) skip_because("no double precision");
    for (size_t i = 0; i < COUNT(degrees); i++)
        for (unsigned k = 0; k < 4; k++) {
            const unsigned degree = degrees[i];
            curve_pair p = {.degree = degree,
                            .dim = 1 + (degree + k) % 4,
                            .coords = 1 + (degree + k) % 4 + k % 2,
                            .rational = k % 2};
            if (!support_full() && (k > 1 || is_for_larger_runs(2 * i + k))) continue;
            start_curves(&p, ctx);
            check_curves(ctx, &p, false, NULL);
            check_curves(ctx, &p, true, &(clsp_run){.share = &by_host});
            clsp_patch_plan_destroy(&p.bspline);
            clsp_patch_plan_destroy(&p.bezier);
        }
}

/* ---- bad input ---- */

#define REFUSED(wanted, change)                                                                    \
    do {                                                                                           \
        clsp_nearest_queries queries = {.num = 2, .points = clsp_in_f32(points, 6)};               \
        clsp_nearest_opts opts = {.num_nearest = 1};                                               \
        change;                                                                                    \
        support_poison(results, sizeof results);                                                   \
        assert_status(s.ctx, project(&s, &queries, &opts, results_out(&s, results, 2), NULL),      \
                      (wanted));                                                                   \
        assert_true(support_poisoned(results, sizeof results));                                    \
    } while (0)

static void refuse(bool as_bezier)
{
    static const float points[6] = {0, 1, 2, 3, 4, 5};
    static const uint32_t patches[2] = {0, 1};
    static float few[8];
    static const clsp_output too_few = {.host = few, .size = 7}, nowhere = {.size = 8};
    static const clsp_output others = {.type = CLSP_F64, .host = few, .size = 8};
    static const surface_case bilinear = {SURFACE_SMOOTH, 1, 1, 3, 0};
    clsp_nearest_f32 results[2];
    surfaces s = case_of(&bilinear, CLSP_F32, 2);

    start(&s, lent_context(""), as_bezier);
    REFUSED(CLSP_ERROR_ARGUMENT, opts.num_nearest = 2);
    REFUSED(CLSP_ERROR_ARGUMENT, opts.method = CLSP_NEAREST_MREP);
    REFUSED(CLSP_ERROR_ARGUMENT, opts.method = (clsp_nearest_method)3);
    REFUSED(CLSP_ERROR_ARGUMENT, opts.max_dist = NAN);
    REFUSED(CLSP_ERROR_ARGUMENT, opts.tolerance = -1);
    REFUSED(CLSP_ERROR_ARGUMENT, opts.reserved[0] = 1);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, opts.normals = &too_few);
    REFUSED(CLSP_ERROR_ARGUMENT, opts.normals = &nowhere);
    REFUSED(CLSP_ERROR_ARGUMENT, opts.normals = &others);
    REFUSED(CLSP_ERROR_ARGUMENT, queries.reserved[1] = 1);
    REFUSED(CLSP_ERROR_ARGUMENT, queries.hints = clsp_in_f32(points, 4));
    REFUSED(CLSP_ERROR_BUFFER_SIZE, queries.patches = clsp_in_u32(patches, 1));
    REFUSED(CLSP_ERROR_BUFFER_SIZE, queries.patches = clsp_in_u32(patches, 2);
            queries.hints = clsp_in_f32(points, 2));
    REFUSED(CLSP_ERROR_BUFFER_SIZE, queries.points.size = 5);
    REFUSED(CLSP_ERROR_ARGUMENT, queries.points = (clsp_input){0});
    REFUSED(CLSP_ERROR_NO_MEMORY, queries.num = SIZE_MAX / 8);
    assert_int_equal(project(&s, NULL, NULL, results_out(&s, results, 2), NULL),
                     CLSP_ERROR_ARGUMENT);
    finish(&s);
}

static void test_arguments(void **state)
{
    static const float points[9] = {0};
    clsp_context *const ctx = lent_context("");
    clsp_nearest_f32 results[2];
    surfaces s = {.ctx = ctx, .precision = CLSP_F32};
    clsp_bezier_desc d = {.degree = {17, 3}};

    (void)state;
    refuse(false);
    refuse(true);
    assert_ok(ctx, clsp_bezier_plan_create(&s.plan, ctx, &d));
    REFUSED(CLSP_ERROR_DEGREE, );
    clsp_patch_plan_destroy(&s.plan);
    d = (clsp_bezier_desc){.form = CLSP_BEZIER_VOLUME, .degree = {1, 1, 1}};
    assert_ok(ctx, clsp_bezier_plan_create(&s.plan, ctx, &d));
    REFUSED(CLSP_ERROR_ARGUMENT, );
    clsp_patch_plan_destroy(&s.plan);
    for (uint32_t k = 0; k < 2; k++) { /* normals of curves, and in the plane */
        float few[8];
        const clsp_output normals = clsp_out_f32(few, 8);
        d = (clsp_bezier_desc){
            .form = k ? CLSP_BEZIER_SURFACE : CLSP_BEZIER_CURVE, .degree = {1, 1}, .dim = 3 - k};
        assert_ok(ctx, clsp_bezier_plan_create(&s.plan, ctx, &d));
        assert_ok(ctx, clsp_patch_set_control_points(s.plan, 0, clsp_in_f32(points, 0), NULL));
        REFUSED(CLSP_ERROR_ARGUMENT, opts.normals = &normals);
        clsp_patch_plan_destroy(&s.plan);
    }
    d = (clsp_bezier_desc){.degree = {2, 2}};
    assert_ok(ctx, clsp_bezier_plan_create(&s.plan, ctx, &d));
    REFUSED(CLSP_ERROR_STATE, );
    assert_ok(ctx, clsp_patch_set_control_points(s.plan, 0, clsp_in_f32(points, 0), NULL));
    const clsp_nearest_queries queries = {.num = 2, .points = clsp_in_f32(points, 6)};
    assert_ok(ctx, project(&s, &queries, NULL, results_out(&s, results, 2), NULL));
    assert_true(results[1].status == CLSP_NEAREST_NONE && isinf(results[1].distance));
    const clsp_nearest_queries none = {.num = 0};
    assert_ok(ctx, project(&s, &none, NULL, results_out(&s, results, 0), NULL));
    finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),          cmocka_unit_test(test_models),
        cmocka_unit_test(test_same_bits),      cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_events),
        cmocka_unit_test(test_changes),        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_sides_anywhere), cmocka_unit_test(test_sides_of_sphere),
        cmocka_unit_test(test_sides_of_roof),  cmocka_unit_test(test_curves),
        cmocka_unit_test(test_arguments),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
