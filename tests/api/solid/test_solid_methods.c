/* Solids by every method against the default one, of refined meshes against those before, and the
   classes of cells. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "solid_fixture.h"

/* Makes the refined mesh of a model with three dim, and its points. */
static model refined_model(const model *m)
{
    model fine = {.dim = 3, .scale = m->scale};

    assert_ok(ctx, clsp_solid_mesh_refine(&fine.mesh, m->mesh));
    assert_ok(ctx, clsp_solid_mesh_counts(fine.mesh, &fine.counts));
    assert_int_equal(fine.counts.num_cells, 8 * m->counts.num_cells);
    fine.points = malloc(3 * fine.counts.num_vertices * sizeof *fine.points);
    fine.corner = malloc(8 * fine.counts.num_cells * sizeof *fine.corner);
    assert_ok(ctx, clsp_solid_refine_points(m->mesh, CLSP_SOLID_TENSOR, 3,
                                            clsp_in_f64(m->points, 3 * m->counts.num_vertices),
                                            clsp_out_f64(fine.points, 3 * fine.counts.num_vertices),
                                            NULL));
    assert_ok(ctx, clsp_solid_mesh_cells(fine.mesh,
                                         clsp_out_u32(fine.corner, 8 * fine.counts.num_cells)));
    return fine;
}

/* Points, or a derivative of theirs, by every method against those of cells. */
static void check_methods_of(const model *m, const clsp_axis axis[3], clsp_type precision,
                             uint32_t attribute)
{
    const size_t reals = (size_t)axis[0].num * axis[1].num * axis[2].num * m->dim;
    const size_t num = m->counts.num_cells;
    double *values = NULL;

    for (int method = CLSP_SOLID_CELLS; method <= CLSP_SOLID_HYBRID; method++) {
        const clsp_solid_desc desc = {.precision = precision,
                                      .dim = m->dim,
                                      .axis = {axis[0], axis[1], axis[2]},
                                      .vertex = {.attributes = attribute},
                                      .method = (clsp_solid_method)method};
        clsp_solid_plan *plan = NULL;
        if (clsp_solid_plan_create(&plan, m->mesh, &desc) == CLSP_ERROR_ARGUMENT) {
            assert_true(method >= CLSP_SOLID_GROUP); /* groups are smaller than 32 */
            continue;
        }
        clsp_solid_plan_destroy(&plan);
        plan = solid_plan_of(m, &desc);
        double *const all = solid_eval_all(plan, (clsp_range){0, num}, reals);
        double *const some = solid_eval_all(plan, (clsp_range){num / 3, num / 2}, reals);
        double worst = 0.0, size = m->scale;
        assert_memory_equal(some, all + num / 3 * reals, num / 2 * reals * sizeof *all);
        for (size_t k = 0; k < num * reals && values; k++) {
            size = fmax(size, fabs(values[k]));
            worst = support_worse(worst, fabs(all[k] - values[k]));
        }
        if (worst > (precision == CLSP_F64 ? 2e-13 : 1e-6) * size)
            fail_msg("method %d, attribute 0x%x: %.3g of %.3g", method, attribute, worst, size);
        free(some);
        if (values)
            free(all);
        else
            values = all;
        clsp_solid_plan_destroy(&plan);
    }
    free(values);
}

static void check_methods(const model *m, const clsp_axis axis[3], clsp_type precision)
{
    check_methods_of(m, axis, precision, CLSP_VERTEX_POINT);
    check_methods_of(m, axis, precision, CLSP_VERTEX_DV);
}

/* Few samples, of which GPUs make those of several cells together, in grids of all shapes. */
static void check_few_samples(const model *m)
{
    static const uint32_t grids[][3] = {{3, 5, 4},  {4, 4, 4},  {9, 2, 3},  {2, 11, 2},
                                        {16, 2, 2}, {2, 16, 2}, {2, 2, 16}, {64, 1, 1},
                                        {1, 64, 1}, {1, 1, 64}, {1, 1, 1}};

    for (size_t g = 0; g < sizeof grids / sizeof *grids; g += support_tiny() ? 10 : 1) {
        const clsp_axis axis[3] = {
            {grids[g][0], 0, 1, NULL}, {grids[g][1], 0, 1, NULL}, {grids[g][2], 0, 1, NULL}};
        check_methods(m, axis, CLSP_F32);
    }
}

/* Of a prism, a box, and the refined prism, not all children of whose cells are regular. */
static void test_methods(void **state)
{
    solid_case prism = solid_prism(5, 1, 3), box = solid_box(2, 2, 3);
    const clsp_device_info device = support_device();

    (void)state;
    support_needs_methods();
    model three = solid_model_of(&prism, 3), two = solid_model_of(&box, 2);
    model five = solid_model_of(&prism, 5), fine = refined_model(&three);
    check_methods(&three, inner_axes, CLSP_F32);
    check_methods(&two, axes_of_9, CLSP_F32);
    check_few_samples(&fine);
    if (device.fp64) check_methods(&five, inner_axes, CLSP_F64);
    solid_model_free(&three);
    solid_model_free(&two);
    solid_model_free(&five);
    solid_model_free(&fine);
    solid_free(&prism);
    solid_free(&box);
}

/* The classes of the box of 2 x 2 x 6 cells. */
static void test_classes(void **state)
{
    solid_case box = solid_box(2, 2, 6);
    model m = solid_model_of(&box, 3);
    const clsp_solid_desc desc = {.dim = 3};
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    clsp_solid_class classes[64];
    size_t num, layered = 0, irregular = 0;

    (void)state;
    assert_ok(ctx, clsp_solid_classes(plan, classes, 64, &num));
    assert_true(3 <= num && num <= 64);
    assert_int_equal(classes[0].num_cells, 0);
    for (size_t i = 1; i < num; i++) {
        if (classes[i].kind == CLSP_SOLID_LAYERED) layered += classes[i].num_cells;
        if (classes[i].kind == CLSP_SOLID_IRREGULAR) irregular += classes[i].num_cells;
    }
    assert_int_equal(layered, 16);
    assert_int_equal(irregular, 8);
    uint32_t of[24], counts[64] = {0};
    assert_ok(ctx, clsp_solid_cell_classes(plan, (clsp_range){0, 11}, clsp_out_u32(of, 11)));
    assert_ok(ctx, clsp_solid_cell_classes(plan, (clsp_range){11, 13}, clsp_out_u32(of + 11, 13)));
    for (size_t c = 0; c < 24; c++)
        counts[of[c]]++;
    for (size_t i = 0; i < num; i++)
        assert_int_equal(counts[i], classes[i].num_cells);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&box);
}

/* ---- refined meshes ---- */

/* Limits do not change when a mesh is refined: corners of cells are those of children. */
static void test_refine(void **state)
{
    static const clsp_axis ends[3] = {{2, 0, 1, NULL}, {2, 0, 1, NULL}, {2, 0, 1, NULL}};
    solid_case prism = solid_prism(5, 1, 2);
    solid_jitter(&prism, 0.15, 3);
    model m = solid_model_of(&prism, 3), fine = refined_model(&m);
    const clsp_solid_desc desc = {.axis = {ends[0], ends[1], ends[2]}};

    (void)state;
    for (size_t c = 0; c < m.counts.num_cells; c++)
        for (uint32_t j = 0; j < 8; j++)
            assert_int_equal(fine.corner[64 * c + 8 * j + vtk_corner[j]], m.corner[8 * c + j]);
    clsp_solid_plan *one = solid_plan_of(&m, &desc), *two = solid_plan_of(&fine, &desc);
    double *const a = solid_eval_all(one, (clsp_range){0, m.counts.num_cells}, 24);
    double *const b = solid_eval_all(two, (clsp_range){0, fine.counts.num_cells}, 24);
    for (size_t c = 0; c < m.counts.num_cells; c++)
        for (uint32_t j = 0; j < 8; j++) /* bits of u, v, w are those of a sample, turned around */
            for (uint32_t k = 0; k < 3; k++) {
                const uint32_t s = (j & 1) << 2 | (j & 2) | j >> 2;
                assert_true(fabs(a[(c * 8 + s) * 3 + k] - b[((8 * c + j) * 8 + s) * 3 + k]) <
                            3e-7 * m.scale);
            }
    free(a);
    free(b);
    clsp_solid_plan_destroy(&one);
    clsp_solid_plan_destroy(&two);
    solid_model_free(&m);
    solid_model_free(&fine);
    solid_free(&prism);
}

/* Tetrahedra become hexahedra by a refinement, before which they have no plan. */
static void test_tetrahedra(void **state)
{
    static const uint32_t index[] = {0, 1, 2, 3, 1, 2, 3, 4};
    static const uint8_t kinds[] = {CLSP_SOLID_TETRAHEDRON, CLSP_SOLID_TETRAHEDRON};
    static const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    const clsp_solid_cells cells = {
        .num_vertices = 5, .num_cells = 2, .kinds = kinds, .index = index, .num_indices = 8};
    const clsp_solid_desc desc = {.dim = 3, .axis = {axes_of_4[0], axes_of_4[1], axes_of_4[2]}};
    clsp_solid_mesh *mesh, *fine;
    clsp_solid_plan *plan;
    clsp_solid_counts counts;
    float moved[3 * 64], limits[8 * 64 * 3];

    (void)state;
    assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells));
    assert_ok(ctx, clsp_solid_mesh_counts(mesh, &counts));
    assert_int_equal(counts.is_hexahedral, 0);
    assert_int_equal(counts.num_faces, 7);
    assert_int_equal(counts.num_edges, 9);
    assert_status(ctx, clsp_solid_plan_create(&plan, mesh, &desc), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_mesh_cells(mesh, clsp_out_u32((uint32_t[8]){0}, 8)),
                  CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_solid_mesh_refine(&fine, mesh));
    assert_ok(ctx, clsp_solid_mesh_counts(fine, &counts));
    assert_int_equal(counts.num_cells, 8);
    assert_int_equal(counts.num_vertices, 5 + 9 + 7 + 2);
    assert_ok(ctx, clsp_solid_refine_points(mesh, CLSP_SOLID_TENSOR, 3, clsp_in_f32(points, 15),
                                            clsp_out_f32(moved, 3 * 23), NULL));
    assert_ok(ctx, clsp_solid_plan_create(&plan, fine, &desc));
    clsp_solid_mesh_destroy(&mesh);
    clsp_solid_mesh_destroy(&fine);
    assert_ok(ctx, clsp_solid_set_control_points(plan, clsp_in_f32(moved, 3 * 23), NULL));
    assert_ok(ctx,
              clsp_solid_eval(plan, (clsp_range){0, 8}, clsp_out_f32(limits, 8 * 64 * 3), NULL));
    for (size_t i = 0; i < 8 * 64 * 3; i++)
        assert_true(limits[i] >= 0.0f && limits[i] <= 1.0f);
    clsp_solid_plan_destroy(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_refine),
        cmocka_unit_test(test_tetrahedra),
    };

    support_begin();
    return solid_run_tests(tests);
}
