/* The oracle of projection, against distances in closed form and against very many samples. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "../support.h"
#include "project_ref.h"

enum { DIM_MAX = 4 };

static const long double tolerance = 1e-15L;

/* A curve over knots: degree, control points, dim, whether it is rational. */
static ref_bspline curve_of(unsigned degree, unsigned controls, const double *knots, unsigned dim,
                            const double *points)
{
    return (ref_bspline){.directions = 1,
                         .degree = {degree, 0, 0},
                         .controls = {controls, 1, 1},
                         .knots = {knots, NULL, NULL},
                         .dim = dim,
                         .points = points};
}

static ref_project *made(const ref_bspline *curve)
{
    ref_project *const project = ref_project_make(curve);

    assert_non_null(project);
    return project;
}

/* The distance, to so much; the bound beneath it is as near as the tolerance allows. */
static ref_nearest assert_distance(ref_project *project, const double *query, long double distance,
                                   long double within)
{
    ref_nearest found;

    ref_project_nearest(project, query, tolerance, &found);
    assert_true(fabsl(found.distance - distance) <= within);
    assert_true(found.bound <= found.distance && found.distance - found.bound <= 2 * tolerance);
    return found;
}

/* ---- closed forms ---- */

static long double distance_to_segment(const double a[2], const double b[2], const double q[2])
{
    const long double x = (long double)b[0] - a[0], y = (long double)b[1] - a[1];
    const long double along = ((q[0] - a[0]) * x + (q[1] - a[1]) * y) / (x * x + y * y);
    const long double t = fminl(fmaxl(along, 0.0L), 1.0L);

    return hypotl(a[0] + t * x - q[0], a[1] + t * y - q[1]);
}

static void polygon(void **state)
{
    enum { NUM = 6 };
    static const double points[NUM][2] = {{0, 0}, {1, 0}, {1, 1}, {0.25, 0.5}, {0.25, 2}, {-1, 1}};
    static const double knots[NUM + 2] = {0, 0, 1, 2, 4, 4.5, 5, 5};
    const ref_bspline curve = curve_of(1, NUM, knots, 2, &points[0][0]);
    ref_project *const project = made(&curve);
    uint64_t random = 1;

    (void)state;
    for (int k = 0; k < 300; k++) {
        const double q[2] = {2 * support_uniform(&random), 3 * support_uniform(&random)};
        long double distance = INFINITY;
        for (unsigned i = 0; i + 1 < NUM; i++)
            distance = fminl(distance, distance_to_segment(points[i], points[i + 1], q));
        assert_distance(project, q, distance, 2 * tolerance);
    }
    ref_project_free(project);
}

/* Two lines with a gap between them: both sides of the jump count. */
static void jump(void **state)
{
    static const double points[] = {0, 0, 1, 0, 3, 0, 4, 0}, knots[] = {0, 0, 1, 1, 2, 2};
    const ref_bspline curve = curve_of(1, 4, knots, 2, points);
    ref_project *const project = made(&curve);
    ref_nearest minima[4];
    long double point[2];

    (void)state;
    assert_distance(project, (const double[]){1.5, 0}, 0.5L, tolerance);
    assert_distance(project, (const double[]){2.5, 0}, 0.5L, tolerance);
    assert_int_equal(ref_project_minima(project, (const double[]){1.75, 0.5}, minima, 4), 2);
    assert_true(minima[0].point[0] == 1 && minima[1].point[0] == 3);
    ref_project_point(project, 1.0L, 0, point);
    assert_true(point[0] == 3);
    ref_project_point(project, 1.0L, 1, point);
    assert_true(point[0] == 1);
    ref_project_free(project);
}

/* A half of the parabola y = x^2, 0 <= x <= 2. From (0, h) with h > 1/2 the nearest point is at
   x^2 = h - 1/2, at a distance of sqrt(h - 1/4). */
static void parabola(void **state)
{
    static const double points[] = {0, 0, 1, 0, 2, 4}, knots[] = {0, 0, 0, 2, 2, 2};
    const ref_bspline curve = curve_of(2, 3, knots, 2, points);
    ref_project *const project = made(&curve);

    (void)state;
    for (int k = 9; k <= 64; k++) {
        const double q[] = {0, k / 16.0};
        const ref_nearest found = assert_distance(project, q, sqrtl(q[1] - 0.25L), tolerance);
        assert_true(fabsl(found.t - sqrtl(q[1] - 0.5L)) <= 1e-7L);
    }
    ref_project_free(project);
}

/* A circle of four quarters (Piegl and Tiller, 7.5). */
static void circle(void **state)
{
    const double h = sqrt(0.5);
    const double points[] = {1, 0,  1,  h, h, h,  0, 1, 1,  -h, h, h, -1, 0,
                             1, -h, -h, h, 0, -1, 1, h, -h, h,  1, 0, 1};
    static const double knots[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    ref_bspline curve = curve_of(2, 9, knots, 2, points);
    uint64_t random = 2;
    ref_nearest found;

    (void)state;
    curve.rational = 1;
    ref_project *const project = made(&curve);
    for (int k = 0; k < 300; k++) {
        const double q[] = {2 * support_uniform(&random), 2 * support_uniform(&random)};
        const long double distance = fabsl(hypotl(q[0], q[1]) - 1);
        assert_distance(project, q, distance, tolerance + 4e-16L); /* h is rounded */
    }
    ref_project_nearest(project, (const double[]){0, 0}, tolerance, &found);
    assert_true(fabsl(found.distance - 1) <= 4e-16L && found.bound > 1 - 1e-6L);
    ref_project_free(project);
}

/* x = t, y = 2 T_3(t) with Chebyshev's polynomial, whose extrema are at -1, -1/2, 1/2, 1; from far
   above and below the minima of the distance are all but there. */
static void minima_of_a_wave(void **state)
{
    const double points[] = {-1, -2, -1.0 / 3, 10, 1.0 / 3, -10, 1, 2};
    static const double knots[] = {-1, -1, -1, -1, 1, 1, 1, 1};
    const ref_bspline curve = curve_of(3, 4, knots, 2, points);
    ref_project *const project = made(&curve);
    ref_nearest minima[4];
    static const double above[] = {0, 1000}, below[] = {0, -1000};

    (void)state;
    assert_int_equal(ref_project_minima(project, above, minima, 4), 2);
    assert_true(fabsl(minima[0].t + 0.5L) < 1e-3L && fabsl(minima[1].t - 1) < 1e-12L);
    assert_int_equal(ref_project_minima(project, below, minima, 4), 2);
    assert_true(fabsl(minima[0].t + 1) < 1e-12L && fabsl(minima[1].t - 0.5L) < 1e-3L);
    assert_int_equal(ref_project_minima(project, below, minima, 1), 2);
    ref_project_free(project);
}

/* ---- samples ---- */

/* A random curve, with one inner knot as often as makes a kink, and points on it or anywhere. */
static void against_samples(unsigned degree, unsigned controls, unsigned dim, int rational)
{
    enum { SAMPLES = 1000, QUERIES = 8 };
    const unsigned coords = dim + (rational ? 1 : 0);
    double *const points = malloc((size_t)controls * coords * sizeof *points);
    double *const knots = malloc((controls + degree + 1) * sizeof *knots);
    uint64_t random = degree + 100;

    assert_true(points && knots);
    for (unsigned i = 0; i < controls * coords; i++)
        points[i] = rational && i % coords == dim ? exp(4 * support_uniform(&random))
                                                  : support_uniform(&random);
    for (unsigned i = 0; rational && i < controls * coords; i++)
        if (i % coords < dim) points[i] *= points[i - i % coords + dim];
    for (unsigned i = 0; i < controls + degree + 1; i++)
        knots[i] = i < degree + 1 ? 0 : i < 2 * degree + 1 ? 1 : i < controls ? i : controls;
    ref_bspline curve = curve_of(degree, controls, knots, dim, points);
    curve.rational = rational;
    ref_project *const project = made(&curve);
    for (int k = 0; k < QUERIES; k++) {
        double query[DIM_MAX];
        long double least = INFINITY, point[DIM_MAX];
        ref_project_point(project, (support_uniform(&random) + 1) * controls / 2, 0, point);
        for (unsigned c = 0; c < dim; c++)
            query[c] = k % 2 ? support_uniform(&random) : (double)point[c];
        for (unsigned i = 0; i <= SAMPLES; i++) {
            long double square = 0.0L;
            ref_project_point(project, (long double)controls * i / SAMPLES, i % 2, point);
            for (unsigned c = 0; c < dim; c++)
                square += (point[c] - query[c]) * (point[c] - query[c]);
            least = fminl(least, sqrtl(square));
        }
        ref_nearest found;
        ref_project_nearest(project, query, tolerance, &found);
        assert_true(found.distance <= least + tolerance);
        assert_true(found.distance - found.bound <= 2 * tolerance);
        assert_true(k % 2 || found.distance <= tolerance);
        ref_project_point(project, found.t, 0, point);
        for (unsigned c = 0; c < dim; c++)
            assert_true(fabsl(point[c] - found.point[c]) <= tolerance);
    }
    ref_project_free(project);
    free(points);
    free(knots);
}

static void samples(void **state)
{
    (void)state;
    for (unsigned degree = 1; degree <= REF_MAX_DEGREE; degree += degree < 8 ? 1 : 28)
        for (int rational = 0; rational < 2; rational++)
            against_samples(degree, 3 * degree + 2, degree % DIM_MAX + 1, rational);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygon),          cmocka_unit_test(jump),
        cmocka_unit_test(parabola),         cmocka_unit_test(circle),
        cmocka_unit_test(minima_of_a_wave), cmocka_unit_test(samples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
