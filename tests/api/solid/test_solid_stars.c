/* Lists of points, derivatives and normals by stars against those by classes: meshes of all kinds
   of edges and vertices, at parameters down to these and on them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory_fixture.h"
#include "solid_fixture.h"
#include "unlike_fixture.h"

enum {
    FIRST = CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_DW,
    SECOND = CLSP_VERTEX_DUU | CLSP_VERTEX_DUV | CLSP_VERTEX_DVV | CLSP_VERTEX_DUW |
             CLSP_VERTEX_DVW | CLSP_VERTEX_DWW
};

/* Points of a list, in double. */
typedef struct list {
    size_t num;
    uint32_t *cells;
    double *params; /* [num][3] */
} list;

/* Returns a parameter: anywhere, at an end, in the middle, or near to an end. */
static double any_param(uint64_t *seed)
{
    const double t = 0.5 + 0.5 * support_uniform(seed);
    const int depth = (int)(support_random(seed) % 30);

    switch (support_random(seed) % 8) {
    case 0:
        return 0.0;
    case 1:
        return 1.0;
    case 2:
        return 0.5;
    case 3:
        return ldexp(t, -depth);
    case 4:
        return 1.0 - ldexp(t, -depth);
    case 5: /* at 2^-20 the frame of a class decides which side it is of */
        return ldexp(1.0, depth == 20 ? -19 : -depth);
    default:
        return t;
    }
}

static list list_of(size_t num, size_t num_cells, uint64_t seed)
{
    list l = {num, malloc(num * sizeof *l.cells), malloc(3 * num * sizeof *l.params)};

    assert_non_null(l.cells);
    assert_non_null(l.params);
    for (size_t i = 0; i < num; i++)
        l.cells[i] = (uint32_t)(support_random(&seed) % num_cells);
    for (size_t i = 0; i < 3 * num; i++)
        l.params[i] = any_param(&seed);
    return l;
}

/* Returns the samples of all cells of a grid. */
static list list_of_grid(size_t num_cells, const clsp_axis axis[3])
{
    const size_t num_w = axis[2].num, rows = axis[1].num * num_w, each = axis[0].num * rows;
    const size_t num = num_cells * each;
    list l = {num, malloc(num * sizeof *l.cells), malloc(3 * num * sizeof *l.params)};

    assert_non_null(l.cells);
    assert_non_null(l.params);
    for (size_t i = 0; i < num; i++) {
        const size_t at[3] = {i % each / rows, i % rows / num_w, i % num_w};
        l.cells[i] = (uint32_t)(i / each);
        for (size_t a = 0; a < 3; a++)
            l.params[3 * i + a] = solid_sample_at(&axis[a], (uint32_t)at[a]);
    }
    return l;
}

static void list_free(list *l)
{
    free(l->cells);
    free(l->params);
}

static clsp_solid_plan *plan_by(const model *m, const clsp_solid_desc *given,
                                clsp_solid_method method)
{
    clsp_solid_desc desc = *given;

    desc.method = method;
    return solid_plan_of(m, &desc);
}

/* Evaluates points first .. first + num - 1 of a list into doubles, by the device or by a call
   without a share: [num][elements]. */
static double *eval_by(clsp_solid_plan *plan, const list *l, size_t first, size_t num,
                       clsp_schedule by)
{
    clsp_solid_desc desc;

    assert_ok(ctx, clsp_solid_plan_desc(plan, &desc));
    const size_t reals = num * desc.vertex.stride;
    const bool wide = desc.precision == CLSP_F64;
    double *const all = malloc((reals + 1) * sizeof *all);
    void *const made = malloc((reals + 1) * sizeof(double));
    float *const narrow = malloc((3 * num + 1) * sizeof *narrow);
    for (size_t i = 0; i < 3 * num; i++)
        narrow[i] = (float)l->params[3 * first + i];
    const clsp_points points = {.num = num,
                                .item = clsp_in_u32(l->cells + first, num),
                                .params = wide ? clsp_in_f64(l->params + 3 * first, 3 * num)
                                               : clsp_in_f32(narrow, 3 * num)};
    support_poison(made, (reals + 1) * sizeof(double));
    assert_ok(ctx, solid_eval_list(plan, &points, host_out(desc.vertex.type, made, reals), by));
    for (size_t i = 0; i < reals; i++)
        all[i] = element_of(made, desc.vertex.type, i);
    free(made);
    free(narrow);
    return all;
}

static double *eval_list(clsp_solid_plan *plan, const list *l, size_t first, size_t num)
{
    return eval_by(plan, l, first, num, CLSP_SCHEDULE_DEFAULT);
}

/* ---- values ---- */

/* Checks values in a precision against those of classes, in double where the device has it. */
static void check_values(const model *m, clsp_type precision, size_t num)
{
    const clsp_type best = support_device().fp64 ? CLSP_F64 : CLSP_F32;
    clsp_solid_desc desc = {.precision = best, .dim = m->dim};
    clsp_solid_plan *classes = plan_by(m, &desc, CLSP_SOLID_CELLS);
    desc.precision = precision;
    clsp_solid_plan *stars = plan_by(m, &desc, CLSP_SOLID_LATTICES);
    list l = list_of(num, m->counts.num_cells, 5);
    double worst = 0.0;

    for (size_t i = 0; i < 3 * num && precision == CLSP_F32; i++)
        l.params[i] = (double)(float)l.params[i];
    double *const wanted = eval_list(classes, &l, 0, num);
    double *const made = eval_list(stars, &l, 0, num), *const some = eval_list(stars, &l, 7, 9);
    assert_memory_equal(some, made + 7 * m->dim, 9 * m->dim * sizeof *made);
    for (size_t i = 0; i < num * m->dim; i++)
        worst = support_worse(worst, fabs(made[i] - wanted[i]));
    if (worst > (precision == CLSP_F64 ? 2e-13 : best == CLSP_F64 ? 1.5e-7 : 3e-7) * m->scale)
        fail_msg("f%d: %.3g of scale", precision == CLSP_F64 ? 64 : 32, worst / m->scale);
    print_message("values: %.3g of scale\n", worst / m->scale);
    free(wanted);
    free(made);
    free(some);
    list_free(&l);
    clsp_solid_plan_destroy(&classes);
    clsp_solid_plan_destroy(&stars);
}

/* ---- derivatives ---- */

/* Returns how far numbers are from those of classes, relative to the largest of them, which is at
   least the scale. */
static double differ(const double *made, const double *wanted, size_t num, double scale)
{
    double worst = 0.0, most = scale;

    for (size_t i = 0; i < num; i++) {
        most = fmax(most, fabs(wanted[i]));
        worst = support_worse(worst, fabs(made[i] - wanted[i]));
    }
    return worst / most;
}

/* Checks derivatives in double, of a list and of a grid, against those of lists by classes, made
   without a share and by the device. */
static void check_slopes(const model *m, uint32_t attributes, size_t num, double bound)
{
    clsp_solid_desc desc = {.precision = CLSP_F64,
                            .dim = m->dim,
                            .axis = {axes_of_4[0], axes_of_4[1], axes_of_4[2]},
                            .vertex.attributes = attributes};

    if (!support_device().fp64) return;
    clsp_solid_plan *classes = plan_by(m, &desc, CLSP_SOLID_CELLS);
    clsp_solid_plan *stars = plan_by(m, &desc, CLSP_SOLID_LATTICES);
    const clsp_range cells = {0, m->counts.num_cells};
    list lists[2] = {list_of(num, cells.count, 5), list_of_grid(cells.count, axes_of_4)};
    assert_ok(ctx, clsp_solid_plan_desc(stars, &desc));
    const size_t stride = desc.vertex.stride;
    double off[4];
    for (int k = 0; k < 4; k++) {
        const list *const l = &lists[k % 2];
        double *const wanted =
            eval_by(classes, l, 0, l->num, k > 1 ? CLSP_SCHEDULE_DEVICE : CLSP_SCHEDULE_DEFAULT);
        double *const made =
            k % 2 ? solid_eval_all(stars, cells, 64 * stride) : eval_list(stars, l, 0, l->num);
        off[k] = differ(made, wanted, l->num * stride, m->scale);
        free(wanted);
        free(made);
    }
    print_message("attributes %x: lists %.3g, %.3g, grids %.3g, %.3g of %.3g of the largest\n",
                  attributes, off[0], off[2], off[1], off[3], bound);
    for (int k = 0; k < 4; k++)
        assert_true(off[k] <= bound);
    list_free(&lists[0]);
    list_free(&lists[1]);
    clsp_solid_plan_destroy(&classes);
    clsp_solid_plan_destroy(&stars);
}

static void check_all(const model *m)
{
    const size_t num = support_full() ? 20000 : 600; /* the largest of a few would be too small */

    check_values(m, CLSP_F32, num);
    if (support_device().fp64) check_values(m, CLSP_F64, num);
    check_slopes(m, FIRST, num, 2e-11);
    check_slopes(m, SECOND, num, 2e-11);
    if (m->dim == 3)
        check_slopes(m, CLSP_VERTEX_JACOBIAN | CLSP_VERTEX_NORMAL | CLSP_VERTEX_PARAMS, num, 2e-11);
}

/* ---- meshes ---- */

/* Irregular edges with smooth and creased boundaries, in layers that are alike. */
static void test_prisms(void **state)
{
    (void)state;
    unlike_prisms(check_all, support_full() ? 1 : 2);
}

/* Boxes, whose edges have one cell. */
static void test_boxes(void **state)
{
    static const uint32_t dim[3] = {2, 5, 3};

    (void)state;
    unlike_boxes(check_all, dim);
}

/* Cells with irregular vertices at all corners. */
static void test_tetrahedra(void **state)
{
    (void)state;
    unlike_edges(check_all, support_full() ? 1 : 5);
    model m = unlike_split(support_tiny() ? 2 : 6);
    check_all(&m);
    solid_model_free(&m);
}

/* ---- calls ---- */

/* Parameters beyond the ends are these, and those that are none and cells that are not there give
   NaN, as by classes. */
static void test_outside(void **state)
{
    enum { NUM = 6 };
    static const float outside[3 * NUM] = {-0.5f, 0.5f,     2.0f,      NAN, 0,   0,
                                           0.5f,  0.5f,     0.5f,      0,   NAN, 1,
                                           0.25f, INFINITY, -INFINITY, 0,   0,   1};
    static const float inside[3 * NUM] = {0,   0.5f, 1,   NAN,   NAN, NAN, NAN, NAN, NAN,
                                          NAN, NAN,  NAN, 0.25f, 1,   0,   0,   0,   1};
    const uint32_t attributes = FIRST | CLSP_VERTEX_NORMAL | CLSP_VERTEX_PARAMS;
    const clsp_solid_desc desc = {.vertex.attributes = attributes};
    model m = unlike_split(2);
    const uint32_t cells[NUM] = {1, 0, (uint32_t)m.counts.num_cells, 2, 3, UINT32_MAX};
    clsp_solid_plan *stars = plan_by(&m, &desc, CLSP_SOLID_LATTICES);
    clsp_solid_plan *classes = plan_by(&m, &desc, CLSP_SOLID_CELLS);
    float made[2][NUM][18];

    (void)state;
    for (int k = 0; k < 2; k++) {
        const clsp_points points = {.num = NUM,
                                    .item = clsp_in_u32(cells, NUM),
                                    .params = clsp_in_f32(k ? inside : outside, 3 * NUM)};
        assert_ok(ctx, clsp_solid_eval_points(k ? classes : stars, &points,
                                              clsp_out_f32(&made[k][0][0], NUM * 18), NULL));
    }
    for (size_t i = 0; i < NUM; i++)
        for (size_t e = 0; e < 18; e++) {
            const float a = made[0][i][e], b = made[1][i][e];
            assert_true(isnan(b) ? isnan(a) : fabsf(a - b) <= 1e-5f);
        }
    clsp_solid_plan_destroy(&stars);
    clsp_solid_plan_destroy(&classes);
    solid_model_free(&m);
}

/* Elements between attributes stay as they are, in any type. */
static void test_layouts(void **state)
{
    enum { NUM = 40, STRIDE = 11 };
    clsp_solid_desc desc = {.vertex = {.type = CLSP_F16,
                                       .attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_DV,
                                       .stride = STRIDE,
                                       .offset = {[0] = 7, [3] = 1}}};
    model m = unlike_split(3);
    list l = list_of(NUM, m.counts.num_cells, 8);
    clsp_solid_plan *plan = plan_by(&m, &desc, CLSP_SOLID_LATTICES);
    uint16_t made[NUM * STRIDE], poison;

    (void)state;
    double *const all = eval_list(plan, &l, 0, NUM);
    support_poison(made, sizeof made);
    memcpy(&poison, made, sizeof poison);
    const double gap = element_of(made, CLSP_F16, 0);
    for (size_t i = 0; i < NUM * STRIDE; i++) {
        const size_t e = i % STRIDE;
        const bool is_gap = e == 0 || (e >= 4 && e < 7) || e == 10;
        if (is_gap) assert_memory_equal(&all[i], &gap, sizeof gap);
    }
    free(all);
    list_free(&l);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
}

/* Without a grid and with normals, meshes of unlike cells have no classes, and others have. */
static void test_choice(void **state)
{
    const clsp_solid_desc descs[] = {{.dim = 3}, {.vertex.attributes = FIRST}};
    solid_case box = solid_box(3, 3, 3);
    model alike = solid_model_of(&box, 3), unlike = unlike_split(40);

    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            clsp_solid_plan *plan = solid_plan_of(k ? &unlike : &alike, &descs[i]);
            clsp_solid_desc told;
            assert_ok(ctx, clsp_solid_plan_desc(plan, &told));
            assert_int_equal(told.method, k ? CLSP_SOLID_LATTICES : CLSP_SOLID_CELLS);
            clsp_solid_plan_destroy(&plan);
        }
    solid_model_free(&alike);
    solid_model_free(&unlike);
    solid_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),      cmocka_unit_test(test_prisms),
        cmocka_unit_test(test_tetrahedra), cmocka_unit_test(test_outside),
        cmocka_unit_test(test_layouts),    cmocka_unit_test(test_choice),
    };

    support_begin();
    return solid_run_tests(tests);
}
