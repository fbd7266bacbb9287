/* The nearest local minima of the distance along curves, against all of them: the zeros of the
   derivative of the squared distance, a polynomial on each span, in long double. Control points are
   random or small integers, with which queries lie on normals, at ends and joints too, handles are
   retracted and derivatives vanish together. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "project_fixture.h"
#include "vertex_fixture.h"

enum {
    DEGREE_MAX = 5,
    SPANS_MAX = 3,
    COEFFICIENTS = 2 * DEGREE_MAX + 1,
    BREAKS = SPANS_MAX * (COEFFICIENTS + 1),
    NEAREST = 8
};

/* ---- the oracle ---- */

static long double value_of(const long double *c, unsigned degree, long double u)
{
    long double sum = c[degree];

    for (unsigned k = degree; k-- > 0;)
        sum = sum * u + c[k];
    return sum;
}

/* Finds where a polynomial changes its sign within (0, 1), in order: between the places where its
   derivative does it is monotone. Returns their number. */
static unsigned changes_of(const long double *c, unsigned degree, long double *at)
{
    long double slope[COEFFICIENTS], ends[COEFFICIENTS + 1] = {0.0L};
    unsigned num = 0;

    if (degree == 0) return 0;
    for (unsigned k = 0; k < degree; k++)
        slope[k] = (k + 1) * c[k + 1];
    const unsigned last = changes_of(slope, degree - 1, ends + 1) + 1;
    ends[last] = 1.0L;
    for (unsigned i = 0; i < last; i++) {
        long double low = ends[i], high = ends[i + 1];
        const bool rises = value_of(c, degree, low) < 0;
        if (rises == (value_of(c, degree, high) < 0)) continue;
        for (int n = 0; n < 70; n++) {
            const long double middle = (low + high) / 2;
            if ((value_of(c, degree, middle) < 0) == rises)
                low = middle;
            else
                high = middle;
        }
        at[num++] = (low + high) / 2;
    }
    return num;
}

/* The squared distance along a curve: it is monotone from each place to the next. */
typedef struct profile {
    unsigned num;
    long double t[BREAKS], square[BREAKS];
    long double most; /* its largest control point's */
} profile;

static long double square_at(curves *c, size_t curve, const double *query, long double t,
                             int from_left)
{
    long double point[4], square = 0.0L;

    ref_project_point(oracle_of(c, curve), t, from_left, point);
    for (unsigned k = 0; k < c->dim; k++)
        square += (point[k] - query[k]) * (point[k] - query[k]);
    return square;
}

/* Finds the coefficients by powers of u of the squared distance at t + length u: through as many
   points, by Newton's divided differences. */
static void interpolate(curves *c, size_t curve, const double *query, long double t,
                        long double length, long double *out)
{
    const unsigned degree = 2 * c->d.degree[0];
    long double y[COEFFICIENTS];

    for (unsigned k = 0; k <= degree; k++)
        y[k] = square_at(c, curve, query, t + length * k / degree, k == degree);
    for (unsigned r = 1; r <= degree; r++)
        for (unsigned k = degree; k >= r; k--)
            y[k] = (y[k] - y[k - 1]) * degree / r;
    for (unsigned k = 0; k <= degree; k++)
        out[k] = 0.0L;
    for (unsigned r = degree + 1; r-- > 0;) {
        for (unsigned k = degree; k > 0; k--)
            out[k] = out[k - 1] - out[k] * r / degree;
        out[0] = y[r] - out[0] * r / degree;
    }
}

static void add_break(profile *p, long double t, long double square)
{
    p->t[p->num] = t;
    p->square[p->num++] = square;
}

static profile profile_of(curves *c, size_t curve, const double *query)
{
    const unsigned p = c->d.degree[0], spans = c->d.num_controls[0] - p;
    const double *const point = c->controls + curve * c->d.num_controls[0] * c->dim;
    profile f = {.num = 0};

    for (unsigned i = 0; i < c->d.num_controls[0]; i++) {
        long double square = 0.0L;
        for (unsigned k = 0; k < c->dim; k++)
            square += powl(point[i * c->dim + k] - (long double)query[k], 2);
        f.most = fmaxl(f.most, square);
    }
    for (unsigned s = 0; s < spans; s++) {
        const long double begin = c->knots[p + s], length = c->knots[p + s + 1] - begin;
        long double power[COEFFICIENTS], slope[COEFFICIENTS], at[COEFFICIENTS];
        interpolate(c, curve, query, begin, length, power);
        for (unsigned k = 0; k < 2 * p; k++)
            slope[k] = (k + 1) * power[k + 1];
        const unsigned num = changes_of(slope, 2 * p - 1, at);
        if (s == 0) add_break(&f, begin, square_at(c, curve, query, begin, 0));
        for (unsigned i = 0; i < num; i++)
            add_break(&f, begin + length * at[i],
                      square_at(c, curve, query, begin + length * at[i], 0));
        add_break(&f, begin + length, square_at(c, curve, query, begin + length, 1));
    }
    return f;
}

/* Tells whether number i is a local minimum. */
static bool is_minimum(const profile *f, unsigned i)
{
    return (i == 0 || f->square[i - 1] >= f->square[i]) &&
           (i + 1 == f->num || f->square[i + 1] >= f->square[i]);
}

/* Finds the least square on the way from number i to one end of the curve, before it is above
   `level` where it turns. */
static long double least_on_way(const profile *f, unsigned i, int way, long double level)
{
    long double least = f->square[i];

    for (; i < f->num && f->square[i] <= level; i += (unsigned)way)
        least = fminl(least, f->square[i]);
    return least;
}

/* Finds the largest square where it turns between two parameters. */
static long double most_between(const profile *f, long double t, long double u)
{
    long double most = 0.0L;

    for (unsigned i = 0; i < f->num; i++)
        if (f->t[i] >= fminl(t, u) && f->t[i] <= fmaxl(t, u)) most = fmaxl(most, f->square[i]);
    return most;
}

/* ---- checks ---- */

static void complain(const curves *c, const double *query, const clsp_nearest_f64 *results,
                     const char *what, double t, double square)
{
    const double *const p = c->controls + results->patch * c->d.num_controls[0] * c->dim;

    for (unsigned i = 0; i < c->d.num_controls[0]; i++)
        print_message("(%.17g, %.17g) ", p[i * c->dim], p[i * c->dim + 1]);
    print_message("\n");
    for (unsigned k = 0; k < NEAREST; k++)
        print_message("%.9g: %.9g\n", results[k].param[0], results[k].distance);
    fail_msg("degree %u, f%d, query %.17g %.17g: %s at %.17g, distance %.17g", c->d.degree[0],
             c->d.precision == CLSP_F64 ? 64 : 32, query[0], query[1], what, t, sqrt(square));
}

/* Fails unless results are different minima, and none is missing that is deeper than roundings. A
   coefficient of the derivative of a part of degree 2p - 1 is off by up to (dim + p + 4) eps of the
   largest square; where no sign is certain the square may rise and fall by their sum, in a few
   parts beside each other. */
static void check_minima(curves *c, size_t curve, const double *query,
                         const clsp_nearest_f64 *results)
{
    const double eps = c->d.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const unsigned p = c->d.degree[0];
    const profile f = profile_of(c, curve, query);
    const long double off = 8 * p * (c->dim + p + 4) * eps * f.most;
    long double t[NEAREST], square[NEAREST];
    unsigned found = 0;

    for (; found < NEAREST && results[found].status == CLSP_NEAREST_FOUND; found++) {
        const unsigned k = found;
        check_itself(c, query, &results[k]);
        t[k] = (long double)results[k].param[0] + results[k].param[1];
        square[k] = square_at(c, curve, query, t[k], t[k] > 0);
        bool is_one = false;
        for (unsigned i = 0; i < f.num; i++)
            is_one = is_one || (is_minimum(&f, i) && fabsl(f.square[i] - square[k]) <= off &&
                                most_between(&f, t[k], f.t[i]) <= square[k] + off);
        if (!is_one) complain(c, query, results, "no minimum", (double)t[k], (double)square[k]);
    }
    for (unsigned k = 0; k < found; k++) { /* in order, so that others about here come before */
        const long double level = square[k] + off;
        unsigned results_here = 0, minima_here = 0;
        for (unsigned i = 0; i <= k; i++)
            results_here += most_between(&f, t[i], t[k]) <= level;
        for (unsigned i = 0; i < f.num; i++)
            minima_here += is_minimum(&f, i) && most_between(&f, f.t[i], t[k]) <= level;
        if (results_here > minima_here)
            complain(c, query, results, "a second time", (double)t[k], (double)square[k]);
    }
    for (unsigned i = 0; i < f.num; i++) {
        const long double s = f.square[i];
        bool is_there = !is_minimum(&f, i) || (found == NEAREST && s >= square[NEAREST - 1] - off);
        for (int way = -1; way <= 1; way += 2) /* what is not deep need not be found */
            is_there = is_there || least_on_way(&f, i, way, s + 2 * off) < s;
        for (unsigned k = 0; k < found; k++)
            is_there = is_there || most_between(&f, t[k], f.t[i]) <= s + 2 * off;
        if (!is_there) complain(c, query, results, "nothing", (double)f.t[i], (double)s);
    }
}

/* Fails unless the nearest points are where the distance is least. */
static void check_least(projecting *p)
{
    clsp_nearest_f64 *const results = project_range(p, 0, p->num);

    for (size_t i = 0; i < p->num; i++) {
        const double *const query = p->queries + i * p->c->dim;
        const profile f = profile_of(p->c, i, query);
        long double least = f.square[0];
        for (unsigned k = 1; k < f.num; k++)
            least = fminl(least, f.square[k]);
        check_itself(p->c, query, &results[i]);
        assert_true(fabsl(results[i].distance - sqrtl(least)) <=
                    allowed(p->c, sqrt((double)least)));
        assert_true(results[i].bound <= sqrtl(least) * (1 + LDBL_EPSILON));
    }
    free(results);
}

/* Fails unless the two nearest minima are the first ones of more. */
static void check_fewer(projecting *p, const clsp_nearest_f64 *more)
{
    enum { FEW = 2 };
    p->opts.num_nearest = FEW;
    clsp_nearest_f64 *const results = project_range(p, 0, p->num);

    for (size_t i = 0; i < FEW * p->num; i++) {
        const clsp_nearest_f64 *const other = more + i / FEW * NEAREST + i % FEW;
        assert_int_equal(results[i].status, other->status);
        if (other->status == CLSP_NEAREST_FOUND)
            assert_true(fabs(results[i].distance - other->distance) <=
                        allowed(p->c, other->distance));
    }
    free(results);
}

/* Judges the nearest minima of each query, by the device or shared. */
static void check_nearest_minima(projecting *p)
{
    p->opts.num_nearest = NEAREST;
    clsp_nearest_f64 *const results = project_range(p, 0, p->num);

    for (size_t i = 0; i < p->num; i++)
        check_minima(p->c, i, p->queries + i * p->c->dim, results + i * NEAREST);
    check_fewer(p, results);
    free(results);
    p->opts.num_nearest = 1;
    check_least(p);
}

/* Projects each query onto a curve of its own, on the device and on the host. */
static void check_curves(clsp_context *ctx, curves *c, const double *queries)
{
    uint32_t *const patches = malloc(c->num * sizeof *patches);

    assert_non_null(patches);
    for (size_t i = 0; i < c->num; i++)
        patches[i] = (uint32_t)i;
    curves_finish(c);
    projecting p = project_start(ctx, c, c->num, queries);
    p.patches = patches;
    check_nearest_minima(&p);
    p.share = &(clsp_share){.schedule = CLSP_SCHEDULE_HOST};
    check_nearest_minima(&p);
    project_finish(&p);
    free(patches);
    curves_free(c);
}

/* ---- curves ---- */

/* Coordinates of random curves, or small integers, of which one control point in four is the one
   before. */
static void random_points(curves *c, bool integers, double *queries)
{
    const uint32_t controls = c->d.num_controls[0];

    for (size_t i = 0; i < c->num * controls; i++) {
        const bool again = integers && i % controls > 0 && random_real() < -0.5;
        for (unsigned k = 0; k < c->dim; k++) {
            const double x = 4 * (1 + random_real());
            const double before = i > 0 ? c->controls[(i - 1) * c->dim + k] : 0;
            set_coordinate(c, i, k, again ? before : integers ? floor(x) : x);
        }
    }
    for (size_t i = 0; i < c->num * c->dim; i++) {
        const double x = 12 * random_real();
        queries[i] = rounded_to(c->d.precision, integers ? floor(x) : x);
    }
}

static void minima_of(clsp_context *ctx, clsp_type precision)
{
    const size_t num = full() ? 4000 : tiny() ? 40 : 200;

    for (uint32_t degree = 1; degree <= DEGREE_MAX; degree++)
        for (unsigned dim = 2; dim <= (full() ? 3 : 2); dim++) {
            if (!curves_in_turn(degree, dim) || (!full() && degree != 2 && degree != 3)) continue;
            for (int kind = 0; kind < 2 * SPANS_MAX; kind++) {
                curves c = curves_make(precision, degree, degree + 1 + (uint32_t)kind / 2, dim,
                                       false, num);
                double *const queries = malloc(num * dim * sizeof *queries);
                assert_non_null(queries);
                random_points(&c, kind % 2 == 0, queries);
                check_curves(ctx, &c, queries);
                free(queries);
            }
        }
}

static void test_minima(void **state)
{
    (void)state;
    with_limits(minima_of);
}

/* Curves at which it is easy to go wrong: a query on the normal of an end that is a maximum, and
   one where the first two derivatives of the distance are 0 at a retracted handle. */
static void test_ends(void **state)
{
    static const double parabola[] = {0, 0, 1, 0, 2, 1}, handle[] = {5, 0, 5, 0, 0, 5, 2, 1};
    static const double above[] = {0, 3}, beside[] = {8, 3};

    (void)state;
    for (int f64 = 0; f64 < 2; f64++) {
        const clsp_type precision = f64 ? CLSP_F64 : CLSP_F32;
        if (f64 && !has_fp64(lent_context(""))) continue;
        curves two = curves_make(precision, 2, 3, 2, false, 1);
        curves three = curves_make(precision, 3, 4, 2, false, 1);
        for (size_t i = 0; i < 8; i++) {
            if (i < 6) set_coordinate(&two, i / 2, i % 2, parabola[i]);
            set_coordinate(&three, i / 2, i % 2, handle[i]);
        }
        check_curves(lent_context(""), &two, above);
        check_curves(lent_context(""), &three, beside);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minima),
        cmocka_unit_test(test_ends),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
