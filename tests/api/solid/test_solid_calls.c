/* Calls of solids: ranges, memory of every kind, weights, lists of points, and wrong arguments. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "memory_fixture.h"
#include "solid_fixture.h"

/* ---- ranges and memory ---- */

/* Parts of a batch, and buffers at an offset, have the bits of the device. */
static void test_ranges(void **state)
{
    solid_case prism = solid_prism(5, 1, 3);
    model m = solid_model_of(&prism, 3);
    const clsp_solid_desc desc = {.dim = 3, .axis = {axes_of_4[0], axes_of_4[1], axes_of_4[2]}};
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    const size_t reals = 64 * 3, num = m.counts.num_cells;
    double *const all = solid_eval_all(plan, (clsp_range){0, num}, reals);
    const clsp_range parts[] = {{0, 1}, {1, 7}, {num - 1, 1}, {num, 0}, {5, num - 5}};

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double *const some = solid_eval_all(plan, parts[i], reals);
        assert_memory_equal(some, all + parts[i].first * reals,
                            parts[i].count * reals * sizeof *some);
        free(some);
    }
    for (store_kind kind = HOST; kind < STORE_KINDS; kind++) {
        const clsp_range cells = {2, 9};
        if (!has_kind(ctx, kind)) continue;
        store out = store_make(ctx, kind, CLSP_F32, 5, cells.count * reals, NULL);
        assert_ok(ctx, clsp_solid_eval(plan, cells, store_out(&out), NULL));
        const float *const got = (const float *)(const void *)store_read(&out);
        for (size_t k = 0; k < cells.count * reals; k++)
            assert_true((double)got[k] == all[cells.first * reals + k]);
        store_free(&out);
    }
    free(all);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&prism);
}

/* A case without creases so many times. */
static solid_case copies_of(const solid_case *one, size_t num)
{
    solid_case all = {.num_points = num * one->num_points, .num_cells = num * one->num_cells};

    all.point = malloc(3 * all.num_points * sizeof *all.point);
    all.cell = malloc(8 * all.num_cells * sizeof *all.cell);
    for (size_t i = 0; i < num; i++) {
        const uint32_t first = (uint32_t)(i * one->num_points);
        memcpy(all.point + 3 * first, one->point, 3 * one->num_points * sizeof *all.point);
        for (size_t k = 0; k < 8 * one->num_cells; k++)
            all.cell[8 * i * one->num_cells + k] = one->cell[k] + first;
    }
    return all;
}

/* Returns how many copies of a solid keep a GPU's units busy with its irregular cells: then other
   kernels make these. */
static size_t enough_copies(const model *m, const clsp_solid_desc *desc)
{
    enum { MOST = 64, SETS = 2, CELLS = 4 }; /* for a unit, of a set */
    clsp_solid_class classes[MOST];
    const uint32_t units = support_device().compute_units;
    clsp_solid_plan *plan = solid_plan_of(m, desc);
    size_t num, irregular = 0;

    assert_ok(ctx, clsp_solid_classes(plan, classes, MOST, &num));
    for (size_t i = 0; i < num; i++)
        irregular += classes[i].kind == CLSP_SOLID_IRREGULAR ? classes[i].num_cells : 0;
    assert_int_not_equal(irregular, 0);
    clsp_solid_plan_destroy(&plan);
    return (size_t)SETS * CELLS * (units < 256 ? units : 256) / irregular + 1;
}

/* Checks the points of a model's cells against those that other kernels make one by one. */
static void check_by_points(const model *m, const clsp_solid_desc *desc, const double *points,
                            size_t reals)
{
    clsp_solid_desc by_points = *desc;

    by_points.method = CLSP_SOLID_THREAD;
    clsp_solid_plan *plan = solid_plan_of(m, &by_points);
    double *const all = solid_eval_all(plan, (clsp_range){0, m->counts.num_cells}, reals);
    for (size_t k = 0; k < m->counts.num_cells * reals; k++)
        assert_true(fabs(all[k] - points[k]) <= 1e-6 * m->scale);
    free(all);
    clsp_solid_plan_destroy(&plan);
}

/* Evaluates all cells of copies but the first one, into a buffer at an offset: the bits of one. */
static void check_copies(const model *copies, const clsp_solid_desc *desc, const double *one,
                         size_t reals, size_t num, size_t offset)
{
    const clsp_range cells = {1, copies->counts.num_cells - 1};
    clsp_solid_plan *plan = solid_plan_of(copies, desc);
    store out = store_make(ctx, BUFFER, CLSP_F32, offset, cells.count * reals, NULL);

    assert_ok(ctx, clsp_solid_eval(plan, cells, store_out(&out), NULL));
    const float *const got = (const float *)(const void *)store_read(&out);
    for (size_t k = 0; k < cells.count * reals; k++)
        assert_true(got[k] == (float)one[(k + reals) % (num * reals)]);
    store_free(&out);
    clsp_solid_plan_destroy(&plan);
}

/* Many copies of a solid have the bits of one, into aligned memory and such that is not, on devices
   of all shapes. */
static void test_copies(void **state)
{
    static const char *const shapes[] = {"", "class=discrete,local_is_real=1,vendor=NVIDIA",
                                         "class=discrete,local_is_real=1,vendor=AMD"};
    static const clsp_axis axes[2][3] = {{{6, 0, 1, NULL}, {6, 0, 1, NULL}, {6, 0, 1, NULL}},
                                         {{8, 0, 1, NULL}, {4, 0, 1, NULL}, {4, 0, 1, NULL}}};
    if (solid_limits) skip();
    support_needs_opencl(ctx);
    solid_case box = solid_box(2, 2, 3);

    solid_jitter(&box, 0.15, 7);
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t dim = i % 2 ? 5 : 3;
        const clsp_axis *const axis = axes[i / 2 % 2];
        const clsp_solid_desc desc = {.dim = dim, .axis = {axis[0], axis[1], axis[2]}};
        const size_t reals = (size_t)axis[0].num * axis[1].num * axis[2].num * dim;
        if (i % 4 == 0) {
            solid_close(state);
            ctx = context_with(shapes[i / 4]);
        }
        model m = solid_model_of(&box, dim);
        solid_case many = copies_of(&box, enough_copies(&m, &desc));
        model all = solid_model_of(&many, dim);
        clsp_solid_plan *plan = solid_plan_of(&m, &desc);
        double *const one = solid_eval_all(plan, (clsp_range){0, m.counts.num_cells}, reals);
        if (support_has_methods()) check_by_points(&m, &desc, one, reals);
        for (size_t offset = 3; offset < 5; offset++)
            check_copies(&all, &desc, one, reals, m.counts.num_cells, offset);
        free(one);
        clsp_solid_plan_destroy(&plan);
        solid_model_free(&m);
        solid_model_free(&all);
        solid_free(&many);
    }
    solid_free(&box);
    solid_close(state);
    assert_int_equal(solid_open(state), 0);
}

/* Weights by themselves give the same points. */
static void test_weights(void **state)
{
    solid_case prism = solid_prism(5, 1, 3);
    if (!support_device().fp64) skip_because("no double precision");
    solid_crease(&prism, 0.5);
    model m = solid_model_of(&prism, 3);
    const clsp_solid_desc desc = {.precision = CLSP_F64,
                                  .axis = {axes_of_4[0], axes_of_4[1], axes_of_4[2]}};
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    double *const all = solid_eval_all(plan, (clsp_range){0, m.counts.num_cells}, 64 * 3);
    double worst = 0.0;

    (void)state;
    for (size_t c = 0; c < m.counts.num_cells; c++)
        for (uint32_t s = (uint32_t)c % 3; s < 64; s += 7) {
            const clsp_axis *const axis = axes_of_4;
            const clsp_solid_param param = {.cell = c,
                                            .t = {solid_sample_at(axis, s / 16),
                                                  solid_sample_at(axis, s / 4 % 4),
                                                  solid_sample_at(axis, s % 4)}};
            worst = support_worse(worst,
                                  off_by_weights(plan, &param, m.points, all + (c * 64 + s) * 3));
        }
    assert_true(worst <= 1e-13 * m.scale);
    free(all);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&prism);
}

/* ---- lists of points ---- */

/* Parameters of the samples of all cells, last ones first, as a list: the same points as on the
   grid. */
static void check_list(clsp_type precision, uint32_t attribute, store_kind kind)
{
    solid_case prism = solid_prism(5, 1, 3);
    model m = solid_model_of(&prism, 3);
    const clsp_solid_desc desc = {.precision = precision,
                                  .axis = {odd_axes[0], odd_axes[1], odd_axes[2]},
                                  .vertex = {.attributes = attribute}};
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    const size_t num = 15 * m.counts.num_cells, real = clsp_type_bytes(precision);
    double *const grid = solid_eval_all(plan, (clsp_range){0, m.counts.num_cells}, 45), worst = 0.0;
    uint32_t *const cells = malloc(num * sizeof *cells);
    char *const params = malloc(3 * num * real);

    for (size_t i = 0; i < num; i++) {
        const size_t s = (num - 1 - i) % 15;
        const double t[3] = {solid_sample_at(&odd_axes[0], (uint32_t)s / 5), 0.25,
                             solid_sample_at(&odd_axes[2], (uint32_t)s % 5)};
        cells[i] = (uint32_t)((num - 1 - i) / 15);
        for (size_t a = 0; a < 3; a++) {
            const float narrow = (float)t[a];
            memcpy(params + (3 * i + a) * real, real == 8 ? (const void *)&t[a] : &narrow, real);
        }
    }
    store in[2] = {store_make(ctx, kind, CLSP_U32, 3, num, cells),
                   store_make(ctx, kind, precision, 1, 3 * num, params)};
    store out = store_make(ctx, kind, precision, 2, 3 * num, NULL);
    const clsp_points points = {.num = num, .item = store_in(&in[0]), .params = store_in(&in[1])};
    assert_ok(ctx, clsp_solid_eval_points(plan, &points, store_out(&out), NULL));
    const unsigned char *const got = store_read(&out);
    for (size_t i = 0; i < 3 * num; i++) {
        const double wanted = grid[3 * (num - 1 - i / 3) + i % 3];
        const double value = real == 8 ? ((const double *)(const void *)got)[i]
                                       : ((const float *)(const void *)got)[i];
        worst = support_worse(worst, fabs(value - wanted));
    }
    assert_true(worst <= (attribute ? 16.0 : 1.0) * (real == 8 ? 1e-14 : 3e-7) * m.scale);
    store_free(&in[0]);
    store_free(&in[1]);
    store_free(&out);
    free(grid);
    free(cells);
    free(params);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&prism);
}

static void test_lists(void **state)
{
    (void)state;
    for (store_kind kind = HOST; kind < STORE_KINDS; kind++) {
        if (!has_kind(ctx, kind)) continue;
        check_list(CLSP_F32, kind == HOST ? CLSP_VERTEX_DW : 0, kind);
        if (support_device().fp64) check_list(CLSP_F64, 0, kind);
    }
}

/* Parameters outside of a cell count as its end; what is no parameter gives NaN. */
static void test_odd_lists(void **state)
{
    static const uint32_t cells[5] = {0, 1, 2, 1, UINT32_MAX};
    static const float params[15] = {-3.0f, 0, 0, NAN, 0, 0, 0, 0, 0, 1, 1, HUGE_VALF, 0, 0, 0};
    solid_case box = solid_box(2, 1, 1);
    model m = solid_model_of(&box, 3);
    const clsp_solid_desc desc = {.axis = {{2, 0, 1, NULL}, {2, 0, 1, NULL}, {2, 0, 1, NULL}}};
    clsp_solid_plan *plan = solid_plan_of(&m, &desc);
    clsp_points points = {
        .num = 5, .item = clsp_in_u32(cells, 5), .params = clsp_in_f32(params, 15)};
    float out[15];
    double *const corners = solid_eval_all(plan, (clsp_range){0, 2}, 24);

    (void)state;
    assert_ok(ctx, clsp_solid_eval_points(plan, &points, clsp_out_f32(out, 15), NULL));
    for (size_t k = 0; k < 3; k++) {
        assert_true(fabs(out[k] - corners[k]) <= 1e-6);
        assert_true(isnan(out[3 + k]) && isnan(out[6 + k]) && isnan(out[12 + k]));
        assert_true(fabs(out[9 + k] - corners[45 + k]) <= 1e-6);
    }
    assert_status(ctx, clsp_solid_eval_points(plan, &points, clsp_out_f32(out, 14), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clsp_solid_eval_points(plan, NULL, clsp_out_f32(out, 15), NULL),
                  CLSP_ERROR_ARGUMENT);
    points.params = clsp_in_f32(params, 14);
    assert_status(ctx, clsp_solid_eval_points(plan, &points, clsp_out_f32(out, 15), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    points.num = 0;
    assert_ok(ctx, clsp_solid_eval_points(plan, &points, clsp_out_f32(out, 0), NULL));
    points.reserved[0] = 1;
    assert_status(ctx, clsp_solid_eval_points(plan, &points, clsp_out_f32(out, 0), NULL),
                  CLSP_ERROR_ARGUMENT);
    free(corners);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&box);
}

/* ---- wrong arguments ---- */

static void test_bad_plans(void **state)
{
    solid_case box = solid_box(1, 1, 1);
    clsp_solid_mesh *mesh = solid_mesh_of(&box);
    const clsp_solid_desc good = {.dim = 3, .axis = {axes_of_4[0], axes_of_4[1], axes_of_4[2]}};
    clsp_solid_desc bad[6] = {good, good, good, good, good, good};
    clsp_solid_plan *plan = (clsp_solid_plan *)(void *)&good;

    (void)state;
    bad[0].precision = CLSP_U8;
    bad[1].dim = CLSP_SOLID_MAX_DIM + 1;
    bad[2].axis[1].num = CLSP_SOLID_MAX_SAMPLES + 1;
    bad[3].axis[2] = (clsp_axis){3, 0.0, 1.5, NULL};
    bad[4].reserved[2] = 1;
    for (uint32_t a = 0; a < 3; a++)
        bad[5].axis[a].num = 512;
    for (size_t i = 0; i < 6; i++) {
        assert_status(ctx, clsp_solid_plan_create(&plan, mesh, &bad[i]), CLSP_ERROR_ARGUMENT);
        assert_null(plan);
    }
    bad[0] = good;
    bad[0].method = (clsp_solid_method)(CLSP_SOLID_LATTICES + 1);
    assert_status(ctx, clsp_solid_plan_create(&plan, mesh, &bad[0]), CLSP_ERROR_ARGUMENT);
    bad[0] = good;
    bad[0].axis[0] = (clsp_axis){3, NAN, 1.0, NULL};
    assert_status(ctx, clsp_solid_plan_create(&plan, mesh, &bad[0]), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_plan_create(NULL, mesh, &good), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_plan_create(&plan, NULL, &good), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_plan_create(&plan, mesh, NULL), CLSP_ERROR_ARGUMENT);
    clsp_solid_plan_destroy(NULL);
    clsp_solid_mesh_destroy(&mesh);
    clsp_solid_mesh_destroy(&mesh);
    solid_free(&box);
}

static void test_bad_calls(void **state)
{
    solid_case box = solid_box(2, 1, 1);
    model m = solid_model_of(&box, 3);
    const clsp_solid_desc desc = {.dim = 3, .axis = {axes_of_4[0], axes_of_4[1], axes_of_4[2]}};
    clsp_solid_param param = {.cell = 2};
    clsp_solid_plan *plan;
    float points[36], out[2 * 64 * 3];
    const clsp_output all = clsp_out_f32(out, 2 * 64 * 3);
    size_t num = 0;

    (void)state;
    for (size_t i = 0; i < 36; i++)
        points[i] = (float)m.points[i];
    assert_ok(ctx, clsp_solid_plan_create(&plan, m.mesh, &desc));
    assert_status(ctx, clsp_solid_eval(plan, (clsp_range){0, 2}, all, NULL), CLSP_ERROR_STATE);
    assert_status(ctx, clsp_solid_set_control_points(plan, clsp_in_f32(points, 35), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clsp_solid_set_control_points(plan, clsp_in_f64(m.points, 36), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_set_control_points(NULL, clsp_in_f32(points, 36), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_solid_set_control_points(plan, clsp_in_f32(points, 36), NULL));
    assert_status(ctx, clsp_solid_eval(plan, (clsp_range){0, 3}, all, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_eval(plan, (clsp_range){3, 0}, all, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_eval(plan, (clsp_range){0, 2}, clsp_out_f32(out, 383), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clsp_solid_eval(NULL, (clsp_range){0, 2}, all, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_weights(plan, &param, NULL, NULL, &num), CLSP_ERROR_ARGUMENT);
    param = (clsp_solid_param){.t = {0, 0, 1.1}};
    assert_status(ctx, clsp_solid_weights(plan, &param, NULL, NULL, &num), CLSP_ERROR_ARGUMENT);
    for (size_t i = 0; i < 3; i++) {
        static const uint32_t by[3][3] = {{3, 0, 0}, {2, 1, 0}, {UINT32_MAX, UINT32_MAX, 3}};
        param = (clsp_solid_param){.by = {by[i][0], by[i][1], by[i][2]}};
        assert_status(ctx, clsp_solid_weights(plan, &param, NULL, NULL, &num), CLSP_ERROR_ARGUMENT);
    }
    assert_ok(ctx, clsp_solid_eval(plan, (clsp_range){0, 2}, all, NULL));
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&box);
}

static void test_bad_meshes(void **state)
{
    solid_case box = solid_box(2, 1, 1);
    clsp_solid_cells cells = {
        .num_vertices = 12, .num_cells = 2, .index = box.cell, .num_indices = 16};
    clsp_solid_mesh *mesh = solid_mesh_of(&box);
    double points[36] = {0}, fine[3 * 45];

    (void)state;
    assert_status(ctx,
                  clsp_solid_refine_points(mesh, CLSP_SOLID_JOY, 0, clsp_in_f64(points, 36),
                                           clsp_out_f64(fine, 135), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_refine_points(mesh, (clsp_solid_rule)3, 3, clsp_in_f64(points, 36),
                                           clsp_out_f64(fine, 135), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_refine_points(mesh, CLSP_SOLID_JOY, 3, clsp_in_f64(points, 35),
                                           clsp_out_f64(fine, 135), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx,
                  clsp_solid_refine_points(mesh, CLSP_SOLID_JOY, 3, clsp_in_f64(points, 36),
                                           clsp_out_f64(fine, 134), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_ok(ctx, clsp_solid_refine_points(mesh, CLSP_SOLID_JOY, 3, clsp_in_f64(points, 36),
                                            clsp_out_f64(fine, 135), NULL));
    clsp_solid_mesh_destroy(&mesh);
    cells.num_vertices = 11;
    assert_status(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells), CLSP_ERROR_ARGUMENT);
    assert_null(mesh);
    cells.num_vertices = 12;
    cells.reserved[0] = 1;
    assert_status(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells), CLSP_ERROR_ARGUMENT);
    cells.reserved[0] = 0;
    cells.num_creases = 1;
    assert_status(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_mesh_create(&mesh, NULL, &cells), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_mesh_create(NULL, ctx, &cells), CLSP_ERROR_ARGUMENT);
    solid_free(&box);
}

/* Cells that too many others touch are named. */
static void test_many_cells(void **state)
{
    clsp_solid_desc desc = {.axis = {{.num = 2}, {.num = 2}, {.num = 2}}};
    solid_case prism = solid_prism(600, 1, 1);
    clsp_solid_mesh *mesh = solid_mesh_of(&prism);
    clsp_solid_plan *plan;
    char text[256];

    (void)state;
    assert_ok(ctx, clsp_solid_plan_create(&plan, mesh, &desc)); /* by lattices */
    clsp_solid_plan_destroy(&plan);
    desc.method = CLSP_SOLID_CELLS;
    assert_status(ctx, clsp_solid_plan_create(&plan, mesh, &desc), CLSP_ERROR_ARGUMENT);
    clsp_context_last_error(ctx, text, sizeof text);
    if (!strstr(text, "touch cell 0")) fail_msg("%s", text);
    clsp_solid_mesh_destroy(&mesh);
    solid_free(&prism);
}

/* Cells that are inside out are counted, with their children, unless they are turned. */
static void test_orientation(void **state)
{
    solid_case box = solid_box(2, 1, 1);
    clsp_solid_cells cells = {.num_vertices = 12,
                              .num_cells = 2,
                              .index = box.cell,
                              .num_indices = 16,
                              .points = box.point};

    (void)state;
    for (size_t i = 0; i < box.num_points; i++)
        box.point[3 * i] *= -1.0;
    for (cells.orient = 0; cells.orient < 2; cells.orient++) {
        clsp_solid_mesh *mesh, *fine;
        clsp_solid_counts counts;
        uint32_t index[16];
        assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells));
        assert_ok(ctx, clsp_solid_mesh_counts(mesh, &counts));
        assert_int_equal(counts.num_inside_out, 2);
        assert_ok(ctx, clsp_solid_mesh_cells(mesh, clsp_out_u32(index, 16)));
        for (size_t i = 0; i < 8; i++)
            assert_int_equal(index[i], box.cell[i ^ (cells.orient ? 4 : 0)]);
        assert_ok(ctx, clsp_solid_mesh_refine(&fine, mesh));
        assert_ok(ctx, clsp_solid_mesh_counts(fine, &counts));
        assert_int_equal(counts.num_inside_out, cells.orient ? 0 : 16);
        clsp_solid_mesh_destroy(&fine);
        clsp_solid_mesh_destroy(&mesh);
    }
    clsp_solid_mesh *mesh;
    assert_status(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells), CLSP_ERROR_ARGUMENT);
    assert_null(mesh);
    solid_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),      cmocka_unit_test(test_copies),
        cmocka_unit_test(test_weights),     cmocka_unit_test(test_lists),
        cmocka_unit_test(test_odd_lists),   cmocka_unit_test(test_bad_plans),
        cmocka_unit_test(test_bad_calls),   cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_orientation), cmocka_unit_test(test_many_cells),
    };

    support_begin();
    return solid_run_tests(tests);
}
