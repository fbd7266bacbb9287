#include "project_fixture.h"

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

/* ---- curves ---- */

double rounded_to(clsp_type precision, double x)
{
    return precision == CLSP_F64 ? x : (double)(float)x;
}

static uint32_t num_knots(const curves *c)
{
    return c->d.num_controls[0] + c->d.degree[0] + 1;
}

curves curves_make(clsp_type precision, uint32_t degree, uint32_t controls, unsigned dim,
                   bool rational, size_t num)
{
    curves c = {.name = "",
                .d = {.directions = 1,
                      .precision = precision,
                      .degree = {degree},
                      .num_controls = {controls},
                      .dim = dim,
                      .rational = rational},
                .dim = dim,
                .coords = dim + rational,
                .num = num};

    c.knots = malloc(num_knots(&c) * sizeof *c.knots);
    c.controls = malloc((num * controls * c.coords + 1) * sizeof *c.controls);
    c.oracle = calloc(num + 1, sizeof *c.oracle);
    assert_true(c.knots && c.controls && c.oracle);
    for (uint32_t i = 0; i < num_knots(&c); i++)
        c.knots[i] = i <= degree     ? 0.0
                     : i >= controls ? 1.0
                                     : (double)(i - degree) / (controls - degree);
    for (size_t i = 0; i < num * controls * c.coords; i++)
        c.controls[i] = 1.0;
    return c;
}

void set_coordinate(curves *c, size_t i, unsigned k, double x)
{
    c->controls[i * c->coords + k] = x;
}

static void find_size(curves *c, const double *point)
{
    const double weight = c->d.rational ? point[c->dim] : 1.0;

    for (unsigned k = 0; k < c->dim; k++) {
        const double x = point[k] / weight;
        c->scale = fmax(c->scale, fabs(x));
        c->low[k] = fmin(c->low[k], x);
        c->high[k] = fmax(c->high[k], x);
    }
}

void curves_finish(curves *c)
{
    const size_t num = c->num * c->d.num_controls[0];

    c->d.knots[0] = c->knots;
    for (unsigned k = 0; k < c->dim; k++) {
        c->low[k] = INFINITY;
        c->high[k] = -INFINITY;
    }
    for (size_t i = 0; i < num; i++) {
        double *const point = c->controls + i * c->coords;
        if (c->d.rational) point[c->dim] = rounded_to(c->d.precision, point[c->dim]);
        for (unsigned k = 0; k < c->dim; k++)
            point[k] =
                rounded_to(c->d.precision, c->d.rational ? point[k] * point[c->dim] : point[k]);
        find_size(c, point);
    }
    for (unsigned i = 0; i < c->num_special; i++)
        for (unsigned k = 0; k < c->dim; k++)
            c->special[i][k] = rounded_to(c->d.precision, c->special[i][k]);
}

void curves_free(curves *c)
{
    for (size_t i = 0; i < c->num; i++)
        ref_project_free(c->oracle[i]);
    free(c->oracle);
    free(c->knots);
    free(c->controls);
}

bool curves_in_turn(uint32_t degree, uint32_t dim)
{
    return !is_left_out(degree) && program_in_turn(degree / 2 + dim);
}

bool loops_are_cut(clsp_context *ctx)
{
    clsp_device_info info;

    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    return strstr(info.name, "llvmpipe") != NULL;
}

curves random_curves(clsp_type precision, uint32_t degree, uint32_t controls, unsigned dim,
                     bool rational, size_t num)
{
    curves c = curves_make(precision, degree, controls, dim, rational, num);

    c.name = "random";
    for (size_t i = 0; i < num * controls; i++) {
        for (unsigned k = 0; k < dim; k++)
            set_coordinate(&c, i, k, 0.5 + 0.5 * random_real());
        if (rational) set_coordinate(&c, i, dim, exp2(random_real()));
    }
    curves_finish(&c);
    return c;
}

ref_project *oracle_of(curves *c, size_t curve)
{
    const size_t reals = (size_t)c->d.num_controls[0] * c->coords;
    const ref_bspline spline = {.directions = 1,
                                .degree = {c->d.degree[0], 0, 0},
                                .controls = {c->d.num_controls[0], 1, 1},
                                .knots = {c->knots, NULL, NULL},
                                .dim = c->dim,
                                .rational = (int)c->d.rational,
                                .points = c->controls + curve * reals};

    assert_true(curve < c->num);
    if (!c->oracle[curve]) c->oracle[curve] = ref_project_make(&spline);
    assert_non_null(c->oracle[curve]);
    return c->oracle[curve];
}

/* ---- points ---- */

static double between(double low, double high)
{
    return low + (high - low) * (0.5 + 0.5 * random_real());
}

/* A point of a curve: anywhere, or at a knot. */
static void point_of(curves *c, bool at_knot, double *point)
{
    const size_t curve = (size_t)between(0, (double)c->num);
    const uint32_t first = c->d.degree[0], last = c->d.num_controls[0];
    const uint32_t knot = (uint32_t)between(first, last + 0.999);
    const double t = at_knot ? c->knots[knot] : between(c->knots[first], c->knots[last]);
    long double exact[4];

    ref_project_point(oracle_of(c, curve), t, 0, exact);
    for (unsigned k = 0; k < c->dim; k++)
        point[k] = (double)exact[k];
}

static double extent(const curves *c)
{
    double most = 0.0;

    for (unsigned k = 0; k < c->dim; k++)
        most = fmax(most, c->high[k] - c->low[k]);
    return most > 0 ? most : fmax(c->scale, 1.0);
}

static void make_query(curves *c, size_t kind, double *query)
{
    const double size = extent(c);

    if (kind < 4 || (kind == 7 && c->num_special == 0)) {
        for (unsigned k = 0; k < c->dim; k++)
            query[k] = between(c->low[k] - size / 4, c->high[k] + size / 4);
    } else if (kind < 7) {
        point_of(c, kind == 5, query);
        for (unsigned k = 0; kind == 6 && k < c->dim; k++)
            query[k] += 1e-3 * size * random_real();
    } else {
        memcpy(query, c->special[(size_t)between(0, c->num_special)], c->dim * sizeof *query);
    }
}

double *make_queries(curves *c, size_t num)
{
    double *const queries = malloc((num * c->dim + 1) * sizeof *queries);

    assert_non_null(queries);
    for (size_t i = 0; i < num; i++) {
        double *const query = queries + i * c->dim;
        make_query(c, i % 8, query);
        for (unsigned k = 0; k < c->dim; k++) {
            if (i % 32 == 11) query[k] = 1e4 * extent(c) * random_real();
            query[k] = rounded_to(c->d.precision, query[k]);
        }
    }
    return queries;
}

double *make_curve_points(curves *c, size_t num)
{
    double *const queries = malloc((num * c->dim + 1) * sizeof *queries);

    assert_non_null(queries);
    for (size_t i = 0; i < num; i++) {
        point_of(c, i % 8 == 7, queries + i * c->dim);
        for (unsigned k = 0; k < c->dim; k++)
            queries[i * c->dim + k] = rounded_to(c->d.precision, queries[i * c->dim + k]);
    }
    return queries;
}

/* ---- the call ---- */

/* Numbers in the precision; freed by the caller. */
static void *narrowed(clsp_type precision, const double *values, size_t num)
{
    void *const out = malloc(num * clsp_type_bytes(precision) + 1);

    assert_non_null(out);
    for (size_t i = 0; i < num; i++) {
        if (precision == CLSP_F64)
            ((double *)out)[i] = values[i];
        else
            ((float *)out)[i] = (float)values[i];
    }
    return out;
}

projecting project_start(clsp_context *ctx, curves *c, size_t num, const double *queries)
{
    projecting p = {.ctx = ctx, .c = c, .num = num, .queries = queries};
    const size_t reals = c->num * c->d.num_controls[0] * c->coords;
    void *const controls = narrowed(c->d.precision, c->controls, reals);

    assert_int_equal(clsp_bspline_plan_create(&p.plan, ctx, &c->d), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(p.plan, c->num,
                                                   host_in(c->d.precision, controls, reals), NULL),
                     CLSP_OK);
    free(controls);
    return p;
}

void project_finish(projecting *p)
{
    clsp_patch_plan_destroy(&p->plan);
}

size_t nearest_bytes(clsp_type precision)
{
    return precision == CLSP_F64 ? sizeof(clsp_nearest_f64) : sizeof(clsp_nearest_f32);
}

static size_t nearest_size(clsp_type precision)
{
    return precision == CLSP_F64 ? CLSP_NEAREST_F64_SIZE : CLSP_NEAREST_F32_SIZE;
}

static uint32_t results_of_query(const projecting *p)
{
    return p->opts.num_nearest > 0 ? p->opts.num_nearest : 1;
}

unsigned char *project_bytes(const projecting *p, size_t first, size_t count)
{
    const clsp_type precision = p->c->d.precision;
    const unsigned dim = p->c->dim;
    const size_t num = count * results_of_query(p), bytes = num * nearest_bytes(precision);
    void *const points = narrowed(precision, p->queries + first * dim, count * dim);
    void *const hints = p->hints ? narrowed(precision, p->hints + first, count) : NULL;
    clsp_nearest_queries queries = {.num = count,
                                    .points = host_in(precision, points, count * dim)};
    unsigned char *const memory = malloc(bytes + 2 * GUARD);

    if (p->patches) queries.patches = clsp_in_u32(p->patches + first, count);
    if (hints) queries.hints = host_in(precision, hints, count);
    assert_non_null(memory);
    memset(memory, POISON, bytes + 2 * GUARD);
    const clsp_output out = host_out(precision, memory + GUARD, num * nearest_size(precision));
    const clsp_status status =
        p->share ? clsp_nearest_project(
                       p->plan, &queries, &p->opts, out,
                       &(clsp_run){.share = p->share ? p->share : &(clsp_share){.num_workers = 0}})
                 : clsp_nearest_project(p->plan, &queries, &p->opts, out, NULL);
    if (status != CLSP_OK) {
        char why[256];
        clsp_context_last_error(p->ctx, why, sizeof why);
        fail_msg("%s: %s (%s)", p->c->name, clsp_status_str(status), why);
    }
    for (size_t i = 0; i < GUARD; i++)
        assert_true(memory[i] == POISON && memory[GUARD + bytes + i] == POISON);
    memmove(memory, memory + GUARD, bytes);
    free(points);
    free(hints);
    return memory;
}

clsp_nearest_f64 nearest_at(clsp_type precision, const unsigned char *results, size_t k)
{
    clsp_nearest_f32 narrow;
    clsp_nearest_f64 r;

    if (precision == CLSP_F64) {
        memcpy(&r, results + k * sizeof r, sizeof r);
        return r;
    }
    memcpy(&narrow, results + k * sizeof narrow, sizeof narrow);
    r = (clsp_nearest_f64){.distance = narrow.distance,
                           .bound = narrow.bound,
                           .patch = narrow.patch,
                           .status = narrow.status};
    for (int i = 0; i < 3; i++)
        r.param[i] = narrow.param[i];
    for (int i = 0; i < 4; i++)
        r.point[i] = narrow.point[i];
    return r;
}

clsp_nearest_f64 *project_range(const projecting *p, size_t first, size_t count)
{
    const size_t num = count * results_of_query(p);
    clsp_nearest_f64 *const results = malloc((num + 1) * sizeof *results);
    unsigned char *const bytes = project_bytes(p, first, count);

    assert_non_null(results);
    for (size_t k = 0; k < num; k++)
        results[k] = nearest_at(p->c->d.precision, bytes, k);
    free(bytes);
    return results;
}

/* ---- checks ---- */

static double worst;
static size_t num_cut;

double project_worst(void)
{
    const double w = worst;

    worst = 0.0;
    return w;
}

size_t project_cut(void)
{
    const size_t n = num_cut;

    num_cut = 0;
    return n;
}

void project_say_worst(void)
{
    print_message("worst/bound %.2f", project_worst());
    print_message(", %zu searches cut\n", project_cut());
}

/* Above degree 16 roundings of de Casteljau's algorithm, one a degree, are more than 1e-6. */
double allowed(const curves *c, double distance)
{
    const double eps = c->d.precision == CLSP_F64 ? 1e-12 : 1e-6;
    const double high = c->d.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const uint32_t degree = c->d.degree[0];

    return (degree > 16 ? fmax(eps, degree * high) : eps) * (c->scale + distance);
}

static long double apart(const curves *c, const long double *a, const long double *b)
{
    long double square = 0.0L;

    for (unsigned k = 0; k < c->dim; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrtl(square);
}

/* How far a point is from that of the curve at a parameter, less what a rounding of the parameter
   moves that by. At a jump either side will do. */
static double off_curve(curves *c, const clsp_nearest_f64 *r, const long double *point)
{
    ref_project *const oracle = oracle_of(c, r->patch);
    const double eps = c->d.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const double begin = c->knots[c->d.degree[0]], end = c->knots[c->d.num_controls[0]];
    const double step = 4 * eps * fmax(fabs(begin), fabs(end));
    long double least = INFINITY;

    assert_true(r->param[0] >= begin - step && r->param[0] <= end + step);
    for (int from_left = 0; from_left < 2; from_left++) {
        long double at[4], moved[4], spread = 0.0L;
        ref_project_point(oracle, r->param[0], from_left, at);
        for (int sign = -1; sign <= 1; sign += 2) {
            ref_project_point(oracle, r->param[0] + sign * step, from_left, moved);
            spread = fmaxl(spread, apart(c, at, moved));
        }
        least = fminl(least, apart(c, at, point) - spread);
    }
    return (double)least;
}

static void complain(const curves *c, const double *query, const clsp_nearest_f64 *r,
                     const char *what, double is, double wanted)
{
    fail_msg("%s: degree %u, %u control points, dim %u%s, f%d, query %.17g %.17g %.17g %.17g: %s "
             "%.17g, wanted %.17g; distance %.17g, bound %.17g, param %.17g, patch %u, status %u",
             c->name, c->d.degree[0], c->d.num_controls[0], c->dim,
             c->d.rational ? ", rational" : "", c->d.precision == CLSP_F64 ? 64 : 32, query[0],
             c->dim > 1 ? query[1] : 0, c->dim > 2 ? query[2] : 0, c->dim > 3 ? query[3] : 0, what,
             is, wanted, r->distance, r->bound, r->param[0], r->patch, r->status);
}

void check_itself(curves *c, const double *query, const clsp_nearest_f64 *r)
{
    const double most = allowed(c, r->distance);
    const double eps = c->d.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    long double point[4], from[4];

    if (r->status > CLSP_NEAREST_CUT) complain(c, query, r, "status", r->status, 0);
    if (r->patch >= c->num) complain(c, query, r, "patch", r->patch, 0);
    if (!(r->bound <= r->distance)) complain(c, query, r, "bound", r->bound, r->distance);
    if (!(r->bound >= 0)) complain(c, query, r, "bound", r->bound, 0);
    assert_true(fabs(r->param[1]) <= eps * fabs(r->param[0]) && r->param[2] == 0);
    for (unsigned k = 0; k < 4; k++) {
        point[k] = r->point[k];
        from[k] = k < c->dim ? query[k] : 0.0L;
        if (k >= c->dim) assert_true(r->point[k] == 0);
    }
    const double distance = (double)apart(c, from, point);
    if (!(fabs(distance - r->distance) <= most))
        complain(c, query, r, "distance of the point", distance, r->distance);
    const double off = off_curve(c, r, point);
    if (!(off <= most)) complain(c, query, r, "point off the curve by", off, most);
}

ref_nearest exact_nearest(curves *c, const double *query, uint32_t patch)
{
    const size_t first = patch == UINT32_MAX ? 0 : patch;
    const size_t end = patch == UINT32_MAX ? c->num : first + 1;
    ref_nearest least = {.distance = INFINITY, .bound = INFINITY};

    for (size_t i = first; i < end; i++) {
        ref_nearest found;
        ref_project_nearest(oracle_of(c, i), query, 1e-3 * allowed(c, 0), &found);
        const long double bound = fminl(found.bound, least.bound);
        if (found.distance < least.distance) least = found;
        least.bound = bound;
    }
    return least;
}

/* Roundings of a squared distance's coefficients: what its bound may be beneath it. */
static double allowed_gap(const curves *c, double distance)
{
    const double eps = c->d.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const double size = c->scale + distance;

    return 16 * (c->d.degree[0] + 4) * eps * size * size;
}

void check_nearest(curves *c, const double *query, uint32_t patch, const clsp_nearest_f64 *r)
{
    const ref_nearest exact = exact_nearest(c, query, patch);
    const double distance = (double)exact.distance, most = allowed(c, distance);
    /* the oracle's own roundings, of points as far from the origin as they are */
    const long double own = (c->d.degree[0] + 1) * LDBL_EPSILON * c->scale;

    check_itself(c, query, r);
    if (patch != UINT32_MAX) assert_int_equal(r->patch, patch);
    if (!(r->distance <= distance + most)) complain(c, query, r, "distance", r->distance, distance);
    if (!(r->distance >= (double)exact.bound - most))
        complain(c, query, r, "distance below", r->distance, (double)exact.bound);
    if (!(r->bound <= exact.distance + own))
        complain(c, query, r, "bound above", r->bound, distance);
    worst = support_worse(worst, (r->distance - distance) / most);
    num_cut += r->status == CLSP_NEAREST_CUT;
    const double gap = (r->distance - r->bound) * (r->distance + r->bound);
    if (r->status == CLSP_NEAREST_FOUND && !(gap <= allowed_gap(c, distance)))
        complain(c, query, r, "gap of squares", gap, allowed_gap(c, distance));
}

void check_none(const clsp_nearest_f64 *r, clsp_nearest_status status, double bound)
{
    assert_int_equal(r->status, status);
    assert_int_equal(r->patch, UINT32_MAX);
    assert_true(isinf(r->distance) && r->distance > 0);
    assert_true(isnan(bound) ? isnan(r->bound) : r->bound == bound);
    for (int i = 0; i < 3; i++)
        assert_true(isnan(r->param[i]));
    for (int i = 0; i < 4; i++)
        assert_true(isnan(r->point[i]));
}

void check_all_nearest(projecting *p)
{
    clsp_nearest_f64 *const results = project_range(p, 0, p->num);

    for (size_t i = 0; i < p->num; i++)
        check_nearest(p->c, p->queries + i * p->c->dim, p->patches ? p->patches[i] : UINT32_MAX,
                      &results[i]);
    free(results);
}
