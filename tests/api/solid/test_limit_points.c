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

/* ---- creases that fade ---- */

static const float faded[5] = {0.5f, 1.0f, 1.7f, 2.3f, 3.0f};

/* A limit that OpenSubdiv 3.5.0 found on the boundary: Catmark, uniform creases, five levels of the
   cubes and four of the prism, and its limit masks, in double. */
typedef struct osd_limit {
    uint32_t vertex;
    double x[3];
} osd_limit;

/* Refines a mesh until its creases have faded, and its points. */
static clsp_solid_mesh *fade(clsp_solid_mesh *mesh, double **points)
{
    clsp_solid_counts counts, more;

    assert_ok(ctx, clsp_solid_mesh_counts(mesh, &counts));
    assert_true(counts.fading_steps > 0);
    while (counts.fading_steps > 0) {
        clsp_solid_mesh *fine;
        assert_ok(ctx, clsp_solid_mesh_refine(&fine, mesh));
        assert_ok(ctx, clsp_solid_mesh_counts(fine, &more));
        double *const next = malloc(3 * more.num_vertices * sizeof *next);
        assert_non_null(next);
        assert_ok(ctx, clsp_solid_refine_points(mesh, CLSP_SOLID_TENSOR, 3,
                                                clsp_in_f64(*points, 3 * counts.num_vertices),
                                                clsp_out_f64(next, 3 * more.num_vertices), NULL));
        free(*points);
        *points = next;
        clsp_solid_mesh_destroy(&mesh);
        mesh = fine;
        counts = more;
    }
    return mesh;
}

/* Compares limits at vertices, which keep their numbers in refined meshes. */
static void check_faded(const solid_case *solid, const float *sharpness, const osd_limit *wanted,
                        size_t num)
{
    const clsp_solid_cells cells = {.num_vertices = solid->num_points,
                                    .num_cells = solid->num_cells,
                                    .index = solid->cell,
                                    .num_indices = 8 * solid->num_cells,
                                    .crease = solid->crease,
                                    .num_creases = solid->num_creases,
                                    .sharpness = sharpness};
    double *points = malloc(3 * solid->num_points * sizeof *points), worst = 0.0, scale = 0.0;
    clsp_solid_mesh *mesh;
    clsp_solid_counts counts;

    assert_non_null(points);
    for (size_t i = 0; i < 3 * solid->num_points; i++) {
        points[i] = solid->point[i];
        scale = fmax(scale, fabs(points[i]));
    }
    assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells));
    mesh = fade(mesh, &points);
    assert_ok(ctx, clsp_solid_mesh_counts(mesh, &counts));
    const size_t reals = 3 * counts.num_vertices;
    double *const limits = malloc(reals * sizeof *limits);
    assert_non_null(limits);
    assert_ok(ctx, clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 3, clsp_in_f64(points, reals),
                                           clsp_out_f64(limits, reals), NULL));
    for (size_t i = 0; i < 3 * num; i++)
        worst = support_worse(
            worst, fabs(limits[3 * (size_t)wanted[i / 3].vertex + i % 3] - wanted[i / 3].x[i % 3]));
    print_message("%.2g / 1e-14 of scale\n", worst / scale);
    assert_true(worst <= 1e-14 * scale);
    free(points);
    free(limits);
    clsp_solid_mesh_destroy(&mesh);
}

/* All edges of a cube; three of one of its vertices; edges of a prism around five. */
static void test_faded(void **state)
{
    static const osd_limit of_vertex[] = {
        {0, {0.07341579604824934, 0.13553737995055226, 0.14367540031822429}},
        {1, {0.75, 0.23958333333333326, 0.23958333333333326}},
        {2, {0.22420428206937176, 0.74858217582934428, 0.22420428206937176}},
        {4, {0.21942214023919748, 0.21942214023919748, 0.74653380594135799}},
        {7, {0.74999999999999989, 0.75, 0.74999999999999989}}};
    static const osd_limit of_cube[] = {
        {0, {0.053125001490116106, 0.053125001490116119, 0.053125001490116106}},
        {7, {0.94687499850988377, 0.94687499850988366, 0.94687499850988377}}};
    static const osd_limit of_prism[] = {
        {0, {0.032405025959014878, -0.052726823806762704, 0.021519773483276362}},
        {1, {1.0720488083819404, -0.0046611981259454009, -0.029608694050047131}},
        {2, {1.9685895693261313, 0.013269226381009018, 0.064874111271551516}},
        {4, {0.65031413373195046, 1.9180545336217867, 0.034875772960761879}},
        {13, {2.1315021124196987, 0.97352021756081752, 0.057937859923809974}},
        {14, {2.3252031757206528, 1.7027457034188282, 0.19447160348954767}},
        {33, {2.0715867950393458, 0.0072790019007996729, 0.97715715617062715}},
        {44, {2.3243295007990037, 0.92864501588094084, 0.9771787891785304}},
        {47, {-1.2656273402154012, 2.1239995266111533, 0.95789949165450217}}};
    uint32_t corner[3][2] = {{0, 1}, {0, 2}, {0, 4}};
    const float mixed[3] = {faded[0], faded[2], faded[4]};
    float all[64];
    solid_case cube = solid_box(1, 1, 1), prism = solid_prism(5, 1, 2);
    solid_case vertex = cube;

    (void)state;
    vertex.crease = corner[0];
    vertex.num_creases = 3;
    check_faded(&vertex, mixed, of_vertex, sizeof of_vertex / sizeof *of_vertex);
    solid_crease(&cube, 0.5);
    for (size_t i = 0; i < 12; i++)
        all[i] = faded[3];
    check_faded(&cube, all, of_cube, sizeof of_cube / sizeof *of_cube);
    solid_jitter(&prism, 0.1, 5);
    solid_crease(&prism, 0.6);
    assert_true(prism.num_creases == 57);
    for (size_t i = 0; i < prism.num_creases; i++)
        all[i] = faded[(7 * i + i / 3) % 5];
    check_faded(&prism, all, of_prism, sizeof of_prism / sizeof *of_prism);
    solid_free(&cube);
    solid_free(&prism);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prisms),     cmocka_unit_test(test_darts),
        cmocka_unit_test(test_faded),      cmocka_unit_test(test_models),
        cmocka_unit_test(test_tetrahedra), cmocka_unit_test(test_bad),
    };

    support_begin();
    return cmocka_run_group_tests(tests, solid_open, solid_close);
}
