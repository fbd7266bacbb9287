/* Normals on edges by derivatives at a point: those of points a little inwards, where tangents
   vanish or are parallel too; and (0, 0, 0) where all that there is may be rounding. Normals of
   grids of patches with a collapsed edge, whichever rows and patches are made at once. */
#include "../support.h"

#include "bernstein.h"
#include "limit_normal.h"
#include "vertex_tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { U = 1, V = 2, UU = 4, UV = 5, VV = 6 };

static const double eps = 0x1p-52;

/* How the tangents of a case are. */
typedef enum kind { SPANNING, COLLAPSED_U, COLLAPSED_V, PARALLEL, ALONG_AXES, KINDS } kind;

/* Derivatives of a surface, and of its weight where it is rational. */
typedef struct surface {
    double x[SUM_KINDS][3], weight[SUM_KINDS];
} surface;

static uint64_t seed;

static double random_in(double most)
{
    return most * support_uniform(&seed);
}

static surface make_surface(kind k)
{
    static const double turn[] = {1, -3, 0.01, -200};
    surface s = {.weight = {1.5}};

    for (int i = 1; i < SUM_KINDS; i++) {
        s.weight[i] = random_in(seed / 3 % 2 ? 1 : 300);
        for (int c = 0; c < 3; c++)
            s.x[i][c] = random_in(2);
    }
    for (int c = 0; c < 3; c++) {
        if (k == COLLAPSED_U) s.x[U][c] = 0;
        if (k == COLLAPSED_V) s.x[V][c] = 0;
        if (k == PARALLEL) s.x[V][c] = turn[seed / 7 % 4] * s.x[U][c];
        if (k == ALONG_AXES) s.x[U][c] = s.x[V][c] = 0;
    }
    if (k == ALONG_AXES) {
        const unsigned axis = (unsigned)(seed / 5 % 3);
        s.x[U][axis] = random_in(1) < 0 ? -1e-3 : 40;
        s.x[V][(axis + 1) % 3] = random_in(1) < 0 ? -7 : 1e3;
    }
    return s;
}

/* Makes the sums of a point of the surface, relative to the point, where `far` is the largest
   coordinate of terms. */
static void put_jet(const surface *s, bool rational, double far, size_t p, clspi_point_jet *jet)
{
    const double w = rational ? s->weight[0] : 1;

    memset(jet, 0, sizeof *jet);
    jet->sum[0].x[3][p] = w;
    for (int k = U; k < SUM_KINDS; k++) {
        clspi_point_sum *const d = &jet->sum[k];
        for (int c = 0; c < 3; c++) {
            double x = w * s->x[k][c];
            if (rational && (k == UU || k == VV))
                x += 2 * s->weight[k == UU ? U : V] * s->x[k == UU ? U : V][c];
            if (rational && k == UV) x += s->weight[U] * s->x[V][c] + s->weight[V] * s->x[U][c];
            d->x[c][p] = x;
        }
        if (rational) d->x[3][p] = s->weight[k];
        d->size[p] = far;
        d->weight[p] = rational ? fabs(s->weight[k]) : 0;
    }
}

/* Makes the normal a little inwards; false: it is not well known. */
static bool make_expected(const surface *s, const double inward[2], double n[3])
{
    double u[3], v[3];

    for (int c = 0; c < 3; c++) {
        const double step = 1e-9;
        u[c] = s->x[U][c] + step * (inward[0] * s->x[UU][c] + inward[1] * s->x[UV][c]);
        v[c] = s->x[V][c] + step * (inward[0] * s->x[UV][c] + inward[1] * s->x[VV][c]);
    }
    for (int c = 0; c < 3; c++)
        n[c] = u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3];
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int c = 0; c < 3; c++)
        n[c] /= length;
    return length > 1e-2 * 1e-9;
}

static clspi_point_shape shape_of(bool rational)
{
    return (clspi_point_shape){
        .directions = 2, .degree = {3, 3}, .controls = {4, 4, 1}, .dim = 3, .rational = rational};
}

static void test_limits(void **state)
{
    static const double ways[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {0.5, 0.25}};
    size_t num = 0;

    (void)state;
    seed = 9;
    for (unsigned i = 0; i < 2000; i++) {
        const bool rational = i % 2;
        const surface s = make_surface((kind)(i % KINDS));
        const double *const inward = ways[i % 6];
        const clspi_point_shape shape = shape_of(rational);
        clspi_point_jet jet;
        double expected[3], normal[3];
        if (!make_expected(&s, inward, expected)) continue;
        put_jet(&s, rational, 10, i % CLSPI_POINT_BLOCK, &jet);
        clspi_edge_normal(&shape, &jet, i % CLSPI_POINT_BLOCK, inward, eps, normal);
        for (int c = 0; c < 3; c++)
            if (!(fabs(normal[c] - expected[c]) < 1e-4))
                fail_msg("case %u: (%g, %g, %g), not (%g, %g, %g)", i, normal[0], normal[1],
                         normal[2], expected[0], expected[1], expected[2]);
        num++;
    }
    assert_true(num > 1500);
}

static void test_lost(void **state)
{
    (void)state;
    seed = 4;
    for (unsigned i = 0; i < 400; i++) {
        const bool rational = i % 2;
        surface s = make_surface((kind)(i % KINDS));
        const clspi_point_shape shape = shape_of(rational);
        const double inward[2] = {1, i % 3 ? 0 : 1};
        clspi_point_jet jet;
        double normal[3];
        for (int k = U; k < SUM_KINDS && i % 4 < 2; k++) /* all is of the size of rounding */
            for (int c = 0; c < 3; c++)
                s.x[k][c] *= 0.5 * eps;
        for (int k = UU; k < SUM_KINDS && i % 4 >= 2; k++) /* or in one direction */
            for (int c = 0; c < 3; c++) {
                s.x[V][c] = 2 * s.x[U][c];
                s.x[k][c] = -3 * s.x[U][c];
            }
        put_jet(&s, rational, 1e4, 0, &jet);
        clspi_edge_normal(&shape, &jet, 0, inward, eps, normal);
        assert_true(normal[0] == 0 && normal[1] == 0 && normal[2] == 0);
    }
}

/* What is many times what rounding takes is no rounding. */
static void test_small(void **state)
{
    const clspi_point_shape shape = shape_of(false);
    const double inward[2] = {1, 0};
    surface s = {.weight = {1}};
    clspi_point_jet jet;
    double normal[3];

    (void)state;
    s.x[U][0] = 1;
    s.x[UV][1] = 1e-9;
    put_jet(&s, false, 10, 2, &jet);
    clspi_edge_normal(&shape, &jet, 2, inward, eps, normal);
    assert_true(fabs(normal[2] - 1) < 1e-12 && fabs(normal[0]) < 1e-6);
    clspi_edge_normal(&shape, &jet, 2, inward, 1e-6, normal); /* of another precision it may be */
    assert_true(normal[0] == 0 && normal[1] == 0 && normal[2] == 0);
}

/* ---- grids ---- */

enum { ORDER = 4, SIDE = 9, STRIDE = 6, GRIDS = 300, REALS = ORDER * ORDER * 3 };
enum { ROW = SIDE * STRIDE, GRID = SIDE * ROW };

static uint32_t make_values(const void *user, uint32_t direction, uint32_t by, uint32_t num,
                            uint32_t sample, double *values)
{
    (void)user;
    (void)direction;
    clspi_bernstein(values, ORDER - 1 - by, sample, num - 1 - sample);
    return 0;
}

static clspi_vertex_tile *make_tile(double begin_v, double end_v)
{
    clspi_vertex_tile_desc desc = {
        .points = {.f64 = true,
                   .directions = 2,
                   .controls = {ORDER, ORDER, 1},
                   .terms = {ORDER, ORDER, 1},
                   .nums = {SIDE, SIDE, 1},
                   .vertex = {.dim = 3, .type = CLSPI_ROW_F64, .stride = STRIDE, .at_weight = -1},
                   .values = make_values},
        .shape = {.dim = 3, .directions = 2, .type = CLSPI_ROW_F64, .stride = STRIDE},
        .num_sums = 3,
        .numbers = {0, 1, 2},
        .by = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
        .axis = {{0, 1}, {begin_v, end_v}},
        .is_bernstein = true,
        .edges = true};

    for (int k = 0; k < ATTRIBUTES; k++)
        desc.shape.at[k] = k == ATTRIBUTE_POINT ? 0 : k == ATTRIBUTE_NORMAL ? 3 : -1;
    return clspi_vertex_tile_create(&desc);
}

/* Makes control points, of which one side is a point, another one of each patch. */
static void make_controls(double (*points)[REALS])
{
    seed = 3;
    for (unsigned p = 0; p < GRIDS; p++) {
        const size_t along = p % 2 ? 3 : ORDER * 3, across = p % 2 ? ORDER * 3 : 3;
        double *const side = points[p] + (p / 2 % 2) * (ORDER - 1) * across;
        for (int i = 0; i < REALS; i++)
            points[p][i] = random_in(1);
        for (size_t k = 1; k < ORDER; k++)
            memcpy(side + k * along, side, 3 * sizeof *side);
    }
}

static void test_grids(void **state)
{
    double(*const points)[REALS] = malloc(GRIDS * sizeof *points);
    double(*const all)[GRID] = malloc(GRIDS * sizeof *all), some[GRID];
    clspi_vertex_tile *tile = make_tile(0, 1);
    clspi_vertex_scratch *scratch = tile ? clspi_vertex_scratch_create(tile) : NULL;

    (void)state;
    assert_true(points && all && scratch);
    make_controls(points);
    const clspi_tile_rows whole = {
        .points = points, .more = GRIDS - 1, .num_rows = SIDE, .out = all};
    clspi_vertex_tile_eval(tile, scratch, &whole);
    for (size_t i = 0; i < GRIDS * SIDE * SIDE; i++) {
        const double *const n = (const double *)all + i * STRIDE + 3;
        assert_true(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-14);
    }
    for (uint32_t p = 0; p < GRIDS; p += 37)
        for (uint32_t first = 0; first < SIDE; first++)
            for (uint32_t num = 1; num <= SIDE - first; num++) {
                const clspi_tile_rows rows = {.points = points[p],
                                              .patch = GRIDS + p,
                                              .first_row = first,
                                              .num_rows = num,
                                              .out = some};
                clspi_vertex_scratch_forget(scratch);
                clspi_vertex_tile_eval(tile, scratch, &rows);
                assert_memory_equal(some, all[p] + first * ROW, num * ROW * sizeof *some);
            }
    clspi_vertex_scratch_destroy(&scratch);
    clspi_vertex_tile_destroy(&tile);
    free(points);
    free(all);
}

/* Sides of a grid that are no edges of its patches have no limits. */
static void test_sides(void **state)
{
    double points[GRIDS][REALS], made[GRID];
    clspi_vertex_tile *tile = make_tile(0.25, 0.75);
    clspi_vertex_scratch *scratch = tile ? clspi_vertex_scratch_create(tile) : NULL;

    (void)state;
    assert_true(scratch);
    make_controls(points);
    for (uint32_t p = 0; p < 4; p++) {
        const clspi_tile_rows rows = {
            .points = points[p], .patch = p, .num_rows = SIDE, .out = made};
        const size_t side = p / 2 * (SIDE - 1) * (p % 2 ? SIDE : 1);
        clspi_vertex_scratch_forget(scratch);
        clspi_vertex_tile_eval(tile, scratch, &rows);
        for (size_t k = 1; k + 1 < SIDE; k++) { /* corners are of two sides */
            const double *const n = made + (side + k * (p % 2 ? 1 : SIDE)) * STRIDE + 3;
            const bool lost = n[0] == 0 && n[1] == 0 && n[2] == 0;
            assert_true(lost == (p % 2 == 0));
        }
    }
    clspi_vertex_scratch_destroy(&scratch);
    clspi_vertex_tile_destroy(&tile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits), cmocka_unit_test(test_lost),
                                       cmocka_unit_test(test_small), cmocka_unit_test(test_grids),
                                       cmocka_unit_test(test_sides)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
