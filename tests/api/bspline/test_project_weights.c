/* Projection in single precision onto rational curves of high degree, whose weights differ so much
   that much of a curve belongs to few parameters. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "project_fixture.h"

static double worst, worst_param;
static size_t num_queries, num_cut;

/* Random points, with weights from 10^-digits to 10^digits. */
static curves curves_of(uint32_t degree, uint32_t more, unsigned dim, double digits)
{
    curves c = curves_make(CLSP_F32, degree, degree + 1 + more, dim, true, 1);

    seed(degree * 100 + more + dim * 10);
    c.name = "weights";
    for (size_t i = 0; i < c.d.num_controls[0]; i++) {
        for (unsigned k = 0; k < dim; k++)
            set_coordinate(&c, i, k, 0.5 + 0.5 * random_real());
        set_coordinate(&c, i, dim, pow(10.0, digits * random_real()));
    }
    curves_finish(&c);
    return c;
}

/* How far the curve is from a query at the parameter of a result, which is a sum of two numbers. */
static long double distance_at(curves *c, const double *query, const clsp_nearest_f64 *r)
{
    long double at[4], square = 0.0L;

    ref_project_point(oracle_of(c, 0), (long double)r->param[0] + r->param[1], 0, at);
    for (unsigned k = 0; k < c->dim; k++)
        square += (at[k] - query[k]) * (at[k] - query[k]);
    return sqrtl(square);
}

/* A result that is found is the nearest one, and its parameter tells it; any bound is one. */
static void check(curves *c, const double *query, const clsp_nearest_f64 *r)
{
    const ref_nearest exact = exact_nearest(c, query, UINT32_MAX);
    const double most = allowed(c, (double)exact.distance);
    const double above = (double)(r->distance - exact.distance) / most;
    const double at_param = (double)(distance_at(c, query, r) - exact.distance) / most;

    num_queries++;
    assert_true(r->bound <= exact.distance);
    assert_true(r->status <= CLSP_NEAREST_CUT);
    if (r->status == CLSP_NEAREST_CUT) {
        num_cut++;
        return;
    }
    worst = support_worse(worst, above);
    worst_param = support_worse(worst_param, at_param);
    if (!(above <= 1.0 && at_param <= 1.0))
        fail_msg("degree %u, dim %u, %u control points: %.2f of what is allowed, at the parameter "
                 "%.9g + %.9g %.2f",
                 c->d.degree[0], c->dim, c->d.num_controls[0], above, r->param[0], r->param[1],
                 at_param);
}

/* Projects points onto curves by the device, and by the host. */
static void check_curves(clsp_context *ctx, curves c, size_t num)
{
    const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    double *const queries = make_queries(&c, num);
    projecting p = project_start(ctx, &c, num, queries);

    for (int by_host = loops_are_cut(ctx); by_host < 2; by_host++) {
        p.share = by_host ? &host : NULL;
        clsp_nearest_f64 *const results = project_range(&p, 0, num);
        for (size_t i = 0; i < num; i++)
            check(&c, queries + i * c.dim, &results[i]);
        free(results);
    }
    project_finish(&p);
    free(queries);
    curves_free(&c);
}

/* With weights of 10^-digits to 10^digits; full: as many as the degrees 10 to 16 have. */
static void check_digits(double digits)
{
    clsp_context *const ctx = lent_context("");

    worst = worst_param = 0.0;
    num_queries = num_cut = 0;
    if (!full()) check_curves(ctx, curves_of(15, 0, 2, digits), 64);
    for (uint32_t degree = 10; full() && degree <= 16; degree++)
        for (unsigned dim = 2; dim <= 3; dim++)
            for (uint32_t more = 0; more < 8; more++)
                check_curves(ctx, curves_of(degree, more, dim, digits), 96);
    print_message("%zu queries, %zu cut, worst/allowed %.2f, at the parameter %.2f\n", num_queries,
                  num_cut, worst, worst_param);
}

static void test_weights(void **state)
{
    (void)state;
    check_digits(3.0);
    assert_int_equal(num_cut, 0);
}

/* Then the last parts of segments are as short as parts may be. */
static void test_extreme_weights(void **state)
{
    (void)state;
    check_digits(6.0);
    assert_true(num_cut <= num_queries / 20);
}

static void test_mild_weights(void **state)
{
    (void)state;
    check_digits(0.5);
    assert_int_equal(num_cut, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_extreme_weights),
        cmocka_unit_test(test_mild_weights),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
