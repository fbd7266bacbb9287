/* The host's search for the nearest points of surfaces: against Newton's method in long double from
   many starts; limits, hints, numbers of patches, ties, and what cannot be searched. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface_cases.h"
#include "surface_ref.h"
#include "knots.h"
#include "surface_search.h"
#include "../support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PI           3.14159265358979323846

enum { CONTROLS_MAX = 48, QUERIES_MAX = 64, PATCHES_MAX = 4 };

/* Surfaces over the same knots, what searches them, and their oracles. */
typedef struct job {
    bool f64;
    uint32_t degree[2], controls[2], dim, coords;
    bool rational;
    size_t num_patches, patch_reals;
    double knots[2][CONTROLS_MAX + CLSPI_SURFACE_ORDER_MAX];
    double *points;
    float *narrow;
    double scale; /* the largest |coordinate| */
    clspi_surface_search *search;
    ref_surface *oracle[PATCHES_MAX];
} job;

static uint64_t seed;
static double worst;
static size_t num_cut;

static double uniform(double low, double high)
{
    return low + (high - low) * surface_case_uniform(&seed);
}

static double rounded(const job *j, double x)
{
    return j->f64 ? x : (double)(float)x;
}

/* ---- surfaces ---- */

static void clamp_knots(double *knots, uint32_t degree, uint32_t controls)
{
    const uint32_t spans = controls - degree;

    for (uint32_t i = 0; i <= controls + degree; i++)
        knots[i] = i <= degree ? 0 : i >= controls ? 1 : (double)(i - degree) / spans;
}

/* Makes room for surfaces over clamped uniform knots. */
static job *start(bool f64, const uint32_t degree[2], const uint32_t controls[2], uint32_t dim,
                  bool rational, size_t num_patches)
{
    job *const j = calloc(1, sizeof *j);

    assert_non_null(j);
    assert_true(num_patches <= PATCHES_MAX);
    j->f64 = f64;
    j->dim = dim;
    j->rational = rational;
    j->coords = dim + rational;
    j->num_patches = num_patches;
    j->patch_reals = j->coords;
    for (int k = 0; k < 2; k++) {
        assert_true(controls[k] <= CONTROLS_MAX);
        j->degree[k] = degree[k];
        j->controls[k] = controls[k];
        j->patch_reals *= controls[k];
        clamp_knots(j->knots[k], degree[k], controls[k]);
    }
    j->points = calloc(num_patches * j->patch_reals, sizeof *j->points);
    j->narrow = calloc(num_patches * j->patch_reals, sizeof *j->narrow);
    assert_true(j->points && j->narrow);
    return j;
}

static double *point_at(const job *j, size_t patch, uint32_t u, uint32_t v)
{
    return j->points + patch * j->patch_reals + ((size_t)u * j->controls[1] + v) * j->coords;
}

/* Sets a control point, of rational ones by its Euclidean coordinates and its weight. */
static void set_point(const job *j, double *to, const double *x, double w)
{
    for (uint32_t k = 0; k < j->dim; k++)
        to[k] = rounded(j, j->rational ? w * x[k] : x[k]);
    if (j->rational) to[j->dim] = rounded(j, w);
}

static bool is_finite_patch(const job *j, size_t patch)
{
    for (size_t i = 0; i < j->patch_reals; i++)
        if (!isfinite(j->points[patch * j->patch_reals + i])) return false;
    return true;
}

/* Makes the search and the oracles of the points that have been set. */
static void load(job *j)
{
    clspi_knots knots[2];
    clspi_spans spans[2];
    const double one[2] = {0, 1};

    for (size_t i = 0; i < j->num_patches * j->patch_reals; i++) {
        const double w = j->rational ? j->points[i / j->coords * j->coords + j->dim] : 1;
        j->narrow[i] = (float)j->points[i];
        if (i % j->coords < j->dim && isfinite(j->points[i] / w))
            j->scale = fmax(j->scale, fabs(j->points[i] / w));
    }
    for (int k = 0; k < 2; k++) {
        clspi_knots *const of = &knots[k];
        assert_true(clspi_knots_make(of, j->knots[k], j->degree[k], j->controls[k]));
        assert_true(clspi_spans_reserve(&spans[k], 1, of->num_spans, of->degree, j->f64));
        for (uint32_t i = 0; i < of->num_spans; i++)
            clspi_knots_extraction(
                of, i, 0,
                clspi_spans_put(&spans[k], i, of->span[i] - of->degree, of->u + of->span[i]));
    }
    const clspi_search_desc desc = {.f64 = j->f64,
                                    .dim = j->dim,
                                    .rational = j->rational,
                                    .degree = {j->degree[0], j->degree[1]},
                                    .controls = {j->controls[0], j->controls[1]},
                                    .spans = {&spans[0], &spans[1]},
                                    .num_patches = j->num_patches,
                                    .points = j->f64 ? (const void *)j->points : j->narrow};
    j->search = clspi_surface_search_create(&desc, 1, NULL, NULL, NULL);
    assert_non_null(j->search);
    for (int k = 0; k < 2; k++) {
        clspi_spans_release(&spans[k]);
        clspi_knots_release(&knots[k]);
    }
    for (size_t i = 0; i < j->num_patches; i++) {
        const ref_bspline r = {.directions = 2,
                               .degree = {j->degree[0], j->degree[1]},
                               .controls = {j->controls[0], j->controls[1], 1},
                               .knots = {j->knots[0], j->knots[1], one},
                               .dim = j->dim,
                               .rational = j->rational,
                               .points = j->points + i * j->patch_reals};
        if (is_finite_patch(j, i)) j->oracle[i] = ref_surface_make(&r);
    }
}

static void finish(job *j)
{
    clspi_surface_search_destroy(&j->search);
    assert_null(j->search);
    for (size_t i = 0; i < j->num_patches; i++)
        ref_surface_free(j->oracle[i]);
    free(j->points);
    free(j->narrow);
    free(j);
}

/* ---- queries ---- */

typedef struct queries {
    size_t num;
    double points[QUERIES_MAX][4], hints[QUERIES_MAX][2];
    uint32_t patches[QUERIES_MAX], order[QUERIES_MAX];
    bool has_patches, has_hints, has_order;
    double max_dist;
    clspi_nearest_f64 out[QUERIES_MAX];
} queries;

static clspi_nearest_f64 widened(const clspi_nearest_f32 *r)
{
    clspi_nearest_f64 wide = {.distance = (double)r->distance,
                              .bound = (double)r->bound,
                              .patch = r->patch,
                              .status = r->status};

    for (int k = 0; k < 3; k++)
        wide.param[k] = (double)r->param[k];
    for (int k = 0; k < 4; k++)
        wide.point[k] = (double)r->point[k];
    return wide;
}

static void find(const job *j, queries *q)
{
    double points[QUERIES_MAX * 4], hints[QUERIES_MAX * 2];
    float narrow[QUERIES_MAX * 4], narrow_hints[QUERIES_MAX * 2];
    clspi_nearest_f32 out[QUERIES_MAX];

    for (size_t i = 0; i < q->num; i++) {
        for (uint32_t k = 0; k < j->dim; k++) {
            points[i * j->dim + k] = q->points[i][k];
            narrow[i * j->dim + k] = (float)q->points[i][k];
        }
        for (size_t k = 0; k < 2; k++) {
            hints[2 * i + k] = q->hints[i][k];
            narrow_hints[2 * i + k] = (float)q->hints[i][k];
        }
    }
    const clspi_nearest_queries given = {.f64 = j->f64,
                                         .num = q->num,
                                         .order = q->has_order ? q->order : NULL,
                                         .points = j->f64 ? (const void *)points : narrow,
                                         .patches = q->has_patches ? q->patches : NULL,
                                         .hints = !q->has_hints ? NULL
                                                  : j->f64      ? (const void *)hints
                                                                : narrow_hints,
                                         .max_dist = q->max_dist,
                                         .out = j->f64 ? (void *)q->out : out};
    assert_true(clspi_surface_search_find(j->search, &given));
    for (size_t i = 0; !j->f64 && i < q->num; i++)
        q->out[i] = widened(&out[i]);
}

static void set_query(const job *j, queries *q, const double *x)
{
    for (uint32_t k = 0; k < 4; k++)
        q->points[q->num][k] = k < j->dim ? rounded(j, x[k]) : 0;
    q->num++;
}

/* Points on the surfaces, near them, in their box, far away, and beside edges and corners. */
static void make_queries(const job *j, queries *q, size_t num)
{
    const double size = j->scale;

    memset(q, 0, sizeof *q);
    for (size_t i = 0; i < num; i++) {
        const size_t patch = i % j->num_patches;
        const double u = i % 8 == 3 ? 0 : uniform(0, 1),
                     v = i % 8 == 3 ? (double)(i % 2) : uniform(0, 1);
        const double off = i % 8 == 0   ? 0
                           : i % 8 < 4  ? 1e-3
                           : i % 8 == 7 ? 3
                           : i % 8 == 6 ? 1
                                        : 0.1;
        long double on[4];
        double x[4];
        ref_surface_point(j->oracle[patch], u, v, on, NULL);
        for (int k = 0; k < 4; k++)
            x[k] = (double)on[k] + off * size * uniform(-1, 1);
        q->patches[q->num] = (uint32_t)patch;
        q->hints[q->num][0] = i % 5 == 4 ? NAN : uniform(-0.5, 1.5);
        q->hints[q->num][1] = uniform(0, 1);
        set_query(j, q, x);
    }
}

/* ---- checks ---- */

static double apart(const double *x, const long double *y)
{
    long double square = 0;

    for (int k = 0; k < 4; k++)
        square += (x[k] - y[k]) * (x[k] - y[k]);
    return (double)sqrtl(square);
}

static double allowed(const job *j, double distance)
{
    return (j->f64 ? 1e-12 : 1e-6) * (j->scale + distance);
}

/* Fails unless a result agrees with itself: its point is that at its parameters, but for what their
   rounding moves it by, and as far as is said. */
static void check_itself(const job *j, const double *q, const clspi_nearest_f64 *r)
{
    const double eps = j->f64 ? DBL_EPSILON : (double)FLT_EPSILON;
    long double on[4], moved[4], wide[4];
    double spread = 0;

    assert_true(r->bound >= 0 && r->bound <= r->distance && r->param[2] == 0);
    assert_true(r->patch < j->num_patches);
    for (int k = 0; k < 2; k++)
        assert_true(r->param[k] >= 0 && r->param[k] <= 1);
    for (uint32_t k = j->dim; k < 4; k++)
        assert_true(r->point[k] == 0);
    ref_surface_point(j->oracle[r->patch], r->param[0], r->param[1], on, NULL);
    for (int k = 0; k < 4; k++) {
        const double h = k % 2 ? eps : -eps;
        ref_surface_point(j->oracle[r->patch], r->param[0] + (k < 2 ? h : 0),
                          r->param[1] + (k < 2 ? 0 : h), moved, NULL);
        for (int l = 0; l < 4; l++)
            wide[l] = moved[l] - on[l];
        const double none[4] = {0};
        spread += apart(none, wide);
    }
    const double off = apart(r->point, on), most = allowed(j, r->distance);
    if (!(off <= most + spread)) fail_msg("the point is off by %g, allowed %g", off, most + spread);
    for (int k = 0; k < 4; k++)
        wide[k] = r->point[k];
    if (!(fabs(apart(q, wide) - r->distance) <= most))
        fail_msg("the point's distance is %g, and %g is said", apart(q, wide), r->distance);
}

static ref_foot exact(const job *j, const double *q, uint32_t patch)
{
    ref_foot foot = {.distance = INFINITY};

    for (size_t i = 0; i < j->num_patches; i++)
        if (j->oracle[i] && (patch == UINT32_MAX || patch == i))
            ref_surface_nearest(j->oracle[i], q, support_full() ? 13 : 3, &foot);
    return foot;
}

static void check(const job *j, const double *q, const clspi_nearest_f64 *r, uint32_t patch)
{
    const ref_foot foot = exact(j, q, patch);
    const double distance = (double)foot.distance, most = allowed(j, distance);

    assert_true(r->status <= CLSPI_SEARCH_CUT);
    num_cut += r->status == CLSPI_SEARCH_CUT;
    check_itself(j, q, r);
    worst = support_worse(worst, (r->distance - distance) / most);
    if (!(r->distance <= distance + most))
        fail_msg("degrees %u, %u, dim %u: distance %.17g, and %.17g at %g, %g is nearer; query "
                 "%.17g %.17g %.17g",
                 j->degree[0], j->degree[1], j->dim, r->distance, distance, (double)foot.u,
                 (double)foot.v, q[0], q[1], q[2]);
    if (!(r->bound <= foot.distance + 32 * LDBL_EPSILON * j->scale))
        fail_msg("bound %.17g above %.17g", r->bound, distance);
    if (r->status == CLSPI_SEARCH_FOUND && !(r->distance - r->bound <= 2 * most))
        fail_msg("bound %.17g of %.17g", r->bound, r->distance);
}

static void check_all(const job *j, queries *q)
{
    find(j, q);
    for (size_t i = 0; i < q->num; i++)
        check(j, q->points[i], &q->out[i], q->has_patches ? q->patches[i] : UINT32_MAX);
}

static void check_none(const clspi_nearest_f64 *r, clspi_search_status status, double bound)
{
    assert_int_equal(r->status, status);
    assert_true(isinf(r->distance) && r->patch == UINT32_MAX && isnan(r->param[0]) &&
                isnan(r->param[2]) && isnan(r->point[0]) && isnan(r->point[3]));
    assert_true(isnan(bound) ? isnan(r->bound) : r->bound == bound);
}

static void say_worst(void)
{
    print_message("worst/bound %.2g, %zu searches cut\n", worst, num_cut);
    worst = 0;
    num_cut = 0;
}

/* ---- many shapes ---- */

typedef struct shape {
    surface_kind kind;
    uint32_t degree[2], spans[2], dim;
    bool rational;
    size_t num_patches;
} shape;

static const shape shapes[] = {
    {SURFACE_SMOOTH, {3, 3}, {8, 8}, 3, 0, 1},  {SURFACE_SPIKY, {3, 3}, {3, 3}, 3, 0, 2},
    {SURFACE_CLOUD, {3, 3}, {2, 2}, 3, 0, 1},   {SURFACE_SMOOTH, {1, 1}, {4, 5}, 3, 0, 3},
    {SURFACE_CLOUD, {1, 2}, {3, 2}, 3, 1, 2},   {SURFACE_SMOOTH, {2, 5}, {3, 2}, 3, 1, 1},
    {SURFACE_SPIKY, {5, 4}, {2, 2}, 3, 0, 1},   {SURFACE_CLOUD, {4, 1}, {1, 3}, 3, 1, 1},
    {SURFACE_SMOOTH, {8, 6}, {1, 1}, 3, 1, 1},  {SURFACE_SMOOTH, {3, 3}, {3, 2}, 2, 0, 1},
    {SURFACE_CLOUD, {2, 3}, {2, 2}, 2, 1, 1},   {SURFACE_SMOOTH, {3, 2}, {3, 3}, 4, 0, 1},
    {SURFACE_SPIKY, {2, 2}, {2, 3}, 4, 1, 2},   {SURFACE_SMOOTH, {16, 16}, {1, 1}, 3, 0, 1},
    {SURFACE_SMOOTH, {16, 2}, {1, 1}, 4, 1, 1},
};

static job *job_of(const shape *s, bool f64, double offset, double most_weight)
{
    const uint32_t controls[2] = {s->spans[0] + s->degree[0], s->spans[1] + s->degree[1]};
    job *const j = start(f64, s->degree, controls, s->dim, s->rational, s->num_patches);

    for (size_t p = 0; p < s->num_patches; p++)
        for (uint32_t u = 0; u < controls[0]; u++)
            for (uint32_t v = 0; v < controls[1]; v++) {
                const double x = (double)u / (controls[0] - 1), y = (double)v / (controls[1] - 1);
                const double flat[4] = {x, y, 0.3 * sin(4 * x + 1) * cos(5 * y),
                                        cos(3 * x - 2 * y)};
                double to[4];
                for (uint32_t k = 0; k < 4; k++) {
                    const bool is_random =
                        s->kind == SURFACE_CLOUD || (s->kind == SURFACE_SPIKY && k > 1);
                    to[k] = offset + (is_random ? uniform(0, 1) : flat[k]) +
                            (k == 2 ? 0.3 * (double)p : 0);
                }
                set_point(j, point_at(j, p, u, v), to, pow(most_weight, uniform(-1, 1)));
            }
    load(j);
    return j;
}

static size_t num_queries(const shape *s)
{
    return support_full() ? QUERIES_MAX : support_tiny() || s->degree[0] > 8 ? 8 : 20;
}

static void test_shapes(void **state)
{
    static queries q;

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        const shape *const s = &shapes[i / 2];
        job *const j = job_of(s, i % 2 == 1, i % 3 == 2 ? 50 : 0, 2);
        make_queries(j, &q, num_queries(s));
        check_all(j, &q);
        finish(j);
    }
    say_worst();
}

/* One patch of several, with hints: any hint gives the same distance. */
static void test_patches_and_hints(void **state)
{
    static queries q;

    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        job *const j = job_of(&shapes[i], i % 2 == 0, 0, 2);
        if (shapes[i].num_patches == 1 && i % 4 != 0) {
            finish(j);
            continue;
        }
        make_queries(j, &q, num_queries(&shapes[i]) / 2);
        q.has_patches = true;
        check_all(j, &q);
        q.has_hints = true;
        check_all(j, &q);
        finish(j);
    }
    say_worst();
}

/* A result depends on its query alone: neither on the order nor on what was searched before. */
static void test_order(void **state)
{
    static queries q, other;

    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i += 2) {
        job *const j = job_of(&shapes[i], i % 4 == 0, 0, 2);
        make_queries(j, &q, 32);
        find(j, &q);
        memcpy(&other, &q, sizeof q);
        memset(other.out, 0, sizeof other.out);
        other.has_order = true;
        for (uint32_t k = 0; k < q.num; k++)
            other.order[k] = (uint32_t)q.num - 1 - k;
        find(j, &other);
        assert_memory_equal(q.out, other.out, q.num * sizeof *q.out);
        finish(j);
    }
}

static void test_max_dist(void **state)
{
    static queries q, near;

    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        job *const j = job_of(&shapes[i], i % 2 == 0, 0, 2);
        make_queries(j, &q, 32);
        find(j, &q);
        memcpy(&near, &q, sizeof q);
        near.max_dist = 0.125;
        find(j, &near);
        for (size_t k = 0; k < q.num; k++) {
            const double slack = allowed(j, near.max_dist), distance = q.out[k].distance;
            const bool is_near = near.out[k].status == CLSPI_SEARCH_FOUND;
            if (distance < near.max_dist - slack) assert_true(is_near);
            if (distance > near.max_dist + slack) assert_false(is_near);
            if (is_near)
                assert_true(fabs(near.out[k].distance - distance) <= slack);
            else
                check_none(&near.out[k], CLSPI_SEARCH_NONE, near.max_dist);
        }
        finish(j);
    }
}

/* Offsets, weights from 1e-3 to 1e3, and sizes whose squares are no numbers of the precision. */
static void test_sizes(void **state)
{
    static queries q;
    static const double sizes[] = {1e-30, 1e-6, 1e6, 1e30, 1e-200, 1e-80, 1e80, 1e200};

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        const shape *const s = &shapes[i];
        job *const j = job_of(s, i % 2 == 0, i % 2 ? 1e3 : 1e6, 1e3);
        make_queries(j, &q, num_queries(s) / 2);
        check_all(j, &q);
        finish(j);
    }
    for (size_t i = 0; i < 2 * COUNT(sizes); i++) {
        const double size = sizes[i / 2];
        if (i % 2 == 1 && (size > 1e31 || size < 1e-31)) continue;
        const shape s = {SURFACE_SPIKY, {3, 2}, {2, 2}, 3, i % 4 == 0, 1};
        job *const from = job_of(&s, true, 0, 2);
        job *const j = start(i % 2 == 0, from->degree, from->controls, 3, s.rational, 1);
        for (size_t k = 0; k < j->patch_reals; k++)
            j->points[k] =
                rounded(j, from->points[k] * (s.rational && k % j->coords == 3 ? 1 : size));
        load(j);
        make_queries(j, &q, 16);
        check_all(j, &q);
        finish(from);
        finish(j);
    }
    say_worst();
}

/* ---- hard surfaces ---- */

/* A surface of revolution: rational quadrics in four quarters around the z axis, of a profile of
   one quadric. radius, height, weight: of the profile's three control points. */
static job *revolve(bool f64, const double radius[3], const double height[3],
                    const double weight[3])
{
    static const double x[9] = {1, 1, 0, -1, -1, -1, 0, 1, 1},
                        y[9] = {0, 1, 1, 1, 0, -1, -1, -1, 0};
    static const uint32_t degree[2] = {2, 2}, controls[2] = {9, 3};
    job *const j = start(f64, degree, controls, 3, true, 1);

    for (uint32_t i = 0; i < 12; i++)
        j->knots[0][i] = i < 3 ? 0 : i > 8 ? 1 : (double)((i - 1) / 2) / 4;
    for (uint32_t i = 0; i < 9; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const double at[3] = {radius[k] * x[i], radius[k] * y[i], height[k]};
            set_point(j, point_at(j, 0, i, k), at, weight[k] * (i % 2 ? sqrt(0.5) : 1));
        }
    load(j);
    return j;
}

/* Ties: points of the axis and of the centre are as near to circles or to all of a surface. */
static void check_axis(job *j, const double *heights, size_t num)
{
    static queries q;

    memset(&q, 0, sizeof q);
    for (size_t i = 0; i < num; i++) {
        const double at[3][3] = {
            {0, 0, heights[i]}, {1e-4, 0, heights[i]}, {1e-9, -1e-9, heights[i] + 1e-7}};
        for (int k = 0; k < 3; k++)
            set_query(j, &q, at[k]);
    }
    check_all(j, &q);
    make_queries(j, &q, 16);
    check_all(j, &q);
    finish(j);
}

static void test_revolution(void **state)
{
    static const double one[3] = {1, 1, 1}, line[3] = {-1, 0, 1}, quarter[3] = {0, 1, 1};
    static const double arc[3] = {1, 1, 0}, of_arc[3] = {1, 0.70710678118654752, 1};
    static const double heights[] = {0, 0.3, -0.7, 1, 2, -3};

    (void)state;
    for (int f64 = 0; f64 < 2; f64++) {
        check_axis(revolve(f64, one, line, one), heights, COUNT(heights));       /* a cylinder */
        check_axis(revolve(f64, quarter, arc, of_arc), heights, COUNT(heights)); /* a hemisphere */
        check_axis(revolve(f64, (double[3]){0, 0.5, 1}, line, one), heights,
                   COUNT(heights)); /* a cone */
        check_axis(revolve(f64, (double[3]){3, 4, 4}, arc, of_arc), heights,
                   COUNT(heights)); /* a part of a torus */
    }
    say_worst();
}

/* Sets the points of a bicubic patch by a function of u, v in [0, 1]. */
static job *bicubic(bool f64, surface_fn fn)
{
    static const uint32_t degree[2] = {3, 3}, controls[2] = {4, 4};
    job *const j = start(f64, degree, controls, 3, false, 1);

    for (uint32_t u = 0; u < 4; u++)
        for (uint32_t v = 0; v < 4; v++) {
            double x[3];
            fn(u / 3.0, v / 3.0, x);
            set_point(j, point_at(j, 0, u, v), x, 1);
        }
    load(j);
    return j;
}

static void test_degenerate(void **state)
{
    static queries q;

    (void)state;
    for (size_t i = 0; i < 2 * SURFACE_DEGENERATES; i++) {
        job *const j = bicubic(i % 2 == 1, surface_degenerates[i / 2]);
        make_queries(j, &q, support_tiny() ? 16 : 32);
        check_all(j, &q);
        finish(j);
    }
    say_worst();
}

/* A point with another local minimum that is farther by what is not looked for and a rounding of
   coefficients: it is decided, and not halved to the end. */
static void test_near_tie(void **state)
{
    static const surface_case cloud = {SURFACE_CLOUD, 3, 10, 3, 0};
    static const uint32_t degree[2] = {3, 3}, controls[2] = {13, 13};
    static const double at[3] = {0.37330656548124369, 0.56980355698756269, 0.17507926039560681};
    static queries q;
    job *const j = start(true, degree, controls, 3, false, 1);

    (void)state;
    surface_case_points(&cloud, j->points);
    surface_case_knots(&cloud, j->knots[0]);
    surface_case_knots(&cloud, j->knots[1]);
    load(j);
    memset(&q, 0, sizeof q);
    set_query(j, &q, (double[4]){at[0], at[1], at[2], 0});
    check_all(j, &q);
    assert_int_equal(q.out[0].status, CLSPI_SEARCH_FOUND);
    finish(j);
}

/* A surface in the plane whose first pieces are lines, with weights far apart: such a piece may be
   equally near along a curve, which is halved until it is given up. What is nearer in others is
   found all the same: here the queries are on the surface. */
static void test_pieces_given_up(void **state)
{
    static const uint32_t degree[2] = {1, 1}, controls[2] = {6, 4};
    static queries q;

    (void)state;
    seed = 5;
    for (int turn = 0; turn < (support_tiny() ? 2 : 4); turn++) {
        job *const j = start(true, degree, controls, 2, true, 1);
        for (uint32_t u = 0; u < 6; u++)
            for (uint32_t v = 0; v < 4; v++) {
                const double *const beside = point_at(j, 0, 0, v);
                double x[2] = {surface_case_normal(&seed), surface_case_normal(&seed)};
                for (int k = 0; k < 2 && u == 1; k++)
                    x[k] = beside[k] / beside[2];
                set_point(j, point_at(j, 0, u, v), x, pow(10, uniform(-3, 3)));
            }
        load(j);
        memset(&q, 0, sizeof q);
        while (q.num < 32) {
            long double x[4];
            ref_surface_point(j->oracle[0], uniform(0.25, 1), uniform(0, 1), x, NULL);
            set_query(j, &q, (double[4]){(double)x[0], (double)x[1], 0, 0});
        }
        find(j, &q);
        for (size_t i = 0; i < q.num; i++)
            assert_true(q.out[i].distance <= 1e-2 * j->scale);
        finish(j);
    }
}

/* What is not a number: of queries, of control points; a patch beyond the last; none at all. */
static void test_invalid(void **state)
{
    static const shape two = {SURFACE_SMOOTH, {3, 3}, {2, 2}, 3, 1, 2};
    static queries q;

    (void)state;
    for (int f64 = 0; f64 < 2; f64++) {
        job *j = job_of(&two, f64, 0, 2);
        make_queries(j, &q, 6);
        q.has_patches = true;
        q.points[0][1] = NAN;
        q.points[1][2] = INFINITY;
        q.patches[2] = 2;
        find(j, &q);
        for (int i = 0; i < 3; i++)
            check_none(&q.out[i], CLSPI_SEARCH_INVALID, NAN);
        for (size_t i = 3; i < q.num; i++)
            check(j, q.points[i], &q.out[i], q.patches[i]);
        finish(j);
    }
    job *const j = job_of(&two, true, 0, 2);
    clspi_surface_search_destroy(&j->search);
    for (size_t i = 0; i < 2; i++)
        ref_surface_free(j->oracle[i]);
    j->oracle[0] = j->oracle[1] = NULL;
    for (size_t i = 0; i < j->patch_reals; i += j->coords)
        j->points[i + i % 3] = NAN; /* of the first patch */
    point_at(j, 1, 4, 4)[3] = 0;    /* of one piece of the second */
    load(j);
    memset(&q, 0, sizeof q);
    for (size_t i = 0; i < 8; i++)
        set_query(j, &q, (double[4]){0.1 * (double)i, 0.2, 0.3, 0});
    find(j, &q);
    for (size_t i = 0; i < q.num; i++)
        assert_true(q.out[i].status == CLSPI_SEARCH_FOUND && q.out[i].patch == 1);
    q.has_patches = true;
    find(j, &q);
    for (size_t i = 0; i < q.num; i++)
        check_none(&q.out[i], CLSPI_SEARCH_NONE, INFINITY);
    finish(j);
}

static void test_empty(void **state)
{
    static double ends[4] = {0, 1};
    const clspi_spans spans = {.sets = 1, .spans = 1, .order = 4, .ends = ends};
    const clspi_search_desc desc = {.degree = {3, 3}, .dim = 3, .spans = {&spans, &spans}};
    job j = {
        .f64 = true, .dim = 3, .search = clspi_surface_search_create(&desc, 1, NULL, NULL, NULL)};
    static queries q;

    (void)state;
    assert_non_null(j.search);
    set_query(&j, &q, ends);
    find(&j, &q);
    check_none(q.out, CLSPI_SEARCH_NONE, INFINITY);
    clspi_surface_search_destroy(&j.search);
}

/* Queries as far away as numbers go. */
static void test_far(void **state)
{
    static const double far[] = {1e10, 1e30, 1e200, 1e308};
    static queries q;

    (void)state;
    for (size_t i = 0; i < COUNT(far); i++) {
        job *const j = job_of(&shapes[i], far[i] > 1e31 || i % 2 == 0, 0, 2);
        memset(&q, 0, sizeof q);
        for (int k = 0; k < 8; k++) {
            const double x[4] = {k % 2 ? far[i] : -far[i], k % 3 ? 0.5 : far[i] / 2, far[i] / 3, 0};
            set_query(j, &q, x);
        }
        check_all(j, &q);
        finish(j);
    }
    say_worst();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),     cmocka_unit_test(test_patches_and_hints),
        cmocka_unit_test(test_order),      cmocka_unit_test(test_max_dist),
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_revolution),
        cmocka_unit_test(test_degenerate), cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_near_tie),   cmocka_unit_test(test_empty),
        cmocka_unit_test(test_far),        cmocka_unit_test(test_pieces_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
