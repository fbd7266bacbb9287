/* Sides of trimmed parts whose nearest points are on edges and at vertices: solids of cubes,
   sheared until they are sharp, whose inside is told by counting; balls and tubes; and parts that
   are open. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedule_fixture.h"
#include "support.h"
#include "surface_cases.h"
#include "trim_fixture.h"

enum { CUBES = 8, CORNERS = 27, QUERIES = 200, LEAST_FEET = 5 };

static uint64_t state_of_cases;

static double uniform(void)
{
    return surface_case_uniform(&state_of_cases);
}

/* ---- solids of cubes ---- */

/* Some of the cubes of a grid of 2 x 2 x 2, bit x + 2 y + 4 z each, at x + a place's z times
   `slope`, all moved by the same along each axis. */
typedef struct cubes {
    unsigned set;
    double move;
    double slope[3];       /* x by z, y by z; z itself is multiplied by the third */
    int edges[CORNERS][3]; /* from each corner on; NO_EDGE: not made yet */
} cubes;

static void place_of(const cubes *c, const double grid[3], double to[3])
{
    to[0] = grid[0] + c->slope[0] * grid[2];
    to[1] = grid[1] + c->slope[1] * grid[2];
    to[2] = c->slope[2] * grid[2];
    for (int k = 0; k < 3; k++)
        to[k] += c->move;
}

static bool has_cube(const cubes *c, const int at[3])
{
    for (int k = 0; k < 3; k++)
        if (at[k] < 0 || at[k] > 1) return false;
    return c->set >> (at[0] + 2 * at[1] + 4 * at[2]) & 1;
}

static bool is_inside(const cubes *c, const double x[3])
{
    const double z = x[2] / c->slope[2];
    const double grid[3] = {x[0] - c->slope[0] * z, x[1] - c->slope[1] * z, z};
    int at[3];

    for (int k = 0; k < 3; k++)
        at[k] = (int)floor(grid[k]);
    return has_cube(c, at);
}

/* Returns the edge from a corner along an axis. */
static int edge_at(part *p, cubes *c, const int corner[3], int axis)
{
    int *const edge = &c->edges[corner[0] + 3 * corner[1] + 9 * corner[2]][axis];
    double grid[2][3], ends[2][3];

    if (*edge != NO_EDGE) return *edge;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++)
            grid[i][k] = corner[k] + (i == 1 && k == axis);
        place_of(c, grid[i], ends[i]);
    }
    return *edge = part_straight_edge(p, ends[0], ends[1]);
}

/* Appends the face from a corner along two axes; outward is along the third one, or against it: by
   the order of its directions, or said to be turned. */
static void add_square(part *p, cubes *c, const int corner[3], int normal, bool is_against,
                       bool is_turned)
{
    const int axis[2] = {(normal + 1) % 3, (normal + 2) % 3};
    const int first = is_against != is_turned, u = axis[first], v = axis[1 - first];
    const double from[3] = {corner[0], corner[1], corner[2]};
    double ends[3][3], begin[3], x[3], y[3];
    int up[3] = {corner[0], corner[1], corner[2]}, right[3] = {corner[0], corner[1], corner[2]};

    place_of(c, from, begin);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            ends[k][l] = from[l] + (k == l);
    place_of(c, ends[u], x);
    place_of(c, ends[v], y);
    for (int l = 0; l < 3; l++) {
        x[l] -= begin[l];
        y[l] -= begin[l];
    }
    right[u]++;
    up[v]++;
    p->turned[p->num_faces] = is_turned;
    part_plane(p, begin, x, y);
    part_loop(p);
    part_line(p, 0, 0, 1, 0, edge_at(p, c, corner, u));
    part_line(p, 1, 0, 1, 1, edge_at(p, c, right, v));
    part_line(p, 1, 1, 0, 1, edge_at(p, c, up, u));
    part_line(p, 0, 1, 0, 0, edge_at(p, c, corner, v));
}

/* Makes all faces between a cube and none, but for number `lost` of them. */
static part *make_cubes(cubes *c, int lost)
{
    part *const p = part_new();
    int number = 0;

    memset(c->edges, 0xff, sizeof c->edges);
    for (int normal = 0; normal < 3; normal++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 4; k++) {
                int upper[3], lower[3];
                upper[normal] = i;
                upper[(normal + 1) % 3] = k % 2;
                upper[(normal + 2) % 3] = k / 2;
                memcpy(lower, upper, sizeof lower);
                lower[normal]--;
                if (has_cube(c, upper) == has_cube(c, lower) || number++ == lost) continue;
                add_square(p, c, upper, normal, has_cube(c, upper), uniform() < 0.5);
            }
    const clsp_trims trims = part_trims(p);
    assert_ok(p->ctx, clsp_nearest_create(&p->search, p->plans, p->num_faces, &trims, NULL));
    return p;
}

/* ---- checks ---- */

typedef bool inside_fn(const void *solid, const double x[3]);

/* Checks the side of random points of a box; returns how many nearest points do not tell it. */
static size_t check_sides(part *p, inside_fn *inside, const void *solid, const double low[3],
                          const double high[3])
{
    static double queries[3 * QUERIES], sides[4 * QUERIES];
    static clsp_nearest_f64 found[QUERIES];
    const size_t num = support_tiny() ? QUERIES / 4 : QUERIES;
    const clsp_output to = clsp_out_f64(sides, 4 * num);
    const clsp_nearest_opts opts = {.normals = &to};
    const clsp_nearest_queries q = {.num = num, .points = clsp_in_f64(queries, 3 * num)};
    size_t slanted = 0;

    for (size_t i = 0; i < 3 * num; i++)
        queries[i] = low[i % 3] + (high[i % 3] - low[i % 3]) * uniform();
    assert_ok(p->ctx,
              clsp_nearest_find(p->search, &q, &opts, clsp_out_nearest_f64(found, num), NULL));
    for (size_t i = 0; i < num; i++) {
        const double *const x = queries + 3 * i, *const n = sides + 4 * i;
        double along = 0;
        for (int k = 0; k < 3; k++)
            along += n[k] * (x[k] - found[i].point[k]);
        slanted += fabs(along) < 0.999 * found[i].distance;
        if (fabs(n[3]) != found[i].distance || (n[3] < 0) != inside(solid, x))
            fail_msg("(%.17g, %.17g, %.17g): %.17g", x[0], x[1], x[2], n[3]);
    }
    return slanted;
}

static bool is_inside_cubes(const void *solid, const double x[3])
{
    return is_inside(solid, x);
}

/* All ways that cubes can meet at a corner, with edges of four faces and saddles among them. */
static void test_cubes(void **state)
{
    static const double low[3] = {-1, -1, -1}, high[3] = {3, 3, 3};
    size_t slanted = 0;

    (void)state;
    for (unsigned set = 1; set < 256; set += support_tiny() ? 11 : 2) {
        cubes c = {.set = set, .slope = {0, 0, 1}};
        part *p = make_cubes(&c, -1);
        slanted += check_sides(p, is_inside_cubes, &c, low, high);
        part_free(&p);
    }
    assert_true(slanted > LEAST_FEET);
}

/* Sharp edges and corners, inward and outward. */
static void test_sharp(void **state)
{
    static const double low[3] = {-2, -2, -0.1}, high[3] = {24, 8, 0.2};
    static const unsigned sets[] = {0x01, 0x81, 0x7f, 0x17, 0x69, 0xbd};

    (void)state;
    for (size_t i = 0; i < COUNT(sets); i++)
        for (int k = 0; k < 3; k++) {
            cubes c = {.set = sets[i], .slope = {k == 0 ? 0.3 : 10, k == 2 ? 3 : 0, 0.05}};
            part *p = make_cubes(&c, -1);
            assert_true(check_sides(p, is_inside_cubes, &c, low, high) > 0);
            part_free(&p);
        }
}

static bool is_in_tube(const void *solid, const double x[3])
{
    (void)solid;
    return x[0] * x[0] + x[1] * x[1] < 1 && x[2] > 0 && x[2] < 2;
}

/* A tube of two whole halves and two round lids: a seam that is smooth, curved edges, and no loops
   of two faces. */
static void test_tube(void **state)
{
    static const double low[3] = {-2, -2, -1}, high[3] = {2, 2, 3};
    part *p = part_new();

    (void)state;
    part_cylinder(p, 1, 0, 2);
    for (int i = 0; i < 2; i++) {
        const double corner[3] = {-2, -2, 2 * i}, x[3] = {4, 0, 0}, y[3] = {0, 4, 0};
        const double centre[3] = {0, 0, 2 * i}, rx[3] = {1, 0, 0}, ry[3] = {0, 1, 0};
        p->turned[p->num_faces] = i == 0;
        part_plane(p, corner, x, y);
        part_loop(p);
        part_circle(p, 0.5, 0.5, 0.25, 0.25, part_round_edge(p, centre, rx, ry));
    }
    const clsp_trims trims = part_trims(p);
    assert_ok(p->ctx, clsp_nearest_create(&p->search, p->plans, p->num_faces, &trims, NULL));
    assert_true(check_sides(p, is_in_tube, NULL, low, high) > LEAST_FEET);
    part_free(&p);
}

/* Where a face is missing, sides are open at its edges alone. */
static void test_open(void **state)
{
    static const double places[12] = {0.5, 0.5, 3, 0.5, 0.25, -1, -1, -1, -1, 2, 0.5, 3};

    (void)state;
    for (int i = 0; i < 2; i++) {
        cubes c = {.set = 1, .move = 1000 * i, .slope = {0, 0, 1}};
        part *p = make_cubes(&c, 5); /* the lid, z = 1 */
        clsp_nearest_f64 found[4];
        double queries[12], sides[16];
        const clsp_output to = clsp_out_f64(sides, 16);
        const clsp_nearest_opts opts = {.normals = &to};
        const clsp_nearest_queries q = {.num = 4, .points = clsp_in_f64(queries, 12)};
        for (int k = 0; k < 12; k++)
            queries[k] = places[k] + c.move;
        assert_ok(p->ctx,
                  clsp_nearest_find(p->search, &q, &opts, clsp_out_nearest_f64(found, 4), NULL));
        assert_true(isnan(sides[3]) && isnan(sides[15]));
        assert_true(fabs(sides[7] - 1) < 1e-9 && fabs(sides[11] - sqrt(3)) < 1e-9);
        part_free(&p);
    }
}

/* One patch alone of a closed part is open. */
static void test_one_patch(void **state)
{
    static const double query[3] = {-0.5, -0.5, -0.5};
    static const uint32_t patch = 0;
    cubes c = {.set = 1, .slope = {0, 0, 1}};
    part *p = make_cubes(&c, -1);
    clsp_nearest_f64 found;
    double side[4];
    const clsp_output to = clsp_out_f64(side, 4);
    const clsp_nearest_opts opts = {.normals = &to};
    clsp_nearest_queries q = {.num = 1, .points = clsp_in_f64(query, 3)};

    (void)state;
    assert_ok(p->ctx,
              clsp_nearest_find(p->search, &q, &opts, clsp_out_nearest_f64(&found, 1), NULL));
    assert_true(fabs(side[3] - sqrt(0.75)) < 1e-12);
    q.patches = clsp_in_u32(&patch, 1);
    assert_ok(p->ctx,
              clsp_nearest_find(p->search, &q, &opts, clsp_out_nearest_f64(&found, 1), NULL));
    assert_true(isnan(side[3]) && !isnan(side[0]));
    part_free(&p);
}

/* What is nearest to an edge of no face, to a curve or to a face without area has no side, nor has
   what is too far away; all else has, within a limit of distances too. */
static void test_no_side(void **state)
{
    static const double queries[15] = {3, 0.25, 0.5, 5.5, 0.5, 0,   1e200, 0,
                                       0, -1,   -1,  -1,  8,   0.5, 0.5};
    static const double corner[3] = {8, 0, 0}, u[3] = {1, 0, 0}, v[3] = {0, 1, 0};
    static const double a[3] = {3, 0, 0}, b[3] = {3, 1, 0}, line[6] = {5, 0, 0, 5, 1, 0};
    const clsp_bspline_desc desc = {
        .directions = 1, .precision = CLSP_F64, .degree = {1}, .num_controls = {2}};
    cubes c = {.set = 1, .slope = {0, 0, 1}};
    part *p = make_cubes(&c, -1);
    clsp_nearest_f64 found[5];
    double sides[20];
    const clsp_output to = clsp_out_f64(sides, 20);
    clsp_nearest_opts opts = {.normals = &to};
    const clsp_nearest_queries q = {.num = 5, .points = clsp_in_f64(queries, 15)};

    (void)state;
    part_straight_edge(p, a, b);
    part_plane(p, corner, u, v);
    part_loop(p);
    part_line(p, 0.25, 0.5, 0.75, 0.5, NO_EDGE);
    part_line(p, 0.75, 0.5, 0.25, 0.5, NO_EDGE);
    assert_ok(p->ctx, clsp_bspline_plan_create(&p->plans[p->num_faces], p->ctx, &desc));
    assert_ok(p->ctx,
              clsp_patch_set_control_points(p->plans[p->num_faces], 1, clsp_in_f64(line, 6), NULL));
    p->loop[p->num_faces + 1] = p->loop[p->num_faces];
    const clsp_trims trims = part_trims(p);
    clsp_nearest_destroy(&p->search);
    assert_ok(p->ctx, clsp_nearest_create(&p->search, p->plans, p->num_faces + 1, &trims, NULL));
    assert_ok(p->ctx,
              clsp_nearest_find(p->search, &q, &opts, clsp_out_nearest_f64(found, 5), NULL));
    for (int i = 0; i < 5; i += i == 2 ? 2 : 1)
        assert_true(found[i].status == CLSP_NEAREST_FOUND && isnan(sides[4 * i + 3]));
    assert_true(found[0].patch == UINT32_MAX && found[1].patch == p->num_faces);
    assert_true(fabs(sides[15] - sqrt(3)) < 1e-12);
    opts.max_dist = 1;
    assert_ok(p->ctx,
              clsp_nearest_find(p->search, &q, &opts, clsp_out_nearest_f64(found, 5), NULL));
    assert_true(isnan(sides[15]) && found[3].status == CLSP_NEAREST_NONE);
    opts.max_dist = 2;
    assert_ok(p->ctx,
              clsp_nearest_find(p->search, &q, &opts, clsp_out_nearest_f64(found, 5), NULL));
    assert_true(fabs(sides[15] - sqrt(3)) < 1e-12);
    clsp_patch_plan_destroy(&p->plans[p->num_faces]);
    part_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes),     cmocka_unit_test(test_sharp),
        cmocka_unit_test(test_tube),      cmocka_unit_test(test_open),
        cmocka_unit_test(test_one_patch), cmocka_unit_test(test_no_side),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
