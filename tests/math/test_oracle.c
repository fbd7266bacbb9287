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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bernstein_of_degree_3),
        cmocka_unit_test(casteljau_reproduces_monomials),
        cmocka_unit_test(surface_of_a_product),
        cmocka_unit_test(sum_is_casteljau),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
