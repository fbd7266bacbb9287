/* The oracle itself, against closed forms: an error in it would hide errors of the library. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "bezier_ref.h"

static void bernstein_of_degree_3(void **state)
{
    (void)state;
    for (int a = 0; a <= 16; a++) {
        const long double t = a / 16.0L, s = 1.0L - t;
        const long double exact[] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
        long double values[4];
        ref_bernstein(values, 3, t);
        for (int k = 0; k < 4; k++)
            assert_true(fabsl(values[k] - exact[k]) <= 4 * LDBL_EPSILON);
    }
}

/* The Bezier form of the monomial t^m of degree n has the coefficients C(k, m) / C(n, m). */
static void casteljau_reproduces_monomials(void **state)
{
    enum { N = 12 };

    (void)state;
    for (unsigned m = 0; m <= 3; m++) {
        double p[N + 1];
        long double scratch[N + 1];
        for (unsigned k = 0; k <= N; k++) {
            double c = 1.0;
            for (unsigned j = 0; j < m; j++)
                c *= k < j ? 0.0 : (double)(k - j) / (double)(N - j);
            p[k] = c;
        }
        for (int a = 0; a <= 20; a++) {
            const long double t = a / 20.0L;
            const long double got = ref_casteljau(p, 1, N, t, scratch);
            assert_true(fabsl(got - powl(t, m)) <= 8 * (long double)DBL_EPSILON);
        }
    }
}

/* S(u, v) = u v^2 with degrees (1, 2). */
static void surface_of_a_product(void **state)
{
    const double p[] = {0, 0, 0, 0, 0, 1};
    long double scratch[5];

    (void)state;
    for (int a = 0; a <= 8; a++) {
        for (int b = 0; b <= 8; b++) {
            const long double u = a / 8.0L, v = b / 8.0L;
            assert_true(ref_bezier_surface(p, 1, 2, 1, 0, u, v, scratch) == u * v * v);
        }
    }
}

/* Both ways of the oracle agree. */
static void sum_is_casteljau(void **state)
{
    enum { M = 40, N = 23 };
    static double p[(M + 1) * (N + 1) * 2];
    long double scratch[M + N + 2];

    (void)state;
    for (size_t i = 0; i < sizeof p / sizeof p[0]; i++)
        p[i] = sin((double)(i * i));
    for (int a = 0; a <= 10; a++) {
        const long double u = a / 10.0L, v = 1.0L - u / 3.0L;
        const long double x = ref_bezier_surface(p, M, N, 2, 1, u, v, scratch);
        assert_true(fabsl(x - ref_bezier_sum(p, M, N, 2, 1, u, v, scratch)) <= 64 * LDBL_EPSILON);
    }
}

/* ---- patches of all forms ---- */

static void assert_near(const long double *got, const long double *exact, unsigned num)
{
    for (unsigned c = 0; c < num; c++)
        assert_true(fabsl(got[c] - exact[c]) <= 256 * LDBL_EPSILON);
}

/* A quarter of the unit circle (Farin, 13.1): |C| = 1, C' is normal to C and C'' by differences of
   C', whose angle is known: with weights 1, 1, 2 the homogeneous curve is (1 - t^2, 2 t, 1 + t^2),
   that is (cos a, sin a) with a = 2 atan t. */
static void quarter_circle(void **state)
{
    const double points[] = {1, 0, 1, 1, 1, 1, 0, 2, 2};
    const ref_patch patch = {REF_CURVE, {2, 0, 0}, 2, 1, points};

    (void)state;
    for (int a = 0; a <= 16; a++) {
        const long double t = a / 16.0L, angle = 2 * atanl(t), rate = 2 / (1 + t * t);
        const long double bend = -4 * t / ((1 + t * t) * (1 + t * t));
        const long double s = sinl(angle), c = cosl(angle);
        const long double point[] = {c, s}, du[] = {-rate * s, rate * c};
        const long double duu[] = {-rate * rate * c - bend * s, -rate * rate * s + bend * c};
        ref_vertex vertex;
        assert_true(ref_bezier_vertex(&patch, t, 0, 0, &vertex));
        assert_near(vertex.point, point, 2);
        assert_near(vertex.du, du, 2);
        assert_near(vertex.duu, duu, 2);
        assert_true(fabsl(vertex.weight - (1 + t * t)) <= 4 * LDBL_EPSILON);
    }
}

/* An octant of the unit sphere as a surface of degrees (2, 2): the quarter circle turned about an
   axis by another one. Its unit normal is the point itself. */
static void octant_of_a_sphere(void **state)
{
    static const double turn[3][3] = {{1, 0, 1}, {1, 1, 1}, {0, 2, 2}};
    double points[36];
    const ref_patch patch = {REF_SURFACE, {2, 2, 0}, 3, 1, points};

    (void)state;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double *const p = points + (i * 3 + j) * 4;
            p[0] = turn[i][0] * turn[j][0];
            p[1] = turn[i][1] * turn[j][0];
            p[2] = turn[i][2] * turn[j][1];
            p[3] = turn[i][2] * turn[j][2];
        }
    }
    for (int a = 0; a <= 8; a++) {
        for (int b = 0; b < 8; b++) {
            const long double u = a / 8.0L, v = b / 8.0L;
            const long double alpha = 2 * atanl(u), beta = 2 * atanl(v);
            const long double point[] = {cosl(alpha) * cosl(beta), sinl(alpha) * cosl(beta),
                                         sinl(beta)};
            const long double duv_x = sinl(alpha) * sinl(beta) * 4 / ((1 + u * u) * (1 + v * v));
            ref_vertex vertex;
            assert_true(ref_bezier_vertex(&patch, u, v, 0, &vertex));
            assert_near(vertex.point, point, 3);
            assert_near(vertex.normal, point, 3);
            assert_near(vertex.duv, &duv_x, 1);
        }
    }
}

/* S = (u^2 v, u^2 + v^2, 3 u v - v), with both ways of summing: by degrees, and raised to degree 80
   in u, where it is summed by Bernstein values. The control points of t^m of degree n are C(i, m) /
   C(n, m). */
static void polynomial_surface(void **state)
{
    enum { HIGH = 80 };
    static double points[(HIGH + 1) * 3 * 3];

    (void)state;
    for (unsigned n = 2; n <= HIGH; n += HIGH - 2) {
        const ref_patch patch = {REF_SURFACE, {n, 2, 0}, 3, 0, points};
        for (unsigned i = 0; i <= n; i++) {
            for (unsigned j = 0; j <= 2; j++) {
                const double u = (double)i / n, u2 = (double)(i * (i - (i > 0))) / (n * (n - 1));
                const double v = j / 2.0, v2 = j / 2;
                const double p[] = {u2 * v, u2 + v2, 3 * u * v - v};
                for (int c = 0; c < 3; c++)
                    points[(i * 3 + j) * 3 + (unsigned)c] = p[c];
            }
        }
        for (int a = 0; a <= 8; a++) {
            const long double u = a / 8.0L, v = 1 - u / 2;
            const long double exact[][3] = {{u * u * v, u * u + v * v, 3 * u * v - v},
                                            {2 * u * v, 2 * u, 3 * v},
                                            {u * u, 2 * v, 3 * u - 1},
                                            {2 * v, 2, 0},
                                            {2 * u, 0, 3},
                                            {0, 2, 0}};
            ref_vertex x;
            assert_true(ref_bezier_vertex(&patch, u, v, 0, &x));
            const long double *const got[] = {x.point, x.du, x.dv, x.duu, x.duv, x.dvv};
            for (int k = 0; k < 6; k++)
                for (int c = 0; c < 3; c++) /* control points up to 2 are rounded to double, and the
                                               weights of a second difference add up to 4 n^2 */
                    assert_true(fabsl(got[k][c] - exact[k][c]) <=
                                4 * n * n * (long double)DBL_EPSILON);
        }
    }
}

/* S = (u v w, u + 2 w^2) with degrees (1, 1, 2). */
static void volume_of_a_product(void **state)
{
    double points[2 * 2 * 3 * 2];
    const ref_patch patch = {REF_VOLUME, {1, 1, 2}, 2, 0, points};

    (void)state;
    for (int i = 0; i < 12; i++) {
        const int u = i / 6, v = i / 3 % 2, w = i % 3;
        points[2 * i] = u * v * w / 2.0;
        points[2 * i + 1] = u + 2 * (w / 2);
    }
    for (int a = 0; a <= 8; a++) {
        const long double u = a / 8.0L, v = 1 - u / 2, w = u / 4;
        const long double point[] = {u * v * w, u + 2 * w * w}, du[] = {v * w, 1};
        const long double dv[] = {u * w, 0}, dw[] = {u * v, 4 * w};
        ref_vertex vertex;
        assert_true(ref_bezier_vertex(&patch, u, v, w, &vertex));
        assert_near(vertex.point, point, 2);
        assert_near(vertex.du, du, 2);
        assert_near(vertex.dv, dv, 2);
        assert_near(vertex.dw, dw, 2);
    }
}

/* (u^2, v^2 + u v, u - v) as a triangle of degree 2: by its blossom, control points P_ijk. */
static void quadratic_triangle(void **state)
{
    /* P_002, P_011, P_020, P_101, P_110, P_200 */
    const double points[] = {0, 0, 0, 0, 0, -0.5, 0, 1, -1, 0, 0, 0.5, 0, 0.5, 0, 1, 0, 1};
    const ref_patch patch = {REF_TRIANGLE, {2, 0, 0}, 3, 0, points};

    (void)state;
    for (int a = 0; a <= 8; a++) {
        for (int b = 0; a + b <= 8; b++) {
            const long double u = a / 8.0L, v = b / 8.0L;
            const long double point[] = {u * u, v * v + u * v, u - v};
            const long double du[] = {2 * u, v, 1}, dv[] = {0, 2 * v + u, -1};
            const long double duu[] = {2, 0, 0}, duv[] = {0, 1, 0}, dvv[] = {0, 2, 0};
            ref_vertex vertex;
            assert_true(ref_bezier_vertex(&patch, u, v, 0, &vertex));
            assert_near(vertex.point, point, 3);
            assert_near(vertex.du, du, 3);
            assert_near(vertex.dv, dv, 3);
            assert_near(vertex.duu, duu, 3);
            assert_near(vertex.duv, duv, 3);
            assert_near(vertex.dvv, dvv, 3);
        }
    }
}

/* A rational triangle with weights 1 + u + 2 v and points (u, v) of it. */
static void rational_triangle(void **state)
{
    /* degree 1: P_001, P_010, P_100 */
    const double points[] = {0, 0, 1, 0, 3, 3, 2, 0, 2};
    const ref_patch patch = {REF_TRIANGLE, {1, 0, 0}, 2, 1, points};
    const long double u = 0.25L, v = 0.5L, w = 1 + u + 2 * v;
    const long double point[] = {2 * u / w, 3 * v / w};
    const long double du[] = {(2 * w - 2 * u) / (w * w), -3 * v / (w * w)};
    const long double dvv[] = {16 * u / (w * w * w), -12 * (1 + u) / (w * w * w)};
    ref_vertex vertex;

    (void)state;
    assert_true(ref_bezier_vertex(&patch, u, v, 0, &vertex));
    assert_near(vertex.point, point, 2);
    assert_near(vertex.du, du, 2);
    assert_near(vertex.dvv, dvv, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bernstein_of_degree_3), cmocka_unit_test(casteljau_reproduces_monomials),
        cmocka_unit_test(surface_of_a_product),  cmocka_unit_test(sum_is_casteljau),
        cmocka_unit_test(quarter_circle),        cmocka_unit_test(octant_of_a_sphere),
        cmocka_unit_test(polynomial_surface),    cmocka_unit_test(volume_of_a_product),
        cmocka_unit_test(quadratic_triangle),    cmocka_unit_test(rational_triangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
