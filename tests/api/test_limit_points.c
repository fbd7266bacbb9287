/* Limits at vertices and in the middles of edges, faces and cells, in closed form, against the
   weights by which classes of cells have them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <clspline/clspline.h>

#include "memory_fixture.h"
#include "solid_cases.h"
#include "../support.h"

enum { MOST = 4096 };

static clsp_context *ctx;

/* Corners of a cell in VTK's order. */
static const double corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

static clsp_solid_mesh *mesh_of(const solid_case *solid)
{
    const clsp_solid_cells cells = {.num_vertices = solid->num_points,
                                    .num_cells = solid->num_cells,
                                    .index = solid->cell,
                                    .num_indices = 8 * solid->num_cells,
                                    .crease = solid->crease,
                                    .num_creases = solid->num_creases};
    clsp_solid_mesh *mesh;

    assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells));
    return mesh;
}

/* Returns the distance of a limit from the sum by weights at a parameter of a cell. */
static double compare(clsp_solid_plan *plan, size_t cell, const double t[3], const double *points,
                      const double limit[3])
{
    static uint32_t vertices[MOST];
    static double weights[MOST];
    const clsp_solid_param param = {.cell = cell, .t = {t[0], t[1], t[2]}};
    size_t num = MOST;
    double worst = 0.0;

    assert_ok(ctx, clsp_solid_weights(plan, &param, vertices, weights, &num));
    for (size_t k = 0; k < 3; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < num; i++)
            sum += weights[i] * points[3 * (size_t)vertices[i] + k];
        worst = fmax(worst, fabs(sum - limit[k]));
    }
    return worst;
}

/* Checks the vertices of every `every`th cell of a case, and the middles of its edges, faces and of
   itself, which the children of the cell have as their corners. */
static void check_case(const char *name, const solid_case *solid, size_t every)
{
    clsp_solid_mesh *mesh = mesh_of(solid), *fine;
    const clsp_solid_desc desc = {.axis = {{2, 0, 1}, {2, 0, 1}, {2, 0, 1}}};
    clsp_solid_plan *plan;
    clsp_solid_counts counts;
    double worst = 0.0, scale = 0.0;

    assert_ok(ctx, clsp_solid_plan_create(&plan, mesh, &desc));
    assert_ok(ctx, clsp_solid_mesh_refine(&fine, mesh));
    assert_ok(ctx, clsp_solid_mesh_counts(fine, &counts));
    const size_t num = 3 * solid->num_points, num_fine = 3 * counts.num_vertices;
    double *const limits = malloc(num_fine * sizeof *limits);
    double *const vertices = malloc(num * sizeof *vertices);
    uint32_t *const index = malloc(counts.num_indices * sizeof *index);
    assert_ok(ctx, clsp_solid_mesh_cells(fine, clsp_out_u32(index, counts.num_indices)));
    assert_ok(ctx,
              clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 3, clsp_in_f64(solid->point, num),
                                      clsp_out_f64(vertices, num)));
    assert_ok(ctx,
              clsp_solid_limit_points(mesh, CLSP_SOLID_MIDDLES, 3, clsp_in_f64(solid->point, num),
                                      clsp_out_f64(limits, num_fine)));
    for (size_t i = 0; i < num; i++) {
        scale = fmax(scale, fabs(solid->point[i]));
        worst = fmax(worst, fabs(vertices[i] - limits[i]));
    }
    for (size_t c = 0; c < solid->num_cells; c += every)
        for (size_t i = 0; i < 64; i++) {
            const size_t child = i / 8 ^ (i / 16 & 1); /* by bits; places in VTK's order */
            double t[3];
            for (size_t a = 0; a < 3; a++)
                t[a] = (corners[child][a] + corners[i % 8][a]) / 2.0;
            worst = fmax(worst,
                         compare(plan, c, t, solid->point, limits + 3 * (size_t)index[64 * c + i]));
        }
    print_message("%s: %.2g / 1e-12 of scale\n", name, worst / scale);
    assert_true(worst <= 1e-12 * scale);
    free(limits);
    free(vertices);
    free(index);
    clsp_solid_plan_destroy(&plan);
    clsp_solid_mesh_destroy(&mesh);
    clsp_solid_mesh_destroy(&fine);
}

static void test_prisms(void **state)
{
    (void)state;
    for (uint32_t sectors = 1; sectors < 9; sectors++)
        for (int closed = 0; closed < 2; closed++) {
            if (closed ? sectors < 3 : sectors > 5) continue;
            solid_case prism = solid_prism(sectors, closed, 2);
            if (sectors % 2) solid_crease(&prism, 0.5);
            solid_jitter(&prism, 0.15, sectors);
            check_case("prism", &prism, 1);
            solid_free(&prism);
        }
}

/* Creases that end within the boundary. */
static void test_darts(void **state)
{
    solid_case box = solid_box(3, 3, 2);
    uint32_t crease[2][2] = {{0, 1}, {5, 6}};

    (void)state;
    solid_jitter(&box, 0.2, 7);
    free(box.crease);
    box.crease = malloc(sizeof crease);
    assert_non_null(box.crease);
    for (size_t i = 0; i < 4; i++)
        box.crease[i] = crease[i / 2][i % 2];
    box.num_creases = 2;
    check_case("darts", &box, 1);
    solid_free(&box);
}

static void test_models(void **state)
{
    static const char *const names[] = {"rod.vtk", "mount1.vtk"};

    (void)state;
    for (size_t i = 0; i < 2 && !support_tiny(); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", DATA_FOLDER, names[i]);
        solid_case solid = solid_read_vtk(path);
        assert_int_not_equal(solid.num_cells, 0);
        solid_crease(&solid, 0.6);
        check_case(names[i], &solid, i ? 97 : 23);
        solid_free(&solid);
    }
}

/* Four tetrahedra around a point: limits are those of the refined mesh. */
static void test_tetrahedra(void **state)
{
    static const uint32_t index[] = {0, 1, 2, 4, 1, 3, 2, 4, 0, 2, 3, 4, 0, 3, 1, 4};
    static const uint8_t kinds[] = {CLSP_TETRAHEDRON, CLSP_TETRAHEDRON, CLSP_TETRAHEDRON,
                                    CLSP_TETRAHEDRON};
    static const double points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, 0.3, 0.25};
    const clsp_solid_cells cells = {
        .num_vertices = 5, .num_cells = 4, .kinds = kinds, .index = index, .num_indices = 16};
    clsp_solid_mesh *mesh, *fine;
    clsp_solid_counts counts;
    double refined[3 * 128], again[3 * 128], all[3 * 128], vertices[15];

    (void)state;
    assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells));
    assert_ok(ctx, clsp_solid_mesh_refine(&fine, mesh));
    assert_ok(ctx, clsp_solid_mesh_counts(fine, &counts));
    const size_t num = 3 * counts.num_vertices;
    assert_true(num <= 3 * 128);
    assert_ok(ctx, clsp_solid_refine_points(mesh, CLSP_SOLID_TENSOR, 3, clsp_in_f64(points, 15),
                                            clsp_out_f64(refined, num), NULL));
    assert_ok(ctx, clsp_solid_limit_points(fine, CLSP_SOLID_VERTICES, 3, clsp_in_f64(refined, num),
                                           clsp_out_f64(again, num)));
    assert_ok(ctx, clsp_solid_limit_points(mesh, CLSP_SOLID_MIDDLES, 3, clsp_in_f64(points, 15),
                                           clsp_out_f64(all, num)));
    assert_ok(ctx, clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 3, clsp_in_f64(points, 15),
                                           clsp_out_f64(vertices, 15)));
    assert_memory_equal(again, all, num * sizeof(double));
    assert_memory_equal(vertices, all, sizeof vertices);
    clsp_solid_mesh_destroy(&mesh);
    clsp_solid_mesh_destroy(&fine);
}

static void test_bad(void **state)
{
    solid_case box = solid_box(1, 1, 1);
    clsp_solid_mesh *mesh = mesh_of(&box);
    float points[24] = {0}, limits[81];

    (void)state;
    assert_status(ctx,
                  clsp_solid_limit_points(NULL, CLSP_SOLID_VERTICES, 3, clsp_in_f32(points, 24),
                                          clsp_out_f32(limits, 81)),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_limit_points(mesh, (clsp_solid_places)2, 3, clsp_in_f32(points, 24),
                                          clsp_out_f32(limits, 81)),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 17, clsp_in_f32(points, 24),
                                          clsp_out_f32(limits, 81)),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 3, clsp_in_f32(points, 23),
                                          clsp_out_f32(limits, 81)),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx,
                  clsp_solid_limit_points(mesh, CLSP_SOLID_MIDDLES, 3, clsp_in_f32(points, 24),
                                          clsp_out_f32(limits, 80)),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_ok(ctx, clsp_solid_limit_points(mesh, CLSP_SOLID_MIDDLES, 3, clsp_in_f32(points, 24),
                                           clsp_out_f32(limits, 81)));
    clsp_solid_mesh_destroy(&mesh);
    solid_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prisms), cmocka_unit_test(test_darts),
        cmocka_unit_test(test_models), cmocka_unit_test(test_tetrahedra),
        cmocka_unit_test(test_bad),
    };
    int failed;

    if (support_no_device()) return support_no_device();
    if (clsp_context_create(&ctx, NULL, NULL) != CLSP_OK) return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    clsp_context_destroy(&ctx);
    return failed;
}
