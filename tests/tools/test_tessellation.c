/* Numbers of samples for a tolerance, against distances measured by the oracle; shared edges. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../worst.h"
#include "bezier_ref.h"
#include "bezierview.h"
#include "edge_curve.h"
#include "picture.h"
#include "seams.h"
#include "tessellation.h"

enum { MAX_POINTS = 272 };

static const char *data_folder; /* argv[1] */

/* Uniform in [-1, 1): SplitMix64 with a fixed seed. */
static double random_real(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* ---- content made by hand ---- */

/* Adds a patch of its own batch; points are copied. */
static void add_patch(bezierview *content, const bezierview_type *type, const double *points)
{
    size_t reals = (size_t)bezierview_patch_points(type) * bezierview_coordinates(type);
    bezierview_batch *moved =
        realloc(content->batches, (content->num_batches + 1) * sizeof(*moved));
    assert_non_null(moved);
    content->batches = moved;
    bezierview_batch *batch = &moved[content->num_batches++];
    *batch = (bezierview_batch){.type = *type, .num_patches = 1, .num_reals = reals};
    batch->points = malloc(reals * sizeof(double));
    assert_non_null(batch->points);
    memcpy(batch->points, points, reals * sizeof(double));
}

/* A random patch in the cube [-1, 1]^3, times scale; weights from 0.2 to 5, times heavy. */
static void add_random(bezierview *content, const bezierview_type *type, double scale, double heavy,
                       uint64_t *state)
{
    double points[4 * MAX_POINTS];
    size_t coordinates = bezierview_coordinates(type),
           count = (size_t)bezierview_patch_points(type);
    assert_true(count <= MAX_POINTS);
    for (size_t i = 0; i < count; i++) {
        double weight = type->rational ? heavy * exp(1.6 * random_real(state)) : 1;
        for (size_t axis = 0; axis < 3; axis++)
            points[i * coordinates + axis] = scale * random_real(state) * weight;
        if (type->rational) points[i * coordinates + 3] = weight;
    }
    add_patch(content, type, points);
}

/* Numbers of samples for a tolerance; the caller clears *t. */
static void tessellate(tessellation *t, const bezierview *content, double tolerance,
                       const camera *view)
{
    seams edges;
    assert_true(seams_find(&edges, content));
    assert_true(tessellation_within(t, content, &edges, tolerance, view));
    seams_clear(&edges);
}

/* ---- distances ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double result[3])
{
    for (int axis = 0; axis < 3; axis++)
        result[axis] = a[axis] - b[axis];
}

static double segment_distance(const double p[3], const double a[3], const double b[3])
{
    double along[3], to[3], square, t;
    subtract(b, a, along);
    subtract(p, a, to);
    square = dot(along, along);
    t = square > 0 ? fmin(1, fmax(0, dot(to, along) / square)) : 0;
    for (int axis = 0; axis < 3; axis++)
        to[axis] -= t * along[axis];
    return sqrt(dot(to, to));
}

/* Distance of p from a triangle: to its plane where the foot is inside, else to its edges. */
static double triangle_distance(const double p[3], double corners[3][3])
{
    double s[3], t[3], to[3];
    subtract(corners[1], corners[0], s);
    subtract(corners[2], corners[0], t);
    subtract(p, corners[0], to);
    double ss = dot(s, s), st = dot(s, t), tt = dot(t, t), area = ss * tt - st * st;
    double a = tt * dot(to, s) - st * dot(to, t), b = ss * dot(to, t) - st * dot(to, s);
    if (area > 0 && a >= 0 && b >= 0 && a + b <= area) {
        for (int axis = 0; axis < 3; axis++)
            to[axis] -= (a * s[axis] + b * t[axis]) / area;
        return sqrt(dot(to, to));
    }
    return fmin(segment_distance(p, corners[0], corners[1]),
                fmin(segment_distance(p, corners[1], corners[2]),
                     segment_distance(p, corners[2], corners[0])));
}

static void evaluate(const bezierview_batch *batch, double u, double v, double point[3])
{
    const bezierview_type *type = &batch->type;
    ref_vertex vertex;
    const ref_patch patch = {.form = type->form == BEZIERVIEW_TRIANGLE ? REF_TRIANGLE : REF_SURFACE,
                             .degree = {type->degree_u, type->degree_v},
                             .dim = 3,
                             .rational = type->rational,
                             .points = batch->points};
    assert_true(ref_bezier_vertex(&patch, u, v, 1 - u - v, &vertex));
    for (int axis = 0; axis < 3; axis++)
        point[axis] = (double)vertex.point[axis];
}

/* The largest distance from the triangle of three parameters that points of the patch over it have.
 */
static double measure_triangle(const bezierview_batch *batch, const double uv[3][2])
{
    enum { STEPS = 4 };
    double corners[3][3], worst = 0;
    for (int i = 0; i < 3; i++)
        evaluate(batch, uv[i][0], uv[i][1], corners[i]);
    for (int i = 0; i <= STEPS; i++) {
        for (int j = 0; i + j <= STEPS; j++) {
            double s = (double)i / STEPS, t = (double)j / STEPS, point[3];
            evaluate(batch, (1 - s - t) * uv[0][0] + s * uv[1][0] + t * uv[2][0],
                     (1 - s - t) * uv[0][1] + s * uv[1][1] + t * uv[2][1], point);
            worst = support_worse(worst, triangle_distance(point, corners));
        }
    }
    return worst;
}

/* The largest distance over a patch's grid, or over every `skip`-th cell of it; quads are cut
   either way. */
static double measure(const bezierview_batch *batch, const uint32_t num[2], uint32_t skip)
{
    bool triangle = batch->type.form == BEZIERVIEW_TRIANGLE;
    double du = 1.0 / (num[0] - 1), dv = 1.0 / (num[1] - 1), worst = 0;
    for (uint32_t a = 0; a + 1 < num[0]; a += skip) {
        for (uint32_t b = 0; b + 1 < num[1]; b += skip) {
            double u0 = a * du, u1 = (a + 1) * du, v0 = b * dv, v1 = (b + 1) * dv;
            if (triangle && a + b + 1 >= num[0]) break;
            const double lower[3][2] = {{u0, v0}, {u1, v0}, {u0, v1}};
            const double upper[3][2] = {{u1, v1}, {u0, v1}, {u1, v0}};
            const double right[3][2] = {{u0, v0}, {u1, v0}, {u1, v1}};
            const double left[3][2] = {{u0, v0}, {u1, v1}, {u0, v1}};
            worst = support_worse(worst, measure_triangle(batch, lower));
            if (triangle && a + b + 2 >= num[0]) continue;
            worst = support_worse(worst, measure_triangle(batch, upper));
            if (triangle) continue;
            worst =
                fmax(worst, fmax(measure_triangle(batch, right), measure_triangle(batch, left)));
        }
    }
    return worst;
}

/* ---- tests ---- */

static const bezierview_type types[] = {
    {.degree_u = 3, .degree_v = 3},
    {.degree_u = 1, .degree_v = 5},
    {.degree_u = 0, .degree_v = 2},
    {.degree_u = 6, .degree_v = 2},
    {.degree_u = 2, .degree_v = 2, .rational = true},
    {.degree_u = 4, .degree_v = 1, .rational = true},
    {.degree_u = 3, .degree_v = 3, .rational = true},
    {.degree_u = 0, .degree_v = 3, .rational = true},
    {.degree_u = 16, .degree_v = 15, .rational = true}, /* too many points for the quotient rule */
    {.form = BEZIERVIEW_TRIANGLE, .degree_u = 2, .degree_v = 2},
    {.form = BEZIERVIEW_TRIANGLE, .degree_u = 5, .degree_v = 5},
};
enum { NUM_TYPES = sizeof(types) / sizeof(types[0]) };

/* Dense samples of random patches are within the tolerance of their triangles. The bound is that of
   exact arithmetic and the oracle's is far below 1e-12. */
static void test_measured_distance(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double worst = 0;
    for (size_t k = 0; k < NUM_TYPES; k++) {
        for (double tolerance = 0.5; tolerance > 0.01; tolerance /= 4) {
            bezierview content = {0};
            tessellation t = {0};
            add_random(&content, &types[k], 1, 1, &seed);
            tessellate(&t, &content, tolerance, NULL);
            double found = measure(&content.batches[0], t.num, 1 + t.num[0] / 12);
            if (found > tolerance + 1e-12) fail_msg("type %zu: %g > %g", k, found, tolerance);
            worst = support_worse(worst, found / tolerance);
            tessellation_clear(&t);
            bezierview_clear(&content);
        }
    }
    print_message("worst/bound %.2f\n", worst);
    assert_true(worst > 0.2); /* that the measurement sees the bound */
}

/* (u, v, u^2): the error of n cells is 1 / (4 n^2) exactly, and v needs one cell. */
static void test_parabola(void **state)
{
    (void)state;
    const bezierview_type type = {.degree_u = 2, .degree_v = 1};
    const double points[18] = {0, 0, 0, 0, 1, 0, 0.5, 0, 0, 0.5, 1, 0, 1, 0, 1, 1, 1, 1};
    const uint32_t expected[] = {2, 3, 6, 51};
    const double tolerances[] = {0.25, 0.1, 0.01, 1e-4};
    bezierview content = {0};
    add_patch(&content, &type, points);
    for (int i = 0; i < 4; i++) {
        tessellation t = {0};
        tessellate(&t, &content, tolerances[i] * (1 + 1e-12), NULL);
        assert_int_equal(t.num[0], expected[i]);
        assert_int_equal(t.num[1], 2);
        assert_false(t.uniform);
        tessellation_clear(&t);
    }
    bezierview_clear(&content);
}

/* The half circle of weights 1, 0, 1 has no finite control point; a quarter circle's bound is that
   of docs: within three times the best number of cells. */
static void test_circle(void **state)
{
    (void)state;
    const bezierview_type type = {.degree_u = 2, .degree_v = 1, .rational = true};
    const double w = sqrt(0.5), tolerance = 1e-4;
    const double points[24] = {1, 0, 0, 1, 1, 0, 1, 1, w, w, 0, w,
                               w, w, w, w, 0, 1, 0, 1, 0, 1, 1, 1};
    bezierview content = {0};
    tessellation t = {0};
    add_patch(&content, &type, points);
    tessellate(&t, &content, tolerance, NULL);
    double angle = acos(0.0) / (t.num[0] - 1), best = acos(0.0) / (2 * acos(1 - tolerance));
    assert_true(1 - cos(angle / 2) <= tolerance);
    assert_true(t.num[0] - 1 <= 1.6 * best);
    assert_int_equal(t.num[1], 2);
    assert_true(measure(&content.batches[0], t.num, 7) <= tolerance);
    tessellation_clear(&t);
    bezierview_clear(&content);
}

/* What is flat, or bent along nothing, needs two samples whatever the tolerance. */
static void test_flat(void **state)
{
    (void)state;
    const bezierview_type surface = {.degree_u = 1, .degree_v = 2};
    const bezierview_type triangle = {.form = BEZIERVIEW_TRIANGLE, .degree_u = 1, .degree_v = 1};
    const double plane[18] = {0, 0, 0, 0, 1, 0, 0, 2, 0, 1, 0, 3, 1, 1, 3, 1, 2, 3};
    const double corners[9] = {0, 0, 0, 0, 1, 0, 1, 0, 5};
    bezierview content = {0};
    tessellation t = {0};
    add_patch(&content, &surface, plane);
    add_patch(&content, &triangle, corners);
    tessellate(&t, &content, 1e-300, NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(t.num[i], 2);
    assert_int_equal(tessellation_num_points(&t, &content), 4 + 3);
    tessellation_clear(&t);
    bezierview_clear(&content);
}

/* Coordinates and weights of any size give the numbers of unit size. */
static void test_scales(void **state)
{
    (void)state;
    static const double scales[] = {1e-290, 1e290}, weights[] = {1e-290, 1, 1e15};
    for (size_t k = 0; k < NUM_TYPES; k++) {
        for (size_t i = 0; i < 6; i++) {
            uint64_t seed = 5, again = 5;
            bezierview unit = {0}, scaled = {0};
            tessellation expected = {0}, t = {0};
            double heavy = types[k].rational ? weights[i % 3] : 1, scale = scales[i / 3];
            if (types[k].rational && (heavy > 1) == (scale > 1)) continue; /* no doubles */
            add_random(&unit, &types[k], 1, 1, &seed);
            add_random(&scaled, &types[k], scale, heavy, &again);
            tessellate(&expected, &unit, 0.01, NULL);
            tessellate(&t, &scaled, 0.01 * scale, NULL);
            for (int n = 0; n < 2; n++) /* but for a rounding at a whole number */
                assert_true(llabs((long long)t.num[n] - (long long)expected.num[n]) <= 1);
            tessellation_clear(&t);
            tessellation_clear(&expected);
            bezierview_clear(&scaled);
            bezierview_clear(&unit);
        }
    }
}

/* Tolerances that no grid meets: too many points, and no overflow on the way. */
static void test_too_fine(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-30, 5e-324, 0};
    for (size_t k = 0; k < NUM_TYPES; k++) {
        for (int i = 0; i < 3; i++) {
            uint64_t seed = 7;
            bezierview content = {0};
            tessellation t = {0};
            add_random(&content, &types[k], 1, 1, &seed);
            tessellate(&t, &content, tolerances[i], NULL);
            assert_true(t.num[0] == UINT32_MAX || t.num[1] == UINT32_MAX);
            assert_true(tessellation_num_points(&t, &content) > MESH_MAX_VERTICES);
            tessellation_clear(&t);
            bezierview_clear(&content);
        }
    }
}

/* Two bicubic patches of which the second's u = 1 is the first's v = 0 backwards, and a triangle on
   the first's u = 1. */
static void make_neighbours(bezierview *content)
{
    static const bezierview_type surface = {.degree_u = 3, .degree_v = 3};
    static const bezierview_type triangle = {
        .form = BEZIERVIEW_TRIANGLE, .degree_u = 3, .degree_v = 3};
    uint64_t seed = 3;
    add_random(content, &surface, 1, 1, &seed);
    add_random(content, &surface, 10, 1, &seed);
    add_random(content, &triangle, 3, 1, &seed);
    const double *first = content->batches[0].points;
    for (size_t i = 0; i < 4; i++) {
        memcpy(content->batches[1].points + 3 * (12 + (3 - i)), first + 3 * (4 * i),
               3 * sizeof(double));
        memcpy(content->batches[2].points + 3 * i, first + 3 * (12 + i), 3 * sizeof(double));
    }
}

static void test_join(void **state)
{
    (void)state;
    bezierview content = {0};
    seams edges;
    uint32_t num[6] = {2, 9, 5, 3, 7, 4};
    make_neighbours(&content);
    assert_true(seams_find(&edges, &content));
    assert_int_equal(edges.num_edges, 11);
    assert_true(seams_join(&edges, 3, num));
    const uint32_t expected[6] = {3, 9, 5, 3, 9, 9}; /* u of 0 with v of 1, v of 0 with 2 */
    assert_memory_equal(num, expected, sizeof(expected));
    seams_clear(&edges);
    bezierview_clear(&content);
}

/* Welds patch after patch, as they come from the library. */
static void weld_one_by_one(seams *edges, const uint32_t *num, const size_t *firsts,
                            mesh_precision precision, void *positions)
{
    const size_t real = precision == MESH_F32 ? sizeof(float) : sizeof(double);
    for (size_t patch = 0; patch < edges->num_patches; patch++) {
        const seam_vertices vertices = {.precision = precision,
                                        .reals = (char *)positions + 3 * firsts[patch] * real,
                                        .stride = 3,
                                        .first_patch = patch,
                                        .num_patches = 1,
                                        .firsts = firsts + patch};
        assert_true(seams_weld(edges, num, &vertices));
    }
    for (size_t i = 0; i < edges->num_edges; i++)
        assert_null(edges->edges[i].kept); /* nothing is kept that no patch takes */
}

static void test_weld(void **state)
{
    (void)state;
    bezierview content = {0};
    seams edges;
    double positions[3 * 87];
    uint64_t seed = 4;
    const uint32_t num[6] = {3, 9, 5, 3, 9, 9};
    const size_t firsts[4] = {0, 27, 42, 87};
    make_neighbours(&content);
    assert_true(seams_find(&edges, &content));
    for (size_t i = 0; i < 3 * 87; i++)
        positions[i] = random_real(&seed);
    weld_one_by_one(&edges, num, firsts, MESH_F64, positions);
    for (size_t i = 0; i < 3; i++) /* v = 0 of 0 is u = 1 of 1 backwards */
        assert_memory_equal(positions + 3 * (9 * i), positions + 3 * (27 + 12 + (2 - i)),
                            3 * sizeof(double));
    for (size_t i = 0; i < 9; i++) /* u = 1 of 0 is u = 0 of the triangle */
        assert_memory_equal(positions + 3 * (18 + i), positions + 3 * (42 + i), 3 * sizeof(double));
    /* corners are control points: u = v = 0 of 1, and u = 1 of the triangle */
    assert_memory_equal(positions + 3 * 27, content.batches[1].points, 3 * sizeof(double));
    assert_memory_equal(positions + 3 * 86, content.batches[2].points + 3 * 9, 3 * sizeof(double));
    seams_clear(&edges);
    bezierview_clear(&content);
}

/* A collapsed edge becomes one point, rounded as the mesh is, and joins nothing. */
static void test_collapsed(void **state)
{
    (void)state;
    const bezierview_type type = {.degree_u = 1, .degree_v = 1, .rational = true};
    const double points[2][16] = {{1, 2, 3, 3, 1, 2, 3, 3, 0, 0, 0, 1, 0, 1, 0, 1},
                                  {1, 2, 3, 3, 1, 2, 3, 3, 5, 0, 0, 1, 5, 1, 0, 1}};
    bezierview content = {0};
    seams edges;
    float positions[3 * 14];
    uint32_t num[4] = {2, 4, 2, 3};
    const size_t firsts[3] = {0, 8, 14};
    add_patch(&content, &type, points[0]);
    add_patch(&content, &type, points[1]);
    assert_true(seams_find(&edges, &content));
    assert_true(seams_join(&edges, 2, num));
    assert_int_equal(num[1], 4);
    assert_int_equal(num[3], 3);
    for (size_t i = 0; i < 3 * 14; i++)
        positions[i] = 9;
    weld_one_by_one(&edges, num, firsts, MESH_F32, positions);
    for (size_t i = 0; i < 7; i++) {
        const float *position = positions + 3 * (i < 4 ? i : 8 + i - 4);
        assert_true(position[0] == 1.0f / 3.0f);
        assert_true(position[2] == 1);
    }
    seams_clear(&edges);
    bezierview_clear(&content);
}

/* A curve written with one degree more, times a scale; control points [degree + 1][4]. */
static edge_curve elevate(const edge_curve *c, double scale)
{
    edge_curve raised = {c->degree + 1, c->rational, malloc((c->degree + 2) * 4 * sizeof(double))};
    assert_non_null(raised.points);
    for (size_t i = 0; i <= raised.degree; i++) {
        const double share = (double)i / (double)raised.degree;
        for (size_t k = 0; k < 4; k++) {
            const double before = i > 0 ? c->points[4 * (i - 1) + k] : 0;
            const double here = i <= c->degree ? c->points[4 * i + k] : 0;
            raised.points[4 * i + k] = scale * (share * before + (1 - share) * here);
        }
    }
    return raised;
}

static void reverse(edge_curve *c)
{
    for (size_t i = 0; i < c->degree - i; i++) {
        double other[4];
        memcpy(other, c->points + 4 * i, sizeof(other));
        memcpy(c->points + 4 * i, c->points + 4 * (c->degree - i), sizeof(other));
        memcpy(c->points + 4 * (c->degree - i), other, sizeof(other));
    }
}

/* Curves are one by control points of any degree and scale, and no longer when one of these is
   moved by more than the distance; the end of a curve is moved, so that the distance is that far.
 */
static void check_curves(size_t degree, bool rational, uint64_t *seed)
{
    static const double far[3] = {1e3, -2e3, 5e2}, distance = 1e-6;
    double points[4 * 9];
    edge_curve curve = {degree, rational, points};
    for (size_t i = 0; i <= degree; i++) {
        points[4 * i + 3] = rational ? exp(random_real(seed)) : 1;
        for (size_t k = 0; k < 3; k++)
            points[4 * i + k] = (far[k] + random_real(seed)) * points[4 * i + 3];
    }
    const double scale = rational ? 7 : 1;
    edge_curve once = elevate(&curve, scale), twice = elevate(&once, 1);
    assert_true(edge_curves_within(&curve, &curve, false, distance));
    assert_true(edge_curves_within(&curve, &twice, false, distance));
    assert_true(edge_curves_within(&twice, &once, false, distance));
    assert_false(edge_curves_within(&curve, &twice, true, distance));
    reverse(&twice);
    assert_true(edge_curves_within(&curve, &twice, true, distance));
    const double weight = twice.points[3];
    twice.points[1] += 0.9 * distance * weight;
    assert_true(edge_curves_within(&curve, &twice, true, distance));
    twice.points[1] += 0.2 * distance * weight;
    assert_false(edge_curves_within(&curve, &twice, true, distance));
    twice.points[1] -= 1.1 * distance * weight;
    twice.points[4 * (twice.degree / 2)] += 10 * distance * weight; /* between the ends */
    assert_false(edge_curves_within(&curve, &twice, true, distance));
    free(once.points);
    free(twice.points);
}

static void test_curves(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (size_t degree = 1; degree <= 8; degree++) {
        check_curves(degree, false, &seed);
        check_curves(degree, true, &seed);
    }
}

/* A bilinear patch over [x, x + 1] x [0, 1], as one of degrees (1, degree_v). */
static void add_square(bezierview *content, double x, uint32_t degree_v, double off)
{
    const bezierview_type type = {.degree_u = 1, .degree_v = degree_v};
    double points[2 * 9 * 3];
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j <= degree_v; j++) {
            double *p = points + 3 * (i * ((size_t)degree_v + 1) + j);
            p[0] = x + (double)i;
            p[1] = (double)j / degree_v;
            p[2] = off;
        }
    add_patch(content, &type, points);
}

/* Three squares in a row, lifted by so many times the distance over one that stands apart: the
   edges of the first two are one straight line by 2 and by 4 control points, and the third is off
   by so many times the distance. */
static bool join_squares(double lifted, double off)
{
    bezierview content = {0};
    seams edges;
    const double distance = fmin(SEAM_OF_PATCH * hypot(1, 1), SEAM_OF_ALL * hypot(11, 1));
    float positions[3 * 16] = {0};
    uint32_t num[8] = {2, 2, 2, 2, 2, 2, 2, 2};
    uint32_t finer[8] = {2, 5, 2, 2, 2, 3, 2, 2};
    const size_t firsts[5] = {0, 4, 8, 12, 16};
    add_square(&content, 0, 1, lifted * distance);
    add_square(&content, 1, 3, lifted * distance);
    add_square(&content, 2, 3, (lifted + off) * distance);
    add_square(&content, 10, 1, 0);
    assert_true(seams_find(&edges, &content));
    assert_true(seams_join(&edges, 4, finer));
    weld_one_by_one(&edges, num, firsts, MESH_F32, positions);
    assert_int_equal(finer[3], 5);
    assert_memory_equal(positions + 3 * 2, positions + 3 * 4, 6 * sizeof(float));
    const bool joined = finer[5] == 5;
    assert_int_equal(memcmp(positions + 3 * 6, positions + 3 * 8, 6 * sizeof(float)) == 0, joined);
    assert_true(joined || finer[5] == 3);
    seams_clear(&edges);
    bezierview_clear(&content);
    return joined;
}

static void test_distance(void **state)
{
    (void)state;
    for (double lifted = 0; lifted < 10; lifted += 0.37) { /* wherever the lattice's cells end */
        assert_true(join_squares(lifted, 0));
        assert_true(join_squares(lifted, 0.9));
        assert_true(join_squares(lifted, -0.9));
        assert_false(join_squares(lifted, 1.1));
        assert_false(join_squares(lifted, -100));
    }
}

/* On the teapot's body neighbours agree along all edges that they share. */
static void test_teapot(void **state)
{
    (void)state;
    char path[1024];
    bezierview content;
    io_message message = {"(none)"};
    seams edges;
    tessellation t = {0};
    size_t shared = 0;
    snprintf(path, sizeof(path), "%s/teapot.bv", data_folder);
    if (!bezierview_load(&content, path, MESH_F64, &message)) fail_msg("%s", message.text);
    assert_true(seams_find(&edges, &content));
    assert_int_equal(edges.num_edges, 4 * 28);
    assert_true(tessellation_within(&t, &content, &edges, 1e-3, NULL));
    for (size_t i = 1; i < edges.num_edges; i++) {
        const seam_edge *a = &edges.edges[i - 1], *b = &edges.edges[i];
        bool same = true;
        for (size_t k = 0; k < 4; k++) {
            const size_t steps[4] = {1, 1, 4, 4}, starts[4] = {0, 12, 0, 3};
            size_t at = starts[a->side] + steps[a->side] * (a->reversed ? 3 - k : k);
            size_t bt = starts[b->side] + steps[b->side] * (b->reversed ? 3 - k : k);
            same = same && memcmp(a->points + 3 * at, b->points + 3 * bt, 3 * sizeof(double)) == 0;
        }
        if (!same) continue;
        shared++;
        assert_int_equal(t.num[2 * a->patch + (a->side < 2)], t.num[2 * b->patch + (b->side < 2)]);
    }
    assert_true(shared >= 40);
    double largest;
    assert_true(fabs(tessellation_diagonal(&content, &largest) - 2.1) < 0.5);
    assert_true(largest > 0.5 && largest < 2.1);
    tessellation_clear(&t);
    seams_clear(&edges);
    bezierview_clear(&content);
}

/* A displacement of a pixel's length moves nothing on the picture by more than a pixel. */
static void test_pixels(void **state)
{
    (void)state;
    uint64_t seed = 11;
    mesh m = {0};
    double *p = mesh_add_vertices(&m, 200), worst = 0;
    assert_non_null(p);
    for (int i = 0; i < 600; i++)
        p[i] = 40 + (i % 3 + 1) * random_real(&seed);
    const raster_view picture = RASTER_VIEW_DEFAULT;
    camera view = picture_camera(&m, &picture);
    for (int i = 0; i < 600; i += 3) {
        double x[2], y[2], w[2], moved[3], step[3];
        camera_project(&view, p + i, &x[0], &y[0], &w[0]);
        for (int axis = 0; axis < 3; axis++)
            step[axis] = random_real(&seed);
        double length = sqrt(dot(step, step));
        for (int axis = 0; axis < 3; axis++)
            moved[axis] = p[i + axis] + step[axis] / length * camera_pixel_length(&view, w[0]);
        camera_project(&view, moved, &x[1], &y[1], &w[1]);
        worst = support_worse(worst, view.scale * hypot(x[1] - x[0], y[1] - y[0]));
    }
    assert_true(worst <= 1);
    assert_true(worst > 0.8);
    assert_true(camera_pixel_length(&view, -1) == camera_pixel_length(&view, HUGE_VAL));
    mesh_clear(&m);
}

/* In pixels: the distance on the picture of samples of the patch from the triangles' corners'
   interpolant stays within the tolerance. */
static void test_pixel_tolerance(void **state)
{
    (void)state;
    uint64_t seed = 12;
    bezierview content = {0};
    tessellation t = {0};
    mesh m = {0};
    add_random(&content, &types[0], 1, 1, &seed);
    double *p = mesh_add_grid(&m, 20, 20);
    assert_non_null(p);
    for (int i = 0; i < 400; i++)
        evaluate(&content.batches[0], i / 20 / 19.0, i % 20 / 19.0, p + 3 * i);
    const raster_view picture = RASTER_VIEW_DEFAULT;
    camera view = picture_camera(&m, &picture);
    tessellate(&t, &content, 2, &view);
    double length = measure(&content.batches[0], t.num, 1 + t.num[0] / 12);
    assert_true(length <= 2 * camera_pixel_length(&view, 0.1)); /* no point is that far */
    assert_true(t.num[0] > 5 && t.num[0] < 500);
    mesh_clear(&m);
    tessellation_clear(&t);
    bezierview_clear(&content);
}

static void test_empty(void **state)
{
    (void)state;
    bezierview content = {0};
    tessellation t = {0};
    tessellate(&t, &content, 1, NULL);
    assert_int_equal(tessellation_num_points(&t, &content), 0);
    double largest;
    assert_true(tessellation_diagonal(&content, &largest) == 0 && largest == 0);
    tessellation_clear(&t);
    assert_true(tessellation_uniform(&t, &content, 5));
    assert_true(t.uniform);
    tessellation_clear(&t);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_distance),
        cmocka_unit_test(test_parabola),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_too_fine),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_weld),
        cmocka_unit_test(test_collapsed),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_teapot),
        cmocka_unit_test(test_pixels),
        cmocka_unit_test(test_pixel_tolerance),
        cmocka_unit_test(test_empty),
    };
    data_folder = argc > 1 ? argv[1] : ".";
    return cmocka_run_group_tests_name("tessellation", tests, NULL, NULL);
}
