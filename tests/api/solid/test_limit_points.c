/* Limits at vertices and in the middles of edges, faces and cells, in closed form, against the
   weights by which classes of cells have them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "solid_fixture.h"

/* Checks the vertices of every `every`th cell of a case, and the middles of its edges, faces and of
   itself, which the children of the cell have as their corners. */
static void check_case(const char *name, const solid_case *solid, size_t every)
{
    clsp_solid_mesh *mesh = solid_mesh_of(solid), *fine;
    const clsp_solid_desc desc = {.axis = {{2, 0, 1, NULL}, {2, 0, 1, NULL}, {2, 0, 1, NULL}}};
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
                                      clsp_out_f64(vertices, num), NULL));
    assert_ok(ctx,
              clsp_solid_limit_points(mesh, CLSP_SOLID_MIDDLES, 3, clsp_in_f64(solid->point, num),
                                      clsp_out_f64(limits, num_fine), NULL));
    for (size_t i = 0; i < num; i++) {
        scale = fmax(scale, fabs(solid->point[i]));
        worst = support_worse(worst, fabs(vertices[i] - limits[i]));
    }
    for (size_t c = 0; c < solid->num_cells; c += every)
        for (size_t i = 0; i < 64; i++) {
            clsp_solid_param param = {.cell = c}; /* i / 8 is the child by bits */
            for (size_t a = 0; a < 3; a++)
                param.t[a] = (double)((i / 8 >> a & 1) + (vtk_corner[i % 8] >> a & 1)) / 2.0;
            worst = support_worse(worst, off_by_weights(plan, &param, solid->point,
                                                        limits + 3 * (size_t)index[64 * c + i]));
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
    (void)state;
    for (size_t i = 0; i < MACHINE_PARTS && !support_tiny(); i++) {
        solid_case solid = read_machine_part(machine_parts[i]);
        solid_crease(&solid, 0.6);
        check_case(machine_parts[i], &solid, i ? 97 : 23);
        solid_free(&solid);
    }
}

/* Four tetrahedra around a point: limits are those of the refined mesh. */
static void test_tetrahedra(void **state)
{
    static const uint32_t index[] = {0, 1, 2, 4, 1, 3, 2, 4, 0, 2, 3, 4, 0, 3, 1, 4};
    static const uint8_t kinds[] = {CLSP_SOLID_TETRAHEDRON, CLSP_SOLID_TETRAHEDRON,
                                    CLSP_SOLID_TETRAHEDRON, CLSP_SOLID_TETRAHEDRON};
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
                                           clsp_out_f64(again, num), NULL));
    assert_ok(ctx, clsp_solid_limit_points(mesh, CLSP_SOLID_MIDDLES, 3, clsp_in_f64(points, 15),
                                           clsp_out_f64(all, num), NULL));
    assert_ok(ctx, clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 3, clsp_in_f64(points, 15),
                                           clsp_out_f64(vertices, 15), NULL));
    assert_memory_equal(again, all, num * sizeof(double));
    assert_memory_equal(vertices, all, sizeof vertices);
    clsp_solid_mesh_destroy(&mesh);
    clsp_solid_mesh_destroy(&fine);
}

static void test_bad(void **state)
{
    solid_case box = solid_box(1, 1, 1);
    clsp_solid_mesh *mesh = solid_mesh_of(&box);
    float points[24] = {0}, limits[81];

    (void)state;
    assert_status(ctx,
                  clsp_solid_limit_points(NULL, CLSP_SOLID_VERTICES, 3, clsp_in_f32(points, 24),
                                          clsp_out_f32(limits, 81), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_limit_points(mesh, (clsp_solid_places)3, 3, clsp_in_f32(points, 24),
                                          clsp_out_f32(limits, 81), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 17, clsp_in_f32(points, 24),
                                          clsp_out_f32(limits, 81), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 3, clsp_in_f32(points, 23),
                                          clsp_out_f32(limits, 81), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx,
                  clsp_solid_limit_points(mesh, CLSP_SOLID_MIDDLES, 3, clsp_in_f32(points, 24),
                                          clsp_out_f32(limits, 80), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_ok(ctx, clsp_solid_limit_points(mesh, CLSP_SOLID_MIDDLES, 3, clsp_in_f32(points, 24),
                                           clsp_out_f32(limits, 81), NULL));
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

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, solid_open, solid_close);
}
