/* The search over the patches of several plans: curves and surfaces of unlike degrees and knots
   against the oracles, queries with patches and hints, tiles, plans that have ended, and bad
   input. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "project_ref.h"

#include "schedule_fixture.h"
#include "surface_cases.h"
#include "surface_ref.h"
#include "vertex_fixture.h"

enum { PLANS = 7, REALS = 20000, EACH = 2, PATCHES = PLANS * EACH, QUERIES = 60 };

static uint64_t state_of_cases;

static double uniform(void)
{
    return surface_case_uniform(&state_of_cases);
}

/* ---- models ---- */

typedef struct kind {
    unsigned directions, degree[2], controls[2], rational;
} kind;

static const kind kinds[PLANS] = {
    {2, {3, 3}, {6, 5}, 0},   {1, {3, 0}, {7, 1}, 0}, {2, {2, 2}, {4, 4}, 1},
    {1, {20, 0}, {21, 1}, 1}, {2, {1, 4}, {3, 5}, 0}, {1, {1, 0}, {4, 1}, 0},
    {2, {1, 1}, {2, 2}, 1},
};

/* Plans of all kinds, EACH patches each, and the same for the oracles. */
typedef struct model {
    clsp_context *ctx;
    clsp_type precision;
    unsigned dim;
    double knots[PLANS][2][64], *points[PLANS];
    size_t each[PLANS]; /* reals of a patch */
    clsp_patch_plan *plans[PLANS];
    clsp_nearest *search;
} model;

static double rounded(const model *m, double x)
{
    return m->precision == CLSP_F32 ? (double)(float)x : x;
}

static clsp_input reals_in(const model *m, const double *reals, size_t num, float *narrow)
{
    for (size_t i = 0; i < num; i++)
        narrow[i] = (float)reals[i];
    return m->precision == CLSP_F64 ? clsp_in_f64(reals, num) : clsp_in_f32(narrow, num);
}

/* Clamped knots with spans of unlike lengths. */
static void make_knots(const model *m, double *knots, unsigned degree, unsigned controls)
{
    double at = 0;

    for (unsigned i = 0; i < controls + degree + 1; i++) {
        if (i > degree && i <= controls) at += 0.25 + uniform();
        knots[i] = rounded(m, at);
    }
}

static void make_kind(model *m, int k)
{
    static float narrow[REALS];
    const kind *const of = &kinds[k];
    const unsigned coords = m->dim + of->rational;
    clsp_bspline_desc d = {.directions = of->directions,
                           .precision = m->precision,
                           .dim = m->dim,
                           .rational = of->rational};

    m->each[k] = (size_t)of->controls[0] * of->controls[1] * coords;
    m->points[k] = malloc(EACH * m->each[k] * sizeof *m->points[k]);
    assert_non_null(m->points[k]);
    for (size_t i = 0; i < EACH * m->each[k]; i += coords) {
        const double w = of->rational ? rounded(m, 0.5 + uniform()) : 1;
        for (unsigned l = 0; l < m->dim; l++)
            m->points[k][i + l] = rounded(m, w * (uniform() + (l == 0 ? k / 2 : 0)));
        if (of->rational) m->points[k][i + m->dim] = w;
    }
    for (unsigned w = 0; w < of->directions; w++) {
        d.degree[w] = of->degree[w];
        d.num_controls[w] = of->controls[w];
        d.knots[w] = m->knots[k][w];
        make_knots(m, m->knots[k][w], of->degree[w], of->controls[w]);
    }
    assert_ok(m->ctx, clsp_bspline_plan_create(&m->plans[k], m->ctx, &d));
    assert_ok(m->ctx,
              clsp_patch_set_control_points(
                  m->plans[k], EACH, reals_in(m, m->points[k], EACH * m->each[k], narrow), NULL));
}

static void start(model *m, clsp_context *ctx, clsp_type precision, unsigned dim)
{
    *m = (model){.ctx = ctx, .precision = precision, .dim = dim};
    for (int k = 0; k < PLANS; k++)
        make_kind(m, k);
    assert_ok(ctx, clsp_nearest_create(&m->search, m->plans, PLANS, NULL, NULL));
}

static void finish(model *m)
{
    clsp_nearest_destroy(&m->search);
    assert_null(m->search);
    for (int k = 0; k < PLANS; k++) {
        clsp_patch_plan_destroy(&m->plans[k]);
        free(m->points[k]);
    }
}

static ref_bspline spline_of(const model *m, size_t patch)
{
    static const double one[2] = {0, 1};
    const size_t k = patch / EACH;
    const kind *const of = &kinds[k];
    const ref_bspline r = {
        .directions = of->directions,
        .degree = {of->degree[0], of->degree[1]},
        .controls = {of->controls[0], of->controls[1], 1},
        .knots = {m->knots[k][0], of->directions > 1 ? m->knots[k][1] : one, one},
        .dim = m->dim,
        .rational = (int)of->rational,
        .points = m->points[k] + patch % EACH * m->each[k]};

    return r;
}

/* ---- oracles ---- */

/* Finds the distance of a patch, that of its point at parameters, and below what none is. */
static void ask_oracle(const model *m, size_t patch, const double *q, long double *distance,
                       long double *least)
{
    const ref_bspline r = spline_of(m, patch);

    if (r.directions == 1) {
        ref_nearest nearest;
        ref_project *const curve = ref_project_make(&r);
        assert_non_null(curve);
        ref_project_nearest(curve, q, 1e-12L, &nearest);
        ref_project_free(curve);
        *distance = nearest.distance;
        *least = nearest.bound;
    } else {
        ref_foot foot = {.distance = INFINITY};
        ref_surface *const surface = ref_surface_make(&r);
        assert_non_null(surface);
        ref_surface_nearest(surface, q, 3, &foot);
        ref_surface_free(surface);
        *distance = foot.distance;
        *least = 0; /* the point that is found shows that it is there */
    }
}

/* Returns how far a query is from the point of a patch at parameters. */
static double distance_at(const model *m, size_t patch, const double *param, const double *q)
{
    const ref_bspline r = spline_of(m, patch);
    long double point[4], square = 0;

    if (r.directions == 1) {
        ref_project *const curve = ref_project_make(&r);
        assert_non_null(curve);
        ref_project_point(curve, (long double)param[0], 0, point);
        ref_project_free(curve);
        assert_true(param[1] == 0);
    } else {
        ref_surface *const surface = ref_surface_make(&r);
        assert_non_null(surface);
        ref_surface_point(surface, (long double)param[0], (long double)param[1], point, NULL);
        ref_surface_free(surface);
    }
    for (unsigned l = 0; l < m->dim; l++)
        square += (point[l] - q[l]) * (point[l] - q[l]);
    return (double)sqrtl(square);
}

/* ---- queries ---- */

typedef struct answers {
    double q[QUERIES * 4];
    clsp_nearest_f64 found[QUERIES];
} answers;

static void make_queries(const model *m, answers *a)
{
    for (size_t i = 0; i < QUERIES * m->dim; i++)
        a->q[i] = rounded(m, 3 * uniform() - (i % m->dim ? 1 : 0));
}

/* Searches for all queries; patches, hints may be NULL. */
static void find(const model *m, answers *a, const uint32_t *patches, const double *hints,
                 const clsp_run *run)
{
    static float narrow[QUERIES * 4], narrow_hints[QUERIES * 2];
    static clsp_nearest_f32 floats[QUERIES];
    const bool f64 = m->precision == CLSP_F64;
    clsp_nearest_queries q = {.num = QUERIES,
                              .points = reals_in(m, a->q, QUERIES * m->dim, narrow)};

    if (patches) q.patches = clsp_in_u32(patches, QUERIES);
    if (hints) q.hints = reals_in(m, hints, QUERIES * 2, narrow_hints);
    assert_ok(m->ctx, clsp_nearest_find(m->search, &q, NULL,
                                        f64 ? clsp_out_nearest_f64(a->found, QUERIES)
                                            : clsp_out_nearest_f32(floats, QUERIES),
                                        run));
    for (size_t i = 0; !f64 && i < QUERIES; i++) {
        const clsp_nearest_f32 *const r = &floats[i];
        a->found[i] = (clsp_nearest_f64){.distance = (double)r->distance,
                                         .bound = (double)r->bound,
                                         .param = {(double)r->param[0], (double)r->param[1]},
                                         .patch = r->patch,
                                         .status = r->status};
    }
}

/* Fails unless a result is the nearest point of all patches, or of the one that is asked for. */
static void check(const model *m, const answers *a, size_t i, const uint32_t *patches)
{
    const clsp_nearest_f64 *const r = &a->found[i];
    const double *const q = a->q + i * m->dim, size = 4;
    const double most = (m->precision == CLSP_F32 ? 1e-6 : 1e-12) * (size + r->distance);
    long double nearest = INFINITY, least = INFINITY;

    for (size_t p = 0; p < PATCHES; p++) {
        long double distance, bound;
        if (patches && patches[i] != p) continue;
        ask_oracle(m, p, q, &distance, &bound);
        nearest = fminl(nearest, distance);
        least = fminl(least, bound);
    }
    assert_int_equal(r->status, CLSP_NEAREST_FOUND);
    assert_true(!patches || r->patch == patches[i]);
    assert_true(r->distance <= nearest + most && r->distance >= least - most);
    assert_true(r->bound <= nearest + 32 * LDBL_EPSILON && r->distance - r->bound <= 2 * most);
    assert_true(fabs(distance_at(m, r->patch, r->param, q) - r->distance) <=
                (m->precision == CLSP_F32 ? 2e-5 : 1e-9));
}

/* ---- tests ---- */

static void test_all(void **state)
{
    static answers a, again;
    static uint32_t patches[QUERIES];
    static double hints[QUERIES * 2];
    clsp_context *const ctx = lent_context("");
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_device_class of = device_of(ctx).device_class;
    const bool by_kernels = of == CLSP_CLASS_DISCRETE || of == CLSP_CLASS_INTEGRATED;
    bool of_curves = false, of_surfaces = false;

    (void)state;
    for (unsigned c = 0; c < 4; c++) {
        const clsp_type precision = c % 2 ? CLSP_F32 : CLSP_F64;
        model m;
        if (precision == CLSP_F64 && !device_of(ctx).fp64) continue;
        if (by_kernels && support_tiny() && c != 1) continue; /* each a program */
        start(&m, ctx, precision, c < 2 ? 3 : c);
        for (int k = 0; k < PLANS; k++) /* plans may end before the search */
            clsp_patch_plan_destroy(&m.plans[k]);
        make_queries(&m, &a);
        find(&m, &a, NULL, NULL, NULL);
        for (size_t i = 0; i < QUERIES; i += support_full() ? 1 : 3) {
            check(&m, &a, i, NULL);
            of_curves |= kinds[a.found[i].patch / EACH].directions == 1;
            of_surfaces |= kinds[a.found[i].patch / EACH].directions == 2;
        }
        again = a;
        find(&m, &again, NULL, NULL, &(clsp_run){.share = &by_host});
        if (!by_kernels || m.dim > 3) assert_memory_equal(&again, &a, sizeof a);
        for (size_t i = 0; by_kernels && i < QUERIES; i += support_full() ? 1 : 3)
            check(&m, &again, i, NULL);
        for (size_t i = 0; i < QUERIES; i++) {
            patches[i] = (uint32_t)(i % PATCHES);
            hints[2 * i] = i % 3 ? uniform() : NAN;
            hints[2 * i + 1] = uniform();
        }
        find(&m, &a, patches, hints, NULL);
        for (size_t i = 0; i < QUERIES; i += support_full() ? 1 : 3)
            check(&m, &a, i, patches);
        finish(&m);
    }
    assert_true(of_curves && of_surfaces);
}

/* Normals are those of surfaces, NaN on curves, and the host's but for rounding, of which places
   have the root. */
static void test_normals(void **state)
{
    static answers a;
    static double sides[QUERIES * 4], of_host[QUERIES * 4];
    static clsp_nearest_f64 again[QUERIES];
    clsp_context *const ctx = lent_context("");
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_output normals = clsp_out_f64(sides, QUERIES * 4);
    const clsp_output host_normals = clsp_out_f64(of_host, QUERIES * 4);
    const clsp_nearest_opts opts = {.normals = &normals}, host_opts = {.normals = &host_normals};
    model m;

    (void)state;
    if (!device_of(ctx).fp64) skip_because("double precision");
    start(&m, ctx, CLSP_F64, 3);
    make_queries(&m, &a);
    const clsp_nearest_queries q = {.num = QUERIES, .points = clsp_in_f64(a.q, QUERIES * 3)};
    assert_ok(ctx,
              clsp_nearest_find(m.search, &q, &opts, clsp_out_nearest_f64(a.found, QUERIES), NULL));
    assert_ok(ctx, clsp_nearest_find(m.search, &q, &host_opts, clsp_out_nearest_f64(again, QUERIES),
                                     &(clsp_run){.share = &by_host}));
    for (size_t i = 0; i < QUERIES; i++) {
        const double *const n = sides + 4 * i;
        assert_int_equal(a.found[i].patch, again[i].patch);
        for (size_t k = 4 * i; k < 4 * i + 4; k++)
            assert_true(isnan(sides[k]) ? isnan(of_host[k])
                                        : fabs(sides[k] - of_host[k]) < (k % 4 < 3 ? 1e-6 : 1e-9));
        if (kinds[a.found[i].patch / EACH].directions == 1) {
            assert_true(isnan(n[0]) && isnan(n[1]) && isnan(n[2]) && isnan(n[3]));
        } else if (!isnan(n[0])) {
            assert_true(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-12);
            assert_true(isnan(n[3]) || fabs(fabs(n[3]) - a.found[i].distance) < 1e-15);
        }
    }
    finish(&m);
}

/* Searches for all queries in the patches of some plans, each patch asked for with a hint, and in
   all of them, as the host does. */
static void check_few(model *m, clsp_patch_plan *const *plans, size_t num)
{
    static answers a, of_host;
    static uint32_t patches[QUERIES];
    static double hints[QUERIES * 2];
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};

    clsp_nearest_destroy(&m->search);
    assert_ok(m->ctx, clsp_nearest_create(&m->search, plans, num, NULL, NULL));
    make_queries(m, &a);
    of_host = a;
    for (size_t i = 0; i < QUERIES; i++) {
        patches[i] = (uint32_t)(i % (num * EACH));
        hints[2 * i] = hints[2 * i + 1] = uniform();
    }
    for (int asked = 0; asked < 2; asked++) {
        find(m, &a, asked ? patches : NULL, asked ? hints : NULL, NULL);
        find(m, &of_host, asked ? patches : NULL, NULL, &(clsp_run){.share = &by_host});
        for (size_t i = 0; i < QUERIES; i++) {
            assert_true(fabs(a.found[i].distance - of_host.found[i].distance) < 2e-6);
            if (asked) assert_int_equal(a.found[i].patch, patches[i]);
        }
    }
}

/* Searches in what has one shape: several plans, and curves. */
static void test_one_shape(void **state)
{
    clsp_context *const ctx = lent_context("");
    model m;

    (void)state;
    start(&m, ctx, CLSP_F32, 3);
    check_few(&m, (clsp_patch_plan *const[]){m.plans[0], m.plans[0]}, 2);
    check_few(&m, &m.plans[1], 1);
    finish(&m);
}

static void test_bad_input(void **state)
{
    clsp_context *const ctx = lent_context("");
    clsp_nearest *made = (clsp_nearest *)1;
    clsp_patch_plan *plans[3] = {NULL, NULL, NULL};
    const clsp_bspline_desc d = {.degree = {1, 1}, .num_controls = {2, 2}};
    const clsp_bspline_desc flat = {.degree = {1, 1}, .num_controls = {2, 2}, .dim = 2};
    const clsp_bspline_desc solid = {
        .directions = 3, .degree = {1, 1, 1}, .num_controls = {2, 2, 2}};
    const float points[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    const float query[3] = {0.25f, 0.5f, 2};
    const double metric[3] = {1, 2, 3};
    const clsp_nearest_queries q = {.num = 1, .points = clsp_in_f32(query, 3)};
    clsp_nearest_f32 r;

    (void)state;
    assert_int_equal(clsp_nearest_create(NULL, plans, 1, NULL, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_nearest_create(&made, NULL, 1, NULL, NULL), CLSP_ERROR_ARGUMENT);
    assert_null(made);
    assert_int_equal(clsp_nearest_create(&made, plans, 1, NULL, NULL), CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_bspline_plan_create(&plans[0], ctx, &d));
    assert_int_equal(clsp_nearest_create(&made, plans, 0, NULL, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_nearest_create(&made, plans, 1, NULL, NULL), CLSP_ERROR_STATE);
    assert_ok(ctx, clsp_patch_set_control_points(plans[0], 1, clsp_in_f32(points, 12), NULL));
    assert_int_equal(clsp_nearest_create(&made, plans, 2, NULL, NULL), CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_bspline_plan_create(&plans[1], ctx, &flat));
    assert_ok(ctx, clsp_patch_set_control_points(plans[1], 1, clsp_in_f32(points, 8), NULL));
    assert_int_equal(clsp_nearest_create(&made, plans, 2, NULL, NULL), CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_bspline_plan_create(&plans[2], ctx, &solid));
    assert_ok(ctx, clsp_patch_set_control_points(plans[2], 1, clsp_in_f32(points, 24), NULL));
    assert_int_equal(clsp_nearest_create(&made, &plans[2], 1, NULL, NULL), CLSP_ERROR_ARGUMENT);
    assert_null(made);
    assert_ok(ctx, clsp_nearest_create(&made, plans, 1, NULL, NULL));
    const clsp_output out = clsp_out_nearest_f32(&r, 1);
    assert_int_equal(clsp_nearest_find(NULL, &q, NULL, out, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_nearest_find(made, NULL, NULL, out, NULL), CLSP_ERROR_ARGUMENT);
    clsp_nearest_opts opts = {.num_nearest = 2};
    assert_int_equal(clsp_nearest_find(made, &q, &opts, out, NULL), CLSP_ERROR_ARGUMENT);
    opts = (clsp_nearest_opts){.method = CLSP_NEAREST_MREP};
    assert_int_equal(clsp_nearest_find(made, &q, &opts, out, NULL), CLSP_ERROR_ARGUMENT);
    opts = (clsp_nearest_opts){.metric = metric};
    assert_int_equal(clsp_nearest_find(made, &q, &opts, out, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_nearest_find(made, &q, NULL, clsp_out_nearest_f32(&r, 0), NULL),
                     CLSP_ERROR_BUFFER_SIZE);
    assert_ok(ctx, clsp_nearest_find(made, &q, NULL, out, NULL));
    assert_true(r.distance == 2 && r.patch == 0);
    opts = (clsp_nearest_opts){.max_dist = 1};
    assert_ok(ctx, clsp_nearest_find(made, &q, &opts, out, NULL));
    assert_int_equal(r.status, CLSP_NEAREST_NONE);
    clsp_nearest_destroy(&made);
    clsp_nearest_destroy(&made);
    clsp_nearest_destroy(NULL);
    for (int i = 0; i < 3; i++)
        clsp_patch_plan_destroy(&plans[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_normals),
        cmocka_unit_test(test_one_shape),
        cmocka_unit_test(test_bad_input),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
