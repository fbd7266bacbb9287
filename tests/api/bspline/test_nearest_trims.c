/* Projection onto trimmed surfaces against the oracle: holes, faces inside of holes, loops across
   pieces and off the domain, seams and poles, gaps, edges that are off their loops, and bad
   input. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "schedule_fixture.h"
#include "surface_cases.h"
#include "trim_fixture.h"
#include "vertex_fixture.h"

enum { QUERIES = 150, CONTROLS = 5 };

static uint64_t state_of_cases;

static double uniform(void)
{
    return surface_case_uniform(&state_of_cases);
}

static double between(double low, double high)
{
    return low + (high - low) * uniform();
}

static size_t num_queries(void)
{
    return support_tiny() ? QUERIES / 5 : support_full() ? QUERIES : QUERIES / 3;
}

/* Checks points in a box, and near the faces. */
static void check_some(part *p, const double low[3], const double high[3])
{
    static double queries[3 * QUERIES];
    const size_t num = num_queries();

    for (size_t i = 0; i < num; i++) {
        const uint32_t f = (uint32_t)(uniform() * p->num_faces);
        double x[3];
        ref_face_point(p->faces[f], uniform(), uniform(), x);
        for (int k = 0; k < 3; k++)
            queries[3 * i + (size_t)k] =
                i % 2 ? between(low[k], high[k]) : x[k] + between(-0.05, 0.05);
    }
    part_check(p, queries, num);
}

/* ---- faces ---- */

static void rectangle(part *p, double u0, double v0, double u1, double v1)
{
    part_loop(p);
    part_line(p, u0, v0, u1, v0, NO_EDGE);
    part_line(p, u1, v0, u1, v1, NO_EDGE);
    part_line(p, u1, v1, u0, v1, NO_EDGE);
    part_line(p, u0, v1, u0, v0, NO_EDGE);
}

/* A closed loop of cubics about a place, whose tangents need not match. */
static void star(part *p, double u, double v, double radius)
{
    enum { ARMS = 5 };
    double points[4][3], begin[2] = {u + radius, v}, first[2] = {u + radius, v};

    part_loop(p);
    for (int i = 0; i < ARMS; i++)
        for (int k = 0; k < 4; k++) {
            const double angle = 2 * 3.14159265358979 * (i + k / 3.0) / ARMS;
            const double r = radius * between(0.6, 1);
            const double at[2] = {u + r * cos(angle), v + r * sin(angle)};
            const double *const to = k == 0 ? begin : k == 3 && i == ARMS - 1 ? first : at;
            points[k][0] = to[0];
            points[k][1] = to[1];
            points[k][2] = 1;
            if (k < 3) continue;
            begin[0] = to[0];
            begin[1] = to[1];
            part_curve(p, 3, 4, NULL, points[0], NO_EDGE);
        }
}

/* A height field with weights, over the square from `at` on. */
static void wavy_face(part *p, unsigned degree, const double at[3])
{
    const unsigned degrees[2] = {degree, degree}, controls[2] = {CONTROLS, CONTROLS};
    double points[CONTROLS][CONTROLS][4];

    for (int i = 0; i < CONTROLS; i++)
        for (int k = 0; k < CONTROLS; k++) {
            const double w = between(0.7, 1.4);
            points[i][k][0] = w * (at[0] + i / (CONTROLS - 1.0));
            points[i][k][1] = w * (at[1] + k / (CONTROLS - 1.0));
            points[i][k][2] = w * (at[2] + 0.5 * uniform());
            points[i][k][3] = w;
        }
    part_face(p, degrees, controls, NULL, points[0][0]);
}

/* ---- tests ---- */

/* A line whose weights are all 3, as parts of arcs may have them. */
static void weighted_line(part *p, double u0, double v0, double u1, double v1)
{
    const double points[6] = {3 * u0, 3 * v0, 3, 3 * u1, 3 * v1, 3};

    part_curve(p, 1, 2, NULL, points, NO_EDGE);
}

/* Planes with holes, with a face inside of one, and with a slanted side. */
static void test_planes(void **state)
{
    static const double corner[3] = {0, 0, 0}, x[3] = {2, 0, 0.5}, y[3] = {0, 1, 0.25};
    static const double low[3] = {-1, -1, -1}, high[3] = {3, 2, 2};
    part *p = part_new();

    (void)state;
    part_plane(p, corner, x, y);
    rectangle(p, 0.05, 0.1, 0.95, 0.9);
    part_loop(p);
    part_circle(p, 0.3, 0.5, 0.2, 0.3, NO_EDGE);
    part_loop(p);
    part_circle(p, 0.3, 0.5, 0.05, -0.1, NO_EDGE);
    part_loop(p);
    part_line(p, 0.6, 0.2, 0.9, 0.3, NO_EDGE);
    weighted_line(p, 0.9, 0.3, 0.7, 0.8);
    part_line(p, 0.7, 0.8, 0.6, 0.2, NO_EDGE);
    part_make(p);
    check_some(p, low, high);
    part_free(&p);
}

/* Loops that cross pieces, of surfaces of several degrees, one of them whole. */
static void test_curved(void **state)
{
    static const double low[3] = {-1, -1, -1}, high[3] = {4, 2, 2};
    part *p = part_new();

    (void)state;
    for (unsigned degree = 2; degree < 5; degree++) {
        const double at[3] = {1.1 * (degree - 2), 0, 0.1 * degree};
        wavy_face(p, degree, at);
        star(p, 0.5, 0.5, 0.48);
        part_loop(p);
        part_circle(p, 0.5, 0.5, 0.15, 0.2, NO_EDGE);
    }
    const double at[3] = {0, 1.1, 0};
    wavy_face(p, 3, at);
    part_make(p);
    check_some(p, low, high);
    part_free(&p);
}

/* A cylinder with its seam in the loop twice, and a window. */
static void test_cylinder(void **state)
{
    static const double low[3] = {-2, -2, -1}, high[3] = {2, 2, 3};
    part *p = part_new();

    (void)state;
    part_cylinder(p, 1, 0, 2);
    rectangle(p, 0, 0, 1, 1);
    part_loop(p);
    part_circle(p, 0.5, 0.5, 0.15, 0.3, NO_EDGE);
    part_make(p);
    check_some(p, low, high);
    part_free(&p);
}

/* What of a loop is off the domain bounds nothing; a face whose loop is all around it is whole. */
static void test_off_domain(void **state)
{
    static const double low[3] = {-1, -1, -1}, high[3] = {3, 2, 2};
    static const double origin[3] = {0, 0, 0}, other[3] = {1.2, 0, 0};
    part *p = part_new();

    (void)state;
    wavy_face(p, 3, origin);
    part_loop(p);
    part_circle(p, 0, 0.1, 0.6, 0.6, NO_EDGE);
    wavy_face(p, 2, other);
    part_loop(p);
    part_circle(p, 0.5, 0.5, 3, 3, NO_EDGE);
    part_make(p);
    check_some(p, low, high);
    part_free(&p);
}

/* Edges in space that are off the loops count too, with their tolerances. */
static void test_edges(void **state)
{
    static const double corner[3] = {0, 0, 0}, x[3] = {2, 0, 0}, y[3] = {0, 2, 0};
    static const double centre[3] = {1, 1, 0.01}, rx[3] = {0.5, 0, 0}, ry[3] = {0, 0.5, 0};
    static const double a[3] = {3, 0, 0}, b[3] = {3, 2, 1};
    static const double low[3] = {-1, -1, -1}, high[3] = {4, 3, 1};
    part *p = part_new();

    (void)state;
    const int round = part_round_edge(p, centre, rx, ry);
    p->tolerance[round] = 0.02;
    part_straight_edge(p, a, b); /* of no face */
    part_plane(p, corner, x, y);
    part_loop(p);
    part_circle(p, 0.5, 0.5, 0.25, 0.25, round);
    part_make(p);
    check_some(p, low, high);
    const double queries[6] = {1, 1.5, 1, 4, 1, 0.5};
    clsp_nearest_f64 found[2];
    clsp_nearest_foot feet[2];
    const clsp_output to = clsp_out_nearest_feet(feet, 2);
    const clsp_nearest_opts opts = {.feet = &to};
    const clsp_nearest_queries q = {.num = 2, .points = clsp_in_f64(queries, 6)};
    assert_ok(p->ctx,
              clsp_nearest_find(p->search, &q, &opts, clsp_out_nearest_f64(found, 2), NULL));
    assert_true(feet[0].edge == (uint32_t)round && feet[0].face == 0 && found[0].patch == 0);
    assert_true(fabs(found[0].distance - 0.99) < 1e-12 && feet[0].tolerance == 0.02);
    assert_true(fabs(found[0].param[0] - 0.5) < 1e-7 && fabs(found[0].param[1] - 0.75) < 1e-7);
    assert_true(feet[1].edge == 1 && feet[1].face == UINT32_MAX && isnan(found[1].param[0]));
    part_free(&p);
}

/* Ends that are near are one, wider gaps are closed by lines; a loop that crosses itself, and one
   of no area. */
static void test_loops(void **state)
{
    static const double corner[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    static const double low[3] = {-1, -1, -1}, high[3] = {2, 2, 1};
    const double params[10] = {0.1, 0.5, 0.9, 0.5, 0.5, 0.9, 0.45, 0.5, 0.2, 0.999};
    const double near = 1e-13;
    uint8_t inside[5];
    part *p = part_new();

    (void)state;
    part_plane(p, corner, x, y);
    part_loop(p); /* a bow tie */
    part_line(p, 0, 0, 0.999 + near, 1, NO_EDGE);
    part_line(p, 0.999, 1, 0.999, 0, NO_EDGE);
    part_line(p, 0.999, 0, 0, 1, NO_EDGE);
    part_make(p); /* the last side is missing */
    const clsp_points at = {.num = 5, .params = clsp_in_f64(params, 10)};
    assert_ok(p->ctx, clsp_nearest_contains(p->search, &at, clsp_out_u8(inside, 5), NULL));
    assert_true(inside[0] == 1 && inside[1] == 1 && inside[2] == 0 && inside[3] == 1);
    part_line(p, 0, 1, 0, 0, NO_EDGE); /* for the oracle */
    ref_face_free(p->faces[0]);
    clsp_nearest_destroy(&p->search);
    part_make(p);
    check_some(p, low, high);
    part_free(&p);
    p = part_new();
    part_plane(p, corner, x, y);
    part_loop(p);
    part_line(p, 0.2, 0.3, 0.8, 0.3, NO_EDGE);
    part_line(p, 0.8, 0.3, 0.2, 0.3, NO_EDGE);
    part_make(p);
    check_some(p, low, high);
    part_free(&p);
}

/* A sphere's pole has no edge. */
static void test_pole(void **state)
{
    static const double low[3] = {-1.5, -1.5, -1.5}, high[3] = {1.5, 1.5, 1.5};
    static const double at[3][2] = {{1, 0}, {1, 1}, {0, 1}};
    const unsigned degrees[2] = {2, 2}, controls[2] = {3, 3};
    double points[3][3][4];
    part *p = part_new();

    (void)state;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) { /* an eighth: u about the axis, v up to the pole */
            const double w = (i % 2 ? sqrt(0.5) : 1) * (k % 2 ? sqrt(0.5) : 1);
            const double x[4] = {w * at[i][0] * at[k][0], w * at[i][1] * at[k][0], w * at[k][1], w};
            memcpy(points[i][k], x, sizeof x);
        }
    part_face(p, degrees, controls, NULL, points[0][0]);
    rectangle(p, 0, 0.25, 1, 1);
    part_loop(p);
    part_circle(p, 0.5, 0.6, 0.2, 0.2, NO_EDGE);
    part_make(p);
    check_some(p, low, high);
    part_free(&p);
}

static void test_contains(void **state)
{
    enum { NUM = 2000 };
    static double params[2 * NUM];
    static float floats[2];
    static uint8_t inside[NUM];
    static const double at[3] = {0, 0, 0};
    part *p = part_new();

    (void)state;
    wavy_face(p, 3, at);
    star(p, 0.5, 0.5, 0.6);
    part_loop(p);
    part_circle(p, 0.5, 0.5, 0.1, 0.1, NO_EDGE);
    wavy_face(p, 2, at);
    part_make(p);
    for (size_t i = 0; i < 2 * NUM; i++)
        params[i] = between(-0.1, 1.1);
    for (int k = 0; k < 64; k++) { /* on the hole */
        params[2 * k] = 0.5 + 0.1 * cos(k);
        params[2 * k + 1] = 0.5 + 0.1 * sin(k);
    }
    params[128] = NAN;
    const clsp_points list = {.num = NUM, .params = clsp_in_f64(params, 2 * NUM)};
    assert_ok(p->ctx, clsp_nearest_contains(p->search, &list, clsp_out_u8(inside, NUM), NULL));
    assert_int_equal(inside[64], 0);
    for (size_t i = 0; i < NUM; i++) {
        const double u = params[2 * i], v = params[2 * i + 1];
        const int is = ref_face_inside(p->faces[0], u, v, 1e-6);
        const bool is_off = !(u >= 0 && u <= 1 && v >= 0 && v <= 1);
        if (i < 64) assert_int_equal(inside[i], 2);
        if (i > 64 && is >= 0) assert_int_equal(inside[i], is_off ? 0 : is);
    }
    const uint32_t patch[3] = {1, 1, 2};
    const double of_whole[6] = {0.5, 1, 0.5, 0.3, 0.5, 0.5};
    clsp_points some = {
        .num = 2, .item = clsp_in_u32(patch, 2), .params = clsp_in_f64(of_whole, 4)};
    assert_ok(p->ctx, clsp_nearest_contains(p->search, &some, clsp_out_u8(inside, 2), NULL));
    assert_true(inside[0] == 2 && inside[1] == 1);
    const double planar[4] = {0.5, 0.5, 1, 0.3};
    some.params = clsp_in_f64(planar, 4);
    some.planar = 1;
    assert_ok(p->ctx, clsp_nearest_contains(p->search, &some, clsp_out_u8(inside, 2), NULL));
    assert_true(inside[0] == 2 && inside[1] == 1);
    some =
        (clsp_points){.num = 3, .item = clsp_in_u32(patch, 3), .params = clsp_in_f64(of_whole, 6)};
    const clsp_output out = clsp_out_u8(inside, 3);
    assert_int_equal(clsp_nearest_contains(p->search, &some, out, NULL), CLSP_ERROR_ARGUMENT);
    some = (clsp_points){.num = 1, .params = clsp_in_f32(floats, 2)};
    assert_int_equal(clsp_nearest_contains(p->search, &some, out, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_nearest_contains(NULL, &some, out, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_nearest_contains(p->search, NULL, out, NULL), CLSP_ERROR_ARGUMENT);
    part_free(&p);
}

/* A surface that is not finite is left out, with its loops. */
static void test_not_finite(void **state)
{
    static const double corner[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    static const double nowhere[3] = {NAN, 0, 0}, query[3] = {0.5, 0.5, 2};
    part *p = part_new();
    clsp_nearest_f64 found;

    (void)state;
    part_plane(p, nowhere, x, y);
    part_loop(p);
    part_circle(p, 0.5, 0.5, 0.1, 0.1, NO_EDGE);
    part_plane(p, corner, x, y);
    part_loop(p);
    part_circle(p, 0.5, 0.5, 0.1, 0.1, NO_EDGE);
    const clsp_trims trims = part_trims(p);
    const clsp_nearest_queries q = {.num = 1, .points = clsp_in_f64(query, 3)};
    assert_ok(p->ctx, clsp_nearest_create(&p->search, p->plans, 2, &trims, NULL));
    assert_ok(p->ctx,
              clsp_nearest_find(p->search, &q, NULL, clsp_out_nearest_f64(&found, 1), NULL));
    assert_true(found.patch == 1 && fabs(found.distance - 2) < 1e-14);
    part_free(&p);
}

static void test_bad_trims(void **state)
{
    static const double corner[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    static const double fall[4] = {0, 1, 0.5, 1}, high[4] = {0, 0, 1, 1};
    static const double weights[6] = {0, 0, 1, 1, 1, 0};
    part *p = part_new();
    clsp_nearest *made;

    (void)state;
    part_plane(p, corner, x, y);
    part_loop(p);
    part_circle(p, 0.5, 0.5, 0.1, 0.1, NO_EDGE);
    part_line(p, 0.5, 0.5, 0.6, 0.5, NO_EDGE);
    const clsp_trims good = part_trims(p);
    for (int i = 0; i < 11; i++) {
        clsp_trims t = good;
        const uint32_t one = 1, none = 0, edge[2] = {0, 7}, zero[2] = {0, 1}, few[2] = {9, 1};
        const uint32_t first[2] = {one, none};
        const double negative[1] = {-1};
        if (i == 0) t.loop = NULL;
        if (i == 1) t.curve = NULL;
        if (i == 2) t.loop = first;
        if (i == 3) t.edge = edge;
        if (i == 4) t.curves.degree = zero;
        if (i == 5) t.curves.num_controls = few;
        if (i == 6) t.snap = NAN;
        if (i == 7) t.reserved[0] = 1;
        if (i == 8) t.curves.knots = NULL;
        if (i == 9) t.curves.reserved[1] = 1;
        if (i == 10) t.tolerance = negative;
        if (i == 10) t.edges = (clsp_curve_list){1, &one, &few[1], fall, weights, {0}};
        const clsp_status status = clsp_nearest_create(&made, p->plans, 1, &t, NULL);
        assert_int_equal(status, i == 4 ? CLSP_ERROR_DEGREE : CLSP_ERROR_ARGUMENT);
        assert_null(made);
    }
    const uint32_t one[1] = {1}, two[1] = {2}, curve[2] = {0, 1}, edge[1] = {UINT32_MAX};
    clsp_trims t = {.loop = good.loop, .curve = curve, .edge = edge};
    t.curves = (clsp_curve_list){1, one, two, fall, weights, {0}};
    assert_int_equal(clsp_nearest_create(&made, p->plans, 1, &t, NULL), CLSP_ERROR_ARGUMENT);
    t.curves.knots = high;
    assert_int_equal(clsp_nearest_create(&made, p->plans, 1, &t, NULL), CLSP_ERROR_ARGUMENT);
    part_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes),     cmocka_unit_test(test_curved),
        cmocka_unit_test(test_cylinder),   cmocka_unit_test(test_off_domain),
        cmocka_unit_test(test_edges),      cmocka_unit_test(test_loops),
        cmocka_unit_test(test_pole),       cmocka_unit_test(test_contains),
        cmocka_unit_test(test_not_finite), cmocka_unit_test(test_bad_trims),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
