/* Solids by lattices against those by classes: meshes of all kinds of edges and vertices, and
   samples wherever lattices can have them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solid_fixture.h"
#include "unlike_fixture.h"

/* ---- plans ---- */

static size_t reals_of(const clsp_solid_desc *desc)
{
    return (size_t)desc->axis[0].num * desc->axis[1].num * desc->axis[2].num * desc->dim;
}

/* Evaluates all cells by a method, and checks that some of them are the same bits. */
static double *eval_by(const model *m, const clsp_solid_desc *given, clsp_solid_method method)
{
    clsp_solid_desc desc = *given, told;
    const size_t num = m->counts.num_cells, reals = reals_of(&desc);

    desc.method = method;
    clsp_solid_plan *plan = solid_plan_of(m, &desc);
    assert_ok(ctx, clsp_solid_plan_desc(plan, &told));
    assert_int_equal(told.method, method);
    double *const all = solid_eval_all(plan, (clsp_range){0, num}, reals);
    double *const some = solid_eval_all(plan, (clsp_range){num / 3, num / 2}, reals);
    assert_memory_equal(some, all + num / 3 * reals, num / 2 * reals * sizeof *all);
    free(some);
    clsp_solid_plan_destroy(&plan);
    return all;
}

/* Checks points of a precision against those of classes, in double where the device has it. */
static void check_samples(const model *m, const clsp_axis axis[3], clsp_type precision)
{
    const clsp_type best = support_device().fp64 ? CLSP_F64 : CLSP_F32;
    clsp_solid_desc desc = {.precision = best, .dim = m->dim, .axis = {axis[0], axis[1], axis[2]}};
    double *const wanted = eval_by(m, &desc, CLSP_SOLID_CELLS);
    double worst = 0.0;

    desc.precision = precision;
    double *const made = eval_by(m, &desc, CLSP_SOLID_LATTICES);
    for (size_t i = 0; i < m->counts.num_cells * reals_of(&desc); i++)
        worst = support_worse(worst, fabs(made[i] - wanted[i]));
    if (worst > (precision == CLSP_F64 ? 1e-13 : best == CLSP_F64 ? 1.5e-7 : 3e-7) * m->scale)
        fail_msg("%u x %u x %u samples: %.3g of scale", axis[0].num, axis[1].num, axis[2].num,
                 worst / m->scale);
    free(wanted);
    free(made);
}

/* Checks all grids of points of three coordinates, and one grid of others: each is programs of its
   own. */
static void check_all(const model *m)
{
    static const double own[] = {0.125, 0.3, 1, 0, 0.875};
    static const clsp_axis grids[][3] = {
        {{4, 0, 1, NULL}, {4, 0, 1, NULL}, {4, 0, 1, NULL}},
        {{1, 0, 1, NULL}, {2, 0, 1, NULL}, {3, 0, 1, NULL}},
        {{5, 0, 0, own}, {9, 0, 1, NULL}, {3, 0.25, 0.75, NULL}},
        {{2, 0, 1, NULL}, {2, 0, 1, NULL}, {2, 0, 1, NULL}},
        {{5, 1, 0, NULL}, {7, 0, 1, NULL}, {5, 0, 0, own}},
    };
    const bool has_double = support_device().fp64;

    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        if (m->dim != 3 && g != 1) continue;
        check_samples(m, grids[g], CLSP_F32);
        if (has_double) check_samples(m, grids[g], CLSP_F64);
    }
}

/* ---- meshes ---- */

/* Irregular edges with smooth and creased boundaries. */
static void test_prisms(void **state)
{
    (void)state;
    unlike_prisms(check_all, support_tiny() ? 2 : 1);
}

/* Boxes, one cell, and many samples. */
static void test_boxes(void **state)
{
    static const clsp_axis many[3] = {{17, 0, 1, NULL}, {1, 0.0625, 0.0625, NULL}, {4, 1, 0, NULL}};
    static const uint32_t dim[3] = {3, 5, 3};
    solid_case one = solid_box(1, 1, 1);

    (void)state;
    unlike_boxes(check_all, dim);
    solid_jitter(&one, 0.1, 7);
    for (uint32_t dim_of_one = 1; dim_of_one <= 2; dim_of_one++) {
        model few = solid_model_of(&one, dim_of_one);
        check_all(&few);
        solid_model_free(&few);
    }
    model m = solid_model_of(&one, 3);
    check_samples(&m, many, CLSP_F32);
    solid_model_free(&m);
    solid_free(&one);
}

/* Cells with irregular vertices at all corners. */
static void test_tetrahedra(void **state)
{
    (void)state;
    unlike_edges(check_all, support_tiny() ? 4 : 1);
    model m = unlike_split(12);
    check_all(&m);
    solid_model_free(&m);
}

/* ---- methods ---- */

static clsp_solid_method method_of(const model *m, clsp_solid_desc desc)
{
    clsp_solid_plan *plan;

    assert_ok(ctx, clsp_solid_plan_create(&plan, m->mesh, &desc));
    assert_ok(ctx, clsp_solid_plan_desc(plan, &desc));
    clsp_solid_plan_destroy(&plan);
    return desc.method;
}

/* Lattices are chosen where cells are unlike. */
static void test_choice(void **state)
{
    solid_case box = solid_box(3, 3, 3);
    model alike = solid_model_of(&box, 3), unlike = unlike_split(40);
    const clsp_solid_desc grid = {.axis = {axes_of_4[0], axes_of_4[1], axes_of_4[2]}};

    (void)state;
    assert_int_equal(method_of(&alike, grid), CLSP_SOLID_CELLS);
    assert_int_equal(method_of(&unlike, grid), CLSP_SOLID_LATTICES);
    solid_model_free(&alike);
    solid_model_free(&unlike);
    solid_free(&box);
}

/* Samples so near to faces that no lattice is fine enough, of which there may be any number. */
static void test_near(void **state)
{
    static const double near[] = {0, 0.05, 1};
    static const clsp_axis some = {3, 0, 0, near}, many = {18, 0, 1, NULL};
    const clsp_axis grids[][3] = {{axes_of_4[0], some, axes_of_4[2]},
                                  {axes_of_4[0], many, axes_of_4[2]}};
    model m = unlike_split(2);

    (void)state;
    for (size_t g = 0; g < 2; g++) {
        check_samples(&m, grids[g], CLSP_F32);
        if (support_device().fp64) check_samples(&m, grids[g], CLSP_F64);
    }
    solid_model_free(&m);
}

/* Loads a model's points once more, at half their size. */
static void load_halves(clsp_solid_plan *plan, const model *m)
{
    const size_t num = 3 * m->counts.num_vertices;
    float *const halves = malloc(num * sizeof *halves);

    for (size_t i = 0; i < num; i++)
        halves[i] = (float)(m->points[i] / 2.0);
    assert_ok(ctx, clsp_solid_set_control_points(plan, clsp_in_f32(halves, num), NULL));
    free(halves);
}

/* Evaluates the middles of some cells, one by one. */
static void eval_middles(clsp_solid_plan *plan, float *values, uint32_t num)
{
    uint32_t *const cells = malloc(num * sizeof *cells);
    float *const params = malloc(3 * num * sizeof *params);

    for (uint32_t i = 0; i < num; i++) {
        cells[i] = i;
        params[3 * i] = params[3 * i + 1] = params[3 * i + 2] = 0.5f;
    }
    const clsp_points list = {
        .num = num, .item = clsp_in_u32(cells, num), .params = clsp_in_f32(params, 3 * num)};
    assert_ok(ctx, clsp_solid_eval_points(plan, &list, clsp_out_f32(values, 3 * num), NULL));
    free(cells);
    free(params);
}

/* Lists are made from what is loaded, samples are those that the host makes by classes, and so are
   weights and classes. */
static void test_others(void **state)
{
    enum { CELLS = 20, EACH = 5 * 5 * 5, ALL = 3 * EACH * CELLS };
    static const clsp_axis axis = {5, 0, 1, NULL};
    static float wanted[ALL], of_host[ALL];
    const clsp_solid_desc desc = {.axis = {axis, axis, axis}, .method = CLSP_SOLID_LATTICES};
    const clsp_solid_desc other = {.axis = {axis, axis, axis}, .method = CLSP_SOLID_CELLS};
    const clsp_solid_param param = {.cell = 3, .t = {0.25, 1, 0.5}};
    const clsp_range cells = {0, CELLS};
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    model m = unlike_split(8);
    clsp_solid_plan *plan = solid_plan_of(&m, &desc), *by_classes = solid_plan_of(&m, &other);
    float values[3 * CELLS];
    uint32_t of[2][CELLS];
    size_t num[2];

    (void)state;
    assert_ok(ctx, clsp_solid_eval(plan, cells, clsp_out_f32(wanted, ALL), NULL));
    assert_ok(ctx, clsp_solid_eval(by_classes, cells, clsp_out_f32(of_host, ALL),
                                   &(clsp_run){.share = &by_host}));
    for (uint32_t i = 0; i < ALL; i++)
        assert_true(fabsf(wanted[i] - of_host[i]) < 1e-5f);
    for (int round = 0; round < 2; round++) {
        eval_middles(plan, values, CELLS);
        assert_ok(ctx, clsp_solid_eval(plan, cells, clsp_out_f32(wanted, ALL), NULL));
        for (uint32_t i = 0; i < 3 * CELLS; i++)
            assert_true(fabsf(values[i] - wanted[i / 3 * 3 * EACH + EACH / 2 * 3 + i % 3]) < 1e-6f);
        load_halves(plan, &m);
    }
    assert_ok(ctx, clsp_solid_classes(plan, NULL, 0, &num[0]));
    assert_ok(ctx, clsp_solid_classes(by_classes, NULL, 0, &num[1]));
    assert_int_equal(num[0], num[1]);
    assert_ok(ctx, clsp_solid_cell_classes(plan, cells, clsp_out_u32(of[0], CELLS)));
    assert_ok(ctx, clsp_solid_cell_classes(by_classes, cells, clsp_out_u32(of[1], CELLS)));
    assert_memory_equal(of[0], of[1], sizeof of[0]);
    num[0] = num[1] = 0;
    assert_status(ctx, clsp_solid_weights(plan, &param, NULL, NULL, &num[0]),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clsp_solid_weights(by_classes, &param, NULL, NULL, &num[1]),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(num[0], num[1]);
    clsp_solid_plan_destroy(&plan);
    clsp_solid_plan_destroy(&by_classes);
    solid_model_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),      cmocka_unit_test(test_prisms),
        cmocka_unit_test(test_tetrahedra), cmocka_unit_test(test_choice),
        cmocka_unit_test(test_near),       cmocka_unit_test(test_others),
    };

    support_begin();
    return solid_run_tests(tests);
}
