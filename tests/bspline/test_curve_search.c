/* The host's search for the nearest points of curves: against many samples of the definition, in
   both precisions and of all shapes; limits, hints, numbers of curves, and what cannot be
   searched. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bspline_ref.h"
#include "curve_search.h"
#include "knots.h"
#include "../support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { CURVES_MAX = 20, CONTROLS_MAX = 130, SAMPLES = 400, COORDS = 5 };

/* Curves, what searches them, and samples of each, which no result may be farther than. */
typedef struct job {
    bool f64, rational;
    uint32_t degree, controls, dim, coords;
    size_t num_curves;
    double knots[CONTROLS_MAX + REF_MAX_DEGREE + 1];
    double points[CURVES_MAX * CONTROLS_MAX * COORDS];
    float narrow[CURVES_MAX * CONTROLS_MAX * COORDS];
    double scale; /* the largest |coordinate| of a point */
    clspi_curve_search *search;
    size_t num_samples; /* of a curve */
    double *samples;    /* [num_curves][num_samples][4] */
} job;

static uint64_t seed;
static double worst;

static double uniform(double low, double high)
{
    return low + (high - low) * (support_uniform(&seed) + 1.0) / 2.0;
}

static double eps_of(const job *j)
{
    return j->f64 ? DBL_EPSILON : (double)FLT_EPSILON;
}

static double rounded(const job *j, double x)
{
    return j->f64 ? x : (double)(float)x;
}

/* ---- curves ---- */

static void sample(const job *j, size_t curve, long double t, double *x)
{
    const ref_bspline r = {.directions = 1,
                           .degree = {j->degree},
                           .controls = {j->controls, 1, 1},
                           .knots = {j->knots, j->knots, j->knots},
                           .dim = j->dim,
                           .rational = j->rational,
                           .points = j->points + curve * j->controls * j->coords};
    const long double at[3] = {t, 0, 0};
    const unsigned by[3] = {0, 0, 0};
    long double value[COORDS] = {0};

    assert_true(ref_bspline_derivative(&r, at, by, value));
    for (uint32_t k = 0; k < 4; k++)
        x[k] = k >= j->dim ? 0.0 : (double)(j->rational ? value[k] / value[j->dim] : value[k]);
}

static double distance_between(const double *x, const double *y)
{
    double square = 0;

    for (int k = 0; k < 4; k++)
        square += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(square);
}

/* Clamped knots at growing distances; some inner ones are repeated. */
static void make_knots(job *j)
{
    const uint32_t num = j->controls + j->degree + 1;
    double at = 0.0;

    for (uint32_t i = 0; i < num; i++) {
        if (i > j->degree && i <= j->controls && (i == j->controls || i % 5 != 3))
            at += 0.25 + i / 64.0;
        j->knots[i] = at;
    }
}

static void make_points(job *j, double offset)
{
    for (size_t i = 0; i < j->num_curves * j->controls; i++) {
        const double w = j->rational ? rounded(j, uniform(0.25, 2.0)) : 1.0;
        for (uint32_t k = 0; k < j->dim; k++) {
            const double x = offset + uniform(-1.0, 1.0);
            j->points[i * j->coords + k] = rounded(j, w * x);
            j->scale = fmax(j->scale, fabs(x));
        }
        if (j->rational) j->points[i * j->coords + j->dim] = w;
    }
    for (size_t i = 0; i < j->num_curves * j->controls * j->coords; i++)
        j->narrow[i] = (float)j->points[i];
}

static void make_samples(job *j)
{
    const uint32_t spans = j->controls - j->degree;
    const double begin = j->knots[0], end = j->knots[j->controls];

    j->num_samples = (size_t)SAMPLES * spans + 1;
    if (j->degree > 16) j->num_samples = SAMPLES * 2 + 1;
    j->samples = malloc(j->num_curves * j->num_samples * 4 * sizeof *j->samples);
    assert_non_null(j->samples);
    for (size_t i = 0; i < j->num_curves * j->num_samples; i++) {
        const long double a = (long double)(i % j->num_samples) / (j->num_samples - 1);
        sample(j, i / j->num_samples, begin + a * ((long double)end - begin), j->samples + i * 4);
    }
}

static void load(job *j)
{
    assert_true(clspi_curve_search_load(j->search, j->num_curves,
                                        j->f64 ? (const void *)j->points : j->narrow));
}

typedef struct shape {
    uint32_t degree, controls, dim;
    bool rational;
    size_t num_curves;
} shape;

static job *start(const shape *s, bool f64, double offset)
{
    job *const j = calloc(1, sizeof *j);
    clspi_knots knots;
    clspi_spans spans;

    assert_non_null(j);
    assert_true(s->num_curves <= CURVES_MAX && s->controls <= CONTROLS_MAX);
    j->f64 = f64;
    j->rational = s->rational;
    j->degree = s->degree;
    j->controls = s->controls;
    j->dim = s->dim;
    j->coords = s->dim + s->rational;
    j->num_curves = s->num_curves;
    make_knots(j);
    make_points(j, offset);
    make_samples(j);
    assert_true(clspi_knots_make(&knots, j->knots, j->degree, j->controls));
    assert_true(clspi_spans_reserve(&spans, 1, knots.num_spans, j->degree, f64));
    for (uint32_t i = 0; i < knots.num_spans; i++)
        clspi_knots_extraction(
            &knots, i, 0,
            clspi_spans_put(&spans, i, knots.span[i] - j->degree, knots.u + knots.span[i]));
    const clspi_search_desc desc = {.f64 = f64,
                                    .dim = s->dim,
                                    .rational = s->rational,
                                    .degree = {knots.degree},
                                    .controls = {knots.controls},
                                    .spans = {&spans}};
    j->search = clspi_curve_search_create(&desc);
    assert_non_null(j->search);
    clspi_spans_release(&spans);
    clspi_knots_release(&knots);
    load(j);
    return j;
}

static void finish(job *j)
{
    clspi_curve_search_destroy(&j->search);
    assert_null(j->search);
    free(j->samples);
    free(j);
}

/* ---- queries ---- */

/* Queries of the job's precision, and their results as doubles. */
typedef struct queries {
    size_t num;
    double points[256 * 4]; /* [num][4] */
    uint32_t patches[256];
    double hints[256];
    bool has_patches, has_hints;
    double max_dist;
    clspi_nearest_f64 out[256];
} queries;

static void find_range(const job *j, queries *q, size_t first, size_t num)
{
    static double points[256 * 4], hints[256];
    static float narrow[256 * 4], narrow_hints[256];
    static clspi_nearest_f32 out[256];

    for (size_t i = 0; i < num; i++) {
        for (uint32_t k = 0; k < j->dim; k++)
            points[i * j->dim + k] = q->points[(first + i) * 4 + k];
        hints[i] = q->hints[first + i];
        narrow_hints[i] = (float)hints[i];
    }
    for (size_t i = 0; i < num * j->dim; i++)
        narrow[i] = (float)points[i];
    const void *const hint = j->f64 ? (const void *)hints : narrow_hints;
    const clspi_nearest_queries given = {.num = num,
                                         .points = j->f64 ? (const void *)points : narrow,
                                         .patches = q->has_patches ? q->patches + first : NULL,
                                         .hints = q->has_hints ? hint : NULL,
                                         .num_nearest = 1,
                                         .max_dist = q->max_dist,
                                         .out = j->f64 ? (void *)(q->out + first) : out};
    clspi_curve_search_find(j->search, &given);
    for (size_t i = 0; !j->f64 && i < num; i++) {
        clspi_nearest_f64 *const to = &q->out[first + i];
        *to = (clspi_nearest_f64){.distance = (double)out[i].distance,
                                  .bound = (double)out[i].bound,
                                  .patch = out[i].patch,
                                  .status = out[i].status};
        for (int k = 0; k < 3; k++)
            to->param[k] = (double)out[i].param[k];
        for (int k = 0; k < 4; k++)
            to->point[k] = (double)out[i].point[k];
    }
}

static void find(const job *j, queries *q)
{
    find_range(j, q, 0, q->num);
}

/* Points about the curves, on them, close to them, at their ends, and far away. */
static void make_queries(const job *j, queries *q, double offset)
{
    memset(q, 0, sizeof *q);
    q->num = support_tiny() ? 32 : 128;
    for (size_t i = 0; i < q->num; i++) {
        const size_t curve = support_random(&seed) % j->num_curves;
        const size_t at = i % 16 == 9 ? 0 : support_random(&seed) % j->num_samples;
        const double *const on = j->samples + (curve * j->num_samples + at) * 4;
        for (uint32_t k = 0; k < j->dim; k++) {
            const double off = i % 8 == 2 ? uniform(-1e-3, 1e-3) : 0.0;
            const double far = i % 8 == 7 ? 1e4 : i % 8 == 6 ? 3.0 : 1.2;
            q->points[i * 4 + k] =
                rounded(j, i % 8 <= 2 ? on[k] + off : offset + far * uniform(-1.0, 1.0));
        }
        q->patches[i] = (uint32_t)curve;
        q->hints[i] = i % 5 == 4 ? NAN : uniform(-1.0, j->knots[j->controls] + 1.0);
    }
}

/* ---- checks ---- */

/* The nearest sample of a curve; UINT32_MAX: of all. */
static double nearest_sample(const job *j, const double *q, uint32_t patch)
{
    const size_t first = patch == UINT32_MAX ? 0 : patch * j->num_samples;
    const size_t num = (patch == UINT32_MAX ? j->num_curves : 1) * j->num_samples;
    double least = INFINITY;

    for (size_t i = first; i < first + num; i++)
        least = fmin(least, distance_between(q, j->samples + i * 4));
    return least;
}

/* How far a distance may be off: coordinates are sums of degree + 1 terms as large as they are, and
   coefficients of the squared distance are off by (dim + degree + 4) / 2 eps of theirs; all twice
   as much with weights. */
static double allowed(const job *j, double distance)
{
    const double more = j->rational ? 2 : 1;

    return eps_of(j) * more * ((j->dim + j->degree + 8) * distance + (16 + j->degree) * j->scale);
}

/* How far the curve may move where its parameter is rounded. */
static double moved(const job *j, const clspi_nearest_f64 *r)
{
    const double end = j->knots[j->controls], h = end * eps_of(j);
    double x[4], y[4];

    sample(j, r->patch, fmax(r->param[0] - h, 0), x);
    sample(j, r->patch, fmin(r->param[0] + h, end), y);
    return distance_between(x, y);
}

static void check(const job *j, const double *q, const clspi_nearest_f64 *r, uint32_t patch)
{
    const double sampled = nearest_sample(j, q, patch), slack = allowed(j, r->distance);
    double on[4], before[4]; /* from the right, and from the left where there is a jump */

    assert_int_equal(r->status, CLSPI_SEARCH_FOUND);
    assert_true(patch == UINT32_MAX ? r->patch < j->num_curves : r->patch == patch);
    assert_true(r->param[0] >= j->knots[0] && r->param[0] <= j->knots[j->controls]);
    assert_true(fabs(r->param[1]) <= FLT_EPSILON * fabs(r->param[0]) && r->param[2] == 0);
    for (uint32_t k = j->dim; k < 4; k++)
        assert_true(r->point[k] == 0);
    sample(j, r->patch, r->param[0], on);
    sample(j, r->patch, nextafter(r->param[0], 0.0), before);
    const double off = fmin(distance_between(on, r->point), distance_between(before, r->point));
    const double ratios[] = {(r->distance - sampled) / slack, off / (moved(j, r) + allowed(j, 0)),
                             fabs(distance_between(q, r->point) - r->distance) / slack,
                             (r->distance - r->bound) / (2 * slack)};
    for (size_t i = 0; i < COUNT(ratios); i++) {
        worst = support_worse(worst, ratios[i]);
        if (!(ratios[i] <= 1.0))
            fail_msg("degree %u, dim %u: number %zu is %g of the bound", j->degree, j->dim, i,
                     ratios[i]);
    }
    assert_true(r->bound >= 0 && r->bound <= r->distance);
    if (r->bound > sampled + DBL_EPSILON * j->scale)
        fail_msg("%g is nearer than the bound %g", sampled, r->bound);
}

static void check_none(const clspi_nearest_f64 *r, clspi_search_status status, double bound)
{
    assert_int_equal(r->status, status);
    assert_true(isinf(r->distance) && r->patch == UINT32_MAX && isnan(r->param[0]) &&
                isnan(r->param[2]) && isnan(r->point[0]) && isnan(r->point[3]));
    assert_true(isnan(bound) ? isnan(r->bound) : r->bound == bound);
}

/* ---- tests ---- */

static const shape shapes[] = {
    {1, 2, 1, 0, 1},   {1, 40, 2, 0, 1},  {2, 9, 2, 0, 3},   {3, 4, 3, 0, 1},   {3, 130, 3, 0, 1},
    {3, 12, 3, 0, 20}, {4, 11, 4, 0, 9},  {5, 30, 1, 0, 1},  {6, 50, 2, 0, 1},  {7, 20, 3, 0, 2},
    {8, 17, 2, 0, 8},  {16, 33, 3, 0, 1}, {64, 66, 2, 0, 1}, {64, 65, 3, 0, 1}, {1, 5, 3, 1, 1},
    {2, 9, 2, 1, 17},  {3, 40, 3, 1, 1},  {4, 9, 1, 1, 1},   {5, 12, 4, 1, 1},  {6, 13, 3, 1, 3},
    {7, 9, 2, 1, 1},   {8, 20, 3, 1, 1},  {16, 20, 2, 1, 1}, {64, 65, 3, 1, 1},
};

static void test_samples(void **state)
{
    static queries q;

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        const double offset = i % 3 == 2 ? 50.0 : 0.0;
        job *const j = start(&shapes[i / 2], i % 2 == 1, offset);
        make_queries(j, &q, offset);
        find(j, &q);
        for (size_t k = 0; k < q.num; k++)
            check(j, q.points + k * 4, &q.out[k], UINT32_MAX);
        finish(j);
    }
    print_message("worst/bound %.2f\n", worst);
}

/* One curve of several, with hints: any hint gives the same distance. */
static void test_patches_and_hints(void **state)
{
    static queries q, hinted;

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        job *const j = start(&shapes[i / 2], i % 2 == 0, 0.0);
        make_queries(j, &q, 0.0);
        q.has_patches = true;
        find(j, &q);
        memcpy(&hinted, &q, sizeof q);
        hinted.has_hints = true;
        find(j, &hinted);
        for (size_t k = 0; k < q.num; k++) {
            check(j, q.points + k * 4, &q.out[k], q.patches[k]);
            check(j, q.points + k * 4, &hinted.out[k], q.patches[k]);
            if (isnan(q.hints[k])) assert_memory_equal(&q.out[k], &hinted.out[k], sizeof q.out[k]);
        }
        finish(j);
    }
}

/* Results do not depend on how queries are split, nor on what was searched before. */
static void test_splits(void **state)
{
    static queries q, split;

    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i += 3) {
        job *const j = start(&shapes[i], i % 2 == 0, 0.0);
        make_queries(j, &q, 0.0);
        memcpy(&split, &q, sizeof q);
        find(j, &q);
        for (size_t k = split.num; k-- > 0;)
            find_range(j, &split, k, 1);
        assert_memory_equal(q.out, split.out, q.num * sizeof *q.out);
        finish(j);
    }
}

static void test_max_dist(void **state)
{
    static queries q, near;

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        job *const j = start(&shapes[i / 2], i % 2 == 0, 0.0);
        make_queries(j, &q, 0.0);
        find(j, &q);
        memcpy(&near, &q, sizeof q);
        near.max_dist = 0.125;
        find(j, &near);
        for (size_t k = 0; k < q.num; k++) {
            const double slack = allowed(j, near.max_dist), distance = q.out[k].distance;
            const bool is_near = near.out[k].status == CLSPI_SEARCH_FOUND;
            assert_true(is_near ? distance <= near.max_dist + slack
                                : distance >= near.max_dist - slack);
            if (is_near)
                check(j, q.points + k * 4, &near.out[k], UINT32_MAX);
            else
                check_none(&near.out[k], CLSPI_SEARCH_NONE, near.max_dist);
        }
        finish(j);
    }
}

/* Coordinates near the ends of the numbers. */
static void test_sizes(void **state)
{
    static const shape s = {3, 20, 3, 0, 2};
    static queries q;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        job *const j = start(&s, i % 2 == 1, 0.0);
        const double size = /* the samples stay as they are */
            j->f64 ? (i < 2 ? 1e290 : 1e-290) : (i < 2 ? 1e33 : 1e-30);
        make_queries(j, &q, 0.0);
        for (size_t k = 0; k < COUNT(j->points); k++)
            j->narrow[k] = (float)(j->points[k] = rounded(j, j->points[k] * size));
        load(j);
        for (size_t k = 0; k < q.num * 4; k++)
            q.points[k] = rounded(j, q.points[k] * size);
        find(j, &q);
        for (size_t k = 0; k < j->num_curves * j->controls * j->coords; k++)
            j->points[k] /= size;
        for (size_t k = 0; k < q.num; k++) {
            clspi_nearest_f64 r = q.out[k];
            double at[4];
            r.distance /= size;
            r.bound /= size * (1 + 8 * eps_of(j));
            for (size_t c = 0; c < 4; c++) {
                r.point[c] /= size;
                at[c] = q.points[k * 4 + c] / size;
            }
            check(j, at, &r, UINT32_MAX);
        }
        finish(j);
    }
}

/* Queries and curves that cannot be searched, beside others that can. */
static void test_unsound(void **state)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    static queries q;

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        job *const j = start(&shapes[i / 2], i % 2 == 0, 0.0);
        make_queries(j, &q, 0.0);
        for (size_t k = 0; k < 3; k++)
            q.points[4 * k + j->dim - 1] = wrong[k];
        q.has_patches = true;
        q.patches[3] = (uint32_t)j->num_curves;
        q.patches[4] = UINT32_MAX;
        find(j, &q);
        for (size_t k = 0; k < 5; k++)
            check_none(&q.out[k], CLSPI_SEARCH_INVALID, NAN);
        check(j, q.points + 20, &q.out[5], q.patches[5]);
        for (size_t k = 0; k < j->controls * j->coords; k++) { /* of curve 0 */
            j->narrow[k] = (float)wrong[k % 3];
            j->points[k] = wrong[k % 3];
        }
        load(j);
        q.has_hints = i % 4 < 2;
        find(j, &q);
        for (size_t k = 5; k < q.num; k++)
            if (q.patches[k] == 0)
                check_none(&q.out[k], CLSPI_SEARCH_NONE, INFINITY);
            else
                check(j, q.points + k * 4, &q.out[k], q.patches[k]);
        j->num_curves = 0;
        load(j);
        find(j, &q);
        check_none(&q.out[0], CLSPI_SEARCH_INVALID, NAN);
        check_none(&q.out[5], CLSPI_SEARCH_NONE, INFINITY);
        finish(j);
    }
}

/* Curves that stay where they are, or go there and back. */
static void test_collapsed(void **state)
{
    static queries q;

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        job *const j = start(&shapes[i / 2], i % 2 == 0, 0.0);
        const size_t period = i % 4 < 2 ? 1 : 2; /* of control points */
        for (size_t k = period * j->coords; k < j->num_curves * j->controls * j->coords; k++) {
            j->points[k] = j->points[k - period * j->coords];
            j->narrow[k] = (float)j->points[k];
        }
        free(j->samples);
        make_samples(j);
        load(j);
        make_queries(j, &q, 0.0);
        find(j, &q);
        for (size_t k = 0; k < q.num; k++)
            check(j, q.points + k * 4, &q.out[k], UINT32_MAX);
        finish(j);
    }
}

/* The centre of a circle: every point is as near as all others. */
static void test_circle(void **state)
{
    static const double circle[] = {1, 0, 1, 1, 1, 1, 0, 1, 1};
    static const shape s = {2, 3, 2, 1, 1};
    static queries q;

    (void)state;
    for (size_t f64 = 0; f64 < 2; f64++) {
        job *const j = start(&s, f64 == 1, 0.0);
        for (size_t k = 0; k < COUNT(circle); k++) {
            const double w = k / 3 == 1 ? rounded(j, sqrt(0.5)) : 1.0;
            j->points[k] = rounded(j, w * circle[k]);
            j->narrow[k] = (float)j->points[k];
        }
        j->scale = 1;
        load(j);
        memset(&q, 0, sizeof q);
        q.num = 1;
        find(j, &q);
        assert_true(fabs(q.out[0].distance - 1) <= 16 * eps_of(j));
        assert_true(q.out[0].bound <= 1 && q.out[0].bound >= 1 - 64 * eps_of(j));
        finish(j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),   cmocka_unit_test(test_patches_and_hints),
        cmocka_unit_test(test_splits),    cmocka_unit_test(test_max_dist),
        cmocka_unit_test(test_sizes),     cmocka_unit_test(test_unsound),
        cmocka_unit_test(test_collapsed), cmocka_unit_test(test_circle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
