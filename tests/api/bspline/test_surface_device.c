/* Projection onto surfaces by a GPU's kernels, which run on any device that is taken for one,
   against the host's search, which has oracles of its own: degrees to 16, weights far apart, far
   from the origin, and surfaces that have poles, cusps, folds, no area or numbers that are none. No
   distance may be above the other one's, and no bound. */
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
#include "surface_cases.h"
#include "vertex_fixture.h"

enum { NUM = 480, CONTROLS_MAX = 24 };

static uint64_t state_of_numbers;
static double worst;

/* A surface over clamped uniform knots, twice, the second one moved. */
typedef struct model {
    clsp_context *ctx;
    clsp_type precision;
    uint32_t degree[2], controls[2], dim, coords;
    bool rational;
    double size, centre[3]; /* of its control points */
    size_t reals;           /* of a patch */
    double *points;
    clsp_patch_plan *plan;
} model;

typedef struct queries {
    double points[3 * NUM], hints[2 * NUM], max_dist;
    uint32_t patches[NUM];
    bool has_patches, has_hints;
} queries;

typedef union results {
    clsp_nearest_f32 narrow[NUM];
    clsp_nearest_f64 wide[NUM];
} results;

/* How many queries there are in this run. */
static size_t num_queries(void)
{
    return support_tiny() ? 20 : NUM;
}

static clsp_context *gpu_context(void)
{
    return lent_context("class=discrete,local_is_real=1");
}

static double uniform(double low, double high)
{
    return low + (high - low) * surface_case_uniform(&state_of_numbers);
}

/* ---- surfaces ---- */

/* Sets control points of so many coordinates by a function of u, v in [0, 1], with weights up to
   `weights` apart. */
static model model_of(clsp_type precision, const uint32_t degree[2], const uint32_t spans[2],
                      double weights, surface_fn fn, uint32_t dim)
{
    model m = {.ctx = gpu_context(),
               .precision = precision,
               .degree = {degree[0], degree[1]},
               .controls = {degree[0] + spans[0], degree[1] + spans[1]},
               .dim = dim,
               .coords = dim + (weights > 0),
               .rational = weights > 0};

    assert_true(m.controls[0] <= CONTROLS_MAX && m.controls[1] <= CONTROLS_MAX);
    m.reals = (size_t)m.controls[0] * m.controls[1] * m.coords;
    m.points = malloc(2 * m.reals * sizeof *m.points);
    assert_non_null(m.points);
    for (uint32_t u = 0, at = 0; u < m.controls[0]; u++)
        for (uint32_t v = 0; v < m.controls[1]; v++, at += m.coords) {
            const double w = weights > 0 ? exp(log(weights) * uniform(-1, 1)) : 1;
            double x[3];
            fn((double)u / (m.controls[0] - 1), (double)v / (m.controls[1] - 1), x);
            for (uint32_t k = 0; k < m.coords; k++) {
                m.points[at + k] = k < dim ? w * x[k] : w;
                m.points[m.reals + at + k] = k < dim ? w * (x[k] + (k == 0 ? 0.75 : 0)) : w;
            }
        }
    return m;
}

/* Multiplies and moves all control points. */
static void transform(model *m, double by, double offset)
{
    for (size_t i = 0; i < 2 * m->reals; i++) {
        const double w = m->rational ? m->points[i / m->coords * m->coords + m->dim] : 1;
        if (i % m->coords < m->dim) m->points[i] = by * m->points[i] + offset * w;
    }
}

static void start(model *m)
{
    const clsp_bspline_desc d = {.degree = {m->degree[0], m->degree[1]},
                                 .num_controls = {m->controls[0], m->controls[1]},
                                 .dim = m->dim,
                                 .precision = m->precision,
                                 .rational = m->rational};
    const size_t num = 2 * m->reals;
    float *const narrow = malloc(num * sizeof *narrow);

    assert_non_null(narrow);
    m->size = 0;
    for (uint32_t k = 0; k < m->dim; k++)
        m->centre[k] = m->points[k] / (m->rational ? m->points[m->dim] : 1);
    for (size_t i = 0; i < num; i++) {
        narrow[i] = (float)m->points[i];
        const double w = m->rational ? m->points[i / m->coords * m->coords + m->dim] : 1;
        const double x = fabs(m->points[i] / w - m->centre[i % m->coords % m->dim]);
        if (i % m->coords < m->dim && isfinite(x)) m->size = fmax(m->size, x);
    }
    assert_ok(m->ctx, clsp_bspline_plan_create(&m->plan, m->ctx, &d));
    const clsp_input points =
        m->precision == CLSP_F64 ? clsp_in_f64(m->points, num) : clsp_in_f32(narrow, num);
    assert_ok(m->ctx, clsp_patch_set_control_points(m->plan, 2, points, NULL));
    free(narrow);
}

static void finish(model *m)
{
    clsp_patch_plan_destroy(&m->plan);
    free(m->points);
}

/* ---- queries ---- */

/* Points beside control points, about them and far away, and some that are none. */
static void make_queries(const model *m, queries *q)
{
    const size_t dim = m->dim;

    memset(q, 0, sizeof *q);
    for (size_t i = 0; i < num_queries(); i++) {
        const size_t at = (size_t)uniform(0, (double)(2 * m->reals / m->coords)) * m->coords;
        const double off = m->size * (i % 4 == 0 ? 1e-3 : i % 4 == 1 ? 0.1 : i % 4 == 2 ? 1 : 5);
        const double w = m->rational ? m->points[at + m->dim] : 1;
        for (size_t k = 0; k < dim; k++) {
            q->points[dim * i + k] = m->points[at + k] / w + off * uniform(-1, 1);
            if (i % 40 == 9) q->points[dim * i + k] = m->points[at + k] / w;
        }
        q->patches[i] = i % 100 == 50 ? 2 : (uint32_t)(i % 2);
        for (size_t k = 0; k < 2; k++)
            q->hints[2 * i + k] = i % 5 == 0 ? (double)NAN : uniform(-0.25, 1.25);
    }
    q->points[dim * 7] = (double)NAN;
    q->points[dim * 8 + dim - 1] = (double)INFINITY;
    q->points[dim * 11 + 1] = 1e30;
    q->points[dim * 12] = -1e20 * fmax(1, m->size);
    q->points[dim * 13] = m->precision == CLSP_F64 ? 1e160 : 3e38; /* no float in units of boxes */
}

static clsp_input reals_in(const model *m, const double *reals, size_t num, float *narrow)
{
    for (size_t i = 0; i < num; i++)
        narrow[i] = (float)reals[i];
    return m->precision == CLSP_F64 ? clsp_in_f64(reals, num) : clsp_in_f32(narrow, num);
}

static void project(const model *m, const queries *q, results *r, const clsp_run *run)
{
    static float points[3 * NUM], hints[2 * NUM];
    const clsp_nearest_opts opts = {.max_dist = q->max_dist};
    const size_t num = num_queries();
    clsp_nearest_queries of = {.num = num, .points = reals_in(m, q->points, m->dim * num, points)};

    if (q->has_patches) of.patches = clsp_in_u32(q->patches, num);
    if (q->has_hints) of.hints = reals_in(m, q->hints, 2 * num, hints);
    memset(r, 0xa5, sizeof *r);
    assert_ok(m->ctx,
              clsp_nearest_project(m->plan, &of, &opts,
                                   m->precision == CLSP_F64 ? clsp_out_nearest_f64(r->wide, num)
                                                            : clsp_out_nearest_f32(r->narrow, num),
                                   run));
}

/* ---- checks ---- */

static clsp_nearest_f64 result_at(const model *m, const results *r, size_t i)
{
    clsp_nearest_f64 x = r->wide[i];

    if (m->precision == CLSP_F64) return x;
    x = (clsp_nearest_f64){.distance = (double)r->narrow[i].distance,
                           .bound = (double)r->narrow[i].bound,
                           .patch = r->narrow[i].patch,
                           .status = r->narrow[i].status};
    for (int k = 0; k < 3; k++) {
        x.param[k] = (double)r->narrow[i].param[k];
        x.point[k] = (double)r->narrow[i].point[k];
    }
    return x;
}

/* Compares a device's result with the host's, and with itself: its distance is that of its point.
 */
static void check(const model *m, const queries *q, size_t i, const results *device,
                  const results *host)
{
    const clsp_nearest_f64 x = result_at(m, device, i), y = result_at(m, host, i);
    const double eps = m->precision == CLSP_F32 ? 2.5e-7 : 1e-12;
    double off[3], far = 0, most_off = 0, square = 0;

    if (x.status == CLSP_NEAREST_FOUND || y.status != CLSP_NEAREST_CUT)
        assert_int_equal(x.status, y.status);
    if (x.status > CLSP_NEAREST_CUT) {
        assert_true(isinf(x.distance) && isnan(x.param[0]) && x.patch == UINT32_MAX);
        assert_true(x.bound == y.bound || (isnan(x.bound) && isnan(y.bound)));
        return;
    }
    const double most = eps * (2 * m->size + fmax(x.distance, y.distance));
    worst = support_worse(worst, fabs(x.distance - y.distance) / most);
    if (y.status == CLSP_NEAREST_FOUND) assert_true(fabs(x.distance - y.distance) <= most);
    assert_true(x.bound <= y.distance && y.bound <= x.distance && x.bound <= x.distance);
    if (x.status == CLSP_NEAREST_FOUND) assert_true(x.distance - x.bound <= 2 * most);
    for (size_t k = 0; k < m->dim; k++) {
        const double at = m->precision == CLSP_F64 ? q->points[m->dim * i + k]
                                                   : (double)(float)q->points[m->dim * i + k];
        off[k] = x.point[k] - at;
        most_off = fmax(most_off, fabs(off[k]));
        far = fmax(far, fmax(fabs(at), fabs(x.point[k])));
    }
    for (size_t k = 0; k < m->dim && most_off > 0; k++)
        square += off[k] / most_off * (off[k] / most_off);
    assert_true(fabs(most_off * sqrt(square) - x.distance) <= 4 * eps * (far + m->size));
    assert_true(x.param[0] >= 0 && x.param[0] <= 1 && x.param[1] >= 0 && x.param[1] <= 1);
    assert_true(x.patch < 2 && (!q->has_patches || x.patch == q->patches[i]));
}

static void check_queries(const model *m, const queries *q)
{
    static const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    static results device, host;

    project(m, q, &device, NULL);
    project(m, q, &host, &(clsp_run){.share = &by_host});
    for (size_t i = 0; i < num_queries(); i++)
        check(m, q, i, &device, &host);
}

/* All queries, those of patches with hints, and those near by. */
static void check_model(model *m)
{
    static queries q;

    start(m);
    make_queries(m, &q);
    check_queries(m, &q);
    q.has_patches = q.has_hints = true;
    check_queries(m, &q);
    q.max_dist = 0.25 * m->size;
    check_queries(m, &q);
    finish(m);
}

/* ---- many shapes ---- */

static void to_waves(double u, double v, double *x)
{
    x[0] = u;
    x[1] = v;
    x[2] = 0.2 * sin(5 * u) * cos(4 * v);
}

static void to_spikes(double u, double v, double *x)
{
    x[0] = u;
    x[1] = v;
    x[2] = uniform(-0.5, 0.5);
}

static void to_cloud(double u, double v, double *x)
{
    (void)u;
    (void)v;
    for (int k = 0; k < 3; k++)
        x[k] = uniform(0, 1);
}

static bool is_there(clsp_type precision)
{
    return precision == CLSP_F32 || device_of(gpu_context()).fp64;
}

static const struct {
    uint32_t degree[2], spans[2];
    double weights;
    surface_fn fn;
    uint32_t dim;
} shapes[] = {
    {{3, 3}, {6, 5}, 0, to_waves, 3},   {{3, 3}, {3, 3}, 0, to_spikes, 3},
    {{3, 3}, {2, 2}, 0, to_cloud, 3},   {{1, 1}, {4, 4}, 0, to_spikes, 3},
    {{2, 2}, {3, 3}, 2, to_waves, 3},   {{2, 2}, {2, 2}, 1e3, to_cloud, 3},
    {{3, 1}, {2, 4}, 2, to_spikes, 3},  {{5, 4}, {2, 2}, 0, to_waves, 3},
    {{4, 5}, {1, 2}, 1e3, to_waves, 3}, {{16, 9}, {1, 1}, 0, to_waves, 3},
    {{9, 16}, {1, 1}, 2, to_waves, 3},  {{3, 3}, {6, 5}, 0, to_waves, 2},
    {{2, 3}, {2, 3}, 1e3, to_cloud, 2}, {{4, 4}, {2, 2}, 0, to_cloud, 2},
};

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        const clsp_type precision = i % 2 ? CLSP_F64 : CLSP_F32;
        if (!is_there(precision) || (!support_full() && (i + i / 2) % 2)) continue;
        if (support_tiny() && i > 4) continue;
        model m = model_of(precision, shapes[i / 2].degree, shapes[i / 2].spans,
                           shapes[i / 2].weights, shapes[i / 2].fn, shapes[i / 2].dim);
        check_model(&m);
    }
    print_message("worst/bound %.2g\n", worst);
}

/* Sizes and places whose squares are no numbers of the precision, or of any. */
static void test_sizes(void **state)
{
    static const double by[] = {1e-18, 1e15, 1, 1e-40, 1e80, 1e-160, 1e160};
    static const double offset[] = {0, 0, 1e6, 0, 0, 0, 0};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(by); i++) {
        const clsp_type precision = i % 2 ? CLSP_F64 : CLSP_F32;
        if (!is_there(precision) || (precision == CLSP_F32 && i / 2 > 2)) continue;
        if (support_tiny() && i > 4) continue;
        model m = model_of(precision, shapes[0].degree, shapes[0].spans, 0, to_spikes, 3);
        transform(&m, by[i / 2], offset[i / 2]);
        check_model(&m);
    }
    print_message("worst/bound %.2g\n", worst);
}

/* ---- hard surfaces ---- */

static void to_tube(double u, double v, double *x)
{
    x[0] = cos(2 * u);
    x[1] = sin(2 * u);
    x[2] = v;
}

static void to_holes(double u, double v, double *x)
{
    to_waves(u, v, x);
    if (u > 0.4 && u < 0.6) x[1] = (double)NAN;
}

static void to_nowhere(double u, double v, double *x)
{
    to_waves(u, v, x);
    x[2] = (double)INFINITY;
}

static void test_degenerate(void **state)
{
    static const surface_fn others[] = {to_tube, to_holes, to_nowhere};
    static const uint32_t cubic[2] = {3, 3}, spans[2] = {2, 1}, many[2] = {12, 1};

    (void)state;
    for (size_t i = 0; i < 2 * (SURFACE_DEGENERATES + COUNT(others)); i++) {
        const clsp_type precision = i % 2 ? CLSP_F64 : CLSP_F32;
        const size_t k = i / 2;
        const surface_fn fn =
            k < SURFACE_DEGENERATES ? surface_degenerates[k] : others[k - SURFACE_DEGENERATES];
        if (!is_there(precision) || (support_tiny() && i % 2)) continue;
        model m = model_of(precision, cubic, fn == to_holes ? many : spans,
                           i % 4 == 3 ? 1e-9 + 1 : 0, fn, 3);
        check_model(&m);
    }
    print_message("worst/bound %.2g\n", worst);
}

/* Points of the axis of a tube, about as near to all of it. */
static void test_ties(void **state)
{
    static const uint32_t cubic[2] = {3, 3}, spans[2] = {8, 2};
    static queries q;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const clsp_type precision = i % 2 ? CLSP_F64 : CLSP_F32;
        if (!is_there(precision)) continue;
        model m = model_of(precision, cubic, spans, 0, to_tube, 3);
        start(&m);
        make_queries(&m, &q);
        for (size_t k = 0; k < num_queries(); k++) {
            q.points[3 * k] = k % 3 ? 1e-4 * uniform(-1, 1) : 0;
            q.points[3 * k + 1] = k % 3 ? 1e-4 * uniform(-1, 1) : 0;
        }
        check_queries(&m, &q);
        finish(&m);
    }
    print_message("worst/bound %.2g\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_ties),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
