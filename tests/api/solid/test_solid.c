/* Solids through the public calls: points and derivatives of cells of every kind against explicit
   subdivision. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "solid_fixture.h"
#include "solid_ref.h"

/* The limit of three dim, from `first` on. */
static void exact_limit(const model *m, size_t cell, const long double t[3], const unsigned by[3],
                        uint32_t first, long double limit[3])
{
    double *const points = calloc(3 * m->counts.num_vertices, sizeof *points);
    const ref_solid ref = {.num_cells = m->counts.num_cells,
                           .cell = m->corner,
                           .point = points,
                           .num_creases = m->num_creases,
                           .crease = m->crease};

    for (size_t i = 0; i < 3 * m->counts.num_vertices; i++)
        if (first + i % 3 < m->dim) points[i] = m->points[i / 3 * m->dim + first + i % 3];
    if (by[0] + by[1] + by[2] == 0)
        ref_solid_limit(&ref, cell, t, 48, limit);
    else
        ref_solid_derivative(&ref, cell, t, by, 0x1p-9L, limit);
    free(points);
}

/* Checks one sample of every `every`th cell, another one in each; returns the worst error of scale.
 */
static double check_samples(const model *m, const clsp_solid_desc *d, const double *all,
                            const uint32_t by[3], size_t every)
{
    const uint32_t *const orders = by;
    const size_t samples = (size_t)d->axis[0].num * d->axis[1].num * d->axis[2].num;
    double worst = 0.0;
    uint64_t seed = 1;

    for (size_t c = support_random(&seed) % every; c < m->counts.num_cells; c += every) {
        const size_t s = support_random(&seed) % samples;
        const uint32_t at[3] = {(uint32_t)(s / d->axis[2].num / d->axis[1].num),
                                (uint32_t)(s / d->axis[2].num % d->axis[1].num),
                                (uint32_t)(s % d->axis[2].num)};
        const unsigned ref_by[3] = {orders[0], orders[1], orders[2]};
        long double t[3], limit[3];
        for (uint32_t a = 0; a < 3; a++)
            t[a] = solid_sample_at(&d->axis[a], at[a]);
        for (uint32_t first = 0; first < m->dim; first += 3) {
            exact_limit(m, c, t, ref_by, first, limit);
            for (uint32_t k = 0; k < 3 && first + k < m->dim; k++)
                worst = support_worse(
                    worst, fabs(all[(c * samples + s) * m->dim + first + k] - (double)limit[k]));
        }
    }
    return worst / m->scale;
}

/* Evaluates a case and checks it. */
static void check_case(const char *name, const solid_case *solid, uint32_t dim,
                       const clsp_axis axis[3], size_t every)
{
    static const uint32_t orders[3][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 1}};
    const clsp_device_info device = support_device();

    for (uint32_t wide = 0; wide <= device.fp64; wide++)
        for (uint32_t i = 0; i < (axis[0].begin > 0.0 ? 3u : 1u); i++) {
            model m = solid_model_of(solid, dim);
            const clsp_solid_desc desc = {.precision = wide ? CLSP_F64 : CLSP_F32,
                                          .dim = dim,
                                          .axis = {axis[0], axis[1], axis[2]},
                                          .vertex = {.attributes = solid_attribute(orders[i])}};
            clsp_solid_plan *plan = solid_plan_of(&m, &desc);
            clsp_solid_desc d;
            assert_ok(ctx, clsp_solid_plan_desc(plan, &d));
            const size_t reals = (size_t)d.axis[0].num * d.axis[1].num * d.axis[2].num * dim;
            double *const all = solid_eval_all(plan, (clsp_range){0, m.counts.num_cells}, reals);
            const double worst = check_samples(&m, &d, all, orders[i], every);
            const double bound = wide ? (i ? 1e-10 : 1e-12) : (i ? 1e-5 : 1.5e-7);
            print_message("%s, %u dim, f%u, order %u: %.2g / %.2g of scale\n", name, dim,
                          wide ? 64 : 32, i, worst, bound);
            assert_true(worst <= bound);
            free(all);
            clsp_solid_plan_destroy(&plan);
            solid_model_free(&m);
        }
}

static void test_points(void **state)
{
    (void)state;
    for (uint32_t sectors = 3; sectors < 7; sectors++) {
        solid_case prism = solid_prism(sectors, sectors % 2, 3);
        if (sectors == 6) solid_crease(&prism, 0.5);
        solid_jitter(&prism, 0.15, sectors);
        check_case("prism", &prism, 3, axes_of_4, 3);
        if (sectors == 5) {
            check_case("prism", &prism, 3, odd_axes, 5);
            check_case("prism", &prism, 1, axes_of_9, 9);
            check_case("prism", &prism, 3, inner_axes, 9);
            check_case("prism", &prism, 5, axes_of_4, 9);
        }
        solid_free(&prism);
    }
    solid_case box = solid_box(2, 2, 6);
    check_case("box", &box, 3, axes_of_4, 2);
    check_case("box", &box, 4, odd_axes, 2);
    solid_free(&box);
}

/* Far from the origin, by different ways in all directions, where control points relative to their
   cell's centre count. */
static void test_far(void **state)
{
    solid_case solids[] = {solid_prism(5, 1, 3), solid_box(4, 4, 4)};

    (void)state;
    for (size_t s = 0; s < 2; s++) {
        solid_jitter(&solids[s], 0.15, 7);
        for (size_t i = 0; i < 3 * solids[s].num_points; i++)
            solids[s].point[i] += 1000.0 * (double)(i % 3);
        check_case(s ? "far box" : "far prism", &solids[s], 3, axes_of_4, 3);
        solid_free(&solids[s]);
    }
}

static void test_models(void **state)
{
    (void)state;
    for (size_t i = 0; i < MACHINE_PARTS && !support_tiny(); i++) {
        solid_case solid = read_machine_part(machine_parts[i]);
        check_case(machine_parts[i], &solid, 3, axes_of_4, i ? 149 : 41);
        solid_free(&solid);
    }
}

/* Evaluates a list of points anywhere in a model's cells, ends included, at parameters that are
   floats. */
static void list_all(const model *m, bool wide, size_t num, double *all)
{
    const clsp_solid_desc desc = {.precision = wide ? CLSP_F64 : CLSP_F32};
    clsp_solid_plan *plan = solid_plan_of(m, &desc);
    uint32_t *const cells = malloc(num * sizeof *cells);
    double *const params = malloc(3 * num * sizeof *params);
    float *const narrow = malloc(3 * num * sizeof *narrow);
    uint64_t seed = 5;

    for (size_t i = 0; i < num; i++)
        cells[i] = (uint32_t)(support_random(&seed) % m->counts.num_cells);
    for (size_t i = 0; i < 3 * num; i++) {
        const double t = 0.5 + 0.5 * support_uniform(&seed);
        params[i] = narrow[i] = (float)(support_random(&seed) % 5 ? t : round(t));
    }
    const clsp_points points = {.num = num,
                                .item = clsp_in_u32(cells, num),
                                .params = wide ? clsp_in_f64(params, 3 * num)
                                               : clsp_in_f32(narrow, 3 * num)};
    assert_ok(ctx, clsp_solid_eval_points(
                       plan, &points,
                       wide ? clsp_out_f64(all, 3 * num) : clsp_out_f32(narrow, 3 * num), NULL));
    for (size_t i = 0; i < 3 * num && !wide; i++)
        all[i] = (double)narrow[i];
    free(cells);
    free(params);
    free(narrow);
    clsp_solid_plan_destroy(&plan);
}

/* Returns the difference between lists in float and in double, of scale. */
static double list_error(const model *m)
{
    const size_t num = support_full() ? 100000 : 5000;
    double *const all[2] = {malloc(3 * num * sizeof(double)), malloc(3 * num * sizeof(double))};
    double worst = 0.0;

    list_all(m, false, num, all[0]);
    list_all(m, true, num, all[1]);
    for (size_t i = 0; i < 3 * num; i++)
        worst = support_worse(worst, fabs(all[0][i] - all[1][i]) / m->scale);
    free(all[0]);
    free(all[1]);
    return worst;
}

/* Float against double at all samples of all cells, and anywhere in some, where cells are as large
   as the solid. */
static void test_float(void **state)
{
    static const clsp_axis six[3] = {{6, 0, 1, NULL}, {6, 0, 1, NULL}, {6, 0, 1, NULL}};
    double worst = 0.0, worst_list = 0.0;

    (void)state;
    if (!support_device().fp64) skip_because("no double precision");
    for (uint32_t i = 0; i < 10; i++) {
        solid_case prism = solid_prism(1 + i / 2, 0, 3);
        if (i % 2) solid_crease(&prism, 0.6);
        model m = solid_model_of(&prism, 3);
        double *all[2];
        for (uint32_t wide = 0; wide < 2; wide++) {
            const clsp_solid_desc desc = {.precision = wide ? CLSP_F64 : CLSP_F32,
                                          .axis = {six[0], six[1], six[2]}};
            clsp_solid_plan *plan = solid_plan_of(&m, &desc);
            all[wide] = solid_eval_all(plan, (clsp_range){0, m.counts.num_cells}, 3 * 216);
            clsp_solid_plan_destroy(&plan);
        }
        for (size_t k = 0; k < m.counts.num_cells * 3 * 216; k++)
            worst = support_worse(worst, fabs(all[0][k] - all[1][k]) / m.scale);
        free(all[0]);
        free(all[1]);
        worst_list = support_worse(worst_list, list_error(&m));
        solid_model_free(&m);
        solid_free(&prism);
    }
    print_message("worst difference: %.2g, of lists %.2g / 1.5e-07 of scale\n", worst, worst_list);
    assert_true(worst <= 1.5e-7 && worst_list <= 1.5e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_float),
        cmocka_unit_test(test_models),
    };

    support_begin();
    return solid_run_tests(tests);
}
