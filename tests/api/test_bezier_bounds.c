/* The bounds of docs/math.md where they are hard to hold: patches far from the origin, by every
   kernel shape. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "vertex_fixture.h"

static const char *const limits[] = {
    "class=discrete,local_is_real=1,vendor=NVIDIA",
    "",
    "class=discrete",
    "class=integrated,work_group=64,local=16384",
};

static double worst;

static void judge(const layout *l, const char *what, double error)
{
    worst = fmax(worst, error);
    if (!(error <= 1.0))
        fail_msg("%s, form %d, degrees %u %u %u, rational %u, precision %d, attributes %u: "
                 "%.2f of the bound",
                 what, (int)l->d.form, l->d.degree[0], l->d.degree[1], l->d.degree[2],
                 l->d.rational, (int)l->d.precision, l->d.vertex.attributes, error);
}

static void everywhere(turn_fn check)
{
    worst = 0.0;
    each_turn(limits, COUNT(limits), 2, check);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- grids ---- */

/* The samples of a direction, 1 where the form does not have it. */
static size_t samples(const layout *l, unsigned direction)
{
    return direction < l->directions ? l->d.axis[direction].num : 1;
}

/* Evaluates one patch, and returns the largest error of its vertices over the bound. */
static double grid_error(clsp_context *ctx, const layout *l, const double *controls, double bound)
{
    const size_t num_v = samples(l, 1), num_w = samples(l, 2), num = samples(l, 0) * num_v * num_w;
    clsp_bezier_plan *plan = plan_with(ctx, l, controls, 1);
    unsigned char *const vertices = guarded(l, num);
    double most = 0.0;

    assert_int_equal(eval_host(plan, l, 0, 1, vertices), CLSP_OK);
    for (size_t k = 0; k < num; k++) {
        const long double t[3] = {
            axis_parameter(&l->d.axis[0], k / num_w / num_v, l->d.axis[0].num),
            axis_parameter(&l->d.axis[1], k / num_w % num_v, num_v),
            axis_parameter(&l->d.axis[2], k % num_w, num_w)};
        most = fmax(most, vertex_error(l, controls, t, vertices, k, bound));
    }
    free_guarded(l, num, vertices);
    clsp_bezier_plan_destroy(&plan);
    return most;
}

/* ---- far from the origin ---- */

/* Moves a patch by so much in each coordinate, as far as the precision tells points apart. */
static void move(const layout *l, double *controls, double by)
{
    for (size_t i = 0; i < l->controls; i++) {
        const bool weight = l->d.rational && i % l->coords == l->dim;
        const double w = l->d.rational ? controls[i / l->coords * l->coords + l->dim] : 1.0;
        if (weight) continue;
        controls[i] += by * w;
        if (l->d.precision == CLSP_F32) controls[i] = (double)(float)controls[i];
    }
}

static void far_away(clsp_context *ctx, clsp_type precision)
{
    static const struct {
        clsp_bezier_form form;
        unsigned degree[3], rational, attributes;
    } cases[] = {{CLSP_BEZIER_SURFACE, {2, 2}, 0, P | DU | DV | N},
                 {CLSP_BEZIER_SURFACE, {4, 30}, 0, P | DU | DV | N},
                 {CLSP_BEZIER_SURFACE, {3, 3}, 0, P | N},
                 {CLSP_BEZIER_SURFACE, {11, 7}, 0, P | N | T},
                 {CLSP_BEZIER_SURFACE, {18, 5}, 0, DU | N},
                 {CLSP_BEZIER_SURFACE, {5, 4}, 0, DU},
                 {CLSP_BEZIER_SURFACE, {1, 4}, 0, P | DV},
                 {CLSP_BEZIER_SURFACE, {30, 30}, 0, P | DU | DV},
                 {CLSP_BEZIER_SURFACE, {6, 5}, 0, P | DUU | DUV | DVV},
                 {CLSP_BEZIER_CURVE, {9}, 0, P | DU | DUU},
                 {CLSP_BEZIER_VOLUME, {3, 4, 2}, 0, P | DU | DV | DW}};
    static const double offsets[] = {1e3, 1e4, 1e6};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const clsp_bezier_desc d = {
            .form = cases[i].form,
            .precision = precision,
            .degree = {cases[i].degree[0], cases[i].degree[1], cases[i].degree[2]},
            .axis = {{.num = 35}, {.num = cases[i].form ? 3 : 37}, {.num = 5}},
            .rational = cases[i].rational,
            .vertex.attributes = cases[i].attributes};
        const layout l = layout_of(&d);
        if (!in_turn(i, 2) && i > 1) continue;
        for (size_t k = 0; k < COUNT(offsets); k++) {
            seed((unsigned)(i * 10 + k));
            double *const controls = random_controls(&l, 1);
            move(&l, controls, offsets[k]);
            judge(&l, "far away", grid_error(ctx, &l, controls, 8.0));
            free(controls);
        }
    }
}

/* So many rows that the device makes the tables. */
static void many_rows(clsp_context *ctx, clsp_type precision)
{
    for (unsigned degree = 3; degree <= 4; degree++) {
        const clsp_bezier_desc d = {.precision = precision,
                                    .degree = {degree, 2},
                                    .axis = {{.num = 33001}, {.num = 2}},
                                    .vertex.attributes = P | DU | DV};
        const layout l = layout_of(&d);
        seed(degree);
        double *const controls = random_controls(&l, 1);
        judge(&l, "many rows", grid_error(ctx, &l, controls, 8.0));
        free(controls);
    }
}

static void test_far_away(void **state)
{
    (void)state;
    everywhere(far_away);
}

static void test_many_rows(void **state)
{
    (void)state;
    worst = 0.0;
    each_turn(limits, 1, 1, many_rows);
    print_message("worst/bound %.2f\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_many_rows),
    };

    if (no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
